"""The words of everything generated from a ruleset: one sentence a flag, a verb, a line, a condition, a policy.

Every sentence stands here twice, (zh, en), beside the name it belongs to; the rule sheet, the brief and the
differences are made of them, so that they cannot say different things about one setting. In a template ``{n}`` is the
value itself; ``[s]`` in an English one is the plural ending that goes with it, ``{first}`` the game's first night.
"""

from __future__ import annotations

from typing import Final, NamedTuple

Pair = tuple[str, str]

# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────────

# The parts of the sheet in their order; a clause's `section` and `declared_empty` use these names.
SECTIONS: Final[dict[str, Pair]] = {
    "words": ("用语", "Words"),
    "basics": ("总则", "In general"),
    "roles": ("阵营与身份", "Factions and roles"),
    "skills": ("技能", "Skills"),
    "setup": ("准备", "Setup"),
    "night": ("一夜的时刻表", "The night's timetable"),
    "settlement": ("结算", "Settlement"),
    "aftermath": ("出局之后", "What follows an out"),
    "victory": ("胜负", "Victory"),
    "calendar": ("日程", "Calendar"),
    "badge": ("警长", "Sheriff"),
    "ballot": ("投票", "Ballots"),
    "petitions": ("申请", "Petitions"),
    "last_words": ("遗言", "Last words"),
    "surrender": ("投降", "Surrender"),
    "substitutes": ("替补", "Substitutes"),
    "assistants": ("场助", "Assistants"),
    "tree_hole": ("树洞", "Tree holes"),
    "announcements": ("何时公布什么", "What is announced when"),
    "director": ("导演", "The director"),
    "secrecy": ("谁可以知道什么", "Who may know what"),
    "conduct": ("违规与牌", "Conduct and cards"),
    "rewards": ("奖励", "Rewards"),
    "etiquette": ("寄语", "Etiquette"),
    "rulings": ("裁定与选项", "Rulings and options"),
    "left_overs": ("原帖里没有用上的词", "Words of the source left over"),
    "revisions": ("修订记录", "Revisions"),
}

BALLOTS: Final[dict[str, Pair]] = {"election": ("竞选警长", "sheriff election"), "exile": ("放逐", "exile")}
PETITIONS: Final[dict[str, Pair]] = {
    "speed_up": ("加速", "speed-up"),
    "extend": ("延时", "extension"),
    "abort": ("流局", "abort"),
}
COLOURS: Final[dict[str, Pair]] = {
    "blue": ("蓝牌", "blue card"),
    "yellow": ("黄牌", "yellow card"),
    "red": ("红牌", "red card"),
}
CAUSES: Final[dict[str, Pair]] = {
    "exile": ("放逐", "exile"),
    "red_card": ("红牌", "red card"),
    "director": ("导演判定", "the director"),
}
ACQUAINT: Final[dict[str, Pair]] = {
    "den": ("互知并共群", "know each other and share a den"),
    "known": ("互知，不共群", "know each other, no den"),
    "strangers": ("不互知", "do not know each other"),
}
DETECTORS: Final[dict[str, Pair]] = {
    "director_red": ("用了导演的红色", "the director's red colour"),
    "enlarged": ("放大了字体", "an enlarged font"),
}
YES_NO: Final[tuple[Pair, Pair]] = (("否", "no"), ("是", "yes"))
WEEKDAYS: Final[tuple[Pair, ...]] = (
    ("周一", "Mon"),
    ("周二", "Tue"),
    ("周三", "Wed"),
    ("周四", "Thu"),
    ("周五", "Fri"),
    ("周六", "Sat"),
    ("周日", "Sun"),
)


# ── settings: every number and policy outside the skills ─────────────────────────────────────────────────────────────


class Setting(NamedTuple):
    """A value of the ruleset by its path: what it is called, and what is said of it.

    `says` is a template with ``{n}``, or one phrase a value ("true" and "false" for flags); `zero` is said instead of
    the template when the number is nought or the text empty.
    """

    label: Pair
    says: Pair | dict[str, Pair]
    zero: Pair | None = None


# What becomes of the badge: said of the skill 殉职, by whether it is forced.
HANDOVER: Final = Setting(
    ("警长出局", "Sheriff out"),
    {
        "true": ("必须把警徽移交一名在场角色", "must hand the badge to a living character"),
        "false": ("把警徽移交一名在场角色，或者撕掉", "hands the badge to a living character or tears it"),
    },
)
SETTINGS: Final[dict[str, Setting]] = {
    "calendar.start": Setting(
        ("开局", "The game starts"),
        {
            "day": ("准备之后先是第一日", "by day: setup, then day one"),
            "night": ("准备之后先是第零夜，再到第一日", "at night: setup, then night zero, then day one"),
        },
    ),
    "calendar.opens": Setting(("开门", "Opening"), ("{n}", "{n}")),
    "calendar.closes": Setting(("关门", "Close"), ("{n}", "{n}")),
    "calendar.setup_minutes": Setting(("准备的时限", "Time for setup"), ("{hours} 小时（{n} 分钟）", "{hours} h ({n} minutes)")),
    "calendar.first_day": Setting(("第一日的长短", "Length of day one"), ("{n} 个自然日", "{n} natural day[s]")),
    "calendar.later_days": Setting(("其后每日的长短", "Length of later days"), ("{n} 个自然日", "{n} natural day[s]")),
    "ballots.first_day": Setting(("第一日的投票", "Ballots on day one"), ("{n}", "{n}"), ("没有投票", "none")),
    "ballots.later": Setting(("其后每日的投票", "Ballots on later days"), ("{n}", "{n}"), ("没有投票", "none")),
    "ballots.exile_tie": Setting(
        ("放逐平票", "Tie for exile"),
        {
            "nobody": ("无人出局", "nobody is out"),
            "sheriff_vote": (
                "警长投的那人出局；没有警长则无人出局",
                "the one the sheriff voted for is out; without a sheriff nobody",
            ),
            "random": ("在平票者中随机放逐一人", "one of the tied is exiled at random"),
        },
    ),
    "ballots.election_tie": Setting(
        ("竞选平票", "Tie for sheriff"),
        {
            "no_sheriff": ("没有警长，警徽从此没有", "no sheriff; the badge is lost for good"),
            "first_reached": ("最先达到这个票数的当选", "whoever first reached that count is elected"),
        },
    ),
    "ballots.changes": Setting(("改票", "Changes"), ("每场投票 {n} 次", "{n} per ballot"), ("不可改票", "votes cannot be changed")),
    "ballots.freeze_minutes": Setting(
        ("改票与代投截止", "Changes and proxy votes stop"),
        ("关门前 {n} 分钟", "{n} minutes before the close"),
        ("收到关门为止", "at the close"),
    ),
    "badge.weight": Setting(
        ("警长的票", "The sheriff's vote"),
        ("放逐时计 {n} 票", "counts {n} in an exile"),
        ("放逐时不计", "does not count"),
    ),
    "badge.silence": Setting(
        ("移交时不答", "No answer to the handover"),
        {
            "torn": ("警徽撕掉", "the badge is torn"),
            "random": ("随机交给一名在场角色", "it goes to a random living character"),
        },
    ),
    "badge.red_card": Setting(
        ("警长被罚下", "Sheriff red-carded"),
        {
            "torn": ("警徽当场撕掉", "the badge is torn at once"),
            "random": ("警徽当场随机交给一名在场角色", "the badge goes to a random living character at once"),
        },
    ),
    "badge.lost_on_tie": Setting(
        ("放逐平票与警徽", "The badge and a tie for exile"),
        {
            "true": ("放逐平票之后警徽没有了", "the badge is lost after a tie for exile"),
            "false": ("放逐平票不影响警徽", "a tie for exile leaves the badge alone"),
        },
    ),
    "badge.announced_daily": Setting(
        ("公布警长", "Naming the sheriff"),
        {
            "true": ("每日开门公布在任警长", "the sheriff in office is announced at every opening"),
            "false": ("只在换人时公布", "announced only when it changes"),
        },
    ),
    "petitions.kinds": Setting(("可以申请", "Kinds"), ("{n}", "{n}"), ("本板没有申请", "there are no petitions on this board")),
    "petitions.closing_minutes": Setting(
        ("停止签名", "Signing stops"), ("关门前 {n} 分钟", "{n} minutes before the close"), ("关门为止", "at the close")
    ),
    "petitions.quorum": Setting(
        ("签满", "Signatures needed"),
        {
            "half": ("在场人数的一半，零头进一", "half of the living, rounded up"),
            "majority": ("超过在场人数的一半", "more than half of the living"),
        },
    ),
    "last_words.count": Setting(
        ("名额", "How many"),
        ("最先出局的 {n} 人", "the first {n} out"),
        ("没有遗言", "there are no last words"),
    ),
    "last_words.least_minutes": Setting(
        ("最少时间", "Least time"),
        ("得知之后至少有 {n} 分钟", "at least {n} minutes after being told"),
        ("不另保证", "none guaranteed"),
    ),
    "surrender.faction": Setting(("可以投降", "May surrender"), ("{n}", "{n}")),
    "substitutes.times": Setting(
        ("更换次数", "How often"),
        ("每个马甲至多 {n} 次", "at most {n} time[s] a persona"),
        ("不限次数", "any number of times"),
    ),
    "assistants.games": Setting(
        ("谁可以请", "Who may have one"),
        ("此前玩过至多 {n} 局的演员", "players with at most {n} earlier game[s]"),
        ("没有玩过的演员", "players without an earlier game"),
    ),
    "cards.blue_per_yellow": Setting(("蓝牌折黄牌", "Blue into yellow"), ("{n} 蓝折 1 黄", "{n} blue make 1 yellow")),
    "cards.yellow_per_red": Setting(("黄牌折红牌", "Yellow into red"), ("{n} 黄折 1 红", "{n} yellow make 1 red")),
    "cards.red": Setting(
        ("红牌何时生效", "When a red card takes effect"),
        {
            "voids_votes": (
                "当即出局；其投出的票与投给其人的票都作废",
                "out at once; votes by and for that character are void",
            ),
            "bars_exile": (
                "当即出局；其投出的票作废，投给其人的票照算、不再收新票；其人居首（含并列）则无人被放逐",
                "out at once; votes by that character are void, votes for it stand and no new ones are taken; if it is "
                "on top, alone or tied, nobody is exiled",
            ),
            "after_ballot": (
                "白天得的，从那时起不能发言、投票，票照算，计票之后出局；黄昏与夜里得的，当即出局",
                "dealt by day: no posts and votes from then on, votes by and for it count, out after the ballot; at "
                "dusk or night: out at once",
            ),
        },
    ),
    "cards.faction_lost_at": Setting(
        ("红牌累计判负", "Red cards that lose a faction"),
        ("同一阵营累计 {n} 张红牌，该阵营判负", "{n} red cards within one faction: it is judged lost"),
        ("不因张数判负", "no number of them does"),
    ),
    "cards.director_may_judge": Setting(
        ("红牌与阵营", "A red card and the faction"),
        {
            "true": (
                "导演发红牌时可以判该演员的阵营负",
                "with a red card the director may judge the player's faction lost",
            ),
            "false": ("导演发红牌时不能另判阵营负", "a red card does not let the director judge the faction lost"),
        },
    ),
    "cards.yellow_excludes": Setting(
        ("黄牌与评奖", "Yellow cards and awards"),
        {
            "true": ("有黄牌的不参加评奖", "a yellow card that stands excludes from awards"),
            "false": ("黄牌不影响评奖", "a yellow card does not touch awards"),
        },
    ),
    "attendance.posts": Setting(
        ("一日少帖", "Too few posts in a day"),
        ("讨论帖一日不足 {n} 帖", "fewer than {n} posts in the discussion thread on a day"),
        ("不计", "not counted"),
    ),
    "attendance.posts_clause": Setting(("一日少帖引用", "Too few posts cite"), ("条款 {n}", "clause {n}"), ("没有条款", "no clause")),
    "attendance.streak_posts": Setting(
        ("连日少帖", "Quiet days in a row"),
        ("连日每日不足 {n} 帖", "fewer than {n} posts on each day of a row"),
        ("不计", "not counted"),
    ),
    "attendance.streak_days": Setting(("连日之数", "Length of the row"), ("连续 {n} 日", "{n} day[s] in a row"), ("不计", "not counted")),
    "attendance.streak_clause": Setting(("连日少帖引用", "Quiet days cite"), ("条款 {n}", "clause {n}"), ("没有条款", "no clause")),
    "attendance.vote_clause": Setting(
        ("未投票引用", "A missing vote cites"), ("条款 {n}", "clause {n}"), ("未投票不罚", "it is not punished")
    ),
    "attendance.silence_clause": Setting(
        ("夜里不答引用", "Silence at night cites"),
        ("条款 {n}，颜色见各技能", "clause {n}; the colour stands with each skill"),
        ("夜里不答不罚", "it is not punished"),
    ),
    "victory.moment": Setting(
        ("何时查胜负", "When victory is checked"),
        {
            "each_out": (
                "每有一人出局、每有阵营或催眠的变动，都查一次",
                "after each single out and each change of faction or charm",
            ),
            "settlement": (
                "每次结算连同它引出的技能都完成之后查一次",
                "once after each settlement with the skills it triggers",
            ),
        },
    ),
}


# ── options ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class OptionWords(NamedTuple):
    """An option: its label, one phrase a value ("N" stands for any number, as ``{n}``), and the value without it."""

    label: Pair
    values: dict[str, Pair]
    default: str = ""


OPTIONS: Final[dict[str, OptionWords]] = {
    "close_early": OptionWords(
        ("提前截止", "Closing early"),
        {
            "yes": (
                "能行动的人都答完，一段就截止",
                "a stage closes once everyone who may act in it has answered",
            ),
            "no": ("每段到时才截止", "a stage closes at its limit"),
        },
        "no",
    ),
    "weekend": OptionWords(
        ("周末", "Weekends"),
        {
            "extend": (
                "首次排定的关门落在周六或周日的，推后一个自然日，只推一次",
                "a close first set on a Saturday or Sunday moves one natural day later, once",
            ),
            "plain": ("周末与平日一样", "weekends are like other days"),
        },
        "plain",
    ),
    "sped_up_spares": OptionWords(
        ("加速日免罚", "What a sped-up day spares"),
        {
            "cards": ("加速日少帖与未投票都不罚", "too few posts and a missing vote go unpunished"),
            "nothing": ("加速日少帖与未投票照罚", "too few posts and a missing vote are punished as ever"),
        },
        "cards",
    ),
    "auto_speed_up_below": OptionWords(
        ("人少自动加速", "Speed-up when few are left"),
        {
            "off": ("不自动加速", "never by itself"),
            "N": ("开门时在场不足 {n} 人，当日即为加速日", "a day that opens with fewer than {n} alive is sped up"),
        },
        "off",
    ),
    "tie_break_scope": OptionWords(
        ("警长断平票", "The sheriff breaking a tie"),
        {
            "tied": (
                "警长所投须在平票者之中，否则无人出局",
                "only if the sheriff voted for one of the tied; otherwise nobody is out",
            ),
            "literal": (
                "警长投谁谁出局，不在平票者之中也一样",
                "whoever the sheriff voted for, tied or not",
            ),
        },
        "tied",
    ),
    "first_night_shield": OptionWords(
        ("首夜盾", "First-night shield"),
        {
            "declared": ("须在时限内自己举起，不知有没有刀", "must be raised in its window, not knowing the kill"),
            "automatic": ("头一夜自行生效，不用交，也没有时限", "works by itself; nothing to submit, no window"),
        },
        "declared",
    ),
    "hybrid_told": OptionWords(
        ("加入阵营者得知什么", "What one who joins is told"),
        {
            "faction": ("得知所入的阵营", "told which faction it joined"),
            "nothing": ("什么也不告知", "told nothing"),
        },
        "faction",
    ),
    "abort": OptionWords(
        ("流局申请签满之后", "When an abort petition passes"),
        {
            "automatic": ("游戏即告流局", "the game ends"),
            "director": ("由导演定夺", "the director may end the game"),
        },
        "automatic",
    ),
    "last_words_until": OptionWords(
        ("遗言截止", "Last words are due"),
        {
            "midnight": ("出局当日 24:00 之前", "by 24:00 of the calendar day of the out"),
            "opening": ("下一次开门之前", "by the next opening"),
        },
        "opening",
    ),
    "day1_exile": OptionWords(
        ("第一日放逐", "Exile on day one"),
        {
            "yes": ("第一日既竞选也放逐", "day one both elects and exiles"),
            "no": ("第一日只竞选，不放逐", "day one only elects"),
        },
        "yes",
    ),
    "oppose_piper": OptionWords(
        ("第三方的对立面", "Opposite of the third faction"),
        {
            "villagers": ("入村民阵营", "the villagers"),
            "wolves": ("入狼人阵营", "the wolves"),
        },
        "villagers",
    ),
    "sheriff_day1_weight": OptionWords(
        ("当选当日的票", "The elected one's vote on that day"),
        {
            "1": ("放逐时计 1 票", "counts 1 in the exile"),
            "2": ("放逐时计 2 票", "counts 2 in the exile"),
            "": ("与以后一样", "counts as later"),
        },
    ),
    "charm_check": OptionWords(
        ("催眠何时定胜负", "When charms decide"),
        {
            "stage": ("催眠那一段截止时即判", "judged when the charm's stage closes"),
            "settlement": ("夜里结算之后才判", "judged after the night's settlement"),
        },
        "stage",
    ),
    "grudge_wrap": OptionWords(
        ("座位首尾", "First and last seat"),
        {
            "yes": ("相接：末座之后是一号", "seats wrap around"),
            "no": ("不相接", "seats do not wrap around"),
        },
        "yes",
    ),
    "victory_moment": OptionWords(
        ("查胜负与枪", "Victory and last shots"),
        {
            "each_out": ("先查胜负，再问最后一枪", "an out is checked before the last shots it triggers"),
            "settled": ("最后一枪结清之后再查", "an out is checked after the last shots it triggers"),
        },
        "each_out",
    ),
    "swap": OptionWords(
        ("互换放逐", "Exchange of exile"),
        {
            "both": ("两人互换，谁被放逐都由另一人出局", "both ways: if either is exiled, the other is out"),
            "one_way": (
                "只换一向：先写的被放逐，后写的出局；反过来不换",
                "one way: if the first named is exiled the second is out, not the other way round",
            ),
        },
        "both",
    ),
    "freeze_scope": OptionWords(
        ("冰冻停下什么", "What the freeze stops"),
        {
            "stages": (
                "停下其后各段的非强制技能，最后一枪不停",
                "skills of all later stages that are not forced; not the last shot",
            ),
            "all": (
                "停下当夜所有非强制技能，最后一枪也停",
                "every skill that night that is not forced, the last shot included",
            ),
        },
        "stages",
    ),
    "torch_absorbs": OptionWords(
        ("庇护挡下几次", "How much the torch absorbs"),
        {"one": ("当夜的一次致死伤害", "one strike that night"), "all": ("当夜的每一次致死伤害", "every strike that night")},
        "one",
    ),
    "first": OptionWords(
        ("先昼先夜", "Day or night first"),
        {"day": ("先是第一日", "day one first"), "night": ("先是第零夜", "night zero first")},
    ),
    "tie": OptionWords(
        ("放逐平票", "Tie for exile"),
        {
            "nobody": ("无人出局", "nobody is out"),
            "random": ("在平票者中随机放逐一人", "one of the tied is exiled at random"),
        },
    ),
}

# Settings that an option of the ruleset, where it has one, decides instead.
DECIDED_BY: Final[dict[str, str]] = {"calendar.start": "first", "ballots.exile_tie": "tie"}


# ── flags of a skill ─────────────────────────────────────────────────────────────────────────────────────────────────


class Flag(NamedTuple):
    """A field of a skill: its label, the sentence when it is set, and for yes-or-no flags the words (off, on)."""

    label: Pair
    says: Pair
    words: tuple[Pair, Pair] | None = None


_MAY: Final[tuple[Pair, Pair]] = (("可", "yes"), ("不可", "no"))

FLAGS: Final[dict[str, Flag]] = {
    "pack": Flag(
        ("共用它的群", "The den that shares it"),
        (
            "{n}的群共用：在场成员谁都可以交，以最后一次为准。",
            "Shared by the den of {n}: any living member submits, the last one counts.",
        ),
    ),
    "forced": Flag(
        ("强制", "Forced"),
        ("强制：不可放弃，到时未答，随机执行。", "Forced: it cannot be passed; unanswered it is executed at random."),
        YES_NO,
    ),
    "limited": Flag(("限定（全场一次）", "Limited (once a game)"), ("限定：全场一次。", "Limited: once a game."), YES_NO),
    "automatic": Flag(("自行发动", "Automatic"), ("自行发动，不用交。", "It happens by itself; nothing to submit."), YES_NO),
    "immediate": Flag(
        ("交出即生效", "Immediate"),
        ("交出即生效，不可更改。", "It takes effect when submitted and is final."),
        YES_NO,
    ),
    "nights": Flag(("哪些夜里", "Nights"), ("{n}。", "{n}.")),
    "targets": Flag(("目标数", "Targets"), ("指 {n} 名角色。", "{n} target[s].")),
    "share": Flag(("按份额指", "Share"), ("{n}。", "{n}.")),
    "other": Flag(("可指自己", "Oneself allowed"), ("不可指自己。", "Not oneself."), _MAY),
    "not_consecutive": Flag(
        ("可连续两夜指同一人", "The same character on consecutive nights"),
        ("不可连续两夜指同一人。", "Not the same character on two consecutive nights."),
        _MAY,
    ),
    "once_per_target": Flag(
        ("可再指指过的人", "A character named before"),
        ("每名角色全场只能被指一次。", "Each character at most once a game."),
        _MAY,
    ),
    "adjacent": Flag(("座位须相连", "Consecutive seats"), ("所指的座位须相连。", "The seats named must be consecutive."), YES_NO),
    "self_only_first_night": Flag(
        ("只有头一夜可指自己", "Oneself on the first night only"),
        ("只有头一夜（{first}）可以指自己。", "Oneself on the first night ({first}) only."),
        YES_NO,
    ),
    "excludes": Flag(("一夜不可同用", "Not in the same night as"), ("与{n}一夜至多用其一。", "Not in the same night as {n}.")),
    "loses": Flag(("用过即失去", "Lost with its use"), ("用过之后失去{n}。", "Once it is used, {n} is lost.")),
    "becomes": Flag(
        ("起效之后变为", "Becomes"),
        (
            "起效之后失去本技能，得到{n}，下一夜起可用。",
            "Once it has worked it is lost and {n} is gained, usable from the next night.",
        ),
    ),
    "shows": Flag(("看得见", "Shows"), ("看得见{n}所指的人。", "It shows the targets of {n}.")),
    "order": Flag(("次序", "Order"), ("{n}。", "{n}.")),
    "tells": Flag(("分辨的阵营", "Factions told apart"), ("分辨{n}。", "It tells {n} apart.")),
    "den": Flag(
        ("与谁共群", "Joins in a den"),
        ("目标属{n}的，与持有者共群。", "A target of {n} joins a den with the holder."),
    ),
    "blocked_by": Flag(("被什么挡住", "Blocked by"), ("目标当夜受{n}的，无效。", "It fails on a target under {n} that night.")),
    "orders": Flag(("强令", "Orders"), ("强令{n}。", "It orders {n}.")),
    "takes": Flag(("夺去", "Takes"), ("夺去{n}。", "It takes {n} away.")),
    "dooms": Flag(
        ("夜末出局的阵营", "Doomed factions"),
        ("目标属{n}的，夜末出局。", "A target of {n} is out at the end of the night."),
    ),
    "leaves": Flag(("不受影响的阵营", "Factions left alone"), ("目标属{n}的，无事。", "Nothing happens to a target of {n}.")),
    "gains": Flag(("逐步得到", "Gains"), ("{n}。", "{n}.")),
    "counts": Flag(("计数", "Counts"), ("以{n}所定的人计数。", "It counts those chosen by {n}.")),
    "reveals": Flag(("公布的马甲", "Persona revealed"), ("公布{n}的马甲。", "It reveals the persona of the {n}.")),
    "joins": Flag(("加入", "Joins"), ("{n}。", "{n}.")),
    "joins_den": Flag(
        ("随之共群互知", "Den and acquaintance"),
        ("与所入阵营的人互知、共群，一如其成员。", "It knows its new faction, and shares its den, as a member does."),
        YES_NO,
    ),
    "opposing": Flag(("对立", "Opposing"), ("{n}。", "{n}.")),
    "amount": Flag(("数量", "Amount"), ("数量为 {n}。", "Its amount is {n}.")),
    "draws": Flag(("抽取", "Draws"), ("随机抽 {n} 人。", "{n} are drawn at random.")),
    "not_after": Flag(("何种出局不能用", "Not after"), ("因{n}出局的不能用。", "Not when out by {n}.")),
    "unless_last": Flag(
        ("阵营最后一人也能用", "Also the last of its faction"),
        ("自己是本阵营最后一名在场者时，不能用。", "Not for the last living member of its faction."),
        (("能", "yes"), ("不能", "no")),
    ),
    "ends_vote": Flag(
        ("用后仍能投票", "Votes afterwards"),
        ("用后不能再投票。", "Afterwards its holder votes no more."),
        (("能", "yes"), ("不能", "no")),
    ),
    "doubles": Flag(
        ("当夜多用一次", "Used once more that night"),
        ("当夜{n}可以多用一次。", "That night {n} may be used once more."),
    ),
    "lost_with_faction": Flag(
        ("阵营判负即失去", "Lost with the faction"),
        ("本阵营判负，随即失去，并被告知。", "Lost when the faction is judged lost; the pack is told."),
        YES_NO,
    ),
    "silence": Flag(("不答的牌", "Card for silence"), ("一夜不答，{n}一张。", "Silence in a night: one {n}.")),
    "aliases": Flag(("别名", "Also called"), ("又写作{n}。", "Also written {n}.")),
    "seed": Flag(("出处", "Source"), ("出处：{n}。", "Source: {n}.")),
}

# Which names the fields of a skill hold.
FIELD_KINDS: Final[dict[str, str]] = {
    "pack": "factions",
    "excludes": "skills",
    "loses": "skills",
    "becomes": "skills",
    "shows": "skills",
    "tells": "factions",
    "den": "factions",
    "blocked_by": "skills",
    "orders": "skills",
    "takes": "skills",
    "dooms": "factions",
    "leaves": "factions",
    "counts": "skills",
    "reveals": "roles",
    "doubles": "skills",
}

NIGHTS: Final[dict[str, Pair]] = {
    "every": ("每夜可用", "Every night"),
    "first": ("只在头一夜（{first}）", "The first night ({first}) only"),
    "even": ("只在双数夜", "Even nights only"),
}
ORDERS: Final[dict[str, Pair]] = {
    "seat": ("去掉重复，按座位排列", "without repetition, in seat order"),
    "made": ("按做出的先后，重复照列", "in the order made, repetitions included"),
    "": ("没有先后可言", "of no consequence"),  # of one attack
}
JOINS: Final[dict[str, Pair]] = {
    "same": ("加入目标所在的阵营", "Joins the target's faction"),
    "opposing": ("加入与目标对立的阵营：{n}", "Joins the faction opposing the target's: {n}"),
    "": ("加入哪个阵营没有写明", "Which faction it joins is not stated"),
}
SHARES: Final[dict[str, Pair]] = {
    "half": ("目标为可指角色的一半，零头进一，本局 {n} 名", "Half of those that may be named, rounded up: {n} here"),
}

# What each verb does. The fields named in VERB_FIELDS are said here, the rest by FLAGS.
VERBS: Final[dict[str, Pair]] = {
    "join": ("{joins}。{told}。", "{joins}. {told}."),
    "heretics": ("所指的角色从此就是{name}。", "Those named are {name} from then on."),
    "mark": ("{marks}", "{marks}"),
    "attack": ("{hits}", "{hits}"),
    "order": (
        "令持有{orders}的人当夜必须用它，并告知其人。",
        "The holder of {orders} must use it tonight, and is told.",
    ),
    "fog": (
        "持有本技能的身份恰剩一名在场时可用：{takes}的持有者永久失去它，并被告知。",
        "Only while exactly one holder's role is alive: {takes} is lost for good, and its holder told.",
    ),
    "vision": (
        "得知当夜{shows}所指的人{order}；一个没有，也会告知。",
        "Told the targets of {shows} tonight{order}; if there are none, told so.",
    ),
    "read": ("得知目标{tells}。", "Told of the target: {tells}."),
    "read_some": (
        "从所指的人里随机抽 {draws} 名，得知其具体阵营。",
        "Told the exact factions of {draws} of those named, drawn at random.",
    ),
    "charm": (
        "催眠目标，永久有效；目标不知，自己得知是否成功。",
        "Charms the target for good; the target is told nothing, the holder whether it held.",
    ),
    "freeze": ("目标被告知，并且{freeze}。", "The target is told and frozen: {freeze}."),
    "torch": ("替目标挡下{torch}。", "Absorbs, on the target, {torch}."),
    "ward": ("替自己挡下一次致死伤害，随即用掉。", "Absorbs one strike on its holder, then is gone."),
    "counter": (
        "当夜自己受到的一次致死伤害，改由目标承受；移走一次之后失去本技能。",
        "A strike on its holder tonight falls on the target instead; lost after it has moved one.",
    ),
    "holy_light": (
        "目标属{dooms}的，夜末出局，不算致死伤害；属{leaves}的，无事；其余的，当夜不受致死伤害。",
        "A target of {dooms} is out at the end of the night, not by a strike; of {leaves}: nothing; any other takes no strike tonight.",
    ),
    "curse": (
        "目标次日的放逐票另加 {amount} 票，开门时公布。",
        "On the next day {amount} is added to the target's exile count; announced at the opening.",
    ),
    "swap": ("所指两人次日交换放逐：{swap}。", "The two exchange exile on the next day; {swap}."),
    "steadfast": ("夜里不受致死伤害。", "Takes no strike at night."),
    "sanctity": (
        "持有者出局时，当即公布{reveals}的马甲。",
        "When its holder is out, the {reveals}'s persona is announced at once.",
    ),
    "execution": ("{counts}所定的人，{gains}。", "Of those chosen by {counts}, {gains}."),
    "play_dumb": (
        "将被放逐时可以留下，当即公布；再居首位，仍会出局。{ends_vote}{doubles}",
        "When about to be exiled its holder may stay, which is announced; on top again, it is exiled. {ends_vote}{doubles}",
    ),
    "last_shot": ("自己出局时，可开一枪。", "When its holder is out, it may shoot."),
    "handover": ("警长出局时，决定警徽的去处。", "When the sheriff is out, it decides where the badge goes."),
}
VERB_FIELDS: Final[dict[str, frozenset[str]]] = {
    "join": frozenset({"joins", "opposing"}),
    "order": frozenset({"orders"}),
    "fog": frozenset({"takes"}),
    "vision": frozenset({"shows", "order"}),
    "read": frozenset({"tells"}),
    "read_some": frozenset({"draws"}),
    "holy_light": frozenset({"dooms", "leaves"}),
    "curse": frozenset({"amount"}),
    "sanctity": frozenset({"reveals"}),
    "execution": frozenset({"counts", "gains"}),
    "play_dumb": frozenset({"ends_vote", "doubles"}),
}
UNKNOWN_VERB: Final[Pair] = ("功能 {verb}。", "Function {verb}.")

MARKS: Final[dict[str, Pair]] = {
    "voids": ("当夜对{who}的{n}无效。", "{n} on {who} is void tonight."),
    "immune": ("当夜{who}不受致死伤害。", "No strike takes effect on {who} tonight."),
    "blocks": ("当夜{n}对{who}无效。", "{n} fails on {who} tonight."),
    "target": ("目标", "the target"),
    "self": ("自己", "its holder"),
    "nothing": ("本板没有哪一行认这个记号。", "No line of this board reads this mark."),
}
HITS: Final[dict[str, Pair]] = {
    "attack": ("目标结算时出局。", "The target is out at settlement."),
    "voidable": ("目标结算时出局，除非有{n}。", "The target is out at settlement unless it has {n}."),
    "strikes": ("给目标一次致死伤害。", "One strike on the target."),
    "nothing": ("没有杀伤，只是看上去像。", "It harms nobody; it only looks so."),
}

# Short notes for the night's timetable.
NOTES: Final[dict[str, Pair]] = {
    "limited": ("全场一次", "once a game"),
    "first": ("限{first}", "{first} only"),
    "even": ("限双数夜", "even nights"),
    "automatic": ("自行发动", "by itself"),
    "immediate": ("交出即生效", "at once"),
    "not_consecutive": ("不可连指一人", "not twice running"),
    "once_per_target": ("每人一次", "each once"),
    "forced": ("强制", "forced"),
    "excludes": ("与{n}至多其一", "not with {n}"),
    "last": ("只剩一名时", "only the last one"),
    "declared": ("自己举起", "to be raised"),
    "unneeded": ("自行生效，不用交", "works by itself"),
    "vision": ("前段截止时告知", "told when the stage before closes"),
    "pack": ("全群共用", "shared by the den"),
    "silence": ("不答{n}", "silence: {n}"),
}


# ── lines of settlement and aftermath, conditions ────────────────────────────────────────────────────────────────────

LINES: Final[dict[str, tuple[Pair, frozenset[str]]]] = {
    "attack": (
        ("{skill}：{voided}{overlap}", "{skill}: {voided}{overlap}"),
        frozenset({"skill", "voided_by", "overlap"}),
    ),
    "strikes": (
        (
            "{skills}各是一次致死伤害，按做出的先后逐一判定。{immune}{moved}{absorbed}都没有的，目标受击；死因是最先落到身上的那一次。",
            "{skills} are one strike each, judged in the order made. {immune}{moved}{absorbed}Otherwise the target is "
            "struck; its cause is the first strike that lands.",
        ),
        frozenset({"skills", "immune", "moved_by", "absorbed_by"}),
    ),
    "doomed": (
        (
            "{skill}所判的人，与受击的人同时出局，按座位列出；然后才轮到它们引出的技能。",
            "Those doomed by {skill} are out at the same moment as those struck, listed in seat order; triggers come after.",
        ),
        frozenset({"skill"}),
    ),
    "reveal": (
        (
            "持有{skill}的人出局，当即公布它所指的马甲。",
            "When a holder of {skill} is out, the persona it names is announced at once.",
        ),
        frozenset({"skill"}),
    ),
    "executions": (
        ("{skill}计数，数到即得。", "{skill} counts, and what is reached is gained at once."),
        frozenset({"skill"}),
    ),
    "play_dumb": (
        (
            "将被放逐的人若有{skill}，先问其人用不用。{times}",
            "Whoever is about to be exiled and holds {skill} is asked first. {times}",
        ),
        frozenset({"skill", "dusk", "dawn"}),
    ),
    "last_shot": (
        (
            "出局的人若有{skill}，问其人用不用；中枪的随即出局。{times}",
            "Whoever is out and holds {skill} is asked; the one shot is out then. {times}",
        ),
        frozenset({"skill", "dusk", "dawn"}),
    ),
    "pass_on": (
        (
            "{role}出局，{skill}传给同阵营一名随机的在场者（附身于{role}的优先），只传一次；无人可传就没有了。",
            "When the {role} is out, {skill} passes to a random living member of its faction (to whoever possessed the "
            "{role} first), once; with nobody left it is gone.",
        ),
        frozenset({"skill", "role"}),
    ),
    "inherit": (
        (
            "用{skill}选定的人出局，选的人得到其当时的全部技能，用掉的仍算用掉；公布此事，不提是谁。",
            "When the one chosen by {skill} is out, the chooser gains all its skills as they then are, used ones used; "
            "announced, naming nobody.",
        ),
        frozenset({"skill"}),
    ),
    "handover": (
        ("警长出局，用{skill}决定警徽。{times}", "When the sheriff is out, {skill} decides about the badge. {times}"),
        frozenset({"skill", "dusk", "dawn"}),
    ),
}
UNKNOWN_LINE: Final[Pair] = ("功能 {line}。", "Function {line}.")

SETTLING: Final[dict[str, Pair]] = {
    "voided": ("目标若有{n}，就落空；否则出局。", "void if the target has {n}; otherwise out. "),
    "unvoided": ("目标出局，什么也挡不住。", "the target is out; nothing holds it off. "),
    "one": ("几重叠在一人身上，也只抵这一次。", "Any number of them cancels just the one."),
    "kills": ("两重以上叠在一人身上，反而出局。", "Two or more of them on one character do not save it: it is out."),
    "immune": (
        "目标在{n}之下的，无事，什么也不消耗。",
        "A target under {n}: nothing happens and nothing is spent. ",
    ),
    "moved": (
        "有{n}的，移到它的目标身上，只移一次；新目标照样看有没有免疫与挡下。",
        "With {n} it moves to the target chosen there, once; immunity and absorption apply to the new target. ",
    ),
    "absorbed": (
        "有{n}的，挡下；几样都有，按这个次序只用掉一样。",
        "{n} absorbs it; with several, one of them in this order. ",
    ),
    "dusk": ("黄昏 {n} 分钟", "at dusk {n} minutes"),
    "dawn": ("拂晓 {n} 分钟", "at dawn {n} minutes"),
    "times": ("时限：{n}。", "Time: {n}."),
    "declined": ("不答即作罢。", "Silence declines."),
    "handed": ("不答：{n}。", "Silence: {n}."),
    "untimed": ("没有时限可言：不问。", "No time is given: nobody is asked."),
}

CONDITIONS: Final[dict[str, tuple[Pair, frozenset[str]]]] = {
    "roles_out": (("{roles}全部出局", "every {roles} is out"), frozenset({"roles"})),
    "faction_out": (("{faction}的角色全部出局", "the whole faction {faction} is out"), frozenset()),
    "parity": (
        ("在场的{faction}角色达到在场总数的一半", "those of {faction} alive are at least half of all alive"),
        frozenset(),
    ),
    "role_charmed": (
        (
            "至少一名{roles}在场，并且在场的{roles}全部被催眠",
            "at least one {roles} is alive and every living one is charmed",
        ),
        frozenset({"roles"}),
    ),
    "faction_charmed": (
        ("在场的{faction}角色全部被催眠，或一名不剩", "every living member of {faction} is charmed, or none lives"),
        frozenset(),
    ),
    "all_charmed": (
        ("在场的{factions}角色全部被催眠", "every living member of {factions} is charmed"),
        frozenset({"factions"}),
    ),
    "factions_out": (
        ("{factions}的角色全部出局", "the factions {factions} are out to the last"),
        frozenset({"factions"}),
    ),
    "alive_exactly": (
        ("恰有 {count} 名角色在场，其中有{faction}的角色", "exactly {count} are alive, one of them of {faction}"),
        frozenset({"count"}),
    ),
    "survives_exile": (
        (
            "第 {day} 日的放逐了结之后，{faction}仍有角色在场",
            "after the exile of day {day} a member of {faction} is alive",
        ),
        frozenset({"day"}),
    ),
    "marked_out": (("{skill}所定的角色全部出局", "all those chosen by {skill} are out"), frozenset({"skill"})),
}
UNKNOWN_CONDITION: Final[Pair] = ("功能 {when}", "function {when}")
EXTRA: Final[Pair] = ("（另写了{n}，此处不用）", " (also written: {n}; not used here)")
