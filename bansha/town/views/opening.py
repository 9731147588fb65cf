"""Opening a game and changing it before its ceremony; pictures of personas."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bansha.journal import time
from bansha.rulesets.load import Loaded, bundled, load
from bansha.rulesets.placeholders import fill
from bansha.rulesets.sheet import clause_ids
from bansha.rulesets.words import OptionError, Words, options_in_force
from bansha.town import avatars, calendar, masks, opening
from bansha.town.acts import Denied, sentence
from bansha.town.guards import TownRequest, at_game, directing, opens_games
from bansha.town.looks import windows
from bansha.town.models import ZONES, Account, Game, Persona
from bansha.town.opening import Mask, Plan

LONG = "private, max-age=31536000, immutable"
SHORT = "private, no-cache"


def language() -> str:
    """The language of rule texts on this page."""
    return "en" if (get_language() or "").startswith("en") else "zh"


# --- what the form shows ---------------------------------------------------------------------------------------------


@dataclass
class Choice:
    """One value of an option: its phrase and what the ruleset explains of it."""

    value: str
    label: str
    small: str
    default: bool


@dataclass
class OptionField:
    """An option of the board: its question, the ruling (or common clause) that it sets with its text, and its values (a list
    of numbers for `off|N`, explained by `small`)."""

    name: str
    legend: str
    clause: str
    ruling: str
    small: str
    choices: list[Choice]
    numbers: list[int]
    value: str
    changed: bool
    error: str = ""


CITED = re.compile(r"\s*[（(]([A-Z]\d+)[）)]\s*$")
COMMON = {"close_early": "C8", "weekend": "C20", "sped_up_spares": "C21", "auto_speed_up_below": "C21"}
"""The common clauses that options set which no ruling of the board is about."""


def option_fields(loaded: Loaded, options: dict[str, str], faults: dict[str, str]) -> list[OptionField]:
    """Every option of a ruleset with its texts in the language of the page."""
    rules = loaded.ruleset
    words = Words(rules, language(), options)
    clauses = clause_ids(rules)
    found = []
    for name, option in rules.options.items():
        ruling = next((id for id, made in rules.rulings.items() if made.option == name), COMMON.get(name, ""))
        text = clauses[ruling].get(language()) if ruling in clauses else ""
        choices = [
            Choice(
                legal,
                words.begin(words.option(name, legal)),
                fill(option.explain[legal], words, quiet=True) if legal in option.explain else "",
                legal == option.default,
            )
            for legal in ("off" if legal == "off|N" else legal for legal in option.values)
        ]
        numbers = list(range(2, rules.seats)) if "off|N" in option.values else []
        small = fill(option.explain["N"], words, quiet=True) if numbers and "N" in option.explain else ""
        value = options.get(name, option.default)
        legend = CITED.sub("", fill(option.question, words, quiet=True))
        changed = value != option.default
        found.append(OptionField(name, legend, ruling, text, small, choices, numbers, value, changed, faults.get(f"options.{name}", "")))
    return found


@dataclass
class Board:
    """A board to choose: the newest version's name and what it is."""

    id: str
    name: str
    small: str
    here: bool


@dataclass
class Version:
    """A version of a board."""

    id: str
    name: str
    hash: str
    here: bool


def boards(ruleset: str) -> list[Board]:
    """The bundled boards."""
    found = []
    for id in bundled():
        if family(id)[0] == id:
            loaded = load(id)
            about = fill(loaded.ruleset.about, Words(loaded.ruleset, language()), quiet=True)
            end = "。" if language() == "zh" else ". "
            found.append(
                Board(id, loaded.ruleset.name.get(language()), about.split(end)[0].strip("。. ") + end.strip(), ruleset in family(id))
            )
    return found


def family(id: str) -> list[str]:
    """A board's versions, the newest first: a bundled ruleset and those of the same name that it was written over."""
    stem = id.partition("-")[0]
    versions = [other for other in bundled() if other == stem or other.startswith(f"{stem}-")]
    return sorted(versions, key=lambda other: (other != stem, other))


def versions(ruleset: str) -> list[Version]:
    """The versions of a board."""
    found = []
    for id in family(ruleset):
        loaded = load(id)
        latest = max((revision.date for revision in loaded.ruleset.revisions), default="")
        named = " · ".join(x for x in (loaded.ruleset.name.get(language()), id, latest) if x)
        found.append(Version(id, named, loaded.hash, id == ruleset))
    return found


@dataclass
class MaskField:
    """A persona's row: its window (tone below 0: none yet), fields and fault."""

    seat: int
    name: str
    signature: str
    approved: bool
    tone: int
    lattice: int
    pictured: bool
    error: str


def mask_fields(plan: Plan, seats: int, faults: dict[str, str], pictured: set[int]) -> list[MaskField]:
    """The rows of all personas."""
    rows = (plan.personas + [Mask("") for _ in range(seats)])[:seats]
    good = [seat for seat, mask in enumerate(rows, 1) if masks.tidy(mask.name) and f"mask{seat}" not in faults]
    looks = dict(zip(good, windows([masks.tidy(rows[seat - 1].name) for seat in good]), strict=True))
    return [
        MaskField(
            seat, mask.name, mask.signature, mask.approved, *looks.get(seat, (-1, 0)), seat in pictured, faults.get(f"mask{seat}", "")
        )
        for seat, mask in enumerate(rows, 1)
    ]


# --- what was typed --------------------------------------------------------------------------------------------------


@dataclass
class Typed:
    """A form as it was sent: the plan it makes, the texts that made no value, and whether another board was chosen."""

    plan: Plan
    raw: dict[str, str] = field(default_factory=dict)
    other_board: bool = False


def local(moment: datetime | None, zone: str) -> str:
    """A moment for an input of type datetime-local."""
    return moment.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M") if moment is not None else ""


def _moment(text: str, zone: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.strip()).replace(tzinfo=ZoneInfo(zone))
    except ValueError:
        return None


def typed(request: HttpRequest, account: Account) -> Typed:
    """Read the form."""
    sent = request.POST
    shown = sent.get("shown", "")
    version = sent.get("version", "")
    board = sent.get("board", "")
    known = bundled()
    ruleset = version if version in known and (board not in known or version in family(board)) else board
    other = ruleset != shown
    if ruleset not in known:
        ruleset, other = bundled()[0], True
    zone = sent.get("zone", "") if sent.get("zone", "") in ZONES else account.zone
    seats = load(ruleset).ruleset.seats
    people = [
        Mask(sent.get(f"mask{seat}", ""), sent.get(f"signature{seat}", ""), bool(sent.get(f"approved{seat}")))
        for seat in range(1, seats + 1)
    ]
    options = {name: sent[f"o.{name}"] for name in load(ruleset).ruleset.options if f"o.{name}" in sent}
    pace = sent.get("pace", "1").strip()
    fellows = sent.get("fellows", "").replace("、", " ").replace("，", " ").replace(",", " ").split()
    plan = Plan(
        ruleset, sent.get("title", ""), options, sent.get("script", ""), sent.get("note", ""), zone,
        int(pace) if pace.isascii() and pace.isdigit() and len(pace) < 6 else 0, _moment(sent.get("hash_until", ""), zone),
        _moment(sent.get("deal_at", ""), zone), bool(sent.get("spectators")), bool(sent.get("review")), people, fellows,
    )  # fmt: skip
    return Typed(plan, {name: sent.get(name, "") for name in ("hash_until", "deal_at", "pace", "fellows")}, other)


def _as_typed(plan: Plan) -> Typed:
    raw = {
        "hash_until": local(plan.hash_until, plan.zone), "deal_at": local(plan.deal_at, plan.zone), "pace": str(plan.pace),
        "fellows": "、".join(plan.fellows),
    }  # fmt: skip
    return Typed(plan, raw)


def _page(
    request: HttpRequest, form: Typed, game: Game | None, faults: dict[str, Denied], said: str = "", status: int = 200
) -> HttpResponse:
    plan = form.plan
    loaded = load(plan.ruleset)
    rules = loaded.ruleset
    at = {name: sentence(fault) for name, fault in faults.items()}
    options = {name: value for name, value in plan.options.items() if _legal(loaded, name, value)}
    pictured = set(Persona.objects.filter(game=game).exclude(avatar=None).values_list("seat", flat=True)) if game else set()
    fields = option_fields(loaded, {**options_in_force(rules), **options}, at)
    preview = None
    if plan.deal_at is not None and 1 <= plan.pace <= opening.FASTEST:
        preview = calendar.preview(loaded, options, plan.deal_at, plan.zone, plan.pace, language())
    rows = mask_fields(plan, rules.seats, at, pictured)
    key = request.POST.get("key") or secrets.token_hex(16)
    shown: dict[str, Any] = {
        "game": game, "plan": plan, "raw": form.raw, "faults": at, "said": said, "boards": boards(plan.ruleset),
        "versions": versions(plan.ruleset), "hash": loaded.hash, "fields": fields, "changed": sum(x.changed for x in fields), "masks": rows,
        "usable": sum(row.tone >= 0 for row in rows), "approved": sum(row.approved and row.tone >= 0 for row in rows), "zones": ZONES,
        "preview": preview, "seats": rules.seats, "setup_hours": rules.calendar.setup_minutes // 60, "key": key,
        "longest": masks.LONGEST, "substitutes": fill(rules.substitutes.text, Words(rules, language()), quiet=True),
    }  # fmt: skip
    return render(request, "town/open.html", shown, status=status)


def _legal(loaded: Loaded, name: str, value: str) -> bool:
    try:
        options_in_force(loaded.ruleset, {name: value})
    except OptionError:
        return False
    return True


def _looked_at(request: HttpRequest, form: Typed, game: Game | None) -> HttpResponse | None:
    """Buttons that change the form and keep nothing: another board, a set of names, the calendar again."""
    act = request.POST.get("do", "")
    if form.other_board or act == "board":
        name = load(form.plan.ruleset).ruleset.name.get(language())
        return _page(request, form, game, {}, _("已换成“%(board)s”，下面是它的选项与日历。还没有存。") % {"board": name})
    if act == "names":
        have = [mask.name for mask in form.plan.personas if masks.tidy(mask.name)]
        new = iter(masks.suggest(len(form.plan.personas), have))
        people = [mask if masks.tidy(mask.name) else replace(mask, name=next(new, "")) for mask in form.plan.personas]
        form.plan.personas = people
        return _page(request, form, game, {}, _("空着的位子已抽上名字。还没有存。"))
    if act == "preview":
        faults = opening.check(form.plan, time.now(), complete=False)
        return _page(request, form, game, {k: v for k, v in faults.items() if k in ("hash_until", "deal_at", "pace", "zone")})
    return None


# --- pages -----------------------------------------------------------------------------------------------------------


@opens_games
def open_page(request: TownRequest) -> HttpResponse:
    """Fill in a new game; keep it as a draft, or put it up for sign-up."""
    account = request.member
    if request.method != "POST":
        wanted = request.GET.get("ruleset", "m205")
        plan = opening.fresh_plan(account, wanted if wanted in bundled() else "m205", time.now())
        return _page(request, _as_typed(plan), None, {})
    form = typed(request, account)
    looked = _looked_at(request, form, None)
    if looked is not None:
        return looked
    key = request.POST.get("key", "")
    opened: dict[str, int] = request.session.get("opened", {})
    if key and key in opened:  # the same form, sent twice
        return redirect("town:edit", game=opened[key])
    signup = request.POST.get("do") == "publish"
    if request.POST.get("do") == "approve":
        form.plan.personas = [replace(mask, approved=True) for mask in form.plan.personas]
    try:
        game = opening.open_game(account, form.plan, time.now(), signup)
    except Denied as refusal:
        return _page(request, form, None, getattr(refusal, "at", {}), sentence(refusal), 422)
    if key:
        request.session["opened"] = dict([*opened.items(), (key[:64], game.pk)][-10:])
    return _saved(request, game, signup, _("草稿已存。"))


@directing
def edit_page(request: TownRequest) -> HttpResponse:
    """Change a game before its ceremony."""
    table = request.table
    game = table.game
    if game.status not in ("draft", "signup"):
        return redirect("town:deal", game=game.pk)
    if request.method != "POST":
        return _page(request, _as_typed(opening.plan_of(game)), game, {})
    form = typed(request, request.member)
    looked = _looked_at(request, form, game)
    if looked is not None:
        return looked
    if request.POST.get("do") == "approve":
        form.plan.personas = [replace(mask, approved=True) for mask in form.plan.personas]
    signup = request.POST.get("do") == "publish"
    try:
        opening.edit(table, form.plan, signup)
    except Denied as refusal:
        return _page(request, form, game, getattr(refusal, "at", {}), sentence(refusal), 422)
    return _saved(request, game, signup, _("改动已存。"))


def _saved(request: HttpRequest, game: Game, signup: bool, words: str) -> HttpResponse:
    """On to choosing the players where sign-up has begun, else back to the form."""
    if signup:
        messages.success(request, _("戏单已挂出，报名开始。"))
        return redirect("town:people", game=game.pk)
    messages.success(request, words)
    return redirect("town:edit", game=game.pk)


@directing
def picture_page(request: TownRequest) -> HttpResponse:
    """Take in a picture for a persona, or take it away."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    table = request.table
    seat = request.POST.get("seat", "")
    seat_number = int(seat) if seat.isascii() and seat.isdigit() and len(seat) < 4 else 0
    file = request.FILES.get("picture")
    try:
        if request.POST.get("do") == "remove":
            opening.picture(table, seat_number, None)
        elif file is None:
            raise Denied("没有选图片。选一张再传。", "No picture was chosen.")
        else:
            opening.picture(table, seat_number, file.read(avatars.MOST_BYTES + 1))
    except Denied as refusal:
        form = _as_typed(opening.plan_of(table.game))
        form.raw["picture_seat"] = seat
        return _page(request, form, table.game, {"picture": refusal}, sentence(refusal), 422)
    messages.success(request, _("%(seat)s 号的头像已换。") % {"seat": seat_number})
    return redirect("town:edit", game=table.game.pk)


@directing
def clone_page(request: TownRequest) -> HttpResponse:
    """Copy a game into next season's, as a draft."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        game = opening.clone(request.table)
    except Denied as refusal:
        messages.error(request, sentence(refusal))
        return redirect("town:edit", game=request.table.game.pk)
    messages.success(request, _("已抄成新的草稿：板子、选项、剧本、马甲都在，日子排在一周之后。"))
    return redirect("town:edit", game=game.pk)


@at_game
def avatar(request: TownRequest, seat: int) -> HttpResponse:
    """A persona's picture."""
    table = request.table
    data = Persona.objects.filter(game=table.game, seat=seat).values_list("avatar", flat=True).first()
    if not data:
        raise Http404
    response = HttpResponse(bytes(data), content_type="image/png")
    response.headers["Cache-Control"] = LONG if table.begun else SHORT
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


urls = [
    path("open/", open_page, name="open"),
    path("g/<int:game>/edit/", edit_page, name="edit"),
    path("g/<int:game>/picture/", picture_page, name="picture"),
    path("g/<int:game>/clone/", clone_page, name="clone"),
    path("g/<int:game>/avatar/<int:seat>/", avatar, name="avatar"),
]
