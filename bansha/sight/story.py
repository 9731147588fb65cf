"""What happened at one entry of a journal, told in the words of the rules with clause ids: the steps of a replay.

A step is told from the records its viewer has witnessed (`bansha.sight.witness`), as an explanation is; where there is an
explanation for what happened, the step carries it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from bansha.referee import events as e
from bansha.referee.board import BALLOTS
from bansha.referee.refusals import clock
from bansha.rulesets.model import Text
from bansha.rulesets.phrases import COLOURS, PETITIONS
from bansha.sight import why_card, why_end, why_out, why_told, why_vote
from bansha.sight.teller import Line, Pair, Teller, half, seats_en, seats_zh
from bansha.sight.witness import Seen, Witness


class Arrow(msgspec.Struct, frozen=True):
    """Somebody's choice, to be drawn: the skill's id, by which seat (0: a pack of which nobody is named), on which seats."""

    skill: str
    by: int
    targets: tuple[int, ...]


class Step(msgspec.Struct):
    """What a viewer witnessed at one entry. `kind`: what stands first in it (`KINDS`), with `stage` the number of the stage that
    closed (-1: none). `title`: its name; `lines`: one sentence a fact; `why`: the explanation of what came of it; `refs`: the
    posts it was said in."""

    kind: str
    stage: int
    title: Text
    lines: list[Line]
    arrows: list[Arrow]
    why: list[Line]
    refs: list[int]


KINDS: Final[tuple[str, ...]] = (
    "ended", "setup", "settled", "stage", "day", "counted", "closed", "director", "card", "change", "vote", "passed", "sign", "answer",
    "prompt", "handed", "told", "words", "out", "surrender", "people", "announced", "other",
)  # fmt: skip
"""The kinds of step. Where several things happened at once, the first of these names it."""

_ACTS: Final[dict[str, Pair]] = {
    "void_vote": ("作废一票", "voided a vote"),
    "void_act": ("作废一次提交", "voided a submission"),
    "deadline": ("改时限", "moved a deadline"),
    "out": ("判出局", "judged somebody out"),
    "restore": ("恢复在场", "put somebody back"),
    "lose": ("判阵营负", "judged a faction lost"),
    "speed_up": ("加速", "sped the day up"),
    "extend": ("延时", "extended the day"),
    "abort": ("流局", "aborted the game"),
    "correct": ("更正答复", "corrected an answer"),
    "undo": ("撤回上一笔", "took the last step back"),
    "pause": ("暂停", "paused the game"),
    "resume": ("继续", "resumed the game"),
    "hold": ("一律等到时限", "made stages wait for their limits"),
    "outage": ("记停机", "recorded an outage"),
}
_CODES: Final[dict[str, Pair]] = {
    "out": ("已经出局", "its holder was out"),
    "not_held": ("技能已不在手里", "the skill was no longer held"),
    "target_out": ("目标已出局", "the target was out"),
    "spent": ("技能已经用过", "the skill was spent"),
    "needs_last": ("剩下的不止一名", "more than one was left"),
    "faction_lost": ("阵营已判负", "the faction was judged lost"),
}
_ANNOUNCED: Final[dict[str, str]] = {
    "出局": "out since the last close", "放逐": "exile", "警长": "sheriff", "加速": "speed-up", "延时": "extension", "流局": "abort",
}  # fmt: skip

Maker = Callable[[Teller, Seen, Any], None]


def told(seen: Witness, records: Sequence[Seen]) -> Step | None:
    """The step of the latest `records` of `seen`, None when they hold nothing that is told."""
    teller = Teller(seen)
    step = Step("other", -1, Text("", ""), teller.lines, [], [], [])
    best: tuple[int, e.Event] | None = None
    for record in records:
        event = record.event
        found = _TELL.get(event.__class__)
        if found is None:
            continue
        kind, make = found
        make(teller, record, event)
        _beside(step, seen, event)
        if best is None or KINDS.index(kind) < best[0]:
            best = KINDS.index(kind), event
    if best is None:
        return None
    _proposed(teller, [record.event for record in records if isinstance(record.event, e.CardProposed)])
    step.kind = KINDS[best[0]]
    step.title = _title(teller, step.kind, best[1], records)
    step.why = _why(seen, records)
    return step


def _beside(step: Step, seen: Witness, event: e.Event) -> None:
    """What stands beside a sentence: the drawing of a choice, the post it was said in, the stage."""
    match event:
        case e.Submitted() if event.targets:
            step.arrows.append(Arrow(seen.board.skill_ids[event.skill], event.by, tuple(event.targets)))
        case e.PromptAnswered() if event.target > 0:
            step.arrows.append(Arrow(seen.board.skill_ids[event.skill], event.seat, (event.target,)))
        case e.Marked() | e.Struck() if seen.full:
            step.arrows.append(Arrow(seen.board.skill_ids[event.skill], event.holder if event.holder <= seen.n else 0, (event.target,)))
        case e.VoteCast() | e.VoteChanged() | e.VoteRefused():
            step.refs.append(event.ref)
        case e.StageClosed():
            step.stage = event.stage
        case _:
            pass


def _title(t: Teller, kind: str, event: Any, records: Sequence[Seen]) -> Text:
    if kind == "stage":
        skills = [t.board.skill_ids[skill] for skill in _in_stages(t, records)]
        if skills:
            return Text(" · ".join(t.zh.skill(name) for name in skills), " · ".join(t.en.skill(name) for name in skills))
    if kind == "director" and isinstance(event, e.DirectorActed):
        zh, en = _ACTS.get(event.act, (event.act, event.act))
        return Text(f"导演{zh}", f"A director {en}")
    if kind in ("vote", "change") and isinstance(event, (e.VoteCast, e.VoteChanged)):
        zh, en = (f"{event.target}号", f"seat {event.target}") if event.target else ("弃权", "弃权")
        verb = ("投", "voted for") if kind == "vote" else ("改投", "changed to")
        return Text(f"{event.seat}号{verb[0]}{zh}", f"Seat {event.seat} {verb[1]} {en}")
    if kind in ("prompt", "answer", "handed", "told") and hasattr(event, "skill"):
        name = t.zh.skill(t.board.skill_ids[event.skill]), t.en.skill(t.board.skill_ids[event.skill])
        zh, en = _TITLES[kind]
        return Text(f"{zh} · {name[0]}", f"{en} · {name[1]}")
    return Text(*_TITLES[kind])


def _in_stages(t: Teller, records: Sequence[Seen]) -> list[int]:
    """The skills that the stages closed here executed or answered, in the stages' order; all of theirs where none was."""
    closed = [skill for r in records if isinstance(r.event, e.StageClosed) for skill in t.board.stages[r.event.stage]]
    used = {r.event.skill for r in records if isinstance(r.event, (e.Used, e.Marked, e.Struck, e.Told))}
    return [skill for skill in closed if skill in used] or closed


_TITLES: Final[dict[str, Pair]] = {
    "ended": ("终局", "The end"),
    "setup": ("开局设置", "Setup"),
    "settled": ("结算", "Settlement"),
    "stage": ("一段截止", "A stage closed"),
    "day": ("开门", "Opening"),
    "counted": ("关门计票", "Close and count"),
    "closed": ("关门", "Close"),
    "director": ("导演", "Directors"),
    "card": ("罚牌", "Card"),
    "change": ("改票", "Change of vote"),
    "vote": ("投票", "Vote"),
    "passed": ("申请成立", "Petition passed"),
    "sign": ("签名", "Signature"),
    "answer": ("作答", "Answered"),
    "prompt": ("等答", "Asked"),
    "handed": ("提交", "Handed in"),
    "told": ("得知", "Told"),
    "words": ("遗言", "Last words"),
    "out": ("出局", "Out"),
    "surrender": ("投降", "Surrender"),
    "people": ("换人", "People"),
    "announced": ("公告", "Announcement"),
    "other": ("其他", "Other"),
}


def _why(seen: Witness, records: Sequence[Seen]) -> list[Line]:
    """The explanations of what these records brought: outs, private answers, proposed cards, the end."""
    lines: list[Line] = []
    for record in records:
        event = record.event
        teller = Teller(seen)
        match event:
            case e.Out():
                why_out.out(teller, event.seat)
            case e.ToldOut() if not seen.full:
                why_out.out(teller, event.seats[0])
            case e.Told():
                why_told.told(teller, event.seat, record.day, seen.board.skill_ids[event.skill])
            case e.CardProposed():
                why_card.card(teller, event.seat, event.clause)
            case e.GameEnded():
                why_end.end(teller)
            case _:
                continue
        lines += [line for line in teller.lines if line not in lines]
    return lines


# --- sentences ----------------------------------------------------------------------------------------------------


def _of(seen: Witness, record: Seen) -> Witness:
    """A witness of one record alone."""
    one = Witness(seen.board, seen.full, seen.seat, seen.n, seen.personas)
    one.roles = seen.roles
    one.records = [record]
    return one


def _vote(t: Teller, r: Seen, ev: Any) -> None:
    teller = Teller(_of(t.seen, r))
    why_vote.vote(teller, ev.seat, BALLOTS[ev.ballot], getattr(ev, "ref", 0), r.day)
    t.lines += teller.lines


def _setup_ended(t: Teller, r: Seen, ev: e.SetupEnded) -> None:
    t.say(
        *(
            ("开局设置结束，从第零夜开始。", "Setup is over; play starts with night 0.")
            if ev.night
            else ("开局设置结束。", "Setup is over.")
        ),
        "W31",
        "G18",
    )


def _dealt(t: Teller, r: Seen, ev: e.Dealt) -> None:
    t.say("身份发定。", "The roles were dealt.", "W6")


def _opened(t: Teller, r: Seen, ev: e.DayOpened) -> None:
    t.say(
        f"第{ev.day}日开门，{_date(ev.closes_at)} {clock(ev.closes_at)} 关门。",
        f"Day {ev.day} opened; it closes {_date(ev.closes_at)} {clock(ev.closes_at)}.",
        "W16",
        "C20" if ev.extended else "",
    )


def _date(minute: int) -> str:
    """A game-local day as 11-24, by the civil calendar."""
    day = minute // 1440 + 719_468
    _era, doe = divmod(day, 146_097)
    yoe = (doe - doe // 1460 + doe // 36_524 - doe // 146_096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    month = (5 * doy + 2) // 153
    return f"{month + 3 if month < 10 else month - 9}-{doy - (153 * month + 2) // 5 + 1}"


def _closed(t: Teller, r: Seen, ev: e.DayClosed) -> None:
    t.say(f"第{ev.day}日关门，夜里的时限从这时算起。", f"Day {ev.day} closed; the night's windows count from here.", "W16", "C7")


def _moved(t: Teller, r: Seen, ev: e.DayMoved) -> None:
    zh, en = ("今日加速，", "The day is sped up; ") if ev.sped_up else ("", "")
    t.say(
        f"{zh}关门改在 {_date(ev.closes_at)} {clock(ev.closes_at)}。",
        f"{en}the close moves to {_date(ev.closes_at)} {clock(ev.closes_at)}.",
        "C21",
    )


def _announced(t: Teller, r: Seen, ev: e.Announced) -> None:
    if isinstance(ev.value, list):
        zh, en = (seats_zh(ev.value), seats_en(ev.value)) if ev.value else ("无人", "nobody")
    elif isinstance(ev.value, int) and not isinstance(ev.value, bool):
        zh, en = f"{ev.value}号", f"seat {ev.value}"
    else:
        zh, en = ("无人", "nobody") if ev.value == "none" else ("", "")
    skill = next((k for k in t.board.skills if k.zh == ev.kind), None)
    name = t.en.skill(skill.id) if skill is not None else _ANNOUNCED.get(ev.kind, ev.kind)
    t.say(
        f"公布：{ev.kind}{f' {zh}' if zh else ''}。",
        f"Announced: {name}{f': {en}' if en else ''}.",
        "C13",
        f"skill.{skill.id}" if skill is not None else "",
    )


def _counted(t: Teller, r: Seen, ev: e.Counted) -> None:
    zh, en = ("放逐", "Exile") if BALLOTS[ev.ballot] == "exile" else ("竞选", "Election")
    rows = sorted(ev.tally, key=lambda row: (-row[1], row[0]))
    counts = (
        "，".join(f"{seat}号{half(halves)}票" for seat, halves in rows) or "没有有效票",
        ", ".join(f"seat {seat} {half(halves)}" for seat, halves in rows) or "no votes",
    )
    t.say(f"{zh}计票：{counts[0]}。", f"{en} count: {counts[1]}.", "C16")


def _tie(t: Teller, r: Seen, ev: e.TieBroken) -> None:
    to = (f"，定为{ev.to}号", f"; seat {ev.to} it is") if ev.to else ("，无人出局", "; nobody goes out")
    how = ("由留档的随机流抽定", "by a recorded draw") if ev.why == "random" else ("看警长投了谁", "by the sheriff's vote")
    t.say(f"{seats_zh(ev.tied)}平票，{how[0]}{to[0]}。", f"A tie of {seats_en(ev.tied)}, broken {how[1]}{to[1]}.", "C16", t.ruling("tie"))


def _exile_due(t: Teller, r: Seen, ev: e.ExileDue) -> None:
    t.say(f"照票数该放逐{ev.seat}号。", f"By the count seat {ev.seat} is to be exiled.", "W10", "C16")


def _exile_moved(t: Teller, r: Seen, ev: e.ExileMoved) -> None:
    swap = next(k for k in t.board.skills if k.verb == "swap")
    zh, en = t.skill(swap.index)
    t.say(f"{zh}把放逐从{ev.seat}号换到{ev.to}号。", f"{en} moved the exile from seat {ev.seat} to seat {ev.to}.", f"skill.{swap.id}")


def _signed(t: Teller, r: Seen, ev: e.Signed) -> None:
    zh, en = PETITIONS[ev.kind]
    t.say(f"{ev.seat}号签名申请{zh}。", f"Seat {ev.seat} signed for {en}.", "C21")


def _passed(t: Teller, r: Seen, ev: e.PetitionPassed) -> None:
    zh, en = PETITIONS[ev.kind]
    t.say(
        f"{zh}申请成立：在场 {ev.living} 人，签了 {ev.signatures} 人。",
        f"The petition for {en} passed: {ev.signatures} of {ev.living} living signed.",
        "C21",
    )


def _surrender(t: Teller, r: Seen, ev: Any) -> None:
    if isinstance(ev, e.SurrenderProposed):
        t.say(
            f"{ev.seat}号提出投降，问{seats_zh(ev.asked)}。" if ev.asked else f"{ev.seat}号提出投降。",
            f"Seat {ev.seat} proposed to surrender.",
            "G16",
        )
    elif isinstance(ev, e.SurrenderAnswered):
        zh, en = ("同意", "agreed to") if ev.agree else ("不同意", "declined")
        t.say(f"{ev.seat}号{zh}投降。", f"Seat {ev.seat} {en} the surrender.", "G16")
    else:
        zh, en = {"agreed": ("全体同意", "all agreed"), "declined": ("有人不同意", "declined")}.get(ev.why, ("过时作罢", "lapsed"))
        t.say(f"投降一事：{zh}。", f"The surrender: {en}.", "G16")


def _out(t: Teller, r: Seen, ev: e.Out) -> None:
    zh, en = t.role(ev.seat)
    cause = t.zh.cause(ev.cause), t.en.cause(ev.cause)
    t.say(f"{ev.seat}号{zh}出局：{cause[0]}。", f"Seat {ev.seat}{en} is out: {cause[1]}.", "W11", "C10")


def _told_out(t: Teller, r: Seen, ev: e.ToldOut) -> None:
    if ev.seats:
        t.say(f"{seats_zh(ev.seats)}私下得知自己出局。", f"{seats_en(ev.seats).capitalize()} privately told of being out.", "C13", "C27")


def _faction_lost(t: Teller, r: Seen, ev: e.FactionLost) -> None:
    zh, en = t.faction(t.board.faction_ids[ev.faction])
    t.say(f"{zh}判负，不公布。", f"{en} judged lost, which is not announced.", ev.why, "C15")


def _ended(t: Teller, r: Seen, ev: e.GameEnded) -> None:
    zh, en = t.faction(t.board.faction_ids[ev.faction]) if ev.faction >= 0 else ("", "")
    t.say(f"本局结束：{f'{zh}获胜' if zh else '没有胜方'}。", f"The game is over: {f'{en} win' if en else 'nobody wins'}.", ev.why, "C14")


def _last_words(t: Teller, r: Seen, ev: e.LastWordsHanded) -> None:
    t.say(f"{ev.seat}号交了遗言，开门时公布。", f"Seat {ev.seat} handed in last words, published at the opening.", "C11")


def _submitted(t: Teller, r: Seen, ev: e.Submitted) -> None:
    if ev.targets is not None:
        t.chosen(r, ev)
        return
    by, name = t.who(ev.by), t.skill(ev.skill)
    t.say(f"{by[0]}放弃{name[0]}。", f"{by[1]} passed {name[1]}.", f"skill.{t.board.skill_ids[ev.skill]}", "C3")


def _withdrawn(t: Teller, r: Seen, ev: e.Withdrawn) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    t.say(f"{by[0]}先前交的{name[0]}收回。", f"{by[1]}: {name[1]} as handed in was taken back.", "C4")


def _lapsed(t: Teller, r: Seen, ev: e.Lapsed) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    zh, en = _CODES.get(ev.code, ("到时已不合法", "it was no longer legal"))
    t.say(f"{by[0]}的{name[0]}作废：{zh}。没有用掉。", f"{name[1]} of {by[1]} lapsed: {en}. Nothing was used up.", "C5", "C2")


def _stopped(t: Teller, r: Seen, ev: e.Stopped) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    t.say(f"{by[0]}的{name[0]}被冻住，没有用掉。", f"{name[1]} of {by[1]} was frozen; nothing was used up.", "B8")


def _voided_choice(t: Teller, r: Seen, ev: e.ChoiceVoided) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    t.say(f"导演作废了{by[0]}交的{name[0]}。", f"A director voided {name[1]} of {by[1]}.", "D2")


def _told(t: Teller, r: Seen, ev: e.Told) -> None:
    name, verb = t.skill(ev.skill), t.board.skills[ev.skill].verb
    value = ("失去了", "lost") if verb == "attack" else _BARE.get((verb, ev.value)) if isinstance(ev.value, bool) else t.value(ev.value)
    value = value or t.value(ev.value)
    zh, en = ("更正：", "corrected: ") if ev.corrects else ("", "")
    t.say(
        f"{ev.seat}号得知{name[0]}：{zh}{value[0]}。",
        f"Seat {ev.seat} was told by {name[1]}: {en}{value[1]}.",
        f"skill.{t.board.skill_ids[ev.skill]}",
        "D3" if ev.corrects else "C9",
    )


_BARE: Final[dict[tuple[str, bool], Pair]] = {
    ("charm", True): ("成了", "it held"),
    ("charm", False): ("没有成", "it did not hold"),
    ("freeze", True): ("被冻住了", "frozen"),
    ("order", True): ("今夜不能放弃", "it cannot be passed tonight"),
    ("fog", True): ("起了", "it rose"),
}
"""What a bare yes or no means, by the skill's verb."""


def _marked(t: Teller, r: Seen, ev: e.Marked) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    t.say(
        f"{by[0]}的{name[0]}今夜在{ev.target}号身上。",
        f"{name[1]} of {by[1]} stands over seat {ev.target} tonight.",
        f"skill.{t.board.skill_ids[ev.skill]}",
        "C4",
    )


def _struck(t: Teller, r: Seen, ev: e.Struck) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    t.say(
        f"{by[0]}的{name[0]}指向{ev.target}号，留到结算。",
        f"{name[1]} of {by[1]} is aimed at seat {ev.target}, to be settled later.",
        f"skill.{t.board.skill_ids[ev.skill]}",
        "C1",
    )


def _charmed(t: Teller, r: Seen, ev: e.Charmed) -> None:
    t.say(f"{ev.seat}号被催眠，一直有效。", f"Seat {ev.seat} is charmed for good.", "G5", "G10")


def _ordered(t: Teller, r: Seen, ev: e.ShieldOrdered) -> None:
    zh, en = t.skill(ev.skill)
    t.say(f"今夜{zh}不能放弃。", f"Tonight {en} cannot be passed.", "M17")


def _froze(t: Teller, r: Seen, ev: e.Froze) -> None:
    t.say(
        f"{ev.seat}号被冰冻：今夜以后各段里不强制的技能用不出。",
        f"Seat {ev.seat} is frozen: its optional skills of later stages fail tonight.",
        "B8",
    )


def _doomed(t: Teller, r: Seen, ev: e.Doomed) -> None:
    t.say(
        f"{ev.seat}号将在结算时出局，不算受伤。", f"Seat {ev.seat} will be out at the settlement, not by a strike.", *_verb(t, "holy_light")
    )


def _cursed(t: Teller, r: Seen, ev: e.Cursed) -> None:
    t.say(
        f"下一日{ev.target}号的放逐票加 {ev.amount}。",
        f"Seat {ev.target} gets {ev.amount} more exile votes the next day.",
        *_verb(t, "curse"),
    )


def _swapped(t: Teller, r: Seen, ev: e.Swapped) -> None:
    t.say(
        f"下一日{ev.first}号与{ev.second}号互换放逐。", f"The next day seats {ev.first} and {ev.second} exchange exile.", *_verb(t, "swap")
    )


def _verb(t: Teller, verb: str) -> list[str]:
    return [f"skill.{skill.id}" for skill in t.board.skills if skill.verb == verb]


def _gained(t: Teller, r: Seen, ev: e.SkillGained) -> None:
    zh, en = t.skill(ev.skill)
    t.say(f"{ev.seat}号得到{zh}。", f"Seat {ev.seat} gained {en}.", f"skill.{t.board.skill_ids[ev.skill]}")


def _lost(t: Teller, r: Seen, ev: e.SkillLost) -> None:
    by, name = t.who(ev.holder), t.skill(ev.skill)
    t.say(f"{by[0]}失去{name[0]}。", f"{by[1]} lost {name[1]}.", f"skill.{t.board.skill_ids[ev.skill]}")


def _joined(t: Teller, r: Seen, ev: e.Joined) -> None:
    name = t.skill(ev.skill)
    faction = t.faction(t.board.faction_ids[ev.faction] if ev.faction >= 0 else "")
    t.say(
        f"{ev.seat}号以{name[0]}指{ev.host}号，归入{faction[0]}。",
        f"Seat {ev.seat} named seat {ev.host} by {name[1]} and joined {faction[1]}.",
        f"skill.{t.board.skill_ids[ev.skill]}",
        "M4",
        "G3",
        "B1",
    )


def _heretics(t: Teller, r: Seen, ev: e.HereticsChosen) -> None:
    t.say(
        f"{ev.seat}号圈定异端：{seats_zh(ev.targets)}。",
        f"Seat {ev.seat} marked as heretics {seats_en(ev.targets)}.",
        *_verb(t, "heretics"),
    )


def _acquainted(t: Teller, r: Seen, ev: e.Acquainted) -> None:
    zh, en = t.faction(t.board.faction_ids[ev.faction])
    t.say(f"{ev.seat}号得知同属{zh}的是{seats_zh(ev.others)}。", f"Seat {ev.seat} was told who shares {en}: {seats_en(ev.others)}.", "W9")


def _den(t: Teller, r: Seen, ev: e.DenJoined) -> None:
    zh, en = t.skill(ev.skill)
    t.say(f"{ev.seat}号因{zh}进了群。", f"Seat {ev.seat} joined the den by {en}.", f"skill.{t.board.skill_ids[ev.skill]}", "W9")


def _stage(t: Teller, r: Seen, ev: e.StageClosed) -> None:
    """A stage's name is its title; its clause stands with what it executed."""


def _settled(t: Teller, r: Seen, ev: e.NightSettled) -> None:
    t.say(f"第{ev.night}夜结算。", f"Night {ev.night} was settled.", "W18", *(f"settle.{n}" for n in range(1, len(t.board.settlement) + 1)))


def _void(t: Teller, r: Seen, ev: e.Voided) -> None:
    name, by = t.skill(ev.skill), t.skill(ev.by)
    t.say(
        f"{name[0]}指{ev.target}号落空：有{by[0]}。",
        f"{name[1]} on seat {ev.target} came to nothing: {by[1]}.",
        *_line_of(t, ev.skill),
        f"skill.{t.board.skill_ids[ev.by]}",
    )


def _line_of(t: Teller, skill: int) -> list[str]:
    """The settlement's clauses about a skill."""
    name = t.board.skill_ids[skill]
    return [f"settle.{n}" for n, line in enumerate(t.board.settlement, 1) if line.skill == name or name in line.skills]


def _absorbed(t: Teller, r: Seen, ev: e.Absorbed) -> None:
    name, by = t.skill(ev.skill), t.skill(ev.by)
    t.say(
        f"{name[0]}指{ev.target}号，被{ev.holder}号的{by[0]}吸收。",
        f"{name[1]} on seat {ev.target} was absorbed by {by[1]} of seat {ev.holder}.",
        *_line_of(t, ev.skill),
        f"skill.{t.board.skill_ids[ev.by]}",
    )


def _strike_moved(t: Teller, r: Seen, ev: e.StrikeMoved) -> None:
    zh, en = t.skill(ev.skill)
    t.say(f"{zh}从{ev.holder}号移到{ev.target}号身上。", f"{en} moved from seat {ev.holder} to seat {ev.target}.", *_verb(t, "counter"))


def _prompt(t: Teller, r: Seen, ev: e.PromptOpened) -> None:
    zh, en = t.skill(ev.skill)
    t.say(
        f"等{ev.seat}号答{zh}，{clock(ev.until)} 止。",
        f"Seat {ev.seat} is asked about {en} until {clock(ev.until)}.",
        f"skill.{t.board.skill_ids[ev.skill]}",
        "C22",
    )


def _answered(t: Teller, r: Seen, ev: e.PromptAnswered) -> None:
    name = t.skill(ev.skill)
    zh, en = (f"{ev.target}号", f"seat {ev.target}") if ev.target > 0 else ("用", "yes") if ev.target == 0 else ("不用", "no")
    silent = ("（到时没有答）", " (nobody answered)") if ev.silent else ("", "")
    t.say(
        f"{ev.seat}号答{name[0]}：{zh}{silent[0]}。",
        f"Seat {ev.seat} answered {name[1]}: {en}{silent[1]}.",
        f"skill.{t.board.skill_ids[ev.skill]}",
        "C22",
    )


def _kept(t: Teller, r: Seen, ev: e.HandoverKept) -> None:
    zh, en = (f"交给{ev.target}号", f"to seat {ev.target}") if ev.target else ("撕掉", "torn")
    t.say(f"{ev.seat}号的警徽已定：{zh}，等轮到时办。", f"Seat {ev.seat} has settled its badge: {en}, when its turn comes.", "W14", "C22")


def _sheriff(t: Teller, r: Seen, ev: e.SheriffChanged) -> None:
    zh, en = (f"警徽归{ev.seat}号", f"The badge is seat {ev.seat}'s") if ev.seat else ("从此没有警长", "There is no sheriff any more")
    t.say(f"{zh}。", f"{en}.", "W13")


def _stayed(t: Teller, r: Seen, ev: e.Stayed) -> None:
    zh, en = t.skill(ev.skill)
    t.say(
        f"{ev.seat}号以{zh}留在场上，此后不能投票。",
        f"Seat {ev.seat} stayed by {en} and votes no more.",
        f"skill.{t.board.skill_ids[ev.skill]}",
    )


def _one_proposed(t: Teller, r: Seen, ev: e.CardProposed) -> None:
    """Said together, see `_proposed`."""


def _proposed(t: Teller, cards: Sequence[e.CardProposed]) -> None:
    """What the platform proposed at once: a line for each colour and clause."""
    kinds: dict[tuple[str, str], list[int]] = {}
    for card in cards:
        kinds.setdefault((card.colour, card.clause), []).append(card.seat)
    for (colour, clause), seats in kinds.items():
        zh, en = COLOURS[colour]
        t.say(
            f"系统为{seats_zh(seats)}拟{zh}（{clause}），等导演定。",
            f"The platform proposed a {en} ({clause}) for {seats_en(seats)}.",
            f"conduct.{clause}",
            "P6",
        )


def _card(t: Teller, r: Seen, ev: Any) -> None:
    zh, en = COLOURS[ev.colour]
    done = ("撤回", "withdrawn from") if isinstance(ev, e.CardWithdrawn) else ("发给", "dealt to")
    t.say(
        f"{zh}一张{done[0]}{ev.seat}号，条款 {ev.clause}。",
        f"A {en} was {done[1]} seat {ev.seat}, clause {ev.clause}.",
        f"conduct.{ev.clause}",
        "P5" if isinstance(ev, e.CardWithdrawn) else "P1",
    )


def _red_pending(t: Teller, r: Seen, ev: e.RedPending) -> None:
    t.say(f"{ev.seat}号已被罚下，计票之后出局。", f"Seat {ev.seat} is sent off and goes out after the count.", "B19", "P3")


def _flagged(t: Teller, r: Seen, ev: e.Flagged) -> None:
    t.say(
        f"{ev.seat}号的帖子里有疑点：“{ev.words}”。", f"A post of seat {ev.seat} is suspected: {ev.words!r}.", f"conduct.{ev.clause}", "P7"
    )


def _substituted(t: Teller, r: Seen, ev: e.Substituted) -> None:
    t.say(f"{ev.seat}号换了演员。", f"Another player took over seat {ev.seat}.", "C23")


def _assistant(t: Teller, r: Seen, ev: e.AssistantGiven) -> None:
    t.say(f"{ev.seat}号有了场助。", f"Seat {ev.seat} got an assistant.", "W25")


def _acted(t: Teller, r: Seen, ev: e.DirectorActed) -> None:
    zh, en = _ACTS.get(ev.act, (ev.act, ev.act))
    t.say(f"导演{zh}，理由：{ev.reason}。", f"A director {en}, reason: {ev.reason}.", "D2")


def _limit(t: Teller, r: Seen, ev: e.LimitMoved) -> None:
    t.say(f"时限改到 {_date(ev.until)} {clock(ev.until)}。", f"A limit moved to {_date(ev.until)} {clock(ev.until)}.", "D2")


def _restored(t: Teller, r: Seen, ev: e.Restored) -> None:
    t.say(f"{ev.seat}号复原在场。", f"Seat {ev.seat} is back in the game.", "D2", "C25")


def _paused(t: Teller, r: Seen, ev: Any) -> None:
    t.say(*(("本局暂停。", "The game is paused.") if isinstance(ev, e.Paused) else ("本局继续。", "The game goes on.")), "D5")


def _undone(t: Teller, r: Seen, ev: e.Undone) -> None:
    t.say("上一笔撤回。", "The last step was taken back.", "D4")


def _secret(t: Teller, r: Seen, ev: e.SecretOpened) -> None:
    t.say("密钥已开，发牌与抽签人人可以重算。", "The secret is open: everybody can check the deal and every draw.", "W23")


_TELL: Final[dict[type, tuple[str, Maker]]] = {
    e.SetupEnded: ("setup", _setup_ended),
    e.Dealt: ("setup", _dealt),
    e.DayOpened: ("day", _opened),
    e.DayClosed: ("closed", _closed),
    e.DayMoved: ("announced", _moved),
    e.Announced: ("announced", _announced),
    e.VoteCast: ("vote", _vote),
    e.VoteChanged: ("change", _vote),
    e.VoteRefused: ("vote", _vote),
    e.VoteVoided: ("vote", _vote),
    e.Counted: ("counted", _counted),
    e.TieBroken: ("counted", _tie),
    e.ExileDue: ("counted", _exile_due),
    e.ExileMoved: ("counted", _exile_moved),
    e.Signed: ("sign", _signed),
    e.PetitionPassed: ("passed", _passed),
    e.SurrenderProposed: ("surrender", _surrender),
    e.SurrenderAnswered: ("surrender", _surrender),
    e.SurrenderEnded: ("surrender", _surrender),
    e.Out: ("out", _out),
    e.ToldOut: ("out", _told_out),
    e.FactionLost: ("out", _faction_lost),
    e.GameEnded: ("ended", _ended),
    e.LastWordsHanded: ("words", _last_words),
    e.Submitted: ("handed", _submitted),
    e.Withdrawn: ("handed", _withdrawn),
    e.Lapsed: ("told", _lapsed),
    e.Stopped: ("told", _stopped),
    e.ChoiceVoided: ("director", _voided_choice),
    e.Told: ("told", _told),
    e.Marked: ("stage", _marked),
    e.Struck: ("stage", _struck),
    e.Charmed: ("stage", _charmed),
    e.ShieldOrdered: ("stage", _ordered),
    e.Froze: ("stage", _froze),
    e.Doomed: ("stage", _doomed),
    e.Cursed: ("stage", _cursed),
    e.Swapped: ("stage", _swapped),
    e.SkillGained: ("told", _gained),
    e.SkillLost: ("told", _lost),
    e.Joined: ("setup", _joined),
    e.HereticsChosen: ("setup", _heretics),
    e.Acquainted: ("setup", _acquainted),
    e.DenJoined: ("told", _den),
    e.StageClosed: ("stage", _stage),
    e.NightSettled: ("settled", _settled),
    e.Voided: ("settled", _void),
    e.Absorbed: ("settled", _absorbed),
    e.StrikeMoved: ("settled", _strike_moved),
    e.PromptOpened: ("prompt", _prompt),
    e.PromptAnswered: ("answer", _answered),
    e.HandoverKept: ("answer", _kept),
    e.SheriffChanged: ("counted", _sheriff),
    e.Stayed: ("answer", _stayed),
    e.CardProposed: ("card", _one_proposed),
    e.CardDealt: ("card", _card),
    e.CardWithdrawn: ("card", _card),
    e.RedPending: ("card", _red_pending),
    e.Flagged: ("card", _flagged),
    e.Substituted: ("people", _substituted),
    e.AssistantGiven: ("people", _assistant),
    e.DirectorActed: ("director", _acted),
    e.LimitMoved: ("director", _limit),
    e.Restored: ("director", _restored),
    e.Paused: ("director", _paused),
    e.Resumed: ("director", _paused),
    e.Undone: ("director", _undone),
    e.SecretOpened: ("other", _secret),
}
"""What is told of each event: the kind of step it makes, and its sentence. Draws, counters and what only schedules are not told."""


__all__ = ["KINDS", "Arrow", "Step", "told"]
