"""Test Cypher queries of admins over GraphQL and their error codes."""

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import REMEMBER, Api, _said, api
from tests.support.builders import a_worker

__all__ = ["api"]

CYPHER = """query($s: String!, $p: JSON, $rows: Int) {
  cypher(statement: $s, parameters: $p, rows: $rows) { columns rows truncated tookMs } }"""


async def test_cypher_over_graphql_is_read_only(api: Api) -> None:
    read = "UNWIND $names AS name RETURN name, datetime('2026-05-01T00:00Z') AS at"
    answer = (await api.ask(CYPHER, s=read, p={"names": ["茶", "tea"]}, rows=1))["data"]["cypher"]
    assert (answer["columns"], answer["rows"]) == (["name", "at"], [["茶", "2026-05-01T00:00:00Z"]])
    assert answer["truncated"] == "only the first 1 rows"
    for statement, parameters in (("CREATE (n:Stray) RETURN n", {}), ("RETURN 1", ["no object"])):
        (error,) = (await api.ask(CYPHER, s=statement, p=parameters))["errors"]
        assert error["extensions"]["code"] == "BAD_INPUT", error


EXPORT = "mutation($f: GraphFormat! = JSONL) { exportGraph(format: $f) { text nodes edges } }"
IMPORT = "mutation($t: String!) { importGraph(text: $t) { nodes edges users vectors } }"


async def test_export_and_import_over_graphql_copy_a_tenant(api: Api, graph: Graph, tenant: str) -> None:
    """No caller exports another tenant's memory or imports into it."""
    await api.ask(REMEMBER, input=_said("我喜欢喝茉莉花茶。"))
    await a_worker(graph).drain()
    out = (await api.ask(EXPORT))["data"]["exportGraph"]
    assert "茉莉花茶" in (await api.ask(EXPORT, f="GRAPHML"))["data"]["exportGraph"]["text"]
    stranger = Api(api._client, f"{tenant}-2")
    assert (await stranger.ask(EXPORT))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    taken = (await stranger.ask(IMPORT, t=out["text"]))["data"]["importGraph"]
    assert taken == {"nodes": out["nodes"], "edges": out["edges"], "users": ["alice"], "vectors": False}
    assert (await api.ask(IMPORT, t=out["text"]))["errors"][0]["extensions"]["code"] == "CONFLICT"
    (error,) = (await Api(api._client, f"{tenant}-3").ask(IMPORT, t="nonsense"))["errors"]
    assert error["extensions"]["code"] == "BAD_INPUT"
