"""Base classes of compatibility tools: unknown arguments are ignored, and results contain empty lists and defaults."""

from collections.abc import Awaitable, Callable
from typing import ClassVar

from pydantic import ConfigDict

from graph_service.mcp.tool import Effect, Tool, tool
from graph_service.mcp.tool_schemas import Arguments, Result


class CompatArguments(Arguments):
    """Arguments of a compatibility tool; unknown ones are ignored, as its clients expect."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CompatResult(Result):
    """Result of a compatibility tool; empty lists and default values are not omitted."""

    lean: ClassVar[bool] = False


class MessageAnswer(CompatResult):
    """A result with a message for the client."""

    message: str


def compat_tool(effect: Effect) -> Callable[[Callable[..., Awaitable[Result]]], Tool]:
    """Make a compatibility tool of its handler."""
    return tool(effect, arguments=CompatArguments)
