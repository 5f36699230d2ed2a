"""Detect which attribute of a person a question asks for, and whether a text states a value of it. Pure.

"Where does Ana live?" and "we moved again, Madrid this time" share no word, but both are about a home. Statements
about one attribute of one person replace each other, so the latest of them counts. Other attributes (partner, adviser,
what somebody learns) were read too, and raised no answer. Texts are English or Chinese; questions for the home are also
German, French, Spanish or Japanese.
"""

import re
from enum import StrEnum
from typing import Final

from extraction.entities.kinship_terms import tie_words
from extraction.temporal.phrases import plain_apostrophes
from extraction.text.toml_files import patterns_of, toml_of

_QUESTION_CHARS_MAX: Final = 400
_CHARS_MAX: Final = 2_000


class Attribute(StrEnum):
    """An attribute of which a person has one value at a time."""

    NUMBER = "number"
    WORK = "work"
    HOME = "home"
    VEHICLE = "vehicle"
    MEDICINE = "medicine"
    DIET = "diet"


_WORDS: Final = toml_of("extraction", "attribute_questions.toml")
_ASKED: Final = patterns_of(_WORDS["asked"], _WORDS["parts"])
_STATED: Final = patterns_of(_WORDS["stated"], _WORDS["parts"])
_KIN: Final = "|".join(word for word in tie_words() if word.isascii())
# One character, such as 姐, is part of too many words.
_KIN_ZH: Final = "|".join(
    sorted((word for word in tie_words() if not word.isascii() and len(word) > 1), key=lambda word: (-len(word), word))
)
_OF_RELATIVE: Final = re.compile(
    rf"\b(?:my|our) (?:[a-z]{{1,20}} )?(?:{_KIN})s?(?:'s|,)? (?:[a-z]{{1,20}} )?(?:is|was|has|had|got|works|lives|"
    rf"moved|drives|eats|takes|started|says|can't|won't|loves|hates|bought|sold|goes)\b|我们?的?(?:{_KIN_ZH}|[爸妈哥姐弟妹])"
)


def attribute_asked(question: str) -> Attribute | None:
    """Return the attribute that a question asks for ("where do I live?", 我开什么车), or None."""
    text = plain_apostrophes(question[:_QUESTION_CHARS_MAX])
    return next((Attribute(name) for name, pattern in _ASKED.items() if pattern.search(text)), None)


def states_attribute(text: str, attribute: Attribute) -> bool:
    """Return whether a text may state a value of an attribute."""
    return _STATED[attribute].search(plain_apostrophes(text[:_CHARS_MAX])) is not None


def is_about_relative(text: str) -> bool:
    """Return whether a relative of the speaker is the subject: "my sister Clara is a vegetarian", 我姐姐在上海."""
    return _OF_RELATIVE.search(plain_apostrophes(text[:_CHARS_MAX])) is not None
