"""The definition of a tool: its handler and effect, arguments and results with compact JSON schemas."""

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache, partial
from typing import Any, ClassVar, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import DataclassSchema

from graph_service.auth.access import Requirement
from graph_service.auth.quarantine import Quarantine
from graph_service.auth.rules import ADMIN, READ, WRITE
from graph_service.memory.service import Memory
from schema.errors import InputError
from schema.frames import attribute_texts
from schema.json_text import read_json

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")
# Names of other memory servers for the same argument; the schemas name ours.
_SYNONYMS: Mapping[str, str] = {
    "run_id": "session_id",
    "group_id": "user_id",
    "bank_id": "user_id",
    "top_k": "limit",
    "content": "text",
    "text": "content",
}
_PROBLEMS_MAX = 20
_RARE = "rare"


def about(description: str) -> Any:
    return Field(description=description)


def rare(description: str) -> Any:
    """Describe an argument that only the complete list of tools names; calls may always pass it."""
    return Field(description=description, json_schema_extra={_RARE: True})


class Result(BaseModel):
    """Base class of arguments and results; unknown fields are refused, so that typos are reported."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Omit default values from answers; clients of other servers expect their empty lists.
    lean: ClassVar[bool] = True

    @classmethod
    def of(cls, thing: object, **more: Any) -> Self:
        """Return a result with the values of a thing under the same names.

        Args:
            more: fields that the thing has in another form, or not at all.
        """
        same = {name: getattr(thing, name) for name in cls.model_fields if name not in more}
        return cls.model_validate({**same, **more}, from_attributes=True)


class Arguments(Result):
    """Arguments of a tool: `userId` and `run_id` are accepted for `user_id` and `session_id`, at any depth."""


def read_arguments(shape: type[Arguments], given: Mapping[str, Any]) -> Arguments:
    """Validate the arguments of a call.

    Raises:
        InputError: lists all errors, without values.
    """
    try:
        return shape.model_validate(_as_declared(shape, given))
    except ValidationError as error:
        problems = tuple(_problem(one, shape) for one in error.errors(include_url=False)[:_PROBLEMS_MAX])
        raise InputError("; ".join(problems), problems) from error


def _as_declared(kind: Any, given: Any) -> Any:
    """Return a value in the form that its declared type expects, without checking it.

    Several clients send arrays and objects as JSON text, null for everything optional, and other names for a field.
    """
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        given = _parsed(given, dict)
        return _fields_as_declared(kind, given) if isinstance(given, Mapping) else given
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin in (list, tuple):
        given = _parsed(given, list)
        return [_as_declared(inner[0], one) for one in given] if isinstance(given, list) and inner else given
    if origin in (dict, Mapping):
        return _parsed(given, dict)
    choices = [one for one in inner if one is not type(None)]
    return _as_declared(choices[0], given) if origin is not None and len(choices) == 1 else given


def _fields_as_declared(shape: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    known, values = shape.model_fields, dict[str, Any]()
    names = known.keys() | {field.alias for field in known.values() if field.alias}
    for name, value in given.items():
        ours = name if name in names else _HUMP.sub(r"_\1", name).lower()
        ours = ours if ours in names else _SYNONYMS.get(ours, ours)
        ours = ours if ours in names and (ours == name or ours not in given) else name
        field = known.get(ours)
        if field is None:
            values[ours] = value
        elif value is not None or field.is_required():
            values[ours] = _as_declared(field.annotation, value)
    return values


def _parsed(given: Any, kind: type[list[Any]] | type[dict[Any, Any]]) -> Any:
    """Return the array or object that a text contains as JSON; any other value unchanged."""
    if not isinstance(given, str) or given.lstrip()[:1] not in ("[", "{"):
        return given
    try:
        found = read_json(given)
    except json.JSONDecodeError:
        return given
    return found if isinstance(found, kind) else given


def lean_json(answer: object) -> dict[str, Any]:
    """Return an answer as JSON, without default values unless `lean` is False, because agents pay per token."""
    kind: Any = type(answer)
    found: dict[str, Any] = _adapter(kind).dump_python(
        answer, mode="json", by_alias=True, exclude_none=True, exclude_defaults=getattr(answer, "lean", True)
    )
    return found


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


class _WithAttributeTexts(GenerateJsonSchema):
    """Describes the attributes of dataclasses of the memory by their docstrings."""

    def dataclass_schema(self, schema: DataclassSchema) -> dict[str, Any]:
        made = super().dataclass_schema(schema)
        for name, text in attribute_texts(schema["cls"]).items():
            made["properties"].get(name, {})["description"] = text
        # Answers leave out what is null.
        found = {name: one.get("anyOf", ()) for name, one in made["properties"].items()}
        made["required"] = [name for name in made.get("required", ()) if {"type": "null"} not in found[name]]
        return made


def input_schema(shape: type[BaseModel], *, complete: bool) -> dict[str, Any]:
    """Return the self-contained JSON schema of arguments.

    Args:
        complete: name rare arguments, too.
    """
    return _lean(shape.model_json_schema(), complete=complete)


def output_schema(shape: Any) -> dict[str, Any]:
    """Return the self-contained JSON schema of a result."""
    return _lean(_adapter(shape).json_schema(schema_generator=_WithAttributeTexts), complete=True)


def _lean(schema: dict[str, Any], *, complete: bool) -> dict[str, Any]:
    """Remove titles, references, docstrings and null types: optional fields are omitted, never null."""
    definitions = {name: {**one, "description": None} for name, one in schema.pop("$defs", {}).items()}
    lean: dict[str, Any] = _plain({**schema, "description": None}, definitions, complete)
    return lean


def _plain(node: Any, definitions: Mapping[str, Any], complete: bool) -> Any:
    if isinstance(node, list):
        return [_plain(one, definitions, complete) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = {**definitions[node["$ref"].rpartition("/")[2]], **{k: v for k, v in node.items() if k != "$ref"}}
    choices = node.get("anyOf")
    if choices and any(one == {"type": "null"} for one in choices):
        left = [one for one in choices if one != {"type": "null"}]
        rest = {name: value for name, value in node.items() if name != "anyOf"}
        return _plain({**(left[0] if len(left) == 1 else {"anyOf": left}), **rest}, definitions, complete)
    fields = {
        name: _plain(value, definitions, complete)
        for name, value in node.get("properties", {}).items()
        if complete or _RARE not in value
    }
    kept = {name: value for name, value in node.items() if not _is_idle(name, value)}
    lean = {name: _plain(value, definitions, complete) for name, value in kept.items()}
    return {**lean, "properties": fields} if fields else lean


def _is_idle(name: str, value: Any) -> bool:
    if name in ("title", "properties", _RARE):
        return True
    # Calls are checked here; a client need not refuse an argument that its list does not name.
    return value in (None, [], False, "") or (name == "additionalProperties" and value is True)


def _problem(error: Mapping[str, Any], shape: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in error["loc"]) or "arguments"
    if error["type"] == "missing":
        return f"{place} is missing"
    if error["type"] == "extra_forbidden":
        return f"{place} is unknown; use {', '.join(shape.model_fields)}"
    message = str(error["msg"])
    return f"{place} is invalid: {message[:1].lower()}{message[1:]}"


class Effect(Enum):
    """The effect of a tool on a memory; clients ask for confirmation before some."""

    READS = "reads"
    ADDS = "adds"
    REPAIRS = "repairs"  # idempotent
    DELETES = "deletes"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceInfo:
    """The service's version and models.

    Attributes:
        reader, embedder: the model's name; `rules` and `none` without a model.
        embedder_problem: why a configured embedder is missing, or None.
    """

    version: str
    reader: str
    embedder: str
    embedder_problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """The context of tool handlers.

    Attributes:
        clock: returns aware UTC now.
        quarantine: tenants whose calls are refused; None refuses none.
    """

    memory: Memory
    about: ServiceInfo
    clock: Callable[[], datetime]
    quarantine: Quarantine | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool.

    Attributes:
        description: when and how to use it; read by the model that decides whether to call it.
        act: the handler; gets the context, the caller, and validated arguments by name.
        prose: formats the answer as text, if JSON is not the best form for models.
        administers: returns whether a call with these arguments requires an administrator.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type
    effect: Effect
    act: Callable[..., Awaitable[Any]]
    prose: Callable[[Any], str] | None = None
    administers: Callable[[Any], bool] = lambda _given: False

    def need(self, given: Any) -> Requirement:
        if self.administers(given):
            return ADMIN
        return READ if self.effect is Effect.READS else WRITE


def tool(
    effect: Effect,
    title: str = "",
    *,
    arguments: type[Arguments] = Arguments,
    prose: Callable[[Any], str] | None = None,
    administers: Callable[[Any], bool] = lambda _given: False,
) -> Callable[[Callable[..., Awaitable[Any]]], Tool]:
    """Make a tool of its handler: models see its name, its docstring, and its parameters after context and caller.

    Args:
        arguments: base class of the arguments.
    """

    def declared(act: Callable[..., Awaitable[Any]]) -> Tool:
        signature = inspect.signature(act)
        fields: dict[str, Any] = {
            name: (one.annotation, ... if one.default is one.empty else one.default)
            for name, one in list(signature.parameters.items())[2:]
        }
        return Tool(
            name=act.__name__,
            title=title or act.__name__.replace("_", " ").capitalize(),
            description=" ".join((inspect.getdoc(act) or "").split()),
            arguments=create_model(f"{act.__name__}_arguments", __base__=arguments, **fields),
            answer=signature.return_annotation,
            effect=effect,
            act=act,
            prose=prose,
            administers=administers,
        )

    return declared


class CompatArguments(Arguments):
    """Arguments of a compatibility tool; unknown ones are ignored, as its clients expect."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CompatResult(Result):
    """Result of a compatibility tool, with the fields of its server; empty lists are not omitted."""

    model_config = ConfigDict(extra="allow", frozen=True)

    lean: ClassVar[bool] = False


def known(**fields: Any) -> dict[str, Any]:
    """Return the fields of a part of a result, without those that are unknown."""
    return {name: value for name, value in fields.items() if value is not None}


compat_tool = partial(tool, arguments=CompatArguments)
