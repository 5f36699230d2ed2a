"""Places for what stays open: sockets and streams, shared out among tenants and credentials.

A place is taken only by somebody who was let in and has said what they want. When all places are taken, a newcomer gets
one of whoever holds the most, so that no tenant and no credential can keep the others out.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

from graph_service.auth.access import ANONYMOUS, Access, quota_key
from schema.errors import RateLimitError

_RETRY_S: Final = 5.0


class Slot:
    """One place.

    Attributes:
        revoked: set when somebody who holds fewer needs it; what stands on it must end then.
    """

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self.revoked = asyncio.Event()


class ConnectionSlots:
    """A bounded number of places.

    Args:
        what: what stands on them, for messages, in the plural.
        most: all together.
        of_tenant: of one tenant.
        of_credential: of one key, or one subject of tokens; anybody at a service without keys has those of the tenant.
    """

    def __init__(self, what: str, *, most: int, of_tenant: int, of_credential: int) -> None:
        self._what = what
        self._most = most
        self._of_tenant = of_tenant
        self._of_credential = of_credential
        self._held: dict[str, dict[Slot, None]] = {}
        self._holders: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many are taken."""
        return sum(len(places) for places in self._held.values())

    @contextlib.contextmanager
    def take(self, tenant: str, access: Access) -> Iterator[Slot]:
        """A place as long as the block lasts.

        Raises:
            RateLimitError: the tenant or the credential has all that it may have, or all are taken by others that have
                no more than this one.
        """
        holder = None if access is ANONYMOUS else quota_key(access)
        self._check(tenant, holder)
        place = Slot(tenant)
        self._held.setdefault(tenant, {})[place] = None
        if holder is not None:
            self._holders[holder] += 1
        try:
            yield place
        finally:
            self._leave(place)
            if holder is not None:
                self._holders[holder] -= 1
                if not self._holders[holder]:
                    del self._holders[holder]

    def _check(self, tenant: str, holder: str | None) -> None:
        if holder is not None and self._holders[holder] >= self._of_credential:
            raise self._refusal(self._of_credential, "with this credential")
        own = len(self._held.get(tenant, ()))
        if own >= self._of_tenant:
            raise self._refusal(self._of_tenant, "of this tenant")
        if len(self) < self._most:
            return
        largest = max(self._held.values(), key=len)
        if len(largest) <= own + 1:
            raise self._refusal(self._most, "of all tenants")
        # The newest: whoever came first has stayed longest without harm.
        place = next(reversed(largest))
        self._leave(place)
        place.revoked.set()

    def _leave(self, place: Slot) -> None:
        places = self._held.get(place.tenant)
        if places is not None:
            places.pop(place, None)
            if not places:
                del self._held[place.tenant]

    def _refusal(self, most: int, whose: str) -> RateLimitError:
        return RateLimitError(
            f"{most} {self._what} {whose} are connected already; close one or try again later", _RETRY_S
        )
