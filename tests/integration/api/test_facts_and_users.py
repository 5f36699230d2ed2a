"""Test through GraphQL: lists of facts with conditions, lists of users, and versions of facts."""

import asyncio
from typing import Any

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
FACTS = """query ($session: String, $agent: String, $tags: [String!], $category: ProfileCategory, $text: String,
  $where: JSON, $at: DateTime, $closed: Boolean! = false, $first: Int! = 50, $after: String) {
  facts(userId: "ana", sessionId: $session, agentId: $agent, tags: $tags, category: $category, text: $text,
    where: $where, validAt: $at, includeClosed: $closed, first: $first, after: $after) {
    nodes { statement subject { name } object { name } } pageInfo { hasNextPage endCursor } } }"""
VERSIONS = '{ facts(userId: "ana") { nodes { id statement version createdAt updatedAt } } }'
UPDATE = """mutation ($id: String!, $statement: String!, $version: Int) {
  updateFact(id: $id, statement: $statement, ifVersion: $version) { factId } }"""


async def run(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    memory = a_memory(graph)
    context = {"memory": memory, "tenant": TenantId(tenant)}
    return await graphql_schema.execute(query, variable_values=variables, context_value=context)


async def ask(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    answer = await run(graph, tenant, query, **variables)
    assert answer.errors is None, answer.errors
    return next(iter(answer.data.values()))


def a_fact(predicate: str, obj: str, relation: str | None = None, subject: str = "user") -> dict[str, Any]:
    return {
        "subject": subject,
        "predicate": predicate,
        "relation": relation,
        "object": obj,
        "statement": f"{subject} {relation or predicate.lower()} {obj}",
    }


async def tell(
    graph: Graph, tenant: str, session: str, day: int, *facts: dict[str, Any], tags: tuple[str, ...] = (), **more: Any
) -> None:
    message = {"role": "USER", "text": f"Note {day}.", "time": f"2026-03-{day:02}T12:00:00Z", "tags": list(tags)}
    message |= {"metadata": {"day": day}} if day != 3 else {}
    given = {"userId": "ana", "sessionId": session, "messages": [message], "facts": list(facts), **more}
    await ask(graph, tenant, REMEMBER, i=given)
    await a_worker(graph).drain()


async def objects(graph: Graph, tenant: str, **given: Any) -> list[str]:
    return [fact["object"]["name"] for fact in (await ask(graph, tenant, FACTS, **given))["nodes"]]


async def test_facts_are_listed_by_session_agent_tag_category_text_and_time(graph: Graph, tenant: str) -> None:
    """Also those about others, and with the conditions before the page."""
    await tell(graph, tenant, "one", 1, a_fact("PREFERS", "jasmine tea"), tags=("Food",), agentId="butler")
    await tell(graph, tenant, "two", 2, a_fact("RELATES_TO", "Acme", "works at", "Bob"), a_fact("PREFERS", "茉莉花茶"))
    await tell(graph, tenant, "two", 3, a_fact("RELATES_TO", "Porto", "lives in"), tags=("home",))
    await tell(graph, tenant, "two", 4, a_fact("RELATES_TO", "Lisbon", "lives in"), tags=("home",))
    everything = ["Lisbon", "Acme", "茉莉花茶", "jasmine tea"]
    assert sorted(await objects(graph, tenant)) == sorted(everything)
    assert (await objects(graph, tenant))[0] == "Lisbon"
    assert await objects(graph, tenant, session="one") == ["jasmine tea"]
    assert await objects(graph, tenant, agent="butler") == ["jasmine tea"]
    assert await objects(graph, tenant, tags=["food", "home"]) == ["Lisbon", "jasmine tea"]
    assert await objects(graph, tenant, tags=["food"], session="two") == []
    assert await objects(graph, tenant, category="PERSONAL") == ["Lisbon"]
    assert await objects(graph, tenant, category="PREFERENCES", text="茶") == ["茉莉花茶"]
    assert await objects(graph, tenant, text="BOB") == ["Acme"], "the name of the subject"
    assert await objects(graph, tenant, text="works AT") == ["Acme"], "the statement"
    assert await objects(graph, tenant, at="2026-03-03T18:00:00Z", category="PERSONAL") == ["Porto"]
    assert await objects(graph, tenant, tags=["home"], closed=True) == ["Lisbon", "Porto"]
    assert sorted(await objects(graph, tenant, where={"day": {"lt": 4}})) == ["Acme", "jasmine tea", "茉莉花茶"]
    assert await objects(graph, tenant, where={"day": 1}) == ["jasmine tea"]
    assert await objects(graph, tenant, where={"NOT": {"day": {"gt": 0}}}, closed=True) == ["Porto"]
    assert await objects(graph, tenant, where={"day": 4}, category="PREFERENCES") == []
    seen: list[str] = []
    after = None
    while True:
        page = await ask(graph, tenant, FACTS, category="PREFERENCES", first=1, after=after)
        seen += [fact["object"]["name"] for fact in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == ["茉莉花茶", "jasmine tea"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"first": 0}, "BAD_INPUT"),
        ({"text": ""}, "BAD_INPUT"),
        ({"where": {"n": {"$gt": 1}}}, "BAD_INPUT"),
        ({"tags": ["#"]}, "BAD_INPUT"),
        ({"session": "\x01"}, "BAD_INPUT"),
        ({"after": "x"}, "BAD_INPUT"),
        ({}, "NOT_FOUND"),
    ],
)
async def test_invalid_conditions_and_unknown_users_are_refused(
    graph: Graph, tenant: str, given: dict[str, Any], code: str
) -> None:
    answer = await run(graph, tenant, FACTS, **given)
    assert [error.extensions["code"] for error in answer.errors] == [code]


async def test_users_are_listed_by_the_beginning_of_their_ids(graph: Graph, tenant: str) -> None:
    message = {"role": "USER", "text": "Hello.", "time": "2026-03-01T12:00:00Z"}
    for user in ("anna", "ana", "Ana", "张伟", "ben"):
        given = {"userId": user, "userName": user.title(), "sessionId": "s", "messages": [message]}
        await ask(graph, tenant, REMEMBER, i=given)
    query = """query ($p: String! = "", $first: Int! = 50, $after: String) {
      users(prefix: $p, first: $first, after: $after) {
        nodes { userId name firstSeen lastSeen } pageInfo { hasNextPage endCursor } } }"""
    found = (await ask(graph, tenant, query))["nodes"]
    assert [user["userId"] for user in found] == ["Ana", "ana", "anna", "ben", "张伟"]
    assert found[2] == {
        "userId": "anna",
        "name": "Anna",
        "firstSeen": found[2]["firstSeen"],
        "lastSeen": found[2]["lastSeen"],
    }
    assert found[2]["firstSeen"].startswith("2026-03-01")
    assert [user["userId"] for user in (await ask(graph, tenant, query, p="an"))["nodes"]] == ["ana", "anna"]
    page = await ask(graph, tenant, query, p="an", first=1)
    assert page["pageInfo"]["hasNextPage"]
    page = await ask(graph, tenant, query, p="an", first=1, after=page["pageInfo"]["endCursor"])
    assert ([user["userId"] for user in page["nodes"]], page["pageInfo"]["hasNextPage"]) == (["anna"], False)
    assert (await ask(graph, f"{tenant}-2", query))["nodes"] == []
    answer = await run(graph, tenant, query, p="\x00")
    assert [error.extensions["code"] for error in answer.errors] == ["BAD_INPUT"]


async def test_only_one_of_two_updates_of_the_same_version_is_stored(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "one", 1, a_fact("RELATES_TO", "Porto", "lives in"))
    (fact,) = (await ask(graph, tenant, VERSIONS))["nodes"]
    assert fact["createdAt"] <= fact["updatedAt"]
    status = "query ($id: String!) { fact(id: $id) { id version createdAt updatedAt } }"
    assert await ask(graph, tenant, status, id=fact["id"]) == {name: fact[name] for name in fact if name != "statement"}
    memory = a_memory(graph)
    context = {"memory": memory, "tenant": TenantId(tenant)}

    async def update(statement: str, version: int) -> list[str]:
        variables = {"id": fact["id"], "statement": statement, "version": version}
        answer = await graphql_schema.execute(UPDATE, variable_values=variables, context_value={**context})
        return [error.extensions["code"] for error in answer.errors or ()]

    words = ("Ana lives in Porto, by the river.", "Ana lives in Porto, near the bridge.")
    codes = await asyncio.gather(*(update(text, fact["version"]) for text in words))
    assert sorted(codes) == [[], ["CONFLICT"]]
    (changed,) = (await ask(graph, tenant, VERSIONS))["nodes"]
    assert changed["statement"] == words[codes.index([])]
    assert changed["version"] > fact["version"]
    assert (changed["createdAt"], changed["updatedAt"] > fact["updatedAt"]) == (fact["createdAt"], True)
    assert await update("Ana lives in Porto again.", changed["version"]) == []


async def test_a_refused_correction_names_what_the_caller_sent(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, "s", 1, a_fact("RELATES_TO", "Lisbon", "lives in"))
    fact = (await ask(graph, tenant, VERSIONS))["nodes"][0]
    update = """mutation ($id: String!, $statement: String, $object: String) {
      updateFact(id: $id, statement: $statement, object: $object) { factId } }"""
    add = """mutation ($object: String!) { addFact(input: {
      userId: "ana", predicate: "RELATES_TO", object: $object, statement: "So it is."}) { factId } }"""

    async def refusal(query: str, **given: Any) -> str:
        (error,) = (await run(graph, tenant, query, **given)).errors
        assert error.extensions["code"] == "BAD_INPUT"
        return str(error.message)

    words = "Ana lives in ana."
    assert "object is 'ana', which is the fact's subject" in await refusal(
        update, id=fact["id"], statement=words, object="ana"
    )
    both = "nothing was stored: subject and object are both 'user'; name two different ones"
    assert await refusal(update, id=fact["id"], statement=words, object="user") == both
    assert await refusal(add, object="user") == both
    empty = "nothing was stored: {} is empty; leave it out or write something"
    assert await refusal(update, id=fact["id"], statement=" ") == empty.format("statement")
    assert await refusal(update, id=fact["id"], statement="Ana lives.", object="") == empty.format("object")
    assert (await ask(graph, tenant, VERSIONS))["nodes"] == [fact]


@pytest.mark.parametrize(
    "listed", ["facts", "entities", "scenes", "sessions", "users", "jobs", "deadLetters", "changesSince"]
)
async def test_refused_page_size_is_named_first_as_the_argument(graph: Graph, tenant: str, listed: str) -> None:
    await tell(graph, tenant, "s", 1, a_fact("PREFERS", "tea"))
    of = {"users": "", "jobs": "", "deadLetters": "", "changesSince": "seq: 0,"}.get(listed, 'userId: "ana",')
    (error,) = (await run(graph, tenant, f"{{ {listed}({of} first: 0) {{ pageInfo {{ hasNextPage }} }} }}")).errors
    assert str(error.message).startswith("first is 0; use 1 to ")
