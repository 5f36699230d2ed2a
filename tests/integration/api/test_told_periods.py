"""Test facts told as past or with their end, and the times that hits name at each door. NOON is 1 March 2026."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.analyst_queries import Analyst, AnalystStatement
from tests.conftest import Server
from tests.integration.api.test_graphql_facts import run_operation
from tests.integration.memory.facts.test_conflict_resolution import say
from tests.support.builders import NOON, a_memory, a_worker
from tests.support.cli_process import Home
from tests.support.mcp_service import serving
from tests.support.readers import WITH_TAGS

_COOKBOOK = (Path(__file__).parents[3] / "docs" / "cookbook.md").read_text("utf-8")
_FACTS = """{ user(userId: "alice") {
  facts(includeClosed: true) { nodes { id relation validAt invalidAt object { name } } } } }"""
_ASKED = """query ($q: String!, $at: DateTime) {
  recall(userId: "alice", query: $q, kinds: [FACT], validAt: $at) { hits { text validAt invalidAt } }
  profile(userId: "alice") { items { statement } } }"""
_REMEMBER = "mutation ($input: RememberInput!) { remember(input: $input) { dropped } }"
_NOW = """{ stats(userId: "alice") { facts closedFacts }
  context(userId: "alice", query: "Where do I work?") { text } }"""
_HISTORY = "query ($id: String!) { factHistory(id: $id) { validAt invalidAt } fact(id: $id) { validAt holds } }"


async def home_or_job(graph: Graph, tenant: str, name: str) -> dict[str, Any]:
    nodes = (await run_operation(graph, tenant, _FACTS)).data["user"]["facts"]["nodes"]
    found: dict[str, Any] = next(
        one for one in nodes if one["object"]["name"] == name and one["relation"] in ("lives in", "works at")
    )
    return found


@pytest.mark.parametrize(
    ("text", "name", "question"),
    [
        ("I used to live in Lyon.", "Lyon", "Where did I live before?"),
        ("我以前住在里昂。", "里昂", "我以前住在哪里？"),
    ],
)
async def test_fact_told_as_past_has_no_begin_and_answers_questions_about_the_past(
    graph: Graph, tenant: str, text: str, name: str, question: str
) -> None:
    await say(graph, tenant, text, day=0, readers=WITH_TAGS if " live" in text else None)
    fact = await home_or_job(graph, tenant, name)
    assert fact["validAt"] is None
    assert datetime.fromisoformat(fact["invalidAt"]) == NOON
    told = (await run_operation(graph, tenant, _HISTORY, id=fact["id"])).data
    assert [(one["validAt"], one["invalidAt"]) for one in told["factHistory"]] == [(None, fact["invalidAt"])]
    assert told["fact"] == {"validAt": None, "holds": False}
    now = (await run_operation(graph, tenant, _ASKED, q=question)).data
    assert [(hit["validAt"], hit["invalidAt"]) for hit in now["recall"]["hits"]] == [(None, fact["invalidAt"])]
    assert [item for part in now["profile"] for item in part["items"]] == []
    years_ago = (NOON - timedelta(days=2000)).isoformat()
    then = (await run_operation(graph, tenant, _ASKED, q=question, at=years_ago)).data["recall"]["hits"]
    assert [name in hit["text"] for hit in then] == [True]


@pytest.mark.parametrize(
    ("before", "text", "name", "begin", "end"),
    [
        (None, "I'm leaving Acme at the end of the month.", "Acme", "2026-03-01", "2026-03-31"),
        ("I work at Acme.", "I'm leaving Acme at the end of the month.", "Acme", "2025-12-31", "2026-03-31"),
        (None, "I lived in Lyon from 2018 to 2021.", "Lyon", "2018-01-01", "2021-12-31"),
        ("I work at Acme.", "I quit Acme last month.", "Acme", "2025-12-31", "2026-02-01"),
        (None, "我2018年到2021年住在里昂。", "里昂", "2018-01-01", "2021-12-31"),
    ],
)
async def test_fact_ends_when_its_words_say(
    graph: Graph, tenant: str, before: str | None, text: str, name: str, begin: str, end: str
) -> None:
    if before:
        await say(graph, tenant, before, day=-60, readers=WITH_TAGS if " live" in text else None)
    await say(graph, tenant, text, day=0, readers=WITH_TAGS if " live" in text else None)
    fact = await home_or_job(graph, tenant, name)
    assert (fact["validAt"][:10], fact["invalidAt"][:10]) == (begin, end)


async def test_hits_name_the_times_they_are_about_and_the_zone_at_each_door(
    server: Server, graph: Graph, tenant: str, tmp_path: Path
) -> None:
    await say(
        graph, tenant, "On 3 March 2026 I had a tooth pulled in Graz. I work at Acme.", day=4, zone="Asia/Shanghai"
    )
    asked = "Where do I work, and what about the tooth on 3 March 2026?"
    query = """query ($q: String!, $kinds: [HitKind!]) {
      recall(userId: "alice", query: $q, limit: 20, evidence: 1, kinds: $kinds) {
        hits { id text zone validAt invalidAt mentionedStart mentionedEnd } } }"""
    shown: dict[str, Any] = {}
    async with serving(a_memory(graph)) as service, service.agent(tenant, user="alice") as agent:
        for kind in ("message", "scene", "fact"):
            hits = (await run_operation(graph, tenant, query, q=asked, kinds=[kind.upper()])).data["recall"]["hits"]
            shown[kind] = {hit["text"]: _times(*(hit[name] for name in ("zone", *_TIMES))) for hit in hits}
            # Fields without a value are left out.
            told = (await agent.call("recall", query=asked, limit=20, kinds=[kind]))["hits"]
            names = ("zone", *(_HUMP.sub(r"_\1", name).lower() for name in _TIMES))
            assert {hit["text"]: _times(*map(hit.get, names)) for hit in told} == shown[kind]
    zone = "Asia/Shanghai"
    day = _times(zone, None, None, "2026-03-02T16:00+00:00", "2026-03-03T16:00+00:00")
    assert [times for text, times in shown["message"].items() if "tooth" in text] == [day]
    assert day in shown["scene"].values()
    assert [one[:2] for text, one in shown["fact"].items() if "Acme" in text] == [(zone, NOON + timedelta(days=4))]
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    command = ("recall", asked, "--user", "alice", "--limit", "20", "--kind", "fact", "--json")
    found = (await asyncio.to_thread(home.run_process, *command)).document()["hits"]
    assert {hit["text"]: _times(*map(hit.get, names)) for hit in found} == shown["fact"]


_TIMES = ("validAt", "invalidAt", "mentionedStart", "mentionedEnd")
_HUMP = re.compile(r"([A-Z])")


def _times(zone: str | None, *times: str | None) -> tuple[Any, ...]:
    return (zone, *(None if one is None else datetime.fromisoformat(one) for one in times))


async def test_fact_whose_end_is_still_to_come_counts_as_valid(graph: Graph, tenant: str) -> None:
    now = datetime.now(UTC)
    for number, (name, days) in enumerate((("Acme", 30), ("Initech", -30))):
        end = (now + timedelta(days=days)).isoformat()
        fact = {"subject": "user", "predicate": "RELATES_TO", "relation": "consults", "object": name}
        given = {
            "userId": "alice",
            "sessionId": f"s{number}",
            "messages": [{"role": "USER", "text": f"I work for {name}.", "time": (now - timedelta(90)).isoformat()}],
            "facts": [fact | {"statement": f"Alice consults {name}.", "invalidAt": end, "confidence": 0.55}],
        }
        assert (await run_operation(graph, tenant, _REMEMBER, input=given)).errors is None
        await a_worker(graph).drain()
    answer = (await run_operation(graph, tenant, _NOW)).data
    about = [line for line in answer["context"]["text"].splitlines() if "consults Acme" in line]
    assert about
    assert all("until" in line and "no longer true" not in line for line in about)
    provided = {"tenant": tenant, "user_id": "alice", "rows_max": 100}
    asked = [row["object"] for row in await graph.read(statement("curation/review_facts"), provided)]
    assert ("Acme" in asked, "Initech" in asked) == (True, False)
    recipe = re.search(r"Currently valid facts.*?```cypher\n(.*?)```", _COOKBOOK, re.DOTALL)
    assert recipe is not None
    valid = AnalystStatement(statement=recipe[1], parameters={"tenant": tenant, "user": "alice"})
    listed = {row[2] for row in (await Analyst(graph).ask(valid)).rows}
    assert ("Acme" in listed, "Initech" in listed) == (True, False)
    assert answer["stats"]["facts"] == len(asked)
    assert answer["stats"]["closedFacts"] == 1
