"""Find the earlier message that a message of the same speaker corrects: "Sorry, typo: 16:40", 说错了，是周日. Pure.

A correction opens with words such as these, or denies a value of the earlier message ("Friday, not Thursday"), and
names a value of the same kind: an address, time, weekday, day, number or name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from itertools import islice
from typing import Final

from extraction.text.chinese import HAN
from schema.result_cache import cached_by_chars

# Earlier messages of the speaker that a message may correct.
EARLIER_MAX: Final = 3
# Messages of the conversation to look back.
_LINES_MAX: Final = 12
# Longer messages tell something new.
_CORRECTION_CHARS_MAX: Final = 300
_EARLIER_CHARS_MAX: Final = 2_000
_SIMILAR_NAME_MIN: Final = 0.7
# Of names of two or three characters one is another: 张伟, 张玮.
_SIMILAR_NAME_MIN_ZH: Final = 0.6
_VALUES_MAX: Final = 12

_OPENING: Final = (
    r"(?:(?:oh|ah|hmm?|um|erm?|ugh|argh|gah|sorry|oops|whoops|no|nope|nah|wait|actually|hang on|"
    r"hold on|my (?:bad|mistake|fault)|apologies|"
    r"不对|不{1,3}(?=[，,。！])|[啊哎呀哦噢呃嗯]{1,3}|抱歉|不好意思|等等|等一下|对不起)[\s,.!…—–:;，。！、：；-]*)"
)
# Before words that say what was wrong, any short exclamation.
_EXCLAIMED: Final = rf"(?:{_OPENING}|[a-z]{{1,7}}[,.!…]+\s+){{0,4}}"
_DONE: Final = f"(?:(?![他她谁])[{HAN}]){{0,4}}[打说写看记搞弄输算听量数抄填报念读]"
_MISTAKEN: Final = f"{_DONE}[错岔混反]"
# Before the last characters of a value.
_LAST: Final = (
    r"(?:(?:it )?end(?:s|ing)? (?:in|with)|"
    r"(?:the )?last (?:[a-z]{1,5} |\d )?(?:digit|number|letter|character)s?(?: is| are|:)?|"
    r"尾[号数](?:应该)?是?|最?[后末][一两二三四五六几\d]?[位个](?:数字?)?(?:应该)?是?)"
)
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
# Words that say that something earlier was wrong.
_WRONG: Final = re.compile(
    rf"\s*{_EXCLAIMED}(?:"
    r"typo|correction|i (?:meant|mean\b|mis(?:spoke|typed|read|heard|remembered)|"
    r"(?:got|had) [^.!?]{1,30} (?:wrong|backwards)|"
    r"(?:looked at|was looking at|read|took) the wrong [a-z]+(?=\s*[,.:;!–—-]))|"
    r"(?:scratch|forget|ignore|strike) that|"
    r"make (?:that|it)|(?:that|it) should (?:be|have been|read|say)|should (?:be|have)|let me correct|"
    r"my (?:mistake|bad|fault)\b|\*(?=\w)|"
    r"(?:(?:i|that|it)(?:['’]s| is| was) )?(?:the )?wrong(?: (?!about)[a-z]{2,12})?(?=\s*[,.:;!–—-])|"
    # 写错了，是… and 看错日历了，是…, but not 写错了报告，被老板骂了.
    rf"{_MISTAKEN}(?:字?了?(?=$|[\s，。！：；,:!是应其])|[{HAN}]{{1,6}}[\s，。！：；,:!]+(?=应|其实|是|\d|周|星期))|"
    rf"[{HAN}]{{0,4}}(?:更正|纠正|口误|笔误|手滑|应该是|准确地?说))",
    re.IGNORECASE,
)
# Words that may, if a value follows at once.
_DOUBT: Final = re.compile(
    rf"\s*{_OPENING}{{1,4}}(?:(?:it|that)(?:['’]s| is| was)|(?:at|on|for|only)\b|"
    rf"{_LAST}|[是在叫])?\s*(?:the )?",
    re.IGNORECASE,
)
_WRONG_AT_END: Final = re.compile(
    rf"^.{{1,60}}[\s,.，。]+(?:sorry|typo|my (?:bad|mistake|fault)|i misspoke|{_MISTAKEN}了?|口误|笔误)\W*$",
    re.IGNORECASE,
)
_DENIAL: Final = re.compile(r"\bnot\b|\binstead of|\brather than|不是", re.IGNORECASE)
_DENIED: Final = re.compile(rf"(?:{_DENIAL.pattern})\s*(?:on |at |the )?$", re.IGNORECASE)
_TAIL: Final = re.compile(rf"(?:{_LAST}|…|\.\.\.?)\s*$", re.IGNORECASE)
_MONTH: Final = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b"
)
_NUMERAL_ZH: Final = "[零〇一二两三四五六七八九十百千万]"
_VALUE: Final = re.compile(
    r"(?P<address>[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,4}|"
    r"\b(?:https?://|www\.)[^\s，。]{3,200}[^\s，。.!?,;:)])|"
    r"(?P<clock>\b\d{1,2}[:：]\d{2}(?: ?[ap]\.?m\b)?|\b\d{1,2} ?[ap]\.?m\b|"
    r"(?:上午|下午|早上|晚上|中午|凌晨)?(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:\d{1,2}分?|[一二三四五]?十[一二三四五六七八九]?分?|"
    r"半|[一三]刻)?)|"
    r"(?P<weekday>\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:周|星期|礼拜)[一二三四五六日天])|"
    rf"(?P<month>{_MONTH}|(?:\d{{1,2}}|{_NUMERAL_ZH}{{1,2}})月)|"
    rf"(?P<day>\b\d{{1,2}}(?:st|nd|rd|th)\b|(?:\d{{1,2}}|{_NUMERAL_ZH}{{1,3}})[号日])|"
    rf"(?P<number>\d+(?:[.,]\d+)*(?:[ -]\d+)*|{_NUMERAL_ZH}{{1,9}}[米块]{_NUMERAL_ZH}{{1,4}}|"
    # 三千八, without a unit.
    rf"[一二两三四五六七八九][百千万][一二三四五六七八九](?!{_NUMERAL_ZH}|[多几])|"
    # 六十八公斤, 三楼, but not 一个.
    rf"(?!一[个些点下]){_NUMERAL_ZH}{{1,9}}(?:点{_NUMERAL_ZH}+)?(?=[米公千克斤岁元块毛楼层栋室平个只条度页分天年]))",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(
    r"\s?(?!(?:it|is|was|and|not|in|at|on|to|for|actually|really|sorry|then|of|i)\b)(?P<u>[^\W\d]+|[%€$£])"
)
_SAME_UNITS: Final = (
    {"kg", "kilo", "kilogram", "公斤", "千克"},
    {"euro", "€", "eur"},
    {"dollar", "$", "buck"},
    {"块", "元"},
)
_NAME: Final = re.compile(r"[A-ZÀ-ÞŠ][\w’'-]+(?: (?:[A-ZÀ-ÞŠ][\w’'-]+|&|[a-z]{1,3}(?= [A-Z])))*")
_NAME_ZH: Final = re.compile(rf"(?:名字是|名叫|叫|姓|是)(?P<n>[{HAN}]{{2,4}})(?![{HAN}])")
# "Not Katrin, Katrina", 不是李思雨，是李诗雨: a name and the denied one, in either order.
_IS: Final = r"(?i:(?:it|that|(?:my|his|her|the) [a-z ]{2,20})(?:['’]s| is) )?"
_BUT: Final = r"(?i:[,;.–—-]+ ?(?:but |it['’]s |it is |rather )?)"
_DENIED_NAME: Final = re.compile(
    rf"\s*(?i:{_OPENING}{{0,4}})(?:"
    rf"(?i:not )(?P<a>{_NAME.pattern}){_BUT}(?P<b>{_NAME.pattern})|"
    rf"{_IS}(?P<c>{_NAME.pattern})(?i:,? (?:and )?not )(?P<d>{_NAME.pattern})|"
    rf"不[是叫](?P<e>[{HAN}]{{2,4}})[，,。；]?而?[是叫](?P<f>[{HAN}]{{2,4}})(?![{HAN}])|"
    rf"[是叫](?P<g>[{HAN}]{{2,4}})[，,]而?不[是叫](?P<h>[{HAN}]{{2,4}})(?![{HAN}]))"
)


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


def correction_in(
    index: int, said: Sequence[tuple[object, str, datetime]], *, within: timedelta = timedelta(hours=1)
) -> tuple[int, str] | None:
    """Return the index of the message that a message of the same speaker corrects, and its text as corrected.

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
    found = correction_of(text, [said[number][1] for number in earlier])
    return None if found is None else (earlier[found[0]], found[1])


def correction_of(text: str, earlier: Sequence[str]) -> tuple[int, str] | None:
    """Return the index of the text that a message corrects, and that text with the corrected values.

    Args:
        text: the message.
        earlier: earlier messages of the same speaker, latest first; at most `EARLIER_MAX` are compared.

    Returns:
        None if the message corrects none of them.
    """
    if len(text) > _CORRECTION_CHARS_MAX or not earlier or (signs := _signs_in(text)) is None:
        return None
    for index, before in enumerate(earlier[:EARLIER_MAX]):
        before = before[:_EARLIER_CHARS_MAX]
        changes = []
        if signs.opens or not signs.denied.isdisjoint(one.key for one in _values(before)):
            changes = _changes(text, signs.values, before)
        if not changes and (signs.is_wrong or signs.is_doubt):
            changes = _named(text[signs.at :], before, at_once=not signs.is_wrong)
        if not changes and signs.renamed is not None:
            changes = _renamed(signs.renamed, before)
        if not changes and signs.is_swapped:
            changes = _exchanged(text, before)
        if changes:
            return index, _with(before, changes)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """Signs that a message corrects an earlier one.

    Attributes:
        opens: it opens with words that introduce a new value.
        at: where the new value must stand: anywhere after words that say what was wrong, at once after others.
        denied: keys of the values that it denies.
    """

    is_wrong: bool
    is_doubt: bool
    is_swapped: bool
    opens: bool
    at: int
    values: list[_Value]
    denied: set[str]
    renamed: re.Match[str] | None


@cached_by_chars(chars_max=2_000_000, entries_max=8_192)
def _signs_in(text: str) -> _Signs | None:
    """Return the signs of a correction; None without any. Cached, because every recall reads the same messages."""
    swapped = _SWAPPED.match(text)
    wrong = _WRONG.match(text) or swapped
    is_wrong = wrong is not None or _WRONG_AT_END.match(text) is not None
    doubt = None if is_wrong else _DOUBT.match(text)
    at = wrong.end() if wrong else doubt.end() if doubt else 0
    values = list(_values(text)) if is_wrong or doubt is not None or _DENIAL.search(text) else []
    denied = {one.key for one in values if _DENIED.search(text[: one.start])}
    opens = is_wrong or (doubt is not None and any(one.start == at for one in values))
    renamed = _DENIED_NAME.match(text)
    if not opens and doubt is None and not denied and renamed is None:
        return None
    return _Signs(
        is_wrong=is_wrong,
        is_doubt=doubt is not None,
        is_swapped=swapped is not None,
        opens=opens,
        at=at,
        values=values,
        denied=denied,
        renamed=renamed,
    )


def _values(text: str) -> Iterator[_Value]:
    """Yield the first values in a text; a number beside a month is a day."""
    last = None
    for found in islice(_VALUE.finditer(text), _VALUES_MAX):
        kind = found.lastgroup or "number"
        following = _VALUE.match(text, found.end() + 1)
        if kind == "number" and (
            (last is not None and last.kind == "month" and found.start() - last.end == 1)
            or (following is not None and following.lastgroup == "month")
        ):
            kind = "day"
        unit = _UNIT.match(text, found.end()) if kind == "number" else None
        last = _Value(kind, found.start(), found.end(), found[0], unit["u"].lower().rstrip("s") if unit else "")
        yield last


def _changes(text: str, values: Sequence[_Value], before: str) -> list[tuple[_Value, str]]:
    """Return the values of the earlier text that the message replaces, each with the new value."""
    old_values = list(_values(before))
    known = {one.key for one in old_values}
    changes = []
    for kind in ("address", "clock", "weekday", "month", "day", "number"):
        old = [one for one in old_values if one.kind == kind]
        new = [one for one in values if one.kind == kind and one.key not in known]
        pairs = [(a, b) for a in old for b in new if kind != "number" or _same_unit(a.unit, b.unit)]
        if not pairs:
            continue
        value, other = max(pairs, key=lambda pair: _likeness(pair[0].key, pair[1].key))
        tail = len(other.key) < len(value.key) and _TAIL.search(text[: other.start])
        changes.append((value, value.text[: -len(other.text)] + other.text if tail else other.text))
    return changes


def _exchanged(text: str, before: str) -> list[tuple[_Value, str]]:
    """Return the two values of a kind in the earlier text, each with the other, unless the message has new ones."""
    old = list(_values(before))
    if {one.key for one in _values(text)} - {one.key for one in old}:
        return []
    pairs = [[one for one in old if one.kind == kind] for kind in dict.fromkeys(one.kind for one in old)]
    return next(([(a, b.text), (b, a.text)] for a, b in (pair for pair in pairs if len(pair) == 2)), [])


def _named(text: str, before: str, *, at_once: bool) -> list[tuple[_Value, str]]:
    """Return the name of the earlier text that a correction spells differently, with the new one.

    Args:
        at_once: only a name at the beginning of the text counts.
    """
    new, old = ([_Value("name", *span, one[slice(*span)]) for span in _names(one)] for one in (text, before))
    if at_once:
        new = [one for one in new if one.start <= len("名字是")]
    pairs = [(a, b.text) for a in old for b in new if a.text != b.text and _is_similar_name(a.text, b.text)]
    return [max(pairs, key=lambda pair: _likeness(pair[0].text, pair[1]))] if pairs else []


def _renamed(denial: re.Match[str], before: str) -> list[tuple[_Value, str]]:
    """Return the name of the earlier text that a message denies, with the one that it gives instead."""
    names = {key: name for key, name in denial.groupdict().items() if name}
    old, new = next((names[old], names[new]) for old, new in ("ab", "dc", "ef", "hg") if old in names)
    found = next((span for span in _names(before) if before[slice(*span)] == old), None)
    return [] if found is None else [(_Value("name", *found, old), new)]


def _names(text: str) -> Iterator[tuple[int, int]]:
    yield from (one.span() for one in islice(_NAME.finditer(text), _VALUES_MAX))
    yield from (one.span("n") for one in islice(_NAME_ZH.finditer(text), _VALUES_MAX))


def _with(text: str, changes: Sequence[tuple[_Value, str]]) -> str:
    for value, new in sorted(changes, key=lambda change: -change[0].start):
        text = text[: value.start] + new + text[value.end :]
    return text


def _same_unit(one: str, other: str) -> bool:
    same = one.startswith(other) or (one and other.startswith(one))
    return bool(same) or any({one, other} <= units for units in _SAME_UNITS)


def _is_similar_name(one: str, other: str) -> bool:
    alike = _SIMILAR_NAME_MIN if one.isascii() else _SIMILAR_NAME_MIN_ZH
    return _likeness(one, other) >= alike


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio() + (len(one) == len(other)) * 0.1
