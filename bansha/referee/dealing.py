"""Dealing that can be checked afterwards, and the game's recorded stream of chance.

The director commits to a secret before the players contribute, the players commit to their contributions before the
first of them is opened, and the key of all chance in the game is made of both: nobody could choose the deal, and once
the secret is opened anybody can compute it again. docs/dealing.md is the protocol, with test vectors; tools/verify.py
is a second implementation that shares no line with this one.

Everything here is pure: the secret comes from outside, the results stand in events.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Final

SECRET_BYTES: Final = 32
WORDS: Final = 2**32  # how many values a word of the stream can have

_COMMITMENT: Final = b"bansha/commitment/1\n"
_CONTRIBUTION: Final = b"bansha/contribution/1\n"
_KEY: Final = b"bansha/key/1\n"
_SEED: Final = b"bansha/seed/1\n"


def canonical(obj: object) -> bytes:
    """The one JSON text of `obj`: keys sorted by code point, no spaces, UTF-8, no escapes that JSON does not demand.

    `obj` is made of strings, integers, lists, tuples and dicts with string keys; floats have no agreed text and
    must not be hashed. Raises ValueError for a lone surrogate, TypeError for what JSON does not know.
    """
    return json.dumps(obj, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()


def commit(
    secret: bytes,
    game: str,
    ruleset_hash: str,
    options: Mapping[str, str],
    personas: Sequence[str],
    roles: Sequence[str],
) -> str:
    """What is published when sign-up closes: 64 hex digits that bind the director to `secret` and to all the rest.

    `secret` is 32 random bytes, `personas` stand in seat order, `roles` in the ruleset's order, as many as there are
    seats. Raises ValueError for a secret of another length.
    """
    covered = {
        "game": game,
        "options": dict(options),
        "personas": list(personas),
        "roles": list(roles),
        "ruleset": ruleset_hash,
    }
    return hashlib.sha256(_COMMITMENT + _sized(secret) + canonical(covered)).hexdigest()


def contribution_hash(player: int, text: str) -> str:
    """What player `player` (from 1, in the order of sign-up) hands in by the first deadline: 64 hex digits.

    `text` is opened by the second deadline, exactly as it was hashed. Raises ValueError for a lone surrogate.
    """
    return hashlib.sha256(_CONTRIBUTION + canonical([player, text])).hexdigest()


def stream_key(secret: bytes, contributions: Sequence[str]) -> bytes:
    """The 32 bytes that all chance of the game is drawn from; `contributions` are the opened texts in player order.

    Raises ValueError for a secret that is not 32 bytes long.
    """
    return hmac.digest(_sized(secret), _KEY + canonical(list(contributions)), "sha256")


class Dice:
    """The game's stream of chance. It has no state: the same label and counter give the same draw, whenever asked."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def from_seed(cls, seed: int) -> "Dice":
        """Dice of a case file or a demonstration, where anybody may know the seed."""
        return cls(hashlib.sha256(_SEED + str(seed).encode()).digest())

    def draw(self, label: str, counter: int, n: int, k: int = 1) -> tuple[int, ...]:
        """`k` distinct indices out of range(n), in the order drawn, each ordered choice as likely as any other.

        `label` says what is drawn; `counter` is 0 for dealing and counts the game's later draws from 1. Raises
        ValueError when `k` is not among 0..n, `n` is above 2**32 or `counter` is negative.
        """
        if not 0 <= k <= n <= WORDS or counter < 0:
            raise ValueError(f"cannot draw {k} of {n} at counter {counter}")
        moved: dict[int, int] = {}  # the places of range(n) that a swap has changed
        chosen = []
        for step in range(k):
            at = step + self._below(n - step, f"{label}\n{counter}\n{step}\n")
            chosen.append(moved.get(at, at))
            moved[at] = moved.get(step, step)
        return tuple(chosen)

    def _below(self, n: int, place: str) -> int:
        """A number out of range(n); a word beyond the last full multiple of n is thrown away, so none is favoured."""
        limit = WORDS - WORDS % n
        attempt = 0
        while (word := self._word(f"{place}{attempt}")) >= limit:
            attempt += 1
        return word % n

    def _word(self, message: str) -> int:
        """The word of the stream at `message`, out of range(WORDS)."""
        return int.from_bytes(hmac.digest(self._key, message.encode(), "sha256")[:4], "big")


def deal(dice: Dice, roles: Sequence[str]) -> tuple[str, ...]:
    """The roles by seat, seat 1 first; `roles` in the order in which they were committed to."""
    return tuple(roles[index] for index in dice.draw("deal", 0, len(roles), len(roles)))


def masks(dice: Dice, players: int) -> tuple[int, ...]:
    """The seat (from 1) that each player wears, player 1 first."""
    return tuple(index + 1 for index in dice.draw("masks", 0, players, players))


def _sized(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, this one {len(secret)}")
    return secret
