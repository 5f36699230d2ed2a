"""Test which frames the live socket refuses, and the close codes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from websockets.typing import Origin

from graph_service.auth.access import same_origin
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from tests.support.live_service import LiveViewer, Service, serving

HELLO = {"t": "hello", "v": 1, "client": "c-test"}


@pytest_asyncio.fixture(loop_scope="session")
async def service(graph: Graph) -> AsyncIterator[Service]:
    # A slow machine may take a second to read the first frame; only the test of a missing one needs a short wait.
    async with serving(graph, LiveLimits(poll_s=30.0, hello_s=20.0, viewers=3)) as running:
        yield running


async def refused(service: Service, *messages: str | bytes, **wishes: Any) -> tuple[int | None, str]:
    """Return the close code after these messages, and the code of the error frame."""
    async with service.connect(**wishes) as socket:
        for message in messages:
            await socket.send(message)
        code, frames = await LiveViewer(socket).closed()
        return code, frames[-1]["code"]


@pytest.mark.parametrize(
    "message",
    [
        "no json",
        "[]",
        '{"t":"unheard of"}',
        '{"t":"ack","seq":1}',
        json.dumps({**HELLO, "client": ""}),
        json.dumps({**HELLO, "scope": {"budget": 0}}),
        json.dumps({**HELLO, "resume": {"epoch": "e", "seq": -1}}),
        b"{}",
    ],
)
async def test_malformed_frame_closes_the_connection(service: Service, message: str | bytes) -> None:
    assert await refused(service, message) == (4400, "BAD_FRAME")


async def test_second_hello_closes_the_connection(service: Service) -> None:
    assert await refused(service, json.dumps(HELLO), json.dumps(HELLO)) == (4400, "BAD_FRAME")


async def test_frame_over_16_kib_is_refused(service: Service) -> None:
    message = json.dumps({**HELLO, "token": "记" * 5_500}, ensure_ascii=False)
    assert await refused(service, message) == (4413, "TOO_BIG")


async def test_missing_hello_closes_the_connection(graph: Graph) -> None:
    async with serving(graph, LiveLimits(poll_s=30.0, hello_s=0.3)) as impatient:
        assert await refused(impatient) == (4408, "TIMEOUT")


async def test_a_flood_of_frames_is_refused(service: Service) -> None:
    flood = [json.dumps({"t": "ack", "seq": number}) for number in range(60)]
    assert await refused(service, json.dumps(HELLO), *flood) == (4429, "TOO_FAST")


async def test_flood_of_resync_requests_is_refused_sooner(service: Service) -> None:
    flood = [json.dumps({"t": "resync"})] * 8
    assert await refused(service, json.dumps(HELLO), *flood) == (4429, "TOO_FAST")


async def test_another_version_or_sub_protocol_is_refused(service: Service) -> None:
    assert await refused(service, json.dumps({**HELLO, "scope": {"tenant": "a b/c"}})) == (4404, "NO_TENANT")
    assert await refused(service, json.dumps({**HELLO, "v": 2})) == (4406, "SUB_PROTOCOL")
    assert await refused(service, subprotocols=None) == (4406, "SUB_PROTOCOL")


async def test_page_of_another_origin_is_refused(service: Service) -> None:
    assert await refused(service, origin=Origin("http://evil.example")) == (4403, "FORBIDDEN")
    same_port = Origin(f"http://evil.example:{service.port}")
    assert await refused(service, origin=same_port, additional_headers={}) == (4403, "FORBIDDEN")


async def test_own_origin_is_accepted(service: Service) -> None:
    async with service.connect(origin=Origin(service.http)) as socket:
        await socket.send(json.dumps(HELLO))
        assert (await LiveViewer(socket).next())["t"] == "hello_ack"


def test_page_has_the_origin_of_the_service_only_with_its_host_and_port() -> None:
    assert not same_origin("null", "localhost:8000")
    assert not same_origin("http://localhost:9999", "localhost:8000")
    assert not same_origin("http://[bad", "localhost:8000")
    assert not same_origin("https://evil.example", "memory.example")
    assert same_origin("http://localhost:8000", "LOCALHOST:8000")
    assert same_origin("http://[::1]:8000", "[::1]:8000")
    assert same_origin("https://memory.example", "memory.example")


async def test_viewer_over_the_limit_is_told_to_retry_later(service: Service, tenant: str) -> None:
    async with service.viewer(tenant), service.viewer(tenant), service.viewer(tenant):
        hello = json.dumps({**HELLO, "scope": {"tenant": tenant}})
        assert await refused(service, hello) == (1013, "TRY_LATER")


async def test_silent_sockets_do_not_count_against_the_limit(service: Service, tenant: str) -> None:
    """A place is taken with `hello`. Regression: three silent sockets kept everybody out."""
    async with service.connect(), service.connect(), service.connect(), service.viewer(tenant) as viewer:
        assert viewer.hello_ack["t"] == "hello_ack"
