"""GraphQL: changes of the graph, listed, waited for, or subscribed to over graphql-transport-ws."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import Annotated, Any, Final

import strawberry
from strawberry.scalars import JSON

from graph_service.api.graphql.fields import (
    AfterCursor,
    AnyUserId,
    Call,
    Connection,
    about,
    argument,
    field,
    output,
    page_of,
    subscription,
    view_of,
)
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.supervision import cancel
from schema.change import ChangeBatch, NumberedChange
from schema.errors import InputError, UnavailableError

CHANGES_MAX: Final = 500
WAIT_MAX_S: Final = 60.0
_SEQ_MAX: Final = 2**53


@output()
class GraphChange:
    """A change of the graph."""

    seq: float = about("Sequence number, without gaps within a tenant.")
    at: datetime = about("When it was committed.")
    user_id: str = about("The user's id.")
    op: str = about("`node+`, `edge+`, `node-` or `edge-`.")
    element_id: strawberry.ID = about("Id of the node or edge.")
    reason: str = about("The reason, as free text.")
    body: JSON | None = about("The element after the change; null if it was deleted.")


@output()
class ChangeConnection(Connection[GraphChange]):
    """Changes after a sequence number, in order."""

    epoch: str = about("Epoch of the change log; if it differs from yours, fetch the graph again.")
    head: float = about("Sequence number of the latest change.")
    complete: bool = about("False if the log no longer contains all changes; fetch the graph again.")


Follow = Callable[..., AsyncIterator[Any]]


@output()
class GraphEvent:
    """A batch of graph changes."""

    epoch: str = about("Epoch of the change log; pass it with `since` to resume.")
    seq: float = about("Sequence number of the last delivered change; pass it as `since` to resume.")
    reset: bool = about("True if changes were missed: fetch the graph again, then continue from `seq`.")
    changes: list[GraphChange] = about("Changes in order; empty in the first event.")


@field
async def changes_since(
    info: Call,
    seq: Annotated[float, argument("Sequence number of the last known change; 0 for all.")],
    user_id: Annotated[
        str | None,
        argument(
            "The user's id; all users if omitted. A page covers `first` changes of all users, of which those "
            "of one user can be few, or none."
        ),
    ] = None,
    wait_s: Annotated[
        float, argument("If there is no change yet, wait for one so many seconds, at most 60. Counts as a viewer.")
    ] = 0.0,
    first: Annotated[int, argument("Page size, 1 to 500.")] = 100,
    after: AfterCursor = None,
) -> ChangeConnection:
    """Changes of the graph after a sequence number, in order; graphChanged continues from there."""
    if not 1 <= first <= CHANGES_MAX:
        raise InputError(f"first is {first}; use 1 to {CHANGES_MAX}")
    if not 0 <= wait_s <= WAIT_MAX_S:
        raise InputError(f"waitS is {wait_s:g}; use 0 to {WAIT_MAX_S:g} seconds")
    (position,) = decode_cursor(ListName.CHANGES, after)
    known = int(max(0.0, min(seq, _SEQ_MAX))) if position is None else max(position, 0)
    page = await _page(info, user_id, known, first, after)
    if wait_s and page.complete and not page.nodes and not page.page_info.has_next_page:
        await _wait(info, user_id, page, wait_s)
        page = await _page(info, user_id, known, first, after)
    return page


@output()
class Subscription:
    """Subscriptions, over the protocol graphql-transport-ws."""

    @subscription
    async def graph_changed(
        self,
        info: Call,
        user_id: AnyUserId = None,
        since: Annotated[
            float | None, argument("Sequence number of the last known change. Default: from now on.")
        ] = None,
        epoch: Annotated[str | None, argument("The epoch of `since`.")] = None,
    ) -> AsyncIterator[GraphEvent]:
        """Graph changes as they are committed. The first event reports the current position; slow readers get larger
        batches, and `reset` if they missed too much.
        """
        if since is not None and not 0 <= since <= _SEQ_MAX:
            raise InputError(f"since is {since}; use a `seq` from an event, from graph, or from changesSince")
        known = None if since is None else int(since)
        async with contextlib.aclosing(_followed(info, user_id, epoch=epoch, since=known)) as batches:  # type: ignore[type-var]
            async for batch in batches:
                yield view_of(GraphEvent, batch, changes=[change_view(one) for one in batch.changes])


async def _page(info: Call, user_id: str | None, known: int, first: int, after: str | None) -> ChangeConnection:
    log, tenant = info.memory.changes, info.tenant
    head = await log.head(tenant)
    rows = await log.since(tenant, known, rows_max=first + 1)
    page = page_of(rows, first, after, cursor=lambda one: encode_cursor(ListName.CHANGES, one.seq), view=change_view)
    if user_id is not None:
        page.edges = [edge for edge in page.edges if edge.node.user_id == user_id]
        page.nodes = [edge.node for edge in page.edges]
    complete = not rows or rows[0].seq == known + 1
    return ChangeConnection(epoch=head.epoch, head=head.seq, complete=complete, **vars(page))


async def _wait(info: Call, user_id: str | None, page: ChangeConnection, wait_s: float) -> None:
    """Wait for a change after the page's head."""
    with contextlib.suppress(TimeoutError):
        async with (
            asyncio.timeout(wait_s),
            contextlib.aclosing(_followed(info, user_id, epoch=page.epoch or None, since=int(page.head))) as batches,  # type: ignore[type-var]
        ):
            async for batch in batches:
                if batch.changes or batch.reset:
                    return


def _followed(info: Call, user_id: str | None, *, epoch: str | None, since: int | None) -> AsyncIterator[ChangeBatch]:
    follow: Follow | None = info.context.get("follow")
    if follow is None:
        raise UnavailableError("this server cannot wait for changes; connect to a running service")
    return _while_allowed(follow(info.tenant, user_id, epoch=epoch, since=since, access=info.access), info)


async def _while_allowed(batches: AsyncIterator[ChangeBatch], info: Call) -> AsyncIterator[ChangeBatch]:
    """Yield the batches; raise an error when the credential ends, or a quarantine closes the tenant."""
    ended = [] if info.auth is None else info.auth.endings(info.access, info.tenant, "this subscription")
    ending = [asyncio.create_task(one) for one in ended]
    following: asyncio.Task[ChangeBatch] | None = None
    try:
        while True:
            following = asyncio.ensure_future(anext(batches))
            await asyncio.wait({*ending, following}, return_when=asyncio.FIRST_COMPLETED)
            for task in ending:
                if task.done():
                    task.result()
            yield following.result()
    finally:
        await cancel(*ending, following)
        await batches.aclose()  # type: ignore[attr-defined]


def change_view(one: NumberedChange) -> GraphChange:
    """Convert a change to its API type."""
    change = one.change
    own = {"seq": one.seq, "at": datetime.fromisoformat(one.at), "user_id": one.user_id}
    return view_of(GraphChange, change, op=change.op.value, body=JSON(change.body) if change.body else None, **own)
