"""Counts how often a piece of work asked the database; whoever wants to know opens a count around it."""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Count:
    """Statements sent so far by the work in the block, and by what that work started."""

    sent: int = 0


_OPEN: ContextVar[Count | None] = ContextVar("round_trips", default=None)


@contextlib.contextmanager
def counted() -> Iterator[Count]:
    """Counts inside the block; an inner block counts for itself alone."""
    count = Count()
    token = _OPEN.set(count)
    try:
        yield count
    finally:
        _OPEN.reset(token)


def sent() -> None:
    """One statement goes out; costs nothing where nobody counts."""
    if (count := _OPEN.get()) is not None:
        count.sent += 1
