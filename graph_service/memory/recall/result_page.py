"""From what was found to one page of an answer: in the mode asked for, checked once more, scored enough. Pure."""

import base64
import binascii
import hashlib
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import exp, log
from typing import Any, Final

from extraction.query_analysis import QueryAnalysis
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.filters import Removed, above, checked
from graph_service.memory.recall.query import Mode, Question, fingerprint
from graph_service.memory.recall.ranking import Ranked
from graph_service.memory.recall.ranking_modes import (
    LayerRules,
    LayerSimilarities,
    Ordered,
    by_layers,
    by_similarity_and_importance,
)
from schema.errors import InputError
from schema.timespan import moment_of

# Pages of an answer: a cursor says what was shown of one question, so the next page repeats nothing. Pure.
#
# A cursor holds no rights: it names no tenant and no memory, and only the question it was made for accepts it.

CURSOR_LIFE: Final = timedelta(hours=1)
_MARK_BYTES: Final = 5
_SEAL_BYTES: Final = 8
_HEAD: Final = struct.Struct(">BQ")
_VERSION: Final = 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_MS: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorState:
    """What a cursor says.

    Attributes:
        asked_at: when the first page was asked for: words such as "yesterday" go on meaning the same.
        marks: of the hits that were shown.
    """

    asked_at: datetime
    marks: frozenset[bytes] = frozenset()


def mark_of(kind: str, name: str) -> bytes:
    """Return a short mark of a hit."""
    return hashlib.blake2b(f"{kind} {name}".encode(), digest_size=_MARK_BYTES).digest()


def cursor_of(shown: CursorState, asked: str) -> str:
    """Return the cursor that says what was shown of a question.

    Args:
        asked: everything that makes the question what it is.
    """
    body = _HEAD.pack(_VERSION, (shown.asked_at - _EPOCH) // _ONE_MS) + b"".join(sorted(shown.marks))
    return base64.urlsafe_b64encode(body + _seal(body, asked)).decode().rstrip("=")


def shown_in(cursor: str, asked: str, *, now: datetime) -> CursorState:
    """Return what a cursor says.

    Raises:
        InputError: it is no cursor of ours, was made for another question, or is too old.
    """
    try:
        whole = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InputError("after is no cursor of ours; hand in the one that came with the last answer") from error
    body, seal = whole[:-_SEAL_BYTES], whole[-_SEAL_BYTES:]
    marks = body[_HEAD.size :]
    if len(body) < _HEAD.size or body[0] != _VERSION or len(marks) % _MARK_BYTES:
        raise InputError("after is no cursor of ours; hand in the one that came with the last answer")
    if _seal(body, asked) != seal:
        raise InputError("after belongs to another question; ask on with the same one, or without after")
    asked_at = _EPOCH + _HEAD.unpack_from(body)[1] * _ONE_MS
    if not now - CURSOR_LIFE <= asked_at <= now:
        raise InputError("after is stale: more than an hour has passed; ask again without it")
    found = frozenset(marks[at : at + _MARK_BYTES] for at in range(0, len(marks), _MARK_BYTES))
    return CursorState(asked_at=asked_at, marks=found)


def page_of(ranked: Sequence[Ranked], shown: CursorState, asked: str, *, limit: int) -> tuple[list[Ranked], str | None]:
    """Return the next hits that were not shown yet, and the cursor for what comes behind them; None when
    nothing does.
    """
    # To mark all that was found takes as long as to rank it.
    left = [one for one in ranked if _mark(one) not in shown.marks] if shown.marks else ranked
    page = list(left[:limit])
    if len(left) <= limit:
        return page, None
    marks: Collection[bytes] = {_mark(one) for one in page}
    return page, cursor_of(CursorState(asked_at=shown.asked_at, marks=shown.marks.union(marks)), asked)


def _mark(one: Ranked) -> bytes:
    return mark_of(one.candidate.kind, one.candidate.id)


def _seal(body: bytes, asked: str) -> bytes:
    return hashlib.blake2b(body, key=hashlib.blake2b(asked.encode()).digest(), digest_size=_SEAL_BYTES).digest()


def last_touched(said_at: datetime, last_accessed: datetime | None) -> datetime:
    """When an element was last said or used: from this recency counts when being used keeps a memory fresh."""
    return said_at if last_accessed is None else max(said_at, last_accessed)


_FRESH_HALF_LIFE_DAYS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRules:
    """How questions are answered that do not say it themselves.

    Attributes:
        access_weight: how much it counts that something was part of an answer lately; 0 leaves it out.
    """

    mode: Mode = Mode.BEST
    layers: LayerRules = field(default_factory=LayerRules)
    access_weight: float = 0.0

    def beside(self, question: Question) -> bool:
        """Return whether `recall/recall` must bring the layers of scenes and the marks of use."""
        return self.mode_of(question) is Mode.LAYERED or self.access_weight > 0

    def mode_of(self, question: Question) -> Mode:
        """Return the mode of a question."""
        return question.mode or self.mode


AS_MEASURED: Final = OrderRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """One page of the answers to a question.

    Attributes:
        key: everything that makes the question what it is.
        shown: what earlier pages showed, and when the first was asked for.
    """

    key: str
    shown: CursorState

    @property
    def asked_at(self) -> datetime:
        """When the first page was asked for: "yesterday" means the same on each page."""
        return self.shown.asked_at


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """One page of an answer.

    Attributes:
        cursor: brings the next page; None when there is none.
    """

    ranked: tuple[Ranked, ...]
    path: tuple[str, ...]
    removed: tuple[Removed, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerScores:
    """What is known of messages and scenes besides themselves, by id: the column `layer_scores` of `recall/recall`."""

    layers: Mapping[str, LayerSimilarities]
    used_at: Mapping[str, datetime]


def beside_in(rows: Iterable[Sequence[Any]]) -> LayerScores:
    """Return the rows `[id, scene, abstract, overview, last_accessed_ms]`; Neo4j gives (1 + cosine) / 2."""
    layers, used_at = {}, {}
    for name, scene, abstract, overview, used_ms in rows:
        if scene is not None:
            near = [None if one is None else 2.0 * one - 1.0 for one in (abstract, overview)]
            layers[name] = LayerSimilarities(scene_id=scene, abstract=near[0], overview=near[1])
        if used_ms is not None:
            used_at[name] = moment_of(used_ms)
    return LayerScores(layers=layers, used_at=used_at)


def turn_of(tenant: str, question: Question, *, now: datetime) -> PageRequest:
    """Return which page of its answers a question wants.

    Raises:
        InputError: its cursor is forged, stale or of another question.
    """
    key, after = fingerprint(tenant, question), question.narrowed.after
    return PageRequest(key=key, shown=CursorState(asked_at=now) if after is None else shown_in(after, key, now=now))


def page(
    found: Sequence[Candidate],
    beside: LayerScores,
    *,
    tenant: str,
    question: Question,
    turn: PageRequest,
    rules: OrderRules,
    intent: str,
    asked: QueryAnalysis,
    best: Callable[[Sequence[Candidate]], Sequence[Ranked]],
) -> ResultPage:
    """Return the page of an answer that a turn wants.

    Args:
        intent: what the question is after; thresholds go by it.
        best: the order of the default mode.
    """
    left, taken = checked(found, tenant, question)
    match rules.mode_of(question):
        case Mode.LAYERED:
            ordered = by_layers(left, beside.layers, rules.layers, intent=intent, asked=asked)
        case Mode.SIMILARITY_IMPORTANCE:
            ordered = by_similarity_and_importance(left)
        case Mode.BEST:
            ordered = Ordered(ranked=tuple(best(left)), path=())
    fresh = with_use(ordered.ranked, beside.used_at, rules.access_weight, now=turn.asked_at)
    kept, low = above(fresh, question.narrowed.score_min)
    ranked, cursor = page_of(kept, turn.shown, turn.key, limit=question.limit)
    channels = tuple(sorted({channel for one in ranked for channel in one.candidate.scores}))
    return ResultPage(
        ranked=tuple(ranked), path=ordered.path or channels, removed=(*taken, *ordered.removed, *low), cursor=cursor
    )


def with_use(
    ranked: Sequence[Ranked], used_at: Mapping[str, datetime], weight: float, *, now: datetime
) -> list[Ranked]:
    """Return the order with a share for what was part of an answer lately."""
    if weight <= 0:
        return list(ranked)
    fresh = [_with_part(one, round(weight * _freshness(one.candidate, used_at, now), 6)) for one in ranked]
    return sorted(fresh, key=lambda one: (-one.score, one.candidate.kind, one.candidate.id))


def _with_part(one: Ranked, part: float) -> Ranked:
    return replace(one, score=round(one.score + part, 6), parts={**one.parts, "access": part})


def _freshness(one: Candidate, used_at: Mapping[str, datetime], now: datetime) -> float:
    age_days = max((now - last_touched(one.said_at, used_at.get(one.id))).total_seconds() / 86_400, 0.0)
    return exp(-log(2) * age_days / _FRESH_HALF_LIFE_DAYS)
