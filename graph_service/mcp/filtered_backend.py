"""MCP backend that hides secrets in the answers of another one, for standard output, which no middleware filters."""

import json
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from mcp.types import (
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
)

from extraction.text.secrets import SecretKind, without_secrets
from graph_service.mcp.backend import Backend
from graph_service.mcp.caller import Caller

_Answer = TypeVar("_Answer", CallToolResult, ListResourcesResult, ReadResourceResult)


class FilteredBackend:
    """Answer from `backend`, without secrets of these kinds."""

    def __init__(self, backend: Backend, kinds: Collection[SecretKind]) -> None:
        self._backend = backend
        self._kinds = frozenset(kinds)

    async def tools(self, caller: Caller) -> ListToolsResult:
        """Return the available tools."""
        return await self._backend.tools(caller)

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Call a tool."""
        return self._without(await self._backend.call(caller, name, arguments))

    async def resources(self, caller: Caller) -> ListResourcesResult:
        """Return the latest sessions of the caller's user."""
        return self._without(await self._backend.resources(caller))

    async def templates(self, caller: Caller) -> ListResourceTemplatesResult:
        """Return the URI templates of layer texts."""
        return await self._backend.templates(caller)

    async def read(self, caller: Caller, uri: str) -> ReadResourceResult:
        """Return a layer text."""
        return self._without(await self._backend.read(caller, uri))

    def _without(self, answer: _Answer) -> _Answer:
        before = json.dumps(answer.model_dump(mode="json", by_alias=True), ensure_ascii=False)
        after = without_secrets(before, self._kinds)
        return answer if after == before else type(answer).model_validate_json(after)
