"""When a fact held: its spells, from its own tellings and those of its rivals. Pure, and blind to the order of arrival.

A fact holds from its first telling until a message ends it or a rival is told: something that cannot be true beside it.
Whoever is told later in the world's time wins; a telling that arrives late only takes the place it would have had.
Everything in doubt stays open: what one message says together, what is said to come in addition, and what a person
reopened is never closed by one another. What a person states by hand outranks what was read: nothing read closes it,
and nothing read holds against it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schema.ids import MemoryId
from schema.telling import Assertion, Closing, Stated, last_word


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A telling of a rival.

    Attributes:
        claim: who the rival is.
        lifts: a person stated that the rival is over; it closes nothing, and what a person stated of it stands no more.
    """

    telling: Assertion
    claim: str
    why: Closing
    lifts: bool = False


@dataclass(slots=True, kw_only=True)
class ValidityPeriod:
    """A time in which a fact held, with what was told of it then.

    Attributes:
        blow: the rival's telling that closed it; None when it is open or was said to be over.
        end: the own telling that closed it.
        beside: rivals that were told before it began.
        friends: rivals that do not close it, because it was said that both hold.
        invalid_at: when it ceased to hold.
    """

    told: list[Assertion]
    beside: frozenset[str] = frozenset()
    blow: Contradiction | None = None
    end: Assertion | None = None
    friends: set[str] = field(default_factory=set)
    invalid_at: datetime | None = None

    @property
    def opening(self) -> Assertion:
        """The first telling."""
        return self.told[0]

    @property
    def closer(self) -> Assertion | None:
        """The telling that closed it."""
        return self.blow.telling if self.blow is not None else self.end

    @property
    def valid_at(self) -> datetime:
        """When it began to hold: as a person stated it last, else as it was first said."""
        said = last_word(telling for telling in self.told if telling.asserts)
        return said.valid_at if said is not None else min(telling.valid_at for telling in self.told)

    @property
    def why(self) -> Closing | None:
        """Return why it ceased to hold."""
        if self.blow is not None:
            return self.blow.why
        if self.end is None:
            return None
        if self.end.stated is Stated.REJECTS:
            return Closing.REJECTED
        return Closing.JUDGED if self.end.judged else Closing.ENDED


Order = tuple[datetime, datetime, datetime, int, MemoryId, int]


def spells_of(
    own: Sequence[Assertion], blows: Sequence[Contradiction], reopened: frozenset[str] = frozenset()
) -> list[ValidityPeriod]:
    """Return the spells of a fact in order; the same tellings in any order give the same spells.

    Args:
        reopened: rivals (by claim) and ends (by message) that do not close this fact, because a person said so.
    """
    if is_rejected(own):
        return [never(own)]
    if own and not blows and not any(telling.ends for telling in own):
        # The usual fact, told again and again: one spell, and nothing to put in order.
        first = min(own, key=_own_order)
        told = [first, *(telling for telling in own if telling is not first)]
        return [ValidityPeriod(told=told, beside=reopened, friends=set(reopened))]
    together = {(telling.message_id, telling.valid_at) for telling in own if not telling.ends}
    spells: list[ValidityPeriod] = []
    rivals: set[str] = set(reopened)
    reign: Contradiction | None = None
    events: list[tuple[Order, Assertion | Contradiction]] = [
        (order_of(telling, 2 * telling.ends), telling) for telling in own
    ]
    events += [(order_of(blow.telling, 1), blow) for blow in blows]
    for _, event in sorted(events, key=_first):
        if isinstance(event, Contradiction) and event.lifts:
            reign = None if reign is not None and reign.claim == event.claim else reign
        elif isinstance(event, Contradiction):
            reign = event if event.telling.asserts and event.claim not in reopened else reign
            if spells and not spells[-1].closer:
                _strike(spells[-1], event, both=(event.telling.message_id, event.telling.valid_at) in together)
            rivals.add(event.claim)
        elif event.ends:
            _end(spells, event, reopened)
        elif spells and (not spells[-1].closer or old_news(spells[-1], event) or _reigned(spells[-1], reign, event)):
            spells[-1].told.append(event)
            spells[-1].friends |= rivals if event.adds else set()
        else:
            friends = set(rivals if event.adds else reopened)
            spell = ValidityPeriod(told=[event], beside=frozenset(rivals), friends=friends)
            reign = None if event.stated else reign
            if reign is not None and not event.adds:
                spell.blow, spell.invalid_at = reign, event.valid_at
            spells.append(spell)
    return spells


def is_rejected(told: Iterable[Assertion]) -> bool:
    """Return whether the last that a person stated of a fact is that it never held."""
    last = last_word(told)
    return last is not None and last.stated is Stated.REJECTS


def never(own: Sequence[Assertion]) -> ValidityPeriod:
    """Return the one spell of a fact that never held, with all that was told of it."""
    spell = ValidityPeriod(told=sorted(own, key=lambda telling: order_of(telling, telling.ends)), end=last_word(own))
    spell.invalid_at = spell.valid_at
    return spell


def _stands(spell: ValidityPeriod, closer: Assertion) -> bool:
    """Return whether a person stated that it is so, and what would close it was only read."""
    return closer.stated is None and any(telling.asserts for telling in spell.told)


def _reigned(spell: ValidityPeriod, reign: Contradiction | None, telling: Assertion) -> bool:
    """Return whether a spell was closed by what a person stated and that stands still, so that nothing read
    opens it.
    """
    return reign is not None and spell.blow is not None and spell.blow.claim == reign.claim and not telling.stated


def _first(pair: tuple[Order, Assertion | Contradiction]) -> Order:
    return pair[0]


def _own_order(telling: Assertion) -> Order:
    return order_of(telling, 0)


def order_of(telling: Assertion, rank: int) -> Order:
    return telling.valid_by, telling.said_at, telling.heard_at, telling.position, telling.message_id, rank


def _strike(spell: ValidityPeriod, blow: Contradiction, *, both: bool) -> None:
    """Close an open spell, unless the rival may hold beside it, or a person stated that it is so.

    Args:
        both: one message says both.
    """
    # Disliking something at times, or being allergic to it, is no opposite of liking it, in either order.
    at_times = blow.why is Closing.REVERSED and any(telling.adds for telling in spell.told)
    if both or blow.telling.adds or at_times:
        spell.friends.add(blow.claim)
    # "I have lived in Oslo since May", said in July: "I live in Paris", said in June, was what Oslo replaced.
    replaced_before = blow.claim in spell.beside and blow.telling.said_at < spell.opening.said_at
    if blow.claim not in spell.friends and not replaced_before and not _stands(spell, blow.telling):
        spell.blow, spell.invalid_at = blow, over_at(spell, blow.telling)


def _end(spells: list[ValidityPeriod], end: Assertion, reopened: frozenset[str]) -> None:
    if not spells:
        spells.append(ValidityPeriod(told=[end], end=end, invalid_at=end.valid_at))
        return
    last = spells[-1]
    if not last.closer and end.message_id not in reopened and not _stands(last, end):
        last.end, last.invalid_at = end, over_at(last, end)
    last.told.append(end)


def over_at(spell: ValidityPeriod, closer: Assertion) -> datetime:
    """When a spell ended: as the closer says, but not before it was last said to hold."""
    held = max(telling.valid_at for telling in spell.told)
    return closer.valid_at if closer.valid_at >= held else max(closer.valid_by, spell.valid_at)


def old_news(spell: ValidityPeriod, telling: Assertion) -> bool:
    """Return whether a telling was said before what closed the spell was, so that nothing begins anew with it."""
    return spell.closer is not None and telling.said_at < spell.closer.said_at
