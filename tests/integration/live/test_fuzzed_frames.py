"""Test that any bytes on the socket end in one of the documented close codes."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from websockets.exceptions import ConnectionClosed

from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from tests.integration.live.hostile_frames import hostile_frames, random_hello
from tests.support.live_service import LiveViewer, Service, ServiceAddress, serving

# The documented close codes; 1011 would be an internal error.
OWN_CODES = {None, 1000, 1002, 1007, 1009, 1013, 4400, 4401, 4403, 4404, 4406, 4408, 4413, 4423, 4429}


async def send_random_frames(door: ServiceAddress, seed: int, *, frames: int) -> int | None:
    """Send random frames over one connection until it is closed; return the close code."""
    chance = random.Random(seed)
    async with door.connect() as socket:
        try:
            await socket.send(random_hello(chance))
            for frame in hostile_frames(seed, frames):
                await socket.send(frame)
            await socket.close()
        except ConnectionClosed:
            pass
        code, _ = await LiveViewer(socket).closed()
        return code


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(graph: Graph) -> AsyncIterator[Service]:
    async with serving(graph, LiveLimits(poll_s=30.0, hello_s=5.0)) as running:
        yield running


async def test_random_frames_close_only_their_own_connection(
    service: Service, tenant: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        for begin in range(0, 60, 20):
            codes = await asyncio.gather(
                *(send_random_frames(service, seed, frames=6) for seed in range(begin, begin + 20))
            )
            assert set(codes) <= OWN_CODES
    assert [record.message for record in caplog.records if record.name.startswith("graph_service")] == []
    async with service.viewer(tenant) as viewer:
        assert (await viewer.take())["t"] == "graph_snapshot"
