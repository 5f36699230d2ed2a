"""Detect which value or attribute of a person a question asks for, and whether a text holds one. Pure.

"What does the insurance cost?" can only be answered by a text with an amount of money, and "What is the dentist's
name?" by one with a name that the question does not contain. A text that holds the topic but no such value is not an
answer.

"Where does Ana live?" and "we moved again, Madrid this time" share no word, but both are about a home. Statements
about one attribute of one person replace each other, so the latest of them counts.

Texts are English or Chinese; questions for the home are also German, French, Spanish or Japanese.
"""

import re
from collections.abc import Collection, Iterator
from enum import StrEnum
from typing import Final

from extraction.temporal.phrases import plain_apostrophes
from extraction.text.cues import gives_reason
from extraction.text.lexicon_en import ANY_MONTH, word_set
from extraction.text.lexicon_en import KIN_PATTERN as KIN_EN
from extraction.text.lexicon_zh import JOBS as JOBS_ZH
from extraction.text.lexicon_zh import KIN as KIN_WORDS_ZH
from extraction.text.lexicon_zh import KIN_PATTERN as KIN_ZH
from extraction.text.lexicon_zh import PETS as PETS_ZH
from extraction.text.name_spotting import chinese_name_at, word_tag
from extraction.text.sentences import has_cjk
from extraction.text.toml_files import patterns_of, toml_of

# Questions and texts are searched up to these lengths only: longer texts contain values of every kind.
_QUESTION_CHARS_MAX: Final = 400
_CHARS_MAX: Final = 2_000


class ValueKind(StrEnum):
    """Kind of value that a question asks for."""

    MONEY = "money"
    AGE = "age"
    DURATION = "duration"
    CLOCK = "clock"
    DATE = "date"
    CODE = "code"
    COUNT = "count"
    NAME = "name"
    PERSON = "person"
    PLACE = "place"
    COLOUR = "colour"
    REASON = "reason"


class Attribute(StrEnum):
    """An attribute of which a person has one value at a time."""

    NUMBER = "number"
    WORK = "work"
    HOME = "home"
    VEHICLE = "vehicle"
    MEDICINE = "medicine"
    DIET = "diet"


_WORDS: Final = toml_of("extraction", "answer_values.toml")
_PARTS: Final = {**_WORDS["parts"], "month": ANY_MONTH, "kin_en": KIN_EN, "kin_zh": KIN_ZH}
_ASKED: Final = patterns_of(_WORDS["asked"], _PARTS)
_HELD: Final = patterns_of(_WORDS["held"], _PARTS)
_ATTRIBUTES_ASKED: Final = patterns_of(_WORDS["attributes_asked"], _PARTS)
_ATTRIBUTES_STATED: Final = patterns_of(_WORDS["attributes_stated"], _PARTS)
_NAMES: Final = patterns_of(_WORDS["names"], {})
# A name after a word for a person or a pet: 哥哥建平, 外甥女朵朵.
_TIES_ZH: Final = re.compile("|".join(sorted({*KIN_WORDS_ZH, *JOBS_ZH, *PETS_ZH}, key=len, reverse=True)))
_NO_NAMES: Final = word_set(_WORDS["no_names"])


def value_asked(question: str) -> ValueKind | None:
    """Return the kind of value that a question asks for; None if it asks for something else, such as a description."""
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    return next((ValueKind(kind) for kind, pattern in _ASKED.items() if pattern.search(text)), None)


def attribute_asked(question: str) -> Attribute | None:
    """Return the attribute that a question asks for ("where do I live?", 我开什么车), or None."""
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    return next((Attribute(name) for name, pattern in _ATTRIBUTES_ASKED.items() if pattern.search(text)), None)


def states_attribute(text: str, attribute: Attribute) -> bool:
    """Return whether a text may state a value of an attribute."""
    return _ATTRIBUTES_STATED[attribute].search(plain_apostrophes(text[:_CHARS_MAX])) is not None


def holds_value(text: str, kind: ValueKind, known: Collection[str] = ()) -> bool:
    """Return whether a text holds a value of a kind.

    Args:
        known: words in lower case that are no answer, because the question contains them or they name the user.
    """
    text = text[:_CHARS_MAX]
    simple = plain_apostrophes(text)
    match kind:
        case ValueKind.REASON:
            return gives_reason(simple)
        case ValueKind.NAME:
            return _names_something(text, simple, known)
        case ValueKind.PERSON:
            return _names_something(text, simple, known) or _HELD[kind].search(simple) is not None
        case ValueKind.PLACE:
            return _names_something(text, "", known) or _HELD[kind].search(simple) is not None
        case _:
            return _HELD[ValueKind.COUNT if kind is ValueKind.AGE else kind].search(simple) is not None


def _names_something(text: str, simple: str, known: Collection[str]) -> bool:
    """Return whether a text contains a name that is not known; capitals at the start of a sentence do not count."""
    for found in _NAMES["english"].finditer(text):
        word = found.group().casefold().replace("’", "'").removesuffix("'s")
        if word in known or word in _NO_NAMES:
            continue
        if (
            _NAMES["sentence_start"].search(text[max(found.start() - 4, 0) : found.start()])
            and found.group()[1:].islower()
        ):
            continue
        return True
    names = (found.group() for found in _HELD[ValueKind.NAME].finditer(simple))
    return any(not any(word in name for word in known) for name in (*names, *_names_after_ties(simple)))


def _names_after_ties(text: str) -> Iterator[str]:
    """Yield the Chinese names that follow a word for a relative, an acquaintance, a profession or a pet."""
    for tie in _TIES_ZH.finditer(text):
        if name := _chinese_name(text, tie.end()):
            yield name


def _chinese_name(text: str, start: int) -> str | None:
    if doubled := _NAMES["doubled_zh"].match(text, start):
        return doubled[0]
    # Given names that are words too: 建平, 建国.
    if (given := _NAMES["given_zh"].match(text, start)) and word_tag(given[0]) in ("n", "ns", "nz", "nrfg", "nrt"):
        return given[0]
    return chinese_name_at(text, start) if has_cjk(text[start : start + 1]) else None
