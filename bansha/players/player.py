"""A computer player: a seat, a seed and a ruleset in; a view and what was said in; intents out. Nothing else goes in."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bansha.players.beliefs import Beliefs
from bansha.players.day import Day
from bansha.players.intents import Act, Answer, Intent, LastWords, Reason, Surrender, Talk, Use
from bansha.players.lore import lore_of
from bansha.players.memory import Memory
from bansha.players.night import Night
from bansha.players.temper import Temper
from bansha.players.words import Words
from bansha.rulesets.model import Ruleset
from bansha.sight.types import View

BLUFFS = 0.25  # in how many games a pack plans a false claim


class Player:
    """Plays one seat of one game. The same seat, seed, ruleset, views and talk give the same intents.

    Args:
        seat: 1-based.
        seed: of the game; the seat is mixed in.
        ruleset: the board as its file has it.
        speaks: whether to put acts into words; the choices are the same either way.
    """

    def __init__(self, seat: int, seed: int, ruleset: Ruleset, speaks: bool = True) -> None:
        self.seat = seat
        self.seed = seed
        self.lore = lore_of(ruleset)
        self.rng = Random(f"bansha/player/{seed}/{seat}")
        self.temper = Temper(self.rng)
        self.memory = Memory(seat, self.lore)
        self.beliefs = Beliefs(seat, self.lore, self.memory, self.rng)
        words = Random(f"bansha/words/{seed}/{seat}")
        self.words = Words(seat, self.lore, self.memory, words) if speaks else None
        self.planned = False

    def decide(self, view: View, talk: Sequence[Talk]) -> list[Intent]:
        """What to do now, in order. `talk` is everything said in public so far, oldest first.

        Raises:
            ValueError: the view is not this seat's.
        """
        me, public = view.me, view.public
        if me is None or me.seat != self.seat:
            raise ValueError(f"a view of seat {self.seat} is needed")
        memory = self.memory
        if public.phase == "night" and public.day == 0:
            memory.night_first = True
        fresh = memory.see(view)
        memory.hear(talk)
        if fresh:
            self.beliefs.new_day()
        if public.phase == "over":
            return []
        if not self.planned and public.day > 0:
            self._plan(view)
        allies = self._allies(view)
        hides = self._hides(view, allies)
        self._assess(view, hides)
        intents = self._private(view, allies)
        if me.out or self.seat not in public.alive:
            return intents
        if public.phase == "day":
            day = Day(
                self.seat, self.lore, memory, self.beliefs, self.temper, view, self.rng, self.words, allies, hides
            )
            intents.extend(day.intents())
        else:
            night = Night(self.seat, self.lore, memory, self.beliefs, view, self.rng, allies)
            intents.extend(night.intents())
        for intent in intents:
            if isinstance(intent, Use):
                memory.done[public.day, intent.skill] = intent.targets
        return intents

    # --- who I am among the others --------------------------------------------------------------------------------

    def _allies(self, view: View) -> frozenset[int]:
        """Seats known to share my faction: told, checked, or of my den."""
        me = view.me
        assert me is not None
        if not me.faction:
            return frozenset()
        return frozenset(seat for seat, faction in self.memory.exact.items() if faction == me.faction)

    def _hides(self, view: View, allies: frozenset[int]) -> bool:
        """Whether my side is not the town's: then I speak as the innocent would."""
        me = view.me
        assert me is not None
        if self.lore.town:
            return bool(me.faction) and me.faction != self.lore.town
        return bool(allies)

    def _assess(self, view: View, hides: bool) -> None:
        me = view.me
        assert me is not None
        town = self.lore.town
        faction = town if hides and town else (me.faction or town or self.lore.factions[0])
        role = self.temper.claimed if hides and self.temper.claimed else me.role
        self.beliefs.assess(faction, view.public.alive, hides and bool(town), role)

    def _plan(self, view: View) -> None:
        """What a pack agrees on: whether and when one of them claims to be a seer. Drawn alike by each of its members."""
        me = view.me
        assert me is not None
        self.planned = True
        if me.faction not in self.lore.packs or not me.den:
            return
        pack = sorted([self.seat, *me.den])
        shared = Random(f"bansha/pack/{view.public.hash}/{'/'.join(view.public.personas)}/{pack}")
        speaker = shared.choice(pack)
        day = shared.choice((2, 2, 3))
        if shared.random() < BLUFFS and speaker == self.seat:
            self.temper.bluffs = day

    # --- prompts, last words, surrender ---------------------------------------------------------------------------

    def _private(self, view: View, allies: frozenset[int]) -> list[Intent]:
        me = view.me
        assert me is not None
        out: list[Intent] = []
        if me.prompt:
            out.extend(self._answer(view, allies))
        if me.last_words:
            acts = self._farewell(view, allies)
            out.append(LastWords(acts, self.words.farewell(acts, view) if self.words is not None else ""))
        if me.surrender == "asked":
            alive = [seat for seat in view.public.alive if seat in allies or seat == self.seat]
            out.append(Surrender("agree" if len(alive) <= 1 else "decline"))
        elif me.surrender == "may" and view.public.phase == "day" and self._hopeless(view, allies):
            out.append(Surrender(""))
        return out

    def _hopeless(self, view: View, allies: frozenset[int]) -> bool:
        """The last of a pack, convicted in everybody's eyes."""
        left = [seat for seat in view.public.alive if seat in allies]
        mine = [r for r in self.memory.reports if r.target == self.seat and self.beliefs.credit.get(r.by, 0) > 0.8]
        return not left and bool(mine) and self.rng.random() < 0.05

    def _answer(self, view: View, allies: frozenset[int]) -> list[Intent]:
        me = view.me
        assert me is not None
        skill = next(s for s in me.skills if s.id == me.prompt)
        p = self.beliefs.p
        if skill.verb == "play_dumb":
            return [Answer(skill.id, skill.index, [])]
        pool = [seat for seat in skill.targets if seat != self.seat]
        if skill.verb == "last_shot":
            foes = [seat for seat in pool if seat not in allies]
            best = max(foes, key=lambda seat: p[seat], default=0)
            sure = best and p[best] >= min(0.5, self.beliefs.prior + 0.05)
            return [Answer(skill.id, skill.index, [best] if sure else None)]
        heirs = [seat for seat in pool if seat not in me.prompt_outs]
        best = min(heirs, key=lambda seat: p[seat] - 0.3 * (seat in allies), default=0)
        if not best or (skill.may_pass and p[best] > self.beliefs.prior):
            return [Answer(skill.id, skill.index, None)] if skill.may_pass else []
        return [Answer(skill.id, skill.index, [best])]

    def _farewell(self, view: View, allies: frozenset[int]) -> tuple[Act, ...]:
        """Last words: the role and the checks not told yet, whom to watch, and a goodbye."""
        me = view.me
        assert me is not None
        lore, temper = self.lore, self.temper
        hides = self._hides(view, allies)
        acts: list[Act] = []
        if not hides and not temper.claimed and lore.hands_of(me.role) and self.rng.random() < 0.9:
            temper.claimed = me.role
            acts.append(Act("claim", role=me.role))
        if not hides and temper.claimed == me.role:
            for night, seat, value in self.memory.mine:
                if seat not in temper.told and lore.reading(me.role) is not None:
                    temper.told.add(seat)
                    acts.append(Act("report", seat, value=value, night=night))
        pool = [seat for seat in view.public.alive if seat not in allies and seat != self.seat]
        if pool and self.rng.random() < 0.7:
            target = max(pool, key=lambda seat: self.beliefs.p[seat])
            why = self.beliefs.why[target]
            acts.append(Act("farewell", target, why=why if why.kind != "cleared" else Reason("hunch")))
        acts.append(Act("farewell"))
        return tuple(acts)


__all__ = ["Player"]
