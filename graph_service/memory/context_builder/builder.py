"""Build the context for an agent's prompt: Core Memory and recalled memory within a token budget.

Start with `context`; it makes two concurrent round trips.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from extraction.bounded_threads import BoundedThreads
from extraction.query_analysis import asks_what_ended
from extraction.text.languages import main_language
from extraction.text.token_estimate import tokens_in
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import raise_problems
from graph_service.memory.context_builder.lines import LineWriter, heading_costs
from graph_service.memory.context_builder.packing import (
    CORE_SHARE,
    CORE_SHARE_FOR_LIST,
    CORE_SHARE_IN_DOUBT,
    ContextLine,
    Part,
    packed,
)
from graph_service.memory.context_builder.phrasing import WORDS, Language, Section
from graph_service.memory.context_builder.prompt_safety import fenced
from graph_service.memory.facts.bitemporal import AsOf, resolve_as_of
from graph_service.memory.profile.reader import CoreFact, CoreKind, core_memory
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, QueryFilters, Question, check_question
from schema.errors import InputError, UnavailableError
from schema.filters import EVERYTHING, Filter
from schema.ids import TenantId
from schema.labels import Role
from schema.limits import LIMITS

# More hits than fit into a prompt, because some are left out as duplicates.
_HITS_MAX: Final = 50
# Contexts from more text than this are built in a thread, so that the event loop is not blocked.
_BUILT_HERE_CHARS: Final = 50_000
_BUILDING: Final = BoundedThreads(cpu_max_s=30.0)
_NOTHING_ASKED: Final = Answer(hits=(), search_path=(), notes=())
# Stands for an empty question where the others are checked.
_ANY_TEXT: Final = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """A request for context.

    Attributes:
        query: the user's message; if empty, the context is Core Memory alone.
        tokens_max: maximum length of the text in tokens, as estimated.
        valid_at, as_of: valid time and transaction time, as in `Question`; without both, what is valid now.
        where: recall only what comes from messages whose metadata match this filter.
        language: language of the headings; by default that of the question, or without one that of Core Memory.
        with_uris: write the URI of each line after its number.
    """

    user_id: str
    query: str = ""
    tokens_max: int = 1000
    session_id: str | None = None
    valid_at: datetime | None = None
    as_of: datetime | None = None
    tags: tuple[str, ...] = ()
    where: Filter = EVERYTHING
    language: Language | None = None
    with_uris: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Memory formatted for a prompt, and the lines it consists of.

    Attributes:
        text: an introduction, and the memory as a quoted block, escaped so that it cannot be ended early.
        tokens: estimated length of the text.
        core: core memory, independent of the query: profile, stable preferences, emotional triggers.
        recalled: results for the query: scenes with their messages, and facts.
        confidence: 0 to 1: probability that the memory contains an answer; None if not estimated.
        nothing_relevant: the memory probably contains no answer.
        degraded: the database is unavailable; the result may be incomplete.
        notes: what is missing or was left out, and why.
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
    def used(self) -> list[tuple[HitKind, str]]:
        """Return kinds and ids of the recalled lines for the access log; without Core Memory, which is always shown."""
        kinds = {kind.value: kind for kind in HitKind}
        return [(kinds.get(line.kind, HitKind.FACT), line.id) for line in self.recalled]


async def context(
    graph: Graph,
    tenant: TenantId,
    request: ContextRequest,
    *,
    now: datetime,
    ask: Callable[[Question], Awaitable[Answer]],
) -> Context:
    """Return the context for a question.

    Args:
        ask: recalls the answer to a question.

    Raises:
        UnavailableError: Neo4j does not answer, and nothing of this memory is available on disk.
    """
    question = question_for(request)
    of_now = request.as_of is None and request.valid_at is None
    former = of_now and asks_what_ended(request.query)
    moments = resolve_as_of(valid_at=request.valid_at, as_of=request.as_of, now=now)
    facts: tuple[CoreFact, ...] | None
    if request.query:
        facts, answer = await asyncio.gather(
            _core(graph, tenant, request.user_id, moments=moments, now=of_now), ask(question)
        )
        told = [request.query]
    else:
        facts, answer = await core_memory(graph, tenant, request.user_id, moments=moments, now=of_now), _NOTHING_ASKED
        told = [fact.statement for fact in facts]
    language = request.language or Language(main_language(told))
    closed = [fact for fact in facts or () if fact.kind is CoreKind.EARLIER]
    known = [fact for fact in facts or () if former or fact.kind is not CoreKind.EARLIER]
    candidates = [hit.candidate for hit in answer.hits]
    zoned = [(one.said_at, one.zone) for one in candidates if one.zone]
    zoned = zoned or [(fact.since, fact.zone) for fact in known if fact.zone]
    zone = max(zoned)[1] if zoned else None

    def built() -> Context:
        lines = LineWriter(language=language, zone=zone, with_uris=request.with_uris, now=moments.valid_at)
        recalled = lines.of_candidates(
            candidates,
            answer.analysis.passage_terms,
            tokens_max=request.tokens_max,
            asks_agent=answer.analysis.asks_agent or answer.analysis.role is Role.ASSISTANT,
            closed=[fact for fact in closed if fact.rejected or not former],
        )
        return rendered([*lines.of_core(known), *recalled], request, language, answer, core_known=facts is not None)

    chars = sum(len(one.text) for one in candidates)
    return built() if chars <= _BUILT_HERE_CHARS else await _BUILDING.run(built)


async def _core(
    graph: Graph, tenant: TenantId, user_id: str, *, moments: AsOf, now: bool
) -> tuple[CoreFact, ...] | None:
    """Return Core Memory; None while Neo4j is unavailable, because recall may still find something on disk."""
    try:
        return await core_memory(graph, tenant, user_id, moments=moments, now=now)
    except UnavailableError:
        return None


def question_for(request: ContextRequest) -> Question:
    """Return the request as a recall question.

    Raises:
        InputError: lists all problems.
    """
    question = Question(
        user_id=request.user_id,
        text=request.query or _ANY_TEXT,
        limit=_HITS_MAX,
        valid_at=request.valid_at,
        as_of=request.as_of,
        evidence=LIMITS.evidence,
        session_id=request.session_id,
        filters=QueryFilters(tags=request.tags, where=request.where),
    )
    problems = list[str]()
    try:
        check_question(question)
    except InputError as error:
        problems += error.problems
    if not 1 <= request.tokens_max <= LIMITS.context_tokens:
        problems.append(f"maxTokens is {request.tokens_max}; use 1 to {LIMITS.context_tokens}")
    raise_problems(problems)
    return question


def rendered(
    lines: Sequence[ContextLine],
    request: ContextRequest,
    language: Language,
    answer: Answer,
    *,
    core_known: bool = True,
) -> Context:
    """Return the context with the lines that fit the budget. Pure."""
    preamble = "\n".join(_preamble(lines, language, answer, core_known=core_known))
    frame_tokens = tokens_in(fenced(preamble, ""))
    notes = answer.notes
    empty = Context(
        text="",
        tokens=0,
        tokens_max=request.tokens_max,
        language=language,
        core=(),
        recalled=(),
        confidence=answer.confidence,
        nothing_relevant=answer.nothing_relevant if request.query else not lines,
        degraded=answer.degraded,
        notes=answer.notes,
    )
    if frame_tokens > request.tokens_max:
        why = f"maxTokens is {request.tokens_max}; the preamble alone needs {frame_tokens}, so the text is empty"
        return replace(empty, notes=(*notes, why))
    chosen = packed(
        lines,
        tokens_max=request.tokens_max - frame_tokens,
        headings=heading_costs(language),
        core_share=_core_share(answer),
    )
    shown = _in_order(chosen)
    text = fenced(preamble, "\n".join(_text_lines(shown, language, with_uris=request.with_uris)))
    if len(shown) < len(lines):
        more = len(lines) - len(shown)
        notes = (
            *notes,
            f"{more} more were found, but are already included, or too long for {request.tokens_max} tokens",
        )
    return replace(
        empty,
        text=text,
        tokens=tokens_in(text),
        core=tuple(line for line in shown if line.part is Part.CORE),
        recalled=tuple(line for line in shown if line.part is Part.RECALL),
        notes=notes,
    )


def _core_share(answer: Answer) -> float:
    if answer.nothing_relevant:
        return CORE_SHARE_IN_DOUBT
    return CORE_SHARE_FOR_LIST if answer.analysis.asks_list else CORE_SHARE


def _preamble(lines: Sequence[ContextLine], language: Language, answer: Answer, *, core_known: bool) -> list[str]:
    words = WORDS[language]
    preamble = [words.preamble]
    if not core_known:
        preamble.append(words.unavailable)
    elif not any(line.part is Part.CORE for line in lines):
        unread = sum(hit.candidate.pending for hit in answer.hits)
        unknown = words.no_profile if answer.hits else words.nothing_known
        preamble.append(words.unread.format(count=unread) if unread else unknown)
    if answer is _NOTHING_ASKED:
        return preamble
    if not answer.hits:
        preamble.append(words.nothing)
    elif answer.nothing_relevant:
        preamble.append(words.doubtful.format(confidence=answer.confidence or 0.0))
    return preamble


def _in_order(lines: Sequence[ContextLine]) -> list[ContextLine]:
    """Number the lines by `_line_order`, but put the messages of a scene right below it, oldest first."""
    scenes = {line.id for line in lines if line.kind == "scene"}
    heads = [line for line in lines if line.scene_id not in scenes]
    heads.sort(key=_line_order)
    below = sorted((line for line in lines if line.scene_id in scenes), key=lambda line: (line.at, line.id))
    ordered: list[ContextLine] = []
    for head in heads:
        ordered.append(head)
        ordered += [line for line in below if head.kind == "scene" and line.scene_id == head.id]
    numbers = {line.id: number for number, line in enumerate(ordered, start=1) if line.kind == "scene"}
    return [
        replace(line, number=number, parent=numbers.get(line.scene_id or ""))
        for number, line in enumerate(ordered, start=1)
    ]


def _line_order(line: ContextLine) -> tuple[int, bool, float, str]:
    """Return the sort key of a line: by section, valid facts before ended ones, newest first."""
    return list(Section).index(line.section), line.until is not None, -line.at.timestamp(), line.id


def _text_lines(shown: Sequence[ContextLine], language: Language, *, with_uris: bool) -> list[str]:
    headings = WORDS[language].headings
    scenes = {line.id for line in shown if line.kind == "scene"}
    text_lines: list[str] = []
    section: Section | None = None
    for line in shown:
        if line.section is not section:
            section = line.section
            text_lines.append(headings[section])
        indent = "  - " if line.scene_id in scenes else "- "
        text_lines.append(f"{indent}{line.text} [{line.number}{f' {line.uri}' if with_uris else ''}]")
    return text_lines
