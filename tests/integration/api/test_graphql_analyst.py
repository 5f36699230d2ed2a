"""Test Cypher queries of admins over GraphQL and their error codes."""

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import REMEMBER, Door, _said, door
from tests.support.builders import a_worker

__all__ = ["door"]

CYPHER = """query($s: String!, $p: JSON, $rows: Int) {
  cypher(statement: $s, parameters: $p, rows: $rows) { columns rows truncated tookMs } }"""


async def test_cypher_over_graphql_reads_and_never_writes(door: Door) -> None:
    read = "UNWIND $names AS name RETURN name, datetime('2026-05-01T00:00Z') AS at"
    answer = (await door.ask(CYPHER, s=read, p={"names": ["茶", "tea"]}, rows=1))["data"]["cypher"]
    assert (answer["columns"], answer["rows"]) == (["name", "at"], [["茶", "2026-05-01T00:00:00Z"]])
    assert answer["truncated"] == "only the first 1 rows"
    for statement, parameters in (("CREATE (n:Stray) RETURN n", {}), ("RETURN 1", ["no object"])):
        (error,) = (await door.ask(CYPHER, s=statement, p=parameters))["errors"]
        assert error["extensions"]["code"] == "BAD_INPUT", error


EXPORT = "mutation($f: GraphFormat! = JSONL) { exportGraph(format: $f) { text nodes edges } }"
IMPORT = "mutation($t: String!) { importGraph(text: $t) { nodes edges users vectors } }"


async def test_a_tenant_goes_out_and_into_another_over_graphql(door: Door, graph: Graph, tenant: str) -> None:
    """Requirement F2: nobody gets another tenant's memory, or writes into it."""
    await door.ask(REMEMBER, input=_said("我喜欢喝茉莉花茶。"))
    await a_worker(graph).drain()
    out = (await door.ask(EXPORT))["data"]["exportGraph"]
    assert "茉莉花茶" in (await door.ask(EXPORT, f="GRAPHML"))["data"]["exportGraph"]["text"]
    stranger = Door(door._client, f"{tenant}-2")
    assert (await stranger.ask(EXPORT))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    taken = (await stranger.ask(IMPORT, t=out["text"]))["data"]["importGraph"]
    assert taken == {"nodes": out["nodes"], "edges": out["edges"], "users": ["alice"], "vectors": False}
    assert (await door.ask(IMPORT, t=out["text"]))["errors"][0]["extensions"]["code"] == "CONFLICT"
    (error,) = (await Door(door._client, f"{tenant}-3").ask(IMPORT, t="nonsense"))["errors"]
    assert error["extensions"]["code"] == "BAD_INPUT"
