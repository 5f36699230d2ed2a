"""Keep answers to repeated questions while nothing in the database has changed.

An answer is returned again only if the database is at the transaction at which it was computed, so a write of any
process, of any tenant, through any interface makes it invalid. The check takes one small round trip instead of the
search. The answers of all tenants have the same transaction, so they are dropped together.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from cachetools import LRUCache

from graph_service.graph.store import Graph
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import Question
from graph_service.observability.metrics import ANSWERS_KEPT
from schema.ids import TenantId

TENANTS_MAX: Final = 32
# Facts begin and end at whole minutes at the earliest, so that within a minute of the clock nothing becomes invalid.
_MINUTE_S: Final = 60
# Estimated size of a hit without its texts, and of each part of its score.
_HIT_BYTES: Final = 2_000
_PART_BYTES: Final = 100


@dataclass(frozen=True, slots=True)
class _Kept:
    """An answer and the minute of the clock in which it was computed."""

    answer: Answer
    minute: int


class AnswerCache:
    """The latest answers of each tenant, bounded in bytes.

    Args:
        bytes_max: for each tenant; 0 keeps no answers.
    """

    def __init__(self, graph: Graph, *, bytes_max: int) -> None:
        self._graph = graph
        self._bytes_max = bytes_max
        self._position: str | None = None
        self._by_tenant: LRUCache[str, LRUCache[str, _Kept]] = LRUCache(TENANTS_MAX)

    async def get(self, tenant: TenantId, key: str, *, now: datetime) -> Answer | None:
        """Return the answer to a question if it is still valid.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        kept = self._of(tenant).get(key) if tenant in self._by_tenant else None
        if kept is None or kept.minute != _minute(now):
            ANSWERS_KEPT.add("missed")
            return None
        position = self._position
        if position is None or await self._graph.position() != position:
            self.clear()
            ANSWERS_KEPT.add("outdated")
            return None
        ANSWERS_KEPT.add("used")
        return kept.answer

    def keep(self, tenant: TenantId, key: str, answer: Answer, *, position: str | None, now: datetime) -> None:
        """Store an answer, unless it depends on the time of the question or on an outage.

        Args:
            position: transaction of the database before the search began; None if unknown.
        """
        if self._bytes_max == 0 or position is None or answer.degraded or not answer.complete:
            return
        if _depends_on_time(answer) or _size_bytes(answer) > self._bytes_max:
            return
        if position != self._position:
            self.clear()
            self._position = position
        # The vectors of the messages and the question are not part of an answer.
        hits = tuple(replace(hit, candidate=replace(hit.candidate, tokens=None)) for hit in answer.hits)
        analysis = replace(
            answer.analysis, vector=None, tokens=None, cross_language_vector=None, cross_language_tokens=None
        )
        slim = replace(answer, hits=hits, analysis=analysis)
        self._of(tenant)[key] = _Kept(slim, _minute(now))

    def kept_n(self, tenant: TenantId) -> int:
        """Return the number of answers of a tenant that are kept."""
        return len(self._by_tenant[tenant]) if tenant in self._by_tenant else 0

    def clear(self) -> None:
        """Drop all answers."""
        self._by_tenant.clear()
        self._position = None

    def _of(self, tenant: str) -> "LRUCache[str, _Kept]":
        if tenant not in self._by_tenant:
            self._by_tenant[tenant] = LRUCache(self._bytes_max, getsizeof=lambda kept: _size_bytes(kept.answer))
        return self._by_tenant[tenant]


def answer_key(question: Question, hints: tuple[str, ...]) -> str:
    """Return a text that identifies everything an answer depends on besides the memory and the clock."""
    return repr((question, hints))


def _depends_on_time(answer: Answer) -> bool:
    analysis = answer.analysis
    return bool(analysis.asked_times or analysis.anchors)


def _minute(now: datetime) -> int:
    return int(now.timestamp()) // _MINUTE_S


def _size_bytes(answer: Answer) -> int:
    """Return an estimate of the memory that an answer takes."""
    texts = [hit.candidate.text for hit in answer.hits]
    texts += [message.text for hit in answer.hits for message in hit.candidate.evidence]
    return sum(
        [
            sum(4 * len(text) for text in texts),
            sum(_HIT_BYTES * (1 + len(hit.candidate.evidence)) + _PART_BYTES * len(hit.parts) for hit in answer.hits),
            4 * answer.analysis.chars + _HIT_BYTES,
        ]
    )
