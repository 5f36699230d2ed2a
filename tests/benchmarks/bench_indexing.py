"""Measure indexing: messages per second, round trips per message, delay until a message is found, and growth.

    python -m tests.benchmarks.bench_indexing --messages 10000

Starts a whole service in a temporary directory (its own local Neo4j, the local embedder, extraction by rules) with its
worker. Messages of the demo's sentences are sent in calls of ten; each mark is reached when the worker is idle. Then
single messages are remembered and queried until they are found, by words and by vectors. Prints JSON to stdout and a
table to stderr. Run it on an otherwise idle machine.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import platformdirs

from graph_service.app.services import Services, open_services
from graph_service.config.settings import load_settings
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.query import HitKind, Question
from schema.ids import TenantId
from tests.benchmarks.bench_memory import sentences, spread
from tests.support.neo4j_server import start_local_server

TENANT, USER = TenantId("bench"), "alice"
USERS = (USER, "bruno", "chen", "dalia", "emeka", "fatima", "goran", "hana")
START = datetime(2024, 1, 1, tzinfo=UTC)
MESSAGES_A_SESSION = 50
VECTOR_WAIT_MAX_S = 60.0
LOOK_AGAIN_S = 0.005


@dataclass
class Bench:
    """A running service and its statement counts.

    Attributes:
        server_pid: the process id of the database.
        users: number of users who take turns, one session each; only one job at a time reads a user's memory.
        sent: number of executions of each statement.
    """

    parts: Services
    texts: Iterator[str]
    batch: int
    users: int
    server_pid: int
    sent: Counter[str] = field(default_factory=Counter)

    def count(self) -> None:
        """Count every statement from now on."""

        def seen(statement: Any) -> None:
            self.sent[statement.name] += 1

        self.parts.graph.observer = seen


def cpu_s(pid: int) -> float:
    """Return the processor seconds of a process (Linux); they hardly depend on other load."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def done(parts: Services) -> None:
    """Return when the worker is idle."""
    while True:
        if not await parts.work_left(TENANT):
            return
        await asyncio.sleep(0.05)


async def slice_of(bench: Bench, first: int, last: int) -> dict[str, Any]:
    """Store messages `first` … `last - 1`, wait until they are read and embedded, and return the cost."""
    bench.sent.clear()
    remember_ms = []
    own_cpu_s, server_cpu_s = time.process_time(), cpu_s(bench.server_pid)
    before = time.perf_counter()
    for number in range(first, last, bench.batch):
        said = tuple(
            IncomingMessage(role="user", text=next(bench.texts), time=START + timedelta(minutes=number + i))
            for i in range(min(bench.batch, last - number))
        )
        session = number // MESSAGES_A_SESSION
        whose = USERS[session % bench.users]
        call = RememberRequest(user_id=whose, session_id=f"s{session}", messages=said, user_name=whose.title())
        start = time.perf_counter()
        await bench.parts.memory.remember(TENANT, call)
        remember_ms.append((time.perf_counter() - start) * 1000)
    stored_s = time.perf_counter() - before
    await done(bench.parts)
    took_s = time.perf_counter() - before
    # Polling for remaining work belongs to the measurement, not to indexing.
    own = {"jobs/backlog", "jobs/due"}
    sent = {name: number for name, number in bench.sent.items() if name not in own}
    messages = last - first
    return {
        "messages": last,
        "messages_per_s": round(messages / took_s, 1),
        "ms_per_message": round(took_s / messages * 1000, 2),
        "stored_per_s": round(messages / stored_s, 1),
        "cpu_ms_per_message": {
            "service": round((time.process_time() - own_cpu_s) / messages * 1000, 2),
            "database": round((cpu_s(bench.server_pid) - server_cpu_s) / messages * 1000, 2),
        },
        "remember": spread(remember_ms),
        "statements_per_message": round(sum(sent.values()) / messages, 2),
        "statements": {name: round(number / messages, 3) for name, number in Counter(sent).most_common(12)},
    }


async def lags(bench: Bench, mark: int, probes: int) -> dict[str, Any]:
    """Return how long a single message takes to be found, from the call of `remember` on."""
    words_ms, vector_ms, missed = [], [], 0
    for number in range(probes):
        token = f"zebra{mark}x{number}"
        message = IncomingMessage(role="user", text=f"The code word of the day is {token}.", time=datetime.now(UTC))
        call = RememberRequest(user_id=USER, session_id=f"live{mark}", messages=(message,))
        before = time.perf_counter()
        receipt = await bench.parts.memory.remember(TENANT, call)
        question = Question(user_id=USER, text=f"Which code word is {token}?", kinds=(HitKind.MESSAGE,), limit=5)
        found_by: set[str] = set()
        while "vector" not in found_by and time.perf_counter() - before < VECTOR_WAIT_MAX_S:
            answer = await bench.parts.memory.recall(TENANT, question)
            now_ms = (time.perf_counter() - before) * 1000
            mine = next((hit for hit in answer.hits if hit.candidate.id == receipt.message_ids[0]), None)
            if mine is not None and "words" not in found_by:
                found_by.add("words")
                words_ms.append(now_ms)
            if mine is not None and max(mine.parts.get("token_similarity", 0.0), mine.parts.get("similarity", 0.0)) > 0:
                found_by.add("vector")
                vector_ms.append(now_ms)
            else:
                await asyncio.sleep(LOOK_AGAIN_S)
        missed += "vector" not in found_by
        await done(bench.parts)
    return {"by_words": spread(words_ms), "by_vector": spread(vector_ms) if vector_ms else None, "missed": missed}


def _cpu(mark: dict[str, Any]) -> float:
    return sum(mark["cpu_ms_per_message"].values())


def table(marks: list[dict[str, Any]]) -> str:
    """Return the figures as a table."""
    head = ("messages", "msg/s", "ms/msg", "cpu ms/msg", "remember p50/p95", "statements/msg", "words p50/p95")
    head += ("vector p50/p95",)
    rows = [head]
    for mark in marks:
        lag = mark["write_to_searchable"]
        rows.append(
            (
                f"{mark['messages']:,}",
                str(mark["messages_per_s"]),
                str(mark["ms_per_message"]),
                " + ".join(f"{told:.1f}" for told in mark["cpu_ms_per_message"].values()),
                _pair(mark["remember"]),
                str(mark["statements_per_message"]),
                _pair(lag["by_words"]),
                _pair(lag["by_vector"]),
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _pair(figures: dict[str, float] | None) -> str:
    return "-" if figures is None else f"{figures['p50_ms']:.0f} / {figures['p95_ms']:.0f} ms"


def marks_up_to(messages: int) -> list[int]:
    """Return the message counts at which figures are taken: a thousand, then shares of the total."""
    shares = {messages * tenths // 10 for tenths in (2, 4, 7, 10)}
    return sorted({0, min(1_000, messages), *(share for share in shares if share > 1_000)})


async def main(
    messages: int, batch: int, probes: int, users: int, *, texts: Iterator[str] | None = None
) -> dict[str, Any]:
    """Run the benchmark and return all figures.

    Args:
        texts: the messages; by default the demo's sentences, many of which are embedded only once.
    """
    cache_dir = Path(platformdirs.user_cache_dir("mnemoscene"))
    with tempfile.TemporaryDirectory(prefix="mnemoscene-bench-", ignore_cleanup_errors=True) as folder:
        settings = load_settings(environ={}, here=Path(folder), user_dir=Path(folder), options={"data_dir": folder})
        starting = asyncio.create_task(
            start_local_server(data_dir=Path(folder), cache_dir=cache_dir, heap_mb=1024, start_timeout_s=240)
        )
        server = (await asyncio.shield(starting)).own
        assert server is not None, "the folder is new, so the server is ours"
        parts = await open_services(settings, on_progress=lambda _step: None, starting=starting)
        stop = asyncio.Event()
        worker = asyncio.create_task(parts.worker.run(stop))
        try:
            pid = server.process.popen.pid
            bench = Bench(parts=parts, texts=texts or sentences(), batch=batch, users=users, server_pid=pid)
            marks = await _measured(bench, messages, probes)
        finally:
            stop.set()
            await asyncio.wait({worker}, timeout=30)
            worker.cancel()
            await parts.close()
    first, last = marks[0], marks[-1]
    return {
        "messages": messages,
        "batch": batch,
        "users": users,
        "embedder": parts.embedder_name,
        "reader": parts.reader_name,
        "messages_per_s": round(messages / sum(mark["slice_messages"] / mark["messages_per_s"] for mark in marks), 1),
        "growth_of_ms_per_message": round(last["ms_per_message"] / first["ms_per_message"], 2),
        "growth_of_cpu_per_message": round(_cpu(last) / _cpu(first), 2),
        "median_statements_per_message": statistics.median(mark["statements_per_message"] for mark in marks),
        "marks": marks,
    }


async def _measured(bench: Bench, messages: int, probes: int) -> list[dict[str, Any]]:
    # Planning and loading on first use belong to the start, not to indexing.
    await bench.parts.memory.load_models()
    await bench.parts.memory.warm_up()
    await slice_of(bench, -bench.batch * 10, 0)
    await lags(bench, 0, 3)
    bench.count()
    marks = []
    for first, last in pairwise(marks_up_to(messages)):
        mark = await slice_of(bench, first, last)
        mark["slice_messages"] = last - first
        mark["write_to_searchable"] = await lags(bench, last, probes)
        marks.append(mark)
        sys.stderr.write(table(marks) + "\n\n")
    return marks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000, help="1,000 to 100,000")
    parser.add_argument("--batch", type=int, default=10, help="messages in one call of remember")
    parser.add_argument("--probes", type=int, default=20, help="single messages at each mark")
    parser.add_argument(
        "--users", type=int, default=1, choices=range(1, len(USERS) + 1), help="who take turns to speak"
    )
    arguments = parser.parse_args()
    figures = asyncio.run(main(arguments.messages, arguments.batch, arguments.probes, arguments.users))
    json.dump(figures, sys.stdout, indent=2, ensure_ascii=False)
