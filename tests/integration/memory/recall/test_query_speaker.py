"""Test that a question for a person's own words ranks their messages first."""

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import RememberRequest
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.support.builders import a_memory, a_message, a_worker

# What the user said, what the agent said, and questions for the words of either, of both, and of neither.
TALKS = {
    "en": (
        "For dinner I recommend the fish restaurant at the harbour.",
        "For dinner I recommend the Indian restaurant at the station.",
        "Which restaurant for dinner did I recommend to you?",
        "Which restaurant for dinner did you recommend?",
        "Which restaurant for dinner is there to recommend?",
    ),
    "zh": (
        "晚饭我推荐港口的海鲜餐厅。",
        "晚饭我推荐车站的印度餐厅。",
        "我跟你推荐过哪家吃晚饭的餐厅？",
        "你给我推荐过哪家吃晚饭的餐厅？",
        "有哪家吃晚饭的餐厅值得推荐？",
    ),
}


@pytest.mark.parametrize("first", ["user", "assistant"])
@pytest.mark.parametrize("lang", TALKS)
async def test_question_for_the_agents_words_ranks_them_first(graph: Graph, tenant: str, lang: str, first: str) -> None:
    by_user, by_agent, of_mine, of_yours, of_nobody = TALKS[lang]
    told = [("user", by_user), ("assistant", by_agent)]
    turns = told if first == "user" else told[::-1]
    messages = tuple(a_message(text, minute=place, role=role) for place, (role, text) in enumerate(turns))
    memory = a_memory(graph)
    await memory.remember(TenantId(tenant), RememberRequest(user_id="alice", session_id="s1", messages=messages))
    await a_worker(graph).drain()
    found = []
    for asked in (of_mine, of_yours, of_nobody):
        answer = await memory.recall(
            TenantId(tenant), Question(user_id="alice", text=asked, kinds=(HitKind.MESSAGE,), limit=5)
        )
        found.append(answer.hits)
        for hit in answer.hits:
            assert hit.score == pytest.approx(sum(hit.parts.values()))
    assert [hits[0].candidate.text for hits in found[:2]] == [by_user, by_agent]
    assert [hits[0].parts["role"] > 0 for hits in found] == [True, True, False]
