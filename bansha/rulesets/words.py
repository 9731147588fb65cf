"""Saying a ruleset: its names and the sentences of phrases.py, filled with its values and the options in force."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from bansha.rulesets.model import Condition, Line, Role, Ruleset, Skill, Text
from bansha.rulesets.phrases import (
    BALLOTS,
    CAUSES,
    COLOURS,
    CONDITIONS,
    EXTRA,
    FIELD_KINDS,
    FLAGS,
    HANDOVER,
    HITS,
    JOINS,
    LINES,
    MARKS,
    NIGHTS,
    NOTES,
    OPTIONS,
    ORDERS,
    PETITIONS,
    SETTINGS,
    SETTLING,
    SHARES,
    UNKNOWN_CONDITION,
    UNKNOWN_LINE,
    UNKNOWN_VERB,
    VERB_FIELDS,
    VERBS,
    Pair,
)

DAY: Final = 1440


class OptionError(ValueError):
    """An option, or a value of one, that a ruleset does not have; says what would be legal."""


def options_in_force(ruleset: Ruleset, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The value of every option the ruleset lists: as given, or its default.

    Raises:
        OptionError: an option or a value the ruleset does not have.
    """
    values = {name: option.default for name, option in ruleset.options.items()}
    for name, value in (given or {}).items():
        option = ruleset.options.get(name)
        if option is None:
            raise OptionError(f"no option {name!r} in {ruleset.id}; options are {', '.join(values) or 'none'}")
        if not allows(option.values, value):
            raise OptionError(f"option {name} cannot be {value!r}; values are {', '.join(option.values)}")
        values[name] = value
    return values


def allows(values: Iterable[str], value: str) -> bool:
    """Whether an option with these `values` may be `value`; ``off|N`` stands for off and for a number of characters."""
    return any(value == "off" or (value.isascii() and value.isdigit()) if legal == "off|N" else value == legal for legal in values)


def number(value: float) -> str:
    """A number without a needless `.0`."""
    return str(int(value)) if float(value).is_integer() else str(value)


class Words:
    """A ruleset's names and sentences in one language, with the options in force."""

    def __init__(self, ruleset: Ruleset, lang: str = "zh", options: Mapping[str, str] | None = None) -> None:
        self.ruleset = ruleset
        self.lang = "en" if lang == "en" else "zh"
        self.options = options_in_force(ruleset, options)
        self._twins: dict[str, str] = self._name_twins()

    # names

    def pick(self, pair: Pair | Text | str) -> str:
        """The half of `pair` in this language; a plain string as it is."""
        if isinstance(pair, str):
            return pair
        if isinstance(pair, Text):
            return pair.get(self.lang)
        return pair[1 if self.lang == "en" else 0]

    def say(self, pair: Pair, **parts: Any) -> str:
        """A template filled; ``[s]`` becomes "s" unless the part `n` is one."""
        text = self.pick(pair).format(**{"first": self.first_night, **parts})
        return text.replace("[s]", "" if str(parts.get("n")) == "1" else "s")

    def _name_twins(self) -> dict[str, str]:
        """Skills that share their name with another, with the role that sets them apart."""
        skills = self.ruleset.skills
        names: dict[str, list[str]] = {}
        for name, skill in skills.items():
            names.setdefault(self.pick(skill.name), []).append(name)
        return {name: self.holders(name) for group in names.values() if len(group) > 1 for name in group}

    def skill(self, name: str) -> str:
        """A skill's name; with its holder when another skill has the same name; the bare id of an unknown one."""
        known = self.ruleset.skills.get(name)
        if known is None:
            return name
        said = self.pick(known.name)
        holder = self._twins.get(name)
        return f"{said}{self.pick(('（{n}）', ' ({n})')).format(n=holder)}" if holder else said

    def quoted(self, name: str) -> str:
        """A skill's name as it stands inside a sentence."""
        return self.pick(("【{n}】", "{n}")).format(n=self.skill(name))

    def role(self, name: str) -> str:
        """A role's name."""
        known = self.ruleset.roles.get(name)
        return self.pick(known.name) if known else name

    def faction(self, name: str) -> str:
        """A faction's name."""
        known = self.ruleset.factions.get(name)
        return self.pick(known.name) if known else name

    def cause(self, name: str) -> str:
        """A cause of going out: exile, red card, the director, or a skill."""
        return self.pick(CAUSES[name]) if name in CAUSES else self.quoted(name)

    def join(self, items: Iterable[str], last: str = "and") -> str:
        """A list in words; `last` is "and", "or" or "" for a bare list."""
        said = list(items)
        if self.lang == "zh":
            joint = {"and": "和", "or": "或"}.get(last, "、")
            return "、".join(said) if len(said) < 2 else "、".join(said[:-1]) + joint + said[-1]
        return ", ".join(said) if len(said) < 2 or not last else f"{', '.join(said[:-1])} {last} {said[-1]}"

    def skills(self, names: Iterable[str], last: str = "and") -> str:
        """Skills in words."""
        return self.join((self.quoted(name) for name in names), last)

    def roles(self, names: Iterable[str], last: str = "and") -> str:
        """Roles in words."""
        return self.join((self.role(name) for name in names), last)

    def factions(self, names: Iterable[str], last: str = "and") -> str:
        """Factions in words."""
        return self.join((self.faction(name) for name in names), last)

    def holders(self, name: str) -> str:
        """Who holds a skill, or comes to hold it: roles, or the sheriff."""
        roles = holders(self.ruleset, name)
        if roles:
            return self.join((self.role(role) for role in roles), "")
        office = any(line.line == "handover" and line.skill == name for line in self.ruleset.aftermath)
        return self.pick(("警长", "sheriff") if office else ("无人", "nobody"))

    # settings and options

    def value(self, option: str) -> str:
        """The value in force of an option; of one the ruleset does not list, the one it is played at."""
        return self.options.get(option, OPTIONS[option].default if option in OPTIONS else "")

    def option(self, name: str, value: str | None = None) -> str:
        """What an option means at `value` (in force when not given), as a phrase that can stand anywhere."""
        value = self.value(name) if value is None else value
        words = OPTIONS.get(name)
        pair = words and (words.values.get(value) or words.values.get("N"))
        return self.say(pair, n=value) if pair else value

    def explained(self, name: str, value: str | None = None) -> Text | str:
        """What an option means at `value` as the ruleset explains it; our phrase where it does not."""
        value = self.value(name) if value is None else value
        explain = self.ruleset.options[name].explain
        text = explain.get(value)
        if text is not None:
            return text
        if "N" in explain and value.isdigit():
            return re.sub("(?<![A-Za-z])N(?![A-Za-z])", value, self.pick(explain["N"]))
        return self.option(name, value) + self.stop

    def option_label(self, name: str) -> str:
        """What an option is called."""
        return self.pick(OPTIONS[name].label) if name in OPTIONS else name

    def ballots(self, kinds: Sequence[str]) -> str:
        """Ballots in words."""
        return self.join((self.pick(BALLOTS[kind]) for kind in kinds), "and")

    def label(self, path: str) -> str:
        """What a setting is called."""
        return self.pick(SETTINGS[path].label)

    def setting(self, path: str, value: Any = None) -> str:
        """What is said of a setting: of the value the ruleset writes, or of `value`."""
        setting = SETTINGS[path]
        if value is None:
            value = look(self.ruleset, path)
        if isinstance(setting.says, dict):
            key = str(value).lower() if isinstance(value, bool) else str(value)
            return self.pick(setting.says[key]) if key in setting.says else key
        if not value and setting.zero is not None:
            return self.pick(setting.zero)
        said = str(value)
        if path.startswith("ballots.") and isinstance(value, list):
            said = self.ballots(value)
        elif path == "petitions.kinds":
            said = self.join((self.pick(PETITIONS[kind]) for kind in value), "")
        elif path == "surrender.faction":
            said = self.faction(value)
        elif isinstance(value, float | int):
            return self.say(setting.says, n=number(value), hours=number(round(value / 60, 2)))
        return self.say(setting.says, n=said)

    def handover(self) -> str:
        """What the sheriff, once out, does with the badge."""
        skill = self.ruleset.skills.get("handover")
        assert isinstance(HANDOVER.says, dict)
        return self.pick(HANDOVER.says["true" if skill is not None and skill.forced else "false"])

    @property
    def first_night(self) -> str:
        """The number of the game's first night in words."""
        return self.pick(("第零夜", "night zero") if self.start() == "night" else ("第一夜", "night one"))

    def start(self) -> str:
        """Whether the game starts by "day" or at "night", options included."""
        return self.value("first") or self.ruleset.calendar.start

    def exile_tie(self) -> str:
        """The policy for a tie in the exile, options included."""
        return self.value("tie") or self.ruleset.ballots.exile_tie

    def first_ballots(self) -> list[str]:
        """The ballots of day one, options included."""
        kinds = list(self.ruleset.ballots.first_day)
        if "election" in kinds and self.value("day1_exile") == "no":
            kinds = [kind for kind in kinds if kind != "exile"]
        return list(kinds)

    # times

    def clock(self, after_close: int) -> str:
        """The clock time so many minutes after the close."""
        total = minutes_of(self.ruleset.calendar.closes) + after_close
        said = f"{total % DAY // 60:02d}:{total % 60:02d}"
        return said if total < DAY else self.pick(("次日 {n}", "{n} next day")).format(n=said)

    def span(self, window: Sequence[int]) -> str:
        """A window as minutes after the close: 0–30."""
        return "–".join(map(str, window))

    def clocks(self, window: Sequence[int]) -> str:
        """A window as clock times: 21:00–21:30."""
        return "–".join(self.clock(minute) for minute in window)

    # skills

    def parts(self, name: str) -> dict[str, str]:
        """What the templates of a skill may name."""
        skill = self.ruleset.skills[name]
        return {
            "name": self.quoted(name),
            "verb": skill.verb,
            "joins": self._joins(skill),
            "told": self.begin(self.option("hybrid_told")),
            "marks": self._marks(name),
            "hits": self._hits(name),
            "orders": self._one("orders", skill.orders),
            "takes": self._many("takes", skill.takes),
            "shows": self._many("shows", skill.shows),
            "order": self.pick(("，", ", ")) + self.pick(ORDERS[skill.order]) if skill.order else "",
            "tells": self._tells(skill),
            "draws": str(skill.draws),
            "freeze": self.option("freeze_scope"),
            "torch": self.option("torch_absorbs"),
            "dooms": self._many("dooms", skill.dooms),
            "leaves": self._many("leaves", skill.leaves),
            "amount": str(skill.amount),
            "swap": self.option("swap"),
            "reveals": self._one("reveals", skill.reveals),
            "counts": self._one("counts", skill.counts),
            "gains": self._gains(skill),
            "ends_vote": self.pick(FLAGS["ends_vote"].says) if skill.ends_vote else "",
            "doubles": self._doubles(skill),
        }

    def _nothing(self) -> str:
        return self.pick(("（未写）", "(not stated)"))

    def _many(self, field: str, names: Sequence[str]) -> str:
        if not names:
            return self._nothing()
        say = {"skills": self.skills, "factions": self.factions}[FIELD_KINDS[field]]
        return say(names, "or" if FIELD_KINDS[field] == "factions" else "and")

    def _one(self, field: str, name: str) -> str:
        if not name:
            return self._nothing()
        return {"skills": self.quoted, "roles": self.role, "factions": self.faction}[FIELD_KINDS[field]](name)

    def _joins(self, skill: Skill) -> str:
        return self.say(JOINS[skill.joins], n=self.opposites(skill)) + (
            self.pick(EXTRA).format(n=self.opposites(skill)) if skill.opposing and skill.joins != "opposing" else ""
        )

    def opposites(self, skill: Skill) -> str:
        """The map of opposing factions in words."""
        said = []
        for faction, opposite in skill.opposing.items():
            if opposite in self.ruleset.factions or opposite not in self.ruleset.options:
                to = self.faction(opposite)
            else:
                to = self.pick(("{n}（选项 {option}）", "{n} (option {option})")).format(
                    n=self.faction(self.value(opposite)), option=opposite
                )
            said.append(self.pick(("目标属{a}则入{b}", "of {a} → {b}")).format(a=self.faction(faction), b=to))
        return self.pick(("；", "; ")).join(said) or self._nothing()

    def _marks(self, name: str) -> str:
        rules = self.ruleset
        said = []
        who = self.pick(MARKS["target" if rules.skills[name].targets else "self"])
        voids = [line.skill for line in rules.settlement if name in line.voided_by and line.skill]
        if voids:
            said.append(self.say(MARKS["voids"], n=self.skills(voids), who=who))
        if any(name in line.immune for line in rules.settlement):
            said.append(self.say(MARKS["immune"], who=who))
        blocks = [id for id, skill in rules.skills.items() if name in skill.blocked_by]
        if blocks:
            said.append(self.say(MARKS["blocks"], n=self.skills(blocks), who=who))
        return (" " if self.lang == "en" else "").join(said) or self.pick(MARKS["nothing"])

    def _hits(self, name: str) -> str:
        for line in self.ruleset.settlement:
            if line.line == "strikes" and name in line.skills:
                return self.pick(HITS["strikes"])
            if line.skill == name and line.line == "attack":
                held = self.skills(line.voided_by, "or")
                return self.say(HITS["voidable"], n=held) if held else self.pick(HITS["attack"])
        return self.pick(HITS["nothing"])

    def _tells(self, skill: Skill) -> str:
        if not skill.tells:
            return self.pick(("的具体阵营", "its exact faction"))
        if len(skill.tells) == 1:
            template = ("属于{n}还是非{n}", "{n}, or not {n}")
            return self.say(template, n=self.faction(skill.tells[0]))
        return self.say(("属于{n}还是其他阵营", "{n} or another faction"), n=self.factions(skill.tells, ""))

    def _gains(self, skill: Skill) -> str:
        said = [
            self.say(("出局满 {n} 名，得到{skill}", "{n} out: {skill} is gained"), n=count, skill=self.quoted(gain))
            for count, gain in skill.gains.items()
        ]
        return self.pick(("；", "; ")).join(said) or self._nothing()

    def _doubles(self, skill: Skill) -> str:
        return self.say(FLAGS["doubles"].says, n=self.quoted(skill.doubles)) if skill.doubles else ""

    def effect(self, name: str) -> str:
        """What a skill does: its verb's sentence."""
        skill = self.ruleset.skills[name]
        return self.say(VERBS.get(skill.verb, UNKNOWN_VERB), **self.parts(name)).strip()

    def flag(self, name: str, field: str) -> str:
        """The sentence of one field of a skill, "" when there is nothing to say of it."""
        skill = self.ruleset.skills[name]
        value = getattr(skill, field)
        says = FLAGS[field].says
        if field == "targets":
            if skill.share:
                return self.say(says, n=value) if value != 1 else ""
            return self.say(says, n=value) if value else self.pick(("不指目标。", "No target."))
        if field == "other" and not value:
            named = skill.targets or skill.share
            return self.pick(("可以指自己。", "Oneself is allowed.")) if named and not skill.self_only_first_night else ""
        if field == "nights":
            usual = value == "every"
            staged = any(name in stage.stage for stage in self.ruleset.night)
            return "" if usual and (not staged or skill.automatic or skill.limited) else self.say(says, n=self.say(NIGHTS[value]))
        if field == "forced" and value and (skill.automatic or not (skill.targets or skill.share)):
            return self.pick(("强制：必定发动。", "Forced: it always happens."))
        if field == "joins_den" and not value:
            return self.pick(("不共群，也不互知。", "No den and no acquaintance comes with it.")) if skill.verb == "join" else ""
        if field == "adjacent" and value:
            return self.pick(says) + self.gap + self.pick(("座位首尾：", "First and last seat: ")) + self.option("grudge_wrap") + self.stop
        if not value:
            return ""
        if value is True:
            return self.say(says)
        return self.say(says, n=self.field(name, field))

    @property
    def gap(self) -> str:
        """What stands between two sentences of this language."""
        return self.pick(("", " "))

    def begin(self, text: str) -> str:
        """The text as the beginning of a line: in English with a capital."""
        return text[:1].upper() + text[1:] if self.lang == "en" else text

    @property
    def stop(self) -> str:
        """The full stop of this language."""
        return self.pick(("。", "."))

    def field(self, name: str, field: str) -> str:
        """The value of one field of a skill in words."""
        skill = self.ruleset.skills[name]
        return self.field_of(skill, field)

    def field_of(self, skill: Skill, field: str) -> str:
        """The value of one field in words, whichever ruleset the skill is of."""
        value = getattr(skill, field)
        words = FLAGS[field].words
        if words is not None:
            return self.pick(words[bool(value)])
        if field == "nights":
            return self.say(NIGHTS[value])
        if field == "order":
            return self.pick(ORDERS[value])
        if field == "joins":
            return self.pick(JOINS[value]).partition("：")[0].partition(":")[0]
        if field == "share":
            return self.say(SHARES[value], n=self.shared(skill)) if value else self._none()
        if field == "silence":
            return self.pick(COLOURS[value]) if value else self._none()
        if field == "gains":
            return self._gains(skill) if value else self._none()
        if field == "opposing":
            return self.opposites(skill) if value else self._none()
        if not value and field not in ("amount", "draws", "targets"):
            return self._none()
        if field == "not_after":
            return self.join((self.cause(cause) for cause in value), "or")
        kind = FIELD_KINDS.get(field)
        if kind:
            return self._many(field, value) if isinstance(value, list) else self._one(field, value)
        return self.join(map(str, value), "") if isinstance(value, list) else str(value)

    def _none(self) -> str:
        return self.pick(("无", "none"))

    def shared(self, skill: Skill) -> int:
        """How many targets a share comes to with all seats alive."""
        pool = self.ruleset.seats - (1 if skill.other else 0)
        return (pool + 1) // 2

    def flags(self, name: str) -> list[str]:
        """The sentences of a skill's flags, those its verb has said left out."""
        said = VERB_FIELDS.get(self.ruleset.skills[name].verb, frozenset())
        sentences = (self.flag(name, field) for field in FLAGS if field not in said and field != "seed")
        return [sentence for sentence in sentences if sentence]

    def notes(self, name: str) -> list[str]:
        """Short notes on a skill for the timetable."""
        skill = self.ruleset.skills.get(name)
        if skill is None:
            return []
        notes = []
        if name == "first_night_shield" and self.value(name) == "automatic":
            return [self.say(NOTES["first"]), self.pick(NOTES["unneeded"])]
        if skill.verb == "vision":
            notes.append(self.pick(NOTES["vision"]))
        elif skill.automatic:
            notes.append(self.pick(NOTES["automatic"]))
        for flag in ("limited", "forced", "immediate", "not_consecutive", "once_per_target"):
            if getattr(skill, flag):
                notes.append(self.pick(NOTES[flag]))
        if skill.nights != "every":
            notes.append(self.say(NOTES[skill.nights]))
        if skill.verb == "fog":
            notes.append(self.pick(NOTES["last"]))
        if skill.excludes:
            notes.append(self.say(NOTES["excludes"], n=self.join((self.skill(x) for x in skill.excludes), "")))
        if skill.silence:
            notes.append(self.say(NOTES["silence"], n=self.pick(COLOURS[skill.silence])))
        return notes

    # lines and conditions

    def line(self, line: Line) -> str:
        """A line of the settlement or the aftermath in words."""
        template, used = LINES.get(line.line, (UNKNOWN_LINE, frozenset()))
        voided = self.say(SETTLING["voided"], n=self.skills(line.voided_by, "or")) if line.voided_by else self.pick(SETTLING["unvoided"])
        overlap = ""
        if line.overlap == "kills" or len(line.voided_by) > 1:
            overlap = self.pick(SETTLING[line.overlap])
        times = [self.say(SETTLING[when], n=getattr(line, when)) for when in ("dusk", "dawn") if getattr(line, when)]
        said = self.say(
            template,
            line=line.line,
            skill=self.quoted(line.skill) if line.skill else self._nothing(),
            skills=self.skills(line.skills) or self._nothing(),
            role=self.role(line.role) if line.role else self._nothing(),
            voided=voided,
            overlap=overlap,
            immune=self.say(SETTLING["immune"], n=self.skills(line.immune, "or")) if line.immune else "",
            moved=self.say(SETTLING["moved"], n=self.quoted(line.moved_by)) if line.moved_by else "",
            absorbed=self.say(SETTLING["absorbed"], n=self.skills(line.absorbed_by, "")) if line.absorbed_by else "",
            times=self._times(line, times),
        ).strip()
        return said + self._extra(line, Line(line=line.line), used | {"line"})

    def _times(self, line: Line, times: Sequence[str]) -> str:
        if not times:
            return self.pick(SETTLING["untimed"])
        badge = self.ruleset.badge
        silence = self.pick(SETTLING["declined"])
        if line.line == "handover" and badge is not None:
            silence = self.say(SETTLING["handed"], n=self.setting("badge.silence"))
        return self.say(SETTLING["times"], n=self.join(times, "")) + self.gap + silence

    def _extra(self, value: Any, bare: Any, used: Iterable[str]) -> str:
        """What is written although the function does not read it."""
        fields = [field for field in value.__struct_fields__ if field not in used]
        odd = [f"{field} = {getattr(value, field)}" for field in fields if getattr(value, field) != getattr(bare, field)]
        return self.pick(EXTRA).format(n=self.join(odd, "")) if odd else ""

    def condition(self, faction: str, condition: Condition) -> str:
        """A condition of winning or losing in words."""
        template, used = CONDITIONS.get(condition.when, (UNKNOWN_CONDITION, frozenset()))
        said = self.say(
            template,
            when=condition.when,
            faction=self.faction(faction),
            roles=self.roles(condition.roles, "or" if self.lang == "en" else "and") or self._nothing(),
            factions=self.factions(condition.factions) or self._nothing(),
            count=condition.count,
            day=condition.day,
            skill=self.quoted(condition.skill) if condition.skill else self._nothing(),
        )
        if condition.when == "roles_out" and self.lang == "en" and len(condition.roles) > 1:
            said = f"{self.roles(condition.roles)} are all out"
        return said + self._extra(condition, Condition(when=condition.when), used | {"when"})


def look(ruleset: Ruleset, path: str) -> Any:
    """The value at a dotted path of settings; None where a section is missing."""
    value: Any = ruleset
    for part in path.split("."):
        value = None if value is None else getattr(value, part)
    return value


def minutes_of(clock: str) -> int:
    """Minutes after midnight of "HH:MM"; 0 for anything else (lint reports it)."""
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes) if hours.isdigit() and minutes.isdigit() else 0


def holders(ruleset: Ruleset, name: str) -> list[str]:
    """Roles that hold a skill from the start, or can come to hold it by `gains` or `becomes`."""
    found: dict[str, Role] = {}
    wanted = {name}
    while True:
        more = {
            id
            for id, skill in ruleset.skills.items()
            if id not in wanted and (skill.becomes in wanted or wanted & set(skill.gains.values()))
        }
        if not more:
            break
        wanted |= more
    for id, role in ruleset.roles.items():
        if wanted & set(role.skills):
            found[id] = role
    return list(found)
