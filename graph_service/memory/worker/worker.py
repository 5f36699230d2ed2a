"""Background worker: claim jobs, run them, give them back when they fail. Never runs inside a request."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from extraction.embeddings.embedder import Embedder
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.pipeline import Readers, read_session
from graph_service.memory.consolidation.segmentation import SceneRules
from graph_service.memory.forgetting.user import forget_user
from graph_service.memory.jobs.embed_job import embed_sessions
from graph_service.memory.jobs.external_services import ExternalService, ExternalServices
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.keyed_lock import KeyedLock
from graph_service.memory.jobs.outbox import JobClaim, JobKind, kinds_done_with, next_due, park_malformed, reopen_outage
from graph_service.memory.jobs.run_now import run_session_jobs
from graph_service.memory.sessions.lifecycle import close_idle
from graph_service.memory.worker.close_session import SessionWork, close_session
from graph_service.memory.worker.leases import Leases
from graph_service.memory.worker.reread_sessions import read_anew
from graph_service.observability.metrics import Loop
from graph_service.supervision import PROCESS_ENDS, Supervisor
from schema.errors import MnemographError, UnavailableError
from schema.ids import TenantId

_log = logging.getLogger("mnemograph.worker")

# Sessions whose messages get vectors in one commit: single ones would pay ten round trips for one message each.
_EMBED_JOBS_MAX = 32
# Dead letters of an outage that are reopened at once.
_REOPENED_MAX = 10_000
_IDLE_LOOK_S = 30.0
# Nobody can claim what lacks its kind, so no claim meets it.
_MALFORMED_LOOK_S = 600.0
# Work that nobody waits for at once, and how long it may lie there.
_SELDOM = frozenset({JobKind.CLOSE, JobKind.ANEW, JobKind.FORGET})
_SELDOM_S = 0.5
_LOOPS: Final = {
    JobKind.READ: Loop.WORKER_READ,
    JobKind.EMBED: Loop.WORKER_EMBED,
    JobKind.CLOSE: Loop.WORKER_CLOSE,
    JobKind.ANEW: Loop.WORKER_ANEW,
    JobKind.FORGET: Loop.WORKER_FORGET,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRules:
    """How the worker behaves.

    Attributes:
        parallel: sessions of one tenant read at the same time.
        poll_s: how long an idle worker sleeps before it looks for work that other processes left.
        idle_s: a session without a message for so long is closed; None: never.
    """

    parallel: int = 2
    poll_s: float = 1.0
    scenes: SceneRules = field(default_factory=SceneRules)
    idle_s: float | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class _Loop:
    """A loop that does one kind of work.

    Attributes:
        wake: set when there may be work; of each loop its own, so that none clears it for the others.
        spare: it is there for other tenants while the loops before it are busy with one; else it does not even look.
        waits: it has nothing to do.
    """

    kind: JobKind
    spare: bool = False
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    waits: bool = False


class Worker:
    """Does the work of all tenants, one piece for each session at a time.

    Args:
        external_services: used by `embedder` and `readers`; jobs that need an unavailable one are not claimed.
        embedder: None means keyword search only; vectors then stay undone until an embedder is there.
        supervisor: keeps each of the worker's loops running.
    """

    def __init__(
        self,
        *,
        graph: Graph,
        embedder: Embedder | None,
        readers: Readers,
        job_context: JobContext,
        rules: WorkerRules | None = None,
        external_services: ExternalServices | None = None,
        supervisor: Supervisor | None = None,
    ) -> None:
        self._graph = graph
        self._embedder = embedder
        self._readers = readers
        self._job_context = job_context
        self._rules = rules or WorkerRules()
        self._kinds = kinds_done_with(embedder=embedder is not None)
        self._external_services = external_services or ExternalServices()
        self._supervisor = supervisor or Supervisor()
        self._leases = Leases(graph, job_context, self._external_services)
        self._loops: list[_Loop] = []
        self._turns = KeyedLock()
        self._claiming = {kind: asyncio.Lock() for kind in JobKind}
        # How many loops work for a tenant now.
        self._busy: dict[JobKind, Counter[TenantId]] = {kind: Counter() for kind in JobKind}
        self._stuck = False

    def wake(self) -> None:
        """Say that there may be work; call it after a commit that caused some."""
        for kind in self._kinds:
            self._wake_one(kind)

    def _wake_one(self, kind: JobKind) -> None:
        """Wake one loop that waits for this kind of work; it wakes the next when it found some."""
        loops = [loop for loop in self._loops if loop.kind is kind]
        for loop in [loop for loop in loops if loop.waits and not loop.wake.is_set()][:1] or loops:
            loop.wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; finish what is held before returning.

        Vectors have a loop of their own, so that slow readers never keep a message from being found by meaning. Each
        kind of work has one loop more than one tenant may occupy, so that nobody's work waits for that of one other.
        Each loop is supervised by itself: no error of one ends it or any other.
        """
        loops = [
            self._supervisor.keep(
                _LOOPS[kind], partial(self._loop, stop, kind, spare=number == self._share(kind)), stop
            )
            for kind in JobKind
            if kind in self._kinds
            for number in range(self._share(kind) + 1)
        ]
        loops.append(self._supervisor.keep(Loop.WORKER_MALFORMED, lambda: self._park_malformed(stop), stop))
        if (idle_s := self._rules.idle_s) is not None:
            loops.append(self._supervisor.keep(Loop.WORKER_IDLE, lambda: self._close_idle(stop, idle_s), stop))
        async with asyncio.TaskGroup() as group:
            for loop in loops:
                group.create_task(loop)

    async def _park_malformed(self, stop: asyncio.Event) -> None:
        """Make dead letters of work that nobody can claim, at the start and then now and then."""
        pause_s = _MALFORMED_LOOK_S
        while not stop.is_set():
            try:
                await park_malformed(self._graph, now_ms=self._job_context.now_ms())
                pause_s = _MALFORMED_LOOK_S
            except UnavailableError:
                pause_s = _IDLE_LOOK_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await stop.wait()

    async def drain(self) -> None:
        """Work until nothing is left that is due now or was given back for a later try, or what it needs is away.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        await park_malformed(self._graph, now_ms=self._job_context.now_ms())
        while True:
            if await self.one():
                continue
            kinds = tuple(kind for kind in self._kinds if not self._outside(kind).is_open)
            jobs, due_ms = await next_due(self._graph, kinds)
            if not jobs or due_ms is None:
                return
            await asyncio.sleep(min(max(due_ms - self._job_context.now_ms(), 0) / 1000 + 0.01, self._rules.poll_s))

    async def one(self) -> bool:
        """Do a piece of work if any is due, reading first; False when there is none.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        for kind in (JobKind.FORGET, JobKind.ANEW, JobKind.READ, JobKind.EMBED, JobKind.CLOSE):
            if kind in self._kinds and await self._one_of(kind):
                return True
        return False

    async def _one_of(self, kind: JobKind, on_claimed: Callable[[JobKind], None] = lambda _kind: None) -> bool:
        await self._leases.pay_owed()
        outside = self._outside(kind)
        if outside.is_open:
            return False
        busy = self._busy[kind]
        async with self._claiming[kind]:
            but_not = [tenant for tenant, loops in busy.items() if loops >= self._share(kind)]
            jobs_max = _EMBED_JOBS_MAX if kind is JobKind.EMBED else 1
            claims = await self._leases.take(kind, jobs_max=jobs_max, but_not=but_not)
            tenants = {claim.tenant for claim in claims}
            busy.update(tenants)
        if not claims:
            return await self._reopen_outage(outside)
        try:
            on_claimed(kind)
            self._job_context.step(f"{kind} claimed")
            for together in _batches(claims):
                await self._guarded(together)
        except asyncio.CancelledError:
            # Whoever works next need not wait for the lease to end.
            await self._leases.release(claims)
            raise
        finally:
            for tenant in tenants:
                busy[tenant] -= 1
                if not busy[tenant]:
                    del busy[tenant]
        return True

    def _share(self, kind: JobKind) -> int:
        """Return how many loops may work for one tenant at the same time."""
        return self._rules.parallel if kind is JobKind.READ else 1

    def _outside(self, kind: JobKind) -> ExternalService:
        return self._external_services.embedder if kind is JobKind.EMBED else self._external_services.model

    async def _reopen_outage(self, outside: ExternalService) -> bool:
        """Have work done that was parked while something outside was away; True when there was some."""
        jobs_max = outside.to_reopen(_REOPENED_MAX)
        if not jobs_max:
            return False
        now_ms = self._job_context.now_ms()
        return await reopen_outage(self._graph, outside.name, jobs_max=jobs_max, now_ms=now_ms) > 0

    async def _guarded(self, held: Sequence[JobClaim]) -> None:
        """Do claimed work with the lease kept alive; whatever goes wrong, the work is given back."""
        try:
            await self._leases.kept(held, self._do(held))
        except MnemographError as error:
            await self._leases.give_back(held, error)
        except (asyncio.CancelledError, *PROCESS_ENDS):
            raise
        # Not only Exception: libraries written in Rust raise their panics past it.
        except BaseException as error:
            extra = {"tenant": held[0].tenant, "work": held[0].id, "code": MnemographError.code}
            _log.error("work failed in a way nobody foresaw", exc_info=error, extra=extra)
            await self._leases.give_back(held, error)

    async def _loop(self, stop: asyncio.Event, kind: JobKind, *, spare: bool = False) -> None:
        loop = _Loop(kind=kind, spare=spare)
        self._loops.append(loop)
        try:
            await self._rounds(stop, loop)
        finally:
            # A loop that is started again has another one: nobody wakes this one any more.
            self._loops.remove(loop)

    async def _rounds(self, stop: asyncio.Event, loop: "_Loop") -> None:
        while not stop.is_set():
            loop.wake.clear()
            try:
                busy = await self._one_of(loop.kind, on_claimed=self._wake_one)
                self._stuck = False
            except UnavailableError as error:
                # Each loop meets the same outage each second.
                _log.log(logging.DEBUG if self._stuck else logging.WARNING, "no work can be claimed: %s", error)
                self._stuck, busy = True, False
            if not busy:
                await self._pause(stop, loop)

    async def _close_idle(self, stop: asyncio.Event, idle_s: float) -> None:
        """End sessions that nobody speaks in any more."""
        while not stop.is_set():
            with contextlib.suppress(UnavailableError):
                if await close_idle(self._graph, idle_s=idle_s, now=self._job_context.clock()):
                    self.wake()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(idle_s / 2, _IDLE_LOOK_S)):
                    await stop.wait()

    async def _pause(self, stop: asyncio.Event, loop: "_Loop") -> None:
        if loop.kind in _SELDOM:
            # Every message wakes the worker; what is seldom needs no look for each.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_SELDOM_S):
                    await stop.wait()
        loop.waits = True
        waiting = [asyncio.create_task(loop.wake.wait()), asyncio.create_task(stop.wait())]
        poll_s = None if loop.spare and not self._busy[loop.kind] else self._rules.poll_s
        await asyncio.wait(waiting, timeout=poll_s, return_when=asyncio.FIRST_COMPLETED)
        loop.waits = False
        for task in waiting:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _do(self, held: Sequence[JobClaim]) -> None:
        match held[0].kind:
            case JobKind.EMBED:
                assert self._embedder is not None, "only workers with an embedder claim this kind"
                await embed_sessions(self._graph, self._embedder, held, self._job_context)
            case JobKind.READ:
                await self._read(held[0], final=False)
                self.wake()
            case JobKind.CLOSE:
                work = SessionWork(embed=None if self._embedder is None else self._embed_one, read_all=self._read_all)
                await close_session(self._graph, work, held[0], self._job_context)
            case JobKind.FORGET:
                await forget_user(self._graph, held[0], self._job_context)
            case JobKind.ANEW:
                await read_anew(self._graph, self._read_until, held[0], self._job_context)
                self.wake()

    async def _read(self, held: JobClaim, *, final: bool, until_ms: int | None = None, whole: bool = False) -> bool:
        return await read_session(
            self._graph,
            self._readers,
            held,
            self._job_context,
            self._rules.scenes,
            self._turns,
            embedder=self._embedder,
            final=final,
            until_ms=until_ms,
            whole=whole,
        )

    async def _read_until(self, held: JobClaim, until_ms: int | None) -> bool:
        return await self._leases.kept([held], self._read(held, final=True, until_ms=until_ms))

    async def whole_texts(self, tenant: TenantId, session: str) -> None:
        """Bring the layer texts of all scenes of a session (node id) up to date at once.

        Raises:
            UnavailableError: Neo4j is away, or a model that must read first.
        """

        async def read(held: JobClaim) -> bool:
            return await self._leases.kept([held], self._read(held, final=False, whole=True))

        await run_session_jobs(self._graph, read, tenant, session, JobKind.READ, self._job_context, even_if_done=True)
        self.wake()

    async def _read_all(self, held: JobClaim) -> bool:
        return await self._leases.kept([held], self._read(held, final=True))

    async def _embed_one(self, held: JobClaim) -> bool:
        assert self._embedder is not None, "only asked for with an embedder"
        return await self._leases.kept([held], embed_sessions(self._graph, self._embedder, [held], self._job_context))


def _batches(claims: Sequence[JobClaim]) -> list[list[JobClaim]]:
    """Return what is done in one commit: claims of one tenant; work that failed before goes alone, so it fails
    alone.
    """
    together: dict[str, list[JobClaim]] = {}
    for one in claims:
        together.setdefault(one.tenant if one.attempts == 0 else one.id, []).append(one)
    return list(together.values())
