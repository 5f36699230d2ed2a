"""What nested fields of one operation need is collected and read together: each level is one round trip."""

from collections.abc import Callable, Coroutine, Hashable, Sequence
from typing import Any

from strawberry.dataloader import DataLoader
from strawberry.types import Info

from graph_service.memory.graph_reads import Page, Row
from graph_service.memory.mindmap import map_node
from graph_service.memory.service import Memory
from schema.frames import NodeView
from schema.ids import TenantId


class Loaders:
    """Loaders of one operation; nothing is kept between two."""

    def __init__(self, memory: Memory, tenant: TenantId) -> None:
        reads = memory.reads
        self._pages: dict[Hashable, DataLoader[str, list[Row]]] = {}
        self._memory, self._tenant = memory, tenant
        self.nodes: DataLoader[str, NodeView | None] = _by(lambda ids: reads.nodes(tenant, ids), lambda: None)
        self.messages: DataLoader[str, Row | None] = _by(lambda ids: reads.messages(tenant, ids), lambda: None)

    def facts(self, page: Page) -> DataLoader[str, list[Row]]:
        """Facts of nodes; those that are asked for alike come together."""
        if page not in self._pages:
            self._pages[page] = _by(lambda ids: self._facts_with_ends(ids, page), list)
        return self._pages[page]

    async def _facts_with_ends(self, ids: Sequence[str], page: Page) -> dict[str, list[Row]]:
        """Facts, whose ends nobody has to read any more."""
        found = await self._memory.reads.facts(self._tenant, ids, page)
        ends = (map_node(values) for facts in found.values() for fact in facts for values in fact["ends"])
        self.nodes.prime_many({node.id: node for node in ends})
        return found


def loaders_of(info: Info[Any, None]) -> Loaders:
    """The loaders of the operation."""
    context = info.context
    if "loaders" not in context:
        context["loaders"] = Loaders(context["memory"], context["tenant"])
    loaders: Loaders = context["loaders"]
    return loaders


def _by(
    read: Callable[[Sequence[str]], Coroutine[Any, Any, dict[str, Any]]], missing: Callable[[], Any]
) -> DataLoader[str, Any]:
    async def load(ids: list[str]) -> list[Any]:
        found = await read(ids)
        return [found[one] if one in found else missing() for one in ids]

    return DataLoader(load_fn=load)
