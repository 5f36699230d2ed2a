"""Test that a correction changes the same facts whether or not the corrected message was read before, on Neo4j."""

from datetime import timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.integration.memory.facts.test_conflict_resolution import changed_because, edges
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming


async def tell(graph: Graph, tenant: str, *texts: str, minute: int = 0, **more: Any) -> None:
    """Store messages in one call, one a minute, and read them."""
    messages = tuple(a_message(text, minute=minute + at) for at, text in enumerate(texts))
    await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=messages, **more))
    await a_worker(graph).drain()


async def stored(graph: Graph, tenant: str) -> dict[str, tuple[Any, ...]]:
    """Return what is stored of each fact that does not depend on the calls, by object."""
    names = ("statement", "valid_at", "invalid_at", "first_seen", "strength", "confidence", "closing_reason")
    return {name: tuple(edge.get(key) for key in names) for name, edge in (await edges(graph, tenant)).items()}


@pytest.mark.parametrize(
    ("texts", "objects"),
    [
        (("I live in Porto.", "sorry, Lisbon"), {"Lisbon"}),
        (("I'm flying to Oslo on June 12.", "sorry, June 14"), {"flying to Oslo"}),
        (("My rent is 2600.", "sorry, 2900"), {"2900"}),
        (("My sister's name is Ana.", "sorry, Anna"), {"Anna"}),
        (("我住在泉州。", "打错了，是厦门"), {"厦门"}),
        (("I live in Porto and I love jasmine tea.", "sorry, Lisbon"), {"Lisbon", "jasmine tea"}),
    ],
)
async def test_reading_one_by_one_stores_what_reading_at_once_does(
    graph: Graph, tenant: str, texts: tuple[str, ...], objects: set[str]
) -> None:
    await tell(graph, tenant, *texts)
    other = f"{tenant}-2"
    for minute, text in enumerate(texts):
        await tell(graph, other, text, minute=minute)
    assert await stored(graph, tenant) == await stored(graph, other)
    assert (await stored(graph, tenant)).keys() == objects


async def test_plan_of_another_day_replaces_the_withdrawn_one(graph: Graph, tenant: str) -> None:
    for minute, text in enumerate(("I'm flying to Oslo on June 12.", "sorry, June 14")):
        await tell(graph, tenant, text, minute=minute)
    (plan,) = (await edges(graph, tenant)).values()
    assert plan["statement"] == "Alice plans: flying to Oslo, on June 14."
    assert plan["valid_at"] == NOON + timedelta(minutes=1)


async def test_withdrawn_fact_leaves_the_map(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "I live in Porto.")
    wrong = (await edges(graph, tenant))["Porto"]["id"]
    await tell(graph, tenant, "sorry, Lisbon", minute=1)
    assert await changed_because(graph, tenant, "the message that it was read from was corrected by a later one") == [
        wrong
    ]


async def test_fact_that_was_told_before_is_ended_and_stays_in_the_history(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "I live in Porto.", session="before")
    await tell(graph, tenant, "I live in Porto.", minute=1440)
    await tell(graph, tenant, "sorry, Lisbon", minute=1441)
    facts = await edges(graph, tenant)
    assert facts["Porto"]["invalid_at"] == NOON + timedelta(minutes=1441)
    assert facts["Lisbon"].get("invalid_at") is None
    assert len(facts["Porto"]["evidence"]) == 1


async def test_fact_that_an_agent_provided_is_ended_and_stays_in_the_history(graph: Graph, tenant: str) -> None:
    home = ProvidedFact(
        subject="user", predicate="RELATES_TO", object="Porto", relation="lives in", statement="Alice lives in Porto."
    )
    await tell(graph, tenant, "I live in Porto.", facts=(home,))
    await tell(graph, tenant, "sorry, Lisbon", minute=1)
    facts = await edges(graph, tenant)
    assert facts["Porto"]["invalid_at"] is not None
    assert facts["Lisbon"].get("invalid_at") is None


async def test_correction_changes_nothing_of_another_user(graph: Graph, tenant: str) -> None:
    for user in ("alice", "bob"):
        await tell(graph, f"{tenant}-{user}", "I live in Porto.", user=user)
    before = await stored(graph, f"{tenant}-bob")
    await tell(graph, f"{tenant}-alice", "sorry, Lisbon", minute=1, user="alice")
    assert await stored(graph, f"{tenant}-bob") == before
