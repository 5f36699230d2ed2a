"""Reading and writing a tenant's graph page by page, kind by kind: all statements of export and import are here."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.row_format import Row, model_of
from graph_service.memory.export_import.row_shapes import EDGE
from graph_service.memory.export_import.row_values import carried, value_of
from schema.ids import TenantId
from schema.labels import MIND_MAP_KINDS, Label, Link

ROWS_MAX: Final = 500
# Rows with vectors are ten times as long.
LONG_ROWS_MAX: Final = 100
_OF_THE_MAP: Final = "Memory"


def _pages() -> dict[str, Statement]:
    return {
        Label.SESSION: statement("export_pages/session"),
        Label.SESSION_LIFE: statement("export_pages/session_life"),
        Label.MESSAGE: statement("export_pages/message"),
        _OF_THE_MAP: statement("export_pages/memory"),
        Label.HELD_ENTITY: statement("export_pages/member_entity"),
        EDGE: statement("export_pages/fact"),
        Label.HELD_FACT: statement("export_pages/member_fact"),
        Link.PART_OF: statement("export_pages/part_of"),
        Link.IN_SESSION: statement("export_pages/in_session"),
        Link.STANDS_FOR: statement("export_pages/merged_into"),
        Label.EPISODE: statement("export_pages/episode"),
        Label.KEPT_APART: statement("export_pages/rejected_merge"),
        Label.REVISION: statement("export_pages/revision"),
        Label.TOMBSTONE: statement("export_pages/tombstone"),
        Label.USAGE: statement("export_pages/usage"),
        Label.CHANGE: statement("export_pages/change"),
    }


def _puts() -> dict[str, Statement]:
    return {
        Label.SESSION: statement("import_pages/session"),
        Label.SESSION_LIFE: statement("import_pages/session_life"),
        Label.MESSAGE: statement("import_pages/message"),
        **dict.fromkeys(MIND_MAP_KINDS, statement("import_pages/memory")),
        Label.HELD_ENTITY: statement("import_pages/member_entity"),
        EDGE: statement("import_pages/fact"),
        Label.HELD_FACT: statement("import_pages/member_fact"),
        Link.PART_OF: statement("import_pages/part_of"),
        Link.IN_SESSION: statement("import_pages/in_session"),
        Link.STANDS_FOR: statement("import_pages/merged_into"),
        Label.EPISODE: statement("import_pages/episode"),
        Label.KEPT_APART: statement("import_pages/rejected_merge"),
        Label.REVISION: statement("import_pages/revision"),
        Label.TOMBSTONE: statement("import_pages/tombstone"),
        Label.USAGE: statement("import_pages/usage"),
        Label.CHANGE: statement("import_pages/change"),
    }


async def stored_rows(graph: Graph, tenant: TenantId, kinds: Sequence[str] | None = None) -> AsyncIterator[list[Row]]:
    """Yield the tenant's graph as rows of a file, in pages; ids and addresses are those of the database.

    Args:
        kinds: only these of `_pages`; all when left out.
    """
    for kind, page in _pages().items():
        if kinds is not None and kind not in kinds:
            continue
        after: Any = -1 if kind == Label.CHANGE else ""
        rows_max = LONG_ROWS_MAX if kind in (Label.MESSAGE, _OF_THE_MAP, EDGE) else ROWS_MAX
        while rows := await graph.read(page, {"tenant": tenant, "after": after, "rows": rows_max}):
            after = rows[-1]["key"]
            yield [row for row in (_row(kind, one) for one in rows) if row is not None]


def _row(kind: str, one: Mapping[str, Any]) -> Row | None:
    if isinstance(kind, Link):
        # A page goes by where links begin; some begin nowhere.
        return {"link": kind.value, "from": one["subject"], "to": one["object"]} if one["object"] else None
    if kind == EDGE:
        row: Row = {EDGE: one["type"], "from": one["subject"], "to": one["object"]}
    elif kind == _OF_THE_MAP:
        row = {"node": next(label.value for label in MIND_MAP_KINDS if label in one["labels"])}
    else:
        row = {"node": str(kind)}
    model = model_of(row)
    found = {
        name: carried(value, model[name].kind if name in model else "") for name, value in one["properties"].items()
    }
    return {**row, "properties": found}


async def put_rows(graph: Graph, tenant: TenantId, kind: str, rows: Sequence[Row]) -> int:
    """Write rows of one kind in one commit; writing them again changes nothing. How many were written."""
    put = _puts()[kind]
    parameters = {"tenant": tenant, "rows": [_parameters(tenant, row) for row in rows]}
    written = await graph.write(lambda writing: writing.run(put, parameters))
    return int(written[0]["written"]) if written else 0


def _parameters(tenant: TenantId, row: Row) -> dict[str, Any]:
    if "link" in row:
        return {"subject": row["from"], "object": row["to"]}
    model = model_of(row)
    found = {
        name: value_of(value, model[name].kind if name in model else "") for name, value in row["properties"].items()
    }
    vectors = [[name, vector_parameter(found.pop(name))] for name in list(found) if _is_vector(name, model)]
    known = {"properties": {**found, "tenant": tenant}, "vectors": vectors}
    if EDGE in row:
        return {**known, "id": found["id"], "type": row[EDGE], "subject": row["from"], "object": row["to"]}
    keys = {name: found[name] for name in ("id", "seq", "day") if name in found}
    return {**known, **keys, "label": row["node"]}


def _is_vector(name: str, model: Mapping[str, Any]) -> bool:
    return name in model and model[name].kind == "vector"
