"""Import lists of messages as programs keep them for a model: OpenAI, Gemini, LangChain, AI SDK or ShareGPT."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graph_service.importers.import_batch import Conversation, ImportBatch, clean_text, moment
from graph_service.importers.source import Source
from schema.ids import content_hash

_ROLES: Final = {
    "human": "user",
    "HumanMessage": "user",
    "ai": "assistant",
    "AIMessage": "assistant",
    "model": "assistant",
    "gpt": "assistant",
    "developer": "system",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "function": "tool",
}
_WRAPPERS: Final = ("data", "kwargs")
_LISTS: Final = ("messages", "contents", "conversations")
_CONTENTS: Final = ("content", "parts", "value")
_TEXT_PARTS: Final = ("text", "input_text", "output_text")
_SESSION_FIELDS: Final = ("session_id", "conversation_id", "thread_id", "id")
_TIME_FIELDS: Final = ("created_at", "create_time", "timestamp", "time")


def is_message_list(source: Source) -> bool:
    """Return whether the file is a list of messages, or a list or lines of objects with a list of them."""
    head = source.head
    messages = _messages_of(head)
    if isinstance(messages, list) and messages and isinstance(messages[0], Mapping):
        head = messages[0]
    return (
        _role_of(head) is not None
        and "text" not in head
        and any(key in head for key in (*_CONTENTS, *_WRAPPERS, "tool_calls"))
    )


def from_message_lists(source: Source, batch: ImportBatch) -> None:
    """Add the texts of users and assistants; everything else is counted."""
    for number, (place, session, messages) in enumerate(_conversations(source), start=1):
        if not isinstance(messages, list):
            batch.problems.append(f"{place}: messages must be a list")
            continue
        session = session or f"{source.stem}-{number}"
        conversation = Conversation(user_id=source.user_id, session_id=session)
        for index, row in enumerate(messages, start=1):
            with batch.part(f"{place} message {index}"):
                role = _role_of(row)
                if role is None:
                    raise ValueError("must be an object with a role")
                if role in ("user", "assistant"):
                    _add(conversation, batch, _unwrapped(row), role, index)
                else:
                    batch.drop(f"messages of the {role}")
        batch.add_conversation(conversation)


def _conversations(source: Source) -> Iterator[tuple[str, str | None, Any]]:
    """Yield place, session and messages of each conversation."""
    tree = source.tree
    if isinstance(tree, list) and tree and isinstance(tree[0], Mapping) and _messages_of(tree[0]) is None:
        yield source.name, None, tree
        return
    for place, row in source.rows("conversation"):
        if isinstance(row, Mapping):
            names = (row.get(name) for name in _SESSION_FIELDS)
            yield place, next((name for name in names if isinstance(name, str) and name), None), _messages_of(row)
        else:
            yield place, None, row


def _messages_of(row: Mapping[str, Any]) -> Any:
    return next((row[name] for name in _LISTS if name in row), None)


def _unwrapped(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a message, which LangChain may keep under `data` or `kwargs`."""
    return next((row[key] for key in _WRAPPERS if isinstance(row.get(key), Mapping)), row)


def _role_of(row: Any) -> str | None:
    if not isinstance(row, Mapping):
        return None
    names = row.get("id")
    kind = names[-1] if row.get("type") == "constructor" and isinstance(names, list) and names else row.get("type")
    role = row.get("role") or row.get("from") or kind
    return _ROLES.get(role, role) if isinstance(role, str) and role.isidentifier() else None


def _add(conversation: Conversation, batch: ImportBatch, row: Mapping[str, Any], role: str, index: int) -> None:
    content = next((row[name] for name in _CONTENTS if row.get(name) is not None), None)
    if row.get("tool_calls") or row.get("function_call"):
        batch.drop("calls of tools")
        if not content:
            return
    if not isinstance(content, str | list | None):
        raise ValueError("content must be a text or a list of parts")
    text = content if isinstance(content, str) else "\n".join(_texts(content or (), batch))
    written = next((row[name] for name in _TIME_FIELDS if isinstance(row.get(name), str | int | float)), None)
    time = moment(written)
    # Most of these messages have no id, and a repeated import must not store them twice.
    own = row.get("id")
    name = own if isinstance(own, str) and own else content_hash(str(index), role, clean_text(text))
    conversation.add_message(batch, text, message_id=name, role=role, time=time)


def _texts(parts: Any, batch: ImportBatch) -> Iterator[str]:
    for part in parts:
        text = part
        kind = None
        if isinstance(part, Mapping):
            kind, text = part.get("type"), part.get("text")
            text = text.get("value") if isinstance(text, Mapping) else text
        if isinstance(text, str) and kind in (None, *_TEXT_PARTS):
            yield text
        else:
            batch.drop(f"parts of type {kind}" if isinstance(kind, str) else "parts of unknown type")
