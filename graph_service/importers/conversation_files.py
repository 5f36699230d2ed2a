"""Read conversation files for `import` and the demo; a file is checked completely before anything is stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graph_service.importers.file_checks import parse_json, problems_of, raise_problems, validated
from schema.errors import InputError
from schema.importance import GivenImportance
from schema.message import ProvidedFact

if TYPE_CHECKING:
    from graph_service.memory.ingest.validation import RememberRequest

# Below the limits of one `remember` call; longer sessions are split.
MESSAGES_A_CALL = 200
CHARS_A_CALL = 400_000


class FileFormat(StrEnum):
    """The format of a file; `auto` detects it."""

    AUTO = "auto"
    MNEMOSCENE = "mnemoscene"  # {"conversations": [{user_id, session_id, messages: [{role, text, time}]}]}
    BENCHMARK = "benchmark"  # {"id", "speakers", "sessions": [{index, date, turns: [{id, speaker, text}]}]}
    EXPORT = "export"  # an export of `mnemoscene export`
    MEM0 = "mem0"  # result of `get_all`, or an export, of mem0
    MEMORY_SERVER = "memory-server"  # the file of the official MCP memory server
    CHATGPT = "chatgpt-export"  # conversations.json or conversations-000.json … of a ChatGPT export, or its ZIP file
    FLAT_CHAT = "claude-export"  # conversations.json of a Claude export, or its ZIP file
    MESSAGES = "messages"  # messages as OpenAI's API or LangChain has them, one conversation or many
    SLACK = "slack"  # a day of a channel of a Slack export, or its ZIP file
    TELEGRAM = "telegram"  # result.json of Telegram Desktop
    WHATSAPP = "whatsapp"  # the text of an exported WhatsApp chat, or its ZIP file
    JSONL = "jsonl"  # one message per line: {user_id, session_id, role, text, time}


class MessageRow(BaseModel):
    """A message of a conversation file."""

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


class LineRow(MessageRow):
    """A line of a JSONL file: a message with its user and session."""

    user_id: str | None = None
    session_id: str = "imported"
    user_name: str | None = None
    agent_id: str | None = None


class ConversationRow(BaseModel):
    """A session of a conversation file."""

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
    """A session of a benchmark file."""

    index: int
    date: datetime | None = None
    turns: list[BenchmarkTurn]


class BenchmarkFile(BaseModel):
    """A benchmark file; the first speaker is the user, all others are assistants."""

    id: str
    speakers: list[str] = []
    sessions: list[BenchmarkSession]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The user id and name that replace those in the file, and the name under which the user speaks in a chat."""

    user_id: str | None = None
    user_name: str | None = None
    speaker: str | None = None


def read_conversations(
    text: str, *, name: str, form: FileFormat, owner: Owner, problems: list[str] | None = None
) -> "list[RememberRequest]":
    """Return the calls of `remember` for a file, in its order.

    Args:
        name: name of the file, for error messages.
        form: `JSONL`, `BENCHMARK`, or any other for `MNEMOSCENE`.
        problems: receives the invalid rows with their places, which are left out; by default they raise.

    Raises:
        InputError: lists the invalid rows with their places.
    """
    found = list[str]() if problems is None else problems
    if form is FileFormat.JSONL:
        rows = _from_lines(text, name, found)
    elif form is FileFormat.BENCHMARK:
        rows = _from_benchmark(parse_json(text, name=name), name, found)
    else:
        rows = _from_document(parse_json(text, name=name), name, found)
    calls = [call for row in rows for call in _calls(row, owner, name)]
    if problems is None:
        raise_problems(found)
        if not calls:
            raise InputError(f"{name}: contains no message; nothing was stored")
    return calls


def _from_lines(text: str, name: str, problems: list[str]) -> list[ConversationRow]:
    sessions: dict[tuple[str | None, str], list[LineRow]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = LineRow.model_validate_json(line)
        except ValidationError as error:
            problems += problems_of(error, f"{name} line {number}")
        else:
            sessions.setdefault((row.user_id, row.session_id), []).append(row)
    return [_session_of_lines(user_id, session_id, rows) for (user_id, session_id), rows in sessions.items()]


def _session_of_lines(user_id: str | None, session_id: str, rows: Sequence[LineRow]) -> ConversationRow:
    return ConversationRow(
        user_id=user_id,
        session_id=session_id,
        user_name=next((row.user_name for row in rows if row.user_name), None),
        agent_id=next((row.agent_id for row in rows if row.agent_id), None),
        messages=[MessageRow.model_validate(row.model_dump(include=set(MessageRow.model_fields))) for row in rows],
    )


def _from_document(tree: Any, name: str, problems: list[str]) -> list[ConversationRow]:
    rows = tree.get("conversations") if isinstance(tree, dict) and "conversations" in tree else tree
    if not isinstance(rows, list):
        rows = [rows]
    found: list[ConversationRow] = []
    for number, row in enumerate(rows, start=1):
        conversation = validated(ConversationRow, row, f"{name} conversation {number}", problems)
        if conversation is not None:
            found.append(conversation)
    return found


def _from_benchmark(tree: Any, name: str, problems: list[str]) -> list[ConversationRow]:
    file = validated(BenchmarkFile, tree, name, problems)
    if file is None:
        return []
    user = file.speakers[0] if file.speakers else ""
    agent = file.speakers[1] if len(file.speakers) > 1 else None
    return [
        ConversationRow(
            user_id=user or file.id,
            user_name=user or None,
            agent_id=agent,
            session_id=f"{file.id}-{session.index}",
            messages=[_message_of_turn(turn, session.date, user, session.index) for turn in session.turns],
        )
        for session in file.sessions
        if session.turns
    ]


def _message_of_turn(turn: BenchmarkTurn, said_at: datetime | None, user: str, session: int) -> MessageRow:
    role = "user" if turn.speaker in ("", user) else "assistant"
    return MessageRow(role=role, text=turn.text, time=said_at, speaker=turn.speaker or None, id=f"{session}-{turn.id}")


def _calls(row: ConversationRow, owner: Owner, name: str) -> "Iterator[RememberRequest]":
    # Imported here because every start of the command line imports this module.
    from graph_service.importers.import_batch import Conversation
    from graph_service.memory.ingest.validation import IncomingMessage

    user_id = owner.user_id or row.user_id
    if user_id is None:
        raise InputError(f"{name}: session {row.session_id!r} has no user_id; add it, or give --user")
    yield from Conversation(
        user_id=user_id,
        session_id=row.session_id,
        user_name=owner.user_name or row.user_name,
        agent_id=row.agent_id,
        summary=row.summary,
        messages=[IncomingMessage(**message.model_dump()) for message in row.messages],
        facts=row.facts,
    ).calls()
