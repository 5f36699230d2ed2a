"""`mnemograph trust`: which directories may bring settings and memories of their own."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from graph_service.cli.options import Common, JsonOption
from graph_service.cli.terminal import Terminal
from graph_service.config.folder_trust import (
    CONFIG,
    FOLDER,
    TrustRecord,
    folder_trust,
    forget_folder,
    trust_folder,
    trusted_folders,
)
from graph_service.config.settings import KNOWN_KEYS, user_directory
from graph_service.config.sources import FOLDER_FILE, SECRET_ENDINGS, from_file
from schema.errors import InputError


def trust(
    ctx: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The directory; this one if not given.", show_default=False)
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the directories that are trusted.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the directory no longer.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Let ./.mnemograph of a directory count, as it is now; after a change of its settings say it again."""
    if listed and (remove or folder is not None):
        raise InputError("--list lists every directory: name none, and leave --remove away")
    as_json = as_json or (ctx.find_object(Common) or Common()).as_json
    terminal, user_dir, place = Terminal(as_json=as_json), user_directory(), folder or Path.cwd()
    if listed:
        rows = [_row(record, folder_trust(record.folder, user_dir).state) for record in trusted_folders(user_dir)]
        terminal.answer({"trusted": rows}, lambda: _table(rows))
    elif remove:
        gone = _row(forget_folder(place, user_dir), "untrusted")
        terminal.answer(gone, lambda: f"not trusted any longer: {escape(gone['directory'])}")
    else:
        record = trust_folder(place, user_dir)
        content = folder_trust(place, user_dir).config
        document = _row(record, "trusted") | {"settings": _shown(record.folder / FOLDER / CONFIG, content)}
        terminal.answer(document, lambda: _told(document))


def _row(record: TrustRecord, state: str) -> dict[str, Any]:
    return {"directory": str(record.folder), "state": state, "sha256": record.sha256 or None}


def _shown(file: Path, content: bytes | None) -> dict[str, str]:
    """Return what the file sets, without its secrets."""
    found, mistakes = from_file(file, content or b"", KNOWN_KEYS, FOLDER_FILE)
    told = {key: "(secret)" if key.endswith(SECRET_ENDINGS) else repr(one.value) for key, one in found.items()}
    return told | {f"mistake {number}": text for number, text in enumerate(mistakes, start=1)}


def _told(document: dict[str, Any]) -> str:
    lines = [f"trusted: {document['directory']}", *(f"  {key} = {one}" for key, one in document["settings"].items())]
    return escape("\n".join(lines if document["settings"] else [*lines, "  its settings file sets nothing"]))


def _table(rows: list[dict[str, Any]]) -> Table | str:
    if not rows:
        return "no directory is trusted; `mnemograph init` or `mnemograph trust` in one makes it so"
    table = Table(box=None, show_header=False)
    for row in rows:
        table.add_row(escape(row["state"]), escape(row["directory"]))
    return table
