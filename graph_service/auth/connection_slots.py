"""Quotas for open connections (WebSockets, streams), shared fairly among tenants and credentials.

Only authenticated connections that have sent their first message take a slot. When all are taken, the tenant with
the most slots loses one to a new connection of another tenant, so that no tenant can lock out the others.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Final, NoReturn

from graph_service.auth.access import Access, quota_key
from schema.errors import RateLimitError

_RETRY_S: Final = 5.0
_REVOKED: Final = "the connection was closed in favour of a tenant with fewer connections; reconnect"


class Slot:
    """A slot for one connection.

    Attributes:
        revoked: set when the slot is given to another tenant; the connection must be closed then.
    """

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self.revoked = asyncio.Event()

    async def raise_when_revoked(self) -> NoReturn:
        """Wait until the slot is revoked.

        Raises:
            RateLimitError: it was.
        """
        await self.revoked.wait()
        raise RateLimitError(_REVOKED, _RETRY_S)


class ConnectionSlots:
    """A bounded number of slots.

    Args:
        what: name of the connections in messages, plural.
        most: maximum in total.
        of_tenant: maximum per tenant.
        of_credential: maximum per API key or token subject; not applied to anonymous access.
    """

    def __init__(self, what: str, *, most: int, of_tenant: int, of_credential: int) -> None:
        self._what = what
        self._most = most
        self._of_tenant = of_tenant
        self._of_credential = of_credential
        self._by_tenant: dict[str, dict[Slot, None]] = {}
        self._per_credential: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(len(slots) for slots in self._by_tenant.values())

    @contextlib.contextmanager
    def take(self, tenant: str, access: Access) -> Iterator[Slot]:
        """Take a slot for the block.

        Raises:
            RateLimitError: a quota of the tenant or credential is exhausted, or all slots are taken and no tenant has
                at least two more than this one.
        """
        credential = None if access.is_anonymous else quota_key(access)
        self._check(tenant, credential)
        slot = Slot(tenant)
        self._by_tenant.setdefault(tenant, {})[slot] = None
        if credential is not None:
            self._per_credential[credential] += 1
        try:
            yield slot
        finally:
            self._release(slot)
            if credential is not None:
                self._per_credential[credential] -= 1
                if not self._per_credential[credential]:
                    del self._per_credential[credential]

    def _check(self, tenant: str, credential: str | None) -> None:
        if credential is not None and self._per_credential[credential] >= self._of_credential:
            raise self._refusal(self._of_credential, "with this credential")
        own = len(self._by_tenant.get(tenant, ()))
        if own >= self._of_tenant:
            raise self._refusal(self._of_tenant, "of this tenant")
        if len(self) < self._most:
            return
        largest = max(self._by_tenant.values(), key=len)
        if len(largest) <= own + 1:
            raise self._refusal(self._most, "of all tenants")
        # Revoke the newest slot; older connections have proven harmless for longer.
        slot = next(reversed(largest))
        self._release(slot)
        slot.revoked.set()

    def _release(self, slot: Slot) -> None:
        slots = self._by_tenant.get(slot.tenant)
        if slots is not None:
            slots.pop(slot, None)
            if not slots:
                del self._by_tenant[slot.tenant]

    def _refusal(self, most: int, scope: str) -> RateLimitError:
        return RateLimitError(
            f"{most} {self._what} {scope} are already connected; close one or try again later", _RETRY_S
        )
