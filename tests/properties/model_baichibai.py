"""§3 of the law (baichibai) written a second time, for tests: B1 to B22, on top of §0 in model_common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tests.properties.model_common import NOBODY, RED, Model, Rule, Skill, Targets, need
from tests.properties.model_m46 import CONDUCT

FOLK, COVEN, ZOO, WHISPER, CLOCKTOWER, CULT = "folk", "coven", "zoo", "whisper", "clocktower", "cult"
GAINED = {1: "cult_judge", 3: "ward", 5: "cult_shoot"}  # 异端处决
STANDING = ("steadfast", "sanctity", "execution")


class Baichibai(Model):
    """白吃白迷你场 13 人."""

    ROLES: ClassVar = {
        "hunter": (FOLK, ("shoot", "last_shot")),
        "prophet": (FOLK, ("judge",)),
        "idiot": (FOLK, ("play_dumb",)),
        "witch": (COVEN, ("vision", "antidote", "poison")),
        "hecate": (COVEN, ("torch",)),
        "crow": (ZOO, ("curse",)),
        "penguin": (ZOO, ("freeze",)),
        "swordsman": (WHISPER, ("counter", "slash")),
        "priest": (WHISPER, ("detect", "holy_light")),
        "saint": (CLOCKTOWER, ("steadfast", "sanctity")),
        "gaslighter": (CLOCKTOWER, ("swap",)),
        "grandpa": (CULT, ("heretics", "execution")),
        "shadow": ("", ("possess",)),
    }
    SEATS: ClassVar = tuple(ROLES)
    RULES: ClassVar = {
        "possess": Rule(other=True, forced=True),
        "heretics": Rule(targets=6, other=True, forced=True),
        "freeze": Rule(once_each=True),
        "torch": Rule(not_running=True),
        "ward": Rule(targets=0, forced=True, automatic=True),
        "counter": Rule(other=True, once_each=True),
        "slash": Rule(),
        "detect": Rule(),
        "holy_light": Rule(limited=True),
        "judge": Rule(),
        "cult_judge": Rule(),
        "dance": Rule(limited=True),
        "shoot": Rule(),
        "cult_shoot": Rule(),
        "vision": Rule(targets=0, forced=True, automatic=True),
        "antidote": Rule(limited=True, excludes="poison"),
        "poison": Rule(limited=True, excludes="antidote"),
        "curse": Rule(once_each=True),
        "swap": Rule(targets=2, once_each=True),
        "play_dumb": Rule(targets=0, limited=True),
        "last_shot": Rule(other=True, limited=True),
        **dict.fromkeys(STANDING, Rule(targets=0, forced=True, automatic=True)),
    }
    SETUP: ClassVar = ("possess", "heretics", "curse")
    STAGES: ClassVar = (
        (30, ("freeze",)),
        (30, ("torch",)),
        (30, ("ward",)),
        (30, ("counter", "slash")),  # B5
        (30, ("detect", "holy_light")),
        (30, ("judge", "cult_judge")),
        (30, ("dance",)),
        (40, ("shoot",)),
        (40, ("cult_shoot",)),
        (60, ("vision", "antidote", "poison")),
        (60, ("curse",)),
        (60, ("swap",)),
    )
    ORDER: ClassVar = (CULT, CLOCKTOWER, WHISPER, ZOO, COVEN, FOLK)
    OPTIONS: ClassVar = {"freeze_scope": ("stages", "all"), "torch_absorbs": ("one", "all"), "swap": ("both", "one_way")}
    COLOURS: ClassVar = CONDUCT
    FIRST_DAY = LATER_DAYS = 2
    cursed = NOBODY
    swapped: tuple[int, ...] = ()
    double_night = -1  # B7: 枪决 may name two
    exiles = 0  # B13: the last day whose exile is settled

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.host = NOBODY
        self.heretics = set[int]()
        self.found = set[int]()  # B10: the den of the prophet
        self.red_pending: list[int] = []
        self.fresh_night()

    def seat(self, role: str) -> int:
        """The seat of a role."""
        return next(seat for seat, own in self.role.items() if own == role)

    def members(self, faction: str) -> set[int]:
        """Living members; B1: the shadow too."""
        return {seat for seat in self.alive if self.faction[seat] == faction}

    # --- setup ----------------------------------------------------------------------------------------------------

    def do_possess(self, shadow: int, host: int) -> None:
        """附身, B1: joins the host's faction and is told which."""
        self.host = host
        self.faction[shadow] = self.faction[host]
        self.tell(shadow, "possess", self.faction[host])

    def do_heretics(self, grandpa: int, *targets: int) -> None:
        """异端."""
        self.heretics = set(targets)

    def dens(self) -> list[set[int]]:
        """The coven's den, B1 with the shadow; B10: the den of the prophet."""
        return [{seat for seat in self.role if self.faction[seat] == COVEN}, self.found]

    def knowing(self) -> list[set[int]]:
        """Coven, zoo and clocktower know each other; B1: and the shadow that joined them."""
        return [{seat for seat in self.role if self.faction[seat] == faction} for faction in (COVEN, ZOO, CLOCKTOWER)]

    def in_pack(self, seat: int) -> bool:
        """There is no pack."""
        return False

    # --- the day --------------------------------------------------------------------------------------------------

    def opening(self) -> None:
        """诅咒 is announced; B11: also on someone out by then."""
        self.frozen = NOBODY
        if self.cursed:
            self.announce("诅咒", self.cursed)

    def count_votes(self, ballot: int) -> dict[int, int]:
        """诅咒: +2 for one who lives."""
        counts = super().count_votes(ballot)
        if self.cursed in self.alive:
            counts[self.cursed] = counts.get(self.cursed, 0) + 2
        self.cursed = NOBODY
        return counts

    def exile(self) -> None:
        """A tie: nobody. B6: 隐患 moves the exile to the other one if that one lives. B20: 装唐 before it takes effect."""
        top = self.top(0)
        exiled = top[0] if len(top) == 1 else NOBODY
        moved = dict([self.swapped, self.swapped[::-1]][: 2 if self.options["swap"] == "both" else 1]) if self.swapped else {}
        self.swapped = ()
        if moved.get(exiled) in self.alive:
            exiled = moved[exiled]
        if not exiled:
            self.announce("放逐", "none")
        elif "play_dumb" in self.hands[exiled] and not self.hands[exiled]["play_dumb"].spent:
            self.awaiting.append(("play_dumb", exiled))
        else:
            self.exile_now(exiled)

    def exile_now(self, seat: int) -> None:
        """The exile takes effect."""
        self.announce("放逐", seat)
        self.leave([seat], "exile")

    def take_reply(self, skill: str, seat: int, targets: Targets) -> None:
        """装唐: stays, votes no more, 枪决 may name two tonight (B7); declined: the exile takes effect now."""
        if skill != "play_dumb":
            super().take_reply(skill, seat, targets)
        elif targets is None:
            self.exile_now(seat)
        else:
            self.hands[seat]["play_dumb"].spent = True
            self.mute.add(seat)
            self.double_night = self.day
            self.announce("装唐", seat)
            self.announce("放逐", "none")

    def red(self, seat: int) -> None:
        """B19: by day it waits for the ballot and its triggers; at dusk or night at once."""
        if self.phase == "day":
            if seat in self.alive and seat not in self.red_pending:
                self.red_today.add(seat)
                self.red_pending.append(seat)
        else:
            super().red(seat)
            self.judge_between()

    def take_out(self, seat: int) -> None:
        """C25."""
        super().take_out(seat)
        self.judge_between()

    def judge_between(self) -> None:
        """A lone out: checked with the settlement it falls into, if there is one to come, else at once."""
        if not self.over and not self.awaiting and not self.prompt and (self.settled or self.phase == "day"):
            self.judge()

    def void_by_day(self, seat: int, why: str) -> None:
        """C25: votes for one taken out are void (a red card waits for the ballot, B19)."""
        self.void_votes(seat)

    # --- the night ------------------------------------------------------------------------------------------------

    def fresh_night(self) -> None:
        """Nothing done yet tonight."""
        self.strikes: list[tuple[int, str]] = []
        self.saved = self.lit = NOBODY
        self.doomed = NOBODY
        self.torched = (NOBODY, NOBODY)  # holder, target
        self.torch_worked = False
        self.countered = (NOBODY, NOBODY)
        self.warded = set[int]()

    def tonight(self, skill: str) -> bool:
        """蓄力斩 on even nights only."""
        return skill != "slash" or self.day % 2 == 0

    def count(self, seat: int, skill: str) -> tuple[int, int]:
        """B7: 枪决 names up to two after 装唐."""
        if skill == "shoot" and self.double_night == self.day:
            return 1, 2
        return super().count(seat, skill)

    def twice(self, skill: str) -> bool:
        """B7: the same one twice counts two strikes."""
        return skill == "shoot"

    def check_target(self, seat: int, skill: str, rule: Rule, target: int) -> None:
        """救药: herself only on night 1."""
        super().check_target(seat, skill, rule, target)
        need(skill != "antidote" or target != seat or self.day == 1, "oneself only on night 1")

    def do_freeze(self, penguin: int, target: int) -> None:
        """冰冻, B8: the target is told."""
        self.frozen = target
        self.tell(target, "freeze", True)

    def do_torch(self, hecate: int, target: int) -> None:
        """蚀月火炬."""
        self.torched = (hecate, target)

    def stage_closed(self) -> None:
        """守护 is automatic: who holds it when its stage closes is warded (B4, B14)."""
        if self.STAGES[self.stage - 1][1] == ("ward",):
            self.warded = {seat for seat in self.alive if "ward" in self.hands[seat]}

    def do_counter(self, swordsman: int, target: int) -> None:
        """防反."""
        self.countered = (swordsman, target)

    def do_slash(self, swordsman: int, target: int) -> None:
        """蓄力斩."""
        self.strikes.append((target, "slash"))

    def do_detect(self, priest: int, target: int) -> None:
        """侦测: 普村阵营 / 钟楼阵营 / 其他阵营."""
        faction = self.faction[target]
        self.tell(priest, "detect", faction if faction in (FOLK, CLOCKTOWER) else "other")

    def do_holy_light(self, priest: int, target: int) -> None:
        """圣光."""
        if self.faction[target] == CLOCKTOWER:
            self.doomed = target
        elif self.faction[target] != FOLK:
            self.lit = target

    def do_judge(self, prophet: int, target: int) -> None:
        """审判: the exact faction; a folk target joins a den with the prophet."""
        self.tell(prophet, "judge", self.faction[target])
        if self.faction[target] == FOLK:
            self.found |= {prophet, target}

    def do_cult_judge(self, grandpa: int, target: int) -> None:
        """审判; B10: no den."""
        self.tell(grandpa, "cult_judge", self.faction[target])

    def do_dance(self, hecate: int, target: int) -> None:
        """彼岸圆舞."""
        self.strikes.append((target, "dance"))

    def do_shoot(self, holder: int, *targets: int) -> None:
        """枪决."""
        self.strikes += [(target, "shoot") for target in targets]

    def do_cult_shoot(self, grandpa: int, target: int) -> None:
        """枪决 of the grandpa."""
        self.strikes.append((target, "cult_shoot"))

    def visible(self) -> list[int]:
        """灵通, B9: as chosen, in the order made, the same seat more than once."""
        return [target for target, _ in self.strikes]

    def do_antidote(self, witch: int, target: int) -> None:
        """救药: 灵通 is lost."""
        self.saved = target
        self.hands[witch].pop("vision", None)

    def do_poison(self, witch: int, target: int) -> None:
        """毒药."""
        self.strikes.append((target, "poison"))

    def do_curse(self, crow: int, target: int) -> None:
        """诅咒 for the next day."""
        self.cursed = target

    def do_swap(self, gaslighter: int, first: int, second: int) -> None:
        """隐患 for the next day."""
        self.swapped = (first, second)

    # --- the settlement -------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Each strike in the order made; its cause is the first that lands; all are out at the same moment, in seat order."""
        struck: dict[int, str] = {}
        for target, skill in self.strikes:
            landed = self.land(target)
            if landed:
                struck.setdefault(landed, skill)
        if self.doomed:
            struck.setdefault(self.doomed, "holy_light")
        self.leave(sorted(struck), [struck[seat] for seat in sorted(struck)])

    def immune(self, seat: int) -> bool:
        """(1) antidote, holy light on an "other", the saint at night."""
        return seat in (self.saved, self.lit) or "steadfast" in self.hands[seat]

    def land(self, target: int) -> int:
        """Whom a strike takes, if anyone: (1) immunity, (2) the counter, then (1) for the new target, (3) torch, then ward."""
        if self.immune(target):
            return NOBODY
        if target == self.countered[0] and "counter" in self.hands[target]:
            del self.hands[target]["counter"]
            target = self.countered[1]
            if self.immune(target):  # B2, B3
                return NOBODY
        if target == self.torched[1] and (not self.torch_worked or self.options["torch_absorbs"] == "all"):  # B22
            if not self.torch_worked:
                self.torch_worked = True
                hand = self.hands[self.torched[0]]
                del hand["torch"]
                hand["dance"] = Skill()
            return NOBODY
        if target in self.warded:
            self.warded.discard(target)
            del self.hands[target]["ward"]
            return NOBODY
        return target

    # --- out ------------------------------------------------------------------------------------------------------

    def set_off(self, seat: int, why: str) -> None:
        """圣洁, 异端处决, 最后一枪, 枪决 and 附身, in that order."""
        if self.role[seat] == "saint":  # B21
            self.announce("圣洁", self.seat("gaslighter"))
        if seat in self.heretics:
            self.count_heretic(seat)
        if why != RED and self.may_shoot(seat):
            self.awaiting.append(("last_shot", seat))
        if self.role[seat] == "hunter":
            self.awaiting.append(("passing_on", seat))
        if seat == self.host:
            self.awaiting.append(("inheritance", seat))

    def count_heretic(self, seat: int) -> None:
        """异端处决, B14: gained at the moment the count is reached."""
        count = len([other for other in self.out[: self.out.index(seat) + 1] if other in self.heretics])
        for holder in self.alive:
            if count in GAINED and "execution" in self.hands[holder]:
                self.hands[holder][GAINED[count]] = Skill()

    def may_shoot(self, seat: int) -> bool:
        """最后一枪: not the last living member of the faction; B8: under `all` a frozen one does not shoot that night."""
        held = self.hands[seat].get("last_shot")
        frozen = self.frozen == seat and self.options["freeze_scope"] == "all"
        return held is not None and not held.spent and bool(self.members(self.faction[seat])) and not frozen

    def shoot_last(self, target: int) -> None:
        """B4: at dusk nothing protects; at dawn a strike of that night. C24: on one already out without effect."""
        if self.phase == "dusk" or target not in self.alive:
            super().shoot_last(target)
            return
        landed = self.land(target)
        if landed:
            self.leave([landed], "last_shot")

    def passing_on(self, hunter: int) -> None:
        """枪决, B15: once, to the hunter's shadow if it lives, else to a random other living folk character."""
        skill = self.hands[hunter].pop("shoot")
        shadow = self.seat("shadow")
        folk = sorted(self.members(FOLK))
        if self.host == hunter and shadow in self.alive:
            self.hands[shadow]["shoot"] = skill
        elif folk:
            self.hands[self.draw("shoot", folk, 1)[0]]["shoot"] = skill

    def inheritance(self, host: int) -> None:
        """附身, B18: all the host's skills as they are then, but for setup skills and 枪决 (B15); B10: with the prophet's den."""
        shadow = self.seat("shadow")
        if shadow not in self.alive:
            return
        for skill, held in self.hands[host].items():
            if skill not in ("shoot", "heretics", "possess"):
                self.hands[shadow][skill] = held.copy()
        if "judge" in self.hands[host]:
            self.found |= {host, shadow}
        if self.phase in ("day", "dusk"):  # C13
            self.announce("附身", True)
        else:
            self.later.append(("附身", True))

    # --- the end --------------------------------------------------------------------------------------------------

    def after_out(self, seats: list[int]) -> None:
        """The check waits for the settlement and its triggers."""

    def end_twilight(self) -> None:
        """The check after the exile and its triggers, after the day's red cards (B19), after the night and its triggers."""
        if self.phase == "dusk":
            reds = [seat for seat in self.red_pending if seat in self.alive]
            self.red_pending.clear()
            self.exiles = self.exiles if reds else self.day  # B13
            self.judge()
            if reds and not self.over:
                self.leave(reds, RED)
                self.follow()
                return
        else:
            self.judge()
        if not self.over:
            super().end_twilight()

    def losses(self) -> Iterable[str]:
        """Each is lost when all of it is out."""
        return (faction for faction in self.ORDER if not self.members(faction))

    def winners(self) -> Iterable[str]:
        """§3; the folk win only as the last not lost."""
        if not self.heretics & self.alive:
            yield CULT
        if self.exiles >= 5 and self.members(CLOCKTOWER):
            yield CLOCKTOWER
        if len(self.alive) == 4 and self.members(WHISPER):  # B12
            yield WHISPER
        if not (self.members(COVEN) or self.members(WHISPER) or self.members(CULT)):
            yield ZOO
        if not (self.members(FOLK) or self.members(ZOO) or self.members(CLOCKTOWER)):
            yield COVEN

    def shown(self, skill: str) -> bool:
        """Standing skills are not listed."""
        return super().shown(skill) and skill not in STANDING
