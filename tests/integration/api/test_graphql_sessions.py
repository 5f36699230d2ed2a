"""Test session states, closing sessions and session texts over GraphQL."""

import pytest

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import REMEMBER, Api, _said, api
from tests.support.builders import a_worker

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
