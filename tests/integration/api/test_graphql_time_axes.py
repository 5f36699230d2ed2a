"""Test valid time and transaction time wherever GraphQL reads facts."""

from datetime import timedelta
from typing import Any

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.integration.api.test_graphql_graph import run_query
from tests.integration.memory.facts.test_bitemporal import MOVES, store_and_read
from tests.integration.memory.facts.test_conflict_resolution import edges
from tests.support.builders import NOON, a_memory
from tests.support.slow import slow_but

DAY = {name: (NOON + timedelta(days=day)).isoformat() for name, day in (("never", -1), ("between", 2), ("after", 9))}

# Every field that returns Alice's homes as of a time; `%s` is the time argument.
_INNER = "{ nodes { statement invalidAt object { name facts { nodes { statement } } } } }"
WAYS = {
    "user": 'query ($m: DateTime) { user(userId: "alice", %s: $m) { facts ' + _INNER + " } }",
    "node": "query ($node: ID!, $m: DateTime) { node(id: $node, %s: $m) { facts " + _INNER + " } }",
    "facts": 'query ($m: DateTime) { user(userId: "alice") { facts(%s: $m) ' + _INNER + " } }",
    "list": 'query ($m: DateTime) { facts(userId: "alice", %s: $m) { nodes { statement invalidAt } } }',
    "profile": 'query ($m: DateTime) { profile(userId: "alice", category: PERSONAL, %s: $m) { items { statement } } }',
}
_PART = "{ nodes { id name } edges { targetId predicate invalidAt } }"
SLICES = {
    "graph": 'query ($m: DateTime) { graph(userId: "alice", %s: $m, includeClosed: false) ' + _PART + " }",
    "neighbors": "query ($id: String!, $m: DateTime) { neighbors(id: $id, %s: $m, includeClosed: false) "
    + _PART
    + " }",
}
_FACT = """query ($id: String!, $v: DateTime, $k: DateTime) {
  fact(id: $id, validAt: $v, asOf: $k) { holds invalidAt closing { reason } } }"""
_HISTORY = "query ($id: String!, $k: DateTime) { factHistory(id: $id, asOf: $k) { object closing { reason } } }"
_PATH = """query ($a: String!, $b: String!, $v: DateTime, $c: Boolean!) {
  path(source: $a, target: $b, validAt: $v, includeClosed: $c) { paths } }"""


def facts_in(answer: Any) -> list[dict[str, Any]]:
    """Return the facts of a response, whichever field returned them."""
    (top,) = answer.values()
    if isinstance(top, list):
        return [item for part in top for item in part["items"]]
    nodes: list[dict[str, Any]] = top["nodes"] if "nodes" in top else top["facts"]["nodes"]
    return nodes


async def moved(graph: Graph, tenant: str, lang: str) -> dict[str, dict[str, Any]]:
    """Return the edges of Alice's homes by name, the first one she left first."""
    first, second, _, old, new = MOVES[lang]
    await store_and_read(graph, tenant, first, said=NOON, heard=NOON)
    await store_and_read(graph, tenant, second, said=NOON + timedelta(days=5), heard=NOON + timedelta(days=5))
    known = await edges(graph, tenant)
    return {home: known[home] for home in (old, new)}


@pytest.mark.parametrize("lang", slow_but(["zh"], ["en", "zh"]))
async def test_every_field_returns_facts_valid_or_known_at_the_time(graph: Graph, tenant: str, lang: str) -> None:
    homes = await moved(graph, tenant, lang)
    user = (await run_query(graph, tenant, '{ user(userId: "alice") { id } }'))["user"]["id"]
    for axis in ("validAt", "asOf"):
        for when, which in (("never", []), ("between", [0]), ("after", [1])):
            for name, query in WAYS.items():
                given = {"node": user} if "$node" in query else {}
                found = facts_in(await run_query(graph, tenant, query % axis, **given, m=DAY[when]))
                told = _about([edge["statement"] for edge in homes.values()], found, ends=axis == "validAt")
                assert told == which, (name, axis, when)
            for name, query in SLICES.items():
                given = {"id": user} if "$id" in query else {}
                part = (await run_query(graph, tenant, query % axis, **given, m=DAY[when]))[name]
                names = {node["id"]: node["name"] for node in part["nodes"]}
                lines = [edge for edge in part["edges"] if edge["predicate"] != "MENTIONED"]
                there = {names[edge["targetId"]] for edge in lines} & set(homes)
                assert there == {list(homes)[i] for i in which}, (name, axis, when)
                assert axis == "validAt" or all(edge["invalidAt"] is None for edge in lines)


def _about(words: list[str], found: list[dict[str, Any]], *, ends: bool) -> list[int]:
    """Return which of the statements were found; follow-up fields use the same time."""
    told = [fact for fact in found if fact["statement"] in words]
    for fact in told:
        assert ends or fact.get("invalidAt") is None, "nobody knew of the end then"
        if "object" in fact:
            there = {one["statement"] for one in fact["object"]["facts"]["nodes"]}
            assert there & set(words) == {fact["statement"]}
    return [words.index(fact["statement"]) for fact in told]


@pytest.mark.parametrize("lang", slow_but(["zh"], ["en", "zh"]))
async def test_single_fact_history_and_path_as_of_a_time(graph: Graph, tenant: str, lang: str) -> None:
    homes = await moved(graph, tenant, lang)
    left = next(iter(homes))
    old = homes[left]["id"]
    now = (await run_query(graph, tenant, _FACT, id=old))["fact"]
    assert (now["holds"], now["closing"]["reason"], now["invalidAt"] is None) == (False, "REPLACED", False)
    assert (await run_query(graph, tenant, _FACT, id=old, v=DAY["between"]))["fact"] == {**now, "holds": True}
    thought = (await run_query(graph, tenant, _FACT, id=old, k=DAY["between"]))["fact"]
    assert thought == {"holds": True, "invalidAt": None, "closing": None}
    for whose, given in ((tenant, {"k": DAY["never"]}), (f"{tenant}-other", {"k": DAY["after"]})):
        context = {"memory": a_memory(graph), "tenant": TenantId(whose)}
        answer = await graphql_schema.execute(_FACT, variable_values={"id": old, **given}, context_value=context)
        assert [error.extensions["code"] for error in answer.errors or () if error.extensions] == ["NOT_FOUND"]

    versions = {
        k: (await run_query(graph, tenant, _HISTORY, id=old, k=k))["factHistory"] for k in (None, *DAY.values())
    }
    assert [one["object"] for one in versions[None]] == list(homes)
    assert versions[DAY["after"]] == versions[None]
    assert versions[DAY["between"]] == [{"object": left, "closing": None}]
    assert versions[DAY["never"]] == []

    ends = '{ user(userId: "alice") { id facts(includeClosed: true) { nodes { object { id name } } } } }'
    user = (await run_query(graph, tenant, ends))["user"]
    home = next(one["object"]["id"] for one in user["facts"]["nodes"] if one["object"]["name"] == left)
    steps = {}
    for when, closed in (("between", False), ("after", False), ("after", True), ("never", True)):
        found = (await run_query(graph, tenant, _PATH, a=user["id"], b=home, v=DAY[when], c=closed))["path"]["paths"]
        steps[when, closed] = min((len(one) for one in found), default=0)
    assert steps["between", False] == steps["after", True] == 2
    assert steps["after", False] != 2, "the old home is no more tied to her directly"
    assert steps["never", True] == 0
