"""One element of the mind map with everything behind it: the answer of `GET /api/evidence/{id}`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.facts.bitemporal import FactTimes
from schema.ids import MemoryId
from schema.telling import Closing, last_word, telling_of


class _View(BaseModel):
    model_config = ConfigDict(frozen=True)


class ClosingView(_View):
    """Why a fact does not hold any more: one of the codes, the same in words, and what closed it."""

    reason: str
    text: str
    fact_id: str | None = None
    fact_statement: str | None = None
    message_id: str | None = None
    message_text: str | None = None


_WORDS: Final = {
    Closing.REPLACED: "another took its place",
    Closing.REVERSED: "the opposite was said",
    Closing.ENDED: "it was said to have ended",
    Closing.JUDGED: "a model judged that what was said since leaves no room for it",
    Closing.REJECTED: "a person said that it is not so",
    Closing.MERGED: "it is a part of an earlier time of the same fact",
}


def times_of(edge: Mapping[str, Any]) -> FactTimes:
    """When a fact held, and when we heard of it."""
    return FactTimes(
        valid_at=edge["valid_at"],
        invalid_at=edge["invalid_at"],
        known_at=edge["known_at"] or edge["recorded_at"],
        closing_known_at=edge["closing_known_at"],
    )


async def closing_of(graph: Graph, tenant: str, edge: Mapping[str, Any]) -> ClosingView | None:
    """Return what closed a fact, in words; None while it holds.

    Args:
        edge: as `lookup/fact_by_id` returns it.
    """
    if edge["invalid_at"] is None:
        return None
    return closing_view(edge, await said_by_closers(graph, tenant, [edge]))


async def said_by_closers(graph: Graph, tenant: str, edges: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the words of what closed some facts, by the id of the fact or message that said them.

    Args:
        edges: as `lookup/fact_by_id` returns them.
    """
    closed = [edge for edge in edges if edge["invalid_at"] is not None]
    said = {edge["id"]: edge["statement"] for edge in edges}
    facts = sorted({edge["closed_by"] for edge in closed if edge["closed_by"]} - said.keys())
    messages = sorted({message for edge in closed if (message := ending_message(edge))})
    if not facts and not messages:
        return said
    rows = await graph.read(statement("facts/closing_texts"), {"tenant": tenant, "facts": facts, "messages": messages})
    return said | {row["id"]: row["text"] for row in rows}


def why_closed(edge: Mapping[str, Any]) -> Closing:
    """Return why a closed fact does not hold; those of older versions do not say it, only by what they were closed."""
    return Closing(edge["closing_reason"] or (Closing.REPLACED if edge["closed_by"] else Closing.ENDED))


def ending_message(edge: Mapping[str, Any]) -> MemoryId | None:
    """Return the message that said a closed fact was over; None when another fact closed it."""
    if edge["closed_by"] or why_closed(edge) not in (Closing.ENDED, Closing.JUDGED, Closing.REJECTED):
        return None
    if why_closed(edge) is Closing.REJECTED:
        last = last_word(_told(edge))
        return last.message_id if last else None
    ends = ((telling.valid_at, telling.said_at, telling.message_id) for telling in _told(edge) if telling.ends)
    return min(ends, default=(None, None, None))[2]


def closing_view(edge: Mapping[str, Any], said: Mapping[str, str]) -> ClosingView | None:
    """Return what closed a fact, in words; None while it holds. Pure.

    Args:
        said: the words of the fact or the message that closed it, by id; without them the closing is told without.
    """
    if edge["invalid_at"] is None:
        return None
    why, message = why_closed(edge), ending_message(edge)
    words = said.get(edge["closed_by"] or message or "")
    text = f"{_WORDS[why]}: {words}" if words else _WORDS[why]
    if edge["closed_by"]:
        return ClosingView(reason=why, text=text, fact_id=edge["closed_by"], fact_statement=words)
    return ClosingView(reason=why, text=text, message_id=message, message_text=words)


def _told(edge: Mapping[str, Any]) -> list[Any]:
    return [telling_of(text) for text in edge["told"] or ()]
