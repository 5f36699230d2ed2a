"""Which claims can close which, and the spells of one among many rivals, without going through all of them. Pure.

What `timeline.spells_of` says of a claim and all tellings of its rivals is found here by searching: rivals that a claim
shares with others are put in order once, and only those are looked at that may close it. So a thousand places where
somebody lived cost about a thousand searches, not a million comparisons.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from extraction.entities.place_hierarchy import is_region
from graph_service.memory.facts.claims import ClaimKnown
from graph_service.memory.facts.validity import (
    Contradiction,
    Order,
    ValidityPeriod,
    is_rejected,
    never,
    old_news,
    order_of,
    over_at,
)
from schema.fact import Claim
from schema.ids import MemoryId
from schema.predicates import holds_one, whitelist
from schema.telling import Assertion, Closing

# So many tellings of rivals that close nothing are looked at one by one for each claim; far more than anybody tells.
# What is still in doubt then stays open.
_TRIES_MAX: Final = 20_000

_Key = tuple[Order, int, int]
_Group = tuple[str, ...]
_Said = tuple[MemoryId, datetime]


@cache
def _opposed_by(predicate: str) -> tuple[str, ...]:
    """Predicates that close this one for the same object."""
    return tuple(name for name, rule in whitelist().items() if rule.opposite == predicate and name != predicate)


def _one_place(claim: Claim) -> _Group | None:
    """Return the group of claims of which one holds at a time."""
    if claim.predicate not in whitelist() or not holds_one(claim.predicate, claim.relation):
        return None
    return "one", claim.subject_id, claim.predicate, claim.relation or "", "" if claim.relation is None else "named"


def _about(claim: Claim, predicate: str) -> _Group:
    """Return the group of claims about one object, whatever the relation."""
    return "about", claim.subject_id, predicate, claim.object_id


class Rivals:
    """Claims by what can close them, so that rivals are found without going through all.

    Args:
        claims: all of them; rivals come in this order.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self.place = {claim: place for place, claim in enumerate(claims)}
        self._groups: dict[_Group, list[Claim]] = {}
        for claim in self.place:
            one = _one_place(claim)
            for group in (_about(claim, claim.predicate), *((one,) if one else ())):
                self._groups.setdefault(group, []).append(claim)

    def members(self, group: _Group | None) -> list[Claim]:
        """Return the claims of a group."""
        return self._groups.get(group, []) if group is not None else []

    def of(self, claim: Claim) -> list[Claim]:
        """Return those that can close a claim, or that it can close, as `resolution.rivals` does."""
        found = set(self.of_all([claim])) - {claim}
        return sorted(found, key=self.place.__getitem__)

    def of_all(self, claims: Iterable[Claim]) -> set[Claim]:
        """Return some claims and the rivals of each."""
        found: set[Claim] = set()
        seen: set[_Group] = set()
        for claim in claims:
            found.add(claim)
            one = _one_place(claim)
            groups = [_about(claim, name) for name in _opposed_by(claim.predicate)] + ([one] if one else [])
            for group in groups:
                if group not in seen:
                    seen.add(group)
                    found.update(self.members(group))
            bare = claim._replace(relation=None)
            if claim.relation is not None:
                found.update([bare] if bare in self.place else ())
                continue
            same = ("bare", *_about(claim, claim.predicate))
            if same not in seen:
                seen.add(same)
                found.update(self.members(_about(claim, claim.predicate)))
        return found


@dataclass(slots=True, eq=False)
class _Rival:
    """A claim as it touches others, in the order of time.

    Attributes:
        said: what may close others; lifts: when a person stated that it is over.
    """

    id: MemoryId
    claim: Claim
    keys: list[_Key]
    said: list[Assertion]
    lifts: list[_Key]


@dataclass(slots=True)
class _Standing:
    """What decides whether a rival closes the spell that is open.

    Attributes:
        opened: when it began; both: messages that say the fact; own: claims that are no rivals here.
        friends_until: rivals told before may hold beside it; asserted: a person stated it; adds: it was said to add.
        friends: rivals found to hold beside it.
        spared: rivals that close nothing.
    """

    both: Collection[_Said]
    own: Collection[Claim]
    spared: set[str]
    tries: int = _TRIES_MAX
    opened: Order | None = None
    opening: Assertion | None = None
    friends_until: Order | None = None
    asserted: bool = False
    adds: bool = False
    friends: set[str] = field(default_factory=set)

    def begin(self, order: Order, telling: Assertion) -> None:
        self.opened, self.opening = order, telling
        self.friends_until, self.asserted, self.adds = None, False, False
        self.friends.clear()

    def take(self, order: Order, telling: Assertion) -> None:
        self.asserted = self.asserted or telling.asserts
        self.adds = self.adds or telling.adds
        if telling.adds and not telling.ends:
            self.friends_until = order

    def may_stay(self, rival: _Rival, key: _Key, telling: Assertion) -> bool:
        """Return whether a rival that is told does not close the spell."""
        assert self.opened is not None, "a spell is open"
        assert self.opening is not None, "a spell is open"
        self.tries -= 1
        if rival.id in self.friends:
            return True
        first = rival.keys[0][0]
        if first < self.opened and telling.said_at < self.opening.said_at:
            return True
        if self._is_friend(rival, key):
            self.friends.add(rival.id)
            return True
        return False

    def _is_friend(self, rival: _Rival, key: _Key) -> bool:
        """Return whether it was said, since the spell began, that both hold."""
        if self.friends_until is not None and rival.keys[0][0] < self.friends_until:
            return True
        assert self.opened is not None, "a spell is open"
        at = bisect_right(rival.keys, (self.opened,))
        while at < len(rival.keys) and rival.keys[at] < key:
            one = rival.said[at]
            if one.adds or (one.message_id, one.valid_at) in self.both:
                return True
            at, self.tries = at + 1, self.tries - 1
        return False


class _Stream:
    """The tellings of some rivals in the order of time."""

    def __init__(self, rivals: Iterable[_Rival], why: Closing) -> None:
        rows = [(key, rival, telling) for rival in rivals for key, telling in zip(rival.keys, rival.said, strict=True)]
        rows.sort(key=lambda row: row[0])
        self.why = why
        self.keys = [key for key, _, _ in rows]
        self.rivals = [rival for _, rival, _ in rows]
        self.said = [telling for _, _, telling in rows]
        size = len(rows)
        self._plain, self._stated, self._run = [size] * (size + 1), [size] * (size + 1), [size] * (size + 1)
        for at in range(size - 1, -1, -1):
            one = self.said[at]
            self._plain[at] = self._plain[at + 1] if one.adds else at
            self._stated[at] = at if one.stated is not None and not one.adds else self._stated[at + 1]
            alike = at + 1 < size and self._same(at) == self._same(at + 1)
            self._run[at] = self._run[at + 1] if alike else at + 1
        self._asserts = [at for at in range(size) if self.said[at].asserts]
        self._asserted = [self.keys[at] for at in self._asserts]
        self._other: list[int] = []
        for place, at in enumerate(self._asserts):
            before = place and self.rivals[self._asserts[place - 1]] is self.rivals[at]
            self._other.append(self._other[place - 1] if before else place - 1)

    def blow(self, at: int) -> Contradiction:
        return Contradiction(telling=self.said[at], claim=self.rivals[at].id, why=self.why)

    def first_strike(self, standing: _Standing, after: Order, until: Order | None) -> int | None:
        """Return the place of the first telling between two moments that closes the open spell."""
        at = bisect_right(self.keys, (after,))
        end = len(self.keys) if until is None else bisect_left(self.keys, (until,))
        while standing.tries > 0:
            at = self._stated[at] if standing.asserted else self._plain[at]
            if at >= end:
                return None
            rival = self.rivals[at]
            if rival.claim in standing.own or rival.id in standing.spared:
                at += 1
            elif self._same(at) in standing.both:
                at = self._run[at]
            elif standing.may_stay(rival, self.keys[at], self.said[at]):
                at += 1
            else:
                return at
        return None

    def last_assertion(self, standing: _Standing, since: Order | None, until: Order) -> int | None:
        """Return the place of what a person stated last between two moments of a rival."""
        place = bisect_left(self._asserted, (until,)) - 1
        while place >= 0:
            at = self._asserts[place]
            if since is not None and self.keys[at][0] < since:
                return None
            rival = self.rivals[at]
            if rival.claim not in standing.own and rival.id not in standing.spared:
                return at
            place = self._other[place]
        return None

    def is_lifted(self, at: int, until: Order) -> bool:
        """Return whether a person stated, before a moment, that what is told here is over."""
        lifts = self.rivals[at].lifts
        place = bisect_right(lifts, self.keys[at])
        return place < len(lifts) and lifts[place][0] < until

    def _same(self, at: int) -> _Said:
        return self.said[at].message_id, self.said[at].valid_at


@dataclass(slots=True, kw_only=True)
class Spells:
    """The spells of a claim.

    Attributes:
        spared: rivals that would have closed the spell that was to be spared.
    """

    spells: list[ValidityPeriod] = field(default_factory=list)
    spared: set[str] = field(default_factory=set)


class Rivalry:
    """The claims of a board, and what they do to each other; the board may change only in what is reopened."""

    def __init__(self, board: Mapping[Claim, ClaimKnown]) -> None:
        self._board = board
        self._rivals = Rivals(board)
        self._ids: dict[Claim, MemoryId] = {}
        self._levels: dict[Claim, bool | None] = {}
        self._telling: dict[tuple[Claim, bool], _Rival | None] = {}
        self._streams: dict[tuple[_Group, bool | None], _Stream] = {}

    def touched_by(self, claims: Iterable[Claim]) -> set[Claim]:
        """Return some claims and all that they can close or be closed by."""
        return self._rivals.of_all(claims)

    def spells(self, claim: Claim, *, spare: int | None = None) -> Spells:
        """Return the spells of a claim, as `timeline.spells_of` finds them by going through all.

        Args:
            spare: the place of a spell that rivals close as late as can be told at once; who did not is `spared`.
        """
        own, reopened = self._board[claim].told, self._board[claim].reopened
        if is_rejected(own):
            return Spells(spells=[never(own)])
        asserting, ending, apart = self._streams_of(claim)
        standing = _Standing(
            both={(telling.message_id, telling.valid_at) for telling in own if not telling.ends},
            own=apart,
            spared=set(reopened),
        )
        search = _Search(standing=standing, reopened=reopened, asserting=asserting, ending=ending, spare=spare)
        return search.over(own)

    def _streams_of(self, claim: Claim) -> tuple[list[_Stream], list[_Stream], set[Claim]]:
        """Return what may close a claim: rivals that hold, claims that end it; and who is no rival although it is
        there.
        """
        group, apart = _one_place(claim), {claim}
        asserting: list[_Stream] = []
        if len(self._rivals.members(group)) > 1 and group is not None:
            asserting.append(self._stream(group, self._level(claim), Closing.REPLACED))
        for name in _opposed_by(claim.predicate):
            about = _about(claim, name)
            if self._rivals.members(about):
                asserting.append(self._stream(about, None, Closing.REVERSED))
                same = claim._replace(predicate=name)
                if same in self._board and self._are_apart(claim, same):
                    apart.add(same)
        bare = claim._replace(relation=None)
        ending = []
        if claim.relation is not None and bare in self._board:
            ending.append(self._ends(bare))
        return asserting, ending, apart

    def _are_apart(self, one: Claim, other: Claim) -> bool:
        # Who lives in Paris lives in France: the two say the same of different places.
        levels = self._level(one), self._level(other)
        return None not in levels and levels[0] != levels[1]

    def _level(self, claim: Claim) -> bool | None:
        if claim not in self._levels:
            name = self._board[claim].object_name
            self._levels[claim] = is_region(name) if name else None
        return self._levels[claim]

    def _stream(self, group: _Group, level: bool | None, why: Closing) -> _Stream:
        stream = self._streams.get((group, level))
        if stream is None:
            members = self._rivals.members(group)
            if level is not None:
                members = [one for one in members if self._level(one) in (level, None)]
            told = [rival for one in members if (rival := self._rival(one, ends=False)) is not None]
            stream = self._streams[group, level] = _Stream(told, why)
        return stream

    def _ends(self, bare: Claim) -> _Stream:
        group = ("ends", *_about(bare, bare.predicate))
        stream = self._streams.get((group, None))
        if stream is None:
            rival = self._rival(bare, ends=True)
            stream = self._streams[group, None] = _Stream([] if rival is None else [rival], Closing.ENDED)
        return stream

    def _rival(self, claim: Claim, *, ends: bool) -> _Rival | None:
        if (claim, ends) not in self._telling:
            self._telling[claim, ends] = self._new_rival(claim, ends=ends)
        return self._telling[claim, ends]

    def _new_rival(self, claim: Claim, *, ends: bool) -> _Rival | None:
        one = self._board[claim]
        if is_rejected(one.told):
            return None
        place = self._rivals.place[claim]
        rows = sorted(
            (((order_of(telling, 1), place, at), telling) for at, telling in enumerate(one.told)),
            key=lambda row: row[0],
        )
        said = [(key, telling) for key, telling in rows if telling.ends == ends]
        lifts = [key for key, telling in rows if telling.ends and telling.stated is not None and not ends]
        keys, tellings = [key for key, _ in said], [telling for _, telling in said]
        return _Rival(id=self.id_of(claim), claim=claim, keys=keys, said=tellings, lifts=lifts)

    def id_of(self, claim: Claim) -> MemoryId:
        """Return the id that names a claim; making it costs a hash."""
        if claim not in self._ids:
            self._ids[claim] = self._board[claim].id
        return self._ids[claim]


@dataclass(slots=True, kw_only=True)
class _Search:
    """One pass over the own tellings of a claim."""

    standing: _Standing
    reopened: Collection[str]
    asserting: Sequence[_Stream]
    ending: Sequence[_Stream]
    spare: int | None
    found: Spells = field(default_factory=Spells)
    struck: set[str] = field(default_factory=set)
    since: Order | None = None

    def over(self, own: Sequence[Assertion]) -> Spells:
        events = sorted(((order_of(telling, 2 * telling.ends), telling) for telling in own), key=lambda pair: pair[0])
        spells = self.found.spells
        for place, (order, telling) in enumerate(events):
            until = events[place + 1][0] if place + 1 < len(events) else None
            if telling.ends:
                self._end(telling, order)
            else:
                self._say(telling, order)
            if not spells[-1].closer:
                self._strike(order, until)
        return self.found

    def _say(self, telling: Assertion, order: Order) -> None:
        spells, reign = self.found.spells, self._reign(order)
        last = spells[-1] if spells else None
        if last is not None and (not last.closer or old_news(last, telling) or _reigned(last, reign, telling)):
            last.told.append(telling)
            self.standing.take(order, telling)
            return
        spell = ValidityPeriod(told=[telling])
        self.standing.begin(order, telling)
        self.standing.take(order, telling)
        if telling.stated:
            self.since = order
        elif reign is not None and not telling.adds:
            spell.blow, spell.invalid_at = reign, telling.valid_at
            self.struck.add(reign.claim)
        spells.append(spell)

    def _end(self, end: Assertion, order: Order) -> None:
        spells = self.found.spells
        if not spells:
            spells.append(ValidityPeriod(told=[end], end=end, invalid_at=end.valid_at))
            self.standing.begin(order, end)
            return
        last = spells[-1]
        stands = end.stated is None and self.standing.asserted
        if not last.closer and end.message_id not in self.reopened and not stands:
            last.end, last.invalid_at = end, over_at(last, end)
        last.told.append(end)
        self.standing.take(order, end)

    def _strike(self, order: Order, until: Order | None) -> None:
        spells = self.found.spells
        streams = [
            one for one in (*self.asserting, *self.ending) if not (one.why is Closing.REVERSED and self.standing.adds)
        ]
        while True:
            hits = [(one, at) for one in streams if (at := one.first_strike(self.standing, order, until)) is not None]
            if not hits:
                return
            stream, at = min(hits, key=lambda hit: hit[0].keys[hit[1]])
            blow = stream.blow(at)
            if not self._is_spared(blow):
                spells[-1].blow, spells[-1].invalid_at = blow, over_at(spells[-1], blow.telling)
                self.struck.add(blow.claim)
                return
            self.found.spared.add(blow.claim)
            self.standing.spared.add(blow.claim)
            order = stream.keys[at][0]

    def _is_spared(self, blow: Contradiction) -> bool:
        """Return whether a rival closes the spell to be spared, and sparing it changes nothing that came before."""
        is_meant = len(self.found.spells) - 1 == self.spare
        return is_meant and not blow.telling.asserts and blow.claim not in self.struck

    def _reign(self, order: Order) -> Contradiction | None:
        """Return what a person stated of a rival last, if it stands still."""
        last: tuple[_Key, _Stream, int] | None = None
        for stream in self.asserting:
            at = stream.last_assertion(self.standing, self.since, order)
            if at is not None and (last is None or stream.keys[at] > last[0]):
                last = stream.keys[at], stream, at
        return None if last is None or last[1].is_lifted(last[2], order) else last[1].blow(last[2])


def _reigned(spell: ValidityPeriod, reign: Contradiction | None, telling: Assertion) -> bool:
    return reign is not None and spell.blow is not None and spell.blow.claim == reign.claim and not telling.stated
