"""Reads a file of conversations or memories, ours or another program's, into calls of `remember`."""

import json
from collections.abc import Mapping
from typing import Any

from graph_service.importers.chat_exports import from_chatgpt, from_flat_export
from graph_service.importers.conversation_files import FileFormat, Owner, read_conversations
from graph_service.importers.import_batch import ImportBatch
from graph_service.importers.memory_exports import from_mem0, from_memory_server, mem0_rows
from schema.errors import InputError
from schema.json_text import read_json


def read_file(text: str, *, name: str, form: FileFormat, owner: Owner) -> ImportBatch:
    """Return what a file holds, and what of it is left out.

    Args:
        name: of the file, for error messages.

    Raises:
        InputError: lists what is wrong and where; a file is taken as a whole or not at all.
    """
    form = _looks_like(text) if form is FileFormat.AUTO else form
    if form in (FileFormat.AUTO, FileFormat.MNEMOGRAPH, FileFormat.BENCHMARK, FileFormat.JSONL):
        found = ImportBatch(calls=read_conversations(text, name=name, form=form, owner=owner))
        found.kept["messages"] = sum(len(call.messages) for call in found.calls)
        return found
    if form is FileFormat.EXPORT:
        raise InputError(f"{name}: is no export of Mnemograph (its first line does not say so); nothing was stored")
    found = _foreign(text, name, form, owner.user_id)
    if not found.calls:
        raise InputError(f"{name}: holds no message that can be kept; nothing was stored")
    return found


def _foreign(text: str, name: str, form: FileFormat, user_id: str | None) -> ImportBatch:
    if form is FileFormat.MEM0:
        return from_mem0(_parsed(text, name), name=name, user_id=user_id)
    if user_id is None:
        raise InputError(f"{name}: does not say whose memory it is; give --user")
    if form is FileFormat.MEMORY_SERVER:
        return from_memory_server(text, name=name, user_id=user_id)
    if form is FileFormat.CHATGPT:
        return from_chatgpt(_parsed(text, name), name=name, user_id=user_id)
    return from_flat_export(_parsed(text, name), name=name, user_id=user_id)


def _looks_like(text: str) -> FileFormat:
    """Return the program that wrote the file; `auto` when it is none of those we know."""
    first = _tree(text.lstrip().partition("\n")[0])
    if isinstance(first, Mapping) and first.get("type") in ("entity", "relation"):
        return FileFormat.MEMORY_SERVER
    tree = first if first is not None else _tree(text)
    if mem0_rows(tree) is not None:
        return FileFormat.MEM0
    head = tree[0] if isinstance(tree, list) and tree else tree
    if isinstance(head, Mapping) and "mapping" in head:
        return FileFormat.CHATGPT
    if isinstance(head, Mapping) and "chat_messages" in head:
        return FileFormat.FLAT_CHAT
    return FileFormat.AUTO


def _tree(text: str) -> Any:
    try:
        return read_json(text)
    except json.JSONDecodeError:
        return None


def _parsed(text: str, name: str) -> Any:
    try:
        return read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} line {error.lineno}: not JSON ({error.msg}); nothing was stored") from error
