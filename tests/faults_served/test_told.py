"""Who is told that the machine's clock was moved: managers and directors, and nobody else."""

from __future__ import annotations

from datetime import timedelta

from bansha.journal import doors
from bansha.journal.time import now
from bansha.town.models import Account
from tests.support.broken import browser
from tests.support.town import Clock, account, seated

DAY = timedelta(days=1)


def test_managers_and_directors_are_told(clock: Clock) -> None:
    clock.at(1, 9, 1)
    game = seated(seed=31)
    doors.strike(game.journal, now())
    if not Account.objects.filter(username="manager").exists():
        account("manager", manages=True)
    doors.beat(now(), timedelta(minutes=5), timedelta(hours=1))
    clock.at(1, 8, 1)
    doors.beat(now(), timedelta(minutes=5), timedelta(hours=1))
    told = {("director", f"/g/{game.pk}/desk/"), ("manager", "/managers/")}
    for name, path in told:
        page = browser(name).get(path)
        assert page.status_code == 200 and "这台机器的时钟被拨慢了 60 分钟" in page.content.decode(), name
    for name in ("", "player3"):
        for path in ("/", f"/g/{game.pk}/", f"/g/{game.pk}/t/talk-1/"):
            assert "时钟被拨" not in browser(name).get(path).content.decode()
    clock.at(3, 9, 0)
    assert "时钟被拨" not in browser("manager").get("/managers/").content.decode()
    doors.noticed(now(), DAY)
    assert "这台机器的时钟被拨快了 1440 分钟" in browser("manager").get("/managers/").content.decode()
