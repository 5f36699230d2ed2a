"""A tenant's memory from a file that `exporting` wrote: looked at as a whole, then written, and safe to repeat."""

import asyncio
import hashlib
import json
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from graph_service.graph.migrate import StoredEmbedder, stored_embedder
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.carried_rows import (
    EDGE,
    FORMAT,
    LINKS,
    ORDER,
    VERSION,
    Row,
    lacks_vector,
    mistakes_in,
    without_vectors,
)
from graph_service.memory.carried_values import value_of
from graph_service.memory.carrier import Carrier
from graph_service.memory.carrying_pages import LONG_ROWS_MAX, ROWS_MAX, put_rows
from graph_service.memory.exporting import Progress
from graph_service.memory.fact_vectors import want_vectors
from graph_service.memory.rescope import NOBODY
from schema.errors import ConflictError, InputError, UnavailableError
from schema.ids import TenantId
from schema.labels import Label

_PROBLEMS_MAX: Final = 20
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
    """Whether a file that begins like this was written by an export."""
    try:
        head = json.loads(first_line)
    except (json.JSONDecodeError, RecursionError):
        return False
    return isinstance(head, dict) and head.get("format") == FORMAT


async def import_rows(
    graph: Graph, tenant: TenantId, path: Path, *, now: datetime, on_progress: Progress | None = None
) -> Imported:
    """Takes a whole export into a tenant that holds nothing; one that was interrupted goes on.

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
            fits = await _vectors_fit(graph, head["embedder"])
            await _begin(graph, tenant, digest, now)
            try:
                sessions = await _write(graph, tenant, carrier, tell, vectors=fits)
                await _finish(graph, tenant, head["tenant"], sessions, now=now)
            except UnavailableError as error:
                raise UnavailableError(
                    f"the import was interrupted ({error.message}); run the same import again, it goes on",
                    error.retry_after_s,
                ) from error
            return _imported(carrier, vectors=fits)
        finally:
            carrier.close()


def _read(path: Path, carrier: Carrier) -> tuple[Row, str]:
    """The first line, and the hash of the file; the rows are in the carrier."""
    problems: list[str] = []
    digest = hashlib.sha256()
    counts = {"nodes": 0, "edges": 0}
    with path.open("rb") as file:
        first = file.readline()
        digest.update(first)
        head = _head(first, path)
        end: Row | None = None
        batch: list[Row] = []
        for number, line in enumerate(file, start=2):
            row = _parsed(line, number, problems)
            if end is not None:
                problems.append(f"line {number}: comes after the last line")
            elif isinstance(row, dict) and "end" in row:
                end = row["end"]
            else:
                digest.update(line)
                problems += [f"line {number}: {problem}" for problem in mistakes_in(row)] if row is not None else []
                if not problems:
                    batch.append(row)
                    counts["nodes" if "node" in row else "edges"] += 1
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
    carrier.learn()
    strangers = list(islice(carrier.strangers(), _PROBLEMS_MAX))
    _refuse(path, [f"{one} has an end that is not in the file" for one in strangers])
    return head, digest.hexdigest()


def _head(line: bytes, path: Path) -> Row:
    head = _parsed(line, 1, [])
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputError(f"{path}: is no export of Mnemograph (its first line does not say so); nothing was stored")
    if head.get("version") != VERSION:
        raise InputError(
            f"{path}: is an export of version {head.get('version')}, this program reads version {VERSION}; "
            "nothing was stored. Upgrade, or export it anew"
        )
    problems = []
    for name, value in (head.get("tenant") or {}).items():
        try:
            value_of(value, _HEAD_KINDS[name])
        except (KeyError, InputError) as error:
            problems.append(f"line 1: {name} {error}")
    if not isinstance(head.get("tenant"), dict) or "seq" not in head["tenant"]:
        problems.append("line 1: says nothing of its tenant")
    if not isinstance(head.get("embedder"), dict | None):
        problems.append("line 1: embedder must be an object or null")
    _refuse(path, problems)
    return head


def _parsed(line: bytes, number: int, problems: list[str]) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        problems.append(f"line {number}: not JSON ({error})")
        return None


def _refuse(path: Path, problems: list[str], *, most: int = 0) -> None:
    if len(problems) > most:
        told = "\n".join(f"  {path} {problem}" for problem in problems[:_PROBLEMS_MAX])
        raise InputError(f"nothing was stored:\n{told}", tuple(problems))


async def _vectors_fit(graph: Graph, embedder: Mapping[str, Any] | None) -> bool:
    """Whether the vectors of a file can be compared with those made here."""
    if embedder is None:
        return False
    there = StoredEmbedder(embedder.get("model", ""), embedder.get("dim", 0), embedder.get("token_model"))
    return await stored_embedder(graph) == there


async def _begin(graph: Graph, tenant: TenantId, digest: str, now: datetime) -> None:
    parameters = {"tenant": tenant, "file": digest, "epoch": secrets.token_hex(4), "now": now}
    if not await graph.write(lambda writing: writing.run(statement("carry/begin"), parameters)):
        raise ConflictError(
            f"the tenant {tenant!r} holds something already, or another import into it was interrupted; import into a "
            "tenant that holds nothing (`--tenant NAME`)"
        )


async def _write(graph: Graph, tenant: TenantId, carrier: Carrier, tell: Progress, *, vectors: bool) -> list[str]:
    """Writes everything but what the tenant itself says; the sessions in which something waits for a vector."""
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
    graph: Graph, tenant: TenantId, said: Mapping[str, Any], sessions: list[str], *, now: datetime
) -> None:
    properties = {name: value_of(value, _HEAD_KINDS[name]) for name, value in said.items()}
    for start in range(0, len(sessions), ROWS_MAX):
        part = set(sessions[start : start + ROWS_MAX])
        await graph.write(lambda writing, part=part: want_vectors(writing, tenant, part, at=now))  # type: ignore[misc]
    parameters = {"tenant": tenant, "properties": properties}
    await graph.write(lambda writing: writing.run(statement("carry/finish"), parameters))


def _imported(carrier: Carrier, *, vectors: bool) -> Imported:
    edges = sum(carrier.rows_n.get(kind, 0) for kind in ("edge", *LINKS))
    users = tuple(sorted(row["properties"]["user_id"] for row in carrier.stored(Label.USER)))
    return Imported(nodes=sum(carrier.rows_n.values()) - edges, edges=edges, users=users, vectors=vectors)
