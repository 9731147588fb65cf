"""Why did a private answer say so? What was chosen, when it was answered, and what it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bansha.referee import events as e
from bansha.sight.teller import Teller, moment, seats_en, seats_zh
from bansha.sight.witness import Seen

_ANSWERS: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "read": ("答复只看目标当时所属的阵营", "the answer tells the target's faction at that moment", ("C9",)),
    "read_some": ("所指之中随机抽出几个，答其确切阵营", "some of those named are drawn and their exact factions told", ("G11",)),
    "charm": ("答复说的是催眠成了没有", "the answer says whether the charm held", ("G5",)),
    "freeze": ("【冰冻】一段截止时告知被冻的人", "who is frozen is told when the stage of the freeze closes", ("B8",)),
    "order": ("盾控一生效，守护当即得知", "the guard is told as soon as the shield is ordered", ("M17",)),
    "fog": ("终夜雾一起，在场的预言家与女巫都得知，不论手里有什么", "living seer and witch are told of the fog", ("M16",)),
    "join": ("只告知归入的阵营，不说别的", "only the faction joined is told", ("M4", "G3", "B1")),
    "attack": ("阵营判负，失去这项技能，全群得知", "the faction was judged lost, its skill went with it, the den is told", ("C15", "G15")),
}
"""What each verb's private answer says: → (zh, en, clauses)."""


def told(t: Teller, seat: int, night: int, skill: str) -> None:
    """The trace of private answers to a seat that the asker knows of."""
    for index, record, event in t.seen.of(e.Told):
        wanted = night in (-1, record.day) and skill in ("", t.board.skill_ids[event.skill])
        if event.seat == seat and wanted:
            _answer(t, index, record, event)
    if not t.lines:
        t.say(
            f"{seat}号有没有得到过答复、说了什么，不是你可以知道的，或者从来没有。",
            f"Whether seat {seat} was told anything of the kind is not yours to know, or it never was.",
            "C9",
            "V8",
        )


def _answer(t: Teller, index: int, record: Seen, event: e.Told) -> None:
    skill = t.board.skills[event.skill]
    clause = f"skill.{skill.id}"
    start = t.tonight(index)
    if event.corrects:
        zh, en = moment(record)
        value = t.value(event.value)
        t.say(
            f"{zh}，导演更正{t.skill(event.skill)[0]}的答复：{value[0]}。",
            f"{en}: a director corrected the answer of {t.skill(event.skill)[1]}: {value[1]}.",
            "D3",
        )
        return
    targets = _own_choice(t, index, start, event)
    when = moment(record)
    value = t.value(event.value)
    name = t.skill(event.skill)
    what = _ANSWERS.get(skill.verb)
    if skill.verb == "vision":
        shown = t.zh.skills(skill.raw.shows), t.en.skills(skill.raw.shows)
        by_seat = skill.raw.order == "seat"
        what = (
            f"它列出当夜在它之前{shown[0]}所指的人，" + ("按座位次序，每人一次" if by_seat else "按指定的先后"),
            f"it lists whom {shown[1]} named before it tonight, " + ("in seat order, each once" if by_seat else "in the order made"),
            ("M2", "B9", "C5"),
        )
    zh, en, clauses = what or ("", "", ())
    bare = event.value is True and skill.verb in ("freeze", "order", "fog")
    said = ("", "") if bare else (f"，答复：{value[0]}", f" answered: {value[1]}")
    t.say(
        f"{when[0]}，{name[0]}{said[0] or '告知'}。{zh}。",
        f"{when[1]}: {name[1]}{said[1] or ' was made known'}; {en}.",
        clause,
        *clauses,
        "C9",
    )
    if t.seen.full:
        _truth(t, index, start, record, event, targets)


def _own_choice(t: Teller, index: int, start: int, event: e.Told) -> list[int]:
    """The choice this answer answers, said as its own line; its targets."""
    used = [ev for i, _, ev in t.seen.of(e.Used, index) if i >= start and ev.skill == event.skill and ev.holder == event.seat]
    handed = [
        (r, ev)
        for i, r, ev in t.seen.of(e.Submitted, index)
        if i >= start and ev.skill == event.skill and ev.holder == event.seat and ev.targets
    ]
    if not handed:
        setup = t.board.skills[event.skill].setup >= 0
        handed = [
            (r, ev)
            for _, r, ev in t.seen.of(e.Submitted, index)
            if setup and ev.skill == event.skill and ev.holder == event.seat and ev.targets
        ]
    if handed:
        t.chosen(*handed[-1], replaced=len(handed) - 1)
        return list(handed[-1][1].targets or [])
    if used and used[-1].targets:
        name = t.skill(event.skill)
        t.say(
            f"{event.seat}号没有交{name[0]}，由留档的随机流抽中{seats_zh(used[-1].targets)}。",
            f"Seat {event.seat} handed in no {name[1]}; the recorded stream drew {seats_en(used[-1].targets)}.",
            "C3",
            "B16",
        )
        return list(used[-1].targets)
    return []


def _truth(t: Teller, index: int, start: int, record: Seen, event: e.Told, targets: Sequence[int]) -> None:
    """What lay behind an answer, for those who know everything."""
    skill = t.board.skills[event.skill]
    clause = f"skill.{skill.id}"
    if skill.verb in ("read", "read_some", "join"):
        for target in targets:
            index_ = record.factions[target]
            zh, en = t.faction(t.board.faction_ids[index_] if index_ >= 0 else "")
            by = t.who(target)
            joined = [ev for _, _, ev in t.seen.of(e.Joined, index) if ev.seat == target]
            how = ("", "")
            if joined:
                name = t.skill(joined[-1].skill)
                how = f"，由{name[0]}归入", f", joined by {name[1]}"
            t.say(
                f"{by[0]}当时属{zh}{how[0]}。",
                f"{by[1]} then belonged to {en}{how[1]}.",
                clause,
                *(("M4", "G2", "B1") if joined or skill.verb == "join" else ()),
            )
    elif skill.verb == "vision":
        shown = {t.board.skill_index[name] for name in skill.raw.shows}
        for i, _, strike in t.seen.of(e.Struck, index):
            if i > start and strike.skill in shown:
                by, name = t.who(strike.holder), t.skill(strike.skill)
                t.say(
                    f"{by[0]}的{name[0]}指{strike.target}号。",
                    f"{name[1]} of {by[1]} named seat {strike.target}.",
                    f"skill.{t.board.skill_ids[strike.skill]}",
                )
    elif skill.verb == "charm" and event.value is False:
        for i, _, mark in t.seen.of(e.Marked, index):
            if i > start and t.board.skill_ids[mark.skill] in skill.raw.blocked_by and mark.target in targets:
                by, name = t.who(mark.holder), t.skill(mark.skill)
                t.say(
                    f"{by[0]}的{name[0]}护着{mark.target}号。",
                    f"{name[1]} of {by[1]} stood over seat {mark.target}.",
                    f"skill.{t.board.skill_ids[mark.skill]}",
                )
    elif skill.verb in ("freeze", "order", "fog"):
        for i, record_, choice in t.seen.of(e.Submitted, index):
            if i > start and choice.skill == event.skill and choice.targets is not None and t.stood(record_, choice):
                t.chosen(record_, choice)
    elif skill.verb == "attack":
        for _, when, lost in t.seen.of(e.FactionLost, index):
            zh, en = t.faction(t.board.faction_ids[lost.faction])
            told = moment(when)
            t.say(f"{told[0]}，{zh}判负。", f"{told[1]}: {en} was judged lost.", lost.why, "C15")
