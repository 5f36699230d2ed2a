"""Create constraints and indexes, and change them by numbered migrations.

An empty database gets the baseline, which contains every change up to its number. Later changes are files
`migrations/108_….cypher` with one or more statements, separated by semicolons, each of which can be repeated (IF NOT
EXISTS, batches that skip what is done): a migration that was stopped runs again from its start, and several processes
may start at the same time. While a migration runs, its row has no `ran_at`, so that an older version refuses a database
that is only partly migrated.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from graph_service.graph.statements import (
    Statement,
    baseline_statements,
    migration_steps,
    statement,
    statement_names,
)
from graph_service.graph.store import USER_AGENT, Graph, Row
from graph_service.version import version
from schema.errors import ConflictError, InstallError
from schema.predicates import fact_predicates

NO_MODEL: Final = "none"
# Arbitrary: the indexes are dropped and created again for the first embedder.
_NO_MODEL_DIM: Final = 384
_EMBEDDER: Final = "embedder"
_VECTOR_INDEXES: Final = ("message_vector", "scene_abstract_vector", "scene_overview_vector", "fact_vector")
_VOCABULARY: Final = "vocabulary"
_BASELINE: Final = "migrations/107_baseline"


@dataclass(frozen=True, slots=True)
class StoredEmbedder:
    """The embedder of the vectors in a database.

    Attributes:
        model: `NO_MODEL` when there are vector indexes but no vectors.
        token_model: the model of the token vectors of messages; None when there are none.
        indexes: names of the vector indexes, in their order.
        changing: True while a process replaces the vectors of another embedder by these, or if it was stopped then.
    """

    model: str
    dim: int
    token_model: str | None
    indexes: tuple[str, ...] = field(default=_VECTOR_INDEXES, compare=False)
    changing: bool = field(default=False, compare=False)

    @property
    def compared(self) -> dict[str, Any]:
        """Return the properties of the embedder that an export contains; vectors are comparable if all are equal."""
        return {"model": self.model, "dim": self.dim, "token_model": self.token_model}


def migrations() -> list[Statement]:
    """Return the migrations that follow the baseline, in the order of their numbers."""
    return [statement(name) for name in statement_names() if name.startswith("migrations/")]


async def migrate(graph: Graph) -> list[str]:
    """Create the baseline if it is missing, run pending migrations, and return the names of those that ran.

    Returns when the indexes are online.

    Raises:
        InstallError: the database was written by a newer or a much older version; nothing was changed.
    """
    rows = await graph.read(statement("schema/applied_version"), {})
    newer, older = foreign_migrations(row["name"] for row in rows)
    if older:
        raise InstallError(
            f"this database was written by an older Mnemoscene (its last migration is {older[-1]!r}), whose data this"
            f" version ({version()}) cannot read: with the older version run `mnemoscene export -o FILE` for each"
            " tenant, then start this one with an empty data directory or another database, and run `mnemoscene import"
            " FILE`; nothing was changed"
        )
    if newer:
        raise InstallError(
            f"this database was written by a newer Mnemoscene (version {version()} does not know the migration"
            f" {newer[-1]!r}): install that version or a newer one, or restore a backup from before its upgrade into"
            " an empty data directory (`mnemoscene restore FILE`); nothing was changed"
        )
    done = {row["name"] for row in rows if row["finished"]}
    ran: list[str] = []
    if _BASELINE not in done:
        for one in baseline_statements():
            await graph.define(one, {})
        await _record_migration(graph, _BASELINE)
        ran.append(_BASELINE)
    for migration in migrations():
        if migration.name in done:
            continue
        await graph.run(statement("schema/start_version"), {"name": migration.name})
        for step in migration_steps(migration):
            await graph.define(step, {})
        await _record_migration(graph, migration.name)
        ran.append(migration.name)
    if await _update_vocabulary(graph):
        ran.append(_VOCABULARY)
    if ran:
        await graph.define(statement("schema/await_indexes"), {})
    return ran


async def _update_vocabulary(graph: Graph) -> bool:
    """Create what a predicate needs that the vocabulary got since the last start; return True if anything changed.

    The indexes that name all predicates of facts are dropped and created again. Vectors are stored in the facts, so
    nothing is embedded again.
    """
    predicates = set(fact_predicates())
    rows = await graph.read(statement("schema/fact_index_types"), {})
    stale = {row["name"] for row in rows if set(row["types"]) != predicates}
    if not stale:
        return False
    for index in sorted(stale):
        await graph.define(statement(f"schema/drop_{index}"), {})
    for one in baseline_statements():
        await graph.define(one, {})
    stored = await stored_embedder(graph)
    if stored is not None:
        await _define_indexes(graph, stored.indexes, stored.dim)
    return True


def foreign_migrations(done: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names of migrations that only a newer version has, and those of a version whose data are too old.

    The data of a database without the baseline have another shape: it creates only constraints and indexes.
    """
    known = {migration.name for migration in migrations()}
    names = sorted(name for name in done if name.startswith("migrations/"))
    # The part before the underscore ends with the number, which has three digits.
    newer = [name for name in names if name.partition("_")[0] > _BASELINE.partition("_")[0]]
    older = [] if _BASELINE in names else [name for name in names if name not in newer]
    return [name for name in newer if name not in known], older


async def _record_migration(graph: Graph, name: str) -> None:
    await graph.run(statement("schema/record_version"), {"name": name})


async def fit_embedder(graph: Graph, new: StoredEmbedder, *, service: bool, change: bool) -> str | None:
    """Create what an embedder needs; return why its vectors must not be used with this database, or None.

    Vectors of another embedder are deleted only by a service that was told to (`change`) and that is the only process
    on the database. Without being told, a service changes an embedder of which no vector is stored.

    Args:
        service: False for a command, which never changes the embedder.

    Raises:
        ConflictError: the embedder is to be changed, but other processes use the database.
    """
    stored = await stored_embedder(graph)
    if stored is None or stored.model == NO_MODEL:
        await prepare_vectors(graph, model=new.model, dim=new.dim, token_model=new.token_model)
        return None
    problem = embedder_problem(stored, new)
    if problem is None:
        # Token vectors are added by a service; an embedder without them leaves those of others.
        token_model = (new.token_model if service else None) or stored.token_model
        await prepare_vectors(graph, model=new.model, dim=new.dim, token_model=token_model)
        return None
    resumed = stored.changing and stored == new
    if not service or not (change or resumed or not await graph.read(statement("schema/any_vector"), {})):
        return problem
    others = await graph.read(statement("schema/other_processes"), {"own_agent": USER_AGENT})
    if others and change:
        raise ConflictError(
            f"the embedder of this database can be changed by one process alone, but {len(others)} connections of"
            f" others are open (from {', '.join(sorted({row['address'] for row in others}))}): stop those services and"
            " commands first"
        )
    if others:
        return problem
    await prepare_vectors(graph, model=new.model, dim=new.dim, token_model=new.token_model)
    return None


def embedder_problem(stored: StoredEmbedder | None, own: StoredEmbedder) -> str | None:
    """Return why vectors of `own` cannot be compared with the stored ones; None if they can."""
    if stored is None or stored.model == NO_MODEL:
        return None
    tokens_differ = None not in (stored.token_model, own.token_model) and stored.token_model != own.token_model
    if (stored.model, stored.dim) != (own.model, own.dim) or tokens_differ:
        return (
            f"the stored vectors are of {stored.model} ({stored.dim} numbers), not of the configured {own.model}"
            f" ({own.dim}); configure the former, or compute all vectors again with `mnemoscene serve"
            " --change-embedder` while nothing else uses the database"
        )
    return "the embedder of this database is being changed" if stored.changing else None


async def prepare_vectors(graph: Graph, *, model: str, dim: int, token_model: str | None = None) -> bool:
    """Create the vector indexes for an embedder; return True if existing texts must be embedded again.

    Vectors of different models cannot be compared, so after a change of model the indexes are dropped and created
    again, and everything is marked as waiting for a vector, which the worker then writes; until then keyword search
    answers. If only the model of the token vectors changed, messages keep their vectors until they have both.

    Args:
        token_model: the model of the token vectors of messages; None when the embedder makes none.
    """
    before = await stored_embedder(graph)
    new = StoredEmbedder(model, dim, token_model)
    if before == new and before.indexes == new.indexes and not before.changing:
        return False
    if before is not None and (before.model, before.dim) == (model, dim) and not before.changing:
        await _complete(graph, before, new)
        return True
    # Recorded first: a process that was stopped in between has left vectors of neither embedder.
    await _set_embedder(graph, new, changing=True)
    if before is not None:
        for index in _VECTOR_INDEXES:
            await graph.define(statement(f"schema/drop_{index}"), {})
        await graph.define(statement("schema/clear_message_vectors"), {})
        await graph.define(statement("schema/clear_scene_vectors"), {})
        await graph.define(statement("schema/clear_fact_vectors"), {})
        await graph.define(statement("schema/clear_item_vectors"), {})
        await graph.define(statement("schema/reopen_embedding"), {})
    await _define_indexes(graph, _VECTOR_INDEXES, dim)
    await _set_embedder(graph, new)
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


async def _complete(graph: Graph, before: StoredEmbedder, new: StoredEmbedder) -> None:
    """Create missing indexes and mark missing vectors of the same embedder; existing vectors stay."""
    if before.token_model != new.token_model:
        await graph.define(statement("schema/clear_token_vectors"), {})
    if before.indexes != new.indexes:
        await _define_indexes(graph, new.indexes, new.dim)
        await graph.define(statement("schema/clear_fact_vectors"), {})
    await graph.define(statement("schema/reopen_embedding"), {})
    await _set_embedder(graph, new)


async def _set_embedder(graph: Graph, new: StoredEmbedder, *, changing: bool = False) -> None:
    parameters = {**new.compared, "indexes": list(new.indexes), "changing": changing}
    await graph.run(statement("schema/set_embedder"), parameters)


async def prepare_without_embedder(graph: Graph) -> None:
    """Create the vector indexes without an embedder, because recall names them; existing vectors stay."""
    stored = await stored_embedder(graph) or StoredEmbedder(NO_MODEL, _NO_MODEL_DIM, None, indexes=())
    if stored.indexes != _VECTOR_INDEXES:
        await prepare_vectors(graph, model=stored.model, dim=stored.dim, token_model=stored.token_model)


async def stored_embedder(graph: Graph) -> StoredEmbedder | None:
    """Return the embedder of the stored vectors; None if no vector index was ever created."""
    # Uses the statement of `migrate`, whose plan is cached: planning another takes 0.3 s on a server that just started.
    rows = await graph.read(statement("schema/applied_version"), {})
    return next((embedder_of(row) for row in rows if row["name"] == _EMBEDDER), None)


def embedder_of(row: Row) -> StoredEmbedder:
    indexes, changing = tuple(row["indexes"] or ()), bool(row["changing"])
    return StoredEmbedder(row["model"], row["dim"], row["token_model"], indexes, changing)
