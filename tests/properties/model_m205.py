"""§1 of the law (m205) written a second time, for tests: M1 to M17 and C26, on top of §0 in model_common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tests.properties.model_common import DAY, ELECTION, EXILE, HOUR, NOBODY, PACK, Model, Rule, Skill, Targets, need

WOLVES, VILLAGERS = "wolves", "villagers"
RED = "违法 作弊 持续辱骂 持续水贴 发誓担保"
YELLOW = "场外 特殊字体 消极 辱骂 水平担保 关系担保 胜利担保 贴证担保 揭秘担保 贴脸担保 解读密码 暗示马甲 未投票"
BLUE = "贬低 发泄 历史场次 赛后事宜 游戏责任 为阵营道歉"


class M205(Model):
    """普狼 10 人场."""

    ROLES: ClassVar = {
        "wolf": (WOLVES, ()),
        "civilian": (VILLAGERS, ()),
        "seer": (VILLAGERS, ("first_night_shield", "check")),
        "witch": (VILLAGERS, ("vision", "antidote", "poison")),
        "guard": (VILLAGERS, ("shield",)),
        "hybrid": ("", ("kin",)),
    }
    SEATS: ClassVar = ("wolf",) * 3 + ("civilian",) * 3 + ("seer", "witch", "guard", "hybrid")
    RULES: ClassVar = {
        "kin": Rule(other=True, forced=True),
        "first_night_shield": Rule(targets=0),
        "shield_order": Rule(targets=0, pack=True, limited=True),
        "shield": Rule(not_running=True),
        "kill": Rule(pack=True),
        "feint": Rule(pack=True),
        "last_fog": Rule(targets=0, pack=True, limited=True),
        "vision": Rule(targets=0, forced=True, automatic=True),
        "antidote": Rule(limited=True, excludes="poison"),
        "poison": Rule(limited=True, excludes="antidote", other=True),
        "check": Rule(),
        "handover": Rule(other=True),
    }
    SETUP: ClassVar = ("kin",)
    STAGES: ClassVar = (
        (30, ("first_night_shield", "shield_order")),
        (30, ("shield",)),
        (30, ("kill", "feint", "last_fog")),
        (60, ("vision", "antidote", "poison")),
        (60, ("check",)),
    )
    ORDER: ClassVar = (WOLVES, VILLAGERS)
    OPTIONS: ClassVar = {
        "tie_break_scope": ("tied", "literal"), "first_night_shield": ("declared", "automatic"), "hybrid_told": ("faction", "nothing"),
    }  # fmt: skip
    PETITIONS: ClassVar = ("speed_up", "extend", "abort")
    COLOURS: ClassVar = {
        **dict.fromkeys(RED.split(), ("red",)),
        **dict.fromkeys(YELLOW.split(), ("yellow",)),
        **dict.fromkeys(BLUE.split(), ("blue",)),
        "夜间超时": ("yellow", "blue"),
    }
    MAY_JUDGE = False
    SPARES = False
    FEW_POSTS, NO_VOTE, SILENT = "消极", "未投票", "夜间超时"
    badge_lost = False
    reds = False  # M9: there has been a red card
    ordered = False  # M17: 盾控 is in force tonight

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        if self.options["first_night_shield"] == "automatic":  # M3: not held
            del self.hands[self.one("seer")]["first_night_shield"]
        self.fresh_night()

    def one(self, role: str) -> int:
        """The seat of a role there is once."""
        return next(seat for seat, own in self.role.items() if own == role)

    # --- setup ----------------------------------------------------------------------------------------------------

    def do_kin(self, hybrid: int, host: int) -> None:
        """认亲, M4: joins that character's faction and is told which, if at all, and nothing else."""
        self.faction[hybrid] = self.faction[host]
        if self.options["hybrid_told"] == "faction":
            self.tell(hybrid, "kin", self.faction[host])

    def silent_setup(self, seat: int) -> None:
        """M6: one blue."""
        self.propose(seat, self.SILENT, "blue")

    # --- the day --------------------------------------------------------------------------------------------------

    def ballots_of(self, day: int) -> tuple[int, ...]:
        """Day 1 elects, later days exile."""
        return (ELECTION,) if day == 1 else (EXILE,)

    def row(self, seat: int, posts: int) -> None:
        """No row of quiet days here."""

    def elect(self) -> None:
        """Most votes is sheriff; a tie, or no valid vote for anyone, loses the badge for good."""
        top = self.top(ELECTION)
        self.sheriff = top[0] if len(top) == 1 else NOBODY
        self.badge_lost = not self.sheriff
        self.announce("警长", self.sheriff or "none")

    def exile(self) -> None:
        """Most votes is out; M1: a tie is broken by the sheriff's vote, and the badge is lost first."""
        top = self.top(EXILE)
        if len(top) > 1 and self.sheriff:
            vote = self.votes[EXILE].get(self.sheriff, (NOBODY, 0))[0]
            literal = self.options["tie_break_scope"] == "literal"
            top = [vote] if vote and (literal or vote in top) else []
            self.sheriff, self.badge_lost = NOBODY, True
            self.announce("警长", "none")
        if len(top) != 1:
            self.announce("放逐", "none")
        else:
            self.announce("放逐", top[0])
            self.leave(top, "exile")

    def badge_of_red(self) -> None:
        """M10: torn at once."""
        self.hand_over(NOBODY)

    def silent_handover(self) -> None:
        """Silence tears it."""
        self.hand_over(NOBODY)

    def may_petition(self, kind: str) -> bool:
        """M9: 流局 after a red card."""
        return kind != "abort" or self.reds

    def red(self, seat: int) -> None:
        """M9, M15."""
        self.reds = True
        super().red(seat)

    def words_in_time(self, seat: int) -> bool:
        """M14: 24:00 of the day on which it is out, never less than an hour after being told."""
        return self.now < max(self.out_at[seat] - self.out_at[seat] % DAY + DAY, self.told_at[seat] + HOUR)

    def colours(self, seat: int, clause: str) -> tuple[str, ...]:
        """M6: 夜间超时 is yellow for seer and witch, else blue."""
        if clause == self.SILENT:
            return ("yellow",) if self.role[seat] in ("seer", "witch") else ("blue",)
        return super().colours(seat, clause)

    # --- the night ------------------------------------------------------------------------------------------------

    def fresh_night(self) -> None:
        """Nobody shielded, nobody named; 盾控 handed in by day takes effect at the close (M17)."""
        self.shielded = set[int]()
        self.killed = self.feinted = self.poisoned = self.saved = NOBODY
        self.ordered = False
        self.faded = set[str]()  # lost tonight
        if self.kept.pop((PACK, "shield_order"), None):
            self.use(PACK, "shield_order", True)

    def tonight(self, skill: str) -> bool:
        """首夜盾 on night 1, 终夜雾 only while exactly one wolf (role) is alive."""
        if skill == "last_fog":
            return len([seat for seat in self.alive if self.role[seat] == "wolf"]) == 1
        return skill != "first_night_shield" or self.day == 1

    def shown(self, skill: str) -> bool:
        """首夜盾 is of no use after night 1."""
        over = self.day > 1 or (self.day == 1 and self.phase in ("night", "dawn") and (self.settled or self.stage > 0))
        return super().shown(skill) and (skill != "first_night_shield" or not over)

    def may_pass(self, skill: str) -> bool:
        """M17: ordered, the shield is not passed."""
        return super().may_pass(skill) and not (skill == "shield" and self.ordered)

    def handed_in(self, holder: int, skill: str) -> None:
        """M17: 盾控 at night takes effect when submitted."""
        if skill == "shield_order" and self.phase != "day" and self.kept.pop((PACK, skill)):
            self.use(PACK, skill, True)

    def do_shield_order(self, pack: int) -> None:
        """M17: the guard is told at once; an earlier pass is void, an earlier target stands. With the guard out: no effect."""
        guard = self.one("guard")
        if guard in self.alive:
            self.ordered = True
            self.tell(guard, "shield_order", True)
            if self.kept.get((guard, "shield"), True) is None:
                del self.kept[guard, "shield"]
                self.answered.discard(guard)

    def instead(self, holder: int, skill: str) -> Targets:
        """M17, C3: ordered and silent: a random shield."""
        if skill == "shield" and self.ordered:
            held = self.hands[holder][skill]
            options = sorted(self.public - ({held.last} if held.last_night == self.day - 1 else set()))
            return self.draw(skill, options, 1)
        return None

    def check_again(self, holder: int, skill: str, targets: list[int] | bool) -> None:
        """C5: 终夜雾 looks again at how many wolves are alive."""
        super().check_again(holder, skill, targets)
        need(self.tonight(skill), "not tonight")

    def do_first_night_shield(self, seer: int) -> None:
        """首夜盾: voids a kill on the seer."""
        self.shielded.add(seer)

    def do_shield(self, guard: int, target: int) -> None:
        """守护之盾."""
        self.shielded.add(target)

    def do_kill(self, pack: int, target: int) -> None:
        """杀人."""
        self.killed = target

    def do_feint(self, pack: int, target: int) -> None:
        """虚刀: shown to the witch, no other effect."""
        self.feinted = target

    def do_last_fog(self, pack: int) -> None:
        """终夜雾, M16: living seer and witch are told; what they kept of the lost skills lapses."""
        for role, skill in (("seer", "check"), ("witch", "poison")):
            seat = self.one(role)
            self.hands[seat].pop(skill, None)
            self.faded.add(skill)
            if seat in self.alive:
                if (seat, skill) in self.kept:
                    del self.kept[seat, skill]
                    self.lapse(seat, skill)
                self.tell(seat, "last_fog", True)

    def visible(self) -> list[int]:
        """M2: the distinct characters under kill or feint, in seat order."""
        return sorted({self.killed, self.feinted} - {NOBODY})

    def do_antidote(self, witch: int, target: int) -> None:
        """救药: 救药 and 通灵 are lost."""
        self.saved = target
        self.hands[witch].pop("vision", None)

    def do_poison(self, witch: int, target: int) -> None:
        """毒药."""
        self.poisoned = target

    def do_check(self, seer: int, target: int) -> None:
        """预言, M4."""
        own = self.faction[target] == VILLAGERS
        self.tell(seer, "check", VILLAGERS if own else "!" + VILLAGERS)

    def silences(self) -> None:
        """M6: once a night and holder, for what was usable that night and not lost in it."""
        living = sorted(self.alive)
        for seat in living:
            hand = self.hands[seat]
            if seat not in self.answered and any(self.was_usable(skill, held) for skill, held in hand.items()):
                self.propose(seat, self.SILENT, *self.colours(seat, self.SILENT))
        if PACK not in self.answered:
            for seat in living:
                if self.role[seat] == "wolf":
                    self.propose(seat, self.SILENT, "blue")

    def was_usable(self, skill: str, held: Skill) -> bool:
        """Whether its holder could have handed it in tonight."""
        usable = self.stage_of(skill) >= 0 and not self.RULES[skill].automatic and self.tonight(skill)
        return usable and not held.spent and skill not in self.faded

    def settle(self) -> None:
        """(a) the kill, and the check (M11); (b) the poison."""
        shielded = self.shielded | {self.saved}
        if self.options["first_night_shield"] == "automatic" and self.day == 1:
            shielded.add(self.one("seer"))
        if self.killed and self.killed not in shielded:
            self.leave([self.killed], "kill")
        if self.poisoned and not self.over:
            self.leave([self.poisoned], "poison")

    # --- the end --------------------------------------------------------------------------------------------------

    def all_out(self, *roles: str) -> bool:
        """Whether every character of these roles is out."""
        return not any(self.role[seat] in roles for seat in self.alive)

    def losses(self) -> Iterable[str]:
        """Wolves lose when all wolves (role) are out; the villagers mirror the wolves' victory."""
        if self.all_out("wolf"):
            yield WOLVES
        if set(self.winners()) == {WOLVES}:
            yield VILLAGERS

    def winners(self) -> Iterable[str]:
        """Wolves win when all civilians are out, or seer, witch and guard; the villagers when the wolves have lost."""
        if self.all_out("civilian") or self.all_out("seer", "witch", "guard"):
            yield WOLVES
        elif self.all_out("wolf"):
            yield VILLAGERS
