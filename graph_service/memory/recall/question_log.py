"""Keep the latest questions of each tenant in this process, with the elements that they found.

Viewers show what an agent's question recalled. Nothing is stored. Hits are ids, whose texts are read when somebody
looks (`question_hits.py`); of a memory's text only the context that an agent received is kept, until something in it
is forgotten.
"""

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import uuid4

from graph_service.memory.recall.candidates import Hit
from graph_service.memory.recall.query import HitKind
from schema.ids import TenantId

TEXT_CHARS_MAX: Final = 500
HITS_MAX: Final = 30
# Messages that prove a hit, kept so that forgetting one of them drops the question.
_PROOFS_MAX: Final = 50
# For all tenants together; the questions of the tenant that asked longest ago are dropped first.
BYTES_MAX: Final = 32 * 2**20
# Identifies questions of callers that need no credential.
NOBODY: Final = "anybody"


class Door(StrEnum):
    """The interface through which a question was asked."""

    GRAPHQL = "graphql"
    MCP = "mcp"
    COMMAND = "command"
    SERVICE = "service"


class QuestionKind(StrEnum):
    """The operation that asked."""

    RECALL = "recall"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The caller of a question.

    Attributes:
        who: identity of the credential, to compare only; never shown.
    """

    door: Door
    who: str = NOBODY


BY_SERVICE: Final = Asker(door=Door.SERVICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundElement:
    """An element that a question found.

    Attributes:
        scene: id of a message's scene; None for others, and for messages without one.
        used: it was part of the answer; a context leaves some hits out.
        proofs: ids of messages that prove it, at most 50.
        ends: ids of the entities of a fact.
    """

    kind: HitKind
    id: str
    score: float
    scene: str | None = None
    used: bool = True
    proofs: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenContext:
    """The text that an agent received for its prompt.

    Attributes:
        tokens: its estimated length.
        tokens_max: the budget.
        core: ids of the facts of Core Memory in it; what it recalled is among the question's hits.
    """

    text: str
    tokens: int
    tokens_max: int
    core: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question and what it found, best first.

    Attributes:
        user_id: the user whose memory was searched.
        text: the question, at most 500 characters.
        asked_at: when it was answered.
        found_n: number of hits, of which the first 30 are kept.
        confidence: 0 to 1: probability that the memory contains an answer; None if not estimated.
        nothing_relevant: the memory probably contains no answer.
        given: the context that the agent received; None for recall, and once something in it is forgotten.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    tenant: TenantId
    user_id: str
    text: str
    kind: QuestionKind
    asker: Asker
    asked_at: datetime
    hits: tuple[FoundElement, ...] = ()
    found_n: int = 0
    confidence: float | None = None
    nothing_relevant: bool = False
    given: GivenContext | None = None

    @property
    def size_bytes(self) -> int:
        """Estimated memory that it takes."""
        ids = sum(len(hit.proofs) + len(hit.ends) + 2 for hit in self.hits)
        given = 0 if self.given is None else sys.getsizeof(self.given.text) + 90 * len(self.given.core)
        return 600 + given + sys.getsizeof(self.text) + len(self.user_id) + 200 * len(self.hits) + 90 * ids


def found_elements(hits: Sequence[Hit], used: Collection[tuple[HitKind, str]] | None = None) -> list[FoundElement]:
    """Return the hits of an answer as found elements. Pure.

    Args:
        used: kinds and ids that are part of the answer; None means all.
    """
    found = []
    for hit in hits:
        one = hit.candidate
        proofs = (*one.proofs, *(message.id for message in one.evidence))
        found.append(
            FoundElement(
                kind=one.kind,
                id=one.id,
                score=round(hit.score, 4),
                scene=one.scene if one.kind is HitKind.MESSAGE else None,
                used=used is None or (one.kind, one.id) in used,
                proofs=tuple(dict.fromkeys(proofs))[:_PROOFS_MAX],
                ends=one.ends,
            )
        )
    return found


Listener = Callable[[AskedQuestion], None]
Removed = Callable[[str, frozenset[str]], None]


class QuestionLog:
    """The latest questions of each tenant, newest last; bounded for each tenant and in all.

    Args:
        kept_max: maximum number of questions of one tenant; with 0, none is kept or reported.
        seen_by: the role from which a credential sees the questions of others.
    """

    def __init__(self, *, kept_max: int = 100, seen_by: str = "admin", bytes_max: int = BYTES_MAX) -> None:
        self.seen_by = seen_by
        self._kept_max = kept_max
        self._bytes_max = bytes_max
        self._kept: OrderedDict[str, deque[AskedQuestion]] = OrderedDict()
        self._bytes = 0
        self._generations: dict[str, int] = {}
        self._listeners: list[Listener] = []
        self._removed: list[Removed] = []

    @property
    def on(self) -> bool:
        """True if questions are kept."""
        return self._kept_max > 0

    @property
    def size_bytes(self) -> int:
        """Estimated memory of all questions."""
        return self._bytes

    def generation(self, tenant: str) -> int:
        """Return a number that changes when something of a tenant is forgotten."""
        return self._generations.get(tenant, 0)

    def listen(self, asked: Listener, removed: Removed) -> None:
        """Add listeners; they must not block.

        Args:
            removed: gets the tenant, and the ids of the questions that were removed.
        """
        self._listeners.append(asked)
        self._removed.append(removed)

    def note(self, question: AskedQuestion, *, generation: int) -> None:
        """Keep a question, unless something was forgotten since `generation` was read, which it may have found."""
        tenant = question.tenant
        if not self.on or generation != self.generation(tenant):
            return
        kept = self._kept.setdefault(tenant, deque())
        self._kept.move_to_end(tenant)
        kept.append(question)
        self._bytes += question.size_bytes
        if len(kept) > self._kept_max:
            self._bytes -= kept.popleft().size_bytes
        while self._bytes > self._bytes_max and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= sum(one.size_bytes for one in dropped)
        while self._bytes > self._bytes_max and len(kept) > 1:
            self._bytes -= kept.popleft().size_bytes
        for listener in self._listeners:
            listener(question)

    def of(self, tenant: str) -> tuple[AskedQuestion, ...]:
        """Return a tenant's questions, oldest first."""
        return tuple(self._kept.get(tenant, ()))

    def forget_user(self, tenant: str, user_id: str) -> None:
        """Remove all questions about a user's memory."""
        self._remove(tenant, lambda one: one.user_id == user_id)

    def forget_elements(self, tenant: str, ids: Iterable[str]) -> None:
        """Remove the questions that found one of these messages, scenes, facts or entities, or a fact with one of them.

        The whole question is removed, because its text may repeat what was forgotten.
        """
        gone = frozenset(ids)
        self._remove(
            tenant,
            lambda one: (
                any(_touches(hit, gone) for hit in one.hits)
                or (one.given is not None and not gone.isdisjoint(one.given.core))
            ),
        )

    def remove(self, tenant: str, ids: Iterable[str]) -> None:
        """Remove questions by their ids."""
        gone = frozenset(ids)
        self._remove(tenant, lambda one: one.id in gone)

    def _remove(self, tenant: str, gone: Callable[[AskedQuestion], bool]) -> None:
        # Questions being answered at this moment are not kept either.
        self._generations[tenant] = self.generation(tenant) + 1
        kept = self._kept.get(tenant)
        if kept is None:
            return
        removed = [one for one in kept if gone(one)]
        if not removed:
            return
        ids = frozenset(one.id for one in removed)
        self._bytes -= sum(one.size_bytes for one in removed)
        self._kept[tenant] = deque(one for one in kept if one.id not in ids)
        for listener in self._removed:
            listener(tenant, ids)


def _touches(hit: FoundElement, gone: frozenset[str]) -> bool:
    return hit.id in gone or hit.scene in gone or not gone.isdisjoint(hit.proofs) or not gone.isdisjoint(hit.ends)
