"""The rule sheet: a ruleset file said in full, in the order in which a reader needs it.

Everything on it is either the ruleset's own text with its placeholders filled, or a sentence of phrases.py filled with
the ruleset's values and the options in force; nothing is written here about one board. Whatever can be cited carries
its clause id (`clause_ids`), and a section that does not apply says so in one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from bansha.rulesets.document import (
    Bar,
    Block,
    Choice,
    Choices,
    Document,
    Form,
    Forms,
    Heading,
    Inline,
    Items,
    Mark,
    Para,
    Plan,
    Section,
    Steps,
    Table,
    Term,
    Terms,
    render,
)
from bansha.rulesets.load import Loaded, RulesetError
from bansha.rulesets.model import Ends, Ruleset, Stage, Text
from bansha.rulesets.phrases import ACQUAINT, COLOURS, DETECTORS, HANDOVER, SECTIONS, SETTINGS, WEEKDAYS, Pair
from bansha.rulesets.placeholders import PlaceholderError, fill
from bansha.rulesets.words import Words, minutes_of

UNWRITTEN: Final = "…"

# What a section without content says; the first half when the ruleset declares it empty, the note when it does not.
EMPTY: Final[dict[str, Pair]] = {
    "setup": ("准备时没有要交的技能。", "No skill acts in setup."),
    "night": ("夜里没有技能。", "No skill acts at night."),
    "settlement": ("夜里没有要结算的。", "Nothing is settled at night."),
    "aftermath": ("出局不引出别的事。", "An out sets nothing off."),
    "badge": ("本板没有警长。", "There is no sheriff on this board."),
    "surrender": ("本板不能投降。", "There is no surrender on this board."),
    "rewards": ("本板没有奖励。", "There are no rewards on this board."),
    "etiquette": ("本板没有寄语。", "There is no word on etiquette on this board."),
    "left_overs": ("没有剩下的词。", "No words are left over."),
    "revisions": ("还没有修订过。", "There has been no revision."),
    "conduct": ("本板没有违规条款。", "There are no conduct clauses on this board."),
    "attendance": ("系统不计发帖与漏答。", "The platform counts neither posts nor silence."),
    "rulings": ("没有裁定。", "There are no rulings."),
    "options": ("没有可选的设置。", "There are no settings to choose."),
}
UNDECLARED: Final[Pair] = ("（文件没有声明此节为空。）", " (The file does not declare this section empty.)")


def show(loaded: Loaded, lang: str = "zh", format: str = "text", options: Mapping[str, str] | None = None) -> str:
    """The rule sheet of a ruleset in `lang` (zh, en) as `format` (text, md, html, bbcode), with `options` set.

    Raises:
        OptionError: an option or value the ruleset does not have.
        RulesetError: a text whose placeholder names nothing.
        ValueError: another format.
    """
    return render(build(loaded, lang, options), format)


def build(loaded: Loaded, lang: str = "zh", options: Mapping[str, str] | None = None) -> Document:
    """The rule sheet as a document without a format.

    Raises:
        OptionError: an option or value the ruleset does not have.
        RulesetError: a text whose placeholder names nothing.
    """
    return _Sheet(loaded, Words(loaded.ruleset, lang, options)).document()


def clause_ids(ruleset: Ruleset) -> dict[str, Text]:
    """Every clause id that can be cited, with its short text: the ruleset's and the common clauses, rulings,
    ``conduct.<id>``, ``skill.<id>``, ``settle.<n>``, ``after.<n>``, ``victory.<faction>.wins.<n>`` and ``.lost.<n>``.
    """
    both = Words(ruleset, "zh"), Words(ruleset, "en")

    def said(text: Text) -> Text:
        return Text(*(fill(text, words, quiet=True) for words in both))

    ids: dict[str, Text] = {id: said(rule.text) for id, rule in ruleset.clauses.items()}
    ids |= {id: said(ruling.answer) for id, ruling in ruleset.rulings.items()}
    ids |= {f"conduct.{id}": said(clause.text) for id, clause in ruleset.conduct.items()}
    for id, skill in ruleset.skills.items():
        ids[f"skill.{id}"] = said(skill.text) if written(skill.text) else Text(*(words.effect(id) for words in both))
    for name, lines in (("settle", ruleset.settlement), ("after", ruleset.aftermath)):
        for number, line in enumerate(lines, 1):
            ids[f"{name}.{number}"] = Text(*(words.line(line) for words in both))
    for faction, ends in ruleset.victory.factions.items():
        for kind, conditions in (("wins", ends.wins), ("lost", ends.lost)):
            for number, condition in enumerate(conditions, 1):
                id = f"victory.{faction}.{kind}.{number}"
                ids[id] = Text(*(words.condition(faction, condition) + words.stop for words in both))
    return ids


def written(text: Text | None) -> bool:
    """Whether a text has been written, in both languages."""
    return text is not None and text.zh not in ("", UNWRITTEN) and text.en not in ("", UNWRITTEN)


class Day(NamedTuple):
    """A discussion day of the example: its number, opening, close, and whether the weekend moved the close."""

    number: int
    opens: datetime
    closes: datetime
    moved: bool


def week(ruleset: Ruleset, weekend: str, start: str, monday: date = date(2026, 5, 11)) -> list[Day]:
    """The discussion days of a game whose setup ends on `monday`, until more than a week has passed.

    Clause C20: with `weekend` "extend" a close first set on a Saturday or Sunday moves one natural day later, once.
    """
    calendar = ruleset.calendar
    opening, close = minutes_of(calendar.opens), minutes_of(calendar.closes)
    midnight = datetime.combine(monday, datetime.min.time())
    opens = midnight + timedelta(minutes=opening) + timedelta(days=1 if start == "night" else 0)
    days: list[Day] = []
    while not days or days[-1].closes < midnight + timedelta(days=7):
        length = max(1, calendar.later_days if days else calendar.first_day)
        closes = opens.replace(hour=0, minute=0) + timedelta(days=length - 1, minutes=close)
        moved = weekend == "extend" and closes.weekday() >= 5
        closes += timedelta(days=1 if moved else 0)
        days.append(Day(len(days) + 1, opens, closes, moved))
        following = closes.replace(hour=0, minute=0) + timedelta(minutes=opening)
        while following <= max(opens, closes):
            following += timedelta(days=1)
        opens = following
    return days


class _Sheet:
    """One sheet being built."""

    def __init__(self, loaded: Loaded, words: Words) -> None:
        self.loaded = loaded
        self.rules = loaded.ruleset
        self.words = words
        self.pick = words.pick
        self.say = words.say

    # texts

    def text(self, text: Text | str, *path: str | int, own: Mapping[str, object] | None = None) -> str:
        """A text of the ruleset, filled; `path` is where it stands in the file."""
        try:
            return fill(text, self.words, own=own)
        except PlaceholderError as error:
            file, line = self.loaded.place(path)
            raise RulesetError(file, line, f"{'.'.join(map(str, path))}: {error}") from None

    def own(self, text: Text | None, *path: str | int) -> list[str]:
        """A text that may be missing, as a list of none or one."""
        return [self.text(text, *path)] if text is not None and self.pick(text) not in ("", UNWRITTEN) else []

    def faction_mark(self, name: str) -> Mark:
        """A faction's name in its colour: the class follows its sign."""
        known = self.rules.factions.get(name)
        sign = known.sign if known else ""
        return Mark(self.words.faction(name), "fac " + {"▲": "wolf", "●": "folk"}.get(sign, "third"))

    def empty(self, name: str) -> Para:
        """The one line of a section without content."""
        said = self.pick(EMPTY[name])
        return Para(said if name in self.rules.declared_empty else said + self.pick(UNDECLARED), "note")

    def setting(self, path: str, *more: Inline) -> Term:
        """A setting with what is said of it."""
        return Term(self.words.label(path), (self.words.begin(self.words.setting(path)), *more))

    def options_here(self, *names: str) -> Iterable[Term]:
        """Options that the ruleset lists, with what they mean as they stand."""
        for name in names:
            if name in self.rules.options:
                yield Term(self.words.option_label(name), (self.words.begin(self.words.option(name)), (self.chosen(name),)))

    def chosen(self, name: str) -> Mark:
        """Which option says so, and whether it was changed."""
        changed = self.words.value(name) != self.rules.options[name].default
        pair = ("选项 {n}，本场改动", "option {n}, changed here") if changed else ("选项 {n}", "option {n}")
        return Mark(self.say(pair, n=name), "note")

    # the document

    def document(self) -> Document:
        """All sections in order, each with the clauses that belong to it."""
        rules, pick = self.rules, self.pick
        makers = {
            "roles": self.roles,
            "skills": self.skills,
            "setup": self.setup,
            "night": self.night,
            "settlement": self.settlement,
            "aftermath": self.aftermath,
            "victory": self.victory,
            "calendar": self.calendar,
            "badge": self.badge,
            "ballot": self.ballot,
            "petitions": self.petitions,
            "last_words": self.last_words,
            "surrender": self.surrender,
            "substitutes": self.substitutes,
            "assistants": self.assistants,
            "announcements": self.announcements,
            "secrecy": self.secrecy,
            "conduct": self.conduct,
            "rewards": self.rewards,
            "etiquette": self.etiquette,
            "rulings": self.rulings,
            "left_overs": self.left_overs,
            "revisions": self.revisions,
        }
        sections = []
        for id, title in SECTIONS.items():
            blocks = [*(makers[id]() if id in makers else ()), *self.clauses(id)]
            if blocks:
                sections.append(Section(id, pick(title), self.note(id), tuple(blocks)))
        return Document(
            title=pick(rules.name),
            note=self.say(("{n} 人 · {id}", "{n} seats · {id}"), n=rules.seats, id=rules.id),
            lead=tuple(self.lead()),
            contents=pick(("目录", "Contents")),
            sections=tuple(sections),
            lang=self.words.lang,
        )

    def note(self, section: str) -> str:
        """What stands beside a section's title."""
        rules = self.rules
        if section == "roles":
            return self.say(("{n} 人", "{n} seats"), n=rules.seats)
        if section == "night" and rules.night:
            return self.say(("各段从 {n} 关门起算", "counted from the close at {n}"), n=rules.calendar.closes)
        if section == "rulings":
            changed = sum(self.words.value(name) != option.default for name, option in rules.options.items())
            pair = ("裁定 {a} 条 · 选项 {b} 个 · 改动 {c} 个", "{a} rulings · {b} options · {c} changed")
            return self.say(pair, a=len(rules.rulings), b=len(rules.options), c=changed)
        return ""

    def lead(self) -> list[Block]:
        """What stands under the title."""
        rules, pick, say = self.rules, self.pick, self.say
        blocks: list[Block] = [Para(text) for text in self.own(rules.about, "about")]
        made = (
            "本帖由规则文件生成，与裁判所执行的是同一份。",
            "Generated from the ruleset file that the referee itself carries out.",
        )
        blocks.append(Para(pick(made), "note"))
        groups = " ".join(self.loaded.hash[at : at + 4] for at in range(0, len(self.loaded.hash), 4))
        blocks.append(Para((pick(("印记 ", "Hash ")), Mark(groups, "hash")), "hash"))
        facts = [say(("文件格式 {n}", "file format {n}"), n=rules.bansha)]
        if rules.source.seed:
            facts.append(say(("原帖 {n}", "source thread {n}"), n=rules.source.seed))
        if rules.source.as_of:
            facts.append(say(("原帖截至 {n}", "source as of {n}"), n=rules.source.as_of))
        if rules.inherits:
            facts.append(say(("在 {n} 之上改写", "written on top of {n}"), n=rules.inherits))
        if rules.declared_empty:
            facts.append(say(("声明为空的节：{n}", "sections declared empty: {n}"), n=", ".join(rules.declared_empty)))
        blocks.append(Para(pick(("；", "; ")).join(facts) + self.words.stop, "note"))
        return blocks

    def clauses(self, section: str) -> list[Block]:
        """The clauses of the rule text that belong to a section; strays stand in the first."""
        terms = []
        for id, rule in self.rules.clauses.items():
            if rule.section != section and not (section == "basics" and rule.section not in SECTIONS):
                continue
            parts: list[str | Mark] = [self.text(rule.text, "clauses", id, "text")]
            if rule.section != section:
                parts.append(Mark(self.say(("（节 {n}）", " (section {n})"), n=rule.section), "note"))
            if rule.beyond:
                parts += [" ", Mark(self.pick(("原帖没有", "not in the source")), "tag")]
            if rule.seed:
                parts.append(Mark(self.say(("（原帖 {n}）", " (thread {n})"), n=rule.seed), "note"))
            terms.append(Term(id, (tuple(parts),), id))
        return [Terms(tuple(terms))] if terms else []

    # roles and skills

    def roles(self) -> list[Block]:
        """Factions with how their members stand to each other, and roles with their hands."""
        rules, pick, words = self.rules, self.pick, self.words
        factions = tuple(
            ((faction.sign), (self.faction_mark(id),), pick(ACQUAINT[faction.acquaint]), self.members(id))
            for id, faction in rules.factions.items()
        )
        rows: list[tuple[Inline, ...]] = []
        for role in rules.roles.values():
            hand = words.join((words.skill(skill) for skill in role.skills), "") or pick(("没有技能", "no skills"))
            count = str(role.count) + (pick(("（可变）", " (variable)")) if role.flexible else "")
            side: Inline = (self.faction_mark(role.faction),) if role.faction else pick(("准备时加入", "joins one in setup"))
            rows.append((pick(role.name), count, side, hand))
        blocks: list[Block] = [
            Table(
                (
                    pick(("标", "Sign")),
                    pick(("阵营", "Faction")),
                    pick(("成员之间", "Members")),
                    pick(("身份", "Roles")),
                ),
                factions,
            ),
            Table(
                (pick(("身份", "Role")), pick(("人数", "Count")), pick(("阵营", "Faction")), pick(("技能", "Skills"))),
                tuple(rows),
                frozenset({1}),
            ),
        ]
        notes = []
        for id, role in rules.roles.items():
            body: list[Inline] = list(self.own(role.text, "roles", id, "text"))
            if role.out_announced:
                said = self.text(role.out_announced, "roles", id, "out_announced")
                pair = ("出局时公布“{n}”。", "When it is out, “{n}” is announced.")
                body.append(self.say(pair, n=said))
            if body:
                notes.append(Term(pick(role.name), tuple(body)))
        return [*blocks, Terms(tuple(notes))] if notes else blocks

    def members(self, faction: str) -> str:
        """The roles that belong to a faction from the start."""
        roles = (self.words.role(id) for id, role in self.rules.roles.items() if role.faction == faction)
        return self.words.join(roles, "") or self.pick(("无", "none"))

    def skills(self) -> list[Block]:
        """Every skill: its text, its verb and flags in words, where and when it is used."""
        words = self.words
        terms = []
        for id, skill in self.rules.skills.items():
            head = self.say(("{skill}（{who}）", "{skill} ({who})"), skill=self.pick(skill.name), who=words.holders(id))
            body: list[Inline] = list(self.own(skill.text, "skills", id, "text"))
            joint = " " if words.lang == "en" else ""
            body.append(words.effect(id))
            flags = joint.join(words.flags(id))
            if flags:
                body.append(flags)
            place = self.place(id)
            if place:
                body.append(Mark(place, "note").text)
            if skill.seed:
                body.append((Mark(words.flag(id, "seed"), "note"),))
            terms.append(Term(head, tuple(body), f"skill.{id}"))
        return [Terms(tuple(terms))]

    def place(self, name: str) -> str:
        """Where a skill is used: setup, its stage with the clock times, or what triggers it."""
        rules = self.rules
        said = []
        if name in rules.setup:
            said.append(self.pick(("准备时", "in setup")))
        for number, stage in enumerate(rules.night, 1):
            if name in stage.stage:
                pair = ("夜里第 {n} 段，{time}", "at night, stage {n}, {time}")
                said.append(self.say(pair, n=number, time=self.words.clocks(stage.window)))
        for number, line in enumerate(rules.aftermath, 1):
            if line.skill == name:
                said.append(self.say(("出局之后第 {n} 行", "after an out, line {n}"), n=number))
        if not said:
            return ""
        joined = self.pick(("；", "; ")).join(said)
        return self.say(("用处：{n}。", "Used: {n}."), n=joined)

    # setup, night, settlement, aftermath

    def setup(self) -> list[Block]:
        """What precedes everything: how long, who acts, in which order."""
        rules, words = self.rules, self.words
        blocks: list[Block] = [Terms((self.setting("calendar.setup_minutes"),))]
        if not rules.setup:
            return [self.empty("setup"), *blocks]
        joint = " " if words.lang == "en" else ""
        steps = []
        for id in rules.setup:
            known = rules.skills.get(id)
            title = self.say(("{a}（{b}）", "{a} ({b})"), a=words.skill(id), b=words.holders(id))
            steps.append(Term(title, (words.effect(id) + joint + joint.join(words.flags(id)),) if known else (), ""))
        return [*blocks, Steps(tuple(steps))]

    def window(self, stage: Stage) -> tuple[str, str]:
        """A stage's window in minutes after the close, and in clock times."""
        words = self.words
        minutes, clocks = words.span(stage.window), words.clocks(stage.window)
        if stage.after:
            pair = (
                "{span}，从{after}答复起；没有则 {without}",
                "{span}, from {after} on; without it {without}",
            )
            after = words.quoted(stage.after)
            minutes = self.say(pair, span=minutes, after=after, without=words.span(stage.without) or "–")
            clocks = self.say(("{a}；或 {b}", "{a}; or {b}"), a=clocks, b=words.clocks(stage.without) or "–")
        elif stage.without:
            pair = ("{span}（另写了 {without}）", "{span} (also written: {without})")
            minutes = self.say(pair, span=minutes, without=words.span(stage.without))
        return minutes, clocks

    def night(self) -> list[Block]:
        """The timetable: order, who, skill, window in minutes and in clock times, notes."""
        rules, words, pick = self.rules, self.words, self.pick
        if not rules.night:
            return [self.empty("night")]
        full = max((minute for stage in rules.night for minute in stage.window), default=0) or 1
        bars, rows = [], []
        for order, stage in enumerate(rules.night, 1):
            minutes, clocks = self.window(stage)
            start, end = (stage.window[0], stage.window[-1]) if stage.window else (0, 0)
            for id in stage.stage:
                notes = words.join(words.notes(id), "")
                told = id in rules.skills and rules.skills[id].verb == "vision"
                bars.append(
                    Bar(
                        f"{order} {words.skill(id)}",
                        words.holders(id),
                        100 * start / full,
                        100 * (start if told else end) / full,
                        words.join(words.notes(id)[:2], ""),
                    )
                )
                rows.append((str(order), words.holders(id), words.skill(id), minutes, clocks, notes))
        scale = words.clock(0), words.clock(full // 2), words.clock(full)
        head = (
            ("段", "Stage"),
            ("谁", "Who"),
            ("技能", "Skill"),
            ("关门后（分）", "Minutes"),
            ("钟点", "Clock"),
            ("说明", "Notes"),
        )
        counted = (
            "各段依次进行，同一段的技能一起截止。",
            "Stages run in order; the skills of one stage close together.",
        )
        return [
            Para(pick(counted)),
            Plan(scale, tuple(bars)),
            Table(tuple(map(pick, head)), tuple(rows), frozenset({0})),
            Terms(tuple(self.options_here("close_early", "first_night_shield"))),
        ]

    def settlement(self) -> list[Block]:
        """How a night is settled, line by line."""
        rules, words, pick = self.rules, self.words, self.pick
        if not rules.settlement:
            return [self.empty("settlement")]
        steps = [
            Term(self.line_title(line.skill, line.line), (words.line(line),), f"settle.{number}")
            for number, line in enumerate(rules.settlement, 1)
        ]
        moment = self.say(("查胜负：{n}。", "Victory: {n}."), n=words.setting("victory.moment"))
        order = pick(("各段收齐之后，逐行结算：", "After the stages, line by line:"))
        return [Para(order), Steps(tuple(steps)), Para(moment, "note")]

    def line_title(self, skill: str, line: str) -> str:
        """The title of a line: its skill, or the name of its function."""
        return self.words.skill(skill) if skill else {"strikes": self.pick(("致死伤害", "Strikes"))}.get(line, line)

    def aftermath(self) -> list[Block]:
        """What an out sets off, in order."""
        rules, words, pick = self.rules, self.words, self.pick
        if not rules.aftermath:
            return [self.empty("aftermath")]
        steps = [
            Term(self.line_title(line.skill, line.line), (words.line(line),), f"after.{number}")
            for number, line in enumerate(rules.aftermath, 1)
        ]
        order = pick(("一人出局，依次处理：", "When someone is out, in this order:"))
        return [Para(order), Steps(tuple(steps))]

    # victory

    def victory(self) -> list[Block]:
        """Who wins and loses by what, in which order, and when it is checked."""
        rules, words, pick = self.rules, self.words, self.pick
        blocks: list[Block] = []
        for faction, ends in rules.victory.factions.items():
            blocks.append(Terms(tuple(self.ends(faction, ends))))
        order = words.join((words.faction(name) for name in rules.victory.order), "")
        pair = (
            "先判负，再看谁满足胜利条件，最后看是不是只剩一方未判负。同时满足的，依次以排在前面的为胜：{n}。",
            "Losses are judged first, then the conditions of winning, then whether only one faction is not lost. If "
            "several could win, the first of these wins alone: {n}.",
        )
        terms = [
            Term(pick(("先后", "Precedence")), (self.say(pair, n=order),)),
            self.setting("victory.moment"),
            *self.options_here("victory_moment", "charm_check"),
        ]
        return [*blocks, Terms(tuple(terms))]

    def ends(self, faction: str, ends: Ends) -> Iterable[Term]:
        """The conditions of one faction, each with its clause id."""
        name = self.words.faction(faction)
        sorts = (("wins", ("{n}胜", "Victory of {n}"), ends.wins), ("lost", ("{n}负", "Defeat of {n}"), ends.lost))
        for kind, pair, conditions in sorts:
            for count, condition in enumerate(conditions, 1):
                said = self.words.begin(self.words.condition(faction, condition)) + self.words.stop
                head = (Mark(self.say(pair, n=name), self.faction_mark(faction).kind),)
                yield Term(head, (said,), f"victory.{faction}.{kind}.{count}")
            if not conditions:
                none = {
                    "wins": (
                        "没有自己的胜利条件：其余阵营都判负了，便是{n}胜。",
                        "No condition of its own: it wins when every other faction is lost.",
                    ),
                    "lost": ("不会判负。", "It is never judged lost."),
                }[kind]
                yield Term((Mark(self.say(pair, n=name), self.faction_mark(faction).kind),), (self.say(none, n=name),))

    # calendar

    def calendar(self) -> list[Block]:
        """Days and nights, with a week as an example."""
        rules, words, pick = self.rules, self.words, self.pick
        terms = [self.decided("calendar.start", "first", words.start())]
        terms += [self.setting(f"calendar.{name}") for name in ("opens", "closes", "first_day", "later_days")]
        terms += self.options_here("weekend")
        weekend = words.value("weekend")
        if "weekend" not in rules.options:
            terms.append(Term(words.option_label("weekend"), (words.option("weekend"),)))
        days = week(rules, weekend, words.start())
        rows: list[tuple[Inline, ...]] = []
        if words.start() == "night":
            start = days[0].opens.replace(hour=0, minute=0) - timedelta(days=1)
            begins = start + timedelta(minutes=minutes_of(rules.calendar.closes))
            rows.append((pick(("第零夜", "Night 0")), self.moment(begins), self.moment(days[0].opens), ""))
        for day in days:
            kinds = words.ballots(words.first_ballots() if day.number == 1 else rules.ballots.later)
            moved = pick(("；周末顺延", "; moved by the weekend")) if day.moved else ""
            title = self.say(("第 {n} 日", "Day {n}"), n=day.number)
            rows.append((title, self.moment(day.opens), self.moment(day.closes), (kinds + moved)))
        head = ("日", "Day"), ("开门", "Opens"), ("关门", "Closes"), ("投票", "Ballot")
        example = (
            "举例：准备在一个周一结束，没有申请也没有停顿。",
            "Example: setup ends on a Monday, no petitions and no pause.",
        )
        return [
            Terms(tuple(terms)),
            Heading(pick(("一周的例子", "A week as an example"))),
            Para(pick(example), "note"),
            Table(tuple(map(pick, head)), tuple(rows)),
        ]

    def moment(self, at: datetime) -> str:
        """A moment of the example: weekday and clock time."""
        return f"{self.pick(WEEKDAYS[at.weekday()])} {at:%H:%M}"

    def decided(self, path: str, option: str, value: str) -> Term:
        """A setting that an option may decide instead of the file."""
        if option not in self.rules.options:
            return self.setting(path)
        more: list[Inline] = [(self.chosen(option),)]
        file = self.words.setting(path)
        here = self.words.setting(path, value)
        if file != here:
            more.append((Mark(self.say(("规则文件本来写的是：{n}", "the file itself writes: {n}"), n=file), "note"),))
        return Term(self.words.label(path), (self.words.begin(here), *more))

    # ballots and badge

    def badge(self) -> list[Block]:
        """The sheriff: weight of the vote, handover, silence, red card, ties."""
        if self.rules.badge is None:
            return [self.empty("badge")]
        names = [path for path in SETTINGS if path.startswith("badge.")]
        terms = [self.setting(path) for path in names]
        terms.insert(1, Term(self.pick(HANDOVER.label), (self.words.begin(self.words.handover()),)))
        return [Terms((*terms, *self.options_here("sheriff_day1_weight")))]

    def ballot(self) -> list[Block]:
        """Which ballots run, ties, changes, and the exact posts."""
        rules, words, pick = self.rules, self.words, self.pick
        first = self.setting("ballots.first_day")
        if words.first_ballots() != rules.ballots.first_day:
            changed = words.ballots(words.first_ballots())
            here = self.say(("本场只有：{n}", "here only: {n}"), n=changed)
            first = Term(first.head, (*first.body, here))
        terms = [first, *self.options_here("day1_exile"), self.setting("ballots.later")]
        terms.append(self.decided("ballots.exile_tie", "tie", words.exile_tie()))
        terms += self.options_here("tie_break_scope")
        elects = "election" in (*rules.ballots.first_day, *rules.ballots.later)
        if elects or rules.ballots.election_tie != "no_sheriff":
            unused = () if elects else (pick(("本板没有竞选，用不上。", "There is no election here; it is not used.")),)
            terms.append(self.setting("ballots.election_tie", *unused))
        terms += [self.setting("ballots.changes"), self.setting("ballots.freeze_minutes")]
        someone = pick(("马甲全名，或 弃权", "a persona's whole name, or 弃权"))
        why = pick(("随你写，可空", "as you like, may be empty"))
        vote = Form(pick(("首票", "Vote")), "", (("投票对象：", someone, True), ("投票理由：", why, False)))
        quoting = pick(("引用自己生效的那张票", "quoting your vote in force"))
        change = Form(pick(("改票", "Change")), quoting, (("改票对象：", someone, True), ("改票理由：", why, False)))
        return [Terms(tuple(terms)), Forms((vote, change) if rules.ballots.changes else (vote,))]

    def petitions(self) -> list[Block]:
        """Speed-up, extension, abort: who signs, how many, until when."""
        rules = self.rules
        seats = rules.seats
        needed = (seats + 1) // 2 if rules.petitions.quorum == "half" else seats // 2 + 1
        example = self.say(("本局 {n} 人都在场时，要 {m} 人", "with all {n} alive, {m} of them"), n=seats, m=needed)
        terms = [
            self.setting("petitions.kinds"),
            self.setting("petitions.quorum", example),
            self.setting("petitions.closing_minutes"),
            *self.options_here("sped_up_spares", "auto_speed_up_below", "abort"),
        ]
        return [Terms(tuple(terms))]

    def last_words(self) -> list[Block]:
        """How many, until when."""
        terms = [self.setting("last_words.count")]
        if self.rules.last_words.least_minutes:
            terms.append(self.setting("last_words.least_minutes"))
        if self.rules.last_words.count:
            terms += self.options_here("last_words_until")
            if "last_words_until" not in self.rules.options:
                said = self.words.option("last_words_until")
                terms.append(Term(self.words.option_label("last_words_until"), (said,)))
        return [Terms(tuple(terms))]

    def surrender(self) -> list[Block]:
        """Which faction may surrender."""
        if self.rules.surrender is None:
            return [self.empty("surrender")]
        return [Terms((self.setting("surrender.faction"),))]

    def substitutes(self) -> list[Block]:
        """How often, and the ruleset's text."""
        text = self.own(self.rules.substitutes.text, "substitutes", "text")
        return [Terms((self.setting("substitutes.times", *text),))]

    def assistants(self) -> list[Block]:
        """Who may have one, and the ruleset's text."""
        text = self.own(self.rules.assistants.text, "assistants", "text")
        return [Terms((self.setting("assistants.games", *text),))]

    # what is told

    def announcements(self) -> list[Block]:
        """What this board announces, and when."""
        rules, words, pick = self.rules, self.words, self.pick
        verbs: dict[str, str] = {skill.verb: id for id, skill in rules.skills.items()}
        lines = {line.line: line.skill for line in rules.aftermath}
        at_once = [pick(("计票结果与放逐", "the tally and the exile"))]
        if "play_dumb" in lines:
            at_once.append(self.say(("{n}", "{n}"), n=words.quoted(lines["play_dumb"])))
        if "last_shot" in lines:
            shot = ("黄昏的{n}与中枪的人", "{n} at dusk and the one shot")
            at_once.append(self.say(shot, n=words.quoted(lines["last_shot"])))
        if "reveal" in lines:
            at_once.append(self.say(("{n}，不分昼夜", "{n}, by day or night"), n=words.quoted(lines["reveal"])))
        if "inherit" in lines:
            at_once.append(self.say(("黄昏的{n}", "{n} at dusk"), n=words.quoted(lines["inherit"])))
        if rules.badge is not None:
            at_once.append(pick(("新当选的警长，黄昏里的移交", "a newly elected sheriff, a handover at dusk")))
        opening = [
            pick(("自上次开门以来出局的人，按出局先后", "those out since the last opening, in order of out")),
            pick(("遗言", "last words")) if rules.last_words.count else "",
        ]
        if "curse" in verbs:
            opening.append(self.say(("当日的{n}", "the day's {n}"), n=words.quoted(verbs["curse"])))
        if "inherit" in lines:
            opening.append(self.say(("拂晓的{n}", "{n} at dawn"), n=words.quoted(lines["inherit"])))
        if rules.badge is not None:
            opening.append(pick(("拂晓里的移交", "a handover at dawn")))
            if rules.badge.announced_daily:
                opening.append(pick(("在任的警长", "the sheriff in office")))
        opening += [
            f"“{self.text(role.out_announced, 'roles', id, 'out_announced')}”" for id, role in rules.roles.items() if role.out_announced
        ]
        never = pick(("其余出局者的身份；阵营判负；谁用了什么技能", "the roles of others out; lost factions; who used what"))
        rows: list[tuple[Inline, ...]] = [
            (pick(("当时", "At once")), pick(("；", "; ")).join(at_once)),
            (pick(("开门时", "At the opening")), pick(("；", "; ")).join(item for item in opening if item)),
            (pick(("揭秘之前不公布", "Not before the reveal")), never),
        ]
        return [Table((pick(("何时", "When")), pick(("什么", "What"))), tuple(rows))]

    def secrecy(self) -> list[Block]:
        """How the factions of this board know each other."""
        rules, pick = self.rules, self.pick
        terms = [
            Term((self.faction_mark(id),), (pick(ACQUAINT[faction.acquaint]) + self.words.stop,)) for id, faction in rules.factions.items()
        ]
        return [Terms((*terms, *self.options_here("hybrid_told")))]

    # conduct

    def conduct(self) -> list[Block]:
        """Cards, what the platform sees by itself, and every clause that a card may cite."""
        rules, pick = self.rules, self.pick
        blocks: list[Block] = [Terms(tuple(self.setting(path) for path in SETTINGS if path.startswith("cards.")))]
        blocks.append(Heading(pick(("系统自己看得出的", "What the platform sees by itself"))))
        attendance = rules.attendance
        if any(getattr(attendance, name) for name in attendance.__struct_fields__):
            terms = [
                self.setting(f"attendance.{name}")
                for name in attendance.__struct_fields__
                if getattr(attendance, name) or name in ("posts", "vote_clause", "silence_clause")
            ]
            blocks.append(Terms(tuple(terms)))
        else:
            blocks.append(self.empty("attendance"))
        if not rules.conduct:
            return [*blocks, self.empty("conduct")]
        blocks.append(Heading(pick(("条款", "Clauses"))))
        group = ""
        terms = []
        for id, clause in rules.conduct.items():
            title = self.text(clause.group, "conduct", id, "group") if clause.group else ""
            if title != group:
                blocks += [Terms(tuple(terms))] if terms else []
                terms = []
                group = title
                blocks += [Heading(title)] if title else []
            terms.append(Term(id, tuple(self.clause_body(id)), f"conduct.{id}"))
        return [*blocks, Terms(tuple(terms))]

    def clause_body(self, id: str) -> Iterable[Inline]:
        """One conduct clause: colours and text, example, what raises a suspicion of it."""
        pick = self.pick
        clause = self.rules.conduct[id]
        cards: list[str | Mark] = []
        for colour in clause.colours:
            cards += [Mark(pick(COLOURS[colour]), f"card {colour}"), " "]
        yield (*cards, *self.own(clause.text, "conduct", id, "text"))
        for example in self.own(clause.example, "conduct", id, "example"):
            yield self.say(("例：{n}", "Example: {n}"), n=example)
        suspects = []
        if clause.patterns:
            suspects.append(self.say(("{n} 种字样", "{n} pattern[s] of words"), n=len(clause.patterns)))
        suspects += [pick(DETECTORS[name]) for name in clause.detectors]
        if suspects:
            pair = ("系统会标出：{n}，由导演判断。", "The platform flags {n}; the director judges.")
            yield (Mark(self.say(pair, n=self.words.join(suspects, "")), "note"),)

    # rewards, etiquette, rulings, left-overs, revisions

    def rewards(self) -> list[Block]:
        """Who gets what."""
        if not self.rules.rewards:
            return [self.empty("rewards")]
        lines = []
        for index, reward in enumerate(self.rules.rewards):
            said = self.text(reward.text, "rewards", index, "text", own={"coins": reward.coins})
            if reward.coins and str(reward.coins) not in said:
                said += self.say(("（{n} 硬币）", " ({n} coin[s])"), n=reward.coins)
            lines.append(said)
        return [Items(tuple(lines))]

    def etiquette(self) -> list[Block]:
        """The director's words to the players."""
        if not self.rules.etiquette:
            return [self.empty("etiquette")]
        return [Items(tuple(self.text(text, "etiquette", index) for index, text in enumerate(self.rules.etiquette)))]

    def rulings(self) -> list[Block]:
        """The options with their value in force, and every ruling with the other reading where there is one."""
        rules, words, pick = self.rules, self.words, self.pick
        blocks: list[Block] = [Heading(pick(("选项", "Options")))]
        options = tuple(self.option_choice(name) for name in rules.options)
        blocks.append(Choices(options) if options else self.empty("options"))
        blocks.append(Heading(pick(("裁定", "Rulings"))))
        if not rules.rulings:
            return [*blocks, self.empty("rulings")]
        choices = []
        for id, ruling in rules.rulings.items():
            title = self.text(ruling.question, "rulings", id, "question")
            answer = self.text(ruling.answer, "rulings", id, "answer")
            body: list[Inline] = [answer]
            tag, changed = "", False
            if ruling.option in rules.options:
                value = words.value(ruling.option)
                changed = value != rules.options[ruling.option].default
                tag = pick(("本场改动", "changed here")) if changed else pick(("默认", "default"))
                now = self.say(("现为：{n}", "In force: {n}"), n=self.reading(ruling.option, value))
                if changed:
                    body = [now, (Mark(answer, "s"),)]
                else:
                    body.append(now)
                body += [(Mark(other, "note"),) for other in self.others(ruling.option)]
            elif ruling.option:
                body.append(self.say(("选项 {n}", "option {n}"), n=ruling.option))
            if ruling.seed:
                body.append((Mark(self.say(("原帖 {n}", "thread {n}"), n=ruling.seed), "note"),))
            choices.append(Choice(title, tuple(body), id, tag, changed))
        return [*blocks, Choices(tuple(choices))]

    def reading(self, name: str, value: str) -> str:
        """What an option means at a value, as the ruleset explains it, with the value as the file writes it."""
        text = self.words.explained(name, value)
        return f"{self.text(text, 'options', name, 'explain', value)}（{value}）"

    def others(self, name: str) -> list[str]:
        """What the other readings of an option would be."""
        option = self.rules.options[name]
        in_force = self.words.value(name)
        legal = [value for listed in option.values for value in (["off", "N"] if listed == "off|N" else [listed])]
        pair = ("另一读法：{n}", "The other reading: {n}")
        return [
            self.say(pair, n=self.reading(name, value))
            for value in legal
            if value != in_force and not (value == "N" and in_force.isdigit())
        ]

    def option_choice(self, name: str) -> Choice:
        """One option: its question, the value in force, the other values."""
        option = self.rules.options[name]
        value = self.words.value(name)
        changed = value != option.default
        tag = self.pick(("本场改动", "changed here")) if changed else self.pick(("默认", "default"))
        asked = self.own(option.question, "options", name, "question")
        title = self.words.option_label(name) + (self.pick(("：", ": ")) + asked[0] if asked else "")
        body: list[Inline] = [self.say(("现为：{n}", "In force: {n}"), n=self.reading(name, value))]
        if changed:
            body.append((Mark(self.say(("默认：{n}", "Default: {n}"), n=option.default), "note"),))
        body += [(Mark(other, "note"),) for other in self.others(name)]
        return Choice(title, tuple(body), f"option.{name}", tag, changed)

    def left_overs(self) -> list[Block]:
        """Words of the source that a reader of it will look for."""
        if not self.rules.left_overs:
            return [self.empty("left_overs")]
        terms = [Term(left.word, (self.text(left.text, "left_overs", index, "text"),)) for index, left in enumerate(self.rules.left_overs)]
        return [Terms(tuple(terms))]

    def revisions(self) -> list[Block]:
        """The dated log."""
        pick = self.pick
        if not self.rules.revisions:
            return [self.empty("revisions")]
        rows: list[tuple[Inline, ...]] = [
            (
                revision.date,
                self.text(revision.change, "revisions", index, "change"),
                self.text(revision.why, "revisions", index, "why"),
                self.text(revision.asked_by, "revisions", index, "asked_by"),
            )
            for index, revision in enumerate(self.rules.revisions)
        ]
        head = ("日期", "Date"), ("改了什么", "Change"), ("为什么", "Why"), ("谁提出", "Asked by")
        return [Table(tuple(map(pick, head)), tuple(rows))]


__all__ = ["Day", "build", "clause_ids", "show", "week", "written"]
