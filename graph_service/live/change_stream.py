"""Stream a tenant's changes in batches, starting at a sequence number; slow readers get larger batches."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from graph_service.auth.access import ANONYMOUS, Access
from graph_service.auth.connection_slots import REVOKED, Slot
from graph_service.live.change_feed import Feed
from graph_service.live.hub import Hub
from graph_service.memory.change_log.log import ChangeLog
from schema.change import ChangeBatch
from schema.errors import RateLimitError
from schema.frames import Resume


class ChangeStream:
    """Streams changes of tenants to subscribers, which count as viewers.

    Nothing is queued per reader: after sending a batch it takes the next one from the shared ring, or from the log.
    """

    def __init__(self, hub: Hub, change_log: ChangeLog) -> None:
        self._hub = hub
        self._log = change_log

    async def follow(
        self, tenant: str, user_id: str | None, *, epoch: str | None, since: int | None, access: Access = ANONYMOUS
    ) -> AsyncIterator[ChangeBatch]:
        """Yield the current position, then changes as they are committed.

        Args:
            access: access of the subscriber, whose quota is charged.
            since: sequence number of the last known change; None means from now on.

        Raises:
            RateLimitError: too many viewers, or the slot was revoked.
            UnavailableError: the log does not answer.
        """
        with self._hub.slots.take(tenant, access) as slot:
            resume = Resume(epoch=epoch, seq=since) if epoch is not None and since is not None else None
            async with self._hub.watching(tenant, resume) as feed:
                wake = asyncio.Event()
                feed.listeners.add(wake)
                watching = asyncio.create_task(_wake_when_revoked(slot, wake), name="watch a stream's slot")
                try:
                    position = _position(feed, epoch, since)
                    yield position
                    while True:
                        wake.clear()
                        if slot.revoked.is_set():
                            raise RateLimitError(REVOKED, 5.0)
                        batch = await self._next(feed, position)
                        if batch is None:
                            await wake.wait()
                            continue
                        position = batch
                        wanted = tuple(one for one in batch.changes if user_id in (None, one.user_id))
                        if wanted or batch.reset:
                            yield replace(batch, changes=wanted)
                finally:
                    watching.cancel()
                    feed.listeners.discard(wake)

    async def _next(self, feed: Feed, last: ChangeBatch) -> ChangeBatch | None:
        """Return the batch after `last`; None if there is nothing new."""
        if (feed.epoch or "") != last.epoch:
            return _position(feed, last.epoch, last.seq)
        changes = feed.ring.since(last.seq, bytes_max=self._hub.limits.frame_out_bytes)
        if changes is None:
            # Too old for the ring; try the log.
            logged = await self._log.since(feed.tenant, last.seq)
            changes = logged if logged and logged[0].seq == last.seq + 1 else None
        if changes is None:
            return replace(last, seq=feed.ring.end, reset=True, changes=())
        return replace(last, seq=changes[-1].seq, reset=False, changes=tuple(changes)) if changes else None


async def _wake_when_revoked(slot: Slot, wake: asyncio.Event) -> None:
    await slot.revoked.wait()
    wake.set()


def _position(feed: Feed, epoch: str | None, since: int | None) -> ChangeBatch:
    """Return an empty batch at the position from which a reader starts; set `reset` if it cannot resume at `since`."""
    known, end = feed.epoch or "", feed.ring.end
    reset = (epoch is not None and epoch != known) or (since is not None and not 0 <= since <= end)
    return ChangeBatch(epoch=known, seq=end if reset or since is None else since, reset=reset)
