"""Which of many names many texts say: each text is gone through once, however many names are sought. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from extraction.text.name_forms import fold

# Where a name of ASCII letters may begin: at a word, or at a sign after something that is no part of a word.
_BEGINS: Final = re.compile(r"(?<!\w)[^ ]", re.ASCII)
_WORD: Final = re.compile(r"\w", re.ASCII)
_NOTHING: Final = re.compile(r"(?<!\w)(?!\w)", re.ASCII)


class NamesSaid:
    """Names that are sought in texts: in any case, width and script; those of ASCII letters as whole words.

    Args:
        names: repeated ones count once.
    """

    def __init__(self, names: Iterable[str]) -> None:
        keys = frozenset(map(fold, names))
        self._has_empty = "" in keys
        self._ascii = _Sought((key for key in keys if key and key.isascii()), whole=True)
        self._others = _Sought((key for key in keys if not key.isascii()), whole=False)

    def in_text(self, text: str) -> set[str]:
        """Return the folded names that a text says."""
        folded = fold(text)
        found = {""} if self._has_empty and _NOTHING.search(folded) else set()
        if self._ascii.heads:
            for place in _BEGINS.finditer(folded):
                if place.group() in self._ascii.heads:
                    self._ascii.look(folded, place.start(), found)
        if self._others.heads:
            for start, char in enumerate(folded):
                if char in self._others.heads:
                    self._others.look(folded, start, found)
        return found


class _Sought:
    """Names in the order of their letters, so that those which begin at a place are found by halving.

    Args:
        whole: a name ends before what is no part of a word.
    """

    def __init__(self, keys: Iterable[str], *, whole: bool) -> None:
        self._whole = whole
        self._keys = sorted(keys)
        self.heads = frozenset(key[0] for key in self._keys)
        self._longest = max(map(len, self._keys), default=0)
        # For each name the longest other one that it begins with, and the longest that every text has there too.
        self._beginning: dict[str, str | None] = {}
        self._within: dict[str, str | None] = {}
        beginnings: list[str] = []
        for key in self._keys:
            while beginnings and not key.startswith(beginnings[-1]):
                beginnings.pop()
            self._beginning[key] = beginnings[-1] if beginnings else None
            self._within[key] = next((one for one in reversed(beginnings) if self._ends(key, len(one))), None)
            beginnings.append(key)

    def look(self, folded: str, start: int, found: set[str]) -> None:
        """Add the names that begin at a place of a text."""
        rest = folded[start : start + self._longest]
        at = bisect_right(self._keys, rest)
        key = self._keys[at - 1] if at else None
        # Every name that begins here is one that this name begins with.
        while key is not None and not rest.startswith(key):
            key = self._beginning[key]
        if key is not None and not self._ends(folded, start + len(key)):
            key = self._within[key]
        while key is not None and key not in found:
            found.add(key)
            key = self._within[key]

    def _ends(self, text: str, end: int) -> bool:
        return not self._whole or not _WORD.match(text, end)


def names_said(names: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return those of the names that one of the texts says."""
    asked = list(names)
    sought = NamesSaid(asked)
    found = {key for text in texts for key in sought.in_text(text)}
    return {name for name in asked if fold(name) in found}
