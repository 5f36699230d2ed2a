"""Find the profile category of a fact from its predicate, relation and kind. Pure."""

from functools import cache
from typing import Final

from extraction.text.lexicon_en import KIN as KIN_EN
from extraction.text.lexicon_zh import KIN as KIN_ZH
from schema.fact import FactKind
from schema.ids import name_key
from schema.predicates import whitelist
from schema.profile import Category


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip() for word in text.split("|"))


_WORK: Final = _words(
    "works at|works as|works in|works on|studies at|studies|graduated from|manages|founded|leads|uses|skill|project"
    "|colleague|工作|专业|毕业于|负责|管理|创办|项目|技能"
)
_GOALS: Final = _words("plan|goal|dream|promise|decision|looks forward to|wants|目标|计划|梦想|承诺|决定")
_PEOPLE: Final = _words(
    "married to|knows|met|dating|engaged to|family|relative|parent|friends with|best friend|认识|家人|亲戚"
)


def category_of(predicate: str, relation: str | None, kind: FactKind = FactKind.FACT) -> Category:
    """Return the profile category of a fact about a user or agent; PERSONAL if no other fits."""
    label = name_key(relation or "")
    rule = whitelist().get(predicate)
    if rule is not None and rule.category is not None:
        return rule.category
    if label in _GOALS or kind is FactKind.DECISION:
        return Category.GOALS
    if label in _WORK or kind is FactKind.PROCEDURE:
        return Category.WORK
    # The last word decides: "best friend", "other sister", 好朋友.
    if label in _people() or label.split(" ")[-1] in _people():
        return Category.RELATIONSHIPS
    return Category.PERSONAL


@cache
def _people() -> frozenset[str]:
    return frozenset(map(name_key, (*KIN_EN, *KIN_ZH))) - _WORK | _PEOPLE
