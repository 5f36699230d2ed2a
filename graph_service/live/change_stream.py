"""A tenant's changes as batches, from a number on and then as they are committed; who reads slowly gets larger ones."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from graph_service.auth.access import ANONYMOUS, Access
from graph_service.auth.connection_slots import Slot
from graph_service.live.change_feed import Feed
from graph_service.live.hub import Hub
from graph_service.memory.change_log.log import ChangeLog
from schema.change import NumberedChange
from schema.errors import RateLimitError
from schema.frames import Resume


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes in order.

    Attributes:
        seq: up to this number everything was told, as far as it concerns the asker.
        reset: what came before is out of reach: the graph must be fetched anew.
    """

    epoch: str
    seq: int
    reset: bool
    changes: tuple[NumberedChange, ...] = ()


class ChangeStream:
    """Hands the changes of tenants to whoever subscribes; counts as a viewer.

    Nothing is kept for a slow reader: it asks for the next batch when it has sent the last, and finds what it missed in
    the ring that all readers share, or in the log.
    """

    def __init__(self, hub: Hub, change_log: ChangeLog) -> None:
        self._hub = hub
        self._log = change_log

    async def follow(
        self, tenant: str, user_id: str | None, *, epoch: str | None, since: int | None, access: Access = ANONYMOUS
    ) -> AsyncIterator[Batch]:
        """First where it stands, then what happens; ends when its place is needed for somebody else.

        Args:
            access: whose place it takes.
            since: the last change that is known; None means from now on.

        Raises:
            RateLimitError: there are too many viewers, or the place was given to somebody else.
            UnavailableError: the log that must be read does not answer.
        """
        with self._hub.slots.take(tenant, access) as place:
            resume = Resume(epoch=epoch, seq=since) if epoch is not None and since is not None else None
            async with self._hub.watching(tenant, resume) as feed:
                wake = asyncio.Event()
                feed.listeners.add(wake)
                losing = asyncio.create_task(_woken(place, wake), name="keep a place")
                try:
                    now = _standing(feed, epoch, since)
                    yield now
                    while True:
                        wake.clear()
                        if place.revoked.is_set():
                            raise RateLimitError("this place was given to a tenant that has fewer; come back", 5.0)
                        after = await self._after(feed, now)
                        if after is None:
                            await wake.wait()
                            continue
                        now = after
                        mine = tuple(one for one in after.changes if user_id in (None, one.user_id))
                        if mine or after.reset:
                            yield replace(after, changes=mine)
                finally:
                    losing.cancel()
                    feed.listeners.discard(wake)

    async def _after(self, feed: Feed, told: Batch) -> Batch | None:
        """Return what follows; None when there is nothing yet."""
        if (feed.epoch or "") != told.epoch:
            return _standing(feed, told.epoch, told.seq)
        taken = feed.ring.since(told.seq, bytes_max=self._hub.limits.frame_out_bytes)
        if taken is None:
            # The ring does not reach back so far; the log may.
            found = await self._log.since(feed.tenant, told.seq)
            taken = found if found and found[0].seq == told.seq + 1 else None
        if taken is None:
            return replace(told, seq=feed.ring.end, reset=True, changes=())
        return replace(told, seq=taken[-1].seq, reset=False, changes=tuple(taken)) if taken else None


async def _woken(place: Slot, wake: asyncio.Event) -> None:
    """Wake the stream when its place is lost."""
    await place.revoked.wait()
    wake.set()


def _standing(feed: Feed, epoch: str | None, since: int | None) -> Batch:
    """Return where a reader begins."""
    known, end = feed.epoch or "", feed.ring.end
    reset = (epoch is not None and epoch != known) or (since is not None and not 0 <= since <= end)
    return Batch(epoch=known, seq=end if reset or since is None else since, reset=reset)
