"""Test the OpenAI language model against an HTTP server with good and bad answers."""

import asyncio
import itertools
import json
import threading
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from extraction.llm.language_model import Prompt
from extraction.llm.output_schemas import SceneReading
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel, shape_in_cut_text
from extraction.openai_api.request_limiter import EndpointLimits, RequestLimiter
from extraction.token_spending import TokenSpending, spending
from schema.errors import InstallError, MisreadError, UnavailableError
from tests.support.fake_openai import FakeOpenAI, Reply, completion, fails, says
from tests.support.polling import reached


class City(BaseModel, frozen=True):
    """A response schema for these tests."""

    name: str
    people: int


PROMPT = Prompt(name="city", hash="0", system="Name a city.", user="Which one?")
PARIS = City(name="Paris", people=2_000_000)
JSON = PARIS.model_dump_json()


async def model_of(fake: FakeOpenAI, timeout_s: float = 5.0) -> OpenAIModel:
    return OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key="key", timeout_s=timeout_s))


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"Sure! Here is the city:\n{JSON}\nAnything else?",
        f"```json\n{JSON}\n```",
        f'<think>Perhaps {{"name": "Rome", "people": 1}}?</think>\n{JSON}',
        f'I read {{this}} and {{"name": "half"}} first. {JSON}',
        f'Perhaps {{"name": "Rome", "people": 1}}?</think>\n{JSON}',
        JSON.replace("}", ",}"),
        f"<think>\nThe city is {JSON}",
    ],
)
async def test_json_answer_is_found_in_surrounding_text(text: str) -> None:
    with FakeOpenAI(says(text)) as fake, spending(TokenSpending()) as spent:
        answer = await (await model_of(fake)).answer(PROMPT, City)
    assert answer.value == PARIS
    assert spent.model_cost == {"calls": 1, "tokens_in": 100, "tokens_out": 20}
    assert len(fake.requests) == 1


async def test_schema_is_sent_as_structured_output() -> None:
    with FakeOpenAI(says(JSON)) as fake:
        await (await model_of(fake)).answer(PROMPT, City)
    assert fake.requests[0]["response_format"]["json_schema"]["name"] == "City"


async def test_endpoint_without_structured_output_is_asked_in_text_from_then_on() -> None:
    with FakeOpenAI(says(f"```json\n{JSON}\n```"), says(JSON), knows_schema=False) as fake:
        model = await model_of(fake)
        assert (await model.answer(PROMPT, City)).value == PARIS
        assert (await model.answer(PROMPT, City)).value == PARIS
    assert ["response_format" in request for request in fake.requests] == [True, False, False]


@pytest.mark.parametrize("wrong", ['{"name": "Paris"}', "{not JSON", "", json.dumps(City.model_json_schema())])
async def test_answer_of_wrong_shape_is_requested_again_in_text_with_the_error(wrong: str) -> None:
    """The second request asks for JSON in text; an endpoint may return the schema itself."""
    with FakeOpenAI(says(wrong), says(JSON)) as fake, spending(TokenSpending()) as spent:
        answer = await (await model_of(fake)).answer(PROMPT, City)
    assert answer.value == PARIS
    assert spent.model_cost == {"calls": 2, "tokens_in": 200, "tokens_out": 40}
    assert "was not accepted" in json.dumps(fake.requests[1]["messages"])
    assert ["response_format" in request for request in fake.requests] == [True, False]


async def test_errors_and_logs_do_not_repeat_messages(caplog: pytest.LogCaptureFixture) -> None:
    reply = says('{"name": "SECRET", "people": "SECRET"}')
    with FakeOpenAI(reply, reply) as fake, pytest.raises(MisreadError, match="people: Input should be") as caught:
        await (await model_of(fake)).answer(PROMPT, City)
    assert "SECRET" not in caught.value.message + caplog.text


async def test_two_answers_of_wrong_shape_are_a_misread() -> None:
    with (
        FakeOpenAI(says("no idea"), says("still none")) as fake,
        pytest.raises(MisreadError, match="gave two answers that are not a valid"),
    ):
        await (await model_of(fake)).answer(PROMPT, City)
    assert len(fake.requests) == 2


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        (says("", refusal="I cannot help with that."), "refused"),
        (says(JSON, finish="content_filter"), "refused"),
        (says(JSON[:9], finish="length"), "truncated"),
        (says("Let me think", finish="length"), "truncated"),
        (completion([]), "without choices"),
    ],
)
async def test_refused_truncated_and_empty_answers_are_misreads_at_once(reply: Reply, word: str) -> None:
    with FakeOpenAI(reply) as fake, pytest.raises(MisreadError, match=word):
        await (await model_of(fake)).answer(PROMPT, City)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(("status", "word"), [(401, "api_key"), (403, "api_key"), (404, "model's name")])
async def test_wrong_key_or_model_is_an_operator_error(status: int, word: str) -> None:
    with FakeOpenAI(fails(status)) as fake, pytest.raises(InstallError, match=word):
        await (await model_of(fake)).answer(PROMPT, City)
    assert len(fake.requests) == 1


async def test_request_refused_in_all_forms_is_a_misread_and_keeps_structured_output() -> None:
    with FakeOpenAI(*[fails(400)] * 4, says(JSON)) as fake:
        model = await model_of(fake)
        with pytest.raises(MisreadError, match="rejected the request"):
            await model.answer(PROMPT, City)
        await model.answer(PROMPT, City)
    assert "response_format" in fake.requests[4]


FORMS = ("json_schema", "tools", "json_object", "text")


def form_of(asked: dict[str, Any]) -> str:
    if "tools" in asked:
        return "tools"
    return str(asked["response_format"]["type"]) if "response_format" in asked else "text"


@pytest.mark.parametrize("works", FORMS)
@pytest.mark.parametrize("status", [400, 422, 500])
async def test_best_form_that_works_is_found_once_and_better_ones_are_tried_again_later(
    status: int, works: str
) -> None:
    """llama.cpp's server refuses `response_format: json_schema` with a 500."""
    now_s = 0.0

    class Picky(FakeOpenAI):
        def reply(self, path: str, asked: dict[str, Any]) -> Reply:
            self.requests.append({**asked, "path": path})
            return says(JSON) if FORMS.index(form_of(asked)) >= FORMS.index(works) else fails(status)

    with Picky() as fake:
        model = OpenAIModel(
            Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=5), clock_s=lambda: now_s
        )
        for _ in range(2):
            assert (await model.answer(PROMPT, City)).value == PARIS
        tried = [form_of(asked) for asked in fake.requests]
        assert tried == [*FORMS[: FORMS.index(works) + 1], works]
        now_s = 3_601.0
        await model.answer(PROMPT, City)
    assert form_of(fake.requests[len(tried)]) == "json_schema"


async def test_form_that_worked_is_kept_when_the_server_fails_later() -> None:
    with FakeOpenAI(says(JSON), fails(500), says(JSON)) as fake:
        model = await model_of(fake)
        await model.answer(PROMPT, City)
        with pytest.raises(UnavailableError):
            await model.answer(PROMPT, City)
        await model.answer(PROMPT, City)
    assert [form_of(asked) for asked in fake.requests] == ["json_schema"] * 3


async def test_tool_call_is_an_answer() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "City", "arguments": JSON}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reply = completion([{"index": 0, "finish_reason": "tool_calls", "message": message}])
    with FakeOpenAI(fails(500), reply) as fake:
        assert (await (await model_of(fake)).answer(PROMPT, City)).value == PARIS
    assert fake.requests[1]["tool_choice"] == {"type": "function", "function": {"name": "City"}}


async def test_refused_schema_is_not_appended_to_the_prompt() -> None:
    with FakeOpenAI(says("none"), says('{"title": "t"}')) as fake:
        await (await model_of(fake)).answer(PROMPT, SceneReading)
    assert len(json.dumps(fake.requests[1]["messages"])) < 2_500


async def test_call_given_up_is_repeated_later_and_with_more_time() -> None:
    held, now_s = threading.Event(), 0.0
    late = replace(says(JSON), waits_for=held)
    with FakeOpenAI(late, says(JSON)) as fake:
        model = OpenAIModel(
            Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=0.2), clock_s=lambda: now_s
        )
        with pytest.raises(UnavailableError, match="in time") as caught:
            await model.answer(PROMPT, City)
        assert caught.value.retry_after_s == 0.2
        with pytest.raises(UnavailableError, match="may still compute"):
            await model.answer(PROMPT, City)
        assert len(fake.requests) == 1
        held.set()
        now_s = 0.3
        assert (await model.answer(PROMPT, City)).value == PARIS
    # A small model that repeats itself up to its limit would be given up for ever.
    assert [asked["max_tokens"] for asked in fake.requests] == [4_096, 2_048]


async def test_slow_endpoint_is_asked_for_no_more_tokens_than_fit_in_its_time() -> None:
    ticks = itertools.count(step=10)
    with FakeOpenAI(says(JSON), says(JSON)) as fake:
        model = OpenAIModel(
            Endpoint(model="fake", base_url=fake.base_url, api_key=None), clock_s=lambda: float(next(ticks))
        )
        for _ in range(2):
            assert (await model.answer(PROMPT, City)).value == PARIS
    # 20 tokens in 10 s: half of the longest limit, 900 s, has 900 tokens.
    assert [asked["max_tokens"] for asked in fake.requests] == [4_096, 900]


async def test_busy_model_error_has_its_retry_time() -> None:
    with FakeOpenAI(fails(429, Retry_After="7")) as fake, pytest.raises(UnavailableError) as caught:
        await (await model_of(fake)).answer(PROMPT, City)
    assert caught.value.retry_after_s == 7.0
    assert len(fake.requests) == 1


async def test_server_error_is_not_retried_here() -> None:
    with FakeOpenAI(fails(503)) as fake, pytest.raises(UnavailableError) as caught:
        await (await model_of(fake)).answer(PROMPT, City)
    assert caught.value.retry_after_s is None
    assert len(fake.requests) == 1


async def test_slow_endpoint_raises_after_the_timeout() -> None:
    held = threading.Event()
    with FakeOpenAI(replace(says(JSON), waits_for=held)) as fake:
        with pytest.raises(UnavailableError, match="in time"):
            await (await model_of(fake, timeout_s=0.2)).answer(PROMPT, City)
        held.set()


async def test_missing_endpoint_is_unavailable() -> None:
    model = OpenAIModel(Endpoint(model="fake", base_url="http://127.0.0.1:9/v1", api_key=None, timeout_s=2))
    with pytest.raises(UnavailableError, match="cannot be reached"):
        await model.answer(PROMPT, City)


class Cities(BaseModel):
    """A response schema with a list of items."""

    country: str
    cities: list[City] = []


async def test_complete_items_of_a_truncated_answer_are_kept() -> None:
    told = Cities(country="France", cities=[PARIS, City(name='Ly}"on', people=1)]).model_dump_json()
    with FakeOpenAI(says("<think>{[</think>```json\n" + told[:-9], finish="length")) as fake:
        answer = await (await model_of(fake)).answer(PROMPT, Cities)
    assert answer.cut
    assert answer.value.country == "France"
    assert answer.value.cities == [PARIS]


@pytest.mark.parametrize("end", range(0, 95, 3))
def test_answer_truncated_at_any_place_invents_nothing(end: int) -> None:
    told = Cities(country="France", cities=[PARIS, PARIS]).model_dump_json()[:end]
    try:
        value = shape_in_cut_text(told, Cities)
    except ValueError:
        return
    assert value.country == "France"
    assert set(value.cities) <= {PARIS}


async def test_unusable_answers_are_counted() -> None:
    with FakeOpenAI(says("no"), says("no")) as fake, spending(TokenSpending()) as spent, pytest.raises(MisreadError):
        await (await model_of(fake)).answer(PROMPT, City)
    assert spent.model_cost == {"calls": 2, "tokens_in": 200, "tokens_out": 40}


async def test_temperature_and_output_limit_are_sent_with_every_request() -> None:
    with FakeOpenAI(says("no"), says(JSON)) as fake:
        model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None), output_tokens_max=700)
        await model.answer(PROMPT, City)
    assert [(asked["temperature"], asked["max_tokens"]) for asked in fake.requests] == [(0, 700)] * 2


async def test_option_that_the_endpoint_refuses_by_name_is_not_sent_again() -> None:
    """Reasoning models take `max_completion_tokens` only, and no temperature."""
    refused = (fails(400, param="max_tokens"), fails(400, param="temperature"))
    with FakeOpenAI(*refused, says(JSON), says(JSON)) as fake:
        model = await model_of(fake)
        assert (await model.answer(PROMPT, City)).value == PARIS
        assert (await model.answer(PROMPT, City)).value == PARIS
    assert len(fake.requests) == 4
    for asked in fake.requests[2:]:
        assert "response_format" in asked
        assert (asked["max_completion_tokens"], {"max_tokens", "temperature"} & set(asked)) == (4096, set())


async def test_tokens_are_estimated_if_the_endpoint_reports_no_usage() -> None:
    reply = says(JSON)
    with FakeOpenAI(replace(reply, body={**reply.body, "usage": None})) as fake, spending(TokenSpending()) as spent:
        await (await model_of(fake)).answer(PROMPT, City)
    assert spent.calls == 1
    assert spent.tokens_in >= 5
    assert spent.tokens_out >= 5


async def test_requests_beyond_the_concurrent_ones_wait() -> None:
    first, held = threading.Event(), threading.Event()
    limiter = RequestLimiter(EndpointLimits(concurrent_calls=2))
    with FakeOpenAI(replace(says(JSON), waits_for=first), *[replace(says(JSON), waits_for=held)] * 5) as fake:
        model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None, limiter=limiter))
        answers = [asyncio.create_task(model.answer(PROMPT, City)) for _ in range(6)]
        # An endpoint of unknown speed gets one request at a time.
        await reached(lambda: len(fake.requests) == 1)
        assert (limiter.running, limiter.waiting) == (1, 5)
        first.set()
        await reached(lambda: len(fake.requests) == 3)
        assert (limiter.running, limiter.waiting) == (2, 3)
        held.set()
        await asyncio.gather(*answers)
    assert (len(fake.requests), limiter.last_minute()) == (6, (6, 6 * 120))
