"""Keeps the map in step with who is meant by "my sister", inside the commit that changed it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from extraction.entities.kinship_terms import tie, tie_words
from graph_service.graph.statements import statement
from graph_service.graph.store import Writing
from graph_service.memory.entity_resolution.kinship_roles import REASON, Relative, role_moves
from graph_service.memory.entity_resolution.merge_writer import join, part
from schema.change import Change
from schema.ids import MemoryId, TenantId, memory_id, user_uri


def concerns_roles(facts: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether facts that are written may change who is meant by a word for a relative.

    Args:
        facts: rows of `facts/put_facts`.
    """
    return any(row["predicate"] == "RELATES_TO" and tie(row["properties"].get("relation") or "") for row in facts)


async def settle_roles(writing: Writing, tenant: TenantId, user_id: str, *, at: datetime) -> list[Change]:
    """Join and parts what the facts of this user say now; return what viewers must be told."""
    parameters = {
        "tenant": tenant,
        "user_node_id": memory_id(user_uri(tenant, user_id)),
        "words": tie_words(),
    }
    rows = await writing.run(statement("entity_resolution/kinship_facts"), parameters)
    relatives = [_relative(row) for row in rows]
    if not any(one.is_called for one in relatives):
        return []
    apart = await kept_apart(writing, tenant, user_id)
    changes: list[Change] = []
    for move in role_moves(relatives, apart):
        if move.join:
            _, told = await join(writing, tenant, move.root_id, move.role_id, REASON, at=at)
            changes += told
        else:
            changes += await part(writing, tenant, move.role_id, move.root_id, "somebody else may be meant", at=at)
    return changes


async def kept_apart(writing: Writing, tenant: TenantId, user_id: str) -> set[frozenset[str]]:
    """Return pairs of entities of a user that somebody said are two."""
    rows = await writing.run(statement("entity_resolution/rejected_merges"), {"tenant": tenant, "users": [user_id]})
    return {frozenset((row["a_id"], row["b_id"])) for row in rows}


def _relative(row: Mapping[str, Any]) -> Relative:
    return Relative(
        id=MemoryId(row["id"]),
        root_id=MemoryId(row["root_id"] or row["id"]),
        name=row["name"],
        relation=row["relation"],
        reason=row["reason"],
        holds=row["holds"],
        own_words=row["own_words"],
        shared=row["shared"],
    )
