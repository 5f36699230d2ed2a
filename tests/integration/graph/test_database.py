"""Test connecting to a given server, and the messages when it is refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph import database, schema_setup
from graph_service.graph.database import connect, version_of
from graph_service.graph.schema_setup import migrate
from graph_service.graph.statements import parse_statement, statement
from graph_service.graph.store import Graph
from graph_service.memory.recall.query import Question
from schema.errors import InstallError, MnemosceneError, UnavailableError
from schema.ids import TenantId
from schema.predicates import fact_predicates, whitelist
from tests.conftest import Server
from tests.support.builders import a_memory
from tests.support.slow import slow_but


async def test_connect_older_server_is_refused_with_a_remedy(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test server is new enough, so the required version is raised above it."""
    monkeypatch.setattr(database, "OLDEST_VERSION", (2999, 1))
    with pytest.raises(InstallError, match="Upgrade it, or unset NEO4J_URI"):
        await connect(uri=server.uri, user=server.user, password=server.password, database=None)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2026.08.1", (2026, 8)),
        ("2026.02.0", (2026, 2)),
        ("5.26.1-aura", (5, 26)),
        ("4.4", (4, 4)),
        ("unknown", (0, 0)),
    ],
)
def test_version_of_reads_old_and_new_versions(text: str, version: tuple[int, int]) -> None:
    assert version_of(text) == version


async def test_connect_wrong_password_names_the_settings(server: Server) -> None:
    with pytest.raises(InstallError, match="NEO4J_PASSWORD"):
        await connect(uri=server.uri, user=server.user, password="not it", database=None)


@pytest.mark.parametrize("uri", ["ftp://localhost:7687", "localhost", "bolt://[::1"])
async def test_connect_invalid_uri_is_refused_with_an_example(uri: str) -> None:
    with pytest.raises(InstallError, match="bolt://host:7687"):
        await connect(uri=uri, user="neo4j", password="x", database=None)


async def test_connect_without_server_raises_unavailable() -> None:
    with pytest.raises(UnavailableError, match="no Neo4j answers"):
        await connect(uri="bolt://127.0.0.1:9", user="neo4j", password="x", database=None)


async def test_cluster_reads_from_its_leader_what_must_be_current(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single server with a routing table stands in for a cluster, which needs another edition."""
    one = await connect(uri=server.uri, user=server.user, password=server.password, database=None)
    uri = server.uri.replace("bolt:", "neo4j:")
    cluster = await connect(uri=uri, user=server.user, password=server.password, database=None)
    modes: dict[Graph, list[tuple[str, bool]]] = {one: [], cluster: []}
    for graph in (one, cluster):
        session, noted = graph._driver.session, modes[graph]

        def opened(session: Any = session, noted: Any = noted, **config: Any) -> Any:
            noted.append((config["default_access_mode"], "bookmark_manager" in config))
            return session(**config)

        monkeypatch.setattr(graph._driver, "session", opened)
    create = parse_statement("x/create", "// -> n\nCREATE (n:SampleRouted) DELETE n RETURN 1 AS n")
    current, late = (parse_statement("x/read", f"{header}// -> n\nRETURN 1 AS n") for header in ("", "// may lag\n"))
    try:
        for graph in (one, cluster):
            await graph.write(lambda writing: writing.run(create, {}))
            assert await graph.read(current, {}) == await graph.read(late, {}) == [{"n": 1}]
            async with graph.reading() as analyst:
                await (await analyst.run("RETURN 1")).consume()
        # Followers wait for what this process wrote.
        assert await cluster._bookmarks.get_bookmarks()
    finally:
        for graph in (one, cluster):
            await graph.close()
    assert modes[one] == [("WRITE", False), ("READ", False), ("READ", False), ("READ", False)]
    assert modes[cluster] == [("WRITE", True), ("WRITE", True), ("READ", True), ("READ", True)]


@pytest.mark.parametrize("rounds", slow_but([4], [4, 15]))
async def test_concurrent_processes_may_define_the_same_index(graph: Graph, rounds: int) -> None:
    """Regression: IF NOT EXISTS fails if another process creates the index after the check."""
    create = parse_statement("x/create", "CREATE INDEX sample_race IF NOT EXISTS FOR (n:SampleRace) ON (n.id)")
    drop = parse_statement("x/drop", "DROP INDEX sample_race IF EXISTS")
    try:
        for _ in range(rounds):
            await asyncio.gather(*(graph.define(create, {}) for _ in range(6)))
            await graph.define(drop, {})
    finally:
        await graph.define(drop, {})


@pytest.mark.slow
async def test_planning_a_statement_does_not_count_against_its_time_limit(
    server: Server, graph: Graph, tenant: str
) -> None:
    """Regression: on a slow machine the first question after a change of indexes was refused as unavailable.

    In the default run `test_embedder_change` asks after such changes, with the usual limit.
    """
    create = parse_statement("x/create", "CREATE INDEX sample_plans IF NOT EXISTS FOR (n:SamplePlans) ON (n.id)")
    drop = parse_statement("x/drop", "DROP INDEX sample_plans IF EXISTS")
    far = await connect(uri=server.uri, user=server.user, password=server.password, database=None, timeout_s=3)
    question = Question(user_id="ana", text="Who likes jasmine tea?")
    # The first execution on a new server takes seconds, too.
    assert (await a_memory(graph).recall(TenantId(tenant), question)).hits == ()
    try:
        # Both are made by another process, which `far` does not learn of; planning takes 5 s at least.
        for change in (create, drop):
            await graph.define(change, {})
            await graph.define(statement("schema/await_indexes"), {})
            assert (await a_memory(far).recall(TenantId(tenant), question)).hits == ()
    finally:
        await graph.define(drop, {})
        await far.close()


async def test_statement_that_exceeds_its_time_limit_is_sent_once(server: Server) -> None:
    far = await connect(uri=server.uri, user=server.user, password=server.password, database=None, timeout_s=2)
    sent: list[str] = []
    far.observer = lambda statement: sent.append(statement.name)
    slow = parse_statement("x/slow", "// hot\nUNWIND range(1, 100000000000) AS i RETURN count(i) AS n")
    try:
        with pytest.raises(UnavailableError, match="TransactionTimedOut"):
            await far.read(slow, {})
    finally:
        await far.close()
    assert sent == ["x/slow"]


async def test_migrate_creates_the_baseline_once_and_later_migrations_once(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await migrate(graph) == []
    sample = parse_statement(
        "migrations/999_sample", "CREATE INDEX sample_of_migrations IF NOT EXISTS FOR (n:Sample) ON (n.id)"
    )
    known = schema_setup.migrations()
    with monkeypatch.context() as patched:
        patched.setattr(schema_setup, "migrations", lambda: [*known, sample])
        try:
            assert await migrate(graph) == ["migrations/999_sample"]
            assert await migrate(graph) == []
        finally:
            for text in (
                "DROP INDEX sample_of_migrations IF EXISTS",
                "MATCH (m:Migration {name: 'migrations/999_sample'}) DELETE m",
            ):
                await graph.define(parse_statement("drop", text), {})


async def test_migrate_creates_exactly_the_listed_indexes_and_constraints(graph: Graph) -> None:
    """`schema_listing.json` was written by the 59 migrations that the baseline replaces."""
    listed = json.loads(Path(__file__).with_name("schema_listing.json").read_text(encoding="utf-8"))
    _list_later_predicates(listed)
    async with graph._driver.session() as session:
        indexes = await session.run(
            "SHOW INDEXES YIELD name, type, owningConstraint, createStatement"
            " WHERE type <> 'LOOKUP' AND owningConstraint IS NULL RETURN name, createStatement"
        )
        assert {name: text async for name, text in indexes} == listed["indexes"]
        constraints = await session.run("SHOW CONSTRAINTS YIELD name, createStatement")
        assert {name: text async for name, text in constraints} == listed["constraints"]


def _list_later_predicates(listed: dict[str, dict[str, Any]]) -> None:
    """Add what the predicates need that the vocabulary got after the listing was written."""
    first = ["PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO", "CAUSED_BY"]
    types = "|".join(f"`{name}`" for name in first), "|".join(f"`{name}`" for name in fact_predicates())
    listed["indexes"] = {name: text and text.replace(*types) for name, text in listed["indexes"].items()}
    for kind, ending, names in (
        ("constraints", "id", whitelist()),
        ("indexes", "unembedded", fact_predicates()),
    ):
        template = listed[kind][f"prefers_{ending}"]
        for name in names:
            text = template.replace("PREFERS", name).replace("prefers", name.lower())
            listed[kind].setdefault(f"{name.lower()}_{ending}", text)


async def test_a_predicate_added_to_the_vocabulary_gets_its_indexes_at_the_next_start(graph: Graph) -> None:
    """As after an upgrade from a version whose vocabulary had one predicate less."""
    await graph.define(statement("schema/drop_fact_words"), {})
    await graph.define(
        parse_statement(
            "x/older",
            "CREATE FULLTEXT INDEX fact_words IF NOT EXISTS FOR ()-[r:PREFERS|DISLIKES]-() ON EACH [r.statement]",
        ),
        {},
    )
    await graph.define(parse_statement("x/drop", "DROP CONSTRAINT cares_about_id IF EXISTS"), {})
    assert await migrate(graph) == ["vocabulary"]
    await test_migrate_creates_exactly_the_listed_indexes_and_constraints(graph)
    assert await migrate(graph) == []


async def test_read_transaction_cannot_write(graph: Graph) -> None:
    with pytest.raises(MnemosceneError):
        await graph.read(statement("schema/record_version"), {"name": "never"})
    assert "never" not in {row["name"] for row in await graph.read(statement("schema/applied_version"), {})}
