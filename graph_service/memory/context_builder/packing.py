"""Choose the lines of a context within a token budget: most valuable first, without duplicates. Pure.

The order of lines does not depend on the budget: Core Memory and recalled memory, each by value, alternate so that Core
Memory has its share of every long prefix, and less of a short one. The context is the longest prefix that fits, so a
larger budget includes every line that a smaller one does, as long as the quotes in the lines do not grow with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeVar

from extraction.text.near_duplicates import likeness, near_duplicates, plain

# Shares of Core Memory in a context of `_FULL_TOKENS`. Shorter prefixes have less of it, in proportion, down to
# `_SMALLEST`: there, the hits hardly fit. Contexts of 300 tokens hold the answer in .90, .96 and .79 of the questions
# of three sets, instead of .87, .94 and .74 with the same share for all.
CORE_SHARE: Final = 0.35
# Smaller share for a question for all of a kind, whose items are several hits.
CORE_SHARE_FOR_LIST: Final = 0.1
# Larger share if the memory probably cannot answer the question, so that hits get less space.
CORE_SHARE_IN_DOUBT: Final = 0.75
_FULL_TOKENS: Final = 800
_SMALLEST: Final = 0.3
# Quick check: only texts at least this similar, and of similar length, can be near duplicates.
_LIKENESS_MIN: Final = 0.6
_LENGTH_SHARE_MIN: Final = 0.75
# Shorter texts may be contained in others by chance.
_CONTAINED_CHARS_MIN: Final = 12
# A message must be this many times longer than the fact it proves to add anything.
_ADDS_LENGTH_MIN: Final = 1.6


class Part(StrEnum):
    """The two parts of a context."""

    CORE = "core"
    RECALL = "recall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A possible line of a context, with the properties by which lines are chosen.

    Attributes:
        id: id of the message, scene or fact; pieces with the same id are duplicates.
        section: section whose heading it is under.
        tokens: cost of its line, including the line end.
        value: expected usefulness; the highest is chosen first.
        content: compared to find duplicates.
        proofs: ids of the messages that prove a fact.
        is_quote: the line quotes a message.
    """

    id: str
    part: Part
    section: str
    tokens: int
    value: float
    content: str
    proofs: frozenset[str] = frozenset()
    is_quote: bool = False


PieceT = TypeVar("PieceT", bound=Piece)


@dataclass(slots=True)
class _Selection:
    """The content of the pieces chosen so far.

    Attributes:
        quoted: ids of quoted messages.
        proved: length of the longest fact that each message proves, by message id.
        texts, core_texts: pairs of normalised and raw text.
    """

    ids: set[str] = field(default_factory=set)
    quoted: set[str] = field(default_factory=set)
    proved: dict[str, int] = field(default_factory=dict)
    texts: list[tuple[str, str]] = field(default_factory=list)
    core_texts: list[tuple[str, str]] = field(default_factory=list)

    def covers(self, piece: Piece) -> bool:
        """Return whether a piece adds nothing to those chosen."""
        if piece.id in self.ids:
            return True
        text = plain(piece.content)
        # Core Memory is shown even if recalled messages say the same.
        if piece.part is Part.CORE:
            return any(_same(text, piece.content, other, raw) for other, raw in self.core_texts)
        if piece.proofs & self.quoted:
            return True
        fact_length = self.proved.get(piece.id)
        if piece.is_quote and fact_length is not None and len(text) < _ADDS_LENGTH_MIN * fact_length:
            return True
        return any(_same(text, piece.content, other, raw) for other, raw in self.texts)

    def add(self, piece: Piece) -> None:
        text = plain(piece.content)
        self.ids.add(piece.id)
        self.texts.append((text, piece.content))
        if piece.part is Part.CORE:
            self.core_texts.append((text, piece.content))
        if piece.is_quote:
            self.quoted.add(piece.id)
        for proof in piece.proofs:
            self.proved[proof] = max(len(text), self.proved.get(proof, 0))


def packed(
    pieces: Iterable[PieceT],
    *,
    tokens_max: int,
    headings: Mapping[str, int] | None = None,
    core_share: float = CORE_SHARE,
) -> list[PieceT]:
    """Return the pieces that fit, best first; independent of the order of `pieces`.

    Args:
        tokens_max: budget for lines and headings together.
        headings: cost of each section's heading, paid with its first piece.
    """
    costs = headings or {}
    chosen: list[PieceT] = []
    open_sections: set[str] = set()
    left = tokens_max
    for piece in ordered(pieces, core_share=core_share):
        cost = piece.tokens + (0 if piece.section in open_sections else costs.get(piece.section, 0))
        if cost > left:
            break
        left -= cost
        open_sections.add(piece.section)
        chosen.append(piece)
    return chosen


def ordered(pieces: Iterable[PieceT], *, core_share: float = CORE_SHARE) -> Iterator[PieceT]:
    """Yield the pieces without duplicates, best first; Core Memory has about `core_share` of every long prefix."""
    every = sorted(pieces, key=lambda one: (-one.value, one.id, one.section))
    queues = {part: [one for one in every if one.part is part] for part in Part}
    places = dict.fromkeys(Part, 0)
    spent = dict.fromkeys(Part, 0)
    chosen = _Selection()
    while any(places[part] < len(queues[part]) for part in Part):
        part = _next_part(queues, places, spent, core_share)
        piece = queues[part][places[part]]
        places[part] += 1
        if not chosen.covers(piece):
            chosen.add(piece)
            spent[part] += piece.tokens
            yield piece


def _next_part(
    queues: Mapping[Part, Sequence[PieceT]], places: Mapping[Part, int], spent: Mapping[Part, int], core_share: float
) -> Part:
    if places[Part.CORE] >= len(queues[Part.CORE]):
        return Part.RECALL
    if places[Part.RECALL] >= len(queues[Part.RECALL]):
        return Part.CORE
    total = sum(spent.values())
    share = core_share * min(max(total / _FULL_TOKENS, _SMALLEST), 1.0)
    return Part.CORE if spent[Part.CORE] <= share * total else Part.RECALL


def _same(text: str, raw: str, other: str, other_raw: str) -> bool:
    if text == other or (len(text) >= _CONTAINED_CHARS_MIN and text in other):
        return True
    shorter, longer = sorted((len(text), len(other)))
    if shorter < _LENGTH_SHARE_MIN * longer or likeness(raw, other_raw) < _LIKENESS_MIN:
        return False
    return near_duplicates(raw, other_raw)
