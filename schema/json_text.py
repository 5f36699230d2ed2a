"""Parse untrusted JSON with a single error type."""

import json
from typing import Any


def read_json(text: str | bytes, *, finite: bool = False) -> Any:
    """Return the value of a JSON text.

    Args:
        finite: refuse `NaN` and `Infinity`, which Python reads although JSON has no such numbers.

    Raises:
        json.JSONDecodeError: not JSON, not UTF-8, nested too deeply, or a number has thousands of digits.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant if finite else None)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise json.JSONDecodeError("nested too deeply", "", 0) from error
    except UnicodeDecodeError as error:
        raise json.JSONDecodeError("not UTF-8", "", 0) from error
    except ValueError as error:
        raise json.JSONDecodeError("a number with too many digits", "", 0) from error


def depth_of(tree: Any) -> int:
    """Return the nesting depth of JSON, without recursion."""
    deepest, waiting = 0, [(tree, 1)]
    while waiting:
        one, depth = waiting.pop()
        deepest = max(deepest, depth)
        inside = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        waiting += [(value, depth + 1) for value in inside]
    return deepest


def _refuse_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is not a number", "", 0)
