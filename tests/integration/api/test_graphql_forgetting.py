"""Test deletion over GraphQL."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.entity import an_entity
from schema.ids import TenantId, UserId, memory_id, user_uri
from tests.integration.api.test_graphql_identity import run_operation
from tests.integration.memory.forgetting.test_forgetting import CHINESE, ENGLISH, Line, by_id, store_lines
from tests.support.builders import a_memory, a_worker
from tests.support.slow import slow_but

BY_ID = "mutation($id: String!) {{ {name}(id: $id) {{ messages scenes facts entities reextracted spooled }} }}"
SESSION = 'mutation { forgetSession(userId: "alice", sessionId: "s2") { messages } }'
USER = 'mutation { forgetUser(userId: "alice") { messages entities } }'


async def an_id(graph: Graph, tenant: str, story: list[Line], kind: str) -> str:
    """Return the id of an element of a kind that can be forgotten."""
    if kind == "forgetMessage":
        return await by_id(graph, tenant, story[2])
    if kind == "forgetEntity":
        return an_entity(TenantId(tenant), UserId("alice"), "Anna" if story is ENGLISH else "张丽").id
    snapshot = await a_memory(graph).mindmap.snapshot(tenant, user_id=None, budget=1000)
    if kind == "forgetScene":
        return next(node.id for node in snapshot.nodes if node.kind == "Scene")
    user = memory_id(user_uri(tenant, "alice"))
    return next(edge.id for edge in snapshot.edges if edge.source == user and edge.relation == "lives in")


async def forget(graph: Graph, tenant: str, name: str, what: str) -> Any:
    done = await run_operation(graph, tenant, BY_ID.format(name=name), id=what)
    await a_worker(graph).drain()
    return done


@pytest.mark.parametrize("story", slow_but([CHINESE], [ENGLISH, CHINESE]))
async def test_each_kind_is_forgotten_once_and_then_not_found(graph: Graph, tenant: str, story: list[Line]) -> None:
    await store_lines(graph, tenant, story, at_once=True)
    await store_lines(graph, f"{tenant}-other", story[:1], user="zoe")
    for name, counted in (
        ("forgetMessage", "messages"),
        ("forgetFact", "facts"),
        ("forgetEntity", "entities"),
        ("forgetScene", "scenes"),
    ):
        what = await an_id(graph, tenant, story, name)
        theirs = await forget(graph, f"{tenant}-other", name, what)
        assert theirs.errors[0].extensions["code"] == "NOT_FOUND"
        done = await forget(graph, tenant, name, what)
        assert done.errors is None, done.errors
        assert done.data[name][counted] >= 1
        again = await forget(graph, tenant, name, what)
        assert again.errors[0].extensions["code"] == "NOT_FOUND"
    session = await run_operation(graph, tenant, SESSION)
    assert session.errors is None or session.errors[0].extensions["code"] == "NOT_FOUND"
    assert (await run_operation(graph, tenant, USER)).errors is None
    for gone in (SESSION, USER):
        assert (await run_operation(graph, tenant, gone)).errors[0].extensions["code"] == "NOT_FOUND"
    bad = await run_operation(graph, tenant, BY_ID.format(name="forgetMessage"), id="\n")
    assert bad.errors[0].extensions["code"] == "BAD_INPUT"
