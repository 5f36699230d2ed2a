"""The last mind maps that were shown, kept in this process for when the database is away.

They are not written to disk: a service does not start without its database, and what is forgotten must be gone at once.
"""

from collections import OrderedDict
from typing import Final

from graph_service.memory.snapshot import Snapshot

KEPT_MAX: Final = 16

_Key = tuple[str, str | None, int]


class KeptMaps:
    """The last snapshots by tenant, user and budget, at most `kept_max`."""

    def __init__(self, *, kept_max: int = KEPT_MAX) -> None:
        self._kept_max = kept_max
        self._kept: OrderedDict[_Key, Snapshot] = OrderedDict()
        self._forgettings = 0

    @property
    def forgettings(self) -> int:
        """Rises with each forgetting; who read a snapshot before must not keep it after."""
        return self._forgettings

    def keep(self, tenant: str, user: str | None, budget: int, snapshot: Snapshot, *, forgettings: int) -> None:
        """Keeps a snapshot that was read when `forgettings` was this."""
        if forgettings != self._forgettings:
            return
        self._kept[tenant, user, budget] = snapshot
        self._kept.move_to_end((tenant, user, budget))
        if len(self._kept) > self._kept_max:
            self._kept.popitem(last=False)

    def exactly(self, tenant: str, user: str | None, budget: int) -> Snapshot | None:
        """The last one of this very scope."""
        return self._kept.get((tenant, user, budget))

    def of_tenant(self, tenant: str) -> list[tuple[str | None, int, Snapshot]]:
        """The last ones of a tenant, with user and budget."""
        return [(key[1], key[2], kept) for key, kept in self._kept.items() if key[0] == tenant]

    def nearest(self, tenant: str, user: str | None, budget: int) -> Snapshot | None:
        """The last one of this scope, else the newest one that shows this user, cut down to what may be seen of it."""
        exact = self.exactly(tenant, user, budget)
        if exact is not None:
            return exact
        of_tenant = self.of_tenant(tenant)
        same = [kept for whose, _, kept in of_tenant if whose == user]
        wider = [_of_user(kept, user) for whose, _, kept in of_tenant if whose is None and user is not None]
        return max(same or wider, key=lambda kept: kept.as_of, default=None)

    def drop(self, tenant: str) -> None:
        """Lets go of a tenant's snapshots, because something in them was forgotten."""
        self._forgettings += 1
        for key in [key for key in self._kept if key[0] == tenant]:
            del self._kept[key]


def _of_user(snapshot: Snapshot, user: str | None) -> Snapshot:
    nodes = [node for node in snapshot.nodes if node.user_id == user]
    ids = {node.id for node in nodes}
    edges = [edge for edge in snapshot.edges if edge.user_id == user and {edge.source, edge.target} <= ids]
    shown = snapshot.total.model_copy(update={"nodes": len(nodes), "edges": len(edges)})
    return Snapshot(epoch=snapshot.epoch, seq=snapshot.seq, as_of=snapshot.as_of, total=shown, nodes=nodes, edges=edges)
