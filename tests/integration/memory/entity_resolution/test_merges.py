"""Test that merging and splitting entities on a real Neo4j loses nothing."""

import asyncio

import pytest

from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.service import Memory
from schema.entity import an_entity
from schema.errors import ConflictError, InputError, NotFoundError
from schema.ids import TenantId, UserId, memory_id, user_uri
from schema.message import ProvidedFact
from tests.support.builders import a_memory, a_worker, an_incoming
from tests.support.graph_hash import graph_hash, graph_rows

BOB = ("Bob", "RELATES_TO", "Acme", "works at")
BOBBY = ("Bobby", "PREFERS", "tea", None)
BOTH = [BOB, ("Bob", "PREFERS", "tea", None), BOBBY, ("user", "RELATES_TO", "Bobby", "friend")]


def an_id(tenant: str, name: str, user: str = "alice") -> str:
    return an_entity(TenantId(tenant), UserId(user), name).id


async def say(
    graph: Graph, tenant: str, *facts: tuple[str, str, str, str | None], session: str, user: str = "alice"
) -> None:
    """Store provided facts, one message each."""
    brought = tuple(
        ProvidedFact(subject=s, predicate=p, object=o, relation=r, statement=f"{s} {p} {o}", message_indexes=(i,))
        for i, (s, p, o, r) in enumerate(facts)
    )
    texts = [f"{s} and {o}, number {i}, in {session}" for i, (s, _, o, _) in enumerate(facts)]
    await a_memory(graph).remember(TenantId(tenant), an_incoming(*texts, session=session, facts=brought, user=user))
    await a_worker(graph).drain()


async def edges(graph: Graph, tenant: str) -> list[tuple[str, str, str]]:
    snapshot = await a_memory(graph).mindmap.snapshot(TenantId(tenant), user_id=None, budget=1000)
    names = {node.id: node.label for node in snapshot.nodes}
    return sorted((names[e.source], e.predicate, names[e.target]) for e in snapshot.edges if e.predicate != "MENTIONED")


async def merge(memory: Memory, tenant: str, keep: str, gone: str) -> str:
    return (await memory.merges.merge(TenantId(tenant), an_id(tenant, keep), an_id(tenant, gone), "said so")).id


async def test_merge_joins_edges_and_split_restores_the_graph(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await say(graph, tenant, *BOTH, session="s1")
    before = await graph_rows(graph, tenant)
    merge_id = await merge(memory, tenant, "Bob", "Bobby")
    assert await edges(graph, tenant) == [
        ("Bob", "PREFERS", "tea"),
        ("Bob", "RELATES_TO", "Acme"),
        ("alice", "RELATES_TO", "Bob"),
    ]
    await memory.merges.split(TenantId(tenant), merge_id)
    assert await graph_rows(graph, tenant) == before


async def test_facts_learned_while_merged_stay_with_the_named_entity(graph: Graph, tenant: str) -> None:
    memory, never = a_memory(graph), f"{tenant}-never"
    later = [
        ("Bobby", "PREFERS", "jazz", None),
        ("Bob", "PREFERS", "tea", None),
        ("Bobby", "RELATES_TO", "Oslo", "lives in"),
    ]
    for name in (tenant, never):
        await say(graph, name, *BOTH, session="s1")
        if name == tenant:
            await merge(memory, tenant, "Bob", "Bobby")
        await say(graph, name, *later, session="s2")
    assert ("Bob", "PREFERS", "jazz") in await edges(graph, tenant)
    assert not [edge for edge in await edges(graph, tenant) if "Bobby" in edge]
    await memory.merges.split(TenantId(tenant), an_id(tenant, "Bobby"))
    assert await edges(graph, tenant) == await edges(graph, never)
    assert len(await graph_rows(graph, tenant)) == len(await graph_rows(graph, never))


async def test_rereading_after_a_merge_changes_nothing(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await say(graph, tenant, *BOTH, session="s1")
    await merge(memory, tenant, "Bob", "Bobby")
    merged = await graph_hash(graph, tenant)
    await say(graph, tenant, *BOTH, session="s1")
    assert await graph_hash(graph, tenant) == merged


@pytest.mark.parametrize("order", [("Rob", "Bobby"), ("Bobby", "Rob")])
async def test_chain_of_merges_can_be_undone_in_any_order(graph: Graph, tenant: str, order: tuple[str, ...]) -> None:
    memory = a_memory(graph)
    await say(
        graph, tenant, *BOTH, ("Rob", "PREFERS", "tea", None), ("Rob", "RELATES_TO", "Bob", "brother"), session="s1"
    )
    before = await graph_rows(graph, tenant)
    await merge(memory, tenant, "Bob", "Bobby")
    await merge(memory, tenant, "Rob", "Bobby")
    assert len({edge for edge in await edges(graph, tenant) if "tea" in edge}) == 1
    names = {"Bobby": "Bobby", "Rob": "Bob"}
    for name in order:
        await memory.merges.split(TenantId(tenant), an_id(tenant, names[name]))
    assert await graph_rows(graph, tenant) == before


async def test_facts_between_merged_pairs_are_restored_exactly(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await say(
        graph, tenant, ("Ann", "RELATES_TO", "Bob", "sister"), ("Annie", "RELATES_TO", "Bobby", "sister"), session="s1"
    )
    before = await graph_rows(graph, tenant)
    await merge(memory, tenant, "Bob", "Bobby")
    half = await graph_rows(graph, tenant)
    await merge(memory, tenant, "Ann", "Annie")
    assert await edges(graph, tenant) == [("Ann", "RELATES_TO", "Bob")]
    await memory.merges.split(TenantId(tenant), an_id(tenant, "Annie"))
    assert await graph_rows(graph, tenant) == half
    await memory.merges.split(TenantId(tenant), an_id(tenant, "Bobby"))
    assert await graph_rows(graph, tenant) == before


async def test_merge_requires_two_entities_of_one_user(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await say(graph, tenant, *BOTH, session="s1")
    await say(graph, tenant, ("Carl", "PREFERS", "tea", None), session="s1", user="zoe")
    bob, carl = an_id(tenant, "Bob"), an_id(tenant, "Carl", "zoe")
    before = await graph_hash(graph, tenant)
    for keep, gone, error in [
        (bob, memory_id(user_uri(tenant, "alice")), ConflictError),
        (memory_id(user_uri(tenant, "alice")), bob, ConflictError),
        (bob, carl, ConflictError),
        (bob, bob, InputError),
        (bob, "nobody", NotFoundError),
    ]:
        with pytest.raises(error):
            await memory.merges.merge(here, keep, gone, "a try")
    with pytest.raises(InputError):
        await memory.merges.merge(here, bob, an_id(tenant, "Bobby"), " ")
    with pytest.raises(ConflictError):
        await memory.merges.split(here, bob)
    assert await graph_hash(graph, tenant) == before


async def test_merge_and_split_are_refused_across_tenants(graph: Graph, tenant: str) -> None:
    memory, other = a_memory(graph), TenantId(f"{tenant}-other")
    await say(graph, tenant, *BOTH, session="s1")
    with pytest.raises(NotFoundError):
        await memory.merges.merge(other, an_id(tenant, "Bob"), an_id(tenant, "Bobby"), "a try")
    made = await merge(memory, tenant, "Bob", "Bobby")
    with pytest.raises(NotFoundError):
        await memory.merges.split(other, made)


async def test_merge_during_a_digest_loses_nothing(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await say(graph, tenant, *BOTH, session="s1")
    await asyncio.gather(
        say(graph, tenant, ("Bobby", "PREFERS", "jazz", None), session="s2"), merge(memory, tenant, "Bob", "Bobby")
    )
    assert ("Bob", "PREFERS", "jazz") in await edges(graph, tenant)


async def test_digest_plans_only_after_a_running_write_is_committed(graph: Graph, tenant: str) -> None:
    # Neo4j applies a commit in parts: a reader that does not wait for its locks saw a merge's new revision before the
    # index entries of the merged names, and created the merged name anew.
    await say(graph, tenant, *BOTH, session="s1")
    fact = ProvidedFact(subject="Bobby", predicate="PREFERS", object="jazz", statement="Bobby PREFERS jazz")
    await a_memory(graph).remember(TenantId(tenant), an_incoming("Bobby and jazz", session="s2", facts=(fact,)))
    run, locked, settles = list[str](), asyncio.Event(), asyncio.Event()
    parameters = {"tenant": tenant, "user_node_id": memory_id(user_uri(TenantId(tenant), UserId("alice")))}

    async def hold_lock(writing: Writing) -> None:
        await writing.run(statement("locks/lock_memory"), parameters)
        locked.set()
        await asyncio.wait_for(settles.wait(), 60)

    def observe(done: Statement) -> None:
        run.append(done.name)
        if done.name == "consolidation/settled_revision":
            asyncio.get_running_loop().call_later(0.2, settles.set)

    holder = asyncio.create_task(graph.write(hold_lock))
    await asyncio.wait_for(locked.wait(), 60)
    graph.observer = observe
    try:
        await asyncio.gather(a_worker(graph).drain(), holder)
    finally:
        graph.observer = None
    assert run.count("consolidation/settled_revision") == run.count("consolidation/lock_user") == 1


async def test_name_in_the_other_chinese_script_matches(graph: Graph, tenant: str) -> None:
    await say(graph, tenant, ("张伟", "PREFERS", "乌龙茶", None), ("Zoë", "PREFERS", "tea", None), session="s1")
    await say(graph, tenant, ("張偉", "PREFERS", "烏龍茶", None), ("Zoe", "PREFERS", "tea", None), session="s2")
    assert await edges(graph, tenant) == [("Zoë", "PREFERS", "tea"), ("张伟", "PREFERS", "乌龙茶")]


async def test_entity_list_shows_members_and_stays_within_the_tenant(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    await say(graph, tenant, *BOTH, session="s1")
    await merge(memory, tenant, "Bob", "Bobby")
    listed = {one.name: one for one in await memory.entities.listed(TenantId(tenant), "alice")}
    assert set(listed) == {"Bob", "Acme", "tea"}
    assert (listed["Bob"].merged, listed["Bob"].aliases) == ((an_id(tenant, "Bobby"),), ("Bobby",))
    assert await memory.entities.listed(TenantId(f"{tenant}-other"), "alice") == []
