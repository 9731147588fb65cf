"""The page of notices: choosing, refusing with a sentence, what was sent, and the service worker in a browser."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from bansha.notify import plan
from bansha.notify.models import Device, Diary, Notice, Ways
from bansha.town import acts
from bansha.town.models import Account
from tests.browser.scenes import Stage, people
from tests.support.fakes import Browser, PushFake
from tests.support.forms import forms
from tests.support.notices import carried, wants
from tests.support.town import Clock, account, client, moment

PAGE = "/profile/notices/"
CHOSEN = {
    "mail": ["closing"], "push": ["closing", "prompt"], "through": ["prompt"], "quiet_from": "22:30", "quiet_to": "07:05", "before": "45",
}  # fmt: skip


@pytest.fixture
def newcomer(clock: Clock) -> Client:
    """Somebody who has chosen nothing."""
    people()
    Account.objects.filter(username="newcomer").delete()
    account("newcomer")
    signed_in: Client = client("newcomer")
    return signed_in


def test_what_is_chosen_is_kept_and_shown(newcomer: Client) -> None:
    page = newcomer.get(PAGE).content.decode()
    assert "现在什么都不寄" in page and "还没有寄过什么" in page and "还没有登记邮箱" in page
    assert 'value="missing"' not in page and 'value="missing"' in client("director").get(PAGE).content.decode()
    assert newcomer.post(PAGE, CHOSEN).headers["Location"] == PAGE
    way = Ways.objects.get(account__username="newcomer")
    assert (way.mail, way.push, way.through, way.quiet_from, way.quiet_to, way.before) == (
        ["closing"], ["closing", "prompt"], ["prompt"], 1350, 425, 45,
    )  # fmt: skip
    form = next(form for form in forms(newcomer.get(PAGE).content.decode()) if any(control.name == "before" for control in form.controls))
    shown = form.data()
    shown.pop("csrfmiddlewaretoken")
    assert shown == {name: value if isinstance(value, list) else [value] for name, value in CHOSEN.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    (
        ({"mail": ["missing"]}, "不在表里"),
        ({"push": ["x"]}, "不在表里"),
        ({"quiet_from": ""}, "有头有尾"),
        ({"quiet_to": "24:00"}, "23:00 这样"),
        ({"quiet_to": "x"}, "23:00 这样"),
        ({"before": "4"}, "最少提前 5 分钟"),
        ({"before": "721"}, "最多 720 分钟"),
        ({"before": "²"}, "写一个数"),
        ({"before": ""}, "写一个数"),
    ),
)
def test_a_mistake_is_said_and_changes_nothing(wrong: dict[str, object], said: str, newcomer: Client) -> None:
    newcomer.post(PAGE, CHOSEN)
    answer = newcomer.post(PAGE, {**CHOSEN, **wrong})
    assert answer.status_code == 422 and said in answer.content.decode() and "没有改动" in answer.content.decode()
    assert Ways.objects.get(account__username="newcomer").before == 45


def test_no_quiet_hours(newcomer: Client) -> None:
    newcomer.post(PAGE, {**CHOSEN, "quiet_from": "", "quiet_to": ""})
    assert Ways.objects.get(account__username="newcomer").quiet_from is None


def test_a_device_is_shown_and_taken_away_by_its_owner(newcomer: Client, pushes: PushFake) -> None:
    agent = "Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537"
    newcomer.post(f"{PAGE}push/", Browser(pushes, "mine").form, headers={"user-agent": agent})
    device = Device.objects.get(account__username="newcomer")
    assert "Chrome · Windows" in newcomer.get(PAGE).content.decode()
    client("player2").post(PAGE, {"do": "forget", "device": device.pk})
    assert Device.objects.filter(pk=device.pk).exists()
    for named in (device.pk, "x", "", "9" * 30):
        assert newcomer.post(PAGE, {"do": "forget", "device": named}).status_code == 302
    assert not Device.objects.filter(account__username="newcomer").exists()


def test_the_last_twenty_are_listed_with_what_became_of_them(stage: Stage, clock: Clock) -> None:
    Notice.objects.all().delete()
    wants("player1", push=["announcement", "closing", "window"])
    for number in range(25):
        clock.at(1, 10, number)
        acts.say(stage.table(0), "process", f"第 {number} 句。")
        if number % 2:
            carried(clock.at(1, 10, number))
    page = client("player1").get(PAGE).content.decode()
    lately = page[page.index('id="lately"') :]
    assert lately.count('href="/notices/') == 20 and "寄出了" in lately and "等着寄" in lately
    link = f"/notices/{Notice.objects.filter(account__username='player1', state='sent')[0].key}/"
    assert client("player1").get(link).headers["Location"].startswith(f"/g/{stage.game.pk}/t/process/p/")
    assert client("player2").get(link).status_code == 404 == client("player1").get("/notices/x/").status_code
    assert client("").get(link).headers["Location"].startswith("/accounts/login/")


def test_a_town_without_a_post_office_says_so(stage: Stage, newcomer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MAILS", False)
    assert "没有设邮局" in newcomer.get(PAGE).content.decode()
    Notice.objects.all().delete()
    plan.queue(stage.game, plan.What("ended", "x", "/", moment(1, 9)), [wants("player1", mail=["ended"], push=["ended"])], moment(1, 9))
    assert list(Notice.objects.values_list("channel", flat=True)) == ["push"]


def test_the_card_leads_here_and_who_leaves_takes_all_along(newcomer: Client) -> None:
    assert f'href="{PAGE}"' in newcomer.get("/profile/").content.decode()
    newcomer.post(PAGE, CHOSEN)
    newcomer.post(PAGE, {"do": "renew"})
    Account.objects.get(username="newcomer").delete()
    for model in (Ways, Diary):
        assert not model.objects.filter(account__username="newcomer").exists()


def test_the_service_worker_is_the_whole_towns() -> None:
    answer = client("").get("/push.js")
    assert answer.headers["Content-Type"].startswith("text/javascript") and answer.headers["Service-Worker-Allowed"] == "/"
    assert "showNotification" in answer.content.decode()
