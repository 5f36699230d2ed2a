"""Find the claims that can close a claim, and compute its validity periods without comparing all of them. Pure.

Assertions of conflicting claims are sorted once per group of claims, shared by all claims of the group, and found by
binary search. So a thousand successive homes cost about a thousand searches, not a million comparisons.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Final, NamedTuple

from extraction.entities.place_hierarchy import is_region, other_level
from graph_service.memory.facts.claims import KnownClaim
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
from schema.fact import Claim
from schema.ids import MemoryId
from schema.predicates import whitelist

# Bounds the time for one claim: at most this many assertions that do not close it are read one by one, far more than a
# person states. Periods not closed by then stay open.
_COMPARISONS_MAX: Final = 20_000

# Sort key of the assertion, index of its claim, and its index within the claim.
_Key = tuple[SortKey, int, int]
_Group = tuple[str, ...]


@cache
def _opposites(predicate: str) -> tuple[str, ...]:
    """Return the predicates that close this one for the same object."""
    return tuple(name for name, rule in whitelist().items() if rule.opposite == predicate and name != predicate)


def _attribute_group(known: KnownClaim) -> _Group | None:
    """Return the group of claims about the same attribute of a subject; None if the claim states no attribute."""
    attribute = known.attribute
    return None if attribute is None else ("one", known.claim.subject_id, known.claim.predicate, attribute.key)


def _same_value(one: KnownClaim, other: KnownClaim) -> bool:
    """Return whether two claims state the same value, in any wording or spelling."""
    return one.claim.object_id == other.claim.object_id or one.value == other.value


def _closes_attribute(known: KnownClaim) -> bool:
    """Return whether a claim can close others of its attribute: it is single-valued, or a message reports a change."""
    attribute = known.attribute
    return attribute is not None and (attribute.one or any(one.changes for one in known.assertions))


def _object_group(claim: Claim, predicate: str) -> _Group:
    """Return the group of claims with the same subject and object and this predicate, with any relation."""
    return "about", claim.subject_id, predicate, claim.object_id


class ConflictIndex:
    """An index of claims that finds conflicting ones without comparing all pairs.

    Args:
        claims: all claims, in an order that breaks ties.
    """

    def __init__(self, claims: Mapping[Claim, KnownClaim]) -> None:
        self.position = {claim: position for position, claim in enumerate(claims)}
        self._claims = claims
        self._groups: dict[_Group, list[Claim]] = {}
        # Claims of an attribute group that can close others of it.
        self._closers: dict[_Group, list[Claim]] = {}
        # Claims that replace others according to the caller, by the id of the replaced claim.
        self._replacing: dict[MemoryId, list[Claim]] = {}
        # Computed on first use, because few claims replace others by id.
        self._by_id: dict[MemoryId, Claim] | None = None
        for claim, known in claims.items():
            self._groups.setdefault(_object_group(claim, claim.predicate), []).append(claim)
            group = _attribute_group(known)
            if group is not None:
                self._groups.setdefault(group, []).append(claim)
            if group is not None and _closes_attribute(known):
                self._closers.setdefault(group, []).append(claim)
            for replaced in known.replaces - ({known.id} if known.replaces else set()):
                self._replacing.setdefault(replaced, []).append(claim)

    def members(self, group: _Group) -> list[Claim]:
        """Return the claims of a group."""
        return self._groups.get(group, [])

    def closers(self, group: _Group) -> list[Claim]:
        """Return the claims of an attribute group that can close others of it."""
        return self._closers.get(group, [])

    def replacing(self, known: KnownClaim) -> list[Claim]:
        """Return the claims that name this claim in their `replaces`."""
        return self._replacing.get(known.id, []) if self._replacing else []

    def _replaced_by(self, known: KnownClaim) -> list[Claim]:
        if not known.replaces:
            return []
        if self._by_id is None:
            self._by_id = {one.id: claim for claim, one in self._claims.items()}
        return [self._by_id[name] for name in sorted(known.replaces) if name in self._by_id]

    def of_all(self, claims: Collection[Claim]) -> set[Claim]:
        """Return some claims, and the claims that can close each of them or be closed by it."""
        found, groups = set(claims), set[_Group]()
        # For each attribute, at most two of the claims: of different values, so that any other claim differs from one.
        values: dict[tuple[_Group, bool], list[KnownClaim]] = {}
        for claim in claims:
            known = self._claims[claim]
            found.update(self.replacing(known), self._replaced_by(known))
            groups.update(_object_group(claim, name) for name in _opposites(claim.predicate))
            if claim.relation is None:
                groups.add(_object_group(claim, claim.predicate))
            elif (bare := claim._replace(relation=None)) in self.position:
                found.add(bare)
            if (group := _attribute_group(known)) is not None:
                differing = values.setdefault((group, _closes_attribute(known)), [])
                if not differing or (len(differing) == 1 and not _same_value(differing[0], known)):
                    differing.append(known)
        for group in groups:
            found.update(self.members(group))
        for (group, closes), differing in values.items():
            members = self.members(group) if closes else self.closers(group)
            found.update(m for m in members if not all(_same_value(one, self._claims[m]) for one in differing))
        return found


@dataclass(slots=True)
class _ConflictingClaim:
    """A claim with its assertions that can close others, in temporal order.

    Attributes:
        withdrawals: sort keys of the statements by people that the claim has ended.
    """

    id: MemoryId
    claim: Claim
    value: str
    told: list[tuple[_Key, Assertion]]
    withdrawals: list[_Key]


class _Row(NamedTuple):
    """An assertion of a conflicting claim."""

    key: _Key
    claim: _ConflictingClaim
    assertion: Assertion


_KEY: Final = itemgetter(0)


class _AssertionStream:
    """The assertions of conflicting claims in temporal order.

    Args:
        explicit: the claims replace the other one according to the caller, so nothing makes them compatible.

    Attributes:
        closing: those that can close a period: additions ("also") cannot.
        corrections: those of `closing` that can close a period that a person stated.
        stated: corrections that assert a claim, which override what is extracted later.
    """

    def __init__(self, claims: Iterable[_ConflictingClaim], why: Closing, *, explicit: bool = False) -> None:
        rows = sorted((_Row(key, claim, one) for claim in claims for key, one in claim.told), key=_KEY)
        self.why = why
        self.explicit = explicit
        self.closing = [row for row in rows if explicit or not row.assertion.adds]
        self.corrections = [row for row in self.closing if row.assertion.correction is not None]
        self.stated = [row for row in rows if row.assertion.asserts and not explicit]

    def contradiction(self, row: _Row) -> Contradiction:
        return Contradiction(assertion=row.assertion, claim=row.claim.id, why=self.why, explicit=self.explicit)


class ClaimPeriods(NamedTuple):
    """The validity periods of a claim.

    Attributes:
        ignored: ids of conflicting claims that would have closed the period that `keep_open` names.
    """

    periods: list[ValidityPeriod]
    ignored: set[str]


class PeriodCalculator:
    """Compute the validity periods of claims that may close each other.

    Args:
        claims: all claims; later only their `ignored_closings` may change.
    """

    def __init__(self, claims: Mapping[Claim, KnownClaim]) -> None:
        self._claims = claims
        self._index = ConflictIndex(claims)
        self._ids: dict[Claim, MemoryId] = {}
        self._streams: dict[tuple[_Group, bool | None, Closing], _AssertionStream] = {}

    def periods(self, claim: Claim, *, keep_open: int | None = None) -> ClaimPeriods:
        """Return the validity periods of a claim in order; they do not depend on the order of its assertions.

        Args:
            keep_open: index of a period that conflicting claims do not close; `ignored` of the result lists them. A
                claim stated by a person, or one that closed an earlier period, still closes it.
        """
        known = self._claims[claim]
        if is_rejected(known.assertions):
            return ClaimPeriods([rejected_period(known.assertions, self._replacements(claim))], set())
        asserting, ending, excluded = self._streams_of(claim)
        search = _PeriodSearch(
            known=known,
            asserting=asserting,
            ending=ending,
            excluded=excluded,
            keep_open=keep_open,
            value=known.value,
            own_times={(one.message_id, one.valid_at) for one in known.assertions if not one.ends},
            ignored=set(known.ignored_closings),
        )
        return search.run()

    def _replacements(self, claim: Claim) -> Iterator[Contradiction]:
        """Yield the assertions of other claims, even of rejected ones, that replace a claim according to the caller."""
        known = self._claims[claim]
        for other in self._index.replacing(known):
            for one in self._claims[other].assertions:
                if other != claim and not one.ends and known.id in one.replaces:
                    yield Contradiction(assertion=one, claim=self.id_of(other), why=Closing.REPLACED, explicit=True)

    def id_of(self, claim: Claim) -> MemoryId:
        """Return the id of a claim, cached because it is a hash."""
        if claim not in self._ids:
            self._ids[claim] = self._claims[claim].id
        return self._ids[claim]

    def _streams_of(self, claim: Claim) -> tuple[list[_AssertionStream], list[_AssertionStream], set[Claim]]:
        """Return the assertions of other claims that affect a claim.

        Returns:
            Streams whose assertions close it; streams whose ends also end it; and claims that never close it.
        """
        known = self._claims[claim]
        group, excluded = _attribute_group(known), {claim}
        asserting: list[_AssertionStream] = []
        if group is not None and self._index.closers(group):
            asserting.append(self._stream(group, Closing.REPLACED, self._is_region(claim)))
        for name in _opposites(claim.predicate):
            about = _object_group(claim, name)
            if self._index.members(about):
                asserting.append(self._stream(about, Closing.REVERSED))
                opposite = claim._replace(predicate=name)
                known_opposite = self._claims.get(opposite)
                # A person who lives in Paris also lives in France, so a city and a region do not conflict.
                if known_opposite is not None and other_level(known.object_name, known_opposite.object_name):
                    excluded.add(opposite)
        # Last: of two contradictions at the same time, the first stream gives the reason.
        if replacing := self._index.replacing(known):
            claims = self._conflicting_claims(replacing, Closing.REPLACED, replaced=known.id)
            asserting.append(_AssertionStream(claims, Closing.REPLACED, explicit=True))
        ending = []
        if claim.relation is not None and claim._replace(relation=None) in self._claims:
            ending.append(self._stream(_object_group(claim, claim.predicate), Closing.ENDED))
        return asserting, ending, excluded

    def _is_region(self, claim: Claim) -> bool | None:
        """Return whether the object is a region or country; None if its name is unknown."""
        name = self._claims[claim].object_name
        return is_region(name) if name else None

    def _stream(self, group: _Group, why: Closing, region: bool | None = None) -> _AssertionStream:
        """Return the assertions of a group that close other claims for this reason.

        Args:
            region: only claims whose object is a region or country, or is none, or is unknown; None for all.
        """
        key = (group, region, why)
        if key not in self._streams:
            members = self._index.closers(group) if why is Closing.REPLACED else self._index.members(group)
            if why is Closing.ENDED:
                members = [one for one in members if one.relation is None]
            if region is not None:
                members = [one for one in members if self._is_region(one) in (region, None)]
            self._streams[key] = _AssertionStream(self._conflicting_claims(members, why), why)
        return self._streams[key]

    def _conflicting_claims(
        self, claims: Iterable[Claim], why: Closing, *, replaced: MemoryId | None = None
    ) -> Iterator[_ConflictingClaim]:
        """Yield those of the claims that close others for this reason, without those that a person rejected.

        Args:
            replaced: only assertions that replace the claim with this id according to the caller.
        """
        for claim in claims:
            known = self._claims[claim]
            if is_rejected(known.assertions):
                continue
            position = self._index.position[claim]
            told = sorted(
                (((sort_key(one, 1), position, at), one) for at, one in enumerate(known.assertions)), key=_KEY
            )
            selected = [(key, one) for key, one in told if _is_selected(known, one, why, replaced)]
            if selected:
                ends = [key for key, one in told if one.ends and one.correction is not None]
                yield _ConflictingClaim(self.id_of(claim), claim, known.value, selected, ends)


def _is_selected(known: KnownClaim, assertion: Assertion, why: Closing, replaced: MemoryId | None) -> bool:
    """Return whether an assertion of a claim closes others for this reason (`_conflicting_claims`)."""
    if assertion.ends or why is Closing.ENDED:
        return assertion.ends and why is Closing.ENDED
    if replaced is not None:
        return replaced in assertion.replaces
    attribute = known.attribute
    return why is Closing.REVERSED or assertion.changes or (attribute is not None and attribute.one)


@dataclass(slots=True, kw_only=True)
class _PeriodSearch:
    """One pass over the assertions of a claim that builds its validity periods.

    Attributes:
        excluded: claims of the streams that do not conflict.
        value: of the claim; claims with the same value or object do not conflict.
        own_times: message and start of its assertions; a conflicting claim in the same message closes nothing.
        ignored: ids of claims that close nothing, because a person reopened the period.
        closers: ids of the claims that closed a period so far.
        since: sort key of the last new period stated by a person; older corrections do not override it.
        opened: sort key of the first assertion of the last period.
        compatible_until: conflicting claims first asserted before this key may be valid together with the last period.
        asserted: a person stated the last period.
        adds: a message says that the last period is valid in addition to others.
        compatible: ids of conflicting claims that are valid together with the last period.
    """

    known: KnownClaim
    asserting: Sequence[_AssertionStream]
    ending: Sequence[_AssertionStream]
    excluded: Collection[Claim]
    keep_open: int | None
    value: str
    own_times: Collection[tuple[MemoryId, datetime]]
    ignored: set[str]
    comparisons_left: int = _COMPARISONS_MAX
    periods: list[ValidityPeriod] = field(default_factory=list)
    newly_ignored: set[str] = field(default_factory=set)
    closers: set[str] = field(default_factory=set)
    since: SortKey | None = None
    opened: SortKey | None = None
    compatible_until: SortKey | None = None
    asserted: bool = False
    adds: bool = False
    compatible: set[str] = field(default_factory=set)

    def run(self) -> ClaimPeriods:
        events = sorted(((sort_key(one, 2 * one.ends), one) for one in self.known.assertions), key=_KEY)
        for place, (key, assertion) in enumerate(events):
            until = events[place + 1][0] if place + 1 < len(events) else None
            if assertion.ends:
                self._end(assertion, key)
            else:
                self._start(assertion, key)
            if not self.periods[-1].closing_assertion:
                self._close_if_contradicted(key, until)
        return ClaimPeriods(self.periods, self.newly_ignored)

    def _start(self, assertion: Assertion, key: SortKey) -> None:
        override = self._override(key)
        if self.periods and continues_period(self.periods[-1], override, assertion):
            self.periods[-1].assertions.append(assertion)
            self._add(key, assertion)
            return
        period = ValidityPeriod(assertions=[assertion])
        self._begin(period, key)
        if assertion.correction:
            self.since = key
        elif override is not None and not assertion.adds:
            period.contradiction, period.invalid_at = override, assertion.valid_at
            self.closers.add(override.claim)

    def _end(self, end: Assertion, key: SortKey) -> None:
        if not self.periods:
            self._begin(ValidityPeriod(assertions=[end], end=end, invalid_at=end.valid_at), key)
            return
        last = self.periods[-1]
        is_protected = end.correction is None and self.asserted
        if not last.closing_assertion and end.message_id not in self.known.ignored_closings and not is_protected:
            last.end, last.invalid_at = end, closing_time(last, end)
        last.assertions.append(end)
        self._add(key, end)

    def _begin(self, period: ValidityPeriod, key: SortKey) -> None:
        self.periods.append(period)
        self.opened, self.compatible_until, self.asserted, self.adds = key, None, False, False
        self.compatible.clear()
        self._add(key, period.opening)

    def _add(self, key: SortKey, assertion: Assertion) -> None:
        self.asserted = self.asserted or assertion.asserts
        self.adds = self.adds or assertion.adds
        if assertion.adds and not assertion.ends:
            self.compatible_until = key

    def _close_if_contradicted(self, after: SortKey, until: SortKey | None) -> None:
        """Close the open period with the first contradiction between two sort keys, if there is one."""
        last = self.periods[-1]
        streams = [one for one in (*self.asserting, *self.ending) if not (one.why is Closing.REVERSED and self.adds)]
        while True:
            hits = [(row, one) for one in streams if (row := self._first_closing(one, after, until)) is not None]
            if not hits:
                return
            row, stream = min(hits, key=lambda hit: hit[0].key)
            contradiction = stream.contradiction(row)
            if not self._may_ignore(contradiction):
                last.contradiction, last.invalid_at = contradiction, closing_time(last, contradiction.assertion)
                self.closers.add(contradiction.claim)
                return
            self.newly_ignored.add(contradiction.claim)
            self.ignored.add(contradiction.claim)
            after = row.key[0]

    def _first_closing(self, stream: _AssertionStream, after: SortKey, until: SortKey | None) -> _Row | None:
        """Return the first assertion of a stream between two sort keys that closes the open period."""
        rows = stream.corrections if self.asserted else stream.closing
        end = len(rows) if until is None else bisect_left(rows, (until,), key=_KEY)
        for at in range(bisect_right(rows, (after,), key=_KEY), end):
            if self.comparisons_left <= 0:
                return None
            self.comparisons_left -= 1
            if self._closes(stream, rows[at]):
                return rows[at]
        return None

    def _closes(self, stream: _AssertionStream, row: _Row) -> bool:
        """Return whether an assertion of a stream closes the open period."""
        if row.claim.id in self.ignored:
            return False
        if stream.explicit:
            return True
        in_own_message = (row.assertion.message_id, row.assertion.valid_at) in self.own_times
        return not in_own_message and not self._agrees(stream, row.claim) and not self._is_compatible(row)

    def _agrees(self, stream: _AssertionStream, other: _ConflictingClaim) -> bool:
        """Return whether a claim of a stream states the same value, or does not conflict for another reason."""
        same_value = other.value == self.value or other.claim.object_id == self.known.claim.object_id
        return (stream.why is Closing.REPLACED and same_value) or other.claim in self.excluded

    def _is_compatible(self, row: _Row) -> bool:
        """Return whether a conflicting claim was valid before, or is valid together with the open period."""
        assert self.opened is not None, "a period is open"
        other, first = row.claim, row.claim.told[0][0][0]
        if other.id in self.compatible:
            return True
        if first < self.opened and row.assertion.said_at < self.periods[-1].opening.said_at:
            return True
        if (self.compatible_until is not None and first < self.compatible_until) or self._was_told_together(row):
            self.compatible.add(other.id)
            return True
        return False

    def _was_told_together(self, row: _Row) -> bool:
        """Return whether a message of the open period, before an assertion, says that both claims are valid."""
        told = row.claim.told
        for at in range(bisect_right(told, (self.opened,), key=_KEY), len(told)):
            key, one = told[at]
            if key >= row.key:
                return False
            if one.adds or (one.message_id, one.valid_at) in self.own_times:
                return True
            self.comparisons_left -= 1
        return False

    def _may_ignore(self, contradiction: Contradiction) -> bool:
        """Return whether to ignore the contradicting claim, so that a reopened fact stays open.

        True only if this is the period to keep open, no person stated the claim, and it closed no earlier period.
        """
        is_kept_open = len(self.periods) - 1 == self.keep_open
        return is_kept_open and not contradiction.assertion.asserts and contradiction.claim not in self.closers

    def _override(self, key: SortKey) -> Contradiction | None:
        """Return the last correction before a key that asserts a conflicting claim, unless it was withdrawn.

        A fact that begins when a person ended the claim of the correction does not contradict it.
        """
        last = [(row, stream) for stream in self.asserting if (row := self._last_stated(stream, key)) is not None]
        if not last:
            return None
        row, stream = max(last, key=lambda pair: pair[0].key)
        withdrawals = row.claim.withdrawals
        place = bisect_right(withdrawals, row.key)
        withdrawn = place < len(withdrawals) and withdrawals[place][0][0] <= key[0]
        return None if withdrawn else stream.contradiction(row)

    def _last_stated(self, stream: _AssertionStream, until: SortKey) -> _Row | None:
        """Return the last correction of a stream in [`since`, `until`) that asserts a conflicting claim."""
        for at in range(bisect_left(stream.stated, (until,), key=_KEY) - 1, -1, -1):
            row = stream.stated[at]
            if self.since is not None and row.key[0] < self.since:
                return None
            if not self._agrees(stream, row.claim) and row.claim.id not in self.ignored:
                return row
        return None
