"""Base classes of compatibility tools: unknown arguments are ignored, and results contain empty lists and defaults."""

from typing import Any, ClassVar

from pydantic import ConfigDict

from graph_service.mcp.tool import Effect, Tool
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


def compat_tool(
    name: str, description: str, arguments: type[Arguments], answer: type[Result], effect: Effect, act: Any
) -> Tool:
    """Return a tool whose title is its name."""
    return Tool(
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=description,
        arguments=arguments,
        answer=answer,
        effect=effect,
        act=act,
    )
