"""Read a file of conversations or memories, in any supported format, into calls of `remember`."""

from collections.abc import Callable, Mapping
from typing import Final

from graph_service.importers.chat_exports import from_chatgpt, from_claude_export
from graph_service.importers.conversation_files import from_benchmark, from_conversations, from_lines
from graph_service.importers.file_checks import refusal
from graph_service.importers.group_chats import (
    from_slack,
    from_telegram,
    from_whatsapp,
    is_slack,
    is_telegram,
    is_whatsapp,
)
from graph_service.importers.import_batch import ImportBatch
from graph_service.importers.memory_exports import from_mem0, from_memory_server, mem0_rows
from graph_service.importers.message_lists import from_message_lists, is_message_list
from graph_service.importers.source import FileFormat, Owner, Source
from schema.errors import InputError


def _has(*keys: str) -> Callable[[Source], bool]:
    return lambda source: any(key in source.head for key in keys)


# In the order in which they are tried: format, whether a file has it, and what adds its content to a batch; invalid
# parts are left out and added to the problems of the batch.
_FORMATS: Final[tuple[tuple[FileFormat, Callable[[Source], bool], Callable[[Source, ImportBatch], None]], ...]] = (
    (FileFormat.WHATSAPP, lambda source: is_whatsapp(source.text), from_whatsapp),
    (FileFormat.MEMORY_SERVER, lambda source: source.head.get("type") in ("entity", "relation"), from_memory_server),
    (FileFormat.MEM0, lambda source: mem0_rows(source.tree) is not None, from_mem0),
    (FileFormat.CHATGPT, _has("mapping"), from_chatgpt),
    (FileFormat.FLAT_CHAT, _has("chat_messages"), from_claude_export),
    (FileFormat.SLACK, is_slack, from_slack),
    (FileFormat.TELEGRAM, is_telegram, from_telegram),
    (FileFormat.MESSAGES, is_message_list, from_message_lists),
    (FileFormat.JSONL, _has("text"), from_lines),
    (FileFormat.BENCHMARK, _has("sessions"), from_benchmark),
    (FileFormat.MNEMOSCENE, _has("conversations", "session_id", "user_id"), from_conversations),
)
# Formats without an importer, which are named: program, and whether a parsed file is one of its exports.
_UNSUPPORTED: Final[tuple[tuple[str, Callable[[Source], bool]], ...]] = (
    ("Discord", lambda source: {"guild", "channel", "messages"} <= source.head.keys()),
    ("Messenger or Instagram", lambda source: {"participants", "messages"} <= source.head.keys()),
    ("Google Takeout", lambda source: {"header", "products"} <= source.head.keys()),
)


def read_file(
    text: str,
    *,
    name: str,
    form: FileFormat,
    owner: Owner,
    people: Mapping[str, str] | None = None,
    skip_invalid: bool = False,
) -> ImportBatch:
    """Return the calls of `remember` for a file, and counts of what was kept and dropped.

    Args:
        name: name of the file, for messages.
        people: names of people by the ids that the file uses for them.
        skip_invalid: leave out what is invalid, and name it in `problems` of the batch.

    Raises:
        InputError: lists the problems with their places; without `skip_invalid` a file is imported completely or not
            at all.
    """
    source = Source(name=name, text=text, owner=owner, people=people or {})
    batch = ImportBatch()
    if form is FileFormat.EXPORT:
        raise InputError(f"{name}: is not an export of Mnemoscene (its first line does not say so); nothing was stored")
    if form is FileFormat.AUTO:
        program = next((program for program, detect in _UNSUPPORTED if detect(source)), None)
        if program is not None:
            raise InputError(f"{name}: is an export of {program}, which is not supported; nothing was stored")
    fits = (detect(source) if form is FileFormat.AUTO else known is form for known, detect, _ in _FORMATS)
    read = next((read for (_, _, read), fit in zip(_FORMATS, fits, strict=True) if fit), None)
    if read is not None:
        read(source, batch)
    elif not source.parsed[1]:
        raise _unknown(source)
    if read is not from_whatsapp:
        # All the JSON of a file must be readable.
        batch.problems += source.parsed[1]
    if batch.problems and not skip_invalid:
        raise refusal(batch.problems)
    if not batch.calls:
        why = f": {batch.problems[0]}" if batch.problems else ""
        raise InputError(f"{name}: contains no message that can be imported{why}; nothing was stored")
    batch.dropped = +batch.dropped
    return batch


def _unknown(source: Source) -> InputError:
    keys = ", ".join(repr(key)[:40] for key in list(source.head)[:5]) or "none"
    known = ", ".join(form for form in FileFormat if form is not FileFormat.AUTO)
    return InputError(
        f"{source.name}: its format is not known (keys of its first object: {keys}); if it is one of {known}, "
        f"name it with --format; nothing was stored"
    )
