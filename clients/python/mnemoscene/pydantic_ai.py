"""Pydantic AI: a capability that gives an agent the memory of its user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.run import AgentRunResult
from pydantic_ai.toolsets import AbstractToolset

from mnemoscene.models import Message
from mnemoscene.operations import DEFAULT_SESSION, MemoryOperations
from mnemoscene.transport import Address, AwaitingTransport, Steps

T = TypeVar("T")
Deps = TypeVar("Deps")


@dataclass
class MnemosceneMemory(AbstractCapability[Deps]):
    """Long-term memory: instructions with what is known, tools to search and to store, and a record of what is said.

    The instructions of a run have what the memory knows about its prompt. At its end, what the user and the agent said
    in it is stored in the session of the conversation, without calls of tools and their outputs.

    Args:
        user_id: the user, or a function of the run's context that returns it.
        agent_id, url, tenant: as of `mnemoscene.Memory`.
        api_key: key of the service.
        max_tokens: of the memory in the instructions; 0 leaves it out.
        tools: whether the agent has the tools `search_memory` and `remember`.
        store: whether what is said is stored.

    Example:
        agent = Agent("openai:gpt-5-mini", capabilities=[MnemosceneMemory(user_id=lambda run: run.deps.user_id)])
    """

    user_id: str | Callable[[RunContext[Deps]], str]
    agent_id: str | None = None
    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    tenant: str | None = None
    max_tokens: int = 1_000
    tools: bool = True
    store: bool = True

    def __post_init__(self) -> None:
        self._transport = AwaitingTransport(Address.of(self.url, self.api_key, self.tenant))

    def get_instructions(self) -> Callable[[RunContext[Deps]], Any] | None:
        """Return the instructions with what the memory knows about the user's message."""
        return self._known if self.max_tokens else None

    def get_toolset(self) -> AbstractToolset[Deps] | None:
        """Return the tools."""
        return FunctionToolset([self.search_memory, self.remember], id="mnemoscene") if self.tools else None

    async def search_memory(self, ctx: RunContext[Deps], query: str) -> list[str]:
        """Search what is known of the user and of earlier conversations.

        Args:
            query: a question or some words.
        """
        hits = await self._run(self._memory(ctx).recall(query, limit=10, evidence=0))
        return [f"{hit.said_at:%Y-%m-%d}: {hit.text}" for hit in hits]

    async def remember(self, ctx: RunContext[Deps], text: str) -> str:
        """Remember something of the user for later conversations that was not said in this one.

        Args:
            text: one or more whole sentences.
        """
        await self._run(self._memory(ctx).remember(("assistant", text), session_id=_session(ctx)))
        return "Remembered."

    async def after_run(self, ctx: RunContext[Deps], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Store what was said in the run."""
        said = _said(result.new_messages()) if self.store else []
        if said:
            await self._run(self._memory(ctx).remember(said, session_id=_session(ctx)))
        return result

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _known(self, ctx: RunContext[Deps]) -> str:
        asked = _text(ctx.prompt)
        return (await self._run(self._memory(ctx).context(asked, max_tokens=self.max_tokens))).text if asked else ""

    def _memory(self, ctx: RunContext[Deps]) -> MemoryOperations:
        user_id = self.user_id if isinstance(self.user_id, str) else self.user_id(ctx)
        return MemoryOperations(user_id=user_id, agent_id=self.agent_id)

    async def _run(self, steps: Steps[T]) -> T:
        return await self._transport.run(steps)


def _session(ctx: RunContext[Any]) -> str:
    return ctx.conversation_id or DEFAULT_SESSION


def _said(messages: Sequence[ModelMessage]) -> list[Message]:
    """Return what user and agent said, without prompts of tools and retries."""
    said = []
    for message in messages:
        role = "user" if isinstance(message, ModelRequest) else "assistant"
        for part in message.parts:
            if isinstance(part, UserPromptPart | TextPart) and (text := _text(part.content)):
                said.append(Message(role=role, text=text))
    return said


def _text(content: Any) -> str:
    """Return the text of a prompt, which may have pictures and files beside it."""
    if isinstance(content, str):
        return content
    texts = [part if isinstance(part, str) else getattr(part, "content", None) for part in content or ()]
    return "\n".join(text for text in texts if isinstance(text, str))
