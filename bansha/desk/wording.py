"""The desk's words: names of a ruleset in the language of the page, and private news as sentences for directors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from bansha.journal.doors import Noted, see
from bansha.rulesets.load import Loaded
from bansha.rulesets.model import Text
from bansha.rulesets.sheet import clause_ids
from bansha.sight.news import News
from bansha.sight.types import DIRECTOR, DirectorView
from bansha.town.table import Table
from bansha.town.words import clock

COLOURS = {"blue": lazy("蓝牌"), "yellow": lazy("黄牌"), "red": lazy("红牌")}
SHORT = {"blue": lazy("蓝"), "yellow": lazy("黄"), "red": lazy("红")}
BALLOTS = {"exile": lazy("放逐投票"), "election": lazy("警长竞选")}
KINDS = {"speed_up": lazy("加速"), "extend": lazy("延时"), "abort": lazy("流局")}
ACTS = {
    "void_vote": lazy("作废一票"), "void_act": lazy("作废一次提交"), "deadline": lazy("改时限"), "out": lazy("判出局"),
    "restore": lazy("恢复在场"), "lose": lazy("判阵营负"), "speed_up": lazy("加速"), "extend": lazy("延时"), "abort": lazy("流局"),
    "correct": lazy("更正回音"), "undo": lazy("撤回上一笔"), "pause": lazy("暂停"), "resume": lazy("继续"), "hold": lazy("一律等到时限"),
    "outage": lazy("记停机"),
}  # fmt: skip
WHY_PROPOSED = {"posts": lazy("帖数不足"), "no_vote": lazy("没有投票"), "streak": lazy("连日少帖")}
CAUSES = {"exile": lazy("放逐"), "red_card": lazy("红牌"), "director": lazy("导演判")}
SIGNS = {"▲": "wolf", "●": "folk"}
ROUTINE = frozenset({
    "post", "vote", "change", "vote_refused", "signed", "flagged", "den", "day", "stage", "submitted", "withdrawn", "drawn", "told",
})  # fmt: skip
"""News the pages of the game itself show; the directors' log shows them only where a director's hand was in them."""


def language() -> str:
    """Which half of a ruleset's texts the page shows: zh or en."""
    return "en" if (get_language() or "").startswith("en") else "zh"


class _Hashed:
    """A ruleset as a key of a cache: by its content hash."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded

    def __hash__(self) -> int:
        return hash(self.loaded.hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and other.loaded.hash == self.loaded.hash


@lru_cache(maxsize=16)
def _clauses(of: _Hashed) -> dict[str, Text]:
    return clause_ids(of.loaded.ruleset)


class Wording:
    """Names and sentences of one game, in the language of the page."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rules = table.loaded.ruleset
        self.lang = language()

    @cached_property
    def full(self) -> DirectorView:
        """Everything, as directors see it; after the end it is everybody's."""
        found = self.table.view.director
        if found is None and self.table.rooms.revealed and self.table.game.journal is not None:
            found = see(self.table.game.journal, DIRECTOR).view.director
        assert found is not None
        return found

    @cached_property
    def clauses(self) -> dict[str, Text]:
        """Every clause that can be cited, with its text."""
        return _clauses(_Hashed(self.table.loaded))

    def clause_text(self, id: str) -> str:
        """The text of a clause of the conduct list, or of any other clause."""
        found = self.clauses.get(f"conduct.{id}") or self.clauses.get(id)
        return found.get(self.lang) if found is not None else ""

    def skill(self, id: str) -> str:
        """A skill's name."""
        found = self.rules.skills.get(id)
        return found.name.get(self.lang) if found is not None else id

    def role(self, id: str) -> str:
        """A role's name."""
        found = self.rules.roles.get(id)
        return found.name.get(self.lang) if found is not None else id

    def faction(self, id: str) -> str:
        """A faction's name."""
        found = self.rules.factions.get(id)
        return found.name.get(self.lang) if found is not None else _("无阵营")

    def sign(self, id: str) -> str:
        """The class of a faction's sign: wolf, folk, third."""
        found = self.rules.factions.get(id)
        return SIGNS.get(found.sign, "third") if found is not None else "third"

    def who(self, seat: int) -> str:
        """3 守灯塔的老海."""
        return f"{seat} {self.table.name(seat)}" if seat else _("弃权")

    def holder(self, holder: int) -> str:
        """A seat, or a pack by its faction."""
        pack = next((faction for number, faction, _members, _hand in self.full.packs if number == holder), "")
        return self.faction(pack) if pack else self.who(holder)

    def targets(self, targets: Sequence[int] | None) -> str:
        """→ 6, 放弃, or nothing for a skill without targets."""
        if targets is None:
            return _("放弃")
        return "→ " + "、".join(map(str, targets)) if targets else ""

    def cause(self, cause: str) -> str:
        """Why somebody is out, in a word."""
        return str(CAUSES[cause]) if cause in CAUSES else self.skill(cause)

    def why_proposed(self, why: str) -> str:
        """Why a card was proposed."""
        return str(WHY_PROPOSED[why]) if why in WHY_PROPOSED else _("【%(skill)s】没有答") % {"skill": self.skill(why)}

    def value(self, value: Any) -> str:
        """A private answer in words."""
        if isinstance(value, bool):
            return _("是") if value else _("否")
        if isinstance(value, list):
            return "、".join(self.who(seat) for seat in value) if value else _("没有人")
        if isinstance(value, dict):
            return "，".join(f"{self.who(int(seat))}：{self.value(name)}" for seat, name in value.items())
        if value == "other":
            return _("其他阵营")
        text = str(value)
        return _("非%(faction)s") % {"faction": self.faction(text[1:])} if text.startswith("!") else self.faction(text)

    # --- news -------------------------------------------------------------------------------------------------------

    def line(self, news: News) -> str:
        """A piece of news as a sentence for directors; "" for what they need no word of."""
        make = getattr(self, f"_{news.kind}", None)
        return make(news.value, news) if make is not None else ""

    def _setup_ended(self, value: dict[str, Any], news: News) -> str:
        return _("开局设置结束")

    def _day(self, value: dict[str, Any], news: News) -> str:
        return _("第 %(day)s 日开门，%(until)s 关门") % {"day": value["day"], "until": clock(value["closes_at"], news.at)}

    def _closed(self, value: dict[str, Any], news: News) -> str:
        return _("第 %(day)s 日关门") % {"day": value["day"]}

    def _moved(self, value: dict[str, Any], news: News) -> str:
        return _("关门改在 %(until)s") % {"until": clock(value["closes_at"], news.at)}

    def _announced(self, value: dict[str, Any], news: News) -> str:
        kind, said = value["kind"], value["value"]
        if isinstance(said, list):
            named = "、".join(self.who(seat) for seat in said) or _("无人")
        elif isinstance(said, int) and not isinstance(said, bool):
            named = self.who(said)
        else:
            named = _("无人") if said == "none" else ""
        return _("公告：%(kind)s %(named)s") % {"kind": kind, "named": named}

    def _counted(self, value: dict[str, Any], news: News) -> str:
        rows = sorted(value["tally"], key=lambda row: (-row[1], row[0]))
        counts = "，".join(_("%(who)s %(votes)s 票") % {"who": self.who(seat), "votes": f"{halves / 2:g}"} for seat, halves in rows)
        return _("%(ballot)s计票：%(counts)s") % {"ballot": BALLOTS[value["ballot"]], "counts": counts or _("没有有效票")}

    def _ended(self, value: dict[str, Any], news: News) -> str:
        if value["faction"]:
            return _("本局结束：%(faction)s获胜") % {"faction": self.faction(value["faction"])}
        return _("本局结束：没有阵营获胜")

    def _post(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s发帖") % {"who": self.who(value["seat"])}

    def _vote(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s投 %(target)s（%(ballot)s）") % self._ballot(value)

    def _change(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s改投 %(target)s（%(ballot)s）") % self._ballot(value)

    def _ballot(self, value: dict[str, Any]) -> dict[str, Any]:
        return {"who": self.who(value["seat"]), "target": self.who(value["target"]), "ballot": BALLOTS[value["ballot"]]}

    def _vote_refused(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s的帖不成票") % {"who": self.who(value["seat"])}

    def _vote_voided(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s的票作废，可另投") % {"who": self.who(value["seat"])}

    def _signed(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s签名申请%(kind)s") % {"who": self.who(value["seat"]), "kind": KINDS.get(value["kind"], value["kind"])}

    def _passed(self, value: dict[str, Any], news: News) -> str:
        return _("%(kind)s成立") % {"kind": KINDS.get(value["kind"], value["kind"])}

    def _card(self, value: dict[str, Any], news: News) -> str:
        return _("发%(colour)s：%(who)s，条款“%(clause)s”") % self._of_card(value)

    def _card_withdrawn(self, value: dict[str, Any], news: News) -> str:
        return _("撤回%(colour)s：%(who)s，条款“%(clause)s”") % self._of_card(value)

    def _proposed(self, value: dict[str, Any], news: News) -> str:
        return _("拟发%(colour)s：%(who)s，条款“%(clause)s”") % self._of_card(value)

    def _of_card(self, value: dict[str, Any]) -> dict[str, Any]:
        return {"who": self.who(value["seat"]), "colour": COLOURS[value["colour"]], "clause": value["clause"]}

    def _flagged(self, value: dict[str, Any], news: News) -> str:
        return _("疑似“%(clause)s”：%(who)s") % {"clause": value["clause"], "who": self.who(value["seat"])}

    def _acted(self, value: dict[str, Any], news: News) -> str:
        about = self._acted_on(value["act"], value["value"])
        what = {"act": ACTS.get(value["act"], value["act"]), "value": about, "reason": value["reason"]}
        return _("%(act)s%(value)s，理由：%(reason)s") % what

    def _acted_on(self, act: str, value: Any) -> str:
        """What an act was about, after its name."""
        first = value[0] if isinstance(value, list) and value else value
        if act in ("void_vote", "void_act", "out", "restore", "correct") and isinstance(first, int):
            skill = f" 【{self.skill(list(self.rules.skills)[value[1]])}】" if act in ("void_act", "correct") else ""
            return f" {self.who(first)}{skill}"
        if act == "deadline":
            return f" {clock(value, self.table.minute)}"
        if act == "lose":
            return f" {self.faction(list(self.rules.factions)[value])}"
        if act == "outage":
            return f" {clock(value[0], self.table.minute)}–{clock(value[1], self.table.minute)}"
        if act == "hold":
            return _("：是") if value else _("：否")
        return ""

    def _told(self, value: dict[str, Any], news: News) -> str:
        who = "、".join(self.who(seat) for seat in news.seats)
        said = {"who": who, "skill": self.skill(value["skill"]), "value": self.value(value["value"])}
        return (_("更正给%(who)s：【%(skill)s】%(value)s") if value["corrects"] else _("告知%(who)s：【%(skill)s】%(value)s")) % said

    def _told_out(self, value: dict[str, Any], news: News) -> str:
        return _("告知出局：%(who)s") % {"who": "、".join(self.who(seat) for seat in news.seats)} if news.seats else ""

    def _prompt(self, value: dict[str, Any], news: News) -> str:
        said = {"who": self.who(news.seats[0]), "skill": self.skill(value["skill"]), "until": clock(value["until"], news.at)}
        return _("等%(who)s答【%(skill)s】，%(until)s 止") % said

    def _answered(self, value: dict[str, Any], news: News) -> str:
        target = value["target"]
        said = _("没有答") if value["silent"] else _("放弃") if target < 0 else self.who(target) if target else _("是")
        return _("%(who)s答【%(skill)s】：%(said)s") % {"who": self.who(value["seat"]), "skill": self.skill(value["skill"]), "said": said}

    def _last_words(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s交了遗言") % {"who": self.who(value["seat"])}

    def _stage(self, value: dict[str, Any], news: News) -> str:
        return _("第 %(number)s 段截止") % {"number": value["stage"] + 1}

    def _substituted(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s换了演员") % {"who": self.who(value["seat"])}

    def _assistant(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s有了场助") % {"who": self.who(value["seat"])}

    def _submitted(self, value: dict[str, Any], news: News) -> str:
        said = {"who": self.who(value["by"]), "skill": self.skill(value["skill"]), "targets": self.targets(value["targets"])}
        return _("%(who)s交【%(skill)s】%(targets)s") % said

    def _withdrawn(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s的【%(skill)s】收回") % self._choice(value)

    def _stopped(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s的【%(skill)s】被冰冻，没有用掉") % self._choice(value)

    def _lapsed(self, value: dict[str, Any], news: News) -> str:
        return _("%(who)s的【%(skill)s】到时已不合法，失效") % self._choice(value)

    def _choice(self, value: dict[str, Any]) -> dict[str, Any]:
        return {"who": self.holder(value["holder"]), "skill": self.skill(value["skill"])}

    def _out(self, value: dict[str, Any], news: News) -> str:
        return _("出局：%(who)s（%(cause)s）") % {"who": self.who(value["seat"]), "cause": self.cause(value["cause"])}

    def _drawn(self, value: dict[str, Any], news: News) -> str:
        return _("抽签：%(label)s") % {"label": self.skill(value["label"])}

    def _undone(self, value: dict[str, Any], news: News) -> str:
        return _("上一笔已撤回")

    def _paused(self, value: dict[str, Any], news: News) -> str:
        return _("暂停")

    def _resumed(self, value: dict[str, Any], news: News) -> str:
        return _("继续")

    # --- who did it -------------------------------------------------------------------------------------------------

    @cached_property
    def directors(self) -> dict[int, str]:
        """The account of each director by number, as directors know each other."""
        return dict(self.table.game.directings.order_by("number").values_list("number", "account__username"))

    def director(self, number: int) -> str:
        """导演 1（name）."""
        if not number:
            return _("裁判")
        return _("导演 %(number)s（%(name)s）") % {"number": number, "name": self.directors.get(number, "")}

    def hand(self, noted: Noted) -> str:
        """The director whose hand was in an entry, or ""."""
        kind, _sep, number = noted.by.partition(" ")
        return self.director(int(number)) if kind == "director" and number.isdigit() else ""
