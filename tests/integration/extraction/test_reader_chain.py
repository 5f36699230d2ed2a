"""Test the order of fallbacks when a model fails."""

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from extraction.llm.reader_chain import model_chain
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from extraction.reader import THE_USER, Reading, SceneLine, SceneText
from schema.errors import InstallError, UnavailableError
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.fake_openai import FakeOpenAI, Reply, fails, says
from tests.support.readers import read_with_tags

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_scene(*texts: str, roles: str = "ua") -> SceneText:
    """Return a scene of user and assistant in turn, or as `roles` says."""
    kinds = {"u": Role.USER, "a": Role.ASSISTANT, "t": Role.TOOL}
    lines = tuple(
        SceneLine(
            message_id=MemoryId(f"id{i}"), role=kinds[roles[i % len(roles)]], speaker=None, text=text, said_at=NOON
        )
        for i, text in enumerate(texts)
    )
    return SceneText(user_names=("Anna",), agent_names=("Nemo",), lines=lines)


SCENE = a_scene("I live in Berlin.", "Noted.", "I love jasmine tea.", "Fine.")


def a_reading(*facts: dict[str, Any], **more: Any) -> str:
    """Return a model's answer with these facts."""
    return json.dumps({"title": "A title", "summary": "A summary.", "facts": list(facts), **more})


def a_fact(obj: str = "Berlin", message: str = "m1", **more: Any) -> dict[str, Any]:
    """Return a fact as a model writes it."""
    told = {"subject": "user", "predicate": "RELATES_TO", "object": obj, "statement": f"Anna knows {obj}."}
    return {**told, "relation": "knows", "messages": [message], **more}


async def read(scene: SceneText, *replies: Reply, timeout_s: float = 5.0, **fake: Any) -> tuple[Reading, FakeOpenAI]:
    with FakeOpenAI(*replies, **fake) as server:
        model = OpenAIModel(Endpoint(model="fake", base_url=server.base_url, api_key=None, timeout_s=timeout_s))
        return await model_chain(model, read_with_tags)(scene), server


def objects(reading: Reading) -> list[str]:
    return [fact.object for fact in reading.facts]


async def test_scene_takes_one_call_when_the_answer_is_valid() -> None:
    reading, server = await read(SCENE, says(a_reading(a_fact())))
    assert (objects(reading), reading.path) == (["Berlin"], ("model",))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "texts", [("Hi there!", "Hello! How are you?", "Thanks, bye!"), ("你好！", "你好！", "再见！")]
)
async def test_small_talk_is_read_by_rules_without_a_call(texts: tuple[str, ...]) -> None:
    reading, server = await read(a_scene(*texts))
    assert (reading.reader, reading.path) == ("rules", ("small talk", "rules"))
    assert server.requests == []


async def test_thoughts_before_the_answer_are_ignored() -> None:
    reading, server = await read(SCENE, says(f'<think>{{"title": "no"}}</think>{a_reading(a_fact())}'))
    assert (objects(reading), len(server.requests)) == (["Berlin"], 1)


@pytest.mark.parametrize(
    "wrong", ["I would say Berlin.", '{"facts": [', '{"title": {"type": "string"}, "properties": {}}']
)
async def test_invalid_answer_is_requested_again_as_text(wrong: str) -> None:
    reading, server = await read(SCENE, says(wrong), says(f"Here:\n```json\n{a_reading(a_fact())}\n```"))
    assert (objects(reading), reading.path) == (["Berlin"], ("model",))
    assert ["response_format" in request for request in server.requests] == [True, False]


async def test_refused_scene_is_read_from_the_users_lines_only() -> None:
    reading, server = await read(SCENE, says("", refusal="No."), says(a_reading(a_fact("tea", "m3"))))
    assert (objects(reading), reading.path) == (["tea"], ("model", "user only"))
    assert "Noted." not in json.dumps(server.requests[1])
    assert len(server.requests) == 2


async def test_scene_without_a_valid_answer_is_read_by_rules() -> None:
    reading, server = await read(SCENE, *[says("", refusal="No.")] * 2)
    assert reading.reader == "rules"
    assert reading.path == ("model", "user only", "rules")
    assert set(objects(reading)) >= {"Berlin", "jasmine tea"}
    assert len(server.requests) == 2


async def test_scene_with_a_truncated_answer_is_read_in_halves() -> None:
    cut = says(a_reading(a_fact())[:-40], finish="length")
    halves = says(a_reading(a_fact())), says(a_reading(a_fact("tea", "m3"), a_fact("old", "m1")))
    reading, server = await read(SCENE, cut, *halves)
    assert (objects(reading), reading.path) == (["Berlin", "tea"], ("model", "halves"))
    assert len(server.requests) == 3
    assert "jasmine" not in json.dumps(server.requests[1])
    assert '\\"context\\": true' in json.dumps(server.requests[2])
    assert reading.summary == "A summary. A summary."


@pytest.mark.parametrize(
    ("text", "city", "whose"),
    [("My sister Lena moved to Oslo last week.", "Oslo", "Lena"), ("我弟弟搬到西安了。", "西安", "弟弟")],
)
async def test_value_of_somebody_else_is_not_the_users(text: str, city: str, whose: str) -> None:
    home = {"relation": "lives in", "statement": f"Anna lives in {city}."}
    reading, _ = await read(a_scene(text), says(a_reading(a_fact(city, **home), a_fact("trams"))))
    subjects = {fact.subject for fact in reading.facts if fact.object == city}
    assert THE_USER not in subjects
    assert any(whose in subject for subject in subjects)
    assert "trams" in objects(reading)
    assert "it is said of somebody else" in reading.dropped


async def test_of_an_answer_that_mostly_invents_only_what_the_messages_contain_counts() -> None:
    invented = [a_fact(city, relation="lives in") for city in ("Lisbon", "Kyoto", "成都")]
    reading, _ = await read(SCENE, says(a_reading(*invented, a_fact("tea", "m3"))))
    assert objects(reading) == ["tea"]
    assert reading.dropped.count("no message contains it") == 3
    assert not reading.withdraws


async def test_value_that_the_model_gives_to_both_is_kept() -> None:
    homes = (a_fact("Oslo", relation="lives in"), a_fact("Oslo", relation="lives in", subject="Lena"))
    reading, _ = await read(a_scene("My sister Lena moved to Oslo, and so did I."), says(a_reading(*homes)))
    assert {fact.subject for fact in reading.facts if fact.object == "Oslo"} == {THE_USER, "Lena"}


async def test_single_line_with_a_truncated_answer_keeps_the_complete_items() -> None:
    cut = says(a_reading(a_fact(), a_fact("Ro"))[:-30], finish="length")
    reading, _ = await read(a_scene("I live in Berlin."), cut)
    assert objects(reading)[0] == "Berlin"
    assert reading.path == ("model", "whole items of a cut answer")


async def test_model_that_always_truncates_is_asked_a_bounded_number_of_times() -> None:
    reading, server = await read(SCENE, *[says("I think", finish="length")] * 20)
    assert reading.reader == "rules"
    assert len(server.requests) <= 8


@pytest.mark.parametrize(
    "broken", [{"subject": "user"}, {}, None, 7, "text", [], {"subject": ["a"], "predicate": {}, "object": 1}]
)
async def test_malformed_item_does_not_drop_its_siblings(broken: Any) -> None:
    more = {"decisions": [broken], "entities": "none", "procedures": None}
    reading, server = await read(SCENE, says(a_reading(broken, a_fact(), **more)))
    assert (objects(reading), len(server.requests)) == (["Berlin"], 1)
    assert len(reading.dropped) == 2


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (fails(429, Retry_After="7"), UnavailableError),
        (fails(500), UnavailableError),
        (fails(503), UnavailableError),
        (fails(401), InstallError),
    ],
)
async def test_unavailable_model_raises_for_the_caller_to_decide(reply: Reply, error: type[Exception]) -> None:
    with pytest.raises(error):
        await read(SCENE, reply)


async def test_answer_that_arrives_too_slowly_raises_after_the_timeout() -> None:
    held = threading.Event()
    with pytest.raises(UnavailableError, match="in time"):
        await read(SCENE, replace(says(a_reading(a_fact())), dribbles_until=held), timeout_s=0.3)
    held.set()


async def test_prompt_asks_for_procedures_when_tools_are_used() -> None:
    procedure = {"goal": "deploy", "steps": [{"action": "build", "result": "ok"}], "messages": ["m2"]}
    scene = a_scene("Please deploy.", '{"built": true}', roles="ut")
    reading, server = await read(scene, says(a_reading(procedures=[procedure])))
    assert reading.facts[0].detail.steps == ("build → ok",)
    assert "Tools are used" in json.dumps(server.requests[0])
