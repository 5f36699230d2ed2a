"""Extract objects after a Chinese verb phrase by the shape of the rule."""

import re
from collections.abc import Callable
from typing import Final

from extraction.rules.engine import ObjectPhrase, Rule, Shape
from extraction.rules.zh.phrases import goal, noun_phrase, things, without_category
from extraction.rules.zh.phrases import title as phrase_title
from extraction.rules.zh.word_classes import TIME_LIMIT
from extraction.text.lexicon_zh import (
    CHRONIC,
    FIELDS,
    JOBS,
    KIN_PATTERN,
    LANGUAGES,
    NOT_NAMES,
    OWNED,
    PASTIMES,
    PETS,
    SUBJECTS,
    TRAITS,
)
from extraction.text.name_spotting import is_nominal, word_tag
from schema.entity import EntityType

# Patterns of places, organisations, schools, jobs, belongings, illnesses, languages, ages and birthdays

_PLACE = re.compile(
    r"^(?:了|的是|是)?(?P<n>[\u4e00-\u9fffA-Za-z]{2,12}?)(?:(?:的|了|呢|以后|之后|去|来|工作|打工|上班|生活|长大|"
    r"已经|附近|这边|那边|"
    r"住|很|一段|一带|好|快|有|跟|和|与|陪|出生|[一二两三四五六七八九十几多半\d]+(?:年|个月)).*|人|市|$)"
)
NO_PLACE = re.compile(
    rf"{TIME_LIMIT}|[没不]|^[几一]|天$|家|学校|公司|这|那|外面|一起|一个人|宿舍|哪|里$|上$|边$|楼|"
    rf"朋友|医院"
)
_WORK = re.compile(
    r"^(?P<n>[^，。]{2,16}?)(?:担任|当(?!地|前)|做|工作|上班|任职|离职|辞职|跳槽|退休|被裁|毕业|出来|录用|干|$)"
)
_DOES = re.compile(
    r"(?:担任|当|做|干)(?:了|着|过)?(?:一?[名位个])?(?P<n>[\u4e00-\u9fffA-Z]{2,12}?)(?:的|了|"
    r"工作)*(?:好?[几多一二两三四五六七八九十\d]+多?年多?了?)?$"
)
_ORGANIZATION = re.compile(
    r"(?:公司|律所|医院|学校|大学|中学|小学|学院|银行|局|院|研究所|厂|店|集团|中心|部|社|馆|团队|工作室|"
    r"科技|台|事务所|机构|幼儿园|餐厅|企业|超市|基金|证券)$"
)
_NO_WORK = re.compile(
    r"当前|现在|目前|新公司|、|[我你他她它这那很]|家里?$|电脑|努力|认真|周末|晚上|白天|线上|网上|压力|"
    r"什么|里$|上$|^公司$|^学校$"
)
_JOBS = (*JOBS, *FIELDS)
_JOB = re.compile(
    r"^(?:当|做|干)?(?:了|着|一?[名位个]|退休的?|一?名退休的?)?(?P<n>[\u4e00-\u9fffA-Za-z]{2,12}?)"
    r"(?P<t>(?:这(?:一?)?行|工作|方面|方向|相关)?(?:的|了|啊|呢|"
    r"呀)*(?:好?[几多一二两三四五六七八九十\d]+多?年多?了?)?)$"
)
_SCHOOL = re.compile(r"^(?P<n>[^，。]{2,14}?)(?:上学|读书|念书|读大学|读研|上大学|就读|学习|$)")
# 十二岁的时候 is a former age.
_AGE = re.compile(
    r"^(?P<n>\d{1,3}|[一二三四五六七八九十]{1,3})(?:岁(?P<h>半)?(?!的?(?:时|那|以|之|前|后|开始|起|到|去|来|从|在|离|考|出|上|结|生日|"
    r"大寿|才|就))|了?$)"
)
_BIRTHDAY = re.compile(
    r"^(?P<n>(?:\d{2,4}年)?\d{1,2}月\d{1,2}[日号]?|"
    r"(?:[〇零一二三四五六七八九]{4}年)?[一二三四五六七八九十]{1,2}月[初一二三四五六七八九十]{1,3}[日号]?|"
    r"\d{4}年|\d{4}-\d{2}-\d{2})"
)
_PETS = "|".join(sorted(PETS, key=len, reverse=True))
_PET = re.compile(
    r"(?:[一二两三四五几]?(?:只|条|个|匹|头|对))(?:叫(?P<n2>[\u4e00-\u9fffA-Za-z]{1,6})的|"
    r"[^，。]{0,8}的)?(?P<k>[\u4e00-\u9fff]{0,3}(?:"
    + _PETS
    + r"))(?:[，,]?(?:名字叫|名叫|叫做|叫)(?P<n>[\u4e00-\u9fffA-Za-z]{2,8}))?"
)
_OWNED = re.compile(
    r"^(?:了|着|过)?(?:[一二两三四五六七八九十几\d]+(?:个|家|间|辆|套|部|台|栋|座|支|把|对|所|块|艘|架)|"
    r"一?[个家辆套台部把只条架块])?"
    r"(?:[\u4e00-\u9fff]{1,4}的)?(?P<n>[\u4e00-\u9fff]{0,3}(?:"
    + "|".join(sorted(OWNED, key=len, reverse=True))
    + r"))(?:$|了)"
)


def place(rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _PLACE.match(text)
    if found is None or NO_PLACE.search(found["n"]):
        return []
    return [ObjectPhrase(found["n"], EntityType.PLACE)]


def workplace(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return the workplace in 在医院做护士; there is none in 在医院做检查."""
    found = _WORK.match(text)
    name = re.sub(r"^一[家所个间]|(?:里|的)$", "", found["n"]) if found else ""
    if found is None or len(name) < 2 or _NO_WORK.search(name):
        return []
    does = _DOES.match(text[found.end("n") :])
    if does and not is_job(does["n"]):
        return []
    if _ORGANIZATION.search(name) and is_nominal(name):
        return [ObjectPhrase(name, EntityType.ORGANIZATION)]
    # A city is stored as "works in", so that it does not end the fact about the employer.
    if word_tag(name) in ("ns", None) and word_tag(name[:2]) == "ns":
        return [ObjectPhrase(name, EntityType.PLACE, rule.relation and "works in")]
    return [ObjectPhrase(name, EntityType.ORGANIZATION)] if is_nominal(name) and len(name) <= 6 else []


def school(rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _SCHOOL.match(text)
    name = re.sub(r"^一[家所个]", "", found["n"]) if found else ""
    if not re.search(
        r"(?:大学|中学|小学|学院|高中|初中|学校|幼儿园|北大|清华|复旦|交大|浙大)$", name
    ) or _NO_WORK.search(name):
        return []
    return [ObjectPhrase(name, EntityType.ORGANIZATION)]


def job(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return an occupation or a field of work: `高中老师`, `数据分析的`."""
    found = _JOB.match(text)
    if found is None or re.search(r"[我你他她]|的(?!$)|^一?个", found["n"]):
        return []
    if found["n"].startswith(("学", "读", "念")):
        # 是学护理的 says what somebody studies.
        return []
    # 做测试的 and 做测试三年了 name a job, 我做了测试 does not.
    known = found["n"].endswith(tuple(JOBS)) or (found["t"] and found["n"].endswith(FIELDS))
    return [ObjectPhrase(found["n"], EntityType.TOPIC)] if known else []


def title(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return the new job of someone, by its name or field: `转行做设计`."""
    found = _JOB.match(text)
    fits = found is not None and is_job(found["n"]) and not re.search(r"[我你他她]", found["n"])
    return [ObjectPhrase(found["n"], EntityType.TOPIC)] if found and fits else []


def is_job(name: str) -> bool:
    """Return whether a phrase names an occupation."""
    return name.endswith(_JOBS) and "的" not in name


def age(rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _AGE.match(text)
    return [ObjectPhrase(f"{found['n']}岁{found['h'] or ''}", EntityType.TIME)] if found else []


def birthday(rule: Rule, text: str) -> list[ObjectPhrase]:
    found = _BIRTHDAY.match(text)
    return [ObjectPhrase(found["n"], EntityType.TIME)] if found else []


def pets(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return animals, with their names if the text has them: `两只猫`, `一只小狗叫豆豆`."""
    found: list[ObjectPhrase] = []
    if text in PETS:
        return [ObjectPhrase(text, EntityType.ANIMAL)]
    for match in _PET.finditer(text):
        kind = re.sub(r"^[^，。]*的", "", match["k"])
        name = match["n"] or match["n2"]
        found.append(ObjectPhrase(name or kind, EntityType.ANIMAL, kind if name else None))
    return found


def owned(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return people and things that someone has: `三个孩子`, `一家面包店`, `老沃尔沃`."""
    found: list[ObjectPhrase] = []
    text = re.split(r"[，。]|(?:卖|送人|处理)(?:掉|了)|了$", text)[0]
    text = re.sub(r"(?:去年|今年|前年|上个?月|上周|早就|已经|刚|最近|前段时间)+$", "", text)
    for piece in re.split(r"和|、|跟|以及|还有", text)[:4]:
        match = _OWNED.match(piece)
        if match is None or re.search(r"[我你他她这那哪谁]|什么|没|有", match["n"]):
            break
        found.append(ObjectPhrase(match["n"], None))
    return found


def taught(rule: Rule, text: str) -> list[ObjectPhrase]:
    match = re.search(r"教(?:了[^，]{1,4}年)?(?P<n>" + _alternatives(SUBJECTS) + r")", text)
    return [ObjectPhrase(match["n"], EntityType.TOPIC)] if match else []


def subject(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return a field of study, not a book: `计算机`, `海洋生物学的博士`."""
    match = re.match(r"(?P<n>" + _alternatives(SUBJECTS) + r")(?:专业|系|的|了|$|博士|硕士|本科|研究生)", text)
    return [ObjectPhrase(match["n"], EntityType.TOPIC)] if match else []


def language(rule: Rule, text: str) -> list[ObjectPhrase]:
    text = re.split(r"[。！？]", text)[0]
    names: list[str] = re.findall(_alternatives(LANGUAGES), text)
    found: list[ObjectPhrase] = [ObjectPhrase(name, EntityType.TOPIC) for name in dict.fromkeys(names)]
    return found[:6]


def pastime(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return a pastime; 打篮球扭了脚 is a single event."""
    match = re.match(
        r"(?P<n>" + _alternatives(PASTIMES) + r")(?:的|了)?(?:好?[几多一二两三四五六七八九十\d]+多?年多?了?)?$", text
    )
    return [ObjectPhrase(match["n"], EntityType.ACTIVITY)] if match else []


def trait(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return a trait of a person; it must end the clause, because 单身公寓 is not a trait."""
    match = re.match(r"(?P<n>" + _alternatives(TRAITS) + r")(?:的人|的|了|哦|啊|呢|很久了|好[几多]年了?|人士)*$", text)
    return [ObjectPhrase(match["n"], EntityType.TOPIC)] if match else []


def condition(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return lasting illnesses, not a cold."""
    match = re.match(
        r"(?P<n>(?:[一二]型|慢性|过敏性|先天性|轻度|重度|妊娠|急性)?(?:" + _alternatives(CHRONIC) + r"))", text
    )
    return [ObjectPhrase(match["n"], EntityType.TOPIC)] if match else []


def address(rule: Rule, text: str) -> list[ObjectPhrase]:
    name = re.split(r"[，。！？；]", text)[0].strip()
    fits = 4 <= len(name) <= 30 and re.search(r"\d|路|街|区|栋|号|弄|巷|村", name)
    return [ObjectPhrase(name, EntityType.PLACE)] if fits else []


# Characters that spell foreign names: 曼彻斯特, 奥斯陆.
_FOREIGN: Final = frozenset(
    "阿埃艾安奥巴贝比彼波伯布查茨达戴德迪蒂顿多恩尔法菲佛弗夫福盖戈格古哈海汉赫霍基吉加贾杰卡坎康考科克肯库拉莱兰朗劳雷里利列林卢鲁伦罗"
    "洛马迈曼梅门蒙米密莫姆穆纳奈内尼纽诺帕佩皮普奇恰切萨塞桑森沙山舍圣施史斯苏索塔泰坦特提廷图托瓦维韦温文沃乌西希夏谢辛休雅亚延扬耶伊因英"
    "尤约泽扎詹兹佐滋彻陆堡"
)


def transliterated(name: str) -> bool:
    """Return whether a name of three or more characters, which the dictionary lacks, spells a foreign one."""
    return len(name) >= 3 and _FOREIGN.issuperset(name) and word_tag(name) in (None, "nr", "nrt", "ns")


def known_place(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return a place that the dictionary lists, or whose last character marks a place, such as 区 or 路."""
    return [
        one
        for one in place(rule, text)
        if word_tag(one[0]) == "ns"
        or word_tag(one[0][:2]) == "ns"
        or re.search(r"[区县镇村乡路街屯]$|小区|花园", one[0])
        or transliterated(one[0])
    ]


def _alternatives(words: tuple[str, ...]) -> str:
    return "(?:" + "|".join(words) + ")"


_SIGHT = re.compile(r"(?:公园|博物馆|美术馆|动物园|山|湖|寺|岛|古镇|景区|植物园|海洋馆|大学)$")
_AFTER_FOR = re.compile(
    r"(?:也|都|很|非常|特别|比较|十分|有点|一直|完全|实在|真|就|真的|已经|彻底|最){0,3}(?:严重)?(?:过敏|"
    r"感兴趣|情有独钟|着迷|有兴趣|"
    r"充满热情|上瘾|痴迷|入迷|很有感情|不感兴趣|没(?:什么|啥|有|多大|太大)?兴趣|无感|不感冒|没(?:什么|"
    r"啥)?(?:好感|感觉)(?!了)|反感|有?阴影|有?恐惧|"
    r"没(?:有)?感觉|失去了?兴趣|腻了|(?:的?(?:资深|老|铁|骨灰级|头号|铁杆|死忠))?(?:粉丝|(?<=[铁老死骨])粉|迷|爱好者|"
    r"控|"
    r"发烧友|重度用户)了?$|迷得|"
    r"的?(?:忠实)?(?:粉丝|影迷|歌迷|球迷|书迷)(?!得)).*"
)


_SPORT = re.compile(r"^[攀登爬]|[跑步泳]$")


def object_type(name: str, said: str) -> EntityType | None:
    """Return WORK if `said` has a title in 《》, ANIMAL for a kind of pet, PLACE by the dictionary; else None."""
    if phrase_title(said):
        return EntityType.WORK
    if name in PETS:
        return EntityType.ANIMAL
    # The dictionary has 攀岩, 登山 and 长跑 as places.
    return EntityType.PLACE if word_tag(name) == "ns" and not _SPORT.search(name) else None


def visited_place(text: str) -> str | None:
    """Return the place that someone went to, if it is named."""
    name = re.sub(r"^(?:了|的是|过)|(?:旅游|旅行|玩)$", "", text)
    if name in NOT_NAMES or NO_PLACE.search(name) or name[:1] in "一几好这那附":
        return None
    sight = len(name) >= 4 and _SIGHT.search(name) and not re.search(r"的|新开", name) and is_nominal(name)
    return name if sight or word_tag(name) == "ns" else None


def objects(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return the normalized objects in the text after the verb phrase of a rule; empty if none is clear."""
    return _BY_SHAPE[rule.shape](rule, text)


# Places, not things: 在海滩、山脉和湖泊附近拍摄.
_SOMEWHERE = re.compile(r"在(?![^，、和]{1,8}(?:里|上|边|家)[^，、]{2,})")


def _things(rule: Rule, text: str) -> list[ObjectPhrase]:
    if (
        text.startswith(("的", "极", "得", "死", "过的", "这", "那", "它"))
        or _SOMEWHERE.match(text)
        or re.match("过(?!年|节|冬|生日|家家)", text)
        or re.search(r"自己(?!的)", text)
    ):
        return []
    text = re.sub(r"^(?:一?[个名位])(?=.{2})", "", _AFTER_FOR.sub("", text))
    return [ObjectPhrase(name, rule.object_type or object_type(name, text)) for name in things(without_category(text))]


_WORRIED = re.compile(
    r"(?:的事情?|的问题)?(?:而|一直|很|特别|都|总是?|非常|也|比较){0,3}(?:发愁|操心|担心|烦恼|焦虑|犯愁|"
    r"发慌|操碎了心|愁得|担忧|不安|睡不着|"
    r"关心|在意|重视|上心|看重|有要求).*"
)


# Worries that pass within a day.
_PASSING = re.compile(r"明天|今天|今晚|下雨|来不及|迟到|赶不上|堵车|感到|觉得|感觉")


def _worry(rule: Rule, text: str) -> list[ObjectPhrase]:
    text = re.sub(r"^我们?的?(?=" + KIN_PATTERN + ")", "", _WORRIED.sub("", text))
    text = re.split(r"可能|会|将|太|过(?!敏)|不|是否|被|没|变", text)[0]
    name = noun_phrase(text)
    passing = name is None or len(name) < 2 or _PASSING.search(name)
    return [] if name is None or passing else [ObjectPhrase(name, None)]


def _goal(rule: Rule, text: str) -> list[ObjectPhrase]:
    name = goal(text, weak=rule.shape == "wish", any_verb=rule.shape == "aim")
    return [ObjectPhrase(name, EntityType.ACTIVITY)] if name else []


_TO_WHOM = re.compile(
    r"^(?:了|过|好了?)?(?:给|跟|和|对|向)?(?:我的?|自己|他|她)?(?:" + KIN_PATTERN + r")?"
    r"(?:，|,|：|:)?(?:要|会|以后|一定|说)*"
)


def _promise(rule: Rule, text: str) -> list[ObjectPhrase]:
    """Return a promise, including the person it is made to: `每周日给她打电话`."""
    name = re.split(r"[，。！？；：…!?;~～]", _TO_WHOM.sub("", text))[0]
    name = re.sub(r"(?:了|啊|呢|吧|呀|的)+$", "", name)
    name = re.sub(r"(?<=[\u4e00-\u9fff])(?:一个|一本|一位|一名)", "", name) if len(name) > 12 else name
    if not 3 <= len(name) <= 14 or re.search(
        r"你|您|什么|怎么|这|那|事情$|^我|^没|^是|^真|^有|完成任务|[见聊说]$|改正", name
    ):
        return []
    return [ObjectPhrase(name, EntityType.ACTIVITY)]


def _nothing(_rule: Rule, _text: str) -> list[ObjectPhrase]:
    return []


_BY_SHAPE: dict[Shape, Callable[[Rule, str], list[ObjectPhrase]]] = {
    "things": _things,
    "goal": _goal,
    "wish": _goal,
    "promise": _promise,
    "worry": _worry,
    "aim": _goal,
    "place": place,
    "known place": known_place,
    "workplace": workplace,
    "school": school,
    "job": job,
    "age": age,
    "birthday": birthday,
    "pet": pets,
    "owned": owned,
    "taught": taught,
    "subject": subject,
    "language": language,
    "pastime": pastime,
    "trait": trait,
    "condition": condition,
    "address": address,
    # Shapes of English rules only.
    "named": _nothing,
    "gift": _nothing,
    "event": _nothing,
    "person": _nothing,
    "title": title,
    "firm": _nothing,
}
