"""Backup and restore of the local data directory: the database, its password, the spool and the audit log in one file.

The file is a tar, compressed, of the files as they are, and last of all a list of them with their checksums: without
that list a file is cut, and nothing of it is restored.
"""

import contextlib
import gzip
import hashlib
import io
import json
import os
import shutil
import sqlite3
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

# Number 1 of this shape; another number is another version of ours.
_SHAPE: Final = 1
_MANIFEST: Final = "manifest.json"
_LOCK: Final = "start.lock"
# What runs says where it runs, and what it did; none of that is true of a copy.
_LEFT_OUT: Final = frozenset({OWNER_NAME, "service.json", "keys.json", _LOCK, "logs", "store_lock"})
_CHUNK_BYTES: Final = 1 << 20
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
    """Writes everything of a data directory into one file, which is complete or not there.

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
            kept = _write(data_dir, part, on_progress)
        os.replace(part, file)
    except OSError as error:
        raise InstallError(
            f"the backup {str(file)!r} could not be written: {error}; nothing was left behind"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return kept


def restore(file: Path, data_dir: Path, *, on_progress: Told = lambda _done, _total: None) -> Kept:
    """Makes a data directory from a backup; it is complete, with every checksum right, or as empty as it was.

    Raises:
        ConflictError: the data directory holds something.
        InputError: the file is no backup, cut, or damaged.
        InstallError: it cannot be read, or was made by a newer version, or the directory cannot be written.
    """
    if not file.is_file():
        raise InputError(f"there is no backup {str(file)!r}: check the name")
    if data_dir.exists() and [entry.name for entry in data_dir.iterdir() if entry.name != _LOCK]:
        raise ConflictError(
            f"{str(data_dir)!r} is not empty, and nothing in it is overwritten: set MNEMOGRAPH_DATA_DIR to another"
            " directory, or move this one away"
        )
    # Beside it, so that the last step is one renaming.
    made = data_dir.with_name(f".{data_dir.name}.restoring")
    try:
        made.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(mode=0o700)
        kept = _read(file, made, on_progress)
        _put_in_place(made, data_dir)
    except OSError as error:
        raise InstallError(f"{str(file)!r} could not be restored into {str(data_dir)!r}: {error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return kept


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
    with open(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as out:
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
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
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
    """Unpacks a backup into an empty directory, and compares everything with the list at its end."""
    found: dict[str, dict[str, object]] = {}
    manifest: dict[str, object] | None = None
    total, done = file.stat().st_size, 0
    try:
        with file.open("rb") as packed, tarfile.open(fileobj=packed, mode="r|gz") as tar:
            for about in tar:
                source = tar.extractfile(about)
                if source is None or not _is_inside(about.name):
                    raise InputError(f"{str(file)!r} is no backup of ours: it holds {about.name[:200]!r}")
                if about.name == _MANIFEST:
                    manifest = json.load(source)
                else:
                    found[about.name] = _unpacked(source, made / about.name)
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
    if manifest["files"] != found:
        listed = manifest["files"] if isinstance(manifest["files"], dict) else {}
        wrong = sorted(name for name in {*listed, *found} if listed.get(name) != found.get(name))
        raise InputError(f"{str(file)!r} is damaged: {', '.join(wrong[:5])} are not as they were; take another copy")
    return Kept(
        files=len(found),
        bytes=sum(int(str(one["bytes"])) for one in found.values()),
        made_at=str(manifest["made_at"]),
        version=str(manifest["version"]),
    )


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name


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


def _put_in_place(made: Path, data_dir: Path) -> None:
    (data_dir / _LOCK).unlink(missing_ok=True)
    try:
        if data_dir.exists():
            data_dir.rmdir()
        os.rename(made, data_dir)
    except OSError:
        # The place of a volume cannot be renamed; the database comes last, so that half a directory is an empty one.
        data_dir.mkdir(mode=0o700, exist_ok=True)
        for entry in sorted(made.iterdir(), key=lambda entry: entry.name == "neo4j"):
            shutil.move(str(entry), data_dir / entry.name)
