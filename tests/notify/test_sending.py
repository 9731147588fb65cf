"""Messages on their way: to a mail server and a push service of our own, which record what arrives."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import connection
from django.test import Client

from bansha.notify import courier, plan, push
from bansha.notify.models import Device, Notice, Ways
from bansha.notify.sending import Message
from bansha.town.models import Account, Game
from tests.browser.scenes import people
from tests.support.fakes import Browser, MailFake, PushFake
from tests.support.notices import wants
from tests.support.town import Clock, client, moment, seated

AT = moment(1, 12)


@pytest.fixture(scope="module")
def game(clock: Clock) -> Game:
    """A game that things can be told about."""
    people()
    made: Game = seated(seed=4)
    return made


@pytest.fixture(autouse=True)
def quiet(game: Game) -> Iterator[None]:
    """Nothing chosen, nothing queued, no device."""
    for model in (Notice, Device, Ways):
        model.objects.all().delete()
    yield


def tell(game: Game, way: Ways, name: str = "1", kind: str = "announcement", at: datetime = AT, **more: Any) -> Notice:
    """Queue one thing for somebody by one way."""
    plan.queue(game, plan.What(kind, name, f"/g/{game.pk}/", at, **more), [way], at)
    keys = [plan.key_of(way.account_id, channel, game.pk, plan.What(kind, name, "", at)) for channel in ("mail", "push")]
    return Notice.objects.filter(key__in=keys).order_by("channel")[0]


def subscribed(pushes: PushFake, name: str, device: str = "phone") -> Browser:
    """A browser of this account that has subscribed by the page."""
    browser = Browser(pushes, device)
    assert client(name).post("/profile/notices/push/", browser.form, headers={"user-agent": "Firefox/140 Android"}).status_code == 201
    return browser


# --- mail -------------------------------------------------------------------------------------------------------------


def test_a_mail_says_where_to_look_and_how_to_stop(game: Game, mails: MailFake) -> None:
    notice = tell(game, wants("player1", mail=["announcement"]))
    assert courier.look(AT) == 1
    letter = mails.letters[0]
    assert (letter.sender, letter.to) == ("bansha@localhost", ["player1@example.org"])
    assert letter.mail["Subject"] == "《末班渡船》有新公告"
    assert letter.mail["Message-ID"] == f"<{notice.key}@localhost>" and letter.mail["X-Idempotency-Key"] == notice.key
    assert letter.mail["Auto-Submitted"] == "auto-generated" and letter.mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    lines = letter.text.splitlines()
    assert lines[0] == "《末班渡船》有新公告。" and f"http://localhost/notices/{notice.key}/" in lines
    stop = letter.mail["List-Unsubscribe"].strip("<> ")
    assert stop in letter.text and stop.startswith("http://localhost/notices/stop/")
    assert Notice.objects.get().state == "sent" and courier.look(AT + timedelta(hours=1)) == 0
    assert not client("player2").get(f"/notices/{notice.key}/").headers.get("Location"), "the link is its owner's alone"
    assert client("player1").get(f"/notices/{notice.key}/").headers["Location"] == f"/g/{game.pk}/"


def test_one_click_stops_the_mails(game: Game, mails: MailFake) -> None:
    way = wants("player1", mail=["announcement"], push=["announcement"])
    tell(game, wants("player1", mail=["announcement"]))
    courier.look(AT)
    stop = mails.letters[0].mail["List-Unsubscribe"].strip("<> ").removeprefix("http://localhost")
    program = Client(enforce_csrf_checks=True, headers={"host": "localhost"})
    page = program.get(stop)
    assert page.status_code == 200 and "停掉邮件？" in page.content.decode() and Ways.objects.get(pk=way.pk).mail, "looking stops nothing"
    assert program.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    way.refresh_from_db()
    assert way.mail == [] and "邮件停了" in program.get(stop).content.decode()
    tell(game, wants("player1", mail=["announcement"]), "2")
    Ways.objects.update(mail=[])
    assert courier.look(AT) == 0 and Notice.objects.get(kind="announcement", state="moot"), "what was queued goes nowhere, either"
    assert program.get(stop.replace("stop/", "stop/9")).status_code == 404


def test_a_mail_is_in_the_language_of_its_reader(game: Game, mails: MailFake) -> None:
    way = wants("player2", mail=["announcement"])
    Account.objects.filter(pk=way.account_id).update(language="en")
    tell(game, way)
    courier.look(AT)
    assert mails.letters[0].mail["Subject"] == "News in 末班渡船" and "without signing in" in mails.letters[0].text
    Account.objects.filter(pk=way.account_id).update(language="zh-hans")


def test_no_mail_to_an_address_nobody_has_confirmed(game: Game, mails: MailFake) -> None:
    way = wants("player3", mail=["announcement"])
    EmailAddress.objects.filter(user=way.account).update(verified=False)
    tell(game, way)
    assert courier.look(AT) == 0 and not mails.letters
    assert Notice.objects.get().state == "given_up"
    page = client("player3").get("/profile/notices/").content.decode()
    assert "未确认" in page and "没有寄成" in page
    client("player3").post("/accounts/email/", {"email": "player3@example.org", "action_send": ""})
    found = re.search(r"http://localhost(/accounts/confirm-email/[^/\s]+/)", mails.letters[0].text)
    assert found is not None and mails.letters[0].to == ["player3@example.org"]
    client("player3").post(found.group(1))
    assert EmailAddress.objects.get(user=way.account).verified
    tell(game, way, "2")
    assert courier.look(AT) == 1 and len(mails.letters) == 2


def test_several_things_are_one_message(game: Game, mails: MailFake) -> None:
    way = wants("player1", mail=["announcement", "line", "ended"])
    for kind, name in (("announcement", "1"), ("announcement", "2"), ("ended", "3")):
        tell(game, way, name, kind)
    assert courier.look(AT) == 1 and len(mails.letters) == 1
    assert mails.letters[0].mail["Subject"] == "2 件事等你看"
    assert mails.letters[0].text.splitlines()[:4] == ["《末班渡船》有新公告。", "《末班渡船》散场了。", "", "http://localhost/profile/notices/#lately"]
    assert set(Notice.objects.values_list("state", flat=True)) == {"sent"}


def test_a_mail_server_that_is_away_is_asked_again_later_and_given_up_in_the_end(game: Game, mails: MailFake) -> None:
    tell(game, wants("player1", mail=["ended"]), kind="ended", expires=AT + timedelta(days=9))
    mails.refuses = 451
    at, waits = AT, []
    for _ in range(courier.MOST):
        assert courier.look(at) == 0
        row = Notice.objects.get()
        waits.append((row.not_before - at) // timedelta(minutes=1))
        assert courier.look(max(at, row.not_before - timedelta(seconds=1))) == 0
        at = row.not_before
    assert waits[:7] == [2, 4, 8, 16, 32, 64, 128]
    assert (row.state, row.why) == ("given_up", "the mail server says 451")
    assert "没有寄成" in client("player1").get("/profile/notices/").content.decode()
    assert len({row.batch for row in Notice.objects.all()}) == 1


def test_what_comes_in_later_is_a_message_of_its_own(game: Game, mails: MailFake) -> None:
    way = wants("player1", mail=["ended", "announcement"])
    first = tell(game, way, "1", "ended")
    mails.refuses = 451
    courier.look(AT)
    mails.refuses = 0
    later = AT + timedelta(minutes=2)
    tell(game, way, "2", at=later)
    assert courier.look(later) == 1 and mails.letters[0].mail["X-Idempotency-Key"] == first.key
    assert mails.letters[0].text.splitlines()[0] == "《末班渡船》散场了。" and courier.look(later) == 1 and len(mails.letters) == 2


def test_an_address_that_is_refused_for_good_is_not_tried_again(game: Game, mails: MailFake) -> None:
    tell(game, wants("player1", mail=["ended"]), kind="ended")
    mails.refuses = 550
    assert courier.look(AT) == 0 and Notice.objects.get().state == "given_up"


def test_nothing_is_locked_while_a_message_is_on_its_way(game: Game, mails: MailFake) -> None:
    tell(game, wants("player1", mail=["ended"]), kind="ended")
    seen: list[tuple[bool, str]] = []

    def send(_message: Message, rows: list[Notice], _now: datetime) -> None:
        with ThreadPoolExecutor(1) as another:  # a connection of its own writes while this one sends
            another.submit(lambda: Game.objects.filter(pk=game.pk).update(note="indeed")).result(10)
        seen.append((connection.in_atomic_block, Notice.objects.get(pk=rows[0].pk).state))

    assert courier.look(AT, {"mail": send}) == 1 and seen == [(False, "sending")]


def test_a_fault_of_our_own_stops_nobody_else(game: Game, mails: MailFake, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("player1", "player2"):
        tell(game, wants(name, mail=["ended"]), kind="ended")
    stands = courier.stands

    def broken(notice: Notice, way: Ways, now: datetime) -> bool:
        if notice.account.username == "player1":
            raise ZeroDivisionError
        return stands(notice, way, now)

    monkeypatch.setattr(courier, "stands", broken)
    assert courier.look(AT) == 1 and [letter.to for letter in mails.letters] == [["player2@example.org"]]
    assert Notice.objects.get(account__username="player1").why == "a fault of the town's own"


# --- push -------------------------------------------------------------------------------------------------------------


def test_a_push_message_is_sealed_signed_and_named(game: Game, pushes: PushFake) -> None:
    way = wants("player1", push=["announcement"])
    browser = subscribed(pushes, "player1")
    notice = tell(game, way, expires=AT + timedelta(minutes=30))
    assert courier.look(AT) == 1
    arrived = pushes.messages[0]
    assert arrived.said == {
        "title": "《末班渡船》有新公告",
        "body": "《末班渡船》有新公告。",
        "url": f"/notices/{notice.key}/",
        "key": notice.key,
    }
    assert arrived.headers["x-idempotency-key"] == notice.key and arrived.headers["topic"] == notice.key[:32]
    assert arrived.headers["ttl"] == "1800" and arrived.headers["content-encoding"] == "aes128gcm"
    assert arrived.headers["authorization"].endswith(push.public_key()), "the key the page gave the browser"
    assert browser.path == arrived.path and Device.objects.get().name == "Firefox · Android"


def test_a_device_that_is_gone_is_forgotten(game: Game, pushes: PushFake) -> None:
    way = wants("player1", push=["announcement"])
    for device in ("phone", "tablet"):
        subscribed(pushes, "player1", device)
    pushes.answers["/push/tablet"] = 410
    tell(game, way)
    assert courier.look(AT) == 1 and [device.endpoint[-5:] for device in Device.objects.all()] == ["phone"]
    pushes.answers["/push/phone"] = 404
    tell(game, way, "2")
    assert courier.look(AT) == 0 and not Device.objects.exists()
    assert Notice.objects.get(state="given_up").why == "no device"


def test_a_service_that_is_late_is_asked_again_for_its_device_alone(game: Game, pushes: PushFake) -> None:
    way = wants("player1", push=["announcement"])
    for device in ("phone", "tablet"):
        subscribed(pushes, "player1", device)
    pushes.answers["/push/tablet"] = 503
    tell(game, way)
    assert courier.look(AT) == 0 and Notice.objects.get().why == "a push service answers 503"
    pushes.answers.clear()
    assert courier.look(AT + timedelta(minutes=2)) == 1
    assert [message.path for message in pushes.messages] == ["/push/phone", "/push/tablet"]
    assert len({message.said["key"] for message in pushes.messages}) == 1


def test_no_redirect_is_followed_and_nobody_else_is_asked(game: Game, pushes: PushFake) -> None:
    way = wants("player1", push=["announcement"])
    subscribed(pushes, "player1")
    pushes.answers["/push/phone"] = 302
    tell(game, way)
    assert courier.look(AT) == 0 and pushes.asked == ["/push/phone"]
    assert Notice.objects.get().why == "a push service answers 302"
    Device.objects.update(endpoint="http://127.0.0.1:9/push/elsewhere")  # as if the list had been shortened since
    tell(game, way, "2")
    assert courier.look(AT) == 0 and pushes.asked == ["/push/phone"]
    assert Notice.objects.order_by("pk").last().why == "an address that is not on the list"  # type: ignore[union-attr]


STRANGE = (
    "https://example.org/push", "http://fcm.googleapis.com/x", "https://fcm.googleapis.com:8443/x", "https://fcm.googleapis.com@example.org/x",
    "https://user:word@fcm.googleapis.com/x", "https://fcm.googleapis.com.example.org/x", "https://evilpush.apple.com/x",
    "https://push.apple.com/x", "http://127.0.0.1:1/x", "https://127.0.0.1/x", "file:///etc/hosts", "ftp://fcm.googleapis.com/x",
    "https://[::1]/x", "https://[::1/x", "https://fcm.googleapis.com\\@example.org/", "https://fcm。googleapis.com/x", "fcm.googleapis.com",
    "https://fcm.googleapis.com:x/", "", "https://fcm.googleapis.com/" + "x" * 700,
)  # fmt: skip


def test_an_endpoint_that_is_not_on_the_list_is_refused(game: Game, pushes: PushFake) -> None:
    me, form = client("player1"), Browser(pushes, "phone").form
    for endpoint in STRANGE:
        answer = me.post("/profile/notices/push/", {**form, "endpoint": endpoint})
        assert answer.status_code == 422 and answer.json()["said"], endpoint
    assert not Device.objects.exists() and not pushes.asked


def test_what_a_browser_hands_in_is_looked_at(game: Game, pushes: PushFake, monkeypatch: pytest.MonkeyPatch) -> None:
    form = Browser(pushes, "phone").form
    for wrong in ({"auth": "x"}, {"p256dh": "灯"}, {"p256dh": form["auth"]}):
        assert client("player1").post("/profile/notices/push/", {**form, **wrong}).status_code == 422
    assert push.allowed("https://fcm.googleapis.com/fcm/send/x") and push.allowed("https://web.push.apple.com/x")
    assert client("player1").post("/profile/notices/push/", form).status_code == 201
    assert client("player2").post("/profile/notices/push/", form).status_code == 201, "the browser is somebody else's now"
    assert [device.account.username for device in Device.objects.all()] == ["player2"]
    for number in range(9):
        assert client("player2").post("/profile/notices/push/", Browser(pushes, f"d{number}").form).status_code == 201
    answer = client("player2").post("/profile/notices/push/", Browser(pushes, "one more").form)
    assert answer.status_code == 422 and "10" in json.loads(answer.content)["said"]
    assert client("player2").get("/profile/notices/push/").status_code == 405
    monkeypatch.setattr(settings, "DEVELOPMENT", False)
    assert not push.allowed(form["endpoint"]), "never over plain HTTP in earnest"


def test_the_towns_key_is_made_once_and_its_owners_alone() -> None:
    file = settings.HOME / "vapid"
    first = push.public_key()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    push.town_key.cache_clear()
    assert push.public_key() == first and [path.name for path in settings.HOME.glob("vapid*")] == ["vapid"]


# --- the outbox -------------------------------------------------------------------------------------------------------


def test_a_line_whose_courier_did_not_come_back_is_sent_again_with_the_same_key(game: Game, mails: MailFake) -> None:
    way = wants("player1", mail=["announcement"])
    tell(game, way)
    taken = courier.take(AT, way.account_id, "mail")
    assert len(taken) == 1 and courier.look(AT) == 0, "it is another courier's"
    assert courier.look(AT + courier.LEASE) == 1 and len(mails.letters) == 1


def test_what_was_done_long_ago_is_swept_out(game: Game, mails: MailFake) -> None:
    tell(game, wants("player1", mail=["announcement"]))
    courier.look(AT)
    assert courier.tidy(AT + timedelta(days=29)) == 0 and courier.tidy(AT + timedelta(days=31)) == 1


def test_who_is_away_for_good_is_told_nothing(game: Game, mails: MailFake) -> None:
    way = wants("player1", mail=["announcement"])
    tell(game, way)
    Account.objects.filter(pk=way.account_id).update(is_active=False)
    assert courier.look(AT) == 0 and not mails.letters and Notice.objects.get().state == "moot"
    Account.objects.filter(pk=way.account_id).update(is_active=True)


def test_mail_settings_of_an_address() -> None:
    from django.core.exceptions import ImproperlyConfigured

    from bansha.site.settings import mail_server

    assert mail_server("")["EMAIL_BACKEND"] == mail_server("console:")["EMAIL_BACKEND"] == "django.core.mail.backends.console.EmailBackend"
    found = mail_server("smtp://me%40here:wo%2Frd@mail.example.org")
    assert (found["EMAIL_HOST"], found["EMAIL_PORT"], found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == (
        "mail.example.org", 587, "me@here", "wo/rd",
    )  # fmt: skip
    assert found["EMAIL_USE_TLS"] and not found["EMAIL_USE_SSL"]
    assert mail_server("smtps://mail.example.org")["EMAIL_PORT"] == 465 and mail_server("smtps://mail.example.org")["EMAIL_USE_SSL"]
    assert not mail_server("smtp+plain://127.0.0.1:2525")["EMAIL_USE_TLS"]
    for wrong in ("http://mail.example.org", "smtp:", "mail.example.org:25"):
        with pytest.raises(ImproperlyConfigured, match="BANSHA_MAIL"):
            mail_server(wrong)
