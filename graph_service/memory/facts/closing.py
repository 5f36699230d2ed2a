"""Read the reason why a fact was closed, and put it into words."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from schema.assertion import CLOSING_TEXTS, Closing, latest_correction
from schema.fact import Fact
from schema.ids import MemoryId


class FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True)


class ClosingView(FrozenModel):
    """The end of a fact: its reason, and what closed it.

    Attributes:
        reason: REPLACED by another fact, REVERSED, stated to have ENDED, or MERGED into another fact.
        text: the reason in words, quoting what closed it.
        fact_id: the fact that closed it.
        message_id: the message that stated its end.
    """

    reason: str
    text: str
    fact_id: str | None = None
    fact_statement: str | None = None
    message_id: str | None = None
    message_text: str | None = None


async def closing_of(graph: Graph, tenant: str, fact: Fact) -> ClosingView | None:
    """Read the reason why a fact was closed; None while it is open."""
    if fact.invalid_at is None:
        return None
    return closing_view(fact, await closing_texts(graph, tenant, [fact]))


async def closing_texts(graph: Graph, tenant: str, facts: Sequence[Fact]) -> dict[str, str]:
    """Return the texts of these facts and of the facts and messages that closed them, by id."""
    closed = [fact for fact in facts if fact.invalid_at is not None]
    texts: dict[str, str] = {fact.id: fact.statement for fact in facts}
    closers = sorted({fact.closed_by for fact in closed if fact.closed_by} - texts.keys())
    messages = sorted({message for fact in closed if (message := ending_message(fact))})
    if not closers and not messages:
        return texts
    parameters = {"tenant": tenant, "facts": closers, "messages": messages}
    rows = await graph.read(statement("facts/closing_texts"), parameters)
    return texts | {row["id"]: row["text"] for row in rows}


def ending_message(fact: Fact) -> MemoryId | None:
    """Return the message that ended a closed fact; None when another fact closed it."""
    why = fact.closing_reason
    if fact.closed_by or why not in (Closing.ENDED, Closing.JUDGED, Closing.REJECTED):
        return None
    if why is Closing.REJECTED:
        last = latest_correction(fact.assertions)
        return last.message_id if last else None
    ends = ((one.valid_at, one.said_at, one.message_id) for one in fact.assertions if one.ends)
    return min(ends, default=(None, None, None))[2]


def closing_view(fact: Fact, texts: Mapping[str, str]) -> ClosingView | None:
    """Return the reason why a fact was closed; None while it is open. Pure.

    Args:
        texts: texts of facts and messages, by id; without that of the closing one, the result has only the reason.
    """
    if fact.invalid_at is None or (why := fact.closing_reason) is None:
        return None
    message = ending_message(fact)
    words = texts.get(fact.closed_by or message or "")
    text = f"{CLOSING_TEXTS[why]}: {words}" if words else CLOSING_TEXTS[why]
    if fact.closed_by:
        return ClosingView(reason=why, text=text, fact_id=fact.closed_by, fact_statement=words)
    return ClosingView(reason=why, text=text, message_id=message, message_text=words)
