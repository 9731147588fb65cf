"""The town's rows. The journal knows seats; here stand the people behind them and everything they write.

A game is one row here and, once sign-up has closed, one journal (`Game.journal`, the number `journal.found` gave).
Rows of a running game that name an account are read by `people` alone; below the director's view nobody learns them.
"""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models

ZONES = ("Asia/Shanghai", "Asia/Hong_Kong", "Asia/Taipei", "Asia/Tokyo", "Asia/Singapore", "UTC", "Europe/London", "Europe/Berlin",
         "America/New_York", "America/Los_Angeles", "Australia/Sydney")  # fmt: skip


class Account(AbstractUser):
    """A member of the town. `directs`: may open games; `manages`: a manager of the town (rules.md §7)."""

    zone = models.CharField(max_length=64, default="Asia/Shanghai", choices=[(z, z) for z in ZONES])
    language = models.CharField(max_length=10, default="zh-hans", choices=[("zh-hans", "简体中文"), ("en", "English")])
    directs = models.BooleanField(default=False)
    manages = models.BooleanField(default=False)
    computer = models.BooleanField(default=False)
    """A computer player of the demonstration; nobody signs in as one."""


class Invite(models.Model):
    """An invitation to register, where the town is invite-only."""

    code = models.CharField(max_length=40, unique=True)
    made_by = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="invites")
    used_by = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL, related_name="+")
    made_at = models.DateTimeField()


class FailedLogin(models.Model):
    """A failed sign-in to an account; repeated ones are shown to managers."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="failed_logins")
    at = models.DateTimeField()


class Game(models.Model):
    """A game as the town knows it.

    `status`: draft (only its directors see it), signup, ceremony (sign-up has closed, contributions are collected),
    running (dealt), over. `start` is the moment setup ends (UTC); `pace` game minutes a real minute. `hash_until`,
    `open_until`: the ceremony's deadlines (the deal is at the second); none once the secret has been opened after the end.
    """

    title = models.CharField(max_length=60)
    script = models.TextField(blank=True)
    note = models.TextField(blank=True)
    ruleset = models.CharField(max_length=80)
    ruleset_hash = models.CharField(max_length=64)
    options = models.JSONField(default=dict)
    zone = models.CharField(max_length=64, default="Asia/Shanghai")
    pace = models.PositiveIntegerField(default=1)
    start = models.DateTimeField()
    spectators = models.BooleanField(default=True)
    review = models.BooleanField(default=False)
    """Whether a director reviews the wording of announcements first (C28)."""
    seats = models.PositiveIntegerField()
    status = models.CharField(max_length=10, default="draft", db_index=True)
    journal = models.PositiveIntegerField(null=True, unique=True)
    opened_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="opened_games")
    made_at = models.DateTimeField()
    hash_until = models.DateTimeField(null=True)
    open_until = models.DateTimeField(null=True)
    ceremony = models.PositiveIntegerField(default=0)
    """How many ceremonies were begun (a contribution that is not opened starts a new one)."""
    cloned_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")


class Directing(models.Model):
    """A director of a game; `number` is the index the journal knows (`director 1`). `off`: a handover note while off duty."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="directings")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="directings")
    number = models.PositiveIntegerField()
    off = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("game", "account"), name="director_once"),
            models.UniqueConstraint(fields=("game", "number"), name="director_number_once"),
        )


class Persona(models.Model):
    """A persona of a game (马甲): its seat in the order of the list, name, avatar, signature. Fixed from the start on.

    `avatar`: a re-encoded PNG of 96×96, or none: then the window generated from the name. `tone`, `lattice`: of that window.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="personas")
    seat = models.PositiveIntegerField()
    name = models.CharField(max_length=24)
    avatar = models.BinaryField(null=True)
    signature = models.CharField(max_length=80, blank=True)
    approved = models.BooleanField(default=False)
    tone = models.PositiveSmallIntegerField(default=0)
    lattice = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("seat",)
        constraints = (
            models.UniqueConstraint(fields=("game", "seat"), name="persona_seat_once"),
            models.UniqueConstraint(fields=("game", "name"), name="persona_name_once"),
        )


class Signup(models.Model):
    """Somebody's wish to be in a game. `kind`: player, reserve, guest, spectator, assistant. `chosen`: the director has
    chosen this player; `number`: the player's number in the ceremony (by order of sign-up among the chosen)."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="signups")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="signups")
    kind = models.CharField(max_length=10)
    acknowledged = models.BooleanField(default=False)
    words = models.CharField(max_length=200, blank=True)
    history = models.PositiveIntegerField(default=0)
    chosen = models.BooleanField(default=False)
    number = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()

    class Meta:
        ordering = ("at", "pk")
        constraints = (models.UniqueConstraint(fields=("game", "account"), name="signup_once"),)


class Contribution(models.Model):
    """A player's contribution to the dealing. `text` is kept here when the player lets the town open it in time."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="contributions")
    ceremony = models.PositiveIntegerField()
    player = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    text = models.CharField(max_length=200, blank=True)
    opened = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("game", "ceremony", "player"), name="contribution_once"),)


class Tenure(models.Model):
    """An account in a seat for a time: `kind` player or assistant. The open one (`until` null) acts; a substitution closes one
    and opens the next in the transaction of its event."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="tenures")
    seat = models.PositiveIntegerField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="tenures")
    kind = models.CharField(max_length=10, default="player")
    since = models.DateTimeField()
    until = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("game", "seat", "kind"), condition=models.Q(until=None), name="one_tenure_a_seat"),
            models.UniqueConstraint(fields=("game", "account"), condition=models.Q(until=None), name="one_seat_an_account"),
        )


class Visit(models.Model):
    """A manager's look into a running game: an act with reason and term, shown to its directors at once and in the log after
    the end."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="visits")
    manager = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="visits")
    reason = models.TextField()
    since = models.DateTimeField()
    until = models.DateTimeField()


class Thread(models.Model):
    """A thread of a game, a projection of its journal. `room` names it: talk-3, ballot-3, election-1, process, and after the
    end reveal. `floors`: the newest floor. Other rooms (den-0, hole-N, line-5, log) have posts and no row here."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="threads")
    room = models.CharField(max_length=20)
    kind = models.CharField(max_length=10)
    day = models.PositiveIntegerField()
    opened_at = models.DateTimeField()
    floors = models.PositiveIntegerField(default=0)
    crowded = models.BooleanField(default=False)
    """Written anew by a rebuild, beside posts without events whose floors stand: those are stepped over."""

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("game", "room"), name="room_once"),)


class Post(models.Model):
    """A post, never changed once written: `html` is rendered at writing, `words` are its own words for the search.

    `voice`: seat (a persona), director, referee (an announcement, projected), lift (the elevator's floor), account (a tree
    hole, the reveal thread; a private line's director is `director`). `ref`: the number the journal knows it by (0: the
    journal does not). `minute`: game time. `receipt`: what became of a vote post, for its author (JSON; public once valid).
    `key`: the writer's idempotency key. An announcement whose wording waits for a director's review stands in the room
    `held`, with the number of its entry as floor, until it is released or `held_until` has come; then it gets the next floor
    of the thread it `waits_for` (`shelf`).
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="posts")
    room = models.CharField(max_length=20)
    floor = models.PositiveIntegerField()
    voice = models.CharField(max_length=10)
    seat = models.PositiveIntegerField(default=0)
    director = models.PositiveIntegerField(default=0)
    author = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="posts")
    ref = models.PositiveIntegerField(default=0)
    body = models.TextField(blank=True)
    html = models.TextField(blank=True)
    words = models.TextField(blank=True)
    quote = models.PositiveIntegerField(default=0)
    at = models.DateTimeField()
    minute = models.BigIntegerField(default=0)
    receipt = models.JSONField(null=True)
    note = models.CharField(max_length=20, blank=True)
    key = models.CharField(max_length=64, null=True)
    held_until = models.DateTimeField(null=True)
    waits_for = models.CharField(max_length=20, blank=True)

    class Meta:
        ordering = ("floor",)
        constraints = (
            models.UniqueConstraint(fields=("game", "room", "floor"), name="floor_once"),
            models.UniqueConstraint(fields=("game", "ref"), condition=models.Q(ref__gt=0), name="ref_once"),
            models.UniqueConstraint(fields=("game", "author", "key"), name="post_key_once"),
        )
        indexes = (
            models.Index(fields=("game", "room", "seat", "floor"), name="post_by_seat"),
            models.Index(fields=("game", "-id"), name="post_newest"),  # the live stream asks for it at every look
        )


class DenSeat(models.Model):
    """Since when a seat reads a den, a projection of the journal."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="den_seats")
    den = models.PositiveIntegerField()
    seat = models.PositiveIntegerField()
    since = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("game", "den", "seat"), name="den_seat_once"),)


class Draft(models.Model):
    """A text not posted: saved while writing, or kept when a post was refused (C26), with why and when the door opens."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="drafts")
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="drafts")
    room = models.CharField(max_length=20)
    body = models.TextField()
    why = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("account", "game", "room"), name="draft_once"),)


class Mark(models.Model):
    """How far somebody has read a room."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="marks")
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="marks")
    room = models.CharField(max_length=20)
    floor = models.PositiveIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("account", "game", "room"), name="mark_once"),)


class Request(models.Model):
    """A player's request to the directors: `kind` proxy (cast a named vote for me), action, other. Shown on the desk."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="requests")
    seat = models.PositiveIntegerField()
    kind = models.CharField(max_length=10)
    value = models.JSONField(default=dict)
    words = models.TextField(blank=True)
    at = models.DateTimeField()
    done_by = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)


class LogLine(models.Model):
    """A line of the directors' log that is no event of the journal: a note, a dismissed proposal or flag (with its clause), a
    visit, going off duty. `about`: what it disposes of, e.g. "proposed 3"."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="log")
    director = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=12)
    about = models.CharField(max_length=60, blank=True)
    words = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("game", "about"), condition=~models.Q(about=""), name="disposed_once"),)


class Allowance(models.Model):
    """How often something was done in the stretch of time that began at `since` (`bansha.town.limits`)."""

    name = models.CharField(max_length=100, unique=True)
    since = models.DateTimeField(db_index=True)
    used = models.PositiveIntegerField(default=0)


class LineConsent(models.Model):
    """After the end: somebody agrees that a private line is shown (rules.md §7). `directors`: for the directors, one row a line;
    else for what passed while this account held the seat. Taken back by deleting the row."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="line_consents")
    seat = models.PositiveIntegerField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="line_consents")
    directors = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("game", "seat"), condition=models.Q(directors=True), name="line_directors_once"),
            models.UniqueConstraint(fields=("game", "seat", "account"), condition=models.Q(directors=False), name="line_player_once"),
        )


class Appeal(models.Model):
    """A player's appeal against a card, after the end (rules.md §5). `card`: the card's number among the game's, from 1.
    `lifted`: what a manager decided, with `reason`; none yet: NULL."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="appeals")
    card = models.PositiveIntegerField()
    seat = models.PositiveIntegerField()
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="appeals")
    words = models.TextField()
    at = models.DateTimeField()
    manager = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="judged_appeals")
    lifted = models.BooleanField(null=True)
    reason = models.TextField(blank=True)
    judged_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("game", "card"), name="appeal_once"),)
