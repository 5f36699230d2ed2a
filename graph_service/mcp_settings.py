"""The settings of the MCP door."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

# Where the service speaks it.
MCP_PATH: Final = "/mcp"
Id = Annotated[str, Field(min_length=1, max_length=200)]


class Aliases(StrEnum):
    """Whose tool names are offered beside our own."""

    NONE = "none"
    GRAPHITI = "graphiti"
    MEM0 = "mem0"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """What MCP clients find.

    Attributes:
        user: whose memory is meant when a call does not say it; `?user=` in the address of a client wins.
        aliases: tool names of another memory server that are offered too; `?aliases=` in the address of a client wins.
        url: of a service that `mnemograph mcp` passes everything on to, for example `http://127.0.0.1:7780`.
        api_key: what `mnemograph mcp` shows that service.
    """

    user: Id | None = None
    aliases: Aliases = Aliases.NONE
    url: Annotated[str, Field(pattern=r"^https?://[^/?#]+/?$", max_length=2_000)] | None = None
    api_key: str | None = field(default=None, repr=False)
