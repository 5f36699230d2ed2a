"""Operations on a data directory: open older and newer data, back up and restore.

No stored message may be lost on the way.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from graph_service.admin.backup import back_up, restore
from graph_service.admin.doctor import Check, examine_database
from graph_service.config.settings import load_settings
from graph_service.graph import schema_setup
from graph_service.graph.database import connect
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.schema_setup import migrate, migrations
from graph_service.graph.statements import migration_steps, parse_statement
from graph_service.graph.store import Graph
from schema.errors import ConflictError, InstallError
from tests.integration.memory.worker.crash_story import tell
from tests.support.graph_hash import graph_hash
from tests.support.neo4j_server import start_test_server
from tests.support.slow import slow_but

_SCHEMA = (
    "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state WHERE state <> 'FAILED' "
    "RETURN name, type, labelsOrTypes, properties ORDER BY name"
)


@dataclass
class Directory:
    """A data directory and the Neo4j in it; tests may stop and start it."""

    path: Path
    server: LocalServer
    graph: Graph

    @staticmethod
    async def opened(path: Path) -> "Directory":
        server = await start_test_server(path)
        graph = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
        return Directory(path, server, graph)

    async def close(self) -> None:
        await self.graph.close()
        await self.server.stop()

    async def rows(self, cypher: str) -> list[dict]:
        async with self.graph._driver.session() as session:
            return await (await session.run(cypher)).data()


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def directory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Directory]:
    made = await Directory.opened(tmp_path_factory.mktemp("own") / "data")
    yield made
    await made.close()


# A migration as a later release may bring it: a new index, data renamed in batches, and the old index dropped.
_RENAMING = parse_statement(
    "migrations/999_rename",
    """
    CREATE INDEX renamed_id IF NOT EXISTS FOR (n:Renamed) ON (n.tenant, n.id);
    MATCH (n:Sample)
    CALL (n) {
      SET n:Renamed, n.new = coalesce(n.old, n.new)
      REMOVE n:Sample, n.old
    } IN TRANSACTIONS OF 2 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;
    DROP INDEX sample_id IF EXISTS
    """,
)


@pytest.mark.parametrize("steps_done", slow_but([1], range(4)))
async def test_a_migration_completes_wherever_it_was_stopped_before(
    directory: Directory, tenant: str, steps_done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes start at the same time on data of the version before, of which some was migrated already."""
    monkeypatch.setattr(schema_setup, "migrations", lambda: [*migrations(), _RENAMING])
    await directory.rows("CREATE INDEX sample_id FOR (n:Sample) ON (n.tenant, n.id)")
    await directory.rows(f"UNWIND range(1, 7) AS n CREATE (:Sample {{tenant: '{tenant}', id: 'id' + n, old: n}})")
    try:
        for step in migration_steps(_RENAMING)[:steps_done]:
            await directory.graph.define(step, {})
        ran = await asyncio.gather(migrate(directory.graph), migrate(directory.graph))
        assert ["migrations/999_rename"] in ran
        assert await migrate(directory.graph) == []
        rows = await directory.rows(
            f"MATCH (n {{tenant: '{tenant}'}}) RETURN labels(n) AS kinds, n.new AS new, n.old AS old ORDER BY new"
        )
        assert [(row["kinds"], row["new"], row["old"]) for row in rows] == [(["Renamed"], n, None) for n in range(1, 8)]
        indexes = {row["name"] for row in await directory.rows(_SCHEMA)}
        assert ("renamed_id" in indexes, "sample_id" in indexes) == (True, False)
    finally:
        for text in (
            f"MATCH (n {{tenant: '{tenant}'}}) DETACH DELETE n",
            "MATCH (m:Migration {name: 'migrations/999_rename'}) DELETE m",
            "DROP INDEX renamed_id IF EXISTS",
            "DROP INDEX sample_id IF EXISTS",
        ):
            await directory.rows(text)


async def test_migrations_that_the_baseline_contains_are_known(directory: Directory) -> None:
    """A later release may put its migrations into the baseline; databases with their names open."""
    contained = "migrations/001_contained"
    await directory.rows(f"CREATE (:Migration {{name: '{contained}', ran_at: datetime()}})")
    try:
        assert await migrate(directory.graph) == []
        assert (await seen_by_doctor(directory))["data version"].ok
    finally:
        await directory.rows(f"MATCH (m:Migration {{name: '{contained}'}}) DELETE m")


async def test_database_that_is_partly_migrated_is_refused_by_an_older_version(
    directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest migration has started and not finished; a version that does not know it must not start."""
    name = _RENAMING.name
    await directory.rows(f"CREATE (:Migration {{name: '{name}'}})")
    try:
        with pytest.raises(InstallError, match=name):
            await migrate(directory.graph)
        with monkeypatch.context() as patched:
            patched.setattr(schema_setup, "migrations", lambda: [*migrations(), _RENAMING])
            assert await migrate(directory.graph) == [name]
            assert await migrate(directory.graph) == []
    finally:
        await directory.rows(f"MATCH (m:Migration {{name: '{name}'}}) DELETE m")
        await directory.rows("DROP INDEX renamed_id IF EXISTS")


async def test_database_of_a_newer_version_is_refused_unchanged(directory: Directory) -> None:
    await directory.rows("MERGE (m:Migration {name: 'migrations/999_of_tomorrow'})")
    before = await directory.rows("MATCH (m:Migration) RETURN m.name AS name ORDER BY name")
    try:
        with pytest.raises(InstallError, match=r"newer Mnemoscene .*999_of_tomorrow.* restore"):
            await migrate(directory.graph)
        assert await directory.rows("MATCH (m:Migration) RETURN m.name AS name ORDER BY name") == before
        told = await seen_by_doctor(directory)
        assert (told["data version"].ok, "999_of_tomorrow" in told["data version"].finding) == (False, True)
    finally:
        await directory.rows("MATCH (m:Migration {name: 'migrations/999_of_tomorrow'}) DELETE m")


async def test_database_of_an_older_version_is_refused_unchanged(directory: Directory) -> None:
    """Its data have another shape: it would open with no sessions, and the older version could not read it again."""
    await directory.rows("MATCH (m:Migration) WHERE m.name > 'migrations/107_baseline' AND m.name < 'n' DELETE m")
    await directory.rows("MATCH (m:Migration {name: 'migrations/107_baseline'}) SET m.name = 'migrations/106_tags'")
    try:
        with pytest.raises(InstallError, match=r"older Mnemoscene .*106_tags.* export .* import"):
            await migrate(directory.graph)
        rows = await directory.rows("MATCH (m:Migration) WHERE m.name STARTS WITH 'migrations/' RETURN m.name AS name")
        assert [row["name"] for row in rows] == ["migrations/106_tags"]
        told = await seen_by_doctor(directory)
        assert (told["data version"].ok, "106_tags" in told["data version"].finding) == (False, True)
    finally:
        await directory.rows("MATCH (m:Migration {name: 'migrations/106_tags'}) SET m.name = 'migrations/107_baseline'")
        assert await migrate(directory.graph) == [migration.name for migration in migrations()]


async def seen_by_doctor(directory: Directory) -> dict[str, Check]:
    environ = {"MNEMOSCENE_DATA_DIR": str(directory.path)}
    settings = load_settings(environ=environ, here=directory.path, user_dir=directory.path)
    return {check.name: check for check in await examine_database(settings)}


async def test_doctor_reports_dead_letters(directory: Directory, tenant: str) -> None:
    sound = await seen_by_doctor(directory)
    assert [(check.name, check.finding) for check in sound.values() if check.ok is False] == []
    assert {"Neo4j answers", "clock", "data version", "jobs"} <= set(sound)
    await directory.rows(f"MERGE (:Tenant {{id: '{tenant}'}})")
    await directory.rows(f"CREATE (:Job {{tenant: '{tenant}', id: 'x', kind: 'extract', state: 'dead'}})")
    try:
        unwell = (await seen_by_doctor(directory))["jobs"]
    finally:
        await directory.rows("MATCH (j:Job {id: 'x'}) DELETE j")
    assert (unwell.ok, unwell.finding.split()[0], "jobs retry" in unwell.fix) == (False, "1", True)


@pytest.mark.slow
async def test_restored_backup_equals_the_original(directory: Directory, tmp_path: Path, tenant: str) -> None:
    """A running server is refused; the restored directory starts with the same graph, password and spool."""
    file, copy = tmp_path / "of-today.tar.gz", tmp_path / "copy"
    with pytest.raises(ConflictError, match=r"is running or starting.*mnemoscene db stop"):
        back_up(directory.path, file)
    assert not file.exists()
    await tell(directory.graph, tenant)
    before, schema = await graph_hash(directory.graph, tenant), await directory.rows(_SCHEMA)
    await directory.close()
    kept = back_up(directory.path, file)
    assert restore(file, copy) == kept
    again = await Directory.opened(copy)
    directory.graph, directory.server = again.graph, again.server
    assert await graph_hash(again.graph, tenant) == before
    assert await again.rows(_SCHEMA) == schema
    assert (copy / "password").read_text() == (directory.path / "password").read_text()
