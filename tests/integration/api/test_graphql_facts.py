"""Test explaining and reopening a closed fact, over GraphQL and on the command line."""

from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.memory.facts.test_conflict_resolution import edges, open_now, say
from tests.support.builders import a_memory, a_worker
from tests.support.cli_process import Home

_FACT = "query ($id: String!) { fact(id: $id) { statement invalidAt closing { reason text factId } } }"
_REOPEN = 'mutation ($id: String!) { reopenFact(id: $id, reason: "both") { id invalidAt closing { reason } } }'


_REMEMBER = """mutation ($input: RememberInput!) { remember(input: $input) {
  closes { id statement } conflicts { id statement factIndex } notes dropped } }"""


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


async def hand_in(graph: Graph, tenant: str, day: int, relation: str, obj: str, **more: Any) -> dict[str, Any]:
    """Store a message with one fact about the user over GraphQL, and digest it."""
    fact = {"subject": "user", "predicate": "RELATES_TO", "relation": relation, "object": obj}
    given = {
        "userId": "alice",
        "sessionId": f"day-{day}",
        "messages": [{"role": "USER", "text": f"Note {day}.", "time": f"2026-03-{day:02}T12:00:00Z"}],
        "facts": [fact | {"statement": f"Alice, {relation}: {obj}."} | more],
    }
    answer = await run_operation(graph, tenant, _REMEMBER, input=given)
    assert answer.errors is None
    await a_worker(graph).drain()
    told: dict[str, Any] = answer.data["remember"]
    return told


# Facts as a careless agent words them: a value, and how the newer one is said; and values that must stay.
_ENGLISH = (
    (("current home", "Porto"), ("is based in", "Lisbon")),
    (("phone", "555-0134"), ("new phone number", "555-0199")),
    (("medication", "levothyroxine 75"), ("takes medication", "levothyroxine 100")),
    (("employer", "Deloitte"), ("works_at", "Siemens")),
)
_CHINESE = (
    (("家在", "杭州"), ("搬家到", "苏州")),
    (("手机", "13900001111"), ("新手机号", "18800005678")),
    (("公司", "华为"), ("跳槽到", "小米")),
)
_BYSTANDERS = (("friend", "Tom"), ("allergic to", "nuts"), ("speaks", "Dutch"), ("养", "猫"), ("朋友", "张三"))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait longer for the comparison with known facts than a caller would, because the machine may be slow."""
    monkeypatch.setattr("graph_service.memory.consolidation.provided_outcome._WAIT_MAX_S", 120.0)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("careless", [_ENGLISH, _CHINESE], ids=["en", "zh"])
async def test_careless_wordings_close_the_former_value_and_no_bystander(
    graph: Graph, tenant: str, careless: tuple[tuple[tuple[str, str], tuple[str, str]], ...]
) -> None:
    for day, (relation, obj) in enumerate([*_BYSTANDERS, *(former for former, _ in careless)], start=1):
        assert (await hand_in(graph, tenant, day, relation, obj))["closes"] == []
    for day, ((_, former), (relation, obj)) in enumerate(careless, start=13):
        told = await hand_in(graph, tenant, day, relation, obj)
        assert [former in one["statement"] for one in told["closes"]] == [True], relation
    stay = {obj for _, obj in _BYSTANDERS} | {obj for _, (_, obj) in careless}
    assert await open_now(graph, tenant) == stay


@pytest.mark.usefixtures("patient")
async def test_replaced_facts_conflicts_and_notes_are_answered_over_graphql(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, 1, "fish supplier", "Moosa")
    doubtful = await hand_in(graph, tenant, 2, "fish supplier", "Riyaad")
    [conflict] = doubtful["conflicts"]
    assert (conflict["factIndex"], conflict["statement"]) == (0, "Alice, fish supplier: Moosa.")
    by_id = await hand_in(graph, tenant, 3, "fish supplier", "Riyaad", replaces=[conflict["id"]])
    assert [one["id"] for one in by_id["closes"]] == [conflict["id"]]
    by_words = await hand_in(graph, tenant, 4, "fish supplier", "Yusuf", replaces=["Alice, fish supplier: Riyaad."])
    assert [one["statement"] for one in by_words["closes"]] == ["Alice, fish supplier: Riyaad."]
    unknown = await hand_in(graph, tenant, 5, "fish supplier", "Yusuf", replaces=["Alice, fish supplier: Nobody."])
    assert unknown["closes"] == []
    assert "facts[0].replaces[0] matches no known fact" in unknown["notes"][0]
    assert await open_now(graph, tenant) == {"Yusuf"}


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
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    assert "another took its place: " in home.run("facts", "show", closed_fact).out
    reopened = home.run("facts", "reopen", closed_fact, "--json")
    assert reopened.document()["closing"] is None
    assert home.run("facts", "show", closed_fact, "--tenant", f"{tenant}-other").code == 3
