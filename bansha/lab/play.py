"""One game played by computer players: asks each of them in its turn and hands what it wants to the referee.

The players see `sight.view` of their seat and what is said in public; this module alone knows both them and the referee.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

from bansha.lab.ceremony import Ceremony, hold
from bansha.players import Player, Talk
from bansha.players import intents as i
from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import BALLOTS, Board
from bansha.referee.game import Entry, Game
from bansha.referee.judge import due
from bansha.referee.reading import Reading, read_post
from bansha.referee.refusals import Refused
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, OVER, SETUP
from bansha.sight.types import Viewer
from bansha.sight.view import view

LAST_DAY = 40
"""A game that has not ended by then is ended by the director, so that every game ends."""

MONDAY = 29_641_500  # 2026-05-11T09:00 in minutes since 1970
NOBODY = Reading()

Watch = Callable[[Entry, Talk | None], None]


class Play:
    """A game being played. `run` plays it to its end; `watch` is called with each entry and what was said with it.

    Args:
        board: the compiled board.
        seed: of personas, deal, dice and players alike.
        speaks: whether the players put their acts into words (the game is the same either way).
        watch: called after each entry of the journal.
    """

    def __init__(self, board: Board, seed: int, speaks: bool = True, watch: Watch | None = None) -> None:
        self.board = board
        self.seed = seed
        self.speaks = speaks
        self.watch = watch
        self.ceremony: Ceremony = hold(board, seed)
        self.game = Game(board, self.ceremony.dice)
        seats = range(1, len(self.ceremony.roles) + 1)
        self.players = {seat: Player(seat, seed, board.rules, speaks) for seat in seats}
        self.talk: list[Talk] = []
        self.texts: dict[int, str] = {}
        self.held_back: list[Talk] = []
        self.refusals: list[tuple[int, i.Intent, Refused]] = []
        self.ref = 0
        self.shown = 0

    def run(self) -> Game:
        """Play the game to its end."""
        self.open()
        while not self.game.over:
            self.step()
        self._record(self.ceremony.opening, self.game.state.now)
        return self.game

    def open(self) -> None:
        """The ceremony and the deal."""
        calendar = self.board.rules.calendar
        start = MONDAY + (720 if self.board.starts_at_night else 0)
        begins = start - calendar.setup_minutes
        held = self.ceremony
        count = len(held.roles)
        for number, event in enumerate(held.steps):
            hours = 72 if number == 0 else (48 if number <= count else 24)
            self._record(event, begins - hours * 60 + number)
        options = {name: self.board.option[name] for name in self.board.rules.options}
        self._do(c.Open(options, held.personas, held.roles, start, {}, held.masks), begins, "town")

    def step(self) -> None:
        """Whatever comes next: setup, a day, a dusk, a stage of the night, a dawn, an opening."""
        s = self.game.state
        phase = s.phase
        if phase == SETUP:
            self._ask_holders(s.now + 1)
            self._advance(s.setup_ends)
        elif phase == DAY:
            if s.day > LAST_DAY:
                self._do(c.Direct("abort", True, f"{LAST_DAY}日未决"), s.now, "director 1")
                return
            self._day()
        elif s.prompt is not None:
            self._prompt()
        elif phase == NIGHT and not s.settled:
            stage = s.stage
            self._ask_holders(max(s.now, s.dusk_end) + 1)
            if self._still_in(stage):  # else it has closed early (C8)
                self._tick()
        else:
            self._tick()
            self._farewells()

    def _still_in(self, stage: int) -> bool:
        s = self.game.state
        return s.phase == NIGHT and not s.settled and s.stage == stage

    # --- asking ---------------------------------------------------------------------------------------------------

    def ask(self, seat: int, now: int) -> None:
        """Let a player decide at a minute, and hand in what it wants."""
        s = self.game.state
        if s.phase == OVER:
            return
        wants = self.players[seat].decide(view(s, Viewer("player", seat), now), self.talk)
        skills = [want for want in wants if isinstance(want, i.Use)]
        for want in wants:
            if s.phase == OVER:
                return
            try:
                if not isinstance(want, i.Use):
                    HAND_IN[type(want)](self, seat, want, now)
                elif want is skills[0]:
                    self._use(seat, skills, now)
            except Refused as refusal:
                self.refusals.append((seat, want, refusal))

    def _ask_holders(self, start: int) -> None:
        """Those who have something open and not handed in, one after the other over some minutes; a pack is asked one by
        one, each sees what the others did."""
        s = self.game.state
        span = max(1, min(20, due(s) - start - 1)) if s.phase != SETUP else 200
        minutes = sorted((start + (seat * 7 + self.seed + s.day * 3) % span, seat) for seat in range(1, s.n + 1))
        ordered = s.ordered
        self._ask_in_turn(minutes)
        if s.ordered != ordered:  # an order has voided a pass (M17): whom it concerns is asked once more
            self._ask_in_turn([(min(start + span, due(s) - 1), seat) for _, seat in minutes])

    def _ask_in_turn(self, minutes: Sequence[tuple[int, int]]) -> None:
        s = self.game.state
        for now, seat in minutes:
            if s.phase == OVER or due(s) <= now:
                return
            if not s.alive >> seat & 1:
                continue
            holders = (seat, *s.packs_of(seat))
            if any(
                (holder, index) not in s.pending and not held.spent and self._handed_in(index)
                for holder in holders
                for index, held in s.hands[holder].items()
            ):
                self.ask(seat, now)

    def _handed_in(self, index: int) -> bool:
        """Whether the skill is one of setup's, or of a stage not yet closed tonight."""
        s, skill = self.game.state, self.board.skills[index]
        if skill.automatic:
            return False
        return skill.setup >= 0 if s.phase == SETUP else skill.stage >= s.stage

    def _prompt(self) -> None:
        """Ask whom a prompt waits for; silence is left to its limit."""
        s = self.game.state
        assert s.prompt is not None
        before, seat = s.prompt, s.prompt.seat
        self.ask(seat, min(s.prompt.opened + 3, s.prompt.until - 1))
        if s.prompt is before and s.phase in (DUSK, DAWN):
            self._tick()
        self._farewells()

    def _farewells(self) -> None:
        """Those entitled to last words hand them in; they are read out with the next opening."""
        s = self.game.state
        if s.phase == OVER:
            return
        for seat in s.entitled():
            told = s.told_out >> seat & 1 and seat not in s.last_given and s.last_due.get(seat, 0)
            if told and due(s) > s.now:
                self.ask(seat, s.now)

    # --- the day --------------------------------------------------------------------------------------------------

    def _day(self) -> None:
        """Rounds of talk spread over the day, the vote in the afternoon, the change before the freeze."""
        s = self.game.state
        day = s.day
        self.talk.extend(self.held_back)
        self.held_back = []
        opened = s.opened_at
        for number in range(4):
            if s.phase != DAY or s.day != day:
                return
            base = self._round(number, opened)
            living = [seat for seat in range(1, s.n + 1) if s.alive >> seat & 1]
            turn = (self.seed + day * 3 + number * 5) % len(living)
            gap = max(1, min(7, 55 // len(living)))
            for place, seat in enumerate(living[turn:] + living[:turn]):
                now = min(max(base + place * gap, s.now), s.closes_at - 1)
                if s.phase == DAY and s.alive >> seat & 1:
                    self.ask(seat, now)
        if s.phase == DAY and s.day == day:
            self._advance(s.closes_at)

    def _round(self, number: int, opened: int) -> int:
        """When a round begins: two of talk, the vote (four hours before the close), the change (two before)."""
        closes = self.game.state.closes_at
        talk = max(closes - 330 - opened, 60)
        return (opened + 30, opened + 30 + talk // 2, closes - 230, closes - 125)[number]

    # --- handing in -----------------------------------------------------------------------------------------------

    def _use(self, seat: int, wants: Sequence[i.Use | i.Answer], now: int) -> None:
        """Skills, all in one submission."""
        choices: dict[int, c.Targets] = {}
        for want in wants:
            skill = self.board.skills[want.index]
            bare = want.targets is not None and not skill.targets and not skill.raw.share
            choices[want.index] = True if bare else want.targets
        self._do(c.Act(seat, choices), now, f"seat {seat}")

    def _answer(self, seat: int, want: i.Answer, now: int) -> None:
        self._use(seat, [want], now)

    def _say(self, seat: int, want: i.Say, now: int) -> None:
        self._post(seat, "discussion", want.text, want.acts, now)

    def _vote(self, seat: int, want: i.Vote | i.Change, now: int) -> None:
        s = self.game.state
        ballot = BALLOTS.index(want.ballot)
        change = isinstance(want, i.Change)
        name = s.personas[want.target] if want.target else "弃权"
        word = "改票" if change else "投票"
        text = f"{word}对象：{name}\n{word}理由：{want.text}"
        act = i.Act("change" if change else "vote", want.target, why=want.why, topic=want.ballot)
        quote = s.vote_ref[ballot][seat] if change else 0
        thread = "ballot" if want.ballot == "exile" else "election"
        self._post(seat, thread, text, (act,), now, quote, Reading("change" if change else "vote", name))

    def _post(
        self, seat: int, thread: str, text: str, acts: tuple[i.Act, ...], now: int, quote: int = 0, known: Reading = NOBODY
    ) -> None:
        """A post: read by the referee as anybody's would be; in a game without words what is known is handed over."""
        self.ref += 1
        ballot = thread != "discussion"
        reading = read_post(text, self.board.patterns, ballot) if self.speaks else known
        digest = sha256(text.encode()).hexdigest() if self.speaks else ""
        room = "discussion" if not ballot else ("ballot" if thread == "ballot" else "election")
        talk = Talk(self.game.state.day, seat, room, acts, text)  # type: ignore[arg-type]
        if self.speaks:
            self.texts[self.ref] = text
        self._do(c.Post(seat, thread, self.ref, digest, quote, reading), now, f"seat {seat}", talk)
        self.talk.append(talk)

    def _sign(self, seat: int, want: i.Sign, now: int) -> None:
        self._do(c.Sign(seat, want.kind), now, f"seat {seat}")

    def _surrender(self, seat: int, want: i.Surrender, now: int) -> None:
        self._do(c.Surrender(seat, want.answer), now, f"seat {seat}")

    def _last_words(self, seat: int, want: i.LastWords, now: int) -> None:
        s = self.game.state
        talk = Talk(s.day, seat, "last_words", want.acts, want.text)
        digest = sha256(want.text.encode()).hexdigest() if self.speaks else ""
        self._do(c.LastWords(seat, digest), now, f"seat {seat}", talk)
        if self.speaks:
            self.texts[-seat] = want.text
        self.held_back.append(talk)

    # --- the journal ----------------------------------------------------------------------------------------------

    def _do(self, command: c.Command, now: int, by: str, talk: Talk | None = None) -> None:
        try:
            self.game.do(command, now, by)
        finally:
            self._show(talk)

    def _record(self, event: e.Event, now: int) -> None:
        self._do(c.Record([event]), now, "town")

    def _tick(self) -> None:
        self.game.step()
        self._show(None)

    def _advance(self, now: int) -> None:
        while not self.game.over and due(self.game.state) <= now:
            self._tick()

    def _show(self, talk: Talk | None) -> None:
        entries = self.game.entries
        while self.shown < len(entries):
            entry = entries[self.shown]
            self.shown += 1
            if self.watch is not None:
                self.watch(entry, talk if self.shown == len(entries) else None)


HAND_IN: Mapping[type, Callable[..., None]] = {
    i.Answer: Play._answer,
    i.Say: Play._say,
    i.Vote: Play._vote,
    i.Change: Play._vote,
    i.Sign: Play._sign,
    i.Surrender: Play._surrender,
    i.LastWords: Play._last_words,
}
