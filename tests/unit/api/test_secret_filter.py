"""Test that filtering a long answer lets other requests run meanwhile, and keeps the order of a WebSocket."""

import asyncio
from typing import Any

from starlette.responses import JSONResponse

from extraction.text.secrets import ALL_KINDS
from graph_service.api.secret_filter import SecretFilter

LONG = ["pwd::" * 19_000 + " my password is hunter2!"] * 4


async def _nothing() -> Any:
    return {"type": "http.request", "body": b"", "more_body": False}


async def test_others_run_while_a_long_answer_is_filtered() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    app = SecretFilter(JSONResponse(LONG), kinds=ALL_KINDS)
    answering = asyncio.ensure_future(app({"type": "http", "method": "GET"}, _nothing, send))
    turns = 0
    while not answering.done():
        await asyncio.sleep(0)
        turns += 1
    await answering
    # On the event loop itself there are three turns.
    assert turns > 10
    assert sent[1]["body"].count(b"[hidden password]") == len(LONG)


async def test_messages_of_a_socket_stay_in_order_while_a_long_one_is_filtered() -> None:
    sent: list[str] = []

    async def send(message: Any) -> None:
        sent.append(message["text"][:5])

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        texts = ["first" + LONG[0], "second"]
        await asyncio.gather(*(send({"type": "websocket.send", "text": text}) for text in texts))

    await SecretFilter(app, kinds=ALL_KINDS)({"type": "websocket"}, _nothing, send)
    assert sent == ["first", "secon"]
