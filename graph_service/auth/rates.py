"""Rate limits: a token bucket for each credential."""

from dataclasses import dataclass
from typing import Final

from cachetools import LRUCache

HOLDERS_MAX: Final = 10_000


@dataclass(slots=True)
class Bucket:
    """The tokens in a bucket at a time; negative after `RateLimiter.charge` has overdrawn it.

    Attributes:
        at_s: of a monotonic clock; if it goes back, no tokens are added.
    """

    tokens: float
    at_s: float
    per_s: float
    burst: float

    def refill(self, now_s: float) -> None:
        self.tokens = min(self.tokens + max(now_s - self.at_s, 0.0) * self.per_s, self.burst)
        self.at_s = max(now_s, self.at_s)

    def take(self, *, now_s: float, cost: float = 1.0) -> float:
        """Take `cost` tokens, at most `burst`, and return 0; or return the seconds until there are enough."""
        self.refill(now_s)
        if self.tokens < cost:
            return (cost - self.tokens) / self.per_s
        self.tokens -= cost
        return 0.0


class RateLimiter:
    """Token buckets of this process by holder; the least recently used are evicted beyond `HOLDERS_MAX`.

    Args:
        per_s: default rate; 0 means no limit.

    Attributes:
        spent: tokens by holder since the last `take_spent`; None unless other processes are to be told.
    """

    def __init__(self, *, per_s: float, burst: int) -> None:
        self._per_s = per_s
        self._burst = burst
        self._buckets: LRUCache[str, Bucket] = LRUCache(HOLDERS_MAX)
        self.spent: dict[str, float] | None = None

    def wait_s(self, holder: str, *, now_s: float, per_s: float | None = None) -> float:
        """Take one token and return 0, or return the seconds to wait.

        Args:
            per_s: the rate of this holder; None means the default.
        """
        rate = self._per_s if per_s is None else per_s
        if rate <= 0:
            return 0.0
        # A holder with a rate of its own has a burst in proportion.
        scaled = per_s is not None and self._per_s > 0
        burst = max(1.0, self._burst * rate / self._per_s) if scaled else self._burst
        bucket = self._buckets.get(holder)
        if bucket is None:
            bucket = self._buckets[holder] = Bucket(burst, now_s, rate, burst)
        bucket.per_s, bucket.burst = rate, burst
        wait_s = bucket.take(now_s=now_s)
        if wait_s == 0:
            self._note(holder, 1)
        return wait_s

    def would_wait(self, holder: str, *, now_s: float) -> bool:
        """Return whether the holder would have to wait now, without taking tokens."""
        bucket = self._buckets.get(holder)
        if bucket is None:
            return False
        bucket.refill(now_s)
        return bucket.tokens < 1

    def charge(self, holder: str, tokens: int) -> None:
        """Take tokens for admitted work without refusing; a negative balance delays later requests."""
        known = self._buckets.get(holder)
        if known is not None and tokens > 0:
            known.tokens -= tokens
            self._note(holder, tokens)

    def take_spent(self) -> dict[str, tuple[float, float]]:
        """Return the tokens that each holder spent since the last call, and its rate."""
        spent, self.spent = self.spent or {}, {}
        return {name: (tokens, known.per_s) for name, tokens in spent.items() if (known := self._buckets.get(name))}

    def set_missing(self, holder: str, tokens: float, *, now_s: float) -> None:
        """Set the bucket of a holder to what all processes left of it.

        Args:
            tokens: missing until the bucket is full, without those spent here since `take_spent`.
        """
        known = self._buckets.get(holder)
        if known is not None:
            known.tokens, known.at_s = known.burst - tokens - (self.spent or {}).get(holder, 0.0), now_s

    def _note(self, holder: str, tokens: float) -> None:
        if self.spent is not None:
            self.spent[holder] = self.spent.get(holder, 0.0) + tokens
