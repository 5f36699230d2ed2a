"""Copy a tenant's rows to a staging file, consistent as of one sequence number of its change log, while it is written.

Neo4j has no snapshot reads, so everything is read page by page without a lock, and what was written meanwhile is read
again until little is left; the last pass runs in a transaction that locks the end of the change log for a moment. Every
writer of the mind map appends to the log last and keeps that lock until its commit, so the last pass sees exactly the
state as of the last sequence number.

Two things say what was written: the change log names each node and fact, and every transaction that writes messages,
episodes, scenes or the state of a session updates a job of that session.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import SETTLED_S
from graph_service.memory.export_import.row_format import (
    EDGE,
    Row,
    encode_value,
    kind_of_row,
    properties_of,
    without_vectors,
)
from graph_service.memory.export_import.staging import Staging
from schema.change import FORGOTTEN, Op
from schema.errors import NotFoundError
from schema.ids import TenantId
from schema.labels import EXPORTED_KEYS, MIND_MAP_KINDS, Label

ROWS_MAX: Final = 500
# Page size for rows with vectors, which are about ten times as long.
LONG_ROWS_MAX: Final = 100
# Runs a statement, in a transaction of its own or in one that is open.
Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[dict[str, Any]]]]


def _node_rows(stored: Mapping[str, Any]) -> list[Row]:
    """Return the row of a node, and those of its links."""
    labels, properties = stored["labels"], stored["properties"]
    kind = next(label for label in (*MIND_MAP_KINDS, *EXPORTED_KEYS) if label in labels)
    row: Row = {"node": kind.value}
    links = [{"link": link, "from": properties["id"], "to": end} for link, end in stored["links"]]
    return [{**row, "properties": _encoded(row, properties)}, *links]


def _fact_row(stored: Mapping[str, Any]) -> Row:
    row: Row = {EDGE: stored["type"], "from": stored["subject"], "to": stored["object"]}
    return {**row, "properties": _encoded(row, stored["properties"])}


def _encoded(row: Row, stored: Mapping[str, Any]) -> dict[str, Any]:
    model = properties_of(kind_of_row(row))
    return {
        name: encode_value(value, model[name].kind if name in model else "")
        for name, value in stored.items()
        if value is not None
    }


Progress = Callable[[str, int, int], None]
# The last pass follows one that took at most this long.
_SHORT_PASS_S: Final = 0.5
_PASSES_MAX: Final = 20
_IDS_MAX: Final = 200
_JOBS_MAX: Final = 5_000
# Changes before the first read whose commits may still be applied to the graph then.
_UNSETTLED_CHANGES: Final = 300
# Few nodes, which the last pass reads completely.
_SMALL_KINDS: Final = (
    Label.MEMBER_ENTITY,
    Label.MEMBER_FACT,
    Label.REJECTED_MERGE,
    Label.REVISION,
    Label.TOMBSTONE,
    Label.USAGE,
)


class UserErasedError(Exception):
    """A user is being forgotten, or was while the tenant was read; start again."""


class TenantSnapshot:
    """Copy a tenant to a staging file: call `fill`, then `finish`.

    Args:
        staging: a new one.
        vectors: False omits vectors.
    """

    def __init__(
        self, graph: Graph, tenant: TenantId, staging: Staging, *, vectors: bool, on_progress: Progress | None = None
    ) -> None:
        self._graph = graph
        self._tenant = tenant
        self._staging = staging
        self._vectors = vectors
        self._rows_max = LONG_ROWS_MAX if vectors else ROWS_MAX
        self._report = on_progress or (lambda _doing, _done, _total: None)
        self._first = 0
        # Ends of the change log, and changed sessions, with the monotonic times when they were seen. A commit is
        # applied in parts, so what was seen less than SETTLED_S ago is read once more.
        self._ends: list[tuple[float, int]] = []
        self._sessions: dict[str, float] = {}
        staging.replace_by_key()

    async def fill(self) -> None:
        """Read everything once, without a lock.

        Raises:
            NotFoundError: the tenant does not exist.
            UserErasedError: one of its users is being forgotten.
        """
        stored = await self._graph.read(statement("export_import/tenant"), {"tenant": self._tenant})
        if not stored:
            raise NotFoundError(f"nothing is stored for the tenant {self._tenant!r}")
        self._first = stored[0]["tenant"]["seq"]
        self._ends.append((time.monotonic(), max(self._first - _UNSETTLED_CHANGES, 0)))
        await self._note_changed_sessions(self._graph.read, first=True)
        read = 0
        for kind in EXPORTED_KEYS:
            async for rows in self._nodes(self._graph.read, kind):
                read += len(rows)
                await self._add(rows)
                self._report("reading", read, 0)
        async for facts in self._pages(self._graph.read, statement("export_import/facts"), ""):
            read += len(facts)
            await self._add([*map(_fact_row, facts)])
            self._report("reading", read, 0)

    async def finish(self) -> Mapping[str, Any]:
        """Read again what was written meanwhile; return the tenant's properties as of the state that was read.

        Raises:
            UserErasedError: one of its users was forgotten meanwhile.
        """
        for number in range(_PASSES_MAX):
            self._report("catching up", number + 1, 0)
            if await self._catch_up(self._graph.read) <= _SHORT_PASS_S:
                break

        async def steps(writing: Writing) -> Mapping[str, Any]:
            await self._note_changed_sessions(writing.run)
            # Storing messages takes the same locks; sorted, and before the tenant, as in all other writers.
            parameters = {"tenant": self._tenant, "sessions": sorted(self._sessions), "now_ms": int(time.time() * 1000)}
            await writing.run(statement("locks/lock_sessions"), parameters)
            locked = await writing.run(statement("export_import/lock_tenant"), {"tenant": self._tenant})
            await self._catch_up(writing.run)
            self._staging.drop_kinds(_SMALL_KINDS)
            for kind in _SMALL_KINDS:
                async for rows in self._nodes(writing.run, kind):
                    await self._add(rows)
            tenant: Mapping[str, Any] = locked[0]["tenant"]
            return tenant

        tenant = await self._graph.write(steps)
        await asyncio.to_thread(self._staging.drop_dangling)
        return tenant

    async def _catch_up(self, run: Run) -> float:
        """Read again what was written since the last call, and return the seconds it took."""
        began = time.monotonic()
        await self._note_changed_sessions(run)
        await self._read_changed_elements(run, began)
        users: set[str] = set()
        for session in list(self._sessions):
            await asyncio.to_thread(self._staging.drop_sessions, [session])
            # The session with its state, messages, episodes and scenes, and their links.
            of_session = self._pages(run, statement("export_import/nodes_of_session"), "", session=session)
            async for nodes in of_session:
                rows = [row for node in nodes for row in _node_rows(node)]
                await self._add(rows)
                users |= {row["properties"]["user_node_id"] for row in rows if row.get("node") == Label.SESSION}
        await self._replace_elements(run, sorted(users))
        self._sessions = {name: at for name, at in self._sessions.items() if began - at < SETTLED_S}
        return time.monotonic() - began

    async def _note_changed_sessions(self, run: Run, *, first: bool = False) -> None:
        """Add the sessions with new, changed or deleted jobs to `_sessions`; the first time those written just now."""
        after, now = "", time.monotonic()
        touched: list[tuple[int, list[str]]] = []
        page = {"tenant": self._tenant, "rows": _JOBS_MAX}
        while jobs := await run(statement("export_import/job_states"), {**page, "after": after}):
            after = jobs[-1]["key"]
            if any(job["erases_user"] for job in jobs):
                raise UserErasedError
            self._staging.add_job_states([(job["key"], json.dumps(job["sessions"]), job["state"]) for job in jobs])
            if first:
                touched += [(job["touched_ms"], job["sessions"]) for job in jobs]
                latest = max(at for at, _ in touched)
                touched = [(at, sessions) for at, sessions in touched if at >= latest - SETTLED_S * 1000]
        changed = self._staging.take_changed_jobs()
        for sessions in (sessions for _, sessions in touched) if first else map(json.loads, changed):
            self._sessions |= dict.fromkeys(sessions, now)

    async def _read_changed_elements(self, run: Run, began: float) -> None:
        while len(self._ends) > 1 and began - self._ends[1][0] >= SETTLED_S:
            del self._ends[0]
        end = since = self._ends[0][1]
        async for changes in self._nodes(run, Label.CHANGE, after=since):
            properties = [row["properties"] for row in changes]
            end = properties[-1]["seq"]
            ids = sorted({one["element_id"] for one in properties})
            dropped = [
                one["element_id"] for one in properties if one["op"] == Op.NODE_DROP and one["seq"] > self._first
            ]
            if self._staging.any_user(dropped):
                raise UserErasedError
            await self._add(changes)
            await self._replace_elements(run, ids)
            if any(one["reason"] == FORGOTTEN for one in properties):
                # Forgetting also removes the texts of older changes.
                for batch in _batches(ids):
                    parameters = {"tenant": self._tenant, "ids": batch}
                    stored = await run(statement("export_import/changes_of_elements"), parameters)
                    await self._add([row for node in stored for row in _node_rows(node)])
        self._ends.append((began, end))

    async def _replace_elements(self, run: Run, ids: Sequence[str]) -> None:
        for batch in _batches(ids):
            parameters = {"tenant": self._tenant, "vectors": self._vectors, "ids": batch}
            nodes = await run(statement("export_import/nodes_by_id"), parameters)
            facts = await run(statement("export_import/facts_by_id"), parameters)
            await asyncio.to_thread(self._staging.drop_elements, batch)
            await self._add([*(row for node in nodes for row in _node_rows(node)), *map(_fact_row, facts)])

    async def _nodes(self, run: Run, kind: Label, *, after: Any = None) -> AsyncIterator[list[Row]]:
        """Yield the nodes of a kind with their links, by key, those after one if it is given."""
        after = (-1 if kind == Label.CHANGE else "") if after is None else after
        # A value of an item may have a megabyte.
        rows_max = LONG_ROWS_MAX if kind is Label.ITEM else self._rows_max
        async for stored in self._pages(run, statement("export_import/nodes"), after, kind=kind.value, rows=rows_max):
            yield [row for node in stored for row in _node_rows(node)]

    async def _pages(self, run: Run, page: Statement, after: Any, **more: Any) -> AsyncIterator[list[dict[str, Any]]]:
        parameters = {"tenant": self._tenant, "vectors": self._vectors, "rows": self._rows_max, **more}
        while stored := await run(page, {**parameters, "after": after}):
            after = stored[-1]["key"]
            yield stored

    async def _add(self, rows: list[Row]) -> None:
        await asyncio.to_thread(self._staging.add, rows if self._vectors else [without_vectors(row) for row in rows])


def _batches(ids: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while batch := list(islice(rest, _IDS_MAX)):
        yield batch
