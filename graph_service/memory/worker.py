"""The background worker: claims work, does it, gives it back when it fails. At its own pace, never inside a request."""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from extraction.embedding import Embedder
from graph_service.graph.store import Graph
from graph_service.memory.digest import Readers, read_session
from graph_service.memory.embedding_job import embed_sessions
from graph_service.memory.outbox import LEASE_S, Claim, JobKind, claim, give_back, kinds_done_with, next_due, renew
from graph_service.memory.pace import Pace
from graph_service.memory.scenes import SceneRules
from schema.errors import ConflictError, InputError, MnemographError, UnavailableError

_log = logging.getLogger("mnemograph.worker")

# Sessions whose messages get vectors in one commit: single ones would pay ten round trips for one message each.
_EMBED_JOBS_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRules:
    """How the worker behaves.

    Attributes:
        parallel: pieces of work done at the same time.
        poll_s: how long an idle worker sleeps before it looks for work that other processes left.
    """

    parallel: int = 2
    poll_s: float = 1.0
    scenes: SceneRules = field(default_factory=SceneRules)


class Worker:
    """Does the work of all tenants, one piece for each session at a time.

    Args:
        embedder: None means keyword search only; vectors then stay undone until an embedder is there.
    """

    def __init__(
        self, *, graph: Graph, embedder: Embedder | None, readers: Readers, pace: Pace, rules: WorkerRules | None = None
    ) -> None:
        self._graph = graph
        self._embedder = embedder
        self._readers = readers
        self._pace = pace
        self._rules = rules or WorkerRules()
        self._kinds = kinds_done_with(embedder=embedder is not None)
        # One for each loop: an event that one loop clears must not be lost to the others.
        self._wakes: list[asyncio.Event] = []

    def wake(self) -> None:
        """Says that there may be work; call it after a commit that caused some."""
        for wake in self._wakes:
            wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set; finishes what it holds before it returns.

        Vectors have a loop of their own, so that slow readers never keep a message from being found by meaning.
        """
        async with asyncio.TaskGroup() as group:
            for _ in range(self._rules.parallel):
                group.create_task(self._loop(stop, JobKind.READ))
            if JobKind.EMBED in self._kinds:
                group.create_task(self._loop(stop, JobKind.EMBED))

    async def drain(self) -> None:
        """Works until nothing is left that is due now or was given back for a later try.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        while True:
            if await self.one():
                continue
            jobs, due_ms = await next_due(self._graph, self._kinds)
            if not jobs or due_ms is None:
                return
            await asyncio.sleep(min(max(due_ms - self._pace.now_ms(), 0) / 1000 + 0.01, self._rules.poll_s))

    async def one(self) -> bool:
        """Does a piece of work if any is due, reading first; False when there is none.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        for kind in (JobKind.READ, JobKind.EMBED):
            if kind in self._kinds and await self._one_of(kind):
                return True
        return False

    async def _one_of(self, kind: JobKind) -> bool:
        jobs_max = _EMBED_JOBS_MAX if kind is JobKind.EMBED else 1
        now_ms = self._pace.now_ms()
        claims = await claim(self._graph, kind, jobs_max=jobs_max, lease=self._pace.word(), now_ms=now_ms)
        if claims:
            self._pace.step(f"{kind} claimed")
        for together in _batches(claims):
            await self._guarded(together)
        return bool(claims)

    async def _guarded(self, held: Sequence[Claim]) -> None:
        """Does claimed work with the lease kept alive; whatever goes wrong, the work is given back."""
        try:
            async with asyncio.TaskGroup() as group:
                beat = group.create_task(self._keep(held))
                await self._do(held)
                beat.cancel()
        except* MnemographError as failed:
            await self._give_back(held, failed.exceptions[0])
        except* Exception as failed:
            _log.exception("work failed in a way nobody foresaw", extra={"tenant": held[0].tenant, "work": held[0].id})
            await self._give_back(held, failed.exceptions[0])

    async def _loop(self, stop: asyncio.Event, kind: JobKind) -> None:
        wake = asyncio.Event()
        self._wakes.append(wake)
        while not stop.is_set():
            wake.clear()
            try:
                busy = await self._one_of(kind)
            except MnemographError as error:
                _log.warning("no work could be claimed: %s", error)
                busy = False
            if not busy:
                await self._pause(stop, wake)

    async def _pause(self, stop: asyncio.Event, wake: asyncio.Event) -> None:
        waiting = [asyncio.create_task(wake.wait()), asyncio.create_task(stop.wait())]
        await asyncio.wait(waiting, timeout=self._rules.poll_s, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _do(self, held: Sequence[Claim]) -> None:
        match held[0].kind:
            case JobKind.EMBED:
                assert self._embedder is not None, "only workers with an embedder claim this kind"
                await embed_sessions(self._graph, self._embedder, held, self._pace)
            case JobKind.READ:
                await read_session(self._graph, self._readers, held[0], self._pace, self._rules.scenes)
                self.wake()

    async def _keep(self, held: Sequence[Claim]) -> None:
        """Prolongs the leases while the work goes on; if that fails, the commit notices by itself."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            with contextlib.suppress(UnavailableError):
                for one in held:
                    await renew(self._graph, one, now_ms=self._pace.now_ms())

    async def _give_back(self, held: Sequence[Claim], error: BaseException) -> None:
        lost = isinstance(error, ConflictError)
        why, now_ms = f"{type(error).__name__}: {error}", self._pace.now_ms()
        for one in held:
            extra = {"tenant": one.tenant, "work": one.id, "error": type(error).__name__}
            with contextlib.suppress(UnavailableError):
                state = await give_back(self._graph, one, error=why, now_ms=now_ms, park=isinstance(error, InputError))
                _log.log(logging.INFO if lost else logging.WARNING, "work given back: %s", state, extra=extra)


def _batches(claims: Sequence[Claim]) -> list[list[Claim]]:
    """What is done in one commit: claims of one tenant; work that failed before goes alone, so it fails alone."""
    together: dict[str, list[Claim]] = {}
    for one in claims:
        together.setdefault(one.tenant if one.attempts == 0 else one.id, []).append(one)
    return list(together.values())
