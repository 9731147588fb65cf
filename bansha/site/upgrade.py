"""Bringing the database to the present form: a backup first, then the migrations one by one, each whole or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from bansha.site import backup, identity
from bansha.site.identity import Refusal


def upgrade(say: Callable[[str], None], with_backup: bool = True, adopt: bool = False) -> list[str]:
    """Run the migrations that the database lacks, and write down which town it is. `adopt`: the signing key at hand becomes the
    town's. Returns the migrations that were run.

    Raises:
        Refusal: the database is newer, another town's, or a migration failed; which one, and what to do.
        django.db.Error: it does not answer.
    """
    found = identity.form()
    if found.unknown:
        identity.check_form(found)
    if found.applied and not adopt and "journal.0003_instance" not in found.missing:
        identity.claim()
    kept: Path | None = None
    if found.missing and found.applied and with_backup:
        kept = backup.default_name(settings.HOME, "before-migrating")
        try:
            backup.write(kept, False, lambda _line: None)
        except backup.Refusal as refusal:
            raise Refusal(f"no backup could be made before migrating: {refusal}") from None
        say(f"backup: {kept}")
    try:
        call_command("migrate", verbosity=0, stdout=io.StringIO())
    except Exception as error:
        raise _failed(error, found, kept) from error
    call_command("createcachetable", verbosity=0)  # where the town's cache is a table (BANSHA_CACHE)
    town = identity.adopt() if adopt else identity.claim()
    say(f"{len(found.missing)} migrations done" if found.missing else "nothing to do: the database has the present form")
    say(f"town {town[:8]}…")
    return found.missing


def _failed(error: Exception, before: identity.Form, kept: Path | None) -> Refusal:
    """Which migration failed, what the database is now, and what to do."""
    connection.close()
    left = identity.form().missing
    done = [name for name in before.missing if name not in left]
    stands = f"those before it ({', '.join(done)}) are done" if done else "nothing has changed"
    back = "run the version before on it, or put right what is said and run `bansha migrate` again"
    if done:
        back = f"to go back, run the version before with `bansha restore --replace {kept}`" if kept else "to go back, restore a backup"
    said = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return Refusal(f"migration {left[0] if left else '?'} failed ({said}); nothing of it was kept, {stands}; {back}")
