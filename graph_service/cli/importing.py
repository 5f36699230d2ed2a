"""`mnemograph import`: whole conversations from files."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.running import run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.cli.working import opened, read_everything
from graph_service.conversation_files import FileFormat, Owner, read_conversations
from graph_service.memory.tenant_name import tenant_named
from graph_service.settings import Settings
from graph_service.step import Step
from schema.errors import InputError
from schema.ids import TenantId
from schema.session import CloseReason

# The first line of an export is short.
_HEAD_BYTES_MAX = 65_536

if TYPE_CHECKING:
    from graph_service.memory.incoming import Incoming
    from graph_service.parts import Parts


def import_files(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="JSON or JSONL files.", show_default=False)],
    user: Annotated[str | None, typer.Option(help="Whose memory it is, whatever the files say.")] = None,
    form: Annotated[FileFormat, typer.Option("--format", help="How the files are written.")] = FileFormat.AUTO,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until facts were read.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store the conversations of files; all of them are checked before anything is stored."""
    common = merged(ctx, config, tenant, as_json)
    settings = settings_of(common)
    if form in (FileFormat.AUTO, FileFormat.EXPORT) and any(_is_export(file) for file in files):
        run(_take_over(settings, _only(files), Terminal(as_json=common.as_json), wait=not no_wait))
        return
    calls = _checked(files, form, Owner(user_id=user), tenant_named(settings.tenant))
    run(_import(settings, calls, Terminal(as_json=common.as_json), wait=not no_wait))


async def store_all(parts: "Parts", tenant: TenantId, calls: Sequence["Incoming"], steps: Steps) -> tuple[int, int]:
    """How many messages were new, and how many were known; shows progress by messages."""
    stored = repeated = 0
    total = sum(len(call.messages) for call in calls)
    for call in calls:
        receipt = await parts.memory.remember(tenant, call)
        stored += receipt.stored
        repeated += receipt.repeated
        steps(Step(part="storing", doing="messages", done=stored + repeated, total=total, unit="messages"))
    return stored, repeated


def _checked(files: Sequence[Path], form: FileFormat, owner: Owner, tenant: TenantId) -> list["Incoming"]:
    calls: list[Incoming] = []
    problems: list[str] = []
    now = datetime.now(UTC)
    for file in files:
        try:
            found = read_conversations(_text(file), name=str(file), form=form, owner=owner)
        except InputError as error:
            problems += error.problems
            continue
        for call in found:
            problems += [f"{file}: session {call.session_id!r}: {problem}" for problem in _mistakes(tenant, call, now)]
        calls += found
    if problems:
        raise InputError("nothing was stored:\n" + "\n".join(f"  {one}" for one in problems), tuple(problems))
    return calls


def _mistakes(tenant: TenantId, call: "Incoming", now: datetime) -> tuple[str, ...]:
    from graph_service.memory.incoming import check_incoming

    try:
        check_incoming(tenant, call, now=now)
    except InputError as error:
        return error.problems
    return ()


def _is_export(file: Path) -> bool:
    from graph_service.memory.importing import is_export

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
    """Imports what `mnemograph export` wrote."""
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
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 at byte {error.start}; convert it first") from error


async def _import(settings: Settings, calls: Sequence["Incoming"], terminal: Terminal, *, wait: bool) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        with Steps(terminal) as steps:
            stored, repeated = await store_all(parts, tenant, calls, steps)
        # A file holds conversations that are over: a model need not wait for more.
        await parts.memory.sessions.close_taken(CloseReason.IMPORT)
        if wait:
            await read_everything(parts, tenant, terminal)
    users = sorted({call.user_id for call in calls})
    document = {"stored": stored, "repeated": repeated, "users": users, "read": wait}
    terminal.answer(document, lambda: f"{stored} messages stored, {repeated} known already; users: {', '.join(users)}")
