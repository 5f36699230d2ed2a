"""Test review against a real memory: what is settled makes it surer, and is not asked again."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.change_log import log
from graph_service.memory.curation import review
from graph_service.memory.curation.review import CardKind, ReviewStack
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.errors import InputError, NotFoundError
from schema.ids import TenantId
from tests.integration.memory.facts.test_conflict_resolution import say
from tests.support.builders import a_memory, a_worker, an_incoming


def a_reviewed_memory(graph: Graph) -> Memory:
    return a_memory(graph)


async def stack_of(memory: Memory, tenant: str, **more: Any) -> ReviewStack:
    return await memory.review.stack(TenantId(tenant), "alice", **{"limit": 12, **more})


async def facts_in_recall(memory: Memory, tenant: str, text: str) -> dict[str, float | None]:
    """Return the facts that recall finds, with their confidence."""
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text=text, kinds=(HitKind.FACT,)))
    return {hit.candidate.id: hit.candidate.confidence for hit in answer.hits}


@pytest.mark.parametrize(
    ("text", "question"),
    [("I love jasmine tea.", "Which tea does Alice love?"), ("我喜欢茉莉花茶。", "她喜欢什么茶？")],
)
async def test_confirmed_card_makes_the_fact_surer_in_recall_and_undo_restores_it(
    graph: Graph, tenant: str, text: str, question: str
) -> None:
    memory = a_reviewed_memory(graph)
    await say(graph, tenant, text, day=0)
    before = await stack_of(memory, tenant)
    (card,) = before.cards
    fact = card.facts[0]
    found = (await facts_in_recall(memory, tenant, question))[fact.id]
    assert found is not None
    assert found < 1.0
    confirmed = await memory.statements.confirm(TenantId(tenant), fact.id)
    assert (await facts_in_recall(memory, tenant, question))[fact.id] == 1.0
    after = await stack_of(memory, tenant)
    assert (after.cards, after.left) == ((), 0)
    assert after.settled_today == before.settled_today + 1
    await memory.statements.undo(TenantId(tenant), confirmed.id)
    await a_worker(graph).drain()
    assert (await facts_in_recall(memory, tenant, question))[fact.id] == pytest.approx(found)
    assert [one.id for one in (await stack_of(memory, tenant)).cards] == [card.id]


async def test_rejected_card_leaves_recall_and_is_not_asked_again(graph: Graph, tenant: str) -> None:
    memory = a_reviewed_memory(graph)
    await say(graph, tenant, "I love jasmine tea.", day=0)
    (card,) = (await stack_of(memory, tenant)).cards
    assert card.facts[0].id in await facts_in_recall(memory, tenant, "Which tea does Alice love?")
    await memory.statements.reject(TenantId(tenant), card.facts[0].id)
    assert card.facts[0].id not in await facts_in_recall(memory, tenant, "Which tea does Alice love?")
    assert (await stack_of(memory, tenant)).cards == ()


async def test_similar_names_are_asked_once_until_rejected_and_again_after_undo(graph: Graph, tenant: str) -> None:
    memory = a_reviewed_memory(graph)
    facts = [_works_at("Nina"), _works_at("Nina Berg")]
    incoming = an_incoming("I know Nina and Nina Berg.", facts=tuple(facts))
    await memory.remember(TenantId(tenant), incoming)
    await a_worker(graph).drain()
    pairs = [one for one in (await stack_of(memory, tenant, limit=50)).cards if one.kind is CardKind.SAME]
    (card,) = pairs
    first, second = card.entities
    rejection = await memory.merges.reject(TenantId(tenant), first.id, second.id, "different")
    assert CardKind.SAME not in [one.kind for one in (await stack_of(memory, tenant, limit=50)).cards]
    await memory.merges.allow(TenantId(tenant), rejection)
    again = [one for one in (await stack_of(memory, tenant, limit=50)).cards if one.kind is CardKind.SAME]
    assert [one.id for one in again] == [card.id]
    with pytest.raises(NotFoundError):
        await memory.merges.allow(TenantId(tenant), rejection)


async def test_open_values_of_one_attribute_are_a_contradiction(graph: Graph, tenant: str) -> None:
    memory = a_reviewed_memory(graph)
    for number, name in enumerate(("Riyaad", "Boris")):
        fact = _works_at(name, relation="fish supplier", statement=f"They buy their fish from {name}.")
        await memory.remember(
            TenantId(tenant), an_incoming(f"Fish comes from {name}.", session=f"s{number}", facts=(fact,))
        )
    await a_worker(graph).drain()
    (card,) = [one for one in (await stack_of(memory, tenant)).cards if one.kind is CardKind.CONTRADICTION]
    assert {fact.object for fact in card.facts} == {"Riyaad", "Boris"}
    assert [one.id for one in await memory.review.contradictions(TenantId(tenant), "alice")] == [card.id]
    assert await memory.review.contradictions(TenantId(tenant), "bob") == []
    await memory.statements.reject(TenantId(tenant), card.facts[1].id)
    assert CardKind.CONTRADICTION not in [one.kind for one in (await stack_of(memory, tenant)).cards]
    assert await memory.review.contradictions(TenantId(tenant), "alice") == []


async def test_contradictions_of_an_unchanged_memory_are_compared_once_for_each_tenant(
    graph: Graph, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "SETTLED_S", 0.0)
    memory, other = a_reviewed_memory(graph), f"{tenant}-other"
    for number, name in enumerate(("Riyaad", "Boris")):
        fact = _works_at(name, relation="fish supplier", statement=f"They buy their fish from {name}.")
        for place in (tenant, other)[: 2 - number]:
            incoming = an_incoming(f"Fish comes from {name}.", session=f"s{number}", facts=(fact,))
            await memory.remember(TenantId(place), incoming)
    await a_worker(graph).drain()
    first = [await memory.review.contradictions(TenantId(tenant), "alice") for _ in range(3)]
    assert len(first[0]) == 1
    with monkeypatch.context() as patched:
        patched.setattr(review, "contradictions", lambda _facts: pytest.fail("nothing has changed"))
        assert await memory.review.contradictions(TenantId(tenant), "alice") == first[0]
    read = list[str]()
    with monkeypatch.context() as patched:
        patched.setattr(graph, "observer", lambda one: read.append(one.name))
        assert (await stack_of(memory, tenant)).cards
    assert "curation/review_facts" not in read, "the stack asks about the same facts"
    for _ in range(3):
        assert await memory.review.contradictions(TenantId(other), "alice") == []
        assert await memory.review.contradictions(TenantId(tenant), "bob") == []
    await memory.statements.confirm(TenantId(tenant), first[0][0].facts[1].id)
    assert await memory.review.contradictions(TenantId(tenant), "alice") == []
    memory.forget_compared(tenant)
    assert await memory.review.contradictions(TenantId(tenant), "alice") == []


async def test_stack_is_bounded_and_refuses_other_limits(graph: Graph, tenant: str) -> None:
    memory = a_reviewed_memory(graph)
    facts = tuple(_works_at(f"Tower {number} of Babel", relation="visited tower") for number in range(9))
    await memory.remember(TenantId(tenant), an_incoming("I saw towers.", facts=facts))
    await a_worker(graph).drain()
    stack = await stack_of(memory, tenant, limit=4)
    assert len(stack.cards) == 4
    assert stack.left > 4
    assert [one.id for one in (await stack_of(memory, tenant, limit=4)).cards] == [one.id for one in stack.cards]
    for limit in (0, 51):
        with pytest.raises(InputError):
            await stack_of(memory, tenant, limit=limit)


def _works_at(name: str, *, relation: str = "knows", statement: str | None = None) -> Any:
    from graph_service.memory.ingest.validation import provided_fact

    return provided_fact(
        {
            "subject": "user",
            "predicate": "RELATES_TO",
            "relation": relation,
            "object": name,
            "statement": statement or f"Alice {relation} {name}.",
            "confidence": 0.8,
            "strength": 0.7,
        }
    )
