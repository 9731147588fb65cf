"""Whole games of uniformly random legal choices through the judge's doors: acts, passes, silence, votes, changes, posts
that are no votes, petitions, surrenders, last words, cards, substitutes and director's acts.

    game = new_game("m205", Random(7))
    for game in play(game, Random(8)): ...

`choose` gives one legal command for a state, or None when nobody can do anything; `play` drives a game to its end and
yields after every entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import ELECTION, EXILE, compile_board
from bansha.referee.day import sped_close
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.holdings import may_pass, submittable, targets
from bansha.referee.judge import NEVER, due
from bansha.referee.legality import check_window, consecutive, holder_of
from bansha.referee.reading import Reading, read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, OVER, SETUP, State
from bansha.rulesets.load import bundled, load

RULESETS = tuple(bundled())
MONDAY = 20_584 * 1440 + 9 * 60  # 2026-05-11T09:00
LONGEST = 30  # days; a game that lasts longer is ended by its director


@dataclass
class Mood:
    """How the players of one game are minded: shares between 0 and 1.

    `eager`: how much they do before the clock runs on; `passing`: how many choices are passes; `loyal`: how often wolves
    spare their own; `director`: how many commands are a director's, `harsh`: how many of these judge somebody out;
    `chatter`: how many are posts; `politics`: whether they sign petitions and surrender; `pauses`: whether a game may pause.
    """

    eager: float = 0.7
    passing: float = 0.12
    loyal: float = 0.5
    director: float = 0.03
    chatter: float = 0.05
    pauses: bool = True
    politics: bool = True
    harsh: float = 0.0


def mood(rng: Random) -> Mood:
    """A mood at random."""
    return Mood(
        eager=rng.choice((0.35, 0.6, 0.8, 0.95)),
        passing=rng.choice((0.02, 0.1, 0.35)),
        loyal=rng.choice((0.0, 0.6, 1.0)),
        director=rng.choice((0.0, 0.0, 0.03, 0.1)),
        chatter=rng.choice((0.0, 0.05, 0.15)),
    )


# --- opening ------------------------------------------------------------------------------------------------------


def random_options(ruleset: str, rng: Random) -> dict[str, str]:
    """A legal value for every option of the ruleset."""
    chosen: dict[str, str] = {}
    for name, option in load(ruleset).ruleset.options.items():
        values = option.values if option.values != ["off|N"] else ["off", "6"]
        chosen[name] = rng.choice(values)
    return chosen


def new_game(ruleset: str, rng: Random, options: Mapping[str, str] | None = None) -> Game:
    """A dealt game in setup: roles shuffled, a start on some day of the week."""
    loaded = load(ruleset)
    board = compile_board(loaded, options or {})
    roles: list[str] = []
    for name, role in loaded.ruleset.roles.items():
        roles.extend([name] * role.count)
    rng.shuffle(roles)
    seed = rng.getrandbits(32)
    game = Game(board, Dice.from_seed(seed))
    start = MONDAY + 1440 * rng.randrange(7) + (720 if board.starts_at_night else 0)
    now = start - loaded.ruleset.calendar.setup_minutes
    names = [f"{seat}号" for seat in range(1, len(roles) + 1)]
    game.do(c.Record([e.Seeded(seed)]), now, "town", "")
    game.do(c.Open(dict(options or {}), names, roles, start, {1: 9}), now, "town", "")
    return game


# --- one legal command --------------------------------------------------------------------------------------------


def choose(s: State, rng: Random, mind: Mood) -> tuple[c.Command, str] | None:
    """A legal command for a random seat (or a director) at the state's present minute, and by whom; None: nobody can."""
    if s.paused_at >= 0:
        return c.Direct("resume", True, "继续"), "director 1"
    if mind.director and rng.random() < mind.director:
        found = _director(s, rng, mind)
        if found is not None:
            return found, "director 1"
    makers: list[Callable[[State, Random, Mood], c.Command | None]]
    if s.prompt is not None and rng.random() < 0.7:
        makers = [_answer]
    elif s.phase == DAY:
        makers = [_vote, _vote, _vote, _act, _change, _sign, _surrender, _last_words]
        if rng.random() < mind.chatter:
            makers = [_post]
    else:
        makers = [_act, _act, _act, _act, _surrender, _last_words]
    rng.shuffle(makers)
    for maker in makers:
        command = maker(s, rng, mind)
        if command is not None:
            return command, f"seat {command.seat}"  # type: ignore[attr-defined]
    return None


def acts(s: State) -> list[tuple[int, int]]:
    """Every (seat, skill) that can be handed in now, kept ones included."""
    found = []
    for seat in range(1, s.n + 1):
        for holder in (seat, *s.packs_of(seat)):
            for index in s.hands[holder]:
                skill = s.board.skills[index]
                if not submittable(s, seat, index):
                    continue
                try:
                    check_window(s, skill, seat)
                except Refused:
                    continue
                if skill.immediate and s.phase != DAY and s.pending.get((holder, index), (None, 0))[0] is not None:
                    continue
                found.append((seat, index))
    return found


def some_targets(s: State, seat: int, index: int, rng: Random, loyal: bool = False) -> c.Targets:
    """Uniformly random legal targets; None when there are not enough."""
    skill = s.board.skills[index]
    if skill.targets == 0 and not skill.raw.share:
        return True
    legal, least, most = targets(s, seat, index)
    if loyal and skill.pack >= 0 and len(legal) > 1:
        legal = [x for x in legal if not s.pack_mask(skill.pack) >> x & 1] or legal
    if skill.adjacent:
        starts = [[(first - 1 + i) % s.n + 1 for i in range(most)] for first in range(1, s.n + 1)]
        legal_runs = [run for run in starts if consecutive(s, run)]
        return rng.choice(legal_runs)
    if least < most:  # 装唐's extra 枪决: the same one twice is legal
        return [rng.choice(legal) for _ in range(rng.randint(least, most))] if legal else None
    return rng.sample(legal, least) if len(legal) >= least else None


def _act(s: State, rng: Random, mind: Mood) -> c.Command | None:
    ready = acts(s)
    if not ready:
        return None
    fresh = [(seat, index) for seat, index in ready if (holder_of(s, seat, s.board.skills[index]), index) not in s.pending]
    seat, index = rng.choice(fresh if fresh and rng.random() < 0.85 else ready)
    choices: dict[int, c.Targets] = {index: _choice(s, seat, index, rng, mind)}
    if rng.random() < 0.15:
        other = rng.choice([k for x, k in ready if x == seat])
        if other not in s.board.skills[index].excludes:
            choices[other] = _choice(s, seat, other, rng, mind)
    if any(value is None and not may_pass(s, k) for k, value in choices.items()):
        return None
    return c.Act(seat, choices)


def _choice(s: State, seat: int, index: int, rng: Random, mind: Mood) -> c.Targets:
    if may_pass(s, index) and rng.random() < mind.passing:
        return None
    return some_targets(s, seat, index, rng, rng.random() < mind.loyal)


def _answer(s: State, rng: Random, mind: Mood) -> c.Command | None:
    """An answer to the open prompt, sometimes with its handover; or no answer."""
    prompt = s.prompt
    if prompt is None or rng.random() > mind.eager:
        return None
    skill = s.board.skills[prompt.skill]
    passing = not skill.forced and rng.random() < max(mind.passing, 0.2)
    targets_: c.Targets = None
    if not passing:
        targets_ = True if skill.targets == 0 else some_targets(s, prompt.seat, prompt.skill, rng)
    if targets_ is None and skill.forced:
        return None
    choices: dict[int, c.Targets] = {prompt.skill: targets_}
    line = s.board.after_line.get("handover", -1)
    waits = any(item[0] == line and item[2] == prompt.seat for item in s.awaiting)
    if skill.verb == "last_shot" and waits and rng.random() < 0.5:
        shot = targets_[0] if isinstance(targets_, list) else 0
        heirs = [x for x in s.seats(s.alive) if x not in (shot, prompt.seat)]
        if heirs:
            choices[s.board.handover] = [rng.choice(heirs)]
    return c.Act(prompt.seat, choices)


def _voters(s: State) -> list[int]:
    return s.seats(s.alive & ~s.red_today & ~s.no_vote) if s.phase == DAY else []


def _target(s: State, seat: int, rng: Random, mind: Mood) -> int:
    among = s.seats(s.public_alive)
    if rng.random() < mind.loyal:
        among = [x for x in among if x not in {other for other, _ in s.knows[seat]}] or among
    return rng.choice([*among, 0]) if rng.random() < 0.5 else rng.choice(among)


def _vote(s: State, rng: Random, mind: Mood) -> c.Command | None:
    free = [(seat, ballot) for ballot in s.ballots for seat in _voters(s) if s.vote[ballot][seat] < 0]
    if not free:
        return None
    seat, ballot = rng.choice(free)
    return c.Vote(seat, ballot, _target(s, seat, rng, mind))


def _thawed(s: State) -> bool:
    return not s.sped_up and s.now < s.closes_at - s.board.rules.ballots.freeze_minutes


def _change(s: State, rng: Random, mind: Mood) -> c.Command | None:
    voted = [
        (seat, ballot) for ballot in s.ballots for seat in _voters(s) if s.vote[ballot][seat] >= 0 and not s.changed[ballot] >> seat & 1
    ]
    if not voted or not _thawed(s):
        return None
    seat, ballot = rng.choice(voted)
    return c.Change(seat, ballot, _target(s, seat, rng, mind))


_WORDS = ("今天先听大家怎么说。", "投票对象：", "投票对象：谁\n投票理由：猜的", "改票对象：弃权 改票理由：", "我以人格担保")


def _post(s: State, rng: Random, mind: Mood) -> c.Command | None:
    """A post: talk, a vote in its strict form, or something that is no vote."""
    speakers = s.seats(s.alive & ~s.red_today) if s.phase == DAY else []
    if not speakers:
        return None
    seat = rng.choice(speakers)
    threads = ["discussion", "process"] + ["ballot" if ballot == EXILE else "election" for ballot in s.ballots]
    thread = rng.choice(threads)
    text = rng.choice(_WORDS)
    if thread in ("ballot", "election") and rng.random() < 0.5:
        target = _target(s, seat, rng, mind)
        name = s.personas[target] if target else "弃权"
        text = f"投票对象：{name}\n投票理由：" if rng.random() < 0.7 else f"改票对象：{name}\n改票理由："
    quote = 0
    if thread in ("ballot", "election"):
        quote = s.vote_ref[EXILE if thread == "ballot" else ELECTION][seat]
    ref = rng.getrandbits(30) + 1
    reading = read_post(text, s.board.patterns, thread in ("ballot", "election")) if s.n else Reading()
    return c.Post(seat, thread, ref, "", quote, reading)


def _sign(s: State, rng: Random, mind: Mood) -> c.Command | None:
    kinds = []
    for kind in s.board.rules.petitions.kinds:
        if kind in s.passed_kinds or (kind == "abort" and (not s.reds_dealt or rng.random() < 0.9)):
            continue
        close = sped_close(s, s.now, s.closes_at) if kind == "speed_up" else s.closes_at
        if s.now < close - s.board.rules.petitions.closing_minutes:
            kinds.append(kind)
    if s.phase != DAY or not kinds or not mind.politics or rng.random() < 0.8:
        return None
    kind = rng.choice(kinds)
    signers = s.seats(s.alive & ~s.red_today & ~s.sig.get(kind, 0))
    return c.Sign(rng.choice(signers), kind) if signers else None


def _surrender(s: State, rng: Random, mind: Mood) -> c.Command | None:
    rule = s.board.rules.surrender
    if rule is None or s.phase in (SETUP, OVER) or not mind.politics:
        return None
    faction = s.board.faction_index[rule.faction]
    if faction in s.lost:
        return None
    if s.proposal:
        asked = s.seats(s.asked & ~s.agreed)
        answer = "agree" if rng.random() < 0.5 else "decline"
        return c.Surrender(rng.choice(asked), answer) if rng.random() < 0.5 else None
    members = s.seats(s.faction_mask[faction] & s.alive)
    if s.declined or not members or rng.random() < 0.97:
        return None
    return c.Surrender(rng.choice(members))


def _last_words(s: State, rng: Random, mind: Mood) -> c.Command | None:
    if s.phase == OVER:
        return None
    entitled = [
        seat
        for seat in s.entitled()
        if seat in s.last_due and (s.now < s.last_due[seat] if s.last_due[seat] >= 0 else s.day < -s.last_due[seat])
    ]
    return c.LastWords(rng.choice(entitled), "digest") if entitled and rng.random() < 0.3 else None


# --- directors ----------------------------------------------------------------------------------------------------


def _director(s: State, rng: Random, mind: Mood) -> c.Command | None:
    if rng.random() < mind.harsh and s.alive:
        return c.Direct("out", rng.choice(s.seats(s.alive)), "改判")
    makers = [_card, _card, _uncard, _substitute, _assistant, _proxy, _void_vote, _void_act, _simple, _simple, _rare]
    return rng.choice(makers)(s, rng, mind)


def _card(s: State, rng: Random, mind: Mood) -> c.Command | None:
    clause = rng.choice(list(s.board.rules.conduct) or [""])
    if not clause:
        return None
    seat = rng.randint(1, s.n)
    colours = s.board.rules.conduct[clause].colours
    if clause == s.board.rules.attendance.silence_clause:  # M6: the colour goes by the role
        silences = {s.board.skills[k].silence for k in s.board.role_skills[s.role[seat]]}
        colours = ["yellow"] if "yellow" in silences else ["blue"]
    colour = rng.choice(colours)
    if colour == "red" and rng.random() < 0.7:
        colour = colours[0]
    lose = colour == "red" and s.board.rules.cards.director_may_judge and rng.random() < 0.1
    return c.Card(seat, colour, clause, lose)


def _uncard(s: State, rng: Random, mind: Mood) -> c.Command | None:
    dealt = [(seat, *card) for seat in range(1, s.n + 1) for card in s.card_list[seat]]
    return c.Uncard(*rng.choice(dealt)) if dealt else None


def _substitute(s: State, rng: Random, mind: Mood) -> c.Command | None:
    times = s.board.rules.substitutes.times
    free = [seat for seat in range(1, s.n + 1) if not times or s.substituted.get(seat, 0) < times]
    return c.Substitute(rng.choice(free)) if free else None


def _assistant(s: State, rng: Random, mind: Mood) -> c.Command | None:
    games = s.board.rules.assistants.games
    free = [x for x in range(1, s.n + 1) if not s.assistants >> x & 1 and s.history.get(x, 0) <= games]
    return c.Assistant(rng.choice(free)) if free else None


def _proxy(s: State, rng: Random, mind: Mood) -> c.Command | None:
    free = [(seat, ballot) for ballot in s.ballots for seat in _voters(s) if s.vote[ballot][seat] < 0]
    if not free or not _thawed(s):
        return None
    seat, ballot = rng.choice(free)
    return c.Proxy(seat, ballot, _target(s, seat, rng, mind), rng.getrandbits(30) + 1)


def _void_vote(s: State, rng: Random, mind: Mood) -> c.Command | None:
    cast = [[x, b] for b in s.ballots for x in range(1, s.n + 1) if s.vote[b][x] >= 0] if s.phase == DAY else []
    return c.Direct("void_vote", rng.choice(cast), "改判") if cast else None


def _void_act(s: State, rng: Random, mind: Mood) -> c.Command | None:
    kept = [
        [by, index]
        for (holder, index), (_, by) in s.pending.items()
        if index in s.hands[holder] and not s.hands[holder][index].spent
        and holder_of(s, by, s.board.skills[index]) == holder
        and not (s.phase in (DUSK, NIGHT) and 0 <= s.board.skills[index].stage < s.stage)
    ]  # fmt: skip
    return c.Direct("void_act", rng.choice(kept), "改判") if kept else None


def _simple(s: State, rng: Random, mind: Mood) -> c.Command | None:
    act = rng.choice(["pause", "hold", "outage", "undo", "correct", "deadline", "extend", "speed_up"])
    value: object = True
    if act == "pause" and not mind.pauses:
        return None
    if act == "undo" and not s.undoable:
        return None
    if act == "outage":
        value = [s.now - 30, s.now]
    if act == "correct":
        told = [(seat, answer) for seat in range(1, s.n + 1) for _, answer, _ in s.told[seat]]
        if not told:
            return None
        seat, answer = rng.choice(told)
        value = [seat, answer.skill, answer.value]
    if act == "deadline":
        if due(s) >= NEVER or s.phase == OVER or (s.phase in (NIGHT, DAWN) and s.settled and s.prompt is None):
            return None
        if s.phase in (DUSK, NIGHT, DAWN) and s.settled and s.prompt is None:
            return None
        value = s.now + rng.randint(5, 90)
    if act in ("extend", "speed_up") and s.phase != DAY:
        return None
    return c.Direct(act, value, "改判")


def _rare(s: State, rng: Random, mind: Mood) -> c.Command | None:
    act = rng.choice(["out", "restore", "restore", "lose"])
    if act == "out":
        living = s.seats(s.alive)
        return c.Direct("out", rng.choice(living), "改判") if living else None
    if act == "restore":
        return c.Direct("restore", rng.choice(s.out_order), "改判") if s.out_order else None
    left = [f for f in range(len(s.board.faction_ids)) if f not in s.lost]
    return c.Direct("lose", rng.choice(left), "改判") if left and rng.random() < 0.2 else None


# --- whole games --------------------------------------------------------------------------------------------------


def pace(s: State, rng: Random, mind: Mood) -> int:
    """Minutes until the next command: so that an eager table does all it can before the next deadline."""
    if s.paused_at >= 0:
        return rng.randint(10, 900)
    if s.phase == DAY:
        whole_phase, holders = s.closes_at - s.opened_at, 1.3 * s.n * len(s.ballots)
    elif s.phase == SETUP:
        whole_phase, holders = s.board.rules.calendar.setup_minutes, 3.0
    elif s.prompt is not None:
        whole_phase, holders = s.prompt.until - s.prompt.opened, 2.0
    else:
        whole_phase, holders = 60, 6.0
    return round(rng.expovariate(1) * whole_phase / (holders * (0.3 + 1.5 * mind.eager)) + 0.3)


def play(game: Game, rng: Random, mind: Mood | None = None, days: int = LONGEST) -> Iterator[Game]:
    """Drive a game to its end, yielding it after every entry.

    Raises:
        Refused: something that was chosen as legal was refused.
    """
    mind = mind or mood(rng)
    s = game.state
    while s.phase != OVER:
        if s.day > days:
            game.do(c.Direct("abort", True, "太久"), s.now, "director 1")
            yield game
            return
        at = s.now + pace(s, rng, mind)
        if at >= due(s):
            game.step()
            yield game
            continue
        kept = s.now
        s.now = at
        found = choose(s, rng, mind)
        s.now = kept
        if found is None:
            if due(s) < NEVER and rng.random() < 0.5:
                game.step()
                yield game
            continue
        game.do(found[0], at, found[1])
        yield game


def whole(ruleset: str, seed: int, options: Mapping[str, str] | None = None, mind: Mood | None = None) -> Game:
    """A finished random game."""
    rng = Random(f"{ruleset} {seed}")
    game = new_game(ruleset, rng, options)
    for _ in play(game, rng, mind):
        pass
    return game
