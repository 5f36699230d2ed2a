"""Context for an agent's prompt: Core Memory and Recall Memory in so many tokens; two round trips at once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from extraction.bounded_threads import BoundedThreads
from extraction.text.chinese import is_chinese
from extraction.text.fulltext_words import words_in
from graph_service.graph.store import Graph
from graph_service.memory.context_builder.lines import ContextLineDraft, heading_costs, lines_of_core, lines_of_hits
from graph_service.memory.context_builder.packing import CORE_SHARE, CORE_SHARE_IN_DOUBT, Part, packed
from graph_service.memory.context_builder.phrasing import WORDS, Language, Section, asks_of_former_times
from graph_service.memory.context_builder.prompt_safety import fenced
from graph_service.memory.context_builder.token_estimate import tokens_in
from graph_service.memory.facts.bitemporal import AsOf, moments_asked
from graph_service.memory.profile.core_memory import CoreFact, CoreKind, core_memory
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Question, check_question
from schema.errors import InputError, UnavailableError
from schema.ids import TenantId
from schema.limits import LIMITS

# What recall is asked for: more than a prompt takes, so that what is told twice can be left out.
_HITS_MAX: Final = 50
# Of more text than this the context is written away from the event loop.
_WRITTEN_HERE_CHARS: Final = 50_000
_WRITING: Final = BoundedThreads(cpu_max_s=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an agent wants to know before it answers.

    Attributes:
        tokens_max: how long the text may be.
        valid_at: what was true then; as_of: by what was known then. Neither means what is true now.
        language: of the headings; None means that of the question.
        with_uris: writes the full URI on each line instead of its mark alone.
    """

    user_id: str
    query: str
    tokens_max: int = 1000
    session_id: str | None = None
    valid_at: datetime | None = None
    as_of: datetime | None = None
    language: Language | None = None
    with_uris: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLine:
    """A line of the text, as a program reads it.

    Attributes:
        mark: the number that stands behind it in the text.
        kind: profile, preference, trigger, earlier, fact, scene or message.
        text: without the mark.
        at: when it was said, began, or began to hold; until: when it ceased to hold.
        under: the mark of the scene it stands under.
    """

    mark: int
    kind: str
    id: str
    uri: str
    text: str
    at: datetime
    until: datetime | None = None
    under: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A message, scene or fact that is part of a context."""

    kind: HitKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A text for a prompt, and what it consists of.

    Attributes:
        text: empty when not even its frame fits.
        tokens: its estimated length, at most `tokens_max`.
        core: what is always to be known; recalled: what was found for the question.
        confidence: 0…1, how likely memory holds an answer; None when that was not judged.
        nothing_relevant: it probably holds none; what was found is told all the same, shorter.
        degraded: the database is away.
        notes: what was missing or left out, in words.
    """

    text: str
    tokens: int
    tokens_max: int
    language: Language
    core: tuple[ContextLine, ...]
    recalled: tuple[ContextLine, ...]
    confidence: float | None
    nothing_relevant: bool
    degraded: bool
    notes: tuple[str, ...]

    @property
    def used(self) -> list[Told]:
        """Return what was told because of the question; what is told always says nothing of what is needed."""
        kinds = {kind.value: kind for kind in HitKind}
        return [Told(kind=kinds.get(line.kind, HitKind.FACT), id=line.id) for line in self.recalled]


async def context(
    graph: Graph, tenant: TenantId, wanted: Wanted, *, now: datetime, ask: Callable[[Question], Awaitable[Answer]]
) -> Context:
    """Return what an agent should know of a user before it answers.

    Args:
        ask: recalls.

    Raises:
        InputError: the question cannot be asked like this, or the budget is out of bounds.
        UnavailableError: Neo4j does not answer, and recall has nothing of this memory elsewhere.
    """
    question = checked(wanted)
    of_now = wanted.as_of is None and wanted.valid_at is None
    former = of_now and asks_of_former_times(wanted.query)
    moments = moments_asked(valid_at=wanted.valid_at, as_of=wanted.as_of, now=now)
    facts, answer = await asyncio.gather(
        _core(graph, tenant, wanted.user_id, moments=moments, now=of_now),
        ask(question),
    )
    language = wanted.language or (Language.ZH if is_chinese(wanted.query) else Language.EN)
    closed = [fact for fact in facts or () if fact.kind is CoreKind.EARLIER]
    known = [fact for fact in facts or () if former or fact.kind is not CoreKind.EARLIER]
    asked, with_uris = words_in(wanted.query), wanted.with_uris

    def written() -> Context:
        lines = [
            *lines_of_core(known, language, with_uris=with_uris),
            *lines_of_hits(answer.hits, asked, language, with_uris=with_uris, closed=[] if former else closed),
        ]
        return laid_out(lines, wanted, language, answer, core_known=facts is not None)

    chars = sum(len(hit.text) for hit in answer.hits)
    return written() if chars <= _WRITTEN_HERE_CHARS else await _WRITING.run(written)


async def _core(
    graph: Graph, tenant: TenantId, user_id: str, *, moments: AsOf, now: bool
) -> tuple[CoreFact, ...] | None:
    """Core Memory; None while Neo4j is away, when recall may still have something on disk."""
    try:
        return await core_memory(graph, tenant, user_id, moments=moments, now=now)
    except UnavailableError:
        return None


def checked(wanted: Wanted) -> Question:
    """Return the question to recall.

    Raises:
        InputError: listing every mistake found.
    """
    question = Question(
        user_id=wanted.user_id,
        text=wanted.query,
        limit=_HITS_MAX,
        valid_at=wanted.valid_at,
        as_of=wanted.as_of,
        evidence=LIMITS.evidence,
        session_id=wanted.session_id,
    )
    problems: tuple[str, ...] = ()
    if not 1 <= wanted.tokens_max <= LIMITS.context_tokens:
        problems = (f"maxTokens is {wanted.tokens_max}; use 1 to {LIMITS.context_tokens}",)
    try:
        check_question(question)
    except InputError as error:
        problems = (*error.problems, *problems)
    if problems:
        raise InputError("; ".join(problems), problems)
    return question


def laid_out(
    lines: Sequence[ContextLineDraft], wanted: Wanted, language: Language, answer: Answer, *, core_known: bool = True
) -> Context:
    """Return the lines that fit, as text and as values. Pure."""
    said = _preamble(lines, language, answer, core_known=core_known)
    frame = tokens_in(fenced("\n".join(said), ""))
    notes = answer.notes
    nothing = Context(
        text="",
        tokens=0,
        tokens_max=wanted.tokens_max,
        language=language,
        core=(),
        recalled=(),
        confidence=answer.confidence,
        nothing_relevant=answer.nothing_relevant,
        degraded=answer.degraded,
        notes=answer.notes,
    )
    if frame > wanted.tokens_max:
        why = f"maxTokens is {wanted.tokens_max}; the frame of a context alone takes {frame}, so nothing was told"
        return replace(nothing, notes=(*notes, why))
    pieces = packed(
        (line.piece for line in lines),
        tokens_max=wanted.tokens_max - frame,
        headings=heading_costs(language),
        core_share=CORE_SHARE_IN_DOUBT if answer.nothing_relevant else CORE_SHARE,
    )
    chosen = {(piece.id, piece.section) for piece in pieces}
    told = _in_order([line for line in lines if (line.piece.id, line.piece.section) in chosen])
    text = fenced("\n".join(said), "\n".join(_written(told, language, with_uris=wanted.with_uris)))
    if len(told) < len(lines):
        notes = (
            *notes,
            f"{len(lines) - len(told)} more were found: told already, or too long for {wanted.tokens_max} tokens",
        )
    return replace(
        nothing,
        text=text,
        tokens=tokens_in(text),
        core=tuple(_value(line, told) for line in told if line.piece.part is Part.CORE),
        recalled=tuple(_value(line, told) for line in told if line.piece.part is Part.RECALL),
        notes=notes,
    )


def _preamble(lines: Sequence[ContextLineDraft], language: Language, answer: Answer, *, core_known: bool) -> list[str]:
    words = WORDS[language]
    said = [words.preamble]
    if not core_known:
        said.append(words.away)
    elif not any(line.piece.part is Part.CORE for line in lines):
        said.append(words.no_profile if answer.hits else words.nobody)
    if not answer.hits:
        said.append(words.nothing)
    elif answer.nothing_relevant:
        said.append(words.doubtful.format(confidence=answer.confidence or 0.0))
    return said


def _in_order(lines: Sequence[ContextLineDraft]) -> list[ContextLineDraft]:
    """By heading; under each the newest first, but what was said in a scene below it, as it was said."""
    told = {line.piece.id for line in lines if line.kind == "scene"}
    heads = [line for line in lines if line.scene_id not in told]
    heads.sort(key=_place)
    below = sorted((line for line in lines if line.scene_id in told), key=lambda line: (line.at, line.piece.id))
    ordered: list[ContextLineDraft] = []
    for head in heads:
        ordered.append(head)
        ordered += [line for line in below if head.kind == "scene" and line.scene_id == head.piece.id]
    return ordered


def _place(line: ContextLineDraft) -> tuple[int, bool, float, str]:
    """Return what holds stands before what does not any more, the newest first."""
    return list(Section).index(line.section), line.until is not None, -line.at.timestamp(), line.piece.id


def _written(told: Sequence[ContextLineDraft], language: Language, *, with_uris: bool) -> list[str]:
    headings = WORDS[language].headings
    scenes = {line.piece.id for line in told if line.kind == "scene"}
    written: list[str] = []
    section: Section | None = None
    for mark, line in enumerate(told, start=1):
        if line.section is not section:
            section = line.section
            written.append(headings[section])
        indent = "  - " if line.scene_id in scenes else "- "
        written.append(f"{indent}{line.text} [{mark}{f' {line.uri}' if with_uris else ''}]")
    return written


def _value(line: ContextLineDraft, told: Sequence[ContextLineDraft]) -> ContextLine:
    marks = {one.piece.id: mark for mark, one in enumerate(told, start=1) if one.kind == "scene"}
    return ContextLine(
        mark=told.index(line) + 1,
        kind=line.kind,
        id=line.piece.id,
        uri=line.uri,
        text=line.text,
        at=line.at,
        until=line.until,
        under=marks.get(line.scene_id) if line.scene_id else None,
    )
