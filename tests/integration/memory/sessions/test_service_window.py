"""Test a service with Redis: startup, readiness, shutdown."""

import subprocess
import sys
from pathlib import Path

from graph_service.app.application import readiness
from graph_service.app.services import Services, open_services
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import Question
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import an_incoming
from tests.support.open_service import settings_for
from tests.support.redis_process import redis_process


async def _opened(server: Server, folder: Path, redis_url: str) -> Services:
    settings = settings_for(server, folder, {"REDIS_URL": redis_url})
    return await open_services(settings, on_progress=lambda _step: None, starting=None)


async def test_readiness_reports_where_the_last_turns_are_kept(
    graph: Graph, server: Server, tenant: str, tmp_path: Path
) -> None:
    async with redis_process() as redis:
        parts = await _opened(server, tmp_path, redis.url)
        await parts.memory.remember(TenantId(tenant), an_incoming("I met Anna."))
        asked = Question(user_id="alice", text="When was it that I met her?", session_id="s1")
        assert (await parts.memory.recall(TenantId(tenant), asked)).hits
        state = (await readiness(parts))["short_term"]
        assert (state["store"], state["breaker"], state["problem"]) == ("redis", "closed", None)
        await parts.close()
        async with redis.client() as client:
            assert len(await client.keys("mnemoscene:turns:*")) == 1, "closing hands over what waits"
    # Nothing listens there any more; the service still starts.
    parts = await _opened(server, tmp_path, redis.url)
    state = (await readiness(parts))["short_term"]
    assert state["store"] == "process"
    assert "redis.url" in state["problem"]
    await parts.close()


def test_service_without_redis_does_not_import_its_client() -> None:
    code = "import graph_service.app.application, sys; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
