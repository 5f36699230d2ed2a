"""Admins ask in Cypher over GraphQL, and mistakes come back with a code. Requirements E7, A6."""

from tests.api.test_graphql import Door, door

__all__ = ["door"]

CYPHER = """query($s: String!, $p: JSON, $rows: Int) {
  cypher(statement: $s, parameters: $p, rows: $rows) { columns rows cut tookMs } }"""


async def test_cypher_over_graphql_reads_and_never_writes(door: Door) -> None:
    read = "UNWIND $names AS name RETURN name, datetime('2026-05-01T00:00Z') AS at"
    answer = (await door.ask(CYPHER, s=read, p={"names": ["茶", "tea"]}, rows=1))["data"]["cypher"]
    assert (answer["columns"], answer["rows"]) == (["name", "at"], [["茶", "2026-05-01T00:00:00Z"]])
    assert answer["cut"] == "only the first 1 rows"
    for statement, parameters in (("CREATE (n:Stray) RETURN n", {}), ("RETURN 1", ["no object"])):
        (error,) = (await door.ask(CYPHER, s=statement, p=parameters))["errors"]
        assert error["extensions"]["code"] == "BAD_INPUT", error
