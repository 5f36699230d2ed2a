"""What every request passes before it reaches a route: where its page is from, who sends it, how often, what for."""

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.api.errors import answer_to
from graph_service.auth.access import SCOPE_KEY, Access, demand
from graph_service.auth.gate import Gate
from graph_service.auth.origin import same_origin
from graph_service.auth.rules import route_need
from schema.errors import ForbiddenError, MnemographError

_HARMLESS = frozenset({"GET", "HEAD"})
_REFUSED_SOCKET = 1008


class FrontDoor:
    """Lets a request through with what it may do in its scope, or answers it.

    A route that asks for no credential is passed without looking at any.
    """

    def __init__(self, app: ASGIApp, *, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            await self._let_in(scope)
        except MnemographError as error:
            await _refuse(error, scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _let_in(self, scope: Scope) -> None:
        connection = HTTPConnection(scope)
        method = scope["method"] if scope["type"] == "http" else "WEBSOCKET"
        path = scope["path"]
        need = route_need(method, path)
        # The socket of the viewer answers a foreign page in its own words.
        if method not in _HARMLESS and not (method == "WEBSOCKET" and need.role is None):
            _check_origin(connection)
        if need.role is None:
            return
        access: Access = await self._gate.admit(connection)
        self._gate.spend(access)
        demand(access, need, path)
        scope[SCOPE_KEY] = access


def _check_origin(connection: HTTPConnection) -> None:
    """A page of another site must not make a browser that is signed in here, or sits on this machine, do things."""
    origin, host = connection.headers.get("origin"), connection.headers.get("host")
    if origin is not None and not same_origin(origin, host):
        raise ForbiddenError(
            f"a page of {origin[:200]!r} may not use the service at {host!r}: open the viewer that the service"
            " delivers, or send the request from a program"
        )


async def _refuse(error: MnemographError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": _REFUSED_SOCKET, "reason": error.code})
        return
    await answer_to(error)(scope, receive, send)
