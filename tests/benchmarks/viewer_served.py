"""The whole service in a process of its own for the viewer's bench: `python -m tests.benchmarks.viewer_served FOLDER`.

Prints its address as JSON; each line it reads names a tenant in which something was committed; runs until its input
ends. The database is the one of `MNEMOGRAPH_TEST_URI`.
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
        """Where it listens."""
        return int(self.address.rpartition(":")[2])

    def ring(self, tenant: str) -> None:
        """Something was committed by somebody else."""
        assert self._child.stdin is not None
        self._child.stdin.write(f"{tenant}\n".encode())


@contextlib.asynccontextmanager
async def served() -> AsyncIterator[Served]:
    """The service in a process of its own, with a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        async with child_process("tests.benchmarks.viewer_served", folder) as (told, child):
            yield Served(told["address"], child)


async def _serve(folder: Path) -> None:
    uri, password = os.environ["MNEMOGRAPH_TEST_URI"], os.environ["MNEMOGRAPH_TEST_PASSWORD"]
    async with open_service(Server(uri=uri, user="neo4j", password=password), folder) as service:
        sys.stdout.write(json.dumps({"address": service.http}) + "\n")
        sys.stdout.flush()
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            service.parts.change_notifier(line.strip())


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
