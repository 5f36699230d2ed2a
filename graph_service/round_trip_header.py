"""Tells each caller how often its request asked the database: the header `Mnemograph-Round-Trips`."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from graph_service.answer_headers import adding
from graph_service.graph.round_trips import counted

HEADER: Final = "Mnemograph-Round-Trips"


class RoundTripHeader:
    """Adds the number of statements that were sent before the answer began."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with counted() as count:
            name = HEADER.lower().encode()
            await self._app(scope, receive, adding(send, lambda _: [(name, str(count.sent).encode())]))
