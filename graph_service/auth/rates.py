"""Rate limits: a token bucket for each credential."""

from dataclasses import dataclass
from typing import Final

from cachetools import LRUCache

HOLDERS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Bucket:
    """The tokens in a bucket at a time; negative after `RateLimiter.charge` has overdrawn it."""

    tokens: float
    at_s: float


def take(bucket: Bucket, *, now_s: float, per_s: float, burst: float, cost: float = 1.0) -> tuple[Bucket, float]:
    """Take `cost` tokens if there are enough; return the new bucket, and 0 or the seconds until there are.

    Args:
        now_s: from a monotonic clock; if it goes back, no tokens are added.
        burst: capacity of the bucket, at least `cost`.
    """
    passed_s = max(now_s - bucket.at_s, 0.0)
    tokens = min(bucket.tokens + passed_s * per_s, burst)
    at_s = max(now_s, bucket.at_s)
    if tokens >= cost:
        return Bucket(tokens - cost, at_s), 0.0
    return Bucket(tokens, at_s), (cost - tokens) / per_s


@dataclass(slots=True)
class _Holder:
    bucket: Bucket
    per_s: float
    burst: float


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
        self._holders: LRUCache[str, _Holder] = LRUCache(HOLDERS_MAX)
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
        known = self._holders.get(holder)
        bucket = Bucket(burst, now_s) if known is None else known.bucket
        bucket, wait_s = take(bucket, now_s=now_s, per_s=rate, burst=burst)
        self._holders[holder] = _Holder(bucket, rate, burst)
        if wait_s == 0:
            self._note(holder, 1)
        return wait_s

    def would_wait(self, holder: str, *, now_s: float) -> bool:
        """Return whether the holder would have to wait now, without taking tokens."""
        known = self._holders.get(holder)
        if known is None or self._per_s <= 0:
            return False
        return take(known.bucket, now_s=now_s, per_s=self._per_s, burst=self._burst)[1] > 0

    def charge(self, holder: str, tokens: int) -> None:
        """Take tokens for admitted work without refusing; a negative balance delays later requests."""
        known = self._holders.get(holder)
        if known is not None and tokens > 0:
            known.bucket = Bucket(known.bucket.tokens - tokens, known.bucket.at_s)
            self._note(holder, tokens)

    def take_spent(self) -> dict[str, tuple[float, float]]:
        """Return the tokens that each holder spent since the last call, and its rate."""
        spent, self.spent = self.spent or {}, {}
        return {name: (tokens, known.per_s) for name, tokens in spent.items() if (known := self._holders.get(name))}

    def set_missing(self, holder: str, tokens: float, *, now_s: float) -> None:
        """Set the bucket of a holder to what all processes left of it.

        Args:
            tokens: missing until the bucket is full, without those spent here since `take_spent`.
        """
        known = self._holders.get(holder)
        if known is not None:
            left = known.burst - tokens - (self.spent or {}).get(holder, 0.0)
            known.bucket = Bucket(left, now_s)

    def _note(self, holder: str, tokens: float) -> None:
        if self.spent is not None:
            self.spent[holder] = self.spent.get(holder, 0.0) + tokens
