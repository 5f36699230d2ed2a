"""Ask a model whether new facts restate or contradict known ones; each fact is judged once per session."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from extraction.llm.fact_judge import NOTHING_JUDGED, Doubt, FactJudge, FactVerdicts
from extraction.text.fulltext_words import words_in
from extraction.text.near_duplicates import likeness
from graph_service.graph.lucene import scoped_query
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.plan import SceneExtraction, accepted_in
from graph_service.memory.entity_resolution.resolver import EntityRecord, NameMention, Owner
from graph_service.memory.facts.conflict_resolution import SIMILAR_MAX, FactAction, resolve
from graph_service.memory.facts.rows import fact_from_row
from schema.errors import MisreadError
from schema.fact import AcceptedFact, Claim, Fact
from schema.ids import scope_token
from schema.predicates import whitelist

# Doubtful facts of one session; further ones are left to the rules.
DOUBTS_MAX: Final = 20
# Full-text rows for each new fact; at most `SIMILAR_MAX` of them are shown to the model.
_ROWS_MAX: Final = 30


def related_predicates(predicate: str) -> set[str]:
    """Return the predicates of known facts that a new fact with this predicate may restate or replace."""
    return {predicate, whitelist()[predicate].opposite or predicate}


def doubts_of(accepted: Iterable[AcceptedFact], similar: Sequence[Fact]) -> list[Doubt]:
    """Return the new facts that the rules would keep alongside similar known ones; each claim once, most similar first.

    Args:
        similar: known facts that share words with the accepted ones, of any subject.
    """
    doubts: dict[Claim, Doubt] = {}
    for fact in accepted:
        if fact.closes or fact.claim in doubts:
            continue
        if resolve(fact, similar).verdict is not FactAction.CREATE:
            continue
        near = [known for known in similar if _may_conflict(fact, known)]
        if near:
            near.sort(key=lambda known: (-likeness(fact.statement, known.statement), known.id))
            doubts[fact.claim] = Doubt(fact=fact, similar=tuple(near[:SIMILAR_MAX]))
    return sorted(doubts.values(), key=_order)[:DOUBTS_MAX]


def _may_conflict(fact: AcceptedFact, known: Fact) -> bool:
    return (
        known.subject_id == fact.subject.id
        and known.predicate in related_predicates(fact.predicate)
        and known.invalid_at is None
        and known.claim != fact.claim
    )


def _order(doubt: Doubt) -> tuple[float, tuple[str, ...]]:
    alike = likeness(doubt.fact.statement, doubt.similar[0].statement)
    return -alike, tuple(part or "" for part in doubt.fact.claim)


@dataclass(slots=True, kw_only=True)
class SessionFactJudge:
    """The judge of one session with its verdicts so far, so that a repeated plan does not call the model again.

    Attributes:
        judge: None leaves all facts to the rules.
    """

    judge: FactJudge | None
    verdicts: FactVerdicts = NOTHING_JUDGED
    asked: set[Claim] = field(default_factory=set)

    async def judge_scenes(
        self,
        graph: Graph,
        owner: Owner,
        scenes: Sequence[SceneExtraction],
        names: Sequence[NameMention],
        known: Sequence[EntityRecord],
    ) -> FactVerdicts:
        """Return the verdicts on the doubtful facts of some scenes, with their token usage.

        Raises:
            UnavailableError: the model or Neo4j does not answer.
        """
        if self.judge is None:
            return NOTHING_JUDGED
        # Corrections by people are not judged.
        accepted = [fact for fact in accepted_in(scenes, names, known, owner) if fact.correction is None]
        doubts = doubts_of(accepted, await _similar(graph, owner, accepted))
        new = [doubt for doubt in doubts if doubt.fact.claim not in self.asked]
        if new:
            self.asked |= {doubt.fact.claim for doubt in new}
            self.verdicts = _merged(self.verdicts, await _ask(self.judge, new))
        return self.verdicts


async def _ask(judge: FactJudge, doubts: Sequence[Doubt]) -> FactVerdicts:
    try:
        return await judge(doubts)
    except MisreadError as error:
        # The rules decide; the usage still counts.
        return FactVerdicts(calls=error.calls, tokens_in=error.tokens_in, tokens_out=error.tokens_out)


def _merged(one: FactVerdicts, other: FactVerdicts) -> FactVerdicts:
    return replace(
        one,
        verdicts={**one.verdicts, **other.verdicts},
        calls=one.calls + other.calls,
        tokens_in=one.tokens_in + other.tokens_in,
        tokens_out=one.tokens_out + other.tokens_out,
    )


async def _similar(graph: Graph, owner: Owner, accepted: Sequence[AcceptedFact]) -> list[Fact]:
    """Return the known facts of the same subjects that share words with new ones, other than the subject's name."""
    scope = scope_token(owner.tenant, owner.user_id)
    lookups = []
    for fact in accepted:
        name = set(words_in(fact.subject.name))
        words = [word for word in words_in(fact.statement) if word not in name]
        lookups.append(
            {
                "subject_id": fact.subject.id,
                "predicates": sorted(related_predicates(fact.predicate)),
                "query": scoped_query(words, fields=["statement"], scope_user=scope, days=False),
            }
        )
    parameters = {"tenant": owner.tenant, "user_id": owner.user_id, "lookups": lookups, "index_rows": _ROWS_MAX}
    rows = await graph.read(statement("consolidation/similar_facts"), parameters) if lookups else []
    facts = {fact.id: fact for fact in map(fact_from_row, rows)}
    return [facts[name] for name in sorted(facts)]
