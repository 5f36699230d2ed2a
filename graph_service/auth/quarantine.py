"""Quarantine of tenants: after a suspected leak an operator stops reads or writes until it is clear what happened.

Nothing is deleted, background jobs of the tenant wait, and ending the quarantine restores everything. Administrators
may still read, export and delete, and so may the operator on the command line. The same way an operator pauses the
embedding of a tenant alone, for example while the endpoint is overloaded or costs too much.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, NoReturn

from pydantic import TypeAdapter

from graph_service.auth.access import Requirement, Role
from graph_service.auth.disk_copy import DiskCopy
from graph_service.auth.rules import READ
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.jobs.outbox import JobKind
from graph_service.supervision import wait_for_any
from schema.errors import ConflictError, InputError, QuarantinedError, UnavailableError
from schema.ids import TenantId

_log = logging.getLogger("mnemoscene.quarantine")

# Age of the list in a process that did not make the change itself.
RELOAD_S: Final = 2.0
_REASON_CHARS_MAX: Final = 1_000


class QuarantineMode(StrEnum):
    """The part that is stopped: requests and all background jobs, or only the computation of vectors."""

    READ_ONLY = "read_only"  # writes
    CLOSED = "closed"  # reads and writes
    EMBEDDING = "embedding"  # no request; only embedding jobs wait


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineState:
    """The quarantine of a tenant; its background jobs wait.

    Attributes:
        tenant: the tenant.
        mode: which requests are refused.
        reason: why, as free text.
        since: when it began.
    """

    tenant: TenantId
    mode: QuarantineMode
    reason: str
    since: datetime


_STORED: Final = TypeAdapter(tuple[QuarantineState, ...])


class Quarantine:
    """The tenants in quarantine, as this process knows them; reloaded every two seconds.

    Args:
        file: where the last list is stored, for a process that starts while the database is unavailable and answers
            from its copies of memories.
    """

    def __init__(self, graph: Graph, *, file: Path) -> None:
        self._graph = graph
        self._copy = DiskCopy(file, _STORED)
        self._states: Mapping[TenantId, QuarantineState] = {}
        self._changed = asyncio.Event()

    @property
    def tenants(self) -> frozenset[TenantId]:
        """Return the tenants in quarantine, of which no job runs."""
        return frozenset(state.tenant for state in self._states.values() if state.mode is not QuarantineMode.EMBEDDING)

    def paused(self, kind: JobKind) -> frozenset[TenantId]:
        """Return the tenants whose jobs of a kind wait."""
        return frozenset(self._states) if kind is JobKind.EMBED else self.tenants

    def of(self, tenant: TenantId) -> QuarantineState | None:
        return self._states.get(tenant)

    def check(self, tenant: TenantId, need: Requirement, what: str) -> None:
        """Refuse a request that the quarantine of the tenant does not allow; administration is allowed.

        Raises:
            QuarantinedError: the tenant is in quarantine.
        """
        state = self._states.get(tenant)
        if state is None or state.mode is QuarantineMode.EMBEDDING or need.role in (None, Role.ADMIN):
            return
        if need.role is Role.READ and state.mode is QuarantineMode.READ_ONLY:
            return
        refused = "only reads are" if state.mode is QuarantineMode.READ_ONLY else "only administration is"
        raise QuarantinedError(
            f"{what} is refused: this tenant is in quarantine since {state.since:%Y-%m-%d %H:%M} UTC, and {refused}"
            " allowed; an administrator of the service can end it"
        )

    async def raise_when_closed(self, tenant: TenantId, what: str) -> NoReturn:
        """Wait until reads of the tenant are refused.

        Raises:
            QuarantinedError: they are.
        """
        while True:
            self.check(tenant, READ, what)
            await self._changed.wait()

    async def begin(self, tenant: TenantId, mode: QuarantineMode, reason: str) -> QuarantineState:
        """Put a tenant into quarantine, or change its mode and reason; or pause only its embedding.

        Raises:
            InputError: the reason is empty or too long.
            ConflictError: only the embedding is to be paused, which would allow the requests that are refused now.
        """
        if problem := text_problem(reason, _REASON_CHARS_MAX):
            raise InputError(f"reason {problem}")
        await self.load()
        if mode is QuarantineMode.EMBEDDING and tenant in self.tenants:
            raise ConflictError("the tenant is in quarantine, so its embedding waits already; end the quarantine first")
        parameters: dict[str, object] = {"tenant": tenant, "epoch": secrets.token_hex(4), "mode": mode.value}
        parameters |= {"reason": reason, "now": datetime.now(UTC)}
        await self._graph.run(statement("quarantine/begin_quarantine"), parameters)
        await self.load()
        _log.warning("jobs or requests of a tenant were stopped: %s", mode.value, extra={"tenant": tenant})
        return self._states[tenant]

    async def end(self, tenant: TenantId) -> bool:
        """End the quarantine of a tenant; return whether there was one."""
        rows = await self._graph.run(statement("quarantine/end_quarantine"), {"tenant": tenant})
        await self.load()
        if rows:
            _log.warning("the quarantine of a tenant was ended", extra={"tenant": tenant})
        return bool(rows)

    async def load(self, graph: Graph | None = None) -> None:
        """Read the list from the database.

        Args:
            graph: a connection to read from while the process's own is not open yet.
        """
        rows = await (graph or self._graph).read(statement("quarantine/list_quarantined"), {})
        states = _STORED.validate_python([{**row, "reason": row["reason"] or ""} for row in rows])
        self._set(states)
        await asyncio.to_thread(self._copy.put, states)

    async def load_copy(self) -> None:
        """Read the list that was stored on disk, which counts until the database answers."""
        listed = await asyncio.to_thread(self._copy.get)
        self._set(listed or ())

    def _set(self, listed: Iterable[QuarantineState]) -> None:
        states = {state.tenant: state for state in listed}
        if states != self._states:
            self._states = states
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()

    async def run(self, stop: asyncio.Event) -> None:
        """Reload the list until `stop` is set; while Neo4j is away, the last list counts."""
        while not stop.is_set():
            with contextlib.suppress(UnavailableError):
                await self.load()
            await wait_for_any(stop, timeout_s=RELOAD_S)
