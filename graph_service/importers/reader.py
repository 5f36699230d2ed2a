"""Read a file of conversations or memories, in any supported format, into calls of `remember`."""

import json
from collections.abc import Mapping
from typing import Any

from graph_service.importers.chat_exports import from_chatgpt, from_claude_export
from graph_service.importers.conversation_files import FileFormat, Owner, read_conversations
from graph_service.importers.file_checks import parse_json
from graph_service.importers.import_batch import ImportBatch
from graph_service.importers.memory_exports import from_mem0, from_memory_server, mem0_rows
from schema.errors import InputError
from schema.json_text import read_json


def read_file(text: str, *, name: str, form: FileFormat, owner: Owner) -> ImportBatch:
    """Return the calls of `remember` for a file, and counts of what was kept and dropped.

    Args:
        name: name of the file, for error messages.

    Raises:
        InputError: lists the problems with their places; a file is imported completely or not at all.
    """
    form = _detect_foreign_format(text) if form is FileFormat.AUTO else form
    if form in (FileFormat.AUTO, FileFormat.MNEMOGRAPH, FileFormat.BENCHMARK, FileFormat.JSONL):
        batch = ImportBatch(calls=read_conversations(text, name=name, form=form, owner=owner))
        batch.kept["messages"] = sum(len(call.messages) for call in batch.calls)
        return batch
    if form is FileFormat.EXPORT:
        raise InputError(f"{name}: is not an export of Mnemograph (its first line does not say so); nothing was stored")
    batch = _read_foreign(text, name, form, owner.user_id)
    if not batch.calls:
        raise InputError(f"{name}: contains no message that can be imported; nothing was stored")
    return batch


def _read_foreign(text: str, name: str, form: FileFormat, user_id: str | None) -> ImportBatch:
    if form is FileFormat.MEM0:
        return from_mem0(parse_json(text, name=name), name=name, user_id=user_id)
    if user_id is None:
        raise InputError(f"{name}: does not say whose memory it is; give --user")
    if form is FileFormat.MEMORY_SERVER:
        return from_memory_server(text, name=name, user_id=user_id)
    if form is FileFormat.CHATGPT:
        return from_chatgpt(parse_json(text, name=name), name=name, user_id=user_id)
    return from_claude_export(parse_json(text, name=name), name=name, user_id=user_id)


def _detect_foreign_format(text: str) -> FileFormat:
    """Return the format of another program's file; `auto` if unknown."""
    first = _parse_or_none(text.lstrip().partition("\n")[0])
    if isinstance(first, Mapping) and first.get("type") in ("entity", "relation"):
        return FileFormat.MEMORY_SERVER
    tree = first if first is not None else _parse_or_none(text)
    if mem0_rows(tree) is not None:
        return FileFormat.MEM0
    head = tree[0] if isinstance(tree, list) and tree else tree
    if isinstance(head, Mapping) and "mapping" in head:
        return FileFormat.CHATGPT
    if isinstance(head, Mapping) and "chat_messages" in head:
        return FileFormat.FLAT_CHAT
    return FileFormat.AUTO


def _parse_or_none(text: str) -> Any:
    try:
        return read_json(text)
    except json.JSONDecodeError:
        return None
