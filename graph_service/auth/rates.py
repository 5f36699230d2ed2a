"""How often somebody may come: a token bucket for each credential."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

HOLDERS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is left of a holder's tokens, and when that was."""

    tokens: float
    at_s: float


def taken(bucket: Bucket, *, now_s: float, per_s: float, burst: float) -> tuple[Bucket, float]:
    """Return the bucket after one token was taken, and 0; or the bucket as it is now, and the seconds until it holds
    one.

    Args:
        now_s: of a clock that does not go back; if it does, nothing is added.
        burst: as many tokens as it can hold, at least 1.
    """
    passed_s = max(now_s - bucket.at_s, 0.0)
    tokens = min(bucket.tokens + passed_s * per_s, burst)
    at_s = max(now_s, bucket.at_s)
    if tokens >= 1.0:
        return Bucket(tokens - 1.0, at_s), 0.0
    return Bucket(tokens, at_s), (1.0 - tokens) / per_s


class Rates:
    """The buckets of all holders of this process; the one that was idle longest gives way to a new one.

    Args:
        per_s: 0 means no limit.
    """

    def __init__(self, *, per_s: float, burst: int) -> None:
        self._per_s = per_s
        self._burst = burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def wait_s(self, holder: str, *, now_s: float, per_s: float | None = None) -> float:
        """0 if the holder may go on, and one token is gone then; else how long to wait.

        Args:
            per_s: of this holder; as all have it when None.
        """
        rate = self._per_s if per_s is None else per_s
        if rate <= 0:
            return 0.0
        burst = self._burst_of(per_s)
        bucket = self._buckets.get(holder) or Bucket(burst, now_s)
        self._buckets[holder], wait_s = taken(bucket, now_s=now_s, per_s=rate, burst=burst)
        self._buckets.move_to_end(holder)
        if len(self._buckets) > HOLDERS_MAX:
            self._buckets.popitem(last=False)
        return wait_s

    def spent(self, holder: str, *, now_s: float) -> bool:
        """Return whether the holder would have to wait now; takes nothing."""
        bucket = self._buckets.get(holder)
        if bucket is None or self._per_s <= 0:
            return False
        return taken(bucket, now_s=now_s, per_s=self._per_s, burst=self._burst)[1] > 0

    def charge(self, holder: str, tokens: int) -> None:
        """Take tokens for work that was let in already; what is missing is owed, and later requests wait for it."""
        bucket = self._buckets.get(holder)
        if bucket is not None and tokens > 0:
            self._buckets[holder] = Bucket(bucket.tokens - tokens, bucket.at_s)

    def _burst_of(self, per_s: float | None) -> float:
        """Return the burst of a holder; with a rate of its own it is in proportion."""
        return self._burst if per_s is None or self._per_s <= 0 else max(1.0, self._burst * per_s / self._per_s)
