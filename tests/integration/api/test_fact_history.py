"""Test the history of a fact and queries as of a time, over GraphQL and on the command line."""

from pathlib import Path

import pytest
import pytest_asyncio

from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.api.test_graphql_facts import run_operation
from tests.integration.memory.facts.test_conflict_resolution import edges, say
from tests.support.builders import NOON, a_worker
from tests.support.cli_process import Home

_HISTORY = (
    "query ($id: String!) { factHistory(id: $id) "
    "{ statement object validAt invalidAt knownAt closingKnownAt evidence closing { reason text factId } } }"
)
_REMEMBER = "mutation ($input: RememberInput!) { remember(input: $input) { messageIds } }"
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


_UPDATE = (
    "mutation ($id: String!, $statement: String, $object: String) "
    "{ updateFact(id: $id, statement: $statement, object: $object) { factId replacedId } }"
)
_ASK = (
    'query ($q: String!) { recall(userId: "alice", query: $q) { hits { id kind text overtakenBy } } '
    'profile(userId: "alice") { items { statement } } }'
)


@pytest.mark.parametrize(
    ("told", "statement", "obj", "read", "query"),
    [
        ("I live in Rennes.", "I live in Angers.", None, "Angers", "Where do I live?"),
        ("I live in Rennes.", "I live in Angers.", "Angers", "Angers", "Where do I live?"),
        ("My locker code at the gym is 4411.", "Alice's locker code is 4477.", None, "4477", "What is my locker code?"),
        ("我住在雷恩。", "我住在昂热。", None, "昂热", "我住在哪里？"),
    ],
)
async def test_updated_fact_outranks_the_message_that_it_corrects(
    graph: Graph, tenant: str, told: str, statement: str, obj: str | None, read: str, query: str
) -> None:
    await say(graph, tenant, told, day=0)
    ((old, edge),) = (await edges(graph, tenant)).items()
    given = {"id": edge["id"], "statement": statement, "object": obj}
    updated = await run_operation(graph, tenant, _UPDATE, **given)
    await a_worker(graph).drain()
    found = await edges(graph, tenant)
    assert updated.errors is None
    assert (found[read].get("invalid_at"), found[read]["statement"]) == (None, statement)
    assert (found[old]["closing_reason"], found[old]["closed_by"]) == ("rejected", found[read]["id"])
    answer = (await run_operation(graph, tenant, _ASK, q=query)).data
    hits = answer["recall"]["hits"]
    assert read in hits[0]["text"]
    assert {one["overtakenBy"] for one in hits if one["text"] == told} == {found[read]["id"]}
    assert [item["statement"] for part in answer["profile"] for item in part["items"]] == [statement]
    history = (await run_operation(graph, tenant, _HISTORY, id=found[read]["id"])).data["factHistory"]
    assert {one["statement"]: (one["closing"] or {}).get("factId") for one in history} == {
        edge["statement"]: found[read]["id"],
        statement: None,
    }


@pytest.mark.parametrize(
    ("obj", "unsure", "sure", "corrected"),
    [
        ("Lisbon", "Alice may live in Lisbon.", "Alice lives in Lisbon.", "Alice lives in central Lisbon."),
        ("里斯本", "爱丽丝可能住在里斯本。", "爱丽丝住在里斯本。", "爱丽丝住在里斯本市中心。"),
    ],
)
async def test_history_tells_former_statements_until_their_message_is_forgotten(
    graph: Graph, tenant: str, obj: str, unsure: str, sure: str, corrected: str
) -> None:
    messages = []
    for day, (statement, confidence) in enumerate(((unsure, 0.6), (sure, 0.95), (f"{unsure[:-1]}!", 0.5)), 1):
        fact = {"subject": "user", "predicate": "RELATES_TO", "relation": "lives in", "object": obj}
        given = {
            "userId": "alice",
            "sessionId": f"day-{day}",
            "messages": [{"role": "USER", "text": f"Note {day}.", "time": f"2026-03-{day:02}T12:00:00Z"}],
            "facts": [fact | {"statement": statement, "confidence": confidence}],
        }
        told = await run_operation(graph, tenant, _REMEMBER, input=given)
        messages += told.data["remember"]["messageIds"]
        await a_worker(graph).drain()
    fact_id = (await edges(graph, tenant))[obj]["id"]

    async def history(of: str = tenant) -> list[tuple[str, bool]]:
        answer = await run_operation(graph, of, _HISTORY, id=fact_id)
        versions = answer.data["factHistory"] if answer.data else []
        return [(one["statement"], (one["closing"] or {}).get("factId") == fact_id) for one in versions]

    assert await history() == [(unsure, True), (sure, False)]
    assert await history(f"{tenant}-other") == []
    updated = await run_operation(graph, tenant, _UPDATE, id=fact_id, statement=corrected)
    assert updated.errors is None
    await a_worker(graph).drain()
    assert {statement for statement, _ in await history()} >= {unsure, sure, corrected}
    await run_operation(graph, tenant, f'mutation {{ forgetMessage(id: "{messages[0]}") {{ messages }} }}')
    await a_worker(graph).drain()
    assert unsure not in str(await history())
    assert unsure not in str(await edges(graph, tenant))


async def test_second_update_keeps_the_first_message_overtaken(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Rennes.", day=0)
    for city, old in (("Angers", "Rennes"), ("Nantes", "Angers")):
        await run_operation(
            graph, tenant, _UPDATE, id=(await edges(graph, tenant))[old]["id"], statement=f"I live in {city}."
        )
        await a_worker(graph).drain()
    found = await edges(graph, tenant)
    assert [found[city].get("closed_by") for city in ("Rennes", "Angers", "Nantes")] == [
        found["Angers"]["id"],
        found["Nantes"]["id"],
        None,
    ]
    hits = (await run_operation(graph, tenant, _ASK, q="Where do I live?")).data["recall"]["hits"]
    assert "Nantes" in hits[0]["text"]


@pytest_asyncio.fixture(loop_scope="session")
async def newest_fact(graph: Graph, tenant: str) -> str:
    """Return the id of the fact that Alice lives in Shanghai, where she moved from Beijing."""
    await say(graph, tenant, "我住在北京。", day=0)
    await say(graph, tenant, "我搬到了上海。", day=1)
    return str((await edges(graph, TenantId(tenant)))["上海"]["id"])


def test_history_and_recall_as_of_on_the_command_line(
    newest_fact: str, server: Server, tenant: str, tmp_path: Path
) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    told = home.run("facts", "history", newest_fact, "--json")
    assert [one["object"] for one in told.document()["versions"]] == ["北京", "上海"]
    assert "another took its place" in home.run("facts", "history", newest_fact).out
    asked = ("recall", "北京 上海", "--user", "alice", "--valid-at", NOON.isoformat(), "--json")
    back = home.run(*asked, "--kind", "fact")
    assert [hit["object"] for hit in back.document()["hits"]] == ["北京"]
    wrong = home.run(*asked, "--kind", "facts")
    assert (wrong.code, "message, scene, fact" in wrong.err) == (2, True)
