"""A cache of what was computed of texts, bounded by their characters rather than by their number.

`functools.lru_cache` counts entries: 8,192 messages of 100,000 characters and what was made of them would take
gigabytes.
"""

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Ordinary messages have 100 to 300 characters, so about 10,000 of them are kept; what is made of a text may take some
# twenty times its size.
CHARS_KEPT: Final = 2_000_000
# Longer texts are computed anew each time; a few of them would push out all others.
TEXT_CHARS_MAX: Final = 4_000


class TextMemo(Generic[P, R]):
    """A function of texts that remembers what it gave for those asked for lately; safe in several threads."""

    def __init__(self, function: Callable[P, R], *, chars_kept: int, text_chars_max: int) -> None:
        self.__wrapped__ = function
        self._chars_kept = chars_kept
        self._text_chars_max = text_chars_max
        self._known: OrderedDict[Hashable, tuple[R, int]] = OrderedDict()
        self._chars = 0
        self._guard = Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what the function gives; of calls with keyword arguments nothing is remembered."""
        key: Any = args
        known = self._known.get(key)
        if known is not None and not kwargs:
            # Gone meanwhile: another thread made room.
            with contextlib.suppress(KeyError):
                self._known.move_to_end(key)
            return known[0]
        chars = sum(len(one) for one in args if isinstance(one, str))
        if kwargs or chars > self._text_chars_max:
            return self.__wrapped__(*args, **kwargs)
        made = self.__wrapped__(*args, **kwargs)
        with self._guard:
            if key not in self._known:
                # Each entry costs something besides its text.
                self._known[key] = (made, chars + 100)
                self._chars += chars + 100
            while self._chars > self._chars_kept:
                _, (_, gone) = self._known.popitem(last=False)
                self._chars -= gone
        return made


def text_memo(
    *, chars_kept: int = CHARS_KEPT, text_chars_max: int = TEXT_CHARS_MAX
) -> Callable[[Callable[P, R]], TextMemo[P, R]]:
    """Return a decorator for functions of one or more texts."""

    def remember(function: Callable[P, R]) -> TextMemo[P, R]:
        return TextMemo(function, chars_kept=chars_kept, text_chars_max=text_chars_max)

    return remember
