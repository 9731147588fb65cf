"""The managers' office: invitations, who may direct or manage, repeated failed sign-ins, and the act of looking into a game.

A manager is a member like any other (rules.md §7). What is shown here beyond that: accounts of running games that somebody
tries to get into, and a running game's inside by an act with reason and term, which its directors are shown at once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.crypto import get_random_string, salted_hmac
from django.utils.translation import gettext as _

from bansha.journal import doors, time
from bansha.town.acts import Denied, sentence
from bansha.town.guards import TownRequest, manager
from bansha.town.models import Account, Appeal, Directing, FailedLogin, Game, Invite, LogLine, Tenure, Visit
from bansha.town.signals import KEPT

REPEATED = 3
"""So many failed sign-ins within a week are shown."""
LONGEST_HOURS = 72
LONGEST_REASON = 500
RIGHTS = ("directs", "manages")


def attempts(now: datetime) -> list[tuple[Account, list[datetime]]]:
    """Accounts that somebody failed to get into again and again, with the times, the newest first. Whether they play is not said:
    a manager knows no more of a running game than a member does (rules.md §7)."""
    rows = FailedLogin.objects.filter(at__gte=now - KEPT).select_related("account").order_by("-at")
    found: dict[int, tuple[Account, list[datetime]]] = {}
    for row in rows:
        found.setdefault(row.account_id, (row.account, []))[1].append(row.at)
    return [pair for pair in found.values() if len(pair[1]) >= REPEATED]


def look_into(by: Account, game: Game | None, reason: str, hours: str, now: datetime) -> Visit:
    """The act of looking into a running game: a reason and a term, shown to its directors at once.

    Raises:
        Denied: no running game, no reason, no term of 1 to 72 hours, or a place of one's own in that game.
    """
    reason = reason.strip()
    if game is None or game.status != "running":
        raise Denied("这一局不在演。只有正在演的局要这样看；别的局照常打开就行。", "This game is not running; open others as usual.")
    if Tenure.objects.filter(game=game, account=by).exists():
        raise Denied(
            "你在这一局里有位子（或有过），不能再以管理员身份看里面。请别的管理员来看。",
            "You sit in this game, or did: you cannot look into it as a manager. Ask another manager.",
        )
    if Directing.objects.filter(game=game, account=by).exists():
        raise Denied("你是这一局的导演，直接上导演台就行。", "You direct this game: go to the desk.")
    if not reason:
        raise Denied("没有写理由。写明为什么要看，导演会看到这句话。", "No reason given. Say why; the directors will read it.")
    if len(reason) > LONGEST_REASON:
        raise Denied(f"理由最多 {LONGEST_REASON} 字。", f"A reason has at most {LONGEST_REASON} characters.")
    if not (hours.isascii() and hours.isdigit() and 1 <= int(hours) <= LONGEST_HOURS):
        raise Denied(f"期限要写 1 到 {LONGEST_HOURS} 之间的整数（小时）。", f"The term is a whole number of hours, 1 to {LONGEST_HOURS}.")
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=game.pk)
        open_one = Visit.objects.filter(game=game, manager=by, until__gt=now).first()
        if open_one is not None:
            return open_one
        until = now + timedelta(hours=int(hours))
        visit = Visit.objects.create(game=game, manager=by, reason=reason, since=now, until=until)
        said = f"管理员 {by.username} 查看本局 {hours} 小时。理由：{reason}"
        LogLine.objects.create(game=game, kind="visit", words=said, at=now)
    return visit


def stop_looking(by: Account, visit: Visit | None, now: datetime) -> None:
    """End one's own look before its term.

    Raises:
        Denied: it is somebody else's, or over already.
    """
    if visit is None or visit.manager_id != by.pk or visit.until <= now:
        raise Denied("这一次查看已经结束，或不是你的。", "This look is over already, or is not yours.")
    with transaction.atomic():
        Visit.objects.filter(pk=visit.pk).update(until=now)
        LogLine.objects.create(game=visit.game, kind="visit", words=f"管理员 {by.username} 不再查看本局。", at=now)


def grant(by: Account, name: str, right: str, give: bool) -> Account:
    """Give a member the right to direct or to manage, or take it away.

    Raises:
        Denied: no such member or right, a computer player, or one's own office.
    """
    account = Account.objects.filter(username=name.strip()).first()
    if account is None:
        raise Denied(f"镇上没有叫“{name.strip()}”的人，要写完整的站内名字。", f"Nobody in town is called “{name.strip()}”.")
    if right not in RIGHTS:
        raise Denied("能给的只有“导演”和“管理员”。", "There are two rights: to direct and to manage.")
    if account.computer:
        raise Denied("这是电脑演员的账号，不能执导，也不能管理。", "A computer player's account neither directs nor manages.")
    if account.pk == by.pk and right == "manages" and not give:
        raise Denied("自己的管理员身份自己收不了，请别的管理员来收。", "You cannot take your own office; ask another manager.")
    Account.objects.filter(pk=account.pk).update(**{right: give})
    return account


def invite(by: Account, key: str, now: datetime) -> Invite:
    """Make an invitation; the same form handed in twice makes one."""
    code = salted_hmac("bansha.town.invite", f"{by.pk}\n{key}").hexdigest()[:20] if key else get_random_string(20).lower()
    made, _new = Invite.objects.get_or_create(code=code, defaults={"made_by": by, "made_at": now})
    return made


def _context(request: TownRequest) -> dict[str, Any]:
    now = time.now()
    running = Game.objects.filter(status="running").order_by("-pk").prefetch_related("directings__account")
    link = request.build_absolute_uri(reverse("account_signup")) + "?invite="
    return {
        "invites": [(row, link + row.code) for row in Invite.objects.select_related("made_by", "used_by").order_by("-pk")[:50]],
        "invite_only": settings.INVITE_ONLY,
        "officers": Account.objects.filter(Q(directs=True) | Q(manages=True)).order_by("username"),
        "attempts": attempts(now), "moved": doors.moved(now), "running": running, "now": now, "key": get_random_string(32),
        "longest": LONGEST_HOURS,
        "appeals": Appeal.objects.filter(lifted=None).count(),
        "visits": Visit.objects.select_related("game", "manager").order_by("-pk")[:50],
    }  # fmt: skip


def _refused(request: TownRequest, error: Denied, form: str) -> HttpResponse:
    typed = {name: request.POST.get(name, "") for name in ("game", "reason", "hours", "name", "right")}
    context = {**_context(request), "error": sentence(error), "form": form, "typed": typed}
    return render(request, "town/managers.html", context, status=422)


@manager
def managers(request: TownRequest) -> HttpResponse:
    """The office on one page."""
    return render(request, "town/managers.html", _context(request))


@manager
def make_invite(request: TownRequest) -> HttpResponse:
    """Make an invitation."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    invite(request.member, request.POST.get("key", ""), time.now())
    messages.success(request, _("邀请写好了，链接在列表最上面。"))
    return redirect("town:managers")


@manager
def change_right(request: TownRequest) -> HttpResponse:
    """Give or take the right to direct or to manage."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        give = request.POST.get("act") == "give"
        account = grant(request.member, request.POST.get("name", ""), request.POST.get("right", ""), give)
    except Denied as error:
        return _refused(request, error, "right")
    messages.success(request, (_("%(name)s 的身份给了。") if give else _("%(name)s 的身份收了。")) % {"name": account.username})
    return redirect("town:managers")


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@manager
def visit(request: TownRequest) -> HttpResponse:
    """Look into a running game."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    game = Game.objects.filter(pk=_number(request, "game")).first()
    try:
        made = look_into(request.member, game, request.POST.get("reason", ""), request.POST.get("hours", ""), time.now())
    except Denied as error:
        return _refused(request, error, "visit")
    return redirect("desk:desk", made.game_id)


@manager
def leave(request: TownRequest) -> HttpResponse:
    """Stop looking before the term is over."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        stop_looking(request.member, Visit.objects.filter(pk=_number(request, "visit")).first(), time.now())
    except Denied as error:
        return _refused(request, error, "leave")
    messages.success(request, _("不再查看这一局。"))
    return redirect("town:managers")


urls = [
    path("managers/", managers, name="managers"),
    path("managers/invite", make_invite, name="make_invite"),
    path("managers/right", change_right, name="change_right"),
    path("managers/visit", visit, name="visit"),
    path("managers/leave", leave, name="leave"),
]
