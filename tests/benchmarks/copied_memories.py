"""Create memories of any size for benchmarks: the service reads one, and larger ones are copies of the result.

Real memories do not contain the same vector a hundred times, so each copied message and scene gets a vector between its
own and another one's, and each fact one near its own. Texts get a number. Entities are not copied: in a memory a
hundred times as large each name occurs a hundred times as often, in as many more scenes and facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph, Writing
from schema.ids import TenantId, scope_token, user_uri

Floats = npt.NDArray[np.float32]
# Time between copies: the original's thousand messages are a minute apart.
SHIFT_MS = 1_000 * 60_000
ROWS_A_COMMIT = 1_000


def _statement(name: str, text: str, *columns: str) -> Statement:
    return Statement(
        name=f"bench/{name}", text=f"CYPHER 25\n{text}", parameters=frozenset(), columns=columns, hot=False
    )


VECTORS = _statement(
    "vectors",
    """MATCH (n:Message|Scene {tenant: $model}) WHERE n.embedding IS NOT NULL OR n.abstract_embedding IS NOT NULL
RETURN n.id AS id, n:Scene AS scene, coalesce(n.embedding, n.abstract_embedding) AS vector ORDER BY id""",
    "id",
    "scene",
    "vector",
)
# Whole property maps, because no node may have the original's tenant and id even for a moment.
_MOVED = """.*, tenant: $tenant, id: row.id + $mark, uri: replace(m.uri, $model_uri, $uri) + $mark,
  session_id: m.session_id + $mark, scope_tenant: $scope_tenant, scope_user: $scope_user"""
MESSAGES = _statement(
    "copy_messages",
    f"""UNWIND $rows AS row
MATCH (m:Message {{tenant: $model, id: row.id}})
WITH row, m {{{_MOVED}, text: m.text + $note, said_ms: m.said_ms + $shift_ms,
  said_at: m.said_at + duration({{milliseconds: $shift_ms}})}} AS told
CREATE (c:Message) SET c = told
SET c.said_day = replace(toString(date(c.said_at)), '-', '')
WITH c, row CALL db.create.setNodeVectorProperty(c, 'embedding', row.vector)""",
)
SCENES = _statement(
    "copy_scenes",
    f"""UNWIND $rows AS row
MATCH (m:Scene {{tenant: $model, id: row.id}})
WITH row, m, m {{{_MOVED}, name: m.name + $note,
  start_ms: m.start_ms + $shift_ms, end_ms: m.end_ms + $shift_ms}} AS told
CREATE (c:Memory:Scene) SET c = told
WITH m, c, row
CALL db.create.setNodeVectorProperty(c, 'abstract_embedding', row.vector)
CALL db.create.setNodeVectorProperty(c, 'overview_embedding', row.vector)
WITH m, c
MATCH (told:Message)-[:PART_OF]->(m)
MATCH (copy:Message {{tenant: $tenant, id: told.id + $mark}})
CREATE (copy)-[:PART_OF]->(c)""",
)
BEINGS = _statement(
    "copy_beings",
    """MATCH (m:Memory {tenant: $model}) WHERE NOT m:Scene
WITH m, m {.*, tenant: $tenant, uri: replace(m.uri, $model_uri, $uri), scope_user: $scope_user} AS told
CREATE (c:Memory) SET c = told
SET c:$([label IN labels(m) WHERE label <> 'Memory'])""",
)
EDGES = _statement(
    "copy_edges",
    """MATCH (a:Memory {tenant: $model})-[r]->(b:Memory) WHERE r.evidence IS NOT NULL
MATCH (from:Memory {tenant: $tenant, id: a.id + CASE WHEN a:Scene THEN $mark ELSE '' END})
MATCH (to:Memory {tenant: $tenant, id: b.id + CASE WHEN b:Scene THEN $mark ELSE '' END})
WITH from, to, r, type(r) AS predicate
CREATE (from)-[c:$(predicate)]->(to)
SET c = r {.*, tenant: $tenant, id: r.id + $mark, uri: replace(r.uri, $model_uri, $uri) + $mark,
  scope_tenant: $scope_tenant, scope_user: $scope_user, statement: r.statement + $note,
  embedding: [one IN r.embedding | one + 0.05 * (rand() - 0.5)],
  evidence: [one IN r.evidence | one + $mark], scenes: [one IN r.scenes | one + $mark]}""",
)


@dataclass(frozen=True, kw_only=True)
class Model:
    """A memory that the service stored and read, with its vectors.

    Attributes:
        messages, scenes: ids with their vectors, one row each.
    """

    tenant: TenantId
    user_id: str
    messages: tuple[Sequence[str], Floats]
    scenes: tuple[Sequence[str], Floats]


async def model_of(graph: Graph, tenant: TenantId, user_id: str) -> Model:
    """Return the memory of a user, read from the database."""
    rows = await graph.read(VECTORS, {"model": tenant})

    def part(scene: bool) -> tuple[Sequence[str], Floats]:
        chosen = [row for row in rows if row["scene"] is scene]
        return [row["id"] for row in chosen], np.array([row["vector"] for row in chosen], np.float32)

    return Model(tenant=tenant, user_id=user_id, messages=part(False), scenes=part(True))


async def copied(graph: Graph, model: Model, tenant: TenantId, messages: int) -> None:
    """Create a memory with this number of messages; only the last copy may be partial."""
    draw = np.random.default_rng(messages)
    scope: dict[str, Any] = {
        "model": model.tenant,
        "tenant": tenant,
        "model_uri": _beginning(model.tenant, model.user_id),
        "uri": _beginning(tenant, model.user_id),
        "scope_tenant": scope_token(tenant),
        "scope_user": scope_token(tenant, model.user_id),
    }
    await _written(graph, BEINGS, scope)
    whole = len(model.messages[0])
    for number in range(-(-messages // whole)):
        left = min(messages - number * whole, whole)
        one = scope | {"mark": f"-{number}", "note": f" [{number}]", "shift_ms": number * SHIFT_MS}
        await _written(graph, MESSAGES, one | {"rows": _rows(model.messages, left, draw)})
        await _written(graph, SCENES, one | {"rows": _rows(model.scenes, len(model.scenes[0]), draw)})
        await _written(graph, EDGES, one)


def _beginning(tenant: str, user_id: str) -> str:
    """Return the common prefix of all URIs of a user."""
    return user_uri(tenant, user_id).partition("/user/")[0]


def _rows(part: tuple[Sequence[str], Floats], most: int, draw: np.random.Generator) -> list[dict[str, Any]]:
    ids, vectors = part
    share = draw.uniform(0.6, 0.9, size=(len(ids), 1)).astype(np.float32)
    mixed = share * vectors + (1 - share) * vectors[draw.permutation(len(ids))]
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return [
        {"id": name, "vector": vector_parameter(row.tolist())}
        for name, row in zip(ids[:most], mixed[:most], strict=True)
    ]


async def _written(graph: Graph, statement: Statement, parameters: dict[str, Any]) -> None:
    async def steps(writing: Writing) -> None:
        await writing.run(statement, parameters)

    await graph.write(steps)
