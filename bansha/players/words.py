"""The sentences: each act has several, each player a tone, and nobody says the same thing twice if it can be helped.

Nothing here decides anything; it draws from a stream of its own, so that a game is the same whether anybody reads it.
No sentence is one that a conduct clause of a shipped board would flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from bansha.players.intents import Act, Reason
from bansha.players.lore import Lore
from bansha.players.memory import Memory
from bansha.sight.types import View

OPENERS = (
    "", "", "", "", "我看，", "依我看，", "说一下我的想法：", "慢慢说，", "先说结论：", "想了一会儿，", "嗯，",
    "换个角度，", "老实讲，", "泡了杯茶，", "翻了翻前面的帖，", "简单说，", "有一说一，",
)  # fmt: skip
CLOSERS = (
    "", "", "", "", "", "大家怎么看？", "欢迎反驳。", "先说到这。", "容我再看看。", "话先放在这里。",
    "有不同意见请讲。", "就这些。",
)  # fmt: skip

GREETINGS = (
    "大家好，我是{me}，请多指教。", "{me}到了，找个靠窗的位子坐下。", "初来乍到，给各位沏壶茶。",
    "天气不错，适合听故事。", "电梯看过一遍，名字都记下了。", "{me}报到，今天先听大家说。",
    "把灯点上，人齐了就开讲。", "一路走来有点喘，容我先坐坐。", "各位早，规则我读了两遍，第三遍睡着了。",
    "见过各位，今天风有点大，话要说清楚些。", "{me}带了一包瓜子，自取。", "第一天信息少，我先看看谁爱说话。",
)  # fmt: skip
QUIET_NIGHT = (
    "一夜无事，难得。", "昨夜平安，有人在暗处出了力。", "没有人出局，先谢过那位好心人。",
    "平安夜，今天可以慢慢谈。", "醒来人都在，这是好兆头。", "昨夜没有坏消息，我却更想知道为什么。",
    "大家都在，茶还热着。", "安静的一夜，反而让人多想。", "数了一遍，一个不少。", "昨夜的风没有吹灭灯。",
    "都在就好，接着昨天的话说。", "平安夜不是天上掉的，记一笔。", "没少人，可话不能少。",
    "一个都没走，今天的票更要想清楚。", "早，看到晨报松了口气。", "夜里静得很，狗都没叫。",
)  # fmt: skip
LOSSES = (
    "{out}不在了，心里空了一块。", "昨夜带走了{out}，今天要说点实在的。",
    "{out}走得突然，我得想想是谁最想这样。", "早上没等到{out}，看来夜里有人盯着说话多的。", "为{out}留一盏灯。",
    "{out}出局了，先把昨天的票翻一遍。", "少了{out}，我们离答案应该更近一点。", "{out}昨天的话，今天值得重读。",
    "看到{out}的名字，叹了口气。", "{out}离场。谁从中得益？", "没想到是{out}。", "{out}的位子还是热的。",
    "晨报上写着{out}，我读了两遍。", "替{out}把没说完的话接着说。", "{out}昨天怀疑过谁，先列出来。",
    "是{out}，那昨天和TA争过的人要说几句。", "送别{out}，然后办正事。",
)  # fmt: skip
EXILED = (
    "昨天送走了{out}，不知道对不对。", "昨天那一票投给{out}，我到现在还在想。", "{out}走了之后，话反而少了。",
    "先看昨天投{out}的人今天怎么说。", "{out}那件事还没完，谁先开的头？", "夜里安静，是因为{out}不在了吗？",
    "昨天的票落在{out}，我记下了每一张。", "没有了{out}，今天换个人看。", "{out}出局，灯没灭，接着走。",
    "昨天散得急，关于{out}我还有半句没说。",
)  # fmt: skip

RUNS = (
    "我想要警徽，愿意把每天的票理清楚。", "我报名警长，理由很简单：我肯花时间。",
    "警徽给我，平票的时候我会说明理由再投。", "竞选算我一个，输了也照样说话。", "我上警，有话当面讲。",
    "这枚徽章我想试试，带大家把话摊开。", "我来竞选，不为别的，为了有人问得出话。",
)  # fmt: skip

CLAIMS = (
    "我的身份是{role}。", "到了该说的时候：我是{role}。", "不藏了，{role}在这里。", "我拿的是{role}。",
    "我站出来，{role}。", "身份摊开：{role}。", "瞒着没意思了，我是{role}。", "听我讲完再投票，我是{role}。",
)  # fmt: skip
BLACK = (
    "{night}我看了{t}，{value}。", "{night}查的是{t}，结果是{value}。", "{t}，{value}，{night}看的。",
    "{night}的目标是{t}，得到的是{value}。", "我{night}看{t}，{value}，请各位掂量。",
    "结果不好听：{night}，{t}，{value}。",
)  # fmt: skip
WHITE = (
    "{night}我看了{t}，{value}。", "{night}看的是{t}，{value}，可以放心一些。", "{t}是{value}，{night}看的。",
    "给{t}说句公道话：{night}看过，{value}。", "{night}查{t}，{value}。", "{t}请安心，{night}看到的是{value}。",
)  # fmt: skip
SAVED = (
    "{night}的药给了{t}。", "{night}我救的是{t}。", "药已经用了，{night}用在{t}身上。",
    "{night}倒下的本来是{t}，是我拉回来的。",
)  # fmt: skip

SUSPECTS = (
    "我对{t}有疑问，{why}。", "{t}值得看一眼，{why}。", "今天我会盯着{t}：{why}。", "{t}让我不踏实，{why}。",
    "疑点先放在{t}身上，{why}。", "要说可疑，我选{t}，{why}。", "我把{t}往前排一排，{why}。",
    "看来看去还是{t}，{why}。", "{t}，我想听你多说两句：{why}。", "说到{t}，{why}，我过不去。",
    "{t}这边我先打个问号，{why}。", "我的名单上第一个是{t}，{why}。", "有人问我怕谁，我说{t}，{why}。",
    "{t}的事得摆到桌上，{why}。", "翻完帖，停在{t}这里：{why}。", "我不太敢信{t}，{why}。",
    "请大家留意{t}，{why}。",
)  # fmt: skip
TRUSTS = (
    "{t}我愿意信，{why}。", "我觉得{t}是站在这边的，{why}。", "{t}可以往后放放，{why}。", "先不动{t}，{why}。",
    "{t}的话我听得进去，{why}。", "如果要结伴，我选{t}，{why}。", "{t}我暂时放心，{why}。",
    "替{t}说一句：{why}。", "{t}今天不在我的名单上，{why}。", "谁要推{t}，先说服我，{why}。",
    "{t}我先不看了，{why}。", "给{t}一点时间，{why}。", "读{t}的帖最省力，{why}。",
    "把{t}放在窗这一边，{why}。",
)  # fmt: skip
DOUBTS = (
    "{t}说的身份我不认，{why}。", "{t}这一跳，我信不过，{why}。", "{t}的说法对不上，{why}。",
    "请{t}再解释一遍，{why}。", "{t}讲得流利，可{why}。", "我站{t}的对面，{why}。",
)  # fmt: skip
COUNTERS = (
    "{t}说的就是我手里的，只能有一个是真的。", "{t}拿错了剧本，这个身份在我这里。",
    "{t}和我，今天请大家选一个。", "{t}抢先一步，可惜说的不是实话。",
)  # fmt: skip
AGREES = (
    "{t}的身份我接受，{why}。", "我信{t}，{why}。", "{t}站出来不容易，我跟着走，{why}。",
    "{t}的话能连上，{why}。", "那就以{t}的说法为准，{why}。",
)  # fmt: skip
ASKS = {
    "view": (
        "{t}，今天你最怀疑谁？", "请{t}给个名字，别只讲感觉。", "{t}，你的看法还差一个落点。",
        "想听{t}排个序，从可疑到可信。", "{t}一直在听，能不能也说一个？",
    ),
    "vote": (
        "{t}，上一次的票你是怎么想的？", "{t}能不能讲讲昨天那张票？", "我没看懂{t}的票，请解释。",
        "{t}，你投票之前和之后说的是一回事吗？",
    ),
}  # fmt: skip
REPLIES = {
    "view": (
        "回{t}：{name}，{why}。", "{t}问到了，我的答案是{name}，{why}。",
        "答{t}：现在排第一的是{name}，{why}。", "{t}要名字，那就{name}，{why}。",
    ),
    "vote": (
        "回{t}：当时看到的就那么多，今天我会看{name}，{why}。",
        "{t}问得对，那张票我也反复想过；眼下更在意{name}，{why}。",
        "答{t}：投票是照当时的话投的，换到今天是{name}，{why}。",
    ),
}  # fmt: skip
REPLIES_BLANK = (
    "回{t}：还没想好，晚些给你名字。", "{t}，我再读一遍就答。", "答{t}：现在说谁都早了点。",
)  # fmt: skip
PLANS = (
    "今天我投{t}，{why}。", "票给{t}，{why}。", "决定了，{t}，{why}。", "我的票写{t}，{why}。",
    "关门前我落在{t}，{why}。", "{t}，抱歉了，{why}。", "理由放在这里，{t}：{why}。", "想到最后是{t}，{why}。",
    "手里就一票，给{t}，{why}。", "不拖了，{t}，{why}。", "今天的名字是{t}，{why}。", "写下{t}，{why}。",
    "投{t}，错了我认，{why}。", "我选{t}，{why}。", "茶喝完了，票写{t}，{why}。", "落笔{t}，{why}。",
)  # fmt: skip
PLEADS = (
    "都看着我，我也只能说实话：投我出去，夜里的人会高兴。", "我不急，请把对我的疑问一条条写出来，我一条条答。",
    "我知道我说得不够好，可方向错了，大家明天会明白。", "把我放一天，我用明天的票来还。",
    "怀疑我没关系，请同时看看是谁把话头引过来的。", "我站在这里，哪一句不对，指给我看。",
    "今天若是我走，请记得回头看看第一个点我名的人。", "再听我一句：票是别人手里的刀，别替人使。",
)  # fmt: skip
PLEADS_TO = (
    "{t}，你说我可疑，可曾想过自己漏看了什么？", "{t}的理由我读了，站不住。",
    "回{t}：我的票都摆在那里，翻得到。", "{t}点我的名，我请{t}把理由写全。",
    "{t}，今天我不跟你争，只请大家看看谁在催。",
)  # fmt: skip
FAREWELLS = (
    "灯留着，别急着吹。", "后面的路，请各位走慢一点。", "茶凉了，记得续。", "我在楼上看着，别忘了回头看票。",
    "该说的都说了，保重。", "名字会被记住的，不用担心我。", "请替我把故事讲完。", "天亮得很慢，但会亮。",
    "走得早也好，省一壶茶。",
)  # fmt: skip
FAREWELL_VIEW = (
    "我最放不下的是{t}，{why}。", "请盯着{t}，{why}。", "要是只能留一句：看看{t}，{why}。",
    "{t}，{why}，拜托各位。",
)  # fmt: skip

CHATS = (
    "爬完楼了，先占个座。", "回帖慢，见谅，我一句句读。", "楼上那句我记下了。", "刚回来，补上刚才没看到的。",
    "这一页翻得真快。", "续茶，谁还要？", "窗外下雨了，适合想事情。", "我把票型抄了一份，自己看着玩。",
    "今天话少的几位，也来两句？", "先去吃饭，回来接着看。", "看得眼花，歇五分钟。", "同意要多听，少抢。",
    "这个问题我晚点答。", "电梯又长了一截。", "有人吗？我点个灯。", "刚才那段值得再读一遍。",
    "我习惯把每个人的话排在一起看。", "灯下写字，字都长了。", "不急，关门还早。", "笔记记到第三页了。",
    "猫跳上桌子，差点替我发帖。", "听你们说话，比看书有意思。", "今天的风向有点怪。",
    "我先把自己的话收回来一半，另一半留着。", "路过，听到关键处就停下了。", "大家语气都很好，值得高兴。",
    "有个细节我再核对一下。", "补一句：我不赶时间。", "这盘棋，慢的人未必输。", "记一笔：说得多不等于说得对。",
    "我去把昨天的帖再翻一遍。", "安静得能听见翻页声。", "刚煮好面，边吃边看。", "先顶一下，免得有人说我不在。",
    "想到一处，等会儿写。", "楼里香气不错，谁在烤红薯？", "把窗关小一点，免得风把话吹散。", "我在，别数漏了。",
    "继续听。", "这两段话放在一起看，有点意思。", "有人说得急，有人说得慢，都记着。",
    "我的看法没变，等一个回答。", "看到这里，笑了一下。", "灯芯挑亮些，字看得更清楚。", "今天想多问，少答。",
    "刚才打字打到一半，又删了。", "时间够，慢慢来。", "轮到谁了？", "我把问题留在上面了。", "这杯敬早起的人。",
    "等天黑之前，我会给名字。", "先不站队，先看路。", "翻到第一页，又有新发现。", "各位的名字真好听。",
    "我把重点画了线。", "话不在多。", "再等等，有人还没开口。", "听见钟声了，时间过得快。",
    "手边的瓜子快没了。", "换支笔，接着记。",
)  # fmt: skip

HUNCHES = (
    "话总绕着走", "重点总落在别人身上", "该表态的时候轻轻带过", "没有哪句硬伤，就是听着不踏实", "看法跟着风走",
    "问得多，答得少", "太想让人放心了", "每次都等别人先说", "昨天和今天的语气不一样",
    "提到的人来来去去就那两个", "解释得太圆", "一到要紧处就换话题", "像是早就知道了什么", "给的名字没有理由",
    "站得太稳，反而奇怪", "对出局的人没什么反应", "好话说了一圈，没有一句落地", "跟得太紧，又退得太快",
    "说是怀疑，却不往下问", "别人一问就笑过去", "理由换了三次，名字没换", "先有名字，后找理由",
    "只在人多的时候开口", "把水搅浑了就走",
)  # fmt: skip
LIKES = (
    "话说得清楚", "肯把理由写出来", "被问到的时候不躲", "想的和我差不多", "票跟着话走", "不急着把人推出去",
    "愿意先说自己的看法", "问题都问在点上", "语气自然，没有表演的味道", "给人留余地", "看法变了会说为什么",
    "不抢话，也不漏话", "肯替难处的人想一想", "细节记得准", "前后连得上", "问了还等人答",
)  # fmt: skip
AGAINST = {
    "check": (
        "{b}那一看，指的就是TA", "我信{b}的查验", "{b}的结果摆在那里", "{b}已经看过了",
        "{b}说得明白，总要有人当真", "{b}不会无故点名", "照{b}的结果走", "有{b}那一看，不用我多说",
    ),
    "counter": (
        "和{b}说的是同一个身份，总有一个不真", "{b}与TA只能信一个，我信{b}", "两个人争一个身份，我更信{b}",
        "{b}先说的那个身份，我听着更真", "一个身份两个人认，{b}那边顺一些", "{b}的说法前后连得上，TA的连不上",
    ),
    "votes": (
        "第{d}日的票落在{b}身上，{b}怎么看都是好心人", "第{d}日投了{b}，现在看投得蹊跷",
        "{b}是清白的，第{d}日那张票说不过去",
    ),
    "turned": (
        "第{d}日说投{b}，落笔却是别人", "第{d}日话和票对不上", "嘴上是{b}，票上不是，第{d}日的事",
    ),
    "changed": (
        "身份说过两样", "前后说的身份不一样",
    ),
    "defends": (
        "一直替{b}说话", "和{b}走得太近", "{b}有事，TA总在旁边打圆场",
    ),
    "spares": (
        "第{d}日大家都看着{b}，TA的票却在别处", "第{d}日放过了{b}", "{b}的事那么清楚，第{d}日TA还是绕开了",
    ),
    "follow": (
        "{b}说得在理，我跟一票", "和{b}想到一处了", "听了{b}的，没有更好的人选",
        "先把票收拢，免得散了，{b}的理由够用",
    ),
    "self": (
        "今天总要有人走，我不想是自己", "两边只能选一边，我选这边", "给自己多留一天",
    ),
}  # fmt: skip
AGAINST_ME = {
    "votes": (
        "第{d}日那张票落在我身上，我最清楚它不对", "第{d}日投的是我，理由到今天也没说圆",
    ),
    "counter": (
        "TA认的就是我手里的身份", "我和TA只有一个是真的，我知道是哪个", "这个身份在我这里，TA从哪里来的",
    ),
    "turned": (
        "第{d}日说投我，落笔又是别人", "第{d}日嘴上是我，票上不是",
    ),
}  # fmt: skip
FOR = {
    "cleared": (
        "{b}看过", "{b}的结果我信", "有{b}那一看在",
    ),
    "claim": (
        "身份到现在没有人争", "说出来的身份合得上", "没有第二个人出来认", "站出来的时候不犹豫",
    ),
    "counter": (
        "和{b}比，TA更像真的", "两个里我更信TA", "{b}那边的话连不上",
    ),
}  # fmt: skip
SHERIFF = (
    "说话有条理", "肯花时间整理", "先看看带队的本事", "语气稳", "愿意担事", "名字好听，也说得在理", "信得过",
    "给个机会", "需要一个肯问的人", "听着靠谱", "徽章配得上", "第一印象好", "敢站出来", "答应了要理票",
    "想看看谁会反对", "总要有人拿着灯",
)  # fmt: skip
ABSTAINS = (
    "信息不够，先弃一次", "看不清，不乱投", "没有把握，留白", "今天先不写名字",
)  # fmt: skip


class Words:
    """One player's way of putting things."""

    def __init__(self, seat: int, lore: Lore, memory: Memory, rng: Random) -> None:
        self.seat = seat
        self.lore = lore
        self.memory = memory
        self.rng = rng
        self.used: dict[str, int] = {}
        self.names: list[str] = []
        self.shared = ""

    def post(self, acts: Sequence[Act], view: View) -> str:
        """A post: one sentence an act, sometimes with an opening or a closing."""
        self._begin(view)
        body = "".join(self.sentence(act) for act in acts)
        if acts and acts[0].kind in ("suspect", "trust", "doubt", "agree"):
            opener = self.rng.choice(OPENERS)
            return opener + body + self.rng.choice(CLOSERS)
        return body

    def vote(self, target: int, why: Reason, view: View, change: bool) -> str:
        """The reason of a vote."""
        self._begin(view)
        if not target:
            return self._pick(ABSTAINS) + "。"
        if why.kind == "sheriff":
            return self._pick(SHERIFF) + "。"
        lead = self._pick(("改一下：", "想了想，改。", "换人：", "收拢票，")) if change else ""
        return lead + self.against(why, target) + "。"

    def farewell(self, acts: Sequence[Act], view: View) -> str:
        """Last words."""
        self._begin(view)
        return "".join(self.sentence(act) for act in acts)

    def _begin(self, view: View) -> None:
        if not self.shared:
            self.names = ["", *view.public.personas]
            self.shared = "/".join(view.public.personas)

    # --- one act --------------------------------------------------------------------------------------------------

    def sentence(self, act: Act) -> str:
        """One act in words."""
        method = getattr(self, f"_say_{act.kind}", None)
        return str(method(act)) if method is not None else self._pick(CHATS)

    def _pick(self, choices: Sequence[str], **facts: str) -> str:
        """One of the sentences. Every day has its own order of them, each seat begins at its own place in it and takes the
        next it has used least: so neighbours do not echo each other, nor anybody itself."""
        order = _order(self.shared, self.memory.day, choices)
        size = len(order)
        start = self.seat % size
        row = [choices[order[(start + step) % size]] for step in range(size)]
        chosen = min(row, key=lambda choice: self.used.get(choice, 0))
        self.used[chosen] = self.used.get(chosen, 0) + 1
        return chosen.format(**facts) if facts else chosen

    def _name(self, seat: int) -> str:
        return self.names[seat] if 0 < seat < len(self.names) else "大家"

    def _night(self, night: int) -> str:
        return "昨夜" if night == self.memory.day - 1 else f"第{night}夜"

    def _say_news(self, act: Act) -> str:
        memory = self.memory
        lost = [self._name(seat) for seat, night in memory.killed.items() if night == memory.day - 1 and seat in memory.news]
        if lost:
            fitting = LOSSES if memory.day > 1 else [line for line in LOSSES if "昨天" not in line]
            return self._pick(fitting, out="、".join(lost))
        if act.topic == "first":
            return self._pick(GREETINGS, me=self._name(self.seat))
        exiled = [self._name(seat) for seat in memory.news if seat in memory.exiled]
        if exiled and self.rng.random() < 0.3:
            return self._pick(EXILED, out="、".join(exiled))
        return self._pick(QUIET_NIGHT)

    def _say_chat(self, act: Act) -> str:
        return self._pick(CHATS)

    def _say_run(self, act: Act) -> str:
        return self._pick(RUNS)

    def _say_claim(self, act: Act) -> str:
        return self._pick(CLAIMS, role=self.lore.rules.roles[act.role].name.zh)

    def _say_report(self, act: Act) -> str:
        value = self.told(act.value)
        home = self.lore.town
        good = home and act.value == home
        return self._pick(WHITE if good else BLACK, t=self._name(act.target), value=value, night=self._night(act.night))

    def told(self, value: str) -> str:
        """What a check told, in words."""
        factions = self.lore.rules.factions
        if value in factions:
            return factions[value].name.zh
        if value.startswith("!") and value[1:] in factions:
            return f"不属{factions[value[1:]].name.zh}"
        return "其他阵营"

    def _say_saved(self, act: Act) -> str:
        target = "自己" if act.target == self.seat else self._name(act.target)
        return self._pick(SAVED, t=target, night=self._night(act.night))

    def _say_suspect(self, act: Act) -> str:
        return self._pick(SUSPECTS, t=self._name(act.target), why=self.against(act.why, act.target))

    def _say_trust(self, act: Act) -> str:
        return self._pick(TRUSTS, t=self._name(act.target), why=self.in_favour(act.why))

    def _say_doubt(self, act: Act) -> str:
        if act.why.kind == "counter" and act.why.seat == act.target:
            return self._pick(COUNTERS, t=self._name(act.target))
        return self._pick(DOUBTS, t=self._name(act.target), why=self.against(act.why, act.target))

    def _say_agree(self, act: Act) -> str:
        return self._pick(AGREES, t=self._name(act.target), why=self.in_favour(act.why))

    def _say_ask(self, act: Act) -> str:
        return self._pick(ASKS[act.topic], t=self._name(act.target))

    def _say_reply(self, act: Act) -> str:
        if not act.why.seat:
            return self._pick(REPLIES_BLANK, t=self._name(act.target))
        why = self._pick(HUNCHES)
        return self._pick(REPLIES[act.topic], t=self._name(act.target), name=self._name(act.why.seat), why=why)

    def _say_plan(self, act: Act) -> str:
        return self._pick(PLANS, t=self._name(act.target), why=self.against(act.why, act.target))

    def _say_plead(self, act: Act) -> str:
        if act.target and self.rng.random() < 0.5:
            return self._pick(PLEADS_TO, t=self._name(act.target))
        return self._pick(PLEADS)

    def _say_farewell(self, act: Act) -> str:
        if act.target:
            return self._pick(FAREWELL_VIEW, t=self._name(act.target), why=self.against(act.why, act.target))
        return self._pick(FAREWELLS)

    # --- reasons --------------------------------------------------------------------------------------------------

    def against(self, why: Reason, target: int) -> str:
        """Why somebody is suspected, as a clause."""
        kind = "changed" if why.kind == "turned" and not why.seat else why.kind
        if kind == "check" and why.seat == self.seat:
            return self._pick(("我看过的人我心里有数", "结果是我亲眼看的", "我的查验就指着TA"))
        if why.seat == self.seat and kind in AGAINST_ME:
            return self._pick(AGAINST_ME[kind], d=str(why.day))
        choices = AGAINST.get(kind) if why.seat != self.seat else None
        if not choices:
            return self._pick(HUNCHES)
        return self._pick(choices, b=self._name(why.seat), d=str(why.day))

    def in_favour(self, why: Reason) -> str:
        """Why somebody is trusted, as a clause."""
        choices = FOR.get(why.kind)
        if not choices:
            return self._pick(LIKES)
        if why.kind == "cleared" and why.seat == self.seat:
            return "我自己看过"
        return self._pick(choices, b=self._name(why.seat))


_orders: dict[tuple[str, int, str], list[int]] = {}


def _order(shared: str, day: int, choices: Sequence[str]) -> list[int]:
    """The day's order of these sentences, the same for everybody in the game."""
    key = (shared, day, choices[0])
    order = _orders.get(key)
    if order is None:
        if len(_orders) > 2000:
            _orders.clear()
        order = list(range(len(choices)))
        Random("/".join(map(str, key))).shuffle(order)
        _orders[key] = order
    return order
