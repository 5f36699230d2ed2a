"""A circuit breaker: after consecutive failures calls are refused for a while, then one probe decides (pure).

It does no IO and reads no clock: callers pass the time and report outcomes, so it fits retries and polling loops.
"""

from enum import StrEnum
from typing import Final

FAILURES_MAX: Final = 5
OPEN_S: Final = 60.0


class BreakerState(StrEnum):
    """Calls are allowed (closed), refused (open), or limited to one probe (half-open)."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """Counts consecutive failures of one external service.

    Call `allows` before each call, and `succeeded` or `failed` after it. Times are seconds of one monotonic clock.
    """

    def __init__(self, *, failures_max: int = FAILURES_MAX, open_s: float = OPEN_S) -> None:
        self._failures_max = failures_max
        self._open_s = open_s
        self._failures = 0
        # Time of the next probe, from the opening or the last probe; None while closed.
        self._probe_at_s: float | None = None
        self._probing = False

    def state(self, now_s: float) -> BreakerState:
        """Return the state at a time."""
        if self._probe_at_s is None:
            return BreakerState.CLOSED
        if self._probing or now_s >= self._probe_at_s:
            return BreakerState.HALF_OPEN
        return BreakerState.OPEN

    def allows(self, now_s: float) -> bool:
        """Return True if a call may be made now; when half-open, for one caller until it reports.

        A probe whose caller never reports expires after `open_s`.
        """
        if self._probe_at_s is None:
            return True
        if now_s < self._probe_at_s:
            return False
        self._probing = True
        self._probe_at_s = now_s + self._open_s
        return True

    def succeeded(self) -> None:
        """Report a successful call: close the breaker."""
        self._failures, self._probe_at_s, self._probing = 0, None, False

    def failed(self, now_s: float) -> None:
        """Report a failed call: `failures_max` in a row open the breaker, a failed probe opens it again."""
        self._failures += 1
        if self._probing or self._failures >= self._failures_max:
            self._probe_at_s, self._probing = now_s + self._open_s, False
