"""Interface between the MCP server and a memory, and the conversion of errors to MCP."""

from collections.abc import Mapping
from typing import Any, Protocol

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
    TextContent,
)

from graph_service.mcp.caller import Caller
from schema.errors import InputError, MnemosceneError, NotFoundError, UnavailableError


class Backend(Protocol):
    """Answers MCP requests, from a memory in this process or from another service."""

    async def tools(self, caller: Caller) -> ListToolsResult:
        """Return the available tools."""

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Call a tool; errors are returned as results with a message that a model can act on."""

    async def resources(self, caller: Caller) -> ListResourcesResult:
        """Return the latest sessions of the caller's user."""

    async def templates(self, caller: Caller) -> ListResourceTemplatesResult:
        """Return the URI templates of layer texts."""

    async def read(self, caller: Caller, uri: str) -> ReadResourceResult:
        """Return a layer text.

        Raises:
            MCPError: it does not exist, or is not available now.
        """


def failed(error: MnemosceneError) -> CallToolResult:
    """Return an error as a tool result, so that the model can react to it."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, InputError) and len(error.problems) > 1:
        body["problems"] = list(error.problems)
    if isinstance(error, UnavailableError) and error.retry_after_s is not None:
        body["retry_after_s"] = error.retry_after_s
    return CallToolResult(
        content=[TextContent(text=f"{error.code}: {error.message}")], structured_content={"error": body}, is_error=True
    )


def protocol_error(error: MnemosceneError) -> MCPError:
    """Return an error as a protocol error, for requests other than tool calls."""
    invalid = isinstance(error, InputError | NotFoundError)
    return MCPError(INVALID_PARAMS if invalid else INTERNAL_ERROR, error.message, {"code": error.code})
