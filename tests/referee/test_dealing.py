"""Dealing and the stream of chance: what is bound to what, and that nobody is favoured."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations, product

import pytest

from bansha.referee import dealing
from bansha.referee.dealing import Dice, canonical, commit, contribution_hash, deal, masks, stream_key

SECRET = bytes(range(32))
OPTIONS = {"abort": "director", "tie_break_scope": "literal"}
PERSONAS = ["青瓦", "白露", "阿弥"]
ROLES = ["wolf", "seer", "witch"]
COMMITTED = commit(SECRET, "g1", "r1", OPTIONS, PERSONAS, ROLES)


class Contrived(Dice):
    """Dice whose words are handed in; asking for more than there are is an error."""

    __slots__ = ("asked", "words")

    def __init__(self, words: Iterable[int]) -> None:
        super().__init__(b"")
        self.words = iter(words)
        self.asked: list[str] = []

    def _word(self, message: str) -> int:
        self.asked.append(message)
        return next(self.words)


def test_canonical_text_has_one_form() -> None:
    assert canonical({"b": [1, "é"], "a": {}}) == '{"a":{},"b":[1,"é"]}'.encode()
    assert canonical(("狼", '\u2028/\x7f\x01\t"\\🐺')) == '["狼","\u2028/\x7f\\u0001\\t\\"\\\\🐺"]'.encode()


@pytest.mark.parametrize(("obj", "error"), [("\ud800", ValueError), (float("nan"), ValueError), (b"x", TypeError)])
def test_canonical_refuses_what_has_no_agreed_text(obj: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        canonical(obj)


def test_the_commitment_does_not_depend_on_the_order_options_were_written_in() -> None:
    backwards = dict(reversed(OPTIONS.items()))
    assert commit(SECRET, "g1", "r1", backwards, tuple(PERSONAS), tuple(ROLES)) == COMMITTED


@pytest.mark.parametrize(
    "other",
    [
        commit(SECRET[::-1], "g1", "r1", OPTIONS, PERSONAS, ROLES),
        commit(SECRET, "g2", "r1", OPTIONS, PERSONAS, ROLES),
        commit(SECRET, "g1", "r2", OPTIONS, PERSONAS, ROLES),
        commit(SECRET, "r1", "g1", OPTIONS, PERSONAS, ROLES),
        commit(SECRET, "g1", "r1", OPTIONS | {"abort": "automatic"}, PERSONAS, ROLES),
        commit(SECRET, "g1", "r1", {}, PERSONAS, ROLES),
        commit(SECRET, "g1", "r1", OPTIONS, PERSONAS[::-1], ROLES),
        commit(SECRET, "g1", "r1", OPTIONS, PERSONAS, ROLES[::-1]),
        commit(SECRET, "g1", "r1", OPTIONS, ROLES, PERSONAS),
    ],
)
def test_the_commitment_covers_everything(other: str) -> None:
    assert other != COMMITTED


def test_a_contribution_is_bound_to_its_player() -> None:
    assert contribution_hash(1, "cat") == contribution_hash(1, "cat")
    assert contribution_hash(1, "cat") != contribution_hash(2, "cat")
    assert contribution_hash(1, "1cat") != contribution_hash(11, "cat")


def test_the_key_depends_on_the_secret_and_on_every_contribution_in_its_place() -> None:
    keys = [
        stream_key(SECRET, ["ab", "c"]),
        stream_key(SECRET, ["a", "bc"]),
        stream_key(SECRET, ["c", "ab"]),
        stream_key(SECRET, ["ab", "c", ""]),
        stream_key(SECRET, []),
        stream_key(SECRET[::-1], ["ab", "c"]),
    ]
    assert len(set(keys)) == len(keys)
    assert stream_key(SECRET, ("ab", "c")) == keys[0]


@pytest.mark.parametrize("secret", [b"", SECRET[1:], SECRET + b"0"])
def test_a_secret_has_32_bytes(secret: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        commit(secret, "g1", "r1", OPTIONS, PERSONAS, ROLES)
    with pytest.raises(ValueError, match="32 bytes"):
        stream_key(secret, [])


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (7, 3), (10, 10), (5, 0), (0, 0), (2**32, 4)])
def test_a_draw_is_k_distinct_indices_and_always_the_same(n: int, k: int) -> None:
    for seed in range(20):
        drawn = Dice.from_seed(seed).draw("shot", 1, n, k)
        assert len(drawn) == len(set(drawn)) == k
        assert all(0 <= index < n for index in drawn)
        assert drawn == Dice.from_seed(seed).draw("shot", 1, n, k)


def test_drawing_fewer_gives_the_beginning_of_drawing_more() -> None:
    dice = Dice.from_seed(7)
    everything = dice.draw("shot", 1, 9, 9)
    assert [dice.draw("shot", 1, 9, k) for k in range(10)] == [everything[:k] for k in range(10)]


def test_labels_counters_and_seeds_draw_apart() -> None:
    places = list(product((-1, 0, 1), ("a", "a\n1", ""), (1, 11)))
    assert len({Dice.from_seed(seed).draw(label, counter, 12, 12) for seed, label, counter in places}) == len(places)


@pytest.mark.parametrize(("counter", "n", "k"), [(1, 0, 1), (1, 3, 4), (1, 3, -1), (1, 2**32 + 1, 1), (-1, 3, 1)])
def test_an_impossible_draw_is_refused(counter: int, n: int, k: int) -> None:
    with pytest.raises(ValueError, match="cannot draw"):
        Dice.from_seed(0).draw("shot", counter, n, k)


def test_each_step_asks_for_one_word() -> None:
    dice = Contrived([0, 3, 1])
    assert dice.draw("寻仇", 4, 5, 3) == (0, 4, 3)
    assert dice.asked == ["寻仇\n4\n0\n0", "寻仇\n4\n1\n0", "寻仇\n4\n2\n0"]


def test_a_word_beyond_the_last_full_multiple_is_thrown_away() -> None:
    limit = 2**32 - 4  # the greatest multiple of 6
    dice = Contrived([2**32 - 1, limit, 9])
    assert dice.draw("shot", 1, 6) == (3,)
    assert dice.asked == ["shot\n1\n0\n0", "shot\n1\n0\n1", "shot\n1\n0\n2"]


def test_the_greatest_word_below_that_is_kept() -> None:
    dice = Contrived([2**32 - 5, 9])
    assert dice.draw("shot", 1, 6) == (5,)
    assert dice.asked == ["shot\n1\n0\n0"]


@pytest.mark.parametrize("n", range(1, 17))
def test_among_all_words_every_index_has_equally_many(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "WORDS", 16)
    # The word 0 follows a word that is thrown away; it is counted only where it is the first.
    first = [(dice := Contrived([word, 0]), dice.draw("shot", 1, n)) for word in range(16)]
    kept = Counter(drawn for dice, drawn in first if len(dice.asked) == 1)
    assert kept == {(index,): 16 // n for index in range(n)}


def chi_square(seen: Iterable[object], cells: Sequence[object]) -> float:
    """How far the counts of `seen` lie from equal counts for all `cells`."""
    counts = Counter(seen)
    assert set(counts) <= set(cells)
    expected = counts.total() / len(cells)
    return sum((counts[cell] - expected) ** 2 for cell in cells) / expected


ORDERS = list(permutations(range(4)))
BEYOND_CHANCE = 49.73  # 23 degrees of freedom; an honest shuffle goes beyond once in a thousand


def any_place(dice: Dice, counter: int) -> tuple[int, ...]:
    """The well-known wrong shuffle: every place is swapped with any place, not with one still to come."""
    order = list(range(4))
    for step in range(4):
        at = dice.draw(f"step {step}", counter, 4)[0]
        order[step], order[at] = order[at], order[step]
    return tuple(order)


def rounded_down(dice: Dice, counter: int) -> tuple[int, ...]:
    """Another: a number out of 16, brought down to the places left by its remainder."""
    order = list(range(4))
    for step in range(3):
        at = step + dice.draw(f"step {step}", counter, 16)[0] % (4 - step)
        order[step], order[at] = order[at], order[step]
    return tuple(order)


def test_every_order_is_as_likely_as_any_other() -> None:
    dice = Dice.from_seed(7)
    within_a_game = [dice.draw("shuffle", counter, 4, 4) for counter in range(12_000)]
    over_games = [Dice.from_seed(seed).draw("deal", 0, 4, 4) for seed in range(12_000)]
    assert chi_square(within_a_game, ORDERS) < BEYOND_CHANCE
    assert chi_square(over_games, ORDERS) < BEYOND_CHANCE


@pytest.mark.parametrize("shuffle", [any_place, rounded_down])
def test_a_biased_shuffle_would_be_found_out(shuffle: Callable[[Dice, int], tuple[int, ...]]) -> None:
    dice = Dice.from_seed(7)
    assert chi_square((shuffle(dice, counter) for counter in range(12_000)), ORDERS) > BEYOND_CHANCE


def test_every_role_comes_to_every_seat_equally_often() -> None:
    roles = [str(role) for role in range(10)]
    dealt = [deal(Dice.from_seed(seed), roles) for seed in range(4_000)]
    for seat in range(10):
        assert chi_square((roles_by_seat[seat] for roles_by_seat in dealt), roles) < 27.88  # 9 degrees, 1 in 1,000


def test_the_deal_gives_out_exactly_the_roles_and_the_masks_exactly_the_seats() -> None:
    roles = ["wolf"] * 3 + ["civilian"] * 3 + ["seer", "witch", "guard", "hybrid"]
    for seed in range(50):
        dice = Dice.from_seed(seed)
        assert sorted(deal(dice, roles)) == sorted(roles)
        assert sorted(masks(dice, 10)) == list(range(1, 11))


def test_masks_are_drawn_apart_from_roles() -> None:
    seats = [str(seat) for seat in range(1, 11)]
    alike = sum(deal(Dice.from_seed(s), seats) == tuple(map(str, masks(Dice.from_seed(s), 10))) for s in range(50))
    assert alike == 0


def test_dice_do_not_show_their_key() -> None:
    key = b"\x07" * 32
    shown = repr(Dice(key)) + str(Dice(key))
    assert repr(key) not in shown
    assert key.hex() not in shown
