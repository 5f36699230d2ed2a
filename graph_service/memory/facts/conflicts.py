"""Find the claims that can close a claim, and compute its validity periods without comparing all of them. Pure.

Assertions of conflicting claims are sorted once per group of claims, shared by all claims of the group, and found by
binary search. So a thousand successive homes cost about a thousand searches, not a million comparisons.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from extraction.entities.place_hierarchy import is_region
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

# Bounds the time for one claim: at most this many compatible assertions are skipped one by one, far more than a person
# states. Periods not closed by then stay open.
_COMPARISONS_MAX: Final = 20_000

# Sort key of the assertion, index of its claim, and its index within the claim.
_Key = tuple[SortKey, int, int]
_Group = tuple[str, ...]
# Message id and start: assertions with the same pair come from one statement in a message.
_MessageTime = tuple[MemoryId, datetime]


# Selections of a claim's assertions that can close others: all starts, those that close another value of its attribute,
# or ends.
_STARTING: Final = "starts"
_CLOSING: Final = "closes"
_ENDING: Final = "ends"


def _is_selected(known: KnownClaim, assertion: Assertion, selection: str) -> bool:
    """Return whether an assertion belongs to a selection (`_conflicting_claim`)."""
    if assertion.ends or selection == _ENDING:
        return assertion.ends and selection == _ENDING
    if selection == _CLOSING:
        attribute = known.attribute
        return assertion.changes or (attribute is not None and attribute.one)
    return selection == _STARTING or selection in assertion.replaces


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

    def members(self, group: _Group | None) -> list[Claim]:
        """Return the claims of a group."""
        return self._groups.get(group, []) if group is not None else []

    def closers(self, group: _Group | None) -> list[Claim]:
        """Return the claims of an attribute group that can close others of it."""
        return self._closers.get(group, []) if group is not None else []

    def replacing(self, known: KnownClaim) -> list[Claim]:
        """Return the claims that name this claim in their `replaces`."""
        return self._replacing.get(known.id, []) if self._replacing else []

    def _replaced_by(self, known: KnownClaim) -> list[Claim]:
        if not known.replaces:
            return []
        if self._by_id is None:
            self._by_id = {one.id: claim for claim, one in self._claims.items()}
        return [self._by_id[name] for name in sorted(known.replaces) if name in self._by_id]

    def of_all(self, claims: Iterable[Claim]) -> set[Claim]:
        """Return some claims, and the claims that can close each of them or be closed by it (`conflicting_claims`)."""
        found: set[Claim] = set()
        seen: set[tuple[str, ...]] = set()
        values_seen: dict[tuple[str, ...], str | None] = {}
        for claim in claims:
            found.add(claim)
            known = self._claims[claim]
            found.update(self._conflicting_values(known, values_seen), self.replacing(known), self._replaced_by(known))
            for name in _opposites(claim.predicate):
                group = _object_group(claim, name)
                if group not in seen:
                    seen.add(group)
                    found.update(self.members(group))
            bare = claim._replace(relation=None)
            if claim.relation is not None:
                found.update([bare] if bare in self.position else ())
                continue
            any_relation = ("bare", *_object_group(claim, claim.predicate))
            if any_relation not in seen:
                seen.add(any_relation)
                found.update(self.members(_object_group(claim, claim.predicate)))
        return found

    def _conflicting_values(self, known: KnownClaim, seen: dict[tuple[str, ...], str | None]) -> Iterable[Claim]:
        """Return the claims with another value of the attribute that can close a claim or be closed by it.

        Args:
            seen: for each group searched before, the value of the claim; None if claims of two values were searched,
                so that all members were returned.
        """
        group = _attribute_group(known)
        if group is None:
            return ()
        closes = _closes_attribute(known)
        key = (*group, "closes" if closes else "")
        members = self.members(group) if closes else self.closers(group)
        if key in seen:
            if seen[key] in (None, known.value):
                return ()
            seen[key] = None
            return members
        seen[key] = known.value
        return [one for one in members if not _same_value(known, self._claims[one])]


@dataclass(slots=True, eq=False)
class _ConflictingClaim:
    """A claim with its assertions that can close others, in temporal order.

    Attributes:
        keys: sort keys of `assertions`.
        withdrawals: sort keys of the statements by people that the claim has ended.
    """

    id: MemoryId
    claim: Claim
    value: str
    keys: list[_Key]
    assertions: list[Assertion]
    withdrawals: list[_Key]


@dataclass(slots=True)
class _OpenPeriod:
    """The state of the last period of a claim that decides what may close it.

    Attributes:
        own_keys: assertions of the claim; a conflicting claim in the same message closes nothing.
        value, object_id: value and object of the claim; claims with the same do not conflict.
        excluded: claims of the same group that do not conflict.
        ignored: ids of claims that close nothing, because a person reopened the period.
        comparisons_left: steps until the search gives up.
        opened: sort key of `opening`, the first assertion.
        compatible_until: conflicting claims first asserted before this key may be valid at the same time.
        asserted: a person stated the claim.
        adds: a message says that the claim is valid in addition to others.
        compatible: ids of conflicting claims that are valid at the same time.
    """

    own_keys: Collection[_MessageTime]
    value: str
    object_id: MemoryId
    excluded: Collection[Claim]
    ignored: set[str]
    comparisons_left: int = _COMPARISONS_MAX
    opened: SortKey | None = None
    opening: Assertion | None = None
    compatible_until: SortKey | None = None
    asserted: bool = False
    adds: bool = False
    compatible: set[str] = field(default_factory=set)

    def begin(self, key: SortKey, assertion: Assertion) -> None:
        self.opened, self.opening = key, assertion
        self.compatible_until, self.asserted, self.adds = None, False, False
        self.compatible.clear()

    def add(self, key: SortKey, assertion: Assertion) -> None:
        self.asserted = self.asserted or assertion.asserts
        self.adds = self.adds or assertion.adds
        if assertion.adds and not assertion.ends:
            self.compatible_until = key

    def is_compatible(self, other: _ConflictingClaim, key: _Key, assertion: Assertion) -> bool:
        """Return whether an assertion of a conflicting claim leaves the period open."""
        assert self.opened is not None, "a period is open"
        assert self.opening is not None, "a period is open"
        self.comparisons_left -= 1
        if other.id in self.compatible:
            return True
        first = other.keys[0][0]
        if first < self.opened and assertion.said_at < self.opening.said_at:
            return True
        if self._was_asserted_together(other, key):
            self.compatible.add(other.id)
            return True
        return False

    def _was_asserted_together(self, other: _ConflictingClaim, key: _Key) -> bool:
        """Return whether a message of this period, before `key`, says that both claims are valid."""
        if self.compatible_until is not None and other.keys[0][0] < self.compatible_until:
            return True
        assert self.opened is not None, "a period is open"
        at = bisect_right(other.keys, (self.opened,))
        while at < len(other.keys) and other.keys[at] < key:
            one = other.assertions[at]
            if one.adds or (one.message_id, one.valid_at) in self.own_keys:
                return True
            at, self.comparisons_left = at + 1, self.comparisons_left - 1
        return False


class _AssertionStream:
    """The assertions of conflicting claims in temporal order, with links that skip those that cannot close a period.

    Args:
        explicit: the claims replace the other one according to the caller, so nothing makes them compatible.
    """

    def __init__(self, claims: Iterable[_ConflictingClaim], why: Closing, *, explicit: bool = False) -> None:
        rows = [
            (key, claim, assertion)
            for claim in claims
            for key, assertion in zip(claim.keys, claim.assertions, strict=True)
        ]
        rows.sort(key=lambda row: row[0])
        self.why = why
        self.explicit = explicit
        self.keys = [key for key, _, _ in rows]
        self.claims = [claim for _, claim, _ in rows]
        self.assertions = [assertion for _, _, assertion in rows]
        size = len(rows)
        # Index of the next assertion, this one included, that is not an addition.
        self._next_plain = [size] * (size + 1)
        # Index of the next such assertion that is a correction by a person.
        self._next_correction = [size] * (size + 1)
        # Index of the next assertion from another message or with another start.
        self._next_message = [size] * (size + 1)
        # Index of the next assertion of another value.
        self._next_value = [size] * (size + 1)
        for at in range(size - 1, -1, -1):
            one = self.assertions[at]
            adds = one.adds and not explicit
            self._next_plain[at] = self._next_plain[at + 1] if adds else at
            self._next_correction[at] = at if one.correction is not None and not adds else self._next_correction[at + 1]
            alike = at + 1 < size and self._message_time(at) == self._message_time(at + 1)
            self._next_message[at] = self._next_message[at + 1] if alike else at + 1
            same = at + 1 < size and self.claims[at].value == self.claims[at + 1].value
            self._next_value[at] = self._next_value[at + 1] if same else at + 1
        # Indexes of the corrections that assert a claim.
        self._corrections = [at for at in range(size) if self.assertions[at].asserts]
        self._correction_keys = [self.keys[at] for at in self._corrections]
        # For each correction, the position of the last one before it that asserts another claim; -1 if there is none.
        self._previous_claim: list[int] = []
        for place, at in enumerate(self._corrections):
            same_claim = place and self.claims[self._corrections[place - 1]] is self.claims[at]
            self._previous_claim.append(self._previous_claim[place - 1] if same_claim else place - 1)

    def contradiction(self, at: int) -> Contradiction:
        return Contradiction(
            assertion=self.assertions[at], claim=self.claims[at].id, why=self.why, explicit=self.explicit
        )

    def first_contradiction(self, period: _OpenPeriod, after: SortKey, until: SortKey | None) -> int | None:
        """Return the index of the first assertion after `after` and before `until` that closes the open period."""
        at = bisect_right(self.keys, (after,))
        end = len(self.keys) if until is None else bisect_left(self.keys, (until,))
        while period.comparisons_left > 0:
            at = self._next_correction[at] if period.asserted else self._next_plain[at]
            if at >= end:
                return None
            other = self.claims[at]
            if other.id in period.ignored:
                at += 1
            elif self.explicit:
                return at
            elif self.why is Closing.REPLACED and other.value == period.value:
                at = self._next_value[at]
            elif self._is_excluded(other, period):
                at, period.comparisons_left = at + 1, period.comparisons_left - 1
            elif self._message_time(at) in period.own_keys:
                at = self._next_message[at]
            elif period.is_compatible(other, self.keys[at], self.assertions[at]):
                at += 1
            else:
                return at
        return None

    def _is_excluded(self, other: _ConflictingClaim, period: _OpenPeriod) -> bool:
        same_object = self.why is Closing.REPLACED and other.claim.object_id == period.object_id
        return same_object or other.claim in period.excluded

    def last_correction(self, period: _OpenPeriod, since: SortKey | None, until: SortKey) -> int | None:
        """Return the index of the last correction in [`since`, `until`) that asserts a conflicting claim."""
        place = bisect_left(self._correction_keys, (until,)) - 1
        while place >= 0:
            at = self._corrections[place]
            if since is not None and self.keys[at][0] < since:
                return None
            other = self.claims[at]
            same = self.why is Closing.REPLACED and other.value == period.value
            if not same and not self._is_excluded(other, period) and other.id not in period.ignored:
                return at
            place = self._previous_claim[place]
        return None

    def is_withdrawn(self, at: int, until: SortKey) -> bool:
        """Return whether a person ended an assertion's claim between the assertion and `until`, inclusive.

        A fact that begins when the claim ends does not contradict it.
        """
        withdrawals = self.claims[at].withdrawals
        place = bisect_right(withdrawals, self.keys[at])
        return place < len(withdrawals) and withdrawals[place][0][0] <= until[0]

    def _message_time(self, at: int) -> _MessageTime:
        return self.assertions[at].message_id, self.assertions[at].valid_at


@dataclass(slots=True, kw_only=True)
class ClaimPeriods:
    """The validity periods of a claim.

    Attributes:
        ignored: ids of conflicting claims that would have closed the period that `keep_open` names.
    """

    periods: list[ValidityPeriod] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)


class PeriodCalculator:
    """Compute the validity periods of claims that may close each other.

    Args:
        claims: all claims; later only their `ignored_closings` may change.
    """

    def __init__(self, claims: Mapping[Claim, KnownClaim]) -> None:
        self._claims = claims
        self._index = ConflictIndex(claims)
        self._ids: dict[Claim, MemoryId] = {}
        self._regions: dict[Claim, bool | None] = {}
        self._conflicting: dict[tuple[Claim, str], _ConflictingClaim | None] = {}
        self._streams: dict[tuple[_Group, bool | None], _AssertionStream] = {}

    def affected_by(self, claims: Iterable[Claim]) -> set[Claim]:
        """Return some claims and all claims that conflict with them."""
        return self._index.of_all(claims)

    def periods(self, claim: Claim, *, keep_open: int | None = None) -> ClaimPeriods:
        """Return the validity periods of a claim in order; they do not depend on the order of its assertions.

        Args:
            keep_open: index of a period that conflicting claims do not close; `ignored` of the result lists them. A
                claim stated by a person, or one that closed an earlier period, still closes it.
        """
        own, ignored_closings = self._claims[claim].assertions, self._claims[claim].ignored_closings
        if is_rejected(own):
            return ClaimPeriods(periods=[rejected_period(own, self._replacements(claim))])
        asserting, ending, excluded = self._streams_of(claim)
        period = _OpenPeriod(
            own_keys={(assertion.message_id, assertion.valid_at) for assertion in own if not assertion.ends},
            value=self._claims[claim].value,
            object_id=claim.object_id,
            excluded=excluded,
            ignored=set(ignored_closings),
        )
        search = _PeriodSearch(
            period=period, ignored_closings=ignored_closings, asserting=asserting, ending=ending, keep_open=keep_open
        )
        return search.run(own)

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
            asserting.append(self._stream(group, self._is_region(claim), Closing.REPLACED))
        for name in _opposites(claim.predicate):
            about = _object_group(claim, name)
            if self._index.members(about):
                asserting.append(self._stream(about, None, Closing.REVERSED))
                opposite = claim._replace(predicate=name)
                if opposite in self._claims and self._differ_in_level(claim, opposite):
                    excluded.add(opposite)
        # Last: of two contradictions at the same time, the first stream gives the reason.
        replacing = self._index.replacing(known)
        if replacing:
            claims = [one for other in replacing if (one := self._conflicting_claim(other, known.id)) is not None]
            asserting.append(_AssertionStream(claims, Closing.REPLACED, explicit=True))
        bare = claim._replace(relation=None)
        ending = []
        if claim.relation is not None and bare in self._claims:
            ending.append(self._end_stream(bare))
        return asserting, ending, excluded

    def _differ_in_level(self, one: Claim, other: Claim) -> bool:
        # A person who lives in Paris also lives in France, so a city and a region do not conflict.
        levels = self._is_region(one), self._is_region(other)
        return None not in levels and levels[0] != levels[1]

    def _is_region(self, claim: Claim) -> bool | None:
        """Return whether the object is a region or country; None if its name is unknown."""
        if claim not in self._regions:
            name = self._claims[claim].object_name
            self._regions[claim] = is_region(name) if name else None
        return self._regions[claim]

    def _stream(self, group: _Group, region: bool | None, why: Closing) -> _AssertionStream:
        stream = self._streams.get((group, region))
        if stream is None:
            replaces = why is Closing.REPLACED
            members = self._index.closers(group) if replaces else self._index.members(group)
            selection = _CLOSING if replaces else _STARTING
            if region is not None:
                members = [one for one in members if self._is_region(one) in (region, None)]
            claims = [claim for one in members if (claim := self._conflicting_claim(one, selection)) is not None]
            stream = self._streams[group, region] = _AssertionStream(claims, why)
        return stream

    def _end_stream(self, bare: Claim) -> _AssertionStream:
        group = ("ends", *_object_group(bare, bare.predicate))
        stream = self._streams.get((group, None))
        if stream is None:
            claim = self._conflicting_claim(bare, _ENDING)
            stream = self._streams[group, None] = _AssertionStream([] if claim is None else [claim], Closing.ENDED)
        return stream

    def _conflicting_claim(self, claim: Claim, selection: str) -> _ConflictingClaim | None:
        """Return a claim with the selected assertions; None if it has none or a person rejected it.

        Args:
            selection: `_STARTING`, `_CLOSING`, `_ENDING`, or the id of a claim, for the assertions that replace it.
        """
        if (claim, selection) not in self._conflicting:
            self._conflicting[claim, selection] = self._new_conflicting_claim(claim, selection)
        return self._conflicting[claim, selection]

    def _new_conflicting_claim(self, claim: Claim, selection: str) -> _ConflictingClaim | None:
        known = self._claims[claim]
        if is_rejected(known.assertions):
            return None
        position = self._index.position[claim]
        rows = sorted(
            (((sort_key(assertion, 1), position, at), assertion) for at, assertion in enumerate(known.assertions)),
            key=lambda row: row[0],
        )
        selected = [(key, assertion) for key, assertion in rows if _is_selected(known, assertion, selection)]
        if not selected:
            return None
        return _ConflictingClaim(
            id=self.id_of(claim),
            claim=claim,
            value=known.value,
            keys=[key for key, _ in selected],
            assertions=[assertion for _, assertion in selected],
            withdrawals=[
                key
                for key, assertion in rows
                if assertion.ends and assertion.correction is not None and selection != _ENDING
            ],
        )


@dataclass(slots=True, kw_only=True)
class _PeriodSearch:
    """One pass over the assertions of a claim that builds its validity periods.

    Attributes:
        closers: ids of the claims that closed a period so far.
        since: sort key of the last new period stated by a person; older corrections do not override it.
    """

    period: _OpenPeriod
    ignored_closings: Collection[str]
    asserting: Sequence[_AssertionStream]
    ending: Sequence[_AssertionStream]
    keep_open: int | None
    found: ClaimPeriods = field(default_factory=ClaimPeriods)
    closers: set[str] = field(default_factory=set)
    since: SortKey | None = None

    def run(self, own: Sequence[Assertion]) -> ClaimPeriods:
        events = sorted(
            ((sort_key(assertion, 2 * assertion.ends), assertion) for assertion in own), key=lambda pair: pair[0]
        )
        periods = self.found.periods
        for place, (key, assertion) in enumerate(events):
            until = events[place + 1][0] if place + 1 < len(events) else None
            if assertion.ends:
                self._end(assertion, key)
            else:
                self._start(assertion, key)
            if not periods[-1].closing_assertion:
                self._close_if_contradicted(key, until)
        return self.found

    def _start(self, assertion: Assertion, key: SortKey) -> None:
        periods, override = self.found.periods, self._override(key)
        if periods and continues_period(periods[-1], override, assertion):
            periods[-1].assertions.append(assertion)
            self.period.add(key, assertion)
            return
        period = ValidityPeriod(assertions=[assertion])
        self.period.begin(key, assertion)
        self.period.add(key, assertion)
        if assertion.correction:
            self.since = key
        elif override is not None and not assertion.adds:
            period.contradiction, period.invalid_at = override, assertion.valid_at
            self.closers.add(override.claim)
        periods.append(period)

    def _end(self, end: Assertion, key: SortKey) -> None:
        periods = self.found.periods
        if not periods:
            periods.append(ValidityPeriod(assertions=[end], end=end, invalid_at=end.valid_at))
            self.period.begin(key, end)
            return
        last = periods[-1]
        is_protected = end.correction is None and self.period.asserted
        if not last.closing_assertion and end.message_id not in self.ignored_closings and not is_protected:
            last.end, last.invalid_at = end, closing_time(last, end)
        last.assertions.append(end)
        self.period.add(key, end)

    def _close_if_contradicted(self, after: SortKey, until: SortKey | None) -> None:
        """Close the open period with the first contradiction between two sort keys, if there is one."""
        last = self.found.periods[-1]
        streams = [
            one for one in (*self.asserting, *self.ending) if not (one.why is Closing.REVERSED and self.period.adds)
        ]
        while True:
            hits = [
                (one, at) for one in streams if (at := one.first_contradiction(self.period, after, until)) is not None
            ]
            if not hits:
                return
            stream, at = min(hits, key=lambda hit: hit[0].keys[hit[1]])
            contradiction = stream.contradiction(at)
            if not self._may_ignore(contradiction):
                last.contradiction, last.invalid_at = contradiction, closing_time(last, contradiction.assertion)
                self.closers.add(contradiction.claim)
                return
            self.found.ignored.add(contradiction.claim)
            self.period.ignored.add(contradiction.claim)
            after = stream.keys[at][0]

    def _may_ignore(self, contradiction: Contradiction) -> bool:
        """Return whether to ignore the contradicting claim, so that a reopened fact stays open.

        True only if this is the period to keep open, no person stated the claim, and it closed no earlier period.
        """
        is_kept_open = len(self.found.periods) - 1 == self.keep_open
        return is_kept_open and not contradiction.assertion.asserts and contradiction.claim not in self.closers

    def _override(self, key: SortKey) -> Contradiction | None:
        """Return the last correction before a key that asserts a conflicting claim, unless it was withdrawn."""
        last: tuple[_Key, _AssertionStream, int] | None = None
        for stream in self.asserting:
            if stream.explicit:
                continue
            at = stream.last_correction(self.period, self.since, key)
            if at is not None and (last is None or stream.keys[at] > last[0]):
                last = stream.keys[at], stream, at
        return None if last is None or last[1].is_withdrawn(last[2], key) else last[1].contradiction(last[2])
