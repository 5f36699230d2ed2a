"""GraphQL: manual corrections of facts, which take precedence over extraction, and undoing them."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, given, mutation, output
from graph_service.api.graphql.arguments import memory_of, person_of, view_of
from graph_service.memory.curation.statements import FactEdit, ManualFact
from schema.assertion import StatementKind
from schema.entity import entity_type_choice
from schema.predicates import predicate_choice

CorrectionKind = strawberry.enum(StatementKind, name="CorrectionKind", description="Kind of a manual correction.")
_Fact = Annotated[str, argument("The fact's id.")]
_Time = Annotated[datetime | None, argument("When it became true; unchanged if omitted.")]


@output()
class Correction:
    """A manual correction. It takes precedence over extraction, including later extraction."""

    id: str = about("Its id, for undoCorrection; also the id of the message that is the fact's evidence.")
    kind: StatementKind = about("What was corrected.")
    user_id: str = about("The user's id.")
    text: str = about("The correction in words.")
    at: datetime = about("When it was made.")
    fact_id: str | None = about("The fact it created or changed; null while pending.")
    replaced_id: str | None = about("The fact that an update replaced, if it created another one.")
    by: str | None = about("Who made it: the name of the key, or the subject of the token; null without a credential.")
    pending: bool = about("Stored durably, and applied when Neo4j or the reader is available again.")


@given()
class ManualFactInput:
    """A fact entered manually."""

    user_id: str = about("The user's id.")
    predicate: str = about(f"{predicate_choice()}.")
    object: str = about("`user`, `assistant`, or the short name of a person, place, thing or idea.")
    statement: str = about("The fact as a sentence, in the language of the memory.")
    subject: str = about("`user`, `assistant`, or a name.", default="user")
    relation: str | None = about("The relation in free text: `lives in`.", default=None)
    subject_type: str | None = about(f"{entity_type_choice()}.", default=None)
    object_type: str | None = about(f"{entity_type_choice()}.", default=None)
    valid_at: datetime | None = about("When it became true. Default: now.", default=None)
    invalid_at: datetime | None = about("When it stopped being true.", default=None)
    request_id: str | None = about("Idempotency key of the call.", default=None)


@strawberry.type
class CorrectionsQuery:
    """Queries for corrections."""

    @field
    async def corrections(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, argument("The user's id.")],
        limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 50,
    ) -> list[Correction]:
        """Manual corrections in effect, newest first."""
        found = await memory_of(info).statements.latest(info.context["tenant"], user_id, limit=limit)
        return [view_of(Correction, one) for one in found]


@strawberry.type
class CorrectionsMutation:
    """Manual corrections."""

    @mutation
    async def add_fact(
        self,
        info: Info[Any, None],
        input: Annotated[ManualFactInput, argument("The fact.")],  # noqa: A002  the API's word
    ) -> Correction:
        """Add a fact manually; facts that it replaces are closed."""
        wish = ManualFact(**{name: getattr(input, name) for name in ManualFact.__dataclass_fields__})
        return view_of(
            Correction, await memory_of(info).statements.add(info.context["tenant"], wish, by=person_of(info))
        )

    @mutation
    async def update_fact(
        self,
        info: Info[Any, None],
        id: _Fact,  # noqa: A002  the API's word
        statement: Annotated[str | None, argument("The new sentence; required if the meaning changes.")] = None,
        object: Annotated[str | None, argument("The new object.")] = None,  # noqa: A002
        predicate: Annotated[str | None, argument(f"The new relation type: {predicate_choice()}.")] = None,
        relation: Annotated[str | None, argument("The new relation in free text; empty for none.")] = None,
        valid_at: _Time = None,
        invalid_at: Annotated[
            datetime | None, argument("When it stopped being true; unchanged if omitted. `reopenFact` removes an end.")
        ] = None,
        if_version: Annotated[
            int | None, argument("Change it only if it has this `version`; else the error CONFLICT.")
        ] = None,
    ) -> Correction:
        """Correct a fact. If this changes its meaning, the former fact is treated as never true."""
        edit = FactEdit(
            statement=statement,
            object=object,
            predicate=predicate,
            relation=relation,
            valid_at=valid_at,
            invalid_at=invalid_at,
        )
        statements, tenant, by = memory_of(info).statements, info.context["tenant"], person_of(info)
        return view_of(Correction, await statements.update(tenant, id, edit, if_version=if_version, by=by))

    @mutation
    async def confirm_fact(self, info: Info[Any, None], id: _Fact) -> Correction:  # noqa: A002  the API's word
        """Confirm a fact: extraction cannot close it any more."""
        return view_of(
            Correction, await memory_of(info).statements.confirm(info.context["tenant"], id, by=person_of(info))
        )

    @mutation
    async def reject_fact(self, info: Info[Any, None], id: _Fact) -> Correction:  # noqa: A002  the API's word
        """Reject a fact as never true: it is closed, and extraction does not create it again. undoCorrection reverts
        this; forgetFact deletes the fact.
        """
        return view_of(
            Correction, await memory_of(info).statements.reject(info.context["tenant"], id, by=person_of(info))
        )

    @mutation
    async def pin_fact(self, info: Info[Any, None], id: _Fact) -> Correction:  # noqa: A002  the API's word
        """Confirm a fact and give it the highest importance."""
        return view_of(Correction, await memory_of(info).statements.pin(info.context["tenant"], id, by=person_of(info)))

    @mutation
    async def undo_correction(
        self,
        info: Info[Any, None],
        id: Annotated[str, argument("The correction's id.")],  # noqa: A002  the API's word
    ) -> bool:
        """Undo a correction, with all its effects."""
        await memory_of(info).statements.undo(info.context["tenant"], id)
        return True
