"""What every request passes before it reaches a route: where its page is from, who sends it, how often, what for."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.api.errors import answer_to
from graph_service.auth.access import ANONYMOUS, SCOPE_KEY, Access, identify_connection, quota_key, require_access
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.origin import same_origin
from graph_service.auth.rules import route_requirement
from schema.errors import ForbiddenError, MnemographError, RateLimitError

# Requests under way at once, of one credential, and of all together at a service without keys.
CREDENTIAL_MAX: Final = 256
ANONYMOUS_MAX: Final = 1_024
_HARMLESS = frozenset({"GET", "HEAD"})
_FOREIGN = frozenset({"cross-site", "same-site"})
_REFUSED_SOCKET = 1008


class RequestGate:
    """Lets a request through with what it may do in its scope, or answers it.

    A route that asks for no credential is passed without looking at any.
    """

    def __init__(self, app: ASGIApp, *, auth: Authenticator) -> None:
        self._app = app
        self._auth = auth
        self._requests: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        with contextlib.ExitStack() as stack:
            try:
                access = await self._let_in(scope)
                if access is not None and scope["type"] == "http":
                    stack.enter_context(self._under_way(access))
                    identify_connection(scope, access)
            except MnemographError as error:
                await _refuse(error, scope, receive, send)
                return
            await self._app(scope, receive, send)

    async def _let_in(self, scope: Scope) -> Access | None:
        """Return who sends it; None where nobody asks."""
        connection = HTTPConnection(scope)
        method = scope["method"] if scope["type"] == "http" else "WEBSOCKET"
        path = scope["path"]
        need = route_requirement(method, path)
        # The socket of the viewer answers a foreign page in its own words; the open pages are for everybody.
        if need.role is not None or method not in (*_HARMLESS, "WEBSOCKET"):
            _check_origin(connection)
        if need.role is None:
            return None
        access: Access = await self._auth.authenticate(connection)
        self._auth.check_rate(access)
        require_access(access, need, path)
        scope[SCOPE_KEY] = access
        return access

    @contextlib.contextmanager
    def _under_way(self, access: Access) -> Iterator[None]:
        """Count a request as long as it lasts."""
        holder, most = quota_key(access), ANONYMOUS_MAX if access is ANONYMOUS else CREDENTIAL_MAX
        if self._requests[holder] >= most:
            raise RateLimitError(
                f"{most} requests of this credential are under way already; send the next when one of them is answered",
                1.0,
            )
        self._requests[holder] += 1
        try:
            yield
        finally:
            self._requests[holder] -= 1
            if not self._requests[holder]:
                del self._requests[holder]


def _check_origin(connection: HTTPConnection) -> None:
    """A page of another site must not make a browser that is signed in here, or sits on this machine, do things.

    Browsers name the origin with whatever changes something and with sockets; where a page loads something as an image
    or without reading it, they say only how the sites are related. Following a link is a person's own doing.
    """
    origin, host = connection.headers.get("origin"), connection.headers.get("host")
    site, mode = connection.headers.get("sec-fetch-site"), connection.headers.get("sec-fetch-mode")
    foreign = site in _FOREIGN and mode != "navigate" if origin is None else not same_origin(origin, host)
    if foreign:
        raise ForbiddenError(
            f"a page of {(origin or 'another site')[:200]!r} may not use the service at {host!r}: open the viewer that"
            " the service delivers, or send the request from a program"
        )


async def _refuse(error: MnemographError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _REFUSED_SOCKET, "reason": error.code})
        return
    await answer_to(error)(scope, receive, send)
