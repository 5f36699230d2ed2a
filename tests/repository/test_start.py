"""Test that commands import little before the database is starting."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

HEAVY = ("neo4j", "numpy", "httpx", "fastapi", "strawberry", "networkx", "openai", "mcp")


def test_command_line_imports_nothing_heavy() -> None:
    """Java starts while the rest is imported; only what the command names need is imported first."""
    look = f"import sys, graph_service.cli.main; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_service_imports_the_mcp_protocol_only_for_its_first_client() -> None:
    """The import takes more than a second, which other clients must not wait for."""
    look = "import sys, graph_service.app.application; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_service_imports_metrics_and_traces_only_on_request() -> None:
    names = ("prometheus_client", "opentelemetry.sdk")
    look = f"import sys, graph_service.app.application; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_mcp_process_in_front_of_a_service_imports_no_memory_code() -> None:
    """Clients start one such process for each agent and wait for it."""
    heavy = [name for name in HEAVY if name != "mcp"]
    look = f"import sys, graph_service.cli.mcp_backends; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class _Service(BaseHTTPRequestHandler):
    """Answers every question with nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        names = ("hits", "notes", "searchPath", "removed", "askedTimes")
        self.wfile.write(json.dumps({"data": {"recall": {name: [] for name in names}}}).encode())

    def log_message(self, *_args: object) -> None:
        """Print nothing."""


def test_command_that_asks_a_service_imports_neither_database_nor_models_nor_web_frameworks(tmp_path: Path) -> None:
    """It then takes a quarter of a second and 35 MB instead of seconds and 600 MB; pydantic takes 80 ms, rich 60."""
    heavy = (
        *HEAVY,
        "httpx2",
        "pydantic",
        "psutil",
        "asyncio",
        "rich",
        "importlib.metadata",
        "graph_service.memory",
        "graph_service.graph.store",
        "graph_service.api",
    )
    look = f"""
import sys
from graph_service.cli.main import exit_code
sys.argv = ["mnemoscene", "recall", "where?", "--user", "ana", "--limit", "3", "--tag", "tea", "--min-score", "0.1"]
assert exit_code() == 0
print([name for name in {heavy} if name in sys.modules])"""
    server = HTTPServer(("127.0.0.1", 0), _Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MNEMOSCENE_", "NEO4J_"))}
    address = f"http://127.0.0.1:{server.server_address[1]}"
    own = {"MNEMOSCENE_URL": address, "MNEMOSCENE_API_KEY": "k", "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-c", look]
    try:
        done = subprocess.run(command, env=kept | own, capture_output=True, text=True, check=True, cwd=tmp_path)
    finally:
        server.shutdown()
        server.server_close()
    assert done.stdout.splitlines()[-1] == "[]"
    assert "nothing found" in done.stdout
