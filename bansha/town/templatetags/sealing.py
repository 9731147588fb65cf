"""A hash one can read aloud: eight characters, a wall of windows, and the whole in groups of four (design/README)."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

CHARACTERS = (
    "渡潮鹤灯铃枫鼓石印芦桂港帘茶页舟桥塔雾雨雪霜露风云月星日山水火木金土田井泉溪江河湖海岛岸沙岩松柏竹梅兰菊荷柳桃李杏梨枣桑麻豆麦稻"
    "谷米粥饼糖盐油酱醋酒瓜果菜葱姜蒜椒蜜奶蛋鱼虾蟹龟蛇蛙鸟雀燕鹰鸽鸡鸭鹅马牛羊猪狗猫鼠兔虎豹狼熊象猴鹿狐蝶蜂蚁蝉萤蚕犬门窗墙瓦砖檐梁"
    "柱阶院巷街市店铺楼阁亭台庙寺宫城村镇乡野林园苗草花叶根枝针线布衣裙帽鞋伞扇镜梳刀剑弓箭斧锄犁锅碗盘杯壶瓶罐箱柜桌椅床席枕被毯炉灶"
    "炭烟灰香烛笔墨纸砚琴棋书画笛箫锣钟弦歌舞戏曲诗词句字信旗帆桨锚网钩绳轮车轿鞍笼篮筐袋秤尺斗升钱春夏秋冬晨暮夜昼红橙黄绿青蓝紫白黑"
)
"""One character a byte. It never changes: somebody may have written a verse down."""


def verse_of(digest: str) -> str:
    """The eight characters of a hash, from its first eight bytes: 渡印芦桂 港帘茶页."""
    characters = [CHARACTERS[byte] for byte in bytes.fromhex(digest[:16])]
    return "".join(characters[:4]) + " " + "".join(characters[4:])


@register.simple_tag
def grouped(digest: str, most: int = 64) -> str:
    """A hash in groups of four, shortened to `most` digits."""
    return " ".join(digest[at : at + 4] for at in range(0, min(most, len(digest)), 4))


@register.simple_tag
def sealed(digest: str) -> SafeString:
    """A hash as its imprint (the first four bytes as 32 panes) and its verse."""
    bits = int(digest[:8], 16)
    panes = format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="5" height="6"/>',
        (("on" if bits >> (31 - n) & 1 else "off", 1 + 7 * (n % 8), f"{0.8 + 7.4 * (n // 8):.1f}") for n in range(32)),
    )
    return format_html(
        '<svg class="imprint" viewBox="0 0 58 30" aria-hidden="true">{}</svg><span class="verse">{}</span>', panes, verse_of(digest)
    )


@register.simple_tag
def when(moment: datetime | None, zone: str) -> str:
    """A moment in the reader's zone as 12 月 1 日 21:00, with the game's clock beside it where that shows another time."""
    if moment is None:
        return ""
    mine, theirs = timezone.localtime(moment), moment.astimezone(ZoneInfo(zone))
    words = _("%(month)s 月 %(day)s 日 %(clock)s") % {"month": mine.month, "day": mine.day, "clock": mine.strftime("%H:%M")}
    if mine.replace(tzinfo=None) == theirs.replace(tzinfo=None):
        return words
    return _("%(mine)s（本局时间 %(theirs)s）") % {"mine": words, "theirs": theirs.strftime("%m-%d %H:%M")}
