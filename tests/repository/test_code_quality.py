"""Run ruff, mypy and the import contracts as a developer would."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = {
    "ruff check": [sys.executable, "-m", "ruff", "check", "."],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check", "."],
    "mypy strict": [sys.executable, "-m", "mypy"],
    "import contracts": [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_reports_no_problem(tool: str) -> None:
    done = subprocess.run(TOOLS[tool], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{tool}:\n{done.stdout}{done.stderr}"
