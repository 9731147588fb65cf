"""What one ruleset changes against another, in sentences for a player: ``守护之盾可连续两夜指同一人：不可 → 可``.

Compared are the rules, value by value; ids, sources, the order of keys and the way a file is written are not. Names come
from the newer ruleset where it has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from bansha.rulesets.load import Loaded
from bansha.rulesets.model import Clause, Condition, Option, Role, Skill, Stage, Text
from bansha.rulesets.phrases import ACQUAINT, COLOURS, DETECTORS, FLAGS, SECTIONS, SETTINGS, Pair
from bansha.rulesets.placeholders import fill
from bansha.rulesets.words import Words, look

SAME: Final[Pair] = ("没有差别", "no differences")


def diff(a: Loaded, b: Loaded, lang: str = "zh") -> list[str]:
    """What `b` changes against `a`, a line a change; one line saying so when nothing differs."""
    words = Words(b.ruleset, lang)
    lines = [words.begin(line) for line in _Diff(Words(a.ruleset, lang), words).lines()]
    return lines or [words.begin(words.pick(SAME))]


class _Diff:
    def __init__(self, old: Words, new: Words) -> None:
        self.old, self.new = old, new
        self.a, self.b = old.ruleset, new.ruleset
        self.pick = new.pick

    def lines(self) -> Iterator[str]:
        """All differences, from the roles to the revisions."""
        yield from self.text(("名称", "name"), self.a.name, self.b.name)
        yield from self.text(("简介", "about"), self.a.about, self.b.about)
        yield from self.factions()
        yield from self.roles()
        yield from self.skills()
        yield from self.night()
        yield from self.settled()
        yield from self.victory()
        yield from self.settings()
        yield from self.options()
        yield from self.rulings()
        yield from self.clauses()
        yield from self.conduct()
        yield from self.lists()

    # words

    def say(self, pair: Pair, **parts: Any) -> str:
        """A template in the language asked for."""
        return self.new.say(pair, **parts)

    def change(self, what: str, old: str, new: str) -> str:
        """One change: what, from what, to what."""
        return self.say(("{what}：{old} → {new}", "{what}: {old} → {new}"), what=what, old=old or "–", new=new or "–")

    def text(self, what: Pair | str, old: Text | None, new: Text | None) -> Iterator[str]:
        """A text that was written anew."""
        if old != new:
            said = [fill(text, words, quiet=True) if text else "" for text, words in ((old, self.old), (new, self.new))]
            if said[0] == said[1]:
                said = [text.zh + " / " + text.en if text else "" for text in (old, new)]
            yield self.change(self.pick(what), self.marked(said[0]), self.marked(said[1]))

    def marked(self, said: str) -> str:
        """A text in quotation marks."""
        return self.say(("“{n}”", "“{n}”"), n=said) if said else ""

    def added(self, what: Pair, name: str, detail: str = "") -> str:
        """Something new."""
        pair = ("新增{what} {name}{detail}", "new {what} {name}{detail}")
        return self.say(pair, what=self.pick(what), name=name, detail=f"{self.pick(('：', ': '))}{detail}" if detail else "")

    def removed(self, what: Pair, name: str) -> str:
        """Something gone."""
        return self.say(("删去{what} {name}", "gone: {what} {name}"), what=self.pick(what), name=name)

    # factions, roles, skills

    def factions(self) -> Iterator[str]:
        """Factions added, taken out, changed."""
        kind = ("阵营", "faction")
        for id in [*self.b.factions, *(id for id in self.a.factions if id not in self.b.factions)]:
            old, new = self.a.factions.get(id), self.b.factions.get(id)
            if old is None and new is not None:
                yield self.added(kind, self.pick(new.name), self.pick(ACQUAINT[new.acquaint]))
            elif new is None and old is not None:
                yield self.removed(kind, self.pick(old.name))
            elif old is not None and new is not None:
                name = self.pick(new.name)
                yield from self.text(self.say(("阵营 {n} 的名称", "name of the faction {n}"), n=id), old.name, new.name)
                if old.acquaint != new.acquaint:
                    yield self.change(name, self.pick(ACQUAINT[old.acquaint]), self.pick(ACQUAINT[new.acquaint]))
                if old.sign != new.sign:
                    yield self.change(name + self.pick(("的标记", " sign")), old.sign, new.sign)

    def roles(self) -> Iterator[str]:
        """Roles added, taken out, changed; what their hands gain and lose."""
        kind = ("身份", "role")
        for id in [*self.b.roles, *(id for id in self.a.roles if id not in self.b.roles)]:
            old, new = self.a.roles.get(id), self.b.roles.get(id)
            if old is None and new is not None:
                hand = self.new.join((self.new.skill(name) for name in new.skills), "")
                side = self.new.faction(new.faction) if new.faction else self.pick(("准备时加入阵营", "joins a faction in setup"))
                detail = self.say(("{n} 人，{side}", "{n}, {side}"), n=new.count, side=side)
                yield self.added(kind, self.pick(new.name), detail + (self.pick(("；", "; ")) + hand if hand else ""))
            elif new is None and old is not None:
                yield self.removed(kind, self.pick(old.name))
            elif old is not None and new is not None:
                yield from self.role(id, old, new)

    def role(self, id: str, old: Role, new: Role) -> Iterator[str]:
        """One role that both have."""
        name = self.pick(new.name)
        yield from self.text(self.say(("身份 {n} 的名称", "name of the role {n}"), n=id), old.name, new.name)
        if old.count != new.count:
            yield self.change(self.say(("{n}的人数", "number of {n}"), n=name), str(old.count), str(new.count))
        if old.faction != new.faction:
            none = self.pick(("准备时加入", "joins one in setup"))
            sides = self.old.faction(old.faction) or none, self.new.faction(new.faction) or none
            yield self.change(self.say(("{n}的阵营", "faction of {n}"), n=name), *sides)
        more = [skill for skill in new.skills if skill not in old.skills]
        less = [skill for skill in old.skills if skill not in new.skills]
        if more:
            said = self.new.join((self.new.skill(skill) for skill in more), "")
            yield self.say(("{name}多了技能：{n}", "{name} gains the skills {n}"), name=name, n=said)
        if less:
            said = self.old.join((self.old.skill(skill) for skill in less), "")
            yield self.say(("{name}少了技能：{n}", "{name} loses the skills {n}"), name=name, n=said)
        if not more and not less and old.skills != new.skills:
            hands = (
                self.old.join((self.old.skill(s) for s in old.skills), ""),
                self.new.join((self.new.skill(s) for s in new.skills), ""),
            )
            yield self.change(self.say(("{n}的技能次序", "order of the skills of {n}"), n=name), *hands)
        if old.flexible != new.flexible:
            yield self.change(self.say(("{n}的人数可变", "number of {n} variable"), n=name), *self.yes_no(old.flexible, new.flexible))
        yield from self.text(self.say(("{n}出局时公布", "announced when {n} is out"), n=name), old.out_announced, new.out_announced)
        yield from self.text(self.say(("{n}的说明", "text of {n}"), n=name), old.text, new.text)

    def yes_no(self, *flags: bool) -> list[str]:
        """Flags in words."""
        return [self.pick(("是", "yes") if flag else ("否", "no")) for flag in flags]

    def skills(self) -> Iterator[str]:
        """Skills added with what they do, taken out, and every changed flag."""
        kind = ("技能", "skill")
        for id in [*self.b.skills, *(id for id in self.a.skills if id not in self.b.skills)]:
            old, new = self.a.skills.get(id), self.b.skills.get(id)
            if old is None and new is not None:
                detail = self.new.gap.join([self.new.effect(id), *self.new.flags(id)])
                yield self.added(kind, self.new.skill(id), detail)
            elif new is None:
                yield self.removed(kind, self.old.skill(id))
            elif old is not None:
                yield from self.skill(id, old, new)

    def skill(self, id: str, old: Skill, new: Skill) -> Iterator[str]:
        """One skill that both have."""
        name = self.new.skill(id)
        yield from self.text(self.say(("技能 {n} 的名称", "name of the skill {n}"), n=id), old.name, new.name)
        if old.verb != new.verb:
            effects = self.old.effect(id), self.new.effect(id)
            yield self.change(
                self.say(("{n}的作用", "what {n} does"), n=name), *(effects if effects[0] != effects[1] else (old.verb, new.verb))
            )
        for field in FLAGS:
            before, after = getattr(old, field), getattr(new, field)
            if before != after and field != "seed":
                label = self.pick(FLAGS[field].label)
                what = self.say(("{name}{label}", "{name}, {label}"), name=name, label=label[:1].lower() + label[1:])
                values = self.old.field_of(old, field), self.new.field_of(new, field)
                yield self.change(what, *(values if values[0] != values[1] else (str(before), str(after))))
        yield from self.text(self.say(("{n}的文字", "text of {n}"), n=name), old.text, new.text)

    # night, settlement, aftermath, victory

    def night(self) -> Iterator[str]:
        """Setup, stages, windows."""
        orders = [
            self.old.join((self.old.skill(s) for s in self.a.setup), ""),
            self.new.join((self.new.skill(s) for s in self.b.setup), ""),
        ]
        if self.a.setup != self.b.setup:
            yield self.change(self.pick(("准备时的技能", "skills in setup")), *orders)
        before, after = _staged(self.a.night), _staged(self.b.night)
        for id, stage in after.items():
            if id not in before:
                pair = ("夜里新增【{skill}】：第 {n} 段，{time}", "at night {skill} is added: stage {n}, {time}")
                number = self.b.night.index(stage) + 1
                yield self.say(pair, skill=self.new.skill(id), n=number, time=self.new.clocks(stage.window))
            elif before[id] != stage:
                yield from self.window(id, before[id], stage)
        for id in before:
            if id not in after and id in self.b.skills:
                yield self.say(("夜里不再有【{skill}】", "at night there is no {skill} any more"), skill=self.new.skill(id))
        kept = [[[id for id in stage.stage if id in before and id in after] for stage in night] for night in (self.a.night, self.b.night)]
        if [stage for stage in kept[0] if stage] != [stage for stage in kept[1] if stage]:
            said = [
                words.pick(("；", "; ")).join(words.join((words.skill(id) for id in stage), "") for stage in night if stage)
                for words, night in ((self.old, kept[0]), (self.new, kept[1]))
            ]
            yield self.change(self.pick(("一夜的次序", "order of the night")), *said)
        elif len(self.a.night) != len(self.b.night) and before.keys() == after.keys():
            yield self.change(self.pick(("夜里的段数", "stages of the night")), str(len(self.a.night)), str(len(self.b.night)))

    def window(self, id: str, old: Stage, new: Stage) -> Iterator[str]:
        """A changed window of one skill."""
        name = self.new.skill(id)
        if old.window != new.window:
            times = self.old.clocks(old.window), self.new.clocks(new.window)
            yield self.change(self.say(("【{n}】的时限", "window of {n}"), n=name), *times)
        if old.after != new.after:
            said = [words.skill(stage.after) if stage.after else "" for words, stage in ((self.old, old), (self.new, new))]
            yield self.change(self.say(("【{n}】的时限从何起算", "the window of {n} counts from"), n=name), *said)
        if old.without != new.without:
            times = self.old.clocks(old.without), self.new.clocks(new.without)
            yield self.change(self.say(("【{n}】的另一时限", "other window of {n}"), n=name), *times)

    def settled(self) -> Iterator[str]:
        """Lines of settlement and aftermath."""
        for label, part in ((("结算", "settlement"), "settlement"), (("出局之后", "after an out"), "aftermath")):
            yield from self.sequence(
                self.pick(label),
                [(f"{line.line} {line.skill}", self.old.line(line)) for line in getattr(self.a, part)],
                [(f"{line.line} {line.skill}", self.new.line(line)) for line in getattr(self.b, part)],
            )

    def sequence(self, label: str, old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Two ordered lists of (key, sentence): lines added, taken out, changed, and the order."""
        before, after = dict(old), dict(new)
        for key, said in new:
            if key not in before:
                yield self.say(("{label}新增：{n}", "{label}, new: {n}"), label=label, n=said)
            elif before[key] != said:
                yield self.change(label, before[key], said)
        for key, said in old:
            if key not in after:
                yield self.say(("{label}删去：{n}", "{label}, gone: {n}"), label=label, n=said)
        kept = [[key for key, _ in lines if key in before and key in after] for lines in (old, new)]
        if kept[0] != kept[1]:
            pair = ("{label}的次序：{n}", "order of {label}: {n}")
            yield self.say(pair, label=label, n=self.pick((" → ", " → ")).join(after[key] for key in kept[1]))

    def victory(self) -> Iterator[str]:
        """Conditions, precedence."""
        for faction in [*self.b.victory.factions, *(f for f in self.a.victory.factions if f not in self.b.victory.factions)]:
            for kind, pair in (("wins", ("{n}胜", "victory of {n}")), ("lost", ("{n}负", "defeat of {n}"))):
                label = self.say(pair, n=(self.new if faction in self.b.factions else self.old).faction(faction))
                before = self.conditions(self.old, faction, kind)
                after = self.conditions(self.new, faction, kind)
                yield from self.sequence(label, before, after)
        orders = [words.factions(words.ruleset.victory.order, "") for words in (self.old, self.new)]
        if orders[0] != orders[1]:
            yield self.change(self.pick(("胜负的先后", "precedence of victory")), *orders)

    @staticmethod
    def conditions(words: Words, faction: str, kind: str) -> list[tuple[str, str]]:
        """Conditions as (key, sentence); the sentence is the key, since a changed condition is another one."""
        ends = words.ruleset.victory.factions.get(faction)
        conditions: list[Condition] = getattr(ends, kind) if ends else []
        return [(words.condition(faction, condition),) * 2 for condition in conditions]

    # settings, options, rulings, clauses, conduct

    def settings(self) -> Iterator[str]:
        """Every number and policy outside the skills."""
        sections = {"badge": ("警长", "a sheriff"), "surrender": ("投降", "surrender")}
        for name, label in sections.items():
            old, new = getattr(self.a, name), getattr(self.b, name)
            if (old is None) != (new is None):
                yield self.change(self.pick(label), *self.has(old is not None, new is not None))
        for path in SETTINGS:
            before, after = look(self.a, path), look(self.b, path)
            if before != after and before is not None and after is not None:
                said = self.old.setting(path), self.new.setting(path)
                yield self.change(self.new.label(path), *(said if said[0] != said[1] else (str(before), str(after))))
            elif before is None and after is not None:
                yield self.added(("规定", "rule"), self.new.label(path), self.new.setting(path))
        for name, label in (("substitutes", ("替补的说明", "text on substitutes")), ("assistants", ("场助的说明", "text on assistants"))):
            yield from self.text(label, getattr(self.a, name).text, getattr(self.b, name).text)

    def has(self, *there: bool) -> list[str]:
        """Whether something is there, in words."""
        return [self.pick(("有", "yes") if one else ("没有", "no")) for one in there]

    def options(self) -> Iterator[str]:
        """Options added, taken out, their defaults and values."""
        kind = ("选项", "option")
        for id in [*self.b.options, *(id for id in self.a.options if id not in self.b.options)]:
            old, new = self.a.options.get(id), self.b.options.get(id)
            if old is None and new is not None:
                yield self.added(kind, self.new.option_label(id), self.new.option(id))
            elif new is None:
                yield self.removed(kind, self.old.option_label(id))
            elif old is not None:
                yield from self.option(id, old, new)

    def option(self, id: str, old: Option, new: Option) -> Iterator[str]:
        """One option that both have."""
        label = self.new.option_label(id)
        if old.default != new.default:
            defaults = self.new.option(id, old.default), self.new.option(id, new.default)
            yield self.change(label, *defaults)
        if old.values != new.values:
            yield self.change(
                self.say(("选项 {n} 的取值", "values of the option {n}"), n=label), ", ".join(old.values), ", ".join(new.values)
            )
        yield from self.text(self.say(("选项 {n} 的问题", "question of the option {n}"), n=label), old.question, new.question)
        for value in [*new.explain, *(value for value in old.explain if value not in new.explain)]:
            what = self.say(("选项 {n} 取 {value} 的说明", "option {n} at {value}"), n=label, value=value)
            yield from self.text(what, old.explain.get(value), new.explain.get(value))

    def rulings(self) -> Iterator[str]:
        """Rulings added, taken out, answered differently."""
        kind = ("裁定", "ruling")
        for id in [*self.b.rulings, *(id for id in self.a.rulings if id not in self.b.rulings)]:
            old, new = self.a.rulings.get(id), self.b.rulings.get(id)
            if old is None and new is not None:
                yield self.added(kind, id, fill(new.answer, self.new, quiet=True))
            elif new is None:
                yield self.removed(kind, id)
            elif old is not None:
                yield from self.text(self.say(("裁定 {n} 的问题", "question of ruling {n}"), n=id), old.question, new.question)
                yield from self.text(self.say(("裁定 {n}", "ruling {n}"), n=id), old.answer, new.answer)
                if old.option != new.option:
                    yield self.change(self.say(("裁定 {n} 的选项", "option of ruling {n}"), n=id), old.option, new.option)

    def clauses(self) -> Iterator[str]:
        """Clauses added, taken out, written anew, moved."""
        kind = ("条款", "clause")
        for id in [*self.b.clauses, *(id for id in self.a.clauses if id not in self.b.clauses)]:
            old, new = self.a.clauses.get(id), self.b.clauses.get(id)
            if old is None and new is not None:
                yield self.added(kind, id, fill(new.text, self.new, quiet=True))
            elif new is None:
                yield self.removed(kind, id)
            elif old is not None:
                yield from self.text(self.say(("条款 {n}", "clause {n}"), n=id), old.text, new.text)
                if old.section != new.section:
                    titles = [self.pick(SECTIONS.get(section, (section, section))) for section in (old.section, new.section)]
                    yield self.change(self.say(("条款 {n} 所在的节", "section of clause {n}"), n=id), *titles)
                if old.beyond != new.beyond:
                    what = self.say(("条款 {n} 原帖没有", "clause {n} not in the source"), n=id)
                    yield self.change(what, *self.yes_no(old.beyond, new.beyond))

    def conduct(self) -> Iterator[str]:
        """Conduct clauses added, taken out, their colours and texts."""
        kind = ("违规条款", "conduct clause")
        for id in [*self.b.conduct, *(id for id in self.a.conduct if id not in self.b.conduct)]:
            old, new = self.a.conduct.get(id), self.b.conduct.get(id)
            if old is None and new is not None:
                yield self.added(kind, id, f"{self.colours(new)}{self.pick(('，', ', '))}{fill(new.text, self.new, quiet=True)}")
            elif new is None:
                yield self.removed(kind, id)
            elif old is not None:
                what = self.say(("违规条款 {n}", "conduct clause {n}"), n=id)
                if old.colours != new.colours:
                    yield self.change(what, self.colours(old), self.colours(new))
                yield from self.text(what, old.text, new.text)
                yield from self.text(self.say(("{n} 的例子", "example of {n}"), n=what), old.example, new.example)
                yield from self.text(self.say(("{n} 的组", "group of {n}"), n=what), old.group, new.group)
                if old.patterns != new.patterns:
                    counts = [self.say(("{n} 种", "{n}"), n=len(clause.patterns)) for clause in (old, new)]
                    if counts[0] == counts[1]:
                        counts[1] += self.pick(("（改过）", " (changed)"))
                    yield self.change(self.say(("{n}标出的字样", "words flagged by {n}"), n=what), *counts)
                if old.detectors != new.detectors:
                    said = [self.new.join((self.pick(DETECTORS[d]) for d in clause.detectors), "") for clause in (old, new)]
                    yield self.change(self.say(("{n}标出的样子", "looks flagged by {n}"), n=what), *said)

    def colours(self, clause: Clause) -> str:
        """The colours of a clause in words."""
        return self.new.join((self.pick(COLOURS[colour]) for colour in clause.colours), "or")

    # the rest

    def lists(self) -> Iterator[str]:
        """Rewards, etiquette, left-overs, revisions: lines added and taken out."""
        a, b, old, new = self.a, self.b, self.old, self.new
        parts: list[tuple[Pair, list[str], list[str]]] = [
            (
                ("奖励", "rewards"),
                [fill(r.text, old, own={"coins": r.coins}, quiet=True) + f" ({r.coins})" for r in a.rewards],
                [fill(r.text, new, own={"coins": r.coins}, quiet=True) + f" ({r.coins})" for r in b.rewards],
            ),
            (("寄语", "etiquette"), _said(old, a.etiquette), _said(new, b.etiquette)),
            (
                ("没有用上的词", "words left over"),
                [f"{left.word}: {fill(left.text, old, quiet=True)}" for left in a.left_overs],
                [f"{left.word}: {fill(left.text, new, quiet=True)}" for left in b.left_overs],
            ),
            (
                ("修订", "revisions"),
                [f"{one.date} {fill(one.change, old, quiet=True)}" for one in a.revisions],
                [f"{one.date} {fill(one.change, new, quiet=True)}" for one in b.revisions],
            ),
        ]
        for label, before, after in parts:
            yield from self.sequence(self.pick(label), [(one, one) for one in before], [(one, one) for one in after])
        gone = [name for name in a.declared_empty if name not in b.declared_empty]
        more = [name for name in b.declared_empty if name not in a.declared_empty]
        if gone or more:
            what = self.pick(("声明为空的节", "sections declared empty"))
            yield self.change(what, ", ".join(a.declared_empty), ", ".join(b.declared_empty))


def _staged(night: Sequence[Stage]) -> Mapping[str, Stage]:
    return {name: stage for stage in night for name in stage.stage}


def _said(words: Words, texts: Iterable[Text]) -> list[str]:
    return [fill(text, words, quiet=True) for text in texts]
