"""Episodes that wait on this machine's disk because Neo4j is away, in the order in which they came."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from graph_service.memory.spooled import Depth, Spooled, SpoolState, as_text, from_text, key_of, without
from schema.errors import ConflictError, InstallError, NotFoundError, UnavailableError
from schema.ids import TenantId
from schema.message import Episode
from schema.timespan import iso

T = TypeVar("T")

_BUSY_MAX_S: Final = 5.0
_LISTED_MAX: Final = 1_000
# Number 1 of this file's shape; another number is another version of ours.
_SHAPE: Final = 1
_DEFINITION: Final = """
CREATE TABLE IF NOT EXISTS episodes (
  number INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
  key TEXT NOT NULL, body TEXT NOT NULL, spooled_at TEXT NOT NULL, state TEXT NOT NULL, failures INTEGER NOT NULL,
  error TEXT, UNIQUE (tenant, key)
);
CREATE INDEX IF NOT EXISTS waiting ON episodes (state, tenant, number);
CREATE TABLE IF NOT EXISTS switches (name TEXT PRIMARY KEY);
"""


class Spool:
    """A durable queue in one SQLite file; several processes may use it at the same time.

    Args:
        path: made when the first episode comes; readable by this user only.
        bytes_max: bound on the episodes in it.
        on_step: called with the name of each step; crash tests kill the process there.

    Attributes:
        turn: held while an episode goes to Neo4j, so that nobody forgets it between its commit and its removal.
    """

    def __init__(self, path: Path, *, bytes_max: int, on_step: Callable[[str], None] = lambda _step: None) -> None:
        self.turn = asyncio.Lock()
        self._path = path
        self._bytes_max = bytes_max
        self._on_step = on_step
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spool")
        self._open: sqlite3.Connection | None = None

    async def put(self, episode: Episode) -> bool:
        """Keeps an episode; when this returns, it survives a power cut. False: it was there already.

        Raises:
            ConflictError: the same episode was spooled before, and Neo4j refused it.
            UnavailableError: the spool is full, or the disk does not take it.
        """
        body, key = as_text(episode), key_of(episode)
        row = (
            episode.tenant,
            episode.user_id,
            episode.session_id,
            key,
            body,
            iso(episode.received_at),
            SpoolState.WAITING.value,
        )

        def put(file: sqlite3.Connection) -> bool:
            old = file.execute(
                "SELECT error FROM episodes WHERE tenant = ? AND key = ?", (episode.tenant, key)
            ).fetchone()
            if old is not None and old[0] is not None:
                raise ConflictError(f"these messages are in the spool, and Neo4j refused them: {old[0]}")
            if old is not None:
                return False
            self._refuse_too_much(file, len(body.encode()))
            columns = "tenant, user_id, session_id, key, body, spooled_at, state, failures"
            file.execute(f"INSERT INTO episodes ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
            return True

        self._on_step("spool put")
        is_new = await self._do(put)
        self._on_step("spooled")
        return is_new

    async def holds(self, tenant: TenantId) -> bool:
        """Whether an episode of the tenant waits, so that later ones must wait behind it."""
        query = "SELECT 1 FROM episodes WHERE state = 'waiting' AND tenant = ? LIMIT 1"
        return bool(await self._rows(query, tenant))

    async def first(self) -> Spooled | None:
        """The oldest episode that waits, of any tenant; None when none does or the spool is paused."""
        if await self.paused():
            return None
        found = await self._spooled("WHERE state = 'waiting' ORDER BY number LIMIT 1")
        return found[0] if found else None

    async def remove(self, number: int) -> None:
        """Lets go of an episode that Neo4j holds now."""
        await self._do(lambda file: file.execute("DELETE FROM episodes WHERE number = ?", (number,)))

    async def count_failure(self, number: int) -> None:
        """Counts that Neo4j answered, but would not take it this time."""
        await self._do(
            lambda file: file.execute("UPDATE episodes SET failures = failures + 1 WHERE number = ?", (number,))
        )

    async def refuse(self, number: int, error: str) -> None:
        """Puts an episode aside that Neo4j refuses, so that it blocks nothing behind it."""
        change = "UPDATE episodes SET state = 'refused', error = ? WHERE number = ?"
        await self._do(lambda file: file.execute(change, (error[:500], number)))

    async def listed(self, tenant: TenantId) -> list[Spooled]:
        """The oldest 1,000 episodes of a tenant, in order."""
        return await self._spooled(f"WHERE tenant = ? ORDER BY number LIMIT {_LISTED_MAX}", tenant)

    async def newest(self, tenant: TenantId, user_id: str, *, episodes_max: int) -> list[Episode]:
        """The episodes of a user that wait, the newest first."""
        query = "SELECT body FROM episodes WHERE tenant = ? AND user_id = ? AND state = 'waiting' ORDER BY number DESC"
        rows = await self._rows(f"{query} LIMIT {int(episodes_max)}", tenant, user_id)
        return await asyncio.to_thread(lambda: [from_text(row[0]) for row in rows])

    async def retry(self, tenant: TenantId, number: int) -> None:
        """Has a refused episode wait again.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        change = "UPDATE episodes SET state = 'waiting', error = NULL, failures = 0"
        await self._change_refused(f"{change} WHERE number = ? AND tenant = ? AND state = 'refused'", tenant, number)

    async def drop(self, tenant: TenantId, number: int) -> None:
        """Gives up a refused episode; what was said in it is gone.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        await self._change_refused(
            "DELETE FROM episodes WHERE number = ? AND tenant = ? AND state = 'refused'", tenant, number
        )

    async def forget(
        self,
        tenant: TenantId,
        *,
        user_id: str | None = None,
        session_id: str | None = None,
        message_ids: Collection[str] | None = None,
    ) -> int:
        """Removes messages of a tenant that fit every filter given; returns how many. Without filters: all of them."""
        where, values = "tenant = ?", [str(tenant)]
        for name, value in (("user_id", user_id), ("session_id", session_id)):
            if value is not None:
                where, values = f"{where} AND {name} = ?", [*values, value]

        def forget(file: sqlite3.Connection) -> int:
            gone_n = 0
            rows = file.execute(f"SELECT number, body FROM episodes WHERE {where}", values).fetchall()
            for number, body in rows:
                episode = from_text(body)
                kept = without(episode, message_ids)
                gone_n += len(episode.messages) - (len(kept.messages) if kept else 0)
                if kept is None:
                    file.execute("DELETE FROM episodes WHERE number = ?", (number,))
                elif kept is not episode:
                    new = (as_text(kept), key_of(kept), number)
                    file.execute("UPDATE OR REPLACE episodes SET body = ?, key = ? WHERE number = ?", new)
            return gone_n

        if self._open is None and not self._path.exists():
            return 0
        async with self.turn:
            gone_n = await self._do(forget)
        # Deleted rows are overwritten in the file itself; the log beside it still held them.
        await self._in_thread(lambda: self._file().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall())
        return gone_n

    async def depth(self, tenant: TenantId | None = None) -> Depth:
        """How many episodes are here, of one tenant or of all."""
        where = ("", ()) if tenant is None else ("WHERE tenant = ?", (tenant,))
        rows = await self._rows(f"SELECT state, count(*) FROM episodes {where[0]} GROUP BY state", *where[1])
        by_state = {row[0]: int(row[1]) for row in rows}
        return Depth(waiting=by_state.get("waiting", 0), refused=by_state.get("refused", 0))

    async def paused(self) -> bool:
        """Whether nothing goes to Neo4j from here until `pause(False)`; a restart changes nothing about it."""
        return bool(await self._rows("SELECT 1 FROM switches WHERE name = 'paused'"))

    async def pause(self, paused: bool) -> None:
        """Keeps episodes here although Neo4j answers, or lets them go again."""
        change = "INSERT OR IGNORE INTO switches VALUES ('paused')" if paused else "DELETE FROM switches"
        await self._do(lambda file: file.execute(change))

    async def close(self) -> None:
        """Closes the file after what is under way."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    async def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        def rows() -> list[tuple[Any, ...]]:
            # Most machines never spool: asking them must not make a file.
            if self._open is None and not self._path.exists():
                return []
            return self._file().execute(query, values).fetchall()

        return await self._in_thread(rows)

    async def _spooled(self, rest: str, *values: object) -> list[Spooled]:
        rows = await self._rows(f"SELECT number, state, body, failures, error FROM episodes {rest}", *values)
        return [
            Spooled(number=row[0], state=SpoolState(row[1]), episode=from_text(row[2]), failures=row[3], error=row[4])
            for row in rows
        ]

    async def _change_refused(self, change: str, tenant: TenantId, number: int) -> None:
        changed = await self._do(lambda file: file.execute(change, (number, tenant)).rowcount)
        if not changed:
            raise NotFoundError(f"no refused episode has the number {number}; list the spool to see which there are")

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns, after it was written to the disk; an error in it undoes everything."""

        def done() -> T:
            file = self._file()
            file.execute("BEGIN IMMEDIATE")
            try:
                answer = work(file)
                file.execute("COMMIT")
            except BaseException:
                # A commit that failed (a full disk) leaves the transaction open, others were undone by SQLite itself.
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise
            return answer

        return await self._in_thread(done)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except (sqlite3.Error, OSError) as error:
            raise UnavailableError(
                f"the spool {str(self._path)!r} cannot be used ({error}): check the disk; nothing was stored"
            ) from error

    def _file(self) -> sqlite3.Connection:
        if self._open is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            file = sqlite3.connect(self._path, timeout=_BUSY_MAX_S, isolation_level=None, check_same_thread=False)
            file.execute("PRAGMA journal_mode = WAL")
            # What was acknowledged must survive a power cut, not only the end of this process.
            file.execute("PRAGMA synchronous = FULL")
            file.execute("PRAGMA secure_delete = ON")
            shape = file.execute("PRAGMA user_version").fetchone()[0]
            if shape not in (0, _SHAPE):
                raise InstallError(f"the spool {str(self._path)!r} was written by a newer version; install that one")
            file.executescript(f"{_DEFINITION} PRAGMA user_version = {_SHAPE};")
            self._open = file
        return self._open

    def _refuse_too_much(self, file: sqlite3.Connection, bytes_n: int) -> None:
        pages, free, size = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size + bytes_n > self._bytes_max:
            raise UnavailableError(
                f"Neo4j is away and the spool is full ({self._bytes_max // 2**20} MB, spool.mb_max): nothing was"
                " stored; try again when Neo4j is back"
            )
