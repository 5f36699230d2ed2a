"""Read facts, their status and history, and profiles; reopen closed facts."""

from collections.abc import Callable
from datetime import datetime

from graph_service.graph.store import Graph
from graph_service.memory.curation.fact_history import FactVersion, fact_history
from graph_service.memory.curation.reopening import FactStatus, fact_status, reopen_fact
from graph_service.memory.facts.bitemporal import resolve_as_of
from graph_service.memory.profile.reader import ProfilePart, profile_of
from schema.ids import TenantId, agent_uri, memory_id, user_uri
from schema.profile import Category


class Facts:
    """Operations on single facts and on profiles.

    Args:
        clock: aware UTC now.
        notify: called with the tenant after each commit.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], datetime], notify: Callable[[str], None]) -> None:
        self._graph = graph
        self._clock = clock
        self._notify = notify

    async def status(
        self, tenant: TenantId, fact_id: str, *, valid_at: datetime | None = None, as_of: datetime | None = None
    ) -> FactStatus:
        """Return a fact and whether it is valid.

        Args:
            valid_at: valid time; `as_of`, or now, if None.
            as_of: transaction time; the latest state if None.

        Raises:
            NotFoundError: the tenant has no such fact, or it was not known at `as_of`.
            UnavailableError: Neo4j does not answer.
        """
        moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=self._clock())
        return await fact_status(self._graph, tenant, fact_id, moments)

    async def history(self, tenant: TenantId, fact_id: str, *, as_of: datetime | None = None) -> list[FactVersion]:
        """Return the versions of a fact, itself included, by start of validity.

        Args:
            as_of: transaction time; later knowledge is ignored.

        Raises:
            NotFoundError: the tenant has no such fact.
            UnavailableError: Neo4j does not answer.
        """
        known_at = resolve_as_of(valid_at=None, as_of=as_of, now=self._clock()).known_at
        return await fact_history(self._graph, tenant, fact_id, known_at=known_at)

    async def reopen(self, tenant: TenantId, fact_id: str, reason: str) -> FactStatus:
        """Reopen a closed fact; what closed it cannot close it again.

        Raises:
            InputError: the reason is empty or too long.
            NotFoundError: the tenant has no such fact.
            ConflictError: it is open, or cannot be reopened on its own.
            UnavailableError: Neo4j does not answer.
        """
        done = await reopen_fact(self._graph, tenant, fact_id, reason, at=self._clock())
        self._notify(tenant)
        return await self.status(tenant, done)

    async def profile(
        self,
        tenant: TenantId,
        user_id: str,
        *,
        agent_id: str | None = None,
        category: Category | None = None,
        valid_at: datetime | None = None,
        as_of: datetime | None = None,
    ) -> list[ProfilePart]:
        """Return the profile of a user, or of an agent of this user; all categories, or one.

        Args:
            valid_at: valid time; `as_of`, or now, if None.
            as_of: transaction time; the latest state if None.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        uri = user_uri(tenant, user_id) if agent_id is None else agent_uri(tenant, user_id, agent_id)
        moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=self._clock())
        return await profile_of(self._graph, tenant, memory_id(uri), moments, category=category)
