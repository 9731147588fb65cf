"""What the town says when there is nothing to show, or when it did not take something."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

KEPT = ("body", "text", "words", "reason", "note", "script")
"""Fields with running text, which is handed back when a form could not be taken."""


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


def bad(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A request that cannot be read: nothing of it is used, not even who asks."""
    return HttpResponse(render_to_string("town/400.html"), status=400)


def broken(request: HttpRequest) -> HttpResponse:
    """Our fault; nothing of the request is used, for that may be what broke."""
    return HttpResponse(render_to_string("town/500.html"), status=500)
