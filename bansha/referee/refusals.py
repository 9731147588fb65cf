"""Refusals: a stable code for programs and a sentence in both languages for people, naming what would be legal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

# code -> (zh, en). Placeholders are filled from keyword arguments; a missing one is a programming error.
SENTENCES: dict[str, tuple[str, str]] = {
    "over": ("游戏已经结束，不再接受任何行动。", "The game is over; nothing more is taken."),
    "paused": ("游戏暂停中，{who}恢复之后再交。", "The game is paused; hand it in after it has been resumed ({who})."),
    "not_begun": ("游戏还没有发牌。", "The game has not been dealt yet."),
    "no_seat": ("没有{seat}号座位；座位是1到{n}。", "There is no seat {seat}; seats are 1 to {n}."),
    "out": ("{seat}号已经出局，不能再行动；仍可在共群与树洞里说话。", "Seat {seat} is out and acts no more; den and tree hole stay open."),
    "red_carded": (
        "{seat}号今天已被红牌罚下，不再发言、投票或签名。",
        "Seat {seat} was red-carded today: no more posts, votes or signatures.",
    ),
    "unknown_skill": ("没有叫“{skill}”的技能。本场的技能有：{legal}。", "There is no skill {skill!r}. Skills here: {legal}."),
    "not_held": ("{seat}号没有“{skill}”。现在持有：{legal}。", "Seat {seat} does not hold {skill}. Held now: {legal}."),
    "spent": ("“{skill}”是限定技能，已经用过。现在持有：{legal}。", "{skill} is limited and has been used. Held now: {legal}."),
    "automatic": ("“{skill}”由裁判自动执行，不用提交。", "{skill} is answered by itself; nothing is handed in."),
    "setup_only": ("“{skill}”只在开局准备时可用。", "{skill} can only be used in setup."),
    "not_setup": ("开局准备时只能交：{legal}。", "In setup only these can be handed in: {legal}."),
    "not_tonight": ("“{skill}”今晚不能用：{legal}。", "{skill} cannot be used tonight: {legal}."),
    "late": ("“{skill}”今晚的时限已过（{limit}止）；下一次从开门起可交。", "The window of {skill} is over (until {limit}); next from the opening on."),
    "frozen": ("{seat}号今晚被冰冻，非强制技能失效；没有用掉。", "Seat {seat} is frozen tonight; skills that are not forced fail and are not spent."),
    "forced": ("“{skill}”是强制技能，不能放弃；可选：{legal}。", "{skill} is forced and cannot be passed; choices: {legal}."),
    "ordered": ("今晚已有盾控，守护必须出盾，不能放弃；可选：{legal}。", "Tonight the shield was ordered and cannot be passed; choices: {legal}."),
    "excludes": ("“{skill}”与“{other}”只能二选一，不能一次都交。", "{skill} and {other} are one choice; hand in one of them."),
    "needs_last": ("“{skill}”只在恰好剩一狼时可用，现在还有{count}狼。", "{skill} needs exactly one living wolf; {count} live."),
    "final": ("“{skill}”已经生效，不能更改或收回。", "{skill} has taken effect and is final."),
    "target_count": ("“{skill}”要指定{need}名角色，收到{got}名。", "{skill} takes {need} target(s), got {got}."),
    "no_target": ("“{skill}”不指定目标，写 true 即可。", "{skill} has no target; write true."),
    "target_twice": ("“{skill}”不能把同一名角色写两次。", "{skill} cannot name the same character twice."),
    "target_out": ("{target}号已经出局，不能作为目标；可选：{legal}。", "Seat {target} is out and no legal target; choices: {legal}."),
    "other": ("“{skill}”不能指定自己；可选：{legal}。", "{skill} must name another character; choices: {legal}."),
    "self_first_night": ("“{skill}”只有第一晚可以用在自己身上；可选：{legal}。", "{skill} on oneself only in the first night; choices: {legal}."),
    "not_consecutive": (
        "“{skill}”不可连续两晚指定同一人，{target}号昨晚已被指定；可选：{legal}。",
        "{skill} cannot name the same character two nights running ({target} was last night); choices: {legal}.",
    ),
    "once_per_target": (
        "每名角色只能被“{skill}”指定一次，{target}号已被指定过；可选：{legal}。",
        "{skill} names each character once; {target} has been named; choices: {legal}.",
    ),
    "adjacent": ("“{skill}”要指定连续的{need}个座位，例如{legal}。", "{skill} takes {need} consecutive seats, for example {legal}."),
    "no_prompt": ("现在没有等待{seat}号回应的“{skill}”。", "No prompt of {skill} is waiting for seat {seat}."),
    "successor_shot": ("继任者不能是刚被射击的{target}号；可选：{legal}。", "The successor cannot be {target}, who was just shot; choices: {legal}."),
    "not_day": ("现在不是讨论日，{what}要等开门（{legal}）。", "It is not a discussion day; {what} waits for the opening ({legal})."),
    "no_ballot": ("今天没有{ballot}；今天开放的是：{legal}。", "There is no {ballot} today; open today: {legal}."),
    "voted": ("{seat}号已有一张有效票；要改请用改票（每次投票只能改一次）。", "Seat {seat} has a vote in force; change it instead (one change)."),
    "no_vote": ("{seat}号还没有投票，没有可改的票；请先投票。", "Seat {seat} has no vote in force to change; vote first."),
    "changed": ("{seat}号已经改过票，每次投票只能改{legal}次。", "Seat {seat} has used its change ({legal} per ballot)."),
    "freeze": ("{limit}起不能改票或代投；首次投票仍收到关门。", "No changes or proxy votes from {limit} on; first votes until the close."),
    "sped_up": ("今天已执行加速，不能改票或代投；首次投票仍收到关门。", "The day is sped up: no changes or proxy votes; first votes until the close."),
    "vote_out": ("{target}号已经出局，不能被投；可投：{legal}或弃权。", "Seat {target} is out; vote for {legal} or 弃权."),
    "vote_barred": ("{target}号今天已被罚下，不再接受投给TA的票；可投：{legal}或弃权。", "Seat {target} was sent off today and takes no new votes; vote for {legal} or 弃权."),
    "no_voting_right": ("{seat}号不能再参与投票（已用“{skill}”）。", "Seat {seat} may not vote any more (used {skill})."),
    "must_quote": ("改票要引用自己现在有效的那张票。", "A change must quote your own vote in force."),
    "unknown_name": ("场上没有叫“{target}”的人，要写完整的马甲名或“弃权”。可投：{legal}。", "Nobody alive is called {target!r}; write a whole persona name or 弃权: {legal}."),
    "bad_format": ("不是有效的选票：{what}", "Not a valid vote: {what}"),
    "unknown_thread": ("没有叫“{thread}”的帖子；可以发帖的有：{legal}。", "There is no thread {thread!r}; threads: {legal}."),
    "unknown_kind": ("本规则没有“{kind}”申请；可以申请：{legal}。", "This ruleset has no petition {kind!r}; petitions: {legal}."),
    "signed": ("{seat}号今天已签过“{kind}”，每种每天签一次。", "Seat {seat} has signed {kind} today; once a day each."),
    "passed": ("“{kind}”今天已经成立，不再签名。", "{kind} has passed today and takes no more signatures."),
    "closing": ("关门前{hours}小时（{limit}）起不再接受“{kind}”签名。", "Signing {kind} stopped {hours} h before the close ({limit})."),
    "needs_red": ("出过红牌之后才能申请流局。", "An abort can be petitioned only after a red card."),
    "no_surrender": ("本规则不允许投降。", "This ruleset has no surrender."),
    "not_faction": ("只有在场的{faction}成员能发起投降。", "Only a living member of {faction} may propose surrender."),
    "faction_lost": ("该阵营已经判负。", "That faction is judged lost already."),
    "proposal_open": ("已有一个投降提议在等待回应。", "A proposal of surrender is open already."),
    "no_proposal": ("现在没有等待{seat}号回应的投降提议。", "No proposal of surrender waits for seat {seat}."),
    "declined_today": ("今天的投降提议已被拒绝，下次开门后才能再提。", "A proposal was declined; the next can be made after the next opening."),
    "no_last_words": ("{seat}号没有遗言资格；有资格的是最先出局的{count}人（红牌除外）。", "Seat {seat} has no last words; the first {count} out have (red cards apart)."),
    "last_words_late": ("遗言时限已过（{limit}）。", "Last words were due by {limit}."),
    "markup": ("遗言是纯文字，不能用代码：{what}。", "Last words are plain text, no BBCode: {what}."),
    "empty": ("内容是空的，写几个字再交。", "It is empty; write something."),
    "unknown_clause": ("没有条款“{clause}”，判罚必须引用条款：{legal}。", "There is no clause {clause!r}; a card cites one of: {legal}."),
    "wrong_colour": ("“{clause}”不能判{colour}，可判：{legal}。", "{clause} cannot be dealt in {colour}; legal: {legal}."),
    "may_not_judge": (
        "本规则里，判负阵营不随这张牌；只有写明可以的规则、且是红牌时才行。要判负请另作导演改判。",
        "No faction is judged lost with this card; only with a red one, where the rules say so. Judge it by a director's act.",
    ),
    "no_card": ("{seat}号没有可撤回的这张牌；现有：{legal}。", "Seat {seat} has no such card to withdraw; standing: {legal}."),
    "no_substitute": ("每个马甲最多换{times}次替补，{seat}号已换过；找不到替补可按“替补”条款红牌罚下。", "At most {times} substitute(s) per persona; seat {seat} has had it."),
    "no_assistant": ("{seat}号已参加{played}场，只有不超过{games}场的新手可以请场助。", "Seat {seat} has played {played} games; assistants are for at most {games}."),
    "has_assistant": ("{seat}号已有场助。", "Seat {seat} has an assistant already."),
    "needs_reason": ("导演的改判必须写理由（reason）。", "A director's act needs a reason."),
    "nothing_to_void": ("{seat}号没有可作废的{what}。", "Seat {seat} has no {what} to void."),
    "nothing_open": ("现在没有可以移动的时限；可移动：开局准备、讨论日、夜晚阶段、待答提示。", "No open limit to move now (setup, day, night stage, prompt)."),
    "bad_time": ("{time}不在现在（{now}）之后。", "{time} is not after now ({now})."),
    "is_out": ("{seat}号已经出局。", "Seat {seat} is out already."),
    "not_out": ("{seat}号没有出局，无从恢复。", "Seat {seat} is not out."),
    "unknown_faction": ("没有阵营“{faction}”；有：{legal}。", "There is no faction {faction!r}; factions: {legal}."),
    "not_paused": ("游戏没有暂停。", "The game is not paused."),
    "nothing_to_undo": ("没有可撤销的：{why}。", "Nothing to undo: {why}."),
    "unknown_act": ("没有这样的导演操作“{act}”；有：{legal}。", "No such director's act {act!r}; acts: {legal}."),
    "nothing_told": ("{seat}号没有收到过“{skill}”的答复，无从更正。", "Seat {seat} was never answered for {skill}; nothing to correct."),
    "nothing": ("没有交任何内容。", "Nothing was handed in."),
    "phase": ("现在不能这样做：{legal}。", "That cannot be done now: {legal}."),
}


class Refused(Exception):
    """A submission that was refused: nothing has changed.

    `code` is stable (documented in the reference); `zh`, `en` are sentences that name what would be legal.
    """

    def __init__(self, code: str, **facts: Any) -> None:
        self.code = code
        self._facts = facts
        super().__init__(code)

    def _fill(self, index: int) -> str:
        facts = {key: value() if callable(value) else value for key, value in self._facts.items()}
        return SENTENCES[self.code][index].format(**facts)

    @property
    def zh(self) -> str:
        """The sentence in Chinese."""
        return self._fill(0)

    @property
    def en(self) -> str:
        """The sentence in English."""
        return self._fill(1)

    def sentence(self, lang: str) -> str:
        """The sentence in `lang`."""
        return self.en if lang == "en" else self.zh

    def __str__(self) -> str:
        return f"{self.code}: {self.zh}"


def seats(numbers: Iterable[int]) -> str:
    """Seat numbers for a sentence: '1、3、5', or '无' when there are none."""
    return "、".join(map(str, numbers)) or "无"


def clock(minute: int) -> str:
    """'HH:MM' of a game-local minute."""
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"


Lazy = Callable[[], str]
