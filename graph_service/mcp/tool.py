"""What a tool is: its names and words, what it takes and gives, what it does to a memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from graph_service.auth.access import Requirement
from graph_service.auth.rules import ADMIN, READ, WRITE
from graph_service.mcp.caller import Caller
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.memory.service import Memory


class Effect(Enum):
    """What a tool does to a memory; clients ask people before some of them."""

    READS = "reads"
    ADDS = "adds"
    REPAIRS = "mends"  # brings up to date what is there; again changes nothing more
    DELETES = "takes away"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceInfo:
    """What a service says of itself.

    Attributes:
        reader, embedder: a model's name, or `rules` and `none`.
        embedder_problem: why there is no embedder although one was wanted.
    """

    version: str
    reader: str
    embedder: str
    embedder_problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What tools work with.

    Attributes:
        clock: aware UTC now.
    """

    memory: Memory
    about: ServiceInfo
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    Attributes:
        description: for the model that decides whether to call it.
        act: does it; gets arguments of the shape `arguments`.
        prose: the answer as a model reads it, where JSON is not the best form.
        administers: whether a call with these arguments is for administrators.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    answer: type[Result]
    effect: Effect
    act: Callable[[ToolContext, Caller, Any], Awaitable[Result]]
    prose: Callable[[Any], str] | None = None
    administers: Callable[[Any], bool] = lambda _given: False

    def need(self, given: Any) -> Requirement:
        """Return what a call with these arguments asks of a caller."""
        if self.administers(given):
            return ADMIN
        return READ if self.effect is Effect.READS else WRITE
