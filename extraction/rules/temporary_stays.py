"""Recognise homes and jobs of a bounded time: "I'm staying in Graz tonight", 这几天我住在姐姐家. Pure.

They end no other one, so they are no facts.
"""

import re
from datetime import datetime, timedelta
from typing import Final

from extraction.rules.engine import Draft
from extraction.temporal.phrases import TimeMatch, spans_in

# A longer time that a clause names, as in "this year we live in Oslo", bounds no home.
_STAY_MAX: Final = timedelta(days=100)
_CLAUSE_END: Final = re.compile(r"[,;:，；：、。.!?！？]| (?:and|but|so|while) ", re.IGNORECASE)
# "From next week I live in Bonn", 从下周起: the time begins something that lasts.
_FROM: Final = re.compile(r"(?:\b(?:from|since|as of|starting)|[从自])\s*$", re.IGNORECASE)
_TO: Final = re.compile(r"\b(?:to|until|till|through)\b|[-–—到至]", re.IGNORECASE)
# "Today I live in Munich" tells where the home is now.
_LIVE: Final = re.compile(r"\blives?\b", re.IGNORECASE)

_COUNT: Final = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+|a few|a couple of|several|some)"
# What is no time in a calendar.
_BRIEFLY: Final = (
    rf"temporarily|(?:for|over) the night|for {_COUNT} (?:more )?(?:nights?|days?|weeks?{{MONTHS}})(?! now)"
)
_STAY: Final = re.compile(
    rf"\b(?:{_BRIEFLY.replace('{MONTHS}', '|months?')}|in (?:summer|winter|autumn|spring)|"
    r"(?:for|over|during) (?:the )?(?:weekend|summer|winter|holidays?|(?:next|coming) \w+)|"
    rf"(?:the )?next (?:{_COUNT} )?(?:nights?|days?|weeks?|months?)|"
    r"until|till|hotel|hostel|motel|airbnb|guest ?house|b&b|holiday (?:flat|home|rental|let))\b",
    re.IGNORECASE,
)
# Who works at a hotel until June has a job; "I work at Bosch, this week was hard" is one.
_JOB: Final = re.compile(rf"\b(?:tonight|{_BRIEFLY.replace('{MONTHS}', '')}|working (?:from|out of))\b", re.IGNORECASE)
# Who moves or begins stays, and who has lived somewhere for three months lives there.
_LASTING: Final = re.compile(
    r"\b(?:mov(?:e|ed|es|ing)|relocat\w+|settl\w+|bought|start(?:s|ed|ing)?|join(?:s|ed|ing)?|beg[aiu]n|hired|new job|"
    r"permanent(?:ly)?|(?:have|has|'ve|’ve) (?:been |now |already )*(?:lived|living|worked|working|based))\b",
    re.IGNORECASE,
)
_NUMBER_ZH: Final = r"[\d几一二两三四五六七八九十半]+"
_STAY_ZH: Final = re.compile(
    "今晚|这[几两三]天|最近几天|[暑寒]假|假期|暂时|临时|暂住|借住|借宿|出差|度假|旅[游行]|酒店|宾馆|民宿|旅馆|青旅|"
    f"(?:住|待|呆)上?{_NUMBER_ZH}个?(?:天|晚|周|星期|礼拜|月)(?!了)"
)
_JOB_ZH: Final = re.compile("今晚|暂时|临时")
_LASTING_ZH: Final = re.compile("[搬迁]|住进|入住|定居|落户|入职|跳槽|上班了|买了?房|换了?工作|已经")


def is_temporary(draft: Draft, sentence: str, said_at: datetime) -> bool:
    """Return whether a fact is a home or a workplace for a bounded time, as its sentence says.

    Args:
        said_at: time of the message, in its zone.
    """
    if draft.relation not in ("lives in", "works at") or draft.closes:
        return False
    is_home = draft.relation == "lives in"
    english, chinese = (_STAY, _STAY_ZH) if is_home else (_JOB, _JOB_ZH)
    if chinese.search(sentence):
        return _LASTING_ZH.search(sentence) is None
    if _LASTING.search(sentence) or _LASTING_ZH.search(sentence):
        return False
    return english.search(sentence) is not None or (is_home and _has_bounded_time(sentence, draft.object, said_at))


def _has_bounded_time(sentence: str, home: str, said_at: datetime) -> bool:
    """Return whether the clause that names a home names a time of a few months at most."""
    at = max(0, sentence.find(home))
    start = max((end.end() for end in _CLAUSE_END.finditer(sentence, 0, at)), default=0)
    end = next((end.start() for end in _CLAUSE_END.finditer(sentence, at + len(home))), len(sentence))
    clause = sentence[start:end]
    return _LIVE.search(clause) is None and any(_is_bounded(clause, time) for time in spans_in(clause, said_at))


def _is_bounded(clause: str, time: TimeMatch) -> bool:
    if time.span.end is None or time.span.start is None or time.span.end - time.span.start > _STAY_MAX:
        return False
    return _FROM.search(clause, 0, time.start) is None or _TO.search(clause, time.start) is not None
