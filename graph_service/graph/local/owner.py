"""Who runs the Neo4j of a data directory: one record, and one lock so that two starters take turns."""

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil

from extraction.verified_files import write_private

OWNER_NAME: Final = "owner.json"
LOCAL_URI: Final = "bolt://127.0.0.1:"
# Two readings of one process' start differ when the system clock is corrected between them.
SAME_START_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessMark:
    """One process for ever: a pid alone is given again to another process.

    Attributes:
        started_s: seconds since 1970, as the operating system tells it.
    """

    pid: int
    started_s: float

    @staticmethod
    def of(pid: int) -> "ProcessMark":
        """Return the mark of a process that runs now.

        Raises:
            psutil.NoSuchProcess: nothing runs under this pid.
        """
        return ProcessMark(pid=pid, started_s=psutil.Process(pid).create_time())

    def process(self) -> psutil.Process | None:
        """Return the process while it runs; None once it ended, also when its pid was given away since."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) <= SAME_START_S
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except psutil.NoSuchProcess:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The process that started a Neo4j, and the Neo4j it started.

    Attributes:
        uri: empty until the server answers; recorded before, so that no server of a dead process goes unnoticed.
    """

    starter: ProcessMark
    server: ProcessMark
    uri: str

    def in_use(self) -> bool:
        """Return whether the server runs and the process that must stop it does too."""
        return self.server.process() is not None and self.starter.process() is not None

    def description(self) -> str:
        """Process number, start and command of the starter, for an error message."""
        since = datetime.fromtimestamp(self.starter.started_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        process, command = self.starter.process(), "command not readable"
        if process is not None:
            # Another user's process may keep its arguments to itself; it may also end right now.
            with contextlib.suppress(psutil.Error):
                command = " ".join(process.cmdline())[:160]
        return f"process {self.starter.pid} (running since {since}: {command})"


def read_owner(data_dir: Path) -> Owner | None:
    """Return the recorded owner, running or not; None when there is no readable record."""
    try:
        record = json.loads((data_dir / OWNER_NAME).read_text(encoding="utf-8"))
        uri = str(record["uri"])
        # A record that came with a directory from elsewhere must not lead this user's memories to another machine; one
        # of a server that only starts names no address yet.
        if uri and not uri.startswith(LOCAL_URI):
            return None
        return Owner(starter=ProcessMark(**record["starter"]), server=ProcessMark(**record["server"]), uri=uri)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_owner(data_dir: Path, owner: Owner) -> None:
    """Record the owner; a reader sees the old record or the new one, never half of one."""
    write_private(data_dir / OWNER_NAME, json.dumps(asdict(owner)))


def clear_owner(data_dir: Path, server: ProcessMark) -> None:
    """Remove the record of this server; the record of a later one stays."""
    owner = read_owner(data_dir)
    if owner is not None and owner.server == server:
        (data_dir / OWNER_NAME).unlink(missing_ok=True)


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Hold a lock file if nobody does; the system frees it when its holder dies.

    Yields:
        False at once when another holder has it, in this process or another, or when its last holder took the file
        away meanwhile: the lock of a file that has no name keeps nobody out.
    """
    with open(path, "a+b") as file:
        yield _locked(file.fileno()) and _is_there(file.fileno(), path)


def _is_there(number: int, path: Path) -> bool:
    """Return whether an open file still is the one of that name."""
    try:
        return os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _locked(number: int) -> bool:
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(number: int) -> bool:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
