"""Evaluate conversations: store each in its own tenant, ask its questions, and collect the answers."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from extraction.embeddings.embedder import Embedder
from graph_service.evaluation.abstention import Trial, abstention_trials
from graph_service.evaluation.baselines import by_vectors, by_words
from graph_service.evaluation.dataset import AskedQuestion, Conversation, FactSource
from graph_service.evaluation.graphql_client import GraphqlClient, ServiceControl, wait_until_idle
from graph_service.evaluation.ingest import StoredConversation, store
from graph_service.evaluation.questions import HITS_MAX, RecallResult, ask
from graph_service.runtime.progress import Step, Watcher
from schema.errors import NotFoundError, UnavailableError

T = TypeVar("T")

OURS: Final = "mnemoscene"
BM25: Final = "bm25"
DENSE: Final = "dense"
_STORING_AT_ONCE: Final = 4
_WARM_UP_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Options of an evaluation.

    Attributes:
        captions: turns include captions of their pictures.
        concurrency: questions asked at the same time.
        forget: delete the tenants afterwards; unnecessary for a temporary database.
    """

    facts: FactSource = FactSource.NONE
    captions: bool = True
    concurrency: int = 1
    forget: bool = True


@dataclass(kw_only=True)
class EvaluationRun:
    """The raw results of an evaluation.

    Attributes:
        orders: rankings of turn ids by system and conversation index, one for each answerable question.
        recalled: the service's results for these questions.
        asked: abstention trials with the service's results.
        unanswerable: questions marked as unanswerable by the data sets, with the service's results.
    """

    conversations: Sequence[Conversation]
    plan: Plan
    orders: dict[str, dict[int, list[Sequence[str]]]] = field(default_factory=dict)
    recalled: list[RecallResult] = field(default_factory=list)
    asked: list[tuple[Trial, RecallResult]] = field(default_factory=list)
    unanswerable: list[tuple[Trial, RecallResult]] = field(default_factory=list)
    facts_dropped: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def messages_n(self) -> int:
        return sum(len(conversation.turns) for conversation in self.conversations)


async def evaluate(
    client: GraphqlClient,
    control: ServiceControl,
    embedder: Embedder | None,
    conversations: Sequence[Conversation],
    plan: Plan,
    steps: Watcher,
) -> EvaluationRun:
    """Run the evaluation; tenants are deleted even if it fails.

    Args:
        embedder: for the dense baseline, which is skipped without one.

    Raises:
        UnavailableError: the service does not answer, or makes no progress.
        MnemosceneError: the service refused a call.
    """
    run_id = secrets.token_hex(4)
    memories = [
        StoredConversation(tenant=f"eval-{run_id}-{n}", conversation=item) for n, item in enumerate(conversations)
    ]
    run = EvaluationRun(conversations=conversations, plan=plan)
    try:
        await _timed(run, "indexing", _index(client, control, memories, plan, steps))
        await _timed(run, "asking", _ask_all(client, memories, run, steps))
        await _timed(run, "yardsticks", _run_baselines(embedder, run, steps))
    finally:
        if plan.forget:
            await _timed(run, "forgetting", _forget(control, memories, steps))
    run.facts_dropped = sum(len(memory.facts_dropped) for memory in memories)
    return run


async def _timed(run: EvaluationRun, phase: str, work: Awaitable[None]) -> None:
    before = time.perf_counter()
    await work
    run.seconds[phase] = round(time.perf_counter() - before, 1)


async def _index(
    client: GraphqlClient, control: ServiceControl, memories: Sequence[StoredConversation], plan: Plan, steps: Watcher
) -> None:
    total = sum(len(memory.conversation.turns) for memory in memories)
    stored_n = 0

    def on_messages(count: int) -> None:
        nonlocal stored_n
        stored_n += count
        steps(Step(part="storing", doing="messages", done=stored_n, total=total, unit="messages"))

    async def store_one(memory: StoredConversation) -> None:
        await store(client, memory, plan.facts, on_messages=on_messages)

    await _for_each_concurrently(_STORING_AT_ONCE, memories, store_one)
    done = 0
    for memory in memories:
        await wait_until_idle(control, memory.tenant)
        done += len(memory.conversation.turns)
        steps(Step(part="reading", doing="scenes, facts and vectors", done=done, total=total, unit="messages"))


async def _ask_all(
    client: GraphqlClient, memories: Sequence[StoredConversation], run: EvaluationRun, steps: Watcher
) -> None:
    """Ask each memory its answerable and unanswerable questions and those of other conversations, each only once."""
    own = [(n, q) for n, memory in enumerate(memories) for q in memory.conversation.answerable]
    trials = abstention_trials(run.conversations)
    without = [
        Trial(conversation=n, question=q, foreign=True)
        for n, memory in enumerate(memories)
        for q in memory.conversation.questions
        if not q.gold
    ]
    foreign = [(item.conversation, item.question) for item in [*trials, *without] if item.foreign]
    unique = list({_key(n, question): (n, question) for n, question in [*own, *foreign]}.values())
    answers: dict[tuple[int, str], RecallResult] = {}

    async def ask_one(pair: tuple[int, AskedQuestion]) -> None:
        n, question = pair
        answers[_key(n, question)] = await ask(client, memories[n], question)
        steps(Step(part="asking", doing="questions", done=len(answers), total=len(unique), unit="questions"))

    await _warm_up(client, memories[unique[0][0]], unique[0][1])
    await _for_each_concurrently(run.plan.concurrency, unique, ask_one)
    run.recalled = [answers[_key(n, question)] for n, question in own]
    run.orders[OURS] = {
        n: [answers[_key(n, question)].order for question in memory.conversation.answerable]
        for n, memory in enumerate(memories)
    }
    run.asked = [(trial, answers[_key(trial.conversation, trial.question)]) for trial in trials]
    run.unanswerable = [(trial, answers[_key(trial.conversation, trial.question)]) for trial in without]


async def _warm_up(client: GraphqlClient, memory: StoredConversation, question: AskedQuestion) -> None:
    """Ask a first question, so that query plans and models are loaded; timeouts are retried, results are discarded."""
    for _ in range(_WARM_UP_ATTEMPTS - 1):
        try:
            await ask(client, memory, question)
        except UnavailableError:
            continue
        return
    await ask(client, memory, question)


def _key(place: int, question: AskedQuestion) -> tuple[int, str]:
    return place, question.text


async def _run_baselines(embedder: Embedder | None, run: EvaluationRun, steps: Watcher) -> None:
    bm25: dict[int, list[Sequence[str]]] = {}
    dense: dict[int, list[Sequence[str]]] = {}
    total = len(run.conversations)
    for n, item in enumerate(run.conversations):
        questions = [question.text for question in item.answerable]
        found = await asyncio.to_thread(by_words, item.turns, questions, item.lang, limit=HITS_MAX)
        bm25[n] = list(found)
        if embedder is not None:
            dense[n] = list(await by_vectors(embedder, item.turns, questions, limit=HITS_MAX))
        steps(Step(part="yardsticks", doing="BM25 and vectors", done=n + 1, total=total, unit="conversations"))
    run.orders |= {BM25: bm25, **({DENSE: dense} if embedder is not None else {})}


async def _forget(control: ServiceControl, memories: Sequence[StoredConversation], steps: Watcher) -> None:
    started = []
    for memory in memories:
        try:
            await control.forget(memory.tenant, memory.conversation.user)
        except NotFoundError:
            continue  # The evaluation ended before anything was stored.
        started.append(memory)
    for done, memory in enumerate(started, start=1):
        await wait_until_idle(control, memory.tenant)
        steps(Step(part="forgetting", doing="memories", done=done, total=len(started), unit="memories"))


async def _for_each_concurrently(concurrency: int, items: Sequence[T], work: Callable[[T], Awaitable[None]]) -> None:
    """Run `work` for all items with bounded concurrency; the first error cancels the rest."""
    remaining = iter(items)

    async def worker() -> None:
        for item in remaining:
            await work(item)

    tasks = [asyncio.create_task(worker()) for _ in range(min(concurrency, len(items)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
