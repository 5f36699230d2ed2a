"""GraphQL documents derived from pydantic models: the model of an answer says which fields are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

R = TypeVar("R")

Word = Annotated[str, BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)]
"""A value of an enum of the schema, in lower case; values of newer services are accepted."""


class Model(BaseModel):
    """Base of all models: immutable, with the field names of the schema as aliases."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


@dataclass(frozen=True)
class Select:
    """Metadata of a field whose selection does not follow from its type.

    Attributes:
        arguments: arguments of the field.
        fields: its selection set, if the field's type is no model.
    """

    arguments: str = ""
    fields: str = ""


def selection(annotation: Any) -> str:
    """Return the selection set of a type, with braces; empty for scalars."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "{ " + " ".join(_field(model_field) for model_field in annotation.model_fields.items()) + " }"
    inner = [selection(part) for part in get_args(annotation) if get_origin(annotation) is not Annotated]
    return next(filter(None, inner), "")


def _field(named: tuple[str, Any]) -> str:
    name, info = named
    told = next((item for item in info.metadata if isinstance(item, Select)), Select())
    arguments = f"({told.arguments})" if told.arguments else ""
    return f"{info.alias or name}{arguments} {told.fields or selection(info.annotation)}".rstrip()


OPERATIONS: list[Operation[Any]] = []


@dataclass(frozen=True)
class Operation(Generic[R]):
    """One root field with its arguments, and the type of its answer.

    Attributes:
        kind: `query` or `mutation`.
        arguments: GraphQL types of the variables, by argument name.
        repeatable: sending it twice has the effect of sending it once.
    """

    kind: str
    name: str
    result: Any
    arguments: dict[str, str] = field(default_factory=dict)
    repeatable: bool = True

    def __post_init__(self) -> None:
        OPERATIONS.append(self)

    @cached_property
    def text(self) -> str:
        """The document."""
        head = ", ".join(f"${name}: {kind}" for name, kind in self.arguments.items())
        call = ", ".join(f"{name}: ${name}" for name in self.arguments)
        root = f"{self.name}({call})" if call else self.name
        return f"{self.kind} {self.name}{head and f'({head})'} {{ {root} {selection(self.result)} }}"

    @cached_property
    def _adapter(self) -> TypeAdapter[R]:
        return TypeAdapter(self.result)

    def parse(self, data: Any) -> R:
        """Return the answer in the `data` of a response."""
        return self.read(data[self.name])

    def read(self, answer: Any) -> R:
        """Return the answer of the root field."""
        return self._adapter.validate_python(answer)


@dataclass(frozen=True)
class Repeated(Generic[R]):
    """One operation several times in a request, with other variables each time; `userId` is `userId0`, `userId1` …."""

    operation: Operation[R]
    times: int

    @property
    def name(self) -> str:
        """Name of the operation."""
        return self.operation.name

    @property
    def repeatable(self) -> bool:
        """True if sending it twice has the effect of sending it once."""
        return self.operation.repeatable

    @property
    def text(self) -> str:
        """The document."""
        told, fields = [], []
        for number in range(self.times):
            told += [f"${name}{number}: {kind}" for name, kind in self.operation.arguments.items()]
            call = ", ".join(f"{name}: ${name}{number}" for name in self.operation.arguments)
            fields.append(f"{self.name}{number}: {self.name}({call}) {selection(self.operation.result)}")
        return f"{self.operation.kind} {self.name}({', '.join(told)}) {{ {' '.join(fields)} }}"

    def parse(self, data: Any) -> list[R]:
        """Return the answers in the `data` of a response."""
        return [self.operation.read(data[f"{self.name}{number}"]) for number in range(self.times)]
