"""House rules that no other tool checks: module docstrings, names, and text that must not be committed."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("schema", "extraction", "graph_service", "web_viewer")
FORBIDDEN_MODULE_NAMES = {"utils", "helpers", "manager", "base", "common", "types", "models"}
# Put together here, so that this file does not contain what it forbids.
FORBIDDEN_TEXT = re.compile(
    "|".join(
        [
            r"(?<![\w.-])/wo" + r"rk/",
            r"\.\./sha" + r"red",
            r"(?<![\w./-])/ro" + r"ot/",
            "pypi" + r"\.org",
            "pythonhost" + "ed",
            r"registry\.npm" + "js",
            r"repo1?\.ma" + r"ven",
            r"deb\.deb" + "ian",
            "anthro" + "pic",
            # Products of that name are clients of ours, and what people bring with them.
            r"\bcla" + r"ude\b(?![ -]exports?)(?! (?:Desktop|Code)\b)",
            r"\bco" + r"dex\b",
        ]
    ),
    re.IGNORECASE,
)


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository, without those that are deleted in the working tree."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def sources() -> list[Path]:
    return [path for path in tracked("*.py") if path.relative_to(ROOT).parts[0] in PACKAGES]


def test_each_source_file_says_first_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in sources() if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_package_files_hold_a_docstring_and_nothing_else() -> None:
    full = []
    for path in sources():
        tree = ast.parse(path.read_text("utf-8"))
        # The viewer is TypeScript; where it lies is all its Python.
        if path.name == "__init__.py" and len(tree.body) > 1 and path.parent.name != "web_viewer":
            full.append(str(path.relative_to(ROOT)))
    assert full == []


def test_no_module_is_named_after_a_pattern() -> None:
    assert [str(path) for path in sources() if path.stem in FORBIDDEN_MODULE_NAMES] == []


def test_nothing_names_a_machine_or_a_registry() -> None:
    found = []
    for path in tracked():
        if path.suffix in {".png", ".jpg", ".woff2", ".ico"}:
            continue
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), start=1):
            if FORBIDDEN_TEXT.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert found == []


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        str(path.relative_to(ROOT))
        for path in sources()
        if re.search(r"\bos\.(environ|getenv)\b|\bgetenv\(", path.read_text("utf-8"))
    ]
    # The launcher is a program of its own that sets up its own process; a library is told before it loads.
    own = ["extraction/embeddings/ctranslate2_setup.py", "graph_service/graph/local/launcher.py"]
    assert sorted(readers) == sorted([*own, "graph_service/config/settings.py"])
