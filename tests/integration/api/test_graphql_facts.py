"""Test explaining and reopening a closed fact, over GraphQL and on the command line."""

import asyncio
from pathlib import Path
from typing import Any

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


async def test_the_command_line_explains_and_reopens_a_closed_fact(
    graph: Graph, server: Server, tenant: str, tmp_path: Path
) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    paris = (await edges(graph, tenant))["Paris"]["id"]
    home = Home(tmp_path, server.environ)
    told = await asyncio.to_thread(home.run, "facts", "show", paris, "--tenant", tenant)
    assert "another took its place: " in told.out
    reopened = await asyncio.to_thread(home.run, "facts", "reopen", paris, "--tenant", tenant, "--json")
    assert reopened.document()["closing"] is None
    elsewhere = await asyncio.to_thread(home.run, "facts", "show", paris, "--tenant", f"{tenant}-other")
    assert elsewhere.code == 3
