"""The command line starts the database before it loads what talks to it."""

import subprocess
import sys

HEAVY = ("neo4j", "numpy", "httpx", "fastapi", "strawberry", "networkx", "openai", "mcp")


def test_the_command_line_alone_loads_nothing_heavy() -> None:
    """Java starts while the rest is loaded; what the commands' names need comes first."""
    look = f"import sys, graph_service.cli.main; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_service_loads_the_mcp_protocol_only_for_its_first_client() -> None:
    """It takes more than a second; whoever does not speak it must not wait for it."""
    look = "import sys, graph_service.app.application; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_service_loads_metrics_and_traces_only_when_they_are_asked_for() -> None:
    names = ("prometheus_client", "opentelemetry.sdk")
    look = f"import sys, graph_service.app.application; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_agent_that_asks_a_service_loads_nothing_that_answers() -> None:
    """Clients start one such process for each agent, and wait for it."""
    heavy = [name for name in HEAVY if name != "mcp"]
    look = f"import sys, graph_service.cli.mcp_backends; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
