"""What every MCP door answers, and how errors look in it."""

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
from schema.errors import InputError, MnemographError, NotFoundError, UnavailableError


class Backend(Protocol):
    """Answers one client: from a memory here, or by asking a service."""

    async def tools(self, caller: Caller) -> ListToolsResult:
        """Return the tools there are."""

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Return what a tool answers; failures too, in words that a model can act on."""

    async def resources(self, caller: Caller) -> ListResourcesResult:
        """Return the latest sessions of the caller's user."""

    async def templates(self, caller: Caller) -> ListResourceTemplatesResult:
        """Return how the URIs of layer texts are made."""

    async def read(self, caller: Caller, uri: str) -> ReadResourceResult:
        """Return a layer text.

        Raises:
            MCPError: there is none, or it cannot be told now.
        """


def failed(error: MnemographError) -> CallToolResult:
    """Return an error as the answer of a tool, so that the model reads it and can do something about it."""
    said: dict[str, Any] = {"code": error.code, "message": error.message}
    if isinstance(error, InputError) and len(error.problems) > 1:
        said["problems"] = list(error.problems)
    if isinstance(error, UnavailableError) and error.retry_after_s is not None:
        said["retry_after_s"] = error.retry_after_s
    return CallToolResult(
        content=[TextContent(text=f"{error.code}: {error.message}")], structured_content={"error": said}, is_error=True
    )


def protocol_error(error: MnemographError) -> MCPError:
    """Return an error of anything but a tool, as the protocol has it."""
    theirs = isinstance(error, InputError | NotFoundError)
    return MCPError(INVALID_PARAMS if theirs else INTERNAL_ERROR, error.message, {"code": error.code})
