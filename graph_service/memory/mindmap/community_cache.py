"""The communities of a memory, found beside the event loop and kept until the memory has changed for a while."""

import asyncio
import contextlib
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.bounded_threads import BoundedThreads
from extraction.child_process import OwnProcess
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.change_log.log import ChangeLog, Head
from graph_service.memory.mindmap.communities import Communities, Community, LinkRow, NodeRow, divide
from graph_service.memory.mindmap.exploration import Explorer
from graph_service.memory.mindmap.reader import USERS_MAX
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor
from schema.errors import NotFoundError, TooCostlyError, UnavailableError
from schema.frames import Count
from schema.ids import TenantId
from schema.parts import CommunityLink, CommunityMap, CommunityView, GraphPart

COMMUNITIES_MAX: Final = 240
TIES_MAX: Final = 600
OF_MAX: Final = 5_000
# A memory that is being written to is not divided anew at every change.
FRESH_S: Final = 20.0
_KEPT_MAX: Final = 8
_LEADING: Final = 12
_PORTIONS: Final = 20
# Up to here a thread will do; more would keep the whole process busy for seconds.
LARGE_FROM: Final = 5_000
_LARGE_LINKS: Final = 50_000
# What is read into memory at once for one division; a hundred thousand nodes take half a gigabyte in its process.
NODES_MAX: Final = 200_000
LINKS_MAX: Final = 1_000_000
# Large memories are divided one after another. Of one tenant so many may be under way or wait, of all so many.
_LARGE_OF_TENANT_MAX: Final = 2
_LARGE_MAX: Final = 8
_RETRY_AFTER_S: Final = 30.0
# While things are being forgotten, what was read is out of date again and again.
_TRIES_MAX: Final = 3

_Key = tuple[TenantId, str | None]
# For all of the process: threads and processes of several maps would share the machine as well.
_IN_THREADS: Final = BoundedThreads(threads_max=2, cpu_max_s=30.0)
_IN_PROCESS: Final = OwnProcess()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    head: Head
    at_s: float
    communities: Communities
    people: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Finding:
    """Communities that are being found.

    Attributes:
        waiting: how many requests wait for them.
        lasting: they are found even if nobody waits, to take the place of old ones.
        outdated: something of the tenant was forgotten since they were read.
    """

    task: "asyncio.Task[_Kept]"
    waiting: int = 0
    lasting: bool = False
    outdated: bool = False


class CommunityMaps:
    """The communities of the memories that were asked about last.

    Args:
        clock_s: monotonic seconds.
        large_from: memories of more nodes are divided in a process of their own, one after another.
        nodes_max, links_max: larger ones are not divided.
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
        large_from: int = LARGE_FROM,
        nodes_max: int = NODES_MAX,
        links_max: int = LINKS_MAX,
    ) -> None:
        self._graph = graph
        self._large_from = large_from
        self._nodes_max = nodes_max
        self._links_max = links_max
        self._explorer = explorer
        self._log = ChangeLog(graph)
        self._clock_s = clock_s
        self._fresh_s = fresh_s
        self._supervisor = supervisor or Supervisor()
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._finding: dict[_Key, _Finding] = {}
        self._large: Counter[TenantId] = Counter()
        self._large_turn = asyncio.Lock()

    async def whole(self, tenant: TenantId, user_id: str | None) -> CommunityMap:
        """Return the memory as communities, at most `COMMUNITIES_MAX`.

        Raises:
            TooCostlyError: the memory is too large.
            TooSlowError: finding them took too long.
            UnavailableError: the database does not answer, or other large memories are divided before.
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
            community_of=_leading(listed),
        )

    async def members(self, tenant: TenantId, user_id: str | None, community_id: str, *, limit: int) -> GraphPart:
        """Return the best tied members of a community and the edges between them.

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
        """Let go of a tenant's communities, because something in them was forgotten."""
        for key, finding in self._finding.items():
            finding.outdated = finding.outdated or key[0] == tenant
        for key in [key for key in self._kept if key[0] == tenant]:
            del self._kept[key]

    async def close(self) -> None:
        """End what is being found."""
        tasks = [finding.task for finding in self._finding.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _current(self, tenant: TenantId, user_id: str | None) -> _Kept:
        key = (tenant, user_id)
        head = await self._log.head(tenant)
        kept = self._kept.get(key)
        if kept is not None and kept.head.epoch == head.epoch:
            self._kept.move_to_end(key)
            if kept.head.seq != head.seq and self._clock_s() - kept.at_s > self._fresh_s:
                self._find(key).lasting = True
            return kept
        return await self._awaited(key)

    async def _awaited(self, key: _Key) -> _Kept:
        """Return what is found; whoever waits last and goes away ends the search."""
        finding = self._find(key)
        finding.waiting += 1
        try:
            # Shielded: who else waits for the same must not lose it when this caller goes away.
            return await asyncio.shield(finding.task)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is None or caller.cancelling():
                raise
            raise UnavailableError("the communities were not found before the service stopped") from None
        finally:
            finding.waiting -= 1
            if not (finding.waiting or finding.lasting or finding.task.done()):
                finding.task.cancel()
                # Who asks now begins anew, and does not get what was ended.
                if self._finding.get(key) is finding:
                    del self._finding[key]

    def _find(self, key: _Key) -> _Finding:
        """Return those who ask for the same at the same time share the work."""
        finding = self._finding.get(key)
        if finding is None:
            task = asyncio.create_task(self._found(key), name="find communities")
            finding = _Finding(task=task)
            self._finding[key] = finding
            task.add_done_callback(lambda done: self._ended(key, done))
        return finding

    def _ended(self, key: _Key, task: "asyncio.Task[_Kept]") -> None:
        finding = self._finding.get(key)
        if finding is not None and finding.task is task:
            del self._finding[key]
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, UnavailableError | TooCostlyError):
            # The next request begins anew and is told; but old communities are served while that fails in silence.
            self._supervisor.note(Loop.COMMUNITIES, error)

    async def _found(self, key: _Key) -> _Kept:
        finding = self._finding[key]
        for _ in range(_TRIES_MAX):
            finding.outdated = False
            kept = await self._read(*key)
            # What was read before a forgetting may hold what is gone.
            if finding.outdated:
                continue
            self._kept[key] = kept
            while len(self._kept) > _KEPT_MAX:
                self._kept.popitem(last=False)
            return kept
        raise UnavailableError(
            "something is being forgotten in this memory again and again; ask for its communities in a moment",
            _RETRY_AFTER_S,
        )

    async def _read(self, tenant: TenantId, user_id: str | None) -> _Kept:
        head = await self._log.head(tenant)
        users = await self._users(tenant, user_id)
        is_large = await self._is_large(tenant, users)
        async with self._turn(tenant) if is_large else contextlib.nullcontext():
            nodes, links, people = await self._rows(tenant, users)
            if is_large:
                communities = await _IN_PROCESS.run(divide, nodes, links, people)
            else:
                communities = await _IN_THREADS.run(lambda: divide(nodes, links, people))
        return _Kept(head=head, at_s=self._clock_s(), communities=communities, people=tuple(people))

    async def _is_large(self, tenant: TenantId, users: Sequence[str]) -> bool:
        """Return whether a memory is divided in a process of its own.

        Raises:
            TooCostlyError: it is too large even for that.
        """
        row = (await self._graph.read(statement("mindmap/community_size"), {"tenant": tenant, "users": users}))[0]
        if row["nodes"] > self._nodes_max or row["links"] > self._links_max:
            raise TooCostlyError(
                f"this memory has {row['nodes']:,} nodes and {row['links']:,} links; communities are found in at most "
                f"{self._nodes_max:,} nodes and {self._links_max:,} links: ask for one user, or look around a node"
            )
        return bool(row["nodes"] > self._large_from or row["links"] > _LARGE_LINKS)

    @contextlib.asynccontextmanager
    async def _turn(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wait until no other large memory is read and divided, so that few of them are in memory at once."""
        if self._large[tenant] >= _LARGE_OF_TENANT_MAX or self._large.total() >= _LARGE_MAX:
            raise UnavailableError("other large memories are being divided; ask again in a moment", _RETRY_AFTER_S)
        self._large[tenant] += 1
        try:
            async with self._large_turn:
                yield
        finally:
            self._large[tenant] -= 1
            if not self._large[tenant]:
                del self._large[tenant]

    async def _rows(self, tenant: TenantId, users: Sequence[str]) -> tuple[list[NodeRow], list[LinkRow], list[str]]:
        nodes: list[NodeRow] = []
        links: list[LinkRow] = []
        people: list[str] = []
        # Some users at a time: taking in a hundred thousand rows at once would keep every other request waiting.
        size = max(1, -(-len(users) // _PORTIONS))
        for start in range(0, len(users), size):
            asked = {"tenant": tenant, "users": users[start : start + size]}
            found = (await self._graph.read(statement("mindmap/community_nodes"), asked))[0]
            nodes += found["nodes"]
            people += found["people"]
            links += (await self._graph.read(statement("mindmap/community_links"), asked))[0]["links"]
        return nodes, links, sorted(people)

    async def _users(self, tenant: str, user_id: str | None) -> list[str]:
        if user_id is not None:
            return [user_id]
        rows = await self._graph.read(statement("lookup/users_of_tenant"), {"tenant": tenant, "rows_max": USERS_MAX})
        return [row["user_id"] for row in rows]


def _fairly_chosen(found: Sequence[Community], most: int) -> list[Community]:
    """Return the largest communities of each user in turn, so that none is shown without any; the largest first."""
    ranks: Counter[str] = Counter()
    ranked = []
    for community in found:
        ranked.append((ranks[community.user_id], community))
        ranks[community.user_id] += 1
    # Sorting is stable: of one rank, the larger stays first.
    chosen = [community for _, community in sorted(ranked, key=lambda one: one[0])[:most]]
    return sorted(chosen, key=lambda one: (-len(one.members), one.id))


def _leading(listed: Sequence[Community]) -> dict[str, str]:
    """Return the community of each member while these are few, otherwise of the leading members of each."""
    few = sum(len(each.members) for each in listed) <= OF_MAX
    return {member: each.id for each in listed for member in (each.members if few else each.members[:_LEADING])}
