"""Whose data a request is about: the header `Mnemograph-Tenant`, as far as the credential opens that tenant."""

from typing import Final
from urllib.parse import unquote

from starlette.requests import HTTPConnection

from graph_service.auth.access import access_of, resolve_tenant
from schema.errors import InputError
from schema.ids import TenantId
from schema.tenant_name import tenant_named

HEADER: Final = "Mnemograph-Tenant"


def tenant_of(request: HTTPConnection) -> TenantId:
    """Return the tenant that the request names; when it names none the one its credential opens, or `default`.

    Names beyond ASCII come as UTF-8, or percent-encoded by clients that cannot send that.

    Raises:
        InputError: the header holds no name of a tenant.
        ForbiddenError: the credential does not open that tenant.
    """
    return resolve_tenant(access_of(request), _named(request.headers.get(HEADER)))


def _named(value: str | None) -> TenantId | None:
    if value is None:
        return None
    try:
        # Starlette reads headers as Latin-1.
        return tenant_named(unquote(value.encode("latin-1").decode("utf-8"), errors="strict"))
    except UnicodeDecodeError as error:
        raise InputError(f"the header {HEADER} is not UTF-8: send the name as UTF-8 or percent-encoded") from error
