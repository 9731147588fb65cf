"""From the journal's news to the outbox, inside the writing transaction.

How far a journal has been told is kept: what is projected again by a rebuild is not told again. What hangs on time (a close
that comes, a window that opens) is written as a line that is looked at again when its moment has come (`standing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.urls import reverse

from bansha.journal import doors
from bansha.journal.projectors import Said
from bansha.journal.time import Pace
from bansha.notify import plan
from bansha.notify.diary import note_limits
from bansha.notify.models import Heard, Ways
from bansha.notify.plan import What
from bansha.sight.news import News
from bansha.sight.types import DIRECTOR, PUBLIC
from bansha.town.floors import HELD
from bansha.town.models import Game, Post

SPOKEN = {"announced", "counted", "moved", "paused", "resumed"}
TOLD = {"card", "card_withdrawn", "day", "ended", "game_opened", "prompt", "proposed", "flagged", *SPOKEN}
TURNS = {"game_opened", "setup_ended", "closed", "resumed"}
"""News after which windows lie ahead."""
TIMES = {"day", "moved", "acted", "undone", *TURNS}
"""News after which limits may stand elsewhere."""
WARNING = timedelta(minutes=10)
"""How long before a limit directors hear that somebody is missing."""


def clear(_journal: int) -> None:
    """Nothing: what was told stays told."""


def project(journal: int, said: Sequence[Said]) -> None:
    """React to new entries."""
    count = len(said)
    said = [entry for entry in said if any(news.kind in TOLD or news.kind in TIMES for news in entry.news)]
    game = Game.objects.filter(journal=journal).first() if said else None
    if game is None:
        return
    # a game older than this: what was written before now is not told
    heard, _new = Heard.objects.get_or_create(game=game, defaults={"n": max(0, doors.head(journal) - count)})
    fresh = [entry for entry in said if entry.n > heard.n]
    if not fresh:
        return
    Heard.objects.filter(pk=game.pk).update(n=fresh[-1].n)
    if any(news.kind in TIMES for entry in fresh for news in entry.news):
        note_limits(game, fresh[-1].received)
    if Ways.objects.exists():
        _Teller(game, journal).tell(fresh)


class _Teller:
    def __init__(self, game: Game, journal: int) -> None:
        self.game = game
        self.journal = journal
        self.pace: Pace = doors.pace(journal)
        self._everybody: list[Ways] | None = None

    @property
    def everybody(self) -> list[Ways]:
        if self._everybody is None:
            self._everybody = plan.everybody(self.game)
        return self._everybody

    def tell(self, said: Sequence[Said]) -> None:
        for entry in said:
            self.entry(entry)
        last = said[-1]
        if any(news.kind in TIMES for entry in said for news in entry.news):
            turned = any(news.kind in TURNS for entry in said for news in entry.news)
            plan_times(self.game, self.journal, self.pace, last.at, last.received, turned)

    def page(self, name: str) -> str:
        return reverse(name, args=[self.game.pk])

    def entry(self, entry: Said) -> None:
        """One entry: at most one announcement, and what is each one's own."""
        now = entry.received
        kinds = {news.kind for news in entry.news}
        for news in entry.news:
            match news.kind:
                case "game_opened":
                    plan.queue(self.game, What("opened", "begun", self.page("town:hub"), now), self.everybody, now)
                case "day":
                    day = int(news.value["day"])
                    path = reverse("town:thread", args=[self.game.pk, f"talk-{day}"])
                    expires = self.pace.moment(int(news.value["closes_at"]))
                    plan.queue(self.game, What("opened", f"day {day}", path, now, day=day, expires=expires), self.everybody, now)
                case "ended":
                    plan.queue(self.game, What("ended", f"{entry.n}", self.page("town:hub"), now), self.everybody, now)
                case "prompt":
                    self.own(news, What("prompt", f"{entry.n}", self.page("town:letter"), now, expires=self._until(news)), now)
                case "card" | "card_withdrawn":
                    self.own(news, What("card", f"{entry.n}", self.page("town:hub"), now), now)
        if kinds & {"proposed", "flagged"}:
            self.desk(What("proposed", f"{entry.n}", self.page("desk:desk"), now), now)
        if kinds & SPOKEN and not kinds & {"day", "ended"}:
            self.announce(entry)

    def _until(self, news: News) -> datetime:
        return self.pace.moment(int(news.value["until"]))

    def own(self, news: News, what: What, now: datetime) -> None:
        """Something of single seats, for whoever plays them."""
        seats = news.seats or (int(news.value["seat"]),)
        for seat, way in plan.players(self.game, seats):
            plan.queue(self.game, what._replace(name=f"{what.name} {seat}", seat=seat), [way], now)

    def desk(self, what: What, now: datetime) -> None:
        """Something for the directors."""
        plan.queue(self.game, what, plan.directors(self.game), now)

    def announce(self, entry: Said) -> None:
        """An announcement; one whose wording waits for a director is told when it shows (C28), and meanwhile to the directors."""
        now = entry.received
        posts = Post.objects.filter(game=self.game, voice="referee", minute=entry.at, at=now).order_by("-pk")
        post = posts.first()
        held = post.held_until if post is not None and post.room == HELD else None
        path = self.page("town:hub")
        if post is not None and held is None:
            path = reverse("town:floor", args=[self.game.pk, post.room, post.floor])
        what = What("announcement", f"{entry.n}", path, held or now, about=entry.at)
        plan.queue(self.game, what, self.everybody, now)
        if held is not None:
            self.desk(What("proposed", f"held {entry.n}", self.page("desk:desk"), now, expires=held), now)


def plan_times(game: Game, journal: int, pace: Pace, minute: int, now: datetime, turned: bool) -> None:
    """Write the lines that hang on time as limits stand after an entry of game minute `minute`; those that are there already
    are left as they are. `turned`: windows lie ahead of the players. (What directors do unseen writes no line of a player's,
    unless it moves what everybody sees.)"""
    public = doors.see(journal, PUBLIC).view.public
    if public.phase == "over" or public.paused:
        return
    if public.phase == "day":
        ways = plan.everybody(game)
        for way in ways:
            plan_closing(game, way, public.day, public.closes_at, pace, now)
        return
    for seat, way in plan.players(game) if turned else ():
        plan.queue(game, window_at(game, seat, minute, pace.moment(minute), public.day), [way], now)
    at_desk = plan.directors(game)
    if at_desk:
        full = doors.see(journal, DIRECTOR).view.director
        ahead = [limit for limit in full.limits if limit > minute] if full is not None else []
        if ahead:
            plan.queue(game, missing_at(game, min(ahead), pace), at_desk, now)


def plan_seat(game: Game, journal: int, seat: int, way: Ways, now: datetime) -> None:
    """What lies ahead, for somebody who has just sat down (`seat` 0: as an assistant): the game has begun, the day will close, what
    is open for the seat."""
    public = doors.see(journal, PUBLIC).view.public
    if public.phase == "setup":
        plan.queue(game, What("opened", "begun", reverse("town:hub", args=[game.pk]), now), [way], now)
    if public.phase == "day":
        plan_closing(game, way, public.day, public.closes_at, doors.pace(journal), now)
    elif seat and public.phase != "over":
        plan.queue(game, window_at(game, seat, 0, now, public.day), [way], now)


def plan_closing(game: Game, way: Ways, day: int, closes_at: int, pace: Pace, now: datetime) -> None:
    """The line that a day will close, for somebody, at their own distance from it."""
    closes = pace.moment(closes_at)
    at = closes - timedelta(minutes=way.before)
    path = reverse("town:hub", args=[game.pk])
    if at > now:  # a day that is shorter than that needs no warning
        plan.queue(game, What("closing", f"{day} {closes_at}", path, at, about=closes_at, day=day, expires=closes), [way], now)


def window_at(game: Game, seat: int, minute: int, at: datetime, day: int) -> What:
    """A look at a seat's windows from game minute `minute` on."""
    return What("window", f"{minute} {seat}", reverse("town:letter", args=[game.pk]), at, about=minute, day=day, seat=seat)


def missing_at(game: Game, limit: int, pace: Pace) -> What:
    """A look at who is missing, shortly before a limit."""
    closes = pace.moment(limit)
    return What("missing", f"{limit}", reverse("desk:desk", args=[game.pk]), closes - WARNING, about=limit, expires=closes)
