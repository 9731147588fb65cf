"""The names a ruleset may use, gathered from the code that gives them meaning; handed to the linter and the reference."""

from __future__ import annotations

from bansha.referee import skills
from bansha.referee.aftermath import AFTERMATH
from bansha.referee.board import DEFAULTS
from bansha.referee.reading import check_pattern
from bansha.referee.settlement import LINES
from bansha.referee.victory import CONDITIONS
from bansha.rulesets.lint import Vocabulary

OPTION_VALUES: dict[str, frozenset[str]] = {
    "close_early": frozenset({"yes", "no"}),
    "weekend": frozenset({"extend", "plain"}),
    "sped_up_spares": frozenset({"cards", "nothing"}),
    "auto_speed_up_below": frozenset({"off|N"}),
    "tie_break_scope": frozenset({"tied", "literal"}),
    "first_night_shield": frozenset({"declared", "automatic"}),
    "hybrid_told": frozenset({"faction", "nothing"}),
    "abort": frozenset({"automatic", "director"}),
    "last_words_until": frozenset({"midnight", "opening"}),
    "day1_exile": frozenset({"yes", "no"}),
    "oppose_piper": frozenset({"villagers", "wolves"}),
    "sheriff_day1_weight": frozenset({"1", "2"}),
    "charm_check": frozenset({"stage", "settlement"}),
    "grudge_wrap": frozenset({"yes", "no"}),
    "victory_moment": frozenset({"each_out", "settled"}),
    "swap": frozenset({"both", "one_way"}),
    "freeze_scope": frozenset({"stages", "all"}),
    "torch_absorbs": frozenset({"one", "all"}),
    "first": frozenset({"day", "night"}),
    "tie": frozenset({"nobody", "random"}),
}
assert OPTION_VALUES.keys() == DEFAULTS.keys()

VOCABULARY = Vocabulary(
    verbs=frozenset(skills.VERBS) | frozenset(skills.PASSIVE),
    settlement=frozenset(LINES),
    aftermath=frozenset(AFTERMATH),
    conditions=frozenset(CONDITIONS),
    options=OPTION_VALUES,
    pattern_check=check_pattern,
)
