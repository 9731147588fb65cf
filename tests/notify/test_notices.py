"""Who is told what and when: from the journal's news and from posts to the outbox, and what still stands when its moment comes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bansha.journal import doors
from bansha.notify.models import Heard, Notice, Ways
from bansha.referee import commands as c
from bansha.town import acts, opening
from bansha.town.models import Account, Game, Post, Signup, Tenure
from tests.browser.scenes import MAKERS, Stage, people
from tests.support.notices import carried, queued, wants
from tests.support.town import NAMES, Clock, moment

OWN = "《末班渡船》有事等你"


@pytest.fixture
def stage(clock: Clock) -> Iterator[Stage]:
    """A dealt game whose setup lasts until 9:00; nobody wants a notice yet."""
    people()
    Ways.objects.all().delete()
    Notice.objects.all().delete()
    yield Stage(clock, "election", seed=4)
    Notice.objects.all().delete()


def kinds(name: str, state: str = "queued") -> list[str]:
    """The kinds in the outbox of this account."""
    return list(Notice.objects.filter(account__username=name, state=state).order_by("not_before", "pk").values_list("kind", flat=True))


def test_who_chose_nothing_is_told_nothing(stage: Stage) -> None:
    stage.setup()
    assert not Notice.objects.exists()


def test_a_day_and_its_close(stage: Stage) -> None:
    wants("player1", before=90)
    wants("director")
    wants("onlooker")
    stage.setup()
    assert kinds("onlooker") == [], "who has nothing to do with the game"
    opened, closing = (row for row in queued("player1") if "有事" not in row.text)
    assert (opened.text, opened.path, opened.at) == ("《末班渡船》第一日开门了。", f"/g/{stage.game.pk}/t/talk-1/", moment(1, 9, 1))
    assert (closing.text, closing.at, closing.expires) == ("《末班渡船》快关门了。", moment(1, 19, 30), moment(1, 21))
    assert [row.at for row in queued("director") if "快关门" in row.text] == [moment(1, 20)]


def test_those_who_look_on_are_told_what_is_public_and_no_more(stage: Stage) -> None:
    wants("onlooker")
    looker = wants("onlooker").account
    Signup.objects.create(game=stage.game, account=looker, kind="spectator", at=moment(1, 5))
    stage.setup()
    stage.votes("election-1", [(seat, 4) for seat in range(1, 9)])
    stage.strike(moment(1, 21))
    assert set(kinds("onlooker")) == {"opened", "closing", "announcement"}


def test_a_close_that_moves_is_told_at_its_new_hour(stage: Stage, clock: Clock) -> None:
    wants("player1", push=["closing"])
    stage.setup()
    clock.at(1, 12)
    acts.direct(stage.table(0), c.Direct("deadline", stage.table(0).public.closes_at + 120, "再等等", 1))
    assert not carried(clock.at(1, 20)), "its old hour"
    assert [went.text for went in carried(clock.at(1, 22))] == ["《末班渡船》快关门了。"]
    assert not carried(clock.at(1, 22, 30))
    acts.direct(stage.table(0), c.Direct("pause", True, "停电", 1))
    acts.direct(stage.table(0), c.Direct("resume", True, "来电", 1))
    assert [row.at for row in queued("player1")] == [moment(2, 20)], "a new close, so it is told again"


def test_a_close_is_not_told_in_a_pause_or_after_it(stage: Stage, clock: Clock) -> None:
    wants("player1", push=["closing"])
    stage.setup()
    clock.at(1, 12)
    acts.direct(stage.table(0), c.Direct("pause", True, "停电", 1))
    assert not carried(clock.at(1, 20))
    assert not queued("player1")


def test_a_window_is_told_to_who_has_something_to_hand_in(stage: Stage, clock: Clock) -> None:
    for seat in range(1, 11):
        wants(f"player{seat}", push=["window"])
    hybrid, seer, wolf = stage.role("hybrid")[0], stage.role("seer")[0], stage.role("wolf")[0]
    Notice.objects.all().delete()
    Heard.objects.all().delete()
    stage.setup()
    stage.strike(moment(1, 21))
    went = {message.to for message in carried(clock.at(1, 21, 1))}
    assert f"player{wolf}" in went and f"player{hybrid}" not in went
    stage.act(wolf, "kill", [stage.role("civilian")[0]])
    late = {message.to for message in carried(clock.at(1, 21, 30))}
    assert f"player{seer}" in late and f"player{wolf}" not in late, "the second stage is the seer's and the witch's"
    assert {message.text for message in carried(clock.at(1, 21, 40))} == set()
    assert not queued(f"player{seer}"), "no further window tonight"


def test_what_was_handed_in_before_is_not_asked_for(stage: Stage, clock: Clock) -> None:
    seer = stage.role("seer")[0]
    wants(f"player{seer}", push=["window"])
    stage.setup()
    stage.strike(moment(1, 21))
    clock.at(1, 21, 2)
    stage.act(seer, "check", [stage.role("wolf")[0]])
    assert not carried(clock.at(1, 21, 30))


def test_setup_asks_who_has_a_choice_to_make(clock: Clock) -> None:
    people()
    Ways.objects.all().delete()
    for seat in range(1, 11):
        wants(f"player{seat}", push=["window", "opened"])
    stage = Stage(clock, "setup", seed=3)
    went = carried(clock.at(1, 5))
    own = {message.to for message in went if "有事等你" in message.text}
    assert own == {f"player{stage.role('hybrid')[0]}"}
    assert {message.to for message in went if "开局了" in message.text} == {f"player{seat}" for seat in range(1, 11)}
    Notice.objects.all().delete()


def test_a_prompt_is_told_to_its_seat_until_it_is_answered(stage: Stage, clock: Clock) -> None:
    chief = stage.role("guard")[0]
    other = stage.role("civilian")[1]
    for seat in (chief, other):
        wants(f"player{seat}", push=["prompt"])
    stage.setup()
    stage.votes("election-1", [(seat, chief) for seat in range(1, 8)])
    stage.night(1, stage.role("civilian")[0])
    living = stage.table(0).public.alive
    stage.votes("ballot-2", [(seat, chief) for seat in living if seat != chief])
    stage.strike(moment(2, 21))
    prompts = queued(f"player{chief}")
    assert [row.text for row in prompts] == [f"{OWN}。"] and prompts[0].expires == moment(2, 21, 10)
    assert not queued(f"player{other}")
    stage.act(chief, "handover", [other])
    assert not carried(clock.at(2, 21, 1)), "answered meanwhile"


def test_den_talk_is_told_to_the_others_once_until_they_have_read_it(stage: Stage, clock: Clock) -> None:
    wolves = stage.role("wolf")
    for seat in range(1, 11):
        wants(f"player{seat}", push=["den"])
    stage.setup()
    clock.at(1, 10)
    acts.whisper(stage.table(wolves[0]), "den-0", "今晚先看守护。")
    acts.whisper(stage.table(wolves[0]), "den-0", "听见了吗？")
    others = {f"player{seat}" for seat in wolves[1:]}
    assert not carried(clock.at(1, 10, 1)), "talk may run on"
    went = carried(clock.at(1, 10, 2))
    assert {message.to for message in went} == others and {message.text for message in went} == {f"{OWN}。"}
    clock.at(1, 10, 5)
    acts.whisper(stage.table(wolves[0]), "den-0", "还在吗？")
    assert not carried(clock.at(1, 10, 10)), "the last one was not read yet"
    reader = stage.table(wolves[1])
    acts.mark_read(reader, "den-0", 3)
    clock.at(1, 10, 11)
    acts.whisper(stage.table(wolves[0]), "den-0", "那就这样。")
    acts.mark_read(reader, "den-0", 4)
    assert not carried(clock.at(1, 10, 20)), "read meanwhile"


def test_the_private_line_goes_both_ways(stage: Stage, clock: Clock) -> None:
    wants("director", push=["line"])
    wants("director2", push=["line"])
    wants("player3", push=["line"])
    stage.setup()
    clock.at(1, 10)
    acts.whisper(stage.table(3), "line-3", "导演，改票引用哪一楼？")
    assert [message.to for message in carried(clock.at(1, 10, 2))] == ["director", "director2"]
    acts.whisper(stage.table(0), "line-3", "引用正生效的那一楼。")
    went = carried(clock.at(1, 10, 10))
    assert [(message.to, message.text) for message in went] == [("player3", f"{OWN}。")]
    acts.ask(stage.table(3), "想请一天假。")
    assert [message.to for message in carried(clock.at(1, 10, 11))] == ["director", "director2"]


def test_a_quote_and_a_card_are_told_to_their_seat(stage: Stage, clock: Clock) -> None:
    for seat in (1, 2):
        wants(f"player{seat}", push=["quoted", "card"])
    stage.setup()
    clock.at(1, 10)
    post = acts.say(stage.table(1), "talk-1", "昨晚的灯是谁灭的？")
    acts.say(stage.table(2), "talk-1", f"[quote={NAMES[0]};{post.ref}]{post.words}[/quote]\n我也想知道。")
    acts.say(stage.table(1), "talk-1", f"[quote={NAMES[0]};{post.ref}]{post.words}[/quote]\n没人答我。")
    assert [message.to for message in carried(clock.at(1, 10, 3))] == ["player1"], "one's own quote is no news"
    conduct = stage.table(0).loaded.ruleset.conduct
    acts.direct(stage.table(0), c.Card(2, "blue", next(clause for clause, spec in conduct.items() if "blue" in spec.colours)))
    assert [(message.to, message.text) for message in carried(clock.at(1, 10, 4))] == [("player2", f"{OWN}。")]


def test_a_refused_post_tells_nobody(stage: Stage, clock: Clock) -> None:
    wants("player1")
    stage.setup()
    clock.at(1, 10)
    post = acts.say(stage.table(1), "talk-1", "昨晚的灯是谁灭的？")
    stage.strike(moment(1, 21))
    Notice.objects.all().delete()
    with pytest.raises(acts.Refused):
        acts.say(stage.table(2), "talk-1", f"[quote={NAMES[0]};{post.ref}]{post.words}[/quote]\n太晚了。")
    assert not Notice.objects.exists()


def test_directors_hear_who_is_missing_and_what_is_proposed(stage: Stage, clock: Clock) -> None:
    wants("director", push=["missing", "proposed"])
    stage.setup()
    stage.strike(moment(1, 21))
    went = carried(clock.at(1, 21))
    assert {message.text for message in went} <= {"《末班渡船》的导演台有事等你。"}, "cards for who did not vote"
    assert [message.text for message in carried(clock.at(1, 21, 20))] == ["《末班渡船》的导演台有事等你。"]
    clock.at(1, 21, 35)
    stage.strike(moment(1, 21, 35))
    assert len(carried(clock.at(1, 21, 50))) == 1, "and before the next limit"
    assert not [row for row in queued("director") if row.at < moment(2, 9)]


def test_an_announcement_under_review_is_told_when_it_shows(clock: Clock) -> None:
    people()
    Ways.objects.all().delete()
    stage = Stage(clock, "election", seed=4, review=True)
    wants("player1", push=["announcement"])
    wants("director", push=["proposed"])
    stage.setup()
    stage.votes("election-1", [(seat, 4) for seat in range(1, 9)])
    stage.strike(moment(1, 21))
    assert {row.at for row in queued("player1")} == {moment(2, 9)} and acts.held_announcements(stage.table(0))
    assert "《末班渡船》的导演台有事等你" in {row.subject for row in queued("director")}
    clock.at(1, 21, 5)
    for held in acts.held_announcements(stage.table(0)):
        acts.release(stage.table(0), held, "")
    assert {(message.to, message.text) for message in carried(clock.at(1, 21, 5))} == {
        ("player1", "《末班渡船》有新公告。"), ("director", "《末班渡船》的导演台有事等你。")
    }  # fmt: skip
    Notice.objects.all().delete()


def test_a_director_who_speaks_is_heard(stage: Stage, clock: Clock) -> None:
    wants("player1", push=["announcement"])
    wants("director", push=["announcement"])
    stage.setup()
    clock.at(1, 10)
    acts.say(stage.table(0), "talk-1", "各位注意：今晚 21:00 关门。")
    acts.say(stage.table(2), "talk-1", "好。")
    assert [message.to for message in carried(clock.at(1, 10))] == ["player1"]


def test_the_end_is_told_and_nothing_after_it(stage: Stage, clock: Clock) -> None:
    wants("player1")
    stage.setup()
    clock.at(1, 16)
    for wolf in stage.role("wolf"):
        acts.direct(stage.table(0), c.Direct("out", wolf, "商定提前收场", 1))
    texts = {message.text for message in carried(clock.at(1, 20))}
    assert any("散场了" in text for text in texts) and not any("快关门" in text for text in texts)
    assert not carried(clock.at(3, 9))


def test_who_was_replaced_hears_no_more(stage: Stage, clock: Clock) -> None:
    wants("player3", push=["line"])
    stage.setup()
    clock.at(1, 10)
    acts.whisper(stage.table(0), "line-3", "你来一下。")
    Tenure.objects.filter(game=stage.game, seat=3, until=None).update(until=moment(1, 10, 1))
    assert not carried(clock.at(1, 10, 2))


def test_who_takes_a_seat_over_hears_what_lies_ahead(stage: Stage, clock: Clock) -> None:
    seer = stage.role("seer")[0]
    newcomer = wants("onlooker", push=["window", "closing"]).account
    stage.setup()
    clock.at(1, 10)
    opening.substitute(stage.table(0), 3, newcomer)
    assert [row.text for row in queued("onlooker")] == ["《末班渡船》快关门了。"]
    stage.strike(moment(1, 21))
    late = wants("warden", push=["window"]).account
    clock.at(1, 21, 35)
    stage.strike(moment(1, 21, 35))
    opening.substitute(stage.table(0), seer, late)
    assert [message.to for message in carried(clock.at(1, 21, 36)) if "有事等你" in message.text] == ["warden"]


def test_the_deal_is_told_to_those_who_were_dealt_a_seat(clock: Clock) -> None:
    people()
    Ways.objects.all().delete()
    Notice.objects.all().delete()
    scene = MAKERS["ceremony"](clock)
    for number in range(1, 11):
        wants(f"player{number}", push=["opened", "window"])
    wants("director", push=["opened"])
    game = Game.objects.get(pk=scene.game)
    for number in range(7, 11):
        opening.contribute(game, Account.objects.get(username=f"player{number}"), clock.at(3, 13), "最后一盏灯")
    game.refresh_from_db()
    assert game.status == "running"
    went = carried(clock.at(3, 13, 1))
    assert {message.to for message in went if "开局了" in message.text} == {"director", *(f"player{n}" for n in range(1, 11))}
    assert len([message for message in went if "有事等你" in message.text]) == 1, "the hybrid has a choice to make"
    Notice.objects.all().delete()


def test_projecting_anew_tells_nothing_again(stage: Stage, clock: Clock) -> None:
    wants("player1")
    wants("director")
    stage.setup()
    stage.strike(moment(1, 21))
    before = list(Notice.objects.order_by("pk").values_list("pk", "key"))
    doors.rebuild(stage.game.journal)
    assert list(Notice.objects.order_by("pk").values_list("pk", "key")) == before
    Notice.objects.all().delete()
    wants("player2")
    doors.rebuild(stage.game.journal)
    assert not Notice.objects.exists(), "not even what was swept out of the outbox, nor for whoever chose since"
    Heard.objects.all().delete()
    doors.rebuild(stage.game.journal)
    assert not Notice.objects.filter(kind="opened").exists(), "a game from before there were notices"


def test_the_same_thing_is_written_once(stage: Stage) -> None:
    from bansha.notify import plan

    way = wants("player1")
    what = plan.What("ended", "1", "/", moment(1, 9))
    for _ in range(2):
        plan.queue(stage.game, what, [way], moment(1, 9))
    assert kinds("player1") == ["ended"]
    asked = ((1, "push", 1), (2, "push", 1), (1, "mail", 1), (1, "push", 2))
    keys = {plan.key_of(account, channel, game, what) for account, channel, game in asked}
    assert len(keys) == 4 and all(len(key) == 40 for key in keys)


def test_quiet_hours_hold_back_merge_and_let_through(stage: Stage, clock: Clock) -> None:
    way = wants("player3", push=["announcement", "line", "opened"], quiet_from=22 * 60, quiet_to=8 * 60 + 30, through=["line"])
    stage.setup()
    Notice.objects.all().delete()
    clock.at(1, 23)
    acts.say(stage.table(0), "process", "夜里先说一句。")
    acts.say(stage.table(0), "process", "再说一句。")
    acts.whisper(stage.table(0), "line-3", "你来一下。")
    went = carried(clock.at(1, 23, 2))
    assert [message.text for message in went] == [f"{OWN}。"], "what may pass"
    assert {row.at for row in queued("player3")} == {moment(2, 8, 30)}
    assert not carried(clock.at(2, 8, 29))
    assert [message.text for message in carried(clock.at(2, 8, 30))] == ["《末班渡船》有新公告。"], "both in one message"
    way.account.zone = "Europe/London"  # eight hours behind in November
    way.account.save()
    clock.at(2, 10)
    acts.say(stage.table(0), "process", "早。")
    assert not carried(clock.at(2, 10)) and [row.at for row in queued("player3")] == [moment(2, 16, 30)]
    way.account.zone = "Asia/Shanghai"
    way.account.save()


def test_what_is_no_news_after_quiet_hours_is_dropped(stage: Stage, clock: Clock) -> None:
    wants("player3", push=["closing"], quiet_from=19 * 60, quiet_to=22 * 60)
    stage.setup()
    assert not carried(clock.at(1, 20)) and len(queued("player3")) == 1
    assert not carried(clock.at(1, 22)) and kinds("player3", "moot") == ["closing"]


def test_quiet_hours_end_by_the_wall_clock(stage: Stage) -> None:
    from datetime import UTC, datetime

    from bansha.notify.courier import quiet_until

    way = wants("player1", quiet_from=22 * 60, quiet_to=7 * 60)
    way.account.zone = "Europe/London"
    night = datetime(2026, 10, 24, 22, 30, tzinfo=UTC)  # 23:30 summer time; the clocks go back at 2:00
    assert quiet_until(way, night) == datetime(2026, 10, 25, 7, 0, tzinfo=UTC)
    assert quiet_until(way, night - timedelta(hours=2)) is None
    way.quiet_from, way.quiet_to = 13 * 60, 14 * 60
    assert quiet_until(way, datetime(2026, 1, 5, 13, 59, 59, tzinfo=UTC)) == datetime(2026, 1, 5, 14, 0, tzinfo=UTC)
    assert quiet_until(way, datetime(2026, 1, 5, 14, 0, tzinfo=UTC)) is None


def test_a_faster_game_is_told_in_real_time(clock: Clock) -> None:
    people()
    Ways.objects.all().delete()
    wants("player1", push=["closing", "opened"], before=5)
    stage = Stage(clock, "election", seed=4, pace=48)  # a day in half an hour; its game time begins with the deal, at 3:00
    pace = doors.pace(stage.game.journal)
    at = pace.moment(stage.table(0).public.opens_at)
    doors.strike(stage.game.journal, clock.set(at))
    closes = pace.moment(stage.table(0).public.closes_at)
    closing = [row for row in queued("player1") if "快关门" in row.text]
    assert [row.at for row in closing] == [closes - timedelta(minutes=5)] and closes - at < timedelta(minutes=20)
    Notice.objects.all().delete()


def test_a_look_of_a_courier_is_cheap_when_nothing_is_due(stage: Stage, clock: Clock) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    wants("player1")
    stage.setup()
    carried(clock.at(1, 9, 2))
    with CaptureQueriesContext(connection) as asked:
        carried(clock.at(1, 9, 3))
    assert len(asked) == 1


def test_posts_and_votes_cost_nothing_more(stage: Stage, clock: Clock) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    wants("player1")
    stage.setup()
    clock.at(1, 10)
    with CaptureQueriesContext(connection) as asked:
        acts.say(stage.table(2), "talk-1", "各位早。")
    assert not [query for query in asked if "notify_" in query["sql"]]
    assert Post.objects.filter(game=stage.game, seat=2).exists()
