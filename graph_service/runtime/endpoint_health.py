"""Ask the configured model endpoints whether they answer, at most once a minute, because every request costs tokens."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from schema.errors import MnemosceneError

# Asks one endpoint; raises MnemosceneError if it does not answer.
Probe = Callable[[], Awaitable[None]]
_CACHED_S: Final = 60.0
ANSWER_MAX_S: Final = 20.0


class EndpointHealth:
    """The health of the configured endpoints.

    Args:
        probes: by name of the endpoint.
        clock_s: monotonic time.
        answer_max_s: after this time an endpoint counts as not answering.
    """

    def __init__(
        self,
        probes: Mapping[str, Probe],
        *,
        clock_s: Callable[[], float] = time.monotonic,
        answer_max_s: float = ANSWER_MAX_S,
    ) -> None:
        self._probes = probes
        self._answer_max_s = answer_max_s
        self._clock_s = clock_s
        self._asking = asyncio.Lock()
        self._asked_s: float | None = None
        self._found: dict[str, Any] = {}

    async def check(self) -> dict[str, Any]:
        """Return, for each endpoint, whether it answers and its latency, or the reason; cached for a minute."""
        async with self._asking:
            if self._asked_s is None or self._clock_s() - self._asked_s >= _CACHED_S:
                names = sorted(self._probes)
                states = await asyncio.gather(*(self._ask(self._probes[name]) for name in names))
                self._found, self._asked_s = dict(zip(names, states, strict=True)), self._clock_s()
            return {name: dict(state) for name, state in self._found.items()}

    async def _ask(self, probe: Probe) -> dict[str, Any]:
        started_s = self._clock_s()
        try:
            async with asyncio.timeout(self._answer_max_s):
                await probe()
        except TimeoutError:
            return {"answers": False, "problem": f"no answer within {self._answer_max_s:g} s"}
        except MnemosceneError as error:
            return {"answers": False, "problem": error.message}
        return {"answers": True, "seconds": round(self._clock_s() - started_s, 3)}
