"""Import files of conversations in our own formats: documents, JSON lines, and published data sets of conversations."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from graph_service.importers.import_batch import Conversation, ImportBatch
from graph_service.importers.source import Source
from graph_service.memory.ingest.validation import IncomingMessage
from schema.importance import GivenImportance
from schema.message import ProvidedFact


class MessageRow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str = "user"
    text: str
    time: datetime | None = None
    speaker: str | None = None
    id: str | None = None
    importance: GivenImportance = None
    zone: str | None = None
    emotion: str | None = None
    mentioned_start: datetime | None = None
    mentioned_end: datetime | None = None
    tags: tuple[str, ...] = ()

    def incoming(self) -> IncomingMessage:
        return IncomingMessage(**{name: getattr(self, name) for name in MessageRow.model_fields})


class LineRow(MessageRow):
    """A line of a JSONL file: a message with its user and session."""

    user_id: str | None = None
    session_id: str = "imported"
    user_name: str | None = None
    agent_id: str | None = None


class ConversationRow(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str | None = None
    session_id: str
    user_name: str | None = None
    agent_id: str | None = None
    messages: Annotated[list[MessageRow], Field(min_length=1)]
    facts: list[ProvidedFact] = []
    summary: str | None = None


class BenchmarkTurn(BaseModel):
    """A message of a benchmark file; other fields are ignored."""

    id: str
    speaker: str = ""
    text: str


class BenchmarkSession(BaseModel):
    index: int
    date: datetime | None = None
    turns: list[BenchmarkTurn]


class BenchmarkFile(BaseModel):
    """A benchmark file; the first speaker is the user, all others are assistants."""

    id: str
    speakers: list[str] = []
    sessions: list[BenchmarkSession]


def from_lines(source: Source, batch: ImportBatch) -> None:
    """Add the messages of JSON lines, one conversation for each user and session."""
    conversations: dict[tuple[str, str], Conversation] = {}
    for place, line in source.parsed[0]:
        with batch.part(place):
            row = LineRow.model_validate(line)
            user_id = _user_of(source, row)
            conversation = conversations.setdefault(
                (user_id, row.session_id), Conversation(user_id=user_id, session_id=row.session_id)
            )
            conversation.user_name = source.owner.user_name or conversation.user_name or row.user_name
            conversation.agent_id = conversation.agent_id or row.agent_id
            conversation.messages.append(row.incoming())
    for conversation in conversations.values():
        _add(batch, conversation)


def from_conversations(source: Source, batch: ImportBatch) -> None:
    """Add the conversations of a document, each with its facts and summary."""
    tree = source.tree
    rows = tree["conversations"] if isinstance(tree, Mapping) and "conversations" in tree else tree
    for place, row in source.rows("conversation", rows):
        with batch.part(place):
            one = ConversationRow.model_validate(row)
            _add(
                batch,
                Conversation(
                    user_id=_user_of(source, one),
                    session_id=one.session_id,
                    user_name=source.owner.user_name or one.user_name,
                    agent_id=one.agent_id,
                    summary=one.summary,
                    messages=[message.incoming() for message in one.messages],
                    facts=one.facts,
                ),
            )


def from_benchmark(source: Source, batch: ImportBatch) -> None:
    """Add the sessions of a published conversation."""
    for place, row in source.rows("conversation"):
        with batch.part(place):
            file = BenchmarkFile.model_validate(row)
            user = file.speakers[0] if file.speakers else ""
            for session in file.sessions:
                conversation = Conversation(
                    user_id=source.owner.user_id or user or file.id,
                    session_id=f"{file.id}-{session.index}",
                    user_name=source.owner.user_name or user or None,
                    agent_id=file.speakers[1] if len(file.speakers) > 1 else None,
                )
                for turn in session.turns:
                    role = "user" if turn.speaker in ("", user) else "assistant"
                    name, speaker = f"{session.index}-{turn.id}", turn.speaker or None
                    conversation.messages.append(
                        IncomingMessage(role=role, text=turn.text, time=session.date, speaker=speaker, id=name)
                    )
                _add(batch, conversation)


def _user_of(source: Source, row: LineRow | ConversationRow) -> str:
    user_id = source.owner.user_id or row.user_id
    if user_id is None:
        raise ValueError(f"session {row.session_id!r} has no user_id; add it, or give --user")
    return user_id


def _add(batch: ImportBatch, conversation: Conversation) -> None:
    batch.calls += conversation.calls()
    batch.kept["messages"] += len(conversation.messages)
