"""The short-term window in Redis, behind a window in this process and a circuit breaker."""

import asyncio
import contextlib
import logging
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote

import orjson
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError

from graph_service.circuit_breaker import Breaker, BreakerState
from graph_service.memory.sessions.short_term_window import (
    BYTES_MAX,
    SESSIONS_MAX,
    RecentTurns,
    SessionKey,
    ShortTermWindow,
    Source,
    Turn,
    WindowState,
    merged,
    turn_from_json,
)
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor, wait_for_any
from schema.errors import UnavailableError
from schema.ids import SessionId, TenantId, UserId, user_uri

_AUTHENTICATION = re.compile("authentication|password", re.IGNORECASE)
_LUA = Path(__file__).parent / "lua"
# Connections that were idle for longer are checked with PING before use.
_HEALTH_CHECK_S: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisRules:
    """Limits for the use of Redis.

    Attributes:
        timeout_s: timeout of each operation, including connecting and waiting for a free connection.
        ttl_s: time after its last turn at which a session expires.
    """

    timeout_s: float = 0.25
    connections: int = 8
    turns_max: int = 20
    ttl_s: float = 86_400.0


class RedisTurns:
    """Turns in Redis: a list for each session, and an index of the sessions of each user.

    Keys contain the user in braces (hash tag), so that a cluster stores all keys of a user together. Every method
    raises UnavailableError if Redis fails or does not answer in time.
    """

    def __init__(self, url: str, rules: RedisRules) -> None:
        self._rules = rules
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=rules.connections,
            timeout=rules.timeout_s,
            socket_timeout=rules.timeout_s,
            socket_connect_timeout=rules.timeout_s,
            health_check_interval=_HEALTH_CHECK_S,
            # No retries; the circuit breaker decides when to try again.
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        # Any, because the type stubs mix synchronous and asynchronous clients.
        self._redis: Any = Redis.from_pool(pool)
        self._merge = self._redis.register_script((_LUA / "merge_turns.lua").read_text("utf-8"))
        self._drop = self._redis.register_script((_LUA / "drop_turns.lua").read_text("utf-8"))

    async def add(self, session: SessionKey, turns: Sequence[Turn]) -> None:
        """Merge turns into the session's list, ordered by time, each id once."""
        rules = self._rules
        arguments: list[bytes | str | int] = [
            rules.turns_max,
            round(rules.ttl_s * 1000),
            session.session_id,
            *map(orjson.dumps, turns),
        ]
        async with self._within_timeout():
            await self._merge(keys=[_list_key(session), _index_key(session.tenant, session.user_id)], args=arguments)

    async def turns(self, session: SessionKey) -> tuple[Turn, ...]:
        """Return the last turns, oldest first; entries that are not turns are skipped."""
        async with self._within_timeout():
            texts = cast(list[bytes], await self._redis.lrange(_list_key(session), 0, -1))
        turns = (turn_from_json(text) for text in texts)
        return merged((turn for turn in turns if turn is not None), turns_max=self._rules.turns_max)

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> None:
        """Drop the turns of a user or of one session, or only those of the given messages."""
        async with self._within_timeout():
            index = _index_key(tenant, user_id)
            lists = [_list_key(session) for session in await self._sessions(tenant, user_id, session_id)]
            if message_ids is not None:
                if lists and message_ids:
                    await self._drop(keys=lists, args=sorted(message_ids))
                return
            await self._redis.delete(*lists, *([index] if session_id is None else []))
            if session_id is not None:
                await self._redis.zrem(index, session_id)

    async def ping(self) -> None:
        """Check that Redis answers."""
        async with self._within_timeout():
            await self._redis.ping()

    async def close(self) -> None:
        """Close all connections."""
        with contextlib.suppress(RedisError, OSError, TimeoutError):
            await self._redis.aclose()

    async def _sessions(self, tenant: TenantId, user_id: UserId, session_id: SessionId | None) -> list[SessionKey]:
        if session_id is not None:
            return [SessionKey(tenant=tenant, user_id=user_id, session_id=session_id)]
        members = cast(list[bytes], await self._redis.zrange(_index_key(tenant, user_id), 0, -1))
        ids = [member.decode("utf-8", errors="replace") for member in members]
        return [SessionKey(tenant=tenant, user_id=user_id, session_id=SessionId(id_)) for id_ in ids]

    @contextlib.asynccontextmanager
    async def _within_timeout(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._rules.timeout_s):
                yield
        except TimeoutError as error:
            raise UnavailableError(f"Redis did not answer within {self._rules.timeout_s:g} s") from error
        except (RedisError, OSError) as error:
            # The client reports some authentication errors as ConnectionError.
            if isinstance(error, AuthenticationError) or _AUTHENTICATION.search(str(error)):
                raise UnavailableError("Redis rejects the user or the password; fix redis.url (REDIS_URL)") from error
            # Only the class, because the message may quote user content.
            reason = type(error).__name__
            raise UnavailableError(f"Redis does not work ({reason}); is it running at redis.url?") from error


def _list_key(session: SessionKey) -> str:
    user = user_uri(session.tenant, session.user_id)
    return f"mnemoscene:turns:{{{user}}}/{quote(session.session_id, safe='')}"


def _index_key(tenant: str, user_id: str) -> str:
    return f"mnemoscene:talks:{{{user_uri(tenant, user_id)}}}"


T = TypeVar("T")
_log = logging.getLogger("mnemoscene.window")

RETRY_S: Final = 1.0
CLOSE_MAX_S: Final = 2.0


class RedisWindow(ShortTermWindow):
    """A short-term window in Redis.

    Turns are in this process until they are in Redis. So `add` never waits, a read takes at
    most the timeout while Redis is unavailable, and turns are written when Redis answers again. Turns are merged by
    time and id, so repeated or reordered writes do no harm.

    Args:
        clock_s: returns the seconds of a monotonic clock.
    """

    def __init__(
        self,
        *,
        redis: RedisTurns,
        clock_s: Callable[[], float],
        turns_max: int,
        sessions_max: int = SESSIONS_MAX,
        bytes_max: int = BYTES_MAX,
        supervisor: Supervisor | None = None,
    ) -> None:
        super().__init__(turns_max=turns_max, sessions_max=sessions_max, bytes_max=bytes_max)
        self._redis = redis
        self._clock_s = clock_s
        self._breaker = Breaker()
        self._supervisor = supervisor or Supervisor()
        # Users whose keys must be deleted before they are read again. All keys even for single messages, because other
        # turns can be read from the database.
        self._pending_deletions: OrderedDict[tuple[TenantId, UserId], None] = OrderedDict()
        # Serializes writes, so that no turn is written after it was forgotten.
        self._write_lock = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None
        self._problem: str | None = None
        self._closing = asyncio.Event()

    def add(self, session: SessionKey, turns: Sequence[Turn]) -> None:
        """Add turns; they are written to Redis in the background."""
        super().add(session, turns)
        self._wake()

    async def turns(self, session: SessionKey) -> RecentTurns:
        """Return the turns in Redis and in this process; only the latter if Redis is unavailable."""
        # Before those in Redis, or turns that are written to Redis meanwhile would be in neither result.
        buffered = self._held(session)
        stored = (
            None
            if (session.tenant, session.user_id) in self._pending_deletions
            else await self._try(lambda: self._redis.turns(session))
        )
        sources = [*([Source.REDIS] if stored else []), *([Source.PROCESS] if buffered else [])]
        return RecentTurns(turns=merged(stored or (), buffered, turns_max=self.turns_max), sources=tuple(sources))

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drop turns; if Redis is unavailable, drop all turns of the user when it answers again."""
        await super().forget(tenant, user_id, session_id=session_id, message_ids=message_ids)
        async with self._write_lock:
            done = await self._try(lambda: _done(self._redis.forget(tenant, user_id, session_id, message_ids)))
            if not done:
                self._pending_deletions[tenant, user_id] = None
        if not done:
            self._wake()
        return bool(done)

    def state(self) -> WindowState:
        """Return the store in use, the state of Redis' breaker, the number of unwritten items, and any problem."""
        breaker = self._breaker.state(self._clock_s())
        works = breaker is BreakerState.CLOSED and self._problem is None
        return WindowState(
            store=Source.REDIS if works else Source.PROCESS,
            breaker=breaker.value,
            waiting=self.sessions_n + len(self._pending_deletions),
            problem=self._problem,
        )

    async def check(self) -> None:
        """Call Redis once, so that a wrong address or password is noticed at startup."""
        await self._try(lambda: _done(self._redis.ping()))

    async def catch_up(self) -> bool:
        """Write all pending deletions and turns; False if Redis failed."""
        while self._pending_deletions or self.sessions_n:
            async with self._write_lock:
                if not await self._write_one():
                    return False
        return True

    async def close(self) -> None:
        """Write pending turns for at most `CLOSE_MAX_S`, and close the connections."""
        self._closing.set()
        if self._writer is not None:
            # Wait before cancelling, because the client may raise a simultaneous error instead of the cancellation.
            await asyncio.wait({self._writer}, timeout=CLOSE_MAX_S)
            self._writer.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_MAX_S):
                await self.catch_up()
        await self._redis.close()

    async def _write_one(self) -> bool:
        """Write one pending deletion or session; deletions first, because later they would remove newer turns."""
        user = next(iter(self._pending_deletions), None)
        if user is not None:
            done = await self._try(lambda: _done(self._redis.forget(*user)))
            if done:
                del self._pending_deletions[user]
            return bool(done)
        if not self.sessions_n:
            return True
        session, turns = next(iter(self._turns.items()))
        done = await self._try(lambda: _done(self._redis.add(session, turns)))
        if done:
            self._drop(session, [turn.id for turn in turns])
        return bool(done)

    async def _try(self, operation: Callable[[], Awaitable[T]]) -> T | None:
        """Return the result of a Redis operation; None if it failed or the breaker is open."""
        if not self._breaker.allows(self._clock_s()):
            return None
        try:
            answer = await operation()
        except UnavailableError as error:
            self._breaker.failed(self._clock_s())
            if self._problem is None:
                _log.warning("the short-term window continues in memory: %s", error.message)
            self._problem = error.message
            return None
        self._breaker.succeeded()
        if self._problem is not None:
            _log.info("the short-term window uses Redis again")
            self._problem = None
            self._wake()
        return answer

    def _wake(self) -> None:
        if self._closing.is_set() or not (self._pending_deletions or self.sessions_n):
            return
        if self._writer is None or self._writer.done():
            self._writer = self._supervisor.start(Loop.WINDOW, self._write_pending, self._closing, may_return=True)

    async def _write_pending(self) -> None:
        while not (await self.catch_up() or self._closing.is_set()):
            await wait_for_any(self._closing, timeout_s=RETRY_S)


async def _done(operation: Awaitable[None]) -> bool:
    await operation
    return True
