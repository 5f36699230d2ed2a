"""Operations on a data directory: open older and newer data, back up and restore.

No stored message may be lost on the way.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
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
from graph_service.graph.schema_setup import migrate, migrations, prepare_vectors
from graph_service.graph.statements import migration_steps, statement
from graph_service.graph.store import Graph
from graph_service.memory.recall.pipeline import recall
from graph_service.memory.recall.query import Question
from graph_service.runtime.local_neo4j import KnownServer
from schema.errors import ConflictError, InstallError
from schema.ids import TenantId
from tests.conftest import TEST_DIM, TEST_MODEL, TEST_TOKEN_MODEL
from tests.integration.memory.worker.crash_story import STORY, tell
from tests.support.builders import NOON, a_worker
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


# The migrations of the last version before the baseline, by number.
_UNRELEASED = (
    *(*range(1, 29), 40, 41, *range(45, 51), *range(55, 61), *range(70, 74), 78, 79, 84, 85, 86, 90, 94),
    *range(97, 103),
)


async def names_of_migrations(directory: Directory) -> list[str]:
    rows = await directory.rows("MATCH (m:Migration) WHERE m.name STARTS WITH 'migrations/' RETURN m.name AS name")
    return sorted(row["name"] for row in rows)


async def pretend_unreleased(directory: Directory, numbers: Iterable[int]) -> None:
    """Replace the version of the data by rows of migrations from before the first release."""
    await directory.rows("MATCH (m:Migration) WHERE m.name STARTS WITH 'migrations/' DELETE m")
    await directory.rows(
        f"UNWIND {[f'migrations/{number:03d}_x' for number in numbers]} AS name CREATE (:Migration {{name: name}})"
    )


@pytest.mark.slow
async def test_database_of_the_last_unreleased_version_opens_with_its_data(directory: Directory, tenant: str) -> None:
    await prepare_vectors(directory.graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)
    await tell(directory.graph, tenant)
    before, schema = await graph_hash(directory.graph, tenant), await directory.rows(_SCHEMA)
    await pretend_unreleased(directory, _UNRELEASED)
    names = await names_of_migrations(directory)
    try:
        later = [one.name for one in migrations()]
        assert await migrate(directory.graph) == later
        assert (await names_of_migrations(directory), await directory.rows(_SCHEMA)) == (
            sorted([*names, *later]),
            schema,
        )
        assert await graph_hash(directory.graph, tenant) == before
        assert (await seen_by_doctor(directory))["data version"].ok
        await a_worker(directory.graph).drain()
        question = Question(user_id=STORY[0].user_id, text="Who likes jasmine tea?")
        assert (await recall(directory.graph, None, TenantId(tenant), question, now=NOON)).hits
    finally:
        await pretend_unreleased(directory, ())
        assert await migrate(directory.graph) == ["migrations/000_baseline", *(one.name for one in migrations())]


@pytest.mark.parametrize("missing", [(102,), range(98, 103), range(29, 103)])
async def test_database_of_an_older_unreleased_version_is_refused_unchanged(
    directory: Directory, missing: Iterable[int]
) -> None:
    await pretend_unreleased(directory, [number for number in _UNRELEASED if number not in missing])
    before = await names_of_migrations(directory)
    try:
        with pytest.raises(InstallError, match=r"before the first release .*mnemograph export.*mnemograph import"):
            await migrate(directory.graph)
        assert await names_of_migrations(directory) == before
    finally:
        await pretend_unreleased(directory, ())
        assert await migrate(directory.graph) == ["migrations/000_baseline", *(one.name for one in migrations())]


async def test_migration_103_renames_what_databases_from_before_the_first_release_hold(
    directory: Directory, tenant: str
) -> None:
    node = f"tenant: '{tenant}', id:"
    await directory.rows(
        f"CREATE (:Job {{{node} 's/read', kind: 'read'}}), (:Job {{{node} 'u/anew', kind: 'anew'}}),"
        f" (:Job {{{node} 's/close', kind: 'close'}}), (:SessionLife {{{node} 'l', why: 'idle'}}),"
        f" (:Usage {{tenant: '{tenant}', day: '2026-01-01', scenes_owed: 2}}),"
        f" (:HeldFact {{{node} 'h', closed_why: 'joined'}}),"
        f" (:Memory {{{node} 'a'}})-[:PREFERS {{{node} 'f', closed_why: 'over'}}]->(:Memory {{{node} 'b'}})"
    )
    try:
        for _ in range(2):
            await directory.graph.define(statement("migrations/103_plain_names"), {})
        jobs = await directory.rows(
            f"MATCH (j:Job {{tenant: '{tenant}'}}) RETURN j.id AS id, j.kind AS kind ORDER BY id"
        )
        assert [(row["id"], row["kind"]) for row in jobs] == [
            ("s/close", "close"),
            ("s/extract", "extract"),
            ("u/reextract", "reextract"),
        ]
        [facts] = await directory.rows(
            f"MATCH (h:HeldFact {{tenant: '{tenant}'}}), ()-[f:PREFERS {{tenant: '{tenant}'}}]->()"
            " RETURN h.closing_reason AS held, f.closing_reason AS fact, h.closed_why AS held_why, f.closed_why AS why"
        )
        assert facts == {"held": "merged", "fact": "ended", "held_why": None, "why": None}
        [others] = await directory.rows(
            f"MATCH (l:SessionLife {{tenant: '{tenant}'}}), (u:Usage {{tenant: '{tenant}'}})"
            " RETURN l.close_reason AS reason, l.why AS why, u.scenes_over_budget AS scenes, u.scenes_owed AS owed"
        )
        assert others == {"reason": "idle", "why": None, "scenes": 2, "owed": None}
    finally:
        await directory.rows(f"MATCH (n {{tenant: '{tenant}'}}) DETACH DELETE n")


# The names before migration 104: of node labels, of properties by label, and of indexes.
_LABELS_BEFORE_104 = {
    "MemberEntity": "HeldEntity",
    "MemberFact": "HeldFact",
    "RejectedMerge": "KeptApart",
    "SessionLifecycle": "SessionLife",
}
_FACT_NAMES_BEFORE_104 = {
    "assertions": "told",
    "corrections": "stated",
    "extracted": "read_as",
    "similarity_keys": "near",
    "ignored_closings": "reopened",
    "profile_exclusion": "profile_out",
}
_NAMES_BEFORE_104 = {
    "(x:HeldFact)": _FACT_NAMES_BEFORE_104,
    "()-[x:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]->()": _FACT_NAMES_BEFORE_104,
    "(x:User)": {"declared_names": "called", "declared_since": "called_since"},
    "(x:Scene)": {"abstract_by": "layers_by", "overview_pending": "overview_owed", "fallback_reason": "owed"},
    "(x:Job)": {"enqueue_count": "wanted", "unavailable_service": "away"},
    "(x:Tenant)": {"tombstone_tenant": "marks_of"},
}
_SCHEMA_BEFORE_104 = """
DROP CONSTRAINT member_entity_id; DROP INDEX member_entity_name; DROP INDEX member_fact_id;
DROP INDEX member_fact_subject; DROP INDEX member_fact_object; DROP CONSTRAINT rejected_merge_id;
DROP INDEX rejected_merge_user;
DROP CONSTRAINT session_lifecycle_id; DROP INDEX session_lifecycle_idle; DROP INDEX session_lifecycle_user;
DROP INDEX job_unavailable_service;
CREATE CONSTRAINT held_entity_id FOR (n:HeldEntity) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX held_entity_name FOR (n:HeldEntity) ON (n.tenant, n.user_id, n.key);
CREATE INDEX held_fact_id FOR (n:HeldFact) ON (n.tenant, n.id);
CREATE INDEX held_fact_subject FOR (n:HeldFact) ON (n.tenant, n.subject_id);
CREATE INDEX held_fact_object FOR (n:HeldFact) ON (n.tenant, n.object_id);
CREATE CONSTRAINT kept_apart_id FOR (n:KeptApart) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX kept_apart_user FOR (n:KeptApart) ON (n.tenant, n.user_id);
CREATE CONSTRAINT session_life_id FOR (n:SessionLife) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX session_life_idle FOR (n:SessionLife) ON (n.state, n.last_ms);
CREATE INDEX session_life_user FOR (n:SessionLife) ON (n.tenant, n.user_id, n.last_ms);
CREATE INDEX job_away FOR (j:Job) ON (j.away)
"""


async def undo_migration_104(directory: Directory) -> None:
    """Bring the database to the schema of the version before migration 104."""
    for text in _SCHEMA_BEFORE_104.split(";"):
        await directory.rows(text)
    await directory.rows(
        "MATCH (n:MemberEntity)-[now:MEMBER_OF]->(root) CREATE (n)-[:STANDS_FOR]->(root) DELETE now RETURN count(*)"
    )
    for now, before in _LABELS_BEFORE_104.items():
        await directory.rows(f"MATCH (n:{now}) SET n:{before} REMOVE n:{now}")
    for pattern, names in _NAMES_BEFORE_104.items():
        for now, before in names.items():
            await directory.rows(f"MATCH {pattern} SET x.{before} = x.{now} REMOVE x.{now}")
    await directory.rows("MATCH (m:Migration {name: 'migrations/104_field_names'}) DELETE m")


@pytest.mark.parametrize("steps_done", slow_but([13], [0, 11, 13, 20, 25]))
async def test_migration_104_renames_everything_wherever_it_was_stopped_before(
    directory: Directory, tenant: str, steps_done: int
) -> None:
    """Two processes start at the same time on data of the version before, of which some was migrated already."""
    await prepare_vectors(directory.graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)
    await tell(directory.graph, tenant)
    await a_worker(directory.graph).drain()
    await directory.rows(
        f"MATCH (n:Memory:Entity {{tenant: '{tenant}'}}) WITH n LIMIT 1"
        f" CREATE (:MemberEntity {{tenant: '{tenant}', id: 'm', merge_id: 'x'}})-[:MEMBER_OF]->(n),"
        f" (:MemberFact {{tenant: '{tenant}', id: 'f', subject_id: 'm', object_id: 'o', predicate: 'PREFERS',"
        " assertions: ['a'], corrections: ['b'], extracted: 'c', similarity_keys: ['d'], ignored_closings: ['e'],"
        " profile_exclusion: 'full'}),"
        f" (:RejectedMerge {{tenant: '{tenant}', id: 'r', a_id: 'a', b_id: 'b'}}),"
        f" (:Job {{tenant: '{tenant}', id: 'j/embed', kind: 'embed', enqueue_count: 3, unavailable_service: 'model'}})"
    )
    before, schema = await everything(directory, tenant), await directory.rows(_SCHEMA)
    assert {"MemberEntity", "MemberFact", "RejectedMerge", "SessionLifecycle"} <= {label for label, _ in before}
    await undo_migration_104(directory)
    assert await everything(directory, tenant) != before
    try:
        for step in migration_steps(statement("migrations/104_field_names"))[:steps_done]:
            await directory.graph.define(step, {})
        await asyncio.gather(migrate(directory.graph), migrate(directory.graph))
        assert (await everything(directory, tenant), await directory.rows(_SCHEMA)) == (before, schema)
        assert await migrate(directory.graph) == []
        rows = await directory.rows("MATCH (m:Migration) WHERE m.ran_at IS NULL RETURN m.name AS name")
        assert [row["name"] for row in rows if "104" in row["name"]] == []
    finally:
        await directory.rows(f"MATCH (n {{tenant: '{tenant}'}}) DETACH DELETE n")


async def everything(directory: Directory, tenant: str) -> list[tuple[str, str]]:
    """Return labels or types with all properties of a tenant's nodes and relationships, sorted."""
    rows = await directory.rows(
        f"MATCH (n) WHERE n.tenant = '{tenant}' OR (n:Tenant AND n.id = '{tenant}')"
        " RETURN labels(n) AS kinds, properties(n) AS stored"
        f" UNION ALL MATCH (a {{tenant: '{tenant}'}})-[r]->(b)"
        " RETURN [type(r), a.id, b.id] AS kinds, properties(r) AS stored"
    )
    return sorted((str(row["kinds"][0]), str((row["kinds"], sorted(row["stored"].items())))) for row in rows)


async def test_database_that_is_partly_migrated_is_refused_by_an_older_version(
    directory: Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest migration has started and not finished; a version that does not know it must not start."""
    name = migrations()[-1].name
    await directory.rows(f"MATCH (m:Migration {{name: '{name}'}}) SET m.ran_at = null")
    known = migrations()[:-1]
    with monkeypatch.context() as patched:
        patched.setattr(schema_setup, "migrations", lambda: known)
        with pytest.raises(InstallError, match=name):
            await migrate(directory.graph)
    assert await migrate(directory.graph) == [name]
    assert await migrate(directory.graph) == []


async def test_database_of_a_newer_version_is_refused_unchanged(directory: Directory) -> None:
    await directory.rows("MERGE (m:Migration {name: 'migrations/999_of_tomorrow'})")
    before = await directory.rows("MATCH (m:Migration) RETURN m.name AS name ORDER BY name")
    try:
        with pytest.raises(InstallError, match=r"newer Mnemograph .*999_of_tomorrow.* restore"):
            await migrate(directory.graph)
        assert await directory.rows("MATCH (m:Migration) RETURN m.name AS name ORDER BY name") == before
        told = await seen_by_doctor(directory)
        assert (told["data version"].ok, "999_of_tomorrow" in told["data version"].finding) == (False, True)
    finally:
        await directory.rows("MATCH (m:Migration {name: 'migrations/999_of_tomorrow'}) DELETE m")


async def seen_by_doctor(directory: Directory) -> dict[str, Check]:
    settings = load_settings(environ={}, here=directory.path, user_dir=directory.path)
    server = KnownServer(uri=directory.server.uri, user="neo4j", password=directory.server.password)
    return {check.name: check for check in await examine_database(settings, server)}


async def test_doctor_reports_dead_letters(directory: Directory, tenant: str) -> None:
    sound = await seen_by_doctor(directory)
    assert [(check.name, check.finding) for check in sound.values() if check.ok is False] == []
    assert {"clock", "data version", "jobs"} <= set(sound)
    await directory.rows(f"MERGE (:Tenant {{id: '{tenant}'}})")
    await directory.rows(f"CREATE (:Job {{tenant: '{tenant}', id: 'x', kind: 'extract', state: 'dead'}})")
    try:
        unwell = (await seen_by_doctor(directory))["jobs"]
    finally:
        await directory.rows("MATCH (j:Job {id: 'x'}) DELETE j")
    assert (unwell.ok, unwell.finding.split()[0], "jobs retry" in unwell.fix) == (False, "1", True)


async def test_restored_backup_equals_the_original(directory: Directory, tmp_path: Path, tenant: str) -> None:
    """A running server is refused; the restored directory starts with the same graph, password and spool."""
    file, copy = tmp_path / "of-today.tar.gz", tmp_path / "copy"
    with pytest.raises(ConflictError, match=r"is running or starting.*mnemograph db stop"):
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
