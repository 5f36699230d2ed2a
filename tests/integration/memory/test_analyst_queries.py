"""Test Cypher queries of analysts, their limits, and the documents for analysts."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph import read_only_query as free_query
from graph_service.graph.read_only_query import Caps
from graph_service.graph.store import Graph
from graph_service.memory.analyst_queries import Analyst, AnalystStatement, json_ready
from graph_service.memory.recall.query import Question
from schema.errors import InputError, UnavailableError
from schema.graph_model import graph_model, graph_model_document
from schema.ids import TenantId
from schema.labels import Label
from schema.predicates import whitelist
from tests.integration.memory.export_import.bilingual_memory import TENANT, bilingual
from tests.support.builders import a_dead_graph, a_memory

__all__ = ["bilingual"]

DOCS = Path(__file__).parents[3] / "docs"
COOKBOOK = (DOCS / "cookbook.md").read_text("utf-8")
RECIPES = re.findall(r"^([^\n]+)\n\n```cypher\n(.*?)^```$", COOKBOOK, re.MULTILINE | re.DOTALL)
VALUES = {"user": "ana", "day": "2020-06-01", "one": "Ana", "other": "Lisbon", "words": "tea"}


async def asked(graph: Graph, statement: str, caps: Caps | None = None, **parameters: Any) -> list[list[Any]]:
    question = AnalystStatement(statement=statement, parameters={"tenant": TENANT, **parameters})
    return json_ready((await Analyst(graph, caps).ask(question)).rows)


@pytest.mark.parametrize(("about", "statement"), RECIPES, ids=[about[:40] for about, _ in RECIPES])
async def test_each_recipe_of_the_cookbook_returns_rows(bilingual: Graph, about: str, statement: str) -> None:
    rows = await asked(bilingual, statement, **VALUES)
    assert rows, about


def test_cookbook_has_at_least_twenty_recipes() -> None:
    assert len(RECIPES) >= 20
    assert len(RECIPES) == COOKBOOK.count("```cypher")


async def test_recipes_work_on_chinese_data(bilingual: Graph) -> None:
    recipes = {about.split(":")[0].split(",")[0]: text for about, text in RECIPES}
    rows = await asked(bilingual, recipes["Currently valid facts"], user="张曼婷")
    assert {"绘画", "品茶", "上海"} <= {row[2] for row in rows}
    found = await asked(bilingual, recipes["Messages with a word"], words="花生")
    assert [row[2] for row in found] == ["我对花生过敏。"]


def test_documented_graph_model_is_that_of_the_schema() -> None:
    """After an intended change run `python -m schema.graph_model > docs/graph-model.md`."""
    assert graph_model_document() == (DOCS / "graph-model.md").read_text("utf-8")
    assert set(graph_model().nodes) == set(Label)


async def test_graph_model_names_every_stored_property(bilingual: Graph) -> None:
    nodes = await asked(
        bilingual, "MATCH (n {tenant: $tenant}) UNWIND labels(n) AS l UNWIND keys(n) AS k RETURN DISTINCT l, k"
    )
    model = graph_model()
    of_map = set(model.nodes[Label.MEMORY].properties)
    stray = [
        (label, name)
        for label, name in nodes
        if label != Label.MEMORY and name not in {*model.nodes[Label(label)].properties, *of_map}
    ]
    assert stray == []
    edges = await asked(bilingual, "MATCH ({tenant: $tenant})-[r]->() UNWIND keys(r) AS k RETURN DISTINCT type(r), k")
    assert [(kind, name) for kind, name in edges if kind not in whitelist() or name not in model.facts] == []
    kinds = await asked(bilingual, "MATCH ({tenant: $tenant})-[r]->() RETURN DISTINCT type(r)")
    assert {kind for (kind,) in kinds} <= {*whitelist(), *model.links}


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("CREATE (:User {tenant: 'x'})", "writes"),
        ("MATCH (u:User) SET u.name = 'x'", "writes"),
        ("CALL { CREATE (:User) } RETURN 1", "writes"),
        ("/* MATCH */ MATCH (n) DETACH DELETE n", "writes"),
        ("CREATE INDEX stray FOR (n:User) ON n.name", "schema"),
        ("ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'", "server"),
        ("LOAD CSV FROM 'file:///etc/hostname' AS row RETURN row", "LOAD CSV"),
        ("SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t", "refused"),
        ("CALL dbms.listConfig() YIELD name RETURN name", "dbms.listConfig is refused"),
        ("CALL db.awaitIndexes(1)", "db.awaitIndexes is refused"),
        ("EXPLAIN MATCH (n) RETURN n", "leave out EXPLAIN"),
        ("RETURN 1; RETURN 2", "one statement"),
        ("SHOW SETTINGS", "server"),
        ("SHOW TRANSACTIONS", "server"),
        ("SHOW PROCEDURES", "server"),
        ("SHOW FUNCTIONS YIELD name RETURN name", "server"),
        ("SHOW INDEXES", "server"),
        ("SHOW DATABASES", "server"),
        ("TERMINATE TRANSACTION 'neo4j-transaction-1'", "other users' transactions"),
        ("USE neo4j RETURN 1", "begins with one of"),
        ("CYPHER runtime=slotted RETURN 1", "only the version"),
        ("CYPHER 25 EXPLAIN RETURN 1", "leave out EXPLAIN"),
        ("/* a */ PROFILE RETURN 1", "leave out EXPLAIN"),
        ("CALL () { RETURN 1 AS a } IN TRANSACTIONS RETURN a", "IN TRANSACTIONS"),
        ("RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'file:///etc/hostname' AS row RETURN row }]", "LOAD CSV"),
        ("RETURN [x IN [1] | COLLECT { LOAD/**/csv FROM 'http://127.0.0.1/' AS row RETURN row }]", "LOAD CSV"),
        (
            "RETURN [x IN [1] | COUNT { CALL dbms . `components`() YIELD name RETURN name }]",
            "dbms.components is refused",
        ),
        ("RETURN apoc.cypher.runFirstColumnMany('RETURN 1', {})", "apoc.cypher.runFirstColumnMany is refused"),
        ("MATCH (m:Message) WHERE m.text =~ '(a+)+b' RETURN m", "=~ needs"),
        ("MATCH (m:Message) WHERE m.text =~ '.*' + '.*' + '.*c' RETURN m", "=~ needs"),
        ("MATCH (m:Message) WHERE m.text =~ $words RETURN m", "=~ needs"),
        (f"RETURN {'[' * 3_000}1{']' * 3_000}", "nested more than"),
        (f"RETURN {'CASE WHEN true THEN ' * 100}1{' END' * 100}", "nested more than"),
        (f"RETURN {'NOT ' * 100}true", "in a row"),
        (f"WITH [1] AS a {'WITH [a] AS a ' * 500}RETURN a", "too many clauses"),
        (f"RETURN {'1+' * 1_000}1", "operators"),
        ("RETURN \\u0031", "write the character itself"),
        ("\\u0053HOW SETTINGS", "write the character itself"),
        ("RETURN 'not over", "unterminated"),
        ("RETURN 1 /* not over", "unterminated"),
        ("RETURN '\ud800'", "lone surrogate"),
        (f"RETURN '{'x' * 30_000}'", "more than 20,000 characters"),
        ("MATCH (u:User RETURN u", "Invalid input"),
        ("RETURN $nobody", "nobody"),
        ("  ", "empty"),
    ],
)
async def test_statement_that_is_not_read_only_is_refused_with_the_reason(
    bilingual: Graph, statement: str, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        await asked(bilingual, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN 'a;b' AS `x;y`, \"it's\" AS z;",
        "CYPHER 5 MATCH (n {tenant: $tenant}) RETURN count(n)",
        "// SHOW SETTINGS\nRETURN 'LOAD CSV' AS `SHOW`, {load: 1, call: 2} AS m",
        "UNWIND range(1, toInteger('3')) AS i RETURN sum(i)",
        "RETURN [x IN range(0, 4) WHERE x IN [1, 2] | x * 2]",
        "MATCH (n {tenant: $tenant}) WHERE n.name =~ '(?i)ana.*' RETURN n.name",
        "MATCH (n {tenant: $tenant}) WHERE EXISTS { (n)-->() } RETURN labels(n), COUNT { (n)--() } LIMIT 3",
        "CALL db.labels() YIELD label RETURN label UNION MATCH (n {tenant: $tenant}) RETURN n.id AS label LIMIT 2",
        "MATCH p = shortestPath((a:User {tenant: $tenant})-[*..3]-(b:Entity {tenant: $tenant})) RETURN length(p)",
        "MATCH (a:User {tenant: $tenant})-[r]->{1,2}(b) RETURN a.name, b.name ORDER BY b.name SKIP 1 LIMIT 2",
        "RETURN date('2026-01-01') + duration('P1D') AS d, datetime.truncate('day', datetime()) AS t",
        "LET x = 1 FILTER x > 0 RETURN x",
        "RETURN reduce(s = 0, x IN range(1, 9) | s + x) AS s, [x IN [1, 2] WHERE any(y IN [1] WHERE x = y)] AS found",
        "MATCH (n {tenant: $tenant}) WITH collect(n.id) AS a RETURN size([x IN a WHERE x IN a | x + '.']) AS n",
    ],
)
async def test_read_only_statement_is_accepted(bilingual: Graph, statement: str) -> None:
    await asked(bilingual, statement)


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"n": 2**63}, "64 bits"),
        ({"n": "\ud800"}, "lone surrogate"),
        ({"\ud800": 1}, "lone surrogate"),
        ({"n": object()}, "a parameter is a object"),
        ({"n": "x" * 2**21}, "bytes and be nested"),
    ],
)
async def test_parameters_that_cannot_be_sent_are_refused(
    bilingual: Graph, parameters: dict[str, Any], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        await Analyst(bilingual).ask(AnalystStatement(statement="RETURN 1", parameters=parameters))


async def test_deeply_nested_parameters_are_refused(bilingual: Graph) -> None:
    deep: Any = 1
    for _ in range(2_000):
        deep = [deep]
    with pytest.raises(InputError, match="nested 16 deep"):
        await Analyst(bilingual).ask(AnalystStatement(statement="RETURN $n", parameters={"n": deep}))


@pytest.mark.slow
async def test_statement_that_neo4j_cannot_stop_keeps_its_slot(bilingual: Graph) -> None:
    """Neo4j does not look for a stop within an expression."""
    analyst = Analyst(bilingual, Caps(timeout_s=0.5))
    runaway = "RETURN reduce(s = 0, x IN range(1, 150000000) | s + x)"
    for _ in range(2):
        with pytest.raises(InputError, match="stopped"):
            await analyst.ask(AnalystStatement(statement=runaway, parameters={}))
    left = await free_query.running(bilingual)
    # On a fast machine the first may have ended; the running ones are counted and keep their slots.
    assert analyst._slots._value <= 2 - left
    other = Analyst(bilingual)
    if left == 2 and await free_query.running(bilingual) == 2:
        with pytest.raises(UnavailableError, match="all slots are taken"):
            await other.ask(AnalystStatement(statement="RETURN 1", parameters={}))
    await asyncio.gather(*analyst._ending)
    assert (await free_query.running(bilingual), analyst._slots._value) == (0, 2)
    assert (await other.ask(AnalystStatement(statement="RETURN 1", parameters={}))).rows == [[1]]


async def test_cancelled_caller_ends_the_statement(bilingual: Graph) -> None:
    analyst = Analyst(bilingual)
    asking = asyncio.create_task(
        analyst.ask(AnalystStatement(statement="UNWIND range(1, 100000000000) AS n RETURN sum(n)", parameters={}))
    )
    while not await free_query.running(bilingual):
        assert not asking.done()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.gather(*analyst._ending)
    assert await free_query.running(bilingual) == 0


async def test_cartesian_product_is_stopped_and_the_next_recall_works(bilingual: Graph) -> None:
    caps = Caps(timeout_s=0.5)
    with pytest.raises(InputError, match=r"stopped after 0\.5 s"):
        await asked(bilingual, "UNWIND range(1, 1000000) AS n MATCH (a), (b), (c), (d) RETURN count(*)", caps)
    assert (await a_memory(bilingual).recall(TenantId(TENANT), Question(user_id="ana", text="tea"))).hits


async def test_results_are_limited_in_rows_and_bytes(bilingual: Graph) -> None:
    analyst = Analyst(bilingual, Caps(rows=7, bytes=50_000))
    few = await analyst.ask(AnalystStatement(statement="UNWIND range(1, 1000000000) AS n RETURN n", parameters={}))
    assert (len(few.rows), few.truncated) == (7, "only the first 7 rows")
    large = "WITH $text AS t UNWIND range(1, 5) AS n RETURN t + toString(n) AS text"
    cut = await analyst.ask(AnalystStatement(statement=large, parameters={"text": "x" * 16_000}))
    assert len(cut.rows) == 3
    assert "50,000 bytes" in str(cut.truncated)
    with pytest.raises(InputError, match="at most 7"):
        await analyst.ask(AnalystStatement(statement="RETURN 1", parameters={}, rows=8))


async def test_values_of_every_type_become_plain_ones(bilingual: Graph) -> None:
    row = await asked(
        bilingual,
        "MATCH p = (u:User {tenant: $tenant, user_id: 'ana'})-[f:PREFERS]->(e) "
        "RETURN u, f, p, datetime('2026-01-31T18:00+01:00'), date('2026-01-31'), duration('P1D'), [1, null], {a: 0.5}, "
        "point({x: 1, y: 2}), 0.0 / 0.0 LIMIT 1",
    )
    user, fact, path, *rest = row[0]
    assert (user["labels"], user["properties"]["user_id"]) == (["Memory", "User"], "ana")
    assert (fact["type"], path["relationships"]) == ("PREFERS", [fact])
    point = {"srid": 7203, "coordinates": [1.0, 2.0]}
    assert rest == ["2026-01-31T17:00:00Z", "2026-01-31", "P1D", [1, None], {"a": 0.5}, point, None]


async def test_unavailable_server_is_reported_as_such() -> None:
    with pytest.raises(UnavailableError, match="does not answer"):
        await asked(a_dead_graph(), "RETURN 1")
