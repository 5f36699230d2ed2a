"""What every answer tells browsers, so that nothing in it can become a page of somebody else's making."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph_service.answer_headers import adding

# Of answers that are no page: shown in a browser they may load nothing, run nothing, and be framed by nobody.
DATA_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class PageHeaders:
    """Adds these headers to every answer that does not say otherwise itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, adding(send, _unsaid))


def _unsaid(message: Message) -> list[tuple[bytes, bytes]]:
    known = {name.lower() for name, _ in message.get("headers", ())}
    every = [(name.encode(), value.encode()) for name, value in DATA_HEADERS.items()]
    return [each for each in every if each[0] not in known]
