"""The communities of a memory, found beside the event loop and kept until the memory has changed for a while."""

import asyncio
import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.measures import Loop
from graph_service.memory.changes import ChangeLog, Head
from graph_service.memory.communities import Communities, Community, LinkRow, NodeRow, divide
from graph_service.memory.explore import Explorer
from graph_service.memory.mindmap import USERS_MAX
from graph_service.supervision import Supervisor
from schema.errors import NotFoundError, UnavailableError
from schema.frames import Count
from schema.ids import TenantId
from schema.parts import CommunityMap, CommunityTie, CommunityView, GraphPart

COMMUNITIES_MAX: Final = 240
TIES_MAX: Final = 600
OF_MAX: Final = 5_000
# A memory that is being written to is not divided anew at every change.
FRESH_S: Final = 20.0
_KEPT_MAX: Final = 8
_LEADING: Final = 12
_PORTIONS: Final = 20
# Up to here a thread will do; more would keep the whole process busy for seconds.
_THREAD_MAX: Final = 5_000

_Key = tuple[TenantId, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    head: Head
    at_s: float
    communities: Communities
    people: tuple[str, ...]


class CommunityMaps:
    """The communities of the memories that were asked about last.

    Args:
        clock_s: monotonic seconds.
        fresh_s: for how long communities are served although the memory has changed; after that the old ones are
            served once more while new ones are found.
    """

    def __init__(
        self,
        graph: Graph,
        explorer: Explorer,
        *,
        clock_s: Callable[[], float] = time.monotonic,
        fresh_s: float = FRESH_S,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._graph = graph
        self._explorer = explorer
        self._log = ChangeLog(graph)
        self._clock_s = clock_s
        self._fresh_s = fresh_s
        self._supervisor = supervisor or Supervisor()
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._finding: dict[_Key, asyncio.Task[_Kept]] = {}
        self._forgettings = 0

    async def whole(self, tenant: TenantId, user_id: str | None) -> CommunityMap:
        """The memory as communities, at most `COMMUNITIES_MAX`.

        Raises:
            UnavailableError: the database does not answer.
        """
        kept = await self._current(tenant, user_id)
        listed = _fairly_chosen(kept.communities.found, COMMUNITIES_MAX)
        shown = {community.id for community in listed} | set(kept.people)
        ties = sorted(kept.communities.ties.items(), key=lambda tie: (-tie[1], tie[0]))
        people = await self._explorer.part_of(tenant, kept.head, kept.people, total=len(kept.people))
        return CommunityMap(
            epoch=kept.head.epoch,
            seq=kept.head.seq,
            total=len(kept.communities.found),
            people=people.nodes,
            communities=[
                CommunityView(
                    id=each.id,
                    label=each.label,
                    members=Count(nodes=len(each.members), edges=each.edges),
                    user_id=each.user_id,
                )
                for each in listed
            ],
            ties=[
                CommunityTie(source=one, target=other, n=n)
                for (one, other), n in ties
                if one in shown and other in shown
            ][:TIES_MAX],
            of=_leading(listed),
        )

    async def members(self, tenant: TenantId, user_id: str | None, community_id: str, *, limit: int) -> GraphPart:
        """The best tied members of a community and the edges between them.

        Raises:
            NotFoundError: this memory has no such community, or has it no more.
            UnavailableError: the database does not answer.
        """
        kept = await self._current(tenant, user_id)
        found = next((each for each in kept.communities.found if each.id == community_id), None)
        if found is None:
            raise NotFoundError(f"there is no community with id {community_id!r} now; ask for the communities again")
        head = await self._log.head(tenant)
        return await self._explorer.part_of(tenant, head, found.members[:limit], total=len(found.members))

    def forget(self, tenant: str) -> None:
        """Lets go of a tenant's communities, because something in them was forgotten."""
        self._forgettings += 1
        for key in [key for key in self._kept if key[0] == tenant]:
            del self._kept[key]

    async def _current(self, tenant: TenantId, user_id: str | None) -> _Kept:
        key = (tenant, user_id)
        head = await self._log.head(tenant)
        kept = self._kept.get(key)
        if kept is not None and kept.head.epoch == head.epoch:
            self._kept.move_to_end(key)
            if kept.head.seq != head.seq and self._clock_s() - kept.at_s > self._fresh_s:
                self._find(key)
            return kept
        # Shielded: who else waits for the same must not lose it when this caller goes away.
        return await asyncio.shield(self._find(key))

    def _find(self, key: _Key) -> "asyncio.Task[_Kept]":
        """Those who ask for the same at the same time share the work."""
        task = self._finding.get(key)
        if task is None:
            task = asyncio.create_task(self._found(key), name="find communities")
            self._finding[key] = task
            task.add_done_callback(lambda done: self._ended(key, done))
        return task

    def _ended(self, key: _Key, task: "asyncio.Task[_Kept]") -> None:
        if self._finding.get(key) is task:
            del self._finding[key]
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, UnavailableError):
            # The next request begins anew and is told; but old communities are served while that fails in silence.
            self._supervisor.note(Loop.COMMUNITIES, error)

    async def _found(self, key: _Key) -> _Kept:
        while True:
            forgettings = self._forgettings
            kept = await self._read(*key)
            # What was read before a forgetting may hold what is gone.
            if forgettings == self._forgettings:
                break
        self._kept[key] = kept
        while len(self._kept) > _KEPT_MAX:
            self._kept.popitem(last=False)
        return kept

    async def _read(self, tenant: TenantId, user_id: str | None) -> _Kept:
        head = await self._log.head(tenant)
        users = await self._users(tenant, user_id)
        nodes: list[NodeRow] = []
        links: list[LinkRow] = []
        people: list[str] = []
        # Some users at a time: taking in a hundred thousand rows at once would keep every other request waiting.
        size = max(1, -(-len(users) // _PORTIONS))
        for start in range(0, len(users), size):
            asked = {"tenant": tenant, "users": users[start : start + size]}
            found = (await self._graph.read(statement("read/community_nodes"), asked))[0]
            nodes += found["nodes"]
            people += found["people"]
            links += (await self._graph.read(statement("read/community_links"), asked))[0]["links"]
        people.sort()
        communities = await _beside(nodes, links, people)
        return _Kept(head=head, at_s=self._clock_s(), communities=communities, people=tuple(people))

    async def _users(self, tenant: str, user_id: str | None) -> list[str]:
        if user_id is not None:
            return [user_id]
        rows = await self._graph.read(statement("read/users_of_tenant"), {"tenant": tenant, "rows_max": USERS_MAX})
        return [row["user_id"] for row in rows]


def _fairly_chosen(found: Sequence[Community], most: int) -> list[Community]:
    """The largest communities of each user in turn, so that none is shown without any; the largest first."""
    ranks: Counter[str] = Counter()
    ranked = []
    for community in found:
        ranked.append((ranks[community.user_id], community))
        ranks[community.user_id] += 1
    # Sorting is stable: of one rank, the larger stays first.
    chosen = [community for _, community in sorted(ranked, key=lambda one: one[0])[:most]]
    return sorted(chosen, key=lambda one: (-len(one.members), one.id))


def _leading(listed: Sequence[Community]) -> dict[str, str]:
    """The community of each member while these are few, otherwise of the leading members of each."""
    few = sum(len(each.members) for each in listed) <= OF_MAX
    return {member: each.id for each in listed for member in (each.members if few else each.members[:_LEADING])}


async def _beside(nodes: Sequence[NodeRow], links: Sequence[LinkRow], people: Sequence[str]) -> Communities:
    """The communities, found beside the event loop: in a thread, those of a large memory in a process of its own."""
    if len(nodes) <= _THREAD_MAX:
        return await asyncio.to_thread(divide, nodes, links, people)
    pool = ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"), initializer=os.nice, initargs=(10,))
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, divide, nodes, links, people)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
