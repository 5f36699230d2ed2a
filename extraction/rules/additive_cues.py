"""Find cues that a fact adds to others of its kind ("also", 也), or replaces them ("switched to", 换成). Pure."""

import re
from collections.abc import Iterable
from typing import Final

from extraction.text.lexicon_en import ANY_MONTH
from extraction.text.lexicon_zh import FORMERLY
from extraction.text.toml_files import patterns_of, toml_of
from schema.predicates import TASTES

_TABLES: Final = toml_of("extraction.rules", "additive_cues.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], {**_TABLES["parts"], "month": ANY_MONTH, "formerly": FORMERLY})
_SENTENCE: Final = re.compile(r"[^.!?;。！？；\n]+(?:\.(?=\S)[^.!?;。！？；\n]*)*")


def is_additive(clause: str, *, predicate: str, name: str) -> bool:
    """Return whether the fact of a clause adds to known facts rather than replaces them.

    Args:
        name: object, as written in the clause.
    """
    if _PATTERNS["changed"].search(clause):
        return False
    place = clause.casefold().find(name.casefold())
    tail = clause[place + len(name) :] if place >= 0 else ""
    if predicate in TASTES:
        head = clause[: max(place, 0)]
        at_times = _PATTERNS["at_times"].match(tail) or _PATTERNS["at_times_zh"].search(head)
        return bool(at_times or _PATTERNS["allergic"].search(clause) or _PATTERNS["still"].search(clause))
    return bool(
        _PATTERNS["also"].search(clause) or _PATTERNS["part_of_work"].search(name) or _PATTERNS["then_part"].match(tail)
    )


def says_replaced(statement: str, texts: Iterable[str], name: str) -> bool:
    """Return whether the statement of a fact, or a sentence of its evidence that names the value, reports a change.

    Args:
        texts: its evidence messages.
        name: object of the fact.
    """
    if _PATTERNS["replaced"].search(statement):
        return True
    if _PATTERNS["one_more"].search(statement):
        return False
    return bool(_PATTERNS["new"].search(statement)) or any(
        _PATTERNS["replaced"].search(one) for text in texts for one in _sentences_with(name, text)
    )


def is_one_of_several(statement: str, name: str) -> bool:
    """Return whether the statement of a fact marks its value as one of several or as a former one."""
    if _PATTERNS["replaced"].search(statement):
        return False
    near = _sentences_with(name, statement) or [statement]
    return any(
        _PATTERNS["one_more"].search(one) or (_PATTERNS["former"].search(one) and not _PATTERNS["new"].search(one))
        for one in near
    )


def _sentences_with(name: str, text: str) -> list[str]:
    """Return the sentences of a text that contain a name."""
    name = name.casefold()
    if name not in text.casefold():
        return []
    return [one for one in _SENTENCE.findall(text) if name in one.casefold()]
