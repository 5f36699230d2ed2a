"""Run the live socket in a separate process, to measure its resources: `python -m tests.benchmarks.live_served`.

Prints its port as JSON and runs until stdin ends. Uses the database of `MNEMOSCENE_TEST_URI`.
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from tests.benchmarks.child_process import child_process
from tests.support.live_service import ServiceAddress, serving

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Weighed:
    """The address of the live socket, and its process."""

    door: ServiceAddress
    pid: int

    def cpu_s(self) -> float:
        """Return the CPU seconds it has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S

    def rss_mb(self) -> float:
        """Return its resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text("utf-8")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024


async def database() -> Graph:
    """Return the server named by the environment."""
    uri, password = os.environ["MNEMOSCENE_TEST_URI"], os.environ["MNEMOSCENE_TEST_PASSWORD"]
    return await connect(uri=uri, user="neo4j", password=password, database=None)


@contextlib.asynccontextmanager
async def weighed() -> AsyncIterator[Weighed]:
    """Run the live socket in a separate process."""
    async with child_process("tests.benchmarks.live_served") as (told, child):
        yield Weighed(ServiceAddress(told["port"]), child.pid)


async def _serve() -> None:
    graph = await database()
    async with serving(graph, LiveLimits(poll_s=0.05)) as service:
        sys.stdout.write(json.dumps({"port": service.port}) + "\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await graph.close()


if __name__ == "__main__":
    asyncio.run(_serve())
