"""Winning and losing (C14, C15, G14): losses first, then conditions in the ruleset's order, then the last faction not lost."""

from __future__ import annotations

from collections.abc import Callable

from bansha.referee import events as e
from bansha.referee.board import Board
from bansha.referee.state import NIGHT, OVER, State
from bansha.referee.turn import Turn
from bansha.rulesets.model import Condition

Check = Callable[[State], bool]


def _roles(board: Board, cond: Condition) -> list[int]:
    return [board.role_index[name] for name in cond.roles]


def _factions(board: Board, cond: Condition) -> list[int]:
    return [board.faction_index[name] for name in cond.factions]


def roles_out(board: Board, faction: int, cond: Condition) -> Check:
    """All characters of these roles are out."""
    roles = _roles(board, cond)

    def check(s: State) -> bool:
        masks, alive = s.role_mask, s.alive
        for role in roles:  # noqa: SIM110 - no generator, this is asked after every out
            if masks[role] & alive:
                return False
        return True

    return check


def faction_out(board: Board, faction: int, cond: Condition) -> Check:
    """All members of the faction are out."""
    return lambda s: not s.faction_mask[faction] & s.alive


def factions_out(board: Board, faction: int, cond: Condition) -> Check:
    """All members of all these factions are out."""
    factions = _factions(board, cond)
    return lambda s: not any(s.faction_mask[f] & s.alive for f in factions)


def parity(board: Board, faction: int, cond: Condition) -> Check:
    """Half or more of the living belong to the faction."""
    return lambda s: bool(s.alive) and 2 * (s.faction_mask[faction] & s.alive).bit_count() >= s.alive.bit_count()


def role_charmed(board: Board, faction: int, cond: Condition) -> Check:
    """All living characters of these roles are charmed, and one lives (G13)."""
    roles = _roles(board, cond)

    def check(s: State) -> bool:
        mask = 0
        for role in roles:
            mask |= s.role_mask[role]
        living = mask & s.alive
        return not s.charm_hold and bool(living) and not living & ~s.charmed

    return check


def faction_charmed(board: Board, faction: int, cond: Condition) -> Check:
    """Every living member of the faction is charmed, or none lives."""

    def check(s: State) -> bool:
        living = s.faction_mask[faction] & s.alive
        return not living or (not s.charm_hold and not living & ~s.charmed)

    return check


def all_charmed(board: Board, faction: int, cond: Condition) -> Check:
    """All living members of these factions are charmed."""
    factions = _factions(board, cond)

    def check(s: State) -> bool:
        mask = 0
        for f in factions:
            mask |= s.faction_mask[f]
        return not s.charm_hold and not mask & s.alive & ~s.charmed

    return check


def alive_exactly(board: Board, faction: int, cond: Condition) -> Check:
    """Exactly so many live, and one of them belongs to the faction (B12: at the check moments only)."""
    return lambda s: s.alive.bit_count() == cond.count and bool(s.faction_mask[faction] & s.alive)


def survives_exile(board: Board, faction: int, cond: Condition) -> Check:
    """After that day's exile, its triggers and red cards, a member lives (B13)."""
    return lambda s: s.exiles_settled >= cond.day and bool(s.faction_mask[faction] & s.alive)


def marked_out(board: Board, faction: int, cond: Condition) -> Check:
    """Everybody marked in setup by that skill is out."""

    def check(s: State) -> bool:
        marked = [s.heretics[seat] for seat in s.heretics if board.role_faction[s.role[seat]] == faction]
        return bool(marked) and not marked[0] & s.alive

    return check


CONDITIONS: dict[str, Callable[[Board, int, Condition], Check]] = {
    "roles_out": roles_out,
    "faction_out": faction_out,
    "factions_out": factions_out,
    "parity": parity,
    "role_charmed": role_charmed,
    "faction_charmed": faction_charmed,
    "all_charmed": all_charmed,
    "alive_exactly": alive_exactly,
    "survives_exile": survives_exile,
    "marked_out": marked_out,
}

Table = list[tuple[int, str, Check]]


def _compiled(board: Board) -> tuple[Table, Table]:
    """(losses, wins) as (faction, clause id, check), wins in the order of precedence."""
    tables = board.extra.get("victory")
    if tables is None:
        losses: Table = []
        wins: Table = []
        factions = board.rules.victory.factions
        for name, ends in factions.items():
            f = board.faction_index[name]
            for i, cond in enumerate(ends.lost, 1):
                losses.append((f, f"victory.{name}.lost.{i}", CONDITIONS[cond.when](board, f, cond)))
        for f in board.order:
            name = board.faction_ids[f]
            for i, cond in enumerate(factions[name].wins, 1):
                wins.append((f, f"victory.{name}.wins.{i}", CONDITIONS[cond.when](board, f, cond)))
        tables = board.extra["victory"] = (losses, wins)
    return tables


def check(t: Turn) -> None:
    """Judge losses, wins and the last faction not lost, now (G14)."""
    s = t.s
    if s.phase == OVER:
        return
    losses, wins = _compiled(t.board)
    lost = s.lost
    for faction, clause, condition in losses:
        if faction not in lost and condition(s):
            lose(t, faction, clause)
    for faction, clause, condition in wins:
        if faction not in lost and condition(s):
            t.say(e.GameEnded(faction, clause))
            return
    if len(lost) >= len(t.board.faction_ids) - 1:
        left = [f for f in range(len(t.board.faction_ids)) if f not in lost]
        t.say(e.GameEnded(left[0] if left else -1, "C15"))


def lose(t: Turn, faction: int, why: str) -> None:
    """Judge a faction lost (C15): unannounced; a pack whose skill goes with it is told, kept choices lapse."""
    s, board = t.s, t.board
    t.say(e.FactionLost(faction, why))
    if faction not in board.packs:
        return
    pack = board.packs.index(faction)
    holder = s.n + 1 + pack
    for skill in list(s.hands[holder]):
        if board.skills[skill].raw.lost_with_faction:
            t.say(e.SkillLost(holder, skill, why))
            executed = s.phase == NIGHT and s.stage > board.skills[skill].stage
            if (holder, skill) in s.pending and not executed:
                t.say(e.Lapsed(holder, skill, "faction_lost"))
            for seat in s.seats(s.pack_mask(pack)):
                t.say(e.Told(seat, skill, False))


def after_out(t: Turn) -> None:
    """C14: after each single out, where the ruleset says so; G17: `settled` waits for the last shots it triggers."""
    board = t.board
    if board.each_out and not (board.after_shots and shots_pending(t.s)):
        check(t)


def shots_pending(s: State) -> bool:
    """Whether a last shot is open or waits its turn."""
    line = s.board.after_line.get("last_shot", -1)
    if s.prompt is not None and s.prompt.line == line:
        return True
    return any(item[0] == line for item in s.awaiting)


def after_charm(t: Turn) -> None:
    """G10: charm is judged when its stage closes, or with the settlement."""
    if t.board.option["charm_check"] == "settlement":
        return
    if t.board.each_out:
        check(t)


def after_lone_out(t: Turn) -> None:
    """§3: an out by card or by the director is checked with the settlement it falls into (the night's, or a dusk or dawn
    with prompts to come), else at once."""
    s = t.s
    falls_into_one = s.prompt is not None or s.awaiting or (s.phase == NIGHT and not s.settled)
    if not t.over and not falls_into_one:
        after_settlement(t)


def after_settlement(t: Turn) -> None:
    """Check after a settlement with its triggers, where the ruleset checks then."""
    if not t.board.each_out:
        check(t)
