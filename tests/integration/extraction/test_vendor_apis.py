"""Test models and embedders of several vendors against servers that speak each vendor's API."""

from typing import Any

import pytest
from pydantic import BaseModel, Field

from extraction.embeddings.embedder import embed_question
from extraction.llm.language_model import Prompt
from extraction.openai_api.embedder import OpenAIEmbedder
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from extraction.token_spending import TokenSpending, spending
from schema.errors import InstallError, MisreadError, UnavailableError
from tests.support.fake_openai import FakeOpenAI, Reply, fails, says


class City(BaseModel, frozen=True):
    """A response schema for these tests."""

    name: str = Field(min_length=1)
    people: int


PROMPT = Prompt(name="city", hash="0", system="Name a city.", user="Which one?")
PARIS = City(name="Paris", people=2_000_000)
JSON = PARIS.model_dump_json()


class FakeAnthropic(FakeOpenAI):
    """Answers Anthropic's `/v1/messages` from the script."""

    def reply(self, path: str, asked: dict[str, Any]) -> Reply:
        if path != "/v1/messages":
            return Reply(status=404)
        # As the service itself does.
        if not {"model", "max_tokens", "messages"} <= asked.keys() or asked["messages"][0]["role"] != "user":
            return problem(400, "messages: at least one message is required")
        return super().reply(path, asked)


def message(*parts: dict[str, Any], stop: str = "end_turn") -> Reply:
    usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 20}
    body = {"id": "m1", "type": "message", "role": "assistant", "model": "claude", "content": list(parts)}
    return Reply(body={**body, "stop_reason": stop, "usage": usage})


def problem(status: int, text: str, **headers: str) -> Reply:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": text}}
    return Reply(status=status, body=error, headers={name.replace("_", "-"): value for name, value in headers.items()})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def used(tool: str, /, **values: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": "t1", "name": tool, "input": values}


async def claude(fake: FakeOpenAI) -> OpenAIModel:
    return OpenAIModel(
        Endpoint(model="anthropic/claude", base_url=fake.base_url, api_key="key", vendor="anthropic", timeout_s=5.0)
    )


async def test_anthropic_is_asked_for_structured_output() -> None:
    thought = {"type": "thinking", "thinking": "A city …", "signature": "s"}
    with FakeAnthropic(message(thought, text(JSON))) as fake, spending(TokenSpending()) as spent:
        answer = await (await claude(fake)).answer(PROMPT, City)
    assert answer.value == PARIS
    assert spent.model_cost == {"calls": 1, "tokens_in": 100, "tokens_out": 20}
    asked = fake.requests[0]
    assert (asked["model"], asked["system"]) == ("claude", "Name a city.")
    assert asked["messages"] == [{"role": "user", "content": "Which one?"}]
    schema = asked["output_config"]["format"]["schema"]
    assert schema["required"] == ["name", "people"]
    assert "minLength" not in schema["properties"]["name"]


async def test_model_without_structured_output_is_asked_by_a_tool() -> None:
    refused = problem(400, "output_config: this model does not support output formats")
    with FakeAnthropic(refused, message(used("City", name="Paris", people=2_000_000), stop="tool_use")) as fake:
        model = await claude(fake)
        assert (await model.answer(PROMPT, City)).value == PARIS
    assert fake.requests[1]["tools"][0]["name"] == "City"
    assert fake.requests[1]["tool_choice"] == {"type": "tool", "name": "City"}


async def test_refused_temperature_is_left_out() -> None:
    with FakeAnthropic(problem(400, "temperature: not supported by this model"), message(text(JSON))) as fake:
        assert (await (await claude(fake)).answer(PROMPT, City)).value == PARIS
    assert ["temperature" in asked for asked in fake.requests] == [True, False]


async def test_truncated_answer_is_reported_as_cut() -> None:
    with (
        FakeAnthropic(message(text('{"name": "Par'), stop="max_tokens")) as fake,
        pytest.raises(MisreadError, match="truncated"),
    ):
        await (await claude(fake)).answer(PROMPT, City)


@pytest.mark.parametrize(
    ("reply", "error", "word"),
    [
        (problem(401, "invalid x-api-key"), InstallError, "ANTHROPIC_API_KEY"),
        (problem(404, "model: claude"), InstallError, "model's name"),
        (problem(529, "Overloaded"), UnavailableError, "busy"),
        (problem(429, "rate limit", retry_after="7"), UnavailableError, "busy"),
        (message(text("No."), stop="refusal"), MisreadError, "refused"),
        (Reply(body={"unexpected": 1}), UnavailableError, "502"),
    ],
)
async def test_failures_of_anthropic_are_reported_as_those_of_others(
    reply: Reply, error: type[Exception], word: str
) -> None:
    with FakeAnthropic(reply) as fake, pytest.raises(error, match=word) as caught:
        await (await claude(fake)).answer(PROMPT, City)
    if reply.headers:
        assert getattr(caught.value, "retry_after_s", None) == 7


async def test_any_llm_asks_a_vendor_by_its_own_library() -> None:
    with FakeOpenAI(says(JSON), fails(401)) as fake:
        model = OpenAIModel(
            Endpoint(
                model="any-llm/openai/fake", base_url=fake.base_url, api_key="key", vendor="any-llm", timeout_s=5.0
            )
        )
        assert (await model.answer(PROMPT, City)).value == PARIS
        with pytest.raises(InstallError, match="refused the API key"):
            await model.answer(PROMPT, City)
    assert fake.requests[0]["model"] == "fake"


async def test_any_llm_names_an_unknown_vendor() -> None:
    model = OpenAIModel(Endpoint(model="any-llm/nobody/x", base_url=None, api_key=None, vendor="any-llm"))
    with pytest.raises(InstallError, match="was not found"):
        await model.answer(PROMPT, City)


async def test_any_llm_embeds() -> None:
    with FakeOpenAI() as fake:
        embedder = OpenAIEmbedder(
            Endpoint(model="any-llm/openai/fake", base_url=fake.base_url, api_key="key", vendor="any-llm")
        )
        await embedder.learn_dim()
        assert len((await embedder.embed(["a"]))[0]) == embedder.dim == 8


@pytest.mark.parametrize(
    ("vendor", "question", "document"),
    [
        ("voyage", {"input_type": "query"}, {"input_type": "document"}),
        ("jina", {"task": "retrieval.query"}, {"task": "retrieval.passage"}),
        ("mistral", {}, {}),
    ],
)
async def test_questions_and_texts_are_told_apart_as_each_vendor_does(
    vendor: str, question: dict[str, str], document: dict[str, str]
) -> None:
    with FakeOpenAI() as fake:
        embedder = OpenAIEmbedder(
            Endpoint(model=f"{vendor}/embed", base_url=fake.base_url, api_key="key", vendor=vendor), dimensions=8
        )
        await embedder.embed(["a text"])
        await embed_question(embedder, "a question?")
    about = {"input_type", "task"}
    assert [{key: asked[key] for key in about & asked.keys()} for asked in fake.requests] == [document, question]
    assert [asked["model"] for asked in fake.requests] == ["embed", "embed"]
    assert fake.requests[0]["output_dimension" if vendor == "voyage" else "dimensions"] == 8
    assert fake.requests[0]["encoding_format"] == (None if vendor == "voyage" else "float")


async def test_family_of_a_model_gets_its_prefixes() -> None:
    with FakeOpenAI() as fake:
        embedder = OpenAIEmbedder(
            Endpoint(model="nomic-embed-text", base_url=fake.base_url, api_key=None), dimensions=8
        )
        await embedder.embed(["tea"])
        await embed_question(embedder, "what?")
    assert [asked["input"] for asked in fake.requests] == [["search_document: tea"], ["search_query: what?"]]
