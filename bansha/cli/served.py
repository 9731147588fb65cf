"""Commands of the served half: they set Django up first."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bansha.cli import Mistake, Unproved


def ready() -> None:
    """Set Django up with bansha's settings.

    Raises:
        Mistake: the settings say what is missing.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bansha.site.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise Mistake(str(error)) from None


def clock(rest: float, once: bool) -> int:
    """Run what is due until ended; with `once` one look. Returns the exit code."""
    ready()
    from django.db import Error

    from bansha.clock import run
    from bansha.site.serve import keep_time

    try:
        _may_serve()
        if not once:
            keep_time(rest)
            return 0
        done = run.strike_all()
    except Error as error:
        raise Mistake(f"the database does not answer as it should ({error}); has `bansha migrate` been run?") from None
    print(f"{done} deadlines done")
    return 0


def migrate(adopt: bool, with_backup: bool) -> int:
    """Bring the database to the present form, after a backup. Returns the exit code."""
    ready()
    from django.db import Error

    from bansha.site import identity, upgrade

    try:
        upgrade.upgrade(print, with_backup, adopt)
    except (identity.Refusal, Error, OSError) as error:
        raise Mistake(identity.said(error)) from None
    return 0


def backup(file: Path, only_check: bool, with_secret: bool) -> int:
    """Write a backup, or check one. Returns the exit code."""
    if only_check and with_secret:
        raise Mistake("--check looks at a backup that is there; --with-secret is for writing one")
    ready()
    from django.db import Error

    from bansha.site import backup as run
    from bansha.site import identity

    try:
        manifest = run.check(file, print) if only_check else run.write(file, with_secret, run.say_on_stderr)
    except run.Refusal as refusal:
        raise (Unproved if only_check else Mistake)(str(refusal)) from None
    except (Error, OSError) as error:
        raise Mistake(identity.said(error)) from None
    rows = sum(member.rows for member in manifest.members.values())
    print(f"{file}: the town at {manifest.moment}, version {manifest.version}, {rows} rows, {len(manifest.heads)} chains"
          f"{', all of which hold' if only_check else ''}")  # fmt: skip
    if not only_check:
        secret = "and the town's keys" if with_secret else "not the town's keys (keep `secret` or BANSHA_SECRET, and `vapid`, elsewhere)"
        print(f"It holds game secrets and password hashes, {secret}: keep it where only you can read it.")
    return 0


def restore(file: Path, replace: bool) -> int:
    """Make the town what a backup holds. Returns the exit code."""
    brought = _bring_keys(file)
    try:
        ready()
        from django.db import Error

        from bansha.site import backup as run
        from bansha.site import identity

        try:
            manifest = run.restore(file, replace, run.say_on_stderr)
        except (run.Refusal, Error, OSError) as error:
            raise Mistake(identity.said(error)) from None
    except BaseException:
        for key in brought:
            key.unlink()
        raise
    print(f"{file}: restored as the town stood at {manifest.moment}; {len(manifest.heads)} chains end where they did")
    return 0


def _bring_keys(file: Path) -> list[Path]:
    """Where the town has no keys yet and the backup brings them, write them down, for their owner only. Returns where; before the
    settings are loaded, which need one."""
    import zipfile

    home = Path(os.environ.get("BANSHA_HOME", "var"))
    brought: list[Path] = []
    for name, variable in (("secret", "BANSHA_SECRET"), ("vapid", "BANSHA_VAPID")):
        try:
            with zipfile.ZipFile(file) as archive:
                text = archive.read(f"keys/{name}")
        except (OSError, KeyError, zipfile.BadZipFile):
            continue
        if not os.environ.get(variable) and not (home / name).exists():
            home.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(home / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(text)
            brought.append(home / name)
    return brought


def _may_serve() -> None:
    """Whether this code may work on this database.

    Raises:
        Mistake: why not, and what to do.
    """
    from bansha.site import identity

    try:
        identity.check()
    except identity.Refusal as refusal:
        raise Mistake(str(refusal)) from None


def rebuild(game: int) -> int:
    """Write anew what the projectors keep of a game. Returns the exit code."""
    ready()
    from django.core.exceptions import ObjectDoesNotExist

    from bansha.journal import doors

    try:
        print(f"{doors.rebuild(game)} entries projected anew")
    except ObjectDoesNotExist:
        raise Mistake(f"no game {game}") from None
    return 0


def serve(host: str, port: int, stream_port: int, workers: int, threads: int, only: str) -> int:
    """Serve the town until ended, or some parts of it; one alone is this process. Returns the exit code."""
    ready()
    from django.db import Error

    from bansha.site import serve as run

    parts = tuple(dict.fromkeys(only.split(","))) if only else ()
    for part in parts:
        if part not in run.PARTS:
            raise Mistake(f"--only {part}: there is no such part; {', '.join(run.PARTS)} are")
    try:
        _may_serve()
    except Error as error:
        if not only:
            raise Mistake(f"the database does not answer as it should ({error}); has `bansha migrate` been run?") from None
        print(f"bansha: {only} begins without the database ({error}), and waits for it", file=sys.stderr)
    if len(parts) == 1:
        return run.only(only, host, port, stream_port, workers, threads)
    try:
        return run.serve(host, port, stream_port, workers, threads, parts)
    except Error as error:
        raise Mistake(f"the database does not answer as it should ({error}); has `bansha migrate` been run?") from None


def seed(port: int, away: bool) -> int:
    """Make a demonstration town out of an empty one, and print how to get in; with `away` take its database away instead.
    Returns the exit code."""
    from bansha.site.demonstration import make_secret, prepare, take_away

    if away:
        refused = take_away(port)
        if refused:
            raise Mistake(refused)
        return 0
    make_secret()
    ready()
    from bansha.site import identity

    try:
        for line in prepare(port):
            print(line, flush=True)
    except identity.Refusal as refusal:
        raise Mistake(str(refusal)) from None
    return 0


def populate(games: int, posts: int, events: int) -> int:
    """Fill a town without games of its own, to measure how cost grows. Returns the exit code."""
    ready()
    from django.db import Error

    from bansha.site.demonstration import populate as run

    try:
        refused = run(games, posts, events)
    except Error as error:
        raise Mistake(f"the database does not answer as it should ({error}); has `bansha migrate` been run?") from None
    if refused:
        raise Mistake(refused)
    return 0
