"""Surrender, last words, substitutes, assistants: what people ask for besides voting and acting."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.referee import victory
from bansha.referee.commands import Assistant, LastWords, Substitute, Surrender
from bansha.referee.refusals import Refused, clock
from bansha.referee.state import SETUP
from bansha.referee.turn import Turn


def surrender(t: Turn, command: Surrender) -> None:
    """投降 (G16): proposed by a living member of the faction; every member of its den is asked, those out included.

    Raises:
        Refused: no_surrender, phase, not_faction, faction_lost, proposal_open, declined_today, no_proposal.
    """
    s, board = t.s, t.board
    rule = board.rules.surrender
    seat = command.seat
    if rule is None:
        raise Refused("no_surrender")
    if s.phase == SETUP:
        raise Refused("phase", legal="开局准备结束之后")
    faction = board.faction_index[rule.faction]
    den = s.dens[s.den_of[faction]]
    if not command.answer:
        if s.faction[seat] != faction or not s.alive >> seat & 1:
            raise Refused("not_faction", faction=board.faction_zh(faction))
        if faction in s.lost:
            raise Refused("faction_lost")
        if s.proposal:
            raise Refused("proposal_open")
        if s.declined:
            raise Refused("declined_today")
        t.say(e.SurrenderProposed(seat, s.seats(den)))
    else:
        if not s.proposal or faction in s.lost or not s.asked >> seat & 1 or s.agreed >> seat & 1:
            raise Refused("no_proposal", seat=seat)
        t.say(e.SurrenderAnswered(seat, command.answer == "agree"))
        if command.answer != "agree":
            t.say(e.SurrenderEnded("declined"))
            return
    if not s.asked & ~s.agreed:
        t.say(e.SurrenderEnded("agreed"))
        victory.lose(t, faction, "G16")
        victory.check(t)


def last_words(t: Turn, command: LastWords) -> None:
    """遗言 (C11): plain text, by those entitled who have been told they are out, until due.

    Raises:
        Refused: no_last_words, last_words_late, markup, empty.
    """
    s, board = t.s, t.board
    seat = command.seat
    if seat not in s.entitled() or seat not in s.last_due:
        raise Refused("no_last_words", seat=seat, count=board.rules.last_words.count)
    due = s.last_due[seat]
    if (due >= 0 and t.now >= due) or (due < 0 and s.day >= -due):
        limit = clock(due) if due >= 0 else f"第{-due}天开门"
        raise Refused("last_words_late", limit=limit)
    if command.markup:
        raise Refused("markup", what=command.markup)
    if command.empty:
        raise Refused("empty")
    t.say(e.LastWordsHanded(seat, command.digest))


def substitute(t: Turn, command: Substitute) -> None:
    """替补 (C23): the seat, its votes, kept choices and cards pass to another player.

    Raises:
        Refused: no_substitute.
    """
    s, board = t.s, t.board
    times = board.rules.substitutes.times
    if times and s.substituted.get(command.seat, 0) >= times:
        raise Refused("no_substitute", seat=command.seat, times=times)
    t.say(e.Substituted(command.seat))


def assistant(t: Turn, command: Assistant) -> None:
    """场助: for a player with few earlier games.

    Raises:
        Refused: no_assistant, has_assistant.
    """
    s, board = t.s, t.board
    played = s.history.get(command.seat, 0)
    games = board.rules.assistants.games
    if played > games:
        raise Refused("no_assistant", seat=command.seat, played=played, games=games)
    if s.assistants >> command.seat & 1:
        raise Refused("has_assistant", seat=command.seat)
    t.say(e.AssistantGiven(command.seat))
