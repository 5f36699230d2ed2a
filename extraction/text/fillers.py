"""Blank the words around statements that state nothing: "Well,", "remember that", 嗯，, "- ", ", any tips?". Pure.

The tagger has seldom seen them, and takes what stands beside them for a joke or for talk: it reads "I'm allergic to
nuts", but of "Remember that I'm allergic to nuts" nothing.
"""

from typing import Final

from extraction.text.toml_files import patterns_of, toml_of

_TABLES: Final = toml_of("extraction.text", "fillers.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], _TABLES["parts"])


def without_fillers(text: str) -> str:
    """Return a text of the same length with spaces for the words around its statements."""
    if _PATTERNS["irony"].search(text):
        return text
    for filler in (_PATTERNS["markup"], _PATTERNS["before"], _PATTERNS["behind"]):
        text = filler.sub(lambda found: " " * len(found[0]), text)
    return text
