"""What somebody at a door may do: a tenant, a role, and the demand that both are enough."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from schema.errors import ForbiddenError
from schema.ids import DEFAULT_TENANT, TenantId

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import Scope

# Where the front door leaves it in the scope of a request.
SCOPE_KEY: Final = "mnemograph.access"
# Where the server leaves the connection of a request or socket; absent where no server of ours is below.
CONNECTION_KEY: Final = "mnemograph.connection"


class Role(StrEnum):
    """What a credential is good for; each includes the ones before it."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


_RANK: Final = {role: rank for rank, role in enumerate(Role)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Somebody who was let in.

    Attributes:
        who: for the audit log: `key:ID`, `jwt:SUBJECT` or `anybody`.
        tenant: None opens every tenant.
        key_id: of the API key, which may be revoked while this is in use.
        until_s: when it ends, in seconds since 1970; None for never.
        requests_per_s: a rate of its own; None means the usual one.
    """

    who: str
    tenant: TenantId | None
    role: Role
    key_id: str | None = None
    until_s: float | None = None
    requests_per_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What a field, route, tool or frame asks of whoever uses it.

    Attributes:
        role: None lets in whoever comes.
        every_tenant: it shows or touches what belongs to all tenants.
    """

    role: Role | None
    every_tenant: bool = False

    @property
    def audited(self) -> bool:
        """Write and the reads of administrators are logged."""
        return self.role in (Role.WRITE, Role.ADMIN)


# While no credential exists a service that only this machine reaches lets everybody do everything.
ANONYMOUS: Final = Access(who="anybody", tenant=None, role=Role.ADMIN)


def quota_key(access: Access) -> str:
    """Return the name under which rates and places of an access are counted.

    Issuers may use one subject in several tenants; what is done in one must not slow down another.
    """
    return f"{access.tenant} {access.who}"


def identify_connection(scope: "Scope", access: Access) -> None:
    """Tell the server below that whoever sends on this connection was let in."""
    connection = scope.get(CONNECTION_KEY)
    if connection is not None:
        connection.admit(quota_key(access))


def access_of(connection: "HTTPConnection") -> Access:
    """Return who sent a request that passed the front door."""
    access: Access = connection.scope.get(SCOPE_KEY, ANONYMOUS)
    return access


def require_access(access: Access, need: Requirement, what: str) -> None:
    """Return if the access is enough for the need.

    Args:
        what: the name of the field, route or tool, for the message.

    Raises:
        ForbiddenError: the role is too low, or one tenant is not enough.
    """
    if need.role is None:
        return
    if _RANK[access.role] < _RANK[need.role]:
        raise ForbiddenError(
            f"{what} needs the role '{need.role}'; this credential has '{access.role}': use another, or ask whoever"
            " made it for one with that role"
        )
    if need.every_tenant and access.tenant is not None:
        raise ForbiddenError(
            f"{what} concerns every tenant; this credential opens one: use a key made with --every-tenant"
        )


def resolve_tenant(access: Access, named: TenantId | None) -> TenantId:
    """Return the tenant a request is about.

    Args:
        named: the tenant that the request names, if it names one.

    Raises:
        ForbiddenError: the credential does not open that tenant; whether there is such a tenant is not told.
    """
    if access.tenant is None:
        return DEFAULT_TENANT if named is None else named
    if named is not None and named != access.tenant:
        raise ForbiddenError("this credential does not open that tenant: leave the name out, or use another credential")
    return access.tenant
