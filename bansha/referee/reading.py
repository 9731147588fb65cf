"""What the referee reads in a post: the vote it casts, and what in it looks like a breach of conduct.

Both look only at the author's own words. A suspicion names a clause and the words that raised it; what comes of it is
the director's to say (§5).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import msgspec

from bansha.bbcode import Words, is_directors_red, is_enlarged, read_words, without_quotes

__all__ = ["LONGEST_READ", "Patterns", "Reading", "check_pattern", "explain_fault", "read_post", "read_vote"]

LONGEST_READ: Final = 20_000
"""Characters of a post that are compared with the patterns; what follows is not looked at."""

_LONGEST_SHOWN = 60  # characters of the words that raised a suspicion
_INVISIBLE = str.maketrans(dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff"))
_BLANKS = " \t\u00a0\u3000"
_COLONS = ("\uff1a", ":")
_LABELS = {"vote": ("投票对象", "投票理由"), "change": ("改票对象", "改票理由")}
_NEARLY = re.compile(r"[投改换补重]票?[^\n\uff1a:]{0,8}[\uff1a:]")


class Reading(msgspec.Struct, frozen=True, array_like=True):
    """What one post says. `label` and `target` are empty unless the post is in the format of a vote."""

    label: str = ""
    """"vote", "change", or "" for a post that is no vote."""
    target: str = ""
    """The target as written, to be compared with whole names."""
    fault: str = ""
    """Why a post in a ballot thread is no vote (a key of FAULTS); "" when it is one, or is in no ballot thread."""
    flags: tuple[tuple[str, str], ...] = ()
    """Suspicions in the order of the conduct list: clause and the words that raised it, at most one a clause."""


FAULTS: Final[dict[str, tuple[str, str]]] = {
    "no_label": (
        "这一帖不是以“投票对象：”或“改票对象：”开头的（前面不能有空格或别的字）。",
        "The post does not begin with 投票对象： or 改票对象： (no blank or other word may stand before it).",
    ),
    "wrong_label": (
        "开头的标签写错了，只认“投票对象：”和“改票对象：”。",
        "The label at the beginning is wrong; only 投票对象： and 改票对象： are known.",
    ),
    "no_colon": (
        "“对象”两字后面要紧跟冒号（：或:），中间不能有空格。",
        "A colon (： or :) must follow 对象 directly, without a blank.",
    ),
    "no_reason_label": (
        "缺少理由的标签：“投票对象”配“投票理由：”，“改票对象”配“改票理由：”，要带冒号，理由可以不写。",
        "The label of the reason is missing: 投票理由： goes with 投票对象, 改票理由： with 改票对象; colon required, "
        "the reason may be empty.",
    ),
    "empty_target": (
        "没有写对象，要写完整的马甲名或“弃权”。",
        "The target is empty; write a whole persona name or 弃权.",
    ),
}
"""Why a post is no vote, in Chinese and English."""

_FORMAT = (
    "格式是：“投票对象：马甲名”换行“投票理由：……”；改票时引用自己原来的票，并把两处“投票”写成“改票”。",
    "The format is 投票对象：NAME, new line, 投票理由：…; to change, quote your own vote and write 改票 for 投票 both times.",
)


def read_vote(text: str) -> Reading:
    """Read a post of a ballot thread (C18); names are matched elsewhere.

    Quotes are cut out, zero-width characters dropped, blanks trimmed at line ends and around the target, empty lines
    dropped at the beginning. Nothing else is forgiven: label and colon stand first and together, a reason label of the
    same kind follows, the target is everything between.
    """
    post = without_quotes(text).translate(_INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")
    post = "\n".join(line.rstrip(_BLANKS) for line in post.split("\n")).lstrip("\n")
    for label, (target_label, reason_label) in _LABELS.items():
        if not post.startswith(target_label):
            continue
        rest = post[len(target_label) :]
        if not rest.startswith(_COLONS):
            return Reading(fault="no_colon")
        reason = re.search(rf"{reason_label}[\uff1a:]", rest)
        if reason is None:
            return Reading(fault="no_reason_label")
        target = rest[1 : reason.start()].strip(_BLANKS + "\n")
        return Reading(label, target) if target else Reading(fault="empty_target")
    return Reading(fault="wrong_label" if _NEARLY.match(post) else "no_label")


def explain_fault(reading: Reading, lang: str) -> str:
    """What is wrong with a post that is no vote, and the right format; in English for "en", else in Chinese."""
    if not reading.fault:
        return ""
    english = lang == "en"
    return f"{FAULTS[reading.fault][english]}{' ' if english else ''}{_FORMAT[english]}"


class Patterns:
    """The conduct list as a reader uses it, compiled once a ruleset.

    Args:
        clauses: for each clause its id, its regular expressions, and its detectors (keys of DETECTORS).

    Raises:
        ValueError: a regular expression that `check_pattern` refuses, or an unknown detector.
    """

    def __init__(self, clauses: Iterable[tuple[str, Sequence[str], Sequence[str]]]) -> None:
        self._clauses: list[tuple[str, list[re.Pattern[str]], list[str]]] = []
        for clause, patterns, detectors in clauses:
            for pattern in patterns:
                if fault := check_pattern(pattern):
                    raise ValueError(f"clause {clause}: pattern {pattern!r}: {fault}")
            for detector in detectors:
                if detector not in DETECTORS:
                    raise ValueError(f"clause {clause}: no detector {detector!r}; there are {', '.join(DETECTORS)}")
            compiled = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]
            self._clauses.append((clause, compiled, list(detectors)))

    def suspicions(self, text: str) -> tuple[tuple[str, str], ...]:
        """The clauses a post may breach, in the order of the list, each with the first words that raised it."""
        words = read_words(text)
        own = words.own.translate(_INVISIBLE)[:LONGEST_READ]
        flags: list[tuple[str, str]] = []
        for clause, patterns, detectors in self._clauses:
            found = [match for pattern in patterns if (match := pattern.search(own))]
            if found:
                flags.append((clause, _shown(min(found, key=lambda match: match.start())[0])))
            elif seen := next((seen for name in detectors if (seen := _detect(name, words))), ""):
                flags.append((clause, seen))
        return tuple(flags)


def read_post(text: str, patterns: Patterns, ballot: bool) -> Reading:
    """Everything the referee reads in a post; the vote only in a ballot thread."""
    flags = patterns.suspicions(text)
    reading = read_vote(text) if ballot else Reading()
    return Reading(reading.label, reading.target, reading.fault, flags)


DETECTORS: Final = ("director_red", "enlarged")
"""What is seen in the looks of words: the director's red or one close to it; a size above the normal one."""


def _detect(detector: str, words: Words) -> str:
    """The first own words that look so; "" if none do."""
    for run in words.runs:
        looks_so = is_directors_red(run.colour) if detector == "director_red" else is_enlarged(run.size)
        if looks_so and (shown := _shown(run.words.translate(_INVISIBLE))):
            return shown
    return ""


def _shown(words: str) -> str:
    """Words on one line, not too many."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"


# ── regular expressions that cannot hang ──────────────────────────────────────────────────────────────────────────
# Allowed is the part of the syntax whose work per place in a text is bounded: literals, classes, `.`, groups,
# alternatives, bounded repetition, lookahead, anchors. Unbounded repetition is not: a search for `a.*b` looks from
# every `a` to the end of the line, which is quadratic. Nor is repeating what itself varies, nor looking back. In what
# remains, the ways a match can be tried from one place are counted.

MOST_REPEATED: Final = 40
"""The most times something may be repeated."""

MOST_WAYS: Final = 2000
"""The most ways a match may be tried from one place."""

_LONGEST = 1500
_DEEPEST = 8
_ESCAPES = frozenset("bBdDnsStwW")
_BOUNDS = re.compile(r"\{(\d*)(?:(,)(\d*))?\}", re.ASCII)
_UNBOUNDED = "repeats without bound; write {0,20} or the like"


@dataclass(frozen=True, slots=True)
class _Part:
    """What is known of a piece: the ways to match it, whether it varies, and with which characters it can begin."""

    ways: int = 1
    varies: bool = False
    optional: bool = False
    first: frozenset[str] | None = None  # None: with anything


class _Refused(Exception):
    pass


@lru_cache(maxsize=2048)
def check_pattern(regex: str) -> str | None:
    """Why a regular expression is not allowed, in a sentence that says what would be; None when it is."""
    if len(regex) > _LONGEST:
        return f"longer than {_LONGEST} characters; write several patterns"
    try:
        re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        return f"no regular expression: {error}"
    reader = _Reader(regex)
    try:
        part = reader.alternatives(0)
    except _Refused as refusal:
        return f"at character {reader.at + 1}: {refusal}"
    if part.optional:
        return "matches even where nothing stands; demand at least one character"
    if part.ways > MOST_WAYS:
        return f"can be tried in {part.ways} ways from one place, more than {MOST_WAYS}; shorten its gaps or split it"
    return None


class _Reader:
    def __init__(self, regex: str) -> None:
        self.regex = regex
        self.at = 0

    def alternatives(self, depth: int) -> _Part:
        if depth > _DEEPEST:
            raise _Refused(f"groups nested deeper than {_DEEPEST}; write it flatter")
        branches = [self._sequence(depth)]
        while self._take("|"):
            branches.append(self._sequence(depth))
        if len(branches) == 1:
            return branches[0]
        anywhere = sum(branch.ways for branch in branches if branch.first is None)
        beginning: Counter[str] = Counter()  # ways with a match that begins with a character
        for branch in branches:
            beginning.update(dict.fromkeys(branch.first or (), branch.ways))
        return _Part(
            anywhere + max(beginning.values(), default=0),
            any(branch.varies for branch in branches),
            any(branch.optional for branch in branches),
            None if anywhere else frozenset(beginning),
        )

    def _sequence(self, depth: int) -> _Part:
        ways, varies, optional = 1, False, True
        first: frozenset[str] | None = frozenset()
        while self.at < len(self.regex) and self.regex[self.at] not in "|)":
            part = self._repeated(depth)
            ways *= part.ways
            varies = varies or part.varies
            if optional:
                first = None if first is None or part.first is None else first | part.first
            optional = optional and part.optional
        return _Part(ways, varies, optional, None if optional else first)

    def _repeated(self, depth: int) -> _Part:
        part = self._atom(depth)
        if self.at == len(self.regex):
            return part
        least, most = 1, 1
        if self._take("?"):
            least = 0
        elif self.regex[self.at] in "*+":
            raise _Refused(f"{self.regex[self.at]!r} {_UNBOUNDED}")
        elif (bounds := _BOUNDS.match(self.regex, self.at)) and bounds[0] != "{}":
            if bounds[2] and not bounds[3]:
                raise _Refused(f"{bounds[0]} {_UNBOUNDED}")
            least = int(bounds[1] or 0)
            most = int(bounds[3]) if bounds[2] else least
            if most > MOST_REPEATED:
                raise _Refused(f"{bounds[0]} repeats more than {MOST_REPEATED} times")
            if most > 1 and part.varies:
                raise _Refused(f"{bounds[0]} repeats something that itself repeats; take one of the two away")
            self.at = bounds.end()
        else:
            return part
        self._take("?")  # a lazy one tries the same ways in another order
        if self.at < len(self.regex) and self.regex[self.at] in "?*+{":
            raise _Refused("a repetition of a repetition; take one of the two away")
        ways = min(sum(part.ways**times for times in range(least, most + 1)), 10**9)
        return _Part(ways, part.varies or least != most, part.optional or least == 0, part.first)

    def _atom(self, depth: int) -> _Part:
        character = self.regex[self.at]
        match character:
            case "(":
                return self._group(depth)
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "*" | "+" | "?":
                raise _Refused(f"{character!r} repeats nothing")
        self.at += 1
        match character:
            case "^" | "$":
                return _Part(optional=True, first=frozenset())
            case ".":
                return _Part()
        return _literal(character)

    def _group(self, depth: int) -> _Part:
        self.at += 1
        looks = False
        if self._take("?"):
            if self._take("=") or self._take("!"):
                looks = True
            elif not self._take(":"):
                kind = self.regex[self.at : self.at + 2]
                if kind in ("<=", "<!"):
                    raise _Refused("looks back; match what stands before instead")
                raise _Refused("only (…), (?:…), (?=…) and (?!…) are allowed")
        part = self.alternatives(depth + 1)
        self.at += 1  # its bracket
        return _Part(part.ways, part.varies, optional=True, first=frozenset()) if looks else part

    def _class(self) -> _Part:
        self.at += 1
        negated = self._take("^")
        members: set[str] | None = set()
        begin = self.at
        while self.regex[self.at] != "]" or self.at == begin:
            character = self.regex[self.at]
            if character == "\\":
                character = self.regex[self.at + 1]
                if character.isalnum():
                    if character not in _ESCAPES:
                        raise _Refused(f"\\{character} is not allowed in a class")
                    members = None
                self.at += 1
            elif character == "-" and self.at > begin and self.regex[self.at + 1] != "]":
                members = None  # a range
            if members is not None:
                members.add(character.lower())
            self.at += 1
        self.at += 1
        return _Part(first=None if negated or members is None else frozenset(members))

    def _escape(self) -> _Part:
        character = self.regex[self.at + 1]
        if character.isdigit():
            raise _Refused(f"\\{character} refers back to a group; write the words out")
        if character.isalnum() and character not in _ESCAPES:
            raise _Refused(f"\\{character} is not allowed; of such only \\{' '.join(sorted(_ESCAPES))}")
        self.at += 2
        if character in "bB":
            return _Part(optional=True, first=frozenset())
        return _Part() if character.isalnum() else _literal(character)

    def _take(self, character: str) -> bool:
        taken = self.regex.startswith(character, self.at)
        self.at += taken
        return taken


def _literal(character: str) -> _Part:
    return _Part(first=frozenset(character.lower()))
