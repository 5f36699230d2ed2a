"""Evaluate everyday memories: store their sessions one by one, ask the questions, and collect the answers."""

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table

from graph_service.evaluation.dataset import FactSource
from graph_service.evaluation.everyday_memories import (
    ALL,
    CONTEXT_TOKENS,
    Answer,
    Memory,
    Question,
    remember_inputs,
    summarise,
)
from graph_service.evaluation.graphql_client import GraphqlClient, ServiceControl, wait_until_idle, wait_until_stored
from graph_service.evaluation.ingest import CLOSE, REMEMBER
from graph_service.evaluation.metrics import percentile
from graph_service.runtime.progress import Step, Watcher
from schema.errors import NotFoundError, UnavailableError

HITS: Final = 10
_ATTEMPTS: Final = 30
_PAUSE_S: Final = 1.0
_ASK: Final = f"""
query($user: String!, $text: String!, $at: DateTime!) {{
  recall(userId: $user, query: $text, limit: {HITS}, askedAt: $at) {{ nothingRelevant degraded hits {{ text }} }}
  context(userId: $user, query: $text, maxTokens: {CONTEXT_TOKENS}) {{ degraded text }}
}}
"""


@dataclass(kw_only=True)
class EverydayRun:
    """The answers of one run over everyday memories.

    Attributes:
        facts_dropped: reasons why provided facts were rejected.
    """

    facts: FactSource
    answers: list[Answer] = field(default_factory=list)
    facts_dropped: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return everything measured as plain values."""
        took_ms = [answer.took_ms for answer in self.answers]
        return {
            "facts": self.facts.value,
            "facts_dropped": self.facts_dropped,
            **summarise(self.answers),
            "recall_and_context_p50_ms": round(percentile(took_ms, 0.5), 1),
            "recall_and_context_p95_ms": round(percentile(took_ms, 0.95), 1),
            "seconds": self.seconds,
        }


async def evaluate_everyday(
    client: GraphqlClient,
    control: ServiceControl,
    memories: Sequence[Memory],
    facts: FactSource,
    steps: Watcher,
    *,
    forget: bool,
) -> EverydayRun:
    """Store each memory in its own tenant, ask its questions, and forget it again.

    Sessions are stored and closed in order, and each is processed before the next is stored, as if days lay between
    them.

    Raises:
        UnavailableError: the service does not answer, or makes no progress.
        MnemosceneError: the service refused a call.
    """
    run, name = EverydayRun(facts=facts), secrets.token_hex(4)
    tenants = [f"eval-everyday-{name}-{place}" for place in range(len(memories))]
    started = time.perf_counter()
    stored_n = 0
    total = sum(memory.messages_n for memory in memories)
    try:
        for tenant, memory in zip(tenants, memories, strict=True):
            for session, remember_input in remember_inputs(memory, with_facts=facts is not FactSource.NONE):
                receipt = (await client.ask(tenant, REMEMBER, {"input": remember_input})).data["remember"]
                run.facts_dropped += receipt["dropped"]
                await wait_until_stored(client, tenant)
                await client.ask(tenant, CLOSE, {"user": memory.user_id, "session": session})
                await wait_until_idle(control, tenant)
                stored_n += len(remember_input["messages"])
                steps(Step(part="storing", doing="messages", done=stored_n, total=total, unit="messages"))
        run.seconds["indexing"] = round(time.perf_counter() - started, 1)
        started = time.perf_counter()
        asked_n, questions = 0, sum(len(memory.questions) for memory in memories)
        for tenant, memory in zip(tenants, memories, strict=True):
            for question in memory.questions:
                run.answers.append(await _ask(client, tenant, memory, question))
                asked_n += 1
                steps(Step(part="asking", doing="questions", done=asked_n, total=questions, unit="questions"))
        run.seconds["asking"] = round(time.perf_counter() - started, 1)
    finally:
        if forget:
            await _forget(control, tenants, memories)
    return run


async def _ask(client: GraphqlClient, tenant: str, memory: Memory, question: Question) -> Answer:
    variables = {"user": memory.user_id, "text": question.question, "at": question.asked_at.isoformat()}
    data, took_ms = await _answer(client, tenant, variables)
    return Answer(
        memory=memory,
        question=question,
        hits=tuple(hit["text"] for hit in data["recall"]["hits"]),
        nothing_relevant=data["recall"]["nothingRelevant"],
        context=data["context"]["text"],
        took_ms=took_ms,
    )


async def _answer(client: GraphqlClient, tenant: str, variables: Mapping[str, Any]) -> tuple[Mapping[str, Any], float]:
    """Return the answer and its latency in milliseconds; repeat the question while Neo4j does not answer.

    The first statements after a start are planned, and may run into their time limit, as on a busy machine. The
    answer from disk that the service then returns is not what is measured.
    """
    for _ in range(_ATTEMPTS):
        before = time.perf_counter()
        try:
            data = (await client.ask(tenant, _ASK, variables)).data
        except UnavailableError:
            data = None
        if data is not None and not data["recall"]["degraded"] and not data["context"]["degraded"]:
            return data, (time.perf_counter() - before) * 1000
        await asyncio.sleep(_PAUSE_S)
    raise UnavailableError(f"the database did not answer a question in {_ATTEMPTS} attempts; see the log")


async def _forget(control: ServiceControl, tenants: Sequence[str], memories: Sequence[Memory]) -> None:
    for tenant, memory in zip(tenants, memories, strict=True):
        try:
            await control.forget(tenant, memory.user_id)
        except NotFoundError:
            continue  # The run ended before anything was stored.
        await wait_until_idle(control, tenant)


_COLUMNS: Final = {
    "answer@1": "@1",
    "answer@3": "@3",
    "answer@5": "@5",
    "stale@1": "stale@1",
    "mrr": "MRR",
    "doubt": "doubt",
    "context": f"ctx@{CONTEXT_TOKENS}",
    "not told": "not told",
    "tempted": "tempted",
}


def everyday_table(document: dict[str, Any]) -> RenderableType:
    """Return the figures as a table: all questions, then each category, then each language."""
    title = f"everyday memories ({document['memories']}), facts: {document['facts']}"
    table = Table(title=title, title_justify="left")
    table.add_column("questions", no_wrap=True)
    for head in ("asked", *_COLUMNS.values()):
        table.add_column(head, justify="right", no_wrap=True)
    for name, means in document["groups"].items():
        cells = ("" if one not in means else f"{means[one]:.2f}" for one in _COLUMNS)
        label = name.removeprefix("category ")
        table.add_row(label, str(means["questions"]), *cells, end_section=name == ALL)
    return table
