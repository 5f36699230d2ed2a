"""Test the REST routes for exploring: neighbourhood, paths, search, recent changes, communities."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from graph_service.memory.mindmap import community_cache, reader
from graph_service.memory.mindmap.community_cache import CommunityMaps
from graph_service.memory.mindmap.reader import Explorer, MindMap
from graph_service.supervision import Supervisor
from schema.errors import TooCostlyError, UnavailableError
from schema.ids import TenantId, scope_token
from tests.support.builders import a_memory as a_memory_service
from tests.support.builders import a_worker, an_incoming
from tests.support.child_processes import computing_children
from tests.support.graph_writer import NOON, Edge, GraphWriter
from tests.support.live_service import Service, serving


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(graph: Graph) -> AsyncIterator[Service]:
    async with serving(graph, LiveLimits()) as running:
        yield running


@pytest.fixture
def writer(graph: Graph, tenant: str) -> GraphWriter:
    return GraphWriter(graph, tenant)


async def ask(service: Service, tenant: str, path: str, **asked: Any) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=f"{service.http}/api/explore/", timeout=30) as client:
        answer = await client.get(path, params=asked or None, headers={"Mnemoscene-Tenant": tenant})
    return {"status": answer.status_code, **answer.json()}


def ids(part: dict[str, Any]) -> list[str]:
    return [node["id"] for node in part["nodes"]]


async def a_memory(writer: GraphWriter, user: str = "u1", before: str = "") -> None:
    """Ann likes tea and hates rain; tea is grown in Fujian; a scene mentions rain and Fujian."""
    b, scope = before, scope_token(TenantId(writer.tenant), user)
    await writer.put(user=user, nodes={f"{b}ann": "User"})
    things = {f"{b}tea": "Entity", f"{b}福建茶山": "Entity", f"{b}rain": "Entity", f"{b}loner": "Entity"}
    await writer.put(user=user, nodes=things, scope_user=scope, aliases=["Camellia sinensis"])
    await writer.put(user=user, nodes={f"{b}walk": "Scene"}, scope_user=scope)
    await writer.put(
        user=user,
        edges=[
            Edge(f"{b}ann", "PREFERS", f"{b}tea", strength=0.9),
            Edge(f"{b}ann", "DISLIKES", f"{b}rain", strength=0.4, invalid_at=NOON + timedelta(days=1)),
            Edge(f"{b}tea", "RELATES_TO", f"{b}福建茶山", relation="grown in", known_at=NOON),
            Edge(f"{b}walk", "MENTIONED", f"{b}rain"),
            Edge(f"{b}walk", "MENTIONED", f"{b}福建茶山"),
        ],
    )


async def test_neighbourhood_has_the_strongest_neighbours_and_links_between_them(
    service: Service, writer: GraphWriter
) -> None:
    await a_memory(writer)
    whole = await ask(service, writer.tenant, "around/ann")
    assert ids(whole) == ["ann", "tea", "rain"], "what holds stands before what is over"
    assert whole["total"] == 2
    assert {edge["category"] for edge in whole["edges"]} == {"preferences"}
    few = await ask(service, writer.tenant, "around/ann", limit=1)
    assert (ids(few), few["total"]) == (["ann", "tea"], 2)
    scene = await ask(service, writer.tenant, "around/walk")
    assert sorted(ids(scene)) == sorted(["walk", "rain", "福建茶山"])


async def test_paths_over_entities_precede_paths_over_people(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    found = await ask(service, writer.tenant, "path", source="tea", target="rain")
    assert found["paths"] == [["tea", "福建茶山", "walk", "rain"], ["tea", "ann", "rain"]]
    assert {edge["id"] for edge in found["edges"]} >= {"tea-RELATES_TO-福建茶山", "ann-PREFERS-tea"}
    nowhere = await ask(service, writer.tenant, "path", source="tea", target="loner")
    assert (nowhere["paths"], nowhere["nodes"]) == ([], [])


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("te", ["tea"]),
        ("ＴＥＡ", ["tea"]),
        ("茶", ["福建茶山"]),
        ("茶山", ["福建茶山"]),
        ("ann", ["ann"]),
        ("wal", ["walk"]),
        ("sinen", ["loner", "rain", "tea", "福建茶山"]),
        ("xyzzy", []),
        ("   ", []),
    ],
)
async def test_search_finds_names_by_prefix_and_chinese_substring(
    service: Service, graph: Graph, tenant: str, typed: str, found: list[str]
) -> None:
    writer = GraphWriter(graph, "t-explore-names")
    if not await graph.read(statement("lookup/node_by_id"), {"tenant": writer.tenant, "id": "tea"}):
        await a_memory(writer)
        await graph.define(statement("schema/await_indexes"), {})
    part = await ask(service, writer.tenant, "search", q=typed)
    assert sorted(ids(part)) == found


async def test_search_finds_messages_by_their_words_until_they_are_forgotten(
    service: Service, graph: Graph, tenant: str
) -> None:
    told = ("The weather was fine. We rode the carousel twice.", "我们在动物园看了长颈鹿。", "I repaired my bazooka.")
    memory = a_memory_service(graph)
    await memory.remember(TenantId(tenant), an_incoming(*told))
    await graph.define(statement("schema/await_indexes"), {})

    async def said(q: str, *, of: str = tenant, **more: Any) -> list[dict[str, Any]]:
        return list((await ask(service, of, "search", q=q, **more))["said"])

    (hit,) = await said("carousel")
    assert (hit["text"], hit["user_id"], hit["role"]) == ("We rode the carousel twice.", "alice", "user")
    assert hit["scene_id"] is None, "it is not read"
    await a_worker(graph).drain()
    (hit,) = await said("Carous")
    assert (await ask(service, tenant, f"around/{hit['scene_id']}"))["status"] == 200
    assert [one["text"] for one in await said("动物园")] == ["我们在动物园看了长颈鹿。"]
    assert [await said(q) for q in ("zooka", "carousel asdfgh", "+-&&")] == [[], [], []]
    assert await said("carousel", user="bob") == await said("carousel", of=f"{tenant}-other") == []
    await memory.forgetting.message(TenantId(tenant), hit["id"])
    assert await said("carousel") == []


async def test_recent_changes_are_newest_first_with_labels(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    await writer.drop(edge="ann-PREFERS-tea")
    first = await ask(service, writer.tenant, "changes", limit=2)
    assert [(line["op"], line["element_id"]) for line in first["changes"]] == [
        ("edge-", "ann-PREFERS-tea"),
        ("edge+", "walk-MENTIONED-福建茶山"),
    ]
    assert first["more"]
    assert first["labels"]["walk"] == "walk"
    older = await ask(service, writer.tenant, "changes", before=first["changes"][-1]["seq"], limit=50)
    assert older["changes"][0]["element_id"] == "walk-MENTIONED-rain"
    assert not older["more"]
    later = await ask(service, writer.tenant, "changes", since=(NOON + timedelta(hours=1)).isoformat())
    assert later["changes"] == []
    assert (await ask(service, writer.tenant, "changes", since="2026-03-01T12:00:00"))["status"] == 400


async def test_recent_changes_name_the_newest_scene_of_each_fact(service: Service, writer: GraphWriter) -> None:
    tea, rain = (
        Edge("ann", "PREFERS", "tea", scenes=["rainy", "walk"]),
        Edge("ann", "DISLIKES", "rain", scenes=["rainy"]),
    )
    act = Edge("ann", "CARES_ABOUT", "tea", scenes=["act", "walk"])
    await writer.put(nodes={"ann": "User", "tea": "Entity", "rain": "Entity"})
    await writer.put(nodes={"rainy": "Scene"}, last_seen=NOON - timedelta(days=1))
    await writer.put(nodes={"walk": "Scene"})
    uri = f"memory://{writer.tenant}/session/u1/by-hand%3AADD%3A1/scene/0"
    await writer.put(nodes={"act": "Scene"}, last_seen=NOON + timedelta(days=1), uri=uri)
    # One commit: its time says nothing of the conversations.
    await writer.put(edges=[tea, rain, act, Edge("walk", "MENTIONED", "tea")])
    found = await ask(service, writer.tenant, "changes")
    scenes = {line["element_id"]: line["scene"] for line in found["changes"]}
    assert (scenes[tea.id], scenes[rain.id], scenes[act.id]) == ("walk", "rainy", None)
    assert (scenes["tea"], scenes["rain"], scenes["walk"]) == ("walk", None, None)
    assert (found["labels"]["walk"], found["labels"]["rainy"]) == ("walk", "rainy")


async def test_totals_count_what_is_there_whatever_was_loaded(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    likes = [f"thing{n}" for n in range(4)]
    await writer.put(user="u2", nodes={"bob": "User"} | dict.fromkeys(likes, "Entity"))
    await writer.put(user="u2", edges=[Edge("bob", "PREFERS", one) for one in likes])
    found = await ask(service, writer.tenant, "totals")
    assert found["nodes"] == {"u1": {"User": 1, "Entity": 4, "Scene": 1}, "u2": {"User": 1, "Entity": 4}}
    # Ann's dislike has ended.
    alike = {
        (one["subject"], one["predicate"], one["category"], one["kind"], one["relation"]): one["n"]
        for one in found["facts"]
    }
    assert alike == {
        ("ann", "PREFERS", "preferences", "Entity", None): 1,
        ("bob", "PREFERS", "preferences", "Entity", None): 4,
        ("", "RELATES_TO", None, None, None): 1,
    }
    assert (found["past"], found["unsure"]) == (1, 0)
    told = [("nuts", "She is Allergic to nuts."), ("noise", "She hates noise.")]
    await writer.put(user="u3", nodes={"cy": "User"} | {name: "Entity" for name, _ in told})
    await writer.put(user="u3", edges=[Edge("cy", "DISLIKES", name, statement=text) for name, text in told])
    disliked = (await ask(service, writer.tenant, "totals", user="u3"))["facts"]
    assert {(one["predicate"], one["avoided"]): one["n"] for one in disliked} == {
        ("DISLIKES", True): 1,
        ("DISLIKES", False): 1,
    }
    alone = await ask(service, writer.tenant, "totals", user="u2")
    assert (alone["nodes"], [one["n"] for one in alone["facts"]]) == ({"u2": {"User": 1, "Entity": 4}}, [4])
    never = Edge("bob", "PREFERS", "thing0", id="never", slot=1, uri="memory://test/never", invalid_at=NOON)
    await writer.put(
        user="u2",
        edges=[
            Edge("bob", "PREFERS", "thing1", id="doubtful", slot=1, uri="memory://test/doubtful", confidence=0.4),
            never,
        ],
    )
    doubtful = await ask(service, writer.tenant, "totals", user="u2")
    assert (doubtful["past"], doubtful["unsure"], sum(one["n"] for one in doubtful["facts"])) == (0, 1, 5)
    empty = await ask(service, f"{writer.tenant}-other", "totals")
    assert (empty["nodes"], empty["facts"], empty["past"], empty["unsure"]) == ({}, [], 0, 0)


async def test_map_as_of_a_time_has_facts_begun_and_known_by_then(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    later = NOON + timedelta(days=2)
    await writer.put(nodes={"snow": "Entity"}, edges=[Edge("ann", "PREFERS", "snow", valid_at=later, known_at=later)])
    facts = {"ann-PREFERS-tea", "ann-DISLIKES-rain", "tea-RELATES_TO-福建茶山"}
    then = await ask(service, writer.tenant, "at", valid_at=(NOON + timedelta(hours=1)).isoformat())
    assert {edge["id"] for edge in then["edges"]} == facts
    assert (await ask(service, writer.tenant, "at", valid_at=(NOON - timedelta(hours=1)).isoformat()))["edges"] == []
    unheard = await ask(service, writer.tenant, "at", valid_at=later.isoformat(), as_of=NOON.isoformat())
    assert {edge["id"] for edge in unheard["edges"]} == facts
    now = await ask(service, writer.tenant, "at", limit=2)
    assert next(edge["id"] for edge in now["edges"]) == "ann-PREFERS-tea"
    assert (await ask(service, writer.tenant, "at", as_of="2026-03-01"))["status"] == 400


async def test_community_opens_with_its_links_and_unknown_one_is_refused(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    found = await ask(service, writer.tenant, "communities")
    assert [node["id"] for node in found["users"]] == ["ann"]
    assert sum(each["members"]["nodes"] for each in found["communities"]) == 5
    opened = await ask(service, writer.tenant, f"community/{found['community_of']['rain']}")
    assert "rain" in ids(opened)
    assert opened["total"] == len(opened["nodes"])
    assert (await ask(service, writer.tenant, "community/nothing"))["status"] == 404


def community_maps(graph: Graph) -> CommunityMaps:
    return CommunityMaps(graph=graph, explorer=Explorer(graph), supervisor=Supervisor())


async def test_communities_are_cached_until_the_memory_changes_and_time_passes(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_memory(writer)
    reads = [0]

    def count(read: Statement) -> None:
        reads[0] += read.name == "mindmap/community_links"

    maps, tenant = community_maps(graph), TenantId(writer.tenant)
    graph.observer = count
    try:
        both = await asyncio.gather(maps.community_map(tenant, None), maps.community_map(tenant, None))
        assert (reads[0], both[0].seq) == (1, both[1].seq), "who asks at the same time shares the work"
        await writer.put(nodes={"new": "Entity"})
        assert (await maps.community_map(tenant, None)).seq == both[0].seq
        monkeypatch.setattr(community_cache, "_FRESH_S", -1.0)
        assert (await maps.community_map(tenant, None)).seq == both[0].seq, "the old ones, while new ones are found"
        while (await maps.community_map(tenant, None)).seq == both[0].seq:
            pass
        assert reads[0] == 2
        maps.forget(tenant)
        await maps.community_map(tenant, None)
        assert reads[0] == 3, "what was forgotten must not be served from before"
    finally:
        graph.observer = None


async def test_communities_computed_in_a_process_equal_those_of_a_thread(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_memory(writer)
    tenant = TenantId(writer.tenant)
    in_thread = await community_maps(graph).community_map(tenant, None)
    monkeypatch.setattr(community_cache, "_LARGE_NODES", 0)
    assert await community_maps(graph).community_map(tenant, None) == in_thread
    assert await until_no_process_is_left()


async def test_community_process_ends_with_the_service_and_not_with_its_caller(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_memory(writer)
    monkeypatch.setattr(community_cache, "_LARGE_NODES", 0)
    tenant, maps = TenantId(writer.tenant), community_maps(graph)
    both = [asyncio.create_task(maps.community_map(tenant, None)) for _ in range(2)]
    await until_a_process_is_there()
    both[0].cancel()
    assert (await both[1]).total, "the other one still waited"
    maps.forget(tenant)
    waiting = asyncio.create_task(maps.community_map(tenant, None))
    await until_a_process_is_there()
    await maps.close()
    with pytest.raises(UnavailableError, match="stopped"):
        await waiting
    assert await until_no_process_is_left()


async def until_a_process_is_there() -> None:
    async with asyncio.timeout(30):
        while not computing_children():  # noqa: ASYNC110  a thread starts it
            await asyncio.sleep(0.005)


async def until_no_process_is_left() -> bool:
    async with asyncio.timeout(30):
        while computing_children():  # noqa: ASYNC110  another process does it
            await asyncio.sleep(0.01)
    return True


async def test_communities_of_too_large_a_memory_are_refused(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_memory(writer)
    tenant, read = TenantId(writer.tenant), []
    graph.observer = lambda one: read.append(one.name)
    try:
        for nodes_max, links_max in ((5, 5), (6, 4)):
            monkeypatch.setattr(community_cache, "_NODES_MAX", nodes_max)
            monkeypatch.setattr(community_cache, "_LINKS_MAX", links_max)
            with pytest.raises(TooCostlyError, match="request one user"):
                await community_maps(graph).community_map(tenant, None)
        assert "mindmap/community_nodes" not in read, "nothing of it is read"
        monkeypatch.setattr(community_cache, "_LINKS_MAX", 5)
        await community_maps(graph).community_map(tenant, None)
    finally:
        graph.observer = None


async def test_communities_are_read_again_only_after_deletions_of_the_same_tenant(
    graph: Graph, writer: GraphWriter
) -> None:
    await a_memory(writer)
    tenant, maps = TenantId(writer.tenant), community_maps(graph)
    forgotten, reads = ["somebody else"] * 9, [0]

    def forget(read: Statement) -> None:
        if read.name == "mindmap/community_links":
            reads[0] += 1
            maps.forget(forgotten.pop())

    graph.observer = forget
    try:
        await maps.community_map(tenant, None)
        assert reads[0] == 1, "what others forget changes nothing here"
        maps.forget(tenant)
        forgotten += [tenant]
        await maps.community_map(tenant, None)
        assert reads[0] == 3, "what was read before a forgetting is read again"
        maps.forget(tenant)
        forgotten += [tenant] * 9
        with pytest.raises(UnavailableError, match="was forgotten while"):
            await maps.community_map(tenant, None)
        assert reads[0] == 6
    finally:
        graph.observer = None


async def test_one_tenant_cannot_use_all_slots_for_large_memories(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_memory(writer)
    monkeypatch.setattr(community_cache, "_LARGE_NODES", -1)
    tenant, maps = TenantId(writer.tenant), community_maps(graph)
    asked = [maps.community_map(tenant, user) for user in ("u1", "u2", "u3")]
    answers = await asyncio.gather(
        *asked, maps.community_map(TenantId(f"{tenant}-other"), "u1"), return_exceptions=True
    )
    assert [type(answer) for answer in answers].count(UnavailableError) == 1
    assert not isinstance(answers[3], BaseException)


async def test_snapshot_of_a_large_memory_has_facts_of_people_and_the_newest_scenes(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_memory(writer)
    for large_from, held in ((300, True), (3, False)):
        monkeypatch.setattr(reader, "_LARGE_NODES", large_from)
        snapshot = await MindMap(graph).snapshot(writer.tenant, user_id=None, budget=50)
        edges = {edge.id for edge in snapshot.edges}
        assert {"ann-PREFERS-tea", "ann-DISLIKES-rain", "walk-MENTIONED-rain"} <= edges
        assert ("tea-RELATES_TO-福建茶山" in edges) is held
        assert (snapshot.total.nodes, snapshot.total.edges) == (6, 5), "all are counted"
    other = await MindMap(graph).snapshot(f"{writer.tenant}-other", user_id=None, budget=50)
    assert other.nodes == []


async def test_snapshots_of_large_and_small_memories_rank_facts_alike(
    graph: Graph, writer: GraphWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    things = [f"thing{number}" for number in range(12)]
    await writer.put(nodes={"ann": "User", **dict.fromkeys(things, "Entity")})
    # Of two strengths only, so that `last_seen` decides; every third fact has ended.
    edges = [
        Edge(
            "ann",
            "PREFERS",
            thing,
            strength=(0.3, 0.8)[number % 2],
            last_seen=NOON + timedelta(days=number * 5 % 12),
            **({} if number % 3 else {"invalid_at": NOON}),
        )
        for number, thing in enumerate(things)
    ]
    await writer.put(edges=edges)
    for budget in (3, 4, 8, 20):
        small = await MindMap(graph).snapshot(writer.tenant, user_id=None, budget=budget)
        with monkeypatch.context() as patch:
            patch.setattr(reader, "_LARGE_NODES", 1)
            large = await MindMap(graph).snapshot(writer.tenant, user_id=None, budget=budget)
        assert [edge.id for edge in large.edges] == [edge.id for edge in small.edges] != []


async def test_in_session_relationship_is_not_counted_as_an_edge(graph: Graph, writer: GraphWriter) -> None:
    await a_memory(writer)
    text = "MATCH (s:Scene {tenant: $tenant}) CREATE (s)-[:IN_SESSION]->(:Session {tenant: $tenant, id: 'one'})"
    part = Statement(name="test/session", text=text, parameters=frozenset(), columns=(), hot=False)
    await graph.write(lambda writing: writing.run(part, {"tenant": writer.tenant}))
    snapshot = await MindMap(graph).snapshot(writer.tenant, user_id=None, budget=50)
    assert snapshot.total.edges == 5


async def test_causes_of_an_entity_and_of_a_fact_are_followed_to_the_end(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    await writer.put(nodes={"wet shoes": "Entity", "holes": "Entity"})
    await writer.put(edges=[Edge("rain", "CAUSED_BY", "wet shoes"), Edge("wet shoes", "CAUSED_BY", "holes")])
    whole = ["rain", "wet shoes", "holes"]
    for element in ("rain", "ann-DISLIKES-rain", "rain-CAUSED_BY-wet shoes"):
        found = await ask(service, writer.tenant, f"causes/{element}")
        assert found["paths"] == [whole], element
        assert [node["id"] for node in found["nodes"]] == whole
        assert len(found["edges"]) == 2
    assert (await ask(service, writer.tenant, "causes/tea"))["paths"] == []
    assert (await ask(service, writer.tenant, "causes/nothing"))["status"] == 404


@pytest.mark.parametrize(
    "path",
    [
        "around/ann",
        "path?source=tea&target=rain",
        "search?q=tea",
        "changes",
        "communities",
        "community/tea",
        "at",
        "causes/tea",
    ],
)
async def test_other_tenants_and_users_are_not_visible(service: Service, writer: GraphWriter, path: str) -> None:
    await a_memory(writer)
    await writer.put(user="u2", nodes={"bob": "User"})
    separator = "&" if "?" in path else "?"
    for tenant, user in ((f"{writer.tenant}-other", ""), (writer.tenant, f"{separator}user=u2")):
        answer = await ask(service, tenant, path + user)
        seen = str(answer)
        assert "Camellia" not in seen
        assert "walk" not in seen


async def test_scope_of_one_user_shows_only_that_user(service: Service, writer: GraphWriter) -> None:
    await a_memory(writer)
    await a_memory(writer, "u2", "b-")
    whole = await ask(service, writer.tenant, "communities")
    assert {each["user_id"] for each in whole["communities"]} == {"u1", "u2"}
    assert "b-tea" not in str(await ask(service, writer.tenant, "communities", user="u1"))
    assert "b-tea" in str(await ask(service, writer.tenant, "communities"))
    assert all(
        line["node"] is None or line["node"]["user_id"] == "u2"
        for line in (await ask(service, writer.tenant, "changes", user="u2"))["changes"]
    )
