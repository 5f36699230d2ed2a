"""Test viewers over a real socket, server and database."""

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio

from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from tests.support.graph_writer import Edge, GraphWriter
from tests.support.live_service import LiveViewer, Service, serving

# Short where a test waits for a timeout; the log is polled rarely, so that prompt changes were notified.
QUICK = LiveLimits(poll_s=30.0)


@pytest_asyncio.fixture(loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[Service]:
    async with serving(graph, QUICK) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def writer(graph: Graph, tenant: str) -> GraphWriter:
    return GraphWriter(graph, tenant)


async def store_preference(writer: GraphWriter) -> int:
    """Store a user who likes coffee."""
    return await writer.put(
        nodes={"ann": "User", "coffee": "Entity"}, edges=[Edge("ann", "PREFERS", "coffee", strength=0.4)]
    )


async def test_hello_is_followed_by_a_snapshot_and_patches_in_order(service: Service, writer: GraphWriter) -> None:
    seq = await store_preference(writer)
    async with service.viewer(writer.tenant) as viewer:
        hello = viewer.hello_ack
        assert (hello["t"], hello["v"], hello["head"], hello["db"]) == ("hello_ack", 1, seq, "up")
        assert hello["users"] == [{"user_id": "u1", "label": "ann"}]
        assert hello["kinds"] == ["User", "Agent", "Entity", "Scene"]
        assert "PREFERS" in hello["predicates"]
        snapshot = await viewer.take()
        assert (snapshot["t"], snapshot["epoch"], snapshot["seq"]) == ("graph_snapshot", hello["epoch"], seq)
        assert snapshot["shown"] == snapshot["total"] == {"nodes": 2, "edges": 1}
        assert list(viewer.shown.visible_edges()) == ["ann-PREFERS-coffee"]
        for number in range(5):
            seq = await writer.put(nodes={f"tea{number}": "Entity"}, edges=[Edge("ann", "PREFERS", f"tea{number}")])
            service.hub.notify(writer.tenant)
            await viewer.until(seq)
        seq = await writer.drop(node="tea0")
        service.hub.notify(writer.tenant)
        await viewer.until(seq)
        assert sorted(viewer.shown.nodes) == ["ann", "coffee", "tea1", "tea2", "tea3", "tea4"]
        assert len(viewer.shown.visible_edges()) == 5


async def test_viewer_sees_commits_of_another_process(graph: Graph, writer: GraphWriter) -> None:
    await store_preference(writer)
    async with serving(graph, LiveLimits(poll_s=0.05)) as service, service.viewer(writer.tenant) as viewer:
        await viewer.take()
        seq = await writer.put(nodes={"tea": "Entity"})
        [patch] = await viewer.until(seq)
        assert patch["ops"][0][1]["id"] == "tea"


async def test_empty_tenant_fills_while_it_is_watched(service: Service, writer: GraphWriter) -> None:
    async with service.viewer(writer.tenant) as viewer:
        assert (viewer.hello_ack["epoch"], viewer.hello_ack["head"]) == ("", 0)
        empty = await viewer.take()
        assert (empty["nodes"], empty["edges"]) == ([], [])
        seq = await store_preference(writer)
        service.hub.notify(writer.tenant)
        await viewer.until(seq)
        assert sorted(viewer.shown.nodes) == ["ann", "coffee"]


async def test_resume_needs_no_snapshot_even_after_all_viewers_left(service: Service, writer: GraphWriter) -> None:
    seq = await store_preference(writer)
    async with service.viewer(writer.tenant) as viewer:
        snapshot = await viewer.take()
    for number in range(30):
        seq = await writer.put(nodes={f"tea{number % 3}": "Entity"}, last_seen_note=number)
    resume = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
    async with service.viewer(writer.tenant, resume=resume) as again:
        again.shown = viewer.shown
        frames = await again.until(seq)
        assert [(frame["t"], frame["from"], frame["to"]) for frame in frames] == [("graph_patch", snapshot["seq"], seq)]
        assert len(frames[0]["ops"]) == 3, "thirty changes of three nodes come as three operations"


async def test_unknown_epoch_or_sequence_number_gets_a_snapshot(service: Service, writer: GraphWriter) -> None:
    seq = await store_preference(writer)
    async with service.viewer(writer.tenant, resume={"epoch": "another life", "seq": 1}) as viewer:
        assert (await viewer.take())["t"] == "graph_snapshot"
        epoch = viewer.hello_ack["epoch"]
    async with service.viewer(writer.tenant, resume={"epoch": epoch, "seq": seq + 100}) as viewer:
        assert (await viewer.take())["t"] == "graph_snapshot"


async def test_viewer_behind_the_ring_gets_a_snapshot(graph: Graph, writer: GraphWriter) -> None:
    await store_preference(writer)
    async with serving(graph, LiveLimits(poll_s=30.0, ring_changes=4)) as service:
        async with service.viewer(writer.tenant) as viewer:
            first = await viewer.take()
        for number in range(6):
            seq = await writer.put(nodes={f"tea{number}": "Entity"})
        resume = {"epoch": first["epoch"], "seq": first["seq"]}
        async with service.viewer(writer.tenant, resume=resume) as viewer:
            frame = await viewer.take()
            assert (frame["t"], frame["seq"]) == ("graph_snapshot", seq)


async def test_new_epoch_or_truncated_log_gets_a_snapshot(service: Service, writer: GraphWriter) -> None:
    await store_preference(writer)
    async with service.viewer(writer.tenant) as viewer:
        first = await viewer.take()
        await writer.begin_epoch()
        service.hub.notify(writer.tenant)
        second = await viewer.take()
        assert (second["t"], second["seq"]) == ("graph_snapshot", first["seq"])
        assert second["epoch"] != first["epoch"]
        await writer.put(nodes={"tea": "Entity"})
        seq = await writer.put(nodes={"milk": "Entity"})
        await writer.truncate_log(seq - 1)
        service.hub.notify(writer.tenant)
        third = await viewer.take()
        assert (third["t"], third["seq"]) == ("graph_snapshot", seq)


async def test_resync_request_gets_a_snapshot(service: Service, writer: GraphWriter) -> None:
    await store_preference(writer)
    async with service.viewer(writer.tenant) as viewer:
        await viewer.take(ack=False)
        await viewer.say(t="resync", reason="gap")
        assert (await viewer.take())["t"] == "graph_snapshot"


async def test_slow_viewer_has_three_unacknowledged_frames_and_then_one_coalesced(
    service: Service, writer: GraphWriter
) -> None:
    seq = await store_preference(writer)
    async with service.viewer(writer.tenant) as slow, service.viewer(writer.tenant) as quick:
        await slow.take(ack=False)
        await quick.take()
        arrived = 1
        for number in range(12):
            seq = await writer.put(nodes={f"tea{number % 4}": "Entity"})
            service.hub.notify(writer.tenant)
            await quick.until(seq)
            if arrived < 3:
                await slow.take(ack=False)
                arrived += 1
        await slow.say(t="ack", seq=slow.shown.seq)
        frame = await slow.take()
        assert (frame["t"], frame["changes"], len(frame["ops"])) == ("graph_patch", 10, 4)
        assert frame["to"] == slow.shown.seq == seq
        assert slow.shown.nodes == quick.shown.nodes


async def test_viewer_that_never_acknowledges_is_closed(graph: Graph, writer: GraphWriter) -> None:
    await store_preference(writer)
    async with serving(graph, LiveLimits(ack_s=0.2)) as service, service.viewer(writer.tenant) as viewer:
        code, frames = await viewer.closed()
        assert code == 4408
        assert [frame["t"] for frame in frames] == ["graph_snapshot", "error"]


async def test_viewer_scoped_to_one_user_sees_only_that_user(service: Service, writer: GraphWriter) -> None:
    await store_preference(writer)
    await writer.put(user="u2", nodes={"bob": "User", "jazz": "Entity"}, edges=[Edge("bob", "PREFERS", "jazz")])
    async with service.viewer(writer.tenant, scope={"user": "u2"}) as viewer:
        snapshot = await viewer.take()
        assert sorted(viewer.shown.nodes) == ["bob", "jazz"]
        assert snapshot["total"] == {"nodes": 2, "edges": 1}
        await writer.put(nodes={"tea": "Entity"})
        seq = await writer.put(user="u2", nodes={"blues": "Entity"})
        service.hub.notify(writer.tenant)
        frames = await viewer.until(seq)
        assert [what["id"] for frame in frames for _, what in frame["ops"]] == ["blues"]
        await viewer.say(t="scope", user="u1", budget=100)
        assert (await viewer.take())["t"] == "graph_snapshot"
        assert sorted(viewer.shown.nodes) == ["ann", "coffee", "tea"]


async def test_bookmarks_advance_the_resume_point_of_an_idle_viewer(graph: Graph, writer: GraphWriter) -> None:
    await store_preference(writer)
    limits = LiveLimits(poll_s=0.05, heartbeat_s=0.3)
    async with serving(graph, limits) as service, service.viewer(writer.tenant, scope={"user": "u2"}) as viewer:
        await viewer.take()
        seq = await writer.put(nodes={"tea": "Entity"})
        frames = await viewer.until(seq)
        assert {frame["t"] for frame in frames} == {"bookmark"}
        seq = await writer.put(user="u2", nodes={"jazz": "Entity"})
        assert [frame["t"] for frame in await viewer.until(seq) if frame["t"] != "bookmark"] == ["graph_patch"]


async def test_two_tenants_see_only_their_own_changes(service: Service, graph: Graph, writer: GraphWriter) -> None:
    other = GraphWriter(graph, f"{writer.tenant}-other")
    await store_preference(writer)
    # The same ids on purpose; even if ids of two tenants were equal, nothing may leak.
    await other.put(nodes={"ann": "User", "secret": "Entity"}, edges=[Edge("ann", "DISLIKES", "secret")])
    async with service.viewer(writer.tenant) as mine, service.viewer(other.tenant) as theirs:
        await mine.take()
        await theirs.take()
        assert sorted(mine.shown.nodes) == ["ann", "coffee"]
        assert sorted(theirs.shown.nodes) == ["ann", "secret"]
        seq_mine = await writer.put(nodes={"tea": "Entity"})
        seq_theirs = await other.put(nodes={"hidden": "Entity"})
        for tenant in (writer.tenant, other.tenant):
            service.hub.notify(tenant)
        ops = [op for frame in await mine.until(seq_mine) for op in frame["ops"]]
        assert [what["id"] for _, what in ops] == ["tea"]
        ops = [op for frame in await theirs.until(seq_theirs) for op in frame["ops"]]
        assert [what["id"] for _, what in ops] == ["hidden"]


async def test_viewer_equals_a_later_snapshot_after_concurrent_writes(service: Service, writer: GraphWriter) -> None:
    """A snapshot taken under writes, plus later patches, equals a snapshot taken afterwards."""
    await store_preference(writer)

    async def write(who: int) -> None:
        for number in range(8):
            node = f"n{who}-{number % 3}"
            await writer.put(nodes={node: "Entity"}, edges=[Edge("ann", "CARES_ABOUT", node, strength=number / 10)])
            if number % 4 == 3:
                await writer.drop(node=node)
            service.hub.notify(writer.tenant)

    writers = asyncio.gather(*(write(who) for who in range(4)))
    async with service.viewer(writer.tenant) as viewer:
        await viewer.take()
        await writers
        service.hub.notify(writer.tenant)
        seq = await writer.put(nodes={"end": "Entity"})
        service.hub.notify(writer.tenant)
        await viewer.until(seq)
        async with service.viewer(writer.tenant) as later:
            await later.take()
            assert later.shown.nodes == viewer.shown.nodes
            assert later.shown.visible_edges() == viewer.shown.visible_edges()


async def test_stopping_service_closes_its_viewers(graph: Graph, writer: GraphWriter) -> None:
    await store_preference(writer)
    async with serving(graph, QUICK) as service:
        connection = await service.connect()
        viewer = LiveViewer(connection)
        await viewer.say(t="hello", v=1, client="c-test", scope={"tenant": writer.tenant})
        assert [(await viewer.next())["t"] for _ in range(2)] == ["hello_ack", "graph_snapshot"]
    assert (await viewer.closed())[0] == 1012
    assert service.hub.viewers == 0
