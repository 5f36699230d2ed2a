"""Kinship terms such as "my sister", 我姐, grouped by the tie to the user that they name. Pure."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from extraction.text.chinese import HAN
from extraction.text.lexicon_en import word_set
from extraction.text.name_forms import bare
from extraction.text.toml_files import toml_of
from schema.ids import name_key

_WORDS: Final = toml_of("extraction.entities", "words.toml")
# "My older sister" implies another sister.
_AMONG_SEVERAL: Final = frozenset(("older", "younger", "elder", "eldest", "youngest", "little", "big", "oldest"))
_INSIGNIFICANT: Final = frozenset(("dear", "own", "only", "beloved", "late", "best", "good", "beautiful"))
_HAN = re.compile(rf"[{HAN}]")
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
# The two words after "my", as in "my dear sister".
_MINE = re.compile(r"\bmy ([a-z]+(?:-[a-z]+)*)(?: ([a-z]+(?:-[a-z]+)*))?")
# An agent that asks about its user says "her sister", which means the user's if the question names nobody.
_MINE_OR_THEIRS = re.compile(r"\b(?:my|her|his|their) ([a-z]+(?:-[a-z]+)*)(?: ([a-z]+(?:-[a-z]+)*))?")
_THEIRS_ZH = re.compile(r"^[他她](?=们?的?[\u4e00-\u9fff])们?的?")
_OWN_ZH: Final = "我咱俺"


@dataclass(frozen=True, slots=True, kw_only=True)
class KinshipTie:
    """A person's tie to the user.

    Attributes:
        among_several: the words imply that there are others, as in "my older sister".
    """

    name: str
    among_several: bool = False


@cache
def _tie_of_word() -> dict[str, str]:
    lines = [line.split() for line in _WORDS["ties"].splitlines()]
    return {name_key(word): line[0] for line in lines for word in line}


def tie(words: str) -> KinshipTie | None:
    """Return the tie named by a relation or name (sister, my dear sister, 我姐), or None."""
    key = name_key(words)
    for whole in (key, bare(words)):
        if whole in _tie_of_word():
            return KinshipTie(name=_tie_of_word()[whole])
    *before, last = key.removeprefix("my ").split() or [""]
    if last not in _tie_of_word() or not set(before) <= _AMONG_SEVERAL | _INSIGNIFICANT:
        return None
    return KinshipTie(name=_tie_of_word()[last], among_several=not set(before) <= _INSIGNIFICANT)


def more_specific_ties(name: str) -> frozenset[str]:
    """Return the ties that a tie includes, such as "older-sister" for "sister"; empty if there are none."""
    return word_set(_WORDS["more_specific"].get(name, ""))


def tie_words() -> list[str]:
    """Return all single-word kinship terms, sorted."""
    return sorted(_tie_of_word())


def ties_in(text: str) -> list[str]:
    """Find the kinship ties in a question; return all terms for them, as sorted name keys."""
    folded = name_key(text)
    latin = set(_WORD.findall(folded))
    named = {name for word, name in _tie_of_word().items() if word in latin or _says(folded, word)}
    return sorted(word for word, name in _tie_of_word().items() if name in named)


def own_ties_in(text: str, *, names_nobody: bool = False) -> list[str]:
    """Find the user's own ties in a question ("my sister", 我的姐姐); return all terms for them, as sorted name keys.

    The terms of more specific ties are included.

    Args:
        names_nobody: the question names nobody, so that "her sister" and 她姐姐 at its beginning are the user's too.
    """
    folded = name_key(text)
    if names_nobody:
        folded = _THEIRS_ZH.sub("我", folded)
    latin = {word for pair in (_MINE_OR_THEIRS if names_nobody else _MINE).findall(folded) for word in pair}
    named = {name for word, name in _tie_of_word().items() if word in latin or _says_mine(folded, word)}
    named |= {one for name in named for one in more_specific_ties(name)}
    return sorted(word for word, name in _tie_of_word().items() if name in named)


def _says_mine(text: str, word: str) -> bool:
    return _HAN.match(word) is not None and any(f"{own}{of}{word}" in text for own in _OWN_ZH for of in ("", "的"))


def _says(text: str, word: str) -> bool:
    """Return whether a text has a Chinese term; a single character counts only after a pronoun: 姑妈 is not 妈."""
    if not _HAN.match(word):
        return False
    return word in text if len(word) > 1 else any(f"{own}{word}" in text for own in "我咱俺你")
