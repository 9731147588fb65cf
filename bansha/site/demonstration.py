"""The demonstration of `make run`: a secret of its own, the database, the seeded town, and what to say about it."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path


def make_secret() -> None:
    """Draw the signing key once, into a file that only its owner reads; before the settings are loaded."""
    if os.environ.get("BANSHA_SECRET"):
        return
    home = Path(os.environ.get("BANSHA_HOME", "var"))
    home.mkdir(parents=True, exist_ok=True)
    try:
        file = os.open(home / "secret", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(file, "w", encoding="ascii") as out:
        out.write(secrets.token_urlsafe(48))


def take_away(port: int) -> str:
    """Take away the embedded database of a town that is not being served. Returns why not, "" when it is gone."""
    if os.environ.get("DATABASE_URL"):
        return "DATABASE_URL is set: only the embedded database is ever taken away"
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            return f"somebody serves at port {port}: end that first"
    home = Path(os.environ.get("BANSHA_HOME", "var"))
    for end in ("", "-wal", "-shm", "-turn"):
        (home / f"bansha.sqlite3{end}").unlink(missing_ok=True)
    return ""


def prepare(port: int) -> Iterator[str]:
    """Bring the database to the present form, seed the town, and say how to get in, line by line.

    Raises:
        identity.Refusal: the database is another town's or a newer version's, or a migration failed.
    """
    from django.conf import settings

    from bansha.company.seed import seed
    from bansha.journal.time import now
    from bansha.site.upgrade import upgrade

    upgrade(lambda _line: None)
    logins = seed(now, settings.HOME, print)
    yield ""
    yield f"版杀 bansha: http://localhost:{port}"
    yield ""
    for login in logins:
        yield f"  {login.name:<10} {login.password or '(a password of your own)'}"
    yield ""
    yield "  player has a seat in 雪夜戏班, which is in play; director conducts it, and can start 灯塔来信. Ctrl-C ends."


def populate(games: int, posts: int, events: int) -> str:
    """Fill a town that people do not use with games in play, and say what was made. Returns why not, "" when it is done."""
    from bansha.company.populate import FILLER, fill
    from bansha.journal.time import now
    from bansha.town.models import Game

    if Game.objects.exclude(opened_by__username=FILLER).exists():
        return "this town has games of its own: populate fills a town that is there to be measured (BANSHA_HOME or DATABASE_URL)"
    fill(games, posts, events, now(), print)
    return ""
