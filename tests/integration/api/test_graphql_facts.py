"""Test explaining and reopening a closed fact, over GraphQL and on the command line."""

from pathlib import Path
from typing import Any

import pytest_asyncio

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.memory.facts.test_conflict_resolution import edges, say
from tests.support.builders import a_memory
from tests.support.cli_process import Home

_FACT = "query ($id: String!) { fact(id: $id) { statement invalidAt closing { reason text factId } } }"
_REOPEN = 'mutation ($id: String!) { reopenFact(id: $id, reason: "both") { id invalidAt closing { reason } } }'


async def run_operation(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    return await graphql_schema.execute(query, variable_values=variables, context_value=context)


async def test_a_closed_fact_is_explained_and_reopened_over_graphql(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    found = await edges(graph, tenant)
    told = (await run_operation(graph, tenant, _FACT, id=found["Paris"]["id"])).data["fact"]
    assert (told["closing"]["reason"], told["closing"]["factId"]) == ("REPLACED", found["Oslo"]["id"])
    assert "Oslo" in told["closing"]["text"]
    opened = (await run_operation(graph, tenant, _REOPEN, id=found["Paris"]["id"])).data["reopenFact"]
    assert (opened["invalidAt"], opened["closing"]) == (None, None)


async def test_another_tenants_fact_is_not_found_over_graphql(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    found = await edges(graph, tenant)
    for query in (_FACT, _REOPEN):
        answer = await run_operation(graph, f"{tenant}-other", query, id=found["Paris"]["id"])
        assert [error.extensions["code"] for error in answer.errors] == ["NOT_FOUND"]


@pytest_asyncio.fixture(loop_scope="session")
async def closed_fact(graph: Graph, tenant: str) -> str:
    """Return the id of a fact that Alice lives in Paris, which a move closed."""
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    return str((await edges(graph, tenant))["Paris"]["id"])


def test_the_command_line_explains_and_reopens_a_closed_fact(
    closed_fact: str, server: Server, tenant: str, tmp_path: Path
) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOGRAPH_TENANT": tenant})
    assert "another took its place: " in home.run("facts", "show", closed_fact).out
    reopened = home.run("facts", "reopen", closed_fact, "--json")
    assert reopened.document()["closing"] is None
    assert home.run("facts", "show", closed_fact, "--tenant", f"{tenant}-other").code == 3
