"""Rules of the repository that no other tool checks."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("schema", "extraction", "graph_service", "web_viewer")
MODULES_MAX = 26
# Joined from pieces, so that this file does not match itself.
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
        ]
    ),
    re.IGNORECASE,
)


def tracked(*patterns: str) -> list[Path]:
    """Return the files of the repository that exist in the working tree."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def sources() -> list[Path]:
    return [path for path in tracked("*.py") if path.relative_to(ROOT).parts[0] in PACKAGES]


def test_each_module_has_a_docstring() -> None:
    bare = [
        str(path.relative_to(ROOT)) for path in sources() if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert bare == []


def test_init_files_hold_only_a_docstring() -> None:
    full = []
    for path in sources():
        # web_viewer is TypeScript; its __init__ holds the path of the built files.
        if path.name != "__init__.py" or path.parent.name == "web_viewer":
            continue
        if len(ast.parse(path.read_text("utf-8")).body) > 1:
            full.append(str(path.relative_to(ROOT)))
    assert full == []


def test_packages_have_a_limited_number_of_modules() -> None:
    """A package that exceeds this is split by capability, so that its list of files stays readable."""
    counts = Counter(
        str(path.parent.relative_to(ROOT)) for path in sources() if path.name not in {"__init__.py", "__main__.py"}
    )
    assert {name: n for name, n in counts.items() if n > MODULES_MAX} == {}


def test_no_file_names_a_machine_path_or_a_registry() -> None:
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
    # The launcher is a separate program; CTranslate2 reads its variable when it is imported.
    own = ["extraction/embeddings/ctranslate2_setup.py", "graph_service/graph/local_neo4j/launcher.py"]
    assert sorted(readers) == sorted([*own, "graph_service/config/settings.py"])


def test_no_repeat_count_of_a_pattern_is_taken_for_a_value() -> None:
    """In an f-string `x{1,3}` inserts the tuple (1, 3); a pattern needs `x{{1,3}}`."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Constant | ast.Tuple)
    ]
    assert found == []
