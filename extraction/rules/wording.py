"""Wording of statements in English and in Chinese: the number of the verb, articles, relatives."""

import re
from dataclasses import dataclass
from typing import Final

from extraction.text.lexicon_en import MANY_KIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Wording of statements in a language.

    Attributes:
        relative: label of a relative, with `{owner}` and `{kin}`.
        capitalized: statements begin with a capital letter.
    """

    unknown_user: str
    relative: str
    capitalized: bool = False


_VERB: Final = re.compile(r"^\{s\} (?P<adverb>(?:no longer|often|also|regularly) )?(?P<verb>[a-z]+)\b")
_PLURAL: Final = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_SINGULAR_ENDS: Final = re.compile(r"(?:ss|us|is)$")


def agree(subject: str, says: str) -> str:
    """Return a statement with its verb in the plural if the subject is several people: "my parents live in Leeds"."""
    many = subject.rpartition(" ")[2] in MANY_KIN
    found = _VERB.match(says) if many else None
    if found is None:
        return says
    verb = found["verb"]
    if verb in _PLURAL:
        plural = _PLURAL[verb]
    elif verb.endswith("ies"):
        plural = verb[:-3] + "y"
    elif re.search(r"(?:sh|ch|ss|x|z)es$", verb):
        plural = verb[:-2]
    elif verb.endswith("s") and not _SINGULAR_ENDS.search(verb):
        plural = verb[:-1]
    else:
        return says
    return says[: found.start("verb")] + plural + says[found.end("verb") :]


# Plurals and mass nouns without "s".
_MANY: Final = frozenset(("mice", "geese", "sheep", "fish", "cattle", "children", "people", "teeth", "feet", "poultry"))


def with_article(name: str) -> str:
    """Return a noun with "a" or "an" unless it is a plural."""
    if (name.endswith("s") and not name.endswith("ss")) or name.rpartition(" ")[2].lower() in _MANY:
        return name
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


ENGLISH_WORDING: Final = Wording(
    unknown_user="User",
    relative="{owner}'s {kin}",
    capitalized=True,
)
CHINESE_WORDING: Final = Wording(unknown_user="用户", relative="{owner}的{kin}")
