"""Values of an analyst's answer as plain Python: nodes and relationships as maps, times as times, the rest as text."""

import base64
import sys
from datetime import date, datetime
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time
from neo4j.vector import Vector

from schema.timespan import as_utc


def plain_value(value: Any) -> Any:
    """The value as text, number, boolean, time, list or map, however deep."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Point() | Duration():  # tuples too, to Python
            return _single(value)
        case list() | tuple():
            return [plain_value(one) for one in value]
        case dict():
            return {str(name): plain_value(one) for name, one in value.items()}
        case Node() | Relationship() | Path():
            return _of_graph(value)
        case _:
            return _single(value)


def size_of(value: Any) -> int:
    """About how many bytes of memory a plain value takes."""
    match value:
        case dict():
            return sys.getsizeof(value) + sum(size_of(name) + size_of(one) for name, one in value.items())
        case list():
            return sys.getsizeof(value) + sum(size_of(one) for one in value)
        case _:
            return sys.getsizeof(value)


def _of_graph(value: Node | Relationship | Path) -> dict[str, Any]:
    match value:
        case Node():
            return {"labels": sorted(value.labels), "properties": _properties(value)}
        case Relationship():
            return {"type": value.type, "properties": _properties(value)}
        case Path():
            return {
                "nodes": [_of_graph(node) for node in value.nodes],
                "relationships": [_of_graph(one) for one in value.relationships],
            }


def _properties(value: Node | Relationship) -> dict[str, Any]:
    return {name: plain_value(one) for name, one in sorted(value.items())}


def _single(value: Any) -> Any:
    match value:
        case DateTime():
            native = value.to_native()
            return as_utc(native) if native.tzinfo else native
        case datetime():
            return as_utc(value) if value.tzinfo else value
        case Date():
            return value.to_native()
        case date():
            return value
        case Time() | Duration():
            return value.iso_format()
        case bytes() | bytearray():
            return base64.b64encode(value).decode("ascii")
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case Vector():
            return list(value.to_native())
        case _:
            return str(value)
