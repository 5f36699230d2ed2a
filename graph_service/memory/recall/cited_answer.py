"""Answer a question in sentences that cite what was found: by the model, or the best sentences themselves."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.llm.answer_writer import CitedSentence, Source, WrittenAnswer
from extraction.text.passages import passage
from extraction.text.search_terms import Terms, terms_of
from graph_service.memory.recall.candidates import Candidate, Hit
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind
from schema.errors import MnemosceneError

_log = logging.getLogger("mnemoscene.recall")

# Hits that an answer may cite.
SOURCES_MAX: Final = 8
_QUOTED_MAX: Final = 3
# A hit of a lower share of the best score answers something else.
_QUOTED_SHARE_MIN: Final = 0.7
_QUOTED_CHARS_MAX: Final = 240
_SOURCE_CHARS_MAX: Final = 800

# Writes an answer to a question; None without a model.
WriteAnswer = Callable[[str, Sequence[Source]], Awaitable[WrittenAnswer | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAnswer:
    """An answer in sentences that cite what was found.

    Attributes:
        sentences: each cites at least one hit of `found`; none if the memory probably contains no answer.
        written_by: the language model; None if the sentences are quoted from the memory.
        notes: what was missing, for example an unavailable model.
    """

    sentences: tuple[CitedSentence, ...]
    found: Answer
    written_by: str | None = None
    notes: tuple[str, ...] = ()


async def cited_answer(question: str, found: Answer, write: WriteAnswer) -> CitedAnswer:
    """Return the answer to a question from its hits; a model that fails is replaced by the best sentences."""
    if found.nothing_relevant:
        return CitedAnswer(sentences=(), found=found, notes=found.notes)
    terms = terms_of(question)
    quoted = CitedAnswer(sentences=_best_sentences(found.hits, terms), found=found, notes=found.notes)
    try:
        written = await write(question, [_source(hit.candidate, terms) for hit in found.hits])
    except MnemosceneError as error:
        _log.warning("an answer is quoted: %s", error)
        note = f"the model did not answer, so the sentences are quoted: {error.message}"
        return CitedAnswer(sentences=quoted.sentences, found=found, notes=(*found.notes, note))
    if written is None or not written.sentences:
        return quoted
    return CitedAnswer(sentences=written.sentences, found=found, written_by=written.made_by, notes=found.notes)


def _best_sentences(hits: Sequence[Hit], terms: Terms) -> tuple[CitedSentence, ...]:
    """Return the sentences of the best hits; a fact and the message that proves it are one sentence."""
    sentences: list[CitedSentence] = []
    cited: set[str] = set()
    for place, hit in enumerate(hits):
        one = hit.candidate
        told = {one.id, *one.proofs, *(message.id for message in one.evidence)}
        if one.withdrawn or hit.score < _QUOTED_SHARE_MIN * hits[0].score or not cited.isdisjoint(told):
            continue
        cited |= told
        text = passage(one.text, terms, chars_max=_QUOTED_CHARS_MAX)
        sentences.append(CitedSentence(text=text, sources=(place,)))
        if len(sentences) == _QUOTED_MAX:
            break
    return tuple(sentences)


def _source(one: Candidate, terms: Terms) -> Source:
    speaker = one.speaker or one.role if one.kind is HitKind.MESSAGE else None
    return Source(text=passage(one.text, terms, chars_max=_SOURCE_CHARS_MAX), said_at=one.said_at, speaker=speaker)
