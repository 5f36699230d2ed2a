"""Export all tenants and API keys of a running database to a folder, and import them into an empty database.

A backup of a running database is such a folder, because the files of a running Neo4j cannot be copied consistently. As
nothing but the present memory is in it, restoring one also leaves behind what was deleted.
"""

import json
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from graph_service.graph.database import connect
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.schema_setup import NO_MODEL, prepare_vectors, stored_embedder
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.exporter import export_rows
from graph_service.memory.export_import.importer import import_rows
from graph_service.memory.export_import.row_format import decode_value, encode_value
from schema.errors import InputError
from schema.ids import TenantId
from schema.json_text import read_json

_STORE: Final = "store.json"
_KEYS_MAX: Final = 100_000
Report = Callable[[str, int, int], None]


async def export_store(server: LocalServer, folder: Path, *, on_progress: Report | None = None) -> None:
    """Write each tenant of a running database as of one sequence number of its change log, and the API keys.

    Raises:
        ConflictError: a user is being forgotten.
    """
    graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    try:
        embedder = await stored_embedder(graph)
        keys = await graph.read(statement("auth/list_keys"), {"rows_max": _KEYS_MAX})
        tenants = [row["tenant"] for row in await graph.read(statement("export_import/tenants"), {})]
        for number, tenant in enumerate(tenants):
            with _file(folder, number).open("wb+") as out:
                await export_rows(graph, TenantId(tenant["id"]), out, vectors=True, on_progress=on_progress)
    finally:
        await graph.close()
    store = {
        "embedder": None if embedder is None or embedder.model == NO_MODEL else embedder.compared,
        "tenants": [_encoded(tenant) for tenant in tenants],
        "keys": [_encoded(row["key"]) for row in keys],
    }
    (folder / _STORE).write_text(json.dumps(store, ensure_ascii=False), encoding="utf-8")


async def import_store(server: LocalServer, folder: Path, *, on_progress: Report | None = None) -> None:
    """Import what `export_store` wrote into an empty database.

    Raises:
        InputError: the folder is damaged.
    """
    store = read_json((folder / _STORE).read_bytes())
    if not isinstance(store, dict):
        raise InputError("the backup is damaged: its list of tenants is not a JSON object; use another copy")
    graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    try:
        if store["embedder"] is not None:
            await prepare_vectors(graph, **store["embedder"])
        now = datetime.now(UTC)
        for number, written in enumerate(store["tenants"]):
            tenant = _decoded(written)
            await import_rows(graph, TenantId(tenant["id"]), _file(folder, number), now=now, on_progress=on_progress)
            if tenant.get("quarantine"):
                await _quarantine(graph, tenant)
        for written in store["keys"]:
            await _add_key(graph, _decoded(written))
    finally:
        await graph.close()


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number:06}.jsonl"


async def _quarantine(graph: Graph, tenant: dict[str, Any]) -> None:
    parameters = {
        "tenant": tenant["id"],
        "epoch": secrets.token_hex(4),
        "mode": tenant["quarantine"],
        "reason": tenant.get("quarantine_reason"),
        "now": tenant["quarantined_at"],
    }
    await graph.run(statement("quarantine/begin_quarantine"), parameters)


async def _add_key(graph: Graph, key: dict[str, Any]) -> None:
    row = {name: value for name, value in key.items() if name not in ("id", "tenant", "revoked_at")}
    parameters = {"id": key["id"], "tenant": key.get("tenant"), "row": row}
    await graph.run(statement("auth/add_key"), parameters)
    if key.get("revoked_at"):
        revoked = {"id": key["id"], "at": key["revoked_at"]}
        await graph.run(statement("auth/revoke_key"), revoked)


def _encoded(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: encode_value(value, "") for name, value in properties.items() if value is not None}


def _decoded(written: dict[str, Any]) -> dict[str, Any]:
    return {name: decode_value(value, "time") if isinstance(value, dict) else value for name, value in written.items()}
