"""What computer players say: varied, to the point, and nothing a conduct clause would flag."""

from collections import Counter

import pytest

from bansha.lab.ceremony import PERSONAS
from bansha.lab.play import Play
from bansha.players import words
from bansha.players.intents import Act, Reason
from bansha.referee import events as e
from bansha.referee.board import compile_board
from bansha.rulesets.load import bundled, load

CONDUCT = sorted({name for name in bundled() if compile_board(load(name)).rules.conduct})

FACTS = {
    "me": "半夏", "out": "铜钟", "t": "黑伞先生", "b": "白露未晞", "why": "话总绕着走", "name": "铜钟", "role": "女巫", "night": "昨夜",
    "value": "村民阵营", "d": "2",
}  # fmt: skip


def played(name: str, seed: int) -> Play:
    play = Play(compile_board(load(name)), seed)
    play.run()
    return play


@pytest.mark.parametrize("name", CONDUCT)
def test_no_sentence_is_suspected_of_a_breach(name: str) -> None:
    patterns = compile_board(load(name)).patterns
    pools = [pool for name, pool in vars(words).items() if name.isupper()]
    lines = [line for pool in pools for part in (pool.values() if isinstance(pool, dict) else [pool]) for line in part]
    assert len(lines) > 250
    for line in lines:
        text = str(line).format(**FACTS)
        assert patterns.suspicions(text) == (), text


@pytest.mark.parametrize("name", ("m205", "m46", "baichibai", "vanilla"))
def test_no_post_of_a_game_is_flagged_and_every_vote_counts(name: str) -> None:
    for seed in range(3):
        happened = [event for entry in played(name, seed).game.entries for event in entry[4]]
        assert [event for event in happened if isinstance(event, (e.Flagged, e.VoteRefused))] == []


def test_posts_are_varied() -> None:
    texts: list[str] = []
    for seed in range(6):
        play = played("m205", seed)
        texts += [talk.text for talk in play.talk if talk.room == "discussion" and talk.text not in words.CHATS]
    most = Counter(texts).most_common(1)[0][1]
    assert len(set(texts)) >= 0.75 * len(texts)
    assert most <= 0.03 * len(texts)


def test_neighbours_do_not_echo_each_other_in_the_morning() -> None:
    play = played("m205", 16)
    for day in range(1, play.game.state.day + 1):
        news = [talk.text for talk in play.talk if talk.day == day and talk.acts[0].kind == "news"]
        assert len(set(news)) >= len(news) - 1


def test_reasons_are_quoted_with_names() -> None:
    play = played("m205", 16)
    names = ["", *play.ceremony.personas]
    quoted = [talk for talk in play.talk for act in talk.acts if act.why.kind == "check" and act.why.seat not in (0, talk.seat)]
    assert quoted
    assert all(any(names[act.why.seat] in talk.text for act in talk.acts) for talk in quoted)


def test_every_act_has_words() -> None:
    play = played("m205", 16)
    kinds = {act.kind for talk in play.talk for act in talk.acts}
    assert kinds >= {"news", "chat", "run", "claim", "report", "suspect", "trust", "plan", "vote"}
    assert all(talk.text for talk in play.talk)


def test_a_claim_against_ones_own_is_said_in_the_first_person() -> None:
    play = Play(compile_board(load("m205")), 1)
    play.open()
    speaker = play.players[3].words
    assert speaker is not None
    speaker.names = ["", *play.ceremony.personas]
    said = speaker.sentence(Act("suspect", 4, why=Reason("counter", 3)))
    assert play.ceremony.personas[2] not in said
    assert play.ceremony.personas[3] in said


def test_personas_are_unique_and_fit_for_votes() -> None:
    assert len(set(PERSONAS)) == len(PERSONAS) >= 40
    assert not [name for name in PERSONAS if name == "弃权" or "投票" in name or "\n" in name or len(name) > 8]
