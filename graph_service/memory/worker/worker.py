"""Background worker: claim jobs, run them, and release those that fail. Never runs inside a request."""

import asyncio
import contextlib
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from extraction.embeddings.embedder import Embedder
from extraction.llm.answer_writer import Source, WrittenAnswer
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.pipeline import Consolidation, ReadScope
from graph_service.memory.consolidation.readers import DEFERRED, Readers, reopen_deferred
from graph_service.memory.forgetting.user import forget_user
from graph_service.memory.jobs import outbox
from graph_service.memory.jobs.external_services import ExternalService, ExternalServiceAwayError, ExternalServices
from graph_service.memory.jobs.job_context import JobContext, KeyedLock
from graph_service.memory.jobs.outbox import LEASE_S, Claimable, JobClaim, JobKind, SessionJobs
from graph_service.memory.sessions.lifecycle import close_idle
from graph_service.memory.summaries.service import update_session_summary
from graph_service.memory.worker.session_jobs import close_session, embed_sessions, reread_sessions
from graph_service.observability.metrics import JOB_RUNS, JOB_SECONDS, Loop
from graph_service.observability.spans import span
from graph_service.supervision import PROCESS_ENDS, Supervisor, wait_for_any
from schema.errors import BrokenDataError, ConflictError, InputError, MnemosceneError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId

_log = logging.getLogger("mnemoscene.worker")

T = TypeVar("T")
# Sessions embedded in one commit; a commit per session would cost ten round trips for a single message.
_EMBED_JOBS_MAX: Final = 32
# Maximum number of dead letters of an outage that are reopened at once.
_REOPENED_MAX: Final = 10_000
# Sessions of one tenant from which facts are extracted at the same time.
_EXTRACTED_TOGETHER: Final = 2
_IDLE_CHECK_S: Final = 30.0
# Malformed jobs block nothing, since no claim matches them.
_MALFORMED_CHECK_S: Final = 600.0
_LOOPS: Final = {
    JobKind.EXTRACT: Loop.WORKER_EXTRACT,
    JobKind.REFINE: Loop.WORKER_REFINE,
    JobKind.EMBED: Loop.WORKER_EMBED,
    JobKind.CLOSE: Loop.WORKER_CLOSE,
    JobKind.REEXTRACT: Loop.WORKER_REEXTRACT,
    JobKind.FORGET: Loop.WORKER_FORGET,
}
# Outcomes in the metric by the state of a failed job.
_OUTCOMES: Final = {"open": "retried", "dead": "dead_letter", "lost": "lease_lost"}


class Leases:
    """The claims of one worker: renewed while jobs run, released when they fail.

    Args:
        external_services: notified when a job became a dead letter because one was unavailable.
    """

    def __init__(self, graph: Graph, job_context: JobContext, external_services: ExternalServices) -> None:
        self._graph = graph
        self._job_context = job_context
        self._external_services = external_services
        # Claims that could not be released because Neo4j was unavailable.
        self._unreleased: list[JobClaim] = []
        # Lease tokens of claims whose response was lost: this worker may own the jobs, and no other can claim them.
        self._unconfirmed = defaultdict[JobKind, list[str]](list)

    async def claim(self, wanted: Claimable, *, jobs_max: int) -> list[JobClaim]:
        """Claim the most overdue jobs of one kind and one tenant; a claim that was not confirmed is repeated first."""
        unconfirmed = self._unconfirmed[wanted.kind]
        lease = unconfirmed.pop() if unconfirmed else self._job_context.random_token()
        try:
            return await outbox.claim_jobs(
                self._graph, wanted, jobs_max=jobs_max, lease=lease, now_ms=self._job_context.now_ms()
            )
        except UnavailableError:
            unconfirmed.append(lease)
            raise

    async def due_kinds(self, claimable: Iterable[Claimable]) -> set[JobKind]:
        """Return the kinds of which a job is due and claimable, or a claim was not confirmed."""
        due = await outbox.due_kinds(self._graph, claimable, now_ms=self._job_context.now_ms())
        return {*due, *(kind for kind, leases in self._unconfirmed.items() if leases)}

    async def renewed_during(self, claims: Sequence[JobClaim], run: Awaitable[T]) -> T:
        """Await a job, renewing its leases meanwhile, and return its result."""
        kind, started_s = claims[0].kind.value, time.perf_counter()
        renewal = asyncio.create_task(self._renew(claims))
        try:
            with span(f"job {kind}", jobs=len(claims)):
                result = await run
            JOB_RUNS.add(kind, "done", n=len(claims))
            return result
        finally:
            JOB_SECONDS.note(time.perf_counter() - started_s, kind)
            renewal.cancel()
            await asyncio.gather(renewal, return_exceptions=True)

    async def _renew(self, claims: Sequence[JobClaim]) -> None:
        """Renew the leases until cancelled; on failure the commit of the job notices the lost lease."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            with contextlib.suppress(Exception):
                for claim in claims:
                    await outbox.renew_lease(self._graph, claim, now_ms=self._job_context.now_ms())

    async def release(self, claims: Sequence[JobClaim], wait_s: float = 0.0) -> None:
        """Release jobs without counting a failure, due after `wait_s`; while Neo4j is away, as soon as it answers."""
        try:
            await outbox.release_jobs(self._graph, claims, due_ms=self._job_context.now_ms() + round(wait_s * 1000))
        except UnavailableError:
            self._unreleased.extend(claims)

    async def release_pending(self) -> None:
        """Release claims whose earlier release failed."""
        if self._unreleased and not self._graph.away:
            unreleased, self._unreleased = self._unreleased, []
            await self.release(unreleased)

    async def retry_or_park(self, claims: Sequence[JobClaim], error: BaseException) -> None:
        """Schedule a retry of failed jobs, or make them dead letters; release them if they were only delayed.

        The code and class of the error are stored with the job; its message only if it is one of our own errors, since
        others may quote user content.
        """
        wait_s = (error.retry_after_s or 0.0) if isinstance(error, UnavailableError) else 0.0
        if self._graph.away or outbox.was_delayed(error):
            await self.release(claims, wait_s)
            return
        service = error.service if isinstance(error, ExternalServiceAwayError) else None
        level = logging.INFO if isinstance(error, ConflictError) else logging.WARNING
        failure, now_ms = failure_of(error), self._job_context.now_ms()
        park = isinstance(error, InputError | BrokenDataError)
        for claim in claims:
            extra = {"tenant": claim.tenant, "job": claim.id, "error": failure.kind, "code": failure.code}
            extra |= {"where": failure.where} if failure.message is None else {}
            try:
                state = await outbox.fail_job(
                    self._graph,
                    claim,
                    error=str(failure),
                    now_ms=now_ms,
                    park=park,
                    unavailable_service=service,
                    wait_s=wait_s,
                )
            except UnavailableError:
                self._unreleased.append(claim)
                continue
            JOB_RUNS.add(claim.kind.value, _OUTCOMES.get(state, state))
            if state == "dead" and service is not None:
                self._external_services.named(service).note_dead_letter()
            _log.log(level, "a job failed; it is now: %s", state, extra=extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRules:
    """Settings of the worker.

    Attributes:
        poll_s: interval at which the worker looks for jobs that became due or that other processes left.
        index: compute vectors in the background; otherwise only `index_session` does.
        index_on_message: compute them while a session is active; otherwise when it closes.
        index_on_close: compute missing vectors and the summary of a session when it closes.
        idle_s: seconds without a message after which a session is closed; None: never.
    """

    poll_s: float = 1.0
    index: bool = True
    index_on_message: bool = True
    index_on_close: bool = True
    idle_s: float | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class _Loop:
    """A loop that runs jobs of one kind.

    Attributes:
        wake: set when there may be jobs; one event per loop, so that no loop clears another's.
        idle: true while it has no job.
    """

    kind: JobKind
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    idle: bool = False


class Worker:
    """Run the jobs of all tenants, one at a time for each session.

    Args:
        embedder: None means keyword search only; embedding jobs then stay open, as refining jobs do without a model.
        external_services: used by `embedder` and `readers`; jobs that need an unavailable one are not claimed.
        supervisor: restarts each of the worker's loops after an error.
        paused_tenants: tenants whose jobs of a kind wait.
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
        paused_tenants: Callable[[JobKind], Collection[TenantId]] = lambda _kind: (),
    ) -> None:
        self._graph = graph
        self._embedder = embedder
        self._readers = readers
        self._job_context = job_context
        self._rules = rules or WorkerRules()
        self.kinds: Final = outbox.supported_kinds(
            embedder=embedder is not None and self._rules.index, model=readers.with_model
        )
        self._paused_tenants = paused_tenants
        self._external_services = external_services or ExternalServices()
        self._supervisor = supervisor or Supervisor()
        self._session_jobs = SessionJobs(graph, job_context)
        self._leases = Leases(graph, job_context, self._external_services)
        self._loops: list[_Loop] = []
        self._consolidation = Consolidation(
            graph=graph,
            readers=readers,
            job_context=job_context,
            user_locks=KeyedLock(),
            embedder=embedder,
        )
        self._claim_locks = {kind: asyncio.Lock() for kind in JobKind}
        # Number of loops that are running jobs of a tenant.
        self._busy: dict[JobKind, Counter[TenantId]] = {kind: Counter() for kind in JobKind}
        # Set when there may be due jobs.
        self._news = asyncio.Event()

    def wake(self) -> None:
        """Look for jobs now; call it after a commit that enqueued some."""
        self._news.set()

    def _wake_one(self, kind: JobKind) -> None:
        """Wake one waiting loop of this kind; it wakes the next when it finds a job."""
        loops = [loop for loop in self._loops if loop.kind is kind]
        for loop in [loop for loop in loops if loop.idle and not loop.wake.is_set()][:1] or loops:
            loop.wake.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Run jobs until `stop` is set; finish claimed jobs before returning.

        Embedding has separate loops, so that slow extraction does not delay vector search. Each kind has one loop more
        than one tenant may occupy, so that no tenant blocks the others. A loop more looks for due jobs of all kinds and
        wakes these. Each loop is supervised separately, and restarted after an error.
        """
        loops = [
            self._supervisor.keep(_LOOPS[kind], partial(self._loop, stop, kind), stop)
            for kind in JobKind
            if kind in self.kinds
            for _ in range(self._loops_per_tenant(kind) + 1)
        ]
        loops.append(self._supervisor.keep(Loop.WORKER_DUE, lambda: self._look_for_jobs(stop), stop))
        loops.append(self._supervisor.keep(Loop.WORKER_MALFORMED, lambda: self._park_malformed(stop), stop))
        if (idle_s := self._rules.idle_s) is not None:
            loops.append(self._supervisor.keep(Loop.WORKER_IDLE, lambda: self._close_idle(stop, idle_s), stop))
        async with asyncio.TaskGroup() as group:
            for loop in loops:
                group.create_task(loop)

    async def drain(self) -> None:
        """Run jobs, retries included, until none is left or those left need an unavailable service."""
        await outbox.park_malformed(self._graph, now_ms=self._job_context.now_ms())
        while True:
            if await self.run_one():
                continue
            kinds = tuple(kind for kind in self.kinds if not self._waits_for_service(kind))
            jobs, due_ms = await self.pending(kinds)
            if not jobs or due_ms is None:
                return
            await asyncio.sleep(min(max(due_ms - self._job_context.now_ms(), 0) / 1000 + 0.01, self._rules.poll_s))

    async def pending(self, kinds: tuple[JobKind, ...]) -> tuple[int, int | None]:
        """Return how many open jobs of these kinds need not wait for a tenant or session, and when the next is due."""
        return await outbox.pending_jobs(
            self._graph,
            kinds,
            exclude_tenants=self._paused_tenants(JobKind.EXTRACT),
            without_embedding=self._paused_tenants(JobKind.EMBED),
            embed_active=self._with_active(JobKind.EMBED),
        )

    async def run_one(self) -> bool:
        """Claim and run one due job or batch; False when there is none."""
        for kind in (JobKind.FORGET, JobKind.REEXTRACT, JobKind.EXTRACT, JobKind.EMBED, JobKind.CLOSE, JobKind.REFINE):
            if kind in self.kinds and await self._claim_and_run(kind):
                return True
        return False

    async def refresh_layers(self, tenant: TenantId, session: str) -> None:
        """Bring the summary layers of all scenes of a session (node id) up to date now.

        Raises:
            UnavailableError: Neo4j does not answer, or the model that extraction needs.
        """
        read = partial(self._read_renewed, scope=ReadScope(whole=True))
        await self._session_jobs.run_all(read, tenant, session, JobKind.EXTRACT, even_if_done=True)
        self.wake()

    async def erase_user(self, tenant: TenantId, user: str) -> None:
        """Run the job that deletes a user (node id) now, or wait while another worker runs it."""
        run = partial(forget_user, self._graph, job_context=self._job_context)
        await self._session_jobs.run_all(run, tenant, user, JobKind.FORGET)

    async def summarize_session(self, tenant: TenantId, session: str, *, by_model: bool = True) -> bool:
        """Update the layers of a session (node id) if those of its scenes changed; return whether they were stored.

        Args:
            by_model: False leaves them to the model for later.
        """
        readers, now = self._readers, self._job_context.clock()
        if readers.session_writer is None:
            return await update_session_summary(self._graph, tenant, session, now=now)
        if not by_model:
            return await update_session_summary(self._graph, tenant, session, now=now, owed=True)
        async with readers.accounted(self._graph, tenant, now=now):
            return await update_session_summary(self._graph, tenant, session, now=now, writer=readers.session_writer)

    async def write_answer(self, tenant: TenantId, question: str, sources: Sequence[Source]) -> WrittenAnswer | None:
        """Return the model's answer to a question from these sources; None if no model is configured.

        Raises:
            OverBudgetError: the tokens of the day are spent.
            UnavailableError, InstallError, MisreadError: see `LanguageModel.answer`.
        """
        readers, now = self._readers, self._job_context.clock()
        if (writer := readers.answer_writer) is None:
            return None
        async with readers.accounted(self._graph, tenant, now=now):
            return await writer(question, sources, now)

    async def index_session(self, tenant: TenantId, session: str) -> int:
        """Extract from a session (node id) now, update its layers, and compute its vectors.

        Returns:
            The number of scenes that were deferred and are read now.

        Raises:
            UnavailableError: Neo4j does not answer, or the model or embedder.
        """
        deferred_n = 0
        reason: str | None = None

        async def read(claim: JobClaim) -> bool:
            # Under the claim, so that no loop of a worker defers them again before they are read. After the first part
            # only what a loop deferred between two parts: what is over the budget stays deferred.
            nonlocal deferred_n, reason
            deferred_n += await reopen_deferred(self._graph, tenant, session, reason=reason)
            reason = DEFERRED
            return await self._read_renewed(claim, ReadScope(whole=True, automatic=False))

        await self._session_jobs.run_all(read, tenant, session, JobKind.EXTRACT, even_if_done=True)
        if self._embeds(tenant):
            await self._session_jobs.run_all(self._embed_renewed, tenant, session, JobKind.EMBED)
        self.wake()
        return deferred_n

    def _embeds(self, tenant: TenantId) -> bool:
        return self._embedder is not None and tenant not in self._paused_tenants(JobKind.EMBED)

    def _embeds_on_close(self, tenant: TenantId) -> bool:
        return self._embeds(tenant) and self._rules.index and self._rules.index_on_close

    async def _look_for_jobs(self, stop: asyncio.Event) -> None:
        """Wake loops of the kinds that are due, after each `wake` and every `poll_s`, until `stop` is set.

        An empty claim costs as much as a small write, so none is made to find out.
        """
        outage_logged = False
        while not stop.is_set():
            self._news.clear()
            try:
                await self._leases.release_pending()
                claimable = [self._claimable(kind) for kind in self.kinds if not self._waits_for_service(kind)]
                for kind in await self._leases.due_kinds(claimable):
                    self._wake_one(kind)
                outage_logged = False
            except UnavailableError as error:
                _log.log(logging.DEBUG if outage_logged else logging.WARNING, "no jobs can be claimed: %s", error)
                outage_logged = True
            for kind in self.kinds:
                if (service := self._service_for(kind)) is not None and service.reopens_now:
                    self._wake_one(kind)
            await wait_for_any(self._news, stop, timeout_s=self._rules.poll_s)

    async def _loop(self, stop: asyncio.Event, kind: JobKind) -> None:
        """Claim and run jobs of one kind until `stop` is set, whenever there may be some."""
        loop = _Loop(kind=kind)
        self._loops.append(loop)
        try:
            while not stop.is_set():
                loop.wake.clear()
                busy = False
                with contextlib.suppress(UnavailableError):
                    busy = await self._claim_and_run(kind)
                if not busy:
                    loop.idle = True
                    await wait_for_any(loop.wake, stop, timeout_s=None)
                    loop.idle = False
        finally:
            # A restarted loop registers itself again.
            self._loops.remove(loop)

    async def _park_malformed(self, stop: asyncio.Event) -> None:
        """Turn malformed jobs into dead letters at the start and then every ten minutes."""
        while not stop.is_set():
            pause_s = _MALFORMED_CHECK_S
            try:
                await outbox.park_malformed(self._graph, now_ms=self._job_context.now_ms())
            except UnavailableError:
                pause_s = _IDLE_CHECK_S
            await wait_for_any(stop, timeout_s=pause_s)

    async def _close_idle(self, stop: asyncio.Event, idle_s: float) -> None:
        """Close idle sessions, checking every 30 s or more often."""
        while not stop.is_set():
            with contextlib.suppress(UnavailableError):
                if await close_idle(self._graph, idle_s=idle_s, now=self._job_context.clock()):
                    self.wake()
            await wait_for_any(stop, timeout_s=min(idle_s / 2, _IDLE_CHECK_S))

    async def _claim_and_run(self, kind: JobKind) -> bool:
        """Claim due jobs of one kind and one tenant and run them; False when there were none."""
        await self._leases.release_pending()
        if self._waits_for_service(kind):
            return False
        busy = self._busy[kind]
        async with self._claim_locks[kind]:
            claims = await self._leases.claim(
                self._claimable(kind), jobs_max=_EMBED_JOBS_MAX if kind is JobKind.EMBED else 1
            )
            tenants = {claim.tenant for claim in claims}
            busy.update(tenants)
        if not claims:
            service = self._service_for(kind)
            return service is not None and await self._reopen_after_outage(service)
        try:
            self._wake_one(kind)
            self._job_context.step(f"{kind} claimed")
            for batch in _batches(claims):
                await self._run_or_release(batch)
        except asyncio.CancelledError:
            # The next worker need not wait for the lease to expire.
            await self._leases.release(claims)
            raise
        finally:
            for tenant in tenants:
                busy[tenant] -= 1
                if not busy[tenant]:
                    del busy[tenant]
        return True

    def _claimable(self, kind: JobKind) -> Claimable:
        """Return which jobs of a kind can be claimed now: not those of a tenant that occupies all its loops."""
        busy = (tenant for tenant, loops in self._busy[kind].items() if loops >= self._loops_per_tenant(kind))
        return Claimable(
            kind=kind, exclude_tenants={*busy, *self._paused_tenants(kind)}, with_active=self._with_active(kind)
        )

    def _with_active(self, kind: JobKind) -> bool:
        """Return whether jobs of this kind are run for active sessions."""
        return kind is not JobKind.EMBED or self._rules.index_on_message

    def _loops_per_tenant(self, kind: JobKind) -> int:
        return _EXTRACTED_TOGETHER if kind is JobKind.EXTRACT else 1

    def _service_for(self, kind: JobKind) -> ExternalService | None:
        """Return the external service without which jobs of this kind cannot run."""
        services = {JobKind.EMBED: self._external_services.embedder, JobKind.REFINE: self._external_services.model}
        return services.get(kind)

    def _waits_for_service(self, kind: JobKind) -> bool:
        service = self._service_for(kind)
        return service is not None and service.is_open

    async def _reopen_after_outage(self, service: ExternalService) -> bool:
        """Reopen dead letters caused by an outage of a service; True when there were some."""
        jobs_max = service.dead_letters_to_reopen(_REOPENED_MAX)
        if not jobs_max:
            return False
        now_ms = self._job_context.now_ms()
        return await outbox.reopen_after_outage(self._graph, service.name, jobs_max=jobs_max, now_ms=now_ms) > 0

    async def _run_or_release(self, claims: Sequence[JobClaim]) -> None:
        """Run claimed jobs, renewing their leases; on an error, schedule a retry or make them dead letters."""
        try:
            await self._leases.renewed_during(claims, self._run_jobs(claims))
        except MnemosceneError as error:
            await self._leases.retry_or_park(claims, error)
        except (asyncio.CancelledError, *PROCESS_ENDS):
            raise
        # BaseException: panics of Rust libraries do not derive from Exception.
        except BaseException as error:
            extra = {"tenant": claims[0].tenant, "job": claims[0].id, "code": MnemosceneError.code}
            _log.error("a job failed with an unexpected error", exc_info=error, extra=extra)
            await self._leases.retry_or_park(claims, error)

    async def _run_jobs(self, claims: Sequence[JobClaim]) -> None:
        graph, claim, job_context = self._graph, claims[0], self._job_context
        match claim.kind:
            case JobKind.EMBED:
                assert self._embedder is not None, "only workers with an embedder claim this kind"
                await embed_sessions(graph, self._embedder, claims, job_context)
            case JobKind.EXTRACT:
                await self._consolidation.read(claim, ReadScope())
                self.wake()
            case JobKind.CLOSE:
                await close_session(
                    graph,
                    claim,
                    job_context,
                    embed=self._embed_renewed if self._embeds_on_close(claim.tenant) else None,
                    extract=partial(self._read_renewed, scope=ReadScope(final=True)),
                    summarize=partial(self.summarize_session, by_model=False) if self._rules.index_on_close else None,
                    refines=self._readers.with_model,
                )
            case JobKind.REFINE:
                await self._refine(claim)
                self.wake()
            case JobKind.FORGET:
                await forget_user(graph, claim, job_context)
            case JobKind.REEXTRACT:
                await reread_sessions(graph, self._read_until, claim, job_context)
                self.wake()

    async def _refine(self, claim: JobClaim) -> None:
        """Run a refine job; once nothing is left to read of a closed session, write the session's summary."""
        left = await self._consolidation.refine(claim)
        if left:
            return
        if left is False and self._rules.index_on_close:
            await self.summarize_session(claim.tenant, claim.session)
        now_ms = self._job_context.now_ms()
        await self._graph.write(lambda writing: outbox.finish_jobs(writing, [claim], more=False, now_ms=now_ms))

    async def _read_renewed(self, claim: JobClaim, scope: ReadScope) -> bool:
        """Extract from a session on behalf of another job, renewing the lease of its extract job."""
        return await self._leases.renewed_during([claim], self._consolidation.read(claim, scope))

    async def _read_until(self, claim: JobClaim, until_ms: int | None) -> bool:
        # What was extracted before a message was forgotten is extracted again.
        return await self._read_renewed(claim, ReadScope(final=True, until_ms=until_ms, automatic=False))

    async def _embed_renewed(self, claim: JobClaim) -> bool:
        assert self._embedder is not None, "only called with an embedder"
        embed = embed_sessions(self._graph, self._embedder, [claim], self._job_context)
        return await self._leases.renewed_during([claim], embed)


def _batches(claims: Sequence[JobClaim]) -> list[list[JobClaim]]:
    """Group claims into one batch per tenant; jobs that failed before run alone, so that they fail no others."""
    batches: dict[str, list[JobClaim]] = {}
    for claim in claims:
        batches.setdefault(claim.tenant if claim.attempts == 0 else claim.id, []).append(claim)
    return list(batches.values())
