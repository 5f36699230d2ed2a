"""Put other thresholds and limits in force for a test."""

from collections.abc import Iterator
from contextlib import contextmanager

from schema.tuning import Tuning, set_tuning, tuning


@contextmanager
def tuned(values: Tuning) -> Iterator[None]:
    """Put values in force inside the block."""
    before = tuning()
    set_tuning(values)
    try:
        yield
    finally:
        set_tuning(before)
