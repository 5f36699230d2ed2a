"""Wait for a condition of another process or thread, which can only be polled."""

import asyncio
import time
from collections.abc import Awaitable, Callable

POLL_S = 0.05


def until(met: Callable[[], bool], *, within_s: float = 600.0) -> None:
    """Poll until the condition is met; fail after `within_s` seconds."""
    deadline_s = time.monotonic() + within_s
    while not met():
        assert time.monotonic() < deadline_s, "gave up waiting"
        time.sleep(POLL_S)


async def reached(met: Callable[[], bool], *, within_s: float = 60.0) -> None:
    """Poll until the condition is met, while other tasks run; fail after `within_s` seconds."""
    deadline_s = time.monotonic() + within_s
    while not met():
        assert time.monotonic() < deadline_s, "gave up waiting"
        await asyncio.sleep(0.01)


async def eventually(met: Callable[[], Awaitable[bool]], *, within_s: float = 60.0) -> None:
    """Ask until the answer is True; fail after `within_s` seconds."""
    deadline_s = time.monotonic() + within_s
    while not await met():
        assert time.monotonic() < deadline_s, "gave up waiting"
        await asyncio.sleep(POLL_S)
