"""The demonstration's secret, and taking its database away."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from bansha.site.demonstration import make_secret, take_away
from tools.kills import free_ports


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BANSHA_HOME", str(tmp_path / "var"))
    monkeypatch.delenv("BANSHA_SECRET", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    return tmp_path / "var"


def test_the_secret_is_drawn_once_and_for_its_owner_only(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_secret()
    drawn = (home / "secret").read_text("ascii")
    make_secret()
    assert (home / "secret").read_text("ascii") == drawn and len(drawn) >= 60
    assert (home / "secret").stat().st_mode & 0o777 == 0o600
    (home / "secret").unlink()
    monkeypatch.setenv("BANSHA_SECRET", "given")
    make_secret()
    assert not (home / "secret").exists()


def test_only_the_embedded_database_of_a_resting_town_is_taken_away(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir()
    for name in ("bansha.sqlite3", "bansha.sqlite3-wal", "secret", "logins"):
        (home / name).touch()
    port = free_ports()
    with socket.create_server(("127.0.0.1", port)):
        assert str(port) in take_away(port)
    with monkeypatch.context() as patch:
        patch.setenv("DATABASE_URL", "postgresql:///somewhere")
        assert "DATABASE_URL" in take_away(port)
    assert (home / "bansha.sqlite3").exists()
    assert take_away(port) == ""
    assert sorted(file.name for file in home.iterdir()) == ["logins", "secret"]
    assert take_away(port) == ""
