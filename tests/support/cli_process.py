"""Run `mnemoscene` commands in child processes, with temporary settings and data."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph_service.cli.main import exit_code

COMMAND = [sys.executable, "-m", "graph_service"]
FINISHED_MAX_S = 300.0


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    def document(self) -> Any:
        """Return the standard output as JSON; fail unless the command exited with 0."""
        assert self.code == 0, self.err
        return json.loads(self.out)


@dataclass(frozen=True)
class Home:
    """A folder and an environment for commands, isolated from the developer's own configuration.

    Attributes:
        more: further environment variables.
    """

    folder: Path
    more: Mapping[str, str]

    @property
    def environ(self) -> dict[str, str]:
        ours = ("MNEMOSCENE_", "NEO4J_", "OPENAI_", "LLM_", "EMBEDDING_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        own = {
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "MNEMOSCENE_DATA_DIR": str(self.folder / "data"),
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), kept.get("PYTHONPATH", "")]).rstrip(
                os.pathsep
            ),
        }
        return kept | own | dict(self.more)

    def move_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Set environment and current folder of the test process itself, for commands that run inside it."""
        for name in set(os.environ) - set(self.environ):
            monkeypatch.delenv(name)
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.folder)

    def run(self, *arguments: str) -> Done:
        """Run a command to its end: in this process, which saves a second each, or for threads in one of its own."""
        if threading.current_thread() is not threading.main_thread():
            return self.run_process(*arguments)
        changed = {name: None for name in os.environ.keys() - self.environ.keys()} | self.environ
        with contextlib.chdir(self.folder), CliRunner().isolation(env=changed) as (out, err, _):
            argv, sys.argv = sys.argv, ["mnemoscene", *arguments]
            try:
                code = exit_code()
            finally:
                sys.argv = argv
            sys.stdout.flush()
            sys.stderr.flush()
            return Done(code, out.getvalue().decode(), err.getvalue().decode())

    def run_process(self, *arguments: str) -> Done:
        """Run a command to its end in a process of its own."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=FINISHED_MAX_S,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @contextlib.contextmanager
    def running(self, *arguments: str) -> Iterator["Running"]:
        """Start a command and stop it with SIGTERM at the end of the block."""
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=(self.folder / "stderr.txt").open("w"),
            text=True,
        )
        service = Running(process, self.folder / "stderr.txt")
        try:
            yield service
        finally:
            service.stop()


@dataclass(frozen=True)
class Running:
    """A running command."""

    process: "subprocess.Popen[str]"
    err: Path

    def document(self) -> Any:
        """Wait for the JSON document that the command prints when it is ready, and return it."""
        assert self.process.stdout is not None
        text = ""
        for line in self.process.stdout:
            text += line
            if line.rstrip() == "}":
                return json.loads(text)
        raise AssertionError(f"ended without an answer: {self.err.read_text()}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal if the command is still running, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(FINISHED_MAX_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
