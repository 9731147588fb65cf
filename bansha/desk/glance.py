"""What the desk shows at one glance: the night's timeline, every seat's truth, who is missing, what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _

from bansha.bbcode.render import render_post
from bansha.desk.wording import BALLOTS, COLOURS, Wording
from bansha.journal import doors
from bansha.journal.doors import Coming, Noted
from bansha.rulesets.model import Stage
from bansha.sight.news import News
from bansha.sight.types import DirectorView, SeatTruth
from bansha.town import acts
from bansha.town.models import LogLine, Post, Request, Tenure, Visit
from bansha.town.table import Table
from bansha.town.words import Speaker, clock, day_name

CHOICES = frozenset({"submitted", "withdrawn", "lapsed", "stopped"})
ROWS = 40
"""Lines of the list of submissions at most."""


@dataclass
class Dot:
    """A submission on the timeline: its place, its words, whether a later one replaced it."""

    x: str
    words: str
    old: bool = False


@dataclass
class Track:
    """A skill on the timeline."""

    name: str
    note: str
    x: str
    width: str
    state: str
    standing: str
    mark: str
    said: str
    dots: list[Dot] = field(default_factory=list)


@dataclass
class Timeline:
    """The stages of the night, of the coming night, or of setup; `hand`: the present, in per cent."""

    title: str
    scale: list[tuple[str, str, str]]
    hand: str
    tracks: list[Track]


@dataclass
class Line:
    """A line with its moment, its way to an explanation, and whether it stands no more."""

    when: str
    words: str
    why: str = ""
    old: bool = False
    by: str = ""


@dataclass
class SeatRow:
    """A seat's full truth in a row."""

    truth: SeatTruth
    role: str
    sign: str
    faction: str
    gone: str
    tonight: list[str]
    vote: str
    hand: list[tuple[str, str, bool]]
    tags: list[str]
    posts: int
    needed: int
    cards: list[tuple[str, int]]
    account: str
    adviser: str

    @property
    def gone_out(self) -> bool:
        """Out, also where the public does not know it yet."""
        return not self.truth.alive


@dataclass
class Proposal:
    """A proposed card or a flag that waits for a director."""

    index: int
    when: str
    seat: int
    colours: list[tuple[str, str]]
    clause: str
    text: str
    why: str
    post: str = ""

    @property
    def number(self) -> str:
        """Its index, for an anchor."""
        return str(self.index)


@dataclass
class Missing:
    """Somebody something is waited for from."""

    who: str
    what: str
    seat: int = 0


class Glance:
    """Everything the one screen shows, looked up once."""

    def __init__(self, table: Table) -> None:
        assert table.game.journal is not None
        self.table = table
        self.journal = table.game.journal
        self.wording = Wording(table)
        self.full: DirectorView = self.wording.full
        self.rules = self.wording.rules
        self.phase = self.full.phase.partition(" ")[0]

    # --- the journal ------------------------------------------------------------------------------------------------

    @cached_property
    def noted(self) -> list[Noted]:
        """Entries since the latest opening."""
        return doors.record(self.journal, self.full.opened_at)

    @cached_property
    def ahead(self) -> list[Coming]:
        """What would come out if it settled now."""
        return doors.what_if(self.journal)

    @cached_property
    def disposed(self) -> set[str]:
        """What directors have dealt with: "proposed 3"."""
        return set(LogLine.objects.filter(game=self.table.game).exclude(about="").values_list("about", flat=True))

    def why(self, **question: Any) -> str:
        """The address of an explanation."""
        asked = "&".join(f"{name}={value}" for name, value in question.items() if value not in ("", 0))
        return f"{reverse('desk:why', args=[self.table.game.pk])}?{asked}"

    # --- the timeline -----------------------------------------------------------------------------------------------

    @cached_property
    def stages(self) -> list[Stage]:
        """The stages in the order in which they close."""
        return sorted(self.rules.night, key=lambda stage: stage.window[1])

    @property
    def by_night(self) -> bool:
        """Whether a night runs."""
        return self.phase in ("dusk", "night", "dawn")

    def timeline(self) -> Timeline | None:
        """The stages with their windows and what was handed in; nothing after the end."""
        if self.phase == "over":
            return None
        spans = list(self._spans())
        if not spans:
            return None
        begin, end = min(span[1] for span in spans), max(span[2] for span in spans)

        def place(minute: int) -> str:
            return f"{100 * min(1.0, max(0.0, (minute - begin) / max(1, end - begin))):.1f}%"

        now = self.table.minute
        tracks = [self._track(skill, opens, limit, stage, place) for skill, opens, limit, stage in spans]
        inside = begin <= now <= end
        scale = [("0", clock(begin, now), "start")]
        if inside and not 0.2 < (now - begin) / max(1, end - begin) < 0.75:
            inner = sorted({limit for _skill, _opens, limit, _stage in spans if begin < limit < end})
            scale += [(place(minute), clock(minute), "middle") for minute in inner[:1]]
        if inside and 0.2 < (now - begin) / max(1, end - begin) < 0.75:
            scale.append((place(now), _("现在 %(now)s") % {"now": clock(now)}, "middle"))
        scale.append(("100%", clock(end), "end"))
        count = len(tracks)
        titles = {"setup": _("开局设置的 %(n)s 项"), "day": _("今夜 %(n)s 项（白天可以预交）")}
        title = titles.get(self.phase, _("今夜 %(n)s 项")) % {"n": count}
        return Timeline(title, scale, place(now) if inside else "", tracks)

    def _spans(self) -> Iterator[tuple[str, int, int, int]]:
        """(skill, opens, limit, stage) of every line of the timeline."""
        if self.phase == "setup":
            for skill in self.rules.setup:
                yield skill, self.full.due - self.rules.calendar.setup_minutes, self.full.due, -1
            return
        begin = self.full.night_from if self.by_night else self.table.public.closes_at
        for number, stage in enumerate(self.stages):
            window = stage.without if stage.after and not self._held(stage.after) else stage.window
            limit = self.full.limits[number] if self.by_night and number < len(self.full.limits) else begin + window[1]
            for skill in stage.stage:
                yield skill, begin + window[0], limit, number

    def _held(self, skill: str) -> bool:
        return any(truth.alive and skill in truth.skills for truth in self.full.seats)

    def _track(self, skill: str, opens: int, limit: int, stage: int, place: Any) -> Track:
        spec = self.rules.skills[skill]
        now = self.table.minute
        asked = [holder for holder, name in self.full.asked if name == skill]
        kept = [(holder, targets) for holder, name, targets, _by in self.full.pending if name == skill]
        dots = self._dots(skill, max(opens, 0), place)
        automatic = spec.automatic or spec.verb == "vision"
        early = now < opens
        if automatic:
            standing, mark = _("自动"), ""
        elif kept:
            passed = all(targets is None for _holder, targets in kept)
            standing, mark = (_("放弃") if passed else _("预交") if early else _("已交")), "ok"
        elif asked and not self._excluded(skill, asked):
            standing, mark = _("未交"), "wait" if opens <= now < limit else ""
        elif asked:
            standing, mark = _("另有所选"), ""
        elif dots and not early:
            standing, mark = _("已执行"), ""
        else:
            standing, mark = _("不可用"), ""
        shut = not automatic and not kept and not asked
        state = "shut" if shut else "now" if opens <= now < limit else ""
        note = self._holders(skill)
        said = _("%(from)s 到 %(until)s") % {"from": clock(opens), "until": clock(limit)}
        begin, end = float(place(opens)[:-1]), float(place(limit)[:-1])
        return Track(self.wording.skill(skill), note, f"{begin:.1f}%", f"{max(0.0, end - begin):.1f}%", state, standing, mark, said, dots)

    def _excluded(self, skill: str, holders: Sequence[int]) -> bool:
        """Whether all these have chosen a skill that excludes this one."""
        excludes = self.rules.skills[skill].excludes
        chosen = {holder for holder, name, targets, _by in self.full.pending if name in excludes and targets is not None}
        return all(holder in chosen for holder in holders)

    def _holders(self, skill: str) -> str:
        pack = self.rules.skills[skill].pack
        if pack:
            members = next((members for _n, faction, members, _h in self.full.packs if faction == pack), [])
            return _("在场 %(n)s 人") % {"n": len(members)}
        seats = [f"{truth.seat}" for truth in self.full.seats if truth.alive and skill in truth.skills]
        return _("%(seats)s 号") % {"seats": "、".join(seats)} if seats else _("无人持有")

    def _dots(self, skill: str, opens: int, place: Any) -> list[Dot]:
        found: list[tuple[int, Dot]] = []
        for noted in self.noted:
            for news in noted.news:
                if news.kind in CHOICES and news.value["skill"] == skill:
                    for holder, dot in found:
                        dot.old = dot.old or holder == news.value["holder"]
                    if news.kind == "submitted":
                        found.append((news.value["holder"], Dot(place(max(opens, news.at)), self._dot_words(news, opens))))
        return [dot for _holder, dot in found]

    def _dot_words(self, news: News, opens: int) -> str:
        words = f"{self.table.name(news.value['by'])} {self.wording.targets(news.value['targets'])}"
        return words + (_("（%(at)s 预交）") % {"at": clock(news.at)} if news.at < opens else "")

    # --- lists ------------------------------------------------------------------------------------------------------

    def submissions(self) -> list[Line]:
        """What was handed in since the opening, the newest first; what was replaced is struck."""
        lines: list[Line] = []
        later: set[tuple[int, str]] = set()
        for noted in reversed(self.noted):
            for news in reversed(noted.news):
                if news.kind not in CHOICES:
                    continue
                own = (news.value["holder"], news.value["skill"])
                old = news.kind == "submitted" and own in later
                later.add(own)
                why = self.why(told=news.value["by"], skill=news.value["skill"]) if news.kind == "submitted" else ""
                lines.append(Line(clock(news.at), self.wording.line(news), why, old, self.wording.hand(noted)))
        return lines[:ROWS]

    def missing(self) -> list[Missing]:
        """Who is waited for: prompts, skills not answered; by day votes and posts."""
        found: list[Missing] = []
        wording = self.wording
        for seat, skill, until in self.full.prompts:
            what = _("要答【%(skill)s】，%(until)s 止") % {"skill": wording.skill(skill), "until": clock(until, self.table.minute)}
            found.append(Missing(wording.who(seat), what, seat))
        kept = {(holder, skill) for holder, skill, _targets, _by in self.full.pending}
        waiting: dict[int, list[str]] = {}
        for holder, skill in self.full.asked:
            if (holder, skill) not in kept and not self._excluded(skill, [holder]):
                waiting.setdefault(holder, []).append(wording.skill(skill))
        if self.phase != "day":
            for holder, skills in waiting.items():
                found.append(Missing(wording.holder(holder), "、".join(skills), holder if holder in self.table.personas else 0))
        else:
            found += self._missing_by_day()
        return found

    def _missing_by_day(self) -> Iterator[Missing]:
        public, needed = self.table.public, self.needed
        for ballot in public.ballots:
            voted = {seat for seat, _target in ballot.votes}
            for seat in public.alive:
                if seat not in voted and seat not in public.barred:
                    yield Missing(self.wording.who(seat), _("没有投票（%(ballot)s）") % {"ballot": BALLOTS[ballot.name]}, seat)
        for truth in self.full.seats:
            if truth.alive and truth.seat in public.alive and truth.posts < needed:
                yield Missing(
                    self.wording.who(truth.seat), _("%(n)s 帖，要 %(least)s 帖") % {"n": truth.posts, "least": needed}, truth.seat
                )

    @property
    def needed(self) -> int:
        """Posts a day needs."""
        return self.rules.attendance.posts or self.rules.attendance.streak_posts

    def proposals(self) -> list[Proposal]:
        """Proposed cards nobody has dealt with."""
        found = []
        for index, (at, seat, colour, clause, why) in enumerate(self.full.proposed):
            if f"proposed {index}" not in self.disposed:
                pairs = [(colour, str(COLOURS[colour]))]
                text, reason = self.wording.clause_text(clause), self.wording.why_proposed(why)
                found.append(Proposal(index, clock(at, self.table.minute), seat, pairs, clause, text, reason))
        return found

    def flags(self) -> list[Proposal]:
        """Suspicions nobody has dealt with, with the post."""
        opened = [(i, flag) for i, flag in enumerate(self.full.flagged) if f"flagged {i}" not in self.disposed]
        refs = [flag[4] for _i, flag in opened]
        posts = {
            ref: (room, floor)
            for ref, room, floor in Post.objects.filter(game=self.table.game, ref__in=refs).values_list("ref", "room", "floor")
        }
        found = []
        for index, (at, seat, clause, words, ref) in opened:
            spec = self.rules.conduct.get(clause)
            pairs = [(f"{colour}", str(COLOURS[colour])) for colour in (spec.colours if spec is not None else [])]
            place = posts.get(ref)
            link = f"{reverse('town:thread', args=[self.table.game.pk, place[0]])}#f{place[1]}" if place else ""
            found.append(Proposal(index, clock(at, self.table.minute), seat, pairs, clause, self.wording.clause_text(clause), words, link))
        return found

    # --- seats ------------------------------------------------------------------------------------------------------

    @cached_property
    def people(self) -> dict[tuple[int, str], str]:
        """Who plays and who advises each seat now."""
        rows = Tenure.objects.filter(game=self.table.game, until=None).values_list("seat", "kind", "account__username")
        return {(seat, kind): name for seat, kind, name in rows}

    def seats(self) -> list[SeatRow]:
        """Every seat's full truth."""
        return [self.seat(truth) for truth in self.full.seats]

    def seat(self, truth: SeatTruth) -> SeatRow:
        """One seat's full truth."""
        wording, public = self.wording, self.table.public
        seat = truth.seat
        packs = {number for number, _faction, members, _hand in self.full.packs if seat in members}
        tonight = [
            f"{wording.skill(skill)} {wording.targets(targets)}"
            for holder, skill, targets, by in self.full.pending
            if holder == seat or (holder in packs and by == seat)
        ]
        votes = [wording.who(target) for ballot in public.ballots for voter, target in ballot.votes if voter == seat]
        own = self.rules.roles[truth.role].faction
        blue, yellow, red = public.cards.get(seat, (0, 0, 0))
        return SeatRow(
            truth, wording.role(truth.role), wording.sign(truth.faction or own),
            wording.faction(truth.faction) if truth.faction != own and truth.faction else "",
            wording.cause(truth.cause) if truth.cause else "", tonight, "；".join(votes), self._hand(truth), self._tags(truth),
            truth.posts, self.needed, [(c, n) for c, n in (("blue", blue), ("yellow", yellow), ("red", red)) if n],
            self.people.get((seat, "player"), ""), self.people.get((seat, "assistant"), ""),
        )  # fmt: skip

    def _hand(self, truth: SeatTruth) -> list[tuple[str, str, bool]]:
        """(skill, counters, spent) of what is in a hand."""
        found = []
        for skill, held in truth.skills.items():
            counters = []
            if held["last"]:
                counters.append(_("上次 %(seats)s") % {"seats": "、".join(map(str, held["last"]))})
            if held["used"]:
                counters.append(_("用过 %(seats)s") % {"seats": "、".join(map(str, held["used"]))})
            found.append((self.wording.skill(skill), "，".join(counters), bool(held["spent"])))
        return found

    def _tags(self, truth: SeatTruth) -> list[str]:
        """What stands on a seat: badge, charm, and the night's effects."""
        effects, seat = self.full.effects, truth.seat
        tags = [_("警长")] if self.full.sheriff == seat else []
        if truth.charmed:
            tags.append(_("被魅惑"))
        if seat in effects["frozen"]:
            tags.append(_("今夜冰冻"))
        if seat in effects["wards"]:
            tags.append(_("有守护"))
        if seat in effects["doomed"]:
            tags.append(_("夜末出局"))
        tags += [
            _("在【%(skill)s】下") % {"skill": self.wording.skill(skill)} for skill, seats in effects["marks"].items() if seat in seats
        ]
        tags += [
            _("受【%(skill)s】") % {"skill": self.wording.skill(skill)} for skill, _holder, target in effects["strikes"] if target == seat
        ]
        if truth.host:
            tags.append(_("认 %(seat)s") % {"seat": truth.host})
        if truth.heretics:
            tags.append(_("异端 %(seats)s") % {"seats": "、".join(map(str, truth.heretics))})
        if truth.substituted:
            tags.append(_("换过 %(n)s 次演员") % {"n": truth.substituted})
        return tags

    def census(self) -> str:
        """7 人在场 · 狼人 2 · 民 1: who lives, by role."""
        living: dict[str, int] = {}
        for truth in self.full.seats:
            if truth.alive:
                living[truth.role] = living.get(truth.role, 0) + 1
        parts = [_("%(n)s 人在场") % {"n": sum(living.values())}]
        parts += [f"{self.wording.role(role)} {living[role]}" for role in self.rules.roles if role in living]
        parts += [_("%(faction)s已判负") % {"faction": self.wording.faction(faction)} for faction in self.full.lost]
        return " · ".join(parts)

    # --- what comes ---------------------------------------------------------------------------------------------------

    def announcement(self) -> tuple[str, str] | None:
        """The next announcement as it would read now: when, and its HTML."""
        speaker = Speaker({seat: persona.name for seat, persona in self.table.personas.items()}, self.rules)
        for coming in self.ahead:
            said = [speaker.line(news) for news in coming.news if news.public]
            opened = [news for news in coming.news if news.kind == "day"]
            head = [f"{day_name(news.value['day'])}开门，{clock(news.value['closes_at'], coming.at)} 关门。" for news in opened]
            body = "\n".join([*head, *(line for line in said if line)])
            if body:
                return clock(coming.at, self.table.minute), render_post(body)
        return None

    def outcome(self) -> list[Line]:
        """What would come out if it settled now, stroke by stroke, each line with its explanation."""
        lines = []
        for coming in self.ahead:
            for news in coming.news:
                words = self.wording.line(news) if news.kind not in ("stage", "den", "closed", "twilight") else ""
                if words:
                    lines.append(Line(clock(coming.at, self.table.minute), words, self._why_ahead(news)))
        return lines

    def drawn(self) -> bool:
        """Whether something in it would be drawn: then it is an example."""
        return any(news.kind == "drawn" for coming in self.ahead for news in coming.news)

    def _why_ahead(self, news: News) -> str:
        match news.kind:
            case "out":
                return self.why(out=news.value["seat"], ahead=1)
            case "told":
                return self.why(told=news.seats[0], skill=news.value["skill"], ahead=1)
            case "proposed":
                return self.why(card=news.value["seat"], clause=news.value["clause"], ahead=1)
            case "ended":
                return self.why(end=1, ahead=1)
        return ""

    # --- rows -------------------------------------------------------------------------------------------------------

    def requests(self) -> list[Request]:
        """Players' requests nobody has answered."""
        return list(Request.objects.filter(game=self.table.game, done_by=0).order_by("pk"))

    def held(self) -> list[Post]:
        """Announcements whose wording waits for a review."""
        return acts.held_announcements(self.table)

    def visits(self) -> list[Visit]:
        """Managers who look into this game by an act now."""
        now = self.table.now
        return list(Visit.objects.filter(game=self.table.game, since__lte=now, until__gt=now).select_related("manager"))

    def lines(self) -> list[tuple[int, Any]]:
        """The private lines: seat, and when the player's or a director's latest word came."""
        rows = Post.objects.filter(game=self.table.game, room__startswith="line-").values_list("room").annotate(Max("at"))
        last = dict(rows)
        return [(seat, last.get(f"line-{seat}")) for seat in self.table.personas]

    def duty(self) -> list[tuple[str, str]]:
        """Directors off duty and their handover notes."""
        rows = self.table.game.directings.exclude(off="").select_related("account").order_by("number")
        return [(self.wording.director(row.number), row.off) for row in rows]
