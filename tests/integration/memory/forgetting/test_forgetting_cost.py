"""Test that forgetting takes work that grows about linearly with the facts of the user, counted by the database."""

from collections.abc import Mapping
from typing import Any

import pytest

from graph_service.graph.statements import Statement, parse_statement
from graph_service.graph.store import Graph, Row, Writing
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.growth import FACTOR, GROWTH_MAX

_FACTS = """// -> id
MATCH (:User {tenant: $tenant})-[r:RELATES_TO]->() RETURN r.id AS id"""


def hits_of(plan: Mapping[str, Any] | None) -> int:
    """Return the database hits of a profiled plan."""
    return 0 if plan is None else plan.get("dbHits", 0) + sum(hits_of(child) for child in plan.get("children", ()))


@pytest.fixture
def hits(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Profile every statement of write transactions; return the database hits of each by name."""
    counted: dict[str, int] = {}

    async def run(self: Writing, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        result = await self._tx.run(f"PROFILE {statement.text}", statement.values(parameters))
        rows = [dict(record) async for record in result]
        summary = await result.consume()
        counted[statement.name] = counted.get(statement.name, 0) + hits_of(summary.profile)
        return rows

    monkeypatch.setattr(Writing, "run", run)
    return counted


@pytest.mark.parametrize("kind", ["fact", "message"])
async def test_forgetting_grows_about_linearly_with_the_facts_of_a_user(
    graph: Graph, tenant: str, hits: dict[str, int], kind: str
) -> None:
    """Each fact to delete was searched among all facts of the user, so that 10,000 took longer than 30 s."""
    counts, statements = [], []
    for n in (50, 50 * FACTOR):
        whose, memory = TenantId(f"{tenant}-{n}"), a_memory(graph)
        facts = tuple(
            ProvidedFact(
                subject="user",
                predicate="RELATES_TO",
                relation="owns",
                object=f"vase {number}",
                statement=f"Owns vase {number}.",
            )
            for number in range(n)
        )
        told = await memory.remember(whose, an_incoming("These are my vases.", facts=facts))
        await a_worker(graph).drain()
        rows = await graph.read(parse_statement("facts", _FACTS), {"tenant": whose})
        assert len(rows) == n
        hits.clear()
        if kind == "fact":
            await memory.forgetting.fact(whose, rows[0]["id"])
        else:
            await memory.forgetting.message(whose, told.message_ids[0])
        counts.append(sum(hits.values()))
        statements.append(dict(hits))
    growing = {name: (statements[0].get(name, 0), after) for name, after in statements[1].items()}
    assert counts[1] <= GROWTH_MAX * counts[0], growing
