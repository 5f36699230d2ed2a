"""The definition of a tool: name, description, schemas, effect and handler."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from pydantic import create_model

from graph_service.auth.access import Requirement
from graph_service.auth.quarantine import Quarantine
from graph_service.auth.rules import ADMIN, READ, WRITE
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.memory.service import Memory


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
    answer: type[Result]
    effect: Effect
    act: Callable[..., Awaitable[Result]]
    prose: Callable[[Any], str] | None = None
    administers: Callable[[Any], bool] = lambda _given: False

    def need(self, given: Any) -> Requirement:
        """Return the required access of a call with these arguments."""
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
) -> Callable[[Callable[..., Awaitable[Result]]], Tool]:
    """Make a tool of its handler: models see its name, its docstring, and its parameters after context and caller.

    Args:
        arguments: base class of the arguments.
    """

    def declared(act: Callable[..., Awaitable[Result]]) -> Tool:
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
