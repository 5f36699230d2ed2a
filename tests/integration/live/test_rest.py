"""Test the viewer's REST routes: cached snapshots, evidence, tenant isolation."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from schema.predicates import whitelist
from tests.support.graph_writer import NOON, Edge, GraphWriter
from tests.support.live_service import Service, serving


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(graph: Graph) -> AsyncIterator[Service]:
    async with serving(graph, LiveLimits()) as running:
        yield running


@pytest.fixture
def writer(graph: Graph, tenant: str) -> GraphWriter:
    return GraphWriter(graph, tenant)


async def get(service: Service, path: str, tenant: str | bytes | None, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=service.http, timeout=30) as client:
        named: dict[str, Any] = {} if tenant is None else {"Mnemoscene-Tenant": tenant}
        return await client.get(path, headers={**named, **headers})


async def a_map_with_evidence(writer: GraphWriter) -> None:
    """Two scenes with messages, a strong and a weak fact, and an ended one."""
    await writer.put(
        nodes={"breakfast": "Scene", "walk": "Scene"}, abstract="短的", overview="longer", start_ms=0, importance=6
    )
    await writer.put(nodes={"ann": "User", "coffee": "Entity", "rain": "Entity", "paris": "Entity"}, aliases=["x"])
    await writer.say("breakfast", {"m1": "I love coffee", "m2": "every morning"})
    await writer.say("walk", {"m3": "我不喜欢下雨"})
    await writer.put(
        edges=[
            Edge(
                "ann",
                "PREFERS",
                "coffee",
                strength=0.9,
                evidence=["m2", "m1"],
                scenes=["breakfast"],
                quotes=["m1:2:13"],
                trigger_emotion="joy",
            ),
            Edge("ann", "DISLIKES", "rain", strength=0.3, evidence=["m3"], scenes=["walk"]),
            Edge("ann", "RELATES_TO", "paris", strength=0.95, relation="lives in", invalid_at=NOON + timedelta(days=1)),
            Edge("breakfast", "MENTIONED", "coffee", evidence=["m1"]),
            Edge("walk", "MENTIONED", "rain", evidence=["m3"]),
        ]
    )


async def test_rest_snapshot_equals_the_frame_of_the_socket(service: Service, writer: GraphWriter) -> None:
    await a_map_with_evidence(writer)
    answer = await get(service, "/api/snapshot", writer.tenant)
    async with service.viewer(writer.tenant) as viewer:
        frame = await viewer.take()
    assert answer.status_code == 200
    assert {**answer.json(), "as_of": ""} == {**frame, "as_of": ""}
    assert answer.headers["etag"] == f'"{frame["epoch"]}-{frame["seq"]}"'


async def test_unchanged_snapshot_is_not_sent_again(service: Service, writer: GraphWriter) -> None:
    await a_map_with_evidence(writer)
    etag = (await get(service, "/api/snapshot", writer.tenant)).headers["etag"]
    again = await get(service, "/api/snapshot", writer.tenant, **{"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    await writer.put(nodes={"tea": "Entity"})
    later = await get(service, "/api/snapshot", writer.tenant, **{"If-None-Match": etag})
    assert later.status_code == 200


async def test_budget_keeps_users_then_the_strongest_facts(service: Service, writer: GraphWriter) -> None:
    await a_map_with_evidence(writer)
    small = (await get(service, "/api/snapshot?budget=3", writer.tenant)).json()
    assert [node["id"] for node in small["nodes"]] == ["ann", "coffee"]
    assert [edge["id"] for edge in small["edges"]] == ["ann-PREFERS-coffee"]
    assert small["shown"] == {"nodes": 2, "edges": 1}
    assert small["total"] == {"nodes": 6, "edges": 5}
    five = (await get(service, "/api/snapshot?budget=5", writer.tenant)).json()
    assert [edge["id"] for edge in five["edges"]] == ["ann-PREFERS-coffee", "ann-DISLIKES-rain"]
    seven = (await get(service, "/api/snapshot?budget=7&user=u1", writer.tenant)).json()
    assert seven["edges"][2]["invalid_at"] == "2026-03-02T12:00:00Z", "closed facts come after those that hold"
    nobody = (await get(service, "/api/snapshot?user=nobody", writer.tenant)).json()
    assert (nobody["nodes"], nobody["total"]) == ([], {"nodes": 0, "edges": 0})


async def test_fact_is_returned_with_its_evidence_messages(service: Service, writer: GraphWriter) -> None:
    await a_map_with_evidence(writer)
    found = (await get(service, "/api/evidence/ann-PREFERS-coffee", writer.tenant)).json()
    assert (found["kind"], found["predicate"], found["strength"]) == ("fact", "PREFERS", 0.9)
    assert found["subject"] == {"id": "ann", "label": "ann", "kind": "User"}
    assert found["object"] == {"id": "coffee", "label": "coffee", "kind": "Entity"}
    assert (found["trigger_emotion"], found["reader"], found["recorded_at"]) == ("joy", "rules", "2026-03-01T12:00:00Z")
    first, second = found["evidence"]
    assert first == {
        "message_id": "m1",
        "uri": f"memory://{writer.tenant}/m1",
        "speaker": "Ann",
        "role": "user",
        "said_at": "2026-03-01T12:00:00Z",
        "text": "I love coffee",
        "quote_start": 2,
        "quote_end": 13,
        "scene_id": "breakfast",
        "scene_label": "breakfast",
        "tags": [],
    }
    assert (second["message_id"], second["quote_start"]) == ("m2", None)


async def test_node_is_returned_with_its_facts_and_their_messages(service: Service, writer: GraphWriter) -> None:
    await a_map_with_evidence(writer)
    user = (await get(service, "/api/evidence/ann", writer.tenant)).json()
    assert (user["kind"], user["label"], user["aliases"]) == ("User", "ann", ["x"])
    assert [fact["predicate"] for fact in user["facts"]] == ["RELATES_TO", "PREFERS", "DISLIKES"]
    assert (user["facts"][0]["relation"], user["facts"][0]["object_label"]) == ("lives in", "paris")
    assert [line["message_id"] for line in user["evidence"]] == ["m1", "m3", "m2"], "by time, not by fact"
    await writer.put(nodes={"umbrella": "Entity"}, edges=[Edge("walk", "MENTIONED", "umbrella", evidence=["m3"])])
    mentioned = (await get(service, "/api/evidence/umbrella", writer.tenant)).json()
    assert (mentioned["facts"], [line["message_id"] for line in mentioned["evidence"]]) == ([], ["m3"])
    scene = (await get(service, "/api/evidence/walk", writer.tenant)).json()
    assert (scene["kind"], scene["abstract"], scene["overview"]) == ("Scene", "短的", "longer")
    assert [fact["id"] for fact in scene["facts"]] == ["ann-DISLIKES-rain"]
    assert [line["text"] for line in scene["evidence"]] == ["我不喜欢下雨"]


@pytest.mark.parametrize("predicate", sorted(whitelist()))
async def test_fact_of_every_predicate_is_found(service: Service, writer: GraphWriter, predicate: str) -> None:
    await writer.put(nodes={"a": "Entity", "b": "Entity"}, edges=[Edge("a", predicate, "b")])
    found = await get(service, f"/api/evidence/a-{predicate}-b", writer.tenant)
    assert found.json()["predicate"] == predicate


async def test_elements_of_another_tenant_answer_as_unknown(service: Service, writer: GraphWriter) -> None:
    await a_map_with_evidence(writer)
    for element in ("ann", "ann-PREFERS-coffee", "breakfast"):
        foreign = await get(service, f"/api/evidence/{element}", f"{writer.tenant}-other")
        assert foreign.status_code == 404
        error = foreign.json()["error"]
        assert error["code"] == "NOT_FOUND"
        unknown = await get(service, "/api/evidence/nothing-at-all", writer.tenant)
        assert error["message"].replace(element, "…") == unknown.json()["error"]["message"].replace(
            "nothing-at-all", "…"
        )
    foreign = await get(service, "/api/snapshot", f"{writer.tenant}-other")
    assert (foreign.json()["nodes"], foreign.json()["epoch"], foreign.json()["seq"]) == ([], "", 0)


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "a/b", b"\xff\xfe"])
async def test_invalid_tenant_name_is_refused(service: Service, name: str | bytes) -> None:
    answer = await get(service, "/api/snapshot", name)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "BAD_INPUT")


async def test_tenant_names_of_every_script_are_accepted(service: Service, tenant: str, graph: Graph) -> None:
    name = f"咖啡.{tenant}_हिन्दी"
    await GraphWriter(graph, name).put(nodes={"ann": "User"})
    as_utf8 = await get(service, "/api/snapshot", name.encode())
    assert [node["id"] for node in as_utf8.json()["nodes"]] == ["ann"]


async def test_invalid_parameters_and_paths_return_structured_errors(service: Service, tenant: str) -> None:
    answer = await get(service, "/api/snapshot?budget=0", tenant)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "BAD_INPUT")
    assert "budget" in answer.json()["error"]["message"]
    answer = await get(service, "/api/nothing", tenant)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


MAP_STATEMENTS = (
    "change_log/head",
    "change_log/changes_since",
    "mindmap/community_links",
    "mindmap/community_nodes",
    "lookup/fact_by_id",
    "mindmap/facts_of_node",
    "mindmap/facts_of_scene",
    "mindmap/map_facts",
    "mindmap/map_facts_of_people",
    "mindmap/map_leading_nodes",
    "mindmap/map_mentions",
    "mindmap/map_nodes",
    "mindmap/map_nodes_by_id",
    "mindmap/map_size",
    "mindmap/map_total",
    "lookup/messages_by_id",
    "mindmap/messages_of_scene",
    "lookup/node_by_id",
    "mindmap/subgraph",
    "lookup/users_of_tenant",
)


@pytest.mark.parametrize("name", MAP_STATEMENTS)
async def test_map_statements_scan_nothing(server: Any, graph: Graph, name: str) -> None:
    """Every read starts with an index that contains the tenant."""
    from neo4j import GraphDatabase

    text = statement(name).text
    parameters = {"tenant": "t", "id": "i", "ids": ["i"], "users": ["u"], "scenes": ["s"], "seq": 1, "rows_max": 5}
    parameters |= {"valid_at": None, "known_at": None, "closed": True}
    with GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        plan = driver.execute_query(f"EXPLAIN {text}", parameters).summary.plan
    assert plan is not None
    operators = _operators(plan)
    assert not [operator for operator in operators if "Scan" in operator and "IndexScan" not in operator], operators
    assert any("IndexSeek" in operator for operator in operators), operators


def _operators(plan: dict[str, Any]) -> list[str]:
    found, waiting = [], [plan]
    while waiting:
        step = waiting.pop()
        found.append(str(step["operatorType"]))
        waiting.extend(step.get("children", []))
    return found
