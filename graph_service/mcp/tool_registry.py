"""The tools of a caller: five of ours, all of ours, or those of another memory server."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from graph_service.config.sections import Aliases, ToolSet
from graph_service.mcp.compat.graphiti import GRAPHITI
from graph_service.mcp.compat.mem0 import MEM0
from graph_service.mcp.compat.memory_server import MEMORY
from graph_service.mcp.tool import Tool
from graph_service.mcp.tools.maintenance import (
    close_session,
    generate_layers,
    index_memories,
    list_sessions,
    read_memory,
    status,
)
from graph_service.mcp.tools.recall import get_context, recall, search_nodes
from graph_service.mcp.tools.remember import forget, remember, update_fact
from schema.errors import NotFoundError

CORE: Final = (remember, get_context, recall, update_fact, forget)
MORE: Final = (search_nodes, read_memory, list_sessions, status, close_session, generate_layers, index_memories)
_COMPAT: Final[Mapping[Aliases, tuple[Tool, ...]]] = {
    Aliases.NONE: (),
    Aliases.GRAPHITI: GRAPHITI,
    Aliases.MEM0: MEM0,
    Aliases.MEMORY: MEMORY,
}


@cache
def tools_for(tools: ToolSet, aliases: Aliases) -> Mapping[str, Tool]:
    """Return the tools of a caller by name.

    The tools of another server replace ours; in the complete list only those of the same name.
    """
    ours = (*CORE, *MORE) if tools is ToolSet.ALL else CORE if aliases is Aliases.NONE else ()
    return {tool.name: tool for tool in (*ours, *_COMPAT[aliases])}


def tool_named(tools: ToolSet, aliases: Aliases, name: str) -> Tool:
    """Return one tool.

    Raises:
        NotFoundError: there is no tool of that name in the caller's list.
    """
    known = tools_for(tools, aliases)
    if name in known:
        return known[name]
    more = "" if tools is ToolSet.ALL else "; more with --tools all, mcp.tools or ?tools=all in this server's URL"
    raise NotFoundError(f"there is no tool {name!r}; available: {', '.join(known)}{more}")
