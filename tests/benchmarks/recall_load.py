"""Measure recall over GraphQL with many clients and large memories, beside a bare hybrid query, in one run.

    python -m tests.benchmarks.recall_load --sizes 1000,10000,100000 --tenants 100 --clients 1,8,32

Starts a local Neo4j in a temporary directory, where the service stores and reads a thousand messages made of the demo's
sentences, or of the given conversations of `mnemoscene eval`. Memories of each size, and many tenants of the smallest,
are copies of it (copied_memories.py). Then `mnemoscene serve` answers in a separate process; each client sends its next
question over HTTP when the previous one is answered; the bare hybrid query runs alternately with them, one at a time.
Prints JSON to stdout and a table to stderr. Run it on an otherwise idle machine.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import count, cycle
from pathlib import Path
from typing import Any

import httpx
import platformdirs

from extraction.embeddings.local_embedder import LocalEmbedder, load_local_embedder
from graph_service.evaluation.dataset import read_all
from graph_service.graph.database import connect
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.ids import TenantId
from tests.benchmarks.bare_queries import BARE_HYBRID, BARE_OF_ALL_KINDS, bare_parameters
from tests.benchmarks.bench_memory import QUESTIONS, START, sentences, spread, timed
from tests.benchmarks.copied_memories import copied, model_of
from tests.support.builders import a_memory, a_worker
from tests.support.cli_process import Home
from tests.support.neo4j_server import start_local_server

MODEL, USER = TenantId("load-model"), "alice"
MODEL_MESSAGES = 1_000
DOCUMENT = """query($user: String!, $text: String!, $kinds: [HitKind!]) {
  recall(userId: $user, query: $text, limit: 10, kinds: $kinds) { confidence hits { id kind score text } } }"""


@dataclass(frozen=True, kw_only=True)
class Load:
    """The parameters of a run.

    Attributes:
        sizes: messages of a tenant's memory.
        tenants: number of tenants of the smallest size that are asked in turn, in addition; 0 for none.
        clients: numbers of concurrent clients.
        rounds: minimum questions of each client.
        questions: asked in turn.
    """

    sizes: Sequence[int]
    tenants: int
    clients: Sequence[int]
    rounds: int
    questions: Sequence[str]

    @property
    def memories(self) -> list[tuple[str, list[TenantId]]]:
        """Return the tenants of each measurement by name; they are asked in turn."""
        sized = [(f"{size} messages", [TenantId(f"load-{size}")]) for size in self.sizes]
        crowd = [TenantId(f"load-crowd-{number}") for number in range(self.tenants)]
        return [*sized, *([(f"{self.tenants} tenants of {min(self.sizes)}", crowd)] if crowd else [])]


async def fill(graph: Graph, embedder: LocalEmbedder, texts: Sequence[str], load: Load) -> float:
    """Store and copy the original memory; return the seconds."""
    before = time.perf_counter()
    memory, worker = a_memory(graph, embedder=embedder), a_worker(graph, embedder=embedder)
    for number in range(0, MODEL_MESSAGES, 100):
        said = tuple(
            IncomingMessage(role="user", text=texts[number + i], time=START + timedelta(minutes=number + i))
            for i in range(100)
        )
        call = RememberRequest(user_id=USER, session_id=f"s{number // 500}", messages=said, user_name="Alice")
        await memory.remember(MODEL, call)
    await worker.drain()
    model = await model_of(graph, MODEL, USER)
    sizes = [*load.sizes, *([min(load.sizes)] * load.tenants)]
    tenants = [tenant for _, several in load.memories for tenant in several]
    for tenant, size in zip(tenants, sizes, strict=True):
        await copied(graph, model, tenant, size)
        sys.stderr.write(f"{tenant}: {size} messages, {time.perf_counter() - before:.0f} s\n")
    return time.perf_counter() - before


class Asking:
    """A client that asks over HTTP and also queries the database directly."""

    def __init__(self, http: httpx.AsyncClient, graph: Graph, embedder: LocalEmbedder, load: Load) -> None:
        self._http, self._graph, self._embedder, self._load = http, graph, embedder, load
        # Goes on from one measurement to the next, because vectors of repeated questions are kept.
        self._questions = cycle(load.questions)

    async def figures(self, tenants: Sequence[TenantId], clients: int) -> dict[str, Any]:
        """Return the latency of this number of clients, and of the bare query and the embedding between them."""
        times: list[float] = []
        turns = zip(count(), cycle(tenants), self._questions, strict=False)

        async def client(questions: int) -> None:
            for _, (_, tenant, text) in zip(range(questions), turns, strict=False):
                times.append(await timed(partial(self.ask, tenant, text)))

        # The first rounds warm up caches and plans.
        await asyncio.gather(*(client(max(10 // clients, 1)) for _ in range(clients)))
        times.clear()
        before = time.perf_counter()
        await asyncio.gather(*(client(self._load.rounds) for _ in range(clients)))
        took_s = time.perf_counter() - before
        return {"clients": clients, "asked": len(times), "per_s": round(len(times) / took_s, 1), **spread(times)}

    async def ask(self, tenant: TenantId, text: str, kinds: Sequence[str] | None = None) -> None:
        """Recall once, all kinds if none are named."""
        body = {"query": DOCUMENT, "variables": {"user": USER, "text": text, "kinds": kinds}}
        answer = await self._http.post("/graphql", json=body, headers={"Mnemoscene-Tenant": tenant})
        assert answer.json()["data"]["recall"]["hits"], answer.text

    async def beside(self, tenants: Sequence[TenantId]) -> dict[str, float]:
        """Alternate one client, the hand-written query and the embedding, so that other load affects all alike."""
        times: dict[str, list[float]] = {}
        turns = zip(range(self._load.rounds + 10), cycle(tenants), self._questions, strict=False)
        for number, tenant, text in turns:
            vector = (await self._embedder.embed([text]))[0]
            bare = bare_parameters(tenant, USER, text, vector)
            for name, work in {
                "recall": partial(self.ask, tenant, text),
                "bare": partial(self._graph.read, BARE_OF_ALL_KINDS, bare),
                "recall_messages": partial(self.ask, tenant, text, ["MESSAGE"]),
                "bare_messages": partial(self._graph.read, BARE_HYBRID, bare),
                "embedding": partial(self._embedder.embed, [text]),
            }.items():
                took_ms = await timed(work)
                if number >= 10:
                    times.setdefault(name, []).append(took_ms)
        medians = {name: statistics.median(taken) for name, taken in times.items()}
        ratios = {}
        for kinds in ("", "_messages"):
            recall, bare_ms = medians[f"recall{kinds}"], medians[f"bare{kinds}"]
            # The hand-written query needs an embedding of the question too.
            ratios[f"recall{kinds}_to_bare"] = recall / bare_ms
            ratios[f"recall{kinds}_to_bare_and_embedding"] = recall / (bare_ms + medians["embedding"])
        rounded = {f"{name}_p50_ms": round(taken, 2) for name, taken in medians.items()}
        return rounded | {name: round(ratio, 2) for name, ratio in ratios.items()}


@asynccontextmanager
async def served(server: LocalServer, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Run `mnemoscene serve` in a separate process; yield a client."""
    reached = {
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
    }
    with Home(folder, reached).running("serve", "--port", "0", "--no-browser", "--json") as service:
        address = str((await asyncio.to_thread(service.document))["viewer"]).split("?")[0].rstrip("/")
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False, limits=limits) as http:
            yield http


async def main(load: Load, texts: Sequence[str], heap_mb: int, page_cache_mb: int) -> dict[str, Any]:
    """Run the benchmark and return all figures."""
    cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
    embedder = await load_local_embedder(cache_dir=cache_dir)
    rows = []
    with tempfile.TemporaryDirectory(prefix="mnemoscene-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        server = await start_local_server(
            data_dir=folder / "db",
            cache_dir=cache_dir,
            heap_mb=heap_mb,
            page_cache_mb=page_cache_mb,
            start_timeout_s=240,
            lasting=True,
        )
        graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
        await prepare_vectors(graph, model=embedder.name, dim=embedder.dim, token_model=embedder.token_model)
        home = folder / "home"
        await asyncio.to_thread(home.mkdir)
        filled_s = await fill(graph, embedder, texts, load)
        async with served(server, home) as http:
            asking = Asking(http, graph, embedder, load)
            for memory, tenants in load.memories:
                for clients in load.clients:
                    rows.append({"memory": memory} | await asking.figures(tenants, clients))
                    sys.stderr.write("  ".join(str(value) for value in rows[-1].values()) + "\n")
                rows.append({"memory": memory} | await asking.beside(tenants))
                sys.stderr.write("  ".join(f"{key} {value}" for key, value in rows[-1].items()) + "\n")
        await graph.close()
        await server.stop()
    return {"filled_in_s": round(filled_s), "heap_mb": heap_mb, "page_cache_mb": page_cache_mb, "rows": rows}


def material(files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Return a thousand texts, and questions."""
    if not files:
        texts = sentences()
        return [next(texts) for _ in range(MODEL_MESSAGES)], list(QUESTIONS)
    held = read_all(files).conversations
    said = list(dict.fromkeys(turn.text for one in held for turn in one.messages if turn.text.strip()))
    asked = [question.question for one in held for question in one.answerable]
    if len(said) < MODEL_MESSAGES:
        raise SystemExit(f"{len(said)} different messages are too few; name files with {MODEL_MESSAGES}")
    return said[:MODEL_MESSAGES], asked


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="conversations; by default the demo's sentences")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--tenants", type=int, default=100, help="additional tenants of the smallest size")
    parser.add_argument("--clients", default="1,8,32")
    parser.add_argument("--rounds", type=int, default=40, help="minimum questions of each client")
    parser.add_argument("--heap-mb", type=int, default=1_024)
    parser.add_argument("--page-cache-mb", type=int, default=512)
    given = parser.parse_args()
    wanted_texts, wanted_questions = material(given.files)
    wanted = Load(
        sizes=[int(size) for size in given.sizes.split(",")],
        tenants=given.tenants,
        clients=[int(number) for number in given.clients.split(",")],
        rounds=given.rounds,
        questions=wanted_questions,
    )
    answer = asyncio.run(main(wanted, wanted_texts, given.heap_mb, given.page_cache_mb))
    json.dump(answer, sys.stdout, indent=2, ensure_ascii=False)
