"""Measure the cost of many viewers, a tenth of which stop reading.

    eval "$(…)"  # MNEMOSCENE_TEST_URI and MNEMOSCENE_TEST_PASSWORD
    python -m tests.benchmarks.live_crowd --viewers 100 --patches 10 --seconds 60

Commits at a fixed rate; most viewers receive and acknowledge every frame, the others read nothing. At the end the
stalled ones reconnect and resume. Prints one JSON object; `gaps` and `lost` must be 0.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import time
import uuid
from typing import Any

from websockets.exceptions import ConnectionClosed

from tests.benchmarks.live_served import database, weighed
from tests.support.graph_writer import Edge, GraphWriter
from tests.support.live_service import LiveViewer, ServiceAddress

_SETTLE_S = 30.0


class Crowd:
    """The viewers of one tenant."""

    def __init__(self, door: ServiceAddress, tenant: str, viewers: int) -> None:
        self.door = door
        self.tenant = tenant
        self.gaps = 0
        self.patches = 0
        self.delays_s: list[float] = []
        self.written_s: dict[int, float] = {}
        self.shown: list[LiveViewer] = []
        self.missing = viewers
        self.all_here = asyncio.Event()
        self.closed_stalled = 0

    def arrived(self) -> None:
        """Count one more connected viewer."""
        self.missing -= 1
        if self.missing == 0:
            self.all_here.set()

    async def reads(self, head: "asyncio.Future[int]") -> None:
        """Receive frames until the last change is shown."""
        async with self.door.viewer(self.tenant) as viewer:
            self.shown.append(viewer)
            self.arrived()
            while not (head.done() and viewer.shown.seq >= head.result()):
                taking = asyncio.create_task(viewer.take())
                await asyncio.wait({taking, head}, return_when=asyncio.FIRST_COMPLETED)
                if head.done() and not taking.done() and viewer.shown.seq >= head.result():
                    # It was shown before it was known to be the last, so no further frame comes.
                    taking.cancel()
                    return
                try:
                    async with asyncio.timeout(_SETTLE_S):
                        frame = await taking
                except AssertionError:
                    self.gaps += 1
                    return
                if frame["t"] == "graph_patch":
                    self.patches += 1
                    written_s = self.written_s.get(frame["to"])
                    if written_s is not None:
                        self.delays_s.append(time.monotonic() - written_s)

    async def stalls(self, over: asyncio.Event, head: "asyncio.Future[int]") -> None:
        """Read the first snapshot and then nothing; reconnect at the end and resume."""
        async with self.door.viewer(self.tenant) as viewer:
            await viewer.take()
            self.arrived()
            await over.wait()
            with contextlib.suppress(ConnectionClosed, TimeoutError):
                async with asyncio.timeout(1):
                    await viewer.closed()
            self.closed_stalled += viewer.socket.close_code == 4408
        epoch, seq = viewer.shown.epoch, viewer.shown.seq
        async with self.door.viewer(self.tenant, resume={"epoch": epoch, "seq": seq}) as again:
            again.shown = viewer.shown
            self.shown.append(again)
            await again.until(await head)


async def gather(*, viewers: int, stalled: int, per_s: float, seconds: float) -> dict[str, Any]:
    """Run once on a new tenant."""
    graph = await database()
    writer = GraphWriter(graph, f"crowd-{uuid.uuid4().hex[:8]}")
    await writer.put(nodes={"ann": "User"})
    async with weighed() as served:
        crowd, over = Crowd(served.door, writer.tenant, viewers), asyncio.Event()
        head: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        tasks = [asyncio.create_task(crowd.stalls(over, head)) for _ in range(stalled)]
        tasks += [asyncio.create_task(crowd.reads(head)) for _ in range(viewers - stalled)]
        await crowd.all_here.wait()
        begun_s, cpu_s, rss = time.monotonic(), served.cpu_s(), [served.rss_mb()]
        last = await _write(
            writer, crowd, per_s=per_s, until_s=begun_s + seconds, weigh=lambda: rss.append(served.rss_mb())
        )
        took_s = time.monotonic() - begun_s
        used_s = served.cpu_s() - cpu_s
        over.set()
        head.set_result(last)
        await asyncio.gather(*tasks)
        rss.append(served.rss_mb())
        told = {str(sorted(each.shown.nodes)) + str(sorted(each.shown.visible_edges())) for each in crowd.shown}
    await graph.close()
    delays = sorted(crowd.delays_s) or [0.0]
    return {
        "viewers": viewers,
        "stalled": stalled,
        "seconds": round(took_s, 1),
        "commits": len(crowd.written_s),
        "patches_taken": crowd.patches,
        "gaps": crowd.gaps,
        "lost": len(told) - 1 + viewers - len(crowd.shown),
        "stalled_closed": crowd.closed_stalled,
        "server_cpu_percent": round(100 * used_s / took_s, 1),
        "server_rss_mb": {"before": round(rss[0], 1), "most": round(max(rss), 1), "after": round(rss[-1], 1)},
        "commit_to_viewer_ms": {
            "p50": round(1000 * statistics.median(delays)),
            "p95": round(1000 * delays[int(0.95 * (len(delays) - 1))]),
        },
    }


async def _write(writer: GraphWriter, crowd: Crowd, *, per_s: float, until_s: float, weigh: Any) -> int:
    number, due_s, seq = 0, time.monotonic(), 0
    while time.monotonic() < until_s:
        thing = f"t{number % 200}"
        seq = await writer.put(
            nodes={thing: "Entity"}, edges=[Edge("ann", "PREFERS", thing, strength=number % 10 / 10)]
        )
        crowd.written_s[seq] = time.monotonic()
        number += 1
        if number % 10 == 0:
            weigh()
        due_s += 1 / per_s
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
    return seq


def main() -> None:
    """Parse the arguments and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=100)
    parser.add_argument("--stalled", type=int, default=10)
    parser.add_argument("--patches", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    run = gather(viewers=given.viewers, stalled=given.stalled, per_s=given.patches, seconds=given.seconds)
    result = asyncio.run(run)
    sys.stdout.write(json.dumps(result) + "\n")
    sys.exit(1 if result["gaps"] or result["lost"] else 0)


if __name__ == "__main__":
    main()
