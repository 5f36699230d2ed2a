"""Test that a deletion killed (kill -9) at any step is completed after a restart."""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.errors import NotFoundError
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.memory.forgetting.test_forgetting import ENGLISH, by_id, memory_of, store_lines
from tests.integration.memory.worker.test_crash import _later, change_numbers
from tests.support.builders import a_memory, a_worker
from tests.support.slow import slow_but

_ROOT = Path(__file__).parents[4]
_MESSAGE = [
    "tombstones/ensure_salt",
    "locks/lock_memory",
    "locks/lock_sessions",
    "forgetting/delete_messages",
    "forgetting/delete_nodes",
    "forgetting/mark_messages_unread",
    "forgetting/enqueue_reread",
    "change_log/redact",
    "change_log/append",
    "forgetting/sessions_to_reread",
    "jobs/claim_for_session",
    "extract loaded",
    "extract committed",
    "reextract session done",
    "reextract committed",
]
_USER = [
    "user_erasure/begin",
    "jobs/claim_for_session",
    "user_erasure/delete_messages",
    "user_erasure/delete_nodes",
    "user_erasure/delete_sessions",
    "user_erasure/redact_changes",
    "user_erasure/delete_tombstones_and_usage",
    "user_erasure/delete_job",
]


async def _killed(server: Server, tenant: str, point: str, kind: str, name: str) -> None:
    arguments = (server.uri, server.user, server.password, tenant, point, kind, name)
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.memory.forgetting.forget_child",
        *arguments,
        cwd=_ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    await child.communicate()
    assert child.returncode == -9, "the point must have been reached"


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    """Return the graph of a tenant that never had the message, made by the first test that needs it."""
    return {}


@pytest.mark.parametrize("point", slow_but(["extract committed"], _MESSAGE))
async def test_kill_while_forgetting_a_message_gives_the_same_end_state(
    graph: Graph, server: Server, tenant: str, expected: dict[str, Any], point: str
) -> None:
    if "never" not in expected:
        await store_lines(graph, f"{tenant}-never", [*ENGLISH[:1], *ENGLISH[2:5]])
        expected["never"] = await memory_of(graph, f"{tenant}-never")
    await store_lines(graph, tenant, ENGLISH[:5])
    name = await by_id(graph, tenant, ENGLISH[1])
    await _killed(server, tenant, point, "message", name)
    # A caller without a response repeats the request.
    with contextlib.suppress(NotFoundError):
        await a_memory(graph).forgetting.message(TenantId(tenant), name)
    await a_worker(graph, job_context=_later()).drain()
    assert await memory_of(graph, tenant) == expected["never"]
    log = await change_numbers(graph, tenant)
    assert log == list(range(1, len(log) + 1))


@pytest.mark.parametrize("point", slow_but(["user_erasure/delete_sessions"], _USER))
async def test_kill_while_forgetting_a_user_is_completed_by_a_worker(
    graph: Graph, server: Server, tenant: str, point: str
) -> None:
    await store_lines(graph, tenant, ENGLISH[:3])
    await _killed(server, tenant, point, "user", "alice")
    if point == "user_erasure/begin":  # Nothing was marked yet, so the caller repeats the request.
        await a_memory(graph).forgetting.user(TenantId(tenant), "alice")
    await a_worker(graph, job_context=_later()).drain()
    assert await memory_of(graph, tenant) == []
    with pytest.raises(NotFoundError):
        await a_memory(graph).forgetting.user(TenantId(tenant), "alice")
    log = await change_numbers(graph, tenant)
    assert log == list(range(1, len(log) + 1))
