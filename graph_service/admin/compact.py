"""Replace the local database by a verified copy of its content, so that no file keeps what was deleted."""

import contextlib
import filecmp
import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graph_service.admin.backup import CACHE_PREFIX, no_start, scratch_dir
from graph_service.admin.store_export import Report, export_store, import_store
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.local_neo4j.server_start import PASSWORD_NAME, STORE_NAME, replace_store
from schema.errors import ConflictError, InstallError

Start = Callable[[Path], Awaitable[LocalServer]]
_OLD: Final = "old"
_FRESH: Final = "fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Sizes of the database's files, in bytes."""

    bytes_before: int
    bytes_after: int


def compact(data_dir: Path, *, copy: Callable[[Path, Path], None]) -> Compaction:
    """Build the database of a data directory again from its content, and swap it in; delete caches of its texts.

    The database is started in a directory of its own, so that no other process finds it and stores something that
    would not be copied; such processes wait for the start lock. An interruption leaves the old database or the new one.

    Args:
        copy: copies the database in one directory to a new one in another (`copy_store`).

    Raises:
        ConflictError: the local Neo4j runs or starts.
        InstallError: there is no data, or a file cannot be read or written.
    """
    data_dir = data_dir.resolve()
    store = data_dir / STORE_NAME
    if not data_dir.is_dir():
        raise _nothing_in(data_dir)
    try:
        with no_start(data_dir), scratch_dir(data_dir) as work:
            if not store.is_dir() or store.is_symlink():
                raise _nothing_in(data_dir)
            before = _size(store)
            for name in (_OLD, _FRESH):
                (work / name).mkdir(mode=0o700)
                shutil.copy2(data_dir / PASSWORD_NAME, work / name / PASSWORD_NAME)
            (work / _OLD / STORE_NAME).symlink_to(store, target_is_directory=True)
            copy(work / _OLD, work / _FRESH)
            for path in data_dir.glob("*.sqlite3"):
                _rewrite_or_delete(path)
            replace_store(data_dir, work / _FRESH / STORE_NAME)
            return Compaction(bytes_before=before, bytes_after=_size(store))
    except (OSError, sqlite3.Error) as error:
        raise InstallError(f"{str(data_dir)!r} could not be compacted: {error}; its content is unchanged") from error


def _nothing_in(data_dir: Path) -> InstallError:
    return InstallError(f"there is no local Neo4j in {str(data_dir)!r}: nothing to compact; check `data_dir`")


async def copy_store(old: Path, fresh: Path, *, start: Start, on_progress: Report | None = None) -> None:
    """Copy all tenants and keys of the database in `old` to a new one in `fresh`, and compare an export of both.

    Raises:
        ConflictError: the copy is not equal.
    """
    exports = [fresh / f"export-{name}" for name in (_OLD, _FRESH)]
    for directory, export in zip((old, fresh), exports, strict=True):
        export.mkdir(mode=0o700)
        server = await start(directory)
        try:
            if directory is fresh:
                await import_store(server, exports[0], on_progress=on_progress)
            await export_store(server, export, on_progress=on_progress)
        finally:
            await server.stop()
    names = sorted({path.name for export in exports for path in export.iterdir()})
    _, different, missing = filecmp.cmpfiles(exports[0], exports[1], names, shallow=False)
    if different or missing:
        raise ConflictError(
            f"the copy differs from the database in {len(different) + len(missing)} of {len(names)} parts, so the"
            " database was left as it is; run `mnemoscene sync`, then try again"
        )


def _rewrite_or_delete(path: Path) -> None:
    """Delete a cache; rewrite another SQLite file, whose write-ahead log may contain deleted texts."""
    if path.name.startswith(CACHE_PREFIX):
        path.unlink()
        return
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.executescript("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
