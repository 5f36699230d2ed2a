"""A tenant's whole memory as a file: JSON lines that `importing` takes in again, of any size in bounded memory."""

import asyncio
import hashlib
import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from graph_service.graph.schema_setup import NO_MODEL, stored_embedder
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.graph_pages import stored_rows
from graph_service.memory.export_import.row_format import FORMAT, VERSION, Row, without_vectors
from graph_service.memory.export_import.row_values import carried
from graph_service.memory.export_import.staging import Carrier
from graph_service.memory.export_import.tenant_rewrite import NOBODY
from schema.errors import ConflictError, NotFoundError
from schema.ids import TenantId

_TRIES: Final = 3
_LINES: Final = 500
T = TypeVar("T")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written.

    Attributes:
        nodes, edges: how many lines of each; links of structure count as edges.
        sha256: of all lines but the last, which names it.
    """

    nodes: int
    edges: int
    bytes: int
    sha256: str


async def export_rows(
    graph: Graph, tenant: TenantId, out: BinaryIO, *, vectors: bool = True, on_progress: Progress | None = None
) -> Exported:
    """Write the memory of a tenant as JSON lines.

    Args:
        out: seekable; what it holds is replaced.
        vectors: False leaves vectors out: where it is imported they are made anew.

    Raises:
        NotFoundError: there is no such tenant.
        ConflictError: it changed each time while it was read, or a user of it is being forgotten.
        UnavailableError: Neo4j does not answer.
    """
    tell = on_progress or (lambda _doing, _done, _total: None)

    async def once(stands: Mapping[str, Any]) -> Exported:
        if (await graph.read(statement("export_import/forgetting"), {"tenant": tenant}))[0]["users"]:
            raise ConflictError(f"a user of tenant {tenant!r} is being forgotten; export it when that is done")
        with tempfile.TemporaryDirectory(prefix="mnemograph-export-") as folder:
            carrier = Carrier(Path(folder) / "rows.sqlite", source=tenant, target=NOBODY)
            try:
                async for rows in stored_rows(graph, tenant):
                    await asyncio.to_thread(carrier.add, rows if vectors else [without_vectors(row) for row in rows])
                    tell("reading", sum(carrier.rows_n.values()), 0)
                await asyncio.to_thread(carrier.learn)
                head = await _head(graph, tenant, stands["tenant"], vectors=vectors)
                return await _write(out, head, carrier, tell)
            finally:
                carrier.close()

    return await steadily(graph, tenant, once)


async def steadily(graph: Graph, tenant: TenantId, once: Callable[[Mapping[str, Any]], Awaitable[T]]) -> T:
    """Return what `once` made of a tenant that did not change meanwhile: what is read first must fit what is read last.

    Args:
        once: gets where the tenant stands; may be called again, and then begins anew.

    Raises:
        NotFoundError: there is no such tenant.
        ConflictError: it changed each time.
    """
    for _ in range(_TRIES):
        before = await _standing(graph, tenant)
        done = await once(before)
        if await _standing(graph, tenant) == before:
            return done
    raise ConflictError(
        f"the memories of tenant {tenant!r} changed while they were exported, {_TRIES} times; try when less goes on"
    )


async def _standing(graph: Graph, tenant: TenantId) -> dict[str, Any]:
    rows = await graph.read(statement("export_import/tenant_state"), {"tenant": tenant})
    if not rows:
        raise NotFoundError(f"nothing is stored for the tenant {tenant!r}")
    return rows[0]


async def _head(graph: Graph, tenant: TenantId, stored: Mapping[str, Any], *, vectors: bool) -> Row:
    embedder = await stored_embedder(graph) if vectors else None
    known = None if embedder is None or embedder.model == NO_MODEL else embedder.compared
    said = {name: carried(stored[name], "") for name in ("seq", "created_at", "salt") if stored.get(name) is not None}
    if "salt" in said:
        # Marks of what was forgotten were made of names under this tenant, and nobody can make them anew.
        said["marks_of"] = stored.get("marks_of") or tenant
    return {"format": FORMAT, "version": VERSION, "embedder": known, "tenant": said}


async def _write(out: BinaryIO, head: Row, carrier: Carrier, tell: Progress) -> Exported:
    digest, nodes, edges = hashlib.sha256(), 0, 0
    out.seek(0)
    out.truncate()

    def line(row: Row) -> None:
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        digest.update(text)
        out.write(text)

    line(head)
    rows, total = carrier.all_moved(), sum(carrier.rows_n.values())
    while part := await asyncio.to_thread(_next_of, rows):
        for row in part:
            line(row)
            nodes, edges = (nodes + 1, edges) if "node" in row else (nodes, edges + 1)
        tell("writing", nodes + edges, total)
    sha256 = digest.hexdigest()
    end = {"end": {"nodes": nodes, "edges": edges, "sha256": sha256}}
    out.write(json.dumps(end, separators=(",", ":")).encode() + b"\n")
    out.flush()
    return Exported(nodes=nodes, edges=edges, bytes=out.tell(), sha256=sha256)


def _next_of(rows: Iterator[Row]) -> list[Row]:
    return list(islice(rows, _LINES))
