"""Run `mnemoscene serve` of any checkout in a separate process, with keys, for the attack benchmarks.

A data directory with keys is prepared once and copied for each service, so that every attack starts from the same
state. Resource use is measured from outside: memory and processor time of the service and its Neo4j, and the seconds
from SIGTERM to exit. Every started process is stopped, also when the benchmark is interrupted.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
from neo4j import AsyncGraphDatabase

from tests.support.cli_process import COMMAND, Home, Running

# The target for an orderly stop, and the time after which a benchmark kills the service.
STOP_MAX_S: Final = 30.0
STOP_PATIENCE_S: Final = 45.0
READY_MAX_S: Final = 240.0
HONEST, ATTACKER = "honest", "attacker"
_MB: Final = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """API keys of a service; empty for a service without keys.

    Attributes:
        admin: for every tenant.
        attacker: an administrator of the tenant `attacker`, with the default rate.
        slow: the same with five requests per second.
        honest: a writer of the tenant `honest`.
    """

    admin: str = ""
    attacker: str = ""
    slow: str = ""
    honest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Resident memory in MB of the service process and of its Neo4j."""

    python_mb: float
    java_mb: float


class AttackedService:
    """A running service.

    Attributes:
        home: its folder and settings.
    """

    def __init__(self, home: Home, running: Running, port: int, keys: Keys) -> None:
        self.home, self.port, self.keys = home, port, keys
        self._running = running
        self._process = psutil.Process(running.process.pid)

    @property
    def url(self) -> str:
        """Return its base URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def alive(self) -> bool:
        """Return whether its process is running."""
        return self._running.process.poll() is None

    def memory(self) -> Memory:
        """Return its current memory; zeros for a process that has ended."""
        java = sum(_rss_mb(process) for process in self._java())
        return Memory(python_mb=_rss_mb(self._process), java_mb=java)

    def java_cpu_s(self) -> float:
        """Return the seconds of processor time used by its Neo4j."""
        used = 0.0
        for process in self._java():
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                used += times.user + times.system
        return used

    async def statements_running(self, part: str) -> int:
        """Return how many statements containing these words run in its Neo4j, including abandoned ones."""
        data = Path(self.home.environ["MNEMOSCENE_DATA_DIR"])
        owner = json.loads(await asyncio.to_thread((data / "owner.json").read_text, "utf-8"))
        password = (await asyncio.to_thread((data / "password").read_text, "utf-8")).strip()
        query = """SHOW TRANSACTIONS YIELD currentQuery, status
          WHERE currentQuery CONTAINS $part OR status STARTS WITH 'Terminated' RETURN count(*) AS n"""
        async with AsyncGraphDatabase.driver(owner["uri"], auth=("neo4j", password)) as driver:
            found = await driver.execute_query(query, part=part)
        # This query has the words in a parameter, not in its text.
        return int(found.records[0]["n"])

    async def stop(self) -> float | None:
        """Send SIGTERM; return the seconds until exit, or None if it had to be killed."""
        if not self.alive:
            return 0.0
        begun_s = time.monotonic()
        self._process.terminate()
        try:
            await asyncio.to_thread(self._running.process.wait, STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            return None
        return time.monotonic() - begun_s

    def error_lines(self, count: int = 12) -> list[str]:
        """Return the last lines of its log, truncated to a readable length."""
        return [line[:300] for line in self._running.err.read_text("utf-8", "replace").splitlines()[-count:]]

    def _java(self) -> Iterator[psutil.Process]:
        with contextlib.suppress(psutil.Error):
            for child in self._process.children():
                # A class archive may be built beside the service for its next start; that Java process is not the
                # database.
                if "class_archive" not in " ".join(child.cmdline()):
                    yield child
                    yield from child.children(recursive=True)


def _rss_mb(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        rss: int = process.memory_info().rss
        return rss / _MB
    return 0.0


def home_of(checkout: Path, folder: Path, settings: Mapping[str, str]) -> Home:
    """Return settings of a service that runs the code of a checkout."""
    folder.mkdir(parents=True, exist_ok=True)
    return Home(folder, {"PYTHONPATH": str(checkout), "MNEMOSCENE_SERVICE_OPEN_BROWSER": "false", **settings})


@contextlib.asynccontextmanager
async def attacked_service(home: Home, keys: Keys) -> AsyncIterator[AttackedService]:
    """Run a service until the end of the block; it is ready when the block begins."""
    err = home.folder / "stderr.txt"
    process = _started(home, err)
    running = Running(process, err)
    try:
        where = await asyncio.to_thread(running.document)
        service = AttackedService(home, running, httpx.URL(where["graphql"]).port or 80, keys)
        await _until_ready(service)
        yield service
    finally:
        _end(process)


def _started(home: Home, err: Path) -> "subprocess.Popen[str]":
    with err.open("w") as log:
        return subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", "--no-browser", "--json"],
            cwd=home.folder,
            env=home.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # Ctrl-C is for the benchmark, which stops the service itself.
            start_new_session=True,
        )


async def _until_ready(service: AttackedService) -> None:
    """Wait for `/ready`: a service may listen before its database has started."""
    async with asyncio.timeout(READY_MAX_S), httpx.AsyncClient(base_url=service.url, timeout=10) as http:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                if (await http.get("/ready")).status_code == 200:
                    return
            if not service.alive:
                raise AssertionError("the service ended: " + "\n".join(service.error_lines()))
            await asyncio.sleep(0.2)


def _end(process: "subprocess.Popen[str]") -> None:
    """Kill the service if it still runs, and every process that it has left behind."""
    left: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        left = psutil.Process(process.pid).children(recursive=True)
    if process.poll() is None:
        process.kill()
    process.wait()
    for child in left:
        # psutil checks that it is still the same process before it sends a signal.
        with contextlib.suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(left, timeout=10)
    if process.stdout is not None:
        process.stdout.close()


async def prepared(checkout: Path, folder: Path) -> Keys:
    """Create a data directory with keys in a folder, unless it exists, and return the keys."""
    told = folder / "keys.json"
    if told.is_file():
        return Keys(**json.loads(told.read_text("utf-8")))
    home = home_of(checkout, folder, {})
    async with attacked_service(home, Keys()) as service:
        keys = Keys(
            admin=await _key(home, "admin", "--role", "admin", "--every-tenant"),
            attacker=await _key(home, ATTACKER, "--role", "admin", tenant=ATTACKER),
            slow=await _key(home, "slow", "--role", "admin", "--rate", "5", tenant=ATTACKER),
            honest=await _key(home, HONEST, "--role", "write", "--rate", "1000", tenant=HONEST),
        )
        assert await service.stop() is not None, "the service that was to make keys did not end"
    told.write_text(json.dumps(asdict(keys)), "utf-8")
    return keys


def copied(prepared_in: Path, data_dir: Path) -> None:
    """Copy the data directory that `prepared` created."""
    shutil.copytree(prepared_in / "data", data_dir, dirs_exist_ok=True)


async def _key(home: Home, name: str, *options: str, tenant: str | None = None) -> str:
    of = ("--tenant", tenant) if tenant else ()
    done = await asyncio.to_thread(home.run, *of, "--json", "keys", "create", name, *options)
    told: dict[str, Any] = done.document()
    return str(told["key"])


def machine_speed() -> dict[str, float]:
    """Return how many milliseconds a fixed computation takes now; compare only runs with similar values."""
    begun_s = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number * number % 7
    looped_s = time.perf_counter()
    digest, block = hashlib.sha256(), bytes(_MB)
    for _ in range(64):
        digest.update(block)
    hashed_s = time.perf_counter()
    load = os.getloadavg()[0]
    return {
        "python_loop_ms": round((looped_s - begun_s) * 1000),
        "sha256_64mb_ms": round((hashed_s - looped_s) * 1000),
        "load": round(load, 1),
        "cores": float(os.cpu_count() or 1),
    }


def free_descriptors() -> int:
    """Raise the limit of open files to its maximum; return how many connections this process may open."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return max(most - 200, 50)
