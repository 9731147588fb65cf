"""The tests of backups that depend on the database, on PostgreSQL; and a town that moves to the other kind and back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bansha.journal import doors
from bansha.site import backup
from bansha.town.models import Post
from tests.faults_served.test_backup import (
    elsewhere,
    games,
    heads,
    quickly,
    quiet,
    test_a_town_is_not_written_over_by_mistake,
    test_an_interrupted_restore_leaves_the_town_as_it_was,
    test_every_table_is_in_it,
    test_the_restored_heads_are_those_of_the_stated_moment,
)
from tests.support import served

__all__ = [
    "games", "quickly", "test_a_town_is_not_written_over_by_mistake", "test_an_interrupted_restore_leaves_the_town_as_it_was",
    "test_every_table_is_in_it", "test_the_restored_heads_are_those_of_the_stated_moment",
]  # fmt: skip

CLI = "import sys; from bansha.cli import main; sys.exit(main())"


@pytest.mark.process
def test_a_town_moves_to_the_embedded_database_and_back(games: object, chosen: dict[str, str], tmp_path: Path) -> None:
    first, second, home = tmp_path / "first.bansha", tmp_path / "second.bansha", tmp_path / "home"
    manifest = backup.write(first, False, quiet)
    before = {game: doors.lines(game) for game in doors.all_heads()}
    words = list(Post.objects.order_by("pk").values_list("pk", "body", "at", "receipt"))
    environment = {**os.environ, **chosen, "DATABASE_URL": "", "BANSHA_HOME": str(home)}
    for arguments in (["restore", str(first)], ["backup", str(second)]):
        done = subprocess.run([sys.executable, "-c", CLI, *arguments], cwd=served.ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    middle = backup.check(second, quiet)
    assert (middle.database, middle.heads, middle.town) == ("sqlite", manifest.heads, manifest.town)
    with elsewhere(tmp_path):
        backup.restore(second, False, quiet)
        assert heads() == manifest.heads
        assert {game: doors.lines(game) for game in doors.all_heads()} == before
        assert list(Post.objects.order_by("pk").values_list("pk", "body", "at", "receipt")) == words
