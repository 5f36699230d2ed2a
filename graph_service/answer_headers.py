"""Adds headers to an answer at the moment when it begins."""

from collections.abc import Callable, Iterable

from starlette.types import Message, Send


def adding(send: Send, told: Callable[[Message], Iterable[tuple[bytes, bytes]]]) -> Send:
    """The same way out, with headers added to the beginning of the answer.

    Args:
        told: the headers, names in lower case, for the message with which the answer begins.
    """

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *told(message)]}
        await send(message)

    return with_headers
