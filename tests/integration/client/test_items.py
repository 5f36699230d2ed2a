"""Test the items of the Python client against a running service."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio

from mnemoscene import AsyncMemory, BadInput, Conflict
from tests.conftest import Server
from tests.support.open_service import OpenService, open_service


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(
    server: Server, graph: object, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path_factory.mktemp("items"), {"MNEMOSCENE_AUTH_REQUESTS_PER_S": "0"}) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="session")
async def memory(service: OpenService, tenant: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(service.http, user_id="ana", tenant=tenant) as made:
        yield made


async def test_item_is_stored_replaced_and_deleted(memory: AsyncMemory) -> None:
    first = await memory.items.put("notes", "tea", {"text": "green", "none": None})
    second = await memory.items.put(["notes"], "tea", ["black"], if_version=1)
    assert (first.version, second.version, second.created_at) == (1, 2, first.created_at)
    found = await memory.items.get("notes", "tea")
    assert found is not None
    assert (found.namespace, found.key, found.value) == (["notes"], "tea", ["black"])
    for version in (0, 1):
        with pytest.raises(Conflict):
            await memory.items.put("notes", "tea", {}, if_version=version)
    await memory.items.delete("notes", "tea", if_version=2)
    assert await memory.items.get("notes", "tea") is None


async def test_items_are_searched_with_filters_and_listed_by_namespace(memory: AsyncMemory) -> None:
    for number in range(5):
        await memory.items.put(["notes", "drinks"], str(number), {"text": f"tea {number}", "n": number})
    await memory.items.put(["notes", "food"], "5", {"text": "bread"}, index=[])
    assert [one.key for one in await memory.items.search("notes", limit=2)] == ["5", "4"]
    found = await memory.items.search(["notes"], "tea", where={"n": {"gte": 3}})
    assert {one.key for one in found} == {"3", "4"}
    assert all(one.score is not None for one in found)
    assert await memory.items.search(query="bread") == []
    assert await memory.items.namespaces("notes") == [["notes", "drinks"], ["notes", "food"]]
    assert await memory.items.namespaces(suffix="food", max_depth=1) == [["notes"]]
    with pytest.raises(BadInput, match="near"):
        await memory.items.search(where={"n": {"near": 3}})


async def test_item_expires_and_is_of_its_owner_alone(service: OpenService, memory: AsyncMemory, tenant: str) -> None:
    kept = await memory.items.put("notes", "k", 1, ttl=timedelta(hours=1))
    assert kept.expires_at is not None
    assert abs(kept.expires_at - kept.updated_at - timedelta(hours=1)) < timedelta(milliseconds=1)
    async with AsyncMemory(service.http, user_id="bob", tenant=tenant) as other:
        assert await other.items.get("notes", "k") is None
    async with AsyncMemory(service.http, user_id=None, agent_id="ana", tenant=tenant) as agent:
        assert await agent.items.get("notes", "k") is None
