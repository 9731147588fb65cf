"""Who may know what: a test or two for each row of rules.md §7, and for every place where a look at the truth would tell."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from bansha.referee import commands as c
from bansha.referee.board import ELECTION, EXILE
from bansha.referee.judge import due, judge
from bansha.referee.refusals import Refused
from bansha.referee.state import OVER, State
from bansha.sight.types import DIRECTOR, PUBLIC, SkillView, Viewer
from bansha.sight.view import view
from tests.support.random_games import RULESETS, mood, new_game, play, random_options
from tests.support.stage import BAICHIBAI, M46, M205, Stage


def m205_night() -> Stage:
    """m205 at 21:00 of day 1: seat 7 (the seer) is sheriff, 10 is of the villagers."""
    stage = Stage("m205", M205)
    stage.act(10, kin=4)
    stage.until("day 1")
    stage.vote(dict.fromkeys(range(1, 11), 7))
    stage.until("night 1")
    return stage


# --- visitor, member, spectator, guest -----------------------------------------------------------------------------


def test_the_public_sees_public_things_and_nothing_else() -> None:
    stage = m205_night()
    shown = stage.view(PUBLIC)
    assert shown.me is None and shown.director is None
    public = shown.public
    assert (public.phase, public.day, public.sheriff, public.alive) == ("night", 1, 7, list(range(1, 11)))
    assert public.roles == {} and public.factions == {} and public.lost == [] and public.winner is None
    assert public.ballots[0].votes == [(seat, 7) for seat in range(1, 11)]
    assert public.ballots[0].counts == [(7, 20)] and not public.ballots[0].open


def test_a_secret_submission_changes_nothing_in_public() -> None:
    stage = m205_night()
    before = msgspec.json.encode(view(stage.s, PUBLIC))
    stage.now += 7
    stage.act(9, shield=3)
    stage.act(1, kill=5)
    assert msgspec.json.encode(view(stage.s, PUBLIC)) == before
    assert msgspec.json.encode(view(stage.s, Viewer("player", 5))) == msgspec.json.encode(view(stage.s, Viewer("player", 5)))


def test_the_minute_is_public_only_when_it_is_handed_in() -> None:
    stage = m205_night()
    stage.now += 7
    stage.act(9, shield=3)
    assert view(stage.s, PUBLIC).public.now == stage.s.night_from
    assert view(stage.s, PUBLIC, stage.now).public.now == stage.now


def test_outs_of_the_night_are_public_at_the_opening() -> None:
    stage = m205_night()
    stage.act(1, kill=5)
    stage.wait(61)
    assert stage.s.alive >> 5 & 1 == 0
    assert 5 in stage.public().alive and stage.public().out == []
    stage.until("day 2")
    assert 5 not in stage.public().alive and stage.public().out == [5]


def test_dusk_and_dawn_are_night_to_everybody() -> None:
    stage = m205_night()
    stage.act(1, kill=7)
    stage.until("dawn 1")
    assert stage.public().phase == "night"
    assert view(stage.s, DIRECTOR).director.phase == "dawn 1"  # type: ignore[union-attr]


def test_a_badge_handed_over_at_dawn_is_public_at_the_opening() -> None:
    stage = m205_night()
    stage.act(1, kill=7)
    stage.until("dawn 1")
    stage.act(7, handover=8)
    assert stage.s.sheriff == 8
    assert stage.public().sheriff == 7 and not stage.me(8).sheriff and stage.me(7).sheriff
    stage.until("day 2")
    assert stage.public().sheriff == 8 and stage.me(8).sheriff


def test_a_badge_torn_at_dawn_is_lost_at_the_opening() -> None:
    stage = m205_night()
    stage.act(1, kill=7)
    stage.until("dawn 1")
    stage.act(7, handover=None)
    assert stage.s.badge_lost and not stage.public().badge_lost
    stage.until("day 2")
    assert stage.public().badge_lost and stage.public().sheriff == 0


def test_a_board_without_badge_has_none() -> None:
    assert Stage("baichibai", BAICHIBAI).public().badge_lost


def test_a_curse_is_public_and_counted_by_day_and_unknown_by_night() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.act(6, curse=3)
    stage.until("day 1")
    assert stage.public().ballots[0].counts == [(3, 4)]
    stage.until("night 1")
    stage.act(6, curse=4)
    stage.wait(61)
    assert stage.s.cursed and "诅咒" not in [said.kind for said in stage.public().announced if said.at > stage.s.night_from]
    stage.until("day 2")
    assert stage.public().ballots[0].counts == [(4, 4)]


def test_open_ballots_count_weights_as_publicly_known() -> None:
    stage = Stage("m46", M46)
    stage.until("day 1")
    stage.vote({1: 8, 2: 9}, EXILE)
    stage.vote(dict.fromkeys(range(1, 11), 1), ELECTION)
    exile, election = stage.public().ballots
    assert (exile.name, election.name) == ("exile", "election")
    assert exile.counts == [(8, 2), (9, 2)]
    stage.until("day 2")
    stage.vote({1: 8, 2: 9}, EXILE)
    assert stage.public().ballots[0].counts == [(8, 4), (9, 2)]


def test_cards_signatures_and_those_barred_are_public() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("day 1")
    stage.do(c.Sign(2, "speed_up"))
    stage.do(c.Card(5, "red", "8.1"))
    public = stage.public()
    assert public.petitions == {"speed_up": [2]} and public.cards[5] == (0, 0, 1) and public.barred == [5]
    assert public.alive == list(range(1, 14)), "B19: out after the ballot"


def test_a_lost_faction_is_not_announced() -> None:
    stage = Stage("m46", M46)
    stage.until("day 1")
    before = stage.public()
    stage.direct("lose", stage.board.faction_index["wolves"])
    assert stage.s.lost and stage.public() == before


# --- player -------------------------------------------------------------------------------------------------------


def test_a_seat_sees_its_role_faction_and_den() -> None:
    stage = m205_night()
    wolf, seer, hybrid = stage.me(1), stage.me(7), stage.me(10)
    assert (wolf.role, wolf.faction, wolf.den) == ("wolf", "wolves", [2, 3])
    assert wolf.knows == {2: "wolves", 3: "wolves"}
    assert (seer.role, seer.faction, seer.den, seer.knows) == ("seer", "villagers", [], {})
    assert (hybrid.faction, hybrid.host) == ("villagers", 4)


def test_a_hybrid_that_is_told_nothing_does_not_know_its_faction() -> None:
    stage = Stage("m205", M205, {"hybrid_told": "nothing"})
    stage.act(10, kin=1)
    stage.until("day 1")
    assert stage.s.faction[10] == stage.board.faction_index["wolves"]
    me = stage.me(10)
    assert (me.faction, me.den, me.told) == ("", [], [])


def test_what_was_handed_in_is_seen_by_its_holder_and_by_the_whole_pack() -> None:
    stage = m205_night()
    stage.act(2, kill=5)
    stage.act(9, shield=None)
    for seat in (1, 2, 3):
        kill = stage.skill(seat, "kill")
        assert (kill.kept, kill.kept_by, kill.pack) == ([5], 2, True)
    shield = stage.skill(9, "shield")
    assert (shield.has_kept, shield.kept) == (True, None)
    assert not any(skill.has_kept for skill in stage.me(8).skills)


def test_what_was_handed_in_stays_in_sight_until_the_opening() -> None:
    """C27: that it vanished would tell when the night was settled."""
    stage = m205_night()
    stage.act(9, shield=3)
    kept = stage.skill(9, "shield").kept
    stage.wait(61)
    assert stage.s.settled and stage.skill(9, "shield").kept == kept
    stage.until("day 2")
    assert not stage.skill(9, "shield").has_kept


def test_targets_and_why_not() -> None:
    stage = m205_night()
    stage.act(9, shield=3)
    stage.act(1, kill=5)
    stage.until("day 2")
    shield = stage.skill(9, "shield")
    assert shield.state == "early" and shield.targets == [1, 2, 4, 6, 7, 8, 9, 10]
    assert shield.why_not == {3: "not_consecutive", 5: "target_out"}
    poison = stage.skill(8, "poison")
    assert poison.why_not == {5: "target_out", 8: "other"}


def test_states_of_skills() -> None:
    stage = m205_night()
    assert stage.skill(7, "first_night_shield").state == "open"
    assert stage.skill(8, "poison").state == "early"
    assert stage.skill(8, "vision").state == "automatic"
    assert (stage.skill(10, "kin").state, stage.skill(10, "kin").why) == ("shut", "setup_only")
    assert (stage.skill(1, "last_fog").state, stage.skill(1, "last_fog").why) == ("shut", "needs_last")
    stage.act(1, shield_order=True)
    assert stage.skill(1, "shield_order").state == "spent"
    assert stage.skill(9, "shield").may_pass is False
    stage.wait(30)
    assert stage.skill(8, "poison").state == "open"
    assert stage.skill(9, "shield").why == "late"


def test_private_answers_reach_their_seat_alone() -> None:
    stage = m205_night()
    stage.act(1, kill=5)
    stage.act(7, check=1)
    stage.until("day 2")
    assert [(told.skill, told.value, told.day) for told in stage.me(7).told] == [("check", "!villagers", 1)]
    assert ("vision", [5]) in [(told.skill, told.value) for told in stage.me(8).told]
    assert stage.me(9).told == [] and stage.me(1).told == []


def test_a_corrected_answer_says_so() -> None:
    stage = m205_night()
    stage.act(7, check=1)
    stage.until("day 2")
    stage.direct("correct", [7, stage.board.skill_index["check"], "villagers"])
    first, second = stage.me(7).told
    assert (first.corrects, second.corrects, second.value) == (False, True, "villagers")


def test_answers_with_seats_as_keys_keep_numbers() -> None:
    stage = Stage("m46", M46)
    stage.act(6, revenge=1)
    stage.until("night 0")
    stage.act(6, grudge=[1, 2, 3])
    stage.until("day 1")
    value = next(told.value for told in stage.me(6).told if told.skill == "grudge")
    assert set(value.values()) == {"wolves"} and set(value) < {1, 2, 3} and len(value) == 2


def test_the_charmed_are_told_nothing() -> None:
    stage = Stage("m46", M46)
    stage.until("night 0")
    other = Stage("m46", M46)
    other.until("night 0")
    stage.act(5, charm=7)
    for each in (stage, other):
        each.wait(31)
    assert stage.s.charmed >> 7 & 1 and not other.s.charmed
    assert [told.value for told in stage.me(5).told] == [True]
    assert stage.view(Viewer("player", 7)) == other.view(Viewer("player", 7))


def test_someone_out_and_not_told_sees_what_it_would_see_alive() -> None:
    """C27: in m46 without a vision the night settles at 30, its dead are told at 60."""
    one, two = (Stage("m46", M46) for _ in range(2))
    for stage in (one, two):
        stage.until("night 0")
        stage.do(c.Card(8, "red", "8.1"))  # the witch
    one.act(1, kill=11)
    two.act(1, kill=12)
    for stage in (one, two):
        stage.wait(35)
        assert stage.s.settled and not stage.s.night_told
    for seat in (11, 12):
        views = [msgspec.json.encode(view(stage.s, Viewer("player", seat), stage.now)) for stage in (one, two)]
        assert views[0] == views[1]
    for stage in (one, two):
        stage.wait(30)
    assert one.me(11).out and not two.me(11).out


def test_a_window_is_told_by_the_own_hand() -> None:
    """C7: whether the witch has her vision moves her window alone."""
    stage = Stage("m46", M46)
    stage.until("night 0")
    start = stage.s.night_from
    assert (stage.skill(8, "poison").opens, stage.skill(8, "poison").until) == (start + 30, start + 60)
    other = Stage("m46", M46)
    other.until("night 0")
    other.act(8, antidote=1)
    other.until("day 1")
    other.until("night 1")
    start = other.s.night_from
    assert (other.skill(8, "poison").opens, other.skill(8, "poison").until) == (start, start + 30)
    assert (other.skill(7, "check").opens, other.skill(7, "check").until) == (start, start + 30)


def test_a_prompt_is_seen_by_the_one_prompted() -> None:
    stage = m205_night()
    stage.act(1, kill=7)
    stage.act(8, poison=2)
    stage.until("dawn 1")
    me = stage.me(7)
    assert (me.prompt, me.prompt_outs) == ("handover", [7, 2])
    handover = stage.skill(7, "handover")
    assert handover.state == "prompt" and 2 not in handover.targets and handover.may_pass
    assert stage.me(2).prompt == "" and stage.me(1).prompt == ""


def test_a_shot_at_dawn_is_offered_everybody_publicly_alive() -> None:
    """C24: a shorter list would tell who else is out tonight."""
    stage = Stage("m46", M46)
    stage.until("night 0")
    stage.act(1, kill=10)
    stage.act(8, poison=3)
    stage.until("dawn 0")
    assert stage.me(10).prompt == "last_shot" and stage.skill(10, "last_shot").targets == [x for x in range(1, 15) if x != 10]
    assert stage.me(10).prompt_outs == []


def test_the_handover_may_come_with_the_shot() -> None:
    stage = Stage("m46", M46)
    stage.until("day 1")
    stage.vote(dict.fromkeys(range(1, 11), 10), ELECTION)
    stage.until("night 1")
    stage.act(1, kill=10)
    stage.until("dawn 1")
    handover = stage.skill(10, "handover")
    assert handover.joint and handover.state == "shut" and 10 not in handover.targets
    stage.act(10, last_shot=1, handover=2)
    assert stage.s.sheriff == 2


def test_freezing_is_seen_by_the_frozen() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("night 1")
    stage.act(1, shoot=4)
    stage.act(7, freeze=1)
    stage.wait(30)
    assert stage.skill(1, "shoot").state == "frozen" and stage.me(1).told[-1].skill == "freeze"
    stage.wait(11)
    assert (stage.s.now, "stopped", "shoot") in stage.me(1).notices
    assert all(told.skill != "freeze" for told in stage.me(2).told)


def test_lapsed_and_voided_are_told_with_the_reason() -> None:
    stage = m205_night()
    stage.until("day 2")
    stage.act(9, shield=5)
    stage.vote({1: 5, 2: 5, 3: 4})
    stage.direct("void_vote", 3)
    stage.until("day 3")
    assert [(kind, words) for _, kind, words in stage.me(9).notices] == [("lapsed", "shield target_out")]
    assert [(kind, words) for _, kind, words in stage.me(3).notices] == [("vote_voided", "exile director")]


def test_a_refused_vote_post_is_told_to_its_author() -> None:
    stage = m205_night()
    stage.until("day 2")
    ref = stage.post(3, "ballot", "投票对象：没有这个人\n投票理由：")
    assert stage.me(3).notices[-1][1:] == ("vote_refused", f"exile unknown_name {ref}")
    assert stage.me(4).notices == []


def test_an_undone_choice_is_told_to_its_holder() -> None:
    stage = m205_night()
    stage.act(9, shield=5)
    stage.direct("undo", True)
    assert not stage.skill(9, "shield").has_kept and stage.me(9).notices[-1][1] == "undone"


def test_votes_and_rights_of_a_seat() -> None:
    stage = m205_night()
    stage.until("day 2")
    assert (stage.me(1).may_vote, stage.me(1).may_change) == (["exile"], [])
    stage.vote({1: 5})
    assert (stage.me(1).vote, stage.me(1).may_vote, stage.me(1).may_change) == ({"exile": 5}, [], ["exile"])
    stage.do(c.Change(1, EXILE, 0))
    assert (stage.me(1).vote, stage.me(1).may_change) == ({"exile": 0}, [])
    stage.vote({2: 5})
    stage.wait(11 * 60)
    assert stage.me(2).may_change == [], "the last hour"
    assert stage.me(3).may_vote == ["exile"]


def test_last_words_of_the_first_out() -> None:
    stage = m205_night()
    stage.act(1, kill=5)
    stage.wait(59)
    assert not stage.me(5).last_words
    stage.wait(2)
    assert stage.me(5).out and stage.me(5).last_words and stage.me(5).last_words_until > stage.now
    stage.do(c.LastWords(5, "digest"))
    assert not stage.me(5).last_words


def test_surrender_is_the_dens_affair() -> None:
    stage = Stage("m46", M46)
    stage.act(6, revenge=11)  # joins the wolves, without their den
    stage.until("day 1")
    assert [stage.me(seat).surrender for seat in (1, 6, 7)] == ["may", "may", ""]
    stage.do(c.Surrender(1))
    assert [stage.me(seat).surrender for seat in (1, 2, 6, 7)] == ["proposed", "asked", "may", ""]
    stage.do(c.Surrender(2, "decline"))
    assert [stage.me(seat).surrender for seat in (1, 2, 6)] == ["", "", "may"]


def test_the_heretics_are_known_to_the_grandpa() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.act(12, heretics=[1, 2, 3, 4, 5, 6])
    stage.until("day 1")
    assert stage.me(12).heretics == [1, 2, 3, 4, 5, 6] and stage.me(1).heretics == []


def test_a_den_that_a_skill_opens_is_seen_by_those_in_it() -> None:
    stage = Stage("baichibai", BAICHIBAI)
    stage.until("night 1")
    stage.act(2, judge=1)
    stage.until("day 2")
    assert stage.me(2).den == [1] and stage.me(1).den == [2] and stage.me(3).den == []


def test_someone_out_stays_in_the_den_and_submits_nothing() -> None:
    stage = m205_night()
    stage.until("day 2")
    stage.vote(dict.fromkeys(range(4, 10), 1))
    stage.until("night 2")
    stage.act(2, kill=4)
    me = stage.me(1)
    kill = stage.skill(1, "kill")
    assert me.out and me.den == [2, 3]
    assert (kill.state, kill.why, kill.kept, kill.kept_by) == ("shut", "out", [4], 2)


def test_while_paused_nothing_can_be_handed_in() -> None:
    stage = m205_night()
    stage.direct("pause", True)
    assert stage.public().paused and stage.skill(9, "shield").why == "paused"


# --- assistant, substitute, director, after the end -----------------------------------------------------------------


def test_an_assistant_sees_what_its_player_sees() -> None:
    stage = m205_night()
    assert stage.view(Viewer("assistant", 1)).me == stage.me(1)
    assert stage.view(Viewer("assistant", 1)).director is None


def test_a_substitute_sees_all_of_the_seats_history() -> None:
    stage = m205_night()
    stage.act(7, check=1)
    stage.until("day 2")
    before = stage.me(7)
    stage.do(c.Substitute(7))
    assert stage.me(7) == before
    assert stage.view(PUBLIC).me is None, "the predecessor is a spectator"


def test_a_director_sees_everything() -> None:
    stage = m205_night()
    stage.act(1, kill=5)
    director = stage.view(DIRECTOR).director
    assert director is not None
    assert director.pending == [(11, "kill", [5], 1)]
    assert director.seats[9].faction == "villagers" and director.seats[0].role == "wolf"
    assert {clause for _, _, _, clause, _ in director.proposed} == {"消极"}
    assert director.due == stage.s.night_from + 30 and director.limits[0] == director.due


def test_after_the_end_everybody_knows_everything() -> None:
    stage = m205_night()
    for seat in (1, 2, 3):
        stage.direct("out", seat)
    shown = stage.view(PUBLIC)
    assert shown.public.phase == "over" and shown.public.winner == "villagers"
    assert shown.public.roles[8] == "witch" and shown.public.factions[10] == "villagers"
    assert shown.public.lost == ["wolves"] and shown.public.out == [1, 2, 3]
    assert shown.director is not None


def test_an_abort_has_no_winner() -> None:
    stage = m205_night()
    stage.direct("abort", True)
    assert stage.public().winner == "none"


def test_no_view_before_the_deal_or_of_a_seat_that_is_none() -> None:
    stage = m205_night()
    with pytest.raises(ValueError, match="seats are 1 to 10"):
        view(stage.s, Viewer("player", 11))
    with pytest.raises(ValueError, match="dealt"):
        view(State(stage.board), PUBLIC)


# --- what is offered is accepted -----------------------------------------------------------------------------------


OFFERS = 150


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_a_view_offers_is_accepted_and_what_it_does_not_is_refused(ruleset: str) -> None:
    """Over random games: every target of every skill, passes, votes and changes, against the judge on copies."""
    tried = number = 0
    while tried < OFFERS:
        rng = Random(f"offers {ruleset} {number}")
        number += 1
        game = new_game(ruleset, rng, random_options(ruleset, rng) if number % 2 else {})
        for _ in play(game, rng, mood(rng)):
            s = game.state
            if s.phase == OVER or rng.random() > 0.25 or due(s) <= s.now:
                continue
            tried += _try_offers(s, game.dice, rng)


def _try_offers(s: State, dice: object, rng: Random) -> int:
    seat = rng.randint(1, s.n)
    if not (s.alive | s.told_out) >> seat & 1:
        return 0
    me = view(s, Viewer("player", seat)).me
    assert me is not None
    tried = 0
    for skill in rng.sample(me.skills, min(3, len(me.skills))):
        if skill.joint or s.board.skills[skill.index].adjacent or s.board.skills[skill.index].raw.share:
            continue
        if skill.state in ("open", "early", "prompt"):
            tried += _try_targets(s, dice, seat, skill, rng)
            assert _accepted(s, dice, c.Act(seat, {skill.index: None})) is skill.may_pass
        else:
            given: c.Targets = [rng.randint(1, s.n)] if skill.most else True
            assert not _accepted(s, dice, c.Act(seat, {skill.index: given})), (skill, s.phase_name())
    for ballot, name in ((EXILE, "exile"), (ELECTION, "election")):
        assert _accepted(s, dice, c.Vote(seat, ballot, 0)) is (name in me.may_vote)
        assert _accepted(s, dice, c.Change(seat, ballot, 0)) is (name in me.may_change)
    if me.surrender == "asked":
        assert _accepted(s, dice, c.Surrender(seat, "agree"))
    return tried


def _try_targets(s: State, dice: object, seat: int, skill: SkillView, rng: Random) -> int:
    if not skill.most:
        assert _accepted(s, dice, c.Act(seat, {skill.index: True}))
        return 1
    if len(skill.targets) >= skill.least:
        assert _accepted(s, dice, c.Act(seat, {skill.index: rng.sample(skill.targets, skill.least)})), (skill, s.phase_name())
    for target, code in list(skill.why_not.items())[:3]:
        legal = [x for x in skill.targets if x != target][: skill.least - 1]
        if len(legal) == skill.least - 1:
            assert _refusal(s, dice, c.Act(seat, {skill.index: [*legal, target]})) == code
    return 1


def _refusal(s: State, dice: object, command: c.Command) -> str:
    twin = s.copy()
    try:
        judge(twin, command, s.now, dice)  # type: ignore[arg-type]
    except Refused as refusal:
        return refusal.code
    return ""


def _accepted(s: State, dice: object, command: c.Command) -> bool:
    return not _refusal(s, dice, command)
