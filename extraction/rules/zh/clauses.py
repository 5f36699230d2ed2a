"""Split Chinese sentences into clauses and resolve their subjects."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.reader import THE_USER
from extraction.rules.engine import Clause, DiscourseState
from extraction.rules.zh.word_classes import HE
from extraction.text.lexicon_zh import (
    EXPERIENCED,
    FORMERLY_WITH_VERB,
    KIN_PATTERN,
    NOT_NAMES,
    PETS,
    SOLE_KIN,
    SURNAMES,
    WHEN_YOUNG,
)
from extraction.text.name_spotting import chinese_name_at, is_nominal, word_tag
from extraction.text.sentences import Sentence
from schema.result_cache import cached_by_chars

# Normalization: short kinship terms, quoted speech

_SPEECH = re.compile(r"[“\"「『][^”\"」』]{2,200}[”\"」』]")
_SPEAKER = re.compile(r"[我你您他她它咱俺]")
_RELAYED: Final = (
    r"(?:^(?:请|麻烦|帮我|帮忙|再|以[^：:，。]{1,10}|用[^：:，。]{1,10}|把[^：:，。]{1,10}){0,2}(?:读|"
    r"翻译|改写|润色|校对|总结|修改|改|缩写|扩写|看看?|朗读|念|编|写|"
    r"生成|起草|检查|评价|分析|续写|仿写)[^：:。]{0,30}|"
    r"(?:说|写道|写着|写的是|有人发|让[背读抄写]|喊|印着|留言说?|评论说?|回复说?|唱的是|原文是?|原话是?|"
    r"内容是?|如下|这句话?|这段话?|"
    r"翻译成(?:英文|中文|英语|日语)|"
    r"(?:[一这那][句条段个篇]|怎么[念说读写译]|画像|简介|自我介绍|签名|台词|歌词|段子|朋友圈|弹幕|标题|作文|"
    r"例句|短信|广告|海报|题目|"
    r"人设|人物|设定|剧情|留言|评论|帖子|文案|模板|对白|谜语|绕口令|小说)[^，。：:]{0,8}))[：:]"
)
# Words that make a clause an assumption, wherever they stand.
_SUPPOSES: Final = "假装|假设|设想|幻想"
# Openings of role play and assumptions, which make the sentence and what follows it fiction.
_PRETENDS: Final = (
    rf"^(?:请你?|现在|好的?，?)?(?:{_SUPPOSES}|想象|扮演|角色扮演|你来?扮演|你现在是(?!不是)|"
    r"从现在开始，?你是|比如说?我[叫是])"
)
# Stories, games and dreams.
FICTION: Final = re.compile(
    _PRETENDS + r"|^第[一二三四五六七八九十\d]+[章回集幕节](?:[，：: ]|$)|我和我的[\u4e00-\u9fff]{1,3}(?:是真爱|锁死)|"
    r"剧情[里是]|大结局|(?<![闺孙侄长])[男女](?:[一二三](?![岁个名十年])|主(?!人|任|管|持)|配)|追的剧|"
    r"这部?剧里|电影里|小说里|书里的?|游戏里|梦[见到]|做了?个?梦|梦里|主角[是叫]|编剧|扮演|角色(?:设定|扮演|叫|"
    r"名)|"
    r"^(?:请|麻烦|帮我?|给我)?(?:编|写|虚构|模拟|生成|拟|起草|续写)(?:一?[个段篇首份封张条则]|"
    r"[两三四五六七八九十几\d]+[个段篇首份封张条则]|出)|"
    r"以[^，。]{1,10}的(?:口吻|身份|视角|语气|名义)|你[当演扮]|我[演扮]|[上里]印着|上写着|写着[“\"「]"
)
# A text for somebody else is about the speaker, and no story.
_LETTER: Final = re.compile(
    r"^(?:请|麻烦|帮我?|给我?)?(?:写|起草|拟)[^，。]{0,10}?(?:信|邮件|祝福|贺词|贺卡|简历|请假条|祝酒词|致辞|消息|"
    r"短信|发言稿?|通知|申请)"
    r"[^，。]{0,4}(?=，)"
)
# Plans that were dropped.
DROPPED: Final = re.compile(
    rf"^(?:我们?)?(?:原|本来|{FORMERLY_WITH_VERB})(?:来|是|还)?(?:打算|计划|想|准备|要|说好|"
    r"约好|订好|定好)|"
    r"^说要[^，。]{1,8}说了|^想[^，。]{1,8}来着"
)
# Wishes and imagination.
WISH: Final = re.compile(
    r"就好了|真想|好想|多想|恨不得|但愿|什么时候才?能|[何哪]时候?才?能|下辈子|来世|做梦都|老天|求求?(?:你|老天|"
    r"菩萨|各路)|许愿|保佑|"
    r"中(?:了)?(?:彩票|大奖|五百万)|等我[^，。]{0,6}(?:有钱|发财|中奖|退休了)|换[做作成]是?我|当年要|早知道|"
    r"当我(?!上|了|的)|就当我?|"
    r"哪天[^，。]{0,10}(?:了|就)"
)
_AFTER_RELAY = re.compile(_RELAYED + r"(?P<words>.+)", re.DOTALL)
# Sentences after which the message is quoted text or role play.
RELAYS_SPEECH: Final = re.compile(_RELAYED + r"|" + _PRETENDS)
# Sarcasm: 我可真喜欢排队.
SARCASTIC: Final = re.compile(
    r"可太(?:爱|喜欢|享受|想|会)|^呵[，,！]|可真是?(?:喜欢|爱|享受|谢谢)|^(?:太好了|真好|好极了|真棒|是啊是啊|"
    r"可不是嘛|好家伙|"
    r"真是谢谢)[，,！!].{0,12}(?:喜欢|爱|享受)|"
    r"呵呵|谁不(?:喜欢|爱|想)|(?:喜欢|享受|爱)被(?:骂|坑|催|骗|吼|打)|简直爱死|我谢谢(?:你|您)|"
    r"(?:我的最爱|最爱了)[，,]?(?:呵|哈|呢$)"
)
_SHORT_KIN: Final = {
    "爸": "爸爸",
    "妈": "妈妈",
    "哥": "哥哥",
    "姐": "姐姐",
    "弟": "弟弟",
    "妹": "妹妹",
    "奶": "奶奶",
    "先生": "丈夫",
    "姑": "姑姑",
    "舅": "舅舅",
    "叔": "叔叔",
    "姨": "姨妈",
}
_MY_KIN = re.compile(
    r"我(?:家|们家|亲)?(?P<k>先生|[爸妈哥姐弟妹奶姑舅舅叔姨])(?![爸妈哥姐弟妹奶奶们夫媳子儿油茶粉姑舅叔姨父婆丈])"
)
_OUR = re.compile(r"俺们?|咱们?家?(?=[爸妈哥姐弟妹])")


@cached_by_chars(chars_max=1_000_000, entries_max=512)
def mask_quoted_speech(text: str) -> str:
    """Blank out quoted and relayed speech; the length stays the same."""
    text = _SPEECH.sub(lambda found: "　" * len(found[0]) if _SPEAKER.search(found[0]) else found[0], text)
    relayed = _AFTER_RELAY.search(text)
    if relayed is None:
        return text
    return text[: relayed.start("words")] + "　" * len(relayed["words"])


def expand_kinship_words(text: str) -> str:
    """Expand short kinship terms, `我妈` → `我妈妈`; the length changes."""
    text = _OUR.sub("我", text)
    return _MY_KIN.sub(lambda found: "我" + _SHORT_KIN[found["k"]], text)


_CUT = re.compile(
    r"[，,；;：:]+|——|(?<=了)(?=要不要|该不该|能不能|可不可以|怎么办)|(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])|"
    r"(?=但是|不过(?!敏)|可是|而且(?!是)|然而|虽然)"
)
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
# 原来 at the beginning of a clause also means "it turns out".
_ONCE_FIRST: Final = rf"(?!原来){FORMERLY_WITH_VERB}"
_LEAD = re.compile(
    r"^(?:你好[啊呀]?|嗨|嗯+|恩|哦|噢|啊|是的|是啊|对了|对呀|对啊|其实|但是|但|不过|可是|而且|虽然|因为|"
    r"所以|另外|还有(?![一二两三四五几][只条个匹头对家辆])|当然|哈哈|说起来|说实话|"
    r"话说回来|今天|昨天|前天|昨晚|最近|现在|目前|平时|那么|然而|后来|于是|同时|此外|"
    rf"(?:{_ONCE_FIRST}|{WHEN_YOUNG})(?![的那这])|[^，我]{{1,6}}(?:之前|以前|前)(?=我|们)|"
    r"(?:医生|大夫|体检|医嘱)(?:说|建议|让|"
    r"叫|嘱咐)(?=我)|[^我你您他她，。]{1,5}(?=我(?:一般|向来|从来|永远)?只(?:喝|看|吃|用|选|买|听|穿))|"
    r"上次|早餐|早饭|午饭|晚饭|五一|十一|国庆|春节|元旦|端午|中秋|清明|暑假|寒假|那天|前几天|前阵子|"
    r"这阵子|[今去前]年[春夏秋冬]天|年初|年底|月初|月底|上周末?|上个?周末|上个月|去年|今年|"
    r"这几天|好的|谢谢|有时候|有时|周末|从小到大|原来|比如|例如|比起[^我]{1,8}(?=我)|上(?=我)|"
    # 春天的时候我…, 出车祸以后我…, 周一晚上我…, 去那家店我…
    r"(?:[^我你您他她，。]{1,10}(?:的时候|那会儿|那年|那天)|(?:每?个?(?:周|星期|"
    r"礼拜)[一二三四五六日天末]?|每[天年月]|"
    r"[这下]个?(?:周|月|星期|学期)|(?:19|20)\d\d年|[\d一二三四五六七八九十]{1,2}月份?)(?:早上|上午|中午|下午|傍晚|"
    r"晚上)?|"
    r"[去到在](?![^我，]{0,12}[了过])[^我你您他她，。]{1,8})，?(?=(?:我|我们|"
    r"咱)(?![家爸妈哥姐弟妹的]))(?=我们?(?![^，。]{0,3}的)))"
)
_LEADS_MAX = 4
# 在博世工作过
_ONCE_DONE: Final = re.compile(rf"(?:[住干当养做打教开]|工作|上班|上学|上){EXPERIENCED}")
# 前年我在杭州住了一年: 了 before how long, and none after it, says that it is over.
_STAYED = re.compile(
    r"^(?:我们?)?(?:大?前年|那年|当时|那会儿|早年|(?:19|20)\d\d年|"
    r"[零一二三四五六七八九]{2}年)[^，]{2,14}[住待干做租工作]了(?:[一二两三四五六七八九十半几\d]{1,3})"
    r"(?:多)?(?:年|个?月|个?学期)(?:多|半)?$"
)
# A time of life, after which a clause is about the past: 我十二岁的时候全家搬到了厦门.
_THEN_FIRST = re.compile(
    r"^(?:我们?)?(?:[\d一二三四五六七八九十]{1,3}岁(?:的时候|那年|时)|(?:上|读|念)(?:大学|中学|高中|初中|小学|"
    r"研究生)(?:的时候|那会儿|时)|"
    r"刚?(?:毕业|工作|结婚|当兵)(?:的时候|那会儿|那年|时)|"
    rf"{WHEN_YOUNG})，?(?=[\u4e00-\u9fff]{{3}})"
)
# 在北京的时候我在百度上班
_THEN_WHEN = re.compile(
    r"^(?:在(?!家)[^，我]{1,8}|当(?:兵|老师)|刚?(?:毕业|结婚|工作)|读?[本硕博]科?|单身|年轻|疫情|封控|上学|留学|实习|"
    r"创业|怀孕|失业|[^，我]{0,4}(?:19|"
    r"20)\d\d年|[去前]年[^，我]{0,4})"
    r"(?:的时候|那会儿|那几年|期间|那年)"
)
# The past: 疫情前我住在…, 以前我….
_PAST = re.compile(
    rf"^(?:其实|另外|对了|说起来)?(?:{_ONCE_FIRST}|{WHEN_YOUNG}|早些年|前几年|那时候?|"
    r"(?:上|读)(?:大学|中学|高中|小学|研究生)(?:的?时候)?|"
    r"[^，我]{1,6}(?:之前|以前|前)(?=我|们))(?![的那这]|[^，我]{0,3}[说提讲])(?!从没|没)"
)
_ONCE = re.compile(rf"^(?:{FORMERLY_WITH_VERB}|{WHEN_YOUNG})(?:也|都|一直|可|还|就)?(?=[^的])(?!从没|没)")
_MOMENT = re.compile(r"今天|昨天|昨晚|前天|明天|后天|今晚|此刻|这会儿?|刚才|这一刻|眼下|这次(?!签证|考试|手术|面试)")
_LAUGHS = re.compile(r"哈{3,}|hh|233|笑死|狗头|doge", re.IGNORECASE)
# Elided 我 at the beginning.
_ELIDED = re.compile(
    r"^(?:刚刚?|从小|一直|最近|现在|目前|已经|终于|一般|平时|也|都|真的|其实|特别|超级?|最|很|就|才|又|本来|每天|"
    r"正在|打小|实在|真心|向来|完全){0,3}"
    r"(?:喜欢|爱(?!情|心|国|一个|的|我)|讨厌|害?怕|不(?:太|怎么|能|敢)?(?:吃|喝|喜欢|爱)|搬(?:到|来|去|回|进)|住在|"
    r"在(?=[^，]{2,12}(?:工作|上班|做|当|读|学|实习|长大))|"
    r"打算|计划|准备|希望(?!你|您|大家)|想(?!问|知道|请|要?你|象|必|不到|想)|决定|学(?!生|校|会了吗)|养了|"
    r"领养|对[^，]{1,10}(?:过敏|感兴趣|没兴趣)|受不了|"
    r"戒(?:了|掉)|在(?:为|备考|减肥|戒|攒钱|学)|为[^，]{2,12}(?:发愁|操心)|入职|升职|毕业于|来自|老家|"
    r"今年\d|担心|吃不了|喝不了|习惯|只(?:喝|吃|用)|迷上|"
    r"离不开|会(?:说|弹|拉)|瘦|必须|得|要(?=减|戒|瘦|学)|叫我|是(?:一?[个名位]|做))"
)
_SOMEBODY = re.compile(rf"[你您她]|{HE}|我们公司|大家|别人|人们|老师说|朋友说|的人")
_GREETING_CHARS_MAX = 3
_NOW = re.compile(
    r"现在|如今|后来|目前|最近|这几年|今年|不过|但|可是|反而|反倒|之后|已经|[搬跳转调换]到|入职|加入|跳槽"
)
HYPOTHETICAL = re.compile(
    rf"{_SUPPOSES}|一旦|有朝一日|真要|如若|假使|换成是我|理想状态下|如果|要不是|就算|哪怕|倘若|若是|若(?=我|你|能|有)|假如|"
    r"(?<![主只])要是|万一|的话|即使|除非|希望你|祝你"
)
_HEDGE = re.compile(r"据说|传言|谣传|传说|风闻|也许|可能|或许|大概|好像|似乎|说不定|不知道|不确定|不清楚|听说")
_ASKS = re.compile(
    r"(?<!没)(?<!没有)什么(?!的)|(?<!不)怎么|怎样|哪[里些个种位儿]|谁|多少|是否|[吗么]$|吗|^.{1,5}呢$|[你您他她]呢$|"
    r"有没有|"
    r"会不会|喜不喜欢|要不要|想不想|"
    r"能不能|是不是|为何|几[点岁]"
)
_LISTING = re.compile(r"喜欢|爱好|热爱|讨厌|害怕|过敏")
_LIST_PIECE = re.compile(r"^[\u4e00-\u9fff]{2,4}$")
_NO_LIST_PIECE = re.compile(r"[我你他她它的了吗呢很真好吧啊不是对嗯太也都就还可会要想去来说谢觉每]")
# 我家猫有糖尿病 is about the cat.
_PET_FIRST = "(?:" + "|".join(sorted(PETS, key=len, reverse=True)) + ")"
_ME = re.compile(
    r"^(?:我自己|我本人|我个人|我这个?人|我们(?:一|全)?家(?![的住在狗猫鱼鸟龟兔])|我们全家|我们俩?|咱们俩?|"
    r"我家里(?!在|住)|我家(?!在|住|的|人|那|[狗猫])|本人|我(?!们?家[里的]?[那这]?[只条]?"
    + _PET_FIRST
    + r"))(?:和|跟|与)?"
)
_KIN = re.compile(
    r"^(?P<p>我|他|她|其)?们?家?的?(?:一个|一位|那个)?(?P<k>(?<=家)老[大二三]|"
    + KIN_PATTERN
    + r")(?![课卡费节])(?:[她他](?!们))?"
)
# Children are subjects without a name if they are said to be the speaker's: 我家孩子.
_CHILD = frozenset(("孩子", "宝宝", "娃", "宝贝", "老大", "老二", "老三"))
# Companions of the subject: 我跟我弟弟开了店.
_COMPANY = re.compile(
    r"^(?:我们?的?)?(?:[一两二三四五六几\d]+[个位名])?(?:" + KIN_PATTERN + r")(?:们)?(?:一起|一块儿?|俩|两个人?)?"
)
_PRONOUN = re.compile(r"^(?:他|她|其)(?!们|中|实|他|它)")
_OTHERS = re.compile(r"^(?:这|那|它|你|您|大家|有人|人们|他们|她们|它们|其中|其他|别人|每个|谁|老师|同学|教练)")
_VERB_NEXT = (
    r"(?=也|很|非常|特别|最|不|喜欢|讨厌|住|爱|热爱|害怕|怕|在|的|叫|今年|是|有|说|想|打算|对|养|超|挺|从|"
    r"和|与|跟|去|参|看|读|收|获|感|觉|通|拿|因|练|尝|做|发|被|帮|吃|喝|刚|又|已|正|会|家|"
    r"调[到去回来走]|退[休伍学]|辞职|换了|考[上了研]|转[学行岗正]|升[了职]|毕业|结婚|订婚|离[婚职]|跳槽|入职|加入|嫁|"
    r"搬[家到去回走来进出])"
)
# 老王: a colleague or neighbour by surname.
_BY_SURNAME: Final = (
    "老[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任"
    "沈姚卢姜崔钟谭陆汪范石廖贾韦付邹孟熊秦邱江尹薛闫段雷侯史陶黎贺顾郝龚邵万钱严覃武戴莫孔向汤穆]"
)
_NAMED = re.compile(
    r"^(?P<n>"
    + _BY_SURNAME
    + r"|小[\u4e00-\u9fff]|[A-Z][A-Za-z]+|["
    + "".join(sorted(SURNAMES))
    + r"][\u4e00-\u9fff]{1,2}?)"
    + _VERB_NEXT
)
_REPORT = re.compile(
    r"^(?:也|曾|总是?|经常|还)?(?:说(?![好定话实])过?|觉得|告诉我|认为|表示|提到|承认|告诉过我|发现)(?:，|,)?"
    r"(?P<p>自己|"
    r"他|她|我)?(?P<rest>.+)",
    re.DOTALL,
)


_MOVED_ME = re.compile(
    r"(?:就|又|已经|都|刚|非要)?(?:把|叫|接|让)(?:我|咱)[^，。]{0,8}?(?:接|带|送|搬|叫|弄|调|来|去|到)"
)


def split_clauses(sentence: Sentence, state: DiscourseState) -> Iterator[Clause]:
    """Yield the clauses that state something; skip questions and hypotheses."""
    # A space between characters divides clauses as a comma does.
    text = _SPACED.sub("，", mask_quoted_speech(sentence.text))
    state.subject = None
    state.kin = None
    state.opens = True
    state.past = False
    invented = FICTION.search(text)
    is_request = invented is not None and _LETTER.match(text) is not None
    if SARCASTIC.search(text) or (invented and not is_request):
        return
    pieces = _with_lists(text, _pieces(text))
    if is_request:
        # 帮我写封求职信，我在应聘…: the request invents, what follows is so.
        pieces = [piece for piece in pieces[1:] if piece[2].startswith("我")]
    for number, (start, end, plain) in enumerate(pieces):
        last = number == len(pieces) - 1
        if HYPOTHETICAL.search(plain) or WISH.search(plain):
            return
        if DROPPED.match(plain):
            continue
        if (sentence.asks and last) or _ASKS.search(plain) or _HEDGE.search(plain):
            continue
        yield _clause(plain, sentence.start + start, sentence.start + end, state)


def _pieces(text: str) -> list[tuple[int, int]]:
    found = []
    start = 0
    for cut in _CUT.finditer(text):
        if cut.start() > start and not _inside_title(text, cut.start()):
            found.append((start, cut.start()))
            start = cut.end()
    found.append((start, len(text)))
    return [(start, end) for start, end in found if end - start > 1]


def _inside_title(text: str, place: int) -> bool:
    return text.rfind("《", 0, place) > text.rfind("》", 0, place)


def _with_lists(text: str, pieces: list[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Join the items of a list with commas (唱歌，健身，旅游) to the clause that begins it."""
    plain = [text[start:end].strip('。！？!?…~～ .”“"') for start, end in pieces]
    joined: list[tuple[int, int, str]] = []
    number = 0
    while number < len(pieces):
        stop = number + 1
        if _LISTING.search(plain[number]):
            while stop < len(plain) and _LIST_PIECE.match(plain[stop]) and not _NO_LIST_PIECE.search(plain[stop]):
                stop += 1
        if stop - number < 3:
            stop = number + 1
        joined.append((pieces[number][0], pieces[stop - 1][1], "、".join(plain[number:stop])))
        number = stop
    return joined


def _clause(plain: str, start: int, end: int, state: DiscourseState) -> Clause:
    text = expand_kinship_words(plain.strip())
    past = _PAST.match(text) is not None or _ONCE_DONE.search(text) is not None
    past = past or _STAYED.search(text) is not None or _THEN_WHEN.match(text) is not None
    if then := _THEN_FIRST.match(text):
        past, text = True, text[then.end() :]
    momentary = _MOMENT.search(text) is not None or _LAUGHS.search(text) is not None
    whole = text
    for _ in range(_LEADS_MAX):
        shorter = _LEAD.sub("", text, count=1).lstrip("，, ")
        if shorter == text or not shorter:
            break
        text = shorter
    lead = whole[: len(whole) - len(text)]
    kin_before = state.kin
    state.kin = None
    inherited = state.subject
    subject, rest = _subject(text, state)
    if subject is None and state.opens and _ELIDED.match(text) and not _SOMEBODY.search(text):
        subject = state.speaker.me
    state.opens = state.opens and len(text) <= _GREETING_CHARS_MAX
    # A clause without a new subject stays in the past: 以前住在上海，在华为上班.
    past = past or (state.past and rest == text and _NOW.search(plain) is None)
    state.past = past
    if subject is not None and (once := _ONCE.match(rest)):
        past, rest = True, rest[once.end() :]
    if rest == text and subject is not None and subject == inherited:
        state.kin = kin_before
    if subject is not None:
        subject, rest = _reported(subject, rest, state)
    # After a clause about others, the next one may be about them: 我知道他喜欢旅游，喜欢美食.
    state.subject = None if subject == state.speaker.me and re.search(r"[他她你]", rest) else subject
    if subject is not None and _MOVED_ME.match(rest):
        # 女儿把我接到深圳来了，住在南山: it is the speaker who lives there.
        state.subject = state.speaker.me
    return Clause(
        text=text,
        rest=rest,
        subject=subject,
        third=state.third,
        start=start,
        end=end,
        kin=state.kin,
        past=past,
        momentary=momentary,
        lead=lead,
    )


def _subject(text: str, state: DiscourseState) -> tuple[str | None, str]:
    own = next((name for name in state.speaker.user_names if name and text.startswith(name)), None)
    if own is not None and state.speaker.me in (THE_USER, own):
        return _own_subject(text[len(own) :], state)
    request = _REQUEST_FOR.match(text)
    asked = text[request.end() :] if request else text
    if kin := _KIN.match(asked):
        found = _kin_subject(kin, asked, state)
        return (state.subject, text) if request else found
    if me := _ME.match(text):
        with_whom = me.group().endswith(("和", "跟", "与"))
        return state.speaker.me, _COMPANY.sub("", text[me.end() :]) if with_whom else text[me.end() :]
    if pronoun := _PRONOUN.match(text):
        return state.third, text[pronoun.end() :]
    if _OTHERS.match(text):
        return None, text
    named = _NAMED.match(text)
    if named and named["n"] not in NOT_NAMES and named["n"][:2] not in NOT_NAMES and _may_be_name(named["n"]):
        state.third = state.speaker.subject_named(named["n"])
        return state.third, text[named.end() :]
    if state.third is None and state.speaker.me == THE_USER and any(name in text for name in state.speaker.user_names):
        state.third = THE_USER
    if late := _LATE_ME.match(text):
        rest = text[late.end() :]
        return state.speaker.me, text if rest.startswith(("跟", "和", "与")) else rest
    if state.subject in _LANDLORDS and _MUST.match(text):
        return None, text
    return state.subject, text


# 给我爸推荐一本书，他喜欢历史: what follows is about the relative.
_REQUEST_FOR = re.compile(r"(?:请|麻烦你?|能不能)?[给帮替为](?=我)")
# The speaker after a time: 下周一起我跟李姐汇报.
_LATE_ME = re.compile(r"[^，。我咱]{0,8}?(?:起|开始|以后|之后)，?(?:我们?|咱们?)(?![的家])")
# What these do obliges somebody else: 房东把房子卖了，六月前得搬走.
_LANDLORDS = frozenset(("房东", "老板", "领导", "上司", "主管", "公司", "学校", "单位", "医生", "老师", "物业"))
_MUST = re.compile(r"(?:就|又)?(?:得(?=[\u4e00-\u9fff])|必须|只好|只能|不得不)")


def _may_be_name(word: str) -> bool:
    """Return whether the dictionary lists the word as a name or not at all, unlike 周末, 高中, 小店; 老张 is a name."""
    return word[0].isascii() or re.fullmatch(_BY_SURNAME, word) is not None or word_tag(word) in (None, "nr")


def _own_subject(rest: str, state: DiscourseState) -> tuple[str | None, str]:
    state.third = THE_USER
    kin = _KIN.match(rest)
    if kin and rest.startswith("的"):
        return _kin_subject(kin, rest, state)
    return THE_USER, rest


def _kin_subject(kin: re.Match[str], text: str, state: DiscourseState) -> tuple[str | None, str]:
    word, rest = kin["k"], text[kin.end() :]
    if word in _CHILD and text.startswith(("我", "咱")) and _name_after(rest) is None and word not in state.named:
        state.third = word
        return word, rest
    if kin["p"] in (None, "我") and (name := _name_after(rest)):
        state.third = state.speaker.subject_named(name)
        return state.third, rest[len(name) :]
    if kin["p"] in ("他", "她", "其") and state.third != THE_USER:
        return None, text
    if word in state.named:
        state.third = state.named[word]
        return state.third, rest
    if state.speaker.me == THE_USER and any(
        rest.startswith(("教", "带", "给", "陪", "和", "与", "送")) and name in rest
        for name in state.speaker.user_names
    ):
        state.third = THE_USER
    else:
        state.third = word if word in SOLE_KIN else None
    state.kin = word if word in SOLE_KIN else None
    return (word if word in SOLE_KIN else None), rest


_LATIN_NAME = re.compile(r"[A-Z][A-Za-z]+")
_PET_NAME = re.compile(
    r"([\u4e00-\u9fff])\1(?!\1)|(?:[小阿大][\u4e00-\u9fff]|"
    + _BY_SURNAME
    + r")(?="
    + _VERB_NEXT[3:-1]
    + r"|订|离|分|处|谈|求|结|领|交|正|已|刚|上|[\d一二三四五六七八九十两]|$)"
)
# Doubled words and words with 小 or 大 that are no names.
_NO_PET_NAME = re.compile(
    r"天天|常常|慢慢|偏偏|刚刚|明明|往往|多多|好好|早早|偷偷|悄悄|渐渐|年年|月月|人人|处处|时时|仅仅|白白|大概|"
    r"大约|大学|大家|大半|"
    r"小学|小时|小区|小心|小声|大声|大夫|大病|大多|小便|大便|爸爸|妈妈|哥哥|姐姐|弟弟|妹妹|爷爷|奶奶|叔叔|姑姑|"
    r"舅舅|太太|大姐|大哥|小姐|大小|小孩|小吃|大四|大三|大二|大一|大班|小班|小名|大名|小三|小我|大我|小他|大他|"
    r"小她|大她|大的|小的"
)


def name_at(text: str, start: int) -> str | None:
    """Return the name of a person that begins at an offset, such as 王芳, 小雅, 乐乐 or Leo."""
    if latin := _LATIN_NAME.match(text, start):
        return latin.group()
    if found := _PET_NAME.match(text, start):
        return None if _NO_PET_NAME.match(found[0]) else found[0]
    return chinese_name_at(text, start)


def may_name_person(word: str) -> bool:
    """Return whether a word may be somebody's name, unlike 护士, 新娘 and 换人, which the dictionary knows."""
    if word[0].isascii() or name_at(word, 0) == word or word[0] in "小老阿":
        return True
    # 东北人 is not in the dictionary.
    return word[-1] != "人" and word_tag(word) in (None, "nr", "nrt") and is_nominal(word)


# Given names that are words too: 建军, 海燕.
_GIVEN_NAME = re.compile(
    r"[\u4e00-\u9fff][军国华伟强芳英兰梅红霞玲萍燕丽娟敏静平明刚勇杰涛超斌波辉鹏飞龙凤琴珍秀荣生](?="
    + _VERB_NEXT[3:-1]
    + r")"
)


def given_name_at(text: str, start: int) -> str | None:
    """Return the given name that begins at an offset and is a word too: 建军 before a verb."""
    given = _GIVEN_NAME.match(text, start)
    return given[0] if given and word_tag(given[0]) in ("n", "ns", "nz", "nrfg", "nrt") else None


def _name_after(rest: str) -> str | None:
    """Return the name that follows a kinship term: 王芳 in 妻子王芳."""
    given = given_name_at(rest, 0)
    name = name_at(rest, 0) or given
    if name is not None and name == given:
        return name
    return (
        name
        if name
        and (
            name[0] in SURNAMES
            or name[0].isascii()
            or name[0] in "小阿大"
            or len(name) != 2
            or name[0] == name[1]
            or word_tag(name) in (None, "nr", "nrt")
        )
        else None
    )


def _reported(subject: str, rest: str, state: DiscourseState) -> tuple[str | None, str]:
    """Resolve reported speech: keep what somebody says about themselves, drop the subject of anything else."""
    report = _REPORT.match(rest)
    if report is None:
        return subject, rest
    is_me = subject == state.speaker.me
    match report["p"]:
        case "我":
            return (subject if is_me else None), report["rest"]
        case "他" | "她":
            return state.third, report["rest"]
        case _:
            # 妈妈说外公摔了一跤 is about the grandfather, and so is what follows.
            other, rest = _subject(report["rest"], state)
            return (subject, report["rest"]) if rest == report["rest"] else (other, rest)


def owner(pronoun: str | None, clause: Clause, state: DiscourseState) -> str | None:
    """Return the subject that 我的, 他的 or 自己的 refers to."""
    if pronoun and pronoun.startswith("我"):
        return state.speaker.me
    if pronoun and pronoun[0] in "他她":
        return clause.third
    if pronoun == "自己":
        return clause.subject or clause.third
    return clause.subject
