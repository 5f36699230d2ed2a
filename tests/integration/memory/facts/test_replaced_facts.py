"""Test facts that name what they replace, and the answer of `remember` about known facts, on Neo4j."""

from datetime import timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.ingest.episode_writer import Receipt
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.integration.memory.facts.test_conflict_resolution import edges, open_now
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming
from tests.support.graph_hash import graph_hash


async def hand_in(
    graph: Graph,
    tenant: str,
    relation: str,
    obj: str,
    statement: str = "",
    *,
    day: int,
    user: str = "alice",
    **more: Any,
) -> Receipt:
    """Store and digest one message with one fact about the user."""
    told = statement or f"Alice, {relation}: {obj}."
    fact = ProvidedFact(subject="user", predicate="RELATES_TO", object=obj, statement=told, relation=relation, **more)
    message = a_message(f"Note {day}.", time=NOON + timedelta(days=day))
    call = an_incoming(messages=(message,), facts=(fact,), user=user, session=f"day-{day}")
    receipt = await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()
    return receipt


async def test_free_wording_of_an_attribute_closes_the_former_value(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, "home city", "Porto", day=0)
    receipt = await hand_in(graph, tenant, "is based in", "Lisbon", day=9)
    assert await open_now(graph, tenant) == {"Lisbon"}
    assert [one.statement for one in receipt.outcome.closes] == ["Alice, home city: Porto."]
    assert receipt.outcome.conflicts == ()
    porto, lisbon = (await edges(graph, tenant))["Porto"], (await edges(graph, tenant))["Lisbon"]
    assert (porto["closed_by"], porto["closing_reason"]) == (lisbon["id"], "replaced")
    assert porto["attribute"] == lisbon["attribute"] == "residence"


async def test_doubtful_fact_is_reported_and_closed_by_its_id_in_the_next_call(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, "fish supplier", "Moosa", day=0)
    receipt = await hand_in(graph, tenant, "fish supplier", "Riyaad", day=5)
    assert await open_now(graph, tenant) == {"Moosa", "Riyaad"}
    [conflict] = receipt.outcome.conflicts
    assert (conflict.fact_index, conflict.statement) == (0, "Alice, fish supplier: Moosa.")
    again = await hand_in(graph, tenant, "fish supplier", "Riyaad", day=6, replaces=(conflict.id,))
    assert await open_now(graph, tenant) == {"Riyaad"}
    assert [one.id for one in again.outcome.closes] == [conflict.id]
    assert again.outcome.notes == ()


@pytest.mark.parametrize("named", ["Moosa", "Alice is a friend of Moosa.", "friend: Moosa", "moosa"])
async def test_words_name_the_replaced_fact_of_any_relation(graph: Graph, tenant: str, named: str) -> None:
    await hand_in(graph, tenant, "friend", "Moosa", "Alice is a friend of Moosa.", day=0)
    await hand_in(graph, tenant, "friend", "Eve", "Alice is a friend of Eve.", day=1)
    receipt = await hand_in(graph, tenant, "friend", "Riyaad", day=5, replaces=(named,))
    assert await open_now(graph, tenant) == {"Eve", "Riyaad"}
    assert len(receipt.outcome.closes) == 1
    assert receipt.outcome.notes == ()


async def test_object_in_words_never_closes_a_fact_of_another_relation(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, "born in", "Porto", day=0)
    receipt = await hand_in(graph, tenant, "lives in", "Lisbon", day=5, replaces=("Porto",))
    assert await open_now(graph, tenant) == {"Porto", "Lisbon"}
    assert len(receipt.outcome.notes) == 1


async def test_facts_of_another_user_or_tenant_cannot_be_replaced_or_seen(graph: Graph, tenant: str) -> None:
    other = f"{tenant}-other"
    await hand_in(graph, tenant, "fish supplier", "Moosa", day=0, user="bob")
    await hand_in(graph, other, "fish supplier", "Moosa", day=0)
    foreign = [(await edges(graph, name))["Moosa"]["id"] for name in (tenant, other)]
    receipts = [
        await hand_in(graph, tenant, "fish supplier", "Riyaad", day=5 + place, replaces=(name,))
        for place, name in enumerate([*foreign, "00000000-0000-0000-0000-000000000000"])
    ]
    for name in (tenant, other):
        assert (await edges(graph, name))["Moosa"].get("invalid_at") is None
    for receipt in receipts:
        assert (receipt.outcome.closes, receipt.outcome.conflicts) == ((), ())
        assert list(receipt.outcome.notes) == [
            "facts[0].replaces[0] matches no known fact of this subject, or several, so it closes nothing; take an id"
            " from recall or from the conflicts"
        ]


async def test_digesting_again_changes_nothing(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, "friend", "Moosa", day=0)
    await hand_in(graph, tenant, "friend", "Riyaad", day=5, replaces=("Moosa",))
    before = await graph_hash(graph, tenant)
    await hand_in(graph, tenant, "friend", "Riyaad", day=5, replaces=("Moosa",))
    assert await graph_hash(graph, tenant) == before


async def test_too_many_replaced_facts_drop_the_fact_alone(graph: Graph, tenant: str) -> None:
    receipt = await hand_in(graph, tenant, "friend", "Riyaad", day=5, replaces=("x",) * 11)
    assert receipt.stored == 1
    assert "at most 10" in receipt.dropped[0]
    assert await open_now(graph, tenant) == set()


async def test_reopened_fact_stays_open_beside_what_replaced_it(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, "friend", "Moosa", day=0)
    await hand_in(graph, tenant, "friend", "Riyaad", day=5, replaces=("Moosa",))
    old = (await edges(graph, tenant))["Moosa"]
    await a_memory(graph).facts.reopen(TenantId(tenant), old["id"], "still friends")
    assert await open_now(graph, tenant) == {"Moosa", "Riyaad"}
    await hand_in(graph, tenant, "friend", "Riyaad", day=7, replaces=("Moosa",))
    assert await open_now(graph, tenant) == {"Moosa", "Riyaad"}


async def test_forgetting_the_replacing_message_reopens_the_former_fact(graph: Graph, tenant: str) -> None:
    await hand_in(graph, tenant, "friend", "Moosa", day=0)
    receipt = await hand_in(graph, tenant, "friend", "Riyaad", day=5, replaces=("Moosa",))
    await a_memory(graph).forgetting.message(TenantId(tenant), receipt.message_ids[0])
    await a_worker(graph).drain()
    assert await open_now(graph, tenant) == {"Moosa"}
