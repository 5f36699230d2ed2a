"""Store spooled episodes in Neo4j when it answers: in order for each user, in batches of one commit."""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Final

from graph_service.graph.store import Graph
from graph_service.memory.ingest.episode_writer import BatchError, UserBeingForgottenError, store_episodes
from graph_service.memory.ingest.spool import UNREADABLE, Spool, SpoolEntry
from graph_service.memory.jobs.job_context import JobContext
from graph_service.supervision import wait_for_any
from schema.errors import MnemosceneError, UnavailableError

_log = logging.getLogger("mnemoscene.replay")

# Pauses between attempts while Neo4j does not answer.
_BACKOFF_MIN_S: Final = 0.25
_BACKOFF_MAX_S: Final = 5.0
# Pause between checks of the file, because other processes may write to it or pause replay.
_POLL_S: Final = 2.0
# Pause while episodes wait because their user is being forgotten.
_BLOCKED_POLL_S: Final = 1.0
# An episode is refused after this number of failures; see `_count_failures`.
_FAILURES_MAX: Final = 5
# Maximum per commit: 200 messages take a tenth of a second, while new messages of the same sessions wait.
_EPISODES_MAX: Final = 200
_BYTES_MAX: Final = 2 * 2**20
# Maximum time to try single episodes while none can be stored; after that the server is assumed to be at fault.
_NONE_STORED_MAX_S: Final = 10.0

_User = tuple[str, str]
_Failed = tuple[SpoolEntry, Exception]


class Replay:
    """Store spooled episodes while Neo4j answers.

    Episodes are stored in batches, one commit each. If Neo4j refuses some of a batch, the batch is repeated without
    them; after other failures its episodes are stored one at a time to find the cause. A faulty episode is refused, or
    blocks later episodes of the same user only.
    """

    def __init__(self, *, graph: Graph, spool: Spool, job_context: JobContext) -> None:
        self._graph = graph
        self._spool = spool
        self._job_context = job_context
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Try again now; call it when Neo4j may answer again."""
        self._wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Replay until `stop` is set; finishes the current batch first."""
        backoff_s = _BACKOFF_MIN_S
        while not stop.is_set():
            self._wake.clear()
            failed, blocked = True, set[_User]()
            try:
                failed = not await self._drain(stop, blocked)
            except MnemosceneError as error:
                _log.warning("the spool could not be emptied: %s", error)
            except Exception as error:
                # Only the class, because the message may quote an episode.
                _log.error("the spool could not be emptied (INTERNAL: %s); retrying", type(error).__name__)
            pause_s = backoff_s if failed else _BLOCKED_POLL_S if blocked else _POLL_S
            await wait_for_any(self._wake, stop, timeout_s=pause_s)
            backoff_s = min(backoff_s * 2, _BACKOFF_MAX_S) if failed else _BACKOFF_MIN_S

    async def flush(self) -> bool:
        """Store all waiting episodes; return False if some could not be stored, or belong to users being forgotten.

        Raises:
            UnavailableError: the disk cannot be read.
        """
        blocked = set[_User]()
        return await self._drain(asyncio.Event(), blocked) and not blocked

    async def _drain(self, stop: asyncio.Event, blocked: set[_User]) -> bool:
        """Store batch after batch; return False if an episode failed or Neo4j does not answer.

        Args:
            blocked: receives the users whose episodes must wait.
        """
        connected, stored_n, failed = False, 0, list[_Failed]()
        while not stop.is_set():
            async with self._spool.replay_lock:
                entries = await self._spool.waiting(
                    episodes_max=_EPISODES_MAX, bytes_max=_BYTES_MAX, exclude_users=blocked
                )
                if not entries or all(one.problem is None and _user(one) in blocked for one in entries):
                    break
                if not connected and not await self._graph.answers():
                    return False
                connected = True
                batch = [entry for entry in entries if entry.problem is None]
                for entry in entries:
                    if entry.problem is not None:
                        await self._refuse_unreadable(entry)
                self._job_context.step("replay loaded")
                try:
                    stored_n += await self._store_batch(batch, blocked, failed)
                except UnavailableError as error:
                    _log.warning("replay stops until Neo4j answers: %s", error)
                    return False
        if failed:
            await self._count_failures(failed, others_stored=stored_n > 0)
        return not failed

    async def _store_batch(self, batch: Sequence[SpoolEntry], blocked: set[_User], failed: list[_Failed]) -> int:
        """Store a batch; return the number of episodes stored."""
        remaining = [entry for entry in batch if _user(entry) not in blocked]
        while remaining:
            try:
                await self._commit(remaining)
            except BatchError as refused:
                await self._set_aside(remaining, refused, blocked)
                refused_numbers = {remaining[index].number for index in refused.errors}
                remaining = [
                    entry for entry in remaining if entry.number not in refused_numbers and _user(entry) not in blocked
                ]
            except Exception as error:
                if isinstance(error, UnavailableError) and not await self._graph.answers():
                    raise
                if len(remaining) > 1:
                    return await self._store_singly(remaining, blocked, failed)
                _log.warning("the spooled episode %s was not stored (%s)", remaining[0].number, _code(error))
                failed.append((remaining[0], error))
                blocked.add(_user(remaining[0]))
                return 0
            else:
                return len(remaining)
        return 0

    async def _store_singly(self, batch: Sequence[SpoolEntry], blocked: set[_User], failed: list[_Failed]) -> int:
        """Store each episode of a batch in a commit of its own.

        Raises:
            UnavailableError: Neo4j does not answer, or stores no episode at all.
        """
        stored_n, until_s = 0, time.monotonic() + _NONE_STORED_MAX_S
        for entry in batch:
            stored_n += await self._store_batch([entry], blocked, failed)
            if not stored_n and time.monotonic() > until_s:
                raise UnavailableError("Neo4j stores nothing; this is retried automatically. See `mnemoscene doctor`")
        return stored_n

    async def _commit(self, batch: Sequence[SpoolEntry]) -> None:
        """Store a batch in one commit, then remove it from the spool."""
        await store_episodes(self._graph, [entry.episode for entry in batch], epoch=self._job_context.random_token())
        self._job_context.step("replay stored")
        await self._spool.remove([entry.number for entry in batch])
        self._job_context.step("replay removed")
        for tenant in dict.fromkeys(entry.episode.tenant for entry in batch):
            self._job_context.on_change(tenant)

    async def _set_aside(self, batch: Sequence[SpoolEntry], refused: BatchError, blocked: set[_User]) -> None:
        """Refuse episodes that conflict with stored messages; block users who are being forgotten."""
        for index, error in refused.errors.items():
            if isinstance(error, UserBeingForgottenError):
                blocked.add(_user(batch[index]))
            else:
                await self._refuse(batch[index], error)

    async def _count_failures(self, failed: Sequence[_Failed], *, others_stored: bool) -> None:
        """Count a failure of each episode, and refuse those that failed too often.

        UnavailableError counts only if other episodes were stored: a server that stores nothing, for example because
        its disk is full, proves nothing about an episode.
        """
        for entry, error in failed:
            if isinstance(error, UnavailableError) and not others_stored:
                continue
            await self._spool.count_failure(entry.number)
            if entry.failures + 1 >= _FAILURES_MAX:
                await self._refuse(entry, error)

    async def _refuse(self, entry: SpoolEntry, error: Exception) -> None:
        code = _code(error)
        # Only the code of errors of other libraries, because their message may quote the episode.
        reason = (
            f"{code}: {error}" if isinstance(error, MnemosceneError) else f"{code}; it failed {_FAILURES_MAX} times"
        )
        extra = {"tenant": entry.episode.tenant, "error": code}
        _log.warning("Neo4j refused the spooled episode %s; it stays on disk as refused", entry.number, extra=extra)
        await self._spool.refuse(entry.number, reason)

    async def _refuse_unreadable(self, entry: SpoolEntry) -> None:
        extra = {"tenant": entry.episode.tenant, "error": UNREADABLE}
        _log.error(
            "the spooled episode %s cannot be read (%s); it stays on disk as refused",
            entry.number,
            entry.problem,
            extra=extra,
        )
        reason = f"{UNREADABLE}: another version wrote it, or the file is damaged ({entry.problem})"
        await self._spool.refuse(entry.number, reason)


def _user(entry: SpoolEntry) -> _User:
    return entry.episode.tenant, entry.episode.user_id


def _code(error: Exception) -> str:
    """Return the code of our errors, and only the class of others, whose message may quote user content."""
    return error.code if isinstance(error, MnemosceneError) else f"{MnemosceneError.code}: {type(error).__name__}"
