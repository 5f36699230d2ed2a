"""GraphQL: the spool of messages that wait on disk for Neo4j."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.ingest.spool import SpoolEntry, SpoolState, SpoolStatus

strawberry.enum(SpoolState, name="SpoolState", description="The state of a spooled call of remember.")

NumberArgument = Annotated[int, strawberry.argument(description="The number of a refused episode.")]


@strawberry.type(description="A message on disk.")
class SpooledMessage:
    """A message on disk."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime


@strawberry.type(description="A call of remember on disk.")
class SpooledEpisode:
    """A call of remember on disk."""

    number: int = strawberry.field(description="Its sequence number, for retrySpooled and dropSpooled.")
    state: SpoolState
    user_id: str
    session_id: str
    received_at: datetime
    error: str | None = strawberry.field(description="Why Neo4j refused it.")
    messages: list[SpooledMessage]


@strawberry.type(name="Spool", description="The tenant's spool.")
class SpoolView:
    """The tenant's spool."""

    waiting: int = strawberry.field(description="Number of calls that wait for Neo4j.")
    refused: int = strawberry.field(description="Number of calls that Neo4j refused; retry or drop them.")
    paused: bool = strawberry.field(description="True if writing to Neo4j is paused, for all tenants.")
    episodes: list[SpooledEpisode] = strawberry.field(description="The oldest 1,000, in order.")


@strawberry.type
class SpoolQuery:
    """Queries for the spool."""

    @strawberry.field(
        description="Messages on the service's disk that wait for Neo4j; works while Neo4j is unavailable."
    )
    async def spool(self, info: Info[Any, None]) -> SpoolView:
        """Return the spool."""
        return await _view(info)


@strawberry.type
class SpoolMutation:
    """Pause the spool, retry or drop refused episodes."""

    @strawberry.mutation(description="Pause or resume writing the spool to Neo4j.")
    async def pause_spool(
        self,
        info: Info[Any, None],
        paused: Annotated[bool, strawberry.argument(description="False resumes.")] = True,
    ) -> SpoolView:
        """Pause or resume for all tenants."""
        await memory_of(info).spool_admin.pause(paused)
        return await _view(info)

    @strawberry.mutation(description="Retry a refused call of remember.")
    async def retry_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Retry a refused episode."""
        await memory_of(info).spool_admin.retry(info.context["tenant"], number)
        return await _view(info)

    @strawberry.mutation(description="Delete a refused call of remember with its messages.")
    async def drop_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Delete a refused episode."""
        await memory_of(info).spool_admin.drop(info.context["tenant"], number)
        return await _view(info)


async def _view(info: Info[Any, None]) -> SpoolView:
    status: SpoolStatus = await memory_of(info).spool_admin.status(info.context["tenant"])
    return SpoolView(
        waiting=status.depth.waiting,
        refused=status.depth.refused,
        paused=status.paused,
        episodes=[_episode_view(spooled) for spooled in status.episodes],
    )


def _episode_view(spooled: SpoolEntry) -> SpooledEpisode:
    episode = spooled.episode
    return SpooledEpisode(
        number=spooled.number,
        state=spooled.state,
        user_id=episode.user_id,
        session_id=episode.session_id,
        received_at=episode.received_at,
        error=spooled.error,
        messages=[
            SpooledMessage(id=m.id, uri=m.uri, role=m.role.value, speaker=m.speaker, text=m.text, said_at=m.said_at)
            for m in episode.messages
        ],
    )
