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
    for found in _objects(re.sub(r"<think>.*?(</think>|\Z)", "", text, flags=re.DOTALL)):
        try:
            return shape.model_validate(found)
        except ValidationError as error:
            problem = problem or _parts_wrong(error)
    raise ValueError(problem or "the answer holds no JSON object")


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
