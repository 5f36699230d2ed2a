"""Test "call me Bob": names that users declare for themselves."""

import re

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import IncomingMessage
from schema.ids import TenantId
from tests.integration.memory.entity_resolution.test_merge_histories import wipe
from tests.integration.memory.entity_resolution.test_merges import edges
from tests.integration.memory.forgetting.test_forgetting import memory_of
from tests.support.builders import a_memory, a_message, a_worker, an_incoming
from tests.support.graph_hash import graph_rows
from tests.support.slow import slow_but

# Position of the message of each fact in the call.
_OF_THE_CALL = re.compile(r"\('assertions', \"[^\"]*\"\), ")
EN = (
    ("Carol", "Bob hates rain."),
    (None, "Call me Bob."),
    ("Carol", "Bob loves jazz."),
    (None, "My friend Bob lives in Oslo."),
)
ZH = (
    ("小红", "小明讨厌下雨。"),
    (None, "你可以叫我小明。"),
    ("小红", "小明喜欢爵士乐。"),
    (None, "我的朋友小明住在上海。"),
)


def messages_of(said: tuple[tuple[str | None, str], ...]) -> list[IncomingMessage]:
    return [a_message(text, minute=minute, speaker=speaker) for minute, (speaker, text) in enumerate(said)]


async def store(graph: Graph, tenant: str, *calls: list[IncomingMessage], session: str = "s1") -> None:
    for call in calls:
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=tuple(call), session=session))
        await a_worker(graph).drain()


@pytest.mark.parametrize(
    ("said", "name", "later", "before"),
    [(EN, "Bob", "jazz", "rain"), (ZH, "小明", "爵士乐", "下雨")],
    ids=["en", "zh"],
)
async def test_self_declared_name_in_others_messages_means_the_user(
    graph: Graph, tenant: str, said: tuple[tuple[str | None, str], ...], name: str, later: str, before: str
) -> None:
    await store(graph, tenant, messages_of(said))
    drawn = await edges(graph, tenant)
    assert ("alice", "PREFERS", later) in drawn
    assert (name, "DISLIKES", before) in drawn, "said before the name was told"
    assert ("alice", "RELATES_TO", name) in drawn
    snapshot = await a_memory(graph).mindmap.snapshot(TenantId(tenant), user_id="alice", budget=100)
    assert [node.aliases for node in snapshot.nodes if node.kind == "User"] == [[name]]


@pytest.mark.parametrize("said", [EN, ZH], ids=["en", "zh"])
async def test_one_call_and_many_calls_give_the_same_graph(
    graph: Graph, tenant: str, said: tuple[tuple[str | None, str], ...]
) -> None:
    messages = messages_of(said)
    found = []
    for calls in ([messages], [messages[:2], messages[2:]], [[one] for one in messages]):
        await wipe(graph, tenant)
        await store(graph, tenant, *calls)
        rows = await graph_rows(graph, tenant)
        kinds = ("node ['Memory', 'User'", "node ['Entity'", "edge ")
        found.append([_OF_THE_CALL.sub("", row) for row in rows if row.startswith(kinds)])
    assert found[0] == found[1] == found[2]


async def test_self_declared_name_is_valid_in_later_sessions_of_this_user_only(graph: Graph, tenant: str) -> None:
    await store(graph, tenant, messages_of(EN[1:2]))
    greeting = a_message("Bob loves tea.", minute=9, speaker="Carol")
    await store(graph, tenant, [greeting], session="s2")
    assert ("alice", "PREFERS", "tea") in await edges(graph, tenant)
    other = f"{tenant}-other"
    await store(graph, other, [greeting], session="s2")
    assert ("Bob", "PREFERS", "tea") in await edges(graph, other)


@pytest.mark.parametrize(
    ("speaker", "text"), [("Carol", "Call me Bob."), (None, "Call me Mom."), (None, "我叫他小明。")]
)
async def test_text_that_declares_no_name_adds_no_alias(
    graph: Graph, tenant: str, speaker: str | None, text: str
) -> None:
    await store(graph, tenant, [a_message(text, speaker=speaker)])
    snapshot = await a_memory(graph).mindmap.snapshot(TenantId(tenant), user_id="alice", budget=100)
    assert [node.aliases for node in snapshot.nodes if node.kind == "User"] == [[]]


@pytest.mark.parametrize(
    ("said", "place"), slow_but([(EN, 1), (ZH, 0)], [(said, place) for said in (EN, ZH) for place in range(3)])
)
async def test_forgetting_the_declaration_removes_the_alias(
    graph: Graph, tenant: str, said: tuple[tuple[str | None, str], ...], place: int
) -> None:
    never = f"{tenant}-never"
    messages = messages_of(said[:3])
    later = a_message(said[2][1], minute=3 * 24 * 60, speaker="Dave")
    for name, told in ((tenant, messages), (never, [one for one in messages if one is not messages[place]])):
        await store(graph, name, told)
        await store(graph, name, [later], session="s2")
    uri = await uri_of(graph, tenant, said[place][1])
    await a_memory(graph).forgetting.message(TenantId(tenant), uri)
    await a_worker(graph).drain()
    assert await memory_of(graph, tenant) == await memory_of(graph, never)


async def uri_of(graph: Graph, tenant: str, text: str) -> str:
    """Return the URI of the first message with this text."""
    async with graph._driver.session() as session:
        query = "MATCH (m:Message {tenant: $tenant, text: $text}) RETURN m.uri ORDER BY m.said_ms LIMIT 1"
        return str((await (await session.run(query, tenant=tenant, text=text)).fetch(1))[0][0])
