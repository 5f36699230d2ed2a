"""Compare recalls per second and latency over GraphQL, MCP and the command line with bare Cypher, in one run.

    python -m tests.benchmarks.door_costs [--messages 2000] [--seconds 5] [--clients 1 8 32]

Starts `mnemoscene serve` with its own Neo4j and embedder in a temporary directory, stores messages made of the demo's
sentences and waits until they are read. Then concurrent clients ask the same questions over each interface in turn, and
with the bare statement: a hand-written hybrid query with precomputed vectors through its own driver. Each answer of the
command line is a process. Clients, service and database share the machine. Prints JSON to stdout and a table to stderr.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx
import platformdirs

from extraction.embeddings.local_embedder import load_local_embedder
from graph_service.graph.database import connect
from schema.ids import DEFAULT_TENANT
from tests.benchmarks.bare_queries import BARE_HYBRID, bare_parameters
from tests.benchmarks.bench_memory import QUESTIONS, START, USER, sentences, spread
from tests.support.cli_process import COMMAND, Home
from tests.support.mcp_service import McpService

Ask = Callable[[], Awaitable[object]]
CLIENTS: Final = (1, 8, 32)
_REMEMBER: Final = "mutation ($input: RememberInput!) { remember(input: $input) { stored } }"
_RECALL: Final = "query ($q: String!) { recall(userId: %s, query: $q, limit: 10) { hits { id kind text score } } }"
_LIMITLESS: Final = {"MNEMOSCENE_SERVICE_PORT": "0", "MNEMOSCENE_AUTH_REQUESTS_PER_S": "0"}


def questions() -> Callable[[], str]:
    """Yield the next question for any client."""
    numbers = count()
    return lambda: QUESTIONS[next(numbers) % len(QUESTIONS)]


async def asked(client: httpx.AsyncClient, query: str, **variables: Any) -> Any:
    """Return the data of an operation that must succeed."""
    answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert not answer.get("errors"), answer["errors"]
    return answer["data"]


async def fill(client: httpx.AsyncClient, messages: int) -> None:
    """Store messages and wait until all of them are read."""
    texts = sentences()
    for number in range(0, messages, 100):
        said = [
            {"role": "USER", "text": next(texts), "time": (START + timedelta(minutes=number + i)).isoformat()}
            for i in range(100)
        ]
        given = {"userId": USER, "sessionId": f"s{number // 500}", "userName": "Alice", "messages": said}
        await asked(client, _REMEMBER, input=given)
    await asyncio.to_thread(_until_read, str(client.base_url))


def _until_read(url: str) -> None:
    with httpx.Client(base_url=url, timeout=60) as client:
        while True:
            told = client.post("/graphql", json={"query": "{ jobStatus { waiting leased } }"}).json()["data"][
                "jobStatus"
            ]
            if not any(told.values()):
                return
            time.sleep(1)


def _password(found: dict[str, str]) -> str:
    return Path(found["password_file"]).read_text("utf-8").strip()


@asynccontextmanager
async def bare(home: Home, clients: int) -> AsyncIterator[list[Ask]]:
    """Return clients that run the hand-written query through their own driver."""
    found = home.run("db", "uri", "--json").document()
    graph = await connect(uri=found["uri"], user=found["user"], password=_password(found), database=None)
    embedder = await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))
    vectors = dict(zip(QUESTIONS, await embedder.embed(list(QUESTIONS)), strict=True))
    following = questions()

    async def ask() -> None:
        text = following()
        assert await graph.read(BARE_HYBRID, bare_parameters(DEFAULT_TENANT, USER, text, vectors[text]))

    yield [ask] * clients
    await graph.close()


@asynccontextmanager
async def over_graphql(url: str, clients: int) -> AsyncIterator[list[Ask]]:
    """Return clients with a connection each."""
    following, query = questions(), _RECALL % json.dumps(USER)

    def of(client: httpx.AsyncClient) -> Ask:
        async def ask() -> None:
            assert (await asked(client, query, q=following()))["recall"]["hits"]

        return ask

    async with AsyncExitStack() as stack:
        yield [of(await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60))) for _ in range(clients)]


@asynccontextmanager
async def over_mcp(url: str, clients: int) -> AsyncIterator[list[Ask]]:
    """Return clients with a session each, over streamable HTTP."""
    following, service = questions(), McpService(httpx.URL(url).port or 80)

    def of(agent: Any) -> Ask:
        async def ask() -> None:
            assert await agent.call("recall", query=following(), limit=10)

        return ask

    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(service.agent(DEFAULT_TENANT, user=USER)) for _ in range(clients)]
        yield [of(agent) for agent in agents]


@asynccontextmanager
async def over_cli(home: Home, clients: int) -> AsyncIterator[list[Ask]]:
    """Return clients that run a process for each answer."""
    following = questions()

    async def ask() -> None:
        command = [*COMMAND, "recall", following(), "--user", USER, "--limit", "10", "--json"]
        process = await asyncio.create_subprocess_exec(
            *command, cwd=home.folder, env=home.environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        out, _ = await process.communicate()
        assert json.loads(out)["hits"]

    yield [ask] * clients


async def timed(asks: Sequence[Ask], seconds: float) -> dict[str, float]:
    """Return answers per second and latencies; each client asks until the time is up, and at least once."""
    took_ms: list[float] = []
    begun_s = time.perf_counter()

    async def one(ask: Ask) -> None:
        while not took_ms or time.perf_counter() - begun_s < seconds:
            before_s = time.perf_counter()
            await ask()
            took_ms.append((time.perf_counter() - before_s) * 1000)

    await asyncio.gather(*map(one, asks))
    per_s = len(took_ms) / (time.perf_counter() - begun_s)
    return {"answers": len(took_ms), "per_s": round(per_s, 1), **spread(took_ms)}


async def main(messages: int, seconds: float, clients: Sequence[int]) -> dict[str, Any]:
    """Run the benchmark and return all figures."""
    figures: dict[str, Any] = {"messages": messages}
    with tempfile.TemporaryDirectory(prefix="mnemoscene-bench-", ignore_cleanup_errors=True) as folder:
        home = Home(Path(folder), _LIMITLESS)
        with home.running("serve", "--no-browser", "--json") as service:
            url = service.document()["graphql"].removesuffix("/graphql")
            async with httpx.AsyncClient(base_url=url, timeout=60) as client:
                await fill(client, messages)
            for many in clients:
                doors = {
                    "bare Cypher": bare(home, many),
                    "GraphQL": over_graphql(url, many),
                    "MCP": over_mcp(url, many),
                    "CLI": over_cli(home, many),
                }
                for name, opening in doors.items():
                    async with opening as asks:
                        if name != "CLI":
                            await timed(asks, min(seconds, 1.0))
                        figures[f"{name}, {many} at a time"] = told = await timed(asks, seconds)
                    print(
                        f"{name:12} {many:3} at a time {told['per_s']:8.1f}/s  p50 {told['p50_ms']:8.1f} ms"
                        f"  p95 {told['p95_ms']:8.1f} ms  ({told['answers']} answers)",
                        file=sys.stderr,
                    )
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--clients", type=int, nargs="+", default=CLIENTS)
    given = parser.parse_args()
    json.dump(asyncio.run(main(given.messages, given.seconds, given.clients)), sys.stdout, indent=2)
