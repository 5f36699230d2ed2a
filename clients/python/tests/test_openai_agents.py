"""Test the session and the instructions for OpenAI Agents with the real library and a scripted model."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    Model,
    ModelResponse,
    RunContextWrapper,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from mnemoscene import AsyncMemory
from mnemoscene.openai_agents import MnemosceneSession, memory_instructions

set_tracing_disabled(True)

CALL = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "weather", "arguments": '{"city": "Lisbon"}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "I live in the sun."}
ANSWER = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Sunny.", "annotations": []}],
}
REASONING = {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "x" * 50_000}
PICTURE = {
    "role": "user",
    "content": [{"type": "input_text", "text": "and?"}, {"type": "input_image", "image_url": "u"}],
}


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


class ScriptedModel(Model):
    """Calls a tool first and answers then; keeps what it was shown."""

    def __init__(self) -> None:
        self.calls, self.seen, self.instructions = 0, list[Any](), list[str | None]()

    async def get_response(self, system_instructions: str | None, *args: Any, **kwargs: Any) -> ModelResponse:
        self.calls += 1
        self.seen = list(kwargs["input"] if "input" in kwargs else args[0])
        self.instructions.append(system_instructions)
        output: Any = ResponseFunctionToolCall(
            id="f", call_id="c", name="weather", arguments='{"city": "Lisbon"}', type="function_call"
        )
        if self.calls > 1:
            text = ResponseOutputText(text=f"answer {self.calls}", type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id=f"m{self.calls}", role="assistant", status="completed", type="message", content=[text]
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


@pytest.fixture
async def session(url: str, key: str | None, user_id: str) -> AsyncIterator[MnemosceneSession]:
    made = MnemosceneSession(uuid.uuid4().hex, user_id=user_id, url=url, api_key=key)
    yield made
    await made.close()


async def test_items_come_back_verbatim_and_in_order(session: MnemosceneSession) -> None:
    assert isinstance(session, Session)
    assert await session.get_items() == []
    items: list[Any] = [said("Weather?"), REASONING, CALL, OUTPUT, ANSWER, PICTURE, said(""), said("ok"), said("ok")]
    await session.add_items(items[:3])
    await session.add_items(items[3:])
    await session.add_items([])
    assert await session.get_items() == items
    assert await session.get_items(limit=2) == items[-2:]
    assert await session.get_items(limit=0) == []
    session.session_settings = SessionSettings(limit=3)
    assert await session.get_items() == items[-3:]


async def test_long_conversation_with_long_items_is_kept_whole(session: MnemosceneSession) -> None:
    items: list[Any] = [{**CALL, "id": str(number)} for number in range(1_100)] + [said("x" * 200_000)]
    await session.add_items(items)
    assert await session.get_items() == items


async def test_pop_and_clear(session: MnemosceneSession) -> None:
    assert await session.pop_item() is None
    await session.clear_session()
    await session.add_items([said("1"), CALL])  # type: ignore[list-item]
    assert await session.pop_item() == CALL
    assert await session.get_items() == [said("1")]
    await session.clear_session()
    assert await session.get_items() == []
    await session.add_items([said("2")])  # type: ignore[list-item]
    assert await session.get_items() == [said("2")]


async def test_runs_of_an_agent_continue_the_session(session: MnemosceneSession) -> None:
    @function_tool
    def weather(city: str) -> str:
        return f"sunny in {city}"

    model = ScriptedModel()
    agent = Agent(name="A", instructions="Answer.", model=model, tools=[weather])
    await Runner.run(agent, "How is the weather?", session=session)
    await Runner.run(agent, "And tomorrow?", session=session)
    shown = [item.get("type", item.get("role")) for item in model.seen]
    assert shown == ["user", "function_call", "function_call_output", "message", "user"]


async def test_only_what_was_said_becomes_memory(
    session: MnemosceneSession, url: str, key: str | None, user_id: str
) -> None:
    await session.add_items([said("I live in Porto and I am allergic to nuts."), CALL, OUTPUT, REASONING, ANSWER])  # type: ignore[list-item]
    async with AsyncMemory(url, key, user_id=user_id) as memory:
        assert await memory.wait(60)
        facts = [fact.statement for fact in await memory.facts()]
        assert any("nuts" in fact for fact in facts)
        assert not any("sun" in fact or "Lisbon" in fact for fact in facts)


async def test_instructions_hold_what_answers_the_users_message(
    session: MnemosceneSession, url: str, key: str | None, user_id: str
) -> None:
    await session.add_items([said("I am allergic to nuts.")])  # type: ignore[list-item]
    await session.memory.wait(60)
    instructions = memory_instructions("Be brief.", user_id=user_id, url=url, api_key=key, max_tokens=300)
    model = ScriptedModel()
    model.calls = 1
    agent = Agent(name="A", instructions=instructions, model=model)
    await Runner.run(agent, "What can I eat?")
    (shown,) = model.instructions
    assert shown is not None
    assert shown.startswith("Be brief.\n\n")
    assert "nuts" in shown
    assert "nuts" in await instructions(RunContextWrapper(None), agent)


async def test_blocks_of_the_readme_run(url: str) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(from agents .*?)^```$", page, re.MULTILINE | re.DOTALL)
    model = ScriptedModel()
    model.calls = 1
    source = text.replace('url="http://127.0.0.1:7780"', f'url="{url}"').replace(
        "instructions=", "model=model, instructions="
    )
    lines = "".join(f"    {line}\n" for line in source.splitlines())
    names: dict[str, Any] = {"model": model}
    exec(f"async def shown():\n{lines}    return result", names)
    assert (await names["shown"]()).final_output == "answer 2"
