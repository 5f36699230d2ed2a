"""Export a tenant as JSON lines, in bounded memory; `importer.py` imports them."""

import asyncio
import contextlib
import hashlib
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from graph_service.graph.schema_setup import NO_MODEL, stored_embedder
from graph_service.graph.store import Graph
from graph_service.memory.export_import.row_format import FORMAT, ORDER, VERSION, Row
from graph_service.memory.export_import.row_values import encode_value
from graph_service.memory.export_import.snapshot import Progress, TenantSnapshot, UserErasedError
from graph_service.memory.export_import.staging import NO_TENANT, Staging, in_batches
from schema.errors import ConflictError
from schema.ids import TenantId

# Attempts, and the time between them, while users are being forgotten.
_ATTEMPTS: Final = 5
_ERASURE_WAIT_S: Final = 0.5
_BATCH_ROWS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """Counts of an export.

    Attributes:
        nodes: number of nodes.
        edges: number of edges and links.
        bytes: size in bytes.
        sha256: SHA-256 of its lines; the last line of JSONL repeats it.
    """

    nodes: int
    edges: int
    bytes: int
    sha256: str


async def export_rows(
    graph: Graph, tenant: TenantId, out: BinaryIO, *, vectors: bool = False, on_progress: Progress | None = None
) -> ExportResult:
    """Write the memory of a tenant, as of one sequence number of its change log, as JSON lines.

    Args:
        out: seekable file, whose content is replaced.
        vectors: include vectors, more than half of the file; otherwise an import computes them again.

    Raises:
        NotFoundError: the tenant does not exist.
        ConflictError: one of its users is being forgotten.
    """
    report = on_progress or (lambda _doing, _done, _total: None)
    async with staged_tenant(graph, tenant, vectors=vectors, on_progress=on_progress) as (staging, stored):
        report("rewriting", 0, 0)
        await asyncio.to_thread(staging.rewrite)
        return await _write(out, await _header(graph, tenant, stored, vectors=vectors), staging, report)


@contextlib.asynccontextmanager
async def staged_tenant(
    graph: Graph, tenant: TenantId, *, vectors: bool, on_progress: Progress | None
) -> AsyncIterator[tuple[Staging, Mapping[str, Any]]]:
    """Yield a consistent copy of a tenant in a temporary file, and the tenant's properties; see `export_rows`."""
    for _ in range(_ATTEMPTS):
        with tempfile.TemporaryDirectory(prefix="mnemoscene-export-") as folder:
            staging = Staging(Path(folder) / "rows.sqlite", source=tenant, target=NO_TENANT)
            try:
                snapshot = TenantSnapshot(graph, tenant, staging, vectors=vectors, on_progress=on_progress)
                await snapshot.fill()
                stored = await snapshot.finish()
            except UserErasedError:
                await asyncio.sleep(_ERASURE_WAIT_S)
            else:
                yield staging, stored
                return
            finally:
                staging.close()
    raise ConflictError(f"a user of tenant {tenant!r} is being forgotten; export it when that is done")


async def _header(graph: Graph, tenant: TenantId, stored: Mapping[str, Any], *, vectors: bool) -> Row:
    embedder = await stored_embedder(graph) if vectors else None
    embedder_properties = None if embedder is None or embedder.model == NO_MODEL else embedder.compared
    tenant_properties = {
        name: encode_value(stored[name], "")
        for name in ("seq", "places_seq", "created_at", "salt")
        if stored.get(name) is not None
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
    async for batch in in_batches(staging.rewritten(*ORDER), _BATCH_ROWS):
        for row in batch:
            line(row)
            nodes, edges = (nodes + 1, edges) if "node" in row else (nodes, edges + 1)
        report("writing", nodes + edges, total)
    sha256 = digest.hexdigest()
    trailer = {"end": {"nodes": nodes, "edges": edges, "sha256": sha256}}
    out.write(json.dumps(trailer, separators=(",", ":")).encode() + b"\n")
    out.flush()
    return ExportResult(nodes=nodes, edges=edges, bytes=out.tell(), sha256=sha256)
