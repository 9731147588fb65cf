"""A game in the terminal, in Chinese: the elevator in rows of five, the day as a ruler, talk, votes, the night, the reveal.

It folds the entries of a journal and prints what its viewer may know of each event, as `sight` says; a demonstration and
a replay are shown by the same lines. Lamplight (yellow) marks only the present moment and the viewer's own seat.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date as Date
from datetime import timedelta
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from bansha.players.words import CHATS
from bansha.referee import events as e
from bansha.referee.board import EXILE, Board
from bansha.referee.evolve import evolve
from bansha.referee.game import Entry
from bansha.referee.state import DAY, DUSK, OVER, State
from bansha.rulesets.placeholders import fill
from bansha.rulesets.words import Words
from bansha.sight.explain import WhyOut, explain
from bansha.sight.types import DIRECTOR, Viewer
from bansha.sight.view import view
from bansha.sight.witness import heard

TONES = (
    "#5f87af", "#7f9f5f", "#af5f87", "#4f9f9f", "#8787d7", "#af7f5f", "#5faf87", "#c787af", "#6f9fcf", "#9f9f6f",
    "#cf7f6f", "#9f6fbf",
)  # fmt: skip
LAMP = "bold #d7af00"
FAINT = "bright_black"
SEAL = "#d75f5f"
ROW = 5  # seats in a row, the dead included
WIDEST = 100
RULER = 58  # cells between the two ends of a day
PAUSE = 100  # minutes without a line after which the ruler is shown again
EPOCH = Date(1970, 1, 1)
WEEK = "一二三四五六日"
SMALL_TALK = frozenset(CHATS)
MORNINGS = (
    "雾散得慢，钟敲了九下。", "天亮，桥上有人扫落叶。", "第一笼包子出来的时候，消息也到了。", "云压得低，街上没有人说话。",
    "鸡叫过两遍，灯才吹。", "雨停了，屋檐还在滴。", "河面平，渡船迟了一刻。", "早市照开，只是少了些声音。",
)  # fmt: skip
PETITIONS = {"speed_up": "加速", "extend": "延时", "abort": "流局"}


class Screen:
    """Shows a game to one viewer.

    Args:
        board: the compiled board.
        viewer: the directors, or a player's seat.
        pace: seconds between two beats.
        console: where to print; None: the terminal.
    """

    def __init__(self, board: Board, viewer: Viewer, pace: float = 0.0, console: Console | None = None) -> None:
        self.board = board
        self.viewer = viewer
        self.me = viewer.seat if viewer.kind == "player" else 0
        self.pace = pace
        self.console = console or Console(highlight=False)
        self.width = min(self.console.width, WIDEST)
        self.s = State(board)
        self.at = 0
        self.ruled_at = 0
        self.contributions = 0
        self.last_words: list[int] = []
        self.letters = False  # setup is over, the letters go out with the opening
        self.left: dict[int, str] = {}
        self.morning = False  # a day has opened, the elevator is still to be shown
        self.dark = False  # the close is over, the night has no heading yet: players are not told when dusk ends (C27)
        self.texts: Mapping[int, str] = {}
        self.entries: list[Entry] = []
        self.full = viewer.kind == "director"

    def show(self, entries: Iterable[Entry], texts: Mapping[int, str]) -> None:
        """Show entries in order. `texts`: the words of posts by reference; by minus the seat, last words."""
        self.texts = texts
        for entry in entries:
            self.entries.append(entry)
            self._entry(entry)

    def _entry(self, entry: Entry) -> None:
        at, _, _, _, events = entry
        self.s.now = at
        self.s.entry_fresh, self.s.entry_barred = True, False
        self.at = at
        for event in events:
            if isinstance(event, e.Out):
                self.left[event.seat] = f"第{self.s.day}{'日' if self.s.phase in (DAY, DUSK) else '夜'}"
            elif isinstance(event, e.LastWordsHanded):
                self.last_words.append(event.seat)
            if self.full or self.s.phase == OVER:
                evolve(self.s, event)
                known: e.Event | None = event
            else:
                known = heard(self.s, self.me, event)
            shown = SHOWN.get(known.__class__) if known is not None else None
            if shown is not None:
                if self.dark and known.__class__ in BY_NIGHT:
                    self._night()
                shown(self, known)
        if self.morning:
            self.morning = False
            self._elevator()
            self._limits()
            self._ruler()

    # --- names ----------------------------------------------------------------------------------------------------

    def tone(self, seat: int) -> str:
        """The colour of a seat."""
        return TONES[(seat - 1) % len(TONES)]

    def name(self, seat: int) -> Text:
        """A seat's number and persona in its colour; 0 is 弃权."""
        if not seat:
            return Text("弃权", FAINT)
        return Text(f"{seat} {self.s.personas[seat]}", LAMP if seat == self.me else f"bold {self.tone(seat)}")

    def names(self, seats: Iterable[int]) -> Text:
        """Several seats, or 无人."""
        parts = [self.name(seat) for seat in seats]
        return Text("、").join(parts) if parts else Text("无人", FAINT)

    def window(self, seat: int, lit: bool = True) -> Text:
        """A lattice window with the first character of the persona: filled while in the game, else a hollow frame."""
        letter = self.s.personas[seat][0]
        if not lit:
            return Text(f"[{letter}]", FAINT)
        return Text(f" {letter} ", f"bold white on {self.tone(seat)}")

    def holder(self, holder: int) -> Text:
        """Who holds a skill: a seat, or a pack by its faction."""
        if holder <= self.s.n:
            return self.name(holder)
        faction = self.board.packs[holder - self.s.n - 1]
        return Text(self.board.faction_zh(faction), f"bold {SEAL}")

    def skill(self, index: int) -> str:
        """A skill's name as the rules write it."""
        return f"【{self.board.skill_zh(index)}】"

    def role(self, seat: int) -> str:
        """A seat's role in Chinese."""
        return self.board.rules.roles[self.board.role_ids[self.s.role[seat]]].name.zh

    def faction(self, index: int) -> Text:
        """A faction with its sign."""
        if index < 0:
            return Text("未定", FAINT)
        faction = self.board.rules.factions[self.board.faction_ids[index]]
        style = SEAL if index in self.board.packs else "default"
        return Text(f"{faction.sign} {faction.name.zh}", style)

    def told(self, value: Any) -> Text:
        """A private answer in words."""
        factions = self.board.rules.factions
        if isinstance(value, bool):
            return Text("是" if value else "否")
        if isinstance(value, list):
            return self.names(value)
        if isinstance(value, dict):
            parts = [self.name(int(seat)) + Text("：") + self.told(name) for seat, name in value.items()]
            return Text("；").join(parts)
        if value in factions:
            return Text(factions[value].name.zh)
        if str(value).startswith("!"):
            return Text(f"非{factions[str(value)[1:]].name.zh}")
        return Text("其他阵营")

    # --- printing -------------------------------------------------------------------------------------------------

    def _print(self, *parts: Any) -> None:
        self.console.print(*parts, width=self.width, soft_wrap=False)

    def _beat(self) -> None:
        if self.pace:
            time.sleep(self.pace)

    def _line(self, *parts: str | Text, mark: str = "·", timed: bool = True) -> None:
        """One line of what happened."""
        text = Text("")
        for part in parts:
            text.append_text(part if isinstance(part, Text) else Text(part))
        self._row(Text(f"{clock(self.at) if timed else '':<5} {fit(mark, 2)} ", FAINT), text)

    def _row(self, head: Text, body: Text) -> None:
        """A line with a head; what does not fit goes on below its body, and no line begins with a closing mark."""
        left = head.cell_len
        for number, part in enumerate(fold(body, max(20, self.width - left))):
            self._put((head if not number else Text(" " * left)) + part)
        self._beat()

    def _put(self, text: Text) -> None:
        self.console.print(text, no_wrap=True, overflow="ignore", crop=False, width=self.width + 2)

    def _note(self, text: str) -> None:
        self._row(Text(" " * 9), Text(text, FAINT))

    def _rule(self, title: str, style: str = FAINT) -> None:
        self._print()
        self._print(Rule(Text(title, "bold"), style=style, align="left"))

    def _coloured(self, text: str) -> Text:
        """Words with the personas in their colours."""
        result = Text(text)
        for seat in range(1, self.s.n + 1):
            result.highlight_words([self.s.personas[seat]], style=self.tone(seat))
        return result

    def _elevator(self) -> None:
        """The seats in rows of five, in seat order, the dead included."""
        s = self.s
        cell = max(14, min(20, (self.width - 2) // ROW))
        grid = Table.grid(padding=(0, 0), expand=False)
        for _ in range(ROW):
            grid.add_column(width=cell)
        seats = list(range(1, s.n + 1))
        for start in range(0, s.n, ROW):
            grid.add_row(*[self._seat(seat) for seat in seats[start : start + ROW]])
        self._print(Padding(grid, (1, 0, 1, 2), expand=False))

    def _seat(self, seat: int) -> Text:
        s = self.s
        alive = bool((s.alive if self.full else s.public_alive) >> seat & 1)
        text = Text(f"{seat:>2} ")
        text.append_text(self.window(seat, alive))
        if s.public_sheriff == seat:
            text.append(" ★", "bold")
        if seat == self.me:
            text.append(" 你", LAMP)
        name = Text(f"\n   {s.personas[seat]}", self.tone(seat) if alive else FAINT)
        text.append_text(name)
        known = self.role(seat) if self.full or seat == self.me or s.phase == OVER else ""
        state = "" if alive else "出局"
        text.append(f"\n   {' '.join(filter(None, (known, state)))}", FAINT)
        return text

    def _ruler(self) -> None:
        """The day as a line with its named limits, a lamp at the present."""
        s = self.s
        if s.phase != DAY:
            return
        self.ruled_at = self.at
        start, end = s.opened_at, s.closes_at
        freeze = end - self.board.rules.ballots.freeze_minutes

        def place(minute: int) -> int:
            return max(0, min(RULER - 1, (minute - start) * (RULER - 1) // max(1, end - start)))

        bar = ["─"] * RULER
        for midnight in range(start - start % 1440 + 1440, end, 1440):
            bar[place(midnight)] = "┼"
        bar[place(freeze)] = "┬"
        here = place(self.at)
        text = Text(f"   {clock(start)} ├{''.join(bar[:here])}", FAINT)
        text.append("◆", LAMP)
        text.append(f"{''.join(bar[here + 1:])}┤ {clock(end)}", FAINT)
        self._put(text)

    def _limits(self) -> None:
        s = self.s
        names = [("竞选" if ballot else "放逐") for ballot in s.ballots]
        freeze = s.closes_at - self.board.rules.ballots.freeze_minutes
        said = f"今日{'、'.join(names)}投票；{date(freeze)} {clock(freeze)} 起不能改票，{date(s.closes_at)} {clock(s.closes_at)} 关门"
        self._note(said)

    # --- the ceremony ---------------------------------------------------------------------------------------------

    def _committed(self, v: e.Committed) -> None:
        rules = self.board.rules
        about = Text(f"{len(v.personas)} 人　", "bold")
        for id, role in rules.roles.items():
            count = v.roles.count(id)
            if count:
                about.append(f"{role.name.zh}{f'×{count}' if count > 1 else ''}　")
        self._print()
        self._print(Panel(about, title=Text(f"版杀 · {rules.name.zh}", "bold"), subtitle=Text(v.game, FAINT), border_style=FAINT))
        self._rule("发牌")
        self._line("导演封存密钥，先公布承诺 ", Text(v.commitment[:16] + "…", FAINT), mark="◇", timed=False)

    def _hashed(self, v: e.ContributionHashed) -> None:
        self.contributions += 1

    def _opened(self, v: e.ContributionOpened) -> None:
        if v.player == 1:
            self._line(f"{self.contributions} 位演员各交一句签词的指纹，到齐之后逐一拆开：", mark="◇", timed=False)
        self._note(f"{v.player:>2}. {v.text.rpartition(' ')[0] or v.text}")

    def _game_opened(self, v: e.GameOpened) -> None:
        if not self.contributions:
            self._print()
            self._print(Panel(Text(self.board.rules.name.zh, "bold"), title="版杀", border_style=FAINT))

    def _dealt(self, v: e.Dealt) -> None:
        if self.contributions:
            self._line("密钥与签词合成一条掷签流，照此发牌。", mark="◇", timed=False)
        self._rule("开局准备")
        self._elevator()

    def _setup(self) -> None:
        """A letter: for the seat that looks, before play starts."""
        if not self.me:
            return
        me = view(self.s, self.viewer).me
        assert me is not None
        rules = self.board.rules
        text = Text(f"{self.s.personas[self.me]}，你的身份是{rules.roles[me.role].name.zh}")
        if me.faction:
            text.append(f"，属{rules.factions[me.faction].name.zh}")
        text.append("。")
        if me.knows:
            text.append("\n你知道的同伴：").append_text(self.names(me.knows))
        if me.den:
            text.append("\n与你共群：").append_text(self.names(me.den))
        words = Words(rules, "zh", {name: self.board.option[name] for name in rules.options})
        for skill in me.skills:
            text.append(f"\n【{skill.name}】", "bold").append(fill(rules.skills[skill.id].text, words), FAINT)
        self._print(Padding(Panel(text, title=Text("来信　仅你可见", LAMP), border_style=FAINT, width=min(self.width, 80)), (1, 0, 1, 2)))

    def _setup_ended(self, v: e.SetupEnded) -> None:
        self.letters = not v.night  # by day they go out with the opening, which follows at once
        if v.night:
            self._setup()
            self._night()

    # --- day ------------------------------------------------------------------------------------------------------

    def _day_opened(self, v: e.DayOpened) -> None:
        if self.letters:
            self.letters = False
            self._setup()
        self.dark = False
        self._rule(f"第 {v.day} 日　{date(self.at)}", "default")
        self.morning = True

    def _report(self, outs: list[int]) -> None:
        """The morning report, last words, and the ruler of the day."""
        s = self.s
        story = MORNINGS[(s.day * 5 + len(s.personas[1])) % len(MORNINGS)]
        text = Text(f"晨报　{story}", "italic")
        text.append("自上次开门以来出局：" if outs else ("" if s.day == 1 and not self.board.starts_at_night else "没有人出局。"))
        if outs:
            text.append_text(self.names(outs)).append("。")
        self._row(Text("  "), text)
        for seat in self.last_words:
            words = self.texts.get(-seat)
            if words:
                self._row(Text("  遗言　", FAINT), self.name(seat) + Text("：") + self._coloured(words))
        self.last_words = []

    def _announced(self, v: e.Announced) -> None:
        if v.kind == "出局":
            self._report(v.value)
        elif v.kind == "放逐":
            self._line("放逐　", self.name(v.value) if v.value != "none" else Text("无人出局"), mark="■")
        elif v.kind == "警长":
            self._line("警长　", self.name(v.value) if v.value != "none" else Text("从此没有警长"), mark="★")
        elif isinstance(v.value, int) and not isinstance(v.value, bool):
            self._line(f"公布【{v.kind}】　", self.name(v.value), mark="■")
        elif v.kind in PETITIONS.values():
            self._line(f"{v.kind}申请成立", mark="■")
        else:
            self._line(f"公布【{v.kind}】", mark="■")

    def _pause(self) -> None:
        if self.s.phase == DAY and self.at - self.ruled_at >= PAUSE:
            self._ruler()

    def _posted(self, v: e.PostMade) -> None:
        text = self.texts.get(v.ref)
        if text is None or v.thread != "discussion" or text in SMALL_TALK:
            return
        self._pause()
        self._said(v.seat, self._coloured(text))

    def _said(self, seat: int, words: Text) -> None:
        name = self.name(seat)
        name.truncate(17, overflow="ellipsis")
        self._row(Text(f"{clock(self.at)} ", FAINT) + name + Text(" " * (18 - name.cell_len)), words)

    def _voted(self, v: e.VoteCast | e.VoteChanged) -> None:
        self._pause()
        text = self.texts.get(v.ref, "")
        reason = text.partition("理由：")[2].strip()
        change = isinstance(v, e.VoteChanged)
        words = Text("改投 " if change else "投 ", FAINT)
        if v.ballot:
            words.append("警长 ", FAINT)
        words.append_text(self.name(v.target))
        if reason:
            words.append("　").append_text(self._coloured(reason))
        self._said(v.seat, words)

    def _vote_refused(self, v: e.VoteRefused) -> None:
        self._line(self.name(v.seat), "　这一帖不算票：", v.code, mark="×")

    def _vote_voided(self, v: e.VoteVoided) -> None:
        self._line(self.name(v.seat), "　票作废", mark="×")

    def _closed(self, v: e.DayClosed) -> None:
        self._rule(f"关门　{date(self.at)} {clock(self.at)}")
        self.dark = not self.full

    def _counted(self, v: e.Counted) -> None:
        """The tally: bars made of the windows of who voted, in order."""
        s = self.s
        votes, order = s.vote[v.ballot], s.vote_seq[v.ballot]
        self._put(Text(f"   {'放逐' if v.ballot == EXILE else '警长竞选'}计票", "bold"))
        for seat, halves in sorted(v.tally, key=lambda item: (-item[1], item[0])):
            voters = sorted((x for x in range(1, s.n + 1) if votes[x] == seat), key=lambda x: order[x])
            more = halves - 2 * len(voters)
            bar = Text(" ").join(self.window(x) for x in voters) + Text(f" ＋{more / 2:g}" if more else "", FAINT)
            self._bar("▶" if seat in v.top else "", self.name(seat), f"{halves / 2:g} 票", bar)
        away = [x for x in range(1, s.n + 1) if votes[x] == 0]
        if away:
            self._bar("", self.name(0), f"{len(away)} 人", Text(" ").join(self.window(x, False) for x in away))
        self._print()

    def _bar(self, mark: str, name: Text, count: str, bar: Text) -> None:
        name.truncate(17, overflow="ellipsis")
        head = Text(f" {fit(mark, 1)} ", "bold") + name + Text(" " * (18 - name.cell_len))
        self._row(head + Text(f"{fit(count, 7)} ", "bold" if mark else "default"), bar)

    def _tie(self, v: e.TieBroken) -> None:
        how = {"sheriff": "看警长的票", "random": "抽签", "nobody": "无从裁断"}.get(v.why, v.why)
        self._line("平票：", self.names(v.tied), f"　{how}，", self.name(v.to) if v.to else Text("无人出局"), mark="=")

    def _signed(self, v: e.Signed) -> None:
        self._pause()
        self._said(v.seat, Text(f"签名申请{PETITIONS[v.kind]}", FAINT))

    def _moved(self, v: e.DayMoved) -> None:
        self._line(f"关门改到 {date(v.closes_at)} {clock(v.closes_at)}" + ("，加速日不能改票" if v.sped_up else ""), mark="■")

    def _exile_moved(self, v: e.ExileMoved) -> None:
        self._line("【隐患】换了放逐：", self.name(v.seat), " → ", self.name(v.to), mark="↔")

    # --- dusk, night, dawn ----------------------------------------------------------------------------------------

    def _dusk_over(self, v: e.TwilightEnded) -> None:
        if not v.dawn:
            self._night()

    def _night(self) -> None:
        s = self.s
        self.dark = False
        self._rule(f"第 {s.day} 夜　{date(s.night_from)} {clock(s.night_from)}—{clock(s.night_from + self.board.full_limit)}", "blue")
        if not self.full:
            self._note("灯一盏盏熄了。")

    def _submitted(self, v: e.Submitted) -> None:
        who = self.holder(v.holder)
        if v.holder > self.s.n:
            who = who + Text("·") + self.name(v.by)
        if v.targets is None:
            self._line(who, f"　{self.skill(v.skill)}　", Text("放弃", FAINT))
        elif v.targets:
            self._line(who, f"　{self.skill(v.skill)} → ", self.names(v.targets))
        else:
            self._line(who, f"　{self.skill(v.skill)}")

    def _withdrawn(self, v: e.Withdrawn) -> None:
        self._line(self.holder(v.holder), f"　收回{self.skill(v.skill)}", mark="×")

    def _lapsed(self, v: e.Lapsed) -> None:
        self._line(self.holder(v.holder), f"　{self.skill(v.skill)}作废（{v.code}）", mark="×")

    def _stopped(self, v: e.Stopped) -> None:
        self._line(self.holder(v.holder), f"　冻住了，{self.skill(v.skill)}没有用出，也没有用掉", mark="×")

    def _drawn(self, v: e.Drawn) -> None:
        skill = self.board.skill_index.get(v.label)
        what = self.skill(skill) if skill is not None else {"tie": "平票", "badge": "警徽", "handover": "警徽"}.get(v.label, v.label)
        self._line(f"掷签　{what}，{len(v.options)} 中取 {len(v.chosen)}：", self.names(v.chosen), mark="◇")

    def _told_to(self, v: e.Told) -> None:
        verb = self.board.skills[v.skill].verb
        who = Text("你", LAMP) if v.seat == self.me else self.name(v.seat)
        text = Text("得知") + Text(self.skill(v.skill))
        if verb == "read":
            targets = self.s.hands[v.seat].get(v.skill)
            if targets is not None and targets.last:
                text = text + Text(" ") + self.names(self.s.seats(targets.last))
        if not isinstance(v.value, bool):
            text = text + Text("：") + self.told(v.value)
        elif verb in ("charm", "attack"):
            text = text + Text("：" + ("成了" if v.value else "没有成"))
        self._line(who, "　", text, mark="◁")

    def _joined(self, v: e.Joined) -> None:
        self._line(self.name(v.seat), f"　{self.skill(v.skill)} ", self.name(v.host), "，入 ", self.faction(v.faction), mark="◁")

    def _heretics(self, v: e.HereticsChosen) -> None:
        self._line(self.name(v.seat), "　圈定异端 ", self.names(v.targets), mark="◁")

    def _acquainted(self, v: e.Acquainted) -> None:
        if self.full and v.seat < min(v.others):
            self._line("互知　", self.faction(v.faction), "　", self.names([v.seat, *v.others]), mark="◁")

    def _den(self, v: e.DenJoined) -> None:
        self._line(self.name(v.seat), f"　因{self.skill(v.skill)}进群", mark="◁")

    def _stage(self, v: e.StageClosed) -> None:
        names = "".join(self.skill(index) for index in self.board.stages[v.stage])
        self._put(Text(f"         ┈ {clock(self.at)} {names}一段截止 ┈", FAINT))

    def _voided(self, v: e.Voided) -> None:
        self._line(f"{self.skill(v.skill)}落空：", self.name(v.target), f" 有{self.skill(v.by)}", mark="○")

    def _absorbed(self, v: e.Absorbed) -> None:
        self._line(f"{self.skill(v.skill)}指 ", self.name(v.target), f"，被{self.skill(v.by)}吸收", mark="○")

    def _strike_moved(self, v: e.StrikeMoved) -> None:
        self._line(f"{self.skill(v.skill)}从 ", self.name(v.holder), " 转到 ", self.name(v.target), mark="↔")

    def _gained(self, v: e.SkillGained) -> None:
        self._line(self.name(v.seat), f"　得到{self.skill(v.skill)}", mark="＋")

    def _lost(self, v: e.SkillLost) -> None:
        self._line(self.holder(v.holder), f"　失去{self.skill(v.skill)}", mark="－")

    def _faction_lost(self, v: e.FactionLost) -> None:
        self._line(self.faction(v.faction), "　判负（不公布）", mark="－")

    def _out(self, v: e.Out) -> None:
        if v.cause == "exile":
            return
        self._line(self.name(v.seat), "　", Text("出局", SEAL), f"（{self.cause(v.seat)}）", mark="●")

    def _told_out(self, v: e.ToldOut) -> None:
        for seat in v.seats:
            if seat == self.me:
                self._line(Text("你", LAMP), "　今夜出局。群里与树洞里还能说话。", mark="●")

    def _prompt(self, v: e.PromptOpened) -> None:
        self._line("等 ", self.name(v.seat), f" 回应{self.skill(v.skill)}，{clock(v.until)} 止", mark="？")

    def _answered(self, v: e.PromptAnswered) -> None:
        said = Text("没有回应") if v.silent else Text("放弃") if v.target < 0 else Text("用") if not v.target else self.name(v.target)
        self._line(self.name(v.seat), f"　{self.skill(v.skill)}：", said, mark="！")

    def _sheriff(self, v: e.SheriffChanged) -> None:
        if v.why in ("handover", "torn", "red_card") and v.seat:
            self._line("警徽交给 ", self.name(v.seat), mark="★")

    def _card(self, v: e.CardDealt) -> None:
        colour = {"blue": "蓝牌", "yellow": "黄牌", "red": "红牌"}[v.colour]
        self._line(self.name(v.seat), f"　{colour}，判例 {v.clause}", mark="▮")

    def _proposed(self, v: e.CardProposed) -> None:
        self._line(self.name(v.seat), f"　提请判罚：{v.clause}", mark="▯")

    def _director(self, v: e.DirectorActed) -> None:
        self._line(f"导演：{v.act}（{v.reason}）", mark="▮")

    # --- the end --------------------------------------------------------------------------------------------------

    def cause(self, seat: int) -> str:
        """Why a seat is out, in a word."""
        cause = self.s.cause.get(seat, "")
        fixed = {"exile": "放逐", "red_card": "红牌", "director": "导演", "": ""}
        return fixed.get(cause) or (self.board.skill_zh(self.board.skill_index[cause]) if cause in self.board.skill_index else cause)

    def _ended(self, v: e.GameEnded) -> None:
        won = self.faction(v.faction) + Text(" 获胜") if v.faction >= 0 else Text("无人获胜" if not self.s.aborted else "流局")
        won.stylize("bold")
        self._print()
        self._print(Panel(won, title="终局", subtitle=Text(f"{date(self.at)} {clock(self.at)}", FAINT), border_style="default"))
        self._reveal()

    def _reveal(self) -> None:
        """The reveal: who was who, and why each is out."""
        s = self.s
        table = Table(title="揭秘", box=SIMPLE_HEAD, title_style="bold", title_justify="left", header_style=FAINT)
        for head in ("", "马甲", "身份", "阵营", "去向"):
            table.add_column(head, no_wrap=True)
        for seat in range(1, s.n + 1):
            alive = bool(s.alive >> seat & 1)
            fate = "在场" if alive else f"{self.left.get(seat, '')} {self.cause(seat)}"
            table.add_row(self.window(seat, alive), self.name(seat), self.role(seat), self.faction(s.faction[seat]), fate)
        self._print(table)
        for seat, why in self._reasons().items():
            name = self.name(seat)
            self._row(Text("  ") + name + Text(" " * max(1, 18 - name.cell_len)), Text(why))

    def _reasons(self) -> dict[int, str]:
        """A short explanation for everybody out: the first and the last step of its trace, without the clauses."""
        result = {}
        for seat in self.s.out_order:
            lines = explain(self.entries, self.board, DIRECTOR, WhyOut(seat))
            result[seat] = "".join(line.text.zh for line in (lines if len(lines) < 2 else (lines[0], lines[-1])))
        return result

    def _secret(self, v: e.SecretOpened) -> None:
        self._line("密钥已开，人人可以重算：", Text(v.secret[:16] + "…", FAINT), mark="◇")


CLOSING = frozenset("。，、；：！？）」』”’…】》")


def fold(text: Text, width: int) -> list[Text]:
    """The text in lines of at most `width` cells; a closing mark takes the character before it along."""
    plain = text.plain
    if "\n" not in plain and cell_len(plain) <= width:
        return [text]
    cuts: list[int] = []
    used = start = 0
    for place, character in enumerate(plain):
        size = cell_len(character)
        if used + size > width:
            cut = place
            while cut > start + 1 and not may_part(plain[cut - 1], plain[cut]):
                cut -= 1
            cuts.append(cut)
            start = cut
            used = cell_len(plain[cut:place])
        used += size
    return list(text.divide(cuts))


def may_part(before: str, after: str) -> bool:
    """Whether a line may end between these two characters."""
    if " " in (before, after):  # a seat's number and its persona stay together
        return False
    return after not in CLOSING and not (after.isascii() and before.isascii() and before.isalnum() and after.isalnum())


def fit(text: str, width: int) -> str:
    """The text followed by blanks up to `width` cells."""
    return text + " " * max(0, width - cell_len(text))


def clock(minute: int) -> str:
    """HH:MM of a game minute."""
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"


def date(minute: int) -> str:
    """Month, day and weekday of a game minute."""
    day = EPOCH + timedelta(days=minute // 1440)
    return f"{day.month}月{day.day}日 周{WEEK[day.weekday()]}"


SHOWN: dict[type[e.Event], Callable[[Screen, Any], None]] = {
    e.Committed: Screen._committed,
    e.ContributionHashed: Screen._hashed,
    e.ContributionOpened: Screen._opened,
    e.SecretOpened: Screen._secret,
    e.GameOpened: Screen._game_opened,
    e.Dealt: Screen._dealt,
    e.Drawn: Screen._drawn,
    e.Joined: Screen._joined,
    e.HereticsChosen: Screen._heretics,
    e.Acquainted: Screen._acquainted,
    e.SetupEnded: Screen._setup_ended,
    e.DayOpened: Screen._day_opened,
    e.DayClosed: Screen._closed,
    e.DayMoved: Screen._moved,
    e.Announced: Screen._announced,
    e.PostMade: Screen._posted,
    e.VoteCast: Screen._voted,
    e.VoteChanged: Screen._voted,
    e.VoteRefused: Screen._vote_refused,
    e.VoteVoided: Screen._vote_voided,
    e.Counted: Screen._counted,
    e.TieBroken: Screen._tie,
    e.ExileMoved: Screen._exile_moved,
    e.SheriffChanged: Screen._sheriff,
    e.Signed: Screen._signed,
    e.Submitted: Screen._submitted,
    e.Withdrawn: Screen._withdrawn,
    e.Lapsed: Screen._lapsed,
    e.Stopped: Screen._stopped,
    e.Told: Screen._told_to,
    e.DenJoined: Screen._den,
    e.StageClosed: Screen._stage,
    e.Voided: Screen._voided,
    e.Absorbed: Screen._absorbed,
    e.StrikeMoved: Screen._strike_moved,
    e.SkillGained: Screen._gained,
    e.SkillLost: Screen._lost,
    e.FactionLost: Screen._faction_lost,
    e.Out: Screen._out,
    e.ToldOut: Screen._told_out,
    e.PromptOpened: Screen._prompt,
    e.PromptAnswered: Screen._answered,
    e.TwilightEnded: Screen._dusk_over,
    e.CardDealt: Screen._card,
    e.CardProposed: Screen._proposed,
    e.DirectorActed: Screen._director,
    e.GameEnded: Screen._ended,
}
"""What is shown of an event; other kinds are bookkeeping."""

BY_NIGHT = frozenset({e.Submitted, e.Withdrawn, e.Lapsed, e.Stopped, e.Told, e.DenJoined, e.ToldOut, e.PromptOpened})
"""What a player sees of a night: its first line is preceded by the night's heading."""
