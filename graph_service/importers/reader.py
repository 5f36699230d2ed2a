"""Read a file of conversations or memories, in any supported format, into calls of `remember`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from graph_service.importers.chat_exports import from_chatgpt, from_claude_export
from graph_service.importers.conversation_files import FileFormat, Owner, read_conversations
from graph_service.importers.file_checks import raise_problems
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
from graph_service.importers.source import Source
from schema.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class _Format:
    """A format of files.

    Attributes:
        read: adds the content to a batch; invalid parts are left out and added to its problems.
    """

    form: FileFormat
    detect: Callable[[Source], bool]
    read: Callable[[Source, ImportBatch], None]

    def fits(self, source: Source, form: FileFormat) -> bool:
        """Return whether a file has this format, as its name or its content says."""
        return self.detect(source) if form is FileFormat.AUTO else self.form is form


def _read_own(source: Source, batch: ImportBatch, form: FileFormat) -> None:
    batch.calls += read_conversations(
        source.text, name=source.name, form=form, owner=source.owner, problems=batch.problems
    )
    batch.kept["messages"] = sum(len(call.messages) for call in batch.calls)


def _has(*keys: str) -> Callable[[Source], bool]:
    return lambda source: any(key in source.head for key in keys)


# In the order in which they are tried.
_FORMATS: Final = (
    _Format(
        form=FileFormat.MEMORY_SERVER,
        detect=lambda source: source.head.get("type") in ("entity", "relation"),
        read=from_memory_server,
    ),
    _Format(form=FileFormat.MEM0, detect=lambda source: mem0_rows(source.tree) is not None, read=from_mem0),
    _Format(form=FileFormat.CHATGPT, detect=_has("mapping"), read=from_chatgpt),
    _Format(form=FileFormat.FLAT_CHAT, detect=_has("chat_messages"), read=from_claude_export),
    _Format(form=FileFormat.SLACK, detect=is_slack, read=from_slack),
    _Format(form=FileFormat.TELEGRAM, detect=is_telegram, read=from_telegram),
    _Format(form=FileFormat.MESSAGES, detect=is_message_list, read=from_message_lists),
    _Format(
        form=FileFormat.JSONL,
        detect=_has("text"),
        read=lambda source, batch: _read_own(source, batch, FileFormat.JSONL),
    ),
    _Format(
        form=FileFormat.BENCHMARK,
        detect=_has("sessions"),
        read=lambda source, batch: _read_own(source, batch, FileFormat.BENCHMARK),
    ),
    _Format(
        form=FileFormat.MNEMOSCENE,
        detect=_has("conversations", "session_id", "user_id"),
        read=lambda source, batch: _read_own(source, batch, FileFormat.MNEMOSCENE),
    ),
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
        _refuse_unsupported(source)
    if form is FileFormat.WHATSAPP or (form is FileFormat.AUTO and is_whatsapp(text)):
        from_whatsapp(source, batch)
    else:
        known = next((one for one in _FORMATS if one.fits(source, form)), None)
        if known is not None:
            known.read(source, batch)
        if known is None or known.form not in _OWN:
            batch.problems += source.parsed[1]
        if known is None and not batch.problems:
            raise _unknown(source)
    if not skip_invalid:
        raise_problems(batch.problems)
    if not batch.calls:
        why = f": {batch.problems[0]}" if batch.problems else ""
        raise InputError(f"{name}: contains no message that can be imported{why}; nothing was stored")
    batch.dropped = +batch.dropped
    return batch


_OWN: Final = (FileFormat.JSONL, FileFormat.BENCHMARK, FileFormat.MNEMOSCENE)


def _refuse_unsupported(source: Source) -> None:
    program = next((program for program, detect in _UNSUPPORTED if detect(source)), None)
    if program is not None:
        raise InputError(f"{source.name}: is an export of {program}, which is not supported; nothing was stored")


def _unknown(source: Source) -> InputError:
    keys = ", ".join(repr(key)[:40] for key in list(source.head)[:5]) or "none"
    known = ", ".join(form for form in FileFormat if form is not FileFormat.AUTO)
    return InputError(
        f"{source.name}: its format is not known (keys of its first object: {keys}); if it is one of {known}, "
        f"name it with --format; nothing was stored"
    )
