"""Token vectors are stored with a message's vector, made anew by another maker, and go with it. Requirements D2, F8."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest_asyncio

from extraction.embeddings.embedder import embed_question
from extraction.embeddings.late_interaction import max_sims
from graph_service.graph.database import connect
from graph_service.graph.local.local_server import start_local_server
from graph_service.graph.schema_setup import StoredEmbedder, prepare_vectors, stored_embedder
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords

_STORED = """
MATCH (m:Message {tenant: $tenant}) RETURN m.text AS text, m.token_vectors AS tokens,
  m.embedding IS NOT NULL AS embedded, coalesce(m.unembedded, false) AS waits ORDER BY m.text
"""


class OtherTokens(HashedWords):
    """The same vectors, but tokens of another maker."""

    token_model = "other-words/64"


class NoTokens:
    """An endpoint's vectors: nothing of single words."""

    name, dim = HashedWords.name, HashedWords.dim

    async def embed(self, texts: Any) -> list[list[float]]:
        return await HashedWords().embed(texts)


async def stored(graph: Graph, tenant: str) -> list[dict[str, Any]]:
    async with graph._driver.session() as session:
        return await (await session.run(_STORED, tenant=tenant)).data()


async def test_messages_are_stored_with_token_vectors_but_for_chinese_ones(graph: Graph, tenant: str) -> None:
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


async def test_an_embedder_without_token_vectors_stores_messages_all_the_same(graph: Graph, tenant: str) -> None:
    await a_memory(graph, embedder=NoTokens()).remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph, embedder=NoTokens()).drain()
    assert [(row["tokens"], row["embedded"]) for row in await stored(graph, tenant)] == [(None, True)]


async def test_forgotten_messages_leave_no_token_vectors(graph: Graph, tenant: str) -> None:
    """Those of another tenant who said the same stay."""
    memory, other = a_memory(graph), TenantId(f"{tenant}-other")
    await memory.remember(other, an_incoming("I love jasmine tea."))
    receipt = await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    await memory.forgetting.message(TenantId(tenant), receipt.message_ids[0])
    assert await stored(graph, tenant) == []
    assert [row["tokens"] is not None for row in await stored(graph, other)] == [True]


@pytest_asyncio.fixture(loop_scope="session")
async def own_graph(tmp_path: Path) -> AsyncIterator[Graph]:
    """A database of this test alone: another embedder concerns every tenant of it."""
    cache_dir = Path(platformdirs.user_cache_dir("mnemograph"))
    server = await start_local_server(data_dir=tmp_path, cache_dir=cache_dir, start_timeout_s=240)
    connected = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    yield connected
    await connected.close()
    await server.stop()


async def test_messages_embedded_before_get_token_vectors_and_keep_their_vectors_meanwhile(own_graph: Graph) -> None:
    graph, whose = own_graph, TenantId("t")
    model = {"model": HashedWords.name, "dim": HashedWords.dim}
    assert not await prepare_vectors(graph, **model)
    await a_memory(graph, embedder=NoTokens()).remember(whose, an_incoming("I love jasmine tea."))
    await a_worker(graph, embedder=NoTokens()).drain()
    asked = (await embed_question(HashedWords(), "jasmine tea")).tokens
    assert asked is not None
    for embedder, scored in ((HashedWords(), True), (OtherTokens(), False)):
        assert await prepare_vectors(graph, **model, token_model=embedder.token_model)
        assert not await prepare_vectors(graph, **model, token_model=embedder.token_model)
        assert await stored_embedder(graph) == StoredEmbedder(**model, token_model=embedder.token_model)
        (waiting,) = await stored(graph, whose)
        assert (waiting["tokens"], waiting["embedded"], waiting["waits"]) == (None, True, True)
        await a_worker(graph, embedder=embedder).drain()
        (row,) = await stored(graph, whose)
        assert (row["tokens"] is not None, row["waits"]) == (True, False)
        assert (max_sims(asked, [row["tokens"]])[0] is not None) is scored
