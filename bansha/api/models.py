"""Tokens: what a program shows to be let in. Only a token's hash is kept."""

from __future__ import annotations

from django.db import models

from bansha.town.models import Account, Game, Tenure


class Token(models.Model):
    """A token of a member's. `kind`: seat (acts as the seat of `tenure`) or read (writes nothing). With `game` it reads that
    game as the account would; without, what everybody may read, of every game. A token made by somebody in a seat ends with
    that `tenure`. `last_used` is kept to a few minutes. `digest`: sha256 of the token's text, in hexadecimal."""

    digest = models.CharField(max_length=64, unique=True)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="tokens")
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="tokens")
    tenure = models.ForeignKey(Tenure, null=True, on_delete=models.CASCADE, related_name="tokens")
    kind = models.CharField(max_length=4)
    label = models.CharField(max_length=40, blank=True)
    made_at = models.DateTimeField()
    until = models.DateTimeField(null=True)
    last_used = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
