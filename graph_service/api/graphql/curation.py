"""GraphQL: correct facts, merge entities, today's questions about a memory, and forget with everything derived."""

from datetime import datetime
from typing import Annotated

import strawberry

from graph_service.api.graphql.fields import (
    AfterCursor,
    AnyUserId,
    Call,
    Connection,
    FirstArgument,
    LimitArgument,
    OnlySession,
    ReasonArgument,
    SessionId,
    TagsArgument,
    UserId,
    WhereArgument,
    argument,
    expose,
    field,
    mutation,
    page_of,
)
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.curation.review import CardKind, ReviewCard, ReviewFact, ReviewStack
from graph_service.memory.curation.statements import Correction, FactEdit, ManualFact
from graph_service.memory.entity_resolution.duplicate_candidates import ComparedEntity, DuplicatePair
from graph_service.memory.entity_resolution.listing import ListedEntity, entity_cursor
from graph_service.memory.entity_resolution.merge import MergeResult, StoredMerge
from graph_service.memory.forgetting.commit import ForgetResult
from graph_service.memory.messages.log import MessageFilter
from schema.assertion import StatementKind
from schema.entity import entity_type_choice
from schema.filters import parse_filter
from schema.predicates import predicate_choice

CorrectionKind = strawberry.enum(StatementKind, name="CorrectionKind", description="Kind of a manual correction.")
expose(Correction)
expose(ListedEntity, "Entity")
expose(ComparedEntity, "ReviewEntity", "id name aliases entity_type")
_Fact = Annotated[str, argument("The fact's id.")]
_Time = Annotated[datetime | None, argument("When it became true; unchanged if omitted.")]


expose(
    ManualFact,
    "ManualFactInput",
    texts={
        "": "A fact entered manually.",
        "predicate": f"{predicate_choice()}.",
        **dict.fromkeys(("subject_type", "object_type"), f"{entity_type_choice()}."),
    },
    is_input=True,
)


@field
async def corrections(info: Call, user_id: UserId, limit: LimitArgument = 50) -> list[Correction]:
    """Manual corrections in effect, newest first."""
    return await info.memory.statements.latest(info.tenant, user_id, limit=limit)


@mutation
async def add_fact(info: Call, input: Annotated[ManualFact, argument("The fact.")]) -> Correction:
    """Add a fact manually; facts that it replaces are closed."""
    return await info.memory.statements.add(info.tenant, input, by=info.person)


@mutation
async def update_fact(
    info: Call,
    id: _Fact,
    statement: Annotated[str | None, argument("The new sentence; required if the meaning changes.")] = None,
    object: Annotated[str | None, argument("The new object.")] = None,
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
    statements, tenant, by = info.memory.statements, info.tenant, info.person
    return await statements.update(tenant, id, edit, if_version=if_version, by=by)


@mutation
async def confirm_fact(info: Call, id: _Fact) -> Correction:
    """Confirm a fact: extraction cannot close it any more."""
    return await info.memory.statements.confirm(info.tenant, id, by=info.person)


@mutation
async def reject_fact(info: Call, id: _Fact) -> Correction:
    """Reject a fact as never true: it is closed, and extraction does not create it again. undoCorrection reverts
    this; forgetFact deletes the fact.
    """
    return await info.memory.statements.reject(info.tenant, id, by=info.person)


@mutation
async def pin_fact(info: Call, id: _Fact) -> Correction:
    """Confirm a fact and give it the highest importance."""
    return await info.memory.statements.confirm(info.tenant, id, by=info.person, pin=True)


@mutation
async def undo_correction(info: Call, id: Annotated[str, argument("The correction's id.")]) -> bool:
    """Undo a correction, with all its effects."""
    await info.memory.statements.undo(info.tenant, id)
    return True


expose(MergeResult, "MergeReceipt", "merge_id=id kept_id=kept merged_id=merged")
expose(
    StoredMerge,
    "Merge",
    "merge_id=id kept_id=kept kept_name merged_id=merged merged_name reason at",
    inside="result",
    texts={
        "merge_id": "Its id, for splitEntity.",
        "kept_id": "The entity that represents both.",
        "kept_name": "Its name.",
        "merged_name": "Its name.",
    },
)
expose(
    DuplicatePair,
    "SuggestedMerge",
    "user_id=first.user_id first_id=first.id first_name=first.name second_id=second.id second_name=second.name"
    " score reasons",
    texts={
        "user_id": "The user's id.",
        **{f"{one}_id": f"Id of the {one} entity." for one in ("first", "second")},
        **{f"{one}_name": f"Name of the {one} entity." for one in ("first", "second")},
    },
)


@field
async def entities(
    info: Call, user_id: UserId, first: FirstArgument = 100, after: AfterCursor = None
) -> Connection[ListedEntity]:
    """The entities of one user's memory, most recently mentioned first."""
    check_limit(first, name="first")
    found = await info.memory.entities.listed(info.tenant, user_id, limit=first + 1, after=after)
    return page_of(found, first, after, cursor=entity_cursor)


@field
async def merges(info: Call, user_id: UserId, limit: LimitArgument = 50) -> list[StoredMerge]:
    """Merges that people made and that were not undone, newest first."""
    return await info.memory.merges.of_user(info.tenant, user_id, limit=limit)


@field
async def suggested_merges(info: Call, user_id: AnyUserId = None, limit: LimitArgument = 20) -> list[DuplicatePair]:
    """Pairs of entities that may be duplicates, most likely first, without rejected pairs."""
    return await info.memory.entities.suggested_merges(info.tenant, user_id, limit=limit)


@mutation
async def merge_entities(
    info: Call,
    keep_id: Annotated[str, argument("The entity that keeps its name.")],
    merge_id: Annotated[str, argument("The entity merged into it.")],
    reason: ReasonArgument,
) -> MergeResult:
    """Merge two entities of one user; splitEntity reverts it."""
    return await info.memory.merges.merge(info.tenant, keep_id, merge_id, reason)


@mutation
async def split_entity(
    info: Call, id: Annotated[str, argument("Id of the merge or of the merged entity.")]
) -> MergeResult:
    """Revert a merge; facts learned since then stay with the entity that was mentioned."""
    return await info.memory.merges.split(info.tenant, id)


@mutation
async def reject_merge(
    info: Call,
    first_id: Annotated[str, argument("The first entity's id.")],
    second_id: Annotated[str, argument("The second entity's id.")],
    reason: ReasonArgument = "rejected by a person",
) -> str:
    """Record that two entities of one user are different; returns the id of the record."""
    return await info.memory.merges.reject(info.tenant, first_id, second_id, reason)


@mutation
async def allow_merge(info: Call, id: Annotated[str, argument("The id that rejectMerge returned.")]) -> bool:
    """Undo rejectMerge: the two entities may be suggested again."""
    await info.memory.merges.allow(info.tenant, id)
    return True


strawberry.enum(
    CardKind,
    name="ReviewKind",
    description="CONTRADICTION: two facts exclude each other; SAME: two entities may be one; STILL_TRUE: nobody "
    "mentioned it for long; ONE_SENTENCE: one message is its only evidence.",
)


def value(root: ReviewCard) -> float:
    """Usefulness of the answer, 0 to 1."""
    return round(root.value, 4)


expose(
    ReviewFact,
    None,
    "id statement predicate relation subject_id subject object_id object strength confidence importance valid_at"
    " last_seen messages=evidence_n",
)
expose(ReviewCard, resolved=[value])
expose(ReviewStack)


@field
async def review_cards(
    info: Call, user_id: UserId, limit: Annotated[int, argument("Maximum number of cards, 1 to 50.")] = 12
) -> ReviewStack:
    """Questions about one user's memory whose answers make it more reliable. Answer them with confirmFact,
    updateFact, rejectFact, mergeEntities or rejectMerge; settled questions are not asked again.
    """
    return await info.memory.review.stack(info.tenant, user_id, limit=limit)


@field
async def contradictions(info: Call, user_id: UserId) -> list[ReviewCard]:
    """Pairs of valid facts in one user's memory that exclude each other, which no person has settled."""
    return await info.memory.review.contradictions(info.tenant, user_id)


expose(ForgetResult, "ForgetReceipt")


@mutation
async def forget_message(info: Call, id: Annotated[str, argument("Its id or its URI.")]) -> ForgetResult:
    """Delete a message and everything derived from it, as if never sent. It can be stored again."""
    return await info.memory.forgetting.message(info.tenant, id)


@mutation
async def forget_scene(info: Call, id: Annotated[str, argument("Its id or its URI.")]) -> ForgetResult:
    """Delete a scene with its messages and everything derived from them."""
    return await info.memory.forgetting.scene(info.tenant, id)


@mutation
async def forget_session(info: Call, user_id: UserId, session_id: SessionId) -> ForgetResult:
    """Delete a session with its messages and everything derived from them."""
    return await info.memory.forgetting.session(info.tenant, user_id, session_id)


@mutation
async def forget(
    info: Call,
    user_id: UserId,
    where: WhereArgument = None,
    before: Annotated[datetime | None, argument("Only messages said before this time.")] = None,
    session_id: OnlySession = None,
    tags: TagsArgument = None,
    dry_run: Annotated[bool, argument("Delete nothing.")] = False,
) -> ForgetResult:
    """Delete the messages of a user that pass all conditions, of which at least one is given, and everything
    derived from them; `dryRun` only counts the messages.
    """
    wanted = MessageFilter(user_id=user_id, session_id=session_id, tags=tuple(tags or ()), where=parse_filter(where))
    return await info.memory.forgetting.matching(info.tenant, wanted, before=before, dry_run=dry_run)


@mutation
async def forget_fact(info: Call, id: Annotated[str, argument("Its id.")]) -> ForgetResult:
    """Delete a fact: facts it had closed are reopened, and it is never extracted again. Its messages stay, but not
    corrections that state nothing else, nor the facts that these had rejected.
    """
    return await info.memory.forgetting.fact(info.tenant, id)


@mutation
async def forget_entity(info: Call, id: Annotated[str, argument("Its id; `entities` lists them.")]) -> ForgetResult:
    """Delete an entity with its facts. Existing messages stay, but are not linked to it again."""
    return await info.memory.forgetting.entity(info.tenant, id)


@mutation
async def forget_user(info: Call, user_id: UserId) -> ForgetResult:
    """Delete a user with all messages and everything derived from them. Irreversible; resumes automatically if the
    service stops meanwhile.
    """
    return await info.memory.forgetting.user(info.tenant, user_id)
