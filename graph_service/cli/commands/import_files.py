"""`mnemograph import`: whole conversations from files."""

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from graph_service.cli.open_services import opened, read_everything
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from graph_service.importers.conversation_files import FileFormat, Owner
from graph_service.runtime.progress import Step
from schema.errors import InputError
from schema.ids import TenantId
from schema.session import CloseReason
from schema.tenant_name import tenant_named

# The first line of an export is short.
_HEAD_BYTES_MAX = 65_536
_IN_ARCHIVES = "conversations.json"
# A file is read as a whole; an archive of a few megabytes may hold as many gigabytes.
FILE_BYTES_MAX: Final = 512 * 2**20

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.importers.import_batch import ImportBatch
    from graph_service.memory.ingest.validation import RememberRequest


def import_files(
    ctx: typer.Context,
    files: Annotated[list[Path] | None, typer.Argument(help="JSON, JSONL or ZIP files.", show_default=False)] = None,
    user: Annotated[str | None, typer.Option(help="Whose memory it is, whatever the files say.")] = None,
    form: Annotated[FileFormat, typer.Option("--format", help="How the files are written.")] = FileFormat.AUTO,
    graphiti: Annotated[str | None, typer.Option(help="Instead of files: the Neo4j of a Graphiti, bolt://…")] = None,
    graphiti_user: Annotated[str, typer.Option(help="Its user.")] = "neo4j",
    graphiti_password_file: Annotated[Path | None, typer.Option(help="A file with the password.")] = None,
    graphiti_group: Annotated[str | None, typer.Option(help="Only this group of it.")] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until facts were read.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store conversations or memories, of Mnemograph or another program; all are checked before anything is stored."""
    common = merged(ctx, config, tenant, as_json)
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    if (graphiti is None) == (not files):
        raise InputError("name files to import, or the Neo4j of a Graphiti with --graphiti")
    if form in (FileFormat.AUTO, FileFormat.EXPORT) and any(_is_export(file) for file in files or ()):
        run(_take_over(settings, _only(files or ()), terminal, wait=not no_wait))
        return
    if graphiti is None:
        found = _read(files or (), form, Owner(user_id=user))
    else:
        secret = _password(graphiti_password_file)
        found = run(_graphiti(graphiti, graphiti_user, secret, group=graphiti_group, user_id=user))
    _refuse_mistakes(found, tenant_named(settings.tenant))
    run(_import(settings, found, terminal, wait=not no_wait))


async def store_all(
    parts: "Services", tenant: TenantId, calls: Sequence["RememberRequest"], steps: Steps
) -> tuple[int, int]:
    """Return how many messages were new, and how many were known; shows progress by messages."""
    stored = repeated = 0
    total = sum(len(call.messages) for call in calls)
    for call in calls:
        receipt = await parts.memory.remember(tenant, call)
        stored += receipt.stored
        repeated += receipt.repeated
        steps(Step(part="storing", doing="messages", done=stored + repeated, total=total, unit="messages"))
    return stored, repeated


def _read(files: Sequence[Path], form: FileFormat, owner: Owner) -> "ImportBatch":
    from graph_service.importers.import_batch import ImportBatch
    from graph_service.importers.reader import read_file

    found, problems = ImportBatch(), list[str]()
    for file in files:
        try:
            found.add(read_file(_text(file), name=str(file), form=form, owner=owner))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError("nothing was stored:\n" + "\n".join(f"  {one}" for one in problems), tuple(problems))
    return found


async def _graphiti(uri: str, user: str, password: str, *, group: str | None, user_id: str | None) -> "ImportBatch":
    from graph_service.graph.graphiti_source import GraphitiPlace, graphiti_graph
    from graph_service.importers.graphiti import from_graphiti

    held = await graphiti_graph(GraphitiPlace(uri=uri, user=user, password=password, group=group))
    found = from_graphiti(held.episodes, held.facts, held.rest, user_id=user_id)
    if not found.calls:
        raise InputError(f"{uri}: holds no episode or fact of a Graphiti; nothing was stored")
    return found


def _password(file: Path | None) -> str:
    if file is None:
        raise InputError("give --graphiti-password-file: a file that holds the password of that Neo4j and nothing else")
    return _text(file).strip()


def _refuse_mistakes(found: "ImportBatch", tenant: TenantId) -> None:
    from graph_service.memory.ingest.validation import check_request

    now, problems = datetime.now(UTC), list[str]()
    for call in found.calls:
        try:
            unfit = check_request(tenant, call, now=now).dropped
        except InputError as error:
            problems += [f"session {call.session_id!r}: {problem}" for problem in error.problems]
        else:
            found.dropped["facts with too long or missing words"] += len(unfit)
    if problems:
        raise InputError("nothing was stored:\n" + "\n".join(f"  {one}" for one in problems), tuple(problems))


def _is_export(file: Path) -> bool:
    from graph_service.memory.export_import.importer import is_export

    try:
        with file.open("rb") as lines:
            return is_export(lines.readline(_HEAD_BYTES_MAX).decode("utf-8", errors="replace"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error


def _only(files: Sequence[Path]) -> Path:
    if len(files) > 1:
        raise InputError(
            "an export is a whole tenant: import it alone, into a tenant that holds nothing (--tenant NAME)"
        )
    return files[0]


async def _take_over(settings: Settings, file: Path, terminal: Terminal, *, wait: bool) -> None:
    """Import what `mnemograph export` wrote."""
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        with Steps(terminal) as steps:

            def tell(doing: str, done: int, total: int) -> None:
                steps(Step(part="import", doing=doing, done=done, total=total, unit="rows"))

            done = await parts.memory.carrying.import_file(tenant, file, on_progress=tell)
        if wait:
            await read_everything(parts, tenant, terminal)
    document = {"nodes": done.nodes, "edges": done.edges, "users": list(done.users), "vectors": done.vectors}
    again = "" if done.vectors else "; vectors are made anew"
    who = ", ".join(done.users)
    terminal.answer(document, lambda: f"{done.nodes} nodes and {done.edges} edges; users: {who}{again}")


def _text(file: Path) -> str:
    try:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                # No more than this is unpacked, whatever else the archive holds.
                _check_size(file, archive.getinfo(_IN_ARCHIVES).file_size)
                return archive.read(_IN_ARCHIVES).decode("utf-8-sig")
        _check_size(file, file.stat().st_size)
        return file.read_text(encoding="utf-8-sig")
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{file}: is an archive without a readable {_IN_ARCHIVES}") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 at byte {error.start}; convert it first") from error


def _check_size(file: Path, size: int) -> None:
    if size > FILE_BYTES_MAX:
        raise InputError(
            f"{file}: has {size:,} bytes of text, at most {FILE_BYTES_MAX:,} are read at once; split it,"
            " nothing was stored"
        )


async def _import(settings: Settings, found: "ImportBatch", terminal: Terminal, *, wait: bool) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        with Steps(terminal) as steps:
            stored, repeated = await store_all(parts, tenant, found.calls, steps)
        # A file holds conversations that are over: a model need not wait for more.
        await parts.memory.sessions.close_active(CloseReason.IMPORT)
        if wait:
            await read_everything(parts, tenant, terminal)
    users = sorted({call.user_id for call in found.calls})
    kept, dropped = ({what: n for what, n in sorted(part.items()) if n} for part in (found.kept, found.dropped))
    document = {"stored": stored, "repeated": repeated, "users": users, "read": wait, "kept": kept, "dropped": dropped}
    lines = [f"{stored} messages stored, {repeated} known already; users: {', '.join(users)}"]
    lines += [f"{word}: {_listed(part)}" for word, part in (("kept", kept), ("left out", dropped)) if part]
    terminal.answer(document, lambda: "\n".join(lines))


def _listed(part: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in part.items())
