"""Update merges of kinship roles ("my sister") inside the transaction that changed the facts."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from extraction.entities.kinship_terms import tie, tie_words
from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from graph_service.memory.entity_resolution.kinship_roles import KINSHIP_MERGE_REASON, Relative, plan_kinship_merges
from graph_service.memory.entity_resolution.merge_writer import merge_nodes, split_node
from schema.change import Change
from schema.ids import MemoryId, TenantId, memory_id, user_uri


def affects_kinship(facts: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether any of the facts can change the referent of a kinship role.

    Args:
        facts: rows of `facts/put_facts`.
    """
    return any(row["predicate"] == "RELATES_TO" and tie(row["properties"].get("relation") or "") for row in facts)


async def update_kinship_merges(writing: Writing, tenant: TenantId, user_id: str, *, at: datetime) -> list[Change]:
    """Merge and split kinship roles according to the user's current facts; return the changes for viewers."""
    parameters = {
        "tenant": tenant,
        "user_node_id": memory_id(user_uri(tenant, user_id)),
        "words": tie_words(),
    }
    rows = await writing.run(statement("entity_resolution/kinship_facts"), parameters)
    relatives = [_relative(row) for row in rows]
    if not any(one.kinship_name for one in relatives):
        return []
    rejected = await rejected_pairs(writing, tenant, user_id)
    changes: list[Change] = []
    for action in plan_kinship_merges(relatives, rejected):
        if action.merge:
            _, merge_changes = await merge_nodes(
                writing, tenant, action.root_id, action.role_id, KINSHIP_MERGE_REASON, at=at
            )
            changes += merge_changes
        else:
            changes += await split_node(
                writing, tenant, action.role_id, action.root_id, "somebody else may be meant", at=at
            )
    return changes


async def rejected_pairs(writing: Writing, tenant: TenantId, user_id: str) -> set[frozenset[str]]:
    """Return the pairs of a user's entities that a person declared different."""
    rows = await writing.run(statement("entity_resolution/rejected_merges"), {"tenant": tenant, "users": [user_id]})
    return {frozenset((row["a_id"], row["b_id"])) for row in rows}


def _relative(row: Mapping[str, Any]) -> Relative:
    return Relative(
        id=MemoryId(row["id"]),
        root_id=MemoryId(row["root_id"] or row["id"]),
        name=row["name"],
        relation=row["relation"],
        reason=row["reason"],
        is_valid=row["is_valid"],
        stated_by_user=row["stated_by_user"],
        is_shared=row["is_shared"],
    )
