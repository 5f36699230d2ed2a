"""Start `launcher.py` as a child process, read its reports, and stop it."""

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from graph_service.config.settings import child_environment
from schema.errors import InstallError

LAUNCHER_PATH: Final = Path(__file__).with_name("launcher.py")
POLL_S: Final = 0.1
STOP_MAX_S: Final = 10.0
LOG_TAIL_CHARS: Final = 600


class ServerSlowError(InstallError):
    """The server did not answer in time: the machine is busy, or recovery takes long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """A running child process, and the queue of its reports, which ends with None."""

    popen: subprocess.Popen[bytes]
    reports: queue.Queue[dict[str, Any] | None]

    def wait_until_ready(self, *, timeout_s: float, cancelled: threading.Event) -> dict[str, Any]:
        """Wait for the child's `ready` or `failed` report.

        Returns:
            The report; `died` with a `reason` if the child ended without one.

        Raises:
            ServerSlowError: no report within `timeout_s`; the child was killed.
            InstallError: `cancelled` was set; the child was killed.
        """
        deadline_s = time.monotonic() + timeout_s
        while not cancelled.is_set() and time.monotonic() < deadline_s:
            try:
                report = self.reports.get(timeout=POLL_S)
            except queue.Empty:
                continue
            return report or {"event": "died", "reason": f"it ended with status {self.popen.wait()}"}
        self.kill()
        if cancelled.is_set():
            raise InstallError("Starting the local Neo4j was cancelled; its log is in the data directory under 'logs'.")
        raise ServerSlowError(
            f"Starting the local Neo4j took longer than {timeout_s:g} s; its log is in the data directory under 'logs'."
        )

    def stop(self) -> None:
        """Close the database; kill the child if that takes over ten seconds."""
        try:
            self._stdin.write(b"stop\n")
            self._stdin.close()
            deadline_s = time.monotonic() + STOP_MAX_S
            report: dict[str, Any] | None = {}
            while report is not None and report.get("event") != "stopped":
                report = self.reports.get(timeout=max(0.0, deadline_s - time.monotonic()))
        except (OSError, ValueError):
            # The child has ended, or another call closed its stdin.
            self.popen.wait(STOP_MAX_S)
        except queue.Empty:
            self.kill()

    def kill(self) -> None:
        self.popen.kill()
        self.popen.wait()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self.popen.stdin is not None
        return self.popen.stdin


def start_process(settings: dict[str, Any]) -> ServerProcess:
    """Start the launcher with these settings, without waiting until it is ready.

    Raises:
        InstallError: the operating system refuses a new process.
    """
    try:
        popen = subprocess.Popen(
            [sys.executable, "-I", str(LAUNCHER_PATH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=child_environment(),
        )
    except OSError as problem:
        raise InstallError(f"The process of the local Neo4j could not be started: {problem}.") from problem
    assert popen.stdin is not None
    # If the child has already ended, `wait_until_ready` reports `died`.
    with contextlib.suppress(BrokenPipeError):
        popen.stdin.write(json.dumps(settings).encode() + b"\n")
        popen.stdin.flush()
    reports: queue.Queue[dict[str, Any] | None] = queue.Queue()
    threading.Thread(target=_collect, args=(popen, reports), name="neo4j-reports", daemon=True).start()
    return ServerProcess(popen=popen, reports=reports)


def log_tail(log_dir: Path) -> str:
    """Return the end of Java's output, for an error message; empty if there is none."""
    try:
        return (log_dir / "launcher.log").read_text(encoding="utf-8", errors="replace")[-LOG_TAIL_CHARS:].strip()
    except OSError:
        return ""


def _collect(popen: subprocess.Popen[bytes], reports: "queue.Queue[dict[str, Any] | None]") -> None:
    assert popen.stdout is not None
    try:
        with popen.stdout as lines:
            for line in lines:
                # The last line of a killed child may be incomplete.
                with contextlib.suppress(ValueError):
                    reports.put(json.loads(line))
    finally:
        reports.put(None)
    popen.wait()
