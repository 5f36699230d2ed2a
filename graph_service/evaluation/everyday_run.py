"""Run everyday memories through a service: store, wait until read, ask, and collect the answers for `everyday.py`."""

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table

from graph_service.evaluation.dataset import FactsBrought
from graph_service.evaluation.everyday import ALL, CONTEXT_TOKENS, Answer, Memory, Question, calls, figures_of
from graph_service.evaluation.graphql_client import Door
from graph_service.evaluation.metrics import percentile
from graph_service.evaluation.run import Place
from graph_service.runtime.progress import Step, Watcher
from schema.errors import NotFoundError, UnavailableError

HITS: Final = 10
_LOOK_AGAIN_S: Final = 0.2
_STILL_MAX_S: Final = 300.0
_TRIES_MAX: Final = 3
_REMEMBER: Final = "mutation($input: RememberInput!) { remember(input: $input) { messageIds dropped spooled } }"
_CLOSE: Final = """
mutation($user: String!, $session: String!) { closeSession(userId: $user, sessionId: $session) { state } }
"""
_ASK: Final = f"""
query($user: String!, $text: String!, $at: DateTime!) {{
  recall(userId: $user, query: $text, limit: {HITS}, askedAt: $at) {{ nothingRelevant hits {{ text }} }}
  context(userId: $user, query: $text, maxTokens: {CONTEXT_TOKENS}) {{ text }}
}}
"""


@dataclass(kw_only=True)
class EverydayRun:
    """The answers of one run over everyday memories.

    Attributes:
        facts_dropped: reasons why facts that were handed in were refused.
    """

    facts: FactsBrought
    answers: list[Answer] = field(default_factory=list)
    facts_dropped: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return everything measured as plain values."""
        took_ms = [answer.took_ms for answer in self.answers]
        return {
            "facts": self.facts.value,
            "facts_dropped": self.facts_dropped,
            **figures_of(self.answers),
            "recall_and_context_p50_ms": round(percentile(took_ms, 0.5), 1),
            "recall_and_context_p95_ms": round(percentile(took_ms, 0.95), 1),
            "seconds": self.seconds,
        }


async def evaluate_everyday(
    door: Door, place: Place, memories: Sequence[Memory], facts: FactsBrought, steps: Watcher, *, forget: bool
) -> EverydayRun:
    """Store each memory in a tenant of its own, ask its questions, and forget it again.

    Sessions are handed in and closed in order, and each is read before the next comes, as in life where days lie
    between them.

    Raises:
        UnavailableError: the service does not answer, or its work stands still.
        MnemographError: the service refused a call.
    """
    run, name = EverydayRun(facts=facts), secrets.token_hex(4)
    tenants = [f"eval-everyday-{name}-{place}" for place in range(len(memories))]
    started = time.perf_counter()
    stored = 0
    total = sum(memory.messages_n for memory in memories)
    try:
        for tenant, memory in zip(tenants, memories, strict=True):
            for session, call in calls(memory, with_facts=facts is not FactsBrought.NONE):
                said = (await door.ask(tenant, _REMEMBER, {"input": call})).data["remember"]
                run.facts_dropped += said["dropped"]
                await door.ask(tenant, _CLOSE, {"user": memory.user_id, "session": session})
                await _wait_until_read(place, tenant)
                stored += len(call["messages"])
                steps(Step(part="storing", doing="messages", done=stored, total=total, unit="messages"))
        run.seconds["indexing"] = round(time.perf_counter() - started, 1)
        started = time.perf_counter()
        asked, questions = 0, sum(len(memory.questions) for memory in memories)
        for tenant, memory in zip(tenants, memories, strict=True):
            for question in memory.questions:
                run.answers.append(await _ask(door, tenant, memory, question))
                asked += 1
                steps(Step(part="asking", doing="questions", done=asked, total=questions, unit="questions"))
        run.seconds["asking"] = round(time.perf_counter() - started, 1)
    finally:
        if forget:
            await _forget(place, tenants, memories)
    return run


async def _ask(door: Door, tenant: str, memory: Memory, question: Question) -> Answer:
    variables = {"user": memory.user_id, "text": question.question, "at": question.asked_at.isoformat()}
    before = time.perf_counter()
    for attempt in range(_TRIES_MAX):
        try:
            data = (await door.ask(tenant, _ASK, variables)).data
            break
        except UnavailableError:
            # The first statements after a start are planned and may run into their time limit.
            if attempt + 1 == _TRIES_MAX:
                raise
    return Answer(
        memory=memory,
        question=question,
        hits=tuple(hit["text"] for hit in data["recall"]["hits"]),
        nothing_relevant=data["recall"]["nothingRelevant"],
        context=data["context"]["text"],
        took_ms=(time.perf_counter() - before) * 1000,
    )


async def _wait_until_read(place: Place, tenant: str) -> None:
    last, since_s = -1, time.monotonic()
    while left := await place.work_left(tenant):
        if left != last:
            last, since_s = left, time.monotonic()
        elif time.monotonic() - since_s > _STILL_MAX_S:
            raise UnavailableError(f"{left} jobs wait and none is done; see `mnemograph jobs` and the log")
        await asyncio.sleep(_LOOK_AGAIN_S)


async def _forget(place: Place, tenants: Sequence[str], memories: Sequence[Memory]) -> None:
    for tenant, memory in zip(tenants, memories, strict=True):
        try:
            await place.forget(tenant, memory.user_id)
        except NotFoundError:
            continue  # The run ended before anything of it was stored.
        await _wait_until_read(place, tenant)


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
