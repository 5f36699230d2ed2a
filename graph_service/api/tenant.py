"""Whose data a request is about: the header `Mnemograph-Tenant`."""

from typing import Final
from urllib.parse import unquote

from starlette.requests import HTTPConnection

from graph_service.memory.tenant_name import tenant_named
from schema.errors import InputError
from schema.ids import DEFAULT_TENANT, TenantId

HEADER: Final = "Mnemograph-Tenant"


def tenant_of(request: HTTPConnection) -> TenantId:
    """The tenant that the request names, `default` when it names none.

    Names beyond ASCII come as UTF-8, or percent-encoded by clients that cannot send that.

    Raises:
        InputError: the header holds no name of a tenant.
    """
    value = request.headers.get(HEADER)
    if value is None:
        return DEFAULT_TENANT
    try:
        # Starlette reads headers as Latin-1.
        return tenant_named(unquote(value.encode("latin-1").decode("utf-8"), errors="strict"))
    except UnicodeDecodeError as error:
        raise InputError(f"the header {HEADER} is not UTF-8: send the name as UTF-8 or percent-encoded") from error
