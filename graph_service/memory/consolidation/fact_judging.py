"""Ask a model whether new facts restate or contradict known ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from extraction.embeddings.embedder import Embedder
from extraction.llm.fact_judge import NOTHING_JUDGED, Doubt, FactJudge, FactVerdicts
from extraction.text.fulltext_words import words_in
from extraction.text.near_duplicates import likeness
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.lucene import scoped_query
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.plan import SceneExtraction, accepted_in
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.facts.conflict_resolution import SIMILAR_MAX, FactAction, resolve
from graph_service.memory.facts.stored import fact_from_row
from schema.entity import EntityRef
from schema.errors import MisreadError, OverBudgetError, UnavailableError
from schema.fact import AcceptedFact, Claim, Fact
from schema.ids import scope_token
from schema.predicates import whitelist

# Doubtful facts of one session; further ones are left to the rules.
DOUBTS_MAX: Final = 20
# Full-text rows for each new fact; at most `SIMILAR_MAX` of them are shown to the model.
_ROWS_MAX: Final = 30
# New facts for which known ones are looked up.
_LOOKUPS_MAX: Final = 100
# Score of the vector index, (1 + cosine) / 2: paraphrases and translations have a cosine of 0.5 or more.
_SCORE_MIN: Final = 0.75


def related_predicates(predicate: str) -> set[str]:
    """Return the predicates of known facts that a new fact with this predicate may restate or replace."""
    return {predicate, whitelist()[predicate].opposite or predicate}


def doubts_of(
    accepted: Iterable[AcceptedFact],
    similar: Sequence[Fact],
    scores: Mapping[tuple[Claim, str], float] = MappingProxyType({}),
) -> list[Doubt]:
    """Return the new facts that the rules would keep alongside similar known ones; each claim once, most similar first.

    Args:
        similar: known facts that share words or meaning with the accepted ones, of any subject.
        scores: similarity of the vectors, by claim of the new fact and id of the known one.
    """

    def closeness(fact: AcceptedFact, known: Fact) -> float:
        return max(likeness(fact.statement, known.statement), scores.get((fact.claim, known.id), 0.0))

    accepted = list(accepted)
    claims = {fact.claim for fact in accepted}
    # Stored by this digest's messages before a model was asked, so a fact that is read again is as new as the others.
    older = [known for known in similar if known.claim not in claims or not known.is_unconfirmed]
    doubts: dict[Claim, Doubt] = {}
    for fact in accepted:
        if fact.closes or fact.claim in doubts:
            continue
        if resolve(fact, older)[0] is not FactAction.CREATE:
            continue
        near = [known for known in older if _may_conflict(fact, known)]
        if near:
            near.sort(key=lambda known: (-closeness(fact, known), known.id))
            doubts[fact.claim] = Doubt(fact=fact, similar=tuple(near[:SIMILAR_MAX]))

    def order(doubt: Doubt) -> tuple[float, tuple[str, ...]]:
        return -closeness(doubt.fact, doubt.similar[0]), tuple(part or "" for part in doubt.fact.claim)

    return sorted(doubts.values(), key=order)[:DOUBTS_MAX]


def _may_conflict(fact: AcceptedFact, known: Fact) -> bool:
    return (
        known.subject_id == fact.subject.id
        and known.predicate in related_predicates(fact.predicate)
        and (known.invalid_at is None or known.invalid_at > fact.valid_at)
        and known.claim != fact.claim
    )


async def judge_scenes(
    graph: Graph,
    owner: Owner,
    scenes: Sequence[SceneExtraction],
    entities: Mapping[str, EntityRef],
    *,
    judge: FactJudge,
    embedder: Embedder | None,
) -> FactVerdicts:
    """Return the verdicts on the doubtful facts of some scenes; the rules decide if an answer cannot be used.

    Args:
        embedder: finds known facts in other words or another language; None: by words only.

    Raises:
        UnavailableError: the model or Neo4j does not answer.
    """
    # Corrections by people are not judged.
    accepted = [fact for fact in accepted_in(scenes, entities) if fact.correction is None]
    similar, scores = await _similar(graph, owner, accepted, embedder)
    zones = {message.id: message.zone for one in scenes for message in one.scene.messages}
    doubts = [
        replace(doubt, zone=zones.get(doubt.fact.proofs[0].message_id))
        for doubt in doubts_of(accepted, similar, scores)
    ]
    if not doubts:
        return NOTHING_JUDGED
    try:
        return await judge(doubts)
    except (OverBudgetError, MisreadError):
        return NOTHING_JUDGED


async def _similar(
    graph: Graph, owner: Owner, accepted: Sequence[AcceptedFact], embedder: Embedder | None
) -> tuple[list[Fact], dict[tuple[Claim, str], float]]:
    """Return known facts of the same subjects that share words (but the subject's name) or meaning with new ones.

    The second value has the similarity of the vectors, by claim of the new fact and id of the known one.
    """
    scope = scope_token(owner.tenant, owner.user_id)
    facts = list({fact.claim: fact for fact in accepted if not fact.closes}.values())[:_LOOKUPS_MAX]
    vectors = await _vectors(embedder, [fact.statement for fact in facts])
    lookups = []
    for number, fact in enumerate(facts):
        name = set(words_in(fact.subject.name))
        words = [word for word in words_in(fact.statement) if word not in name]
        lookups.append(
            {
                "number": number,
                "subject_id": fact.subject.id,
                "predicates": sorted(related_predicates(fact.predicate)),
                "query": scoped_query(words, fields=["statement"], scope_user=scope, days=False),
                "vector": vectors[number],
            }
        )
    parameters = {"tenant": owner.tenant, "user_id": owner.user_id, "lookups": lookups, "index_rows": _ROWS_MAX}
    parameters |= {"score_min": _SCORE_MIN}
    rows = await graph.read(statement("consolidation/similar_facts"), parameters) if lookups else []
    found: dict[str, Fact] = {}
    scores: dict[tuple[Claim, str], float] = {}
    for row in rows:
        known = fact_from_row(row)
        found[known.id] = known
        # The index scales the cosine to 0…1.
        scores[facts[row["number"]].claim, known.id] = max(2 * row["score"] - 1, 0.0)
    return [found[name] for name in sorted(found)], scores


async def _vectors(embedder: Embedder | None, texts: Sequence[str]) -> list[Any]:
    """Return a vector for each text; None for all without an embedder, or while it is unavailable."""
    if embedder is None or not texts:
        return [None] * len(texts)
    try:
        return [vector_parameter(vector) for vector in await embedder.embed(texts)]
    except (UnavailableError, MisreadError):
        return [None] * len(texts)
