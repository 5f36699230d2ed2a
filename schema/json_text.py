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


def _refuse_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is not a number", "", 0)
