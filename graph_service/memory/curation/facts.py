"""Read facts, their status and history, and profiles; reopen closed facts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes, fact_change
from graph_service.memory.consolidation.plan import FACT_CHARS, run_off_loop_if_large
from graph_service.memory.facts.bitemporal import resolve_as_of
from graph_service.memory.facts.claims import PlannedFact, former_wordings, known_claims
from graph_service.memory.facts.conflict_resolution import SubjectKey, content_of
from graph_service.memory.facts.conflicts import ConflictIndex, PeriodCalculator
from graph_service.memory.facts.reconciliation import liking_key, replan
from graph_service.memory.facts.stored import (
    ClosingView,
    FactWithEnds,
    closing_of,
    closing_texts,
    closing_view,
    enqueue_embedding,
    fact_by_id,
    fact_row,
    fact_with_ends,
    put_facts,
    related_facts,
)
from graph_service.memory.facts.validity import ValidityPeriod
from graph_service.memory.profile.reader import ProfilePart, profile_of
from schema.assertion import Closing
from schema.errors import ConflictError, InputError, NotFoundError
from schema.fact import Claim, Fact
from schema.ids import MemoryId, TenantId, agent_uri, memory_id, to_element_id, user_uri
from schema.limits import LIMITS
from schema.profile import Category
from schema.timespan import iso

VERSIONS_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStatus:
    """A fact and whether it is valid.

    Attributes:
        fact: the fact as of the transaction time; an end that was not known then is left out.
        recorded_at: when it was first stored.
        holds: it is valid at the valid time, as of the transaction time.
        closing: reason why it was closed; None while it is open.
    """

    fact: Fact
    recorded_at: datetime
    holds: bool
    closing: ClosingView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVersion:
    """A fact in the history of another: another validity period, or a fact that it replaced or was replaced by.

    Attributes:
        fact: the fact as of the requested transaction time; an end that was not known then is left out.
        subject, object: their names.
        known_at: transaction time of the fact.
        closing: reason why it was closed; None while it is open.
    """

    fact: Fact
    subject: str
    object: str
    known_at: datetime
    closing: ClosingView | None


class Facts:
    """Operations on single facts and on profiles.

    Args:
        notify: called with the tenant after each commit.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], datetime], notify: Callable[[str], None]) -> None:
        self._graph = graph
        self._clock = clock
        self._notify = notify

    async def status(
        self, tenant: TenantId, fact_id: str, *, valid_at: datetime | None = None, as_of: datetime | None = None
    ) -> FactStatus:
        """Return a fact and whether it is valid.

        Args:
            valid_at: valid time; `as_of`, or now, if None.
            as_of: transaction time; the latest state if None.

        Raises:
            NotFoundError: the tenant has no such fact, or it was not known at `as_of`.
        """
        moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=self._clock())
        found = _found_or_raise(await fact_by_id(self._graph.read, tenant, fact_id), fact_id)
        if moments.known_at is not None and found.known_at > moments.known_at:
            raise NotFoundError(f"the fact {fact_id!r} was not known then; use a known time from {iso(found.known_at)}")
        fact = found.as_known(moments.known_at)
        closing = await closing_of(self._graph, tenant, fact)
        return FactStatus(fact=fact, recorded_at=found.recorded_at, holds=found.holds(moments), closing=closing)

    async def history(self, tenant: TenantId, fact_id: str, *, as_of: datetime | None = None) -> list[FactVersion]:
        """Return the versions of a fact, itself included, by start of validity; at most `VERSIONS_MAX`.

        A former statement is a version with the id and valid times of its fact, directly before it.

        Args:
            as_of: transaction time; later knowledge is ignored.

        Raises:
            NotFoundError: the tenant has no such fact.
        """
        known_at = resolve_as_of(valid_at=None, as_of=as_of, now=self._clock()).known_at
        found = await fact_by_id(self._graph.read, tenant, fact_id)
        if found is None or found.fact.predicate == "MENTIONED":
            raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; use an id from recall or from the map")
        claim, closer = found.fact.claim, found.fact.closed_by
        key = SubjectKey().with_content(content_of(found.fact))
        parameters = {
            "tenant": tenant,
            "subject_id": claim.subject_id,
            "predicates": sorted(key.predicates),
            "object_id": claim.object_id,
            "attributes": sorted(key.attributes),
            "ids": [found.fact.id, *([closer] if closer else [])],
            "rows_max": VERSIONS_MAX,
        }
        stored = [fact_with_ends(row) for row in await self._graph.read(statement("curation/fact_history"), parameters)]
        related = versions_in([one.fact for one in stored], found.fact)
        versions = [
            replace(one, fact=one.as_known(known_at))
            for one in stored
            if one.fact.id in related and (known_at is None or one.known_at <= known_at)
        ]
        texts = await closing_texts(self._graph, tenant, [one.fact for one in versions])
        return [
            version
            for one in versions
            for version in (
                *_wording_versions(one, known_at),
                FactVersion(
                    fact=one.fact,
                    subject=one.subject.name,
                    object=one.object.name,
                    known_at=one.known_at,
                    closing=closing_view(one.fact, texts),
                ),
            )
        ][:VERSIONS_MAX]

    async def reopen(self, tenant: TenantId, fact_id: str, reason: str) -> FactStatus:
        """Reopen a closed fact; what closed it cannot close it again.

        Raises:
            InputError: the reason is empty or too long.
            NotFoundError: the tenant has no such fact.
            ConflictError: it is open, part of another fact, or belongs to merged entities.
        """
        if not reason.strip() or len(reason) > LIMITS.name_chars:
            raise InputError(
                f"the reason {reason!r} must have 1 to {LIMITS.name_chars} characters; say why the fact is still valid"
            )
        fact_id, at = to_element_id(fact_id), self._clock()

        async def steps(writing: Writing) -> None:
            user_id = _found_or_raise(await fact_by_id(writing.run, tenant, fact_id), fact_id).user_id
            user = memory_id(user_uri(tenant, user_id))
            await writing.run(statement("locks/lock_memory"), {"tenant": tenant, "user_node_id": user})
            # Read again under the lock.
            found = _found_or_raise(await fact_by_id(writing.run, tenant, fact_id), fact_id)
            _check_closed(found)
            claim = found.fact.claim
            related = await related_facts(writing, tenant, content_of(found.fact))
            items = await run_off_loop_if_large(
                partial(plan_reopening, related, claim, fact_id), len(related) * FACT_CHARS
            )
            rows = [fact_row(item, tenant=tenant, user_id=user_id, recorded_at=at) for item in items]
            await enqueue_embedding(writing, tenant, await put_facts(writing, tenant, rows), at=at)
            changes = [
                fact_change(replace(item, reason=f"reopened: {reason}") if item.fact.id == fact_id else item, put)
                for item, put in zip(items, rows, strict=True)
            ]
            await append_changes(writing, tenant, user_id, changes, at=at)

        await self._graph.write(steps)
        self._notify(tenant)
        return await self.status(tenant, fact_id)

    async def profile(
        self,
        tenant: TenantId,
        user_id: str,
        *,
        agent_id: str | None = None,
        category: Category | None = None,
        valid_at: datetime | None = None,
        as_of: datetime | None = None,
    ) -> list[ProfilePart]:
        """Return the profile of a user, or of an agent of this user; all categories, or one.

        Args:
            valid_at: valid time; `as_of`, or now, if None.
            as_of: transaction time; the latest state if None.
        """
        uri = user_uri(tenant, user_id) if agent_id is None else agent_uri(tenant, user_id, agent_id)
        moments = resolve_as_of(valid_at=valid_at, as_of=as_of, now=self._clock())
        return await profile_of(self._graph, tenant, memory_id(uri), moments, category=category)


def _check_closed(found: FactWithEnds) -> None:
    fact = found.fact
    if fact.invalid_at is None:
        raise ConflictError(f"the fact {fact.id!r} is open; there is nothing to reopen")
    if fact.closing_reason is Closing.REJECTED:
        raise ConflictError(f"the fact {fact.id!r} was rejected by a person; undo that correction")
    if fact.closing_reason is Closing.MERGED:
        raise ConflictError(f"the fact {fact.id!r} is part of another one that says the same; factHistory names it")
    if found.merged:
        raise ConflictError(
            f"the fact {fact.id!r} belongs to merged entities; split them, reopen it, and merge them again"
        )


def plan_reopening(known: Sequence[Fact], claim: Claim, fact_id: str) -> list[PlannedFact]:
    """Return the facts to write so that a closed fact is open, by disabling its closers one after the other. Pure.

    Raises:
        ConflictError: only its end was ever asserted.
    """
    claims = known_claims(known)
    claim_ids = {str(fact.id): str(one.id) for one in claims.values() for fact in one.periods}
    period = next(fact for fact in claims[claim].periods if fact.id == fact_id)
    period_index, closers, calculator = period.slot, _closers(period, claim_ids), PeriodCalculator(claims)
    while closers:
        state = claims[claim]
        if closers <= state.ignored_closings:
            raise ConflictError(
                f"the fact {fact_id!r} was only ever mentioned as ended; store a message that says it is valid"
            )
        claims[claim] = state = replace(state, ignored_closings=state.ignored_closings | closers)
        result = calculator.periods(claim, keep_open=period_index)
        claims[claim] = replace(state, ignored_closings=state.ignored_closings | result.ignored)
        # Without its closer, an earlier period may extend and absorb this one.
        period_index = min(period_index, len(result.periods) - 1)
        closers = _closers_of(result.periods[period_index])
    liked = liking_key(claim)
    return [
        item
        for item in replan(claims, {claim})
        if item.fact.claim == claim or (liked is not None and liking_key(item.fact.claim) == liked)
    ]


def _closers(fact: Fact, claim_ids: Mapping[str, str]) -> set[str]:
    if fact.closed_by is not None:
        return {claim_ids.get(fact.closed_by, fact.closed_by)}
    return {assertion.message_id for assertion in fact.assertions if assertion.ends}


def _closers_of(period: ValidityPeriod) -> set[str]:
    if period.contradiction is not None:
        return {period.contradiction.claim}
    return (
        {assertion.message_id for assertion in period.assertions if assertion.ends} if period.end is not None else set()
    )


def _found_or_raise(found: FactWithEnds | None, fact_id: str) -> FactWithEnds:
    if found is None:
        raise NotFoundError(f"there is no fact {fact_id!r} in this tenant; use an id from recall or from the map")
    return found


def _wording_versions(one: FactWithEnds, known_at: datetime | None) -> Iterator[FactVersion]:
    """Yield a version of a fact for each of its former statements."""
    for former in former_wordings(one.fact):
        if known_at is not None and former.until > known_at:
            continue
        text = f"it was put into other words: {one.fact.statement}"
        yield FactVersion(
            fact=replace(
                one.fact,
                statement=former.statement,
                evidence=(former.message_id,),
                closing_known_at=former.until,
            ),
            subject=one.subject.name,
            object=one.object.name,
            known_at=former.known_at,
            closing=ClosingView(
                reason=Closing.REPLACED, text=text, fact_id=one.fact.id, fact_statement=one.fact.statement
            ),
        )


def versions_in(facts: Sequence[Fact], fact: Fact) -> set[MemoryId]:
    """Return the ids of facts of this and conflicting claims, those that `fact` closed, and their closers. Pure."""
    claims = known_claims(facts)
    related = ConflictIndex(claims).of_all({fact.claim} & claims.keys())
    ids = {one.id for one in facts if one.claim in related or one.closed_by == fact.id}
    return ids | {one.closed_by for one in facts if one.id in ids and one.closed_by}
