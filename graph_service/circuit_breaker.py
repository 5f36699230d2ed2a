"""A circuit breaker: after some failures in a row nothing is tried for a while, then one probe decides (pure)."""

from enum import StrEnum
from typing import Final

# Source: requirements.md F3.
FAILURES_MAX: Final = 5
OPEN_S: Final = 60.0


class BreakerState(StrEnum):
    """Whether calls go through: all, none, or a single probe."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker:
    """Counts failures in a row of one thing outside: a model, an embedder, a server.

    Ask `allows` before each call and report each outcome. Moments are seconds of one monotonic clock.
    """

    def __init__(self, *, failures_max: int = FAILURES_MAX, open_s: float = OPEN_S) -> None:
        self._failures_max = failures_max
        self._open_s = open_s
        self._failures = 0
        # When the next probe may go through, counted from the opening or from the last probe; None while closed.
        self._probe_at_s: float | None = None
        self._probing = False

    def state(self, now_s: float) -> BreakerState:
        """Return what `allows` would go by."""
        if self._probe_at_s is None:
            return BreakerState.CLOSED
        if self._probing or now_s >= self._probe_at_s:
            return BreakerState.HALF_OPEN
        return BreakerState.OPEN

    def allows(self, now_s: float) -> bool:
        """Return whether to try a call now; when half-open, only one caller is told so until it reports.

        A probe that never reports (its caller died) stops counting after `open_s`.
        """
        if self._probe_at_s is None:
            return True
        if now_s < self._probe_at_s:
            return False
        self._probing = True
        self._probe_at_s = now_s + self._open_s
        return True

    def succeeded(self) -> None:
        """Report a call that worked: everything goes through again."""
        self._failures, self._probe_at_s, self._probing = 0, None, False

    def failed(self, now_s: float) -> None:
        """Report a call that failed: the fifth in a row opens the breaker, a failed probe opens it again."""
        self._failures += 1
        if self._probing or self._failures >= self._failures_max:
            self._probe_at_s, self._probing = now_s + self._open_s, False
