"""Build the parameters of the statement `recall/recall`, which retrieves candidates, and parse its row. Pure.

`filtered` checks the scope of the candidates a second time.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from math import isnan, nan
from operator import attrgetter
from typing import Any, Final

from extraction.embeddings.token_vectors import whole_cosines
from extraction.query_analysis import QueryAnalysis, TimeReference
from extraction.text.search_terms import both_spellings
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.lucene import NOTHING, scoped_query
from graph_service.memory.recall.candidates import (
    Candidate,
    CandidateSet,
    EvidenceMessage,
    LayerScores,
    LayerSimilarities,
    Removed,
)
from graph_service.memory.recall.query import HitKind, Question, ResolvedQuestion
from schema.fact import FactKind
from schema.ids import memory_id, name_key, scope_token, session_uri
from schema.timespan import Timespan, as_utc, millis, moment_of

# In a memory of 100,000 messages one name may have thousands of edges; reading 3,000 facts takes 50 ms.
_EDGES_PER_ENTITY: Final = 400
# Facts two hops away are reached over at most 20 entities, with at most 40 edges each.
_MAX_BRIDGES, _MAX_DEGREE = 20, 40
# Candidates per channel. 50 give half as many candidates more, but no more gold evidence among the first ten hits.
_PER_CHANNEL: Final = 30
# A neighbour of a hit is often the answer. Two neighbours on each side of the best 20 of each channel give 147 messages
# to rank, with .962 of the gold evidence (LoCoMo, development half). The best 12 give 115 messages with .954 in a
# seventh less time, but in a memory with both languages LoCoMo-zh then loses .015 of recall@10.
_EXPAND_TOP, _NEIGHBOUR_RADIUS = 20, 2
# If results are filtered after the index search, the indexes return this many times more.
_FILTERED_FACTOR: Final = 8
# In 100,000 messages the vector index finds .992 of the ten nearest if asked for 400, and .946 if asked for 60.
VECTOR_K: Final = 400
# Texts that the vector indexes return for the cross-language vector (`Embedded.carried`) of a question; texts in the
# question's own language are about orthogonal to it.
_CARRIED_K: Final = 100
# The language of a text is detected in this beginning: three Latin words in a row, or a Chinese character.
_LANGUAGE_CHARS: Final = 400
_LATIN_WORDS: Final = r"[A-Za-z]{1,20}(?:[ ,.'’-]{1,3}[A-Za-z]{1,20}){2}"
_CHINESE: Final = r"[\u3400-\u9fff]"
OTHER_LANGUAGE: Final = "other_language"
# Cosines of cross-language vectors are lower than those of one model: answers have .15 to .35 instead of .35 to .45.
_CARRIED_SCALE: Final = 1.5
# Characters of evidence retrieved with all candidates, minimum for each message, and number of channels that find facts
# and scenes; `with_evidence` reads the rest of the evidence.
_EVIDENCE_FOUND_CHARS, _EVIDENCE_CHARS_MIN, _CHANNELS = 4_000_000, 300, 11
# Maximum number of message ids returned with a scene; most scenes are shorter.
_SCENE_MESSAGES: Final = 100
_MS_MIN, _MS_MAX = -(2**52), 2**52


def recall_parameters(asked: ResolvedQuestion, analysis: QueryAnalysis, *, with_layer_scores: bool) -> dict[str, Any]:
    """Return the parameters of `recall/recall`, in which null means no filter.

    Args:
        with_layer_scores: also return the similarities of scene layers and the last access of each candidate.
    """
    tenant, question, moments = asked.tenant, asked.question, asked.moments
    narrowed, scope = question.narrowed, scope_token(tenant, question.user_id)
    # The index search must return more if facts learned later, or filtered elements, are dropped after it.
    filtered = question.as_of is not None or narrowed.by_element
    per_channel = max(_PER_CHANNEL, question.limit) * (_FILTERED_FACTOR if filtered else 1)
    kinds, span = question.kinds, analysis.span
    from_ms = millis(span.start) if span.start else _MS_MIN
    to_ms = millis(span.end) if span.end else _MS_MAX
    vector = None if analysis.vector is None else vector_parameter(analysis.vector)
    asked_from_ms, asked_to_ms = (0, 0) if analysis.time is None else _within(analysis.time, from_ms, to_ms)
    evidence_chars = _EVIDENCE_FOUND_CHARS // (_CHANNELS * per_channel * max(question.evidence, 1))
    return {
        "tenant": tenant,
        "user_id": question.user_id,
        "vector": vector,
        "scene_vector": vector if HitKind.SCENE in kinds else None,
        # Facts raise the score of messages that prove them, even if facts are not requested.
        "fact_vector": vector if {HitKind.FACT, HitKind.MESSAGE} & set(kinds) else None,
        **_carried(analysis, kinds, per_channel),
        **_queries(question, analysis, scope),
        "entity_keys": list(analysis.entity_keys),
        "kinship_words": list(analysis.kinship_words),
        "kinship_query": scoped_query(analysis.kinship_words, fields=["relation"], scope_user=scope, days=False),
        "edges_per_entity": _EDGES_PER_ENTITY,
        "max_bridges": _MAX_BRIDGES,
        "max_degree": _MAX_DEGREE,
        "valid_at": as_utc(moments.valid_at).astimezone(UTC),
        "known_at": None if moments.known_at is None else as_utc(moments.known_at).astimezone(UTC),
        "per_channel": per_channel,
        "expand_top": _EXPAND_TOP,
        "vector_k": max(VECTOR_K, 2 * per_channel),
        "session": narrowed.session_id and memory_id(session_uri(tenant, question.user_id, narrowed.session_id)),
        "agent": narrowed.agent_id,
        "roles": [role.value for role in narrowed.roles] or None,
        "entity_filter": sorted({name_key(name) for name in narrowed.entities}) or None,
        "kinds": [kind.value for kind in kinds],
        "asked_from_ms": asked_from_ms,
        "asked_to_ms": asked_to_ms,
        "neighbour_radius": _NEIGHBOUR_RADIUS,
        "with_tokens": analysis.tokens is not None,
        "from_ms": from_ms,
        "to_ms": to_ms,
        "evidence_max": question.evidence,
        "evidence_chars": max(evidence_chars, _EVIDENCE_CHARS_MIN),
        "with_layer_scores": with_layer_scores,
        # A caller that names a time asks for what was valid then.
        "with_closed": question.valid_at is None and question.as_of is None,
        "scene_messages": _SCENE_MESSAGES,
    }


def _carried(analysis: QueryAnalysis, kinds: Collection[HitKind], per_channel: int) -> dict[str, Any]:
    """Return the parameters of the channels for texts in the other language."""
    carried = None if analysis.carried is None else vector_parameter(analysis.carried)
    return {
        "carried": carried,
        "scene_carried": carried if HitKind.SCENE in kinds else None,
        "fact_carried": carried if {HitKind.FACT, HitKind.MESSAGE} & set(kinds) else None,
        "carried_k": max(_CARRIED_K, per_channel),
        "other_language": f"(?s).*{_other_language(analysis.chinese)}.*",
        "language_chars": _LANGUAGE_CHARS,
    }


def _other_language(chinese: bool) -> str:
    """Return a pattern of texts that are not in the language of the question."""
    return _LATIN_WORDS if chinese else _CHINESE


def _queries(question: Question, analysis: QueryAnalysis, scope: str) -> dict[str, str]:
    """Return the Lucene queries, limited to the user and, except for facts, to days."""
    kinds, span, words = question.kinds, analysis.span, both_spellings(analysis.words)
    message_query = scoped_query(
        words if HitKind.MESSAGE in kinds else (),
        fields=["text"],
        scope_user=scope,
        start=span.start,
        end=span.end,
        faint=analysis.capitalized,
    )
    return {
        "message_query": message_query if any(not word.isascii() for word in words) else NOTHING,
        "stem_query": NOTHING if analysis.chinese else message_query,
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
    facts = [one for one in row["rows"] if one[0] == HitKind.FACT]
    fact_cosines, overtaken = _fact_cosines(facts), _overtaken_by(facts)
    stored = [one[-1] for one in row["messages"]]
    cosines = whole_cosines(stored, analysis.vector or ()).tolist()
    carried = _carried_cosines(row["messages"], stored, analysis)
    messages = [
        _message(one, fact_cosines, overtaken, cosine, across)
        for one, cosine, across in zip(row["messages"], cosines, carried, strict=True)
    ]
    others = (_fact_or_scene(one) for one in row["rows"] if one[0] in kinds)
    return CandidateSet(
        candidates=tuple(sorted([*messages, *others], key=attrgetter("kind", "id"))),
        messages=tuple(sorted(messages, key=attrgetter("session", "said_at", "position", "id"))),
        named=frozenset(row["named"]),
    )


def _carried_cosines(
    rows: Sequence[Sequence[Any]], stored: Sequence[bytes | None], analysis: QueryAnalysis
) -> list[float]:
    """Return the cosine of each message in the other language to the cross-language vector; NaN for all others."""
    if analysis.carried is None:
        return [nan] * len(rows)
    other = re.compile(_other_language(analysis.chinese))
    cosines = whole_cosines(stored, analysis.carried).tolist()
    return [
        cosine if other.search(row[5][:_LANGUAGE_CHARS]) else nan for row, cosine in zip(rows, cosines, strict=True)
    ]


def _fact_cosines(rows: Iterable[Sequence[Any]]) -> dict[str, float]:
    """Return by message id the best cosine of a valid fact that the message proves."""
    best: dict[str, float] = {}
    for _, _, scores, similarity, _, _, proofs, closed, _ in rows:
        if not closed and (cosine := _best_cosine(_cosine(similarity), _best(scores))) is not None:
            best |= {proof: max(cosine, best.get(proof, -1.0)) for proof in proofs or ()}
    return best


def _overtaken_by(rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    """Map the id of each message to the fact that superseded what the message says about the question.

    Of the facts that a message proves, only the one nearest to the question counts; messages are left out if that one
    is valid.

    "I live in Porto and work as a nurse" is overtaken by the next home if the question asks where, but not if it asks
    for the job.
    """
    replaced: dict[str, tuple[float, str]] = {}
    valid: dict[str, float] = {}
    for _, _, _, similarity, _, _, proofs, closed, closed_by in rows:
        cosine = _cosine(similarity)
        near = -1.0 if cosine is None else cosine
        for message in proofs or ():
            if closed and closed_by:
                replaced[message] = max(replaced.get(message, (-2.0, "")), (near, closed_by))
            else:
                valid[message] = max(valid.get(message, -2.0), near)
    return {message: fact for message, (near, fact) in replaced.items() if near > valid.get(message, -2.0)}


def _message(
    row: Sequence[Any],
    fact_cosines: Mapping[str, float],
    overtaken: Mapping[str, str],
    own_cosine: float,
    carried: float,
) -> Candidate:
    """Return the message in a row.

    Args:
        own_cosine: cosine of its stored vector to that of the question; NaN without one.
        carried: cosine of its stored vector to the cross-language vector of the question; NaN without one.
    """
    name, session, said_ms, position, speaker, text, uri, role, importance, unread, similarity, scores, tokens = row
    cosine = _cosine(similarity)
    if cosine is None and not isnan(own_cosine):
        cosine = own_cosine
    found = _best(scores) if isnan(carried) else {**_best(scores), OTHER_LANGUAGE: (1.0 + carried) / 2.0}
    nearest = _best_cosine(cosine, found)
    return Candidate(
        kind=HitKind.MESSAGE,
        id=name,
        scores=found,
        cosine=nearest,
        carried=nearest != cosine,
        uri=uri,
        text=text,
        role=role,
        speaker=speaker,
        said_at=moment_of(said_ms),
        importance=importance,
        pending=bool(unread),
        session=session,
        position=position or 0,
        tokens=tokens,
        fact_cosine=fact_cosines.get(name),
        overtaken_by=overtaken.get(name),
    )


def _fact_or_scene(row: Sequence[Any]) -> Candidate:
    kind, name, scores, similarity, shown, evidence, proofs, closed, closed_by = row
    uri, text, title, role, speaker, said_ms, importance, unread, relation, invalid_ms, *fact = shown
    strength, confidence, predicate, subject, obj, *detail = fact
    # Only facts have these columns.
    fact_kind, rationale, steps, ends = detail or (None, None, None, ())
    found, own = _best(scores), _cosine(similarity)
    nearest = _best_cosine(own, found)
    return Candidate(
        kind=HitKind(kind),
        id=name,
        scores=found,
        cosine=nearest,
        carried=nearest != own,
        uri=uri,
        text=text or title or "",
        title=title,
        role=role,
        speaker=speaker,
        said_at=moment_of(said_ms),
        importance=importance,
        pending=bool(unread),
        relation=relation,
        invalid_at=None if invalid_ms is None else moment_of(invalid_ms),
        strength=strength,
        confidence=confidence,
        predicate=predicate,
        subject=subject,
        object=obj,
        fact_kind=FactKind(fact_kind or FactKind.FACT) if detail else None,
        rationale=rationale,
        steps=tuple(steps or ()),
        evidence=tuple(_evidence(message) for message in evidence),
        proofs=tuple(proofs or ()),
        closed=closed,
        overtaken_by=closed_by if closed else None,
        ends=tuple(ends),
    )


def _best(scores: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the best score of each channel."""
    best: dict[str, float] = {}
    for channel, score in scores:
        best[channel] = max(score, best.get(channel, 0.0))
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
    carried = min(_CARRIED_SCALE * (2.0 * similarity - 1.0), 1.0)
    return carried if cosine is None else max(cosine, carried)


def _evidence(row: Sequence[Any]) -> EvidenceMessage:
    name, uri, role, speaker, text, said_ms, whole_chars = row
    return EvidenceMessage(
        id=name,
        uri=uri,
        role=role,
        speaker=speaker,
        text=text,
        said_at=moment_of(said_ms),
        whole_chars=whole_chars,
    )


def layer_scores_in(rows: Iterable[Sequence[Any]]) -> LayerScores:
    """Return the scores in the rows `[id, scene, abstract, overview, last_accessed_ms]` of `recall/recall`."""
    layers, used_at = {}, {}
    for name, scene, abstract, overview, used_ms in rows:
        if scene is not None:
            layers[name] = LayerSimilarities(scene_id=scene, abstract=_cosine(abstract), overview=_cosine(overview))
        if used_ms is not None:
            used_at[name] = moment_of(used_ms)
    return LayerScores(layers=layers, used_at=used_at)


def filtered(
    found: CandidateSet, asked: ResolvedQuestion, analysis: QueryAnalysis
) -> tuple[CandidateSet, tuple[Removed, ...]]:
    """Return the candidates of the user (and session), kinds and roles asked for, and the numbers removed by reason.

    Facts that are no longer valid remain only if the question asks about a former state, or about a time at which they
    were valid.

    Retrieval filters by scope already; this second check, of URIs, keeps an index error from leaking a memory.
    """
    kinds, roles = asked.question.kinds, {role.value for role in asked.question.narrowed.roles}
    checks: list[tuple[str, Callable[[Candidate], bool]]] = [
        ("outside the scope", lambda one: one.uri.startswith(asked.uri_prefixes)),
        ("another kind", lambda one: one.kind in kinds),
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
    if analysis.time_reference is TimeReference.FORMER:
        return True
    time = analysis.time
    if analysis.time_reference is not TimeReference.DATED or time is None:
        return False
    return (time.end is None or fact.said_at < time.end) and (
        time.start is None or fact.invalid_at is None or fact.invalid_at > time.start
    )
