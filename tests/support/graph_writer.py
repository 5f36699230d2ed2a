"""Write nodes, edges and their change log entries directly, in one commit per call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes, edge_body, edge_view, node_body, node_view
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
_TRUNCATE_LOG = _statement("truncate_log", "MATCH (c:Change {tenant: $tenant}) WHERE c.seq <= $seq DELETE c")


class Edge:
    """An edge to write, with defaults for its properties."""

    def __init__(self, source: str, predicate: str, target: str, **properties: Any) -> None:
        self.source, self.predicate, self.target = source, predicate, target
        self.properties = {
            "id": f"{source}-{predicate}-{target}",
            "uri": f"memory://test/{source}/{predicate}/{target}/0",
            "slot": 0,
            "strength": 0.5,
            "base_strength": 0.5,
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
            "kind": "fact",
            "importance": 3,
            **properties,
        }

    @property
    def id(self) -> str:
        """Return the edge's id."""
        return str(self.properties["id"])


@dataclass(frozen=True, slots=True)
class GraphWrite:
    """One of several writes in a commit: nodes (id → kind) and edges to put, or one node or edge to drop."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    edges: Sequence[Edge] = ()
    drop_node: str | None = None
    drop_edge: Edge | None = None

    @property
    def sort(self) -> Statement | None:
        """Return the statement that drops it; None for a put."""
        return _DROP_NODES if self.drop_node else _DROP_EDGES if self.drop_edge else None


class GraphWriter:
    """Writes to one tenant."""

    def __init__(self, graph: Graph, tenant: str) -> None:
        self._graph = graph
        self.tenant = tenant

    async def put(
        self, *, user: str = "u1", nodes: Mapping[str, str] | None = None, edges: Sequence[Edge] = (), **more: Any
    ) -> int:
        """Put nodes (id → kind) and edges; return the number of the last change.

        Args:
            more: further properties of all nodes.
        """
        node_rows, changes = self._rows(GraphWrite(nodes or {}, edges), user, more)

        async def steps(writing: Writing) -> int:
            await writing.run(_TENANT, {"tenant": self.tenant})
            await self._put(writing, node_rows, [vars(edge) for edge in edges])
            return await append_changes(writing, TenantId(self.tenant), user, changes, at=NOON)

        return await self._graph.write(steps)

    async def all(self, writes: Sequence[GraphWrite], *, user: str = "u1") -> int:
        """Apply several writes in order, in one commit; return the number of the last change."""
        made = [(write, *self._rows(write, user, {})) for write in writes]

        async def steps(writing: Writing) -> int:
            for drops, group in groupby(made, key=lambda one: one[0].sort):
                alike = list(group)
                if drops is None:
                    nodes = [row for _, rows, _ in alike for row in rows]
                    await self._put(writing, nodes, [vars(edge) for write, _, _ in alike for edge in write.edges])
                else:
                    rows = [_dropped(write) for write, _, _ in alike]
                    await writing.run(drops, {"tenant": self.tenant, "rows": rows})
            changes = [change for _, _, own in made for change in own]
            return await append_changes(writing, TenantId(self.tenant), user, changes, at=NOON)

        return await self._graph.write(steps)

    async def _put(self, writing: Writing, nodes: Sequence[Any], edges: Sequence[Any]) -> None:
        await writing.run(_NODES, {"tenant": self.tenant, "rows": nodes})
        await writing.run(_EDGES, {"tenant": self.tenant, "rows": edges})

    def _rows(self, write: GraphWrite, user: str, more: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[Change]]:
        """Return the node rows and changes; set tenant and user on the edges."""
        if write.drop_node:
            return [], [_change(Op.NODE_DROP, write.drop_node, {})]
        if write.drop_edge:
            return [], [_change(Op.EDGE_DROP, write.drop_edge.id, {})]
        rows: list[dict[str, Any]] = [
            {"kind": kind, "properties": self._node(node_id, user, more)} for node_id, kind in write.nodes.items()
        ]
        for edge in write.edges:
            edge.properties = {**edge.properties, "tenant": self.tenant, "user_id": user}
        changes = [
            _change(Op.NODE_PUT, row["properties"]["id"], node_body(node_view(row["properties"], row["kind"])))
            for row in rows
        ]
        changes += [
            _change(
                Op.EDGE_PUT, edge.id, edge_body(edge_view(edge.properties, edge.source, edge.target, edge.predicate))
            )
            for edge in write.edges
        ]
        return rows, changes

    async def drop(self, *, user: str = "u1", node: str | None = None, edge: str | None = None) -> int:
        """Delete one node with its edges, or one edge."""
        change = _change(Op.NODE_DROP if node else Op.EDGE_DROP, node or edge or "", {})

        async def steps(writing: Writing) -> int:
            await writing.run(_DROP_NODE if node else _DROP_EDGE, {"tenant": self.tenant, "id": node or edge})
            return await append_changes(writing, TenantId(self.tenant), user, [change], at=NOON)

        return await self._graph.write(steps)

    async def say(self, scene: str, texts: Mapping[str, str], *, user: str = "u1") -> None:
        """Add messages (id → text) to a scene, a minute apart."""
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
        """Start a new epoch, as restoring a backup does."""
        await self._run(_NEW_EPOCH, {"tenant": self.tenant})

    async def truncate_log(self, seq: int) -> None:
        """Delete the change log up to `seq`."""
        await self._run(_TRUNCATE_LOG, {"tenant": self.tenant, "seq": seq})

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


def _dropped(write: GraphWrite) -> dict[str, str | None]:
    edge = write.drop_edge
    return {"id": edge.id, "source": edge.source} if edge else {"id": write.drop_node}


def _change(op: Op, element_id: str, body: dict[str, Any]) -> Change:
    return Change(op=op, element_id=MemoryId(element_id), body=body, reason="test")
