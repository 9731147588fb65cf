"""The demonstration town: a game that is over, one in play with a seat for a visitor, one open for sign-up, and the accounts
to look at them with. Seeding again leaves what is there."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction

from bansha.company.stage import Bill, announce, begin, play_through
from bansha.town.models import Account, Game

PEOPLE: dict[str, dict[str, Any]] = {"player": {}, "director": {"directs": True}, "manager": {"manages": True}}
COMPUTERS = 10
PACE = 120
"""Game minutes a real minute in the demonstration: a discussion day of twelve hours lasts six minutes."""
NOTE = "演示局：其余座位由电脑演员扮演，时间走得快。"

FINISHED = Bill(
    "末班渡船",
    "大雾封江，最后一班渡船停在江心。船上十位乘客，有人不是为了过江而来。",
    "全由电脑演员演完的一局，可从第一日看到结局，也可自行核对发牌。",
    ("摆渡人", "报幕员小满", "守灯塔的老海", "提词人", "卖伞婆婆", "雾笛手", "黑伞先生", "木偶师阿九", "剪票员", "夜班邮差"),
)
RUNNING = Bill(
    "雪夜戏班",
    "戏班被大雪困在山脚的旧祠堂，台上的戏还没唱完，台下已经少了人。",
    NOTE,
    ("青衣", "打更的小五", "管箱老徐", "旧书店老板", "半夏", "煮雪人", "红泥小火炉", "抄经的女先生", "渡口摆船人", "夜航灯"),
    pace=PACE,
)
OPEN = Bill(
    "灯塔来信",
    "岛上的灯塔每晚准时亮起，可守塔人三年前就已经离开。",
    NOTE + "报名收满后由导演开局。",
    ("收信人", "补网的阿蛛", "一盏凉茶", "白露未晞", "不眠的裁缝", "山茶与猫", "迟到的信使", "铜钟", "织雾人", "修伞的柳叔"),
    pace=PACE,
)


class Login(NamedTuple):
    """A name and its password, "" where somebody has chosen another."""

    name: str
    password: str


def seed(now: Callable[[], datetime], home: Path, say: Callable[[str], None]) -> list[Login]:
    """Fill an empty town; in one that is seeded only what is missing is added. Returns the logins."""
    began = now()
    logins = people(home)
    director = Account.objects.get(username="director")
    company = computers()
    if not Game.objects.filter(title=FINISHED.title, opened_by=director).exists():
        say("电脑演员先演完一局，约半分钟…… (computer players play one game first)")
        with transaction.atomic():
            sunday = began.astimezone(UTC).date() - timedelta(days=began.weekday() + 22)
            play_through(FINISHED, director, company, datetime.combine(sunday, time(13), UTC))
    keep_on(now())
    if not Game.objects.filter(status__in=("signup", "ceremony"), opened_by=director).exists():
        with transaction.atomic():
            announce(OPEN, director, company[:9], began - timedelta(hours=1), began + timedelta(days=7))
    return logins


def people(home: Path) -> list[Login]:
    """The accounts of a player, a director and a manager; their passwords are drawn once and kept in the town's folder."""
    file = home / "logins"
    known: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for name, rights in PEOPLE.items():
        account = Account.objects.filter(username=name).first()
        if account is None:
            known[name] = known.get(name) or "-".join(secrets.token_hex(2) for _ in range(3))
            Account.objects.create_user(name, password=known[name], **rights)
        elif name in known and not account.check_password(known[name]):
            known[name] = ""
    private(file, json.dumps(known))
    return [Login(name, known.get(name, "")) for name in PEOPLE]


def private(file: Path, text: str) -> None:
    """Write a file that only its owner reads."""
    new = file.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(text)
    new.replace(file)


def computers() -> list[Account]:
    """The accounts of the computer players; nobody can sign in as one."""
    names = [f"木偶{number}" for number in range(1, COMPUTERS + 1)]
    return [Account.objects.filter(username=name).first() or Account.objects.create_user(name, computer=True) for name in names]


def keep_on(now: datetime) -> Game | None:
    """Where the town has its demonstration and no game of it is in play, begin another: nine computer players, and a seat for
    the demonstration's player."""
    director = Account.objects.filter(username="director", directs=True).first()
    player = Account.objects.filter(username="player").first()
    if director is None or player is None or not Account.objects.filter(computer=True).exists():
        return None
    if Game.objects.filter(status__in=("running", "ceremony"), pace__gt=1, opened_by=director).exists():
        return None
    played = Game.objects.filter(title__startswith=RUNNING.title).count()
    bill = Bill(RUNNING.title + (f" · 第{played + 1}场" if played else ""), RUNNING.script, RUNNING.note, RUNNING.names, pace=PACE)
    with transaction.atomic():
        return begin(bill, director, [player, *computers()[:9]], now)
