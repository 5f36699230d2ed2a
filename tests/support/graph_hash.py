"""Compare the graphs of tenants, ignoring properties that count writes or record their time."""

import hashlib
import re
from typing import Any

from graph_service.graph.store import Graph

_COUNTERS = {"revision", "seq", "epoch", "unembedded", "unembedded_in", "tenant", "merged_at"}
_COUNTERS |= {"recorded_at", "received_at", "created_at", "closed_at", "known_at", "closing_known_at", "last_accessed"}
# What became of each fact of the last reading: a second reading finds all of them known.
_COUNTERS |= {"access_n", "fact_events"}
# The storage time inside an entry of an edge's `assertions`.
_RECORDED_MS = re.compile(r"\|\d+(\|\d+\|\w*)$")
_NOT_KNOWLEDGE = ["Change", "Tenant", "Revision", "Job", "Forgetting"]
_NODES = (
    "MATCH (n {tenant: $tenant}) WHERE NOT any(l IN labels(n) WHERE l IN $skip) "
    "RETURN labels(n) AS l, properties(n) AS p"
)
_EDGES = (
    "MATCH (a {tenant: $tenant})-[r]->(b) WHERE NOT any(l IN labels(a) + labels(b) WHERE l IN $skip) "
    "RETURN a.id AS a, type(r) AS t, b.id AS b, properties(r) AS p"
)


async def graph_rows(graph: Graph, tenant: str) -> list[str]:
    """Return one sorted line per node and edge."""
    async with graph._driver.session() as session:
        nodes = await (await session.run(_NODES, tenant=tenant, skip=_NOT_KNOWLEDGE)).data()
        edges = await (await session.run(_EDGES, tenant=tenant, skip=_NOT_KNOWLEDGE)).data()
    rows = [f"node {sorted(row['l'])} {_plain(row['p'])}" for row in nodes]
    return sorted([*rows, *(f"edge {row['a']} {row['t']} {row['b']} {_plain(row['p'])}" for row in edges)])


async def graph_hash(graph: Graph, tenant: str) -> str:
    """Return a hash of `graph_rows`."""
    return hashlib.sha256("\n".join(await graph_rows(graph, tenant)).encode()).hexdigest()


def _plain(properties: dict[str, Any]) -> str:
    if "assertions" in properties:
        properties = {
            **properties,
            "assertions": [_RECORDED_MS.sub(r"\1", text) for text in properties["assertions"]],
        }
    kept = {name: str(value) for name, value in properties.items() if name not in _COUNTERS and "embedding" not in name}
    return str(sorted(kept.items()))
