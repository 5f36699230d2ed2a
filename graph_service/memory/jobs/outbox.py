"""Work that a commit caused: claimed with a lease, finished in the commit that holds its result, or given back."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.observability.metrics import WORK
from schema.errors import BrokenDataError, ConflictError
from schema.failure import failure_of
from schema.ids import TenantId
from schema.timespan import millis

# How much work of all tenants waits, is being done, or was given up.

JOB_STATES: Final = ("open", "leased", "dead")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTotals:
    """Work that is not done.

    Attributes:
        jobs: how much, by kind and state.
        overdue_s: for how long the first of what is open has been due.
    """

    jobs: Mapping[tuple[str, str], int]
    overdue_s: float


async def job_totals(graph: Graph, *, now: datetime) -> JobTotals:
    """Return the work of all tenants together.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    rows = await graph.read(statement("jobs/totals_by_state"), {})
    due = [row["due_ms"] for row in rows if row["state"] == "open" and row["due_ms"] is not None]
    return JobTotals(
        jobs={(row["kind"], row["state"]): row["jobs"] for row in rows},
        overdue_s=max(millis(now) - min(due), 0) / 1000 if due else 0.0,
    )


_log = logging.getLogger("mnemograph.worker")

# Seconds to wait after the first, second and third failure; after the last one the work is parked.
# Source: requirements.md C11.
RETRY_DELAYS_S = (1.0, 5.0, 30.0)
WAIT_MAX_S = 3_600.0
LEASE_S = 60.0
_ERROR_CHARS_MAX = 500


class JobKind(StrEnum):
    """What is to be done for a session; for a user: `ANEW`, to read what is left after something was forgotten,
    and `FORGET`, to forget the user."""

    EMBED = "embed"
    READ = "read"
    CLOSE = "close"
    ANEW = "anew"
    FORGET = "forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobClaim:
    """Work that is ours until the lease ends.

    Attributes:
        session: node id of the session.
        wanted: how often the work had been asked for; if it is asked for again meanwhile, it stays open.
        attempts: failures so far.
        lease: the word that only the holder knows.
    """

    tenant: TenantId
    id: str
    kind: JobKind
    session: str
    wanted: int
    attempts: int
    lease: str


async def claim(
    graph: Graph, kind: JobKind, *, jobs_max: int, lease: str, now_ms: int, but_not: Collection[TenantId] = ()
) -> list[JobClaim]:
    """Take the most overdue open work of one kind and one tenant, all with one lease.

    Work whose node cannot be understood becomes a dead letter, and never keeps anybody from the rest.

    Args:
        but_not: tenants of which nothing is taken.
    """
    parameters = {
        "kind": kind.value,
        "but_not": sorted(but_not),
        "jobs_max": jobs_max,
        "now_ms": now_ms,
        "lease_until_ms": now_ms + round(LEASE_S * 1000),
        "lease": lease,
    }

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("jobs/claim"), parameters)

    rows = await graph.write(steps)
    claims = [found for row in rows if (found := _claim(row, kind, lease)) is not None]
    if len(claims) < len(rows):
        await park_malformed(graph, now_ms=now_ms)
    return claims


def _claim(row: dict[str, Any], kind: JobKind, lease: str) -> JobClaim | None:
    """Return the claim of one row; None when the row lacks something, as `jobs/park_malformed` sees it too."""
    names = all(isinstance(row[name], str) for name in ("tenant", "id", "session"))
    if not names or not all(type(row[name]) is int for name in ("wanted", "attempts")) or row["attempts"] < 0:
        return None
    return JobClaim(
        tenant=TenantId(row["tenant"]),
        id=row["id"],
        kind=kind,
        session=row["session"],
        wanted=row["wanted"],
        attempts=row["attempts"],
        lease=lease,
    )


async def park_malformed(graph: Graph, *, now_ms: int) -> int:
    """Make dead letters of open work that lacks what belongs to it, of all tenants; return how much.

    No worker can claim such work, or give it back; an import, another program or a fault of ours may have left it.
    """
    error = str(failure_of(BrokenDataError("the node of this work lacked what belongs to it; it was set right")))
    parameters = {"kinds": [kind.value for kind in JobKind], "error": error, "now_ms": now_ms}

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("jobs/park_malformed"), parameters)

    rows = await graph.write(steps)
    for row in rows:
        extra = {"tenant": row["tenant"], "work": row["id"], "code": BrokenDataError.code}
        _log.error("work lacked what belongs to it and was given up", extra=extra)
        WORK.add(str(row["kind"]), "parked")
    return len(rows)


async def claim_of_session(
    graph: Graph, tenant: TenantId, session: str, kind: JobKind, *, even_if_done: bool, lease: str, now_ms: int
) -> JobClaim | None:
    """Claim one piece of work of a session, whenever it is due; None while another worker holds it.

    Args:
        even_if_done: claim it although nobody asked for it.

    Raises:
        BrokenDataError: the session has no node for this work, so that waiting for it would never end.
    """
    parameters = {
        "tenant": tenant,
        "id": f"{session}/{kind.value}",
        "even_if_done": even_if_done,
        "now_ms": now_ms,
        "lease_until_ms": now_ms + round(LEASE_S * 1000),
        "lease": lease,
    }

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("jobs/claim_for_session"), parameters)

    rows = await graph.write(steps)
    if not rows:
        # Asked for or not, work that is done may take its node along (forgetting does).
        if even_if_done and not await _exists(graph, tenant, session, kind):
            missing = f"there is no node of work {parameters['id']}; hand in a message of that session again"
            raise BrokenDataError(missing)
        return None
    found = _claim({**rows[0], "tenant": tenant, "id": parameters["id"], "session": session}, kind, lease)
    if found is None:
        await park_malformed(graph, now_ms=now_ms)
        raise BrokenDataError(f"the node of work {parameters['id']} lacked what belongs to it; try the work again")
    return found


async def _exists(graph: Graph, tenant: TenantId, session: str, kind: JobKind) -> bool:
    parameters = {"tenant": tenant, "id": f"{session}/{kind.value}"}
    return bool(await graph.read(statement("jobs/is_open"), parameters))


async def is_open(graph: Graph, tenant: TenantId, session: str, kind: JobKind) -> bool:
    """Return whether a piece of work of a session is asked for and not done."""
    parameters = {"tenant": tenant, "id": f"{session}/{kind.value}"}
    rows = await graph.read(statement("jobs/is_open"), parameters)
    return bool(rows) and bool(rows[0]["open"])


async def renew(graph: Graph, held: JobClaim, *, now_ms: int) -> bool:
    """Prolong the lease; False when it was lost and the work must be dropped."""
    parameters = {
        "tenant": held.tenant,
        "id": held.id,
        "lease": held.lease,
        "lease_until_ms": now_ms + round(LEASE_S * 1000),
    }

    async def steps(writing: Writing) -> bool:
        return bool(await writing.run(statement("jobs/renew"), parameters))

    return await graph.write(steps)


async def finish(
    writing: Writing, held: Sequence[JobClaim], *, more: bool, now_ms: int, too_slow: str | None = None
) -> None:
    """Finish work of one tenant inside the commit of its result.

    Args:
        held: claims with one lease.
        more: a rest is left; the work stays open.
        too_slow: why a part of it was done the plain way; the work is then left as a dead letter that says so, through
            later work of the same session too, until somebody retries or cancels it.

    Raises:
        ConflictError: a lease was lost, so somebody else does the work; nothing of this commit may stay.
    """
    parameters = {
        "tenant": held[0].tenant,
        "rows": [
            {"id": claim.id, "wanted": claim.wanted, "more": more, "too_slow": too_slow and too_slow[:_ERROR_CHARS_MAX]}
            for claim in sorted(held, key=lambda c: c.id)
        ],
        "lease": held[0].lease,
        "now_ms": now_ms,
    }
    if len(await writing.run(statement("jobs/finish"), parameters)) != len(held):
        raise ConflictError(f"the lease of work {held[0].id} was lost to another worker; its result is thrown away")


async def give_back(
    graph: Graph,
    held: JobClaim,
    *,
    error: str,
    now_ms: int,
    park: bool = False,
    away: str | None = None,
    wait_s: float = 0.0,
) -> str:
    """Give failed work back: due again after 1, 5, 30 s, then parked. Returns the state it has now.

    Args:
        wait_s: whoever failed us asked not to be bothered before; at most an hour counts.
        park: do not try again; no repetition will help.
        away: what outside was away, when that was why; the work is reopened when that answers again.
    """
    again = held.attempts < len(RETRY_DELAYS_S) and not park
    delay_s = max(RETRY_DELAYS_S[held.attempts], min(wait_s, WAIT_MAX_S)) if again else 0.0
    due_ms = now_ms + round(delay_s * 1000) if again else None
    parameters = {
        "tenant": held.tenant,
        "id": held.id,
        "lease": held.lease,
        "error": error[:_ERROR_CHARS_MAX],
        "now_ms": now_ms,
        "due_ms": due_ms,
        "away": away,
    }

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("jobs/fail"), parameters)

    rows = await graph.write(steps)
    return str(rows[0]["state"]) if rows else "lost"


async def release(graph: Graph, held: Sequence[JobClaim], *, due_ms: int) -> None:
    """Give work back that did not fail; what is done meanwhile, or somebody else's, stays as it is."""

    async def steps(writing: Writing) -> None:
        for one in sorted(held, key=lambda claim: (claim.tenant, claim.id)):
            parameters = {"tenant": one.tenant, "id": one.id, "lease": one.lease, "due_ms": due_ms}
            await writing.run(statement("jobs/release"), parameters)

    await graph.write(steps)


async def reopen_outage(graph: Graph, away: str, *, jobs_max: int, now_ms: int) -> int:
    """Have work done that was parked because something outside was away, the longest parked first; return how much."""
    parameters = {"away": away, "jobs_max": jobs_max, "now_ms": now_ms}

    async def steps(writing: Writing) -> int:
        rows = await writing.run(statement("jobs/reopen_after_outage"), parameters)
        return int(rows[0]["jobs"]) if rows else 0

    return await graph.write(steps)


async def next_due(graph: Graph, kinds: tuple[JobKind, ...]) -> tuple[int, int | None]:
    """Return how much work is open, and when the next of it is due (milliseconds since 1970; None when there is
    none).
    """
    rows = await graph.read(statement("jobs/due"), {"kinds": [kind.value for kind in kinds]})
    return rows[0]["jobs"], rows[0]["next_due_ms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """Work of one tenant that is not done: waiting, being done, parked after too many failures."""

    waiting: int
    leased: int
    dead: int


def kinds_done_with(*, embedder: bool) -> tuple[JobKind, ...]:
    """Return the work that can be done here: without an embedder, vectors wait for one."""
    return tuple(kind for kind in JobKind if embedder or kind is not JobKind.EMBED)


async def backlog(graph: Graph, tenant: TenantId, kinds: tuple[JobKind, ...]) -> Backlog:
    """Return how much work of one tenant is not done."""
    parameters = {"tenant": tenant, "kinds": [kind.value for kind in kinds]}
    rows = await graph.read(statement("jobs/backlog"), parameters)
    by_state = {
        state: sum(row["jobs"] for row in rows if row["state"] == state) for state in ("open", "leased", "dead")
    }
    return Backlog(waiting=by_state["open"], leased=by_state["leased"], dead=by_state["dead"])
