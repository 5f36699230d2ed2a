"""Check that viewers which keep losing their connection end with the state of the database.

    eval "$(…)"  # MNEMOSCENE_TEST_URI and MNEMOSCENE_TEST_PASSWORD
    python -m tests.benchmarks.live_soak --seconds 60 --writes 100 --viewers 5

Writes at a fixed rate: a write puts two entities and a fact, or drops an entity or a fact; writes due together share a
commit, as those of one conversation do. Each viewer is disconnected at random and resumes. Prints one JSON object;
`equal` must be true and `writes_per_s` the requested rate. A gap in the sequence numbers ends the run with an error.
"""

import argparse
import asyncio
import contextlib
import json
import random
import sys
import time
import uuid
from dataclasses import asdict, dataclass, field
from typing import Any

from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot import frame_json
from tests.benchmarks.live_served import database, weighed
from tests.support.graph_writer import Edge, GraphWrite, GraphWriter
from tests.support.live_service import LiveViewer, ServiceAddress
from tests.support.reducer import ViewerState, show

_NODES, _BUDGET = 150, 5_000
# Maximum writes per commit, and minimum time between commits.
_TOGETHER_MAX, _COMMIT_EVERY_S = 50, 0.05
# Minimum share of the requested write rate.
_RATE_SHARE = 0.95
_STAYS_S = (0.05, 2.0)


@dataclass(slots=True)
class Told:
    """Counts of one viewer."""

    connections: int = 0
    snapshots: int = 0
    patches: int = 0
    shown: ViewerState = field(default_factory=ViewerState)


async def soak(*, seconds: float, per_s: float, viewers: int, seed: int) -> dict[str, Any]:
    """Run once on a new tenant."""
    graph = await database()
    writer = GraphWriter(graph, f"soak-{uuid.uuid4().hex[:8]}")
    await writer.put(nodes={"n0": "User", **{f"n{number}": "Entity" for number in range(1, 20)}})
    async with weighed() as served:
        over = asyncio.Event()
        told = [Told() for _ in range(viewers)]
        watching = [
            asyncio.create_task(_watch(served.door, writer.tenant, one, over, random.Random(f"{seed} {number}")))
            for number, one in enumerate(told)
        ]
        begun_s, cpu_s, rss_mb = time.monotonic(), served.cpu_s(), served.rss_mb()
        writes, commits = await _write(writer, begun_s + seconds, per_s, random.Random(f"{seed} writes"))
        took_s = time.monotonic() - begun_s
        head = await writer.put(nodes={"end": "Entity"})
        over.set()
        await asyncio.gather(*watching)
        await asyncio.gather(*(_catch_up(served.door, writer.tenant, one, head) for one in told))
        held = (await MindMap(graph).snapshot(writer.tenant, user_id=None, budget=_BUDGET)).frame()
        truth = show([json.loads(frame_json(held))])
        equal = [_same(one.shown, truth) for one in told]
        weight = {
            "server_cpu_percent": round(100 * (served.cpu_s() - cpu_s) / took_s, 1),
            "server_rss_mb": [round(rss_mb, 1), round(served.rss_mb(), 1)],
        }
    await graph.close()
    sums = {name: sum(asdict(one)[name] for one in told) for name in ("connections", "snapshots", "patches")}
    rate = round(writes / took_s, 1)
    return {"equal": all(equal), "writes": writes, "commits": commits, "writes_per_s": rate, **sums, **weight}


async def _write(writer: GraphWriter, until_s: float, per_s: float, chance: random.Random) -> tuple[int, int]:
    """Return the numbers of writes and of commits."""
    begun_s, written, commits = time.monotonic(), 0, 0
    while (now_s := time.monotonic()) < until_s:
        due = min(_TOGETHER_MAX, int((now_s - begun_s) * per_s) - written)
        if due > 0:
            await writer.all([_deed(chance) for _ in range(due)])
            written, commits = written + due, commits + 1
        await asyncio.sleep(max(0.0, now_s + _COMMIT_EVERY_S - time.monotonic()))
    return written, commits


def _deed(chance: random.Random) -> GraphWrite:
    source, target = (f"n{chance.randrange(_NODES)}" for _ in range(2))
    match chance.randrange(10):
        case 0:
            return GraphWrite(drop_node=f"n{chance.randrange(1, _NODES)}")
        case 1:
            return GraphWrite(drop_edge=Edge(source, "RELATES_TO", target))
    edges = [Edge(source, "RELATES_TO", target, strength=chance.random())] if source != target else []
    return GraphWrite(nodes={source: "Entity", target: "Entity"}, edges=edges)


async def _watch(door: ServiceAddress, tenant: str, told: Told, over: asyncio.Event, chance: random.Random) -> None:
    while not over.is_set():
        with contextlib.suppress(TimeoutError):
            async with _resumed(door, tenant, told) as viewer, asyncio.timeout(chance.uniform(*_STAYS_S)):
                while not over.is_set():
                    await _take(viewer, told)


async def _catch_up(door: ServiceAddress, tenant: str, told: Told, head: int) -> None:
    async with _resumed(door, tenant, told) as viewer:
        while told.shown.seq < head:
            await _take(viewer, told)


@contextlib.asynccontextmanager
async def _resumed(door: ServiceAddress, tenant: str, told: Told) -> Any:
    told.connections += 1
    shown = told.shown
    resume = {} if shown.epoch is None else {"resume": {"epoch": shown.epoch, "seq": shown.seq}}
    async with door.viewer(tenant, scope={"budget": _BUDGET}, **resume) as viewer:
        viewer.shown = shown
        yield viewer


async def _take(viewer: LiveViewer, told: Told) -> None:
    # A frame is applied as a whole or not at all, so that a disconnection within one does not look like a lost
    # change.
    frame = await viewer.take()
    told.shown = viewer.shown
    told.snapshots += frame["t"] == "graph_snapshot"
    told.patches += frame["t"] == "graph_patch"


def _same(shown: ViewerState, truth: ViewerState) -> bool:
    edges = {key: {k: v for k, v in edge.items() if k != "previous"} for key, edge in shown.visible_edges().items()}
    return shown.nodes == truth.nodes and edges == truth.visible_edges()


def main() -> None:
    """Parse the arguments and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writes", type=float, default=100)
    parser.add_argument("--viewers", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    run = soak(seconds=given.seconds, per_s=given.writes, viewers=given.viewers, seed=given.seed)
    result = asyncio.run(run)
    sys.stdout.write(json.dumps(result) + "\n")
    kept_up = result["writes_per_s"] >= _RATE_SHARE * given.writes
    sys.exit(0 if result["equal"] and kept_up else 1)


if __name__ == "__main__":
    main()
