"""Find and repair inconsistencies caused by a crash, a bug, or writes that bypassed the service."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from graph_service.graph.schema_setup import NO_MODEL, stored_embedder
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.entity_resolution.merge import MergeWriter, edge_changes
from graph_service.memory.facts.stored import enqueue_embedding
from graph_service.memory.jobs.outbox import JobKind, enqueue
from graph_service.memory.repair.checks import (
    MessageRepair,
    Problem,
    check_fact,
    check_item,
    check_message,
    check_scene,
    is_damaged,
)
from graph_service.supervision import wait_for_any
from schema.change import Change, Op
from schema.entity import the_user
from schema.errors import MnemosceneError, UnavailableError
from schema.ids import MemoryId, TenantId, UserId
from schema.predicates import whitelist
from schema.timespan import millis

_log = logging.getLogger("mnemoscene.sync")
ROWS_MAX: Final = 500
# Interval between two searches for tenants whose sync is due.
_CHECK_S: Final = 600.0
SESSION_JOBS: Final = (JobKind.EXTRACT, JobKind.EMBED, JobKind.CLOSE, JobKind.REFINE)
UNPROVEN: Final = "sync: no message is left that proves it"
Rows = Sequence[Mapping[str, Any]]


@dataclass(slots=True, kw_only=True)
class SyncReport:
    """The result of a sync.

    Attributes:
        total: elements checked: messages, nodes, sessions and items.
        indexed: problems repaired, or with a repair job enqueued.
        skipped: elements without a problem.
        errors: problems that could not be repaired.
        found: number of problems by kind.
    """

    total: int = 0
    indexed: int = 0
    skipped: int = 0
    errors: int = 0
    found: Counter[Problem] = field(default_factory=Counter)


@dataclass(slots=True, kw_only=True)
class Sync:
    """One sync of one tenant.

    Args:
        rows_max: elements per page; the repairs of a page are one transaction.
    """

    graph: Graph
    tenant: TenantId
    now: datetime
    dry_run: bool = False
    rows_max: int = ROWS_MAX
    _report: SyncReport = field(default_factory=SyncReport, init=False)

    async def run(self) -> SyncReport:
        """Check all pages, and repair each before checking the next.

        Raises:
            UnavailableError: Neo4j does not answer; repairs made so far are kept.
        """
        embedder = await stored_embedder(self.graph)
        dim = None if embedder is None or embedder.model == NO_MODEL else embedder.dim
        tokens = embedder is not None and embedder.token_model is not None
        async for messages in self._pages(statement("repair/check_messages"), {}):
            await self._check_messages(messages, dim, tokens=tokens)
        async for nodes in self._pages(
            statement("repair/check_nodes"), {"predicates": sorted(whitelist()), "dim": dim or 0}
        ):
            await self._check_nodes(nodes, dim)
        async for merged in self._pages(statement("repair/check_member_facts"), {}, counted=False):
            await self._check_merged(merged)
        async for sessions in self._pages(statement("repair/check_sessions"), {}):
            await self._check_sessions(sessions)
        async for items in self._pages(statement("repair/check_items"), {}):
            await self._check_items(items, dim)
        # Last: earlier repairs may leave nodes without any edge.
        async for bare_nodes in self._pages(statement("repair/check_bare_nodes"), {}, counted=False):
            await self._check_bare_nodes(bare_nodes)
        # Without kinds of problems of which there are none.
        self._report.found = +self._report.found
        return self._report

    async def _pages(self, page: Statement, extra: Mapping[str, Any], *, counted: bool = True) -> AsyncIterator[Rows]:
        after = ""
        while True:
            parameters = {"tenant": self.tenant, "after": after, "rows_max": self.rows_max, **extra}
            rows = await self.graph.read(page, parameters)
            if not rows:
                return
            after = rows[-1]["id"]
            yield rows
            self._report.total += len(rows) if counted else 0

    async def _check_messages(self, rows: Rows, dim: int | None, *, tokens: bool) -> None:
        readable = [row for row in rows if not is_damaged(row)]
        damaged_n = len(rows) - len(readable)
        self._report.errors += damaged_n
        self._report.found.update([Problem.MESSAGE_DAMAGED] * damaged_n)
        repairs = [repair for row in readable if (repair := check_message(row, dim, tokens=tokens))]
        self._report.skipped += len(readable) - len(repairs)
        self._report.found.update(problem for repair in repairs for problem in repair.problems)
        await self._repair(len(repairs), lambda writing: self._repair_messages(writing, repairs))

    async def _check_nodes(self, rows: Rows, dim: int | None) -> None:
        problems = {row["id"]: check_scene(row, dim) for row in rows if row["is_scene"]}
        empty = [row for row in rows if Problem.SCENE_EMPTY in problems.get(row["id"], [])]
        unembedded = [row for row in rows if problems.get(row["id"]) and row not in empty]
        # The facts of an empty scene are deleted with it.
        unproven = [row for row in rows if row["unproven"] and row not in empty]
        without_vector = [fact for row in rows for fact in row["unembedded_facts"]]
        problems |= {fact["id"]: check_fact(fact, dim or 0) for fact in without_vector}
        inconsistent = {row["id"] for row in (*empty, *unembedded, *unproven)} | {
            fact["node"] for fact in without_vector
        }
        self._report.skipped += len(rows) - len(inconsistent)
        self._report.found.update(problem for found in problems.values() for problem in found)
        facts = [{"node": row["id"], **fact} for row in unproven for fact in row["unproven"]]
        self._report.found[Problem.FACT_WITHOUT_EVIDENCE] += len(facts)
        await self._repair(len(unembedded), lambda writing: self._repair_scenes(writing, unembedded))
        await self._repair(len(without_vector), lambda writing: self._repair_facts(writing, without_vector))
        deletion, reason = statement("repair/delete_empty_scenes"), "sync: no message is left in this scene"
        await self._delete(empty, deletion, Op.NODE_DROP, reason)
        await self._delete(facts, statement("repair/delete_unproven_facts"), Op.EDGE_DROP, UNPROVEN)

    async def _check_sessions(self, rows: Rows) -> None:
        missing_jobs = [(row["id"], kind) for row in rows for kind in SESSION_JOBS if row[f"missing_{kind}"]]
        self._report.skipped += len(rows) - len({session for session, _ in missing_jobs})
        self._report.found[Problem.JOB_MISSING] += len(missing_jobs)
        await self._repair(len(missing_jobs), partial(self._enqueue, jobs=missing_jobs))

    async def _check_items(self, rows: Rows, dim: int | None) -> None:
        problems = {row["id"]: found for row in rows if (found := check_item(row, dim))}
        self._report.skipped += len(rows) - len(problems)
        self._report.found.update(problem for found in problems.values() for problem in found)
        parameters = {"tenant": self.tenant, "ids": sorted(problems)}
        await self._repair(len(problems), lambda writing: writing.run(statement("repair/repair_items"), parameters))

    async def _check_merged(self, rows: Rows) -> None:
        for user_id in sorted({row["user_id"] for row in rows}):
            user_rows = [row for row in rows if row["user_id"] == user_id and row["unproven"]]
            # A fact between two merged entities appears twice.
            facts = {fact["id"]: fact for row in user_rows for fact in row["unproven"]}
            self._report.found[Problem.FACT_WITHOUT_EVIDENCE] += len(facts)
            await self._repair(len(facts), self._delete_member_facts(user_id, [row["id"] for row in user_rows], facts))

    async def _check_bare_nodes(self, rows: Rows) -> None:
        # They were counted as consistent by `_check_nodes`.
        self._report.skipped -= len(rows)
        self._report.found[Problem.NODE_ORPHANED] += len(rows)
        deletion, reason = statement("repair/delete_bare_nodes"), "sync: nothing is left that names it"
        await self._delete(rows, deletion, Op.NODE_DROP, reason)

    async def _repair(self, count: int, steps: Callable[[Writing], Any]) -> None:
        if not count or self.dry_run:
            return
        try:
            await self.graph.write(steps)
        except UnavailableError:
            raise
        except MnemosceneError:
            self._report.errors += count
        else:
            self._report.indexed += count

    async def _enqueue(self, writing: Writing, jobs: Sequence[tuple[str, JobKind]]) -> None:
        await enqueue(writing, self.tenant, jobs, now_ms=millis(self.now))

    async def _repair_messages(self, writing: Writing, repairs: Sequence[MessageRepair]) -> None:
        jobs = [(repair.session, JobKind.EMBED) for repair in repairs if repair.embed]
        jobs += [(repair.session, JobKind.EXTRACT) for repair in repairs if repair.extract]
        rows = [{"id": r.id, "content_hash": r.content_hash, "embed": r.embed, "extract": r.extract} for r in repairs]
        await self._lock_users(writing, {repair.user_id for repair in repairs})
        await writing.run(statement("repair/repair_messages"), {"tenant": self.tenant, "rows": rows})
        await self._enqueue(writing, jobs)

    async def _repair_scenes(self, writing: Writing, scenes: Rows) -> None:
        await self._lock_users(writing, {row["user_id"] for row in scenes})
        ids = [row["id"] for row in scenes]
        await writing.run(statement("repair/repair_scenes"), {"tenant": self.tenant, "ids": ids})
        await enqueue_embedding(writing, self.tenant, {row["session"] for row in scenes}, at=self.now)

    async def _repair_facts(self, writing: Writing, facts: Rows) -> None:
        await self._lock_users(writing, {fact["user_id"] for fact in facts})
        rows = sorted(facts, key=lambda fact: str(fact["id"]))
        await writing.run(statement("repair/repair_facts"), {"tenant": self.tenant, "rows": rows})
        await enqueue_embedding(writing, self.tenant, {fact["session"] for fact in facts}, at=self.now)

    async def _delete(self, rows: Rows, deletion: Statement, op: Op, reason: str) -> None:
        """Delete elements in one transaction for each user.

        Args:
            rows: with `id` and `user_id`, facts also with the `node` that they begin at.
            deletion: its rows name the deleted elements, of nodes also their `edges`.
        """
        for user_id in sorted({row["user_id"] for row in rows}):
            own = sorted((row for row in rows if row["user_id"] == user_id), key=lambda row: str(row["id"]))
            await self._repair(len(own), partial(self._delete_of_user, user_id, own, deletion, op, reason))

    async def _delete_of_user(
        self, user_id: str, rows: Rows, deletion: Statement, op: Op, reason: str, writing: Writing
    ) -> None:
        await self._lock_users(writing, {user_id})
        named = [{name: row[name] for name in ("id", "node") if name in row} for row in rows]
        deleted = await writing.run(deletion, {"tenant": self.tenant, "rows": named})
        removed = [(Op.EDGE_DROP, edge) for row in deleted for edge in row.get("edges", ())]
        removed += [(op, row["id"]) for row in deleted]
        changes = [Change(op=each, element_id=MemoryId(name), body={}, reason=reason) for each, name in removed]
        await append_changes(writing, self.tenant, user_id, changes, at=self.now)

    def _delete_member_facts(
        self, user_id: str, ids: Sequence[str], facts: Mapping[str, Mapping[str, Any]]
    ) -> Callable[[Writing], Any]:
        async def steps(writing: Writing) -> None:
            await self._lock_users(writing, {user_id})
            ends = await writing.run(statement("lookup/resolve_ids"), {"tenant": self.tenant, "ids": list(ids)})
            roots = sorted({row["root_id"] for row in ends if row["root_id"]})
            merging = MergeWriter(writing=writing, tenant=self.tenant, at=self.now)
            before = await merging.edges_of(roots)
            rows = [facts[name] for name in sorted(facts)]
            await writing.run(statement("forgetting/delete_member_facts"), {"tenant": self.tenant, "rows": rows})
            await merging.project(roots)
            changes = edge_changes(before, await merging.edges_of(roots), UNPROVEN)
            await append_changes(writing, self.tenant, user_id, changes, at=self.now)

        return steps

    async def _lock_users(self, writing: Writing, user_ids: set[str]) -> None:
        ids = sorted(the_user(self.tenant, UserId(user_id)).id for user_id in user_ids)
        await writing.run(statement("locks/lock_users"), {"tenant": self.tenant, "user_node_ids": ids})


# Run for every tenant from time to time, so that orphans and other inconsistencies do not stay
#
# The time of the last run is stored with the tenant: a restart does not repeat it, and only one of several processes
# runs it.


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSchedule:
    """Runs `sync` for tenants whose last run is longer ago than the interval.

    Args:
        sync: checks and repairs one tenant.
        excluded: tenants to leave alone.
    """

    graph: Graph
    sync: Callable[[TenantId], Awaitable[SyncReport]]
    every: timedelta
    clock: Callable[[], datetime]
    excluded: Callable[[], Collection[TenantId]] = tuple

    async def run(self, stop: asyncio.Event) -> None:
        """Run due syncs, one tenant at a time, until `stop` is set."""
        while not stop.is_set():
            with contextlib.suppress(UnavailableError):
                while not stop.is_set() and await self.run_one():
                    pass
            await wait_for_any(stop, timeout_s=min(_CHECK_S, self.every.total_seconds() / 2))

    async def run_one(self) -> bool:
        """Run the sync of the tenant that is most overdue; False if none is due."""
        now = self.clock()
        parameters = {"before": now - self.every, "now": now, "exclude_tenants": sorted(self.excluded())}
        rows = await self.graph.run(statement("repair/claim_due_sync"), parameters)
        if not rows:
            return False
        tenant = TenantId(rows[0]["tenant"])
        try:
            report = await self.sync(tenant)
        except UnavailableError:
            raise
        except MnemosceneError as error:
            _log.warning("a scheduled sync failed; the next one is in %s: %s", self.every, error)
            return True
        found = ", ".join(f"{count} {problem.value}" for problem, count in sorted(report.found.items()))
        level = logging.WARNING if report.errors else logging.INFO
        extra = {"tenant": tenant}
        _log.log(level, "scheduled sync: %d checked, found %s", report.total, found or "nothing", extra=extra)
        return True
