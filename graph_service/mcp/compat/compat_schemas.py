"""What tools with the names of other servers share: they take what their clients send, and give empty lists."""

from typing import Any, ClassVar

from pydantic import ConfigDict

from graph_service.mcp.tool import Effect, Tool
from graph_service.mcp.tool_schemas import Arguments, Result


class CompatArguments(Arguments):
    """What a tool of theirs takes; what has no meaning here is left out in silence, as their clients expect."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class CompatResult(Result):
    """What a tool of theirs gives."""

    lean: ClassVar[bool] = False


class MessageAnswer(CompatResult):
    """What happened, in words."""

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
