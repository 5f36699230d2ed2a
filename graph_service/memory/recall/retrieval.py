"""What `recall/recall` is asked with. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from extraction.embeddings.embedder import EmbeddedQuestion
from extraction.entities.kinship_terms import own_ties_in, ties_in
from extraction.query_analysis import QueryAnalysis, capitals_in, name_keys
from extraction.text.chinese import is_chinese
from extraction.text.search_terms import both_spellings
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.lucene import NOTHING, scoped_query
from graph_service.memory.facts.bitemporal import moments_asked
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId, name_key, scope_token
from schema.timespan import Timespan, as_utc, millis

# Whom and what a question names, for the statement that looks for it and for what it is tied to. Pure.

# A memory of 100,000 messages has thousands of edges at one name; to look at 3,000 facts takes 50 ms.
_EDGES_PER_ENTITY = 400
# So two facts away at most 20 times 40 are looked at.
_MAX_BRIDGES, _MAX_DEGREE = 20, 40


def named_parameters(text: str, *, scope_user: str) -> dict[str, Any]:
    """Return what `recall/recall` is told of the names in a question."""
    ties = own_ties_in(text)
    return {
        "entity_keys": name_keys(text),
        "kinship_words": ties,
        "kinship_query": scoped_query(ties, fields=["relation"], scope_user=scope_user, days=False),
        "edges_per_entity": _EDGES_PER_ENTITY,
        "max_bridges": _MAX_BRIDGES,
        "max_degree": _MAX_DEGREE,
    }


def also_meant(text: str, hints: Sequence[str], asked: QueryAnalysis) -> list[str]:
    """Return a hint and "my sister" bring what mentions the name, but do not count as naming a speaker."""
    keys = (*(name_key(hint) for hint in hints), *ties_in(text))
    return [key for key in keys if key and key not in asked.name_keys]


# Candidates of each channel; with 50 there are half as many again, and no more of the gold comes among the first ten.
_PER_CHANNEL = 30
# Messages near a hit often are the answer. With two on each side of the best 20 of each channel 147 messages are ranked
# and hold .962 of the gold (LoCoMo, development half). The best 12 are 115 messages and .954, in a seventh less time,
# but in a memory of both languages LoCoMo-zh's recall@10 was .015 lower.
_EXPAND_TOP, _NEIGHBOUR_RADIUS = 20, 2
_PER_CHANNEL_FACTOR = 8
# Of 100,000 messages the index finds .992 of the ten nearest when it looks for 400, .946 when it looks for 60.
VECTOR_K = 400
# Characters of evidence that come with all that is found, and at least of each message; longer texts of hits are read
# afterwards. Facts and scenes are found by eight channels at most.
_EVIDENCE_FOUND_CHARS, _EVIDENCE_CHARS_MIN, _CHANNELS = 4_000_000, 300, 8
_MS_MIN, _MS_MAX = -(2**52), 2**52


def recall_parameters(
    tenant: TenantId,
    question: Question,
    span: Timespan,
    embedded: EmbeddedQuestion | None,
    words: Sequence[str],
    asked: QueryAnalysis,
    now: datetime,
) -> dict[str, Any]:
    """Return all parameters but those of the order.

    Args:
        span: the time that is wanted.
        words: what is searched for, in order.
        now: when the question is asked.
    """
    scope = scope_token(tenant, question.user_id)
    # What was heard later, or is narrowed away, is left out of what the indexes find, so they must find more.
    per_channel = max(_PER_CHANNEL, question.limit) * (
        _PER_CHANNEL_FACTOR if question.as_of or question.narrowed.by_element else 1
    )
    moments = moments_asked(valid_at=question.valid_at, as_of=question.as_of, now=now)
    kinds, words = question.kinds, both_spellings(words)
    from_ms = millis(span.start) if span.start else _MS_MIN
    to_ms = millis(span.end) if span.end else _MS_MAX
    sought = None if embedded is None else vector_parameter(embedded.vector)
    asked_from_ms, asked_to_ms = (0, 0) if asked.time is None else _within(asked.time, from_ms, to_ms)
    return {
        "tenant": tenant,
        "user_id": question.user_id,
        "vector": sought,
        "scene_vector": sought if HitKind.SCENE in kinds else None,
        # Facts tell of the messages that prove them, also when they are not wanted themselves.
        "fact_vector": sought if {HitKind.FACT, HitKind.MESSAGE} & set(kinds) else None,
        **_queries(question, span, words, scope),
        **named_parameters(question.text, scope_user=scope),
        "valid_at": as_utc(moments.valid_at).astimezone(UTC),
        "known_at": None if moments.known_at is None else as_utc(moments.known_at).astimezone(UTC),
        "per_channel": per_channel,
        "expand_top": _EXPAND_TOP,
        "vector_k": max(VECTOR_K, 2 * per_channel),
        **question.narrowed.parameters(tenant, question.user_id),
        "kinds": [kind.value for kind in kinds],
        "asked_from_ms": asked_from_ms,
        "asked_to_ms": asked_to_ms,
        "neighbour_radius": _NEIGHBOUR_RADIUS,
        "with_tokens": asked.tokens is not None,
        "from_ms": from_ms,
        "to_ms": to_ms,
        "evidence_max": question.evidence,
        "evidence_chars": max(
            _EVIDENCE_FOUND_CHARS // (_CHANNELS * per_channel * max(question.evidence, 1)), _EVIDENCE_CHARS_MIN
        ),
    }


def _queries(question: Question, span: Timespan, words: Sequence[str], scope: str) -> dict[str, str]:
    """Lucene, scoped to the user and, but for facts, to days."""
    kinds, names = question.kinds, capitals_in(question.text)
    of_messages = scoped_query(
        words if HitKind.MESSAGE in kinds else (),
        fields=["text"],
        scope_user=scope,
        start=span.start,
        end=span.end,
        faint=names,
    )
    return {
        "message_query": of_messages if any(not word.isascii() for word in words) else NOTHING,
        "stem_query": NOTHING if is_chinese(question.text) else of_messages,
        "scene_query": scoped_query(
            words if HitKind.SCENE in kinds else (),
            fields=["name", "abstract", "overview"],
            scope_user=scope,
            start=span.start,
            end=span.end,
        ),
        "fact_query": scoped_query(
            words if HitKind.FACT in kinds else (), fields=["statement", "relation"], scope_user=scope, days=False
        ),
    }


def _within(asked: Timespan, from_ms: int, to_ms: int) -> tuple[int, int]:
    """Return the time a question names, as far as it lies in the time wanted."""
    start, end = asked.start, asked.end
    return max(millis(start), from_ms) if start else from_ms, min(millis(end), to_ms) if end else to_ms
