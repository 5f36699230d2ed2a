"""ASGI middleware that hides secrets in everything the service sends: GraphQL, MCP, the viewer's socket and REST."""

import asyncio
from collections.abc import Collection, MutableMapping
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from extraction.text.secrets import SecretKind, without_secrets

# Set in the scope by an answer that must stay as it is: an export, from which a memory is restored.
UNFILTERED_KEY: Final = "mnemoscene.unfiltered"
# Longer texts are filtered in a thread, so that others need not wait.
_FILTERED_HERE_CHARS: Final = 50_000
_TEXTS: Final = ("application/json", "application/graphql-response+json", "text/event-stream", "text/markdown")


class SecretFilter:
    """Replace secrets in JSON and text answers, and in the messages of WebSockets.

    Args:
        kinds: the kinds of secrets to hide.
    """

    def __init__(self, app: ASGIApp, *, kinds: Collection[SecretKind]) -> None:
        self._app = app
        self._kinds = frozenset(kinds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._kinds or scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Filtered(scope, send, self._kinds).send)


class _Filtered:
    def __init__(self, scope: MutableMapping[str, Any], send: Send, kinds: frozenset[SecretKind]) -> None:
        self._scope = scope
        self._send = send
        self._kinds = kinds
        # The head of a response, kept until the length of its filtered body is known.
        self._head: Message | None = None
        self._is_text = False
        # Keeps the messages of a WebSocket in order while one is filtered in a thread.
        self._turn = asyncio.Lock()

    async def send(self, message: Message) -> None:
        match message["type"]:
            case "websocket.send" if message.get("text") is not None:
                async with self._turn:
                    await self._send({**message, "text": await self._without(message["text"])})
            case "http.response.start":
                self._is_text = _is_text(message) and not self._scope.get(UNFILTERED_KEY)
                if self._is_text:
                    self._head = message
                else:
                    await self._send(message)
            case "http.response.body" if self._is_text:
                await self._send_body(message)
            case _:
                await self._send(message)

    async def _send_body(self, message: Message) -> None:
        """Send a body, or one event of a stream; each chunk is filtered by itself."""
        body = await self._without(bytes(message.get("body", b"")).decode("utf-8", "surrogateescape"))
        content = body.encode("utf-8", "surrogateescape")
        head, self._head = self._head, None
        if head is not None:
            await self._send(_with_length(head, None if message.get("more_body") else len(content)))
        await self._send({**message, "body": content})

    async def _without(self, text: str) -> str:
        if self._scope.get(UNFILTERED_KEY):
            return text
        if len(text) <= _FILTERED_HERE_CHARS:
            return without_secrets(text, self._kinds)
        return await asyncio.to_thread(without_secrets, text, self._kinds)


def _is_text(head: Message) -> bool:
    headers = Headers(raw=head.get("headers", ()))
    return headers.get("content-type", "").startswith(_TEXTS) and "content-encoding" not in headers


def _with_length(head: Message, length: int | None) -> Message:
    """Return the head with the length of the body; without one if more chunks follow."""
    headers = MutableHeaders(raw=list(head.get("headers", ())))
    del headers["content-length"]
    if length is not None:
        headers["content-length"] = str(length)
    return {**head, "headers": headers.raw}
