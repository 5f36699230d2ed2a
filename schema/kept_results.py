"""Results of pure functions of text, kept in bounded memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# What an entry takes beside its text, counted as characters.
_ENTRY_CHARS: Final = 50


def kept_by_chars(*, chars_max: int, entries_max: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the results of a function whose arguments are hashable, as `functools.lru_cache` does, the latest used last.

    `lru_cache` bounds the number of results: of texts of 100,000 characters it keeps as many as of words. Here the
    characters of all arguments together are bounded as well. Calls with keyword arguments are not kept.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        kept: OrderedDict[Hashable, tuple[R, int]] = OrderedDict()
        lock = threading.Lock()
        chars = 0

        @wraps(function)
        def asked(*args: P.args, **more: P.kwargs) -> R:
            nonlocal chars
            if more:
                return function(*args, **more)
            with lock:
                found = kept.get(args)
                if found is not None:
                    kept.move_to_end(args)
                    return found[0]
            result = function(*args, **more)
            size = _ENTRY_CHARS + sum(len(one) for one in args if isinstance(one, str))
            with lock:
                if size <= chars_max and args not in kept:
                    kept[args] = (result, size)
                    chars += size
                while chars > chars_max or len(kept) > entries_max:
                    chars -= kept.popitem(last=False)[1][1]
            return result

        return asked

    return decorate
