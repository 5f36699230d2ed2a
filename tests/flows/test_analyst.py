"""Analysts ask in Cypher and cannot break anything; the documents for them tell the truth. Requirements E7, A6."""

import re
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph.free_query import Caps
from graph_service.graph.store import Graph
from graph_service.memory.analyst import Analyst, FreeQuestion, json_ready
from graph_service.memory.question import Question
from schema.errors import InputError, UnavailableError
from schema.graph_model import graph_model, graph_model_document
from schema.ids import TenantId
from schema.labels import Label
from schema.predicates import whitelist
from tests.builders import a_dead_graph, a_memory
from tests.flows.told_in_two_languages import TENANT, told

__all__ = ["told"]

DOCS = Path(__file__).parents[2] / "docs"
COOKBOOK = (DOCS / "cookbook.md").read_text("utf-8")
RECIPES = re.findall(r"^([^\n]+)\n\n```cypher\n(.*?)^```$", COOKBOOK, re.MULTILINE | re.DOTALL)
VALUES = {"user": "ana", "day": "2020-06-01", "one": "Ana", "other": "Lisbon", "words": "tea"}


async def asked(graph: Graph, statement: str, caps: Caps | None = None, **parameters: Any) -> list[list[Any]]:
    question = FreeQuestion(statement=statement, parameters={"tenant": TENANT, **parameters})
    return json_ready((await Analyst(graph, caps).ask(question)).rows)


@pytest.mark.parametrize(("about", "statement"), RECIPES, ids=[about[:40] for about, _ in RECIPES])
async def test_each_recipe_of_the_cookbook_finds_something(told: Graph, about: str, statement: str) -> None:
    rows = await asked(told, statement, **VALUES)
    assert rows, about


def test_the_cookbook_holds_at_least_twenty_recipes() -> None:
    assert len(RECIPES) >= 20
    assert len(RECIPES) == COOKBOOK.count("```cypher")


async def test_recipes_answer_chinese_as_well(told: Graph) -> None:
    recipes = {about.split(":")[0].split(",")[0]: text for about, text in RECIPES}
    rows = await asked(told, recipes["What holds now"], user="张曼婷")
    assert {"绘画", "品茶", "上海"} <= {row[2] for row in rows}
    found = await asked(told, recipes["Messages with a word"], words="花生")
    assert [row[2] for row in found] == ["我对花生过敏。"]


def test_the_documented_graph_model_is_the_one_of_the_schema() -> None:
    """When it differs on purpose: `python -m schema.graph_model > docs/graph-model.md` writes it anew."""
    assert graph_model_document() == (DOCS / "graph-model.md").read_text("utf-8")
    assert set(graph_model().nodes) == set(Label)


async def test_the_model_names_every_property_that_is_stored(told: Graph) -> None:
    nodes = await asked(
        told, "MATCH (n {tenant: $tenant}) UNWIND labels(n) AS l UNWIND keys(n) AS k RETURN DISTINCT l, k"
    )
    model = graph_model()
    of_map = set(model.nodes[Label.MEMORY].properties)
    stray = [
        (label, name)
        for label, name in nodes
        if label != Label.MEMORY and name not in {*model.nodes[Label(label)].properties, *of_map}
    ]
    assert stray == []
    edges = await asked(told, "MATCH ({tenant: $tenant})-[r]->() UNWIND keys(r) AS k RETURN DISTINCT type(r), k")
    assert [(kind, name) for kind, name in edges if kind not in whitelist() or name not in model.facts] == []
    kinds = await asked(told, "MATCH ({tenant: $tenant})-[r]->() RETURN DISTINCT type(r)")
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
        ("EXPLAIN MATCH (n) RETURN n", "leave EXPLAIN"),
        ("RETURN 1; RETURN 2", "one statement"),
        ("MATCH (u:User RETURN u", "Invalid input"),
        ("RETURN $nobody", "nobody"),
        ("  ", "empty"),
    ],
)
async def test_what_is_more_than_reading_is_refused_with_the_reason(told: Graph, statement: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        await asked(told, statement)


async def test_a_cartesian_product_is_stopped_and_the_next_recall_works(told: Graph) -> None:
    caps = Caps(timeout_s=0.5)
    with pytest.raises(InputError, match=r"stopped after 0\.5 s"):
        await asked(told, "UNWIND range(1, 1000000) AS n MATCH (a), (b), (c), (d) RETURN count(*)", caps)
    assert (await a_memory(told).recall(TenantId(TENANT), Question(user_id="ana", text="tea"))).hits


async def test_answers_are_cut_at_so_many_rows_and_bytes(told: Graph) -> None:
    analyst = Analyst(told, Caps(rows=7, bytes=50_000))
    few = await analyst.ask(FreeQuestion(statement="UNWIND range(1, 1000000000) AS n RETURN n", parameters={}))
    assert (len(few.rows), few.cut) == (7, "only the first 7 rows")
    large = "UNWIND range(1, 5) AS n RETURN reduce(t = 'x', i IN range(1, 14) | t + t) AS text"
    cut = await analyst.ask(FreeQuestion(statement=large, parameters={}))
    assert len(cut.rows) == 3
    assert "50,000 bytes" in str(cut.cut)
    with pytest.raises(InputError, match="at most 7"):
        await analyst.ask(FreeQuestion(statement="RETURN 1", parameters={}, rows=8))


async def test_values_of_every_type_come_as_plain_ones(told: Graph) -> None:
    row = await asked(
        told,
        "MATCH p = (u:User {tenant: $tenant, user_id: 'ana'})-[f:PREFERS]->(e) "
        "RETURN u, f, p, datetime('2026-01-31T18:00+01:00'), date('2026-01-31'), duration('P1D'), [1, null], {a: 0.5}, "
        "point({x: 1, y: 2}), 0.0 / 0.0 LIMIT 1",
    )
    user, fact, path, *rest = row[0]
    assert (user["labels"], user["properties"]["user_id"]) == (["Memory", "User"], "ana")
    assert (fact["type"], path["relationships"]) == ("PREFERS", [fact])
    point = {"srid": 7203, "coordinates": [1.0, 2.0]}
    assert rest == ["2026-01-31T17:00:00Z", "2026-01-31", "P1D", [1, None], {"a": 0.5}, point, None]


async def test_a_server_that_is_away_is_told_as_such() -> None:
    with pytest.raises(UnavailableError, match="does not answer"):
        await asked(a_dead_graph(), "RETURN 1")
