"""Games set up through the journal's doors, for tests of the served half."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import datetime, timedelta

from bansha.journal import doors
from bansha.journal.time import local_minute
from bansha.referee import commands as c
from bansha.referee import dealing
from bansha.referee import events as e
from bansha.referee.refusals import Refused
from bansha.rulesets.load import load
from bansha.sight.types import Viewer

ZONE = "Asia/Shanghai"


def skill(name: str, id: str) -> int:
    """The number of a skill of a bundled ruleset."""
    return list(load(name).ruleset.skills).index(id)


def roles_of(name: str) -> list[str]:
    """The roles of a bundled ruleset in its order."""
    return [role for role, spec in load(name).ruleset.roles.items() for _ in range(spec.count)]


def opened(name: str, seed: int, setup_ends: datetime, pace: int = 1, real_start: datetime | None = None) -> int:
    """A seeded game, dealt in the order of the ruleset, whose setup ends then."""
    loaded = load(name)
    ends = local_minute(setup_ends, ZONE)
    begin = setup_ends - timedelta(minutes=loaded.ruleset.calendar.setup_minutes)
    game = doors.found(loaded, {}, real_start or begin, local_minute(begin, ZONE), ZONE, pace)
    start = real_start or begin
    roles = roles_of(name)
    doors.submit(game, c.Record([e.Seeded(seed)]), start, "town")
    doors.submit(game, c.Open({}, [f"{i}号" for i in range(1, len(roles) + 1)], roles, ends, {}), start, "town")
    return game


def committed(name: str, secret: bytes, setup_ends: datetime) -> int:
    """A game dealt by the whole ceremony of docs/dealing.md."""
    loaded = load(name)
    begin = setup_ends - timedelta(minutes=loaded.ruleset.calendar.setup_minutes)
    game = doors.found(loaded, {}, begin, local_minute(begin, ZONE), ZONE, 1, secret)
    roles = roles_of(name)
    personas = [f"{i}号" for i in range(1, len(roles) + 1)]
    label = f"game {game}"
    texts = [f"line {i}" for i in range(1, len(roles) + 1)]
    commitment = dealing.commit(secret, label, loaded.hash, {}, personas, roles)
    doors.submit(game, c.Record([e.Committed(commitment, label, loaded.hash, {}, personas, roles)]), begin, "town")
    for i, text in enumerate(texts, 1):
        doors.submit(game, c.Record([e.ContributionHashed(i, dealing.contribution_hash(i, text))]), begin, "town")
    for i, text in enumerate(texts, 1):
        doors.submit(game, c.Record([e.ContributionOpened(i, text)]), begin, "town")
    dice = dealing.Dice(dealing.stream_key(secret, texts))
    dealt = list(dealing.deal(dice, roles))
    masks = list(dealing.masks(dice, len(roles)))
    doors.submit(game, c.Open({}, personas, dealt, local_minute(setup_ends, ZONE), {}, masks), begin, "town")
    return game


def random_game(name: str, rng: random.Random, setup_ends: datetime, days: int) -> int:
    """A seeded game played at random through the doors for some days: votes, changes, skills, cards, refusals."""
    game = opened(name, rng.randrange(1000), setup_ends)
    loaded = load(name)
    n = len(roles_of(name))
    moment = setup_ends - timedelta(hours=3)
    end = setup_ends + timedelta(days=days)
    numbers = list(range(len(loaded.ruleset.skills)))
    clauses = [(colour, id) for id, clause in loaded.ruleset.conduct.items() for colour in clause.colours]
    while moment < end:
        moment += timedelta(minutes=rng.randrange(5, 90))
        seat = rng.randint(1, n)
        with suppress(Refused):
            roll = rng.random()
            if roll < 0.45:
                view = doors.see(game, Viewer("player", seat)).view
                assert view.me is not None
                usable = [x for x in view.me.skills if x.state in ("open", "early", "prompt")]
                if usable:
                    chosen = rng.choice(usable)
                    targets = rng.sample(chosen.targets, min(chosen.least, len(chosen.targets))) if chosen.most else True
                    doors.submit(game, c.Act(seat, {chosen.index: targets}), moment, f"seat {seat}")
            elif roll < 0.85:
                doors.submit(game, c.Vote(seat, rng.randint(0, 1), rng.randint(0, n)), moment, f"seat {seat}")
            elif roll < 0.9:
                doors.submit(game, c.Change(seat, 0, rng.randint(0, n)), moment, f"seat {seat}")
            elif roll < 0.95:
                doors.submit(game, c.Act(seat, {rng.choice(numbers): [rng.randint(1, n)]}), moment, f"seat {seat}")
            elif roll < 0.97:
                colour, clause = rng.choice(clauses)
                doors.submit(game, c.Card(seat, colour, clause), moment, "director 1")
            else:
                doors.strike(game, moment)
    return game
