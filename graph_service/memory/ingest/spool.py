"""Queue episodes on disk (SQLite), in the order of arrival, while Neo4j cannot store them."""

import asyncio
import contextlib
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from schema.errors import ConflictError, InstallError, NotFoundError, UnavailableError
from schema.ids import SessionId, TenantId, UserId, content_hash
from schema.message import Episode, ProvidedFact
from schema.timespan import iso

# Error code of a row that cannot be read.
UNREADABLE: Final = "UNREADABLE"
# Episodes as JSON on disk.
EPISODE: Final = TypeAdapter(Episode)


class SpoolState(StrEnum):
    """State of a spooled episode."""

    WAITING = "waiting"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolEntry:
    """A call of remember on disk.

    Attributes:
        number: its sequence number, for retrySpooled and dropSpooled.
        episode: without messages if it cannot be read.
        failures: number of times that Neo4j answered but did not store it.
        error: why Neo4j refused it.
        problem: class of the error if it cannot be read, because another version wrote it or the file is damaged; never
            contains content of the row.
    """

    number: int
    state: SpoolState
    episode: Episode
    failures: int
    error: str | None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolDepth:
    """Number of episodes on disk.

    Attributes:
        waiting: number of calls that wait for Neo4j.
        refused: number of calls that Neo4j refused; retry or drop them.
    """

    waiting: int
    refused: int


# Columns of the rows from which `_entry` makes an entry.
_COLUMNS: Final = "number, state, tenant, user_id, session_id, body, spooled_at, failures, error"
SpoolRow = tuple[Any, ...]


def _entry(row: SpoolRow) -> SpoolEntry:
    """Return the entry of a row; never raises."""
    number, state, tenant, user_id, session_id, body, spooled_at, failures, error = row
    problem = None
    try:
        if not isinstance(body, str):
            raise TypeError("the body must be text")
        episode = EPISODE.validate_json(body)
        if (episode.tenant, episode.user_id) != (tenant, user_id):
            raise ValueError("the body belongs to another user")
    except Exception as failure:
        problem = type(failure).__name__
        error = error or f"{UNREADABLE}: {problem}"
        episode = Episode(
            tenant=TenantId(str(tenant)),
            user_id=UserId(str(user_id)),
            session_id=SessionId(str(session_id)),
            messages=(),
            received_at=_moment(spooled_at),
        )
    return SpoolEntry(
        number=number, state=SpoolState(state), episode=episode, failures=failures, error=error, problem=problem
    )


def _moment(text: object) -> datetime:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def episode_key(episode: Episode) -> str:
    """Return the deduplication key: equal for repeated calls, independent of the time of arrival."""
    messages = [f"{message.id} {message.repeat_key}" for message in episode.messages]
    facts = [repr(sorted(asdict(fact).items())) for fact in episode.facts]
    named = (episode.user_id, episode.user_name or "", episode.agent_id or "", episode.summary or "")
    return content_hash(*messages, *facts, *named)


def without(episode: Episode, message_ids: Collection[str] | None) -> Episode | None:
    """Remove messages from an episode; return None if none is left.

    Facts without remaining evidence are removed too, and so is the summary, because it may repeat a removed message.

    Args:
        message_ids: the messages to remove; None removes all.
    """
    if message_ids is None:
        return None
    forgotten = {message.part_of or message.id for message in episode.messages if message.id in message_ids}
    kept = [i for i, message in enumerate(episode.messages) if (message.part_of or message.id) not in forgotten]
    if len(kept) == len(episode.messages):
        return episode
    if not kept:
        return None
    new_index = {old: new for new, old in enumerate(kept)}
    facts = tuple(left for fact in episode.facts if (left := _with_remaining_evidence(fact, new_index)))
    return replace(episode, messages=tuple(episode.messages[index] for index in kept), facts=facts, summary=None)


def _with_remaining_evidence(fact: ProvidedFact, new_index: dict[int, int]) -> ProvidedFact | None:
    """Return the fact with its remaining evidence; None if none is left, or if it rests on the whole episode."""
    left = tuple(new_index[index] for index in fact.message_indexes if index in new_index)
    return replace(fact, message_indexes=left) if left else None


T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]

_log = logging.getLogger("mnemoscene.spool")

_BUSY_MAX_S: Final = 5.0
_LISTED_MAX: Final = 1_000
_WRITES_PER_COMMIT: Final = 256
# Share of the spool that one tenant may fill.
TENANT_SHARE: Final = 0.5
# Maximum number of users that `waiting` excludes; each costs a comparison per row.
_EXCLUDED_USERS_MAX: Final = 1_000
_FORMAT: Final = 1
_FOLDER: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolStatus:
    """The tenant's spool.

    Attributes:
        paused: True if writing to Neo4j is paused, for all tenants.
        episodes: the oldest 1,000, in order.
    """

    depth: SpoolDepth
    paused: bool
    episodes: tuple[SpoolEntry, ...]


def episodes_in(rows: Iterable[SpoolRow]) -> Iterator[Episode]:
    """Yield the episodes of the rows, parsing row by row; skip unreadable ones."""
    return (entry.episode for entry in map(_entry, rows) if entry.problem is None)


class Spool:
    """A durable queue in one SQLite file; several processes may use it at the same time.

    Args:
        path: file, created with the first episode and readable by this user only.
        bytes_max: maximum size of all episodes; one tenant may use half of it.

    Attributes:
        replay_lock: held during replay, so that no episode is forgotten between its commit and its removal.
    """

    def __init__(self, path: Path, *, bytes_max: int) -> None:
        self.replay_lock = asyncio.Lock()
        self._path = path
        self._bytes_max = bytes_max
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spool")
        self._open: sqlite3.Connection | None = None
        self._writes: list[tuple[Work, Future[Any]]] = []
        self._writes_lock = threading.Lock()
        # Numbers of rows on damaged pages of the file, which can neither be read nor marked as refused.
        self._damaged: set[int] = set()

    async def put(self, episode: Episode) -> bool:
        """Store an episode durably, so that it survives a power cut; return False if it was stored before.

        Raises:
            ConflictError: the same episode was spooled before, and Neo4j refused it.
            UnavailableError: the spool is full or the disk fails.
        """
        body, key = EPISODE.dump_json(episode).decode(), episode_key(episode)
        row = (episode.tenant, episode.user_id, episode.session_id, key, body, iso(episode.received_at))

        def put(file: sqlite3.Connection) -> bool:
            same = "SELECT error FROM episodes WHERE tenant = ? AND key = ?"
            old = file.execute(same, (episode.tenant, key)).fetchone()
            if old is not None and old[0] is not None:
                raise ConflictError(f"these messages are in the spool, and Neo4j refused them: {old[0]}")
            if old is not None:
                return False
            self._check_capacity(file, episode.tenant, len(body.encode()))
            columns = "tenant, user_id, session_id, key, body, spooled_at, state, failures"
            file.execute(f"INSERT INTO episodes ({columns}) VALUES (?, ?, ?, ?, ?, ?, 'waiting', 0)", row)
            return True

        return await self._do(put)

    async def has_waiting(self, tenant: TenantId, user_id: str) -> bool:
        """Return whether an episode of the user is queued, in which case later ones must be queued too."""
        query = "SELECT 1 FROM episodes WHERE state = 'waiting' AND tenant = ? AND user_id = ? LIMIT 1"
        return bool(await self._rows(query, tenant, user_id))

    async def seems_waiting(self, tenant: TenantId, user_id: str) -> bool:
        """Return `has_waiting`; False if the disk cannot be read."""
        with contextlib.suppress(UnavailableError):
            return await self.has_waiting(tenant, user_id)
        return False

    async def waiting(
        self, *, episodes_max: int, bytes_max: int, exclude_users: Collection[tuple[str, str]] = ()
    ) -> list[SpoolEntry]:
        """Return the oldest waiting episodes of all tenants, in order; none while replay is paused.

        Args:
            bytes_max: maximum total size; the first episode is always returned.
            exclude_users: (tenant, user) pairs to skip; only the first 1,000 are considered.
        """

        def numbers() -> list[int]:
            if self._open is None and not self._path.exists():
                return []
            file = self._file()
            if file.execute("SELECT 1 FROM switches WHERE name = 'paused'").fetchone():
                return []
            file.execute(
                "CREATE TEMP TABLE IF NOT EXISTS excluded (tenant TEXT, user_id TEXT, PRIMARY KEY (tenant, user_id))"
            )
            file.execute("DELETE FROM excluded")
            excluded = islice(exclude_users, _EXCLUDED_USERS_MAX)
            file.executemany("INSERT OR IGNORE INTO excluded VALUES (?, ?)", excluded)
            condition = "state = 'waiting' AND (tenant, user_id) NOT IN (SELECT tenant, user_id FROM excluded)"
            query = f"SELECT number FROM episodes WHERE {condition} ORDER BY number LIMIT ?"
            found = [int(row[0]) for row in file.execute(query, (episodes_max + len(self._damaged),))]
            return [number for number in found if number not in self._damaged][:episodes_max]

        def episodes() -> list[SpoolEntry]:
            found, bytes_n = list[SpoolEntry](), 0
            for number in numbers():
                row = self._row(number)
                if row is None:
                    continue
                bytes_n += len(row[5]) if isinstance(row[5], str) else 0
                if found and bytes_n > bytes_max:
                    break
                found.append(_entry(row))
            return found

        return await self._in_thread(episodes)

    async def remove(self, numbers: Sequence[int]) -> None:
        """Remove episodes that Neo4j has stored."""
        rows = [(number,) for number in numbers]
        await self._do(lambda file: file.executemany("DELETE FROM episodes WHERE number = ?", rows))

    async def count_failure(self, number: int) -> None:
        """Count a failure: Neo4j answered but did not store the episode."""
        change = "UPDATE episodes SET failures = failures + 1 WHERE number = ?"
        await self._do(lambda file: file.execute(change, (number,)))

    async def refuse(self, number: int, error: str) -> None:
        """Mark an episode as refused, so that it does not block later ones.

        Args:
            error: reason, which begins with an error code.
        """
        change = "UPDATE episodes SET state = 'refused', error = ? WHERE number = ?"
        try:
            await self._do(lambda file: file.execute(change, (error[:500], number)))
        except UnavailableError:
            # A full disk may accept this later, but a damaged page never will, and must not block later rows.
            _log.exception("the spooled episode %s cannot be marked as refused; skipped until a restart", number)
            self._damaged.add(number)

    async def listed(self, tenant: TenantId) -> list[SpoolEntry]:
        """Return the oldest 1,000 episodes of a tenant, in order."""
        query = f"SELECT {_COLUMNS} FROM episodes WHERE tenant = ? ORDER BY number LIMIT {_LISTED_MAX}"
        return list(map(_entry, await self._rows(query, tenant)))

    async def newest(
        self, tenant: TenantId, user_id: str, *, episodes_max: int, chars_max: int
    ) -> tuple[list[SpoolRow], bool]:
        """Return a user's waiting episodes, newest first, as unparsed rows, and whether there are more.

        Args:
            chars_max: maximum total length; the newest episode is always returned.
        """
        query = (
            f"SELECT {_COLUMNS} FROM episodes WHERE tenant = ? AND user_id = ? AND state = 'waiting'"
            f" ORDER BY number DESC LIMIT {int(episodes_max) + 1}"
        )

        def rows() -> tuple[list[SpoolRow], bool]:
            found, chars_n = list[SpoolRow](), 0
            if self._open is None and not self._path.exists():
                return found, False
            # Fetch row by row, so that rows beyond the limit are never loaded.
            with contextlib.closing(self._file().execute(query, (tenant, user_id))) as waiting:
                for row in waiting:
                    chars_n += len(row[5]) if isinstance(row[5], str | bytes) else 0
                    if len(found) == episodes_max or (found and chars_n > chars_max):
                        return found, True
                    found.append(tuple(row))
            return found, False

        return await self._in_thread(rows)

    async def retry(self, tenant: TenantId, number: int) -> None:
        """Return a refused episode to the queue.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        change = "UPDATE episodes SET state = 'waiting', error = NULL, failures = 0"
        await self._change_refused(change, tenant, number)

    async def drop(self, tenant: TenantId, number: int) -> None:
        """Delete a refused episode and its messages.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        await self._change_refused("DELETE FROM episodes", tenant, number)

    async def forget(
        self,
        tenant: TenantId,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        message_ids: Collection[str] | None = None,
        users: set[str] | None = None,
    ) -> int:
        """Remove the messages of a tenant that match all given filters; return their number.

        Args:
            users: receives the users of the removed messages.
        """
        which = "tenant = ? AND user_id = coalesce(?, user_id) AND session_id = coalesce(?, session_id)"
        query = f"SELECT number, body FROM episodes WHERE {which}"

        def forget(file: sqlite3.Connection) -> int:
            removed_n = 0
            for number, body in file.execute(query, (tenant, user_id, session_id)).fetchall():
                try:
                    episode = EPISODE.validate_json(body)
                except Exception:
                    # Remove an unreadable row if its whole user or session is removed, or if it contains the id of a
                    # removed message.
                    if message_ids is None or any(name in str(body) for name in message_ids):
                        file.execute("DELETE FROM episodes WHERE number = ?", (number,))
                    continue
                kept = without(episode, message_ids)
                removed_n += len(episode.messages) - (len(kept.messages) if kept else 0)
                (set() if users is None or kept is episode else users).add(episode.user_id)
                if kept is None:
                    file.execute("DELETE FROM episodes WHERE number = ?", (number,))
                elif kept is not episode:
                    new = (EPISODE.dump_json(kept).decode(), episode_key(kept), number)
                    file.execute("UPDATE OR REPLACE episodes SET body = ?, key = ? WHERE number = ?", new)
            return removed_n

        if self._open is None and not self._path.exists():
            return 0
        async with self.replay_lock:
            removed_n = await self._do(forget)
        # The file overwrites deleted rows, but its write-ahead log may still contain them.
        await self._in_thread(lambda: self._file().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        return removed_n

    async def depth(self, tenant: TenantId | None = None) -> SpoolDepth:
        """Return the number of episodes, of one tenant or of all."""
        query = "SELECT state, count(*) FROM episodes WHERE tenant = coalesce(?, tenant) GROUP BY state"
        rows = await self._rows(query, tenant)
        by_state = {row[0]: int(row[1]) for row in rows}
        return SpoolDepth(waiting=by_state.get("waiting", 0), refused=by_state.get("refused", 0))

    async def status(self, tenant: TenantId) -> SpoolStatus:
        """Return the state of the queue for one tenant."""
        return SpoolStatus(
            depth=await self.depth(tenant), paused=await self.paused(), episodes=tuple(await self.listed(tenant))
        )

    async def paused(self) -> bool:
        """Return whether replay is paused; this survives a restart."""
        return bool(await self._rows("SELECT 1 FROM switches WHERE name = 'paused'"))

    async def pause(self, paused: bool) -> None:
        """Pause or resume replay."""
        change = "INSERT OR IGNORE INTO switches VALUES ('paused')" if paused else "DELETE FROM switches"
        await self._do(lambda file: file.execute(change))

    async def close(self) -> None:
        """Close the file after pending operations."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    async def _rows(self, query: str, *values: object) -> list[SpoolRow]:
        def rows() -> list[SpoolRow]:
            # Reading must not create the file, because most machines never spool.
            if self._open is None and not self._path.exists():
                return []
            return self._file().execute(query, values).fetchall()

        return await self._in_thread(rows)

    def _row(self, number: int) -> SpoolRow | None:
        """Return one row; None if it was removed. A row on a damaged page has only its number."""
        try:
            row = self._file().execute(f"SELECT {_COLUMNS} FROM episodes WHERE number = ?", (number,)).fetchone()
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, ValueError, OverflowError):
            return (number, SpoolState.WAITING.value, "", "", "", None, "", 0, None)
        return None if row is None else tuple(row)

    async def _change_refused(self, change: str, tenant: TenantId, number: int) -> None:
        query = f"{change} WHERE number = ? AND tenant = ? AND state = 'refused'"
        if not await self._do(lambda file: file.execute(query, (number, tenant)).rowcount):
            raise NotFoundError(f"there is no refused episode with number {number}; list the spool")

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction that is durable when this returns; roll it back if `work` raises.

        Concurrent calls share a commit, because every commit costs one fsync, regardless of its size.
        """
        result: Future[Any] = Future()
        with self._writes_lock:
            self._writes.append((work, result))
        # Called once for each write; returns at once if another call has committed it.
        await self._in_thread(self._commit_pending)
        try:
            answer: T = await asyncio.wrap_future(result)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        return answer

    def _commit_pending(self) -> None:
        """Commit the pending writes, in the order of their calls."""
        with self._writes_lock:
            taken, self._writes = self._writes[:_WRITES_PER_COMMIT], self._writes[_WRITES_PER_COMMIT:]
        # Skip the writes of cancelled callers, which received no acknowledgement.
        works = [(work, waiting) for work, waiting in taken if waiting.set_running_or_notify_cancel()]
        if not works:
            return
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            file = self._file()
            file.execute("BEGIN IMMEDIATE")
            try:
                for work, waiting in works:
                    file.execute("SAVEPOINT one")
                    try:
                        outcomes.append((waiting, work(file), None))
                    except Exception as error:
                        file.execute("ROLLBACK TO one")
                        outcomes.append((waiting, None, error))
                    file.execute("RELEASE one")
                file.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    file.execute("ROLLBACK")
                raise
        except Exception as error:
            outcomes = [(waiting, None, error) for _work, waiting in works]
        for waiting, answer, problem in outcomes:
            if problem is None:
                waiting.set_result(answer)
            else:
                waiting.set_exception(problem)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> UnavailableError:
        return UnavailableError(
            f"the spool {str(self._path)!r} cannot be used ({error}): check the disk; nothing was stored"
        )

    def _file(self) -> sqlite3.Connection:
        if self._open is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            file = sqlite3.connect(self._path, timeout=_BUSY_MAX_S, isolation_level=None, check_same_thread=False)
            file.execute("PRAGMA journal_mode = WAL")
            # Acknowledged writes must survive a power cut, not just the end of this process.
            file.execute("PRAGMA synchronous = FULL")
            file.execute("PRAGMA secure_delete = ON")
            version = file.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _FORMAT):
                raise InstallError(f"the spool {str(self._path)!r} was written by a newer version; install that one")
            file.executescript((_FOLDER / "spool_tables.sql").read_text("utf-8"))
            file.execute(f"PRAGMA user_version = {_FORMAT}")
            file.execute("PRAGMA temp_store = MEMORY")
            # Lets triggers run also for rows that REPLACE deletes.
            file.execute("PRAGMA recursive_triggers = ON")
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'share_removed'").fetchone():
                file.executescript((_FOLDER / "spool_shares.sql").read_text("utf-8"))
            self._open = file
        return self._open

    def _check_capacity(self, file: sqlite3.Connection, tenant: TenantId, bytes_n: int) -> None:
        pages, free, size = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size + bytes_n > self._bytes_max:
            raise UnavailableError(
                f"Neo4j is unavailable and the spool is full ({self._bytes_max // 2**20} MB, spool.mb_max): nothing was"
                " stored; try again when Neo4j answers"
            )
        share = file.execute("SELECT bytes FROM shares WHERE tenant = ?", (tenant,)).fetchone()
        if (share[0] if share else 0) + bytes_n > self._bytes_max * TENANT_SHARE:
            raise UnavailableError(
                f"Neo4j is unavailable and this tenant used its share of the spool ({TENANT_SHARE:.0%} of spool.mb_max,"
                f" {self._bytes_max // 2**20} MB): nothing was stored; try again when Neo4j answers"
            )
