"""Why is this seat out? The vote, the card, the shot or the blow that took it, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from bansha.referee import events as e
from bansha.referee.board import EXILE
from bansha.referee.refusals import clock
from bansha.rulesets.phrases import COLOURS
from bansha.sight.teller import REDS, Teller, half, moment, seats_en, seats_zh
from bansha.sight.witness import Seen


def out(t: Teller, seat: int) -> None:
    """The trace of an out, or that nothing says so."""
    known, restored = _known_out(t, seat)
    if known is None:
        t.say(
            f"就公开的和你所知的，{seat}号在场" + ("：导演判其复原。" if restored else "。"),
            f"By all you may know seat {seat} is in the game" + (": a director restored it." if restored else "."),
            *(("C25", "D2") if restored else ("W11", "C13")),
        )
        return
    record = t.seen.records[known]
    event = record.event
    if not isinstance(event, e.Out):
        _out_at_night(t, seat, record)
        return
    cause = event.cause
    if cause == "exile":
        _exiled(t, seat, known)
    elif cause == "red_card":
        _sent_off(t, seat, known)
    elif cause == "director":
        _by_director(t, seat, known)
    else:
        _by_skill(t, seat, known, cause)


def _known_out(t: Teller, seat: int) -> tuple[int | None, bool]:
    """Index of the record by which the asker knows of the out, and whether one was undone since."""
    found: int | None = None
    restored = False
    for index, record in enumerate(t.seen.records):
        event = record.event
        match event:
            case e.Out() if event.seat == seat:
                found, restored = index, False
            case e.ToldOut() if seat in event.seats and found is None:
                found, restored = index, False
            case e.Announced() if event.kind == "出局" and seat in event.value and found is None:
                found, restored = index, False
            case e.Restored() if event.seat == seat:
                found, restored = None, True
            case _:
                pass
    return found, restored


def _out_at_night(t: Teller, seat: int, record: Seen) -> None:
    """Known by the list at the opening, or because the seat itself was told: the cause is not."""
    zh, en = moment(record)
    if isinstance(record.event, e.ToldOut):
        t.say(f"{zh}，你得知自己出局。", f"{en}: you were told that you are out.", "C13", "C27")
        night = record.day
    else:
        night = record.day - 1
        t.say(
            f"{zh}开门公示的出局名单里有{seat}号，是第{night}夜出局的；因何出局、是什么身份，都不公布。",
            f"{en}: the list at the opening names seat {seat}, out in night {night}; neither cause nor role is told.",
            "C13",
            "C9",
        )
    for _, other, event in t.seen.of(e.Submitted):
        if other.day == night and event.targets and seat in event.targets and t.stood(other, event):
            t.chosen(other, event)
    for _, other, event in t.seen.of(e.Told):
        if other.day == night and isinstance(event.value, list) and seat in event.value:
            zh, en = t.skill(event.skill)
            t.say(
                f"第{night}夜{zh}的答复里有{seat}号。",
                f"In night {night} the answer of {en} named seat {seat}.",
                f"skill.{t.board.skill_ids[event.skill]}",
            )


def _exiled(t: Teller, seat: int, index: int) -> None:
    counts = [(i, r, ev) for i, r, ev in t.seen.of(e.Counted, index) if ev.ballot == EXILE]
    top: list[int] = []
    if counts:
        start, record, event = counts[-1]
        top = event.top
        _count(t, record, event)
        _tie(t, start, index, top)
        _moved(t, seat, start, index, top)
    for i, _, answer in t.seen.of(e.PromptAnswered, index):
        skill = t.board.skills[answer.skill]
        if answer.seat == seat and skill.verb == "play_dumb" and counts and answer.target < 0 and i > counts[-1][0]:
            zh, en = t.skill(answer.skill)
            how = ("到时没有答复", "let the time pass") if answer.silent else ("答复不用", "declined")
            t.say(
                f"{seat}号可以用{zh}留下，{how[0]}。",
                f"Seat {seat} could have stayed by {en} and {how[1]}.",
                f"skill.{skill.id}",
                "B20",
                "C22",
                *t.after("play_dumb"),
            )
    record = t.seen.records[index]
    at = clock(record.at)
    t.say(
        f"第{record.day}天的放逐（{at}）：{seat}号出局，当即公示。",
        f"Exile of day {record.day} ({at}): seat {seat} is out, announced at once.",
        "W10",
        "C16",
        "C13",
    )


def _count(t: Teller, record: Seen, event: e.Counted) -> None:
    """The tally with its voters, curses and weights."""
    voters: dict[int, list[int]] = {}
    for voter, target in enumerate(record.votes):
        if target >= 0:
            voters.setdefault(target, []).append(voter)
    parts = [
        (
            f"{seat}号{half(halves)}票" + (f"（{seats_zh(voters[seat])}投）" if seat in voters else ""),
            f"seat {seat} {half(halves)}" + (f" (from {seats_en(voters[seat])})" if seat in voters else ""),
        )
        for seat, halves in sorted(event.tally, key=lambda item: (-item[1], item[0]))
    ]
    if 0 in voters:
        parts.append((f"弃权{seats_zh(voters[0])}", f"abstaining {seats_en(voters[0])}"))
    t.say(
        f"第{record.day}天{clock(record.at)}关门计票：" + ("，".join(zh for zh, _ in parts) or "没有票") + "。",
        f"Count at the close of day {record.day} ({clock(record.at)}): " + ("; ".join(en for _, en in parts) or "no votes") + ".",
        "C16",
    )
    opened = 0
    for index, _, _ in t.seen.of(e.DayOpened):
        if t.seen.records[index].at <= record.at:
            opened = index
    for skill in t.board.skills:
        if skill.verb != "curse":
            continue
        for index, _, said in t.seen.of(e.Announced):
            if index > opened and said.kind == skill.zh and t.seen.records[index].at <= record.at:
                t.say(
                    f"其中{said.value}号因{t.zh.quoted(skill.id)}加{skill.amount}票。",
                    f"Seat {said.value} has {skill.amount} more by {t.en.quoted(skill.id)}.",
                    f"skill.{skill.id}",
                    "C16",
                )
    if t.board.weight != 2:
        sheriff = _sheriff(t, record)
        if sheriff and record.votes and record.votes[sheriff] > 0:
            t.say(
                f"警长{sheriff}号的放逐票计{half(t.board.weight)}票。",
                f"The exile vote of the sheriff, seat {sheriff}, counts {half(t.board.weight)}.",
                "W13",
                "C16",
            )


def _sheriff(t: Teller, record: Seen) -> int:
    """Who was publicly sheriff before the close of this count."""
    sheriff = 0
    for _, said, event in t.seen.of(e.Announced):
        if event.kind == "警长" and said.at < record.at:
            sheriff = 0 if event.value == "none" else event.value
    return sheriff


def _tie(t: Teller, start: int, index: int, top: Sequence[int]) -> None:
    if len(top) < 2:
        return
    for i, _, event in t.seen.of(e.TieBroken, index):
        if i < start or not event.to:
            continue
        if event.why == "random":
            t.say(
                f"{seats_zh(top)}并列第一，由留档的随机流抽中{event.to}号。",
                f"{seats_en(top).capitalize()} tied for the most; the recorded stream drew seat {event.to}.",
                "C16",
                t.ruling("tie"),
            )
        else:
            t.say(
                f"{seats_zh(top)}并列第一，警长投的是{event.to}号，由TA出局；警徽从此没有。",
                f"{seats_en(top).capitalize()} tied for the most; the sheriff had voted for seat {event.to}; the badge is lost.",
                "C16",
                t.ruling("tie_break_scope"),
            )


def _moved(t: Teller, seat: int, start: int, index: int, top: Sequence[int]) -> None:
    """隐患: seen by its event, or because the count names one and the exile another."""
    swap = next((skill for skill in t.board.skills if skill.verb == "swap"), None)
    if swap is None or not top or seat in top:
        return
    name = t.zh.quoted(swap.id), t.en.quoted(swap.id)
    ids = (f"skill.{swap.id}", t.ruling("swap"))
    for i, _, event in t.seen.of(e.ExileMoved, index):
        if i > start and event.to == seat:
            by = t.who(event.by)
            handed = [(r, ev) for _, r, ev in t.seen.of(e.Submitted, start) if ev.skill == swap.index and ev.holder == event.by]
            if handed:
                t.chosen(*handed[-1])
            t.say(
                f"{by[0]}前一夜的{name[0]}换了{event.seat}号与{event.to}号：放逐从{event.seat}号移到{event.to}号。",
                f"{name[1]} of {by[1]} the night before exchanged seats {event.seat} and {event.to}: the exile moved.",
                *ids,
            )
            return
    t.say(
        f"票数第一的是{seats_zh(top)}，公示放逐的却是{seat}号：本板里只有{name[0]}会这样。",
        f"The most votes were for {seats_en(top)}, yet seat {seat} was exiled: on this board only {name[1]} does that.",
        *ids,
    )


def _sent_off(t: Teller, seat: int, index: int) -> None:
    for _, record, event in t.seen.of(e.CardDealt, index):
        if event.seat == seat:
            zh, en = moment(record)
            colour = COLOURS[event.colour]
            t.say(
                f"{zh}，导演给{seat}号{colour[0]}，引条款{event.clause}。",
                f"{en}: a director dealt seat {seat} a {colour[1]}, citing {event.clause}.",
                f"conduct.{event.clause}",
                "P1",
            )
    cards = t.rules.cards
    zh, en = moment(t.seen.records[index])
    t.say(
        f"{cards.blue_per_yellow}蓝折一黄，{cards.yellow_per_red}黄折一红；{zh}，红牌使{seat}号出局，没有遗言。",
        f"{cards.blue_per_yellow} blue make a yellow, {cards.yellow_per_red} yellow a red; {en}: "
        f"by red card seat {seat} is out, without last words.",
        "P2",
        "P3",
        "C12",
        REDS[t.board.reds],
    )


def _by_director(t: Teller, seat: int, index: int) -> None:
    acts = [ev for _, _, ev in t.seen.of(e.DirectorActed, index) if ev.act == "out" and ev.value == seat]
    zh, en = moment(t.seen.records[index])
    why = (f"，理由：{acts[-1].reason}", f", reason: {acts[-1].reason}") if acts else ("", "")
    t.say(f"{zh}，导演判{seat}号出局{why[0]}。", f"{en}: a director judged seat {seat} out{why[1]}.", "C25", "D2")


# outs by skill


def _by_skill(t: Teller, seat: int, index: int, cause: str) -> None:
    skill = t.board.skills[t.board.skill_index[cause]]
    if skill.verb == "last_shot":
        _shot(t, seat, index)
        return
    for number, line in enumerate(t.board.settlement, 1):
        clause = f"settle.{number}"
        if line.line == "attack" and line.skill == cause:
            _killed(t, seat, index, skill.index, line.voided_by, clause)
            return
        if line.line == "strikes" and cause in line.skills:
            _struck(t, seat, index, skill.index, clause)
            return
        if line.line == "doomed" and line.skill == cause:
            _doomed(t, seat, index, skill.index, clause)
            return
    zh, en = moment(t.seen.records[index])
    name = t.skill(skill.index)
    t.say(f"{zh}，因{name[0]}出局。", f"{en}: out by {name[1]}.", f"skill.{cause}")


def _choices(t: Teller, index: int, skill: int, seat: int) -> None:
    """Who chose this seat for this skill tonight, or that chance did."""
    start = t.tonight(index)
    strikes = [ev.holder for i, _, ev in t.seen.of(e.Struck, index) if i > start and ev.skill == skill and ev.target == seat]
    for holder in dict.fromkeys(strikes):
        handed = [
            (r, ev) for i, r, ev in t.seen.of(e.Submitted, index) if i > start and ev.holder == holder and ev.skill == skill and ev.targets
        ]
        if handed:
            t.chosen(*handed[-1], replaced=len(handed) - 1)
        else:
            by, name = t.who(holder), t.skill(skill)
            t.say(
                f"{by[0]}没有交{name[0]}，由留档的随机流抽中{seat}号。",
                f"{by[1]} handed in no {name[1]}; the recorded stream drew seat {seat}.",
                "C3",
            )


def _killed(t: Teller, seat: int, index: int, skill: int, shields: Sequence[str], clause: str) -> None:
    _choices(t, index, skill, seat)
    start = t.tonight(index)
    over: list[int] = []
    for name in shields:
        number = t.board.skill_index[name]
        for i, _, mark in t.seen.of(e.Marked, index):
            if i <= start or mark.skill != number:
                continue
            zh, en = t.skill(number)
            by = t.who(mark.holder)
            if mark.target == seat:
                over.append(number)
                t.say(f"当夜{by[0]}的{zh}在{seat}号身上。", f"{en} of {by[1]} stood over seat {seat}.", f"skill.{name}")
            else:
                t.say(
                    f"当夜{by[0]}的{zh}在{mark.target}号身上，不在{seat}号身上。",
                    f"{en} of {by[1]} stood over seat {mark.target}, not over seat {seat}.",
                    f"skill.{name}",
                )
    zh, en = moment(t.seen.records[index])
    killed = t.skill(skill)
    if over and len(over) > 1:
        why = "几重叠在一人身上，反而不作数", "being two of them they undo each other"
    elif shields:
        why = "没有什么护住", "nothing protected"
    else:
        why = "什么也挡不住", "nothing can stop it for"
    t.say(
        f"{zh}结算到{killed[0]}：{why[0]}{'' if over else f'{seat}号'}，{seat}号出局。",
        f"{en}, settling {killed[1]}: {why[1]}{'' if over else f' seat {seat}'}; seat {seat} is out.",
        clause,
        "C1",
    )


def _struck(t: Teller, seat: int, index: int, skill: int, clause: str) -> None:
    start = t.tonight(index)
    strikes = [(i, r, ev) for i, r, ev in t.seen.of(e.Struck, index) if i > start]
    told: set[tuple[int, int]] = set()
    moved_to_seat = {ev.holder for i, _, ev in t.seen.of(e.StrikeMoved, index) if i > start and ev.target == seat}
    for _, _, strike in strikes:
        if strike.target == seat or strike.target in moved_to_seat:
            if (strike.skill, strike.target) not in told:
                _choices(t, index, strike.skill, strike.target)
            told.add((strike.skill, strike.target))
    for i, _, moved in t.seen.of(e.StrikeMoved, index):
        if i > start and seat in (moved.holder, moved.target):
            zh, en = t.skill(moved.skill)
            counter = next(k for k in t.board.skills if k.verb == "counter")
            t.say(
                f"{moved.holder}号的{t.zh.quoted(counter.id)}把{zh}移到{moved.target}号身上。",
                f"{t.en.quoted(counter.id)} of seat {moved.holder} moved {en} to seat {moved.target}.",
                f"skill.{counter.id}",
                clause,
            )
    for i, _, taken in t.seen.of(e.Absorbed, index):
        if i > start and taken.target == seat:
            zh, en = t.skill(taken.by)
            by = t.who(taken.holder)
            t.say(
                f"{by[0]}的{zh}替{seat}号吸收了{t.skill(taken.skill)[0]}。",
                f"{en} of {by[1]} absorbed {t.skill(taken.skill)[1]} for seat {seat}.",
                f"skill.{t.board.skill_ids[taken.by]}",
                t.ruling("torch_absorbs"),
                clause,
            )
    for i, _, void in t.seen.of(e.Voided, index):
        if i > start and void.target == seat:
            zh, en = t.skill(void.by)
            t.say(
                f"{t.skill(void.skill)[0]}因{zh}对{seat}号无效。",
                f"{t.skill(void.skill)[1]} did nothing to seat {seat} because of {en}.",
                f"skill.{t.board.skill_ids[void.by]}",
                clause,
            )
    zh, en = moment(t.seen.records[index])
    name = t.skill(skill)
    t.say(
        f"{zh}结算，{name[0]}落在{seat}号身上：{seat}号出局，与当夜其他中者同时。",
        f"{en}, settling: {name[1]} landed on seat {seat}, which is out together with all others struck tonight.",
        clause,
        f"skill.{t.board.skill_ids[skill]}",
    )


def _doomed(t: Teller, seat: int, index: int, skill: int, clause: str) -> None:
    start = t.tonight(index)
    for i, record, event in t.seen.of(e.Submitted, index):
        if i > start and event.skill == skill and event.targets == [seat] and t.stood(record, event):
            t.chosen(record, event)
    factions = [r.factions[seat] for i, r, ev in t.seen.of(e.Doomed, index) if i > start and ev.seat == seat]
    zh, en = t.faction(t.board.faction_ids[factions[-1]]) if factions and factions[-1] >= 0 else ("", "")
    name = t.skill(skill)
    when = moment(t.seen.records[index])
    t.say(
        f"{seat}号属{zh}，{name[0]}使其在夜里结束时出局，不算致死伤害；{when[0]}结算。",
        f"Seat {seat} belongs to {en}: {name[1]} takes it out when the night is settled ({when[1]}), not by a strike.",
        f"skill.{t.board.skill_ids[skill]}",
        clause,
    )


def _shot(t: Teller, seat: int, index: int) -> None:
    """最后一枪: seen by its answer, or by the announcement at dusk; at dawn the strike it was."""
    record = t.seen.records[index]
    shots = [(r, ev) for _, r, ev in t.seen.of(e.PromptAnswered, index) if t.board.skills[ev.skill].verb == "last_shot" and ev.target > 0]
    moved = [ev for _, r, ev in t.seen.of(e.StrikeMoved, index) if ev.target == seat and r.at == record.at]
    aimed = {seat, *(ev.holder for ev in moved)}
    after = t.after("last_shot")
    zh, en = moment(record)
    for when, answer in shots[-1:]:
        if answer.target in aimed:
            by, name = t.who(answer.seat), t.skill(answer.skill)
            told = moment(when)
            t.say(
                f"{told[0]}，出局的{by[0]}用{name[0]}指{answer.target}号。",
                f"{told[1]}: {by[1]}, being out, named seat {answer.target} for {name[1]}.",
                f"skill.{t.board.skill_ids[answer.skill]}",
                "C24",
                *after,
            )
    for shift in moved:
        counter = next(k for k in t.board.skills if k.verb == "counter")
        t.say(
            f"{shift.holder}号的{t.zh.quoted(counter.id)}把它移到{seat}号身上。",
            f"{t.en.quoted(counter.id)} of seat {shift.holder} moved it to seat {seat}.",
            f"skill.{counter.id}",
        )
    skills = [k for k in t.board.skills if k.verb == "last_shot"]
    said = any(ev.kind == skills[0].zh and ev.value == seat and r.at == record.at for _, r, ev in t.seen.of(e.Announced, index))
    announced = ("，当即公示", ", announced at once") if said else ("", "")
    t.say(
        f"{zh}，{seat}号中枪出局{announced[0]}。",
        f"{en}: seat {seat} was shot and is out{announced[1]}.",
        f"skill.{skills[0].id}",
        "C13" if said else "B4",
        *after,
    )
