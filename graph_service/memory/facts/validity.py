"""Compute the validity periods of a claim from its assertions and those of conflicting claims. Pure.

A claim is valid from its first assertion until a message ends it or a conflicting claim is asserted. The later valid
time wins, regardless of the order of arrival. In doubt a period stays open: a claim asserted by the same message, or in
addition ("also"), does not close it unless the caller says that it replaces the claim, and nothing closes again what a
person reopened. Corrections by people outrank extracted assertions: these can neither close a corrected fact nor be
valid against it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from schema.assertion import Assertion, Closing, CorrectionKind, latest_correction
from schema.ids import MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """An assertion of a conflicting claim.

    Attributes:
        claim: id of the conflicting claim.
        withdraws: a person stated that the conflicting claim has ended; this closes nothing, and cancels the earlier
            corrections that assert that claim, for what begins at that time or later.
        explicit: the conflicting claim replaces this one according to the caller.
    """

    assertion: Assertion
    claim: str
    why: Closing
    withdraws: bool = False
    explicit: bool = False


@dataclass(slots=True, kw_only=True)
class ValidityPeriod:
    """A validity period of a claim, with its assertions.

    Attributes:
        contradiction: the assertion of a conflicting claim that closed it, if one did.
        end: the claim's own assertion that closed it, if one did.
        earlier_conflicts: conflicting claims that were asserted before it began.
        compatible: conflicting claims that do not close it, because both are asserted together.
    """

    assertions: list[Assertion]
    earlier_conflicts: frozenset[str] = frozenset()
    contradiction: Contradiction | None = None
    end: Assertion | None = None
    compatible: set[str] = field(default_factory=set)
    invalid_at: datetime | None = None

    @property
    def opening(self) -> Assertion:
        """Return the first assertion."""
        return self.assertions[0]

    @property
    def closing_assertion(self) -> Assertion | None:
        """Return the assertion that closed it; None while it is open."""
        return self.contradiction.assertion if self.contradiction is not None else self.end

    @property
    def valid_at(self) -> datetime:
        """Return the start of the latest correction by a person, else the earliest start of any assertion."""
        stated = latest_correction(assertion for assertion in self.assertions if assertion.asserts)
        return stated.valid_at if stated is not None else min(assertion.valid_at for assertion in self.assertions)

    @property
    def why(self) -> Closing | None:
        """Return the reason of its end; None while it is open."""
        if self.contradiction is not None:
            return self.contradiction.why
        if self.end is None:
            return None
        if self.end.correction is CorrectionKind.REJECTS:
            return Closing.REJECTED
        return Closing.JUDGED if self.end.judged else Closing.ENDED


SortKey = tuple[datetime, datetime, datetime, int, MemoryId, int]


def validity_periods(  # noqa: C901  one pass over the events, each kind in one branch
    own: Sequence[Assertion], contradictions: Sequence[Contradiction], ignored_closings: frozenset[str] = frozenset()
) -> list[ValidityPeriod]:
    """Return the validity periods of a claim in order; they do not depend on the order of the arguments.

    Args:
        own: assertions of the claim.
        ignored_closings: ids of conflicting claims, and of messages that state its end, that close nothing because a
            person reopened the claim.
    """
    if is_rejected(own):
        return [rejected_period(own, contradictions)]
    if own and not contradictions and not any(assertion.ends for assertion in own):
        # The usual case needs no sorting: one claim, asserted many times, is one period.
        first = min(own, key=_start_key)
        assertions = [first, *(assertion for assertion in own if assertion is not first)]
        return [
            ValidityPeriod(assertions=assertions, earlier_conflicts=ignored_closings, compatible=set(ignored_closings))
        ]
    own_keys = {(assertion.message_id, assertion.valid_at) for assertion in own if not assertion.ends}
    periods: list[ValidityPeriod] = []
    conflicting: set[str] = set(ignored_closings)
    override: Contradiction | None = None
    events: list[tuple[SortKey, Assertion | Contradiction]] = [
        (sort_key(assertion, 2 * assertion.ends), assertion) for assertion in own
    ]
    events += [(sort_key(contradiction.assertion, 1), contradiction) for contradiction in contradictions]
    for _, event in sorted(events, key=_event_key):
        if override is not None and isinstance(event, Assertion) and _is_withdrawn(override, contradictions, event):
            override = None
        if isinstance(event, Contradiction) and event.withdraws:
            continue
        if isinstance(event, Contradiction) and event.explicit:
            if periods and event.claim not in ignored_closings:
                _replace(periods[-1], event)
        elif isinstance(event, Contradiction):
            override = event if event.assertion.asserts and event.claim not in ignored_closings else override
            if periods and not periods[-1].closing_assertion:
                same_message = (event.assertion.message_id, event.assertion.valid_at) in own_keys
                _contradict(periods[-1], event, same_message=same_message)
            conflicting.add(event.claim)
        elif event.ends:
            _end(periods, event, ignored_closings)
        elif periods and continues_period(periods[-1], override, event):
            periods[-1].assertions.append(event)
            periods[-1].compatible |= conflicting if event.adds else set()
        else:
            compatible = set(conflicting if event.adds else ignored_closings)
            period = ValidityPeriod(assertions=[event], earlier_conflicts=frozenset(conflicting), compatible=compatible)
            override = None if event.correction else override
            if override is not None and not event.adds:
                period.contradiction, period.invalid_at = override, event.valid_at
            periods.append(period)
    return periods


def _is_withdrawn(override: Contradiction, contradictions: Sequence[Contradiction], own: Assertion) -> bool:
    """Return whether a person stated that the claim of a correction had ended when an assertion begins."""
    of_claim = [one for one in contradictions if one.claim == override.claim and not one.explicit]
    of_claim.sort(key=lambda one: sort_key(one.assertion, 1))
    later = of_claim[of_claim.index(override) + 1 :]
    return any(one.withdraws and one.assertion.valid_by <= own.valid_by for one in later)


def is_rejected(assertions: Iterable[Assertion]) -> bool:
    """Return whether the latest correction of a fact says that it was never true."""
    last = latest_correction(assertions)
    return last is not None and last.correction is CorrectionKind.REJECTS


def rejected_period(own: Sequence[Assertion], contradictions: Iterable[Contradiction] = ()) -> ValidityPeriod:
    """Return the single, empty period of a rejected claim, with all its assertions.

    Args:
        contradictions: the explicit one of the correction that rejected the claim names the claim that is true instead;
            of several, that of the lowest claim id.
    """
    ordered = sorted(own, key=lambda assertion: sort_key(assertion, assertion.ends))
    period = ValidityPeriod(assertions=ordered, end=latest_correction(own))
    rejected_by = period.end.message_id if period.end is not None else None
    replacing = [one for one in contradictions if one.explicit and one.assertion.message_id == rejected_by]
    if replacing:
        first = min(replacing, key=lambda one: (one.claim, sort_key(one.assertion, one.assertion.ends)))
        period.contradiction = replace(first, why=Closing.REJECTED)
    period.invalid_at = period.valid_at
    return period


def continues_period(period: ValidityPeriod, override: Contradiction | None, assertion: Assertion) -> bool:
    """Return whether an assertion belongs to this period rather than opening a new one.

    True while the period is open, if the assertion was said before the one that closed the period, or if it was
    extracted and the correction that closed the period (`override`) is still in force.
    """
    closing = period.closing_assertion
    if closing is None or assertion.said_at < closing.said_at:
        return True
    closed_by_override = (
        override is not None and period.contradiction is not None and period.contradiction.claim == override.claim
    )
    return closed_by_override and not assertion.correction


def sort_key(assertion: Assertion, rank: int) -> SortKey:
    """Return the sort key of an assertion; `rank` breaks ties: start 0, conflicting claim 1, end 2."""
    return (
        assertion.valid_by,
        assertion.said_at,
        assertion.heard_at,
        assertion.position,
        assertion.message_id,
        rank,
    )


def closing_time(period: ValidityPeriod, closing: Assertion) -> datetime:
    """Return the end of a period: as the closing assertion says, but not before the last assertion of the period."""
    last = max(assertion.valid_at for assertion in period.assertions)
    return closing.valid_at if closing.valid_at >= last else max(closing.valid_by, period.valid_at)


def _event_key(event: tuple[SortKey, Assertion | Contradiction]) -> SortKey:
    return event[0]


def _start_key(assertion: Assertion) -> SortKey:
    return sort_key(assertion, 0)


def _is_protected(period: ValidityPeriod, closing: Assertion) -> bool:
    """Return whether a person stated the fact, and the closing assertion was only extracted."""
    return closing.correction is None and any(assertion.asserts for assertion in period.assertions)


def _contradict(period: ValidityPeriod, contradiction: Contradiction, *, same_message: bool) -> None:
    """Close an open period because of a contradiction, if that can close it.

    It cannot if both claims may be valid together, if this period had already replaced the other claim, or if a person
    stated this one and the other was only extracted.

    Args:
        same_message: one message asserts both claims.
    """
    # "Sometimes I dislike it" does not contradict "I like it", in either order.
    at_times = contradiction.why is Closing.REVERSED and any(assertion.adds for assertion in period.assertions)
    if same_message or contradiction.assertion.adds or at_times:
        period.compatible.add(contradiction.claim)
    # "I have lived in Oslo since May", said in July, replaced "I live in Paris", said in June, not the reverse.
    replaced_before = (
        contradiction.claim in period.earlier_conflicts and contradiction.assertion.said_at < period.opening.said_at
    )
    if (
        contradiction.claim not in period.compatible
        and not replaced_before
        and not _is_protected(period, contradiction.assertion)
    ):
        period.contradiction, period.invalid_at = contradiction, closing_time(period, contradiction.assertion)


def _replace(period: ValidityPeriod, contradiction: Contradiction) -> None:
    """Close an open period because another claim replaces it according to the caller."""
    if not period.closing_assertion and not _is_protected(period, contradiction.assertion):
        period.contradiction, period.invalid_at = contradiction, closing_time(period, contradiction.assertion)


def _end(periods: list[ValidityPeriod], end: Assertion, ignored_closings: frozenset[str]) -> None:
    if not periods:
        periods.append(ValidityPeriod(assertions=[end], end=end, invalid_at=end.valid_at))
        return
    last = periods[-1]
    if not last.closing_assertion and end.message_id not in ignored_closings and not _is_protected(last, end):
        last.end, last.invalid_at = end, closing_time(last, end)
    last.assertions.append(end)
