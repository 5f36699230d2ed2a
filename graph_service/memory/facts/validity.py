"""The validity periods of a claim, which `conflicts` computes, and the rules for a single assertion. Pure.

A claim is valid from its first assertion until a message ends it or a conflicting claim is asserted. The later valid
time wins, regardless of the order of arrival. In doubt a period stays open: a claim asserted by the same message, or in
addition ("also"), does not close it unless the caller says that it replaces the claim, and nothing closes again what a
person reopened. Corrections by people outrank extracted assertions: these can neither close a corrected fact nor be
valid against it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from schema.assertion import Assertion, Closing, CorrectionKind, latest_correction
from schema.ids import MemoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """An assertion of a conflicting claim.

    Attributes:
        claim: id of the conflicting claim.
        explicit: the conflicting claim replaces this one according to the caller.
    """

    assertion: Assertion
    claim: str
    why: Closing
    explicit: bool = False


@dataclass(slots=True, kw_only=True)
class ValidityPeriod:
    """A validity period of a claim, with its assertions.

    Attributes:
        contradiction: the assertion of a conflicting claim that closed it, if one did.
        end: the claim's own assertion that closed it, if one did.
    """

    assertions: list[Assertion]
    contradiction: Contradiction | None = None
    end: Assertion | None = None
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
