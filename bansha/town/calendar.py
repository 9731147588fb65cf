"""The calendar of a game that is being opened: from the moment of the deal to setup, discussion days and nights.

Setup lasts at least as long as the ruleset says and ends at an opening (boards that start by day) or exactly then (boards
that start at night). A faster game (`pace` above 1) begins so that setup ends at the opening or the close of its first day.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils.translation import gettext as _

from bansha.journal.time import EPOCH, Pace, local_minute
from bansha.rulesets.load import Loaded
from bansha.rulesets.model import Ruleset
from bansha.rulesets.sheet import week
from bansha.rulesets.words import Words, minutes_of
from bansha.town.words import clock, numeral

DAY = 1440


def by_night(ruleset: Ruleset, options: Mapping[str, str]) -> bool:
    """Whether the game starts with night 0."""
    return Words(ruleset, "zh", options).start() == "night"


def next_clock(minute: int, of_day: int) -> int:
    """The first moment at or after `minute` that has this time of day."""
    return minute + (of_day - minute) % DAY


def setup_end(ruleset: Ruleset, options: Mapping[str, str], deal: int) -> int:
    """The game minute at which setup ends when the deal is at game minute `deal`."""
    least = deal + ruleset.calendar.setup_minutes
    return least if by_night(ruleset, options) else next_clock(least, minutes_of(ruleset.calendar.opens))


def pace_of(ruleset: Ruleset, options: Mapping[str, str], deal: datetime, zone: str, pace: int) -> Pace:
    """How a game's time runs whose deal is planned for a real moment."""
    local = local_minute(deal, zone)
    if pace == 1:
        return Pace(deal, local, zone, 1)
    calendar = ruleset.calendar
    end = minutes_of(calendar.closes if by_night(ruleset, options) else calendar.opens)
    return Pace(deal, next_clock(local, (end - calendar.setup_minutes) % DAY), zone, pace)


def first_opening(ruleset: Ruleset, options: Mapping[str, str], setup_ends: int) -> int:
    """The game minute at which day 1 opens."""
    if not by_night(ruleset, options):
        return setup_ends
    return next_clock(setup_ends + max(night_length(ruleset) - 1, 0), minutes_of(ruleset.calendar.opens))


def night_length(ruleset: Ruleset) -> int:
    """Minutes from the close to the end of the last stage."""
    return max((stage.window[1] for stage in ruleset.night), default=0)


class Bar(NamedTuple):
    """A piece of a day's ruler, in per cent: `kind` day, nite or late (setup)."""

    x: str
    width: str
    kind: str
    text: str
    text_x: str


class Row(NamedTuple):
    """A natural day of the preview, from opening to opening: its name, bars, where votes can no longer be changed, and the
    whole in words."""

    name: str
    bars: list[Bar]
    ticks: list[str]
    said: str


class Window(NamedTuple):
    """A window of the night and what is handed in then."""

    opens: str
    limit: str
    skills: str


class Preview(NamedTuple):
    """The whole calendar. `deal`, `setup_ends`, `opens`: in words, in the game's zone. `faster`: real minutes of a game day
    ("": days are days)."""

    rows: list[Row]
    windows: list[Window]
    scale: tuple[str, str, str]
    deal: str
    setup_ends: str
    opens: str
    month: int
    faster: str


class Span(NamedTuple):
    """A stretch of game time on the rulers. `moved`: a close that the weekend moved."""

    begin: int
    end: int
    kind: str
    text: str = ""
    moved: bool = False


def weekday(minute: int) -> str:
    """周三 2."""
    at = EPOCH + timedelta(minutes=minute)
    days = (_("周一"), _("周二"), _("周三"), _("周四"), _("周五"), _("周六"), _("周日"))
    return f"{days[at.weekday()]} {at.day}"


def moment_words(minute: int) -> str:
    """12 月 1 日 15:00."""
    at = EPOCH + timedelta(minutes=minute)
    return _("%(month)s 月 %(day)s 日 %(clock)s") % {"month": at.month, "day": at.day, "clock": clock(minute)}


def windows(ruleset: Ruleset, lang: str) -> list[Window]:
    """The windows of a night, in order, with the skills handed in within each."""
    close = minutes_of(ruleset.calendar.closes)
    by_window: dict[tuple[int, int], list[str]] = {}
    for stage in ruleset.night:
        for name in stage.stage:
            skill = ruleset.skills[name]
            if not skill.automatic and (skill.targets or not skill.forced):
                by_window.setdefault((stage.window[0], stage.window[1]), []).append(skill.name.get(lang))
    joined = "、" if lang == "zh" else ", "
    return [Window(clock(close + a), clock(close + b), joined.join(names)) for (a, b), names in sorted(by_window.items())]


def preview(loaded: Loaded, options: Mapping[str, str], deal: datetime, zone: str, pace: int, lang: str) -> Preview:
    """The calendar of a game: a ruler a day for more than a week, and the windows of a night."""
    rules = loaded.ruleset
    time = pace_of(rules, options, deal, zone, pace)
    start = time.minute(deal)
    ends = setup_end(rules, options, start)
    opens = first_opening(rules, options, ends)
    opening = clock(minutes_of(rules.calendar.opens))
    return Preview(
        rows=_Rulers(loaded, options, start, ends, opens, lang).rows(),
        windows=windows(rules, lang),
        scale=(opening, clock(minutes_of(rules.calendar.closes)), opening),
        deal=moment_words(start),
        setup_ends=moment_words(ends),
        opens=moment_words(opens),
        month=(EPOCH + timedelta(minutes=start)).month,
        faster="" if pace == 1 else f"{DAY / pace:.3g}",
    )


class _Rulers:
    """The rows of a preview."""

    def __init__(self, loaded: Loaded, options: Mapping[str, str], deal: int, ends: int, opens: int, lang: str) -> None:
        self.rules = loaded.ruleset
        self.words = Words(loaded.ruleset, lang, options)
        self.opening = minutes_of(self.rules.calendar.opens)
        self.deal, self.ends = deal, ends
        first = (EPOCH + timedelta(minutes=opens)).date()
        self.days = week(self.rules, self.words.value("weekend"), "day", first)
        self.spans = sorted([Span(deal, ends, "late", self._setup()), *self._nights(), *self._discussions()])

    def _setup(self) -> str:
        names = [self.words.skill(name) for name in self.rules.setup]
        return self.words.join(names, "") if names else _("准备")

    def _minute(self, at: datetime) -> int:
        return int((at - EPOCH) // timedelta(minutes=1))

    def _nights(self) -> list[Span]:
        length = night_length(self.rules)
        closes = [self._minute(day.closes) for day in self.days]
        if self.words.start() == "night":
            closes.insert(0, self.ends)
        return [Span(close, close + length, "nite") for close in closes]

    def _discussions(self) -> list[Span]:
        found = []
        names = {"election": _("竞选"), "exile": _("放逐")}
        for day in self.days:
            kinds = self.words.first_ballots() if day.number == 1 else list(self.rules.ballots.later)
            number = numeral(day.number) if _("一") == "一" else str(day.number)
            text = _("%(day)s日 · %(ballots)s") % {"day": number, "ballots": "、".join(names[kind] for kind in kinds)}
            found.append(Span(self._minute(day.opens), self._minute(day.closes), "day", text, day.moved))
        return found

    def rows(self) -> list[Row]:
        """One row from each opening to the next, from the deal on."""
        at = self.deal - (self.deal - self.opening) % DAY
        last = self._minute(self.days[-1].closes)
        rows: list[Row] = []
        while at < last and len(rows) < 12:
            rows.append(self._row(at))
            at += DAY
        return rows

    def _row(self, at: int) -> Row:
        bars: list[Bar] = []
        ticks: list[str] = []
        said: list[str] = []
        for span in self.spans:
            left, right = max(span.begin, at), min(span.end, at + DAY)
            if left >= right:
                continue
            text = span.text
            if span.kind == "day" and span.begin < at:
                text = _("%(day)s · 续") % {"day": span.text.split(" · ")[0]}
            elif span.moved and span.end > at + DAY:
                text = _("%(day)s，关门顺延") % {"day": span.text}
            x = 100 * (left - at) / DAY
            bars.append(Bar(f"{x:.2f}%", f"{100 * (right - left) / DAY:.2f}%", span.kind, text, f"{x + 1.6:.2f}%"))
            if span.kind == "day" and span.end <= at + DAY:
                ticks.append(f"{100 * (span.end - self.rules.ballots.freeze_minutes - at) / DAY:.2f}%")
            said.append(f"{text or _('夜里')} {clock(left, at)}—{clock(right, at)}")
        return Row(weekday(at), bars, ticks, "；".join(said) or _("无事"))
