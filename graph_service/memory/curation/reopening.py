"""Why a fact does not hold any more, and taking that back: a closed fact is reopened, never made anew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.change_log.payloads import fact_change
from graph_service.memory.consolidation.plan import FACT_CHARS, run_off_loop_if_large
from graph_service.memory.facts.bitemporal import AsOf, holds, known_end
from graph_service.memory.facts.claims import PlannedFact, known_claims, told_of
from graph_service.memory.facts.closing import ClosingView, closing_of, times_of
from graph_service.memory.facts.lookup import facts_near
from graph_service.memory.facts.reconciliation import planned
from graph_service.memory.facts.rivalry import Rivalry
from graph_service.memory.facts.rows import fact_row
from graph_service.memory.facts.validity import ValidityPeriod
from graph_service.memory.facts.writer import put_facts, want_vectors
from schema.errors import ConflictError, InputError, NotFoundError
from schema.fact import Claim, KnownFact
from schema.ids import MemoryId, TenantId, memory_id, user_uri
from schema.limits import LIMITS
from schema.telling import Closing
from schema.timespan import iso


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStatus:
    """A fact and whether it holds.

    Attributes:
        holds: at the moment asked for, by what was known then.
        invalid_at, closing: when it ceased to hold and why; None while it does, or while that was not known.
    """

    id: MemoryId
    statement: str
    valid_at: datetime
    invalid_at: datetime | None
    holds: bool
    closing: ClosingView | None


async def standing_of(graph: Graph, tenant: TenantId, fact_id: str, moments: AsOf) -> FactStatus:
    """Return whether a fact held at a moment, and why not.

    Raises:
        NotFoundError: the tenant has no such fact, or it was not known then.
    """
    edge = _edge(await graph.read(statement("lookup/fact_by_id"), {"tenant": tenant, "id": fact_id}), fact_id)["edge"]
    times = times_of(edge)
    if moments.known_at is not None and times.known_at > moments.known_at:
        raise NotFoundError(f"the fact {fact_id!r} was not known then, but since {iso(times.known_at)}; ask with that")
    end = known_end(times, moments.known_at)
    return FactStatus(
        id=edge["id"],
        statement=edge["statement"],
        valid_at=edge["valid_at"],
        invalid_at=end,
        holds=holds(times, moments),
        closing=await closing_of(graph, tenant, edge) if end is not None else None,
    )


async def reopen_fact(graph: Graph, tenant: TenantId, fact_id: str, reason: str, *, at: datetime) -> MemoryId:
    """Let a closed fact hold again; what closed it closes it no more, however often it is read. Returns its id.

    Raises:
        InputError: there is no reason, or it is too long.
        NotFoundError: the tenant has no such fact.
        ConflictError: it holds, it is part of another time of the same fact, or it is of merged entities.
    """
    if not reason.strip() or len(reason) > LIMITS.name_chars:
        raise InputError(f"the reason {reason!r} must have 1 to {LIMITS.name_chars} characters; say why it still holds")

    async def steps(writing: Writing) -> MemoryId:
        wanted = {"tenant": tenant, "id": fact_id}
        user_id = _edge(await writing.run(statement("lookup/fact_by_id"), wanted), fact_id)["edge"]["user_id"]
        user = memory_id(user_uri(tenant, user_id))
        await writing.run(statement("locks/lock_memory"), {"tenant": tenant, "user_node_id": user})
        # Read again: only now nobody else can change it.
        row = _edge(await writing.run(statement("lookup/fact_by_id"), wanted), fact_id)
        _check_closed(row["edge"])
        claim = Claim(row["source"]["id"], row["predicate"], row["edge"]["relation"], row["target"]["id"])
        near = await facts_near(writing, tenant, claim)
        items = await run_off_loop_if_large(partial(reopening, near, claim, fact_id), len(near) * FACT_CHARS)
        rows = [fact_row(item, tenant=tenant, user_id=user_id, recorded_at=at) for item in items]
        await want_vectors(writing, tenant, await put_facts(writing, tenant, rows), at=at)
        changes = [
            fact_change(replace(item, reason=f"reopened: {reason}") if item.fact.id == fact_id else item, put)
            for item, put in zip(items, rows, strict=True)
        ]
        await append_changes(writing, tenant, user_id, changes, at=at)
        return MemoryId(fact_id)

    return await graph.write(steps)


def _check_closed(edge: Mapping[str, Any]) -> None:
    if edge["invalid_at"] is None:
        raise ConflictError(f"the fact {edge['id']!r} holds; there is nothing to reopen")
    if edge["closed_why"] == Closing.REJECTED:
        raise ConflictError(f"a person rejected the fact {edge['id']!r}; undo that correction")
    if edge["closed_why"] == Closing.JOINED:
        raise ConflictError(f"the fact {edge['id']!r} is part of an earlier time of the same fact; reopen that one")
    if edge["merged"]:
        raise ConflictError(
            f"the fact {edge['id']!r} is of merged entities; split them, reopen it, and merge them again"
        )


def reopening(known: Sequence[KnownFact], claim: Claim, fact_id: str) -> list[PlannedFact]:
    """Return what must be written so that a closed fact holds: all that closes it is spared, one after the other. Pure.

    Raises:
        ConflictError: nobody said that it ever held.
    """
    board = known_claims(known)
    owners = {str(fact.id): str(one.id) for one in board.values() for fact in one.spells}
    standing = next(fact for fact in board[claim].spells if fact.id == fact_id)
    slot, closers, rivalry = standing.slot, _closers(standing, owners), Rivalry(board)
    while closers:
        before = board[claim]
        if closers <= before.reopened:
            raise ConflictError(f"of the fact {fact_id!r} was only said that it is over; say that it holds instead")
        board[claim] = before = replace(before, reopened=before.reopened | closers)
        found = rivalry.spells(claim, spare=slot)
        board[claim] = replace(before, reopened=before.reopened | found.spared)
        # Without what closed an earlier spell, this one may be a part of that.
        slot = min(slot, len(found.spells) - 1)
        closers = _closers_of(found.spells[slot])
    return [item for item in planned(board, {claim}) if item.fact.claim == claim]


def _closers(fact: KnownFact, owners: Mapping[str, str]) -> set[str]:
    if fact.closed_by is not None:
        return {owners.get(fact.closed_by, fact.closed_by)}
    return {telling.message_id for telling in told_of(fact) if telling.ends}


def _closers_of(spell: ValidityPeriod) -> set[str]:
    if spell.blow is not None:
        return {spell.blow.claim}
    return {telling.message_id for telling in spell.told if telling.ends} if spell.end is not None else set()


def _edge(rows: list[Row], fact_id: str) -> Row:
    if not rows:
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; take an id from recall or from the map")
    return rows[0]
