"""Google ADK: a memory service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai.types import Content, Part

from mnemoscene.errors import BadInput, NotFound
from mnemoscene.models import Hit, Message
from mnemoscene.operations import DEFAULT_SESSION, MemoryOperations
from mnemoscene.transport import Address, AwaitingTransport, Steps

T = TypeVar("T")

# Key of the app in the metadata of messages.
APP: Final = "app_name"


class MnemosceneMemoryService(BaseMemoryService):
    """The memories of all users of your apps; each app sees only what its own sessions said.

    The key must be one for the whole tenant.

    Args:
        url, tenant: as of `mnemoscene.Memory`.
        api_key: key of the service.
        limit: memories that a search returns, 1 to 100.

    Example:
        runner = Runner(..., memory_service=MnemosceneMemoryService("http://127.0.0.1:7780"))
    """

    def __init__(
        self, url: str | None = None, api_key: str | None = None, *, tenant: str | None = None, limit: int = 10
    ) -> None:
        self.limit = limit
        self._transport = AwaitingTransport(Address.of(url, api_key, tenant))

    async def add_session_to_memory(self, session: Session) -> None:
        """Store what was said in a session; what is stored already stays."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store what was said in events, with your properties."""
        said = [
            _message(text, id=event.id, author=event.author, time=datetime.fromtimestamp(event.timestamp, UTC))
            for event in events
            if not event.partial and (text := _text(event.content))
        ]
        await self._remember(user_id, said, {**(custom_metadata or {}), APP: app_name}, session_id or DEFAULT_SESSION)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memories, with your properties."""
        for entry in memories:
            said = _message(_text(entry.content), id=entry.id, author=entry.author, time=entry.timestamp)
            metadata = {**(custom_metadata or {}), **entry.custom_metadata, APP: app_name}
            await self._remember(user_id, [said] if said.text else [], metadata, DEFAULT_SESSION)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return messages and facts that answer a question, the best first."""
        recall = MemoryOperations(user_id).recall
        selected: dict[str, Any] = {"kinds": ["message", "fact"], "where": {APP: app_name}}
        hits = await self._run(recall(query, limit=self.limit, evidence=0, **selected))
        return SearchMemoryResponse(memories=[_entry(hit) for hit in hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Delete a message or fact that `search_memory` returned, with what was learned from it alone.

        Adding its session once more stores a message again.

        Raises:
            BadInput: it is not a memory of this user.
        """
        if memory_id is None:
            return
        if [unquote(name) for name in urlsplit(memory_id).path.split("/")[2:3]] != [user_id]:
            raise BadInput(f"{memory_id!r} is no memory of this user; use an id that search_memory returned")
        forget = MemoryOperations(user_id).forget
        try:
            await self._run(forget(message=memory_id))
        except (NotFound, BadInput):
            await self._run(forget(fact=memory_id))

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _remember(
        self, user_id: str, said: Sequence[Message], metadata: Mapping[str, object], session_id: str
    ) -> None:
        if said:
            await self._run(MemoryOperations(user_id).remember(said, metadata=metadata, session_id=session_id))

    async def _run(self, steps: Steps[T]) -> T:
        return await self._transport.run(steps)


def _message(text: str, *, id: str | None, author: str | None, time: datetime | str | None) -> Message:
    is_user = author in (None, "user")
    return Message(
        role="user" if is_user else "assistant",
        text=text,
        id=id or None,
        speaker=None if is_user else author,
        time=time,
    )


def _entry(hit: Hit) -> MemoryEntry:
    return MemoryEntry(
        id=hit.uri,
        content=Content(role="user", parts=[Part(text=hit.text)]),
        author=hit.speaker,
        timestamp=hit.said_at.isoformat(),
        custom_metadata={**hit.metadata, "kind": hit.kind, "score": hit.score},
    )


def _text(content: Content | None) -> str:
    """Return what is said, without thoughts, calls of tools, pictures and files."""
    parts = content.parts or [] if content else []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
