"""Read the reason why a fact was closed, and put it into words."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.facts.bitemporal import FactTimes
from schema.assertion import Closing, last_word, parse_assertion
from schema.ids import MemoryId


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True)


class ClosingView(FrozenModel):
    """The reason why a fact was closed: a code of `Closing`, a text, and the fact or message that closed it."""

    reason: str
    text: str
    fact_id: str | None = None
    fact_statement: str | None = None
    message_id: str | None = None
    message_text: str | None = None


_REASON_TEXTS: Final = {
    Closing.REPLACED: "another took its place",
    Closing.REVERSED: "the opposite was said",
    Closing.ENDED: "it was said to have ended",
    Closing.JUDGED: "a model judged that what was said since leaves no room for it",
    Closing.REJECTED: "a person said that it is not so",
    Closing.MERGED: "it is part of an earlier period of the same fact",
}


def times_of(edge: Mapping[str, Any]) -> FactTimes:
    """Return the valid and transaction times of a fact."""
    return FactTimes(
        valid_at=edge["valid_at"],
        invalid_at=edge["invalid_at"],
        known_at=edge["known_at"] or edge["recorded_at"],
        closing_known_at=edge["closing_known_at"],
    )


async def closing_of(graph: Graph, tenant: str, edge: Mapping[str, Any]) -> ClosingView | None:
    """Read the reason why a fact was closed; None while it is open.

    Args:
        edge: as `lookup/fact_by_id` returns it.
    """
    if edge["invalid_at"] is None:
        return None
    return closing_view(edge, await closing_texts(graph, tenant, [edge]))


async def closing_texts(graph: Graph, tenant: str, edges: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the texts of these facts and of the facts and messages that closed them, by id.

    Args:
        edges: as `lookup/fact_by_id` returns them.
    """
    closed = [edge for edge in edges if edge["invalid_at"] is not None]
    texts = {edge["id"]: edge["statement"] for edge in edges}
    facts = sorted({edge["closed_by"] for edge in closed if edge["closed_by"]} - texts.keys())
    messages = sorted({message for edge in closed if (message := ending_message(edge))})
    if not facts and not messages:
        return texts
    rows = await graph.read(statement("facts/closing_texts"), {"tenant": tenant, "facts": facts, "messages": messages})
    return texts | {row["id"]: row["text"] for row in rows}


def closing_reason(edge: Mapping[str, Any]) -> Closing:
    """Return why a fact was closed; derived from `closed_by` for facts of older versions, which lack the reason."""
    return Closing(edge["closing_reason"] or (Closing.REPLACED if edge["closed_by"] else Closing.ENDED))


def ending_message(edge: Mapping[str, Any]) -> MemoryId | None:
    """Return the message that ended a closed fact; None when another fact closed it."""
    if edge["closed_by"] or closing_reason(edge) not in (Closing.ENDED, Closing.JUDGED, Closing.REJECTED):
        return None
    if closing_reason(edge) is Closing.REJECTED:
        last = last_word(_assertions(edge))
        return last.message_id if last else None
    ends = (
        (assertion.valid_at, assertion.said_at, assertion.message_id)
        for assertion in _assertions(edge)
        if assertion.ends
    )
    return min(ends, default=(None, None, None))[2]


def closing_view(edge: Mapping[str, Any], texts: Mapping[str, str]) -> ClosingView | None:
    """Return the reason why a fact was closed; None while it is open. Pure.

    Args:
        texts: of facts and messages, by id; if that of the closing one is missing, only the reason is given.
    """
    if edge["invalid_at"] is None:
        return None
    why, message = closing_reason(edge), ending_message(edge)
    words = texts.get(edge["closed_by"] or message or "")
    text = f"{_REASON_TEXTS[why]}: {words}" if words else _REASON_TEXTS[why]
    if edge["closed_by"]:
        return ClosingView(reason=why, text=text, fact_id=edge["closed_by"], fact_statement=words)
    return ClosingView(reason=why, text=text, message_id=message, message_text=words)


def _assertions(edge: Mapping[str, Any]) -> list[Any]:
    return [parse_assertion(text) for text in edge["assertions"] or ()]
