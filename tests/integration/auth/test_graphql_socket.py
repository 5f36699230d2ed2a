"""Test subscriptions: who may subscribe, from which origin, and until when."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from websockets.exceptions import InvalidStatus

from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.auth.graphql_socket import answer, event, graphql_socket, subscribed
from tests.support.builders import an_incoming
from tests.support.open_service import OpenService, open_service


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path_factory.mktemp("following")) as running:
        yield running
        await running.forget_keys()


async def written(service: OpenService, tenant: str, text: str, *, user: str = "alice") -> None:
    await service.parts.memory.remember(TenantId(tenant), an_incoming(text, user=user, session=f"{user}-{len(text)}"))


async def test_changes_arrive_as_they_are_committed_and_resume_after_a_pause(service: OpenService) -> None:
    tenant = f"follow{uuid4().hex[:8]}"
    key = (await service.key(tenant)).text
    await written(service, tenant, "I love jasmine tea.")
    async with graphql_socket(service, key) as socket:
        await subscribed(socket, userId="alice")
        first = await event(socket)
        assert (first["reset"], first["changes"]) == (False, [])
        await written(service, tenant, "I like opera very much.", user="bob")
        await written(service, tenant, "I live in Paris.")
        async with asyncio.timeout(20):
            told = await event(socket)
            while "Paris" not in str(told["changes"]):
                assert {change["userId"] for change in told["changes"]} == {"alice"}
                told = await event(socket)
    async with graphql_socket(service, key) as socket:
        await subscribed(socket, since=first["seq"], epoch=first["epoch"])
        assert await event(socket) == {**first, "seq": first["seq"]}
        again = await event(socket)
        assert again["changes"][0]["seq"] == first["seq"] + 1
        assert {change["userId"] for change in again["changes"]} == {"alice", "bob"}
    async with graphql_socket(service, key) as socket:
        await subscribed(socket, since=first["seq"], epoch="another")
        assert (await event(socket))["reset"] is True


async def test_socket_requires_a_key_and_this_origin_and_accepts_subscriptions_only(service: OpenService) -> None:
    tenant = f"follow{uuid4().hex[:8]}"
    key = (await service.key(tenant)).text
    for credential, headers in (
        (None, {}),
        ("mg_wrong", {}),
        (key, {"Origin": "http://evil.example"}),
        (key, {"Mnemoscene-Tenant": "somebody-else"}),
    ):
        with pytest.raises(InvalidStatus):
            async with graphql_socket(service, credential, **headers):
                pass
    async with graphql_socket(service, key) as socket:
        await subscribed(socket, "{ jobStatus { waiting } }")
        told = await answer(socket)
        assert (told["type"], told["payload"][0]["extensions"]["code"]) == ("error", "BAD_INPUT")


async def test_revoking_a_key_closes_its_socket(service: OpenService) -> None:
    new = await service.key(f"follow{uuid4().hex[:8]}")
    await service.key(None)
    async with graphql_socket(service, new.text) as socket:
        await subscribed(socket)
        await event(socket)
        await service.parts.keyring.revoke(new.key.id)
        async with asyncio.timeout(20):
            told = await answer(socket)
        assert "UNAUTHORIZED" in str(told)


async def test_revoking_a_key_closes_its_idle_socket(service: OpenService) -> None:
    new = await service.key(f"follow{uuid4().hex[:8]}")
    await service.key(None)
    async with graphql_socket(service, new.text) as socket:
        await socket.send('{"type": "connection_init"}')
        assert (await answer(socket))["type"] == "connection_ack"
        await service.parts.keyring.revoke(new.key.id)
        async with asyncio.timeout(20):
            await socket.wait_closed()
        assert socket.close_code == 4403
