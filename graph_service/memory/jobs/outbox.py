"""The outbox of jobs.

Claim jobs with a lease, run them, finish them in the commit of their result, or release them. Jobs that failed too
often are dead letters: list, retry or cancel them.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from graph_service.graph.rows import from_row
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.argument_checks import check_limit
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.observability.metrics import JOB_RUNS
from schema.errors import BrokenDataError, ConflictError, NotFoundError, UnavailableError
from schema.failure import failure_of
from schema.ids import TenantId
from schema.timespan import millis

_log = logging.getLogger("mnemoscene.worker")

JOB_STATES: Final = ("open", "leased", "dead")
# Seconds until the first, second and third retry; the next failure makes the job a dead letter.
RETRY_DELAYS_S: Final = (1.0, 5.0, 30.0)
# Longest Retry-After of a failing service that is honoured.
RETRY_AFTER_MAX_S: Final = 3_600.0
LEASE_S: Final = 60.0
_ERROR_CHARS_MAX: Final = 500


class JobKind(StrEnum):
    """The kinds of jobs.

    EMBED, EXTRACT, CLOSE and REFINE belong to a session; REFINE lets a model read what the local reader has read.
    REEXTRACT and FORGET belong to a user: extract the remaining messages again after something was forgotten; forget
    the user.
    """

    EMBED = "embed"
    EXTRACT = "extract"
    CLOSE = "close"
    REFINE = "refine"
    REEXTRACT = "reextract"
    FORGET = "forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobClaim:
    """A job that belongs to this worker until the lease expires.

    Attributes:
        session: node id of the session.
        enqueue_count: how often the job had been enqueued at the time of the claim; if it is enqueued again, it stays
            open.
        attempts: failures so far.
        lease: random token that only this worker knows.
    """

    tenant: TenantId
    id: str
    kind: JobKind
    session: str
    enqueue_count: int
    attempts: int
    lease: str


def supported_kinds(*, embedder: bool, model: bool) -> tuple[JobKind, ...]:
    """Return the kinds of jobs that can run here; those that need an embedder or a model stay open without it."""
    present = {JobKind.EMBED: embedder, JobKind.REFINE: model}
    return tuple(kind for kind in JobKind if present.get(kind, True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimable:
    """The jobs of one kind that a worker may claim.

    Attributes:
        exclude_tenants: tenants whose jobs it may not.
        with_active: also jobs of sessions that are active.
    """

    kind: JobKind
    exclude_tenants: Collection[TenantId] = ()
    with_active: bool = True

    def parameters(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "exclude_tenants": sorted(self.exclude_tenants),
            "with_active": self.with_active,
        }


async def due_kinds(graph: Graph, claimable: Iterable[Claimable], *, now_ms: int) -> list[JobKind]:
    """Return the kinds of which a job is due and claimable."""
    parameters = {"wanted": [wanted.parameters() for wanted in claimable], "now_ms": now_ms}
    return [JobKind(row["kind"]) for row in await graph.read(statement("jobs/due_kinds"), parameters)]


async def claim_jobs(graph: Graph, wanted: Claimable, *, jobs_max: int, lease: str, now_ms: int) -> list[JobClaim]:
    """Claim the most overdue open jobs of one kind and one tenant, all with one lease.

    Malformed job nodes become dead letters, so that they do not block other jobs.
    """
    parameters = {
        **wanted.parameters(),
        "jobs_max": jobs_max,
        "now_ms": now_ms,
        "lease_until_ms": now_ms + round(LEASE_S * 1000),
        "lease": lease,
    }
    rows = await graph.run(statement("jobs/claim"), parameters)
    claims = [claim for row in rows if (claim := _claim_from_row(row, wanted.kind, lease)) is not None]
    if len(claims) < len(rows):
        await park_malformed(graph, now_ms=now_ms)
    return claims


def _claim_from_row(row: dict[str, Any], kind: JobKind, lease: str) -> JobClaim | None:
    """Return the claim in a row; None for a malformed one, by the same conditions as `jobs/park_malformed`."""
    has_texts = all(isinstance(row[name], str) for name in ("tenant", "id", "session"))
    if (
        not has_texts
        or not all(type(row[name]) is int for name in ("enqueue_count", "attempts"))
        or row["attempts"] < 0
    ):
        return None
    return from_row(JobClaim, row, kind=kind, lease=lease)


async def park_malformed(graph: Graph, *, now_ms: int) -> int:
    """Turn malformed open jobs of all tenants into dead letters and return their number.

    No worker can claim or release such a job, which an import, another program or a bug may have written.
    """
    error = str(failure_of(BrokenDataError("the job node lacked required properties; they were restored")))
    parameters = {"kinds": [kind.value for kind in JobKind], "error": error, "now_ms": now_ms}
    rows = await graph.run(statement("jobs/park_malformed"), parameters)
    for row in rows:
        extra = {"tenant": row["tenant"], "job": row["id"], "code": BrokenDataError.code}
        _log.error("a malformed job became a dead letter", extra=extra)
        JOB_RUNS.add(str(row["kind"]), "dead_letter")
    return len(rows)


async def renew_lease(graph: Graph, claim: JobClaim, *, now_ms: int) -> bool:
    """Extend the lease; False when it was lost and the job must be abandoned."""
    parameters = {
        "tenant": claim.tenant,
        "id": claim.id,
        "lease": claim.lease,
        "lease_until_ms": now_ms + round(LEASE_S * 1000),
    }
    return bool(await graph.run(statement("jobs/renew"), parameters))


async def finish_jobs(
    writing: Writing, claims: Sequence[JobClaim], *, more: bool, now_ms: int, too_slow: str | None = None
) -> None:
    """Finish jobs of one tenant inside the commit of their result.

    Args:
        claims: claims of one lease.
        more: part of the work is left; the jobs stay open.
        too_slow: why the low-cost fallback was used for a part. The job then becomes a dead letter with this text, and
            remains one after later runs for the session, until somebody retries or cancels it.

    Raises:
        ConflictError: a lease was lost to another worker; the transaction must be rolled back.
    """
    parameters = {
        "tenant": claims[0].tenant,
        "rows": [
            {
                "id": claim.id,
                "enqueue_count": claim.enqueue_count,
                "more": more,
                "too_slow": too_slow and too_slow[:_ERROR_CHARS_MAX],
            }
            for claim in sorted(claims, key=lambda claim: claim.id)
        ],
        "lease": claims[0].lease,
        "now_ms": now_ms,
    }
    if len(await writing.run(statement("jobs/finish"), parameters)) != len(claims):
        raise ConflictError(f"the lease of job {claims[0].id} was lost to another worker; its result is discarded")


async def enqueue(writing: Writing, tenant: TenantId, jobs: Iterable[tuple[str, JobKind]], *, now_ms: int) -> None:
    """Enqueue jobs, each a session (node id) and a kind, in the transaction that makes them necessary."""
    if rows := [{"session": session, "kind": kind.value} for session, kind in sorted(set(jobs))]:
        await writing.run(statement("jobs/enqueue"), {"tenant": tenant, "rows": rows, "now_ms": now_ms})


async def fail_job(
    graph: Graph,
    claim: JobClaim,
    *,
    error: str,
    now_ms: int,
    park: bool = False,
    unavailable_service: str | None = None,
    wait_s: float = 0.0,
) -> str:
    """Release a failed job: due again after 1, 5 and 30 s, then a dead letter. Return its new state.

    Args:
        park: make it a dead letter now, because a retry cannot help.
        unavailable_service: the external service that caused the failure; the job is reopened when that answers again.
        wait_s: minimum delay that the failing service asked for; at most an hour counts.

    Returns:
        "open", "dead", or "lost" when the lease had expired.
    """
    retries = claim.attempts < len(RETRY_DELAYS_S) and not park
    delay_s = max(RETRY_DELAYS_S[claim.attempts], min(wait_s, RETRY_AFTER_MAX_S)) if retries else 0.0
    parameters = {
        "tenant": claim.tenant,
        "id": claim.id,
        "lease": claim.lease,
        "error": error[:_ERROR_CHARS_MAX],
        "now_ms": now_ms,
        "due_ms": now_ms + round(delay_s * 1000) if retries else None,
        "unavailable_service": unavailable_service,
    }
    rows = await graph.run(statement("jobs/fail"), parameters)
    return str(rows[0]["state"]) if rows else "lost"


def was_delayed(error: BaseException) -> bool:
    """Return whether a job was only delayed by failures of others: no service was called for it."""
    return isinstance(error, UnavailableError) and not error.called


async def release_jobs(graph: Graph, claims: Sequence[JobClaim], *, due_ms: int) -> None:
    """Release jobs without counting a failure; finished ones and those of other workers do not change."""

    async def steps(writing: Writing) -> None:
        for claim in sorted(claims, key=lambda claim: (claim.tenant, claim.id)):
            parameters = {"tenant": claim.tenant, "id": claim.id, "lease": claim.lease, "due_ms": due_ms}
            await writing.run(statement("jobs/release"), parameters)

    await graph.write(steps)


async def reopen_after_outage(graph: Graph, unavailable_service: str, *, jobs_max: int, now_ms: int) -> int:
    """Reopen dead letters caused by an outage of a service, oldest first, and return their number."""
    parameters = {"unavailable_service": unavailable_service, "jobs_max": jobs_max, "now_ms": now_ms}
    rows = await graph.run(statement("jobs/reopen_after_outage"), parameters)
    return int(rows[0]["jobs"]) if rows else 0


async def pending_jobs(
    graph: Graph,
    kinds: tuple[JobKind, ...],
    *,
    exclude_tenants: Collection[TenantId],
    without_embedding: Collection[TenantId],
    embed_active: bool,
) -> tuple[int, int | None]:
    """Return the number of open jobs, and when the next is due in milliseconds since 1970 (None without jobs).

    Args:
        exclude_tenants: tenants whose jobs wait.
        without_embedding: tenants whose embedding jobs wait.
        embed_active: count the embedding of active sessions, too.
    """
    parameters = {
        "kinds": [kind.value for kind in kinds],
        "exclude_tenants": sorted(exclude_tenants),
        "without_embedding": sorted(without_embedding),
        "embed_active": embed_active,
    }
    rows = await graph.read(statement("jobs/due"), parameters)
    return rows[0]["jobs"], rows[0]["next_due_ms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Unfinished jobs of one tenant: open, leased, dead letters."""

    waiting: int
    leased: int
    dead: int


async def backlog(graph: Graph, tenant: TenantId, kinds: tuple[JobKind, ...]) -> Backlog:
    """Return the number of unfinished jobs of one tenant by state."""
    parameters = {"tenant": tenant, "kinds": [kind.value for kind in kinds]}
    rows = await graph.read(statement("jobs/backlog"), parameters)
    by_state = {state: sum(row["jobs"] for row in rows if row["state"] == state) for state in JOB_STATES}
    return Backlog(waiting=by_state["open"], leased=by_state["leased"], dead=by_state["dead"])


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTotals:
    """Unfinished jobs of all tenants.

    Attributes:
        jobs: number by kind and state.
        overdue_s: how long the most overdue open job of the kinds that can run has been due.
    """

    jobs: Mapping[tuple[str, str], int]
    overdue_s: float


async def job_totals(graph: Graph, *, now: datetime, kinds: Collection[JobKind] = tuple(JobKind)) -> JobTotals:
    """Return the unfinished jobs of all tenants.

    Args:
        kinds: the kinds that can run; those of others wait for an embedder or a model and are never overdue.
    """
    rows = await graph.read(statement("jobs/totals_by_state"), {})
    due = [
        row["due_ms"] for row in rows if row["state"] == "open" and row["due_ms"] is not None and row["kind"] in kinds
    ]
    return JobTotals(
        jobs={(row["kind"], row["state"]): row["jobs"] for row in rows},
        overdue_s=max(millis(now) - min(due), 0) / 1000 if due else 0.0,
    )


# Pause before another attempt to claim a job that another worker has leased.
_CLAIM_RETRY_S: Final = 0.1

# Runs a claimed job; True when part of it is left.
RunJob = Callable[[JobClaim], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class SessionJobs:
    """Run jobs of single sessions (node ids) now, due or not, as a worker does."""

    graph: Graph
    job_context: JobContext

    async def run_all(
        self, run: RunJob, tenant: TenantId, session: str, kind: JobKind, *, even_if_done: bool = False
    ) -> None:
        """Run the jobs of one kind until none is left, or wait while another worker runs them.

        Args:
            even_if_done: run the job once even if it is not open.

        Raises:
            MnemosceneError: from `run`; the job was released.
        """
        run_again = even_if_done
        while run_again or await self.is_open(tenant, session, kind):
            left = await self.run_once(run, tenant, session, kind, even_if_done=run_again)
            if left is not None:
                run_again = left

    async def run_once(
        self, run: RunJob, tenant: TenantId, session: str, kind: JobKind, *, even_if_done: bool
    ) -> bool | None:
        """Claim one job and run it.

        Returns:
            True when part of the job is left; None, after a short pause, when another worker has leased it.

        Raises:
            MnemosceneError: from `run`; the job was released.
        """
        claim = await self.claim(tenant, session, kind, even_if_done=even_if_done)
        if claim is None:
            await asyncio.sleep(_CLAIM_RETRY_S)
            return None
        try:
            return await run(claim)
        except Exception as error:
            # Any error: other workers must not wait for the lease to expire, and retries are limited by counted
            # failures.
            if was_delayed(error):
                await release_jobs(self.graph, [claim], due_ms=self.job_context.now_ms())
            else:
                await fail_job(self.graph, claim, error=str(failure_of(error)), now_ms=self.job_context.now_ms())
            raise
        except asyncio.CancelledError:
            # The next worker need not wait for the lease to expire.
            await release_jobs(self.graph, [claim], due_ms=self.job_context.now_ms())
            raise

    async def is_open(self, tenant: TenantId, session: str, kind: JobKind) -> bool:
        """Return whether a job is open."""
        parameters = {"tenant": tenant, "id": f"{session}/{kind.value}"}
        rows = await self.graph.read(statement("jobs/is_open"), parameters)
        return bool(rows) and bool(rows[0]["open"])

    async def claim(self, tenant: TenantId, session: str, kind: JobKind, *, even_if_done: bool) -> JobClaim | None:
        """Claim one job; return None if another worker has leased it or it is not open.

        Raises:
            BrokenDataError: the session has no such job node, so waiting for it would never end.
        """
        job_id, lease, now_ms = f"{session}/{kind.value}", self.job_context.random_token(), self.job_context.now_ms()
        parameters = {
            "tenant": tenant,
            "id": job_id,
            "even_if_done": even_if_done,
            "now_ms": now_ms,
            "lease_until_ms": now_ms + round(LEASE_S * 1000),
            "lease": lease,
        }
        rows = await self.graph.run(statement("jobs/claim_for_session"), parameters)
        if not rows:
            # A job that is not open may be gone with its node, for example when its session was forgotten.
            if even_if_done and not await self.graph.read(statement("jobs/is_open"), {"tenant": tenant, "id": job_id}):
                raise BrokenDataError(f"there is no job {job_id}; send a message to that session again")
            return None
        claim = _claim_from_row({**rows[0], "tenant": tenant, "id": job_id, "session": session}, kind, lease)
        if claim is None:
            await park_malformed(self.graph, now_ms=now_ms)
            raise BrokenDataError(f"the node of job {job_id} lacked required properties; retry the job")
        return claim


ROWS_MAX: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A background job that failed too often; no message is lost.

    Attributes:
        error: error of the last attempt.
        attempts: number of failed attempts.
        failed_at: time of the last attempt.
        unavailable_service: the unavailable service, `embedder` or `model`, if that was the cause; retried
            automatically then.
    """

    id: str
    kind: JobKind
    user_id: str | None
    session_id: str | None
    error: str
    attempts: int
    failed_at: datetime | None
    unavailable_service: str | None


def letter_cursor(letter: DeadLetter) -> str:
    """Return the cursor of a dead letter in the list of its tenant."""
    return encode_cursor(ListName.DEAD_LETTERS, millis(letter.failed_at) if letter.failed_at else 0, letter.id)


class DeadLetters:
    """List, retry and cancel the dead letters of a tenant."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def listed(self, tenant: TenantId, *, limit: int = 100, after: str | None = None) -> list[DeadLetter]:
        """Return a tenant's dead letters, newest first.

        Args:
            after: a `letter_cursor`; only dead letters after it are returned.
        """
        check_limit(limit, ROWS_MAX)
        failed_ms, after_id = decode_cursor(ListName.DEAD_LETTERS, after)
        parameters = {"tenant": tenant, "failed_ms": failed_ms, "after": after_id, "rows_max": limit}
        rows = await self._graph.read(statement("jobs/dead_letters"), parameters)
        return [
            from_row(
                DeadLetter,
                row,
                kind=JobKind(row["kind"]),
                error=row["error"] or "",
                failed_at=datetime.fromtimestamp(row["failed_ms"] / 1000, UTC) if row["failed_ms"] else None,
            )
            for row in rows
        ]

    async def retry(self, tenant: TenantId, ids: Sequence[str] | None, *, now_ms: int) -> int:
        """Reopen dead letters and return their number.

        Args:
            ids: None means all of the tenant.

        Raises:
            NotFoundError: an id names no dead letter of this tenant; nothing was changed.
        """
        parameters = {"tenant": tenant, "ids": None if ids is None else sorted(set(ids)), "now_ms": now_ms}
        return await self._change(statement("jobs/retry"), parameters, ids)

    async def cancel(self, tenant: TenantId, ids: Sequence[str]) -> int:
        """Cancel unfinished jobs; messages stay, and new ones in the session enqueue the job again.

        A session whose closing is cancelled is closed with what was extracted so far.

        Raises:
            NotFoundError: an id names no unfinished job of this tenant; nothing was changed.
        """
        return await self._change(statement("jobs/cancel"), {"tenant": tenant, "ids": sorted(set(ids))}, ids)

    async def _change(self, change: Statement, parameters: dict[str, Any], ids: Sequence[str] | None) -> int:
        async def steps(writing: Writing) -> int:
            rows = await writing.run(change, parameters)
            missing = set(ids or ()) - {row["id"] for row in rows}
            if missing:
                names = ", ".join(sorted(missing))
                raise NotFoundError(f"no such job: {names}; list them with `mnemoscene jobs`")
            return len(rows)

        return await self._graph.write(steps)
