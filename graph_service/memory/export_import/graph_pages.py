"""Read and write a tenant's graph as rows of an export, in pages."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph
from graph_service.memory.export_import.row_format import (
    EDGE,
    LINKS,
    Row,
    decode_value,
    encode_value,
    kind_of_row,
    properties_of,
)
from schema.ids import TenantId
from schema.labels import EXPORTED_KEYS, MIND_MAP_KINDS, Label

ROWS_MAX: Final = 500
# Page size for rows with vectors, which are about ten times as long.
LONG_ROWS_MAX: Final = 100
# Runs a statement, in a transaction of its own or in one that is open.
Run = Callable[[Statement, Mapping[str, Any]], Awaitable[list[dict[str, Any]]]]


class GraphPages:
    """Read a tenant's graph as pages of rows; ids and URIs are those of the database."""

    def __init__(self, run: Run, tenant: TenantId, *, vectors: bool) -> None:
        self._run = run
        self._parameters = {"tenant": tenant, "vectors": vectors}
        self._rows_max = LONG_ROWS_MAX if vectors else ROWS_MAX

    async def nodes(self, kind: Label, *, after: Any = None) -> AsyncIterator[list[Row]]:
        """Yield the nodes of a kind with their links, by key.

        Args:
            kind: a key of `EXPORTED_KEYS`.
            after: key to start after.
        """
        after = (-1 if kind == Label.CHANGE else "") if after is None else after
        # A value of an item may have a megabyte.
        rows_max = LONG_ROWS_MAX if kind is Label.ITEM else self._rows_max
        async for stored in self._pages(statement("export_import/nodes"), after, kind=kind.value, rows=rows_max):
            yield [row for node in stored for row in _node_rows(node)]

    async def nodes_of_session(self, session: str) -> AsyncIterator[list[Row]]:
        """Yield the session with its state, messages, episodes and scenes, and their links."""
        async for stored in self._pages(statement("export_import/nodes_of_session"), "", session=session):
            yield [row for node in stored for row in _node_rows(node)]

    async def facts(self) -> AsyncIterator[list[Row]]:
        """Yield all facts and mentions by id."""
        async for stored in self._pages(statement("export_import/facts"), ""):
            yield [_fact_row(fact) for fact in stored]

    async def elements(self, ids: Sequence[str]) -> list[Row]:
        """Return nodes of the mind map and facts with these ids."""
        parameters = {**self._parameters, "ids": ids}
        nodes = await self._run(statement("export_import/nodes_by_id"), parameters)
        facts = await self._run(statement("export_import/facts_by_id"), parameters)
        return [*(row for node in nodes for row in _node_rows(node)), *map(_fact_row, facts)]

    async def changes_of(self, ids: Sequence[str]) -> list[Row]:
        """Return all changes of these elements."""
        parameters = {"tenant": self._parameters["tenant"], "ids": ids}
        stored = await self._run(statement("export_import/changes_of_elements"), parameters)
        return [row for node in stored for row in _node_rows(node)]

    async def _pages(self, page: Statement, after: Any, **more: Any) -> AsyncIterator[list[dict[str, Any]]]:
        parameters = {**self._parameters, "rows": self._rows_max, **more}
        while stored := await self._run(page, {**parameters, "after": after}):
            after = stored[-1]["key"]
            yield stored


def _node_rows(stored: Mapping[str, Any]) -> list[Row]:
    """Return the row of a node, and those of its links."""
    labels, properties = stored["labels"], stored["properties"]
    kind = next(label for label in (*MIND_MAP_KINDS, *EXPORTED_KEYS) if label in labels)
    row: Row = {"node": kind.value}
    links = [{"link": link, "from": properties["id"], "to": end} for link, end in stored["links"]]
    return [{**row, "properties": _encoded(row, properties)}, *links]


def _fact_row(stored: Mapping[str, Any]) -> Row:
    row: Row = {EDGE: stored["type"], "from": stored["subject"], "to": stored["object"]}
    return {**row, "properties": _encoded(row, stored["properties"])}


def _encoded(row: Row, stored: Mapping[str, Any]) -> dict[str, Any]:
    model = properties_of(kind_of_row(row))
    return {
        name: encode_value(value, model[name].kind if name in model else "")
        for name, value in stored.items()
        if value is not None
    }


async def put_rows(graph: Graph, tenant: TenantId, kind: str, rows: Sequence[Row]) -> int:
    """Write rows of one kind in one transaction, idempotently; return the number written."""
    if kind == EDGE:
        put = statement("export_import/put_facts")
    elif kind in LINKS:
        put = statement("export_import/put_links")
    else:
        put = statement("export_import/put_nodes")
    parameters = {"tenant": tenant, "rows": [_parameters(tenant, row) for row in rows]}
    if kind != EDGE:
        parameters["kind"] = Label.MEMORY.value if kind in MIND_MAP_KINDS else str(kind)
    written = await graph.run(put, parameters)
    return int(written[0]["written"]) if written else 0


def _parameters(tenant: TenantId, row: Row) -> dict[str, Any]:
    if "link" in row:
        return {"subject": row["from"], "object": row["to"]}
    model = properties_of(kind_of_row(row))
    properties = {
        name: decode_value(value, model[name].kind if name in model else "")
        for name, value in row["properties"].items()
    }
    vectors = [[name, vector_parameter(properties.pop(name))] for name in list(properties) if _is_vector(name, model)]
    parameters = {"properties": {**properties, "tenant": tenant}, "vectors": vectors}
    if EDGE in row:
        return {**parameters, "id": properties["id"], "type": row[EDGE], "subject": row["from"], "object": row["to"]}
    label = Label(row["node"])
    key = EXPORTED_KEYS[Label.MEMORY if label in MIND_MAP_KINDS else label]
    return {**parameters, "key": properties[key], "label": label.value}


def _is_vector(name: str, model: Mapping[str, Any]) -> bool:
    return name in model and model[name].kind == "vector"
