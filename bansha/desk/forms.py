"""What a director can do, as forms: each act with its fields, each field explained, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from bansha.desk import disposal
from bansha.desk.wording import BALLOTS, COLOURS, Wording
from bansha.journal import doors
from bansha.referee import commands as c
from bansha.rulesets.model import Ruleset, Skill
from bansha.town import acts, opening
from bansha.town.models import Account
from bansha.town.table import Table
from bansha.town.templatetags.town import room_name

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 (game-local minutes carry no zone)
REASON_MOST = 2000

Typed = Mapping[str, Any]
Words = str | Promise


class Field(NamedTuple):
    """A field: its name, what it is called, what is to be typed, and its kind (see `choices` and the template)."""

    name: str
    label: Words
    hint: Words = ""
    kind: str = "text"
    optional: bool = False


class Act(NamedTuple):
    """Something a director can do. `final`: it cannot be taken back, so it is confirmed."""

    title: Words
    does: Words
    button: Words
    group: str
    fields: tuple[Field, ...]
    do: Callable[[Table, Typed, str], None]
    final: bool = False

    @property
    def about_seat(self) -> bool:
        """Whether it is about one seat."""
        return any(field.name == "seat" for field in self.fields)


REASON = Field("reason", lazy("理由"), lazy("写进日志，终局后人人可见。引裁定就写它的编号。"), "reason")
SEAT = Field("seat", lazy("座位"), "", "seat")


def number(typed: Typed, name: str, zh: str, en: str) -> int:
    """A number from a form.

    Raises:
        Denied: it is none.
    """
    text = str(typed.get(name, "")).strip()
    if not text.isascii() or not text.isdigit():
        raise acts.Denied(zh, en)
    return int(text)


def seat_in(typed: Typed, name: str = "seat") -> int:
    """The seat that was chosen; whether it exists is the referee's to say."""
    return number(typed, name, "先选一个座位。", "Choose a seat first.")


def skill_in(table: Table, typed: Typed) -> tuple[int, Skill]:
    """The skill that was chosen, with its number.

    Raises:
        Denied: none.
    """
    skills = table.loaded.ruleset.skills
    name = str(typed.get("skill", ""))
    if name not in skills:
        raise acts.Denied("先选一项技能。", "Choose a skill first.")
    return list(skills).index(name), skills[name]


def minute_in(typed: Typed, name: str) -> int:
    """A moment of the game's own clock.

    Raises:
        Denied: not a date and a time.
    """
    try:
        moment = datetime.fromisoformat(str(typed.get(name, "")).strip().replace("/", "-"))
    except ValueError:
        raise acts.Denied("时刻要写成 2026-11-23 21:30（本局的时区）。", "Write the time as 2026-11-23 21:30 (the game's zone).") from None
    return int((moment.replace(tzinfo=None) - EPOCH) // timedelta(minutes=1))


def moment_of(minute: int) -> str:
    """A game minute as the field shows it."""
    return (EPOCH + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M")


def reason_in(typed: Typed) -> str:
    """The reason.

    Raises:
        Denied: none, or too long.
    """
    reason = str(typed.get("reason", "")).strip()
    if not reason:
        raise acts.Denied(
            "写下理由：导演的每一步都带着理由进日志。没有做任何事。", "Give the reason: it is logged with the act. Nothing was done."
        )
    if len(reason) > REASON_MOST:
        raise acts.Denied(f"理由最多 {REASON_MOST} 字。", f"A reason has at most {REASON_MOST} characters.")
    return reason


def _direct(act: str, value: Callable[[Table, Typed], Any] = lambda _table, _typed: True) -> Callable[[Table, Typed, str], None]:
    """An act of the referee's list, with its value from the form."""

    def do(table: Table, typed: Typed, key: str) -> None:
        reason = reason_in(typed)
        acts.direct(table, c.Direct(act, value(table, typed), reason, table.director), key)

    return do


# --- values -----------------------------------------------------------------------------------------------------------


def _vote_to_void(_table: Table, typed: Typed) -> Any:
    ballot = str(typed.get("ballot", ""))
    seat = seat_in(typed)
    return [seat, acts.BALLOT_NUMBER[ballot]] if ballot in acts.BALLOT_NUMBER else seat


def _act_to_void(table: Table, typed: Typed) -> Any:
    return [seat_in(typed), skill_in(table, typed)[0]]


def _faction(table: Table, typed: Typed) -> Any:
    factions = list(table.loaded.ruleset.factions)
    name = str(typed.get("faction", ""))
    if name not in factions:
        raise acts.Denied("先选一个阵营。", "Choose a faction first.")
    return factions.index(name)


def _outage(_table: Table, typed: Typed) -> Any:
    start, end = minute_in(typed, "start"), minute_in(typed, "end")
    if end < start:
        raise acts.Denied("停机的结束早于开始。", "The outage ends before it starts.")
    return [start, end]


def _correction(table: Table, typed: Typed) -> Any:
    index, _skill = skill_in(table, typed)
    return [seat_in(typed), index, answer_in(table.loaded.ruleset, str(typed.get("answer", "")))]


def answer_in(rules: Ruleset, text: str) -> Any:
    """A private answer as directors type it: 是, 否; 没有人; 1 3 5; a faction, 非 and a faction, 其他阵营; 3=faction, 5=faction.

    Raises:
        Denied: it can be read as none of these.
    """
    text = text.strip()
    names = {name: id for id, faction in rules.factions.items() for name in (id, faction.name.zh, faction.name.en)}
    plain: dict[str, Any] = {
        "是": True,
        "yes": True,
        "否": False,
        "no": False,
        "没有人": [],
        "nobody": [],
        "其他阵营": "other",
        "other": "other",
    }
    plain |= names
    plain |= {f"非{name}": f"!{id}" for name, id in names.items()} | {f"not {name}": f"!{id}" for name, id in names.items()}
    if text in plain:
        return plain[text]
    parts = text.replace("、", " ").replace("，", " ").replace(",", " ").replace("号", " ").split()
    if parts and all(part.isascii() and part.isdigit() for part in parts):
        return [int(part) for part in parts]
    pairs = [part.replace("：", "=").split("=") for part in parts]
    if pairs and all(len(pair) == 2 and pair[0].isascii() and pair[0].isdigit() and pair[1] in plain for pair in pairs):
        return {pair[0]: plain[pair[1]] for pair in pairs}
    legal = "、".join(faction.name.zh for faction in rules.factions.values())
    raise acts.Denied(
        f"读不出这个答案。写：是、否；没有人；座位 1 3 5；{legal}；非加阵营名；其他阵营；或 3=阵营名。",
        f"This answer cannot be read: yes, no; nobody; seats 1 3 5; {legal}; not and a faction; other; or 3=faction.",
    )


# --- what is more than an act -----------------------------------------------------------------------------------------


def _proxy(table: Table, typed: Typed, key: str) -> None:
    ballot = acts.BALLOT_NUMBER.get(str(typed.get("ballot", "")), -1)
    if ballot < 0:
        raise acts.Denied("先选投哪一票。", "Choose the ballot first.")
    target = number(typed, "target", "先选投给谁，或弃权。", "Choose whom the vote is for, or 弃权.")
    reason = reason_in(typed)
    seat = seat_in(typed)
    words = _("代 %(seat)s 号投票：%(reason)s") % {"seat": seat, "reason": reason}
    acts.proxy(table, seat, ballot, target, key, lambda: disposal.note(table, "behalf", words))


def _behalf(table: Table, typed: Typed, key: str) -> None:
    """Hand in for a seat what its player sent by private message; the journal's line says which director did it."""
    index, skill = skill_in(table, typed)
    seat, reason = seat_in(typed), reason_in(typed)
    chosen = [int(text) for text in typed.get("targets", []) if text.isascii() and text.isdigit()]
    targets: Any = None if typed.get("how") == "pass" else chosen if skill.targets or skill.share else True

    def prepare(_seats: doors.Seats) -> c.Command:
        disposal.note(
            table, "behalf", _("代 %(seat)s 号交【%(skill)s】：%(reason)s") % {"seat": seat, "skill": skill.name.zh, "reason": reason}
        )
        return c.Act(seat, {index: targets})

    acts.direct(table, prepare, key)


def _card(table: Table, typed: Typed, key: str) -> None:
    if typed.get("colour") == "red" and not typed.get("sure"):
        raise acts.Denied("红牌的后果不能撤销：勾上“我知道”再发。", "What a red card does cannot be undone: tick the box first.")
    command = c.Card(seat_in(typed), str(typed.get("colour", "")), str(typed.get("clause", "")), bool(typed.get("lose")))
    _with_reason(table, command, typed, key, "card")


def _uncard(table: Table, typed: Typed, key: str) -> None:
    command = c.Uncard(seat_in(typed), str(typed.get("colour", "")), str(typed.get("clause", "")))
    _with_reason(table, command, typed, key, "uncard")


def _with_reason(table: Table, command: c.Command, typed: Typed, key: str, kind: str) -> None:
    """A command that carries no reason of its own: the reason stands in the log, or neither."""
    reason = reason_in(typed)

    def prepare(_seats: doors.Seats) -> c.Command:
        disposal.note(table, kind, reason)
        return command

    acts.direct(table, prepare, key)


def account_in(typed: Typed, name: str = "account") -> Account:
    """The member named in a form.

    Raises:
        Denied: nobody has this name.
    """
    found = Account.objects.filter(username=str(typed.get(name, "")).strip(), is_active=True).first()
    if found is None:
        raise acts.Denied("镇上没有这个名字的成员，写登录用的名字。", "Nobody in town has this name; write the name used to sign in.")
    return found


def _substitute(table: Table, typed: Typed, key: str) -> None:
    reason = reason_in(typed)
    seat = seat_in(typed)
    words = _("%(seat)s 号换演员：%(reason)s") % {"seat": seat, "reason": reason}
    opening.substitute(table, seat, account_in(typed), key, lambda: disposal.note(table, "substitute", words))


def _assistant(table: Table, typed: Typed, key: str) -> None:
    opening.assistant(table, seat_in(typed), account_in(typed), key)


def _say(table: Table, typed: Typed, key: str) -> None:
    post = acts.say_as_director(table, str(typed.get("room", "")), str(typed.get("body", "")), key)
    where = _("%(room)s %(n)s 楼") % {"room": room_name(post.room), "n": post.floor}
    disposal.note_once(table, "said", f"said {post.room} {post.floor}", where)


def _off(table: Table, typed: Typed, key: str) -> None:
    disposal.off_duty(table, str(typed.get("note", "")))


# --- the list ---------------------------------------------------------------------------------------------------------

GROUPS = {
    "time": lazy("时间"), "behalf": lazy("代办"), "judge": lazy("改判"), "cards": lazy("牌"), "people": lazy("人"), "say": lazy("说话"),
}  # fmt: skip

ACTS: dict[str, Act] = {
    "deadline": Act(
        lazy("改时限"),
        lazy("移动正开着的时限：开局设置、讨论日、等人答的提示，或夜里正开着的几段。没开的段不动。"),
        lazy("改到这个时刻"),
        "time",
        (Field("minute", lazy("新的时限"), lazy("本局时区的日期和钟点，要在现在之后。"), "minute"), REASON),
        _direct("deadline", lambda _table, typed: minute_in(typed, "minute")),
    ),
    "speed_up": Act(
        lazy("加速"),
        lazy("等同一次成立的加速申请：关门提前到规则所许最早的钟点，当日不能改票。"),
        lazy("今日加速"),
        "time",
        (REASON,),
        _direct("speed_up"),
    ),
    "extend": Act(
        lazy("延时"),
        lazy("等同一次成立的延时申请：关门推后一个自然日，加速状态解除。"),
        lazy("今日延时"),
        "time",
        (REASON,),
        _direct("extend"),
    ),
    "hold": Act(
        lazy("一律等到时限"),
        lazy("允许提前收段的规则里，让各段都等到时限才收；或恢复提前收段。"),
        lazy("记下"),
        "time",
        (Field("hold", lazy("各段"), "", "hold"), REASON),
        _direct("hold", lambda _table, typed: typed.get("hold") != "no"),
    ),
    "pause": Act(
        lazy("暂停"),
        lazy("一切停住：不收帖、不收票、不走时限，直到继续。"),
        lazy("暂停本局"),
        "time",
        (REASON,),
        _direct("pause"),
    ),
    "resume": Act(
        lazy("继续"),
        lazy("开着的时限顺延停住的时间；开门关门移到还剩这么久的下一个钟点。"),
        lazy("继续本局"),
        "time",
        (REASON,),
        _direct("resume"),
    ),
    "outage": Act(
        lazy("记停机"),
        lazy("平台停过一段：今夜没有答复的不提请判罚。时限要移，另用“改时限”。"),
        lazy("记下停机"),
        "time",
        (Field("start", lazy("从"), "", "minute"), Field("end", lazy("到"), "", "minute"), REASON),
        _direct("outage", _outage),
        True,
    ),
    "proxy": Act(
        lazy("代投"),
        lazy("替一个座位投一票，帖子写明是导演代投；关门前一小时起与加速的日子不收代投。"),
        lazy("代投这一票"),
        "behalf",
        (SEAT, Field("ballot", lazy("哪一票"), "", "ballot"), Field("target", lazy("投给"), "", "target"), REASON),
        _proxy,
    ),
    "act": Act(
        lazy("代交技能"),
        lazy("演员私下告诉你的行动，由你替座位交上；日志记着是哪位导演代交。合法与否照常核对。"),
        lazy("代交"),
        "behalf",
        (
            SEAT,
            Field("skill", lazy("技能"), "", "skill"),
            Field("how", lazy("怎样"), "", "how"),
            Field("targets", lazy("目标"), lazy("没有目标的技能和放弃，不用选。"), "targets", True),
            REASON,
        ),
        _behalf,
    ),
    "void_vote": Act(
        lazy("作废一票"),
        lazy("这一票不算，可以另投，不用掉改票，也不因此受罚。"),
        lazy("作废这一票"),
        "judge",
        (SEAT, Field("ballot", lazy("哪一票"), lazy("不选：放逐票优先。"), "ballot", True), REASON),
        _direct("void_vote", _vote_to_void),
    ),
    "void_act": Act(
        lazy("作废一次提交"),
        lazy("座位（或所在的群）已交的一项作废，告知本人；窗口还开着就可以另交。"),
        lazy("作废这次提交"),
        "judge",
        (SEAT, Field("skill", lazy("技能"), "", "skill"), REASON),
        _direct("void_act", _act_to_void),
    ),
    "out": Act(
        lazy("判出局"),
        lazy("有遗言，触发技能在下一个黄昏或黎明问；投给这一位的票作废，这一位投的照算。"),
        lazy("判出局"),
        "judge",
        (SEAT, REASON),
        _direct("out", lambda _table, typed: seat_in(typed)),
        True,
    ),
    "restore": Act(
        lazy("恢复在场"),
        lazy("撤掉一次出局；由它引发的事不撤。"),
        lazy("恢复在场"),
        "judge",
        (SEAT, REASON),
        _direct("restore", lambda _table, typed: seat_in(typed)),
        True,
    ),
    "lose": Act(
        lazy("判阵营负"),
        lazy("判一个阵营负：不公布，其人仍在场，但不能再获胜。"),
        lazy("判负"),
        "judge",
        (Field("faction", lazy("阵营"), "", "faction"), REASON),
        _direct("lose", _faction),
    ),
    "correct": Act(
        lazy("更正回音"),
        lazy("给座位发一条新的私下答复，写明更正先前的一条；先前的不会消失。"),
        lazy("发出更正"),
        "judge",
        (
            SEAT,
            Field("skill", lazy("哪项技能的回音"), "", "skill"),
            Field("answer", lazy("正确的答复"), lazy("写：是、否；没有人；座位如 1 3 5；阵营名；非加阵营名；其他阵营；或 3=阵营名。")),
            REASON,
        ),
        _direct("correct", _correction),
        True,
    ),
    "undo": Act(
        lazy("撤回上一笔"),
        lazy("撤回最近一次收段之后的提交、票，或导演的一步。已结算、已抽签、已告知的撤不回。"),
        lazy("撤回"),
        "judge",
        (REASON,),
        _direct("undo"),
        True,
    ),
    "abort": Act(
        lazy("流局"),
        lazy("本局立刻结束，不分胜负，全部公开。"),
        lazy("宣布流局"),
        "judge",
        (REASON,),
        _direct("abort"),
        True,
    ),
    "card": Act(
        lazy("发牌"),
        lazy("引一条条款发一张牌，公开，满数折算；红牌按本局的规则罚下，后果撤不回。"),
        lazy("发这张牌"),
        "cards",
        (
            SEAT,
            Field("colour", lazy("哪种牌"), "", "colour"),
            Field("clause", lazy("引哪条条款"), "", "clause"),
            Field("lose", lazy("并判其阵营负"), lazy("只在规则写明可以、且是红牌时。"), "yes", True),
            REASON,
            Field("sure", lazy("红牌：我知道它的后果不能撤销"), "", "yes", True),
        ),
        _card,
    ),
    "uncard": Act(
        lazy("撤牌"),
        lazy("撤回最近的一张同样的牌；红牌已经引发的事不撤。"),
        lazy("撤回这张牌"),
        "cards",
        (SEAT, Field("colour", lazy("哪种牌"), "", "colour"), Field("clause", lazy("引的条款"), "", "clause"), REASON),
        _uncard,
    ),
    "substitute": Act(
        lazy("换演员"),
        lazy("座位连同票、已交的行动、牌与全部经过，转给另一位成员；原来的演员从此是看客。"),
        lazy("换上这一位"),
        "people",
        (SEAT, Field("account", lazy("接手的成员"), lazy("登录用的名字。"), "account"), REASON),
        _substitute,
        True,
    ),
    "assistant": Act(
        lazy("派场助"),
        lazy("给新手的座位派一位场外顾问：看得到演员所见，共群的话除外，什么也不交。"),
        lazy("派场助"),
        "people",
        (SEAT, Field("account", lazy("场助"), lazy("登录用的名字。"), "account")),
        _assistant,
    ),
    "off": Act(
        lazy("离岗与交接"),
        lazy("离岗时给同伴留一句交接，挂在导演台上；留空就是回岗。"),
        lazy("记下"),
        "people",
        (Field("note", lazy("交接"), lazy("正在等什么、答应过谁什么。留空：我回来了。"), "long", True),),
        _off,
    ),
    "say": Act(
        lazy("以导演身份发帖"),
        lazy("帖子带导演的印，红字大字随你；发出不能改。"),
        lazy("发帖"),
        "say",
        (Field("room", lazy("发在"), "", "room"), Field("body", lazy("正文"), lazy("Discuz! 代码可用。"), "long")),
        _say,
    ),
}


class Choice(NamedTuple):
    """One thing to choose in a field."""

    value: str
    words: str
    chosen: bool

    @property
    def number(self) -> int:
        """The seat it names."""
        return int(self.value)


class Shown(NamedTuple):
    """A field as the page shows it: with what can be chosen, or what was typed."""

    field: Field
    kind: str
    choices: list[Choice]
    value: str


def shown(table: Table, wording: Wording, act: Act, typed: Typed) -> list[Shown]:
    """The fields of an act, filled with what was typed or asked for."""
    found = []
    for field in act.fields:
        given = typed.get(field.name, [] if field.kind == "targets" else "")
        picked = {str(x) for x in given} if isinstance(given, list) else {str(given)}
        choices = [Choice(value, words, value in picked) for value, words in _choices(table, wording, field)]
        value = given if isinstance(given, str) else ""
        if field.kind == "minute" and not value:
            value = moment_of(wording.full.due or table.minute)
        kind = {"targets": "many", "minute": "minute", "reason": "long", "long": "long", "yes": "yes", "account": "text", "text": "text"}
        found.append(Shown(field, kind.get(field.kind, "colour" if field.kind == "colour" else "choose"), choices, value))
    return found


def _choices(table: Table, wording: Wording, field: Field) -> Sequence[tuple[str, str]]:
    rules, seats = wording.rules, [(str(seat), wording.who(seat)) for seat in table.personas]
    match field.kind:
        case "seat" | "targets":
            return seats
        case "target":
            return [*seats, ("0", _("弃权"))]
        case "skill":
            return [(id, skill.name.get(wording.lang)) for id, skill in rules.skills.items()]
        case "ballot":
            return [(ballot.name, str(BALLOTS[ballot.name])) for ballot in table.public.ballots]
        case "faction":
            return [(id, wording.faction(id)) for id in rules.factions]
        case "colour":
            return [(id, str(words)) for id, words in COLOURS.items()]
        case "clause":
            return [(id, f"{id}　{wording.clause_text(id)}") for id in rules.conduct]
        case "how":
            return [("hand_in", _("交上")), ("pass", _("放弃这一次"))]
        case "hold":
            return [("yes", _("等到时限")), ("no", _("答齐就收"))]
        case "room":
            return [(thread.room, room_name(thread.room)) for thread in reversed(table.game.threads.all())]
    return []


def typed_in(act: Act, data: QueryDict) -> dict[str, Any]:
    """What was typed into a form, or asked for by its address."""
    return {field.name: data.getlist(field.name) if field.kind == "targets" else data.get(field.name, "") for field in act.fields}
