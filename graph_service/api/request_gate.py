"""Middleware that checks origin, credential, rate and access of every request; the tenant of a request."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.api.errors import error_response, refuse
from graph_service.auth.access import (
    SCOPE_KEY,
    Access,
    access_of,
    identify_connection,
    quota_key,
    require_access,
    resolve_tenant,
    same_origin,
)
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.rules import READ, route_requirement
from schema.errors import ForbiddenError, InputError, MnemosceneError, RateLimitError
from schema.ids import TenantId, tenant_named

HEADER: Final = "Mnemoscene-Tenant"

# Concurrent requests per credential, and in total at a service without keys.
CREDENTIAL_MAX: Final = 256
ANONYMOUS_MAX: Final = 1_024
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_FOREIGN_SITES = frozenset({"cross-site", "same-site"})


class RequestGate:
    """Passes allowed requests on with their access in the scope; rejects the others.

    Requests to public routes are passed on without reading a credential.
    """

    def __init__(self, app: ASGIApp, *, auth: Authenticator) -> None:
        self._app = app
        self._auth = auth
        self._requests: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        with contextlib.ExitStack() as stack:
            try:
                access = await self._authorize(scope)
                if access is not None and scope["type"] == "http":
                    stack.enter_context(self._in_flight(access))
                    identify_connection(scope, access)
            except MnemosceneError as error:
                await refuse(error_response(error), error.code, scope, receive, send)
                return
            await self._app(scope, receive, send)

    async def _authorize(self, scope: Scope) -> Access | None:
        """Return the caller's access; None for public routes."""
        connection = HTTPConnection(scope)
        method = scope["method"] if scope["type"] == "http" else "WEBSOCKET"
        path = scope["path"]
        need = route_requirement(method, path)
        # The viewer's WebSocket checks the origin itself, to report it in a frame; public pages are for everybody.
        if need.role is not None or method not in (*_SAFE_METHODS, "WEBSOCKET"):
            _check_origin(connection)
        if need.role is None:
            return None
        access: Access = await self._auth.authenticate(connection)
        self._auth.check_rate(access)
        require_access(access, need, path)
        scope[SCOPE_KEY] = access
        return access

    @contextlib.contextmanager
    def _in_flight(self, access: Access) -> Iterator[None]:
        """Count a request while the block runs."""
        key, limit = quota_key(access), ANONYMOUS_MAX if access.is_anonymous else CREDENTIAL_MAX
        if self._requests[key] >= limit:
            raise RateLimitError(
                f"{limit} requests of this credential are in progress; wait until one of them has been answered",
                1.0,
            )
        self._requests[key] += 1
        try:
            yield
        finally:
            self._requests[key] -= 1
            if not self._requests[key]:
                del self._requests[key]


def _check_origin(connection: HTTPConnection) -> None:
    """Reject requests from pages of other sites (CSRF, cross-site WebSockets).

    Browsers send Origin with unsafe methods and WebSockets, and Sec-Fetch-Site with all others, such as images.
    Following a link (`navigate`) is allowed.
    """
    origin, host = connection.headers.get("origin"), connection.headers.get("host")
    site, mode = connection.headers.get("sec-fetch-site"), connection.headers.get("sec-fetch-mode")
    foreign = site in _FOREIGN_SITES and mode != "navigate" if origin is None else not same_origin(origin, host)
    if foreign:
        raise ForbiddenError(
            f"pages of {(origin or 'another site')[:200]!r} may not use the service at {host!r}: use the service's own"
            " viewer, or send the request from a program"
        )


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
        auth.quarantine.check(tenant, READ, "this request")
    return tenant


def _named(value: str | None) -> TenantId | None:
    if value is None:
        return None
    try:
        # Starlette decodes headers as Latin-1.
        return tenant_named(unquote(value.encode("latin-1").decode("utf-8"), errors="strict"))
    except UnicodeDecodeError as error:
        raise InputError(f"the header {HEADER} is not UTF-8: send the name as UTF-8 or percent-encoded") from error
