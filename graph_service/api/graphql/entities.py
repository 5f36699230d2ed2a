"""GraphQL: list, merge and split entities."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, field, mutation, output
from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts, view_of
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.entity_resolution.duplicate_candidates import DuplicatePair
from graph_service.memory.entity_resolution.listing import entity_cursor
from graph_service.memory.entity_resolution.merge import MergeResult, StoredMerge


@output()
class Entity:
    """An entity of one user's memory."""

    id: str = about("Its id.")
    name: str = about("Its preferred name.")
    aliases: list[str] = about("Other names, including those of merged entities.")
    entity_type: str | None = about("person, place, …, if known.")
    last_seen: datetime = about("When it was last mentioned.")
    merged: list[str] = about("Ids of the entities merged into it, for splitEntity.")


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


@strawberry.type
class IdentityQuery:
    """Queries for entities and duplicates."""

    @field
    async def entities(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, argument("The user's id.")],
        first: FirstArgument = 100,
        after: AfterCursor = None,
    ) -> Connection[Entity]:
        """The entities of one user's memory, most recently mentioned first."""
        check_limit(first)
        found = await memory_of(info).entities(info.context["tenant"], user_id, limit=first + 1, after=after)
        return Connection(**page_parts(found, first, after, cursor=entity_cursor, view=partial(view_of, Entity)))

    @field
    async def merges(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, argument("The user's id.")],
        limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 50,
    ) -> list[Merge]:
        """Merges that people made and that were not undone, newest first."""
        return [
            _merge(one) for one in await memory_of(info).merges.of_user(info.context["tenant"], user_id, limit=limit)
        ]

    @field
    async def suggested_merges(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, argument("The user's id; all users if omitted.")] = None,
        limit: Annotated[int, argument("Maximum number of items, 1 to 100.")] = 20,
    ) -> list[SuggestedMerge]:
        """Pairs of entities that may be duplicates, most likely first, without rejected pairs."""
        found = await memory_of(info).suggested_merges(info.context["tenant"], user_id, limit=limit)
        return [_suggested(pair) for pair in found]


@strawberry.type
class IdentityMutation:
    """Merge and split entities."""

    @mutation
    async def merge_entities(
        self,
        info: Info[Any, None],
        keep_id: Annotated[str, argument("The entity that keeps its name.")],
        merge_id: Annotated[str, argument("The entity merged into it.")],
        reason: Annotated[str, argument("The reason, as free text.")],
    ) -> MergeReceipt:
        """Merge two entities of one user; splitEntity reverts it."""
        return _receipt(await memory_of(info).merges.merge(info.context["tenant"], keep_id, merge_id, reason))

    @mutation
    async def split_entity(
        self,
        info: Info[Any, None],
        id: Annotated[str, argument("Id of the merge or of the merged entity.")],  # noqa: A002  the API's word
    ) -> MergeReceipt:
        """Revert a merge; facts learned since then stay with the entity that was mentioned."""
        return _receipt(await memory_of(info).merges.split(info.context["tenant"], id))

    @mutation
    async def reject_merge(
        self,
        info: Info[Any, None],
        first_id: Annotated[str, argument("The first entity's id.")],
        second_id: Annotated[str, argument("The second entity's id.")],
        reason: Annotated[str, argument("The reason, as free text.")] = "rejected by a person",
    ) -> str:
        """Record that two entities of one user are different; returns the id of the record."""
        return await memory_of(info).merges.reject(info.context["tenant"], first_id, second_id, reason)

    @mutation
    async def allow_merge(
        self,
        info: Info[Any, None],
        id: Annotated[str, argument("The id that rejectMerge returned.")],  # noqa: A002  the API's word
    ) -> bool:
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
