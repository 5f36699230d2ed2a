"""Chinese sentences whose subject is a thing: what pleases, bothers or matters, and what is told by its noun."""

import re
from collections.abc import Iterator
from typing import Final

from extraction import wordings_zh as wordings
from extraction.clauses_zh import Clause, Thread
from extraction.drafting_zh import draft
from extraction.drafts import Draft
from extraction.objects_life_zh import is_job
from extraction.objects_zh import object_type
from extraction.phrases_zh import noun_phrase
from extraction.reading import THE_USER
from extraction.words_life_zh import LANGUAGES
from extraction.words_zh import EMOTIONS, PLEASANT

_THING: Final = r"^(?:这次|这个|那个|最近的?)?(?P<o>[^我你您他她它这那谁，。]{1,12}?)"
_VERY: Final = (
    r"(?:真的|实在|一直|都|从来|是|就|完全|根本|最|特别|很|超级?|非常|永远|总是|简直|"
    r"真|太|比什么都|也|还|始终|绝对){0,3}"
)
# Pattern, predicate, statement, relation: the first that fits wins.
_OF_THINGS: Final = (
    (
        # The thing stands first: "恐怖片我看不了", "胡萝卜一口都不吃".
        re.compile(
            _THING
            + r"(?:我|本人)"
            + _VERY
            + r"(?:受不了|吃不了|喝不了|看不了|听不了|闻不了|玩不来|接受不了|不吃|不喝|不碰|不沾|"
            r"不喜欢|不爱(?:吃|喝|看|听)?|讨厌|没(?:什么|啥)?兴趣|怕|不行|"
            r"敬谢不敏|一口都?不(?:吃|喝|碰)|一点都?不(?:吃|喝|碰|喜欢)|吃不惯|喝不惯|看不惯|欣赏不来|无感)了?$"
        ),
        "DISLIKES",
        "{s}不喜欢{o}。",
        None,
    ),
    (
        re.compile(
            _THING
            + r"(?:对我来说|对于我来说|在我看来|于我而言|对我而言)?"
            + _VERY
            + r"(?:折磨|煎熬|噩梦|酷刑|灾难|我的噩梦|受罪|让我(?:很|特别|非常|最)?(?:头疼|崩溃|抓狂|"
            r"反感|难受|恶心|不舒服|紧张|讨厌))$"
        ),
        "DISLIKES",
        "{s}受不了{o}。",
        None,
    ),
    (
        re.compile(
            _THING
            + r"(?:(?:对我(?:来说|而言)?|在我(?:心里|这里|看来|眼里)|于我而言)"
            + _VERY
            + r"(?:重要|关键|要紧|宝贵|第一位|排(?:在)?第一(?:位)?)|是我(?:最在乎|最在意|最看重|最重要)的.{0,3}|"
            + _VERY
            + r"(?:排(?:在)?第一位?|放在?第一位?|高于一切|大于一切|第一位))的?$"
        ),
        "CARES_ABOUT",
        "{s}看重{o}。",
        None,
    ),
    (
        re.compile(
            _THING + r"(?:一直|总|老是?)?(?:让|令|使|搞得|弄得|害)我(?:一直|很|特别)?(?:焦虑|担心|失眠|睡不着|"
            r"发愁|头疼|心烦|寝食难安|压力很?大)了?"
            r"(?:好?[几多一两二三四五六七八九十\d]+(?:个)?(?:天|周|月|年|星期|晚上)了?|很久了?|好久了?)$"
        ),
        "CARES_ABOUT",
        "{s}担心{o}。",
        "worry",
    ),
    (
        re.compile(
            _THING
            + _VERY
            + r"(?:是|算是)"
            + _VERY
            + r"我(?:的)?(?:最爱|心头好|本命|最喜欢的[^，。]{0,6}|最爱的[^，。]{0,6}|(?:一大|最大的?)?爱好|"
            r"(?:最大的)?乐趣|快乐源泉|精神食粮|命)$"
        ),
        "PREFERS",
        "{s}最喜欢{o}。",
        None,
    ),
    (
        re.compile(
            _THING
            + r"我"
            + _VERY
            + r"(?:喜欢(?:吃|喝|看|听|玩)?|爱(?:吃|喝|看|听|玩)?|百吃不厌|百看不厌|可以天天(?:吃|"
            r"喝|看|听)|吃不腻|看不腻)的?了?$"
        ),
        "PREFERS",
        "{s}喜欢{o}。",
        None,
    ),
    (
        re.compile(
            r"^(?:我)?(?:觉得|感觉|认为)?没有(?:什么|啥)?比(?P<o>[^我你他她这那，。]{1,10}?)更(?:好|棒|爽|"
            r"治愈|幸福|可爱|解压|享受|让我).{0,8}$"
        ),
        "PREFERS",
        "{s}最喜欢{o}。",
        None,
    ),
    (
        re.compile(r"^(?:我)?(?:的)?口味" + _VERY + r"(?:偏|比较|喜欢|重|爱)+(?P<o>[辣甜咸酸淡麻]|清淡|重口|鲜)$"),
        "PREFERS",
        "{s}口味偏{o}。",
        None,
    ),
)
_TALK: Final = re.compile(
    r"^(?:[^，]{0,3})(?:早上|晚上|今天|昨天|明天|现在|刚才|后来|所以|但是|有|没|不|一|是|说|为了|上|下|去|来|在)"
)
_NOT_ONE: Final = re.compile(
    r"文件$|视频$|图片?$|链接$|网页$|音频$|消息$|内容$|文档$|附件$|邮件$|页面$|(?:时候|地方(?=$)|这|那|"
    r"样子|之后|以后|之前|以前)$"
)
_MOST: Final = re.compile(
    r"^(?:我|本人)?(?:平时|这辈子|其实|一直|个人)?最(?:怕|讨厌|烦|反感|受不了|恨|不喜欢)的(?:事情?|"
    r"东西|人|食物|天气)?(?:就|还)?是(?P<o>.+)"
)
_AS_A: Final = re.compile(
    r"^(?:作为|身为)(?:一[名个位])?(?P<o>[^，。我你]{2,12}?)(?:的我)?$|^我的?(?:职业|工作|"
    r"本职工作)是(?:一[名个位])?(?P<o2>[^，。我你]{2,12})$"
)
_SPEAKS: Final = re.compile(r"^(?P<o>" + "|".join(LANGUAGES) + r")(?:我)?(?:也|还|只)?(?:会|懂|能说|能听懂|说得|略懂)")


def said_of_things(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """What a clause says about a thing and whoever speaks."""
    if _speaks_of_others(clause, thread):
        return
    yield from _triggers(clause, thread)
    me, text = thread.voice.me, clause.text
    for pattern, predicate, says, relation in _OF_THINGS if "我" in text or "第一" in text or "口味" in text else ():
        found = pattern.match(text)
        name = noun_phrase(re.sub(r"的(?:事情?|问题)$|^(?:这次|这个|那个)", "", found["o"])) if found else None
        if name and not _TALK.match(name) and not _NOT_ONE.search(name):
            predicate_ended = clause.past
            yield draft(
                clause,
                thread,
                me,
                predicate,
                name,
                says,
                relation=relation,
                kind=object_type(name, name),
                closes=predicate_ended,
            )
            return
    if clause.subject in (me, None) and (found := _MOST.match(text)) and (name := noun_phrase(found["o"])):
        says, kind = "{s}最讨厌{o}。", object_type(name, name)
        yield draft(clause, thread, me, "DISLIKES", name, says, kind=kind, strength=0.9, closes=clause.past)
        return
    if clause.subject == me and (found := _SPEAKS.match(text)):
        yield draft(clause, thread, me, "RELATES_TO", found["o"], "{s}会说{o}。", relation="speaks")
    if found := _AS_A.match(text):
        name = found["o"] or found["o2"]
        if is_job(name):
            yield draft(clause, thread, me, "RELATES_TO", name, "{s}的职业是{o}。", relation="works as", strength=0.8)


def _speaks_of_others(clause: Clause, thread: Thread) -> bool:
    return clause.subject not in (None, thread.voice.me, THE_USER) and "我" not in clause.text


def _triggers(clause: Clause, thread: Thread) -> Iterator[Draft]:
    """What always makes someone feel so."""
    found = wordings.EMOTION.match(clause.text)
    if found and (found["c"] or re.search(r"总|都会|一直", found[0])):
        emotion = EMOTIONS[found["e"]]
        name = noun_phrase(re.sub(r"^(?:每次|一)?(?:听到|看到|遇到)?", "", found["o"]))
        if name:
            predicate = "PREFERS" if emotion in PLEASANT else "DISLIKES"
            says = f"{{o}}总是让{{s}}感到{found['e']}。"
            yield draft(clause, thread, thread.voice.me, predicate, name, says, emotion=emotion)
