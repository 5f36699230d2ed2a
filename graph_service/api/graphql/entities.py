"""GraphQL: the entities of a memory, merging them, and taking a merge back."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import AfterCursor, Connection, FirstArgument, memory_of, page_parts
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.entity_resolution.duplicate_candidates import DuplicatePair
from graph_service.memory.entity_resolution.listing import EntityListed, entity_cursor
from graph_service.memory.entity_resolution.merge import MergeResult


@strawberry.type(name="EntityRow", description="An entity of one user's memory.")
class EntityRow:
    """An entity of one user's memory."""

    id: str = strawberry.field(description="Its id; merging takes it.")
    name: str = strawberry.field(description="As people write it.")
    aliases: list[str] = strawberry.field(description="Other names, those of merged entities too.")
    entity_type: str | None = strawberry.field(description="Person, place and so on, when it is known.")
    last_seen: datetime = strawberry.field(description="When it was last named.")
    merged: list[str] = strawberry.field(description="Ids of the entities that were merged into it; split takes them.")


@strawberry.type(name="MergeReceipt", description="What a merge or a split was about.")
class MergeReceipt:
    """What a merge or a split was about."""

    merge_id: str = strawberry.field(description="The merge; splitEntity takes it.")
    kept_id: str = strawberry.field(description="The node that stands for both while they are merged.")
    merged_id: str = strawberry.field(description="The entity that was merged into it.")


@strawberry.type(name="SuggestedMerge", description="Two entities of one user that may be one; nothing is merged.")
class SuggestedMerge:
    """Two entities of one user that may be one."""

    user_id: str = strawberry.field(description="Whose memory.")
    first_id: str = strawberry.field(description="One of the two; mergeEntities and rejectMerge take both.")
    first_name: str = strawberry.field(description="Its name.")
    second_id: str = strawberry.field(description="The other.")
    second_name: str = strawberry.field(description="Its name.")
    score: float = strawberry.field(description="How likely they are one, 0 to 1.")
    reasons: list[str] = strawberry.field(description="Why, for people.")


@strawberry.type
class IdentityQuery:
    """What can be asked about who is who."""

    @strawberry.field(description="The entities of one user's memory, the most recently named first.")
    async def entities(
        self,
        info: Info[Any, None],
        user_id: Annotated[str, strawberry.argument(description="Whose memory.")],
        first: FirstArgument = 100,
        after: AfterCursor = None,
    ) -> Connection[EntityRow]:
        """Return the entities of one user's memory."""
        check_limit(first)
        found = await memory_of(info).entities(info.context["tenant"], user_id, limit=first + 1, after=after)
        return Connection(**page_parts(found, first, after, cursor=entity_cursor, view=_row))

    @strawberry.field(description="Pairs of entities that may be one, the likeliest first; rejected ones stay away.")
    async def suggested_merges(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="Whose memory; everybody's without it.")] = None,
        limit: Annotated[int, strawberry.argument(description="At most so many, 1 to 100.")] = 20,
    ) -> list[SuggestedMerge]:
        """Return pairs of entities that may be one."""
        found = await memory_of(info).suggested_merges(info.context["tenant"], user_id, limit=limit)
        return [_suggested(pair) for pair in found]


@strawberry.type
class IdentityMutation:
    """What can be done about who is who."""

    @strawberry.mutation(description="Lets one node stand for two entities of one user; splitEntity takes it back.")
    async def merge_entities(
        self,
        info: Info[Any, None],
        keep_id: Annotated[str, strawberry.argument(description="The entity whose name stays.")],
        merge_id: Annotated[str, strawberry.argument(description="The entity that is merged into it.")],
        reason: Annotated[str, strawberry.argument(description="Why they are one, for people.")],
    ) -> MergeReceipt:
        """Let one node stand for two entities."""
        return _receipt(await memory_of(info).merge_entities(info.context["tenant"], keep_id, merge_id, reason))

    @strawberry.mutation(description="Takes a merge back; what was learned since stays with the name that was said.")
    async def split_entity(
        self,
        info: Info[Any, None],
        id: Annotated[str, strawberry.argument(description="The merge, or the entity that was merged.")],  # noqa: A002  the API's word
    ) -> MergeReceipt:
        """Take a merge back."""
        return _receipt(await memory_of(info).split_entity(info.context["tenant"], id))

    @strawberry.mutation(description="Remembers that two entities of one user are two; answers with an id of that.")
    async def reject_merge(
        self,
        info: Info[Any, None],
        a_id: Annotated[str, strawberry.argument(description="One entity.")],
        b_id: Annotated[str, strawberry.argument(description="The other.")],
        reason: Annotated[str, strawberry.argument(description="Why they are two, for people.")] = "told so",
    ) -> str:
        """Remember that two entities are two."""
        return await memory_of(info).reject_merge(info.context["tenant"], a_id, b_id, reason)


def _row(one: EntityListed) -> EntityRow:
    return EntityRow(
        id=one.id,
        name=one.name,
        aliases=list(one.aliases),
        entity_type=one.entity_type,
        last_seen=one.last_seen,
        merged=list(one.merged),
    )


def _receipt(done: MergeResult) -> MergeReceipt:
    return MergeReceipt(merge_id=done.id, kept_id=done.kept, merged_id=done.merged)


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
