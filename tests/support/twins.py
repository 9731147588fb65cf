"""Twins of a moment: a state, or a journal, that differs only in what a viewer was not told.

`twin_state` edits a copy of a state without replaying: two seats trade roles with hands, factions, answers and knowledge;
what others handed in tonight, strikes and marks, charms, frozen and doomed ones, hidden outs, the badge at dawn, stages,
limits and prompts that are not the viewer's, dens the viewer is not in, lost factions, proposed cards, flags.
`twin_entries` edits the events of a journal likewise. What is left alone is what the viewer knows: its own seat, the
seats it shares a den with, its own windows, and everything public.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import msgspec

from bansha.referee import events as e
from bansha.referee.game import Entry
from bansha.referee.state import DAWN, DUSK, NIGHT, Held, Prompt, State
from bansha.sight.types import Viewer

Edit = Callable[[State, "Known", Random], bool]


class Known:
    """What a viewer's seat touches: itself (0 for the public), its holders, its mates in dens, the stages of its skills."""

    def __init__(self, s: State, viewer: Viewer) -> None:
        self.seat = viewer.seat if viewer.kind in ("player", "assistant") else 0
        self.holders = {self.seat, *(s.packs_of(self.seat) if self.seat else ())}
        self.skills: set[int] = set()
        self.mates: set[int] = set()
        if self.seat:
            for holder in self.holders:
                self.skills.update(s.hands[holder])
            for den in s.dens:
                if den >> self.seat & 1:
                    self.mates.update(s.seats(den))
        if s.prompt is not None and s.prompt.seat == self.seat:
            self.skills |= {s.prompt.skill, s.board.handover}
        self.stages = {s.board.skills[k].stage for k in self.skills if k >= 0} - {-1}
        self.prompted = s.prompt is not None and s.prompt.seat == self.seat

    def strangers(self, s: State) -> list[int]:
        """Seats that share no den with the viewer."""
        return [x for x in range(1, s.n + 1) if x != self.seat and x not in self.mates]


def twin_state(s: State, viewer: Viewer, rng: Random) -> tuple[State, list[str]]:
    """An edited copy and the names of the edits made (empty: nothing could be edited)."""
    twin = s.copy()
    known = Known(s, viewer)
    made = []
    chosen = [edit for edit in EDITS if rng.random() < 0.7]
    for edit in chosen:
        if edit(twin, known, rng):
            made.append(edit.__name__.lstrip("_"))
    return twin, made


# --- edits --------------------------------------------------------------------------------------------------------


def _swapped_mask(mask: int, a: int, b: int) -> int:
    bits = (mask >> a & 1, mask >> b & 1)
    return mask & ~(1 << a) & ~(1 << b) | bits[1] << a | bits[0] << b


def _trade(items: Any, a: int, b: int) -> None:
    """Trade two places of a list, or two keys of a dict."""
    if isinstance(items, list):
        items[a], items[b] = items[b], items[a]
        return
    one, two = items.pop(a, None), items.pop(b, None)
    if one is not None:
        items[b] = one
    if two is not None:
        items[a] = two


def _roles(s: State, known: Known, rng: Random) -> bool:
    """Two strangers trade everything private."""
    strangers = known.strangers(s)
    if len(strangers) < 2:
        return False
    a, b = rng.sample(strangers, 2)
    for items in (s.role, s.faction, s.hands, s.told, s.notices, s.knows):
        _trade(items, a, b)
    s.role_mask = [_swapped_mask(mask, a, b) for mask in s.role_mask]
    s.faction_mask = [_swapped_mask(mask, a, b) for mask in s.faction_mask]
    s.dens = [_swapped_mask(mask, a, b) for mask in s.dens]
    for name in ("answered", "charmed", "frozen", "doomed", "wards", "asked", "agreed"):
        setattr(s, name, _swapped_mask(getattr(s, name), a, b))
    for table in (s.host, s.heretics, s.faded, s.kept_handover, s.counter_of):
        _trade(table, a, b)
    if s.proposal in (a, b):
        s.proposal = a + b - s.proposal
    other = {a: b, b: a}
    for choices in (s.pending, s.handed):
        traded = {(other.get(holder, holder), k): (targets, other.get(by, by)) for (holder, k), (targets, by) in choices.items()}
        choices.clear()
        choices.update(traded)
    return True


def _choices(s: State, known: Known, rng: Random) -> bool:
    """What others handed in, who did, and what came of it tonight."""
    edited = False
    for choices in (s.pending, s.handed):
        for key in list(choices):
            if key[0] not in known.holders:
                edited = True
                if rng.random() < 0.5:
                    del choices[key]
                else:
                    choices[key] = (_some(s, rng) if rng.random() < 0.8 else None, rng.randint(1, s.n))
    for holder in range(1, len(s.hands)):
        if holder in known.holders:
            continue
        s.answered ^= rng.getrandbits(1) << holder
        for index in s.hands[holder]:
            if rng.random() < 0.5:
                edited = True
                (s.handed if s.settled and s.phase in (NIGHT, DAWN) else s.pending)[holder, index] = (_some(s, rng), holder)
    return edited


def _some(s: State, rng: Random) -> tuple[int, ...]:
    return tuple(rng.sample(range(1, s.n + 1), rng.choice((1, 1, 2))))


def _night(s: State, known: Known, rng: Random) -> bool:
    """Strikes, marks, charms, and whoever else is frozen or doomed."""
    any_seat = [rng.randint(1, s.n) for _ in range(6)]
    skills = range(len(s.board.skills))
    s.strikes = [(any_seat[0], rng.choice(skills), any_seat[1])] if rng.random() < 0.7 else []
    s.marks = {rng.choice(skills): rng.getrandbits(s.n) << 1}
    s.torches = [(any_seat[2], any_seat[3])]
    s.counter_of = {any_seat[4]: any_seat[5]}
    s.wards = rng.getrandbits(s.n) << 1
    s.doomed = rng.getrandbits(s.n) << 1
    s.charmed = rng.getrandbits(s.n) << 1
    s.frozen = s.frozen & 1 << known.seat | rng.getrandbits(s.n) << 1 & ~(1 << known.seat)
    for index in skills:
        if index not in known.skills:
            s.ordered ^= rng.getrandbits(1) << index
            s.double_night[index] = s.day
    s.swaps = [(any_seat[0], any_seat[1], any_seat[2])]
    if s.phase in (DUSK, NIGHT, DAWN):
        s.cursed = [(any_seat[3], 2)]
    return True


def _counters(s: State, known: Known, rng: Random) -> bool:
    """What others have used, lost or gained."""
    edited = False
    for holder in range(1, len(s.hands)):
        if holder in known.holders:
            continue
        for held in s.hands[holder].values():
            held.spent, held.used, held.last = rng.random() < 0.5, rng.getrandbits(s.n) << 1, 1 << rng.randint(1, s.n)
            edited = True
        if holder <= s.n and rng.random() < 0.3:
            s.hands[holder][rng.randrange(len(s.board.skills))] = Held()
    return edited


def _logs(s: State, known: Known, rng: Random) -> bool:
    """Proposed cards, flags, quiet days, others' posts, helpers, answers and notices."""
    clause = next(iter(s.board.rules.conduct), "x")
    for seat in {rng.randint(1, s.n), known.seat or 1}:
        s.proposed_log.append((s.now, e.CardProposed(seat, "yellow", clause, "posts")))
        s.flag_log.append((s.now, e.Flagged(seat, clause, "词", 1)))
    s.quiet = [rng.randint(0, 3) for _ in s.quiet]
    s.posts = [count if seat == known.seat else rng.randint(0, 9) for seat, count in enumerate(s.posts)]
    s.assistants ^= rng.getrandbits(s.n) << 1
    s.substituted = {rng.randint(1, s.n): 1}
    s.undoable = [] if s.undoable else [["hold", False]]
    s.draws += 1
    for seat in known.strangers(s):
        s.told[seat] = [(s.now, e.Told(seat, 0, "wolves", False), s.day)] if rng.random() < 0.3 else s.told[seat]
        s.knows[seat] = [(known.seat or 1, 0)] if rng.random() < 0.3 else s.knows[seat]
        if seat in s.last_due:
            s.last_due[seat] += 7
            s.last_given.add(seat)
    return True


def _unknown_self(s: State, known: Known, rng: Random) -> bool:
    """What the viewer does not know of itself: marked as a heretic, its faction where it was not told."""
    for owner, marked in s.heretics.items():
        if owner != known.seat:
            s.heretics[owner] = marked ^ 1 << (known.seat or 1)
    for owner in list(s.host):
        if owner != known.seat:
            s.host[owner] = known.seat or 1
    if known.seat and s.board.role_faction[s.role[known.seat]] < 0 and s.board.option["hybrid_told"] != "faction":
        s.faction[known.seat] = rng.randrange(len(s.board.faction_ids))
    return True


def _hidden_outs(s: State, known: Known, rng: Random) -> bool:
    """Who is out tonight without the public's knowledge, the viewer included while it has not been told."""
    if s.phase not in (NIGHT, DAWN) or known.prompted or (known.seat and s.told_out >> known.seat & 1):
        return False
    seats = [x for x in s.seats(s.public_alive) if x != known.seat]
    if known.seat and s.public_alive >> known.seat & 1 and s.settled and not s.night_told:
        seats.append(known.seat)
    for seat in rng.sample(seats, min(len(seats), 2)):
        if s.alive >> seat & 1:
            s.alive &= ~(1 << seat)
            s.out_order.append(seat)
            s.out_since.append(seat)
            s.cause[seat] = "kill"
            s.out_at[seat] = s.now
        else:
            s.alive |= 1 << seat
            s.out_order.remove(seat)
            if seat in s.out_since:
                s.out_since.remove(seat)
        if seat != known.seat:
            s.told_out ^= rng.getrandbits(1) << seat
    return True


def _badge(s: State, known: Known, rng: Random) -> bool:
    """The badge that changed hands at dawn."""
    if s.phase not in (NIGHT, DAWN):
        return False
    s.sheriff = rng.choice([0, *s.seats(s.alive)])
    s.badge_lost = not s.sheriff
    s.sheriff_since = s.day
    s.postponed = [("警长", s.sheriff or "none"), ("附身", True)]
    return True


def _lost(s: State, known: Known, rng: Random) -> bool:
    """Factions judged lost, unannounced, and surrenders of a den the viewer is not in."""
    rule = s.board.rules.surrender
    inside = -1
    if rule is not None:
        faction = s.board.faction_index[rule.faction]
        den = s.dens[s.den_of[faction]]
        if known.seat and den >> known.seat & 1:
            inside = faction
        elif s.proposal != known.seat or not known.seat:
            s.proposal = rng.choice([0, *s.seats(den)])
            s.asked, s.agreed = (den, 1 << s.proposal) if s.proposal else (0, 0)
            s.declined = rng.random() < 0.5
    s.lost = [f for f in s.lost if f == inside]
    s.lost.extend(f for f in range(len(s.board.faction_ids)) if f != inside and rng.random() < 0.4)
    return True


def _dens(s: State, known: Known, rng: Random) -> bool:
    """Who shares a den that the viewer is not in."""
    edited = False
    for index, den in enumerate(s.dens):
        if not known.seat or not den >> known.seat & 1:
            s.dens[index] = den ^ (rng.getrandbits(s.n) << 1 & ~(1 << known.seat))
            edited = True
    return edited


def _clockwork(s: State, known: Known, rng: Random) -> bool:
    """Stages, their ends, the settlement, dusk and dawn: as far as no window of the viewer's hangs on them."""
    if s.phase not in (DUSK, NIGHT, DAWN) or known.prompted:
        return False
    for stage in range(len(s.limits)):
        if stage not in known.stages:
            s.limits[stage] += rng.randint(-20, 45)
    s.entered += rng.randint(0, 9)
    s.dusk_end += rng.randint(0, 9)
    s.full_at += rng.randint(0, 9)
    if s.board.close_early or any(s.now < s.limits[x] or s.board.window_after[x] >= 0 for x in known.stages):
        return True  # an open window shows that its stage has not closed; one that hangs on the own vision, when it did
    s.stage = rng.randrange(len(s.limits))
    settled = rng.random() < 0.5
    if settled and not s.settled:
        s.handed, s.pending = s.pending, {}
    elif s.settled and not settled:
        s.pending, s.handed = s.handed, {}
    s.settled = settled
    s.phase = rng.choice((DUSK, NIGHT)) if not settled else rng.choice((NIGHT, DAWN))
    s.prompt = None
    if s.phase != NIGHT:
        other = rng.choice([x for x in range(1, s.n + 1) if x != known.seat])
        s.prompt = Prompt(other, rng.randrange(len(s.board.skills)), 0, s.now, s.now + 10)
        s.awaiting = [(0, 0, other)]
    return True


EDITS: tuple[Edit, ...] = (
    _roles, _choices, _night, _counters, _logs, _unknown_self, _hidden_outs, _badge, _lost, _dens, _clockwork,
)  # fmt: skip


# --- journals -----------------------------------------------------------------------------------------------------


def twin_entries(entries: list[Entry], s: State, viewer: Viewer, rng: Random) -> list[Entry]:
    """The journal with two strangers' private events traded and every event scrambled that the viewer was not told."""
    known = Known(s, viewer)
    strangers = known.strangers(s)
    a, b = rng.sample(strangers, 2) if len(strangers) > 1 else (1, 1)
    other = {a: b, b: a}
    restored = {event.seat for entry in entries for event in entry[4] if isinstance(event, e.Restored)}
    hidden = set(s.seats(s.public_alive & ~s.alive & ~(s.told_out & 1 << known.seat))) - restored
    return [
        (at, by, key, command, [new for event in events for new in _twin_event(event, s, known, other, hidden, rng)])
        for at, by, key, command, events in entries
    ]  # fmt: skip


def _twin_event(event: e.Event, s: State, known: Known, other: dict[int, int], hidden: set[int], rng: Random) -> list[e.Event]:
    event = msgspec.structs.replace(event)

    def seat() -> int:
        return rng.randint(1, s.n)

    match event:
        case e.Dealt():
            dealt = [event.roles[other.get(x, x) - 1] for x in range(1, s.n + 1)]
            return [e.Dealt(dealt, [])]
        case e.Joined() | e.HereticsChosen() | e.Acquainted() | e.SkillGained() if event.seat != known.seat:
            event.seat = other.get(event.seat, event.seat)
        case e.Told() if event.seat != known.seat:
            event.seat = other.get(event.seat, event.seat)
            event.value = rng.choice([True, "wolves", [seat()]])
        case e.Submitted() if event.holder not in known.holders:
            event.holder = other.get(event.holder, event.holder)
            event.targets = [seat()]
        case e.Lapsed() | e.Stopped() | e.Withdrawn() | e.ChoiceVoided() if event.holder not in known.holders:
            event.holder = other.get(event.holder, event.holder)
        case e.Used() if event.holder not in known.holders:
            event.holder = other.get(event.holder, event.holder)
            event.targets = [seat()]
        case e.Marked() | e.Struck():
            event.holder, event.target = other.get(event.holder, event.holder), seat()
        case e.Charmed() | e.Doomed():
            event.seat = seat()
        case e.SkillLost() if event.holder not in known.holders:
            event.holder = other.get(event.holder, event.holder)
        case e.Voided() | e.Absorbed() | e.StrikeMoved():
            event.target = seat()
        case e.ExileMoved():
            event.by = seat()
        case e.VoteRefused() if event.seat != known.seat:
            return []
        case e.CardProposed() | e.Flagged():
            return [] if rng.random() < 0.5 else [msgspec.structs.replace(event, seat=seat())]
        case e.Drawn():
            event.options, event.chosen = event.options[::-1], event.options[:1]
        case e.DirectorActed():
            event.reason = "别的理由"
        case e.FactionLost():
            return [] if rng.random() < 0.5 else [msgspec.structs.replace(event, why="director")]
        case e.Postponed():
            event.value = seat()
        case e.Out() if event.seat in hidden:
            event.cause = rng.choice(["kill", "poison", "director"])
            return [] if rng.random() < 0.5 and _safe(s, event.seat) else [event]
        case e.ToldOut():
            return [e.ToldOut([x for x in event.seats if x == known.seat])]
        case e.PromptAnswered() if event.seat != known.seat:
            event.silent = not event.silent
        case e.DenJoined() if not (known.seat and s.dens[event.den] >> known.seat & 1):
            return []
    return [event]


def _safe(s: State, seat: int) -> bool:
    """Whether nothing later in the journal needs this seat to be among the outs."""
    return all(item[2] != seat for item in s.awaiting) and (s.prompt is None or s.prompt.seat != seat)
