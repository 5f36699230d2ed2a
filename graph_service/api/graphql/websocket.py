"""GraphQL over sockets (graphql-transport-ws), with every message checked, bounded and paid for."""

import math
import time
from collections.abc import Mapping
from typing import Any, Final

from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.subscriptions.protocols.graphql_transport_ws.types import SubscribeMessage

from graph_service.auth.access import ANYBODY, Access
from graph_service.auth.gate import Gate
from graph_service.auth.rates import Bucket, take
from schema.errors import RateLimitError
from schema.limits import LIMITS

# Of one connection, whatever its messages say: pings and what nobody understands are work, too.
MESSAGES_PER_S: Final = 20
MESSAGES_BURST: Final = 40
# Close codes of graphql-transport-ws.
BAD_MESSAGE: Final = 4400
TOO_FAST: Final = 4429


class SocketHandler(BaseGraphQLTransportWSHandler[Any, None]):
    """One connection.

    Each `subscribe` spends from the bucket of the credential that opened the connection, as an HTTP request does; one
    that finds it empty is answered with an `error` message. Each message of any kind spends from the bucket of the
    connection, which is closed when that is empty.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bucket = Bucket(tokens=MESSAGES_BURST, at_s=time.monotonic())

    async def handle_message(self, message: Any) -> None:
        """Handle one message, unless it is one too many or no message of the protocol."""
        self._bucket, wait_s = take(self._bucket, now_s=time.monotonic(), per_s=MESSAGES_PER_S, burst=MESSAGES_BURST)
        if wait_s > 0:
            await self.websocket.close(code=TOO_FAST, reason=f"more than {MESSAGES_PER_S} messages a second")
            return
        problem = malformed(message)
        if problem is not None:
            await self.websocket.close(code=BAD_MESSAGE, reason=problem)
            return
        await super().handle_message(message)

    async def handle_subscribe(self, message: SubscribeMessage) -> None:
        """Begin an operation that its credential can pay for."""
        # A connection that was not acknowledged is closed, which costs nothing.
        if self.connection_acknowledged:
            try:
                self._spend()
            except RateLimitError as error:
                extensions = {"code": error.code, "retryAfterS": math.ceil(error.retry_after_s)}
                payload: Any = {"message": error.message, "extensions": extensions}
                await self.send_message({"id": message["id"], "type": "error", "payload": [payload]})
                return
        await super().handle_subscribe(message)

    def _spend(self) -> None:
        gate: Gate | None = self.context.get("gate")
        access: Access = self.context.get("access", ANYBODY)
        if gate is not None:
            gate.spend(access)


def malformed(message: Any) -> str | None:
    """Return why a message is none of graphql-transport-ws; None when it is one, or of a type that is not known."""
    if not isinstance(message, Mapping) or not isinstance(message.get("type"), str):
        return "a message is a JSON object with a type"
    kind = message["type"]
    if kind not in ("subscribe", "complete"):
        return None
    name = message.get("id")
    if not isinstance(name, str) or not 1 <= len(name) <= LIMITS.id_chars:
        return f"id must be a text of 1 to {LIMITS.id_chars} characters"
    if kind == "complete":
        return None
    payload = message.get("payload")
    if not isinstance(payload, Mapping) or not isinstance(payload.get("query"), str):
        return "payload must hold the query as text"
    if not isinstance(payload.get("variables"), Mapping | None):
        return "payload.variables must be an object"
    if not isinstance(payload.get("operationName"), str | None):
        return "payload.operationName must be a text"
    return None
