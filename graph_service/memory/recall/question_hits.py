"""Read the texts of the hits in the question log, for viewers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.question_log import AskedQuestion, FoundElement
from schema.ids import TenantId

SNIPPET_CHARS: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenHit:
    """An element that a question found.

    Attributes:
        rank: its place among the hits, from 1.
        text: the message, the scene's title, or the statement, at most 240 characters.
        at: when it was said, began, or became true.
        role, speaker: messages only.
        on_map: ids of the nodes and edges that show it on the map.
    """

    found: FoundElement
    rank: int
    text: str
    at: datetime | None
    role: str | None = None
    speaker: str | None = None
    on_map: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenQuestion:
    """A question that was asked of the memory.

    Without the given context once a fact in it is gone.

    Attributes:
        hits: best first; without what no longer exists.
    """

    question: AskedQuestion
    hits: tuple[SeenHit, ...]


async def seen_questions(
    graph: Graph, tenant: TenantId, questions: Sequence[AskedQuestion]
) -> tuple[list[SeenQuestion], list[str]]:
    """Return questions with texts, in the same order, and the ids of those that must be dropped.

    A question must be dropped if a message that it found, or its user, was forgotten, in this process or another.
    Scenes and facts that no longer exist may have been derived again, and are only left out.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    if not questions:
        return [], []
    hits = [hit for question in questions for hit in question.hits]
    parameters = {
        "tenant": tenant,
        "messages": _ids(hits, HitKind.MESSAGE),
        "scenes": _ids(hits, HitKind.SCENE),
        "facts": sorted({*_ids(hits, HitKind.FACT), *(name for one in questions for name in _core(one))}),
        "users": sorted({question.user_id for question in questions}),
        "chars_max": SNIPPET_CHARS,
    }
    rows = await graph.read(statement("recall/question_hits"), parameters)
    found = {(row["kind"], row["id"]): row for row in rows}
    seen, gone = [], []
    for question in questions:
        if _is_gone(question, found):
            gone.append(question.id)
        else:
            used = [(hit.kind.value, hit.id) for hit in question.hits if hit.used]
            kept = all(one in found for one in (*used, *(("fact", name) for name in _core(question))))
            shown = question if kept else replace(question, given=None)
            seen.append(SeenQuestion(question=shown, hits=tuple(_seen_hits(question, found))))
    return seen, gone


def _core(question: AskedQuestion) -> tuple[str, ...]:
    return () if question.given is None else question.given.core


def _ids(hits: Sequence[FoundElement], kind: HitKind) -> list[str]:
    return sorted({hit.id for hit in hits if hit.kind is kind})


def _is_gone(question: AskedQuestion, found: Mapping[tuple[str, str], Row]) -> bool:
    """Return whether something was forgotten that the question is about. Pure."""
    if not question.hits:
        return False
    messages = (hit for hit in question.hits if hit.kind is HitKind.MESSAGE)
    return ("user", question.user_id) not in found or any((hit.kind.value, hit.id) not in found for hit in messages)


def _seen_hits(question: AskedQuestion, found: Mapping[tuple[str, str], Row]) -> list[SeenHit]:
    seen = []
    for rank, hit in enumerate(question.hits, start=1):
        row = found.get((hit.kind.value, hit.id))
        if row is None:
            continue
        is_message = hit.kind is HitKind.MESSAGE
        parts = {
            HitKind.MESSAGE: (row["scene"],),
            HitKind.SCENE: (hit.id,),
            HitKind.FACT: (hit.id, row["source"], row["target"]),
        }[hit.kind]
        seen.append(
            SeenHit(
                found=hit,
                rank=rank,
                text=row["text"] or "",
                at=row["at"],
                role=row["source"] if is_message else None,
                speaker=row["target"] if is_message else None,
                on_map=tuple(part for part in parts if part is not None),
            )
        )
    return seen
