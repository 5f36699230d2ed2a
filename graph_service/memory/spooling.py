"""What people do with the spool: look, pause it, have a refused episode tried again, or give it up."""

from dataclasses import dataclass

from graph_service.memory.spool import Spool
from graph_service.memory.spooled import Depth, Spooled
from schema.errors import NotFoundError
from schema.ids import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolStatus:
    """The spool as one tenant sees it.

    Attributes:
        paused: for all tenants.
        episodes: the oldest 1,000, in order.
    """

    depth: Depth
    paused: bool
    episodes: tuple[Spooled, ...]


class Spooling:
    """The spool's use cases; without a spool it is an empty one."""

    def __init__(self, spool: Spool | None) -> None:
        self._spool = spool

    async def depth(self, tenant: TenantId) -> Depth:
        """How many episodes of a tenant are on disk."""
        return Depth(waiting=0, refused=0) if self._spool is None else await self._spool.depth(tenant)

    async def status(self, tenant: TenantId) -> SpoolStatus:
        """What of a tenant is on disk; answers while Neo4j does not."""
        if self._spool is None:
            return SpoolStatus(depth=Depth(waiting=0, refused=0), paused=False, episodes=())
        return SpoolStatus(
            depth=await self._spool.depth(tenant),
            paused=await self._spool.paused(),
            episodes=tuple(await self._spool.listed(tenant)),
        )

    async def pause(self, paused: bool) -> None:
        """Keeps episodes of all tenants on disk although Neo4j answers, or lets them go again."""
        await self._there().pause(paused)

    async def retry(self, tenant: TenantId, number: int) -> None:
        """Has a refused episode tried again.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        await self._there().retry(tenant, number)

    async def drop(self, tenant: TenantId, number: int) -> None:
        """Gives up a refused episode; what was said in it is gone.

        Raises:
            NotFoundError: no refused episode of the tenant has this number.
        """
        await self._there().drop(tenant, number)

    def _there(self) -> Spool:
        if self._spool is None:
            raise NotFoundError("this service has no spool; start it with `mnemograph serve`")
        return self._spool
