"""Export a tenant in bounded memory: as JSON lines, which `importer.py` imports, or as GraphML for other programs."""

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, Final
from xml.sax.saxutils import escape, quoteattr

from graph_service.graph.schema_setup import NO_MODEL, stored_embedder
from graph_service.graph.store import Graph
from graph_service.memory.export_import.row_format import EDGE, FORMAT, ORDER, VERSION, Row, encode_value, properties_of
from graph_service.memory.export_import.snapshot import Progress, TenantSnapshot, UserErasedError
from graph_service.memory.export_import.staging import NO_TENANT, Staging, in_batches, temporary_staging
from schema.errors import ConflictError
from schema.graph_model import Property
from schema.ids import TenantId
from schema.labels import MIND_MAP_KINDS

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
        with temporary_staging(source=tenant, target=NO_TENANT) as staging:
            try:
                snapshot = TenantSnapshot(graph, tenant, staging, vectors=vectors, on_progress=on_progress)
                await snapshot.fill()
                stored = await snapshot.finish()
            except UserErasedError:
                await asyncio.sleep(_ERASURE_WAIT_S)
            else:
                yield staging, stored
                return
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


_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
_TYPES: Final = {
    "string": "string",
    "strings": "string",
    "int": "long",
    "float": "double",
    "bool": "boolean",
    "time": "string",
}
# Internal properties, which are not exported.
_LEFT_OUT: Final = frozenset(("id", "similarity_keys", "form_tokens", "importing", "unembedded_in"))
# Characters that XML 1.0 does not allow.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE, _EDGE = "node", "edge"


async def export_graphml(
    graph: Graph, tenant: TenantId, out: BinaryIO, *, on_progress: Progress | None = None
) -> ExportResult:
    """Write users, agents, entities and scenes with the facts between them; ids are those of the database.

    Args:
        out: seekable file, whose content is replaced.

    Raises:
        NotFoundError: the tenant does not exist.
        ConflictError: one of its users is being forgotten.
    """
    report = on_progress or (lambda _doing, _done, _total: None)
    digest, counts = hashlib.sha256(), {_NODE: 0, _EDGE: 0}

    def write(text: str) -> None:
        line = text.encode()
        digest.update(line)
        out.write(line)

    async with staged_tenant(graph, tenant, vectors=False, on_progress=on_progress) as (staging, _):
        out.seek(0)
        out.truncate()
        write(_HEAD)
        for key in _keys():
            write(key)
        write('<graph id="memory" edgedefault="directed">\n')
        for kind in (*MIND_MAP_KINDS, EDGE):
            async for rows in in_batches(staging.original(kind), _BATCH_ROWS):
                for row in rows:
                    write(_edge(row) if EDGE in row else _node(row))
                    counts[_EDGE if EDGE in row else _NODE] += 1
                report("writing", sum(counts.values()), 0)
        write("</graph>\n</graphml>\n")
    out.flush()
    return ExportResult(nodes=counts[_NODE], edges=counts[_EDGE], bytes=out.tell(), sha256=digest.hexdigest())


def _keys() -> Iterator[str]:
    """Yield the `<key>` elements, which declare the attributes."""
    of_nodes = {name: prop for label in MIND_MAP_KINDS for name, prop in _exported_of(label).items()}
    # Gephi shows the attribute `label` and draws edges by `weight`.
    for domain, extra, properties in (
        (_NODE, {"label": "string", "kind": "string"}, of_nodes),
        (_EDGE, {"label": "string", "predicate": "string", "weight": "double"}, _exported_of(EDGE)),
    ):
        for name, kind in {**extra, **{prop.name: _TYPES[prop.kind] for prop in properties.values()}}.items():
            yield f'<key id="{domain}.{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>\n'


@cache
def _exported_of(kind: str) -> dict[str, Property]:
    """Return the exported properties of a kind of node, or of facts (`EDGE`)."""
    return {
        name: prop
        for name, prop in properties_of(kind).items()
        if prop.kind in _TYPES
        and name not in _LEFT_OUT
        and not prop.role.startswith("scope")
        and prop.role != "passing"
    }


def _node(row: Row) -> str:
    properties = row["properties"]
    label = properties.get("name") or properties["user_id"]
    values = {"label": label, "kind": row["node"], **_values(properties, row["node"])}
    return f"<node id={quoteattr(properties['id'])}>{_data(_NODE, values)}</node>\n"


def _edge(row: Row) -> str:
    properties = row["properties"]
    label = properties.get("relation") or row[EDGE]
    values = {"label": label, "predicate": row[EDGE], "weight": properties.get("strength", 0.0)}
    values |= _values(properties, EDGE)
    ends = f"source={quoteattr(row['from'])} target={quoteattr(row['to'])}"
    return f"<edge id={quoteattr(properties['id'])} {ends}>{_data(_EDGE, values)}</edge>\n"


def _values(properties: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {name: properties[name] for name in _exported_of(kind) if name in properties}


def _data(domain: str, values: Mapping[str, Any]) -> str:
    return "".join(f'<data key="{domain}.{name}">{_text(value)}</data>' for name, value in values.items())


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case dict():  # a time, the only tagged value among the exported types
            return escape(str(next(iter(value.values()))))
        case list():
            return escape(_FORBIDDEN.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
        case _:
            return escape(_FORBIDDEN.sub("\ufffd", str(value)))
