"""The dealing of a game among computer players: personas drawn, secret committed to, contributions hashed and opened.

It is the ceremony of docs/dealing.md step by step. Everything comes from the seed, the secret too, so that a game can be
played again; a game among people draws its secret from the system's randomness instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from random import Random

from bansha.referee import dealing
from bansha.referee import events as e
from bansha.referee.board import Board

PERSONAS = (
    "黑伞先生", "守灯塔的老海", "半夏", "卖糖画的阿婆", "三更提灯人", "旧书店老板", "南风过境", "第七片雪花", "打更的小五", "青瓷碗",
    "渡口摆船人", "白露未晞", "不眠的裁缝", "山茶与猫", "迟到的信使", "铜钟", "骑鹤下扬州", "煮雪人", "修伞的柳叔", "夜航灯",
    "春山可望", "糖炒栗子", "北窗听雨", "磨墨的小书童", "空山鸟语", "织网的阿蛛", "老槐树下", "一盏凉茶", "雾里看花", "唱片店的玛姬",
    "月台尽头", "赶集的骆驼", "井底星空", "挑水的和尚", "苔藓诗人", "红泥小火炉", "抄经的女先生", "风筝断线", "隔壁的说书人", "采药的小满",
    "玻璃弹珠", "桥头算卦人", "晚归的邮差", "兰舟", "画皮匠", "早春第一壶", "纸飞机",
)  # fmt: skip
"""Names of personas; as many as a board has seats are drawn for a game."""

WISHES = (
    "风起时落子", "愿今夜无雨", "桂花开了", "给灯添油", "三二一", "茶在左边", "听见海", "梨花落", "石头剪子布", "一只脚的鹤", "半块月饼",
    "山那边是山", "看云去", "偶数好运", "七上八下", "井水不犯", "慢慢走", "小心台阶", "雪落无声", "钥匙在花盆下",
)  # fmt: skip


@dataclass(frozen=True)
class Ceremony:
    """A dealt game: personas in seat order, roles by seat, masks, dice, and the events before and after."""

    game: str
    personas: list[str]
    roles: list[str]
    masks: list[int]
    dice: dealing.Dice
    steps: list[e.Event]
    opening: e.SecretOpened


def draw_personas(seed: int, count: int) -> list[str]:
    """`count` names in seat order; beyond the list they are numbered."""
    names = list(PERSONAS)
    Random(f"bansha/personas/{seed}").shuffle(names)
    names += [f"{number}号客" for number in range(len(names) + 1, count + 1)]
    return names[:count]


def hold(board: Board, seed: int) -> Ceremony:
    """The whole ceremony for a board and a seed: as many players as seats."""
    rules = board.rules
    roles = [id for id, role in rules.roles.items() for _ in range(role.count)]
    personas = draw_personas(seed, len(roles))
    secret = sha256(f"bansha/demo/secret\n{seed}".encode()).digest()
    game = f"{board.id}-demo-{seed}"
    options = {name: board.option[name] for name in rules.options}
    rng = Random(f"bansha/contributions/{seed}")
    texts = [f"{rng.choice(WISHES)} {rng.getrandbits(64):016x}" for _ in roles]
    commitment = dealing.commit(secret, game, board.hash, options, personas, roles)
    steps: list[e.Event] = [e.Committed(commitment, game, board.hash, options, personas, roles)]
    steps += [e.ContributionHashed(p, dealing.contribution_hash(p, text)) for p, text in enumerate(texts, 1)]
    steps += [e.ContributionOpened(p, text) for p, text in enumerate(texts, 1)]
    dice = dealing.Dice(dealing.stream_key(secret, texts))
    dealt = list(dealing.deal(dice, roles))
    masks = list(dealing.masks(dice, len(roles)))
    return Ceremony(game, personas, dealt, masks, dice, steps, e.SecretOpened(secret.hex()))
