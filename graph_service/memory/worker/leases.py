"""`Leases`: what a worker holds is kept alive while it works, and given back when that fails."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Collection, Sequence
from typing import Final, TypeVar

from graph_service.graph.store import Graph
from graph_service.memory.jobs.external_services import ExternalServiceAwayError, ExternalServices
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import LEASE_S, JobClaim, JobKind, claim, give_back, release, renew
from graph_service.observability.metrics import WORK, WORK_SECONDS
from graph_service.observability.spans import span
from schema.errors import BrokenDataError, ConflictError, InputError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId

_log = logging.getLogger("mnemograph.worker")

T = TypeVar("T")
# The states in which failed work is left, as they are counted.
_OUTCOMES: Final = {"open": "retried", "dead": "parked"}


class Leases:
    """The claims of one worker.

    Args:
        external_services: are told when work is parked because they were away.
    """

    def __init__(self, graph: Graph, job_context: JobContext, external_services: ExternalServices) -> None:
        self._graph = graph
        self._job_context = job_context
        self._external_services = external_services
        # Work that could not be given back, because Neo4j was away as well.
        self._owed: list[JobClaim] = []
        # Words of claims whose answer was lost: the work may be ours, and nobody else gets it until the lease ends.
        self._unsure: dict[JobKind, list[str]] = {}

    async def take(self, kind: JobKind, *, jobs_max: int, but_not: Collection[TenantId] = ()) -> list[JobClaim]:
        """Take the most overdue work of one kind and one tenant; first what an earlier claim may have got.

        Args:
            but_not: tenants of which nothing is taken.

        Raises:
            UnavailableError: Neo4j does not answer.
        """
        unsure = self._unsure.setdefault(kind, [])
        lease = unsure.pop() if unsure else self._job_context.word()
        try:
            now_ms = self._job_context.now_ms()
            return await claim(self._graph, kind, jobs_max=jobs_max, lease=lease, now_ms=now_ms, but_not=but_not)
        except UnavailableError:
            unsure.append(lease)
            raise

    async def kept(self, held: Sequence[JobClaim], doing: Awaitable[T]) -> T:
        """Return what the work gives; its leases are prolonged while it goes on."""
        kind, started_s = held[0].kind.value, time.perf_counter()
        beat = asyncio.create_task(self._keep(held))
        try:
            with span(f"work {kind}", pieces=len(held)):
                done = await doing
            WORK.add(kind, "done", n=len(held))
            return done
        finally:
            WORK_SECONDS.note(time.perf_counter() - started_s, kind)
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)

    async def release(self, held: Sequence[JobClaim]) -> None:
        """Leave work to whoever comes next; while Neo4j is away, as soon as it is back."""
        try:
            await release(self._graph, held, due_ms=self._job_context.now_ms())
        except UnavailableError:
            self._owed.extend(held)

    async def pay_owed(self) -> None:
        """Give back what could not be given back before."""
        if self._owed and not self._graph.away:
            owed, self._owed = self._owed, []
            await self.release(owed)

    async def give_back(self, held: Sequence[JobClaim], error: BaseException) -> None:
        """Leave failed work for a later try, or park it; what was not even asked for counts as no try.

        The work keeps the code and the class of the error, and what it says only if it is one of ours: the words of any
        other may quote what people said.
        """
        if self._graph.away or (isinstance(error, ExternalServiceAwayError) and not error.asked):
            await self.release(held)
            return
        away = error.outside if isinstance(error, ExternalServiceAwayError) else None
        lost = isinstance(error, ConflictError)
        failure, now_ms = failure_of(error), self._job_context.now_ms()
        wait_s = (error.retry_after_s or 0.0) if isinstance(error, UnavailableError) else 0.0
        for one in held:
            extra = {"tenant": one.tenant, "work": one.id, "error": failure.kind, "code": failure.code}
            extra |= {"where": failure.where} if failure.message is None else {}
            park, why = isinstance(error, InputError | BrokenDataError), str(failure)
            try:
                state = await give_back(self._graph, one, error=why, now_ms=now_ms, park=park, away=away, wait_s=wait_s)
            except UnavailableError:
                self._owed.append(one)
                continue
            WORK.add(one.kind.value, _OUTCOMES.get(state, state))
            if state == "dead" and away is not None:
                self._external_services.named(away).parked()
            _log.log(logging.INFO if lost else logging.WARNING, "work given back: %s", state, extra=extra)

    async def _keep(self, held: Sequence[JobClaim]) -> None:
        """Prolong the leases while the work goes on; if that fails, the commit notices by itself."""
        while True:
            await asyncio.sleep(LEASE_S / 3)
            with contextlib.suppress(Exception):
                for one in held:
                    await renew(self._graph, one, now_ms=self._job_context.now_ms())
