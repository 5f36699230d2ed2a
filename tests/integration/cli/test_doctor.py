"""Test what the doctor finds missing and the remedy it names."""

import socket
from pathlib import Path

import pytest

from graph_service.admin.doctor import check_port, examine_redis, examine_service, examine_spool, service_checks
from graph_service.config.settings import Settings, load_settings
from graph_service.memory.ingest.episode_writer import spool_episode
from graph_service.memory.ingest.validation import check_request
from graph_service.observability.metrics import Loop
from graph_service.runtime.service_registry import recorded
from graph_service.runtime.spool_location import open_spool
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import NOON, an_incoming
from tests.support.open_service import open_service


def settings_of(folder: Path, **environ: str) -> Settings:
    given = {"MNEMOSCENE_DATA_DIR": str(folder / "data"), **environ}
    return load_settings(environ=given, here=folder, user_dir=folder)


async def test_doctor_reports_an_unreachable_redis_without_its_password(tmp_path: Path) -> None:
    assert (await examine_redis(settings_of(tmp_path))).ok is None
    told = await examine_redis(settings_of(tmp_path, REDIS_URL="redis://:hush-hush@127.0.0.1:1/0"))
    assert (told.ok, "REDIS_URL" in told.fix, "hush" in told.finding) == (False, True, False)


async def test_doctor_reports_waiting_and_refused_episodes_of_the_spool(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    assert (await examine_spool(settings)).finding.startswith("0 episodes")
    assert not (tmp_path / "data").exists()
    spool = open_spool(settings)
    await spool_episode(spool, check_request(TenantId("t"), an_incoming("我喜欢喝茶。"), now=NOON))
    waits = await examine_spool(settings)
    assert (waits.ok, waits.finding) == (True, "1 episodes wait for Neo4j")
    await spool.pause(True)
    paused = await examine_spool(settings)
    assert (paused.ok, "spool resume" in paused.fix) == (False, True)
    first = (await spool.listed(TenantId("t")))[0]
    await spool.refuse(first.number, "no")
    await spool.close()
    refused = await examine_spool(settings)
    assert (refused.ok, "spool retry" in refused.fix) == (False, True)


@pytest.mark.slow
async def test_doctor_reports_a_failing_background_loop(server: Server, tmp_path: Path) -> None:
    """Issue 21, fault 2: `/ready` and the doctor report background errors, and requests are still answered."""
    settings = settings_of(tmp_path)
    assert await examine_service(settings) == []
    async with open_service(server, tmp_path / "service") as service:
        with recorded(settings, service.http):
            assert [check.ok for check in await examine_service(settings)] == [True]
            supervisor = service.parts.supervisor
            supervisor.note(Loop.SNAPSHOTS, KeyError("我对花生过敏"), number=10**9)
            async with service.client() as client:
                answer = await client.get("/ready")
            assert answer.status_code == 200
            told = answer.json()
            assert (told["ready"], told["degraded"]) == (True, True)
            assert told["loops"]["snapshots"]["last_failure"]["error"] == "KeyError"
            assert {"worker extract", "replay", "keys", "database watch", "mcp"} <= set(told["loops"])
            ready, fails = await examine_service(settings)
            assert (ready.ok, fails.ok, "snapshots" in fails.finding) == (True, False, True)
            assert "花生" not in f"{answer.text} {fails.finding}"


def test_doctor_reports_a_stopped_database_and_lost_audit_lines() -> None:
    told = {"ready": False, "neo4j": "broken", "neo4j_problem": "Neo.X", "audit_problem": "3 lines lost", "loops": {}}
    service, audit = service_checks("http://x", told)
    assert (service.ok, audit.ok) == (False, False)
    assert "Neo.X" in service.finding


def test_doctor_does_not_call_the_port_of_its_own_service_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = settings_of(tmp_path, MNEMOSCENE_SERVICE_PORT=str(port))
        told = check_port(settings)
        assert (told.ok, "is taken" in told.finding) == (False, True)
        with recorded(settings, f"http://127.0.0.1:{port}"):
            told = check_port(settings)
        assert (told.ok, "is the running service" in told.finding) == (True, True)
