"""Test over GraphQL that "just now" means the latest part of the session in which a question is asked."""

import pytest

from tests.integration.api.test_graphql import REMEMBER, Api, api

__all__ = ["api"]

RECALL = (
    "query ($text: String!, $session: String) {"
    ' recall(userId: "alice", query: $text, sessionId: $session) { hits { text uri } } }'
)
TALKS = {
    "en": ("I baked a cake with plums.", "I baked a cake with figs.", "Which cake did I talk about just now?"),
    "zh": ("我烤了李子蛋糕。", "我烤了无花果蛋糕。", "我刚才说的是什么蛋糕？"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_just_now_finds_the_last_turns_of_a_session_that_paused_for_a_day(api: Api, language: str) -> None:
    older, newer, question = TALKS[language]
    for session, text, time in (("s1", older, "2026-02-03T12:00:00Z"), ("s2", newer, "2026-03-04T12:00:00Z")):
        said = {"role": "USER", "text": text, "time": time}
        await api.ask(REMEMBER, input={"userId": "alice", "sessionId": session, "messages": [said]})
    # The conversation continues a day later: "just now" is not the hour before the question.
    asked = (await api.ask(RECALL, text=question, session="s2"))["data"]["recall"]["hits"]
    assert asked[0]["text"] == newer
    earlier = (await api.ask(RECALL, text=question, session="s1"))["data"]["recall"]["hits"]
    assert earlier[0]["text"] == older
