"""Synthetic memories of a given size, equal in every run, written in bulk and without history."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Row, Writing
from schema.ids import TenantId, scope_token
from tests.support.graph_writer import NOON, Edge, GraphWriter

_GROUP = 40
_CHUNK = 4_000
_OF_USER, _MENTIONS, _ACROSS = 0.25, 0.3, 0.05
_NAMES = ("tea", "mountain", "piano", "harbour", "lantern", "茶", "山路", "钢琴", "海港", "灯笼")
# Not linked to anything in a first picture.
FAR_NAMES = ("Quokka lagoon", "Numbat meadow", "Wombat creek")


def _statement(name: str, text: str) -> Statement:
    return Statement(name=f"bench/{name}", text=text, parameters=frozenset(), columns=(), hot=False)


_NODES = _statement("nodes", "UNWIND $rows AS row CREATE (n:Memory) SET n:$(row.kind) SET n += row.properties")
_EDGES = _statement(
    "edges",
    "UNWIND $rows AS row MATCH (s:Memory {tenant: $tenant, id: row.source}) "
    "MATCH (o:Memory {tenant: $tenant, id: row.target}) CREATE (s)-[r:$(row.predicate)]->(o) SET r = row.properties",
)
# Before the nodes, since a user may have tens of thousands of them, and a transaction may use 256 MB.
_GONE_EDGES = _statement(
    "gone_edges", "MATCH (:Memory {tenant: $tenant})-[r]->() WITH r LIMIT 4000 DELETE r RETURN count(*) AS gone"
)
_GONE = _statement(
    "gone", "MATCH (n:Memory {tenant: $tenant}) WITH n LIMIT 2000 DETACH DELETE n RETURN count(*) AS gone"
)
_GONE_LOG = _statement(
    "gone_log", "MATCH (n:Change {tenant: $tenant}) WITH n LIMIT 2000 DELETE n RETURN count(*) AS gone"
)


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers of nodes and edges, and of users."""

    nodes: int
    edges: int
    users: int = 1

    @classmethod
    def of(cls, elements: int) -> "Size":
        """Return a size for one user: two nodes per three edges."""
        return cls(nodes=elements * 2 // 5, edges=elements * 3 // 5)


@dataclass(frozen=True, slots=True)
class BenchMemory:
    """A tenant that was written."""

    tenant: str
    users: tuple[str, ...]

    def user_node(self, user: str) -> str:
        """Return the id of a user's node."""
        return f"{self.tenant}-{user}"


async def write_memory(graph: Graph, tenant: str, size: Size) -> BenchMemory:
    """Write a tenant of this size: groups of linked entities, facts of users, and scenes that mention entities."""
    memory = BenchMemory(tenant, tuple(f"u{number}" for number in range(size.users)))
    writer = GraphWriter(graph, tenant)
    for user in memory.users:
        await writer.put(user=user, nodes={memory.user_node(user): "User"})
    for user in memory.users:
        dice = random.Random(f"{tenant} {user}")
        own = Size(size.nodes // size.users - 1, size.edges // size.users)
        nodes, edges = _rows(memory, user, own, dice)
        for chunk in _chunks(nodes):
            await _write(graph, _NODES, {"tenant": tenant, "rows": chunk})
        for chunk in _chunks(edges):
            await _write(graph, _EDGES, {"tenant": tenant, "rows": chunk})
    return memory


async def drop_memory(graph: Graph, tenant: str) -> None:
    """Delete a written tenant."""
    for statement in (_GONE_EDGES, _GONE, _GONE_LOG):
        while await _write(graph, statement, {"tenant": tenant}):
            pass


def _rows(memory: BenchMemory, user: str, size: Size, dice: random.Random) -> tuple[list[Row], list[Row]]:
    scenes_n = size.nodes // 5
    things = [f"{memory.tenant}-{user}-e{number}" for number in range(size.nodes - scenes_n)]
    scenes = [f"{memory.tenant}-{user}-s{number}" for number in range(scenes_n)]
    scope = scope_token(TenantId(memory.tenant), user)
    names = [f"{_NAMES[number % len(_NAMES)]} {number}" for number in range(len(things))]
    names[-len(FAR_NAMES) :] = FAR_NAMES
    nodes = [_node(memory.tenant, user, scope, one, "Entity", name) for one, name in zip(things, names, strict=True)]
    nodes += [_node(memory.tenant, user, scope, one, "Scene", f"Talk {one}") for one in scenes]
    home = memory.user_node(user)
    wanted: dict[tuple[str, str, str], None] = {}
    told = things[: max(1, min(len(things) - _GROUP, int(size.edges * _OF_USER)))]
    for number, thing in enumerate(told):
        wanted[(home, ("PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO")[number % 4], thing)] = None
    while scenes and len(wanted) < len(told) + size.edges * _MENTIONS:
        wanted[(dice.choice(scenes), "MENTIONED", dice.choice(things))] = None
    while len(wanted) < size.edges:
        at = dice.randrange(len(things))
        far = dice.random() < _ACROSS
        other = dice.randrange(len(things)) if far else at // _GROUP * _GROUP + dice.randrange(_GROUP)
        if other != at and other < len(things):
            wanted[(things[at], "RELATES_TO", things[other])] = None
    return nodes, [_edge(memory.tenant, user, ends, dice) for ends in wanted]


def _node(tenant: str, user: str, scope: str, node_id: str, kind: str, name: str) -> Row:
    seen = NOON - timedelta(minutes=len(node_id) + int("".join(sign for sign in node_id if sign.isdigit())[-5:]))
    properties = {
        "tenant": tenant,
        "id": node_id,
        "user_id": user,
        "scope_user": scope,
        "name": name,
        "first_seen": seen,
        "last_seen": seen,
    }
    return {"kind": kind, "properties": properties}


def _edge(tenant: str, user: str, ends: tuple[str, str, str], dice: random.Random) -> Row:
    edge = Edge(*ends, strength=round(dice.random(), 3), confidence=round(0.4 + 0.6 * dice.random(), 3))
    return {**vars(edge), "properties": {**edge.properties, "tenant": tenant, "user_id": user}}


def _chunks(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for begin in range(0, len(rows), _CHUNK):
        yield rows[begin : begin + _CHUNK]


async def _write(graph: Graph, statement: Statement, parameters: dict[str, Any]) -> int:
    """Return the number of deleted elements."""

    async def steps(writing: Writing) -> int:
        rows = await writing.run(statement, parameters)
        return int(rows[0]["gone"]) if rows else 0

    return await graph.write(steps)
