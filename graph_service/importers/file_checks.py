"""Check files from outside: parse JSON, validate rows, and report all problems at once."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from schema.errors import InputError
from schema.json_text import read_json

M = TypeVar("M", bound=BaseModel)
PROBLEMS_SHOWN = 20


def parse_json(text: str, *, name: str, outcome: str = "nothing was stored") -> Any:
    """Return the parsed text of a file.

    Raises:
        InputError: with the line of the mistake.
    """
    try:
        return read_json(text)
    except json.JSONDecodeError as error:
        problem = f"{name} line {error.lineno}: not JSON ({error.msg})"
        raise InputError(f"{problem}; {outcome}", (problem,)) from error


def validated(model: type[M], tree: object, place: str, problems: list[str]) -> M | None:
    """Return the tree as a model; if it is invalid, append the problems and return None."""
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        problems += problems_of(error, place)
        return None


def problems_of(error: ValidationError, place: str) -> list[str]:
    """Return one line for each problem: the place, the field and the message."""
    return [
        f"{place}: {'.'.join(map(str, one['loc']))}: {one['msg']}" if one["loc"] else f"{place}: {one['msg']}"
        for one in error.errors()
    ]


def raise_problems(problems: Sequence[str], *, outcome: str = "nothing was stored") -> None:
    """Raise if there is any problem.

    Raises:
        InputError: lists the first `PROBLEMS_SHOWN` problems.
    """
    if problems:
        more = [f"and {len(problems) - PROBLEMS_SHOWN} more"] if len(problems) > PROBLEMS_SHOWN else []
        shown = [*problems[:PROBLEMS_SHOWN], *more]
        raise InputError(f"{outcome}:\n" + "\n".join(f"  {one}" for one in shown), tuple(problems))
