"""Removes the background work that a test leaves behind: each worker takes the work of all tenants."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

# Jobs and unfinished sessions of the test's tenant, and of others named after it.
_END_WORK = "MATCH (n:Job|SessionLife) WHERE n.tenant STARTS WITH $tenant DETACH DELETE n"


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def no_work_left(request: pytest.FixtureRequest) -> AsyncIterator[None]:
    """Without this the next test that drains a worker or closes idle sessions does the work of all tests before it."""
    ours = {"graph", "tenant"} <= set(request.fixturenames)
    graph, tenant = (request.getfixturevalue("graph"), request.getfixturevalue("tenant")) if ours else (None, "")
    yield
    if graph is not None:
        async with graph._driver.session() as session:
            await (await session.run(_END_WORK, tenant=tenant)).consume()
