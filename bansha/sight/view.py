"""What a viewer may know of a state (rules.md §7, C9, C13, C15, C27): every field is built from what it may know.

Nothing is taken away from the truth here. What is public comes from the state's public fields (`public_alive`,
`public_sheriff`, announcements, cards, votes, signatures); what a seat knows comes from its hand, its choices, its told
list, its notices and its dens. A seat that is out and has not been told so sees what it would see alive.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from bansha.referee import events as e
from bansha.referee.board import BALLOTS, ELECTION, EXILE, Board, SkillTable
from bansha.referee.evolve import next_clock
from bansha.referee.judge import NEVER, due
from bansha.referee.legality import PASSIVE_VERBS, PROMPT_VERBS, legal_mask, target_need, tonight
from bansha.referee.state import DAWN, DAY, DUSK, NIGHT, OVER, SETUP, Held, Prompt, State
from bansha.sight.types import (
    DIRECTOR,
    PUBLIC,
    Announcement,
    BallotView,
    DirectorView,
    MeView,
    PublicView,
    SeatTruth,
    SkillView,
    Told,
    View,
    Viewer,
)

Standing = Literal["open", "early", "shut", "frozen", "spent", "prompt", "automatic"]
Kept = tuple[tuple[int, ...] | None, int]

_PUBLIC_PHASE: Final[dict[int, Literal["setup", "day", "night", "over"]]] = {
    SETUP: "setup",
    DAY: "day",
    DUSK: "night",
    NIGHT: "night",
    DAWN: "night",
    OVER: "over",
}
_NAMES: Final[tuple[Literal["exile", "election"], Literal["exile", "election"]]] = ("exile", "election")
_HANDED_IN: Final = frozenset({"open", "early", "prompt"})
_BARE: Final = Held()


def view(state: State, viewer: Viewer, now: int | None = None) -> View:
    """What `viewer` may know of a dealt game, seen at minute `now` (None: as of the latest entry).

    Whoever shows a view to people hands in the present minute: windows open and close without an entry, and the minute of
    the latest entry is nobody's to know. After the end everybody knows everything.

    Raises:
        ValueError: the game has not been dealt, or there is no such seat.
    """
    s = state
    if not s.n:
        raise ValueError("the game has not been dealt")
    moment = s.now if now is None else now
    result = View(viewer, _public(s, _public_minute(s) if now is None else now))
    if viewer.kind in ("player", "assistant"):
        if not 1 <= viewer.seat <= s.n:
            raise ValueError(f"no seat {viewer.seat}; seats are 1 to {s.n}")
        result.me = _me(s, viewer.seat, moment)
    if viewer.kind == "director" or s.phase == OVER:
        result.director = _director(s)
    return result


# --- what is constant on a board ----------------------------------------------------------------------------------


class _Constants:
    """What views repeat of a board."""

    __slots__ = ("curses", "joins", "options", "surrender")

    def __init__(self, board: Board) -> None:
        self.options = {name: board.option[name] for name in board.rules.options}
        self.joins = frozenset(skill.index for skill in board.skills if skill.verb == "join")
        rule = board.rules.surrender
        self.surrender = board.faction_index[rule.faction] if rule is not None else -1


def _constants(board: Board) -> _Constants:
    found: _Constants | None = board.extra.get("sight")
    if found is None:
        found = board.extra["sight"] = _Constants(board)
    return found


_listed: dict[int, tuple[int, ...]] = {}


def _seats(mask: int) -> list[int]:
    """The seats of a mask, ascending."""
    known = _listed.get(mask)
    if known is None:
        if len(_listed) > 50_000:
            _listed.clear()
        known = _listed[mask] = tuple(seat for seat in range(1, mask.bit_length()) if mask >> seat & 1)
    return list(known)


# --- the public ---------------------------------------------------------------------------------------------------


def _public_minute(s: State) -> int:
    """The minute of the latest opening, close, announcement or end."""
    if s.phase == OVER:
        return s.now
    if s.phase == SETUP:
        return s.setup_ends - s.board.rules.calendar.setup_minutes
    return max(s.opened_at, s.night_from, s.announced[-1][0] if s.announced else 0)


def _public(s: State, now: int) -> PublicView:
    board = s.board
    over = s.phase == OVER
    alive = s.public_alive
    return PublicView(
        ruleset=board.id,
        hash=board.hash,
        options=dict(_constants(board).options),
        now=now,
        phase=_PUBLIC_PHASE[s.phase],
        day=s.day,
        opens_at=next_opening(s),
        closes_at=s.closes_at,
        freeze_at=s.closes_at - board.rules.ballots.freeze_minutes if s.closes_at else 0,
        sped_up=s.sped_up,
        paused=s.paused_at >= 0,
        personas=s.personas[1:],
        alive=_seats(alive),
        out=[seat for seat in s.out_order if not alive >> seat & 1],
        sheriff=s.public_sheriff,
        badge_lost=board.badge is None or _badge_publicly_lost(s),
        ballots=[_ballot(s, ballot) for ballot in sorted(s.ballots)],
        last_counts={BALLOTS[ballot]: list(s.last_count[ballot]) for ballot in (EXILE, ELECTION) if s.last_count[ballot]},
        petitions={kind: _seats(mask) for kind, mask in s.sig.items()},
        passed=sorted(s.passed_kinds),
        cards={seat: s.cards_of(seat) if s.card_list[seat] else (0, 0, 0) for seat in range(1, s.n + 1)},
        barred=_seats(s.red_today),
        announced=[Announcement(at, said.kind, said.value) for at, said in s.announced],
        winner=_winner(s),
        roles={seat: board.role_ids[s.role[seat]] for seat in range(1, s.n + 1)} if over else {},
        factions={seat: _faction(board, s.faction[seat]) for seat in range(1, s.n + 1)} if over else {},
        lost=[board.faction_ids[faction] for faction in s.lost] if over else [],
    )


def next_opening(s: State) -> int:
    """The minute of the next opening as it now stands (of the last one, once the game is over)."""
    if s.phase == SETUP:
        return next_clock(s.setup_ends, s.board.opens) if s.board.starts_at_night else s.setup_ends
    return next_clock(s.closes_at, s.board.opens) if s.phase == DAY else s.opens_at


def _badge_publicly_lost(s: State) -> bool:
    """Whether the latest word about the badge was that there is no sheriff (it never comes back)."""
    return not s.public_sheriff and any(said.kind == "警长" for _, said in s.announced)


def _winner(s: State) -> str | None:
    if s.winner is None:
        return None
    return s.board.faction_ids[s.winner] if s.winner >= 0 else "none"


def _faction(board: Board, faction: int) -> str:
    return board.faction_ids[faction] if faction >= 0 else ""


def _ballot(s: State, ballot: int) -> BallotView:
    votes = s.vote[ballot]
    order = s.vote_seq[ballot]
    cast = sorted((order[seat], seat, votes[seat]) for seat in range(1, s.n + 1) if votes[seat] >= 0)
    is_open = s.phase == DAY
    counted = not is_open and s.night_from >= s.opened_at
    return BallotView(
        name=_NAMES[ballot],
        open=is_open,
        votes=[(seat, target) for _, seat, target in cast],
        counts=list(s.last_count[ballot]) if counted else _counts(s, ballot),
        changed=_seats(s.changed[ballot]),
    )


def _counts(s: State, ballot: int) -> list[tuple[int, int]]:
    """Halves by target as they stand on an open ballot: votes in force, the public sheriff's weight, today's curses."""
    counts: dict[int, int] = {}
    sheriff = s.public_sheriff if ballot == EXILE else 0
    for seat, target in enumerate(s.vote[ballot]):
        if target > 0:
            counts[target] = counts.get(target, 0) + (s.board.weight if seat == sheriff else 2)
    if ballot == EXILE:
        for target, amount in s.cursed:
            if s.public_alive >> target & 1:
                counts[target] = counts.get(target, 0) + 2 * amount
    return sorted(counts.items())


# --- a seat -------------------------------------------------------------------------------------------------------


def _me(s: State, seat: int, now: int) -> MeView:
    board = s.board
    told = [Told(at, day, board.skill_ids[answer.skill], _plain(answer.value), answer.corrects) for at, answer, day in s.told[seat]]
    faction = _own_faction(s, seat)
    gone = bool(s.told_out >> seat & 1)
    prompt = s.prompt if s.prompt is not None and s.prompt.seat == seat else None
    den = 0
    for members in s.dens if s.phase != SETUP else ():  # dens open with the letters, after setup
        if members >> seat & 1:
            den |= members
    by_day = s.phase == DAY and s.paused_at < 0
    votes = by_day and bool(s.public_alive & ~s.red_today & ~s.no_vote & 1 << seat)
    thawed = not s.sped_up and now < s.closes_at - board.rules.ballots.freeze_minutes
    cast: dict[str, int] = {_NAMES[ballot]: s.vote[ballot][seat] for ballot in s.ballots if s.vote[ballot][seat] >= 0}
    until = _last_words_until(s, seat)
    return MeView(
        seat=seat,
        role=board.role_ids[s.role[seat]],
        faction=faction,
        out=gone,
        knows={other: board.faction_ids[shared] for other, shared in s.knows[seat]},
        den=_seats(den & ~(1 << seat)),
        skills=_skills(s, seat, gone, prompt, now),
        told=told,
        prompt=board.skill_ids[prompt.skill] if prompt is not None else "",
        prompt_until=prompt.until if prompt is not None else 0,
        prompt_outs=_night_outs(s) if prompt is not None and board.skills[prompt.skill].verb == "handover" else [],
        vote=cast,
        may_vote=[_NAMES[ballot] for ballot in s.ballots if _NAMES[ballot] not in cast] if votes else [],
        may_change=[
            _NAMES[ballot]
            for ballot in s.ballots
            if _NAMES[ballot] in cast and board.rules.ballots.changes and not s.changed[ballot] >> seat & 1
        ]
        if votes and thawed
        else [],
        sheriff=s.public_sheriff == seat,
        last_words=until > now,
        last_words_until=until,
        surrender=_surrender(s, seat, faction, gone),
        heretics=_seats(s.heretics.get(seat, 0)),
        host=s.host.get(seat, 0),
        posts_today=s.posts[seat],
        notices=_notices(s, seat),
    )


def _plain(value: Any) -> Any:
    """An answer with seats as numbers (as keys they come back from JSON as text)."""
    return {int(seat): name for seat, name in value.items()} if isinstance(value, dict) else value


def _own_faction(s: State, seat: int) -> str:
    """The seat's faction as it knows it: by its role, else as it was told last."""
    own = s.board.role_faction[s.role[seat]]
    if own >= 0:
        return s.board.faction_ids[own]
    joins = _constants(s.board).joins
    for _, answer, _ in reversed(s.told[seat]):
        if answer.skill in joins:
            return str(answer.value)
    return ""


def _night_outs(s: State) -> list[int]:
    """M13: who is out tonight beyond what the public knows, shown to whom hands the badge over."""
    return [seat for seat in s.out_order if s.public_alive >> seat & 1]


def has_last_words(s: State, seat: int) -> bool:
    """Whether the seat has been told that it is out and is entitled to last words (C11)."""
    return bool(s.told_out >> seat & 1) and seat in s.last_due and seat in s.entitled()


def last_words_due(s: State, seat: int) -> int:
    """Until when last words of a seat that has some are taken, handed in already or not; 0: no more (C11, M14)."""
    limit = s.last_due[seat]
    if s.phase == OVER:
        return 0
    if limit >= 0:
        return limit
    return next_opening(s) if s.day < -limit else 0


def _last_words_until(s: State, seat: int) -> int:
    """Until when the seat may hand in its last words, 0 if it may not."""
    return last_words_due(s, seat) if has_last_words(s, seat) and seat not in s.last_given else 0


def _surrender(s: State, seat: int, faction: str, gone: bool) -> Literal["", "asked", "proposed", "may"]:
    """G16: as far as the seat knows; who belongs to the faction without its den sees its own proposal only."""
    board = s.board
    own = _constants(board).surrender
    if own < 0 or s.phase in (SETUP, OVER) or s.paused_at >= 0:
        return ""
    inside = bool(s.dens[s.den_of[own]] >> seat & 1)
    if inside and own in s.lost:  # the den was told so with the loss of its skill
        return ""
    if s.proposal and (inside or s.proposal == seat):
        return "asked" if s.asked & ~s.agreed & 1 << seat else "proposed"
    if gone or faction != board.faction_ids[own] or (inside and s.declined):
        return ""
    return "may"


def _notices(s: State, seat: int) -> list[tuple[int, str, str]]:
    board = s.board
    own = s.notices[seat]
    for pack in s.packs_of(seat):
        if s.notices[pack]:
            own = sorted(own + s.notices[pack], key=lambda notice: notice[0])
    return [(at, *_notice(board, event)) for at, event in own]


def _notice(board: Board, event: e.Event) -> tuple[str, str]:
    match event:
        case e.Lapsed():
            return "lapsed", f"{board.skill_ids[event.skill]} {event.code}"
        case e.Stopped():
            return "stopped", board.skill_ids[event.skill]
        case e.Withdrawn():
            return "withdrawn", board.skill_ids[event.skill]
        case e.ChoiceVoided():
            return "choice_voided", board.skill_ids[event.skill]
        case e.VoteVoided():
            return "vote_voided", f"{BALLOTS[event.ballot]} {event.why}"
        case e.VoteRefused():
            return "vote_refused", f"{BALLOTS[event.ballot]} {event.code} {event.ref}"
    return "undone", ""


# --- skills -------------------------------------------------------------------------------------------------------


def _skills(s: State, seat: int, gone: bool, prompt: Prompt | None, now: int) -> list[SkillView]:
    """The seat's hand and its packs', then an office's prompt (殉职) that is no skill of the hand."""
    asked = prompt.skill if prompt is not None else -1
    # what was kept for this night stays in sight until the opening: when it was settled is not for everyone to know (C27)
    choices = s.handed if s.settled and s.phase in (NIGHT, DAWN) else s.pending
    found = []
    for holder in (seat, *s.packs_of(seat)):
        hand = s.hands[holder]
        for index, held in hand.items():
            found.append(_skill(s, seat, holder, hand, s.board.skills[index], held, gone, asked, choices, now))
        if holder == seat and seat in s.faded:
            for index, held in s.faded[seat]:
                found.append(_skill(s, seat, holder, hand, s.board.skills[index], held, gone, asked, choices, now))
    if prompt is not None:
        if asked not in s.hands[seat]:
            found.append(_skill(s, seat, seat, {}, s.board.skills[asked], _BARE, gone, asked, choices, now))
        found.extend(_with_the_shot(s, seat, prompt))
    return found


def _skill(
    s: State,
    seat: int,
    holder: int,
    hand: dict[int, Held],
    table: SkillTable,
    held: Held,
    gone: bool,
    asked: int,
    choices: dict[tuple[int, int], Kept],
    now: int,
) -> SkillView:
    index = table.index
    if index == asked and holder == seat:
        standing: Standing = "prompt" if s.paused_at < 0 else "shut"
        why = "" if s.paused_at < 0 else "paused"
        assert s.prompt is not None
        opens, until = s.prompt.opened, s.prompt.until
    else:
        opens, until = _window(s, hand, table)
        standing, why = _standing(s, seat, holder, table, held, gone, opens, until, choices, now)
    targets: list[int] = []
    why_not: dict[int, str] = {}
    least = most = table.targets
    if standing in _HANDED_IN and (table.targets or table.raw.share):
        mask = legal_mask(s, seat, table, held)
        targets = _seats(mask)
        if mask != s.seats_mask:
            why_not = _why_not(s, seat, table, held, s.seats_mask & ~mask)
        least, most = target_need(s, table)
    kept = choices.get((holder, index))
    return SkillView(
        table.id,
        table.zh,
        index,
        table.verb,
        standing,
        table.forced,
        not table.forced and not s.ordered >> index & 1,
        opens,
        until,
        targets,
        least,
        most,
        why_not,
        holder > s.n,
        list(kept[0]) if kept is not None and kept[0] is not None else None,
        kept is not None,
        kept[1] if kept is not None else 0,
        why,
    )


def _window(s: State, hand: dict[int, Held], table: SkillTable) -> tuple[int, int]:
    """Minutes from and until which the skill is taken this or the coming night (C7). A window that hangs on a vision is
    told by the viewer's own hand: whether the vision was lost is its holder's to know."""
    if s.phase == SETUP:
        return (s.setup_ends - s.board.rules.calendar.setup_minutes, s.setup_ends) if table.setup >= 0 else (0, 0)
    stage = table.stage
    if stage < 0 or s.phase == OVER:
        return 0, 0
    board = s.board
    after = board.window_after[stage]
    alone = after >= 0 and after not in hand
    window = board.window_without[stage] if alone else board.windows[stage]
    if s.phase == DAY:
        return s.closes_at + window[0], s.closes_at + window[1]
    if alone and s.stage < stage:
        return s.night_from + window[0], s.night_from + window[1]
    return s.night_from + window[0], s.limits[stage]


def _standing(
    s: State,
    seat: int,
    holder: int,
    table: SkillTable,
    held: Held,
    gone: bool,
    opens: int,
    until: int,
    choices: dict[tuple[int, int], Kept],
    now: int,
) -> tuple[Standing, str]:
    """Whether the skill can be handed in, and if not the refusal code; asks what legality asks, in its order."""
    phase = s.phase
    if table.automatic or table.verb in PASSIVE_VERBS:
        return "automatic", ""
    if held.spent:
        return "spent", "spent"
    if phase == OVER:
        return "shut", "over"
    if gone:
        return "shut", "out"
    if s.paused_at >= 0:
        return "shut", "paused"
    if table.verb in PROMPT_VERBS:
        return "shut", "no_prompt"
    if phase == SETUP:
        return ("open", "") if table.setup >= 0 else ("shut", "not_setup")
    if table.stage < 0:
        return "shut", "setup_only"
    if not tonight(s, table, s.day):
        return "shut", "not_tonight"
    by_night = phase in (DUSK, NIGHT)
    if phase == DAWN or (by_night and now >= until):
        return "shut", "late"
    if by_night and s.frozen >> seat & 1 and not table.forced and not s.settled:
        return "frozen", "frozen"
    if table.needs_last and _publicly_left(s, table) != 1:
        return "shut", "needs_last"
    if phase == DAY:
        return "early", ""
    if s.settled or table.stage < s.stage:
        return "shut", "late"
    if table.immediate and choices.get((holder, table.index), (None, 0))[0] is not None:
        return "shut", "final"
    return ("open", "") if now >= opens else ("early", "")


def _publicly_left(s: State, table: SkillTable) -> int:
    """Characters publicly alive by role of the pack's faction (whoever is out at night without the public's knowledge counts)."""
    faction = s.board.packs[table.pack]
    roles = (mask for mask, own in zip(s.role_mask, s.board.role_faction, strict=True) if own == faction)
    return sum((mask & s.public_alive).bit_count() for mask in roles)


def _why_not(s: State, seat: int, table: SkillTable, held: Held, mask: int) -> dict[int, str]:
    """Seat → refusal code, of the seats that are no legal target, most telling reason first (as legality refuses)."""
    there = s.alive if table.verb == "handover" else s.public_alive
    result: dict[int, str] = {}
    for target in _seats(mask):
        if not there >> target & 1:
            result[target] = "target_out"
        elif table.other and target == seat:
            result[target] = "other"
        elif table.once_per_target and held.used >> target & 1:
            result[target] = "once_per_target"
        elif table.not_consecutive and held.last >> target & 1:
            result[target] = "not_consecutive"
        else:
            result[target] = "self_first_night"
    return result


def _with_the_shot(s: State, seat: int, prompt: Prompt) -> list[SkillView]:
    """C22: the handover that may be handed in together with the open last shot."""
    board = s.board
    if board.handover < 0 or board.skills[prompt.skill].verb != "last_shot" or s.paused_at >= 0:
        return []
    line = board.after_line.get("handover", -1)
    if not any(item[0] == line and item[2] == seat for item in s.awaiting):
        return []
    table = board.skills[board.handover]
    mask = s.public_alive & ~(1 << seat)  # who is out tonight is shown once the shot has been answered (C24, M13)
    why_not = {other: "other" if other == seat else "target_out" for other in _seats(s.seats_mask & ~mask)}
    least, most = target_need(s, table)
    return [
        SkillView(
            table.id, table.zh, table.index, table.verb, "shut", table.forced, not table.forced, prompt.opened, prompt.until,
            _seats(mask), least, most, why_not, False, None, False, 0, "no_prompt", True,
        )
    ]  # fmt: skip


# --- the directors, and everybody after the end -------------------------------------------------------------------


def _director(s: State) -> DirectorView:
    board = s.board
    skill = board.skill_ids
    at = due(s)
    return DirectorView(
        phase=s.phase_name(),
        stage=s.stage,
        limits=list(s.limits),
        due=at if at < NEVER else 0,
        opened_at=s.opened_at,
        night_from=s.night_from,
        seats=[_truth(s, seat) for seat in range(1, s.n + 1)],
        out=[(seat, s.cause[seat]) for seat in s.out_order],
        lost=[board.faction_ids[faction] for faction in s.lost],
        winner=_winner(s),
        pending=[
            (holder, skill[index], list(targets) if targets is not None else None, by)
            for (holder, index), (targets, by) in s.pending.items()
        ],
        prompts=[(s.prompt.seat, skill[s.prompt.skill], s.prompt.until)] if s.prompt is not None else [],
        awaiting=[(seat, board.aftermath[line].line) for line, _, seat in s.awaiting],
        proposed=[(when, card.seat, card.colour, card.clause, card.why) for when, card in s.proposed_log],
        flagged=[(when, flag.seat, flag.clause, flag.words, flag.ref) for when, flag in s.flag_log],
        packs=[
            (s.n + 1 + pack, board.faction_ids[faction], _seats(s.pack_mask(pack) & s.alive), _hand(s, s.n + 1 + pack))
            for pack, faction in enumerate(board.packs)
        ],
        asked=_asked(s),
        sheriff=s.sheriff,
        effects={
            "marks": {skill[index]: _seats(mask) for index, mask in s.marks.items()},
            "strikes": [(skill[index], holder, target) for target, index, holder in s.strikes],
            "counters": dict(s.counter_of),
            "torches": list(s.torches),
            "wards": _seats(s.wards),
            "frozen": _seats(s.frozen),
            "doomed": _seats(s.doomed),
            "ordered": [skill[table.index] for table in board.skills if s.ordered >> table.index & 1],
            "cursed": list(s.cursed),
            "swaps": list(s.swaps),
            "charmed": _seats(s.charmed),
            "postponed": list(s.postponed),
            "faction_surrender": {"by": s.proposal, "asked": _seats(s.asked), "agreed": _seats(s.agreed)},
        },
        undoable=bool(s.undoable),
    )


def _hand(s: State, holder: int) -> dict[str, Any]:
    """What a holder has in hand, with its counters."""
    ids = s.board.skill_ids
    return {
        ids[index]: {"spent": held.spent, "used": _seats(held.used), "last": _seats(held.last)} for index, held in s.hands[holder].items()
    }


def _asked(s: State) -> list[tuple[int, str]]:
    """Who may still hand what in: in setup, for this night, or by day for the coming one."""
    if s.phase not in (SETUP, DAY, DUSK, NIGHT) or (s.phase == NIGHT and s.settled):
        return []
    stage = s.stage if s.phase in (DUSK, NIGHT) else 0
    found = []
    for table in s.board.skills:
        if table.passive or table.prompted or (table.setup < 0 if s.phase == SETUP else table.stage < stage):
            continue
        if s.phase != SETUP and not tonight(s, table, s.day):
            continue
        for holder in range(1, len(s.hands)):
            living = (s.members(holder) & s.alive).bit_count()
            held = s.hands[holder].get(table.index)
            if held is not None and not held.spent and living and not (table.needs_last and living != 1):
                found.append((holder, table.id))
    return found


def _truth(s: State, seat: int) -> SeatTruth:
    board = s.board
    den = 0
    for members in s.dens if s.phase != SETUP else ():  # dens open with the letters, after setup
        if members >> seat & 1:
            den |= members
    return SeatTruth(
        seat=seat,
        role=board.role_ids[s.role[seat]],
        faction=_faction(board, s.faction[seat]),
        alive=bool(s.alive >> seat & 1),
        cause=s.cause.get(seat, ""),
        skills=_hand(s, seat),
        charmed=bool(s.charmed >> seat & 1),
        den=_seats(den & ~(1 << seat)),
        posts=s.posts[seat],
        quiet=s.quiet[seat],
        substituted=s.substituted.get(seat, 0),
        host=s.host.get(seat, 0),
        heretics=_seats(s.heretics.get(seat, 0)),
    )


__all__ = ["DIRECTOR", "PUBLIC", "View", "Viewer", "view"]
