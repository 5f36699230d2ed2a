"""Recall while Neo4j is away: words in what waits on disk, and in the last snapshot of the mind map."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from extraction.bounded_threads import BoundedThreads
from extraction.text.fulltext_words import words_in
from graph_service.memory.ingest.spool import NewestEpisodes, Spool
from graph_service.memory.mindmap.snapshot import Snapshot
from graph_service.memory.mindmap.snapshot_cache import RecallSnapshotCache
from graph_service.memory.recall.pipeline import Answer, Hit, snippet
from graph_service.memory.recall.query import HitKind, Question, check_question
from schema.errors import TooSlowError, UnavailableError
from schema.frames import EdgeView, NodeView
from schema.ids import TenantId
from schema.message import Episode, Message
from schema.timespan import Timespan, as_utc

SPOOL, SNAPSHOT = "spool", "snapshot"
# What waits on disk and is searched for one question, the newest first: a tenant's share of the disk may be 256 MB.
_EPISODES_MAX: Final = 500
CHARS_MAX: Final = 4 * 2**20
# To read and search that much takes about a second of processor time.
_SEARCHING: Final = BoundedThreads(threads_max=2, cpu_max_s=5.0, wall_max_s=20.0)
# With the wait for a thread; what was found by then is the answer.
_SEARCH_MAX_S: Final = 15.0
# So many lines are put in order within some milliseconds; more are put in order away from the event loop.
_ORDERED_HERE: Final = 500
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_TOKEN: Final = re.compile(r"[^\W_]+")
# Latin words meet by their beginning, so that "teas" finds "tea" and "hiking" finds "hike".
_STEM_MIN, _ENDING_MAX = 3, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """Something that can be found by its words; `hit` makes the hit of its score."""

    kind: HitKind
    id: str
    text: str
    said_at: datetime
    hit: Callable[[float], Hit]


class OfflineRecall:
    """Answers questions from what this process and its disk hold.

    Args:
        spool: None when messages are refused while Neo4j is away.
    """

    def __init__(self, spool: Spool | None, keepsakes: RecallSnapshotCache) -> None:
        self._spool = spool
        self._keepsakes = keepsakes

    async def recall(self, tenant: TenantId, question: Question, why: UnavailableError, *, now: datetime) -> Answer:
        """Return the best there is, marked as degraded.

        Raises:
            UnavailableError: `why`, when nothing of this memory is here, or nothing of it could be looked at in time.
        """
        newest = NewestEpisodes() if self._spool is None else await self._waiting(self._spool, tenant, question.user_id)
        snapshot = self._keepsakes.of(tenant, question.user_id)
        if not newest.rows and snapshot is None:
            raise why
        search = _Search(question, now=now)
        try:
            async with asyncio.timeout(_SEARCH_MAX_S):
                await _SEARCHING.run(partial(search.look, newest.episodes(), snapshot))
            search.all = not newest.more
        except (TooSlowError, TimeoutError):
            # What was found until then is told.
            search.all = False
        if not search.looked:
            raise why
        return search.answer() if len(search.held) <= _ORDERED_HERE else await _SEARCHING.run(search.answer)

    async def _waiting(self, spool: Spool, tenant: TenantId, user_id: str) -> NewestEpisodes:
        try:
            return await spool.newest(tenant, user_id, episodes_max=_EPISODES_MAX, chars_max=CHARS_MAX)
        except UnavailableError:
            return NewestEpisodes()


def answer_away(question: Question, episodes: Iterable[Episode], snapshot: Snapshot | None, *, now: datetime) -> Answer:
    """Return what can be said without the database: hits by their share of the words asked for. Pure.

    Args:
        episodes: of the user, those that wait for the database.
        snapshot: the last one of the user's mind map.
    """
    search = _Search(question, now=now)
    search.look(episodes, snapshot)
    return search.answer()


class _Search:
    """One search, which can be ended at any moment: `answer` tells what was found until then.

    Attributes:
        looked: whether there was anything to look at.
        all: whether that was all there is.
        held: what holds some of the words, with those it holds.
    """

    def __init__(self, question: Question, *, now: datetime) -> None:
        self._question = question
        self._now = now
        self._span = check_question(question)
        self._words = words_in(question.text)
        self._sought = _Sought(_terms(self._words))
        self.looked = False
        self.all = True
        self.held: list[tuple[_Line, frozenset[str]]] = []
        self._lines_n = 0
        self._messages_n: int | None = None
        self._age_s: float | None = None
        self._notes: list[str] = []

    def look(self, episodes: Iterable[Episode], snapshot: Snapshot | None) -> None:
        """Look at the snapshot, which is small, then at the episodes, in their order."""
        if snapshot is not None:
            self._look_at_snapshot(snapshot)
            self.looked = True
        for episode in episodes:
            for line in self._told(episode):
                self._try(line)
            self._messages_n = (self._messages_n or 0) + len(episode.messages)
            self.looked = True

    def _look_at_snapshot(self, snapshot: Snapshot) -> None:
        if self._question.as_of is not None:
            self._notes.append("Neo4j is away: what was known at a moment cannot be told from a snapshot")
            return
        valid_at = as_utc(self._question.valid_at or self._now)
        for line in _known(self._question, snapshot, self._span, self._words, valid_at=valid_at):
            self._try(line)
        self._age_s = max((self._now - datetime.fromisoformat(snapshot.as_of)).total_seconds(), 0.0)
        self._notes.append(f"Neo4j is away: searched the mind map as it was {self._age_s:.0f} seconds ago")

    def _told(self, episode: Episode) -> Iterable[_Line]:
        question = self._question
        if HitKind.MESSAGE not in question.kinds or episode.user_id != question.user_id:
            return
        if question.as_of is not None and episode.received_at > as_utc(question.as_of):
            return
        for message in episode.messages:
            if self._span.holds(message.said_at):
                yield _message_line(message, self._words)

    def _try(self, line: _Line) -> None:
        self._lines_n += 1
        if found := self._sought.held(line.text):
            self.held.append((line, found))

    def answer(self) -> Answer:
        """Return the hits: those with most of what is rare first, then the newest."""
        held, lines_n = list(self.held), self._lines_n
        often = Counter(term for _, found in held for term in found)
        weight = {term: math.log1p(lines_n / (1 + often[term])) for term in self._sought.terms}
        whole = sum(weight.values())
        scored = [(round(sum(weight[term] for term in found) / whole, 6), line) for line, found in held]
        scored.sort(key=lambda pair: (-pair[0], -pair[1].said_at.timestamp(), pair[1].kind, pair[1].id))
        notes, n = list(self._notes), self._messages_n
        if n is not None:
            rest = "" if self.all else "; older ones were left out"
            notes.insert(0, f"Neo4j is away: searched {n} messages that wait on disk{rest}")
        elif not self.all:
            notes.insert(0, "Neo4j is away: the messages that wait on disk could not be searched in time")
        return Answer(
            hits=tuple(line.hit(score) for score, line in scored[: self._question.limit]),
            path=(*((SPOOL,) if n is not None else ()), *((SNAPSHOT,) if self._age_s is not None else ())),
            notes=tuple(notes),
            degraded=True,
            snapshot_age_s=self._age_s,
        )


def _terms(words: Iterable[str]) -> list[str]:
    """Return what is looked for: Latin words, and Chinese as pairs of characters."""
    terms: dict[str, None] = {}
    for word in words:
        pairs = [word[at : at + 2] for at in range(len(word) - 1)] if _CJK.fullmatch(word) else []
        terms |= dict.fromkeys(pairs or [word])
    return list(terms)


class _Sought:
    """What is looked for, laid out so that a text costs its own length, however much is looked for in Latin words."""

    def __init__(self, terms: Sequence[str]) -> None:
        self.terms = terms
        self._pairs = [term for term in terms if _CJK.search(term)]
        # By what a word of a text must begin with, or be, to be the same word: the beginnings of either.
        self._by_stem: dict[str, list[str]] = {}
        self._by_beginning: dict[str, list[str]] = {}
        for term in terms:
            if not _CJK.search(term):
                self._by_stem.setdefault(_stem(term), []).append(term)
                for cut in range(min(_ENDING_MAX, len(term) - 1) + 1):
                    self._by_beginning.setdefault(term[: len(term) - cut], []).append(term)

    def held(self, text: str) -> frozenset[str]:
        """Return the terms that a text holds."""
        folded = text.casefold()
        found = {pair for pair in self._pairs if pair in folded}
        if self._by_stem:
            for token in set(_TOKEN.findall(folded)):
                if not _CJK.search(token):
                    found.update(term for term in self._near(token) if _same_word(term, token))
        return frozenset(found)

    def _near(self, token: str) -> Iterable[str]:
        """Return the terms that may be the same word as a word of a text."""
        for cut in range(min(_ENDING_MAX, len(token) - 1) + 1):
            yield from self._by_stem.get(token[: len(token) - cut], ())
        yield from self._by_beginning.get(token, ())
        yield from self._by_beginning.get(_stem(token), ())


def _same_word(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if short == long:
        return True
    stem = _stem(short)
    return len(stem) >= _STEM_MIN and long.startswith(stem) and len(long) - len(stem) <= _ENDING_MAX


def _stem(word: str) -> str:
    return word[:-1] if len(word) > _STEM_MIN and word.endswith("e") else word


def _message_line(message: Message, words: Sequence[str]) -> _Line:
    def hit(score: float) -> Hit:
        return Hit(
            kind=HitKind.MESSAGE,
            id=message.id,
            uri=message.uri,
            score=score,
            parts={"words": score},
            snippet=snippet(message.text, words),
            text=message.text,
            said_at=message.said_at,
            speaker=message.speaker,
            role=message.role.value,
            pending=True,
        )

    text = f"{message.speaker or ''} {message.text}"
    return _Line(kind=HitKind.MESSAGE, id=message.id, text=text, said_at=message.said_at, hit=hit)


def _known(
    question: Question, snapshot: Snapshot, span: Timespan, words: Sequence[str], *, valid_at: datetime
) -> Iterable[_Line]:
    nodes = {node.id: node for node in snapshot.nodes if node.user_id == question.user_id}
    if HitKind.SCENE in question.kinds:
        for node in nodes.values():
            if node.kind == "Scene" and span.holds(datetime.fromisoformat(node.first_seen)):
                yield _scene_line(node, words)
    if HitKind.FACT in question.kinds:
        for edge in snapshot.edges:
            if edge.predicate != "MENTIONED" and {edge.source, edge.target} <= nodes.keys() and _holds(edge, valid_at):
                yield _fact_line(edge, nodes[edge.source], nodes[edge.target], words)


def _holds(edge: EdgeView, at: datetime) -> bool:
    start, end = (None if text is None else datetime.fromisoformat(text) for text in (edge.valid_at, edge.invalid_at))
    return (start is None or start <= at) and (end is None or end > at)


def _scene_line(node: NodeView, words: Sequence[str]) -> _Line:
    text, said_at = node.summary or node.label, datetime.fromisoformat(node.first_seen)

    def hit(score: float) -> Hit:
        return Hit(
            kind=HitKind.SCENE,
            id=node.id,
            uri="",
            score=score,
            parts={"words": score},
            snippet=snippet(text, words),
            text=text,
            said_at=said_at,
            title=node.label,
        )

    return _Line(kind=HitKind.SCENE, id=node.id, text=f"{node.label} {text}", said_at=said_at, hit=hit)


def _fact_line(edge: EdgeView, subject: NodeView, obj: NodeView, words: Sequence[str]) -> _Line:
    relation = edge.relation or edge.predicate.replace("_", " ").lower()
    text = f"{subject.label} {relation} {obj.label}"
    said_at = datetime.fromisoformat(edge.valid_at or edge.first_seen)

    def hit(score: float) -> Hit:
        return Hit(
            kind=HitKind.FACT,
            id=edge.id,
            uri="",
            score=score,
            parts={"words": score},
            snippet=snippet(text, words),
            text=text,
            said_at=said_at,
            invalid_at=datetime.fromisoformat(edge.invalid_at) if edge.invalid_at else None,
            subject=subject.label,
            predicate=edge.predicate,
            relation=edge.relation,
            object=obj.label,
            strength=edge.strength,
            confidence=edge.confidence,
        )

    named = " ".join((text, *subject.aliases, *obj.aliases))
    return _Line(kind=HitKind.FACT, id=edge.id, text=named, said_at=said_at, hit=hit)
