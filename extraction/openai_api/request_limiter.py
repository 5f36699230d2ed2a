"""Keep requests to one endpoint within its limits: concurrent requests, and requests and tokens per minute.

A window of the last minute, because endpoints count that way: a token bucket of the same size allows twice the limit in
its first minute. Of the kept libraries, `limits` and `pyrate-limiter` store one entry for each token and read the wall
clock, and neither they nor `aiolimiter` can correct an estimate afterwards.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointLimits:
    """Limits of one endpoint; 0 per minute means no limit."""

    concurrent_calls: int = 4
    requests_per_minute: int = 0
    tokens_per_minute: int = 0


@dataclass(slots=True, eq=False)
class RequestUse:
    """One request in the window.

    Attributes:
        tokens: the estimate, until the endpoint has reported its usage.
    """

    at_s: float
    tokens: int


class MinuteWindow:
    """The requests of the last minute. Pure: callers pass the time of a monotonic clock.

    Args:
        requests_max, tokens_max: limits of any minute; 0 means no limit.
    """

    def __init__(self, *, requests_max: int, tokens_max: int) -> None:
        self._requests_max = requests_max
        self._tokens_max = tokens_max
        self._uses: deque[RequestUse] = deque()
        self._tokens = 0

    def usage(self, now_s: float) -> tuple[int, int]:
        """Return the requests and tokens of the last minute."""
        self._drop_old(now_s)
        return len(self._uses), self._tokens

    def wait_s(self, tokens: int, now_s: float) -> float:
        """Return the seconds until another attempt; 0 if a request with these tokens fits now.

        A request larger than the whole limit waits for an empty window.
        """
        self._drop_old(now_s)
        if not self._uses:
            return 0.0
        full = bool(self._requests_max) and len(self._uses) >= self._requests_max
        full = full or (bool(self._tokens_max) and self._tokens + tokens > self._tokens_max)
        return self._uses[0].at_s + WINDOW_S - now_s if full else 0.0

    def add(self, tokens: int, now_s: float) -> RequestUse:
        """Add a request that starts now."""
        use = RequestUse(now_s, tokens)
        self._uses.append(use)
        self._tokens += tokens
        return use

    def correct(self, use: RequestUse, tokens: int, now_s: float) -> None:
        """Replace the estimate of a request by its reported tokens, if it is still in the window."""
        self._drop_old(now_s)
        if self._uses and use.at_s >= self._uses[0].at_s:
            self._tokens += tokens - use.tokens
            use.tokens = tokens

    def _drop_old(self, now_s: float) -> None:
        while self._uses and self._uses[0].at_s + WINDOW_S <= now_s:
            self._tokens -= self._uses.popleft().tokens


class RequestLimiter:
    """Delay requests to one endpoint until its limits allow them, first come, first served.

    Args:
        clock_s: seconds of a monotonic clock.
        sleep: waits for some seconds of that clock.

    Attributes:
        limits: the limits.
        waiting: requests that wait now.
        running: requests that run now.
        waited_s: total time of all waits.
        one_at_a_time: the endpoint is slow, so that it gets one request at a time.
    """

    def __init__(
        self,
        limits: EndpointLimits | None = None,
        *,
        clock_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limits = limits or EndpointLimits()
        self.waiting = self.running = 0
        self.waited_s = 0.0
        self.one_at_a_time = False
        self._clock_s = clock_s
        self._sleep = sleep
        self._window = MinuteWindow(
            requests_max=self.limits.requests_per_minute, tokens_max=self.limits.tokens_per_minute
        )
        self._free = asyncio.Condition()
        self._places = 0
        self._turn = asyncio.Lock()

    def last_minute(self) -> tuple[int, int]:
        """Return the requests and tokens of the last minute."""
        return self._window.usage(self._clock_s())

    @asynccontextmanager
    async def request(self, tokens: int) -> AsyncIterator[Callable[[int], None]]:
        """Wait for a turn and hold a place during the block; call the value with the tokens that were reported.

        Args:
            tokens: estimated tokens of the request.
        """
        started_s = self._clock_s()
        self.waiting += 1
        try:
            async with self._free:
                await self._free.wait_for(lambda: self._places < self._places_max)
                self._places += 1
        except BaseException:
            self.waiting -= 1
            raise
        try:
            try:
                use = await self._wait(tokens)
            finally:
                self.waiting -= 1
                self.waited_s += self._clock_s() - started_s
            self.running += 1
            try:
                yield lambda reported: self._window.correct(use, reported, self._clock_s())
            finally:
                self.running -= 1
        finally:
            self._places -= 1
            async with self._free:
                self._free.notify_all()

    @property
    def _places_max(self) -> int:
        return 1 if self.one_at_a_time else self.limits.concurrent_calls

    async def _wait(self, tokens: int) -> RequestUse:
        async with self._turn:
            while (pause_s := self._window.wait_s(tokens, self._clock_s())) > 0:
                await self._sleep(pause_s)
            return self._window.add(tokens, self._clock_s())
