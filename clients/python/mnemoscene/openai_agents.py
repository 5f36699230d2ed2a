"""OpenAI Agents: a `Session` that is also long-term memory, and instructions that include it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from mnemoscene.errors import NotFound
from mnemoscene.memory import AsyncMemory
from mnemoscene.models import Message, StoredMessage

if TYPE_CHECKING:
    from agents import Agent, RunContextWrapper, TResponseInputItem
    from agents.memory import SessionSettings

C = TypeVar("C")

ROLES: Final = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class MnemosceneSession:
    """The items of a conversation, verbatim and in order; what users and agents say in them becomes memory.

    Calls, outputs of tools and reasoning are kept, but neither searched nor read for facts.

    Args:
        session_id: your id of the conversation.
        user_id, agent_id, url, tenant: as of `mnemoscene.Memory`.
        api_key: key of the service.

    Example:
        session = MnemosceneSession("monday", user_id="ana", url="http://127.0.0.1:7780")
        result = await Runner.run(agent, "I moved to Lisbon.", session=session)
    """

    def __init__(
        self,
        session_id: str,
        *,
        user_id: str,
        url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        tenant: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id, self.session_settings = session_id, session_settings
        self.memory = AsyncMemory(url, api_key, user_id=user_id, agent_id=agent_id, tenant=tenant)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in order; with `limit` the latest ones."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        if limit is None:
            return [_item(message) async for message in self.memory.messages(self.session_id)]
        latest: list[TResponseInputItem] = []
        if limit > 0:
            async for message in self.memory.messages(self.session_id, newest_first=True, limit=limit):
                latest.append(_item(message))
        return latest[::-1]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items."""
        if items:
            await self.memory.remember([_message(item) for item in items], session_id=self.session_id)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove and return the latest item, with what was learned from it; None if there is none."""
        async for message in self.memory.messages(self.session_id, newest_first=True, limit=1):
            await self.memory.forget(message=message.uri)
            return _item(message)
        return None

    async def clear_session(self) -> None:
        """Remove all items, with what was learned from them alone."""
        try:
            await self.memory.forget(session=self.session_id)
        except NotFound:
            return

    async def close(self) -> None:
        """Close the connections."""
        await self.memory.close()


def memory_instructions(
    text: str,
    *,
    user_id: str,
    url: str | None = None,
    api_key: str | None = None,
    max_tokens: int = 1_000,
    agent_id: str | None = None,
    tenant: str | None = None,
) -> Callable[[RunContextWrapper[C], Agent[C]], Awaitable[str]]:
    """Return instructions of an agent: a text, followed by what the memory knows about the user's latest message.

    Example:
        agent = Agent(name="Guide", instructions=memory_instructions("Answer briefly.", user_id="ana", max_tokens=300))
    """
    memory = AsyncMemory(url, api_key, user_id=user_id, agent_id=agent_id, tenant=tenant)

    async def instructions(context: RunContextWrapper[C], agent: Agent[C]) -> str:
        said = [_text(item) for item in context.turn_input if _role(item) == "user"]
        known = await memory.context(next(filter(None, reversed(said)), ""), max_tokens=max_tokens)
        return f"{text}\n\n{known.text}"

    return instructions


def _message(item: TResponseInputItem) -> Message:
    """Return an item as a message; the whole item is its payload."""
    return Message(role=ROLES.get(_role(item), "tool"), text=_text(item), raw=item)


def _item(message: StoredMessage) -> TResponseInputItem:
    raw = message.raw if message.raw is not None else {"role": message.role, "content": message.text}
    return cast("TResponseInputItem", raw)


def _role(item: Any) -> str:
    return str(item.get("role", "")) if item.get("type", "message") == "message" else ""


def _text(item: Any) -> str:
    """Return what a message says; an empty text for other items."""
    if not _role(item):
        return ""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in content or () if isinstance(part, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str))
