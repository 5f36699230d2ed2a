"""The part of a text that a hit shows. Pure."""

from collections.abc import Sequence
from typing import Final

_SNIPPET_CHARS: Final = 100


def snippet(text: str, words: Sequence[str]) -> str:
    """At most 100 characters of a text around the first of the words it contains, with ellipses where it was cut."""
    flat = " ".join(text.split())
    if len(flat) <= _SNIPPET_CHARS:
        return flat
    folded = flat.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    start = max(min(min(places, default=0) - 30, len(flat) - _SNIPPET_CHARS + 2), 0)
    cut = flat[start : start + _SNIPPET_CHARS - 2]
    return f"{'…' if start else ''}{cut}{'…' if start + len(cut) < len(flat) else ''}"
