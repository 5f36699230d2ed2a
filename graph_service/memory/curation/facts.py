"""Single facts: whether they hold and why not, reopening what was closed; and the profiles that facts make up."""

from collections.abc import Callable
from datetime import datetime

from graph_service.graph.store import Graph
from graph_service.memory.curation.fact_history import FactVersion, history_of
from graph_service.memory.curation.reopening import FactStatus, reopen_fact, standing_of
from graph_service.memory.facts.bitemporal import moments_asked
from graph_service.memory.profile.reader import ProfilePart, profile_of
from schema.ids import TenantId, agent_uri, memory_id, user_uri
from schema.profile import Category


class Facts:
    """The facts of all tenants, one tenant at a time.

    Args:
        clock: aware UTC now.
        notify: called with the tenant after each commit; wakes the viewers.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], datetime], notify: Callable[[str], None]) -> None:
        self._graph = graph
        self._clock = clock
        self._notify = notify

    async def standing(
        self, tenant: TenantId, fact_id: str, *, valid_at: datetime | None = None, as_of: datetime | None = None
    ) -> FactStatus:
        """Return whether a fact holds, or held at a moment, by what is known, or was.

        Raises:
            NotFoundError: the tenant has no such fact, or had not heard of it by then.
            UnavailableError: Neo4j does not answer.
        """
        moments = moments_asked(valid_at=valid_at, as_of=as_of, now=self._clock())
        return await standing_of(self._graph, tenant, fact_id, moments)

    async def history(self, tenant: TenantId, fact_id: str, *, as_of: datetime | None = None) -> list[FactVersion]:
        """Return what held of the same before and after a fact, itself included, in the order in which it began to
        hold.

        Args:
            as_of: by what was known then: what was heard later is left out.

        Raises:
            NotFoundError: the tenant has no such fact.
            UnavailableError: Neo4j does not answer.
        """
        known_at = moments_asked(valid_at=None, as_of=as_of, now=self._clock()).known_at
        return await history_of(self._graph, tenant, fact_id, known_at=known_at)

    async def reopen(self, tenant: TenantId, fact_id: str, reason: str) -> FactStatus:
        """Let a closed fact hold again; what closed it closes it no more, however often it is read.

        Raises:
            InputError: there is no reason.
            NotFoundError: the tenant has no such fact.
            ConflictError: it holds, or cannot be reopened by itself.
            UnavailableError: Neo4j does not answer.
        """
        done = await reopen_fact(self._graph, tenant, fact_id, reason, at=self._clock())
        self._notify(tenant)
        return await self.standing(tenant, done)

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
        """Return the profile of a user, or of the agent that serves this user: each category, or one.

        Args:
            valid_at: of what held then; at `as_of` or now if left out.
            as_of: by what was known then.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        uri = user_uri(tenant, user_id) if agent_id is None else agent_uri(tenant, user_id, agent_id)
        moments = moments_asked(valid_at=valid_at, as_of=as_of, now=self._clock())
        return await profile_of(self._graph, tenant, memory_id(uri), moments, category=category)
