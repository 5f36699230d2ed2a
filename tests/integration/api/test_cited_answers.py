"""Test over GraphQL that a question is answered in sentences that cite what was found, with a model and without."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Server
from tests.support.fake_openai import Reply, says
from tests.support.model_service import AnsweringEndpoint, a_reading, model_service, said
from tests.support.open_service import open_service
from tests.support.slow import slow_but

ASK = (
    'query ($q: String!) { ask(userId: "alice", query: $q) {'
    " sentences { text sources } hits { kind id text evidence { id } } confidence nothingRelevant writtenBy notes } }"
)
USAGE = "{ usage { days { calls } } }"
QUESTIONS = "{ questions { text } }"
TOLD = "My dentist is called Dr. Okafor."
ASKED = "What is my dentist called?"


def prompts_of(endpoint: AnsweringEndpoint) -> list[str]:
    """Return the prompts that asked for an answer."""
    texts = ["\n".join(str(message["content"]) for message in one["messages"]) for one in endpoint.requests]
    return [text for text in texts if "<question>" in text]


async def test_model_answers_in_sentences_of_which_those_without_a_source_are_dropped(
    server: Server, tenant: str, tmp_path: Path
) -> None:
    sentences = [
        {"statement": "The dentist is Dr. Okafor.", "messages": ["s1", "s99"]},
        {"statement": "Dr. Okafor lives in Paris.", "messages": []},
        {"statement": "He is kind.", "messages": ["m1", "s0", "nobody"]},
    ]

    def answer(prompt: str) -> str:
        return json.dumps({"sentences": sentences}) if "<question>" in prompt else a_reading()

    with AnsweringEndpoint(answer) as endpoint:
        async with model_service(server, tmp_path, tenant, endpoint) as service:
            await service.remember(said(TOLD))
            before = (await service.ask(USAGE))["usage"]["days"][0]["calls"]
            answered = (await service.ask(ASK, q=ASKED))["ask"]
            assert answered["sentences"] == [{"text": "The dentist is Dr. Okafor.", "sources": [0]}]
            assert answered["writtenBy"] == "first"
            assert "Okafor" in answered["hits"][0]["text"]
            # The call counts towards the budget of the day, and the question is nobody's business.
            assert (await service.ask(USAGE))["usage"]["days"][0]["calls"] == before + 1
            assert (await service.ask(QUESTIONS))["questions"] == []
            # What the memory does not know is not given to the model.
            unknown = (await service.ask(ASK, q="Which airline did the neighbour's pilot train with?"))["ask"]
            assert (unknown["nothingRelevant"], unknown["sentences"]) == (True, [])
            assert len(prompts_of(endpoint)) == 1
    assert endpoint.errors == []


@pytest.mark.parametrize(
    ("reply", "note"),
    slow_but(
        [(None, "the model did not answer")],
        [
            (None, "the model did not answer"),
            (says('{"sentences": [{"statement": "Nobody proves this."}]}'), None),
            (says("no json"), "the model did not answer"),
        ],
    ),
)
async def test_model_that_gives_no_cited_answer_is_replaced_by_the_stored_sentence(
    server: Server, tenant: str, tmp_path: Path, reply: Reply | None, note: str | None
) -> None:
    def answer(prompt: str) -> str | Reply | None:
        return reply if "<question>" in prompt else a_reading()

    with AnsweringEndpoint(answer) as endpoint:
        async with model_service(server, tmp_path, tenant, endpoint) as service:
            await service.remember(said(TOLD))
            answered = (await service.ask(ASK, q=ASKED))["ask"]
            assert answered["sentences"][0] == {"text": TOLD, "sources": [0]}
            assert answered["writtenBy"] is None
            assert any(one.startswith(note) for one in answered["notes"]) if note else answered["notes"] == []


async def test_answer_without_a_model_quotes_each_message_once(server: Server, tenant: str, tmp_path: Path) -> None:
    async with open_service(server, tmp_path, {"MNEMOSCENE_EMBEDDING_KIND": "none"}) as service:
        headers = {"Mnemoscene-Tenant": tenant}
        async with service.client(**headers) as client:

            async def call(query: str, **variables: Any) -> Any:
                answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
                return answer.get("data") or answer["errors"][0]["extensions"]["code"]

            messages = [said("I love jasmine tea."), said("I hate coriander.")]
            await call(
                "mutation ($m: [MessageInput!]!) {"
                ' remember(input: {userId: "alice", sessionId: "s1", messages: $m}) { stored } }',
                m=messages,
            )
            await service.parts.worker.drain()
            answered = (await call(ASK, q="Which tea does she love?"))["ask"]
            quoted = [one["text"] for one in answered["sentences"]]
            # The fact and the message that proves it are one sentence.
            assert sum("jasmine tea" in text for text in quoted) == 1
            assert all(one["sources"] for one in answered["sentences"])
            assert answered["writtenBy"] is None
            assert await call(ASK, q="") == "BAD_INPUT"
            assert await call(ASK, q="x" * 100_000) == "BAD_INPUT"
