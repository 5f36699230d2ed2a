"""The tools' own checks: format, lint, types and layers, run as a developer would."""

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
def test_the_tool_finds_nothing_to_say(tool: str) -> None:
    done = subprocess.run(TOOLS[tool], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{tool}:\n{done.stdout}{done.stderr}"
