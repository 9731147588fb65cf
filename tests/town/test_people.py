"""Accounts and the town around games: who gets in and how, what the front page says to whom, the managers' office, errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time as real_time
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.test import Client, override_settings

from bansha.journal import doors, time
from bansha.referee import commands as c
from bansha.town.models import Account, Directing, FailedLogin, Game, Invite, LogLine, Signup, Tenure, Visit
from bansha.town.past import outcome
from tests.support.town import MONDAY, Clock, account, client, moment, seated

PASSWORD = "lamplight-lamplight"


@pytest.fixture(autouse=True)
def _no_limits_left_over() -> None:
    cache.clear()


def person(name: str, **more: Any) -> Account:
    found = Account.objects.filter(username=name).first()
    return found or account(name, **more)


def text(page: Any) -> str:
    return str(page.content.decode())


def sign_in(browser: Client, name: str, password: str = PASSWORD) -> Any:
    return browser.post("/accounts/login/", {"login": name, "password": password})


def visitor(**more: Any) -> Client:
    return Client(headers={"host": "localhost", "accept-language": "zh-CN"}, **more)


def running(clock: Clock, title: str, seed: int = 1) -> Game:
    game: Game = seated(seed=seed, title=title)
    doors.strike(game.journal, clock.at(1, 9, 1))
    return game


def finished(clock: Clock, title: str, seed: int = 1) -> Game:
    game = running(clock, title, seed)
    doors.submit(game.journal, c.Direct("abort", True, "太久"), clock.at(1, 9, 2), "director 1")
    game.refresh_from_db()
    assert game.status == "over"
    return game


def sign_up(title: str, start: Any = MONDAY + timedelta(days=9)) -> Game:
    from bansha.rulesets.load import load

    director = person("director", directs=True)
    game = Game.objects.create(
        title=title, ruleset="m205", ruleset_hash=load("m205").hash, start=start, seats=10, status="signup", opened_by=director,
        made_at=MONDAY,
    )  # fmt: skip
    Directing.objects.create(game=game, account=director, number=1)
    return game


# --- passwords and doors ----------------------------------------------------------------------------------------


def test_passwords_are_kept_by_argon2_unless_tests_ask_for_haste() -> None:
    quiet = {key: value for key, value in os.environ.items() if key != "BANSHA_QUICK_PASSWORDS"}
    said = subprocess.run(
        [sys.executable, "-c", "from bansha.site import settings; print(settings.PASSWORD_HASHERS)"],
        env=quiet, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert said.strip() == "['django.contrib.auth.hashers.Argon2PasswordHasher']"
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.Argon2PasswordHasher"]):
        assert make_password(PASSWORD).startswith("argon2$argon2id$")


def test_anybody_registers_where_registration_is_open() -> None:
    browser = visitor()
    page = browser.post("/accounts/signup/", {"username": "新来的甲", "password1": PASSWORD, "password2": PASSWORD})
    assert page.status_code == 302 and page.headers["Location"] == "/"
    assert "报名" in text(browser.get("/"))
    assert Account.objects.get(username="新来的甲").directs is False


def test_an_invitation_lets_one_person_in_and_is_refused_twice(clock: Clock) -> None:
    clock.set(MONDAY)
    person("people-manager", manages=True)
    office = client("people-manager")
    for _ in range(2):  # the same form twice makes one invitation
        office.post("/managers/invite", {"key": "one"})
    invite = Invite.objects.get(made_by__username="people-manager")
    body = {"username": "受邀的人", "password1": PASSWORD, "password2": PASSWORD}
    with override_settings(INVITE_ONLY=True):
        closed = visitor().get("/accounts/signup/")
        assert "登记要凭邀请" in text(closed) and "password1" not in text(closed)
        assert "不存在，或已经用过" in text(visitor().get("/accounts/signup/?invite=nothing"))
        assert "登记要凭邀请" in text(visitor().post("/accounts/signup/", body))
        first, second = visitor(), visitor()
        for browser in (first, second):
            assert "password1" in text(browser.get(f"/accounts/signup/?invite={invite.code}"))
        assert first.post("/accounts/signup/", body).status_code == 302
        invite.refresh_from_db()
        assert invite.used_by == Account.objects.get(username="受邀的人")
        late = second.post("/accounts/signup/", {**body, "username": "晚来的人"})
        assert "登记要凭邀请" in text(late)
        assert not Account.objects.filter(username="晚来的人").exists()
        assert "不存在，或已经用过" in text(visitor().get(f"/accounts/signup/?invite={invite.code}"))
    assert "受邀的人 用了" in text(office.get("/managers/"))


def test_two_who_hold_one_invitation_at_once_do_not_both_get_in() -> None:
    from allauth.core.exceptions import ImmediateHttpResponse
    from django.contrib.sessions.backends.db import SessionStore
    from django.test import RequestFactory

    from bansha.town.accounts import Adapter
    from bansha.town.entrance import Register

    person("people-manager", manages=True)
    used = Invite.objects.create(
        code="both", made_by=Account.objects.get(username="people-manager"), used_by=Account.objects.first(), made_at=MONDAY
    )
    request = RequestFactory().post("/accounts/signup/")
    request.session = SessionStore()
    request.session["invite"] = used.code
    request.user = Account.objects.get(username="people-manager")
    form = Register({"username": "慢了一步", "password1": PASSWORD, "password2": PASSWORD})
    with override_settings(INVITE_ONLY=True):
        assert form.is_valid()
        with pytest.raises(ImmediateHttpResponse) as stopped:
            Adapter(request).save_user(request, Account(), form)
    assert stopped.value.response.status_code == 422
    assert not Account.objects.filter(username="慢了一步").exists()


def test_nobody_signs_in_as_a_computer_player() -> None:
    person("people-machine", computer=True)
    browser = visitor()
    assert sign_in(browser, "people-machine").headers["Location"] == "/accounts/inactive/"
    assert "_auth_user_id" not in browser.session
    assert Account.objects.get(username="people-machine").is_active


def test_a_wrong_password_says_what_to_do_and_keeps_the_name() -> None:
    person("people-anna")
    page = sign_in(visitor(), "people-anna", "wrong-wrong-wrong")
    assert "名字与密码对不上" in text(page)
    assert 'value="people-anna"' in text(page)


# --- the second door --------------------------------------------------------------------------------------------


def _code(secret: str) -> str:
    from allauth.mfa.totp.internal import auth

    return str(auth.format_hotp_value(auth.hotp_value(secret, int(real_time.time()) // 30)))


def test_a_second_door_is_set_up_and_then_asked_for() -> None:
    person("people-bella")
    browser = visitor()
    sign_in(browser, "people-bella")
    asked = browser.get("/accounts/2fa/totp/activate/")
    assert asked.status_code == 302 and "reauthenticate" in asked.headers["Location"]
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = text(browser.get("/accounts/2fa/totp/activate/"))
    secret = re.search(r'id="authenticator_secret" value="(\w+)"', page)
    assert secret is not None and 'class="qr" src="data:image/svg+xml' in page
    wrong = browser.post("/accounts/2fa/totp/activate/", {"code": "000000"})
    assert "这个码不对" in text(wrong)
    secret = re.search(r'id="authenticator_secret" value="(\w+)"', text(wrong))
    assert secret is not None
    assert browser.post("/accounts/2fa/totp/activate/", {"code": _code(secret[1])}).status_code == 302
    assert "开着" in text(browser.get("/profile/"))
    cache.clear()  # a code opens once; the next sign-in falls into the same half minute
    again = visitor()
    assert sign_in(again, "people-bella").headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert "_auth_user_id" not in again.session
    assert "第二道门" in text(again.get("/accounts/2fa/authenticate/"))
    assert again.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code == 200
    assert again.post("/accounts/2fa/authenticate/", {"code": _code(secret[1])}).headers["Location"] == "/"
    assert again.session["_auth_user_id"]


ENTRANCE = ("login/", "signup/", "password/reset/", "password/reset/done/", "password/reset/key/1-abc/", "inactive/")
OWN = (
    "email/", "password/change/", "logout/", "reauthenticate/", "sessions/", "2fa/", "2fa/totp/activate/", "2fa/webauthn/",
    "2fa/webauthn/add/", "2fa/recovery-codes/generate/",
)  # fmt: skip


def _in_our_look(page: str) -> None:
    assert '<header class="top">' in page and 'class="sheet stack"' in page
    assert not re.search(r"<script(?![^>]*(?:src=|application/json))", page), "a script that the policy would stop"
    assert "style=" not in page and "onclick" not in page
    assert "Menu:" not in page
    assert page.count("btn lit") <= 1


def test_every_page_of_accounts_is_in_our_look_and_has_no_script_of_its_own() -> None:
    person("people-carol")
    for path in ENTRANCE:
        page = visitor().get(f"/accounts/{path}")
        assert page.status_code == 200, path
        _in_our_look(text(page))
        assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    browser = visitor()
    sign_in(browser, "people-carol")
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    for path in OWN:
        page = browser.get(f"/accounts/{path}")
        assert page.status_code == 200, path
        _in_our_look(text(page))
    assert 'id="mfa_webauthn_add"' in text(browser.get("/accounts/2fa/webauthn/add/"))
    assert 'id="passkey_login"' in text(visitor().get("/accounts/login/"))


# --- sky and tongue ---------------------------------------------------------------------------------------------


def test_the_sky_needs_no_token_and_is_chosen_on_our_own_pages_only() -> None:
    browser = visitor(enforce_csrf_checks=True)
    elsewhere = browser.post("/sky", {"theme": "dark"}, headers={"origin": "http://elsewhere.example"})
    assert elsewhere.status_code == 403 and "sky" not in browser.cookies
    assert browser.post("/sky", {"theme": "dark"}, headers={"origin": "null"}).status_code == 403
    assert browser.post("/sky", {"theme": "dark"}, headers={"origin": "http://localhost"}).status_code == 302
    assert browser.cookies["sky"].value == "dark"


def test_the_sky_is_kept_in_a_cookie() -> None:
    browser = visitor()
    assert browser.post("/sky", {"theme": "dark"}).status_code == 302
    assert browser.cookies["sky"].value == "dark"
    assert 'data-theme="dark"' in text(browser.get("/"))
    browser.post("/sky", {"theme": "purple"})
    assert browser.cookies["sky"].value == "dark"
    assert browser.get("/sky").status_code == 405


def test_a_visitors_language_is_a_cookie_and_a_members_stays_with_the_account() -> None:
    browser = visitor()
    assert 'lang="zh-Hans"' in text(browser.get("/"))
    page = browser.post("/lang", {"language": "en"}, headers={"referer": "http://localhost/archive/"})
    assert page.headers["Location"] == "http://localhost/archive/"
    assert '<html lang="en"' in text(browser.get("/"))
    elsewhere = browser.post("/lang", {"language": "xx"}, headers={"referer": "http://elsewhere.example/"})
    assert elsewhere.headers["Location"] == "/" and browser.cookies["lang"].value == "en"
    person("people-dora")
    client("people-dora").post("/lang", {"language": "en"})
    assert Account.objects.get(username="people-dora").language == "en"
    assert '<html lang="en"' in text(client("people-dora").get("/"))


# --- the front page ---------------------------------------------------------------------------------------------


def test_a_newcomer_is_told_what_to_do_first(clock: Clock) -> None:
    clock.set(MONDAY)
    game = sign_up("等人的一局", MONDAY - timedelta(days=400))
    Signup.objects.create(game=game, account=person("people-emma"), kind="player", at=MONDAY)
    page = text(visitor().get("/"))
    assert "先登记一个站内名字" in page and "已到 1 / 10 人" in page and "people-emma" not in page
    person("people-fred")
    page = text(client("people-fred").get("/"))
    assert "报名一场，领一个马甲" in page and f'href="/g/{game.pk}/signup/"' in page
    assert "开一局" not in page and "管理处" not in page
    assert "开一局" in text(client("director").get("/"))
    assert "第一步" not in text(client("people-emma").get("/"))


def test_my_games_say_what_waits_for_me_and_tell_nobody_else(clock: Clock) -> None:
    game = running(clock, "雾笛前的渡船")
    doors.strike(game.journal, clock.at(2, 9, 1))
    mine = text(client("player4").get("/"))
    assert "雾笛前的渡船" in mine and "你还没有投票" in mine and "以提词人的名义" in mine
    other = text(visitor().get("/"))
    assert "雾笛前的渡船" in other and "你还没有投票" not in other
    for name in Tenure.objects.filter(game=game).values_list("account__username", flat=True):
        assert name not in other and (name == "player4" or name not in mine)
    director = text(client("director").get("/"))
    assert f'href="/g/{game.pk}/desk/"' in director


def test_a_draft_is_on_its_directors_front_page_alone(clock: Clock) -> None:
    clock.set(MONDAY)
    game = sign_up("没写完的一局")
    Game.objects.filter(pk=game.pk).update(status="draft")
    assert "没写完的一局" in text(client("director").get("/"))
    person("people-gwen", directs=True)
    assert "没写完的一局" not in text(client("people-gwen").get("/"))
    assert "没写完的一局" not in text(visitor().get("/"))


# --- cards and old playbills ------------------------------------------------------------------------------------


def test_a_card_shows_parts_after_the_end_and_not_before(clock: Clock) -> None:
    over = finished(clock, "纸月亮")
    play = running(clock, "还没揭的幕", 7)
    page = text(visitor().get("/who/player3/"))
    assert "纸月亮" in page and "守灯塔的老海" in page and "还没揭的幕" not in page
    own = text(client("player3").get("/profile/"))
    assert "纸月亮" in own and "还没揭的幕" not in own, "what is still in play is not even hinted at"
    assert over.journal is not None and play.journal is not None
    end = outcome(over.journal, doors.head(over.journal))
    assert str(end.rules.roles[end.roles[3]].name.zh) in page
    person("people-hugo")
    assert visitor().get("/who/people-hugo/").status_code == visitor().get("/who/nobody-at-all/").status_code == 404
    Tenure.objects.filter(game=play, seat=10).update(account=person("people-ivy"))
    assert visitor().get("/who/people-ivy/").status_code == 404


def test_the_archive_finds_finished_games_by_title_and_by_people_and_never_a_running_one(clock: Clock) -> None:
    over = finished(clock, "借火的人", 3)
    play = running(clock, "火还没借到", 4)
    browser = visitor()
    assert "借火的人" in text(browser.get("/archive/?q=借火"))
    assert "借火的人" in text(browser.get("/archive/?q=player9&b=m205&w=none"))
    assert "借火的人" not in text(browser.get("/archive/?q=借火&w=wolf"))
    Tenure.objects.filter(game=play, seat=9).update(account=person("people-jane"))
    for query in ("火还没", "people-jane"):
        page = text(browser.get(f"/archive/?q={query}"))
        assert "没有这样的旧戏" in page and f"/g/{play.pk}/" not in page
    assert f"/g/{over.pk}/" in text(browser.get("/"))


def test_language_and_zone_are_changed_on_the_profile() -> None:
    person("people-kate")
    browser = client("people-kate")
    assert visitor().get("/profile/").status_code == 302
    refused = browser.post("/profile/", {"zone": "Mars/Olympus", "language": "en"})
    assert refused.status_code == 422 and "没有改动" in text(refused)
    assert browser.post("/profile/", {"zone": "Europe/Berlin", "language": "en"}).status_code == 302
    kate = Account.objects.get(username="people-kate")
    assert (kate.zone, kate.language) == ("Europe/Berlin", "en")
    assert "<option selected>Europe/Berlin</option>" in text(browser.get("/profile/"))


# --- the managers' office ---------------------------------------------------------------------------------------


def test_the_office_is_there_for_managers_alone() -> None:
    person("people-manager", manages=True)
    person("people-lars")
    for path in ("/managers/", "/managers/visit", "/managers/right", "/managers/invite", "/managers/leave"):
        assert client("people-lars").post(path).status_code == 404
        assert visitor().post(path).status_code == 302
    assert client("people-manager").get("/managers/").status_code == 200
    assert client("people-manager").get("/managers/visit").status_code == 405


def test_repeated_failed_sign_ins_are_shown_to_managers_only_and_do_not_say_who_plays(clock: Clock) -> None:
    game = running(clock, "有人敲门的一局")
    person("people-manager", manages=True)
    person("people-mona", email="mona@example.org")
    Tenure.objects.filter(game=game, seat=6).update(account=Account.objects.get(username="people-mona"))
    person("people-nick")
    for _ in range(2):
        sign_in(visitor(), "people-mona", "wrong-wrong-wrong")
        sign_in(visitor(), "people-nick", "wrong-wrong-wrong")
    office = client("people-manager")
    assert "people-mona" not in text(office.get("/managers/")), "twice is not yet again and again"
    cache.clear()
    sign_in(visitor(), "Mona@Example.org", "wrong-wrong-wrong")
    assert FailedLogin.objects.filter(account__username="people-mona").count() == 3
    sign_in(visitor(), "people-nick", "wrong-wrong-wrong")
    page = text(office.get("/managers/"))
    assert "people-mona" in page and "people-nick" in page, "whether it plays or not"
    assert page.count("七日内 3 次") == 2
    attempts = page[page.index("反复登录失败的账号") :]
    assert "有人敲门的一局" not in attempts[: attempts.index("邀请")], "which game it sits in is not said"
    for browser in (visitor(), client("director"), client("player2")):
        assert "people-mona" not in text(browser.get("/"))
        assert browser.get("/managers/").status_code in (302, 404)
    clock.at(9, 9, 0)
    assert "people-mona" not in text(office.get("/managers/")), "after a week it is over"


def test_looking_into_a_game_takes_a_reason_and_a_term_and_is_written_in_its_log(clock: Clock) -> None:
    game = running(clock, "被查看的一局")
    person("people-manager", manages=True)
    office = client("people-manager")
    desk = f"/g/{game.pk}/desk/"
    assert office.get(desk).status_code == 404
    for body, said in (
        ({"game": game.pk, "reason": "  ", "hours": "2"}, "没有写理由"),
        ({"game": game.pk, "reason": "有人举报", "hours": "0"}, "1 到 72"),
        ({"game": game.pk, "reason": "有人举报", "hours": "73"}, "1 到 72"),
        ({"game": game.pk, "reason": "有人举报", "hours": "两"}, "1 到 72"),
        ({"game": "x", "reason": "有人举报", "hours": "2"}, "不在演"),
    ):
        refused = office.post("/managers/visit", body)
        assert refused.status_code == 422 and said in text(refused)
        assert body["reason"].strip() in text(refused), "what was typed stays"
    assert not Visit.objects.filter(game=game).exists() and not LogLine.objects.filter(game=game).exists()
    assert office.get(desk).status_code == 404
    for _ in range(2):  # handed in twice, done once
        assert office.post("/managers/visit", {"game": game.pk, "reason": "有人举报场外", "hours": "2"}).status_code == 302
    assert Visit.objects.filter(game=game).count() == 1
    line = LogLine.objects.get(game=game)
    assert line.kind == "visit" and "people-manager" in line.words and "有人举报场外" in line.words and "2 小时" in line.words
    assert office.get(desk).status_code == 200
    assert office.post(f"/g/{game.pk}/t/talk-1/", {"body": "路过", "key": "k"}).status_code != 302, "who visits writes nothing"
    assert "有人举报场外" in text(office.get("/managers/"))
    person("people-other-manager", manages=True)
    visit = Visit.objects.get(game=game)
    assert client("people-other-manager").post("/managers/leave", {"visit": visit.pk}).status_code == 422
    clock.at(1, 11, 2)
    assert office.get(desk).status_code == 404, "the term is over"


def test_a_look_can_be_ended_before_its_term(clock: Clock) -> None:
    game = running(clock, "早早看完的一局")
    person("people-manager", manages=True)
    office = client("people-manager")
    office.post("/managers/visit", {"game": game.pk, "reason": "核对一张牌", "hours": "24"})
    visit = Visit.objects.get(game=game)
    assert office.post("/managers/leave", {"visit": visit.pk}).status_code == 302
    assert office.get(f"/g/{game.pk}/desk/").status_code == 404
    assert LogLine.objects.filter(game=game, kind="visit").count() == 2
    assert office.post("/managers/leave", {"visit": visit.pk}).status_code == 422


def test_a_manager_who_plays_or_played_there_or_directs_is_refused(clock: Clock) -> None:
    game = running(clock, "自己也在的一局")
    person("people-playing-manager", manages=True)
    tenure = Tenure.objects.filter(game=game, seat=8)
    tenure.update(account=Account.objects.get(username="people-playing-manager"))
    office, body = client("people-playing-manager"), {"game": game.pk, "reason": "好奇", "hours": "1"}
    refused = office.post("/managers/visit", body)
    assert refused.status_code == 422 and "你在这一局里有位子" in text(refused)
    tenure.update(until=time.now())
    assert office.post("/managers/visit", body).status_code == 422
    Account.objects.filter(username="director2").update(manages=True)
    assert "直接上导演台" in text(client("director2").post("/managers/visit", body))
    Account.objects.filter(username="director2").update(manages=False)
    over = finished(clock, "已经演完的一局", 9)
    person("people-manager", manages=True)
    assert client("people-manager").post("/managers/visit", {**body, "game": over.pk}).status_code == 422
    assert not Visit.objects.filter(game__in=(game, over)).exists()


def test_managers_give_and_take_rights() -> None:
    person("people-manager", manages=True)
    person("people-olga")
    office = client("people-manager")

    def change(name: str, right: str, act: str) -> Any:
        return office.post("/managers/right", {"name": name, "right": right, "act": act})

    assert change("people-olga", "directs", "give").status_code == 302
    assert Account.objects.get(username="people-olga").directs
    assert change("people-olga", "directs", "take").status_code == 302
    assert not Account.objects.get(username="people-olga").directs
    person("people-machine", computer=True)
    for name, right, act, said in (
        ("没有这个人", "directs", "give", "没有叫“没有这个人”的人"),
        ("people-olga", "is_superuser", "give", "导演”和“管理员"),
        ("people-machine", "directs", "give", "电脑演员"),
        ("people-manager", "manages", "take", "自己的管理员身份自己收不了"),
    ):
        refused = change(name, right, act)
        assert refused.status_code == 422 and said in text(refused)
    assert Account.objects.get(username="people-manager").manages
    assert not Account.objects.get(username="people-olga").is_superuser


# --- what the town says when it cannot ----------------------------------------------------------------------------


@override_settings(DEBUG=False)
def test_what_is_not_there_has_a_page_of_ours() -> None:
    page = visitor().get("/no/such/<place>")
    assert page.status_code == 404 and "雾里没有这条路" in text(page) and "/no/such/&lt;place&gt;" in text(page)


@override_settings(DEBUG=False)
def test_a_form_that_stood_open_too_long_gives_the_words_back() -> None:
    browser = visitor(enforce_csrf_checks=True)
    words = {"body": "写了很久的<b>一段话</b>", "password": "secret-secret"}
    page = browser.post("/lang", words, headers={"origin": "http://localhost"})
    assert page.status_code == 403 and "没有收下" in text(page)
    assert "写了很久的&lt;b&gt;一段话&lt;/b&gt;" in text(page) and "secret-secret" not in text(page)
    page = browser.post("/lang", words, headers={"origin": "http://localhost", "referer": "http://localhost/archive/?q=1"})
    assert '<a class="btn lit" href="/archive/">' in text(page)
    elsewhere = browser.post("/lang", words, headers={"origin": "http://elsewhere.example"})
    assert elsewhere.status_code == 403 and "写了很久的" not in text(elsewhere), "words that came from elsewhere are not shown"


@override_settings(DEBUG=False)
def test_a_request_that_cannot_be_read_and_a_fault_of_ours_have_pages_that_need_nothing() -> None:
    page = Client(headers={"host": "elsewhere.example"}).get("/")
    assert page.status_code == 400 and "这封信读不出来" in text(page) and "elsewhere" not in text(page)
    from bansha.town.views import errors

    broken = errors.broken(None)  # type: ignore[arg-type]
    assert broken.status_code == 500 and "镇上的钟卡住了" in text(broken)


def test_moments_are_the_clocks(clock: Clock) -> None:
    clock.at(1, 12)
    assert "12:00" in text(visitor().get("/")) and time.now() == moment(1, 12)
