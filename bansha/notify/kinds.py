"""The kinds of notices: what each is called where it is chosen, and whom it is for."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Kind(NamedTuple):
    """A kind. `whom`: all (players, directors, and who signed up to look on), own (about one's own seat: its notice says no more
    than that something waits), desk (directors). `first`: ticked for somebody who has chosen nothing yet. `lasts`: hours after
    which it is no news any more (0: it has a limit of its own)."""

    id: str
    name: str | Promise
    hint: str | Promise
    whom: str
    first: bool = False
    lasts: int = 0


KINDS = (
    Kind("opened", _("开局、开门"), _("发完牌、每日开门"), "all", True, 24),
    Kind("closing", _("快关门了"), _("关门前一段时间，见下面"), "all", True),
    Kind("announcement", _("公告"), _("计票、改期、暂停，导演发的帖"), "all", False, 24),
    Kind("ended", _("散场"), _("一局结束"), "all", True, 72),
    Kind("prompt", _("要你当场作答"), _("有时限，答了就定"), "own", True),
    Kind("window", _("轮到你交"), _("你有东西可交的时段开始了，还没有交"), "own", True),
    Kind("den", _("群里有话"), _("你在的共群有新话，你还没看"), "own", False, 24),
    Kind("line", _("私信"), _("导演答了你；给导演的：有人来信、来请求"), "own", True, 48),
    Kind("quoted", _("有人引用"), _("有人引用了你的帖"), "own", False, 24),
    Kind("card", _("记牌"), _("你的马甲收了牌，或牌被撤回"), "own", True, 48),
    Kind("missing", _("有人没交"), _("一段夜间时限前十分钟，还有人没交"), "desk", True),
    Kind("proposed", _("待裁"), _("提请的牌、可疑的话、等审的公告"), "desk", True, 24),
)
"""All kinds, in the order of the page."""

BY_ID = {kind.id: kind for kind in KINDS}
CHANNELS = ("mail", "push")
