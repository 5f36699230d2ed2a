"""Test that "my sister" resolves to the one named sister in any order of messages, and to nobody while ambiguous."""

import random
from itertools import permutations

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from schema.errors import ConflictError, NotFoundError
from schema.ids import TenantId
from tests.integration.memory.entity_resolution.test_merges import an_id, edges, merge
from tests.support.builders import a_memory, a_message, a_worker, an_incoming
from tests.support.graph_hash import graph_rows
from tests.support.slow import slow_but

SISTER = ("My sister Anna lives in Oslo.", "My sister loves jazz.", "Anna hates rain.")
JIE = ("我姐姐叫小红。", "我姐姐喜欢爵士乐。", "小红住在上海。")


async def store_each(graph: Graph, tenant: str, *texts: str, first: int = 0, session: str = "s1", **more: str) -> None:
    """Store one call per text, a minute apart, reading each before the next."""
    for number, text in enumerate(texts, start=first):
        message = a_message(text, minute=number, **more)
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(message,), session=session))
        await a_worker(graph).drain()


async def entities(graph: Graph, tenant: str) -> set[str]:
    return {one.name for one in await a_memory(graph).entities.listed(TenantId(tenant), "alice")}


@pytest.mark.parametrize(
    ("texts", "name", "thing"), [(SISTER, "Anna", "jazz"), (JIE, "小红", "爵士乐")], ids=["en", "zh"]
)
async def test_facts_of_a_role_are_shown_with_the_named_relative(
    graph: Graph, tenant: str, texts: tuple[str, ...], name: str, thing: str
) -> None:
    await store_each(graph, tenant, *texts)
    assert (name, "PREFERS", thing) in await edges(graph, tenant)
    assert not entities_called(await entities(graph, tenant))


def entities_called(names: set[str]) -> set[str]:
    return names & {"sister", "my sister", "姐姐", "姐"}


@pytest.mark.parametrize("texts", slow_but([(JIE,)], [(SISTER,), (JIE,)]), ids=["en", "zh"])
async def test_order_and_batching_of_messages_do_not_matter(graph: Graph, tenant: str, texts: tuple[str, ...]) -> None:
    found = set()
    for number, order in enumerate([*permutations(range(3)), None]):
        name = f"{tenant}-{number}"
        messages = [a_message(text, minute=minute) for minute, text in enumerate(texts)]
        for call in [messages] if order is None else [[messages[place]] for place in order]:
            await a_memory(graph).remember(TenantId(name), an_incoming(messages=tuple(call)))
            await a_worker(graph).drain()
        found.add(tuple(await edges(graph, name)))
    assert len(found) == 1


async def test_second_sister_undoes_the_merge(graph: Graph, tenant: str) -> None:
    await store_each(graph, tenant, *SISTER)
    await store_each(graph, tenant, "My sister Beth paints.", first=5)
    drawn = await edges(graph, tenant)
    assert ("sister", "PREFERS", "jazz") in drawn
    assert ("Anna", "PREFERS", "jazz") not in drawn
    never = f"{tenant}-never"
    await store_each(graph, never, "My sister Beth paints.", first=5)
    await store_each(graph, never, *SISTER)
    assert await edges(graph, never) == drawn


async def test_session_that_repeats_a_sister_and_names_a_second_undoes_the_merge(graph: Graph, tenant: str) -> None:
    # The edge of "Anna is my sister" is rewritten, deleted and restored in one transaction.
    first = [a_message(text, minute=number) for number, text in enumerate(SISTER)]
    second = [a_message(text, minute=9 + n) for n, text in enumerate(("Anna is my sister.", "My sister Beth paints."))]
    for session, messages in (("s1", first), ("s2", second)):
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=tuple(messages), session=session))
        await a_worker(graph).drain()
    drawn = await edges(graph, tenant)
    assert ("sister", "PREFERS", "jazz") in drawn
    assert ("Anna", "PREFERS", "jazz") not in drawn


OF_RELATIVES = (
    *("Anna is my sister.", "My sister lives in Graz.", "My sister Beth paints.", "Anna hates rain."),
    *("My sister Anna lives in Oslo.", "My sister moved to Wien.", "Anna is my cousin.", "My cousin loves jazz."),
    *("I have no sister.", "Beth is my cousin.", "Anna is not my sister.", "My brother Carl likes Anna."),
)


@pytest.mark.parametrize("seed", slow_but(range(3), range(30)))
async def test_no_order_of_sessions_about_relatives_stops_their_reading(
    graph: Graph, tenant: str, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    chance = random.Random(seed)
    for number in range(5):
        texts = chance.sample(OF_RELATIVES, chance.randint(1, 4))
        said = tuple(a_message(text, minute=10 * number + minute) for minute, text in enumerate(texts))
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=said, session=f"s{number}"))
        await a_worker(graph).drain()
    assert not [record for record in caplog.records if "job failed" in record.message]


@pytest.mark.parametrize(
    "naming",
    ["My friend Anna lives in Oslo.", "My ex-wife Anna lives in Oslo."],
)
async def test_unclear_naming_resolves_to_nobody(graph: Graph, tenant: str, naming: str) -> None:
    await store_each(graph, tenant, naming, "My sister loves jazz.", "My wife loves tea.")
    drawn = await edges(graph, tenant)
    assert ("sister", "PREFERS", "jazz") in drawn
    assert ("wife", "PREFERS", "tea") in drawn


async def test_younger_sister_is_not_resolved_to_a_sister(graph: Graph, tenant: str) -> None:
    await store_each(
        graph, tenant, "My sister Anna lives in Oslo.", "My younger sister loves jazz.", "My sister hates rain."
    )
    drawn = await edges(graph, tenant)
    assert ("younger sister", "PREFERS", "jazz") in drawn
    assert ("sister", "DISLIKES", "rain") in drawn, "there are two"


async def test_sister_of_somebody_else_is_not_resolved(graph: Graph, tenant: str) -> None:
    await a_memory(graph).remember(
        TenantId(tenant), an_incoming("My sister Anna lives in Oslo.", session="s0", user_name="Alice")
    )
    await store_each(graph, tenant, "My sister loves jazz.", first=5, speaker="Carol")
    drawn = await edges(graph, tenant)
    assert ("Anna", "PREFERS", "jazz") not in drawn


async def test_recall_by_role_works_and_a_manual_split_is_kept(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_each(graph, tenant, *SISTER)
    question = Question(user_id="alice", text="What does my sister love?", kinds=(HitKind.FACT,))
    answer = await memory.recall(here, question)
    assert {(hit.candidate.subject, hit.candidate.object) for hit in answer.hits if hit.parts["entity_match"] > 0} >= {
        ("Anna", "jazz")
    }
    await memory.merges.split(here, an_id(tenant, "sister"))
    await store_each(graph, tenant, "My sister Anna paints.", "My sister loves tea.", first=7)
    assert {("sister", "PREFERS", "tea"), ("sister", "PREFERS", "jazz")} <= set(await edges(graph, tenant))


async def test_rejected_kinship_merge_is_split_and_stays_split(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_each(graph, tenant, *JIE)
    pair = an_id(tenant, "小红"), an_id(tenant, "姐姐")
    await memory.merges.reject(here, *pair, "还有一个姐姐")
    await store_each(graph, tenant, "我姐姐小红喜欢茶。", first=7)
    assert {"小红", "姐姐"} <= await entities(graph, tenant)
    await memory.merges.reject(here, *pair, "还有一个姐姐")
    await merge(memory, tenant, "小红", "姐姐")
    with pytest.raises(ConflictError):
        await memory.merges.reject(here, *pair, "too late")
    with pytest.raises(NotFoundError):
        await memory.merges.reject(TenantId(f"{tenant}-other"), *pair, "not ours")


async def test_merging_both_candidates_resolves_the_role_until_split(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_each(graph, tenant, "My sister Anna paints.", "My sister Annie lives in Oslo.", "My sister loves jazz.")
    before = await graph_rows(graph, tenant)
    assert "sister" in await entities(graph, tenant)
    made = await merge(memory, tenant, "Anna", "Annie")
    assert ("Anna", "PREFERS", "jazz") in await edges(graph, tenant)
    await memory.merges.split(here, made)
    assert await graph_rows(graph, tenant) == before


async def test_roles_do_not_cross_tenants(graph: Graph, tenant: str) -> None:
    other = f"{tenant}-other"
    await store_each(graph, other, SISTER[1])
    before = await graph_rows(graph, other)
    await store_each(graph, tenant, SISTER[0])
    assert await graph_rows(graph, other) == before
    assert "sister" in await entities(graph, other)
