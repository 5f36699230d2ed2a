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


class RateLimiter:
    """Token buckets of this process by holder; the least recently used are evicted beyond `HOLDERS_MAX`.

    Args:
        per_s: default rate; 0 means no limit.
    """

    def __init__(self, *, per_s: float, burst: int) -> None:
        self._per_s = per_s
        self._burst = burst
        self._buckets: LRUCache[str, Bucket] = LRUCache(HOLDERS_MAX)

    def wait_s(self, holder: str, *, now_s: float, per_s: float | None = None) -> float:
        """Take one token and return 0, or return the seconds to wait.

        Args:
            per_s: the rate of this holder; None means the default.
        """
        rate = self._per_s if per_s is None else per_s
        if rate <= 0:
            return 0.0
        burst = self._burst_of(per_s)
        bucket = self._buckets.get(holder) or Bucket(burst, now_s)
        self._buckets[holder], wait_s = take(bucket, now_s=now_s, per_s=rate, burst=burst)
        return wait_s

    def spent(self, holder: str, *, now_s: float) -> bool:
        """Return whether the holder would have to wait now, without taking tokens."""
        bucket = self._buckets.get(holder)
        if bucket is None or self._per_s <= 0:
            return False
        return take(bucket, now_s=now_s, per_s=self._per_s, burst=self._burst)[1] > 0

    def charge(self, holder: str, tokens: int) -> None:
        """Take tokens for admitted work without refusing; a negative balance delays later requests."""
        bucket = self._buckets.get(holder)
        if bucket is not None and tokens > 0:
            self._buckets[holder] = Bucket(bucket.tokens - tokens, bucket.at_s)

    def _burst_of(self, per_s: float | None) -> float:
        """Return a holder's burst: the default, scaled in proportion if the holder has its own rate."""
        return self._burst if per_s is None or self._per_s <= 0 else max(1.0, self._burst * per_s / self._per_s)
