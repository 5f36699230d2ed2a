"""GraphQL over WebSocket (graphql-transport-ws) with validated and rate-limited messages."""

import math
import time
from collections.abc import Mapping
from typing import Any, Final

from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.subscriptions.protocols.graphql_transport_ws.types import SubscribeMessage

from graph_service.auth.access import ANONYMOUS, Access
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.rates import Bucket, take
from schema.errors import RateLimitError
from schema.limits import LIMITS

# Per connection, for all messages: pings and invalid messages cost time, too.
MESSAGES_PER_S: Final = 20
MESSAGES_BURST: Final = 40
# Close codes of graphql-transport-ws.
BAD_MESSAGE: Final = 4400
TOO_FAST: Final = 4429


class SocketHandler(BaseGraphQLTransportWSHandler[Any, None]):
    """One connection.

    Each `subscribe` counts as a request of the credential and gets an `error` message over the limit. Each message of
    any kind counts against the connection's own limit; over it, the connection is closed.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bucket = Bucket(tokens=MESSAGES_BURST, at_s=time.monotonic())

    async def handle_message(self, message: Any) -> None:
        """Handle one message; close the connection if it is malformed or over the limit."""
        self._bucket, wait_s = take(self._bucket, now_s=time.monotonic(), per_s=MESSAGES_PER_S, burst=MESSAGES_BURST)
        if wait_s > 0:
            await self.websocket.close(code=TOO_FAST, reason=f"more than {MESSAGES_PER_S} messages a second")
            return
        problem = message_problem(message)
        if problem is not None:
            await self.websocket.close(code=BAD_MESSAGE, reason=problem)
            return
        await super().handle_message(message)

    async def handle_subscribe(self, message: SubscribeMessage) -> None:
        """Start an operation, within the credential's rate."""
        # Unacknowledged connections are closed by the base class.
        if self.connection_acknowledged:
            try:
                self._check_rate()
            except RateLimitError as error:
                extensions = {"code": error.code, "retryAfterS": math.ceil(error.retry_after_s)}
                payload: Any = {"message": error.message, "extensions": extensions}
                await self.send_message({"id": message["id"], "type": "error", "payload": [payload]})
                return
        await super().handle_subscribe(message)

    def _check_rate(self) -> None:
        auth: Authenticator | None = self.context.get("auth")
        access: Access = self.context.get("access", ANONYMOUS)
        if auth is not None:
            auth.check_rate(access)


def message_problem(message: Any) -> str | None:
    """Return why a message is invalid, or None; unknown types are left to the base class."""
    if not isinstance(message, Mapping) or not isinstance(message.get("type"), str):
        return "a message must be a JSON object with a type"
    kind = message["type"]
    if kind not in ("subscribe", "complete"):
        return None
    name = message.get("id")
    if not isinstance(name, str) or not 1 <= len(name) <= LIMITS.id_chars:
        return f"id must be a string of 1 to {LIMITS.id_chars} characters"
    if kind == "complete":
        return None
    payload = message.get("payload")
    if not isinstance(payload, Mapping) or not isinstance(payload.get("query"), str):
        return "payload.query must be a string"
    if not isinstance(payload.get("variables"), Mapping | None):
        return "payload.variables must be an object"
    if not isinstance(payload.get("operationName"), str | None):
        return "payload.operationName must be a string"
    return None
