"""Test how `Memory.local` finds the service of this machine, and starts one."""

import json
import sys
from pathlib import Path

import pytest

from mnemoscene import Memory, Unavailable
from tests.unit.client.test_transport import GOOD, StandIn

# Stands in for `mnemoscene serve`: registers itself in its data directory, as the service does, and answers.
COMMAND = """#!{python}
import http.server, json, os, pathlib
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
folder = pathlib.Path(os.environ["MNEMOSCENE_DATA_DIR"])
(folder / "pid").write_text(str(os.getpid()))
(folder / "service.json").write_text(json.dumps({{"address": "http://127.0.0.1:%d" % server.server_address[1]}}))
server.serve_forever()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the data directory, and an empty folder for commands."""
    for name in ("MNEMOSCENE_URL", "MNEMOSCENE_API_KEY", "MNEMOSCENE_TENANT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("MNEMOSCENE_DATA_DIR", str(tmp_path))
    return tmp_path


def register(folder: Path, address: str) -> None:
    (folder / "service.json").write_text(json.dumps({"process": {}, "address": address, "neo4j": None}))


def test_running_service_is_found_by_its_file(folder: Path) -> None:
    plan = StandIn(GOOD)
    with plan.running() as url:
        register(folder, url)
        with Memory.local(user_id="ana") as memory:
            assert memory.context("Tea?").text == "tea"


@pytest.mark.parametrize("address", ["http://192.0.2.1:7780", "https://127.0.0.1:1", "http://a:b@127.0.0.1:1", "x"])
def test_registered_address_of_another_machine_is_not_used(folder: Path, address: str) -> None:
    register(folder, address)
    with pytest.raises(Unavailable, match="not installed"):
        Memory.local(user_id="ana")


def test_service_is_started_and_stopped_with_the_memory(folder: Path) -> None:
    python = Path(sys.prefix) / "bin" / "python"
    command = folder / "bin" / "mnemoscene"
    command.write_text(COMMAND.format(python=python))
    command.chmod(0o755)
    memory = Memory.local(user_id="ana", start_s=60)
    process = memory._local.process if memory._local else None
    assert process is not None
    assert int((folder / "pid").read_text()) == process.pid
    memory.close()
    assert process.poll() is not None


def test_command_that_fails_is_reported(folder: Path) -> None:
    command = folder / "bin" / "mnemoscene"
    command.write_text("#!/bin/sh\nexit 3\n")
    command.chmod(0o755)
    with pytest.raises(Unavailable, match="run it in a terminal"):
        Memory.local(user_id="ana", start_s=60)
