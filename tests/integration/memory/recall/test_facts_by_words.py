"""Test that facts are found by stems of English words, and a valid one despite many former ones."""

from datetime import timedelta

import pytest

from extraction.embeddings.embedder import Embedder
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
from schema.message import ProvidedFact
from tests.support.builders import NOON, a_message, a_worker, an_incoming, no_spool
from tests.support.embedders import HashedWords

DAY = timedelta(days=1)


def _memory(graph: Graph, embedder: Embedder | None = None, *, day: int = 100) -> Memory:
    return Memory(
        graph=graph,
        embedder=embedder,
        worker=a_worker(graph),
        clock=lambda: NOON + day * DAY,
        notify=lambda _tenant: None,
        spool=no_spool(),
    )


async def _facts_for(graph: Graph, tenant: str, text: str, embedder: Embedder | None = None) -> list[str]:
    question = Question(user_id="alice", text=text, kinds=(HitKind.FACT,))
    answer = await _memory(graph, embedder).recall(TenantId(tenant), question)
    return [hit.candidate.text for hit in answer.hits]


async def test_question_in_another_form_of_the_verb_finds_the_fact_without_vectors(graph: Graph, tenant: str) -> None:
    for day, text in enumerate(("I live in Porto with two cats.", "I moved to Lisbon.")):
        said = a_message(text, time=NOON + day * DAY)
        incoming = an_incoming(messages=(said,), user_name="Ana", session=f"s{day}")
        await _memory(graph, day=day).remember(TenantId(tenant), incoming)
        await a_worker(graph).drain()
    assert (await _facts_for(graph, tenant, "Where do I live?"))[:1] == ["Ana lives in Lisbon."]
    assert (await _facts_for(graph, tenant, "Where was she living in Lisbon?"))[:1] == ["Ana lives in Lisbon."]


@pytest.mark.parametrize("embedder", [None, HashedWords()], ids=["words", "vectors"])
async def test_valid_fact_is_found_beside_forty_former_ones(
    graph: Graph, tenant: str, embedder: Embedder | None
) -> None:
    last = 40
    for first in range(0, last + 1, 10):
        days = range(first, min(first + 10, last + 1))
        facts = tuple(
            ProvidedFact(
                subject="user",
                predicate="RELATES_TO",
                relation="room number",
                object=f"room {day}",
                # The last is the longest, so that former ones have more words of the question per length.
                statement="The room number of Ana at the conference hotel by the sea is room 40."
                if day == last
                else f"Ana's room number is room {day}.",
                valid_at=NOON + day * DAY,
                invalid_at=None if day == last else NOON + (day + 1) * DAY,
                message_indexes=(place,),
            )
            for place, day in enumerate(days)
        )
        messages = tuple(a_message(f"Another room, {day}.", time=NOON + day * DAY) for day in days)
        incoming = an_incoming(messages=messages, facts=facts, session=f"s{first}")
        await _memory(graph, embedder, day=days[-1]).remember(TenantId(tenant), incoming)
        await a_worker(graph, embedder=embedder).drain()
    found = await _facts_for(graph, tenant, "What is Ana's room number?", embedder)
    assert "The room number of Ana at the conference hotel by the sea is room 40." in found
