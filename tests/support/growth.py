"""Check that computing time is bounded, or grows about linearly with the input, also on slow and busy machines."""

import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from typing import Final

# Linear work takes 4 times as long for 4 times the number, n log n about 5 times, quadratic work 16 times.
FACTOR: Final = 4
GROWTH_MAX: Final = 8.0
_TRIES: Final = 5
# CPU time of `_reference_work` on the machine for which the limits of `cpu_within` are written.
_REFERENCE_S: Final = 0.05


def assert_about_linear(work_of: Callable[[int], Callable[[], object]], n: int, *, floor_s: float = 0.0) -> None:
    """Fail if `FACTOR` times the size takes more than `GROWTH_MAX` times as long; the best of several tries counts.

    Args:
        work_of: returns the work for a size; preparing it is not measured.
        n: the smaller size.
        floor_s: a time below this for the larger size is always accepted.
    """
    small_s = large_s = float("inf")
    # A collection then takes a millisecond instead of the half second for the objects of all other tests.
    gc.freeze()
    try:
        for _ in range(_TRIES):
            small_s = min(small_s, cpu_s(work_of(n)))
            large_s = min(large_s, cpu_s(work_of(FACTOR * n)))
            if large_s <= max(GROWTH_MAX * small_s, floor_s):
                return
    finally:
        gc.unfreeze()
    raise AssertionError(f"{n}: {small_s:.4f} s, {FACTOR * n}: {large_s:.4f} s")


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU time of some work in this thread, with garbage collection switched off."""
    gc.collect()
    gc.disable()
    try:
        started_s = time.thread_time()
        work()
        return time.thread_time() - started_s
    finally:
        gc.enable()


@contextlib.contextmanager
def cpu_within(limit_s: float) -> Iterator[None]:
    """Fail if the block takes more CPU time in this thread than the limit, which is longer on a slower machine."""
    started_s = time.thread_time()
    yield
    took_s = time.thread_time() - started_s
    # Measured only if needed, and right after: a busy machine is slower for the reference work too.
    if took_s > limit_s:
        assert took_s <= limit_s * slowness(), f"took {took_s:.3f} s of CPU time, limit {limit_s} s"


def slowness() -> float:
    """Return how many times longer this machine takes than the one for which limits are written; at least 1."""
    return max(1.0, cpu_s(_reference_work) / _REFERENCE_S)


def _reference_work() -> int:
    """Do some work in pure Python."""
    return sum(number % 7 for number in range(1_000_000))
