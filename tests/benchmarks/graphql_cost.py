"""Compare the latency of a nested GraphQL response of 50 facts with the same JSON from a plain route.

    python -m tests.benchmarks.graphql_cost --uri bolt://… --password … [--rounds 200]

Prints the milliseconds of both.
"""

import argparse
import asyncio
import statistics
import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
import orjson
from fastapi import FastAPI
from neo4j import AsyncGraphDatabase
from starlette.responses import Response

from graph_service.api.graphql.schema import graphql_router
from graph_service.graph.store import Graph
from graph_service.memory.facts.bitemporal import resolve_as_of
from graph_service.memory.mindmap.graph_queries import FactPageRequest
from graph_service.memory.mindmap.reader import map_node
from graph_service.memory.service import Memory
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming

_FACTS: Final = 50
_NODE: Final = ("id", "kind", "userId", "entityType", "aliases")
_FACT: Final = ("id", "predicate", "relation", "statement", "strength", "confidence")
QUERY: Final = """query ($id: String!) { user(userId: $id) { id kind name facts(first: 50) { nodes {
  id predicate relation statement strength confidence validAt
  object { id kind name userId entityType aliases } } } } }"""


async def told(memory: Memory, graph: Graph, tenant: TenantId) -> None:
    """Create a user with 50 facts about 50 entities."""
    facts = tuple(
        ProvidedFact(subject="user", predicate="PREFERS", object=f"thing {n}", statement=f"Ana likes thing {n}")
        for n in range(_FACTS)
    )
    message = a_message("I like fifty things.", time=NOON + timedelta(days=1))
    await memory.remember(tenant, an_incoming(messages=(message,), facts=facts, user="ana"))
    await a_worker(graph).drain()


def doors(memory: Memory, tenant: TenantId) -> FastAPI:
    """Return the GraphQL API, and a route that reads the same data and serialises it by hand."""
    app = FastAPI()
    app.include_router(graphql_router(memory), prefix="/graphql")

    @app.get("/plain")
    async def plain() -> Response:
        user = await memory.reads.user(tenant, "ana")
        page = FactPageRequest(moments=resolve_as_of(valid_at=None, as_of=None, now=datetime.now(UTC)), first=_FACTS)
        rows = (await memory.reads.facts(tenant, [user.id], page))[user.id][:_FACTS]
        nodes = []
        for row in rows:
            end = next(node for values in row["ends"] if (node := map_node(values)).id == row["object_id"])
            told: dict[str, Any] = {name: row[name] for name in _FACT}
            thing = (end.id, end.kind, end.user_id, end.entity_type, end.aliases)
            told |= {"validAt": row["valid_at"], "object": {"name": end.label, **dict(zip(_NODE, thing, strict=True))}}
            nodes.append(told)
        answer = {"user": {"id": user.id, "kind": user.kind, "name": user.label, "facts": {"nodes": nodes}}}
        return Response(orjson.dumps({"data": answer}), media_type="application/json")

    return app


async def measured(graph: Graph, *, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each request, alternating between both."""
    memory, tenant = a_memory(graph), TenantId(f"cost-{datetime.now(UTC):%H%M%S}")
    await told(memory, graph, tenant)
    times: dict[str, list[float]] = {"plain": [], "graphql": []}
    transport = httpx.ASGITransport(app=doors(memory, tenant))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        body = orjson.dumps({"query": QUERY, "variables": {"id": "ana"}})
        headers = {"Mnemoscene-Tenant": tenant, "Content-Type": "application/json"}
        for round_ in range(rounds + 20):
            for door in times:
                began_s = time.perf_counter()
                if door == "plain":
                    answer = await client.get("/plain")
                else:
                    answer = await client.post("/graphql", content=body, headers=headers)
                spent_ms = (time.perf_counter() - began_s) * 1000
                assert len(answer.json()["data"]["user"]["facts"]["nodes"]) == _FACTS
                if round_ >= 20:
                    times[door].append(spent_ms)
    return times


async def _main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--uri", required=True)
    wanted.add_argument("--password", required=True)
    wanted.add_argument("--rounds", type=int, default=200)
    asked = wanted.parse_args()
    async with AsyncGraphDatabase.driver(asked.uri, auth=("neo4j", asked.password)) as driver:
        times = await measured(Graph(driver, database=None), rounds=asked.rounds)
    medians = {door: statistics.median(found) for door, found in times.items()}
    for door, found in times.items():
        p95 = statistics.quantiles(found, n=20)[-1]
        print(f"{door:8} p50 {medians[door]:7.2f} ms   p95 {p95:7.2f} ms")
    print(f"graphql / plain: {medians['graphql'] / medians['plain']:.2f}")


if __name__ == "__main__":
    asyncio.run(_main())
