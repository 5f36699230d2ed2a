"""Recognise homes and jobs of a bounded time: "I'm staying in Graz tonight", 这几天我住在姐姐家. Pure.

They end no other one, so they are no facts.
"""

import re
from typing import Final

from extraction.rules.engine import Draft

_COUNT: Final = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+|a few|a couple of|several|some)"
_BOUNDED: Final = (
    r"\b(?:tonight|temporarily|this (?:week|weekend|month|summer|winter|autumn|spring)|"
    r"(?:for|over|during) the (?:night|weekend|week|month|summer|winter|holidays?|next \w+|coming \w+)|"
    rf"for {_COUNT} (?:more )?(?:nights?|days?|weeks?|months?)(?! now)|"
    rf"(?:the )?next (?:{_COUNT} )?(?:nights?|days?|weeks?|months?|weekend))\b"
)
# Of homes only: who works at a hotel until June has a job.
_STAY: Final = re.compile(
    rf"{_BOUNDED}|\b(?:until|till|hotel|hostel|motel|airbnb|guest ?house|b&b|holiday (?:flat|home|rental|let))\b",
    re.IGNORECASE,
)
# "I work at Bosch, this week was hard" is a job.
_JOB: Final = re.compile(
    rf"\b(?:tonight|temporarily|for {_COUNT} (?:more )?(?:nights?|days?|weeks?)(?! now)|working (?:from|out of))\b",
    re.IGNORECASE,
)
# Who moves or begins stays, and who has lived somewhere for three months lives there.
_LASTING: Final = re.compile(
    r"\b(?:mov(?:e|ed|es|ing)|relocat\w+|settl\w+|bought|start(?:s|ed|ing)?|join(?:s|ed|ing)?|beg[aiu]n|hired|new job|"
    r"permanent(?:ly)?|(?:have|has|'ve|’ve) (?:been |now |already )*(?:lived|living|worked|working|based))\b",
    re.IGNORECASE,
)
_NUMBER_ZH: Final = r"[\d几一二两三四五六七八九十半]+"
_BOUNDED_ZH: Final = (
    "今晚|这[几两三]天|最近几天|[这下]个?(?:周末?|星期|礼拜|月)|[这今][个年]?(?:暑假|寒假|假期)|暂时|临时"
)
_STAY_ZH: Final = re.compile(
    f"{_BOUNDED_ZH}|暂住|借住|借宿|出差|度假|旅[游行]|酒店|宾馆|民宿|旅馆|青旅|"
    f"(?:住|待|呆)上?{_NUMBER_ZH}个?(?:天|晚|周|星期|礼拜|月)(?!了)"
)
_JOB_ZH: Final = re.compile("今晚|暂时|临时")
_LASTING_ZH: Final = re.compile("[搬迁]|定居|落户|入职|跳槽|上班了|买了?房|换了?工作|已经")


def is_temporary(draft: Draft, sentence: str) -> bool:
    """Return whether a fact is a home or a workplace for a bounded time, as its sentence says."""
    if draft.relation not in ("lives in", "works at") or draft.closes:
        return False
    english, chinese = (_STAY, _STAY_ZH) if draft.relation == "lives in" else (_JOB, _JOB_ZH)
    if chinese.search(sentence):
        return _LASTING_ZH.search(sentence) is None
    return english.search(sentence) is not None and _LASTING.search(sentence) is None
