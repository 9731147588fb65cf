"""Whole random games of every ruleset: refolding gives the live state after every submission, the order in which
different holders hand in changes nothing, a refusal leaves no trace, and every running game has something due."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec
import pytest

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.dealing import Dice
from bansha.referee.evolve import evolve_all
from bansha.referee.game import Entry, Game, snapshot
from bansha.referee.judge import NEVER, due
from bansha.referee.reading import Reading
from bansha.referee.refusals import Refused
from bansha.referee.state import FIELDS, OVER, Held, Prompt, State
from tests.support.random_games import RULESETS, Mood, new_game, play, random_options

GAMES = 10

pytestmark = pytest.mark.slow


def _games(ruleset: str, count: int, label: str) -> list[tuple[Game, Random]]:
    found = []
    for number in range(count):
        rng = Random(f"{label} {ruleset} {number}")
        found.append((new_game(ruleset, rng, random_options(ruleset, rng) if number % 3 else {}), rng))
    return found


_events = msgspec.json.Decoder(list[list[object]])  # what an event looks like in a stored journal


def _stored(events: list[e.Event]) -> list[e.Event]:
    """The events as they come back from their stored form."""
    return [msgspec.convert(raw, e.KINDS[str(raw[0])], strict=False) for raw in _events.decode(msgspec.json.encode(events))]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_refolding_gives_the_live_state_after_every_submission(ruleset: str, says: Callable[[str], None]) -> None:
    """Fold each entry, as stored, into a second state as it is written, and compare every field."""
    compared = 0
    for game, rng in _games(ruleset, GAMES, "refold"):
        fresh = State(game.board)
        done = 0
        for _ in play(game, rng):
            for at, _by, _key, _command, events in game.entries[done:]:
                evolve_all(fresh, at, _stored(events))
                compared += 1
            done = len(game.entries)
            assert _same(fresh, game.state), _difference(fresh, game.state)
        assert snapshot(game.refold()) == snapshot(game.state)
    says(f"refold {ruleset}: {compared} entries of {GAMES} games")


def _same(one: State, two: State) -> bool:
    return not _differing(one, two)


def _differing(one: State, two: State) -> list[str]:
    """Names of the fields that differ, keys compared as the text that JSON makes of them."""
    names = [name for name in FIELDS if name not in ("board", "entry_fresh")]
    unequal = [name for name in names if getattr(one, name, None) != getattr(two, name, None)]
    return [name for name in unequal if _value(getattr(one, name)) != _value(getattr(two, name))]


def _value(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(item) for item in value]
    if isinstance(value, msgspec.Struct):
        return _value(msgspec.to_builtins(value))
    if isinstance(value, (Held, Prompt)):
        return [getattr(value, name) for name in value.__slots__]
    return value


def _difference(one: State, two: State) -> str:
    return "; ".join(f"{name}: {getattr(one, name)!r} ≠ {getattr(two, name)!r}" for name in _differing(one, two))


def test_an_event_left_out_of_the_fold_shows() -> None:
    """The failing twin: without its last vote, or its last choice, the fold is another state."""
    for kind in (e.VoteCast, e.Submitted, e.Told, e.CardProposed):
        rng = Random(f"left out {kind}")
        game = new_game("m205", rng)
        for _ in play(game, rng, Mood(eager=0.9, director=0.0)):
            if game.state.day == 2 and game.state.phase != OVER and any(type(event) is kind for event in game.entries[-1][4]):
                break
        fresh = State(game.board)
        for at, _by, _key, _command, events in game.entries[:-1]:
            evolve_all(fresh, at, events)
        at, *_, events = game.entries[-1]
        evolve_all(fresh, at, [event for event in events if type(event) is not kind])
        assert not _same(fresh, game.state), kind


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_running_game_has_something_due_or_is_paused(ruleset: str) -> None:
    for game, rng in _games(ruleset, GAMES, "due"):
        for _ in play(game, rng):
            s = game.state
            assert s.phase == OVER or due(s) < NEVER or s.paused_at >= 0
        assert game.over
        assert due(game.state) == NEVER


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_is_refused_leaves_no_trace(ruleset: str, says: Callable[[str], None]) -> None:
    """Any command at all, legal or not: a refusal with a code and a sentence in both languages, and the state as it was."""
    refused = taken = 0
    for game, rng in _games(ruleset, 8, "refusals"):
        for _ in play(game, rng):
            if rng.random() > 0.3:
                continue
            s = game.state
            now = s.now + rng.randint(0, 5)
            if due(s) <= now:
                continue
            before = snapshot(s)
            try:
                game.do(_anything(s, rng), now)
                taken += 1
            except Refused as refusal:
                refused += 1
                assert refusal.zh and refusal.en
                after = snapshot(s)
                assert {k: v for k, v in before.items() if k != "now"} == {k: v for k, v in after.items() if k != "now"}, refusal
    says(f"refusals {ruleset}: {refused} refused, {taken} taken")
    assert refused > 100


def _anything(s: State, rng: Random) -> c.Command:
    """A command of any kind with values out of place more often than not."""
    seat = rng.randint(0, s.n + 1)
    skill = rng.randint(-1, len(s.board.skills))
    target = rng.randint(-1, s.n + 1)
    targets: list[c.Targets] = [None, True, False, [], [target], [target, rng.randint(1, s.n)], [1, 2, 3]]
    kinds: list[Callable[[], c.Command]] = [
        lambda: c.Act(seat, {skill: rng.choice(targets)}),
        lambda: c.Act(seat, {skill: rng.choice(targets), rng.randint(0, 4): rng.choice(targets)}),
        lambda: c.Act(seat, {}),
        lambda: c.Vote(seat, rng.randint(0, 1), target),
        lambda: c.Change(seat, rng.randint(0, 1), target),
        lambda: c.Proxy(seat, rng.randint(0, 1), target),
        lambda: c.Post(seat, rng.choice(["discussion", "ballot", "election", "nowhere"]), 5, "", 0, Reading("vote", "谁")),
        lambda: c.Sign(seat, rng.choice(["speed_up", "extend", "abort", "x"])),
        lambda: c.Surrender(seat, rng.choice(["", "agree", "decline"])),
        lambda: c.LastWords(seat, "", rng.choice(["", "b"]), rng.random() < 0.5),
        lambda: c.Card(seat, rng.choice(["blue", "green"]), rng.choice(["", *s.board.rules.conduct])),
        lambda: c.Uncard(seat, "red", "x"),
        lambda: c.Substitute(seat),
        lambda: c.Assistant(seat),
        lambda: c.Direct(rng.choice(["dance", "void_vote", "restore", "deadline", "undo", "resume"]), target, rng.choice(["", "理由"])),
    ]
    return rng.choice(kinds)()


# --- order --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_order_of_different_holders_changes_no_outcome(ruleset: str, says: Callable[[str], None]) -> None:
    """Between two ticks, the submissions of one minute handed in in any order (each holder's own in theirs) end alike."""
    permuted = 0
    for number in range(40):
        rng = Random(f"order {ruleset} {number}")
        options = {**random_options(ruleset, rng), "close_early": "no"} if number % 2 else {}
        mind = Mood(eager=0.9, passing=0.1, loyal=rng.choice((0.0, 1.0)), director=0.0, chatter=0.0, politics=False)
        game = new_game(ruleset, rng, options)
        for _ in play(game, rng, mind):
            pass
        shuffled = _replayed(game, rng)
        if shuffled is None:
            continue
        permuted += 1
        one, two = _outcome(game.state), _outcome(shuffled.state)
        assert one == two, f"{ruleset} {number}: " + "; ".join(f"{k}: {one[k]} ≠ {two[k]}" for k in one if one[k] != two[k])
    says(f"order {ruleset}: {permuted} games replayed in another order")
    assert permuted > 25


def _replayed(game: Game, rng: Random) -> Game | None:
    """The game played again, its submissions between two ticks brought to the minute of the first and shuffled, those of
    one holder staying in order; None when a submission is not one of a night's stage, a vote or a talk about it."""
    groups: list[list[Entry] | None] = []
    for entry in game.entries:
        if isinstance(entry[3], (c.Act, c.Vote, c.Change)):
            if not groups or groups[-1] is None:
                groups.append([])
            groups[-1].append(entry)  # type: ignore[union-attr]
        elif isinstance(entry[3], c.Tick):
            groups.append(None)
        elif not isinstance(entry[3], (c.Open, c.Record, c.LastWords)):
            return None
    again = Game(game.board, game.dice)
    assert isinstance(game.dice, Dice)
    for entry in game.entries[:2]:
        again.do(entry[3], entry[0], entry[1])
    for group in groups:
        if group is None:
            if due(again.state) >= NEVER:
                return None
            again.step()
            continue
        for at, by, _key, command in _shuffled(game, group, rng):
            now = max(again.state.now, at)
            if due(again.state) <= now:
                return None
            try:
                again.do(command, now, by)
            except Refused:
                return None
    return again


def _shuffled(game: Game, group: list[Entry], rng: Random) -> list[tuple[int, str, str, c.Command]]:
    """A random merging of the holders' own orders; votes stay in their order where the first to reach a count is elected."""
    lanes: dict[object, list[tuple[int, str, str, c.Command]]] = {}
    packs = game.state.packs_of
    first_reached = game.board.rules.ballots.election_tie == "first_reached"
    for at, by, key, command, _events in group:
        assert isinstance(command, (c.Act, c.Vote, c.Change))
        lane: object = tuple(packs(command.seat)) or command.seat
        if isinstance(command, (c.Vote, c.Change)) and first_reached and command.ballot == 1:
            lane = "election"
        if isinstance(command, c.Act) and any(game.board.skills[k].immediate for k in command.choices):
            lane = "all"
        if isinstance(command, c.Act) and any(game.board.skills[k].verb in ("play_dumb", "last_shot", "handover") for k in command.choices):
            lane = "all"
        lanes.setdefault(lane, []).append((at, by, key, command))
    if "all" in lanes:
        return [(at, by, key, command) for at, by, key, command, _ in group]
    merged = []
    while lanes:
        lane = rng.choice(list(lanes))
        merged.append(lanes[lane].pop(0))
        if not lanes[lane]:
            del lanes[lane]
    least = group[0][0]
    return [(least, by, key, command) for _, by, key, command in merged]


def _outcome(s: State) -> dict[str, object]:
    """What a game came to: outs with causes and order, answers, cards proposed, badge, winner."""
    return {
        "out": [(seat, s.cause[seat], s.out_at[seat]) for seat in s.out_order],
        "told": [[(at, event.skill, event.value) for at, event, _ in told] for told in s.told],
        "proposed": sorted((at, card.seat, card.clause) for at, card in s.proposed_log),
        "announced": [(at, said.kind, said.value) for at, said in s.announced],
        "sheriff": s.sheriff,
        "lost": s.lost,
        "winner": s.winner,
        "charmed": s.charmed,
        "counts": s.last_count,
    }
