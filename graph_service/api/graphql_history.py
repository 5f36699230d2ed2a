"""GraphQL: the history of a fact."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql_facts import FactClosing, closing_answer
from graph_service.api.graphql_moments import AsOfArgument
from graph_service.memory.history import FactVersion
from graph_service.memory.service import Memory


@strawberry.type(name="FactVersion", description="One fact in the history of another.")
class FactVersionAnswer:
    """One fact in the history of another."""

    id: str = strawberry.field(description="Its id.")
    uri: str = strawberry.field(description="Its address.")
    statement: str = strawberry.field(description="The fact in words.")
    subject: str
    predicate: str
    relation: str | None
    object: str
    confidence: float
    strength: float
    valid_at: datetime = strawberry.field(description="When it began to hold.")
    invalid_at: datetime | None = strawberry.field(description="When it ceased to hold; null while it does.")
    known_at: datetime = strawberry.field(description="When we heard of it.")
    closing_known_at: datetime | None = strawberry.field(description="When we heard of what closed it.")
    closing: FactClosing | None = strawberry.field(description="Why it does not hold; null while it does.")
    evidence: list[str] = strawberry.field(description="Ids of the messages that prove it.")


@strawberry.type
class HistoryQuery:
    """What can be asked about the past of a fact."""

    @strawberry.field(
        description="What held of the same before and after a fact, the oldest first, and why each ceased to hold."
    )
    async def fact_history(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The fact, as recall and the map name it.")],  # noqa: A002  the API's word
        as_of: AsOfArgument = None,
    ) -> list[FactVersionAnswer]:
        """What held of the same before and after a fact."""
        return await _versions(info, id, as_of)

    @strawberry.field(description="The same as factHistory.")
    async def history(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The fact, as recall and the map name it.")],  # noqa: A002  the API's word
        as_of: AsOfArgument = None,
    ) -> list[FactVersionAnswer]:
        """The same as `fact_history`."""
        return await _versions(info, id, as_of)


async def _versions(info: Info[Any, None], fact_id: str, as_of: datetime | None) -> list[FactVersionAnswer]:
    memory: Memory = info.context["memory"]
    return [_answer(one) for one in await memory.facts.history(info.context["tenant"], fact_id, as_of=as_of)]


def _answer(one: FactVersion) -> FactVersionAnswer:
    return FactVersionAnswer(
        id=one.id,
        uri=one.uri,
        statement=one.statement,
        subject=one.subject,
        predicate=one.predicate,
        relation=one.relation,
        object=one.object,
        confidence=one.confidence,
        strength=one.strength,
        valid_at=one.valid_at,
        invalid_at=one.invalid_at,
        known_at=one.known_at,
        closing_known_at=one.closing_known_at,
        closing=closing_answer(one.closing) if one.closing else None,
        evidence=list(one.evidence),
    )
