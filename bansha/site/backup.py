"""Backups: the whole town at one moment in one file, written while the town goes on, restored into either kind of database.

The file is a ZIP archive. `rows/APP.MODEL.jsonl` holds a table: its columns, then a row a line, in values that know no kind of
database, so that a town can move from SQLite to PostgreSQL and back. `manifest.json`, written last, says what the archive is: the
moment, the version, the migrations, where every chain stood, and each member's rows and checksum. What follows from other rows
(the search's index) is made anew. The archive holds everything the database holds, game secrets and password hashes among it, and
so is readable by its owner only; the signing key is in it where that was asked for.

Rows are copied table by table without being looked at, chains excepted: those are followed while they are written and again
before and after they are restored.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sqlite3
import sys
import tempfile
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from datetime import time as hour
from decimal import Decimal
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from bansha import __version__
from bansha.journal import doors
from bansha.journal.time import now
from bansha.site import identity
from bansha.town import searching

FORMAT = 1
MANIFEST = "manifest.json"
KEYS = {"secret": "keys/secret", "vapid": "keys/vapid"}
"""Files of BANSHA_HOME that hold a key, and their members where they were asked for."""
CHUNK = 1000
"""Rows held in memory at a time."""
BROKEN = (zipfile.BadZipFile, zlib.error, ValueError, EOFError, OSError, NotImplementedError)
"""What reading a damaged archive may raise."""
SERVED = timedelta(minutes=1)
"""A clock that looked so lately says that the town is being served."""

Say = Callable[[str], None]
"""Told how far it has come, in a line."""


class Refusal(Exception):
    """Why it was not done, and what to do; nothing has changed."""


@dataclass
class Member:
    """A table in an archive."""

    rows: int
    sha256: str


@dataclass
class Manifest:
    """What an archive says of itself. `heads`: number and hash of every chain's newest entry at `moment` (UTC), by game."""

    format: int
    version: str
    moment: str
    database: str
    town: str
    key_print: str
    migrations: list[str]
    heads: dict[str, tuple[int, str]]
    members: dict[str, Member]


# --- values ---------------------------------------------------------------------------------------------------------

_PACK: dict[type, tuple[str, Callable[[Any], Any]]] = {
    datetime: ("t", lambda value: value.astimezone(UTC).isoformat()),
    date: ("date", lambda value: value.isoformat()),
    hour: ("hour", lambda value: value.isoformat()),
    timedelta: ("seconds", lambda value: [value.days, value.seconds, value.microseconds]),
    bytes: ("b", lambda value: base64.b64encode(value).decode("ascii")),
    memoryview: ("b", lambda value: base64.b64encode(value).decode("ascii")),
    uuid.UUID: ("u", str),
    Decimal: ("d", str),
    dict: ("j", lambda value: value),
    list: ("j", lambda value: value),
}
_UNPACK: dict[str, Callable[[Any], Any]] = {
    "t": datetime.fromisoformat,
    "date": date.fromisoformat,
    "hour": hour.fromisoformat,
    "seconds": lambda value: timedelta(*value),
    "b": base64.b64decode,
    "u": uuid.UUID,
    "d": Decimal,
    "j": lambda value: value,
}


def _pack(value: Any) -> Any:
    """A value as JSON that is the same whatever database it came from."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    kind, way = _PACK[type(value)]
    return {kind: way(value)}


def _unpack(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    return _UNPACK[kind](held)


# --- tables ---------------------------------------------------------------------------------------------------------


def _tables(loader: MigrationLoader, nodes: Sequence[tuple[str, str]]) -> dict[str, type[models.Model]]:
    """The tables of the town as these migrations make them, by member."""
    then = loader.project_state([key for key in nodes if key in loader.graph.nodes]).apps
    found = [model for model in then.get_models(include_auto_created=True) if model._meta.managed and not model._meta.proxy]
    return {f"rows/{model._meta.label_lower}.jsonl": model for model in sorted(found, key=lambda model: model._meta.label_lower)}


def _columns(model: type[models.Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def _rows(model: type[models.Model]) -> Iterator[tuple[Any, ...]]:
    """All rows; entries of a game one after the other."""
    order = ("game_id", "n") if model._meta.label_lower == "journal.entry" else ("pk",)
    return iter(model._base_manager.order_by(*order).values_list(*_columns(model)).iterator(chunk_size=CHUNK))


def _migrate_to(nodes: Sequence[tuple[str, str]]) -> None:
    """Bring an empty database to the form these migrations make."""
    executor = MigrationExecutor(connection)
    graph, wanted = executor.loader.graph, set(nodes)
    executor.migrate([key for key in nodes if key in graph.nodes and not any(
        child.key in wanted for child in graph.node_map[key].children if child.key[0] == key[0])])  # fmt: skip


def _applied(loader: MigrationLoader) -> list[tuple[str, str]]:
    ours = {app for app, _ in loader.disk_migrations}
    return sorted(key for key in loader.applied_migrations if key[0] in ours)


# --- writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def _snapshot() -> Iterator[datetime]:
    """Everything read inside is as it stood at one moment, which is given. For that moment writers of journals are held up (a few
    thousandths of a second), so that nothing is half in it; from then on they go on."""
    holder = connection.copy()
    try:
        if connection.vendor == "sqlite":
            with holder.cursor() as hold, connection.cursor() as cursor:
                hold.execute("BEGIN IMMEDIATE")
                moment = now()
                cursor.execute("BEGIN DEFERRED")
                cursor.execute("SELECT count(*) FROM django_migrations")
                hold.execute("ROLLBACK")
            try:
                yield moment
            finally:
                with connection.cursor() as cursor:
                    cursor.execute("ROLLBACK")
            return
        holder.set_autocommit(False)
        with transaction.atomic(), connection.cursor() as cursor, holder.cursor() as hold:
            hold.execute("LOCK TABLE journal_game IN SHARE MODE")
            moment = now()
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT count(*) FROM django_migrations")
            holder.rollback()
            yield moment
    finally:
        holder.close()


class _Sink:
    """A member being written: counts and sums up what goes through."""

    def __init__(self, out: IO[bytes]) -> None:
        self.out = out
        self.sum = hashlib.sha256()
        self.rows = -1  # the first line is the columns'

    def line(self, values: Sequence[Any]) -> None:
        """Write a line."""
        data = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        self.sum.update(data)
        self.out.write(data)
        self.rows += 1


def write(file: Path, with_secret: bool, say: Say) -> Manifest:
    """Write a backup of the town as it stands at one moment; the file appears when it is whole.

    Raises:
        Refusal: the file is there already, code and database are of two versions, or a chain is damaged.
        django.db.Error, OSError: the database, or the disk.
    """
    if file.exists():
        raise Refusal(f"{file} is there already: choose another name, nothing is written over")
    try:
        number, part = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    except FileNotFoundError:
        raise Refusal(f"{file.parent} is no folder") from None
    try:
        with os.fdopen(number, "wb") as out:
            manifest = _write(out, with_secret, say)
            out.flush()
            os.fsync(out.fileno())
        os.link(part, file)  # fails where somebody was quicker
        _sync_folder(file.parent)
    except FileExistsError:
        raise Refusal(f"{file} is there already: choose another name, nothing is written over") from None
    finally:
        os.unlink(part)
    return manifest


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _write(out: IO[bytes], with_secret: bool, say: Say) -> Manifest:
    loader = MigrationExecutor(connection).loader
    strange = identity.unknown(loader)
    if strange:
        raise Refusal(f"the database is newer than this code (it has had {', '.join(strange)}): back it up with the newer version")
    applied = _applied(loader)
    if not applied:
        raise Refusal(f"{identity.place()} holds no town yet")
    tables = _tables(loader, applied)
    with _snapshot() as moment, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        heads: dict[str, tuple[int, str]] = {}
        members: dict[str, Member] = {}
        town = ("", "")
        for name, model in tables.items():
            with archive.open(name, "w", force_zip64=True) as stream:
                sink = _Sink(stream)
                sink.line(_columns(model))
                rows = _rows(model)
                label = model._meta.label_lower
                if label == "journal.entry":
                    heads = _chains(sink, rows, _columns(model))
                else:
                    for row in rows:
                        sink.line([_pack(value) for value in row])
                        if label == "journal.instance":
                            given = dict(zip(_columns(model), row, strict=True))
                            town = (given["identity"], given["key_print"])
            members[name] = Member(sink.rows, sink.sum.hexdigest())
            if sink.rows:
                say(f"{label}: {sink.rows} rows")
        stated = _stated(tables["rows/journal.game.jsonl"])
        if {game: head for game, head in stated.items() if head[0]} != heads:
            raise Refusal("the journal's games and entries do not agree; the database is damaged, take an earlier backup")
        if with_secret:
            archive.writestr(KEYS["secret"], settings.SECRET_KEY)
            if (settings.HOME / "vapid").exists():
                archive.write(settings.HOME / "vapid", KEYS["vapid"])
        names = [f"{app}.{name}" for app, name in applied]
        manifest = Manifest(FORMAT, __version__, moment.isoformat(), connection.vendor, *town, names, stated, members)
        archive.writestr(MANIFEST, json.dumps(asdict(manifest), ensure_ascii=False, indent=1))
    return manifest


def _stated(game: type[models.Model]) -> dict[str, tuple[int, str]]:
    """Where every chain stands by its game's row."""
    rows = game._base_manager.order_by("pk").values_list("pk", "head", "head_hash")
    return {str(number): (head, hash) for number, head, hash in rows}


def _chains(sink: _Sink, rows: Iterable[tuple[Any, ...]], columns: list[str]) -> dict[str, tuple[int, str]]:
    """Write the entries and follow each game's chain meanwhile. Returns where they end."""
    whose, line = columns.index("game_id"), columns.index("line")
    heads: dict[str, tuple[int, str]] = {}

    def written(group: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
        for row in group:
            sink.line([_pack(value) for value in row])
            yield bytes(row[line])

    for game, group in groupby(rows, key=lambda row: row[whose]):
        try:
            end = doors.followed(written(group))
            heads[str(game)] = (end.n, end.hash)
        except ValueError as damage:
            raise Refusal(f"the journal of game {game} is damaged ({damage}); take an earlier backup") from None
    return heads


# --- reading ----------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(file: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """An archive and its manifest.

    Raises:
        Refusal: it is none, or not whole.
    """
    try:
        archive = zipfile.ZipFile(file)
    except FileNotFoundError:
        raise Refusal(f"{file} is not there") from None
    except (zipfile.BadZipFile, OSError) as error:
        raise Refusal(f"{file} is no whole backup ({error}); take another") from None
    with archive:
        try:
            found = json.loads(archive.read(MANIFEST))
            if found["format"] != FORMAT:
                raise Refusal(f"{file} has format {found['format']}, this code reads {FORMAT}: take the version that wrote it")
            members = {name: Member(**member) for name, member in found.pop("members").items()}
            heads = {game: (int(n), str(hash)) for game, (n, hash) in found.pop("heads").items()}
            manifest = Manifest(**found, heads=heads, members=members)
        except (*BROKEN, KeyError, TypeError, AttributeError) as error:
            raise Refusal(f"{file}: its manifest cannot be read ({type(error).__name__}: {error}); take another") from None
        yield archive, manifest


def _lines(archive: zipfile.ZipFile, name: str, wanted: Member) -> Iterator[list[Any]]:
    """A member's lines, columns first; at the end rows and checksum must be those of the manifest.

    Raises:
        Refusal: they are not.
    """
    sum_, rows = hashlib.sha256(), -1
    try:
        stream = archive.open(name)
    except KeyError:
        raise Refusal(f"{name} is missing; the archive is damaged, take another") from None
    with stream:
        while True:
            try:
                data = stream.readline()
                line = json.loads(data.decode("utf-8", "surrogatepass")) if data else None
            except BROKEN as error:
                raise Refusal(f"{name}, row {rows + 1}: cannot be read ({error}); the archive is damaged, take another") from None
            if line is None:
                break
            sum_.update(data)
            rows += 1
            yield line
    if (rows, sum_.hexdigest()) != (wanted.rows, wanted.sha256):
        raise Refusal(f"{name}: {rows} rows with the checksum {sum_.hexdigest()[:12]}…, the manifest says {wanted.rows} with "
                      f"{wanted.sha256[:12]}…; the archive is damaged, take another")  # fmt: skip


def check(file: Path, say: Say) -> Manifest:
    """Check an archive whole without touching any database: every checksum, every chain with its deal and draws, and that each
    ends where the manifest says.

    Raises:
        Refusal: what does not hold.
    """
    with _opened(file) as (archive, manifest):
        for name, member in manifest.members.items():
            lines = _lines(archive, name, member)
            columns = next(lines, [])
            if name == "rows/journal.entry.jsonl":
                ends = dict(_proved(lines, columns, say))
                if ends != {game: head for game, head in manifest.heads.items() if head[0]}:
                    raise Refusal("the chains do not end where the manifest says; the archive is damaged, take another")
            else:
                for _line in lines:
                    pass
        return manifest


def _proved(lines: Iterator[list[Any]], columns: list[str], say: Say) -> Iterator[tuple[str, tuple[int, str]]]:
    """Each game's journal, proved; where it ends."""
    whose, at = columns.index("game_id"), columns.index("line")
    for game, group in groupby(lines, key=lambda row: row[whose]):
        data = [bytes(_unpack(row[at])) for row in group]
        try:
            head = doors.followed(data)
            verdict = doors.proved(b"".join(line + b"\n" for line in data))
        except ValueError as damage:
            raise Refusal(f"the journal of game {game} does not hold ({damage}); the archive is damaged, take another") from None
        say(f"game {game}: {head.n} entries, {verdict}")
        yield str(game), (head.n, head.hash)


# --- restoring --------------------------------------------------------------------------------------------------------


def restore(file: Path, replace: bool, say: Say) -> Manifest:
    """Make the database what the archive holds, whole or not at all.

    SQLite is built in a file beside and takes the place of the old one in one step; on PostgreSQL everything is one transaction.
    An archive of an older version is brought to the present form. With another signing key than the archive's the town is taken over
    by the key at hand.

    Raises:
        Refusal: the archive does not hold, the town is not empty (without `replace`), or it is being served.
        django.db.Error, OSError: the database, or the disk.
    """
    manifest = check(file, lambda _line: None)
    say(f"{file}: {sum(member.rows for member in manifest.members.values())} rows and {len(manifest.heads)} chains hold")
    disk = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    nodes = [(app, name) for app, _, name in (text.partition(".") for text in manifest.migrations)]
    strange = [f"{app}.{name}" for app, name in nodes if (app, name) not in disk]
    if strange:
        raise Refusal(f"the archive is of version {manifest.version}, newer than this code ({', '.join(strange)}): restore it with that")
    _may_take(replace)
    with _opened(file) as (archive, _manifest):
        if connection.vendor == "sqlite":
            _into_sqlite(archive, manifest, nodes, say)
        else:
            _into_server(archive, manifest, nodes, say)
    return manifest


def _may_take(replace: bool) -> None:
    """Whether the database at hand may be written over."""
    if connection.vendor == "sqlite" and not settings.SQLITE.exists():
        return
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        filled = []
        for table in ("town_account", "journal_game", "journal_entry"):
            if table in tables:
                cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")
                filled += [table] if cursor.fetchone() else []
    if filled and not replace:
        raise Refusal(f"{identity.place()} holds a town: its rows would be lost. Say --replace if that is meant, or name another database")
    last = doors.last_beat() if "journal_beat" in tables else None
    if last is not None and abs(now() - last) < SERVED and settings.OUTAGE_MINUTES:
        raise Refusal(f"a clock looked at this town {abs(now() - last).seconds} s ago: end `bansha serve` first, wait a minute, try again")


def _into_sqlite(archive: zipfile.ZipFile, manifest: Manifest, nodes: list[tuple[str, str]], say: Say) -> None:
    target: Path = settings.SQLITE
    target.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(prefix=".restoring-", suffix=".sqlite3", dir=target.parent)
    os.close(number)
    made = Path(name)
    try:
        with _working_on(made):
            _migrate_to(nodes)
            with transaction.atomic():
                _load(archive, manifest, nodes, say)
            _finish(manifest, say)
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if target.exists():  # page by page in one transaction: who has it open sees the old town or the new one
            with closing(sqlite3.connect(made)) as source, closing(sqlite3.connect(target, timeout=20)) as into:
                source.backup(into)
        else:
            os.replace(made, target)
            _sync_folder(target.parent)
    finally:
        for end in ("", "-wal", "-shm"):
            made.with_name(made.name + end).unlink(missing_ok=True)


@contextmanager
def _working_on(file: Path) -> Iterator[None]:
    """The database is another file meanwhile."""
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(file)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


def _into_server(archive: zipfile.ZipFile, manifest: Manifest, nodes: list[tuple[str, str]], say: Say) -> None:
    with transaction.atomic():
        if set(_applied(MigrationExecutor(connection).loader)) != set(nodes):
            _drop_all()
            _migrate_to(nodes)
        _load(archive, manifest, nodes, say)
        _finish(manifest, say)


def _drop_all() -> None:
    """Take our tables away, of whatever version they are; those of others in the same database stay."""
    heads = (*(f"{app.label}_" for app in apps.get_app_configs()), "django_migrations", "django_content_type", "django_session")
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(heads):
                cursor.execute(f"DROP TABLE {connection.ops.quote_name(table)} CASCADE")


def _load(archive: zipfile.ZipFile, manifest: Manifest, nodes: list[tuple[str, str]], say: Say) -> None:
    """Exchange all rows for the archive's."""
    tables = _tables(MigrationExecutor(connection).loader, nodes)
    if set(tables) != set(manifest.members):
        raise Refusal(f"the archive's tables are not this form's ({', '.join(sorted(set(tables) ^ set(manifest.members)))})")
    quoted = connection.ops.quote_name
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # migrations of this transaction leave some immediate
        for model in tables.values():
            cursor.execute(f"DELETE FROM {quoted(model._meta.db_table)}")
        cursor.execute("DELETE FROM town_search")
        for name, member in manifest.members.items():
            model = tables[name]
            lines = _lines(archive, name, member)
            columns = next(lines)
            fields = [next(field for field in model._meta.concrete_fields if field.attname == column) for column in columns]
            into = f"INSERT INTO {quoted(model._meta.db_table)} ({', '.join(quoted(str(field.column)) for field in fields)})"
            statement = f"{into} VALUES ({', '.join(['%s'] * len(fields))})"
            while chunk := list(islice(lines, CHUNK)):
                cursor.executemany(statement, [
                    [field.get_db_prep_save(_unpack(value), connection) for field, value in zip(fields, row, strict=True)] for row in chunk
                ])  # fmt: skip
            if member.rows:
                say(f"{model._meta.label_lower}: {member.rows} rows")
    if connection.vendor == "postgresql":
        _raise_sequences(list(tables.values()))
    connection.check_constraints()


def _raise_sequences(found: Sequence[type[models.Model]]) -> None:
    """Let new rows be numbered after the last. Sequences know no transaction: none is ever lowered, so that one which is raised for
    a restore that is not finished does no harm."""
    with connection.cursor() as cursor:
        for model in found:
            table, key = model._meta.db_table, model._meta.pk
            if isinstance(key, models.AutoField):
                cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table}"', key.column])
                (sequence,) = cursor.fetchone()
                cursor.execute(
                    f"SELECT setval(%s, greatest((SELECT max({connection.ops.quote_name(str(key.column))}) FROM "
                    f"{connection.ops.quote_name(table)}), (SELECT last_value FROM {sequence})))", [sequence],
                )  # fmt: skip


def _finish(manifest: Manifest, say: Say) -> None:
    """The present form, what follows from the rows, and whether the chains stand where the manifest says."""
    if identity.form().missing:
        call_command("migrate", verbosity=0)
    say(f"search: {searching.refill()} posts")
    heads = {str(game): (head.n, head.hash) for game, head in doors.all_heads().items()}
    if heads != manifest.heads:
        raise Refusal("the restored chains do not stand where the manifest says; nothing was exchanged")
    for game, head in doors.all_heads().items():
        if doors.followed(doors.stored(game)) != head:
            raise Refusal(f"the restored chain of game {game} does not end at its head; nothing was exchanged")
    if manifest.key_print != identity.key_print():
        identity.adopt()
        say("the signing key is another one than the backup's: everybody signs in anew, and secret addresses are to be renewed")


def default_name(folder: Path, why: str) -> Path:
    """A name for a backup that nobody has named."""
    return folder / f"{why}-{now().astimezone(UTC):%Y%m%d-%H%M%S}.bansha"


def say_on_stderr(line: str) -> None:
    """Progress for somebody at a terminal."""
    print(f"  {line}", file=sys.stderr, flush=True)
