"""Recall while Neo4j is unavailable, by words in the spooled messages and in the last snapshot of the mind map."""

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Final

from extraction.bounded_threads import BoundedThreads
from extraction.query_analysis import QueryAnalysis
from extraction.text.chinese import is_chinese
from extraction.text.passages import passage
from extraction.text.search_terms import terms_found_in, terms_of
from graph_service.memory.ingest.spool import Spool, SpoolRow, episodes_in
from graph_service.memory.messages.log import metadata_of
from graph_service.memory.mindmap.snapshot_cache import RecallSnapshotCache
from graph_service.memory.recall.candidates import Candidate, Hit
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import HitKind, Question, check_question, held_at
from graph_service.memory.tags import normalized_tags
from schema.errors import TooSlowError, UnavailableError
from schema.filters import EVERYTHING, matches
from schema.frames import EdgeView, GraphSnapshot, NodeView
from schema.ids import TenantId
from schema.message import Episode, Message
from schema.timespan import Timespan, as_utc

SPOOL, SNAPSHOT = "spool", "snapshot"
# Maximum number of spooled episodes to search, newest first; a tenant may have 256 MB on disk.
_EPISODES_MAX: Final = 500
CHARS_MAX: Final = 4 * 2**20
# Reading and searching `CHARS_MAX` characters takes about a second of CPU time.
_SEARCHING: Final = BoundedThreads(threads_max=2, cpu_max_s=5.0, wall_max_s=20.0)
# Includes waiting for a thread; the answer then contains what was found so far.
_SEARCH_MAX_S: Final = 15.0
# More matches are sorted in a thread; sorting this many takes some milliseconds.
_SORTED_HERE: Final = 500


# A candidate and the text that is searched.
_Searchable = tuple[Candidate, str]


class OfflineRecall:
    """Answer questions from the spool and the snapshots that this process has cached."""

    def __init__(self, spool: Spool, snapshots: RecallSnapshotCache) -> None:
        self._spool = spool
        self._snapshots = snapshots

    async def recall(self, tenant: TenantId, question: Question, why: UnavailableError, *, now: datetime) -> Answer:
        """Return the best matches, marked as degraded.

        Raises:
            UnavailableError: `why`, if there are no spooled messages and no snapshot of this memory, or nothing could
                be searched in time.
        """
        rows, more = list[SpoolRow](), False
        with contextlib.suppress(UnavailableError):
            rows, more = await self._spool.newest(
                tenant, question.user_id, episodes_max=_EPISODES_MAX, chars_max=CHARS_MAX
            )
        snapshot = self._snapshots.of(tenant, question.user_id)
        if not rows and snapshot is None:
            raise why
        search = _Search(question, now=now)
        try:
            async with asyncio.timeout(_SEARCH_MAX_S):
                await _SEARCHING.run(partial(search.run, episodes_in(rows), snapshot))
            search.complete = not more
        except (TooSlowError, TimeoutError):
            search.complete = False
        if not search.searched:
            raise why
        return search.answer() if len(search.matches) <= _SORTED_HERE else await _SEARCHING.run(search.answer)


class _Search:
    """One search, which may be stopped at any moment; `answer` returns what was found so far.

    Attributes:
        searched: at least one element was searched.
        complete: everything was searched.
        matches: candidates that contain search terms, with these terms.
    """

    def __init__(self, question: Question, *, now: datetime) -> None:
        self._question = question
        self._now = now
        self._span = check_question(question)
        self._tags = frozenset(normalized_tags(question.filters.tags))
        self._where = question.filters.where
        self._terms = terms_of(question.text)
        self.searched = False
        self.complete = True
        self.matches: list[tuple[Candidate, frozenset[str]]] = []
        self._candidates_n = 0
        self._messages_n: int | None = None
        self._age_s: float | None = None
        self._notes: list[str] = []

    def run(self, episodes: Iterable[Episode], snapshot: GraphSnapshot | None) -> None:
        """Search the snapshot first, because it is small, then the episodes in order."""
        # The map does not contain tags.
        if snapshot is not None and not self._tags and self._where == EVERYTHING:
            self._search_snapshot(snapshot)
            self.searched = True
        for episode in episodes:
            for candidate, text in self._messages(episode):
                self._match(candidate, text)
            self._messages_n = (self._messages_n or 0) + len(episode.messages)
            self.searched = True

    def _search_snapshot(self, snapshot: GraphSnapshot) -> None:
        if self._question.as_of is not None:
            self._notes.append("Neo4j is unavailable: a snapshot cannot answer what was known at an earlier time")
            return
        valid_at = as_utc(self._question.valid_at or held_at(self._question.asked_at, now=self._now) or self._now)
        for candidate, text in _in_snapshot(self._question, snapshot, self._span, valid_at=valid_at):
            self._match(candidate, text)
        self._age_s = max((self._now - datetime.fromisoformat(snapshot.as_of)).total_seconds(), 0.0)
        self._notes.append(f"Neo4j is unavailable: searched the mind map as it was {self._age_s:.0f} seconds ago")

    def _messages(self, episode: Episode) -> Iterable[_Searchable]:
        question = self._question
        if HitKind.MESSAGE not in question.kinds or episode.user_id != question.user_id:
            return
        if question.as_of is not None and episode.received_at > as_utc(question.as_of):
            return
        for message in episode.messages:
            if message.expires_at is not None and message.expires_at <= self._now:
                continue
            if (
                message.text
                and self._span.contains(message.said_at)
                and (not self._tags or self._tags.intersection(message.tags))
                and matches(self._where, metadata_of(message.metadata))
            ):
                yield _message(message)

    def _match(self, candidate: Candidate, text: str) -> None:
        self._candidates_n += 1
        if found := terms_found_in(self._terms, text):
            self.matches.append((candidate, frozenset(found)))

    def answer(self) -> Answer:
        """Return the hits, ranked by the rarity of the terms they contain, then newest first."""
        matches, candidates_n = list(self.matches), self._candidates_n
        frequency = Counter(term for _, found in matches for term in found)
        weight = {
            term: math.log1p(candidates_n / (1 + frequency[term]))
            for term in (*self._terms.stems, *self._terms.strings)
        }
        whole = sum(weight.values())
        scored = [(round(sum(weight[term] for term in found) / whole, 6), one) for one, found in matches]
        scored.sort(key=lambda pair: (-pair[0], -pair[1].said_at.timestamp(), pair[1].kind, pair[1].id))
        notes, n = list(self._notes), self._messages_n
        analysis = QueryAnalysis(chinese=is_chinese(self._question.text), terms=self._terms)
        if n is not None:
            others = "" if self.complete else "; older ones were left out"
            notes.insert(0, f"Neo4j is unavailable: searched {n} messages waiting on disk{others}")
        elif not self.complete:
            notes.insert(0, "Neo4j is unavailable: the messages waiting on disk could not be searched in time")
        return Answer(
            hits=tuple(
                Hit(candidate=one, score=score, parts={"lexical": score}, snippet=passage(one.text, self._terms))
                for score, one in scored[: self._question.limit]
            ),
            search_path=(*((SPOOL,) if n is not None else ()), *((SNAPSHOT,) if self._age_s is not None else ())),
            notes=tuple(notes),
            analysis=analysis,
            degraded=True,
            snapshot_age_s=self._age_s,
        )


def _message(message: Message) -> _Searchable:
    candidate = Candidate(
        kind=HitKind.MESSAGE,
        id=message.id,
        uri=message.uri,
        text=message.text,
        said_at=message.said_at,
        zone=message.zone,
        emotion=message.emotion,
        speaker=message.speaker,
        role=message.role.value,
        pending=True,
        tags=message.tags,
    )
    return candidate, f"{message.speaker or ''} {message.text}"


def _in_snapshot(
    question: Question, snapshot: GraphSnapshot, span: Timespan, *, valid_at: datetime
) -> Iterable[_Searchable]:
    """Yield the scenes and facts of a snapshot within `span`, the facts if they were valid at `valid_at`."""
    nodes = {node.id: node for node in snapshot.nodes if node.user_id == question.user_id}
    if HitKind.SCENE in question.kinds:
        for node in nodes.values():
            if node.kind == "Scene" and span.contains(datetime.fromisoformat(node.first_seen)):
                yield _scene(node)
    if HitKind.FACT in question.kinds:
        for edge in snapshot.edges:
            if (
                edge.predicate != "MENTIONED"
                and {edge.source, edge.target} <= nodes.keys()
                and _is_valid(edge, valid_at)
                and _is_of_time(edge, span)
            ):
                yield _fact(edge, nodes[edge.source], nodes[edge.target])


def _is_valid(edge: EdgeView, at: datetime) -> bool:
    start, end = (None if text is None else datetime.fromisoformat(text) for text in (edge.valid_at, edge.invalid_at))
    return (start is None or start <= at) and (end is None or end > at)


def _is_of_time(edge: EdgeView, span: Timespan) -> bool:
    """Return whether a fact began or ended in a span of time."""
    if span.start is None and span.end is None:
        return True
    ends = (edge.valid_at or edge.first_seen, edge.invalid_at)
    return any(span.contains(datetime.fromisoformat(end)) for end in ends if end)


def _scene(node: NodeView) -> _Searchable:
    candidate = Candidate(
        kind=HitKind.SCENE,
        id=node.id,
        # The snapshot has no URIs; `layer` accepts ids, too.
        uri=node.id,
        text=node.summary or node.label,
        said_at=datetime.fromisoformat(node.first_seen),
        title=node.label,
    )
    return candidate, f"{node.label} {candidate.text}"


def _fact(edge: EdgeView, subject: NodeView, obj: NodeView) -> _Searchable:
    relation = edge.relation or edge.predicate.replace("_", " ").lower()
    candidate = Candidate(
        kind=HitKind.FACT,
        id=edge.id,
        uri=edge.id,
        text=f"{subject.label} {relation} {obj.label}",
        said_at=datetime.fromisoformat(edge.valid_at or edge.first_seen),
        invalid_at=datetime.fromisoformat(edge.invalid_at) if edge.invalid_at else None,
        subject=subject.label,
        predicate=edge.predicate,
        relation=edge.relation,
        object=obj.label,
        strength=edge.strength,
        confidence=edge.confidence,
    )
    return candidate, " ".join((candidate.text, *subject.aliases, *obj.aliases))
