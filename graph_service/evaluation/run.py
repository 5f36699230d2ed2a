"""Evaluate data sets: store each conversation or everyday memory in its own tenant, and ask its questions."""

import asyncio
import contextlib
import random
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter
from pydantic.alias_generators import to_snake

from extraction.embeddings.embedder import Embedder
from extraction.extractive_summary import token_count
from extraction.text.secrets import ALL_KINDS, SecretKind, without_secrets
from graph_service.evaluation.baselines import by_vectors, by_words
from graph_service.evaluation.dataset import Conversation, Fact, FactSource, Question, Session
from graph_service.evaluation.everyday_memories import CONTEXT_TOKENS, Answer
from graph_service.graph.round_trips import counted
from graph_service.importers.import_batch import Conversation as Imported
from graph_service.memory.context_builder.builder import Context, ContextRequest
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.pipeline import Answer as RecallAnswer
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.query import Question as Recall
from graph_service.memory.service import Memory
from graph_service.observability.progress import Step, Watcher
from graph_service.supervision import cancel
from schema.errors import NotFoundError, UnavailableError
from schema.ids import TenantId
from schema.message import ProvidedFact

QUESTIONS_MAX: Final = 200
_SEED: Final = 20_240_402


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A question asked of a conversation.

    Attributes:
        conversation: index in the list of conversations.
        foreign: the question belongs to another conversation, so this one has no answer.
    """

    conversation: int
    question: Question
    foreign: bool


def abstention_trials(
    conversations: Sequence[Conversation], *, trials_max: int = QUESTIONS_MAX, seed: int = _SEED
) -> list[Trial]:
    """Sample equally many answerable and foreign questions from each data set, at most `trials_max` of each.

    Foreign questions come from other conversations of the data set; if it has only one, from other data sets in the
    same language.
    """
    rng = random.Random(seed)
    trials: list[Trial] = []
    for dataset in sorted({conversation.dataset for conversation in conversations}):
        own = {n: one for n, one in enumerate(conversations) if one.dataset == dataset}
        answerable = [(n, question) for n, one in own.items() for question in one.answerable]
        foreign = []
        for n, conversation in own.items():
            others = [one for one in own.values() if one is not conversation] or [
                one for one in conversations if one.dataset != dataset and one.lang == conversation.lang
            ]
            known = {question.question for question in conversation.questions}
            foreign += [(n, q) for one in others for q in one.answerable if q.question not in known]
        count = min(trials_max, len(answerable), len(foreign))
        trials += [Trial(conversation=n, question=q, foreign=False) for n, q in rng.sample(answerable, count)]
        trials += [Trial(conversation=n, question=q, foreign=True) for n, q in rng.sample(foreign, count)]
    return trials


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
_POLL_S: Final = 0.2
# Extraction from a hundred scenes by rules takes seconds, minutes on a loaded machine; a worker without progress for
# this long is stuck.
_NO_PROGRESS_MAX_S: Final = 900.0
_FACT: Final[TypeAdapter[ProvidedFact]] = TypeAdapter(ProvidedFact)
# Returns the number of pending extraction and embedding jobs of a tenant.
WorkLeft = Callable[[TenantId], Awaitable[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Options of an evaluation.

    Attributes:
        forget: delete the tenants afterwards; unnecessary for a temporary database.
        hidden: the kinds of secrets that the service hides in what it shows.
    """

    facts: FactSource = FactSource.NONE
    captions: bool = True
    concurrency: int = 1
    forget: bool = True
    hidden: frozenset[SecretKind] = ALL_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A conversation in its own tenant.

    Attributes:
        ids: ids in the file by message ids of the service.
    """

    tenant: TenantId
    data: Conversation
    ids: dict[str, str] = field(default_factory=dict)
    facts_dropped: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The answer to one question.

    Attributes:
        order: ids of the messages, best first.
        refused: the service reported `nothingRelevant`.
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
    service: Memory,
    work_left: WorkLeft,
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
    async with _indexed(service, work_left, conversations, plan, run.seconds, steps) as stored:
        with _timed(run.seconds, "asking"):
            await _ask_all(service, stored, run, steps)
        with _timed(run.seconds, "yardsticks"):
            await _run_baselines(embedder, run, steps)
    run.facts_dropped = sum(len(one.facts_dropped) for one in stored)
    return run


async def evaluate_everyday(
    service: Memory, work_left: WorkLeft, memories: Sequence[Conversation], plan: Plan, steps: Watcher
) -> EverydayRun:
    """Run the evaluation of everyday memories, one after the other; see `evaluate`."""
    run, total = EverydayRun(facts=plan.facts), sum(len(memory.questions) for memory in memories)
    async with _indexed(service, work_left, memories, plan, run.seconds, steps) as stored:
        with _timed(run.seconds, "asking"):
            for one in stored:
                for question in one.data.questions:
                    run.answers.append(await _ask_everyday(service, one, question, plan))
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
    service: Memory,
    work_left: WorkLeft,
    data: Sequence[Conversation],
    plan: Plan,
    seconds: dict[str, float],
    steps: Watcher,
) -> AsyncIterator[list[Stored]]:
    """Yield the stored and processed data, and delete them at the end."""
    run_id = secrets.token_hex(4)
    stored = [Stored(tenant=TenantId(f"eval-{run_id}-{n}"), data=one) for n, one in enumerate(data)]
    try:
        with _timed(seconds, "indexing"):
            await _index(service, work_left, stored, plan, steps)
        yield stored
    finally:
        if plan.forget:
            with _timed(seconds, "forgetting"):
                await _forget(service, work_left, stored, steps)


async def _index(service: Memory, work_left: WorkLeft, stored: Sequence[Stored], plan: Plan, steps: Watcher) -> None:
    everyday = any(not one.data.dataset for one in stored)
    total = sum(len(one.data.messages) for one in stored)
    stored_n = 0

    def on_messages(count: int) -> None:
        nonlocal stored_n
        stored_n += count
        steps(Step(part="storing", doing="messages", done=stored_n, total=total, unit="messages"))

    async def store_one(one: Stored) -> None:
        await store(service, one, plan.facts, on_messages=on_messages, work_left=work_left if everyday else None)

    await _for_each_concurrently(1 if everyday else _STORING_AT_ONCE, stored, store_one)
    done = 0
    for one in stored:
        await _wait_until_idle(work_left, one.tenant)
        done += len(one.data.messages)
        steps(Step(part="reading", doing="scenes, facts and vectors", done=done, total=total, unit="messages"))


async def store(
    service: Memory,
    stored: Stored,
    facts: FactSource,
    *,
    on_messages: Callable[[int], None],
    work_left: WorkLeft | None = None,
) -> None:
    """Store all sessions in order, as an agent would, and close each.

    Args:
        on_messages: called with the number of messages stored by each call.
        work_left: waits until a session is processed before the next one is stored, as if days lay between them.

    Raises:
        MnemosceneError: the service refused a call.
        UnavailableError: the service does not answer.
    """
    for session in stored.data.sessions:
        for call in remember_calls(stored.data, session, with_facts=facts is not FactSource.NONE):
            receipt = await service.remember(stored.tenant, call)
            names = [message.id or "" for message in call.messages]
            stored.ids.update(zip(receipt.message_ids, names, strict=True))
            stored.facts_dropped.extend(receipt.dropped)
            on_messages(len(names))
        await wait_until_stored(service, stored.tenant)
        await service.sessions.close(stored.tenant, stored.data.user_id, session.id)
        if work_left is not None:
            await _wait_until_idle(work_left, stored.tenant)


async def wait_until_stored(service: Memory, tenant: TenantId) -> None:
    """Return when no message of the tenant waits on disk.

    On a busy machine a commit may exceed its time limit; the messages then wait in the spool, and their session does
    not exist yet.

    Raises:
        UnavailableError: no episode was stored for `_NO_PROGRESS_MAX_S`.
    """

    async def spooled() -> int:
        return (await service.spool.depth(tenant)).waiting

    await _wait_until_none(spooled, "episodes wait on disk; see `mnemoscene spool`")


async def _wait_until_idle(work_left: WorkLeft, tenant: TenantId) -> None:
    await _wait_until_none(lambda: work_left(tenant), "jobs wait and none is done; see `mnemoscene jobs`")


async def _wait_until_none(count: Callable[[], Awaitable[int]], problem: str) -> None:
    last, since_s = -1, time.monotonic()
    while left := await count():
        if left != last:
            last, since_s = left, time.monotonic()
        elif time.monotonic() - since_s > _NO_PROGRESS_MAX_S:
            raise UnavailableError(f"{left} {problem} and the log")
        await asyncio.sleep(_POLL_S)


def remember_calls(conversation: Conversation, session: Session, *, with_facts: bool) -> Iterator[RememberRequest]:
    """Yield the calls of `remember` for a session; a fact goes with its first message."""
    places = {message.id: place for place, message in enumerate(session.messages)}
    facts = [fact for fact in conversation.facts if fact.session == session.id and with_facts]
    imported = Imported(
        user_id=conversation.user_id,
        session_id=session.id,
        user_name=conversation.user_name or None,
        agent_id=conversation.speakers[1] if len(conversation.speakers) > 1 else None,
        messages=[
            IncomingMessage(role=one.role, text=one.text, time=one.time, speaker=one.speaker or None, id=one.id)
            for one in session.messages
        ],
        facts=[_provided(fact, places) for fact in facts if fact.messages[0] in places],
    )
    return imported.calls()


def _provided(fact: Fact, places: Mapping[str, int]) -> ProvidedFact:
    given = fact.model_dump(exclude={"session", "messages"}, exclude_none=True)
    fields = {to_snake(name): value for name, value in given.items()}
    if isinstance(fields.get("kind"), str):
        fields["kind"] = fields["kind"].lower()
    indexes = [places[one] for one in fact.messages if one in places]
    return _FACT.validate_python(fields | {"message_indexes": indexes})


async def _ask_all(service: Memory, memories: Sequence[Stored], run: EvaluationRun, steps: Watcher) -> None:
    """Ask each memory its answerable and unanswerable questions and those of other conversations, each only once."""
    own = [(n, question) for n, memory in enumerate(memories) for question in memory.data.answerable]
    trials = abstention_trials(run.conversations)
    without = [
        Trial(conversation=n, question=question, foreign=True)
        for n, memory in enumerate(memories)
        for question in memory.data.questions
        if not question.gold_messages
    ]
    foreign = [(trial.conversation, trial.question) for trial in [*trials, *without] if trial.foreign]
    unique = list({(n, question.question): (n, question) for n, question in [*own, *foreign]}.values())
    answers: dict[tuple[int, str], RecallResult] = {}

    async def ask_one(pair: tuple[int, Question]) -> None:
        n, question = pair
        answers[n, question.question] = await _ask(service, memories[n], question, run.plan)
        steps(Step(part="asking", doing="questions", done=len(answers), total=len(unique), unit="questions"))

    # Loads query plans and models; its latency is not measured.
    await _ask(service, memories[unique[0][0]], unique[0][1], run.plan)
    await _for_each_concurrently(run.plan.concurrency, unique, ask_one)
    run.orders[OURS] = {n: [] for n in range(len(memories))}
    for n, question in own:
        run.recalled.append(answers[n, question.question])
        run.orders[OURS][n].append(run.recalled[-1].order)
    run.asked = [(trial, answers[trial.conversation, trial.question.question]) for trial in trials]
    run.unanswerable = [(trial, answers[trial.conversation, trial.question.question]) for trial in without]


async def _ask(service: Memory, stored: Stored, question: Question, plan: Plan) -> RecallResult:
    asked = _asked(stored, question, limit=HITS_MAX, kinds=(HitKind.MESSAGE,))

    async def ask() -> tuple[RecallAnswer, int]:
        with counted() as trips:
            return await service.recall(stored.tenant, asked), trips.sent

    (answer, round_trips), took_ms = await _answered(ask, lambda found: found[0].degraded)
    return RecallResult(
        order=tuple(stored.ids[hit.candidate.id] for hit in answer.hits),
        refused=answer.nothing_relevant,
        took_ms=took_ms,
        round_trips=round_trips,
        tokens=sum(token_count(without_secrets(hit.candidate.text, plan.hidden)) for hit in answer.hits[:HITS_READ]),
    )


async def _ask_everyday(service: Memory, stored: Stored, question: Question, plan: Plan) -> Answer:
    asked = _asked(stored, question, limit=HITS_READ)
    request = ContextRequest(user_id=asked.user_id, query=asked.text, tokens_max=CONTEXT_TOKENS)

    async def ask() -> tuple[RecallAnswer, Context]:
        found, built = service.recall(stored.tenant, asked), service.context(stored.tenant, request)
        recall, context = await asyncio.gather(found, built)
        return recall, context

    (recall, context), took_ms = await _answered(ask, lambda found: found[0].degraded or found[1].degraded)
    return Answer(
        memory=stored.data,
        question=question,
        hits=tuple(without_secrets(hit.candidate.text, plan.hidden) for hit in recall.hits),
        nothing_relevant=recall.nothing_relevant,
        context=without_secrets(context.text, plan.hidden),
        took_ms=took_ms,
    )


def _asked(stored: Stored, question: Question, **more: Any) -> Recall:
    asked_at = question.asked_at or stored.data.asked_at
    return Recall(user_id=stored.data.user_id, text=question.question, asked_at=asked_at, **more)


async def _answered(ask: Callable[[], Awaitable[T]], is_degraded: Callable[[T], bool]) -> tuple[T, float]:
    """Return an answer and its latency in milliseconds; repeat the question while Neo4j does not answer.

    The first statements after a start are planned, and may run into their time limit, as on a busy machine. The
    answer from disk that the memory then returns is not what is measured.
    """
    for _ in range(_ATTEMPTS):
        before = time.perf_counter()
        with contextlib.suppress(UnavailableError):
            answer = await ask()
            if not is_degraded(answer):
                return answer, (time.perf_counter() - before) * 1000
        await asyncio.sleep(_PAUSE_S)
    raise UnavailableError(f"the database did not answer a question in {_ATTEMPTS} attempts; see the log")


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


async def _forget(service: Memory, work_left: WorkLeft, stored: Sequence[Stored], steps: Watcher) -> None:
    started = []
    for memory in stored:
        try:
            await service.forgetting.user(memory.tenant, memory.data.user_id)
        except NotFoundError:
            continue  # The evaluation ended before anything was stored.
        started.append(memory)
    for done, memory in enumerate(started, start=1):
        await _wait_until_idle(work_left, memory.tenant)
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
