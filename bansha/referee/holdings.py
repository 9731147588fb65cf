"""What a seat holds, may hand in now, and may target: one set of answers for pages, forms, case files and computer players."""

from __future__ import annotations

from bansha.referee.board import PASSIVE_VERBS, PROMPT_VERBS
from bansha.referee.legality import (
    check_holding,
    first_night,
    holder_of,
    legal_mask,
    target_need,
    tonight,
    wolves_left,
)
from bansha.referee.night import opens_now
from bansha.referee.refusals import Refused
from bansha.referee.state import DAWN, NIGHT, OVER, SETUP, Held, State


def holdings(s: State, seat: int) -> list[int]:
    """Skills the seat holds and could still use or be answered by, now or later; of someone out, only what can still be
    answered (a prompt)."""
    board = s.board
    if not s.alive >> seat & 1:
        prompts = []
        if s.prompt is not None and s.prompt.seat == seat:
            prompts.append(s.prompt.skill)
        for number, _order, who in s.awaiting:
            if who == seat and board.aftermath[number].line in PROMPT_VERBS:
                prompts.append(board.skill_index[board.aftermath[number].skill])
        return [k for k in prompts if board.skills[k].verb != "handover"]
    found = []
    for holder in (seat, *s.packs_of(seat)):
        for index, held in s.hands[holder].items():
            skill = board.skills[index]
            if held.spent or skill.verb in PASSIVE_VERBS or (skill.setup >= 0 and skill.stage < 0):
                continue
            if skill.night_rule == "first" and not _first_ahead(s, skill.stage):
                continue
            found.append(index)
    return found


def _first_ahead(s: State, stage: int) -> bool:
    """Whether the first night's stage is still to close."""
    if s.day != first_night(s):
        return s.day < first_night(s)
    if s.phase in (NIGHT, DAWN):
        return not s.settled and s.stage <= stage
    return True


def open_prompt(s: State, seat: int) -> int:
    """The skill of the prompt open for this seat, or -1."""
    return s.prompt.skill if s.prompt is not None and s.prompt.seat == seat else -1


def open_skills(s: State, seat: int) -> list[int]:
    """Prompts, and skills whose window is open now, that the seat may submit."""
    board = s.board
    found = []
    prompt = open_prompt(s, seat)
    if prompt >= 0:
        found.append(prompt)
    if s.phase == OVER or not s.alive >> seat & 1:
        return found
    for holder in (seat, *s.packs_of(seat)):
        for index in s.hands[holder]:
            skill = board.skills[index]
            if opens_now(s, skill) and submittable(s, seat, index):
                found.append(index)
    return found


def submittable(s: State, seat: int, index: int) -> bool:
    """Whether the legality check lets the seat hand this skill in (windows apart)."""
    skill = s.board.skills[index]
    if skill.prompted or skill.passive:
        return False
    try:
        check_holding(s, seat, skill)
    except Refused:
        return False
    return s.phase != SETUP or skill.setup >= 0


_BARE = Held()


def targets(s: State, seat: int, index: int) -> tuple[list[int], int, int]:
    """(legal single targets, least, most) of a skill for this seat now."""
    skill = s.board.skills[index]
    holder = holder_of(s, seat, skill)
    held = s.hands[holder].get(index, _BARE) if holder else _BARE
    least, most = target_need(s, skill)
    if skill.targets == 0 and not skill.share:
        return [], 0, 0
    return s.seats(legal_mask(s, seat, skill, held)), least, most


def may_pass(s: State, index: int) -> bool:
    """Whether the skill may be passed now (C3, M17)."""
    return not s.board.skills[index].forced and not s.ordered >> index & 1


Offer = tuple[int, int, int, int, bool]
"""(skill number, mask of legal single targets, least, most, may pass)."""


def choices(s: State) -> list[tuple[int, list[Offer]]]:
    """What every holder may hand in now for this night (or in setup): (seat that may hand it in, offers), packs by their
    first living member. Skills without a legal choice are left out; excluding skills are all listed."""
    board = s.board
    found: list[tuple[int, list[Offer]]] = []
    setup = s.phase == SETUP
    night = s.day
    public = s.public_alive
    alive = s.alive
    stage = s.stage
    skills = board.skills
    for holder, hand in enumerate(s.hands):  # place 0 is empty
        if not hand:
            continue
        if holder <= s.n:
            seat = holder
            if not alive >> seat & 1:
                continue
        else:
            living = s.pack_mask(holder - s.n - 1) & alive
            if not living:
                continue
            seat = (living & -living).bit_length() - 1
        frozen = s.frozen >> seat & 1
        offers: list[Offer] = []
        for index, held in hand.items():
            skill = skills[index]
            if held.spent or skill.passive or skill.prompted:
                continue
            if setup:
                if skill.setup < 0:
                    continue
            elif (
                skill.stage < stage
                or (skill.night_rule != "every" and not tonight(s, skill, night))
                or (frozen and not skill.forced)
                or (skill.needs_last and wolves_left(s, skill) != 1)
            ):
                continue
            may_pass = not skill.forced and not s.ordered >> index & 1
            if skill.plain:
                least = most = 1
                if s.double_night and s.double_night.get(index, -1) == night:
                    most = 2
                offers.append((index, public, least, most, may_pass))
                continue
            least, most = target_need(s, skill)
            mask = legal_mask(s, seat, skill, held) if most else 0
            if mask.bit_count() < least:
                continue
            offers.append((index, mask, least, most, may_pass))
        if offers:
            found.append((seat, offers))
    return found


def prompt_targets(s: State, seat: int, index: int) -> tuple[int, bool]:
    """(mask of legal targets of the seat's open prompt, may pass)."""
    skill = s.board.skills[index]
    mask = 0 if skill.targets == 0 else legal_mask(s, seat, skill, s.hands[seat].get(index, _BARE))
    return mask, not skill.forced
