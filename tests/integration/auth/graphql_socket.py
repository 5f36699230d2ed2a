"""A client that subscribes over graphql-transport-ws."""

import json
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.support.open_service import OpenService

CHANGED = """subscription ($userId: String, $since: Float, $epoch: String) {
  graphChanged(userId: $userId, since: $since, epoch: $epoch) {
    epoch seq reset changes { seq at userId op elementId reason body } } }"""


def graphql_socket(service: OpenService, credential: str | None = None, **headers: str) -> connect:
    """Connect a socket that has sent nothing yet."""
    shown = {"Authorization": f"Bearer {credential}"} if credential else {}
    return connect(
        f"{service.http.replace('http', 'ws')}/graphql",
        subprotocols=[Subprotocol("graphql-transport-ws")],
        additional_headers={**shown, **headers},
    )


async def subscribed(socket: ClientConnection, query: str = CHANGED, **variables: Any) -> None:
    """Send a subscription."""
    await socket.send('{"type": "connection_init"}')
    assert (await answer(socket))["type"] == "connection_ack"
    payload = {"query": query, "variables": variables}
    await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))


async def answer(socket: ClientConnection) -> dict[str, Any]:
    """Receive the next message."""
    found: dict[str, Any] = json.loads(await socket.recv())
    return found


async def event(socket: ClientConnection) -> dict[str, Any]:
    """Receive the next event of graphChanged."""
    told = await answer(socket)
    assert told["type"] == "next", told
    found: dict[str, Any] = told["payload"]["data"]["graphChanged"]
    return found
