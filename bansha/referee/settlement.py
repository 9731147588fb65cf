"""Settling the night: the ruleset's lines in their order, each a small function named in the data."""

from __future__ import annotations

from collections.abc import Callable

from bansha.referee import aftermath, victory
from bansha.referee import events as e
from bansha.referee.state import State
from bansha.referee.turn import Turn
from bansha.rulesets.model import Line


def settle(t: Turn) -> None:
    """Run the lines; then dawn's prompts and, where the ruleset checks then, the victory check after them."""
    s, board = t.s, t.board
    for line in board.settlement:
        LINES[line.line](t, line)
        if t.over:
            return
    if t.leaving:
        aftermath.leave_together(t, [(seat, t.leaving[seat]) for seat in s.seats(s.alive) if seat in t.leaving])
        if t.over:
            return
    t.say(e.NightSettled(s.day))
    if board.option["charm_check"] == "settlement":
        victory.after_out(t)  # G10; under G17 `settled` it waits for the last shots like every check
        if t.over:
            return
    quiet = not s.awaiting
    tell_out(t)
    if quiet:
        aftermath.run(t)


def tell_out(t: Turn) -> None:
    """C13, C27: those out tonight are told at the last stage's full limit, and dawn's prompts open then: a prompt before that
    would tell."""
    s = t.s
    if not t.over and not s.night_told and s.settled and t.now >= s.full_at:
        t.say(e.ToldOut([seat for seat in s.out_order if not s.told_out >> seat & 1]))
        if s.awaiting:
            aftermath.run(t)


def attack(t: Turn, line: Line) -> None:
    """A kill or poison: void under any of the named protections (any number of them cancels just the one kill);
    with `overlap: kills` exactly two of them on one target let it through. Otherwise out."""
    s = t.s
    index = t.board.skill_index
    wanted = index[line.skill]
    hits = [target for target, skill, _holder in s.strikes if skill == wanted]
    for target in hits:
        shields = [index[name] for name in line.voided_by if s.marks.get(index[name], 0) >> target & 1]
        if shields and not (line.overlap == "kills" and len(shields) > 1):
            t.say(e.Voided(wanted, target, shields[0]))
        elif s.alive >> target & 1:
            aftermath.leave(t, [target], line.skill)
            if t.over:
                return


def strikes(t: Turn, line: Line) -> None:
    """Each strike in the order made, by the four steps (§3): immune, moved, absorbed, struck; the first that lands is the cause."""
    index = t.board.skill_index
    wanted = {index[name] for name in line.skills}
    for target, skill, _holder in list(t.s.strikes):
        if skill in wanted:
            landed = resolve(t, line, target, skill)
            if landed:
                t.leaving.setdefault(landed, t.board.skills[skill].id)


def resolve(t: Turn, line: Line, target: int, skill: int) -> int:
    """Where one strike lands: a seat, or 0 when it does nothing."""
    s = t.s
    index = t.board.skill_index
    if immune(t, line, target, skill):
        return 0
    counter = index[line.moved_by] if line.moved_by else -1
    if counter >= 0 and target in s.counter_of and counter in s.hands[target]:
        to = s.counter_of[target]
        t.say(e.StrikeMoved(skill, target, to))
        t.say(e.SkillLost(target, counter, line.moved_by))
        target = to
        if immune(t, line, target, skill):
            return 0
    return 0 if absorbed(t, line, target, skill) else target


def immune(t: Turn, line: Line, target: int, skill: int) -> bool:
    """Step 1: antidote, an "other" target of the holy light, or the saint by night: nothing happens, nothing is spent."""
    s = t.s
    index = t.board.skill_index
    for name in line.immune:
        number = index[name]
        passive = t.board.skills[number].verb == "steadfast"
        if (number in s.hands[target]) if passive else s.marks.get(number, 0) >> target & 1:
            t.say(e.Voided(skill, target, number))
            return True
    return False


def absorbed(t: Turn, line: Line, target: int, skill: int) -> bool:
    """Step 3: the first of the named that stands over the target takes the strike, and only that one."""
    s, board = t.s, t.board
    for name in line.absorbed_by:
        number = board.skill_index[name]
        table = board.skills[number]
        if table.verb == "torch":
            for holder, lit in s.torches:
                spent = number not in s.hands[holder]
                if lit == target and (not spent or board.option["torch_absorbs"] == "all"):
                    t.say(e.Absorbed(skill, target, number, holder))
                    if not spent:
                        t.say(e.SkillLost(holder, number, name))
                        if table.becomes >= 0:
                            t.say(e.SkillGained(holder, table.becomes, name, s.day + 1, 0, []))
                    return True
        elif s.wards >> target & 1 and number in s.hands[target]:
            t.say(e.Absorbed(skill, target, number, target))
            t.say(e.SkillLost(target, number, name))
            return True
    return False


def doomed(t: Turn, line: Line) -> None:
    """Clocktower targets of the holy light leave with those struck, not by a strike."""
    for seat in t.s.seats(t.s.doomed):
        t.leaving.setdefault(seat, line.skill)


LINES: dict[str, Callable[[Turn, Line], None]] = {"attack": attack, "strikes": strikes, "doomed": doomed}


def strike_line(s: State) -> Line | None:
    """The ruleset's strikes line, for a last shot at dawn (B4)."""
    return next((line for line in s.board.settlement if line.line == "strikes"), None)
