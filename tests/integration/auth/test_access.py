"""Test keys, cookies, roles, rates and revocation over HTTP and WebSocket."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin, Subprotocol

from graph_service.auth.access import Role
from tests.conftest import Server
from tests.support.live_service import LiveViewer
from tests.support.open_service import OpenService, open_service

SAID = {"userId": "ana", "sessionId": "s1", "messages": [{"role": "USER", "text": "I love jasmine tea."}]}
REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored } }"
EVIDENCE = "/api/evidence/nothing"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("service")
    async with open_service(server, folder, {"MNEMOSCENE_AUTH_BURST": "40"}) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def open_again(service: OpenService) -> AsyncIterator[None]:
    yield
    await service.forget_keys()


async def ask(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    answer = await client.post("/graphql", json={"query": query, "variables": variables})
    return dict(answer.json())


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


async def test_without_any_key_every_interface_is_open(service: OpenService, tenant: str) -> None:
    async with service.client("whatever some proxy adds", **{"Mnemoscene-Tenant": tenant}) as client:
        assert (await ask(client, REMEMBER, input=SAID))["data"]["remember"]["stored"] == 1
        assert (await client.get("/api/snapshot")).status_code == 200
    assert (await service.greeted(tenant))["t"] == "hello_ack"
    assert service.audit_entries() == []


async def test_caller_can_ask_for_its_own_permissions(service: OpenService, tenant: str) -> None:
    async with service.client() as anybody:
        assert (await anybody.get("/api/access")).json() == {"tenant": None, "role": "admin"}
    new = await service.key(tenant, Role.READ)
    async with service.client(new.text) as holder, service.client() as stranger:
        assert (await holder.get("/api/access")).json() == {"tenant": tenant, "role": "read"}
        assert code(await stranger.get("/api/access")) == (401, "UNAUTHORIZED")


async def test_first_key_locks_every_interface(service: OpenService, tenant: str) -> None:
    new = await service.key(tenant)
    async with service.client() as nobody, service.client(new.text) as holder:
        for path in ("/api/snapshot", EVIDENCE, "/openapi.json", "/no/such/route"):
            assert code(await nobody.get(path)) == (401, "UNAUTHORIZED")
        refused = await nobody.post("/graphql", json={"query": "{ jobStatus { waiting } }"})
        assert code(refused) == (401, "UNAUTHORIZED")
        assert refused.headers["www-authenticate"] == "Bearer"
        assert [(await nobody.get(path)).status_code for path in ("/", "/health", "/ready")] == [200, 200, 200]
        assert (await holder.get("/api/snapshot")).status_code == 200
        assert "data" in await ask(holder, "{ jobStatus { waiting } }")
    assert (await service.greeted(tenant))["code"] == "UNAUTHORIZED"
    assert (await service.greeted(tenant, new.text))["t"] == "hello_ack"
    by_header = {"Authorization": f"Bearer {new.text}"}
    assert (await service.greeted(tenant, additional_headers=by_header))["t"] == "hello_ack"


async def test_every_invalid_credential_gets_the_same_answer(service: OpenService, tenant: str) -> None:
    good = await service.key(tenant)
    over = await service.key(tenant, lasts=timedelta(seconds=-1))
    gone = await service.key(tenant)
    await service.parts.keyring.revoke(gone.key.id)
    wrong = [good.text[:-1], good.text + "x", good.text.upper(), over.text, gone.text, good.key.hash, good.key.id]
    wrong += [f"mnk_{good.key.id}_", "mnk_nobody_secret", "x", "eyJhbGciOiJub25lIn0.e30."]
    async with service.client() as client:
        told = set()
        for text in wrong:
            answer = await client.get("/api/snapshot", headers={"Authorization": f"Bearer {text}"})
            told.add((code(answer), answer.text))
    assert len(told) == 1
    assert next(iter(told))[0] == (401, "UNAUTHORIZED")


async def test_key_gives_access_to_its_own_tenant_only(service: OpenService, tenant: str) -> None:
    new = await service.key(tenant)
    async with service.client(new.text) as client:
        assert (await ask(client, REMEMBER, input=SAID))["data"]["remember"]["stored"] == 1
        answers = []
        for other in ("default", f"{tenant}-other", "never-heard-of"):
            named = {"Mnemoscene-Tenant": other}
            answers.append((await client.get("/api/snapshot", headers=named)).text)
            answers.append((await client.post("/graphql", json={"query": "{ __typename }"}, headers=named)).text)
        assert len(set(answers)) == 1, "the answer must not reveal whether the tenant exists"
        assert json.loads(answers[0])["error"]["code"] == "FORBIDDEN"
        own = await client.get("/api/snapshot", headers={"Mnemoscene-Tenant": tenant})
        assert own.status_code == 200
    assert (await service.greeted("default", new.text))["code"] == "UNAUTHORIZED"
    every = await service.key(None)
    async with service.client(every.text, **{"Mnemoscene-Tenant": tenant}) as client:
        assert (await client.get("/api/snapshot")).status_code == 200


async def test_role_is_checked_before_anything_runs(service: OpenService, tenant: str) -> None:
    reader, writer = await service.key(tenant, Role.READ), await service.key(tenant, Role.WRITE)
    hidden = "mutation { ...a } fragment a on Mutation { ... on Mutation { other: sync { total } } }"
    two = "{ jobStatus { waiting } letters: deadLetters { nodes { id } } }"
    async with service.client(reader.text) as client:
        for query in (REMEMBER, "mutation { closeSession(userId: 1) { state } }", hidden, two):
            told = await ask(client, query, input=SAID)
            assert told["errors"][0]["extensions"]["code"] == "FORBIDDEN", (query, told)
            assert told.get("data") is None
        assert (await ask(client, "{ jobStatus { waiting } __schema { queryType { name } } }"))["data"]
    async with service.client(writer.text) as client:
        assert (await ask(client, REMEMBER, input=SAID))["data"]["remember"]["stored"] == 1
        for query in ("mutation { pauseSpool { paused } }", "{ usage { days { day } } }"):
            assert (await ask(client, query))["errors"][0]["extensions"]["code"] == "FORBIDDEN"


async def test_administrator_of_one_tenant_cannot_change_others(service: OpenService, tenant: str) -> None:
    own, every = await service.key(tenant), await service.key(None)
    pause = "mutation { pauseSpool(paused: false) { paused } }"
    async with service.client(own.text) as one, service.client(every.text) as all_of_them:
        assert "every tenant" in (await ask(one, pause))["errors"][0]["message"]
        assert (await ask(all_of_them, pause))["data"]["pauseSpool"]["paused"] is False


async def test_revoked_key_is_refused_and_its_connections_are_closed(service: OpenService, tenant: str) -> None:
    new, other = await service.key(tenant, Role.READ), await service.key(tenant)
    async with service.client(new.text) as client, service.socket() as socket, service.socket() as kept:
        viewer, stays = LiveViewer(socket), LiveViewer(kept)
        for one, text in ((viewer, new.text), (stays, other.text)):
            await one.say(t="hello", v=1, client="c", token=text, scope={"tenant": tenant})
            await one.next()
        signed = await client.post("/api/sign-in", json={"key": new.text})
        cookie = signed.headers["set-cookie"].partition(";")[0]
        await service.parts.keyring.revoke(new.key.id)
        assert code(await client.get("/api/snapshot")) == (401, "UNAUTHORIZED")
        closing, frames = await viewer.closed()
        assert (closing, frames[-1]["code"]) == (4401, "UNAUTHORIZED")
        assert (await stays.take())["t"] == "graph_snapshot"
    async with service.client(Cookie=cookie) as browser:
        assert code(await browser.get("/api/snapshot")) == (401, "UNAUTHORIZED")


async def test_key_of_another_process_works_at_once_and_its_revocation_within_seconds(
    service: OpenService, server: Server, tenant: str, tmp_path: Path
) -> None:
    first = await service.key(tenant)
    async with open_service(server, tmp_path) as elsewhere, service.client() as client:
        made = await elsewhere.key(tenant)
        shown = {"Authorization": f"Bearer {made.text}"}
        assert (await client.get("/api/snapshot", headers=shown)).status_code == 200
        await elsewhere.parts.keyring.revoke(made.key.id)
        async with asyncio.timeout(5):
            while (await client.get("/api/snapshot", headers=shown)).status_code == 200:
                await service.parts.keyring.wait_for_reload()
        await elsewhere.parts.keyring.delete(made.key.id)
    assert first.key.id in {key.id for key in await service.parts.keyring.list_keys()}


async def test_page_of_another_origin_is_refused(service: OpenService, tenant: str) -> None:
    body = {"query": REMEMBER, "variables": {"input": SAID}}
    for locked in (False, True):
        key = (await service.key(tenant)).text if locked else None
        async with service.client(key) as client:
            for origin in ("http://evil.example", "http://localhost:1", "null", "http://[bad"):
                answer = await client.post("/graphql", json=body, headers={"Origin": origin})
                assert code(answer) == (403, "FORBIDDEN")
                assert (await client.post("/api/sign-in", json={"key": "x"}, headers={"Origin": origin})).is_error
            own = await client.post(
                "/graphql", json=body, headers={"Origin": service.http, "Mnemoscene-Tenant": tenant}
            )
            assert "errors" not in own.json()
            rebound = await client.get("/api/snapshot", headers={"Host": "evil.example"})
            assert rebound.status_code == 421
        foreign = await service.greeted(tenant, key, origin=Origin("http://evil.example"))
        assert foreign["code"] == "FORBIDDEN"


async def test_graphql_serves_no_other_websocket_protocol(service: OpenService) -> None:
    address = f"{service.http.replace('http', 'ws')}/graphql"
    for protocol in ("graphql-transport-ws", "graphql-ws"):
        try:
            async with connect(address, subprotocols=[Subprotocol(protocol)]) as socket:
                await socket.recv()
        except (InvalidStatus, ConnectionClosed):
            continue
        raise AssertionError(f"{protocol} was answered")


async def test_sign_in_sets_an_http_only_cookie(service: OpenService, tenant: str) -> None:
    new = await service.key(tenant, Role.READ)
    async with service.client() as browser:
        assert code(await browser.post("/api/sign-in", json={"key": new.text[:-2]})) == (401, "UNAUTHORIZED")
        signed = await browser.post("/api/sign-in", json={"key": f" {new.text}\n"})
        assert (signed.status_code, signed.json()) == (200, {"tenant": tenant, "role": "read"})
        cookie = signed.headers["set-cookie"]
        assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
        assert new.text not in cookie
        assert new.key.hash not in cookie
        assert (await browser.get("/api/snapshot")).status_code == 200
        shown = {"Cookie": cookie.partition(";")[0]}
        assert (await service.greeted(tenant, additional_headers=shown))["t"] == "hello_ack"
        told = await ask(browser, REMEMBER, input=SAID)
        assert told["errors"][0]["extensions"]["code"] == "FORBIDDEN", "a cookie is worth no more than its key"
        out = await browser.post("/api/sign-out")
        assert "max-age=0" in out.headers["set-cookie"].lower()
        assert (await browser.get("/api/snapshot")).status_code == 401


async def test_caller_over_the_rate_is_told_how_long_to_wait(service: OpenService, tenant: str) -> None:
    fast, slow = await service.key(tenant), await service.key(tenant, requests_per_s=0.5)
    async with service.client(slow.text) as client, service.client(fast.text) as other:
        first = await client.get("/api/snapshot")
        refused = await client.get("/api/snapshot")
        assert first.status_code == 200
        assert code(refused) == (429, "RATE_LIMITED")
        assert 1 <= int(refused.headers["retry-after"]) <= 2
        assert (await other.get("/api/snapshot")).status_code == 200
    hello = await service.greeted(tenant, slow.text)
    assert (hello["code"], hello["retry_s"] > 0) == ("TRY_LATER", True)


async def test_guessing_keys_is_slowed_down(server: Server, tenant: str, tmp_path: Path) -> None:
    async with open_service(server, tmp_path) as service:
        new = await service.key(tenant)
        async with service.client(f"mnk_{new.key.id}_wrong") as client:
            codes = {(await client.get("/api/snapshot")).status_code for _ in range(60)}
    assert codes == {401, 429}


async def test_writes_and_administration_are_audited_without_message_texts(service: OpenService, tenant: str) -> None:
    writer, admin = await service.key(tenant, Role.WRITE), await service.key(tenant)
    before = len(service.audit_entries())
    thing = "0b2d7b5e-6a53-5b8c-9f39-3f0f5c9a1c11"
    forget = "mutation($id: String!) { forgetFact(id: $id) { facts } }"
    async with service.client(writer.text) as client:
        await ask(client, REMEMBER, input=SAID)
        await ask(client, forget, id=thing)
        await ask(client, 'mutation { forgetUser(userId: "ana") { facts } }')
        await ask(client, '{ recall(userId: "ana", query: "tea") { searchPath } }')
    async with service.client(admin.text) as client:
        await ask(client, "{ deadLetters { nodes { id } } }")
    deeds = service.audit_entries()[before:]
    assert [(deed["who"], deed["tenant"], deed["what"], deed["outcome"]) for deed in deeds] == [
        (f"key:{writer.key.id}", tenant, ["remember"], "done"),
        (f"key:{writer.key.id}", tenant, ["forgetFact"], "NOT_FOUND"),
        (f"key:{writer.key.id}", tenant, ["forgetUser"], "FORBIDDEN"),
        (f"key:{admin.key.id}", tenant, ["deadLetters"], "done"),
    ]
    assert [deed["targets"] for deed in deeds] == [[], [thing], [], []]
    text = (service.folder / "audit.jsonl").read_text("utf-8")
    assert not {word for word in ("jasmine", "ana", "s1", writer.text, writer.key.hash) if f'"{word}' in text}
    assert (service.folder / "audit.jsonl").stat().st_mode & 0o077 == 0


async def test_authentication_costs_no_round_trip_and_under_a_millisecond(service: OpenService, tenant: str) -> None:
    """Measures the authenticator alone; the limit is one millisecond per request."""
    from starlette.requests import HTTPConnection

    auth = service.app.state.auth
    new = await service.key(tenant, requests_per_s=100_000)
    headers = [(b"authorization", f"Bearer {new.text}".encode()), (b"host", b"127.0.0.1:1")]
    connection = HTTPConnection({"type": "http", "headers": headers, "client": ("127.0.0.1", 1)})
    sent: list[str] = []
    service.parts.graph.observer = lambda statement: sent.append(statement.name)
    try:
        began = asyncio.get_running_loop().time()
        for _ in range(1_000):
            auth.check_rate(await auth.authenticate(connection))
        took_s = asyncio.get_running_loop().time() - began
    finally:
        service.parts.graph.observer = None
    print(f"the authenticator: {took_s * 1_000:.1f} us a request")
    assert took_s / 1_000 < 0.001
    assert "auth/list_keys" not in sent
