"""Test facts by valid time and transaction time, and the history of a fact.

On a real Neo4j, in English and Chinese.
"""

import itertools
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.facts.stored import FactWithEnds
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.errors import NotFoundError
from schema.ids import TenantId, scope_token, user_uri
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_memory, a_worker, no_spool
from tests.support.embedders import HashedWords
from tests.support.facts import a_stored_fact
from tests.support.graph_writer import Edge, GraphWriter

DAY = timedelta(days=1)
MOVES = {
    "en": ("I live in Berlin.", "I moved from Berlin to Lisbon.", "Where do I live? Berlin Lisbon", "Berlin", "Lisbon"),
    "zh": ("我住在柏林。", "我从柏林搬到里斯本了。", "我住在哪里？柏林 里斯本", "柏林", "里斯本"),
}


def a_memory_at(graph: Graph, clock: Callable[[], datetime]) -> Memory:
    """Return a memory that receives messages at the time of this clock."""
    return Memory(
        graph=graph,
        embedder=HashedWords(),
        worker=a_worker(graph),
        clock=clock,
        notify=lambda _tenant: None,
        spool=no_spool(),
    )


async def store_facts(graph: Graph, tenant: str, facts: dict[str, FactWithEnds]) -> None:
    """Store facts as edges, each about an entity of its own."""
    home = user_uri(tenant, "ann")
    edges = [
        Edge(
            "ann",
            "PREFERS",
            name,
            statement=f"topic {name}",
            uri=f"{home}/facts/{name}",
            valid_at=fact.fact.valid_at,
            invalid_at=fact.fact.invalid_at,
            known_at=fact.known_at,
            closing_known_at=fact.fact.closing_known_at,
            scope_tenant=scope_token(TenantId(tenant)),
            scope_user=scope_token(TenantId(tenant), "ann"),
        )
        for name, fact in facts.items()
    ]
    nodes = {"ann": "User", **dict.fromkeys(facts, "Entity")}
    await GraphWriter(graph, tenant).put(user="ann", nodes=nodes, edges=edges)


async def store_and_read(graph: Graph, tenant: str, text: str, *, said: datetime, heard: datetime) -> None:
    """Store one message and read it."""
    message = IncomingMessage(role="user", text=text, time=said)
    incoming = RememberRequest(user_id="alice", session_id=f"s-{heard:%d%H}", messages=(message,))
    await a_memory_at(graph, lambda: heard).remember(TenantId(tenant), incoming)
    await a_worker(graph).drain()


async def homes(graph: Graph, tenant: str, text: str, **asked: Any) -> list[str | None]:
    """Return where the user lives, by the facts that recall returns."""
    question = Question(user_id="alice", text=text, kinds=(HitKind.FACT,), **asked)
    answer = await a_memory_at(graph, lambda: NOON + 400 * DAY).recall(TenantId(tenant), question)
    return sorted(hit.candidate.object or "" for hit in answer.hits if hit.candidate.relation == "lives in")


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_move_changes_the_current_home_but_not_the_past_one(graph: Graph, tenant: str, lang: str) -> None:
    first, second, asked, old, new = MOVES[lang]
    await store_and_read(graph, tenant, first, said=NOON, heard=NOON)
    await store_and_read(graph, tenant, second, said=NOON + 10 * DAY, heard=NOON + 10 * DAY)
    assert await homes(graph, tenant, asked) == [new]
    assert await homes(graph, tenant, asked, valid_at=NOON + 5 * DAY) == [old]
    assert await homes(graph, tenant, asked, valid_at=NOON - DAY) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_message_received_later_is_not_known_as_of_before(graph: Graph, tenant: str, lang: str) -> None:
    first, second, asked, old, new = MOVES[lang]
    await store_and_read(graph, tenant, first, said=NOON, heard=NOON)
    # Said on day 10, received on day 20.
    await store_and_read(graph, tenant, second, said=NOON + 10 * DAY, heard=NOON + 20 * DAY)
    assert await homes(graph, tenant, asked, as_of=NOON - DAY) == []
    assert await homes(graph, tenant, asked, as_of=NOON + 15 * DAY) == [old]
    assert await homes(graph, tenant, asked, as_of=NOON + 21 * DAY) == [new]
    assert await homes(graph, tenant, asked, as_of=NOON + 21 * DAY, valid_at=NOON + 5 * DAY) == [old]
    assert await homes(graph, tenant, asked, valid_at=NOON + 15 * DAY) == [new]


async def test_end_that_was_not_known_then_is_not_shown(graph: Graph, tenant: str) -> None:
    await store_and_read(graph, tenant, "I live in Berlin.", said=NOON, heard=NOON)
    await store_and_read(graph, tenant, "I moved to Lisbon.", said=NOON + 10 * DAY, heard=NOON + 20 * DAY)
    memory = a_memory_at(graph, lambda: NOON + 400 * DAY)
    ends = []
    for as_of in (NOON + 5 * DAY, None):
        question = Question(user_id="alice", text="Berlin", kinds=(HitKind.FACT,), valid_at=NOON + 5 * DAY, as_of=as_of)
        hits = (await memory.recall(TenantId(tenant), question)).hits
        ends += [
            hit.candidate.invalid_at
            for hit in hits
            if hit.candidate.object == "Berlin" and hit.candidate.relation == "lives in"
        ]
    assert ends == [None, NOON + 10 * DAY]


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_messages_and_scenes_received_later_are_not_found_as_of_before(
    graph: Graph, tenant: str, lang: str
) -> None:
    first, second, asked, _, new = MOVES[lang]
    await store_and_read(graph, tenant, first, said=NOON, heard=NOON)
    await store_and_read(graph, tenant, second, said=NOON + 10 * DAY, heard=NOON + 20 * DAY)
    memory = a_memory_at(graph, lambda: NOON + 400 * DAY)
    for as_of, known in ((NOON + 15 * DAY, False), (NOON + 25 * DAY, True)):
        for kind in (HitKind.MESSAGE, HitKind.SCENE):
            question = Question(user_id="alice", text=asked, as_of=as_of, evidence=5, kinds=(kind,))
            answer = await memory.recall(TenantId(tenant), question)
            told = [hit.candidate.text + "".join(one.text for one in hit.candidate.evidence) for hit in answer.hits]
            assert any(new in text for text in told) == known
            assert {hit.candidate.kind for hit in answer.hits} == {kind}


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_history_of_a_fact_lists_each_home_and_why_it_ended(graph: Graph, tenant: str, lang: str) -> None:
    first, second, asked, old, new = MOVES[lang]
    await store_and_read(graph, tenant, first, said=NOON, heard=NOON)
    await store_and_read(graph, tenant, second, said=NOON + 10 * DAY, heard=NOON + 20 * DAY)
    memory = a_memory(graph)
    question = Question(user_id="alice", text=asked, kinds=(HitKind.FACT,))
    hits = (await memory.recall(TenantId(tenant), question)).hits
    now = next(hit for hit in hits if hit.candidate.relation == "lives in")
    versions = await memory.facts.history(TenantId(tenant), now.candidate.id)
    assert [one.object for one in versions] == [old, new]
    assert (versions[0].fact.invalid_at, versions[1].fact.invalid_at) == (NOON + 10 * DAY, None)
    assert (versions[0].known_at, versions[0].fact.closing_known_at) == (NOON, NOON + 20 * DAY)
    closing = versions[0].closing
    assert closing is not None
    assert (closing.reason, closing.fact_id, versions[1].closing) == ("replaced", now.candidate.id, None)
    # The same history from its last fact.
    assert await memory.facts.history(TenantId(tenant), versions[0].fact.id) == versions
    with pytest.raises(NotFoundError):
        await memory.facts.history(TenantId(f"{tenant}-other"), now.candidate.id)


async def test_history_includes_a_fact_that_ended_and_began_again(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    for day, closes in ((0, False), (10, True), (20, False)):
        at = NOON + day * DAY
        fact = ProvidedFact(
            subject="user",
            predicate="RELATES_TO",
            object="Acme",
            relation="works at",
            statement="Alice works at Acme." if not closes else "Alice left Acme.",
            invalid_at=at if closes else None,
        )
        message = IncomingMessage(role="user", text=f"Acme, day {day}.", time=at)
        incoming = RememberRequest(user_id="alice", session_id=f"s{day}", messages=(message,), facts=(fact,))
        await memory.remember(TenantId(tenant), incoming)
        await a_worker(graph).drain()
    found = await memory.recall(TenantId(tenant), Question(user_id="alice", text="Acme", kinds=(HitKind.FACT,)))
    versions = await memory.facts.history(TenantId(tenant), found.hits[0].candidate.id)
    assert versions[-1].fact.invalid_at is None
    assert [one.closing.reason for one in versions if one.closing] == ["ended"]


async def test_cypher_and_the_pure_rule_agree_at_every_time(graph: Graph, tenant: str) -> None:
    """Facts on a grid of both time axes, queried at a grid of both time axes."""
    days = (0, 2, 4)
    facts: dict[str, FactWithEnds] = {}
    for number, (start, end, known, closed) in enumerate(itertools.product((0, 2), (None, 2, 4), days, (None, *days))):
        if (end is None and closed is not None) or (end is not None and end < start):
            continue
        at = [None if day is None else NOON + day * DAY for day in (start, end, known, closed)]
        facts[f"topic{number}"] = a_stored_fact(
            valid_at=at[0] or NOON, invalid_at=at[1], known_at=at[2] or NOON, closing_known_at=at[3]
        )
    await store_facts(graph, tenant, facts)
    for valid, known in itertools.product((-1, 0, 1, 2, 3, 4, 5), (None, -1, 0, 1, 2, 3, 4)):
        look = AsOf(valid_at=NOON + valid * DAY, known_at=None if known is None else NOON + known * DAY)
        question = Question(
            user_id="ann", text="topic", kinds=(HitKind.FACT,), limit=100, valid_at=look.valid_at, as_of=look.known_at
        )
        hits = (await a_memory(graph).recall(TenantId(tenant), question)).hits
        assert {hit.candidate.object for hit in hits} == {name for name, fact in facts.items() if fact.holds(look)}
        ends = {hit.candidate.object: hit.candidate.invalid_at for hit in hits}
        assert ends == {name: facts[name].as_known(look.known_at).invalid_at for name in ends if name}
