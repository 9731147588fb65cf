"""The journal's rows. Nobody outside `bansha.journal` imports this module (a contract keeps it so)."""

from __future__ import annotations

from django.db import models


class Pinned(models.Model):
    """A ruleset as it was when a game pinned it: its content (JSON) under its content hash, kept for ever."""

    hash = models.CharField(max_length=64, primary_key=True)
    name = models.CharField(max_length=80)
    content = models.TextField()


class Game(models.Model):
    """One game: what it is played by, how its time runs, where its chain stands, and when something falls due.

    `real_start` (UTC) and `game_start` (game-local minute) are one moment; `pace` game minutes pass in a real minute.
    `due_at` (UTC) is the projection of the referee's `due`; null when nothing is due.
    """

    pinned = models.ForeignKey(Pinned, on_delete=models.PROTECT)
    options = models.JSONField(default=dict)
    zone = models.CharField(max_length=64, default="Asia/Shanghai")
    pace = models.PositiveIntegerField(default=1)
    real_start = models.DateTimeField()
    game_start = models.BigIntegerField()
    head = models.PositiveIntegerField(default=0)
    head_hash = models.CharField(max_length=64, default="0" * 64)
    due_at = models.DateTimeField(null=True, db_index=True)
    over = models.BooleanField(default=False)
    still_until = models.DateTimeField(null=True)
    still_at = models.BigIntegerField(default=0)
    """After an outage: until then the game's time stands still at this minute, so that directors can move what fell into it."""


class Entry(models.Model):
    """One accepted submission (or one stroke of the clock) with its events: a sealed journal line. Never changed."""

    game = models.ForeignKey(Game, on_delete=models.PROTECT)
    n = models.PositiveIntegerField()
    at = models.BigIntegerField()
    key = models.CharField(max_length=64, null=True)
    line = models.BinaryField()
    received = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("game", "n"), name="entry_number_once"),
            models.UniqueConstraint(fields=("game", "key"), name="entry_key_once"),
        )


class Secret(models.Model):
    """The directors' 32 secret bytes of a game's dealing; only the journal reads them, and opens them at the end."""

    game = models.OneToOneField(Game, on_delete=models.PROTECT, primary_key=True)
    secret = models.BinaryField()


class Beat(models.Model):
    """One row: when a clock last looked. A gap tells an outage of the whole town. `moved_by`: by how many seconds the machine's
    clock was found moved last, at `moved_at`."""

    at = models.DateTimeField()
    moved_at = models.DateTimeField(null=True)
    moved_by = models.IntegerField(default=0)


class Instance(models.Model):
    """One row: which town this database is, drawn once, and the fingerprint of its signing key. Two towns never share one."""

    identity = models.CharField(max_length=32)
    key_print = models.CharField(max_length=64)
    made_at = models.DateTimeField()
