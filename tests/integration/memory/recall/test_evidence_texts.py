"""Test evidence texts: total size, and how truncation is marked."""

from dataclasses import replace

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.recall.pipeline import CUT_CHARS, EVIDENCE_CHARS_MAX, whole_of, with_evidence
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.support.builders import a_dead_graph, a_memory, a_message, a_worker, an_incoming

LONG = 90_000


def test_texts_within_the_total_and_short_texts_are_kept_whole() -> None:
    assert whole_of([])[0] == []
    assert whole_of([EVIDENCE_CHARS_MAX, 1, CUT_CHARS + 1]) == ([True, True, False], 0)
    assert whole_of([300_000, 200_000, 100_000, CUT_CHARS]) == ([True, False, True, True], 0)


@pytest.mark.slow
async def test_evidence_texts_are_bounded_in_total_and_marked_where_truncated(graph: Graph, tenant: str) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    texts = [f"I keep {number} parrots in my house. {letter * LONG}" for number, letter in enumerate("abcdef")]
    texts.append("I love my parrots.")
    messages = tuple(a_message(text, minute=place) for place, text in enumerate(texts))
    await memory.remember(whose, an_incoming(messages=messages))
    await memory.sessions.close(whose, "alice", "s1")
    await a_worker(graph).drain()
    asked = Question(user_id="alice", text="parrots in my house", kinds=(HitKind.SCENE, HitKind.FACT), evidence=20)
    answer = await memory.recall(whose, asked)
    proofs = [message for hit in answer.hits for message in hit.candidate.evidence]
    whole = [message for message in proofs if message.whole_chars is None]
    cut = [message for message in proofs if message.whole_chars is not None]
    assert whole
    assert cut
    assert all(message.text in texts for message in whole)
    assert sum(len(message.text) for message in whole) <= EVIDENCE_CHARS_MAX
    assert {len(message.text) for message in cut} == {CUT_CHARS + 1}
    assert all(any(text.startswith(message.text[:-1]) for text in texts) for message in cut)
    assert f"the texts of {len(cut)} evidence messages are truncated" in answer.notes[-1]
    few = await memory.recall(whose, replace(asked, limit=1, evidence=2))
    assert {message.whole_chars for hit in few.hits for message in hit.candidate.evidence} == {None}
    assert all(message.text in texts for hit in few.hits for message in hit.candidate.evidence)
    assert not any("proving" in note for note in few.notes)


@pytest.mark.parametrize("reachable", [True, False], ids=["forgotten meanwhile", "database away"])
async def test_evidence_that_cannot_be_read_is_left_out_or_stays_truncated(
    graph: Graph, tenant: str, reachable: bool
) -> None:
    memory, whose = a_memory(graph), TenantId(tenant)
    await memory.remember(whose, an_incoming(f"I keep parrots in my house. {'a' * LONG}"))
    await memory.sessions.close(whose, "alice", "s1")
    await a_worker(graph).drain()
    asked = Question(user_id="alice", text="parrots", kinds=(HitKind.SCENE,), evidence=20)
    found = await memory._answer(whose, asked)
    (message,) = found.hits[0].candidate.evidence
    assert message.whole_chars is not None
    assert len(message.text) < LONG
    if reachable:
        await memory.forgetting.user(whose, "alice")
    answer = await with_evidence(graph if reachable else a_dead_graph(), whose, "alice", found)
    assert [len(one.text) for one in answer.hits[0].candidate.evidence] == ([] if reachable else [CUT_CHARS + 1])
