"""Test repeated, closed, explained and reopened facts on Neo4j."""

import itertools
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.facts.conflict_resolution import claim_content
from graph_service.memory.facts.stored import related_facts
from graph_service.memory.recall.query import HitKind, Question
from schema.assertion import Closing
from schema.errors import ConflictError, InputError, NotFoundError
from schema.fact import Claim
from schema.ids import MemoryId, TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming
from tests.support.graph_hash import graph_hash
from tests.support.slow import slow_but

_EDGES = (
    "MATCH (a {tenant: $tenant})-[r]->(b:Memory) WHERE NOT type(r) IN ['MENTIONED', 'PART_OF', 'IN_SESSION'] "
    "RETURN b.name AS object, r{.*} AS edge, type(r) AS predicate ORDER BY r.valid_at, b.name"
)


async def say(
    graph: Graph,
    tenant: str,
    text: str,
    *,
    day: float,
    session: str | None = None,
    zone: str | None = None,
    readers: Readers | None = None,
) -> None:
    """Store and read one message of Alice."""
    message = a_message(text, time=NOON + timedelta(days=day), zone=zone)
    session = session or f"day-{day}"
    await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(message,), session=session))
    await a_worker(graph, readers=readers).drain()


async def edges(graph: Graph, tenant: str) -> dict[str, dict[str, Any]]:
    """Return the facts of a tenant by object; these tests have one per object."""
    async with graph._driver.session() as session:
        rows = await (await session.run(_EDGES, tenant=tenant)).data()
    return {row["object"]: {**row["edge"], "predicate": row["predicate"]} for row in rows}


async def open_now(graph: Graph, tenant: str) -> set[str]:
    return {name for name, edge in (await edges(graph, tenant)).items() if edge.get("invalid_at") is None}


async def changed_because(graph: Graph, tenant: str, reason: str) -> list[str]:
    """Return the elements that the change log lists with a reason."""
    query = "MATCH (c:Change {tenant: $tenant, reason: $reason}) RETURN c.element_id AS id ORDER BY c.seq"
    async with graph._driver.session() as session:
        return [row["id"] for row in await (await session.run(query, tenant=tenant, reason=reason)).data()]


MOVES = {"I live in Paris.": 0, "I moved to Rome.": 3, "I moved to Oslo.": 5}
MOVES_ZH = {"我住在北京。": 0, "我搬到了上海。": 3, "我搬到了杭州。": 5}


@pytest.mark.parametrize(
    ("order", "moves"),
    slow_but(
        [((2, 0, 1), MOVES), ((1, 2, 0), MOVES_ZH)],
        itertools.product([(0, 1, 2), (2, 0, 1), (1, 2, 0)], [MOVES, MOVES_ZH]),
    ),
)
async def test_moves_stored_in_any_order_give_the_same_homes(
    graph: Graph, tenant: str, moves: dict[str, int], order: tuple[int, ...]
) -> None:
    told = list(moves.items())
    for place in order:
        await say(graph, tenant, told[place][0], day=told[place][1])
    found = sorted((await edges(graph, tenant)).values(), key=lambda edge: edge["valid_at"])
    days = [NOON + timedelta(days=day) for day in moves.values()]
    assert [edge["valid_at"] for edge in found] == days
    assert [edge.get("closing_reason") for edge in found] == ["replaced", "replaced", None]
    assert [edge.get("closed_by") for edge in found] == [found[1]["id"], found[2]["id"], None]


async def test_compatible_facts_stay_open(graph: Graph, tenant: str) -> None:
    for day, text in enumerate(
        [
            "I like tea.",
            "I like coffee.",
            "My sister Anna works at Acme.",
            "My brother Ben works at Beta.",
            "我喜欢猫。",
        ]
    ):
        await say(graph, tenant, text, day=day)
    assert {"tea", "coffee", "Anna", "Ben", "Acme", "Beta", "猫"} <= await open_now(graph, tenant)


async def test_nearly_equal_statements_become_one_fact(graph: Graph, tenant: str) -> None:
    for day, goal in enumerate(["open a small bakery near the old harbour in Lisbon with her cousin"] * 2):
        goal += "s" * day
        fact = ProvidedFact(
            subject="user", predicate="CARES_ABOUT", object=goal, relation="plan", statement=f"Alice plans to {goal}."
        )
        message = a_message(f"My plan, number {day}", time=NOON + timedelta(days=day))
        call = an_incoming(messages=(message,), facts=(fact,), session=f"s{day}")
        await a_memory(graph).remember(TenantId(tenant), call)
        await a_worker(graph).drain()
    [fact] = [edge for edge in (await edges(graph, tenant)).values() if edge["predicate"] == "CARES_ABOUT"]
    assert len(fact["evidence"]) == 2


async def test_closed_fact_names_what_closed_it(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await say(graph, tenant, "I live in Paris. I like jazz. I love coffee.", day=0)
    await say(graph, tenant, "I moved to Oslo. I hate jazz. I don't like coffee anymore.", day=2)
    found = await edges(graph, tenant)
    told = {name: await memory.mindmap.evidence(tenant, found[name]["id"]) for name in ("Paris", "coffee")}
    closing = told["Paris"].closing
    assert closing is not None
    assert (closing.reason, closing.fact_id) == (Closing.REPLACED, found["Oslo"]["id"])
    assert "Oslo" in closing.text
    over = told["coffee"].closing
    assert over is not None
    assert (over.reason, over.message_text) == (
        Closing.ENDED,
        "I moved to Oslo. I hate jazz. I don't like coffee anymore.",
    )
    standing = await memory.facts.status(here, found["Oslo"]["id"])
    assert (standing.closing, standing.fact.invalid_at) == (None, None)


async def test_reopened_fact_stays_open_after_rereading(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    for day, text in enumerate(["I work at Acme.", "I work at Globex.", "I work at Initech."]):
        await say(graph, tenant, text, day=day)
    acme = (await edges(graph, tenant))["Acme"]["id"]
    standing = await memory.facts.reopen(here, acme, "both jobs at once")
    assert (standing.fact.invalid_at, standing.closing) == (None, None)
    reopened = await graph_hash(graph, tenant)
    await say(graph, tenant, "I work at Globex.", day=1)
    assert await graph_hash(graph, tenant) == reopened
    await say(graph, tenant, "I work at Globex.", day=7)
    assert {"Acme", "Initech"} & await open_now(graph, tenant) == {"Acme"}
    await say(graph, tenant, "I work at Umbrella.", day=9)
    assert await open_now(graph, tenant) == {"Umbrella"}
    assert await changed_because(graph, tenant, "reopened: both jobs at once") == [acme]


async def test_fact_ended_by_a_message_can_be_reopened(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "我喜欢咖啡。", day=0)
    await say(graph, tenant, "我不再喜欢咖啡了。", day=1)
    fact = (await edges(graph, tenant))["咖啡"]
    assert fact["closing_reason"] == "ended"
    await a_memory(graph).facts.reopen(TenantId(tenant), fact["id"], "只是说说")
    answer = await a_memory(graph).recall(
        TenantId(tenant), Question(user_id="alice", text="咖啡", kinds=(HitKind.FACT,))
    )
    assert [hit.candidate.invalid_at for hit in answer.hits] == [None]


async def test_only_closed_facts_of_the_tenant_can_be_reopened(graph: Graph, tenant: str) -> None:
    memory, here, other = a_memory(graph), TenantId(tenant), TenantId(f"{tenant}-other")
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    found = await edges(graph, tenant)
    before = await graph_hash(graph, tenant)
    for whose, fact_id, reason, error in [
        (other, found["Paris"]["id"], "a try", NotFoundError),
        (here, found["Oslo"]["id"], "a try", ConflictError),
        (here, found["Paris"]["id"], " ", InputError),
        (here, "nothing", "a try", NotFoundError),
    ]:
        with pytest.raises(error):
            await memory.facts.reopen(whose, fact_id, reason)
    with pytest.raises(NotFoundError):
        await memory.facts.status(other, found["Paris"]["id"])
    assert await graph_hash(graph, tenant) == before


async def test_facts_of_another_tenant_neither_merge_with_nor_close_ours(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, f"{tenant}-other", "I live in Oslo.", day=3)
    assert await open_now(graph, tenant) == {"Paris"}


class _Noting:
    """A transaction that records which facts each read returned."""

    def __init__(self, writing: Writing) -> None:
        self.came: list[str] = []
        self._writing = writing

    async def run(self, statement: Statement, parameters: Mapping[str, Any]) -> list[Row]:
        rows = await self._writing.run(statement, parameters)
        self.came += [row["properties"]["id"] for row in rows]
        return rows


async def test_widening_the_search_reads_no_fact_twice(graph: Graph, tenant: str) -> None:
    """A fact that was stated a thousand times has a thousand assertions."""
    for text, day in MOVES.items():
        await say(graph, tenant, text, day=day)
    homes = await edges(graph, tenant)
    async with graph._driver.session() as session:
        query = "MATCH (a {tenant: $tenant})-[{id: $id}]->(b) RETURN a.id AS a, b.id AS b"
        ends = await (await session.run(query, tenant=tenant, id=homes["Paris"]["id"])).single(strict=True)
    # Its relation is unknown, so the first search finds only facts with the same object.
    claim = Claim(MemoryId(ends["a"]), "RELATES_TO", None, MemoryId(ends["b"]))

    async def steps(writing: Writing) -> list[str]:
        noting = _Noting(writing)
        await related_facts(noting, TenantId(tenant), claim_content(claim, None))  # type: ignore[arg-type]
        return noting.came

    assert sorted(home["id"] for home in homes.values()) == sorted(await graph.write(steps))
