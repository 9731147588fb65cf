"""A town in a child process, and browsers that visit it: phones and desktops, by day and by night, signed in or not."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.support import served

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
"""The browsers' driver runs a loop in this thread; our own rows are read beside it, one at a time."""

PHONE = (390, 844)
DESKTOP = (1280, 900)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


class Look(NamedTuple):
    """How a page is looked at: the window's size, and the sky chosen."""

    name: str
    size: tuple[int, int]
    sky: str


LOOKS = (
    Look("phone light", PHONE, "light"),
    Look("desktop light", DESKTOP, "light"),
    Look("phone dark", PHONE, "dark"),
    Look("desktop dark", DESKTOP, "dark"),
)


PATIENCE = 20_000
"""Milliseconds that a page has to come to what is expected of it, on a machine that does much else."""


def prepare() -> None:
    """Set Django up in this process on a fresh town, with quick passwords; children inherit where it is."""
    os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
    served.start("sqlite")


def _free() -> int:
    """A port that is free, and the next one too: the stream's."""
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", 0)) as first:
            port = int(first.getsockname()[1])
            with socket.create_server(("127.0.0.1", port + 1)):
                return port


class Town:
    """The town, served by children of ours on 127.0.0.1: pages and streams, and the clock where time is to go on by itself.
    Ended by `end`, at the latest when this process ends."""

    def __init__(self, log: Path, clock: bool = False) -> None:
        from bansha.site.serve import command

        self.log = log
        self.port = _free()
        self.url = f"http://localhost:{self.port}"
        # the test clock leaps: that is no outage
        more = {"BANSHA_OUTAGE": "0", "BANSHA_STREAM": f"http://localhost:{self.port + 1}"}
        with log.open("wb") as out:
            self.children = [
                subprocess.Popen(
                    command(part, "127.0.0.1", self.port), cwd=served.ROOT, env={**os.environ, **more}, stdout=out, stderr=out
                )
                for part in ("pages", "streams", "clock")[: 3 if clock else 2]
            ]
        atexit.register(self.end)
        for port, path in ((self.port, "/accounts/login/"), (self.port + 1, "/")):
            self._wait(port, path)

    def _wait(self, port: int, path: str) -> None:
        for _ in range(600):
            try:
                with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5):
                    return
            except HTTPError:
                return
            except OSError:
                time.sleep(0.1)
            if any(child.poll() is not None for child in self.children):
                break
        raise RuntimeError(f"the town is not served:\n{self.log.read_text('utf-8', 'replace')[-2000:]}")

    def end(self) -> None:
        """End the children."""
        served.end(*self.children, seconds=10)


@contextmanager
def chromium() -> Iterator[Any]:
    """One browser process, ended with the block."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        raise RuntimeError("chromium is missing: install Debian's package chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def session_of(name: str) -> str:
    """The cookie of a session in which this account has just signed in."""
    from django.test import Client

    from bansha.town.models import Account

    made = Client(headers={"host": "localhost"})
    made.force_login(Account.objects.get(username=name), backend="django.contrib.auth.backends.ModelBackend")
    session = made.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time(), "username": name}]
    session.save()
    return made.cookies["sessionid"].value


def visitor(browser: Any, town: Town, name: str = "", look: Look = LOOKS[0], script: bool = True) -> Any:
    """A browser's context of its own: signed in as `name` ("": nobody), with this look; without script where asked."""
    context = browser.new_context(
        viewport={"width": look.size[0], "height": look.size[1]},
        locale="zh-CN",
        timezone_id="Asia/Shanghai",
        base_url=town.url,
        java_script_enabled=script,
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    cookies = [{"name": "sky", "value": look.sky, "url": town.url}] if look.sky != "auto" else []
    if name:
        cookies.append({"name": "sessionid", "value": session_of(name), "url": town.url})
    if cookies:
        context.add_cookies(cookies)
    return context
