"""Which of many names many texts say: each text is gone through once, however many names are sought. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from extraction.name_forms import fold

# Words of ASCII as wholes, everything else sign by sign; folded text has no other white space than single spaces.
_PIECE: Final = re.compile(r"[A-Za-z0-9_]+|[^ A-Za-z0-9_]")
_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_NOTHING: Final = re.compile(r"(?<!\w)(?!\w)", re.ASCII)


class NamesSaid:
    """Names that are sought in texts: in any case, width and script; those of ASCII letters as whole words.

    Each name has an anchor, a piece that every text with the name has too: its first word, or its first sign that is
    not ASCII. So only the names are tried at a place of a text that have the piece there as their anchor.

    Args:
        names: repeated ones count once.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._keys = frozenset(map(fold, names))
        anchors: dict[str, set[tuple[int, int]]] = {}
        for key in filter(None, self._keys):
            found = (_WORD if key.isascii() else _FOREIGN).search(key)
            piece, offset = (found.group(), found.start()) if found else (key[0], 0)
            anchors.setdefault(piece, set()).add((offset, len(key)))
        self._anchors = {piece: sorted(places) for piece, places in anchors.items()}

    def in_text(self, text: str) -> set[str]:
        """Return the folded names that a text says."""
        folded = fold(text)
        found = {""} if "" in self._keys and _NOTHING.search(folded) else set()
        for piece in _PIECE.finditer(folded):
            for offset, length in self._anchors.get(piece.group(), ()):
                start = piece.start() - offset
                key = folded[max(start, 0) : start + length]
                if key in self._keys and key not in found and _stands(key, folded, start):
                    found.add(key)
        return found


def names_said(names: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return those of the names that one of the texts says."""
    asked = list(names)
    sought = NamesSaid(asked)
    found = {key for text in texts for key in sought.in_text(text)}
    return {name for name in asked if fold(name) in found}


def _stands(key: str, folded: str, start: int) -> bool:
    """Whether a name that is found at a place is no part of a longer word there."""
    if start < 0:
        return False
    end = start + len(key)
    before, after = folded[start - 1 : start] if start else "", folded[end : end + 1]
    return not key.isascii() or not (_WORD.match(before) or _WORD.match(after))
