"""The mind map of a tenant as GraphML, for Gephi, networkx, yEd and the like; written as it is read."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final
from xml.sax.saxutils import escape, quoteattr

from graph_service.graph.store import Graph
from graph_service.memory.export_import.exporter import Exported, Progress, steadily
from graph_service.memory.export_import.graph_pages import stored_rows
from graph_service.memory.export_import.row_format import Row
from graph_service.memory.export_import.row_shapes import EDGE
from schema.graph_model import Property, graph_model
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
# For machines only.
_LEFT_OUT: Final = frozenset(("id", "near", "form_tokens", "importing", "unembedded_in"))
# What XML 1.0 cannot hold at all.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE, _EDGE = "node", "edge"


async def export_graphml(
    graph: Graph, tenant: TenantId, out: BinaryIO, *, on_progress: Progress | None = None
) -> Exported:
    """Write users, agents, entities and scenes with the facts between them; ids are those of the database.

    Args:
        out: seekable; what it holds is replaced.

    Raises:
        NotFoundError: there is no such tenant.
        ConflictError: it changed each time while it was read.
        UnavailableError: Neo4j does not answer.
    """
    tell = on_progress or (lambda _doing, _done, _total: None)

    async def once(_stands: Mapping[str, Any]) -> Exported:
        digest, counts = hashlib.sha256(), {_NODE: 0, _EDGE: 0}
        out.seek(0)
        out.truncate()

        def write(text: str) -> None:
            line = text.encode()
            digest.update(line)
            out.write(line)

        write(_HEAD)
        for key in _keys():
            write(key)
        write('<graph id="memory" edgedefault="directed">\n')
        async for rows in stored_rows(graph, tenant, kinds=("Memory", EDGE)):
            for row in rows:
                write(_edge(row) if EDGE in row else _node(row))
                counts[_EDGE if EDGE in row else _NODE] += 1
            tell("writing", sum(counts.values()), 0)
        write("</graph>\n</graphml>\n")
        out.flush()
        return Exported(nodes=counts[_NODE], edges=counts[_EDGE], bytes=out.tell(), sha256=digest.hexdigest())

    return await steadily(graph, tenant, once)


def _keys() -> Iterator[str]:
    """Name and types of all attributes, which come before the first of them."""
    for domain, properties in ((_NODE, _of_nodes()), (_EDGE, _shown(graph_model().facts))):
        # Gephi shows `label` and draws by `weight`.
        extra = (
            {"label": "string", "kind": "string"}
            if domain == _NODE
            else {"label": "string", "predicate": "string", "weight": "double"}
        )
        for name, kind in {**extra, **{one.name: _TYPES[one.kind] for one in properties.values()}}.items():
            yield f'<key id="{domain}.{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>\n'


def _of_nodes() -> dict[str, Property]:
    found: dict[str, Property] = {}
    for label in MIND_MAP_KINDS:
        found |= _shown(graph_model().nodes[label].properties)
    return found


def _shown(properties: Mapping[str, Property]) -> dict[str, Property]:
    return {
        name: one
        for name, one in properties.items()
        if one.kind in _TYPES and name not in _LEFT_OUT and not one.role.startswith("scope") and one.role != "passing"
    }


def _node(row: Row) -> str:
    found = row["properties"]
    label = found.get("name") or found["user_id"]
    values = {"label": label, "kind": row["node"], **_values(found, _of_kind(row["node"]))}
    return f"<node id={quoteattr(found['id'])}>{_data(_NODE, values)}</node>\n"


def _edge(row: Row) -> str:
    found = row["properties"]
    label = found.get("relation") or row[EDGE]
    values = {"label": label, "predicate": row[EDGE], "weight": found.get("strength", 0.0)}
    values |= _values(found, _shown(graph_model().facts))
    ends = f"source={quoteattr(row['from'])} target={quoteattr(row['to'])}"
    return f"<edge id={quoteattr(found['id'])} {ends}>{_data(_EDGE, values)}</edge>\n"


def _of_kind(kind: str) -> dict[str, Property]:
    return _shown(graph_model().nodes[next(label for label in MIND_MAP_KINDS if label == kind)].properties)


def _values(found: Mapping[str, Any], shown: Mapping[str, Property]) -> dict[str, Any]:
    return {name: found[name] for name in shown if name in found}


def _data(domain: str, values: Mapping[str, Any]) -> str:
    return "".join(f'<data key="{domain}.{name}">{_text(value)}</data>' for name, value in values.items())


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case dict():  # a time, the only value that an export names the type of and GraphML shows
            return escape(str(next(iter(value.values()))))
        case list():
            return escape(_FORBIDDEN.sub("\ufffd", json.dumps(value, ensure_ascii=False)))
        case _:
            return escape(_FORBIDDEN.sub("\ufffd", str(value)))
