"""A game of fourteen seats and ten days, played by hand through the judge's doors: votes on six targets with changes, ties and
exiles, night skills, cards dealt and withdrawn, a petition, last words, a surrender at the end. The same every time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from bansha.referee import commands as c
from bansha.referee import events as e
from bansha.referee.board import ELECTION, compile_board
from bansha.referee.dealing import Dice
from bansha.referee.game import Game
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER
from bansha.rulesets.load import load
from tests.support.stage import M46, Stage
from tests.support.town import MONDAY, NAMES, Clock, seated

NOVEMBER = 20_780 * 1440 + 9 * 60
"""2026-11-23T09:00 in the game's zone: `MONDAY` there."""
DAYS = 10
WOLVES, PIPER, AVENGER, SEER, WITCH, GUARD = (1, 2, 3, 4), 5, 6, 7, 8, 9
DOOMED = {3: 12, 5: 1, 8: 2, 9: PIPER}
"""Who is exiled on which day; on the others nobody has the most votes alone."""
KILLED = {2: 14, 4: 13}
"""Whom the wolves kill in which night; in the others they pass."""


class LongGame(Stage):
    """The stage with what was written in posts by reference, for whoever keeps them: `words`."""

    def __init__(self) -> None:
        self.board = compile_board(load("m46"), {})
        self.game = Game(self.board, Dice.from_seed(0))
        start = NOVEMBER + 720  # the game starts at night
        self.now = start - self.board.rules.calendar.setup_minutes
        self.game.do(c.Record([e.Seeded(0)]), self.now, "town")
        self.game.do(c.Open({}, NAMES[: len(M46)], M46, start, {}), self.now, "town")
        self.ref = 0
        self.words: dict[int, tuple[int, str]] = {}

    def living(self) -> list[int]:
        """The seats publicly in the game."""
        return list(self.s.seats(self.s.public_alive))

    def name(self, seat: int) -> str:
        """What a vote calls a seat."""
        return self.s.personas[seat] if seat else "弃权"

    def say(self, seat: int, thread: str, text: str, quote: int = 0) -> int:
        """A post, its words kept."""
        ref = self.post(seat, thread, text, quote)
        self.words[ref] = (seat, text)
        return ref

    def try_act(self, seat: int, **skills: Any) -> None:
        """Hand in what is legal, and leave what is not."""
        try:
            self.act(seat, **skills)
        except Refused:
            return

    def night(self, number: int) -> None:
        """What is handed in in a night."""
        living = self.living()
        self.wait(1)
        wolf = next(seat for seat in WOLVES if seat in living)
        if number in KILLED:
            self.try_act(wolf, kill=[11])
            self.wait(1)
        self.try_act(wolf, kill=[KILLED[number]] if number in KILLED else None)
        self.wait(1)
        self.try_act(GUARD, shield=[living[(number * 3) % len(living)]], mute_shield=[living[(number * 5 + 2) % len(living)]])
        self.wait(1)
        self.try_act(PIPER, charm=[living[(number * 2 + 1) % len(living)]] if number % 3 == 0 else None)
        self.wait(1)
        self.try_act(SEER, check=[living[(number + 1) % len(living)]])
        self.try_act(AVENGER, grudge=[1, 2, 3] if number == 2 else None)
        self.until(f"night {number}")
        self.wait(22)
        self.try_act(WITCH, antidote=None, poison=None)

    def day(self, number: int) -> None:
        """Talk, first votes spread over six targets, then changes."""
        living = self.living()
        for turn in range(2):
            for place, seat in enumerate(living):
                self.wait(2 + place % 3)
                about = self.name(living[(place + turn) % len(living)])
                self.say(seat, "discussion", f"第{number}日第{turn + 1}回：{about}昨天的票我记着。")
        if number == 2:
            self.do(c.Card(10, "blue", "2.4"))
        if number == 5:
            self.do(c.Card(11, "yellow", "5.1"))
        if number == 6:
            self.do(c.Uncard(11, "yellow", "5.1"))
        for seat in living[: len(living) // 3]:
            self.do(c.Sign(seat, "speed_up"))
        if ELECTION in self.s.ballots:
            for seat in living[:-1]:
                self.wait(1)
                self.say(seat, "election", f"投票对象：{self.name(living[seat % 2])}\n投票理由：稳。")
        self.votes(number, living, DOOMED.get(number, 0))

    def votes(self, number: int, living: list[int], doomed: int) -> None:
        """First votes on six targets; then most change to the one who goes, or two come to the same count and nobody goes."""
        targets = [0, *living[1:6]] if number % 3 else living[:6]
        voters = living[: len(living) - (number % 2 if number > 1 else 0)]  # on the first day all fourteen
        first = {seat: 0 if seat == self.s.sheriff else targets[(place + number) % 6] for place, seat in enumerate(voters)}
        free = [seat for seat in voters if seat != self.s.sheriff]
        one, two = living[1], living[2]
        third = len(free) // 3
        if doomed:
            last = dict.fromkeys(free[: 2 * third + 1], doomed)
        else:
            last = dict.fromkeys(free[:third], one) | dict.fromkeys(free[third : 2 * third], two)
            last |= {seat: 0 for seat in free[2 * third :] if first[seat] in (one, two)}
        refs = {}
        for seat in voters:
            self.wait(3)
            refs[seat] = self.say(seat, "ballot", f"投票对象：{self.name(first[seat])}\n投票理由：票型说不通。")
        for seat, target in last.items():
            if target != first[seat]:
                self.wait(2)
                self.say(seat, "ballot", f"改票对象：{self.name(target)}\n改票理由：想了想。", quote=refs[seat])

    def play(self) -> LongGame:
        """The whole game."""
        self.try_act(AVENGER, revenge=[1])
        self.until("night 0")
        self.night(0)
        for number in range(1, DAYS + 1):
            self.until(f"day {number}")
            self.farewells()
            self.day(number)
            if number == DAYS:
                self.surrender()
            if self.s.phase == OVER:
                return self
            self.pass_by(number)
            self.night(number)
        return self

    def farewells(self) -> None:
        """Who may leave last words does."""
        for seat in range(1, self.s.n + 1):
            if self.me(seat).last_words:
                self.do(c.LastWords(seat, "digest"))

    def pass_by(self, number: int) -> None:
        """The close, and dusk with whatever it asks."""
        self.wait(max(0, self.s.closes_at - self.now))
        self.farewells()
        self.until(f"night {number}")
        self.now = self.s.now

    def surrender(self) -> None:
        """The wolves give up, and the game ends."""
        alive = [seat for seat in WOLVES if seat in self.living()]
        self.do(c.Surrender(alive[0]))
        for seat in self.s.seats(self.s.asked & ~self.s.agreed):
            if self.s.phase != OVER:
                self.do(c.Surrender(seat, "agree"))


def in_town(clock: Clock) -> Any:
    """The long game as a finished game of the town: its journal and its posts are written at once, its threads made from them.
    Returns the town's game."""
    from bansha.bbcode.render import render_post
    from bansha.journal import doors, keep
    from bansha.journal.models import Entry
    from bansha.journal.models import Game as Journal
    from bansha.referee import archive
    from bansha.town.models import Game as Row
    from bansha.town.models import Post, Tenure

    clock.set(MONDAY)
    row = seated("m46", title="灯塔不眠夜")
    played = LongGame().play()
    data = archive.write(played.game.entries)
    lines = list(archive.read(data))
    began = MONDAY + timedelta(minutes=lines[0].at - NOVEMBER)
    Entry.objects.filter(game_id=row.journal).delete()
    Entry.objects.bulk_create(
        Entry(game_id=row.journal, n=n, at=line.at, key=None, line=raw, received=began + timedelta(minutes=line.at - lines[0].at))
        for n, (line, raw) in enumerate(zip(lines, data.split(b"\n"), strict=False), 1)
    )
    Journal.objects.filter(pk=row.journal).update(head=lines[-1].n, head_hash=lines[-1].hash, due_at=None, over=True)
    keep.drop_all()
    authors = dict(Tenure.objects.filter(game=row).values_list("seat", "account"))
    Post.objects.bulk_create(
        Post(
            game=row, room="new", floor=ref, voice="seat", seat=seat, author_id=authors[seat], ref=ref, body=text,
            html=render_post(text), words=text, at=MONDAY,
        )
        for ref, (seat, text) in played.words.items()
    )  # fmt: skip
    doors.rebuild(row.journal)
    clock.set(MONDAY + timedelta(days=20))
    return Row.objects.get(pk=row.pk)
