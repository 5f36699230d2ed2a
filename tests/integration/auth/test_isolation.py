"""Test every root field, route and frame with ids of another tenant.

An answer must be the one for what never was, word for word but for the names that were sent, must hold no word of the
other tenant, and must leave that tenant as it was.
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
# Frames of a viewer to which the service says nothing.
UNANSWERED = ("ack", "selection_sync")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("isolation")
    async with open_service(server, folder, {"MNEMOGRAPH_AUTH_REQUESTS_PER_S": "0"}) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def foreign(service: OpenService) -> AsyncIterator[Foreign]:
    """The other tenant; at the end it is what it was at the beginning."""
    tenant = f"kxq{uuid4().hex[:10]}"
    there = await foreign_memory(service.parts, tenant)
    before = await graph_rows(service.parts.graph, tenant)
    spooled = await service.parts.spool.listed(tenant)
    yield there
    assert await graph_rows(service.parts.graph, tenant) == before
    assert await service.parts.spool.listed(tenant) == spooled
    print(f"isolation: {sum(CASES.values())} cases, 0 leaks ({dict(CASES)})")


def fields(operation: str) -> dict[str, GraphQLField]:
    kind = _CORE.query_type if operation == "query" else _CORE.mutation_type
    assert kind is not None
    return dict(kind.fields)


def document(operation: str, name: str, given: Iterable[str]) -> str:
    field = fields(operation)[name]
    heads = [f"${argument}: {field.args[argument].type}" for argument in given]
    passed = [f"{argument}: ${argument}" for argument in given]
    head = f"({', '.join(heads)})" if heads else ""
    call = f"({', '.join(passed)})" if passed else ""
    return f"{operation}{head} {{ {name}{call} {selection(field.type, 5)} }}"


def plain(text: str, names: tuple[str, ...], own: str) -> str:
    """An answer without what two askers may differ in: the names they sent, ids of these, times, tenant, credential."""
    text = _HOLDER.sub('"principal": "WHO"', _MOMENT.sub("TIME", text))
    for name in sorted(names, key=len, reverse=True):
        # A number is no part of an id that happens to hold its digits.
        text = re.sub(rf"\b{name}\b", "…", text) if name.isdigit() else text.replace(name, "…")
    return _HASH.sub("HASH", _UUID.sub("ID", text.replace(own, "OWN")))


def leaks(text: str, names: tuple[str, ...]) -> list[str]:
    """Words of the other tenant in an answer that the asker did not send."""
    for name in names:
        text = text.replace(name, "")
    return [word for word in WORDS if word in text.casefold()]


class Stranger:
    """Somebody with a good key of another tenant, new for each pair of questions, so that nothing was asked before."""

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
    """Two, so that what one did is not what the other finds."""
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
async def test_a_root_field_answers_strangers_as_if_nothing_were_there(
    foreign: Foreign, strangers: list[Stranger], operation: str, name: str, cases: list[dict[str, Any]]
) -> None:
    first, second = strangers
    for case in cases:
        for real, never, names in foreign.filled(case):
            query = document(operation, name, real)
            told, compared = await asyncio.gather(first.post(query, real), second.post(query, never))
            assert leaks(told, names) == []
            assert plain(told, names, first.tenant) == plain(compared, names, second.tenant), real
            CASES[operation] += 1
    named = {"Mnemograph-Tenant": foreign.tenant}
    sample = next(foreign.filled(cases[0]))[0]
    query = document(operation, name, sample)
    told = await first.post(query, sample, **named)
    assert json.loads(told)["error"]["code"] == "FORBIDDEN"
    assert told == await first.post(query, sample, **{"Mnemograph-Tenant": "kxq-never-was"})
    CASES["named tenant"] += 1


@pytest.mark.parametrize("path", ROUTES)
async def test_a_route_answers_strangers_as_if_nothing_were_there(
    foreign: Foreign, strangers: list[Stranger], path: str
) -> None:
    first, second = strangers
    for case in ROUTES[path]:
        for real, never, names in foreign.filled(case):
            told, compared = await asyncio.gather(first.get(path, real), second.get(path, never))
            assert leaks(told, names) == []
            assert plain(told, names, first.tenant) == plain(compared, names, second.tenant), real
            CASES["route"] += 1
    real = next(foreign.filled(ROUTES[path][0]))[0]
    told = await first.get(path, real, **{"Mnemograph-Tenant": foreign.tenant})
    assert told.startswith("403")
    assert told == await first.get(path, real, **{"Mnemograph-Tenant": "kxq-never-was"})
    CASES["named tenant"] += 1


async def heard(service: OpenService, stranger: Stranger, hello: dict[str, Any], frame: dict[str, Any] | None) -> str:
    """Everything a viewer is sent before it has its first snapshot, or until the door closes."""
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
                    # What follows it comes at once, and not with the next heartbeat.
                    await viewer.say(t="resync", reason="to hear what came of it")
    return json.dumps([frames, viewer.others], ensure_ascii=False)


async def test_the_socket_answers_strangers_as_if_nothing_were_there(
    service: OpenService, foreign: Foreign, strangers: list[Stranger]
) -> None:
    first, second = strangers
    tried: list[tuple[dict[str, Any], dict[str, Any] | None]] = [(hello, None) for hello in HELLOS]
    tried += [({"scope": {}}, {"t": name, **case}) for name, cases in FRAMES.items() for case in cases]
    for hello, frame in tried:
        for real, never, names in foreign.filled({"hello": hello, "frame": frame}):
            told = await heard(service, first, real["hello"], real["frame"])
            compared = await heard(service, second, never["hello"], never["frame"])
            assert leaks(told, names) == []
            assert plain(told, names, first.tenant) == plain(compared, names, second.tenant), real
            CASES["frame"] += 1


async def test_a_subscription_tells_strangers_nothing(
    service: OpenService, foreign: Foreign, strangers: list[Stranger]
) -> None:
    for case in SUBSCRIPTIONS["graphChanged"]:
        for real, never, names in foreign.filled(case):
            told = []
            for stranger, given in zip(strangers, (real, never), strict=True):
                async with graphql_socket(service, stranger.key) as socket:
                    await subscribed(socket, **given)
                    told.append(str(await answer(socket)))
            assert leaks(told[0], names) == []
            assert plain(told[0], names, strangers[0].tenant) == plain(told[1], names, strangers[1].tenant), real
            CASES["subscription"] += 1


def test_every_root_field_route_and_frame_has_a_case(service: OpenService) -> None:
    """Add yours to `tests/integration/auth/isolation_cases.py`."""
    assert set(QUERIES) == set(fields("query"))
    assert set(MUTATIONS) == set(fields("mutation"))
    assert set(SUBSCRIPTIONS) == set(FIELDS["subscription"])
    assert {"hello", *FRAMES} == set(frames_schema()["client"]["discriminator"]["mapping"])
    routes = set(paths(service.app))
    assert {path for path, _ in routes} - ROUTES_WITHOUT_MEMORIES == set(ROUTES)


def test_every_route_says_who_may_use_it(service: OpenService) -> None:
    """Add yours to the table in `graph_service/auth/rules.py`."""
    unnamed = route_requirement("GET", "/no/such/route")
    for path, methods in paths(service.app):
        for method in methods or {"WEBSOCKET" if path == "/live" else "POST"}:
            socket_of_graphql = (path, method) == ("/graphql", "GET")
            assert socket_of_graphql or route_requirement(method, path) != unnamed, (method, path)


def paths(app: FastAPI) -> Iterator[tuple[str, frozenset[str]]]:
    """Path and methods of each route; of a router in it too."""
    for route in app.routes:
        inner = getattr(route, "original_router", None)
        if inner is None:
            if getattr(route, "name", "") != "viewer":
                yield route.path, frozenset(getattr(route, "methods", None) or ())  # type: ignore[attr-defined]
            continue
        prefix = route.include_context.prefix  # type: ignore[attr-defined]
        for one in inner.routes:
            yield prefix + one.path, frozenset(getattr(one, "methods", None) or ())
