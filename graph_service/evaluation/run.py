"""Evaluate data sets: store each conversation or everyday memory in its own tenant, and ask its questions."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from extraction.embeddings.embedder import Embedder
from extraction.extractive_summary import token_count
from graph_service.evaluation.abstention import Trial, abstention_trials
from graph_service.evaluation.baselines import by_vectors, by_words
from graph_service.evaluation.dataset import Conversation, Fact, FactSource, Question, Session
from graph_service.evaluation.everyday_memories import CONTEXT_TOKENS, Answer
from graph_service.evaluation.graphql_client import (
    GraphqlAnswer,
    GraphqlClient,
    ServiceControl,
    wait_until_idle,
    wait_until_stored,
)
from graph_service.importers.import_batch import MESSAGES_A_CALL
from graph_service.runtime.progress import Step, Watcher
from graph_service.supervision import cancel
from schema.errors import NotFoundError, UnavailableError
from schema.limits import LIMITS
from schema.timespan import as_utc

T = TypeVar("T")

OURS: Final = "mnemoscene"
BM25: Final = "bm25"
DENSE: Final = "dense"
# Deep enough to show whether the candidates contain the gold turns.
HITS_MAX: Final = 50
# The default limit of a recall.
HITS_READ: Final = 10
_STORING_AT_ONCE: Final = 4
_ATTEMPTS: Final = 30
_PAUSE_S: Final = 1.0
REMEMBER: Final = """
mutation($input: RememberInput!) { remember(input: $input) { messageIds dropped spooled } }
"""
CLOSE: Final = """
mutation($user: String!, $session: String!) { closeSession(userId: $user, sessionId: $session) { state } }
"""
_RECALL: Final = f"""
query($user: String!, $text: String!, $at: DateTime!) {{
  recall(userId: $user, query: $text, limit: {HITS_MAX}, kinds: [MESSAGE], askedAt: $at) {{
    nothingRelevant degraded hits {{ id score text }}
  }}
}}
"""
_RECALL_AND_CONTEXT: Final = f"""
query($user: String!, $text: String!, $at: DateTime!) {{
  recall(userId: $user, query: $text, limit: {HITS_READ}, askedAt: $at) {{ nothingRelevant degraded hits {{ text }} }}
  context(userId: $user, query: $text, maxTokens: {CONTEXT_TOKENS}) {{ degraded text }}
}}
"""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A conversation in its own tenant.

    Attributes:
        ids: ids in the file by message ids of the service.
        facts_dropped: reasons why provided facts were rejected.
    """

    tenant: str
    data: Conversation
    ids: dict[str, str] = field(default_factory=dict)
    facts_dropped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The answer to one question.

    Attributes:
        order: ids of the messages, best first.
        refused: the service reported `nothingRelevant`.
        took_ms: latency for the caller.
        round_trips: database round trips of the service.
        tokens: estimated number of tokens in the first `HITS_READ` hits.
    """

    order: tuple[str, ...]
    refused: bool
    took_ms: float
    round_trips: int
    tokens: int


@dataclass(kw_only=True)
class EvaluationRun:
    """The raw results of an evaluation.

    Attributes:
        orders: rankings of message ids by system and conversation index, one for each answerable question.
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


@dataclass(kw_only=True)
class EverydayRun:
    """The answers to the questions of everyday memories, and the reasons why provided facts were rejected."""

    facts: FactSource
    answers: list[Answer] = field(default_factory=list)
    facts_dropped: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


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
    run = EvaluationRun(conversations=conversations, plan=plan)
    async with _indexed(client, control, conversations, plan, run.seconds, steps) as stored:
        with _timed(run.seconds, "asking"):
            await _ask_all(client, stored, run, steps)
        with _timed(run.seconds, "yardsticks"):
            await _run_baselines(embedder, run, steps)
    run.facts_dropped = sum(len(one.facts_dropped) for one in stored)
    return run


async def evaluate_everyday(
    client: GraphqlClient, control: ServiceControl, memories: Sequence[Conversation], plan: Plan, steps: Watcher
) -> EverydayRun:
    """Run the evaluation of everyday memories, one after the other; see `evaluate`."""
    run, total = EverydayRun(facts=plan.facts), sum(len(memory.questions) for memory in memories)
    async with _indexed(client, control, memories, plan, run.seconds, steps) as stored:
        with _timed(run.seconds, "asking"):
            for one in stored:
                for question in one.data.questions:
                    run.answers.append(await _ask_everyday(client, one, question))
                    done = len(run.answers)
                    steps(Step(part="asking", doing="questions", done=done, total=total, unit="questions"))
    run.facts_dropped = [reason for one in stored for reason in one.facts_dropped]
    return run


@contextlib.contextmanager
def _timed(seconds: dict[str, float], phase: str) -> Iterator[None]:
    before = time.perf_counter()
    yield
    seconds[phase] = round(time.perf_counter() - before, 1)


@contextlib.asynccontextmanager
async def _indexed(
    client: GraphqlClient,
    control: ServiceControl,
    data: Sequence[Conversation],
    plan: Plan,
    seconds: dict[str, float],
    steps: Watcher,
) -> AsyncIterator[list[Stored]]:
    """Yield the stored and processed data, and delete them at the end."""
    run_id = secrets.token_hex(4)
    stored = [Stored(tenant=f"eval-{run_id}-{n}", data=one) for n, one in enumerate(data)]
    try:
        with _timed(seconds, "indexing"):
            await _index(client, control, stored, plan, steps)
        yield stored
    finally:
        if plan.forget:
            with _timed(seconds, "forgetting"):
                await _forget(control, stored, steps)


async def _index(
    client: GraphqlClient, control: ServiceControl, stored: Sequence[Stored], plan: Plan, steps: Watcher
) -> None:
    everyday = any(not one.data.dataset for one in stored)
    total = sum(len(one.data.messages) for one in stored)
    stored_n = 0

    def on_messages(count: int) -> None:
        nonlocal stored_n
        stored_n += count
        steps(Step(part="storing", doing="messages", done=stored_n, total=total, unit="messages"))

    async def store_one(one: Stored) -> None:
        await store(client, one, plan.facts, on_messages=on_messages, control=control if everyday else None)

    await _for_each_concurrently(1 if everyday else _STORING_AT_ONCE, stored, store_one)
    done = 0
    for one in stored:
        await wait_until_idle(control, one.tenant)
        done += len(one.data.messages)
        steps(Step(part="reading", doing="scenes, facts and vectors", done=done, total=total, unit="messages"))


async def store(
    client: GraphqlClient,
    stored: Stored,
    facts: FactSource,
    *,
    on_messages: Callable[[int], None],
    control: ServiceControl | None = None,
) -> None:
    """Store all sessions in order, as an agent would, and close each.

    Args:
        on_messages: called with the number of messages stored by each call.
        control: waits until a session is processed before the next one is stored, as if days lay between them.

    Raises:
        MnemosceneError: the service refused a call.
        UnavailableError: the service does not answer.
    """
    for session in stored.data.sessions:
        for call in remember_inputs(stored.data, session, with_facts=facts is not FactSource.NONE):
            answer = (await client.ask(stored.tenant, REMEMBER, {"input": call})).data["remember"]
            names = [message["id"] for message in call["messages"]]
            stored.ids.update(zip(answer["messageIds"], names, strict=True))
            stored.facts_dropped.extend(answer["dropped"])
            on_messages(len(names))
        await wait_until_stored(client, stored.tenant)
        await client.ask(stored.tenant, CLOSE, {"user": stored.data.user_id, "session": session.id})
        if control is not None:
            await wait_until_idle(control, stored.tenant)


def remember_inputs(conversation: Conversation, session: Session, *, with_facts: bool) -> Iterator[dict[str, Any]]:
    """Yield the inputs of `remember` for a session; a fact goes with its first message."""
    for start in range(0, len(session.messages), MESSAGES_A_CALL):
        messages = session.messages[start : start + MESSAGES_A_CALL]
        places = {message.id: place for place, message in enumerate(messages)}
        facts = [
            fact
            for fact in conversation.facts
            if fact.session == session.id and fact.messages[0] in places and with_facts
        ]
        yield {
            "userId": conversation.user_id,
            "userName": conversation.user_name or None,
            "agentId": conversation.speakers[1] if len(conversation.speakers) > 1 else None,
            "sessionId": session.id,
            "messages": [
                {
                    "id": message.id,
                    "role": message.role.name,
                    "speaker": message.speaker or None,
                    "time": message.time.isoformat(),
                    "text": message.text,
                }
                for message in messages
            ],
            "facts": [_fact_input(fact, places) for fact in facts[: LIMITS.facts]],
        }


def _fact_input(fact: Fact, places: Mapping[str, int]) -> dict[str, Any]:
    fields = fact.model_dump(exclude={"session", "messages"}, exclude_none=True)
    for name in ("validAt", "invalidAt"):
        if isinstance(fields.get(name), str):
            fields[name] = as_utc(datetime.fromisoformat(fields[name])).isoformat()
    if isinstance(fields.get("kind"), str):
        fields["kind"] = fields["kind"].upper()
    return fields | {"messageIndexes": [places[one] for one in fact.messages if one in places]}


async def _ask_all(client: GraphqlClient, memories: Sequence[Stored], run: EvaluationRun, steps: Watcher) -> None:
    """Ask each memory its answerable and unanswerable questions and those of other conversations, each only once."""
    own = [(n, q) for n, memory in enumerate(memories) for q in memory.data.answerable]
    trials = abstention_trials(run.conversations)
    without = [
        Trial(conversation=n, question=q, foreign=True)
        for n, memory in enumerate(memories)
        for q in memory.data.questions
        if not q.gold_messages
    ]
    foreign = [(item.conversation, item.question) for item in [*trials, *without] if item.foreign]
    unique = list({_key(n, question): (n, question) for n, question in [*own, *foreign]}.values())
    answers: dict[tuple[int, str], RecallResult] = {}

    async def ask_one(pair: tuple[int, Question]) -> None:
        n, question = pair
        answers[_key(n, question)] = await _ask(client, memories[n], question)
        steps(Step(part="asking", doing="questions", done=len(answers), total=len(unique), unit="questions"))

    # Loads query plans and models; its latency is not measured.
    await _ask(client, memories[unique[0][0]], unique[0][1])
    await _for_each_concurrently(run.plan.concurrency, unique, ask_one)
    run.recalled = [answers[_key(n, question)] for n, question in own]
    run.orders[OURS] = {
        n: [answers[_key(n, question)].order for question in memory.data.answerable]
        for n, memory in enumerate(memories)
    }
    run.asked = [(trial, answers[_key(trial.conversation, trial.question)]) for trial in trials]
    run.unanswerable = [(trial, answers[_key(trial.conversation, trial.question)]) for trial in without]


async def _ask(client: GraphqlClient, stored: Stored, question: Question) -> RecallResult:
    response, took_ms = await _answered(client, stored, _RECALL, question)
    answer = response.data["recall"]
    hits: Sequence[dict[str, Any]] = answer["hits"]
    return RecallResult(
        order=tuple(stored.ids[hit["id"]] for hit in hits),
        refused=answer["nothingRelevant"],
        took_ms=took_ms,
        round_trips=response.round_trips,
        tokens=sum(token_count(hit["text"]) for hit in hits[:HITS_READ]),
    )


async def _ask_everyday(client: GraphqlClient, stored: Stored, question: Question) -> Answer:
    response, took_ms = await _answered(client, stored, _RECALL_AND_CONTEXT, question)
    recall = response.data["recall"]
    return Answer(
        memory=stored.data,
        question=question,
        hits=tuple(hit["text"] for hit in recall["hits"]),
        nothing_relevant=recall["nothingRelevant"],
        context=response.data["context"]["text"],
        took_ms=took_ms,
    )


async def _answered(
    client: GraphqlClient, stored: Stored, document: str, question: Question
) -> tuple[GraphqlAnswer, float]:
    """Return an answer and its latency in milliseconds; repeat the question while Neo4j does not answer.

    The first statements after a start are planned, and may run into their time limit, as on a busy machine. The
    answer from disk that the service then returns is not what is measured.
    """
    asked_at = question.asked_at or stored.data.asked_at
    variables = {"user": stored.data.user_id, "text": question.question, "at": asked_at.isoformat()}
    for _ in range(_ATTEMPTS):
        before = time.perf_counter()
        with contextlib.suppress(UnavailableError):
            answer = await client.ask(stored.tenant, document, variables)
            if not any(part["degraded"] for part in answer.data.values()):
                return answer, (time.perf_counter() - before) * 1000
        await asyncio.sleep(_PAUSE_S)
    raise UnavailableError(f"the database did not answer a question in {_ATTEMPTS} attempts; see the log")


def _key(place: int, question: Question) -> tuple[int, str]:
    return place, question.question


async def _run_baselines(embedder: Embedder | None, run: EvaluationRun, steps: Watcher) -> None:
    bm25: dict[int, list[Sequence[str]]] = {}
    dense: dict[int, list[Sequence[str]]] = {}
    total = len(run.conversations)
    for n, item in enumerate(run.conversations):
        questions = [question.question for question in item.answerable]
        found = await asyncio.to_thread(by_words, item.messages, questions, item.lang, limit=HITS_MAX)
        bm25[n] = list(found)
        if embedder is not None:
            dense[n] = list(await by_vectors(embedder, item.messages, questions, limit=HITS_MAX))
        steps(Step(part="yardsticks", doing="BM25 and vectors", done=n + 1, total=total, unit="conversations"))
    run.orders |= {BM25: bm25, **({DENSE: dense} if embedder is not None else {})}


async def _forget(control: ServiceControl, stored: Sequence[Stored], steps: Watcher) -> None:
    started = []
    for memory in stored:
        try:
            await control.forget(memory.tenant, memory.data.user_id)
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
        await cancel(*tasks)
