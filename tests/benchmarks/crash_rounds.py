"""Check the memory after a crash or outage at every step: 200 rounds with one fault each.

    python -m tests.benchmarks.crash_rounds --rounds 200 --seed 1

Starts its own Neo4j. In each round a child process (crash_round.py) remembers, reads and closes the same story for a
new tenant and meets one fault: kill -9 before, after or a few milliseconds after a step, a database outage at a step,
or a request to the model or embedder that fails or is never answered. Then callers repeat what was not acknowledged, a
second worker finishes, and the memory must equal that of an uninterrupted run: no acknowledged message lost or
duplicated, a change log without gaps, the same graph. Half of the rounds read by rules and half by a model; in half the
worker runs beside the caller and in half after it. Prints a table, or JSON with --json.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import platformdirs

from graph_service.graph.database import connect
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from tests.benchmarks.crash_fault import DIM, Endpoint, Fault, Round
from tests.benchmarks.crash_round import MODEL, as_line, finish, tell, world
from tests.integration.memory.worker.test_crash import change_numbers, comparable_graph
from tests.support.neo4j_server import start_local_server

# A second process starts when the leases of the killed one, and every retry delay, are over.
LATER_S: Final = 90.0
KILLS = (Fault.KILL_BEFORE, Fault.KILL_AFTER, Fault.KILL_DURING)
ENDPOINT_FAULTS = (Fault.ENDPOINT_500, Fault.ENDPOINT_SILENT)
# Of ten rounds, how many have each fault; the rest are endpoint faults.
SHARES: Final = {Fault.KILL_BEFORE: 3, Fault.KILL_AFTER: 3, Fault.KILL_DURING: 2, Fault.DATABASE_AWAY: 1}
SAME: Final = "same graph"


@dataclass
class Bench:
    """A database, the process that forks children, and the results of uninterrupted runs.

    Attributes:
        whole: the graph of an uninterrupted run, by reader.
        points: how often each point was reached, by reader.
    """

    graph: Graph
    nursery: asyncio.subprocess.Process
    folder: Path
    whole: dict[bool, list[str]] = field(default_factory=dict)
    points: dict[bool, Counter[str]] = field(default_factory=dict)

    async def child(self, planned: Round) -> tuple[list[str], int]:
        """Run a child; return its output and how it ended."""
        assert self.nursery.stdin is not None
        assert self.nursery.stdout is not None
        self.nursery.stdin.write(as_line(planned).encode())
        answer = json.loads(await self.nursery.stdout.readline())
        return answer["said"], answer["code"]

    async def undisturbed(self) -> None:
        """Record the points and the graph of a run without a fault."""
        for by_model in (False, True):
            planned = self.round(f"whole-{by_model}", Fault.NONE, "", by_model=by_model, together=False)
            said, code = await self.child(planned)
            assert code == 0, "a run without a fault must end well"
            reached = next(line for line in said if line.startswith("reached "))
            self.points[by_model] = Counter(json.loads(reached.removeprefix("reached ")))
            self.whole[by_model] = await comparable_graph(self.graph, planned.tenant)

    def round(self, tenant: str, fault: Fault, point: str, *, by_model: bool, together: bool, **more: Any) -> Round:
        """Return a round with its own tenant and spool."""
        spool = str(self.folder / f"{tenant}.sqlite3")
        told = {"nth": 1, "during_s": 0.0} | more
        return Round(tenant=tenant, spool=spool, fault=fault, point=point, by_model=by_model, together=together, **told)

    async def outcome(self, planned: Round) -> tuple[str, bool]:
        """Run a round; return the state of the memory, and whether the fault was injected."""
        said, code = await self.child(planned)
        killed = code == -9
        if code != 0 and not killed:
            return f"child ended with {code}", True
        with Endpoint(lambda _kind: False) as endpoint:
            again = world(
                self.graph,
                endpoint,
                planned.spool,
                by_model=planned.by_model,
                on_step=lambda _step: None,
                ahead_s=LATER_S,
            )
            async with again as later, asyncio.timeout(120):
                await tell(later, planned.tenant, set(said), lambda _line: None)
                await finish(later, planned.tenant)
        return await self._verdict(planned), killed or "happened True" in said

    async def _verdict(self, planned: Round) -> str:
        whole, now = self.whole[planned.by_model], await comparable_graph(self.graph, planned.tenant)
        numbers = await change_numbers(self.graph, planned.tenant)
        if numbers != list(range(1, len(numbers) + 1)):
            return "gap in the change log"
        missing, extra = Counter(whole) - Counter(now), Counter(now) - Counter(whole)
        if any(row.startswith("['message'") for row in missing):
            return "message lost"
        if any(row.startswith("['message'") for row in extra):
            return "message twice"
        if missing or extra:
            sys.stderr.write(f"{planned}\n  missing: {list(missing)}\n  extra: {list(extra)}\n")
        return "another graph" if missing or extra else SAME

    def planned(self, rounds: int, rng: random.Random) -> Iterator[Round]:
        """Return rounds over all points; each kill before and after is used once before any is repeated."""
        turns = {fault: self._turns(fault, rng) for fault in Fault if fault is not Fault.NONE}
        for number in range(rounds):
            place = number % 10
            order = [fault for fault, share in SHARES.items() for _ in range(share)]
            fault = order[place] if place < len(order) else ENDPOINT_FAULTS[(number // 10) % 2]
            by_model, point = next(turns[fault])
            yield self.round(
                f"round-{number}",
                fault,
                point,
                by_model=by_model,
                together=rng.random() < 0.5,
                nth=rng.randint(1, self.points[by_model][point]),
                during_s=rng.uniform(0.0, 0.03),
            )

    def _turns(self, fault: Fault, rng: random.Random) -> Iterator[tuple[bool, str]]:
        while True:
            all_points = sorted(
                (by_model, point)
                for by_model, points in self.points.items()
                for point in points
                if (point in ("model", "embedder")) == (fault in ENDPOINT_FAULTS)
            )
            rng.shuffle(all_points)
            yield from all_points


async def rounds(count: int, seed: int, folder: Path, server: LocalServer) -> dict[str, Any]:
    """Run all rounds; return outcomes by point and fault."""
    graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    await prepare_vectors(graph, model=MODEL, dim=DIM)
    command = [sys.executable, "-m", "tests.benchmarks.crash_round", server.uri, server.user, server.password]
    pipe = asyncio.subprocess.PIPE
    nursery = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    bench = Bench(graph, nursery, folder)
    await bench.undisturbed()
    table: dict[str, dict[str, Counter[str]]] = {}
    started_s, total = time.monotonic(), Counter[str]()
    for number, planned in enumerate(bench.planned(count, random.Random(seed)), 1):
        verdict, happened = await bench.outcome(planned)
        shown = verdict if happened or verdict != SAME else f"{SAME}, fault not reached"
        table.setdefault(planned.point, {}).setdefault(planned.fault, Counter())[shown] += 1
        total[shown] += 1
        sys.stderr.write(f"\r{number} of {count} rounds, {time.monotonic() - started_s:.0f} s ")
    sys.stderr.write("\n")
    assert nursery.stdin is not None
    nursery.stdin.close()
    await nursery.wait()
    await graph.close()
    return {"rounds": count, "seed": seed, "total": total, "took_s": time.monotonic() - started_s, "table": table}


def shown(report: dict[str, Any]) -> str:
    """Return the table as text: for each point and fault the rounds with the same graph, and the problems of others."""
    faults = [fault for fault in Fault if fault is not Fault.NONE]
    lines = [f"{'step':32}" + "".join(f"{fault:>18}" for fault in faults)]
    for point, cells in sorted(report["table"].items()):
        lines.append(f"{point:32}" + "".join(f"{_cell(cells.get(fault)):>18}" for fault in faults))
    lines.append("")
    lines += [f"{count:4} × {outcome}" for outcome, count in report["total"].most_common()]
    return "\n".join(lines)


def _cell(outcomes: Counter[str] | None) -> str:
    """Return one cell: passed rounds; in brackets those without the fault; then the problems."""
    if not outcomes:
        return "·"
    missed = outcomes[f"{SAME}, fault not reached"]
    bad = sum(count for outcome, count in outcomes.items() if not outcome.startswith(SAME))
    return f"{outcomes[SAME]}" + (f" ({missed} not met)" if missed else "") + (f" {bad} BAD" if bad else "")


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mnemoscene-crash-") as name:
        cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
        server = await start_local_server(data_dir=Path(name), cache_dir=cache_dir, start_timeout_s=240)
        try:
            report = await rounds(chosen.rounds, chosen.seed, Path(name), server)
        finally:
            await server.stop()
    sys.stdout.write((json.dumps(report, ensure_ascii=False) if chosen.json else shown(report)) + "\n")
    sys.exit(0 if all(outcome.startswith(SAME) for outcome in report["total"]) else 1)


if __name__ == "__main__":
    asyncio.run(_main())
