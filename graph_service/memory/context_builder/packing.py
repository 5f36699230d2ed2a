"""What of a memory goes into a prompt of so many tokens: the most telling pieces, nothing twice. Pure.

All pieces stand in one order that does not depend on the budget: those of Core Memory and those of Recall Memory, each
by value, take turns so that Core Memory has its share at every length. What fits is a beginning of that order, so a
larger budget keeps everything a smaller one had.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from extraction.text.near_duplicates import likeness, near_duplicates, plain

CORE_SHARE: Final = 0.35
# What was found for a question that memory probably cannot answer is told, but not at length.
CORE_SHARE_IN_DOUBT: Final = 0.75
# Only texts this alike, and of nearly one length, can be near duplicates; all others need no closer look.
_ALIKE_MIN: Final = 0.6
_LENGTH_SHARE_MIN: Final = 0.75
# A shorter text may stand inside another by chance.
_CONTAINED_CHARS_MIN: Final = 12
# A message hardly longer than the fact read from it adds nothing to the fact.
_ADDS_LENGTH_MIN: Final = 1.6


class Part(StrEnum):
    """The two parts of a context."""

    CORE = "core"
    RECALL = "recall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One line that may stand in a context.

    Attributes:
        id: of the memory it tells; two pieces of one id are the same thing.
        section: the heading it stands under.
        tokens: what its line costs, its end included.
        text: its words, to see whether they were told.
        proofs: ids of the messages a fact rests on.
        says: the words themselves are quoted, rather than told in other words.
    """

    id: str
    part: Part
    section: str
    tokens: int
    value: float
    text: str
    proofs: frozenset[str] = frozenset()
    says: bool = False


@dataclass(slots=True)
class _Told:
    """What the pieces chosen so far have told."""

    ids: set[str] = field(default_factory=set)
    quoted: set[str] = field(default_factory=set)
    proved: dict[str, int] = field(default_factory=dict)
    texts: list[tuple[str, str]] = field(default_factory=list)
    core_texts: list[tuple[str, str]] = field(default_factory=list)

    def holds(self, piece: Piece) -> bool:
        if piece.id in self.ids:
            return True
        text = plain(piece.text)
        # What is always to be known is told in its own words, whatever is quoted below.
        if piece.part is Part.CORE:
            return any(_same(text, piece.text, other, raw) for other, raw in self.core_texts)
        if piece.proofs & self.quoted:
            return True
        fact_length = self.proved.get(piece.id)
        if piece.says and fact_length is not None and len(text) < _ADDS_LENGTH_MIN * fact_length:
            return True
        return any(_same(text, piece.text, other, raw) for other, raw in self.texts)

    def add(self, piece: Piece) -> None:
        text = plain(piece.text)
        self.ids.add(piece.id)
        self.texts.append((text, piece.text))
        if piece.part is Part.CORE:
            self.core_texts.append((text, piece.text))
        if piece.says:
            self.quoted.add(piece.id)
        for proof in piece.proofs:
            self.proved[proof] = max(len(text), self.proved.get(proof, 0))


def packed(
    pieces: Iterable[Piece],
    *,
    tokens_max: int,
    headings: Mapping[str, int] | None = None,
    core_share: float = CORE_SHARE,
) -> list[Piece]:
    """Return the pieces that fit, in the order in which they were chosen; their order in `pieces` does not matter.

    Args:
        tokens_max: for the lines and headings alone.
        headings: what the heading of each section costs; a section pays it with its first piece.
    """
    costs = headings or {}
    chosen: list[Piece] = []
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


def ordered(pieces: Iterable[Piece], *, core_share: float = CORE_SHARE) -> Iterator[Piece]:
    """Yield every piece that tells something new, most worth its tokens first, Core Memory having its share
    throughout.
    """
    every = sorted(pieces, key=lambda one: (-one.value, one.id, one.section))
    queues = {part: [one for one in every if one.part is part] for part in Part}
    places = dict.fromkeys(Part, 0)
    spent = dict.fromkeys(Part, 0)
    told = _Told()
    while any(places[part] < len(queues[part]) for part in Part):
        part = _turn(queues, places, spent, core_share)
        piece = queues[part][places[part]]
        places[part] += 1
        if not told.holds(piece):
            told.add(piece)
            spent[part] += piece.tokens
            yield piece


def _turn(
    queues: Mapping[Part, Sequence[Piece]], places: Mapping[Part, int], spent: Mapping[Part, int], core_share: float
) -> Part:
    if places[Part.CORE] >= len(queues[Part.CORE]):
        return Part.RECALL
    if places[Part.RECALL] >= len(queues[Part.RECALL]):
        return Part.CORE
    return Part.CORE if spent[Part.CORE] <= core_share * (sum(spent.values())) else Part.RECALL


def _same(text: str, raw: str, told: str, told_raw: str) -> bool:
    if text == told or (len(text) >= _CONTAINED_CHARS_MIN and text in told):
        return True
    shorter, longer = sorted((len(text), len(told)))
    if shorter < _LENGTH_SHARE_MIN * longer or likeness(raw, told_raw) < _ALIKE_MIN:
        return False
    return near_duplicates(raw, told_raw)
