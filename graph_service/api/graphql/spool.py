"""The spool over GraphQL: what waits on disk for Neo4j, and what to do with what Neo4j refuses."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.ingest.spool import SpoolEntry, SpoolState, SpoolStatus

strawberry.enum(SpoolState, name="SpoolState", description="What is to become of a spooled call of remember.")

NumberArgument = Annotated[int, strawberry.argument(description="The number of a refused episode.")]


@strawberry.type(description="A message that waits on disk.")
class SpooledMessage:
    """A message that waits on disk."""

    id: str
    uri: str
    role: str
    speaker: str | None
    text: str
    said_at: datetime


@strawberry.type(description="One call of remember that waits on disk.")
class SpooledEpisode:
    """One call of remember that waits on disk."""

    number: int = strawberry.field(description="Its place in the order; names it for retrySpooled and dropSpooled.")
    state: SpoolState
    user_id: str
    session_id: str
    received_at: datetime
    error: str | None = strawberry.field(description="Why Neo4j refused it.")
    messages: list[SpooledMessage]


@strawberry.type(description="What of the tenant waits on the service's disk for Neo4j.")
class SpoolView:
    """What of the tenant waits on disk for Neo4j."""

    waiting: int = strawberry.field(description="Calls of remember that go to Neo4j when it is back.")
    refused: int = strawberry.field(description="Calls that Neo4j refused; retry or drop them.")
    paused: bool = strawberry.field(description="Nothing goes to Neo4j from here, for any tenant, until resumed.")
    episodes: list[SpooledEpisode] = strawberry.field(description="The oldest 1,000, in order.")


@strawberry.type
class SpoolQuery:
    """What can be asked of the spool."""

    @strawberry.field(description="What waits on the service's disk because Neo4j was away; answers while it is.")
    async def spool(self, info: Info[Any, None]) -> SpoolView:
        """Return what waits on disk."""
        return await _view(info)


@strawberry.type
class SpoolMutation:
    """What can be done with the spool."""

    @strawberry.mutation(description="Keeps everything on disk although Neo4j answers, or lets it go again.")
    async def pause_spool(
        self,
        info: Info[Any, None],
        paused: Annotated[bool, strawberry.argument(description="False resumes.")] = True,
    ) -> SpoolView:
        """Pause or resume for all tenants."""
        await memory_of(info).spool_admin.pause(paused)
        return await _view(info)

    @strawberry.mutation(description="Has a refused call of remember tried again.")
    async def retry_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Have a refused episode tried again."""
        await memory_of(info).spool_admin.retry(info.context["tenant"], number)
        return await _view(info)

    @strawberry.mutation(description="Gives up a refused call of remember; what was said in it is gone.")
    async def drop_spooled(self, info: Info[Any, None], number: NumberArgument) -> SpoolView:
        """Give up a refused episode."""
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
