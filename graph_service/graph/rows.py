"""Make objects from rows, and rows from objects."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def from_row(kind: type[T], row: Mapping[str, Any], /, **converted: Any) -> T:
    """Return a dataclass with the values of a row by the names of its fields; lists become tuples.

    Args:
        row: other columns are ignored; fields without a column keep their defaults.
        converted: values of fields that take precedence over those of the row.
    """
    names = kind.__dataclass_fields__.keys() & row.keys()
    values = {name: tuple(row[name]) if isinstance(row[name], list) else row[name] for name in names}
    return kind(**values | converted)


def to_row(made: object, names: Iterable[str]) -> dict[str, Any]:
    """Return attributes of an object as properties that Neo4j stores: members of an enumeration as their values.

    Tuples become lists, and empty ones None, which is not stored.
    """
    return {name: _stored(getattr(made, name)) for name in names}


def _stored(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case tuple():
            return list(value) or None
        case _:
            return value
