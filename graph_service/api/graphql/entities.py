"""GraphQL: list, merge and split entities."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.entity_resolution.duplicate_candidates import DuplicatePair
from graph_service.memory.entity_resolution.listing import entity_cursor
from graph_service.memory.entity_resolution.merge import MergeResult, StoredMerge


@strawberry.type(name="Entity", description="An entity of one user's memory.")
class Entity:
    """An entity of one user's memory."""

    id: str = strawberry.field(description="Its id.")
    name: str = strawberry.field(description="Its preferred name.")
    aliases: list[str] = strawberry.field(description="Other names, including those of merged entities.")
    entity_type: str | None = strawberry.field(description="person, place, …, if known.")
    last_seen: datetime = strawberry.field(description="When it was last mentioned.")
    merged: list[str] = strawberry.field(description="Ids of the entities merged into it, for splitEntity.")


@strawberry.type(name="MergeReceipt", description="The result of a merge or split.")
class MergeReceipt:
    """The result of a merge or split."""

    merge_id: str = strawberry.field(description="Id of the merge, for splitEntity.")
    kept_id: str = strawberry.field(description="The entity that represents both while they are merged.")
    merged_id: str = strawberry.field(description="The entity that was merged into it.")


@strawberry.type(name="Merge", description="A merge that a person made, until it is undone.")
class Merge:
    """A merge that a person made, until it is undone."""

    merge_id: str = strawberry.field(description="Its id, for splitEntity.")
    kept_id: str = strawberry.field(description="The entity that represents both.")
    kept_name: str = strawberry.field(description="Its name.")
    merged_id: str = strawberry.field(description="The entity that was merged into it.")
    merged_name: str = strawberry.field(description="Its name.")
    reason: str = strawberry.field(description="The reason, as free text.")
    at: datetime = strawberry.field(description="When it was made.")


@strawberry.type(name="SuggestedMerge", description="Two entities of one user that may be duplicates.")
class SuggestedMerge:
    """Two entities of one user that may be duplicates."""

    user_id: str = strawberry.field(description="The user's id.")
    first_id: str = strawberry.field(description="Id of the first entity.")
    first_name: str = strawberry.field(description="Name of the first entity.")
    second_id: str = strawberry.field(description="Id of the second entity.")
    second_name: str = strawberry.field(description="Name of the second entity.")
    score: float = strawberry.field(description="Probability that they are the same, 0 to 1.")
    reasons: list[str] = strawberry.field(description="The reasons, as free text.")


@strawberry.type
class IdentityQuery:
    """Queries for entities and duplicates."""

    @strawberry.field(description="The entities of one user's memory, most recently mentioned first.")
    async def entities(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        first: FirstArgument = 100,
        after: AfterCursor = None,
    ) -> Connection[Entity]:
        """Return the entities of one user's memory."""
        check_limit(first)
        found = await memory_of(info).entities(info.context["tenant"], user_id, limit=first + 1, after=after)
        return Connection(**page_parts(found, first, after, cursor=entity_cursor, view=partial(view_of, Entity)))

    @strawberry.field(description="Merges that people made and that were not undone, newest first.")
    async def merges(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="The user's id.")],
        limit: Annotated[int, strawberry.argument(description="Maximum number of items, 1 to 100.")] = 50,
    ) -> list[Merge]:
        """Return the merges of one user's memory."""
        return [_merge(one) for one in await memory_of(info).merges(info.context["tenant"], user_id, limit=limit)]

    @strawberry.field(
        description="Pairs of entities that may be duplicates, most likely first, without rejected pairs."
    )
    async def suggested_merges(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")] = None,
        limit: Annotated[int, strawberry.argument(description="Maximum number of items, 1 to 100.")] = 20,
    ) -> list[SuggestedMerge]:
        """Return pairs of entities that may be duplicates."""
        found = await memory_of(info).suggested_merges(info.context["tenant"], user_id, limit=limit)
        return [_suggested(pair) for pair in found]


@strawberry.type
class IdentityMutation:
    """Merge and split entities."""

    @strawberry.mutation(description="Merge two entities of one user; splitEntity reverts it.")
    async def merge_entities(
        self,
        info: Info[Any, None],
        keep_id: Annotated[str, strawberry.argument(description="The entity that keeps its name.")],
        merge_id: Annotated[str, strawberry.argument(description="The entity merged into it.")],
        reason: Annotated[str, strawberry.argument(description="The reason, as free text.")],
    ) -> MergeReceipt:
        """Merge two entities."""
        return _receipt(await memory_of(info).merge_entities(info.context["tenant"], keep_id, merge_id, reason))

    @strawberry.mutation(
        description="Revert a merge; facts learned since then stay with the entity that was mentioned."
    )
    async def split_entity(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="Id of the merge or of the merged entity.")],  # noqa: A002  the API's word
    ) -> MergeReceipt:
        """Revert a merge."""
        return _receipt(await memory_of(info).split_entity(info.context["tenant"], id))

    @strawberry.mutation(
        description="Record that two entities of one user are different; returns the id of the record."
    )
    async def reject_merge(
        self,
        info: Info[Any, None],
        first_id: Annotated[str, strawberry.argument(description="The first entity's id.")],
        second_id: Annotated[str, strawberry.argument(description="The second entity's id.")],
        reason: Annotated[str, strawberry.argument(description="The reason, as free text.")] = "rejected by a person",
    ) -> str:
        """Record that two entities are different."""
        return await memory_of(info).reject_merge(info.context["tenant"], first_id, second_id, reason)

    @strawberry.mutation(description="Undo rejectMerge: the two entities may be suggested again.")
    async def allow_merge(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The id that rejectMerge returned.")],  # noqa: A002  the API's word
    ) -> bool:
        """Undo a rejected merge."""
        await memory_of(info).allow_merge(info.context["tenant"], id)
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
