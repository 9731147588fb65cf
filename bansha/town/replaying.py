"""The replay of a finished game as a page shows it: moments on a slider, and what changes from one to the next.

Everything a page shows at a moment is the value of some `lines` there: each line has a name, and the values it takes with the
moments at which it takes them. The page's template and its script put the same values into the same places, so that a moment
looks the same whoever made it. What is one piece for a whole day or night (its steps, the votes of its ballots, what was
written) stands in `parts`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.sight.types import DIRECTOR, PUBLIC, BallotView, SkillView, View, Viewer
from bansha.town.flows import Flow
from bansha.town.letters import ICONS, OWN_ICONS, Choice, Letter, night_name, words_of
from bansha.town.models import Game, Post
from bansha.town.past import sign
from bansha.town.progress import count
from bansha.town.readable import readable
from bansha.town.table import Table
from bansha.town.words import EXILED, GONE, half

SETUP = "setup"
MARKS = {
    "ended": "star", "setup": "rule", "settled": "blade", "day": "sun", "counted": "vote", "closed": "moon", "director": "desk",
    "card": "hand", "change": "vote", "vote": "vote", "passed": "pen", "sign": "pen", "answer": "talk", "prompt": "clock",
    "handed": "letter", "told": "ear", "words": "quote", "out": "no", "surrender": "void", "people": "user", "announced": "talk",
    "other": "right",
}  # fmt: skip
"""The icon of each kind of step; a stage has its number."""
WRITTEN = 30
"""Notes of a day or night shown at most, the newest; the diary has them all."""


@dataclass(frozen=True)
class Mark:
    """A place on the slider: the entry's number, what it is called, and when it was."""

    n: int
    name: str
    when: str


@dataclass(frozen=True)
class Span:
    """A day or a night: `first`, its first moment; `kind` setup, day or night; its name, and the short one of the row of days."""

    first: int
    kind: str
    day: int
    name: str
    short: str
    when: str


@dataclass
class Told:
    """A step as a page shows it. `t`: its moment; `state`: done, here, yet; `k`: the number of its stage; `arrows`: by whom (0: a
    pack), icon, the skill's name, on whom; `why`: the explanation; `links`: words and address of where it was said."""

    t: int
    icon: str
    k: str
    title: str
    when: str
    lines: list[tuple[str, list[str]]]
    arrows: list[tuple[int, str, str, tuple[int, ...]]]
    why: list[tuple[str, list[str]]]
    links: list[tuple[str, str]]
    state: str = "yet"


@dataclass(frozen=True)
class Written:
    """Something written where only some could read it: from which moment it stands there, by which seat or account, and when."""

    t: int
    seat: int
    author: str
    room: str
    when: str
    html: str


@dataclass
class Part:
    """One piece of a page for the moments from `first` on, as HTML."""

    first: int
    html: str


@dataclass
class Replay:
    """A whole replay for one viewer in one language."""

    viewer: Viewer
    marks: list[Mark]
    spans: list[Span]
    lines: dict[str, list[Any]]
    steps: dict[int, list[Told]]
    flows: list[tuple[int, list[Flow]]]
    written: dict[int, list[Written]]
    table: Table
    seats: list[int] = field(default_factory=list)

    def index(self, n: int) -> int:
        """The moment of an entry's number: the last one not after it."""
        return max(0, bisect_right(self.marks, n, key=lambda mark: mark.n) - 1)

    def span(self, t: int) -> int:
        """The number of the span a moment lies in."""
        return bisect_right(self.spans, t, key=lambda span: span.first) - 1

    def value(self, name: str, t: int) -> Any:
        """The value of a line at a moment."""
        line = self.lines[name]
        return line[2 * max(0, bisect_right(line[::2], t) - 1) + 1]

    def values(self, t: int, prefix: str) -> dict[str, Any]:
        """The values of the lines whose names begin so, by the rest of the name."""
        return {name[len(prefix) :]: self.value(name, t) for name in self.lines if name.startswith(prefix)}

    def steps_html(self, span: int, t: int = -1) -> str:
        """The steps of a span as they stand at a moment."""
        for step in self.steps.get(span, []):
            step.state = "done" if step.t < t else "here" if step.t == t else "yet"
        context = {"table": self.table, "span": self.spans[span], "steps": self.steps.get(span, []), "talk": self._talk(span)}
        return render_to_string("town/_replay_steps.html", context)

    def _talk(self, span: int) -> str:
        """Where people talked on the day of a span."""
        day = self.spans[span].day
        return reverse("town:thread", args=[self.table.game.pk, f"talk-{day}"]) if day else ""

    def flows_html(self, number: int, t: int = -1) -> str:
        """The ballots of a day as they stand at a moment."""
        flows = self.flows[number][1]
        beside = [
            (place == number, _("%(day)s日") % {"day": count(found[0].day)}, self.marks[found[0].closed].n)
            for place in (number - 1, number, number + 1)
            if 0 <= place < len(self.flows) and (found := self.flows[place][1])
        ]
        drawn = [(flow, flow.drawn(lambda name: self.value(name, t))) for flow in flows] if t >= 0 else [(f, f.drawn(None)) for f in flows]
        return render_to_string("town/_replay_flows.html", {"table": self.table, "flows": drawn, "beside": beside, "as": self.asked})

    def written_html(self, span: int, t: int = -1) -> str:
        """What was written in a span, as far as it stood there at a moment."""
        notes = [(note, note.t <= t) for note in self.written.get(span, [])[-WRITTEN:]]
        return render_to_string("town/_replay_written.html", {"table": self.table, "notes": notes, "any": any(here for _, here in notes)})

    @property
    def asked(self) -> str:
        """How the address names this viewer: "", public, or the seat."""
        kind = self.viewer.kind
        return "" if kind == "director" else "public" if kind == "public" else str(self.viewer.seat)

    @cached_property
    def data(self) -> bytes:
        """What the page's script moves by, as JSON."""
        parts = {
            "steps": [(span.first, self.steps_html(number)) for number, span in enumerate(self.spans)],
            "flows": [(first, self.flows_html(number)) for number, (first, _flows) in enumerate(self.flows)],
            "written": [(span.first, self.written_html(number)) for number, span in enumerate(self.spans)],
        }
        told = {
            "marks": [(mark.n, mark.name, mark.when) for mark in self.marks],
            "spans": [span.first for span in self.spans],
            "steps": sorted(step.t for steps in self.steps.values() for step in steps),
            "lines": self.lines,
            "parts": parts,
        }
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()

    @cached_property
    def etag(self) -> str:
        """The data's fingerprint."""
        return f'"{sha256(self.data).hexdigest()[:32]}"'


def viewer_of(text: str, seats: int) -> Viewer | None:
    """Whose replay an address asks for: "" everything, "public", or a seat; None: nobody's."""
    if text in ("", "public"):
        return PUBLIC if text else DIRECTOR
    seat = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    return Viewer("player", seat) if 1 <= seat <= seats else None


def replay(game: Game, viewer: Viewer, head: int) -> Replay:
    """The replay of a finished game in the language of the page. `head`: the journal's newest entry."""
    return _kept(game.pk, head, viewer, "en" if (get_language() or "").startswith("en") else "zh")


@lru_cache(maxsize=64)
def _kept(game: int, head: int, viewer: Viewer, lang: str) -> Replay:
    return _Maker(Table(Game.objects.get(pk=game), None), viewer).made()


# --- making one ---------------------------------------------------------------------------------------------------


class _Voice(Letter):
    """A letter's way of saying answers, for a game that is over: names and rules, and nobody's hand."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.words = words_of(table)
        self.rules = table.loaded.ruleset


def when(minute: int) -> str:
    """11 月 24 日 21:30, in the game's zone."""
    import datetime

    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(minutes=minute)  # noqa: DTZ001
    return _("%(month)s 月 %(day)s 日 %(clock)s") % {"month": at.month, "day": at.day, "clock": f"{at.hour}:{at.minute:02}"}


class _Maker:
    """Makes a replay: once through the moments, each line told where it changes."""

    def __init__(self, table: Table, viewer: Viewer) -> None:
        assert table.game.journal is not None
        self.table = table
        self.viewer = viewer
        self.voice = _Voice(table)
        self.rules = table.loaded.ruleset
        self.moments = doors.replay(table.game.journal, viewer)
        self.lang = "en" if (get_language() or "").startswith("en") else "zh"
        self.lines: dict[str, list[Any]] = {}
        self.steps: dict[int, list[Told]] = {}
        self.fates: dict[int, str] = {}
        self.chosen: dict[int, dict[str, str]] = {}
        self.spans: list[Span] = []
        self.asked: dict[str, list[int]] = {}
        self.answers: list[tuple[str, str, str]] = []
        rows = readable(table).filter(minute__lte=self.moments[-1].at)
        self.posts = list(rows.exclude(room="words").values("room", "floor", "seat", "minute", "ref", "note", "voice"))
        self.by_ref = {post["ref"]: post for post in self.posts if post["ref"]}

    def made(self) -> Replay:
        """The replay."""
        marks = []
        for t, moment in enumerate(self.moments):
            self._span(t, moment)
            span = len(self.spans) - 1
            step = self._step(t, moment)
            if step is not None:
                self.steps.setdefault(span, []).append(step)
            name = f"{self.spans[span].name} · {step.title}" if step is not None else self.spans[span].name
            marks.append(Mark(moment.n, name, when(moment.at)))
            self._seats(t, moment)
            if moment.view.me is not None and self.viewer.kind == "player":
                self._letter(t, moment)
        flows = self._flows()
        seats = sorted(self.table.personas)
        return Replay(self.viewer, marks, self.spans, self.lines, self.steps, flows, self._written(), self.table, seats)

    def _put(self, name: str, t: int, value: Any) -> None:
        """The value of a line from this moment on."""
        line = self.lines.setdefault(name, [])
        if not line or line[-1] != value:
            line += [t, value]

    def _span(self, t: int, moment: doors.Moment) -> None:
        """Begin a day or a night, where one begins. The end belongs to what it ended."""
        kind = moment.phase
        if kind == "over" and self.spans:
            return
        if self.spans and (self.spans[-1].kind, self.spans[-1].day) == (kind, moment.day):
            return
        day = count(moment.day)
        names = {SETUP: _("开局"), "day": _("第%(n)s日") % {"n": day}, "night": _("第%(n)s夜") % {"n": day}}
        short = {SETUP: _("开局"), "day": _("%(day)s日") % {"day": day}, "night": _("%(n)s夜") % {"n": day}}
        self.spans.append(Span(t, kind, moment.day, names[kind], short[kind], when(moment.at)))
        self.chosen = {}

    # --- steps --------------------------------------------------------------------------------------------------------

    def _step(self, t: int, moment: doors.Moment) -> Told | None:
        step = moment.step
        if step is None:
            return None

        def lines(found: Iterable[Any]) -> list[tuple[str, list[str]]]:
            return [(line.text.get(self.lang), line.clauses) for line in found]

        arrows = []
        for arrow in step.arrows:
            skill = self.rules.skills[arrow.skill]
            name = self.voice.words.skill(arrow.skill)
            drawn = (arrow.by, OWN_ICONS.get(arrow.skill, ICONS.get(skill.verb, "blade")), name, arrow.targets)
            if drawn not in arrows:
                arrows.append(drawn)
            if arrow.by == self.viewer.seat:
                self.asked[arrow.skill] = list(arrow.targets)
            if arrow.by:
                self.chosen.setdefault(arrow.by, {})[arrow.skill] = f"{name} {'、'.join(map(str, arrow.targets))}"
        k = str(step.stage + 1) if step.kind == "stage" and step.stage >= 0 else ""
        icon = MARKS.get(step.kind, "moon")
        found = Told(t, icon, k, step.title.get(self.lang), when(moment.at), lines(step.lines), arrows, lines(step.why), [])
        found.links = list(self._links(moment))
        return found

    def _links(self, moment: doors.Moment) -> Iterator[tuple[str, str]]:
        """Where it was said: the post of a vote, the day's thread, the count in the ballot's."""
        game, step = self.table.game.pk, moment.step
        assert step is not None
        for ref in step.refs:
            post = self.by_ref.get(ref)
            if post is not None:
                yield _("第 %(floor)s 楼") % {"floor": post["floor"]}, reverse("town:floor", args=[game, post["room"], post["floor"]])
        if moment.posts:
            talk = [post for post in self.posts if post["room"] == f"talk-{moment.day}" and post["seat"] and post["minute"] <= moment.at]
            if talk:
                first = sorted(post["floor"] for post in talk)[-moment.posts :][0]
                words = _("此前讨论 %(n)s 帖") % {"n": moment.posts}
                yield words, reverse("town:floor", args=[game, f"talk-{moment.day}", first])
        if step.kind == "counted":
            for post in self.posts:
                if post["note"] == "count" and post["minute"] == moment.at:
                    yield _("计票"), reverse("town:floor", args=[game, post["room"], post["floor"]])
        if step.kind == "day":
            room = f"talk-{moment.day}"
            if any(post["room"] == room for post in self.posts):
                yield _("讨论帖"), reverse("town:thread", args=[game, room])
            for post in self.posts:
                if post["room"] == room and post["note"] == "lastwords":
                    words = _("%(who)s的遗言") % {"who": self.table.name(post["seat"])}
                    yield words, reverse("town:floor", args=[game, room, post["floor"]])

    # --- the table of seats -------------------------------------------------------------------------------------------

    def _seats(self, t: int, moment: doors.Moment) -> None:
        view = moment.view
        votes = self._votes(view)
        everything = self.viewer.kind == "director"
        full = {truth.seat: truth for truth in view.director.seats} if view.director is not None else {}
        for seat in self.table.personas:
            alive = full[seat].alive if full else seat in view.public.alive
            if view.me is not None and not full and seat == view.me.seat and view.me.out:
                alive = False
            role, faction = self._known(view, seat)
            text = self.voice.words.role(role) if role else self.voice.words.faction(faction) if faction else "—"
            self._put(f"out{seat}", t, "" if alive else "out")
            self._put(f"role{seat}", t, text)
            self._put(f"fac{seat}", t, f"fac {sign(self.rules, faction)}" if role or faction else "note")
            self._put(f"now{seat}", t, votes.get(seat) or _("；").join(self.chosen.get(seat, {}).values()) or "—")
            self._put(f"card{seat}", t, self._cards(view, seat))
            self._put(f"fate{seat}", t, "" if alive else self._fate(moment, seat, full[seat].cause if full and everything else ""))
            self._put(f"chief{seat}", t, _("警长") if seat == (view.director.sheriff if view.director else view.public.sheriff) else "")
            if alive:
                self.fates.pop(seat, None)

    def _known(self, view: View, seat: int) -> tuple[str, str]:
        """Role and faction of a seat, as far as this viewer knew them; "" for what it did not."""
        if view.director is not None:
            truth = view.director.seats[seat - 1]
            return truth.role, truth.faction
        if view.me is None:
            return "", ""
        if seat == view.me.seat:
            return view.me.role, view.me.faction
        return "", view.me.knows.get(seat, "")

    def _votes(self, view: View) -> dict[int, str]:
        """By day: whom each one has voted for."""
        found: dict[int, str] = {}
        if view.public.phase in ("day", "over"):
            for ballot in view.public.ballots:
                verb = _("选 %(who)s") if ballot.name == "election" else _("投 %(who)s")
                for voter, target in ballot.votes:
                    words = verb % {"who": target or _("弃权")}
                    found[voter] = f"{words}{_('；')}{found[voter]}" if voter in found else words
        return found

    def _cards(self, view: View, seat: int) -> str:
        """A seat's cards as they stand."""
        names = (("blue", _("蓝")), ("yellow", _("黄")), ("red", _("红")))
        held = [
            (colour, name, number) for (colour, name), number in zip(names, view.public.cards.get(seat, (0, 0, 0)), strict=True) if number
        ]
        return str(format_html_join(" ", '<span class="card {}"><i>{}</i>{}</span>', held))

    def _fate(self, moment: doors.Moment, seat: int, cause: str) -> str:
        """When and how a seat went, as this viewer learned it; told once."""
        if seat in self.fates:
            return self.fates[seat]
        public = moment.view.public
        told = {said.kind: said.value for said in public.announced if said.at == moment.at}
        day, night = _("第 %(day)s 日") % {"day": moment.day}, moment.phase == "night"
        if cause:
            how = self.voice.words.cause(cause)
            text = f"{_('第 %(day)s 夜') % {'day': moment.day} if night and cause not in ('exile',) else day} · {how}"
        elif told.get(EXILED) == seat:
            text = f"{day} · {_('放逐')}"
        elif public.cards.get(seat, (0, 0, 0))[2]:
            text = _("罚下")
        elif isinstance(told.get(GONE), list) and seat in told[GONE]:
            text = _("第 %(day)s 夜") % {"day": moment.day - 1}
        else:
            text = _("第 %(day)s 夜") % {"day": moment.day} if night else day
        self.fates[seat] = text
        return text

    # --- a seat's letter ----------------------------------------------------------------------------------------------

    def _letter(self, t: int, moment: doors.Moment) -> None:
        me, voice, words = moment.view.me, self.voice, self.voice.words
        assert me is not None
        parts = [words.role(me.role), words.faction(me.faction) if me.faction else _("归属还不知道")]
        if me.den:
            parts.append(_("同群：%(who)s") % {"who": voice.seats(me.den)})
        elif me.knows:
            parts.append(_("认得：%(who)s") % {"who": voice.seats(list(me.knows))})
        if me.host:
            parts.append(_("选的人：%(who)s") % {"who": voice.seats([me.host])})
        if me.heretics:
            parts.append(_("异端：%(who)s") % {"who": voice.seats(me.heretics)})
        self._put("me", t, " · ".join(parts) + (f" · {_('已得知自己出局')}" if me.out else ""))
        hand = ((words.skill(skill.id), self._standing(skill), self._kept_words(skill)) for skill in me.skills)
        self._put("hand", t, str(format_html_join("", "<li><b>{}</b> <span>{}</span> <span>{}</span></li>", hand)))
        for told in me.told[len(self.answers) :]:
            targets = self.asked.get(told.skill)
            text, value = voice.told(told, Choice(told.at, told.day, told.skill, targets, me.seat, -1) if targets else None)
            night = night_name(-1 if not told.day and told.skill in self.rules.setup else told.day)
            self.answers.append((night, text, f"：{value}" if value else ""))
        self._put("told", t, str(format_html_join("", '<li><span class="note">{}</span> {}{}</li>', self.answers)))

    def _standing(self, skill: SkillView) -> str:
        words = {
            "open": _("可以交"), "early": _("可以预交"), "shut": _("现在不能用"), "frozen": _("被冰冻"), "spent": _("用过了"),
            "prompt": _("等着答"), "automatic": _("自动"),
        }  # fmt: skip
        return words[skill.state]

    def _kept_words(self, skill: SkillView) -> str:
        if not skill.has_kept:
            return ""
        return _("已放弃") if skill.kept is None else _("已交 %(who)s") % {"who": self.voice.seats(skill.kept)}

    # --- ballots ------------------------------------------------------------------------------------------------------

    def _flows(self) -> list[tuple[int, list[Flow]]]:
        """The ballots of each day, from its opening to the next."""
        days: dict[int, list[int]] = {}
        for t, moment in enumerate(self.moments):
            if moment.day and moment.view.public.ballots:
                days.setdefault(moment.day, []).append(t)
        found = []
        for day, times in days.items():
            names = dict.fromkeys(ballot.name for t in times for ballot in self.moments[t].view.public.ballots)
            flows = [self._flow(name, day, times) for name in names]
            found.append((times[0], [flow for flow in flows if flow.voters]))
        return [(first, flows) for first, flows in found if flows]

    def _flow(self, name: str, day: int, times: Sequence[int]) -> Flow:
        """One ballot of a day, with every line its drawing takes."""
        stood: dict[int, BallotView] = {}
        for t in times:
            ballot = next((ballot for ballot in self.moments[t].view.public.ballots if ballot.name == name), None)
            if ballot is not None:
                stood[t] = ballot
        closed = next((t for t, ballot in stood.items() if not ballot.open), max(stood))
        first = self.moments[min(stood)].view
        signs = {seat: self._known(first, seat) for seat in self.table.personas}
        title = {"exile": _("放逐票"), "election": _("竞选票")}[name]
        room = f"{'election' if name == 'election' else 'ballot'}-{day}"
        address = reverse("town:ballot", args=[self.table.game.pk, room])
        voting = [seat for seat in first.public.alive if seat not in first.public.barred]
        flow = Flow(
            f"{name}{day}", f"{_('第%(n)s日') % {'n': count(day)}}{title}", day, address, closed, stood, stood[closed], voting,
            {seat: self.table.name(seat) for seat in self.table.personas} | {0: _("弃权")},
            {seat: sign(self.rules, faction) for seat, (role, faction) in signs.items() if role or faction},
        )  # fmt: skip
        weight = self.rules.badge.weight if self.rules.badge is not None and name == "exile" else 1
        for t, ballot in stood.items():
            heavy = self.moments[t].view.public.sheriff if weight > 1 else 0
            for line, value in flow.at(t, heavy).items():
                self._put(line, t, value)
            self._put(f"{flow.key}.label", t, self._label(flow, ballot))
        return flow

    def _label(self, flow: Flow, ballot: BallotView) -> str:
        """A ballot in words, as it stands."""
        rows = sorted(ballot.counts, key=lambda row: (-row[1], row[0]))
        counts = [_("%(who)s %(votes)s 票") % {"who": self.table.name(seat), "votes": half(halves)} for seat, halves in rows]
        abstained = sum(1 for _voter, target in ballot.votes if not target)
        if abstained:
            counts.append(_("弃权 %(n)s 票") % {"n": abstained})
        changed = _("；改票 %(n)s 次") % {"n": len(ballot.changed)} if ballot.changed else ""
        return f"{flow.title}：{'，'.join(counts) or _('还没有人投')}{changed}"

    # --- what was written ---------------------------------------------------------------------------------------------

    def _written(self) -> dict[int, list[Written]]:
        """Tree holes and dens by span: of everybody, or what this seat wrote and read."""
        if self.viewer.kind == "public":
            return {}
        minutes = [moment.at for moment in self.moments]
        found: dict[int, list[Written]] = {}
        rows = readable(self.table).filter(minute__lte=minutes[-1], room__regex=r"^(hole|den)-").select_related("author")
        firsts = [span.first for span in self.spans]
        for post in rows.order_by("minute", "pk"):
            t = max(0, bisect_right(minutes, post.minute) - 1)
            if self._reads(post, t):
                author = post.author.username if post.author is not None and not post.seat else ""
                kind = _("树洞") if post.room.startswith("hole-") else _("群")
                note = Written(t, post.seat, author, kind, when(post.minute), post.html)
                found.setdefault(bisect_right(firsts, t) - 1, []).append(note)
        return found

    def _reads(self, post: Post, t: int) -> bool:
        """Whether the viewer of this replay could read a note when it was written."""
        if self.viewer.kind == "director":
            return True
        if post.room.startswith("hole-"):
            return post.seat == self.viewer.seat
        return any(post.room == f"den-{den.den}" and den.writes for den in self.moments[t].dens)


def fates(table: Table) -> Mapping[int, tuple[str, str]]:
    """How each seat ended, and the accounts behind it, which after the end everybody may know."""
    from bansha.town import reveal

    return {row.seat: (row.fate, "、".join(stint.part.name for stint in row.players)) for row in reveal.seats(table)}


__all__ = ["Mark", "Replay", "Span", "fates", "replay", "viewer_of"]
