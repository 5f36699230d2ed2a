"""English word lists, and the reader of `words.toml`, which has all lists of this package."""

from collections.abc import Mapping
from typing import Any, Final

from extraction.text.toml_files import toml_of

WORDS: Final[Mapping[str, Any]] = toml_of("extraction.text", "words.toml")
_ENGLISH: Final = WORDS["english"]


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def word_pairs(text: str) -> dict[str, str]:
    """Return the words of a list of pairs: "colour=color favourite=favorite"."""
    return dict(pair.split("=") for pair in text.split())


SOLE_KIN: Final = word_set(_ENGLISH["sole_kin"])
KIN: Final = SOLE_KIN | word_set(_ENGLISH["more_kin"])
CHILD_NAME: Final = word_pairs(_ENGLISH["child_names"])
# A pattern; longer words come first.
KIN_PATTERN: Final = "|".join(sorted(KIN, key=len, reverse=True))
KIN_NAME: Final = word_pairs(_ENGLISH["kin_names"])
MANY_KIN: Final = word_set(_ENGLISH["many_kin"])
KIN_SINGULAR: Final = word_pairs(_ENGLISH["kin_singulars"])
PETS: Final = word_set(_ENGLISH["pets"])
VAGUE: Final = word_set(_ENGLISH["vague"])
PRONOUNS: Final = word_set(_ENGLISH["pronouns"])
MONTHS: Final = word_set(_ENGLISH["months"])
# Numbers of the months by name and abbreviation.
MONTH_NUMBERS: Final = {
    name: number
    for number, month in enumerate(_ENGLISH["months"].split(), start=1)
    for name in (month, *_ENGLISH["short_months"].get(month, "").split())
}
# A pattern; longer names come first.
ANY_MONTH: Final = f"(?:{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})"
NOT_NAMES: Final = (
    MONTHS | PRONOUNS | word_set(" ".join(_ENGLISH[key] for key in ("more_days", "not_names", "no_names_at_begin")))
)
# Words for what something makes somebody feel, with the emotion.
EMOTIONS: Final = {word: emotion for emotion, words in _ENGLISH["emotions"].items() for word in words.split()}
