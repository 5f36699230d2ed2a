"""Who calls over MCP: the tenant, whose memory is meant when a call does not say it, and whose names are wanted."""

from collections.abc import Mapping
from dataclasses import dataclass

from graph_service.auth.access import ANONYMOUS, Access
from graph_service.config.sections import Aliases
from schema.errors import InputError
from schema.ids import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One client of the door.

    Attributes:
        user_id: whose memory is meant when a call does not say it; None: each call must.
        aliases: whose tool names are offered beside ours.
        access: what the client may do.
    """

    tenant: TenantId
    user_id: str | None = None
    aliases: Aliases = Aliases.NONE
    access: Access = ANONYMOUS

    def user_of(self, user_id: str | None) -> str:
        """Return whose memory a call means.

        Raises:
            InputError: nobody said it; a call without a scope is refused, not widened.
        """
        found = user_id or self.user_id
        if not found:
            raise InputError(
                "user_id is missing: say whose memory is meant, or name a user for all calls with --user,"
                " mcp.user or ?user= in this server's address"
            )
        return found


def caller_of(tenant: TenantId, access: Access, query: Mapping[str, str], usual: Caller) -> Caller:
    """Return the caller of an HTTP request.

    Args:
        tenant: that the credential opens; access: what it is good for.
        query: of the address the client was given; may hold `user` and `aliases`.
        usual: what the settings say.

    Raises:
        InputError: there are no such aliases.
    """
    try:
        aliases = Aliases(query.get("aliases") or usual.aliases)
    except ValueError as error:
        raise InputError(f"aliases is {query['aliases']!r}: use one of {', '.join(Aliases)}") from error
    return Caller(tenant=tenant, user_id=query.get("user") or usual.user_id, aliases=aliases, access=access)
