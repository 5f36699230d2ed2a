"""Limits on client connections: their number, their waiting times, and unsent data for clients that do not read.

uvicorn has no such limits: it keeps an incomplete request head, or an unread answer, forever. A connection is a
*stranger* until a request on it is authorised (by a key, or in an open service) or its WebSocket is greeted. Strangers,
and requests with an incomplete body, wait in queues of bounded length. When a queue is full, the connection that has
waited longest is closed for the new one, so that active clients get in however many are silent.
"""

import asyncio
import logging
import math
import resource
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import CloseCode, Frame
from websockets.server import ServerProtocol

from graph_service.auth.access import CONNECTION_KEY
from graph_service.observability.metrics import CONNECTIONS_CLOSED

# Open files reserved for everything but client connections: the driver's pool, the spool, logs.
FILES_KEPT: Final = 256
FILES_MAX: Final = 65_536
# Per read of a connection; 16 kB of the smallest frames or chunks block the event loop for about 40 ms.
READ_BYTES: Final = 16_384
# Per WebSocket message: viewers' frames have at most 16 kB, and subscriptions are short.
MESSAGE_BYTES_MAX: Final = 65_536
FRAGMENTS_MAX: Final = 256
PINGS_PER_S: Final = 20
# A client with more than 1/SHARE of a full queue loses its own oldest connection, not another client's.
SHARE: Final = 8
PULSE_S: Final = 1.0
# Longer than common clients keep an idle connection (httpx 5 s, aiohttp 15 s): otherwise a request may be sent while
# the server closes its connection, and fails.
KEEP_ALIVE_S: Final = 20
_NOISE: Final = ("Invalid HTTP request received.", "Unsupported upgrade request.", "No supported WebSocket library")


class State(Enum):
    """The event that a connection waits for."""

    HEAD = "the head of a request"
    BODY = "the body of a request"
    BUSY = "our response"
    LINGERING = "the rest of a body that was answered already"
    RESTING = "the next request"
    GREETING = "the first message of a socket"
    OPEN = "nothing: an open socket that was greeted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Limits of one server.

    Attributes:
        connections: in total.
        strangers: without an authorised request.
        uploads: authorised requests with an incomplete body.
        body_bytes_per_s: minimum rate of a body after the first `body_s`.
        write_s: time in which a client must read `write_bytes` of the unsent data, or all of it.
        stop_s: time that clients have left during shutdown.
    """

    connections: int = 4_096
    strangers: int = 512
    uploads: int = 512
    head_s: float = 10.0
    body_s: float = 10.0
    body_bytes_per_s: float = 65_536.0
    linger_s: float = 2.0
    rest_s: float = KEEP_ALIVE_S + 5.0
    greeting_s: float = 10.0
    write_s: float = 20.0
    write_bytes: int = 20_480
    stop_s: float = 3.0

    def seconds(self, state: State) -> float:
        """Return the maximum time in a state; infinite while the server is expected to act, not the client."""
        limits: Mapping[State, float] = {
            State.HEAD: self.head_s,
            State.BODY: self.body_s,
            State.LINGERING: self.linger_s,
            State.RESTING: self.rest_s,
            State.GREETING: self.greeting_s,
        }
        return limits.get(state, math.inf)


def limits_within(files: int) -> ConnectionLimits:
    """Return limits that leave enough open files for everything else.

    Args:
        files: limit of open files of this process.
    """
    usual = ConnectionLimits()
    connections = max(min(usual.connections, files - FILES_KEPT), 32)
    return ConnectionLimits(
        connections=connections,
        strangers=min(usual.strangers, connections // 4),
        uploads=min(usual.uploads, connections // 8),
    )


def raise_file_limit() -> int:
    """Raise this process's limit of open files as far as allowed, at most to `FILES_MAX`; return the new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
    if soft == resource.RLIM_INFINITY or soft >= target:
        return FILES_MAX if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    except (OSError, ValueError):
        return soft
    return target


class WaitQueue:
    """A queue of at most `places` waiting connections, oldest first."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._holders: OrderedDict[Guard, str] = OrderedDict()

    def __len__(self) -> int:
        return len(self._holders)

    def join(self, guard: "Guard", holder: str) -> "Guard | None":
        """Append a connection of a client; return the one that was removed for it if the queue was full.

        A client with more than its share loses its own oldest connection.

        Args:
            holder: the client's quota key, or its address while it is not authorised.
        """
        evicted = None
        if len(self._holders) >= self._places:
            own = [known for known, other in self._holders.items() if other == holder]
            evicted = own[0] if len(own) > self._places // SHARE else next(iter(self._holders))
            del self._holders[evicted]
        self._holders[guard] = holder
        return evicted

    def leave(self, guard: "Guard") -> None:
        """Remove a connection if it is queued here."""
        self._holders.pop(guard, None)

    def oldest(self) -> "Guard | None":
        """Return the connection that has waited longest."""
        return next(iter(self._holders), None)


class Connections:
    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.stopping = False
        self.strangers = WaitQueue(limits.strangers)
        self.uploads = WaitQueue(limits.uploads)
        self.resting = WaitQueue(limits.connections)
        self._guards: dict[asyncio.Transport, Guard] = {}

    def __len__(self) -> int:
        return len(self._guards)

    def guard(self, transport: asyncio.Transport, address: str) -> "Guard":
        """Return the guard of a connection; it stays the same after an upgrade to a WebSocket."""
        known = self._guards.get(transport)
        if known is not None:
            return known
        guard = self._guards[transport] = Guard(self, transport, address)
        if len(self._guards) > self.limits.connections:
            (self.resting.oldest() or self.strangers.oldest() or guard).cut("evicted")
        return guard

    def forget(self, guard: "Guard") -> None:
        self._guards.pop(guard.transport, None)

    def stop(self) -> None:
        """Shorten all waiting times, for shutdown."""
        self.stopping = True
        for guard in list(self._guards.values()):
            guard.hurry()


class Guard:
    """Enforces the limits of one connection, every `PULSE_S`."""

    def __init__(self, connections: Connections, transport: asyncio.Transport, address: str) -> None:
        self.transport = transport
        self.state = State.HEAD
        self._connections = connections
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._holder: str | None = None
        self._queue: WaitQueue | None = None
        self._until_s = self._loop.time() + connections.limits.seconds(State.HEAD)
        self._unsent: tuple[float, int] | None = None
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(PULSE_S, self._pulse)
        self._enqueue()

    def become(self, state: State) -> None:
        """Set the state; its time limit starts if the state has changed."""
        if state is self.state or self._timer is None:
            return
        self.state = state
        limit_s = self._connections.limits.seconds(state)
        if self._connections.stopping:
            limit_s = min(limit_s, self._connections.limits.stop_s)
        self._until_s = self._loop.time() + limit_s
        self._enqueue()

    def took(self, size: int) -> None:
        """Extend the time limit of a request body by the bytes received."""
        if self.state is State.BODY:
            self._until_s += size / self._connections.limits.body_bytes_per_s

    def admit(self, holder: str) -> None:
        """Mark the connection as authorised for `holder`, after an authorised request or a greeting."""
        self._holder = holder
        if self.state is State.GREETING:
            self.become(State.OPEN)
        else:
            self._enqueue()

    def drained(self) -> None:
        """Restart the check for unread data, after the client has read most of it."""
        self._unsent = None

    def hurry(self) -> None:
        """Shorten the time limit to `stop_s`, unless the server is the one expected to act."""
        if self.state not in (State.BUSY, State.OPEN):
            self._until_s = min(self._until_s, self._loop.time() + self._connections.limits.stop_s)

    def cut(self, reason: str) -> None:
        """Close the connection at once, drop unsent data, and count the reason."""
        if self._timer is not None:
            CONNECTIONS_CLOSED.add(reason)
            self.lost()
        self.transport.abort()

    def lost(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._queue is not None:
            self._queue.leave(self)
            self._queue = None
        self._connections.forget(self)

    def _enqueue(self) -> None:
        """Move to the queue for the state and the holder; close the connection that this evicts, if any."""
        queue: WaitQueue | None = None
        if self._holder is None:
            queue = self._connections.strangers
        elif self.state is State.BODY:
            queue = self._connections.uploads
        elif self.state in (State.RESTING, State.HEAD, State.LINGERING):
            queue = self._connections.resting
        # A stranger with a complete request is not silent: it moves to the end.
        if queue is self._queue and self.state is not State.BUSY:
            return
        if self._queue is not None:
            self._queue.leave(self)
        self._queue = queue
        if queue is not None:
            evicted = queue.join(self, self._holder or self._address)
            if evicted is not None:
                evicted.cut("evicted")

    def _pulse(self) -> None:
        now_s = self._loop.time()
        if now_s >= self._until_s:
            self.cut("timeout")
        elif self._stuck(now_s):
            self.cut("not_reading")
        else:
            self._timer = self._loop.call_later(PULSE_S, self._pulse)

    def _stuck(self, now_s: float) -> bool:
        """Return True if the client has read too little of the unsent data within the time limit."""
        size = self.transport.get_write_buffer_size()
        if size == 0:
            self._unsent = None
            return False
        if self._unsent is None:
            self._unsent = now_s, size
            return False
        limits = self._connections.limits
        since_s, before = self._unsent
        if now_s - since_s < (limits.stop_s if self._connections.stopping else limits.write_s):
            return False
        self._unsent = now_s, size
        return before - size < min(before, limits.write_bytes)


class _Guarded(asyncio.Protocol):
    """Guard the connection of a protocol of uvicorn, HTTP or WebSocket."""

    def __init__(self, *args: Any, connections: Connections, **more: Any) -> None:
        super().__init__(*args, **more)
        self._connections = connections
        self._guard: Guard | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._guard is not None:
            self._guard.lost()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        if self._guard is not None:
            self._guard.drained()
        super().resume_writing()


class GuardedHttp(_Guarded, H11Protocol):
    """uvicorn's HTTP protocol with connection limits."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        _limit_reads(transport)
        self._guard = self._connections.guard(transport, _address(self.client))

    def data_received(self, data: bytes) -> None:
        if self._guard is not None:
            self._guard.took(len(data))
        super().data_received(data)

    def handle_events(self) -> None:
        """Process received events and update the state."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self._guard is not None:
            self.scope[CONNECTION_KEY] = self._guard  # type: ignore[typeddict-unknown-key]
        self._note()

    def on_response_complete(self) -> None:
        """Complete a response and drop the unread rest of the request body."""
        if self.cycle is not None:
            self.cycle.body = bytearray()
        super().on_response_complete()
        self._note()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.become(State.GREETING)
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        CONNECTIONS_CLOSED.add("malformed")
        super().send_400_response(msg)

    def _note(self) -> None:
        if self._guard is None or self.transport.is_closing():
            return
        theirs = self.conn.their_state
        if theirs is h11.IDLE:
            self._guard.become(State.HEAD if self.conn.trailing_data[0] else State.RESTING)
        elif theirs is h11.SEND_BODY:
            answered = self.cycle is not None and self.cycle.response_complete
            self._guard.become(State.LINGERING if answered else State.BODY)
        else:
            self._guard.become(State.BUSY)


class GuardedSocket(_Guarded, WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with connection limits.

    Each message is compressed on its own; a shared context would take 40 kB per connection.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._pings = 0
        self._pings_since_s = 0.0
        deflate = ServerPerMessageDeflateFactory(
            server_no_context_takeover=True,
            client_no_context_takeover=True,
            server_max_window_bits=15,
            client_max_window_bits=12,
            compress_settings={"memLevel": 8},
        )
        self.conn = ServerProtocol(
            extensions=[deflate] if self.config.ws_per_message_deflate else [],
            max_size=self.config.ws_max_size,
            logger=logging.getLogger("uvicorn.error"),
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over the guard of the HTTP connection that was upgraded; it then waits for the first message."""
        super().connection_made(transport)
        _limit_reads(transport)
        self._guard = self._connections.guard(cast(asyncio.Transport, transport), _address(self.client))
        self._guard.become(State.GREETING)

    async def run_asgi(self) -> None:
        """Run the application with the guard in its scope, so that it can admit the connection after the greeting."""
        self.scope[CONNECTION_KEY] = self._guard  # type: ignore[typeddict-unknown-key]
        await super().run_asgi()

    def handle_cont(self, event: Frame) -> None:
        """Process a fragment of a message; limit their number, as fragments may be empty."""
        if len(self.frames) >= FRAGMENTS_MAX:
            self._fail(CloseCode.MESSAGE_TOO_BIG, f"a message may have at most {FRAGMENTS_MAX} fragments")
            return
        super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer pings while the client reads; close the connection after more than `PINGS_PER_S`."""
        now_s = self.loop.time()
        if now_s - self._pings_since_s > 1.0:
            self._pings, self._pings_since_s = 0, now_s
        self._pings += 1
        pongs = self.conn.data_to_send()
        if self._pings > PINGS_PER_S:
            self._fail(CloseCode.POLICY_VIOLATION, f"more than {PINGS_PER_S} pings per second")
        elif self.writable.is_set():
            self.transport.write(b"".join(pongs))

    def _fail(self, code: CloseCode, reason: str) -> None:
        if not self.close_sent and not self.transport.is_closing():
            CONNECTIONS_CLOSED.add("malformed")
            self.conn.fail(code, reason)
            self.handle_parser_exception()


class _DropMalformed(logging.Filter):
    """Drop log lines that any client can trigger."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False if the message begins with one of `_NOISE`, so that the line is dropped."""
        return not str(record.msg).startswith(_NOISE)


def silence_noise() -> None:
    """Keep malformed requests out of the log; `mnemoscene_connections_closed` counts them."""
    logger = logging.getLogger("uvicorn.error")
    if not any(isinstance(known, _DropMalformed) for known in logger.filters):
        logger.addFilter(_DropMalformed())


def _address(client: tuple[str, int] | None) -> str:
    return client[0] if client else ""


def _limit_reads(transport: asyncio.BaseTransport) -> None:
    """Limit asyncio's reads to `READ_BYTES` instead of 256 kB, where the transport supports it."""
    if hasattr(transport, "max_size"):
        transport.max_size = READ_BYTES
