"""Import an export into an empty tenant: check the whole file, then write it. A repeated import resumes."""

import asyncio
import hashlib
import json
import logging
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.schema_setup import StoredEmbedder, stored_embedder
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.export_import.row_format import (
    EDGE,
    FORMAT,
    LINKS,
    ORDER,
    VECTOR_DIM_MAX,
    VERSION,
    Row,
    decode_value,
    kind_of_row,
    properties_of,
    row_problems,
    without_vectors,
)
from graph_service.memory.export_import.snapshot import LONG_ROWS_MAX, ROWS_MAX, Progress
from graph_service.memory.export_import.staging import NO_TENANT, Staging, in_batches, temporary_staging
from schema.errors import ConflictError, InputError, UnavailableError
from schema.ids import TenantId
from schema.json_text import read_json
from schema.labels import EXPORTED_KEYS, MIND_MAP_KINDS, Label
from schema.timespan import millis

_log: Final = logging.getLogger(__name__)
_PROBLEMS_MAX: Final = 20
# More than ten times the size of a message of 100,000 characters with its vectors.
LINE_BYTES_MAX: Final = 16 * 2**20
_HEADER_CHARS_MAX: Final = 1_000
_EMBEDDER_FIELDS: Final = ("model", "dim", "token_model")
_LONG_ROW_KINDS: Final = (Label.MESSAGE, Label.SCENE, Label.ITEM, EDGE)
_HEADER_KINDS: Final = {
    **dict.fromkeys(("seq", "places_seq"), "int"),
    "created_at": "time",
    **dict.fromkeys(("salt", "tombstone_tenant"), "string"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of an import.

    Attributes:
        nodes: number of nodes.
        edges: number of edges and links.
        users: ids of the imported users.
        vectors: false if the vectors come from another embedder and are computed again.
    """

    nodes: int
    edges: int
    users: tuple[str, ...]
    vectors: bool


def is_export(first_line: str) -> bool:
    """Return whether a line is the first line of an export."""
    try:
        header = read_json(first_line)
    except json.JSONDecodeError:
        return False
    return isinstance(header, dict) and header.get("format") == FORMAT


async def import_rows(
    graph: Graph, tenant: TenantId, path: Path, *, now: datetime, on_progress: Progress | None = None
) -> ImportResult:
    """Import an export into an empty tenant, or resume an interrupted import of the same file.

    Raises:
        InputError: the file is not an export, has another version, or is damaged; nothing was written.
        ConflictError: the tenant is not empty; nothing was written.
        UnavailableError: Neo4j does not answer; repeat the import to resume it.
    """
    report = on_progress or (lambda _doing, _done, _total: None)
    with temporary_staging(source=NO_TENANT, target=tenant) as staging:
        header, digest = await asyncio.to_thread(_read, path, staging)
        vectors_usable = await _vectors_fit(graph, header.get("embedder"))
        properties = {name: decode_value(value, _HEADER_KINDS[name]) for name, value in header["tenant"].items()}
        await _begin(graph, tenant, digest, properties["seq"], now)
        try:
            await _write(graph, tenant, staging, report, vectors=vectors_usable)
            await _finish(graph, tenant, properties, now=now)
        except UnavailableError as error:
            raise UnavailableError(
                f"the import was interrupted ({error.message}); repeat the same import to resume it",
                error.retry_after_s,
            ) from error
        return _result(staging, vectors=vectors_usable)


def _read(path: Path, staging: Staging) -> tuple[Row, str]:
    """Check the file and stage its rows; return the header and the hash of the file."""
    problems: list[str] = []
    digest = hashlib.sha256()
    counts = {"nodes": 0, "edges": 0}
    with path.open("rb") as file:
        first = file.readline(LINE_BYTES_MAX)
        digest.update(first)
        header = _read_header(first, path)
        end: Row | None = None
        batch: list[Row] = []
        dim = (header.get("embedder") or {}).get("dim")
        for number, line in enumerate(iter(lambda: file.readline(LINE_BYTES_MAX + 1), b""), start=2):
            if len(line) > LINE_BYTES_MAX:
                _raise_problems(path, [*problems, f"line {number}: must not be longer than {LINE_BYTES_MAX:,} bytes"])
            row = _parse_line(line, number, problems)
            if end is not None:
                problems.append(f"line {number}: no line may follow the last one, which has the counts")
            elif isinstance(row, dict) and "end" in row:
                end = row["end"]
            else:
                digest.update(line)
                line_problems = row_problems(row, dim=dim) if row is not None else ()
                problems += [f"line {number}: {problem}" for problem in islice(line_problems, _PROBLEMS_MAX)]
                if not problems:
                    counts["nodes" if "node" in row else "edges"] += 1
                    batch.append(row)
            if len(batch) >= ROWS_MAX:
                staging.add(batch)
                batch = []
            _raise_problems(path, problems, allowed=_PROBLEMS_MAX)
    if end is None:
        problems.append("the last line is missing: the file is truncated")
    elif end != {**counts, "sha256": digest.hexdigest()}:
        problems.append("the checksum in the last line does not match: the file was changed or damaged")
    _raise_problems(path, problems)
    staging.add(batch)
    _check_and_rewrite(staging, header, path)
    return header, digest.hexdigest()


def _check_and_rewrite(staging: Staging, header: Row, path: Path) -> None:
    """Check references between rows, and rewrite the rows for the target tenant."""
    try:
        _raise_problems(path, list(islice(staging.duplicate_rows(), _PROBLEMS_MAX)))
        _raise_problems(
            path, list(islice(staging.reference_problems(decode_value(header["tenant"]["seq"], "int")), _PROBLEMS_MAX))
        )
        staging.rewrite()
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
        _log.warning("the rows of an export contradict each other: %s", type(error).__name__)
        raise InputError(
            f"nothing was stored: {path} contains rows that contradict each other; export the tenant again"
        ) from error


def _read_header(line: bytes, path: Path) -> Row:
    header = _parse_line(line, 1, [])
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError(f"{path}: is not an export of Mnemoscene (its first line does not say so); nothing was stored")
    version = header.get("version")
    if version != VERSION or isinstance(version, bool):
        raise InputError(
            f"{path}: is an export of version {version!r:.60}, and this program reads version {VERSION}; nothing "
            "was stored. Import it with the version of Mnemoscene that wrote it, or a newer one"
        )
    _raise_problems(path, [f"line 1: {problem}" for problem in _header_problems(header)])
    return header


def _header_problems(header: Row) -> Iterator[str]:
    tenant_properties, embedder = header.get("tenant"), header.get("embedder")
    if not isinstance(tenant_properties, dict) or "seq" not in tenant_properties:
        yield "tenant must be an object with seq"
        return
    for name, written in tenant_properties.items():
        if name not in _HEADER_KINDS:
            yield f"tenant has the unknown property {name!r:.60}"
            continue
        try:
            value = decode_value(written, _HEADER_KINDS[name])
        except InputError as error:
            yield f"{name} {error.message}"
            continue
        if name == "seq" and not 0 <= value < 2**53:
            yield f"seq is {value}; it must be from 0 to {2**53 - 1}"
        if isinstance(value, str) and text_problem(value, _HEADER_CHARS_MAX):
            yield f"{name} {text_problem(value, _HEADER_CHARS_MAX)}"
    if embedder is None:
        return
    model, dim, tokens = (embedder.get(name) if isinstance(embedder, dict) else None for name in _EMBEDDER_FIELDS)
    vectors_usable = (
        isinstance(model, str) and isinstance(dim, int) and not isinstance(dim, bool) and 1 <= dim <= VECTOR_DIM_MAX
    )
    if not vectors_usable or not isinstance(tokens, str | None):
        yield "embedder must be null, or an object with model (string), dim (integer) and token_model (string or null)"


def _parse_line(line: bytes, number: int, problems: list[str]) -> Any:
    try:
        return read_json(line, finite=True)
    except json.JSONDecodeError as error:
        problems.append(f"line {number}: not JSON ({error!s:.200})")
        return None


def _raise_problems(path: Path, problems: list[str], *, allowed: int = 0) -> None:
    if len(problems) > allowed:
        lines = "\n".join(f"  {path} {problem}" for problem in problems[:_PROBLEMS_MAX])
        raise InputError(f"nothing was stored:\n{lines}", tuple(problems))


async def _vectors_fit(graph: Graph, embedder: Mapping[str, Any] | None) -> bool:
    """Return whether the vectors of the file come from the embedder of this database."""
    if embedder is None:
        return False
    other = StoredEmbedder(embedder.get("model", ""), embedder.get("dim", 0), embedder.get("token_model"))
    return await stored_embedder(graph) == other


async def _begin(graph: Graph, tenant: TenantId, digest: str, seq: int, now: datetime) -> None:
    parameters = {"tenant": tenant, "file": digest, "seq": seq, "epoch": secrets.token_hex(4), "now": now}
    if not await graph.run(statement("export_import/begin_import"), parameters):
        raise ConflictError(
            f"the tenant {tenant!r} is not empty, or an import of another file into it was interrupted; import into an "
            "empty tenant (`--tenant NAME`)"
        )


async def _write(graph: Graph, tenant: TenantId, staging: Staging, report: Progress, *, vectors: bool) -> None:
    done, total = 0, sum(staging.rows_n.values())
    for kind in ORDER:
        rows_max = LONG_ROWS_MAX if kind in _LONG_ROW_KINDS else ROWS_MAX
        async for batch in in_batches(staging.rewritten(kind), rows_max):
            kept = batch if vectors else [without_vectors(row) for row in batch]
            written = await _put_rows(graph, tenant, kind, kept)
            assert written == len(kept) or kind in LINKS, f"every row of {kind} must be written"
            done += len(kept)
            report("storing", done, total)


async def _put_rows(graph: Graph, tenant: TenantId, kind: str, rows: Sequence[Row]) -> int:
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
    properties = {name: decode_value(value, model[name].kind) for name, value in row["properties"].items()}
    vectors = [[name, vector_parameter(properties.pop(name))] for name in [*properties] if model[name].kind == "vector"]
    parameters = {"properties": {**properties, "tenant": tenant}, "vectors": vectors}
    if EDGE in row:
        return {**parameters, "id": properties["id"], "type": row[EDGE], "subject": row["from"], "object": row["to"]}
    label = Label(row["node"])
    key = EXPORTED_KEYS[Label.MEMORY if label in MIND_MAP_KINDS else label]
    return {**parameters, "key": properties[key], "label": label.value}


async def _finish(graph: Graph, tenant: TenantId, properties: Mapping[str, Any], *, now: datetime) -> None:
    """Create the jobs, and write the tenant's properties, which completes the import."""
    jobs, after = {"tenant": tenant, "now_ms": millis(now)}, ""
    while rows := await graph.run(
        statement("export_import/create_jobs"), {**jobs, "after": after, "rows_max": ROWS_MAX}
    ):
        after = rows[-1]["id"]
    await graph.run(statement("export_import/open_unread"), jobs)
    parameters = {"tenant": tenant, "properties": properties, "epoch": secrets.token_hex(4)}
    await graph.run(statement("export_import/finish_import"), parameters)


def _result(staging: Staging, *, vectors: bool) -> ImportResult:
    edges = sum(staging.rows_n.get(kind, 0) for kind in ("edge", *LINKS))
    users = tuple(sorted(row["properties"]["user_id"] for row in staging.original(Label.USER)))
    return ImportResult(nodes=sum(staging.rows_n.values()) - edges, edges=edges, users=users, vectors=vectors)
