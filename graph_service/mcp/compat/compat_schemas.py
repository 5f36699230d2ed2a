"""Base classes of compatibility tools: unknown arguments are ignored, and results contain empty lists and defaults."""

from typing import Any, ClassVar, Final

from pydantic import ConfigDict

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.memory.sessions.recent_turns import TURNS_MAX
from graph_service.memory.sessions.short_term_window import Turn

_SESSIONS_LOOKED_AT: Final = 50


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


async def latest_turns(context: ToolContext, caller: Caller, user_id: str, number: int) -> list[Turn]:
    """Return the last messages of a user, latest first, of the latest sessions; long texts are cut."""
    found: list[Turn] = []
    for view in await context.memory.sessions.latest(caller.tenant, user_id, limit=_SESSIONS_LOOKED_AT):
        if len(found) >= number:
            break
        turns = min(number, TURNS_MAX)
        recent = await context.memory.short_term(caller.tenant, user_id, view.session_id, turns=turns)
        found += recent.turns
    return sorted(found, key=lambda turn: turn.said_at, reverse=True)[:number]
