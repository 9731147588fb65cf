"""What phase it is, how long, what I must do: the panel that stands above everything in a game (design/README, rules of use)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bansha.sight.types import SkillView
from bansha.town.table import Table
from bansha.town.words import clock, numeral


@dataclass
class MarkOn:
    """A named limit on the ruler: place in per cent, label, above or below the line, and how the label is anchored."""

    x: str
    label: str
    above: bool
    anchor: str


@dataclass
class Progress:
    """The panel. `left`: real seconds to the next limit (`until`: what ends then; none: ""), `ends`: its moment as ISO 8601, which
    scripts count down to. `todo`: what is asked of me."""

    name: str
    until: str = ""
    left: int = 0
    ends: str = ""
    limit: str = ""
    place: str = ""
    said: str = ""
    marks: list[MarkOn] = field(default_factory=list)
    ticks: list[str] = field(default_factory=list)
    todo: str = ""
    todo_more: str = ""
    todo_href: str = ""
    todo_act: str = ""
    done: str = ""

    def ends_in(self, table: Table, what: str, minute: int) -> None:
        """The limit at a game minute, and what ends then."""
        self.until, self.left, self.limit = what, table.left(minute), clock(minute)
        self.ends = table.pace.moment(minute).isoformat(timespec="seconds")


def count(n: int) -> str:
    """A day's number in the language of the page."""
    return numeral(n) if _("一") == "一" else str(n)


def _per_cent(part: float) -> str:
    return f"{100 * min(1.0, max(0.0, part)):.2f}%"


def _ruler(found: Progress, now: int, start: int, end: int, named: list[tuple[int, str]], hours: int) -> None:
    """A line from `start` to `end` with named limits and the lamp at `now`."""
    span = max(1, end - start)
    found.place = _per_cent((now - start) / span)
    found.ticks = [_per_cent(k / hours) for k in range(hours + 1)]
    last = ""
    for number, (minute, label) in enumerate(named):
        part = (minute - start) / span
        anchor = "start" if part < 0.12 else "end" if part > 0.6 else "middle"
        mark = MarkOn(_per_cent(part), f"{clock(minute)} {label}", number % 2 == 1 and 0 < part < 1, anchor)
        if mark.x != last:
            found.marks.append(mark)
        last = mark.x
    found.said = _("%(marks)s；现在 %(now)s") % {"marks": "，".join(mark.label for mark in found.marks), "now": clock(now)}


def progress(table: Table) -> Progress:
    """The panel of a game that was dealt, for this viewer."""
    public, now = table.public, table.minute
    found = Progress(_("设置"))
    if public.phase == "over":
        found.name = _("本局已结束")
        found.done = _("面具都摘下了，角色与经过见揭秘")
        return found
    if public.phase == "setup":
        found.name = _("开局设置")
        end = public.opens_at
        found.ends_in(table, _("距开门"), end)
    elif public.phase == "day":
        ballots = {ballot.name for ballot in public.ballots}
        what = _("讨论与竞选") if ballots == {"election"} else _("讨论与放逐")
        found.name = _("第%(day)s日 · %(what)s") % {"day": count(public.day), "what": what}
        found.ends_in(table, _("距关门"), public.closes_at)
        opened = public.closes_at - 720
        named = [(opened, _("开门"))] if now - opened < 720 else [(now - now % 1440 + 540, _("今晨"))]
        start = named[0][0]
        if not public.sped_up and public.freeze_at > start:
            named.append((public.freeze_at, _("改票止")))
        named.append((public.closes_at, _("关门")))
        _ruler(found, now, start, public.closes_at, named, 12)
    else:
        found.name = _("第%(day)s夜") % {"day": count(public.day)}
        found.ends_in(table, _("距开门"), public.opens_at)
    if public.paused:
        found.name += _("（暂停中）")
    if table.still_until is not None:
        found.name += _("（停机后补时中，时限以导演公布为准）")
    if table.me is not None:
        _mine(table, found)
    return found


def unanswered(table: Table) -> list[SkillView]:
    """Skills whose window is open and that nobody has answered. One that is limited to once a game asks for nothing where
    something else was answered (M6: a pass of one answers for all)."""
    me = table.me
    if me is None or table.seat == 0:
        return []
    open_now = [skill for skill in me.skills if skill.state == "open"]
    waiting = [skill for skill in open_now if not skill.has_kept]
    limited = table.loaded.ruleset.skills
    if any(skill.has_kept for skill in open_now) or any(not limited[skill.id].limited for skill in waiting):
        waiting = [skill for skill in waiting if not limited[skill.id].limited]
    return waiting


def _mine(table: Table, found: Progress) -> None:
    """What I still have to do, the most pressing first; in the night the limit of my own window."""
    me, public = table.me, table.public
    assert me is not None
    letter = reverse("town:letter", args=[table.game.pk])
    if table.viewer.kind == "assistant":
        return
    skills = table.loaded.ruleset.skills

    def name(skill: str) -> str:
        return skills[skill].name.zh if _("一") == "一" else skills[skill].name.en

    if me.prompt:
        found.todo = _("【%(skill)s】等你答") % {"skill": name(me.prompt)}
        found.todo_more = _("%(limit)s 止，不答按规则办") % {"limit": clock(me.prompt_until)}
        found.todo_href, found.todo_act = letter, _("去答")
        found.ends_in(table, _("距答复止"), me.prompt_until)
        return
    waiting = unanswered(table)
    if waiting and public.phase != "day":
        first = min(waiting, key=lambda skill: skill.until)
        listed = _("、").join(name(skill.id) for skill in waiting)
        found.todo = ngettext("%(skills)s还没有答", "%(skills)s还没有答", len(waiting)) % {"skills": listed}
        found.todo_more = _("%(limit)s 止") % {"limit": clock(first.until)}
        found.todo_href, found.todo_act = letter, _("去答")
        found.ends_in(table, _("距%(skill)s止") % {"skill": name(first.id)}, first.until)
        return
    if me.surrender == "asked":
        found.todo, found.todo_href, found.todo_act = _("同伴提出投降，等你答"), letter, _("去答")
        return
    if me.may_vote:
        ballot = me.may_vote[0]
        room = f"{'election' if ballot == 'election' else 'ballot'}-{public.day}"
        found.todo = _("你还没有投票")
        if not public.sped_up:
            found.todo_more = _("%(limit)s 后只收首票，不能再改") % {"limit": clock(public.freeze_at)}
        found.todo_href, found.todo_act = reverse("town:ballot", args=[table.game.pk, room]), _("去投票")
        return
    if me.last_words:
        found.todo = _("你可以留遗言")
        found.todo_more = _("%(limit)s 止") % {"limit": clock(me.last_words_until, table.minute)}
        found.todo_href, found.todo_act = reverse("town:lastwords", args=[table.game.pk]), _("去写")
        return
    if public.phase == "day" and me.vote:
        found.done = _("今天的票已投")
    elif public.phase != "day" and any(skill.has_kept for skill in me.skills):
        found.done = _("今夜该答的都答了")


class Tab(NamedTuple):
    """A tab of the game's bar."""

    name: str
    href: str
    icon: str
    here: bool
    due: bool = False
    wide: bool = False


def tabs(table: Table, path: str) -> list[Tab]:
    """The game's bar for this viewer: what is open to it, where it stands, what waits."""
    game = table.game.pk
    wanted: list[tuple[str, str, str, bool, bool]] = [(_("剧场"), reverse("town:hub", args=[game]), "town", False, False)]
    if table.begun:
        day = table.public.day
        me = table.me
        if table.rooms.revealed:
            wanted.append((_("揭秘"), reverse("town:reveal", args=[game]), "eye", False, False))
            wanted.append((_("回放"), reverse("town:replay", args=[game]), "clock", False, True))
        if day:
            wanted.append((_("讨论"), reverse("town:thread", args=[game, f"talk-{day}"]), "talk", False, False))
            ballots = [ballot.name for ballot in table.public.ballots] or ["exile"]
            room = f"{'election' if ballots[0] == 'election' else 'ballot'}-{day}"
            due = me is not None and bool(me.may_vote) and table.seat > 0
            wanted.append((_("投票"), reverse("town:ballot", args=[game, room]), "vote", due, False))
        if me is not None:
            due = table.seat > 0 and (bool(me.prompt) or bool(unanswered(table)))
            wanted.append((_("我的信"), reverse("town:letter", args=[game]), "letter", due, False))
        if table.sees_all:
            wanted.append((_("导演台"), reverse("desk:desk", args=[game]), "desk", False, False))
        if table.account is not None:
            wanted.append((_("树洞"), reverse("town:hole", args=[game]), "hole", False, False))
        wanted.append((_("进程帖"), reverse("town:process", args=[game]), "hand", False, True))
    wanted.append((_("规则与裁定"), reverse("town:rules", args=[game]), "rule", False, True))
    return [Tab(name, href, icon, path == href, due, wide) for name, href, icon, due, wide in wanted]
