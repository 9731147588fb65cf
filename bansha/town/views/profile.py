"""Who somebody is in town: the card that everybody may read, and one's own with the settings of the account."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from bansha.town.guards import TownRequest, anyone, member
from bansha.town.models import ZONES, Account, Game
from bansha.town.past import Played, played

EACH = 10
"""Parts on a page."""


def _card(request: HttpRequest, account: Account) -> dict[str, object]:
    """What everybody may read of somebody: only games that are over."""
    parts = played(account)
    directed = list(Game.objects.filter(directings__account=account, status="over").order_by("-start"))
    counted = [part for part in parts if part.decided and not part.handed_over]
    page = Paginator(parts, EACH).get_page(request.GET.get("p"))
    return {
        "who": account, "parts": page.object_list, "page": page, "part_count": len(parts), "directed": directed,
        "won": sum(part.won for part in counted), "sides": _sides(counted),
    }  # fmt: skip


def _sides(parts: list[Played]) -> list[tuple[str, int, int]]:
    """Per side: its mark, games, and games won."""
    found = []
    for mark in ("folk", "wolf", "third"):
        own = [part for part in parts if part.mark == mark]
        if own:
            found.append((mark, len(own), sum(part.won for part in own)))
    return found


@anyone
def card(request: HttpRequest, name: str) -> HttpResponse:
    """Somebody's card: there once a game they were in is over."""
    account = Account.objects.filter(username=name).first()
    if account is None:
        raise Http404
    context = _card(request, account)
    if not context["part_count"] and not context["directed"]:
        raise Http404
    return render(request, "town/profile_card.html", context)


def _save(request: TownRequest) -> HttpResponse:
    zone, language = request.POST.get("zone", ""), request.POST.get("language", "")
    if zone not in ZONES or language not in dict(Account._meta.get_field("language").choices or ()):
        error = _("时区与语言要从列表里选；没有改动。")
        return render(request, "town/profile.html", {**_own(request), "error": error}, status=422)
    request.member.zone, request.member.language = zone, language
    request.member.save(update_fields=["zone", "language"])
    messages.success(request, _("设置已经改了。"))
    return redirect("town:profile")


def _own(request: TownRequest) -> dict[str, object]:
    kinds = list(Authenticator.objects.filter(user=request.member).values_list("type", flat=True))
    return {
        **_card(request, request.member), "zones": ZONES, "totp": Authenticator.Type.TOTP in kinds,
        "keys": kinds.count(Authenticator.Type.WEBAUTHN), "emails": EmailAddress.objects.filter(user=request.member).count(),
    }  # fmt: skip


@member
def profile(request: TownRequest) -> HttpResponse:
    """My own card, and the settings of my account."""
    if request.method == "POST":
        return _save(request)
    return render(request, "town/profile.html", _own(request))


urls = [
    path("profile/", profile, name="profile"),
    path("who/<str:name>/", card, name="card"),
]
