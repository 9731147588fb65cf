"""蓝黄红牌: proposals, dealing with a clause, conversions, withdrawal, and the red card by the ruleset's timing (section 5)."""

from __future__ import annotations

from bansha.referee import aftermath, victory
from bansha.referee import events as e
from bansha.referee.commands import Card, Uncard
from bansha.referee.refusals import Refused
from bansha.referee.state import DAY, State
from bansha.referee.turn import Turn

COLOURS = {"blue": "蓝牌", "yellow": "黄牌", "red": "红牌"}


def propose(t: Turn, seat: int, colour: str, clause: str, why: str) -> None:
    """What the platform saw by itself, ready for the director; never dealt unasked."""
    t.say(e.CardProposed(seat, colour, clause, why))


def _colours(s: State, seat: int, clause: str) -> list[str]:
    """Colours in which the clause can be dealt to this seat; a night's silence has the one its role's skills name, blue
    where they name none (M6)."""
    board = s.board
    colours = board.rules.conduct[clause].colours
    if clause != board.rules.attendance.silence_clause:
        return list(colours)
    named = {board.skills[index].silence for index in board.role_skills[s.role[seat]]}
    return [colour for colour in colours if colour == ("yellow" if "yellow" in named else "blue")]


def deal(t: Turn, command: Card) -> None:
    """Deal a card. A red one, dealt or converted, takes a living character out by the ruleset's timing.

    Raises:
        Refused: unknown_clause, wrong_colour, may_not_judge.
    """
    s, board = t.s, t.board
    seat, colour = command.seat, command.colour
    clause = board.rules.conduct.get(command.clause)
    if clause is None:
        raise Refused("unknown_clause", clause=command.clause, legal="、".join(board.rules.conduct))
    colours = _colours(s, seat, command.clause)
    if colour not in colours:
        legal = "、".join(COLOURS[c] for c in colours)
        raise Refused("wrong_colour", clause=command.clause, colour=COLOURS.get(colour, colour), legal=legal)
    if command.lose and not (colour == "red" and board.rules.cards.director_may_judge):
        raise Refused("may_not_judge")
    before = s.cards_of(seat)[2]
    unseen = s.public_alive & ~s.alive
    t.say(e.CardDealt(seat, colour, command.clause))
    if s.cards_of(seat)[2] > before:
        if unseen >> seat & 1:
            aftermath.announce_role(t, seat)  # the card shows an out of this night
        red(t, seat)
    if command.lose and not t.over and s.faction[seat] >= 0 and s.faction[seat] not in s.lost:
        victory.lose(t, s.faction[seat], "director")
        victory.check(t)


def red(t: Turn, seat: int) -> None:
    """A red card stands: out at once, or after the ballot (B19); the second of a faction may lose it (G9)."""
    s, board = t.s, t.board
    if s.alive >> seat & 1:
        if board.reds == "after_ballot" and s.phase == DAY:
            if seat not in s.red_pending:
                t.say(e.RedPending(seat))
        else:
            aftermath.leave(t, [seat], "red_card")
            if not t.over:
                aftermath.run_if_free(t)
            victory.after_lone_out(t)
    limit = board.rules.cards.faction_lost_at
    faction = s.faction[seat]
    if limit and not t.over and faction >= 0 and faction not in s.lost:
        total = sum(s.cards_of(other)[2] for other in range(1, s.n + 1) if s.faction[other] == faction)
        if total >= limit:
            victory.lose(t, faction, "G9")
            victory.check(t)


def withdraw(t: Turn, command: Uncard) -> None:
    """Withdraw the latest such card; the conversion is undone with it, a red card's consequences stay.

    Raises:
        Refused: no_card.
    """
    s = t.s
    if (command.colour, command.clause) not in s.card_list[command.seat]:
        standing = "、".join(f"{COLOURS[c]}（{clause}）" for c, clause in s.card_list[command.seat]) or "无"
        raise Refused("no_card", seat=command.seat, legal=standing)
    t.say(e.CardWithdrawn(command.seat, command.colour, command.clause))
