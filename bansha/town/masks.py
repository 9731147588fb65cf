"""Names of personas: which are safe (C18), which are too like another, and suggestions."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Collection, Sequence

from bansha.town.acts import Denied

LONGEST = 24
LABELS = ("投票对象", "投票理由", "改票对象", "改票理由")
TAKEN = ("弃权", "导演", "裁判", "裁判所", "系统")
"""Words of the town that no persona may be called by."""

SUGGESTED = (
    "塔下晒网人", "抄灯语的", "第六块礁石", "煮海盐的", "信鸽丙", "雾哨", "数浪的", "退役领航员", "补船底的", "末班船票", "摆渡人",
    "报幕员小满", "守灯塔的老海", "提词人", "卖伞婆婆", "雾笛手", "黑伞先生", "木偶师阿九", "剪票员", "夜班邮差", "旧书店老板",
    "打更的小五", "青瓷碗", "磨刀匠", "收鸭毛的", "桥头算命", "弹棉花的", "修钟人", "画糖人的", "井边阿婆", "值夜的猫", "送报少年",
    "染坊二掌柜", "赶集的驴", "吹糖人", "箍桶匠", "茶馆说书人", "捡贝壳的", "采石工", "候鸟", "纸鸢", "渡口黄狗", "空巷回声", "半截粉笔",
    "旧雨衣", "第三盏灯", "邮筒", "石阶青苔",
)  # fmt: skip


def tidy(name: str) -> str:
    """A name without the blanks around it (U+3000 too)."""
    return name.strip(" \t　")


def alike(name: str) -> str:
    """What two names have in common that a reader would take for each other."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def check(name: str) -> Denied | None:
    """Why a persona cannot be called so; None when it can."""
    if not name:
        return Denied("还没有名字。写一个，或抽一组。", "No name yet. Write one, or draw a set.")
    if len(name) > LONGEST:
        return Denied(f"名字有 {len(name)} 字，最多 {LONGEST} 字。", f"{len(name)} characters; at most {LONGEST}.")
    if "\n" in name or "\r" in name or "\u2028" in name or "\u2029" in name:
        return Denied("名字里不能换行。", "A name has no line breaks.")
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn") for char in name):
        return Denied("名字里有看不见的字符（零宽、控制符）。删去再写。", "The name holds invisible characters. Write it without them.")
    plain = alike(name)
    if not plain or not any(unicodedata.category(char)[0] in "LN" for char in plain):
        return Denied("名字里要有字。", "A name needs letters.")
    if plain in TAKEN:
        return Denied(
            f"马甲不能叫“{name}”：这是本局自己的用语。换一个名字。", f"No persona can be called {name}: it is a word of the game."
        )
    if any(label in plain for label in LABELS):
        return Denied("名字里不能有“投票对象”“投票理由”“改票对象”“改票理由”。", "A name cannot hold the labels of a vote post.")
    if any(char in name for char in "[]<>"):
        return Denied("名字里不能有 [ ] < >。", "A name cannot hold [ ] < >.")
    return None


def faults(names: Sequence[str], complete: bool) -> dict[int, Denied]:
    """What is wrong with a list of names, by seat; blank ones only when the list has to be `complete`."""
    found: dict[int, Denied] = {}
    seen: dict[str, int] = {}
    for seat, name in enumerate(names, 1):
        if not name and not complete:
            continue
        wrong = check(name)
        earlier = seen.setdefault(alike(name), seat) if name else seat
        if wrong is None and earlier != seat:
            wrong = Denied(
                f"{earlier} 号已叫“{names[earlier - 1]}”，太像。同场马甲不能同名。",
                f"Seat {earlier} is called {names[earlier - 1]} already; too alike. Names are unique in a game.",
            )
        if wrong is not None:
            found[seat] = wrong
    return found


def suggest(count: int, taken: Collection[str]) -> list[str]:
    """So many names that nobody here has yet."""
    used = {alike(name) for name in taken}
    free = [name for name in SUGGESTED if alike(name) not in used]
    return random.SystemRandom().sample(free, min(count, len(free)))
