"""The access of a caller (tenant and role), the checks against it, and that of the origin."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from schema.errors import ForbiddenError
from schema.ids import DEFAULT_TENANT, TenantId

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import Scope

# ASGI scope key of the caller's access, set by the request gate.
SCOPE_KEY: Final = "mnemoscene.access"
# ASGI scope key of the connection, set by our server; absent under other servers.
CONNECTION_KEY: Final = "mnemoscene.connection"


class Role(StrEnum):
    """The role of a credential; each includes the previous ones."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


_ANYBODY: Final = "anybody"
_RANK: Final = {role: rank for rank, role in enumerate(Role)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The access of an authenticated caller.

    Attributes:
        who: the principal for the audit log: `key:ID`, `jwt:SUBJECT` or `anybody`.
        tenant: None means every tenant.
        key_id: id of the API key, which may be revoked while this is in use.
        until_s: expiry in Unix seconds; None for never.
        requests_per_s: rate limit of this credential; None means the default.
    """

    who: str
    tenant: TenantId | None
    role: Role
    key_id: str | None = None
    until_s: float | None = None
    requests_per_s: float | None = None

    @property
    def is_anonymous(self) -> bool:
        """True if the caller needed no credential, whatever its role: a read-only service lowers it."""
        return self.who == _ANYBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """The access that a field, route, tool or frame requires.

    Attributes:
        role: None means public.
        every_tenant: it reads or changes data of all tenants.
    """

    role: Role | None
    every_tenant: bool = False

    @property
    def audited(self) -> bool:
        """True if calls are written to the audit log: those that need the role WRITE or ADMIN."""
        return self.role in (Role.WRITE, Role.ADMIN)


# Without any credential, a service on the loopback interface allows everything.
ANONYMOUS: Final = Access(who=_ANYBODY, tenant=None, role=Role.ADMIN)


def quota_key(access: Access) -> str:
    """Return the key of a caller's rate limit and quotas.

    It includes the tenant: an issuer may use one subject in several tenants.
    """
    return f"{access.tenant} {access.who}"


def sees_questions_of(access: Access, who: str, seen_by: Role) -> bool:
    """Return whether a caller may see a question that another one asked.

    Args:
        who: the `quota_key` of the caller who asked.
        seen_by: the role from which everybody's questions are visible.
    """
    return _RANK[access.role] >= _RANK[seen_by] or who == quota_key(access)


def identify_connection(scope: "Scope", access: Access) -> None:
    """Mark the connection as authorised, so that our server applies the limits of authorised clients."""
    connection = scope.get(CONNECTION_KEY)
    if connection is not None:
        connection.admit(quota_key(access))


def access_of(connection: "HTTPConnection") -> Access:
    """Return the access that the request gate put into the scope."""
    access: Access = connection.scope.get(SCOPE_KEY, ANONYMOUS)
    return access


def require_access(access: Access, need: Requirement, what: str) -> None:
    """Check that the access meets the requirement.

    Args:
        what: name of the field, route or tool, for the message.

    Raises:
        ForbiddenError: the role is too low, or access to every tenant is required.
    """
    if need.role is None:
        return
    if _RANK[access.role] < _RANK[need.role]:
        raise ForbiddenError(
            f"{what} requires the role '{need.role}'; this caller has '{access.role}': use another credential, or ask"
            " its issuer for that role; with the setting service.read_only nobody has more than 'read'"
        )
    if need.every_tenant and access.tenant is not None:
        raise ForbiddenError(
            f"{what} requires access to every tenant; this credential has one: use a key made with --every-tenant"
        )


def is_allowed(access: Access, need: Requirement) -> bool:
    try:
        require_access(access, need, "this")
    except ForbiddenError:
        return False
    return True


def resolve_tenant(access: Access, named: TenantId | None) -> TenantId:
    """Return the tenant of a request.

    Args:
        named: the tenant in the request, if any.

    Raises:
        ForbiddenError: no access to that tenant, whether or not it exists.
    """
    if access.tenant is None:
        return DEFAULT_TENANT if named is None else named
    if named is not None and named != access.tenant:
        raise ForbiddenError("this credential has no access to that tenant: omit the tenant, or use another credential")
    return access.tenant


def same_origin(origin: str, host: str | None) -> bool:
    """Return whether an Origin header names the host of the request.

    Args:
        origin: `scheme://name:port`.
        host: the Host header: `name` or `name:port`.
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.casefold() == (host or "").casefold()
