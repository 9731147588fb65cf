"""Choosing notices: which, by which way, when not; devices, the calendar's address, what was sent; and the way out."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from bansha.journal import time
from bansha.notify import diary, mail, push, texts
from bansha.notify.kinds import KINDS, Kind
from bansha.notify.models import Device, Notice, Ways
from bansha.town.accounts import addresses_of
from bansha.town.guards import TownRequest, anyone, member
from bansha.town.models import Account, Directing

SHOWN = 20
"""Notices listed."""
DEVICES = 10
"""Devices an account may have."""
BEFORE = range(5, 721)
LOOKED_AT = ("window", "missing")
"""Kinds whose queued lines are looks at a limit: nothing may come of them."""
WORKER = Path(__file__).parent / "static" / "notify" / "worker.js"
BROWSERS = (("Edg", "Edge"), ("Firefox", "Firefox"), ("OPR", "Opera"), ("Chrom", "Chrome"), ("Safari", "Safari"))
SYSTEMS = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"), ("Linux", "Linux"))


@dataclass
class Row:
    """A kind on the page, and what is ticked of it."""

    kind: Kind
    mail: bool
    push: bool
    through: bool


@dataclass
class Line:
    """A notice that was sent, or waits."""

    notice: Notice
    said: str
    href: str


def _clock(minute: int | None) -> str:
    return "" if minute is None else f"{minute // 60:02}:{minute % 60:02}"


def _minute(text: str) -> int | None:
    """A time of day as a minute; None for none.

    Raises:
        ValueError: something else.
    """
    if not text:
        return None
    hours, _sep, minutes = text.partition(":")
    if not (hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit() and len(text) <= 5):
        raise ValueError(text)
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError(text)
    return int(hours) * 60 + int(minutes)


def _kinds(account: Account) -> list[Kind]:
    """The kinds somebody is asked about: a director's only who directs."""
    directs = account.directs or Directing.objects.filter(account=account).exists()
    return [kind for kind in KINDS if directs or kind.whom != "desk"]


def _rows(account: Account, way: Ways | None) -> list[Row]:
    rows = []
    for kind in _kinds(account):
        if way is None:
            rows.append(Row(kind, kind.first, kind.first, kind.id == "prompt"))
        else:
            rows.append(Row(kind, kind.id in way.mail, kind.id in way.push, kind.id in way.through))
    return rows


def _lately(account: Account) -> list[Line]:
    """The latest notices that have something to tell, the newest first."""
    found = Notice.objects.filter(account=account).exclude(state="moot").exclude(state="queued", kind__in=LOOKED_AT)
    return [
        Line(notice, texts.line(notice.kind, notice.game.title, notice.day), reverse("notify:go", args=[notice.key]))
        for notice in found.select_related("game").order_by("-not_before", "-pk")[:SHOWN]
    ]


def _page(request: TownRequest, error: str = "", status: int = 200) -> HttpResponse:
    account = request.member
    way = Ways.objects.filter(account=account).first()
    shown = {
        "way": way,
        "rows": _rows(account, way),
        "quiet_from": _clock(way.quiet_from if way is not None else None),
        "quiet_to": _clock(way.quiet_to if way is not None else None),
        "before": way.before if way is not None else 60,
        "mails": settings.MAILS,
        "address": next(iter(addresses_of(account)), None),
        "devices": Device.objects.filter(account=account),
        "town_key": push.public_key(),
        "calendar": diary.address_of(account),
        "lately": _lately(account),
        "error": error,
    }
    return render(request, "notify/notices.html", shown, status=status)


def _choose(request: TownRequest) -> HttpResponse:
    """Take the choices as they were handed in, or say what is wrong and take none."""
    account, ids = request.member, {kind.id for kind in _kinds(request.member)}
    lists = {name: request.POST.getlist(name) for name in ("mail", "push", "through")}
    if any(set(chosen) - ids for chosen in lists.values()):
        return _page(request, _("有一种通知不在表里；没有改动。刷新本页再选。"), 422)
    try:
        begin, end = _minute(request.POST.get("quiet_from", "")), _minute(request.POST.get("quiet_to", ""))
        before = int(request.POST.get("before", ""))
    except ValueError:
        return _page(request, _("时刻写成 23:00 这样，提前几分钟写一个数；没有改动。"), 422)
    if (begin is None) != (end is None):
        return _page(request, _("静时要有头有尾：两个时刻都填，或都不填；没有改动。"), 422)
    if before not in BEFORE:
        said = _("关门前的提醒，最少提前 %(least)s 分钟，最多 %(most)s 分钟；没有改动。")
        return _page(request, said % {"least": BEFORE[0], "most": BEFORE[-1]}, 422)
    Ways.objects.update_or_create(account=account, defaults={**lists, "quiet_from": begin, "quiet_to": end, "before": before})
    messages.success(request, _("通知照这样寄。"))
    return redirect("notify:notices")


@member
def notices(request: TownRequest) -> HttpResponse:
    """My notices: what is chosen, my devices, my calendar, what was sent."""
    if request.method != "POST":
        return _page(request)
    account = request.member
    match request.POST.get("do", ""):
        case "renew":
            diary.renew(account, time.now())
            messages.success(request, _("日历有了新地址；旧地址从现在起打不开。"))
        case "off":
            diary.switch_off(account)
            messages.success(request, _("日历关了；那个地址打不开了。"))
        case "forget":
            named = request.POST.get("device", "")
            Device.objects.filter(account=account, pk=int(named) if named.isascii() and named.isdigit() and len(named) < 18 else 0).delete()
            messages.success(request, _("这台设备不再收推送。"))
        case _:
            return _choose(request)
    return redirect(reverse("notify:notices"))


def _called(agent: str) -> str:
    """A browser by its own words, for the list of devices."""
    browser = next((name for word, name in BROWSERS if word in agent), "")
    system = next((name for word, name in SYSTEMS if word in agent), "")
    return " · ".join(part for part in (browser, system) if part) or _("浏览器")


@member
@require_POST
def device(request: TownRequest) -> HttpResponse:
    """A browser has subscribed: take it up. What it names as its push service must be one of the list."""
    endpoint = request.POST.get("endpoint", "")
    keys = {name: request.POST.get(name, "").rstrip("=") for name in ("p256dh", "auth")}
    if not push.allowed(endpoint) or len(endpoint) > 600:
        return JsonResponse({"said": _("这个浏览器的推送服务不在镇上的名单里，推送开不了；可以改用邮件。")}, status=422)
    if not all(push.fitting(name, value) for name, value in keys.items()):
        return JsonResponse({"said": _("浏览器给的钥匙读不懂；刷新本页再开一次。")}, status=422)
    if Device.objects.filter(account=request.member).exclude(endpoint=endpoint).count() >= DEVICES:
        return JsonResponse({"said": _("已有 %(n)s 台设备；先去掉一台。") % {"n": DEVICES}}, status=422)
    name = _called(request.headers.get("User-Agent", ""))
    defaults = {**keys, "account": request.member, "name": name, "made_at": time.now()}
    Device.objects.update_or_create(endpoint=endpoint, defaults=defaults)
    return JsonResponse({"said": _("这台设备会收到推送。")}, status=201)


@member
def go(request: TownRequest, key: str) -> HttpResponse:
    """Where a notice of mine leads. The notice itself does not say: its link names nothing."""
    notice = Notice.objects.filter(Q(key=key) | Q(batch=key), account=request.member).order_by("pk").first()
    if notice is None:
        raise Http404
    return redirect(notice.path)


@csrf_exempt
@anyone
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """Stop the mails, without signing in: by the page's button, or at once by a mail program (RFC 8058)."""
    way = mail.of_token(token)
    if way is None:
        raise Http404
    if request.method == "POST":
        Ways.objects.filter(pk=way.pk).update(mail=[])
        way.mail = []
    return render(request, "notify/stop.html", {"stopped": not way.mail})


@anyone
def calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The deadlines of whoever has this address."""
    account = diary.owner_of(token)
    if account is None:
        raise Http404
    with override(account.language):
        body = diary.calendar(account)
    etag = f'"{sha256(body).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag) or HttpResponse(body, content_type="text/calendar; charset=utf-8")
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


@anyone
def worker(_request: HttpRequest) -> HttpResponse:
    """The service worker that shows push notices, for the whole town."""
    response = HttpResponse(WORKER.read_bytes(), content_type="text/javascript; charset=utf-8")
    response["Service-Worker-Allowed"] = "/"
    response["Cache-Control"] = "no-cache"
    return response
