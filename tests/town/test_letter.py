"""The letter: every skill's form is accepted as rendered; what is illegal, late or somebody else's is refused and changes nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from bansha.journal import doors
from bansha.referee import commands as c
from bansha.sight.types import MeView, SkillView, Viewer
from bansha.town.models import Account, Tenure
from bansha.town.table import Table
from tests.support.forms import Form, forms, skill_form
from tests.support.town import Clock, account, client, moment, seated, seats_of


@cache
def player(seat: int) -> Any:
    """The browser of this seat's player, signed in once."""
    return client(f"player{seat}")


def me(game: Any, seat: int) -> MeView:
    found = Table(game, Account.objects.get(username=f"player{seat}")).me
    assert found is not None
    return found


def skill(game: Any, seat: int, name: str) -> SkillView:
    return next(view for view in me(game, seat).skills if view.id == name)


def page(game: Any, seat: int) -> str:
    got = player(seat).get(f"/g/{game.pk}/letter/")
    assert got.status_code == 200
    return str(got.content.decode())


def send(game: Any, seat: int, data: dict[str, Any]) -> Any:
    return player(seat).post(f"/g/{game.pk}/letter/", data)


def direct(game: Any, act: str, value: Any, clock_now: Any) -> None:
    doors.submit(game.journal, c.Direct(act, value, "测试"), clock_now, "director 1")


def pick(form: Form, view: SkillView) -> list[int]:
    """The first legal choice a form offers."""
    offered = form.options(f"t{view.index}")
    return offered[: view.least]


def use(game: Any, seat: int, view: SkillView, thorough: bool = True) -> str:
    """Hand a skill in from the rendered page, replace it, pass, hand it in again; an illegal target is refused."""
    form = skill_form(page(game, seat), view.index)
    name = f"t{view.index}"
    assert form.options(name) == view.targets
    chosen: dict[str, Any] = {name: pick(form, view)} if view.most else {}
    for seat_off in form.options(name, off=True)[:1]:
        wrong = [seat_off, *form.options(name)[: max(0, view.least - 1)]]
        got = send(game, seat, form.data(**{name: wrong}))
        assert got.status_code == 422 and "没有收下" in got.content.decode()
        assert not skill(game, seat, view.id).has_kept
    if view.most and thorough:
        got = send(game, seat, form.data(**{name: []}))
        assert got.status_code == 422 and "还没有选" in got.content.decode()
        got = send(game, seat, form.data(**{name: form.options(name)[: view.most + 1]}))
        assert got.status_code == 422 or len(form.options(name)) <= view.most
        got = send(game, seat, form.data(**{name: [99]}))
        assert got.status_code == 422 and not skill(game, seat, view.id).has_kept
    got = send(game, seat, form.data(**chosen))
    assert got.status_code == 302, got.content.decode()
    kept = skill(game, seat, view.id)
    assert kept.has_kept and kept.kept == chosen.get(name, [])
    if kept.why == "spent":  # 盾控 works at once
        assert "已用，全场只有一次" in page(game, seat)
        return view.id
    html = page(game, seat)
    assert "当前" in html
    again = skill_form(html, view.index)
    if thorough and view.most and view.least == 1 and len(view.targets) > 1:
        other = view.targets[1]
        assert send(game, seat, again.data(**{name: [other]})).status_code == 302
        assert skill(game, seat, view.id).kept == [other]
    passing = skill_form(page(game, seat), view.index).button("pass")
    assert (passing is None) == (not view.may_pass)
    if passing is not None:
        assert send(game, seat, again.data(passing)).status_code == 302
        after = skill(game, seat, view.id)
        assert after.has_kept and after.kept is None
        assert "已放弃" in page(game, seat)
    else:
        got = send(game, seat, {"pass": str(view.index), "key": "x"})
        assert got.status_code == 422 and skill(game, seat, view.id).kept is not None
    return view.id


def use_all(game: Any) -> set[str]:
    used: set[str] = set()
    for seat in range(1, game.seats + 1):
        for view in me(game, seat).skills:
            fresh = skill(game, seat, view.id)
            if fresh.state in ("open", "early") and view.id not in used:
                used.add(use(game, seat, fresh, len(used) < 4))
    return used


def test_every_form_of_m205(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    assert use_all(game) == {"kin"}
    doors.strike(game.journal, clock.at(1, 21, 1))
    used = use_all(game)
    assert used == {"first_night_shield", "shield", "kill", "feint", "shield_order", "antidote", "poison", "check"}
    for wolf in seats_of(game, "wolf")[1:]:
        direct(game, "out", wolf, clock.at(1, 21, 10))
    doors.strike(game.journal, clock.at(2, 9, 1))
    last = seats_of(game, "wolf")[0]
    assert use(game, last, skill(game, last, "last_fog")) == "last_fog"


def test_every_form_of_m46(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m46")
    assert use_all(game) == {"revenge"}
    doors.strike(game.journal, clock.at(1, 21, 5))
    early = use_all(game)
    assert early == {"shield", "mute_shield", "charm", "kill", "antidote", "poison", "check", "grudge"}
    seer = next(seat for seat in range(1, 15) if any(view.id == "grudge" for view in me(game, seat).skills))
    view = skill(game, seer, "grudge")
    html = page(game, seer)
    assert "选相连的三个座位" in html
    form = skill_form(html, view.index)
    got = send(game, seer, form.data(**{f"t{view.index}": [2, 5, 9]}))
    assert got.status_code == 422 and "连续" in got.content.decode()
    assert 'value="5" checked' in got.content.decode(), "what was ticked is kept"
    assert skill(game, seer, "grudge").kept is None


def test_every_form_of_baichibai(clock: Clock) -> None:
    clock.set(moment(1, 8, 59))
    game = seated("baichibai", setup_ends=moment(1, 9, 0))
    assert use_all(game) == {"possess", "heretics", "curse"}
    grandpa = seats_of(game, "grandpa")[0]
    assert "选六人" in page(game, grandpa)
    doors.strike(game.journal, clock.at(1, 12, 0))
    first = use_all(game)
    doors.strike(game.journal, clock.at(3, 9, 1))
    second = use_all(game)
    assert first | second == {
        "freeze", "torch", "counter", "slash", "detect", "holy_light", "judge", "shoot", "antidote", "poison", "curse", "swap",
    }  # fmt: skip


def evening(clock: Clock, possessed: str = "", heretics: tuple[str, ...] = ()) -> Any:
    """baichibai on its first day, the shadow's host and grandpa's heretics (roles) chosen through their forms."""
    clock.set(moment(1, 8, 59))
    game = seated("baichibai", setup_ends=moment(1, 9, 0))
    for role, name, wanted in (("shadow", "possess", (possessed,)), ("grandpa", "heretics", heretics)):
        if any(wanted):
            seat = seats_of(game, role)[0]
            view = skill(game, seat, name)
            targets = [seats_of(game, target)[0] for target in wanted]
            form = skill_form(page(game, seat), view.index)
            assert send(game, seat, form.data(**{f"t{view.index}": targets})).status_code == 302
    doors.strike(game.journal, clock.at(1, 12, 0))
    return game


def test_the_form_of_a_skill_that_a_torch_turns_into(clock: Clock) -> None:
    game = evening(clock)
    hecate, witch, target = seats_of(game, "hecate")[0], seats_of(game, "witch")[0], seats_of(game, "crow")[0]
    assert all(view.id != "dance" for view in me(game, hecate).skills) and "彼岸圆舞" not in page(game, witch)
    for seat, name in ((hecate, "torch"), (witch, "poison")):
        view = skill(game, seat, name)
        assert send(game, seat, skill_form(page(game, seat), view.index).data(**{f"t{view.index}": [target]})).status_code == 302
    doors.strike(game.journal, clock.at(3, 9, 1))
    assert all(view.id != "torch" for view in me(game, hecate).skills)
    dance = skill(game, hecate, "dance")
    assert dance.state == "early" and set(dance.targets) <= set(Table(game, None).public.alive) and target in dance.targets
    assert "彼岸圆舞" in page(game, hecate)
    assert use(game, hecate, dance) == "dance"


def test_the_forms_of_skills_that_heretics_bring(clock: Clock) -> None:
    heretics = ("crow", "penguin", "swordsman", "priest", "saint", "gaslighter")
    game = evening(clock, heretics=heretics)
    grandpa = seats_of(game, "grandpa")[0]
    gained = {1: "cult_judge", 3: "ward", 5: "cult_shoot"}
    for number, role in enumerate(heretics[:5], 1):
        assert number not in gained or all(view.id != gained[number] for view in me(game, grandpa).skills)
        direct(game, "out", seats_of(game, role)[0], clock.at(1, 12, number))
        if number in gained:
            view = skill(game, grandpa, gained[number])
            assert view.state == ("automatic" if number == 3 else "early"), view.id
    go(game, clock, Table(game, None).public.closes_at + 1)
    for name in ("cult_judge", "cult_shoot"):
        view = skill(game, grandpa, name)
        assert view.state in ("open", "early") and not set(view.targets) & {seats_of(game, role)[0] for role in heretics[:5]}
        assert use(game, grandpa, view) == name
    ward = skill(game, grandpa, "ward")
    assert all(not form.options(f"t{ward.index}") for form in forms(page(game, grandpa)))


INHERITED = {
    "penguin": {"freeze"}, "hecate": {"torch"}, "swordsman": {"counter"}, "priest": {"detect", "holy_light"}, "prophet": {"judge"},
    "witch": {"antidote", "poison"}, "crow": {"curse"}, "gaslighter": {"swap"}, "hunter": {"shoot"}, "grandpa": {"cult_judge"},
}  # fmt: skip


@pytest.mark.parametrize("host", INHERITED)
def test_the_forms_of_inherited_skills(clock: Clock, host: str) -> None:
    game = evening(clock, host, ("crow", "penguin", "swordsman", "priest", "saint", "gaslighter"))
    shadow, gone = seats_of(game, "shadow")[0], seats_of(game, host)[0]
    if host == "grandpa":
        direct(game, "out", seats_of(game, "saint")[0], clock.at(1, 12, 1))
    direct(game, "out", gone, clock.at(1, 12, 5))
    close = Table(game, None).public.closes_at
    go(game, clock, close + (11 if host == "hunter" else 1))  # the host's own triggers come first
    living = set(Table(game, None).public.alive)
    for name in INHERITED[host]:
        view = skill(game, shadow, name)
        assert view.state in ("open", "early"), (name, view.state, view.why)
        assert set(view.targets) <= living and gone not in view.targets
        assert use(game, shadow, view, thorough=False) == name


def test_the_shot_passes_to_another_of_the_folk(clock: Clock) -> None:
    game = evening(clock, "witch")
    direct(game, "out", seats_of(game, "hunter")[0], clock.at(1, 12, 5))
    go(game, clock, Table(game, None).public.closes_at)
    go(game, clock, Table(game, None).minute + 11)  # the last shot has had its time
    heirs = [seat for role in ("prophet", "idiot") for seat in seats_of(game, role)]
    (heir,) = [seat for seat in heirs if any(view.id == "shoot" for view in me(game, seat).skills)]
    assert use(game, heir, skill(game, heir, "shoot")) == "shoot"


def test_who_of_the_pack_handed_in_what(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 21, 5))
    one, two, _three = seats_of(game, "wolf")
    view = skill(game, one, "kill")
    send(game, one, skill_form(page(game, one), view.index).data(**{f"t{view.index}": [1]}))
    clock.at(1, 21, 9)
    send(game, two, skill_form(page(game, two), view.index).data(**{f"t{view.index}": [2]}))
    html = page(game, one)
    name = Table(game, None).name
    assert f"{name(two)} 21:09 提交" in html
    assert f"21:05 {name(one)} → <s>1 {name(1)}</s>" in html
    victim = page(game, 1)
    assert "21:09" not in victim and "杀人 →" not in victim
    doors.strike(game.journal, clock.at(2, 9, 1))
    assert f"杀人 → 2 {name(2)}" in page(game, one), "the history stays"


def test_late_and_another_skill_and_no_seat(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 21, 5))
    wolf, seer, civilian = seats_of(game, "wolf")[0], seats_of(game, "seer")[0], seats_of(game, "civilian")[0]
    kill, check = skill(game, wolf, "kill"), skill(game, seer, "check")
    form = skill_form(page(game, wolf), kill.index)
    forged = {"skill": str(check.index), f"t{check.index}": "1", "key": "f"}
    got = send(game, civilian, forged)
    assert got.status_code == 422 and "没有“预言”" in got.content.decode()
    assert not skill(game, seer, "check").has_kept
    huge = {"skill": str(kill.index), f"t{kill.index}": "9" * 30}
    for nonsense in ({"skill": "99", "t99": "1"}, {"skill": "x"}, {"pass": "-1"}, {}, huge):
        assert send(game, wolf, nonsense).status_code == 422
    clock.at(1, 21, 30)
    got = send(game, wolf, form.data(**{f"t{kill.index}": [1]}))
    assert got.status_code == 422 and "时限已过" in got.content.decode()
    doors.strike(game.journal, clock.at(1, 21, 31))
    assert not skill(game, wolf, "kill").has_kept
    assert "今夜的时限已过" in page(game, wolf)
    assert client("director").get(f"/g/{game.pk}/letter/").status_code == 404
    assert client("").get(f"/g/{game.pk}/letter/").status_code == 302


def test_a_form_sent_twice_counts_once(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 21, 5))
    wolf = seats_of(game, "wolf")[0]
    kill = skill(game, wolf, "kill")
    form = skill_form(page(game, wolf), kill.index)
    head = doors.head(game.journal)
    for _ in range(2):
        assert send(game, wolf, form.data(**{f"t{kill.index}": [1]})).status_code == 302
    assert doors.head(game.journal) == head + 1
    assert send(game, wolf, form.data(**{f"t{kill.index}": [2]})).status_code == 302
    assert skill(game, wolf, "kill").kept == [2], "the same page with another choice is no repetition"


def test_the_answer_comes_with_its_question(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 21, 5))
    seer, wolf = seats_of(game, "seer")[0], seats_of(game, "wolf")[0]
    check = skill(game, seer, "check")
    send(game, seer, skill_form(page(game, seer), check.index).data(**{f"t{check.index}": [wolf]}))
    doors.strike(game.journal, clock.at(2, 9, 1))
    html = page(game, seer)
    name = Table(game, None).name
    assert f"预言 → {wolf} {name(wolf)}：<b>狼人阵营</b>" in html or f"预言 → {wolf} {name(wolf)}：<b>非村民阵营</b>" in html
    assert "验得" in html
    english = client(f"player{seer}")
    Account.objects.filter(username=f"player{seer}").update(language="en")
    try:
        assert "Check" in english.get(f"/g/{game.pk}/letter/").content.decode()
    finally:
        Account.objects.filter(username=f"player{seer}").update(language="zh-hans")


def go(game: Any, clock: Clock, minute: int) -> None:
    """Let game time run to a minute."""
    doors.strike(game.journal, clock.set(Table(game, None).pace.moment(minute)))


def exiled(game: Any, clock: Clock, seat: int, sheriff: int = 0) -> None:
    """Let a seat be exiled on the first day that exiles; first elect a sheriff where asked. Ends a minute into dusk."""
    for _ in range(4):
        public = Table(game, None).public
        go(game, clock, public.opens_at)
        public = Table(game, None).public
        ballots = [ballot.name for ballot in public.ballots]
        for name, number, target in (("election", 1, sheriff), ("exile", 0, seat)):
            if name in ballots and target:
                for voter in public.alive:
                    doors.submit(game.journal, c.Vote(voter, number, target), Table(game, None).now, f"seat {voter}")
        go(game, clock, public.closes_at + 1)
        if "exile" in ballots:
            return
    raise AssertionError("no exile")


def hunter_and_sheriff(clock: Clock) -> tuple[Any, int]:
    """A game of m46 at dusk: the hunter, who is sheriff, has just been exiled and is asked."""
    clock.set(moment(1, 8, 0))
    game = seated("m46")
    hunter = seats_of(game, "hunter")[0]
    exiled(game, clock, hunter, hunter)
    return game, hunter


def test_last_shot_and_handover_in_one_submission(clock: Clock) -> None:
    game, hunter = hunter_and_sheriff(clock)
    assert me(game, hunter).prompt == "last_shot"
    html = page(game, hunter)
    assert "你的两问" in html and html.index("最后一枪") < html.index("letterhead")
    shot, heir = skill(game, hunter, "last_shot"), skill(game, hunter, "handover")
    assert heir.joint
    form = skill_form(html, shot.index)
    assert set(form.values("skill")) == {str(shot.index), str(heir.index)}
    one, two = shot.targets[:2]
    both = {f"t{shot.index}": [one], f"t{heir.index}": [one]}
    got = send(game, hunter, form.data(**both))
    assert got.status_code == 422 and "继任者" in got.content.decode()
    got = send(game, hunter, form.data(**{f"t{shot.index}": [one]}))
    assert got.status_code == 422 and me(game, hunter).prompt == "last_shot", "the badge was not chosen: nothing was taken"
    for other in (one, two):
        got = send(game, other, form.data(**{f"t{shot.index}": [hunter], f"t{heir.index}": [two]}))
        assert got.status_code == 422, "another seat's prompt"
    assert me(game, hunter).prompt == "last_shot"
    got = send(game, hunter, form.data(**{f"t{shot.index}": [one], f"t{heir.index}": [two]}))
    assert got.status_code == 302, got.content.decode()
    public = Table(game, None).public
    assert one not in public.alive and public.sheriff == two
    html = page(game, hunter)
    assert "最后一枪 →" in html and "你已出局" in html
    got = send(game, hunter, form.data(**{f"t{shot.index}": [two], f"t{heir.index}": [two]}))
    assert got.status_code in (302, 422) and two in Table(game, None).public.alive, "an answer is final"


def test_first_the_shot_alone(clock: Clock) -> None:
    game, hunter = hunter_and_sheriff(clock)
    html = page(game, hunter)
    shot = skill(game, hunter, "last_shot")
    form = skill_form(html, shot.index)
    got = send(game, hunter, form.data(form.button("only"), **{f"t{shot.index}": ["pass"]}))
    assert got.status_code == 302
    assert me(game, hunter).prompt == "handover"
    html = page(game, hunter)
    heir = skill(game, hunter, "handover")
    form = skill_form(html, heir.index)
    assert form.button("pass") is None, "forced"
    assert send(game, hunter, form.data(**{f"t{heir.index}": [heir.targets[0]]})).status_code == 302
    assert Table(game, None).public.sheriff == heir.targets[0]


def test_dusk_reads_the_same_with_and_without_a_prompt(clock: Clock) -> None:
    """Two games that differ in whether the exiled one has a last shot: the words of the others are the same."""
    pages = []
    for role in ("hunter", "piper"):
        clock.set(moment(1, 8, 0))
        game = seated("m46")
        target = seats_of(game, role)[0]
        exiled(game, clock, target)
        asked = me(game, target).prompt
        assert (asked == "last_shot") == (role == "hunter")
        villager = seats_of(game, "villager")[0]
        html = page(game, villager)
        main = html[html.index("<main") : html.index("<aside")]
        for seat in range(1, game.seats + 1):
            main = main.replace(Table(game, None).name(seat), "某人")
        pages.append([line for line in main.split("\n") if 'class="phase' in line or "todo" in line])
    assert pages[0] == pages[1]


def test_playing_dumb_is_asked_and_answered(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("baichibai", setup_ends=moment(1, 9, 0))
    idiot = seats_of(game, "idiot")[0]
    exiled(game, clock, idiot)
    assert me(game, idiot).prompt == "play_dumb"
    view = skill(game, idiot, "play_dumb")
    html = page(game, idiot)
    form = skill_form(html, view.index)
    assert form.button("pass") is not None and "不装，照放逐" in html
    assert send(game, idiot, form.data()).status_code == 302
    assert idiot in Table(game, None).public.alive
    hunter = seats_of(game, "hunter")[0]
    shoot = skill(game, hunter, "shoot")
    html = page(game, hunter)
    assert "今夜可指一人或两人" in html
    name, form = f"t{shoot.index}", skill_form(html, shoot.index)
    first, second = [seat for seat in shoot.targets if seat != hunter][:2]
    for chosen, more, kept in (([first, second], {}, [first, second]), ([second], {f"twice{shoot.index}": "1"}, [second, second])):
        assert send(game, hunter, form.data(**{name: chosen}, **more)).status_code == 302
        assert skill(game, hunter, "shoot").kept == kept


def test_the_badge_is_handed_over_at_dawn(clock: Clock) -> None:
    """The sheriff killed at night sees who else is out (M13), and no one else does."""
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    go(game, clock, Table(game, None).public.opens_at)
    sheriff, poisoned = seats_of(game, "civilian")[:2]
    wolf, witch, reader = seats_of(game, "wolf")[0], seats_of(game, "witch")[0], seats_of(game, "guard")[0]
    for voter in range(1, game.seats + 1):
        doors.submit(game.journal, c.Vote(voter, 1, sheriff), Table(game, None).now, f"seat {voter}")
    go(game, clock, Table(game, None).public.closes_at + 5)
    for seat, skill_id, target in ((wolf, "kill", sheriff), (witch, "poison", poisoned)):
        view = skill(game, seat, skill_id)
        sent = skill_form(page(game, seat), view.index).data(**{f"t{view.index}": [target]})
        assert send(game, seat, sent).status_code == 302
    go(game, clock, Table(game, None).public.closes_at + 61)
    assert me(game, sheriff).prompt == "handover"
    html = page(game, sheriff)
    name = Table(game, None).name
    assert f"今夜出局的还有：{poisoned} {name(poisoned)}" in html and "今夜出局的还有" not in page(game, reader)
    view = skill(game, sheriff, "handover")
    form = skill_form(html, view.index)
    assert poisoned in form.options(f"t{view.index}", off=True)
    got = send(game, sheriff, form.data(**{f"t{view.index}": [poisoned]}))
    assert got.status_code == 422 and me(game, sheriff).prompt == "handover"
    assert send(game, sheriff, form.data(form.button("pass"))).status_code == 302
    assert not me(game, sheriff).prompt and "放弃" in page(game, sheriff)


def test_the_dead_hand_nothing_in(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 12, 0))
    wolf = seats_of(game, "wolf")[0]
    kill = skill(game, wolf, "kill")
    form = skill_form(page(game, wolf), kill.index)
    direct(game, "out", wolf, clock.at(1, 12, 1))
    doors.strike(game.journal, clock.at(1, 21, 5))
    got = send(game, wolf, form.data(**{f"t{kill.index}": [1]}))
    assert got.status_code == 422 and "出局" in got.content.decode()
    assert not skill(game, wolf, "kill").has_kept
    assert not [found for found in forms(page(game, wolf)) if found.values("skill")]
    doors.strike(game.journal, clock.at(2, 9, 1))
    other = seats_of(game, "wolf")[1]
    assert "已出局" in page(game, other)


def test_surrender(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m46")
    doors.strike(game.journal, clock.at(2, 12, 0))
    wolves = seats_of(game, "wolf")
    village = seats_of(game, "villager")[0]
    assert "投降" not in page(game, village)
    got = send(game, village, {"surrender": "propose", "key": "v"})
    assert got.status_code == 422 and "狼人阵营" in got.content.decode()
    form = next(found for found in forms(page(game, wolves[0])) if found.button("surrender"))
    assert send(game, wolves[0], form.data(form.button("surrender"))).status_code == 302
    assert me(game, wolves[1]).surrender == "asked"
    assert "有人提出投降" in page(game, wolves[1])
    assert "投降" not in page(game, village)
    assert send(game, wolves[1], {"surrender": "hm", "key": "h"}).status_code == 422
    for wolf in wolves:
        if me(game, wolf).surrender == "asked":
            assert send(game, wolf, {"surrender": "agree", "key": f"a{wolf}"}).status_code == 302
    assert "wolves" in Table(game, Account.objects.get(username="director")).view.director.lost  # type: ignore[union-attr]


def test_an_assistant_reads_and_submits_nothing(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 21, 5))
    wolf = seats_of(game, "wolf")[0]
    helper = Account.objects.filter(username="helper").first() or account("helper")
    Tenure.objects.create(game=game, seat=wolf, account=helper, kind="assistant", since=moment(1, 9))
    client(f"player{wolf}").post(f"/g/{game.pk}/den/0/", {"body": "暗号是月台猫", "key": "1"})
    browser = client("helper")
    html = browser.get(f"/g/{game.pk}/letter/").content.decode()
    assert "狼人" in html and "场助只读" in html
    assert "月台猫" not in html and not [found for found in forms(html) if found.values("skill")]
    kill = skill(game, wolf, "kill")
    got = browser.post(f"/g/{game.pk}/letter/", {"skill": str(kill.index), f"t{kill.index}": "1", "key": "2"})
    assert got.status_code == 422 and not skill(game, wolf, "kill").has_kept
    assert browser.get(f"/g/{game.pk}/den/0/").status_code == 404
    assert browser.post(f"/g/{game.pk}/line/", {"body": "代问", "key": "3"}).status_code == 422


def test_a_substitute_has_the_history_and_the_predecessor_loses_it(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("m205")
    doors.strike(game.journal, clock.at(1, 21, 5))
    wolf = seats_of(game, "wolf")[0]
    kill = skill(game, wolf, "kill")
    send(game, wolf, skill_form(page(game, wolf), kill.index).data(**{f"t{kill.index}": [1]}))
    client(f"player{wolf}").post(f"/g/{game.pk}/den/0/", {"body": "暗号是月台猫", "key": "1"})
    client(f"player{wolf}").post(f"/g/{game.pk}/hole/", {"body": "只给自己", "key": "2"})
    later = moment(1, 21, 20)
    new = Account.objects.filter(username="newcomer").first() or account("newcomer")
    Tenure.objects.filter(game=game, seat=wolf, until=None).update(until=later)
    Tenure.objects.create(game=game, seat=wolf, account=new, since=later)
    clock.set(later)
    name = Table(game, None).name
    html = client("newcomer").get(f"/g/{game.pk}/letter/").content.decode()
    assert f"当前 <b>1 {name(1)}</b>" in html and "月台猫" in html
    assert "只给自己" not in html and "只给自己" not in client("newcomer").get(f"/g/{game.pk}/hole/").content.decode()
    assert "月台猫" in client("newcomer").get(f"/g/{game.pk}/den/0/").content.decode()
    old = client(f"player{wolf}")
    assert old.get(f"/g/{game.pk}/letter/").status_code == 404
    assert old.get(f"/g/{game.pk}/den/0/").status_code == 404
    assert old.get(f"/g/{game.pk}/line/").status_code == 404
    assert "只给自己" in old.get(f"/g/{game.pk}/hole/").content.decode()
    assert Viewer("player", wolf) == Table(game, new).viewer
    used = client("newcomer").post(f"/g/{game.pk}/letter/", {"skill": str(kill.index), f"t{kill.index}": "2", "key": "3"})
    assert used.status_code == 302 and skill_of(game, new, "kill").kept == [2]


def skill_of(game: Any, who: Account, name: str) -> SkillView:
    found = Table(game, who).me
    assert found is not None
    return next(view for view in found.skills if view.id == name)


def test_what_is_frozen_says_so(clock: Clock) -> None:
    clock.set(moment(1, 8, 0))
    game = seated("baichibai", setup_ends=moment(1, 9, 0))
    penguin, priest = seats_of(game, "penguin")[0], seats_of(game, "priest")[0]
    doors.strike(game.journal, clock.at(2, 12, 0))
    detect, freeze = skill(game, priest, "detect"), skill(game, penguin, "freeze")
    send(game, priest, skill_form(page(game, priest), detect.index).data(**{f"t{detect.index}": [detect.targets[0]]}))
    send(game, penguin, skill_form(page(game, penguin), freeze.index).data(**{f"t{freeze.index}": [priest]}))
    close = Table(game, None).public.closes_at
    go(game, clock, close + 30)
    html = page(game, priest)
    assert "你今夜被冻住了" in html
    go(game, clock, close + 31)
    html = page(game, priest)
    assert "没有用掉" in html


@pytest.mark.parametrize("name", ["m205", "m46", "baichibai"])
def test_every_letter_can_be_read_at_every_moment(clock: Clock, name: str) -> None:
    clock.set(moment(1, 8, 0))
    game = seated(name)
    for day, hour, minute in ((1, 8, 30), (1, 21, 0), (2, 21, 45), (3, 9, 0)):
        doors.strike(game.journal, clock.at(day, hour, minute))
        for seat in range(1, game.seats + 1):
            html = page(game, seat)
            assert html.count("btn lit") <= 1
            assert "{{" not in html and "player" not in html.replace(f"player{seat}", "")
