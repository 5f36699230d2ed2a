"""Check the text, the raw payload and the metadata of a message, and write them as JSON. Pure."""

import json
import math
from typing import Final

from graph_service.memory.argument_checks import text_problem
from schema.json_text import depth_of
from schema.limits import LIMITS

_KEY_CHARS_MAX: Final = 200


def json_text(value: object) -> str | None:
    """Return a JSON value as text; None for None."""
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def message_text_problems(name: str, text: object, raw: object) -> list[str]:
    """Return the problem of a message's text; it may be empty if there is a payload.

    Args:
        name: of the message in the error.
    """
    if text == "" and raw is not None:
        return []
    problem = text_problem(text, LIMITS.message_chars)
    return [f"{name}.text {problem}"] if problem else []


def payload_problems(name: str, metadata: object, raw: object) -> list[str]:
    """Return the problems of a message's metadata and raw payload, each with the name of the message."""
    problems = []
    if raw is not None and (problem := _json_problem(raw, LIMITS.raw_bytes)):
        problems.append(f"{name}.raw {problem}")
    if metadata is not None:
        problems += [f"{name}.metadata{problem}" for problem in _metadata_problems(metadata)]
    return problems


def _json_problem(value: object, bytes_max: int) -> str | None:
    if depth_of(value) > LIMITS.json_depth:
        return f"is nested more than {LIMITS.json_depth} deep"
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode())
    except UnicodeEncodeError:
        return "contains half of a surrogate pair; send valid UTF-8"
    except (TypeError, ValueError) as error:
        return f"is not JSON: {error}"
    return f"has {size:,} bytes as JSON, at most {bytes_max:,} are accepted" if size > bytes_max else None


def _metadata_problems(metadata: object) -> list[str]:
    """Return the problems of metadata, each as the end of a sentence that begins with its name."""
    if not isinstance(metadata, dict):
        return [f" must be an object, not {type(metadata).__name__}"]
    if len(metadata) > LIMITS.metadata_keys:
        return [f" has {len(metadata)} keys, at most {LIMITS.metadata_keys} are accepted"]
    problems = []
    for key, value in metadata.items():
        if not isinstance(key, str) or not key.strip() or len(key) > _KEY_CHARS_MAX or not key.isprintable():
            problems.append(f" has the key {key!r:.60}; use 1 to {_KEY_CHARS_MAX} printable characters")
        elif not (_is_plain(value) or (isinstance(value, list) and all(isinstance(item, str) for item in value))):
            problems.append(f".{key} must be a text, a number, true, false or a list of texts; leave out null")
    if not problems and (problem := _json_problem(metadata, LIMITS.metadata_bytes)):
        problems.append(f" {problem}")
    return problems


def _is_plain(value: object) -> bool:
    return isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
