"""What Chinese sentences tell about causes: pains, troubles and partings, and what brings them."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.clauses_zh import UNREAL, Clause, Thread
from extraction.drafting_zh import draft
from extraction.drafts import Draft
from extraction.phrases_zh import noun_phrase
from extraction.sentences import Sentence
from extraction.spelling_zh import readable
from extraction.words_life_zh import SYMPTOMS
from extraction.words_zh import PETS

_SYMPTOM = "(?:" + "|".join(SYMPTOMS) + ")"
_MINE = r"(?:我们?的?|这个|这次|那个|最近的?|老|这种|这|他的|她的){0,3}"
_MAINLY = r"(?:主要|其实|多半|大概率|基本|都|应该|就|全|八成){0,2}"
_HINT: Final = re.compile("因为|由于|引起|造成|导致|引发|诱发|害|让|就|都|会|使")
_PATTERNS: Final = (
    # "我腰疼是久坐造成的"
    re.compile(
        r"(?:^|[，,]|说|发现)"
        + _MINE
        + r"(?P<o>[^我你他她这那说，。]{2,8}?)"
        + _MAINLY
        + r"是(?:由|由于|因为|被)?(?P<c>[\u4e00-\u9fff]{1,10}?)(?:引起|造成|导致|引发|诱发|闹|弄|害|搞|惹|"
        r"熬|憋)(?:出来)?的?$"
    ),
    # "我失眠主要是因为上夜班"
    re.compile(
        r"(?:^|[，,])"
        + _MINE
        + r"(?P<o>"
        + _SYMPTOM
        + r")"
        + _MAINLY
        + r"(?:是)?(?:因为|由于|源于|来自于?)(?P<c>[\u4e00-\u9fff]{1,10}?)(?:$|[，,])"
    ),
    # "因为工作压力，我经常失眠"
    re.compile(
        r"(?:因为|由于)(?P<c>[\u4e00-\u9fff]{2,8}?)(?:的原因|的关系|的缘故)?(?:，|,)?(?:我们?|他|"
        r"她)?(?:所以|才|就|而|导致|总是|经常|常常|"
        r"一直|最后|最终|老|老是|已经|天天|又){0,2}(?:我们?)?(?:会|有点|开始)?(?P<o>"
        + _SYMPTOM
        + r")(?:了|的|很|得|越来越|严重|加重|$)"
    ),
    # "喝红酒会让我头疼", "花粉都会引发我的哮喘"
    re.compile(
        r"(?:^|[，,])(?:每年春天|每到春天|每年|每次|每到|一到|"
        r"只要)?(?P<c>[^我你他她这那，。]{1,8}?)(?:一直|老是?|总是?|经常|容易|都|就|很|特别)*(?:会|能|老|总)?"
        r"(?:引发|引起|导致|造成|加重|诱发|触发|让|使|令|害|害得|搞得|弄得)(?:我(?:的)?|人)?(?:一直|老|"
        r"总是?|经常|很|特别|容易|会|就)*(?:犯|得|发作|长|起)?(?P<o>" + _SYMPTOM + r")(?:$|[，,了发犯加])"
    ),
    # "一不吃早饭我就偏头痛", "每次熬夜我都头疼", "压力一大我的湿疹就犯"
    re.compile(
        r"(?:^|[，,])我?(?:每次|每回|只要|每当)?(?:一)(?P<c>(?!直|般|个|些|起|样|点|共|定|切|下|"
        r"边)[^我你他她这那，。一]{1,8}?)(?:，|,)?(?:我的?)?(?:就|都|便|准)(?:会|要|得|容易|开始|又)?"
        r"(?:犯|长|起)?(?P<o>" + _SYMPTOM + r")(?:$|[，,了发])"
    ),
    re.compile(
        r"(?:^|[，,])我?(?:每次|每回|只要|每当)(?P<c>[^我你他她这那，。]{1,8}?)(?:之后|后|完)?(?:，|"
        r",)?(?:我的?)?(?:就|都|便|准)(?:会|要|得|容易|开始|又)?"
        r"(?:犯|长|起)?(?P<o>" + _SYMPTOM + r")(?:$|[，,了发])"
    ),
    re.compile(
        r"(?:^|[，,])(?P<c>[^我你他她这那，。]{2,6}?)(?:一[大多重上来紧张久忙少冷热高])(?:了)?(?:，|,)?我?的?(?P<o>"
        + _SYMPTOM
        + r")(?:就|都|便)"
    ),
)
_NO_CAUSE = re.compile(r"(?:感到|觉得|感觉|什么|[你这那]|一下|知道)$|^(?:什么|这|那|你|不知道|可能)")


def causes(sentence: Sentence, thread: Thread) -> Iterator[Draft]:
    """`因为工作压力，我经常失眠`: effect and cause, often in two clauses; at most one pair."""
    text = readable(sentence.text).rstrip("。！.! ~～")
    if _HINT.search(text) is None or UNREAL.search(text):
        return
    for pattern in _PATTERNS:
        found = pattern.search(text)
        if found is None:
            continue
        effect, cause = noun_phrase(found["o"]), _cause(found["c"])
        if effect and cause and effect != cause and effect not in PETS:
            clause = Clause(text=text, rest=text, subject=None, third=None, start=sentence.start, end=sentence.end)
            yield draft(clause, thread, effect, "CAUSED_BY", cause, "{s}是由{o}引起的。")
            return


def _cause(said: str) -> str | None:
    """The cause in words; "不吃早饭" may be one, though no thing is called so."""
    said = re.sub(r"^(?:我|我的|最近|总是|长期|天天|经常)+|(?:太多|的事|的问题|的原因)$", "", said)
    if _NO_CAUSE.search(said):
        return None
    if said.startswith(("不", "没")):
        return said if 3 <= len(said) <= 8 else None
    return noun_phrase(said)
