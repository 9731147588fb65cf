"""Commands of the served half: they set Django up first."""

from __future__ import annotations

import os
import sys

from bansha.cli import Mistake


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
    from django.db import DatabaseError

    from bansha.clock import run
    from bansha.site.serve import keep_time

    if not once:
        keep_time(rest)
        return 0
    try:
        done = run.strike_all()
    except DatabaseError as error:
        raise Mistake(f"the database does not answer as it should ({error}); has `bansha migrate` been run?") from None
    print(f"{done} deadlines done")
    return 0


def migrate() -> int:
    """Bring the database to the present form. Returns the exit code."""
    ready()
    from django.core.management import call_command

    call_command("migrate", stdout=sys.stdout)
    return 0


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


def serve(host: str, port: int, only: str) -> int:
    """Serve the town until ended, or one part of it. Returns the exit code."""
    ready()
    from django.db import DatabaseError

    from bansha.site import serve as run

    if only and only not in run.PARTS:
        raise Mistake(f"--only {only}: there is no such part; {', '.join(run.PARTS)} are")
    if only:
        return run.only(only, host, port)
    try:
        return run.serve(host, port)
    except DatabaseError as error:
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
    for line in prepare(port):
        print(line, flush=True)
    return 0
