"""The law written twice: the referee and the models of §1 to §3 come to the same in whole random games.

Compared after every step: who is out, why and in which order, what is held, told, announced and proposed, tallies, votes,
cards, dens, factions lost, the winner, last words, prompts, the clock, and whether a submission is refused. A game that
differs is named by its seed; `python -m tests.properties.duel m46 17` repeats it. `--long` plays 5,000 games.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.properties.duel import MODELS, Disagreement, play
from tests.properties.model_baichibai import COVEN, FOLK, WHISPER, Baichibai
from tests.properties.model_common import ELECTION, NOBODY, PACK, RED, Model, Rule, Skill
from tests.properties.model_m46 import M46, VILLAGERS, WOLVES
from tests.properties.model_m205 import M205

GAMES = {"m205": 440, "m46": 300, "baichibai": 300}  # about 15 s of CPU
LONG = {"m205": 1360, "m46": 1300, "baichibai": 1300}
SHARES = 4  # so that two workers have something to share
PATIENCE = 300  # games until a fault must have been noticed


def agree(name: str, seeds: Iterable[int]) -> Counter[str]:
    """Play these games; how they ended.

    Raises:
        AssertionError: some differ; the first three are told.
    """
    ends: Counter[str] = Counter()
    found: list[str] = []
    for seed in seeds:
        try:
            ends[play(name, seed).winner or "unfinished"] += 1
        except Disagreement as disagreement:
            found.append(str(disagreement))
    assert not found, f"{len(found)} games differ\n\n" + "\n\n".join(found[:3])
    return ends


def test_the_models_share_nothing_with_the_referee() -> None:
    for path in sorted(Path(__file__).parent.glob("model_*.py")):
        imports = re.findall(r"^(?:from|import) (\S+)", path.read_text("utf-8"), re.MULTILINE)
        assert not [name for name in imports if name.startswith("bansha")], path.name


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", MODELS)
def test_law_and_referee_agree(name: str, share: int, says: Callable[[str], None]) -> None:
    ends = agree(name, range(share, GAMES[name], SHARES))
    assert len(ends) >= 2, f"all games end alike: {ends}"
    says(f"models {name}: {ends.total()} games agree: {dict(ends.most_common())}")


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("name", MODELS)
def test_law_and_referee_agree_at_length(name: str, share: int, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip("only with --long")
    agree(name, range(GAMES[name] + share, GAMES[name] + LONG[name], SHARES))


# --- faults, planted in a model -----------------------------------------------------------------------------------

FAULTS: list[type[Model]] = []


def fault(kind: type[Model]) -> type[Model]:
    """A model with one thing wrong."""
    FAULTS.append(kind)
    return kind


def changed(kind: type[Model], skill: str, rule: Rule) -> dict[str, Rule]:
    """The rules of a board with another one for this skill."""
    return {**kind.RULES, skill: rule}


def noticed(kind: type[Model]) -> bool:
    """Whether one of the first games differs."""
    name = next(name for name, model in MODELS.items() if issubclass(kind, model))
    for seed in range(PATIENCE):
        try:
            play(name, seed, kind)
        except Disagreement:
            return True
    return False


# m205


@fault
class BadgeKept(M205):
    """M1: a tie leaves the sheriff the badge."""

    def exile(self) -> None:
        sheriff = self.sheriff
        super().exile()
        if not self.sheriff and sheriff in self.alive:
            self.sheriff = sheriff


@fault
class SameShieldAgain(M205):
    """守护之盾 on the same character on two consecutive nights."""

    RULES = changed(M205, "shield", Rule())


@fault
class ShieldedFromPoison(M205):
    """Shields help against poison."""

    def settle(self) -> None:
        if self.poisoned in self.shielded:
            self.poisoned = NOBODY
        super().settle()


@fault
class FeintUnseen(M205):
    """虚刀 is not shown to the witch."""

    def visible(self) -> list[int]:
        return [self.killed] if self.killed else []


@fault
class VisionKept(M205):
    """救药 leaves 通灵."""

    def do_antidote(self, witch: int, target: int) -> None:
        self.saved = target


@fault
class PoisonBeforeKill(M205):
    """M11: the poison is settled first."""

    def settle(self) -> None:
        if self.poisoned:
            self.leave([self.poisoned], "poison")
        if not self.over:
            super().settle()


@fault
class OrderedPass(M205):
    """M17: an ordered guard may still pass."""

    def may_pass(self, skill: str) -> bool:
        return not self.RULES[skill].forced


@fault
class FogForgets(M205):
    """M16: the witch keeps 毒药 under 终夜雾."""

    def do_last_fog(self, pack: int) -> None:
        poison = self.hands[self.one("witch")].get("poison")
        super().do_last_fog(pack)
        if poison:
            self.hands[self.one("witch")]["poison"] = poison


@fault
class SilencePunishedTwice(M205):
    """M6: a pass is no answer."""

    def silences(self) -> None:
        self.answered.discard(PACK)
        super().silences()


@fault
class FourFarewells(M205):
    """C11: last words for the first four."""

    LAST_WORDS = 4


# m46


@fault
class WeakSheriff(M46):
    """The sheriff's exile vote counts 1."""

    def weight(self, voter: int, ballot: int) -> int:
        return 1


@fault
class LastReached(M46):
    """G6: on equal counts who reached that count last."""

    def elect(self) -> None:
        self.votes[ELECTION] = {seat: (target, -at) for seat, (target, at) in self.votes[ELECTION].items()}
        super().elect()


@fault
class DeafShield(M46):
    """隔音之盾 does not stop the pipe."""

    def do_mute_shield(self, guard: int, target: int) -> None:
        self.muted = NOBODY


@fault
class MoreThanHalf(M46):
    """The wolves need more than half."""

    def winners(self) -> Iterable[str]:
        half = 2 * len(self.members(WOLVES)) == len(self.alive)
        return (faction for faction in super().winners() if faction != WOLVES or not half)


@fault
class ThirdRedLoses(M46):
    """G9: the third red card of a faction loses it."""

    def red(self, seat: int) -> None:
        faction = self.faction[seat]
        reds = sum(self.standing(member)[2] for member in self.role if self.faction[member] == faction)
        if reds == 2 and self.phase != "day":
            Model.red(self, seat)
        else:
            super().red(seat)


@fault
class ShieldAnew(M46):
    """守护之盾 on one character any number of times."""

    RULES = changed(M46, "shield", Rule())


@fault
class LostWolvesKill(M46):
    """The wolves judged lost keep 杀人."""

    def lose(self, faction: str) -> None:
        Model.lose(self, faction)


@fault
class AlwaysWraps(M46):
    """G11: seats wrap around whatever the option says."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)
        self.options = {**self.options, "grudge_wrap": "yes"}


@fault
class SameSide(M46):
    """G2: the avenger joins the side of its target."""

    def do_revenge(self, avenger: int, target: int) -> None:
        super().do_revenge(avenger, target)
        self.faction[avenger] = self.faction[target] if self.faction[target] == WOLVES else VILLAGERS


@fault
class RedVotesCount(M46):
    """G8: the votes cast by one red-carded that day count."""

    def void_by_day(self, seat: int, why: str) -> None:
        if why != RED:
            super().void_by_day(seat, why)


@fault
class ShotAfterRed(M46):
    """C12: a red-carded hunter shoots."""

    def set_off(self, seat: int, why: str) -> None:
        super().set_off(seat, "exile" if why == RED and self.role[seat] == "hunter" else why)


# baichibai


@fault
class SameTorchAgain(Baichibai):
    """蚀月火炬 on the same one on consecutive nights."""

    RULES = changed(Baichibai, "torch", Rule())


@fault
class EternalWard(Baichibai):
    """守护 absorbs every strike."""

    def land(self, target: int) -> int:
        held = self.hands[target].get("ward")
        landed = super().land(target)
        if held:
            self.hands[target]["ward"] = held
        return landed


@fault
class MortalSaint(Baichibai):
    """坚韧 does nothing."""

    def immune(self, seat: int) -> bool:
        return seat in (self.saved, self.lit)


@fault
class CounterKept(Baichibai):
    """防反 is not lost when it has moved a strike."""

    def land(self, target: int) -> int:
        held = self.hands[target].get("counter")
        landed = super().land(target)
        if held:
            self.hands[target]["counter"] = held
        return landed


@fault
class FiveWhisper(Baichibai):
    """The whisper wins at five."""

    def winners(self) -> Iterable[str]:
        yield from super().winners()
        if len(self.alive) == 5 and self.members(WHISPER):
            yield WHISPER


@fault
class LightCurse(Baichibai):
    """诅咒 +1."""

    def count_votes(self, ballot: int) -> dict[int, int]:
        cursed = self.cursed if self.cursed in self.alive else NOBODY
        counts = super().count_votes(ballot)
        return {seat: count - (seat == cursed) for seat, count in counts.items()}


@fault
class OneWaySwap(Baichibai):
    """B6: 隐患 works one way only, whatever the option says."""

    def exile(self) -> None:
        self.options = {**self.options, "swap": "one_way"}
        super().exile()


@fault
class OrderlyVision(Baichibai):
    """B9: 灵通 lists seats in order, once each."""

    def visible(self) -> list[int]:
        return sorted(set(super().visible()))


@fault
class FolkFirst(Baichibai):
    """Several at once: the folk before the cult."""

    ORDER = Baichibai.ORDER[::-1]


@fault
class ShootToTheFolk(Baichibai):
    """B15: 枪决 never passes to the hunter's shadow."""

    def passing_on(self, hunter: int) -> None:
        host, self.host = self.host, NOBODY
        super().passing_on(hunter)
        self.host = host


@fault
class FreshInheritance(Baichibai):
    """B18: 附身 brings the host's skills unused."""

    def inheritance(self, host: int) -> None:
        super().inheritance(host)
        for skill in self.hands[host].keys() & self.hands[self.seat("shadow")].keys() - {"shoot"}:
            self.hands[self.seat("shadow")][skill] = Skill()


@fault
class CovenAlone(Baichibai):
    """The coven wins though the zoo lives."""

    def winners(self) -> Iterable[str]:
        yield from super().winners()
        if not self.members(FOLK):
            yield COVEN


# every board


def wrong(kind: type[Model], **methods: Callable[..., object]) -> type[Model]:
    """A board with other methods of §0."""
    (method,) = methods.values()
    return type(f"{kind.__name__}_{method.__name__}", (kind,), {**methods, "__doc__": method.__doc__})


def late_change(self: Model) -> None:
    """C17: changes until the close."""


def half_rounded_down(self: Model, seat: int, kind: str) -> None:
    """C21: one signature less than half passes."""
    Model.sign(self, seat, kind)
    if kind not in self.passed and 2 * (len(self.signed[kind]) + 1) >= len(self.alive) and kind != "abort":
        self.passed.add(kind)
        self.carry(kind)


def any_change(self: Model, seat: int, ballot: int, target: int) -> None:
    """C17: any number of changes."""
    Model.change(self, seat, ballot, target)
    self.changed.discard((ballot, seat))


def first_of_a_tie(self: Model, ballot: int) -> list[int]:
    """C16: of a tie the first seat."""
    return sorted(Model.top(self, ballot))[:1]


fault(wrong(M46, need_thaw=late_change))
fault(wrong(M205, sign=half_rounded_down))
fault(wrong(Baichibai, change=any_change))
fault(wrong(Baichibai, top=first_of_a_tie))


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.__name__)
def test_a_planted_fault_is_noticed(kind: type[Model]) -> None:
    assert noticed(kind), f"not in {PATIENCE} games: {kind.__doc__}"
