"""Choose the lines of a context within a token budget: most valuable first, without duplicates. Pure.

The order of lines does not depend on the budget: Core Memory and recalled memory, each by value, alternate so that Core
Memory has its share of every long prefix, and less of a short one. The context is the longest prefix that fits, so a
larger budget includes every line that a smaller one does, as long as the quotes in the lines do not grow with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from extraction.text.near_duplicates import likeness, near_duplicates, plain
from graph_service.memory.context_builder.phrasing import Section

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
class ContextLine:
    """One line of a context, structured.

    Attributes:
        number: its number in brackets in the text.
        kind: profile, preference, trigger, earlier, fact, scene or message.
        uri: its address; `layer` returns its full text.
        text: the line, escaped for use in a prompt.
        at: when it was said, started, or became true.
        until: when it stopped being true.
        parent: the number of the scene it belongs to, if that is in the context.
        tokens: cost of the line, including the line end.
        value: expected usefulness; the highest is chosen first.
        content: compared to find duplicates.
        proofs: ids of the messages that prove a fact.
        is_quote: the line quotes a message.
        scene_id: id of the scene that a message belongs to, if the scene was found too.
    """

    number: int = 0
    kind: str
    id: str
    uri: str
    text: str
    at: datetime
    until: datetime | None = None
    parent: int | None = None
    part: Part
    section: Section
    tokens: int
    value: float
    content: str
    proofs: frozenset[str] = frozenset()
    is_quote: bool = False
    scene_id: str | None = None


@dataclass(slots=True)
class _Selection:
    """The content of the lines chosen so far.

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

    def covers(self, line: ContextLine) -> bool:
        """Return whether a line adds nothing to those chosen."""
        if line.id in self.ids:
            return True
        text = plain(line.content)
        # Core Memory is shown even if recalled messages say the same.
        if line.part is Part.CORE:
            return any(_same(text, line.content, other, raw) for other, raw in self.core_texts)
        if line.proofs & self.quoted:
            return True
        fact_length = self.proved.get(line.id)
        if line.is_quote and fact_length is not None and len(text) < _ADDS_LENGTH_MIN * fact_length:
            return True
        return any(_same(text, line.content, other, raw) for other, raw in self.texts)

    def add(self, line: ContextLine) -> None:
        text = plain(line.content)
        self.ids.add(line.id)
        self.texts.append((text, line.content))
        if line.part is Part.CORE:
            self.core_texts.append((text, line.content))
        if line.is_quote:
            self.quoted.add(line.id)
        for proof in line.proofs:
            self.proved[proof] = max(len(text), self.proved.get(proof, 0))


def packed(
    lines: Iterable[ContextLine],
    *,
    tokens_max: int,
    headings: Mapping[Section, int] | None = None,
    core_share: float = CORE_SHARE,
) -> list[ContextLine]:
    """Return the lines that fit, best first; independent of the order of `lines`.

    Args:
        tokens_max: budget for lines and headings together.
        headings: cost of each section's heading, paid with its first line.
    """
    costs = headings or {}
    chosen: list[ContextLine] = []
    open_sections: set[Section] = set()
    left = tokens_max
    for line in ordered(lines, core_share=core_share):
        cost = line.tokens + (0 if line.section in open_sections else costs.get(line.section, 0))
        if cost > left:
            break
        left -= cost
        open_sections.add(line.section)
        chosen.append(line)
    return chosen


def ordered(lines: Iterable[ContextLine], *, core_share: float = CORE_SHARE) -> Iterator[ContextLine]:
    """Yield the lines without duplicates, best first; Core Memory has about `core_share` of every long prefix."""
    every = sorted(lines, key=lambda one: (-one.value, one.id, one.section))
    queues = {part: [one for one in every if one.part is part] for part in Part}
    places = dict.fromkeys(Part, 0)
    spent = dict.fromkeys(Part, 0)
    chosen = _Selection()
    while any(places[part] < len(queues[part]) for part in Part):
        part = _next_part(queues, places, spent, core_share)
        line = queues[part][places[part]]
        places[part] += 1
        if not chosen.covers(line):
            chosen.add(line)
            spent[part] += line.tokens
            yield line


def _next_part(
    queues: Mapping[Part, Sequence[ContextLine]],
    places: Mapping[Part, int],
    spent: Mapping[Part, int],
    core_share: float,
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
