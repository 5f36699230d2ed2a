"""Test keys over MCP: tenant, role and audit log."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from graph_service.auth.access import Role
from graph_service.config.sections import ToolSet
from graph_service.mcp.caller import Caller
from graph_service.mcp.proxy_backend import ProxyBackend
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.mcp_service import Agent
from tests.support.open_service import OpenService, open_service
from tests.support.polling import eventually

SAID = [{"role": "user", "text": "我爱喝乌龙茶。"}]


@contextlib.asynccontextmanager
async def an_agent(service: OpenService, key: str, **headers: str) -> AsyncIterator[Agent]:
    """Connect an agent of Ana with a key."""
    shown = {"Authorization": f"Bearer {key}", **headers}
    async with (
        httpx2.AsyncClient(headers=shown, timeout=60) as http,
        Client(streamable_http_client(f"{service.http}/mcp?user=ana&tools=all", http_client=http)) as client,
    ):
        yield Agent(client)


async def _nothing_spooled(agent: Agent) -> bool:
    return not (await agent.call("status")).get("spooled")


async def test_key_gives_access_to_its_tenant_and_the_tools_of_its_role(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    async with open_service(server, tmp_path) as service:
        writer = (await service.key(tenant, Role.WRITE)).text
        reader = (await service.key(tenant, Role.READ)).text
        admin = (await service.key(tenant, Role.ADMIN)).text
        async with an_agent(service, writer) as agent:
            assert (await agent.call("status"))["tenant"] == tenant
            receipt = await agent.call("remember", messages=SAID)
            assert receipt["stored"] == 1
            if receipt.get("spooled"):
                # The database was slow to answer, and stores the message a moment later.
                await eventually(partial(_nothing_spooled, agent))
            for tool, arguments in (
                ("index_memories", {}),
                ("forget", {"kind": "user", "id": "ana", "confirm": True}),
            ):
                assert (await agent.failure(tool, **arguments))["code"] == "FORBIDDEN"
        async with an_agent(service, reader) as agent:
            answer = await agent.call("recall", query="乌龙茶")
            assert answer["hits"], (receipt, answer)
            for tool, arguments in (("remember", {"messages": SAID}), ("forget", {"kind": "message", "id": "x"})):
                assert (await agent.failure(tool, **arguments))["code"] == "FORBIDDEN"
        async with an_agent(service, admin) as agent:
            assert (await agent.call("index_memories"))["errors"] == 0
        async with an_agent(service, admin, **{"Mnemoscene-Tenant": f"{tenant}-other"}) as agent:
            assert (await agent.failure("status"))["code"] == "FORBIDDEN"
        deeds = [
            (deed["what"], deed["outcome"], deed["tenant"])
            for deed in service.audit_entries()
            if deed["interface"] == "mcp"
        ]
        assert (["remember"], "done", tenant) in deeds
        assert (["index_memories"], "FORBIDDEN", tenant) in deeds
        assert (["recall"], "done", tenant) not in deeds
        assert "乌龙茶" not in str(service.audit_entries())


async def test_request_without_a_key_or_from_another_origin_is_refused(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"Accept": "application/json, text/event-stream"}
    async with open_service(server, tmp_path) as service, httpx2.AsyncClient(headers=accepts) as http:
        url = f"{service.http}/mcp"
        assert (await http.post(url, json=listing)).json()["result"]["tools"]
        evil = await http.post(url, json=listing, headers={"Origin": "http://evil.example"})
        assert (evil.status_code, evil.json()["error"]["code"]) == (403, "FORBIDDEN")
        await service.key(tenant)
        nobody = await http.post(url, json=listing)
        assert (nobody.status_code, nobody.json()["error"]["code"]) == (401, "UNAUTHORIZED")
        key = (await service.key(tenant)).text
        ana = Caller(tenant=TenantId(tenant), user_id="ana", tools=ToolSet.ALL)
        for headers, error in (({}, "UNAVAILABLE"), ({"Authorization": f"Bearer {key}"}, None)):
            relay = ProxyBackend(service.http, headers=headers, caller=ana)
            answer = await relay.call(ana, "status", {})
            await relay.close()
            assert answer.structured_content.get("error", {}).get("code") == error
            assert error is None or "api_key" in answer.content[0].text
