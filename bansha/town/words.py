"""The referee's wording of what it announces, as BBCode in Chinese (the language of the game), ready for a forum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bansha.rulesets.model import Ruleset
from bansha.sight.news import News

KINDS = {"speed_up": "加速", "extend": "延时", "abort": "流局"}
COLOURS = {"blue": "蓝牌", "yellow": "黄牌", "red": "红牌"}
PROXY_REASON = "导演代投"
"""The reason in the post of a vote that directors entered."""
SHERIFF = "警长"
"""The kind of an announcement about the badge."""
EXILED = "放逐"
"""The kind of an announcement about an exile."""
GONE = "出局"
"""The kind of an announcement of who is out since the last close."""
DIGITS = "零一二三四五六七八九"


def numeral(n: int) -> str:
    """A small number in Chinese: 3 → 三, 12 → 十二, 25 → 二十五."""
    if n < 10:
        return DIGITS[n]
    tens, ones = divmod(n, 10)
    return ("" if tens == 1 else DIGITS[tens]) + "十" + (DIGITS[ones] if ones else "") if n < 100 else str(n)


def day_name(day: int) -> str:
    """第三日."""
    return f"第{numeral(day)}日"


def clock(minute: int, seen_from: int | None = None) -> str:
    """A game-local minute as 21:00, with its date when it is another day than `seen_from`."""
    import datetime

    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(minutes=minute)  # noqa: DTZ001
    text = f"{at.hour}:{at.minute:02}"
    if seen_from is not None and minute // 1440 != seen_from // 1440:
        text = f"{at.month} 月 {at.day} 日 {text}"
    return text


class Speaker:
    """Words the news of one game. `names`: persona by seat."""

    def __init__(self, names: Mapping[int, str], ruleset: Ruleset) -> None:
        self.names = names
        self.ruleset = ruleset
        self.day = 0
        """The day as the news said so far."""

    def who(self, seat: int) -> str:
        """A persona in bold."""
        return f"[b]{self.names.get(seat, f'{seat}号')}[/b]"

    def list_of(self, seats: Sequence[int]) -> str:
        """Personas, in the order given."""
        return "、".join(self.who(seat) for seat in seats)

    def announced(self, kind: str, value: Any) -> str:
        """One announcement as a sentence."""
        if kind == "出局" and not value and self.day == 1 and self.ruleset.calendar.start == "day":
            return ""  # no night has been yet
        if kind == "出局":
            return f"昨日关门以来出局：{self.list_of(value)}。" if value else "昨夜无人出局。"
        if kind == "放逐":
            return "放逐：无人出局。" if value == "none" else f"放逐：{self.who(value)}出局。"
        if kind == "警长":
            return "从此没有警长。" if value == "none" else f"警长：{self.who(value)}。"
        if kind in KINDS.values():
            return f"{kind}申请成立。"
        if isinstance(value, int) and not isinstance(value, bool):
            return f"【{kind}】{self.who(value)}。"
        return f"【{kind}】"

    def tally(self, value: Mapping[str, Any]) -> str:
        """A count: each target with its votes, the highest first."""
        rows = sorted(value["tally"], key=lambda row: (-row[1], row[0]))
        said = "，".join(f"{self.who(seat)} {half(count)} 票" for seat, count in rows) or "没有有效票"
        return f"{'警长竞选' if value['ballot'] == 'election' else '放逐投票'}计票：{said}。"

    def ended(self, value: Mapping[str, Any]) -> str:
        """The end."""
        faction = self.ruleset.factions.get(value["faction"])
        if faction is not None:
            return f"本局结束：{faction.name.zh}获胜。"
        return "本局流局，不分胜负。" if value["why"] == "abort" else "本局结束：没有阵营获胜。"

    def moved(self, value: Mapping[str, Any], now: int) -> str:
        """The close has moved."""
        state = "今日加速，" if value["sped_up"] else ""
        return f"{state}关门改在 {clock(value['closes_at'], now)}。"

    def card(self, kind: str, value: Mapping[str, Any]) -> str:
        """A card dealt or withdrawn."""
        clause = self.ruleset.conduct.get(value["clause"])
        name = f"“{value['clause']}”" if clause is not None else value["clause"]
        verb = "收" if kind == "card" else "撤回"
        return f"{self.who(value['seat'])}{verb}{COLOURS[value['colour']]}一张（条款{name}）。"

    def line(self, news: News) -> str:
        """Any public piece of news as a sentence; "" for what is not said in words."""
        match news.kind:
            case "day":
                self.day = int(news.value["day"])
            case "announced":
                return self.announced(news.value["kind"], news.value["value"])
            case "counted":
                return self.tally(news.value)
            case "ended":
                return self.ended(news.value)
            case "moved":
                return self.moved(news.value, news.at)
            case "card" | "card_withdrawn":
                return self.card(news.kind, news.value)
            case "paused":
                return "导演暂停了本局，各时限随之后移。"
            case "resumed":
                return "本局继续。"
        return ""


def half(halves: int) -> str:
    """Halves of votes as a number: 3 → 1.5, 4 → 2."""
    return str(halves // 2) if halves % 2 == 0 else f"{halves / 2:.1f}"
