"""Two towns on one database, databases of another version, and migrations that fail: said at the start, and nothing is half done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

import bansha.town.migrations
from bansha.cli import main
from bansha.journal.models import Instance
from bansha.site import backup, identity, serve, upgrade
from tests.support.broken import browser
from tests.support.town import Clock, seated

HALF = """
from django.db import migrations

def half(apps, editor):
    editor.execute("INSERT INTO town_half VALUES (1)")
    raise RuntimeError("the lamp went out")

class Migration(migrations.Migration):
    dependencies = [("town", {after!r})]
    operations = [migrations.RunSQL("CREATE TABLE town_half (id integer)"){more}]
"""


@contextmanager
def written(folder: Path, *names: str) -> Iterator[None]:
    """The town has these migrations more; one named broken fails half way."""
    ours = Path(bansha.town.migrations.__path__[0])
    last = sorted(file.stem for file in ours.glob("0*.py"))[-1]
    more = folder / "migrations_more"
    more.mkdir()
    (more / "__init__.py").write_text(f"__path__ = [{str(ours)!r}, {str(more)!r}]")
    for name in names:
        broken = "broken" in name
        text = HALF.format(after=last, more=", migrations.RunPython(half)" if broken else "")
        (more / f"{name}.py").write_text(text if broken else text.replace("town_half", "town_fine"))
        last = name
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(settings, "MIGRATION_MODULES", {"town": "migrations_more"}, raising=False)
        yield
    for name in [name for name in sys.modules if name.startswith("migrations_more")]:
        del sys.modules[name]


def tables() -> list[str]:
    """What the database has."""
    with connection.cursor() as cursor:
        return sorted(connection.introspection.table_names(cursor))


@pytest.fixture(autouse=True)
def current(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is served in earnest, and the database has the present form after each test, whatever it did."""
    monkeypatch.setattr(serve, "serve", lambda *_: 0)
    monkeypatch.setattr(serve, "only", lambda *_: 0)
    monkeypatch.setattr(serve, "keep_time", lambda *_: 0)
    yield
    for app, name in MigrationRecorder(connection).applied_migrations():
        if name.startswith("9"):
            MigrationRecorder(connection).record_unapplied(app, name)
    if "town_fine" in tables():
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE town_fine")


def test_a_second_town_with_another_key_does_not_start(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    town = identity.check()
    assert identity.check() == town, "the same town as often as it likes"
    with monkeypatch.context() as patch:
        patch.setattr(settings, "SECRET_KEY", "the key of another town altogether")
        with pytest.raises(identity.Refusal) as refused:
            identity.check()
        assert town[:8] in str(refused.value) and "BANSHA_SECRET" in str(refused.value) and "--adopt" in str(refused.value)
        assert settings.SECRET_KEY not in str(refused.value)
        for command in (["serve", "--port", "1"], ["serve", "--only", "clock"], ["clock", "--once"], ["migrate"]):
            assert main(command) == 2
            assert "Two towns never share a database" in capsys.readouterr().err
        assert main(["migrate", "--adopt"]) == 0
        assert identity.check() == town, "its key was changed on purpose"
    with pytest.raises(identity.Refusal):
        identity.check()
    identity.adopt()
    assert identity.check() == town and Instance.objects.count() == 1


def test_a_database_of_another_version_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("town", "9001_of_tomorrow")
    assert main(["serve", "--port", "1"]) == 2
    error = capsys.readouterr().err
    assert "newer than this code: it has had town.9001_of_tomorrow" in error and "restore" in error
    assert main(["migrate"]) == 2 and "newer" in capsys.readouterr().err
    assert main(["backup", str(tmp_path / "x.bansha")]) == 2 and "newer" in capsys.readouterr().err
    health = browser().get("/health/")
    assert (health.status_code, health.json()["database"]) == (503, "newer")
    recorder.record_unapplied("town", "9001_of_tomorrow")
    with written(tmp_path, "9001_fine"):
        identity._known.cache_clear()
        assert main(["serve", "--only", "clock"]) == 2
        assert "older than this code: it lacks town.9001_fine; run `bansha migrate` first" in capsys.readouterr().err
        assert browser().get("/health/").json()["database"] == "older"
    identity._known.cache_clear()
    assert browser().get("/health/").status_code == 200


def test_a_migration_that_fails_half_way_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], clock: Clock) -> None:
    clock.at(1, 9, 1)
    seated(seed=31)
    before, kept = tables(), set(settings.HOME.glob("*.bansha"))
    with written(tmp_path, "9001_broken"):
        with pytest.raises(identity.Refusal) as refused:
            upgrade.upgrade(print)
        said = str(refused.value)
        assert "migration town.9001_broken failed (RuntimeError: the lamp went out)" in said
        assert "nothing of it was kept, nothing has changed" in said and "bansha migrate" in said
        assert tables() == before
        assert main(["serve", "--port", "1"]) == 2 and "lacks town.9001_broken" in capsys.readouterr().err
        assert browser().get("/").status_code == 200, "pages of the version before go on"
    made = set(settings.HOME.glob("*.bansha")) - kept
    assert len(made) == 1 and backup.check(made.pop(), lambda _line: None).heads, "a backup was made before"
    assert identity.check()


def test_where_some_were_done_the_backup_brings_the_version_before_back(tmp_path: Path, clock: Clock) -> None:
    from bansha.town.models import Account

    clock.at(1, 9, 1)
    seated(seed=31)
    for file in settings.HOME.glob("*.bansha"):
        file.unlink()
    before, people = tables(), Account.objects.count()
    with written(tmp_path, "9001_fine", "9002_broken"):
        with pytest.raises(identity.Refusal) as refused:
            upgrade.upgrade(print)
        assert "migration town.9002_broken failed" in str(refused.value)
        assert "(town.9001_fine) are done" in str(refused.value) and "bansha restore --replace" in str(refused.value)
        assert set(tables()) - set(before) == {"town_fine"}
    with pytest.raises(identity.Refusal, match="newer"):  # the version before
        identity.check()
    (file,) = settings.HOME.glob("before-migrating-*.bansha")
    backup.restore(file, True, lambda _line: None)
    assert (tables(), Account.objects.count()) == (before, people) and identity.check()
    later = tmp_path / "later"
    later.mkdir()
    with written(later, "9001_fine"):  # and the version after brings it to its own form
        backup.restore(file, True, lambda _line: None)
        assert "town_fine" in tables() and Account.objects.count() == people and identity.check()
