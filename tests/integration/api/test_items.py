"""Test items through GraphQL: versions, search, filters, namespaces, expiry, and what other features do with them."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from graph_service.memory.items.store import Items
from graph_service.memory.service import Memory
from graph_service.memory.worker.item_upkeep import ItemUpkeep
from schema.ids import TenantId
from tests.support.builders import a_memory
from tests.support.embedders import HashedWords

PUT = """mutation ($items: [ItemInput!]!) { putItems(items: $items) {
  namespace key value version createdAt updatedAt expiresAt score } }"""
GET = """query ($ns: [String!]!, $key: String!, $user: String, $refresh: Boolean! = false) {
  item(namespace: $ns, key: $key, userId: $user, refreshTtl: $refresh) {
    value version createdAt updatedAt expiresAt } }"""
LIST = """query ($ns: [String!], $user: String, $query: String, $where: JSON, $first: Int! = 10, $offset: Int! = 0) {
  items(namespace: $ns, userId: $user, query: $query, where: $where, first: $first, offset: $offset) {
    namespace key value score } }"""
NAMESPACES = """query ($user: String, $prefix: [String!], $suffix: [String!], $depth: Int, $first: Int! = 100,
  $offset: Int! = 0) {
  itemNamespaces(userId: $user, prefix: $prefix, suffix: $suffix, maxDepth: $depth, first: $first, offset: $offset) }"""


class Door:
    """GraphQL of one tenant, with a clock that a test can move."""

    def __init__(self, graph: Graph, tenant: str) -> None:
        self.late = timedelta()
        self.tenant = TenantId(tenant)
        self.graph = graph
        self.memory: Memory = a_memory(graph)
        self.memory.items = Items(graph=graph, embedder=None, clock=self.now)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.late

    async def errors(self, query: str, /, **variables: Any) -> list[tuple[str, str]]:
        context = {"memory": self.memory, "tenant": self.tenant}
        answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
        return [(error.extensions["code"], error.message) for error in answer.errors or ()]

    async def ask(self, query: str, /, **variables: Any) -> Any:
        context = {"memory": self.memory, "tenant": self.tenant}
        answer = await graphql_schema.execute(query, variable_values=variables, context_value=context)
        assert answer.errors is None, answer.errors
        return next(iter(answer.data.values()))

    async def put(self, key: str, value: Any, *namespace: str, **more: Any) -> Any:
        items = [{"namespace": list(namespace or ("ns",)), "key": key, "value": value, **more}]
        return (await self.ask(PUT, items=items))[0]

    async def embed(self) -> None:
        upkeep = ItemUpkeep(self.graph, embedder=HashedWords(), clock=self.now)
        while await upkeep.embed_some():
            pass

    async def get(self, key: str, *namespace: str, user: str | None = None, refresh: bool = False) -> Any:
        return await self.ask(GET, ns=list(namespace or ("ns",)), key=key, user=user, refresh=refresh)

    async def keys(self, *namespace: str, **more: Any) -> list[str]:
        return [item["key"] for item in await self.ask(LIST, ns=list(namespace), **more)]


@pytest.fixture
def door(graph: Graph, tenant: str) -> Door:
    return Door(graph, tenant)


async def test_put_get_replace_and_delete(door: Door) -> None:
    assert await door.get("k") is None
    first = await door.put("k", {"text": "tea", "n": 1})
    assert (first["namespace"], first["key"], first["value"], first["version"]) == (
        ["ns"],
        "k",
        {"text": "tea", "n": 1},
        1,
    )
    nested = {"text": "coffee", "nested": {"a": [1, 2.5, {"b": None}], "big": 2**70, "": "", "half": "\ud83d"}}
    second = await door.put("k", nested)
    stored = await door.get("k")
    assert stored["value"] == nested
    assert (stored["version"], stored["createdAt"]) == (2, first["createdAt"])
    assert stored["updatedAt"] == second["updatedAt"] > first["updatedAt"]
    assert await door.put("k", None) is None
    assert await door.get("k") is None
    assert await door.put("k", None) is None
    assert (await door.put("k", 0))["version"] == 1
    assert (await door.get("k"))["value"] == 0


async def test_namespaces_and_keys_are_opaque_and_case_sensitive(door: Door) -> None:
    labels = ["sub/with slash", " ", "Ns", "ns", "日本語", "*", "x" * 200]
    keys = ["a/b", "ä ö", "日本語", "x" * 1_000, " ", "%2F", "#L2", "K", "k", '"', "]"]
    items = [{"namespace": ["top", label], "key": key, "value": f"{label}|{key}"} for label in labels for key in keys]
    await door.ask(PUT, items=items)
    for item in items:
        assert (await door.get(item["key"], *item["namespace"]))["value"] == item["value"]
    assert sorted(await door.keys("top", "Ns", first=100)) == sorted(keys)
    assert len(await door.keys("top", first=1000)) == len(items)
    found = await door.ask(NAMESPACES, prefix=["top"])
    assert sorted(found) == sorted(["top", label] for label in labels)


async def test_list_is_by_prefix_of_labels_last_updated_first_in_pages(door: Door) -> None:
    for number in range(25):
        await door.put(f"{number:02}", {"n": number}, "docs", "old" if number % 2 else "new")
    await door.put("other", 1, "docs2")
    await door.put("00", {"n": 0}, "docs", "new")
    pages = [await door.keys("docs", first=10, offset=offset) for offset in (0, 10, 20, 30)]
    assert [len(page) for page in pages] == [10, 10, 5, 0]
    assert pages[0][:3] == ["00", "24", "23"]
    assert len({key for page in pages for key in page}) == 25
    assert await door.keys("docs", "new", first=2) == ["00", "24"]
    assert len(await door.keys(first=100)) == 26


async def test_filters_apply_before_the_limit(door: Door) -> None:
    values = {"1": {"kind": "a", "n": 1}, "2": {"kind": "a", "n": 10}, "3": {"kind": "b", "n": 5.5, "m": {"x": 1}}}
    for key, value in values.items():
        await door.put(key, value)
    await door.put("list", [1, 2])
    many = {f"field {number}": number for number in range(150)}
    await door.put("many", {**many, "kind": "c"})
    for where, found in [
        ({"kind": "a"}, ["2", "1"]),
        ({"kind": {"ne": "a"}}, ["many", "list", "3"]),
        ({"n": {"gt": 5}}, ["3", "2"]),
        ({"n": {"lte": 5.5}, "kind": "b"}, ["3"]),
        ({"n": 10.0}, ["2"]),
        ({"m": {"eq": {"x": 1}}}, ["3"]),
        ({"m.x": {"in": [1, 2]}}, ["3"]),
        ({"field 149": 149, "kind": "c"}, ["many"]),
        ({"OR": [{"n": 1}, {"NOT": {"n": {"gt": 0}}}]}, ["many", "list", "1"]),
        ({"kind": "none"}, []),
    ]:
        assert await door.keys("ns", where=where) == found, where
    noise = [{"namespace": ["ns"], "key": f"noise {n}", "value": {"text": "tea", "odd": n % 2}} for n in range(200)]
    await door.ask(PUT, items=[{"namespace": ["ns"], "key": "z", "value": {"text": "tea", "odd": "rare"}}, *noise])
    assert await door.keys("ns", query="tea", where={"odd": {"contains": "rar"}}, first=1) == ["z"]
    assert await door.keys("ns", where={"odd": "rare"}, first=1) == ["z"]
    assert await door.keys("ns", where={"odd": {"gte": 1}}, first=3, offset=98) == ["noise 3", "noise 1"]
    assert [code for code, _ in await door.errors(LIST, ns=[], where={"n": {"$gt": 5}})] == ["BAD_INPUT"]


async def test_query_finds_words_and_meaning_and_no_other_text(door: Door) -> None:
    await door.put("tea", {"title": "green tea from Uji", "n": 3})
    await door.put("bike", {"title": "a bicycle with a flat tyre", "notes": {"inner": ["rides to work"]}})
    await door.put("茶", {"title": "宇治的绿茶很香"})
    await door.put("hidden", {"title": "green tea"}, index=[])
    await door.put("part", {"title": "green tea", "notes": [{"inner": "pencil"}]}, index=["notes.inner"])
    assert await door.keys("ns", query="green tea") == ["tea"]
    assert await door.keys("ns", query="绿茶") == ["茶"]
    assert await door.keys("ns", query="pencil") == ["part"]
    assert await door.keys("ns", query="rides") == ["bike"]
    assert await door.keys("ns", query="the of") == []
    await door.embed()
    door.memory.items = Items(graph=door.graph, embedder=HashedWords(), clock=door.now)
    found = await door.ask(LIST, ns=["ns"], query="from", first=10)
    assert found[0]["key"] == "tea", "the vector, because `from` is a stop word"
    assert 1 >= found[0]["score"] > found[1]["score"] > 0
    assert sorted(item["key"] for item in found) == sorted(["tea", "bike", "茶", "part"])
    await door.put("tea", {"title": "zzz"})
    scores = {item["key"]: item["score"] for item in await door.ask(LIST, ns=["ns"], query="from", first=10)}
    assert scores["tea"] == pytest.approx(0.5), "an old vector must not find a new text, which may be the right one"


async def test_namespaces_by_prefix_suffix_and_depth(door: Door) -> None:
    paths = ["a.b.c", "a.b.d.e", "a.b.d.i", "a.b.f", "a.c.f"]
    await door.ask(PUT, items=[{"namespace": ["r", *path.split(".")], "key": "k", "value": 1} for path in paths])
    await door.put("k", 1, "other")

    async def found(**given: Any) -> list[str]:
        return [".".join(labels) for labels in await door.ask(NAMESPACES, **given)]

    assert await found(prefix=["r", "a", "b"], depth=4) == ["r.a.b.c", "r.a.b.d", "r.a.b.f"]
    assert await found(prefix=["r"], suffix=["f"]) == ["r.a.b.f", "r.a.c.f"]
    assert await found(suffix=["d", "*"]) == ["r.a.b.d.e", "r.a.b.d.i"]
    assert await found(prefix=["r", "a", "*", "f"]) == ["r.a.b.f", "r.a.c.f"]
    assert await found(prefix=["*", "a"], first=2, offset=1) == ["r.a.b.d.e", "r.a.b.d.i"]
    assert await found(depth=1) == ["other", "r"]
    assert await found(prefix=["r", "a"], first=10, offset=4) == ["r.a.c.f"]


async def test_the_last_write_of_a_call_wins_and_a_wrong_version_writes_nothing(door: Door) -> None:
    answers = await door.ask(
        PUT,
        items=[
            {"namespace": ["ns"], "key": "k", "value": 1, "ifVersion": 0},
            {"namespace": ["ns"], "key": "k", "value": 2, "ifVersion": 1},
            {"namespace": ["ns"], "key": "gone", "value": 1},
            {"namespace": ["ns"], "key": "gone", "value": None},
        ],
    )
    assert [answer and (answer["value"], answer["version"]) for answer in answers] == [(1, 1), (2, 2), (1, 1), None]
    assert (await door.get("k"))["value"] == 2
    assert await door.get("gone") is None
    for if_version in (0, 1, 3):
        items = [
            {"namespace": ["ns"], "key": "new", "value": 1},
            {"namespace": ["ns"], "key": "k", "value": 3, "ifVersion": if_version},
        ]
        assert [code for code, _ in await door.errors(PUT, items=items)] == ["CONFLICT"]
    assert await door.get("new") is None
    assert (await door.put("k", 3, ifVersion=2))["version"] == 3
    together = [
        door.errors(PUT, items=[{"namespace": ["ns"], "key": "once", "value": n, "ifVersion": 0}]) for n in range(8)
    ]
    assert sum(not errors for errors in await asyncio.gather(*together)) == 1
    await asyncio.gather(*(door.put("all", number) for number in range(8)))
    assert (await door.get("all"))["version"] == 8


async def test_expired_items_are_gone_at_every_read_and_then_deleted(door: Door) -> None:
    await door.put("ttl", {"text": "for a moment"}, "exp", ttlS=60)
    await door.put("at", {"text": "for a moment"}, "exp", expiresAt=(door.now() + timedelta(seconds=90)).isoformat())
    await door.put("stays", {"text": "for a moment"}, "stays")
    door.late = timedelta(seconds=50)
    refreshed = await door.get("ttl", "exp", refresh=True)
    assert datetime.fromisoformat(refreshed["expiresAt"]) > door.now() + timedelta(seconds=55)
    assert (await door.get("ttl", "exp"))["expiresAt"] == refreshed["expiresAt"]
    assert await door.get("at", "exp", refresh=True)
    door.late = timedelta(seconds=100)
    assert await door.get("ttl", "exp")
    assert await door.get("at", "exp") is None
    door.late = timedelta(seconds=200)
    assert await door.get("ttl", "exp") is None
    assert await door.keys() == ["stays"]
    assert await door.keys(query="moment") == ["stays"]
    assert await door.ask(NAMESPACES) == [["stays"]]
    assert (await door.put("ttl", 1, "exp", ifVersion=0))["version"] == 1
    await ItemUpkeep(door.graph, embedder=None, clock=door.now).delete_expired()
    async with door.graph._driver.session() as session:
        rows = await (await session.run("MATCH (i:Item {tenant: $t}) RETURN i.key AS key", t=door.tenant)).data()
    assert sorted(row["key"] for row in rows) == ["stays", "ttl"]


async def test_items_of_the_tenant_and_of_each_user_are_apart(door: Door) -> None:
    await door.put("k", "tenant")
    await door.put("k", "ana", userId="ana")
    await door.put("k", "ben", userId="ben")
    assert [(await door.get("k", user=user))["value"] for user in (None, "ana", "ben")] == ["tenant", "ana", "ben"]
    assert await door.get("k", user="eve") is None
    for user in (None, "ana"):
        assert [item["value"] for item in await door.ask(LIST, user=user)] == [user or "tenant"]
        assert await door.ask(NAMESPACES, user=user) == [["ns"]]
    stats = "query ($u: String) { stats(userId: $u) { items } }"
    assert (await door.ask(stats))["items"] == 3
    assert (await door.ask(stats, u="ana"))["items"] == 1
    await door.ask('mutation { forgetUser(userId: "ana") { messages } }')
    assert await door.get("k", user="ana") is None
    assert (await door.ask(stats))["items"] == 2
    assert [code for code, _ in await door.errors('mutation { forgetUser(userId: "ana") { messages } }')] == [
        "NOT_FOUND"
    ]
    assert (await door.put("k", "again", userId="ana"))["version"] == 1


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"namespace": []}, "namespace"),
        ({"namespace": ["x"] * 21}, "namespace"),
        ({"namespace": ["a", ""]}, r"namespace[1]"),
        ({"namespace": ["x" * 201]}, "201"),
        ({"namespace": ["\x00"]}, "NUL"),
        ({"key": ""}, "key"),
        ({"key": "x" * 1_001}, "1,001"),
        ({"key": "\ud800"}, "surrogate"),
        ({"value": "x" * 1_048_577}, "1,048,579 bytes"),
        ({"value": [[1], float("nan")]}, "NaN"),
        ({"value": json.loads("[" * 101 + "]" * 101)}, "levels"),
        ({"userId": ""}, "userId"),
        ({"ttlS": 0}, "ttlS"),
        ({"ttlS": 1, "expiresAt": "2040-01-01T00:00:00Z"}, "exclude"),
        ({"expiresAt": "9999-12-31T00:00:00Z"}, "expiresAt"),
        ({"ifVersion": -1}, "ifVersion"),
        ({"index": ["x"] * 101}, "index"),
        ({"index": [""]}, "index"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
async def test_invalid_item_is_refused_and_nothing_of_the_call_is_stored(
    door: Door, given: dict[str, Any], named: str
) -> None:
    good = {"namespace": ["ns"], "key": "good", "value": 1}
    ((code, message),) = await door.errors(PUT, items=[good, {**good, "key": "bad", **given}])
    assert (code, named in message) == ("BAD_INPUT", True), message
    assert await door.keys() == []


@pytest.mark.parametrize(
    ("query", "given"),
    [
        (LIST, {"first": 0}),
        (LIST, {"first": 1_001}),
        (LIST, {"offset": -1}),
        (LIST, {"query": ""}),
        (LIST, {"ns": [""]}),
        (LIST, {"where": "x"}),
        (NAMESPACES, {"depth": 0}),
        (NAMESPACES, {"suffix": ["x"] * 21}),
        (NAMESPACES, {"user": "\x01"}),
        (GET, {"ns": [], "key": "k"}),
        (GET, {"ns": ["a"], "key": ""}),
        (PUT, {"items": []}),
        (PUT, {"items": [{"namespace": ["a"], "key": "k", "value": 1}] * 1_001}),
    ],
)
async def test_invalid_argument_is_bad_input(door: Door, query: str, given: dict[str, Any]) -> None:
    assert [code for code, _ in await door.errors(query, **given)] == ["BAD_INPUT"]


async def test_values_beyond_what_an_answer_may_hold_are_too_costly(door: Door) -> None:
    for number in range(3):
        await door.ask(
            PUT, items=[{"namespace": ["ns"], "key": f"{number} {n}", "value": "x" * 1_000_000} for n in range(6)]
        )
    assert len(await door.keys(first=16)) == 16
    ((code, message),) = await door.errors(LIST, first=18)
    assert (code, "smaller `first`" in message) == ("TOO_COSTLY", True)
