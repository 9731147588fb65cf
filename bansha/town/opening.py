"""Opening a game, sign-up, choosing who plays: what the pages and the demonstration do before the deal, and who takes over a
seat after it. The dealing itself is `bansha.town.ceremony`, whose acts are named here too.

Nothing here trusts a form: every act checks who asks, what stands, and answers with sentences (`Denied`, `Faults`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction

from bansha.journal import doors
from bansha.journal import time as journal_time
from bansha.referee import commands as c
from bansha.rulesets.load import Loaded, RulesetError, bundled, load
from bansha.rulesets.words import OptionError, minutes_of, options_in_force
from bansha.town import calendar, masks
from bansha.town.acts import Denied, direct
from bansha.town.avatars import clean
from bansha.town.ceremony import (
    advance,
    advance_all,
    begin,
    begin_anew,
    contribute,
    open_own,
    phase,
    player_number,
    replace,
    roles_of,
    step_back,
)
from bansha.town.looks import windows
from bansha.town.models import ZONES, Account, Directing, Game, Persona, Signup, Tenure, Visit
from bansha.town.table import Table

__all__ = [
    "Faults", "Mask", "Plan", "advance", "advance_all", "approve_all", "assistant", "begin_anew", "check", "choose",
    "clone", "close_signup", "contribute", "edit", "fresh_plan", "open_game", "open_own", "phase", "picture",
    "plan_of", "player_number", "publish", "replace", "roles_of", "sign_up", "step_back", "substitute", "withdraw",
]  # fmt: skip

KINDS = ("player", "reserve", "guest", "spectator", "assistant")
FASTEST = 1440
MOST_WORDS = 200


class Faults(Denied):
    """What is wrong with a plan, each fault at its field. Nothing has changed."""

    def __init__(self, at: Mapping[str, Denied]) -> None:
        self.at = dict(at)
        super().__init__(
            f"还差 {len(self.at)} 处：" + "".join(fault.zh for fault in self.at.values()),
            f"{len(self.at)} to mend: " + " ".join(fault.en for fault in self.at.values()),
        )


@dataclass
class Mask:
    """A persona of a plan."""

    name: str
    signature: str = ""
    approved: bool = False


@dataclass
class Plan:
    """What a director fills in to open a game. `hash_until`, `deal_at`: the two deadlines of the ceremony; the deal is at the
    second. `fellows`: the co-directors' account names."""

    ruleset: str
    title: str = ""
    options: dict[str, str] = field(default_factory=dict)
    script: str = ""
    note: str = ""
    zone: str = "Asia/Shanghai"
    pace: int = 1
    hash_until: datetime | None = None
    deal_at: datetime | None = None
    spectators: bool = True
    review: bool = False
    personas: list[Mask] = field(default_factory=list)
    fellows: list[str] = field(default_factory=list)


def fresh_plan(account: Account, ruleset: str, now: datetime) -> Plan:
    """A plan with everything filled in that can be: the deal in a week, at an hour that suits the board."""
    loaded = load(ruleset)
    options = options_in_force(loaded.ruleset)
    zone = account.zone if account.zone in ZONES else "Asia/Shanghai"
    day = (now.astimezone(ZoneInfo(zone)) + timedelta(days=7)).replace(hour=0, minute=0, second=0, microsecond=0)
    close = minutes_of(loaded.ruleset.calendar.closes)
    if calendar.by_night(loaded.ruleset, options):
        close -= loaded.ruleset.calendar.setup_minutes
    deal = day + timedelta(minutes=close)
    seats = loaded.ruleset.seats
    return Plan(
        ruleset, options=options, zone=zone, hash_until=deal - timedelta(hours=3), deal_at=deal, personas=[Mask("") for _ in range(seats)]
    )


def plan_of(game: Game) -> Plan:
    """The plan of a game as it stands."""
    loaded = load(game.ruleset)
    stored = {persona.seat: persona for persona in Persona.objects.filter(game=game).defer("avatar")}
    people = [
        Mask(stored[seat].name, stored[seat].signature, stored[seat].approved) if seat in stored else Mask("")
        for seat in range(1, loaded.ruleset.seats + 1)
    ]
    fellows = Directing.objects.filter(game=game).exclude(account=game.opened_by).order_by("number")
    return Plan(
        game.ruleset, game.title, dict(game.options), game.script, game.note, game.zone, game.pace, game.hash_until, game.open_until,
        game.spectators, game.review, people, [directing.account.username for directing in fellows.select_related("account")],
    )  # fmt: skip


# --- checking and keeping a plan -------------------------------------------------------------------------------------


def check(plan: Plan, now: datetime, complete: bool, opener: Account | None = None) -> dict[str, Denied]:
    """What is wrong with a plan, by field; with `complete` also what is still missing before sign-up can begin. Fields:
    ruleset, options.X, title, script, note, zone, pace, hash_until, deal_at, maskN, fellows."""
    at: dict[str, Denied] = {}
    loaded = _ruleset(plan, at)
    if not plan.title.strip():
        at["title"] = Denied("还没有剧名。", "The game has no title yet.")
    for name, value, most in (("title", plan.title, 60), ("script", plan.script, 4000), ("note", plan.note, 4000)):
        if len(value) > most:
            at[name] = Denied(f"有 {len(value)} 字，最多 {most} 字。", f"{len(value)} characters; at most {most}.")
    if plan.zone not in ZONES:
        at["zone"] = Denied("没有这个时区。从表里选。", "There is no such zone. Choose one of the list.")
    if not 1 <= plan.pace <= FASTEST:
        at["pace"] = Denied(f"快慢填 1 到 {FASTEST}；1 是真实时间。", f"A pace is 1 to {FASTEST}; 1 is real time.")
    at |= _deadlines(plan, now, complete)
    names = [masks.tidy(mask.name) for mask in plan.personas]
    if loaded is not None:
        names = (names + [""] * loaded.ruleset.seats)[: loaded.ruleset.seats]
    at |= {f"mask{seat}": fault for seat, fault in masks.faults(names, complete).items()}
    for seat, mask in enumerate(plan.personas, 1):
        if len(mask.signature) > 80:
            at.setdefault(f"mask{seat}", Denied("签名最多 80 字。", "A signature has at most 80 characters."))
    fellows = _fellows(plan, opener)
    if isinstance(fellows, Denied):
        at["fellows"] = fellows
    return at


def _ruleset(plan: Plan, at: dict[str, Denied]) -> Loaded | None:
    if plan.ruleset not in bundled():
        at["ruleset"] = Denied("没有这块板子。从列出的里选。", "There is no such board. Choose one of those listed.")
        return None
    loaded = load(plan.ruleset)
    for name, value in plan.options.items():
        try:
            options_in_force(loaded.ruleset, {name: value})
        except OptionError as error:
            at[f"options.{name}"] = Denied("没有这个选法。从列出的里选，数目写阿拉伯数字。", str(error))
    return loaded


def _deadlines(plan: Plan, now: datetime, complete: bool) -> dict[str, Denied]:
    at: dict[str, Denied] = {}
    if plan.hash_until is None:
        at["hash_until"] = Denied("写明添签到几时为止。", "Say until when contributions are handed in.")
    if plan.deal_at is None:
        at["deal_at"] = Denied("写明几时发牌。", "Say when the deal is.")
    if plan.hash_until is None or plan.deal_at is None:
        return at
    if plan.deal_at <= plan.hash_until:
        at["deal_at"] = Denied("发牌要在添签截止之后。", "The deal comes after the deadline for contributions.")
    if complete and plan.hash_until <= now:
        at["hash_until"] = Denied("添签截止的时刻已经过去，往后改。", "The deadline for contributions is past; move it later.")
    return at


def _fellows(plan: Plan, opener: Account | None) -> list[Account] | Denied:
    names = list(dict.fromkeys(name.strip() for name in plan.fellows if name.strip()))
    found = {account.username: account for account in Account.objects.filter(username__in=names, is_active=True, computer=False)}
    missing = [name for name in names if name not in found]
    if missing:
        return Denied(f"站里没有叫“{missing[0]}”的人。", f"Nobody in town is called {missing[0]}.")
    return [found[name] for name in names if opener is None or found[name] != opener]


def open_game(account: Account, plan: Plan, now: datetime, signup: bool = True) -> Game:
    """Open a game as its first director: sign-up begins (`signup`), or a draft is kept that only its directors see.

    Raises:
        Denied: the account may not open games.
        Faults: the plan does not hold, each fault at its field.
    """
    if not (account.directs or account.manages):
        raise Denied("你还不能开局，请管理者给你导演资格。", "You may not open games yet; ask a manager to make you a director.")
    _hold(plan, now, signup, account)
    with transaction.atomic():
        game = Game(opened_by=account, made_at=now, status="signup" if signup else "draft")
        _write(game, plan)
        Directing.objects.create(game=game, account=account, number=1)
        _keep_fellows(game, plan)
        _keep_personas(game, plan)
    return game


def edit(table: Table, plan: Plan, signup: bool = False) -> Game:
    """Change a game before its ceremony; with `signup` a draft is put up for sign-up. Other rules than those acknowledged have
    to be acknowledged again.

    Raises:
        Denied: not a director, or the ceremony has begun.
        Faults: the plan does not hold.
    """
    _directs(table)
    with transaction.atomic():
        game = _locked(table)
        if game.status not in ("draft", "signup"):
            raise Denied("报名已经截止，开局的条件不能再改。", "Sign-up is closed; the terms of the game stand.")
        _hold(plan, table.now, signup or game.status == "signup", game.opened_by)
        before = (game.ruleset_hash, game.options)
        if signup:
            game.status = "signup"
        _write(game, plan)
        if (game.ruleset_hash, game.options) != before:
            Signup.objects.filter(game=game).update(acknowledged=False, chosen=False)
        _keep_fellows(game, plan)
        _keep_personas(game, plan)
    table.game.refresh_from_db()
    return game


def publish(table: Table) -> Game:
    """Put a draft up for sign-up as it stands.

    Raises:
        Denied, Faults: as in `edit`.
    """
    return edit(table, plan_of(table.game), signup=True)


def _hold(plan: Plan, now: datetime, complete: bool, opener: Account) -> None:
    faults = check(plan, now, complete, opener)
    if faults:
        raise Faults(faults)


def _directs(table: Table) -> None:
    if not table.directs:
        raise Denied("只有本局导演可以。", "Only a director of this game can do this.")


def _locked(table: Table) -> Game:
    return Game.objects.select_for_update().get(pk=table.game.pk)


def _write(game: Game, plan: Plan) -> None:
    loaded = load(plan.ruleset)
    rules = loaded.ruleset
    assert plan.hash_until is not None and plan.deal_at is not None
    game.title, game.script, game.note = plan.title.strip(), plan.script.strip(), plan.note.strip()
    game.ruleset, game.ruleset_hash, game.seats = plan.ruleset, loaded.hash, rules.seats
    game.options = options_in_force(rules, {name: value for name, value in plan.options.items() if name in rules.options})
    game.zone, game.pace = plan.zone, plan.pace
    game.hash_until, game.open_until = plan.hash_until, plan.deal_at
    pace = calendar.pace_of(rules, game.options, plan.deal_at, plan.zone, plan.pace)
    game.start = pace.moment(calendar.setup_end(rules, game.options, pace.minute(plan.deal_at)))
    game.spectators, game.review = plan.spectators, plan.review
    game.save()


def _keep_fellows(game: Game, plan: Plan) -> None:
    fellows = _fellows(plan, game.opened_by)
    assert not isinstance(fellows, Denied)
    Directing.objects.filter(game=game).exclude(account__in=[game.opened_by, *fellows]).delete()
    for account in fellows:
        if not Directing.objects.filter(game=game, account=account).exists():
            last = Directing.objects.filter(game=game).order_by("-number").values_list("number", flat=True).first() or 0
            Directing.objects.create(game=game, account=account, number=last + 1)
    Signup.objects.filter(game=game, account__in=fellows).delete()  # who directs does not play


def _keep_personas(game: Game, plan: Plan) -> None:
    """Write the list anew; a seat keeps its picture. (Names may change places, so rows are not changed one by one.)"""
    pictures = dict(Persona.objects.filter(game=game).exclude(avatar=None).values_list("seat", "avatar"))
    Persona.objects.filter(game=game).delete()
    named = [(seat, mask) for seat, mask in enumerate(plan.personas[: game.seats], 1) if masks.tidy(mask.name)]
    looks = windows([masks.tidy(mask.name) for _seat, mask in named])
    Persona.objects.bulk_create(
        Persona(
            game=game, seat=seat, name=masks.tidy(mask.name), signature=mask.signature.strip(), approved=mask.approved,
            avatar=pictures.get(seat), tone=tone, lattice=lattice,
        )
        for (seat, mask), (tone, lattice) in zip(named, looks, strict=True)
    )  # fmt: skip


def picture(table: Table, seat: int, data: bytes | None) -> None:
    """Give a persona a picture, or (None) take it away: the window of its name stands instead.

    Raises:
        Denied: not a director, too late, no such persona, or no picture that can be taken.
    """
    _directs(table)
    made = clean(data) if data is not None else None
    with transaction.atomic():
        if _locked(table).status not in ("draft", "signup"):
            raise Denied("报名已经截止，头像不能再换。", "Sign-up is closed; pictures stand.")
        if not Persona.objects.filter(game=table.game, seat=seat).update(avatar=made):
            raise Denied(f"{seat} 号还没有马甲。先写名字，存下，再传头像。", f"Seat {seat} has no persona yet. Name it and save first.")


def approve_all(table: Table) -> None:
    """Approve every persona as it stands.

    Raises:
        Denied: not a director, or too late.
    """
    _directs(table)
    with transaction.atomic():
        if _locked(table).status not in ("draft", "signup"):
            raise Denied("报名已经截止，马甲都已核准。", "Sign-up is closed; all personas are approved.")
        Persona.objects.filter(game=table.game).update(approved=True)


def clone(table: Table) -> Game:
    """A draft of next season's game from this one: board, options that still exist, texts, personas with their pictures (to be
    approved again), co-directors; the deal in a week. The one who asks is its first director.

    Raises:
        Denied: not a director.
    """
    _directs(table)
    assert table.account is not None
    old = table.game
    name = old.ruleset if old.ruleset in bundled() else bundled()[0]
    plan = fresh_plan(table.account, name, table.now)
    known = load(name).ruleset.options
    for option, value in old.options.items():
        try:
            options_in_force(load(name).ruleset, {option: value} if option in known else {})
        except OptionError:
            continue
        if option in known:
            plan.options[option] = value
    again = plan_of(old) if old.ruleset == name else plan
    plan.title, plan.script, plan.note = f"{old.title[:56]}（续）", old.script, old.note
    plan.zone, plan.pace, plan.spectators, plan.review = old.zone, old.pace, old.spectators, old.review
    plan.personas = [Mask(mask.name, mask.signature) for mask in again.personas]
    everyone = Directing.objects.filter(game=old).exclude(account=table.account).select_related("account").order_by("number")
    plan.fellows = [directing.account.username for directing in everyone]
    with transaction.atomic():
        game = Game(opened_by=table.account, made_at=table.now, status="draft", cloned_from=old)
        _write(game, plan)
        Directing.objects.create(game=game, account=table.account, number=1)
        _keep_fellows(game, plan)
        _keep_personas(game, plan)
        for seat, avatar in Persona.objects.filter(game=old).exclude(avatar=None).values_list("seat", "avatar"):
            Persona.objects.filter(game=game, seat=seat).update(avatar=avatar)
    return game


# --- sign-up ---------------------------------------------------------------------------------------------------------


def sign_up(
    game: Game, account: Account, kind: str, acknowledged: bool, words: str = "", history: int = 0, now: datetime | None = None
) -> Signup:
    """Sign up, or change how. `history`: earlier games elsewhere; those finished in this town are counted by themselves.

    Raises:
        Denied: with what would be right.
    """
    moment = now or journal_time.now()
    with transaction.atomic():
        game = Game.objects.select_for_update().get(pk=game.pk)
        _may_sign_up(game, account, kind)
        if kind in ("player", "reserve", "assistant") and not acknowledged:
            raise Denied("先读规则，勾上“规则我读过了”，再报名。", "Read the rules and tick that you have, then sign up.")
        if len(words) > MOST_WORDS:
            raise Denied(f"附言有 {len(words)} 字，最多 {MOST_WORDS} 字。", f"{len(words)} characters; at most {MOST_WORDS}.")
        here = Tenure.objects.filter(account=account, kind="player", game__status="over").values("game").distinct().count()
        known = Signup.objects.filter(game=game, account=account).first()
        made = known or Signup(game=game, account=account, at=moment)
        if made.kind != kind:
            made.chosen, made.at = False, moment
        made.kind, made.acknowledged, made.words, made.history = kind, acknowledged, words.strip(), max(history, here)
        made.save()
    return made


def _may_sign_up(game: Game, account: Account, kind: str) -> None:
    if kind not in KINDS:
        raise Denied("选一样：上场、替补、客串、旁观、场助。", "Choose one: player, reserve, guest, spectator, assistant.")
    if game.status == "draft" or game.status == "over":
        raise Denied("这一局现在不收报名。", "This game takes no sign-ups now.")
    if game.status != "signup" and kind == "player":
        raise Denied("报名已经截止；还可以报替补。", "Sign-up is closed; you can still be a reserve.")
    if kind == "spectator" and not game.spectators:
        raise Denied("这一局不设旁观。", "This game has no spectators.")
    if Directing.objects.filter(game=game, account=account).exists():
        raise Denied("你是本局导演，导演不上场。", "You direct this game; directors do not play.")
    if Signup.objects.filter(game=game, account=account, number__gt=0).exists():
        raise Denied("你已经入选，名号不能再改。", "You have been chosen; this stands.")


def withdraw(game: Game, account: Account, now: datetime | None = None) -> None:
    """Take a sign-up back. Once the ceremony has begun a chosen player leaves only when a reserve steps in.

    Raises:
        Denied: not signed up, or nobody could step in.
    """
    moment = now or journal_time.now()
    mine = Signup.objects.filter(game=game, account=account).first()
    if mine is None:
        raise Denied("你没有报名。", "You are not signed up.")
    if mine.number:
        step_back(game, mine.number, moment)
        return
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=game.pk)
        Signup.objects.filter(pk=mine.pk, number=0).delete()


def choose(table: Table, accounts: Sequence[int]) -> int:
    """Choose who plays, by account number; returns how many are chosen. A chosen reserve becomes a player.

    Raises:
        Denied: too many, not signed up, or rules not acknowledged.
    """
    _directs(table)
    with transaction.atomic():
        game = _locked(table)
        if game.status != "signup":
            raise Denied("报名已经截止，人选已定。换人在发牌礼里换。", "Sign-up is closed; replace players in the ceremony.")
        wanted = list(dict.fromkeys(accounts))
        signed = list(Signup.objects.filter(game=game, account__in=wanted, kind__in=("player", "reserve")).select_related("account"))
        if len(signed) != len(wanted):
            raise Denied("有人没有报名上场或替补，不能选。", "Somebody chosen has not signed up as player or reserve.")
        unread = [signup.account.username for signup in signed if not signup.acknowledged]
        if unread:
            raise Denied(
                f"规则改过，{unread[0]} 还没有重新确认。", f"The rules have changed and {unread[0]} has not acknowledged them again."
            )
        if len(signed) > game.seats:
            raise Denied(f"选了 {len(signed)} 人，只有 {game.seats} 个位子。", f"{len(signed)} chosen for {game.seats} seats.")
        Signup.objects.filter(game=game).update(chosen=False)
        Signup.objects.filter(pk__in=[signup.pk for signup in signed]).update(chosen=True, kind="player")
    return len(signed)


def close_signup(table: Table) -> Game:
    """Close sign-up and begin the ceremony: the ruleset is pinned, the commitment published, players get their numbers.

    Raises:
        Denied: with everything that is still missing.
    """
    _directs(table)
    with transaction.atomic():
        game = _locked(table)
        if game.status != "signup":
            raise Denied("报名已经截止，发牌礼已经开始。", "Sign-up is closed; the ceremony has begun.")
        _ready(game, table.now)
        begin(game, table.now)
    table.game.refresh_from_db()
    return game


def _ready(game: Game, now: datetime) -> None:
    """Whether everything is there for the ceremony."""
    plan = plan_of(game)
    faults = check(plan, now, True, game.opened_by)
    if faults:
        raise Faults(faults)
    chosen = Signup.objects.filter(game=game, chosen=True, acknowledged=True).count()
    if chosen != game.seats:
        raise Denied(f"选了 {chosen} 人，要正好 {game.seats} 人才能截止。", f"{chosen} are chosen; exactly {game.seats} are needed.")
    waiting = [f"{persona.seat} 号“{persona.name}”" for persona in Persona.objects.filter(game=game, approved=False).defer("avatar")]
    if waiting:
        raise Denied(f"还有马甲没有核准：{'、'.join(waiting)}。", f"Personas not approved yet: {', '.join(waiting)}.")
    try:
        current = load(game.ruleset)
    except RulesetError as error:
        raise Denied("规则文件读不出，不能开局。", str(error)) from None
    if current.hash != game.ruleset_hash:
        raise Denied(
            "规则文件自报名以来改过。在开局页重新存一次，请大家重读规则。", "The ruleset has changed since sign-up. Save the game again."
        )


# --- after the deal --------------------------------------------------------------------------------------------------


def substitute(
    table: Table, seat: int, account: Account, key: str = "", beside: Callable[[], None] | None = None
) -> doors.Answer:
    """Let somebody take over a persona (C23): the predecessor's tenure ends and the successor's begins with the event; `beside`
    writes what must stand or fall with it.

    Raises:
        Refused, Denied: nothing has changed.
    """
    _seated(table, seat)

    def change(answer: doors.Answer) -> None:
        _may_enter(table.game, account, seat)
        Tenure.objects.filter(game=table.game, seat=seat, kind="player", until=None).update(until=table.now)
        Tenure.objects.filter(game=table.game, seat=seat, account=account, until=None).update(until=table.now)
        Tenure.objects.create(game=table.game, seat=seat, account=account, since=table.now)
        if beside is not None:
            beside()

    return direct(table, c.Substitute(seat), key, change)


def assistant(table: Table, seat: int, account: Account, key: str = "") -> doors.Answer:
    """Give a seat's player an assistant.

    Raises:
        Refused, Denied: nothing has changed.
    """
    _seated(table, seat)

    def change(answer: doors.Answer) -> None:
        _may_enter(table.game, account, 0)
        Tenure.objects.create(game=table.game, seat=seat, account=account, kind="assistant", since=table.now)

    return direct(table, c.Assistant(seat), key, change)


def _seated(table: Table, seat: int) -> None:
    _directs(table)
    if seat not in table.personas:
        raise Denied("没有这个座位。", "There is no such seat.")


def _may_enter(game: Game, account: Account, seat: int) -> None:
    """Who may come in: nobody who directs, plays, or has played here; the seat's own assistant may take the seat."""
    if not account.is_active or Directing.objects.filter(game=game, account=account).exists():
        raise Denied("导演不能上场。", "A director cannot play.")
    if Visit.objects.filter(game=game, manager=account).exists():
        raise Denied("此人以管理员身份看过这一局，不能上场。", "This manager has looked into the game and cannot come in.")
    known = Tenure.objects.filter(game=game, account=account)
    if known.exclude(seat=seat, kind="assistant", until=None).exists():
        raise Denied(
            "此人在这一局里有过座位，知道得太多，不能接手。", "This account has had a seat in this game and knows too much to come in."
        )
