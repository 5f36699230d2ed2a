"""Turn candidates into one page of an answer: filter, rank in the requested mode, apply score and cursor. Pure."""

import base64
import binascii
import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import Any, Final

from extraction.query_analysis import QueryAnalysis
from graph_service.memory.recall.candidates import Candidate, Hit, Removed
from graph_service.memory.recall.query import HitKind, Mode, Question, fingerprint
from graph_service.memory.recall.ranking_modes import (
    LayerRules,
    LayerSimilarities,
    Ordered,
    by_layers,
    by_similarity_and_importance,
)
from schema.errors import InputError
from schema.ids import session_uri, user_uri
from schema.timespan import moment_of

_FRESH_HALF_LIFE_DAYS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRules:
    """Defaults of ranking, for questions that do not specify them.

    Attributes:
        access_weight: weight of recent access; 0 ignores it.
    """

    mode: Mode = Mode.BEST
    layers: LayerRules = field(default_factory=LayerRules)
    access_weight: float = 0.0

    def with_layer_scores(self, question: Question) -> bool:
        """Return whether `recall/recall` must return layer similarities and last accesses."""
        return self.mode_of(question) is Mode.LAYERED or self.access_weight > 0

    def mode_of(self, question: Question) -> Mode:
        """Return the mode of a question."""
        return question.mode or self.mode


AS_MEASURED: Final = OrderRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerScores:
    """Layer similarities and last accesses of messages and scenes, by id."""

    layers: Mapping[str, LayerSimilarities]
    used_at: Mapping[str, datetime]


def layer_scores_in(rows: Iterable[Sequence[Any]]) -> LayerScores:
    """Return the scores in the rows `[id, scene, abstract, overview, last_accessed_ms]` of `recall/recall`.

    Neo4j's similarities are (1 + cosine) / 2.
    """
    layers, used_at = {}, {}
    for name, scene, abstract, overview, used_ms in rows:
        if scene is not None:
            cosines = [None if one is None else 2.0 * one - 1.0 for one in (abstract, overview)]
            layers[name] = LayerSimilarities(scene_id=scene, abstract=cosines[0], overview=cosines[1])
        if used_ms is not None:
            used_at[name] = moment_of(used_ms)
    return LayerScores(layers=layers, used_at=used_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """One page of an answer.

    Attributes:
        search_path: channels or, in the optional modes, steps that found the hits.
        next_cursor: next_cursor of the next page; None on the last.
    """

    hits: tuple[Hit, ...]
    search_path: tuple[str, ...]
    removed: tuple[Removed, ...]
    next_cursor: str | None


def page(
    candidates: Sequence[Candidate],
    scores: LayerScores,
    *,
    tenant: str,
    question: Question,
    request: "PageRequest",
    rules: OrderRules,
    analysis: QueryAnalysis,
    best: Callable[[Sequence[Candidate]], Sequence[Hit]],
) -> ResultPage:
    """Return the requested page.

    Args:
        best: ranks candidates in the default mode.
    """
    kept, refused = filtered(candidates, tenant, question)
    match rules.mode_of(question):
        case Mode.LAYERED:
            ordered = by_layers(kept, scores.layers, rules.layers, analysis=analysis)
        case Mode.SIMILARITY_IMPORTANCE:
            ordered = by_similarity_and_importance(kept)
        case Mode.BEST:
            ordered = Ordered(hits=tuple(best(kept)), search_path=())
    fresh = with_access(ordered.hits, scores.used_at, rules.access_weight, now=request.asked_at)
    high, low = above(fresh, question.narrowed.score_min)
    hits, cursor = page_of(high, request.shown, request.key, limit=question.limit)
    channels = tuple(sorted({channel for hit in hits for channel in hit.candidate.scores}))
    return ResultPage(
        hits=tuple(hits),
        search_path=ordered.search_path or channels,
        removed=(*refused, *ordered.removed, *low),
        next_cursor=cursor,
    )


# Filters


def filtered(
    candidates: Sequence[Candidate], tenant: str, question: Question
) -> tuple[list[Candidate], tuple[Removed, ...]]:
    """Return the candidates that match tenant, user, session, kinds and roles, and the numbers removed by reason.

    The indexes already filter by these; this second check of URIs prevents that an index error leaks a memory.
    """
    prefixes = uri_prefixes(tenant, question.user_id, session_id=question.narrowed.session_id)
    roles = {role.value for role in question.narrowed.roles}
    checks: list[tuple[str, Callable[[Candidate], bool]]] = [
        ("outside the scope", lambda one: one.uri.startswith(prefixes)),
        ("another kind", lambda one: one.kind in question.kinds),
        ("another role", lambda one: not roles or one.kind is not HitKind.MESSAGE or one.role in roles),
    ]
    kept, removed = list(candidates), []
    for why, passes in checks:
        before = len(kept)
        kept = [one for one in kept if passes(one)]
        removed += [Removed(reason=why, count=before - len(kept))] if len(kept) < before else []
    return kept, tuple(removed)


def uri_prefixes(tenant: str, user_id: str, *, session_id: str | None = None) -> tuple[str, str]:
    """Return the prefixes of all URIs of a user's memory: of nodes and facts, and of sessions (or one session)."""
    said = session_uri(tenant, user_id, "") if session_id is None else f"{session_uri(tenant, user_id, session_id)}/"
    return f"{user_uri(tenant, user_id)}/", said


def above(hits: Sequence[Hit], score_min: float | None) -> tuple[list[Hit], tuple[Removed, ...]]:
    """Return the hits with at least this score, and the number removed."""
    kept = [hit for hit in hits if score_min is None or hit.score >= score_min]
    removed_n = len(hits) - len(kept)
    return kept, (Removed(reason=f"score below {score_min:g}", count=removed_n),) if removed_n else ()


# Recent access


def with_access(hits: Sequence[Hit], used_at: Mapping[str, datetime], weight: float, *, now: datetime) -> list[Hit]:
    """Return the hits, ranked again with a part for recent access."""
    if weight <= 0:
        return list(hits)
    fresh = [_with_part(hit, round(weight * _freshness(hit.candidate, used_at, now), 6)) for hit in hits]
    return sorted(fresh, key=lambda hit: (-hit.score, hit.candidate.kind, hit.candidate.id))


def _with_part(hit: Hit, part: float) -> Hit:
    return replace(hit, score=round(hit.score + part, 6), parts={**hit.parts, "access": part})


def _freshness(one: Candidate, used_at: Mapping[str, datetime], now: datetime) -> float:
    age_days = max((now - last_touched(one.said_at, used_at.get(one.id))).total_seconds() / 86_400, 0.0)
    return exp(-log(2) * age_days / _FRESH_HALF_LIFE_DAYS)


def last_touched(said_at: datetime, last_accessed: datetime | None) -> datetime:
    """Return when an element was said or last accessed, whichever is later."""
    return said_at if last_accessed is None else max(said_at, last_accessed)


# Cursors
#
# A cursor contains marks (short hashes) of the hits shown so far, so that the next page repeats none. It grants no
# access: it identifies no tenant or memory, and is valid only with the question it was made for.

CURSOR_LIFE: Final = timedelta(hours=1)
_MARK_BYTES: Final = 5
_SEAL_BYTES: Final = 8
_HEAD: Final = struct.Struct(">BQ")
_VERSION: Final = 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_MS: Final = timedelta(milliseconds=1)
_MALFORMED: Final = "after is not a cursor of this service; use the cursor of the previous answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorState:
    """The content of a cursor.

    Attributes:
        asked_at: when the first page was requested; "yesterday" means the same day on every page.
        marks: marks of the hits that were shown.
    """

    asked_at: datetime
    marks: frozenset[bytes] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request for one page of an answer.

    Attributes:
        key: fingerprint of the question.
        shown: hits that earlier pages showed.
    """

    key: str
    shown: CursorState

    @property
    def asked_at(self) -> datetime:
        """Time at which the first page was requested."""
        return self.shown.asked_at


def page_requested(tenant: str, question: Question, *, now: datetime) -> PageRequest:
    """Return the page that a question requests with its cursor.

    Raises:
        InputError: the cursor is malformed, too old, or of another question.
    """
    key, after = fingerprint(tenant, question), question.narrowed.after
    return PageRequest(key=key, shown=CursorState(asked_at=now) if after is None else shown_in(after, key, now=now))


def page_of(hits: Sequence[Hit], shown: CursorState, key: str, *, limit: int) -> tuple[list[Hit], str | None]:
    """Return the next hits that were not shown, and the cursor of the following page; None if there is none."""
    # On the first page compute no marks, because those of all hits would take as long as ranking.
    left = [hit for hit in hits if _mark(hit) not in shown.marks] if shown.marks else hits
    page = list(left[:limit])
    if len(left) <= limit:
        return page, None
    marks = shown.marks.union(_mark(hit) for hit in page)
    return page, cursor_of(CursorState(asked_at=shown.asked_at, marks=marks), key)


def cursor_of(shown: CursorState, key: str) -> str:
    """Return the cursor for a question.

    Args:
        key: fingerprint of the question.
    """
    body = _HEAD.pack(_VERSION, (shown.asked_at - _EPOCH) // _ONE_MS) + b"".join(sorted(shown.marks))
    return base64.urlsafe_b64encode(body + _seal(body, key)).decode().rstrip("=")


def shown_in(cursor: str, key: str, *, now: datetime) -> CursorState:
    """Return the content of a cursor.

    Raises:
        InputError: the cursor is malformed, too old, or of another question.
    """
    try:
        whole = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError(_MALFORMED) from error
    body, seal = whole[:-_SEAL_BYTES], whole[-_SEAL_BYTES:]
    marks = body[_HEAD.size :]
    if len(body) < _HEAD.size or body[0] != _VERSION or len(marks) % _MARK_BYTES:
        raise InputError(_MALFORMED)
    if _seal(body, key) != seal:
        raise InputError("after belongs to another question; repeat that question, or leave out after")
    asked_at = _EPOCH + _HEAD.unpack_from(body)[1] * _ONE_MS
    if not now - CURSOR_LIFE <= asked_at <= now:
        raise InputError("after is stale: more than an hour old; ask again without it")
    found = frozenset(marks[at : at + _MARK_BYTES] for at in range(0, len(marks), _MARK_BYTES))
    return CursorState(asked_at=asked_at, marks=found)


def mark_of(kind: str, name: str) -> bytes:
    """Return the mark of a hit, a short hash."""
    return hashlib.blake2b(f"{kind} {name}".encode(), digest_size=_MARK_BYTES).digest()


def _mark(hit: Hit) -> bytes:
    return mark_of(hit.candidate.kind, hit.candidate.id)


def _seal(body: bytes, key: str) -> bytes:
    return hashlib.blake2b(body, key=hashlib.blake2b(key.encode()).digest(), digest_size=_SEAL_BYTES).digest()
