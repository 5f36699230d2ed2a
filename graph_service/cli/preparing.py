"""`mnemograph init`: a memory of its own for a folder, and everything that it needs, fetched before it is needed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.running import run
from graph_service.cli.terminal import Terminal
from graph_service.cli.working import opened
from schema.errors import InstallError

if TYPE_CHECKING:
    from graph_service.settings import Settings

FOLDER: Final = ".mnemograph"
# Everything is as it would be without the file: it shows where to write what.
_CONFIG: Final = """\
# Settings of the memory of this folder; docs/settings.md lists them all, `mnemograph doctor` says what is in force.
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
    """Makes what is missing, and leaves alone what is there; names of what it made."""
    files = {"config.toml": _CONFIG, ".gitignore": _IGNORED}
    try:
        folder.mkdir(exist_ok=True)
        missing = [name for name in files if not (folder / name).exists()]
        for name in missing:
            (folder / name).write_text(files[name], encoding="utf-8")
    except OSError as error:
        raise InstallError(
            f"{folder} cannot be made: {error.strerror}; choose a folder that you may write to"
        ) from error
    return missing


async def _started(settings: "Settings", terminal: Terminal) -> None:
    async with opened(settings, terminal):
        terminal.say("Neo4j has started, and everything in it is prepared")


def _told(document: dict[str, object]) -> str:
    ready = "ready: `mnemograph serve` starts it" if document["ready"] else "Neo4j is fetched when it is first needed"
    return f"settings: {document['config']}\nmemories: {document['data_dir']}\n{ready}"
