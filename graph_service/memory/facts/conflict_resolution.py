"""Compare a new fact with the stored ones: IGNORE, MERGE, UPDATE or CREATE, the first that applies. Pure.

A fact is closed only by what cannot be true at the same time: another object of a single-valued relation, the opposite
predicate for the same object, or a message that says it has ended.
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
from schema.assertion import Closing
from schema.fact import AcceptedFact, Claim, Fact
from schema.labels import Label
from schema.predicates import is_single_valued, whitelist

SIMILAR_MAX: Final = 5
# Minimum similarity of object names: facts about different objects are no duplicates, however similar the sentences.
COMMON_NAME_MIN: Final = 0.8


class FactAction(StrEnum):
    """The result for a new fact; the first that applies."""

    IGNORE = "ignore"
    MERGE = "merge"
    UPDATE = "update"
    CREATE = "create"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The result of comparing a new fact with the stored ones.

    Attributes:
        same: the stored fact with the same content.
        closes: the stored fact that the new one ends, and the reason.
    """

    verdict: FactAction
    same: Fact | None = None
    closes: tuple[Fact, Closing] | None = None


def resolve(fact: AcceptedFact, known: Iterable[Fact]) -> Resolution:
    """Compare a new fact with the most similar stored facts of its subject."""
    near = most_similar(fact, known)
    same = next((one for one in near if one.claim == fact.claim), None)
    same = same or next((one for one in near if nearly_same(fact, one)), None)
    if same is not None:
        assertions = {(assertion.message_id, assertion.ends) for assertion in same.assertions}
        if all((proof.message_id, fact.closes) in assertions for proof in fact.proofs):
            return Resolution(verdict=FactAction.IGNORE, same=same)
        if fact.closes:
            return Resolution(verdict=FactAction.UPDATE, same=same, closes=(same, Closing.ENDED))
        return Resolution(verdict=FactAction.MERGE, same=same)
    for one in near:
        why = _closing(fact, one)
        if why is not None and one.invalid_at is None and one.valid_at <= fact.valid_at:
            return Resolution(verdict=FactAction.UPDATE, closes=(one, why))
    return Resolution(verdict=FactAction.CREATE)


def most_similar(fact: AcceptedFact, known: Iterable[Fact]) -> list[Fact]:
    """Return the stored facts of the same subject most similar to a new one, at most `SIMILAR_MAX`.

    Order: the same claim, then open facts that conflict with it, then by similarity of the statements.
    """
    mine = [one for one in known if one.subject_id == fact.subject.id and one.predicate != "MENTIONED"]
    return sorted(mine, key=lambda one: _distance(fact, one))[:SIMILAR_MAX]


def _distance(fact: AcceptedFact, one: Fact) -> tuple[bool, bool, float, bool, str]:
    ended = one.invalid_at is not None
    closable = not ended and _closing(fact, one) is not None
    return (one.claim != fact.claim, not closable, -likeness(fact.statement, one.statement), ended, one.id)


def _closing(fact: AcceptedFact, one: Fact) -> Closing | None:
    """Return why the new fact, or the end that it states, closes the stored one; None when it does not."""
    if fact.closes:
        return Closing.ENDED if ends(fact.claim, one.claim) else None
    return closes(fact.claim, one.claim)


def nearly_same(fact: AcceptedFact, one: Fact) -> bool:
    """Return whether a stored fact is a near-duplicate: same subject, predicate and relation, similar words."""
    mine, other = fact.claim, one.claim
    if mine[:3] != other[:3] or is_single_valued(mine.predicate, mine.relation) or not one.object_name:
        return False
    names = plain(fact.object.name), plain(one.object_name)
    common_min = COMMON_PART_MIN if fact.subject.label is Label.ENTITY else PROFILE_COMMON_PART_MIN
    alike = near_duplicates(fact.statement, one.statement, common_min=common_min)
    return alike and common_part(*names) > COMMON_NAME_MIN


def closes(claim: Claim, other: Claim) -> Closing | None:
    """Return why a newer assertion of `claim` closes `other`; None when both can be valid."""
    if claim.subject_id != other.subject_id:
        return None
    if claim.predicate == other.predicate:
        another = claim.object_id != other.object_id
        single_valued = claim.relation == other.relation and is_single_valued(claim.predicate, claim.relation)
        return Closing.REPLACED if another and single_valued else None
    opposite = whitelist()[claim.predicate].opposite == other.predicate
    return Closing.REVERSED if opposite and claim.object_id == other.object_id else None


def ends(claim: Claim, other: Claim) -> bool:
    """Return whether the end of `claim` also ends `other`, which differs only by having a relation."""
    return claim.relation is None and other.relation is not None and claim == other._replace(relation=None)


def conflicting_claims(claim: Claim, others: Sequence[Claim]) -> list[Claim]:
    """Return the claims among `others` that can close a claim or be closed by it."""
    return [
        other
        for other in others
        if other != claim and (closes(other, claim) or ends(other, claim) or ends(claim, other))
    ]
