"""Whether a line of the outbox still has something to tell when its moment has come.

It asks only what its reader may know: their own view, their own marks. What hangs on time looks at the limits again here; a
limit that has moved gets a line of its own.
"""

from __future__ import annotations

from datetime import datetime

from bansha.journal import doors
from bansha.notify import plan, projector
from bansha.notify.kinds import BY_ID
from bansha.notify.models import Notice, Ways
from bansha.sight.types import DIRECTOR, PUBLIC, DirectorView, View, Viewer
from bansha.town.models import Directing, Mark, Tenure


def stands(notice: Notice, way: Ways, now: datetime) -> bool:
    """Whether it is to be told now."""
    if notice.kind not in way.wants(notice.channel) or (notice.expires is not None and notice.expires <= now):
        return False
    if notice.seat and not Tenure.objects.filter(game=notice.game_id, account=notice.account_id, seat=notice.seat, until=None).exists():
        return False
    if BY_ID[notice.kind].whom == "desk" and not Directing.objects.filter(game=notice.game_id, account=notice.account_id).exists():
        return False
    if notice.room and notice.about:
        read = Mark.objects.filter(account=notice.account_id, game=notice.game_id, room=notice.room, floor__gte=notice.about)
        return not read.exists()
    match notice.kind:
        case "opened":
            return not notice.day or _view(notice, PUBLIC, now).public.day == notice.day
        case "prompt":
            me = _view(notice, Viewer("player", notice.seat), now).me
            return me is not None and bool(me.prompt)
        case "closing":
            return _closes(notice, way, now)
        case "window":
            return _opens(notice, way, now)
        case "missing":
            return _misses(notice, way, now)
    return True


def _journal(notice: Notice) -> int:
    assert notice.game.journal is not None
    return notice.game.journal


def _view(notice: Notice, viewer: Viewer, now: datetime) -> View:
    journal = _journal(notice)
    return doors.see(journal, viewer, now=doors.minute(journal, now)).view


def _closes(notice: Notice, way: Ways, now: datetime) -> bool:
    public = _view(notice, PUBLIC, now).public
    if public.phase != "day" or public.paused or public.day != notice.day:
        return False
    if public.closes_at == notice.about:
        return True
    projector.plan_closing(notice.game, way, public.day, public.closes_at, doors.pace(_journal(notice)), now)
    return False


def _opens(notice: Notice, way: Ways, now: datetime) -> bool:
    """Something of this seat can be handed in that could not before, and was not; the next look is when the next window opens."""
    view = _view(notice, Viewer("player", notice.seat), now)
    if view.me is None or view.public.phase not in ("setup", "night") or view.public.day != notice.day:
        return False
    skills = [skill for skill in view.me.skills if skill.state in ("open", "early", "shut") and skill.opens]
    ahead = [skill.opens for skill in skills if skill.opens > view.public.now and view.public.phase == "night"]
    if ahead:
        at = doors.pace(_journal(notice)).moment(min(ahead))
        plan.queue(notice.game, projector.window_at(notice.game, notice.seat, min(ahead), at, notice.day), [way], now)
    return any(skill.state == "open" and skill.opens >= notice.about and not skill.has_kept for skill in skills)


def _misses(notice: Notice, way: Ways, now: datetime) -> bool:
    """Somebody who may has not answered in a stage that ends at this limit; the next look is before the next limit."""
    full = _view(notice, DIRECTOR, now).director
    if full is None or full.phase.partition(" ")[0] not in ("dusk", "night"):
        return False
    ahead = [limit for limit in full.limits if limit > notice.about]
    if ahead:
        what = projector.missing_at(notice.game, min(ahead), doors.pace(_journal(notice)))
        plan.queue(notice.game, what, [way], now)
    return bool(_waited_for(notice, full))


def _waited_for(notice: Notice, full: DirectorView) -> list[tuple[int, str]]:
    """Holder and skill of what is not handed in of the stages that end at this limit."""
    rules = doors.ruleset(_journal(notice)).ruleset
    ending = {skill for stage, limit in zip(rules.night, full.limits, strict=False) if limit == notice.about for skill in stage.stage}
    kept = {(holder, skill) for holder, skill, _targets, _by in full.pending}
    return [
        (holder, skill)
        for holder, skill in full.asked
        if skill in ending and not any((holder, other) in kept for other in (skill, *rules.skills[skill].excludes))
    ]
