"""JSON from outside: whatever is wrong with it is one kind of error."""

import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """Return what a JSON text says.

    Raises:
        json.JSONDecodeError: it is no JSON, no UTF-8, nested too deeply, or holds a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise json.JSONDecodeError("nested too deeply", "", 0) from error
    except UnicodeDecodeError as error:
        raise json.JSONDecodeError("not UTF-8", "", 0) from error
    except ValueError as error:
        raise json.JSONDecodeError("a number with too many digits", "", 0) from error
