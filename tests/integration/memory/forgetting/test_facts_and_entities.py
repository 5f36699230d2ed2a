"""Test that forgetting a fact or an entity deletes it and prevents extracting it again."""

import pytest

from graph_service.graph.store import Graph
from schema.entity import an_entity
from schema.errors import NotFoundError
from schema.ids import TenantId, UserId
from tests.integration.memory.forgetting.test_forgetting import CHINESE, DAY, ENGLISH, Line, memory_of, store_lines
from tests.integration.memory.worker.test_crash import change_numbers
from tests.support.builders import a_memory, a_worker
from tests.support.slow import slow_but


async def facts(graph: Graph, tenant: str) -> dict[str, tuple[str, bool]]:
    """Return facts by statement, with their ids and whether they are valid."""
    query = (
        "MATCH (:Memory {tenant: $tenant})-[r]->(:Memory) WHERE type(r) <> 'MENTIONED' "
        "RETURN r.statement AS words, r.id AS id, r.invalid_at IS NULL AS holds ORDER BY r.valid_at"
    )
    async with graph._driver.session() as session:
        rows = await (await session.run(query, tenant=tenant)).data()
    return {row["words"]: (row["id"], row["holds"]) for row in rows}


async def scene_texts(graph: Graph, tenant: str) -> str:
    async with graph._driver.session() as session:
        query = "MATCH (s:Scene {tenant: $tenant}) RETURN s.overview AS text"
        return "\n".join(row["text"] for row in await (await session.run(query, tenant=tenant)).data())


@pytest.mark.parametrize(
    ("story", "wrong", "before"),
    [
        (ENGLISH[:5], "Alice lives in Oslo.", "Alice lives in Paris."),
        (CHINESE[:5], "Alice住在上海。", "Alice住在北京。"),
    ],
)
async def test_forgotten_fact_is_deleted_and_what_it_closed_reopens(
    graph: Graph, tenant: str, story: list[Line], wrong: str, before: str
) -> None:
    await store_lines(graph, tenant, story)
    known = await facts(graph, tenant)
    wrong = next((words for words in known if words.casefold() == wrong.casefold()), wrong)
    before = next((words for words in known if words.casefold() == before.casefold()), before)
    assert (known[wrong][1], known[before][1]) == (True, False), known
    done = await a_memory(graph).forgetting.fact(TenantId(tenant), known[wrong][0])
    await a_worker(graph).drain()
    after = await facts(graph, tenant)
    assert (done.facts, done.messages) == (1, 0)
    assert wrong not in after
    assert after[before][1]
    assert wrong not in await scene_texts(graph, tenant)
    assert set(after) == set(known) - {wrong}
    log = await change_numbers(graph, tenant)
    assert log == list(range(1, len(log) + 1))
    with pytest.raises(NotFoundError):
        await a_memory(graph).forgetting.fact(TenantId(tenant), known[wrong][0])


async def test_forgotten_fact_is_not_extracted_again_in_other_words(graph: Graph, tenant: str) -> None:
    await store_lines(graph, tenant, ENGLISH[:3])
    known = await facts(graph, tenant)
    liked = next(words for words in known if "jasmine" in words)
    await a_memory(graph).forgetting.fact(TenantId(tenant), known[liked][0])
    again: list[Line] = [("s3", 9 * DAY, "I love jasmine tea."), ("s4", 10 * DAY, "I really love Jasmine Tea.")]
    await store_lines(graph, tenant, again)
    assert not [words for words in await facts(graph, tenant) if "jasmine" in words.casefold()]
    await store_lines(graph, tenant, [("s5", 11 * DAY, "I love green tea.")])
    assert [words for words in await facts(graph, tenant) if "green tea" in words]


@pytest.mark.parametrize(("story", "name"), slow_but([(CHINESE, "张丽")], [(ENGLISH, "Anna"), (CHINESE, "张丽")]))
async def test_forgotten_entity_is_not_created_again_from_its_messages(
    graph: Graph, tenant: str, story: list[Line], name: str
) -> None:
    await store_lines(graph, tenant, story)
    entity = an_entity(TenantId(tenant), UserId("alice"), name).id
    others = {words for words in await facts(graph, tenant) if name not in words}
    done = await a_memory(graph).forgetting.entity(TenantId(tenant), entity)
    await a_worker(graph).drain()
    assert done.entities == 1
    assert done.facts > 0
    rows = [row for row in await memory_of(graph, tenant) if name in row and not row.startswith("['message'")]
    assert not [row for row in rows if row.startswith("['edge'") and "PART_OF" not in row], rows
    assert not [row for row in rows if row.startswith(f"['node', '{name}'")]
    assert set(await facts(graph, tenant)) == others
    with pytest.raises(NotFoundError):
        await a_memory(graph).forgetting.entity(TenantId(tenant), entity)
    later = story[1][0], 20 * DAY, story[1][2]
    await store_lines(graph, tenant, [later])
    assert [words for words in await facts(graph, tenant) if name in words]


async def test_forgetting_a_merged_entity_deletes_its_members(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_lines(graph, tenant, [*ENGLISH, ("s3", 5 * DAY, "My friend Annie works at Beta.")])
    anna, annie = (an_entity(here, UserId("alice"), name).id for name in ("Anna", "Annie"))
    await memory.merges.merge(here, anna, annie, "one person")
    done = await memory.forgetting.entity(here, anna)
    await a_worker(graph).drain()
    assert done.entities == 2
    assert not [words for words in await facts(graph, tenant) if "Ann" in words]
    assert not {one.name for one in await memory.entities.listed(here, "alice")} & {"Anna", "Annie"}


async def test_forgetting_a_fact_of_another_tenant_is_refused(graph: Graph, tenant: str) -> None:
    other, forgetting = f"{tenant}-other", a_memory(graph).forgetting
    await store_lines(graph, tenant, ENGLISH[:3])
    await store_lines(graph, other, ENGLISH[:1])
    before = await memory_of(graph, tenant)
    with pytest.raises(NotFoundError):
        await forgetting.fact(TenantId(other), next(iter((await facts(graph, tenant)).values()))[0])
    with pytest.raises(NotFoundError):
        await forgetting.entity(TenantId(other), an_entity(TenantId(tenant), UserId("alice"), "Anna").id)
    assert await memory_of(graph, tenant) == before
