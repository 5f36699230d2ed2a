"""`mnemoscene init` and `trust`: directories with settings and a memory of their own."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from graph_service.cli.open_services import open_services
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
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
from schema.errors import InputError, InstallError

_IGNORE: Final = ".gitignore"
# All lines are comments: the file sets nothing, it is a template.
_CONFIG: Final = """\
# Settings of this folder's memory; docs/settings.md lists them all, `mnemoscene doctor` shows those in force.
# Run `mnemoscene trust` after a change: a file that somebody else changed is ignored.
# tenant = "default"

# [service]
# port = 7780

# [neo4j]
# uri = "bolt://127.0.0.1:7687"
"""
# Memories are private: keep them out of the folder's version control.
_IGNORED: Final = "*\n"


@command
def init(
    call: Invocation,
    fetch: Annotated[bool, typer.Option(help="Download Neo4j and the embedding model, and start them once.")] = True,
) -> None:
    """Create a separate memory for this folder in ./.mnemoscene, and download what it needs; safe to repeat."""
    folder = Path.cwd() / FOLDER
    made = _create(folder)
    settings = call.settings
    if fetch:

        async def start_once() -> None:
            async with open_services(settings, call.terminal):
                call.terminal.say("Neo4j has started, and its schema is ready")

        run(start_once())
    document = {
        "config": str(folder / "config.toml"),
        "data_dir": str(settings.data_dir),
        "created": made,
        "ready": fetch,
    }
    call.terminal.report(document, lambda: _made(document))


def _create(folder: Path) -> list[str]:
    """Create the missing files of the folder, trust it, and return the names of the files created."""
    files = {CONFIG: _CONFIG, _IGNORE: _IGNORED}
    user_dir = user_directory()
    state = folder_trust(folder.parent, user_dir).state
    try:
        if state not in ("absent", "trusted") and not _only_own_files(folder):
            raise InstallError(
                f"{str(folder)!r} contains files that you have not trusted in their present form: inspect them, then"
                " run `mnemoscene trust`, or remove them first"
            )
        folder.mkdir(mode=0o700, exist_ok=True)
        missing = [name for name in files if not (folder / name).exists()]
        for name in missing:
            (folder / name).write_text(files[name], encoding="utf-8")
    except OSError as error:
        raise InstallError(
            f"{folder} cannot be created: {error.strerror}; choose a folder that you may write to"
        ) from error
    if state != "trusted" or CONFIG in missing:
        trust_folder(folder.parent, user_dir)
    return missing


def _only_own_files(folder: Path) -> bool:
    """Return True if the folder contains only files that `init` writes, with unchanged content."""
    if folder.is_symlink():
        return False
    for path in folder.iterdir():
        expected = {CONFIG: _CONFIG, _IGNORE: _IGNORED}.get(path.name)
        if expected is None or path.is_symlink() or not path.is_file():
            return False
        if path.stat().st_size != len(expected.encode()) or path.read_text("utf-8") != expected:
            return False
    return True


def _made(document: dict[str, object]) -> str:
    ready = "ready: start it with `mnemoscene serve`" if document["ready"] else "Neo4j is downloaded at the first start"
    settings = f"settings: {document['config']} (after a change run `mnemoscene trust`)"
    return f"{settings}\nmemories: {document['data_dir']}\n{ready}"


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
