"""GraphQL subscription to graph changes, over graphql-transport-ws."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Protocol

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.lists import GraphChange, change_view
from graph_service.auth.access import ANONYMOUS, Access
from graph_service.auth.authenticator import CREDENTIAL_ENDED, Authenticator
from graph_service.auth.rules import READ
from schema.change import NumberedChange
from schema.errors import InputError, UnauthorizedError, UnavailableError

_SEQ_MAX = 2**53


class Batch(Protocol):
    """Changes in order, as yielded by `graph_service.live.change_stream`."""

    @property
    def epoch(self) -> str:
        """Epoch of the change log."""

    @property
    def seq(self) -> int:
        """Sequence number of the last delivered change."""

    @property
    def reset(self) -> bool:
        """True if changes were missed and the graph must be fetched again."""

    @property
    def changes(self) -> tuple[NumberedChange, ...]:
        """Changes to deliver, in order."""


Follow = Callable[..., AsyncIterator[Any]]


@strawberry.type(description="A batch of graph changes.")
class GraphEvent:
    """A batch of graph changes."""

    epoch: str = strawberry.field(description="Epoch of the change log; pass it with `since` to resume.")
    seq: float = strawberry.field(
        description="Sequence number of the last delivered change; pass it as `since` to resume."
    )
    reset: bool = strawberry.field(
        description="True if changes were missed: fetch the graph again, then continue from `seq`."
    )
    changes: list[GraphChange] = strawberry.field(description="Changes in order; empty in the first event.")


@strawberry.type(description="Subscriptions, over the protocol graphql-transport-ws.")
class Subscription:
    """Root subscriptions."""

    @strawberry.subscription(
        description="Graph changes as they are committed. The first event reports the current position; slow readers "
        "get larger batches, and `reset` if they missed too much."
    )
    async def graph_changed(
        self,
        info: Info[Any, None],
        user_id: Annotated[str | None, strawberry.argument(description="The user's id; all users if omitted.")] = None,
        since: Annotated[
            float | None,
            strawberry.argument(description="Sequence number of the last known change. Default: from now on."),
        ] = None,
        epoch: Annotated[str | None, strawberry.argument(description="The epoch of `since`.")] = None,
    ) -> AsyncIterator[GraphEvent]:
        """Yield the changes of the graph as they are committed."""
        follow: Follow | None = info.context.get("follow")
        if follow is None:
            raise UnavailableError("this server does not support subscriptions; connect to a running service")
        if since is not None and not 0 <= since <= _SEQ_MAX:
            raise InputError(f"since is {since}; use a `seq` from an event, from graph, or from changesSince")
        known = None if since is None else int(since)
        access: Access = info.context.get("access", ANONYMOUS)
        batches = follow(info.context["tenant"], user_id, epoch=epoch, since=known, access=access)
        async with contextlib.aclosing(_while_allowed(batches, info.context)) as allowed:  # type: ignore[type-var]
            async for batch in allowed:
                yield GraphEvent(
                    epoch=batch.epoch,
                    seq=batch.seq,
                    reset=batch.reset,
                    changes=[change_view(one) for one in batch.changes],
                )


async def _while_allowed(batches: AsyncIterator[Batch], context: dict[str, Any]) -> AsyncIterator[Batch]:
    """Yield the batches; raise an error when the credential ends, or a quarantine closes the tenant."""
    access: Access = context.get("access", ANONYMOUS)
    auth: Authenticator | None = context.get("auth")
    ended = asyncio.create_task(
        auth.wait_until_invalid(access) if auth is not None else asyncio.Event().wait(), name="access"
    )
    closed = asyncio.create_task(
        auth.wait_until_closed(context["tenant"]) if auth is not None else asyncio.Event().wait(), name="quarantine"
    )
    following: asyncio.Task[Batch] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(batches))
            await asyncio.wait({following, ended, closed}, return_when=asyncio.FIRST_COMPLETED)
            if closed.done() and auth is not None:
                auth.check_quarantine(context["tenant"], READ, "this subscription")
            if ended.done():
                raise UnauthorizedError(CREDENTIAL_ENDED)
            yield following.result()
    finally:
        for task in (ended, closed, following):
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in (ended, closed, following) if task is not None), return_exceptions=True)
        await batches.aclose()  # type: ignore[attr-defined]
