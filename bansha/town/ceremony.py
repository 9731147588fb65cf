"""The provable deal as the town conducts it (docs/dealing.md): commitment, contributions, opening, deal.

A game stands in `ceremony` from the close of sign-up to the deal. Players have numbers, in the order in which they signed up;
the numbers tell nothing about seats. Until `hash_until` contributions are handed in, hashed. Then those who kept their text
themselves open it, until `open_until`; the town opens the texts it was given once all others are open, so that nobody who
may still withhold a text has seen the rest. With the last one open the deal is made. Nobody is dropped silently: who has
handed in nothing by the deadline is replaced by a reserve, and where there is none, or a text is not opened, the ceremony
starts anew with a new secret.

Each step is one submission to the journal; the town's rows of the step are written beside it, under the game's lock. Where two
processes take the same step, the second finds it taken and leaves.
"""

from __future__ import annotations

import logging
import secrets
import string
from datetime import datetime, timedelta
from typing import Literal

from django.db import Error, transaction

from bansha.journal import doors
from bansha.rulesets.load import Loaded, load
from bansha.town import calendar
from bansha.town.acts import Denied
from bansha.town.models import Account, Contribution, Game, LogLine, Persona, Signup, Tenure
from bansha.town.table import Table

log = logging.getLogger("bansha.town")

SECRET_BYTES = 32
LETTERS = 16
"""Random letters that the town adds to a contribution it keeps, so that nobody can guess it from its hash."""
LONGEST = 120
HASHING = timedelta(days=1)
OPENING = timedelta(hours=12)
"""How long the two steps last when the ceremony starts anew (in real time, shorter in a faster game)."""

Phase = Literal["none", "hash", "open", "dealt"]


class _Taken(Exception):
    """Another process has taken this step."""


def phase(game: Game, now: datetime) -> Phase:
    """Where the ceremony stands."""
    if game.status in ("draft", "signup"):
        return "none"
    if game.status != "ceremony":
        return "dealt"
    return "hash" if game.hash_until is not None and now < game.hash_until else "open"


def player_number(game: Game, account: Account | None) -> int:
    """The number of somebody's own in the ceremony (0: none)."""
    if account is None:
        return 0
    found = Signup.objects.filter(game=game, account=account, chosen=True).values_list("number", flat=True).first()
    return found or 0


def roles_of(loaded: Loaded) -> list[str]:
    """The roles dealt, in the ruleset's order: as the commitment lists them."""
    return [role for role, spec in loaded.ruleset.roles.items() for _ in range(spec.count)]


def label(game: Game) -> str:
    """What the commitment calls the game."""
    return f"{game.ruleset}-{game.pk}"


def _names(game: Game) -> list[str]:
    return list(Persona.objects.filter(game=game).order_by("seat").values_list("name", flat=True))


def _journal(game: Game) -> int:
    assert game.journal is not None
    return game.journal


def begin(game: Game, now: datetime) -> None:
    """Found the journal, number the players and publish the commitment; in the caller's transaction, with the game locked."""
    assert game.open_until is not None
    loaded = load(game.ruleset)
    pace = calendar.pace_of(loaded.ruleset, game.options, game.open_until, game.zone, game.pace)
    secret = secrets.token_bytes(SECRET_BYTES)
    game.journal = doors.found(loaded, game.options, pace.real_start, pace.game_start, game.zone, game.pace, secret)
    game.status, game.ceremony = "ceremony", 1
    game.save()
    for number, signup in enumerate(Signup.objects.filter(game=game, chosen=True).order_by("at", "pk"), 1):
        Signup.objects.filter(pk=signup.pk).update(number=number)
    doors.commit(game.journal, label(game), _names(game), roles_of(loaded), game.options, now)


def note(game: Game, now: datetime, zh: str) -> None:
    """A line about the ceremony that everybody reads; it names players by number alone."""
    LogLine.objects.create(game=game, kind="ceremony", words=zh, at=now)


# --- contributions ---------------------------------------------------------------------------------------------------


def contribute(game: Game, account: Account, now: datetime, words: str = "", digest: str = "") -> None:
    """Hand in a contribution: `words` that the town keeps, with random letters added, and opens in time; or the `digest` alone
    of a text that the player opens. Until the deadline another one replaces it.

    Raises:
        Denied: no player of this ceremony, too late, or nothing that can be taken.
    """
    number = player_number(game, account)
    if not number:
        raise Denied("你不在这次发牌礼里。", "You are no player of this ceremony.")
    text = ""
    if digest:
        digest = digest.strip().lower().replace(" ", "")
        if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
            raise Denied("印要是 64 位十六进制数（0–9、a–f）。", "A hash is 64 hex digits (0–9, a–f).")
    else:
        text = f"{_check_words(words)} {''.join(secrets.choice(string.ascii_lowercase) for _ in range(LETTERS))}"
        digest = doors.contribution_hash(number, text)

    def beside() -> None:
        fresh = Game.objects.select_for_update().get(pk=game.pk)
        if phase(fresh, now) != "hash" or player_number(fresh, account) != number:
            raise Denied("添签已经截止。", "The deadline for contributions is past.")
        kept = {"digest": digest, "text": text, "opened": False}
        Contribution.objects.update_or_create(game=fresh, ceremony=fresh.ceremony, player=number, defaults=kept)

    doors.contribute(_journal(game), number, digest, now, beside)
    advance(game, now)


def _check_words(words: str) -> str:
    words = words.strip()
    if not words:
        raise Denied("添几个字，随便什么都行。", "Write a few words, whatever they are.")
    if len(words) > LONGEST:
        raise Denied(f"有 {len(words)} 字，最多 {LONGEST} 字。", f"{len(words)} characters; at most {LONGEST}.")
    try:
        words.encode()
    except UnicodeEncodeError:
        raise Denied("有读不出的字符，换几个字。", "There are characters that cannot be read; use others.") from None
    return words


def open_own(game: Game, account: Account, text: str, now: datetime) -> None:
    """Open a contribution whose text the player kept.

    Raises:
        Denied: not the time, nothing to open, or another text than was hashed.
    """
    number = player_number(game, account)
    if phase(game, now) != "open":
        raise Denied("还没有到揭签的时候。", "Contributions are not opened now.")
    mine = Contribution.objects.filter(game=game, ceremony=game.ceremony, player=number, text="").first()
    if not number or mine is None:
        raise Denied("没有要你揭开的签。", "There is nothing for you to open.")
    if mine.opened:
        return
    try:
        right = doors.contribution_hash(number, text) == mine.digest
    except ValueError:
        right = False
    if not right:
        raise Denied(
            "这几个字与你交的印对不上。一字不差、连空格也不差地再写一次。",
            "These words do not match your hash; write them exactly as they were.",
        )
    _open(game, mine, text, now)
    advance(game, now)


def _open(game: Game, contribution: Contribution, text: str, now: datetime) -> None:
    def beside() -> None:
        if not Contribution.objects.filter(pk=contribution.pk, ceremony=game.ceremony, opened=False).update(opened=True):
            raise _Taken

    try:
        doors.open_contribution(_journal(game), contribution.player, text, now, beside)
    except _Taken:
        return


# --- replacing, starting anew ----------------------------------------------------------------------------------------


def reserves(game: Game) -> list[Signup]:
    """Who may step in, in the order in which they signed up."""
    waiting = Signup.objects.filter(game=game, kind="reserve", acknowledged=True, chosen=False).order_by("at", "pk")
    return list(waiting.select_related("account"))


def _step_in(game: Game, number: int, successor: Signup, now: datetime) -> None:
    """A successor takes a player's number; whatever the predecessor handed in is no longer theirs."""
    Contribution.objects.filter(game=game, ceremony=game.ceremony, player=number).delete()
    Signup.objects.filter(game=game, number=number).update(chosen=False, number=0, kind="spectator")
    Signup.objects.filter(pk=successor.pk).update(chosen=True, number=number, kind="player")
    note(game, now, f"{number} 号演员离开，由替补接上。")


def _longer(game: Game, now: datetime) -> None:
    """Give a successor time: the deadlines move, never nearer."""
    assert game.hash_until is not None and game.open_until is not None
    game.hash_until = max(game.hash_until, now + HASHING / game.pace)
    game.open_until = max(game.open_until, game.hash_until + OPENING / game.pace)
    game.start = max(game.start, _start(game, game.open_until))
    game.save(update_fields=["hash_until", "open_until", "start"])


def _start(game: Game, deal: datetime) -> datetime:
    """When setup ends if the deal is at that moment."""
    journal = _journal(game)
    pace = doors.pace(journal)
    return pace.moment(calendar.setup_end(doors.ruleset(journal).ruleset, game.options, pace.minute(deal)))


def replace(table: Table, number: int, account: Account) -> None:
    """A director puts somebody who has signed up in a player's place, while contributions are still handed in.

    Raises:
        Denied: with what would be right.
    """
    if not table.directs:
        raise Denied("只有本局导演可以。", "Only a director of this game can do this.")
    with transaction.atomic():
        game = Game.objects.select_for_update().get(pk=table.game.pk)
        if game.status != "ceremony" or Contribution.objects.filter(game=game, ceremony=game.ceremony, opened=True).exists():
            raise Denied("现在不能换人：要在添签的时候换；或者重来一次发牌礼。", "Players are replaced while contributions are handed in.")
        successor = Signup.objects.filter(game=game, account=account, chosen=False, acknowledged=True).first()
        if successor is None:
            raise Denied("要换上的人没有报名，或没有确认规则。", "The successor has not signed up and acknowledged the rules.")
        if not Signup.objects.filter(game=game, number=number, chosen=True).exists():
            raise Denied("没有这个号数的演员。", "There is no player of this number.")
        _step_in(game, number, successor, table.now)
        _longer(game, table.now)


def step_back(game: Game, number: int, now: datetime) -> None:
    """A chosen player leaves the ceremony; the first reserve steps in.

    Raises:
        Denied: nobody could, or it is too late.
    """
    with transaction.atomic():
        fresh = Game.objects.select_for_update().get(pk=game.pk)
        waiting = reserves(fresh)
        if phase(fresh, now) != "hash" or not waiting:
            raise Denied(
                "发牌礼已经开始，现在没有替补能接上。请告诉导演，由导演换人。",
                "The ceremony has begun and no reserve can step in. Tell a director.",
            )
        _step_in(fresh, number, waiting[0], now)
        _longer(fresh, now)


def begin_anew(table: Table, reason: str) -> None:
    """A director starts the ceremony anew.

    Raises:
        Denied: no reason, or no ceremony.
    """
    if not table.directs:
        raise Denied("只有本局导演可以。", "Only a director of this game can do this.")
    if table.game.status != "ceremony":
        raise Denied("现在没有发牌礼。", "There is no ceremony now.")
    if not reason.strip():
        raise Denied("写明为什么重来；人人看得到。", "Say why it starts anew; everybody reads it.")
    _anew(table.game, table.now, f"导演让发牌礼重来：{reason.strip()[:200]}")
    table.game.refresh_from_db()


def _anew(game: Game, now: datetime, why: str) -> None:
    """Start the ceremony anew: the old secret is opened, a new one committed to, all contributions are void."""
    loaded = doors.ruleset(_journal(game))
    assert game.hash_until is not None and game.open_until is not None
    hashed = max(game.hash_until, now + HASHING / game.pace)
    until = max(game.open_until, hashed + OPENING / game.pace)
    start = max(game.start, _start(game, until))

    def beside() -> None:
        changed = Game.objects.filter(pk=game.pk, status="ceremony", ceremony=game.ceremony).update(
            ceremony=game.ceremony + 1, hash_until=hashed, open_until=until, start=start
        )
        if not changed:
            raise _Taken
        note(game, now, why)

    try:
        secret = secrets.token_bytes(SECRET_BYTES)
        doors.commit(_journal(game), label(game), _names(game), roles_of(loaded), game.options, now, secret, beside)
    except _Taken:
        return


# --- what is due -----------------------------------------------------------------------------------------------------


def advance(game: Game, now: datetime) -> bool:
    """Do what is due in a ceremony now; returns whether anything was. Whoever calls it, and how often, makes no difference."""
    game = Game.objects.get(pk=game.pk)
    if game.status != "ceremony":
        return _reveal(game, now)
    assert game.hash_until is not None and game.open_until is not None
    contributions = list(Contribution.objects.filter(game=game, ceremony=game.ceremony))
    if now < game.hash_until:
        if len(contributions) < game.seats:
            return False
        Game.objects.filter(pk=game.pk, ceremony=game.ceremony, hash_until=game.hash_until).update(hash_until=now)
        return advance(game, now)
    if len(contributions) < game.seats:
        _missing(game, {contribution.player for contribution in contributions}, now)
        return True
    own = [contribution for contribution in contributions if not contribution.text and not contribution.opened]
    if own and now < game.open_until:
        return False
    if own:
        numbers = "、".join(str(contribution.player) for contribution in own)
        _anew(game, now, f"{numbers} 号演员没有揭签，发牌礼重来：换新的种子，人人重新添签。")
        return True
    for contribution in sorted(contributions, key=lambda contribution: contribution.player):
        if not contribution.opened:
            _open(game, contribution, contribution.text, now)
    _deal(game, now)
    return True


def _missing(game: Game, there: set[int], now: datetime) -> None:
    """The deadline has come and some have handed in nothing: reserves step in, or the ceremony starts anew."""
    with transaction.atomic():
        fresh = Game.objects.select_for_update().get(pk=game.pk)
        if (fresh.ceremony, fresh.hash_until) != (game.ceremony, game.hash_until):
            return
        missing = [number for number in range(1, fresh.seats + 1) if number not in there]
        waiting = reserves(fresh)
        for number, successor in zip(missing, waiting, strict=False):
            _step_in(fresh, number, successor, now)
        if len(waiting) >= len(missing):
            _longer(fresh, now)
            return
    numbers = "、".join(str(number) for number in missing[len(waiting) :])
    _anew(game, now, f"{numbers} 号演员没有添签，也没有替补可接，发牌礼重来：换新的种子，人人重新添签。")


def setup_ends(game: Game, now: datetime) -> int:
    """The game minute at which setup ends when the deal is made now: as planned, unless less than half of it would be left."""
    journal = _journal(game)
    rules = doors.ruleset(journal).ruleset
    pace = doors.pace(journal)
    minute, planned = pace.minute(now), pace.minute(game.start)
    if planned - minute >= rules.calendar.setup_minutes // 2:
        return planned
    return calendar.setup_end(rules, game.options, minute)


def _deal(game: Game, now: datetime) -> None:
    journal = _journal(game)
    ends = setup_ends(game, now)
    players = {signup.number: signup for signup in Signup.objects.filter(game=game, chosen=True, number__gt=0).select_related("account")}

    def bind(mask: list[int]) -> None:
        by_seat = sorted((seat, number) for number, seat in enumerate(mask, 1))
        for seat, number in by_seat:
            Tenure.objects.create(game=game, seat=seat, account=players[number].account, since=now)
        Game.objects.filter(pk=game.pk).update(status="running", start=doors.pace(journal).moment(ends))

    history = {number: signup.history for number, signup in players.items()}
    doors.deal(journal, _names(game), roles_of(doors.ruleset(journal)), game.options, ends, history, now, bind)


def _reveal(game: Game, now: datetime) -> bool:
    """After the end the secret is opened, once; then no deadline of the ceremony stands any more."""
    if game.status != "over" or not game.ceremony or game.open_until is None or game.journal is None:
        return False
    doors.open_secret(game.journal, now)
    Game.objects.filter(pk=game.pk).update(hash_until=None, open_until=None)
    return True


def advance_all(now: datetime) -> int:
    """Do what is due in every ceremony, and open the secrets of games that are over: for the clock's loop. Returns how many
    games that was. A game that cannot be advanced is logged and left for the next look."""
    done = 0
    due = Game.objects.filter(status="ceremony") | Game.objects.filter(status="over", ceremony__gt=0, open_until__isnull=False)
    for game in due.order_by("pk"):
        try:
            done += advance(game, now)
        except Error as error:
            log.warning("game %s: %s; trying again at the next look", game.pk, error)
        except Exception:
            log.exception("the ceremony of game %s cannot go on; its directors must look at it", game.pk)
    return done
