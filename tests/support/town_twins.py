"""Twins of a moment of a game in the town: what a viewer was not told becomes otherwise, first by acts that others really do,
then by edits of the state and the rows (`twins` has those of the state).

    acts = stir(played, eye, rng)     others hand in, whisper, draft, sign in, look at pages, get a substitute …
    edits = edit(played, eye, rng)    two roles, a target, the account behind a persona, a den message, a tree hole …
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from bansha.referee.judge import due
from bansha.referee.legality import holder_of
from bansha.referee.refusals import Refused
from tests.support.played import Eye, Played
from tests.support.random_games import acts as open_acts
from tests.support.random_games import mood, some_targets
from tests.support.surface import taken_back
from tests.support.twins import Known, twin_state

SECRET = "秘密：这一句谁也没读到过"
ACTS = 5
"""Acts of others tried between two looks."""


def stir(played: Played, eye: Eye, rng: Random) -> list[str]:
    """Let others do what this viewer learns nothing of. Returns the names of what was done."""
    made = []
    ways: list[Callable[[Played, Eye, Random], bool]] = list(HOLES if eye.viewer.kind == "director" else ACTS_OF_OTHERS)
    for way in rng.sample(ways, min(len(ways), ACTS)):
        with suppress(Refused):
            if way(played, eye, rng):
                made.append(way.__name__.lstrip("_"))
    return made


def _strangers(played: Played, eye: Eye) -> list[int]:
    """Seats that share no den with the viewer's."""
    with played.state() as s:
        return Known(s, eye.viewer).strangers(s)


def _hands_in(played: Played, eye: Eye, rng: Random) -> bool:
    """Several strangers hand a skill in, or pass. Where that ends a stage early, the next one's holders learn of it by right:
    for a player it is taken back."""
    from bansha.town import acts

    done = False
    for _ in range(3):
        with played.state() as s:
            known = Known(s, eye.viewer)
            mind = mood(rng)
            ready = [(seat, k) for seat, k in open_acts(s) if holder_of(s, seat, s.board.skills[k]) not in known.holders]
            ready = [(seat, k) for seat, k in ready if seat not in known.mates]
            if not ready:
                return done
            seat, index = rng.choice(ready)
            targets = some_targets(s, seat, index, rng, rng.random() < mind.loyal)
            now = s.now
        if not known.seat:
            acts.hand_in(played.table(seat), {index: targets})
            done = True
            continue
        kept = False
        with taken_back(played):
            acts.hand_in(played.table(seat), {index: targets})
            with played.state() as s:
                kept = due(s) > max(now, played.table(0).minute)
        if kept:
            acts.hand_in(played.table(seat), {index: targets})
            done = True
    return done


def _whispers_in_a_den(played: Played, eye: Eye, rng: Random) -> bool:
    """A den the viewer does not read talks (an assistant reads none)."""
    from bansha.town import acts

    done = False
    for den in played.table(0).rooms.dens:
        mine = eye.viewer.kind == "player" and eye.viewer.seat in den.members
        if not mine:
            seat = rng.choice(den.members)
            table = played.table(seat)
            if any(own.den == den.den and own.writes for own in table.rooms.dens):
                acts.whisper(table, f"den-{den.den}", SECRET)
                done = True
    return done


def _writes_in_tree_holes(played: Played, eye: Eye, rng: Random) -> bool:
    """Others write in their tree holes, players and members."""
    from bansha.town import acts
    from bansha.town.table import Table

    names = ["outsider", *(f"seat {seat}" for seat in range(1, played.game.seats + 1))]
    for name in rng.sample(names, 3):
        if played.people[name].username != eye.account:
            acts.whisper(Table(played.game, played.people[name]), "hole", SECRET)
    return True


def _writes_to_the_director(played: Played, eye: Eye, rng: Random) -> bool:
    """A stranger's private line, a request, and the director's answer."""
    from bansha.town import acts

    seat = rng.choice([seat for seat in range(1, played.game.seats + 1) if seat != eye.viewer.seat])
    acts.whisper(played.table(seat), f"line-{seat}", SECRET)
    acts.whisper(played.table(0), f"line-{seat}", SECRET)
    acts.ask(played.table(seat), SECRET)
    return True


def _notes_in_the_log(played: Played, eye: Eye, rng: Random) -> bool:
    """The director writes in the log, and corrects what a stranger was told."""
    from bansha.referee import commands as c
    from bansha.town import acts

    acts.whisper(played.table(0), "log", SECRET)
    with played.state() as s:
        known = Known(s, eye.viewer)
        told = [(seat, answer) for seat in known.strangers(s) for _, answer, _ in s.told[seat]]
    if told:
        seat, answer = rng.choice(told)
        acts.direct(played.table(0), c.Direct("correct", [seat, answer.skill, answer.value], "更正"))
    return True


def _drafts(played: Played, eye: Eye, rng: Random) -> bool:
    """Others keep drafts."""
    from bansha.town import acts
    from bansha.town.models import Thread

    newest = list(Thread.objects.filter(game=played.game).order_by("-pk").values_list("room", flat=True)[:3])
    for seat in rng.sample(range(1, played.game.seats + 1), 3):
        if seat != eye.viewer.seat:
            for room in (*newest, "hole"):
                acts.keep_draft(played.table(seat), room, SECRET)
    return True


def _looks_at_pages(played: Played, eye: Eye, rng: Random) -> bool:
    """The director, a player and a visitor read the game: what a page keeps of it, or a cache, must not reach the viewer."""
    from tests.support.town import client

    others = [seat for seat in range(1, played.game.seats + 1) if seat != eye.viewer.seat]
    names = [played.behind(rng.choice(others)).username, "" if eye.account else played.people["outsider"].username]
    if eye.kind != "director":
        names.append(played.director.username)
    for name in names:
        browser = client(name)
        browser.get("/")
        for path in ("", "process/", "search/?q=灯", "letter/", "den/0/", *_threads(played)):
            browser.get(f"/g/{played.game.pk}/{path}")
    return True


def _threads(played: Played) -> list[str]:
    from bansha.town.models import Thread

    newest = Thread.objects.filter(game=played.game).order_by("-pk")[:3]
    return [f"{'b' if thread.kind in ('ballot', 'election') else 't'}/{thread.room}/" for thread in newest]


def _signs_in(played: Played, eye: Eye, rng: Random) -> bool:
    """Somebody signs in, and fails to, under the names of players."""
    from tests.support.town import client

    for seat in rng.sample(range(1, played.game.seats + 1), 2):
        if seat != eye.viewer.seat:
            for word in ("lamplight-lamplight", "wrong")[: 1 if eye.kind == "manager" else 2]:  # managers are told of the failed ones
                client("").post("/accounts/login/", {"login": played.behind(seat).username, "password": word})
    return True


def _is_replaced(played: Played, eye: Eye, rng: Random) -> bool:
    """A stranger is substituted, or gets an assistant, where the rules let it."""
    from bansha.town import acts, opening

    strangers = _strangers(played, eye)
    tenure = "assistant" if rng.random() < 0.5 else "substitute"
    if not strangers or eye.kind == tenure:
        return False
    enter = opening.assistant if tenure == "assistant" else opening.substitute
    with suppress(acts.Denied):
        enter(played.table(0), rng.choice(strangers), played.people["outsider"])
        return True
    return False


def _leaves_last_words(played: Played, eye: Eye, rng: Random) -> bool:
    """Others who are entitled hand last words in, not public before the opening."""
    from bansha.town import acts

    with played.state() as s:
        entitled = [seat for seat in s.entitled() if seat != eye.viewer.seat and seat in s.last_due]
    for seat in entitled:
        with suppress(Refused):
            acts.last_words(played.table(seat), SECRET)
    return bool(entitled)


HOLES = (_writes_in_tree_holes, _drafts)
"""What even directors learn nothing of."""
ACTS_OF_OTHERS = (
    _hands_in, _whispers_in_a_den, _writes_in_tree_holes, _writes_to_the_director, _notes_in_the_log, _drafts, _looks_at_pages, _signs_in,
    _is_replaced, _leaves_last_words,
)  # fmt: skip


# --- edits ------------------------------------------------------------------------------------------------------------


def edit(played: Played, eye: Eye, rng: Random) -> list[str]:
    """Change what this viewer was not told, in the state and in the rows. Returns the names of the edits."""
    from bansha.journal import keep

    if eye.viewer.kind == "director":
        _edit_holes(played, eye)
        return ["holes"]
    with played.state():
        pass
    journal = played.game.journal
    with keep.kept(journal) as have:
        have.state, made = twin_state(have.state, eye.viewer, rng)
    _edit_news(played, eye, rng)
    _edit_head(played, rng)
    _edit_accounts(played, eye, rng)
    _edit_posts(played, eye, rng)
    _edit_rows(played, eye, rng)
    _edit_holes(played, eye)
    return [*made, "news", "head", "accounts", "posts", "rows", "holes"]


def _edit_news(played: Played, eye: Eye, rng: Random) -> None:
    """Half of the news the viewer does not hear is not said, the other half is about others."""
    from bansha.journal import doors, keep

    heard = {id(news) for news in doors.heard(played.game.journal, eye.viewer)}
    ear = keep._ears[played.game.journal]
    ear.news[:] = [news for news in ear.news if id(news) in heard or rng.random() < 0.5]


def _edit_head(played: Played, rng: Random) -> None:
    """The journal has more entries: somebody has handed something in."""
    from bansha.journal import keep
    from bansha.journal.models import Game

    journal, more = played.game.journal, rng.randint(1, 9)
    have, ear = keep._kept[journal], keep._ears[journal]
    Game.objects.filter(pk=journal).update(head=have.head + more)
    ear.kept.head = have.head = have.head + more


def _edit_accounts(played: Played, eye: Eye, rng: Random) -> None:
    """Two personas trade the accounts behind them, and behind a third there is somebody else."""
    from bansha.town.models import Post, Tenure

    open_ones = Tenure.objects.filter(game=played.game, until=None, kind="player").exclude(seat=eye.viewer.seat).order_by("seat")
    one, two, third = rng.sample(list(open_ones), 3)
    outsider = played.people["outsider"].pk
    new = {one: two.account_id, two: one.account_id}
    if not Tenure.objects.filter(game=played.game, account=outsider).exists():
        new[third] = outsider
    Tenure.objects.filter(pk__in=[tenure.pk for tenure in new]).delete()
    for tenure, account in new.items():
        Tenure.objects.create(game=played.game, seat=tenure.seat, account_id=account, kind=tenure.kind, since=tenure.since)
        Post.objects.filter(game=played.game, seat=tenure.seat, voice="seat").update(author=account)


def _edit_posts(played: Played, eye: Eye, rng: Random) -> None:
    """What is written where the viewer does not read says something else, and there is more of it; announcements that wait for a
    director's review too."""
    from bansha.town.models import Post

    with played.state() as s:
        mine = {f"den-{den}" for den, members in enumerate(s.dens) if eye.viewer.kind == "player" and members >> eye.viewer.seat & 1}
    if eye.viewer.seat:
        mine.add(f"line-{eye.viewer.seat}")
    hidden = Post.objects.filter(game=played.game).exclude(room__regex=r"^(talk|ballot|election|process|hole)").exclude(room__in=mine)
    for post in hidden:
        if post.room == "words" and post.seat == eye.viewer.seat:
            continue
        _say_otherwise(post)
        if post.room != "words":
            _say_more(post, rng.randrange(10**8))


def _say_otherwise(post: Any) -> None:
    post.body = post.html = post.words = SECRET
    post.save()


def _say_more(post: Any, further: int) -> None:
    """One more like it, further down."""
    post.pk, post.floor, post.key, post.ref = None, post.floor + 1 + further, None, 0
    post.save(force_insert=True)


def _edit_holes(played: Played, eye: Eye) -> None:
    """Others' tree holes say something else, and there is more in them."""
    from bansha.town.models import Account, Post

    me = Account.objects.filter(username=eye.account).values_list("pk", flat=True).first() or 0
    for number, post in enumerate(Post.objects.filter(game=played.game, room__startswith="hole-").exclude(room=f"hole-{me}")):
        _say_otherwise(post)
        _say_more(post, 1000 + number)


def _edit_rows(played: Played, eye: Eye, rng: Random) -> None:
    """Everything else that belongs to others: refused votes' reasons, requests, the log, drafts, marks, dens' readers, failed
    sign-ins."""
    from bansha.journal import time
    from bansha.town.models import DenSeat, Draft, FailedLogin, LogLine, Mark, Post, Request

    game, now = played.game, time.now()
    refused = Post.objects.filter(game=game, receipt__state="refused").exclude(seat=eye.viewer.seat)
    refused.update(receipt={"state": "refused", "code": "changed", "target": SECRET, "ballot": "exile"})
    strangers = _strangers(played, eye)
    for seat in rng.sample(strangers, min(2, len(strangers))):
        person = played.behind(seat)
        if person.username == eye.account:
            continue
        Request.objects.create(game=game, seat=seat, kind="other", words=SECRET, at=now)
        Draft.objects.update_or_create(account=person, game=game, room="process", defaults={"body": SECRET, "at": now})
        Mark.objects.filter(account=person, game=game).delete()
        if eye.kind != "manager":
            FailedLogin.objects.create(account=person, at=now)
        DenSeat.objects.filter(game=game, seat=seat).update(since=rng.randrange(9))
    LogLine.objects.create(game=game, director=1, kind="note", words=SECRET, at=now + timedelta(seconds=1))
