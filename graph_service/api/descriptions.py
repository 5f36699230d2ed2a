"""Declare GraphQL types with descriptions: the docstrings of classes and resolvers, and texts for the fields."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Collection
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, NewType, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.types.arguments import StrawberryArgumentAnnotation
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.field import StrawberryField

T = TypeVar("T")


def about(description: str, **default: Any) -> Any:
    """Describe a field.

    Args:
        default: `default` or `default_factory`, as of a dataclass.
    """
    return strawberry.field(description=description, **default)


def argument(description: str) -> StrawberryArgumentAnnotation:
    """Describe an argument, in `Annotated`."""
    return strawberry.argument(description=description)


@dataclass_transform(kw_only_default=True, field_specifiers=(about, strawberry.field, StrawberryField))
def output(name: str | None = None) -> Callable[[type[T]], type[T]]:
    """Declare an output type; `name` is that in the schema, if it is another one."""
    return lambda cls: strawberry.type(cls, name=name, description=_docstring(cls))


@dataclass_transform(kw_only_default=True, field_specifiers=(about, strawberry.field, StrawberryField))
def given(name: str | None = None) -> Callable[[type[T]], type[T]]:
    """Declare an input type."""
    return lambda cls: strawberry.input(cls, name=name, description=_docstring(cls))


def expose(kind: type, name: str | None = None, *, without: Collection[str] = (), ids: Collection[str] = ()) -> None:
    """Declare a dataclass of the memory as an output type; its docstring describes it and its attributes.

    Args:
        without: attributes that are not part of the API.
        ids: attributes with the type `ID`.
    """
    texts, types = _attribute_texts(kind), get_type_hints(kind)
    fields = [
        StrawberryField(
            python_name=one.name,
            type_annotation=StrawberryAnnotation(strawberry.ID if one.name in ids else _without_new(types[one.name])),
            origin=kind,
            description=texts.get(one.name),
        )
        for one in dataclasses.fields(kind)
        if one.name not in without
    ]
    definition = StrawberryObjectDefinition(
        name=name or kind.__name__,
        is_input=False,
        is_interface=False,
        origin=kind,
        description=_docstring(kind),
        interfaces=[],
        extend=False,
        directives=(),
        is_type_of=None,
        resolve_type=None,
        fields=fields,
    )
    kind.__strawberry_definition__ = definition  # type: ignore[attr-defined]


def _attribute_texts(kind: type) -> dict[str, str]:
    """Return what the docstring says about each attribute, as a sentence of the API."""
    listed = (inspect.getdoc(kind) or "").partition("\n\nAttributes:\n")[2]
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    texts = {name: re.sub(r"\bNone\b", "null", " ".join(text.split())) for name, text in found}
    # A list of values begins with one of them.
    return {
        name: text if re.match(r"\w+, \w+, ", text) else text[:1].upper() + text[1:] for name, text in texts.items()
    }


def _without_new(annotation: Any) -> Any:
    """Return a type without `NewType`, which strawberry would take for a scalar of its own."""
    if isinstance(annotation, NewType):
        return annotation.__supertype__
    if get_origin(annotation) in (Union, UnionType):
        return reduce(or_, map(_without_new, get_args(annotation)))
    if get_origin(annotation) is tuple:
        return list[_without_new(get_args(annotation)[0])]  # type: ignore[misc]
    return annotation


def field(resolver: Callable[..., Any]) -> Any:
    """Declare a field by its resolver."""
    return strawberry.field(resolver, description=_docstring(resolver))


def mutation(resolver: Callable[..., Any]) -> Any:
    """Declare a mutation by its resolver."""
    return strawberry.mutation(resolver, description=_docstring(resolver))


def subscription(resolver: Callable[..., Any]) -> Any:
    """Declare a subscription by its resolver."""
    return strawberry.subscription(resolver, description=_docstring(resolver))


def _docstring(declared: Any) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(declared) or "").partition("\n\n")[0].split())
