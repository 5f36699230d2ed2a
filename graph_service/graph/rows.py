"""Make objects from rows."""

from collections.abc import Mapping
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
