"""`mnemograph init`: a memory of its own for a folder, and everything that it needs, fetched before it is needed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from graph_service.cli.open_services import opened
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.folder_trust import CONFIG, FOLDER, folder_trust, trust_folder
from graph_service.config.settings import user_directory
from schema.errors import InstallError

if TYPE_CHECKING:
    from graph_service.config.settings import Settings

_IGNORE: Final = ".gitignore"
# Everything is as it would be without the file: it shows where to write what.
_CONFIG: Final = """\
# Settings of the memory of this folder; docs/settings.md lists them all, `mnemograph doctor` says what is in force.
# After a change say `mnemograph trust` once: a file that somebody else changed does not count.
# tenant = "default"

# [service]
# port = 7780

# [neo4j]
# uri = "bolt://127.0.0.1:7687"
"""
# Memories are nobody else's: they are not to be committed along with the folder's files.
_IGNORED: Final = "*\n"


def init(
    ctx: typer.Context,
    fetch: Annotated[bool, typer.Option(help="Fetch Neo4j and the embedder, and start them once.")] = True,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give this folder a memory of its own in ./.mnemograph, and fetch what it needs; safe to repeat."""
    common = merged(ctx, config, tenant, as_json)
    folder = Path.cwd() / FOLDER
    made = _made(folder)
    settings, terminal = settings_of(common), Terminal(as_json=common.as_json)
    if fetch:
        run(_started(settings, terminal))
    document = {"config": str(folder / "config.toml"), "data_dir": str(settings.data_dir), "made": made, "ready": fetch}
    terminal.answer(document, lambda: _told(document))


def _made(folder: Path) -> list[str]:
    """Make what is missing, leave alone what is there, and trust it; names of what was made.

    Raises:
        InstallError: it cannot be made, or holds what this user has not trusted: somebody else may have brought it.
    """
    files = {CONFIG: _CONFIG, _IGNORE: _IGNORED}
    user_dir = user_directory()
    state = folder_trust(folder.parent, user_dir).state
    try:
        if state not in ("absent", "trusted") and not _harmless(folder):
            raise InstallError(
                f"{str(folder)!r} holds files that you have not trusted as they are now: look at them, then run"
                " `mnemograph trust`, or remove them first"
            )
        folder.mkdir(mode=0o700, exist_ok=True)
        missing = [name for name in files if not (folder / name).exists()]
        for name in missing:
            (folder / name).write_text(files[name], encoding="utf-8")
    except OSError as error:
        raise InstallError(
            f"{folder} cannot be made: {error.strerror}; choose a folder that you may write to"
        ) from error
    if state != "trusted" or CONFIG in missing:
        trust_folder(folder.parent, user_dir)
    return missing


def _harmless(folder: Path) -> bool:
    """Return whether a folder holds nothing but what `init` itself would write there."""
    if folder.is_symlink():
        return False
    for path in folder.iterdir():
        expected = {CONFIG: _CONFIG, _IGNORE: _IGNORED}.get(path.name)
        if expected is None or path.is_symlink() or not path.is_file():
            return False
        if path.stat().st_size != len(expected.encode()) or path.read_text("utf-8") != expected:
            return False
    return True


async def _started(settings: "Settings", terminal: Terminal) -> None:
    async with opened(settings, terminal):
        terminal.say("Neo4j has started, and everything in it is prepared")


def _told(document: dict[str, object]) -> str:
    ready = "ready: `mnemograph serve` starts it" if document["ready"] else "Neo4j is fetched when it is first needed"
    settings = f"settings: {document['config']} (after a change: `mnemograph trust`)"
    return f"{settings}\nmemories: {document['data_dir']}\n{ready}"
