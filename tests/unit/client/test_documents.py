"""Compare the documents and models of the Python client with the service's schema."""

import types
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    build_schema,
    parse,
    validate,
)

from mnemoscene import operations
from mnemoscene.documents import OPERATIONS, Model, Operation, Repeated, Select
from mnemoscene.errors import MnemosceneError, error_of
from mnemoscene.mem0 import service as mem0_service
from mnemoscene.models import Message, NewFact
from schema import errors

SDL = (Path(__file__).parents[3] / "schema/schema.graphql").read_text("utf-8")
SCHEMA = build_schema(SDL)
SCALARS = {"String": str, "ID": str, "Int": int, "Float": float, "Boolean": bool, "DateTime": datetime}
NAMED = [pytest.param(one, id=one.name) for one in OPERATIONS]


def test_all_operations_are_known() -> None:
    assert operations.RECALL in OPERATIONS
    assert mem0_service.WORDINGS in OPERATIONS
    assert len({one.text for one in OPERATIONS}) == len(OPERATIONS)


@pytest.mark.parametrize("operation", NAMED)
def test_document_of_each_operation_is_valid(operation: Operation[Any]) -> None:
    assert validate(SCHEMA, parse(operation.text)) == []


def test_document_of_a_repeated_operation_is_valid() -> None:
    repeated = Repeated(operations.MESSAGE, 3)
    assert validate(SCHEMA, parse(repeated.text)) == []
    assert repeated.parse({"message0": None, "message1": None, "message2": None}) == [None, None, None]


@pytest.mark.parametrize("operation", NAMED)
def test_model_of_each_answer_has_the_types_of_the_schema(operation: Operation[Any]) -> None:
    root = SCHEMA.query_type if operation.kind == "query" else SCHEMA.mutation_type
    assert root is not None
    assert list(differences(operation.result, root.fields[operation.name].type, operation.name)) == []


@pytest.mark.parametrize(("model", "name"), [(Message, "MessageInput"), (NewFact, "FactInput")])
def test_fields_of_inputs_are_those_of_the_schema(model: type[Model], name: str) -> None:
    known = SCHEMA.type_map[name].fields  # type: ignore[attr-defined]
    assert {info.alias for info in model.model_fields.values()} <= set(known)
    required = {key for key, field in known.items() if isinstance(field.type, GraphQLNonNull) and field.ast_node}
    required = {key for key in required if known[key].ast_node.default_value is None} - {"role"}
    assert required <= {info.alias for info in model.model_fields.values() if info.is_required()}


def differences(annotation: Any, told: Any, path: str) -> Iterator[str]:
    """Yield where a Python type and a type of the schema differ."""
    annotation, may_be_none = bare(annotation)
    if isinstance(told, GraphQLNonNull):
        told = told.of_type
    elif not may_be_none and annotation is not Any:
        yield f"{path} may be null"
    if isinstance(told, GraphQLList):
        assert get_origin(annotation) is list, f"{path} is a list"
        yield from differences(get_args(annotation)[0], told.of_type, f"{path}[]")
    elif isinstance(told, GraphQLObjectType):
        for info in annotation.model_fields.values():
            if not any(isinstance(one, Select) for one in info.metadata):
                yield from differences(info.annotation, told.fields[info.alias].type, f"{path}.{info.alias}")
    elif getattr(told, "name", "") == "JSON":
        if annotation is not Any and get_origin(annotation) is not dict:
            yield f"{path} is any JSON"
    elif annotation is not (str if isinstance(told, GraphQLEnumType) else SCALARS[told.name]):
        yield f"{path} is {told}, not {annotation}"


def bare(annotation: Any) -> tuple[Any, bool]:
    """Return a type without metadata and None, and whether it allows None."""
    if get_origin(annotation) is Annotated:
        return bare(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType) and types.NoneType in get_args(annotation):
        (inner,) = (part for part in get_args(annotation) if part is not types.NoneType)
        return bare(inner)[0], True
    return annotation, False


def subclasses(kind: type[errors.MnemosceneError]) -> list[type[errors.MnemosceneError]]:
    return [kind, *(deeper for one in kind.__subclasses__() for deeper in subclasses(one))]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("NOT_FOUND", "NotFound"),
        ("BAD_INPUT", "BadInput"),
        ("INVALID_URI", "BadInput"),
        ("TOO_COSTLY", "BadInput"),
        ("CONFLICT", "Conflict"),
        ("UNAUTHORIZED", "Denied"),
        ("FORBIDDEN", "Denied"),
        ("QUARANTINED", "Denied"),
        ("UNAVAILABLE", "Unavailable"),
        ("RATE_LIMITED", "Unavailable"),
        ("INTERNAL", "MnemosceneError"),
    ],
)
def test_code_of_the_service_becomes_an_error_class(code: str, name: str) -> None:
    assert code in {kind.code for kind in subclasses(errors.MnemosceneError)}
    error = error_of(code, "why")
    assert (type(error).__name__, error.code, str(error)) == (name, code, "why")
    assert isinstance(error, MnemosceneError)
