"""Resolve the tenant of a request from the header `Mnemoscene-Tenant` and the credential."""

from typing import Final
from urllib.parse import unquote

from starlette.requests import HTTPConnection

from graph_service.auth.access import access_of, resolve_tenant
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.rules import READ
from schema.errors import InputError
from schema.ids import TenantId, tenant_named

HEADER: Final = "Mnemoscene-Tenant"


def tenant_of(request: HTTPConnection) -> TenantId:
    """Return the tenant in the header, else that of the credential, else `default`.

    Non-ASCII names are sent as UTF-8 or percent-encoded.

    Raises:
        InputError: the header is not a valid tenant name.
        ForbiddenError: the credential does not give access to the tenant.
    """
    return resolve_tenant(access_of(request), _named(request.headers.get(HEADER)))


def readable_tenant_of(request: HTTPConnection) -> TenantId:
    """Return the tenant of a request that reads it; see `tenant_of`.

    Raises:
        InputError, ForbiddenError: see `tenant_of`.
        QuarantinedError: a quarantine refuses reads of the tenant.
    """
    tenant = tenant_of(request)
    auth: Authenticator | None = getattr(request.app.state, "auth", None)
    if auth is not None:
        auth.check_quarantine(tenant, READ, "this request")
    return tenant


def _named(value: str | None) -> TenantId | None:
    if value is None:
        return None
    try:
        # Starlette decodes headers as Latin-1.
        return tenant_named(unquote(value.encode("latin-1").decode("utf-8"), errors="strict"))
    except UnicodeDecodeError as error:
        raise InputError(f"the header {HEADER} is not UTF-8: send the name as UTF-8 or percent-encoded") from error
