"""Compute validity periods by comparing every assertion with every other: the oracle of `facts.conflicts`."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graph_service.memory.facts.validity import (
    Contradiction,
    SortKey,
    ValidityPeriod,
    closing_time,
    continues_period,
    is_rejected,
    rejected_period,
    sort_key,
)
from schema.assertion import Assertion, Closing


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal(Contradiction):
    """A person stated that the conflicting claim has ended.

    It closes nothing, and cancels the earlier corrections that assert that claim, for what begins then or later.
    """


@dataclass(slots=True, kw_only=True)
class ComparedPeriod(ValidityPeriod):
    """A validity period, with what the comparison remembers.

    Attributes:
        earlier_conflicts: conflicting claims that were asserted before it began.
        compatible: conflicting claims that do not close it, because both are asserted together.
    """

    earlier_conflicts: frozenset[str] = frozenset()
    compatible: set[str] = field(default_factory=set)


def validity_periods(  # noqa: C901  one pass over the events, each kind in one branch
    own: Sequence[Assertion], contradictions: Sequence[Contradiction], ignored_closings: frozenset[str] = frozenset()
) -> list[ComparedPeriod]:
    """Return the validity periods of a claim in order; they do not depend on the order of the arguments.

    Args:
        own: assertions of the claim.
        ignored_closings: ids of conflicting claims, and of messages that state its end, that close nothing because a
            person reopened the claim.
    """
    if is_rejected(own):
        rejected = rejected_period(own, contradictions)
        return [
            ComparedPeriod(
                assertions=rejected.assertions,
                contradiction=rejected.contradiction,
                end=rejected.end,
                invalid_at=rejected.invalid_at,
            )
        ]
    own_keys = {(assertion.message_id, assertion.valid_at) for assertion in own if not assertion.ends}
    periods: list[ComparedPeriod] = []
    conflicting: set[str] = set(ignored_closings)
    override: Contradiction | None = None
    events: list[tuple[SortKey, Assertion | Contradiction]] = [
        (sort_key(assertion, 2 * assertion.ends), assertion) for assertion in own
    ]
    events += [(sort_key(contradiction.assertion, 1), contradiction) for contradiction in contradictions]
    for _, event in sorted(events, key=_event_key):
        if override is not None and isinstance(event, Assertion) and _is_withdrawn(override, contradictions, event):
            override = None
        if isinstance(event, Withdrawal):
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
            period = ComparedPeriod(assertions=[event], earlier_conflicts=frozenset(conflicting), compatible=compatible)
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
    return any(isinstance(one, Withdrawal) and one.assertion.valid_by <= own.valid_by for one in later)


def _event_key(event: tuple[SortKey, Assertion | Contradiction]) -> SortKey:
    return event[0]


def _is_protected(period: ComparedPeriod, closing: Assertion) -> bool:
    """Return whether a person stated the fact, and the closing assertion was only extracted."""
    return closing.correction is None and any(assertion.asserts for assertion in period.assertions)


def _contradict(period: ComparedPeriod, contradiction: Contradiction, *, same_message: bool) -> None:
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


def _replace(period: ComparedPeriod, contradiction: Contradiction) -> None:
    """Close an open period because another claim replaces it according to the caller."""
    if not period.closing_assertion and not _is_protected(period, contradiction.assertion):
        period.contradiction, period.invalid_at = contradiction, closing_time(period, contradiction.assertion)


def _end(periods: list[ComparedPeriod], end: Assertion, ignored_closings: frozenset[str]) -> None:
    if not periods:
        periods.append(ComparedPeriod(assertions=[end], end=end, invalid_at=end.valid_at))
        return
    last = periods[-1]
    if not last.closing_assertion and end.message_id not in ignored_closings and not _is_protected(last, end):
        last.end, last.invalid_at = end, closing_time(last, end)
    last.assertions.append(end)
