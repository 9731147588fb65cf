"""What is unusual on a board, for two kinds of reader, in at most a dozen lines.

〔老〕 marks what differs from the town's older boards (小镇传统), 〔新〕 what differs from the common modern board. Both
are small profiles here; every line is made from the ruleset's own data and compared with them, so the brief cannot say
anything else than the referee does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from bansha.rulesets.load import Loaded
from bansha.rulesets.model import Skill
from bansha.rulesets.words import Words, number

MOST: Final = 12
OLD: Final = "〔老〕"
NEW: Final = "〔新〕"

# What a reader of each kind takes for granted, feature by feature. None: that reader has no expectation.
OLDER: Final[dict[str, str | None]] = {
    "sheriff": "2",
    "exile_tie": "nobody",
    "election": "election first_reached",
    "start": "day",
    "overlap": "one",
    "antidote": "any",
    "guard": "once",
    "victory": "parity",
    "factions": "2",
    "moment": "each_out",
    "skills": "join mark attack vision read charm read_some last_shot handover",
    "handover": "forced random",
    "shot": "red_card",
    "last_words": "first opening",
    "silence": "pass",
    "days": "2 1",
    "weekend": "plain",
    "surrender": "yes",
}
MODERN: Final[dict[str, str | None]] = {
    "sheriff": "1.5",
    "exile_tie": "pk",
    "election": "election exile pk",
    "start": "night",
    "overlap": "kills",
    "antidote": "first",
    "guard": "not_consecutive",
    "victory": "edge",
    "factions": "2",
    "moment": "settlement",
    "skills": "mark attack vision read last_shot handover",
    "handover": "free torn",
    "shot": "poison",
    "last_words": "exiled",
    "silence": None,
    "days": None,
    "weekend": None,
    "surrender": None,
}


class Line(NamedTuple):
    """One feature of a board: its value in the terms of the profiles, and the sentence about it."""

    value: str
    text: str


def brief(loaded: Loaded, lang: str = "zh", options: Mapping[str, str] | None = None) -> list[str]:
    """At most a dozen lines: the features that differ from one of the profiles or from both, the weightiest first.

    Raises:
        OptionError: an option or value the ruleset does not have.
    """
    words = Words(loaded.ruleset, lang, options)
    lines = []
    for name, feature in FEATURES.items():
        for value, text in feature(words):
            marks = "".join(
                mark
                for mark, profile in ((OLD, OLDER), (NEW, MODERN))
                if profile[name] is not None and _differs(name, value, profile[name])
            )
            if marks:
                lines.append(f"{marks}{words.begin(text)}{words.stop}")
    return lines[:MOST]


def _differs(name: str, value: str, usual: str | None) -> bool:
    if name == "skills":
        return not set(value.split()) <= set((usual or "").split())
    return value != usual


def _sheriff(words: Words) -> Iterator[Line]:
    badge = words.ruleset.badge
    if badge is None:
        yield Line("none", words.pick(("没有警长", "there is no sheriff")))
    else:
        pair = ("警长的放逐票计 {n} 票", "the sheriff's exile vote counts {n}")
        yield Line(number(badge.weight), words.say(pair, n=number(badge.weight)))


def _exile_tie(words: Words) -> Iterator[Line]:
    tie = words.exile_tie()
    text = f"{words.label('ballots.exile_tie')}{words.pick(('：', ': '))}{words.setting('ballots.exile_tie', tie)}"
    value = tie
    badge = words.ruleset.badge
    if tie == "sheriff_vote":
        text += words.pick(("（", " (")) + words.option("tie_break_scope") + words.pick(("）", ")"))
    if badge is not None and badge.lost_on_tie:
        value += " lost"
        text += words.pick(("；", "; ")) + words.setting("badge.lost_on_tie")
    yield Line(value, text)


def _election(words: Words) -> Iterator[Line]:
    kinds = words.first_ballots()
    says = {
        ("election",): ("第一日只竞选警长，不放逐", "day one only elects the sheriff, nobody is exiled"),
        ("exile",): ("第一日就放逐，没有竞选", "day one exiles already, there is no election"),
        ("election", "exile"): ("第一日既竞选警长也放逐", "day one elects the sheriff and exiles"),
    }
    text = words.pick(says.get(tuple(kinds), ("第一日没有投票", "no ballot on day one")))
    value = " ".join(kinds)
    if "election" in kinds:
        value += f" {words.ruleset.ballots.election_tie}"
        text += f"{words.pick(('；', '; '))}{words.label('ballots.election_tie')}{words.pick(('：', ': '))}"
        text += words.setting("ballots.election_tie")
    yield Line(value, text)


def _start(words: Words) -> Iterator[Line]:
    if words.start() == "day":
        yield Line("day", words.pick(("先有一个白天，才到第一夜", "a day comes first, night one after it")))
    else:
        kills = any(skill.verb == "attack" for skill in words.ruleset.skills.values())
        pair = ("从第零夜开始，当夜就能杀人", "it starts with night zero, on which there may be kills already")
        calm = ("从第零夜开始", "it starts with night zero")
        yield Line("night", words.pick(pair if kills else calm))


def _overlap(words: Words) -> Iterator[Line]:
    for line in words.ruleset.settlement:
        shields = [name for name in line.voided_by if name in words.ruleset.skills]
        cure = [name for name in shields if words.ruleset.skills[name].limited]
        guard = [name for name in shields if not words.ruleset.skills[name].limited]
        if line.line == "attack" and cure and guard:
            both = words.skills([*guard[-1:], *cure[:1]])
            says = {
                "one": ("{n}同在一人身上，只抵这一次，不会反而出局", "{n} on one target cancel the one kill and do not undo each other"),
                "kills": ("{n}同在一人身上，反而出局", "{n} on one target undo each other: it is out"),
            }
            yield Line(line.overlap, words.say(says[line.overlap], n=both))


def _saves(words: Words, limited: bool) -> Iterator[tuple[str, Skill]]:
    """Marks with a target that hold off a kill or strike: the limited ones are cures, the others guards."""
    for name, skill in words.ruleset.skills.items():
        holds = any(name in (*line.voided_by, *line.immune) for line in words.ruleset.settlement)
        if skill.verb == "mark" and holds and skill.targets and skill.limited == limited:
            yield name, skill


def _antidote(words: Words) -> Iterator[Line]:
    for name, skill in _saves(words, limited=True):
        value = "never" if skill.other else "first" if skill.self_only_first_night else "any"
        says = {
            "never": ("{n}不可用于自己", "{n} never on oneself"),
            "first": ("{n}只有头一夜（{first}）可用于自己", "{n} on oneself on the first night ({first}) only"),
            "any": ("{n}哪一夜都可用于自己", "{n} on oneself on any night"),
        }
        yield Line(value, words.say(says[value], n=words.quoted(name)))


def _guard(words: Words) -> Iterator[Line]:
    for name, skill in _saves(words, limited=False):
        value = "once" if skill.once_per_target else "not_consecutive" if skill.not_consecutive else "free"
        says = {
            "once": ("{n}对每名角色全场只能用一次", "{n} on each character once a game"),
            "not_consecutive": (
                "{n}不可连续两夜用于同一人，隔一夜可以再用",
                "{n} not on the same character two nights running, but again after a night",
            ),
            "free": ("{n}可以夜夜用于同一人", "{n} on the same character night after night"),
        }
        yield Line(value, words.say(says[value], n=words.quoted(name)))


def _victory(words: Words) -> Iterator[Line]:
    packs = {skill.pack for skill in words.ruleset.skills.values() if skill.verb == "attack" and skill.pack}
    for faction in sorted(packs):
        ends = words.ruleset.victory.factions.get(faction)
        if ends is None or not ends.wins:
            continue
        kinds = [condition.when for condition in ends.wins]
        value = "parity" if kinds == ["parity"] else "edge" if kinds == ["roles_out", "roles_out"] else "other"
        conditions = [words.condition(faction, condition) for condition in ends.wins]
        said = words.pick(("；或", "; or ")).join(conditions)
        yield Line(value, words.say(("{faction}胜：{n}", "victory of {faction}: {n}"), faction=words.faction(faction), n=said))


def _factions(words: Words) -> Iterator[Line]:
    names = list(words.ruleset.victory.order)
    pair = (
        "{n} 个阵营各有胜负，只有一方能胜；同时满足的，依次为{names}",
        "{n} factions with conditions of their own, one of which wins; precedence: {names}",
    )
    yield Line(str(len(names)), words.say(pair, n=len(names), names=words.factions(names, "")))


def _moment(words: Words) -> Iterator[Line]:
    moment = words.ruleset.victory.moment
    kills = [line.skill for line in words.ruleset.settlement if line.line == "attack"]
    text = words.setting("victory.moment")
    if moment == "each_out" and len(kills) > 1:
        order = words.pick(("，", ", ")).join(words.skill(name) for name in kills)
        text += words.say(("（夜里依次是{n}，先分出胜负的为准）", " (at night in this order: {n}; whoever has won first has won)"), n=order)
    label = words.pick(("查胜负：", "Victory is checked "))
    yield Line(moment, label + text)


def _skills(words: Words) -> Iterator[Line]:
    rules = words.ruleset
    read = {line.skill for line in rules.settlement} | {name for line in rules.settlement for name in line.skills}
    odd: dict[str, str] = {}
    for name, skill in rules.skills.items():
        verb = skill.verb
        if verb == "attack" and name not in read:
            verb = "feint"
        elif verb == "mark" and not skill.targets:
            verb = "own_mark"
        odd[name] = verb
    for profiles in ((OLDER, MODERN), (MODERN,)):
        usual = {verb for profile in (OLDER, MODERN) for verb in (profile["skills"] or "").split()}
        modern = set((MODERN["skills"] or "").split())
        names = [n for n, v in odd.items() if (v not in usual if len(profiles) == 2 else v in usual and v not in modern)]
        if names:
            pair = ("少见的技能：{n}", "skills not often met: {n}")
            said = words.join((words.skill(name) for name in names), "")
            yield Line(" ".join(odd[name] for name in names), words.say(pair, n=said))


def _handover(words: Words) -> Iterator[Line]:
    badge = words.ruleset.badge
    if badge is None:
        return
    handover = words.ruleset.skills.get("handover")
    value = f"{'forced' if handover is not None and handover.forced else 'free'} {badge.silence}"
    pair = ("警长出局：{n}；不答：{silence}", "sheriff out: {n}; silence: {silence}")
    said = words.say(pair, n=words.handover(), silence=words.setting("badge.silence"))
    yield Line(value, said)


def _shot(words: Words) -> Iterator[Line]:
    for name, skill in words.ruleset.skills.items():
        if skill.verb != "last_shot":
            continue
        poison = [cause for cause in skill.not_after if cause in words.ruleset.skills]
        value = "poison" if poison else " ".join(skill.not_after)
        causes = words.join((words.cause(cause) for cause in skill.not_after), "or") or words.pick(("无", "nothing"))
        pair = ("{n}：除了因{causes}出局，怎样出局都能开枪", "{n}: however out, except by {causes}")
        yield Line(value, words.say(pair, n=words.quoted(name), causes=causes))


def _last_words(words: Words) -> Iterator[Line]:
    count = words.ruleset.last_words.count
    if not count:
        yield Line("none", words.setting("last_words.count"))
        return
    until = words.value("last_words_until")
    pair = ("遗言只有{n}有，{until}交", "last words only for {n}, due {until}")
    said = words.say(pair, n=words.setting("last_words.count"), until=words.option("last_words_until"))
    yield Line(f"first {until}", said)


def _silence(words: Words) -> Iterator[Line]:
    carded = any(skill.silence for skill in words.ruleset.skills.values())
    pair = ("夜里到时不答（放弃也算答），要发牌", "silence at night is carded (a pass is an answer)")
    calm = ("夜里不答算放弃，不发牌", "silence at night is a pass and is not carded")
    yield Line("card" if carded else "pass", words.pick(pair if carded else calm))


def _days(words: Words) -> Iterator[Line]:
    calendar = words.ruleset.calendar
    pair = ("第一日 {n} 个自然日，其后每日 {later} 个", "day one lasts {n} natural day[s], later days {later}")
    said = words.say(pair, n=calendar.first_day, later=calendar.later_days)
    yield Line(f"{calendar.first_day} {calendar.later_days}", said)


def _weekend(words: Words) -> Iterator[Line]:
    label = words.pick(("周末：", "weekends: "))
    yield Line(words.value("weekend"), label + words.option("weekend"))


def _surrender(words: Words) -> Iterator[Line]:
    surrender = words.ruleset.surrender
    if surrender is None:
        yield Line("no", words.pick(("不能投降", "there is no surrender")))
    else:
        yield Line("yes", words.say(("{n}可以投降", "{n} may surrender"), n=words.faction(surrender.faction)))


FEATURES: Final[dict[str, Callable[[Words], Iterator[Line]]]] = {
    "sheriff": _sheriff,
    "exile_tie": _exile_tie,
    "election": _election,
    "start": _start,
    "factions": _factions,
    "victory": _victory,
    "overlap": _overlap,
    "antidote": _antidote,
    "guard": _guard,
    "moment": _moment,
    "skills": _skills,
    "shot": _shot,
    "handover": _handover,
    "last_words": _last_words,
    "silence": _silence,
    "days": _days,
    "weekend": _weekend,
    "surrender": _surrender,
}
