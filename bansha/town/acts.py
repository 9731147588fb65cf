"""Everything people do in a game, for pages and computer players alike: each act goes through `journal.submit`, and what the
town writes with it stands or falls with it. What is refused raises `Refused`, with a sentence; a refused post is kept as its
author's draft (C26)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from django.db import OperationalError, connection, transaction
from django.urls import reverse
from django.utils.translation import get_language

from bansha.bbcode.fonts import is_directors_red, is_enlarged
from bansha.bbcode.render import render_post
from bansha.bbcode.tokens import codes_in
from bansha.bbcode.words import own_words, read_words
from bansha.journal import doors, faults
from bansha.referee import commands as c
from bansha.referee.refusals import Refused
from bansha.sight.news import News
from bansha.town import people, shelf
from bansha.town.floors import HELD, NOWHERE, take
from bansha.town.models import Draft, LogLine, Mark, Post, Request, Thread
from bansha.town.table import Table
from bansha.town.words import PROXY_REASON

LONGEST = 20_000
"""Characters of a post at most."""
BALLOT_NUMBER = {"exile": 0, "election": 1}
REVEAL = "reveal"
"""The room of the thread in which a finished game is talked over."""
THREADS = {"talk": "discussion", "ballot": "ballot", "election": "election", "process": "process"}


class Denied(Exception):
    """A wish the town itself refuses: `zh` and `en` say what would be right. Nothing has changed."""

    def __init__(self, zh: str, en: str) -> None:
        self.zh = zh
        self.en = en
        super().__init__(zh)


def sentence(error: Refused | Denied) -> str:
    """What a refusal says, in the language of the page."""
    return error.en if (get_language() or "").startswith("en") else error.zh


def digest(text: str) -> str:
    """The digest of a body that the journal keeps."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _journal(table: Table) -> int:
    if table.game.journal is None:
        raise Denied("这一局还没有发牌。", "This game has not been dealt yet.")
    return table.game.journal


def _seat(table: Table) -> int:
    """The seat under the lock: whoever has been replaced meanwhile acts no more (C23)."""
    if table.account is None or table.place.visiting:
        raise Denied("你不在这一局里。", "You do not play in this game.")
    seat = people.seat_of(table.game, table.account)
    if not seat:
        raise Denied("这个座位已由别人接手，或你不是这一局的演员。", "This seat is somebody else's now, or you do not play in this game.")
    return seat


def _by(table: Table) -> str:
    return f"director {table.director}" if table.director else f"seat {table.seat}"


def submit_seat(table: Table, make: Any, key: str = "") -> doors.Answer:
    """Submit what `make(seat)` gives, the seat looked up under the lock."""
    journal = _journal(table)
    return doors.submit(journal, lambda _seats: make(_seat(table)), table.now, _by(table), _key(table, key))


def _key(table: Table, key: str) -> str:
    """Keys are the writer's own: two accounts never meet in one."""
    if not key or table.account is None:
        return ""
    return hashlib.sha256(f"{table.account.pk}\n{key}".encode()).hexdigest()


# --- posts in the public threads -----------------------------------------------------------------------------------


def check_body(body: str) -> str:
    """A body that can be posted.

    Raises:
        Denied: empty, or too long.
    """
    body = body.replace("\r\n", "\n").strip("\n")
    if not body.strip():
        raise Denied("帖子是空的。写点什么再发。", "The post is empty. Write something first.")
    if len(body) > LONGEST:
        raise Denied(f"帖子有 {len(body)} 字，最多 {LONGEST} 字。分成几帖发。", f"{len(body)} characters; at most {LONGEST}. Split it.")
    return body


def say(table: Table, room: str, body: str, key: str = "", quote: int = 0) -> Post:
    """Post in a public thread as one's persona; `quote`: the floor quoted there (0: taken from the text's first quote). In a
    ballot thread the post is read as a vote and gets a receipt. Directors post as directors.

    Raises:
        Refused, Denied: nothing has changed; the text is kept as a draft.
    """
    try:
        body = check_body(body)
        if room == REVEAL:
            return _speak(table, body, key)
        return say_as_director(table, room, body, key) if table.directs else _say(table, room, body, key, quote)
    except (Refused, Denied) as error:
        if table.account is not None and body.strip():
            keep_draft(table, room, body, error.zh)
        raise


def may_speak(table: Table) -> bool:
    """Whether this one may write in the reveal thread: whoever had a part in the game; where spectators were admitted, every
    member (after the end anybody who reads is one)."""
    return table.account is not None and table.begun and table.rooms.revealed and (table.game.spectators or table.account.pk in table.parts)


def _speak(table: Table, body: str, key: str) -> Post:
    """A post in the reveal thread, under the account's own name: no event, nobody's persona."""
    if not may_speak(table):
        raise Denied(
            "揭秘帖在本局结束之后打开，只收参加过这一局的人与观众的话。", "The reveal thread is for those who took part, after the end."
        )
    with transaction.atomic():
        thread = Thread.objects.select_for_update().filter(game=table.game, room=REVEAL).first()
        if thread is None:
            raise Denied("没有这个帖子。", "There is no such thread.")
        own = _key(table, key)
        earlier = Post.objects.filter(game=table.game, author=table.account, key=own).first() if own else None
        if earlier is not None:
            return earlier
        assert table.account is not None
        post = Post.objects.create(
            game=table.game, room=REVEAL, floor=take(thread), voice="account", seat=seat_played(table), author=table.account, body=body,
            html=rendered(table, body), words=own_words(body), at=table.now, minute=table.minute, key=own or None,
        )  # fmt: skip
        Draft.objects.filter(account=table.account, game=table.game, room=REVEAL).delete()
    mark_read(table, REVEAL, post.floor)
    return post


def seat_played(table: Table) -> int:
    """The seat this account played last (0: none), the end over or not."""
    assert table.account is not None
    return next((part.seat for part in table.parts.get(table.account.pk, ()) if part.kind == "player"), 0)


def rendered(table: Table, body: str) -> str:
    """A post as HTML, rendered once at writing; the author of a quote links to the post quoted, by the journal's number."""
    return render_post(body, lambda ref: reverse("town:ref", args=[table.game.pk, ref]) if ref.isdecimal() else "")


def preview(table: Table, body: str) -> tuple[str, str]:
    """A post as it would stand, and why it would not be taken as it is ("": it would)."""
    try:
        check_body(body)
        if not table.directs and not table.rooms.revealed:
            check_type(table, body, doors.read(_journal(table), body, False).flags)
    except Denied as denied:
        return rendered(table, body), sentence(denied)
    return rendered(table, body), ""


def check_type(table: Table, body: str, flags: Sequence[tuple[str, str]]) -> None:
    """A player's post has neither the director's red nor enlarged letters; the refusal names the clause and the words.

    Raises:
        Denied: it has.
    """
    conduct = table.loaded.ruleset.conduct
    looks = any(is_directors_red(run.colour) or is_enlarged(run.size) for run in read_words(body).runs)
    for clause, words in flags:
        if looks and clause in conduct and conduct[clause].detectors:
            raise Denied(
                f"“{words}”用了导演的红字或放大的字，条款“{clause}”不许。把它的颜色和字号去掉再发。",
                f"“{words}” stands in the director's red or in large letters, against clause {clause}. Take colour and size away.",
            )


def posted(table: Table, key: str) -> Post | None:
    """The post this writer made with this key before, if there is one."""
    own = _key(table, key)
    return Post.objects.filter(game=table.game, author=table.account, key=own).exclude(room__in=NOWHERE).first() if own else None


def _kind(table: Table, room: str) -> str:
    kind = room.partition("-")[0]
    thread = Thread.objects.filter(game=table.game, room=room).first()
    if thread is None or kind not in THREADS:
        raise Denied("没有这个帖子。", "There is no such thread.")
    if kind != "process" and thread.day != table.public.day:
        raise Denied("这一日的帖子已经关门，请到今天的帖子里发。", "This day's thread is closed; post in today's.")
    return kind


def _say(table: Table, room: str, body: str, key: str, quote: int) -> Post:
    journal = _journal(table)
    kind = _kind(table, room)
    ballot = kind in ("ballot", "election")
    reading = doors.read(journal, body, ballot)
    check_type(table, body, reading.flags)
    html = rendered(table, body)
    words = own_words(body)
    own = _key(table, key)
    made: list[Post] = []

    def prepare(seats: doors.Seats) -> c.Command:
        seat = _seat(table)
        ref = _next_ref(table)
        quoted = quoted_ref(table, room, body, quote)
        post = Post.objects.create(
            game=table.game, room="new", floor=ref, voice="seat", seat=seat, author=table.account, ref=ref, body=body,
            html=html, words=words, quote=quoted, at=table.now, minute=seats.minute, key=own or None,
        )  # fmt: skip
        made.append(post)
        return c.Post(seat, THREADS[kind], post.ref, digest(body), quoted, reading)

    drafts = Draft.objects.filter(account=table.account, game=table.game, room=room)
    drafted = drafts.exists()

    def after(answer: doors.Answer) -> None:
        """All that goes with a post is written with it: one wait for the lock, one for the disk."""
        post = made[0]
        if ballot:
            post.receipt = receipt(journal, answer.news)
            Post.objects.filter(pk=post.pk).update(receipt=post.receipt)
        post.room, post.floor = Post.objects.values_list("room", "floor").get(pk=post.pk)
        Mark.objects.bulk_create(
            [Mark(account=table.account, game=table.game, room=post.room, floor=post.floor)],
            update_conflicts=True, unique_fields=("account", "game", "room"), update_fields=("floor",),
        )  # fmt: skip
        if drafted:
            drafts.delete()

    answer = doors.submit(journal, prepare, table.now, _by(table), own, after)
    if answer.again:
        drafts.delete()
        ref = next(news.value["ref"] for news in answer.news if news.kind == "post")
        return Post.objects.get(game=table.game, ref=ref, ref__gt=0)
    return made[0]


def _next_ref(table: Table) -> int:
    """The number the journal will know the next post by; asked under the game's lock. It counts public posts only."""
    return (Post.objects.filter(game=table.game, ref__gt=0).order_by("-ref").values_list("ref", flat=True).first() or 0) + 1


def quoted_ref(table: Table, room: str, body: str, floor: int) -> int:
    """The number the journal knows the quoted post by: the floor named by the form, else the first quote of the text."""
    if floor:
        return Post.objects.filter(game=table.game, room=room, floor=floor).values_list("ref", flat=True).first() or 0
    for found in read_words(body).quotes:
        if found.reference.isdigit():
            return int(found.reference)
    return 0


def receipt(journal: int, news: Sequence[News]) -> dict[str, Any]:
    """What became of a post in a ballot thread: `state` vote, change, refused (`code`, `target`, and why in both languages)."""
    for piece in news:
        value = piece.value
        if piece.kind in ("vote", "change"):
            return {"state": piece.kind, "target": value["target"], "ballot": value["ballot"]}
        if piece.kind == "vote_refused":
            why = {lang: doors.refusal_sentence(journal, value["seat"], value["code"], value["target"], lang) for lang in ("zh", "en")}
            return {"state": "refused", "code": value["code"], "target": value["target"], "ballot": value["ballot"], **why}
    return {"state": "none"}


def vote_post(table: Table, target: int, reason: str, change: bool) -> str:
    """The proper post of a vote (C18), as the form writes it; a change quotes the vote in force."""
    word = "改票" if change else "投票"
    return f"{word}对象：{table.name(target)}\n{word}理由：{reason.strip()}"


def vote(table: Table, room: str, target: int, reason: str, key: str = "", change: bool = False) -> Post:
    """Vote by the form: the form writes the proper post. A change quotes the vote in force by itself.

    Raises:
        Refused, Denied: nothing has changed.
    """
    if target and target not in table.personas:
        raise Denied("没有这个座位。", "There is no such seat.")
    body = vote_post(table, target, reason, change)
    quote = 0
    if change:
        quote = vote_in_force(table, room)
        if not quote:
            raise Denied("没有正生效的票可改：先投票。", "You have no vote in force to change: vote first.")
        own = Post.objects.get(game=table.game, room=room, floor=quote)
        body = f"[quote={table.name(table.seat)};{own.ref}]{own.words}[/quote]\n{body}"
    return say(table, room, body, key, quote)


def vote_in_force(table: Table, room: str) -> int:
    """The floor of my vote in force in a ballot thread, by myself or by proxy (0: none)."""
    posts = Post.objects.filter(game=table.game, room=room, seat=table.seat, receipt__state__in=("vote", "change"))
    return next((post.floor for post in posts.order_by("-floor") if "void" not in (post.receipt or {})), 0)


def proxy(
    table: Table, seat: int, ballot: int, target: int, key: str = "", beside: Callable[[], None] | None = None
) -> doors.Answer:
    """Enter a vote for a seat as a director (C17, C18): it stands in the ballot thread as a post of its own, so that it can be
    quoted and changed like any other. A request for it that was waiting is done. `ballot`: 0 exile, 1 election; `target` 0:
    弃权; `beside` writes what must stand or fall with it.

    Raises:
        Refused, Denied: nothing has changed.
    """
    if not table.directs:
        raise Denied("只有本局导演可以代投。", "Only a director of this game can enter a proxy vote.")
    if target and target not in table.personas:
        raise Denied("没有这个座位。", "There is no such seat.")
    name = "election" if ballot == BALLOT_NUMBER["election"] else "exile"
    body = vote_post(table, target, PROXY_REASON, False)
    own = _key(table, key)

    def prepare(seats: doors.Seats) -> c.Command:
        if beside is not None:
            beside()
        ref = _next_ref(table)
        Post.objects.create(
            game=table.game, room="new", floor=ref, voice="director", director=table.director, seat=seat, author=table.account, ref=ref,
            body=body, html=render_post(body), words=body, at=table.now, minute=seats.minute, note="proxy", key=own or None,
            receipt={"state": "vote", "target": target, "ballot": name},
        )  # fmt: skip
        return c.Proxy(seat, ballot, target, ref, table.director)

    def after(_answer: doors.Answer) -> None:
        asked = Request.objects.filter(game=table.game, seat=seat, kind="proxy", value__ballot=name, done_at=None)
        asked.update(done_by=table.director, done_at=table.now)

    return doors.submit(_journal(table), prepare, table.now, _by(table), own, after)


def ask_proxy(table: Table, ballot: str, target: int, words: str = "") -> Request:
    """Ask the directors to cast a named vote for me; asked again while it waits, the latest one counts.

    Raises:
        Denied: I cannot vote there, or a proxy would be refused now; nothing has changed.
    """
    me = table.me
    if me is None or not table.seat or _seat(table) != table.seat or ballot not in me.may_vote:
        raise Denied("你在这里没有可投的票，不能请导演代投。", "You have no vote to cast here, so none can be cast for you.")
    if table.public.sped_up or table.minute >= table.public.freeze_at:
        raise Denied("现在已不收代投；首次投票仍收到关门，请自己投。", "Proxy votes are closed; first votes are taken until the close.")
    if target and target not in table.public.alive:
        raise Denied("只能请导演投给在场的人或弃权。", "Ask for a vote for somebody alive, or 弃权.")
    value = {"ballot": ballot, "day": table.public.day, "target": target}
    with transaction.atomic():
        type(table.game).objects.select_for_update().get(pk=table.game.pk)
        waiting = Request.objects.filter(game=table.game, seat=table.seat, kind="proxy", value__ballot=ballot, done_at=None)
        waiting.delete()
        return Request.objects.create(
            game=table.game, seat=table.seat, kind="proxy", value=value, words=words.strip()[:500], at=table.now
        )


def ask(table: Table, words: str, key: str = "") -> Request:
    """A request to the directors in a player's own words.

    Raises:
        Denied: empty, too long, or no player of the game.
    """
    words = words.replace("\r\n", "\n").strip()
    if not words:
        raise Denied("写下要向导演提的请求。", "Write what you ask of the directors.")
    if len(words) > 2000:
        raise Denied(f"请求有 {len(words)} 字，最多 2000 字。", f"{len(words)} characters; at most 2000.")
    seat = _seat(table)
    with transaction.atomic():
        type(table.game).objects.select_for_update().get(pk=table.game.pk)
        value = {"key": _key(table, key)} if key else {}
        earlier = Request.objects.filter(game=table.game, seat=seat, value__key=value["key"]).first() if value else None
        return earlier or Request.objects.create(game=table.game, seat=seat, kind="other", value=value, words=words, at=table.now)


def release(table: Table, post: Post, body: str) -> Post:
    """Release an announcement whose wording was under review (C28), as it stands or in the director's words.

    Raises:
        Denied: nothing is held there, or another director has released it already.
    """
    if not table.directs:
        raise Denied("只有本局导演可以放行公告。", "Only the game's directors release announcements.")
    body = check_body(body or post.body)
    shelf.settle(table.game, table.now)
    with transaction.atomic():
        held = Post.objects.select_for_update().filter(pk=post.pk, game=table.game, room=HELD).first()
        if held is None:
            raise Denied("这条公告已经公开，不能再改。", "This announcement is public already.")
        held.body, held.html, held.words = body, render_post(body), own_words(body)
        held.save(update_fields=["body", "html", "words"])
        LogLine.objects.create(
            game=table.game, director=table.director, kind="worded", about=f"worded {held.floor}", words=body, at=table.now
        )
        shelf.place(held)
    return held


def held_announcements(table: Table) -> list[Post]:
    """Announcements whose wording waits for a director's review, the oldest first; nobody but directors has any."""
    if not table.sees_all:
        return []
    shelf.settle(table.game, table.now)
    return list(Post.objects.filter(game=table.game, room=HELD).order_by("floor"))


def say_as_director(table: Table, room: str, body: str, key: str = "") -> Post:
    """A director's post in any thread: no event, the director's own type."""
    _journal(table)
    if not table.directs:
        raise Denied("只有本局导演可以这样发帖。", "Only the game's directors post like this.")
    body = check_body(body)
    shelf.settle(table.game, table.now)
    with transaction.atomic():
        thread = Thread.objects.select_for_update().filter(game=table.game, room=room).first()
        if thread is None:
            raise Denied("没有这个帖子。", "There is no such thread.")
        own = _key(table, key)
        if own:
            earlier = Post.objects.filter(game=table.game, author=table.account, key=own).first()
            if earlier is not None:
                return earlier
        post = Post.objects.create(
            game=table.game, room=room, floor=take(thread), voice="director", director=table.director, author=table.account,
            body=body, html=rendered(table, body), words=own_words(body), at=table.now, minute=table.minute, key=own or None,
        )  # fmt: skip
    return post


# --- rooms without events -------------------------------------------------------------------------------------------


def whisper(table: Table, room: str, body: str, key: str = "") -> Post:
    """Write in a room the journal does not know: den-N (its members, those out too), hole (mine), line-N (its player and the
    directors), log (the directors).

    Raises:
        Denied: not for you, empty, too long.
    """
    body = check_body(body)
    may_whisper(table, room)
    name = f"hole-{table.account.pk}" if room == "hole" and table.account is not None else room
    own = _key(table, key)
    voice = "account" if room == "hole" else "director" if table.directs else "seat"
    with transaction.atomic():
        type(table.game).objects.select_for_update().get(pk=table.game.pk)
        if own:
            earlier = Post.objects.filter(game=table.game, author=table.account, key=own).first()
            if earlier is not None:
                return earlier
        last = Post.objects.filter(game=table.game, room=name).order_by("-floor").values_list("floor", flat=True).first() or 0
        return Post.objects.create(
            game=table.game, room=name, floor=last + 1, voice=voice, seat=table.seat, director=table.director, author=table.account,
            body=body, html=render_post(body), words=own_words(body), at=table.now, minute=table.minute, key=own or None,
        )  # fmt: skip


def may_whisper(table: Table, room: str) -> None:
    """Whether this one may write in such a room now.

    Raises:
        Denied: otherwise.
    """
    kind, _, number = room.partition("-")
    allowed = table.account is not None and not table.place.visiting
    if kind == "hole":
        allowed = allowed and room == "hole"
    elif kind == "den":
        allowed = allowed and any(f"{den.den}" == number and den.writes for den in table.rooms.dens)
    elif kind == "line":
        allowed = allowed and (table.directs or (table.seat > 0 and str(table.seat) == number))
    elif kind == "log":
        allowed = allowed and table.directs
    else:
        allowed = False
    if not allowed:
        raise Denied("这里不是你能写的地方。", "This is no place you can write in.")


def publish_line(table: Table, seat: int, floors: Sequence[int], key: str = "") -> Post:
    """Publish a question and its answer from a seat's private line as a director's post in the process thread. Neither the
    account nor the persona is named.

    Raises:
        Denied: nothing has changed.
    """
    if not table.directs:
        raise Denied("只有本局导演可以公布私信里的问答。", "Only the game's directors publish from a private line.")
    with transaction.atomic():
        type(table.game).objects.select_for_update().get(pk=table.game.pk)
        posts = list(Post.objects.filter(game=table.game, room=f"line-{seat}", floor__in=floors).order_by("floor"))
        if {post.voice for post in posts} != {"seat", "director"}:
            raise Denied("公布的问答要有一问，也要有一答：各勾至少一条。", "Tick at least one question and one answer to publish.")
        for line in LogLine.objects.filter(game=table.game, about__startswith=f"line {seat} "):
            again = {int(floor) for floor in line.about.split(" ")[2].split(",")} & {post.floor for post in posts}
            if again:
                raise Denied(f"其中有的已公布在进程帖 {line.words} 楼。", f"Published already: process thread, floor {line.words}.")
        body = "\n".join(("[b]问[/b]：" if post.voice == "seat" else "[b]答[/b]：") + post.words.strip() for post in posts)
        made = say_as_director(table, "process", body, key)
        about = f"line {seat} {','.join(str(post.floor) for post in posts)}"
        LogLine.objects.create(
            game=table.game, director=table.director, kind="published", about=about, words=str(made.floor), at=table.now
        )
    return made


# --- skills, petitions, last words --------------------------------------------------------------------------------


def hand_in(table: Table, choices: dict[int, Any], key: str = "") -> doors.Answer:
    """Hand skills in: skill number → seats, True (no target), or None (an explicit pass).

    Raises:
        Refused, Denied: nothing has changed.
    """
    return submit_seat(table, lambda seat: c.Act(seat, choices), key)


def sign(table: Table, kind: str, key: str = "") -> doors.Answer:
    """Sign a petition (C21): speed_up, extend, abort.

    Raises:
        Refused, Denied: nothing has changed.
    """
    return submit_seat(table, lambda seat: c.Sign(seat, kind), key)


def surrender(table: Table, answer: str = "", key: str = "") -> doors.Answer:
    """Propose surrender ("") or answer a proposal (agree, decline).

    Raises:
        Refused, Denied: nothing has changed.
    """
    return submit_seat(table, lambda seat: c.Surrender(seat, answer), key)


def last_words(table: Table, text: str, key: str = "") -> doors.Answer:
    """Hand last words in: plain text (C11); public at the next opening. The last ones handed in count.

    Raises:
        Refused, Denied: nothing has changed.
    """
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST:
        raise Denied(f"遗言最多 {LONGEST} 字。", f"Last words have at most {LONGEST} characters.")
    markup = "、".join(dict.fromkeys(code for _line, code in codes_in(text)))

    def make(seat: int) -> c.Command:
        if text:
            _keep_words(table, seat, text)
        return c.LastWords(seat, digest(text), markup, not text)

    return submit_seat(table, make, key)


def waive_last_words(table: Table) -> None:
    """Leave no last words; until they are due the mind may be changed. The place passes to nobody (C11).

    Raises:
        Denied: there are none to leave (any more).
    """
    journal = _journal(table)
    seat = _seat(table)
    with doors.together(journal):
        if not doors.farewell(journal, seat, table.minute).until:
            raise Denied("现在没有可留的遗言，也就不用放弃。", "There are no last words to leave now, so none to waive.")
        _keep_words(table, seat, "")


def _keep_words(table: Table, seat: int, text: str) -> None:
    Post.objects.update_or_create(
        game=table.game, room="words", floor=seat,
        defaults={
            "voice": "seat", "seat": seat, "author": table.account, "body": text, "html": render_post(text), "words": text, "at": table.now,
            "minute": table.minute,
        },
    )  # fmt: skip


# --- drafts and marks -----------------------------------------------------------------------------------------------


def keep_draft(table: Table, room: str, body: str, why: str = "") -> None:
    """Keep a text as its author's draft; an empty one forgets it."""
    assert table.account is not None
    if body.strip():
        Draft.objects.update_or_create(
            account=table.account, game=table.game, room=room, defaults={"body": body, "why": why, "at": table.now}
        )
    else:
        Draft.objects.filter(account=table.account, game=table.game, room=room).delete()


def mark_read(table: Table, room: str, floor: int) -> None:
    """Remember how far somebody has read; it never goes back. Where the database takes nothing more, reading goes on without."""
    if table.account is None:
        return
    try:
        mark, new = Mark.objects.get_or_create(account=table.account, game=table.game, room=room, defaults={"floor": floor})
        if not new and mark.floor < floor:
            Mark.objects.filter(pk=mark.pk, floor__lt=floor).update(floor=floor)
    except OperationalError as error:
        if faults.of(error) != "full" or connection.in_atomic_block:
            raise


# --- directors' acts ------------------------------------------------------------------------------------------------


def direct(table: Table, command: doors.Prepared, key: str = "", after: doors.After | None = None) -> doors.Answer:
    """A director's command: a card, an act with its reason (C25, rules.md §7); a vote for a seat is `proxy`. `after` runs in
    its transaction.

    Raises:
        Refused, Denied: nothing has changed.
    """
    return direct_once(table, command, _key(table, key), after)


def direct_once(
    table: Table, command: doors.Prepared, key: str, after: doors.After | None = None
) -> doors.Answer:
    """A director's command under a key that all directors share (`proposed-3`): whoever presses second gets the first answer.

    Raises:
        Refused, Denied: nothing has changed.
    """
    if not table.directs:
        raise Denied("只有本局导演可以。", "Only a director of this game can do this.")
    return doors.submit(_journal(table), command, table.now, _by(table), key, after)
