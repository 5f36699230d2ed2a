"""Record verified hashes of downloaded files outside the cache that contains them.

A cache may be copied from elsewhere, so nothing in it can prove that its files are genuine. Each folder or file has a
record in the user's state directory: a line per file with its hash and its file-system metadata when it was hashed. A
file with unchanged metadata is not hashed again; programs cannot set the ctime.
"""

import contextlib
import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Final

from platformdirs import user_state_dir

_RECORD_BYTES_MAX: Final = 4 * 2**20
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BufferedWriter]:
    """Yield a new file with mode 0600 that replaces `path` atomically at the end; an error leaves the old one."""
    number, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically, with mode 0600."""
    with replacing(path) as file:
        file.write(text.encode())


def read_bounded(path: Path | str, *, bytes_max: int, dir_fd: int | None = None, follow: bool = True) -> bytes:
    """Return the content of a regular file.

    Args:
        dir_fd: an open directory that `path` is relative to.
        follow: False refuses a symbolic link.

    Raises:
        OSError: the file is unreadable, too large, or not a regular file (a pipe or device might block).
    """
    with _opened(path, dir_fd=dir_fd, follow=follow) as file:
        content = file.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise OSError(f"it is larger than {bytes_max:,} bytes")
    return content


def mark_of(state: os.stat_result) -> str:
    """Return file-system metadata as a text that changes whenever a file is written or replaced."""
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_ino} {state.st_dev}"


def hashed(path: Path) -> tuple[str, str]:
    """Return the SHA-256 of a regular file, and its metadata as `mark_of` returned it before reading.

    Raises:
        OSError: the file cannot be read, or is not a regular file.
    """
    with _opened(path, dir_fd=None, follow=False) as file:
        mark = mark_of(os.fstat(file.fileno()))
        return hashlib.file_digest(file, "sha256").hexdigest(), mark


def read_record(place: Path) -> dict[str, str]:
    """Return the record of a folder or file; empty if missing or unreadable."""
    file = _record_file(place)
    if file is None:
        return {}
    try:
        record = json.loads(read_bounded(file, bytes_max=_RECORD_BYTES_MAX, follow=False))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(record, dict) or record.get("place") != str(place.absolute()):
        return {}
    files = record.get("files")
    return {str(key): str(value) for key, value in files.items()} if isinstance(files, dict) else {}


def write_record(place: Path, files: Mapping[str, str]) -> bool:
    """Write a record; return False if the state directory is not writable (files are then hashed every time)."""
    file = _record_file(place)
    if file is None:
        return False
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not file.exists():
            _delete_stale_records(file.parent)
        write_private(file, json.dumps({"place": str(place.absolute()), "files": dict(files)}))
    except OSError:
        return False
    return True


def drop_record(place: Path) -> None:
    """Delete the record of a folder or file."""
    file = _record_file(place)
    if file is not None:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def writable_by_others(path: Path) -> str:
    """Return the reason why other users can change a file or folder; empty if only this user and root can.

    Group write permission from umask 002 is removed first.
    """
    state = path.stat()
    if state.st_uid not in (os.geteuid(), 0):
        return f"{str(path)!r} belongs to another user ({state.st_uid})"
    if state.st_mode & _OTHERS_MAY_WRITE:
        try:
            path.chmod(stat.S_IMODE(state.st_mode) & ~_OTHERS_MAY_WRITE)
        except OSError:
            return f"{str(path)!r} can be written by others"
    return ""


def _delete_stale_records(folder: Path) -> None:
    """Delete records of paths whose parent folder no longer exists, and unreadable records."""
    for file in folder.glob("*.json"):
        try:
            place = json.loads(read_bounded(file, bytes_max=_RECORD_BYTES_MAX, follow=False))["place"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            place = None
        # The record of an archive is written before the archive itself, so look for the folder.
        if not isinstance(place, str) or not Path(place).parent.exists():
            file.unlink(missing_ok=True)


def _record_file(place: Path) -> Path | None:
    # Without a home directory the path would be in the working directory, which others may be able to write to.
    try:
        folder = Path(user_state_dir("mnemoscene"))
    except RuntimeError:
        return None
    name = hashlib.sha256(os.fsencode(place.absolute())).hexdigest()[:32]
    return folder / "proved" / f"{name}.json" if folder.is_absolute() else None


@contextlib.contextmanager
def _opened(path: Path | str, *, dir_fd: int | None, follow: bool) -> Iterator[BufferedReader]:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    number = os.open(path, flags | (0 if follow else os.O_NOFOLLOW), dir_fd=dir_fd)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError("it is not a regular file")
        yield file
