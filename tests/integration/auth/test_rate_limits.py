"""Test the rate limit that all interfaces share, and the time to wait in refusals."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from graph_service.api.graphql.router import BAD_MESSAGE, MESSAGES_BURST, TOO_FAST
from graph_service.live.change_feed import LIVE_LIMITS
from tests.conftest import Server
from tests.integration.auth.graphql_socket import CHANGED, answer, event, graphql_socket, subscribed
from tests.support.live_service import LiveViewer
from tests.support.open_service import OpenService, open_service

# Slow, so that a machine that needs a second for an answer still reaches the limit.
PER_S = 0.5
BURST = 20
SENT = 300
REFUSALS = 25
# The number of requests answered, and the seconds to wait given in each refusal.
Outcome = tuple[int, list[float]]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    rates = {"MNEMOSCENE_AUTH_REQUESTS_PER_S": str(PER_S), "MNEMOSCENE_AUTH_BURST": str(BURST)}
    async with open_service(server, tmp_path_factory.mktemp("rates"), rates) as running:
        yield running
        await running.forget_keys()


async def by_graphql(service: OpenService, key: str) -> Outcome:
    return await by_http(service, key, "POST", "/graphql", {"query": "{ jobStatus { waiting } }"})


async def by_rest(service: OpenService, key: str) -> Outcome:
    return await by_http(service, key, "GET", "/api/access", None)


async def by_tools(service: OpenService, key: str) -> Outcome:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
    return await by_http(service, key, "POST", "/mcp?tools=all", call)


async def by_http(service: OpenService, key: str, method: str, path: str, body: object) -> Outcome:
    """Send requests over one connection, as fast as responses arrive, until enough were refused."""
    answered, waits = 0, list[float]()
    headers = {"Accept": "application/json, text/event-stream"}
    async with service.client(key, **headers) as client:
        while answered < SENT and len(waits) < REFUSALS:
            found = await client.request(method, path, json=body)
            if found.status_code == 429:
                assert found.json()["error"]["code"] == "RATE_LIMITED"
                waits.append(float(found.headers["retry-after"]))
            else:
                answered += 1
    return answered, waits


async def by_socket(service: OpenService, key: str) -> Outcome:
    """Open connections one after the other, each until it is closed or refused."""
    answered, waits = 0, list[float]()
    while answered < SENT and len(waits) < REFUSALS:
        try:
            async with graphql_socket(service, key) as socket:
                await socket.send('{"type": "connection_init"}')
                assert (await answer(socket))["type"] == "connection_ack"
                found = await send_documents(socket, REFUSALS - len(waits))
                answered, waits = answered + found[0], waits + found[1]
        except InvalidStatus:
            # A connection counts as a request too; the handshake cannot say how long to wait.
            waits.append(1.0)
    return answered, waits


async def send_documents(socket: ClientConnection, refusals: int) -> Outcome:
    answered, waits = 0, list[float]()
    while answered < SENT and len(waits) < refusals:
        payload = {"query": "{ jobStatus { waiting } }"}
        try:
            await socket.send(json.dumps({"id": f"{answered + len(waits)}", "type": "subscribe", "payload": payload}))
            told = await answer(socket)
        except ConnectionClosed:
            break
        extensions = told["payload"][0]["extensions"]
        if extensions["code"] == "RATE_LIMITED":
            waits.append(extensions["retryAfterS"])
        else:
            answered += 1
    return answered, waits


@pytest.mark.parametrize("door", [by_graphql, by_socket, by_tools, by_rest])
async def test_every_interface_allows_exactly_the_rate(
    service: OpenService, door: Callable[[OpenService, str], Awaitable[Outcome]]
) -> None:
    """Regression: the socket let 300 documents through in 1.4 s at a rate of 5 per second."""
    key = (await service.key(f"rates{uuid4().hex[:8]}")).text
    began = time.monotonic()
    answered, waits = await door(service, key)
    took_s = time.monotonic() - began
    print(f"{door.__name__}: {answered} of {answered + len(waits)} in {took_s:.1f} s")
    assert BURST - 2 <= answered <= BURST + PER_S * took_s + 1
    assert waits
    assert all(1 <= wait_s <= 2 for wait_s in waits)


@pytest.mark.parametrize(
    ("frame", "per_request"),
    [
        ({"t": "resync"}, 1),
        ({"t": "scope", "user": None, "budget": 100}, 1),
        ({"t": "place", "places": []}, 1),
        ({"t": "selection_sync", "clock": 0, "ids": []}, LIVE_LIMITS.pointings_per_request),
    ],
    ids=["resync", "scope", "place", "selection_sync"],
)
async def test_viewer_requests_count_against_the_rate_of_their_credential(
    service: OpenService, frame: dict[str, Any], per_request: int
) -> None:
    """Several connections share the rate; each stays below the frame limit of one connection."""
    tenant = f"rates{uuid4().hex[:8]}"
    key = (await service.key(tenant, requests_per_s=PER_S / 5)).text
    sent, refused = 0, dict[str, Any]()
    async with contextlib.AsyncExitStack() as stack:
        viewers = []
        for _ in range(3):
            viewer = LiveViewer(await stack.enter_async_context(service.socket()))
            await viewer.say(t="hello", v=1, client="c-test", token=key, scope={"tenant": tenant})
            viewers.append(viewer)
        while not refused and sent < 150 * per_request:
            viewer = viewers[sent % len(viewers)]
            sent += 1
            with contextlib.suppress(ConnectionClosed):
                await viewer.say(**(frame | ({"clock": sent} if "clock" in frame else {})))
            # As slow as the frame limit of one connection requires.
            try:
                async with asyncio.timeout(0.1 / per_request):
                    while (heard := await viewer.next())["t"] != "error":
                        if heard["t"] == "graph_snapshot":
                            # The refusal may be queued behind the snapshot while the connection closes.
                            with contextlib.suppress(ConnectionClosed):
                                await viewer.say(t="ack", seq=heard["seq"])
                refused = heard
            except TimeoutError:
                continue
            except ConnectionClosed:
                pytest.fail("closed without saying why")
    assert refused["code"] == "TOO_FAST"
    assert "this credential" in refused["message"]
    assert 0 < refused["retry_s"] <= 5 / PER_S


async def test_each_root_field_costs_one_request(service: OpenService) -> None:
    new = await service.key(f"rates{uuid4().hex[:8]}")
    fifteen = "{ " + " ".join(f"a{i}: jobStatus {{ waiting }}" for i in range(15)) + " }"
    codes = []
    async with service.client(new.text) as client:
        for _ in range(5):
            codes.append((await client.post("/graphql", json={"query": fifteen})).status_code)
    # The burst of 20 pays for one operation with fifteen root fields; the second one overdraws it.
    assert codes == [200, 200, 429, 429, 429]


async def test_large_document_costs_several_requests_until_it_is_cached(service: OpenService) -> None:
    new = await service.key(f"rates{uuid4().hex[:8]}")
    # About 590 tokens cost five requests; a cached document costs nothing to parse.
    numbers = range(25)
    fragment = "fragment F{} on Query {{ __typename @skip(if: false) @include(if: true) }}"
    spreads, fragments = (" ".join(form.format(n) for n in numbers) for form in ("...F{}", fragment))
    large = f"{{ jobStatus {{ waiting }} {spreads} }} {fragments}"
    async with service.client(new.text) as client:
        first = (await client.post("/graphql", json={"query": large})).json()
        assert "errors" not in first, first
        assert [(await client.post("/graphql", json={"query": large})).status_code for _ in range(8)] == [200] * 8
        others = [large.replace("F1", f"G{number}") for number in range(4)]
        codes = [(await client.post("/graphql", json={"query": other})).status_code for other in others]
    assert codes[0] == 200
    assert codes[-1] == 429


async def test_introspection_and_one_field_cost_one_request(service: OpenService) -> None:
    new = await service.key(f"rates{uuid4().hex[:8]}")
    asked = "{ a: __typename b: __typename c: __typename jobStatus { waiting } }"
    async with service.client(new.text) as client:
        codes = [(await client.post("/graphql", json={"query": asked})).status_code for _ in range(BURST)]
    assert codes == [200] * BURST


async def count_pongs(socket: ClientConnection) -> int:
    """Ping until the connection is closed; return the number of pongs."""
    heard = 0
    with contextlib.suppress(ConnectionClosed):
        for _ in range(SENT):
            await socket.send('{"type": "ping"}')
            heard += (await answer(socket))["type"] == "pong"
    return heard


async def test_a_connection_that_only_pings_is_closed(service: OpenService) -> None:
    key = (await service.key(f"rates{uuid4().hex[:8]}")).text
    async with graphql_socket(service, key) as socket:
        await socket.send('{"type": "connection_init"}')
        heard = await count_pongs(socket)
    assert socket.close_code == TOO_FAST
    assert heard >= MESSAGES_BURST - 2


@pytest.mark.parametrize(
    "message",
    [
        "[]",
        "5",
        '"text"',
        "null",
        "{}",
        '{"type": 5}',
        '{"type": "unheard"}',
        '{"type": "subscribe", "id": [], "payload": {"query": "{ jobStatus { waiting } }"}}',
        '{"type": "subscribe", "id": "1", "payload": []}',
        '{"type": "subscribe", "id": "1", "payload": {"query": 5}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ x }", "variables": [1]}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ x }", "operationName": {}}}',
        json.dumps({"type": "subscribe", "id": "x" * 300, "payload": {"query": "{ x }"}}),
        '{"type": "complete", "id": {}}',
        "[" * 50_000,
        "9" * 5_000,
        "no JSON",
    ],
)
async def test_invalid_message_closes_the_connection_with_a_reason(service: OpenService, message: str) -> None:
    key = (await service.key(f"rates{uuid4().hex[:8]}")).text
    async with graphql_socket(service, key) as socket:
        await socket.send('{"type": "connection_init"}')
        await answer(socket)
        await socket.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            async with asyncio.timeout(20):
                await answer(socket)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, bool(closed.value.rcvd.reason)) == (BAD_MESSAGE, True)


async def test_connection_refuses_a_fifth_subscription(service: OpenService) -> None:
    key = (await service.key(f"rates{uuid4().hex[:8]}")).text
    async with graphql_socket(service, key) as socket:
        await subscribed(socket)
        await event(socket)
        for number in range(2, 7):
            message = {"id": str(number), "type": "subscribe", "payload": {"query": CHANGED}}
            await socket.send(json.dumps(message))
        told = [await answer(socket) for _ in range(5)]
    assert sorted(one["type"] for one in told) == ["error", "error", "next", "next", "next"]


async def test_flood_of_invalid_keys_does_not_increase_database_reads(
    service: OpenService,
) -> None:
    """A valid key from the same address is not delayed either, because only refused requests count."""
    good = await service.key(f"rates{uuid4().hex[:8]}", requests_per_s=100_000)
    read: list[str] = []
    service.parts.graph.observer = lambda statement: read.append(statement.name)
    codes: list[int] = []
    began = time.monotonic()
    try:
        async with service.client() as client, service.client(good.text) as honest:

            async def flood(number: int) -> None:
                for turn in range(20):
                    header = {"Authorization": f"Bearer mnk_{number:06}{turn:06}_{uuid4().hex}"}
                    codes.append((await client.get("/api/access", headers=header)).status_code)

            async with asyncio.TaskGroup() as group:
                for number in range(20):
                    group.create_task(flood(number))
                for _ in range(20):
                    assert (await honest.get("/api/access")).status_code == 200
    finally:
        service.parts.graph.observer = None
    took_s = time.monotonic() - began
    reads = read.count("auth/list_keys")
    print(f"{len(codes)} bad keys in {took_s:.1f} s: {reads} reads of the keys, {codes.count(401)} were looked up")
    assert set(codes) == {401, 429}
    assert codes.count(401) <= 30 + 5 * took_s + 1
    # At most one read per 0.2 s, and the poll every two seconds.
    assert reads <= took_s / 0.2 + took_s / 2.0 + 2
