"""Finding in a ruleset file what could not be played: where it stands, what it is, and what would be legal.

The names of functions (verbs, lines, conditions, options) are the referee's; they are handed in as a `Vocabulary`, so
that this room imports nothing of ours. `CODES` lists every kind of fault with its meaning.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from bansha.rulesets import model
from bansha.rulesets.load import Loaded, RulesetError, bundled, load
from bansha.rulesets.model import Condition, Line, Ruleset, Skill, Stage, Text
from bansha.rulesets.phrases import CAUSES, FIELD_KINDS, SECTIONS
from bansha.rulesets.placeholders import PlaceholderError, fill, placeholders
from bansha.rulesets.words import DAY, Words, allows, holders, minutes_of

At = tuple[str | int, ...]

CODES: Final[dict[str, str]] = {
    # the file itself
    "unreadable": "no such file, or it is not UTF-8",
    "not_yaml": "not YAML 1.2, or more than one document",
    "repeated_key": "a key stands twice in one mapping",
    "unknown_key": "a key the schema does not know",
    "missing_key": "a section or field that every ruleset needs",
    "wrong_type": "a value of another type, or a word that is none of the legal ones",
    "inherits": "what the file inherits does not exist, or the chain is a circle",
    # names
    "unknown_verb": "a verb that no function keeps",
    "unknown_line": "a line of settlement or aftermath that no function keeps",
    "unknown_condition": "a condition of victory that no function keeps",
    "unknown_skill": "a skill that is not defined",
    "unknown_role": "a role that is not defined",
    "unknown_faction": "a faction that is not defined",
    "unknown_cause": "a cause of going out that does not exist",
    "unknown_clause": "a conduct clause that is not defined",
    "unknown_option": "an option that no code reads, or a ruling's option the ruleset does not list",
    "unknown_section": "a section that the sheet does not have",
    "unknown_placeholder": "a placeholder that leads nowhere",
    "unknown_reference": "a clause id in a text that is not defined",
    # skills
    "skill_unplaced": "a skill that nothing ever brings into play",
    "skill_misplaced": "a skill at a place where its verb does nothing",
    "skill_unheld": "a skill that no role holds and nothing gives",
    "never_usable": "a skill that can never be used",
    "contradiction": "flags of a skill that cannot all hold",
    "verb_needs": "a field that the skill's verb cannot do without",
    "effect_unread": "a mark, a strike or a shield that no line reads",
    "line_verb": "a skill at a place that wants another verb",
    "excludes_itself": "a skill that excludes itself",
    "excludes_one_sided": "one skill excludes another, which does not exclude it",
    "pack": "a pack skill of a faction without a den",
    "repeated": "a name that stands twice where once is meant",
    # order and time
    "stage_empty": "a stage without skills",
    "line_incomplete": "a line without the skill or role it needs",
    "window_shape": "a window that is not two minutes, the first before the second",
    "window_outside": "a window that ends after the next opening",
    "window_order": "a stage that ends before an earlier one begins",
    "window_after": "`after` and `without` that do not go together",
    "clock": "a time that is not HH:MM, or a close before the opening",
    "number": "a number outside its sense",
    "date": "a date that is not YYYY-MM-DD",
    # victory
    "role_homeless": "a role without a faction and without a skill that joins one",
    "faction_empty": "a faction nobody can be in",
    "unreachable": "a condition that can never be met, or is met from the start",
    "victory_missing": "a faction without conditions",
    "victory_order": "an order of precedence that is not the list of factions",
    "badge": "sheriff, election and handover that do not go together",
    # texts
    "text_missing": "a text or a translation that is not written",
    "text_untranslated": "a Chinese text without Chinese, or the same text for both languages",
    "text_digits": "a figure in a text, where a placeholder should stand",
    "duplicate_name": "two roles, factions, or skills of one hand with the same name",
    "unsafe_name": "a name that a vote post or BBCode would trip over",
    # conduct, options, sections
    "attendance": "a figure without its clause, or a clause without its figure",
    "colours": "a clause without a colour, or with one twice",
    "pattern": "a pattern that is not allowed",
    "pattern_misses": "patterns none of which matches the clause's own example",
    "option_value": "a value of an option that is not among the legal ones",
    "section_empty": "a section without content that is not declared empty",
    "section_filled": "a section with content that is declared empty",
}


@dataclass(frozen=True)
class Vocabulary:
    """The names that functions stand behind.

    `options` gives the legal values of each option ("off|N": off or a number); `pattern_check` says why a regular
    expression is not allowed, or None when it is.
    """

    verbs: frozenset[str]
    settlement: frozenset[str]
    aftermath: frozenset[str]
    conditions: frozenset[str]
    options: Mapping[str, frozenset[str]]
    pattern_check: Callable[[str], str | None]


@dataclass(frozen=True, order=True)
class Fault:
    """One fault: `file`, 1-based `line`, its `code` (a key of CODES), `what` was found and how to mend it (`remedy`)."""

    file: str
    line: int
    code: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.code}: {self.what}; {self.remedy}"


def lint(loaded: Loaded, vocabulary: Vocabulary) -> list[Fault]:
    """All faults of a ruleset that could be loaded, in the order of the file."""
    return sorted(set(_Lint(loaded, vocabulary).run()))


def lint_file(path: Path, vocabulary: Vocabulary) -> list[Fault]:
    """All faults of a file; one that cannot be loaded has that one fault."""
    try:
        return lint(load(str(path)), vocabulary)
    except RulesetError as error:
        what, _, remedy = error.what.partition("; ")
        return [Fault(error.file, error.line, _load_code(error.what), what, remedy or _load_remedy(error.what))]


_LOAD_CODES: Final = (
    (r"stands twice", "repeated_key"),
    (r"unknown field", "unknown_key"),
    (r"missing required field", "missing_key"),
    (r"inherits itself|no ruleset", "inherits"),
    (r"cannot be read", "unreadable"),
    (r"not YAML|file is empty|alias|nested too deeply|plain word", "not_yaml"),
)


def _load_code(what: str) -> str:
    return next((code for pattern, code in _LOAD_CODES if re.search(pattern, what)), "wrong_type")


def _load_remedy(what: str) -> str:
    field = re.search(r"unknown field `(.+?)`", what)
    if field:
        structs = [kind for kind in vars(model).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
        known = sorted({name for struct in structs for name in struct.__struct_fields__})
        near = difflib.get_close_matches(field.group(1), known, 1)
        return f"perhaps {near[0]} is meant" if near else "take it out; docs/writing-a-ruleset.md names every key"
    return "docs/writing-a-ruleset.md names every key and its type"


# ── faults planted on purpose ────────────────────────────────────────────────────────────────────────────────────────

_MARK: Final = re.compile(r"#\s*fault:\s*(\w+)\s*$")


def planted(path: Path) -> list[tuple[int, str]]:
    """The marks ``# fault: CODE`` of a file: (line, code)."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = _MARK.search(line)
        if match:
            found.append((number, match.group(1)))
    return found


def lint_faults(folder: Path, vocabulary: Vocabulary) -> tuple[str, bool]:
    """Lint a folder of files that plant one fault each, marked on its line by ``# fault: CODE``.

    Returns the line `N faults, N found at their line, 0 false on 5 rulesets`, and whether all is as it should be. False
    are faults on the bundled rulesets, and faults of a planted file beyond the one it plants.
    """
    own: dict[str, list[Fault]] = {}
    rulesets = bundled()
    for id in rulesets:
        own[id] = lint(load(id), vocabulary)
    known = {fault for faults in own.values() for fault in faults}
    false = sum(len(faults) for faults in own.values())
    marks = found = 0
    for path in sorted(folder.glob("*.yaml")):
        faults = [fault for fault in lint_file(path, vocabulary) if fault not in known]
        for line, code in planted(path):
            marks += 1
            hit = next((f for f in faults if (f.file, f.line, f.code) == (str(path), line, code)), None)
            if hit is not None:
                found += 1
                faults.remove(hit)
        false += len(faults)
    summary = f"{marks} faults, {found} found at their line, {false} false on {len(rulesets)} rulesets"
    return summary, marks > 0 and found == marks and false == 0


# ── what goes with what ──────────────────────────────────────────────────────────────────────────────────────────────

# Verbs that are not executed at a stage, and the kind of place that brings them into play.
_PASSIVE: Final[dict[str, str]] = {
    "steadfast": "immune",
    "sanctity": "reveal",
    "execution": "executions",
    "play_dumb": "play_dumb",
    "last_shot": "last_shot",
    "handover": "handover",
}
# Fields a verb cannot do without.
_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "join": ("joins",),
    "order": ("orders",),
    "fog": ("takes",),
    "vision": ("shows",),
    "read_some": ("draws",),
    "curse": ("amount",),
    "sanctity": ("reveals",),
    "execution": ("counts", "gains"),
}
# The verbs that a place wants; a verb that is in none of these tables fits anywhere.
_LINE_VERBS: Final[dict[tuple[str, str], frozenset[str]]] = {
    ("attack", "skill"): frozenset({"attack"}),
    ("attack", "voided_by"): frozenset({"mark"}),
    ("strikes", "skills"): frozenset({"attack"}),
    ("strikes", "immune"): frozenset({"mark", "holy_light", "steadfast"}),
    ("strikes", "moved_by"): frozenset({"counter"}),
    ("strikes", "absorbed_by"): frozenset({"torch", "ward"}),
    ("doomed", "skill"): frozenset({"holy_light"}),
    ("reveal", "skill"): frozenset({"sanctity"}),
    ("executions", "skill"): frozenset({"execution"}),
    ("play_dumb", "skill"): frozenset({"play_dumb"}),
    ("last_shot", "skill"): frozenset({"last_shot"}),
    ("handover", "skill"): frozenset({"handover"}),
    ("inherit", "skill"): frozenset({"join"}),
}
_KNOWN_VERBS: Final = frozenset().union(*_LINE_VERBS.values(), _PASSIVE, _NEEDS) | {"read", "charm", "freeze", "swap", "heretics"}
# Fields a line cannot do without.
_LINE_NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "attack": ("skill",),
    "strikes": ("skills",),
    "doomed": ("skill",),
    "reveal": ("skill",),
    "executions": ("skill",),
    "play_dumb": ("skill",),
    "last_shot": ("skill",),
    "pass_on": ("skill", "role"),
    "inherit": ("skill",),
    "handover": ("skill",),
}
_PROMPTS: Final = frozenset({"play_dumb", "last_shot", "handover"})
_CONDITION_NEEDS: Final[dict[str, str]] = {
    "roles_out": "roles",
    "role_charmed": "roles",
    "all_charmed": "factions",
    "factions_out": "factions",
    "alive_exactly": "count",
    "survives_exile": "day",
    "marked_out": "skill",
}
# Sections that may be empty, and what is their content; clauses of a section count as content too.
_CONTENT: Final[dict[str, Callable[[Ruleset], object]]] = {
    "setup": lambda rules: rules.setup,
    "night": lambda rules: rules.night,
    "settlement": lambda rules: rules.settlement,
    "aftermath": lambda rules: rules.aftermath,
    "badge": lambda rules: rules.badge,
    "petitions": lambda rules: rules.petitions.kinds,
    "surrender": lambda rules: rules.surrender,
    "attendance": lambda rules: [v for v in msgspec.structs.astuple(rules.attendance) if v],
    "conduct": lambda rules: rules.conduct,
    "rewards": lambda rules: rules.rewards,
    "etiquette": lambda rules: rules.etiquette,
    "rulings": lambda rules: rules.rulings,
    "left_overs": lambda rules: rules.left_overs,
    "revisions": lambda rules: rules.revisions,
    "options": lambda rules: rules.options,
}
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z]")
_UNSAFE: Final = re.compile(r"投票对象|投票理由|改票对象|改票理由|弃权|[\r\n\[\]{}<>\u2028\u2029]")
_UNSAFE_SHORT: Final = re.compile(r"[()（）【】「」]")
# Verbs that name nobody; those of them that are passive, and all automatic skills, cannot be passed.
_BARE: Final = frozenset({"order", "fog", "vision", "ward", "steadfast", "sanctity", "execution", "play_dumb"})
_STANDING: Final = frozenset({"steadfast", "sanctity", "execution"})
# Options that overrule a setting of the file.
_OVERRULED: Final[dict[str, tuple[str, str]]] = {"first": ("calendar", "start"), "tie": ("ballots", "exile_tie")}
_TARGET_FLAGS: Final = ("other", "not_consecutive", "once_per_target", "adjacent", "self_only_first_night")
# What may stand in a text as a figure: clause ids, and what is quoted by a placeholder.
_CITED: Final = re.compile(r"(?<![A-Za-z])[A-Z]\d+(?:[–-][A-Z]?\d+)?")


def _near(name: str, legal: Iterable[str]) -> str:
    """A remedy: the nearest legal name, and the list."""
    names = list(legal)
    near = difflib.get_close_matches(name, names, 1, 0.6)
    listed = ", ".join(names[:30]) + (", …" if len(names) > 30 else "") or "none"
    return f"perhaps {near[0]}? legal are: {listed}" if near else f"legal are: {listed}"


class _Lint:
    """One run over one ruleset."""

    def __init__(self, loaded: Loaded, vocabulary: Vocabulary) -> None:
        self.loaded = loaded
        self.rules = loaded.ruleset
        self.vocabulary = vocabulary
        self.found: list[Fault] = []
        ids = sorted((id for id in self.rules.conduct if re.search(r"\d", id)), key=len, reverse=True)
        # conduct clauses with a number for a name; \b\B matches nowhere
        self.numbered = re.compile(rf"(?<![\d.])(?:{'|'.join(map(re.escape, ids)) or chr(92) + 'b' + chr(92) + 'B'})(?![\d.])")

    def run(self) -> list[Fault]:
        """All checks."""
        for check in (
            self.names,
            self.roles,
            self.skills,
            self.places,
            self.night,
            self.lines,
            self.victory,
            self.badge,
            self.numbers,
            self.options,
            self.conduct,
            self.sections,
            self.texts,
            self.display_names,
        ):
            check()
        return self.found

    def fault(self, at: At, code: str, what: str, remedy: str) -> None:
        """Note a fault where the value at `at` is written."""
        assert code in CODES, code
        file, line = self.loaded.place(at)
        self.found.append(Fault(file, line, code, what, remedy))

    # names

    def references(self) -> Iterator[tuple[At, str, str]]:
        """Every name a ruleset uses: where, of which kind (skills, roles, factions, …), and the name."""
        rules = self.rules
        for id, role in rules.roles.items():
            if role.faction:
                yield ("roles", id, "faction"), "factions", role.faction
            yield from _each(("roles", id, "skills"), "skills", role.skills)
        for id, skill in rules.skills.items():
            yield from self._skill_references(id, skill)
        yield from _each(("setup",), "skills", rules.setup)
        for index, stage in enumerate(rules.night):
            yield from _each(("night", index, "stage"), "skills", stage.stage)
            if stage.after:
                yield ("night", index, "after"), "skills", stage.after
        for part, lines in (("settlement", rules.settlement), ("aftermath", rules.aftermath)):
            for index, line in enumerate(lines):
                at: At = (part, index)
                for field in ("skill", "moved_by"):
                    if getattr(line, field):
                        yield (*at, field), "skills", getattr(line, field)
                for field in ("skills", "voided_by", "immune", "absorbed_by"):
                    yield from _each((*at, field), "skills", getattr(line, field))
                if line.role:
                    yield (*at, "role"), "roles", line.role
        yield from _each(("victory", "order"), "factions", rules.victory.order)
        for faction in rules.victory.factions:
            yield ("victory", "factions", faction), "factions", faction
        for at, _, condition in self.conditions():
            yield from _each((*at, "roles"), "roles", condition.roles)
            yield from _each((*at, "factions"), "factions", condition.factions)
            if condition.skill:
                yield (*at, "skill"), "skills", condition.skill
        if rules.surrender:
            yield ("surrender", "faction"), "factions", rules.surrender.faction
        for name in ("posts_clause", "streak_clause", "vote_clause", "silence_clause"):
            clause = getattr(rules.attendance, name)
            if clause:
                yield ("attendance", name), "conduct", clause

    def _skill_references(self, id: str, skill: Skill) -> Iterator[tuple[At, str, str]]:
        at: At = ("skills", id)
        for field, kind in FIELD_KINDS.items():
            value = getattr(skill, field)
            if isinstance(value, list):
                yield from _each((*at, field), kind, value)
            elif value:
                yield (*at, field), kind, value
        for count, gain in skill.gains.items():
            yield (*at, "gains", count), "skills", gain
        yield from _each((*at, "not_after"), "causes", skill.not_after)
        for faction, opposite in skill.opposing.items():
            yield (*at, "opposing", faction), "factions", faction
            if opposite not in self.rules.options:
                yield (*at, "opposing", faction), "factions", opposite

    def names(self) -> None:
        """Names that nothing stands behind."""
        rules, vocabulary = self.rules, self.vocabulary
        legal: dict[str, tuple[str, Iterable[str]]] = {
            "skills": ("unknown_skill", rules.skills),
            "roles": ("unknown_role", rules.roles),
            "factions": ("unknown_faction", rules.factions),
            "conduct": ("unknown_clause", rules.conduct),
            "causes": ("unknown_cause", [*CAUSES, *rules.skills]),
        }
        for at, kind, name in self.references():
            code, known = legal[kind]
            if name not in known:
                self.fault(at, code, f"{_dotted(at)} names {name!r}, which does not exist", _near(name, known))
        for id, skill in rules.skills.items():
            if skill.verb not in vocabulary.verbs:
                remedy = _near(skill.verb, sorted(vocabulary.verbs))
                self.fault(("skills", id, "verb"), "unknown_verb", f"the verb {skill.verb!r} of {id}", remedy)
        for part, lines, functions in (
            ("settlement", rules.settlement, vocabulary.settlement),
            ("aftermath", rules.aftermath, vocabulary.aftermath),
        ):
            for index, line in enumerate(lines):
                if line.line not in functions:
                    at = (part, index, "line")
                    self.fault(at, "unknown_line", f"the line {line.line!r}", _near(line.line, sorted(functions)))
        for at, _, condition in self.conditions():
            if condition.when not in vocabulary.conditions:
                remedy = _near(condition.when, sorted(vocabulary.conditions))
                self.fault((*at, "when"), "unknown_condition", f"the condition {condition.when!r}", remedy)
        repeats: list[tuple[At, Sequence[str]]] = [(("setup",), rules.setup), (("victory", "order"), rules.victory.order)]
        repeats += [(("roles", id, "skills"), role.skills) for id, role in rules.roles.items()]
        repeats += [(("declared_empty",), rules.declared_empty)]
        for where, names in repeats:
            for name, count in Counter(names).items():
                if count > 1:
                    index = len(names) - 1 - list(names)[::-1].index(name)
                    self.fault((*where, index), "repeated", f"{name!r} stands {count} times", "keep it once")
        staged = [(("night", n, "stage", k), id) for n, s in enumerate(rules.night) for k, id in enumerate(s.stage)]
        seen: set[str] = set()
        for where, id in staged:
            if id in seen:
                self.fault(where, "repeated", f"the skill {id!r} stands in two places of the night", "keep one")
            seen.add(id)

    def conditions(self) -> Iterator[tuple[At, str, Condition]]:
        """Every condition: where it stands, whose it is."""
        for faction, ends in self.rules.victory.factions.items():
            for kind, conditions in (("wins", ends.wins), ("lost", ends.lost)):
                for index, condition in enumerate(conditions):
                    yield ("victory", "factions", faction, kind, index), faction, condition

    # roles and skills

    def roles(self) -> None:
        """Roles without a side, factions without roles."""
        for id, role in self.rules.roles.items():
            joins = any(s in self.rules.skills and self.rules.skills[s].verb == "join" for s in role.skills)
            if not role.faction and not joins:
                remedy = "name its faction, or give it a skill with the verb join"
                self.fault(("roles", id), "role_homeless", f"the role {id!r} belongs to no faction", remedy)

    def gained(self) -> set[str]:
        """Skills that something gives: a count, another skill, an office."""
        rules = self.rules
        given = {gain for skill in rules.skills.values() for gain in skill.gains.values()}
        given |= {skill.becomes for skill in rules.skills.values() if skill.becomes}
        return given | {line.skill for line in rules.aftermath if line.line == "handover"}

    def skills(self) -> None:
        """Flags that contradict each other, fields a verb needs, skills nobody holds or nobody can use."""
        rules = self.rules
        held = {name for role in rules.roles.values() for name in role.skills}
        given = self.gained()
        for id, skill in rules.skills.items():
            at: At = ("skills", id)
            if id not in held | given:
                remedy = "put it in a role's skills, or let another skill give it (gains, becomes)"
                self.fault(at, "skill_unheld", f"no role holds {id!r} and nothing gives it", remedy)
            elif id not in given and not any(rules.roles[role].count > 0 for role in holders(rules, id)):
                self.fault(at, "never_usable", f"{id!r} is held by roles with count 0 only", "deal such a role")
            if skill.nights == "first" and id not in held and id in given:
                remedy = "let a role hold it from the start, or drop nights: first"
                self.fault((*at, "nights"), "never_usable", f"{id!r} is gained later, but good on night one only", remedy)
            self._relations(id, skill)
            self._flags(id, skill)

    def _relations(self, id: str, skill: Skill) -> None:
        rules = self.rules
        at: At = ("skills", id)
        for index, other in enumerate(skill.excludes):
            where = (*at, "excludes", index)
            if other == id:
                self.fault(where, "excludes_itself", f"{id!r} excludes itself, so it can never be used", "take it out")
            elif other in rules.skills and id not in rules.skills[other].excludes:
                remedy = f"add {id} to excludes of {other}"
                self.fault(where, "excludes_one_sided", f"{id!r} excludes {other!r}, but not the other way round", remedy)
        if skill.pack in rules.factions and rules.factions[skill.pack].acquaint != "den":
            remedy = f"give {skill.pack} acquaint: den, or drop pack"
            self.fault((*at, "pack"), "pack", f"{id!r} is a pack skill, but {skill.pack} has no den", remedy)
        if skill.joins == "opposing":
            for faction in rules.factions:
                if faction not in skill.opposing:
                    remedy = "add it to opposing"
                    self.fault((*at, "opposing"), "verb_needs", f"{id!r} does not say what opposes {faction!r}", remedy)
            for faction, opposite in skill.opposing.items():
                option = rules.options.get(opposite)
                bad = [value for value in option.values if value not in rules.factions] if option else []
                if opposite not in rules.factions and bad:
                    remedy = f"its values must be factions: {', '.join(rules.factions)}"
                    what = f"option {opposite} decides what opposes {faction}, but {bad[0]!r} is no faction"
                    self.fault((*at, "opposing", faction), "unknown_faction", what, remedy)

    def _flags(self, id: str, skill: Skill) -> None:
        at: At = ("skills", id)
        for field in _NEEDS.get(skill.verb, ()):
            if not getattr(skill, field):
                what = f"the verb {skill.verb} of {id!r} needs `{field}`"
                self.fault((*at, field) if self.written((*at, field)) else (*at, "verb"), "verb_needs", what, f"add {field}")
        wanted = {"swap": 2, "read_some": 2}.get(skill.verb, 0)
        if skill.verb == "swap" and skill.targets != 2:
            self.fault((*at, "targets"), "verb_needs", f"{id!r} exchanges two, but has targets: {skill.targets}", "write targets: 2")
        elif skill.targets < wanted:
            self.fault((*at, "targets"), "verb_needs", f"{id!r} draws among targets, but has {skill.targets}", "write more targets")
        if skill.targets < 0 or skill.amount < 0 or skill.draws < 0:
            field = next(f for f in ("targets", "amount", "draws") if getattr(skill, f) < 0)
            self.fault((*at, field), "number", f"{field}: {getattr(skill, field)}", "write 0 or more")
        if skill.targets > self.rules.seats:
            what = f"{id!r} names {skill.targets} characters, there are {self.rules.seats}"
            self.fault((*at, "targets"), "never_usable", what, "write fewer targets")
        clashes: list[tuple[str, str, str]] = []
        if not skill.targets and not skill.share:
            clashes += [
                (flag, f"{flag}, but no target", f"drop {flag}, or write targets") for flag in _TARGET_FLAGS if getattr(skill, flag)
            ]
        if skill.verb in _BARE and skill.targets > 0:
            clashes.append(("targets", f"the verb {skill.verb} names nobody", "write targets: 0"))
        if (skill.automatic or skill.verb in _STANDING) and not skill.forced:
            field = "forced" if self.written((*at, "forced")) else "automatic" if skill.automatic else "verb"
            clashes.append((field, "works by itself, so it cannot be passed", "write forced: true"))
        if skill.verb == "vision" and len(skill.shows) > 1 and not skill.order:
            self.fault((*at, "shows"), "verb_needs", f"{id!r} shows several attacks, in which order?", "add order: made or seat")
        if skill.other and skill.self_only_first_night:
            clashes.append(("self_only_first_night", "never oneself, and oneself on night one", "drop one of the two"))
        if skill.adjacent and 0 < skill.targets < 2:
            clashes.append(("adjacent", "consecutive seats, but one target", "write targets: 2 or more"))
        if skill.draws > max(skill.targets, 0):
            clashes.append(("draws", f"{skill.draws} drawn of {skill.targets}", "draw at most as many as are named"))
        for field, what, remedy in clashes:
            self.fault((*at, field), "contradiction", f"{id!r}: {what}", remedy)

    def written(self, at: At) -> bool:
        """Whether the value at `at` is written in a file."""
        return at in self.loaded.places

    def places(self) -> None:
        """Skills that nothing brings into play, or that stand where their verb does nothing; effects nobody reads."""
        rules = self.rules
        staged = {name for stage in rules.night for name in stage.stage}
        prepared = set(rules.setup)
        after = {(line.line, line.skill) for line in rules.aftermath}
        immune = {name for line in rules.settlement for name in line.immune}
        for id, skill in rules.skills.items():
            at: At = ("skills", id)
            kind = _PASSIVE.get(skill.verb)
            if kind is None:
                if id not in staged | prepared:
                    remedy = "put it in a stage of the night, or in setup"
                    self.fault(at, "skill_unplaced", f"{id!r} stands in no stage and not in setup", remedy)
            elif not ((kind, id) in after or (kind == "immune" and id in immune)):
                spot = "immune of a settlement line" if kind == "immune" else f"a line {kind} of the aftermath"
                what = f"{id!r} ({skill.verb}) is brought into play by nothing"
                self.fault(at, "skill_unplaced", what, f"name it in {spot}")
            if kind is not None:
                for where, names in self._lists():
                    for index, name in enumerate(names):
                        if name == id:
                            remedy = "take it out here"
                            what = f"{id!r} ({skill.verb}) does nothing at this place"
                            self.fault((*where, index), "skill_misplaced", what, remedy)
            self._effect(id, skill)

    def _lists(self) -> Iterator[tuple[At, Sequence[str]]]:
        yield ("setup",), self.rules.setup
        for index, stage in enumerate(self.rules.night):
            yield ("night", index, "stage"), stage.stage

    def _effect(self, id: str, skill: Skill) -> None:
        """Whether a line reads what a skill leaves."""
        rules = self.rules
        lines = rules.settlement
        fields: dict[str, tuple[str, ...]] = {
            "mark": ("voided_by", "immune"),
            "holy_light": ("immune",),
            "torch": ("absorbed_by",),
            "ward": ("absorbed_by",),
        }
        read = any(id in getattr(line, field) for line in lines for field in fields.get(skill.verb, ()))
        remedy = f"name it in {' or '.join(fields.get(skill.verb, ()))} of a settlement line"
        if skill.verb == "mark":
            read = read or any(id in other.blocked_by for other in rules.skills.values())
            remedy += ", or in blocked_by of a skill"
        elif skill.verb == "counter":
            read = any(line.moved_by == id for line in lines)
            remedy = "name it in moved_by of a settlement line"
        elif skill.verb == "attack":
            read = any(line.skill == id or id in line.skills for line in lines)
            read = read or any(id in other.shows for other in rules.skills.values())
            remedy = "give it a line of the settlement, or let a vision show it"
        elif skill.verb not in fields:
            read = True
        if not read:
            self.fault(("skills", id), "effect_unread", f"nothing reads what {id!r} ({skill.verb}) leaves", remedy)
        if skill.dooms and not any(line.line == "doomed" and line.skill == id for line in lines):
            what = f"{id!r} dooms, but no line takes the doomed out"
            self.fault(("skills", id, "dooms"), "effect_unread", what, f"add {{line: doomed, skill: {id}}} to the settlement")
        for index, mark in enumerate(skill.blocked_by):
            if mark in rules.skills and rules.skills[mark].verb in _KNOWN_VERBS - {"mark"}:
                what = f"{mark!r} is {rules.skills[mark].verb}, not a mark"
                self.fault(("skills", id, "blocked_by", index), "line_verb", what, "name a skill with the verb mark")
        if skill.counts in rules.skills and rules.skills[skill.counts].verb in _KNOWN_VERBS - {"heretics"}:
            what = f"{skill.counts!r} is {rules.skills[skill.counts].verb}, it chooses nobody to count"
            self.fault(("skills", id, "counts"), "line_verb", what, "name a skill with the verb heretics")

    # the night

    def night(self) -> None:
        """Stages and their windows."""
        calendar = self.rules.calendar
        opens, closes = minutes_of(calendar.opens), minutes_of(calendar.closes)
        length = (opens - closes) % DAY or DAY
        for index, stage in enumerate(self.rules.night):
            at: At = ("night", index)
            if not stage.stage:
                self.fault(at, "stage_empty", f"stage {index + 1} has no skill", "name its skills or take it out")
            self._window((*at, "window"), stage.window, length)
            skills = [self.rules.skills[id] for id in stage.stage if id in self.rules.skills]
            if skills and all(skill.automatic for skill in skills) and stage.window[:1] != [0]:
                what = f"stage {index + 1} works by itself, nobody hands anything in"
                self.fault((*at, "window"), "window_shape", what, "let its window begin at 0")
            if stage.without:
                self._window((*at, "without"), stage.without, length)
            if bool(stage.after) != bool(stage.without):
                missing, there = ("without", "after") if stage.after else ("after", "without")
                self.fault((*at, there), "window_after", f"`{there}` without `{missing}`", f"add {missing}, or drop {there}")
            self._after(index, stage)
            for earlier in self.rules.night[:index]:
                if len(earlier.window) == len(stage.window) == 2 and stage.window[1] < earlier.window[0]:
                    what = f"stage {index + 1} ends at {stage.window[1]}, before an earlier one begins at {earlier.window[0]}"
                    self.fault((*at, "window"), "window_order", what, "move the stage up, or its window later")
                    break

    def _window(self, at: At, window: Sequence[int], length: int) -> None:
        said = f"{at[-1]}: {list(window)}"
        if len(window) != 2 or window[0] < 0 or window[0] >= window[1]:
            remedy = "write two minutes after the close, the first smaller: [0, 30]"
            self.fault(at, "window_shape", said, remedy)
        elif window[1] > length:
            remedy = f"end at {length} at the latest, when the next day opens"
            self.fault(at, "window_outside", f"{said} ends after the next opening", remedy)

    def _after(self, index: int, stage: Stage) -> None:
        if not stage.after or stage.after not in self.rules.skills:
            return
        reached = {name for earlier in self.rules.night[: index + 1] for name in earlier.stage}
        if stage.after not in reached:
            remedy = "name a skill of this stage or an earlier one"
            what = f"the window opens after {stage.after!r}, which comes later"
            self.fault(("night", index, "after"), "window_after", what, remedy)

    # settlement and aftermath

    def lines(self) -> None:
        """Lines that lack what they need, or name skills of another verb."""
        rules = self.rules
        for part, lines in (("settlement", rules.settlement), ("aftermath", rules.aftermath)):
            for index, line in enumerate(lines):
                at: At = (part, index)
                for field in _LINE_NEEDS.get(line.line, ()):
                    if not getattr(line, field):
                        self.fault(at, "line_incomplete", f"the line {line.line} has no {field}", f"add {field}")
                self._line_verbs(at, line)
                doomer = rules.skills.get(line.skill)
                if line.line == "doomed" and doomer is not None and not doomer.dooms:
                    what = f"the line takes out whom {line.skill!r} dooms, but it dooms nobody"
                    self.fault((*at, "skill"), "line_incomplete", what, f"give {line.skill} dooms, or drop the line")
                if line.line in _PROMPTS and not (line.dusk or line.dawn):
                    what = f"the line {line.line} gives no time"
                    self.fault(at, "line_incomplete", what, "add dusk and dawn, in minutes")
                for field in ("dusk", "dawn"):
                    if getattr(line, field) < 0:
                        self.fault((*at, field), "number", f"{field}: {getattr(line, field)}", "write 0 or more minutes")

    def _line_verbs(self, at: At, line: Line) -> None:
        for (kind, field), wanted in _LINE_VERBS.items():
            if kind != line.line:
                continue
            value = getattr(line, field)
            names = value if isinstance(value, list) else [value] if value else []
            for index, name in enumerate(names):
                skill = self.rules.skills.get(name)
                if skill is not None and skill.verb in _KNOWN_VERBS and skill.verb not in wanted:
                    where = (*at, field, index) if isinstance(value, list) else (*at, field)
                    what = f"{field} of {kind} wants the verb {' or '.join(sorted(wanted))}; {name!r} has {skill.verb}"
                    self.fault(where, "line_verb", what, "name a skill with such a verb")

    # victory

    def peopled(self) -> set[str]:
        """Factions that somebody can be in."""
        rules = self.rules
        inside = {role.faction for role in rules.roles.values() if role.count > 0 and role.faction}
        for skill in rules.skills.values():
            for opposite in skill.opposing.values():
                option = rules.options.get(opposite)
                inside |= set(option.values) if option and opposite not in rules.factions else {opposite}
        return inside & set(rules.factions)

    def victory(self) -> None:
        """Conditions that cannot be met, factions left out."""
        rules = self.rules
        peopled = self.peopled()
        for faction in rules.factions:
            if faction not in rules.victory.factions:
                what = f"the faction {faction!r} has no conditions"
                self.fault(("victory", "factions"), "victory_missing", what, f"add {faction} with wins or lost")
            if faction not in rules.victory.order:
                remedy = "name every faction once"
                self.fault(("victory", "order"), "victory_order", f"{faction!r} is missing in the order", remedy)
            if faction not in peopled:
                used = [("victory", "factions", faction)] if faction in rules.victory.factions else [("factions", faction)]
                remedy = "deal a role of it, or take it out"
                self.fault(used[0], "faction_empty", f"nobody can be in {faction!r}", remedy)
        for at, faction, condition in self.conditions():
            for what, remedy in self._unreachable(faction, condition):
                self.fault(at, "unreachable", f"{condition.when}: {what}", remedy)

    def _unreachable(self, faction: str, condition: Condition) -> Iterator[tuple[str, str]]:
        rules = self.rules
        need = _CONDITION_NEEDS.get(condition.when)
        if need and not getattr(condition, need):
            yield f"no {need}", f"add {need}"
            return
        for role in condition.roles:
            if role in rules.roles and rules.roles[role].count <= 0:
                yield f"nobody is dealt the role {role!r}", "deal one, or take it out"
        if faction in condition.factions and condition.when == "factions_out":
            yield f"{faction!r} would have to be out itself", "take it out of factions"
        if condition.when == "alive_exactly" and not 1 <= condition.count <= rules.seats:
            yield f"{condition.count} of {rules.seats} seats", f"write a number from 1 to {rules.seats}"
        if condition.when == "survives_exile":
            if condition.day < 1:
                yield f"there is no day {condition.day}", "write 1 or more"
            if "exile" not in (*rules.ballots.first_day, *rules.ballots.later):
                yield "there is no exile", "add an exile ballot"
        charms = any(skill.verb == "charm" for skill in rules.skills.values())
        if condition.when in ("role_charmed", "all_charmed", "faction_charmed") and not charms:
            yield "no skill charms", "add a skill with the verb charm"
        marker = rules.skills.get(condition.skill)
        if condition.when == "marked_out" and marker and marker.verb in _KNOWN_VERBS - {"heretics"}:
            yield f"{condition.skill!r} is {marker.verb}, it chooses nobody", "name a skill with the verb heretics"

    # badge, numbers

    def badge(self) -> None:
        """Sheriff, election, handover."""
        rules = self.rules
        elects = "election" in (*rules.ballots.first_day, *rules.ballots.later)
        handover = [index for index, line in enumerate(rules.aftermath) if line.line == "handover"]
        if elects and rules.badge is None:
            self.fault(("ballots",), "badge", "a sheriff is elected, but there is no badge", "add badge, or drop the election")
        if rules.badge is not None:
            if not elects:
                self.fault(("badge",), "badge", "there is a badge, but no election", "add an election to ballots, or drop it")
            if not handover:
                self.fault(("badge",), "badge", "nothing hands the badge over", "add {line: handover, …} to the aftermath")
        else:
            if rules.ballots.exile_tie == "sheriff_vote":
                self.fault(("ballots", "exile_tie"), "badge", "a tie is broken by a sheriff who is not there", "add badge")
            for index in handover:
                self.fault(("aftermath", index), "badge", "a handover without a badge", "add badge, or drop the line")

    def numbers(self) -> None:
        """Figures outside their sense."""
        rules = self.rules
        calendar = rules.calendar
        for name in ("opens", "closes"):
            value = getattr(calendar, name)
            if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value):
                self.fault(("calendar", name), "clock", f"{name}: {value!r}", 'write a time of day as "HH:MM"')
        if minutes_of(calendar.closes) <= minutes_of(calendar.opens):
            what = f"the close at {calendar.closes} is not after the opening at {calendar.opens}"
            self.fault(("calendar", "closes"), "clock", what, "let the day close later than it opens")
        least: dict[At, tuple[float, float]] = {
            ("calendar", "setup_minutes"): (calendar.setup_minutes, 0),
            ("calendar", "first_day"): (calendar.first_day, 1),
            ("calendar", "later_days"): (calendar.later_days, 1),
            ("ballots", "changes"): (rules.ballots.changes, 0),
            ("ballots", "freeze_minutes"): (rules.ballots.freeze_minutes, 0),
            ("petitions", "closing_minutes"): (rules.petitions.closing_minutes, 0),
            ("last_words", "count"): (rules.last_words.count, 0),
            ("last_words", "least_minutes"): (rules.last_words.least_minutes, 0),
            ("substitutes", "times"): (rules.substitutes.times, 0),
            ("assistants", "games"): (rules.assistants.games, 0),
            ("cards", "blue_per_yellow"): (rules.cards.blue_per_yellow, 1),
            ("cards", "yellow_per_red"): (rules.cards.yellow_per_red, 1),
            ("cards", "faction_lost_at"): (rules.cards.faction_lost_at, 0),
        }
        if rules.badge is not None:
            least["badge", "weight"] = (rules.badge.weight, 0)
            if rules.badge.weight * 2 != int(rules.badge.weight * 2):
                self.fault(("badge", "weight"), "number", f"weight: {rules.badge.weight}", "write a whole or half number")
        least |= {("roles", id, "count"): (role.count, 0) for id, role in rules.roles.items()}
        for at, (value, floor) in least.items():
            if value < floor:
                self.fault(at, "number", f"{_dotted(at)}: {value}", f"write {floor:g} or more")
        if rules.seats < 2:
            self.fault(("roles",), "number", f"{rules.seats} seats", "deal at least two roles")
        for index, revision in enumerate(rules.revisions):
            if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", revision.date):
                self.fault(("revisions", index, "date"), "date", f"date: {revision.date!r}", 'write "YYYY-MM-DD"')

    # options, conduct, sections

    def options(self) -> None:
        """Options nobody reads, values that are not legal."""
        rules, vocabulary = self.rules, self.vocabulary
        for id, option in rules.options.items():
            at: At = ("options", id)
            legal = vocabulary.options.get(id)
            if legal is None:
                self.fault(at, "unknown_option", f"no code reads the option {id!r}", _near(id, vocabulary.options))
                continue
            for index, value in enumerate(option.values):
                if value not in legal:
                    what = f"option {id} lists the value {value!r}"
                    self.fault((*at, "values", index), "option_value", what, f"legal are: {', '.join(sorted(legal))}")
            section, name = _OVERRULED.get(id, ("", ""))
            written = getattr(getattr(rules, section), name) if section else option.default
            if written != option.default:
                what = f"{name}: {written} is overruled by the option {id}, which is {option.default} by default"
                self.fault((section, name), "option_value", what, f"write {name}: {option.default}, or drop the option")
            if not allows(option.values, option.default):
                what = f"the default {option.default!r} of option {id} is not among its values"
                self.fault((*at, "default"), "option_value", what, f"legal are: {', '.join(option.values)}")
            for value in option.explain:
                if not allows(option.values, value) and not (value == "N" and "off|N" in option.values):
                    what = f"option {id} explains the value {value!r}, which it does not have"
                    self.fault((*at, "explain", value), "option_value", what, f"legal are: {', '.join(option.values)}")
        for id, ruling in rules.rulings.items():
            if ruling.option and ruling.option not in rules.options:
                what = f"ruling {id} sets the option {ruling.option!r}, which the ruleset does not list"
                self.fault(("rulings", id, "option"), "unknown_option", what, _near(ruling.option, rules.options))

    def conduct(self) -> None:
        """Clauses without colours, patterns that are not allowed or miss their own example, attendance."""
        rules = self.rules
        for id, clause in rules.conduct.items():
            at: At = ("conduct", id)
            if not clause.colours or len(set(clause.colours)) < len(clause.colours):
                remedy = "name each colour it may be dealt in, once"
                self.fault((*at, "colours"), "colours", f"colours of {id}: {', '.join(clause.colours) or 'none'}", remedy)
            good = []
            for index, pattern in enumerate(clause.patterns):
                why = self.vocabulary.pattern_check(pattern)
                if why is None:
                    good.append(pattern)
                else:
                    self.fault((*at, "patterns", index), "pattern", f"pattern {pattern!r} of {id}", why)
            if good and not any(re.search(pattern, clause.example.zh, re.IGNORECASE) for pattern in good):
                what = f"none of the patterns of {id} matches its own example"
                self.fault((*at, "patterns"), "pattern_misses", what, "mend the patterns, or give an example they match")
        attendance = rules.attendance
        pairs = (("posts", "posts_clause"), ("streak_posts", "streak_clause"), ("streak_days", "streak_clause"))
        for figure, clause_name in pairs:
            has, cites = getattr(attendance, figure), getattr(attendance, clause_name)
            if bool(has) != bool(cites):
                there, missing = (figure, clause_name) if has else (clause_name, figure)
                what = f"attendance has {there} but no {missing}"
                self.fault(("attendance", there), "attendance", what, f"add {missing}, or drop {there}")
        silent = [id for id, skill in rules.skills.items() if skill.silence]
        if silent and not attendance.silence_clause:
            what = f"{silent[0]!r} is carded for silence, but attendance names no silence_clause"
            self.fault(("skills", silent[0], "silence"), "attendance", what, "add silence_clause, or drop silence")
        if attendance.silence_clause and not silent:
            what = "silence_clause, but no skill is carded for silence"
            self.fault(("attendance", "silence_clause"), "attendance", what, "give the skills silence, or drop it")

    def sections(self) -> None:
        """Sections that are empty or not, against what is declared; clauses in sections that do not exist."""
        rules = self.rules
        clausal = {rule.section for rule in rules.clauses.values()}
        for name, content in _CONTENT.items():
            filled = bool(content(rules))
            if name in rules.declared_empty:
                if filled:
                    at = ("declared_empty", rules.declared_empty.index(name))
                    what = f"{name} is declared empty, but has content"
                    self.fault(at, "section_filled", what, f"take {name} out of declared_empty, or empty it")
            elif not filled and name not in clausal:
                remedy = f"fill it, or add {name} to declared_empty"
                self.fault((name,), "section_empty", f"{name} has no content", remedy)
        for index, name in enumerate(rules.declared_empty):
            if name not in _CONTENT:
                what = f"no section {name!r} could be empty"
                self.fault(("declared_empty", index), "unknown_section", what, _near(name, _CONTENT))
        for id, rule in rules.clauses.items():
            if rule.section not in SECTIONS:
                what = f"clause {id} stands in {rule.section!r}"
                self.fault(("clauses", id, "section"), "unknown_section", what, _near(rule.section, SECTIONS))

    # texts

    def texts(self) -> None:
        """Texts that are missing, untranslated, or name what does not exist."""
        both = Words(self.rules, "zh"), Words(self.rules, "en")
        ids = {*self.rules.clauses, *self.rules.rulings, *self.rules.conduct}
        for at, text in _texts(self.rules, ()):
            if text.zh in ("", "…") or text.en in ("", "…"):
                missing = "Chinese" if text.zh in ("", "…") else "English"
                where = (*at, "zh" if missing == "Chinese" else "en")
                self.fault(where, "text_missing", f"{_dotted(at)} has no {missing}", "write it in both languages")
                continue
            if text.zh == text.en or not _CJK.search(text.zh):
                self.fault((*at, "zh"), "text_untranslated", f"{_dotted(at)}: {text.zh!r}", "write the Chinese in zh")
            elif not _LATIN.search(text.en):
                self.fault((*at, "en"), "text_untranslated", f"{_dotted(at)}: {text.en!r}", "write the English in en")
            own = {"coins": 0} if at[0] == "rewards" else None
            for lang, said, words in (("zh", text.zh, both[0]), ("en", text.en, both[1])):
                try:
                    fill(said, words, own=own)
                except PlaceholderError as error:
                    what = f"{{{error.placeholder}}} in {_dotted(at)}"
                    self.fault((*at, lang), "unknown_placeholder", what, error.what)
                for cited in _CITED.findall(said):
                    if re.fullmatch(r"[A-Z]\d+", cited) and cited not in ids:
                        remedy = _near(cited, [id for id in ids if id[:1] == cited[:1]])
                        self.fault((*at, lang), "unknown_reference", f"{_dotted(at)} cites {cited}", remedy)
                if self._speaks(at):
                    self._digits((*at, lang), said)

    @staticmethod
    def _speaks(at: At) -> bool:
        """Whether a text states rules in force, so that figures in it belong to the data; stories and logs do not."""
        return at[-1] != "example" and at[0] not in ("revisions", "left_overs", "name")

    def _digits(self, at: At, said: str) -> None:
        bare = said
        for holder in placeholders(said):
            bare = bare.replace(f"{{{holder}}}", "")
        bare = _CITED.sub("", self.numbered.sub("", bare))
        figure = re.search(r"\d+(?::\d+)?", bare)
        if figure:
            what = f"the figure {figure.group()} in {_dotted(at)}"
            self.fault(at, "text_digits", what, "write a placeholder such as {last_words.count}, or the number in words")

    def display_names(self) -> None:
        """Names that collide, or that a vote post would trip over."""
        rules = self.rules
        kinds: tuple[tuple[str, Mapping[str, Any]], ...] = (
            ("factions", rules.factions),
            ("roles", rules.roles),
            ("skills", rules.skills),
        )
        if _UNSAFE.search(rules.name.zh) or _UNSAFE.search(rules.name.en):
            self._unsafe(("name",), rules.name)
        for kind, things in kinds:
            for lang in ("zh", "en"):
                first: dict[str, str] = {}
                for id, thing in things.items():
                    name = thing.name.get(lang)
                    other = first.setdefault(name, id)
                    if other != id and not (kind == "skills" and self._apart(other, id)):
                        what = f"{kind} {other!r} and {id!r} are both called {name!r}"
                        self.fault((kind, id, "name", lang), "duplicate_name", what, "give one of them another name")
            for id, thing in things.items():
                for lang in ("zh", "en"):
                    name = thing.name.get(lang)
                    if _UNSAFE.search(name) or _UNSAFE_SHORT.search(name) or name != name.strip():
                        self._unsafe((kind, id, "name", lang), name)

    def _unsafe(self, at: At, name: object) -> None:
        remedy = "leave out brackets, line breaks, 弃权 and the labels of a vote post"
        self.fault(at, "unsafe_name", f"the name {name!r}", remedy)

    def _apart(self, one: str, other: str) -> bool:
        """Whether no role's first hand holds both skills."""
        return not any({one, other} <= set(role.skills) for role in self.rules.roles.values())


def _each(at: At, kind: str, names: Sequence[str]) -> Iterator[tuple[At, str, str]]:
    return ((((*at, index)), kind, name) for index, name in enumerate(names))


def _dotted(at: At) -> str:
    return ".".join(map(str, at))


def _texts(value: Any, at: At) -> Iterator[tuple[At, Text]]:
    """Every text of a value with its path."""
    if isinstance(value, Text):
        yield at, value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _texts(getattr(value, name), (*at, name))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*at, index))
