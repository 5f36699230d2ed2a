"""Test kill -9 at every step of ingest, worker and closing: after a restart nothing is lost or stored twice."""

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.jobs.job_context import JobContext
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.memory.worker.crash_story import close, tell
from tests.support.builders import a_job_context, a_memory, a_worker
from tests.support.slow import slow_but

_ROOT = Path(__file__).parents[4]
_INTAKE = ["ingest/add_messages", "ingest/add_user", "sessions/enqueue_close"]
_WORKER = [
    "jobs/claim",
    "extract claimed",
    "extract loaded",
    "extract read",
    "extract planned",
    "extract committed",
    "embed claimed",
    "embed loaded",
    "embed computed",
    "embed committed",
    "close claimed",
    "close indexing",
    "close extracting",
    "close summarised",
    "close committed",
]
_INSIDE_A_COMMIT = [
    "consolidation/lock_user",
    "entity_resolution/put_entities",
    "consolidation/put_scenes",
    "facts/put_facts",
    "consolidation/complete_episodes",
    "jobs/enqueue",
    "jobs/finish",
    "change_log/append",
    "jobs/set_message_vectors",
    "jobs/set_scene_vectors",
    "jobs/set_fact_vectors",
    "sessions/set_state",
    "jobs/claim_for_session",
]
# One point of each kind; `pytest -m slow` runs all.
_IN_EVERY_RUN = ["ingest/add_messages", "facts/put_facts", "close extracting"]

_GRAPH = """
CALL () {
  MATCH (a {tenant: $tenant})-[r]->(b {tenant: $tenant})
  RETURN ['edge', coalesce(a.name, a.text, a.session_id), type(r), coalesce(b.name, b.text, b.session_id), r.relation,
          r.statement, r.strength, r.confidence, toString(r.first_seen), toString(r.last_seen), toString(r.valid_at),
          toString(r.invalid_at), size(r.evidence), size(r.scenes), r.reader,
          r.embedding IS NOT NULL, r.unembedded_in] AS row
 UNION ALL
  MATCH (n:Memory {tenant: $tenant})
  RETURN ['node', n.name, n.key, n.aliases, n.entity_type, toString(n.first_seen), toString(n.last_seen), n.abstract,
          n.overview, n.unembedded, n.abstract_embedding IS NOT NULL] AS row
 UNION ALL
  MATCH (m:Message {tenant: $tenant})
  RETURN ['message', m.text, m.unread, m.unembedded, m.embedding IS NOT NULL, toString(m.said_at)] AS row
 UNION ALL
  MATCH (e:Episode {tenant: $tenant}) RETURN ['episode', e.facts, e.unread] AS row
 UNION ALL
  MATCH (l:SessionLifecycle {tenant: $tenant}) RETURN ['session', l.session_id, l.state, l.close_reason] AS row
 UNION ALL
  MATCH (j:Job {tenant: $tenant}) RETURN ['work', j.kind, j.state, j.open, j.error] AS row
}
RETURN row
"""


def _later() -> JobContext:
    """Return the clock of a worker that starts after the killed one's lease has expired."""
    job_context = a_job_context()
    return JobContext(
        clock=lambda: datetime.now(UTC) + timedelta(seconds=90),
        random_token=job_context.random_token,
        on_step=job_context.on_step,
        on_change=job_context.on_change,
    )


async def comparable_graph(graph: Graph, tenant: str) -> list[str]:
    """Return the whole graph of a tenant without ids and storage times, which differ between equal runs."""
    async with graph._driver.session() as session:
        result = await session.run("CYPHER 25 " + _GRAPH, {"tenant": tenant})
        return sorted(str(record["row"]) for record in await result.fetch(10_000))


async def change_numbers(graph: Graph, tenant: str) -> list[int]:
    """Return the sequence numbers of the change log in order."""
    return [row.seq for row in await a_memory(graph).changes.since(TenantId(tenant), 0, rows_max=10_000)]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """Return the graph of an uninterrupted run, made by the first test that needs it."""
    return {}


async def _undisturbed(graph: Graph, tenant: str, expected: dict[str, Any]) -> list[str]:
    if "picture" not in expected:
        for ask in (tell, close):
            await ask(graph, f"{tenant}-whole")
        await a_worker(graph).drain()
        expected["picture"] = await comparable_graph(graph, f"{tenant}-whole")
    return list(expected["picture"])


@pytest.mark.parametrize("point", slow_but(_IN_EVERY_RUN, _INTAKE + _WORKER + _INSIDE_A_COMMIT))
async def test_kill_at_any_point_leaves_the_same_graph_after_a_restart(
    graph: Graph, server: Server, tenant: str, expected: dict[str, Any], point: str
) -> None:
    whole = await _undisturbed(graph, tenant, expected)
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.memory.worker.crash_child",
        server.uri,
        server.user,
        server.password,
        tenant,
        point,
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await child.communicate()
    assert child.returncode == -9, "the point must have been reached"
    for ask in (tell, close):
        if ask.__name__.encode() not in said:  # The caller got no acknowledgement, so it repeats the call.
            await ask(graph, tenant)
    await a_worker(graph, job_context=_later()).drain()
    assert await comparable_graph(graph, tenant) == whole
    log = await change_numbers(graph, tenant)
    assert log == list(range(1, len(log) + 1))
