"""Test that the wheel takes no top-level names that other distributions use, and runs beside them."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STRANGERS = ("schema", "extraction", "graph_service", "web_viewer")
_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from mnemoscene_server import main; main()"
_IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.OF)"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built without the viewer."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, env={**os.environ, "MNEMOSCENE_SKIP_VIEWER": "1"}, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_wheel_writes_a_single_import_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"mnemoscene_server"}
    inside = {name.split("/")[1] for name in names if name.startswith("mnemoscene_server/")}
    assert inside == {"__init__.py", *STRANGERS}
    assert not [name for name in names if "/extraction/training/" in name]


def test_installed_command_runs_beside_libraries_of_the_same_names(wheel: Path, tmp_path: Path) -> None:
    for name in STRANGERS:
        (tmp_path / f"{name}.py").write_text(f"OF = 'a stranger, {name}'\n")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    for name in STRANGERS:
        program = [sys.executable, "-P", "-c", _IMPORT.format(name), str(tmp_path)]
        assert subprocess.check_output(program, text=True).strip() == f"a stranger, {name}"
    done = subprocess.run([sys.executable, "-P", "-c", _RUN, str(tmp_path), "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "recall" in done.stdout


def test_wheel_of_the_client_holds_its_package_only(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT / "clients/python", check=True, capture_output=True)
    (path,) = tmp_path.glob("mnemoscene-*.whl")
    with zipfile.ZipFile(path) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    package = ROOT / "clients/python/mnemoscene"
    sources = {file.relative_to(package).as_posix() for file in package.rglob("*") if file.suffix in (".py", ".typed")}
    assert files == {f"mnemoscene/{name}" for name in sources}
    needed = [
        line.split()[1] for line in metadata.splitlines() if line.startswith("Requires-Dist") and "extra" not in line
    ]
    assert sorted(re.split(r"[<>=]", one)[0] for one in needed) == ["httpx", "pydantic"]
