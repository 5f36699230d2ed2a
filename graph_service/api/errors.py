"""How errors look over HTTP: `{"error": {"code", "message"}}` with the status of their kind."""

import logging
import math

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from schema.errors import (
    InputError,
    MnemographError,
    NotFoundError,
    RateLimitError,
    UnauthorizedError,
    UnavailableError,
)

_LOG = logging.getLogger(__name__)
# As other servers note it; nobody is there to read it.
_GONE = 499


def install_error_handlers(app: FastAPI) -> None:
    """Make every error of the app's routes answer in our form."""
    app.add_exception_handler(MnemographError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_framework)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _unexpected)


def answer_to(error: MnemographError) -> Response:
    """Return what is answered instead of what was asked for."""
    headers = {}
    if isinstance(error, UnavailableError | RateLimitError) and error.retry_after_s is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    if isinstance(error, UnauthorizedError):
        headers["WWW-Authenticate"] = "Bearer"
    return _answer(error.http_status, error.code, error.message, headers)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, MnemographError)
    return answer_to(error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = "; ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors())
    return _answer(InputError.http_status, InputError.code, problems)


async def _of_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {NotFoundError.http_status: NotFoundError.code}.get(error.status_code, InputError.code)
    return _answer(error.status_code, code, str(error.detail), dict(error.headers or {}))


def answer_to_nobody() -> Response:
    """Return what is noted of a request whose sender left before it was complete: no error of ours, and no 5xx."""
    return Response(status_code=_GONE)


async def _gone(request: Request, error: Exception) -> Response:
    return answer_to_nobody()


async def _unexpected(request: Request, error: Exception) -> Response:
    _LOG.error("a request failed", exc_info=error)
    return _answer(MnemographError.http_status, MnemographError.code, "this is a bug; please report it")


def _answer(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response:
    body = orjson.dumps({"error": {"code": code, "message": message}})
    return Response(body, status_code=status, media_type="application/json", headers=headers)
