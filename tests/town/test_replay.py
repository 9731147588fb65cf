"""The replay of a finished game: only after the end, the same as the doors say of every moment, for everybody's eyes; its data is
kept by browsers, and where something was said can be gone to."""

from __future__ import annotations

import itertools
import json
import re
from random import Random
from typing import Any

import pytest

from bansha.journal import doors
from bansha.sight.types import DIRECTOR, PUBLIC, View, Viewer
from bansha.town.flows import fitting
from bansha.town.models import Game
from bansha.town.replaying import Replay, replay, viewer_of
from tests.support import random_games
from tests.support.long_game import in_town
from tests.support.town import Clock, client, seated


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The long game, in the town."""
    return in_town(Clock(tmp_path_factory.mktemp("replay")))


def of(game: Game, viewer: Viewer) -> Replay:
    """A replay in Chinese."""
    from django.utils import translation

    assert game.journal is not None
    with translation.override("zh-hans"):
        return replay(game, viewer, doors.head(game.journal))


def known(view: View, seat: int) -> bool:
    """Whether a viewer knew a seat's role or faction then."""
    return view.director is not None or (view.me is not None and (seat == view.me.seat or seat in view.me.knows))


def test_before_the_end_there_is_no_replay_for_anybody(clock: Clock) -> None:
    game = seated(seed=31)
    clock.at(1, 9, 1)
    for who in ("", "player1", "director"):
        for address in ("", "data/", "data/?as=public", "?as=1"):
            assert client(who).get(f"/g/{game.pk}/replay/{address}").status_code == 404
    with pytest.raises(ValueError, match="is not over"):
        doors.replay(game.journal, DIRECTOR)


@pytest.mark.parametrize("viewer", [DIRECTOR, PUBLIC, Viewer("player", 1), Viewer("player", 7)], ids=str)
def test_what_is_shown_at_a_moment_is_what_the_doors_say_of_it(over: Any, viewer: Viewer) -> None:
    found = of(over, viewer)
    last = len(found.marks) - 1
    chosen = sorted({0, last, *Random(f"{viewer}").sample(range(1, last), 6)})
    for t in chosen:
        view = doors.see(over.journal, viewer, until=found.marks[t].n).view
        truth = {one.seat: one for one in view.director.seats} if view.director is not None else {}
        rules = doors.ruleset(over.journal).ruleset
        for seat in found.seats:
            alive = truth[seat].alive if truth else seat in view.public.alive and not (view.me and view.me.seat == seat and view.me.out)
            assert (found.value(f"out{seat}", t) == "") == alive
            assert (found.value(f"role{seat}", t) != "—") == known(view, seat)
            if truth:
                assert found.value(f"role{seat}", t) == rules.roles[truth[seat].role].name.zh
            held = re.findall(r'class="card (\w+)"><i>.</i>(\d)', found.value(f"card{seat}", t))
            assert tuple(int(dict(held).get(colour, 0)) for colour in ("blue", "yellow", "red")) == view.public.cards[seat]
            assert (found.value(f"chief{seat}", t) != "") == (seat == (view.director.sheriff if view.director else view.public.sheriff))
        for ballot in view.public.ballots:
            flow = next(flow for _first, flows in found.flows for flow in flows if flow.key == f"{ballot.name}{view.public.day}")
            drawn = {pair: found.value(f"{flow.key}.{pair[0]}-{pair[1]}", t) for pair in flow.pairs}
            assert {pair for pair, css in drawn.items() if css not in ("edge none", "edge old")} == set(ballot.votes)
            for seat, halves in ballot.counts:
                assert float(found.value(f"{flow.key}.c{seat}", t)) * 2 == halves
        if view.me is not None:
            assert found.value("told", t).count("<li>") == len(view.me.told)
            assert found.value("hand", t).count("<li>") == len(view.me.skills)
            assert view.me.role and rules.roles[view.me.role].name.zh in found.value("me", t)


def test_changed_votes_stay_as_broken_lines_and_nothing_is_closer_than_it_may_be(over: Any) -> None:
    found = of(over, PUBLIC)
    first, flows = max(found.flows, key=lambda one: len(one[1][-1].pairs))
    flow = flows[-1]
    assert len(flow.voters) == 14 and len(flow.targets) >= 6
    rows = [voter.y for voter in flow.voters]
    assert {after - before for before, after in itertools.pairwise(rows)} == {26}
    places = [target.y for target in flow.targets]
    assert all(after - before >= 38 for before, after in itertools.pairwise(places))
    assert max(rows + places) < flow.high
    end = [found.value(f"{flow.key}.{voter}-{target}", flow.closed) for voter, target in flow.pairs]
    assert "edge none" not in end and end.count("edge old") >= 6
    opening = [found.value(f"{flow.key}.{voter}-{target}", first) for voter, target in flow.pairs]
    assert set(opening) == {"edge none"}
    assert "改票" in found.value(f"{flow.key}.label", flow.closed)
    assert fitting("守灯塔的老海与他的灯", 7) == "守灯塔的老海…" and fitting("Old Hai", 7) == "Old Hai"


def test_the_page_is_the_moment_its_address_names(over: Any) -> None:
    found = of(over, DIRECTOR)
    mark = found.marks[150]
    page = client("").get(f"/g/{over.pk}/replay/?t={mark.n}").content.decode()
    assert mark.name in page and mark.when in page and f'value="{mark.n}"' in page
    assert f'data-t="{150}"' in page and 'class="here" data-t="150"' in page
    between = next(n for n in range(mark.n, 0, -1) if n not in {one.n for one in found.marks})
    assert found.marks[found.index(between)].n < between < found.marks[found.index(between) + 1].n
    start = client("").get(f"/g/{over.pk}/replay/").content.decode()
    for odd in ("x", "-1", "0", "99999999999999", "１"):
        assert client("").get(f"/g/{over.pk}/replay/?t={odd}").content.decode().count("<li") == start.count("<li")
    for nobody in ("0", "15", "-1", "director", "１", "0x1"):
        assert client("").get(f"/g/{over.pk}/replay/?as={nobody}").status_code == 404
        assert client("").get(f"/g/{over.pk}/replay/data/?as={nobody}").status_code == 404
    assert viewer_of("07", 14) == Viewer("player", 7)


def test_whoever_looked_on_learns_no_role_before_the_end(over: Any) -> None:
    found = of(over, PUBLIC)
    end = len(found.marks) - 1
    for name, line in found.lines.items():
        if name.startswith("role"):
            assert set(line[1::2][:-1]) == {"—"} and line[-2] == end
    steps = [step for steps in found.steps.values() for step in steps if step.t < end]
    assert steps and all("（狼人）" not in str(step) and "player" not in str(step.lines) for step in steps)
    page = client("").get(f"/g/{over.pk}/replay/?as=7&t=100").content.decode()
    assert page.count('class="fac') == 1 and "player7" not in page  # its own
    assert "player7" in client("").get(f"/g/{over.pk}/replay/?t=100").content.decode()


def test_the_data_is_kept_by_browsers_and_small(over: Any) -> None:
    visitor = client("player3")
    address = f"/g/{over.pk}/replay/data/"
    answer = visitor.get(address)
    assert answer.status_code == 200 and answer["Cache-Control"] == "private, max-age=600"
    assert visitor.get(address, headers={"if-none-match": answer["ETag"]}).status_code == 304
    assert visitor.get(f"{address}?as=7", headers={"if-none-match": answer["ETag"]}).status_code == 200
    assert len(answer.content) < 500_000
    assert len(client("").get(address, headers={"accept-encoding": "gzip"}).content) < 60_000
    told = json.loads(answer.content)
    assert len(told["marks"]) == len(of(over, DIRECTOR).marks)
    english = client("").get(address, headers={"accept-language": "en"}).json()
    assert english["marks"][0][1].startswith("Setup") or english["marks"][0][1] != told["marks"][0][1]


def test_a_vote_leads_to_its_post_and_the_finished_game_to_its_replay(over: Any) -> None:
    found = of(over, PUBLIC)
    steps = [step for steps in found.steps.values() for step in steps]
    visitor = client("")
    vote = next(step for step in steps if "投" in step.title and step.links)
    place = visitor.get(vote.links[0][1])
    assert (place.status_code == 302 and "/ballot-1/" in place["Location"]) or "election-1" in place["Location"]
    day = next(step for step in steps if any("遗言" in words for words, _href in step.links) or "讨论帖" in str(step.links))
    assert all(visitor.get(href).status_code in (200, 302) for _words, href in day.links)
    for page in (f"/g/{over.pk}/", f"/g/{over.pk}/reveal/", "/archive/"):
        assert f'href="/g/{over.pk}/replay/"' in visitor.get(page).content.decode(), page


@pytest.mark.parametrize("ruleset", ["m205", "baichibai", "vanilla"])
def test_any_board_can_be_replayed_from_any_eyes(ruleset: str, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    from bansha.sight.replay import moments

    game = random_games.whole(ruleset, 5, mind=random_games.Mood(director=0.1))
    row = seated(ruleset, seed=3)
    for viewer in (DIRECTOR, PUBLIC, Viewer("player", 2)):
        found = list(moments(game.entries, game.board, viewer))
        monkeypatch.setattr(doors, "replay", lambda _game, _viewer, found=found: found)
        made = of(row, viewer)
        assert len(made.marks) == len(found) and json.loads(made.data)["parts"]["steps"]
        assert [made.index(mark.n) for mark in made.marks] == list(range(len(made.marks)))
