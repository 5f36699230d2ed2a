"""Tests of GraphQL operations whose client leaves before the answer."""

import asyncio
import json
from typing import Any

import strawberry
from fastapi import FastAPI

from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.router import FastRouter

_SEEN: list[str] = []
_BEGUN = asyncio.Event()


async def _slowly(name: str) -> str:
    _SEEN.append(f"{name} began")
    _BEGUN.set()
    try:
        await asyncio.sleep(0.3)
    except asyncio.CancelledError:
        _SEEN.append(f"{name} cancelled")
        raise
    _SEEN.append(f"{name} ended")
    return name


@strawberry.type
class _Query:
    @strawberry.field
    async def search(self) -> str:
        return await _slowly("search")


@strawberry.type
class _Mutation:
    @strawberry.mutation
    async def store(self) -> str:
        return await _slowly("store")


async def _asked(query: str, *, leaves: bool) -> tuple[list[str], int | None]:
    """Post a query, and leave when it has begun; return what was seen, and the status of the answer."""
    _SEEN.clear()
    _BEGUN.clear()
    app = FastAPI()
    install_error_handlers(app)

    async def context() -> dict[str, Any]:
        return {"tenant": "t"}

    schema = strawberry.Schema(query=_Query, mutation=_Mutation)
    app.include_router(FastRouter(schema, context_getter=context), prefix="/graphql")
    messages = [{"type": "http.request", "body": json.dumps({"query": query}).encode(), "more_body": False}]
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await (_BEGUN.wait() if leaves else asyncio.Event().wait())
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/graphql",
        "raw_path": b"/graphql",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    async with asyncio.timeout(10):
        await app(scope, receive, send)
    return list(_SEEN), next(iter(statuses), None)


async def test_query_is_cancelled_when_its_client_leaves() -> None:
    assert await _asked("{ search }", leaves=True) == (["search began", "search cancelled"], 499)


async def test_query_is_answered_while_its_client_waits() -> None:
    assert await _asked("{ search }", leaves=False) == (["search began", "search ended"], 200)


async def test_mutation_ends_although_its_client_leaves() -> None:
    assert (await _asked("mutation { store }", leaves=True))[0] == ["store began", "store ended"]
