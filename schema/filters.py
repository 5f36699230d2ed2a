"""The filter language `where`: conditions on a mapping of JSON values, such as an item's value or a message's metadata.

`{"project": "x"}` compares for equality, `{"n": {"gt": 5, "lte": 9}}` applies operators, and `AND`, `OR` and `NOT`
combine filters; several keys of one object must all match. `parse_filter` checks what a caller sent, and `matches`
decides one mapping.

A missing key counts as null, so `ne` and `NOT` match mappings without the key, and `{"k": {"ne": null}}` matches those
that have it. Only values of one kind are equal or ordered: numbers, texts, booleans (which are no numbers), lists,
objects, null.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeAlias

from schema.errors import InputError

DEPTH_MAX: Final = 8
CONDITIONS_MAX: Final = 100
KEY_CHARS_MAX: Final = 1_000
OPERAND_CHARS_MAX: Final = 10_000
# Values of `in`, and all elements of an object or list to compare with.
OPERAND_VALUES_MAX: Final = 1_000


class Operator(Enum):
    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    CONTAINS = "contains"


OPERATORS: Final = ", ".join(operator.value for operator in Operator)


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of the value under `key`; a key with dots also reaches into nested objects."""

    key: str
    operator: Operator
    operand: Any


@dataclass(frozen=True, slots=True)
class Group:
    """Matches if all parts do, or any of them; without parts, everything matches."""

    parts: tuple["Filter", ...] = ()
    takes_all: bool = True


@dataclass(frozen=True, slots=True)
class Not:
    part: "Filter"


Filter: TypeAlias = Condition | Group | Not

EVERYTHING: Final = Group()


def parse_filter(where: object) -> Filter:
    """Return the filter that a caller sent as JSON; None matches everything.

    Raises:
        InputError: not an object, an unknown operator, an operand that it cannot compare, or more than `CONDITIONS_MAX`
            conditions or `DEPTH_MAX` levels.
    """
    if where is None:
        return EVERYTHING
    parsed = _parse(where, DEPTH_MAX)
    if sum(1 for _ in _conditions(parsed)) > CONDITIONS_MAX:
        raise InputError(f"where: more than {CONDITIONS_MAX} conditions; use fewer, or `in` with a list")
    return parsed


def matches(tree: Filter, mapping: Mapping[str, Any]) -> bool:
    match tree:
        case Condition():
            return _holds(tree, _value(mapping, tree.key))
        case Group():
            return (all if tree.takes_all else any)(matches(part, mapping) for part in tree.parts)
        case Not():
            return not matches(tree.part, mapping)


def required_values(tree: Filter) -> dict[str, str | float | bool]:
    """Return keys with the one text, number or boolean that every match has, to narrow a search in an index.

    1 and 1.0 are equal, so an index stores the `equality_text` of values.
    """
    match tree:
        case Condition(key, Operator.EQ, str() | int() | float() as operand):
            return {key: operand}
        case Group(parts, True):
            return {key: value for part in parts for key, value in required_values(part).items()}
        case _:
            return {}


def equality_text(value: str | float | bool) -> str:
    """Return a text that two values share if `eq` holds between them, such as 1 and 1.0, for tokens of an index."""
    is_whole = isinstance(value, float) and value.is_integer()
    return json.dumps(int(value) if is_whole else value)


def _parse(where: object, depth: int) -> Filter:
    if depth == 0:
        raise InputError(f"where: nested more than {DEPTH_MAX} levels deep")
    if not isinstance(where, Mapping):
        raise InputError('where: a filter must be an object such as {"project": "x"} or {"n": {"gt": 5}}')
    if len(where) > CONDITIONS_MAX:
        raise InputError(f"where: more than {CONDITIONS_MAX} conditions; use fewer, or `in` with a list")
    parts = [part for key, content in where.items() for part in _parts(key, content, depth)]
    return parts[0] if len(parts) == 1 else Group(tuple(parts))


def _parts(key: str, content: object, depth: int) -> Iterator[Filter]:
    if key in ("AND", "OR"):
        if not isinstance(content, list) or not 1 <= len(content) <= CONDITIONS_MAX:
            raise InputError(f"where: {key} must be a list of 1 to {CONDITIONS_MAX} filters")
        parts = tuple(_parse(part, depth - 1) for part in content)
        yield Group(parts, takes_all=key == "AND")
    elif key == "NOT":
        yield Not(_parse(content, depth - 1))
    elif not 1 <= len(key) <= KEY_CHARS_MAX:
        raise InputError(f"where: a key must have 1 to {KEY_CHARS_MAX} characters")
    elif isinstance(content, Mapping):
        if not content:
            raise InputError(f'where: {_short(key)} has no operator; compare with an empty object by {{"eq": {{}}}}')
        for name, operand in content.items():
            yield _condition(key, name, operand)
    else:
        yield _condition(key, Operator.EQ.value, content)


def _condition(key: str, name: str, operand: object) -> Condition:
    try:
        operator = Operator(name)
    except ValueError as error:
        problem = (
            f"where: unknown operator {_short(name)} of {_short(key)}; use {OPERATORS}, or AND, OR and NOT outside"
        )
        raise InputError(problem) from error
    if operator is Operator.IN and not isinstance(operand, list):
        raise InputError(f"where: `in` of {_short(key)} must be a list")
    if operator in _ORDER and _kind(operand) not in ("number", "text"):
        raise InputError(f"where: `{name}` of {_short(key)} must be a number or a text")
    _check_size(key, operand)
    return Condition(key, operator, operand)


def _check_size(key: str, operand: object) -> None:
    open_values, count, chars = [(operand, 0)], 0, 0
    while open_values:
        value, level = open_values.pop()
        count += 1
        if isinstance(value, str):
            chars += len(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"where: the value for {_short(key)} is not a finite number")
        elif isinstance(value, Mapping):
            chars += sum(len(name) for name in value)
            open_values.extend((inner, level + 1) for inner in value.values())
        elif isinstance(value, list):
            open_values.extend((inner, level + 1) for inner in value)
        if count > OPERAND_VALUES_MAX + 1 or chars > OPERAND_CHARS_MAX * 10 or level > DEPTH_MAX * 2:
            break
    else:
        if not isinstance(operand, str) or chars <= OPERAND_CHARS_MAX:
            return
    raise InputError(f"where: the value for {_short(key)} is too large to compare with")


def _conditions(tree: Filter) -> Iterator[Condition]:
    match tree:
        case Condition():
            yield tree
        case Not():
            yield from _conditions(tree.part)
        case Group():
            for part in tree.parts:
                yield from _conditions(part)


def _value(mapping: Mapping[str, Any], key: str) -> Any:
    """Return the value under a key, or along its dots; None if there is none."""
    if key in mapping or "." not in key:
        return mapping.get(key)
    value: Any = mapping
    for name in key.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _holds(condition: Condition, value: Any) -> bool:
    operand = condition.operand
    match condition.operator:
        case Operator.EQ:
            return _equal(value, operand)
        case Operator.NE:
            return not _equal(value, operand)
        case Operator.IN:
            return any(_equal(value, choice) for choice in operand)
        case Operator.CONTAINS:
            if isinstance(value, str):
                return isinstance(operand, str) and operand.casefold() in value.casefold()
            return isinstance(value, list) and any(_equal(element, operand) for element in value)
        case order:
            if _kind(value) != _kind(operand):
                return False
            sign = (value > operand) - (value < operand)
            return sign in _ORDER[order]


# Signs of `value - operand` that satisfy an operator.
_ORDER: Final[Mapping[Operator, tuple[int, ...]]] = {
    Operator.GT: (1,),
    Operator.GTE: (1, 0),
    Operator.LT: (-1,),
    Operator.LTE: (-1, 0),
}


def _equal(one: Any, other: Any) -> bool:
    kind = _kind(one)
    if kind != _kind(other):
        return False
    if kind == "object":
        return one.keys() == other.keys() and all(_equal(value, other[name]) for name, value in one.items())
    if kind == "list":
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def _kind(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case Mapping():
            return "object"
        case list() | tuple():
            return "list"
        case _:
            return "null"


def _short(name: str) -> str:
    return repr(name if len(name) <= 50 else name[:50] + "…")
