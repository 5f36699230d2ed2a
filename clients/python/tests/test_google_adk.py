"""Test the memory service for Google ADK with the real library and a scripted model."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part
from pydantic import Field

from mnemoscene import BadInput
from mnemoscene.google_adk import MnemosceneMemoryService


class ScriptedModel(BaseLlm):
    """Answers with the same text; keeps what it was shown."""

    seen: list[str] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.seen.append(f"{llm_request.config.system_instruction} {llm_request.contents}")
        yield LlmResponse(content=said("Noted.", "model"))


def said(text: str, role: str = "user") -> Content:
    return Content(role=role, parts=[Part(text=text)])


@pytest.fixture
async def service(url: str, key: str | None) -> AsyncIterator[MnemosceneMemoryService]:
    made = MnemosceneMemoryService(url, key)
    yield made
    await made.close()


async def found(service: MnemosceneMemoryService, user_id: str, query: str, app: str = "guide") -> list[str]:
    answer = await service.search_memory(app_name=app, user_id=user_id, query=query)
    return [part.text or "" for entry in answer.memories for part in entry.content.parts or ()]


async def test_agent_knows_the_session_before(service: MnemosceneMemoryService, user_id: str) -> None:
    model, sessions = ScriptedModel(model="scripted"), InMemorySessionService()
    guide = LlmAgent(name="guide", model=model, tools=[preload_memory])
    runner = Runner(app_name="guide", agent=guide, session_service=sessions, memory_service=service)
    for day, text in (("monday", "I am allergic to nuts."), ("tuesday", "Which nuts can I eat?")):
        await sessions.create_session(app_name="guide", user_id=user_id, session_id=day)
        async for _event in runner.run_async(user_id=user_id, session_id=day, new_message=said(text)):
            pass
        session = await sessions.get_session(app_name="guide", user_id=user_id, session_id=day)
        assert session is not None
        await service.add_session_to_memory(session)
        await service.add_session_to_memory(session)
    assert "allergic" in model.seen[1]
    texts = await found(service, user_id, "allergic to nuts")
    assert texts.count("I am allergic to nuts.") == 1
    assert await found(service, user_id, "allergic to nuts", app="other") == []
    assert await found(service, f"{user_id}-other", "allergic to nuts") == []


async def test_memories_are_added_found_and_deleted(service: MnemosceneMemoryService, user_id: str) -> None:
    memory = MemoryEntry(content=said("The spare key is under the mat."), author="guide", custom_metadata={"room": 7})
    empty = MemoryEntry(content=Content(parts=[]))
    await service.add_memory(app_name="guide", user_id=user_id, memories=[memory, empty])
    answer = await service.search_memory(app_name="guide", user_id=user_id, query="spare key")
    entry = answer.memories[0]
    assert entry.content.parts
    assert entry.content.parts[0].text == "The spare key is under the mat."
    assert (entry.author, entry.custom_metadata["room"]) == ("guide", 7)
    with pytest.raises(BadInput, match="no memory of this user"):
        await service.delete_memory(app_name="guide", user_id=f"{user_id}-other", memory_id=entry.id)
    for one in answer.memories:
        await service.delete_memory(app_name="guide", user_id=user_id, memory_id=one.id)
    assert await found(service, user_id, "spare key") == []


async def test_block_of_the_readme_runs(url: str) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n([^`]*from mnemoscene.google_adk .*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(text.replace("http://127.0.0.1:7780", url), names)
    assert names["runner"].memory_service is not None
