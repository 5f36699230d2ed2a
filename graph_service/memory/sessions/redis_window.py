"""The short-term window in Redis, with a ring in this process before it and a circuit breaker between the two."""

import asyncio
import contextlib
import logging
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError

from graph_service.circuit_breaker import Breaker, BreakerState
from graph_service.memory.sessions.in_process_window import TurnBuffer
from graph_service.memory.sessions.short_term_window import (
    RecentTurns,
    SessionKey,
    Source,
    Turn,
    WindowState,
    merged,
    session_key_text,
    turn_from,
    turn_json,
    user_key,
)
from graph_service.observability.metrics import Loop
from graph_service.supervision import Supervisor
from schema.errors import UnavailableError
from schema.ids import SessionId, TenantId, UserId

# The last turns of talks in a Redis: a list for each talk, trimmed and mortal, and an index of each user's talks.

_NO_ENTRY = re.compile("authentication|password", re.IGNORECASE)
_LUA = Path(__file__).parent / "lua"
# A connection that rested so long is asked for a PING before it is used.
_HEALTH_CHECK_S: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisRules:
    """How Redis is used.

    Attributes:
        timeout_s: of each use, connecting and waiting for a free connection included.
        connections: at most so many at a time.
        ttl_s: how long a talk stays after its last turn.
    """

    timeout_s: float = 0.25
    connections: int = 8
    turns_max: int = 20
    ttl_s: float = 86_400.0


class RedisTurns:
    """What `RedisWindow` keeps in Redis. Every method raises UnavailableError when Redis does not do it in time.

    Keys hold the user in braces, so that a cluster keeps a user's lists and index together.
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
            # Trying again is the breaker's decision.
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        # The client's stubs describe waiting and not waiting clients in one; we only have the waiting one.
        self._redis: Any = Redis.from_pool(pool)
        self._merge = self._redis.register_script((_LUA / "merge_turns.lua").read_text("utf-8"))
        self._drop = self._redis.register_script((_LUA / "drop_turns.lua").read_text("utf-8"))

    async def add(self, talk: SessionKey, turns: Sequence[Turn]) -> None:
        """Merge turns into the list: in the order of their time, each id once."""
        rules = self._rules
        arguments: list[bytes | str | int] = [
            rules.turns_max,
            round(rules.ttl_s * 1000),
            talk.session_id,
            *map(turn_json, turns),
        ]
        async with self._in_time():
            await self._merge(keys=[_list_key(talk), _index_key(talk.tenant, talk.user_id)], args=arguments)

    async def turns(self, talk: SessionKey) -> tuple[Turn, ...]:
        """Return the last turns, oldest first; whatever else stands in the list is passed over."""
        async with self._in_time():
            texts = cast(list[bytes], await self._redis.lrange(_list_key(talk), 0, -1))
        found = (turn_from(text) for text in texts)
        return merged((turn for turn in found if turn is not None), turns_max=self._rules.turns_max)

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> None:
        """Drop what was said: of a whole user, of one session, or single messages of either."""
        async with self._in_time():
            index = _index_key(tenant, user_id)
            lists = [_list_key(talk) for talk in await self._talks(tenant, user_id, session_id)]
            if message_ids is not None:
                if lists and message_ids:
                    await self._drop(keys=lists, args=sorted(message_ids))
                return
            await self._redis.delete(*lists, *([index] if session_id is None else []))
            if session_id is not None:
                await self._redis.zrem(index, session_id)

    async def answers(self) -> None:
        """Ask for a sign of life."""
        async with self._in_time():
            await self._redis.ping()

    async def close(self) -> None:
        """Close all connections."""
        with contextlib.suppress(RedisError, OSError, TimeoutError):
            await self._redis.aclose()

    async def _talks(self, tenant: TenantId, user_id: UserId, session_id: SessionId | None) -> list[SessionKey]:
        sessions = [session_id] if session_id is not None else await self._sessions(tenant, user_id)
        return [SessionKey(tenant=tenant, user_id=user_id, session_id=SessionId(session)) for session in sessions]

    async def _sessions(self, tenant: TenantId, user_id: UserId) -> list[str]:
        found = cast(list[bytes], await self._redis.zrange(_index_key(tenant, user_id), 0, -1))
        return [session.decode("utf-8", errors="replace") for session in found]

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._rules.timeout_s):
                yield
        except TimeoutError as error:
            raise UnavailableError(f"Redis did not answer within {self._rules.timeout_s:g} s") from error
        except (RedisError, OSError) as error:
            # The client calls some of these a ConnectionError.
            if isinstance(error, AuthenticationError) or _NO_ENTRY.search(str(error)):
                raise UnavailableError("Redis refuses the user or the password; mend redis.url (REDIS_URL)") from error
            # Its words may quote what was sent to it.
            why = type(error).__name__
            raise UnavailableError(f"Redis does not work ({why}); is it running at redis.url?") from error


def _list_key(talk: SessionKey) -> str:
    user, _, session = session_key_text(talk).rpartition("/")
    return f"mnemograph:turns:{{{user}}}/{session}"


def _index_key(tenant: str, user_id: str) -> str:
    return f"mnemograph:talks:{{{user_key(tenant, user_id)}}}"


T = TypeVar("T")
_log = logging.getLogger("mnemograph.window")

RETRY_S: Final = 1.0
CLOSE_MAX_S: Final = 2.0


class RedisWindow:
    """A `ShortTermWindow` in Redis.

    Turns enter the ring at once and leave it when Redis has them, so `hear` never waits, a Redis that is away or slow
    costs nothing but its timeout at a read, and what was said meanwhile is written there on its return. Merging is
    by time and id, so it makes no difference how often and in which order turns arrive.

    Args:
        ring: holds what Redis does not have yet.
        clock_s: seconds that never go back.
        retry_s: pause between two tries to hand over what waits.
        supervisor: keeps the handing over going.
    """

    def __init__(
        self,
        *,
        redis: RedisTurns,
        ring: TurnBuffer,
        clock_s: Callable[[], float],
        breaker: Breaker | None = None,
        retry_s: float = RETRY_S,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._redis = redis
        self._ring = ring
        self.turns_max = ring.turns_max
        self.forgotten = 0
        self._clock_s = clock_s
        self._breaker = breaker or Breaker()
        self._retry_s = retry_s
        self._supervisor = supervisor or Supervisor()
        # Users whose lists must go before Redis is read about them again: single messages are not counted out, since
        # whatever else goes with them comes back from the database.
        self._owed: OrderedDict[tuple[TenantId, UserId], None] = OrderedDict()
        # Writes to Redis take turns, so that a turn that is on its way cannot arrive after it was forgotten.
        self._writing = asyncio.Lock()
        self._handing_over: asyncio.Task[None] | None = None
        self._problem: str | None = None
        self._closing = asyncio.Event()

    def hear(self, talk: SessionKey, turns: Sequence[Turn]) -> None:
        """Take turns; they go to Redis in the background."""
        self._ring.add(talk, turns)
        self._wake()

    async def turns(self, talk: SessionKey) -> RecentTurns:
        """Return what Redis has and what is on its way there; the ring alone when Redis is away."""
        # Taken before Redis is asked: what is handed over meanwhile would otherwise be seen in neither.
        held = self._ring.turns(talk)
        kept = None if (talk.tenant, talk.user_id) in self._owed else await self._tried(lambda: self._redis.turns(talk))
        sources = [*([Source.REDIS] if kept else []), *([Source.RING] if held else [])]
        return RecentTurns(turns=merged(kept or (), held, turns_max=self.turns_max), sources=tuple(sources))

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drop what was said; when Redis is away, everything of the user goes on its return."""
        self.forgotten += 1
        self._ring.forget(tenant, user_id, session_id, message_ids)
        async with self._writing:
            done = await self._tried(lambda: _done(self._redis.forget(tenant, user_id, session_id, message_ids)))
            if not done:
                self._owed[tenant, user_id] = None
        if not done:
            self._wake()
        return bool(done)

    def state(self) -> WindowState:
        """Return which store answers now, and why."""
        breaker = self._breaker.state(self._clock_s())
        works = breaker is BreakerState.CLOSED and self._problem is None
        return WindowState(
            store=Source.REDIS if works else Source.RING,
            breaker=breaker.value,
            waiting=len(self._ring) + len(self._owed),
            problem=self._problem,
        )

    async def check(self) -> None:
        """Ask Redis for a sign of life, so that a wrong address or password shows at start and not at first use."""
        await self._tried(lambda: _done(self._redis.answers()))

    async def catch_up(self) -> bool:
        """Bring Redis up to date; False when it could not be finished."""
        while self._owed or len(self._ring):
            async with self._writing:
                if not await self._hand_over_one():
                    return False
        return True

    async def close(self) -> None:
        """Hand over what waits, for at most `CLOSE_MAX_S`, and close the connections."""
        self._closing.set()
        if self._handing_over is not None:
            # Told to end, not cancelled: the client may turn a cancellation that meets an error into that error.
            await asyncio.wait({self._handing_over}, timeout=CLOSE_MAX_S)
            self._handing_over.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_MAX_S):
                await self.catch_up()
        await self._redis.close()

    async def _hand_over_one(self) -> bool:
        """Do one piece of what Redis lacks; forgetting comes first, or what is told again would be lost."""
        owed = next(iter(self._owed), None)
        if owed is not None:
            done = await self._tried(lambda: _done(self._redis.forget(*owed)))
            if done:
                del self._owed[owed]
            return bool(done)
        waiting = self._ring.oldest()
        if waiting is None:
            return True
        talk, turns = waiting
        done = await self._tried(lambda: _done(self._redis.add(talk, turns)))
        if done:
            self._ring.drop(talk, [turn.id for turn in turns])
        return bool(done)

    async def _tried(self, use: Callable[[], Awaitable[T]]) -> T | None:
        """Return what Redis answers; None when it is away or the breaker is open."""
        if not self._breaker.allows(self._clock_s()):
            return None
        try:
            answer = await use()
        except UnavailableError as error:
            self._breaker.failed(self._clock_s())
            if self._problem is None:
                _log.warning("the short-term window goes on in memory: %s", error.message)
            self._problem = error.message
            return None
        self._breaker.succeeded()
        if self._problem is not None:
            _log.info("the short-term window is back in Redis")
            self._problem = None
            self._wake()
        return answer

    def _wake(self) -> None:
        if self._closing.is_set() or not (self._owed or len(self._ring)):
            return
        if self._handing_over is None or self._handing_over.done():
            self._handing_over = self._supervisor.start(Loop.WINDOW, self._hand_over, self._closing, may_return=True)

    async def _hand_over(self) -> None:
        while not (await self.catch_up() or self._closing.is_set()):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._retry_s):
                    await self._closing.wait()


async def _done(use: Awaitable[None]) -> bool:
    await use
    return True
