"""Games in every phase, for looking at pages: each scene is a game, a moment of the town's clock, and whose browser to open.

The games are played through the town's acts, as people play them; nothing is written by hand but drafts of games to come.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from tests.support.town import MONDAY, NAMES, Clock, account, moment, seated, seats_of

TITLES = {
    "setup": "雾码头", "election": "末班渡船", "day": "青瓦镇夜谈", "dusk": "打烊之前", "night": "灯火管制", "many": "白痴百出",
    "over": "旧书店疑云", "signup": "下一季：渡口", "ceremony": "开箱之夜", "draft": "还没想好的剧本",
}  # fmt: skip
TALK = (
    "昨晚的灯是谁灭的？我在码头守到十一点，雾太大，只听见一声笛。",
    "先不要急着认人。[b]四个人[/b]说自己在家，只有两盏灯是亮的。",
    "我倾向相信报幕员：她昨天的排序和今天的票是一致的。",
    "把昨天的票型再看一遍：谁先动的，谁跟的，谁最后改了。",
    "守灯塔的老海说得对，可他一开口就替人挡了两回，我不踏实。",
    "今天想听提词人讲讲：你昨天投的人，现在还怀疑吗？",
    "各位，关门前记得看一眼自己的票有没有算上。",
)
KINDS = ("visitor", "member", "player", "director", "manager")
ACCOUNTS = {"visitor": "", "member": "onlooker", "director": "director", "manager": "warden"}


class Scene(NamedTuple):
    """A game at a moment. `player`: the seat whose browser is opened; `day`: the day of its threads (0: none yet)."""

    name: str
    game: int
    moment: datetime
    player: int = 0
    day: int = 0
    ballot: str = ""
    den: int = 0

    def account(self, kind: str) -> str:
        """Who signs in for a kind of viewer; a visitor does not."""
        return f"player{self.player}" if kind == "player" else ACCOUNTS[kind]


class Stage:
    """One game while it is being played into its scene."""

    def __init__(self, clock: Clock, name: str, ruleset: str = "m205", seed: int = 1, **more: Any) -> None:
        self.clock = clock
        self.name = name
        clock.set(MONDAY - timedelta(hours=5))
        self.game = seated(ruleset, seed=seed, title=TITLES[name], script=f"《{TITLES[name]}》\n\n雾从河上来，镇上的灯一盏盏灭。", **more)

    def table(self, seat: int) -> Any:
        """The table as a seat sees it (0: the first director)."""
        from bansha.town.models import Account
        from bansha.town.table import Table

        return Table(self.game, Account.objects.get(username=f"player{seat}" if seat else "director"))

    def strike(self, at: datetime) -> None:
        """Move the clock and let what is due happen."""
        from bansha.journal import doors

        doors.strike(self.game.journal, self.clock.set(at))

    def role(self, role: str) -> list[int]:
        """The seats with a role."""
        return seats_of(self.game, role)

    def act(self, seat: int, skill: str, targets: Any) -> None:
        """Hand a skill in."""
        from bansha.town import acts

        table = self.table(seat)
        acts.hand_in(table, {next(held.index for held in table.me.skills if held.id == skill): targets})

    def setup(self) -> None:
        """The hybrid chooses its kin; day 1 opens."""
        self.act(self.role("hybrid")[0], "kin", [self.role("guard")[0]])
        self.strike(moment(1, 9, 1))

    def talk(self, day: int, hour: int, rounds: int = 1) -> None:
        """Everybody who lives posts, some with quotes."""
        from bansha.town import acts

        living = self.table(0).public.alive
        for number in range(rounds * len(living)):
            self.clock.set(moment(day, hour, number * 3))
            seat = living[number % len(living)]
            post = acts.say(self.table(seat), f"talk-{day}", TALK[(number * 3 + day) % len(TALK)])
            if number % 4 == 1:
                quote = f"[quote={NAMES[seat - 1]};{post.ref}]{post.words}[/quote]\n这一句我有疑问：当时在场的不止你一个。"
                acts.say(self.table(living[(number + 2) % len(living)]), f"talk-{day}", quote)

    def votes(self, room: str, targets: Sequence[tuple[int, int]]) -> None:
        """Votes by the form: (seat, target)."""
        from bansha.town import acts

        for seat, target in targets:
            acts.vote(self.table(seat), room, target, "票型说不通。")

    def night(self, day: int, victim: int) -> None:
        """The first night's submissions, then the next morning."""
        self.strike(moment(day, 21, 0))
        self.clock.set(moment(day, 21, 10))
        self.act(self.role("guard")[0], "shield", [self.role("witch")[0]])
        self.act(self.role("wolf")[0], "kill", [victim])
        self.act(self.role("seer")[0], "first_night_shield", True)
        self.strike(moment(day, 21, 35))
        self.act(self.role("seer")[0], "check", [self.role("wolf")[1]])
        self.act(self.role("witch")[0], "antidote", None)
        self.strike(moment(day + 1, 9, 1))

    def scene(self, at: datetime, player: int, **more: Any) -> Scene:
        """The scene, as it stands."""
        return Scene(self.name, self.game.pk, at, player, **more)


def _setup(clock: Clock) -> Scene:
    stage = Stage(clock, "setup", seed=3)
    return stage.scene(moment(1, 5), stage.role("hybrid")[0])


def _election(clock: Clock) -> Scene:
    stage = Stage(clock, "election", seed=4)
    stage.setup()
    stage.talk(1, 10)
    stage.votes("election-1", [(1, 4), (2, 4), (3, 7), (4, 4), (6, 7)])
    return stage.scene(moment(1, 14, 20), 5, day=1, ballot="election-1")


def _second_day(clock: Clock, name: str, seed: int) -> tuple[Stage, int]:
    stage = Stage(clock, name, seed=seed)
    stage.setup()
    stage.talk(1, 10)
    chief = stage.role("guard")[0]
    stage.votes("election-1", [(seat, chief) for seat in range(1, 8)])
    victim = stage.role("civilian")[0]
    stage.night(1, victim)
    return stage, chief


def _day(clock: Clock) -> Scene:
    from bansha.town import acts

    stage, _chief = _second_day(clock, "day", 5)
    victim = stage.role("civilian")[0]
    clock.set(moment(2, 9, 30))
    acts.last_words(stage.table(victim), "灯留给你们。别为我浪费一票。") if stage.table(victim).me.last_words else None
    stage.talk(2, 10, 2)
    living = stage.table(0).public.alive
    me, other, third, fourth = living[2], living[0], living[4], living[5]
    clock.set(moment(2, 14, 0))
    acts.say(stage.table(me), "ballot-2", f"投票对象：{NAMES[other - 1][:1]}\n投票理由：先试一票")
    stage.votes("ballot-2", [(me, other), (other, me), (third, other), (fourth, 0)])
    acts.vote(stage.table(third), "ballot-2", me, "又想了想。", change=True)
    acts.say(stage.table(0), "talk-2", "[size=5][color=red]各位注意[/color][/size] 今晚 21:00 关门，改票 20:00 止。")
    acts.sign(stage.table(me), "speed_up")
    acts.whisper(stage.table(me), "hole", "今天第一次怀疑老海。他平时不抢话的。")
    acts.whisper(stage.table(me), f"line-{me}", "导演，改票要引用自己的票，是引用哪一楼？")
    acts.whisper(stage.table(0), f"line-{me}", "引用你正生效的那一楼；用表单改票会自动引用。")
    wolf = stage.role("wolf")[1]
    acts.whisper(stage.table(wolf), "den-0", "今晚先看守护的动静。")
    acts.keep_draft(stage.table(me), "talk-2", "还没写完：关于昨夜的三处疑点……")
    return stage.scene(moment(2, 15, 10), me, day=2, ballot="ballot-2")


def _dusk(clock: Clock) -> Scene:
    stage, chief = _second_day(clock, "dusk", 6)
    stage.talk(2, 10)
    clock.set(moment(2, 14))
    living = stage.table(0).public.alive
    stage.votes("ballot-2", [(seat, chief) for seat in living if seat != chief])
    stage.strike(moment(2, 21))
    return stage.scene(moment(2, 21, 3), chief, day=2, ballot="ballot-2")


def _night(clock: Clock) -> Scene:
    from bansha.town import acts

    stage, _chief = _second_day(clock, "night", 7)
    stage.talk(2, 10)
    living = stage.table(0).public.alive
    wolves = stage.role("wolf")
    stage.votes("ballot-2", [(seat, living[seat % 2]) for seat in living])
    stage.strike(moment(2, 21))
    living = stage.table(0).public.alive
    wolf = next(seat for seat in wolves if seat in living)
    clock.set(moment(2, 21, 6))
    acts.whisper(stage.table(wolf), "den-0", "守护多半护自己。换一个？")
    stage.act(wolf, "feint", [next(seat for seat in living if seat not in wolves)])
    return stage.scene(moment(2, 21, 12), wolf, day=2, ballot="ballot-2")


def _many(clock: Clock) -> Scene:
    stage = Stage(clock, "many", "baichibai", seed=8)
    stage.strike(moment(2, 21, 0))
    full = stage.table(0).view.director
    assert full is not None
    most = max(full.seats, key=lambda truth: (len(truth.skills), -truth.seat)).seat
    return stage.scene(moment(2, 21, 8), most, day=1, ballot="ballot-1")


def _over(clock: Clock) -> Scene:
    from bansha.referee import commands as c
    from bansha.town import acts, opening
    from bansha.town.models import Account

    stage, _chief = _second_day(clock, "over", 9)
    stage.talk(2, 10)
    wolves = [seat for seat in stage.role("wolf") if seat in stage.table(0).public.alive]
    living = stage.table(0).public.alive
    stage.votes("ballot-2", [(seat, wolves[0]) for seat in living])
    acts.whisper(stage.table(wolves[0]), "hole", "被看穿了。")
    acts.whisper(stage.table(wolves[0]), f"line-{wolves[0]}", "导演，今晚我可能晚到。")
    acts.whisper(stage.table(0), f"line-{wolves[0]}", "知道了，关门前投好票就行。")
    clock.set(moment(2, 16))
    acts.direct(stage.table(0), c.Card(wolves[0], "yellow", "场外"))
    stepper = Account.objects.filter(username="stepper").first() or account("stepper")
    opening.substitute(stage.table(0), next(seat for seat in living if seat not in wolves), stepper)
    for wolf in wolves:
        acts.direct(stage.table(0), c.Direct("out", wolf, "商定提前收场", 1))
    stage.game.refresh_from_db()
    _talked_over(stage, wolves[0])
    return stage.scene(moment(3, 12), wolves[0], day=2, ballot="ballot-2")


def _talked_over(stage: Stage, wolf: int) -> None:
    """After the end: players, a director and a spectator talk it over; one line is shown, one card is appealed."""
    from bansha.town import acts, appeals, reveal
    from bansha.town.models import Account
    from bansha.town.table import Table

    stage.clock.set(moment(2, 20))
    first = acts.say(stage.table(wolf), "reveal", "第二天那票我是真慌了。[b]老海[/b]问我在哪，我差点说漏。")
    acts.say(stage.table(0), "reveal", "辛苦各位。提前收场的理由写在日志里了。")
    quote = f"[quote=player{wolf};{10**11 + first.floor}]第二天那票我是真慌了。[/quote]\n看得出来，你那一帖改了三遍口气。"
    acts.say(stage.table(wolf % 10 + 1), "reveal", quote)
    acts.say(Table(stage.game, Account.objects.get(username="onlooker")), "reveal", "台下看着也捏把汗。")
    reveal.consent(stage.table(wolf), wolf, True)
    reveal.consent(stage.table(0), wolf, True)
    appeals.appeal(stage.table(wolf), 1, "那一句说的是剧本里的人，不是场外。")


def _coming(name: str, players: int, closed: bool = False) -> Callable[[Clock], Scene]:
    """A game that has not been dealt: a draft without players, sign-up open, or the ceremony begun with some contributions."""

    def make(clock: Clock) -> Scene:
        from bansha.town import opening
        from bansha.town.models import Account
        from bansha.town.table import Table

        now = clock.set(moment(3, 10))
        director = Account.objects.get(username="director")
        plan = opening.fresh_plan(director, "m205", now)
        plan.title, plan.script, plan.note = TITLES[name], "雾从河上来，镇上的灯一盏盏灭。", "新手也来，规则里有不明白的先问我。"
        plan.personas = [opening.Mask(mask, "灯还亮着" if seat == 2 else "", players > 0) for seat, mask in enumerate(NAMES[:10])]
        game = opening.open_game(director, plan, now, signup=players > 0)
        table = Table(game, director)
        numbers = [Account.objects.get(username=f"player{number}") for number in range(1, players + 1)]
        for place, signed in enumerate(numbers):
            opening.sign_up(game, signed, "player" if place < 10 else "reserve", True, "带一盏灯来。" if place % 3 == 0 else "", place, now)
        if closed:
            opening.choose(table, [signed.pk for signed in numbers[:10]])
            game = opening.close_signup(table)
            for signed in numbers[:6]:
                opening.contribute(game, signed, clock.set(moment(3, 11)), "第一盏灯")
        return Scene(name, game.pk, moment(3, 12), 3 if closed else 9)

    return make


MAKERS: dict[str, Callable[[Clock], Scene]] = {
    "day": _day,
    "night": _night,
    "dusk": _dusk,
    "election": _election,
    "many": _many,
    "over": _over,
    "setup": _setup,
    "signup": _coming("signup", 8),
    "ceremony": _coming("ceremony", 12, closed=True),
    "draft": _coming("draft", 0),
}


def people() -> None:
    """The accounts the scenes know: players and directors, somebody who only looks on, a manager."""
    from bansha.town.models import Account

    for name in ("onlooker", "warden", "director", "director2", *(f"player{number}" for number in range(1, 15))):
        if not Account.objects.filter(username=name).exists():
            told(account(name, manages=name == "warden", directs=name.startswith("director")))


def told(account: Any) -> None:
    """Let somebody want every notice by every way, and have a calendar."""
    from bansha.notify import diary
    from bansha.notify.kinds import KINDS
    from bansha.notify.models import Ways

    every = [kind.id for kind in KINDS]
    Ways.objects.create(account=account, mail=every, push=every, quiet_from=23 * 60, quiet_to=7 * 60, through=["prompt"])
    diary.renew(account, MONDAY)


def scenes(clock: Clock, names: Sequence[str] = tuple(MAKERS)) -> dict[str, Scene]:
    """Make these scenes."""
    people()
    return {name: MAKERS[name](clock) for name in names}
