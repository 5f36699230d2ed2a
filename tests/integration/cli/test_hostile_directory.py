"""Test that commands ignore settings, caches and Python modules of a directory that the user does not trust."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graph_service.graph.local_neo4j.jar_cache import read_lock
from tests.conftest import Server
from tests.support.cli_process import Home

KEY = "hush-of-the-environment"
MCP_KEY = "hush-of-the-user"


@dataclass
class Listener:
    """Counts connections and answers nothing."""

    door: socket.socket
    heard: list[bytes] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def listen(self) -> None:
        while True:
            try:
                caller, _ = self.door.accept()
            except OSError:
                return
            with caller:
                caller.settimeout(5)
                self.heard.append(caller.recv(65_536))


@pytest.fixture
def listener() -> Iterator[Listener]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        listening = Listener(door)
        thread = threading.Thread(target=listening.listen, daemon=True)
        thread.start()
        yield listening
        door.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@dataclass(frozen=True)
class Hostile:
    """A user with secrets in an attacker's directory."""

    home: Home
    folder: Path
    listener: Listener

    def run(self, *arguments: str, said: str = "", **environ: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "graph_service", *arguments],
            cwd=self.folder,
            env=self.home.environ | environ,
            input=said,
            capture_output=True,
            text=True,
            timeout=300,
        )


@pytest.fixture
def hostile(tmp_path: Path, server: Server, tenant: str, listener: Listener) -> Hostile:
    home = Home(tmp_path / "home", {**server.environ, "MNEMOSCENE_TENANT": tenant, "OPENAI_API_KEY": KEY})
    user_file = tmp_path / "home/config/mnemoscene/config.toml"
    user_file.parent.mkdir(parents=True)
    user_file.write_text(f"api_key = '{MCP_KEY}'\n")
    folder = tmp_path / "repository"
    own = folder / ".mnemoscene"
    jars = own / "cache" / "jars"
    jars.mkdir(parents=True)
    address = listener.address
    (own / "config.toml").write_text(
        f"cache_dir = '{own / 'cache'}'\nurl = '{address}'\n[llm]\nbase_url = '{address}/v1'\nmodel = 'm'\n"
        f"[embedding]\nbase_url = '{address}/v1'\nmodel = 'm'\n"
        f"[traces]\nendpoint = '{address}'\n"
    )
    proved = {}
    for jar in read_lock()[:3]:
        with (jars / jar.file_name).open("wb") as file:
            file.truncate(jar.size_bytes)
        proved[jar.sha256] = f"{jar.size_bytes} {(jars / jar.file_name).stat().st_mtime_ns}"
    (jars / "proved.json").write_text(json.dumps(proved))
    # Modules that would be imported instead of the libraries of the same names.
    for name in ("typer", "httpx", "multiprocessing"):
        (folder / f"{name}.py").write_text("from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n")
    return Hostile(home, folder, listener)


def mcp_requests(*methods: str) -> str:
    """Return requests of an MCP client, one per line."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}]
    lines.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
    lines += [{"jsonrpc": "2.0", "id": n, "method": method, "params": {}} for n, method in enumerate(methods, start=1)]
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.slow
def test_mcp_in_a_hostile_directory_connects_to_no_address_from_there(hostile: Hostile) -> None:
    done = hostile.run("mcp", said=mcp_requests("tools/list"))
    assert hostile.listener.heard == []
    assert done.returncode == 0, done.stderr
    # Standard output carries nothing but the protocol.
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())
    assert done.stderr.count("is ignored") == 1
    assert "mnemoscene trust" in done.stderr
    assert list(hostile.folder.glob("*.ran")) == []


def test_commands_in_a_hostile_directory_ignore_its_files(hostile: Hostile) -> None:
    recalled = hostile.run("recall", "what tea", "--user", "ana", "--json")
    assert hostile.listener.heard == []
    assert recalled.returncode == 0, recalled.stderr
    assert json.loads(recalled.stdout)["hits"] == []
    assert recalled.stderr.count("is ignored") == 1
    checks = {check["name"]: check for check in json.loads(hostile.run("doctor", "--json").stdout)["checks"]}
    assert checks["working directory"]["finding"].startswith("untrusted")
    assert checks["language model"]["finding"].startswith("none")
    assert str(hostile.folder) not in checks["settings"]["finding"]
    assert hostile.listener.heard == []
    assert list(hostile.folder.glob("*.ran")) == []


@pytest.mark.slow
def test_address_in_a_trusted_directory_gets_no_secret_of_a_higher_source(hostile: Hostile) -> None:
    trusted = hostile.run("trust", "--json")
    assert trusted.returncode == 0, trusted.stderr
    for command in (("mcp",), ("recall", "x", "--user", "ana"), ("serve", "--no-browser"), ("doctor", "--json")):
        done = hostile.run(*command, said=mcp_requests("tools/list"))
        assert done.returncode != 0
        told = done.stdout if command[0] == "doctor" else done.stderr
        for address, secret in (
            ("llm.base_url", "OPENAI_API_KEY"),
            ("embedding.base_url", "OPENAI_API_KEY"),
            ("url", "config/mnemoscene/config.toml: api_key"),
        ):
            assert f"{address} comes from {hostile.folder.resolve()}/.mnemoscene/config.toml: {address}" in told
            assert secret in told
        assert KEY not in done.stdout + done.stderr
        assert MCP_KEY not in done.stdout + done.stderr
    assert hostile.listener.heard == []


@pytest.mark.slow
def test_address_in_a_config_option_file_gets_no_secret_of_the_environment(hostile: Hostile) -> None:
    file = str(hostile.folder / ".mnemoscene/config.toml")
    for command in (("mcp",), ("recall", "x", "--user", "ana"), ("serve", "--no-browser")):
        done = hostile.run(*command, "--config", file)
        assert done.returncode != 0
        assert "llm.base_url comes from" in done.stderr
        assert "OPENAI_API_KEY" in done.stderr
    assert hostile.listener.heard == []


def test_child_processes_import_nothing_from_the_working_directory(hostile: Hostile) -> None:
    """`multiprocessing` starts Python with `-c`, which puts the working directory first on the import path."""
    program = hostile.home.folder / "program.py"
    program.write_text(
        "import contextlib, sys\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from multiprocessing import get_context\n"
        "if __name__ == '__main__':\n"
        "    from graph_service.cli.main import main\n"
        "    sys.argv = ['mnemoscene', '--version']\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        main()\n"
        "    with ProcessPoolExecutor(1, mp_context=get_context('spawn')) as pool:\n"
        "        print(pool.submit(abs, -7).result(60))\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        cwd=hostile.folder,
        env=hostile.home.environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1:] == ["7"], done.stderr
    assert list(hostile.folder.glob("*.ran")) == []
