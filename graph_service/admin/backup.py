"""Back up, restore and compact the local data directory: database, password, spool and audit log.

A backup is a gzipped tar. Its last entry is a manifest with the checksums of all files; a backup without it is
truncated and is not restored. Of a running database it contains an export (`store_export.py`) instead of its files.
"""

import contextlib
import errno
import filecmp
import gzip
import hashlib
import io
import json
import os
import secrets
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Final

from graph_service.admin.store_export import Report, export_store, import_store
from graph_service.graph.local_neo4j.local_server import (
    PASSWORD_NAME,
    STORE_NAME,
    LocalServer,
    replace_store,
    settle_store,
)
from graph_service.graph.local_neo4j.owner import OWNER_NAME, read_owner, try_lock
from graph_service.version import version
from schema.errors import ConflictError, InputError, InstallError
from schema.json_text import read_json

# Versions of the manifest: with the files of the database, and with an export of it.
_WITH_FILES: Final = 1
_WITH_EXPORT: Final = 2
_EXPORT: Final = "export"
# What belongs to the database in a data directory.
_DATABASE: Final = (STORE_NAME, PASSWORD_NAME)
_MANIFEST: Final = "manifest.json"
_LOCK: Final = "start.lock"
# Files about the running process, which do not apply to a copy.
_EXCLUDED: Final = frozenset({OWNER_NAME, "service.json", "keys.json", _LOCK, "logs", "store_lock"})
# Start of the names of snapshot caches, which the service replaces when they are missing or damaged.
CACHE_PREFIX: Final = "snapshots"
_CHUNK_BYTES: Final = 1 << 20
# Limits for a backup to restore.
_FILES_MAX: Final = 1_000_000
_HEAD_BYTES_MAX: Final = 1 << 20
_MANIFEST_BYTES_MAX: Final = 256 << 20
# Disk space to leave free.
_SPARE_BYTES: Final = 64 << 20
ProgressCallback = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSummary:
    """Summary of a backup.

    Attributes:
        bytes: uncompressed size of the files.
    """

    files: int
    bytes: int
    made_at: str
    version: str


def back_up(
    data_dir: Path,
    file: Path,
    *,
    export: Callable[[Path], None] | None = None,
    on_progress: ProgressCallback = lambda _done, _total: None,
) -> BackupSummary:
    """Back up a data directory into one file, atomically.

    Args:
        export: exports the running database into an empty folder; by default its files are copied.
        on_progress: called with the bytes done and in total.

    Raises:
        ConflictError: the file exists, or the local Neo4j runs and `export` is not given.
        InstallError: there is no data, it cannot be read, or the file cannot be written.
    """
    if file.exists():
        raise ConflictError(f"{str(file)!r} exists and is not overwritten: name another file")
    if not (data_dir / "neo4j").is_dir():
        raise InstallError(f"there is no local Neo4j in {str(data_dir)!r}: nothing to back up; check `data_dir`")
    # Without the lock another process may write the same file.
    token = "" if export is None else f".{secrets.token_hex(8)}"
    part = file.with_name(f".{file.name}{token}.part")
    try:
        with no_start(data_dir) if export is None else contextlib.nullcontext():
            # Remove the partial file only under the lock: it may belong to another process.
            try:
                summary = _write(data_dir, part, export, on_progress)
                os.replace(part, file)
            finally:
                part.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise InstallError(
            f"the backup {str(file)!r} could not be written: {error}; nothing was left behind"
        ) from error
    return summary


def restore(
    file: Path,
    data_dir: Path,
    *,
    build: Callable[[Path, Path], None] | None = None,
    on_progress: ProgressCallback = lambda _done, _total: None,
) -> BackupSummary:
    """Restore a backup into an empty or new data directory, atomically and with all checksums verified.

    Args:
        build: creates a database in a new data directory from the folder of an export, and stops it; without it only
            a backup with the files of a database can be restored.

    Raises:
        ConflictError: the data directory is not empty, or another process starts or restores there.
        InputError: the file is not a backup, truncated or damaged.
        InstallError: the file cannot be read or is of a newer version, or the directory cannot be written.
    """
    if not file.is_file():
        raise InputError(f"there is no file {str(file)!r}: check the name")
    try:
        data_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            lock_is_ours = data_dir.exists()
            if lock_is_ours:
                _lock_empty(data_dir, stack)
            work_dir = stack.enter_context(scratch_dir(data_dir))
            summary = _read(file, work_dir, on_progress)
            if build is not None and (work_dir / _EXPORT).is_dir():
                fresh, export = work_dir / "fresh", work_dir / _EXPORT
                build(fresh, export)
                for name in _DATABASE:
                    (fresh / name).rename(work_dir / name)
                for folder in (fresh, export):
                    shutil.rmtree(folder)
            _put_in_place(work_dir, data_dir, lock_is_ours=lock_is_ours)
    except OSError as error:
        raise InstallError(f"{str(file)!r} could not be restored into {str(data_dir)!r}: {error}") from error
    return summary


def _lock_empty(data_dir: Path, stack: contextlib.ExitStack) -> None:
    """Lock an empty directory until the stack closes, so that no Neo4j starts in it."""
    if not stack.enter_context(try_lock(data_dir / _LOCK)):
        raise _in_use(data_dir)
    if [entry.name for entry in data_dir.iterdir() if entry.name != _LOCK and not _is_work_dir(entry, data_dir)]:
        raise ConflictError(
            f"{str(data_dir)!r} is not empty, and nothing in it is overwritten: set MNEMOSCENE_DATA_DIR to another"
            " directory, or move this one first"
        )


def _in_use(data_dir: Path) -> ConflictError:
    return ConflictError(
        f"another process is starting or restoring in {str(data_dir)!r}: wait for it or stop it; nothing was changed"
    )


@contextlib.contextmanager
def scratch_dir(data_dir: Path) -> Iterator[Path]:
    """Yield an empty locked directory, removed afterwards; also remove those of dead processes.

    It is a sibling of the data directory, so that a rename completes the restore; a child if that cannot be renamed.
    """
    parent = data_dir if _is_fixed(data_dir) else data_dir.parent
    for entry in parent.iterdir():
        if _is_work_dir(entry, data_dir):
            with contextlib.suppress(OSError), try_lock(entry / _LOCK) as is_orphan:
                if is_orphan:
                    shutil.rmtree(entry, ignore_errors=True)
    work_dir = Path(tempfile.mkdtemp(dir=parent, prefix=_work_prefix(data_dir)))
    try:
        with try_lock(work_dir / _LOCK):
            yield work_dir
    finally:
        shutil.rmtree(work_dir, ignore_errors=True)


def _work_prefix(data_dir: Path) -> str:
    return f".{data_dir.name}.restoring-"


def _is_work_dir(entry: Path, data_dir: Path) -> bool:
    return entry.name.startswith(_work_prefix(data_dir)) and entry.is_dir() and not entry.is_symlink()


def _is_fixed(data_dir: Path) -> bool:
    """Return whether a directory cannot be replaced: a mount point, or its parent is not writable."""
    if not data_dir.exists():
        return False
    return os.path.ismount(data_dir) or not os.access(data_dir.parent, os.W_OK)


@contextlib.contextmanager
def no_start(data_dir: Path) -> Iterator[None]:
    """Lock the local Neo4j of a directory, so that it cannot start within the block.

    Raises:
        ConflictError: it is running or starting.
    """
    with try_lock(data_dir / _LOCK) as mine:
        owner = read_owner(data_dir)
        if not mine or (owner is not None and owner.server.process() is not None):
            who = owner.description() if owner is not None else "another process"
            raise ConflictError(
                f"the local Neo4j in {str(data_dir)!r} is running or starting, started by {who}; files cannot be copied"
                " while they change: stop it with `mnemoscene db stop`, or export a tenant while it runs"
                " (`mnemoscene export --output FILE`)"
            )
        settle_store(data_dir)
        yield


def _write(
    data_dir: Path, part: Path, export: Callable[[Path], None] | None, on_progress: ProgressCallback
) -> BackupSummary:
    files = {name: data_dir / name for name in sorted(_names(data_dir))}
    if export is not None:
        files = {name: path for name, path in files.items() if PurePosixPath(name).parts[0] not in _DATABASE}
    listed: dict[str, dict[str, object]] = {}
    # Do not follow a symbolic link planted at the target path.
    with open(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as out:
        with (
            gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as packed,
            tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
        ):
            _add_files(tar, files, listed, on_progress)
            if export is not None:
                # After the spool: a message stored meanwhile is in both, and is recognised as a repetition.
                with tempfile.TemporaryDirectory(dir=part.parent, prefix=f"{part.name}-") as folder:
                    export(Path(folder))
                    exported = {f"{_EXPORT}/{path.name}": path for path in sorted(Path(folder).iterdir())}
                    _add_files(tar, exported, listed, on_progress)
            summary = _summary(listed, made_at=datetime.now(UTC).isoformat(timespec="seconds"), version=version())
            shape = _WITH_FILES if export is None else _WITH_EXPORT
            head = {"shape": shape, "made_at": summary.made_at, "version": summary.version, "files": listed}
            text = json.dumps(head).encode()
            entry_info = tarfile.TarInfo(_MANIFEST)
            entry_info.size, entry_info.mode = len(text), 0o600
            tar.addfile(entry_info, io.BytesIO(text))
        out.flush()
        os.fsync(out.fileno())
    return summary


def _add_files(
    tar: tarfile.TarFile,
    files: Mapping[str, Path],
    listed: dict[str, dict[str, object]],
    on_progress: ProgressCallback,
) -> None:
    """Add files by their names in the backup, and list their sizes and checksums."""
    total, done = sum(path.stat().st_size for path in files.values()), 0
    for name, path in files.items():
        with _readable(path) as (source, size):
            reader = _Hashing(source)
            entry_info = tarfile.TarInfo(name)
            entry_info.size, entry_info.mode = size, 0o600
            entry_info.mtime = int(path.stat().st_mtime)
            tar.addfile(entry_info, reader)
        listed[name] = {"bytes": size, "sha256": reader.digest()}
        done += size
        on_progress(done, total)


def _names(data_dir: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(data_dir):
        work_prefix = _work_prefix(data_dir)
        folders[:] = [name for name in folders if name not in _EXCLUDED and not name.startswith(work_prefix)]
        for name in files:
            # The copy of a SQLite file includes its -wal and -shm.
            if (
                name not in _EXCLUDED
                and not name.endswith(("-wal", "-shm"))
                and not name.startswith((".", CACHE_PREFIX))
            ):
                yield (Path(folder) / name).relative_to(data_dir).as_posix()


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """Yield an open file and its size; for SQLite databases, a consistent copy."""
    if path.suffix != ".sqlite3":
        with path.open("rb") as file:
            yield file, os.fstat(file.fileno()).st_size
        return
    with tempfile.NamedTemporaryFile() as copy:
        try:
            with (
                contextlib.closing(sqlite3.connect(path)) as source,
                contextlib.closing(sqlite3.connect(copy.name)) as to,
            ):
                source.backup(to)
        except sqlite3.OperationalError as error:
            raise OSError(f"{str(path)!r} could not be copied to {copy.name!r} ({error})") from error
        except sqlite3.Error as error:
            raise sqlite3.DatabaseError(f"{str(path)!r} cannot be read ({error}); move it away") from error
        yield copy.file, os.stat(copy.name).st_size


class _Hashing(io.RawIOBase):
    """A file wrapper that computes the checksum of everything read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._hash = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        chunk = self._source.read(size)
        self._hash.update(chunk)
        return chunk

    def digest(self) -> str:
        return self._hash.hexdigest()


def _read(file: Path, work_dir: Path, on_progress: ProgressCallback) -> BackupSummary:
    """Unpack a backup into an empty directory, and verify it against its manifest."""
    found: dict[str, dict[str, object]] = {}
    manifest: dict[str, object] | None = None
    total, done = file.stat().st_size, 0
    try:
        with file.open("rb") as packed, tarfile.open(fileobj=packed, mode="r|gz", tarinfo=_BoundedTarInfo) as tar:
            for entry_info in tar:
                source = tar.extractfile(entry_info) if entry_info.isreg() else None
                if source is None or not _is_allowed_name(entry_info.name) or len(found) >= _FILES_MAX:
                    raise InputError(f"{str(file)!r} is not a Mnemoscene backup: it contains {entry_info.name[:200]!r}")
                if entry_info.name == _MANIFEST:
                    manifest = _read_manifest(source, entry_info.size)
                else:
                    _check_space(work_dir, entry_info)
                    found[entry_info.name] = _unpack(source, work_dir / entry_info.name)
                # tarfile would keep every entry in memory.
                tar.members = []  # type: ignore[attr-defined]
                done = packed.tell()
                on_progress(done, total)
    except (tarfile.TarError, EOFError, ValueError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"{str(file)!r} is not a backup, or is truncated or damaged ({error}): use another copy"
        ) from error
    return _verified(file, manifest, found)


def _verified(file: Path, manifest: dict[str, object] | None, found: dict[str, dict[str, object]]) -> BackupSummary:
    if manifest is None:
        raise InputError(f"{str(file)!r} is truncated: the manifest at its end is missing; use another copy")
    if manifest.get("shape") not in (_WITH_FILES, _WITH_EXPORT):
        raise InstallError(
            f"{str(file)!r} was made by Mnemoscene {manifest.get('version')!r}, which this version"
            f" ({version()}) cannot read: install that version or a newer one"
        )
    if manifest.get("files") != found:
        entries = manifest.get("files")
        listed = entries if isinstance(entries, dict) else {}
        wrong = sorted(name for name in {*listed, *found} if listed.get(name) != found.get(name))
        raise InputError(
            f"{str(file)!r} is damaged: the checksums of {', '.join(wrong[:5])} do not match; use another copy"
        )
    return _summary(found, made_at=str(manifest.get("made_at")), version=str(manifest.get("version")))


def _summary(files: Mapping[str, Mapping[str, object]], **more: str) -> BackupSummary:
    return BackupSummary(files=len(files), bytes=sum(int(str(one["bytes"])) for one in files.values()), **more)


class _BoundedTarInfo(tarfile.TarInfo):
    """A tar header that rejects sparse files and oversized extended headers, which tarfile reads into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_BoundedTarInfo":
        entry = super().frombuf(buf, encoding, errors)
        if entry.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("sparse files are not allowed")
        if entry.type not in tarfile.REGULAR_TYPES and entry.size > _HEAD_BYTES_MAX:
            raise tarfile.ReadError(f"an extended header has {entry.size:,} bytes")
        return entry


def _read_manifest(source: IO[bytes], size: int) -> dict[str, object]:
    if size > _MANIFEST_BYTES_MAX:
        raise ValueError(f"the manifest has {size:,} bytes, more than {_MANIFEST_BYTES_MAX:,}")
    manifest = read_json(source.read())
    if not isinstance(manifest, dict):
        raise ValueError("the manifest must be a JSON object")
    return manifest


def _check_space(work_dir: Path, entry_info: tarfile.TarInfo) -> None:
    """Raise before a file fills the disk: a small backup may expand to gigabytes."""
    free = shutil.disk_usage(work_dir).free - _SPARE_BYTES
    if entry_info.size > free:
        raise InstallError(
            f"{entry_info.name[:200]!r} in the backup needs {entry_info.size:,} bytes, and {max(free, 0):,} are free at"
            f" {str(work_dir.parent)!r}: free some space; nothing was restored"
        )


def _is_allowed_name(name: str) -> bool:
    """Return whether a backup may contain this name: a relative path, and not a process file."""
    path = PurePosixPath(name)
    unsafe = path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts
    return not unsafe and _EXCLUDED.isdisjoint(path.parts)


def _unpack(source: IO[bytes], path: Path) -> dict[str, object]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    reader = _Hashing(source)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as out:
        shutil.copyfileobj(reader, out, _CHUNK_BYTES)
        out.flush()
        os.fsync(out.fileno())
        return {"bytes": out.tell(), "sha256": reader.digest()}


def _put_in_place(work_dir: Path, data_dir: Path, *, lock_is_ours: bool) -> None:
    """Move the work directory into the place of the data directory.

    Args:
        lock_is_ours: the directory exists, and the caller holds its lock.
    """
    if work_dir.parent == data_dir:
        # The database comes last: a directory without it counts as empty.
        for entry in sorted(work_dir.iterdir(), key=lambda entry: entry.name == "neo4j"):
            if entry.name != _LOCK:
                entry.rename(data_dir / entry.name)
        return
    (work_dir / _LOCK).unlink()
    if lock_is_ours:
        # A process waiting for this lock sees that the file is gone, and opens the new one.
        (data_dir / _LOCK).unlink()
    try:
        # Replaces an empty directory atomically; fails for any other.
        os.rename(work_dir, data_dir)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise _in_use(data_dir) from error
        raise


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
