"""GraphQL: what people state of facts by hand, which outranks what was read, and taking it back."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.curation.statement_reader import Correction as Stated
from graph_service.memory.curation.statement_reader import StatementKind
from graph_service.memory.curation.statements import FactEdit, ManualFact

CorrectionKind = strawberry.enum(
    StatementKind, name="CorrectionKind", description="What a person does with a fact by hand."
)
_Fact = Annotated[str, strawberry.argument(description="The fact, as recall and the map name it.")]
_Time = Annotated[datetime | None, strawberry.argument(description="When it began to hold; as it was when left out.")]


@strawberry.type(description="What a person stated by hand. It outranks what was read, also what is read anew.")
class Correction:
    """What a person stated by hand."""

    id: str = strawberry.field(description="Its id; undoCorrection takes it. It is the message that proves the fact.")
    kind: StatementKind = strawberry.field(description="What was done.")
    user_id: str = strawberry.field(description="Whose memory.")
    text: str = strawberry.field(description="The same in words.")
    at: datetime = strawberry.field(description="When it was stated.")
    fact_id: str | None = strawberry.field(description="The fact that it is about, or made; null while it is pending.")
    replaced_id: str | None = strawberry.field(description="Of an update: the fact that never held, if it is another.")
    pending: bool = strawberry.field(description="It is durable, and read when Neo4j, or what reads, is there again.")


@strawberry.input(description="A fact that a person states by hand.")
class StatedFactInput:
    """A fact that a person states by hand."""

    user_id: str = strawberry.field(description="Whose memory.")
    predicate: str = strawberry.field(description="PREFERS, DISLIKES, CARES_ABOUT, RELATES_TO or CAUSED_BY.")
    object: str = strawberry.field(description="`user`, `assistant`, or a short name of a thing, person, place, idea.")
    statement: str = strawberry.field(description="The fact in words, in the language of the memory.")
    subject: str = strawberry.field(default="user", description="`user`, `assistant`, or a name.")
    relation: str | None = strawberry.field(default=None, description="How, in free words: `lives in`.")
    subject_type: str | None = strawberry.field(default=None, description="person, place, organization, …")
    object_type: str | None = strawberry.field(default=None, description="person, place, organization, …")
    valid_at: datetime | None = strawberry.field(default=None, description="When it began to hold; now if left out.")
    invalid_at: datetime | None = strawberry.field(default=None, description="When it ceased to hold.")
    request_id: str | None = strawberry.field(default=None, description="Makes the call repeatable.")


@strawberry.type
class CorrectionsQuery:
    """What people stated."""

    @strawberry.field(description="What people stated by hand and did not take back, the latest first.")
    async def corrections(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose memory.")],
        limit: Annotated[int, strawberry.argument(description="At most so many, 1 to 100.")] = 50,
    ) -> list[Correction]:
        """Return what people stated by hand."""
        found = await memory_of(info).statements.latest(info.context["tenant"], user_id, limit=limit)
        return [_view(one) for one in found]


@strawberry.type
class CorrectionsMutation:
    """What people can state by hand."""

    @strawberry.mutation(description="Adds a fact that a person states; it closes what it replaces.")
    async def add_fact(
        self,
        info: Info[Any, None],
        input: Annotated[StatedFactInput, strawberry.argument(description="The fact.")],  # noqa: A002  the API's word
    ) -> Correction:
        """Add a fact that a person states."""
        wish = ManualFact(**{name: getattr(input, name) for name in ManualFact.__dataclass_fields__})
        return _view(await memory_of(info).statements.add(info.context["tenant"], wish))

    @strawberry.mutation(
        description="Says how a fact is right. If it then says something else, what it said before never held."
    )
    async def update_fact(
        self,
        info: Info[Any, None],
        id: _Fact,  # noqa: A002  the API's word
        statement: Annotated[str | None, strawberry.argument(description="Its words; needed for another fact.")] = None,
        object: Annotated[str | None, strawberry.argument(description="Who or what it is about.")] = None,  # noqa: A002
        predicate: Annotated[str | None, strawberry.argument(description="PREFERS, RELATES_TO and so on.")] = None,
        relation: Annotated[str | None, strawberry.argument(description="How, in free words; empty for none.")] = None,
        valid_at: _Time = None,
        invalid_at: Annotated[datetime | None, strawberry.argument(description="When it ceased to hold.")] = None,
    ) -> Correction:
        """Say how a fact is right."""
        edit = FactEdit(
            statement=statement,
            object=object,
            predicate=predicate,
            relation=relation,
            valid_at=valid_at,
            invalid_at=invalid_at,
        )
        return _view(await memory_of(info).statements.update(info.context["tenant"], id, edit))

    @strawberry.mutation(description="Says that a fact is so: nothing that is read closes it.")
    async def confirm_fact(self, info: Info[Any, None], id: _Fact) -> Correction:  # noqa: A002  the API's word
        """Say that a fact is so."""
        return _view(await memory_of(info).statements.confirm(info.context["tenant"], id))

    @strawberry.mutation(
        description="Says that a fact never held: it is closed, and reading it again does not bring it back. "
        "undoCorrection does; forgetFact takes it away for good."
    )
    async def reject_fact(self, info: Info[Any, None], id: _Fact) -> Correction:  # noqa: A002  the API's word
        """Say that a fact never held."""
        return _view(await memory_of(info).statements.reject(info.context["tenant"], id))

    @strawberry.mutation(description="Confirms a fact and gives it the highest importance, so that it stays at hand.")
    async def pin(self, info: Info[Any, None], id: _Fact) -> Correction:  # noqa: A002  the API's word
        """Confirm a fact and give it the highest importance."""
        return _view(await memory_of(info).statements.pin(info.context["tenant"], id))

    @strawberry.mutation(description="Takes a correction back: everything is as if it had not been made.")
    async def undo_correction(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The correction.")],  # noqa: A002  the API's word
    ) -> bool:
        """Take a correction back."""
        await memory_of(info).statements.undo(info.context["tenant"], id)
        return True


def _view(one: Stated) -> Correction:
    return Correction(
        id=one.id,
        kind=one.kind,
        user_id=one.user_id,
        text=one.text,
        at=one.at,
        fact_id=one.fact_id,
        replaced_id=one.replaced_id,
        pending=one.pending,
    )
