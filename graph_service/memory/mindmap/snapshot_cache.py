"""Cache mind-map snapshots in this process, for recall and viewers while Neo4j is unavailable.

Those for recall are also kept on disk, for a service that starts while Neo4j is unavailable.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from cachetools import LRUCache

from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot import snapshot_of
from graph_service.memory.mindmap.snapshot_file import SnapshotFile
from graph_service.supervision import wait_for_any
from schema.errors import UnavailableError
from schema.failure import failure_of
from schema.frames import Count, EdgeView, GraphSnapshot, NodeView, PlacesByView
from schema.ids import TenantId

_log = logging.getLogger("mnemoscene.snapshots")

# Interval of the check for outdated snapshots, and maximum read by one check, so that questions are not slowed down.
LOOK_S: Final = 10.0
READ_MAX: Final = 4
KEPT_MAX: Final = 64
BUDGET: Final = 1_000

_Key = tuple[TenantId, str]


class RecallSnapshotCache:
    """Snapshots of the most recently used memories, at most `kept_max`, each of at most `BUDGET` nodes and edges.

    Args:
        file: keeps them on disk; None only in this process.
    """

    def __init__(
        self, changes: ChangeLog, mindmap: MindMap, *, kept_max: int = KEPT_MAX, file: SnapshotFile | None = None
    ) -> None:
        self.file = file
        self._changes = changes
        self._mindmap = mindmap
        self._kept_max = kept_max
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
        if len(self._kept) > self._kept_max:
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

    async def refresh(self, *, read_max: int = READ_MAX) -> int:
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
        chosen = [key for _, key in sorted(behind)[:read_max]]
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


MAPS_KEPT_MAX: Final = 16

_MapKey = tuple[str, str | None, int]


class MapSnapshotCache:
    """The last snapshots by tenant, user and budget, and positions by tenant and user, at most `kept_max` of each.

    Args:
        recalled: snapshots that stand in for missing ones.
    """

    def __init__(self, *, kept_max: int = MAPS_KEPT_MAX, recalled: RecallSnapshotCache | None = None) -> None:
        self._recalled = recalled
        self._kept: LRUCache[_MapKey, GraphSnapshot] = LRUCache(kept_max)
        self._places: LRUCache[tuple[str, str | None], PlacesByView] = LRUCache(kept_max)
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
