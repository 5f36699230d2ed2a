"""Measure recall@10 of the vector index against an exact search, and its latency, by size of the tenant.

    python -m tests.benchmarks.index_recall --vectors random --sizes 10,100,1000,10000,100000

Starts a local Neo4j in a temporary directory and creates the index as the service does. All tenants share it, and their
messages are written interleaved, so that the tenant filter matters. The query is that of `recall/recall.cypher`:
tenant, user and time filter inside the index; "narrow" also restricts it to a tenth of the tenant's time. Real vectors
are those of sentences in the given conversation files; beyond their number, two sentences are mixed into one vector.
Prints JSON to stdout and a table to stderr. Run it on an otherwise idle machine.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import platformdirs
from neo4j import AsyncDriver, AsyncGraphDatabase

from extraction.embeddings.local_embedder import load_local_embedder
from graph_service.graph.database import connect
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.memory.recall.retrieval import VECTOR_K
from tests.support.neo4j_server import start_local_server

Floats = npt.NDArray[np.float32]
DIM, USER, TOP = 384, "u", 10
WRITE = """CYPHER 25 UNWIND $rows AS row
CREATE (m:Message {tenant: row.tenant, id: row.id, user_id: $user, said_ms: row.said_ms})
WITH m, row CALL db.create.setNodeVectorProperty(m, 'embedding', row.vector)"""
SEARCH = """CYPHER 25 MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR $vector
  WHERE m.tenant = $tenant AND m.user_id = $user AND m.said_ms >= $from_ms AND m.said_ms < $to_ms LIMIT $wide)
SCORE AS score RETURN m.said_ms AS place ORDER BY score DESC LIMIT $top"""
EXACT = """CYPHER 25 MATCH (m:Message {tenant: $tenant, user_id: $user})
WHERE m.said_ms >= $from_ms AND m.said_ms < $to_ms RETURN m.said_ms AS place,
vector.similarity.cosine(m.embedding, $vector) AS score ORDER BY score DESC LIMIT $top"""
EXACT_UP_TO = 3_000


def unit(rows: Floats) -> Floats:
    """Return the rows normalised to length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def random_vectors(sizes: Sequence[int], questions: int) -> tuple[list[Floats], Floats]:
    """Return uniformly distributed directions: the hardest case, since nothing is similar."""
    draw = np.random.default_rng(7)
    tenants = [unit(draw.normal(size=(size, DIM)).astype(np.float32)) for size in sizes]
    return tenants, unit(draw.normal(size=(questions, DIM)).astype(np.float32))


async def real_vectors(sizes: Sequence[int], questions: int, files: Sequence[Path]) -> tuple[list[Floats], Floats]:
    """Return vectors of sentences and of questions about them."""
    embedder = await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))
    held = [json.loads(path.read_text("utf-8")) for path in files]
    said = sorted({turn["text"] for one in held for session in one["sessions"] for turn in session["turns"]} - {""})
    asked = [question["question"] for one in held for question in one.get("questions", [])]
    draw = np.random.default_rng(7)
    base = np.array(await embedder.embed(said), np.float32)
    sys.stderr.write(f"{len(said)} sentences, {len(asked)} questions\n")
    tenants = []
    for size in sizes:
        if size <= len(base):
            tenants.append(base[draw.permutation(len(base))[:size]])
        else:
            share = draw.uniform(0.3, 0.7, size=(size, 1)).astype(np.float32)
            one, other = draw.integers(len(base), size=(2, size))
            tenants.append(unit(share * base[one] + (1 - share) * base[other]))
    chosen = [asked[place] for place in draw.permutation(len(asked))[:questions]]
    return tenants, np.array(await embedder.embed(chosen), np.float32)


async def fill(driver: AsyncDriver, tenants: Sequence[Floats]) -> float:
    """Write all tenants interleaved; return the seconds."""
    places = [(tenant, place) for tenant, vectors in enumerate(tenants) for place in range(len(vectors))]
    order = np.random.default_rng(3).permutation(len(places))
    before = time.perf_counter()
    async with driver.session() as session:
        for start in range(0, len(order), 1_000):
            rows = [
                {
                    "tenant": f"t{tenant}",
                    "id": f"{tenant}-{place}",
                    "said_ms": place,
                    "vector": vector_parameter(tenants[tenant][place].tolist()),
                }
                for tenant, place in (places[number] for number in order[start : start + 1_000])
            ]
            await (await session.run(WRITE, rows=rows, user=USER)).consume()
            if start % 20_000 == 0:
                sys.stderr.write(f"{start} of {len(order)} written, {time.perf_counter() - before:.0f} s\n")
    return time.perf_counter() - before


async def figures(
    driver: AsyncDriver, query: str, vectors: Floats, questions: Floats, parameters: dict[str, Any]
) -> dict[str, float]:
    """Return recall@10 against the exact order, and the latency."""
    span = slice(parameters["from_ms"], parameters["to_ms"])
    shares, took_ms = [], []
    async with driver.session() as session:
        for number, question in enumerate(questions):
            right = np.argsort(-(vectors[span] @ question), kind="stable")[:TOP] + parameters["from_ms"]
            before = time.perf_counter()
            result = await session.run(query, {**parameters, "vector": vector_parameter(question.tolist())})
            found = {record["place"] async for record in result}
            if number >= len(questions) // 5:  # The first ones warm up caches and plans.
                took_ms.append((time.perf_counter() - before) * 1000)
            shares.append(len(found & set(right.tolist())) / len(right))
    return {
        "recall_at_10": round(statistics.mean(shares), 4),
        "worst": round(min(shares), 2),
        "p50_ms": round(statistics.median(took_ms), 1),
    }


async def measured(driver: AsyncDriver, tenants: Sequence[Floats], questions: Floats) -> list[dict[str, Any]]:
    """Return one row for each kind of query on each tenant."""
    rows: list[dict[str, Any]] = []
    for number, vectors in enumerate(tenants):
        size = len(vectors)
        spans = {"all": (0, size), "narrow": (size // 2, size // 2 + max(size // 10, 1))}
        for span, (from_ms, to_ms) in spans.items():
            scope = {"tenant": f"t{number}", "user": USER, "from_ms": from_ms, "to_ms": to_ms, "top": TOP}
            ways = {f"index, limit {wide}": (SEARCH, {**scope, "wide": wide}) for wide in (10, 60, VECTOR_K)}
            if to_ms - from_ms <= EXACT_UP_TO:
                ways["exact in Neo4j"] = (EXACT, scope)
            for way, (query, parameters) in ways.items():
                row = {"messages": size, "span": span, "way": way}
                rows.append(row | await figures(driver, query, vectors, questions, parameters))
                sys.stderr.write("  ".join(str(value) for value in rows[-1].values()) + "\n")
    return rows


async def main(kind: str, sizes: Sequence[int], count: int, files: Sequence[Path]) -> dict[str, Any]:
    """Run the benchmark and return all figures."""
    if kind == "random":
        tenants, questions = random_vectors(sizes, count)
    else:
        tenants, questions = await real_vectors(sizes, count, files)
    cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
    with tempfile.TemporaryDirectory(prefix="mnemoscene-bench-", ignore_cleanup_errors=True) as folder:
        server: LocalServer = await start_local_server(
            data_dir=Path(folder), cache_dir=cache_dir, heap_mb=2048, start_timeout_s=240
        )
        graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
        await prepare_vectors(graph, model=kind, dim=DIM)
        await graph.close()
        async with AsyncGraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
            took_s = await fill(driver, tenants)
            rows = await measured(driver, tenants, questions)
        await server.stop()
    return {"vectors": kind, "written_per_s": round(sum(sizes) / took_s), "rows": rows}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", choices=("random", "real"), default="random")
    parser.add_argument("--sizes", default="10,30,100,300,1000,3000,10000,30000,100000")
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("files", nargs="*", type=Path, help="conversations, for real vectors")
    given = parser.parse_args()
    wanted_sizes = [int(size) for size in given.sizes.split(",")]
    answer = asyncio.run(main(given.vectors, wanted_sizes, given.questions, given.files))
    json.dump(answer, sys.stdout, indent=2, ensure_ascii=False)
