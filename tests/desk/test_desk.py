"""The desk: what it shows, to whom, and everything a director does there."""

from __future__ import annotations

import itertools
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bansha.desk import forms
from bansha.desk.urls import urlpatterns
from bansha.journal import doors
from bansha.sight.types import DIRECTOR, PUBLIC
from bansha.town import acts
from bansha.town.models import Account, Directing, LogLine, Post, Request, Tenure, Visit
from bansha.town.table import Table
from tests.support.town import Clock, account, client, moment, seated, seats_of

COUNT = itertools.count()


def table(game: Any, name: str) -> Table:
    """This account at the game, now."""
    game.refresh_from_db()
    return Table(game, Account.objects.get(username=name))


def full(game: Any) -> Any:
    """Everything, as directors see it."""
    found = doors.see(game.journal, DIRECTOR).view.director
    assert found is not None
    return found


def skill(game: Any, name: str) -> int:
    """A skill's number."""
    return list(doors.ruleset(game.journal).ruleset.skills).index(name)


def day_one(clock: Clock, seed: int, name: str = "m205") -> Any:
    """A game on day 1, at 10:00."""
    game = seated(name, seed=seed, title=f"台 {name} {seed}")
    doors.strike(game.journal, clock.at(1, 9, 1))
    clock.at(1, 10)
    return game


def night_one(clock: Clock, seed: int) -> Any:
    """A game in night 1, at 21:05."""
    game = seated(seed=seed, title=f"夜 {seed}")
    doors.strike(game.journal, clock.at(1, 21, 5))
    return game


def act(game: Any, name: str, who: str = "director", **data: Any) -> Any:
    """Send the form of an act, opened anew."""
    return client(who).post(f"/g/{game.pk}/desk/act/{name}/", {"key": f"key {next(COUNT)}", **data})


def last(game: Any) -> doors.Noted:
    """The newest entry."""
    return doors.record(game.journal)[-1]


def news(game: Any, kind: str) -> list[Any]:
    """What is known of all news of a kind."""
    return [piece.value for noted in doors.record(game.journal) for piece in noted.news if piece.kind == kind]


# --- what it shows ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["m205", "m46", "baichibai", "vanilla"])
def test_the_screen_stands_at_every_moment_of_a_game(clock: Clock, name: str) -> None:
    game = seated(name, seed=11, title=f"每刻 {name}")
    desk = client("director")
    phases = set()
    for day, hour, minute in [(1, 8, 0), (1, 9, 30), (1, 21, 3), (1, 21, 40), (1, 22, 30), (2, 9, 5), (2, 21, 45), (3, 9, 5)]:
        doors.strike(game.journal, clock.at(day, hour, minute))
        page = desk.get(f"/g/{game.pk}/desk/")
        assert page.status_code == 200
        phases.add(full(game).phase.partition(" ")[0])
        text = unescape(page.content.decode())
        for seat in range(1, game.seats + 1):
            assert f'id="seat-{seat}"' in text
        assert desk.get(f"/g/{game.pk}/desk/seat/1/").status_code == 200
    assert {"day", "night"} <= phases
    act(game, "abort", reason="测试", sure="yes")
    assert desk.get(f"/g/{game.pk}/desk/").status_code == 200


def test_it_says_who_is_missing_and_what_was_handed_in(clock: Clock) -> None:
    game = night_one(clock, 12)
    guard, seer, wolf = seats_of(game, "guard")[0], seats_of(game, "seer")[0], seats_of(game, "wolf")[0]
    acts.hand_in(table(game, f"player{guard}"), {skill(game, "shield"): [seer]})
    acts.hand_in(table(game, f"player{wolf}"), {skill(game, "kill"): [seer]})
    text = unescape(client("director").get(f"/g/{game.pk}/desk/").content.decode())
    missing = text[text.index('id="missing"') : text.index('id="waiting"')]
    assert table(game, "director").name(seer) in missing and "首夜盾" in missing
    assert table(game, "director").name(guard) not in missing
    assert f"【守护之盾】→ {seer}" in text and f"【杀人】→ {seer}" in text
    assert "若此刻结算" in text and "已交" in text


def test_by_day_it_says_who_has_not_voted(clock: Clock) -> None:
    game = day_one(clock, 13)
    acts.vote(table(game, "player4"), "election-1", 7, "稳")
    text = unescape(client("director").get(f"/g/{game.pk}/desk/").content.decode())
    missing = text[text.index('id="missing"') : text.index('id="waiting"')]
    assert missing.count("没有投票") == 9 and "0 帖，要 5 帖" in missing


def test_every_line_leads_to_an_explanation_with_clauses(clock: Clock) -> None:
    game = night_one(clock, 14)
    seer, wolf = seats_of(game, "seer")[0], seats_of(game, "wolf")[0]
    victim = seats_of(game, "civilian")[0]
    acts.hand_in(table(game, f"player{wolf}"), {skill(game, "kill"): [victim]})
    desk = client("director")

    def links(page: str) -> list[str]:
        return sorted(set(re.findall(rf'href="(/g/{game.pk}/desk/why/[^"]+)"', desk.get(page).content.decode())))

    found = links(f"/g/{game.pk}/desk/") + links(f"/g/{game.pk}/desk/seat/{seer}/")
    assert any(f"out={victim}&amp;ahead=1" in link for link in found)
    for link in found:
        page = desk.get(unescape(link))
        assert page.status_code == 200 and 'class="steps"' in page.content.decode(), link
    ahead = desk.get(f"/g/{game.pk}/desk/why/?out={victim}&ahead=1").content.decode()
    assert "skill.kill" in ahead and "settle.1" in ahead and "所引条文" in ahead
    for bad in ("?out=99", "?told=3&skill=nosuch", "?out=x", ""):
        assert desk.get(f"/g/{game.pk}/desk/why/{bad}").status_code == 404


def test_what_if_writes_nothing_and_leaves_the_real_dice_alone(clock: Clock) -> None:
    ends = []
    for looking in (False, True):
        game = night_one(clock, 15)
        before = doors.lines(game.journal)
        if looking:
            desk = client("director")
            for _ in range(3):
                assert "若此刻结算" in desk.get(f"/g/{game.pk}/desk/").content.decode()
            desk.get(f"/g/{game.pk}/desk/why/?out=1&ahead=1")
        assert doors.lines(game.journal) == before
        doors.strike(game.journal, moment(3, 9, 1))
        ends.append(doors.lines(game.journal))
    assert ends[0] == ends[1]


def test_the_number_of_queries_does_not_grow(clock: Clock) -> None:
    game = day_one(clock, 16)
    desk = client("director")

    def queries() -> int:
        desk.get(f"/g/{game.pk}/desk/")
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert desk.get(f"/g/{game.pk}/desk/").status_code == 200
        return len(caught)

    first = queries()
    for seat in range(1, 11):
        for n in range(3):
            acts.say(table(game, f"player{seat}"), "talk-1", f"我发誓第 {n} 帖。")
        acts.vote(table(game, f"player{seat}"), "election-1", 7, "稳")
        acts.ask(table(game, f"player{seat}"), f"{seat} 号有一事相求。")
        acts.whisper(table(game, f"player{seat}"), f"line-{seat}", "导演在吗？")
    assert queries() <= first + 1  # the posts of the flags: one question, however many
    assert first < 45


# --- to whom ------------------------------------------------------------------------------------------------------------


def addresses(game: Any) -> list[str]:
    """Every address of the desk."""
    values = {
        "<int:game>": str(game.pk), "<int:seat>": "3", "<slug:what>": "proposed", "<int:index>": "0", "<int:request_id>": "1",
        "<slug:room>": "talk-1", "<int:floor>": "1",
    }  # fmt: skip
    found = []
    for pattern in urlpatterns:
        route = str(pattern.pattern)
        for name, value in values.items():
            route = route.replace(name, value)
        found += [route.replace("<slug:name>", name) for name in forms.ACTS] if "<slug:name>" in route else [route]
    return ["/" + route for route in found]


def test_players_and_all_others_find_no_desk(clock: Clock) -> None:
    game, other = day_one(clock, 17), day_one(clock, 18)
    account("bystander")
    stranger = account("stranger", directs=True)
    Directing.objects.create(game=other, account=stranger, number=3)
    adviser = account("adviser")
    Tenure.objects.create(game=game, seat=3, account=adviser, kind="assistant", since=game.made_at)
    account("idle-manager", manages=True)
    desk = addresses(game)
    for address in desk:
        assert client("player3").get(address).status_code == 404, address
    for name in ("bystander", "stranger", "adviser", "idle-manager"):
        assert all(client(name).get(address).status_code == 404 for address in desk[:7])
    for name in ("player3", "stranger", "adviser"):
        for address in (desk[0], *desk[5:8], *desk[-6:]):
            assert client(name).post(address, {"reason": "x", "sure": "yes"}).status_code == 404, (name, address)
    visitor = client("")
    for address in addresses(game):  # the log is everybody's one day: until then it is not there
        assert visitor.get(address).status_code == (404 if address.endswith("/log/") else 302), address
    assert last(game).by == "clock"


def test_a_visiting_manager_reads_and_changes_nothing(clock: Clock) -> None:
    game = day_one(clock, 19)
    warden = account("warden19", manages=True)
    now = clock.at(1, 10)
    Visit.objects.create(game=game, manager=warden, reason="有人举报场外", since=now, until=now + timedelta(hours=1))
    browser = client("warden19")
    page = browser.get(f"/g/{game.pk}/desk/")
    text = page.content.decode()
    assert page.status_code == 200 and 'id="acts"' not in text
    assert not re.search(r'<form[^>]*action="/g/', text)
    for part in ("", "seat/3/", "why/?card=3", "log/", "copy/"):
        assert browser.get(f"/g/{game.pk}/desk/{part}").status_code == 200
    assert browser.post(f"/g/{game.pk}/desk/log/", {"body": "记一笔"}).status_code == 404
    for name in forms.ACTS:
        assert browser.get(f"/g/{game.pk}/desk/act/{name}/").status_code == 404
    assert "有人举报场外" in client("director").get(f"/g/{game.pk}/desk/").content.decode()
    clock.at(1, 11, 30)
    assert browser.get(f"/g/{game.pk}/desk/").status_code == 404


# --- acts -----------------------------------------------------------------------------------------------------------------

WITH_REASON = [name for name, act in forms.ACTS.items() if forms.REASON in act.fields]
SAMPLE = {
    "seat": "3", "ballot": "election", "target": "7", "skill": "check", "how": "hand_in", "targets": ["7"], "faction": "wolves",
    "minute": "2026-11-23T21:30", "start": "2026-11-23T09:00", "end": "2026-11-23T09:30", "answer": "是", "colour": "blue",
    "hold": "yes", "clause": "贬低", "account": "newcomer",
}  # fmt: skip


def test_no_act_without_its_reason_nor_unconfirmed(clock: Clock) -> None:
    game = day_one(clock, 20)
    Account.objects.filter(username="newcomer").exists() or account("newcomer")
    before = doors.lines(game.journal)
    for name in WITH_REASON:
        fields = {field.name: SAMPLE[field.name] for field in forms.ACTS[name].fields if field.name in SAMPLE}
        page = act(game, name, sure="yes", **fields)
        text = unescape(page.content.decode())
        assert page.status_code == 422 and "写下理由" in text, name
        for field, value in fields.items():
            if field not in ("targets", "ballot", "hold"):
                assert value in text, (name, field)  # nothing typed is lost
        if forms.ACTS[name].final:
            page = act(game, name, reason="有理由", **fields)
            assert page.status_code == 422 and "勾上" in page.content.decode(), name
    assert doors.lines(game.journal) == before
    assert not LogLine.objects.filter(game=game).exists()
    assert client("director").get(f"/g/{game.pk}/desk/act/nosuch/").status_code == 404


def test_time_is_moved_sped_up_held_and_stopped(clock: Clock) -> None:
    game = day_one(clock, 21)
    assert act(game, "deadline", minute="2026-11-23T22:15", reason="停电").status_code == 302
    public = doors.see(game.journal, PUBLIC).view.public
    assert forms.moment_of(public.closes_at) == "2026-11-23T22:15"
    assert (last(game).by, news(game, "acted")[-1]["reason"]) == ("director 1", "停电")
    page = act(game, "deadline", minute="2026-11-23T08:00", reason="晚了")
    assert page.status_code == 422 and "不在现在" in page.content.decode()
    assert act(game, "deadline", minute="昨天", reason="晚了").status_code == 422
    assert act(game, "extend", who="director2", reason="都不在").status_code == 302
    assert last(game).by == "director 2"
    assert act(game, "speed_up", reason="都到了").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.sped_up
    assert act(game, "hold", hold="yes", reason="稳").status_code == 302
    assert act(game, "pause", reason="维护").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.paused
    assert "继续" in client("director").get(f"/g/{game.pk}/desk/").content.decode()
    clock.at(1, 12)
    assert act(game, "resume", reason="好了").status_code == 302
    assert not doors.see(game.journal, PUBLIC).view.public.paused
    assert act(game, "outage", start="2026-11-23T10:00", end="2026-11-23T12:00", reason="停机", sure="yes").status_code == 302
    assert act(game, "outage", start="2026-11-23T12:00", end="2026-11-23T10:00", reason="停机", sure="yes").status_code == 422


def test_votes_are_cast_for_players_and_voided(clock: Clock) -> None:
    game = day_one(clock, 22)
    assert act(game, "proxy", seat="3", ballot="election", target="7", reason="私信托我").status_code == 302
    assert (3, 7) in doors.see(game.journal, PUBLIC).view.public.ballots[0].votes
    assert last(game).by == "director 1"
    assert LogLine.objects.get(game=game, kind="behalf").words.endswith("私信托我")
    page = act(game, "proxy", seat="3", ballot="election", target="6", reason="再投")
    assert page.status_code == 422 and "已有一张有效票" in page.content.decode()
    assert act(game, "void_vote", seat="3", ballot="election", reason="写错").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.ballots[0].votes == []
    assert act(game, "undo", reason="没写错", sure="yes").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.ballots[0].votes == [(3, 7)]


def test_what_is_refused_leaves_no_reason_in_the_log(clock: Clock) -> None:
    game = day_one(clock, 41)
    assert act(game, "proxy", seat="4", ballot="exile", target="5", reason="托我投", sure="yes").status_code == 422  # no such ballot today
    assert act(game, "substitute", seat="3", account="player6", reason="换人", sure="yes").status_code == 422  # plays here already
    assert not LogLine.objects.filter(game=game, kind__in=("behalf", "substitute")).exists()
    assert act(game, "proxy", key="one", seat="4", ballot="election", target="5", reason="托我投", sure="yes").status_code == 302
    assert act(game, "proxy", key="one", seat="4", ballot="election", target="5", reason="托我投", sure="yes").status_code == 302
    assert LogLine.objects.filter(game=game, kind="behalf", words__contains="托我投").count() == 1


def test_a_choice_is_handed_in_for_a_player_and_voided(clock: Clock) -> None:
    game = night_one(clock, 23)
    guard = seats_of(game, "guard")[0]
    page = act(game, "act", seat=str(guard), skill="shield", how="hand_in", targets=["7"], reason="他发信说守 7")
    assert page.status_code == 302
    assert (last(game).by, last(game).news[0].value["targets"]) == ("director 1", [7])
    assert (guard, "shield", [7], guard) in full(game).pending
    assert "他发信说守 7" in client("director").get(f"/g/{game.pk}/desk/log/").content.decode()
    assert "代交" in client("director").get(f"/g/{game.pk}/desk/").content.decode()
    refused = act(game, "act", seat=str(guard), skill="poison", how="hand_in", targets=["7"], reason="没有这技能")
    assert refused.status_code == 422 and LogLine.objects.filter(game=game, kind="behalf").count() == 1
    assert act(game, "void_act", seat=str(guard), skill="shield", reason="本人否认").status_code == 302
    assert full(game).pending == []
    assert act(game, "act", seat=str(guard), skill="shield", how="pass", reason="放弃").status_code == 302
    assert (guard, "shield", None, guard) in full(game).pending


def test_people_are_judged_out_and_back_factions_lost_answers_corrected(clock: Clock) -> None:
    game = night_one(clock, 24)
    seer, wolf = seats_of(game, "seer")[0], seats_of(game, "wolf")[0]
    clock.at(1, 21, 40)
    acts.hand_in(table(game, f"player{seer}"), {skill(game, "check"): [wolf]})
    doors.strike(game.journal, clock.at(1, 22, 5))
    assert act(game, "correct", seat=str(seer), skill="check", answer="村民阵营", reason="系统算错", sure="yes").status_code == 302
    assert news(game, "told")[-1] == {"skill": "check", "value": "villagers", "corrects": True}
    assert act(game, "correct", seat=str(seer), skill="check", answer="大概吧", reason="系统算错", sure="yes").status_code == 422
    victim = seats_of(game, "civilian")[0]
    assert act(game, "out", seat=str(victim), reason="自爆身份", sure="yes").status_code == 302
    assert not full(game).seats[victim - 1].alive
    assert act(game, "restore", seat=str(victim), reason="判错了", sure="yes").status_code == 302
    assert full(game).seats[victim - 1].alive
    assert act(game, "lose", faction="wolves", reason="场外").status_code in (302, 422)
    assert "acted" in {piece.kind for piece in last(game).news}


def test_an_abort_ends_the_game(clock: Clock) -> None:
    game = day_one(clock, 25)
    assert act(game, "abort", reason="人散了", sure="yes").status_code == 302
    game.refresh_from_db()
    assert game.status == "over"


def test_cards_are_dealt_and_withdrawn_with_a_reason(clock: Clock) -> None:
    game = day_one(clock, 26)
    assert act(game, "card", seat="4", colour="blue", clause="贬低", reason="34 楼", sure="yes").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.cards[4] == (1, 0, 0)
    page = act(game, "card", seat="4", colour="blue", clause="辱骂", reason="不对", sure="yes")
    assert page.status_code == 422 and "可判" in page.content.decode()
    red = {"seat": "5", "colour": "red", "clause": "违法", "reason": "屡教不改"}
    page = act(game, "card", **red)
    assert page.status_code == 422 and "红牌的后果不能撤销" in page.content.decode()
    assert act(game, "uncard", seat="4", colour="blue", clause="贬低", reason="看错人").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.cards[4] == (0, 0, 0)
    assert [line.words for line in LogLine.objects.filter(game=game, kind__in=("card", "uncard"))] == ["34 楼", "看错人"]


def test_the_same_form_sent_twice_is_one_act(clock: Clock) -> None:
    game = day_one(clock, 27)
    for _ in range(2):
        assert act(game, "card", key="same", seat="4", colour="blue", clause="贬低", reason="34 楼", sure="yes").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.cards[4] == (1, 0, 0)


def test_a_substitute_takes_over_and_an_assistant_comes(clock: Clock) -> None:
    game = day_one(clock, 28)
    account("understudy")
    account("helper28")
    page = act(game, "substitute", seat="3", account="nobody-here", reason="出差", sure="yes")
    assert page.status_code == 422 and "没有这个名字" in page.content.decode()
    assert act(game, "substitute", seat="3", account="understudy", reason="出差", sure="yes").status_code == 302
    assert Tenure.objects.get(game=game, seat=3, kind="player", until=None).account.username == "understudy"
    assert client("player3").get(f"/g/{game.pk}/desk/").status_code == 404
    assert act(game, "assistant", seat="4", account="helper28").status_code == 302
    assert Tenure.objects.get(game=game, seat=4, kind="assistant", until=None).account.username == "helper28"
    assert act(game, "assistant", seat="5", account="player6").status_code == 422
    text = client("director").get(f"/g/{game.pk}/desk/?view=people").content.decode()
    assert "understudy" in text and "helper28" in text


def test_a_director_posts_notes_and_hands_over(clock: Clock) -> None:
    game = day_one(clock, 29)
    assert act(game, "say", room="talk-1", body="[color=red]安静[/color]").status_code == 302
    post = Post.objects.get(game=game, room="talk-1", voice="director")
    assert post.body == "[color=red]安静[/color]"
    assert act(game, "say", room="nosuch", body="x").status_code == 422
    assert act(game, "off", note="4 号问过替补").status_code == 302
    assert "4 号问过替补" in client("director2").get(f"/g/{game.pk}/desk/").content.decode()
    assert act(game, "off", note="").status_code == 302
    assert "4 号问过替补" not in client("director2").get(f"/g/{game.pk}/desk/").content.decode()
    assert client("director").post(f"/g/{game.pk}/desk/log/", {"body": "记一笔"}).status_code == 302
    assert client("director").post(f"/g/{game.pk}/desk/log/", {"body": " "}).status_code == 422
    log = client("director2").get(f"/g/{game.pk}/desk/log/").content.decode()
    assert "记一笔" in log and "4 号问过替补" in log and "导演 1（director）" in log


# --- what waits on the desk -----------------------------------------------------------------------------------------------


def waiting(game: Any, what: str, index: int, do: str, who: str = "director", **data: str) -> Any:
    """Press on something that waits."""
    return client(who).post(f"/g/{game.pk}/desk/{what}/{index}/{do}/", data)


def test_a_proposed_card_is_dealt_or_dismissed_with_a_clause(clock: Clock) -> None:
    game = night_one(clock, 30)
    items = full(game).proposed
    first = next(i for i, item in enumerate(items) if item[3] == "消极")
    seat = items[first][1]
    assert waiting(game, "proposed", first, "deal").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.cards[seat] == (0, 1, 0)
    assert waiting(game, "proposed", first, "deal", "director2").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.cards[seat] == (0, 1, 0)
    second = next(i for i, item in enumerate(items) if i > first and item[3] == "消极")
    page = waiting(game, "proposed", second, "dismiss", clause="没有这条", words="病了")
    assert page.status_code == 422 and "病了" in page.content.decode()
    assert waiting(game, "proposed", second, "dismiss", clause="消极", words="病了").status_code == 302
    line = LogLine.objects.get(game=game, about=f"proposed {second}")
    assert (line.kind, line.director) == ("dismissed", 1) and line.words.endswith("消极 病了")
    desk = client("director2")
    page = desk.post(f"/g/{game.pk}/desk/proposed/{second}/deal/", follow=True)
    assert "已由导演 1（director）处理：没有发" in page.content.decode()
    assert len(news(game, "card")) == 1
    assert waiting(game, "proposed", 999, "deal").status_code == 422
    assert waiting(game, "nosuch", 0, "deal").status_code == 404
    assert client("director").get(f"/g/{game.pk}/desk/proposed/{second}/deal/").status_code == 405
    text = desk.get(f"/g/{game.pk}/desk/").content.decode()
    assert f'id="proposed-{first}"' not in text and f'id="proposed-{second}"' not in text


def test_a_flag_leads_to_its_post_and_is_dealt_or_dismissed(clock: Clock) -> None:
    game = day_one(clock, 31)
    acts.say(table(game, "player3"), "talk-1", "我发誓我是好人。")
    acts.say(table(game, "player4"), "talk-1", "我发誓我也是好人。")
    text = client("director").get(f"/g/{game.pk}/desk/").content.decode()
    assert f"/g/{game.pk}/t/talk-1/#f3" in text and "我发誓" in text
    assert waiting(game, "flagged", 0, "deal", colour="blue").status_code == 422
    assert waiting(game, "flagged", 1, "dismiss", clause="发誓担保", words="玩笑").status_code == 302
    assert waiting(game, "flagged", 0, "deal", colour="red").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.cards[3] == (0, 0, 1)
    assert 'id="flagged-' not in client("director").get(f"/g/{game.pk}/desk/").content.decode()


def test_requests_are_answered_votes_cast_by_one_press(clock: Clock) -> None:
    game = day_one(clock, 32)
    proxy = acts.ask_proxy(table(game, "player3"), "election", 7, "在路上")
    plea = acts.ask(table(game, "player4"), "明晚请人代一天？")
    text = client("director").get(f"/g/{game.pk}/desk/").content.decode()
    assert "在路上" in text and "明晚请人代一天" in text
    assert client("director").post(f"/g/{game.pk}/desk/request/{proxy.pk}/vote/").status_code == 302
    assert doors.see(game.journal, PUBLIC).view.public.ballots[0].votes == [(3, 7)]
    page = client("director2").post(f"/g/{game.pk}/desk/request/{proxy.pk}/vote/", follow=True)
    assert "已由导演 1（director）处理" in page.content.decode()
    assert client("director").post(f"/g/{game.pk}/desk/request/{plea.pk}/answer/", {"words": " "}).status_code == 422
    assert client("director").post(f"/g/{game.pk}/desk/request/{plea.pk}/answer/", {"words": "可以，找好人选。"}).status_code == 302
    assert client("director2").post(f"/g/{game.pk}/desk/request/{plea.pk}/answer/", {"words": "不行。"}).status_code == 302
    plea = Request.objects.get(pk=plea.pk)
    assert (plea.done_by, plea.answer) == (1, "可以，找好人选。")
    other = day_one(clock, 33)
    assert client("director").post(f"/g/{other.pk}/desk/request/{plea.pk}/answer/", {"words": "x"}).status_code == 404


def test_a_request_of_yesterday_casts_no_vote_today(clock: Clock) -> None:
    game = day_one(clock, 34)
    asked = acts.ask_proxy(table(game, "player3"), "election", 7, "在路上")
    Request.objects.filter(pk=asked.pk).update(value={"ballot": "exile", "day": 1, "target": 7})
    doors.strike(game.journal, clock.at(2, 9, 5))
    assert client("director").post(f"/g/{game.pk}/desk/request/{asked.pk}/vote/").status_code == 422
    assert doors.see(game.journal, PUBLIC).view.public.ballots[0].votes == []


def test_an_announcement_waits_for_its_wording_and_can_be_copied(clock: Clock) -> None:
    game = seated(seed=35, title="措辞", review=True)
    doors.strike(game.journal, clock.at(1, 21, 5))
    post = Post.objects.filter(game=game, held_until__gt=clock.at(1, 21, 5)).order_by("pk")[0]
    address = f"/g/{game.pk}/desk/wording/{post.room}/{post.floor}/"
    assert client("director").post(address, {"body": "[b]静一静[/b]，票已数完。"}).status_code == 302
    assert client("director2").post(address, {"body": "改第二次"}).status_code == 422
    assert "静一静" in client("player3").get(f"/g/{game.pk}/t/{post.waits_for}/", follow=True).content.decode()
    copies = unescape(client("director").get(f"/g/{game.pk}/desk/copy/").content.decode())
    assert "[b]静一静[/b]，票已数完。</textarea>" in copies and "readonly" in copies
