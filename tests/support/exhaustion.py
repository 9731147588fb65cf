"""What has happened to every skill of a ruleset over random games, and what can happen to it at all.

Columns: used, passed, refused, silent (its time ran out with nothing handed in), lapsed, frozen, lost, gained (in play, by
another skill or passed on), inherited (附身).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import Board, SkillTable
from bansha.referee.game import Game
from bansha.referee.judge import due
from bansha.referee.legality import PASSIVE_VERBS, PROMPT_VERBS, tonight
from bansha.referee.refusals import Refused
from bansha.referee.state import DAWN, DAY, NIGHT, OVER, SETUP, State
from tests.support.random_games import Mood, new_game, play, random_options

COLUMNS = ("used", "passed", "refused", "silent", "lapsed", "frozen", "lost", "gained", "inherited")


class Tally:
    """Counts by (skill, column) over any number of games of one board's skills."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.cells: Counter[tuple[int, str]] = Counter()
        self.games = 0
        self.wanted: list[tuple[int, str]] = []  # cells to steer towards: (skill, column)

    def play(self, game: Game, rng: Random, mind: Mood) -> None:
        """Play a game to its end, looking at every entry; now and then try what must be refused."""
        self.games += 1
        s = game.state
        done = len(game.entries)
        usable: dict[tuple[int, int], bool] = {}
        for _ in play(game, rng, mind):
            for entry in game.entries[done:]:
                self._look(s, entry[3], entry[4], usable)
            done = len(game.entries)
            usable = _usable(s)
            if rng.random() < 0.05:
                self._refuse(game, rng)
            if self.wanted and rng.random() < 0.3 and s.paused_at < 0 and s.phase != OVER and s.now < due(s):
                command = _towards(s, *rng.choice(self.wanted), rng)
                if command is not None:
                    game.do(command, s.now, "steering")

    def _look(self, s: State, command: c.Command, events: list[e.Event], usable: dict[tuple[int, int], bool]) -> None:
        board, cells = self.board, self.cells
        closing = isinstance(command, c.Tick)
        stages = [event.stage for event in events if isinstance(event, e.StageClosed)]
        if any(isinstance(event, e.SetupEnded) for event in events):
            stages.append(-1)
        for (_holder, index), handed in usable.items():
            skill = board.skills[index]
            over = (skill.stage in stages) if stages != [-1] else skill.setup >= 0
            if closing and stages and over and not handed:
                cells[index, "silent"] += 1
        for event in events:
            match event:
                case e.Used():
                    cells[event.skill, "used"] += 1
                case e.Told() if board.skills[event.skill].verb == "vision" and not event.corrects:
                    cells[event.skill, "used"] += 1
                case e.Marked() if board.skills[event.skill].verb == "ward" or event.skill == board.auto_shield:
                    cells[event.skill, "used"] += 1
                case e.Submitted() if event.targets is None:
                    cells[event.skill, "passed"] += 1
                case e.PromptAnswered():
                    cell = "silent" if event.silent else "passed" if event.target < 0 else "used"
                    cells[event.skill, cell] += 1
                case e.Lapsed():
                    cells[event.skill, "lapsed"] += 1
                case e.Stopped():
                    cells[event.skill, "frozen"] += 1
                case e.SkillLost():
                    cells[event.skill, "lost"] += 1
                case e.SkillGained():
                    cells[event.skill, "inherited" if event.why == "inherit" else "gained"] += 1
                    giver = board.skill_index.get(event.why, -1)
                    if giver >= 0 and board.skills[giver].verb == "execution":
                        cells[giver, "used"] += 1
                case e.Voided() if board.skills[event.by].verb == "steadfast":
                    cells[event.by, "used"] += 1
                case e.Announced():
                    for skill in board.skills:
                        if skill.verb == "sanctity" and event.kind == skill.zh:
                            cells[skill.index, "used"] += 1
                case e.Out() if s.phase in (NIGHT, DAWN) and board.option["freeze_scope"] == "all" and s.frozen >> event.seat & 1:
                    for index, held in s.hands[event.seat].items():
                        if board.skills[index].verb == "last_shot" and not held.spent and event.cause != "red_card":
                            cells[index, "frozen"] += 1
                case _:
                    pass

    def _refuse(self, game: Game, rng: Random) -> None:
        """Hand in some skill by somebody who may not, or with a target that is none."""
        s = game.state
        if due(s) <= s.now:
            return
        index = rng.randrange(len(self.board.skills))
        seat = rng.randint(1, s.n)
        before = len(game.entries)
        out_of_place: list[c.Targets] = [[0], [s.n + 1], True, [1, 1, 1, 1, 1]]
        try:
            game.do(c.Act(seat, {index: rng.choice(out_of_place)}), s.now, f"seat {seat}")
        except Refused as refusal:
            self.cells[index, "refused"] += 1
            if refusal.code == "frozen" and not why_not(self.board, self.board.skills[index], "frozen"):
                self.cells[index, "frozen"] += 1
            return
        for entry in game.entries[before:]:
            self._look(s, entry[3], entry[4], {})


def _usable(s: State) -> dict[tuple[int, int], bool]:
    """(holder, skill) → whether something was handed in, for what a living holder could hand in before the next tick."""
    found: dict[tuple[int, int], bool] = {}
    for holder in range(1, len(s.hands)):
        if not s.members(holder) & s.alive:
            continue
        for index, held in s.hands[holder].items():
            skill = s.board.skills[index]
            if held.spent or skill.automatic or skill.verb in PASSIVE_VERBS or skill.verb in PROMPT_VERBS:
                continue
            if (skill.stage >= s.stage and tonight(s, skill, s.day) and not s.settled) or (skill.setup >= 0 and s.phase == 0):
                found[holder, index] = (holder, index) in s.pending
    return found


def _towards(s: State, index: int, column: str, rng: Random) -> c.Command | None:
    """A legal command that brings a rare cell nearer: a host chosen and taken out, a kept choice made to lapse."""
    board = s.board
    skill = board.skills[index]
    if column == "inherited":
        if s.phase == SETUP:
            roots = {k.index for k in board.skills if skill.id in (k.raw.becomes, *k.raw.gains.values())} or {index}
            for seat in s.seats(s.alive):
                hosts = [x for x in s.seats(s.alive) if x != seat and roots & s.hands[x].keys()]
                for k in s.hands[seat]:
                    if board.skills[k].raw.joins_den and hosts and not s.told_out >> seat & 1:
                        return c.Act(seat, {k: [rng.choice(hosts)]})
            return None
        hosts = [x for shadow, x in s.host.items() if s.alive >> shadow & 1 and s.alive >> x & 1 and index in s.hands[x]]
        if hosts:
            return c.Direct("out", hosts[0], "改判")
        root = [k.index for k in board.skills if skill.id in k.raw.gains.values()]
        marked = [x for owner, mask in s.heretics.items() for x in s.seats(mask & s.alive) if root and owner in s.host.values()]
        return c.Direct("out", rng.choice(marked), "改判") if marked else None
    if column == "frozen":
        return _freezing(s, skill)
    for (holder, kept), (targets, _by) in s.pending.items():
        if column == "lapsed" and kept == index and targets is not None:
            if skill.needs_last:
                out = [x for x in s.out_order if s.members(holder) >> x & 1]
                return c.Direct("restore", rng.choice(out), "改判") if out else None
            if s.phase == SETUP or (s.phase == DAY and holder > s.n):
                return c.Direct("out", targets[0], "改判") if targets and s.alive >> targets[0] & 1 else None
            if s.phase == DAY and holder <= s.n and s.alive >> holder & 1:
                return c.Direct("out", holder, "改判")
    return None


def _freezing(s: State, skill: SkillTable) -> c.Command | None:
    """The freeze put on a holder of the skill; with `freeze_scope: all` a frozen holder of the last shot taken out."""
    freeze = next(k for k in s.board.skills if k.verb == "freeze")
    holders = [x for x in s.seats(s.alive) if skill.index in s.hands[x] and not s.hands[x][skill.index].spent]
    if s.phase == NIGHT and not s.settled and skill.verb == "last_shot" and s.board.option["freeze_scope"] == "all":
        frozen = [x for x in holders if s.frozen >> x & 1]
        if frozen:
            return c.Direct("out", frozen[0], "改判")
    for seat in s.seats(s.alive):
        held = s.hands[seat].get(freeze.index)
        targets = [x for x in holders if held is not None and not held.used >> x & 1]
        if targets and (s.phase == DAY or (s.phase == NIGHT and s.stage == freeze.stage and s.now < s.limits[freeze.stage])):
            return c.Act(seat, {freeze.index: [targets[0]]})
    return None


# --- what can happen ----------------------------------------------------------------------------------------------


def why_not(board: Board, skill: SkillTable, column: str) -> str:
    """Why this can never happen to the skill on this board; "" when it can."""
    raw = skill.raw
    prompt = skill.verb in PROMPT_VERBS
    handed_in = not skill.automatic and skill.verb not in PASSIVE_VERBS
    shadowed = any(table.verb == "join" and table.raw.joins_den for table in board.skills)
    own = _hand(board)
    if column == "passed":
        if not handed_in:
            return "nothing is handed in"
        return "forced" if skill.forced else ""
    if column == "silent":
        return "" if handed_in else "nothing is handed in"
    if column == "lapsed":
        if not handed_in or prompt:
            return "never kept for later" if prompt else "nothing is handed in"
        return "takes effect when handed in" if skill.immediate else ""
    if column == "frozen":
        freeze = next((table for table in board.skills if table.verb == "freeze"), None)
        if freeze is None:
            return "nobody freezes here"
        if skill.forced or not handed_in:
            return "forced or automatic"
        if skill.verb == "last_shot":
            return ""
        return "no stage after the freeze" if prompt or skill.stage <= freeze.stage else ""
    if column == "lost":
        taken = {name for table in board.skills for name in (*table.raw.takes, *table.raw.loses)}
        passed_on = any(line.line == "pass_on" and line.skill == skill.id for line in board.aftermath)
        absorbs = any(skill.id in (line.moved_by, *line.absorbed_by) for line in board.settlement)
        return "" if skill.id in taken or raw.lost_with_faction or passed_on or absorbs else "nothing takes it away"
    if column == "gained":
        given = {name for table in board.skills for name in (*table.raw.gains.values(), table.raw.becomes)}
        passed_on = any(line.line == "pass_on" and line.skill == skill.id for line in board.aftermath)
        return "" if skill.id in given or passed_on else "nothing gives it"
    if column == "inherited":
        if not shadowed:
            return "nobody inherits here"
        if skill.pack >= 0 or (skill.setup >= 0 and skill.stage < 0) or skill.verb == "handover":
            return "a setup skill, a pack's or an office's"
        if any(line.line == "pass_on" and line.skill == skill.id for line in board.aftermath):
            return "passes on by itself"
        return "" if skill.index in own else "in no hand"
    return ""


def _hand(board: Board) -> set[int]:
    """Skills that can be in a seat's hand: dealt, or gained in play."""
    own = {index for hand in board.role_skills for index in hand}
    for table in board.skills:
        own.update(board.skill_index[name] for name in (*table.raw.gains.values(), table.raw.becomes) if name)
    return own


def empty(tally: Tally) -> list[tuple[str, str]]:
    """Legal cells that have not happened."""
    return [
        (skill.id, column)
        for skill in tally.board.skills
        for column in COLUMNS
        if not tally.cells[skill.index, column] and not why_not(tally.board, skill, column)
    ]


def impossible(tally: Tally) -> list[tuple[str, str]]:
    """Cells that have happened though they are said to be illegal."""
    return [
        (skill.id, column)
        for skill in tally.board.skills
        for column in COLUMNS
        if tally.cells[skill.index, column] and why_not(tally.board, skill, column)
    ]


def table(tally: Tally) -> list[str]:
    """The table as lines: counts, an empty legal cell as 0, an illegal one as a letter that the legend explains."""
    reasons: dict[str, str] = {}
    width = max(len(skill.id) for skill in tally.board.skills)
    lines = [f"{'':<{width}}  " + "  ".join(f"{column:>9}" for column in COLUMNS)]
    for skill in tally.board.skills:
        row = []
        for column in COLUMNS:
            why = why_not(tally.board, skill, column)
            if why:
                row.append(reasons.setdefault(why, chr(ord("a") + len(reasons))))
            else:
                row.append(str(tally.cells[skill.index, column]))
        lines.append(f"{skill.id:<{width}}  " + "  ".join(f"{cell:>9}" for cell in row))
    lines.extend(f"  {letter}: {why}" for why, letter in reasons.items())
    return lines


MINDS = (
    Mood(eager=0.95, passing=0.05, loyal=0.6, director=0.12, harsh=0.6, politics=False),
    Mood(eager=0.95, passing=0.05, loyal=1.0, director=0.0, politics=False),
    Mood(eager=0.6, passing=0.3, loyal=0.5, director=0.05),
    Mood(eager=0.9, passing=0.1, loyal=0.6, director=0.3, harsh=0.3, politics=False),
)
"""Games of four kinds: a harsh director, none, idle players, a busy director."""


def search(ruleset: str, label: str = "", games: int = 3000, minds: Sequence[Mood] = MINDS) -> Tally:
    """Random games, steered towards what is rare, until no legal cell is empty, or `games` have been played."""
    rng = Random(f"exhaustion {ruleset} {label}")
    tally: Tally | None = None
    for number in range(games):
        options = random_options(ruleset, rng) if number % 2 else {}
        options = {**options, **({"first_night_shield": "declared"} if "first_night_shield" in options else {})}
        game = new_game(ruleset, rng, options)
        if tally is None:
            tally = Tally(game.board)
        board = game.board
        kept, tally.board = tally.board, board
        tally.play(game, rng, minds[number % len(minds)])
        tally.board = kept
        left = empty(tally)
        if number > 20 and not left:
            break
        tally.wanted = [(board.skill_index[id], column) for id, column in left if column in ("inherited", "lapsed", "frozen")]
    assert tally is not None
    return tally
