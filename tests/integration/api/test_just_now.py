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


LONG = {
    "en": ("I baked a cake with plums.", "The weather was fine, part {}.", "I baked a cake with figs."),
    "zh": ("我烤了李子蛋糕。", "我们聊了第{}次天气。", "我烤了无花果蛋糕。"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_just_now_finds_the_latest_of_equal_turns_of_one_session(api: Api, language: str) -> None:
    """C14: recency; without the words for it, or without the session, the question has no such time."""
    older, between, newer = LONG[language]
    question = TALKS[language][2]
    talk = [between.format(number) for number in range(12)]
    said = [
        {"role": "USER", "text": text, "time": f"2026-03-0{day}T12:{minute:02}:00Z"}
        for day, texts in ((1, [older, *talk]), (2, [*talk, newer]))
        for minute, text in enumerate(texts)
    ]
    await api.ask(REMEMBER, input={"userId": "alice", "sessionId": "s1", "messages": said})
    asked = (await api.ask(RECALL, text=question, session="s1"))["data"]["recall"]["hits"]
    assert asked[0]["text"] == newer
    assert older not in [hit["text"] for hit in asked]
    without = (await api.ask(RECALL, text=question))["data"]["recall"]["hits"]
    assert {older, newer} <= {hit["text"] for hit in without}
