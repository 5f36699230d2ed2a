"""What the graph knows that the new facts of a digest may repeat or contradict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.beings import Known, NameSeen, Owner, resolve
from graph_service.memory.digest_plan import SceneRead
from graph_service.memory.fact_rows import known_fact
from schema.entity import Being
from schema.fact import KnownFact
from schema.ids import MemoryId
from schema.predicates import whitelist


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """Stored facts near the new ones, and what the scenes are known to mention, by id.

    Attributes:
        held: ids of those that belong to merged entities.
    """

    facts: tuple[KnownFact, ...]
    mentions: dict[MemoryId, KnownFact]
    held: frozenset[MemoryId] = frozenset()


async def load_known(
    graph: Graph, owner: Owner, scenes: Sequence[SceneRead], names: Sequence[NameSeen], candidates: Sequence[Known]
) -> KnownFacts:
    """Facts with the same subject as a proposal, and the same object or a relation that holds one object at a time."""
    beings, _ = resolve(names, candidates, owner)
    keys = _keys(scenes, beings)
    scene_ids = sorted(read.scene.id for read in scenes)
    parameters = {"tenant": owner.tenant, "keys": keys, "scene_ids": scene_ids}
    rows = await graph.read(statement("read/known_facts"), parameters)
    known = [known_fact(row) for row in rows]
    unique = {fact.id: fact for fact in known if fact.predicate != "MENTIONED"}
    return KnownFacts(
        facts=tuple(unique[name] for name in sorted(unique)),
        mentions={fact.id: fact for fact in known if fact.predicate == "MENTIONED"},
        held=frozenset(row["properties"]["id"] for row in rows if "subject_id" in row["properties"]),
    )


def _keys(scenes: Sequence[SceneRead], beings: dict[str, Being]) -> list[dict[str, Any]]:
    by_subject: dict[str, tuple[set[str], set[str], set[str]]] = {}
    for read in scenes:
        for reading in read.readings:
            for fact in reading.facts:
                rule = whitelist().get(fact.predicate)
                if rule is None or fact.subject not in beings or fact.object not in beings:
                    continue
                objects, predicates, relations = by_subject.setdefault(beings[fact.subject].id, (set(), set(), set()))
                objects.add(beings[fact.object].id)
                predicates.update({fact.predicate, rule.opposite or fact.predicate})
                relations.update({fact.relation} & rule.one if fact.relation else ())
    return [
        {
            "subject_id": subject,
            "object_ids": sorted(objects),
            "predicates": sorted(predicates),
            "one_relations": sorted(relations),
        }
        for subject, (objects, predicates, relations) in sorted(by_subject.items())
    ]
