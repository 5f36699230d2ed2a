"""Read and write a tenant's graph in pages, kind by kind."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.row_format import EDGE, Row, model_of
from graph_service.memory.export_import.row_values import decode_value, encode_value
from schema.ids import TenantId
from schema.labels import MIND_MAP_KINDS, Label, Link

ROWS_MAX: Final = 500
# Page size for rows with vectors, which are about ten times as long.
LONG_ROWS_MAX: Final = 100
_NODES: Final = "Memory"


def _export_statements() -> dict[str, Statement]:
    return {
        Label.SESSION: statement("export_pages/session"),
        Label.SESSION_LIFECYCLE: statement("export_pages/session_lifecycle"),
        Label.MESSAGE: statement("export_pages/message"),
        _NODES: statement("export_pages/memory"),
        Label.MEMBER_ENTITY: statement("export_pages/member_entity"),
        EDGE: statement("export_pages/fact"),
        Label.MEMBER_FACT: statement("export_pages/member_fact"),
        Link.PART_OF: statement("export_pages/part_of"),
        Link.IN_SESSION: statement("export_pages/in_session"),
        Link.MEMBER_OF: statement("export_pages/member_of"),
        Label.EPISODE: statement("export_pages/episode"),
        Label.REJECTED_MERGE: statement("export_pages/rejected_merge"),
        Label.REVISION: statement("export_pages/revision"),
        Label.TOMBSTONE: statement("export_pages/tombstone"),
        Label.USAGE: statement("export_pages/usage"),
        Label.CHANGE: statement("export_pages/change"),
    }


def _import_statements() -> dict[str, Statement]:
    return {
        Label.SESSION: statement("import_pages/session"),
        Label.SESSION_LIFECYCLE: statement("import_pages/session_lifecycle"),
        Label.MESSAGE: statement("import_pages/message"),
        **dict.fromkeys(MIND_MAP_KINDS, statement("import_pages/memory")),
        Label.MEMBER_ENTITY: statement("import_pages/member_entity"),
        EDGE: statement("import_pages/fact"),
        Label.MEMBER_FACT: statement("import_pages/member_fact"),
        Link.PART_OF: statement("import_pages/part_of"),
        Link.IN_SESSION: statement("import_pages/in_session"),
        Link.MEMBER_OF: statement("import_pages/member_of"),
        Label.EPISODE: statement("import_pages/episode"),
        Label.REJECTED_MERGE: statement("import_pages/rejected_merge"),
        Label.REVISION: statement("import_pages/revision"),
        Label.TOMBSTONE: statement("import_pages/tombstone"),
        Label.USAGE: statement("import_pages/usage"),
        Label.CHANGE: statement("import_pages/change"),
    }


async def export_pages(graph: Graph, tenant: TenantId, kinds: Sequence[str] | None = None) -> AsyncIterator[list[Row]]:
    """Yield the tenant's graph as pages of rows; ids and URIs are those of the database.

    Args:
        kinds: keys of `_export_statements`; all if None.
    """
    for kind, page in _export_statements().items():
        if kinds is not None and kind not in kinds:
            continue
        after: Any = -1 if kind == Label.CHANGE else ""
        rows_max = LONG_ROWS_MAX if kind in (Label.MESSAGE, _NODES, EDGE) else ROWS_MAX
        while rows := await graph.read(page, {"tenant": tenant, "after": after, "rows": rows_max}):
            after = rows[-1]["key"]
            yield [row for row in (_row(kind, stored) for stored in rows) if row is not None]


def _row(kind: str, stored: Mapping[str, Any]) -> Row | None:
    if isinstance(kind, Link):
        # Links are paged by their start nodes, some of which have no such link.
        return {"link": kind.value, "from": stored["subject"], "to": stored["object"]} if stored["object"] else None
    if kind == EDGE:
        row: Row = {EDGE: stored["type"], "from": stored["subject"], "to": stored["object"]}
    elif kind == _NODES:
        row = {"node": next(label.value for label in MIND_MAP_KINDS if label in stored["labels"])}
    else:
        row = {"node": str(kind)}
    model = model_of(row)
    properties = {
        name: encode_value(value, model[name].kind if name in model else "")
        for name, value in stored["properties"].items()
    }
    return {**row, "properties": properties}


async def put_rows(graph: Graph, tenant: TenantId, kind: str, rows: Sequence[Row]) -> int:
    """Write rows of one kind in one transaction, idempotently; return the number written."""
    import_statement = _import_statements()[kind]
    parameters = {"tenant": tenant, "rows": [_parameters(tenant, row) for row in rows]}
    written = await graph.write(lambda writing: writing.run(import_statement, parameters))
    return int(written[0]["written"]) if written else 0


def _parameters(tenant: TenantId, row: Row) -> dict[str, Any]:
    if "link" in row:
        return {"subject": row["from"], "object": row["to"]}
    model = model_of(row)
    properties = {
        name: decode_value(value, model[name].kind if name in model else "")
        for name, value in row["properties"].items()
    }
    vectors = [[name, vector_parameter(properties.pop(name))] for name in list(properties) if _is_vector(name, model)]
    parameters = {"properties": {**properties, "tenant": tenant}, "vectors": vectors}
    if EDGE in row:
        return {**parameters, "id": properties["id"], "type": row[EDGE], "subject": row["from"], "object": row["to"]}
    keys = {name: properties[name] for name in ("id", "seq", "day") if name in properties}
    return {**parameters, **keys, "label": row["node"]}


def _is_vector(name: str, model: Mapping[str, Any]) -> bool:
    return name in model and model[name].kind == "vector"
