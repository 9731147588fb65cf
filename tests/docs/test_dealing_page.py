"""docs/dealing.md: its test vectors hold for what deals and for what checks, and so does what it says is printed."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bansha.referee.dealing import Dice, canonical, commit, contribution_hash, deal, masks, stream_key
from bansha.referee.ledger import START, check_chain, seal
from tools import verify

PAGE = (Path(__file__).parents[2] / "docs" / "dealing.md").read_text("utf-8")
VECTORS: dict[str, Any] = {
    name: value
    for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for name, value in json.loads(block).items()
}
(LINES,) = re.findall(r"^```jsonl\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

SECRET = bytes.fromhex(VECTORS["secret"])
KEY = bytes.fromhex(VECTORS["key"])
COVERED = [VECTORS[name] for name in ("game", "ruleset", "options", "personas", "roles")]
DRAWN = [VECTORS["first_draw"], VECTORS["second_draw"]]


def ceremony() -> list[list[Any]]:
    """The events of the page's ceremony in order, up to the last contribution opened."""
    return [
        ["committed", VECTORS["commitment"], *COVERED],
        *(["contribution_hashed", player, own] for player, own in enumerate(VECTORS["contribution_hashes"], 1)),
        *(["contribution_opened", player, text] for player, text in enumerate(VECTORS["contributions"], 1)),
    ]


def journal(events: list[list[Any]]) -> bytes:
    """A journal with one event to a line."""
    lines, prev = [], START
    for n, event in enumerate(events, 1):
        line, prev = seal(prev, n, n, "town", "", b"null", canonical([event]))
        lines.append(line + b"\n")
    return b"".join(lines)


def prints() -> Iterator[tuple[str, list[list[Any]]]]:
    """What the checker prints for these events, by the page."""
    dealt, opened = VECTORS["dealt"], ["secret_opened", VECTORS["secret"]]
    whole = [*ceremony(), dealt, *DRAWN, opened]
    yield "commitment ok, 10 contributions ok, deal ok, 2 draws ok, 25 events chained", whole
    pinned = [*ceremony(), [*dealt[:2], []], *DRAWN, opened]
    yield "commitment ok, 10 contributions ok, deal ok (masks not drawn), 2 draws ok, 25 events chained", pinned
    waiting = "commitment not opened yet, 10 contributions ok, 2 draws not checked yet, 24 events chained"
    yield waiting, whole[:-1]
    one_way = [["drawn", "forced", counter, [5], [5]] for counter in (1, 2)]
    yield "seeded game, deal not committed, 2 draws ok, 3 events chained", [["seeded", 7], *one_way]
    wrong = [*ceremony(), dealt, [*DRAWN[0][:4], [2]], DRAWN[1], opened]
    yield "line 23: draw 1: [2], right would be [4]", wrong


def test_canonical_json() -> None:
    for vector in VECTORS["canonical"]:
        assert canonical(vector["value"]) == verify.canonical(vector["value"]) == vector["json"].encode()


def test_the_ceremony_for_what_deals() -> None:
    assert commit(SECRET, *COVERED) == VECTORS["commitment"]
    hashes = [contribution_hash(player, text) for player, text in enumerate(VECTORS["contributions"], 1)]
    assert hashes == VECTORS["contribution_hashes"]
    assert stream_key(SECRET, VECTORS["contributions"]) == KEY


def test_the_ceremony_for_what_checks() -> None:
    game = verify.Game()
    for kind, *facts in [*ceremony(), ["secret_opened", VECTORS["secret"]]]:
        getattr(game, f"on_{kind}")(*facts)
    assert game.key == KEY


def test_the_words_of_the_stream() -> None:
    for message, word in VECTORS["words"].items():
        assert Dice(KEY)._word(message) == int(word, 16)


@pytest.mark.parametrize("vector", VECTORS["draws"], ids=lambda vector: vector["label"])
def test_draws(vector: dict[str, Any]) -> None:
    label, counter, n, k = (vector[name] for name in ("label", "counter", "n", "k"))
    assert list(Dice(KEY).draw(label, counter, n, k)) == vector["drawn"]
    assert verify.draw(KEY, label, counter, range(n), k) == vector["drawn"]


def test_the_wide_draw_throws_seven_words_away() -> None:
    asked: list[str] = []

    class Counting(Dice):
        def _word(self, message: str) -> int:
            asked.append(message)
            return super()._word(message)

    wide = VECTORS["draws"][-1]
    Counting(KEY).draw(wide["label"], wide["counter"], wide["n"], 1)
    assert len(asked) == 1 + 7
    assert "has to throw away seven words in its first step" in PAGE


def test_the_deal_and_the_draws_of_play() -> None:
    dice = Dice(KEY)
    assert VECTORS["dealt"] == ["dealt", list(deal(dice, VECTORS["roles"])), list(masks(dice, 10))]
    for _, label, counter, options, chosen in DRAWN:
        drawn = dice.draw(label, counter, len(options), len(chosen))
        assert [options[index] for index in drawn] == chosen == verify.draw(KEY, label, counter, options, len(chosen))


@pytest.mark.parametrize("vector", VECTORS["seeds"], ids=lambda vector: str(vector["seed"]))
def test_seeded_games(vector: dict[str, Any]) -> None:
    label, counter, n, k = (vector[name] for name in ("label", "counter", "n", "k"))
    assert list(Dice.from_seed(vector["seed"]).draw(label, counter, n, k)) == vector["drawn"]
    game = verify.Game()
    game.on_seeded(vector["seed"])
    assert game.key.hex() == vector["key"]
    assert verify.draw(game.key, label, counter, range(n), k) == vector["drawn"]


def test_the_lines_of_a_journal() -> None:
    lines = LINES.encode().split(b"\n")[:-1]
    assert len(lines) == 2
    assert list(check_chain(lines)) == lines
    assert sorted(json.loads(lines[0])) == sorted(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    with pytest.raises(ValueError, match="a draw before the deal"):  # by then both lines of the chain were right
        verify.check(LINES.encode(), game := verify.Game())
    assert game.line == 2


@pytest.mark.parametrize(("said", "events"), list(prints()))
def test_what_the_checker_prints(said: str, events: list[list[Any]], tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(journal(events))
    assert verify.main([str(path)]) == said.startswith("line")
    assert capsys.readouterr().out == said + "\n"
    assert f"| `{said}` |" in PAGE or f"\n    {said}\n" in PAGE


def test_every_event_the_checker_reads_is_on_the_page() -> None:
    read = {name.removeprefix("on_") for name in vars(verify.Game) if name.startswith("on_")}
    assert set(re.findall(r'\["(\w+)", ', PAGE.partition("## Test vectors")[0])) == read
