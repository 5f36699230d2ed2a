"""Run the whole service in a separate process for the viewer's benchmark.

    python -m tests.benchmarks.viewer_served FOLDER

Prints its address as JSON; each line read from stdin names a tenant with a new commit; runs until stdin ends. Uses the
database of `MNEMOSCENE_TEST_URI`.
"""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from tests.benchmarks.child_process import child_process
from tests.conftest import Server
from tests.support.open_service import open_service


class Served:
    """A running service."""

    def __init__(self, address: str, child: asyncio.subprocess.Process) -> None:
        self.address = address
        self._child = child

    @property
    def port(self) -> int:
        """Return its port."""
        return int(self.address.rpartition(":")[2])

    def ring(self, tenant: str) -> None:
        """Notify the service of a commit by another process."""
        assert self._child.stdin is not None
        self._child.stdin.write(f"{tenant}\n".encode())


@contextlib.asynccontextmanager
async def served() -> AsyncIterator[Served]:
    """Run the service in a separate process with a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        async with child_process("tests.benchmarks.viewer_served", folder) as (told, child):
            yield Served(told["address"], child)


async def _serve(folder: Path) -> None:
    uri, password = os.environ["MNEMOSCENE_TEST_URI"], os.environ["MNEMOSCENE_TEST_PASSWORD"]
    async with open_service(Server(uri=uri, user="neo4j", password=password), folder) as service:
        sys.stdout.write(json.dumps({"address": service.http}) + "\n")
        sys.stdout.flush()
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            service.parts.change_notifier(line.strip())


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
