"""Runs a command's coroutine so that Ctrl-C and a termination signal end it in order."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, TypeVar

T = TypeVar("T")

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
# Somebody who asks for the third time does not want to wait for an orderly end.
PATIENT_SIGNALS_N: Final = 2


class StoppedError(Exception):
    """A signal ended the command before it was done.

    Attributes:
        exit_code: what shells expect: 128 and the signal's number.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.exit_code = 128 + number


class Stops:
    """Who hears a stop signal: the command by being cancelled, unless a part of it asked to be told instead."""

    def __init__(self) -> None:
        self.caught: list[int] = []
        self._told: Callable[[], None] | None = None

    @contextlib.contextmanager
    def told(self, call: Callable[[], None]) -> Iterator[None]:
        """Inside the block the first two signals call `call` and cancel nothing."""
        self._told = call
        try:
            yield
        finally:
            self._told = None

    def hear(self, number: int, task: "asyncio.Future[Any]") -> None:
        """A signal arrived while `task` is the command."""
        self.caught.append(number)
        if self._told is not None and len(self.caught) <= PATIENT_SIGNALS_N:
            self._told()
        else:
            task.cancel()


def run(work: Coroutine[Any, Any, T], stops: Stops | None = None) -> T:
    """What the coroutine returns; on a signal it is cancelled, and its `finally` blocks run to their end.

    Raises:
        StoppedError: a signal ended it.
    """
    heard = stops or Stops()

    async def watched() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            # Windows has no signal handlers in its loop; Ctrl-C arrives there as KeyboardInterrupt.
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, heard.hear, number, task)
        return await task

    try:
        return asyncio.run(watched())
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise StoppedError(heard.caught[0] if heard.caught else signal.SIGINT) from None
