"""Writes a small mind map and its change log, each call in one commit, as the service's own writers do."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.log_rows import append_changes
from graph_service.memory.views import edge_body, edge_view, node_body, node_view
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
        node_rows: list[dict[str, Any]] = [
            {"kind": kind, "properties": self._node(node_id, user, more)} for node_id, kind in (nodes or {}).items()
        ]
        for edge in edges:
            edge.properties = {**edge.properties, "tenant": self.tenant, "user_id": user}
        edge_rows = [vars(edge) for edge in edges]
        changes = [
            _change(Op.NODE_PUT, row["properties"]["id"], node_body(node_view(row["properties"], row["kind"])))
            for row in node_rows
        ] + [
            _change(
                Op.EDGE_PUT, edge.id, edge_body(edge_view(edge.properties, edge.source, edge.target, edge.predicate))
            )
            for edge in edges
        ]

        async def steps(writing: Writing) -> int:
            await writing.run(_TENANT, {"tenant": self.tenant})
            await writing.run(_NODES, {"tenant": self.tenant, "rows": node_rows})
            await writing.run(_EDGES, {"tenant": self.tenant, "rows": edge_rows})
            return await append_changes(writing, TenantId(self.tenant), user, changes, at=NOON)

        return await self._graph.write(steps)

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


def _change(op: Op, element_id: str, body: dict[str, Any]) -> Change:
    return Change(op=op, element_id=MemoryId(element_id), body=body, reason="test")
