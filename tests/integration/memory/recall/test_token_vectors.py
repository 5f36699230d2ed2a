"""Test token vectors: storage, replacement by another model, removal."""

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from extraction.embeddings.embedder import embed_question
from graph_service.graph.schema_setup import StoredEmbedder, prepare_vectors, stored_embedder
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import TEST_DIM, TEST_MODEL, TEST_TOKEN_MODEL
from tests.support.builders import a_memory, a_worker, an_incoming, delete_open_jobs
from tests.support.embedders import HashedWords
from tests.support.token_similarity import max_sims

_STORED = """
MATCH (m:Message {tenant: $tenant}) RETURN m.text AS text, m.token_vectors AS tokens,
  m.embedding IS NOT NULL AS embedded, coalesce(m.unembedded, false) AS waits ORDER BY m.text
"""


class OtherTokens(HashedWords):
    """The same vectors, with token vectors of another model."""

    token_model = "other-words/64"


class NoTokens:
    """An embedder without token vectors, as an endpoint."""

    name, dim = HashedWords.name, HashedWords.dim

    async def embed(self, texts: Any, *, asked: bool = False) -> list[list[float]]:
        return await HashedWords().embed(texts, asked=asked)


async def stored(graph: Graph, tenant: str) -> list[dict[str, Any]]:
    async with graph._driver.session() as session:
        return await (await session.run(_STORED, tenant=tenant)).data()


async def test_english_messages_are_stored_with_token_vectors(graph: Graph, tenant: str) -> None:
    await a_memory(graph).remember(
        TenantId(tenant), an_incoming("I love jasmine tea.", "We moved to Oslo.", "我住在北京。")
    )
    await a_worker(graph).drain()
    rows = await stored(graph, tenant)
    assert [(row["tokens"] is not None, row["embedded"], row["waits"]) for row in rows] == [
        (True, True, False),
        (True, True, False),
        (False, True, False),
    ]
    asked = (await embed_question(HashedWords(), "Who moved to Oslo?")).tokens
    assert asked is not None
    tea, oslo, beijing = max_sims(asked, [row["tokens"] for row in rows])
    assert tea is not None
    assert oslo is not None
    assert oslo > 0.5 > tea
    assert beijing is None


async def test_messages_are_stored_without_token_vectors_if_the_embedder_has_none(graph: Graph, tenant: str) -> None:
    await a_memory(graph, embedder=NoTokens()).remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph, embedder=NoTokens()).drain()
    assert [(row["tokens"], row["embedded"]) for row in await stored(graph, tenant)] == [(None, True)]


async def test_forgotten_messages_leave_no_token_vectors(graph: Graph, tenant: str) -> None:
    """Token vectors of another tenant with the same messages remain."""
    memory, other = a_memory(graph), TenantId(f"{tenant}-other")
    await memory.remember(other, an_incoming("I love jasmine tea."))
    receipt = await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    await memory.forgetting.message(TenantId(tenant), receipt.message_ids[0])
    assert await stored(graph, tenant) == []
    assert [row["tokens"] is not None for row in await stored(graph, other)] == [True]


@pytest_asyncio.fixture(loop_scope="session")
async def graph_without_token_vectors(graph: Graph) -> AsyncIterator[Graph]:
    """Delete the model of the token vectors, which affects all tenants, and restore it."""
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM)
    await delete_open_jobs(graph)
    yield graph
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)


async def test_messages_embedded_before_get_token_vectors_and_keep_their_vectors(
    graph_without_token_vectors: Graph, tenant: str
) -> None:
    graph, whose = graph_without_token_vectors, TenantId(tenant)
    model = {"model": TEST_MODEL, "dim": TEST_DIM}
    await a_memory(graph, embedder=NoTokens()).remember(whose, an_incoming("I love jasmine tea."))
    await a_worker(graph, embedder=NoTokens()).drain()
    asked = (await embed_question(HashedWords(), "jasmine tea")).tokens
    assert asked is not None
    for embedder, scored in ((HashedWords(), True), (OtherTokens(), False)):
        assert await prepare_vectors(graph, **model, token_model=embedder.token_model)
        assert not await prepare_vectors(graph, **model, token_model=embedder.token_model)
        assert await stored_embedder(graph) == StoredEmbedder(**model, token_model=embedder.token_model)
        await delete_open_jobs(graph, except_tenant=whose)
        (waiting,) = await stored(graph, whose)
        assert (waiting["tokens"], waiting["embedded"], waiting["waits"]) == (None, True, True)
        await a_worker(graph, embedder=embedder).drain()
        (row,) = await stored(graph, whose)
        assert (row["tokens"] is not None, row["waits"]) == (True, False)
        assert (max_sims(asked, [row["tokens"]])[0] is not None) is scored
