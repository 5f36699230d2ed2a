"""Test that commands import little before the database is starting."""

import subprocess
import sys

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
