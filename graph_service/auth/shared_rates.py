"""One rate for each credential over all processes, through a Redis that they share."""

import asyncio
import time
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from graph_service.auth.rates import RateLimiter
from graph_service.supervision import wait_for_any
from schema.errors import UnavailableError

EXCHANGE_S: Final = 0.25
# The time at which the bucket of a credential is full again, in seconds of Redis' clock; later for what was spent.
# Returns the seconds until then.
_SPEND: Final = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1000000
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + tonumber(ARGV[1])
redis.call('SET', KEYS[1], string.format('%.6f', full_at), 'PX', math.ceil((full_at - now) * 1000) + 1)
return string.format('%.6f', full_at - now)
"""


class SharedRates:
    """Exchanges what credentials spent with the other processes, four times a second.

    No request waits for it: until the next exchange a process counts for itself, and while Redis does not answer.

    Args:
        timeout_s: of one exchange.
    """

    def __init__(self, rates: RateLimiter, url: str, *, timeout_s: float) -> None:
        rates.spent = {}
        self._rates = rates
        self._timeout_s = timeout_s
        # Any, because the type stubs mix synchronous and asynchronous clients.
        self._redis: Any = Redis.from_url(url, socket_timeout=timeout_s, socket_connect_timeout=timeout_s, protocol=2)
        self._spend = self._redis.register_script(_SPEND)

    async def run(self, stop: asyncio.Event) -> None:
        """Exchange until `stop` is set.

        Raises:
            UnavailableError: Redis does not answer; the supervisor starts again after a pause.
        """
        try:
            while not stop.is_set():
                await self.exchange()
                await wait_for_any(stop, timeout_s=EXCHANGE_S)
        finally:
            await self._redis.aclose()

    async def exchange(self) -> None:
        """Report what was spent since the last exchange, and take over what others spent.

        Raises:
            UnavailableError: Redis does not answer.
        """
        for holder, (spent, per_s) in self._rates.take_spent().items():
            try:
                async with asyncio.timeout(self._timeout_s):
                    full_in_s = float(await self._spend(keys=[f"mnemoscene:rate:{holder}"], args=[spent / per_s]))
            except (RedisError, OSError, TimeoutError) as error:
                raise UnavailableError(
                    f"Redis does not work ({type(error).__name__}); each process counts rates"
                ) from error
            self._rates.set_missing(holder, full_in_s * per_s, now_s=time.monotonic())
