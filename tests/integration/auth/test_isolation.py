"""Test every root field, route and frame with ids of another tenant.

 The response must equal the one for random ids, except for the names that were sent; it must contain no word of the
 other
tenant, and must leave that tenant unchanged.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI
from graphql import GraphQLField

from graph_service.api.graphql.schema import graphql_schema
from graph_service.auth.rules import FIELDS, route_requirement
from schema.frames import frames_schema
from tests.conftest import Server
from tests.integration.auth.foreign_memory import WORDS, Foreign, foreign_memory
from tests.integration.auth.graphql_socket import answer, graphql_socket, subscribed
from tests.integration.auth.isolation_cases import (
    FRAMES,
    HELLOS,
    MUTATIONS,
    QUERIES,
    ROUTES,
    ROUTES_WITHOUT_MEMORIES,
    SUBSCRIPTIONS,
)
from tests.support.graph_hash import graph_rows
from tests.support.graphql_selection import selection
from tests.support.live_service import LiveViewer
from tests.support.open_service import OpenService, open_service

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HOLDER = re.compile(r'"principal": "[0-9a-f]{32}"')
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)")
_CORE = graphql_schema._schema
CASES: Counter[str] = Counter()
# Frames of a viewer that the service does not answer.
UNANSWERED = ("ack", "place", "selection_sync")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("isolation")
    async with open_service(server, folder, {"MNEMOSCENE_AUTH_REQUESTS_PER_S": "0"}) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def foreign(service: OpenService) -> AsyncIterator[Foreign]:
    """Return the other tenant; fail at the end if it has changed."""
    tenant = f"kxq{uuid4().hex[:10]}"
    there = await foreign_memory(service.parts, tenant)
    before = await graph_rows(service.parts.graph, tenant)
    spooled = await service.parts.spool.listed(tenant)
    yield there
    assert await graph_rows(service.parts.graph, tenant) == before
    assert await service.parts.spool.listed(tenant) == spooled
    print(f"isolation: {sum(CASES.values())} cases, 0 leaks ({dict(CASES)})")


def fields_of(operation: str) -> dict[str, GraphQLField]:
    kind = _CORE.query_type if operation == "query" else _CORE.mutation_type
    assert kind is not None
    return dict(kind.fields)


def document(operation: str, name: str, given: Iterable[str]) -> str:
    field = fields_of(operation)[name]
    heads = [f"${argument}: {field.args[argument].type}" for argument in given]
    passed = [f"{argument}: ${argument}" for argument in given]
    head = f"({', '.join(heads)})" if heads else ""
    call = f"({', '.join(passed)})" if passed else ""
    return f"{operation}{head} {{ {name}{call} {selection(field.type, 5)} }}"


def comparable(text: str, names: tuple[str, ...], own: str) -> str:
    """Return a response without what may differ: the names sent, ids derived from them, times, tenant, credential."""
    text = _HOLDER.sub('"principal": "WHO"', _MOMENT.sub("TIME", text))
    for name in sorted(names, key=len, reverse=True):
        # A number inside an id is not the number that was sent.
        text = re.sub(rf"\b{name}\b", "…", text) if name.isdigit() else text.replace(name, "…")
    return _HASH.sub("HASH", _UUID.sub("ID", text.replace(own, "OWN")))


def leaked_words(text: str, names: tuple[str, ...]) -> list[str]:
    """Return words of the other tenant in a response that the caller did not send."""
    for name in names:
        text = text.replace(name, "")
    return [word for word in WORDS if word in text.casefold()]


class Stranger:
    """A caller with a valid key of a fresh tenant, so that no earlier request affects the response."""

    def __init__(self, client: httpx.AsyncClient, tenant: str, key: str) -> None:
        self.client = client
        self.tenant = tenant
        self.key = key

    async def post(self, query: str, variables: dict[str, Any], **headers: str) -> str:
        shown = {"Authorization": f"Bearer {self.key}", **headers}
        answer = await self.client.post("/graphql", json={"query": query, "variables": variables}, headers=shown)
        return answer.text

    async def get(self, path: str, case: dict[str, Any], **headers: str) -> str:
        parts = {name: value for name, value in case.items() if f"{{{name}}}" in path}
        query = {name: value for name, value in case.items() if name not in parts}
        address = re.sub(r"\{(\w+)\}", lambda match: httpx.URL("/").join(str(parts[match[1]])).path[1:], path)
        shown = {"Authorization": f"Bearer {self.key}", **headers}
        answer = await self.client.get(address, params=query, headers=shown)
        return f"{answer.status_code} {answer.text}"


@pytest_asyncio.fixture(loop_scope="session")
async def strangers(service: OpenService) -> AsyncIterator[list[Stranger]]:
    """Return two callers, so that the second does not see the effects of the first."""
    async with service.client() as client:
        made = []
        for _ in range(2):
            tenant = f"own{uuid4().hex[:10]}"
            made.append(Stranger(client, tenant, (await service.key(tenant)).text))
        yield made
        await service.forget_keys()


FIELD_CASES = [
    *(("query", name, cases) for name, cases in QUERIES.items()),
    *(("mutation", name, cases) for name, cases in MUTATIONS.items()),
]


@pytest.mark.parametrize(("operation", "name", "cases"), FIELD_CASES, ids=[case[1] for case in FIELD_CASES])
async def test_root_field_with_foreign_ids_answers_as_with_unknown_ids(
    foreign: Foreign, strangers: list[Stranger], operation: str, name: str, cases: list[dict[str, Any]]
) -> None:
    first, second = strangers
    for case in cases:
        for real, never, names in foreign.filled(case):
            query = document(operation, name, real)
            told, compared = await asyncio.gather(first.post(query, real), second.post(query, never))
            assert leaked_words(told, names) == []
            assert comparable(told, names, first.tenant) == comparable(compared, names, second.tenant), real
            CASES[operation] += 1
    named = {"Mnemoscene-Tenant": foreign.tenant}
    sample = next(foreign.filled(cases[0]))[0]
    query = document(operation, name, sample)
    told = await first.post(query, sample, **named)
    assert json.loads(told)["error"]["code"] == "FORBIDDEN"
    assert told == await first.post(query, sample, **{"Mnemoscene-Tenant": "kxq-never-was"})
    CASES["named tenant"] += 1


@pytest.mark.parametrize("path", ROUTES)
async def test_route_with_foreign_ids_answers_as_with_unknown_ids(
    foreign: Foreign, strangers: list[Stranger], path: str
) -> None:
    first, second = strangers
    for case in ROUTES[path]:
        for real, never, names in foreign.filled(case):
            told, compared = await asyncio.gather(first.get(path, real), second.get(path, never))
            assert leaked_words(told, names) == []
            assert comparable(told, names, first.tenant) == comparable(compared, names, second.tenant), real
            CASES["route"] += 1
    real = next(foreign.filled(ROUTES[path][0]))[0]
    told = await first.get(path, real, **{"Mnemoscene-Tenant": foreign.tenant})
    assert told.startswith("403")
    assert told == await first.get(path, real, **{"Mnemoscene-Tenant": "kxq-never-was"})
    CASES["named tenant"] += 1


async def frames_received(
    service: OpenService, stranger: Stranger, hello: dict[str, Any], frame: dict[str, Any] | None
) -> str:
    """Return every frame sent before the first snapshot, or until the connection is closed."""
    said = {"t": "hello", "v": 1, "client": "c", "token": stranger.key, **hello}
    said["scope"] = {"tenant": stranger.tenant, **hello["scope"]}
    frames = []
    async with service.socket() as socket:
        viewer = LiveViewer(socket)
        await viewer.say(**said)
        for wanted in range(2 if frame is None else 3):
            frames.append(await viewer.next())
            if frames[-1]["t"] == "error":
                break
            if wanted == 1 and frame is not None:
                await viewer.say(**frame)
                if frame["t"] in UNANSWERED:
                    # The frame after it arrives at once instead of with the next heartbeat.
                    await viewer.say(t="resync", reason="to hear what came of it")
    return json.dumps([frames, viewer.others], ensure_ascii=False)


async def test_socket_with_foreign_ids_answers_as_with_unknown_ids(
    service: OpenService, foreign: Foreign, strangers: list[Stranger]
) -> None:
    first, second = strangers
    tried: list[tuple[dict[str, Any], dict[str, Any] | None]] = [(hello, None) for hello in HELLOS]
    tried += [({"scope": {}}, {"t": name, **case}) for name, cases in FRAMES.items() for case in cases]
    for hello, frame in tried:
        for real, never, names in foreign.filled({"hello": hello, "frame": frame}):
            told = await frames_received(service, first, real["hello"], real["frame"])
            compared = await frames_received(service, second, never["hello"], never["frame"])
            assert leaked_words(told, names) == []
            assert comparable(told, names, first.tenant) == comparable(compared, names, second.tenant), real
            CASES["frame"] += 1


async def test_subscription_sends_nothing_of_another_tenant(
    service: OpenService, foreign: Foreign, strangers: list[Stranger]
) -> None:
    for case in SUBSCRIPTIONS["graphChanged"]:
        for real, never, names in foreign.filled(case):
            told = []
            for stranger, given in zip(strangers, (real, never), strict=True):
                async with graphql_socket(service, stranger.key) as socket:
                    await subscribed(socket, **given)
                    told.append(str(await answer(socket)))
            assert leaked_words(told[0], names) == []
            assert comparable(told[0], names, strangers[0].tenant) == comparable(told[1], names, strangers[1].tenant), (
                real
            )
            CASES["subscription"] += 1


def test_every_root_field_route_and_frame_has_a_case(service: OpenService) -> None:
    """Add missing ones to `tests/integration/auth/isolation_cases.py`."""
    assert set(QUERIES) == set(fields_of("query"))
    assert set(MUTATIONS) == set(fields_of("mutation"))
    assert set(SUBSCRIPTIONS) == set(FIELDS["subscription"])
    assert {"hello", *FRAMES} == set(frames_schema()["client"]["discriminator"]["mapping"])
    routes = set(paths(service.app))
    assert {path for path, _ in routes} - ROUTES_WITHOUT_MEMORIES == set(ROUTES)


def test_every_route_has_a_required_role(service: OpenService) -> None:
    """Add missing ones to the table in `graph_service/auth/rules.py`."""
    unnamed = route_requirement("GET", "/no/such/route")
    for path, methods in paths(service.app):
        for method in methods or {"WEBSOCKET" if path == "/live" else "POST"}:
            socket_of_graphql = (path, method) == ("/graphql", "GET")
            assert socket_of_graphql or route_requirement(method, path) != unnamed, (method, path)


def paths(app: FastAPI) -> Iterator[tuple[str, frozenset[str]]]:
    """Return path and methods of each route, including nested routers."""
    for route in app.routes:
        inner = getattr(route, "original_router", None)
        if inner is None:
            if getattr(route, "name", "") != "viewer":
                yield route.path, frozenset(getattr(route, "methods", None) or ())  # type: ignore[attr-defined]
            continue
        prefix = route.include_context.prefix  # type: ignore[attr-defined]
        for one in inner.routes:
            yield prefix + one.path, frozenset(getattr(one, "methods", None) or ())
