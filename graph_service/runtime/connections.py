"""Bounds on connections, below the requests: how many wait, how long, and how much is kept for those that do not read.

uvicorn bounds none of this: half a request head is held for ever, and so is an answer that nobody takes. A connection
is a *stranger* until a request on it was admitted (a key, or an open service), or a socket was greeted. Strangers, and
requests whose body is still under way, stand in lines of bounded length. When a line is full the one that has waited
longest is closed for the newcomer, so whoever speaks at once gets in, however many are silent.
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
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import CloseCode, Frame
from websockets.server import ServerProtocol

from graph_service.auth.access import CONNECTION_KEY
from graph_service.observability.metrics import CONNECTIONS_CUT

# Files that are no connections: the pool of the database, the spool, logs.
FILES_KEPT: Final = 256
FILES_MAX: Final = 65_536
# One read of a connection; 16 kB of the smallest frames or chunks keep the event loop for about 40 ms.
READ_BYTES: Final = 16_384
# The largest message of a socket: frames of viewers have 16 kB, and subscriptions are short.
MESSAGE_BYTES_MAX: Final = 65_536
FRAGMENTS_MAX: Final = 256
PINGS_PER_S: Final = 20
# Who holds more than this share of a full line closes its own oldest connection, nobody else's.
SHARE: Final = 8
PULSE_S: Final = 1.0
_NOISE: Final = ("Invalid HTTP request received.", "Unsupported upgrade request.", "No supported WebSocket library")


class State(Enum):
    """Whom the two ends of a connection wait for."""

    HEAD = "the head of a request"
    BODY = "the body of a request"
    BUSY = "our answer"
    LINGERING = "the rest of a body that was answered already"
    RESTING = "the next request"
    GREETING = "the first message of a socket"
    OPEN = "nobody: a socket that was greeted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Bounds of one server.

    Attributes:
        connections: all together.
        strangers: that showed no credential yet.
        uploads: admitted requests whose body is under way.
        body_bytes_per_s: as fast a body must come, after the first `body_s`.
        write_s: in so long a client must take `write_bytes` of what waits for it, or all of it.
        stop_s: once the service stops, what waits for the client ends after so long.
    """

    connections: int = 4_096
    strangers: int = 512
    uploads: int = 512
    head_s: float = 10.0
    body_s: float = 10.0
    body_bytes_per_s: float = 65_536.0
    linger_s: float = 2.0
    rest_s: float = 15.0
    greeting_s: float = 10.0
    write_s: float = 20.0
    write_bytes: int = 20_480
    stop_s: float = 3.0

    def seconds(self, state: State) -> float:
        """Return how long a connection may stay in a state; infinite where we are the ones who are waited for."""
        patience: Mapping[State, float] = {
            State.HEAD: self.head_s,
            State.BODY: self.body_s,
            State.LINGERING: self.linger_s,
            State.RESTING: self.rest_s,
            State.GREETING: self.greeting_s,
        }
        return patience.get(state, math.inf)


def limits_within(files: int) -> ConnectionLimits:
    """Bound that leave files for everything else.

    Args:
        files: how many this process may open.
    """
    usual = ConnectionLimits()
    connections = max(min(usual.connections, files - FILES_KEPT), 32)
    return ConnectionLimits(
        connections=connections,
        strangers=min(usual.strangers, connections // 4),
        uploads=min(usual.uploads, connections // 8),
    )


def raise_file_limit() -> int:
    """Raise this process' limit of open files as far as it may; return the limit that then holds."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES_MAX if hard == resource.RLIM_INFINITY else min(hard, FILES_MAX)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return FILES_MAX if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        return soft
    return most


class Line:
    """Connections that wait, in the order in which they came, no more than `places`."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._all: OrderedDict[Guard, str] = OrderedDict()
        self._of: dict[str, OrderedDict[Guard, None]] = {}

    def __len__(self) -> int:
        """Return how many stand in it."""
        return len(self._all)

    def join(self, one: "Guard", holder: str) -> "Guard | None":
        """Put a connection at the end; return the one that was taken out for it, if the line was full."""
        gone = self._oldest(holder) if len(self._all) >= self._places else None
        if gone is not None:
            self.leave(gone)
        self._all[one] = holder
        self._of.setdefault(holder, OrderedDict())[one] = None
        return gone

    def leave(self, one: "Guard") -> None:
        """Take a connection out, if it stands here."""
        holder = self._all.pop(one, None)
        if holder is None:
            return
        own = self._of[holder]
        del own[one]
        if not own:
            del self._of[holder]

    def oldest(self) -> "Guard | None":
        """Return the one that has waited longest."""
        return next(iter(self._all), None)

    def _oldest(self, holder: str) -> "Guard":
        own = self._of.get(holder)
        return next(iter(self._all if own is None or len(own) <= self._places // SHARE else own))


class Crowd:
    """All connections of a server."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.stopping = False
        self.strangers = Line(limits.strangers)
        self.uploads = Line(limits.uploads)
        self.resting = Line(limits.connections)
        self._guards: dict[asyncio.Transport, Guard] = {}

    def __len__(self) -> int:
        """Return how many connections there are."""
        return len(self._guards)

    def guard(self, transport: asyncio.Transport, address: str) -> "Guard":
        """Return the guard of a connection, which keeps it while the connection becomes a socket."""
        known = self._guards.get(transport)
        if known is not None:
            return known
        guard = self._guards[transport] = Guard(self, transport, address)
        if len(self._guards) > self.limits.connections:
            (self.resting.oldest() or self.strangers.oldest() or guard).cut("crowded")
        return guard

    def forget(self, guard: "Guard") -> None:
        """A connection is gone."""
        self._guards.pop(guard.transport, None)

    def stop(self) -> None:
        """From now on nobody is waited for long."""
        self.stopping = True
        for guard in list(self._guards.values()):
            guard.hurry()


class Guard:
    """The bounds of one connection, looked at every `PULSE_S`."""

    def __init__(self, crowd: Crowd, transport: asyncio.Transport, address: str) -> None:
        self.transport = transport
        self.state = State.HEAD
        self._crowd = crowd
        self._address = address
        self._loop = asyncio.get_running_loop()
        self._holder: str | None = None
        self._line: Line | None = None
        self._until_s = self._loop.time() + crowd.limits.seconds(State.HEAD)
        self._unsent: tuple[float, int] | None = None
        self._timer: asyncio.TimerHandle | None = self._loop.call_later(PULSE_S, self._pulse)
        self._stand()

    def become(self, state: State) -> None:
        """Note what the connection waits for; its time for that begins if it waited for something else before."""
        if state is self.state or self._timer is None:
            return
        self.state = state
        patience_s = self._crowd.limits.seconds(state)
        if self._crowd.stopping:
            patience_s = min(patience_s, self._crowd.limits.stop_s)
        self._until_s = self._loop.time() + patience_s
        self._stand()

    def took(self, size: int) -> None:
        """So many bytes of a body came."""
        if self.state is State.BODY:
            self._until_s += size / self._crowd.limits.body_bytes_per_s

    def admit(self, holder: str) -> None:
        """Whoever sends on this connection was let in: as an admitted request, or as a socket that was greeted."""
        self._holder = holder
        if self.state is State.GREETING:
            self.become(State.OPEN)
        else:
            self._stand()

    def drained(self) -> None:
        """Most of what was to be sent was taken."""
        self._unsent = None

    def hurry(self) -> None:
        """The service stops: what waits for the client does so no longer."""
        if self.state not in (State.BUSY, State.OPEN):
            self._until_s = min(self._until_s, self._loop.time() + self._crowd.limits.stop_s)

    def cut(self, reason: str) -> None:
        """Close at once, without sending what waits to be sent."""
        if self._timer is not None:
            CONNECTIONS_CUT.add(reason)
            self.lost()
        self.transport.abort()

    def lost(self) -> None:
        """The connection is closed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._line is not None:
            self._line.leave(self)
            self._line = None
        self._crowd.forget(self)

    def _stand(self) -> None:
        """Stand in the line that the state and the holder ask for."""
        line: Line | None = None
        if self._holder is None:
            line = self._crowd.strangers
        elif self.state is State.BODY:
            line = self._crowd.uploads
        elif self.state in (State.RESTING, State.HEAD, State.LINGERING):
            line = self._crowd.resting
        # A stranger whose request is complete is none of those that are silent: it goes to the end.
        if line is self._line and self.state is not State.BUSY:
            return
        if self._line is not None:
            self._line.leave(self)
        self._line = line
        if line is not None:
            gone = line.join(self, self._holder or self._address)
            if gone is not None:
                gone.cut("crowded")

    def _pulse(self) -> None:
        now_s = self._loop.time()
        if now_s >= self._until_s:
            self.cut("late")
        elif self._stuck(now_s):
            self.cut("not reading")
        else:
            self._timer = self._loop.call_later(PULSE_S, self._pulse)

    def _stuck(self, now_s: float) -> bool:
        """Return whether the client takes nothing of what waits for it."""
        size = self.transport.get_write_buffer_size()
        if size == 0:
            self._unsent = None
            return False
        if self._unsent is None:
            self._unsent = now_s, size
            return False
        limits = self._crowd.limits
        since_s, before = self._unsent
        if now_s - since_s < (limits.stop_s if self._crowd.stopping else limits.write_s):
            return False
        self._unsent = now_s, size
        return before - size < min(before, limits.write_bytes)


class GuardedHttp(H11Protocol):
    """uvicorn's protocol of HTTP with the bounds of a crowd."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        crowd: Crowd,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._crowd = crowd
        self._guard: Guard | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(transport)
        _read_little(transport)
        self._guard = self._crowd.guard(transport, _address(self.client))

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._guard is not None:
            self._guard.lost()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if self._guard is not None:
            self._guard.took(len(data))
        super().data_received(data)

    def handle_events(self) -> None:
        """Act on what came, and note what is waited for then."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self._guard is not None:
            self.scope[CONNECTION_KEY] = self._guard  # type: ignore[typeddict-unknown-key]
        self._note()

    def on_response_complete(self) -> None:
        """An answer is complete; what was read of the body for it is not kept."""
        if self.cycle is not None:
            self.cycle.body = bytearray()
        super().on_response_complete()
        self._note()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over."""
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.become(State.GREETING)
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        CONNECTIONS_CUT.add("malformed")
        super().send_400_response(msg)

    def resume_writing(self) -> None:
        """The client took what was sent."""
        if self._guard is not None:
            self._guard.drained()
        super().resume_writing()

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


class GuardedSocket(WebSocketsSansIOProtocol):
    """uvicorn's protocol of WebSockets with the bounds of a crowd.

    Each message is compressed by itself: what was said before is not kept for it, 40 kB for each socket.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        crowd: Crowd,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._crowd = crowd
        self._guard: Guard | None = None
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
            extensions=[deflate] if config.ws_per_message_deflate else [],
            max_size=config.ws_max_size,
            logger=logging.getLogger("uvicorn.error"),
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, as the connection that it was before."""
        super().connection_made(transport)
        _read_little(transport)
        self._guard = self._crowd.guard(cast(asyncio.Transport, transport), _address(self.client))
        self._guard.become(State.GREETING)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if self._guard is not None:
            self._guard.lost()
        super().connection_lost(exc)

    async def run_asgi(self) -> None:
        """Run the application, which can say that the socket was greeted."""
        self.scope[CONNECTION_KEY] = self._guard  # type: ignore[typeddict-unknown-key]
        await super().run_asgi()

    def resume_writing(self) -> None:
        """The client took what was sent."""
        if self._guard is not None:
            self._guard.drained()
        super().resume_writing()

    def handle_cont(self, event: Frame) -> None:
        """Take a piece of a message; there may be many pieces of nothing."""
        if len(self.frames) >= FRAGMENTS_MAX:
            self._fail(CloseCode.MESSAGE_TOO_BIG, f"a message may have {FRAGMENTS_MAX} pieces at most")
            return
        super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer pings, as far as the client reads the answers."""
        now_s = self.loop.time()
        if now_s - self._pings_since_s > 1.0:
            self._pings, self._pings_since_s = 0, now_s
        self._pings += 1
        pongs = self.conn.data_to_send()
        if self._pings > PINGS_PER_S:
            self._fail(CloseCode.POLICY_VIOLATION, f"more than {PINGS_PER_S} pings a second")
        elif self.writable.is_set():
            self.transport.write(b"".join(pongs))

    def _fail(self, code: CloseCode, reason: str) -> None:
        if not self.close_sent and not self.transport.is_closing():
            CONNECTIONS_CUT.add("malformed")
            self.conn.fail(code, reason)
            self.handle_parser_exception()


class _NoNoise(logging.Filter):
    """Drops lines that whoever connects can have written as often as they like."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written."""
        return not str(record.msg).startswith(_NOISE)


def silence_noise() -> None:
    """Keep what clients send wrongly out of the log; `mnemograph_connections_cut` counts it."""
    logger = logging.getLogger("uvicorn.error")
    if not any(isinstance(known, _NoNoise) for known in logger.filters):
        logger.addFilter(_NoNoise())


def _address(client: tuple[str, int] | None) -> str:
    return client[0] if client else ""


def _read_little(transport: asyncio.BaseTransport) -> None:
    """Have asyncio read `READ_BYTES` at once instead of 256 kB, where it knows such a bound."""
    if hasattr(transport, "max_size"):
        transport.max_size = READ_BYTES
