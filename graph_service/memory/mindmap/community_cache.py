"""Compute communities outside the event loop, and cache them; those of changed memories are replaced after a while."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cachetools import LRUCache

from extraction.bounded_threads import BoundedThreads
from extraction.child_process import OwnProcess
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.change_log.log import ChangeLog, Head
from graph_service.memory.mindmap.communities import Communities, Community, LinkRow, find_communities
from graph_service.memory.mindmap.reader import Explorer
from graph_service.memory.sessions.lifecycle import users_in_view
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor
from schema.errors import NotFoundError, TooCostlyError, UnavailableError
from schema.frames import Count
from schema.ids import TenantId
from schema.parts import CommunityLink, CommunityMap, CommunityView, GraphPart

COMMUNITIES_MAX: Final = 240
TIES_MAX: Final = 600
_MAPPED_MEMBERS_MAX: Final = 5_000
# Maximum age of communities of a changed memory, so that not every change recomputes them; older ones are still
# returned, and replaced in the background.
_FRESH_S: Final = 20.0
_CACHED_MAX: Final = 8
_LEADING_MEMBERS: Final = 12
_BATCHES: Final = 20
# Larger memories are computed in a separate process, because a thread would block the event loop for seconds.
_LARGE_NODES: Final = 5_000
_LARGE_LINKS: Final = 50_000
# Maximum size; a hundred thousand nodes take half a gigabyte in the other process.
_NODES_MAX: Final = 200_000
_LINKS_MAX: Final = 1_000_000
# Large memories are computed one at a time; these limit how many run or wait, for one tenant and for all.
_LARGE_OF_TENANT_MAX: Final = 2
_LARGE_MAX: Final = 8
_RETRY_AFTER_S: Final = 30.0
# A computation is repeated if something was forgotten meanwhile; after this many attempts the request fails.
_TRIES_MAX: Final = 3

_Key = tuple[TenantId, str | None]
# Shared by all instances in the process, because they share the machine.
_IN_THREADS: Final = BoundedThreads(threads_max=2, cpu_max_s=30.0)
_IN_PROCESS: Final = OwnProcess()


@dataclass(frozen=True, slots=True, kw_only=True)
class _CachedCommunities:
    head: Head
    at_s: float
    communities: Communities
    people: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class CommunityMaps:
    """Communities of the most recently requested memories."""

    graph: Graph
    explorer: Explorer
    supervisor: Supervisor
    _cache: LRUCache[_Key, _CachedCommunities] = field(default_factory=lambda: LRUCache(_CACHED_MAX), init=False)
    _computations: "dict[_Key, asyncio.Task[_CachedCommunities]]" = field(default_factory=dict, init=False)
    # Running computations that may have read what was forgotten since.
    _outdated: set[_Key] = field(default_factory=set, init=False)
    _large: Counter[TenantId] = field(default_factory=Counter, init=False)
    _large_turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def community_map(self, tenant: TenantId, user_id: str | None) -> CommunityMap:
        """Return the communities of a memory, at most `COMMUNITIES_MAX`, and the edges between them.

        Raises:
            TooCostlyError: the memory is too large.
            TooSlowError: the computation took too long.
            UnavailableError: Neo4j does not answer, or too many large memories are waiting.
        """
        cached = await self._current(tenant, user_id)
        listed = _largest_per_user(cached.communities.found, COMMUNITIES_MAX)
        shown = {community.id for community in listed} | set(cached.people)
        ties = sorted(cached.communities.ties.items(), key=lambda tie: (-tie[1], tie[0]))
        people = await self.explorer.part_of(tenant, cached.head, cached.people, total=len(cached.people))
        return CommunityMap(
            epoch=cached.head.epoch,
            seq=cached.head.seq,
            total=len(cached.communities.found),
            users=people.nodes,
            communities=[
                CommunityView(
                    id=each.id,
                    label=each.label,
                    members=Count(nodes=len(each.members), edges=each.edges),
                    user_id=each.user_id,
                )
                for each in listed
            ],
            links=[
                CommunityLink(source=one, target=other, edges=n)
                for (one, other), n in ties
                if one in shown and other in shown
            ][:TIES_MAX],
            community_of=_communities_of_members(listed),
        )

    async def members(self, tenant: TenantId, user_id: str | None, community_id: str, *, limit: int) -> GraphPart:
        """Return the members of a community with the highest degree, and the edges between them.

        Raises:
            NotFoundError: this memory has no such community, perhaps not any more.
        """
        cached = await self._current(tenant, user_id)
        found = next((each for each in cached.communities.found if each.id == community_id), None)
        if found is None:
            raise NotFoundError(f"there is no community with id {community_id!r} now; request the communities again")
        head = await ChangeLog(self.graph).head(tenant)
        return await self.explorer.part_of(tenant, head, found.members[:limit], total=len(found.members))

    def forget(self, tenant: str | None) -> None:
        """Drop a tenant's communities, or all, because something in them was forgotten."""
        self._outdated |= {key for key in self._computations if tenant in (None, key[0])}
        for key in [key for key in self._cache if tenant in (None, key[0])]:
            del self._cache[key]

    async def close(self) -> None:
        """Cancel all computations."""
        tasks = list(self._computations.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _current(self, tenant: TenantId, user_id: str | None) -> _CachedCommunities:
        key = (tenant, user_id)
        head = await ChangeLog(self.graph).head(tenant)
        cached = self._cache.get(key)
        if cached is not None and cached.head.epoch == head.epoch:
            if cached.head.seq != head.seq and time.monotonic() - cached.at_s > _FRESH_S:
                self._computation_of(key)
            return cached
        try:
            # Shielded, because other requests may wait for the same computation.
            return await asyncio.shield(self._computation_of(key))
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is None or caller.cancelling():
                raise
            raise UnavailableError("the communities were not found before the service stopped") from None

    def _computation_of(self, key: _Key) -> "asyncio.Task[_CachedCommunities]":
        """Return the running computation of a memory, or start one; it goes on when nobody waits for it."""
        if key not in self._computations:
            task = asyncio.create_task(self._compute(key), name="find communities")
            self._computations[key] = task
            task.add_done_callback(lambda done: self._on_done(key, done))
        return self._computations[key]

    def _on_done(self, key: _Key, task: "asyncio.Task[_CachedCommunities]") -> None:
        del self._computations[key]
        self._outdated.discard(key)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, UnavailableError | TooCostlyError):
            # Reported here, because a failure in the background reaches no request.
            self.supervisor.note(Loop.COMMUNITIES, error)

    async def _compute(self, key: _Key) -> _CachedCommunities:
        for _ in range(_TRIES_MAX):
            self._outdated.discard(key)
            cached = await self._read(*key)
            # Data read before a forgetting may still contain what was forgotten.
            if key not in self._outdated:
                self._cache[key] = cached
                return cached
        raise UnavailableError(
            "data of this memory was forgotten while its communities were computed; ask again in a moment",
            _RETRY_AFTER_S,
        )

    async def _read(self, tenant: TenantId, user_id: str | None) -> _CachedCommunities:
        head = await ChangeLog(self.graph).head(tenant)
        users = await users_in_view(self.graph, tenant, user_id)
        is_large = await self._is_large(tenant, users)
        async with self._large_slot(tenant) if is_large else contextlib.nullcontext():
            nodes, links, people = await self._rows(tenant, users)
            if is_large:
                communities = await _IN_PROCESS.run(find_communities, nodes, links, people)
            else:
                communities = await _IN_THREADS.run(lambda: find_communities(nodes, links, people))
        return _CachedCommunities(head=head, at_s=time.monotonic(), communities=communities, people=tuple(people))

    async def _is_large(self, tenant: TenantId, users: Sequence[str]) -> bool:
        """Return whether a memory is so large that its communities are computed in a separate process.

        Raises:
            TooCostlyError: it exceeds `_NODES_MAX` or `_LINKS_MAX`.
        """
        row = (await self.graph.read(statement("mindmap/community_size"), {"tenant": tenant, "users": users}))[0]
        if row["nodes"] > _NODES_MAX or row["links"] > _LINKS_MAX:
            raise TooCostlyError(
                f"this memory has {row['nodes']:,} nodes and {row['links']:,} links; communities are found in at most "
                f"{_NODES_MAX:,} nodes and {_LINKS_MAX:,} links: request one user, or explore from a node"
            )
        return bool(row["nodes"] > _LARGE_NODES or row["links"] > _LARGE_LINKS)

    @contextlib.asynccontextmanager
    async def _large_slot(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait until no other large memory is being computed, to bound the memory in use."""
        if self._large[tenant] >= _LARGE_OF_TENANT_MAX or self._large.total() >= _LARGE_MAX:
            raise UnavailableError(
                "communities of other large memories are being computed; ask again in a moment", _RETRY_AFTER_S
            )
        self._large[tenant] += 1
        try:
            async with self._large_turn:
                yield
        finally:
            self._large[tenant] -= 1
            if not self._large[tenant]:
                del self._large[tenant]

    async def _rows(
        self, tenant: TenantId, users: Sequence[str]
    ) -> tuple[list[Sequence[Any]], list[LinkRow], list[str]]:
        nodes: list[Sequence[Any]] = []
        links: list[LinkRow] = []
        people: list[str] = []
        # Read in batches of users, because decoding a hundred thousand rows at once would block the event loop.
        size = max(1, -(-len(users) // _BATCHES))
        for start in range(0, len(users), size):
            parameters = {"tenant": tenant, "users": users[start : start + size]}
            found = (await self.graph.read(statement("mindmap/community_nodes"), parameters))[0]
            nodes += found["nodes"]
            people += found["people"]
            links += (await self.graph.read(statement("mindmap/community_links"), parameters))[0]["links"]
        return nodes, links, sorted(people)


def _largest_per_user(found: Sequence[Community], limit: int) -> list[Community]:
    """Select the largest community of each user, then the second largest, up to a limit; return them largest first."""
    ranks: Counter[str] = Counter()
    ranked = []
    for community in found:
        ranked.append((ranks[community.user_id], community))
        ranks[community.user_id] += 1
    # The sort is stable: within a rank, larger communities stay first.
    chosen = [community for _, community in sorted(ranked, key=lambda one: one[0])[:limit]]
    return sorted(chosen, key=lambda one: (-len(one.members), one.id))


def _communities_of_members(listed: Sequence[Community]) -> dict[str, str]:
    """Return community ids by member id; only leading members if there are more than `_MAPPED_MEMBERS_MAX`."""
    few = sum(len(each.members) for each in listed) <= _MAPPED_MEMBERS_MAX
    return {member: each.id for each in listed for member in (each.members if few else each.members[:_LEADING_MEMBERS])}
