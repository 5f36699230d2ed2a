"""Asks a model about facts in doubt, each doubt once while a session is read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from extraction.llm.fact_judge import NOTHING_JUDGED, Doubt, FactJudge, Judging
from extraction.text.fulltext_words import words_in
from extraction.text.near_duplicates import likeness
from graph_service.graph.lucene import scoped_query
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.plan import SceneExtraction, accepted_in
from graph_service.memory.entity_resolution.resolver import EntityRecord, NameSeen, Owner
from graph_service.memory.facts.conflict_resolution import SIMILAR_MAX, FactAction, resolve
from graph_service.memory.facts.rows import known_fact
from schema.errors import MisreadError
from schema.fact import AcceptedFact, Claim, KnownFact
from schema.ids import scope_token
from schema.predicates import whitelist

# Facts in doubt: new ones that the rules would write beside known ones that are like them. Pure.

# Of one reading of a session; what is more is left to the rules.
DOUBTS_MAX: Final = 20


def touching(predicate: str) -> set[str]:
    """Return the predicates under which a known fact may be repeated or replaced by a new one with this predicate."""
    return {predicate, whitelist()[predicate].opposite or predicate}


def doubts_of(accepted: Iterable[AcceptedFact], similar: Sequence[KnownFact]) -> list[Doubt]:
    """Return the facts in doubt, each claim once, those with the most alike known fact first.

    Args:
        similar: known facts that share words with the accepted ones, of whatever subject.
    """
    doubts: dict[Claim, Doubt] = {}
    for fact in accepted:
        if fact.closes or fact.claim in doubts:
            continue
        if resolve(fact, similar).verdict is not FactAction.CREATE:
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


# Rows of the full-text index for each new fact; of these, five are shown to the model.
_WIDE = 30


@dataclass(slots=True, kw_only=True)
class SessionFactJudge:
    """The judge of one session, with what it said so far: a plan made anew does not ask again.

    Attributes:
        judge: None leaves everything to the rules.
    """

    judge: FactJudge | None
    so_far: Judging = NOTHING_JUDGED
    asked: set[Claim] = field(default_factory=set)

    async def on(
        self,
        graph: Graph,
        owner: Owner,
        scenes: Sequence[SceneExtraction],
        names: Sequence[NameSeen],
        known: Sequence[EntityRecord],
    ) -> Judging:
        """Return the verdicts on the facts of these scenes, and what they cost.

        Raises:
            UnavailableError: the model or Neo4j is away; the same call may work later.
        """
        if self.judge is None:
            return NOTHING_JUDGED
        # What a person states needs no judge.
        accepted = [fact for fact in accepted_in(scenes, names, known, owner) if fact.stated is None]
        doubts = doubts_of(accepted, await _similar(graph, owner, accepted))
        new = [doubt for doubt in doubts if doubt.fact.claim not in self.asked]
        if new:
            self.asked |= {doubt.fact.claim for doubt in new}
            self.so_far = _joined(self.so_far, await _ask(self.judge, new))
        return self.so_far


async def _ask(judge: FactJudge, doubts: Sequence[Doubt]) -> Judging:
    try:
        return await judge(doubts)
    except MisreadError as error:
        # The rules decide then; what it cost is counted.
        return Judging(calls=error.calls, tokens_in=error.tokens_in, tokens_out=error.tokens_out)


def _joined(one: Judging, other: Judging) -> Judging:
    return replace(
        one,
        verdicts={**one.verdicts, **other.verdicts},
        calls=one.calls + other.calls,
        tokens_in=one.tokens_in + other.tokens_in,
        tokens_out=one.tokens_out + other.tokens_out,
    )


async def _similar(graph: Graph, owner: Owner, accepted: Sequence[AcceptedFact]) -> list[KnownFact]:
    """Known facts of the same subjects that share words with the accepted ones, besides the subject's name."""
    scope = scope_token(owner.tenant, owner.user_id)
    asks = []
    for fact in accepted:
        name = set(words_in(fact.subject.name))
        words = [word for word in words_in(fact.statement) if word not in name]
        asks.append(
            {
                "subject_id": fact.subject.id,
                "predicates": sorted(touching(fact.predicate)),
                "query": scoped_query(words, fields=["statement"], scope_user=scope, days=False),
            }
        )
    wanted = {"tenant": owner.tenant, "user_id": owner.user_id, "asks": asks, "wide": _WIDE}
    rows = await graph.read(statement("consolidation/similar_facts"), wanted) if asks else []
    facts = {fact.id: fact for fact in map(known_fact, rows)}
    return [facts[name] for name in sorted(facts)]
