"""Test that tools accept arguments as clients send them: JSON as text, null for what is optional, other names."""

import json
import types
from enum import EnumType
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from graph_service.config.sections import Aliases, ToolSet
from graph_service.mcp.tool import Tool, read_arguments
from graph_service.mcp.tool_registry import tools_for
from graph_service.mcp.tools.recall import recall
from graph_service.mcp.tools.remember import remember
from schema.errors import InputError

TOOLS = [(aliases.value, tool) for aliases in Aliases for tool in tools_for(ToolSet.ALL, aliases).values()]


def example(kind: Any) -> Any:
    """Return a value of a declared type, with every required field, as JSON."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: example(one.annotation) for name, one in fields(kind) if one.is_required()}
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (types.UnionType,) or str(origin) == "typing.Union":
        return example(inner[0])
    if origin is list:
        return [example(inner[0])]
    if origin is dict:
        return {"a": 1}
    if str(origin) == "typing.Literal":
        return inner[0]
    if isinstance(kind, EnumType):
        return next(iter(kind))
    return {int: 1, float: 0.5, bool: True}.get(kind, "x")


def fields(shape: type[BaseModel]) -> list[tuple[str, Any]]:
    return [(one.alias or name, one) for name, one in shape.model_fields.items()]


def with_nulls(kind: Any, given: Any) -> Any:
    """Return a value with null for every optional field, at every depth."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: with_nulls(one.annotation, given.get(name)) for name, one in fields(kind)}
    if get_origin(kind) is list and given is not None:
        return [with_nulls(get_args(kind)[0], one) for one in given]
    return given


def as_text(given: Any) -> Any:
    """Return a value with all arrays and objects in it as JSON text, inner ones too."""
    if isinstance(given, dict):
        return json.dumps({name: as_text(one) for name, one in given.items()})
    return json.dumps([as_text(one) for one in given]) if isinstance(given, list) else given


@pytest.mark.parametrize(("aliases", "tool"), TOOLS, ids=[f"{aliases}-{tool.name}" for aliases, tool in TOOLS])
def test_every_tool_accepts_nulls_and_json_as_text(aliases: str, tool: Tool) -> None:
    del aliases
    least = example(tool.arguments)
    read = read_arguments(tool.arguments, least)
    assert read_arguments(tool.arguments, with_nulls(tool.arguments, least)) == read
    assert read_arguments(tool.arguments, {name: as_text(one) for name, one in least.items()}) == read


def test_optional_arrays_are_read_from_text_and_other_texts_stay() -> None:
    read = read_arguments(recall.arguments, {"query": "[1]", "kinds": '["fact"]', "entities": ' ["Ida"] '})
    given = dict(read)
    assert (given["query"], given["kinds"], given["entities"]) == ("[1]", ("fact",), ("Ida",))
    said = read_arguments(remember.arguments, {"messages": [{"role": "user", "content": '["a"]', "zone": None}]})
    assert dict(said)["messages"][0].text == '["a"]'


@pytest.mark.parametrize("given", ["[", "fact", '{"a": 1}', "[[[", "[" * 100_000, 7])
def test_what_is_no_array_is_refused(given: object) -> None:
    with pytest.raises(InputError, match="kinds is invalid"):
        read_arguments(recall.arguments, {"query": "x", "kinds": given})


def test_a_message_with_two_texts_is_refused() -> None:
    with pytest.raises(InputError, match="content is unknown"):
        read_arguments(remember.arguments, {"messages": [{"role": "user", "text": "a", "content": "b"}]})
