"""Facts in doubt: new ones that the rules would write beside known ones that are like them. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from extraction.fact_judge import Doubt
from extraction.near_duplicate import likeness
from graph_service.memory.resolution import SIMILAR_MAX, Verdict, resolve
from schema.fact import AcceptedFact, Claim, KnownFact
from schema.predicates import whitelist

# Of one reading of a session; what is more is left to the rules.
DOUBTS_MAX: Final = 20


def touching(predicate: str) -> set[str]:
    """The predicates under which a known fact may be repeated or replaced by a new one with this predicate."""
    return {predicate, whitelist()[predicate].opposite or predicate}


def doubts_of(accepted: Iterable[AcceptedFact], similar: Sequence[KnownFact]) -> list[Doubt]:
    """The facts in doubt, each claim once, those with the most alike known fact first.

    Args:
        similar: known facts that share words with the accepted ones, of whatever subject.
    """
    doubts: dict[Claim, Doubt] = {}
    for fact in accepted:
        if fact.closes or fact.claim in doubts:
            continue
        if resolve(fact, similar).verdict is not Verdict.CREATE:
            continue
        near = [one for one in similar if _may_touch(fact, one)]
        if near:
            near.sort(key=lambda one: (-likeness(fact.statement, one.statement), one.id))
            doubts[fact.claim] = Doubt(fact=fact, near=tuple(near[:SIMILAR_MAX]))
    return sorted(doubts.values(), key=_order)[:DOUBTS_MAX]


def _may_touch(fact: AcceptedFact, one: KnownFact) -> bool:
    return (
        one.subject_id == fact.subject.id
        and one.predicate in touching(fact.predicate)
        and one.invalid_at is None
        and one.claim != fact.claim
    )


def _order(doubt: Doubt) -> tuple[float, tuple[str, ...]]:
    alike = likeness(doubt.fact.statement, doubt.near[0].statement)
    return -alike, tuple(part or "" for part in doubt.fact.claim)
