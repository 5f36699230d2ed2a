"""Run the programs in `examples` against the service, with scripted models."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import ModelResponse, Usage, set_tracing_disabled
from agents.models.interface import Model
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from pydantic import Field

from mnemoscene import AsyncMemory

EXAMPLES = Path(__file__).parents[1] / "examples"
set_tracing_disabled(True)


@pytest.fixture
def example(url: str, key: str | None, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return a function that imports an example, with the service's address in the environment."""
    monkeypatch.setenv("MNEMOSCENE_URL", url)
    if key:
        monkeypatch.setenv("MNEMOSCENE_API_KEY", key)

    def load(name: str) -> Any:
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


class ChatModel(BaseChatModel):
    """Keeps what it was shown, and answers with the same text."""

    shown: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.shown.append(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage("At home."))])


def test_langgraph_agent_knows_what_was_said_before(example: Callable[[str], Any], user_id: str) -> None:
    model = ChatModel()
    agent = example("langgraph_agent").agent(model)
    config = {"configurable": {"user_id": user_id}}
    agent.invoke({"messages": [("user", "I am vegetarian and I live in Lisbon.")]}, config)
    end_s = time.monotonic() + 30
    while "Lisbon" not in str(model.shown[-1][0].content) and time.monotonic() < end_s:
        # Its meaning is known a moment after it was stored.
        answer = agent.invoke({"messages": [("user", "Where shall I have dinner?")]}, config)["messages"][-1]
        assert answer.content == "At home."
    assert "I am vegetarian and I live in Lisbon." in str(model.shown[-1][0].content)


class ResponseModel(Model):
    """Keeps the instructions, and answers with the same text."""

    def __init__(self) -> None:
        self.instructions: list[str | None] = []

    async def get_response(self, system_instructions: str | None, *args: Any, **kwargs: Any) -> ModelResponse:
        self.instructions.append(system_instructions)
        text = ResponseOutputText(text="At home.", type="output_text", annotations=[])
        answer = ResponseOutputMessage(id="m", role="assistant", status="completed", type="message", content=[text])
        return ModelResponse(output=[answer], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


async def test_agents_session_knows_the_other_day(
    example: Callable[[str], Any], url: str, key: str | None, user_id: str
) -> None:
    model, ask = ResponseModel(), example("agents_session").ask
    await ask("monday", "I am allergic to nuts, and I live in Lisbon.", user_id, model)
    async with AsyncMemory(url, key, user_id=user_id) as memory:
        assert await memory.wait(60)
    assert await ask("tuesday", "Where shall I have dinner?", user_id, model) == "At home."
    assert "nuts" in str(model.instructions[1])


def test_switch_from_mem0_answers_with_memories(example: Callable[[str], Any], user_id: str) -> None:
    shown: list[str] = []

    def complete(messages: list[dict[str, str]]) -> str:
        shown.append(messages[0]["content"])
        return "At home."

    chat = example("mem0_switch").chat_with_memories
    assert chat("I am allergic to nuts.", complete, user_id) == "At home."
    chat("What can I not eat?", complete, user_id)
    assert "nuts" not in shown[0]
    assert "nuts" in shown[1]


def test_readme_says_how_long_the_examples_are() -> None:
    page = (EXAMPLES.parent / "README.md").read_text("utf-8")
    told = re.findall(r"\[`(\w+\.py)`\]\(examples/\1\) \| (\d+) \|", page)
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in EXAMPLES.glob("*.py")}
    assert {name: int(number) for name, number in told} == lines
