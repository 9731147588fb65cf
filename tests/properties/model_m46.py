"""§2 of the law (m46) written a second time, for tests: G1 to G18, on top of §0 in model_common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tests.properties.model_common import ELECTION, EXILE, NOBODY, PACK, RED, Model, Rule, need

WOLVES, VILLAGERS, PIPER = "wolves", "villagers", "piper"
NUMBERS = "1.1 1.2 1.3 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3.1 3.2 4.1 4.2 4.3 4.4 4.5 4.6 6.1 6.2 6.3 6.4 7.1 7.2 7.3 7.4 8.1"
CONDUCT = {  # §5, of m46 and baichibai
    **dict.fromkeys(NUMBERS.split(), ("blue", "yellow", "red")),
    **dict.fromkeys(("5.1", "5.2", "5.3"), ("yellow",)),
    "替补": ("red",),
}


class M46(Model):
    """瓦斯大大见面会 14 人局."""

    ROLES: ClassVar = {
        "wolf": (WOLVES, ()),
        "piper": (PIPER, ("charm",)),
        "avenger": ("", ("revenge", "grudge")),
        "seer": (VILLAGERS, ("check",)),
        "witch": (VILLAGERS, ("vision", "antidote", "poison")),
        "guard": (VILLAGERS, ("shield", "mute_shield")),
        "hunter": (VILLAGERS, ("last_shot",)),
        "villager": (VILLAGERS, ()),
    }
    SEATS: ClassVar = ("wolf",) * 4 + ("piper", "avenger", "seer", "witch", "guard", "hunter") + ("villager",) * 4
    RULES: ClassVar = {
        "revenge": Rule(other=True, forced=True),
        "shield": Rule(once_each=True),
        "mute_shield": Rule(once_each=True),
        "charm": Rule(other=True),
        "kill": Rule(pack=True),
        "vision": Rule(targets=0, forced=True, automatic=True),
        "antidote": Rule(limited=True, excludes="poison"),
        "poison": Rule(limited=True, excludes="antidote"),
        "check": Rule(),
        "grudge": Rule(targets=3, limited=True),
        "last_shot": Rule(other=True, limited=True),
        "handover": Rule(other=True, forced=True),
    }
    SETUP: ClassVar = ("revenge",)
    STAGES: ClassVar = (  # C8: each closes at its limit, so the seer and the avenger before the witch
        (30, ("shield", "mute_shield")),
        (30, ("charm",)),
        (30, ("kill",)),
        (30, ("check", "grudge")),
        (60, ("vision", "antidote", "poison")),
    )
    ORDER: ClassVar = (PIPER, WOLVES, VILLAGERS)  # G14
    OPTIONS: ClassVar = {
        "charm_check": ("stage", "settlement"), "grudge_wrap": ("yes", "no"), "oppose_piper": ("villagers", "wolves"),
        "day1_exile": ("yes", "no"), "sheriff_day1_weight": ("1", "2"), "victory_moment": ("each_out", "settled"),
    }  # fmt: skip
    COLOURS: ClassVar = CONDUCT
    STARTS_AT_NIGHT = True
    LAST_WORDS = 4
    FIRST_DAY = 2
    WEEKEND = "plain"
    elected_today = False
    without_vision = False
    charm_waits = False  # G10 settlement: tonight's charms are not judged yet
    proposed = False  # G16: a surrender is proposed …
    declined = False  # … or was declined since the opening

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.charmed = set[int]()
        self.asked = set[int]()
        self.fresh_night()

    # --- setup ----------------------------------------------------------------------------------------------------

    def do_revenge(self, avenger: int, target: int) -> None:
        """雪恨, G2: joins the opposing faction; G3: told which."""
        opposing = {VILLAGERS: WOLVES, WOLVES: VILLAGERS, PIPER: self.options["oppose_piper"]}
        self.faction[avenger] = opposing[self.faction[target]]
        self.tell(avenger, "revenge", self.faction[avenger])

    # --- the day --------------------------------------------------------------------------------------------------

    def ballots_of(self, day: int) -> tuple[int, ...]:
        """G1."""
        self.elected_today = False
        self.declined = False
        if day > 1:
            return (EXILE,)
        return (EXILE, ELECTION) if self.options["day1_exile"] == "yes" else (ELECTION,)

    def opening(self) -> None:
        """C13: the sheriff in office, if there is one alive; once, if it is new."""
        if self.sheriff in self.alive and ("警长", self.sheriff) not in self.later:
            self.announce("警长", self.sheriff)

    def before_count(self) -> None:
        """G16: a proposal is open until the next close."""
        self.proposed = False

    def elect(self) -> None:
        """G6: most votes; on equal counts who first reached that count by votes in force; a red-carded one is skipped."""
        counts = {seat: count for seat, count in self.counted[ELECTION].items() if seat in self.alive}
        reached = {seat: max(at for target, at in self.votes[ELECTION].values() if target == seat) for seat in counts}
        self.sheriff = max(counts, key=lambda seat: (counts[seat], -reached[seat]), default=NOBODY)
        self.elected_today = True
        self.announce("警长", self.sheriff or "none")

    def weight(self, voter: int, ballot: int) -> int:
        """The sheriff's exile vote counts 2; G6: on the day of the election as the option says."""
        if ballot == ELECTION or voter != self.sheriff:
            return 1
        return int(self.options["sheriff_day1_weight"]) if self.elected_today else 2

    def exile(self) -> None:
        """Most votes is out; a tie, or one of the first red-carded that day (G8): nobody."""
        top = self.top(EXILE)
        if len(top) == 1 and top[0] in self.alive:
            self.announce("放逐", top[0])
            self.leave(top, "exile")
        else:
            self.announce("放逐", "none")

    def void_by_day(self, seat: int, why: str) -> None:
        """G8: votes cast by one red-carded are void, votes for it stand. C25: of one taken out the other way round."""
        if why != RED:
            self.void_votes(seat)
            return
        for ballot, votes in self.votes.items():
            if seat in votes:
                self.void(seat, ballot)

    def badge_of_red(self) -> None:
        """Random among the living, at once."""
        self.hand_over(self.draw("badge", sorted(self.alive), 1)[0])

    def silent_handover(self) -> None:
        """Random among the living."""
        self.hand_over(self.draw("handover", sorted(self.alive), 1)[0])

    def red(self, seat: int) -> None:
        """G8; G9: the second red card of a faction, in or out, judges it lost at once."""
        super().red(seat)
        faction = self.faction[seat]
        reds = sum(self.standing(member)[2] for member in self.role if self.faction[member] == faction)
        if reds >= 2 and faction not in self.lost and not self.over:
            self.judge_lost(faction)

    # --- surrender ------------------------------------------------------------------------------------------------

    def surrender(self, seat: int, answer: str) -> None:
        """G16."""
        need(self.phase not in ("setup", "over"), "not now")
        if not answer:
            need(seat in self.alive and self.faction[seat] == WOLVES and WOLVES not in self.lost, "may not propose")
            need(not self.proposed and not self.declined, "proposed already")
            self.proposed = True
            self.asked = {member for member in self.role if self.in_pack(member)} - {seat}
        else:
            need(self.proposed and seat in self.asked, "not asked")
            if answer == "decline":
                self.proposed, self.declined = False, True
                return
            self.asked.discard(seat)
        if not self.asked:
            self.proposed = False
            self.judge_lost(WOLVES)
            self.follow_if_quiet()

    # --- the night ------------------------------------------------------------------------------------------------

    def fresh_night(self) -> None:
        """Nothing done yet tonight."""
        self.shielded = self.muted = self.killed = self.saved = self.poisoned = NOBODY
        self.without_vision = False

    def limit(self, stage: int) -> int:
        """The witch: 30–60 from the vision; without the vision, or out: 0–30."""
        if stage < len(self.STAGES) - 1:
            return super().limit(stage)
        blind = self.without_vision if self.stage == stage else not self.sees()
        return self.night_from + (30 if blind else 60)

    def sees(self) -> bool:
        """Whether a living witch has the vision."""
        return any("vision" in self.hands[seat] for seat in self.alive)

    def stage_closed(self) -> None:
        """G10: charm is judged when the stage closes, or only after kill and poison, each out's own check included."""
        self.without_vision = not self.sees()
        if "charm" in self.STAGES[self.stage - 1][1]:
            self.charm_waits = self.options["charm_check"] == "settlement"

    def check_target(self, seat: int, skill: str, rule: Rule, target: int) -> None:
        """G11: the three may include anyone, also those out."""
        if skill != "grudge":
            super().check_target(seat, skill, rule, target)
        else:
            need(1 <= target <= self.n, "no seat")

    def check_targets(self, seat: int, skill: str, targets: list[int] | bool) -> None:
        """G11: three consecutive seats, wrapping around or not."""
        super().check_targets(seat, skill, targets)
        if skill == "grudge":
            wraps = self.options["grudge_wrap"] == "yes"
            rows = [{(first + i) % self.n + 1 for i in range(3)} for first in range(self.n if wraps else self.n - 2)]
            assert isinstance(targets, list)
            need(set(targets) in rows, "not consecutive")

    def do_shield(self, guard: int, target: int) -> None:
        """守护之盾: counted now, whether it blocks anything or not."""
        self.shielded = target

    def do_mute_shield(self, guard: int, target: int) -> None:
        """隔音之盾."""
        self.muted = target

    def do_charm(self, piper: int, target: int) -> None:
        """吹笛, G5: for good, unless tonight's mute shield; the piper is told whether it held."""
        held = target != self.muted
        if held:
            self.charmed.add(target)
        self.tell(piper, "charm", held)
        if self.options["charm_check"] == "stage":  # G10
            self.judge()

    def do_kill(self, pack: int, target: int) -> None:
        """杀人."""
        self.killed = target

    def visible(self) -> list[int]:
        """通灵: who is under the kill, shielded or not."""
        return [self.killed] if self.killed else []

    def do_antidote(self, witch: int, target: int) -> None:
        """救药: 救药 and 通灵 are lost."""
        self.saved = target
        self.hands[witch].pop("vision", None)

    def do_poison(self, witch: int, target: int) -> None:
        """毒药."""
        self.poisoned = target

    def do_check(self, seer: int, target: int) -> None:
        """预言; G2: an avenger among the wolves reads 非村民阵营."""
        self.tell(seer, "check", VILLAGERS if self.faction[target] == VILLAGERS else "!" + VILLAGERS)

    def do_grudge(self, avenger: int, *targets: int) -> None:
        """寻仇, G11: the exact factions of two, drawn."""
        two = self.draw("grudge", sorted(targets), 2)
        self.tell(avenger, "grudge", {seat: self.faction[seat] for seat in sorted(two)})

    def settle(self) -> None:
        """(a) the kill, (b) the poison; G10: with charm_check settlement the charms after both."""
        if self.killed and self.killed not in (self.shielded, self.saved):
            self.leave([self.killed], "kill")
        if self.poisoned and not self.over:
            self.leave([self.poisoned], "poison")
        if self.charm_waits:
            self.charm_waits = False
            self.judge_unless_shot()

    # --- out and the end ------------------------------------------------------------------------------------------

    def set_off(self, seat: int, why: str) -> None:
        """最后一枪: whenever the hunter is out, by anything but a red card."""
        super().set_off(seat, why)
        if self.role[seat] == "hunter" and why != RED:
            self.awaiting.append(("last_shot", seat))
        if seat in self.public:
            self.later += self.as_such(seat)
        else:
            self.out_seen(seat)

    def as_such(self, seat: int) -> list[tuple[str, int]]:
        """G4: the piper's leaving is announced as such, no other role's."""
        return [("吹笛者出局", seat)] if self.role[seat] == "piper" else []

    def out_seen(self, seat: int) -> None:
        """G4: with the first announcement of that out."""
        for kind, value in self.as_such(seat):
            self.announce(kind, value)
            if (kind, value) in self.later:
                self.later.remove((kind, value))

    def after_out(self, seats: list[int]) -> None:
        """C14: each out is checked."""
        self.judge_unless_shot()

    def judge_unless_shot(self) -> None:
        """G17, settled: not before a last shot that is still to come, whosever out it is: a check would look at all."""
        waits = self.prompt is not None and self.prompt.skill == "last_shot"
        if self.options["victory_moment"] == "each_out" or not (waits or any(kind == "last_shot" for kind, _ in self.awaiting)):
            self.judge()

    def shot_done(self) -> None:
        """G17."""
        self.judge()

    def lose(self, faction: str) -> None:
        """G15: the wolves judged lost lose 杀人; a kept kill lapses and they are told."""
        super().lose(faction)
        self.proposed = self.proposed and faction != WOLVES  # G16: nothing left to surrender
        if faction == WOLVES and self.hands[PACK].pop("kill", None):
            if (PACK, "kill") in self.kept:
                del self.kept[PACK, "kill"]
                self.lapse(PACK, "kill")
            for seat in self.role:
                if self.in_pack(seat):
                    self.tell(seat, "kill", False)

    def members(self, faction: str) -> set[int]:
        """Living members."""
        return {seat for seat in self.alive if self.faction[seat] == faction}

    def losses(self) -> Iterable[str]:
        """§2; G13: the charm condition of the wolves needs a living wolf by role."""
        wolves = {seat for seat in self.alive if self.role[seat] == "wolf"}
        charms = not self.charm_waits
        if not self.members(WOLVES) or (charms and wolves and wolves <= self.charmed):
            yield WOLVES
        gods = any(self.role[seat] in ("seer", "witch", "guard", "hunter") for seat in self.alive)
        folk = self.members(VILLAGERS)
        if not gods or not folk or (charms and folk <= self.charmed):
            yield VILLAGERS
        if not self.members(PIPER):
            yield PIPER

    def winners(self) -> Iterable[str]:
        """§2: the piper by charms, the wolves at half of all alive; the villagers only as the last not lost."""
        if not self.charm_waits and self.members(WOLVES) | self.members(VILLAGERS) <= self.charmed:
            yield PIPER
        if 2 * len(self.members(WOLVES)) >= len(self.alive):
            yield WOLVES
