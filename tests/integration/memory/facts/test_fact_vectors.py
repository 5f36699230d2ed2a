"""Test vectors of facts: search, storage, removal."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors, stored_embedder
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.integration.memory.entity_resolution.test_merges import merge, say
from tests.support.builders import NOON, a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords
from tests.support.neo4j_server import start_test_server

_FACTS = """
MATCH ({tenant: $tenant})-[r]->() WHERE r.statement <> ''
RETURN r.statement AS statement, r.embedding IS NOT NULL AS embedded, r.unembedded_in IS NOT NULL AS waits
ORDER BY statement
"""
_HELD = "MATCH (h:MemberFact {tenant: $tenant}) RETURN h.embedding IS NOT NULL AS embedded"


class Paraphrases(HashedWords):
    """An embedder that knows a few synonyms in two languages, as a model does, and records its inputs."""

    _SAME: ClassVar = {"tipple": "jasmine tea", "beverage": "jasmine tea", "饮料": "茉莉花茶", "喝什么": "茉莉花茶"}

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str], *, asked: bool = False) -> list[list[float]]:
        self.given += texts
        return await super().embed([self._meant(text) for text in texts])

    def _meant(self, text: str) -> str:
        for word, same in self._SAME.items():
            text = text.replace(word, same)
        return text


async def rows_of(graph: Graph, tenant: str, query: str = _FACTS) -> list[dict[str, Any]]:
    async with graph._driver.session() as session:
        return await (await session.run(query, tenant=tenant)).data()


async def facts_found(graph: Graph, tenant: str, text: str, *, user: str = "alice", **more: Any) -> list[str]:
    """Return the facts that recall returns for a question that shares no word with them."""
    question = Question(user_id=user, text=text, kinds=(HitKind.FACT,), **more)
    return [
        hit.candidate.text
        for hit in (await a_memory(graph, embedder=Paraphrases()).recall(TenantId(tenant), question)).hits
    ]


TEA = ProvidedFact(
    subject="Bob", predicate="PREFERS", object="jasmine tea", statement="Bob prefers jasmine tea.", message_indexes=(0,)
)
CHESS = ProvidedFact(
    subject="Bob", predicate="CARES_ABOUT", object="chess", statement="Bob cares about chess.", message_indexes=(0,)
)
茶 = ProvidedFact(
    subject="小红", predicate="PREFERS", object="茉莉花茶", statement="小红喜欢茉莉花茶", message_indexes=(0,)
)
棋 = ProvidedFact(
    subject="小红", predicate="CARES_ABOUT", object="下棋", statement="小红关心下棋", message_indexes=(0,)
)


async def store_facts(
    graph: Graph, tenant: str, *facts: ProvidedFact, session: str = "s1", user: str = "alice"
) -> Paraphrases:
    """Store facts of one message, read and embed them; return the embedder's inputs."""
    embedder = Paraphrases()
    # The number keeps messages apart that recall would show as one that was sent again.
    said = an_incoming(f"So it is, 确实如此。 {session[1:]}", session=session, facts=facts, user=user)
    await a_memory(graph, embedder=embedder).remember(TenantId(tenant), said)
    await a_worker(graph, embedder=embedder).drain()
    return embedder


@pytest.mark.parametrize(
    ("facts", "question"),
    [((CHESS, TEA), "Which beverage?"), ((棋, 茶), "喝什么？")],
)
async def test_fact_is_found_by_meaning_without_a_common_word(
    graph: Graph, tenant: str, facts: tuple[ProvidedFact, ...], question: str
) -> None:
    await store_facts(graph, tenant, *facts)
    assert (await facts_found(graph, tenant, question))[0] == facts[1].statement
    answer = await a_memory(graph, embedder=Paraphrases()).recall(
        TenantId(tenant), Question(user_id="alice", text=question, kinds=(HitKind.FACT,))
    )
    assert answer.search_path == ("vector",)
    assert answer.hits[0].score == pytest.approx(sum(answer.hits[0].parts.values()), abs=1e-5)


@pytest.mark.parametrize(
    ("near", "far", "question"), [(TEA, CHESS, "Which beverage?"), (茶, 棋, "喝什么？")], ids=["en", "zh"]
)
async def test_fact_found_by_meaning_ranks_its_evidence_message_first(
    graph: Graph, tenant: str, near: ProvidedFact, far: ProvidedFact, question: str
) -> None:
    """No message matches the question itself, and by position the last one would come first."""
    await store_facts(graph, tenant, near)
    await store_facts(graph, tenant, far, session="s2")
    await store_facts(graph, tenant, session="s3")
    answer = await a_memory(graph, embedder=Paraphrases()).recall(
        TenantId(tenant), Question(user_id="alice", text=question, kinds=(HitKind.MESSAGE,), evidence=1)
    )
    assert {hit.candidate.kind for hit in answer.hits} == {HitKind.MESSAGE}
    assert [hit.candidate.uri.split("/")[5] for hit in answer.hits] == ["s1", "s3", "s2"]
    assert [hit.parts["fact_similarity"] for hit in answer.hits] == sorted(
        (hit.parts["fact_similarity"] for hit in answer.hits), reverse=True
    )


async def test_facts_of_another_tenant_or_user_are_not_found_by_meaning(graph: Graph, tenant: str) -> None:
    await store_facts(graph, f"{tenant}-other", TEA)
    await store_facts(graph, tenant, TEA, user="bob")
    assert await facts_found(graph, tenant, "Which beverage?") == []
    assert await facts_found(graph, tenant, "Which beverage?", user="bob") == [TEA.statement]


async def test_ended_fact_is_found_by_meaning_only_as_of_then(graph: Graph, tenant: str) -> None:
    over = ProvidedFact(
        subject="Bob",
        predicate="PREFERS",
        object="jasmine tea",
        statement="Bob prefers jasmine tea.",
        valid_at=NOON.replace(year=2020),
        invalid_at=NOON.replace(year=2022),
    )
    await store_facts(graph, tenant, over)
    assert await facts_found(graph, tenant, "Which beverage?") == []
    assert await facts_found(graph, tenant, "Which beverage?", valid_at=NOON.replace(year=2021)) == [TEA.statement]
    assert await facts_found(graph, tenant, "Which beverage?", valid_at=NOON.replace(year=2019)) == []


async def test_repeated_fact_keeps_its_vector_and_a_changed_statement_gets_a_new_one(graph: Graph, tenant: str) -> None:
    assert TEA.statement in (await store_facts(graph, tenant, TEA)).given
    again = await store_facts(graph, tenant, TEA, session="s2")
    assert TEA.statement not in again.given
    assert await rows_of(graph, tenant) == [{"statement": TEA.statement, "embedded": True, "waits": False}]


async def test_facts_keep_vectors_through_merge_and_split_and_held_facts_have_none(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await say(graph, tenant, ("Bob", "PREFERS", "tea", None), ("Bobby", "DISLIKES", "rain", None), session="s1")
    said = await merge(memory, tenant, "Bob", "Bobby")
    await a_worker(graph).drain()
    assert [(row["embedded"], row["waits"]) for row in await rows_of(graph, tenant)] == [(True, False)] * 2
    assert [row["embedded"] for row in await rows_of(graph, tenant, _HELD)]
    assert not any(row["embedded"] for row in await rows_of(graph, tenant, _HELD))
    # Stated again of a merged entity: the edge is written anew with the same statement.
    await say(graph, tenant, ("Bobby", "DISLIKES", "rain", None), session="s2")
    assert [(row["embedded"], row["waits"]) for row in await rows_of(graph, tenant)] == [(True, False)] * 2
    await memory.merges.split(TenantId(tenant), said)
    assert {(row["embedded"], row["waits"]) for row in await rows_of(graph, tenant)} == {(False, True)}
    await a_worker(graph).drain()
    assert [(row["embedded"], row["waits"]) for row in await rows_of(graph, tenant)] == [(True, False)] * 2
    assert await rows_of(graph, tenant, _HELD) == []


@pytest_asyncio.fixture(loop_scope="session")
async def own_graph(tmp_path: Path) -> AsyncIterator[Graph]:
    """Start an empty database for this test."""
    server = await start_test_server(tmp_path)
    connected = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    yield connected
    await connected.close()
    await server.stop()


@pytest.mark.slow
async def test_database_without_fact_vectors_gets_them_and_keeps_all_others(own_graph: Graph) -> None:
    graph, model = (
        own_graph,
        {"model": HashedWords.name, "dim": HashedWords.dim, "token_model": HashedWords.token_model},
    )
    assert not await prepare_vectors(graph, **model)
    await store_facts(graph, "t", TEA, 茶)
    async with graph._driver.session() as session:
        # As a version without this index leaves it.
        await session.run("DROP INDEX fact_vector")
        await session.run("MATCH ()-[r:PREFERS]->() REMOVE r.embedding")
        await session.run("MATCH (m:Migration {name: 'embedder'}) SET m.indexes = m.indexes[..3]")
    assert await prepare_vectors(graph, **model)
    assert not await prepare_vectors(graph, **model)
    assert {(row["embedded"], row["waits"]) for row in await rows_of(graph, "t")} == {(False, True)}
    embedder = Paraphrases()
    await a_worker(graph, embedder=embedder).drain()
    assert sorted(embedder.given) == sorted([TEA.statement, 茶.statement])
    assert (await facts_found(graph, "t", "Which beverage?"))[0] == TEA.statement
    # With another embedder everything is embedded again.
    assert await prepare_vectors(graph, model="other", dim=HashedWords.dim)
    assert {(row["embedded"], row["waits"]) for row in await rows_of(graph, "t")} == {(False, True)}
    stored = await stored_embedder(graph)
    assert stored is not None
    assert "fact_vector" in stored.indexes
