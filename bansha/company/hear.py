"""What a computer player makes of a post in plain words: claims, checks, suspicions, votes. It hears people so, and its own
kind too once a restart has made it forget what they meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from bansha.players import Talk
from bansha.players.intents import HUNCH, Act
from bansha.rulesets.model import Ruleset

Room = Literal["discussion", "ballot", "election", "last_words"]

SENTENCES = re.compile(r"[。！？!?；;\n]")
CLAIMS = re.compile(r"我是|我的身份|身份摊开|我拿的|我跳|我站出来|在这里|不藏了|我就是|我玩的")
CHECKED = re.compile(r"查|验|昨夜|昨晚|第\d+夜|看了|看的|看过|看到")
PLANS = re.compile(r"投|票给|票写|我的票|落笔|出局吧")
TRUSTS = re.compile(r"放心|愿意信|我信|好人|站在这边|结伴|清白|信得过|不动")
SUSPECTS = re.compile(r"可疑|疑|盯|不踏实|不信|信不过|不敢信|狼|坏|有问题|不认|对不上")
NIGHT = re.compile(r"第(\d+)夜")


class Ear:
    """Hears the posts of one game. `names`: persona by seat."""

    def __init__(self, rules: Ruleset, names: Mapping[int, str]) -> None:
        self.rules = rules
        self.personas = dict(names)
        self.seats = {name: seat for seat, name in names.items()}
        longest = sorted(self.seats, key=len, reverse=True)
        self.names = re.compile("|".join(map(re.escape, longest)))
        roles = sorted(rules.roles, key=lambda id: -len(rules.roles[id].name.zh))
        self.roles = [(rules.roles[id].name.zh, id) for id in roles if len(rules.roles[id].name.zh) > 1]
        self.factions = [(faction.name.zh, id) for id, faction in rules.factions.items()]

    def post(self, day: int, seat: int, room: Room, words: str, receipt: Mapping[str, Any] | None = None) -> Talk:
        """A post as something said."""
        acts: list[Act] = []
        if receipt and receipt.get("state") in ("vote", "change"):
            acts.append(Act(receipt["state"], receipt["target"], why=HUNCH, topic=receipt["ballot"]))
        elif room in ("discussion", "last_words"):
            for sentence in SENTENCES.split(words):
                act = self._sentence(sentence, day)
                if act is not None:
                    acts.append(act)
        return Talk(day, seat, room, tuple(acts), words)

    def _sentence(self, sentence: str, day: int) -> Act | None:
        """What one sentence does, if anything is understood."""
        found = self.names.search(sentence)
        target = self.seats[found.group()] if found else 0
        bare = self.names.sub("", sentence)
        if not target:
            role = next((id for name, id in self.roles if name in bare), "")
            return Act("claim", role=role) if role and CLAIMS.search(bare) and "不是" not in bare else None
        value = self._value(bare)
        if value and CHECKED.search(bare):
            named = NIGHT.search(bare)
            return Act("report", target, value=value, night=int(named.group(1)) if named else day - 1)
        if PLANS.search(bare) and "不投" not in bare:
            return Act("plan", target, why=HUNCH)
        if SUSPECTS.search(bare):
            return Act("suspect", target, why=HUNCH)
        return Act("trust", target, why=HUNCH) if TRUSTS.search(bare) else None

    def _value(self, sentence: str) -> str:
        """What a check is said to have told: a faction, "!" and a faction, other."""
        for name, id in self.factions:
            short = name.removesuffix("阵营")
            for said in (name, short):
                if re.search(f"不属于?{said}|不是{said}|非{said}", sentence):
                    return f"!{id}"
            if name in sentence or (len(short) > 1 and short in sentence):
                return id
        if "其他阵营" in sentence:
            return "other"
        good = next((id for _, id in self.factions if id in ("villagers", "folk")), "")
        return good if good and ("好人" in sentence or "金水" in sentence) else ""
