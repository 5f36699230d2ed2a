"""GraphQL: the changes of the graph as they are committed, over graphql-transport-ws."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Protocol

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.lists import GraphChange, change_view
from graph_service.auth.access import ANONYMOUS, Access
from graph_service.auth.authenticator import Authenticator
from schema.change import NumberedChange
from schema.errors import InputError, UnauthorizedError, UnavailableError

_SEQ_MAX = 2**53


class Batch(Protocol):
    """Changes in order, as `graph_service.live.change_stream` hands them out."""

    @property
    def epoch(self) -> str:
        """The life of the log."""

    @property
    def seq(self) -> int:
        """Up to here everything was told."""

    @property
    def reset(self) -> bool:
        """Return what came before is out of reach."""

    @property
    def changes(self) -> tuple[NumberedChange, ...]:
        """The changes."""


Follow = Callable[..., AsyncIterator[Any]]


@strawberry.type(description="What happened to the graph.")
class GraphEvent:
    """What happened to the graph."""

    epoch: str = strawberry.field(description="The life of the change log; hand it in with `since` after a pause.")
    seq: float = strawberry.field(description="Up to here all was told; hand it in as `since` after a pause.")
    reset: bool = strawberry.field(description="Something was missed: fetch the graph anew, then go on from `seq`.")
    changes: list[GraphChange] = strawberry.field(description="In order; the first event has none.")


@strawberry.type(description="What can be followed, over the protocol graphql-transport-ws.")
class Subscription:
    """What can be followed."""

    @strawberry.subscription(
        description="The changes of the graph as they are committed. The first event tells where it stands; "
        "who reads slowly gets larger batches, and `reset` when too much was missed."
    )
    async def graph_changed(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")] = None,
        since: Annotated[
            float | None, strawberry.argument(description="The last change that is known; from now on if left out.")
        ] = None,
        epoch: Annotated[str | None, strawberry.argument(description="That `since` is a number of.")] = None,
    ) -> AsyncIterator[GraphEvent]:
        """Yield the changes of the graph as they are committed."""
        follow: Follow | None = info.context.get("follow")
        if follow is None:
            raise UnavailableError("changes are followed at a running service; this one only answers")
        if since is not None and not 0 <= since <= _SEQ_MAX:
            raise InputError(f"since is {since}; use the `seq` of an event, of graph, or of changesSince")
        whole = None if since is None else int(since)
        access: Access = info.context.get("access", ANONYMOUS)
        batches = follow(info.context["tenant"], user_id, epoch=epoch, since=whole, access=access)
        async with contextlib.aclosing(_while_allowed(batches, info.context)) as told:  # type: ignore[type-var]
            async for batch in told:
                yield GraphEvent(
                    epoch=batch.epoch,
                    seq=batch.seq,
                    reset=batch.reset,
                    changes=[change_view(one) for one in batch.changes],
                )


async def _while_allowed(batches: AsyncIterator[Batch], context: dict[str, Any]) -> AsyncIterator[Batch]:
    """Yield the batches until what opened the connection opens it no more."""
    access: Access = context.get("access", ANONYMOUS)
    auth: Authenticator | None = context.get("auth")
    ended = asyncio.create_task(
        auth.wait_until_invalid(access) if auth is not None else asyncio.Event().wait(), name="access"
    )
    following: asyncio.Task[Batch] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(batches))
            await asyncio.wait({following, ended}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                raise UnauthorizedError("your access has ended: it is over or was revoked; sign in again")
            yield following.result()
    finally:
        for task in (ended, following):
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in (ended, following) if task is not None), return_exceptions=True)
        await batches.aclose()  # type: ignore[attr-defined]
