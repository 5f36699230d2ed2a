"""Error responses over HTTP: `{"error": {"code", "message"}}` with the error's status."""

import logging
import math

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from schema.errors import (
    InputError,
    MnemosceneError,
    NotFoundError,
    RateLimitError,
    UnauthorizedError,
    UnavailableError,
)

_LOG = logging.getLogger(__name__)
# nginx's status for a client that closed the request.
CLIENT_CLOSED = 499


def install_error_handlers(app: FastAPI) -> None:
    """Install handlers that convert all errors of the app's routes to this format."""
    app.add_exception_handler(MnemosceneError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_framework)
    app.add_exception_handler(ClientDisconnect, _client_closed)
    app.add_exception_handler(Exception, _unexpected)


def error_response(error: MnemosceneError) -> Response:
    headers = {}
    if isinstance(error, UnavailableError | RateLimitError) and error.retry_after_s is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    if isinstance(error, UnauthorizedError):
        headers["WWW-Authenticate"] = "Bearer"
    return error_answer(error.http_status, error.code, error.message, headers)


async def refuse(
    answer: Response, reason: str, scope: Scope, receive: Receive, send: Send, *, close_code: int = 1008
) -> None:
    """Refuse a request with an answer, or a WebSocket with a close code and a reason."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": close_code, "reason": reason})
    else:
        await answer(scope, receive, send)


async def _known(request: Request, error: Exception) -> Response:
    assert isinstance(error, MnemosceneError)
    return error_response(error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = "; ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors())
    return error_answer(InputError.http_status, InputError.code, problems)


async def _of_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {NotFoundError.http_status: NotFoundError.code}.get(error.status_code, InputError.code)
    return error_answer(error.status_code, code, str(error.detail), dict(error.headers or {}))


async def _client_closed(request: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED)


async def _unexpected(request: Request, error: Exception) -> Response:
    _LOG.error("a request failed", exc_info=error)
    return error_answer(MnemosceneError.http_status, MnemosceneError.code, "internal error; please report this bug")


def error_answer(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    body = orjson.dumps({"error": {"code": code, "message": message}})
    return Response(body, status_code=status, media_type="application/json", headers=headers)
