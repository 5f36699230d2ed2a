"""What the worker takes from outside: the clock, fresh random words, and who is told about each step."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobContext:
    """Clock, random words and observers, handed in so that tests decide about them.

    Attributes:
        clock: aware UTC now.
        word: a fresh random word.
        on_step: called with the name of each step; crash tests kill the process there.
        on_change: called with the tenant after each commit that changed its mind map.
    """

    clock: Callable[[], datetime]
    word: Callable[[], str]
    on_step: Callable[[str], None]
    on_change: Callable[[str], None]

    def now_ms(self) -> int:
        """Return milliseconds since 1970 UTC."""
        return round(self.clock().timestamp() * 1000)

    def step(self, name: str) -> None:
        """Say which step was reached."""
        self.on_step(name)
