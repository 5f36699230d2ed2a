"""Test the capability for Pydantic AI with the real library and scripted models."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from mnemoscene import AsyncMemory
from mnemoscene.pydantic_ai import MnemosceneMemory


class Script:
    """A model that gives these responses in order, then a text; keeps the instructions and outputs of tools."""

    def __init__(self, *responses: ToolCallPart) -> None:
        self.responses, self.instructions, self.outputs = list(responses), list[str](), list[Any]()

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.instructions.append(info.instructions or "")
        self.outputs += [part.content for part in messages[-1].parts if part.part_kind == "tool-return"]
        return ModelResponse(parts=[self.responses.pop(0) if self.responses else TextPart("Noted.")])


@pytest.fixture
async def memory(url: str, key: str | None, user_id: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(url, key, user_id=user_id) as made:
        yield made


@pytest.fixture
async def capability(url: str, key: str | None) -> AsyncIterator[MnemosceneMemory[str]]:
    def user(ctx: RunContext[str]) -> str:
        return ctx.deps

    made = MnemosceneMemory(user_id=user, url=url, api_key=key)
    yield made
    await made.close()


def agent(capability: MnemosceneMemory[str], script: Script) -> Agent[str, str]:
    return Agent(FunctionModel(script.answer), deps_type=str, capabilities=[capability])


async def test_agent_knows_what_was_said_in_another_conversation(
    capability: MnemosceneMemory[str], memory: AsyncMemory, user_id: str
) -> None:
    script = Script()
    guide = agent(capability, script)
    first = await guide.run("I am allergic to nuts, and I live in Lisbon.", deps=user_id)
    assert await memory.wait(60)
    await guide.run("Where shall I have dinner?", deps=user_id)
    await guide.run("Where shall I have dinner?", deps=f"{user_id}-other")
    assert ["nuts" in told for told in script.instructions] == [False, True, False]
    stored = [(one.role, one.text) async for one in memory.messages(first.conversation_id)]
    assert stored == [("user", "I am allergic to nuts, and I live in Lisbon."), ("assistant", "Noted.")]


async def test_history_is_not_stored_again(
    capability: MnemosceneMemory[str], memory: AsyncMemory, user_id: str
) -> None:
    guide = agent(capability, Script())
    first = await guide.run("One.", deps=user_id)
    picture = BinaryContent(data=b"x", media_type="image/png")
    await guide.run(["Two.", picture], deps=user_id, message_history=first.all_messages())
    stored = [one.text async for one in memory.messages(first.conversation_id)]
    assert stored == ["One.", "Noted.", "Two.", "Noted."]


async def test_tools_search_and_remember(capability: MnemosceneMemory[str], memory: AsyncMemory, user_id: str) -> None:
    script = Script(
        ToolCallPart("remember", {"text": "The spare key is under the mat."}),
        ToolCallPart("search_memory", {"query": "Where is the spare key?"}),
    )
    await agent(capability, script).run("Hello", deps=user_id)
    assert script.outputs[0] == "Remembered."
    assert script.outputs[1][0].endswith("The spare key is under the mat.")


async def test_memory_can_be_read_only(url: str, key: str | None, memory: AsyncMemory, user_id: str) -> None:
    script = Script()
    only = MnemosceneMemory[str](user_id=user_id, url=url, api_key=key, tools=False, store=False, max_tokens=0)
    await agent(only, script).run("I live in Lisbon.", deps="")
    assert script.instructions == [""]
    assert await memory.recall("Lisbon") == []
    assert "secret" not in repr(MnemosceneMemory(user_id="ana", url=url, api_key="secret"))


async def test_block_of_the_readme_runs(url: str, user_id: str) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n([^`]*from mnemoscene.pydantic_ai .*?)^```$", page, re.MULTILINE | re.DOTALL)
    body = text.replace("http://127.0.0.1:7780", url).replace('"ana"', f'"{user_id}"')
    body = body.replace('"openai:gpt-5-mini"', "FunctionModel(Script().answer)")
    names: dict[str, Any] = {"FunctionModel": FunctionModel, "Script": Script}
    exec("async def block():\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "    return result", names)
    assert (await names["block"]()).output == "Noted."
