"""Facts that Chinese rules of several modules state, such as 住在."""

from typing import Final

from extraction.rules.zh.slot_cleaners import (
    allergen,
    any_employer,
    any_name,
    drug,
    employer,
    event,
    home,
    illness,
    job,
    liked,
    owned,
    plan,
    promise,
    school,
    thing,
    town,
    value,
    years,
)
from extraction.rules.zh.slots import Says
from schema.entity import EntityType

LIVES: Final = Says(obj="o", relation="lives in", says="{s}住在{o}。", clean=home, kind=EntityType.PLACE)
LIVES_TOWN: Final = Says(obj="o", relation="lives in", says="{s}住在{o}。", clean=town, kind=EntityType.PLACE)
WORKS_AT: Final = Says(
    obj="o", relation="works at", says="{s}在{o}工作。", clean=any_employer, kind=EntityType.ORGANIZATION, strength=0.8
)
# The place in a clause about a job, if it is an employer: 在药房当药师.
EMPLOYER_OF_JOB: Final = Says(
    obj="w",
    relation="works at",
    says="{s}在{o}工作。",
    clean=employer,
    kind=EntityType.ORGANIZATION,
    needed=False,
)
STUDIES_AT: Final = Says(
    obj="o", relation="studies at", says="{s}在{o}上学。", clean=school, kind=EntityType.ORGANIZATION
)
IS_NAMED: Final = Says(
    obj="n", relation="{k}", says="{o}是{s}的{k}。", clean=any_name, kind=EntityType.PERSON, strength=0.8
)
ENGAGED: Final = Says(
    obj="n", relation="engaged to", says="{s}和{o}订婚了。", clean=any_name, kind=EntityType.PERSON, strength=0.9
)
MARRIED: Final = Says(
    obj="n", relation="married to", says="{s}和{o}结婚了。", clean=any_name, kind=EntityType.PERSON, strength=0.9
)
HAS_AGE: Final = Says(obj="o", relation="has age", says="{s}{o}。", clean=years, kind=EntityType.TIME)
HAS_THING: Final = Says(obj="o", relation="has", says="{s}有{o}。", clean=thing)
HAS_ILLNESS: Final = Says(
    obj="o", relation="has", says="{s}有{o}。", clean=illness, kind=EntityType.TOPIC, strength=0.8
)
ALLERGIC: Final = Says(obj="o", predicate="DISLIKES", says="{s}对{o}过敏。", clean=allergen, strength=0.95)
CANNOT_HAVE: Final = Says(obj="o", predicate="DISLIKES", says="{s}不能碰{o}。", clean=allergen, strength=0.95)
TAKES: Final = Says(obj="o", relation="takes", says="{s}服用{o}。", clean=drug, strength=0.8)
TAKES_NOW: Final = Says(obj="b", relation="takes", says="{s}改用{o}。", clean=drug, strength=0.8)
STOPPED: Final = Says(obj="o", relation="takes", says="{s}不再服用{o}。", clean=drug, strength=0.8, closes=True)
TOOK_BEFORE: Final = Says(
    obj="a", relation="takes", says="{s}不再服用{o}。", clean=drug, strength=0.8, closes=True, needed=False
)
ENJOYS: Final = Says(obj="o", predicate="PREFERS", says="{s}喜欢{o}。", clean=liked)
NO_LONGER_USES: Final = Says(obj="a", relation="uses", says="{s}不再用{o}。", clean=thing, closes=True)
ATTRIBUTE_IS: Final = Says(obj="b", relation="{k}", says="{s}的{k}是{o}。", clean=thing, strength=0.8)
ATTRIBUTE_WAS: Final = Says(obj="a", relation="{k}", says="{s}的{k}不再是{o}。", clean=thing, closes=True, needed=False)
WORKS_SHIFT: Final = Says(obj="b", relation="班次", says="{s}上{o}。", clean=value)
NO_LONGER_WORKS_SHIFT: Final = Says(obj="a", relation="班次", says="{s}不再上{o}。", clean=value, closes=True)
PLANS: Final = Says(
    obj="o", predicate="CARES_ABOUT", relation="plan", says="{s}打算{o}。", clean=plan, kind=EntityType.ACTIVITY
)
HAS_EVENT: Final = Says(
    obj="o", predicate="CARES_ABOUT", relation="plan", says="{s}的计划：{o}。", clean=event, kind=EntityType.ACTIVITY
)
PROMISES: Final = Says(
    obj="o",
    predicate="CARES_ABOUT",
    relation="promise",
    says="{s}答应{o}。",
    clean=promise,
    kind=EntityType.ACTIVITY,
    strength=0.8,
)
VALUE_IS: Final = Says(obj="o", relation="{k}", says="{s}的{k}是{o}。", clean=value)
WORKS_AS_BESIDE: Final = Says(
    obj="j", relation="works as", says="{s}的职业是{o}。", clean=job, needed=False, strength=0.8
)
STUDIES: Final = Says(obj="o", relation="studies", says="{s}在学{o}。", clean=value, kind=EntityType.TOPIC)
HAS_OWNED: Final = Says(obj="o", relation="has", says="{s}有{o}。", clean=owned, strength=0.7)
PET_IS_NAMED: Final = Says(
    obj="n", relation="{k}", says="{o}是{s}的{k}。", clean=any_name, kind=EntityType.ANIMAL, strength=0.8
)
