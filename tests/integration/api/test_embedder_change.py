"""Test that stored vectors are deleted only by a service that was told to change the embedder, and alone."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase

from graph_service.graph.schema_setup import StoredEmbedder, fit_embedder, prepare_vectors, stored_embedder
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import Question
from schema.errors import ConflictError
from schema.ids import TenantId
from tests.conftest import TEST_DIM, TEST_MODEL, TEST_TOKEN_MODEL, Server
from tests.integration.api.test_start_without_database import RECALL, a_service, ask
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.cli_process import Home
from tests.support.fake_openai import FakeOpenAI
from tests.support.polling import eventually

STORED = StoredEmbedder(TEST_MODEL, TEST_DIM, TEST_TOKEN_MODEL)
OTHER = StoredEmbedder("some-model", 8, None)


@pytest.fixture(scope="module")
def other() -> Iterator[dict[str, str]]:
    """Return the settings of another embedder, whose vectors have another size."""
    with FakeOpenAI(dim=OTHER.dim) as fake:
        yield {
            "MNEMOSCENE_EMBEDDING_KIND": "openai",
            "MNEMOSCENE_EMBEDDING_MODEL": OTHER.model,
            "MNEMOSCENE_EMBEDDING_BASE_URL": fake.base_url,
            "MNEMOSCENE_EMBEDDING_API_KEY": "x",
        }


@pytest_asyncio.fixture(loop_scope="session")
async def told(graph: Graph, tenant: str) -> AsyncIterator[Graph]:
    """Store an embedded message, and restore the embedder at the end."""
    await a_memory(graph).remember(TenantId(tenant), an_incoming("Ben likes jasmine tea.", user="ana"))
    await a_worker(graph).drain()
    assert await sizes(graph, tenant) == [TEST_DIM]
    yield graph
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)


async def sizes(graph: Graph, tenant: str) -> list[int | None]:
    """Return the sizes of the vectors of a tenant's messages."""
    async with graph._driver.session() as session:
        found = await session.run("MATCH (m:Message {tenant: $t}) RETURN size(m.embedding) AS n", t=tenant)
        return [row["n"] async for row in found]


async def test_a_command_with_another_embedder_changes_nothing_and_says_so(
    told: Graph, server: Server, tenant: str, tmp_path: Path, other: dict[str, str]
) -> None:
    more = {**server.environ, **other, "MNEMOSCENE_EMBEDDING_CHANGE_EMBEDDER": "true", "MNEMOSCENE_TENANT": tenant}
    done = await asyncio.to_thread(Home(tmp_path, more).run_process, "profile", "--user", "ana")
    assert done.code == 0
    assert f"searching by words only: the stored vectors are of {TEST_MODEL}" in done.err
    assert (await stored_embedder(told), await sizes(told, tenant)) == (STORED, [TEST_DIM])


async def test_a_service_with_another_embedder_searches_by_words_until_it_is_told_to_change(
    told: Graph, server: Server, tenant: str, tmp_path: Path, other: dict[str, str]
) -> None:
    port = urlsplit(server.uri).port
    assert port is not None
    async with a_service(server, tmp_path, port, tenant, **other) as (services, client):
        await services.database.wait()
        ready = (await client.get("/ready")).json()
        assert ready["degraded"]
        assert f"of {TEST_MODEL} (64 numbers), not of the configured some-model (8)" in ready["embedder_problem"]
        found = (await ask(client, RECALL))["recall"]
        assert [hit["text"] for hit in found["hits"]] == ["Ben likes jasmine tea."]
        assert "stored vectors are of" in found["notes"][0]
        assert await services.work_left(TenantId(tenant)) == 0
    assert (await stored_embedder(told), await sizes(told, tenant)) == (STORED, [TEST_DIM])
    change = {**other, "MNEMOSCENE_EMBEDDING_CHANGE_EMBEDDER": "true"}
    async with a_service(server, tmp_path, port, tenant, **change) as (services, client):
        await services.database.wait()
        assert await stored_embedder(told) == OTHER

        async def changed() -> bool:
            return await sizes(told, tenant) == [OTHER.dim]

        await eventually(changed)
        assert (await client.get("/ready")).json()["embedder_problem"] is None
        # A process that has not noticed yet gets an answer by words too.
        found = await a_memory(told).recall(TenantId(tenant), Question(user_id="ana", text="Who likes jasmine tea?"))
        assert [hit.candidate.text for hit in found.hits] == ["Ben likes jasmine tea."]
        assert "another embedder" in " ".join(found.notes)


async def test_the_embedder_is_not_changed_while_another_process_uses_the_database(
    told: Graph, server: Server, tenant: str
) -> None:
    agent = "mnemoscene/1 of another process"
    async with AsyncGraphDatabase.driver(server.uri, auth=(server.user, server.password), user_agent=agent) as driver:
        await driver.verify_connectivity()
        with pytest.raises(ConflictError, match="stop those services and commands first"):
            await fit_embedder(told, OTHER, service=True, change=True)
    assert (await stored_embedder(told), await sizes(told, tenant)) == (STORED, [TEST_DIM])


async def test_an_interrupted_change_is_completed_by_the_next_service_and_used_by_nobody_before(
    told: Graph, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stop(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patched:
        patched.setattr("graph_service.graph.schema_setup._define_indexes", stop)
        with pytest.raises(ConnectionError):
            await fit_embedder(told, OTHER, service=True, change=True)
    assert await fit_embedder(told, OTHER, service=False, change=False) is not None
    assert await fit_embedder(told, OTHER, service=True, change=False) is None
    assert await fit_embedder(told, OTHER, service=False, change=False) is None
    assert await sizes(told, tenant) == [None]
