"""What keeps the doors of the town: the policy of its pages, forms from elsewhere, sessions, passwords, pictures, haste."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from bansha.town import avatars, limits
from bansha.town.acts import Denied
from bansha.town.models import Account, Game, Persona, Post
from tests.browser.scenes import MAKERS, Scene, people
from tests.support import router
from tests.support.town import Clock, client

ROOT = Path(__file__).parents[2]
POLICY = {
    "default-src": "'self'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self' data:", "form-action": "'self'",
    "frame-ancestors": "'none'", "base-uri": "'none'", "object-src": "'none'",
}  # fmt: skip


@pytest.fixture(scope="module")
def town(clock: Clock) -> Iterator[dict[str, Scene]]:
    """A town with games in several phases."""
    people()
    yield {name: MAKERS[name](clock) for name in ("day", "night", "over", "signup", "draft")}


class Inline(HTMLParser):
    """Finds what a strict policy would refuse: scripts and styles in the page, handlers, addresses that are programs."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in given and given.get("type") != "application/json"):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style" or (value or "").strip().lower().startswith(("javascript:", "data:text")):
                self.found.append(f"{tag} {name}={value}")
            if tag in ("script", "link", "form") and name in ("src", "href", "action") and (value or "").startswith(("http", "//")):
                self.found.append(f"{tag} {name}={value}")


def test_every_page_bears_a_strict_policy_and_keeps_it(town: dict[str, Scene], clock: Clock) -> None:
    seen = 0
    for scene in town.values():
        clock.set(scene.moment)
        for kind in ("visitor", "player", "director", "manager"):
            visitor = client(scene.account(kind))
            for address in router.addresses():
                if "game" not in address.parameters and scene.name != "day":
                    continue
                for path in router.paths(address, scene)[:1]:
                    answer = visitor.get(path)
                    if not answer.headers.get("Content-Type", "").startswith("text/html"):
                        continue
                    seen += 1
                    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
                    assert {name: policy[name] for name in POLICY} == POLICY, path
                    assert "unsafe" not in answer.headers["Content-Security-Policy"]
                    assert answer.headers["X-Content-Type-Options"] == "nosniff"
                    assert answer.headers["Referrer-Policy"] == "same-origin"
                    page = Inline()
                    page.feed(answer.content.decode())
                    assert not page.found, (path, page.found)
    assert seen > 200


FROM_ANYWHERE = ("notify:stop",)
"""A mail program presses this for its reader (RFC 8058): the address itself is the proof."""


@pytest.mark.parametrize("kind", ("player", "director", "manager"))
def test_no_form_is_taken_from_elsewhere(kind: str, town: dict[str, Scene], clock: Clock) -> None:
    scene = town["day"]
    clock.set(scene.moment)
    visitor = visiting(strict=True)
    visitor.force_login(Account.objects.get(username=scene.account(kind)), backend="django.contrib.auth.backends.ModelBackend")
    visitor.raise_request_exception = False
    tried = 0
    for address in router.addresses():
        if address.name in FROM_ANYWHERE:
            continue
        for path in router.paths(address, scene)[:1]:
            answer = visitor.post(path, {"body": "别处来的", "confirm": "1"}, HTTP_ORIGIN="https://elsewhere.example")
            assert answer.status_code in (401, 403, 404, 405), (path, answer.status_code)
            tried += answer.status_code == 403
    assert tried > 20
    assert not Post.objects.filter(body__contains="别处来的").exists()


@pytest.mark.parametrize("kind", ("visitor", "player", "director", "manager"))
def test_whatever_belongs_to_a_game_is_asked_for_at_one_door(kind: str, town: dict[str, Scene], clock: Clock) -> None:
    """Each view of a game stands behind a guard that has looked at the game: of one that is not there nothing is said."""
    scene = town["day"]
    clock.set(scene.moment)
    visitor = visiting()
    if kind != "visitor":
        visitor = client(scene.account(kind))
    nowhere = scene._replace(game=10**7)
    tried = 0
    for found in router.addresses():
        if found.ours and "game" in found.parameters:
            for path in router.paths(found, nowhere)[:1]:
                for answer in (visitor.get(path), visitor.post(path, {"body": "x"})):
                    tried += 1
                    fine = {401, 404, 405} | ({302} if kind == "visitor" else set())
                    assert answer.status_code in fine, (path, answer.status_code)
    assert tried > 80


NETWORK = {"socket", "ssl", "http.client", "urllib.request", "requests", "httpx", "aiohttp", "smtplib", "ftplib", "telnetlib", "pywebpush"}
"""What opens connections."""
MAY = ("bansha/notify/", "bansha/company/", "bansha/site/demonstration.py", "bansha/site/serve.py")
"""Where connections are opened: notices to push services on a list, computer players to the town's own address, and whether
somebody listens at our own port."""


def test_nothing_else_opens_connections() -> None:
    for file in sorted((ROOT / "bansha").rglob("*.py")):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith(MAY):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            assert not NETWORK & set(names), (name, names)


# --- sessions and passwords -----------------------------------------------------------------------------------------


def visiting(strict: bool = False) -> Client:
    """Somebody who has not signed in; `strict`: whose forms need their token."""
    return Client(enforce_csrf_checks=strict, headers={"host": "localhost", "accept-language": "zh-CN"})


def signed_in(name: str, password: str) -> Client:
    visitor = visiting()
    visitor.get("/accounts/login/")
    assert visitor.post("/accounts/login/", {"login": name, "password": password}).status_code == 302
    return visitor


def test_a_session_gets_a_new_name_when_somebody_signs_in_and_none_survives_the_end() -> None:
    Account.objects.create_user("rotates", password="lamplight-lamplight")
    visitor = visiting()
    session = visitor.session
    session["before"] = "1"
    session.save()
    visitor.cookies["sessionid"] = session.session_key or ""
    before = visitor.cookies["sessionid"].value
    answer = visitor.post("/accounts/login/", {"login": "rotates", "password": "lamplight-lamplight"})
    after = answer.cookies["sessionid"]
    assert after.value != before
    assert after["httponly"] and after["samesite"] == "Lax"
    visitor.post("/accounts/logout/")
    stolen = visiting()
    stolen.cookies["sessionid"] = after.value
    assert stolen.get("/accounts/password/change/").status_code == 302


def test_a_new_password_ends_every_other_session() -> None:
    Account.objects.create_user("moves", password="lamplight-lamplight")
    here, elsewhere = signed_in("moves", "lamplight-lamplight"), signed_in("moves", "lamplight-lamplight")
    given = {"oldpassword": "lamplight-lamplight", "password1": "fog-on-the-river-7", "password2": "fog-on-the-river-7"}
    assert here.post("/accounts/password/change/", given).status_code == 302
    assert elsewhere.get("/accounts/password/change/").headers["Location"].startswith("/accounts/login/")
    assert here.get("/accounts/password/change/").status_code == 200


@pytest.mark.parametrize("password", ["short", "password123", "1234567890", "lockedout-1"])
def test_weak_passwords_are_refused_with_a_sentence(password: str) -> None:
    given = {"username": "lockedout-1x", "password1": password, "password2": password}
    answer = visiting().post("/accounts/signup/", given)
    assert answer.status_code == 200
    assert 'class="error"' in answer.content.decode() or "error" in answer.content.decode()
    assert not Account.objects.filter(username="lockedout-1x").exists()


def test_after_five_wrong_passwords_the_right_one_waits_too() -> None:
    cache.clear()
    Account.objects.create_user("locked", password="lamplight-lamplight")
    visitor = visiting()
    for _ in range(5):
        answer = visitor.post("/accounts/login/", {"login": "locked", "password": "wrong-wrong-wrong"})
        assert answer.status_code == 200
    answer = visitor.post("/accounts/login/", {"login": "locked", "password": "lamplight-lamplight"})
    assert answer.status_code in (200, 429)
    assert "sessionid" not in answer.cookies or not answer.wsgi_request.user.is_authenticated
    cache.clear()
    signed_in("locked", "lamplight-lamplight")


@pytest.mark.process
def test_settings_in_earnest_leave_nothing_to_warn_about(tmp_path: Path) -> None:
    """Django's own check of a deployment. Subdomains and preload lists are for who owns the name to decide."""
    earnest = {key: value for key, value in os.environ.items() if not key.startswith("BANSHA_")}
    earnest |= {"BANSHA_SECRET": "k3y-" * 16 + "0123456789", "BANSHA_HOSTS": "town.example", "BANSHA_HOME": str(tmp_path)}
    earnest |= {"DJANGO_SETTINGS_MODULE": "bansha.site.settings", "DATABASE_URL": ""}
    done = subprocess.run(
        [sys.executable, "-m", "django", "check", "--deploy"], cwd=ROOT, env=earnest, capture_output=True, text=True, check=False
    )
    said = re.findall(r"\((\w+\.[EW]\d+)\)", done.stderr)
    assert (done.returncode, sorted(said)) == (0, ["security.W005", "security.W021"]), done.stderr
    earnest["BANSHA_SECRET"] = ""
    no_key = subprocess.run([sys.executable, "-m", "django", "check"], cwd=ROOT, env=earnest, capture_output=True, text=True, check=False)
    assert "BANSHA_SECRET is not set" in no_key.stderr


# --- pictures -------------------------------------------------------------------------------------------------------


def picture(kind: str = "PNG", side: int = 120) -> bytes:
    out = io.BytesIO()
    image = Image.new("RGB", (side, side), "navy")
    exif = Image.Exif()
    exif[0x010E] = "where I live"
    image.save(out, kind, exif=exif)
    return out.getvalue()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")), st.data())
def test_any_file_is_a_small_picture_or_a_sentence(kind: str, data: st.DataObject) -> None:
    raw = bytearray(picture(kind))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=20))
    try:
        clean = avatars.clean(bytes(raw))
    except Denied as denied:
        assert denied.zh and denied.en
        return
    assert b"where I live" not in clean
    with Image.open(io.BytesIO(clean)) as image:
        assert (image.format, image.size, dict(image.getexif())) == ("PNG", (96, 96), {})


def test_a_picture_is_served_as_a_picture_and_as_nothing_else(town: dict[str, Scene], clock: Clock) -> None:
    scene = town["draft"]
    clock.set(scene.moment)
    persona = Persona.objects.filter(game=scene.game).first()
    assert persona is not None
    Persona.objects.filter(pk=persona.pk).update(avatar=avatars.clean(picture()))
    answer = client("director").get(f"/g/{scene.game}/avatar/{persona.seat}/")
    assert (answer.status_code, answer.headers["Content-Type"], answer.headers["X-Content-Type-Options"]) == (200, "image/png", "nosniff")


def test_a_request_larger_than_any_form_is_refused(town: dict[str, Scene], clock: Clock) -> None:
    scene = town["day"]
    clock.set(scene.moment)
    visitor = client(scene.account("player"))
    visitor.raise_request_exception = False
    answer = visitor.post(f"/g/{scene.game}/t/talk-{scene.day}/", {"body": "长" * 600_000, "act": "post"})
    assert answer.status_code in (400, 413)
    big = SimpleUploadedFile("a.png", picture() + b"\0" * 2_000_000, "image/png")
    with pytest.raises(Denied, match="1 MB"):
        avatars.clean(big.read())


# --- haste ------------------------------------------------------------------------------------------------------------


def test_who_hands_in_too_fast_waits_and_loses_no_word(town: dict[str, Scene], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configured, "FORMS_A_MINUTE", 5)
    scene = town["day"]
    clock.set(scene.moment)
    limits._leases.clear()
    game = Game.objects.get(pk=scene.game)
    visitor, other = client(scene.account("player")), client(f"player{scene.player + 1}")
    path = f"/g/{game.pk}/t/talk-{scene.day}/"
    before = Post.objects.filter(game=game).count()
    codes = []
    for n in range(7):
        answer = visitor.post(path, {"body": f"第 {n} 句", "key": f"haste{n}", "act": "post"}, HTTP_ORIGIN="http://localhost")
        codes.append(answer.status_code)
    assert codes == [302] * 5 + [429] * 2
    assert Post.objects.filter(game=game).count() == before + 5
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    page = answer.content.decode()
    assert "第 6 句" in page and "haste6" in page
    assert other.post(path, {"body": "我没有抢", "key": "calm", "act": "post"}).status_code == 302
    clock.set(scene.moment + timedelta(minutes=1))
    assert visitor.post(path, {"body": "第 6 句", "key": "haste6", "act": "post"}).status_code == 302


def test_searches_are_counted_too(town: dict[str, Scene], clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configured, "FORMS_A_MINUTE", 3)
    scene = town["night"]
    clock.set(scene.moment)
    limits._leases.clear()
    visitor = visiting()
    codes = [visitor.get(f"/g/{scene.game}/search/?q=灯").status_code for _ in range(5)]
    assert codes == [200] * 3 + [429] * 2
    assert visitor.get(f"/g/{scene.game}/").status_code == 200
