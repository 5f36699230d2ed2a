"""Import conversations of ChatGPT exports (trees) and Claude exports (lists).

Source: exports as users described them in 2025 and 2026. Neither vendor documents the format, so unknown elements are
counted and dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from graph_service.importers.import_batch import Conversation, ImportBatch, moment
from graph_service.importers.source import Source


class ChatGptAuthor(BaseModel):
    role: str


class ChatGptContent(BaseModel):
    """The content of a ChatGPT message; `parts` are texts, or objects for images and audio."""

    content_type: str = "text"
    parts: list[Any] | None = None


class ChatGptMessage(BaseModel):
    id: str
    author: ChatGptAuthor
    create_time: float | None = None
    content: ChatGptContent | None = None
    recipient: str | None = "all"
    metadata: dict[str, Any] = Field(default_factory=dict)


class ChatGptNode(BaseModel):
    """A node in the tree of a conversation; regenerated answers are branches. `message` is checked if shown."""

    message: Any = None
    parent: str | None = None


class ChatGptConversation(BaseModel):
    id: str | None = None
    conversation_id: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    mapping: dict[str, Any]


class ClaudePart(BaseModel):
    type: str = "text"
    text: str | None = None


class ClaudeMessage(BaseModel):
    """A message in a Claude export; an attachment is a file or a pasted text with `extracted_content`."""

    uuid: str
    sender: str
    text: str | None = None
    content: list[ClaudePart] = Field(default_factory=list)
    created_at: str | None = None
    attachments: list[Any] = Field(default_factory=list)
    files: list[Any] = Field(default_factory=list)


class ClaudeConversation(BaseModel):
    uuid: str
    created_at: str | None = None
    chat_messages: list[Any]


def from_chatgpt(source: Source, batch: ImportBatch) -> None:
    """Add the conversations of ChatGPT's `conversations.json`, each with the branch shown last."""
    for place, row in source.rows("conversation"):
        with batch.part(place):
            _add_tree(source, batch, place, ChatGptConversation.model_validate(row))


def _add_tree(source: Source, batch: ImportBatch, place: str, one: ChatGptConversation) -> None:
    nodes: dict[str, ChatGptNode] = {}
    for name, written in one.mapping.items():
        with batch.part(f"{place} node {name}"):
            nodes[name] = ChatGptNode.model_validate(written)
    branch = _branch(one.current_node, nodes)
    unshown_n = sum(node.message is not None for name, node in nodes.items() if name not in branch)
    batch.drop("messages of branches that were not shown last", unshown_n)
    session = one.conversation_id or one.id or place
    conversation = Conversation(user_id=source.user_id, session_id=f"chatgpt-{session}")
    at = one.create_time
    for name in branch:
        if nodes[name].message is None:
            continue
        with batch.part(f"{place} message {name}"):
            message = ChatGptMessage.model_validate(nodes[name].message)
            at = message.create_time or at
            text = _text_of_chatgpt_message(message, batch)
            if text is not None:
                time = moment(at, "create_time")
                conversation.add_message(batch, text, message_id=message.id, role=message.author.role, time=time)
    batch.add_conversation(conversation)


def _branch(current: str | None, nodes: Mapping[str, ChatGptNode]) -> dict[str, None]:
    """Return the ids of the nodes from the root to the node shown last."""
    if current not in nodes:
        parents = {node.parent for node in nodes.values()}
        leaves = [name for name in nodes if name not in parents]
        current = max(leaves, key=lambda name: _time_of(nodes[name]), default=None)
    path: dict[str, None] = {}
    # A damaged file may contain a cycle.
    while current is not None and current in nodes and current not in path:
        path[current] = None
        current = nodes[current].parent
    return dict.fromkeys(reversed(path))


def _time_of(node: ChatGptNode) -> float:
    written = node.message.get("create_time") if isinstance(node.message, Mapping) else None
    return written if isinstance(written, float | int) else 0.0


def _text_of_chatgpt_message(message: ChatGptMessage, batch: ImportBatch) -> str | None:
    """Return the text of a message; None, counted as dropped, if it is not part of the dialogue."""
    content = message.content
    if message.author.role not in ("user", "assistant"):
        batch.drop(f"messages of the {message.author.role}")
    elif message.metadata.get("is_visually_hidden_from_conversation"):
        batch.drop("hidden messages")
    elif message.recipient not in (None, "all"):
        batch.drop("calls of tools")
    elif content is None or content.content_type not in ("text", "multimodal_text"):
        batch.drop(f"messages of type {content.content_type if content else 'none'}")
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


def from_claude_export(source: Source, batch: ImportBatch) -> None:
    """Add the conversations of a Claude export's `conversations.json`."""
    for place, row in source.rows("conversation"):
        with batch.part(place):
            one = ClaudeConversation.model_validate(row)
            conversation = Conversation(user_id=source.user_id, session_id=f"chat-{one.uuid}")
            for number, written in enumerate(one.chat_messages, start=1):
                with batch.part(f"{place} message {number}"):
                    _add_claude_message(conversation, batch, ClaudeMessage.model_validate(written), one.created_at)
            batch.add_conversation(conversation)


def _add_claude_message(
    conversation: Conversation, batch: ImportBatch, message: ClaudeMessage, created_at: str | None
) -> None:
    role = {"human": "user"}.get(message.sender, message.sender)
    time = moment(message.created_at or created_at, "created_at")
    if role in ("user", "assistant"):
        text = "\n".join(filter(None, _texts_of_claude_message(message, batch)))
        conversation.add_message(batch, text, message_id=message.uuid, role=role, time=time)
    else:
        batch.drop(f"messages of the {role}")


def _texts_of_claude_message(message: ClaudeMessage, batch: ImportBatch) -> Iterator[str]:
    for part in message.content:
        if part.type != "text":
            batch.drop(f"parts of type {part.type}")
    yield "\n".join(part.text for part in message.content if part.type == "text" and part.text) or message.text or ""
    # Long pasted text becomes an attachment.
    texts = [one.get("extracted_content") if isinstance(one, Mapping) else None for one in message.attachments]
    pasted = [text for text in texts if isinstance(text, str) and text.strip()]
    yield from pasted
    batch.kept["texts of attachments"] += len(pasted)
    batch.drop("attachments and files", len(texts) - len(pasted) + len(message.files))
