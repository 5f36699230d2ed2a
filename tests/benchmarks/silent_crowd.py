"""Measure the effect of ten thousand silent or dribbling connections on other clients.

    python -m tests.benchmarks.silent_crowd [--connections 10000] [--seconds 30] [--checkout DIR]

Starts `mnemoscene serve` (of another checkout with --checkout) on the Neo4j of MNEMOSCENE_TEST_URI and
MNEMOSCENE_TEST_PASSWORD, or on its own. An honest client sends each request over a new connection, first alone and then
beside a crowd in a separate process, which reopens what is closed; now and then it also opens a viewer's socket. In
between, sixty sockets send 16 MB each, compressed, before `hello`. The crowd is still connected when the service is
told to stop. Prints one JSON object; the exit code is 1 if a bound is missed: a failed honest request, p95 above both
twice the usual one and 20 ms, memory growth above 64 MB, or a stop of 30 s.
"""

import argparse
import asyncio
import base64
import contextlib
import json
import multiprocessing
import os
import selectors
import signal
import socket
import statistics
import struct
import sys
import tempfile
import time
import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from tests.benchmarks.recall_load import DOCUMENT
from tests.support.cli_process import Home, Running

_KEY: Final = base64.b64encode(bytes(16)).decode()
_HOST: Final = "Host: 127.0.0.1\r\n"
_UPGRADE: Final = (
    "GET {path} HTTP/1.1\r\n" + _HOST + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    f"Sec-WebSocket-Key: {_KEY}\r\nSec-WebSocket-Protocol: {{protocol}}\r\n{{more}}\r\n"
)
_POST: Final = "POST /graphql HTTP/1.1\r\n" + _HOST + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
# The text sent at once, and the text sent once a second.
KINDS: Final[dict[str, tuple[str, str]]] = {
    "nothing": ("", ""),
    "half a head": ("POST /graphql HTTP/1.1\r\n" + _HOST, ""),
    "a head by bytes": ("GET /health HTTP/1.1\r\n" + _HOST + "X-Slow: ", "a"),
    "no body": (_POST, ""),
    "a body by bytes": (_POST, "{"),
    "a sign-in without body": (_POST.replace("/graphql", "/api/sign-in").replace("100000", "1000"), ""),
    "a socket without hello": (_UPGRADE.format(path="/live", protocol="mnemoscene.v1", more=""), ""),
    "a GraphQL socket without init": (_UPGRADE.format(path="/graphql", protocol="graphql-transport-ws", more=""), ""),
}
TICK_S: Final = 0.05
# 300 a second until all were connected once; then 100 a second of those that were closed. More would be a flood, a
# different attack, since each socket costs a handshake.
OPENED_A_TICK: Final = 15
OPENED_AGAIN_A_TICK: Final = 5
BOMB_BYTES: Final = 16 * 2**20 - 1


@dataclass
class _Silent:
    """One connection of the crowd."""

    kind: str
    socket: socket.socket
    began: bool = False


class Crowd:
    """The crowd in this process: opens connections, dribbles, and detects closed ones."""

    def __init__(self, port: int, size: int) -> None:
        self._port = port
        self._size = size
        self._selector = selectors.DefaultSelector()
        self._open: dict[int, _Silent] = {}
        self._kinds = deque(KINDS)
        self.opened = 0

    @property
    def open(self) -> int:
        """Return how many connections are open, as far as the clients know."""
        return len(self._open)

    def tick(self, number: int) -> None:
        """Do one step, every `TICK_S`."""
        wanted = OPENED_A_TICK if self.opened < self._size else OPENED_AGAIN_A_TICK
        for _ in range(min(wanted, self._size - len(self._open))):
            self._begin()
        for key, mask in self._selector.select(0):
            self._look(self._open[key.fd], mask)
        each = round(1 / TICK_S)
        for one in [one for fd, one in self._open.items() if fd % each == number % each]:
            if one.began and KINDS[one.kind][1]:
                self._send(one, KINDS[one.kind][1])

    def close(self) -> None:
        """Close all connections."""
        for one in list(self._open.values()):
            self._end(one)

    def _begin(self) -> None:
        self._kinds.rotate()
        try:
            made = socket.socket()
        except OSError:
            return
        made.setblocking(False)
        made.connect_ex(("127.0.0.1", self._port))
        self._open[made.fileno()] = _Silent(self._kinds[0], made)
        self._selector.register(made, selectors.EVENT_WRITE | selectors.EVENT_READ)
        self.opened += 1

    def _look(self, one: _Silent, mask: int) -> None:
        if not one.began and mask & selectors.EVENT_WRITE:
            one.began = True
            self._selector.modify(one.socket, selectors.EVENT_READ)
            self._send(one, KINDS[one.kind][0])
            return
        try:
            if not one.socket.recv(65_536):
                self._end(one)
        except BlockingIOError:
            pass
        except OSError:
            self._end(one)

    def _send(self, one: _Silent, text: str) -> None:
        try:
            if text:
                one.socket.send(text.encode())
        except BlockingIOError:
            pass
        except OSError:
            self._end(one)

    def _end(self, one: _Silent) -> None:
        if self._open.pop(one.socket.fileno(), None) is not None:
            self._selector.unregister(one.socket)
            one.socket.close()


def crowd_process(port: int, size: int, over: Any, opened: Any, still_open: Any) -> None:
    """Run the crowd until it is told to end."""
    os.nice(5)
    crowd, number = Crowd(port, size), 0
    while not over.is_set():
        began_s = time.monotonic()
        crowd.tick(number)
        number += 1
        opened.value, still_open.value = crowd.opened, crowd.open
        time.sleep(max(TICK_S - (time.monotonic() - began_s), 0.0))
    crowd.close()


@dataclass
class Honest:
    """Results of an honest client."""

    times_s: list[float] = field(default_factory=list)
    health_s: list[float] = field(default_factory=list)
    viewers_s: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    most_mb: float = 0.0
    cpu_share: float = 0.0

    def told(self) -> dict[str, Any]:
        """Return the figures, rounded."""
        return {
            "asked": len(self.times_s),
            "failed": len(self.failed),
            "failures": sorted(set(self.failed))[:5],
            "recall_p50_ms": _ms(self.times_s, 0.5),
            "recall_p95_ms": _ms(self.times_s, 0.95),
            "health_p95_ms": _ms(self.health_s, 0.95),
            "viewer_p95_ms": _ms(self.viewers_s, 0.95),
            "most_rss_mb": round(self.most_mb, 1),
            "service_cpu_share": round(self.cpu_share, 3),
        }


def _ms(times_s: list[float], share: float) -> float | None:
    if len(times_s) < 2:
        return None
    return round(statistics.quantiles(times_s, n=100, method="inclusive")[round(share * 100) - 1] * 1000, 1)


def rss_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def cpu_s(pid: int) -> float:
    """Return the CPU seconds used by a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def honest(address: str, tenant: str, pid: int, seconds: float) -> Honest:
    """Send one request after the other, each over a new connection."""
    met, until_s, number = Honest(), time.monotonic() + seconds, 0
    before_s, began_s = cpu_s(pid), time.monotonic()
    while time.monotonic() < until_s:
        await _timed(met, met.times_s, _recall(address, tenant))
        await _timed(met, met.health_s, _health(address))
        if number % 10 == 0:
            await _timed(met, met.viewers_s, _view(address, tenant))
        number += 1
        met.most_mb = max(met.most_mb, rss_mb(pid))
        await asyncio.sleep(0.02)
    met.cpu_share = (cpu_s(pid) - before_s) / (time.monotonic() - began_s)
    return met


async def _timed(met: Honest, times_s: list[float], asked: Any) -> None:
    began_s = time.perf_counter()
    try:
        async with asyncio.timeout(10):
            await asked
    except Exception as error:
        met.failed.append(f"{type(error).__name__}: {error}"[:100])
    else:
        times_s.append(time.perf_counter() - began_s)


async def _recall(address: str, tenant: str) -> None:
    asked = {"query": DOCUMENT, "variables": {"user": "ana", "text": "Which tea does Ana love?"}}
    body = json.dumps(asked).encode()
    more = f"Content-Type: application/json\r\nMnemoscene-Tenant: {tenant}\r\n"
    answer = await _answered(address, "POST /graphql", more, body)
    assert b'"errors"' not in answer, answer[-200:]


async def _health(address: str) -> None:
    await _answered(address, "GET /health", "", b"")


async def _answered(address: str, line: str, more: str, body: bytes) -> bytes:
    """Return whether a complete response with status 200 arrives, over a new connection."""
    where = urlsplit(address)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    head = f"{line} HTTP/1.1\r\n{_HOST}Connection: close\r\n{more}Content-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    try:
        answer = await reader.read()
    finally:
        writer.close()
    assert answer.startswith(b"HTTP/1.1 200"), answer[:60]
    return answer


async def _view(address: str, tenant: str) -> None:
    where = f"{address.replace('http', 'ws')}/live"
    async with connect(where, subprotocols=[Subprotocol("mnemoscene.v1")]) as viewer:
        await viewer.send(json.dumps({"t": "hello", "v": 1, "client": "c-bench", "scope": {"tenant": tenant}}))
        told = json.loads(await viewer.recv())
        assert told["t"] == "hello_ack", told


def bombs(port: int, count: int) -> list[socket.socket]:
    """Open sockets that each send one message of 16 MB, compressed to 16 kB, instead of `hello`."""
    packed = zlib.compressobj(wbits=-12)
    body = packed.compress(bytes(BOMB_BYTES)) + packed.flush(zlib.Z_SYNC_FLUSH)
    frame = b"\xc1" + (b"\xfe" + struct.pack("!H", len(body) - 4)) + bytes(4) + body[:-4]
    more = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
    opening = _UPGRADE.format(path="/live", protocol="mnemoscene.v1", more=more).encode()
    made = []
    for _ in range(count):
        one = socket.create_connection(("127.0.0.1", port), timeout=10)
        one.sendall(opening)
        head = b""
        while b"\r\n\r\n" not in head:
            head += one.recv(4096)
        with contextlib.suppress(OSError):
            one.sendall(frame)
        made.append(one)
    return made


async def _bombed(port: int, pid: int, count: int) -> dict[str, Any]:
    before_mb = rss_mb(pid)
    throwing = asyncio.create_task(asyncio.to_thread(bombs, port, count))
    most_mb, until_s = before_mb, time.monotonic() + 8
    while time.monotonic() < until_s:
        most_mb = max(most_mb, rss_mb(pid))
        await asyncio.sleep(0.01)
    for one in await throwing:
        one.close()
    return {"sockets": count, "rss_before_mb": round(before_mb, 1), "rss_most_mb": round(most_mb, 1)}


@contextlib.contextmanager
def crowded(port: int, size: int) -> Iterator[tuple[Any, Any]]:
    """Run the crowd in a separate process; yield the numbers of opened and of open connections."""
    context = multiprocessing.get_context("spawn")
    over, opened, still_open = context.Event(), context.Value("q", 0), context.Value("q", 0)
    process = context.Process(target=crowd_process, args=(port, size, over, opened, still_open), daemon=True)
    process.start()
    try:
        yield opened, still_open
    finally:
        over.set()
        process.join(30)


def _gathered(opened: Any, connections: int) -> None:
    """Return when the crowd was complete once, or after a minute."""
    until_s = time.monotonic() + 60
    while opened.value < connections and time.monotonic() < until_s:
        time.sleep(0.1)


async def measured(service: Running, *, connections: int, seconds: float, sockets: int) -> dict[str, Any]:
    """Run everything against a running service, which is stopped at the end."""
    where = service.document()
    address, pid = str(where["graphql"]).removesuffix("/graphql"), service.process.pid
    port, tenant = urlsplit(address).port or 0, f"t-crowd-{os.getpid()}"
    # The first request loads GraphQL, whose memory is not due to the crowd.
    await honest(address, tenant, pid, 3)
    usual, before_mb = await honest(address, tenant, pid, seconds / 3), rss_mb(pid)
    bombed = await _bombed(port, pid, sockets)
    with crowded(port, connections) as (opened, still_open):
        await asyncio.to_thread(_gathered, opened, connections)
        beside = await honest(address, tenant, pid, seconds)
        crowd = {"wanted": connections, "opened": opened.value, "open_at_the_end": still_open.value}
        began_s = time.monotonic()
        service.process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(service.process.wait, 60)
        stop_s = time.monotonic() - began_s
    return {
        "usual": usual.told(),
        "beside": beside.told(),
        "crowd": crowd,
        "rss_before_mb": round(before_mb, 1),
        "rss_grown_mb": round(beside.most_mb - before_mb, 1),
        "bombs": bombed,
        "stop": {"code": code, "seconds": round(stop_s, 1)},
    }


def missed(result: dict[str, Any]) -> list[str]:
    """Return the missed bounds."""
    usual, beside, bombed = result["usual"], result["beside"], result["bombs"]
    found = {
        "an honest request failed": beside["failed"] > 0,
        "recall p95": (beside["recall_p95_ms"] or 1e9) > max(2 * usual["recall_p95_ms"], 20),
        "health p95": (beside["health_p95_ms"] or 1e9) > max(2 * usual["health_p95_ms"], 20),
        "memory": result["rss_grown_mb"] > 64,
        "memory of compressed messages": bombed["rss_most_mb"] - bombed["rss_before_mb"] > 64,
        "stop": result["stop"]["seconds"] >= 30 or result["stop"]["code"] != 0,
    }
    return [name for name, failed in found.items() if failed]


def main() -> None:
    """Parse the arguments and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--sockets", type=int, default=60, help="sockets that send 16 MB each before `hello`")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[2], help="the checkout to measure")
    given = parser.parse_args()
    more = {"MNEMOSCENE_EMBEDDING_KIND": "none", "PYTHONPATH": str(given.checkout.resolve())}
    if "MNEMOSCENE_TEST_URI" in os.environ:
        more |= {"NEO4J_URI": os.environ["MNEMOSCENE_TEST_URI"], "NEO4J_USER": "neo4j"}
        more |= {"NEO4J_PASSWORD": os.environ["MNEMOSCENE_TEST_PASSWORD"]}
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder), more)
        with home.running("serve", "--port", "0", "--no-browser", "--json") as service:
            run = measured(service, connections=given.connections, seconds=given.seconds, sockets=given.sockets)
            result = asyncio.run(run)
    result["missed"] = missed(result)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    sys.exit(1 if result["missed"] else 0)


if __name__ == "__main__":
    main()
