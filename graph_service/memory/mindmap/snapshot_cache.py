"""Cache mind-map snapshots in this process, for recall and viewers while Neo4j is unavailable.

Those for recall are also kept on disk (SQLite), for a service that starts while Neo4j is unavailable. That file is a
cache: a damaged one, or one of another version, is replaced. It is readable by its owner only, and what is forgotten is
overwritten.
"""

import asyncio
import logging
import os
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from cachetools import LRUCache
from pydantic import ValidationError

from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot import snapshot_of
from graph_service.supervision import wait_for_any
from schema.errors import UnavailableError
from schema.failure import failure_of
from schema.frames import Count, EdgeView, GraphSnapshot, NodeView, PlacesByView
from schema.ids import TenantId

T = TypeVar("T")
_log = logging.getLogger("mnemoscene.snapshots")

_FORMAT: Final = 3
# Memories of which the snapshot is kept, in this process and on disk.
_KEPT_MAX: Final = 64
_BUSY_MAX_S: Final = 5.0


class SnapshotFile:
    """The latest snapshots by tenant and user, in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def put(self, tenant: TenantId, user_id: str, snapshot: GraphSnapshot) -> None:
        """Store the last snapshot of a memory; a full disk only loses the copy."""
        row = (str(tenant), user_id, snapshot.as_of, snapshot.model_dump_json().encode())

        def put(file: sqlite3.Connection) -> None:
            file.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)", row)
            file.execute(
                "DELETE FROM snapshot WHERE rowid NOT IN (SELECT rowid FROM snapshot ORDER BY as_of DESC LIMIT ?)",
                (_KEPT_MAX,),
            )

        await asyncio.to_thread(self._run, put, "a snapshot was not stored", creates=True)

    async def all(self) -> dict[tuple[TenantId, str], GraphSnapshot]:
        """Return all stored snapshots, oldest first."""
        found: dict[tuple[TenantId, str], GraphSnapshot] = {}

        def read(file: sqlite3.Connection) -> None:
            for tenant, user_id, body in file.execute("SELECT tenant, user_id, body FROM snapshot ORDER BY as_of"):
                found[TenantId(tenant), user_id] = GraphSnapshot.model_validate_json(body)

        await asyncio.to_thread(self._run, read, "stored snapshots cannot be read and are ignored")
        return found

    async def position(self) -> int | None:
        """Return the position up to which the file lacks what was forgotten (`store_position`); None if unknown."""

        def read(file: sqlite3.Connection) -> int | None:
            read_ms: int | None = file.execute("SELECT max(read_ms) FROM position").fetchone()[0]
            return read_ms

        return await asyncio.to_thread(self._run, read, "the position of stored snapshots is unknown")

    async def store_position(self, read_ms: int) -> None:
        """Record that nothing which was forgotten until then is in the file; nothing is stored without a file."""

        def store(file: sqlite3.Connection) -> None:
            file.execute("INSERT OR REPLACE INTO position VALUES (1, ?)", (read_ms,))

        await asyncio.to_thread(self._run, store, "the position of stored snapshots was not stored")

    def forget(self, tenant: str | None) -> None:
        """Delete a tenant's snapshots, or all, at once, because something in them was forgotten."""
        if self._path.exists():
            try:
                with self._open() as file:
                    file.execute("DELETE FROM snapshot WHERE tenant = coalesce(?, tenant)", (tenant,))
            except (OSError, sqlite3.Error) as error:
                # Better no snapshot than one with a forgotten text.
                _log.warning("stored snapshots are deleted, because their file cannot be changed: %s", type(error))
                self._path.unlink(missing_ok=True)

    def _run(self, work: Callable[[sqlite3.Connection], T], problem: str, *, creates: bool = False) -> T | None:
        """Return the result of one transaction; None if it fails, or if there is no file and `creates` is false."""
        if not creates and not self._path.exists():
            return None
        try:
            with self._open() as file:
                return work(file)
        except (OSError, sqlite3.Error, ValidationError) as error:
            _log.warning("%s: %s", problem, type(error).__name__)
            return None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction; create it if it is missing or damaged."""
        try:
            file = self._connect()
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            file = self._connect()
        try:
            with file:
                yield file
        finally:
            file.close()

    def _connect(self) -> sqlite3.Connection:
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        file = sqlite3.connect(self._path, timeout=_BUSY_MAX_S)
        try:
            file.execute("PRAGMA secure_delete = ON")
            if file.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
                file.executescript(
                    "DROP TABLE IF EXISTS snapshot; DROP TABLE IF EXISTS position;"
                    " CREATE TABLE snapshot"
                    " (tenant TEXT, user_id TEXT, as_of TEXT, body BLOB, PRIMARY KEY (tenant, user_id));"
                    " CREATE TABLE position (file INTEGER PRIMARY KEY, read_ms INTEGER);"
                    f" PRAGMA user_version = {_FORMAT};"
                )
        except sqlite3.Error:
            file.close()
            raise
        return file


# Interval of the check for outdated snapshots, and maximum read by one check, so that questions are not slowed down.
LOOK_S: Final = 10.0
READ_MAX: Final = 4
BUDGET: Final = 1_000

_Key = tuple[TenantId, str]


class RecallSnapshotCache:
    """Snapshots of the most recently used memories, each of at most `BUDGET` nodes and edges.

    Args:
        file: keeps them on disk; None only in this process.
    """

    def __init__(self, changes: ChangeLog, mindmap: MindMap, *, file: SnapshotFile | None = None) -> None:
        self.file = file
        self._changes = changes
        self._mindmap = mindmap
        # None until the snapshot is read.
        self._kept: OrderedDict[_Key, GraphSnapshot | None] = OrderedDict()
        self._forgotten = asyncio.Event()
        self._generation = 0

    async def load(self) -> None:
        """Read the snapshots on disk, as if they had just been used."""
        stored = {} if self.file is None else await self.file.all()
        for key, snapshot in stored.items():
            self.want(*key)
            if key in self._kept and self._kept[key] is None:
                self._kept[key] = snapshot

    def want(self, tenant: TenantId, user_id: str) -> None:
        """Mark a memory as used; its snapshot is read in the background."""
        key = (tenant, user_id)
        self._kept.setdefault(key, None)
        self._kept.move_to_end(key)
        if len(self._kept) > _KEPT_MAX:
            self._kept.popitem(last=False)

    def of(self, tenant: TenantId, user_id: str) -> GraphSnapshot | None:
        """Return the last snapshot of a memory, of any age; None if there is none."""
        return self._kept.get((tenant, user_id))

    def of_tenant(self, tenant: str) -> list[tuple[str, GraphSnapshot]]:
        """Return the last snapshots of a tenant's memories, with their users."""
        return [(user, kept) for (owner, user), kept in self._kept.items() if owner == tenant and kept is not None]

    def forget(self, tenant: str | None) -> None:
        """Drop a tenant's snapshots, or all, because something in them may have been forgotten."""
        self._generation += 1
        for key in [key for key in self._kept if tenant in (None, key[0])]:
            self._kept[key] = None
        if self.file is not None:
            self.file.forget(tenant)
        self._forgotten.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Keep the snapshots up to date until `stop` is set."""
        while not stop.is_set():
            self._forgotten.clear()
            try:
                await self.refresh()
            except UnavailableError as error:
                _log.debug("cached snapshots were not refreshed: %s", failure_of(error))
            await wait_for_any(stop, self._forgotten, timeout_s=LOOK_S)

    async def refresh(self) -> int:
        """Read missing snapshots, then outdated ones, oldest first; return how many were read.

        Raises:
            UnavailableError: Neo4j does not answer; the cached snapshots remain.
        """
        heads = {tenant: await self._changes.head(tenant) for tenant in sorted({tenant for tenant, _ in self._kept})}
        behind = []
        for key, kept in self._kept.items():
            head = heads.get(key[0])
            if kept is None or (head is not None and (kept.epoch, kept.seq) != (head.epoch, head.seq)):
                behind.append(("" if kept is None else kept.as_of, key))
        chosen = [key for _, key in sorted(behind)[:READ_MAX]]
        for key in chosen:
            generation = self._generation
            try:
                snapshot = await self._mindmap.snapshot(key[0], user_id=key[1], budget=BUDGET)
            except UnavailableError:
                raise
            except Exception:
                # Dropped, so that the next refresh reads others; the supervisor reports the error and restarts this.
                self._kept.pop(key, None)
                raise
            # A snapshot read before something was forgotten may still contain it.
            if key in self._kept and generation == self._generation:
                self._kept[key] = snapshot
                await self._store(key, snapshot, generation)
        return len(chosen)

    async def _store(self, key: _Key, snapshot: GraphSnapshot, generation: int) -> None:
        if self.file is None:
            return
        await self.file.put(*key, snapshot)
        # Something was forgotten while the thread wrote.
        if generation != self._generation:
            self.file.forget(key[0])


_MAPS_KEPT_MAX: Final = 16

_MapKey = tuple[str, str | None, int]


class MapSnapshotCache:
    """The last snapshots by tenant, user and budget, and positions by tenant and user, the latest of each.

    Args:
        recalled: snapshots that stand in for missing ones.
    """

    def __init__(self, *, recalled: RecallSnapshotCache | None = None) -> None:
        self._recalled = recalled
        self._kept: LRUCache[_MapKey, GraphSnapshot] = LRUCache(_MAPS_KEPT_MAX)
        self._places: LRUCache[tuple[str, str | None], PlacesByView] = LRUCache(_MAPS_KEPT_MAX)
        self._generation = 0

    @property
    def generation(self) -> int:
        """Return the number of drops; a snapshot that was read before one must not be stored after it."""
        return self._generation

    def keep(self, tenant: str, user: str | None, budget: int, snapshot: GraphSnapshot, *, generation: int) -> None:
        """Store a snapshot, only if `generation` is unchanged since it was read."""
        if generation == self._generation:
            self._kept[tenant, user, budget] = snapshot

    def places(self, tenant: str, user: str | None) -> PlacesByView:
        """Return the last known positions in the views of a user, or of everybody."""
        return self._places.get((tenant, user), {})

    def keep_places(self, tenant: str, user: str | None, places: PlacesByView, *, whole: bool, generation: int) -> None:
        """Store all positions, or those that changed, only if `generation` is unchanged since they were read."""
        key = (tenant, user)
        if generation != self._generation or not (whole or key in self._places):
            return
        before: PlacesByView = {} if whole else self._places[key]
        self._places[key] = {view: {**before.get(view, {}), **places.get(view, {})} for view in {**before, **places}}

    def exactly(self, tenant: str, user: str | None, budget: int) -> GraphSnapshot | None:
        """Return the last snapshot of exactly this scope."""
        return self._kept.get((tenant, user, budget))

    def of_tenant(self, tenant: str) -> list[tuple[str | None, int, GraphSnapshot]]:
        """Return the last snapshots of a tenant, with user and budget."""
        return [(key[1], key[2], kept) for key, kept in self._kept.items() if key[0] == tenant]

    def nearest(self, tenant: str, user: str | None, budget: int) -> GraphSnapshot | None:
        """Return the last snapshot of this scope, else of this user, else of all users, reduced to this one.

        For all users, those of single users stand in, newest first, with at most `budget` elements.
        """
        exact = self.exactly(tenant, user, budget)
        if exact is not None:
            return exact
        known: list[tuple[str | None, GraphSnapshot]] = [(owner, kept) for owner, _, kept in self.of_tenant(tenant)]
        if self._recalled is not None:
            known += self._recalled.of_tenant(tenant)
        same = [kept for owner, kept in known if owner == user]
        if user is None and not same:
            return _together(known, budget)
        wider = [_of_user(kept, user) for owner, kept in known if owner is None and user is not None]
        return max(same or wider, key=lambda kept: kept.as_of, default=None)

    def drop(self, tenant: str | None) -> None:
        """Drop a tenant's snapshots, or all, because something in them was forgotten."""
        self._generation += 1
        for key in [key for key in self._kept if tenant in (None, key[0])]:
            del self._kept[key]
        for owner, user in [key for key in self._places if tenant in (None, key[0])]:
            del self._places[owner, user]


def _of_user(snapshot: GraphSnapshot, user: str | None) -> GraphSnapshot:
    nodes = [node for node in snapshot.nodes if node.user_id == user]
    ids = {node.id for node in nodes}
    edges = [edge for edge in snapshot.edges if edge.user_id == user and {edge.source, edge.target} <= ids]
    total = Count(nodes=len(nodes), edges=len(edges))
    return snapshot_of(snapshot.epoch, snapshot.seq, snapshot.as_of, total, nodes, edges)


def _together(known: Iterable[tuple[str | None, GraphSnapshot]], budget: int) -> GraphSnapshot | None:
    """Return the newest snapshots of several users as one, as old as the oldest of them."""
    nodes: dict[str, NodeView] = {}
    edges: dict[str, EdgeView] = {}
    used = list[GraphSnapshot]()
    of_user = {owner: kept for owner, kept in sorted(known, key=lambda pair: pair[1].as_of)}
    for kept in sorted(of_user.values(), key=lambda kept: kept.as_of, reverse=True):
        if used and len(nodes) + len(edges) + len(kept.nodes) + len(kept.edges) > budget:
            break
        used.append(kept)
        nodes |= {node.id: node for node in kept.nodes}
        edges |= {edge.id: edge for edge in kept.edges}
    if not used:
        return None
    oldest = min(used, key=lambda kept: kept.seq)
    total = Count(nodes=len(nodes), edges=len(edges))
    as_of = min(kept.as_of for kept in used)
    return snapshot_of(oldest.epoch, oldest.seq, as_of, total, [*nodes.values()], [*edges.values()])
