"""Find many names in many texts, with one pass over each text. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from extraction.text.name_forms import fold

_WORD: Final = re.compile(r"\w", re.ASCII)
_EMPTY_WORD: Final = re.compile(r"(?<!\w)(?!\w)", re.ASCII)


class NameMatcher:
    """Find names in texts, regardless of case, width and script; ASCII names match whole words only.

    Args:
        names: duplicates are ignored.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._keys = frozenset(map(fold, names))
        # Lengths of the names that begin with a character.
        self._lengths: dict[str, set[int]] = {}
        for key in self._keys - {""}:
            self._lengths.setdefault(key[0], set()).add(len(key))

    def find_in(self, text: str) -> set[str]:
        """Return the folded names that a text contains."""
        folded = fold(text)
        found = {""} if "" in self._keys and _EMPTY_WORD.search(folded) else set()
        for start, char in enumerate(folded):
            for length in self._lengths.get(char, ()):
                key = folded[start : start + length]
                if key in self._keys and (not key.isascii() or _is_whole_word(folded, start, start + len(key))):
                    found.add(key)
        return found


def _is_whole_word(text: str, start: int, end: int) -> bool:
    return not (start and _WORD.match(text, start - 1)) and not _WORD.match(text, end)


def names_mentioned(names: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return the names that at least one text contains."""
    name_list = list(names)
    matcher = NameMatcher(name_list)
    found = {key for text in texts for key in matcher.find_in(text)}
    return {name for name in name_list if fold(name) in found}
