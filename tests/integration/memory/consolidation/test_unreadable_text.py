"""Test that a text which no reader can read costs neither its session nor a caller anything."""

from dataclasses import replace

import pytest

from extraction.reader import THE_USER, ProposedFact, Quote, Reading, SceneText
from extraction.unreadable import UNREADABLE
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.jobs.outbox import DeadLetters
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.support.builders import a_memory, a_message, a_worker, an_incoming
from tests.support.readers import read_with_tags

COUNTED = (
    "We had a team barbecue on July 22 and 15 players came.",
    "I scheduled submissions starting October 10 to 5 literary agents.",
    "We had 10 episodes released by September 25 and 3,000 total listens.",
    "The movie marathon was on April 6-7 and 8-6 movies were shown.",
    "7月22日到15号楼吃烧烤，8月9日至3号，来了15个人。",
)


async def test_dates_followed_by_numbers_are_read_and_asked_about(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    for text in COUNTED:
        await memory.remember(TenantId(tenant), an_incoming(text))
        await memory.recall(TenantId(tenant), Question(user_id="alice", text=f"When was it? {text}"))
    await memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
    await a_worker(graph).drain()
    assert await DeadLetters(graph).listed(TenantId(tenant)) == []
    assert not UNREADABLE
    answer = await memory.recall(TenantId(tenant), Question(user_id="alice", text="When was the barbecue?"))
    assert "barbecue" in answer.hits[0].candidate.text
    facts = await memory.recall(TenantId(tenant), Question(user_id="alice", text="jasmine tea", kinds=(HitKind.FACT,)))
    assert any("jasmine tea" in hit.candidate.text for hit in facts.hits)


async def failing(scene: SceneText) -> Reading:
    """Read as usual, but fail on one message as a flawed rule would."""
    if any("flaw" in line.text for line in scene.lines):
        raise IndexError(scene.lines[0].text)
    return await read_with_tags(scene)


async def misstating(scene: SceneText) -> Reading:
    """Read as usual, and add a fact to one message that no plan can hold."""
    read = await read_with_tags(scene)
    if not any("flaw" in line.text for line in scene.lines):
        return read
    fact = ProposedFact(
        subject=THE_USER,
        predicate="LIKES",
        object="flaws",
        statement=7,  # type: ignore[arg-type]
        quotes=(Quote(line=0),),
    )
    return replace(read, facts=(fact,))


@pytest.mark.parametrize("reader", [failing, misstating])
async def test_failure_on_one_scene_leaves_it_unread_and_reads_the_others(
    graph: Graph, tenant: str, reader: object
) -> None:
    memory = a_memory(graph)
    messages = (a_message("This is a flaw and no fact."), a_message("I love jasmine tea.", minute=24 * 60))
    await memory.remember(TenantId(tenant), replace(an_incoming(), messages=messages))
    try:
        await a_worker(graph, readers=Readers(first=reader, fallback=reader)).drain()  # type: ignore[arg-type]
        assert UNREADABLE
    finally:
        UNREADABLE.clear()
    assert await DeadLetters(graph).listed(TenantId(tenant)) == []
    found = await memory.recall(TenantId(tenant), Question(user_id="alice", text="jasmine tea", kinds=(HitKind.FACT,)))
    assert found.hits
    flaw = await memory.recall(TenantId(tenant), Question(user_id="alice", text="What is a flaw?"))
    assert any("flaw" in hit.candidate.text for hit in flaw.hits)
