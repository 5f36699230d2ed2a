"""Test the history of a fact and queries as of a time, over GraphQL and on the command line."""

from pathlib import Path

import pytest_asyncio

from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.api.test_graphql_facts import run_operation
from tests.integration.memory.facts.test_conflict_resolution import edges, say
from tests.support.builders import NOON
from tests.support.cli_process import Home

_HISTORY = (
    "query ($id: String!) { factHistory(id: $id) "
    "{ statement object validAt invalidAt knownAt closingKnownAt evidence closing { reason text factId } } }"
)
_RECALL = (
    'query ($at: DateTime) { recall(userId: "alice", query: "Paris Oslo", kinds: [FACT], validAt: $at) '
    "{ hits { object } } }"
)


async def test_history_over_graphql_is_visible_to_its_own_tenant_only(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    found = await edges(graph, tenant)
    told = (await run_operation(graph, tenant, _HISTORY, id=found["Oslo"]["id"])).data["factHistory"]
    assert [one["object"] for one in told] == ["Paris", "Oslo"]
    assert told[0]["closing"]["factId"] == found["Oslo"]["id"]
    assert (told[1]["invalidAt"], told[1]["closing"], told[1]["closingKnownAt"]) == (None, None, None)
    assert all(one["knownAt"] and one["evidence"] for one in told)
    elsewhere = await run_operation(graph, f"{tenant}-other", _HISTORY, id=found["Oslo"]["id"])
    assert [error.extensions["code"] for error in elsewhere.errors] == ["NOT_FOUND"]


async def test_recall_over_graphql_as_of_a_past_time(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    for at, home in ((None, "Oslo"), (NOON.isoformat(), "Paris")):
        found = (await run_operation(graph, tenant, _RECALL, at=at)).data["recall"]["hits"]
        assert [hit["object"] for hit in found] == [home]


@pytest_asyncio.fixture(loop_scope="session")
async def newest_fact(graph: Graph, tenant: str) -> str:
    """Return the id of the fact that Alice lives in Shanghai, where she moved from Beijing."""
    await say(graph, tenant, "我住在北京。", day=0)
    await say(graph, tenant, "我搬到了上海。", day=1)
    return str((await edges(graph, TenantId(tenant)))["上海"]["id"])


def test_history_and_recall_as_of_on_the_command_line(
    newest_fact: str, server: Server, tenant: str, tmp_path: Path
) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOGRAPH_TENANT": tenant})
    told = home.run("facts", "history", newest_fact, "--json")
    assert [one["object"] for one in told.document()["versions"]] == ["北京", "上海"]
    assert "another took its place" in home.run("facts", "history", newest_fact).out
    asked = ("recall", "北京 上海", "--user", "alice", "--valid-at", NOON.isoformat(), "--json")
    back = home.run(*asked, "--kind", "fact")
    assert [hit["object"] for hit in back.document()["hits"]] == ["北京"]
    wrong = home.run(*asked, "--kind", "facts")
    assert (wrong.code, "message, scene, fact" in wrong.err) == (2, True)
