"""Decide whether the `.mnemoscene` of a working directory is trusted.

Any repository can contain a `.mnemoscene`. It is used only if this user ran `mnemoscene init` or `mnemoscene trust`
there, which records the directory and the hash of its settings file in the user's configuration directory. The file is
read once, and the bytes that were hashed are the bytes that are used.
"""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from extraction.verified_files import read_bounded, writable_by_others, write_private
from schema.errors import InstallError, NotFoundError

FOLDER: Final = ".mnemoscene"
CONFIG: Final = "config.toml"
CONFIG_BYTES_MAX: Final = 2**20
# Directory of the records, one file each, so that concurrent commands do not overwrite each other's.
_RECORDS: Final = "trusted"
_RECORD_BYTES_MAX: Final = 64 * 1024
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH

State = Literal["absent", "trusted", "untrusted", "changed", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderTrust:
    """The `.mnemoscene` of a working directory, and whether it is trusted.

    Attributes:
        state: `absent` without a `.mnemoscene`; `unsafe` if other users can change it.
        folder: the `.mnemoscene`.
        config: content of its settings file, if any; only set if `trusted`.
        finding: why it is not trusted, as a message; empty if it is.
    """

    state: State = "absent"
    folder: Path = Path()
    config: bytes | None = field(default=None, repr=False)
    finding: str = ""

    @property
    def note(self) -> str:
        """Return one line about an untrusted `.mnemoscene`, else an empty string."""
        if self.state in ("absent", "trusted"):
            return ""
        return f"{str(self.folder)!r} is ignored: {self.finding}; check its content, then run `mnemoscene trust`"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRecord:
    """A trusted directory.

    Attributes:
        sha256: hash of its settings file; empty without one.
    """

    folder: Path
    sha256: str


def folder_trust(here: Path, user_dir: Path | None) -> FolderTrust:
    """Return the trust in the `.mnemoscene` of this directory; parent directories are not searched.

    Args:
        user_dir: the user's configuration directory; with None nothing is trusted.
    """
    here = here.resolve()
    folder = here / FOLDER
    try:
        state = os.lstat(folder)
    except OSError:
        return FolderTrust()
    if not stat.S_ISDIR(state.st_mode) and not stat.S_ISLNK(state.st_mode):
        return FolderTrust()
    record = _record(here, user_dir)
    if record is None:
        return FolderTrust(state="untrusted", folder=folder, finding="it is not trusted")
    try:
        content, found = _read(here)
    except OSError as error:
        return FolderTrust(state="unsafe", folder=folder, finding=f"{CONFIG}: {error.strerror or error}")
    if found:
        return FolderTrust(state="unsafe", folder=folder, finding=found)
    if _sha256(content) != record.sha256:
        return FolderTrust(state="changed", folder=folder, finding=f"{CONFIG} has changed since it was trusted")
    return FolderTrust(state="trusted", folder=folder, config=content)


def trust_folder(here: Path, user_dir: Path | None) -> TrustRecord:
    """Trust a directory with the current content of its `.mnemoscene/config.toml`.

    Write permissions of other users (umask 002) are removed.

    Raises:
        NotFoundError: it has no `.mnemoscene`.
        InstallError: other users can change it, or the record cannot be written.
    """
    here = here.resolve()
    folder = here / FOLDER
    if not folder.is_dir():
        raise NotFoundError(f"{str(here)!r} has no {FOLDER}: `mnemoscene init` creates one")
    if user_dir is None:
        raise InstallError("there is no home directory for the record: set HOME, or XDG_CONFIG_HOME")
    try:
        if not folder.is_symlink():
            for path in (folder, folder / CONFIG):
                if path.exists() and not path.is_symlink():
                    writable_by_others(path)
        content, found = _read(here)
    except OSError as error:
        found, content = f"{CONFIG}: {error.strerror or error}", None
    if found:
        raise InstallError(f"{str(folder)!r} cannot be trusted: {found}; fix that first")
    record = TrustRecord(folder=here, sha256=_sha256(content))
    file = _record_file(here, user_dir)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(file, json.dumps({"folder": str(here), "sha256": record.sha256}) + "\n")
    except OSError as error:
        raise InstallError(f"{str(file)!r} cannot be written: {error.strerror}; make its directory writable") from error
    return record


def forget_folder(here: Path, user_dir: Path | None) -> TrustRecord:
    """Stop trusting a directory, even if it no longer exists.

    Raises:
        NotFoundError: it was not trusted.
        InstallError: the record cannot be removed.
    """
    here = here.resolve()
    record = _record(here, user_dir)
    if record is None or user_dir is None:
        raise NotFoundError(f"{str(here)!r} is not trusted: `mnemoscene trust --list` lists trusted directories")
    try:
        _record_file(here, user_dir).unlink(missing_ok=True)
    except OSError as error:
        raise InstallError(f"the record of {str(here)!r} cannot be removed: {error.strerror}") from error
    return record


def trusted_folders(user_dir: Path | None) -> list[TrustRecord]:
    """Return all trusted directories, sorted by path."""
    files = [] if user_dir is None else (user_dir / _RECORDS).glob("*.json")
    found = [record for file in files if (record := _read_record(file)) is not None]
    return sorted(found, key=lambda record: str(record.folder))


def _read(here: Path) -> tuple[bytes | None, str]:
    """Return the content of the settings file, if any, and why it is unsafe (empty if safe)."""
    with _opened_folder(here / FOLDER) as number:
        mode = here.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return None, "its parent directory is writable by everybody"
        unsafe = _unsafe(os.lstat(here / FOLDER), FOLDER)
        if unsafe:
            return None, unsafe
        if number is not None and not os.path.samestat(os.fstat(number), os.lstat(here / FOLDER)):
            return None, f"{FOLDER} was replaced while it was read"
        name = here / FOLDER / CONFIG if number is None else CONFIG
        try:
            state = os.stat(name, dir_fd=number, follow_symlinks=False)
        except FileNotFoundError:
            return None, ""
        unsafe = _unsafe(state, CONFIG)
        if unsafe:
            return None, unsafe
        return read_bounded(name, bytes_max=CONFIG_BYTES_MAX, dir_fd=number, follow=False), ""


@contextlib.contextmanager
def _opened_folder(folder: Path) -> Iterator[int | None]:
    """Yield a descriptor of the directory, so that files are read from the one that was checked.

    A symbolic link yields None.
    """
    if folder.is_symlink():
        yield None
        return
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield number
    finally:
        os.close(number)


def _unsafe(state: os.stat_result, name: str) -> str:
    """Return why another user can change this file or directory, else an empty string."""
    if stat.S_ISLNK(state.st_mode):
        return f"{name} is a symbolic link"
    if state.st_uid not in (os.geteuid(), 0):
        return f"{name} belongs to another user"
    if state.st_mode & _OTHERS_MAY_WRITE:
        return f"{name} is writable by other users"
    return ""


def _record_file(here: Path, user_dir: Path) -> Path:
    return user_dir / _RECORDS / f"{hashlib.sha256(os.fsencode(here)).hexdigest()[:32]}.json"


def _record(here: Path, user_dir: Path | None) -> TrustRecord | None:
    record = None if user_dir is None else _read_record(_record_file(here, user_dir))
    return record if record is not None and record.folder == here else None


def _read_record(file: Path) -> TrustRecord | None:
    try:
        record = json.loads(read_bounded(file, bytes_max=_RECORD_BYTES_MAX, follow=False))
        return TrustRecord(folder=Path(record["folder"]), sha256=str(record["sha256"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _sha256(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()
