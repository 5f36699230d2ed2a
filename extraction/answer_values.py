"""Detect what kind of value a question asks for, and whether a text holds such a value. Pure.

"What does the insurance cost?" can only be answered by a text with an amount of money, and "What is the dentist's
name?" by one with a name that the question does not contain. A text that holds the topic but no such value is not an
answer. Texts are English or Chinese.
"""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Final

from extraction.temporal.phrases import plain_apostrophes
from extraction.text.cues import gives_reason
from extraction.text.lexicon_en import ANY_MONTH, word_set
from extraction.text.lexicon_en import KIN_PATTERN as KIN_EN
from extraction.text.lexicon_zh import JOBS as JOBS_ZH
from extraction.text.lexicon_zh import KIN as KIN_WORDS_ZH
from extraction.text.lexicon_zh import KIN_PATTERN as KIN_ZH
from extraction.text.lexicon_zh import PETS as PETS_ZH
from extraction.text.name_spotting import chinese_name_at, word_tag
from extraction.text.sentences import has_cjk

# Questions and texts are searched up to these lengths only: longer texts contain values of every kind.
_QUESTION_CHARS_MAX: Final = 400
_CHARS_MAX: Final = 2_000


class ValueKind(StrEnum):
    """Kind of value that a question asks for."""

    MONEY = "money"
    AGE = "age"
    DURATION = "duration"
    CLOCK = "clock"
    DATE = "date"
    CODE = "code"
    COUNT = "count"
    NAME = "name"
    PERSON = "person"
    PLACE = "place"
    COLOUR = "colour"
    REASON = "reason"


_AUX: Final = r"(?:is|are|was|were|did|do|does|will|has|have|had|would|should|can|could|am)"
_PLACES: Final = (
    r"(?:city|cities|country|countries|town|places?|area|region|street|road|address|neighbou?rhood|district|village|"
    r"county|states?|venue|suburb|island|continent|locations?|part of town|side of town)"
)
_NAMED: Final = (
    r"(?:bank|school|university|college|hospital|company|firm|team|club|band|orchestra|airline|hotel|restaurant|shop|"
    r"store|street|church|gym|clinic|agency|brand|station|pub|café|cafe|publisher)"
)
_PEOPLE: Final = r"(?:person|people|doctor|teacher|friend|colleague|relative|singer|author|actor|member of)"
# Patterns in the order in which they are tried; a question for an amount of money is also one for a number.
_ASKED: Final[tuple[tuple[ValueKind, re.Pattern[str]], ...]] = (
    (
        ValueKind.REASON,
        re.compile(
            r"\bwhy\b|\bhow come\b|\breasons?\b|"
            r"\bwhat (?:made|led|caused|motivated|inspired|prompted|drove|encouraged)\b|"
            r"为什么|为何|为啥|原因|理由|怎么会|凭什么|干嘛要|是什么让|什么(?:促使|激励)"
        ),
    ),
    (
        ValueKind.MONEY,
        re.compile(
            r"\bhow much (?:money|(?:does|do|did|will|was|were|is|are|would|have|has|had)\b.{0,60}?"
            r"\b(?:cost|pay|paid|charged?|earn|spend|spent|owe|save|make|sell|worth|rent|rate|get|take|salary|fee|"
            r"insurance|deposit|mortgage|price|loan))\b|\bwhat (?:does|do|did|will|would) .{1,50} (?:cost|charge|pay|"
            r"earn)\b|\bwhat(?:'s| is| was| are)? .{0,40}\b(?:price|rent|salary|wage|fee|fare|deposit|budget)\b|"
            r"多少钱|(?:租金|房租|工资|月薪|价格|价钱|学费|费用|押金|薪水|票价|房价|奖金)[^，。]{0,6}(?:多少|几)|多少(?:租金|工资|块|元|费|押金)|"
            r"(?:花|付|赔|挣|赚|收|寄|卖)了?多少"
        ),
    ),
    (
        ValueKind.CODE,
        re.compile(
            r"\b(?:phone|passport|account|licen[cs]e|serial|reference|order|policy|number plate|plate|model|tracking|"
            r"booking|mobile|cell) (?:number|code)\b|\b(?:password|passcode|pin|postcode|zip code|wifi code|"
            r"registration|licen[cs]e plate|number do (?:we|i|you))\b|"
            r"密码|号码|(?<!打)(?<!打[了过个])电话|手机号|车牌|护照号|账号|单号|门牌|邮编|身份证"
        ),
    ),
    (
        ValueKind.AGE,
        re.compile(r"\bhow old\b|\b(?:what|which) age\b|多大(?:了|岁|年纪|$|[？?])|几岁|多少岁|年纪|年龄|岁数"),
    ),
    (
        ValueKind.DURATION,
        re.compile(
            r"\bhow long\b(?! ago)|\bhow many (?:hours?|days?|weeks?|months?|years?|minutes?)\b|"
            r"多久(?![以之]?前)|多长时间|几(?:天|个?(?:小时|月|星期|礼拜|钟头)(?!份))|多少(?:天|年|小时)|几耐"
        ),
    ),
    (
        ValueKind.CLOCK,
        re.compile(r"\b(?:what|which) time\b|\bwhat hour\b|几[点时]|什么钟点"),
    ),
    (
        ValueKind.DATE,
        re.compile(
            rf"\bwhen'?s? (?:exactly )?{_AUX}\b|\bhow (?:long ago|recently)\b|^when\b|\bdate of birth\b|"
            r"\b(?:know|remember|recall|tell me|say|said|since|until) when\b|"
            r"\bwhat (?:is|was|were|are) the (?:dates?|times?|day|year)\b|"
            r"^(?!.*\b(?:who|whose|how|where)\b).*\bbirthday\b|"
            r"\b(?:what|which)(?: exact)? (?:date|day|month|year|weekday|week|season)\b|什么时候|啥时候|何时|"
            r"哪[一几]?天|哪一?年|几月|几号|哪个?(?:月|季节|节日)|[星周礼][期拜]?几|什么(?:日子|时间|年份|时段)|哪段时间|"
            r"多久[以之]?前|(?:时间|生日|日期|日子)(?:是|在|$|[？?])"
        ),
    ),
    (ValueKind.COLOUR, re.compile(r"\b(?:what|which) colou?rs?\b|什么颜?色|啥颜?色")),
    (
        ValueKind.COUNT,
        re.compile(
            r"\bhow (?:many|much|often|far|tall|big|high|large|heavy|fast|deep|wide)\b|"
            r"\b(?:what|which) (?:number|size|dose|dosage|amount|height|weight|port|percentage|score|level|version)\b|"
            r"\bwhat (?:is|was) .{0,40}\b(?:size|height|weight|dose|dosage)\b|"
            r"多少|几(?=[个次本条只家人位遍件种部张周杯场门套斤公块路级年楼号])|多[远高重快]|几多"
        ),
    ),
    (
        ValueKind.NAME,
        re.compile(
            rf"\bnames? of\b|\b(?:surname|nickname|(?:first|last|maiden|middle|full) name)s?\b|'s names?\b|\bnamed\b|"
            rf"(?<!who )\bcalled\b|\bwhat (?:is|was|are|were) (?:my|his|her|their|the|our)\b.{{0,40}}\bnames?\b|"
            rf"\b(?:what|which) {_NAMED}\b|叫什么|叫啥|名字|什么名|姓什么|姓啥"
        ),
    ),
    (
        ValueKind.PLACE,
        re.compile(
            rf"\bwhere\b|\b(?:what|which) {_PLACES}\b|"
            r"哪里|哪儿|在哪|去哪|什么地方|哪个?(?:城市|国家|地方|省|州|县|区|小区|市|镇|村)|住址|地址|地点|位置|哪条?路"
        ),
    ),
    (
        ValueKind.PERSON,
        re.compile(rf"\bwho(?:m|se|'s)?\b|\b(?:what|which) {_PEOPLE}\b|谁|哪位|哪个人|什么人|边个"),
    ),
)
_NUMERALS: Final = "零〇一二两三四五六七八九十百千万半几"
# The digits of a number are bounded, because each of them may begin a match.
_NUMBER: Final = (
    r"(?:\d[\d,.]{0,12}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|"
    r"thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen|half|couple|twice|once)\b)"
)
_COUNT: Final = re.compile(
    rf"{_NUMBER}|"
    rf"[{_NUMERALS}](?:[{_NUMERALS}]|[个次岁年天月只条件家位本种斤公块楼层级度人口]|点(?=[{_NUMERALS}]))"
)
_CURRENCY: Final = (
    r"(?:k|m|grand|dollars?|bucks?|euros?|pounds?|quid|pence|cents?|usd|eur|gbp|rmb|rand|yen|rupees?|francs?|kronor|"
    r"kroner|zloty|pesos?|hkd|twd|cad|aud)"
)
_MONEY: Final = re.compile(
    rf"[$€£¥₤₹₩]\s?\d|\d\s?{_CURRENCY}\b|\b(?:hundred|thousand) |\b(?:dollars?|bucks|euros?|pounds|quid|grand)\b|"
    r"\d (?:per \w|an? (?:month|week|year|day|night|head|lesson|piece|session|hour|jar|box|bottle|bag|cup|visit|class|"
    r"ticket|person)\b)|\d ?/ ?(?:h|hr|hour|day|night|week|wk|month|mo|year|yr|person)\b|"
    r"\b(?:2[5-9]|[3-9]\d)\.\d\d\b|\bup to \d\d|"
    r"\b(?:costs?|paid|pays?|charged?|charges|for|rent|at|fee|is|was) (?:(?:just|only|about|around) )?\d\d|"
    rf"[\d{_NUMERALS}](?:块|元|万|千|百|毛|刀|欧|镑|蚊|文)|\d{{3}}|"
    rf"(?:[涨降跌漲]到?|卖|賣|只要|才|一?[杯份斤盒瓶张張本件次])了?[\d{_NUMERALS}]|[\d{_NUMERALS}](?:一|每)[杯份斤盒瓶张張本件次个個晚天月年节節人间間]|一个?(?:月|晚|天|小时|节)[\d{_NUMERALS}]"
)
_DURATION: Final = re.compile(
    rf"(?:{_NUMBER}|\ban?|\bfew|\bseveral)[ -]?(?:and a half )?"
    r"(?:years?|months?|weeks?|days?|hours?|hrs?|minutes?|mins?|fortnights?|decades?|terms?|yrs?)\b|"
    r"\bsince\b|\bfortnight\b|"
    rf"[\d{_NUMERALS}]个?[多半]?(?:小时|钟头|天|周|星期|礼拜|月|年|分钟|学期)|从.{{1,10}}(?:开始|到|起)"
)
_CLOCK: Final = re.compile(
    r"\d\s?(?:am|pm|a\.m|p\.m|o'?clock)\b|\b\d{1,2}[:：.]\d{2}\b|"
    r"\b(?:noon|midday|midnight|half past|quarter (?:to|past))\b|"
    rf"\b(?:at|from|by|till|until|before|after|around|about) (?:{_NUMBER}|half)|"
    rf"[\d{_NUMERALS}]点|中午|半夜|\d时"
)
_DATE: Final = re.compile(
    rf"\b{ANY_MONTH}\b|\b\d{{4}}\b|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{1,2}}[/.-]\d{{1,2}}\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:today|tomorrow|tonight|yesterday|(?:next|last|this|every|each|coming) \w|weekend|christmas|easter|ago|"
    rf"spring|summer|autumn|winter|new year|(?:in|after) (?:{_NUMBER}|a|an|the|few|fall)\b)|"
    r"[\d一二三四五六七八九十][月号日]|[周星期礼拜][一二三四五六日天末]|[今明后昨前去][天年日早晚]|"
    r"[上下](?:个?月|个?星期|周|礼拜|次)|月[底初中]|年[底初]|春节|国庆|中秋|元旦|清明|端午|腊月|正月|暑假|寒假|[春夏秋冬]天"
)
_CODE: Final = re.compile(r"\d[\d -]{2,20}\d|[a-z]-?\d\d|\d[a-z]{1,3}\d|\w@\w")
_COLOUR: Final = re.compile(
    r"\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|pink|violet|teal|turquoise|navy|beige|cream|"
    r"silver|gold(?:en)?|maroon|burgundy|olive|lilac|mustard|tabby|ginger|blonde?|dark|light|mint|coral|indigo)\b|"
    r"[红蓝绿黄黑白灰棕橙紫粉青褐]色?|金色|银色|米色"
)
_NAME_EN: Final = re.compile(r"[A-ZÀ-Þ][a-zà-ÿ'’]+[A-Za-z]*|\b[A-Z]{2,}\b")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?…:;\n“\"]\s*|[。！？：；]\s*)$")
_NAME_ZH: Final = re.compile(
    r"(?:叫|姓|名叫|叫做|名字是)[^，。！？\s我你他她它什啥了着]{1,6}|"
    r"[小老阿大](?![师板公婆家人学姐哥妈爸时孩心区组说吃名店狗猫概约部量多夫衣门楼厅桥雨雪爷伯姨舅姑嫂叔会])"
    r"[\u4e00-\u9fff](?![\u4e00-\u9fff]?[的了])|"
    # 我哥, 哥哥, 二姨, 表姐 are relatives without a name.
    r"(?![我你他她咱们的大二三四五六小表堂干哥姐叔姨婶嫂])[\u4e00-\u9fff]"
    r"(?:先生|女士|小姐|医生|大夫|老师|师傅|教授|经理|主任|律师|哥|姐|叔|姨|婶|嫂|总)"
)
# A name after a word for a person or a pet: 哥哥建平, 外甥女朵朵. Doubled characters that are no names: 天天, 刚刚.
_TIES_ZH: Final = re.compile("|".join(sorted({*KIN_WORDS_ZH, *JOBS_ZH, *PETS_ZH}, key=len, reverse=True)))
_DOUBLED_ZH: Final = re.compile(
    r"(?![天刚常每渐慢偷整好悄仅恰往偏频稍略白早晚明人处时日年月家个次件])([\u4e00-\u9fff])\1(?!\1)"
)
_GIVEN_ZH: Final = re.compile(
    r"[\u4e00-\u9fff][军国华伟强芳英兰梅红霞玲萍燕丽娟敏静平明刚勇杰涛超斌波辉鹏飞龙凤琴珍秀荣生林峰海云]"
)
# Single characters cover what the list of words lacks, such as 大姨妈 and 二哥.
_KIN: Final = re.compile(rf"\b(?:{KIN_EN}|grand\w+|in-law)s?\b|[妈爸哥姐弟妹爷奶叔姨舅姑婶嫂]|{KIN_ZH}")
_PLACE_EN: Final = re.compile(
    r"\b(?:in|at|to|near|from|on|by|behind|under|above|beside|next to|inside|outside|into|around|off) \w"
)
_PLACE_ZH: Final = re.compile(
    r"在[^，。！？]|[去到住搬往回][^，。！？了]{2}|"
    r"[\u4e00-\u9fff](?:路|街|区|市|省|县|镇|村|城|州|湾|馆|店|院|校|公司|楼|广场|机场|车站|岛)"
)
# Capitalised words that name nothing that a question asks for.
_NO_NAMES: Final = word_set(
    "i i'm i'll i've i'd monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december christmas easter english chinese ok okay tv am pm yes no"
)


def value_asked(question: str) -> ValueKind | None:
    """Return the kind of value that a question asks for; None if it asks for something else, such as a description."""
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    return next((kind for kind, pattern in _ASKED if pattern.search(text)), None)


def holds_value(text: str, kind: ValueKind, known: Collection[str] = ()) -> bool:
    """Return whether a text holds a value of a kind.

    Args:
        known: words in lower case that are no answer, because the question contains them or they name the user.
    """
    text = text[:_CHARS_MAX]
    simple = plain_apostrophes(text)
    match kind:
        case ValueKind.REASON:
            return gives_reason(simple)
        case ValueKind.NAME:
            return _names_something(text, simple, known)
        case ValueKind.PERSON:
            return _names_something(text, simple, known) or _KIN.search(simple) is not None
        case ValueKind.PLACE:
            return _names_something(text, "", known) or bool(_PLACE_EN.search(simple) or _PLACE_ZH.search(simple))
        case _:
            return _FOUND[kind].search(simple) is not None


def _names_something(text: str, simple: str, known: Collection[str]) -> bool:
    """Return whether a text contains a name that is not known; capitals at the start of a sentence do not count."""
    for found in _NAME_EN.finditer(text):
        word = found.group().casefold().replace("’", "'").removesuffix("'s")
        if word in known or word in _NO_NAMES:
            continue
        if _SENTENCE_START.search(text[max(found.start() - 4, 0) : found.start()]) and found.group()[1:].islower():
            continue
        return True
    names = (found.group() for found in _NAME_ZH.finditer(simple))
    return any(not any(word in name for word in known) for name in (*names, *_names_after_ties(simple)))


def _names_after_ties(text: str) -> Iterator[str]:
    """Yield the Chinese names that follow a word for a relative, an acquaintance, a profession or a pet."""
    for tie in _TIES_ZH.finditer(text):
        if name := _chinese_name(text, tie.end()):
            yield name


def _chinese_name(text: str, start: int) -> str | None:
    if doubled := _DOUBLED_ZH.match(text, start):
        return doubled[0]
    # Given names that are words too: 建平, 建国.
    if (given := _GIVEN_ZH.match(text, start)) and word_tag(given[0]) in ("n", "ns", "nz", "nrfg", "nrt"):
        return given[0]
    return chinese_name_at(text, start) if has_cjk(text[start : start + 1]) else None


_FOUND: Final = {
    ValueKind.MONEY: _MONEY,
    ValueKind.AGE: _COUNT,
    ValueKind.DURATION: _DURATION,
    ValueKind.CLOCK: _CLOCK,
    ValueKind.DATE: _DATE,
    ValueKind.CODE: _CODE,
    ValueKind.COUNT: _COUNT,
    ValueKind.COLOUR: _COLOUR,
}
