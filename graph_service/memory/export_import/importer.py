"""A tenant's memory from a file that `exporting` wrote: looked at as a whole, then written, and safe to repeat."""

import asyncio
import hashlib
import json
import logging
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from graph_service.graph.schema_setup import StoredEmbedder, stored_embedder
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.export_import.exporter import Progress
from graph_service.memory.export_import.graph_pages import LONG_ROWS_MAX, ROWS_MAX, put_rows
from graph_service.memory.export_import.row_format import (
    FORMAT,
    LINKS,
    ORDER,
    VERSION,
    Row,
    lacks_vector,
    mistakes_in,
    without_vectors,
)
from graph_service.memory.export_import.row_shapes import EDGE, VECTOR_DIM_MAX
from graph_service.memory.export_import.row_values import value_of
from graph_service.memory.export_import.staging import Carrier, Work
from graph_service.memory.export_import.tenant_rewrite import NOBODY
from graph_service.memory.facts.writer import want_vectors
from graph_service.memory.jobs.outbox import JobKind
from schema.errors import ConflictError, InputError, UnavailableError
from schema.ids import TenantId
from schema.json_text import read_json
from schema.labels import Label

_log: Final = logging.getLogger(__name__)
_PROBLEMS_MAX: Final = 20
# A message of 100,000 characters with its vectors takes less than a tenth of it.
LINE_BYTES_MAX: Final = 16 * 2**20
_HEAD_CHARS_MAX: Final = 1_000
_EMBEDDER: Final = ("model", "dim", "token_model")
_LONG: Final = (Label.MESSAGE, Label.SCENE, EDGE)
_HEAD_KINDS: Final = {"seq": "int", "created_at": "time", "salt": "string", "marks_of": "string"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was taken in.

    Attributes:
        vectors: whether the vectors of the file are used; else they are made anew in the background.
    """

    nodes: int
    edges: int
    users: tuple[str, ...]
    vectors: bool


def is_export(first_line: str) -> bool:
    """Return whether a file that begins like this was written by an export."""
    try:
        head = read_json(first_line)
    except json.JSONDecodeError:
        return False
    return isinstance(head, dict) and head.get("format") == FORMAT


async def import_rows(
    graph: Graph, tenant: TenantId, path: Path, *, now: datetime, on_progress: Progress | None = None
) -> Imported:
    """Take a whole export into a tenant that holds nothing; one that was interrupted goes on.

    Raises:
        InputError: the file is no export, is damaged or was cut short; nothing was written.
        ConflictError: the tenant holds something already; nothing was written.
        UnavailableError: Neo4j does not answer; what was written is completed by the same import again.
    """
    tell = on_progress or (lambda _doing, _done, _total: None)
    with tempfile.TemporaryDirectory(prefix="mnemograph-import-") as folder:
        carrier = Carrier(Path(folder) / "rows.sqlite", source=NOBODY, target=tenant)
        try:
            head, digest = await asyncio.to_thread(_read, path, carrier)
            fits = await _vectors_fit(graph, head.get("embedder"))
            await _begin(graph, tenant, digest, now)
            try:
                sessions = await _write(graph, tenant, carrier, tell, vectors=fits)
                works = await asyncio.to_thread(lambda: list(carrier.works()))
                await _finish(graph, tenant, head["tenant"], sessions, works, now=now)
            except UnavailableError as error:
                raise UnavailableError(
                    f"the import was interrupted ({error.message}); run the same import again, it goes on",
                    error.retry_after_s,
                ) from error
            return _imported(carrier, vectors=fits)
        finally:
            carrier.close()


def _read(path: Path, carrier: Carrier) -> tuple[Row, str]:
    """Return the first line, and the hash of the file; the rows are in the carrier."""
    problems: list[str] = []
    digest = hashlib.sha256()
    counts = {"nodes": 0, "edges": 0}
    with path.open("rb") as file:
        first = file.readline(LINE_BYTES_MAX)
        digest.update(first)
        head = _head(first, path)
        end: Row | None = None
        batch: list[Row] = []
        dim = (head.get("embedder") or {}).get("dim")
        for number, line in enumerate(iter(lambda: file.readline(LINE_BYTES_MAX + 1), b""), start=2):
            if len(line) > LINE_BYTES_MAX:
                _refuse(path, [*problems, f"line {number}: is longer than {LINE_BYTES_MAX:,} bytes"])
            row = _parsed(line, number, problems)
            if end is not None:
                problems.append(f"line {number}: comes after the last line")
            elif isinstance(row, dict) and "end" in row:
                end = row["end"]
            else:
                digest.update(line)
                found = mistakes_in(row, dim=dim) if row is not None else ()
                problems += [f"line {number}: {problem}" for problem in islice(found, _PROBLEMS_MAX)]
                if not problems:
                    counts["nodes" if "node" in row else "edges"] += 1
                    if row.get("node") != Label.JOB:
                        batch.append(row)
            if len(batch) >= ROWS_MAX:
                carrier.add(batch)
                batch = []
            _refuse(path, problems, most=_PROBLEMS_MAX)
    if end is None:
        problems.append("the last line is missing: the file was cut short")
    elif end != {**counts, "sha256": digest.hexdigest()}:
        problems.append("the last line does not fit the others: the file was changed or damaged")
    _refuse(path, problems)
    carrier.add(batch)
    _understand(carrier, head, path)
    return head, digest.hexdigest()


def _understand(carrier: Carrier, head: Row, path: Path) -> None:
    """Refuse rows that do not fit each other, and work out what they are called under the other tenant."""
    try:
        _refuse(path, list(islice(carrier.doubles(), _PROBLEMS_MAX)))
        carrier.learn()
        _refuse(path, list(islice(carrier.misfits(value_of(head["tenant"]["seq"], "int")), _PROBLEMS_MAX)))
        carrier.move_all()
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
        _log.warning("an export could not be understood: %s", type(error).__name__)
        raise InputError(f"nothing was stored: {path} holds rows that do not fit each other") from error


def _head(line: bytes, path: Path) -> Row:
    head = _parsed(line, 1, [])
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputError(f"{path}: is no export of Mnemograph (its first line does not say so); nothing was stored")
    if head.get("version") != VERSION:
        raise InputError(
            f"{path}: is an export of version {head.get('version')}, this program reads version {VERSION}; "
            "nothing was stored. Upgrade, or export it anew"
        )
    _refuse(path, [f"line 1: {problem}" for problem in _mistakes_in_head(head)])
    return head


def _mistakes_in_head(head: Row) -> Iterator[str]:
    said, embedder = head.get("tenant"), head.get("embedder")
    if not isinstance(said, dict) or "seq" not in said:
        yield "says nothing of its tenant"
        return
    for name, written in said.items():
        if name not in _HEAD_KINDS:
            yield f"{name!r:.60} is nothing that a tenant has"
            continue
        try:
            value = value_of(written, _HEAD_KINDS[name])
        except InputError as error:
            yield f"{name} {error.message}"
            continue
        if name == "seq" and not 0 <= value < 2**53:
            yield "seq must not be negative"
        if isinstance(value, str) and text_problem(value, _HEAD_CHARS_MAX):
            yield f"{name} {text_problem(value, _HEAD_CHARS_MAX)}"
    if embedder is None:
        return
    model, dim, tokens = (embedder.get(name) if isinstance(embedder, dict) else None for name in _EMBEDDER)
    fits = isinstance(model, str) and isinstance(dim, int) and not isinstance(dim, bool) and 1 <= dim <= VECTOR_DIM_MAX
    if not fits or not isinstance(tokens, str | None):
        yield "embedder must be null, or an object with model (text), dim (a number) and token_model (text or null)"


def _parsed(line: bytes, number: int, problems: list[str]) -> Any:
    try:
        return read_json(line, finite=True)
    except json.JSONDecodeError as error:
        problems.append(f"line {number}: not JSON ({error!s:.200})")
        return None


def _refuse(path: Path, problems: list[str], *, most: int = 0) -> None:
    if len(problems) > most:
        told = "\n".join(f"  {path} {problem}" for problem in problems[:_PROBLEMS_MAX])
        raise InputError(f"nothing was stored:\n{told}", tuple(problems))


async def _vectors_fit(graph: Graph, embedder: Mapping[str, Any] | None) -> bool:
    """Return whether the vectors of a file can be compared with those made here."""
    if embedder is None:
        return False
    there = StoredEmbedder(embedder.get("model", ""), embedder.get("dim", 0), embedder.get("token_model"))
    return await stored_embedder(graph) == there


async def _begin(graph: Graph, tenant: TenantId, digest: str, now: datetime) -> None:
    parameters = {"tenant": tenant, "file": digest, "epoch": secrets.token_hex(4), "now": now}
    if not await graph.write(lambda writing: writing.run(statement("export_import/begin_import"), parameters)):
        raise ConflictError(
            f"the tenant {tenant!r} holds something already, or another import into it was interrupted; import into a "
            "tenant that holds nothing (`--tenant NAME`)"
        )


async def _write(graph: Graph, tenant: TenantId, carrier: Carrier, tell: Progress, *, vectors: bool) -> list[str]:
    """Write everything but what the tenant itself says; the sessions in which something waits for a vector."""
    done, total, sessions, waits = 0, sum(carrier.rows_n.values()), [], not vectors
    for kind in ORDER:
        rows: Iterator[Row] = carrier.moved(kind)
        rows_max = LONG_ROWS_MAX if kind in _LONG else ROWS_MAX
        while part := await asyncio.to_thread(_next_of, rows, rows_max):
            kept = part if vectors else [without_vectors(row) for row in part]
            if kind == Label.SESSION:
                sessions += [row["properties"]["id"] for row in kept]
            waits = waits or any(lacks_vector(row) for row in kept)
            written = await put_rows(graph, tenant, kind, kept)
            assert written == len(kept) or kind in LINKS, f"every row of {kind} must be written"
            done += len(kept)
            tell("storing", done, total)
    return sessions if waits else []


def _next_of(rows: Iterator[Row], rows_max: int) -> list[Row]:
    return list(islice(rows, rows_max))


async def _finish(
    graph: Graph,
    tenant: TenantId,
    said: Mapping[str, Any],
    sessions: list[str],
    works: list[Work],
    *,
    now: datetime,
) -> None:
    """Write what the tenant itself says and ask for the work that waits, which begins only now."""
    properties = {name: value_of(value, _HEAD_KINDS[name]) for name, value in said.items()}
    for start in range(0, len(sessions), ROWS_MAX):
        part = set(sessions[start : start + ROWS_MAX])
        await graph.write(lambda writing, part=part: want_vectors(writing, tenant, part, at=now))  # type: ignore[misc]
    for rows in _wanted(works):
        parameters = {"tenant": tenant, "rows": rows, "now_ms": round(now.timestamp() * 1000)}
        await graph.write(
            lambda writing, parameters=parameters: writing.run(  # type: ignore[misc]
                statement("export_import/enqueue_jobs"), parameters
            )
        )
    parameters = {"tenant": tenant, "properties": properties}
    await graph.write(lambda writing: writing.run(statement("export_import/finish_import"), parameters))


def _wanted(works: list[Work]) -> Iterator[list[Row]]:
    """Work as rows; what a user said in several sessions is read in the order in which it was said."""
    unread: dict[str, list[str]] = {}
    for work in works:
        if work.kind == JobKind.READ and work.waits:
            unread.setdefault(work.user, []).append(work.session)
    many = {user: sessions for user, sessions in unread.items() if len(sessions) > 1}
    rows: list[Row] = [
        {"about": user, "kind": JobKind.ANEW.value, "sessions": sorted(sessions), "waits": True}
        for user, sessions in many.items()
    ]
    for work in works:
        in_turn = work.kind == JobKind.READ and work.user in many
        waits = work.waits and not in_turn
        rows.append({"about": work.session, "kind": work.kind.value, "sessions": None, "waits": waits})
    rows.sort(key=lambda row: (row["about"], row["kind"]))
    for start in range(0, len(rows), ROWS_MAX):
        yield rows[start : start + ROWS_MAX]


def _imported(carrier: Carrier, *, vectors: bool) -> Imported:
    edges = sum(carrier.rows_n.get(kind, 0) for kind in ("edge", *LINKS))
    users = tuple(sorted(row["properties"]["user_id"] for row in carrier.stored(Label.USER)))
    return Imported(nodes=sum(carrier.rows_n.values()) - edges, edges=edges, users=users, vectors=vectors)
