"""Test the size and time limits of a connection: headers, bodies, messages and responses that never end.

Uvicorn by default keeps each of these forever or without a limit.
"""

import asyncio
import contextlib
import socket
import struct
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from graph_service.auth.access import ANONYMOUS, identify_connection
from graph_service.cli.http_server import uvicorn_config
from graph_service.runtime.connections import (
    FRAGMENTS_MAX,
    MESSAGE_BYTES_MAX,
    READ_BYTES,
    ConnectionLimits,
    Connections,
    State,
    WaitQueue,
    limits_within,
)
from tests.support import http_server

# Generous, since the machine may be busy.
SOON_S = 30.0
HEAD = b"GET / HTTP/1.1\r\nHost: h\r\n"
LARGE = 32 * 2**20
QUICK = ConnectionLimits(head_s=0.3, body_s=0.3, rest_s=0.3, greeting_s=0.3, linger_s=0.3, write_s=0.5)
PATIENT = ConnectionLimits(head_s=600, body_s=600, rest_s=600, greeting_s=600, linger_s=600, write_s=600)


@dataclass
class Served:
    """A small application behind the limits."""

    connections: Connections
    port: int
    server: uvicorn.Server

    async def talk(self, text: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection and send this text."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(text)
        await writer.drain()
        return reader, writer

    async def answer(self, path: str = "/") -> bytes:
        """Send a request over its own connection and return the response."""
        reader, writer = await self.talk(f"GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode())
        async with asyncio.timeout(SOON_S):
            answer = await reader.read()
        writer.close()
        return answer

    def socket(self, path: str = "/") -> connect:
        """Open a WebSocket."""
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None)


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await _socket(scope, receive, send)
        return
    if scope["path"] == "/admitted":
        identify_connection(scope, ANONYMOUS)
    if scope["method"] == "POST" and scope["path"] != "/unread":
        while (message := await receive()).get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            return
    body = bytes(LARGE) if scope["path"] == "/large" else b"ok"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _socket(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    if scope["path"] == "/greeted":
        identify_connection(scope, ANONYMOUS)
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": str(len(message.get("text") or ""))})


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncIterator[Served]:
    connections = Connections(limits)
    config = uvicorn_config(_app, connections, port=0, lifespan="off", backlog=128)
    async with http_server.running(config) as server:
        try:
            yield Served(connections, http_server.port_of(server), server)
        finally:
            connections.stop()


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Read until the other side closes the connection."""
    async with asyncio.timeout(SOON_S):
        with contextlib.suppress(ConnectionError):
            return await reader.read()
    return b""


async def until_connected(served: Served, count: int) -> None:
    """Wait until there are this many connections."""
    until_s = asyncio.get_running_loop().time() + SOON_S
    while len(served.connections) != count:
        assert asyncio.get_running_loop().time() < until_s, len(served.connections)
        await asyncio.sleep(0)


UPGRADE = (
    HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        HEAD,
        HEAD + b"\r\n" + HEAD,
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{",
        b"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{",
        UPGRADE,
    ],
    ids=["nothing", "half a head", "half a second head", "half a body", "half a body answered already", "no greeting"],
)
async def test_connection_of_a_stalled_client_is_closed(text: bytes) -> None:
    async with serving(QUICK) as served:
        reader, writer = await served.talk(text)
        await read_to_end(reader)
        await until_connected(served, 0)
        writer.close()


async def test_active_connection_and_greeted_socket_stay_open() -> None:
    async with serving(QUICK) as served, served.socket("/greeted") as viewer:
        reader, writer = await served.talk()
        for _ in range(3):
            writer.write(HEAD + b"\r\n")
            async with asyncio.timeout(SOON_S):
                assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        await read_to_end(reader)
        writer.close()
        await viewer.send("still here")
        assert await viewer.recv() == "10"


async def test_active_client_is_served_despite_many_silent_ones() -> None:
    """Each new connection closes the oldest silent one."""
    limits = ConnectionLimits(connections=100, strangers=8, head_s=600, greeting_s=600)
    async with serving(limits) as served:
        silent = [await served.talk(text) for text in (b"", HEAD, UPGRADE, b"") * 10]
        assert (await served.answer()).endswith(b"ok")
        assert len(served.connections.strangers) <= 8
        await read_to_end(silent[0][0])
        for _, writer in silent:
            writer.close()


async def test_silent_connections_close_no_admitted_one() -> None:
    limits = ConnectionLimits(connections=100, strangers=4, head_s=600, rest_s=600)
    async with serving(limits) as served, served.socket("/greeted") as viewer:
        reader, writer = await served.talk(b"GET /admitted HTTP/1.1\r\nHost: h\r\n\r\n")
        await reader.readuntil(b"ok")
        silent = [await served.talk() for _ in range(20)]
        writer.write(HEAD + b"\r\n")
        async with asyncio.timeout(SOON_S):
            await reader.readuntil(b"ok")
        await viewer.send("here")
        assert await viewer.recv() == "4"
        for _, other in [*silent, (reader, writer)]:
            other.close()


async def test_idle_connections_are_closed_when_all_places_are_taken() -> None:
    limits = ConnectionLimits(connections=10, strangers=5, rest_s=600, head_s=600)
    async with serving(limits) as served:
        resting = []
        for _ in range(30):
            reader, writer = await served.talk(b"GET /admitted HTTP/1.1\r\nHost: h\r\n\r\n")
            async with asyncio.timeout(SOON_S):
                await reader.readuntil(b"ok")
            resting.append(writer)
        assert len(served.connections) <= 11
        for writer in resting:
            writer.close()


def non_reading_client(port: int, text: bytes) -> socket.socket:
    """Connect, send this text and never read."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect(("127.0.0.1", port))
    made.sendall(text)
    return made


async def test_client_that_does_not_read_its_response_is_closed() -> None:
    async with serving(QUICK) as served:
        with non_reading_client(served.port, b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n"):
            await until_connected(served, 1)
            await until_connected(served, 0)


async def test_client_that_reads_slowly_gets_its_whole_response() -> None:
    limits = ConnectionLimits(head_s=0.3, rest_s=60, write_s=3.0)
    async with serving(limits) as served:
        reader, writer = await served.talk(b"GET /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        got = 0
        async with asyncio.timeout(120):
            while got < LARGE:
                got += len(await reader.readexactly(2**20))
                await asyncio.sleep(0.1)
        writer.close()


async def close_code(viewer: ClientConnection) -> int | None:
    """Return the close code that the server sends."""
    with contextlib.suppress(ConnectionClosed):
        async with asyncio.timeout(SOON_S):
            while True:
                await viewer.recv()
    return viewer.close_code


async def test_oversized_message_is_refused_by_its_header() -> None:
    async with serving(PATIENT) as served, served.socket() as viewer:
        await viewer.send("x" * MESSAGE_BYTES_MAX)
        assert await viewer.recv() == str(MESSAGE_BYTES_MAX)
        with contextlib.suppress(ConnectionClosed):
            await viewer.send("x" * (MESSAGE_BYTES_MAX + 1))
        assert await close_code(viewer) == 1009


def masked(opcode: int, body: bytes, *, compressed: bool = False) -> bytes:
    """Return a client's frame, masked with zeros."""
    first = opcode | (0x40 if compressed else 0)
    length = bytes([0x80 | len(body)]) if len(body) < 126 else b"\xfe" + struct.pack("!H", len(body))
    return bytes([first]) + length + bytes(4) + body


async def test_small_message_that_decompresses_to_a_large_one_is_refused() -> None:
    """Regression: 16 MB in 16 kB; sixty such sockets took 864 MB."""
    packed = zlib.compressobj(wbits=-12)
    body = (packed.compress(bytes(2**24)) + packed.flush(zlib.Z_SYNC_FLUSH))[:-4]
    assert len(body) < READ_BYTES * 2
    extensions = b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n"
    async with serving(PATIENT) as served:
        reader, writer = await served.talk(UPGRADE[:-2] + extensions)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(masked(0x81, body, compressed=True))
        assert struct.pack("!H", 1009) in await read_to_end(reader)
        writer.close()


async def test_endless_empty_fragments_close_the_socket() -> None:
    async with serving(PATIENT) as served:
        reader, writer = await served.talk(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(masked(0x01, b"") + masked(0x00, b"") * (FRAGMENTS_MAX + 1))
        assert struct.pack("!H", 1009) in await read_to_end(reader)
        writer.close()


async def test_flood_of_pings_closes_the_socket() -> None:
    async with serving(PATIENT) as served:
        reader, writer = await served.talk(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(masked(0x89, b"x" * 125) * 100)
        assert struct.pack("!H", 1008) in await read_to_end(reader)
        writer.close()


async def test_sockets_keep_no_compression_state() -> None:
    """Regression: it took 40 kB per socket from the handshake on."""
    async with serving(PATIENT) as served, served.socket() as viewer:
        told = viewer.response.headers["Sec-WebSocket-Extensions"] if viewer.response else ""
        assert "server_no_context_takeover" in told
        assert "client_no_context_takeover" in told


async def test_reads_are_small() -> None:
    """By default asyncio reads 256 kB at once, which may hold 43,000 empty frames."""
    async with serving(PATIENT) as served:
        _, writer = await served.talk(HEAD)
        await until_connected(served, 1)
        (guard,) = served.connections._guards.values()
        assert guard.transport.max_size == READ_BYTES  # type: ignore[attr-defined]
        writer.close()


async def test_body_after_the_response_is_discarded() -> None:
    async with serving(PATIENT) as served:
        text = b"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n"
        reader, writer = await served.talk(text + bytes(50_000))
        await reader.readuntil(b"ok")
        (protocol,) = served.server.server_state.connections
        assert len(protocol.cycle.body) == 0  # type: ignore[union-attr]
        writer.close()


async def test_shutdown_waits_for_no_client() -> None:
    """Incomplete headers and bodies, silent sockets, and clients that read nothing."""
    texts = [b"", HEAD, b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{", UPGRADE]
    loop = asyncio.get_running_loop()
    with contextlib.ExitStack() as stack:
        async with serving(PATIENT) as served:
            open_ = [await served.talk(text) for text in texts * 50]
            for _ in range(20):
                stack.enter_context(non_reading_client(served.port, b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n"))
            await until_connected(served, 220)
            began_s = loop.time()
        assert loop.time() - began_s < 13
        for _, writer in open_:
            writer.close()


async def test_limits_leave_file_descriptors_for_the_rest() -> None:
    assert limits_within(1024).connections == 768
    assert limits_within(100).connections == 32
    assert limits_within(10**6) == ConnectionLimits()


class _One:
    """A waiting connection."""


def queue_of(places: int) -> Iterator[tuple[WaitQueue, list[_One]]]:
    yield WaitQueue(places), [_One() for _ in range(places)]


def test_a_full_queue_drops_its_oldest_connection() -> None:
    for queue, ones in queue_of(16):
        assert [queue.join(one, str(number)) for number, one in enumerate(ones)] == [None] * 16  # type: ignore[arg-type]
        assert queue.join(_One(), "new") is ones[0]  # type: ignore[arg-type]
        assert (len(queue), queue.oldest()) == (16, ones[1])


def test_a_full_queue_drops_the_oldest_connection_of_its_largest_client() -> None:
    for queue, ones in queue_of(16):
        for number, one in enumerate(ones):
            queue.join(one, "early" if number == 0 else "many")  # type: ignore[arg-type]
        assert queue.join(_One(), "many") is ones[1]  # type: ignore[arg-type]
        assert queue.join(_One(), "honest") is ones[0]  # type: ignore[arg-type]


def test_every_state_that_waits_for_a_client_has_a_time_limit() -> None:
    ours = {State.BUSY, State.OPEN}
    assert {state for state in State if ConnectionLimits().seconds(state) == float("inf")} == ours
