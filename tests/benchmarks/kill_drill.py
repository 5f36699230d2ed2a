"""Kill the service, its local Neo4j, or both at random times under load, and measure lost writes and outages.

    python -m tests.benchmarks.kill_drill --rounds 60 --seed 1 [--checkout DIR] [--json]

Starts a real `serve` with a local Neo4j in a temporary directory. Four writers `remember` over GraphQL, one message
after the other, repeating each until it is accepted; a reader calls `recall`. In each round something is killed with
SIGKILL at a random time; a supervisor restarts the service at once, as systemd or a container runtime does. A round
ends when `/ready` answers 200 again. At the end the database must contain every acknowledged message once, and in each
session in the order of the acknowledgements.

Prints for each round: what was killed, the time until `/ready`, the longest time without an accepted message (of the
worst writer) and without an answer to the reader, and the start of the database (from its process to its first answer;
the slowest of the round). Exit code 0: nothing lost, duplicated or put aside, and no outage longer than 15 seconds plus
the start of the database.

`--checkout` runs the service of another checkout, for comparison.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
from neo4j import AsyncGraphDatabase

WRITERS: Final = 4
ALLOWED_S: Final = 15.0
# The timeout of the callers; a later response counts as none.
CALL_MAX_S: Final = 10.0
AGAIN_S: Final = 0.1
ROUND_MAX_S: Final = 600.0
DRAIN_MAX_S: Final = 900.0
TENANT: Final = "default"
REMEMBER: Final = "mutation($input: RememberInput!) { remember(input: $input) { stored repeated spooled } }"
RECALL: Final = 'query($user: String!) { recall(userId: $user, query: "the drill\'s word") { degraded hits { text } } }'
HARM: Final = ("service", "database", "both", "database, then service", "service, then database", "service, twice")


@dataclass(slots=True)
class Waits:
    """The time of the last response, and the longest time without one."""

    last_s: float = field(default_factory=time.monotonic)
    longest_s: float = 0.0

    def answered(self) -> None:
        """Record a response."""
        now_s = time.monotonic()
        self.longest_s, self.last_s = max(self.longest_s, now_s - self.last_s), now_s

    def so_far_s(self) -> float:
        """Return the longest time without a response, including the current one."""
        return max(self.longest_s, time.monotonic() - self.last_s)

    def restart(self) -> None:
        """Start the next round; the current time without a response continues."""
        self.longest_s = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """One row of the table; times in seconds."""

    harm: str
    ready_s: float
    writer_wait_s: float
    reader_wait_s: float
    database_start_s: float
    accepted: int
    refused: dict[str, int]

    @property
    def passed(self) -> bool:
        """Return whether no outage was longer than allowed."""
        return max(self.writer_wait_s, self.reader_wait_s) <= ALLOWED_S + self.database_start_s


class Drill:
    """The service under a supervisor, with its clients."""

    def __init__(self, folder: Path, checkout: Path, rng: random.Random) -> None:
        self.data_dir = folder / "data"
        self._folder = folder
        self._checkout = checkout
        self._rng = rng
        self._port = _free_port()
        self._url = f"http://127.0.0.1:{self._port}"
        self._service: asyncio.subprocess.Process | None = None
        self._ending = False
        self.writers = [Waits() for _ in range(WRITERS)]
        self.reader = Waits()
        self.acknowledged: list[list[str]] = [[] for _ in range(WRITERS)]
        self.spooled_n = 0
        self.degraded_n = 0
        self.unavailable_n = 0
        self.refused: Counter[str] = Counter()
        self.service_starts = 0
        self.database_starts: dict[int, float] = {}

    @property
    def environ(self) -> dict[str, str]:
        ours = ("MNEMOSCENE_", "NEO4J_", "OPENAI_", "LLM_", "EMBEDDING_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return kept | {
            "XDG_CONFIG_HOME": str(self._folder / "config"),
            "MNEMOSCENE_DATA_DIR": str(self.data_dir),
            "MNEMOSCENE_EMBEDDING_KIND": "none",
            # A busy machine must not time out a start that would succeed.
            "MNEMOSCENE_NEO4J_START_TIMEOUT_S": "300",
            "PYTHONPATH": str(self._checkout),
        }

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run supervisor and clients; at the end stop the writers first, then the service."""
        supervisor = asyncio.create_task(self._supervise())
        watching = asyncio.create_task(self._watch_database())
        try:
            await self.until_ready()
            yield
        finally:
            self._ending = True
            if self._service is not None and self._service.returncode is None:
                self._service.terminate()
            await supervisor
            watching.cancel()

    @contextlib.asynccontextmanager
    async def under_load(self) -> AsyncIterator[None]:
        """Run writers and a reader until the end of the block."""
        stop = asyncio.Event()
        self.writers, self.reader = [Waits() for _ in range(WRITERS)], Waits()
        async with asyncio.TaskGroup() as group:
            for number in range(WRITERS):
                group.create_task(self._write(number, stop))
            group.create_task(self._read(stop))
            try:
                yield
            finally:
                stop.set()

    async def round(self, harm: str) -> RoundResult:
        """Kill as told and return when the service is ready again."""
        for waits in (*self.writers, self.reader):
            waits.restart()
        self.database_starts.clear()
        accepted, refused = sum(map(len, self.acknowledged)), self.refused.copy()
        await asyncio.sleep(self._rng.uniform(1.0, 4.0))
        begun_s = time.monotonic()
        await self._harm(harm)
        begun_s = max(begun_s, self._harmed_s)
        await self.until_ready()
        ready_s = time.monotonic() - begun_s
        # Every waiting client is answered before the next round.
        await asyncio.sleep(1.0)
        return RoundResult(
            harm=harm,
            ready_s=ready_s,
            writer_wait_s=max(waits.so_far_s() for waits in self.writers),
            reader_wait_s=self.reader.so_far_s(),
            database_start_s=max(self.database_starts.values(), default=0.0),
            accepted=sum(map(len, self.acknowledged)) - accepted,
            refused=dict(self.refused - refused),
        )

    async def _harm(self, harm: str) -> None:
        pause_s = self._rng.uniform(0.5, 8.0)
        if harm in ("database", "both", "database, then service"):
            before = self._kill_database()
        if harm == "database, then service":
            await self.until(lambda: self._database(answering=True) not in (None, before))
            await asyncio.sleep(pause_s)
        if harm != "database":
            self._kill_service()
        if harm == "service, then database":
            await asyncio.sleep(pause_s)
            self._kill_database()
        if harm == "service, twice":
            await asyncio.sleep(pause_s)
            self._kill_service()
        self._harmed_s = time.monotonic()

    def _kill_service(self) -> None:
        if self._service is not None and self._service.returncode is None:
            self._service.kill()

    def _kill_database(self) -> int | None:
        """Kill the recorded database, whether it is running or starting."""
        number = self._database()
        if number is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(number).kill()
        return number

    def _database(self, *, answering: bool = False) -> int | None:
        """Return the process id of the recorded database; with `answering` only of one that is running."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            record = json.loads((self.data_dir / "owner.json").read_text())
            return int(record["server"]["pid"]) if record["uri"] or not answering else None
        return None

    async def _watch_database(self) -> None:
        """Measure each database's start: from its process to its owner record, written at its first answer."""
        seen: set[int] = set()
        while True:
            with contextlib.suppress(OSError, ValueError, KeyError):
                path = self.data_dir / "owner.json"
                record = json.loads(path.read_text())
                if record.get("uri") and record["server"]["pid"] not in seen:
                    seen.add(record["server"]["pid"])
                    self.database_starts[record["server"]["pid"]] = max(
                        path.stat().st_mtime - float(record["server"]["started_s"]), 0.0
                    )
            await asyncio.sleep(0.05)

    async def _supervise(self) -> None:
        """Restart the service whenever it is not running."""
        command = [sys.executable, "-m", "graph_service", "serve", "--port", str(self._port), "--no-browser"]
        while not self._ending:
            with (self._folder / f"service-{self.service_starts}.log").open("w") as log:
                self.service_starts += 1
                self._service = await asyncio.create_subprocess_exec(
                    *command, cwd=self._folder, env=self.environ, stdout=log, stderr=log
                )
            await self._service.wait()

    async def until_ready(self) -> None:
        """Return when `/ready` answers 200."""

        async def is_ready() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                return (await client.get("/ready")).status_code == 200
            return False

        async with httpx.AsyncClient(base_url=self._url, timeout=CALL_MAX_S) as client, asyncio.timeout(ROUND_MAX_S):
            while True:
                if await is_ready():
                    return
                await asyncio.sleep(AGAIN_S)

    async def until_drained(self) -> dict[str, Any]:
        """Return the state of the spool once it is empty."""
        async with httpx.AsyncClient(base_url=self._url, timeout=CALL_MAX_S) as client, asyncio.timeout(DRAIN_MAX_S):
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    state: dict[str, Any] = (await client.get("/ready")).json()["spool"]
                    if not state["waiting"]:
                        return state
                await asyncio.sleep(AGAIN_S)

    async def until(self, met: Callable[[], bool]) -> None:
        """Return when the condition is met."""
        async with asyncio.timeout(ROUND_MAX_S):
            while True:
                if met():
                    return
                await asyncio.sleep(0.02)

    async def _write(self, number: int, stop: asyncio.Event) -> None:
        waits, said = self.writers[number], 0
        async with httpx.AsyncClient(base_url=self._url, timeout=CALL_MAX_S) as client:
            while not stop.is_set():
                word = f"writer {number} says word {len(self.acknowledged[number])}"
                message = {"role": "USER", "text": word, "id": word.replace(" ", "-")}
                told = {"userId": f"writer-{number}", "sessionId": f"s{number}", "messages": [message]}
                answer = await self._ask(client, REMEMBER, {"input": told})
                if answer is not None and answer.get("data"):
                    waits.answered()
                    said += 1
                    self.acknowledged[number].append(word)
                    self.spooled_n += bool(answer["data"]["remember"]["spooled"])
                else:
                    self.refused[_code(answer)] += 1
                    await asyncio.sleep(AGAIN_S)

    async def _read(self, stop: asyncio.Event) -> None:
        async with httpx.AsyncClient(base_url=self._url, timeout=CALL_MAX_S) as client:
            while not stop.is_set():
                answer = await self._ask(client, RECALL, {"user": f"writer-{self._rng.randrange(WRITERS)}"})
                if answer is not None and (answer.get("data") or _code(answer) == "UNAVAILABLE"):
                    self.reader.answered()
                    self.degraded_n += bool(answer.get("data") and answer["data"]["recall"]["degraded"])
                    self.unavailable_n += not answer.get("data")
                await asyncio.sleep(AGAIN_S)

    async def _ask(self, client: httpx.AsyncClient, query: str, variables: dict[str, Any]) -> dict[str, Any] | None:
        with contextlib.suppress(httpx.HTTPError, ValueError):
            told = await client.post("/graphql", json={"query": query, "variables": variables})
            answer: dict[str, Any] = told.json()
            return answer
        return None

    async def stored(self) -> list[list[str]]:
        """Return each writer's messages in the database, in the order of storage."""
        record = json.loads((self.data_dir / "owner.json").read_text())
        password = (self.data_dir / "password").read_text()
        query = "MATCH (m:Message {user_id: $user}) RETURN m.text AS text ORDER BY m.received_at, m.text"
        async with AsyncGraphDatabase.driver(record["uri"], auth=("neo4j", password)) as driver:
            found = []
            for number in range(WRITERS):
                rows = await driver.execute_query(query, user=f"writer-{number}")
                found.append([row["text"] for row in rows.records])
            return found


async def drill(rounds: int, seed: int, folder: Path, checkout: Path, only: str | None) -> dict[str, Any]:
    """Run all rounds and check the result."""
    rng = random.Random(seed)
    order = [HARM[number % len(HARM)] if only is None else only for number in range(rounds)]
    rng.shuffle(order)
    run, results = Drill(folder, checkout, rng), list[RoundResult]()
    async with run.running():
        async with run.under_load():
            # A busy machine needs time for the first responses.
            await run.until(lambda: all(run.acknowledged) and run.reader.longest_s > 0)
            for number, harm in enumerate(order, 1):
                results.append(await run.round(harm))
                sys.stderr.write(f"{number:3} {_line(results[-1])}\n")
        drain_s = time.monotonic()
        spool = await run.until_drained()
        drain_s = time.monotonic() - drain_s
        stored = await run.stored()
    counts = [Counter(texts) for texts in stored]
    said = run.acknowledged
    lost = [word for number, words in enumerate(said) for word in words if not counts[number][word]]
    twice = [word for count in counts for word, times in count.items() if times > 1]
    moved = 0
    for texts, words in zip(stored, said, strict=True):
        acknowledged = set(words)
        moved += [word for word in texts if word in acknowledged] != words
    return {
        "rounds": rounds,
        "seed": seed,
        "acknowledged": sum(len(words) for words in said),
        "of_which_spooled": run.spooled_n,
        "lost": len(lost),
        "twice": len(twice),
        "sessions_out_of_order": moved,
        "put_aside": spool["refused"],
        "drained_after_s": round(drain_s, 1),
        "refused_calls": dict(run.refused),
        "degraded_recalls": run.degraded_n,
        "unavailable_recalls": run.unavailable_n,
        "service_starts": run.service_starts,
        "longest_writer_wait_s": round(max(one.writer_wait_s for one in results), 1),
        "longest_reader_wait_s": round(max(one.reader_wait_s for one in results), 1),
        "longest_until_ready_s": round(max(one.ready_s for one in results), 1),
        "slowest_database_start_s": round(max(one.database_start_s for one in results), 1),
        "failed_rounds": sum(not one.passed for one in results),
        "passed": not lost and not twice and not moved and not spool["refused"] and all(one.passed for one in results),
        "table": [{**asdict(one), "passed": one.passed} for one in results],
    }


def _line(result: RoundResult) -> str:
    return (
        f"{result.harm:24} ready {result.ready_s:6.1f} s   writer {result.writer_wait_s:6.1f} s   "
        f"reader {result.reader_wait_s:6.1f} s   database's own start {result.database_start_s:5.1f} s   "
        f"{'passed' if result.passed else 'FAILED'}   accepted {result.accepted}, refused {result.refused}"
    )


def _code(answer: dict[str, Any] | None) -> str:
    """Return the code of an error; `no answer` without a response."""
    if answer is None:
        return "no answer"
    errors = answer.get("errors") or [{"extensions": answer.get("error") or {}}]
    return str((errors[0].get("extensions") or {}).get("code", "unknown"))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("--only", choices=HARM, help="kill this in every round")
    parser.add_argument("--folder", type=Path, help="keep data and logs here")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = chosen.folder
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mnemoscene-kill-")))
        folder.mkdir(parents=True, exist_ok=True)
        report = asyncio.run(drill(chosen.rounds, chosen.seed, folder, chosen.checkout.resolve(), chosen.only))
    if not chosen.json:
        report.pop("table")
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    sys.exit(0 if report["passed"] else 1)


if __name__ == "__main__":
    _main()
