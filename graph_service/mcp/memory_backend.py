"""MCP backend for a memory in this process."""

import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cache
from typing import Any, Final, TypeVar

from mcp.types import (
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp.types import Tool as ListedTool

from extraction.text.secrets import SecretKind, without_secrets
from graph_service.auth.access import Requirement, require_access
from graph_service.auth.rules import READ
from graph_service.config.sections import Aliases, ToolSet
from graph_service.mcp.caller import Caller
from graph_service.mcp.server import failed, protocol_error
from graph_service.mcp.tool import (
    Arguments,
    Effect,
    Tool,
    ToolContext,
    input_schema,
    lean_json,
    output_schema,
    read_arguments,
)
from graph_service.mcp.tool_registry import tool_named, tools_for
from schema.errors import MnemosceneError
from schema.zones import day_in

_log = logging.getLogger("mnemoscene.mcp")

_MARKDOWN: Final = "text/markdown"
_SESSIONS_LISTED: Final = 50
_INTERNAL_ERROR: Final = "internal error; please report this bug"

Note = Callable[[Caller, str, str], Awaitable[None]]
_Answer = TypeVar("_Answer", CallToolResult, ListResourcesResult, ReadResourceResult)


class MemoryBackend:
    """Answers from a memory in this process.

    Args:
        context: returns the context of tool handlers, once it is ready.
        note: writes an audit entry: caller, tool, outcome.
        hidden: kinds of secrets to leave out of answers, for standard output, which no middleware filters.
    """

    def __init__(
        self,
        context: Callable[[], Awaitable[ToolContext]],
        *,
        note: Note | None = None,
        hidden: Collection[SecretKind] = (),
    ) -> None:
        self._context = context
        self._note = note
        self._hidden = frozenset(hidden)

    async def tools(self, caller: Caller) -> ListToolsResult:
        """Return the available tools; works without the database."""
        return _listed(caller.tools, caller.aliases)

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        return self._without_secrets(await self._answer(caller, name, arguments))

    async def _answer(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
        try:
            tool = tool_named(caller.tools, caller.aliases, name)
            answer = await self._call_tool(tool, caller, read_arguments(tool.arguments, arguments))
            return _answered(tool, answer)
        except MnemosceneError as error:
            return failed(error)
        except Exception as error:
            _log.error("an MCP tool failed unexpectedly", exc_info=error)
            return failed(MnemosceneError(_INTERNAL_ERROR))

    async def _call_tool(self, tool: Tool, caller: Caller, given: Arguments) -> object:
        need, outcome = tool.need(given), MnemosceneError.code
        try:
            require_access(caller.access, need, tool.name)
            context = await self._context()
            _check_quarantine(context, caller, need, tool.name)
            answer = await tool.act(context, caller, **dict(given))
            outcome = "done"
        except MnemosceneError as error:
            outcome = error.code
            raise
        finally:
            if need.audited and self._note is not None:
                await self._note(caller, tool.name, outcome)
        return answer

    async def resources(self, caller: Caller) -> ListResourcesResult:
        """Return the latest sessions of the caller's user; empty without a user."""
        if caller.user_id is None:
            return ListResourcesResult(resources=[])
        try:
            context = await self._context()
            _check_quarantine(context, caller, READ, "listing resources")
            views = await context.memory.sessions.latest(caller.tenant, caller.user_id, limit=_SESSIONS_LISTED)
        except MnemosceneError as error:
            raise protocol_error(error) from error
        resources = [
            Resource(
                uri=f"{view.uri}#L1",
                name=view.session_id,
                description=f"Overview of {view.messages} messages, the last of {day_in(view.last_at, view.zone)}.",
                mime_type=_MARKDOWN,
            )
            for view in views
        ]
        return self._without_secrets(ListResourcesResult(resources=resources))

    async def templates(self, caller: Caller) -> ListResourceTemplatesResult:
        """Return the URI templates of layer texts; works without the database."""
        session = f"memory://{caller.tenant}/session/{{user_id}}/{{session_id}}"
        kinds = {"session": "", "scene": "/scene/{scene_id}", "message": "/timeline/{message_id}"}
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(
                    uri_template=f"{session}{rest}{{#level}}",
                    name=f"{kind}_layer",
                    title=f"Text of a {kind}",
                    description=f"A {kind}: L0 is an abstract of about 100 tokens, L1 an overview, L2 the full text.",
                    mime_type=_MARKDOWN,
                )
                for kind, rest in kinds.items()
            ]
        )

    async def read(self, caller: Caller, uri: str) -> ReadResourceResult:
        try:
            context = await self._context()
            _check_quarantine(context, caller, READ, "reading a resource")
            found = await context.memory.layers.layer(caller.tenant, uri)
        except MnemosceneError as error:
            raise protocol_error(error) from error
        contents = TextResourceContents(uri=uri, text=found.text, mime_type=_MARKDOWN)
        return self._without_secrets(ReadResourceResult(contents=[contents]))

    def _without_secrets(self, answer: _Answer) -> _Answer:
        if not self._hidden:
            return answer
        before = json.dumps(answer.model_dump(mode="json", by_alias=True), ensure_ascii=False)
        after = without_secrets(before, self._hidden)
        return answer if after == before else type(answer).model_validate_json(after)


def _check_quarantine(context: ToolContext, caller: Caller, need: Requirement, what: str) -> None:
    if context.quarantine is not None:
        context.quarantine.check(caller.tenant, need, what)


def _answered(tool: Tool, answer: object) -> CallToolResult:
    lean = lean_json(answer)
    text = tool.prose(answer) if tool.prose else json.dumps(lean, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(text=text)], structured_content=lean)


@cache
def _listed(tools: ToolSet, aliases: Aliases) -> ListToolsResult:
    complete = tools is ToolSet.ALL
    return ListToolsResult(tools=[_listed_tool(tool, complete) for tool in tools_for(tools, aliases).values()])


def _listed_tool(tool: Tool, complete: bool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=input_schema(tool.arguments, complete=complete),
        # The protocol does not require it, and some clients pass it to their model.
        output_schema=output_schema(tool.answer) if complete else None,
        annotations=ToolAnnotations(
            read_only_hint=tool.effect is Effect.READS,
            destructive_hint=tool.effect is Effect.DELETES,
            idempotent_hint=tool.effect is not Effect.ADDS,
            open_world_hint=False,
        ),
    )
