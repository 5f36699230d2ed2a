"""The attacks of `tests.benchmarks.attacks`: a registry of one function each, with the rule that the service must meet.

An attack runs beside an honest tenant until it is cancelled, or returns when it is done; observations go into
`stage.notes`, and violations into `stage.fault`. `stage.after(check)` runs a check at the end of the load, before the
service is told to stop. Every refusal is accepted, if it is fast.

The general rule, `Bounds()`, applies to all: no second without a response of `/health`, other tenants' sentences are
read, the service's memory grows by at most 150 MB, and it stops within 30 s of SIGTERM. Further rules are in the
docstrings of the attacks.
"""

import asyncio
import contextlib
import json
import secrets
import socket
import struct
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import httpx
import jwt
from neo4j.exceptions import DriverError, Neo4jError
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from schema.ids import memory_id, message_uri, session_uri, user_uri
from tests.benchmarks.attacked_service import HONEST, AttackedService, free_descriptors
from tests.support.live_service import ServiceAddress

ANSWER_MAX_S: Final = 30.0
REMEMBER: Final = "mutation ($input: RememberInput!) { remember(input: $input) { messageIds spooled } }"
RECALL: Final = """query ($user: String!, $text: String!) {
  recall(userId: $user, query: $text, limit: 10) { confidence hits { id } } }"""
_JWT_SECRET: Final = "0123456789abcdef" * 4
_JWT_AUDIENCE: Final = "attacks"
_REFUSED_SOCKET = (OSError, WebSocketException, TimeoutError, AssertionError, EOFError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Bounds on the effect of an attack on others.

    Attributes:
        gap_s: longest time without a response of `/health`, or three times the value before, if that is longer.
        lag_s: longest time until a sentence of another tenant is read, or three times the value before.
        recall_ratio: maximum slowdown of other tenants' recalls, if bounded; 50 ms are always allowed.
        python_mb: maximum growth of the service's memory.
    """

    gap_s: float = 1.0
    lag_s: float = 5.0
    recall_ratio: float | None = None
    python_mb: float = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """An attack.

    Attributes:
        load_s: how long it runs, unless it returns before.
        settings: settings of the attacked service.
        open_doors: no credential exists.
        witnessed: it is a load on others; otherwise it only sends requests that must be refused, and there is no
            witness.
        disk_mb: the data directory is on a disk of this size; 0 for the usual disk.
    """

    name: str
    run: "Callable[[Stage], Coroutine[Any, Any, None]]"
    bounds: Bounds
    load_s: float
    settings: Mapping[str, str]
    open_doors: bool
    witnessed: bool
    disk_mb: int

    @property
    def rule(self) -> str:
        """Return the rule as text."""
        return " ".join((self.run.__doc__ or "").split())


ATTACKS: Final[dict[str, Attack]] = {}


def attack(
    *,
    bounds: Bounds | None = None,
    load_s: float = 15.0,
    settings: Mapping[str, str] | None = None,
    open_doors: bool = False,
    witnessed: bool = True,
    disk_mb: int = 0,
) -> "Callable[[Callable[[Stage], Coroutine[Any, Any, None]]], Callable[[Stage], Coroutine[Any, Any, None]]]":
    """Register a function as an attack under its name."""

    def taken(run: "Callable[[Stage], Coroutine[Any, Any, None]]") -> "Callable[[Stage], Coroutine[Any, Any, None]]":
        name = str(getattr(run, "__name__", ""))
        ATTACKS[name] = Attack(
            name=name,
            run=run,
            bounds=bounds or Bounds(),
            load_s=load_s,
            settings=settings or {},
            open_doors=open_doors,
            witnessed=witnessed,
            disk_mb=disk_mb,
        )
        return run

    return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The outcome of a request.

    Attributes:
        status: 0 if the connection was refused, closed, or silent for `ANSWER_MAX_S`.
        took_s: seconds until the outcome.
    """

    status: int
    took_s: float
    headers: Mapping[str, str]
    body: Any

    @property
    def data(self) -> Any:
        """Return the GraphQL data; None with errors."""
        good = self.status == 200 and isinstance(self.body, dict) and not self.body.get("errors")
        return self.body["data"] if good else None

    @property
    def code(self) -> str:
        """Return the stable error code of a GraphQL or REST response."""
        body = self.body if isinstance(self.body, dict) else {}
        errors = body.get("errors") or [{}]
        first = errors[0] if isinstance(errors, list) and isinstance(errors[0], dict) else {}
        error = body.get("error")
        told = error.get("code") if isinstance(error, dict) else (first.get("extensions") or {}).get("code")
        return str(told or "")


@dataclass
class Stage:
    """A service under attack, with the observations."""

    service: AttackedService
    http: httpx.AsyncClient
    notes: dict[str, Any] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    checks: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def fault(self, text: str) -> None:
        """Record a violation, once per text."""
        if text not in self.faults:
            self.faults.append(text)

    def after(self, check: Callable[[], Awaitable[None]]) -> None:
        """Run a check at the end of the load."""
        self.checks.append(check)

    async def send(
        self, method: str, path: str, *, key: str = "", timeout_s: float = ANSWER_MAX_S, **more: Any
    ) -> Answer:
        """Send a request and return its outcome, whatever that is."""
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **more.pop("headers", {})}
        begun_s = time.monotonic()
        try:
            async with asyncio.timeout(timeout_s):
                found = await self.http.request(method, path, headers=headers, **more)
        except (httpx.HTTPError, OSError, TimeoutError) as error:
            self.statuses[type(error).__name__] += 1
            return Answer(status=0, took_s=time.monotonic() - begun_s, headers={}, body=None)
        body: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            body = found.json()
        answer = Answer(
            status=found.status_code, took_s=time.monotonic() - begun_s, headers=dict(found.headers), body=body
        )
        self.statuses[f"{answer.status} {answer.code}".strip()] += 1
        self.notes["slowest_answer_s"] = max(self.notes.get("slowest_answer_s", 0.0), round(answer.took_s, 2))
        if answer.status >= 500 and answer.status != 503:
            self.fault(f"{method} {path} answered {answer.status}")
        if answer.code == "INTERNAL":
            self.fault(f"{method} {path} answered INTERNAL")
        return answer

    async def graphql(
        self, query: str, *, key: str | None = None, tenant: str | None = None, **variables: Any
    ) -> Answer:
        """Send a GraphQL operation, by default with the attacker's key."""
        headers = {"Mnemoscene-Tenant": tenant} if tenant else {}
        body = {"query": query, "variables": variables}
        shown = self.service.keys.attacker if key is None else key
        return await self.send("POST", "/graphql", key=shown, json=body, headers=headers)

    async def remember(self, *texts: str, user: str = "mal", session: str = "s", **more: Any) -> Answer:
        """Remember messages as the attacker."""
        messages = [{"role": "USER", "text": text} for text in texts]
        told = {"userId": user, "sessionId": session, "messages": messages}
        return await self.graphql(REMEMBER, input=told, **more)

    async def recall(self, text: str, *, user: str = "mal", **more: Any) -> Answer:
        """Recall as the attacker."""
        return await self.graphql(RECALL, user=user, text=text, **more)


# --- message and question texts -------------------------------------------------------------------------------------


async def _ask_again(stage: Stage, questions: Sequence[str], *, at_once: int = 2, rest_s: float = 0.1) -> None:
    async def asking(number: int) -> None:
        while True:
            for question in (*questions[number:], *questions[:number]):
                await stage.recall(question)
                await asyncio.sleep(rest_s)

    async with asyncio.TaskGroup() as group:
        for number in range(at_once):
            group.create_task(asking(number))


@attack()
async def time_words_question(stage: Stage) -> None:
    """Ask 400 characters of contradicting time expressions again and again; others must not be affected."""
    await _ask_again(stage, ["昨天明年" * 100, "in may in june " * 26, "去年明天" * 100, "last week next year " * 20])


@attack()
async def time_words_stored(stage: Stage) -> None:
    """Store two messages of 1,600 characters and ask about them: both are read, and others are not affected."""
    await stage.remember(("in may in june " * 107)[:1_600], ("昨天明年" * 400)[:1_600])
    await _ask_again(stage, ["What happened in may?", "我昨天做了什么？"], rest_s=0.5)


@attack()
async def time_words_long(stage: Stage) -> None:
    """Store 20,000 characters of time expressions in both languages and ask 4,000; others must not be affected."""
    long = ["昨天明年" * 5_000, ("in may in june " * 1_334)[:20_000], "昨天 in may 明年 in june " * 1_000]
    for number, text in enumerate(long):
        await stage.remember(text[:20_000], session=f"s{number}")
    await _ask_again(stage, [text[:4_000] for text in long], rest_s=0.5)


_SIGNS: Final = " \t\n\u3000\"'“”1[({A-_，。中的、不"
_WORDS: Final = "1.|1,|12:|Aa|A. |a@|a.b|...|中文|Mr. |and |A and |http://|I love |我喜欢|on the "
_RUNS: Final = (*_SIGNS, *_WORDS.split("|"))


@attack(load_s=20.0)
async def regex_bombs(stage: Stage) -> None:
    """Store and ask long runs of one character or word with a mismatching end; others must not be affected."""
    for number in range(0, len(_RUNS), 6):
        texts = [(run * 20_000)[:20_000] + "!x" for run in _RUNS[number : number + 6]]
        await stage.remember(*texts, session=f"s{number}")
    await _ask_again(stage, [(run * 3_990)[:3_990] + "!x" for run in _RUNS], rest_s=0.0)


@attack()
async def deep_json(stage: Stage) -> None:
    """Send JSON arrays 100,000 deep to every interface: each refuses them (4xx or a close), none fails."""
    deep = "[" * 100_000 + "]" * 100_000
    objects = '{"a":' * 100_000 + "1" + "}" * 100_000
    as_json = {"Content-Type": "application/json"}
    mcp = {**as_json, "Accept": "application/json, text/event-stream"}
    key = stage.service.keys.attacker
    while True:
        for text in (deep, objects):
            query = '{"query":"{ jobStatus { waiting } }","variables":' + text + "}"
            await stage.send("POST", "/graphql", key=key, content=query, headers=as_json)
            given = f'{{"query":"query($i: RememberInput!){{ __typename }}","variables":{{"i":{text}}}}}'
            await stage.send("POST", "/graphql", key=key, content=given, headers=as_json)
            await stage.send("POST", "/graphql", key=key, content=text, headers=as_json)
            await stage.send("POST", "/api/sign-in", content=f'{{"key":{text}}}', headers=as_json)
            call = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"recall","arguments":{text}}}}}'
            await stage.send("POST", "/mcp", key=key, content=call, headers=mcp)
            await _live_frame(stage, text)
            await _live_frame(stage, text[:8_000] + text[-8_000:])
        await stage.graphql("{ jobStatus " * 5_000 + "}" * 5_000)
        await stage.graphql("query { recall(userId: " + "[" * 15_000 + "]" * 15_000 + ", query: 1) { confidence } }")
        exported = json.dumps({"format": "mnemoscene-export"}) + "\n" + deep + "\n"
        await stage.graphql("mutation ($t: String!) { importGraph(text: $t) { nodes } }", t=exported)
        await asyncio.sleep(0.2)


async def _live_frame(stage: Stage, text: str) -> None:
    """Send one frame to the live socket and wait until it is answered or closed."""
    with contextlib.suppress(*_REFUSED_SOCKET):
        async with asyncio.timeout(5), ServiceAddress(stage.service.port).connect(compression=None) as door:
            await door.send(text)
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await door.recv()
            stage.statuses[f"live closed {door.close_code}"] += 1


# --- imports and jobs -----------------------------------------------------------------------------------------------


@attack(load_s=20.0)
async def import_without_fields(stage: Stage) -> None:
    """Import jobs without `attempts` and messages without `role`: refused or repaired, and jobs of others continue."""
    imports = {
        "a job without attempts": [*_told_rows(), _job("extract", open=True, due_ms=0)],
        "jobs of other kinds": [
            *_told_rows(),
            *(_job(kind, open=True, due_ms=0, enqueue_count="x") for kind in _KINDS),
        ],
        "a message without role": [
            *_told_rows("role"),
            _job("extract", open=True, due_ms=0, enqueue_count=1, attempts=0),
        ],
        "a message without a time": [
            *_told_rows("said_at", "said_ms"),
            _job("extract", open=True, due_ms=0, enqueue_count=1, attempts=0),
        ],
    }
    taken = stage.notes["imports"] = {}
    query = "mutation ($t: String!) { importGraph(text: $t) { nodes } }"
    for number, (name, rows) in enumerate(imports.items()):
        text = _export_text(rows)
        answer = await stage.graphql(query, key=stage.service.keys.admin, tenant=f"imported-{number}", t=text)
        taken[name] = "taken in" if answer.data else f"refused: {answer.code or answer.status}"
    await asyncio.sleep(10.0)
    ready = await stage.send("GET", "/ready", key=stage.service.keys.admin)
    if ready.status != 200:
        stage.fault(f"/ready answers {ready.status} after the imports")


_KINDS: Final = ("extract", "embed", "close", "forget", "reextract", "nothing")
_SESSION: Final = session_uri("", "ana", "s")


def _told_rows(*left_out: str) -> list[dict[str, Any]]:
    """Return a session with one unread message as exported, without some of its fields."""
    user, message = user_uri("", "ana"), message_uri(_SESSION, "m1")
    whose = {"user_id": "ana"}
    at = {"$time": "2026-01-31T18:00:00Z"}
    said = {
        "id": memory_id(message),
        "uri": message,
        **whose,
        "session_id": memory_id(_SESSION),
        "position": 0,
        "role": "user",
        "speaker": "Ana",
        "text": "I love jasmine tea.",
        "said_at": at,
        "said_ms": 1769882400000,
        "said_day": "20260131",
        "content_hash": "x",
        "received_at": at,
        "unread": True,
        "unembedded": True,
    }
    session = {"id": memory_id(_SESSION), "uri": _SESSION, **whose, "session_id": "s", "first_at": at}
    return [
        {"node": "Session", "properties": {**session, "user_node_id": memory_id(user)}},
        {"node": "Message", "properties": {name: value for name, value in said.items() if name not in left_out}},
        {"node": "User", "properties": {"id": memory_id(user), "uri": user, **whose, "name": "Ana"}},
    ]


def _job(kind: str, **more: Any) -> dict[str, Any]:
    session = memory_id(_SESSION)
    return {"node": "Job", "properties": {"id": f"{session}/{kind}", "kind": kind, "session": session, **more}}


def _export_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return an export with a matching last line."""
    head = {"format": "mnemoscene-export", "version": 1, "embedder": None, "tenant": {"seq": 0}}
    first, *rest = (json.dumps(row, ensure_ascii=False) + "\n" for row in (head, *rows))
    digest = sha256((first + "".join(rest)).encode()).hexdigest()
    nodes = sum("node" in row for row in rows)
    end = {"end": {"nodes": nodes, "edges": len(rows) - nodes, "sha256": digest}}
    return first + "".join(rest) + json.dumps(end) + "\n"


# --- connections ----------------------------------------------------------------------------------------------------


@dataclass
class _Held:
    """A connection of a client that stalls."""

    socket: socket.socket
    opened_s: float
    dribbles: bytes

    def still_open(self) -> bool:
        """Return whether the service has not closed it; received data is read."""
        try:
            while True:
                data = self.socket.recv(65_536, socket.MSG_DONTWAIT)
                if not data:
                    return False
        except BlockingIOError:
            return True
        except OSError:
            return False

    def dribble(self) -> None:
        """Send one more byte."""
        with contextlib.suppress(OSError):
            self.socket.send(self.dribbles, socket.MSG_DONTWAIT)


async def _hold(
    stage: Stage,
    count: int,
    openings: Sequence[tuple[bytes, bytes]],
    *,
    open_max_s: float | None = None,
) -> None:
    """Keep this number of connections open, replacing closed ones, until cancelled.

    Args:
        openings: what a connection sends first, and what it adds every second.
        open_max_s: a connection open for longer is a violation.
    """
    number, closed = 0, 0
    held: list[_Held] = []
    try:
        while True:
            alive: list[_Held] = []
            for one in held:
                if one.still_open():
                    alive.append(one)
                else:
                    one.socket.close()
                    closed += 1
            held = alive
            for one in alive:
                if one.dribbles:
                    one.dribble()
            chosen = [openings[(number + one) % len(openings)] for one in range(min(count - len(alive), 250))]
            opening = [asyncio.to_thread(_opened, stage.service.port, said) for said, _ in chosen]
            for opened, (_, dribbles) in zip(await asyncio.gather(*opening), chosen, strict=True):
                if opened is not None:
                    held.append(_Held(opened, time.monotonic(), dribbles))
                    number += 1
            oldest_s = max((time.monotonic() - one.opened_s for one in held), default=0.0)
            stage.notes |= {"opened": number, "closed_by_service": closed, "oldest_s": round(oldest_s)}
            stage.notes["most_open"] = max(stage.notes.get("most_open", 0), len(held))
            if open_max_s is not None and oldest_s > open_max_s:
                stage.fault(f"a connection that says nothing whole is open after {open_max_s:g} s")
            await asyncio.sleep(1.0)
    finally:
        for one in held:
            one.socket.close()


def _opened(port: int, said: bytes) -> socket.socket | None:
    door = socket.socket()
    door.settimeout(3)
    try:
        door.connect(("127.0.0.1", port))
        door.settimeout(2)
        if said:
            door.sendall(said)
    except OSError:
        if not said or len(said) < 65_536:
            door.close()
            return None
    # A service that reads no more of a body may still keep what it has read.
    door.setblocking(False)
    return door


@attack(bounds=Bounds(recall_ratio=2.0, python_mb=100.0), load_s=35.0)
async def silent_connections(stage: Stage) -> None:
    """Hold 1,500 connections that are silent, stop in the header, or dribble a body: none stays open for more than 30
    s, and other tenants' recalls take at most twice as long as before."""
    host = f"Host: 127.0.0.1:{stage.service.port}\r\n".encode()
    json_body = b"Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    openings = [
        (b"", b""),
        (b"GET /health HTTP/1.1\r\n" + host + b"X-Slow: ", b""),
        (b"GET /health HTTP/1.1\r\n" + host + b"X-Slow: ", b"a"),
        (b"POST /api/sign-in HTTP/1.1\r\n" + host + json_body, b" "),
        (b"POST /graphql HTTP/1.1\r\n" + host + json_body, b" "),
    ]
    count = min(1_500, free_descriptors() // 2)
    await _hold(stage, count, openings, open_max_s=30.0)


@attack(bounds=Bounds(python_mb=150.0))
async def sign_in_bodies(stage: Stage) -> None:
    """Send 60 bodies of 16 MB to /api/sign-in, without an end and without a credential; memory must not grow."""
    size = 16_000_000
    head = (
        f"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1:{stage.service.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    )
    said = head.encode() + b'{"key":"' + b"a" * (size - 1_000)
    await _hold(stage, 60, [(said, b"a")])


@attack(bounds=Bounds(python_mb=150.0))
async def deflate_frames(stage: Stage) -> None:
    """Send 60 sockets deflated frames of 16 MB before hello; memory must not grow."""
    frame = _deflated_frame(b" " * 15_900_000)
    live = _upgrade(stage.service.port, "/live", "mnemoscene.v1")
    graphql = _upgrade(stage.service.port, "/graphql", "graphql-transport-ws")

    async def flooding(number: int) -> None:
        while True:
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection("127.0.0.1", stage.service.port)
                try:
                    async with asyncio.timeout(8):
                        writer.write(live if number % 10 else graphql)
                        answer = await reader.readuntil(b"\r\n")
                        stage.statuses[answer.decode("latin-1").strip()] += 1
                        if b" 101 " in answer:
                            writer.write(frame)
                            await writer.drain()
                            # Wait until the service closes it.
                            while await reader.read(65_536):
                                pass
                except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                    stage.statuses["closed"] += 1
                finally:
                    writer.close()
            await asyncio.sleep(0.2)

    async with asyncio.TaskGroup() as group:
        for number in range(60):
            group.create_task(flooding(number))


def _upgrade(port: int, path: str, protocol: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Protocol: {protocol}\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    ).encode()


def _deflated_frame(text: bytes) -> bytes:
    """Return the first fragment of a message (RFC 6455, RFC 7692), which a server must keep until the next one."""
    squeezing = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = squeezing.compress(text) + squeezing.flush(zlib.Z_SYNC_FLUSH)
    # RSV1 and text without FIN; a mask of zeros leaves the body unchanged.
    return struct.pack("!BBQ", 0x41, 0x80 | 127, len(body)) + bytes(4) + body


@attack(load_s=20.0)
async def silent_sockets(stage: Stage) -> None:
    """Hold 300 viewer sockets without hello; an honest viewer connects within 2 s each time."""
    door, tries = ServiceAddress(stage.service.port), Counter[str]()

    async def silent() -> None:
        while True:
            with contextlib.suppress(*_REFUSED_SOCKET):
                async with door.connect(open_timeout=5, close_timeout=0.2) as held:
                    await held.wait_closed()
            await asyncio.sleep(0.05)

    async def honest() -> None:
        await asyncio.sleep(3.0)
        while True:
            begun_s = time.monotonic()
            try:
                async with asyncio.timeout(10), door.viewer(HONEST, token=stage.service.keys.honest or None) as viewer:
                    told = str(viewer.hello_ack.get("t")) + str(viewer.hello_ack.get("code", ""))
            except _REFUSED_SOCKET as error:
                told = type(error).__name__
            took_s = time.monotonic() - begun_s
            stage.notes["slowest_viewer_s"] = max(stage.notes.get("slowest_viewer_s", 0.0), round(took_s, 2))
            tries[told if took_s < 2 else "too late"] += 1
            stage.notes["honest_viewer"] = dict(tries)
            await asyncio.sleep(1.0)

    async def check() -> None:
        if not tries or set(tries) - {"hello_ack"}:
            stage.fault(f"an honest viewer was turned away: {dict(tries)}")

    stage.after(check)
    async with asyncio.TaskGroup() as group:
        group.create_task(honest())
        for _ in range(300):
            group.create_task(silent())


# --- GraphQL --------------------------------------------------------------------------------------------------------


@attack(bounds=Bounds(python_mb=150.0), load_s=20.0)
async def graphql_documents(stage: Stage) -> None:
    """Send 400 different documents of 16,000 characters; the document cache stays below 150 MB."""
    sent = 0

    async def sending(first: int) -> None:
        nonlocal sent
        for number in range(first, 400, 4):
            document = f"query D{number} {{ {'a ' * 7_980}"[:15_980] + "}"
            answer = await stage.graphql(document)
            if answer.status == 429:
                await asyncio.sleep(1.0)
            sent += 1
            stage.notes["documents"] = sent

    async with asyncio.TaskGroup() as group:
        for first in range(4):
            group.create_task(sending(first))


@attack(settings={"MNEMOSCENE_AUTH_BURST": "10"})
async def graphql_socket_flood(stage: Stage) -> None:
    """Send 300 documents through one socket with a key of 5 requests per second; its burst is 10, and no more pass."""
    told, begun_s, ended_s = Counter[str](), time.monotonic(), time.monotonic()

    async def check() -> None:
        took_s, passed = ended_s - begun_s, sum(count for what, count in told.items() if "RATE" not in what)
        allowed = 10 + 5 * took_s + 5
        stage.notes |= {"answers": dict(told), "let_through": passed, "took_s": round(took_s, 1)}
        if passed > allowed:
            stage.fault(f"{passed} documents in {took_s:.1f} s at 5 a second; {allowed:.0f} may pass")

    stage.after(check)
    with contextlib.suppress(*_REFUSED_SOCKET):
        async with connect(
            f"ws://127.0.0.1:{stage.service.port}/graphql",
            subprotocols=[Subprotocol("graphql-transport-ws")],
            additional_headers={"Authorization": f"Bearer {stage.service.keys.slow}"},
        ) as door:
            await door.send('{"type": "connection_init"}')
            await asyncio.wait_for(door.recv(), 10)
            begun_s = time.monotonic()
            for number in range(300):
                query = f"query D{number} {{ {'jobStatus { waiting } ' * 15}}}"
                await door.send(json.dumps({"id": str(number), "type": "subscribe", "payload": {"query": query}}))
                # A connection may have few subscriptions at a time, so the next starts when this one ends.
                frame = json.loads(await asyncio.wait_for(door.recv(), 12))
                while frame["type"] not in ("next", "error"):
                    frame = json.loads(await asyncio.wait_for(door.recv(), 12))
                told[_told_by(frame)] += 1
                ended_s = time.monotonic()


def _told_by(frame: dict[str, Any]) -> str:
    payload = frame.get("payload")
    errors = payload if isinstance(payload, list) else (payload or {}).get("errors") or []
    if not errors:
        return "answered"
    first = errors[0]
    return str((first.get("extensions") or {}).get("code") or first.get("message", "error"))[:60]


_ENDLESS: Final = "RETURN reduce(s = 0, i IN range(1, 20000000000) | s + i) AS s"
_CYPHER: Final = "query ($s: String!, $t: Float) { cypher(statement: $s, timeoutS: $t) { rows truncated } }"


# Maximum number of analyst statements running at a time, including abandoned ones.
_RUNNING_MAX: Final = 2


@attack(bounds=Bounds(recall_ratio=4.0, lag_s=10.0), load_s=20.0)
async def analyst_cpu(stage: Stage) -> None:
    """Run endless sums as an administrator, six at a time, for a second each: at most two run in Neo4j at any time, and
    other tenants' recalls take at most four times as long as before."""

    async def asking() -> None:
        while True:
            answer = await stage.graphql(_CYPHER, key=stage.service.keys.admin, s=_ENDLESS, t=1.0)
            if answer.data:
                stage.fault("an endless sum was answered")

    async def counting() -> None:
        while True:
            await asyncio.sleep(3.0)
            await _count_endless(stage)

    async def check() -> None:
        await asyncio.sleep(3.0)
        await _count_endless(stage)
        before_s, begun_s = stage.service.java_cpu_s(), time.monotonic()
        await asyncio.sleep(5.0)
        used = (stage.service.java_cpu_s() - before_s) / (time.monotonic() - begun_s)
        stage.notes["java_cores_after"] = round(used, 2)

    stage.after(check)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(14), asyncio.TaskGroup() as group:
            group.create_task(counting())
            for _ in range(6):
                group.create_task(asking())


async def _count_endless(stage: Stage) -> None:
    """Count the endless statements in Neo4j, by asking it rather than the service."""
    try:
        running = await stage.service.statements_running("20000000000")
    except (DriverError, Neo4jError, OSError) as error:
        stage.notes["not counted"] = type(error).__name__
        return
    stage.notes["most_running"] = max(stage.notes.get("most_running", 0), running)
    if running > _RUNNING_MAX:
        stage.fault(f"more than {_RUNNING_MAX} endless statements run in Neo4j at a time")


_SHOWN: Final = """SHOW SETTINGS;SHOW TRANSACTIONS;SHOW PROCEDURES;SHOW FUNCTIONS;SHOW USERS;SHOW ROLES;SHOW DATABASES
SHOW CURRENT USER;SHOW PRIVILEGES;SHOW INDEXES;SHOW CONSTRAINTS;SHOW SERVERS;SHOW SETTINGS YIELD name, value RETURN name
CYPHER 25 SHOW SETTINGS;CYPHER 5 SHOW TRANSACTIONS;SHOW PROCEDURES YIELD name RETURN count(*);CALL dbms.listConfig()
CALL dbms.components();TERMINATE TRANSACTION 'neo4j-transaction-1';LOAD CSV FROM 'file:///etc/passwd' AS r RETURN r"""


@attack(load_s=60.0, witnessed=False)
async def analyst_show(stage: Stage) -> None:
    """Query server-level data as an administrator; all of it is refused."""
    passed, key = [], stage.service.keys.admin
    statements = _SHOWN.replace("\n", ";").split(";")
    for statement in statements:
        answer = await stage.graphql(_CYPHER, key=key, s=statement, t=5.0)
        if answer.data:
            passed.append(statement)
    stage.notes |= {"statements": len(statements), "passed": passed}
    good = await stage.graphql(_CYPHER, key=key, s="MATCH (u:User) RETURN count(u)", t=5.0)
    if not good.data:
        stage.fault(f"a harmless statement is refused too: {good.status} {good.code}")
    if passed:
        stage.fault(f"{len(passed)} statements about the server pass: {', '.join(passed[:4])} …")


# --- forgetting -------------------------------------------------------------------------------------------------------


@attack(load_s=25.0)
async def forgotten_user_spool(stage: Stage) -> None:
    """Forget a user while four writers send messages of that user: nothing acknowledged is put aside, and other users
    and tenants are not delayed."""
    for number in range(3):
        texts = [f"I love tea number {number} {line}. 我喜欢第{number}种茶。" for line in range(40)]
        await stage.remember(*texts, user="ida", session=f"s{number}")
    counts = Counter[str]()

    async def talking(number: int) -> None:
        while True:
            answer = await stage.remember("I live in Paris. 我住在巴黎。", user="ida", session=f"t{number}")
            if answer.data:
                counts["acknowledged"] += 1
                counts["spooled"] += bool(answer.data["remember"]["spooled"])
            await asyncio.sleep(0.1)

    async def check() -> None:
        stage.notes |= counts
        await _spool_is_empty(stage, within_s=20.0)

    stage.after(check)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(18), asyncio.TaskGroup() as group:
            for number in range(4):
                group.create_task(talking(number))
            await asyncio.sleep(1.0)
            for _ in range(3):
                gone = await stage.graphql('mutation { forgetUser(userId: "ida") { __typename } }')
                stage.notes["forgetting"] = f"{gone.status} {gone.code}".strip()
                await asyncio.sleep(3.0)


async def _spool_is_empty(stage: Stage, *, within_s: float) -> None:
    """Wait until the spool is empty; an episode put aside, or still waiting, is a violation."""
    until_s = time.monotonic() + within_s
    told: Any = None
    while told is None or told["waiting"]:
        if time.monotonic() > until_s:
            break
        answer = await stage.graphql("{ spool { waiting refused } }")
        told = answer.data["spool"] if answer.data else None
        await asyncio.sleep(0.5)
    stage.notes["spool"] = told
    if told is None or told["waiting"]:
        stage.fault(f"acknowledged calls wait in the spool {within_s:g} s later: {told}")
    if told and told["refused"]:
        stage.fault(f"{told['refused']} acknowledged calls were put aside")


# --- authentication -------------------------------------------------------------------------------------------------


@attack(load_s=60.0, witnessed=False)
async def forwarded_headers(stage: Stage) -> None:
    """Send X-Forwarded-* without a configured proxy: they change neither scheme nor address."""
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
    signed = await stage.send("POST", "/api/sign-in", json={"key": stage.service.keys.attacker}, headers=told)
    if "secure" in signed.headers.get("set-cookie", "").lower():
        stage.fault("X-Forwarded-Proto of anybody makes a request https")
    elif signed.status == 200:
        stage.notes["cookie"] = "not secure over plain http, as it should be"
    wrong = Counter[int]()

    async def guessing(first: int) -> None:
        for number in range(first, 200, 10):
            told = {"X-Forwarded-For": f"203.0.113.{number}"}
            wrong[(await stage.send("GET", "/api/access", key="mnk_wrong", headers=told)).status] += 1

    await asyncio.gather(*map(guessing, range(10)))
    stage.notes["wrong_keys"] = {str(status): count for status, count in wrong.items()}
    if not wrong[429]:
        stage.fault("X-Forwarded-For of anybody gets round the rate of wrong credentials")


@attack(
    load_s=60.0,
    witnessed=False,
    settings={"MNEMOSCENE_AUTH_JWT_SECRET": _JWT_SECRET, "MNEMOSCENE_AUTH_JWT_AUDIENCE": _JWT_AUDIENCE},
)
async def jwt_null_tenant(stage: Stage) -> None:
    """Send signed tokens whose tenant is not text: each gets 401, and one with a valid tenant is accepted."""
    lacking: dict[str, Any] = {}
    claims = {
        "null": None,
        "true": True,
        "0": 0,
        "1.5": 1.5,
        "[]": ["honest"],
        "{}": {"a": 1},
        "empty": "",
        "space": " ",
    }
    for name, tenant in claims.items():
        answer = await stage.send("GET", "/api/access", key=_token(tenant=tenant))
        if answer.status != 401:
            lacking[name] = answer.body if answer.status == 200 else answer.status
    without = await stage.send("GET", "/api/access", key=_token())
    if without.status != 401:
        lacking["no claim"] = without.status
    good = await stage.send("GET", "/api/access", key=_token(tenant=HONEST))
    if good.status != 200:
        stage.fault(f"a token of the tenant {HONEST} is refused with {good.status}")
    stage.notes["let_in"] = lacking
    if lacking:
        stage.fault(f"tokens whose tenant is no text are let in: {', '.join(lacking)}")


def _token(**claims: Any) -> str:
    told = {"sub": "mal", "aud": _JWT_AUDIENCE, "exp": time.time() + 600, "role": "write", **claims}
    return jwt.encode(told, _JWT_SECRET, algorithm="HS256")


@attack(open_doors=True, witnessed=False)
async def foreign_page_mcp(stage: Stage) -> None:
    """Open 100 streams of GET /mcp from another origin: each is refused within 5 s, and none stays open."""
    foreign = {"Origin": "http://evil.example", "Accept": "text/event-stream"}
    held = Counter[str]()

    async def opening() -> None:
        try:
            async with asyncio.timeout(5), stage.http.stream("GET", "/mcp", headers=foreign) as answer:
                if answer.status_code < 400:
                    held[f"{answer.status_code} to a foreign page"] += 1
                async for _ in answer.aiter_bytes():
                    pass
                held[f"refused {answer.status_code}"] += 1
        except TimeoutError:
            held["held open"] += 1
        except (httpx.HTTPError, OSError) as error:
            held[type(error).__name__] += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(100):
            group.create_task(opening())
    stage.notes["streams"] = dict(held)
    if held["held open"] or any("foreign" in what for what in held):
        stage.fault(f"streams of a foreign page: {dict(held)}")


# --- disks ----------------------------------------------------------------------------------------------------------


@attack(bounds=Bounds(lag_s=30.0), load_s=45.0, disk_mb=400)
async def database_full_disk(stage: Stage) -> None:
    """Fill the disk of the data directory for 12 s: calls get a stable code other than INTERNAL, and 30 s after space
    is freed everything works without a restart."""
    data, answers = Path(stage.service.home.environ["MNEMOSCENE_DATA_DIR"]), Counter[str]()
    filler = data / "filler"
    until_s = time.monotonic() + 12
    try:
        number = 0
        while time.monotonic() < until_s:
            await asyncio.to_thread(_fill, filler)
            number += 1
            said = [f"I love tea number {number} {line} {secrets.token_hex(200)}." for line in range(20)]
            answer = await stage.remember(*said, session=f"s{number}")
            spooled = bool(answer.data and answer.data["remember"]["spooled"])
            answers["spooled" if spooled else "stored" if answer.data else answer.code or str(answer.status)] += 1
            await asyncio.sleep(0.2)
    finally:
        filler.unlink(missing_ok=True)
    stage.notes |= {"answers_on_a_full_disk": dict(answers)}
    room_s = time.monotonic()
    stored = False
    while time.monotonic() - room_s < 30:
        # Repeat until the database itself stores it: each sentence is new work.
        stored = stored or await _is_stored(stage)
        if stored and await _nothing_waits(stage):
            stage.notes["works_again_after_s"] = round(time.monotonic() - room_s, 1)
            return
        await asyncio.sleep(0.5)
    ready = await stage.send("GET", "/ready", key=stage.service.keys.admin, timeout_s=5)
    stage.notes["ready"] = ready.body
    stage.fault("30 s after there is room again it does not work as before")


async def _is_stored(stage: Stage) -> bool:
    """Remember a sentence; return whether the database itself stored it."""
    told = await stage.remember("I live in Paris.", session="after")
    return bool(told.data) and not told.data["remember"]["spooled"]


async def _nothing_waits(stage: Stage) -> bool:
    """Return whether the service is ready, without jobs and with an empty spool."""
    ready = await stage.send("GET", "/ready", key=stage.service.keys.admin, timeout_s=5)
    left = await stage.graphql("{ jobStatus { waiting leased } spool { waiting refused } }")
    if not left.data or ready.status != 200:
        return False
    stage.notes["spool"] = left.data["spool"]
    return not (left.data["spool"]["waiting"] or any(left.data["jobStatus"].values()))


def _fill(path: Path) -> None:
    """Write until the disk is full."""
    with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
        for block in (bytes(2**20), bytes(4_096)):
            with contextlib.suppress(OSError):
                while file.write(block) == len(block):
                    pass
