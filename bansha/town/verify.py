#!/usr/bin/env python3
"""Was the game dealt and drawn honestly, and is its journal whole?    python3 -I verify.py game.jsonl

Needs Python 3.11 and nothing else, shares no line with what wrote the journal, and follows docs/dealing.md. Prints one
line and exits 0, or names the line of the journal that does not hold, says why, and exits 1.
"""

import hashlib
import hmac
import json
import sys
from typing import Any


def need(holds: object, why: str) -> None:
    if not holds:
        raise ValueError(why)


def same(what: str, found: object, right: object) -> None:
    need(canonical(found) == canonical(right), f"{what}: {found}, right would be {right}")


def canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(pairs) == len(dict(pairs)), "a name stands twice in one object")
    return dict(pairs)


def draw(key: bytes, label: str, counter: int, options: Any, k: int) -> list[Any]:
    """The `k` options drawn, in order: a shuffle from the front that stops after `k` places."""
    places: dict[int, int] = {}  # place -> the index that lies there, where it is no longer the place's own
    for here in range(k):
        left, word, attempt = len(options) - here, 2**32, 0
        while word >= 2**32 // left * left:
            message = f"{label}\n{counter}\n{here}\n{attempt}".encode()
            word = int.from_bytes(hmac.new(key, message, hashlib.sha256).digest()[:4], "big")
            attempt += 1
        there = here + word % left
        places[here], places[there] = places.get(there, there), places.get(here, here)
    return [options[places[here]] for here in range(k)]


class Game:
    """What the journal has said so far: one method for each kind of event that counts here, and the verdict."""

    def __init__(self) -> None:
        self.line, self.key = 0, b""  # the line that is being judged; the key, once the secret or the seed is known
        self.promise: list[Any] = []  # commitment, game, ruleset hash, options, personas, roles
        self.hashed, self.texts = dict[int, str](), dict[int, str]()  # contributions by player
        self.deal: list[Any] = []  # its line, roles by seat, masks
        self.draws: list[tuple[int, str, int, list[Any], list[Any]]] = []  # line, label, counter, options, chosen

    def on_committed(self, *promise: Any) -> None:
        need(not self.deal and (self.promise or not self.key), "a commitment out of its time")
        need(len(promise) == 6 and len(promise[4]) == len(promise[5]), "not as many personas as roles")
        self.key, self.promise, self.hashed, self.texts = b"", list(promise), {}, {}  # the ceremony starts anew

    def on_contribution_hashed(self, player: int, digest: str) -> None:
        need(self.promise and not (self.key or self.texts or self.deal), "a contribution hashed out of its time")
        need(type(player) is int and 1 <= player <= len(self.promise[4]), f"there is no player {player}")
        self.hashed[player] = digest

    def on_contribution_opened(self, player: int, text: str) -> None:
        need(not (self.key or self.deal or player in self.texts), "a contribution opened out of its time")
        digest = hashlib.sha256(b"bansha/contribution/1\n" + canonical([player, text])).hexdigest()
        same(f"the hash of player {player}'s contribution", self.hashed.get(player), digest)
        self.texts[player] = text

    def on_dealt(self, roles: list[str], masks: list[int]) -> None:
        need(bool(self.promise) != bool(self.key) and not self.deal, "a deal out of its time")
        need(len(self.texts) == len(self.hashed), "a deal without all the contributions that were hashed")
        self.deal = [self.line, roles, masks]

    def on_drawn(self, label: str, counter: int, options: list[Any], chosen: list[Any]) -> None:
        need(self.deal or (self.key and not self.promise), "a draw before the deal")
        same("the counter of the draw", counter, len(self.draws) + 1)
        need(len(chosen) <= len(options), "more were drawn than there are options")
        self.draws.append((self.line, label, counter, options, chosen))

    def on_secret_opened(self, secret: str) -> None:
        need(self.promise and not self.key, "a secret, but no commitment that waits for it")
        raw, texts = bytes.fromhex(secret), [self.texts[player] for player in sorted(self.texts)]
        need(len(raw) == 32 and raw.hex() == secret, "the secret is not 64 small hex digits")
        covered = dict(zip(("game", "ruleset", "options", "personas", "roles"), self.promise[1:], strict=True))
        digest = hashlib.sha256(b"bansha/commitment/1\n" + raw + canonical(covered)).hexdigest()
        same("the commitment", self.promise[0], digest)
        self.key = hmac.new(raw, b"bansha/key/1\n" + canonical(texts), hashlib.sha256).digest()

    def on_seeded(self, seed: int) -> None:
        need(type(seed) is int and not (self.key or self.promise), "a seed beside a commitment or another seed")
        self.key = hashlib.sha256(b"bansha/seed/1\n%d" % seed).digest()

    def verdict(self) -> str:
        texts, draws = f"{len(self.texts)} contributions ok", f"{len(self.draws)} draws"
        if not self.key:
            return f"commitment not opened yet, {texts}, {draws} not checked yet" if self.promise else "no commitment"
        said = f"commitment ok, {texts}, nothing dealt" if self.promise else "seeded game, deal not committed"
        if self.promise and self.deal:
            self.line, roles, masks = self.deal
            seats = range(1, len(self.promise[5]) + 1)
            same("the roles", roles, draw(self.key, "deal", 0, self.promise[5], len(seats)))
            same("the masks", masks, masks and draw(self.key, "masks", 0, seats, len(seats)))
            said = said.replace("nothing dealt", "deal ok" if masks else "deal ok (masks not drawn)")
        for drawn in self.draws:
            self.line, label, counter, options, chosen = drawn
            same(f"draw {counter}", chosen, draw(self.key, label, counter, options, len(chosen)))
        return f"{said}, {draws} ok"


def check(data: bytes, game: Game) -> str:
    """The verdict on a whole journal; `game.line` is where it fails when it raises."""
    before, events = "0" * 64, 0
    *lines, rest = data.split(b"\n")
    for game.line, line in enumerate(lines, 1):
        body, _, tail = line.rpartition(b',"hash":"')
        own = hashlib.sha256(before.encode() + body).hexdigest()
        need(tail == f'{own}"}}'.encode(), f"changed, or out of its place: its hash would have to be {own}")
        entry = json.loads(line.decode(), object_pairs_hook=once)
        same("its number and keys", [entry["n"], *entry], [game.line, "n", "at", "by", "key", "do", "events", "hash"])
        for kind, *facts in entry["events"]:
            if act := getattr(game, f"on_{kind}", None):
                act(*facts)
        before, events = own, events + len(entry["events"])
    game.line = len(lines) + 1
    need(lines and not rest, "cut off: no newline ends it" if rest else "there is none")
    return f"{game.verdict()}, {events} events chained"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.exit(__doc__)
    game = Game()
    try:
        with open(arguments[0], "rb") as file:
            print(check(file.read(), game))
        return 0
    except OSError as error:
        print(f"{arguments[0]}: cannot be read: {error.strerror}")
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        print(f"line {game.line}: {error if type(error) is ValueError else f'not as docs/dealing.md says: {error}'}")
    return 1


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
