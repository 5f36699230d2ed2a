"""Declare GraphQL types with descriptions: the docstrings of classes and resolvers, and texts for the fields."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

import strawberry
from strawberry.types.arguments import StrawberryArgumentAnnotation
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
