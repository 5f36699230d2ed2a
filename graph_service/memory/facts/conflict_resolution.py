"""What becomes of a new fact beside those known: IGNORE, MERGE, UPDATE or CREATE, the first that fits. Pure.

Source: requirements.md C8. Only what cannot be true at once may close: another object of a relation that holds one at a
time, the opposite predicate for the same object, or words that the very fact is over. Everything else stands beside.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from extraction.text.near_duplicates import (
    COMMON_PART_MIN,
    PROFILE_COMMON_PART_MIN,
    common_part,
    likeness,
    near_duplicates,
    plain,
)
from schema.fact import AcceptedFact, Claim, KnownFact
from schema.labels import Label
from schema.predicates import holds_one, whitelist
from schema.telling import Closing

SIMILAR_MAX: Final = 5
# Objects are what a fact is about, so their names must be as near as the sentences.
COMMON_NAME_MIN: Final = 0.8


class FactAction(StrEnum):
    """What becomes of a new fact; the first that fits is taken."""

    IGNORE = "ignore"
    MERGE = "merge"
    UPDATE = "update"
    CREATE = "create"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What becomes of a new fact.

    Attributes:
        same: the known fact that says the same.
        closes: the known fact that cannot hold any more, and why.
    """

    verdict: FactAction
    same: KnownFact | None = None
    closes: tuple[KnownFact, Closing] | None = None


def resolve(fact: AcceptedFact, known: Iterable[KnownFact]) -> Resolution:
    """Return the fate of a new fact, by comparing it with the most similar known ones of its subject."""
    near = most_similar(fact, known)
    same = next((one for one in near if one.claim == fact.claim), None)
    same = same or next((one for one in near if nearly_same(fact, one)), None)
    if same is not None:
        told = {(telling.message_id, telling.ends) for telling in same.told}
        if all((proof.message_id, fact.closes) in told for proof in fact.proofs):
            return Resolution(verdict=FactAction.IGNORE, same=same)
        if fact.closes:
            return Resolution(verdict=FactAction.UPDATE, same=same, closes=(same, Closing.ENDED))
        return Resolution(verdict=FactAction.MERGE, same=same)
    for one in near:
        why = _closing(fact, one)
        if why is not None and one.invalid_at is None and one.valid_at <= fact.valid_at:
            return Resolution(verdict=FactAction.UPDATE, closes=(one, why))
    return Resolution(verdict=FactAction.CREATE)


def most_similar(fact: AcceptedFact, known: Iterable[KnownFact]) -> list[KnownFact]:
    """Return the known facts of the same subject nearest to a new one, at most `SIMILAR_MAX`.

    Those that say the same come first, then those that hold and cannot hold beside it, then the most alike.
    """
    mine = [one for one in known if one.subject_id == fact.subject.id and one.predicate != "MENTIONED"]
    return sorted(mine, key=lambda one: _distance(fact, one))[:SIMILAR_MAX]


def _distance(fact: AcceptedFact, one: KnownFact) -> tuple[bool, bool, float, bool, str]:
    ended = one.invalid_at is not None
    closable = not ended and _closing(fact, one) is not None
    return (one.claim != fact.claim, not closable, -likeness(fact.statement, one.statement), ended, one.id)


def _closing(fact: AcceptedFact, one: KnownFact) -> Closing | None:
    """Return why the known fact cannot hold once the new one is told, or told to be over; None when both can."""
    if fact.closes:
        return Closing.ENDED if ends(fact.claim, one.claim) else None
    return closes(fact.claim, one.claim)


def nearly_same(fact: AcceptedFact, one: KnownFact) -> bool:
    """Return whether a known fact says the same of the same subject in nearly the same words."""
    mine, other = fact.claim, one.claim
    if mine[:3] != other[:3] or holds_one(mine.predicate, mine.relation) or not one.object_name:
        return False
    names = plain(fact.object.name), plain(one.object_name)
    common_min = COMMON_PART_MIN if fact.subject.label is Label.ENTITY else PROFILE_COMMON_PART_MIN
    alike = near_duplicates(fact.statement, one.statement, common_min=common_min)
    return alike and common_part(*names) > COMMON_NAME_MIN


def closes(told: Claim, other: Claim) -> Closing | None:
    """Return why the other claim cannot hold once this one is told; None when both can."""
    if told.subject_id != other.subject_id:
        return None
    if told.predicate == other.predicate:
        another = told.object_id != other.object_id
        one_place = told.relation == other.relation and holds_one(told.predicate, told.relation)
        return Closing.REPLACED if another and one_place else None
    opposite = whitelist()[told.predicate].opposite == other.predicate
    return Closing.REVERSED if opposite and told.object_id == other.object_id else None


def ends(told: Claim, other: Claim) -> bool:
    """Return whether words that this claim is over mean the other one as well: it says how, they did not."""
    return told.relation is None and other.relation is not None and told == other._replace(relation=None)


def rivals(claim: Claim, others: Sequence[Claim]) -> list[Claim]:
    """Return those of some claims that can close a claim, or that it can close."""
    return [
        other
        for other in others
        if other != claim and (closes(other, claim) or ends(other, claim) or ends(claim, other))
    ]
