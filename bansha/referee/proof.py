"""Was a game dealt and drawn honestly? What tools/verify.py says, computed by the code that deals: docs/dealing.md.

The tool shares no line with this module, and the tests hold the two against each other.
"""

from __future__ import annotations

from bansha.referee import dealing
from bansha.referee import events as e
from bansha.referee.archive import read
from bansha.referee.ledger import Damaged


def dice_of(data: bytes) -> dealing.Dice | None:
    """The dice of a journal: from its seed, or from the secret once it is opened; None before.

    Raises:
        Damaged: see `verify`.
    """
    ledger = _Ledger()
    _follow(data, ledger)
    return ledger.dice


def verify(data: bytes) -> str:
    """One line that says what was computed again and is right.

    Raises:
        Damaged: the first line that does not hold, what stands there and what would be right.
    """
    ledger = _Ledger()
    events = _follow(data, ledger)
    return f"{ledger.verdict()}, {events} events chained"


def _follow(data: bytes, ledger: _Ledger) -> int:
    count = 0
    for line in read(data):
        ledger.line = line.n
        count += len(line.events)
        for event in line.events:
            ledger.take(event)
    return count


class _Ledger:
    """What the journal has said so far about dealing and chance."""

    def __init__(self) -> None:
        self.line = 0
        self.dice: dealing.Dice | None = None
        self.promise: e.Committed | None = None
        self.hashed: dict[int, str] = {}
        self.texts: dict[int, str] = {}
        self.deal: tuple[int, e.Dealt] | None = None
        self.draws: list[tuple[int, e.Drawn]] = []

    def need(self, holds: bool, found: str, right: str) -> None:
        """Raise Damaged at the line being read unless `holds`."""
        if not holds:
            raise Damaged(self.line, found, right)

    def take(self, event: e.Event) -> None:
        """One event more."""
        match event:
            case e.Committed():
                timely = self.deal is None and (self.promise is not None or self.dice is None)
                self.need(timely, "a commitment", "none after the deal or beside a seed")
                self.need(len(event.personas) == len(event.roles), f"{len(event.personas)} personas", f"{len(event.roles)}")
                self.dice, self.promise, self.hashed, self.texts = None, event, {}, {}
            case e.ContributionHashed():
                open_ = self.promise is not None and not self.texts and self.dice is None and self.deal is None
                self.need(open_, "a contribution hashed", "none before the commitment or after one was opened")
                players = len(self.promise.personas) if self.promise is not None else 0
                self.need(1 <= event.player <= players, f"player {event.player}", f"one of 1 to {players}")
                self.hashed[event.player] = event.digest
            case e.ContributionOpened():
                timely = self.dice is None and self.deal is None and event.player not in self.texts
                self.need(timely, f"player {event.player}'s contribution opened", "each once, before the deal")
                right = dealing.contribution_hash(event.player, event.text)
                found = self.hashed.get(event.player, "none")
                self.need(found == right, f"the hash of player {event.player}'s contribution {found}", right)
                self.texts[event.player] = event.text
            case e.Dealt():
                once = self.deal is None and (self.promise is not None) != (self.dice is not None)
                self.need(once, "a deal", "one, after the ceremony or the seed")
                self.need(len(self.texts) == len(self.hashed), f"{len(self.texts)} contributions opened", f"{len(self.hashed)}")
                self.deal = (self.line, event)
            case e.Drawn():
                timely = self.deal is not None or (self.dice is not None and self.promise is None)
                self.need(timely, "a draw", "none before the deal")
                counter = len(self.draws) + 1
                self.need(event.counter == counter, f"the counter {event.counter} of a draw", str(counter))
                self.need(len(event.chosen) <= len(event.options), f"{len(event.chosen)} drawn", f"at most {len(event.options)}")
                self.draws.append((self.line, event))
            case e.SecretOpened():
                self._open(event)
            case e.Seeded():
                self.need(self.dice is None and self.promise is None, "a seed", "none beside a commitment or another seed")
                self.dice = dealing.Dice.from_seed(event.seed)

    def _open(self, event: e.SecretOpened) -> None:
        promise = self.promise
        self.need(promise is not None and self.dice is None, "a secret", "one, for the commitment that waits for it")
        assert promise is not None
        try:
            secret = bytes.fromhex(event.secret)
        except ValueError:
            secret = b""
        whole = len(secret) == dealing.SECRET_BYTES and secret.hex() == event.secret
        self.need(whole, f"the secret {event.secret[:80]!r}", "64 small hex digits")
        right = dealing.commit(secret, promise.game, promise.ruleset_hash, promise.options, promise.personas, promise.roles)
        self.need(promise.commitment == right, f"the commitment {promise.commitment}", right)
        self.dice = dealing.Dice(dealing.stream_key(secret, [self.texts[player] for player in sorted(self.texts)]))

    def verdict(self) -> str:
        """What holds; deal and draws are computed again as soon as the key is known."""
        texts, draws = f"{len(self.texts)} contributions ok", f"{len(self.draws)} draws"
        if self.dice is None:
            return f"commitment not opened yet, {texts}, {draws} not checked yet" if self.promise else "no commitment"
        said = f"commitment ok, {texts}, nothing dealt" if self.promise else "seeded game, deal not committed"
        if self.promise is not None and self.deal is not None:
            self.line, dealt = self.deal
            roles = list(dealing.deal(self.dice, self.promise.roles))
            self.need(dealt.roles == roles, f"the roles {dealt.roles}", str(roles))
            masks = list(dealing.masks(self.dice, len(roles)))
            self.need(dealt.masks in ([], masks), f"the masks {dealt.masks}", str(masks))
            said = said.replace("nothing dealt", "deal ok" if dealt.masks else "deal ok (masks not drawn)")
        for line, drawn in self.draws:
            self.line = line
            at = self.dice.draw(drawn.label, drawn.counter, len(drawn.options), len(drawn.chosen))
            right = [drawn.options[index] for index in at]
            self.need(drawn.chosen == right, f"draw {drawn.counter}: {drawn.chosen}", str(right))
        return f"{said}, {draws} ok"


__all__ = ["dice_of", "verify"]
