"""Many games counted: who wins how often, how long it takes, whether the players play with sense, what gets used."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from math import sqrt

from bansha.lab.play import Play
from bansha.players.lore import lore_of
from bansha.referee import events as e
from bansha.referee.board import EXILE, Board, compile_board
from bansha.referee.game import Game
from bansha.rulesets.load import load

Z = 1.959964  # 95 %


@dataclass
class Figures:
    """Counts over games; `+` adds two. Winners are faction ids, "none" (nobody) and "abort" (流局)."""

    games: int = 0
    days: int = 0
    wins: Counter[str] = field(default_factory=Counter)
    pack_votes: int = 0
    pack_on_pack: int = 0
    pack_on_pack_bare: int = 0
    blacks: int = 0
    blacks_on_top: int = 0
    posts: int = 0
    proposed: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval (low, high) of a share, after Wilson; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    share = hits / of
    scale = 1 + Z * Z / of
    middle = (share + Z * Z / (2 * of)) / scale
    half = Z * sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)


def measure(play: Play) -> Figures:
    """The figures of one game played to its end."""
    game, board = play.game, play.board
    s = game.state
    result = Figures(games=1, days=s.day)
    result.wins["abort" if s.aborted else (board.faction_ids[s.winner] if s.winner is not None and s.winner >= 0 else "none")] = 1
    result.refused.update(refusal.code for _, _, refusal in play.refusals)
    _sense(play, result)
    _uses(game, result)
    return result


def _sense(play: Play, result: Figures) -> None:
    """Votes of packs on their own, and what became of true black checks told in public."""
    board, s = play.board, play.game.state
    roles = ["", *play.ceremony.roles]
    faction_of = {id: role.faction for id, role in board.rules.roles.items()}
    hunting = {skill.pack for skill in board.rules.skills.values() if skill.pack}
    pack = {seat for seat in range(1, s.n + 1) if faction_of[roles[seat]] in hunting}
    votes: dict[tuple[int, int], tuple[int, str]] = {}
    blacks: list[tuple[int, int]] = []
    lore = lore_of(board.rules)
    told: set[tuple[int, int]] = set()
    for item in play.talk:
        for act in item.acts:
            if act.kind in ("vote", "change") and act.topic == "exile":
                votes[item.day, item.seat] = (act.target, act.why.kind)
            elif act.kind == "report" and item.room == "discussion" and (item.seat, act.target) not in told:
                told.add((item.seat, act.target))
                skill = lore.reading(roles[item.seat])
                home = faction_of[roles[item.seat]]
                true = skill is not None and home and _true(play, item.seat, act.target, act.value)
                if true and skill is not None and lore.black(act.value, home, list(skill.tells)):
                    blacks.append((item.day, act.target))
    for (_, voter), (target, why) in votes.items():
        if voter in pack and target:
            result.pack_votes += 1
            if target in pack and target != voter:
                result.pack_on_pack += 1
                result.pack_on_pack_bare += why in ("", "hunch")
    tops, dead = _ballots(play.game)
    for day, target in blacks:
        later = [d for d in sorted(tops) if d >= day]
        if later and dead.get(target, later[0]) >= later[0]:
            result.blacks += 1
            result.blacks_on_top += target in tops[later[0]]


def _true(play: Play, seat: int, target: int, value: str) -> bool:
    """Whether the seat was really told this of the target."""
    s, board = play.game.state, play.board
    reads = {table.index for table in board.skills if table.verb == "read"}
    return any(t.skill in reads and t.value == value for _, t, *_ in s.told[seat])


def _ballots(game: Game) -> tuple[dict[int, list[int]], dict[int, int]]:
    """The top of each day's exile ballot, and the day on which each seat was out before that day's ballot."""
    tops: dict[int, list[int]] = {}
    dead: dict[int, int] = {}
    day = 0
    for _, _, _, _, events in game.entries:
        for event in events:
            if isinstance(event, e.DayOpened):
                day = event.day
            elif isinstance(event, e.Counted) and event.ballot == EXILE:
                tops[day] = list(event.top)
            elif isinstance(event, e.Out):
                dead[event.seat] = day
    return tops, dead


def _uses(game: Game, result: Figures) -> None:
    """How often each skill did something: used, answered by itself, stood, or took effect."""
    board = game.board
    ids = board.skill_ids
    by_zh = {table.zh: table.id for table in board.skills if table.verb == "sanctity"}
    for _, _, _, _, events in game.entries:
        for event in events:
            kind = event.__class__
            if kind is e.Used:
                result.used[ids[event.skill]] += 1  # type: ignore[attr-defined]
            elif kind is e.PostMade:
                result.posts += 1
            elif kind is e.Told:
                if board.skills[event.skill].verb == "vision":  # type: ignore[attr-defined]
                    result.used[ids[event.skill]] += 1  # type: ignore[attr-defined]
            elif isinstance(event, e.Marked):
                if board.skills[event.skill].verb == "ward":
                    result.used[ids[event.skill]] += 1
            elif isinstance(event, e.Voided):
                if board.skills[event.by].verb == "steadfast":
                    result.used[ids[event.by]] += 1
            elif isinstance(event, e.SkillGained):
                if event.why in ids and board.skills[board.skill_index[event.why]].verb == "execution":
                    result.used[event.why] += 1
            elif isinstance(event, e.Announced):
                if event.kind in by_zh:
                    result.used[by_zh[event.kind]] += 1
            elif isinstance(event, e.PromptAnswered):
                if board.skills[event.skill].verb == "handover" and event.target > 0 and not event.silent:
                    result.used[ids[event.skill]] += 1
            elif isinstance(event, e.CardProposed):
                result.proposed[event.clause] += 1
            elif isinstance(event, e.Flagged):
                result.flagged[event.clause] += 1


def play_many(name: str, options: Mapping[str, str], seeds: Iterable[int], speaks: bool = False) -> Figures:
    """The figures of one game a seed, in this process."""
    board = compile_board(load(name), options)
    total = Figures()
    for seed in seeds:
        play = Play(board, seed, speaks)
        play.run()
        total += measure(play)
    return total


def _share(work: tuple[str, dict[str, str], list[int]]) -> Figures:
    return play_many(*work)


def play_all(name: str, options: Mapping[str, str], first: int, games: int) -> Figures:
    """The figures of `games` games from seed `first` on, shared out among the processors."""
    seeds = list(range(first, first + games))
    workers = min(os.cpu_count() or 1, 8, max(1, games // 20))
    if workers == 1:
        return play_many(name, options, seeds)
    shares = [(name, dict(options), seeds[k::workers]) for k in range(workers)]
    total = Figures()
    with ProcessPoolExecutor(workers) as pool:
        for share in pool.map(_share, shares):
            total += share
    return total


def unused(board: Board, figures: Figures) -> list[str]:
    """Skills of the board that no game used."""
    return [table.id for table in board.skills if not figures.used[table.id]]
