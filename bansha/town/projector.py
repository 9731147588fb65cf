"""What the journal's events do to the town's rows: threads open, announcements are posted, posts get their floors, dens their
readers. It runs inside the writing transaction and can be run again from the first event (`bansha rebuild`)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Q

from bansha.bbcode.render import render_post
from bansha.bbcode.words import own_words
from bansha.journal.projectors import Said
from bansha.sight.news import News
from bansha.town import shelf
from bansha.town.floors import HELD, take
from bansha.town.models import DenSeat, Game, LogLine, Persona, Post, Thread
from bansha.town.words import Speaker, clock, day_name

BALLOT_ROOM = {"exile": "ballot", "election": "election"}
REVEAL = "reveal"
UNMASKED = (
    "揭秘帖：本局结束，面具摘下。谁戴了哪个马甲、是什么角色，导演日志、树洞与群，都在揭秘页。\n"
    "在这一帖里各人用自己的名字说话，旁边写着演过的马甲与角色；替补、场助、嘉宾与观众也在这里。"
)
"""What opens the reveal thread."""
SPOKEN = {"announced", "counted", "ended", "moved", "card", "card_withdrawn", "paused", "resumed"}
WAITING = 16
"""More announcements than one entry makes."""
PROJECTED = Q(voice__in=("referee", "lift")) | Q(note__in=("sign", "lastwords"))
"""Posts that are written here and can be written again."""


def clear(journal: int) -> None:
    """Drop what is projected of a game."""
    game = Game.objects.filter(journal=journal).first()
    if game is not None:
        Post.objects.filter(PROJECTED, game=game).exclude(room="words").delete()
        for post in Post.objects.filter(game=game, ref__gt=0):
            kept = {key: value for key, value in (post.receipt or {}).items() if key != "void"}
            Post.objects.filter(pk=post.pk).update(room="new", floor=post.ref, receipt=kept or None)
        Thread.objects.filter(game=game).delete()
        DenSeat.objects.filter(game=game).delete()


def project(journal: int, said: Sequence[Said]) -> None:
    """React to new entries."""
    game = Game.objects.filter(journal=journal).only("journal", "review").first()  # the rest is seldom needed, and the lock is held
    if game is not None:
        projection = _Projection(game)
        for entry in said:
            shelf.settle(game, entry.received)
            projection.entry(entry)


def finish(journal: int) -> None:
    """After everything was written again: what directors had released stands in its thread, though nothing came after it."""
    game = Game.objects.filter(journal=journal).first()
    if game is not None:
        released = LogLine.objects.filter(game=game, kind="worded").order_by("at").values_list("at", flat=True).last()
        if released is not None:
            shelf.settle(game, released)


class _Projection:
    def __init__(self, game: Game) -> None:
        self.game = game
        self._speaker: Speaker | None = None
        self.waiting = 0
        """Announcements of the present entry that wait for a review."""

    @cached_property
    def day(self) -> int:
        """The newest day whose threads stand open (0: none yet)."""
        return Thread.objects.filter(game=self.game, kind="talk").count()

    @property
    def speaker(self) -> Speaker:
        if self._speaker is None:
            from bansha.journal import doors

            assert self.game.journal is not None
            names = dict(Persona.objects.filter(game=self.game).values_list("seat", "name"))
            self._speaker = Speaker(names, doors.ruleset(self.game.journal).ruleset)
        return self._speaker

    def entry(self, entry: Said) -> None:
        """One entry: what it says in public is one post."""
        spoken: list[str] = []
        opened: News | None = None
        self.waiting = 0
        for news in entry.news:
            match news.kind:
                case "game_opened":
                    self.thread("process", "process", 0, entry)
                    self.post("process", "进程帖：在这里签名申请加速、延时，也在这里向导演提请求。", entry)
                    Game.objects.filter(pk=self.game.pk).update(status="running")
                case "day":
                    opened = news
                    self.day = int(news.value["day"])
                    self.open_day(news, entry)
                case "post":
                    self.seat_post(news, entry)
                case "signed":
                    self.signed(news, entry)
                case "den":
                    for seat in news.seats:
                        DenSeat.objects.get_or_create(game=self.game, den=news.value["den"], seat=seat, defaults={"since": news.at})
                case "ended":
                    Game.objects.filter(pk=self.game.pk).update(status="over")
                    self.thread(REVEAL, REVEAL, 0, entry)
                    self.post(REVEAL, UNMASKED, entry)
                case "counted":
                    self.counted(news, entry)
                case "vote":
                    self.proxy_post(news, entry)
                case "vote_voided" | "vote_undone":
                    self.unvote(news)
            if news.kind in SPOKEN:
                self.speaker.day = self.day
                spoken += [line for line in (self.speaker.line(news),) if line]
        if opened is not None:
            head = f"{day_name(self.day)}开门，{clock(opened.value['closes_at'], entry.at)} 关门。"
            if opened.value["extended"]:
                head += "（遇周末顺延一日。）"
            self.post(f"talk-{self.day}", "\n".join([head, *spoken]), entry, note="morning")
            self.lift(f"talk-{self.day}", entry)
            self.last_words(f"talk-{self.day}", entry)
        elif spoken:
            ended = any(news.kind == "ended" for news in entry.news)
            self.post(f"talk-{self.day}" if self.day else "process", "\n".join(spoken), entry, reviewed=not ended)
            if ended:
                self.last_words(f"talk-{self.day}" if self.day else "process", entry)

    # --- threads and floors ---------------------------------------------------------------------------------------

    def thread(self, room: str, kind: str, day: int, entry: Said) -> None:
        crowded = Post.objects.filter(game=self.game, room=room, voice__in=("director", "account")).exists()
        Thread.objects.get_or_create(
            game=self.game, room=room, defaults={"kind": kind, "day": day, "opened_at": entry.received, "crowded": crowded}
        )

    def floor(self, room: str) -> int:
        """The next floor of a thread."""
        return take(Thread.objects.select_for_update().get(game=self.game, room=room))  # as a director's post does

    def open_day(self, news: News, entry: Said) -> None:
        self.thread(f"talk-{self.day}", "talk", self.day, entry)
        for ballot in news.value["ballots"]:
            room = f"{BALLOT_ROOM[ballot]}-{self.day}"
            self.thread(room, BALLOT_ROOM[ballot], self.day, entry)
            what = "警长竞选" if ballot == "election" else "放逐"
            self.post(
                room,
                f"{day_name(self.day)}{what}投票帖，{clock(news.value['closes_at'], entry.at)} 关门计票。\n"
                "格式：“投票对象：完整马甲名”换行“投票理由：……”；弃权写“弃权”。\n改票引用自己原来的票，写“改票对象”“改票理由”。",
                entry,
            )

    # --- posts ----------------------------------------------------------------------------------------------------

    def post(
        self, room: str, body: str, entry: Said, note: str = "", voice: str = "referee", seat: int = 0, reviewed: bool = False,
        receipt: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Post in a thread. `reviewed`: an announcement whose wording a director may review first (C28): it waits without a
        floor. One that was released already comes out with its wording at the moment at which it did."""
        held, waits_for = None, ""
        if reviewed and self.game.review:
            self.waiting += 1
            room, waits_for, floor = HELD, room, WAITING * entry.n + self.waiting
            line = LogLine.objects.filter(game=self.game, about=f"worded {floor}").first()
            body, held = (line.words, line.at) if line is not None else (body, self.next_opening(entry))
        else:
            floor = self.floor(room)
        Post.objects.create(
            game=self.game, room=room, floor=floor, voice=voice, seat=seat, body=body, html=render_post(body), words=own_words(body),
            at=entry.received, minute=entry.at, note=note, held_until=held, receipt=receipt, waits_for=waits_for,
        )  # fmt: skip

    def next_opening(self, entry: Said) -> datetime:
        """The latest moment a director's review may hold an announcement back until (C28): the next hour of opening."""
        from bansha.journal import doors

        assert self.game.journal is not None
        hours, minutes = self.speaker.ruleset.calendar.opens.split(":")
        at = entry.at - entry.at % 1440 + int(hours) * 60 + int(minutes)
        return doors.pace(self.game.journal).moment(at if at > entry.at else at + 1440)

    def counted(self, news: News, entry: Said) -> None:
        """A ballot was counted: its announcement, with the figures beside it."""
        receipt = {"state": "count", **news.value}
        room = f"{BALLOT_ROOM[news.value['ballot']]}-{self.day}"
        self.post(room, self.speaker.tally(news.value), entry, note="count", reviewed=True, receipt=receipt)

    def proxy_post(self, news: News, entry: Said) -> None:
        """A vote that directors entered for a seat stands in the thread like any other."""
        post = Post.objects.filter(game=self.game, ref=news.value["ref"] or -1, ref__gt=0, room="new").first()
        if post is not None:
            room = f"{BALLOT_ROOM[news.value['ballot']]}-{self.day}"
            Post.objects.filter(pk=post.pk).update(room=room, floor=self.floor(room), minute=entry.at, at=entry.received)

    def unvote(self, news: News) -> None:
        """Votes that are void, or in force again: their receipts say so (`void`: since when)."""
        room = f"{BALLOT_ROOM[news.value['ballot']]}-{self.day}"
        again = news.value.get("ref", 0)
        for post in Post.objects.filter(game=self.game, room=room, seat=news.value["seat"], receipt__state__in=("vote", "change")):
            was: dict[str, Any] = post.receipt or {}
            receipt = {key: value for key, value in was.items() if key != "void"}
            if not again or post.ref > again:
                receipt["void"] = was.get("void", news.at)
            elif post.ref < again:
                receipt = was
            Post.objects.filter(pk=post.pk).update(receipt=receipt)

    def lift(self, room: str, entry: Said) -> None:
        """The elevator stands on the second floor."""
        Post.objects.create(
            game=self.game, room=room, floor=self.floor(room), voice="lift", at=entry.received, minute=entry.at,
        )  # fmt: skip

    def seat_post(self, news: News, entry: Said) -> None:
        kind = {"discussion": "talk"}.get(news.value["thread"], news.value["thread"])
        kinds = ("ballot", "election") if kind == "ballot" else (kind,)  # the election's, where it is the day's only ballot
        thread = Thread.objects.select_for_update().filter(game=self.game, kind__in=kinds).order_by("-day", "kind")[:1].get()
        Post.objects.filter(game=self.game, ref=news.value["ref"], ref__gt=0).update(  # > 0: the index holds no others
            room=thread.room, floor=take(thread), minute=entry.at, at=entry.received
        )

    def signed(self, news: News, entry: Said) -> None:
        from bansha.town.words import KINDS

        body = f"签名申请：{KINDS[news.value['kind']]}"
        self.post("process", body, entry, note="sign", voice="seat", seat=news.value["seat"])

    def last_words(self, room: str, entry: Said) -> None:
        """Last words become public at the opening (C13), in the order they came."""
        said = set(Post.objects.filter(game=self.game, note="lastwords").exclude(room="words").values_list("seat", flat=True))
        for post in Post.objects.filter(game=self.game, room="words", at__lte=entry.received).exclude(body="").order_by("at", "floor"):
            if post.seat not in said:
                Post.objects.create(
                    game=self.game, room=room, floor=self.floor(room), voice="seat", seat=post.seat, author=post.author, body=post.body,
                    html=post.html, words=post.words, at=entry.received, minute=entry.at, note="lastwords",
                )  # fmt: skip
