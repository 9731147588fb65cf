"""A backup taken while posts go on is the town at its stated moment; what is damaged, in the way or half done is refused."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import stat
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext

from bansha.cli import main
from bansha.journal import doors, keep
from bansha.journal.models import Beat
from bansha.journal.time import now
from bansha.sight.types import DIRECTOR
from bansha.site import backup, identity
from bansha.town import acts, searching
from bansha.town.models import Account, Game, Post
from bansha.town.table import Table
from tests.support.town import Clock, moment, seated

RATE = 5.0
"""Posts a second."""


def quiet(_line: str) -> None:
    """No progress."""


@pytest.fixture(scope="module")
def games(clock: Clock) -> Any:
    """Two games on their first morning, one with a secret to come, and some posts."""
    clock.at(1, 9, 1)
    identity.check()
    made = [seated(seed=seed, title=f"game {seed}") for seed in (41, 42)]
    for game in made:
        doors.strike(game.journal, now())
        acts.say(Table(game, Account.objects.get(username="player2")), "talk-1", "雾里有船票 ferry")
    return made


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty town is made from the one at hand, for tests that are about something else."""
    if connection.vendor == "sqlite":
        nodes = MigrationRecorder(connection).applied_migrations()
        with closing(sqlite3.connect(settings.SQLITE)) as source:
            which = "sql NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'town_search_%'"
            schema = [sql for (sql,) in source.execute(f"SELECT sql FROM sqlite_master WHERE {which}")]

        def made(_nodes: object) -> None:
            with connection.cursor() as cursor:
                for sql in schema:
                    cursor.execute(sql)
            for app, name in nodes:
                MigrationRecorder(connection).record_applied(app, name)

        monkeypatch.setattr(backup, "_migrate_to", made)


@contextmanager
def elsewhere(folder: Path) -> Iterator[None]:
    """Another place for a town, of the same kind, with nothing in it."""
    before, file = connection.settings_dict["NAME"], settings.SQLITE
    name = f"other_{folder.name}".replace("-", "_")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
    connection.close()
    if connection.vendor == "sqlite":
        settings.SQLITE = folder / f"{name}.sqlite3"
        connection.settings_dict["NAME"] = str(settings.SQLITE)
    else:
        connection.settings_dict["NAME"] = name
    keep.drop_all()
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"], settings.SQLITE = before, file
        keep.drop_all()


@dataclass
class Writer:
    """Posts in two games in turn, in a thread, and remembers when each was begun and when it was answered."""

    games: list[Game]
    clock: Clock
    stop: threading.Event = field(default_factory=threading.Event)
    begun: list[tuple[datetime, int, int]] = field(default_factory=list)
    answered: list[tuple[datetime, int, int]] = field(default_factory=list)
    enough: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Five a second; the test clock goes with them."""
        account = Account.objects.get(username="player4")
        tables = [(game, Table(game, account)) for game in self.games]
        number = 0
        while not self.stop.wait(1 / RATE):
            game, _ = tables[number % 2]
            at = self.clock.set(moment(1, 9, 2) + timedelta(seconds=number))
            assert game.journal is not None
            self.begun.append((at, game.journal, number))
            acts.say(Table(game, account, at), "talk-1", f"第{number}帖")
            self.answered.append((at, game.journal, doors.head(game.journal)))
            number += 1
            if number >= 4:
                self.enough.set()
        connections.close_all()


def heads() -> dict[str, tuple[int, str]]:
    """Where the chains of the town at hand stand."""
    return {str(game): (head.n, head.hash) for game, head in doors.all_heads().items()}


@pytest.mark.process
def test_the_restored_heads_are_those_of_the_stated_moment(
    games: list[Game], clock: Clock, tmp_path: Path, says: Callable[[str], None]
) -> None:
    file = tmp_path / "town.bansha"
    writer = Writer(games, clock)
    thread = threading.Thread(target=writer.run)
    thread.start()
    try:
        assert writer.enough.wait(30)
        manifest = backup.write(file, False, quiet)
        during = len(writer.answered)
        assert writer.stop.wait(0.5) is False and len(writer.answered) >= during
    finally:
        writer.stop.set()
        thread.join(30)
    stated = datetime.fromisoformat(manifest.moment)
    for game in games:
        assert game.journal is not None
        n, hash = manifest.heads[str(game.journal)]
        before = [head for at, journal, head in writer.answered if journal == game.journal and at < stated]
        after = [head for at, journal, head in writer.answered if journal == game.journal and at > stated]
        assert before and after and max(before) <= n < min(after), "all that was answered by then, nothing that began later"
        assert hash.encode() in doors.lines(game.journal).splitlines()[n - 1], "a moment of this very chain"
    assert heads() != manifest.heads, "it went on meanwhile"
    live = {game.journal: doors.lines(game.journal) for game in games if game.journal is not None}
    posts = Post.objects.count()
    assert backup.check(file, quiet) == manifest

    with elsewhere(tmp_path):
        restored = backup.restore(file, False, quiet)
        assert heads() == manifest.heads == restored.heads
        for journal, lines in live.items():
            assert lines.startswith(doors.lines(journal)) and "ok" in doors.proved(doors.lines(journal))
            assert doors.see(journal, DIRECTOR).head == manifest.heads[str(journal)][0]
        assert Post.objects.count() < posts
        found = searching.found_in(Post.objects.all(), searching.terms("船票 ferry"))
        assert found.count() == 2, "what is searched is made anew"
        assert identity.check() == manifest.town
        new = Account.objects.create_user("newcomer", password="lamplight-lamplight")
        assert new.pk > max(Account.objects.exclude(pk=new.pk).values_list("pk", flat=True)), "numbers go on"
        game = Game.objects.get(pk=games[0].pk)
        acts.say(Table(game, Account.objects.get(username="player3"), clock.at(1, 9, 30)), "talk-1", "在新的地方接着说")
        assert game.journal is not None and doors.head(game.journal) == manifest.heads[str(game.journal)][0] + 1
    says(f"backup on {connection.vendor}: {len(writer.answered)} posts at {RATE:.0f} a second, {len(manifest.heads)} heads equal")


def test_every_table_is_in_it(games: list[Game], tmp_path: Path) -> None:
    manifest = backup.write(tmp_path / "all.bansha", False, quiet)
    with zipfile.ZipFile(tmp_path / "all.bansha") as archive:
        assert set(archive.namelist()) == {*manifest.members, "manifest.json"}
    from django.apps import apps

    here = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    with connection.cursor() as cursor:
        there = {table for table in connection.introspection.table_names(cursor) if not table.startswith("town_search")}
    assert there - {"django_migrations", settings.CACHES["default"].get("LOCATION")} == here
    models = {f"rows/{model._meta.label_lower}.jsonl" for model in apps.get_models(include_auto_created=True)}
    assert set(manifest.members) == models


def test_who_may_read_it_and_what_is_said(games: list[Game], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, whole = tmp_path / "plain.bansha", tmp_path / "whole.bansha"
    assert main(["backup", str(plain)]) == 0
    out, err = capsys.readouterr()
    assert "town.post: " in err and "password hashes" in out and "not the town's keys" in out
    assert main(["backup", "--with-secret", str(whole)]) == 0
    assert "and the town's keys" in capsys.readouterr().out
    for file, secret in ((plain, False), (whole, True)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with zipfile.ZipFile(file) as archive:
            assert ("keys/secret" in archive.namelist()) == secret
            assert all(settings.SECRET_KEY.encode() not in archive.read(name) for name in archive.namelist() if name != "keys/secret")
    assert main(["backup", "--check", str(plain)]) == 0
    assert "all of which hold" in capsys.readouterr().out
    assert main(["backup", str(plain)]) == 2 and "there already" in capsys.readouterr().err
    assert main(["backup", str(tmp_path / "none" / "x")]) == 2 and "is no folder" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain.bansha", "whole.bansha"]


def rewritten(file: Path, into: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The same archive with something in it changed."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return into


def test_a_damaged_archive_is_refused_before_anything_is_touched(games: list[Game], tmp_path: Path) -> None:
    file = tmp_path / "good.bansha"
    backup.write(file, False, quiet)
    entries = "rows/journal.entry.jsonl"

    def row(members: dict[str, bytes]) -> None:
        members["rows/town.account.jsonl"] = members["rows/town.account.jsonl"].replace(b"player2", b"player9", 1)

    def gone(members: dict[str, bytes]) -> None:
        del members["rows/town.post.jsonl"]

    def head(members: dict[str, bytes]) -> None:
        manifest = json.loads(members["manifest.json"])
        game = next(iter(manifest["heads"]))
        manifest["heads"][game][0] -= 1
        members["manifest.json"] = json.dumps(manifest).encode()

    def line(members: dict[str, bytes]) -> None:
        """An entry that was changed by somebody who knows of checksums."""
        import base64
        import hashlib

        columns, *rows = members[entries].splitlines()
        at = json.loads(columns).index("line")
        changed = json.loads(rows[-1])
        text = base64.b64decode(changed[at]["b"]).replace(b'"by":"seat', b'"by":"seet')
        changed[at]["b"] = base64.b64encode(text).decode()
        rows[-1] = json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode()
        members[entries] = b"\n".join([columns, *rows, b""])
        manifest = json.loads(members["manifest.json"])
        manifest["members"][entries]["sha256"] = hashlib.sha256(members[entries]).hexdigest()
        members["manifest.json"] = json.dumps(manifest).encode()

    def newer(members: dict[str, bytes]) -> None:
        members["manifest.json"] = members["manifest.json"].replace(b'"format": 1', b'"format": 2')

    before = heads()
    for change, words in ((row, "checksum"), (gone, "missing"), (head, "manifest says"), (line, "does not hold"), (newer, "format 2")):
        damaged = rewritten(file, tmp_path / f"{change.__name__}.bansha", change)
        for act in (lambda damaged=damaged: backup.check(damaged, quiet), lambda damaged=damaged: backup.restore(damaged, True, quiet)):
            with pytest.raises(backup.Refusal, match=words):
                act()
    data = file.read_bytes()
    (tmp_path / "cut.bansha").write_bytes(data[: len(data) // 2])
    flipped = bytearray(data)
    flipped[len(data) // 3] ^= 0x55
    (tmp_path / "flipped.bansha").write_bytes(flipped)
    (tmp_path / "other.bansha").write_text("a letter")
    for name in ("cut", "flipped", "other", "nothing"):
        with pytest.raises(backup.Refusal):
            backup.restore(tmp_path / f"{name}.bansha", True, quiet)
        assert main(["backup", "--check", str(tmp_path / f"{name}.bansha")]) == 1
    assert heads() == before


def test_a_town_is_not_written_over_by_mistake(games: list[Game], tmp_path: Path, watched: None, quickly: None) -> None:
    file = tmp_path / "town.bansha"
    backup.write(file, False, quiet)
    with pytest.raises(backup.Refusal, match="--replace"):
        backup.restore(file, False, quiet)
    Beat.objects.update_or_create(pk=1, defaults={"at": now() - timedelta(seconds=20)})
    with pytest.raises(backup.Refusal, match="a clock looked at this town 20 s ago"):
        backup.restore(file, True, quiet)
    Beat.objects.all().delete()
    acts.say(Table(games[0], Account.objects.get(username="player6")), "talk-1", "备份以后才写的")
    backup.restore(file, True, quiet)
    keep.drop_all()
    assert heads() == backup.check(file, quiet).heads and not Post.objects.filter(body="备份以后才写的").exists()


def test_an_interrupted_restore_leaves_the_town_as_it_was(
    games: list[Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quickly: None
) -> None:
    file = tmp_path / "town.bansha"
    backup.write(file, False, quiet)
    acts.say(Table(games[0], Account.objects.get(username="player7")), "talk-1", "还在")
    before = heads()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(backup, "_finish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        backup.restore(file, True, quiet)
    assert heads() == before and Post.objects.filter(body="还在").exists()
    assert not list(settings.HOME.glob(".restoring-*"))
    acts.say(Table(games[0], Account.objects.get(username="player7")), "talk-1", "接着写")
    assert Post.objects.filter(body="接着写").exists()


def test_a_backup_that_finds_no_room_leaves_nothing(games: list[Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                    capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(backup._Sink, "line", no_room)
    assert main(["backup", str(tmp_path / "town.bansha")]) == 2
    assert "no room left" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_with_another_key_the_town_is_taken_over(
    games: list[Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quickly: None
) -> None:
    file = tmp_path / "town.bansha"
    manifest = backup.write(file, False, quiet)
    said: list[str] = []
    with elsewhere(tmp_path), monkeypatch.context() as patch:
        patch.setattr(settings, "SECRET_KEY", "the key of the new machine, long enough")
        backup.restore(file, False, said.append)
        assert identity.check() == manifest.town
    assert any("everybody signs in anew" in line for line in said)


def test_rows_are_streamed(games: list[Game], tmp_path: Path) -> None:
    with CaptureQueriesContext(connection) as asked:
        backup.write(tmp_path / "town.bansha", False, quiet)
    assert len(asked) < 3 * len(backup.check(tmp_path / "town.bansha", quiet).members)
