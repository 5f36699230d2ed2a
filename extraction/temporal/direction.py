"""Decide whether a recurring time ("on 12 June", 周五) lies before or after the moment of speaking. Pure.

Tense, aspect and the verb decide: plans and appointments look forward, memories look back. Of several verbs the nearest
one that governs the time counts. `expressions.recurring` and the like then choose the occurrence.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from extraction.temporal.expressions_by_table import TimeTable, table_of
from extraction.text.lexicon_en import word_set
from extraction.text.sentences import has_cjk
from extraction.text.toml_files import toml_of

# Characters read on either side of a time.
_READ_CHARS: Final = 160


class Direction(StrEnum):
    """Position of a recurring time relative to the moment of speaking.

    OPEN if the words allow both: the nearest occurrence is meant. REPEATED if every occurrence is meant.
    """

    PAST = "past"
    FUTURE = "future"
    OPEN = "open"
    REPEATED = "repeated"


def direction_of(text: str, start: int, end: int) -> Direction:
    """Return the direction of the recurring time at `text[start:end]`.

    Args:
        text: normalized by `phrases.plain`.
    """
    before, after = text[max(start - _READ_CHARS, 0) : start], text[end : end + _READ_CHARS]
    if (table := table_of(text)) is not None:
        return _by_table(table, before, after)
    if has_cjk(text[start:end]) or (has_cjk(before[-8:]) or has_cjk(after[:8])):
        return _chinese(before, after)
    return _english(before.replace("’", "'"), after.replace("’", "'"))


@dataclass(frozen=True, slots=True)
class _Around:
    """The text around a time: the rest of its clause and of its sentence, on either side."""

    sentence_before: str
    clause_before: str
    clause_after: str
    sentence_after: str


def _around(before: str, after: str, sentence_end: re.Pattern[str], clause_end: re.Pattern[str]) -> _Around:
    sentence_before, sentence_after = _last_piece(before, sentence_end), _first_piece(after, sentence_end)
    return _Around(
        sentence_before=sentence_before,
        clause_before=_last_piece(sentence_before, clause_end),
        clause_after=_first_piece(sentence_after, clause_end),
        sentence_after=sentence_after,
    )


def _last_piece(text: str, ends: re.Pattern[str]) -> str:
    content_end = len(text.rstrip(" \"'“”("))
    cuts = [match.end() for match in ends.finditer(text) if match.end() < content_end]
    return text[cuts[-1] :] if cuts else text


def _first_piece(text: str, ends: re.Pattern[str]) -> str:
    cut = ends.search(text)
    return text[: cut.start()] if cut else text


# By table


def _by_table(table: TimeTable, before: str, after: str) -> Direction:
    """Return the direction by words of the clause, or else of the sentence."""
    if table.since.search(before):
        return Direction.PAST
    around = _around(before, after, _SENTENCE_END, _CLAUSE_END)
    for words in (f"{around.clause_before};{around.clause_after}", f"{around.sentence_before};{around.sentence_after}"):
        if table.habit.search(words):
            return Direction.REPEATED
        ahead, behind = table.future.search(words) is not None, table.past.search(words) is not None
        if found := _one_of(ahead=ahead, behind=behind):
            return found
    return Direction.OPEN


# English

_SENTENCE_END: Final = re.compile(r"[.!?;:\n。！？；](?:\s|$)|\s[-–—]+\s|—")
_HABIT_EN: Final = re.compile(r"\b(?:usually|always|often|every|each|normally|typically|generally|whenever)\b")
_CLAUSE_END: Final = re.compile(r",\s|\s(?=(?:but|so|because|although|though|which|before|after)\s)")
# Words after which a date lies ahead, regardless of tense: "booked for", "moved to", "signed up for".
_AHEAD_EN: Final = re.compile(
    r"\b(?:booked|reserved|signed (?:\w+ )?up|registered|enrolled|scheduled|pencill?ed|entered|applied|"
    r"(?:got|bought|have) (?:\w+ ){0,2}(?:tickets?|a place)|invited|arranged|agreed to|decided to|promised to|"
    r"set (?:a|the|our) (?:\w+ )?date|put (?:\w+ )?down (?:the |a )?deposit)\b"
)
_MOVED_TO_EN: Final = re.compile(
    r"\b(?:moved|moving|move|rescheduled?|postponed?|delayed|pushed(?: back)?|brought forward|changed|shifted|extended|"
    r"put off)\b[^.!?;,]{0,40}\b(?:to|until|till|for) (?:the )?$"
)
_FOR_EN: Final = re.compile(r"\bfor (?:the )?$")
_SINCE_EN: Final = re.compile(r"\bsince (?:early |late |mid-?|the (?:start|beginning|end|middle) of )?(?:the )?$")
_LOOKING_BACK_EN: Final = re.compile(
    r"\blast time\b|\b(?:remember|recall|forget) (?:that|the|when|how|our|my|what)\b|"
    r"\bsince (?:\w+ ){1,4}(?:on|in) (?:the )?$"
)
_UNTIL_EN: Final = re.compile(r"\b(?:until|till?) (?:the )?$")
_WOULD_HAVE: Final = re.compile(r"\b(?:should|could|would|must|might|may)(?:n't)?(?: not)?(?:'ve| have) \w+")
# Words that announce a future event without a verb.
_PENDING_EN: Final = re.compile(
    r"\b(?:due|deadline|appointment|tickets?|reminder|upcoming|remind|(?:don't|dont|before i) forget|pencil|"
    r"save the date|rsvp|looking forward|heads up)\b"
)
_WORDS: Final = {key: word_set(words) for key, words in toml_of("extraction.temporal", "tense.toml").items()}
_REPORTED_PLAN: Final = _WORDS["reported_plan"]
_INTENDED: Final = _WORDS["intended"]
_FUTURE_WORDS: Final = _WORDS["future"]
_BASE_FORMS: Final = _WORDS["base_forms"]
_SUBJECTS: Final = _WORDS["subjects"]
_BE: Final = _WORDS["be"]
_HAVE: Final = _WORDS["have"]
_PAST_WORDS: Final = _WORDS["past"]
_PAST_BE: Final = _WORDS["past_be"]
_NO_PAST_ED: Final = _WORDS["no_past"]
_DETERMINERS: Final = _WORDS["determiners"]
_SKIPPED: Final = _WORDS["skipped"]
_AFTER_IS: Final = _WORDS["after_is"]
_NO_GERUND: Final = _WORDS["no_gerunds"]
_WORD: Final = re.compile(r"'(?:s|re|m|ve|ll|d)\b|[a-z]+n't\b|[a-z]+(?:-[a-z]+)*")


def _english(before: str, after: str) -> Direction:
    around = _around(before, after, _SENTENCE_END, _CLAUSE_END)
    return (
        _by_phrase_en(around)
        or _by_governing_verb(around)
        or (Direction.FUTURE if _PENDING_EN.search(f"{around.sentence_before};{around.clause_after}") else None)
        or _tense(around.sentence_before, backwards=True)
        or _tense(around.sentence_after)
        or _tense(before, backwards=True)
        or _tense(after)
        or Direction.OPEN
    )


def _by_phrase_en(around: _Around) -> Direction | None:
    """Return the direction by fixed phrases, which take precedence over the verb; None without one."""
    first = next(iter(_WORD.findall(around.clause_after)), "")
    if _HABIT_EN.search(f"{around.clause_before};{around.clause_after}"):
        return Direction.REPEATED
    # The time belongs to the subject: "Dinner on Friday was a disaster".
    if first in _PAST_BE or _SINCE_EN.search(around.clause_before) or _LOOKING_BACK_EN.search(around.sentence_before):
        return Direction.PAST
    if first in ("is", "are", "will") or _MOVED_TO_EN.search(around.sentence_before):
        return Direction.FUTURE
    if _WOULD_HAVE.search(f"{around.sentence_before};{around.clause_after}"):
        return Direction.PAST
    if _AHEAD_EN.search(around.sentence_before) and not _CALLED_OFF.search(around.sentence_before):
        return Direction.FUTURE
    return None


def _by_governing_verb(around: _Around) -> Direction | None:
    """Return the direction by the nearest verb of the clause: the last before the time, or else the first after it."""
    before = _tense(around.clause_before, backwards=True)
    if _FOR_EN.search(around.clause_before):
        # "Tickets for 9 November", but "they came for Thanksgiving".
        return Direction.PAST if before is Direction.PAST else Direction.FUTURE
    if before is Direction.PAST and _UNTIL_EN.search(around.clause_before):
        # "She lent it to me till June", but "it was valid until June".
        return Direction.PAST if _PAST_BE & {*_WORD.findall(around.clause_before)} else Direction.OPEN
    return before or _tense(around.clause_after)


_CALLED_OFF: Final = re.compile(r"\b(?:was|were|had|didn't|did|cancelled|missed)\b[^,]*$")


def _tense(text: str, *, backwards: bool = False) -> Direction | None:
    """Return the direction by the verb nearest to the time, or None without a verb."""
    words = _WORD.findall(text)
    for at in reversed(range(len(words))) if backwards else range(len(words)):
        if found := _tense_of_word(words, at):
            return found
    return None


def _tense_of_word(words: list[str], at: int) -> Direction | None:
    """Return the direction by the tense of one verb; None if the word is no verb, or a participle after "be"."""
    word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
    lead = [other for other in words[max(at - 3, 0) : at] if other not in _SKIPPED and not other.endswith("ly")]
    before = lead[-1] if lead else ""
    if word in _REPORTED_PLAN:
        return Direction.FUTURE if following in ("like", "love") else Direction.OPEN
    if word in _INTENDED and following == "to" and (word != "going" or {"was", "were"} & set(lead)):
        return Direction.OPEN
    if word == "got" and before in _HAVE:
        return Direction.FUTURE
    if word in _PAST_WORDS or (word.endswith("ed") and len(word) > 3 and word not in _NO_PAST_ED):
        # After "is" or "be" the auxiliary decides: "should be finished", "is deployed".
        return None if before in _DETERMINERS or before in _BE else Direction.PAST
    if word in _HAVE and following in ("been", "had"):
        return Direction.PAST
    return Direction.FUTURE if _is_present(word, before, following, first=at == 0) else None


def _is_present(word: str, before: str, following: str, *, first: bool) -> bool:
    if word.endswith("ing") and word not in _NO_GERUND:
        return first or (before in _BE and before not in ("be", "get", "gets"))
    if word == "'s":
        return not following or following in _AFTER_IS or (following.endswith("ing") and following not in _NO_GERUND)
    if word in _BASE_FORMS:
        return first or before in _SUBJECTS or (before.endswith("s") and before not in _BE)
    return word in _FUTURE_WORDS and before not in _DETERMINERS and before not in ("to", "of", "been")


# Chinese

_CLAUSE_END_ZH: Final = re.compile(r"[，,；;：:\s]|——")
_SENTENCE_END_ZH: Final = re.compile(r"[。！？!?\n]")
# Directly before the time: 手术改到5月21号了, 约在周五, 订了周六的位子.
_AHEAD_BEFORE_ZH: Final = re.compile(
    r"(?:改期?到|改[到在成]|推迟到|延[期后]?到|提前到|挪到|调到|推到|拖到|[定订约排安]在了?|[订定约]了?|预约了?|报名?了?|买了?|抢到了?|"
    r"预产期[在是]?|有效期[到至]?|截止[到至]?|轮到|等到?|预[计定]|数着日子等|忘了|记得|提醒我?)$"
)
# Anywhere before the time in its clause.
_AHEAD_IN_ZH: Final = re.compile(
    r"预计|预定|订了|约了|约[到好]|预约|报名|买了.{0,6}票|抢到|答应|决定|打算|计划|准备|希望|说好|等着|期待|数着日子|想(?!起|到|念)|可能|麻烦|帮我|"
    r"请(?:我们?|你们?|大家)|提醒|记得|别忘|会(?!议)|[要将得](?!了)|忘了|预产期|有效期|截止"
)
_FUTURE_ZH: Final = re.compile(
    r"(?<![的聚年开晚机约社宴酒长唱乐商展大例茶舞国工协班])会(?![议员计所场馆的])|(?<![只主重需不还])要(?!求|么|不是|紧|好)|想(?!起|到|念)|打算|计划|准备|希望|可能|应该|"
    r"(?<![觉懂记取获值难舍不来])得(?=[去交报赶换买找早先再给把])|(?<!原|本|就)该(?!死)|别(?=[给让忘])|记得|提醒|约了|订了|定了|报了名|"
    r"到期|过期|截止|开学|出发|轮到|预产期|有空|没空|有没有空|方便吗|怎么样|[能可]不[能可]|还没|等着|数着|必须|[来去办]吗|要不要|恢复|"
    r"(?:之|以)后再|再(?:说|聊|去|跟|给)|快(?=到|要)|[一]?起(?=去吧)|吧$"
)
_PAST_ZH: Final = re.compile(
    r"(?<![为除罢得])了(?!解|如|不起|吗)|(?<=[\u4e00-\u9fff])过(?![节年期户生寿冬夏敏来去程于分])(?=$|[的了吗一两几\W])|"
    r"(?<=[吃去来看做买听玩见打问说试住上学])过(?!节|年)|(?<!还)没(?=[过去成来做看赶买卖发起吃见])|没[^有空课]{1,2}[成到完过好]|(?<=[^觉值记舍难])得(?=很|太|特别|真|挺|不|好|可)|"
    r"刚|已经|曾|当时|那会儿|那时|那[次天件场]|上次|之前的|原定|本来|原来|后悔|"
    r"[看见碰遇听收拿赶送买抢][到见]|[做吃写考读看住忙累报装答]完|摔[断伤]|吃坏|掉[了到]|搬[来到进](?!吧)|回来的|才(?=[装到知想发办收通接])|想起|"
    # 是…的: 拔的智齿, 是三月底搬进来的.
    r"(?<=.)的$|[飞拔过结办做买换退辞离住搬来去到回生考拿领签吃喝看听写修装剪打开]的(?=[^，。]{1,5}$)|"
    r"(?:特别|超级|非常|真|太|很|挺|都)(?:热闹|开心|好玩|好吃|感动|精彩|难忘|顺利|尴尬|累|晚)|[查发]现?出|[崩挂]$"
)
# The end of the sentence changes what 了 says: 太好了, 快了, 就要…了, 五年了, 不去了.
_NO_PERFECT_ZH: Final = re.compile(
    r"太[^，。]{0,6}了|[快要将][^，。]{0,6}了|不[^，。]{1,3}了|就[^，。]{0,10}?[年岁]了|[约订定]了"
)
_TICKET_ZH: Final = re.compile(
    r"(?:[^，。]{0,4})的(?:票|位子?|座|号|飞机|航班|火车|高铁|动车|车票|机票|酒店|餐厅|预约|面试|会|课|[^，。]{0,6}(?:马拉松|马|比赛|聚会|演唱会|音乐会))"
)
_HAPPENED_ZH: Final = re.compile(r"[了过](?!的)|(?<!还)没|取消")
# 9月1号就开学了 may be a memory or an announcement.
_REACHED_ZH: Final = re.compile(r"就[^，。]{1,6}了$")
_DONE_ZH: Final = re.compile(r"[完好成到掉]")
_SINCE_ZH: Final = re.compile(r"(?:自从?|打从?|从)$")
_SINCE_AFTER_ZH: Final = re.compile(r"(?:开始|起|以来|到现在|至今)")
_REPEATED_ZH: Final = re.compile(r"^[^，。？！]{0,4}(?:都|总是?|经常|一般|通常|老是)(?=[会要得在是去给有收上不休])")
_FORMER_PLAN_ZH: Final = re.compile(r"原[定计本]|本来")
# 10月22日前的那个星期五 counts from another time.
_COUNTED_ZH: Final = re.compile(r"那个?$|[前后]的$")
_LAST_ZH: Final = re.compile(r"上次|最后一次|上一?回|那次")
# In other clauses of the sentence.
_ASIDE_PAST_ZH: Final = re.compile(
    r"已经|一直|竟然|居然|幸好|可惜|后来|当时|结果|没赶上|(?<!还)没(?![有空课法事])|[年月天]了|还[疼肿]|到现在|谢谢|[完好成到见掉]了"
)
_ASIDE_FUTURE_ZH: Final = re.compile(
    r"记得|提醒|别[让忘]|得去|[机车门]?票.{0,4}[买订]|最后期限|还没|之?后再|[来去]吗|紧张|保佑|期待|帮忙|祝我|想要?[去来买]|希望|打算|求"
)


def _chinese(before: str, after: str) -> Direction:
    around = _around(before, after, _SENTENCE_END_ZH, _CLAUSE_END_ZH)
    found = _by_phrase_zh(around.clause_before, around.clause_after) or _by_aspect(around)
    if found is not None and found is not Direction.OPEN:
        return found
    return _by_other_clauses(around)


def _by_phrase_zh(clause_before: str, clause_after: str) -> Direction | None:
    """Return the direction by fixed phrases, which take precedence over the aspect; None without one."""
    if _REPEATED_ZH.match(clause_after) or _COUNTED_ZH.search(clause_before):
        return Direction.REPEATED
    if _FORMER_PLAN_ZH.search(clause_before):
        return Direction.OPEN
    if _AHEAD_BEFORE_ZH.search(clause_before):
        return Direction.FUTURE
    if _LAST_ZH.search(clause_before):
        return Direction.PAST
    if _TICKET_ZH.match(clause_after) and not _HAPPENED_ZH.search(clause_after):
        return Direction.FUTURE
    return None


def _by_aspect(around: _Around) -> Direction | None:
    """Return the direction by modal verbs and aspect markers after the time in its clause; None without one."""
    before, after = around.clause_before, around.clause_after
    ahead, behind = _FUTURE_ZH.search(after), _PAST_ZH.search(_NO_PERFECT_ZH.sub(" ", after))
    if _SINCE_ZH.search(before) and _SINCE_AFTER_ZH.match(after) and not ahead:
        return Direction.PAST
    found = _one_of(ahead=ahead is not None, behind=behind is not None)
    if found is Direction.PAST and _REACHED_ZH.search(after) and not _DONE_ZH.search(after):
        return Direction.OPEN
    return Direction.FUTURE if found is None and _AHEAD_IN_ZH.search(before) else found


def _by_other_clauses(around: _Around) -> Direction:
    earlier = around.sentence_before.removesuffix(around.clause_before)
    aside = f"{earlier}，{around.sentence_after.removeprefix(around.clause_after)}"
    ahead, behind = _ASIDE_FUTURE_ZH.search(aside), _ASIDE_PAST_ZH.search(aside)
    return _one_of(ahead=ahead is not None, behind=behind is not None) or Direction.OPEN


def _one_of(*, ahead: bool, behind: bool) -> Direction | None:
    """Return the direction of a future or past cue; OPEN with both, None without any."""
    if ahead and behind:
        return Direction.OPEN
    return Direction.FUTURE if ahead else Direction.PAST if behind else None
