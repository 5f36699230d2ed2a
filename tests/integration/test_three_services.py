"""Test three services on one Neo4j and one Redis behind a load balancer: what one does holds in all."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio

from graph_service.auth.access import Role
from graph_service.auth.keyring import Keyring, NewKey
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.cli_process import Home, Running
from tests.support.live_service import LiveViewer, ServiceAddress
from tests.support.load_balancer import LoadBalancer, load_balancer
from tests.support.polling import eventually, reached
from tests.support.redis_process import redis_process

REMEMBER = 'mutation($text: String!, $user: String!) { remember(input: {userId: $user, sessionId: "s",'
REMEMBER += " messages: [{role: USER, text: $text}]}) { messageIds spooled } }"
RECALL = "query($q: String!, $user: String!) { recall(userId: $user, query: $q) { degraded hits { text } } }"
SHORT_TERM = 'query ($user: String!) { shortTerm(userId: $user, sessionId: "s", turns: 3) { turns { text } } }'
FORGET = "mutation($id: String!) { forgetMessage(id: $id) { messages } }"
# Long enough for every client to send a request, which tells it to connect anew.
DRAIN_S = 2.0
CLIENTS = 3
# So slow that a machine which needs a second for an answer still reaches the limit.
PER_S, BURST = 0.5, 20


@dataclass
class Service:
    """One service process."""

    running: Running
    port: int


@dataclass
class Three:
    """Three services, each with its own data directory, and the keys that the tests created."""

    folder: Path
    more: dict[str, str]
    all: list[Service]
    keyring: Keyring
    stack: contextlib.ExitStack

    async def start(self) -> Service:
        """Start a service and wait until it is ready."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        home = Home(folder, self.more)
        running = self.stack.enter_context(home.running("serve", "--port", "0", "--no-browser", "--json"))
        where = await asyncio.to_thread(running.document)
        return Service(running, int(urlsplit(str(where["graphql"])).port or 0))

    async def key(self, tenant: str, **more: Any) -> NewKey:
        """Create a key, valid at every service."""
        return await self.keyring.create(name="for a test", tenant=TenantId(tenant), role=Role.ADMIN, **more)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def three(server: Server, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Three]:
    """Run three services, as on three machines."""
    keyring = Keyring(graph, file=tmp_path_factory.mktemp("keys") / "keys.json")
    async with redis_process() as redis:
        more = {
            **server.environ,
            "REDIS_URL": redis.url,
            "MNEMOSCENE_SERVICE_DRAIN_S": str(DRAIN_S),
            "MNEMOSCENE_AUTH_REQUESTS_PER_S": str(PER_S),
            "MNEMOSCENE_AUTH_BURST": str(BURST),
        }
        with contextlib.ExitStack() as stack:
            services = Three(tmp_path_factory.mktemp("three"), more, [], keyring, stack)
            services.all = await asyncio.gather(*(services.start() for _ in range(3)))
            # From the first key on a service requires one; it looks every two seconds.
            await services.key("first")
            async with httpx.AsyncClient(timeout=60) as nobody:

                async def are_locked() -> bool:
                    asked = [nobody.get(f"http://127.0.0.1:{one.port}/api/access") for one in services.all]
                    return {answer.status_code for answer in await asyncio.gather(*asked)} == {401}

                await eventually(are_locked)
            yield services
            for key in await keyring.list_keys():
                with contextlib.suppress(Exception):
                    await keyring.revoke(key.id)
                await keyring.delete(key.id)


def client_of(port: int, key: NewKey, **more: Any) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {key.text}"}
    return httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, **more)


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    answer = await client.post("/graphql", json={"query": query, "variables": variables})
    body: dict[str, Any] = answer.json()
    assert answer.status_code == 200, body
    assert "errors" not in body, body
    found: dict[str, Any] = body["data"]
    return found


async def shown_at_s(viewer: LiveViewer, text: str) -> float:
    """Return when the map of a viewer shows a text."""
    while text not in str(viewer.shown).lower():
        await viewer.take()
    return time.monotonic()


async def test_what_one_service_does_holds_in_all(three: Three, tenant: str) -> None:
    key = await three.key(tenant, requests_per_s=10_000)
    async with contextlib.AsyncExitStack() as stack:
        here, there, yonder = [await stack.enter_async_context(client_of(one.port, key)) for one in three.all]
        viewers = [
            await stack.enter_async_context(ServiceAddress(one.port).viewer(tenant, token=key.text))
            for one in three.all
        ]
        for food in ("celery", "walnut"):
            # The first time Neo4j plans the statements.
            told = (await ask(here, REMEMBER, user="ana", text=f"I am allergic to {food}."))["remember"]
            at_s = await asyncio.gather(*(shown_at_s(viewer, food) for viewer in viewers))
            print(
                f"{food}: at the viewers of other services {[round(one_s - at_s[0], 2) for one_s in at_s[1:]]} s later"
            )

        async def shown() -> list[bool]:
            asked = [(client, query) for client in (here, there, yonder) for query in (RECALL, SHORT_TERM)]
            answers = [await ask(client, query, user="ana", q="What am I allergic to?") for client, query in asked]
            answers += [(await client.get("/api/snapshot")).json() for client in (here, there, yonder)]
            return ["walnut" in str(answer).lower() for answer in answers]

        assert await shown() == [True] * 9
        await ask(there, FORGET, id=told["messageIds"][0])

        async def is_gone() -> bool:
            return not any(await shown())

        await eventually(is_gone)
        for viewer in viewers:
            while "walnut" in str(viewer.shown).lower():
                await viewer.take()


async def test_a_session_and_a_revoked_key_count_in_all_services(three: Three, tenant: str) -> None:
    key = await three.key(tenant, requests_per_s=10_000)
    # Without a port, as behind a load balancer: the name of the cookie contains it.
    host = {"Host": "localhost"}
    async with httpx.AsyncClient(timeout=60) as client:
        here, *others = [f"http://127.0.0.1:{one.port}/api" for one in three.all]
        signed = await client.post(f"{here}/sign-in", json={"key": key.text}, headers=host)
        headers = {**host, "Cookie": signed.headers["set-cookie"].partition(";")[0]}
        client.cookies.clear()
        for there in others:
            assert (await client.get(f"{there}/access", headers=headers)).json()["tenant"] == tenant
        await three.keyring.revoke(key.key.id)

        async def is_refused() -> bool:
            bearer = {"Authorization": f"Bearer {key.text}"}
            answers = [
                await client.get(f"{base}/access", headers=given)
                for base in (here, *others)
                for given in (headers, bearer)
            ]
            # A service that has heard of it first may count these attempts as too many before the others have.
            return {answer.status_code for answer in answers} <= {401, 429}

        await eventually(is_refused)


async def test_a_credential_has_one_rate_in_all_services(three: Three, tenant: str) -> None:
    """Each service would answer the burst if it counted for itself."""
    key = await three.key(tenant)
    answered = [0, 0, 0]
    async with contextlib.AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(client_of(one.port, key)) for one in three.all]
        began_s = time.monotonic()
        # The first uses it up; the others, which have answered one request each, learn of it.
        for number, client in enumerate(clients):
            answered[number] += (await client.get("/api/access")).status_code == 200
        while (await clients[0].get("/api/access")).status_code == 200:
            answered[0] += 1
        for number in (1, 2):
            while (await clients[number].get("/api/access")).status_code == 200:
                answered[number] += 1
                await asyncio.sleep(0.05)
        took_s = time.monotonic() - began_s
    print(f"answered {answered} in {took_s:.1f} s")
    # The others learn of it a quarter of a second late.
    assert sum(answered) <= BURST + PER_S * took_s + 2 * 8


@pytest.mark.slow
async def test_services_are_restarted_one_after_the_other_without_a_failed_request(three: Three, tenant: str) -> None:
    key = await three.key(tenant, requests_per_s=10_000)
    stop, done, failed = asyncio.Event(), [0], list[str]()
    async with load_balancer(one.port for one in three.all) as balancer:

        async def use(number: int) -> None:
            async with client_of(balancer.port, key) as client:
                while not stop.is_set():
                    try:
                        user, text = f"ana-{number}", f"Tea number {done[0]} was green."
                        told = (await ask(client, REMEMBER, user=user, text=text))["remember"]
                        assert not told["spooled"]
                        assert not (await ask(client, RECALL, user=user, q="Which tea was green?"))["recall"][
                            "degraded"
                        ]
                        done[0] += 1
                    except (httpx.HTTPError, AssertionError) as error:
                        failed.append(f"{type(error).__name__}: {error}")

        clients = [asyncio.create_task(use(number)) for number in range(CLIENTS)]
        try:
            for number, old in enumerate(list(three.all)):
                assert await asyncio.to_thread(old.running.stop) == 0
                balancer.ports.discard(old.port)
                three.all[number] = await three.start()
                balancer.ports.add(three.all[number].port)
                await reached(partial(_is_ready, balancer, three.all[number].port))
        finally:
            stop.set()
            await asyncio.gather(*clients)
    print(f"{done[0]} pairs of requests, {len(failed)} failed")
    assert failed == []
    assert done[0] > 3 * CLIENTS


def _is_ready(balancer: LoadBalancer, port: int) -> bool:
    return port in balancer.ready
