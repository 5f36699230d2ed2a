"""One evaluation: stores every conversation in a memory of its own, asks its questions, and keeps what came back."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from extraction.embeddings.embedder import Embedder
from graph_service.evaluation.abstention import Asking, askings
from graph_service.evaluation.baselines import by_vectors, by_words
from graph_service.evaluation.dataset import AskedQuestion, Conversation, FactsBrought
from graph_service.evaluation.graphql_client import Door
from graph_service.evaluation.ingest import Stored, store
from graph_service.evaluation.questions import HITS_MAX, Recalled, ask, recall_wording
from graph_service.runtime.progress import Step, Watcher
from schema.errors import NotFoundError, UnavailableError

T = TypeVar("T")

OURS: Final = "mnemograph"
BM25: Final = "bm25"
DENSE: Final = "dense"
_STORING_AT_ONCE: Final = 4
_LOOK_AGAIN_S: Final = 0.5
# Reading a hundred scenes by rules takes seconds; a worker that does nothing for so long is stuck.
_STILL_MAX_S: Final = 300.0
_FIRST_TRIES: Final = 3


class Place(Protocol):
    """What an evaluation needs of the service beside its door."""

    async def work_left(self, tenant: str) -> int:
        """Return how much is still to be read or embedded."""
        ...

    async def forget(self, tenant: str, user_id: str) -> None:
        """Forget a user, durably from the first moment on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be measured.

    Attributes:
        captions: whether turns tell what their pictures show.
        concurrency: questions that are asked at the same time.
        forget: whether memories must be emptied at the end, because the database stays.
    """

    facts: FactsBrought = FactsBrought.NONE
    captions: bool = True
    concurrency: int = 1
    forget: bool = True


@dataclass(kw_only=True)
class Figures:
    """What came back, ready to be counted.

    Attributes:
        orders: by system and conversation's place, one order for each answerable question.
        recalled: of our own answers to those questions.
        asked: questions that may have no answer in the memory, and what came back.
        unanswerable: the data sets' own questions without an answer, likewise.
    """

    conversations: Sequence[Conversation]
    plan: Plan
    orders: dict[str, dict[int, list[Sequence[str]]]] = field(default_factory=dict)
    recalled: list[Recalled] = field(default_factory=list)
    asked: list[tuple[Asking, Recalled]] = field(default_factory=list)
    unanswerable: list[tuple[Asking, Recalled]] = field(default_factory=list)
    facts_dropped: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def messages_n(self) -> int:
        return sum(len(conversation.turns) for conversation in self.conversations)


async def evaluate(
    door: Door,
    place: Place,
    embedder: Embedder | None,
    conversations: Sequence[Conversation],
    plan: Plan,
    steps: Watcher,
) -> Figures:
    """Return everything that was measured; the memories are forgotten again, whatever happens.

    Args:
        embedder: of the dense yardstick, which is left out without one.

    Raises:
        UnavailableError: the service does not answer, or stands still.
        MnemographError: it refused something.
    """
    run = secrets.token_hex(4)
    memories = [Stored(tenant=f"eval-{run}-{n}", conversation=one) for n, one in enumerate(conversations)]
    figures = Figures(conversations=conversations, plan=plan)
    try:
        await _timed(figures, "indexing", _index(door, place, memories, plan, steps))
        await _timed(figures, "asking", _ask_all(door, memories, figures, steps))
        await _timed(figures, "yardsticks", _yardsticks(embedder, figures, steps))
    finally:
        if plan.forget:
            await _timed(figures, "forgetting", _forget(place, memories, steps))
    figures.facts_dropped = sum(len(memory.facts_dropped) for memory in memories)
    return figures


async def _timed(figures: Figures, phase: str, work: Awaitable[None]) -> None:
    before = time.perf_counter()
    await work
    figures.seconds[phase] = round(time.perf_counter() - before, 1)


async def _index(door: Door, place: Place, memories: Sequence[Stored], plan: Plan, steps: Watcher) -> None:
    total = sum(len(memory.conversation.turns) for memory in memories)
    stored_n = 0

    def on_messages(count: int) -> None:
        nonlocal stored_n
        stored_n += count
        steps(Step(part="storing", doing="messages", done=stored_n, total=total, unit="messages"))

    async def one(memory: Stored) -> None:
        await store(door, memory, plan.facts, on_messages=on_messages)

    await _at_once(_STORING_AT_ONCE, memories, one)
    done = 0
    for memory in memories:
        await _read(place, memory)
        done += len(memory.conversation.turns)
        steps(Step(part="reading", doing="scenes, facts and vectors", done=done, total=total, unit="messages"))


async def _read(place: Place, memory: Stored) -> None:
    """Return when nothing of a memory waits."""
    last, since_s = -1, time.monotonic()
    while left := await place.work_left(memory.tenant):
        if left != last:
            last, since_s = left, time.monotonic()
        elif time.monotonic() - since_s > _STILL_MAX_S:
            raise UnavailableError(f"{left} pieces of work wait and none is done; see `mnemograph jobs` and the log")
        await asyncio.sleep(_LOOK_AGAIN_S)


async def _ask_all(door: Door, memories: Sequence[Stored], figures: Figures, steps: Watcher) -> None:
    """Each question once: the answerable ones, those of others, and those that are known to have no answer."""
    own = [(n, q) for n, memory in enumerate(memories) for q in memory.conversation.answerable]
    chosen = askings(figures.conversations)
    without = [
        Asking(conversation=n, question=q, foreign=True)
        for n, memory in enumerate(memories)
        for q in memory.conversation.questions
        if not q.gold
    ]
    strange = [(one.conversation, one.question) for one in [*chosen, *without] if one.foreign]
    wanted = list({_name(n, question): (n, question) for n, question in [*own, *strange]}.values())
    answers: dict[tuple[int, str], Recalled] = {}

    async def one(pair: tuple[int, AskedQuestion]) -> None:
        n, question = pair
        answers[_name(n, question)] = await ask(door, memories[n], question, wording)
        steps(Step(part="asking", doing="questions", done=len(answers), total=len(wanted), unit="questions"))

    wording = await recall_wording(door, memories[0].tenant)
    await _warm_up(door, memories[wanted[0][0]], wanted[0][1], wording)
    await _at_once(figures.plan.concurrency, wanted, one)
    figures.recalled = [answers[_name(n, question)] for n, question in own]
    figures.orders[OURS] = {
        n: [answers[_name(n, question)].order for question in memory.conversation.answerable]
        for n, memory in enumerate(memories)
    }
    figures.asked = [(asking, answers[_name(asking.conversation, asking.question)]) for asking in chosen]
    figures.unanswerable = [(asking, answers[_name(asking.conversation, asking.question)]) for asking in without]


async def _warm_up(door: Door, memory: Stored, question: AskedQuestion, wording: str) -> None:
    """The first question is planned and loaded for: that is the start's cost, not a recall's, and may take long."""
    for _ in range(_FIRST_TRIES - 1):
        try:
            await ask(door, memory, question, wording)
        except UnavailableError:
            continue
        return
    await ask(door, memory, question, wording)


def _name(place: int, question: AskedQuestion) -> tuple[int, str]:
    return place, question.text


async def _yardsticks(embedder: Embedder | None, figures: Figures, steps: Watcher) -> None:
    words: dict[int, list[Sequence[str]]] = {}
    near: dict[int, list[Sequence[str]]] = {}
    total = len(figures.conversations)
    for n, one in enumerate(figures.conversations):
        questions = [question.text for question in one.answerable]
        found = await asyncio.to_thread(by_words, one.turns, questions, one.lang, limit=HITS_MAX)
        words[n] = list(found)
        if embedder is not None:
            near[n] = list(await by_vectors(embedder, one.turns, questions, limit=HITS_MAX))
        steps(Step(part="yardsticks", doing="BM25 and vectors", done=n + 1, total=total, unit="conversations"))
    figures.orders |= {BM25: words, **({DENSE: near} if embedder is not None else {})}


async def _forget(place: Place, memories: Sequence[Stored], steps: Watcher) -> None:
    begun = []
    for memory in memories:
        try:
            await place.forget(memory.tenant, memory.conversation.user)
        except NotFoundError:
            continue  # Nothing of it had been stored when the evaluation ended.
        begun.append(memory)
    for done, memory in enumerate(begun, start=1):
        await _read(place, memory)
        steps(Step(part="forgetting", doing="memories", done=done, total=len(begun), unit="memories"))


async def _at_once(most: int, things: Sequence[T], work: Callable[[T], Awaitable[None]]) -> None:
    """Do the work for all things, at most so many at the same time; the first error ends all."""
    turns = iter(things)

    async def lane() -> None:
        for thing in turns:
            await work(thing)

    lanes = [asyncio.create_task(lane()) for _ in range(min(most, len(things)))]
    try:
        await asyncio.gather(*lanes)
    finally:
        for task in lanes:
            task.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
