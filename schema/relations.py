"""Canonical labels of frequent relations, which have one value at a time, and their synonyms."""

from functools import cache
from typing import Final

from schema.ids import name_key

_SYNONYMS: Final = {
    "lives in": "live in|living in|resides in|residing in|lives at|residence|home city|current city|住在|居住在|"
    "居住于|现居|定居在|定居于|居住地|现居地",
    "works at": "works for|work at|work for|working at|employed at|employed by|employer|workplace|company|任职于|"
    "就职于|供职于|工作于|工作单位|雇主|在职于",
    "works as": "job|job title|occupation|profession|works as a|works as an|职业|职位|职务|担任|工作是|从事",
    "studies at": "study at|studying at|student at|school|university|就读于|上学于|在读于|学校",
    "married to": "spouse|is married to|配偶|结婚对象",
    "is named": "name|named|is called|名字|姓名|名字是|叫做",
    "has age": "age|年龄|岁数",
    "born on": "birthday|birth date|date of birth|birthdate|生日|出生日期|出生于",
}

# In alphabetical order, as in prompts.
RELATION_LABELS: Final = tuple(sorted(_SYNONYMS))


@cache
def _canonical() -> dict[str, str]:
    return {name_key(word): label for label, words in _SYNONYMS.items() for word in (label, *words.split("|"))}


def canonical_relation(relation: str | None) -> str | None:
    """Return the canonical label of a relation; the text itself if it has no synonyms, None if it is empty."""
    cleaned = (relation or "").strip()
    if not cleaned:
        return None
    return _canonical().get(name_key(cleaned.replace("_", " ")), cleaned)
