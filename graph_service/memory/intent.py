"""What a question is after: its intent, and the kind of answer it wants. Pure."""

import re
from enum import StrEnum

from extraction.asked_time import QuestionTime
from extraction.time_phrases import plain


class Intent(StrEnum):
    """What a question is after."""

    ENTITY = "entity"
    FACTUAL = "factual"
    TEMPORAL = "temporal"
    RELATIONAL = "relational"
    GENERAL = "general"


class AnswerType(StrEnum):
    """What the answer to a question has to hold."""

    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    HOW_MANY = "how_many"
    WHY = "why"
    OTHER = "other"


_READ_CHARS_MAX = 2_000
_NAME_WORDS_MAX = 3
_AUX = r"(?:did|do|does|is|was|were|will|are|has|have|had|should|can|could|would|am|might)"
_KIN_EN = (
    r"(?:mother|mom|mum|father|dad|parents?|sisters?|brothers?|siblings?|sons?|daughters?|kids?|child(?:ren)?|wife|"
    r"husband|spouse|partner|girlfriend|boyfriend|friends?|cousins?|aunts?|uncles?|grand(?:mother|father|ma|pa|parents)|"
    r"nephews?|nieces?|boss|colleagues?|coworkers?|roommates?|neighbou?rs?|teachers?|mentors?|coach|fianc[eé]e?)"
)
_KIN_ZH = (
    "妈妈|母亲|爸爸|父亲|父母|姐姐|妹妹|哥哥|弟弟|姐妹|兄弟|儿子|女儿|孩子|妻子|老婆|太太|丈夫|老公|对象|女朋友|男朋友|女友|男友|朋友|"
    "闺蜜|表[哥姐弟妹]|堂[哥姐弟妹]|阿姨|姑姑|舅舅|叔叔|爷爷|奶奶|外公|外婆|老板|上司|同事|同学|室友|邻居|老师|导师|教练|侄子|侄女|外甥"
)
# What each kind of answer is asked with; the earliest in the question decides.
_ANSWERS: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        AnswerType.WHEN,
        re.compile(
            rf"\bwhen['’]?s?\s+(?:exactly\s+)?{_AUX}\b|\b(?:know|remember|recall|tell me|say|said|since|until) when\b|"
            r"\b(?:what|which)(?: exact)? (?:time|date|day|year|month|week|weekend|season|decade|holiday|weekday)\b|"
            r"\bhow long ago\b|\bhow recently\b|^when\?*$|\bwhat (?:is|was|were|are) the (?:dates?|times?|day|year)\b|"
            r"什么时候|啥时候|何时|几时|几点|几号|几月|哪[一几]?天|哪一?年|哪个?月|哪个(?:星期|周|季节|节日|月份|时候)|"
            r"星期几|周几|礼拜几|多久(?:以前|之前|前)|什么(?:时间|日期|日子|年份|时段)|哪段时间|(?:时间|日期|日子|生日)(?:是|在)(?:什么|多少|几|哪|啥|$|[？?])"
        ),
    ),
    (
        AnswerType.WHY,
        re.compile(
            r"\bwhy\b|\bhow come\b|\breasons?\b|"
            r"\bwhat (?:made|led|caused|motivated|inspired|prompted|drove|encouraged)\b|"
            r"为什么|为何|为啥|怎么会|原因|理由|凭什么|干嘛要|是什么让|什么(?:促使|激励)"
        ),
    ),
    (
        AnswerType.HOW_MANY,
        re.compile(
            r"\bhow (?:many|much|old|long|often|far|tall|big|high|large|heavy|frequently|few|fast)\b|"
            r"\bwhat (?:number|percentage|age|size|price|amount|score|phone number)\b|"
            r"多少|几(?=[个次岁本天年条只家人位遍件种部张周杯场门套斤公块月小])|好几|多大|多久|多长|多远|多高|多重|多快|年龄|年纪|岁数|电话|号码"
        ),
    ),
    (
        AnswerType.WHERE,
        re.compile(
            r"\bwhere\b|\b(?:what|which) (?:city|cities|country|countries|states?|town|places?|locations?|area|"
            r"region|venue|address|island|continent|neighbou?rhood)\b|"
            r"哪里|哪儿|在哪|去哪|到哪|何处|什么地方|啥地方|哪个?(?:城市|国家|地方|省|州|县|区|景区|景点|小区|公园|市)|哪些?(?:城市|国家|地方)|"
            r"地点|地址|住址|位置"
        ),
    ),
    (
        AnswerType.WHO,
        re.compile(
            r"\bwho\b|\bwhom\b|\bwhose\b|\bwho['’](?:s|d|ll)\b|\b(?:what|which) (?:person|people|singer|artist|author|"
            rf"actor|musicians?|band|{_KIN_EN})\b|谁|哪位|什么人|哪些人|哪个(?:人|{_KIN_ZH}|歌手|作家|演员|明星)"
        ),
    ),
)
_RELATIONAL = re.compile(
    rf"\brelationships?\b|\brelated (?:to|with)\b|\brelation (?:of|between|to|with)\b|\bconnect(?:ed|ion)\b|"
    rf"\bin common\b|\bhow (?:do|does|did) .{{1,40}} (?:know|meet)\b|\b(?:both|between) .{{1,40}} and\b|"
    rf"\b(?:get|gets|got|getting) along\b|"
    rf"\bwho (?:is|are|was|were) (?:my|his|her|their|our|\w+['’]s?) (?:\w+ )?{_KIN_EN}\b|"
    rf"\bwho introduced\b|\b(?:married|engaged) to\b|\bis \w+ (?:my|his|her|\w+['’]s?) {_KIN_EN}\b|"
    rf"关系|认识.{{0,4}}的|共同(?!点了)|之间有|相同(?:点|之处)|有什么(?:联系|关联)|(?:的|我|他|她)(?:{_KIN_ZH})(?:是|叫)谁|"
    rf"谁是.{{1,10}}的?(?:{_KIN_ZH})|是.{{1,8}}的(?:{_KIN_ZH})吗|跟谁结婚|和谁结婚"
)
_ORDER = re.compile(
    r"\b(?:first|last|latest|previous|next) time\b|\bmost recent(?:ly)?\b|\bhow long (?:ha[sd]|have|did|does|is|was)\b|"
    r"\b(?:earlier|sooner|later) than\b|第一次|最后一次|上一?次|首次|持续(?:了|时间)|多久没|谁先|先后"
)
_ASKING = re.compile(
    rf"^(?:\w+,? )?(?:whom|when|{_AUX})\b|\b(?:what|which|who|whose|where|why|how)\b|[？?]|"
    r"什么|啥|谁|哪|怎|为何|多少|几[个次岁]|吗|是不是|有没有|会不会|能不能|是否|多[大久长高远]|如何"
)
_NO_NAME_ZH = re.compile(r"[我你他她它的了吗呢吧啊呀是有没不很也都就要想会能谁哪怎啥几么谢请好再说看去来]")
# A sentence may begin with any of these in capitals.
_OPENERS = """
    what which who whom whose where when why how did do does is was were will are has have had should can could would am
    may might i you he she it we they my your his her the a an this that these those tell show give list find hello hi
    hey thanks thank yes no ok okay please remember remind describe summarize explain let if and but or so
"""
_NO_NAME_EN = frozenset(_OPENERS.split())
_CJK_NAME = re.compile(r"[\u3400-\u9fff]{2,4}")
_WORD = re.compile(r"[^\W_][\w'’.&-]*")
_LINK = frozenset({"of", "the", "de", "la", "van", "von", "and", "&"})


def answer_type(question: str) -> AnswerType:
    """What the answer must hold; OTHER for "what", "how", and whatever else is asked."""
    text = plain(question[:_READ_CHARS_MAX])
    found = [(match.start(), order) for order, (_, pattern) in enumerate(_ANSWERS) if (match := pattern.search(text))]
    return _ANSWERS[min(found)[1]][0] if found else AnswerType.OTHER


def intent_of(question: str, time: QuestionTime) -> Intent:
    """What a question is after.

    A name alone (two to four Chinese characters, or up to three words in capitals) asks for an entity; a question for a
    time or within a time is temporal; one about how people or things belong together is relational.
    """
    question = question[:_READ_CHARS_MAX]
    text = plain(question)
    if not time.asked and _is_name(question):
        return Intent.ENTITY
    if answer_type(question) is AnswerType.WHEN:
        return Intent.TEMPORAL
    if _RELATIONAL.search(text):
        return Intent.RELATIONAL
    if time.asked or _ORDER.search(text):
        return Intent.TEMPORAL
    return Intent.FACTUAL if _ASKING.search(text) else Intent.GENERAL


def _is_name(question: str) -> bool:
    name = question.strip().strip("？?。.!！\"'“”「」《》 ")
    if _CJK_NAME.fullmatch(name):
        return not _NO_NAME_ZH.search(name)
    words = name.split()
    if not 1 <= len(words) <= _NAME_WORDS_MAX or not all(_WORD.fullmatch(word) for word in words):
        return False
    if not name.isascii() and _CJK_NAME.search(name):
        return False
    named = [word for word in words if word.lower() not in _LINK]
    return (
        bool(named)
        and words[0].lower() not in _NO_NAME_EN
        and all(any(c.isupper() for c in word) or word.isdigit() for word in named)
        and any(any(c.isupper() for c in word) for word in named)
    )
