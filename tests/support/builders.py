"""Builders of test data with defaults for every argument."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from neo4j import AsyncGraphDatabase

from extraction.embeddings.embedder import Embedder
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.recall.question_log import QuestionLog
from graph_service.memory.service import Memory
from graph_service.memory.sessions.short_term_window import ShortTermWindow
from graph_service.memory.worker.worker import Worker, WorkerRules
from tests.support.embedders import HashedWords
from tests.support.readers import read_with_tags

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def a_message(text: str = "I love jasmine tea.", *, minute: int = 0, **more: Any) -> IncomingMessage:
    """Return a user message, sent `minute` minutes after noon."""
    return IncomingMessage(**{"role": "user", "text": text, "time": NOON + timedelta(minutes=minute), **more})


def an_incoming(*texts: str, user: str = "alice", session: str = "s1", **more: Any) -> RememberRequest:
    """Return a remember request with one message per minute."""
    messages = tuple(a_message(text, minute=i) for i, text in enumerate(texts or ("I love jasmine tea.",)))
    return RememberRequest(**{"user_id": user, "session_id": session, "messages": messages, **more})


def a_dead_graph() -> Graph:
    """Return a graph whose server refuses connections."""
    driver = AsyncGraphDatabase.driver("bolt://127.0.0.1:9", auth=("neo4j", "x"), max_transaction_retry_time=0)
    return Graph(driver, database=None)


def no_spool() -> Spool:
    """Return a spool that cannot store anything."""
    return Spool(Path(os.devnull) / "spool", bytes_max=0)


def a_memory(
    graph: Graph,
    *,
    embedder: Embedder | None = None,
    notify: Callable[[str], None] | None = None,
    spool: Spool | None = None,
    window: ShortTermWindow | None = None,
    on_forgotten: Callable[[str], None] | None = None,
    worker: Worker | None = None,
    questions: QuestionLog | None = None,
) -> Memory:
    """Return a Memory with a real clock and the test embedder."""
    return Memory(
        graph=graph,
        embedder=embedder or HashedWords(),
        clock=lambda: datetime.now(UTC),
        notify=notify or (lambda _tenant: None),
        spool=spool or no_spool(),
        window=window,
        worker=worker or a_worker(graph),
        on_forgotten=on_forgotten or (lambda _tenant: None),
        questions=questions,
        read=read_with_tags,
    )


def a_job_context(
    on_step: Callable[[str], None] | None = None, on_change: Callable[[str], None] | None = None
) -> JobContext:
    """Return a job context with a real clock and unique tokens."""
    numbers = count()
    return JobContext(
        clock=lambda: datetime.now(UTC),
        random_token=lambda: f"word-{datetime.now(UTC).timestamp()}-{next(numbers)}",
        on_step=on_step or (lambda _step: None),
        on_change=on_change or (lambda _tenant: None),
    )


async def delete_open_jobs(graph: Graph, *, except_tenant: str | None = None) -> None:
    """Delete the open jobs of all other tenants: a worker would run them, or wait until their leases end."""
    query = "MATCH (j:Job {open: true}) WHERE $tenant IS NULL OR j.tenant <> $tenant DETACH DELETE j"
    async with graph._driver.session() as session:
        await (await session.run(query, tenant=except_tenant)).consume()


async def delete_open_sessions(graph: Graph) -> None:
    """Delete the open sessions that tests left in tenants of their own: a service would close and extract them."""
    query = "MATCH (l:SessionLifecycle) WHERE l.state <> 'closed' AND l.tenant STARTS WITH 't-' DETACH DELETE l"
    async with graph._driver.session() as session:
        await (await session.run(query)).consume()


def a_worker(
    graph: Graph,
    *,
    embedder: Embedder | None = None,
    readers: Readers | None = None,
    job_context: JobContext | None = None,
    rules: WorkerRules | None = None,
) -> Worker:
    """Return a worker that extracts with the rule reader."""
    return Worker(
        graph=graph,
        embedder=embedder or HashedWords(),
        readers=readers or Readers(first=read_with_tags, fallback=read_with_tags),
        job_context=job_context or a_job_context(),
        rules=rules,
    )
