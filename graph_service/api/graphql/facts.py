"""GraphQL: status and history of a fact, and reopening closed facts."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.dataloader import DataLoader
from strawberry.types import Info

from graph_service.api.graphql.arguments import AsOfArgument, ValidAtArgument, memory_of, view_of
from graph_service.memory.curation.facts import FactStatus, FactVersion
from graph_service.memory.facts.closing import ClosingView
from schema.assertion import Closing
from schema.fact import Fact, FactKind

strawberry.enum(Closing, name="ClosingReason", description="The reason why a fact is no longer valid.")


@strawberry.type(name="FactClosing", description="Why a fact is no longer valid, and what closed it.")
class FactClosing:
    """The reason for which a fact is no longer valid."""

    reason: Closing = strawberry.field(
        description="REPLACED by another fact, REVERSED, stated to have ENDED, or MERGED into another fact."
    )
    text: str = strawberry.field(description="The reason in words, quoting what closed it.")
    fact_id: str | None = strawberry.field(description="The fact that closed it.")
    message_id: str | None = strawberry.field(description="The message that stated its end.")


@strawberry.type
class FactDetails:
    """Fields that describe the content of a fact in detail."""

    kind: FactKind = strawberry.field(description="Plain fact, decision or procedure.")
    rationale: str | None = strawberry.field(description="The reason, if stated.")
    steps: list[str] = strawberry.field(description="Procedures: steps in order, `action → result`.")
    trigger_emotion: str | None = strawberry.field(description="A lasting emotion that it triggers.")
    mentioned_start: datetime | None = strawberry.field(description="Start of the time it is about, if it names one.")
    mentioned_end: datetime | None = strawberry.field(description="End of that time, exclusive.")


@strawberry.type
class ChangedFact:
    """Fields that say how often and when a fact was changed."""

    id: strawberry.ID = strawberry.field(description="Its id.")
    created_at: datetime | None = strawberry.field(description="When it was first stored.")

    @strawberry.field(description="1 for a new fact, one more with each change of it; for `ifVersion` of `updateFact`.")
    async def version(self, info: Info[Any, None]) -> int:
        """Return its version."""
        changes: int = (await _changes_of(info).load(self.id))[0]
        return changes

    @strawberry.field(description="When it was last changed.")
    async def updated_at(self, info: Info[Any, None]) -> datetime | None:
        """Return the time of its last change."""
        at: datetime | None = (await _changes_of(info).load(self.id))[1]
        return at or self.created_at


def _changes_of(info: Info[Any, None]) -> DataLoader[str, tuple[int, datetime | None]]:
    """Return the loader of the numbers and times of changes, one round trip for all facts of a level."""

    async def load(ids: list[str]) -> list[tuple[int, datetime | None]]:
        found = await memory_of(info).reads.changes_of_facts(info.context["tenant"], ids)
        return [found.get(one, (1, None)) for one in ids]

    if "fact_changes" not in info.context:
        info.context["fact_changes"] = DataLoader(load_fn=load)
    loader: DataLoader[str, tuple[int, datetime | None]] = info.context["fact_changes"]
    return loader


def details_of(fact: Fact) -> dict[str, Any]:
    """Return the fields of `FactDetails`."""
    return vars(view_of(FactDetails, fact.detail, trigger_emotion=fact.trigger_emotion))


@strawberry.type(name="FactStatus", description="A fact and whether it is valid.")
class FactStatusAnswer(FactDetails, ChangedFact):
    """A fact and whether it is valid."""

    uri: str = strawberry.field(description="Its URI.")
    statement: str = strawberry.field(description="The fact as a sentence.")
    valid_at: datetime | None = strawberry.field(
        description="When it became true; null if it was told as past, without its begin."
    )
    invalid_at: datetime | None = strawberry.field(
        description="When it stopped being true, if that was known at the requested time."
    )
    holds: bool = strawberry.field(description="Whether it was valid at the requested time, as known then.")
    closing: FactClosing | None = strawberry.field(description="Why it is no longer valid; null while it is valid.")


@strawberry.type
class FactsQuery:
    """Queries for one fact."""

    @strawberry.field(description="Whether a fact is valid, and if not, why.")
    async def fact(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The fact's id, or one of its URIs.")],  # noqa: A002  the API's word
        valid_at: ValidAtArgument = None,
        as_of: AsOfArgument = None,
    ) -> FactStatusAnswer:
        """Return a fact and whether it is valid."""
        memory, tenant = memory_of(info), info.context["tenant"]
        return _status_answer(await memory.facts.status(tenant, id, valid_at=valid_at, as_of=as_of))


@strawberry.type
class FactsMutation:
    """Changes of one fact."""

    @strawberry.mutation(description="Reopen a closed fact; what closed it cannot close it again.")
    async def reopen_fact(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The closed fact's id, or one of its URIs.")],  # noqa: A002  the API's word
        reason: Annotated[str, strawberry.argument(description="The reason, as free text.")],
    ) -> FactStatusAnswer:
        """Reopen a closed fact."""
        return _status_answer(await memory_of(info).facts.reopen(info.context["tenant"], id, reason))


def _status_answer(one: FactStatus) -> FactStatusAnswer:
    more = {"created_at": one.recorded_at, "valid_at": one.fact.begin, "holds": one.holds}
    return view_of(FactStatusAnswer, one.fact, **details_of(one.fact), **more, closing=_closing(one.closing))


def _closing(view: ClosingView | None) -> FactClosing | None:
    return None if view is None else view_of(FactClosing, view, reason=Closing(view.reason))


@strawberry.type(name="FactVersion", description="One fact in a fact's history.")
class FactVersionAnswer(FactDetails):
    """One fact in a fact's history."""

    id: str = strawberry.field(description="Its id.")
    uri: str = strawberry.field(description="Its URI.")
    statement: str = strawberry.field(description="The fact as a sentence.")
    subject: str
    predicate: str
    relation: str | None
    object: str
    confidence: float
    strength: float
    valid_at: datetime | None = strawberry.field(
        description="When it became true; null if it was told as past, without its begin."
    )
    invalid_at: datetime | None = strawberry.field(description="When it stopped being true; null while it is valid.")
    known_at: datetime = strawberry.field(description="When it was first recorded.")
    closing_known_at: datetime | None = strawberry.field(description="When its end was recorded.")
    closing: FactClosing | None = strawberry.field(description="Why it is no longer valid; null while it is valid.")
    evidence: list[str] = strawberry.field(description="Ids of the messages that are its evidence.")


@strawberry.type
class HistoryQuery:
    """Queries for the history of a fact."""

    @strawberry.field(
        description="A fact with its predecessors and successors, oldest first, and why each stopped being true. Former"
        " statements of a fact come before it, with its id, as long as their messages are stored."
    )
    async def fact_history(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The fact's id, or one of its URIs.")],  # noqa: A002  the API's word
        as_of: AsOfArgument = None,
    ) -> list[FactVersionAnswer]:
        """Return a fact with its predecessors and successors."""
        return await _versions(info, id, as_of)


async def _versions(info: Info[Any, None], fact_id: str, as_of: datetime | None) -> list[FactVersionAnswer]:
    memory = memory_of(info)
    return [_answer(one) for one in await memory.facts.history(info.context["tenant"], fact_id, as_of=as_of)]


def _answer(one: FactVersion) -> FactVersionAnswer:
    names = {"subject": one.subject, "object": one.object, "known_at": one.known_at, "valid_at": one.fact.begin}
    return view_of(FactVersionAnswer, one.fact, **details_of(one.fact), **names, closing=_closing(one.closing))
