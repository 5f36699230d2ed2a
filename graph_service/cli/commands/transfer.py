"""`mnemoscene import` and `export`: conversations and memories from files, and a whole memory in one."""

import json
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final

import typer

from extraction.verified_files import replacing
from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, command, one_of
from graph_service.cli.service_client import client_in_process
from graph_service.cli.signals import run
from graph_service.cli.terminal import ProgressBars
from graph_service.importers.file_checks import check_size, listed, refusal, text_of
from graph_service.importers.source import FileFormat, Owner
from graph_service.observability.progress import Step
from graph_service.observability.terminal_text import shown, shown_json
from schema.errors import InputError
from schema.ids import TenantId
from schema.session import CloseReason

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.importers.import_batch import ImportBatch
    from graph_service.memory.export_import.exporter import ExportResult
    from graph_service.memory.export_import.service import ExportFormat
    from graph_service.memory.ingest.validation import RememberRequest


# Enough for the first line of a Mnemoscene export, by which it is recognised.
_HEAD_BYTES_MAX = 65_536
# Members of an archive that are conversations; the first of these patterns that matches any decides.
_MEMBERS: Final = (
    re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json"),  # of chat programs; in parts since 2026
    re.compile(r"(?:.*/)?[^/]+/\d{4}-\d{2}-\d{2}\.json"),  # Slack: channel and day
    re.compile(r"(?:.*/)?result\.json"),  # Telegram
    re.compile(r"[^/]+\.txt"),  # WhatsApp
)
_SLACK_USERS: Final = "users.json"
_ADVICE: Final = "Correct these, or leave them out with --skip-invalid"


@command
def import_files(
    call: Invocation,
    files: Annotated[list[Path] | None, typer.Argument(help="JSON, JSONL or ZIP files.", show_default=False)] = None,
    user: Annotated[
        str | None, typer.Option(help="The user who owns the memory, instead of the users named in the files.")
    ] = None,
    speaker: Annotated[
        str | None, typer.Option(help="The user's name in a chat of several people; by default the one like --user.")
    ] = None,
    form: Annotated[FileFormat, typer.Option("--format", help="The format of the files.")] = FileFormat.AUTO,
    graphiti: Annotated[
        str | None, typer.Option(help="Instead of files: the Neo4j of a Graphiti memory, bolt://…")
    ] = None,
    graphiti_user: Annotated[str, typer.Option(help="The user of that Neo4j.")] = "neo4j",
    graphiti_password_file: Annotated[Path | None, typer.Option(help="A file with its password.")] = None,
    graphiti_group: Annotated[str | None, typer.Option(help="Only this Graphiti group.")] = None,
    skip_invalid: Annotated[
        bool,
        typer.Option("--skip-invalid", help="Leave out and name what is invalid, instead of refusing all."),
    ] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until facts are extracted.")] = False,
) -> None:
    """Import conversations or memories from Mnemoscene or other programs; checks all files before storing anything."""
    if (graphiti is None) == (not files):
        raise InputError("name either files to import, or the Neo4j of a Graphiti memory with --graphiti")
    if files and form in (FileFormat.AUTO, FileFormat.EXPORT) and any(map(_is_export, files)):
        if len(files) > 1:
            raise InputError("an export is a whole tenant: import it alone, into an empty tenant (--tenant NAME)")
        run(_import_export(call, files[0], wait=not no_wait))
        return
    if graphiti is None:
        batch = _read(files or (), form, Owner(user_id=user, speaker=speaker), skip_invalid=skip_invalid)
    else:
        if graphiti_password_file is None:
            raise InputError("use --graphiti-password-file: a file with the password of that Neo4j and nothing else")
        password = text_of(graphiti_password_file).strip()
        batch = run(_read_graphiti(graphiti, graphiti_user, password, group=graphiti_group, user_id=user))
    _check(batch, call.tenant, skip_invalid=skip_invalid)
    run(_import(call, batch, wait=not no_wait))


async def store_all(
    services: "Services", tenant: TenantId, calls: Sequence["RememberRequest"], bars: ProgressBars
) -> tuple[int, int]:
    """Store messages; return the numbers of new ones and of those already stored."""
    stored = repeated = 0
    total = sum(len(call.messages) for call in calls)
    for call in calls:
        receipt = await services.memory.remember(tenant, call)
        stored += receipt.stored
        repeated += receipt.repeated
        bars(Step(part="storing", doing="messages", done=stored + repeated, total=total, unit="messages"))
    return stored, repeated


def _read(files: Sequence[Path], form: FileFormat, owner: Owner, *, skip_invalid: bool) -> "ImportBatch":
    from graph_service.importers.import_batch import ImportBatch
    from graph_service.importers.reader import read_file

    batch, problems = ImportBatch(), list[str]()
    for file in files:
        for name, text, people in _texts(file):
            try:
                batch.add(read_file(text, name=name, form=form, owner=owner, people=people, skip_invalid=skip_invalid))
            except InputError as error:
                problems += error.problems
    if problems and not (skip_invalid and batch.calls):
        raise refusal(problems, _ADVICE)
    batch.problems += problems
    return batch


async def _read_graphiti(
    uri: str, user: str, password: str, *, group: str | None, user_id: str | None
) -> "ImportBatch":
    from graph_service.graph.graphiti_source import graphiti_graph
    from graph_service.importers.graphiti import from_graphiti

    episodes, facts, rest = await graphiti_graph(uri, user=user, password=password, group=group)
    batch = from_graphiti(episodes, facts, rest, user_id=user_id)
    if not batch.calls:
        raise InputError(f"{uri}: contains no Graphiti episode or fact; nothing was stored")
    return batch


def _check(batch: "ImportBatch", tenant: TenantId, *, skip_invalid: bool) -> None:
    """Check all messages and facts; count the facts that cannot be stored."""
    from graph_service.memory.ingest.validation import check_request

    now, problems, valid = datetime.now(UTC), list[str](), []
    for call in batch.calls:
        try:
            dropped = check_request(tenant, call, now=now).dropped
        except InputError as error:
            problems += [f"session {call.session_id!r}: {problem}" for problem in error.problems]
        else:
            valid.append(call)
            batch.drop("facts with too long or missing words", len(dropped))
    if problems and not (skip_invalid and valid):
        raise refusal(problems, _ADVICE)
    batch.calls = valid
    batch.problems += problems


def _is_export(file: Path) -> bool:
    from graph_service.memory.export_import.importer import is_export

    try:
        with file.open("rb") as lines:
            return is_export(lines.readline(_HEAD_BYTES_MAX).decode("utf-8", errors="replace"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error


async def _import_export(call: Invocation, file: Path, *, wait: bool) -> None:
    """Import a file that `mnemoscene export` wrote."""
    async with open_for(call) as services:
        with ProgressBars(call.terminal) as bars:
            done = await services.memory.transfer.import_file(call.tenant, file, on_progress=bars.counted("import"))
        if wait:
            await client_in_process(services, call.tenant, run_jobs=True).finish_jobs(call.terminal)
    document = {"nodes": done.nodes, "edges": done.edges, "users": list(done.users), "vectors": done.vectors}
    vectors = "" if done.vectors else "; vectors are computed again"
    users = ", ".join(done.users)
    call.terminal.report(document, lambda: f"{done.nodes} nodes and {done.edges} edges; users: {users}{vectors}")


def _texts(file: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield name and text of each file with conversations, and the names of people in an archive of Slack."""
    if not zipfile.is_zipfile(file):
        yield str(file), text_of(file), {}
        return
    with _archive(file) as archive:
        names = sorted(archive.namelist())
        pattern = next((one for one in _MEMBERS if any(map(one.fullmatch, names))), None)
        if pattern is None:
            raise InputError(
                f"{file}: the archive contains no conversations (conversations.json, conversations-000.json …, days of "
                "Slack channels, result.json of Telegram, or a WhatsApp text)"
            )
        members = [name for name in names if pattern.fullmatch(name)]
        # Only these members are unpacked.
        check_size(file, sum(archive.getinfo(name).file_size for name in members))
        people = _slack_people(_member(file, archive, _SLACK_USERS)) if _SLACK_USERS in names else {}
        for name in members:
            # On iOS every chat is `_chat.txt`; the archive has its name.
            yield str(file) if name == "_chat.txt" else f"{file}/{name}", _member(file, archive, name), people


def _archive(file: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"{file}: is a damaged archive ({error})") from error


def _member(file: Path, archive: zipfile.ZipFile, name: str) -> str:
    try:
        check_size(file, archive.getinfo(name).file_size)
        return archive.read(name).decode("utf-8-sig")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError) as error:
        raise InputError(f"{file}: the archive has no readable {name}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: {name} is not UTF-8 at byte {error.start}; convert it first") from error


def _slack_people(text: str) -> dict[str, str]:
    from schema.json_text import read_json

    try:
        rows = read_json(text)
    except json.JSONDecodeError:
        return {}
    found = {}
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and isinstance(row.get("id"), str):
            profile = row["profile"] if isinstance(row.get("profile"), dict) else {}
            names = (row.get("real_name"), profile.get("real_name"), profile.get("display_name"), row.get("name"))
            found[row["id"]] = next((name for name in names if isinstance(name, str) and name), row["id"])
    return found


async def _import(call: Invocation, batch: "ImportBatch", *, wait: bool) -> None:
    async with open_for(call) as services:
        with ProgressBars(call.terminal) as bars:
            stored, repeated = await store_all(services, call.tenant, batch.calls, bars)
        # Conversations in a file are over: close their sessions, so that a model need not wait for more messages.
        await services.memory.sessions.close_active(CloseReason.IMPORT)
        if wait:
            await client_in_process(services, call.tenant, run_jobs=True).finish_jobs(call.terminal)
    users = sorted({one.user_id for one in batch.calls})
    kept, dropped = ({what: n for what, n in sorted(part.items()) if n} for part in (batch.kept, batch.dropped))
    document = {
        "stored": stored,
        "repeated": repeated,
        "users": users,
        "extracted": wait,
        "kept": kept,
        "dropped": dropped,
        "invalid": batch.problems,
    }
    lines = [f"{stored} messages stored, {repeated} stored already; users: {', '.join(users)}"]
    lines += [f"{word}: {_counted(part)}" for word, part in (("kept", kept), ("left out", dropped)) if part]
    if batch.problems:
        lines += [f"invalid, left out: {len(batch.problems)}", *listed(batch.problems)]
    call.terminal.report(document, lambda: "\n".join(lines))


def _counted(part: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in part.items())


@command
def export(
    call: Invocation,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; standard output by default.")] = None,
    form: Annotated[
        str,
        typer.Option("--format", help="jsonl: everything; graphml: the graph, for Gephi."),
    ] = "jsonl",
    vectors: Annotated[
        bool, typer.Option("--vectors", help="Include vectors, so that an import need not compute them again.")
    ] = False,
) -> None:
    """Write a tenant's whole memory to a file; `mnemoscene import` reads JSONL into another tenant.

    The service may store and answer meanwhile: the file has the state of one moment near the end of the export.
    """
    from graph_service.memory.export_import.service import ExportFormat

    export_format = one_of(ExportFormat, form, "--format")
    with tempfile.TemporaryFile(prefix="mnemoscene-export-") as text:
        done = run(_export(call, text, export_format, vectors=vectors))
        text.seek(0)
        if output is None:
            print_export(text, is_json=export_format is ExportFormat.JSONL)
            return
        try:
            with replacing(output) as file:
                shutil.copyfileobj(text, file)
        except OSError as error:
            raise InputError(f"{output}: cannot be written: {error.strerror}") from error
    document: dict[str, Any] = {"file": str(output), "nodes": done.nodes, "edges": done.edges, "bytes": done.bytes}
    document["sha256"] = done.sha256
    line = f"{done.nodes} nodes and {done.edges} edges in {output}, {done.bytes:,} bytes"
    call.terminal.report(document, lambda: line)


def print_export(text: BinaryIO, *, is_json: bool) -> None:
    """Write an export to standard output: unchanged to a file or pipe, without control characters to a terminal."""
    if sys.stdout.isatty():
        neutral = shown_json if is_json else shown
        sys.stdout.writelines(neutral(line.decode("utf-8", "replace")) for line in text)
    else:
        shutil.copyfileobj(text, sys.stdout.buffer)
    sys.stdout.flush()


async def _export(call: Invocation, text: BinaryIO, form: "ExportFormat", *, vectors: bool) -> "ExportResult":
    async with open_for(call, call.settings_without_models) as services:
        with ProgressBars(call.terminal) as bars:
            return await services.memory.transfer.export(
                call.tenant, text, form, vectors=vectors, on_progress=bars.counted("export")
            )
