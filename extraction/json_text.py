"""Finds the JSON answer in what a model wrote around it: prose, code fences, thoughts."""

import json
import re
from collections.abc import Iterator
from typing import Final

from pydantic import ValidationError

from extraction.language_model import Shape

# An answer with more opening braces that start nothing is not an answer.
_TRIES_MAX: Final = 100
_PARTS_MAX: Final = 10


def shape_in_text(text: str, shape: type[Shape]) -> Shape:
    """The first JSON object in the text that fills the shape.

    Raises:
        ValueError: there is none; says which parts of the first object found were wrong, never what they held.
    """
    problem: str | None = None
    for found in _objects(_without_thoughts(text)):
        try:
            return shape.model_validate(found)
        except ValidationError as error:
            problem = problem or _parts_wrong(error)
    raise ValueError(problem or "the answer holds no JSON object")


def shape_in_cut_text(text: str, shape: type[Shape]) -> Shape:
    """The shape in an answer that broke off: what was whole before the break.

    Raises:
        ValueError: nothing whole fills the shape.
    """
    told = _without_thoughts(text)
    start = told.find("{")
    if start < 0:
        raise ValueError("the answer was cut before its JSON began")
    by_field, by_item = _mended(told[start:])
    try:
        return shape_in_text(by_field, shape)
    except ValueError:
        return shape_in_text(by_item, shape)


def _mended(text: str) -> tuple[str, str]:
    """Cut JSON up to its last whole field, and up to its last whole item; everything closed that was open there."""
    open_marks: list[str] = []
    field = item = (0, "")
    quoted = escaped = False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = char == "\\", char != '"'
        elif char == '"':
            quoted = True
        elif char in "{[":
            open_marks.append("}" if char == "{" else "]")
        elif char in "}]":
            if not open_marks or open_marks.pop() != char:
                break
            field = item = (at + 1, "".join(reversed(open_marks)))
        elif char == ",":
            field = (at, "".join(reversed(open_marks)))
    return text[: field[0]] + field[1], text[: item[0]] + item[1]


def _without_thoughts(text: str) -> str:
    return re.sub(r"<think>.*?(</think>|\Z)", "", text, flags=re.DOTALL)


def _parts_wrong(error: ValidationError) -> str:
    wrong = error.errors(include_url=False, include_context=False, include_input=False)[:_PARTS_MAX]
    return "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in wrong)


def _objects(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(_TRIES_MAX):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at += 1
            continue
        yield found
