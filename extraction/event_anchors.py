"""Events that a question counts from instead of a date: before the wedding, 搬家以后. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extraction.time_relations import Side

ANCHORS_MAX = 4
_SIDES = {
    "before": Side.BEFORE,
    "prior to": Side.BEFORE,
    "until": Side.BEFORE,
    "till": Side.BEFORE,
    "after": Side.AFTER,
    "following": Side.AFTER,
    "since": Side.SINCE,
    "during": Side.DURING,
    "while": Side.DURING,
    "when": Side.DURING,
    "前": Side.BEFORE,
    "后": Side.AFTER,
    "来": Side.SINCE,
    "时": Side.DURING,
    "间": Side.DURING,
    "候": Side.DURING,
}
_ENGLISH = re.compile(
    r"(?<![\w-])(?<!look )(?<!looks )(?<!looking )(?<!looked )(?<!named )(?<!take )(?<!takes )(?<!took )(?<!run )"
    r"(?P<w>before|prior to|until|till|after|following|since|during|while|when)\s+"
    r"(?!(?:all|long|that|this|then|it|now|did|do|does|is|are|was|were|will|would|has|have|had|should|can|could)\b)"
    r"(?P<x>[^,?.!;:，。？！；\n]{2,80})"
)
_CHINESE = re.compile(
    r"(?P<x>[^，,。？?！!；;\s]{1,24}?)"
    r"(?P<w>之前|以前|之后|以后|过后|以来|期间|的时候|(?<![小平有同及当到准随])时(?!候|间|常|不|差)|"
    r"(?<![之以目眼面从])前(?!面|任|台|天|年|夫|妻|男友|女友|往|后|途|[几些两])|"
    r"(?<![之以过最然今背此])后(?!来|面|天|妈|爸|悔|期|果|台|年|院|备))"
)
# Who asks, and what introduces the event, are no part of it.
_LEAD = re.compile(r"^(?:自从|自|从|[^，,]{0,12}?(?<![现存正所])在|那|当)")
_EVENT = re.compile(
    r"婚|搬|毕业|生|国|职|退休|分手|认识|旅|会|赛|考|手术|事故|病|院|装修|孕|学|面试|聚|派对|典礼|活动|"
    r"[上下去来到回看做吃买卖换开当跑画走打离完过了岁]"
)
_PRONOUNS = frozenset({"我", "你", "他", "她", "我们", "他们", "她们", "它"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAnchor:
    """Something that happened, and on which side of it the question looks.

    Attributes:
        side: before, after, since or during it.
        words: the event as the question says it: `question[start:end]`.
    """

    side: Side
    words: str
    start: int
    end: int


def anchors_in(question: str, text: str, taken: Sequence[tuple[int, int]]) -> tuple[EventAnchor, ...]:
    """The events a question counts from, in order, at most `ANCHORS_MAX`.

    Args:
        text: the question made `plain`.
        taken: where it names times; a word that belongs to one of them names no event.
    """
    matches = [*_ENGLISH.finditer(text), *(match for match in _CHINESE.finditer(text) if _EVENT.search(match["x"]))]
    found = []
    for match in sorted(matches, key=lambda match: match.start()):
        start, end = _trimmed(match)
        place = match.start("w")
        inside = any((a < end and start < b) or a <= place < b for a, b in taken)
        if not inside and end - start > 1 and text[start:end] not in _PRONOUNS:
            side = _SIDES.get(match["w"]) or _SIDES[match["w"][-1]]
            if side is Side.AFTER and match["x"].lstrip().startswith("自"):
                side = Side.SINCE
            found.append(EventAnchor(side=side, words=question[start:end], start=start, end=end))
    return tuple(found[:ANCHORS_MAX])


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("x")
    if match.re is _CHINESE and (lead := _LEAD.search(match["x"])):
        start += lead.end()
    words = match.string[start:end]
    return start + len(words) - len(words.lstrip()), end - (len(words) - len(words.rstrip()))
