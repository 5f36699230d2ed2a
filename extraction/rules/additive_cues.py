"""Find cues that a fact adds to others of its kind ("also", 也), or replaces them ("switched to", 换成). Pure."""

import re
from collections.abc import Iterable
from typing import Final

from extraction.text.lexicon_en import ANY_MONTH
from extraction.text.lexicon_zh import FORMERLY
from schema.predicates import TASTES

_ALSO: Final = re.compile(
    r"\b(?:also|too|as well|in addition|besides|additionally|on the side|part[- ]time|side job|second (?:job|home)"
    r"|half (?:of )?the (?:time|year)|(?:on|at) (?:the )?weekends?|in (?:the )?(?:summer|winter)s?|both"
    r"|worked|lived|studied|was|were|used to|previously|formerly|before|back then|in the past|years? ago"
    r"|still|other|another|(?:do|does|did|am|is|are|have|has)(?:n['’]t| not))\b"
    rf"|仍|依然|还是|照样|{FORMERLY}|过去|当年|也|还(?!是|住|没)|同时|另外|另一|还有|兼职|副业|第二|两地|半年|周末|平时|顺便|之余",
    re.IGNORECASE,
)
_STILL: Final = re.compile(r"\bstill\b|仍|依然|还是|照样", re.IGNORECASE)
# A move or change replaces the earlier fact.
_CHANGED: Final = re.compile(
    r"\b(?:moved|relocated|switched|changed|left|quit|joined|started|now|no longer)\b|搬|换|改|跳槽|离开|辞|现在|如今",
    re.IGNORECASE,
)
# A preference limited to a time, place or aspect neither ends the opposite preference nor is ended by it.
_AT_TIMES: Final = re.compile(
    r"\s*(?:,\s*)?"
    r"(?:in|at|on|during|after|before|when|while|if|unless|except|only|from|for (?:breakfast|lunch|dinner))\b"
    r"(?! (?:the moment|general|fact|the world|my life)\b)",
    re.IGNORECASE,
)
_AT_TIMES_ZH: Final = re.compile(
    r"早上|上午|中午|下午|晚上|夜里|睡前|饭后|空腹|夏天|冬天|春天|秋天|周末|有时|偶尔|的时候|[^小同]时[，,]?"
)
# An allergy and a liking do not exclude each other.
_ALLERGIC: Final = re.compile(r"\ballerg|过敏|過敏", re.IGNORECASE)
# A part of a workplace or home is not a second place.
_PART: Final = (
    r"(?:\b(?:office|branch|site|headquarters|campus|lab|desk|home|team|department|district|neighbou?rhood"
    r"|suburb|street|avenue|road|old town|downtown|floor|flat|apartment|house)\b|办公室|分公司|总部|部门|家里|家"
    r"|宿舍|小区|[区县镇村街路楼])"
)
_PART_OF_WORK: Final = re.compile(_PART + "$", re.IGNORECASE)
_THEN_PART: Final = re.compile(r"\s*" + _PART, re.IGNORECASE)
# A value replaces another.
_REPLACED: Final = re.compile(
    r"\b(?:switch(?:ed|es|ing)?|swapp?(?:ed|s|ing)|replac(?:ed|es|ing)|instead of|in place of|rather than"
    r"|no longer|(?:any ?more|any longer)|chang(?:ed|es|ing)|mov(?:ed|es|ing) (?:to|from|off|over|back|on)"
    r"|migrat(?:ed|es|ing)|transferr(?:ed|ing)|transfers|(?:goes|went|gone|going|is|are|was) back (?:to|on)"
    r"|(?:raised|lowered|reduced|increased|cut|upped|upgraded|downgraded|renamed|shortened|extended) (?:to|from)"
    r"|has left|have left|took over|takes over|taken over|(?:is|are) gone|successor|corrected|the old"
    r"|(?:as of|starting|beginning|effective|from) (?:(?:\d{1,2}(?:st|nd|rd|th)? )?"
    + ANY_MONTH
    + r"|\d{4}-\d|today|now))\b"
    r"|换成|换了|换到|换为|换上|换回|改成|改为|改用|改吃|改喝|改打|改跑|改上|改下|改到|改从|改在|改走|改去|改订|改发|改写成|改名|替换|取代|代替"
    r"|搬到|搬去|搬至|搬进|搬了|搬回|迁到|迁移|迁至|转到|转为|转回|转去|调到|调至|升级|升到|升为|降级|降到|降回|降为|涨到|涨至|不再"
    r"|停了|停用|停掉|回到|从[^，。；]{1,20}?起|而不是|不是[^，。；]{1,12}了|纠正|更正|取消了",
    re.IGNORECASE,
)
# The value is current.
_NEW: Final = re.compile(
    r"\b(?:now|nowadays|these days|currently|new|again|for now)\b|现在|如今|目前|新[^疆加西闻鲜]|以后|今后|重新",
    re.IGNORECASE,
)
# The value is one of several.
_ONE_MORE: Final = re.compile(
    r"\b(?:also|as well|in addition|besides|additionally|another|(?:a|the|his|her|their|its|my)"
    r" (?:second|third|fourth|fifth|other)"
    r"|(?:second|third|fourth|fifth) (?:job|home|car|phone|number|language)|one of|both|extra|on the side|part[- ]time"
    r"|side (?:job|gig))\b|\btoo\b(?=\s*(?:[.,;!?]|$))"
    r"|也|还有|另外|另一|此外|兼职|副业|同时|之一|第[二三四五六七八九十两]|除了[^，。；]{1,20}还|又(?:买|养|加|添|学|开)|外加",
    re.IGNORECASE,
)
# The value is a former one.
_FORMER: Final = re.compile(
    rf"\b(?:used to|formerly|previously|once (?:lived|worked)|back then|until (?:then|recently))\b|"
    rf"{FORMERLY}|过去|当年",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?;。！？；\n]+(?:\.(?=\S)[^.!?;。！？；\n]*)*")


def is_additive(clause: str, *, predicate: str, name: str) -> bool:
    """Return whether the fact of a clause adds to known facts rather than replaces them.

    Args:
        name: object, as written in the clause.
    """
    if _CHANGED.search(clause):
        return False
    place = clause.casefold().find(name.casefold())
    tail = clause[place + len(name) :] if place >= 0 else ""
    if predicate in TASTES:
        head = clause[: max(place, 0)]
        at_times = _AT_TIMES.match(tail) or _AT_TIMES_ZH.search(head)
        return bool(at_times or _ALLERGIC.search(clause) or _STILL.search(clause))
    return bool(_ALSO.search(clause) or _PART_OF_WORK.search(name) or _THEN_PART.match(tail))


def says_replaced(statement: str, texts: Iterable[str], name: str) -> bool:
    """Return whether the statement of a fact, or a sentence of its evidence that names the value, reports a change.

    Args:
        texts: its evidence messages.
        name: object of the fact.
    """
    if _REPLACED.search(statement):
        return True
    if _ONE_MORE.search(statement):
        return False
    return bool(_NEW.search(statement)) or any(
        _REPLACED.search(one) for text in texts for one in _sentences_with(name, text)
    )


def is_one_of_several(statement: str, name: str) -> bool:
    """Return whether the statement of a fact marks its value as one of several or as a former one."""
    if _REPLACED.search(statement):
        return False
    near = _sentences_with(name, statement) or [statement]
    return any(_ONE_MORE.search(one) or (_FORMER.search(one) and not _NEW.search(one)) for one in near)


def _sentences_with(name: str, text: str) -> list[str]:
    """Return the sentences of a text that contain a name."""
    name = name.casefold()
    if name not in text.casefold():
        return []
    return [one for one in _SENTENCE.findall(text) if name in one.casefold()]
