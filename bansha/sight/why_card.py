"""Why was a card proposed? What the platform saw by itself."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.rulesets.phrases import COLOURS
from bansha.sight.teller import Teller, moment
from bansha.sight.witness import Seen


def card(t: Teller, seat: int, clause: str) -> None:
    """What the platform saw by itt."""
    for index, record, event in t.seen.of(e.CardProposed):
        if event.seat == seat and clause in ("", event.clause):
            _proposed(t, index, record, event)
    if not t.lines:
        t.say("系统拟好的牌只交导演定夺，此外没有可说的。", "What the platform proposes is for the directors alone.", "P6", "V8")


def _proposed(t: Teller, index: int, record: Seen, event: e.CardProposed) -> None:
    rule = t.rules.attendance
    zh, en = moment(record)
    colour = COLOURS[event.colour]
    seat, day = event.seat, record.day
    if event.why == "no_vote":
        why = f"第{day}天没有投票", f"no vote on day {day}"
        clauses = ["M7", "G12", "C16"]
    elif event.why == "posts":
        count = sum(1 for _, r, ev in t.seen.of(e.PostMade, index) if ev.seat == seat and ev.thread == "discussion" and r.day == day)
        why = (
            f"第{day}天在讨论帖只发了{count}帖，不足{rule.posts}帖",
            f"{count} post(s) in the discussion thread on day {day}, fewer than {rule.posts}",
        )
        clauses = ["M7", "G12"]
    elif event.why == "streak":
        why = (
            f"到第{day}天，连续{rule.streak_days}个讨论日每日不足{rule.streak_posts}帖",
            f"by day {day}, fewer than {rule.streak_posts} posts on each of {rule.streak_days} discussion days in a row",
        )
        clauses = ["G12"]
    else:
        name = t.skill(t.board.skill_index[event.why])
        when = ("准备里", "in setup") if record.phase == "setup" else (f"第{day}夜", f"in night {day}")
        why = (
            f"{when[0]}有{name[0]}可用，没有交，也没有放弃",
            f"{when[1]} {name[1]} was usable and neither handed in nor passed",
        )
        clauses = ["M6", f"skill.{event.why}"]
    t.say(
        f"{zh}，为{seat}号拟{colour[0]}（{event.clause}）：{why[0]}。",
        f"{en}: a {colour[1]} was proposed for seat {seat} ({event.clause}): {why[1]}.",
        f"conduct.{event.clause}",
        *clauses,
        "P6",
    )
