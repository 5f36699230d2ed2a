"""Test the layers of a day and a month of a user: made of their scenes, isolated, and forgotten with them."""

from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.service import Memory
from graph_service.memory.summaries.service import Level
from schema.errors import InputError, InvalidUriError, NotFoundError
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, delete_open_jobs

SECRET = "The code of the vault is heliotrope."


@pytest_asyncio.fixture(autouse=True)
async def no_pending_jobs(graph: Graph) -> None:
    await delete_open_jobs(graph)


async def tell(memory: Memory, tenant: str, text: str, time: datetime, *, user: str = "ana", **more: Any) -> Any:
    said = IncomingMessage(role="user", text=text, time=time, **more)
    request = RememberRequest(user_id=user, session_id=f"s-{time:%m-%d-%H}", messages=(said,))
    receipt = await memory.remember(TenantId(tenant), request)
    await a_worker(memory._graph).drain()
    return receipt


def of(tenant: str, period: str, user: str = "ana") -> str:
    return f"memory://{tenant}/user/{user}/timeline/{period}"


async def text_of(memory: Memory, tenant: str, period: str, level: Level = Level.L1) -> str:
    return (await memory.layers.layer(TenantId(tenant), of(tenant, period), level)).text


async def test_month_and_day_have_the_scenes_that_began_in_them(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await tell(memory, tenant, "I moved to Lisbon.", datetime(2026, 5, 3, 9, tzinfo=UTC))
    await tell(memory, tenant, "我在学钢琴。", datetime(2026, 5, 20, 9, tzinfo=UTC))
    # May 31 in Shanghai is still May 30 in UTC; 01:00 of June 1 there is May 31 in UTC.
    await tell(memory, tenant, "I baked bread.", datetime(2026, 5, 30, 20, tzinfo=UTC), zone="Asia/Shanghai")
    await tell(memory, tenant, "I saw a heron.", datetime(2026, 5, 31, 17, tzinfo=UTC), zone="Asia/Shanghai")
    month = await memory.layers.layer(TenantId(tenant), of(tenant, "2026-05#L1"))
    assert [word in month.text for word in ("Lisbon", "钢琴", "bread", "heron")] == [True, True, True, False]
    assert (month.uri, month.start) == (of(tenant, "2026-05#L1"), datetime(2026, 5, 3, 9, tzinfo=UTC))
    assert 0 < (await memory.layers.layer(TenantId(tenant), of(tenant, "2026-05#L0"))).tokens <= 100
    assert "bread" in await text_of(memory, tenant, "2026-05-31", Level.L0)
    assert "heron" in await text_of(memory, tenant, "2026-06-01")
    await tell(memory, tenant, "I met Bo in Porto.", datetime(2026, 5, 3, 15, tzinfo=UTC))
    day = await text_of(memory, tenant, "2026-05-03")
    assert ("Lisbon" in day, "Porto" in day, "钢琴" in day) == (True, True, False)


@pytest.mark.parametrize("what", ["message", "session", "user"])
async def test_forgotten_words_are_in_no_period(graph: Graph, tenant: str, what: str) -> None:
    memory = a_memory(graph)
    await tell(memory, tenant, "I moved to Lisbon.", datetime(2026, 5, 3, 9, tzinfo=UTC))
    secret = await tell(memory, tenant, SECRET, datetime(2026, 5, 3, 15, tzinfo=UTC))
    assert "heliotrope" in await text_of(memory, tenant, "2026-05-03")
    if what == "message":
        await memory.forgetting.message(TenantId(tenant), secret.message_ids[0])
    elif what == "session":
        await memory.forgetting.session(TenantId(tenant), "ana", "s-05-03-15")
    else:
        await memory.forgetting.user(TenantId(tenant), "ana")
    await a_worker(graph).drain()
    if what == "user":
        with pytest.raises(NotFoundError):
            await text_of(memory, tenant, "2026-05-03")
    else:
        text = await text_of(memory, tenant, "2026-05-03")
        assert ("Lisbon" in text, "heliotrope" in text) == (True, False)


async def test_period_of_another_tenant_or_user_is_not_found(graph: Graph, tenant: str) -> None:
    memory, other = a_memory(graph), f"{tenant}-2"
    for one in (tenant, other):
        await tell(memory, one, SECRET if one == tenant else "I like tea.", datetime(2026, 5, 3, 9, tzinfo=UTC))
    assert "heliotrope" in await text_of(memory, tenant, "2026-05")
    assert "heliotrope" not in await text_of(memory, other, "2026-05")
    for caller, uri in ((other, of(tenant, "2026-05")), (tenant, of(tenant, "2026-05", "bo"))):
        with pytest.raises(NotFoundError):
            await memory.layers.layer(TenantId(caller), uri)


async def test_impossible_periods_are_refused(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await tell(memory, tenant, "I like tea.", datetime(2026, 2, 28, 9, tzinfo=UTC))
    for period, error in (
        *(("2026-02-30", NotFoundError), ("0000-01", NotFoundError), ("9999-12-31", NotFoundError)),
        *(("2026-13", InvalidUriError), ("2026-02#L2", InputError)),
    ):
        with pytest.raises(error):
            await memory.layers.layer(TenantId(tenant), of(tenant, period))
