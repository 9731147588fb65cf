"""Web push in a browser: the button subscribes, the service worker of the whole town shows what arrives, once for each key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.browser.stage import LOOKS, Town, visitor
from tests.support.town import Clock, account, moment

pytestmark = [pytest.mark.process, pytest.mark.slow]

SERVICE = """
const keys = { p256dh: "B" + "A".repeat(86), auth: "A".repeat(22) };
const made = { toJSON: () => ({ endpoint: "https://fcm.googleapis.com/fcm/send/here", keys }) };
PushManager.prototype.getSubscription = async () => null;
PushManager.prototype.subscribe = async (asked) => { window.asked = asked; return made; };
"""
"""A push service: the browser in the tests has none that it could reach."""
SHOWN = "navigator.serviceWorker.ready.then(async (r) => (await r.getNotifications()).map((n) => [n.title, n.body, n.tag, n.data.url]))"


def test_a_device_subscribes_and_shows_what_arrives(clock: Clock, town: Town, browser: Any) -> None:
    from bansha.notify.models import Device
    from bansha.notify.push import public_key

    clock.set(moment(1, 10))
    account("pushed")
    context = visitor(browser, town, "pushed", LOOKS[0])
    context.grant_permissions(["notifications"], origin=town.url)
    tab = context.new_page()
    errors: list[str] = []
    tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    tab.add_init_script(SERVICE)
    tab.goto("/profile/notices/")
    assert not tab.get_by_text("推送要浏览器支持").is_visible()
    with tab.expect_navigation():
        tab.get_by_role("button", name="在这台设备上收推送").click()
    assert "Chrome" in tab.locator("aside").inner_text() and Device.objects.get(account__username="pushed").endpoint.endswith("/here")
    worker = tab.evaluate("navigator.serviceWorker.ready.then((r) => [r.scope, r.active.scriptURL])")
    assert worker == [f"{town.url}/", f"{town.url}/push.js"]
    assert len(public_key()) == 87

    session = context.new_cdp_session(tab)
    registered: list[str] = []

    def note(event: Any) -> None:
        registered.extend(registration["registrationId"] for registration in event["registrations"])

    session.on("ServiceWorker.workerRegistrationUpdated", note)
    session.send("ServiceWorker.enable")
    while not registered:
        tab.wait_for_timeout(10)
    said = {"title": "《末班渡船》有事等你", "body": "《末班渡船》有事等你。", "url": "/notices/k/", "key": "k"}
    for _ in range(2):  # at least once: the second one takes the place of the first
        session.send("ServiceWorker.deliverPushMessage", {"origin": town.url, "registrationId": registered[0], "data": json.dumps(said)})
    tab.wait_for_function(f"{SHOWN}.then((shown) => shown.length > 0)")
    assert tab.evaluate(SHOWN) == [[said["title"], said["body"], "k", "/notices/k/"]]
    assert not errors
    context.close()


def test_without_script_the_page_says_what_push_needs(clock: Clock, town: Town, browser: Any) -> None:
    clock.set(moment(1, 10))
    account("still")
    context = visitor(browser, town, "still", LOOKS[0], script=False)
    tab = context.new_page()
    tab.goto("/profile/notices/")
    assert tab.get_by_text("推送要浏览器支持").is_visible() and not tab.get_by_role("button", name="在这台设备上收推送").is_visible()
    tab.get_by_label("开局、开门：邮件").uncheck()
    tab.get_by_role("button", name="照这样寄").click()
    tab.get_by_text("通知照这样寄").wait_for()
    context.close()
