"""Tells each caller how often its request asked the database: the header `Mnemograph-Round-Trips`."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

            async def with_count(message: Message) -> None:
                if message["type"] == "http.response.start":
                    told = (HEADER.lower().encode(), str(count.sent).encode())
                    message = {**message, "headers": [*message.get("headers", ()), told]}
                await send(message)

            await self._app(scope, receive, with_count)
