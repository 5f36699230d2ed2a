"""GraphQL: whether a fact holds and why not, and reopening one that was closed."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AsOfArgument, ValidAtArgument, memory_of
from graph_service.memory.curation.fact_history import FactVersion
from graph_service.memory.curation.reopening import FactStatus
from graph_service.memory.facts.closing import ClosingView
from schema.telling import Closing

strawberry.enum(Closing, name="ClosingWhy", description="Why a fact does not hold any more.")


@strawberry.type(name="FactClosing", description="Why a fact does not hold any more, and what closed it.")
class FactClosing:
    """Why a fact does not hold any more."""

    why: Closing = strawberry.field(description="REPLACED by another, REVERSED, said to be OVER, or JOINED to another.")
    text: str = strawberry.field(description="The same in words, with the words of what closed it.")
    fact_id: str | None = strawberry.field(description="The fact that closed it.")
    message_id: str | None = strawberry.field(description="The message that said it was over.")


@strawberry.type(name="FactStanding", description="A fact, and whether it holds.")
class FactStanding:
    """A fact, and whether it holds."""

    id: str = strawberry.field(description="Its id; reopenFact takes it.")
    statement: str = strawberry.field(description="The fact in words.")
    valid_at: datetime = strawberry.field(description="When it began to hold.")
    invalid_at: datetime | None = strawberry.field(description="When it ceased to hold, if that is, or was, known.")
    holds: bool = strawberry.field(description="Whether it held at the moment asked for, by what was known then.")
    closing: FactClosing | None = strawberry.field(description="Why it does not hold; null while it does.")


@strawberry.type
class FactsQuery:
    """What can be asked about one fact."""

    @strawberry.field(description="Whether a fact holds, and why not.")
    async def fact(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The fact, as recall and the map name it.")],  # noqa: A002  the API's word
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> FactStanding:
        """Return whether a fact holds, and why not."""
        memory, tenant = memory_of(info), info.context["tenant"]
        return _standing(await memory.facts.standing(tenant, id, valid_at=valid_at, as_of=as_of))


@strawberry.type
class FactsMutation:
    """What can be done about one fact."""

    @strawberry.mutation(description="Lets a closed fact hold again; what closed it closes it no more.")
    async def reopen_fact(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The closed fact.")],  # noqa: A002  the API's word
        reason: Annotated[str, strawberry.argument(description="Why it still holds, for people.")],
    ) -> FactStanding:
        """Let a closed fact hold again."""
        return _standing(await memory_of(info).facts.reopen(info.context["tenant"], id, reason))


def _standing(one: FactStatus) -> FactStanding:
    return FactStanding(
        id=one.id,
        statement=one.statement,
        valid_at=one.valid_at,
        invalid_at=one.invalid_at,
        holds=one.holds,
        closing=closing_answer(one.closing) if one.closing else None,
    )


def closing_answer(view: ClosingView) -> FactClosing:
    """Return why a fact does not hold any more, as the API shows it."""
    return FactClosing(why=Closing(view.why), text=view.text, fact_id=view.fact_id, message_id=view.message_id)


# GraphQL: the history of a fact.


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
        """Return what held of the same before and after a fact."""
        return await _versions(info, id, as_of)

    @strawberry.field(description="The same as factHistory.")
    async def history(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The fact, as recall and the map name it.")],  # noqa: A002  the API's word
        as_of: AsOfArgument = None,
    ) -> list[FactVersionAnswer]:
        """Return the same as `fact_history`."""
        return await _versions(info, id, as_of)


async def _versions(info: Info[Any, None], fact_id: str, as_of: datetime | None) -> list[FactVersionAnswer]:
    memory = memory_of(info)
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
