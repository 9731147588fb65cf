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

    if not once:
        run.serve(rest)
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
