"""Test modes, scopes, filters and pages of recall, each in one round trip."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import RememberRequest
from graph_service.memory.recall.pipeline import recall
from graph_service.memory.recall.query import HitKind, Mode, QueryFilters, Question
from graph_service.memory.service import Memory
from schema.errors import InputError
from schema.ids import TenantId
from schema.labels import Role
from tests.support.builders import NOON, a_memory, a_message, a_worker

LINES = {
    "en": ("Jasmine tea is my favourite tea.", "The bicycle needs a new chain.", "I drink jasmine tea every morning."),
    "zh": ("茉莉花茶是我最喜欢的茶。", "自行车需要换新链条。", "我每天早上喝茉莉花茶。"),
}
TEA = {"en": "jasmine tea", "zh": "茉莉花茶"}


async def store_conversation(
    graph: Graph,
    tenant: str,
    lines: Sequence[str],
    *,
    session: str = "s1",
    user: str = "alice",
    agent: str | None = None,
) -> Memory:
    """Store a conversation in which user and assistant take turns, and read it."""
    roles = ("user", "assistant")
    messages = tuple(a_message(text, minute=at, role=roles[at % 2]) for at, text in enumerate(lines))
    memory = a_memory(graph)
    incoming = RememberRequest(user_id="alice", session_id=session, messages=messages, agent_id=agent)
    await memory.remember(TenantId(tenant), incoming)
    await a_worker(graph).drain()
    return memory


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("mode", list(Mode))
async def test_each_mode_finds_the_tea_and_only_layers_need_a_second_round_trip(
    graph: Graph, tenant: str, lang: str, mode: Mode
) -> None:
    memory = await store_conversation(graph, tenant, LINES[lang])
    seen: list[Statement] = []
    graph.observer = seen.append
    try:
        question = Question(user_id="alice", text=TEA[lang], mode=mode, kinds=(HitKind.MESSAGE,))
        answer = await memory.recall(TenantId(tenant), question)
    finally:
        graph.observer = None
    layers = ["recall/layer_scores"] if mode is Mode.LAYERED else []
    assert [one.name for one in seen] == ["recall/recall", *layers]
    assert answer.hits[0].candidate.text in (LINES[lang][0], LINES[lang][2])
    assert all(abs(sum(hit.parts.values()) - hit.score) < 1e-6 for hit in answer.hits)


async def test_layered_mode_reports_its_path_and_what_it_left_out(graph: Graph, tenant: str) -> None:
    memory = await store_conversation(graph, tenant, LINES["en"])
    question = Question(user_id="alice", text="jasmine tea", mode=Mode.LAYERED)
    answer = await memory.recall(TenantId(tenant), question)
    assert answer.search_path[0] == "layers ≥ 0.60"
    last = answer.search_path[-1]
    if last.startswith("layers"):
        assert {"abstract", "overview", "detail"} == set(answer.hits[0].parts)
    assert any(one.reason == f"not found by {last}" for one in answer.removed)
    nothing = Question(user_id="alice", text="xylophone", mode=Mode.LAYERED)
    assert (await memory.recall(TenantId(tenant), nothing)).search_path[-1] == "words"


async def test_layered_mode_without_an_embedder_uses_names_and_words(graph: Graph, tenant: str) -> None:
    await store_conversation(graph, tenant, LINES["en"])
    question = Question(user_id="alice", text="bicycle chain", mode=Mode.LAYERED, kinds=(HitKind.MESSAGE,))
    answer = await recall(graph, None, TenantId(tenant), question, now=NOON)
    assert answer.search_path[0] == "metadata"
    assert [hit.candidate.text for hit in answer.hits] == [LINES["en"][1]]
    assert any("no embedder" in note for note in answer.notes)


async def test_words_are_found_before_anything_is_embedded(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    messages = tuple(a_message(text, minute=at) for at, text in enumerate(LINES["zh"]))
    await memory.remember(TenantId(tenant), RememberRequest(user_id="alice", session_id="s1", messages=messages))
    for mode in Mode:
        question = Question(user_id="alice", text="自行车链条", mode=mode)
        answer = await memory.recall(TenantId(tenant), question)
        assert (answer.hits[0].candidate.text, answer.hits[0].candidate.pending) == (LINES["zh"][1], True)


async def test_empty_memory_returns_no_hits_in_every_mode(graph: Graph, tenant: str) -> None:
    for mode in Mode:
        answer = await a_memory(graph).recall(TenantId(tenant), Question(user_id="alice", text="tea", mode=mode))
        assert (answer.hits, answer.next_cursor, answer.degraded) == ((), None, False)


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_session_and_agent_filters_apply_to_messages_scenes_and_facts(
    graph: Graph, tenant: str, lang: str
) -> None:
    await store_conversation(graph, tenant, LINES[lang][:1], session="s1", agent="cook")
    memory = await store_conversation(graph, tenant, LINES[lang][2:], session="s2", agent="coach")
    for filters in (QueryFilters(session_id="s2"), QueryFilters(agent_id="coach")):
        question = Question(user_id="alice", text=TEA[lang], filters=filters, evidence=5)
        answer = await memory.recall(TenantId(tenant), question)
        assert {hit.candidate.text for hit in answer.hits if hit.candidate.kind is HitKind.MESSAGE} == {LINES[lang][2]}
        assert {"s1" in hit.candidate.uri.split("/") for hit in answer.hits} == {False}
        scenes = await memory.recall(TenantId(tenant), replace(question, kinds=(HitKind.SCENE,)))
        assert [hit.candidate.uri.split("/")[-3] for hit in scenes.hits] == ["s2"]
    nowhere = Question(user_id="alice", text=TEA[lang], filters=QueryFilters(session_id="s3"))
    assert (await memory.recall(TenantId(tenant), nowhere)).hits == ()


async def test_session_filter_searches_its_whole_session_in_a_large_memory(graph: Graph, tenant: str) -> None:
    """The unfiltered index search would return only elements of other sessions."""
    await store_conversation(graph, tenant, [f"Jasmine tea number {number}." for number in range(60)], session="large")
    memory = await store_conversation(graph, tenant, ["A cup of something warm."], session="small")
    question = Question(user_id="alice", text="jasmine tea", kinds=(HitKind.MESSAGE,))
    in_small = Question(
        user_id="alice", text="jasmine tea", kinds=(HitKind.MESSAGE,), filters=QueryFilters(session_id="small")
    )
    assert "A cup of something warm." not in [
        hit.candidate.text for hit in (await memory.recall(TenantId(tenant), question)).hits
    ]
    found = await memory.recall(TenantId(tenant), in_small)
    assert [hit.candidate.text for hit in found.hits] == ["A cup of something warm."]


async def test_role_and_entity_filters_restrict_the_hits(graph: Graph, tenant: str) -> None:
    memory = await store_conversation(
        graph, tenant, ("My sister Anna loves jasmine tea.", "Anna loves tea!", "I bought tea.")
    )
    spoken = Question(
        user_id="alice", text="tea", kinds=(HitKind.MESSAGE,), filters=QueryFilters(roles=(Role.ASSISTANT,))
    )
    assert [hit.candidate.role for hit in (await memory.recall(TenantId(tenant), spoken)).hits] == ["assistant"]
    about = Question(user_id="alice", text="tea", kinds=(HitKind.MESSAGE,), filters=QueryFilters(entities=("ANNA",)))
    texts = [hit.candidate.text for hit in (await memory.recall(TenantId(tenant), about)).hits]
    assert "My sister Anna loves jasmine tea." in texts
    assert "I bought tea." not in texts
    nobody = Question(user_id="alice", text="tea", filters=QueryFilters(entities=("Zoe",)))
    assert (await memory.recall(TenantId(tenant), nobody)).hits == ()


async def test_filters_by_elements_of_another_tenant_return_nothing(graph: Graph, tenant: str) -> None:
    memory = await store_conversation(graph, tenant, ("My sister Anna loves jasmine tea.",), session="s1", agent="cook")
    for filters in (QueryFilters(session_id="s1"), QueryFilters(agent_id="cook"), QueryFilters(entities=("Anna",))):
        question = Question(user_id="alice", text="tea", filters=filters)
        assert (await memory.recall(TenantId(tenant), question)).hits != ()
        assert (await memory.recall(TenantId(f"{tenant}-other"), question)).hits == ()
        other = Question(user_id="bob", text="tea", filters=filters)
        assert (await memory.recall(TenantId(tenant), other)).hits == ()


async def test_pages_over_graphql_return_each_hit_once_and_refuse_foreign_cursors(graph: Graph, tenant: str) -> None:
    memory = await store_conversation(graph, tenant, [f"Cup of tea number {number}." for number in range(12)])
    whole = await memory.recall(TenantId(tenant), Question(user_id="alice", text="tea", limit=100))
    query = (
        'query ($after: String, $q: String!) { recall(userId: "alice", query: $q, limit: 5, after: $after) '
        "{ hits { id } nextCursor removed { reason count } } }"
    )
    context = {"memory": memory, "tenant": TenantId(tenant)}
    ids: list[str] = []
    after: str | None = None
    while True:
        done = await graphql_schema.execute(query, variable_values={"after": after, "q": "tea"}, context_value=context)
        assert done.errors is None
        assert done.data is not None
        ids += [hit["id"] for hit in done.data["recall"]["hits"]]
        last, after = after, done.data["recall"]["nextCursor"]
        if after is None:
            break
    assert len(set(ids)) == len(ids)
    assert set(ids) == {hit.candidate.id for hit in whole.hits}
    refused = await graphql_schema.execute(query, variable_values={"after": last, "q": "milk"}, context_value=context)
    assert refused.errors is not None
    assert "another question" in refused.errors[0].message


async def test_cursor_of_another_tenant_is_refused(graph: Graph, tenant: str) -> None:
    memory = await store_conversation(graph, tenant, [f"Cup of tea number {number}." for number in range(6)])
    first = await memory.recall(TenantId(tenant), Question(user_id="alice", text="tea", limit=2))
    assert first.next_cursor is not None
    question = Question(user_id="alice", text="tea", limit=2, filters=QueryFilters(after=first.next_cursor))
    assert len((await memory.recall(TenantId(tenant), question)).hits) == 2
    with pytest.raises(InputError, match="another question"):
        await memory.recall(TenantId(f"{tenant}-other"), question)


async def test_minimum_score_drops_and_counts_the_rest(graph: Graph, tenant: str) -> None:
    memory = await store_conversation(graph, tenant, LINES["en"])
    everything = await memory.recall(TenantId(tenant), Question(user_id="alice", text="jasmine tea", limit=100))
    middle = everything.hits[len(everything.hits) // 2].score
    question = Question(user_id="alice", text="jasmine tea", limit=100, filters=QueryFilters(score_min=middle))
    answer = await memory.recall(TenantId(tenant), question)
    high = [hit.candidate.id for hit in everything.hits if hit.score >= middle]
    assert [hit.candidate.id for hit in answer.hits] == high
    assert sum(one.count for one in answer.removed) == len(everything.hits) - len(answer.hits)
