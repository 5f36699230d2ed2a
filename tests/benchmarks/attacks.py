"""Measure the effect of each attack on a running service and on other tenants: `python -m tests.benchmarks.attacks`.

    python -m tests.benchmarks.attacks [--only NAME ...] [--checkout DIR] [--json] [--into FILE]

For each attack of `tests.benchmarks.hostile_callers` a `mnemoscene serve` of the checkout (default: this one) starts
with a temporary Neo4j and data directory. A separate process (attack_witness.py) requests `/health` every 50 ms and
works as an honest tenant, first without the attack, then during it. At the end the service gets SIGTERM under the load.
A table shows for each attack, before and during:

- health: 95th percentile of the latency for a request at any moment, and the longest time without a response;
- memory of the service and of its Neo4j: before, maximum, and at the end of the load;
- read: median and maximum time from remembering a sentence until its fact is stored and no job is left;
- recall: 95th percentile of the honest tenant's latency;
- stop: seconds from SIGTERM to exit; 30 are allowed, after 45 the service is killed;
- whether the service passed the rule in the attack's docstring, and if not, why; `not measured` if it did not serve the
  honest tenant even before the attack.

Attacks are bounded in time and send to 127.0.0.1 only. Clients, witness, service and Neo4j share the machine, so every
service is compared with itself, and the table begins with the speed of the machine. `--into` writes the figures to a
JSON file after each attack, so that an interrupted run can be continued; `--against FILE` shows such figures of another
checkout beside these. `database_full_disk` mounts a tmpfs, and is left out without the right to do so.

`python -m tests.benchmarks.hostile` runs this table, ten thousand silent connections beside one honest client
(silent_crowd.py), and the kill drill of service and database with four writers (kill_drill.py).
"""

import argparse
import asyncio
import contextlib
import json
import math
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from tests.benchmarks.attack_witness import (
    HEALTH_EVERY_S,
    RECALL_EVERY_S,
    Sample,
    lags_s,
    longest_gap_s,
    median,
    p95_wait_s,
    samples_in,
)
from tests.benchmarks.attacked_service import (
    HONEST,
    STOP_MAX_S,
    AttackedService,
    Keys,
    Memory,
    attacked_service,
    copied,
    home_of,
    machine_speed,
    prepared,
)
from tests.benchmarks.child_process import child_process
from tests.benchmarks.hostile_callers import ATTACKS, Attack, Bounds, Stage

ROOT: Final = Path(__file__).parents[2]
BEFORE_S: Final = 8.0
# An attack that ends sooner is observed for this long afterwards.
SETTLE_S: Final = 4.0
CHECK_MAX_S: Final = 30.0
# Time limit until the honest tenant is first served, on a busy machine.
WARM_MAX_S: Final = 240.0
HELD, FELL, LEFT_OUT, UNMEASURED = "held", "fell", "left out", "not measured"
_MEMORY_EVERY_S: Final = 0.25


@dataclass
class Weighed:
    """Memory of the service during an attack."""

    service: AttackedService
    before: Memory
    python_most_mb: float = 0.0
    java_most_mb: float = 0.0
    after: Memory = field(default_factory=lambda: Memory(python_mb=0.0, java_mb=0.0))

    async def watch(self) -> None:
        """Sample the memory until cancelled."""
        while True:
            now = await asyncio.to_thread(self.service.memory)
            self.python_most_mb = max(self.python_most_mb, now.python_mb)
            self.java_most_mb = max(self.java_most_mb, now.java_mb)
            await asyncio.sleep(_MEMORY_EVERY_S)


@dataclass(frozen=True, slots=True)
class Window:
    """A time window of a measurement."""

    from_s: float
    to_s: float

    def figures(self, samples: Sequence[Sample]) -> dict[str, Any]:
        """Return the figures of health and of the honest tenant."""
        of = {kind: [one for one in samples if one.of == kind] for kind in ("health", "recall", "read")}
        lags, late = lags_s(of["read"], self.from_s, self.to_s)
        return {
            "health_p95_ms": _ms(p95_wait_s(of["health"], self.from_s, self.to_s, HEALTH_EVERY_S)),
            "health_gap_s": round(longest_gap_s(of["health"], self.from_s, self.to_s), 2),
            "recall_p95_ms": _ms(p95_wait_s(of["recall"], self.from_s, self.to_s, RECALL_EVERY_S)),
            "read_lag_s": _rounded(median(lags)),
            "read_lag_most_s": _rounded(max(lags, default=None)),
            "unread": late,
        }


def _ms(seconds: float) -> float | None:
    return None if math.isnan(seconds) else round(seconds * 1000, 1)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 2)


async def measured(attack: Attack, checkout: Path, prepared_in: Path, keys: Keys) -> dict[str, Any]:
    """Run one attack on a new service and return its figures and the verdict."""
    with tempfile.TemporaryDirectory(prefix="mnemoscene-attack-", ignore_cleanup_errors=True) as folder:
        home = home_of(checkout, Path(folder), attack.settings)
        data_dir = Path(home.environ["MNEMOSCENE_DATA_DIR"])
        with _disk(data_dir, attack.disk_mb) as mounted:
            if not mounted:
                return {"verdict": LEFT_OUT, "why": ["a tmpfs cannot be mounted here"]}
            used = Keys() if attack.open_doors else keys
            if not attack.open_doors:
                copied(prepared_in, data_dir)
            async with attacked_service(home, used) as service:
                return await _attacked(attack, service, Path(folder))


async def _attacked(attack: Attack, service: AttackedService, folder: Path) -> dict[str, Any]:
    samples = folder / "samples.jsonl"
    options = ("--port", str(service.port), "--tenant", HONEST, "--samples", str(samples))
    unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    async with contextlib.AsyncExitStack() as stack:
        witness = child_process("tests.benchmarks.attack_witness", *options, said=service.keys.honest)
        if attack.witnessed:
            async with asyncio.timeout(WARM_MAX_S):
                await stack.enter_async_context(witness)
        http = httpx.AsyncClient(base_url=service.url, timeout=None, limits=unlimited, trust_env=False)
        await stack.enter_async_context(http)
        speed, begun_s = await asyncio.to_thread(machine_speed), time.monotonic()
        await asyncio.sleep(BEFORE_S if attack.witnessed else 0.0)
        weighed = Weighed(service, service.memory())
        weighing = asyncio.create_task(weighed.watch())
        stage, attacked_s = Stage(service, http), time.monotonic()
        attacking = asyncio.create_task(attack.run(stage))
        try:
            await asyncio.wait({attacking}, timeout=attack.load_s)
            await asyncio.sleep(SETTLE_S if attacking.done() and attack.witnessed else 0.0)
            ended_s, weighed.after = time.monotonic(), service.memory()
            await _checked(stage)
            alive = service.alive
            stop_s = await service.stop()
        finally:
            for task in (attacking, weighing):
                task.cancel()
            done = await asyncio.gather(attacking, weighing, return_exceptions=True)
        broken = next((one for one in done if isinstance(one, Exception)), None)
    seen = samples_in(samples) if attack.witnessed else []
    windows = {"before": Window(begun_s, attacked_s), "during": Window(attacked_s, ended_s)}
    figures: dict[str, Any] = {
        **{name: window.figures(seen) if attack.witnessed else {} for name, window in windows.items()},
        "python_mb": [
            round(one) for one in (weighed.before.python_mb, weighed.python_most_mb, weighed.after.python_mb)
        ],
        "java_mb": [round(one) for one in (weighed.before.java_mb, weighed.java_most_mb, weighed.after.java_mb)],
        "load_s": round(ended_s - attacked_s, 1),
        "stop_s": _rounded(stop_s),
        "machine": speed,
        "answers": dict(stage.statuses.most_common(12)),
        "notes": stage.notes,
    }
    faults = [*stage.faults, *judged(attack, figures)]
    if not alive:
        faults.append("the service ended by itself")
        figures["log"] = service.error_lines()
    if broken is not None:
        faults.append(f"the attack itself broke off: {type(broken).__name__}: {broken}"[:300])
    return {"verdict": FELL if faults else HELD, "why": faults, **figures}


async def _checked(stage: Stage) -> None:
    for check in stage.checks:
        try:
            async with asyncio.timeout(CHECK_MAX_S):
                await check()
        except TimeoutError:
            stage.fault(f"what it was left like could not be seen within {CHECK_MAX_S:g} s")


def judged(attack: Attack, figures: Mapping[str, Any]) -> Iterator[str]:
    """Return the violated bounds of the attack."""
    if attack.witnessed:
        yield from _others_noticed(attack.bounds, figures["before"], figures["during"])
    grown_mb = figures["python_mb"][1] - figures["python_mb"][0]
    if grown_mb > attack.bounds.python_mb:
        yield f"memory grew by {grown_mb} MB"
    if figures["stop_s"] is None:
        yield "SIGTERM did not end it"
    elif figures["stop_s"] > STOP_MAX_S:
        yield f"SIGTERM ended it after {figures['stop_s']:g} s"


def _others_noticed(bounds: Bounds, before: Mapping[str, Any], during: Mapping[str, Any]) -> Iterator[str]:
    gap_s = max(bounds.gap_s, 3 * before["health_gap_s"])
    if during["health_gap_s"] > gap_s:
        yield f"/health was silent for {during['health_gap_s']:g} s"
    lag_s = max(bounds.lag_s, 3 * (before["read_lag_most_s"] or 0.0))
    if (during["read_lag_most_s"] or 0.0) > lag_s:
        unread = "; one was not read" if during["unread"] else ""
        yield f"another tenant's sentences were read after {during['read_lag_most_s']:g} s{unread}"
    if bounds.recall_ratio is not None:
        most_ms = bounds.recall_ratio * (before["recall_p95_ms"] or 0.0) + 50
        if during["recall_p95_ms"] is None or during["recall_p95_ms"] > most_ms:
            yield f"another tenant's recall took {during['recall_p95_ms']} ms ({before['recall_p95_ms']} before)"


@contextlib.contextmanager
def _disk(place: Path, size_mb: int) -> Iterator[bool]:
    """Mount a small disk at a folder; return False without the right to do so."""
    if not size_mb:
        yield True
        return
    place.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], capture_output=True)


_COLUMNS: Final = (
    *("attack", "health p95 ms", "gap s", "python MB", "java MB", "read s", "recall p95 ms", "stop s", "verdict"),
)


def row(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the table row of one attack."""
    if "before" not in found:
        return (name, *[""] * 7, f"{found['verdict']}: {'; '.join(found['why'])}")
    before, during = found["before"], found["during"]

    def change(figure: str) -> str:
        return f"{_shown(before.get(figure))} → {_shown(during.get(figure))}"

    late = during.get("unread") and during["read_lag_most_s"] > 5
    most = _shown(during.get("read_lag_most_s")) + (", unread" if late else "")
    reads = f"{change('read_lag_s')} ({most})"
    stop = "killed" if found["stop_s"] is None else _shown(found["stop_s"])
    return (
        name,
        change("health_p95_ms"),
        change("health_gap_s"),
        " → ".join(map(str, found["python_mb"])),
        " → ".join(map(str, found["java_mb"])),
        reads,
        change("recall_p95_ms"),
        stop,
        found["verdict"] + (f": {'; '.join(found['why'])}" if found["why"] else ""),
    )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}" if value >= 100 else f"{value:g}"


def table(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Return all attacks as a Markdown table."""
    lines: list[tuple[str, ...]] = [
        _COLUMNS,
        tuple("---" for _ in _COLUMNS),
        *(row(name, found) for name, found in results.items()),
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def beside(before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a table of the same attacks on two checkouts, with the figures during each attack."""
    lines: list[tuple[str, ...]] = [
        (
            "attack",
            "health gap s",
            "health p95 ms",
            "memory +MB",
            "read s",
            "recall p95 ms",
            "stop s",
            "before",
            "after",
        )
    ]
    lines.append(tuple("---" for _ in lines[0]))
    for name in after:
        sides = (before.get(name, {}), after[name])

        def both(*path: str, sides: Any = sides) -> str:
            return " → ".join(_shown(_at(side, path)) for side in sides)

        grown = " → ".join(
            str(side["python_mb"][1] - side["python_mb"][0]) if "python_mb" in side else "–" for side in sides
        )
        figures = [both("during", one) for one in ("health_gap_s", "health_p95_ms", "read_lag_most_s", "recall_p95_ms")]
        verdicts = [str(side.get("verdict", "–")) for side in sides]
        lines.append((name, *figures[:2], grown, *figures[2:], both("stop_s"), *verdicts))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _at(found: Any, path: Sequence[str]) -> Any:
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def read_results(path: Path) -> dict[str, Any]:
    """Return the results that `write_results` wrote."""
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found or {"attacks": {}}


def write_results(path: Path, results: Mapping[str, Any]) -> None:
    """Write results to a file."""
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")


async def run(names: Sequence[str], checkout: Path, prepared_in: Path, into: Path | None) -> dict[str, Any]:
    """Run attacks one after the other and write the results after each.

    SIGINT and SIGTERM cancel the run, and every process it started is stopped. SIGINT is handled explicitly, since a
    shell makes background programs ignore it.
    """
    here = asyncio.current_task()
    assert here is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, here.cancel)
    keys = await prepared(checkout, prepared_in)
    results: dict[str, Any] = {"attacks": {}}
    for name in names:
        sys.stderr.write(f"{name} …\n")
        try:
            found = await measured(ATTACKS[name], checkout, prepared_in, keys)
        except (AssertionError, TimeoutError, OSError) as error:
            found = {"verdict": UNMEASURED, "why": [f"{type(error).__name__}: {error}"[:500]]}
        sys.stderr.write("  " + " | ".join(row(name, found)[1:]) + "\n")
        # Another run may have written to the file meanwhile.
        results = read_results(into) if into else results
        results |= {"checkout": _commit(checkout), "machine": machine_speed(), "note": _NOTE}
        if found["verdict"] != UNMEASURED or name not in results["attacks"]:
            results["attacks"][name] = {"rule": ATTACKS[name].rule, **found}
        if into:
            write_results(into, results)
    return results


_NOTE: Final = "clients, witness, service and Neo4j share the machine; compare figures only where its speed is alike"


def _commit(checkout: Path) -> str:
    done = subprocess.run(["git", "log", "-1", "--format=%h %s"], cwd=checkout, capture_output=True, text=True)
    return done.stdout.strip() or checkout.name


def main() -> None:
    """Parse the arguments, run, and print the table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=tuple(ATTACKS), metavar="NAME", help=", ".join(ATTACKS))
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the checkout to attack")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--into", type=Path, help="JSON file, written after each attack")
    parser.add_argument("--against", type=Path, help="JSON file of another checkout, shown beside these figures")
    parser.add_argument("--prepared", type=Path, help="folder that keeps the data directory with keys for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mnemoscene-attacks-", ignore_cleanup_errors=True) as folder:
        prepared_in = given.prepared or Path(folder)
        names = given.only or tuple(ATTACKS)
        try:
            results = asyncio.run(run(names, given.checkout.absolute(), prepared_in, given.into))
        except asyncio.CancelledError:
            sys.exit(128 + signal.SIGINT)
    if given.json:
        print(json.dumps(results, indent=1, ensure_ascii=False))
    else:
        print(f"{results['checkout']}; machine: {results['machine']}\n\n{table(results['attacks'])}")
        if given.against:
            print("\n" + beside(read_results(given.against)["attacks"], results["attacks"]))
    sys.exit(0 if all(results["attacks"][name]["verdict"] in (HELD, LEFT_OUT) for name in names) else 1)


if __name__ == "__main__":
    main()
