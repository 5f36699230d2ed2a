"""Compare the latency of remember and recall with bare Cypher statements, in one run on one server.

    python -m tests.benchmarks.bench_memory --messages 10000

Starts its own local Neo4j in a temporary directory, stores messages made of the demo's sentences, lets the worker embed
and read them, and then times alternately: remember / a bare write, recall / a hand-written hybrid query. Prints the
median and 95th percentile of each, and their ratios, as JSON.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, cycle
from pathlib import Path

import platformdirs

from extraction.embeddings.local_embedder import load_local_embedder
from extraction.rules.rule_reader import read_by_rules
from graph_service.demo.scenario import demo_conversations
from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.query import Question
from graph_service.memory.service import Memory
from graph_service.memory.worker.worker import Worker
from schema.ids import TenantId
from tests.benchmarks.bare_queries import BARE_HYBRID, bare_parameters
from tests.support.builders import a_job_context, no_spool
from tests.support.neo4j_server import start_local_server

TENANT, USER = TenantId("bench"), "alice"
START = datetime(2024, 1, 1, tzinfo=UTC)

BARE_WRITE = Statement(
    name="bench/bare_write",
    text="""CYPHER 25
CREATE (b:BenchMessage {tenant: $tenant, id: $id, text: $text, said_at: $said_at}) RETURN b.id AS id""",
    parameters=frozenset(),
    columns=("id",),
    hot=False,
)
QUESTIONS = (
    "What are Bart's favourite animals?",
    "Who went to the amusement park?",
    "我推荐过哪部科幻电影？",
    "Which cake does Lisa like?",
    "When did Jimmy have a dispute?",
    "图书馆的小说叫什么？",
    "What made Bart anxious before the exam?",
    "谁喜欢弹钢琴？",
)


def sentences() -> Iterator[str]:
    """Yield endless distinct sentences."""
    texts = [message.text for call in demo_conversations() for message in call.messages]
    for number, text in zip(count(), cycle(texts), strict=False):
        yield text if number < len(texts) else f"{text} ({number})"


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Return the milliseconds of one call."""
    before = time.perf_counter()
    await work()
    return (time.perf_counter() - before) * 1000


def spread(times_ms: list[float]) -> dict[str, float]:
    """Return median and 95th percentile."""
    ordered = sorted(times_ms)
    return {"p50_ms": round(statistics.median(ordered), 2), "p95_ms": round(ordered[int(len(ordered) * 0.95)], 2)}


async def fill(memory: Memory, worker: Worker, messages: int) -> float:
    """Store messages in calls of 100, and have them embedded and read; return the seconds."""
    texts = sentences()
    before = time.perf_counter()
    for number in range(0, messages, 100):
        said = tuple(
            IncomingMessage(role="user", text=next(texts), time=START + timedelta(minutes=number + i))
            for i in range(100)
        )
        await memory.remember(
            TENANT, RememberRequest(user_id=USER, session_id=f"s{number // 500}", messages=said, user_name="Alice")
        )
    await worker.drain()
    return time.perf_counter() - before


async def measure(
    graph: Graph, memory: Memory, embed: Callable[[str], Awaitable[list[float]]], rounds: int
) -> dict[str, object]:
    """Time pairs alternately, so that other load affects both alike."""
    texts = sentences()
    pairs: dict[str, list[float]] = {
        name: [] for name in ("remember", "bare write", "recall", "bare hybrid", "embedding")
    }

    async def bare_write(number: int) -> None:
        async def steps(writing: Writing) -> None:
            row = {"tenant": TENANT, "id": f"b{number}", "text": next(texts), "said_at": START}
            await writing.run(BARE_WRITE, row)

        await graph.write(steps)

    async def hybrid(question: str, vector: list[float]) -> None:
        await graph.read(BARE_HYBRID, bare_parameters(TENANT, USER, question, vector))

    for number in range(rounds + 10):
        message = IncomingMessage(role="user", text=next(texts), time=START + timedelta(days=400, minutes=number))
        call = RememberRequest(user_id=USER, session_id=f"live{number // 20}", messages=(message,))
        question = QUESTIONS[number % len(QUESTIONS)]
        row = {
            "remember": await timed(lambda call=call: memory.remember(TENANT, call)),
            "bare write": await timed(lambda number=number: bare_write(number)),
            "recall": await timed(lambda q=question: memory.recall(TENANT, Question(user_id=USER, text=q))),
            "embedding": await timed(lambda q=question: embed(q)),
        }
        vector = await embed(question)
        row["bare hybrid"] = await timed(lambda q=question, v=vector: hybrid(q, v))
        if number >= 10:  # The first rounds warm up caches and plans.
            for name, took in row.items():
                pairs[name].append(took)
    figures: dict[str, object] = {name: spread(times) for name, times in pairs.items()}
    medians = {name: statistics.median(times) for name, times in pairs.items()}
    figures["remember / bare write"] = round(medians["remember"] / medians["bare write"], 2)
    figures["recall / (embedding + bare hybrid)"] = round(
        medians["recall"] / (medians["embedding"] + medians["bare hybrid"]), 2
    )
    only = [r - e for r, e in zip(pairs["recall"], pairs["embedding"], strict=True)]
    figures["recall without embedding / bare hybrid"] = round(statistics.median(only) / medians["bare hybrid"], 2)
    return figures


async def main(messages: int, rounds: int) -> dict[str, object]:
    """Run the benchmark and return all figures."""
    cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
    with tempfile.TemporaryDirectory(prefix="mnemoscene-bench-", ignore_cleanup_errors=True) as folder:
        server = await start_local_server(
            data_dir=Path(folder), cache_dir=cache_dir, heap_mb=1024, start_timeout_s=240, lasting=True
        )
        graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
        embedder = await load_local_embedder(cache_dir=cache_dir)
        await prepare_vectors(graph, model=embedder.name, dim=embedder.dim, token_model=embedder.token_model)
        readers = Readers(first=read_by_rules, fallback=read_by_rules)
        worker = Worker(graph=graph, embedder=embedder, readers=readers, job_context=a_job_context())
        memory = Memory(
            graph=graph,
            embedder=embedder,
            worker=worker,
            clock=lambda: datetime.now(UTC),
            notify=lambda _tenant: None,
            spool=no_spool(),
        )
        took_s = await fill(memory, worker, messages)
        figures = await measure(graph, memory, lambda q: _one(embedder.embed([q])), rounds)
        await graph.close()
        await server.stop()
    return {
        "messages": messages,
        "filled_in_s": round(took_s, 1),
        "messages_per_s": round(messages / took_s, 1),
        **figures,
    }


async def _one(vectors: Awaitable[list[list[float]]]) -> list[float]:
    return (await vectors)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    json.dump(asyncio.run(main(arguments.messages, arguments.rounds)), sys.stdout, indent=2, ensure_ascii=False)
