"""Export a tenant as JSON lines, in bounded memory; `importer.py` imports them."""

import asyncio
import hashlib
import json
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from graph_service.graph.schema_setup import NO_MODEL, stored_embedder
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.graph_pages import export_pages
from graph_service.memory.export_import.row_format import FORMAT, VERSION, Row, without_vectors
from graph_service.memory.export_import.row_values import encode_value
from graph_service.memory.export_import.staging import Staging, in_batches
from graph_service.memory.export_import.tenant_rewrite import NO_TENANT
from schema.errors import ConflictError, NotFoundError
from schema.ids import TenantId

_ATTEMPTS: Final = 3
_BATCH_ROWS: Final = 500
T = TypeVar("T")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """Counts of an export.

    Attributes:
        nodes, edges: number of lines of each; structural links count as edges.
        sha256: hash of all lines but the last, which contains it.
    """

    nodes: int
    edges: int
    bytes: int
    sha256: str


async def export_rows(
    graph: Graph, tenant: TenantId, out: BinaryIO, *, vectors: bool = True, on_progress: Progress | None = None
) -> ExportResult:
    """Write the memory of a tenant as JSON lines.

    Args:
        out: seekable file, whose content is replaced.
        vectors: False omits vectors, which an import then computes again.

    Raises:
        NotFoundError: the tenant does not exist.
        ConflictError: the tenant changed during every attempt, or one of its users is being forgotten.
        UnavailableError: Neo4j does not answer.
    """
    report = on_progress or (lambda _doing, _done, _total: None)

    async def attempt(state: Mapping[str, Any]) -> ExportResult:
        if (await graph.read(statement("export_import/forgetting"), {"tenant": tenant}))[0]["users"]:
            raise ConflictError(f"a user of tenant {tenant!r} is being forgotten; export it when that is done")
        with tempfile.TemporaryDirectory(prefix="mnemograph-export-") as folder:
            staging = Staging(Path(folder) / "rows.sqlite", source=tenant, target=NO_TENANT)
            try:
                async for rows in export_pages(graph, tenant):
                    await asyncio.to_thread(staging.add, rows if vectors else [without_vectors(row) for row in rows])
                    report("reading", sum(staging.rows_n.values()), 0)
                await asyncio.to_thread(staging.map_ids)
                header = await _header(graph, tenant, state["tenant"], vectors=vectors)
                return await _write(out, header, staging, report)
            finally:
                staging.close()

    return await with_stable_tenant(graph, tenant, attempt)


async def with_stable_tenant(graph: Graph, tenant: TenantId, attempt: Callable[[Mapping[str, Any]], Awaitable[T]]) -> T:
    """Run `attempt` until the tenant did not change during it, at most three times; return its result.

    Args:
        attempt: receives the row of `export_import/tenant_state`; every call must start from scratch.

    Raises:
        NotFoundError: the tenant does not exist.
        ConflictError: the tenant changed during every attempt.
    """
    for _ in range(_ATTEMPTS):
        before = await _tenant_state(graph, tenant)
        done = await attempt(before)
        if await _tenant_state(graph, tenant) == before:
            return done
    raise ConflictError(
        f"the memories of tenant {tenant!r} changed while they were exported, {_ATTEMPTS} times; "
        "try again when fewer messages are being stored"
    )


async def _tenant_state(graph: Graph, tenant: TenantId) -> dict[str, Any]:
    rows = await graph.read(statement("export_import/tenant_state"), {"tenant": tenant})
    if not rows:
        raise NotFoundError(f"nothing is stored for the tenant {tenant!r}")
    return rows[0]


async def _header(graph: Graph, tenant: TenantId, stored: Mapping[str, Any], *, vectors: bool) -> Row:
    embedder = await stored_embedder(graph) if vectors else None
    embedder_properties = None if embedder is None or embedder.model == NO_MODEL else embedder.compared
    tenant_properties = {
        name: encode_value(stored[name], "") for name in ("seq", "created_at", "salt") if stored.get(name) is not None
    }
    if "salt" in tenant_properties:
        # Tombstones are keyed hashes of names in this tenant, which cannot be recomputed.
        tenant_properties["tombstone_tenant"] = stored.get("tombstone_tenant") or tenant
    return {"format": FORMAT, "version": VERSION, "embedder": embedder_properties, "tenant": tenant_properties}


async def _write(out: BinaryIO, header: Row, staging: Staging, report: Progress) -> ExportResult:
    digest, nodes, edges = hashlib.sha256(), 0, 0
    out.seek(0)
    out.truncate()

    def line(row: Row) -> None:
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        digest.update(text)
        out.write(text)

    line(header)
    total = sum(staging.rows_n.values())
    async for batch in in_batches(staging.all_rewritten(), _BATCH_ROWS):
        for row in batch:
            line(row)
            nodes, edges = (nodes + 1, edges) if "node" in row else (nodes, edges + 1)
        report("writing", nodes + edges, total)
    sha256 = digest.hexdigest()
    trailer = {"end": {"nodes": nodes, "edges": edges, "sha256": sha256}}
    out.write(json.dumps(trailer, separators=(",", ":")).encode() + b"\n")
    out.flush()
    return ExportResult(nodes=nodes, edges=edges, bytes=out.tell(), sha256=sha256)
