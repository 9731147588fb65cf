"""What a letter says: role and faction, what was told, every skill of the hand with its targets and reasons, the history.

Everything comes from the viewer's own view and the news it may hear, said in the words of the ruleset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from bansha.journal import doors
from bansha.referee.commands import Targets
from bansha.rulesets.model import Skill
from bansha.rulesets.phrases import COLOURS, NOTES
from bansha.rulesets.placeholders import fill
from bansha.rulesets.words import Words
from bansha.sight.types import MeView, SkillView, Told
from bansha.town.acts import Denied
from bansha.town.progress import count
from bansha.town.table import Table
from bansha.town.words import clock

SETUP = -1
"""The night that a choice of setup is filed under."""
ICONS = {
    "mark": "shield", "order": "shield", "ward": "shield", "steadfast": "shield", "torch": "lamp", "read": "eye", "read_some": "eye",
    "vision": "ear", "fog": "fog", "freeze": "frost", "holy_light": "ray", "counter": "counter", "last_shot": "shot", "handover": "star",
    "charm": "ear", "join": "hand", "heretics": "hand", "curse": "void", "swap": "counter", "play_dumb": "void",
}  # fmt: skip
OWN_ICONS = {"feint": "feint", "antidote": "vial", "poison": "vial", "shoot": "shot", "cult_shoot": "shot"}


_said: dict[tuple[str, str, tuple[tuple[str, str], ...]], Words] = {}


def words_of(table: Table) -> Words:
    """The game's ruleset in the language of the page, with the options in force."""
    lang = "en" if (get_language() or "").startswith("en") else "zh"
    key = table.loaded.hash, lang, tuple(sorted(table.public.options.items()))
    found = _said.get(key)
    if found is None:
        if len(_said) > 60:
            _said.clear()
        found = _said[key] = Words(table.loaded.ruleset, lang, table.public.options)
    return found


# --- what happened, as this viewer heard it ---------------------------------------------------------------------------


class Choice(NamedTuple):
    """Something handed in: minute, the night it was for (`SETUP`), skill, targets (None: a pass), by which seat, the den whose
    pack holds the skill (-1: a seat's own), and for a prompt what became of it (asked, silent; else "")."""

    at: int
    night: int
    skill: str
    targets: list[int] | None
    by: int
    den: int
    prompt: str = ""


class Span(NamedTuple):
    """A stretch of the game that begins at minute `at`: setup, day or night, and its number."""

    at: int
    kind: str
    day: int


class Heard:
    """The choices and the calendar of a game, read from the news this viewer may hear."""

    def __init__(self, table: Table) -> None:
        assert table.game.journal is not None
        self.choices: list[Choice] = []
        self.spans: list[Span] = [Span(-(1 << 60), "setup", 0)]
        self.ended = 0
        night = SETUP
        for news in doors.heard(table.game.journal, table.viewer):
            value = news.value
            match news.kind:
                case "setup_ended":
                    night = 0
                    if value["night"]:
                        self.spans.append(Span(news.at, "night", 0))
                case "day":
                    night = value["day"]
                    self.spans.append(Span(news.at, "day", night))
                case "closed":
                    self.spans.append(Span(news.at, "night", night))
                case "ended":
                    self.ended = news.at
                case "submitted":
                    self.choices.append(Choice(news.at, night, value["skill"], value["targets"], value["by"], value["den"]))
                case "answered":
                    target = value["target"]
                    targets = None if target < 0 else [target] if target else []
                    how = "silent" if value["silent"] else "asked"
                    self.choices.append(Choice(news.at, night, value["skill"], targets, value["seat"], -1, how))

    def span(self, minute: int) -> Span:
        """The stretch a minute lies in."""
        return next(span for span in reversed(self.spans) if span.at <= minute)

    def of_night(self, skill: str, night: int, den: bool) -> list[Choice]:
        """What was handed in of a skill for a night, in order."""
        return [c for c in self.choices if c.skill == skill and c.night == night and (c.den >= 0) == den and not c.prompt]


def span_name(span: Span) -> str:
    """开局, 第三日, 第三夜."""
    if span.kind == "setup":
        return _("开局")
    return (_("第%(n)s日") if span.kind == "day" else _("第%(n)s夜")) % {"n": count(span.day)}


def night_name(night: int) -> str:
    """开局 or 夜三."""
    return _("开局") if night == SETUP else _("夜%(n)s") % {"n": count(night)}


# --- skills -----------------------------------------------------------------------------------------------------------


@dataclass
class Cell:
    """A seat in a choice: `why` it cannot be chosen ("": it can), `note`: what I know of it, `out`: drawn hollow."""

    seat: int
    name: str
    why: str = ""
    note: str = ""
    on: bool = False
    out: bool = False
    me: bool = False


@dataclass
class Slip:
    """A skill as a slip of paper.

    `css`: due, done, used, shut or ""; `standing`: why it is not open; `form`: it can be handed in; `kept`: what stands, ""
    for nothing (`passed`: a pass); `passing`: a pass was ticked and not taken; `old`: what was replaced tonight; `refused`:
    why the last submission was not taken.
    """

    view: SkillView
    name: str
    icon: str
    rule: str
    clause: str
    css: str
    tags: list[str]
    tag: str = ""
    standing: str = ""
    until: str = ""
    left: int = -1
    form: bool = False
    legend: str = ""
    many: bool = False
    double: bool = False
    twice: bool = False
    cells: list[Cell] = field(default_factory=list)
    submit: str = ""
    giving_up: str = ""
    passed: bool = False
    passing: bool = False
    kept: str = ""
    kept_by: str = ""
    kept_seat: int = 0
    kept_at: int = -1
    old: list[Choice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: str = ""
    lit: bool = False

    @property
    def targeted(self) -> bool:
        """Whether seats are named."""
        return self.view.most > 0

    @property
    def folded(self) -> bool:
        """Answered: the choice is folded away until it is to be changed."""
        return self.form and self.css == "done" and self.targeted and not self.refused

    @property
    def submits(self) -> bool:
        """Whether there is something to hand in beyond what stands."""
        return self.targeted or self.css != "done" or self.passed


class Letter:
    """The letter of a seat, for its player or its assistant."""

    def __init__(self, table: Table, given: Mapping[int, Sequence[str]] | None = None) -> None:
        assert table.me is not None
        self.table = table
        self.me: MeView = table.me
        self.words = words_of(table)
        self.rules = table.loaded.ruleset
        self.heard = Heard(table)
        self.given = given or {}
        self.night = SETUP if table.public.phase == "setup" else table.public.day
        self.seat = self.me.seat
        self.writes = table.seat > 0 and table.public.phase != "over"

    # --- who I am -----------------------------------------------------------------------------------------------------

    @property
    def role(self) -> str:
        """My role's name."""
        return self.words.role(self.me.role)

    @property
    def faction(self) -> str:
        """My faction's name, "" where I have not been told."""
        return self.words.faction(self.me.faction) if self.me.faction else ""

    @property
    def faction_class(self) -> str:
        """wolf, folk or third: the sign of my faction."""
        faction = self.rules.factions.get(self.me.faction)
        return {"▲": "wolf", "●": "folk"}.get(faction.sign if faction else "", "third")

    @property
    def belongs(self) -> str:
        """What stands where my faction is not known to me."""
        if any(skill.verb == "join" and skill.state == "open" for skill in self.me.skills):
            return _("你的归属随你选的人而定。")
        return _("你的归属没有告知你；与所属的阵营同胜负。")

    @property
    def goals(self) -> list[str]:
        """How my faction wins and loses, in the rules' words."""
        ends = self.rules.victory.factions.get(self.me.faction)
        if ends is None:
            return []
        said = []
        name = self.faction
        for conditions, pair in ((ends.wins, _("%(how)s，%(faction)s便赢。")), (ends.lost, _("%(how)s，%(faction)s便输。"))):
            if conditions:
                either = self.words.pick(("；或", "; or ")).join(self.words.condition(self.me.faction, c) for c in conditions)
                said.append(pair % {"how": self.words.begin(either), "faction": name})
        if not ends.wins:
            said.insert(0, _("其余阵营都判负了，%(faction)s便赢。") % {"faction": name})
        return said

    @property
    def fellows(self) -> list[str]:
        """Whom I know and share a room with, as sentences."""
        me, name = self.me, self.table.name
        said = []
        if me.den:
            here = [name(seat) for seat in me.den if seat in self.table.public.alive]
            gone = [name(seat) for seat in me.den if seat not in self.table.public.alive]
            if here:
                said.append(_("%(who)s与你同群。") % {"who": self.words.join(here)})
            if gone:
                said.append(_("%(who)s也在群里，已先走一步。") % {"who": self.words.join(gone)})
        known: dict[str, list[str]] = {}
        for seat, faction in me.knows.items():
            if seat not in me.den:
                known.setdefault(faction, []).append(name(seat))
        for faction, names in known.items():
            said.append(_("你知道%(who)s是%(faction)s的人。") % {"who": self.words.join(names), "faction": self.words.faction(faction)})
        if me.host:
            said.append(_("你选的人是%(who)s。") % {"who": name(me.host)})
        if me.heretics:
            said.append(_("你圈定的异端：%(who)s。") % {"who": self.words.join(map(name, me.heretics), "")})
        if me.sheriff:
            said.append(_("你是警长。"))
        return said

    @property
    def others_out(self) -> list[str]:
        """For a handover at dawn: who is out tonight beyond what the public knows (M13)."""
        return [f"{seat} {self.table.name(seat)}" for seat in self.me.prompt_outs if seat != self.seat]

    # --- skills -------------------------------------------------------------------------------------------------------

    def slips(self) -> list[Slip]:
        """Every skill of the hand: what waits for an answer first, then what stands, what may come, what is shut."""
        made = [self._slip(skill) for skill in self.me.skills]
        order = {"due": 0, "done": 1, "": 2, "used": 3, "shut": 4}
        made.sort(key=lambda slip: (slip.view.state != "prompt", not slip.view.joint, order[slip.css]))
        first = next((slip for slip in made if slip.form and slip.css == "due"), None)
        if first is not None:
            first.lit = True
        return made

    def _slip(self, view: SkillView) -> Slip:
        skill = self.rules.skills[view.id]
        due = view.state == "prompt" or (view.state == "open" and not view.has_kept and not self._other(skill))
        takes = view.state in ("open", "early", "prompt") or view.joint
        css = {"spent": "used", "shut": "shut", "frozen": "shut"}.get(view.state, "")
        css = "due" if due else "done" if view.has_kept and takes else "" if view.joint else css
        slip = Slip(
            view=view,
            name=self.words.skill(view.id),
            icon=OWN_ICONS.get(view.id, ICONS.get(view.verb, "blade")),
            rule=fill(skill.text, self.words, quiet=True),
            clause=f"{table_id(self.table)} · skill.{view.id}",
            css=css,
            tags=self._tags(skill, view),
            form=takes and self.writes,
        )
        self._standing(slip, takes)
        self._kept(slip, skill)
        if takes:
            self._choosing(slip, skill)
        return slip

    def _other(self, skill: Skill) -> SkillView | None:
        """A skill kept for tonight that excludes this one."""
        return next((v for v in self.me.skills if v.id in skill.excludes and v.kept is not None), None)

    def _tags(self, skill: Skill, view: SkillView) -> list[str]:
        words = self.words
        tags = [_("共群")] if view.pack else []
        for flag in ("limited", "forced", "immediate", "not_consecutive", "once_per_target"):
            if getattr(skill, flag) and not (view.state == "automatic" and flag == "forced"):
                tags.append(words.pick(NOTES[flag]))
        if skill.nights != "every":
            tags.append(words.say(NOTES[skill.nights]))
        if view.state == "automatic":
            tags.append(words.pick(NOTES["automatic"]))
        return tags

    def _standing(self, slip: Slip, takes: bool) -> None:
        view, now = slip.view, self.table.minute
        if takes:
            end = clock(view.until, now)
            if view.state == "prompt" or view.joint:
                slip.until, slip.left = _("%(limit)s 止") % {"limit": end}, self.table.left(view.until)
            elif view.state == "early":
                slip.until = _("可预交，%(limit)s 止") % {"limit": end}
            else:
                slip.until = (_("%(limit)s 前可改") if slip.css == "done" else _("%(limit)s 止")) % {"limit": end}
                slip.left = self.table.left(view.until) if slip.css == "due" else -1
            slip.tag = "" if view.joint else _("未答") if slip.css != "done" else _("已放弃") if view.kept is None else _("已交")
        elif view.state != "automatic":
            slip.standing = self.why(view)

    def why(self, view: SkillView) -> str:
        """Why a skill cannot be handed in now."""
        skill = self.rules.skills[view.id]
        if view.why == "spent":
            used = [c for c in self.heard.choices if c.skill == view.id and c.targets is not None]
            return _("%(when)s已用，全场只有一次") % {"when": night_name(used[-1].night)} if used else _("已经用过")
        if view.why == "not_tonight":
            return _("今夜不能用：%(rule)s") % {"rule": self.words.say(NOTES[skill.nights])}
        if view.why == "no_prompt":
            asked = {
                "handover": _("警长出局时才问你"), "play_dumb": _("将被放逐时才问你"), "last_shot": _("出局之后才问你"),
            }  # fmt: skip
            return asked.get(view.verb, _("到时才问你"))
        sentences = {
            "over": _("本局已结束"),
            "out": _("你已出局，不再行动"),
            "paused": _("本局暂停中，恢复之后再交"),
            "not_setup": _("开局准备结束之后才能用"),
            "setup_only": _("只在开局准备时可用"),
            "late": _("今夜的时限已过，开门之后可以预交下一夜"),
            "frozen": _("你今夜被冰冻，非强制的技能用不出；没有用掉"),
            "needs_last": _("只在恰好剩一名时可用，眼下还不止"),
            "final": _("已经生效，不能再改"),
        }
        return sentences.get(view.why, _("现在不能用"))

    def _kept(self, slip: Slip, skill: Skill) -> None:
        view = slip.view
        tonight = self.heard.of_night(view.id, self.night, view.pack)
        if view.has_kept:
            slip.passed = view.kept is None
            slip.kept = _("放弃") if view.kept is None else self.seats(view.kept) or _("不指目标")
            slip.kept_seat = view.kept_by or self.seat
            slip.kept_by = _("你") if slip.kept_seat == self.seat else self.table.name(slip.kept_seat)
            slip.kept_at = tonight[-1].at if tonight else -1
            slip.old = tonight[:-1]
        else:
            slip.old = tonight
        if skill.excludes:
            others = self.words.skills(skill.excludes, "or")
            if self._other(skill) is not None:
                slip.notes.append(_("今夜已交%(others)s。两样至多其一：交了这一样，那一样就收回。") % {"others": others})
            else:
                slip.notes.append(_("与%(others)s至多其一，同一夜不能都交。") % {"others": others})

    def _choosing(self, slip: Slip, skill: Skill) -> None:
        view = slip.view
        slip.many = view.most > 1
        slip.double = view.least < view.most
        slip.legend = self._legend(slip, skill)
        verb = _("改交%(skill)s") if slip.css == "done" else _("交%(skill)s")
        slip.submit = verb % {"skill": slip.name}
        if view.may_pass and not slip.passed:
            special = {"last_shot": _("不开枪"), "handover": _("撕掉警徽"), "play_dumb": _("不装，照放逐")}
            limited = _("今夜不用") if skill.limited else _("放弃")
            slip.giving_up = special.get(view.verb, limited)
        given = self.given.get(view.index)
        chosen = {int(x) for x in given if x.isdigit()} if given is not None else set(view.kept or ())
        slip.passing = given == ["pass"]
        slip.twice = bool(view.kept) and len(view.kept or ()) != len(set(view.kept or ()))
        if slip.targeted:
            slip.cells = [self._cell(slip, seat, seat in chosen) for seat in range(1, self.table.game.seats + 1)]
        if skill.silence and self.night != SETUP:
            colour = self.words.pick(COLOURS[skill.silence])
            slip.notes.append(_("放弃也算作答；今夜一样都不答，提请%(colour)s一张。") % {"colour": colour})
        if skill.forced and not view.joint and view.state != "prompt":
            slip.notes.append(_("强制：到时没有交，就由随机定。"))
        if view.verb == "handover" and self.others_out:
            slip.notes.append(_("今夜出局的还有：%(who)s。他们接不了警徽。") % {"who": _("、").join(self.others_out)})
        if view.state == "prompt":
            slip.notes.append(_("交出就是定局，不能再改。"))

    def _legend(self, slip: Slip, skill: Skill) -> str:
        view = slip.view
        n = count(view.most) if view.most != 2 or _("一") != "一" else "两"
        if slip.double:
            return _("今夜可指一人或两人")
        if skill.adjacent:
            return _("选相连的%(n)s个座位") % {"n": n}
        if slip.many:
            return _("选%(n)s人") % {"n": n}
        return _("目标")

    def _cell(self, slip: Slip, seat: int, on: bool) -> Cell:
        view = slip.view
        code = view.why_not.get(seat, "" if seat in view.targets else "target_out")
        out = seat not in self.table.public.alive or code == "target_out"
        name, why, note = self.table.name(seat), self._not_this(view, seat, code), self.learned.get(seat, "")
        return Cell(seat, name, why, note, on and not code, out, seat == self.seat)

    def _not_this(self, view: SkillView, seat: int, code: str) -> str:
        """Why a seat cannot be chosen, short enough for its cell."""
        if not code:
            return ""
        if code == "once_per_target":
            used = [c for c in self.heard.choices if c.skill == view.id and c.targets and seat in c.targets and not c.prompt]
            return _("%(when)s指过") % {"when": night_name(used[-1].night)} if used else _("已经指过")
        reasons = {
            "target_out": _("已出局"),
            "other": _("不能是自己"),
            "not_consecutive": _("昨夜指过"),
            "self_first_night": _("只有首夜可指自己"),
        }
        return reasons.get(code, _("不能指"))

    @cached_property
    def learned(self) -> dict[int, str]:
        """What my own readings told me of single seats, the latest."""
        found: dict[int, str] = dict.fromkeys(self.me.knows, _("自己人"))
        for told, choice in self.answers():
            skill = self.rules.skills.get(told.skill)
            if skill is not None and skill.verb == "read" and choice is not None and choice.targets:
                found[choice.targets[0]] = _("验得%(value)s") % {"value": self.value(told.value)}
        return found

    # --- what I was told ----------------------------------------------------------------------------------------------

    def answers(self) -> Iterator[tuple[Told, Choice | None]]:
        """Every answer, with the choice it answers where there was one."""
        for told in self.me.told:
            fitting = [c for c in self.heard.choices if c.skill == told.skill and c.at <= told.at and c.night in (told.day, SETUP)]
            yield told, fitting[-1] if fitting and fitting[-1].targets is not None else None

    def value(self, value: Any) -> str:
        """A private answer in words."""
        words = self.words
        if isinstance(value, bool):
            return _("是") if value else _("否")
        if isinstance(value, list):
            return self.seats(value) or _("没有人")
        if isinstance(value, dict):
            parts = (_("%(who)s：%(what)s") % {"who": self.seats([int(s)]), "what": self.value(name)} for s, name in value.items())
            return _("；").join(parts)
        if value == "other":
            return _("其他阵营")
        if not value:
            return _("没有阵营")
        if str(value).startswith("!"):
            return _("非%(faction)s") % {"faction": words.faction(str(value)[1:])}
        return words.faction(str(value))

    def seats(self, seats: Sequence[int]) -> str:
        """6 雾笛手、8 木偶师阿九."""
        return _("、").join(f"{seat} {self.table.name(seat)}" for seat in seats)

    def told(self, told: Told, choice: Choice | None) -> tuple[str, str]:
        """An answer as a sentence and its value, which is set in bold."""
        name = self.words.skill(told.skill)
        skill = self.rules.skills.get(told.skill)
        verb = skill.verb if skill is not None else ""
        value = ""
        if verb == "freeze" and told.value is True:
            text = _("你今夜被冻住了：后面各段非强制的技能失效，没有用掉")
        elif verb == "order" and skill is not None and told.value is True:
            text = _("有人用了%(skill)s：今夜必须举起%(ordered)s") % {"skill": name, "ordered": self.words.quoted(skill.orders)}
        elif verb == "fog" and skill is not None and told.value is True:
            text = _("%(skill)s起了：%(taken)s从此不能用") % {"skill": name, "taken": self.words.skills(skill.takes)}
        elif verb == "attack" and told.value is False:
            text = _("阵营判负，%(skill)s失去了") % {"skill": name}
        elif verb == "charm":
            text, value = self._asked(name, choice), _("成了") if told.value else _("没有成")
        else:
            text, value = self._asked(name, choice), self.value(told.value)
        return (_("更正：%(text)s") % {"text": text} if told.corrects else text), value

    def _asked(self, name: str, choice: Choice | None) -> str:
        return f"{name} → {self.seats(choice.targets)}" if choice is not None and choice.targets else name

    # --- the history --------------------------------------------------------------------------------------------------

    def log(self) -> list[Line]:
        """What I was told, what I handed in and what was noticed, the latest first."""
        lines = [*self._told_lines(), *self._choice_lines(), *self._notice_lines()]
        lines.sort(key=lambda line: line.at, reverse=True)
        return lines

    def _told_lines(self) -> Iterator[Line]:
        for told, choice in self.answers():
            when = night_name(SETUP if not told.day and told.skill in self.rules.setup else told.day)
            yield Line(told.at, when, *self.told(told, choice))

    def _choice_lines(self) -> Iterator[Line]:
        answered = {id(choice) for _told, choice in self.answers() if choice is not None}
        final: dict[tuple[int, str, bool], Choice] = {(c.night, c.skill, c.den >= 0): c for c in self.heard.choices if not c.prompt}
        for choice in [*final.values(), *(c for c in self.heard.choices if c.prompt)]:
            if id(choice) in answered:
                continue
            name = self.words.skill(choice.skill)
            if choice.prompt == "silent":
                text = _("%(skill)s：到时没有答") % {"skill": name}
            elif choice.targets is None:
                text = _("%(skill)s：放弃") % {"skill": name}
            elif not choice.targets:
                text = _("%(skill)s：交了") % {"skill": name}
            else:
                text = f"{name} → {self.seats(choice.targets)}"
            if choice.by != self.seat and choice.by:
                text = _("%(text)s（%(who)s交）") % {"text": text, "who": self.table.name(choice.by)}
            yield Line(choice.at, night_name(choice.night), text, "")

    def _notice_lines(self) -> Iterator[Line]:
        for at, kind, value in self.me.notices:
            yield Line(at, span_name(self.heard.span(at)), self.notice(kind, value), "")

    def notice(self, kind: str, value: str) -> str:
        """A notice as a sentence."""
        what, _sep, rest = value.partition(" ")
        code = rest.partition(" ")[0]
        ballot = _("竞选") if what == "election" else _("放逐")
        name = self.words.quoted(what) if what in self.rules.skills else what
        if kind == "lapsed":
            return _("交的%(skill)s作废：%(why)s。没有用掉") % {"skill": name, "why": self._lapsed(code)}
        if kind == "stopped":
            return _("交的%(skill)s被冰冻拦下，没有用掉") % {"skill": name}
        if kind == "withdrawn":
            return _("先前交的%(skill)s已收回") % {"skill": name}
        if kind == "choice_voided":
            return _("导演作废了交的%(skill)s") % {"skill": name}
        if kind == "vote_voided":
            return _("你的%(ballot)s票作废了") % {"ballot": ballot}
        if kind == "vote_refused":
            return _("你的一帖不算%(ballot)s票，缘由见投票帖里那一楼的回执") % {"ballot": ballot}
        return _("导演撤销了你最近的一次提交")

    def _lapsed(self, code: str) -> str:
        reasons = {
            "out": _("你已出局"),
            "not_held": _("技能已不在手里"),
            "target_out": _("目标已出局"),
            "spent": _("技能已经用过"),
            "needs_last": _("剩下的不止一名"),
            "faction_lost": _("阵营已判负"),
        }
        return reasons.get(code, _("截止时已不合规则"))


class Line(NamedTuple):
    """A line of the log: minute, 夜三, what happened, and the answer in bold."""

    at: int
    when: str
    text: str
    answer: str


def table_id(table: Table) -> str:
    """The ruleset's id, as clauses are cited."""
    return table.loaded.ruleset.id


# --- reading the forms ------------------------------------------------------------------------------------------------


def choices_of(post: Mapping[str, Any], lists: Mapping[int, Sequence[str]], skills: Sequence[SkillView]) -> dict[int, Targets]:
    """What a posted form hands in: skill number → seats, True, or None for a pass.

    Raises:
        Denied: nothing was chosen, or the form cannot be read.
    """
    views = {view.index: view for view in skills}
    passed = str(post.get("pass", ""))
    if passed:
        return {_number(passed): None}
    made: dict[int, Targets] = {}
    for index, values in lists.items():
        view = views.get(index)
        if list(values) == ["pass"]:
            made[index] = None
        elif view is not None and view.most == 0:
            made[index] = True
        elif not values:
            name = view.name if view is not None else str(index)
            need = view.most if view is not None else 1
            zh = f"还没有选“{name}”的目标。选 {need} 人再交；没有改动。"
            raise Denied(zh, f"No target for {name}. Choose {need}; nothing has changed.")
        else:
            seats = [_number(value) for value in values]
            made[index] = seats * 2 if len(seats) == 1 and post.get(f"twice{index}") else seats
    if not made:
        raise Denied("没有交任何内容。", "Nothing was handed in.")
    return made


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise Denied("这张表单读不懂，没有改动。刷新本页再交。", "This form cannot be read; nothing has changed. Reload and try again.")
    return int(text)
