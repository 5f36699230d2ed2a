"""`mnemoscene trust`: choose the directories whose ./.mnemoscene (settings and memory) is used."""

from pathlib import Path
from typing import Annotated, Any

import typer

from graph_service.cli.options import Invocation, command
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
from graph_service.observability.columns import Columns
from schema.errors import InputError


@command
def trust(
    call: Invocation,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="The directory; the current one by default.", show_default=False),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the trusted directories.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Stop trusting the directory.")] = False,
) -> None:
    """Trust a directory's ./.mnemoscene in its present form; repeat this after its settings change."""
    if listed and (remove or folder is not None):
        raise InputError("--list cannot be combined with a directory or --remove")
    user_dir, place = user_directory(), folder or Path.cwd()
    if listed:
        rows = [_row(record, folder_trust(record.folder, user_dir).state) for record in trusted_folders(user_dir)]
        call.terminal.report({"trusted": rows}, lambda: _table(rows))
    elif remove:
        removed = _row(forget_folder(place, user_dir), "untrusted")
        call.terminal.report(removed, lambda: f"no longer trusted: {removed['directory']}")
    else:
        record = trust_folder(place, user_dir)
        content = folder_trust(place, user_dir).config
        document = _row(record, "trusted") | {"settings": _settings(record.folder / FOLDER / CONFIG, content)}
        call.terminal.report(document, lambda: _summary(document))


def _row(record: TrustRecord, state: str) -> dict[str, Any]:
    return {"directory": str(record.folder), "state": state, "sha256": record.sha256 or None}


def _settings(file: Path, content: bytes | None) -> dict[str, str]:
    """Return the values in the settings file, with secrets masked, and its errors."""
    found, mistakes = from_file(file, content or b"", KNOWN_KEYS, FOLDER_FILE)
    values = {key: "(secret)" if key.endswith(SECRET_ENDINGS) else repr(one.value) for key, one in found.items()}
    return values | {f"mistake {number}": text for number, text in enumerate(mistakes, start=1)}


def _summary(document: dict[str, Any]) -> str:
    lines = [f"trusted: {document['directory']}", *(f"  {key} = {one}" for key, one in document["settings"].items())]
    return "\n".join(lines if document["settings"] else [*lines, "  its settings file sets nothing"])


def _table(rows: list[dict[str, Any]]) -> Columns | str:
    if not rows:
        return "no directory is trusted; run `mnemoscene init` or `mnemoscene trust` in one"
    return Columns(rows=[("", [row["state"], row["directory"]]) for row in rows])
