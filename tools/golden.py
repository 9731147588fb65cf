"""Golden games: one a ruleset, played from a script, with what every seat, the public and the directors see at every step.

    python tools/golden.py            writes tests/golden/*.txt anew
    python tools/golden.py --check    says which would differ, exit 1 if any

A script, tests/golden/NAME.yaml, is a case file; its head comment says what was checked by hand, clause by clause, and is
repeated in the output. A step prints what came into each view (+) and what left it (-); equal lines of several seats stand
in one line. So the views can be read off in full at every step.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from bansha.cases.read import Case, local, read_case  # noqa: E402
from bansha.cases.run import Runner  # noqa: E402
from bansha.sight.types import DIRECTOR, PUBLIC, BallotView, MeView, PublicView, SkillView, View, Viewer  # noqa: E402
from bansha.sight.view import view  # noqa: E402

GOLDEN = ROOT / "tests" / "golden"
FOREVER = 1 << 59


# --- a view as lines ----------------------------------------------------------------------------------------------


def seats(numbers: Iterable[int]) -> str:
    """'1-5 7', '' for none."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(f"{first}-{last}" if last > first else str(first) for first, last in runs)


def clock(minute: int) -> str:
    """'05-11 21:00'; 'never' beyond all time."""
    return local(minute)[5:].replace("T", " ") if 0 < minute < FOREVER else ("never" if minute else "-")


def said(value: Any) -> str:
    """A value in few characters."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {said(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + " ".join(map(said, value)) + "]"
    if isinstance(value, msgspec.Struct):
        return said(msgspec.to_builtins(value))
    return "yes" if value is True else "no" if value is False else "none" if value is None else str(value)


def half(halves: int) -> str:
    """A count that stands in halves."""
    return str(halves // 2) if halves % 2 == 0 else f"{halves / 2}"


def counts(pairs: Iterable[Sequence[int]]) -> str:
    """'5:3 7:2.5'."""
    return " ".join(f"{seat}:{half(halves)}" for seat, halves in pairs) or "nobody"


def rest(thing: msgspec.Struct, done: Iterable[str]) -> Iterator[str]:
    """The fields that have no line of their own, unless empty."""
    for name in thing.__struct_fields__:
        value = getattr(thing, name)
        if name not in done and value not in (0, "", None, False) and value != [] and value != {}:
            yield f"{name} {said(value)}"


def public_lines(p: PublicView) -> Iterator[str]:
    """What everybody sees."""
    yield f"{p.phase} {p.day}, opens {clock(p.opens_at)}, closes {clock(p.closes_at)}, changes until {clock(p.freeze_at)}"
    yield f"alive {seats(p.alive)}" + (f", out {' '.join(map(str, p.out))}" if p.out else "")
    for ballot in p.ballots:
        yield from ballot_lines(ballot)
    for name, pairs in p.last_counts.items():
        yield f"last count, {name}: {counts(pairs)}"
    for seat, cards in p.cards.items():
        if any(cards):
            yield f"cards of {seat}: {cards[0]} blue, {cards[1]} yellow, {cards[2]} red"
    for kind, signed in p.petitions.items():
        yield f"{kind} signed by {seats(signed)}"
    for announced in p.announced:
        yield f"announced {clock(announced.at)} {announced.kind}: {said(announced.value)}"
    for seat, role in p.roles.items():
        yield f"revealed {seat}: {role}, {p.factions.get(seat, '')}"
    done = (
        "now", "ruleset", "hash", "options", "phase", "day", "opens_at", "closes_at", "freeze_at", "personas", "alive", "out",
        "ballots", "last_counts", "cards", "petitions", "announced", "roles", "factions",
    )  # fmt: skip
    yield from rest(p, done)


def ballot_lines(ballot: BallotView) -> Iterator[str]:
    """A ballot: votes in the order in which they came into force."""
    state = "open" if ballot.open else "counted"
    yield f"{ballot.name} {state}: {counts(ballot.counts)}"
    for voter, target in ballot.votes:
        yield f"{ballot.name} {voter} → {target or '弃权'}{' (changed)' if voter in ballot.changed else ''}"


def skill_line(skill: SkillView) -> str:
    """A skill in a hand."""
    parts = [f"{skill.name} {skill.state}{' (' + skill.why + ')' if skill.why and skill.why != skill.state else ''}"]
    if skill.state in ("open", "early", "prompt"):
        parts.append(f"{clock(skill.opens)} to {clock(skill.until)[6:]}")
        if skill.most:
            many = str(skill.most) if skill.least == skill.most else f"{skill.least} or {skill.most}"
            parts.append(f"{many} of {seats(skill.targets)}")
        parts += [f"not {seat}: {why}" for seat, why in skill.why_not.items() if why != "target_out"]
        if skill.forced or not skill.may_pass:
            parts.append("no pass")
    if skill.has_kept:
        kept = "pass" if skill.kept is None else (" ".join(map(str, skill.kept)) or "used")
        parts.append(f"handed in by {skill.kept_by}: {kept}")
    if skill.joint:
        parts.append("with the shot")
    return ", ".join(parts)


def me_lines(me: MeView) -> Iterator[str]:
    """What a seat sees beside the public."""
    yield f"I am {me.role}{', ' + me.faction if me.faction else ''}{', out' if me.out else ''}"
    for other, faction in me.knows.items():
        yield f"knows {other}: {faction}"
    if me.den:
        yield f"den with {seats(me.den)}"
    for skill in me.skills:
        yield skill_line(skill)
    for told in me.told:
        yield f"told {clock(told.at)} {told.skill}: {said(told.value)}{' (a correction)' if told.corrects else ''}"
    if me.prompt:
        yield f"asked {me.prompt} until {clock(me.prompt_until)}" + (f", out tonight {said(me.prompt_outs)}" if me.prompt_outs else "")
    for ballot, target in me.vote.items():
        yield f"my vote, {ballot}: {target or '弃权'}"
    for name in ("may_vote", "may_change"):
        if value := getattr(me, name):
            yield f"{name.replace('_', ' ')}: {' '.join(value)}"
    if me.last_words:
        yield f"last words until {clock(me.last_words_until)}"
    for at, kind, text in me.notices:
        yield f"notice {clock(at)} {kind} {text}".rstrip()
    done = (
        "seat", "role", "faction", "out", "knows", "den", "skills", "told", "prompt", "prompt_until", "prompt_outs", "vote",
        "may_vote", "may_change", "last_words", "last_words_until", "notices",
    )  # fmt: skip
    yield from rest(me, done)


def director_lines(seen: View) -> Iterator[str]:
    """What the directors see beside the public."""
    d = seen.director
    assert d is not None
    yield f"{d.phase}, due {clock(d.due)}"
    for truth in d.seats:
        words = [f"{truth.seat} {truth.role}{', ' + truth.faction if truth.faction else ''}"]
        words.append("" if truth.alive else f"out by {truth.cause}")
        words.append("charmed" if truth.charmed else "")
        words.append(f"den {seats(truth.den)}" if truth.den else "")
        words.append(f"host {truth.host}" if truth.host else "")
        words.append(f"marked {seats(truth.heretics)}" if truth.heretics else "")
        words.append(f"substituted {truth.substituted}" if truth.substituted else "")
        yield ", ".join(word for word in words if word)
    for seat, cause in d.out:
        yield f"out {seat}: {cause}"
    for holder, skill, targets, by in d.pending:
        yield f"pending {skill} of {holder} by {by}: {said(targets) if targets is not None else 'pass'}"
    for name in ("prompts", "awaiting"):
        for item in getattr(d, name):
            yield f"{name} {said(item)}"
    for at, seat, *more in d.proposed:
        yield f"proposed {clock(at)} for {seat}: {' '.join(more)}"
    for at, seat, clause, suspect, ref in d.flagged:
        yield f"flagged {clock(at)} {seat}: {clause} {suspect} in post {ref}"
    for name, effect in d.effects.items():
        if effect not in (0, "", None, False) and effect != [] and effect != {}:
            yield f"effect {name}: {said(effect)}"
    done = (
        "phase", "stage", "limits", "due", "seats", "out", "pending", "prompts", "awaiting", "proposed", "flagged", "effects",
        "undoable", "winner",
    )  # fmt: skip
    yield from rest(d, done)


# --- a game -------------------------------------------------------------------------------------------------------


def lines_of(runner: Runner) -> dict[str, list[str]]:
    """Every viewer's lines now: 'public', '1', …, 'director'.

    Raises:
        ValueError: a seat sees another public than the public does.
    """
    s = runner.state
    everybody = view(s, PUBLIC).public
    found = {"public": list(public_lines(everybody))}
    for seat in range(1, s.n + 1):
        seen = view(s, Viewer("player", seat))
        if seen.public != everybody or seen.me is None:
            raise ValueError(f"seat {seat} sees another public")
        found[str(seat)] = list(me_lines(seen.me))
    found["director"] = list(director_lines(view(s, DIRECTOR)))
    return found


def changes(before: dict[str, list[str]], after: dict[str, list[str]]) -> Iterator[str]:
    """What left and what came, a line for all who see the same."""
    lines: dict[tuple[str, str], dict[str, None]] = {}
    for viewer, now in after.items():
        old = before.get(viewer, [])
        for line in old:
            if line not in now:
                lines.setdefault(("-", line), {})[viewer] = None
        for line in now:
            if line not in old:
                lines.setdefault(("+", line), {})[viewer] = None
    for (sign, line), who_all in lines.items():
        viewers = list(who_all)
        who = seats(map(int, viewers)) if viewers[0].isdigit() else " ".join(viewers)
        yield f"{who:>9} {sign} {line}"


def _source(case: Case, text: list[str]) -> list[str]:
    """The lines of the script by step, on one line each."""
    starts = [step.line for step in case.steps]
    found = []
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(text) + 1
        kept = [line for line in text[start - 1 : end - 1] if line.strip() and not line.strip().startswith(("#", "expect"))]
        found.append(" ".join(line.strip().removeprefix("- ") for line in kept))
    return found


def play(script: Path) -> str:
    """The golden text of a script.

    Raises:
        Failed: an expectation or a refusal of the script does not hold.
    """
    case = read_case(script)
    text = script.read_text(encoding="utf-8").splitlines()
    head = text[: next(i for i, line in enumerate(text) if not line.startswith("#"))]
    out = [*head, "", f"{case.title}: {case.loaded.ruleset.id}, seed {case.seed}", ""]
    runner = Runner(case)
    before = lines_of(runner)
    out.append(f"── the start, {clock(runner.now)}")
    out.extend(changes({}, before))
    for step, source in list(zip(case.steps, _source(case, text), strict=True)):
        case.steps = [step]
        runner.run()
        after = lines_of(runner)
        out.append(f"\n── {step.number}. {source}\n   {clock(runner.now)}")
        out.extend(changes(before, after))
        before = after
    return "\n".join(out) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    differing = []
    for script in sorted(GOLDEN.glob("*.yaml")):
        kept = script.with_suffix(".txt")
        made = play(script)
        if not kept.exists() or kept.read_text(encoding="utf-8") != made:
            differing.append(kept.name)
            if "--check" not in arguments:
                kept.write_text(made, encoding="utf-8")
    print(f"{'would differ' if '--check' in arguments else 'written'}: {', '.join(differing) or 'none'}")
    return 1 if differing and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
