"""Test that what one process forgets is gone from the caches of every other, also while the database is unavailable."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from graph_service.app.services import Services
from graph_service.graph.database import graph_without_server
from graph_service.graph.store import Graph
from graph_service.memory.forgetting.feed import POLL_S
from schema.errors import UnavailableError
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.api.test_start_without_database import a_service, ask
from tests.support.polling import eventually

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { messageIds spooled } }"
SHORT_TERM = 'query ($u: String!) { shortTerm(userId: $u, sessionId: "s", turns: 5) { turns { text } } }'
RECALL = 'query ($u: String!) { recall(userId: $u, query: "What am I allergic to?") { hits { id text } } }'
GARDEN = [f"Turn {number} about the garden." for number in range(4)]


@dataclass(frozen=True)
class Running:
    """A running service and a client of it."""

    services: Services
    client: httpx.AsyncClient
    tenant: TenantId

    async def texts(self, user: str) -> list[str]:
        """Return what the service shows of a user, and what it has on disk."""
        asked = [{"query": query, "variables": {"u": user}} for query in (SHORT_TERM, RECALL)]
        shown = [(await self.client.post("/graphql", json=one)).text for one in asked]
        shown += [(await self.client.get("/api/snapshot", params=of)).text for of in ({"user": user}, {})]
        return [*shown, await self.on_disk(user)]

    async def on_disk(self, user: str) -> str:
        """Return the stored snapshot of a user, which the next start would load."""
        file = self.services.memory.recall_snapshots.file
        assert file is not None
        return str((await file.all()).get((self.tenant, user)))

    async def fill_caches(self, user: str, food: str) -> dict[str, str]:
        """Tell the service the allergy of a user, extract it, and let every cache hold it; return ids."""
        messages = [{"role": "USER", "text": text} for text in (*GARDEN, f"I am allergic to {food}.")]
        told = (await ask(self.client, REMEMBER, i={"userId": user, "sessionId": "s", "messages": messages}))[
            "remember"
        ]

        ends: dict[str, str] = {}

        async def extracted() -> bool:
            # An earlier test took the database away.
            with contextlib.suppress(UnavailableError):
                await self.services.worker.drain()
            shown = (await self.client.get("/api/snapshot", params={"user": user})).json()
            named = {one["id"] for one in shown.get("nodes", ()) if one["kind"] == "Entity" and food in one["label"]}
            ends.update(
                {
                    edge["id"]: edge["target"]
                    for edge in shown.get("edges", ())
                    if edge["target"] in named and edge["predicate"] != "MENTIONED"
                }
            )
            return bool(ends)

        await eventually(extracted)
        fact, entity = next(iter(ends.items()))
        while await self.services.memory.recall_snapshots.refresh():
            pass

        async def on_disk() -> bool:
            return f"allergic to {food}" in await self.on_disk(user)

        # A snapshot that another refresh is writing is left to it.
        await eventually(on_disk)
        assert [f"allergic to {food}" in text for text in await self.texts(user)] == [True, True, True, True, True]
        return {"message": told["messageIds"][-1], "session": "s", "user": user, "fact": fact, "entity": entity}

    async def forget(self, kind: str, user: str, name: str) -> None:
        """Forget what an id names."""
        forgetting = self.services.memory.forgetting
        await (
            forgetting.session(self.tenant, user, name)
            if kind == "session"
            else getattr(forgetting, kind)(self.tenant, name)
        )


@contextlib.asynccontextmanager
async def running(server: Server, folder: Path, tenant: str) -> AsyncIterator[Running]:
    """Run a service with its own data directory on the database of the tests."""
    port = urlsplit(server.uri).port
    assert port is not None
    async with a_service(server, folder, port, tenant) as (services, client):
        await services.database.wait()
        yield Running(services, client, TenantId(tenant))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def two(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Running, Running]]:
    """Run two services, as on two machines."""
    tenant, folders = f"t-{uuid4().hex[:12]}", [tmp_path_factory.mktemp("service") for _ in range(2)]
    async with running(server, folders[0], tenant) as here, running(server, folders[1], tenant) as there:
        yield here, there


@contextlib.contextmanager
def away(graph: Graph) -> Iterator[None]:
    """Take the database from a service inside the block."""
    driver, graph._driver = graph._driver, graph_without_server(None)._driver
    try:
        yield
    finally:
        graph._driver = driver
        graph._breaker.succeeded()


@pytest.mark.parametrize("kind", ["message", "session", "user", "fact", "entity"])
async def test_what_another_process_forgets_is_gone_after_the_next_poll(
    two: tuple[Running, Running], kind: str
) -> None:
    """Polls are half a second apart."""
    here, there = two
    foods = {"message": "walnut", "session": "cashew", "user": "sesame", "fact": "celery", "entity": "mustard"}
    user, food = f"of-{kind}", foods[kind]
    ids = await here.fill_caches(user, food)
    await there.forget(kind, user, ids[kind])
    await here.services.forgettings.poll()
    # The message stays if a fact is forgotten.
    gone = ids[kind] if kind in ("fact", "entity") else f"allergic to {food}"
    shown = await here.texts(user)
    with away(here.services.graph):
        shown += await here.texts(user)
    assert [text for text in shown if gone in text] == []


def test_polls_are_frequent_enough_for_two_seconds() -> None:
    assert POLL_S <= 0.5


@pytest.mark.parametrize("kind", ["fact", "entity"])
async def test_a_process_drops_its_own_copies_of_what_it_forgets(two: tuple[Running, Running], kind: str) -> None:
    here, _ = two
    user = f"own-{kind}"
    ids = await here.fill_caches(user, {"fact": "peanut", "entity": "shrimp"}[kind])

    async def is_held() -> bool:
        # What the case before forgot is dropped twice, the second time at the next poll, with all copies of the tenant.
        await here.client.get("/api/snapshot", params={"user": user})
        with away(here.services.graph):
            return ids[kind] in (await here.client.get("/api/snapshot", params={"user": user})).text

    await eventually(is_held)
    await here.forget(kind, user, ids[kind])
    with away(here.services.graph):
        shown = [(await here.client.get("/api/snapshot", params={"user": user})).text, await here.on_disk(user)]
    assert [text for text in shown if ids[kind] in text] == []


async def test_what_was_forgotten_while_a_service_was_down_leaves_its_disk_at_the_next_start(
    two: tuple[Running, Running], server: Server, tmp_path: Path
) -> None:
    _, there = two
    # What the cases before forgot drops the copies of their tenant at a poll of its own time.
    tenant = f"t-{uuid4().hex[:12]}"
    async with running(server, tmp_path, tenant) as stopped:
        ids = await stopped.fill_caches("late", "lupin")
        await stopped.services.forgettings.poll()

        async def stored() -> bool:
            return "allergic to lupin" in await stopped.on_disk("late")

        await eventually(stored)
    await replace(there, tenant=TenantId(tenant)).forget("message", "late", ids["message"])
    async with running(server, tmp_path, tenant) as started:

        async def gone() -> bool:
            return "allergic to lupin" not in await started.on_disk("late")

        await eventually(gone)
