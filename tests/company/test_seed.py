"""The demonstration town: a finished game that verifies, one in play, one open; seeding again keeps what is there."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command

from bansha.api.inside import Inside
from bansha.company import seed, stage
from bansha.company.run import Company
from bansha.journal import doors
from bansha.town import opening
from bansha.town.models import Account, Game, Signup, Tenure
from bansha.town.table import Table

NOW = datetime(2026, 11, 30, 4, 0, tzinfo=UTC)


@pytest.mark.slow
@pytest.mark.process
def test_the_town_is_seeded_once(tmp_path: Path) -> None:
    call_command("flush", verbosity=0, interactive=False, reset_sequences=False)  # whatever other tests have left: a town is empty
    said: list[str] = []
    logins = seed.seed(lambda: NOW, tmp_path, said.append)
    assert [login.name for login in logins] == ["player", "director", "manager"] and said
    assert all(Account.objects.get(username=login.name).check_password(login.password) for login in logins)
    assert (tmp_path / "logins").stat().st_mode & 0o777 == 0o600
    finished, running, open_ = Game.objects.order_by("pk")
    assert (finished.status, running.status, open_.status) == ("over", "running", "signup")
    assert finished.journal is not None and running.journal is not None

    (tmp_path / "game.jsonl").write_bytes(doors.lines(finished.journal))
    done = subprocess.run([sys.executable, "-I", "tools/verify.py", str(tmp_path / "game.jsonl")], capture_output=True, text=True)
    assert done.returncode == 0 and "deal ok" in done.stdout, done.stdout + done.stderr

    assert Tenure.objects.filter(game=running, account__username="player", until=None).exists()
    assert Tenure.objects.filter(game=running, account__computer=True, until=None).count() == 9
    opens = doors.pace(running.journal).moment(Table(running, None, NOW).public.opens_at)
    assert timedelta() < opens - NOW < timedelta(minutes=3)
    assert Signup.objects.filter(game=open_, account__computer=True, kind="player").count() == 9

    before = list(Game.objects.order_by("pk").values_list("pk", "journal", "status"))
    assert seed.seed(lambda: NOW + timedelta(hours=1), tmp_path, said.append) == logins
    assert list(Game.objects.order_by("pk").values_list("pk", "journal", "status")) == before and len(said) == 1


@pytest.mark.slow
def test_a_director_starts_the_open_game_and_the_computer_players_come_along(tmp_path: Path) -> None:
    seed.people(tmp_path)
    director, player = Account.objects.get(username="director"), Account.objects.get(username="player")
    game = stage.announce(seed.OPEN, director, seed.computers()[:9], NOW, NOW + timedelta(days=1))
    opening.sign_up(game, player, "player", True, now=NOW)
    table = Table(game, director, NOW + timedelta(hours=1))
    opening.choose(table, list(Signup.objects.filter(game=game).values_list("account", flat=True)))
    opening.close_signup(table)
    assert stage.contribute_all(NOW + timedelta(hours=1)) == 9
    assert stage.contribute_all(NOW + timedelta(hours=1)) == 0
    opening.contribute(game, player, NOW + timedelta(hours=2), "我来了")
    game.refresh_from_db()
    assert game.status == "running"
    moment = NOW + timedelta(hours=2, minutes=5)
    company = Company(Inside(lambda: moment))
    company.look(moment)
    assert len(company.troupes[game.pk].actors) == 9
