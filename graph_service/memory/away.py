"""Recall while Neo4j is away: words in what waits on disk, and in the last snapshot of the mind map."""

import asyncio
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph_service.graph.lucene import words_in
from graph_service.memory.keepsakes import Keepsakes
from graph_service.memory.question import Kind, Question, check_question
from graph_service.memory.recall import Answer, Hit
from graph_service.memory.snapshot import Snapshot
from graph_service.memory.snippets import snippet
from graph_service.memory.spool import Spool
from schema.errors import UnavailableError
from schema.frames import EdgeView, NodeView
from schema.ids import TenantId
from schema.message import Episode, Message
from schema.timespan import Timespan, as_utc

SPOOL, SNAPSHOT = "spool", "snapshot"
_EPISODES_MAX: Final = 500
_CJK: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
# Latin words meet by their beginning, so that "teas" finds "tea" and "hiking" finds "hike".
_STEM_MIN, _ENDING_MAX = 3, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """Something that can be found by its words; `hit` makes the hit of its score."""

    text: str
    said_at: datetime
    hit: Callable[[float], Hit]


class Away:
    """Answers questions from what this process and its disk hold.

    Args:
        spool: None when messages are refused while Neo4j is away.
    """

    def __init__(self, spool: Spool | None, keepsakes: Keepsakes) -> None:
        self._spool = spool
        self._keepsakes = keepsakes

    async def recall(self, tenant: TenantId, question: Question, why: UnavailableError, *, now: datetime) -> Answer:
        """The best there is, marked as degraded.

        Raises:
            UnavailableError: `why`, when nothing of this memory is here.
        """
        episodes = [] if self._spool is None else await self._waiting(self._spool, tenant, question.user_id)
        snapshot = self._keepsakes.of(tenant, question.user_id)
        if not episodes and snapshot is None:
            raise why
        return await asyncio.to_thread(answer_away, question, episodes, snapshot, now=now)

    async def _waiting(self, spool: Spool, tenant: TenantId, user_id: str) -> list[Episode]:
        try:
            return await spool.newest(tenant, user_id, episodes_max=_EPISODES_MAX)
        except UnavailableError:
            return []


def answer_away(question: Question, episodes: Sequence[Episode], snapshot: Snapshot | None, *, now: datetime) -> Answer:
    """What can be said without the database: hits by their share of the words asked for. Pure.

    Args:
        episodes: of the user, those that wait for the database.
        snapshot: the last one of the user's mind map.
    """
    span = check_question(question)
    words = words_in(question.text)
    notes, lines = [], []
    if episodes:
        lines += list(_told(question, episodes, span))
        notes.append(f"Neo4j is away: searched {sum(len(one.messages) for one in episodes)} messages that wait on disk")
    age_s = None
    if snapshot is not None and question.as_of is not None:
        notes.append("Neo4j is away: what was known at a moment cannot be told from a snapshot")
    elif snapshot is not None:
        age_s = max((now - datetime.fromisoformat(snapshot.as_of)).total_seconds(), 0.0)
        lines += list(_known(question, snapshot, span, valid_at=as_utc(question.valid_at or now)))
        notes.append(f"Neo4j is away: searched the mind map as it was {age_s:.0f} seconds ago")
    return Answer(
        hits=tuple(_best(lines, words, limit=question.limit)),
        path=(*((SPOOL,) if episodes else ()), *((SNAPSHOT,) if age_s is not None else ())),
        notes=tuple(notes),
        degraded=True,
        snapshot_age_s=age_s,
    )


def _best(lines: Sequence[_Line], words: Sequence[str], *, limit: int) -> list[Hit]:
    """The lines that hold some of the words, those with most of what is rare first, then the newest."""
    terms = _terms(words)
    held = [_held(terms, line.text) for line in lines]
    weight = {term: math.log1p(len(lines) / (1 + sum(term in found for found in held))) for term in terms}
    whole = sum(weight.values())
    scored = [
        (round(sum(weight[term] for term in found) / whole, 6), line)
        for found, line in zip(held, lines, strict=True)
        if found
    ]
    hits = [(line.said_at, line.hit(score)) for score, line in scored]
    hits.sort(key=lambda pair: (-pair[1].score, -pair[0].timestamp(), pair[1].kind, pair[1].id))
    return [hit for _, hit in hits[:limit]]


def _terms(words: Iterable[str]) -> list[str]:
    """What is looked for: Latin words, and Chinese as pairs of characters."""
    terms: dict[str, None] = {}
    for word in words:
        pairs = [word[at : at + 2] for at in range(len(word) - 1)] if _CJK.fullmatch(word) else []
        terms |= dict.fromkeys(pairs or [word])
    return list(terms)


def _held(terms: Sequence[str], text: str) -> frozenset[str]:
    folded = text.casefold()
    tokens = {token for token in re.findall(r"[^\W_]+", folded) if not _CJK.search(token)}
    return frozenset(
        term
        for term in terms
        if (term in folded if _CJK.search(term) else any(_same_word(term, token) for token in tokens))
    )


def _same_word(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if short == long:
        return True
    stem = short[:-1] if len(short) > _STEM_MIN and short.endswith("e") else short
    return len(stem) >= _STEM_MIN and long.startswith(stem) and len(long) - len(stem) <= _ENDING_MAX


def _told(question: Question, episodes: Sequence[Episode], span: Timespan) -> Iterable[_Line]:
    if Kind.MESSAGE not in question.kinds:
        return
    known_at = None if question.as_of is None else as_utc(question.as_of)
    for episode in episodes:
        if episode.user_id != question.user_id or (known_at is not None and episode.received_at > known_at):
            continue
        for message in episode.messages:
            if span.holds(message.said_at):
                yield _message_line(message, words_in(question.text))


def _message_line(message: Message, words: Sequence[str]) -> _Line:
    def hit(score: float) -> Hit:
        return Hit(
            kind=Kind.MESSAGE,
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

    return _Line(text=f"{message.speaker or ''} {message.text}", said_at=message.said_at, hit=hit)


def _known(question: Question, snapshot: Snapshot, span: Timespan, *, valid_at: datetime) -> Iterable[_Line]:
    nodes = {node.id: node for node in snapshot.nodes if node.user_id == question.user_id}
    words = words_in(question.text)
    if Kind.SCENE in question.kinds:
        for node in nodes.values():
            if node.kind == "Scene" and span.holds(datetime.fromisoformat(node.first_seen)):
                yield _scene_line(node, words)
    if Kind.FACT in question.kinds:
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
            kind=Kind.SCENE,
            id=node.id,
            uri="",
            score=score,
            parts={"words": score},
            snippet=snippet(text, words),
            text=text,
            said_at=said_at,
            title=node.label,
        )

    return _Line(text=f"{node.label} {text}", said_at=said_at, hit=hit)


def _fact_line(edge: EdgeView, subject: NodeView, obj: NodeView, words: Sequence[str]) -> _Line:
    relation = edge.relation or edge.predicate.replace("_", " ").lower()
    text = f"{subject.label} {relation} {obj.label}"
    said_at = datetime.fromisoformat(edge.valid_at or edge.first_seen)

    def hit(score: float) -> Hit:
        return Hit(
            kind=Kind.FACT,
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

    return _Line(text=" ".join((text, *subject.aliases, *obj.aliases)), said_at=said_at, hit=hit)
