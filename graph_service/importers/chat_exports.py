"""Import conversations of ChatGPT exports (trees) and Claude exports (lists).

Source: exports as users described them in 2025 and 2026. Neither vendor documents the format, so unknown elements are
counted and dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from graph_service.importers.file_checks import raise_problems, validated
from graph_service.importers.import_batch import Conversation, ImportBatch, moment


class ChatGptAuthor(BaseModel):
    """The author of a ChatGPT message."""

    role: str


class ChatGptContent(BaseModel):
    """The content of a ChatGPT message; `parts` are texts, or objects for images and audio."""

    content_type: str = "text"
    parts: list[Any] | None = None


class ChatGptMessage(BaseModel):
    """A message of ChatGPT."""

    id: str
    author: ChatGptAuthor
    create_time: float | None = None
    content: ChatGptContent | None = None
    recipient: str | None = "all"
    metadata: dict[str, Any] = Field(default_factory=dict)


class ChatGptNode(BaseModel):
    """A node in the tree of a conversation; regenerated answers are branches."""

    message: ChatGptMessage | None = None
    parent: str | None = None


class ChatGptConversation(BaseModel):
    """A conversation of ChatGPT."""

    id: str | None = None
    conversation_id: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    mapping: dict[str, ChatGptNode]


class ClaudePart(BaseModel):
    """A part of a message in a Claude export."""

    type: str = "text"
    text: str | None = None


class ClaudeMessage(BaseModel):
    """A message in a Claude export."""

    uuid: str
    sender: str
    text: str | None = None
    content: list[ClaudePart] = Field(default_factory=list)
    created_at: str | None = None
    attachments: list[Any] = Field(default_factory=list)
    files: list[Any] = Field(default_factory=list)


class ClaudeConversation(BaseModel):
    """A conversation in a Claude export."""

    uuid: str
    created_at: str | None = None
    chat_messages: list[ClaudeMessage]


def from_chatgpt(tree: Any, *, name: str, user_id: str) -> ImportBatch:
    """Return the conversations of ChatGPT's `conversations.json`, each with the branch shown last.

    Raises:
        InputError: lists the rows with an unexpected structure.
    """
    batch, problems = ImportBatch(), list[str]()
    for number, row in enumerate(tree if isinstance(tree, list) else [tree], start=1):
        one = validated(ChatGptConversation, row, f"{name} conversation {number}", problems)
        if one is None:
            continue
        branch = _branch(one)
        unshown_n = sum(node.message is not None for place, node in one.mapping.items() if place not in branch)
        _count_dropped(batch, "messages of branches that were not shown last", unshown_n)
        session = one.conversation_id or one.id or f"{name}-{number}"
        conversation = Conversation(user_id=user_id, session_id=f"chatgpt-{session}")
        at = one.create_time
        for message in (one.mapping[place].message for place in branch):
            if message is None:
                continue
            at = message.create_time or at
            text = _text_of_chatgpt_message(message, batch)
            if text is None:
                continue
            try:
                time = moment(at)
            except ValueError as error:
                problems.append(f"{name} conversation {number}: create_time of {message.id}: {error}")
                continue
            conversation.add_message(batch, text, message_id=message.id, role=message.author.role, time=time)
        _add_conversation(batch, conversation)
    raise_problems(problems)
    return batch


def _branch(one: ChatGptConversation) -> dict[str, None]:
    """Return the ids of the nodes from the root to the node shown last."""
    node_id = one.current_node
    if node_id not in one.mapping:
        parents = {node.parent for node in one.mapping.values()}
        leaves = [place for place in one.mapping if place not in parents]
        node_id = max(leaves, key=lambda place: _time_of(one.mapping[place]), default=None)
    path: dict[str, None] = {}
    # A damaged file may contain a cycle.
    while node_id is not None and node_id in one.mapping and node_id not in path:
        path[node_id] = None
        node_id = one.mapping[node_id].parent
    return dict.fromkeys(reversed(path))


def _time_of(node: ChatGptNode) -> float:
    return (node.message.create_time or 0.0) if node.message else 0.0


def _text_of_chatgpt_message(message: ChatGptMessage, batch: ImportBatch) -> str | None:
    """Return the text of a message; None, counted as dropped, if it is not part of the dialogue."""
    content = message.content
    if message.author.role not in ("user", "assistant"):
        batch.dropped[f"messages of the {message.author.role}"] += 1
    elif message.metadata.get("is_visually_hidden_from_conversation"):
        batch.dropped["hidden messages"] += 1
    elif message.recipient not in (None, "all"):
        batch.dropped["calls of tools"] += 1
    elif content is None or content.content_type not in ("text", "multimodal_text"):
        batch.dropped[f"messages of type {content.content_type if content else 'none'}"] += 1
    else:
        return "\n".join(_texts(content.parts or (), batch))
    return None


def _texts(parts: Sequence[Any], batch: ImportBatch) -> Iterator[str]:
    for part in parts:
        if isinstance(part, str):
            if part:
                yield part
        elif isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]
        else:
            kind = part.get("content_type", "unknown") if isinstance(part, Mapping) else "unknown"
            batch.dropped[f"parts of type {kind}"] += 1


def from_claude_export(tree: Any, *, name: str, user_id: str) -> ImportBatch:
    """Return the conversations of a Claude export's `conversations.json`.

    Raises:
        InputError: lists the rows with an unexpected structure.
    """
    batch, problems = ImportBatch(), list[str]()
    for number, row in enumerate(tree if isinstance(tree, list) else [tree], start=1):
        place = f"{name} conversation {number}"
        one = validated(ClaudeConversation, row, place, problems)
        if one is None:
            continue
        conversation = Conversation(user_id=user_id, session_id=f"chat-{one.uuid}")
        for message in one.chat_messages:
            try:
                at = moment(message.created_at or one.created_at)
            except ValueError as error:
                problems.append(f"{place}: created_at of {message.uuid}: {error}")
                continue
            role = {"human": "user"}.get(message.sender, message.sender)
            _count_dropped(batch, "attachments and files", len(message.attachments) + len(message.files))
            if role not in ("user", "assistant"):
                batch.dropped[f"messages of the {role}"] += 1
            else:
                conversation.add_message(
                    batch, _text_of_claude_message(message, batch), message_id=message.uuid, role=role, time=at
                )
        _add_conversation(batch, conversation)
    raise_problems(problems)
    return batch


def _text_of_claude_message(message: ClaudeMessage, batch: ImportBatch) -> str:
    for part in message.content:
        if part.type != "text":
            batch.dropped[f"parts of type {part.type}"] += 1
    texts = [part.text for part in message.content if part.type == "text" and part.text]
    return "\n".join(texts) or message.text or ""


def _add_conversation(batch: ImportBatch, conversation: Conversation) -> None:
    if conversation.messages:
        batch.calls += conversation.calls()
        batch.kept["conversations"] += 1
    else:
        batch.dropped["conversations without a message that is kept"] += 1


def _count_dropped(batch: ImportBatch, what: str, number: int) -> None:
    if number:
        batch.dropped[what] += number
