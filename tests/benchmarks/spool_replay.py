"""Measure how fast messages are spooled and replayed into Neo4j, beside the speed of the machine.

    MNEMOSCENE_TEST_URI=bolt://… MNEMOSCENE_TEST_PASSWORD=… python -m tests.benchmarks.spool_replay --episodes 2000

Spools episodes (50 concurrent callers, each acknowledgement durable), replays them, and meanwhile lets a user with an
empty spool `remember` repeatedly. Prints JSON. To measure another checkout, run `PYTHONPATH=CHECKOUT python
tests/benchmarks/spool_replay.py …`: it uses nothing newer than `Spool.put` and `Replay.flush`.
"""

import argparse
import asyncio
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_without_embedder
from graph_service.graph.store import Graph
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, check_request
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.service import Memory
from schema.ids import TenantId
from tests.support.builders import a_worker

CALLERS: Final = 50
SYNCS: Final = 50


def machine_speed(folder: Path) -> dict[str, float]:
    """Return the time of a fixed computation, and of writing a page through to disk."""
    begun_s = time.perf_counter()
    hashlib.pbkdf2_hmac("sha256", b"word", b"salt", 500_000)
    work_s = time.perf_counter() - begun_s
    begun_s = time.perf_counter()
    with (folder / "page").open("wb") as page:
        for _ in range(SYNCS):
            page.write(b"x" * 4096)
            page.flush()
            os.fsync(page.fileno())
    return {
        "fixed_work_s": round(work_s, 3),
        "write_through_ms": round((time.perf_counter() - begun_s) * 1000 / SYNCS, 2),
        "load_average": os.getloadavg()[0],
    }


async def measure(graph: Graph, folder: Path, *, episodes: int, users: int) -> dict[str, Any]:
    """Return seconds and rates of spooling and replay."""
    tenant = TenantId(f"replay-{uuid4().hex[:8]}")
    spool = Spool(folder / "spool.sqlite3", bytes_max=2**30)
    numbers = iter(range(episodes))

    def told(user: str, number: int) -> RememberRequest:
        text = f"Message {number}: I moved to Oslo in May and my sister Ana likes green tea."
        message = IncomingMessage(role="user", text=text, id=f"{user}-{number}", time=datetime.now(UTC))
        return RememberRequest(user_id=user, session_id="s1", messages=(message,))

    async def caller() -> None:
        for number in numbers:
            incoming = told(f"user-{number % users}", number)
            await spool.put(check_request(tenant, incoming, now=datetime.now(UTC)).episode)

    before = machine_speed(folder)
    begun_s = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    put_s = time.perf_counter() - begun_s

    memory = Memory(
        graph=graph,
        embedder=None,
        worker=a_worker(graph),
        clock=lambda: datetime.now(UTC),
        notify=lambda _tenant: None,
        spool=spool,
    )
    waits, done = list[float](), asyncio.Event()

    async def newcomer() -> None:
        while not done.is_set():
            at_s = time.perf_counter()
            await memory.remember(TenantId(f"{tenant}-new"), told("newcomer", len(waits)))
            waits.append((time.perf_counter() - at_s) * 1000)
            await asyncio.sleep(0.02)

    job_context = JobContext(
        clock=lambda: datetime.now(UTC),
        random_token=lambda: uuid4().hex[:8],
        on_step=lambda _step: None,
        on_change=lambda _tenant: None,
    )
    beside = asyncio.create_task(newcomer())
    begun_s = time.perf_counter()
    emptied = await Replay(graph=graph, spool=spool, job_context=job_context).flush()
    replay_s = time.perf_counter() - begun_s
    done.set()
    await beside
    depth = await spool.depth()
    await spool.close()
    return {
        "episodes": episodes,
        "users": users,
        "put_per_s": round(episodes / put_s),
        "replay_per_s": round(episodes / replay_s, 1),
        "replay_s": round(replay_s, 1),
        "emptied": emptied,
        "left": depth.waiting + depth.refused,
        "new_messages_beside": len(waits),
        "new_message_p50_ms": round(statistics.median(waits), 1),
        "new_message_p95_ms": round(sorted(waits)[int(len(waits) * 0.95)], 1),
        "machine_before": before,
        "machine_after": machine_speed(folder),
    }


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=2_000)
    parser.add_argument("--users", type=int, default=40)
    chosen = parser.parse_args()
    uri, password = os.environ["MNEMOSCENE_TEST_URI"], os.environ["MNEMOSCENE_TEST_PASSWORD"]
    graph = await connect(uri=uri, user="neo4j", password=password, database=None)
    await prepare_without_embedder(graph)
    with tempfile.TemporaryDirectory(prefix="mnemoscene-replay-") as name:
        report = await measure(graph, Path(name), episodes=chosen.episodes, users=chosen.users)
    await graph.close()
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    asyncio.run(_main())
