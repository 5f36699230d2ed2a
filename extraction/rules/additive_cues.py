"""Find cues that a fact adds to others of its kind instead of replacing them: "I also work at …", 也在…工作. Pure."""

import re
from typing import Final

from schema.predicates import TASTES

_ALSO: Final = re.compile(
    r"\b(?:also|too|as well|in addition|besides|additionally|on the side|part[- ]time|side job|second (?:job|home)"
    r"|half (?:of )?the (?:time|year)|(?:on|at) (?:the )?weekends?|in (?:the )?(?:summer|winter)s?|both"
    r"|worked|lived|studied|was|were|used to|previously|formerly|before|back then|in the past|years? ago"
    r"|still|other|another|(?:do|does|did|am|is|are|have|has)(?:n['’]t| not))\b"
    r"|仍|依然|还是|照样|以前|曾经?|过去|当年|也|还(?!是|住|没)|同时|另外|另一|还有|兼职|副业|第二|两地|半年|周末|平时|顺便|之余",
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
