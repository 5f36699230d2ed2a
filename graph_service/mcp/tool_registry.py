"""The tools of a caller: ours, and those of another memory server if requested."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from graph_service.config.sections import Aliases
from graph_service.mcp.compat.graphiti import GRAPHITI
from graph_service.mcp.compat.mem0 import MEM0
from graph_service.mcp.compat.memory_server import MEMORY
from graph_service.mcp.tool import Tool
from graph_service.mcp.tools.forget import FORGET, UPDATE_FACT
from graph_service.mcp.tools.maintenance import (
    CLOSE_SESSION,
    GENERATE_LAYERS,
    INDEX_MEMORIES,
    LIST_SESSIONS,
    READ_MEMORY,
    STATUS,
)
from graph_service.mcp.tools.recall import GET_CONTEXT, RECALL
from graph_service.mcp.tools.remember import REMEMBER
from graph_service.mcp.tools.search_nodes import SEARCH_NODES
from schema.errors import NotFoundError

CORE: Final = (
    *(REMEMBER, GET_CONTEXT, RECALL, SEARCH_NODES, READ_MEMORY, LIST_SESSIONS, UPDATE_FACT, FORGET, STATUS),
    *(CLOSE_SESSION, GENERATE_LAYERS, INDEX_MEMORIES),
)
_COMPAT: Final[Mapping[Aliases, tuple[Tool, ...]]] = {
    Aliases.NONE: (),
    Aliases.GRAPHITI: GRAPHITI,
    Aliases.MEM0: MEM0,
    Aliases.MEMORY: MEMORY,
}


@cache
def tools_for(aliases: Aliases) -> Mapping[str, Tool]:
    """Return the tools of a caller by name; aliases replace our tools of the same name."""
    return {tool.name: tool for tool in (*CORE, *_COMPAT[aliases])}


def tool_named(aliases: Aliases, name: str) -> Tool:
    """Return one tool.

    Raises:
        NotFoundError: there is no tool of that name.
    """
    found = tools_for(aliases).get(name)
    if found is None:
        raise NotFoundError(f"there is no tool {name!r}; available: {', '.join(tools_for(aliases))}")
    return found
