"""Test `sync` over GraphQL and on the command line."""

from pathlib import Path
from typing import Any

from graph_service.graph.store import Graph
from tests.conftest import Server
from tests.integration.api.test_graphql import REMEMBER, Api, _said, api
from tests.support.builders import a_worker
from tests.support.cli_process import Home

__all__ = ["api"]

SYNC = "mutation($dry: Boolean!) { sync(dryRun: $dry) { total indexed skipped errors found { problem count } } }"


async def test_sync_repairs_the_own_tenant_only(api: Api, graph: Graph, tenant: str) -> None:
    await api.ask(REMEMBER, input=_said("我爱喝茶。"))
    await a_worker(graph).drain()
    async with graph._driver.session() as session:
        await (await session.run("MATCH (m:Message {tenant: $t}) REMOVE m.embedding", t=tenant)).consume()
    found = [{"problem": "VECTOR_MISSING", "count": 1}]

    async def synced(asked: Api, *, dry: bool) -> Any:
        return (await asked.ask(SYNC, dry=dry))["data"]["sync"]

    assert (await synced(Api(api._client, f"{tenant}-2"), dry=False))["total"] == 0
    look = await synced(api, dry=True)
    assert (look["found"], look["indexed"]) == (found, 0)
    mended = await synced(api, dry=False)
    assert (mended["found"], mended["indexed"], mended["skipped"]) == (found, 1, mended["total"] - 1)
    await a_worker(graph).drain()
    assert (await synced(api, dry=False))["found"] == []


def test_sync_on_the_command_line_reports_what_it_found(server: Server, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    assert home.run("remember", "I love trams.", "--user", "ana").code == 0
    report = home.run("sync", "--json").document()
    assert (report["found"], report["errors"], report["total"] == report["skipped"] > 2) == ({}, 0, True)
    shown = home.run("sync", "--dry-run")
    assert (shown.code, f"{report['total']} checked" in shown.out) == (0, True)
