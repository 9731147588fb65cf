"""Which town a database is, and whether this code may work on it: asked whenever a part of the town starts.

A database belongs to one town: an identity drawn once, and the fingerprint of the signing key of whoever first served it. Several
processes, on one machine or many, are one town when they have the key in common. Its form is what the migrations made of it;
code that knows fewer or more of them does not start.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from bansha.journal import doors, faults
from bansha.journal.time import now


class Refusal(Exception):
    """Why the town does not start on this database, and what to do."""


class Form(NamedTuple):
    """How the database's form stands to this code: `missing` migrations that the code has, `unknown` ones that only the database
    knows; `app.name` each, in order. `applied`: how many it has in all."""

    missing: list[str]
    unknown: list[str]
    applied: int

    @property
    def current(self) -> bool:
        """Whether both are of one version."""
        return not self.missing and not self.unknown


def form() -> Form:
    """How the database's form stands to this code.

    Raises:
        django.db.Error: it does not answer.
    """
    executor = MigrationExecutor(connection)
    loader = executor.loader
    missing = [f"{migration.app_label}.{migration.name}" for migration, _ in executor.migration_plan(loader.graph.leaf_nodes())]
    return Form(missing, unknown(loader), len(loader.applied_migrations))


@lru_cache(maxsize=1)
def _known() -> tuple[frozenset[str], set[tuple[str, str]]]:
    loader = MigrationLoader(connection)
    return frozenset(app for app, _ in loader.disk_migrations), set(loader.graph.nodes)


def versions() -> Literal["ok", "older", "newer"]:
    """How the database stands to this code, in one question: for whoever asks often."""
    apps, known = _known()
    have = {key for key in MigrationRecorder(connection).applied_migrations() if key[0] in apps}
    return "newer" if have - known else "older" if known - have else "ok"


def unknown(loader: MigrationLoader) -> list[str]:
    """Migrations of our apps that the database has had and this code does not know."""
    gone = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    ours = {app for app, _ in loader.disk_migrations}
    return sorted(f"{app}.{name}" for app, name in loader.applied_migrations
                  if app in ours and (app, name) not in loader.disk_migrations and (app, name) not in gone)  # fmt: skip


def key_print() -> str:
    """The fingerprint of the signing key: tells two keys apart, and nothing else about them."""
    return hmac.new(settings.SECRET_KEY.encode(), b"bansha: which town is this?", hashlib.sha256).hexdigest()


def claim() -> str:
    """The town's identity; the first who asks draws it.

    Raises:
        Refusal: the database is another town's.
    """
    identity, key = doors.instance(secrets.token_hex(16), key_print(), now())
    if key != key_print():
        raise Refusal(
            f"this database is the town {identity[:8]}…, whose signing key has the fingerprint {key[:12]}…; the key here has "
            f"{key_print()[:12]}…. Two towns never share a database: give this one its own (DATABASE_URL or BANSHA_HOME), or give the "
            "key of that town (BANSHA_SECRET); where its key was changed on purpose, say so once with `bansha migrate --adopt`"
        )
    return identity


def adopt() -> str:
    """Take the town over with the key at hand. Returns its identity."""
    identity, _ = doors.instance(secrets.token_hex(16), key_print(), now())
    doors.adopt(key_print())
    return identity


def check_form(found: Form) -> None:
    """Say what to do where database and code are of two versions.

    Raises:
        Refusal: they are.
    """
    if not found.applied:
        raise Refusal(f"{place()} holds no town yet: run `bansha migrate` first")
    if found.unknown:
        raise Refusal(
            f"the database is newer than this code: it has had {', '.join(found.unknown)}; run the newer version, or restore the backup "
            "that was made before (`bansha restore --replace FILE`)"
        )
    if found.missing:
        raise Refusal(f"the database is older than this code: it lacks {', '.join(found.missing)}; run `bansha migrate` first")


def check() -> str:
    """Whether this code may serve this database. Returns the town's identity.

    Raises:
        Refusal: why not, and what to do.
        django.db.Error: it does not answer.
    """
    if connection.vendor == "sqlite" and not settings.SQLITE.exists():
        raise Refusal(f"{place()} is not there: has it been moved? For a new town run `bansha migrate`")
    check_form(form())
    return claim()


def place() -> str:
    """Where the database is, in words that name no password."""
    if connection.vendor == "sqlite":
        return str(Path(settings.SQLITE))
    found = connection.settings_dict
    return f"the database {found['NAME']} at {found['HOST'] or 'localhost'}"


def said(error: Exception) -> str:
    """A refusal as it stands; a fault of the database or the disk in the town's words."""
    fault = faults.of(error)
    return f"{faults.SAID[fault]} ({error})" if fault is not None else str(error)
