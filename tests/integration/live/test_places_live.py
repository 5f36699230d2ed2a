"""Test positions that viewers store: all viewers get them, they are no change of the memory, and go with their node."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from graph_service.auth.access import Role
from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.mindmap.reader import MindMap
from schema.entity import an_entity
from schema.frames import PLACES_MAX, VIEWS, View
from schema.ids import TenantId, UserId
from tests.conftest import Server
from tests.integration.live.test_outage import until_status
from tests.integration.memory.forgetting.test_forgetting import ENGLISH, store_lines
from tests.support.builders import a_memory, a_worker
from tests.support.graph_hash import graph_rows
from tests.support.graph_writer import GraphWriter
from tests.support.live_service import LiveViewer, serving
from tests.support.open_service import open_service
from tests.support.tcp_proxy import tcp_proxy

QUICK = LiveLimits(poll_s=0.05)


async def placed(viewer: LiveViewer, view: View = "map") -> dict[str, Any]:
    """Return the next frame of positions, with those of a view by node."""
    while (frame := await viewer.take())["t"] != "places":
        pass
    return {**frame, "places": dict(frame["places"].get(view, []))}


@pytest.mark.parametrize("view", ["map", "graph"])
async def test_position_reaches_all_viewers_also_of_other_processes_and_is_no_change(
    graph: Graph, tenant: str, view: View
) -> None:
    await GraphWriter(graph, tenant).put(nodes={"ann": "User", "tea": "Entity"})
    before = await ChangeLog(graph).head(tenant)
    async with serving(graph, QUICK) as service, serving(graph, QUICK) as other_process:
        async with service.viewer(tenant) as one, other_process.viewer(tenant) as other:
            for viewer in (one, other):
                assert (viewer.hello_ack["may_place"], (await viewer.take())["t"]) == (True, "graph_snapshot")
            places = [["tea", [120, -33, 1]], ["ann", [0, 0, 0, 7, 1.5]], ["unknown", [1, 2, 0]]]
            await one.say(t="place", view=view, places=places)
            for viewer in (one, other):
                frame = await placed(viewer, view)
                assert (frame["user"], frame["whole"]) == (None, False)
                assert frame["places"] == {"tea": [120, -33, 1], "ann": [0, 0, 0, 7, 1.5]}
            # What another viewer placed first stays, and what was dragged moves.
            await other.say(t="place", view=view, keep=True, places=[["tea", [9, 9, 0]]])
            await other.say(t="place", view=view, places=[["tea", [5, 6, 0]]])
            moved = await placed(one, view)
            assert moved["places"] == {"tea": [5, 6, 0]}
        async with service.viewer(tenant) as late:
            first = await late.take()
            assert (first["t"], first["whole"]) == ("places", True), "positions come before the nodes that stand there"
            assert {name: dict(rows) for name, rows in first["places"].items()} == {
                view: {"tea": [5, 6, 0], "ann": [0, 0, 0, 7, 1.5]}
            }
            assert (await late.take())["t"] == "graph_snapshot"
        resume = {"epoch": before.epoch, "seq": before.seq, "places": moved["seq"] - 1}
        async with service.viewer(tenant, resume=resume) as again:
            assert (await placed(again, view))["places"] == {"tea": [5, 6, 0]}
    after = await ChangeLog(graph).head(tenant)
    assert (after.epoch, after.seq, after.places) == (before.epoch, before.seq, 2)


@pytest.mark.parametrize("view", VIEWS)
async def test_each_view_of_each_user_has_positions_of_its_own(graph: Graph, tenant: str, view: View) -> None:
    await GraphWriter(graph, tenant).put(nodes={"ann": "User", "tea": "Entity"})
    mindmap = MindMap(graph)
    assert await mindmap.put_places(tenant, "u1", {"tea": [1, 2, 0]}, view=view) == 1
    assert await mindmap.put_places(tenant, None, {"tea": [3, 4, 0]}, view=view) == 1
    assert await mindmap.put_places(tenant, "u2", {"tea": [5, 6, 0]}, view=view) == 0, "not in the view of this user"
    assert await mindmap.places(tenant, "u1") == {view: {"tea": [1, 2, 0]}}
    assert await mindmap.places(tenant, None) == {view: {"tea": [3, 4, 0]}}
    assert await mindmap.places(tenant, "u2") == await mindmap.places(f"{tenant}-other", None) == {}
    async with serving(graph, QUICK) as service, service.viewer(tenant, scope={"user": "u1"}) as viewer:
        assert (await placed(viewer, view))["places"] == {"tea": [1, 2, 0]}
        await viewer.say(t="scope", user=None)
        assert (await placed(viewer, view))["places"] == {"tea": [3, 4, 0]}


async def test_position_of_a_forgotten_thing_is_gone_everywhere(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_lines(graph, tenant, ENGLISH[:3])
    anna = str(an_entity(here, UserId("alice"), "Anna").id)
    async with serving(graph, QUICK) as service, service.viewer(tenant) as viewer:
        await viewer.take()
        for view in VIEWS:
            await viewer.say(t="place", view=view, places=[[node, [77_123, 1, 0]] for node in viewer.shown.nodes])
            assert anna in (await placed(viewer, view))["places"]
        async with service.viewer(tenant) as late:
            assert set((await late.take())["places"]) == set(VIEWS)
        await memory.forgetting.entity(here, anna)
        await a_worker(graph).drain()
        service.hub.forget(tenant)
        await viewer.until((await ChangeLog(graph).head(tenant)).seq)
        assert service.hub.snapshot_cache.places(tenant, None) == {}
        async with service.viewer(tenant) as late:
            assert anna not in str((await late.take())["places"])
        await memory.forgetting.user(here, "alice")
        await a_worker(graph).drain()
    assert "77123" not in str(await graph_rows(graph, tenant))


@pytest.mark.parametrize(
    "bad",
    [
        {"places": [["tea", [1, 2]]]},
        {"places": [["tea", [1, 2, float("nan")]]]},
        {"places": [["tea", [1e9, 2, 0]]]},
        {"places": [["tea", [0.0] * 129]]},
        {"places": [["t" * 201, [1, 2, 0]]]},
        {"places": [["tea", [1, 2, 0]]] * (PLACES_MAX + 1)},
        {"user": "u" * 201, "places": []},
        {"view": "globe", "places": []},
    ],
    ids=["two numbers", "not a number", "far away", "too many numbers", "long id", "too many", "long user", "view"],
)
async def test_invalid_position_is_refused_and_nothing_stored(graph: Graph, tenant: str, bad: dict[str, Any]) -> None:
    await GraphWriter(graph, tenant).put(nodes={"tea": "Entity"})
    async with serving(graph, QUICK) as service, service.viewer(tenant) as viewer:
        await viewer.say(t="place", **bad)
        code, frames = await viewer.closed()
        assert (code, frames[-1]["code"]) == (4400, "BAD_FRAME")
    assert await MindMap(graph).places(tenant, None) == {}


async def test_last_positions_are_sent_while_the_database_is_away(server: Any, graph: Graph, tenant: str) -> None:
    await GraphWriter(graph, tenant).put(nodes={"tea": "Entity"})
    await MindMap(graph).put_places(tenant, None, {"tea": [1, 2, 0]})
    async with tcp_proxy(urlsplit(server.uri).port or 0) as cable:
        far = await connect(
            uri=f"bolt://127.0.0.1:{cable.port}", user=server.user, password=server.password, database=None
        )
        async with serving(far, LiveLimits(poll_s=0.1)) as service, service.viewer(tenant) as viewer:
            assert (await placed(viewer))["places"] == {"tea": [1, 2, 0]}
            await viewer.take()
            await viewer.say(t="place", places=[["tea", [5, 6, 0]]])
            assert (await placed(viewer))["places"] == {"tea": [5, 6, 0]}
            await cable.cut()
            await until_status(viewer, "down")
            # Dropped: the viewer sends it again.
            await viewer.say(t="place", places=[["tea", [7, 8, 0]]])
            async with service.viewer(tenant) as newcomer:
                assert (await placed(newcomer))["places"] == {"tea": [5, 6, 0]}
                assert (await newcomer.take())["stale"]
        await far.close()
    assert await MindMap(graph).places(tenant, None) == {"map": {"tea": [5, 6, 0]}}


async def test_key_that_only_reads_moves_nothing(server: Server, graph: Graph, tmp_path: Path) -> None:
    tenant = f"reads{uuid4().hex[:8]}"
    await GraphWriter(graph, tenant).put(nodes={"tea": "Entity"})
    async with open_service(server, tmp_path) as service:
        for role, may, view in ((Role.WRITE, True, "map"), (Role.READ, False, "map"), (Role.READ, False, "graph")):
            key = await service.key(tenant, role)
            async with service.socket() as socket:
                viewer = LiveViewer(socket)
                await viewer.say(t="hello", v=1, client="c", token=key.text, scope={"tenant": tenant})
                assert (await viewer.next())["may_place"] is may
                await viewer.say(t="place", view=view, places=[["tea", [1, 2, 0] if may else [3, 4, 0]]])
                if may:
                    assert (await placed(viewer))["places"] == {"tea": [1, 2, 0]}
                else:
                    code, frames = await viewer.closed()
                    assert (code, frames[-1]["code"]) == (4403, "FORBIDDEN")
    assert await MindMap(graph).places(tenant, None) == {"map": {"tea": [1, 2, 0]}}
