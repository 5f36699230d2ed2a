"""Test that merges, splits and repeated mentions reach viewers: a snapshot plus patches equals the next snapshot."""

from collections.abc import Awaitable, Callable
from typing import Any

from graph_service.graph.store import Graph
from graph_service.memory.change_log.log import ChangeLog
from schema.ids import TenantId
from tests.integration.live.test_socket import QUICK
from tests.integration.memory.entity_resolution.test_merges import BOTH, an_id, merge, say
from tests.support.builders import a_memory
from tests.support.live_service import LiveViewer, Service, serving
from tests.support.reducer import ViewerState

# Two acquaintances; the second has the same facts as the first, one of them ended.
SAID = [
    *BOTH,
    ("Bob", "RELATES_TO", "Bobby", "brother"),
    ("Bob", "RELATES_TO", "Oslo", "lives in"),
    ("Bobby", "RELATES_TO", "Rome", "lives in"),
    ("小红", "RELATES_TO", "Bobby", "同事"),
    ("小红", "PREFERS", "茶", None),
    ("阿红", "DISLIKES", "茶", None),
]


def drawn(shown: ViewerState) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return nodes and visible edges as a viewer draws them, without differences and counts only in snapshots."""
    nodes = {name: {**node, "evidence_n": None} for name, node in shown.nodes.items()}
    edges = {
        name: {key: edge[key] for key in edge if key != "previous"} for name, edge in shown.visible_edges().items()
    }
    return nodes, edges


async def follows(service: Service, graph: Graph, tenant: str, viewer: LiveViewer) -> None:
    """Apply patches until the viewer is up to date, then compare with the snapshot of a new viewer."""
    service.hub.notify(tenant)
    frames = await viewer.until((await ChangeLog(graph).head(tenant)).seq)
    assert {frame["t"] for frame in frames} == {"graph_patch"}
    async with service.viewer(tenant) as fresh:
        await fresh.take()
        assert drawn(viewer.shown) == drawn(fresh.shown)


async def test_each_merge_and_split_arrives_as_patches(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await say(graph, tenant, *SAID, session="s1")
    acts: list[Callable[[], Awaitable[object]]] = [
        lambda: merge(memory, tenant, "Bob", "Bobby"),
        lambda: merge(memory, tenant, "小红", "阿红"),
        lambda: say(graph, tenant, ("Bobby", "PREFERS", "jazz", None), ("阿红", "PREFERS", "茶", None), session="s2"),
        lambda: merge(memory, tenant, "小红", "Bob"),
        lambda: memory.merges.split(here, an_id(tenant, "Bobby")),
        lambda: memory.merges.split(here, an_id(tenant, "阿红")),
        lambda: memory.merges.split(here, an_id(tenant, "Bob")),
    ]
    async with serving(graph, QUICK) as service, service.viewer(tenant) as viewer:
        await viewer.take()
        at_first = drawn(viewer.shown)
        for act in acts:
            await act()
            await follows(service, graph, tenant, viewer)
        assert set(at_first[0]) < set(drawn(viewer.shown)[0])


async def test_mention_repeated_by_a_second_message_arrives_as_a_patch(graph: Graph, tenant: str) -> None:
    told = ("Bob", "PREFERS", "tea", None)
    await say(graph, tenant, told, session="s1")
    async with serving(graph, QUICK) as service, service.viewer(tenant) as viewer:
        await viewer.take()
        before = drawn(viewer.shown)[1]
        await say(graph, tenant, told, told, session="s1")
        await follows(service, graph, tenant, viewer)
        after = drawn(viewer.shown)[1]
        mentions = {name for name, edge in before.items() if edge["predicate"] == "MENTIONED"}
        assert mentions, "the first message mentions things"
        assert all(before[name]["evidence_n"] < after[name]["evidence_n"] for name in mentions)
        assert all(before[name]["known_at"] == after[name]["known_at"] for name in mentions)


async def test_resuming_viewer_sees_the_original_graph_after_an_undone_merge(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await say(graph, tenant, *SAID, session="s1")
    async with serving(graph, QUICK) as service:
        async with service.viewer(tenant) as viewer:
            snapshot = await viewer.take()
        at_first = drawn(viewer.shown)
        made = await merge(memory, tenant, "Bob", "Bobby")
        await memory.merges.split(here, made)
        resume = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
        async with service.viewer(tenant, resume=resume) as again:
            again.shown = viewer.shown
            await follows(service, graph, tenant, again)
            assert drawn(again.shown) == at_first


async def test_viewers_of_another_tenant_get_no_frame_of_a_merge(graph: Graph, tenant: str) -> None:
    other = f"{tenant}-other"
    for name in (tenant, other):
        await say(graph, name, *BOTH, session="s1")
    head = await ChangeLog(graph).head(other)
    await merge(a_memory(graph), tenant, "Bob", "Bobby")
    assert await ChangeLog(graph).head(other) == head
