"""Test profiles on Neo4j: categories, limits, and facts that leave and return."""

from pathlib import Path
from typing import Any

import pytest_asyncio

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from schema.message import ProvidedFact
from schema.profile import ITEMS_MAX, Category
from tests.conftest import Server
from tests.integration.memory.facts.test_conflict_resolution import changed_because, say
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.cli_process import Home

FULL = "no longer in the profile: more important facts fill it"
_PROFILE = """query ($user: String!, $category: ProfileCategory) {
  profile(userId: $user, category: $category) {
    category limit omitted items { id uri statement object importance } } }"""


async def profile(graph: Graph, tenant: str, **variables: Any) -> dict[str, Any]:
    """Return Alice's profile over GraphQL, by category."""
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    asked = {"user": "alice", **variables}
    answer = await graphql_schema.execute(_PROFILE, variable_values=asked, context_value=context)
    assert answer.errors is None
    assert answer.data is not None
    return {part["category"]: part for part in answer.data["profile"]}


async def provide_facts(graph: Graph, tenant: str, *facts: ProvidedFact, session: str) -> None:
    call = an_incoming(f"what I know, {session}", facts=facts, session=session)
    await a_memory(graph).remember(TenantId(tenant), call)
    await a_worker(graph).drain()


def a_goal(number: int, importance: int) -> ProvidedFact:
    return ProvidedFact(
        subject="user",
        predicate="CARES_ABOUT",
        object=f"goal {number}",
        relation="goal",
        statement=f"Alice wants to reach goal {number}.",
        importance=importance,
    )


async def test_facts_are_assigned_to_categories_in_both_languages(graph: Graph, tenant: str) -> None:
    for day, text in enumerate(
        [
            "I live in Paris. I work at Acme. I love tea.",
            "My sister Anna works at Beta.",
            "我喜欢猫。",
            "我打算学钢琴。",
        ]
    ):
        await say(graph, tenant, text, day=day)
    parts = await profile(graph, tenant)
    held = {name: {item["object"] for item in part["items"]} for name, part in parts.items()}
    assert list(held) == [one.name for one in Category]
    assert "Paris" in held["PERSONAL"]
    assert "Acme" in held["WORK"]
    assert {"tea", "猫"} <= held["PREFERENCES"]
    assert "Anna" in held["RELATIONSHIPS"]
    assert held["GOALS"]
    [home] = [item for item in parts["PERSONAL"]["items"] if item["object"] == "Paris"]
    assert home["uri"] == f"memory://{tenant}/user/alice/profile/personal/{home['id']}"
    assert await profile(graph, tenant, category="WORK") == {"WORK": parts["WORK"]}


async def test_closed_fact_leaves_the_profile(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    await say(graph, tenant, "I moved to Oslo.", day=1)
    part = (await profile(graph, tenant))["PERSONAL"]
    assert ([item["object"] for item in part["items"]], part["omitted"]) == (["Oslo"], 0)


async def test_full_category_excludes_the_least_important_and_deletes_nothing(graph: Graph, tenant: str) -> None:
    most = ITEMS_MAX[Category.GOALS]
    await provide_facts(graph, tenant, *(a_goal(number, 5) for number in range(most)), session="s1")
    await provide_facts(graph, tenant, a_goal(most, 4), session="s2")
    await provide_facts(graph, tenant, a_goal(most + 1, 9), session="s3")
    part = (await profile(graph, tenant))["GOALS"]
    assert (len(part["items"]), part["limit"], part["omitted"]) == (most, most, 2)
    assert part["items"][0]["object"] == f"goal {most + 1}"
    assert len(await changed_because(graph, tenant, FULL)) == 2
    query = "MATCH ({tenant: $t})-[r:CARES_ABOUT]->() RETURN count(r) AS all, count(r.profile_exclusion) AS out"
    async with graph._driver.session() as session:
        counted = await (await session.run(query, t=tenant)).single(strict=True)
    assert (counted["all"], counted["out"]) == (most + 2, 2)


async def test_profile_is_empty_for_another_tenant_and_user(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, "I live in Paris.", day=0)
    for whose, user in ((f"{tenant}-other", "alice"), (tenant, "bob")):
        parts = await profile(graph, whose, user=user)
        assert [part["items"] for part in parts.values()] == [[]] * len(Category)


@pytest_asyncio.fixture(loop_scope="session")
async def tea_drinker(graph: Graph, tenant: str) -> str:
    """Return the id of a user who said what she likes."""
    await say(graph, tenant, "I love tea.", day=0)
    return "alice"


def test_profile_on_the_command_line(tea_drinker: str, server: Server, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {**server.environ, "MNEMOSCENE_TENANT": tenant})
    asked = ("profile", "--user", tea_drinker, "--category", "preferences")
    [part] = home.run(*asked, "--json").document()["profile"]
    assert (part["limit"], [item["object"] for item in part["items"]]) == (200, ["tea"])
    assert "1 of at most 200" in home.run(*asked).out
