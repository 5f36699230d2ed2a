"""Test that the name of a merged entity finds the facts of the entity that represents it."""

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.integration.memory.entity_resolution.test_merges import an_id, merge, say
from tests.support.builders import a_memory

SAID = [
    ("Bob", "RELATES_TO", "Acme", "works at"),
    ("Bobby", "PREFERS", "tea", None),
    ("小红", "PREFERS", "茶", None),
    ("阿红", "RELATES_TO", "上海", "住在"),
]


async def facts_of(graph: Graph, tenant: str, text: str) -> set[tuple[str | None, str | None]]:
    """Return subject and object of the facts found by names in a question."""
    question = Question(user_id="alice", text=text, kinds=(HitKind.FACT,), limit=20)
    answer = await a_memory(graph).recall(TenantId(tenant), question)
    return {(hit.candidate.subject, hit.candidate.object) for hit in answer.hits if hit.parts["entity_match"] > 0}


@pytest.mark.parametrize(
    ("keep", "gone", "question", "found"),
    [
        ("Bob", "Bobby", "What about Bobby?", {("Bob", "Acme"), ("Bob", "tea")}),
        ("小红", "阿红", "阿红怎么样？", {("小红", "茶"), ("小红", "上海")}),
    ],
)
async def test_name_of_a_merged_entity_finds_its_representative(
    graph: Graph, tenant: str, keep: str, gone: str, question: str, found: set[tuple[str, str]]
) -> None:
    memory = a_memory(graph)
    await say(graph, tenant, *SAID, session="s1")
    apart = await facts_of(graph, tenant, question)
    assert len(apart) == 1
    await merge(memory, tenant, keep, gone)
    assert await facts_of(graph, tenant, question) == found
    assert await facts_of(graph, f"{tenant}-other", question) == set()
    await memory.merges.split(TenantId(tenant), an_id(tenant, gone))
    assert await facts_of(graph, tenant, question) == apart


async def test_scenes_that_mention_a_merged_entity_are_found_by_either_name(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, *SAID[:1], session="s1")
    await say(graph, tenant, *SAID[1:2], session="s2")
    await merge(a_memory(graph), tenant, "Bob", "Bobby")
    found = []
    for name in ("Bob", "Bobby"):
        question = Question(user_id="alice", text=f"{name}?", kinds=(HitKind.SCENE,), limit=20)
        answer = await a_memory(graph).recall(TenantId(tenant), question)
        found.append({hit.candidate.id for hit in answer.hits if hit.parts["entity_match"] > 0})
    assert len(found[0]) == 2
    assert found[0] == found[1]
