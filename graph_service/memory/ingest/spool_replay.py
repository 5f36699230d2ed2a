"""Takes spooled episodes to Neo4j when it answers: in order for each user, many in one commit, beside the worker."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from typing import Final

from graph_service.graph.store import Graph
from graph_service.memory.ingest.episode_writer import BatchError, BeingForgottenError, replay_episodes
from graph_service.memory.ingest.spool import UNREADABLE, Spool, SpoolEntry, UnreadableEntry
from graph_service.memory.jobs.job_context import JobContext
from schema.errors import MnemographError, UnavailableError

_log = logging.getLogger("mnemograph.replay")

# How long to wait before Neo4j is asked again.
_BACKOFF_MIN_S: Final = 0.25
_BACKOFF_MAX_S: Final = 5.0
# Other processes may spool into the same file, or pause it.
_POLL_S: Final = 2.0
# While a user is being forgotten what they say waits, and is tried again so often.
_HELD_POLL_S: Final = 1.0
# An episode that failed so often, each time while others were taken, is put aside.
_FAILURES_MAX: Final = 5
# One commit: 200 messages take a tenth of a second, in which new messages of the same sessions wait.
_EPISODES_MAX: Final = 200
_BYTES_MAX: Final = 2 * 2**20
# How long episodes are tried one at a time while none of them is taken; then it is the server, and it is left alone.
_NONE_TAKEN_MAX_S: Final = 10.0

_User = tuple[str, str]
_Failed = tuple[SpoolEntry, Exception]


class Replay:
    """Empties the spool while Neo4j answers.

    Episodes go in batches of one commit each. A batch that is refused goes again without what was refused; one that
    fails for another reason goes again one episode at a time, so that the reason is found. Nothing that is wrong with
    one episode holds up those of other users: it is put aside, or it waits, and with it only what the same user said
    later.
    """

    def __init__(self, *, graph: Graph, spool: Spool, job_context: JobContext) -> None:
        self._graph = graph
        self._spool = spool
        self._job_context = job_context
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Say that Neo4j may be back."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Replay until `stop` is set; a batch under way is finished first."""
        backoff_s = _BACKOFF_MIN_S
        while not stop.is_set():
            self._wake.clear()
            left, held = True, set[_User]()
            try:
                left = not await self._empty(stop, held)
            except MnemographError as error:
                _log.warning("the spool could not be emptied: %s", error)
            except Exception as error:
                # Words of an episode may stand in it, so only its kind is logged.
                _log.error("the spool could not be emptied (INTERNAL: %s); it is tried again", type(error).__name__)
            await self._pause(stop, backoff_s if left else _HELD_POLL_S if held else _POLL_S)
            backoff_s = min(backoff_s * 2, _BACKOFF_MAX_S) if left else _BACKOFF_MIN_S

    async def flush(self, stop: asyncio.Event | None = None) -> bool:
        """Take what waits to Neo4j; False when something had to stay: Neo4j does not take it, or a user is forgotten.

        Raises:
            UnavailableError: the disk cannot be read.
        """
        held = set[_User]()
        return await self._empty(stop, held) and not held

    async def _empty(self, stop: asyncio.Event | None, held: set[_User]) -> bool:
        """Take batch after batch; False when Neo4j does not take them.

        Args:
            held: gets the users whose episodes must wait.
        """
        asked, taken_n, failed = False, 0, list[_Failed]()
        while stop is None or not stop.is_set():
            async with self._spool.turn:
                found = await self._spool.waiting(episodes_max=_EPISODES_MAX, bytes_max=_BYTES_MAX, without=held)
                if not found or all(isinstance(one, SpoolEntry) and _user(one) in held for one in found):
                    break
                if not asked and not await self._graph.answers():
                    return False
                asked = True
                batch = [one for one in found if isinstance(one, SpoolEntry)]
                for damaged in (one for one in found if isinstance(one, UnreadableEntry)):
                    await self._refuse_unreadable(damaged)
                self._job_context.step("replay taken")
                try:
                    taken_n += await self._take(batch, held, failed)
                except UnavailableError as error:
                    _log.warning("the spool waits: %s", error)
                    return False
        if failed:
            await self._judge(failed, others_were_taken=taken_n > 0)
        return not failed

    async def _take(self, batch: Sequence[SpoolEntry], held: set[_User], failed: list[_Failed]) -> int:
        """Store a batch; returns how many episodes of it Neo4j holds now.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        left = [one for one in batch if _user(one) not in held]
        while left:
            try:
                await self._store(left)
            except BatchError as refused:
                await self._set_aside(left, refused, held)
                gone = {left[place].number for place in refused.errors}
                left = [one for one in left if one.number not in gone and _user(one) not in held]
            except Exception as error:
                if isinstance(error, UnavailableError) and not await self._graph.answers():
                    raise
                if len(left) > 1:
                    return await self._take_singly(left, held, failed)
                _log.warning("the spooled episode %s was not taken (%s)", left[0].number, _code(error))
                failed.append((left[0], error))
                held.add(_user(left[0]))
                return 0
            else:
                return len(left)
        return 0

    async def _take_singly(self, batch: Sequence[SpoolEntry], held: set[_User], failed: list[_Failed]) -> int:
        """Store a batch one episode a commit.

        Raises:
            UnavailableError: Neo4j does not answer, or takes nothing at all.
        """
        taken_n, until_s = 0, time.monotonic() + _NONE_TAKEN_MAX_S
        for one in batch:
            taken_n += await self._take([one], held, failed)
            if not taken_n and time.monotonic() > until_s:
                raise UnavailableError("Neo4j takes nothing; it is tried again by itself. See `mnemograph doctor`")
        return taken_n

    async def _store(self, batch: Sequence[SpoolEntry]) -> None:
        """Store a batch in one commit and let go of it."""
        await replay_episodes(self._graph, [one.episode for one in batch], epoch=self._job_context.word())
        self._job_context.step("replay stored")
        await self._spool.remove([one.number for one in batch])
        self._job_context.step("replay removed")
        for tenant in dict.fromkeys(one.episode.tenant for one in batch):
            self._job_context.on_change(tenant)

    async def _set_aside(self, batch: Sequence[SpoolEntry], refused: BatchError, held: set[_User]) -> None:
        """Put aside what contradicts what is stored; what is said while its user is being forgotten waits."""
        for place, error in refused.errors.items():
            if isinstance(error, BeingForgottenError):
                held.add(_user(batch[place]))
            else:
                await self._refuse(batch[place], error)

    async def _judge(self, failed: Sequence[_Failed], *, others_were_taken: bool) -> None:
        """Count failures of episodes that a server in good health did not take, and put aside what always fails.

        A server that is there and takes nothing (its disk is full) says nothing about an episode.
        """
        for spooled, error in failed:
            if isinstance(error, UnavailableError) and not others_were_taken:
                continue
            await self._spool.count_failure(spooled.number)
            if spooled.failures + 1 >= _FAILURES_MAX:
                await self._refuse(spooled, error)

    async def _refuse(self, spooled: SpoolEntry, error: Exception) -> None:
        code = _code(error)
        # Words of the episode may stand in the message of an error that is not ours.
        why = f"{code}: {error}" if isinstance(error, MnemographError) else f"{code}; it failed {_FAILURES_MAX} times"
        extra = {"tenant": spooled.episode.tenant, "error": code}
        _log.warning("Neo4j refuses the spooled episode %s; it was put aside", spooled.number, extra=extra)
        await self._spool.refuse(spooled.number, why)

    async def _refuse_unreadable(self, row: UnreadableEntry) -> None:
        extra = {"tenant": row.tenant, "error": UNREADABLE}
        _log.error("the spooled episode %s cannot be read (%s); it was put aside", row.number, row.problem, extra=extra)
        why = f"{UNREADABLE}: another version wrote it, or the file is damaged ({row.problem})"
        await self._spool.refuse(row.number, why)

    async def _pause(self, stop: asyncio.Event, longest_s: float) -> None:
        waiting = [asyncio.create_task(self._wake.wait()), asyncio.create_task(stop.wait())]
        await asyncio.wait(waiting, timeout=longest_s, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _user(spooled: SpoolEntry) -> _User:
    return spooled.episode.tenant, spooled.episode.user_id


def _code(error: Exception) -> str:
    """Return a stable code; of an error that is not ours only its kind, since it may quote what was said."""
    return error.code if isinstance(error, MnemographError) else f"{MnemographError.code}: {type(error).__name__}"
