"""What the town says when there is nothing to show, or when it did not take something."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy

from bansha.journal import faults
from bansha.town.acts import Denied

log = logging.getLogger("bansha.pages")

KEPT = ("body", "text", "words", "reason", "note", "script")
"""Fields with running text, which is handed back when a form could not be taken."""
RETRY = 15
"""Seconds after which a program may ask again while the database does not do what it should."""
HEADS = {
    "full": gettext_lazy("镇上的纸用完了"),
    "gone": gettext_lazy("镇上的账房一时敲不开"),
    "form": gettext_lazy("镇上正在搬家具"),
}
WHY = {
    "full": gettext_lazy("数据库没有地方再写了。读照旧，写要等管理员腾出地方。"),
    "gone": gettext_lazy("数据库这会儿不应声，多半很快就好。"),
    "form": gettext_lazy("数据库和程序的版本正在换，几分钟就好。"),
}
UNAVAILABLE = {
    "full": Denied("数据库没有地方再写了；这一次没有收下，过一会儿用同一个 key 再交。",
                   "The database has no room left; this was not taken. Send it again later with the same key."),
    "gone": Denied("数据库这会儿不应声；这一次没有收下，过一会儿用同一个 key 再交。",
                   "The database does not answer; this was not taken. Send it again later with the same key."),
    "form": Denied("数据库和程序的版本正在换；这一次没有收下，过几分钟用同一个 key 再交。",
                   "Database and program are being brought to one version; this was not taken. Send it again later with the same key."),
}  # fmt: skip


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Not there, or not for you: the same page."""
    return render(request, "town/404.html", {"table": None}, status=404)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Something that may not be done here."""
    return render(request, "town/403.html", {"table": None}, status=403)


def _ours(request: HttpRequest) -> bool:
    """Whether a form was sent from a page of the town, as far as the browser says."""
    came = request.META.get("HTTP_ORIGIN") or request.META.get("HTTP_REFERER") or ""
    return urlsplit(came).netloc == request.get_host()


def stale(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that stood open too long, or came from elsewhere: nothing was done. What was written is handed back, when the
    form was ours."""
    ours = _ours(request)
    kept = [value for name in KEPT if (value := request.POST.get(name, "").strip())] if ours else []
    came = urlsplit(request.META.get("HTTP_REFERER", ""))
    again = came.path if ours and came.netloc == request.get_host() else ""
    context = {"table": None, "stale": True, "kept": "\n\n".join(kept), "again": again}
    return render(request, "town/403.html", context, status=403)


class Field(NamedTuple):
    """A field of a form that was not taken: `text` is running text, shown and open to change."""

    name: str
    value: str
    text: bool


def _fields(request: HttpRequest) -> list[Field]:
    """The form as it was sent, to be sent again with the same key; none where it cannot be repeated (passwords, files) or did not
    come from a page of ours."""
    try:
        given = request.POST if request.method == "POST" and _ours(request) else None
        if given is None or request.FILES:
            return []
    except Exception:  # what cannot be read cannot be repeated, whatever is wrong with it
        return []
    if any("password" in name for name in given):
        return []
    return [
        Field(name, value, name in KEPT) for name in given if name != "csrfmiddlewaretoken" for value in given.getlist(name)
    ]


def unavailable(request: HttpRequest, fault: faults.Fault) -> HttpResponse:
    """The database does not do what it should: said without asking it anything. What was written is in the form again, which is
    sent once more with the key it had, so that it counts once."""
    if request.path.startswith("/api/"):
        words = UNAVAILABLE[fault]
        response: HttpResponse = JsonResponse({"code": "unavailable", "zh": words.zh, "en": words.en, "at": []}, status=503)
        response["Cache-Control"] = "no-store"
    else:
        response = _handed_back(request, 503, {"said": HEADS[fault], "why": WHY[fault]})
    response["Retry-After"] = str(RETRY)
    return response


def too_fast(request: HttpRequest, seconds: int) -> HttpResponse:
    """More in a minute than people hand in: nothing was done, and what was written is in the form again."""
    response = _handed_back(request, 429, {"seconds": seconds})
    response["Retry-After"] = str(seconds)
    return response


def _handed_back(request: HttpRequest, status: int, context: Mapping[str, object]) -> HttpResponse:
    """A page that asks the database nothing, with the form as it was sent."""
    fields = _fields(request)
    again = {
        "sent": request.method == "POST", "fields": fields, "here": request.get_full_path(),
        "token": get_token(request) if fields else "",
    }  # fmt: skip
    response = HttpResponse(render_to_string(f"town/{status}.html", {**again, **context}), status=status)
    response["Cache-Control"] = "no-store"
    return response


def _fault(request: HttpRequest, error: BaseException | None) -> HttpResponse | None:
    fault = faults.of(error)
    if fault is None:
        return None
    log.warning("%s %s: %s (%s)", request.method, request.path, faults.SAID[fault], " ".join(str(error).split())[:200])
    return unavailable(request, fault)


def bad(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A request that cannot be read: nothing of it is used, not even who asks. (A session that could not be written down is our
    fault, and said as such.)"""
    return _fault(request, exception) or HttpResponse(render_to_string("town/400.html"), status=400)


def broken(request: HttpRequest) -> HttpResponse:
    """Our fault; nothing of the request is used, for that may be what broke. Where the database is at fault, that is said, and
    what was written is handed back."""
    error = sys.exc_info()[1]
    answer = _fault(request, error)
    if answer is not None:
        return answer
    log.error("%s: a mistake of ours", getattr(request, "path", "before there was a request"), exc_info=error)
    return HttpResponse(render_to_string("town/500.html"), status=500)
