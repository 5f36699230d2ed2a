"""Test limits on what an unauthenticated caller may send, keep open or claim."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from websockets.exceptions import ConnectionClosed

from graph_service.auth import authenticator
from graph_service.auth.access import ANONYMOUS, Access, Role
from graph_service.auth.connection_slots import ConnectionSlots
from graph_service.observability.metrics import REQUESTS
from schema.errors import RateLimitError
from schema.ids import TenantId
from schema.limits import LIMITS
from tests.conftest import Server
from tests.integration.auth.graphql_socket import graphql_socket
from tests.support.open_service import OpenService, open_service

SOON_S = 60.0


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path_factory.mktemp("strangers")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def open_again(service: OpenService) -> AsyncIterator[None]:
    yield
    await service.forget_keys()


async def connection_after(service: OpenService, text: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection and send this text."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(service.http).port)
    writer.write(text)
    await writer.drain()
    return reader, writer


def request_head(method: str, path: str, size: int, *more: str) -> bytes:
    lines = (f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {size}", *more)
    return "\r\n".join((*lines, "", "")).encode()


async def pieces(total: int) -> AsyncIterator[bytes]:
    for _ in range(total // 1000):
        yield b"x" * 1000


async def test_sign_in_body_larger_than_a_key_is_refused(service: OpenService) -> None:
    """Regression: it accepted 16 MB from anybody."""
    large = LIMITS.stranger_body_bytes + 1000
    async with service.client() as client:
        announced = await client.post("/api/sign-in", content=json.dumps({"key": "x" * large}))
        # A client that is still sending may not be able to read the refusal.
        with contextlib.suppress(httpx.TransportError):
            streamed = await client.post("/api/sign-in", content=pieces(2 * large))
            assert streamed.status_code == 413
        longest = await client.post("/api/sign-in", json={"key": "x" * 8_192})
    assert announced.status_code == 413
    assert longest.status_code != 413


async def test_unauthenticated_request_is_refused_before_its_body(service: OpenService, tenant: str) -> None:
    await service.key(tenant)
    for path in ("/graphql", "/mcp"):
        reader, writer = await connection_after(service, request_head("POST", path, LIMITS.body_bytes))
        async with asyncio.timeout(SOON_S):
            assert b" 401 " in await reader.readline()
        writer.close()


@pytest.mark.slow
async def test_body_that_never_arrives_is_answered(service: OpenService, caplog: pytest.LogCaptureFixture) -> None:
    reader, writer = await connection_after(
        service, request_head("POST", "/graphql", 100, "Content-Type: application/json") + b"{"
    )
    async with asyncio.timeout(SOON_S):
        assert b" 408 " in await reader.readline()
    writer.close()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_mcp_opens_no_stream(service: OpenService, method: str) -> None:
    """Regression: a GET stream stayed open as long as the client, or a page of another site, wanted."""
    async with service.client(Accept="text/event-stream") as client:
        foreign = await client.request(method, "/mcp", headers={"Origin": "http://evil.example"}, timeout=SOON_S)
        own = await client.request(method, "/mcp", timeout=SOON_S)
    assert foreign.status_code == 403
    assert (own.status_code, own.headers["Allow"]) == (405, "POST")


@pytest.mark.parametrize("path", ["/api/snapshot", "/mcp", "/mcp/", "/metrics"])
async def test_page_of_another_origin_is_refused_without_an_origin_header(service: OpenService, path: str) -> None:
    """Browsers send no origin with an image or with `fetch` in the mode `no-cors`."""
    async with service.client() as client:
        for site in ("cross-site", "same-site"):
            loaded = await client.get(path, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"})
            assert loaded.status_code == 403
        followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        assert (await client.get(path, headers=followed)).status_code != 403
        assert (await client.get(path, headers={"Sec-Fetch-Site": "same-origin"})).status_code != 403


async def refused_as(
    server: Server, folder: Path, tenant: str, monkeypatch: pytest.MonkeyPatch, **more: str
) -> set[int]:
    """Return the statuses of wrong keys that are sent with a different forwarded address each."""
    monkeypatch.setattr(authenticator, "_FAILURES_PER_S", 0.001)
    monkeypatch.setattr(authenticator, "_FAILURES_BURST", 5)
    async with open_service(server, folder, more) as service:
        await service.key(tenant)
        async with service.client("mnk_" + "x" * 40) as client:
            return {
                (await client.get("/api/access", headers={"X-Forwarded-For": f"10.0.0.{number}"})).status_code
                for number in range(8)
            }


async def test_forwarded_address_of_an_untrusted_client_is_ignored(
    server: Server, tmp_path: Path, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: any local program could forge it and so guess keys without a rate limit."""
    assert await refused_as(server, tmp_path, tenant, monkeypatch) == {401, 429}


async def test_forwarded_address_of_a_trusted_proxy_is_used(
    server: Server, tmp_path: Path, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = {"MNEMOSCENE_SERVICE_TRUSTED_PROXIES": "127.0.0.0/8, ::1"}
    assert await refused_as(server, tmp_path, tenant, monkeypatch, **trusted) == {401}


async def test_silent_graphql_sockets_do_not_count_against_the_limit(service: OpenService, tenant: str) -> None:
    key = (await service.key(tenant)).text
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(5):
            await stack.enter_async_context(graphql_socket(service, key))
        socket = await stack.enter_async_context(graphql_socket(service, key))
        await socket.send('{"type": "connection_init"}')
        assert "connection_ack" in str(await socket.recv())


async def test_graphql_sockets_of_a_credential_are_limited(service: OpenService, tenant: str) -> None:
    """Regression: they were not counted."""
    key = (await service.key(tenant, requests_per_s=10_000.0)).text
    async with contextlib.AsyncExitStack() as stack:
        for number in range(65):
            socket = await stack.enter_async_context(graphql_socket(service, key))
            await socket.send('{"type": "connection_init"}')
            if number < 64:
                assert "connection_ack" in str(await socket.recv())
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == 1013
        other = (await service.key(tenant)).text
        beside = await stack.enter_async_context(graphql_socket(service, other))
        await beside.send('{"type": "connection_init"}')
        assert "connection_ack" in str(await beside.recv())


@pytest.mark.parametrize("path", ["/graphql", "/mcp", "/api/sign-in"])
async def test_disconnecting_client_is_not_a_server_error(
    service: OpenService, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Regression: each one left a traceback and counted as a failure of the service."""
    caplog.set_level(logging.WARNING)
    before = dict(REQUESTS.values)
    _, writer = await connection_after(
        service, request_head("POST", path, 1000, "Content-Type: application/json") + b'{"query": "'
    )
    await asyncio.sleep(0.1)
    writer.close()

    def one_more(status: str) -> float:
        return sum(count - before[labels] for labels, count in REQUESTS.values.items() if labels[1] == status)

    until_s = asyncio.get_running_loop().time() + SOON_S
    while not one_more("4xx"):
        assert asyncio.get_running_loop().time() < until_s
        await asyncio.sleep(0)
    assert one_more("5xx") == 0
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def an_access(who: str, tenant: str) -> Access:
    return Access(who=who, tenant=TenantId(tenant), role=Role.READ)


@pytest.fixture
def places() -> Iterator[tuple[ConnectionSlots, ExitStack]]:
    with ExitStack() as stack:
        yield ConnectionSlots("viewers", most=12, of_tenant=8, of_credential=3), stack


def test_credentials_and_tenants_have_separate_socket_limits(places: tuple[ConnectionSlots, ExitStack]) -> None:
    shared, stack = places
    for key in ("a", "b"):
        for _ in range(3):
            stack.enter_context(shared.take("one", an_access(key, "one")))
        with (
            pytest.raises(RateLimitError, match="3 viewers with this credential"),
            shared.take("one", an_access(key, "one")),
        ):
            pass
    for _ in range(2):
        stack.enter_context(shared.take("one", an_access("c", "one")))
    with pytest.raises(RateLimitError, match="8 viewers of this tenant"), shared.take("one", an_access("d", "one")):
        pass
    with shared.take("two", an_access("e", "two")):
        assert len(shared) == 9
    assert len(shared) == 8


def test_largest_holder_gives_up_a_place_for_a_newcomer(places: tuple[ConnectionSlots, ExitStack]) -> None:
    shared, stack = places
    large = [stack.enter_context(shared.take("large", ANONYMOUS)) for _ in range(8)]
    for _ in range(4):
        stack.enter_context(shared.take("middle", ANONYMOUS))
    stack.enter_context(shared.take("new", ANONYMOUS))
    assert [place.revoked.is_set() for place in large] == [False] * 7 + [True]
    assert len(shared) == 12


def test_no_place_is_given_up_for_an_equally_large_holder(places: tuple[ConnectionSlots, ExitStack]) -> None:
    shared, stack = places
    held = [stack.enter_context(shared.take(f"t{number % 6}", ANONYMOUS)) for number in range(12)]
    with pytest.raises(RateLimitError, match="12 viewers of all tenants"), shared.take("t0", ANONYMOUS):
        pass
    assert not any(place.revoked.is_set() for place in held)
