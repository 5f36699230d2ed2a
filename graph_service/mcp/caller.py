"""The caller of an MCP request: tenant, default user, tool names and access."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from graph_service.auth.access import ANONYMOUS, Access, quota_key
from graph_service.config.sections import Aliases, ToolSet
from graph_service.memory.recall.question_log import Asker, Door
from schema.errors import InputError
from schema.ids import TenantId

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An MCP client.

    Attributes:
        user_id: default user of calls; if None, each call must name one.
        tools: the tools and arguments that are listed.
        aliases: another memory server, whose tools are listed instead of ours.
        access: access granted by the client's credential.
    """

    tenant: TenantId
    user_id: str | None = None
    tools: ToolSet = ToolSet.CORE
    aliases: Aliases = Aliases.NONE
    access: Access = ANONYMOUS

    @property
    def asker(self) -> Asker:
        """The client as the asker of a question."""
        return Asker(door=Door.MCP, who=quota_key(self.access))

    def user_of(self, user_id: str | None) -> str:
        """Return the user of a call.

        Raises:
            InputError: neither the call nor the caller names a user.
        """
        found = user_id or self.user_id
        if not found:
            raise InputError(
                "user_id is missing: pass it, or set a default user with --user, mcp.user or ?user= in this server's"
                " URL"
            )
        return found


def caller_of(tenant: TenantId, access: Access, query: Mapping[str, str], usual: Caller) -> Caller:
    """Return the caller of an HTTP request.

    Args:
        tenant, access: tenant and access of the credential.
        query: parameters of the URL; `user`, `tools` and `aliases` are used.
        usual: defaults from the settings.

    Raises:
        InputError: unknown tools or aliases.
    """
    return Caller(
        tenant=tenant,
        user_id=query.get("user") or usual.user_id,
        tools=_choice(query, "tools", usual.tools),
        aliases=_choice(query, "aliases", usual.aliases),
        access=access,
    )


def _choice(query: Mapping[str, str], name: str, usual: E) -> E:
    try:
        return type(usual)(query.get(name) or usual)
    except ValueError as error:
        raise InputError(f"{name} is {query[name]!r}: use one of {', '.join(type(usual))}") from error
