"""The journal's lines: what is sealed stays as it is, or shows that it does not."""

import json
from collections.abc import Callable
from hashlib import sha256
from time import perf_counter

import pytest

from bansha.referee.ledger import START, Damaged, check_chain, seal


def journal(count: int) -> list[bytes]:
    lines, prev = [], START
    for n in range(1, count + 1):
        events = json.dumps([["voted", n % 10 + 1, 5, "青瓦"], ["told", "x" * 120]], ensure_ascii=False).encode()
        line, prev = seal(prev, n, 29_641_500 + n, f"seat {n % 10 + 1}", f"k{n}", b'{"vote":5}', events)
        lines.append(line)
    return lines


def damage(lines: list[bytes]) -> Damaged:
    with pytest.raises(Damaged) as caught:
        list(check_chain(lines))
    return caught.value


def test_a_line_is_a_json_object_with_its_keys_in_order() -> None:
    line, own = seal(START, 1, 29_641_500, "seat 3", 'say "好"\n', b'{"vote":5}', b'[["voted",3,5]]')
    assert json.loads(line) == {
        "n": 1,
        "at": 29_641_500,
        "by": "seat 3",
        "key": 'say "好"\n',
        "do": {"vote": 5},
        "events": [["voted", 3, 5]],
        "hash": own,
    }
    assert list(json.loads(line)) == ["n", "at", "by", "key", "do", "events", "hash"]
    assert b"\n" not in line


def test_the_hash_is_over_the_hash_before_and_the_body() -> None:
    line, own = seal("ab" * 32, 2, 0, "clock", "", b"null", b"[]")
    body = b'{"n":2,"at":0,"by":"clock","key":"","do":null,"events":[]'
    assert line == body + b',"hash":"' + own.encode() + b'"}'
    assert own == sha256(b"ab" * 32 + body).hexdigest()


@pytest.mark.parametrize(("do", "events"), [(b'{\n"vote":5}', b"[]"), (b"null", b"[\n]")])
def test_a_newline_inside_a_line_is_refused(do: bytes, events: bytes) -> None:
    with pytest.raises(ValueError, match="newline"):
        seal(START, 1, 0, "clock", "", do, events)


@pytest.mark.parametrize(("by", "key"), [("\ud800", ""), ("clock", "\udfff")])
def test_text_that_is_not_unicode_is_refused(by: str, key: str) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        seal(START, 1, 0, by, key, b"null", b"[]")


def test_a_whole_journal_is_handed_on_as_it_is() -> None:
    lines = journal(5)
    assert list(check_chain(lines)) == lines
    assert list(check_chain([])) == []


def test_a_tail_is_checked_from_the_hash_before_it() -> None:
    lines = journal(5)
    before = json.loads(lines[2])["hash"]
    assert list(check_chain(lines[3:], before, 4)) == lines[3:]
    with pytest.raises(Damaged, match="line 4"):
        list(check_chain(lines[3:], START, 4))
    with pytest.raises(Damaged, match="line 3"):
        list(check_chain(lines[3:], before, 3))


def test_lines_before_the_damage_are_handed_on() -> None:
    lines = journal(5)
    checked = check_chain([*lines[:3], lines[3].replace(b"k4", b"k5"), lines[4]])
    assert [next(checked) for _ in range(3)] == lines[:3]
    with pytest.raises(Damaged, match="line 4"):
        next(checked)


def test_any_changed_byte_names_its_line() -> None:
    lines = journal(3)
    for n, line in enumerate(lines, 1):
        for at in range(len(line)):
            changed = line[:at] + bytes([line[at] ^ (1 + at % 255)]) + line[at + 1 :]
            assert damage([*lines[: n - 1], changed, *lines[n:]]).line_number == n


@pytest.mark.parametrize(
    ("change", "line_number"),
    [
        (lambda a, b, c: [b, c], 1),
        (lambda a, b, c: [a, c], 2),
        (lambda a, b, c: [a, c, b], 2),
        (lambda a, b, c: [a, a, b, c], 2),
        (lambda a, b, c: [a, b, b""], 3),
        (lambda a, b, c: [a, b, c[:-1]], 3),
        (lambda a, b, c: [a, b, c[1:]], 3),
        (lambda a, b, c: [a, b + b"\n", c], 2),
        (lambda a, b, c: [a + b"\r", b, c], 1),
        (lambda a, b, c: [a, b + c], 2),
    ],
)
def test_a_line_lost_moved_doubled_or_cut_is_named(change: Callable[..., list[bytes]], line_number: int) -> None:
    assert damage(change(*journal(3))).line_number == line_number


def test_a_wrong_number_is_named_even_when_it_was_sealed() -> None:
    first, prev = seal(START, 1, 0, "clock", "", b"null", b"[]")
    third, _ = seal(prev, 3, 0, "clock", "", b"null", b"[]")
    found = damage([first, third])
    assert (found.line_number, found.found, found.right) == (2, """b'{"n":3,'""", """b'{"n":2,'""")


def test_the_damage_says_what_was_found_and_what_would_be_right() -> None:
    line, own = seal(START, 1, 0, "clock", "", b"null", b"[]")
    found = damage([line.replace(own.encode(), b"0" * 64)])
    assert found.found == f"the hash {'0' * 64}"
    assert found.right == own
    assert str(found) == f"line 1: found {found.found}, right would be {own}"
    assert damage([line + b" "]).right == f'the end ,"hash":"{sha256(b"0" * 64 + line[:-74]).hexdigest()}"}}'


def test_two_thousand_lines_are_checked_in_milliseconds() -> None:
    lines = journal(2_000)
    best = 1.0
    for _ in range(20):
        start = perf_counter()
        assert sum(1 for _ in check_chain(lines)) == 2_000
        best = min(best, perf_counter() - start)
    assert best < 0.010  # 2.5 ms on the machine it was written on
