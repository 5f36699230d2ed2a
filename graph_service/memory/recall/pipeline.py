"""Question → ranked evidence, in one round trip to the database."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from extraction.bounded_threads import BoundedThreads
from extraction.embeddings.embedder import EmbeddedQuestion, Embedder, embed_question
from extraction.embeddings.late_interaction import QuestionTokens
from extraction.query_analysis import (
    AnswerType,
    Intent,
    QueryAnalysis,
    answer_type,
    asked_beyond,
    intent_of,
    name_keys,
    role_asked,
)
from extraction.temporal.question_time import AskedTime, QuestionTime, time_asked
from extraction.text.chinese import is_chinese
from extraction.text.fulltext_words import words_in
from extraction.text.search_terms import terms_of
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.recall.candidates import CandidateSet, EvidenceMessage, found_in
from graph_service.memory.recall.confidence import (
    RELEVANT_MIN,
    ConfidenceFeatures,
    confidence_of,
    sign_weights,
    signs_of,
)
from graph_service.memory.recall.filters import Removed
from graph_service.memory.recall.query import HitKind, Question, check_question, limited, reference_of
from graph_service.memory.recall.ranking import Ranked, Weights, rank, weights_for
from graph_service.memory.recall.result_page import AS_MEASURED, OrderRules, ResultPage, beside_in, page, turn_of
from graph_service.memory.recall.retrieval import also_meant, recall_parameters
from graph_service.observability.metrics import RECALL_SIMILARITY
from schema.errors import UnavailableError
from schema.fact import FactKind
from schema.ids import TenantId
from schema.timespan import Timespan

# The part of a text that a hit shows. Pure.

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


# The vectors of a question, or why there are none.


async def embedded_question(embedder: Embedder | None, text: str) -> tuple[EmbeddedQuestion | None, tuple[str, ...]]:
    """Return the question in vectors, or None and why there are none: recall then works by words and names."""
    if embedder is None:
        return None, ("no embedder is configured: searched by words and names only",)
    try:
        return await embed_question(embedder, text), ()
    except UnavailableError as error:
        return None, (f"the embedder is away ({error.message}): searched by words and names only",)


# A question, taken apart for the ranking.


async def asked_about(text: str, time: QuestionTime, tokens: QuestionTokens | None) -> QueryAnalysis:
    """Return what ranking needs to know of a question."""
    topic = topic_of(text, time)
    # The first Chinese question loads a dictionary, for about a second.
    chinese = is_chinese(text)
    terms = await asyncio.to_thread(terms_of, topic, characters=True) if chinese else terms_of(topic)
    wanted = answer_type(text)
    return QueryAnalysis(
        terms=terms,
        name_keys=frozenset(name_keys(text)),
        time=time.exact_span,
        wants_time=wanted is AnswerType.WHEN,
        wants_number=wanted is AnswerType.HOW_MANY,
        tokens=tokens,
        role=role_asked(text),
        beyond=asked_beyond(text),
    )


def topic_of(text: str, time: QuestionTime) -> str:
    """Return a question without the words that name a time, unless it has no others."""
    rest = time.topic_of(text)
    return rest if words_in(rest) else text


def noted(found: CandidateSet) -> CandidateSet:
    """Return the same; how near the nearest thing of it is was noted, when vectors were compared."""
    nearest = max((one.cosine for one in found.candidates if one.cosine is not None), default=None)
    if nearest is not None:
        RECALL_SIMILARITY.note(nearest)
    return found


# Ranking this much text takes about 20 ms; more is ranked away from the event loop, where nobody else waits for it.
_RANKED_HERE_CHARS: Final = 50_000
_RANKING: Final = BoundedThreads(cpu_max_s=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that answers the question.

    Attributes:
        parts: named shares of the score; they sum to it.
        snippet: at most 100 characters of the text around the first word asked for.
        pending: the message is stored and searchable, but no scene or fact was read from it yet.
        subject, predicate, object, relation, fact_kind, rationale, steps: of facts only.
    """

    kind: HitKind
    id: str
    uri: str
    score: float
    parts: Mapping[str, float]
    snippet: str
    text: str
    said_at: datetime
    title: str | None = None
    speaker: str | None = None
    role: str | None = None
    pending: bool = False
    invalid_at: datetime | None = None
    subject: str | None = None
    predicate: str | None = None
    relation: str | None = None
    object: str | None = None
    strength: float | None = None
    confidence: float | None = None
    fact_kind: FactKind | None = None
    rationale: str | None = None
    steps: tuple[str, ...] = ()
    evidence: tuple[EvidenceMessage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hits, best first, and how they were found.

    Attributes:
        path: the channels that found something, sorted; of the named modes, the steps that were taken.
        notes: what was missing, in words: an embedder that is away, a question without words.
        asked_time, asked_times: what the question names: from the first to the last time, and each with its words.
        signs: what `confidence` follows from.
        confidence: 0…1, how likely the memory holds an answer; None when that was not judged.
        degraded: the database is away; this is what the spool and the last snapshot hold.
        snapshot_age_s: how old that snapshot is; None when none was searched.
        removed: what was found and left out, and why.
        cursor: brings the next page; None when there is none.
    """

    hits: tuple[Hit, ...]
    path: tuple[str, ...]
    notes: tuple[str, ...]
    asked_time: Timespan | None = None
    signs: ConfidenceFeatures | None = None
    confidence: float | None = None
    degraded: bool = False
    snapshot_age_s: float | None = None
    removed: tuple[Removed, ...] = ()
    cursor: str | None = None
    asked_times: tuple[AskedTime, ...] = ()
    intent: Intent = Intent.GENERAL
    answer_type: AnswerType = AnswerType.OTHER

    @property
    def nothing_relevant(self) -> bool:
        """True if the memory probably holds no answer."""
        return not self.hits or (self.confidence is not None and self.confidence < RELEVANT_MIN)


async def recall(
    graph: Graph,
    embedder: Embedder | None,
    tenant: TenantId,
    question: Question,
    *,
    now: datetime,
    hints: Sequence[str] = (),
    rules: OrderRules = AS_MEASURED,
) -> Answer:
    """Return what a user's memory holds about a question.

    Args:
        hints: names that the question may mean without saying them.

    Raises:
        InputError: the question cannot be asked like this.
        UnavailableError: Neo4j does not answer.
        TooSlowError: ranking what was found took too long.
    """
    span = check_question(question)
    turn = turn_of(tenant, question, now=now)
    now = turn.asked_at
    time = time_asked(question.text, reference_of(question, now))
    (span, said_notes), intent = limited(span, time), intent_of(question.text, time)
    embedded, notes = await embedded_question(embedder, question.text)
    asked = await asked_about(question.text, time, None if embedded is None else embedded.tokens)
    words = words_in(topic_of(question.text, time))
    parameters = recall_parameters(tenant, question, span, embedded, words, asked, now)
    parameters["entity_keys"] += also_meant(question.text, hints, asked)
    weights = _weights(question.text, embedder, asked)
    parameters["with_layer_scores"] = rules.beside(question)
    rows = await graph.read(statement("recall/recall"), parameters)
    found = noted(found_in(rows[0], question.kinds, None if embedded is None else embedded.vector))

    def judged() -> tuple[ConfidenceFeatures, ResultPage, tuple[Hit, ...]]:
        signs = signs_of(
            question.text, found.candidates, asked=terms_of(" ".join(words)), own_names=(question.user_id,)
        )
        answer = page(
            found.candidates,
            beside_in(rows[0]["layer_scores"]),
            tenant=tenant,
            question=question,
            turn=turn,
            rules=rules,
            intent=intent,
            asked=asked,
            best=lambda left: rank(
                replace(found, candidates=tuple(left)), weights, asked=asked, now=now, limit=len(left)
            ),
        )
        return signs, answer, tuple(_hit(item, words) for item in answer.ranked)

    chars = sum(len(one.text) for one in found.candidates)
    signs, answer, hits = judged() if chars <= _RANKED_HERE_CHARS else await _RANKING.run(judged)
    return Answer(
        hits=hits,
        path=answer.path,
        removed=answer.removed,
        cursor=answer.cursor,
        notes=(*notes, *said_notes, *(() if words else ("the question has no words to search for",))),
        asked_time=time.span,
        signs=signs,
        confidence=confidence_of(signs, sign_weights(question.text, signs)) if answer.ranked else 0.0,
        asked_times=time.asked,
        intent=intent,
        answer_type=answer_type(question.text),
    )


def _weights(text: str, embedder: Embedder | None, asked: QueryAnalysis) -> Weights:
    return weights_for(
        chinese=is_chinese(text),
        vectors=embedder is not None,
        tokens=asked.tokens is not None,
        chars=len(text),
    )


def _hit(ranked: Ranked, words: Sequence[str]) -> Hit:
    found = ranked.candidate
    return Hit(
        kind=found.kind,
        id=found.id,
        uri=found.uri,
        score=ranked.score,
        parts=ranked.parts,
        snippet=snippet(found.text, words),
        text=found.text,
        said_at=found.said_at,
        title=found.title,
        speaker=found.speaker,
        role=found.role,
        pending=found.unread,
        invalid_at=found.invalid_at,
        subject=found.subject,
        predicate=found.predicate,
        relation=found.relation,
        object=found.object,
        strength=found.strength,
        confidence=found.confidence,
        fact_kind=FactKind(found.fact_kind) if found.fact_kind else None,
        rationale=found.rationale,
        steps=found.steps,
        evidence=found.evidence,
    )
