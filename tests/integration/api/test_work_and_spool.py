"""Test dead letters and the spool, over GraphQL and on the command line."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest_asyncio
from fastapi import FastAPI

from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.schema import graphql_router
from graph_service.graph.store import Graph
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from schema.ids import TenantId
from tests.conftest import Server
from tests.integration.api.test_graphql import Api
from tests.integration.memory.jobs.test_external_services import Broken
from tests.support.builders import a_dead_graph, a_job_context, a_memory, a_message, a_worker, an_incoming
from tests.support.cli_process import Home

LETTERS = """{ deadLetters { nodes { id kind userId sessionId error attempts failedAt unavailableService } }
  jobStatus { dead spooled } }"""
SPOOL = "{ spool { waiting refused paused episodes { number state error messages { text } } } }"


@pytest_asyncio.fixture(loop_scope="session")
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    opened = Spool(tmp_path / "spool.sqlite3", bytes_max=2**20)
    yield opened
    await opened.close()


@pytest_asyncio.fixture(loop_scope="session")
async def apis(graph: Graph, tenant: str, spool: Spool) -> AsyncIterator[tuple[Api, Api]]:
    """Return the API as the tenant and as another tenant."""
    app = FastAPI()
    install_error_handlers(app)
    app.include_router(graphql_router(a_memory(graph, spool=spool)), prefix="/graphql")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
        yield Api(client, tenant), Api(client, f"{tenant}-other")


async def test_dead_letters_are_listed_for_their_tenant_and_retried(
    graph: Graph, tenant: str, apis: tuple[Api, Api]
) -> None:
    api, other = apis
    await a_memory(graph).remember(TenantId(tenant), an_incoming("poison", "毒药"))
    await a_worker(graph, embedder=Broken()).drain()
    shown: Any = (await api.ask(LETTERS))["data"]
    (letter,) = shown["deadLetters"]["nodes"]
    assert (letter["kind"], letter["userId"], letter["sessionId"], letter["attempts"]) == ("EMBED", "alice", "s1", 1)
    assert (shown["jobStatus"]["dead"], "cannot be embedded" in letter["error"]) == (1, True)
    assert (await other.ask(LETTERS))["data"]["deadLetters"]["nodes"] == []
    retry = "mutation($ids: [ID!]) { retryDeadLetters(ids: $ids) }"
    assert (await other.ask(retry, ids=[letter["id"]]))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert (await other.ask(retry))["data"]["retryDeadLetters"] == 0
    assert (await api.ask(retry))["data"]["retryDeadLetters"] == 1
    cancel = "mutation($ids: [ID!]!) { cancelJobs(ids: $ids) }"
    assert (await api.ask(cancel, ids=[letter["id"]]))["data"]["cancelJobs"] == 1
    assert (await api.ask(LETTERS))["data"] == {"deadLetters": {"nodes": []}, "jobStatus": {"dead": 0, "spooled": 0}}


async def test_spool_is_listed_for_its_tenant_paused_and_cleared(
    graph: Graph, tenant: str, spool: Spool, apis: tuple[Api, Api]
) -> None:
    api, other = apis
    await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(a_message("我爱喝茶。", id="m1"),)))
    dead = a_dead_graph()
    clash = an_incoming(messages=(a_message("我讨厌喝茶。", id="m1"),))
    await a_memory(dead, spool=spool).remember(TenantId(tenant), clash)
    await dead.close()
    assert (await api.ask("mutation { pauseSpool { paused } }"))["data"]["pauseSpool"]["paused"]
    await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
    assert (await api.ask(LETTERS))["data"]["jobStatus"]["spooled"] == 1
    assert not (await api.ask("mutation { pauseSpool(paused: false) { paused } }"))["data"]["pauseSpool"]["paused"]
    await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
    seen: Any = (await api.ask(SPOOL))["data"]["spool"]
    assert (seen["refused"], seen["episodes"][0]["messages"]) == (1, [{"text": "我讨厌喝茶。"}])
    assert (await other.ask(SPOOL))["data"]["spool"]["episodes"] == []
    number = seen["episodes"][0]["number"]
    drop = "mutation($n: Int!) { dropSpooled(number: $n) { refused } }"
    assert (await other.ask(drop, n=number))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert (await api.ask("mutation($n: Int!) { retrySpooled(number: $n) { waiting } }", n=number))["data"] == {
        "retrySpooled": {"waiting": 1}
    }
    await Replay(graph=graph, spool=spool, job_context=a_job_context()).flush()
    assert (await api.ask(drop, n=number))["data"] == {"dropSpooled": {"refused": 0}}


def test_remember_command_spools_while_neo4j_is_unavailable(tmp_path: Path) -> None:
    """Nothing listens on the discard port."""
    away = {"NEO4J_URI": "bolt://127.0.0.1:9", "NEO4J_PASSWORD": "x", "MNEMOSCENE_EMBEDDING_KIND": "none"}
    home = Home(tmp_path, away)
    told = home.run("remember", "I love trams.", "--user", "ana", "--json").document()
    assert (told["stored"], told["spooled"], told["extracted"]) == (1, True, False)
    listed = home.run("spool", "list", "--json").document()
    assert (listed["waiting"], listed["episodes"][0]["texts"]) == (1, ["I love trams."])
    assert home.run("--tenant", "other", "spool", "list", "--json").document()["episodes"] == []
    assert home.run("spool", "pause", "--json").document()["paused"]
    assert not home.run("spool", "resume", "--json").document()["paused"]
    assert home.run("spool", "drop", "7").code == 3
    assert "trams" in home.run("spool", "list").out


def test_dead_letters_are_listed_and_retried_on_the_command_line(server: Server, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    assert home.run("jobs", "--json").document() == {"waiting": 0, "leased": 0, "dead": 0, "dead_letters": []}
    assert json.loads(home.run("jobs", "retry", "--all", "--json").out)["retried"] == 0
    assert home.run("jobs", "retry").code == 2
    assert home.run("jobs", "cancel", "no such work").code == 3
