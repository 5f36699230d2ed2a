"""From the words after a Chinese verb to objects of facts, by the shape a rule asks for."""

import re
from collections.abc import Callable

from extraction.names import is_nominal, word_tag
from extraction.phrases_zh import goal, noun_phrase, things, title, without_category
from extraction.rule import Rule, Shape
from extraction.words_zh import JOBS, KIN, NOT_NAMES, PETS
from schema.entity import EntityType

_SIGHT = re.compile(r"(?:公园|博物馆|美术馆|动物园|山|湖|寺|岛|古镇|景区|植物园|海洋馆|大学)$")
# Name, relation, type.
Found = list[tuple[str, str | None, EntityType | None]]
_AFTER_FOR = re.compile(
    r"(?:也|都|很|非常|特别|比较|十分|有点|一直)?(?:严重)?(?:过敏|感兴趣|情有独钟|着迷|有兴趣|充满热情|"
    r"的?(?:忠实)?(?:粉丝|影迷|歌迷|球迷|书迷)).*"
)
_PLACE = re.compile(
    r"^(?:了|的是|是)?(?P<n>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:(?:的|了|工作|上班|生活|长大|已经|附近|这边|那边|"
    r"住|很|一段|一带|好|快|有).*|人|市|$)"
)
_NO_PLACE = re.compile(r"^一|家|学校|公司|这|那|外面|一起|一个人|宿舍|哪|里$|上$|边$|楼|朋友|医院")
_WORK = re.compile(r"^(?P<n>[^，。]{2,16}?)(?:担任|当(?!地|前)|做|工作|上班|任职|$)")
_ORGANIZATION = re.compile(
    r"(?:公司|律所|医院|学校|大学|中学|小学|学院|银行|局|院|研究所|厂|店|集团|中心|部|社|馆|团队|工作室|"
    r"科技|台|事务所|机构|幼儿园|餐厅|企业|超市|基金|证券)$"
)
_NO_WORK = re.compile(
    r"当前|现在|目前|新公司|、|[我你他她它这那很]|家里?$|电脑|努力|认真|周末|晚上|白天|线上|网上|压力|"
    r"什么|里$|上$|^公司$|^学校$"
)
_SCHOOL = re.compile(r"^(?P<n>[^，。]{2,14}?)(?:上学|读书|念书|读大学|读研|上大学|就读|学习|$)")
_AGE = re.compile(r"^(?P<n>\d{1,3}|[一二三四五六七八九十]{1,3})岁")
_BIRTHDAY = re.compile(
    r"^(?P<n>(?:\d{2,4}年)?\d{1,2}月\d{1,2}[日号]?|"
    r"(?:[〇零一二三四五六七八九]{4}年)?[一二三四五六七八九十]{1,2}月[初一二三四五六七八九十]{1,3}[日号]?|"
    r"\d{4}年|\d{4}-\d{2}-\d{2})"
)
_PETS = "|".join(sorted(PETS, key=len, reverse=True))
_PET = re.compile(
    r"(?:[一二两三四五几]?(?:只|条|个|匹|头|对))(?:[^，。]{0,8}的)?(?P<k>[\u4e00-\u9fff]{0,3}(?:"
    + _PETS
    + r"))(?:[，,]?(?:名字叫|名叫|叫做|叫)(?P<n>[\u4e00-\u9fffA-Za-z]{2,8}))?"
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
    if name in NOT_NAMES or _NO_PLACE.search(name) or name[:1] in "一几好这那附":
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
    text = _AFTER_FOR.sub("", text)
    return [
        (name, rule.relation, rule.object_type or object_type(name, text)) for name in things(without_category(text))
    ]


def _worry(rule: Rule, text: str) -> Found:
    text = re.split(r"可能|会|将|太|过|不|是否|被|没|变", text)[0]
    name = noun_phrase(text)
    return [(name, rule.relation, None)] if name and len(name) > 1 else []


def _goal(rule: Rule, text: str) -> Found:
    name = goal(text, weak=rule.shape == "wish")
    return [(name, rule.relation, EntityType.ACTIVITY)] if name else []


def _promise(rule: Rule, text: str) -> Found:
    words = "|".join(sorted(KIN, key=len, reverse=True))
    text = re.sub(r"^(?:了|过)?(?:我的?|自己|他|她)?(?:" + words + r")?(?:要|会|以后|一定|说)*", "", text)
    name = goal(text, weak=False)
    return [(name, rule.relation, EntityType.ACTIVITY)] if name else []


def _place(rule: Rule, text: str) -> Found:
    found = _PLACE.match(text)
    if found is None or _NO_PLACE.search(found["n"]):
        return []
    return [(found["n"], rule.relation, EntityType.PLACE)]


def _workplace(rule: Rule, text: str) -> Found:
    found = _WORK.match(text)
    name = re.sub(r"^一[家所个间]|(?:里|的)$", "", found["n"]) if found else ""
    if len(name) < 2 or _NO_WORK.search(name):
        return []
    if _ORGANIZATION.search(name) and is_nominal(name):
        return [(name, rule.relation, EntityType.ORGANIZATION)]
    # In a city, not at a firm: it must not close the place where someone is employed.
    if word_tag(name) in ("ns", None) and word_tag(name[:2]) == "ns":
        return [(name, rule.relation and "works in", EntityType.PLACE)]
    return [(name, rule.relation, EntityType.ORGANIZATION)] if is_nominal(name) and len(name) <= 6 else []


def _school(rule: Rule, text: str) -> Found:
    found = _SCHOOL.match(text)
    name = re.sub(r"^一[家所个]", "", found["n"]) if found else ""
    if not re.search(
        r"(?:大学|中学|小学|学院|高中|初中|学校|幼儿园|北大|清华|复旦|交大|浙大)$", name
    ) or _NO_WORK.search(name):
        return []
    return [(name, rule.relation, EntityType.ORGANIZATION)]


def _job(rule: Rule, text: str) -> Found:
    found = re.match(r"^(?:当|做|干)?(?:一?[名位个])?(?P<n>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:的|了|啊|呢|呀)?$", text)
    if found is None or not found["n"].endswith(tuple(JOBS)) or re.search(r"[我你他她]|的", found["n"]):
        return []
    return [(found["n"], rule.relation, EntityType.TOPIC)]


def _age(rule: Rule, text: str) -> Found:
    found = _AGE.match(text)
    return [(found[0], rule.relation, EntityType.TIME)] if found else []


def _birthday(rule: Rule, text: str) -> Found:
    found = _BIRTHDAY.match(text)
    return [(found["n"], rule.relation, EntityType.TIME)] if found else []


def _pet(rule: Rule, text: str) -> Found:
    pets: Found = []
    for found in _PET.finditer(text):
        kind = re.sub(r"^[^，。]*的", "", found["k"])
        pets.append((found["n"] or kind, kind if found["n"] else rule.relation, EntityType.ANIMAL))
    return pets


def _nothing(_rule: Rule, _text: str) -> Found:
    return []


_BY_SHAPE: dict[Shape, Callable[[Rule, str], Found]] = {
    "things": _things,
    "goal": _goal,
    "wish": _goal,
    "promise": _promise,
    "worry": _worry,
    "place": _place,
    "workplace": _workplace,
    "school": _school,
    "job": _job,
    "age": _age,
    "birthday": _birthday,
    "pet": _pet,
    # Shapes that only English rules ask for.
    "named": _nothing,
    "gift": _nothing,
    "event": _nothing,
    "person": _nothing,
}
