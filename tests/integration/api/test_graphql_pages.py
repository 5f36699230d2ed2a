"""Test pagination over GraphQL, with concurrent writes."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.integration.api.test_graphql_graph import run_query
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming
from tests.support.slow import slow_but

_EN = ("I love jasmine tea.", "My sister Anna works at Acme.", "I live in Paris.", "I hate rain.", "I like opera.")
_ZH = ("我喜欢茉莉花茶。", "我姐姐王芳在阿里巴巴工作。", "我住在北京。", "我讨厌下雨。", "我喜欢京剧。")
_PAGE = "{ pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { %s } } nodes { %s } }"
# For each list: its arguments besides the page, and the field that identifies an element.
_LISTS = {
    "sessions": ('userId: "alice"', "uri"),
    "entities": ('userId: "alice"', "id"),
    "scenes": ('userId: "alice"', "id"),
    "jobs": ("", "id"),
    "deadLetters": ("", "id"),
    "changesSince": ("seq: 1", "seq"),
    "facts": ('userId: "alice"', "id"),
}
# Lists in which new elements are appended; in the others they sort first or are skipped.
_BEHIND = {"changesSince", "jobs"}
_BURY = "MATCH (j:Job {tenant: $tenant}) SET j.state = 'dead', j.open = null, j.failed_ms = 7, j.attempts = 4"


async def store(graph: Graph, tenant: str, texts: Iterable[str], *, day: int = 0) -> None:
    """Store each text in a session of its own and read all at once."""
    for i, text in enumerate(texts, start=day):
        message = a_message(text, time=NOON + timedelta(days=i))
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(message,), session=f"s{i}"))
    await a_worker(graph).drain()


async def page(graph: Graph, tenant: str, name: str, *, first: int, after: str | None = None) -> Any:
    given, key = _LISTS[name]
    query = (
        f"query ($first: Int!, $after: String) {{ {name}({given} first: $first, after: $after) {_PAGE % (key, key)} }}"
    )
    found = (await run_query(graph, tenant, query, first=first, after=after))[name]
    assert [edge["node"] for edge in found["edges"]] == found["nodes"]
    cursors = [edge["cursor"] for edge in found["edges"]]
    ends = (found["pageInfo"]["startCursor"], found["pageInfo"]["endCursor"])
    assert ends == ((cursors[0], cursors[-1]) if cursors else (None, None))
    assert found["pageInfo"]["hasPreviousPage"] is (after is not None)
    return found


@pytest.mark.parametrize("texts", slow_but([(_ZH,)], [(_EN,), (_ZH,)]), ids=["en", "zh"])
async def test_pages_of_every_list_contain_each_element_once_despite_concurrent_writes(
    graph: Graph, tenant: str, texts: tuple[str, ...]
) -> None:
    await store(graph, tenant, texts)
    # A pending job and a dead letter.
    for i in range(4):
        words = an_incoming(messages=(a_message(texts[0], time=NOON + timedelta(days=50 + i)),), session=f"w{i}")
        await a_memory(graph).remember(TenantId(tenant), words)
        if i == 1:
            async with graph._driver.session() as session:
                await (await session.run(_BURY, tenant=tenant)).consume()
    for number, (name, (_, key)) in enumerate(_LISTS.items()):
        whole = await page(graph, tenant, name, first=100)
        every = [one[key] for one in whole["nodes"]]
        assert len(every) >= 3, name
        assert len(set(every)) == len(every), name
        seen: list[Any] = []
        after = None
        while True:
            found = await page(graph, tenant, name, first=2, after=after)
            seen += [one[key] for one in found["nodes"]]
            if after is None:
                later = a_message("Hello.", time=NOON + timedelta(days=90 + number))
                await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=(later,), session=f"l{number}"))
            after = found["pageInfo"]["endCursor"]
            if not found["pageInfo"]["hasNextPage"]:
                break
        missing = [one for one in seen if one not in every]
        assert [one for one in seen if one in every] == every, name
        assert not missing or name in _BEHIND, name


async def test_cursor_is_valid_for_its_own_list_only_and_reveals_nothing(graph: Graph, tenant: str) -> None:
    await store(graph, tenant, _EN[:3])
    other = f"{tenant}-other"
    cursors = {
        name: (await page(graph, tenant, name, first=1))["pageInfo"]["endCursor"] for name in ("sessions", "scenes")
    }
    for name, cursor in cursors.items():
        assert (await page(graph, other, name, first=5, after=cursor))["nodes"] == []
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    query = 'query ($after: String) { entities(userId: "alice", after: $after) { nodes { id } } }'
    for wrong in (cursors["scenes"], "MTIzOmFiYw==", ""):
        answer = await graphql_schema.execute(query, variable_values={"after": wrong}, context_value=context)
        assert [error.extensions["code"] for error in answer.errors or () if error.extensions] == ["BAD_INPUT"]
    for first in (0, 101):
        query = f'{{ sessions(userId: "alice", first: {first}) {{ nodes {{ uri }} }} }}'
        answer = await graphql_schema.execute(query, context_value=context)
        assert [error.extensions["code"] for error in answer.errors or () if error.extensions] == ["BAD_INPUT"]


async def test_scenes_can_be_listed_by_user_or_session(graph: Graph, tenant: str) -> None:
    await store(graph, tenant, _EN[:3])
    query = '{ scenes(userId: "alice"%s) { nodes { kind summary facts { nodes { predicate } } } } }'
    whole = (await run_query(graph, tenant, query % ""))["scenes"]["nodes"]
    assert [one["kind"] for one in whole] == ["Scene"] * 3
    assert "Paris" in whole[0]["summary"]
    own = (await run_query(graph, tenant, query % ', sessionId: "s0"'))["scenes"]["nodes"]
    assert own == whole[2:]
    for nobody in (query % ', sessionId: "never"', query.replace("alice", "bob") % ""):
        assert (await run_query(graph, tenant, nobody))["scenes"]["nodes"] == []
