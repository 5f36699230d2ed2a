"""Build the parameters of the statement `recall/recall`, which retrieves candidates, and parse its row. Pure.

`filtered` checks the scope of the candidates a second time.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import isnan, nan
from operator import attrgetter
from typing import Any, Final

from extraction.embeddings.embedder import CROSS_LANGUAGE_SCALE
from extraction.embeddings.token_vectors import whole_cosines
from extraction.query_analysis import QueryAnalysis, TimeReference
from extraction.temporal.question_time import TimeAxis
from extraction.text.other_languages import perhaps_unaccented
from extraction.text.search_terms import both_spellings
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.lucene import NOTHING, scoped_query, tags_query
from graph_service.memory.messages.log import ALL_MESSAGES, MatchingMessages
from graph_service.memory.recall.candidates import (
    Candidate,
    CandidateSet,
    EvidenceMessage,
    LayerSimilarities,
    Removed,
)
from graph_service.memory.recall.corrections import with_corrections
from graph_service.memory.recall.query import HitKind, Question, ResolvedQuestion
from graph_service.memory.tags import normalized_tags, tag_tokens
from schema.fact import FactKind
from schema.ids import TenantId, memory_id, name_key, scope_token, session_uri
from schema.labels import Role
from schema.timespan import Timespan, as_utc, millis, moment_of

# In a memory of 100,000 messages one name may have thousands of edges; reading 3,000 facts takes 50 ms.
_EDGES_PER_ENTITY: Final = 400
# Facts two hops away are reached over at most 20 entities, with at most 40 edges each.
_MAX_BRIDGES, _MAX_DEGREE = 20, 40
# Candidates per channel. 50 give half as many candidates more, but no more gold evidence among the first ten hits.
_PER_CHANNEL: Final = 30
# Scenes and facts per channel. With 30 the everyday memories have the same answers and LoCoMo the same recall@10, and
# at 10,000 messages the statement takes a fifth more time, because each brings its evidence.
_SUMMARIES_PER_CHANNEL: Final = 15
# A neighbour of a hit is often the answer. Two neighbours on each side of the best 20 of each channel give 147 messages
# to rank, with .962 of the gold evidence (LoCoMo, development half). The best 12 give 115 messages with .954 in a
# seventh less time, but in a memory with both languages LoCoMo-zh then loses .015 of recall@10. Hits in the other
# language bring no neighbours: with them recall@10 is the same (.648 instead of .647; LoCoMo and LoCoMo-zh, each asked
# in the other language), and the statement takes a third more time.
_EXPAND_TOP, _NEIGHBOUR_RADIUS = 20, 2
# If results are filtered after the index search, the indexes return this many times more.
_FILTERED_FACTOR: Final = 8
# In 100,000 messages the vector index finds .992 of the ten nearest if asked for 400, and .946 if asked for 60.
VECTOR_K: Final = 400
# Texts that the vector indexes return for the cross-language vector of a question (`Embedded`); texts in the question's
# own language are about orthogonal to it.
_CROSS_LANGUAGE_K: Final = 100
# The language of a text is guessed in this beginning: three Latin words in a row may be English; other alphabets,
# letters with accents and a few frequent words are not. A guess only saves comparisons: the higher cosine counts.
_LANGUAGE_CHARS: Final = 400
_LATIN_WORDS: Final = r"[A-Za-z]{1,20}(?:[ ,.'’-]{1,3}[A-Za-z]{1,20}){2}"
_NOT_ENGLISH: Final = (
    r"[\u0370-\u1fff\u2e80-\ud7ff\uf900-\ufaff]|[à-öø-ÿœ¿¡]|\b(?:d(?:as|er|es|i)|e(?:in|ine|l|s|st|t)|ich|il|ist|je|le|les"
    r"|m(?:ein|eine|i|it|on)|nicht|p(?:ara|as|or|our)|que|sono|un[ae]|und|w(?:ie|o))\b"
)
OTHER_LANGUAGE: Final = "other_language"
# Channels of scenes whose score is the cosine of a summary.
_SCENE_COSINES: Final = frozenset({"abstract", "overview", "time", "happened"})
# Characters of evidence retrieved with all candidates, minimum for each message, and number of channels that find facts
# and scenes; `with_evidence` reads the rest of the evidence.
_EVIDENCE_FOUND_CHARS, _EVIDENCE_CHARS_MIN, _CHANNELS = 4_000_000, 300, 11
_MS_MIN, _MS_MAX = -(2**52), 2**52
# Messages with a tag or metadata that are read without an index of vectors or words.
_SEARCHED_MAX: Final = 1000
# Bounds of open ends of a time, and how long before a time one that overlaps it may begin: "in 2024" overlaps December.
_EPOCH, _FIRST, _LAST = (datetime(year, 1, 1, tzinfo=UTC) for year in (1970, 1, 9999))
_HAPPENED_REACH: Final = timedelta(days=366)
# Messages or scenes about the time of a question that are compared by vector; a year in a large memory has more.
_HAPPENED_SCAN: Final = 300


def recall_parameters(
    asked: ResolvedQuestion,
    analysis: QueryAnalysis,
    *,
    matching: MatchingMessages = ALL_MESSAGES,
) -> dict[str, Any]:
    """Return the parameters of `recall/recall`.

    Args:
        matching: the messages that match the filter on metadata.
    """
    tenant, question, moments = asked.tenant, asked.question, asked.moments
    filters, scope = question.filters, scope_token(tenant, question.user_id)
    session = memory_id(session_uri(tenant, question.user_id, filters.session_id)) if filters.session_id else ""
    factor, per_channel = _factor(question), messages_per_channel(question)
    kinds, span = question.kinds, analysis.span
    from_ms = millis(span.start) if span.start else _MS_MIN
    end = min((end for end in (span.end, asked.known_before) if end is not None), default=None)
    to_ms = millis(end) if end else _MS_MAX
    messages = HitKind.MESSAGE in kinds
    across = None if analysis.cross_language_vector is None else vector_parameter(analysis.cross_language_vector)
    named = analysis.time or analysis.event_time
    said_then = named is not None and analysis.time_axis is not TimeAxis.HAPPENED
    evidence_chars = _EVIDENCE_FOUND_CHARS // (_CHANNELS * per_channel * max(question.evidence, 1))
    return {
        "tenant": tenant,
        "user_id": question.user_id,
        "with_messages": messages,
        "with_scenes": HitKind.SCENE in kinds,
        "with_facts": HitKind.FACT in kinds,
        "vector": None if analysis.vector is None else vector_parameter(analysis.vector),
        "cross_language": across,
        "cross_language_k": max(_CROSS_LANGUAGE_K, per_channel),
        # Reluctant, because a greedy beginning would try every place from the end of the text.
        "other_language": "" if across is None else f"(?s).*?(?:{_other_language(analysis.english)}).*",
        "language_chars": _LANGUAGE_CHARS,
        **_searches(
            kinds, analysis, (from_ms, to_ms), _within(named, from_ms, to_ms) if named and said_then else (0, 0)
        ),
        # The end may be before the start: nothing was said in such a time.
        **_queries(tenant, question, analysis, scope, (span.start, end)),
        "searched_session": session if messages else "",
        "searched_ids": [] if matching.excludes or not messages else list(matching.ids)[:_SEARCHED_MAX],
        "entity_keys": list(analysis.entity_keys),
        "kinship_words": list(analysis.kinship_words),
        "kinship_query": scoped_query(analysis.kinship_words, fields=["relation"], scope_user=scope, days=False),
        "edges_per_entity": _EDGES_PER_ENTITY,
        "max_bridges": _MAX_BRIDGES,
        "max_degree": _MAX_DEGREE,
        "valid_at": as_utc(moments.valid_at).astimezone(UTC),
        "known_at": as_utc(moments.known_at or _LAST).astimezone(UTC),
        "as_of": moments.known_at is not None,
        "per_channel": per_channel,
        # Facts are filtered by time after the index search, too.
        "summaries_per_channel": max(_SUMMARIES_PER_CHANNEL, question.limit)
        * (_FILTERED_FACTOR if span.start or span.end else factor),
        "expand_top": _EXPAND_TOP,
        "vector_k": max(VECTOR_K, 2 * per_channel),
        "filtered": filters.by_element,
        "session": session,
        "agent": filters.agent_id or "",
        "roles": [role.value for role in filters.roles or Role],
        "entity_filter": sorted({name_key(name) for name in filters.entities}),
        "tags": list(normalized_tags(filters.tags)),
        "metadata_ids": list(matching.ids),
        "metadata_excluded": matching.excludes,
        **_happened(_happened_in(named, span) if analysis.time_axis is not TimeAxis.SAID else None),
        "neighbour_radius": _NEIGHBOUR_RADIUS,
        "with_tokens": analysis.tokens is not None,
        "by_time": span.start is not None or span.end is not None,
        "from_ms": from_ms,
        "to_ms": to_ms,
        "evidence_max": question.evidence,
        "evidence_chars": max(evidence_chars, _EVIDENCE_CHARS_MIN),
        # A caller that names a time asks for what was valid then.
        "with_closed": question.valid_at is None and question.as_of is None,
    }


def _factor(question: Question) -> int:
    """Return how many times more the indexes return if facts learned later, or filtered elements, are dropped."""
    return _FILTERED_FACTOR if question.as_of is not None or question.filters.by_element else 1


def messages_per_channel(question: Question) -> int:
    """Return the number of messages that each index returns for a question."""
    return max(_PER_CHANNEL, question.limit) * _factor(question)


def _searches(
    kinds: Collection[HitKind], analysis: QueryAnalysis, span_ms: tuple[int, int], asked_ms: tuple[int, int]
) -> dict[str, Any]:
    """Return the searches by vector, of messages `[channel, from_ms, to_ms]`, beside those of all requested kinds.

    Args:
        span_ms: the filter on time.
        asked_ms: the time that the question names; empty when it names none.
    """
    at_all, across = analysis.vector is not None, analysis.cross_language_vector is not None
    then = [["time", *asked_ms]] if at_all and asked_ms[0] < asked_ms[1] else []
    others = [[OTHER_LANGUAGE, *span_ms]] if across else []
    scenes = HitKind.SCENE in kinds
    return {
        "message_searches": then + others if HitKind.MESSAGE in kinds else [],
        "abstract_searches": ([["abstract", *span_ms]] if at_all else []) + then + others if scenes else [],
        "overview_searches": (["overview"] if at_all else []) + ([OTHER_LANGUAGE] if across else []) if scenes else [],
    }


def _other_language(english: bool) -> str:
    """Return a pattern of texts that another model may have embedded than that of the question."""
    return _NOT_ENGLISH if english else _LATIN_WORDS


def _queries(
    tenant: TenantId,
    question: Question,
    analysis: QueryAnalysis,
    scope: str,
    said: tuple[datetime | None, datetime | None],
) -> dict[str, Any]:
    """Return the full-text searches `[channel, index, query]`, limited to the user and, except for facts, to days."""
    (start, end), kinds, words = said, question.kinds, both_spellings(analysis.words)
    fuzzy = () if analysis.chinese else perhaps_unaccented(words, question.text)
    message_query = scoped_query(
        words if HitKind.MESSAGE in kinds else (),
        fields=["text"],
        scope_user=scope,
        start=start,
        end=end,
        faint=analysis.capitalized,
        fuzzy=fuzzy,
    )
    fact_query = scoped_query(
        words if HitKind.FACT in kinds else (),
        fields=["statement", "relation"],
        scope_user=scope,
        days=False,
        fuzzy=fuzzy,
    )
    tags = normalized_tags(question.filters.tags) if HitKind.MESSAGE in kinds else ()
    # English words are searched as stems only, Chinese ones as pairs of characters only.
    ways = [
        *(["words"] if any(not word.isascii() for word in words) else []),
        *([] if analysis.chinese else ["stems"]),
    ]
    by_words = messages_per_channel(question)
    return {
        "message_queries": [
            *([way, f"message_{way}", message_query, by_words] for way in ways if message_query != NOTHING),
            # The messages with a tag are few in a large memory: take all, as those of a session.
            *(
                [["tag", "message_tags", tags_query(tag_tokens(tenant, question.user_id, tags)), _SEARCHED_MAX]]
                if tags
                else []
            ),
        ],
        "scene_query": scoped_query(
            words if HitKind.SCENE in kinds else (),
            fields=["name", "abstract", "overview"],
            scope_user=scope,
            start=start,
            end=end,
        ),
        "fact_queries": [[way, f"fact_{way}", fact_query] for way in ways if fact_query != NOTHING],
    }


def _happened_in(named: Timespan | None, span: Timespan) -> Timespan | None:
    """Return the part of the time named by the question that lies within the filter on time; without one, the other."""
    if named is None:
        return span if span.start or span.end else None
    starts = [start for start in (named.start, span.start) if start]
    ends = [end for end in (named.end, span.end) if end]
    start, end = max(starts, default=None), min(ends, default=None)
    return None if start and end and end <= start else Timespan(start=start, end=end)


def _happened(named: Timespan | None) -> dict[str, Any]:
    """Return the parameters for elements that are about a time; an empty range for None."""
    start = _EPOCH if named is None else named.start or _FIRST
    end = _EPOCH if named is None else named.end or _LAST
    return {
        "happened_from": start,
        "happened_to": end,
        "happened_since": max(start, _FIRST + _HAPPENED_REACH) - _HAPPENED_REACH,
        "happened_scan": _HAPPENED_SCAN,
    }


def _within(asked: Timespan, from_ms: int, to_ms: int) -> tuple[int, int]:
    """Return the part of the time named by the question that lies within the filter on time."""
    start, end = asked.start, asked.end
    return max(millis(start), from_ms) if start else from_ms, min(millis(end), to_ms) if end else to_ms


def candidates_in(
    row: Mapping[str, Any], kinds: Collection[HitKind] = tuple(HitKind), analysis: QueryAnalysis | None = None
) -> CandidateSet:
    """Return the candidates in the one row of `recall/recall`.

    Args:
        kinds: requested kinds; facts that are not requested only raise the scores of the messages that prove them.
        analysis: analysis of the question, for the cosines of messages that the vector index did not return.
    """
    analysis = analysis or QueryAnalysis()
    facts = [_fact(one) for one in row["rows"] if one[0] == HitKind.FACT]
    fact_cosines, overtaken = _fact_cosines(one for one, _ in facts), _overtaken_by(facts)
    stored = [one[-1] for one in row["messages"]]
    cosines = whole_cosines(stored, analysis.vector or ()).tolist()
    cross_cosines = _cross_language_cosines(row["messages"], stored, analysis)
    messages = [
        _message(one, fact_cosines, overtaken, cosine, across, asks_agent=analysis.asks_agent)
        for one, cosine, across in zip(row["messages"], cosines, cross_cosines, strict=True)
    ]
    others = [_scene(one) for one in row["rows"] if one[0] == HitKind.SCENE]
    others += [one for one, _ in facts if HitKind.FACT in kinds]
    ordered = with_corrections(sorted(messages, key=attrgetter("session", "said_at", "position", "id")))
    return CandidateSet(
        candidates=tuple(sorted([*ordered, *others], key=attrgetter("kind", "id"))),
        messages=tuple(ordered),
        named=frozenset(row["named"]),
        proofs={one.id: one.proofs for one, _ in facts},
    )


def _cross_language_cosines(
    rows: Sequence[Sequence[Any]], stored: Sequence[bytes | None], analysis: QueryAnalysis
) -> list[float]:
    """Return the cosine of each message in the other language to the cross-language vector; NaN for all others."""
    if analysis.cross_language_vector is None:
        return [nan] * len(rows)
    other = re.compile(_other_language(analysis.english))
    of_others = [
        packed if other.search(row[0][5][:_LANGUAGE_CHARS]) else None for row, packed in zip(rows, stored, strict=True)
    ]
    cosines: list[float] = whole_cosines(of_others, analysis.cross_language_vector).tolist()
    return cosines


def _fact_cosines(facts: Iterable[Candidate]) -> dict[str, float]:
    """Return by message id the best cosine of a valid fact that the message proves."""
    best: dict[str, float] = {}
    for one in facts:
        if not one.closed and (cosine := one.cosine) is not None:
            best |= {proof: max(cosine, best.get(proof, -1.0)) for proof in one.proofs}
    return best


def _overtaken_by(facts: Iterable[tuple[Candidate, float | None]]) -> dict[str, str]:
    """Map the id of each message to the fact that superseded what the message says about the question.

    Args:
        facts: with the cosine of their text.

    Of the facts that a message proves, only the one nearest to the question counts; messages are left out if that one
    is valid.

    "I live in Porto and work as a nurse" is overtaken by the next home if the question asks where, but not if it asks
    for the job.
    """
    replaced: dict[str, tuple[float, str]] = {}
    valid: dict[str, float] = {}
    for one, cosine in facts:
        near = -1.0 if cosine is None else cosine
        for message in one.proofs:
            if one.overtaken_by:
                replaced[message] = max(replaced.get(message, (-2.0, "")), (near, one.overtaken_by))
            else:
                valid[message] = max(valid.get(message, -2.0), near)
    return {message: fact for message, (near, fact) in replaced.items() if near > valid.get(message, -2.0)}


def _message(
    row: Sequence[Any],
    fact_cosines: Mapping[str, float],
    overtaken: Mapping[str, str],
    own_cosine: float,
    cross_cosine: float,
    *,
    asks_agent: bool,
) -> Candidate:
    """Return the message in a row.

    Args:
        own_cosine: cosine of its stored vector to that of the question; NaN without one.
        cross_cosine: cosine of its stored vector to the cross-language vector of the question; NaN without one.
        asks_agent: the question asks what the agent said. To others, what the agent promised is seldom the answer, so
            facts do not raise the scores of its messages.
    """
    values, (mentioned_start_ms, mentioned_end_ms), scene, similarity, channels, tokens = row
    name, session, said_ms, position, speaker, text, uri, role, importance, unread, tags, zone, emotion = values
    found = _best(channels)
    cosine = _cosine(found.get("vector", found.get("time", similarity)))
    if cosine is None and not isnan(own_cosine):
        cosine = own_cosine
    if not isnan(cross_cosine):
        found[OTHER_LANGUAGE] = (1.0 + cross_cosine) / 2.0
    nearest = _best_cosine(cosine, found)
    return Candidate(
        kind=HitKind.MESSAGE,
        id=name,
        scores=found,
        cosine=nearest,
        is_cross_language=nearest != cosine,
        uri=uri,
        text=text,
        role=role,
        speaker=speaker,
        said_at=moment_of(said_ms),
        importance=importance,
        pending=bool(unread),
        tags=tuple(tags or ()),
        zone=zone,
        emotion=emotion,
        session=session,
        position=position or 0,
        tokens=tokens,
        mentioned_start=_moment(mentioned_start_ms),
        mentioned_end=_moment(mentioned_end_ms),
        fact_cosine=fact_cosines.get(name) if asks_agent or role != Role.ASSISTANT or speaker else None,
        overtaken_by=overtaken.get(name),
        scene=scene,
    )


def _scene(row: Sequence[Any]) -> Candidate:
    _, channels, values, (start_ms, end_ms), evidence = row
    name, uri, abstract, title, said_ms, importance = values
    compared = [score for channel, score in channels if channel in _SCENE_COSINES and score is not None]
    found, own = _best(channels), _cosine(max(compared, default=None))
    nearest = _best_cosine(own, found)
    messages = tuple(map(_evidence, evidence))
    said_at = moment_of(said_ms)
    return Candidate(
        kind=HitKind.SCENE,
        id=name,
        scores=found,
        cosine=nearest,
        is_cross_language=nearest != own,
        uri=uri,
        text=abstract or title or "",
        title=title,
        said_at=said_at,
        zone=_zone(messages, said_at),
        importance=importance,
        mentioned_start=_moment(start_ms),
        mentioned_end=_moment(end_ms),
        evidence=messages,
    )


def _fact(row: Sequence[Any]) -> tuple[Candidate, float | None]:
    """Return the fact in a row, and the cosine of its text to the question."""
    _, channels, values, times, invalid_ms, closed, told_as_ended, predicate, ends, similarity, across, evidence = row
    name, uri, text, relation, importance, strength, confidence, kind, rationale, steps, emotion, *links = values
    proofs, closed_by, closing_reason = links
    valid_ms, mentioned_start_ms, mentioned_end_ms = times
    found = _best(channels if across is None else [*channels, (OTHER_LANGUAGE, across)])
    own = _cosine(found.get("vector", similarity))
    nearest = _best_cosine(own, found)
    messages, said_at = tuple(map(_evidence, evidence)), moment_of(valid_ms)
    fact = Candidate(
        kind=HitKind.FACT,
        id=name,
        scores=found,
        cosine=nearest,
        is_cross_language=nearest != own,
        uri=uri,
        text=text or "",
        said_at=said_at,
        zone=_zone(messages, said_at),
        importance=importance,
        relation=relation,
        invalid_at=_moment(invalid_ms),
        strength=strength,
        confidence=confidence,
        predicate=predicate,
        subject=ends[0][0],
        object=ends[1][0],
        fact_kind=FactKind(kind or FactKind.FACT),
        rationale=rationale,
        steps=tuple(steps or ()),
        trigger_emotion=emotion,
        mentioned_start=_moment(mentioned_start_ms),
        mentioned_end=_moment(mentioned_end_ms),
        evidence=messages,
        proofs=tuple(proofs or ()),
        closed=closed,
        told_as_ended=told_as_ended,
        overtaken_by=closed_by if closed else None,
        withdrawn=closing_reason == "rejected",
        ends=tuple(end for _, end, is_entity in ends if is_entity),
    )
    return fact, own


def _zone(evidence: Sequence[EvidenceMessage], said_at: datetime) -> str | None:
    """Return the zone of the message with which a scene or fact begins."""
    first = min(evidence, key=lambda one: (one.said_at != said_at, one.said_at), default=None)
    return first.zone if first else None


def _moment(ms: int | None) -> datetime | None:
    return None if ms is None else moment_of(ms)


def _best(scores: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    """Return the best score of each channel; for elements that could not be compared, that of a cosine of 0."""
    best: dict[str, float] = {}
    for channel, score in scores:
        best[channel] = max(0.5 if score is None else score, best.get(channel, 0.0))
    return best


def _cosine(similarity: float | None) -> float | None:
    """Convert a similarity of Neo4j, (1 + cosine) / 2, to a cosine."""
    return None if similarity is None else 2.0 * similarity - 1.0


def _best_cosine(cosine: float | None, scores: Mapping[str, float]) -> float | None:
    """Return the higher of the cosine and the scaled cosine of the cross-language vector; None without either.

    The higher one is that of the text's language, because the other vector is about orthogonal to the text.
    """
    if (similarity := scores.get(OTHER_LANGUAGE)) is None:
        return cosine
    scaled = min(CROSS_LANGUAGE_SCALE * (2.0 * similarity - 1.0), 1.0)
    return scaled if cosine is None else max(cosine, scaled)


def _evidence(row: Sequence[Any]) -> EvidenceMessage:
    name, uri, role, speaker, said_ms, zone, text, whole_chars = row
    return EvidenceMessage(
        id=name,
        uri=uri,
        role=role,
        speaker=speaker,
        text=text,
        said_at=moment_of(said_ms),
        whole_chars=whole_chars,
        zone=zone,
    )


def layer_scores_in(rows: Iterable[Mapping[str, Any]]) -> dict[str, LayerSimilarities]:
    """Return by id of message or scene the similarities in the rows of `recall/layer_scores`."""
    return {
        row["id"]: LayerSimilarities(
            scene_id=row["scene"], abstract=_cosine(row["abstract"]), overview=_cosine(row["overview"])
        )
        for row in rows
    }


def filtered(
    found: CandidateSet, asked: ResolvedQuestion, analysis: QueryAnalysis
) -> tuple[CandidateSet, tuple[Removed, ...]]:
    """Return the candidates of the user (and session), kinds and roles asked for, and the numbers removed by reason.

    Facts that are no longer valid remain only if the question asks about a former state, or about a time at which they
    were valid.

    Retrieval filters by scope already; this second check, of URIs, keeps an index error from leaking a memory.
    """
    known_before, kinds = asked.known_before, asked.question.kinds
    roles = {role.value for role in asked.question.filters.roles}
    checks: list[tuple[str, Callable[[Candidate], bool]]] = [
        ("outside the scope", lambda one: one.uri.startswith(asked.uri_prefixes)),
        ("another kind", lambda one: one.kind in kinds),
        ("said later", lambda one: known_before is None or as_utc(one.said_at) < known_before),
        ("another role", lambda one: not roles or one.kind is not HitKind.MESSAGE or one.role in roles),
        ("no longer valid", lambda one: not one.closed or _is_asked_for(one, analysis)),
    ]
    kept, removed = list(found.candidates), []
    for why, passes in checks:
        before = len(kept)
        kept = [one for one in kept if passes(one)]
        removed += [Removed(reason=why, count=before - len(kept))] if len(kept) < before else []
    return replace(found, candidates=tuple(kept)), tuple(removed)


def _is_asked_for(fact: Candidate, analysis: QueryAnalysis) -> bool:
    """Return whether the question asks about a former state, or about a time at which a closed fact was valid."""
    if analysis.time_reference is TimeReference.DATED and analysis.time is not None:
        return fact.was_valid_in(analysis.time)
    return analysis.time_reference is TimeReference.FORMER
