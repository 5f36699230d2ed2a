"""Export a tenant's nodes and facts as GraphML, for programs such as Gephi, networkx and yEd."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, BinaryIO, Final
from xml.sax.saxutils import escape, quoteattr

from graph_service.graph.store import Graph
from graph_service.memory.export_import.exporter import ExportResult, staged_tenant
from graph_service.memory.export_import.row_format import EDGE, Row, properties_of
from graph_service.memory.export_import.snapshot import Progress
from graph_service.memory.export_import.staging import in_batches
from schema.graph_model import Property
from schema.ids import TenantId
from schema.labels import MIND_MAP_KINDS

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
_BATCH_ROWS: Final = 500


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
