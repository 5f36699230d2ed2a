"""The GraphQL route: JSON by orjson, Apollo's automatic persisted queries, and WebSocket (graphql-transport-ws)."""

import asyncio
import contextlib
import json
import math
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Final, NoReturn

import orjson
from cachetools import LRUCache
from cross_web import HTTPException
from fastapi.responses import Response
from graphql import GraphQLError
from starlette.requests import ClientDisconnect, Request
from strawberry.fastapi import GraphQLRouter
from strawberry.http import GraphQLRequestData
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler
from strawberry.subscriptions.protocols.graphql_transport_ws.types import ConnectionInitMessage, SubscribeMessage
from strawberry.types import ExecutionResult
from strawberry.types.execution import PreExecutionError
from strawberry.types.unset import UnsetType

from graph_service.auth.access import ANONYMOUS, Access, identify_connection
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.rates import Bucket
from graph_service.supervision import cancel, first_done
from schema.errors import InputError, RateLimitError, UnauthorizedError
from schema.json_text import read_json
from schema.limits import LIMITS

# Per connection, for all messages: pings and invalid messages cost time, too.
MESSAGES_PER_S: Final = 20
MESSAGES_BURST: Final = 40
# Close codes of graphql-transport-ws.
BAD_MESSAGE: Final = 4400
TOO_FAST: Final = 4429
_FORBIDDEN: Final = 4403
_TRY_LATER: Final = 1013
_LAST_WORDS_S: Final = 0.5


class SocketHandler(BaseGraphQLTransportWSHandler[Any, None]):
    """One connection.

    Each `subscribe` counts as a request of the credential and gets an `error` message over the limit. Each message of
    any kind counts against the connection's own limit; over it, the connection is closed. It takes a connection slot
    after `connection_init`, and is closed when the slot is revoked or the credential ends.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._bucket = Bucket(MESSAGES_BURST, time.monotonic(), MESSAGES_PER_S, MESSAGES_BURST)
        self._closed = False
        self._stack = contextlib.AsyncExitStack()
        self.context["greet"] = self._greet

    async def shutdown(self) -> None:
        """Stop all operations, and release the slot."""
        await super().shutdown()
        await self._stack.aclose()

    async def send_message(self, message: Any) -> None:
        """Send a message, unless the connection was closed."""
        if not self._closed:
            await super().send_message(message)

    async def handle_connection_init(self, message: ConnectionInitMessage) -> None:
        """Acknowledge the connection, or close it for lack of a slot."""
        try:
            await super().handle_connection_init(message)
        except RateLimitError as error:
            await self._close(_TRY_LATER, error.message)

    def _greet(self) -> None:
        """Take a connection slot, and watch it and the credential."""
        access: Access = self.context["access"]
        slot = self._stack.enter_context(self.context["slots"].take(self.context["tenant"], access))
        identify_connection(self.context["request"].scope, access)
        auth: Authenticator | None = self.context["auth"]
        endings = [slot.raise_when_revoked, *([] if auth is None else [partial(auth.raise_when_invalid, access)])]
        for ending in endings:
            closing = asyncio.create_task(self._close_after(ending), name="watch a socket")
            self._stack.push_async_callback(cancel, closing)

    async def _close_after(self, ending: Callable[[], Awaitable[NoReturn]]) -> None:
        try:
            await ending()
        except RateLimitError as error:
            await self._close(_TRY_LATER, error.message)
        except UnauthorizedError as error:
            # Subscriptions end with an error that says why; the socket closes after it.
            await asyncio.sleep(_LAST_WORDS_S)
            await self._close(_FORBIDDEN, error.message)

    async def _close(self, code: int, reason: str) -> None:
        self._closed = True
        with contextlib.suppress(OSError, RuntimeError):
            # A close reason has at most 123 bytes.
            await self.websocket.close(code=code, reason=reason[:120])

    async def handle_message(self, message: Any) -> None:
        """Handle one message; close the connection if it is malformed or over the limit."""
        if self._bucket.take(now_s=time.monotonic()) > 0:
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
            auth: Authenticator | None = self.context.get("auth")
            try:
                if auth is not None:
                    auth.check_rate(self.context.get("access", ANONYMOUS))
            except RateLimitError as error:
                extensions = {"code": error.code, "retryAfterS": math.ceil(error.retry_after_s)}
                payload: Any = {"message": error.message, "extensions": extensions}
                await self.send_message({"id": message["id"], "type": "error", "payload": [payload]})
                return
        await super().handle_subscribe(message)


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


TEXT_CHARS_MAX: Final = 40_000
TEXT_BYTES_MIN: Final = 4_096
PERSISTED_BYTES_MAX: Final = 8 * 2**20


def persisted_queries() -> LRUCache[tuple[str, str], str]:
    """Return a cache of query texts by tenant and hash, so that no tenant can find out which queries another one uses.

    It is bounded in bytes; each text counts for `TEXT_BYTES_MIN` at least.
    """
    return LRUCache(PERSISTED_BYTES_MAX, getsizeof=lambda text: max(sys.getsizeof(text), TEXT_BYTES_MIN))


_NOT_FOUND: Final = "PERSISTED_QUERY_NOT_FOUND"
_HASH_MISMATCH: Final = "PERSISTED_QUERY_HASH_MISMATCH"


class FastRouter(GraphQLRouter[Any, None]):
    """Strawberry's route with orjson, rate-limited sockets, and persisted queries per tenant."""

    graphql_transport_ws_handler_class = SocketHandler

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._persisted = persisted_queries()

    def encode_json(self, data: object) -> str | bytes:
        """Encode a response body."""
        try:
            return orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS)
        except TypeError:
            # The response echoes a lone surrogate from the request.
            return json.dumps(data, separators=(",", ":"))

    def decode_json(self, data: str | bytes) -> object:
        """Decode a request body or socket message.

        Raises:
            json.JSONDecodeError: invalid JSON, too deep nesting, or a number with thousands of digits.
        """
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            # orjson rejects lone surrogates, NaN and integers beyond 64 bits; the standard library accepts them.
            return read_json(data)

    def parse_json(self, data: str | bytes) -> Any:
        """Decode a body and check that it is an object or a list, as strawberry expects."""
        found = super().parse_json(data)
        if not isinstance(found, dict | list):
            raise HTTPException(400, "the body must be a JSON object with `query`, and optionally `variables`")
        if isinstance(found, dict) and not isinstance(found.get("operationName"), str | None):
            raise HTTPException(400, "`operationName` must be a string")
        return found

    async def run(self, request: Any, *args: Any, **more: Any) -> Any:
        """Answer a request; report an invalid body in the format of all other errors."""
        try:
            return await super().run(request, *args, **more)
        except HTTPException as error:
            if error.status_code != InputError.http_status:
                raise
            raise InputError(error.reason) from error

    async def on_ws_connect(self, context: Any) -> UnsetType | dict[str, object] | None:
        """Take a connection slot when `connection_init` arrives."""
        context["greet"]()
        return await super().on_ws_connect(context)

    async def execute_single(
        self,
        request: Request,
        request_adapter: Any,
        sub_response: Response,
        context: Any,
        root_value: None,
        request_data: GraphQLRequestData,
    ) -> ExecutionResult:
        """Run one operation, given by its text or by the hash of a persisted query."""
        try:
            name = _persisted_name(request_data)
            request_data = self._with_text(context["tenant"], name, request_data)
        except GraphQLError as error:
            return ExecutionResult(data=None, errors=[error])
        execution = super().execute_single(request, request_adapter, sub_response, context, root_value, request_data)
        # A mutation is never stopped halfway.
        is_query = request_data.query is not None and "mutation" not in request_data.query
        result = await (_while_connected(request, execution) if is_query else execution)
        text = request_data.query
        if name is not None and text and len(text) <= TEXT_CHARS_MAX and not isinstance(result, PreExecutionError):
            # Persist only queries that passed all checks.
            self._persisted[context["tenant"], name] = text
        return result

    def _with_text(self, tenant: str, name: str | None, request_data: GraphQLRequestData) -> GraphQLRequestData:
        if name is None:
            return request_data
        if request_data.query is None:
            text = self._persisted.get((tenant, name))
            if text is None:
                raise _error("PersistedQueryNotFound", _NOT_FOUND)
            return replace(request_data, query=text)
        if sha256(request_data.query.encode("utf-8", "surrogatepass")).hexdigest() != name:
            raise _error("provided sha256Hash does not match the query", _HASH_MISMATCH)
        return request_data


async def _while_connected(request: Request, execution: Coroutine[Any, Any, ExecutionResult]) -> ExecutionResult:
    """Run an operation until its client leaves: a person who types on no longer waits for the search before."""
    running, _ = await first_done(execution, _disconnected(request))
    if running.cancelled():
        raise ClientDisconnect
    result: ExecutionResult = running.result()
    return result


async def _disconnected(request: Request) -> None:
    """Return once the client has left; the body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _persisted_name(request_data: GraphQLRequestData) -> str | None:
    """Return the hash of the persisted query in a request, or None."""
    extensions = request_data.extensions
    persisted = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
    if persisted is None:
        return None
    name = persisted.get("sha256Hash") if isinstance(persisted, dict) and persisted.get("version") == 1 else None
    if not isinstance(name, str):
        raise _error("persistedQuery must be {version: 1, sha256Hash: …}", InputError.code)
    return name


def _error(message: str, code: str) -> GraphQLError:
    return GraphQLError(message, extensions={"code": code})
