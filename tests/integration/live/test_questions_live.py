"""Test what viewers see of the questions that are asked: hits, roles, the wall between tenants, and forgetting."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from graph_service.api.graphql.schema import COMMAND_AGENT
from graph_service.auth.access import Role
from graph_service.evaluation.dataset import conversation_of
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import a_memory, an_incoming
from tests.support.live_service import LiveViewer
from tests.support.mcp_service import Agent
from tests.support.open_service import OpenService, open_service

FRAMES = ("question", "questions_removed", "said")
ASK = 'query($q: String!) { recall(userId: "ana", query: $q, limit: 5) { hits { id score } } }'
CONTEXT = 'query($q: String!) { context(userId: "ana", query: $q) { text recalled { id } } }'
RING = """query($ids: [String!]) {
  questions(ids: $ids) { id userId kind door text hits { rank kind id score used text role onMap } }
}"""
SAID = '{ messages(userId: "ana") { nodes { id text facts { id statement } closed { id statement } isRead } } }'


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("questions")
    environ = {"MNEMOSCENE_AUTH_REQUESTS_PER_S": "0", "MNEMOSCENE_EMBEDDING_KIND": "none"}
    async with open_service(server, folder, environ) as running:
        yield running


async def told(service: OpenService, tenant: str, *texts: str, user: str = "ana") -> None:
    """Store messages and extract their facts."""
    session = f"s{abs(hash(texts))}"
    await service.parts.memory.remember(TenantId(tenant), an_incoming(*texts, user=user, session=session))
    await service.parts.worker.drain()


async def asked(
    service: OpenService, tenant: str, query: str = ASK, credential: str | None = None, **variables: Any
) -> Any:
    headers = {"Mnemoscene-Tenant": tenant}
    async with service.client(credential, **headers) as client:
        answer = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert "errors" not in answer, answer
    return answer["data"]


class Watcher:
    """A viewer that keeps the frames about questions and messages."""

    def __init__(self, viewer: LiveViewer) -> None:
        self.viewer = viewer

    async def next(self, sort: str) -> dict[str, Any]:
        """Return the next frame of this sort; acknowledge graph frames in between."""
        while (frame := await self.viewer.next())["t"] != sort:
            if frame["t"] in ("graph_snapshot", "graph_patch"):
                await self.viewer.say(t="ack", seq=frame.get("to", frame.get("seq")))
        return frame


@contextlib.asynccontextmanager
async def watching(service: OpenService, tenant: str, token: str | None = None) -> AsyncIterator[Watcher]:
    async with service.socket() as socket:
        viewer = LiveViewer(socket)
        await viewer.say(t="hello", v=1, client="c-test", token=token, scope={"tenant": tenant})
        assert (await viewer.next())["t"] == "hello_ack"
        yield Watcher(viewer)


@contextlib.asynccontextmanager
async def mcp_agent(service: OpenService, tenant: str) -> AsyncIterator[Agent]:
    headers = {"Mnemoscene-Tenant": quote(tenant)}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{service.http}/mcp?user=ana", http_client=http)) as client,
    ):
        yield Agent(client)


async def test_questions_through_graphql_and_mcp_reach_viewers_with_their_hits(
    service: OpenService, tenant: str
) -> None:
    await told(service, tenant, "I live in Lisbon.", "I love jasmine tea.")
    async with watching(service, tenant) as viewer, mcp_agent(service, tenant) as agent:
        answer = await asked(service, tenant, q="Where does Ana live?")
        frame = await viewer.next("question")
        assert (frame["text"], frame["kind"], frame["door"]) == ("Where does Ana live?", "recall", "graphql")
        assert [hit["id"] for hit in frame["hits"]] == [hit["id"] for hit in answer["recall"]["hits"]]
        assert [hit["score"] for hit in frame["hits"]] == sorted((hit["score"] for hit in frame["hits"]), reverse=True)
        # The frame holds no text of the memory.
        assert "Lisbon" not in json.dumps(frame)
        await agent.call("recall", query="Which tea does she like?")
        by_mcp = await viewer.next("question")
        assert (by_mcp["door"], by_mcp["kind"], by_mcp["text"]) == ("mcp", "recall", "Which tea does she like?")
        context = await asked(service, tenant, CONTEXT, q="我该给她泡什么茶？")
        of_context = await viewer.next("question")
        assert (of_context["kind"], of_context["text"]) == ("context", "我该给她泡什么茶？")
        used = {hit["id"] for hit in of_context["hits"] if hit["used"]}
        assert used <= {line["id"] for line in context["context"]["recalled"]}
    newest_first = (await asked(service, tenant, RING))["questions"]
    assert [one["id"] for one in newest_first] == [of_context["id"], by_mcp["id"], frame["id"]]
    # The ring has the texts, and where each hit is on the map.
    first = newest_first[2]["hits"][0]
    assert "Lisbon" in first["text"]
    assert first["onMap"]
    (only,) = (await asked(service, tenant, RING, ids=[by_mcp["id"]]))["questions"]
    assert only["id"] == by_mcp["id"]


async def test_search_of_a_person_is_no_question_of_an_agent(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I love jasmine tea.")
    search = 'query($q: String!) { recall(userId: "ana", query: $q, watched: false) { hits { id } } }'
    assert (await asked(service, tenant, search, q="tea"))["recall"]["hits"]
    assert (await asked(service, tenant, RING))["questions"] == []


async def test_question_of_a_command_is_shown_as_one_of_the_command_line(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I love jasmine tea.")
    headers = {"Mnemoscene-Tenant": tenant, "User-Agent": f"{COMMAND_AGENT}1.0"}
    async with watching(service, tenant) as viewer, service.client(None, **headers) as client:
        body = {"query": ASK, "variables": {"q": "What does Ana drink?"}}
        answer = (await client.post("/graphql", json=body)).json()
        assert answer["data"]["recall"]["hits"], answer
        frame = await viewer.next("question")
        assert (frame["door"], frame["text"]) == ("command", "What does Ana drink?")
    (kept,) = (await asked(service, tenant, RING))["questions"]
    assert kept["door"] == "COMMAND"


async def test_questions_of_another_tenant_are_invisible(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I love jasmine tea.")
    async with watching(service, f"{tenant}-other") as stranger:
        await asked(service, tenant, q="What does Ana love?")
        (kept,) = (await asked(service, tenant, RING))["questions"]
        await asked(service, f"{tenant}-other", q="A question of the other tenant?")
        assert (await stranger.next("question"))["text"] == "A question of the other tenant?"
    assert (await asked(service, f"{tenant}-other", RING, ids=[kept["id"]]))["questions"] == []


async def test_reader_sees_only_its_own_questions_and_an_administrator_all(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I love jasmine tea.")
    agent = await service.key(tenant, Role.WRITE)
    reader = await service.key(tenant, Role.READ)
    admin = await service.key(tenant, Role.ADMIN)
    try:
        async with watching(service, tenant, reader.text) as one, watching(service, tenant, admin.text) as other:
            await asked(service, tenant, credential=agent.text, q="The agent's question about tea?")
            await asked(service, tenant, credential=reader.text, q="The reader's question about tea?")
            assert (await one.next("question"))["text"] == "The reader's question about tea?"
            assert [(await other.next("question"))["text"] for _ in range(2)] == [
                "The agent's question about tea?",
                "The reader's question about tea?",
            ]
        rings = {
            name: [one["text"] for one in (await asked(service, tenant, RING, key.text))["questions"]]
            for name, key in (("agent", agent), ("reader", reader), ("admin", admin))
        }
        assert {name: len(texts) for name, texts in rings.items()} == {"agent": 1, "reader": 1, "admin": 2}
        assert rings["reader"] == ["The reader's question about tea?"]
    finally:
        await service.forget_keys()


async def test_forgetting_a_message_removes_the_questions_that_found_it(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I live in Lisbon.")
    await told(service, tenant, "I love jasmine tea.")
    async with watching(service, tenant) as viewer:
        await asked(service, tenant, q="Which city is home, Lisbon?")
        of_city = await viewer.next("question")
        messages = (await asked(service, tenant, SAID))["messages"]["nodes"]
        gone = next(one["id"] for one in messages if "Lisbon" in one["text"])
        assert gone in {hit["id"] for hit in of_city["hits"]}
        await service.parts.memory.forgetting.message(TenantId(tenant), gone)
        assert (await viewer.next("questions_removed"))["ids"] == [of_city["id"]]
    assert (await asked(service, tenant, RING))["questions"] == []
    assert "Lisbon" not in str(service.parts.memory.questions.of(tenant))


async def test_forgetting_a_user_removes_all_questions_about_them(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I love jasmine tea.")
    await told(service, tenant, "I love green tea.", user="bo")
    await asked(service, tenant, q="Which tea?")
    await asked(service, tenant, '{ recall(userId: "bo", query: "Which tea?") { hits { id } } }')
    async with watching(service, tenant) as viewer:
        await service.parts.memory.forgetting.user(TenantId(tenant), "ana")
        assert len((await viewer.next("questions_removed"))["ids"]) == 1
    assert [one["userId"] for one in (await asked(service, tenant, RING))["questions"]] == ["bo"]


async def test_what_another_process_forgot_is_not_shown(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I live in Lisbon.")
    await asked(service, tenant, q="Which city, Lisbon?")
    (message,) = (await asked(service, tenant, SAID))["messages"]["nodes"]
    # Another process has its own memory object, and tells this one nothing.
    await a_memory(service.parts.graph).forgetting.message(TenantId(tenant), message["id"])
    assert (await asked(service, tenant, RING))["questions"] == []
    assert service.parts.memory.questions.of(tenant) == ()


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("I live in Paris.", "I moved to Oslo.", "Paris"),
    ],
)
async def test_conversation_shows_what_each_message_made_and_closed(
    service: OpenService, tenant: str, before: str, after: str, kept: str
) -> None:
    async with watching(service, tenant) as viewer:
        await told(service, tenant, before)
        assert (await viewer.next("said"))["user_id"] == "ana"
    await service.parts.memory.remember(
        TenantId(tenant), an_incoming(after, user="ana", session="later", messages=_later(after))
    )
    await service.parts.worker.drain()
    first, second = (await asked(service, tenant, SAID))["messages"]["nodes"]
    assert (first["text"], second["text"]) == (before, after)
    assert any(kept in fact["statement"] for fact in first["facts"])
    assert first["closed"] == []
    assert [kept in fact["statement"] for fact in second["closed"]] == [True]
    assert second["facts"]
    assert second["isRead"]


def _later(text: str) -> tuple[Any, ...]:
    from tests.support.builders import a_message

    return (a_message(text, minute=6_000),)


async def test_corrections_are_not_part_of_the_conversation(service: OpenService, tenant: str) -> None:
    await told(service, tenant, "I love jasmine tea.")
    (message,) = (await asked(service, tenant, SAID))["messages"]["nodes"]
    await service.parts.memory.statements.confirm(TenantId(tenant), message["facts"][0]["id"])
    assert [one["id"] for one in (await asked(service, tenant, SAID))["messages"]["nodes"]] == [message["id"]]


async def test_switched_off_questions_are_neither_kept_nor_sent(server: Server, tmp_path: Path, tenant: str) -> None:
    environ = {"MNEMOSCENE_RECALL_QUESTIONS_KEPT": "0", "MNEMOSCENE_EMBEDDING_KIND": "none"}
    async with open_service(server, tmp_path, environ) as service:
        await told(service, tenant, "I love jasmine tea.")
        async with watching(service, tenant) as viewer:
            await asked(service, tenant, q="Which tea?")
            await told(service, tenant, "And green tea.")
            # The question would have come first.
            frame = await viewer.viewer.next()
            while frame["t"] not in FRAMES:
                frame = await viewer.viewer.next()
            assert frame["t"] == "said"
        assert (await asked(service, tenant, RING))["questions"] == []


GIVEN = "query($ids: [String!]) { questions(ids: $ids) { id given { text tokens tokensMax } hits { id used text } } }"
SMALL = 'query($q: String!) { context(userId: "ana", query: $q, maxTokens: 220) { text tokens } }'
JUDGE = "mutation($q: String!, $e: String!, $w: Boolean) { judgeRecall(questionId: $q, elementId: $e, wanted: $w) }"
JUDGED = "query($u: String) { questions(userId: $u, limit: 1) { judged { id wanted } } }"
CASES = 'query { recallCases(userId: "ana") }'


async def test_context_is_shown_as_the_agent_got_it_with_what_was_left_out(service: OpenService, tenant: str) -> None:
    await told(
        service, tenant, "I live in Lisbon.", *(f"In Lisbon I visited the museum number {n}." for n in range(20))
    )
    context = (await asked(service, tenant, SMALL, q="What about Lisbon?"))["context"]
    (question,) = (await asked(service, tenant, GIVEN))["questions"]
    assert question["given"] == {"text": context["text"], "tokens": context["tokens"], "tokensMax": 220}
    left = [hit for hit in question["hits"] if not hit["used"]]
    assert left
    assert all(hit["text"] not in context["text"] for hit in left if "museum" in hit["text"])
    await asked(service, tenant, q="Where is Lisbon?")
    assert (await asked(service, tenant, GIVEN))["questions"][0]["given"] is None, "recall returns hits"
    # What somebody forgets is in no context any more.
    forget = "mutation($id: String!) { forgetMessage(id: $id) { messages } }"
    said = (await asked(service, tenant, SAID))["messages"]["nodes"]
    home = next(one["id"] for one in said if "live" in one["text"])
    await asked(service, tenant, forget, id=home)
    assert (await asked(service, tenant, GIVEN, ids=[question["id"]]))["questions"] == []


async def test_judged_hits_become_a_case_that_eval_reads_and_forgetting_deletes(
    service: OpenService, tenant: str
) -> None:
    await told(service, tenant, "I live in Lisbon.", "My dentist is in Porto.", "I love jasmine tea.")
    await asked(service, tenant, q="Where does Ana live in Lisbon or Porto?")
    (question,) = (await asked(service, tenant, RING))["questions"]
    by_text = {hit["text"]: hit["id"] for hit in question["hits"] if hit["kind"] == "MESSAGE"}
    home, dentist = by_text["I live in Lisbon."], by_text["My dentist is in Porto."]
    assert (await asked(service, tenant, JUDGE, q=question["id"], e=home, w=True))["judgeRecall"] == 1
    assert (await asked(service, tenant, JUDGE, q=question["id"], e=dentist, w=False))["judgeRecall"] == 2
    said = [{"id": home, "wanted": True}, {"id": dentist, "wanted": False}]
    assert (await asked(service, tenant, JUDGED))["questions"] == [{"judged": said}]
    # Another user's question of the same words, and another tenant's, are not judged.
    await asked(
        service, tenant, 'query($q: String!) { recall(userId: "ben", query: $q) { confidence } }', q=question["text"]
    )
    assert (await asked(service, tenant, JUDGED, u="ben"))["questions"] == [{"judged": []}]
    await asked(service, f"{tenant}-other", q=question["text"])
    assert (await asked(service, f"{tenant}-other", JUDGED))["questions"] == [{"judged": []}]
    document = (await asked(service, tenant, CASES))["recallCases"]
    memory = conversation_of(document, name="cases")
    (case,) = memory.questions
    assert (case.question, case.gold_messages) == (question["text"], [home])
    assert (case.answer, case.stale) == (["I\\ live\\ in\\ Lisbon\\."], ["My\\ dentist\\ is\\ in\\ Porto\\."])
    assert memory.sessions[0].messages[0].text == "I live in Lisbon."
    other = (await asked(service, f"{tenant}-other", CASES))["recallCases"]
    assert (other["questions"], other["sessions"]) == ([], [])
    assert (await asked(service, tenant, JUDGE, q=question["id"], e=dentist, w=None))["judgeRecall"] == 1
    assert (await asked(service, tenant, JUDGED, u="ana"))["questions"] == [{"judged": said[:1]}]
    await asked(service, tenant, "mutation($id: String!) { forgetMessage(id: $id) { messages } }", id=home)
    assert (await asked(service, tenant, CASES))["recallCases"]["questions"] == []
    assert (await asked(service, tenant, 'query { items(userId: "ana") { key } }'))["items"] == []
