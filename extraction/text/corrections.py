"""Find the earlier message that a message of the same speaker corrects: "Sorry, typo: 16:40", 说错了，是周日. Pure.

Words such as these alone show a correction. Otherwise the message gives another value of a kind that the earlier one
has (an address, code, time, day, number or name), and weaker signs add up: "no" or "sorry" beside it, the denied value,
hardly a word that tells something else, the same words around both, a slip of the pen, somebody who looked it up.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from itertools import islice
from typing import Final, NamedTuple

from extraction.text.chinese import HAN
from extraction.text.lexicon_en import NOT_NAMES, PRONOUNS, word_set
from extraction.text.stop_words import ENGLISH_BM25
from schema.result_cache import cached_by_chars

# Earlier messages of the speaker that a message may correct.
EARLIER_MAX: Final = 3
# Messages of the conversation to look back.
_LINES_MAX: Final = 12
# Longer messages tell something new.
_CORRECTION_CHARS_MAX: Final = 300
_EARLIER_CHARS_MAX: Final = 2_000
_VALUES_MAX: Final = 16
# Without words of error, only within minutes.
_SLIP_WITHIN: Final = timedelta(minutes=10)

# Sum of the signs from which a message corrects the earlier one.
_SIGNS_MIN: Final = 3
# Words that say that the speaker was wrong, alone enough.
_MISTAKEN: Final = 3

# Signs in words, by language: English, Chinese, German, Spanish, French, Japanese

_HESITATION: Final = (
    r"(?:oh|ah|a+h+|hmm?|um|erm?|ugh|a+rgh|gah|sorry|oops|whoops|no|nope|nah|wait|actually|hang on|hold on|apologies|"
    r"my (?:bad|mistake|fault)|lol|haha|damn|ok|"
    r"不对|不{1,3}(?=[，,。！])|[啊哎呀哦噢呃嗯唉诶]{1,3}|抱歉|不好意思|等等|等一下|对不起|"
    r"nein|moment|ach|quatsch|entschuldigung|perdón|espera|pardon|désolée?|non|attends|いや|すみません|ごめん|あっ)"
)
_OPENING: Final = rf"(?:{_HESITATION}(?![{HAN}\w])[\s,.!…—–:;，。！、：；-]*|[啊哎呀哦噢呃嗯唉诶]{{1,3}}|不对)"
# Before words that say what was wrong, any short exclamation.
_EXCLAIMED: Final = rf"(?:{_OPENING}|[a-z]{{1,7}}[,.!…]+\s+){{0,4}}"
_DONE: Final = f"(?:(?![他她谁们辑])[{HAN}]){{0,4}}[打说写看记搞弄输算听量数抄填报念读点认]"
_MISDONE_ZH: Final = f"{_DONE}[错岔混反串漏]"
_TOLD: Final = "(?:them|those|these|it|that|the|two|both|my|last|first|digits?|numbers?|names?|dates?|days?|times?)"
# Words that say that values stand in each other's place: "I swapped them", "mixed up the digits", but not "I swapped
# shifts with Ben".
_SWAPPED: Final = re.compile(
    rf"\s*{_EXCLAIMED}(?:(?:i(?:['’]ve| have| had)? )?(?:just )?"
    r"(?:mixed|swapped|switched|flipped|reversed|transposed|confused|muddled|jumbled)"
    rf"(?:(?: up)?(?: {_TOLD}){{1,3}}|(?<=mixed) up(?: [a-z]+){{1,3}})"
    r"(?: up| round| around| with [^,.:;!]{2,25})?|"
    r"(?:(?:it|that)(?:['’]s| is| was) |should be )?(?:the )?other way a?round|"
    r"(?:i (?:got|had) )?(?:it|that|them|those) (?:backwards|(?:the wrong way|back to) (?:a?round|front)|mixed up)|"
    rf"{_DONE}[混反]了?)\s*(?:$|[,.:;!–—，。！：-])",
    re.IGNORECASE,
)
# Words that say that the speaker was wrong, where a clause begins.
_WRONG: Final = re.compile(
    rf"(?:(?:^\W*|[.!?;,:—…]\s+|[，。！？；：]\s*)(?:{_EXCLAIMED}(?:and|but|by the way|i think),? )?{_EXCLAIMED}(?:"
    r"typo\b|correction\s*:|i (?:meant(?! (?:to|it|well))|mean(?=\W*(?-i:[A-Z\d])|\W*$)|"
    r"mis(?:spoke|typed|read|heard|remembered|counted|wrote|said)|"
    r"(?:got|had|gave|told|wrote|said|put|typed|noted|saved|copied|read|(?:was )?look(?:ed|ing) at|took)\b"
    r"[^.!?,;:]{0,30}?"
    r"(?: wrong| backwards| too fast|(?<=read) the wrong [a-z]+)(?=[^\w]|$| [a-z]+\W)(?! number)|"
    r"(?:got|was|am|getting) confused|take that back|always (?:mix|confuse)|should say)|"
    r"(?:scratch|scrap|forget|ignore|strike) (?:that|my last)|or rather\b|edit:|autocorrect|brain ?fart|"
    r"make (?:that|it)(?! (?:up|work))|let me correct|i stand corrected|"
    r"(?:(?:that|it)|(?:the|my)? ?[a-z]+) (?:should (?:be|have been|read|say))|should (?:be|have been|read)|"
    r"my (?:mistake|bad|fault)\b|i was thinking of|(?:that|which)(?:['’]s| is| was) (?:last|my old)|"
    r"did i (?:say|write|type)|"
    r"(?:(?:i|that|it|[a-z]+)(?:['’]s| is| was| are) |two \w+ |the \w+ )?(?:all |the )?wrong(?! (?:about|number))"
    r"(?: [a-z]{2,12}){0,5}(?=\s*[,.:;!–—-])|"
    rf"[{HAN}]{{0,4}}(?:更正|纠正|口误|笔误|手[滑快误]|嘴瓢|眼花|糊涂|修正|[应該该]为|应该是|准确地?说|看成|"
    r"[多少漏][打写说]了?|刚才?[打说写]的(?:不对|不算)|以[^，。]{1,8}为准|作废)|"
    r"ich meinte|tippfehler|vertippt|verlesen|korrektur|quise decir|me equivoqué|errata|corrección|"
    r"je voulais dire|je me suis trompée?|faute de frappe|coquille|"
    # 写错了，是… and 看错日历了，是…, but not 写错了报告，被老板骂了.
    rf"{_MISDONE_ZH}(?:[字行天年人位]?了?(?=$|[\s，。！：；,:!是应其])|"
    rf"[{HAN}]{{1,6}}[\s，。！：；,:!]+(?=应|其实|是|\d|周|星期)))|"
    # 姑姑说我每年都记错.
    r"我[^，。！？他她]{0,6}[打说写看记搞弄听量数抄填报念读][错岔混反串漏]了?(?=$|[\s，。！])|"
    r"間違え|訂正|打ち間違|言い間違)",
    re.IGNORECASE,
)
_WRONG_AT_END: Final = re.compile(
    rf"(?:[\s,.，。…]+(?:typo|my (?:bad|mistake|fault)|i (?:misspoke|mean|meant)|{_MISDONE_ZH}了?|口误|笔误)|"
    r"(?<=[\s,.，。…])[^\s，。]{0,8}都能?(?:[打说写看记念][错岔混反串])了?)\W*$",
    re.IGNORECASE,
)
# Of others, or of habits: 他记错了, 以前老打错.
_OF_OTHERS: Final = re.compile(
    r"(?:[他她谁们辑]|以前|老是|总是?|经常|怕)[^，。！？]{0,4}[打说写看记搞弄听量数抄填报念读][错岔混反串漏]|送错"
)
_OPENS_WITH_HESITATION: Final = re.compile(
    rf"\s*{_OPENING}{{1,4}}(?:(?:it|that|i|we|they)(?:['’](?:s|re|m)| is| was| said)|"
    r"(?:at|on|for|only|till|until|from)\b|[是在叫姓改])?\s*(?:the )?",
    re.IGNORECASE,
)
_HESITATES: Final = re.compile(
    rf"(?<![\w{HAN}])(?:{_HESITATION}|i misread)(?![\w{HAN}])|[。，！\s…](?:哈哈|抱歉|不好意思|尴尬)|🤣|😂|🙃|😅",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(
    r"(?:\b(?:not|isn['’]t|wasn['’]t|aren['’]t|instead of|rather than|nicht|pas)\b|\bno es|不[是叫在姓]|并非)\s*"
    r"(?:on |at |the |for |in )?[「“《\"']?",
    re.IGNORECASE,
)
_REST_SAME: Final = re.compile(
    r"\b(?:same (?!as|again)[a-z]+|rest (?:of it )?(?:is|stays) |the rest(?:['’]s| is| stays)|everything else|"
    r"(?:is|are|stays?) (?:still )?(?:right(?! as)|correct|the same))\b|[都也]?[不没]变|照旧|其[他它余]的?[都没不对]",
    re.IGNORECASE,
)
# Somebody or something that knows: "checked the tin", 账单上写着.
_LOOKED_UP: Final = re.compile(
    r"\b(?:re-?read|(?:re-?|double.)?check(?:ed|ing)|look(?:ed|ing)|asked|texted|emailed|called|rang|confirmed|"
    r"told me|says?|said it|just (?:heard|saw|got|found)|turns out|apparently|lowered|bounced|according to|remembered|"
    r"correct(?:ed|s) me|remind(?:ed|s) me|in front of me)\b|"
    r"看了?一[眼看下]|仔细|[查看翻问][了过出]|上[面头]?[写是说印]|写[着的]|[推发传]了?[给来]|刚[看问查发收才]|原来|"
    r"[翻找量]|核对|确认|提醒|重新|再[看量称数]|"
    r"[爸妈公婆哥姐弟妹叔姑舅姨板师生她他人]们?[说讲](?!我)|[单据票证表]上|语音|通知|短信|拿[倒反]|不算",
    re.IGNORECASE,
)
# Behind another sentence.
_INNER: Final = re.compile(
    r"(?<=[.!?。！？，,] )(?:no|nah|wait|hang on|hold on)\b|(?<=[。！？，])(?:不对|等等|等一下)", re.IGNORECASE
)
_ADDS: Final = re.compile(
    r"\b(?:also|another|as well|too|plus|besides|auch|también|aussi)\b|还有|另外|也[是有在]|再[加订来]", re.IGNORECASE
)
_ASKS: Final = re.compile(
    r"\b(?:can|could|would|will|shall|should) (?:you|we|i)\b|\b(?:what|which|how|why|where|when)\b[^.!]{2,}\?|"
    r"[?？]\s*$|帮我|吗",
    re.IGNORECASE,
)
# After a value that stands: "Tuesday's right", 162，我对.
_AFFIRMED: Final = re.compile(
    r"(?:['’]s)? ?(?:is )?(?:right|correct|it is|stays|stands)\b|[，,]?(?:我[没对]|没[错变]|[才是]对)|\W*$|"
    r"[.!。！，,](?!\s*\w+ was)",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(r"\bi(?:['’]m| was| am) right\b|我[才是]?对|我[^，。]{0,6}没[变错]", re.IGNORECASE)
# Before the last characters of a value.
_LAST: Final = re.compile(
    r"(?:\bend(?:s|ing)? (?:in|with)|\blast (?:[a-z]{1,5} |\d )?(?:digit|number|letter|character)s?(?: is| are|:)?|"
    r"(?:尾[号数]|[后最]面?)(?:应该)?是?|最?[后末][一两二三四五六几\d]?[位个](?:数字?)?(?:应该)?是?|…|\.\.\.?)\s*$",
    re.IGNORECASE,
)
_PLAIN_WORDS: Final = ENGLISH_BM25 | word_set(
    "sorry oops whoops no nope nah wait actually typo mean meant oh ah argh ugh yes ok right same time place day room "
    "rest with letter is should really only bad mistake said again make scratch one ones hang hold lol"
)
_PLAIN_ZH: Final = re.compile(
    "[的了是在我们你他她它们这那吗呢吧啊也都就很不对哦嗯呀过着改叫姓个才成到说错写看记打一]|原来|应该|抱歉|不好意思|其实|刚"
)

# Values

_MONTH: Final = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b"
)
_N: Final = "[零〇一二两三四五六七八九十百千万]"
_WORD_N: Final = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_VALUE: Final = re.compile(
    r"(?P<address>[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,4}|"
    r"\b(?:https?://|www\.)[^\s，。]{3,200}[^\s，。.!?,;:)])|"
    r"(?P<clock>(?i:\b\d{1,2}[:：]\d{2}(?: ?[ap]\.?m\b)?|\b\d{1,2} ?[ap]\.?m\b)|"
    rf"(?:上午|下午|早上|晚上|中午|凌晨)?(?:\d{{1,2}}|{_N}{{1,3}})点(?:\d{{1,2}}分?|[一二三四五]?十[一二三四五六七八九]?分?|半|[一三]刻)?|"
    rf"(?i:(?:\b(?:half|quarter (?:past|to)) |(?<=\bat )|(?<=\bfrom )|(?<=\btill )){_WORD_N}\b))|"
    # KR 58 LMV, G1308, 3B, otter-lamp-29, jo.fenwick.
    r"(?P<code>(?<![A-Za-z\d])(?:[A-Z]{1,3} \d{1,4}(?: [A-Z]{1,3})?(?![A-Za-z])|"
    r"[A-Z]{1,4}-?\d{1,8}(?:-\d{1,6})?[A-Z]{0,3}(?![A-Za-z])|\d{1,4}[A-Z](?![A-Za-z])|"
    r"[a-z]{2,20}(?:[-_][a-z]{1,20}){0,3}[-_]?\d{2,8}\b(?!:)|[a-z]{1,20}(?:[._][a-z]{2,20}){1,3}\b))|"
    r"(?P<weekday>(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)|(?:周|星期|礼拜|禮拜)[一二三四五六日天])|"
    rf"(?P<month>(?i:{_MONTH})|(?:\d{{1,2}}|{_N}{{1,2}})月)|"
    rf"(?P<day>\b\d{{1,2}}(?:st|nd|rd|th)\b|(?:\d{{1,2}}|{_N}{{1,3}})[号日](?![口楼线门房厅院])|初{_N}|(?<={_N}月){_N}{{1,3}})|"
    r"(?P<ordinal>\b(?i:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
    r"(?= (?:floor|row|year|grade)\b))|"
    r"(?P<zodiac>属[鼠牛虎兔龙龍蛇马馬羊猴鸡雞狗猪豬])|"
    rf"(?P<number>\d+分\d+|\d+(?:\.\d+)?[万千百]\d*|\d+(?:[.,]\d+)*(?:[ -]\d+)*|{_N}{{1,9}}[米块]{_N}{{1,4}}|"
    # 三千八, without a unit.
    rf"[一二两三四五六七八九][百千万][一二三四五六七八九](?!{_N}|[多几])|"
    # 六十八公斤, 三楼, but not 一个.
    rf"(?!一[个個些点下次天起]){_N}{{1,9}}(?:点{_N}+)?(?=[米公千克斤岁元块毛楼层栋室平个個位只条度页分天年中班级路号]))"
)
_UNIT: Final = re.compile(
    r"\s?(?!(?:it|is|was|and|not|in|at|on|to|for|actually|really|sorry|then|of|i)\b)(?P<u>[^\W\d]+|[%€$£])",
    re.IGNORECASE,
)
_SAME_UNITS: Final = (
    {"kg", "kilo", "kilogram", "公斤", "千克"},
    {"euro", "€", "eur"},
    {"dollar", "$", "buck"},
    {"块", "元"},
)
# Names in capitals, quoted, and after or before words that show a Chinese name.
_NAME: Final = re.compile(
    r"(?P<n>[A-ZÀ-ÞŠ][\w’'-]+(?: (?:(?!I['’])[A-ZÀ-ÞŠ][\w’'-]+|&|[a-z]{1,3}(?= [A-Z])))*)|"
    rf"[「“《](?P<q>[^「」“”《》]{{1,12}})[」”》]|姓(?P<s>[{HAN}])(?=不|[^{HAN}]|$)|"
    rf"(?:名字是|名叫|叫|是|姓)(?![去今明前]年|[今昨明]天|[我你他她姓])(?P<z>[{HAN}]{{1,4}})(?![{HAN}])|"
    rf"(?P<t>(?![的我你他她老])[{HAN}])(?=阿姨|叔叔|医生|老师|师傅|[总姐哥])"
)
_NO_NAME: Final = re.compile(
    rf"(?:(?:{'|'.join(sorted(PRONOUNS | NOT_NAMES | _PLAIN_WORDS))})(?:['’][a-z]+)?(?:\s|$))+", re.IGNORECASE
)
_OPENS: Final = re.compile(r"(?:^|[.!?。！？]\s*)$")
_CLAUSE: Final = re.compile(r"[^\s,.;:!?，。；：！？…—～~*](?:[^,.;:!?，。；：！？…—～]|[.,:](?=\w))*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
_HAN_CHAR: Final = re.compile(rf"[{HAN}]")
_SIMILAR_NAME_MIN: Final = 0.7
# Of names of two or three characters one is another: 张伟, 张玮.
_SIMILAR_NAME_MIN_ZH: Final = 0.6
# Of a message that tells little else.
_SHORT_CHARS: Final = 80
# Longer numbers may be told by their last digits.
_LONG_CHARS: Final = 6


class Correction(NamedTuple):
    """A correction of an earlier message.

    Attributes:
        earlier: index of the earlier message.
        text: the earlier message with the new values; None if the message does not say which they replace.
        wrong: the values of the earlier message that it replaces, or may replace.
    """

    earlier: int
    text: str | None
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Value:
    kind: str
    start: int
    end: int
    text: str
    unit: str = ""

    @property
    def key(self) -> str:
        """The value without case, spaces and punctuation."""
        return re.sub(r"[\W_]+", "", self.text).lower()


class _Change(NamedTuple):
    """A value of the earlier message, the new one, and what the message has of it."""

    old: _Value
    new: str
    told: _Value


def correction_in(
    index: int, said: Sequence[tuple[object, str, datetime]], *, within: timedelta = timedelta(hours=1)
) -> Correction | None:
    """Return the message that a message of the same speaker corrects, and its text as corrected.

    Args:
        index: index of the later message.
        said: speaker, text and time of the messages of one conversation, in order.
        within: earlier messages are not corrected.
    """
    speaker, text, at = said[index]
    if len(text) > _CORRECTION_CHARS_MAX:
        return None
    earlier = [number for number in range(index - 1, max(index - _LINES_MAX, -1), -1) if said[number][0] == speaker]
    earlier = [number for number in earlier if at - said[number][2] <= within][:EARLIER_MAX]
    recent = bool(earlier) and at - said[earlier[0]][2] <= _SLIP_WITHIN
    found = correction_of(text, [said[number][1] for number in earlier], recent=recent)
    return None if found is None else found._replace(earlier=earlier[found.earlier])


def correction_of(text: str, earlier: Sequence[str], *, recent: bool = True) -> Correction | None:
    """Return which text a message corrects, and that text with the corrected values.

    Args:
        text: the message.
        earlier: earlier messages of the same speaker, latest first; at most `EARLIER_MAX` are compared.
        recent: the latest was said a few minutes ago.

    Returns:
        None if the message corrects none of them.
    """
    if len(text) > _CORRECTION_CHARS_MAX or not earlier or (signs := _signs_in(text)) is None:
        return None
    befores = [before[:_EARLIER_CHARS_MAX] for before in earlier[:EARLIER_MAX]]
    for index, before in enumerate(befores):
        if _is_inner(text, signs, before):
            continue
        changes = _changes(text, signs, before)
        if not changes or (index > 0 and signs.at is None and not signs.hesitates):
            continue
        if _sum_of_signs(text, signs, before, changes) >= _SIGNS_MIN and (
            recent or signs.at is not None or signs.opens
        ):
            return Correction(index, _with(before, changes), tuple(one.old.text for one in changes))
    if signs.at is None or signs.asks or signs.right or signs.of_others:
        return None
    for index, before in enumerate(befores):
        if not _is_inner(text, signs, before) and _may_be_wrong(text, signs, before):
            return Correction(index, None, tuple(one.text for one in _values(before) if one.text not in text))
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """What a message alone shows.

    Attributes:
        at: where the words end that say that the speaker was wrong; None without such words.
        opens: where the words of hesitation end with which it begins; 0 without any.
        weight: sum of the other signs.
    """

    at: int | None
    opens: int
    hesitates: bool
    begins: int
    is_swapped: bool
    asks: bool
    right: bool
    of_others: bool
    weight: int
    values: tuple[_Value, ...]


@cached_by_chars(chars_max=2_000_000, entries_max=8_192)
def _signs_in(text: str) -> _Signs | None:
    """Return the signs of a correction; None without a value or words of error. Recalls read the same messages."""
    swapped = _SWAPPED.match(text)
    wrong = swapped or _WRONG.search(text)
    at = wrong.end() if wrong else 0 if _WRONG_AT_END.search(text) or text.startswith("*") else None
    values = _values(text)
    if at is None and not values:
        return None
    begins = wrong.start() if wrong else inner.start() if (inner := _INNER.search(text)) else 0
    opens = _OPENS_WITH_HESITATION.match(text)
    hesitates = opens is not None or _HESITATES.search(text) is not None
    of_others = _OF_OTHERS.search(text) is not None and not re.search("我[^，。他她]{0,6}[错岔混反串]", text)
    asks = _ASKS.search(text) is not None
    return _Signs(
        at=at,
        opens=opens.end() if opens else 0,
        hesitates=hesitates,
        begins=begins,
        is_swapped=swapped is not None,
        asks=asks,
        right=_RIGHT.search(text) is not None,
        of_others=of_others,
        weight=(_MISTAKEN if at is not None else 0)
        + hesitates
        + (_REST_SAME.search(text) is not None)
        + (_LOOKED_UP.search(text) is not None)
        - 2 * (_ADDS.search(text) is not None)
        - 3 * asks
        - 4 * (_RIGHT.search(text) is not None)
        - 4 * of_others,
        values=values,
    )


def _sum_of_signs(text: str, signs: _Signs, before: str, changes: Sequence[_Change]) -> int:
    """Return the sum of the signs that a message replaces values of an earlier one."""
    old, _, told = changes[0]
    new = tuple(one.told.text for one in changes)
    values = [*new, *(one.old.text for one in changes)]
    untold = _untold(text, values, before)
    was, now = (_HAN_CHAR.sub("", one.text).lower() or one.text for one in (old, told))
    return (
        signs.weight
        + (0 < signs.opens == told.start)
        + 2 * (_LAST.search(text[: told.start]) is not None)
        + 2 * any(_is_denied(text, one.old.text) for one in changes)
        + (untold <= 1)
        + (untold <= 2.5)
        - (untold > 6)
        + any(_is_alone(text, one.told, values, before) for one in changes)
        + text.lstrip("*~ ").startswith(new)
        + _is_slip(was, now)
        + _is_framed(text, told, before, old)
        + (old.kind == "name" and old.text in text)
        - 4 * any(_is_affirmed(text, signs.values, one.old, told.start) for one in changes)
    )


def _is_alone(text: str, value: _Value, values: Sequence[str], before: str) -> bool:
    """Return whether the clause of a value tells nothing else."""
    clause = next((one[0] for one in _CLAUSE.finditer(text) if one.start() <= value.start < one.end()), text)
    return _untold(clause, values, before) < 1


def _untold(text: str, values: Sequence[str], before: str) -> float:
    """Return the number of words, two characters each in Chinese, that tell something else than the values."""
    for value in values:
        text = text.replace(value, " ")
    text = _LOOKED_UP.sub(" ", text)
    known = {one.lower() for one in _WORD.findall(before)}
    words = {one.lower().replace("’", "'").split("'")[0] for one in _WORD.findall(_HAN_CHAR.sub(" ", text))}
    han = set(_HAN_CHAR.findall(_PLAIN_ZH.sub("", _REST_SAME.sub("", text)))) - set(before)
    return sum(len(one) > 1 for one in words - known - _PLAIN_WORDS) + len(han) / 2


def _is_denied(text: str, value: str) -> bool:
    return any(text.startswith(value, found.end()) for found in _DENIAL.finditer(text))


def _is_affirmed(text: str, values: Sequence[_Value], old: _Value, new_at: int) -> bool:
    """Return whether a message says again, after the other value, that the earlier one is right."""
    again = [one for one in values if one.key == old.key and one.start > new_at]
    return any(
        _AFFIRMED.match(text, one.end) is not None and not _is_denied(text[max(0, one.start - 12) :], one.text)
        for one in again
    )


def _is_framed(text: str, told: _Value, before: str, old: _Value) -> bool:
    """Return whether the same word or character stands beside both values."""
    around = re.compile(rf"[{HAN}]\Z|\w+(?=\W\Z)"), re.compile(rf"[{HAN}]|\W?[a-z]+")
    left = [found[0] for one in (text[: told.start], before[: old.start]) if (found := around[0].search(one[-30:]))]
    right = [found[0] for one in (text[told.end :], before[old.end :]) if (found := around[1].match(one))]
    sides = (left,) if old.unit else (left, right)
    return any(len(side) == 2 and side[0] == side[1] and side[0] not in ("是", "is") for side in sides)


def _is_slip(one: str, other: str) -> bool:
    """Return whether two values differ by a character, or by two that changed places."""
    longer, shorter = sorted((one, other), key=len, reverse=True)
    if one == other or (sorted(one) != sorted(other) and len(shorter) < (3 if one.isascii() else 2)):
        return False
    if len(one) == len(other):
        # 700 and 900 are two numbers, 4471 and 4471 one with a slip.
        least = 0 if one.isdigit() and len(one) < 4 else 1
        return sum(a != b for a, b in zip(one, other, strict=True)) <= (2 if sorted(one) == sorted(other) else least)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))


def _is_inner(text: str, signs: _Signs, before: str) -> bool:
    """Return whether a message corrects what it says itself: 左350右375，打错了，右边是400."""
    said = text[: signs.begins]
    known = {one.key for one in _values(before)}
    inner = {
        one.kind for one in signs.values if one.end <= signs.begins and one.key not in known and one.kind != "name"
    }
    return _untold(said, (), before) > 3 or any(one.kind in inner for one in signs.values if one.start >= signs.begins)


def _may_be_wrong(text: str, signs: _Signs, before: str) -> bool:
    """Return whether an earlier message states something that the message may replace in words of its own."""
    if _ASKS.search(before) and not _values(before):
        return False
    keys = {one.key for one in _values(before)}
    return not signs.values or any(one.key not in keys for one in signs.values)


# Pairs of values


@cached_by_chars(chars_max=2_000_000, entries_max=8_192)
def _values(text: str) -> tuple[_Value, ...]:
    """Return the first values and names in a text; a number beside a month is a day."""
    values: list[_Value] = []
    for found in islice(_VALUE.finditer(text), _VALUES_MAX):
        kind = found.lastgroup or "number"
        following = _VALUE.match(text, found.end() + 1)
        last = values[-1] if values else None
        if kind == "number" and (
            (last is not None and last.kind == "month" and text[last.end : found.start()] == " ")
            or (following is not None and following.lastgroup == "month")
        ):
            kind = "day"
        unit = _UNIT.match(text, found.end()) if kind == "number" else None
        values.append(_Value(kind, *found.span(), found[0], unit["u"].lower().rstrip("s") if unit else ""))
        if kind == "address" and "@" in found[0]:
            local = found[0].partition("@")[0]
            values.append(_Value("code", found.start(), found.start() + len(local), local))
    for name in islice(_NAME.finditer(text), _VALUES_MAX):
        start, end = name.span(name.lastgroup or 0)
        if name["n"]:
            start += (_NO_NAME.match(name["n"]) or name).end() if _NO_NAME.match(name["n"]) else 0
        if start < end and not any(one.start < end and start < one.end for one in values):
            kind = "surname" if name["s"] or name["t"] else "name"
            values.append(_Value(kind, start, end, text[start:end]))
    return tuple(values)


def _changes(text: str, signs: _Signs, before: str) -> list[_Change]:
    """Return the values of the earlier text that the message replaces, each with the new value."""
    old = _values(before)
    known = {one.key for one in old}
    new = [one for one in signs.values if one.key not in known and not _is_denied(text, one.text)]
    if signs.is_swapped and not new:
        return _exchanged(old)
    if denied := _denied_in(text, before):
        like = next((one.kind for one in old if one.start <= denied.start < one.end), denied.kind)
        others = [one for one in new if one.kind == like] or [one for one in new if one.kind == "name"]
        if others and (like != "name" or _is_alone(text, others[0], (others[0].text, denied.text), before)):
            return [_Change(denied, others[0].text, others[0])]
    changes: list[_Change] = []
    for kind in ("address", "code", "clock", "weekday", "month", "day", "ordinal", "zodiac", "surname", "number"):
        mine = [one for one in new if one.kind == kind]
        tails = {one for one in mine if _LAST.search(text[: one.start])}
        pairs = [
            (a, b)
            for a in old
            for b in mine
            if (len(a.key) > len(b.key) and a.key[-1].isdigit() if b in tails else a.kind == kind)
            if b in tails or kind != "number" or _is_same_measure(a, b)
        ]
        if pairs:
            value, other = max(pairs, key=lambda pair: _likeness(pair[0].key, pair[1].key))
            if not any(one.old.start < value.end and value.start < one.old.end for one in changes):
                changes.append(_Change(value, _with_tail(value, other, is_tail=other in tails), other))
    return changes or _renamed(text, signs, before, [one for one in new if one.kind == "name"])


def _denied_in(text: str, before: str) -> _Value | None:
    """Return the words of the earlier text that a message denies: "not Priya", 不是B2."""
    for found in _DENIAL.finditer(text):
        denied = re.match(rf"[{HAN}]{{2,4}}|[\w’'.-]*[\w-]", text[found.end() :])
        words = re.sub("['’]s$", "", denied[0]) if denied else ""
        while len(words) > 1 and _HAN_CHAR.match(words) and words not in before:
            words = words[:-1]
        at = before.find(words) if len(words) > 1 and words.lower() not in _PLAIN_WORDS else -1
        if at >= 0 and (not words.isascii() or re.search(rf"(?<![A-Za-z\d]){re.escape(words)}(?![a-z])", before)):
            return _Value("name", at, at + len(words), words)
    return None


def _with_tail(value: _Value, other: _Value, *, is_tail: bool) -> str:
    """Return the new value; if it is only the end of one, the earlier value with this end."""
    end = value.key[-len(other.key) :]
    is_end = is_tail or (len(value.key) >= _LONG_CHARS and end != other.key and _is_slip(end, other.key))
    return value.text[: -len(other.text)] + other.text if len(other.key) < len(value.key) and is_end else other.text


def _is_same_measure(old: _Value, new: _Value) -> bool:
    """Return whether two numbers may be the same measure: of one unit and about one length."""
    a, b = (len(re.sub(r"\D", "", one.text)) for one in (old, new))
    units = {old.unit, new.unit}
    same = old.unit.startswith(new.unit) or (bool(new.unit) and new.unit.startswith(old.unit) and bool(old.unit))
    same = same or (not new.unit.isascii() and old.unit[:1] == new.unit[:1]) or any(units <= one for one in _SAME_UNITS)
    return same and (not (a and b) or abs(a - b) <= 1 or (a >= _LONG_CHARS and b < a))


def _exchanged(old: Sequence[_Value]) -> list[_Change]:
    """Return the two values of a kind in the earlier text, each with the other."""
    pairs = [[one for one in old if one.kind == kind] for kind in dict.fromkeys(one.kind for one in old)]
    return next(
        ([_Change(a, b.text, b), _Change(b, a.text, a)] for a, b in (pair for pair in pairs if len(pair) == 2)), []
    )


def _renamed(text: str, signs: _Signs, before: str, new: Sequence[_Value]) -> list[_Change]:
    """Return the name of the earlier text that a message spells differently, or gives another one for."""
    new = [one for one in new if signs.at is None or one.start >= signs.at or text[: one.start].strip("*~ ") == ""]
    names = [one for one in _values(before) if one.kind == "name"]
    parts = [_part_of(one, part) for one in names if " " in one.text for part in re.finditer(r"\S+", one.text)]
    pairs = [
        (a, b) for a in [*names, *parts] for b in new if re.sub("['’]s$", "", b.text) != a.text and _is_similar(a, b)
    ]
    if pairs:
        value, other = max(pairs, key=lambda pair: _likeness(pair[0].text, pair[1].text))
        return [_Change(value, other.text, other)]
    again = [one for one in names if one.text.split()[0] in text]
    alone = (
        {clause[0] for clause in _CLAUSE.finditer(text)}
        if _LOOKED_UP.search(text) and len(text) <= _SHORT_CHARS
        else set()
    )
    inside = [
        one
        for one in new
        if (again and not _OPENS.search(text[: one.start])) or (one.text in alone and " " in one.text)
    ]
    again = again or [one for one in names if not _OPENS.search(before[: one.start])]
    if len(again) != 1 or len(inside) != 1:
        return []
    is_told = signs.at is not None or _is_alone(text, inside[0], (inside[0].text, again[0].text), before)
    return [_Change(again[0], inside[0].text, inside[0])] if is_told else []


def _part_of(name: _Value, part: re.Match[str]) -> _Value:
    return _Value("name", name.start + part.start(), name.start + part.end(), part[0])


def _with(text: str, changes: Sequence[_Change]) -> str:
    for one in sorted(changes, key=lambda change: -change.old.start):
        text = text[: one.old.start] + one.new + text[one.old.end :]
    return text


def _is_similar(one: _Value, other: _Value) -> bool:
    least = _SIMILAR_NAME_MIN if one.text.isascii() else _SIMILAR_NAME_MIN_ZH
    return _likeness(one.text, other.text) >= least


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio() + (len(one) == len(other)) * 0.1
