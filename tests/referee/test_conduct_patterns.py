"""The patterns of the conduct lists: what the rule threads name as a breach is suspected, ordinary play is not."""

from time import perf_counter
from typing import Any

import msgspec
import pytest

from bansha.referee.reading import LONGEST_READ, Patterns, check_pattern
from bansha.rulesets.load import load as load_ruleset

FILES = {"m205": "m205", "numbered": "m46"}

NAMES = [
    "违法", "作弊", "持续辱骂", "持续水贴", "发誓担保", "场外", "特殊字体", "消极", "辱骂", "水平担保",
    "关系担保", "胜利担保", "贴证担保", "揭秘担保", "贴脸担保", "解读密码", "暗示马甲", "未投票", "贬低",
    "发泄", "历史场次", "赛后事宜", "游戏责任", "为阵营道歉", "夜间超时",
]  # fmt: skip
NUMBERS = [
    "1.1", "1.2", "1.3", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "3.1", "3.2", "4.1", "4.2",
    "4.3", "4.4", "4.5", "4.6", "5.1", "5.2", "5.3", "6.1", "6.2", "6.3", "6.4", "7.1", "7.2", "7.3", "7.4",
    "8.1", "替补",
]  # fmt: skip


def load(name: str) -> dict[str, Any]:
    conduct = load_ruleset(FILES[name]).ruleset.conduct
    return {id: msgspec.to_builtins(clause) for id, clause in conduct.items()}


CONDUCT = {name: load(name) for name in FILES}
PATTERNS = {
    name: Patterns((id, clause.get("patterns", []), clause.get("detectors", [])) for id, clause in conduct.items())
    for name, conduct in CONDUCT.items()
}
CLAUSES = [(name, id) for name, conduct in CONDUCT.items() for id in conduct]


def suspected(name: str, text: str) -> list[str]:
    return [clause for clause, _ in PATTERNS[name].suspicions(text)]


def test_the_lists_hold_the_clauses_in_order() -> None:
    assert list(CONDUCT["m205"]) == NAMES
    assert list(CONDUCT["numbered"]) == NUMBERS


def test_every_clause_has_its_colours() -> None:
    red, yellow = NAMES[:5], NAMES[5:18]
    for id, clause in CONDUCT["m205"].items():
        colours = ["red"] if id in red else ["yellow"] if id in yellow else ["blue"]
        assert clause["colours"] == (["yellow", "blue"] if id == "夜间超时" else colours), id
    for id, clause in CONDUCT["numbered"].items():
        fixed = ["yellow"] if id.startswith("5.") else ["red"] if id == "替补" else None
        assert clause["colours"] == (fixed or ["blue", "yellow", "red"]), id


@pytest.mark.parametrize(("name", "id"), CLAUSES)
def test_a_clause_has_text_and_example_in_both_languages(name: str, id: str) -> None:
    clause = CONDUCT[name][id]
    for key in ("text", "example"):
        assert set(clause[key]) == {"zh", "en"}
        assert all(clause[key].values())


@pytest.mark.parametrize(("name", "id"), CLAUSES)
def test_patterns_are_bounded(name: str, id: str) -> None:
    for pattern in CONDUCT[name][id].get("patterns", []):
        assert check_pattern(pattern) is None, pattern


@pytest.mark.parametrize(("name", "id"), [(name, id) for name, id in CLAUSES if CONDUCT[name][id].get("patterns")])
def test_the_example_of_a_suspectable_clause_raises_that_suspicion(name: str, id: str) -> None:
    assert suspected(name, CONDUCT[name][id]["example"]["zh"]) == [id]


def test_what_the_platform_sees_by_itself_has_no_patterns() -> None:
    for name, ids in (("m205", ("消极", "未投票", "夜间超时")), ("numbered", ("5.1", "5.2", "5.3"))):
        assert not [id for id in ids if CONDUCT[name][id]["patterns"]]


def test_the_two_numbered_boards_share_one_list() -> None:
    assert load_ruleset("m46").ruleset.conduct == load_ruleset("baichibai").ruleset.conduct


@pytest.mark.parametrize(("name", "id"), [("m205", "特殊字体"), ("numbered", "6.1")])
def test_red_and_large_letters_are_suspected(name: str, id: str) -> None:
    assert suspected(name, "[color=Red]今天归3号[/color]") == [id]
    assert suspected(name, "[size=5]今天归3号[/size]") == [id]
    assert suspected(name, "[color=Blue][size=3]今天归3号[/size][/color]") == []


# What the rule threads themselves name, in the wording of the brief: list, clause, words.
NAMED = [
    ("m205", "发誓担保", "我是狼我就吃桌子"),
    ("m205", "发誓担保", "我是狼我死全家"),
    ("m205", "发誓担保", "我用人格保证我是好人"),
    ("m205", "发誓担保", "我用生命保证我是好人"),
    ("m205", "水平担保", "按他的水平，他好人肯定能点好几个狼"),
    ("m205", "关系担保", "以我和他的关系，肯定混他"),
    ("m205", "关系担保", "以他和她的关系，她肯定混他"),
    ("m205", "胜利担保", "这样干我是狼能赢吗"),
    ("m205", "胜利担保", "这样干我是好人能赢吗"),
    ("m205", "胜利担保", "投降了，我送你们赢"),
    ("m205", "贴证担保", "这是昨晚导演给我的反馈"),
    ("m205", "贴证担保", "这是替补前任给我的反馈"),
    ("m205", "贴证担保", "21:10分3号发动了预言，反馈非村民阵营"),
    ("m205", "揭秘担保", "不信你就结束看演员表"),
    ("m205", "贴脸担保", "他那么贴脸得是真好人"),
    ("m205", "贴脸担保", "他那么情绪得是真好人"),
    ("m205", "贴脸担保", "他都这么贴脸了，我没法不信他"),
    ("m205", "解读密码", "这是我写的藏头诗"),
    ("m205", "解读密码", "这是我写的暗号，谜底是3号"),
    ("m205", "贬低", "他就那样，不可理喻"),
    ("m205", "贬低", "情商低"),
    ("m205", "发泄", "我就是很讨厌这个东西"),
    ("m205", "赛后事宜", "你要跟票就是mvp"),
    ("m205", "赛后事宜", "这把金辣鸡奖给你"),
    ("m205", "赛后事宜", "你要跟票就是罪人"),
    ("m205", "游戏责任", "你要出谁错了你背锅"),
    ("m205", "为阵营道歉", "我对不起好人阵营"),
    ("numbered", "1.1", "我准备好背锅了"),
    ("numbered", "1.2", "一定要选他当MVP"),
    ("numbered", "1.2", "最佳演绎收好"),
    ("numbered", "1.2", "结束后求认识"),
    ("numbered", "1.2", "已拉黑，一律不共场"),
    ("numbered", "1.3", "取酒 21:15:03 反馈：村民阵营"),
    ("numbered", "2.1", "我能说脏话吗"),
    ("numbered", "2.2", "卧槽真吊"),
    ("numbered", "2.4", "你杀品真差"),
    ("numbered", "2.7", "不信我你等着结束后看演员表吧"),
    ("numbered", "2.8", "他都这么贴脸了"),
    ("numbered", "3.1", "导演给我的反馈就是这样的"),
    ("numbered", "3.1", "我刚刚问过导演了，规则是这样结算的"),
    ("numbered", "4.1", "你知道我刀法很差的"),
    ("numbered", "4.2", "媳妇GET(2/3)"),
    ("numbered", "4.3", "你忘了那场女巫黑情侣了"),
    ("numbered", "4.4", "他这么换替补我怎么认他狼"),
    ("numbered", "4.5", "我信A，但是我场助比较信B"),
    ("numbered", "7.4", "你们要出我不如我淹死好了"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "id", "words"), NAMED)
def test_what_the_rule_threads_name_is_suspected(name: str, id: str, words: str) -> None:
    assert id in suspected(name, words)
    assert id in suspected(name, f"昨天的票型我看过了。[b]{words}[/b]\n今天归3号。")


# The same kinds of breach in other words.
ALSO = [
    ("m205", "违法", "你再投我信不信我查你住址"),
    ("m205", "作弊", "加我微信说，这里不方便"),
    ("m205", "发誓担保", "我对天发誓，我没有刀人"),
    ("m205", "发誓担保", "发誓我是民"),
    ("m205", "发誓担保", "我要是狼就当场直播吃键盘"),
    ("m205", "发誓担保", "我保证我不是狼"),
    ("m205", "发誓担保", "拿我全家性命担保"),
    ("m205", "发誓担保", "骗人的天打雷劈"),
    ("m205", "发誓担保", "我是狼我就让导演罚红牌"),
    ("m205", "辱骂", "你是傻逼吗"),
    ("m205", "辱骂", "sb，看不懂就别说话"),
    ("m205", "辱骂", "你们这帮垃圾"),
    ("m205", "水平担保", "以老王的实力，不会漏这种票"),
    ("m205", "关系担保", "就我跟他的交情，他不会踩我"),
    ("m205", "胜利担保", "我是狼的话这局还能赢？"),
    ("m205", "贴证担保", "截图为证"),
    ("m205", "揭秘担保", "揭秘的时候你就知道打脸了"),
    ("m205", "揭秘担保", "赛后去翻导演帖"),
    ("m205", "贴脸担保", "就冲这贴脸程度我信"),
    ("m205", "暗示马甲", "7号皮下是谁一看就知道"),
    ("m205", "暗示马甲", "大家都知道我平时什么风格"),
    ("m205", "暗示马甲", "掉马了掉马了"),
    ("m205", "贬低", "有这种猪队友我也没办法"),
    ("m205", "历史场次", "上一局你也是这么倒钩的"),
    ("m205", "历史场次", "之前我们拿狼的时候就这么打"),
    ("m205", "历史场次", "M46那次你也跳了猎人"),
    ("m205", "赛后事宜", "赛后加个好友"),
    ("m205", "为阵营道歉", "我给好人们赔罪"),
    ("numbered", "1.1", "输了别赖我"),
    ("numbered", "1.3", "给大家贴一下聊天记录"),
    ("numbered", "2.3", "放屁，你根本没验"),
    ("numbered", "2.5", "我发誓没有投他"),
    ("numbered", "2.6", "我拿人头担保5号不是狼"),
    ("numbered", "2.7", "我向菩萨起誓"),
    ("numbered", "3.1", "导演私下跟我确认过"),
    ("numbered", "3.2", "凭什么给我黄牌"),
    ("numbered", "3.2", "导演判得不对吧"),
    ("numbered", "4.2", "我认出老公了"),
    ("numbered", "4.2", "我已经知道你是谁了"),
    ("numbered", "4.6", "明天出差，求个替补"),
    ("numbered", "7.4", "干脆违规下去算了"),
]


@pytest.mark.parametrize(("name", "id", "words"), ALSO)
def test_other_wordings_are_suspected_too(name: str, id: str, words: str) -> None:
    assert id in suspected(name, words)


ORDINARY = """
我是预言家，昨晚验了3号，查杀
我是预言家，5号金水，警徽流先8后2
我信5号是好人
我保一下7号
女巫报一下银水
上一轮票型很清楚，3号和6号互保
今天归票3号，不要分票
我是女巫，昨晚救的是2号，解药已经没了
我是民，没有身份，过
我是好人，你们投我就亏一轮
我是狼我就不会这么投票了
我是狼我昨晚早就刀你了
我要是狼，第一天何必跟你对跳
我是狼人的话不会留预言家到第三天
3号如果是狼，那7号一定不是
他是狼的话，好人这边只剩一个轮次
5号这么聊，我觉得像狼
这么投下去狼人就赢了
再错一轮好人就输了，大家想清楚
好人要赢只能今天出狼
我站边8号，8号的视角是通的
悍跳狼不敢给警徽流
倒钩狼可能在4和9里面
4号的发言前后矛盾，第一天说信我，第二天又踩我
6号昨天的改票很可疑，改票的时间点太巧了
我昨天弃权是因为没看出来
我准备投6号，理由等会儿发在投票帖
投票对象：包子
改票理由：听了7号的话，觉得自己看错了
请大家别分票，统一归5号
警长归票吧
警徽给5号，别给3号
我把警徽移交给2号
平票的话警长说了算
昨晚平安夜，说明守护守对了，或者女巫开药了
昨晚双死，一个刀一个毒
女巫为什么毒7号？7号像好人
女巫毒错了人，狼队就赚了
我票错了，3号看着像民，今天重新看
守护昨晚守了谁，不要报出来
守护连续两晚不能守同一个人
混血儿认的是谁，这个问题今天没必要讨论
狼队昨天虚刀了一个人吧
最后一狼能发动终夜雾，预言家就没技能了
预言家的验人反馈是非村民阵营，那就是狼或者混血儿
3号报的反馈是村民阵营
昨晚查验2号，反馈村民阵营，今天不用看2号
吹笛者今天再不出就要赢了
复仇者寻仇到三个连座，报出来给大家盘一下
猎人要是被票，可以开枪带走9号
最后一枪打谁？建议打5号
白痴可以装唐，被票出去也不怕
装唐之后白痴就没有票权了
煤气灯人的隐患会让放逐换人
企鹅昨晚冰冻了剑士，所以防反没发动
牧师侦测到4号是钟楼阵营
乌鸦诅咒了8号，8号今天自带两票
宗教老爷爷的异端已经出局三个了
魔女会应该还剩一个，低语两个都在
影子附身了谁，现在还看不出来
圣徒晚上死不了，别再浪费刀了
我盘一下狼坑：3、6、9
那盘一下7号的视角，他为什么要保3号
那局势就很清楚了，3号必须出
如果5号是真预言家，那场上就还剩两狼
那场面上只剩五个人，容错很低
本场一共三狼，已经出了一个
这局好人优势很大
这场的节奏太慢了，请大家多发言
全场没有人对跳，那就先信他
现在场上还剩六个人
他昨天上场就踩我，没有道理
第二天的时候你明明说信6号
昨天你说过不会改票，为什么又改了
之前我一直保3号，现在我收回
之前你在警上说要验5号，结果验了2号
上次投票你跟的是8号
前两天的票型我都整理好了
你知道我昨天为什么投6号吗
大家都知道我站边8号
我知道他是谁的金水
我知道3号是谁刀的，肯定是狼队互刀骗药
你猜我是谁的银水
看出问题了吗？4号没有听清2号的发言
马甲名要写全，别写错字
投票要写完整的马甲名，确认马甲名没有错字再发
披着羊皮的狼我见多了，9号就是
9号看着老实，其实是狼披着好人的衣服
4号像是谁的同伴，这一点请他自己解释
2号就是我的金水
导演几点发晨报
导演说今天九点开门
导演辛苦了，晨报写得真好
可以去问导演规则，别在这里猜
规则上说平票无人出局
这条规则我理解错了，守护可以守自己
申请加速，今天没有什么可聊的了
申请延时，我还没爬完楼
已经在进程帖签名了
我刚爬完楼，先说结论
电梯楼里可以看每个人的发言
晚上九点关门之前一定投票
21:00关门，我20:50之前会投
昨晚21:30之前狼队应该已经交刀了
遗言我就说一句：信8号
希望我的遗言对你们有用
我出局了也没关系，好人加油
我走了之后你们去看6号
我被刀了，女巫不用救我
我是民我死了不亏，先出对跳的
狼自刀骗药的可能性很大
5号的逻辑有问题，视角像狼
5号的水很深
7号发言质量很高，我学到了
你这个推理我认同
你的刀法解释不通，狼为什么刀一个民
这一刀刀得很奇怪
这个刀口说明狼队怕预言家
3号太激进了，像冲锋狼
3号太安静了，像深水狼
9号全程划水，没有观点
10号在带节奏
10号想甩锅给女巫，这很狼
女巫要对自己的毒负起责任来，先把毒的理由说清楚
别吵了，好好盘逻辑
请不要贴脸，好好聊
大家不要贴脸，也不要发誓
情绪不能当逻辑
他昨天情绪激动，但是逻辑是对的
我没有情绪，只是不同意你的看法
你不用发誓，说逻辑就行
我从不发誓，只讲道理
我觉得不能拿投票当证明
我保证明天给大家一个完整的狼坑
我保证跟警长的票
我担保5号是好人，出了问题先看我
我用票证明自己
我拿什么证明我是民？没有技能只能靠发言
我敢认民，你敢认什么
用投票来验证，投完再看
以5号的发言，不像拿了神牌
按照8号的验人，2号是好人
凭这一票，我信他是真预言家
就凭3号跟4号的票一样，不能说他们是同伴
2号和7号的关系不像狼同伴
我靠发言找狼，不靠感觉
我操作一下票型表，等我十分钟
我草率了，昨天不该跟票
逼狼人今天表态
我要逼8号跳身份
这波抱紧预言家的大腿
张大妈的票我看不懂
废物利用一下，让9号去挡刀
脑子有点乱，我再想想
大家带上脑子投票
我昨天太傻了，居然信了3号
狼不会这么蠢，刀了自己的金水
别把我们都当傻子骗
他心态很稳，不像狼
狼队心态崩了，开始乱刀
我讨厌下雨天，但是这场雨来得正好
这个晨报太好笑了
灯塔的老海今晚要熬夜看雾
码头的雾散了，船还没来
投票结束看结果
今天讨论结束后请你把狼坑列出来
白天结束后复盘一下票型
等关门之后见分晓
最佳狼坑组合是3和6
我奖励自己一杯茶
暗示得太明显了，5号就是女巫
他在暗示我是守护
头像很好看
密码我没忘，就是登录慢了
谁来接警徽
请9号起来解释一下昨天的弃权
我先去吃饭，晚上回来投票
对不起，昨天没时间爬楼
抱歉来晚了，我现在开始看
我是预言家，必须跳出来了
我不会骗大家，我的查验都是真的
如果我被刀，请好人相信我的查验
我的金水是铁的，你敢查杀我吗？
依我拙见，3号发言时词句闪烁、极其反常，非常像一只披着羊皮的倒钩狼
我这一票定会砸在他头上
今夜你若敢继续作乱，我必叫你尝尝我的剧毒
跟着真预言家，不迷路
他自称有金水，实则逻辑漏洞百出
镜中白羽洁净，他是金水好人，大家切莫踩错
我先不站死边，看看局势
别乱咬啊，我要是狼会这么明显？
我看你才有问题
你急什么，你是狼吗
我不是狼，你们投我就是送狼赢
这样投就是给狼队送轮次
好人还有两轮，输不起了
毒错了就崩盘了
女巫毒错了谁都别怪，往下盘
我要是民我就跟着预言家走
我是狼我为什么要救他
我是狼我就吃这一刀，骗女巫的药
我是女巫，我吃了一刀自己救了
我是猎人，死了开枪
我是民，死了就死了，不影响大局
3号你别死扛了
今天9号出局，关门见
我记得第一局竞选的时候他没上警
这一局我是民，下一局再说
那个时间点我不在
前一天他没投票，前一晚也没被刀
别的坑位我还没看
以前两天的票型看，6号像狼
之前的票型都在电梯里
去年的雪还没化，灯塔已经亮了
他上一次改票很可疑
我和6号的票一直一样
以我的视角，7号必出
以我和3号的视角差，说明他不是女巫
就3号和5号的关系来说，他们不像双狼
按照我的逻辑，4号是狼
凭你的发言我认不下你
我对你的发言很反感
我真的很讨厌划水
狼人的杀意太明显
他的水平我认可
5号的水平很好，像老手
反馈给大家一个信息：3号有问题
我看到的反馈就是村民阵营
我昨晚的反馈是3号非村民阵营
通灵反馈的是5号和8号
导演公告写了双死
导演已经通知大家延时了
导演跟大家说过改票要引用
昨天导演说错了时间，已经更正
导演的规则解释很清楚
请导演解释一下平票规则
我问一下导演，改票要不要引用
刚才问了导演吗？没有的话就等公告
我已经找到狼了
我猜出3号是女巫了
拆一下3号的发言
扒一下6号的票型
认出狼人不难，难的是说服大家
我认错，昨天跟错票了
我对不起3号，昨天错投了他
对不起大家，我来晚了
给大家道歉，昨天漏投了
给3号道个歉，昨天我踩错了
跟狼队道别吧
最佳的选择是投6号
最佳演说给到4号
这锅粥真香
锅里煮着汤，等会儿再来
谁背着包走了
人头数一下，还剩七个
用命换信息，值
拿命去赌不如弃权
保证书我就不写了
我只能保证自己的票
担保的话我不说，说逻辑
晚上聊，现在忙
私聊不行，公屏说
狼队私下商量过刀法了吧
共群里应该讨论过怎么刀
QQ群里没有公告吧
我去加个班
加个警徽流
好友印象：4号温和
没脑补那么多
脑洞太大了
我们要有底线
屁股决定脑袋，狼的视角就是这样
大腿都抱不上
吊桥那边有人喊门
这局真吊诡
牛头人在门口
装作不知道
傻等一天
傻白甜人设
狗推就狗推吧
你是个好人
你就是个民
你这个视角太差了
你太好了
你真好笑
他真笨拙地在圆谎
这么蠢的刀法不是狼队风格
3号太菜单化了
首字排下来是一句诗
头像里的灯塔真好看
拼音打错了
密码错误登录不上
这句话的暗语是什么
第一个字我没看懂
他在藏身份
藏头露尾的就是狼
淹水区的灯塔
我故意不投票看谁跟
故意违心说的
故意卖个破绽
干脆投3号
不如弃权
主动跳出来
红牌警告那种发言就免了
没有人吃牌吧
找个人接警徽
谁来替女巫说话
谁能替我验一下8号
有没有人对跳
那场雨之后雾更大了
上一场雪压断了码头的灯
我是小镇的罪人，替灯塔守夜
今晚谜底就会揭晓
谁来接手警徽
以预言家的能力，今晚还能验一个
凭女巫的能力救不了所有人
以灯塔和邮差的视角看，票都对得上
那戏台上的人是谁
那次改票是我不对
以后再说
""".strip().splitlines()


def test_there_are_many_ordinary_sentences() -> None:
    assert len(set(ORDINARY)) == len(ORDINARY) > 250


@pytest.mark.parametrize("words", ORDINARY)
def test_ordinary_play_is_not_suspected(words: str) -> None:
    assert suspected("m205", words) == []
    assert suspected("numbered", words) == []


def test_ordinary_play_in_one_long_post_is_not_suspected() -> None:
    for divider in ("\n", "。", "，", " "):
        assert suspected("m205", divider.join(ORDINARY)) == []
        assert suspected("numbered", divider.join(ORDINARY)) == []


@pytest.mark.parametrize("name", FILES)
def test_the_longest_post_is_read_quickly(name: str) -> None:
    for words in (
        "我是狼我就",
        "那场局上一",
        "导演给我说",
        "[b]他那么[/b]",
        "21:15:",
        "以我和他的" * 3 + "。",
        "发誓" * 9,
    ):
        started = perf_counter()
        PATTERNS[name].suspicions(words * (LONGEST_READ // len(words)))
        assert perf_counter() - started < 2
