"""Instrument round trips to the database: a counter per block, a duration metric and a trace span."""

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from graph_service.observability.metrics import DATABASE_SECONDS
from graph_service.observability.spans import span


@dataclass
class Count:
    """Number of statements sent within a block and by tasks started in it."""

    sent: int = 0


_OPEN: ContextVar[Count | None] = ContextVar("round_trips", default=None)


@contextlib.contextmanager
def counted() -> Iterator[Count]:
    """Count statements within the block; a nested block has its own count."""
    count = Count()
    token = _OPEN.set(count)
    try:
        yield count
    finally:
        _OPEN.reset(token)


def sent() -> None:
    """Count one statement if a counter is active."""
    if (count := _OPEN.get()) is not None:
        count.sent += 1


@contextlib.contextmanager
def round_trip(name: str, access: Literal["read", "write"]) -> Iterator[None]:
    """Measure one statement, sent within the block."""
    sent()
    started_s = time.perf_counter()
    try:
        with span(f"neo4j {name}"):
            yield
    finally:
        DATABASE_SECONDS.note(time.perf_counter() - started_s, access)
