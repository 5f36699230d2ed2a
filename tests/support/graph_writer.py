"""Writes a small mind map and its change log, each call in one commit, as the service's own writers do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.change_log.payloads import edge_body, edge_view, node_body, node_view
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _statement(name: str, text: str) -> Statement:
    return Statement(name=f"test/{name}", text=text, parameters=frozenset(), columns=(), hot=False)


_TENANT = _statement(
    "tenant",
    "MERGE (t:Tenant {id: $tenant}) ON CREATE SET t.epoch = randomUUID(), t.seq = 0, t.created_at = datetime()",
)
_NODES = _statement(
    "nodes",
    "UNWIND $rows AS row MERGE (n:Memory {tenant: $tenant, id: row.properties.id}) SET n:$(row.kind) "
    "SET n += row.properties",
)
_EDGES = _statement(
    "edges",
    "UNWIND $rows AS row MATCH (s:Memory {tenant: $tenant, id: row.source}) "
    "MATCH (o:Memory {tenant: $tenant, id: row.target}) "
    "MERGE (s)-[r:$(row.predicate) {tenant: $tenant, id: row.properties.id}]->(o) SET r += row.properties",
)
_DROP_EDGE = _statement("drop_edge", "MATCH (:Memory {tenant: $tenant})-[r {id: $id}]->() DELETE r")
_DROP_NODE = _statement("drop_node", "MATCH (n:Memory {tenant: $tenant, id: $id}) DETACH DELETE n")
_DROP_EDGES = _statement(
    "drop_edges", "UNWIND $rows AS row MATCH (:Memory {tenant: $tenant, id: row.source})-[r {id: row.id}]->() DELETE r"
)
_DROP_NODES = _statement(
    "drop_nodes", "UNWIND $rows AS row MATCH (n:Memory {tenant: $tenant, id: row.id}) DETACH DELETE n"
)
_MESSAGES = _statement(
    "messages",
    "UNWIND $rows AS row MERGE (m:Message {tenant: $tenant, id: row.id}) SET m += row WITH m, row "
    "MATCH (s:Scene {tenant: $tenant, id: row.scene}) MERGE (m)-[:PART_OF]->(s)",
)
_NEW_EPOCH = _statement("new_epoch", "MATCH (t:Tenant {id: $tenant}) SET t.epoch = randomUUID()")
_FORGET_LOG = _statement("forget_log", "MATCH (c:Change {tenant: $tenant}) WHERE c.seq <= $seq DELETE c")


class Edge:
    """An edge to write, with its predicate and ends."""

    def __init__(self, source: str, predicate: str, target: str, **properties: Any) -> None:
        self.source, self.predicate, self.target = source, predicate, target
        self.properties = {
            "id": f"{source}-{predicate}-{target}",
            "strength": 0.5,
            "confidence": 0.9,
            "first_seen": NOON,
            "last_seen": NOON,
            "valid_at": NOON,
            "recorded_at": NOON,
            "statement": f"{source} {predicate.lower()} {target}",
            "evidence": [],
            "scenes": [],
            "quotes": [],
            "reader": "rules",
            **properties,
        }

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.properties["id"])


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One write of many in one commit: nodes (id → kind) and edges to put, or a node or an edge to drop."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    edges: Sequence[Edge] = ()
    drop_node: str | None = None
    drop_edge: Edge | None = None

    @property
    def sort(self) -> Statement | None:
        """What drops it; None for something that is put."""
        return _DROP_NODES if self.drop_node else _DROP_EDGES if self.drop_edge else None


class GraphWriter:
    """Writes into one tenant."""

    def __init__(self, graph: Graph, tenant: str) -> None:
        self._graph = graph
        self.tenant = tenant

    async def put(
        self, *, user: str = "u1", nodes: Mapping[str, str] | None = None, edges: Sequence[Edge] = (), **more: Any
    ) -> int:
        """Nodes (id → kind) and edges with their changes in one commit; returns the number of the last change.

        Args:
            more: properties for all the nodes.
        """
        node_rows, changes = self._rows(AuditEntry(nodes or {}, edges), user, more)

        async def steps(writing: Writing) -> int:
            await writing.run(_TENANT, {"tenant": self.tenant})
            await self._put(writing, node_rows, [vars(edge) for edge in edges])
            return await append_changes(writing, TenantId(self.tenant), user, changes, at=NOON)

        return await self._graph.write(steps)

    async def all(self, deeds: Sequence[AuditEntry], *, user: str = "u1") -> int:
        """Many writes in their order, in one commit; returns the number of the last change."""
        made = [(deed, *self._rows(deed, user, {})) for deed in deeds]

        async def steps(writing: Writing) -> int:
            for drops, group in groupby(made, key=lambda one: one[0].sort):
                alike = list(group)
                if drops is None:
                    nodes = [row for _, rows, _ in alike for row in rows]
                    await self._put(writing, nodes, [vars(edge) for deed, _, _ in alike for edge in deed.edges])
                else:
                    rows = [_dropped(deed) for deed, _, _ in alike]
                    await writing.run(drops, {"tenant": self.tenant, "rows": rows})
            changes = [change for _, _, told in made for change in told]
            return await append_changes(writing, TenantId(self.tenant), user, changes, at=NOON)

        return await self._graph.write(steps)

    async def _put(self, writing: Writing, nodes: Sequence[Any], edges: Sequence[Any]) -> None:
        await writing.run(_NODES, {"tenant": self.tenant, "rows": nodes})
        await writing.run(_EDGES, {"tenant": self.tenant, "rows": edges})

    def _rows(self, deed: AuditEntry, user: str, more: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[Change]]:
        """Rows of its nodes, and its changes; its edges are told whose they are."""
        if deed.drop_node:
            return [], [_change(Op.NODE_DROP, deed.drop_node, {})]
        if deed.drop_edge:
            return [], [_change(Op.EDGE_DROP, deed.drop_edge.id, {})]
        rows: list[dict[str, Any]] = [
            {"kind": kind, "properties": self._node(node_id, user, more)} for node_id, kind in deed.nodes.items()
        ]
        for edge in deed.edges:
            edge.properties = {**edge.properties, "tenant": self.tenant, "user_id": user}
        changes = [
            _change(Op.NODE_PUT, row["properties"]["id"], node_body(node_view(row["properties"], row["kind"])))
            for row in rows
        ]
        changes += [
            _change(
                Op.EDGE_PUT, edge.id, edge_body(edge_view(edge.properties, edge.source, edge.target, edge.predicate))
            )
            for edge in deed.edges
        ]
        return rows, changes

    async def drop(self, *, user: str = "u1", node: str | None = None, edge: str | None = None) -> int:
        """Removes one node (with its edges) or one edge."""
        change = _change(Op.NODE_DROP if node else Op.EDGE_DROP, node or edge or "", {})

        async def steps(writing: Writing) -> int:
            await writing.run(_DROP_NODE if node else _DROP_EDGE, {"tenant": self.tenant, "id": node or edge})
            return await append_changes(writing, TenantId(self.tenant), user, [change], at=NOON)

        return await self._graph.write(steps)

    async def say(self, scene: str, texts: Mapping[str, str], *, user: str = "u1") -> None:
        """Messages (id → text) of a scene, a minute apart."""
        rows = [
            {
                "id": message_id,
                "uri": f"memory://{self.tenant}/{message_id}",
                "user_id": user,
                "role": "user",
                "speaker": "Ann",
                "text": text,
                "said_at": NOON.replace(minute=position),
                "said_ms": int(NOON.replace(minute=position).timestamp() * 1000),
                "position": position,
                "scene": scene,
            }
            for position, (message_id, text) in enumerate(texts.items())
        ]
        await self._run(_MESSAGES, {"tenant": self.tenant, "rows": rows})

    async def begin_epoch(self) -> None:
        """As after a restore from a backup: the log has another life."""
        await self._run(_NEW_EPOCH, {"tenant": self.tenant})

    async def forget_log(self, seq: int) -> None:
        """The log no longer holds changes up to `seq`."""
        await self._run(_FORGET_LOG, {"tenant": self.tenant, "seq": seq})

    async def _run(self, statement: Statement, parameters: Mapping[str, Any]) -> None:
        async def steps(writing: Writing) -> None:
            await writing.run(statement, parameters)

        await self._graph.write(steps)

    def _node(self, node_id: str, user: str, more: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "tenant": self.tenant,
            "id": node_id,
            "user_id": user,
            "name": node_id,
            "first_seen": NOON,
            "last_seen": NOON,
            **more,
        }


def _dropped(deed: AuditEntry) -> dict[str, str | None]:
    edge = deed.drop_edge
    return {"id": edge.id, "source": edge.source} if edge else {"id": deed.drop_node}


def _change(op: Op, element_id: str, body: dict[str, Any]) -> Change:
    return Change(op=op, element_id=MemoryId(element_id), body=body, reason="test")
