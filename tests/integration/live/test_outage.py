"""Test what viewers see while the database is unavailable."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from tests.support.graph_writer import Edge, GraphWriter
from tests.support.live_service import LiveViewer, serving
from tests.support.neo4j_server import start_test_server
from tests.support.tcp_proxy import tcp_proxy

LIMITS = LiveLimits(poll_s=0.1)


async def until_status(viewer: LiveViewer, db: str) -> dict[str, Any]:
    """Receive frames until the service reports the database as up, or down."""
    while (frame := await viewer.take())["t"] != "status" or frame["db"] != db:
        pass
    return frame


async def test_outage_and_recovery_are_reported_to_viewers(server: Any, graph: Graph, tenant: str) -> None:
    writer = GraphWriter(graph, tenant)
    await writer.put(nodes={"ann": "User", "coffee": "Entity"}, edges=[Edge("ann", "PREFERS", "coffee")])
    async with tcp_proxy(urlsplit(server.uri).port or 0) as cable:
        far = await connect(
            uri=f"bolt://127.0.0.1:{cable.port}", user=server.user, password=server.password, database=None
        )
        async with serving(far, LIMITS) as service, service.viewer(tenant) as viewer:
            snapshot = await viewer.take()
            await cable.cut()
            status = await until_status(viewer, "down")
            assert (status["serving"], status["as_of"] >= snapshot["as_of"]) == ("last snapshot", True)
            async with httpx.AsyncClient(base_url=service.http, timeout=60) as client:
                answer = await client.get("/api/evidence/ann", headers={"Mnemoscene-Tenant": tenant})
                assert (answer.status_code, answer.json()["error"]["code"]) == (503, "UNAVAILABLE")
                await last_map_is_served_to_its_tenant_only(client, tenant, snapshot)
            async with service.viewer(tenant) as newcomer:
                assert (newcomer.hello_ack["db"], newcomer.hello_ack["users"]) == ("down", [])
                assert (await newcomer.take())["t"] == "status"
                stale = await newcomer.take()
                assert (stale["t"], stale["stale"], stale["as_of"]) == ("graph_snapshot", True, snapshot["as_of"])
                seq = await writer.put(nodes={"tea": "Entity"})
                await cable.mend(urlsplit(server.uri).port or 0)
                assert (await until_status(newcomer, "up"))["serving"] == "live"
                await newcomer.until(seq)
            frames = await viewer.until(seq)
            assert [frame["t"] for frame in frames] == ["status", "graph_patch"]
            assert sorted(viewer.shown.nodes) == ["ann", "coffee", "tea"]
        await far.close()


async def last_map_is_served_to_its_tenant_only(
    client: httpx.AsyncClient, tenant: str, snapshot: dict[str, Any]
) -> None:
    """The map of one user is filtered from that of all users; other tenants get nothing."""
    path, ours = "/api/snapshot", {"Mnemoscene-Tenant": tenant}
    last = (await client.get(path, headers=ours)).json()
    assert (last["stale"], last["as_of"], last["seq"]) == (True, snapshot["as_of"], snapshot["seq"])
    of_user = (await client.get(path, headers=ours, params={"user": "u1", "budget": 50})).json()
    assert [node["id"] for node in of_user["nodes"]] == [node["id"] for node in last["nodes"]]
    of_nobody = (await client.get(path, headers=ours, params={"user": "u2"})).json()
    assert (of_nobody["nodes"], of_nobody["edges"]) == ([], [])
    foreign = await client.get(path, headers={"Mnemoscene-Tenant": f"{tenant}-other"})
    assert foreign.status_code == 503


@pytest.mark.slow
async def test_viewers_stay_connected_over_a_restart_of_the_database(tenant: str, tmp_path: Path) -> None:
    server = await start_test_server(tmp_path)
    async with tcp_proxy(urlsplit(server.uri).port or 0) as cable:
        graph = await connect(
            uri=f"bolt://127.0.0.1:{cable.port}", user=server.user, password=server.password, database=None
        )
        writer = GraphWriter(graph, tenant)
        await writer.put(nodes={"ann": "User"})
        async with serving(graph, LIMITS) as service, service.viewer(tenant) as viewer:
            await viewer.take()
            await server.stop()
            await until_status(viewer, "down")
            await cable.cut()
            server = await start_test_server(tmp_path)
            await cable.mend(urlsplit(server.uri).port or 0)
            await until_status(viewer, "up")
            seq = await writer.put(nodes={"tea": "Entity"})
            frames = await viewer.until(seq)
            assert {frame["t"] for frame in frames} == {"graph_patch"}
            assert sorted(viewer.shown.nodes) == ["ann", "tea"]
        await graph.close()
    await server.stop()
