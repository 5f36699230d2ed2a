"""From the words after a Chinese verb to objects of facts, by the shape a rule asks for."""

import re
from collections.abc import Callable

from extraction import objects_life_zh as life
from extraction.names import is_nominal, word_tag
from extraction.objects_life_zh import Found
from extraction.phrases_zh import goal, noun_phrase, things, title, without_category
from extraction.rule import Rule, Shape
from extraction.words_zh import KIN, NOT_NAMES, PETS
from schema.entity import EntityType

_SIGHT = re.compile(r"(?:公园|博物馆|美术馆|动物园|山|湖|寺|岛|古镇|景区|植物园|海洋馆|大学)$")
_AFTER_FOR = re.compile(
    r"(?:也|都|很|非常|特别|比较|十分|有点|一直|完全|实在|真|就|真的|已经|彻底|最){0,3}(?:严重)?(?:过敏|"
    r"感兴趣|情有独钟|着迷|有兴趣|"
    r"充满热情|上瘾|痴迷|入迷|很有感情|不感兴趣|没(?:什么|啥|有|多大|太大)?兴趣|无感|不感冒|没(?:什么|"
    r"啥)?(?:好感|感觉)(?!了)|反感|有?阴影|有?恐惧|"
    r"没(?:有)?感觉|失去了?兴趣|腻了|(?:的?(?:资深|老|铁|骨灰级|头号|铁杆|死忠))?(?:粉丝?|迷|爱好者|控|"
    r"发烧友|重度用户)了?$|迷得|"
    r"的?(?:忠实)?(?:粉丝|影迷|歌迷|球迷|书迷)(?!得)).*"
)


def object_type(name: str, said: str) -> EntityType | None:
    """What sort of thing a name names, as far as its characters tell."""
    if title(said):
        return EntityType.WORK
    if name in PETS:
        return EntityType.ANIMAL
    return EntityType.PLACE if word_tag(name) == "ns" else None


def visited_place(text: str) -> str | None:
    """The place someone went to, if the words name a place of its own."""
    name = re.sub(r"^(?:了|的是|过)|(?:旅游|旅行|玩)$", "", text)
    if name in NOT_NAMES or life.NO_PLACE.search(name) or name[:1] in "一几好这那附":
        return None
    sight = len(name) >= 4 and _SIGHT.search(name) and not re.search(r"的|新开", name) and is_nominal(name)
    return name if sight or word_tag(name) == "ns" else None


def objects(rule: Rule, text: str) -> Found:
    """The objects that a rule finds in a text, cleaned; empty when they are not clear."""
    return _BY_SHAPE[rule.shape](rule, text)


# "在海滩、山脉和湖泊附近拍摄" lists places, not things.
_SOMEWHERE = re.compile(r"在(?![^，、和]{1,8}(?:里|上|边|家)[^，、]{2,})")


def _things(rule: Rule, text: str) -> Found:
    if (
        text.startswith(("的", "极", "得", "死", "过的", "这", "那", "它"))
        or _SOMEWHERE.match(text)
        or re.search(r"自己(?!的)", text)
    ):
        return []
    text = re.sub(r"^(?:一?[个名位])(?=.{2})", "", _AFTER_FOR.sub("", text))
    return [
        (name, rule.relation, rule.object_type or object_type(name, text)) for name in things(without_category(text))
    ]


_WORRIED = re.compile(
    r"(?:的事情?|的问题)?(?:而|一直|很|特别|都|总是?|非常|也|比较){0,3}(?:发愁|操心|担心|烦恼|焦虑|犯愁|"
    r"发慌|操碎了心|愁得|担忧|不安|睡不着|"
    r"关心|在意|重视|上心|看重|有要求).*"
)


# What worries for a day.
_PASSING = re.compile(r"明天|今天|今晚|下雨|来不及|迟到|赶不上|堵车|感到|觉得|感觉")


def _worry(rule: Rule, text: str) -> Found:
    text = re.sub(r"^我们?的?(?=" + "|".join(KIN) + ")", "", _WORRIED.sub("", text))
    text = re.split(r"可能|会|将|太|过(?!敏)|不|是否|被|没|变", text)[0]
    name = noun_phrase(text)
    passing = name is None or len(name) < 2 or _PASSING.search(name)
    return [] if name is None or passing else [(name, rule.relation, None)]


def _goal(rule: Rule, text: str) -> Found:
    name = goal(text, weak=rule.shape == "wish", any_verb=rule.shape == "aim")
    return [(name, rule.relation, EntityType.ACTIVITY)] if name else []


_TO_WHOM = re.compile(
    r"^(?:了|过|好了?)?(?:给|跟|和|对|向)?(?:我的?|自己|他|她)?(?:"
    + "|".join(sorted(KIN, key=len, reverse=True))
    + r")?"
    r"(?:，|,|：|:)?(?:要|会|以后|一定|说)*"
)


def _promise(rule: Rule, text: str) -> Found:
    """What was promised, with whom it is done for: `每周日给她打电话`."""
    name = re.split(r"[，。！？；：…!?;~～]", _TO_WHOM.sub("", text))[0]
    name = re.sub(r"(?:了|啊|呢|吧|呀|的)+$", "", name)
    name = re.sub(r"(?<=[\u4e00-\u9fff])(?:一个|一本|一位|一名)", "", name) if len(name) > 12 else name
    if not 3 <= len(name) <= 14 or re.search(
        r"你|您|什么|怎么|这|那|事情$|^我|^没|^是|^真|^有|完成任务|[见聊说]$|改正", name
    ):
        return []
    return [(name, rule.relation, EntityType.ACTIVITY)]


def _nothing(_rule: Rule, _text: str) -> Found:
    return []


_BY_SHAPE: dict[Shape, Callable[[Rule, str], Found]] = {
    "things": _things,
    "goal": _goal,
    "wish": _goal,
    "promise": _promise,
    "worry": _worry,
    "aim": _goal,
    "place": life.place,
    "known place": life.known_place,
    "workplace": life.workplace,
    "school": life.school,
    "job": life.job,
    "age": life.age,
    "birthday": life.birthday,
    "pet": life.pets,
    "owned": life.owned,
    "taught": life.taught,
    "subject": life.subject,
    "language": life.language,
    "pastime": life.pastime,
    "trait": life.trait,
    "condition": life.condition,
    "address": life.address,
    # Shapes that only English rules ask for.
    "named": _nothing,
    "gift": _nothing,
    "event": _nothing,
    "person": _nothing,
    "title": life.title,
    "firm": _nothing,
}
