"""A ruleset compiled for play: names become small integers, lists become tables. Compiled once per (hash, options)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bansha.referee.reading import Patterns
from bansha.rulesets.model import Skill

if TYPE_CHECKING:  # reading YAML is the caller's business
    from bansha.rulesets.load import Loaded

ABSTAIN = "弃权"
EXILE, ELECTION = 0, 1
BALLOTS = ("exile", "election")
DAY_MINUTES = 1440

PROMPT_VERBS = frozenset({"play_dumb", "last_shot", "handover"})
PASSIVE_VERBS = frozenset({"steadfast", "sanctity", "execution"})

# Options every board may be read with; a ruleset that does not list one is played at this value.
DEFAULTS: dict[str, str] = {
    "close_early": "no",
    "weekend": "plain",
    "sped_up_spares": "cards",
    "auto_speed_up_below": "off",
    "tie_break_scope": "tied",
    "first_night_shield": "declared",
    "hybrid_told": "faction",
    "abort": "automatic",
    "last_words_until": "opening",
    "day1_exile": "yes",
    "oppose_piper": "villagers",
    "sheriff_day1_weight": "",
    "charm_check": "stage",
    "grudge_wrap": "yes",
    "victory_moment": "each_out",
    "swap": "both",
    "freeze_scope": "stages",
    "torch_absorbs": "one",
    "first": "",
    "tie": "",
}


class BadOption(ValueError):
    """An option or a value the ruleset does not have; says what would be legal."""


def parse_clock(text: str) -> int:
    """Minutes after midnight of "HH:MM"."""
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


class SkillTable:
    """One skill, compiled. Integer names: `index` is the skill's number in the board; `raw` reads slower than these slots."""

    __slots__ = (
        "adjacent", "amount", "automatic", "becomes", "den", "doubles", "excludes", "forced", "id", "immediate", "index",
        "limited", "loses", "needs_last", "night_rule", "not_consecutive", "once_per_target", "other", "pack", "passive", "plain",
        "prompted", "raw", "self_first", "setup", "share", "shows", "silence", "single", "stage", "targets", "verb", "zh",
    )  # fmt: skip

    def __init__(self, index: int, id: str, raw: Skill) -> None:
        self.index = index
        self.id = id
        self.raw = raw
        self.zh = raw.name.zh
        self.verb = raw.verb
        self.forced = raw.forced
        self.limited = raw.limited
        self.automatic = raw.automatic
        self.immediate = raw.immediate
        self.passive = raw.automatic or raw.verb in PASSIVE_VERBS  # never handed in
        self.prompted = raw.verb in PROMPT_VERBS  # handed in as the answer to a prompt only
        self.night_rule = raw.nights
        self.targets = raw.targets
        self.other = raw.other
        self.not_consecutive = raw.not_consecutive
        self.once_per_target = raw.once_per_target
        self.adjacent = raw.adjacent
        self.self_first = raw.self_only_first_night
        self.share = raw.share
        self.silence = raw.silence
        self.amount = raw.amount
        self.needs_last = raw.verb == "fog"
        self.pack = -1
        self.stage = -1
        self.setup = -1
        self.excludes: tuple[int, ...] = ()
        self.loses: tuple[int, ...] = ()
        self.shows: frozenset[int] = frozenset()
        self.becomes = -1
        self.doubles = -1
        self.den: tuple[int, ...] = ()
        # one target; and no rule about which: the commonest cases of the legality check
        self.single = raw.targets == 1 and not raw.share
        self.plain = raw.targets == 1 and not (
            raw.other or raw.not_consecutive or raw.once_per_target or raw.adjacent or raw.self_only_first_night
        )


class Board:
    """Everything the referee looks up while a game runs. Immutable after construction."""

    def __init__(self, loaded: Loaded, options: Mapping[str, str]) -> None:
        rules = loaded.ruleset
        self.rules = rules
        self.hash = loaded.hash
        self.id = rules.id
        self.option = self._options(options)
        opt = self.option
        self.role_ids = list(rules.roles)
        self.role_index = {name: i for i, name in enumerate(self.role_ids)}
        self.faction_ids = list(rules.factions)
        self.faction_index = {name: i for i, name in enumerate(self.faction_ids)}
        self.skill_ids = list(rules.skills)
        self.skill_index = {name: i for i, name in enumerate(self.skill_ids)}
        self.skills = [SkillTable(i, name, rules.skills[name]) for i, name in enumerate(self.skill_ids)]
        number = self.skill_index
        self.packs = sorted({self.faction_index[s.pack] for s in rules.skills.values() if s.pack})
        for table in self.skills:
            raw = table.raw
            table.excludes = tuple(number[name] for name in raw.excludes)
            table.loses = tuple(number[name] for name in raw.loses)
            table.shows = frozenset(number[name] for name in raw.shows)
            table.becomes = number[raw.becomes] if raw.becomes else -1
            table.doubles = number[raw.doubles] if raw.doubles else -1
            table.pack = self.packs.index(self.faction_index[raw.pack]) if raw.pack else -1
            table.den = tuple(self.faction_index[name] for name in raw.den)
        self.role_faction = [self.faction_index.get(r.faction, -1) for r in rules.roles.values()]
        self.faction_roles = [
            tuple(role for role, own in enumerate(self.role_faction) if own == faction) for faction in range(len(self.faction_ids))
        ]
        shield_auto = opt["first_night_shield"] == "automatic"
        self.auto_shield = number.get("first_night_shield", -1) if shield_auto else -1
        self.role_skills: list[tuple[int, ...]] = []
        self.role_auto_shield: list[bool] = []
        for role in rules.roles.values():
            hand = [number[name] for name in role.skills if not rules.skills[name].pack]
            self.role_auto_shield.append(self.auto_shield in hand)
            self.role_skills.append(tuple(s for s in hand if s != self.auto_shield))
        self.pack_skills = [tuple(t.index for t in self.skills if t.pack == p) for p in range(len(self.packs))]
        self.setup = [number[name] for name in rules.setup]
        for order, index in enumerate(self.setup):
            self.skills[index].setup = order
        # A stage closes at its limit (C8), stages with one limit in the published order (C5): m46's seer is answered at
        # 21:30, before the witch's stage closes.
        night = sorted(rules.night, key=lambda stage: stage.window[1])
        self.stages = [tuple(number[name] for name in stage.stage) for stage in night]
        for order, stage in enumerate(self.stages):
            for index in stage:
                self.skills[index].stage = order
        self.stage_automatic = [tuple(i for i in stage if self.skills[i].verb == "vision") for stage in self.stages]
        # what a stage executes as it closes: visions have been answered, what is immediate has happened
        self.stage_closing = [
            tuple(table for table in (self.skills[i] for i in stage) if table.verb != "vision" and (table.automatic or not table.immediate))
            for stage in self.stages
        ]
        self.windows = [tuple(stage.window) for stage in night]
        self.window_after = [number[stage.after] if stage.after else -1 for stage in night]
        # whether anything can happen as a stage is entered (night.enter)
        self.stage_enters = [bool(auto) or after >= 0 for auto, after in zip(self.stage_automatic, self.window_after, strict=True)]
        self.window_without = [tuple(stage.without) for stage in night]
        self.full_limit = max((window[1] for window in self.windows), default=0)
        self.settlement = rules.settlement
        self.aftermath = rules.aftermath
        self.after_line = {line.line: i for i, line in enumerate(rules.aftermath)}
        self.after_skills = [self.skills[number[line.skill]] for line in rules.aftermath]
        self.handover = number.get("handover", -1)
        self.opens = parse_clock(rules.calendar.opens)
        self.closes = parse_clock(rules.calendar.closes)
        start = opt["first"] or rules.calendar.start
        self.starts_at_night = start == "night"
        self.exile_tie = opt["tie"] or rules.ballots.exile_tie
        self.first_ballots = tuple(
            BALLOTS.index(name)
            for name in rules.ballots.first_day
            if not (name == "exile" and "election" in rules.ballots.first_day and opt["day1_exile"] == "no")
        )
        self.later_ballots = tuple(BALLOTS.index(name) for name in rules.ballots.later)
        badge = rules.badge
        self.badge = badge
        self.weight = round(2 * badge.weight) if badge else 2
        first = opt["sheriff_day1_weight"]
        self.weight_first = round(2 * float(first)) if first else self.weight
        self.close_early = opt["close_early"] == "yes"
        self.role_list = list(rules.roles.values())
        self.each_out = rules.victory.moment == "each_out"
        self.after_shots = opt["victory_moment"] == "settled"
        auto = opt["auto_speed_up_below"]
        self.auto_speed_up = 0 if auto == "off" else int(auto)
        self.order = [self.faction_index[name] for name in rules.victory.order]
        self.charm_stage = next((t.stage for t in self.skills if t.verb == "charm"), -1)
        self.reds = rules.cards.red
        self.patterns = Patterns(
            [(id, list(clause.patterns), list(clause.detectors)) for id, clause in rules.conduct.items()]
        )
        self.names_skill: dict[str, list[int]] = {}
        for table in self.skills:
            for name in {table.id, table.raw.name.zh, table.raw.name.en, *table.raw.aliases}:
                self.names_skill.setdefault(name, []).append(table.index)
        self.names_role = _names(rules.roles)
        self.names_faction = _names(rules.factions)
        self.extra: dict[str, Any] = {}

    def _options(self, given: Mapping[str, str]) -> dict[str, str]:
        known = self.rules.options
        result = dict(DEFAULTS)
        result.update({name: option.default for name, option in known.items()})
        for name, value in given.items():
            if name not in known:
                raise BadOption(f"option {name!r} is not one of {', '.join(known)}")
            text = str(value)
            legal = known[name].values
            if legal == ["off|N"]:
                if text != "off" and not (text.isascii() and text.isdigit()):
                    raise BadOption(f"option {name}: {text!r} is neither off nor a number of seats")
            elif text not in legal:
                raise BadOption(f"option {name}: {text!r} is not one of {', '.join(legal)}")
            result[name] = text
        return result

    def skill_zh(self, index: int) -> str:
        """Chinese name of skill number `index`."""
        return self.skills[index].zh

    def faction_zh(self, index: int) -> str:
        """Chinese name of faction number `index` (-1: none)."""
        return self.rules.factions[self.faction_ids[index]].name.zh if index >= 0 else "无"


def _names(things: Mapping[str, Any]) -> dict[str, int]:
    result: dict[str, int] = {}
    for index, (id, thing) in enumerate(things.items()):
        for name in (id, thing.name.zh, thing.name.en):
            result.setdefault(name, index)
    return result


_boards: dict[tuple[str, tuple[tuple[str, str], ...]], Board] = {}


def compile_board(loaded: Loaded, options: Mapping[str, str] | None = None) -> Board:
    """The compiled board of a ruleset with these options; cached by content hash and options.

    Raises:
        BadOption: an unknown option or value.
    """
    key = (loaded.hash, tuple(sorted((name, str(value)) for name, value in (options or {}).items())))
    board = _boards.get(key)
    if board is None:
        board = _boards[key] = Board(loaded, options or {})
        if len(_boards) > 400:
            _boards.pop(next(iter(_boards)))
    return board
