"""The short-term window in Redis, with a ring in this process before it and a circuit breaker between the two."""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final, TypeVar

from graph_service.breaker import Breaker, BreakerState
from graph_service.measures import Loop
from graph_service.memory.redis_turns import RedisTurns
from graph_service.memory.ring_window import TurnRing
from graph_service.memory.window import Heard, Source, Talk, Turn, WindowState, merged
from graph_service.supervision import Supervisor
from schema.errors import UnavailableError
from schema.ids import SessionId, TenantId, UserId

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
        ring: TurnRing,
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

    def hear(self, talk: Talk, turns: Sequence[Turn]) -> None:
        """Takes turns; they go to Redis in the background."""
        self._ring.add(talk, turns)
        self._wake()

    async def turns(self, talk: Talk) -> Heard:
        """What Redis has and what is on its way there; the ring alone when Redis is away."""
        # Taken before Redis is asked: what is handed over meanwhile would otherwise be seen in neither.
        held = self._ring.turns(talk)
        kept = None if (talk.tenant, talk.user_id) in self._owed else await self._tried(lambda: self._redis.turns(talk))
        sources = [*([Source.REDIS] if kept else []), *([Source.RING] if held else [])]
        return Heard(turns=merged(kept or (), held, turns_max=self.turns_max), sources=tuple(sources))

    async def forget(
        self,
        tenant: TenantId,
        user_id: UserId,
        *,
        session_id: SessionId | None = None,
        message_ids: Collection[str] | None = None,
    ) -> bool:
        """Drops what was said; when Redis is away, everything of the user goes on its return."""
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
        """Which store answers now, and why."""
        breaker = self._breaker.state(self._clock_s())
        works = breaker is BreakerState.CLOSED and self._problem is None
        return WindowState(
            store=Source.REDIS if works else Source.RING,
            breaker=breaker.value,
            waiting=len(self._ring) + len(self._owed),
            problem=self._problem,
        )

    async def check(self) -> None:
        """Asks Redis for a sign of life, so that a wrong address or password shows at start and not at first use."""
        await self._tried(lambda: _done(self._redis.answers()))

    async def catch_up(self) -> bool:
        """Brings Redis up to date; False when it could not be finished."""
        while self._owed or len(self._ring):
            async with self._writing:
                if not await self._hand_over_one():
                    return False
        return True

    async def close(self) -> None:
        """Hands over what waits, for at most `CLOSE_MAX_S`, and closes the connections."""
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
        """Does one piece of what Redis lacks; forgetting comes first, or what is told again would be lost."""
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
        """What Redis answers; None when it is away or the breaker is open."""
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
