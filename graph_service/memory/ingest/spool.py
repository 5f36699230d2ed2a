"""Episodes that wait on this machine's disk because Neo4j is away, in the order in which they came."""

import asyncio
import contextlib
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter

from schema.errors import ConflictError, InstallError, NotFoundError, UnavailableError
from schema.ids import SessionId, TenantId, UserId, content_hash
from schema.message import Episode, ProvidedFact
from schema.timespan import iso

# An episode in the spool: its text form, its key, and what is left of it when messages are forgotten. Pure.

# The stable code of a row that cannot be read.
UNREADABLE: Final = "UNREADABLE"
_EPISODE: Final = TypeAdapter(Episode)


class SpoolState(StrEnum):
    """What is to become of a spooled episode."""

    WAITING = "waiting"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolEntry:
    """An episode on disk.

    Attributes:
        number: its place in the order of all tenants.
        failures: how often Neo4j answered, but would not take it.
        error: why Neo4j refused it; None while it waits.
    """

    number: int
    state: SpoolState
    episode: Episode
    failures: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableEntry:
    """A row whose episode cannot be read: another version wrote it, or the file is damaged.

    Attributes:
        problem: the kind of the error; never words of the row.
    """

    number: int
    state: SpoolState
    tenant: str
    user_id: str
    session_id: str
    spooled_at: str
    failures: int
    error: str | None
    problem: str

    def shown(self) -> SpoolEntry:
        """Return the row as a list shows it: whose it is, without messages."""
        try:
            received_at = datetime.fromisoformat(self.spooled_at)
        except ValueError:
            received_at = datetime.fromtimestamp(0, UTC)
        episode = Episode(
            tenant=TenantId(self.tenant),
            user_id=UserId(self.user_id),
            session_id=SessionId(self.session_id),
            messages=(),
            received_at=received_at,
        )
        error = self.error or f"{UNREADABLE}: {self.problem}"
        return SpoolEntry(number=self.number, state=self.state, episode=episode, failures=self.failures, error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolDepth:
    """How many episodes are on disk."""

    waiting: int
    refused: int


def as_text(episode: Episode) -> str:
    """Return the episode as JSON."""
    return _EPISODE.dump_json(episode).decode()


def from_text(text: str) -> Episode:
    """Return the episode that `as_text` wrote."""
    return _EPISODE.validate_json(text)


def from_row(
    number: int,
    state: str,
    tenant: str,
    user_id: str,
    session_id: str,
    body: object,
    spooled_at: str,
    failures: int,
    error: str | None,
) -> SpoolEntry | UnreadableEntry:
    """Return the episode of a row of the spool, whatever stands in the row."""
    try:
        if not isinstance(body, str):
            raise TypeError("the body is no text")
        episode = from_text(body)
        if (episode.tenant, episode.user_id) != (tenant, user_id):
            raise ValueError("the body is of another user")
    except Exception as problem:
        return UnreadableEntry(
            number=number,
            state=SpoolState(state),
            tenant=str(tenant),
            user_id=str(user_id),
            session_id=str(session_id),
            spooled_at=str(spooled_at),
            failures=failures,
            error=error,
            problem=type(problem).__name__,
        )
    return SpoolEntry(number=number, state=SpoolState(state), episode=episode, failures=failures, error=error)


def key_of(episode: Episode) -> str:
    """Return the same for the same call made twice, whenever it was received."""
    messages = [f"{message.id} {message.content_hash}" for message in episode.messages]
    facts = [repr(sorted(asdict(fact).items())) for fact in episode.facts]
    named = (episode.user_id, episode.user_name or "", episode.agent_id or "", episode.summary or "")
    return content_hash(*messages, *facts, *named)


def without(episode: Episode, message_ids: Collection[str] | None) -> Episode | None:
    """Return what is left of the episode; None when nothing is. None for `message_ids` means all of them.

    A summary may tell what a forgotten message said, so it goes with the first of them.
    """
    if message_ids is None:
        return None
    places = [index for index, message in enumerate(episode.messages) if message.id not in message_ids]
    if len(places) == len(episode.messages):
        return episode
    if not places:
        return None
    new_place = {old: new for new, old in enumerate(places)}
    facts = tuple(kept for fact in episode.facts if (kept := _proven(fact, new_place)))
    return replace(episode, messages=tuple(episode.messages[place] for place in places), facts=facts, summary=None)


def _proven(fact: ProvidedFact, new_place: dict[int, int]) -> ProvidedFact | None:
    """Return the fact with the evidence that is left; a fact that all messages prove may rest on a forgotten one."""
    left = tuple(new_place[index] for index in fact.message_indexes if index in new_place)
    return replace(fact, message_indexes=left) if left else None


T = TypeVar("T")
Work = Callable[[sqlite3.Connection], Any]

_log = logging.getLogger("mnemograph.spool")

_BUSY_MAX_S: Final = 5.0
_LISTED_MAX: Final = 1_000
# Writes that wait for the disk at the same time share one commit.
_WRITES_PER_COMMIT: Final = 256
# One tenant may fill half of the spool, so that it never fills it for all.
TENANT_SHARE: Final = 0.5
# Users whose episodes `waiting` leaves out at once; each costs a comparison a row.
_HELD_USERS_MAX: Final = 1_000
# Number 1 of this file's shape; another number is another version of ours.
_SHAPE: Final = 1
_DEFINITION: Final = """
CREATE TABLE IF NOT EXISTS episodes (
  number INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
  key TEXT NOT NULL, body TEXT NOT NULL, spooled_at TEXT NOT NULL, state TEXT NOT NULL, failures INTEGER NOT NULL,
  error TEXT, UNIQUE (tenant, key)
);
CREATE INDEX IF NOT EXISTS waiting ON episodes (state, tenant, number);
CREATE INDEX IF NOT EXISTS waiting_in_order ON episodes (state, number);
CREATE INDEX IF NOT EXISTS waiting_of_user ON episodes (tenant, user_id, state, number);
CREATE TABLE IF NOT EXISTS switches (name TEXT PRIMARY KEY);
"""
# Bytes of each tenant, kept by triggers so that every process that writes keeps them right.
_SHARES: Final = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS shares (tenant TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
DELETE FROM shares;
INSERT INTO shares SELECT tenant, sum(length(CAST(body AS BLOB))) FROM episodes GROUP BY tenant;
CREATE TRIGGER IF NOT EXISTS share_added AFTER INSERT ON episodes BEGIN
  INSERT INTO shares VALUES (new.tenant, length(CAST(new.body AS BLOB)))
    ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER IF NOT EXISTS share_changed AFTER UPDATE OF body ON episodes BEGIN
  UPDATE shares SET bytes = bytes + length(CAST(new.body AS BLOB)) - length(CAST(old.body AS BLOB))
    WHERE tenant = new.tenant;
END;
CREATE TRIGGER IF NOT EXISTS share_removed AFTER DELETE ON episodes BEGIN
  UPDATE shares SET bytes = bytes - length(CAST(old.body AS BLOB)) WHERE tenant = old.tenant;
  DELETE FROM shares WHERE tenant = old.tenant AND bytes <= 0;
END;
COMMIT;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestEpisodes:
    """What a user said last that waits, the newest first.

    Attributes:
        more: whether older ones were left out.
    """

    rows: tuple[tuple[Any, ...], ...] = ()
    more: bool = False

    def episodes(self) -> Iterator[Episode]:
        """Read one row after the other; those that cannot be read are left out."""
        for row in self.rows:
            if isinstance(one := from_row(*row), SpoolEntry):
                yield one.episode


class Spool:
    """A durable queue in one SQLite file; several processes may use it at the same time.

    Args:
        path: made when the first episode comes; readable by this user only.
        bytes_max: bound on the episodes in it; one tenant may fill half of it.
        on_step: called with the name of each step; crash tests kill the process there.

    Attributes:
        turn: held while episodes go to Neo4j, so that nobody forgets them between their commit and their removal.
    """

    def __init__(self, path: Path, *, bytes_max: int, on_step: Callable[[str], None] = lambda _step: None) -> None:
        self.turn = asyncio.Lock()
        self._path = path
        self._bytes_max = bytes_max
        self._on_step = on_step
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spool")
        self._open: sqlite3.Connection | None = None
        self._writes: list[tuple[Work, Future[Any]]] = []
        self._writes_lock = threading.Lock()
        # Rows that can neither be read nor be put aside, because their page of the file is damaged.
        self._damaged: set[int] = set()

    async def put(self, episode: Episode) -> bool:
        """Keep an episode; when this returns, it survives a power cut. False: it was there already.

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
            self._refuse_too_much(file, episode.tenant, len(body.encode()))
            columns = "tenant, user_id, session_id, key, body, spooled_at, state, failures"
            file.execute(f"INSERT INTO episodes ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, 0)", row)
            return True

        self._on_step("spool put")
        is_new = await self._do(put)
        self._on_step("spooled")
        return is_new

    async def holds(self, tenant: TenantId, user_id: str) -> bool:
        """Return whether an episode of the user waits, so that later ones must wait behind it."""
        query = "SELECT 1 FROM episodes WHERE state = 'waiting' AND tenant = ? AND user_id = ? LIMIT 1"
        return bool(await self._rows(query, tenant, user_id))

    async def waiting(
        self, *, episodes_max: int, bytes_max: int, without: Collection[tuple[str, str]] = ()
    ) -> list[SpoolEntry | UnreadableEntry]:
        """Return the oldest episodes that wait, of all tenants, in order; none while the spool is paused.

        A row that cannot be read comes as `UnreadableEntry`, so that the caller puts it aside.

        Args:
            bytes_max: bound on their texts together; one episode comes however long it is.
            without: tenants and users whose episodes are left out; at most 1,000 count.
        """

        def numbers() -> list[int]:
            if self._open is None and not self._path.exists():
                return []
            file = self._file()
            if file.execute("SELECT 1 FROM switches WHERE name = 'paused'").fetchone():
                return []
            held = list(without)[:_HELD_USERS_MAX]
            file.execute(
                "CREATE TEMP TABLE IF NOT EXISTS held (tenant TEXT, user_id TEXT, PRIMARY KEY (tenant, user_id))"
            )
            file.execute("DELETE FROM held")
            file.executemany("INSERT OR IGNORE INTO held VALUES (?, ?)", held)
            left_out = "AND (tenant, user_id) NOT IN (SELECT tenant, user_id FROM held)" if held else ""
            query = f"SELECT number FROM episodes WHERE state = 'waiting' {left_out} ORDER BY number LIMIT ?"
            found = [int(row[0]) for row in file.execute(query, (episodes_max + len(self._damaged),))]
            return [number for number in found if number not in self._damaged][:episodes_max]

        def episodes() -> list[SpoolEntry | UnreadableEntry]:
            found, bytes_n = list[SpoolEntry | UnreadableEntry](), 0
            for number in numbers():
                row = self._row(number)
                if row is None:
                    continue
                bytes_n += len(row[5]) if isinstance(row[5], str) else 0
                if found and bytes_n > bytes_max:
                    break
                found.append(from_row(*row))
            return found

        return await self._in_thread(episodes)

    async def remove(self, numbers: Sequence[int]) -> None:
        """Let go of episodes that Neo4j holds now."""
        rows = [(number,) for number in numbers]
        await self._do(lambda file: file.executemany("DELETE FROM episodes WHERE number = ?", rows))

    async def count_failure(self, number: int) -> None:
        """Count that Neo4j answered, but would not take it this time."""
        await self._do(
            lambda file: file.execute("UPDATE episodes SET failures = failures + 1 WHERE number = ?", (number,))
        )

    async def refuse(self, number: int, error: str) -> None:
        """Put an episode aside that Neo4j refuses, so that it blocks nothing behind it.

        Args:
            error: why; begins with a stable code.
        """
        change = "UPDATE episodes SET state = 'refused', error = ? WHERE number = ?"
        try:
            await self._do(lambda file: file.execute(change, (error[:500], number)))
        except UnavailableError:
            # A full disk takes it later; a damaged page never does, and must not hold up the rows behind it.
            _log.exception("the spooled episode %s cannot be put aside; it is left out until a restart", number)
            self._damaged.add(number)

    async def listed(self, tenant: TenantId) -> list[SpoolEntry]:
        """Return the oldest 1,000 episodes of a tenant, in order."""
        return await self._spooled(f"WHERE tenant = ? ORDER BY number LIMIT {_LISTED_MAX}", tenant)

    async def newest(self, tenant: TenantId, user_id: str, *, episodes_max: int, chars_max: int) -> NewestEpisodes:
        """Return the episodes of a user that wait, the newest first, as rows that are not read yet.

        Args:
            chars_max: of their rows; the newest comes however long it is.
        """
        columns = "number, state, tenant, user_id, session_id, body, spooled_at, failures, error"
        query = (
            f"SELECT {columns} FROM episodes WHERE tenant = ? AND user_id = ? AND state = 'waiting'"
            f" ORDER BY number DESC LIMIT {int(episodes_max) + 1}"
        )

        def rows() -> NewestEpisodes:
            if self._open is None and not self._path.exists():
                return NewestEpisodes()
            found, chars_n = list[tuple[Any, ...]](), 0
            # One row after the other: what is too much never leaves the file.
            with contextlib.closing(self._file().execute(query, (tenant, user_id))) as waiting:
                for row in waiting:
                    chars_n += len(row[5]) if isinstance(row[5], str | bytes) else 0
                    if len(found) == episodes_max or (found and chars_n > chars_max):
                        return NewestEpisodes(rows=tuple(found), more=True)
                    found.append(tuple(row))
            return NewestEpisodes(rows=tuple(found))

        return await self._in_thread(rows)

    async def retry(self, tenant: TenantId, number: int) -> None:
        """Have a refused episode wait again.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        change = "UPDATE episodes SET state = 'waiting', error = NULL, failures = 0"
        await self._change_refused(f"{change} WHERE number = ? AND tenant = ? AND state = 'refused'", tenant, number)

    async def drop(self, tenant: TenantId, number: int) -> None:
        """Give up a refused episode; what was said in it is gone.

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
        """Remove messages of a tenant that fit every filter given; return how many. Without filters: all of them."""
        where, values = "tenant = ?", [str(tenant)]
        for name, value in (("user_id", user_id), ("session_id", session_id)):
            if value is not None:
                where, values = f"{where} AND {name} = ?", [*values, value]

        def forget(file: sqlite3.Connection) -> int:
            gone_n = 0
            rows = file.execute(f"SELECT number, body FROM episodes WHERE {where}", values).fetchall()
            for number, body in rows:
                try:
                    episode = from_text(body)
                except Exception:
                    # Nobody can tell what is in it: it goes if all of its user's or session's words go, or if it
                    # names a message that does.
                    if message_ids is None or any(name in str(body) for name in message_ids):
                        file.execute("DELETE FROM episodes WHERE number = ?", (number,))
                    continue
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

    async def depth(self, tenant: TenantId | None = None) -> SpoolDepth:
        """Return how many episodes are here, of one tenant or of all."""
        where = ("", ()) if tenant is None else ("WHERE tenant = ?", (tenant,))
        rows = await self._rows(f"SELECT state, count(*) FROM episodes {where[0]} GROUP BY state", *where[1])
        by_state = {row[0]: int(row[1]) for row in rows}
        return SpoolDepth(waiting=by_state.get("waiting", 0), refused=by_state.get("refused", 0))

    async def paused(self) -> bool:
        """Return whether nothing goes to Neo4j from here until `pause(False)`; a restart changes nothing about it."""
        return bool(await self._rows("SELECT 1 FROM switches WHERE name = 'paused'"))

    async def pause(self, paused: bool) -> None:
        """Keep episodes here although Neo4j answers, or let them go again."""
        change = "INSERT OR IGNORE INTO switches VALUES ('paused')" if paused else "DELETE FROM switches"
        await self._do(lambda file: file.execute(change))

    async def close(self) -> None:
        """Close the file after what is under way."""
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

    async def _spooled(self, rest: str, *values: object) -> list[SpoolEntry]:
        columns = "number, state, tenant, user_id, session_id, body, spooled_at, failures, error"
        rows = await self._rows(f"SELECT {columns} FROM episodes {rest}", *values)
        read = [from_row(*row) for row in rows]
        return [one.shown() if isinstance(one, UnreadableEntry) else one for one in read]

    def _row(self, number: int) -> tuple[Any, ...] | None:
        """Return one row; None when it is gone. Of a row on a damaged page only the number is told."""
        columns = "number, state, tenant, user_id, session_id, body, spooled_at, failures, error"
        try:
            row = self._file().execute(f"SELECT {columns} FROM episodes WHERE number = ?", (number,)).fetchone()
        except sqlite3.OperationalError:
            raise
        except (sqlite3.DatabaseError, ValueError, OverflowError):
            return (number, SpoolState.WAITING.value, "", "", "", None, "", 0, None)
        return None if row is None else tuple(row)

    async def _change_refused(self, change: str, tenant: TenantId, number: int) -> None:
        changed = await self._do(lambda file: file.execute(change, (number, tenant)).rowcount)
        if not changed:
            raise NotFoundError(f"no refused episode has the number {number}; list the spool to see which there are")

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `work` returns, after it was written to the disk; an error in it undoes what it did.

        Writes that come while the disk is busy share the next commit: a commit costs a write through to the disk,
        however much is in it.
        """
        mine: Future[Any] = Future()
        with self._writes_lock:
            self._writes.append((work, mine))
        # One call of the thread for each write: those that find nothing left to do return at once.
        await self._in_thread(self._write_through)
        try:
            answer: T = await asyncio.wrap_future(mine)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        return answer

    def _write_through(self) -> None:
        """Commit what waits for the disk, in the order in which it came."""
        with self._writes_lock:
            taken, self._writes = self._writes[:_WRITES_PER_COMMIT], self._writes[_WRITES_PER_COMMIT:]
        # Whoever does not wait any longer was told nothing: their write need not happen.
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
            # What was acknowledged must survive a power cut, not only the end of this process.
            file.execute("PRAGMA synchronous = FULL")
            file.execute("PRAGMA secure_delete = ON")
            shape = file.execute("PRAGMA user_version").fetchone()[0]
            if shape not in (0, _SHAPE):
                raise InstallError(f"the spool {str(self._path)!r} was written by a newer version; install that one")
            file.executescript(f"{_DEFINITION} PRAGMA user_version = {_SHAPE};")
            file.execute("PRAGMA temp_store = MEMORY")
            # A row that another one replaces leaves its tenant's share by a trigger, too.
            file.execute("PRAGMA recursive_triggers = ON")
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'share_removed'").fetchone():
                file.executescript(_SHARES)
            self._open = file
        return self._open

    def _refuse_too_much(self, file: sqlite3.Connection, tenant: TenantId, bytes_n: int) -> None:
        pages, free, size = (
            file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size + bytes_n > self._bytes_max:
            raise UnavailableError(
                f"Neo4j is away and the spool is full ({self._bytes_max // 2**20} MB, spool.mb_max): nothing was"
                " stored; try again when Neo4j is back"
            )
        share = file.execute("SELECT bytes FROM shares WHERE tenant = ?", (tenant,)).fetchone()
        if (share[0] if share else 0) + bytes_n > self._bytes_max * TENANT_SHARE:
            raise UnavailableError(
                f"Neo4j is away and this tenant has filled its share of the spool ({TENANT_SHARE:.0%} of spool.mb_max,"
                f" {self._bytes_max // 2**20} MB): nothing was stored; try again when Neo4j is back"
            )


# What people do with the spool: look, pause it, have a refused episode tried again, or give it up.


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolStatus:
    """The spool as one tenant sees it.

    Attributes:
        paused: for all tenants.
        episodes: the oldest 1,000, in order.
    """

    depth: SpoolDepth
    paused: bool
    episodes: tuple[SpoolEntry, ...]


class SpoolAdmin:
    """The spool's use cases; without a spool it is an empty one."""

    def __init__(self, spool: Spool | None) -> None:
        self._spool = spool

    async def depth(self, tenant: TenantId) -> SpoolDepth:
        """Return how many episodes of a tenant are on disk."""
        return SpoolDepth(waiting=0, refused=0) if self._spool is None else await self._spool.depth(tenant)

    async def status(self, tenant: TenantId) -> SpoolStatus:
        """Return what of a tenant is on disk; answers while Neo4j does not."""
        if self._spool is None:
            return SpoolStatus(depth=SpoolDepth(waiting=0, refused=0), paused=False, episodes=())
        return SpoolStatus(
            depth=await self._spool.depth(tenant),
            paused=await self._spool.paused(),
            episodes=tuple(await self._spool.listed(tenant)),
        )

    async def pause(self, paused: bool) -> None:
        """Keep episodes of all tenants on disk although Neo4j answers, or let them go again."""
        await self._there().pause(paused)

    async def retry(self, tenant: TenantId, number: int) -> None:
        """Have a refused episode tried again.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        await self._there().retry(tenant, number)

    async def drop(self, tenant: TenantId, number: int) -> None:
        """Give up a refused episode; what was said in it is gone.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        await self._there().drop(tenant, number)

    def _there(self) -> Spool:
        if self._spool is None:
            raise NotFoundError("this service has no spool; start it with `mnemograph serve`")
        return self._spool
