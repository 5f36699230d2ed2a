"""A process that remembers while Neo4j is away, and kills itself (kill -9) once it said so. Run by test_spool.py."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from graph_service.memory.ingest.spool import Spool
from schema.ids import TenantId
from tests.integration.memory.worker.crash_story import STORY
from tests.support.builders import a_dead_graph, a_memory

MB = 2**20


async def _main(path: str, tenant: str) -> None:
    memory = a_memory(a_dead_graph(), spool=Spool(Path(path), bytes_max=MB))
    for call in STORY:
        receipt = await memory.remember(TenantId(tenant), call)
        sys.stdout.write(f"{receipt.spooled}\n")
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
