"""Conversations that people export from chat assistants: the trees of ChatGPT and the flat lists of Claude exports.

Source: exports as their users describe them in 2025 and 2026; neither maker documents the form, so what is unknown is
counted and left out instead of guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from graph_service.importers.import_batch import Conversation, ImportBatch, moment, refuse, shaped


class GptAuthor(BaseModel):
    """Who wrote a message."""

    role: str


class GptContent(BaseModel):
    """What a message holds; `parts` are texts, or objects for pictures and sound."""

    content_type: str = "text"
    parts: list[Any] | None = None


class GptMessage(BaseModel):
    """A message of ChatGPT."""

    id: str
    author: GptAuthor
    create_time: float | None = None
    content: GptContent | None = None
    recipient: str | None = "all"
    metadata: dict[str, Any] = Field(default_factory=dict)


class GptNode(BaseModel):
    """A place in the tree of a conversation: answers that were asked for again are branches."""

    message: GptMessage | None = None
    parent: str | None = None


class GptConversation(BaseModel):
    """A conversation of ChatGPT."""

    id: str | None = None
    conversation_id: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    mapping: dict[str, GptNode]


class Part(BaseModel):
    """A piece of a message of a Claude export."""

    type: str = "text"
    text: str | None = None


class FlatMessage(BaseModel):
    """A message of a Claude export."""

    uuid: str
    sender: str
    text: str | None = None
    content: list[Part] = Field(default_factory=list)
    created_at: str | None = None
    attachments: list[Any] = Field(default_factory=list)
    files: list[Any] = Field(default_factory=list)


class FlatConversation(BaseModel):
    """A conversation of a Claude export."""

    uuid: str
    created_at: str | None = None
    chat_messages: list[FlatMessage]


def from_chatgpt(tree: Any, *, name: str, user_id: str) -> ImportBatch:
    """Return the conversations of ChatGPT's `conversations.json`: of each the branch that was shown last.

    Raises:
        InputError: the file has another form; lists where.
    """
    found, problems = ImportBatch(), list[str]()
    for number, row in enumerate(tree if isinstance(tree, list) else [tree], start=1):
        one = shaped(GptConversation, row, f"{name} conversation {number}", problems)
        if one is None:
            continue
        branch = _branch(one)
        unseen = sum(node.message is not None for place, node in one.mapping.items() if place not in branch)
        _count(found, "messages of branches that were not shown last", unseen)
        session = one.conversation_id or one.id or f"{name}-{number}"
        talk = Conversation(user_id=user_id, session_id=f"chatgpt-{session}")
        at = one.create_time
        for message in (one.mapping[place].message for place in branch):
            if message is None:
                continue
            at = message.create_time or at
            text = _text_of_gpt(message, found)
            if text is None:
                continue
            try:
                time = moment(at)
            except ValueError as error:
                problems.append(f"{name} conversation {number}: create_time of {message.id}: {error}")
                continue
            talk.say(found, text, message_id=message.id, role=message.author.role, time=time)
        _finish(found, talk)
    refuse(problems)
    return found


def _branch(one: GptConversation) -> dict[str, None]:
    """Return places from the root to what was shown last, in order."""
    leaf = one.current_node
    if leaf not in one.mapping:
        parents = {node.parent for node in one.mapping.values()}
        leaves = [place for place in one.mapping if place not in parents]
        leaf = max(leaves, key=lambda place: _time_of(one.mapping[place]), default=None)
    way: dict[str, None] = {}
    # A damaged file may lead in a circle.
    while leaf is not None and leaf in one.mapping and leaf not in way:
        way[leaf] = None
        leaf = one.mapping[leaf].parent
    return dict.fromkeys(reversed(way))


def _time_of(node: GptNode) -> float:
    return (node.message.create_time or 0.0) if node.message else 0.0


def _text_of_gpt(message: GptMessage, found: ImportBatch) -> str | None:
    """Return what somebody said; None, and why in the report, for anything else."""
    content = message.content
    if message.author.role not in ("user", "assistant"):
        found.dropped[f"messages of the {message.author.role}"] += 1
    elif message.metadata.get("is_visually_hidden_from_conversation"):
        found.dropped["hidden messages"] += 1
    elif message.recipient not in (None, "all"):
        found.dropped["calls of tools"] += 1
    elif content is None or content.content_type not in ("text", "multimodal_text"):
        found.dropped[f"messages of type {content.content_type if content else 'none'}"] += 1
    else:
        return "\n".join(_texts(content.parts or (), found))
    return None


def _texts(parts: Sequence[Any], found: ImportBatch) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            if part:
                yield part
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]
        else:
            kind = part.get("content_type", "unknown") if isinstance(part, Mapping) else "unknown"
            found.dropped[f"parts of type {kind}"] += 1


def from_flat_export(tree: Any, *, name: str, user_id: str) -> ImportBatch:
    """Return the conversations of a Claude export's `conversations.json`.

    Raises:
        InputError: the file has another form; lists where.
    """
    found, problems = ImportBatch(), list[str]()
    for number, row in enumerate(tree if isinstance(tree, list) else [tree], start=1):
        place = f"{name} conversation {number}"
        one = shaped(FlatConversation, row, place, problems)
        if one is None:
            continue
        talk = Conversation(user_id=user_id, session_id=f"chat-{one.uuid}")
        for message in one.chat_messages:
            try:
                at = moment(message.created_at or one.created_at)
            except ValueError as error:
                problems.append(f"{place}: created_at of {message.uuid}: {error}")
                continue
            role = {"human": "user"}.get(message.sender, message.sender)
            _count(found, "attachments and files", len(message.attachments) + len(message.files))
            if role not in ("user", "assistant"):
                found.dropped[f"messages of the {role}"] += 1
            else:
                talk.say(found, _text_of_flat(message, found), message_id=message.uuid, role=role, time=at)
        _finish(found, talk)
    refuse(problems)
    return found


def _text_of_flat(message: FlatMessage, found: ImportBatch) -> str:
    for part in message.content:
        if part.type != "text":
            found.dropped[f"parts of type {part.type}"] += 1
    said = [part.text for part in message.content if part.type == "text" and part.text]
    return "\n".join(said) or message.text or ""


def _finish(found: ImportBatch, talk: Conversation) -> None:
    if talk.messages:
        found.calls += talk.calls()
        found.kept["conversations"] += 1
    else:
        found.dropped["conversations without a message that is kept"] += 1


def _count(found: ImportBatch, what: str, number: int) -> None:
    if number:
        found.dropped[what] += number
