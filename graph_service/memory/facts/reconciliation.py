"""Decide which facts to write, from the stored and the accepted ones; no other module does. Pure.

Each accepted fact is added to a stored claim or starts a new one (`conflict_resolution`). Validity periods are computed
from all assertions of the claim and of conflicting claims (`conflicts`), so order of arrival and repetition do not
matter. Claims without a new assertion or a conflict with a changed claim never change.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Final

from extraction.entities.attributes import names_favorite
from extraction.llm.fact_judge import FactVerdict, Judgement
from extraction.text.near_duplicates import bands, simhash
from graph_service.memory.facts.claims import (
    KnownClaim,
    PlannedFact,
    absorbed_fact,
    accepted_claim,
    ended,
    fact_of_period,
    known_claims,
    merge_claims,
    merged_fact,
    reduced,
    supported_fact,
)
from graph_service.memory.facts.conflict_resolution import FactAction, resolve
from graph_service.memory.facts.conflicts import ConflictIndex, PeriodCalculator
from graph_service.memory.facts.validity import ValidityPeriod
from schema.assertion import CLOSING_TEXTS, Assertion, Closing
from schema.fact import AcceptedFact, Claim, Fact
from schema.ids import MemoryId

# Precedence of a statement that a model joined from two, before every reader's.
_JOINED_RANK: Final = -1
# Maximum number of near-duplicates that a new fact is compared with.
_NEAR_MAX: Final = 32


class FactEventKind(StrEnum):
    """The result of reconciling an extracted or provided fact."""

    ADD = "add"
    UPDATE = "update"
    MERGE = "merge"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactEvent:
    """The result for one accepted or rejected fact; it contains no text, so that nothing forgotten stays in it.

    Attributes:
        scene: id of the scene that states it.
        fact_id: the stored fact that it became or was merged into; None if it was rejected.
        known_id: UPDATE: the known fact that it ended; MERGE and IGNORE: the known fact that says the same.
        messages: ids of its evidence messages.
    """

    kind: FactEventKind
    scene: MemoryId
    reason: str
    fact_id: MemoryId | None = None
    known_id: MemoryId | None = None
    messages: tuple[MemoryId, ...] = ()


def plan_facts(
    known: Sequence[Fact],
    accepted: Iterable[tuple[AcceptedFact, MemoryId]],
    judged: Mapping[Claim, FactVerdict] = MappingProxyType({}),
    *,
    events: list[FactEvent] | None = None,
    refined: Collection[MemoryId] = (),
    withdrawn: list[Fact] | None = None,
) -> list[PlannedFact]:
    """Return the facts to write so that the graph contains the accepted ones.

    Args:
        known: all stored facts that an accepted one may repeat, close or be closed by, and those in conflict with them.
        accepted: facts with the id of their scene.
        judged: a model's verdicts on accepted facts that would otherwise be valid alongside stored ones, by claim.
        events: what becomes of each accepted fact is appended.
        refined: scenes that a model read; what only the local reader found there is withdrawn. So is what it found in
            a message that an accepted fact corrects.
        withdrawn: stored facts of which nothing is left are appended, ordered by id; they are to be deleted.

    Returns:
        New and changed facts only, ordered by id.
    """
    claims = {claim: _ClaimBuilder(one, frozenset(refined)) for claim, one in known_claims(known).items()}
    told = list(accepted)
    _withdraw_corrected(told, claims)
    index = _NearDuplicateIndex()
    # Latest last, because a new fact is compared with the latest near-duplicates only.
    for one in sorted(claims.values(), key=lambda one: (one.view.last_seen, *_claim_order(one.view.claim))):
        index.put(one.view)
    touched: set[Claim] = set()
    outcomes: list[tuple[FactEvent, Claim, Claim | None]] = []
    ordered = sorted(
        _applicable(told, claims), key=lambda pair: (pair[0].valid_at, pair[0].closes, pair[0].statement, pair[1])
    )
    for fact, scene in ordered:
        new = accepted_claim(fact, scene)
        # A correction is taken literally, never as a near-duplicate of another fact.
        near, verdict = index.near(fact), judged.get(fact.claim)
        if verdict is not None:
            # Stored before it was judged.
            near = [one for one in near if one.claim != fact.claim or not one.is_unconfirmed]
        action, same = (None, None) if fact.correction else resolve(fact, near)
        if same is not None:
            new = replace(new, claim=same.claim)
        verdict = verdict if same is None else None
        applied = _apply_judgement(new, verdict, claims)
        if verdict is not None and applied[0].claim != fact.claim and fact.claim in claims:
            claims[fact.claim].moved = True
        outcomes.append(_outcome(fact, scene, applied, claims, verdict, action))
        for more in applied:
            before = claims.get(more.claim)
            if before is None:
                claims[more.claim] = _ClaimBuilder(more)
            else:
                before.add(more)
            index.put(claims[more.claim].view)
            touched.add(more.claim)
    settled = {claim: one.settled() for claim, one in claims.items()}
    touched |= {claim for claim, one in claims.items() if one.is_withdrawable}
    planned = replan({claim: one.merged() for claim, one in claims.items()}, touched, settled)
    if events is not None:
        events += _events(outcomes, claims, planned)
    if withdrawn is not None:
        gone = (fact for claim, one in claims.items() if settled[claim] is None for fact in one.merged().periods)
        withdrawn += sorted(gone, key=lambda fact: fact.id)
    return planned


def _withdraw_corrected(
    accepted: Iterable[tuple[AcceptedFact, MemoryId]], claims: Mapping[Claim, "_ClaimBuilder"]
) -> None:
    for fact, _ in accepted:
        if fact.withdraws is not None and fact.claim in claims:
            claims[fact.claim].corrected.add(fact.withdraws)


def _applicable(
    accepted: Iterable[tuple[AcceptedFact, MemoryId]], claims: Mapping[Claim, "_ClaimBuilder"]
) -> list[tuple[AcceptedFact, MemoryId]]:
    """Return the accepted facts without the ends of what only corrected messages said: it was never true."""
    return [
        (fact, scene)
        for fact, scene in accepted
        if not (fact.closes and fact.corrects) or (fact.claim in claims and claims[fact.claim].has_settled)
    ]


_SAYS_THE_SAME: Final = "a known fact says the same"
_REASONS: Final = {
    Judgement.SAME: "the model says that a known fact says the same",
    Judgement.COMPLETES: "the model joined it with a known fact that it completes",
    Judgement.REPLACES: "the model says that a known fact is not true any more",
}


def _outcome(
    fact: AcceptedFact,
    scene: MemoryId,
    applied: Sequence[KnownClaim],
    claims: Mapping[Claim, "_ClaimBuilder"],
    verdict: FactVerdict | None,
    action: FactAction | None,
) -> tuple[FactEvent, Claim, Claim | None]:
    """Return the event of an accepted fact, still without ids of facts, its claim, and the claim that it replaced."""
    claim, replaced = applied[0].claim, None
    kind, reason = FactEventKind.ADD, "nothing known says the same or contradicts it"
    if verdict is not None and (len(applied) > 1 or claim == verdict.known):
        kind, reason = FactEventKind.MERGE, _REASONS[verdict.judgement]
        if verdict.judgement is Judgement.REPLACES:
            kind, replaced = FactEventKind.UPDATE, verdict.known
    elif fact.closes:
        kind, reason = FactEventKind.UPDATE, "it says that a known fact has ended"
    elif action is FactAction.IGNORE:
        kind, reason = FactEventKind.IGNORE, "these messages are evidence of the same fact already"
    elif claim in claims:
        kind, reason = FactEventKind.MERGE, _SAYS_THE_SAME
    messages = tuple(sorted({proof.message_id for proof in fact.proofs}))
    return FactEvent(kind=kind, scene=scene, reason=reason, messages=messages), claim, replaced


def _events(
    outcomes: Sequence[tuple[FactEvent, Claim, Claim | None]],
    claims: Mapping[Claim, "_ClaimBuilder"],
    planned: Sequence[PlannedFact],
) -> list[FactEvent]:
    """Return the events with the ids of the facts that were written; a fact that ended another one is an UPDATE."""
    by_claim: dict[Claim, list[Fact]] = {}
    ended_by: dict[MemoryId, PlannedFact] = {}
    for item in planned:
        by_claim.setdefault(item.fact.claim, []).append(item.fact)
        is_newly_closed = item.before is None or item.before.invalid_at is None
        if item.fact.closed_by is not None and item.fact.closing_reason is not Closing.MERGED and is_newly_closed:
            ended_by[item.fact.closed_by] = item
    events = []
    for event, claim, replaced in outcomes:
        own = by_claim.get(claim, [])
        written = next((one for one in own if not {*one.evidence}.isdisjoint(event.messages)), None)
        fact_id = written.id if written is not None else claims[claim].view.id
        ended = ended_by.get(fact_id)
        kind, reason = event.kind, event.reason
        if written is not None and written.closing_reason is Closing.MERGED and written.closed_by is not None:
            kind, reason, fact_id = FactEventKind.MERGE, _SAYS_THE_SAME, written.closed_by
        if ended is not None and kind is not FactEventKind.UPDATE:
            kind, reason = FactEventKind.UPDATE, ended.reason
        # A claim that a model said to be replaced ends itself, so no other fact names it.
        of_replaced = by_claim.get(replaced, []) if replaced is not None else []
        known_id = next((one.id for one in of_replaced if one.invalid_at is not None), ended.fact.id if ended else None)
        if kind in (FactEventKind.MERGE, FactEventKind.IGNORE):
            known_id = fact_id
        events.append(replace(event, kind=kind, reason=reason, fact_id=fact_id, known_id=known_id))
    return events


class _ClaimBuilder:
    """Collect the assertions of a claim and merge them only once; `view` is the claim as one fact.

    Args:
        refined: scenes whose unconfirmed assertions `settled` leaves out.

    Attributes:
        corrected: ids of messages that later ones correct; what the local reader found in them was never true.
        moved: a verdict made its unconfirmed assertions part of another claim.
    """

    def __init__(self, claim: KnownClaim, refined: frozenset[MemoryId] = frozenset()) -> None:
        self._known, self._added = claim, list[KnownClaim]()
        self.corrected = set[MemoryId]()
        self.moved = False
        self._refined = refined
        self._parts = [claim]
        self._wording = claim.wording
        self._is_open = any(one.invalid_at is None for one in claim.periods)
        self._is_stated = bool(claim.corrections)
        self.view = _view(claim)

    @property
    def is_withdrawable(self) -> bool:
        """True if `settled` may differ from `merged`."""
        return bool(self._known.periods) and any(map(self._is_withdrawn, self._known.assertions))

    @property
    def has_settled(self) -> bool:
        """True if some of what is stored is not withdrawn."""
        return not all(map(self._is_withdrawn, self._known.assertions))

    def _is_withdrawn(self, assertion: Assertion) -> bool:
        corrected = assertion.local and assertion.message_id in self.corrected
        return corrected or (assertion.unconfirmed and (self.moved or assertion.scene_id in self._refined))

    def settled(self) -> KnownClaim | None:
        """Return the claim without what was withdrawn or never true; None if nothing is left."""
        if not self.is_withdrawable:
            return self.merged()
        left = reduced(self._known, [one for one in self._known.assertions if not self._is_withdrawn(one)])
        # A verdict that ends a withdrawn fact ends nothing.
        parts = [part for part in self._added if not all(one.judged for one in part.assertions)]
        if left.assertions:
            return merge_claims([left, *self._added])
        if not parts:
            return None
        known = self._known
        name = known.object_name or parts[0].object_name
        first = replace(parts[0], first_uri=known.first_uri, periods=known.periods, object_name=name)
        return merge_claims([first, *parts[1:]])

    def add(self, more: KnownClaim) -> None:
        self._parts.append(more)
        self._added.append(more)
        self._wording = self._wording.merged(more.wording)
        self._is_stated = self._is_stated or bool(more.corrections)
        if self._is_open:
            return
        if self._is_stated:
            self.view = _view(self.merged())
        else:
            name = self.view.object_name or more.object_name
            self.view = replace(self.view, statement=self._wording.statement, object_name=name)

    def merged(self) -> KnownClaim:
        if len(self._parts) > 1:
            self._parts = [merge_claims(self._parts)]
        return self._parts[0]


def _apply_judgement(
    new: KnownClaim, judged: FactVerdict | None, claims: Mapping[Claim, _ClaimBuilder]
) -> list[KnownClaim]:
    """Apply a model's verdict on a new claim, and return the claims to store.

    A claim that says the same, or completes it, becomes part of the known claim; one that replaces it is returned
    together with the end of the known claim. A verdict about a claim that is not in `claims` is ignored.
    """
    builder = None if judged is None else claims.get(judged.known)
    known = None if builder is None else builder.merged()
    if judged is None or known is None or known.claim == new.claim or any(one.ends for one in new.assertions):
        return [new]
    if judged.judgement is Judgement.SAME:
        return [replace(new, claim=known.claim, first_uri=known.first_uri)]
    if judged.judgement is Judgement.COMPLETES:
        if judged.statement is None or (known.claim.object_id != new.claim.object_id and known.value != new.value):
            return [new]
        # The joined statement comes before that of the known claim, which it contains.
        rank = (*known.wording.rank[:4], _JOINED_RANK, judged.statement)
        wording = replace(new.wording, statement=judged.statement, rank=rank)
        wordings = new.wordings | {f"{one.message_id}:{judged.statement}" for one in new.assertions}
        return [replace(new, claim=known.claim, first_uri=known.first_uri, wording=wording, wordings=wordings)]
    known_start = min(one.valid_at for one in known.assertions)
    # A fact that became true earlier cannot have ended a later one.
    ends = tuple(replace(ended(one), judged=True) for one in new.assertions if one.valid_at >= known_start)
    return [new, replace(known, assertions=ends, quotes=frozenset())] if ends else [new]


def replan(
    claims: dict[Claim, KnownClaim],
    touched: Collection[Claim],
    settled: Mapping[Claim, KnownClaim | None] = MappingProxyType({}),
) -> list[PlannedFact]:
    """Compute the periods of changed claims and of those that conflict with them; return the facts to write.

    Args:
        claims: all claims with their new assertions; `periods` are still the stored ones.
        touched: claims with new assertions, reopened, or withdrawn.
        settled: what is left of claims after withdrawals; None for nothing.
    """
    affected = ConflictIndex(claims).of_all(touched)
    claims = {claim: left for claim, one in claims.items() if (left := settled.get(claim, one)) is not None}
    liked = {key for claim in affected if (key := liking_key(claim))}
    affected = (affected & claims.keys()) | {claim for claim in claims if liked and liking_key(claim) in liked}
    calculator = PeriodCalculator(claims)
    periods_of = {claim: calculator.periods(claim).periods for claim in sorted(affected, key=_claim_order)}
    closing_facts = _closing_facts(claims, periods_of, calculator)
    planned = [
        item
        for claim, periods in periods_of.items()
        for item in _planned_periods(claims[claim], periods, closing_facts)
    ]
    changed = [item for item in _with_likings_merged(planned) if item.fact != item.before]
    return sorted(changed, key=lambda item: item.fact.id)


def liking_key(claim: Claim) -> tuple[MemoryId, MemoryId] | None:
    """Return the subject and object of a liking, such as of a favorite; None for other claims."""
    is_liking = claim.predicate == "PREFERS" and (claim.relation is None or names_favorite(claim.relation))
    return (claim.subject_id, claim.object_id) if is_liking else None


def _with_likings_merged(planned: Sequence[PlannedFact]) -> list[PlannedFact]:
    """Merge the open likings of each object into the first that says what it is the favorite of.

    The others become evidence of that one, but keep their assertions: when another favorite of the category takes its
    place, they are valid again. What a person stated is not merged.
    """
    groups: dict[tuple[MemoryId, MemoryId], list[Fact]] = {}
    for item in planned:
        if item.fact.invalid_at is None and (key := liking_key(item.fact.claim)):
            groups.setdefault(key, []).append(item.fact)
    merged: dict[MemoryId, Fact] = {}
    for group in groups.values():
        favorites = [fact for fact in group if fact.relation is not None]
        first = min(favorites, key=lambda fact: (fact.valid_at, fact.first_seen, fact.id), default=None)
        repeats = [fact for fact in group if fact is not first and not fact.corrections]
        if first is not None and repeats:
            merged |= {fact.id: merged_fact(fact, first) for fact in repeats}
            merged[first.id] = supported_fact(first, repeats)
    return [
        replace(item, fact=fact, reason=_reason(fact, item.before)) if (fact := merged.get(item.fact.id)) else item
        for item in planned
    ]


def _claim_order(claim: Claim) -> tuple[str, ...]:
    return tuple(part or "" for part in claim)


@dataclass(slots=True)
class _NearDuplicateIndex:
    """An index of known facts that finds near-duplicate statements.

    Attributes:
        by_band: claims by SimHash band, each with the number of its last `put`, in ascending order.
    """

    facts: dict[Claim, Fact] = field(default_factory=dict)
    by_band: dict[str, dict[Claim, int]] = field(default_factory=dict)
    puts: int = 0

    def put(self, fact: Fact) -> None:
        self.facts[fact.claim] = fact
        self.puts += 1
        for band in bands(simhash(fact.statement)):
            alike = self.by_band.setdefault(band, {})
            alike.pop(fact.claim, None)
            alike[fact.claim] = self.puts

    def near(self, fact: AcceptedFact) -> list[Fact]:
        """Return the latest near-duplicates of a fact, at most `_NEAR_MAX`, and the fact of the same claim."""
        found: dict[Claim, int] = {}
        for band in bands(simhash(fact.statement)):
            found |= islice(reversed(self.by_band.get(band, {}).items()), _NEAR_MAX)
        latest = sorted(found, key=found.__getitem__, reverse=True)[:_NEAR_MAX]
        return [self.facts[claim] for claim in sorted({*latest} | ({fact.claim} & self.facts.keys()), key=_claim_order)]


def _view(claim: KnownClaim) -> Fact:
    """Return a claim as one fact for comparisons: its open period or, without one, a fact with all its assertions."""
    open_now = next((one for one in claim.periods if one.invalid_at is None), None)
    if open_now is not None:
        return replace(open_now, assertions=claim.assertions)
    return fact_of_period(
        claim, 0, ValidityPeriod(assertions=sorted(claim.assertions, key=lambda one: one.valid_at)), None
    )


def _closing_facts(
    claims: dict[Claim, KnownClaim], periods_of: dict[Claim, list[ValidityPeriod]], calculator: PeriodCalculator
) -> dict[tuple[str, MemoryId, bool], MemoryId]:
    """Map assertions of closing claims, as (claim id, message id, `ends`), to the ids of the facts that have them."""
    closing = {
        period.contradiction.claim
        for periods in periods_of.values()
        for period in periods
        if period.contradiction is not None
    }
    closing_facts: dict[tuple[str, MemoryId, bool], MemoryId] = {}
    for claim, one in claims.items():
        claim_id = calculator.id_of(claim)
        if claim_id not in closing:
            continue
        if claim not in periods_of:
            by_fact = [(fact.id, fact.assertions) for fact in one.periods]
        else:
            by_fact = [(one.period_id(slot), tuple(period.assertions)) for slot, period in enumerate(periods_of[claim])]
        for fact_id, assertions in by_fact:
            closing_facts |= {(claim_id, assertion.message_id, assertion.ends): fact_id for assertion in assertions}
    return closing_facts


def _planned_periods(
    claim: KnownClaim, periods: Sequence[ValidityPeriod], closing_facts: dict[tuple[str, MemoryId, bool], MemoryId]
) -> list[PlannedFact]:
    before = {fact.slot: fact for fact in claim.periods}
    quotes: dict[str, set[str]] = {}
    for quote in claim.quotes if len(periods) > 1 else ():
        quotes.setdefault(quote.partition(":")[0], set()).add(quote)
    items = []
    for slot, period in enumerate(periods):
        contradiction = period.contradiction
        closed_by = (
            None
            if contradiction is None
            else closing_facts[contradiction.claim, contradiction.assertion.message_id, contradiction.assertion.ends]
        )
        narrowed = claim
        if len(periods) > 1:
            # Select the quotes of this period first, so that the cost is linear in periods and quotes.
            own = frozenset(quote for assertion in period.assertions for quote in quotes.get(assertion.message_id, ()))
            narrowed = replace(claim, quotes=own)
        fact = fact_of_period(narrowed, slot, period, closed_by)
        items.append(PlannedFact(fact=fact, before=before.get(slot), reason=_reason(fact, before.get(slot))))
    surplus = [known for slot, known in sorted(before.items()) if slot >= len(periods)]
    last = [max(claim.assertions, key=lambda assertion: assertion.heard_at)] if surplus else []
    items += [
        PlannedFact(fact=absorbed_fact(known, last), before=known, reason=CLOSING_TEXTS[Closing.MERGED])
        for known in surplus
    ]
    return items


def _reason(fact: Fact, before: Fact | None) -> str:
    """Return why a fact is written, for the change log."""
    closed = fact.closing_reason is not None and (before is None or before.invalid_at is None)
    if set(fact.corrections) - set(before.corrections if before else ()):
        return "stated by a person"
    is_merged = fact.closing_reason is Closing.MERGED
    if before is None and not is_merged:
        return "older than what is known" if closed and fact.closed_by else "read from a scene"
    if closed and fact.closing_reason is not None:
        return CLOSING_TEXTS[fact.closing_reason]
    if before is not None and before.invalid_at is not None and fact.invalid_at is None:
        return "valid again"
    return "said again"
