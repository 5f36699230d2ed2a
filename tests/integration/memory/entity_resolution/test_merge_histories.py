"""Test that after any history of facts, merges and splits the graph depends only on the facts and remaining merges."""

import random
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from graph_service.graph.store import Graph
from schema.errors import ConflictError
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.integration.memory.entity_resolution.test_merges import an_id
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming
from tests.support.graph_hash import graph_rows
from tests.support.slow import slow_but

NAMES = ("Bob", "Bobby", "Rob", "小明", "阿明")
THINGS = ("tea", "Oslo", "罗马", *NAMES)
RELATIONS = (
    ("PREFERS", None),
    ("DISLIKES", None),
    ("RELATES_TO", "lives in"),
    ("RELATES_TO", "brother"),
    ("CAUSED_BY", None),
)
STEPS = 8
# Session states depend on the clock.
_OF_SESSIONS = ("node ['Session']", "node ['SessionLifecycle']", "node ['Usage']")


@dataclass
class History:
    """A history of operations, and the merges that remain according to the model, oldest first."""

    said: list[tuple[ProvidedFact, str, int]] = field(default_factory=list)
    into: dict[str, str] = field(default_factory=dict)

    def root(self, name: str) -> str:
        return self.root(self.into[name]) if name in self.into else name


def a_fact(chance: random.Random) -> ProvidedFact:
    predicate, relation = chance.choice(RELATIONS)
    subject = chance.choice((*NAMES, "user"))
    obj = chance.choice([thing for thing in THINGS if thing != subject])
    began = NOON - timedelta(days=chance.randint(1, 9))
    ended = began + timedelta(days=chance.randint(0, 4)) if chance.random() < 0.25 else None
    return ProvidedFact(
        subject=subject,
        predicate=predicate,
        object=obj,
        relation=relation,
        statement=f"{subject} {relation or predicate} {obj} since {began:%d}",
        valid_at=began,
        invalid_at=ended,
        strength=chance.choice((0.5, 0.7, 0.9)),
    )


async def say(graph: Graph, tenant: str, fact: ProvidedFact, session: str, number: int) -> None:
    message = a_message(f"number {number}", minute=number)
    call = an_incoming(messages=(message,), session=session, facts=(fact,))
    await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()


async def merge(graph: Graph, tenant: str, keep: str, gone: str) -> None:
    await a_memory(graph).merges.merge(TenantId(tenant), an_id(tenant, keep), an_id(tenant, gone), "said so")


async def run_history(graph: Graph, tenant: str, chance: random.Random) -> History:
    """Run a random history; the model predicts the result of each operation."""
    history = History()
    for number in range(len(NAMES)):
        # All are stored at the start, so that any two can be merged.
        fact = ProvidedFact(subject=NAMES[number], predicate="RELATES_TO", object="tea", statement="knows tea")
        history.said.append((fact, "s0", number))
        await say(graph, tenant, *history.said[-1])
    for number in range(len(NAMES), len(NAMES) + STEPS):
        act = chance.random()
        keep, gone = chance.sample(NAMES, 2)
        if act < 0.4:
            history.said.append((a_fact(chance), f"s{chance.randint(0, 2)}", number))
            await say(graph, tenant, *history.said[-1])
        elif act < 0.75 and history.root(keep) != history.root(gone):
            await merge(graph, tenant, keep, gone)
            history.into[history.root(gone)] = history.root(keep)
        elif act < 0.75:
            with pytest.raises(ConflictError):
                await merge(graph, tenant, keep, gone)
        elif gone in history.into:
            await a_memory(graph).merges.split(TenantId(tenant), an_id(tenant, gone))
            del history.into[gone]
    return history


async def rows(graph: Graph, tenant: str) -> list[str]:
    found = await graph_rows(graph, tenant)
    return [row for row in found if not row.startswith(_OF_SESSIONS)]


async def wipe(graph: Graph, tenant: str) -> None:
    async with graph._driver.session() as session:
        await (await session.run("MATCH (n {tenant: $tenant}) DETACH DELETE n", tenant=tenant)).consume()


@pytest.mark.parametrize("seed", slow_but([0], range(3)))
async def test_any_history_equals_its_facts_and_remaining_merges(graph: Graph, tenant: str, seed: int) -> None:
    history = await run_history(graph, tenant, random.Random(seed))
    lived = await rows(graph, tenant)
    for name in list(history.into):
        await a_memory(graph).merges.split(TenantId(tenant), an_id(tenant, name))
    parted = await rows(graph, tenant)
    await wipe(graph, tenant)
    for fact, session, number in history.said:
        await say(graph, tenant, fact, session, number)
    assert parted == await rows(graph, tenant)
    for gone, keep in history.into.items():
        await merge(graph, tenant, keep, gone)
    assert lived == await rows(graph, tenant)
