"""Backup and restore of the local data directory: the database, its password, the spool and the audit log in one file.

The file is a tar, compressed, of the files as they are, and last of all a list of them with their checksums: without
that list a file is cut, and nothing of it is restored.
"""

import contextlib
import errno
import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Final

from graph_service.graph.local.owner import OWNER_NAME, read_owner, try_lock
from graph_service.version import version
from schema.errors import ConflictError, InputError, InstallError
from schema.json_text import read_json

# Number 1 of this shape; another number is another version of ours.
_SHAPE: Final = 1
_MANIFEST: Final = "manifest.json"
_LOCK: Final = "start.lock"
# What runs says where it runs, and what it did; none of that is true of a copy.
_LEFT_OUT: Final = frozenset({OWNER_NAME, "service.json", "keys.json", _LOCK, "logs", "store_lock"})
# A link in the place of the file would have another one overwritten; Windows has no such flag.
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_CHUNK_BYTES: Final = 1 << 20
# Of a backup that is restored.
_FILES_MAX: Final = 1_000_000
_HEAD_BYTES_MAX: Final = 1 << 20
_MANIFEST_BYTES_MAX: Final = 256 << 20
# Left free on the disk.
_SPARE_BYTES: Final = 64 << 20
Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a backup holds.

    Attributes:
        bytes: of the files, before they were compressed.
        version: of the program that made it.
    """

    files: int
    bytes: int
    made_at: str
    version: str


def back_up(data_dir: Path, file: Path, *, on_progress: Told = lambda _done, _total: None) -> Kept:
    """Write everything of a data directory into one file, which is complete or not there.

    Args:
        on_progress: gets the bytes done and the bytes there are.

    Raises:
        ConflictError: the file is there already, or the local Neo4j runs.
        InstallError: there is no data, or it cannot be read, or the file cannot be written.
    """
    if file.exists():
        raise ConflictError(f"{str(file)!r} is there already, and is not overwritten: name another file")
    if not (data_dir / "neo4j").is_dir():
        raise InstallError(f"there is no local Neo4j in {str(data_dir)!r}: nothing to back up; check `data_dir`")
    part = file.with_name(f".{file.name}.part")
    try:
        with _nobody_starts(data_dir):
            # Only who holds the lock may take away what was begun: it may be another's.
            try:
                kept = _write(data_dir, part, on_progress)
                os.replace(part, file)
            finally:
                part.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise InstallError(
            f"the backup {str(file)!r} could not be written: {error}; nothing was left behind"
        ) from error
    return kept


def restore(file: Path, data_dir: Path, *, on_progress: Told = lambda _done, _total: None) -> Kept:
    """Make a data directory from a backup; it is complete, with every checksum right, or as empty as it was.

    Raises:
        ConflictError: the data directory holds something, or another process starts or restores there.
        InputError: the file is no backup, cut, or damaged.
        InstallError: it cannot be read, or was made by a newer version, or the directory cannot be written.
    """
    if not file.is_file():
        raise InputError(f"there is no backup {str(file)!r}: check the name")
    try:
        data_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.ExitStack() as held:
            lock_is_ours = data_dir.exists()
            if lock_is_ours:
                _hold_empty(data_dir, held)
            made = held.enter_context(_work_dir(data_dir))
            kept = _read(file, made, on_progress)
            _put_in_place(made, data_dir, lock_is_ours=lock_is_ours)
    except OSError as error:
        raise InstallError(f"{str(file)!r} could not be restored into {str(data_dir)!r}: {error}") from error
    return kept


def _hold_empty(data_dir: Path, held: contextlib.ExitStack) -> None:
    """Hold the lock of a directory that is there, so that nobody starts in it, and refuse one that holds something."""
    if not held.enter_context(try_lock(data_dir / _LOCK)):
        raise _in_use(data_dir)
    if [entry.name for entry in data_dir.iterdir() if entry.name != _LOCK and not _is_work_dir(entry, data_dir)]:
        raise ConflictError(
            f"{str(data_dir)!r} is not empty, and nothing in it is overwritten: set MNEMOGRAPH_DATA_DIR to another"
            " directory, or move this one away"
        )


def _in_use(data_dir: Path) -> ConflictError:
    return ConflictError(
        f"another process starts or restores in {str(data_dir)!r}: wait for it, or end it; nothing was changed"
    )


@contextlib.contextmanager
def _work_dir(data_dir: Path) -> Iterator[Path]:
    """Provide an empty directory with a lock of its own, and remove it afterwards with those of dead processes.

    It stands beside the data directory, so that the last step is one renaming; inside it where that cannot be renamed.
    """
    parent = data_dir if _stays(data_dir) else data_dir.parent
    for entry in parent.iterdir():
        if _is_work_dir(entry, data_dir):
            with contextlib.suppress(OSError), try_lock(entry / _LOCK) as nobodys:
                if nobodys:
                    shutil.rmtree(entry, ignore_errors=True)
    made = Path(tempfile.mkdtemp(dir=parent, prefix=_work_prefix(data_dir)))
    try:
        with try_lock(made / _LOCK):
            yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _work_prefix(data_dir: Path) -> str:
    return f".{data_dir.name}.restoring-"


def _is_work_dir(entry: Path, data_dir: Path) -> bool:
    return entry.name.startswith(_work_prefix(data_dir)) and entry.is_dir() and not entry.is_symlink()


def _stays(data_dir: Path) -> bool:
    """Return whether a directory must stay where it is: the place of a volume, or in a directory of somebody else's.

    An open lock file cannot be removed on Windows, so there it stays as well.
    """
    if not data_dir.exists():
        return False
    return os.path.ismount(data_dir) or not os.access(data_dir.parent, os.W_OK) or sys.platform == "win32"


@contextlib.contextmanager
def _nobody_starts(data_dir: Path) -> Iterator[None]:
    """Inside the block no process starts the Neo4j of the directory; it does not run already."""
    with try_lock(data_dir / _LOCK) as mine:
        owner = read_owner(data_dir)
        if not mine or (owner is not None and owner.server.process() is not None):
            who = owner.description() if owner is not None else "another process"
            raise ConflictError(
                f"the local Neo4j in {str(data_dir)!r} runs or starts, begun by {who}; a copy of files that change is"
                " worth nothing: end it with `mnemograph db stop`, or export what must not wait"
                " (`mnemograph export FILE`), which also works while it runs"
            )
        yield


def _write(data_dir: Path, part: Path, on_progress: Told) -> Kept:
    names = sorted(_names(data_dir))
    total, done = sum((data_dir / name).stat().st_size for name in names), 0
    listed: dict[str, dict[str, object]] = {}
    with open(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | _NO_LINK, 0o600), "wb") as out:
        with (
            gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as packed,
            tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
        ):
            for name in names:
                with _readable(data_dir / name) as (source, size):
                    reader = _Hashing(source)
                    about = tarfile.TarInfo(name)
                    about.size, about.mode = size, 0o600
                    about.mtime = int((data_dir / name).stat().st_mtime)
                    tar.addfile(about, reader)
                listed[name] = {"bytes": size, "sha256": reader.digest()}
                done += size
                on_progress(done, total)
            kept = Kept(
                files=len(listed),
                bytes=done,
                made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                version=version(),
            )
            head = {"shape": _SHAPE, "made_at": kept.made_at, "version": kept.version, "files": listed}
            text = json.dumps(head).encode()
            about = tarfile.TarInfo(_MANIFEST)
            about.size, about.mode = len(text), 0o600
            tar.addfile(about, io.BytesIO(text))
        out.flush()
        os.fsync(out.fileno())
    return kept


def _names(data_dir: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(data_dir):
        begun = _work_prefix(data_dir)
        folders[:] = [name for name in folders if name not in _LEFT_OUT and not name.startswith(begun)]
        for name in files:
            # What stands beside a SQLite file is in the copy of that file.
            if name not in _LEFT_OUT and not name.endswith(("-wal", "-shm")) and not name.startswith("."):
                yield (Path(folder) / name).relative_to(data_dir).as_posix()


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """A file and its size; of a spool, which others may write to, a copy of one moment."""
    if path.suffix != ".sqlite3":
        with path.open("rb") as file:
            yield file, os.fstat(file.fileno()).st_size
        return
    with tempfile.NamedTemporaryFile() as copy:
        with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(copy.name)) as to:
            source.backup(to)
        yield copy.file, os.stat(copy.name).st_size


class _Hashing(io.RawIOBase):
    """Reads on, and knows the checksum of what was read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._hash = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """As of any file."""
        some = self._source.read(size)
        self._hash.update(some)
        return some

    def digest(self) -> str:
        """Of all that was read."""
        return self._hash.hexdigest()


def _read(file: Path, made: Path, on_progress: Told) -> Kept:
    """Unpack a backup into an empty directory, and compare everything with the list at its end."""
    found: dict[str, dict[str, object]] = {}
    manifest: dict[str, object] | None = None
    total, done = file.stat().st_size, 0
    try:
        with file.open("rb") as packed, tarfile.open(fileobj=packed, mode="r|gz", tarinfo=_Entry) as tar:
            for about in tar:
                source = tar.extractfile(about) if about.isreg() else None
                if source is None or not _is_ours(about.name) or len(found) >= _FILES_MAX:
                    raise InputError(f"{str(file)!r} is no backup of ours: it holds {about.name[:200]!r}")
                if about.name == _MANIFEST:
                    manifest = _listed(source, about.size)
                else:
                    _check_space(made, about)
                    found[about.name] = _unpacked(source, made / about.name)
                # A list of all that was read would grow with the file.
                tar.members = []  # type: ignore[attr-defined]
                done = packed.tell()
                on_progress(done, total)
    except (tarfile.TarError, EOFError, ValueError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"{str(file)!r} is no backup, or is cut or damaged ({error}): take another copy of it"
        ) from error
    return _checked(file, manifest, found)


def _checked(file: Path, manifest: dict[str, object] | None, found: dict[str, dict[str, object]]) -> Kept:
    if manifest is None:
        raise InputError(f"{str(file)!r} is cut: the list at its end is missing; take another copy of it")
    if manifest.get("shape") != _SHAPE:
        raise InstallError(
            f"{str(file)!r} was made by Mnemograph {manifest.get('version')!r}, which this version"
            f" ({version()}) cannot read: install that version or a newer one"
        )
    if manifest.get("files") != found:
        told = manifest.get("files")
        listed = told if isinstance(told, dict) else {}
        wrong = sorted(name for name in {*listed, *found} if listed.get(name) != found.get(name))
        raise InputError(f"{str(file)!r} is damaged: {', '.join(wrong[:5])} are not as they were; take another copy")
    return Kept(
        files=len(found),
        bytes=sum(int(str(one["bytes"])) for one in found.values()),
        made_at=str(manifest.get("made_at")),
        version=str(manifest.get("version")),
    )


class _Entry(tarfile.TarInfo):
    """The head of an entry; what stands before a name is read into memory, so it is bounded, and there are no holes."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Entry":
        """Return the head in a block."""
        entry = super().frombuf(buf, encoding, errors)
        if entry.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("a file with holes")
        if entry.type not in tarfile.REGULAR_TYPES and entry.size > _HEAD_BYTES_MAX:
            raise tarfile.ReadError(f"a head of {entry.size:,} bytes")
        return entry


def _listed(source: IO[bytes], size: int) -> dict[str, object]:
    if size > _MANIFEST_BYTES_MAX:
        raise ValueError(f"a list of {size:,} bytes")
    manifest = read_json(source.read())
    if not isinstance(manifest, dict):
        raise ValueError("a list that is no object")
    return manifest


def _check_space(made: Path, about: tarfile.TarInfo) -> None:
    """Refuse a file before it fills the disk: a few megabytes may hold as many gigabytes."""
    free = shutil.disk_usage(made).free - _SPARE_BYTES
    if about.size > free:
        raise InstallError(
            f"the backup holds {about.name[:200]!r} of {about.size:,} bytes, and {max(free, 0):,} are free for it at"
            f" {str(made.parent)!r}: free some space; nothing was restored"
        )


def _is_ours(name: str) -> bool:
    """Return whether a backup may hold a file of this name: below the directory, and none that tells what runs."""
    path = PurePosixPath(name)
    unsafe = path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts
    return not unsafe and _LEFT_OUT.isdisjoint(path.parts)


def _unpacked(source: IO[bytes], path: Path) -> dict[str, object]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600), "wb") as out:
        while some := source.read(_CHUNK_BYTES):
            digest.update(some)
            size += len(some)
            out.write(some)
        out.flush()
        os.fsync(out.fileno())
    return {"bytes": size, "sha256": digest.hexdigest()}


def _put_in_place(made: Path, data_dir: Path, *, lock_is_ours: bool) -> None:
    """Make the work directory the data directory.

    Args:
        lock_is_ours: the directory was there, and whoever calls holds its lock.
    """
    if made.parent == data_dir:
        # The database comes last: without it a directory is an empty one.
        for entry in sorted(made.iterdir(), key=lambda entry: entry.name == "neo4j"):
            if entry.name != _LOCK:
                entry.rename(data_dir / entry.name)
        return
    (made / _LOCK).unlink()
    if lock_is_ours:
        # A starter that waits for this file sees that it is gone, and opens the one that counts then.
        (data_dir / _LOCK).unlink()
    try:
        # Replaces an empty directory in one step, and no other.
        os.rename(made, data_dir)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise _in_use(data_dir) from error
        raise
