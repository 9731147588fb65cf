"""Why did the game end? The condition met, what was lost before, and the out that brought it."""

from __future__ import annotations

from bansha.referee import events as e
from bansha.sight.teller import Teller, moment


def end(t: Teller) -> None:
    """The condition that was met, the factions judged lost before it, and the out that brought it."""
    ends = list(t.seen.of(e.GameEnded))
    if not ends:
        t.say("游戏还没有结束。", "The game has not ended.", "C14", "C15")
        return
    index, record, event = ends[-1]
    for _, when, lost in t.seen.of(e.FactionLost):
        zh, en = t.faction(t.board.faction_ids[lost.faction])
        told = moment(when)
        text = t.ids.get(lost.why)
        why = (f"：{text.zh}", f": {text.en}") if text else ("。", ".")
        extra = {"director": ("D2",), "G16": ("G16",)}.get(lost.why, (lost.why,))
        t.say(f"{told[0]}，{zh}判负{why[0]}", f"{told[1]}: {en} was judged lost{why[1]}", *extra, "C15")
    outs = list(t.seen.of(e.Out, index))
    if outs and outs[-1][1].at == record.at:
        out = outs[-1][2]
        by = t.who(out.seat)
        t.say(
            f"{moment(record)[0]}，{by[0]}出局（{t.zh.cause(out.cause)}）。",
            f"{moment(record)[1]}: {by[1]} went out ({t.en.cause(out.cause)}).",
            "C10",
            "C14",
        )
    zh, en = moment(record)
    if event.why == "abort":
        kinds = [ev for _, _, ev in t.seen.of(e.PetitionPassed, index) if ev.kind == "abort"]
        how = ("流局申请成立", "the petition to abort passed") if kinds else ("导演判流局", "a director aborted it")
        t.say(
            f"{zh}，{how[0]}，没有胜方。",
            f"{en}: {how[1]}; nobody wins.",
            "W29",
            *((t.ruling("abort"), "C21") if kinds else ("D2",)),
        )
        return
    if event.faction < 0:
        t.say(f"{zh}，没有一个阵营未判负：无人获胜。", f"{en}: no faction is left that is not lost: nobody wins.", "C15", "G7")
        return
    won = t.faction(t.board.faction_ids[event.faction])
    text = t.ids.get(event.why)
    if event.why == "C15" or text is None:
        t.say(f"{zh}，只剩{won[0]}未判负，获胜。", f"{en}: only {won[1]} is not lost and wins.", "C15", "C14")
    else:
        t.say(f"{zh}，{won[0]}达成胜利条件：{text.zh}", f"{en}: {won[1]} met its condition: {text.en}", event.why, "C14", "C15")
