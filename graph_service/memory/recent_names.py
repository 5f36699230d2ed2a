"""Who a question means that says only "she" or "what about him": the names said last. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from extraction.names import names_in
from extraction.sentences import split_sentences
from graph_service.memory.window import Turn
from schema.ids import name_key

NAMES_MAX: Final = 3
# Whoever was named longer ago is seldom meant; and only the beginning of a long turn is looked at.
_TURNS_MAX, _CHARS_MAX = 6, 400
_PRONOUN = re.compile(
    r"\b(?:she|he|her|hers|his|him|they|them|their|theirs)\b|(?<![其吉])[他她]|那(?:个人|位)|这(?:个人|位)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:and|so)\s+)?(?:what|how) about\b|^\s*那么?[^。！？!?]{0,10}呢[？?。]?\s*$", re.IGNORECASE
)


def refers_back(text: str) -> bool:
    """Whether a question leans on what was said before: it has a pronoun for people or leaves its verb out."""
    return _PRONOUN.search(text) is not None or _ELLIPSIS.search(text) is not None


def recent_names(turns: Sequence[Turn], *, names_max: int = NAMES_MAX) -> tuple[str, ...]:
    """Names said in the last turns, those said last first; without the speakers' own.

    The first Chinese text makes it load a dictionary, for about a second: call it away from the event loop.
    """
    last = turns[-_TURNS_MAX:]
    speakers = [turn.speaker for turn in last if turn.speaker]
    found: dict[str, str] = {}
    for turn in reversed(last):
        for name, _ in reversed(names_in(split_sentences(turn.text[:_CHARS_MAX]), ignore=speakers)):
            found.setdefault(name_key(name), name)
    return tuple(found.values())[:names_max]


def hints_for(text: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """The names a question may mean; none when it names somebody itself or leans on nothing."""
    if not refers_back(text) or names_in(split_sentences(text)):
        return ()
    return recent_names([turn for turn in turns if turn.text != text])
