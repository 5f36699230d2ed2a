"""Cache results of pure functions of text in bounded memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# Overhead of an entry, counted as characters.
_ENTRY_CHARS: Final = 50


def cached_by_chars(*, chars_max: int, entries_max: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Cache a function's results like `functools.lru_cache`, bounded by characters of the arguments too.

    `lru_cache` bounds only the number of results, whether the arguments are words or texts of 100,000 characters. Calls
    with keyword arguments are not cached.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        cached: OrderedDict[Hashable, tuple[R, int]] = OrderedDict()
        lock = threading.Lock()
        chars = 0

        @wraps(function)
        def wrapper(*args: P.args, **more: P.kwargs) -> R:
            nonlocal chars
            if more:
                return function(*args, **more)
            with lock:
                found = cached.get(args)
                if found is not None:
                    cached.move_to_end(args)
                    return found[0]
            result = function(*args, **more)
            size = _ENTRY_CHARS + sum(len(one) for one in args if isinstance(one, str))
            with lock:
                if size <= chars_max and args not in cached:
                    cached[args] = (result, size)
                    chars += size
                while chars > chars_max or len(cached) > entries_max:
                    chars -= cached.popitem(last=False)[1][1]
            return result

        return wrapper

    return decorate
