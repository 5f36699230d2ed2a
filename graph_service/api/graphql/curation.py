"""GraphQL: manual corrections of facts, entities and their merges, and today's questions about a memory."""

from datetime import date, datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, expose, field, given, mutation, output
from graph_service.api.graphql.arguments import (
    AfterCursor,
    Connection,
    FirstArgument,
    memory_of,
    page_parts,
    person_of,
    view_of,
)
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.curation.review import CardKind, ReviewCard
from graph_service.memory.curation.statement_reader import Correction
from graph_service.memory.curation.statements import FactEdit, ManualFact
from graph_service.memory.entity_resolution.duplicate_candidates import ComparedEntity, DuplicatePair
from graph_service.memory.entity_resolution.listing import ListedEntity, entity_cursor
from graph_service.memory.entity_resolution.merge import MergeResult, StoredMerge
from schema.assertion import StatementKind
from schema.entity import entity_type_choice
from schema.predicates import predicate_choice

CorrectionKind = strawberry.enum(StatementKind, name="CorrectionKind", description="Kind of a manual correction.")
expose(Correction)
expose(ListedEntity, "Entity")
expose(ComparedEntity, "ReviewEntity", without=("user_id", "members", "ties"))
_Fact = Annotated[str, argument("The fact's id.")]
_Time = Annotated[datetime | None, argument("When it became true; unchanged if omitted.")]


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


@field
async def corrections(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 50,
) -> list[Correction]:
    """Manual corrections in effect, newest first."""
    return await memory_of(info).statements.latest(info.context["tenant"], user_id, limit=limit)


@mutation
async def add_fact(info: Info[Any, None], input: Annotated[ManualFactInput, argument("The fact.")]) -> Correction:
    """Add a fact manually; facts that it replaces are closed."""
    wish = ManualFact(**{name: getattr(input, name) for name in ManualFact.__dataclass_fields__})
    return await memory_of(info).statements.add(info.context["tenant"], wish, by=person_of(info))


@mutation
async def update_fact(
    info: Info[Any, None],
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
    statements, tenant, by = memory_of(info).statements, info.context["tenant"], person_of(info)
    return await statements.update(tenant, id, edit, if_version=if_version, by=by)


@mutation
async def confirm_fact(info: Info[Any, None], id: _Fact) -> Correction:
    """Confirm a fact: extraction cannot close it any more."""
    return await memory_of(info).statements.confirm(info.context["tenant"], id, by=person_of(info))


@mutation
async def reject_fact(info: Info[Any, None], id: _Fact) -> Correction:
    """Reject a fact as never true: it is closed, and extraction does not create it again. undoCorrection reverts
    this; forgetFact deletes the fact.
    """
    return await memory_of(info).statements.reject(info.context["tenant"], id, by=person_of(info))


@mutation
async def pin_fact(info: Info[Any, None], id: _Fact) -> Correction:
    """Confirm a fact and give it the highest importance."""
    return await memory_of(info).statements.pin(info.context["tenant"], id, by=person_of(info))


@mutation
async def undo_correction(info: Info[Any, None], id: Annotated[str, argument("The correction's id.")]) -> bool:
    """Undo a correction, with all its effects."""
    await memory_of(info).statements.undo(info.context["tenant"], id)
    return True


@output()
class MergeReceipt:
    """The result of a merge or split."""

    merge_id: str = about("Id of the merge, for splitEntity.")
    kept_id: str = about("The entity that represents both while they are merged.")
    merged_id: str = about("The entity that was merged into it.")


@output()
class Merge:
    """A merge that a person made, until it is undone."""

    merge_id: str = about("Its id, for splitEntity.")
    kept_id: str = about("The entity that represents both.")
    kept_name: str = about("Its name.")
    merged_id: str = about("The entity that was merged into it.")
    merged_name: str = about("Its name.")
    reason: str = about("The reason, as free text.")
    at: datetime = about("When it was made.")


@output()
class SuggestedMerge:
    """Two entities of one user that may be duplicates."""

    user_id: str = about("The user's id.")
    first_id: str = about("Id of the first entity.")
    first_name: str = about("Name of the first entity.")
    second_id: str = about("Id of the second entity.")
    second_name: str = about("Name of the second entity.")
    score: float = about("Probability that they are the same, 0 to 1.")
    reasons: list[str] = about("The reasons, as free text.")


@field
async def entities(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    first: FirstArgument = 100,
    after: AfterCursor = None,
) -> Connection[ListedEntity]:
    """The entities of one user's memory, most recently mentioned first."""
    check_limit(first)
    found = await memory_of(info).entities.listed(info.context["tenant"], user_id, limit=first + 1, after=after)
    return Connection(**page_parts(found, first, after, cursor=entity_cursor))


@field
async def merges(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 50,
) -> list[Merge]:
    """Merges that people made and that were not undone, newest first."""
    return [_merge(one) for one in await memory_of(info).merges.of_user(info.context["tenant"], user_id, limit=limit)]


@field
async def suggested_merges(
    info: Info[Any, None],
    user_id: Annotated[str | None, argument("The user's id; all users if omitted.")] = None,
    limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 20,
) -> list[SuggestedMerge]:
    """Pairs of entities that may be duplicates, most likely first, without rejected pairs."""
    found = await memory_of(info).entities.suggested_merges(info.context["tenant"], user_id, limit=limit)
    return [_suggested(pair) for pair in found]


@mutation
async def merge_entities(
    info: Info[Any, None],
    keep_id: Annotated[str, argument("The entity that keeps its name.")],
    merge_id: Annotated[str, argument("The entity merged into it.")],
    reason: Annotated[str, argument("The reason, as free text.")],
) -> MergeReceipt:
    """Merge two entities of one user; splitEntity reverts it."""
    return _receipt(await memory_of(info).merges.merge(info.context["tenant"], keep_id, merge_id, reason))


@mutation
async def split_entity(
    info: Info[Any, None], id: Annotated[str, argument("Id of the merge or of the merged entity.")]
) -> MergeReceipt:
    """Revert a merge; facts learned since then stay with the entity that was mentioned."""
    return _receipt(await memory_of(info).merges.split(info.context["tenant"], id))


@mutation
async def reject_merge(
    info: Info[Any, None],
    first_id: Annotated[str, argument("The first entity's id.")],
    second_id: Annotated[str, argument("The second entity's id.")],
    reason: Annotated[str, argument("The reason, as free text.")] = "rejected by a person",
) -> str:
    """Record that two entities of one user are different; returns the id of the record."""
    return await memory_of(info).merges.reject(info.context["tenant"], first_id, second_id, reason)


@mutation
async def allow_merge(info: Info[Any, None], id: Annotated[str, argument("The id that rejectMerge returned.")]) -> bool:
    """Undo rejectMerge: the two entities may be suggested again."""
    await memory_of(info).merges.allow(info.context["tenant"], id)
    return True


def _receipt(done: MergeResult) -> MergeReceipt:
    return MergeReceipt(merge_id=done.id, kept_id=done.kept, merged_id=done.merged)


def _merge(one: StoredMerge) -> Merge:
    done = one.result
    return view_of(Merge, one, merge_id=done.id, kept_id=done.kept, merged_id=done.merged)


def _suggested(pair: DuplicatePair) -> SuggestedMerge:
    return SuggestedMerge(
        user_id=pair.first.user_id,
        first_id=pair.first.id,
        first_name=pair.first.name,
        second_id=pair.second.id,
        second_name=pair.second.name,
        score=pair.score,
        reasons=list(pair.reasons),
    )


strawberry.enum(
    CardKind,
    name="ReviewKind",
    description="CONTRADICTION: two facts exclude each other; SAME: two entities may be one; STILL_TRUE: nobody "
    "mentioned it for long; ONE_SENTENCE: one message is its only evidence.",
)


@output(name="ReviewFact")
class ReviewFactView:
    """A valid fact that no person confirmed."""

    id: str
    statement: str
    predicate: str
    relation: str | None
    subject_id: str
    subject: str
    object_id: str
    object: str
    strength: float
    confidence: float
    importance: int = about("1 to 10.")
    valid_at: datetime = about("When it became true.")
    last_seen: datetime = about("When it was last mentioned.")
    messages: int = about("Number of evidence messages.")


@output(name="ReviewCard")
class ReviewCardView:
    """A question about the memory."""

    id: str = about("Stays the same until the question is settled.")
    kind: CardKind
    value: float = about("Usefulness of the answer, 0 to 1.")
    facts: list[ReviewFactView] = about("The fact; of a contradiction both, older first.")
    entities: list[ComparedEntity] = about("For SAME, the one with more facts first.")


@output(name="ReviewStack")
class ReviewStackView:
    """Today's questions about a memory."""

    day: date = about("The day, in UTC.")
    cards: list[ReviewCardView] = about("Most useful first; the order stays the same all day.")
    settled_today: int = about("Corrections and decisions that people made today.")
    left: int = about("Number of questions that are left, including `cards`.")


@field
async def review_cards(
    info: Info[Any, None],
    user_id: Annotated[str, argument("The user's id.")],
    limit: Annotated[int, argument("Maximum number of cards, 1 to 50.")] = 12,
) -> ReviewStackView:
    """Questions about one user's memory whose answers make it more reliable. Answer them with confirmFact,
    updateFact, rejectFact, mergeEntities or rejectMerge; settled questions are not asked again.
    """
    stack = await memory_of(info).review.stack(info.context["tenant"], user_id, limit=limit)
    return view_of(ReviewStackView, stack, cards=[_card(card) for card in stack.cards])


@field
async def contradictions(
    info: Info[Any, None], user_id: Annotated[str, argument("The user's id.")]
) -> list[ReviewCardView]:
    """Pairs of valid facts in one user's memory that exclude each other, which no person has settled."""
    return [_card(card) for card in await memory_of(info).review.contradictions(info.context["tenant"], user_id)]


def _card(card: ReviewCard) -> ReviewCardView:
    return view_of(
        ReviewCardView,
        card,
        value=round(card.value, 4),
        facts=[view_of(ReviewFactView, fact, messages=fact.evidence_n) for fact in card.facts],
    )
