"""Record the process that owns the Neo4j of a data directory, and lock files to serialise starts."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil

from extraction.verified_files import write_private

OWNER_NAME: Final = "owner.json"
LOCAL_URI: Final = "bolt://127.0.0.1:"
# Two readings of a process' start time differ if the system clock is adjusted between them.
SAME_START_S: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessMark:
    """Identity of a process: the pid with the start time, because pids are reused.

    Attributes:
        started_s: seconds since 1970, from the operating system.
    """

    pid: int
    started_s: float

    @staticmethod
    def of(pid: int) -> "ProcessMark":
        """Return the identity of a running process.

        Raises:
            psutil.NoSuchProcess: there is no process with this pid.
        """
        return ProcessMark(pid=pid, started_s=psutil.Process(pid).create_time())

    def process(self) -> psutil.Process | None:
        """Return the process if it is running; None if it ended, even if its pid was reused."""
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
        uri: empty until the server answers; the record is written before, so that orphans are found.
    """

    starter: ProcessMark
    server: ProcessMark
    uri: str

    def in_use(self) -> bool:
        """Return True if both the server and its starter are running."""
        return self.server.process() is not None and self.starter.process() is not None

    def description(self) -> str:
        """Return pid, start time and command of the starter, for an error message."""
        since = datetime.fromtimestamp(self.starter.started_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        process, command = self.starter.process(), "command not readable"
        if process is not None:
            # Arguments of another user's process may be unreadable, and the process may end now.
            with contextlib.suppress(psutil.Error):
                command = " ".join(process.cmdline())[:160]
        return f"process {self.starter.pid} (running since {since}: {command})"


def read_owner(data_dir: Path) -> Owner | None:
    """Return the recorded owner, running or not; None if there is no readable record."""
    try:
        record = json.loads((data_dir / OWNER_NAME).read_text(encoding="utf-8"))
        uri = str(record["uri"])
        # A record in a copied directory must not send data to another machine. A starting server has no address yet.
        if uri and not uri.startswith(LOCAL_URI):
            return None
        return Owner(starter=ProcessMark(**record["starter"]), server=ProcessMark(**record["server"]), uri=uri)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_owner(data_dir: Path, owner: Owner) -> None:
    write_private(data_dir / OWNER_NAME, json.dumps(asdict(owner)))


def clear_owner(data_dir: Path, server: ProcessMark) -> None:
    """Delete the record of this server, but not of a later one."""
    owner = read_owner(data_dir)
    if owner is not None and owner.server == server:
        (data_dir / OWNER_NAME).unlink(missing_ok=True)


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Try to lock a file; the system releases the lock when the process dies.

    Yields:
        False if it is locked, by this process or another, or if the file was deleted meanwhile, because a lock on a
        deleted file excludes nobody.
    """
    with open(path, "a+b") as file:
        yield _locked(file.fileno()) and _still_exists(file.fileno(), path)


def _still_exists(number: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return False


def _locked(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
