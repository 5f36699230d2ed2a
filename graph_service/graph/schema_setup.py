"""Constraints and indexes: numbered migrations, each run once, safe when several processes start at the same time."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from graph_service.graph.statements import Statement, statement, statement_names
from graph_service.graph.store import Graph, Row, Writing
from graph_service.version import version
from schema.errors import InstallError

NO_MODEL: Final = "none"
# Any dimension will do: the first embedder that comes makes the indexes anew.
_NO_MODEL_DIM: Final = 384
_EMBEDDER: Final = "embedder"
_VECTOR_INDEXES: Final = ("message_vector", "scene_abstract_vector", "scene_overview_vector", "fact_vector")


@dataclass(frozen=True, slots=True)
class StoredEmbedder:
    """What made the vectors in a database.

    Attributes:
        model: `NO_MODEL` when there are none, only indexes.
        token_model: who made the token vectors of messages; None when nobody did.
        indexes: the vector indexes there are, in their order; fewer in a database of an older version.
    """

    model: str
    dim: int
    token_model: str | None
    indexes: tuple[str, ...] = field(default=_VECTOR_INDEXES, compare=False)

    @property
    def compared(self) -> dict[str, Any]:
        """Return what must be equal for vectors to be comparable, as an export tells it."""
        return {"model": self.model, "dim": self.dim, "token_model": self.token_model}


def migrations() -> list[Statement]:
    """Return all migrations, in the order of their numbers."""
    return [statement(name) for name in statement_names() if name.startswith("migrations/")]


async def migrate(graph: Graph) -> list[str]:
    """Run what has not run yet, wait until the indexes are usable, and return the names of what it ran.

    Every migration says IF NOT EXISTS, so two processes that run the same one at once do no harm.

    Raises:
        InstallError: a newer version of ours has written this database; nothing was changed.
    """
    done = {row["name"] for row in await graph.read(statement("schema/applied_version"), {})}
    _refuse_newer(done)
    ran: list[str] = []
    for migration in migrations():
        if migration.name in done:
            continue
        await graph.define(migration, {})
        await _remember_migration(graph, migration.name)
        ran.append(migration.name)
    if ran:
        await graph.define(statement("schema/await_indexes"), {})
    return ran


def _refuse_newer(done: Collection[str]) -> None:
    """What a newer version has arranged, this one could only spoil."""
    if unknown := unknown_migrations(done):
        raise InstallError(
            f"this database was written by a newer Mnemograph (it knows {unknown[-1]!r}, and version {version()} does"
            " not): install that version or a newer one, or restore a backup from before its upgrade into an empty"
            " data directory (`mnemograph restore FILE`); nothing was changed"
        )


def unknown_migrations(done: Iterable[str]) -> list[str]:
    """Of the names of what ran, those of a newer version of ours, in order."""
    return sorted({name for name in done if name.startswith("migrations/")} - {one.name for one in migrations()})


async def _remember_migration(graph: Graph, name: str) -> None:
    async def steps(writing: Writing) -> None:
        await writing.run(statement("schema/record_version"), {"name": name})

    await graph.write(steps)


async def prepare_vectors(graph: Graph, *, model: str, dim: int, token_model: str | None = None) -> bool:
    """Make the vector indexes fit the embedder; True when what was embedded before is embedded again.

    When the model changed, its vectors cannot be compared with the old ones: indexes are made anew, and everything
    is marked as waiting for a vector, which the worker then writes. Until then keyword search answers. When only the
    token vectors are made by another model, or for the first time, messages keep their vectors until they have both.

    Args:
        token_model: who makes the token vectors of messages; None when the embedder makes none.
    """
    before = await stored_embedder(graph)
    wanted = StoredEmbedder(model, dim, token_model)
    if before == wanted and before.indexes == wanted.indexes:
        return False
    if before is not None and (before.model, before.dim) == (model, dim):
        await _complete(graph, before, wanted)
        return True
    if before is not None:
        for index in _VECTOR_INDEXES:
            await graph.define(statement(f"schema/drop_{index}"), {})
        await graph.define(statement("schema/clear_message_vectors"), {})
        await graph.define(statement("schema/clear_scene_vectors"), {})
        await graph.define(statement("schema/clear_fact_vectors"), {})
        await graph.define(statement("schema/reopen_embedding"), {})
    await _define_indexes(graph, _VECTOR_INDEXES, dim)
    await _set_embedder(graph, wanted)
    return before is not None


async def _define_indexes(graph: Graph, names: Iterable[str], dim: int) -> None:
    options = {
        "indexConfig": {
            "vector.dimensions": dim,
            "vector.similarity_function": "cosine",
            "vector.quantization.enabled": False,
            "vector.hnsw.m": 32,
            "vector.hnsw.ef_construction": 200,
        }
    }
    for index in names:
        await graph.define(statement(f"schema/define_{index}"), {"options": options})
    await graph.define(statement("schema/await_indexes"), {})


async def _complete(graph: Graph, before: StoredEmbedder, wanted: StoredEmbedder) -> None:
    """Make what the same embedder has not made yet; what it has made stays."""
    if before.token_model != wanted.token_model:
        await graph.define(statement("schema/clear_token_vectors"), {})
    if before.indexes != wanted.indexes:
        await _define_indexes(graph, wanted.indexes, wanted.dim)
        await graph.define(statement("schema/clear_fact_vectors"), {})
    await graph.define(statement("schema/reopen_embedding"), {})
    await _set_embedder(graph, wanted)


async def _set_embedder(graph: Graph, wanted: StoredEmbedder) -> None:
    async def steps(writing: Writing) -> None:
        parameters = {**wanted.compared, "indexes": list(wanted.indexes)}
        await writing.run(statement("schema/set_embedder"), parameters)

    await graph.write(steps)


async def prepare_without_embedder(graph: Graph) -> None:
    """Make vector indexes, since recall names them: empty ones, unless an embedder has been here: its vectors stay."""
    kept = await stored_embedder(graph) or StoredEmbedder(NO_MODEL, _NO_MODEL_DIM, None, indexes=())
    if kept.indexes != _VECTOR_INDEXES:
        await prepare_vectors(graph, model=kept.model, dim=kept.dim, token_model=kept.token_model)


async def stored_embedder(graph: Graph) -> StoredEmbedder | None:
    """Return what made the vectors there are; None before there were any."""
    # The statement that `migrate` sent before: a server that just started has its plan, another would cost 0.3 s.
    rows = await graph.read(statement("schema/applied_version"), {})
    found = (row for row in rows if row["name"] == _EMBEDDER)
    return next((_embedder(row) for row in found), None)


def _embedder(row: Row) -> StoredEmbedder:
    indexes = _VECTOR_INDEXES[:3] if row["indexes"] is None else row["indexes"]
    return StoredEmbedder(row["model"], row["dim"], row["token_model"], tuple(indexes))
