"""Find many names in many texts, with one pass over each text. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from extraction.text.name_forms import fold

# Possible start of an ASCII name: a character other than a space, not preceded by a word character.
_WORD_START: Final = re.compile(r"(?<!\w)[^ ]", re.ASCII)
_WORD: Final = re.compile(r"\w", re.ASCII)
_EMPTY_WORD: Final = re.compile(r"(?<!\w)(?!\w)", re.ASCII)


class NameMatcher:
    """Find names in texts, regardless of case, width and script; ASCII names match whole words only.

    Args:
        names: duplicates are ignored.
    """

    def __init__(self, names: Iterable[str]) -> None:
        keys = frozenset(map(fold, names))
        self._has_empty = "" in keys
        self._ascii = _PrefixIndex((key for key in keys if key and key.isascii()), whole_words=True)
        self._others = _PrefixIndex((key for key in keys if not key.isascii()), whole_words=False)

    def find_in(self, text: str) -> set[str]:
        """Return the folded names that a text contains."""
        folded = fold(text)
        found = {""} if self._has_empty and _EMPTY_WORD.search(folded) else set()
        if self._ascii.first_chars:
            for place in _WORD_START.finditer(folded):
                if place.group() in self._ascii.first_chars:
                    self._ascii.match_at(folded, place.start(), found)
        if self._others.first_chars:
            for start, char in enumerate(folded):
                if char in self._others.first_chars:
                    self._others.match_at(folded, start, found)
        return found


class _PrefixIndex:
    """Sorted names; binary search finds those that start at a position.

    Args:
        whole_words: a name must end at a word boundary.
    """

    def __init__(self, keys: Iterable[str], *, whole_words: bool) -> None:
        self._whole_words = whole_words
        self._keys = sorted(keys)
        self.first_chars = frozenset(key[0] for key in self._keys)
        self._longest = max(map(len, self._keys), default=0)
        # For each name: its longest proper prefix among the names, and the longest that ends at a word boundary.
        self._longest_prefix: dict[str, str | None] = {}
        self._longest_whole_prefix: dict[str, str | None] = {}
        prefixes: list[str] = []
        for key in self._keys:
            while prefixes and not key.startswith(prefixes[-1]):
                prefixes.pop()
            self._longest_prefix[key] = prefixes[-1] if prefixes else None
            self._longest_whole_prefix[key] = next(
                (prefix for prefix in reversed(prefixes) if self._is_boundary(key, len(prefix))), None
            )
            prefixes.append(key)

    def match_at(self, folded: str, start: int, found: set[str]) -> None:
        """Add the names that start at a position of the text to `found`."""
        following = folded[start : start + self._longest]
        insert_at = bisect_right(self._keys, following)
        key = self._keys[insert_at - 1] if insert_at else None
        # Every name that starts here is a prefix of this one.
        while key is not None and not following.startswith(key):
            key = self._longest_prefix[key]
        if key is not None and not self._is_boundary(folded, start + len(key)):
            key = self._longest_whole_prefix[key]
        while key is not None and key not in found:
            found.add(key)
            key = self._longest_whole_prefix[key]

    def _is_boundary(self, text: str, position: int) -> bool:
        return not self._whole_words or not _WORD.match(text, position)


def names_mentioned(names: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return the names that at least one text contains."""
    name_list = list(names)
    matcher = NameMatcher(name_list)
    found = {key for text in texts for key in matcher.find_in(text)}
    return {name for name in name_list if fold(name) in found}
