"""Encode property values for an export file, and decode them; times, vectors and bytes are tagged. Pure."""

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import numpy as np

from schema.errors import InputError
from schema.timespan import as_utc, iso

_TIME: Final = "$time"
_FLOATS: Final = "$f32"
_BYTES: Final = "$bytes"


def encode_value(value: Any, kind: str) -> Any:
    """Return the JSON value for a property value.

    Args:
        kind: kind of the property in `schema/graph_model.toml`.
    """
    match value:
        case datetime():
            return {_TIME: iso(value)}
        case bytes() | bytearray():
            return {_BYTES: base64.b64encode(value).decode("ascii")}
        case list() if kind == "vector":
            return {_FLOATS: base64.b64encode(np.asarray(value, dtype="<f4").tobytes()).decode("ascii")}
        case [datetime(), *_]:
            return [{_TIME: iso(one)} for one in value]
        case _:
            return value


def decode_value(written: Any, kind: str) -> Any:
    """Return the property value for a JSON value.

    Args:
        kind: kind of the property; empty accepts any kind.

    Raises:
        InputError: the value is not of this kind; the message is the end of a sentence about the property.
    """
    try:
        value, found = _value(written)
    except (ValueError, TypeError, OverflowError, binascii.Error) as error:
        raise InputError(f"cannot be decoded: {error!s:.120}") from error
    if kind == "times" and value == []:
        return value
    if kind and found != kind and not (kind == "float" and found == "int"):
        raise InputError(f"must be {_NAMES[kind]}")
    return value


def _value(written: Any) -> tuple[Any, str]:
    match written:
        case bool():
            return written, "bool"
        case int():
            if not -(2**63) <= written < 2**63:
                raise ValueError(f"integers may have at most 64 bits, got {written!s:.30}")
            return written, "int"
        case float():
            return written, "float"
        case str():
            return written, "string"
        case list():
            return _list(written)
        case {**tagged} if len(tagged) == 1:
            ((tag, text),) = tagged.items()
            read, kind = _TAGGED.get(str(tag), _UNKNOWN_TAG)
            return read(text), kind
    raise ValueError(f"a property cannot be {type(written).__name__}")


def _list(written: list[Any]) -> tuple[list[Any], str]:
    if any(isinstance(one, list) for one in written):
        raise ValueError("lists cannot contain lists")
    if written and all(isinstance(one, dict) for one in written):
        return [decode_value(one, "time") for one in written], "times"
    kinds = {_value(one)[1] for one in written}
    if len(kinds) > 1 or kinds - {"string", "int", "float", "bool"}:
        raise ValueError("the items of a list must all be strings, or all numbers")
    return written, "strings" if kinds <= {"string"} else "numbers"


def _unknown(text: Any) -> Any:
    raise ValueError(f"objects must have one key: {', '.join(_TAGGED)}")


def _time(text: Any) -> datetime:
    read = datetime.fromisoformat(text)
    if not 1 < read.year < 9999:
        raise ValueError(f"the year must be from 2 to 9998, got {read.year}")
    return as_utc(read)


def _floats(text: Any) -> list[float]:
    found: list[float] = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(float).tolist()
    if not found:
        raise ValueError("a vector must not be empty")
    if not np.isfinite(found).all():
        raise ValueError("a vector must have finite numbers")
    return found


def _bytes(text: Any) -> bytes:
    return base64.b64decode(text, validate=True)


_TAGGED: Final[dict[str, tuple[Callable[[Any], Any], str]]] = {
    _TIME: (_time, "time"),
    _FLOATS: (_floats, "vector"),
    _BYTES: (_bytes, "bytes"),
}
_UNKNOWN_TAG: Final[tuple[Callable[[Any], Any], str]] = (_unknown, "")
_NAMES: Final = {
    "string": "a string",
    "strings": "a list of strings",
    "int": "a whole number",
    "float": "a number",
    "numbers": "a list of numbers",
    "bool": "true or false",
    "times": "a list of times",
    "time": 'a time, {"$time": "2026-01-31T18:00:00Z"}',
    "vector": 'a vector, {"$f32": base64 of its numbers}',
    "bytes": 'bytes, {"$bytes": base64}',
}
