"""GraphQL: status and history of a fact, and reopening closed facts."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.dataloader import DataLoader
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import AsOfArgument, ValidAtArgument, memory_of, view_of
from graph_service.memory.curation.facts import FactStatus, FactVersion
from graph_service.memory.facts.closing import ClosingView
from schema.assertion import Closing
from schema.fact import Fact, FactKind

strawberry.enum(Closing, name="ClosingReason", description="The reason why a fact is no longer valid.")


@output()
class FactClosing:
    """The end of a fact: its reason, and what closed it."""

    reason: Closing = about("REPLACED by another fact, REVERSED, stated to have ENDED, or MERGED into another fact.")
    text: str = about("The reason in words, quoting what closed it.")
    fact_id: str | None = about("The fact that closed it.")
    message_id: str | None = about("The message that stated its end.")


@strawberry.type
class FactDetails:
    """Fields that describe the content of a fact in detail."""

    kind: FactKind = about("Plain fact, decision or procedure.")
    rationale: str | None = about("The reason, if stated.")
    steps: list[str] = about("Procedures: steps in order, `action → result`.")
    trigger_emotion: str | None = about("A lasting emotion that it triggers.")
    mentioned_start: datetime | None = about("Start of the time it is about, if it names one.")
    mentioned_end: datetime | None = about("End of that time, exclusive.")


@strawberry.type
class ChangedFact:
    """Fields that say how often and when a fact was changed."""

    id: strawberry.ID = about("Its id.")
    created_at: datetime | None = about("When it was first stored.")

    @field
    async def version(self, info: Info[Any, None]) -> int:
        """1 for a new fact, one more with each change of it; for `ifVersion` of `updateFact`."""
        changes: int = (await _changes_of(info).load(self.id))[0]
        return changes

    @field
    async def updated_at(self, info: Info[Any, None]) -> datetime | None:
        """The time of the last change."""
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


@output(name="FactStatus")
class FactStatusAnswer(FactDetails, ChangedFact):
    """A fact and whether it is valid."""

    uri: str = about("Its URI.")
    statement: str = about("The fact as a sentence.")
    valid_at: datetime | None = about("When it became true; null if it was told as past, without its begin.")
    invalid_at: datetime | None = about("When it stopped being true, if that was known at the requested time.")
    holds: bool = about("Whether it was valid at the requested time, as known then.")
    closing: FactClosing | None = about("Why it is no longer valid; null while it is valid.")


@field
async def fact(
    info: Info[Any, None],
    id: Annotated[str, argument("The fact's id, or one of its URIs.")],
    valid_at: ValidAtArgument = None,
    as_of: AsOfArgument = None,
) -> FactStatusAnswer:
    """The validity of a fact, with the reason if it is not valid."""
    memory, tenant = memory_of(info), info.context["tenant"]
    return _status_answer(await memory.facts.status(tenant, id, valid_at=valid_at, as_of=as_of))


@mutation
async def reopen_fact(
    info: Info[Any, None],
    id: Annotated[str, argument("The closed fact's id, or one of its URIs.")],
    reason: Annotated[str, argument("The reason, as free text.")],
) -> FactStatusAnswer:
    """Reopen a closed fact; what closed it cannot close it again."""
    return _status_answer(await memory_of(info).facts.reopen(info.context["tenant"], id, reason))


def _status_answer(one: FactStatus) -> FactStatusAnswer:
    more = {"created_at": one.recorded_at, "valid_at": one.fact.begin, "holds": one.holds}
    return view_of(FactStatusAnswer, one.fact, **details_of(one.fact), **more, closing=_closing(one.closing))


def _closing(view: ClosingView | None) -> FactClosing | None:
    return None if view is None else view_of(FactClosing, view, reason=Closing(view.reason))


@output(name="FactVersion")
class FactVersionAnswer(FactDetails):
    """One fact in a fact's history."""

    id: str = about("Its id.")
    uri: str = about("Its URI.")
    statement: str = about("The fact as a sentence.")
    subject: str
    predicate: str
    relation: str | None
    object: str
    confidence: float
    strength: float
    valid_at: datetime | None = about("When it became true; null if it was told as past, without its begin.")
    invalid_at: datetime | None = about("When it stopped being true; null while it is valid.")
    known_at: datetime = about("When it was first recorded.")
    closing_known_at: datetime | None = about("When its end was recorded.")
    closing: FactClosing | None = about("Why it is no longer valid; null while it is valid.")
    evidence: list[str] = about("Ids of the messages that are its evidence.")


@field
async def fact_history(
    info: Info[Any, None],
    id: Annotated[str, argument("The fact's id, or one of its URIs.")],
    as_of: AsOfArgument = None,
) -> list[FactVersionAnswer]:
    """A fact with its predecessors and successors, oldest first, and why each stopped being true. Former statements
    of a fact come before it, with its id, as long as their messages are stored.
    """
    memory = memory_of(info)
    return [_answer(one) for one in await memory.facts.history(info.context["tenant"], id, as_of=as_of)]


def _answer(one: FactVersion) -> FactVersionAnswer:
    names = {"subject": one.subject, "object": one.object, "known_at": one.known_at, "valid_at": one.fact.begin}
    return view_of(FactVersionAnswer, one.fact, **details_of(one.fact), **names, closing=_closing(one.closing))
