"""Test that an export of a memory in use has the state of one sequence number of its change log."""

import asyncio
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.export_import.exporter import export_rows
from graph_service.memory.export_import.importer import import_rows
from graph_service.memory.export_import.row_format import ORDER
from graph_service.memory.export_import.snapshot import TenantSnapshot, UserErasedError
from graph_service.memory.export_import.staging import NO_TENANT, Staging
from schema.ids import TenantId
from schema.labels import MIND_MAP_KINDS
from schema.message import ProvidedFact
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.embedders import HashedWords


async def exported(graph: Graph, tenant: TenantId, *, vectors: bool = False) -> list[dict[str, Any]]:
    out = io.BytesIO()
    await export_rows(graph, tenant, out, vectors=vectors)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def liking(thing: str) -> ProvidedFact:
    statement = f"The user likes {thing}."
    return ProvidedFact(subject="user", predicate="PREFERS", object=thing, statement=statement, message_indexes=(0,))


async def tell(graph: Graph, tenant: TenantId, number: int, *, session: str = "s") -> list[str]:
    """Store a message with a fact of its own, read it, and return its ids."""
    told = an_incoming(f"I like fruit{number}.", session=session, facts=(liking(f"fruit{number}"),))
    receipt = await a_memory(graph).remember(tenant, told)
    await a_worker(graph, embedder=HashedWords()).drain()
    return list(receipt.message_ids)


def state_of_log(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return id and statement or name of each element that the change log in a file says there is."""
    bodies: dict[str, dict[str, Any]] = {}
    for change in (row["properties"] for row in rows if row.get("node") == "Change"):
        if change["op"] == "node-":
            # An edge ends with its node.
            gone = change["element_id"]
            bodies = {name: one for name, one in bodies.items() if gone not in (one.get("source"), one.get("target"))}
        bodies.pop(change["element_id"], None)
        if change["op"].endswith("+"):
            bodies[change["element_id"]] = json.loads(change["body"])
    return {name: body.get("statement") or body.get("label") or "" for name, body in bodies.items()}


def state_of_graph(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return the same of the nodes of the mind map and the facts in a file."""
    return {
        row["properties"]["id"]: row["properties"].get("statement") or row["properties"].get("name") or ""
        for row in rows
        if "edge" in row or row.get("node") in MIND_MAP_KINDS
    }


async def test_export_under_steady_writes_has_the_state_of_one_sequence(
    graph: Graph, tenant: TenantId, tmp_path: Path
) -> None:
    (secret,) = await tell(graph, tenant, 0, session="secret")
    await a_memory(graph).forgetting.message(tenant, secret)
    await tell(graph, tenant, 1)
    exporting = asyncio.Event()

    async def write() -> int:
        number = 2
        while exporting.is_set():
            (message,) = await tell(graph, tenant, number, session=f"s{number % 2}")
            if number % 3 == 0:
                await a_memory(graph).forgetting.message(tenant, message)
            number += 1
        return number - 2

    exporting.set()
    async with asyncio.TaskGroup() as group:
        writer = group.create_task(write())
        files = [await exported(graph, tenant) for _ in range(2)]
        exporting.clear()
    assert writer.result() >= 1
    assert files[0] != files[-1], "the memory was written while it was exported"
    for rows in files:
        assert state_of_graph(rows) == state_of_log(rows)
        assert rows[0]["tenant"]["seq"] == max(row["properties"]["seq"] for row in rows if row.get("node") == "Change")
        assert "fruit0" not in json.dumps(rows)
    file, copy = tmp_path / "last.jsonl", TenantId(f"{tenant}-copy")
    file.write_text("".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in files[-1]))
    await import_rows(graph, copy, file, now=datetime.now(UTC))
    assert await exported(graph, copy) == files[-1]


async def test_what_is_written_after_the_first_read_is_read_again(
    graph: Graph, tenant: TenantId, tmp_path: Path
) -> None:
    memory = a_memory(graph)
    (early,) = await tell(graph, tenant, 1, session="early")
    await tell(graph, tenant, 2, session="kept")
    (moved,) = await tell(graph, tenant, 3, session="moved")
    await tell(graph, tenant, 4, session="left")
    staging = Staging(tmp_path / "rows.sqlite", source=tenant, target=NO_TENANT)
    snapshot = TenantSnapshot(graph, tenant, staging, vectors=False)
    await snapshot.fill()
    await memory.forgetting.message(tenant, early)
    await tell(graph, tenant, 5, session="moved")
    await memory.remember(tenant, an_incoming("I moved to Porto.", session="unread", user_name="Ana"))
    await memory.forgetting.session(tenant, "alice", "left")
    await memory.sessions.close(tenant, "alice", "kept")
    await snapshot.finish()
    await asyncio.to_thread(staging.rewrite)
    again = [json.loads(json.dumps(row)) for row in staging.rewritten(*ORDER)]
    staging.close()
    calm = (await exported(graph, tenant))[1:-1]
    assert again == calm
    text = json.dumps(calm)
    assert ("fruit1" in text, "fruit4" in text, "fruit5" in text, "Porto" in text) == (False, False, True, True)
    assert moved


async def test_user_forgotten_meanwhile_is_not_in_the_export(graph: Graph, tenant: TenantId, tmp_path: Path) -> None:
    await tell(graph, tenant, 1)
    told = an_incoming("I like quinces.", user="bob", facts=(liking("quinces"),))
    await a_memory(graph).remember(tenant, told)
    await a_worker(graph, embedder=HashedWords()).drain()
    staging = Staging(tmp_path / "rows.sqlite", source=tenant, target=NO_TENANT)
    snapshot = TenantSnapshot(graph, tenant, staging, vectors=False)
    await snapshot.fill()
    await a_memory(graph).forgetting.user(tenant, "bob")
    with pytest.raises(UserErasedError):
        await snapshot.finish()
    staging.close()
    await a_worker(graph, embedder=HashedWords()).drain()
    text = json.dumps(await exported(graph, tenant))
    assert ("quinces" in text, "fruit1" in text) == (False, True)
