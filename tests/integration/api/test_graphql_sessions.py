"""Test session states, closing sessions and session texts over GraphQL."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.ids import memory_id
from tests.conftest import Server
from tests.integration.api.test_graphql import RECALL, REMEMBER, Api, _said, api
from tests.support.builders import a_worker, delete_open_jobs, delete_open_sessions
from tests.support.open_service import open_service

__all__ = ["api"]

SESSION = '{ session(userId: "alice", sessionId: "s1") { uri state closeReason messages scenes unread closedAt } }'
CLOSE = 'mutation { closeSession(userId: "alice", sessionId: "s1") { state closeReason } }'
LAYER = (
    "query ($uri: String!, $level: Level) { layer(uri: $uri, level: $level) { level title text generatedBy tokens } }"
)
GENERATE = "mutation { generateLayers { sessions created unchanged failed } }"


@pytest.mark.parametrize("text", ["I moved to Lisbon in May.", "我五月搬到了里斯本。"])
async def test_closed_session_has_a_text_at_every_level(api: Api, graph: Graph, text: str) -> None:
    await api.ask(REMEMBER, input=_said(text))
    assert (await api.ask(SESSION))["data"]["session"]["state"] == "ACTIVE"
    assert (await api.ask(CLOSE))["data"]["closeSession"] == {"state": "CLOSING", "closeReason": "REQUEST"}
    await a_worker(graph).drain()
    session = (await api.ask(SESSION))["data"]["session"]
    assert (session["state"], session["messages"], session["scenes"], session["unread"]) == ("CLOSED", 1, 1, 0)
    for level in ("L0", "L1", "L2"):
        told = (await api.ask(LAYER, uri=session["uri"], level=level))["data"]["layer"]
        assert (told["level"], text in told["text"]) == (level, True)
        assert told == (await api.ask(LAYER, uri=f"{session['uri']}#{level}"))["data"]["layer"]
    made = (await api.ask(GENERATE))["data"]["generateLayers"]
    assert made == {"sessions": 1, "created": 0, "unchanged": 1, "failed": 0}


@pytest.mark.parametrize("state", ["CLOSING", "EXTRACTING"])
async def test_a_session_whose_closing_is_cancelled_is_closed(api: Api, graph: Graph, tenant: str, state: str) -> None:
    """Regression: it stayed EXTRACTING for ever."""
    await api.ask(REMEMBER, input=_said())
    await api.ask(CLOSE)
    uri = (await api.ask(SESSION))["data"]["session"]["uri"]
    job = f"{memory_id(uri)}/close"
    parameters = {"tenant": tenant, "id": memory_id(uri), "state": state.lower()}
    set_state = "MATCH (l:SessionLifecycle {tenant: $tenant, id: $id}) SET l.state = $state"
    async with graph._driver.session() as session:
        await (await session.run(set_state, parameters)).consume()
    cancel = "mutation ($ids: [ID!]!) { cancelJobs(ids: $ids) }"
    assert (await api.ask(cancel, ids=[job]))["data"]["cancelJobs"] == 1
    shown = (await api.ask(SESSION))["data"]["session"]
    assert (shown["state"], shown["closedAt"] is not None, shown["unread"]) == ("CLOSED", True, 1)


async def test_sessions_and_texts_of_another_tenant_are_not_found(api: Api, graph: Graph, tenant: str) -> None:
    await api.ask(REMEMBER, input=_said())
    await a_worker(graph).drain()
    uri = (await api.ask(SESSION))["data"]["session"]["uri"]
    stranger = Api(api._client, f"{tenant}-2")
    for question in (SESSION, CLOSE):
        assert (await stranger.ask(question))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert (await stranger.ask(LAYER, uri=uri))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert (await stranger.ask(GENERATE))["data"]["generateLayers"]["sessions"] == 0
    mine = (await api.ask('{ sessions(userId: "alice") { nodes { sessionId state } } }'))["data"]["sessions"]["nodes"]
    assert mine == [{"sessionId": "s1", "state": "ACTIVE"}]


async def test_a_message_is_found_before_it_is_read_and_unchanged_layers_are_not_made_again(
    api: Api, graph: Graph
) -> None:
    """C2."""
    for session, text in (("s1", "I moved to Lisbon in May."), ("s2", "I love jasmine tea.")):
        await api.ask(REMEMBER, input=_said(text) | {"sessionId": session})
        (hit,) = (await api.ask(RECALL, user="alice", q=text))["data"]["recall"]["hits"][:1]
        assert (hit["kind"], hit["pending"], text in hit["snippet"]) == ("MESSAGE", True, True)
    await a_worker(graph).drain()
    made = [(await api.ask(GENERATE))["data"]["generateLayers"] for _ in range(2)]
    assert (made[0]["sessions"], made[0]["failed"]) == (2, 0)
    assert made[1] == {"sessions": 2, "created": 0, "unchanged": 2, "failed": 0}
    await api.ask(REMEMBER, input=_said("I love figs.", time="2026-03-02T12:00:00Z"))
    await a_worker(graph).drain()
    # Only the session with a new message has layers to make.
    assert (await api.ask(GENERATE))["data"]["generateLayers"]["unchanged"] >= 1
    assert (await api.ask(GENERATE))["data"]["generateLayers"] == made[1]


async def test_sessions_close_when_idle_and_at_the_stop_of_the_service(
    api: Api, graph: Graph, server: Server, tenant: str, tmp_path: Path
) -> None:
    """C3: the states are seen over GraphQL, also those of a service that has ended."""
    await delete_open_sessions(graph)
    await delete_open_jobs(graph)
    shown = 'query ($s: String!) { session(userId: "alice", sessionId: $s) { state closeReason unread } }'
    more = {"MNEMOSCENE_EMBEDDING_KIND": "none", "MNEMOSCENE_SESSIONS_IDLE_S": "1"}

    async def session(name: str) -> dict[str, Any]:
        return dict((await api.ask(shown, s=name))["data"]["session"])

    async def tell(name: str, folder: Path, **settings: str) -> None:
        async with open_service(server, folder, {**more, **settings}) as service:
            async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
                body = {"query": REMEMBER, "variables": {"input": _said() | {"sessionId": name}}}
                assert (await client.post("/graphql", json=body)).json()["data"]["remember"]["stored"] == 1
            async with asyncio.timeout(120):
                while name == "idle":
                    if (await session(name))["state"] == "CLOSED":
                        break
                    await asyncio.sleep(0.05)

    await tell("idle", tmp_path / "1")
    assert await session("idle") == {"state": "CLOSED", "closeReason": "IDLE", "unread": 0}
    await tell("stopped", tmp_path / "2", MNEMOSCENE_SESSIONS_IDLE_S="600")
    assert (await session("stopped"))["closeReason"] == "SHUTDOWN"
    await a_worker(graph).drain()
    assert await session("stopped") == {"state": "CLOSED", "closeReason": "SHUTDOWN", "unread": 0}
