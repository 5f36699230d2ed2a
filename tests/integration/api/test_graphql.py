"""Test the main GraphQL operations and the form of errors over HTTP."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.schema import graphql_router
from graph_service.graph.store import Graph
from graph_service.observability.metrics import REJECTED
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored repeated messageIds dropped notes } }"
RECALL = """query($user: String!, $q: String!, $evidence: Int! = 0, $kinds: [HitKind!]) {
  recall(userId: $user, query: $q, evidence: $evidence, kinds: $kinds) {
  searchPath notes hits { kind uri score snippet saidAt pending parts { name value } evidence { text saidAt } } } }"""


class Api:
    """The GraphQL endpoint, called as one tenant."""

    def __init__(self, client: httpx.AsyncClient, tenant: str) -> None:
        self._client = client
        self._headers = {"Mnemoscene-Tenant": tenant}

    async def send(self, *, tenant: str | None = None, **body: Any) -> dict[str, Any]:
        """Return the whole JSON response to a body."""
        headers = {"Mnemoscene-Tenant": tenant} if tenant else self._headers
        return dict((await self._client.post("/graphql", json=body, headers=headers)).json())

    async def post(self, body: bytes) -> httpx.Response:
        """Return the raw response to a body."""
        headers = self._headers | {"Content-Type": "application/json"}
        return await self._client.post("/graphql", content=body, headers=headers)

    async def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """Return the whole JSON response to a query."""
        body = json.dumps({"query": query, "variables": variables})
        headers = self._headers | {"Content-Type": "application/json"}
        answer = await self._client.post("/graphql", content=body, headers=headers)
        return dict(answer.json())


@pytest_asyncio.fixture(loop_scope="session")
async def api(graph: Graph, tenant: str) -> AsyncIterator[Api]:
    """Return the router as the service mounts it."""
    app = FastAPI()
    install_error_handlers(app)
    app.include_router(graphql_router(a_memory(graph)), prefix="/graphql")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield Api(client, tenant)


def _said(text: Any = "I love jasmine tea.", **more: Any) -> dict[str, Any]:
    message = {"role": "USER", "text": text, "time": "2026-03-01T12:00:00Z", **more}
    return {"userId": "alice", "sessionId": "s1", "messages": [message]}


async def test_remember_then_recall_returns_evidence(api: Api, graph: Graph, tenant: str) -> None:
    stored = await api.ask(REMEMBER, input=_said())
    assert stored["data"]["remember"]["stored"] == 1
    await a_worker(graph).drain()
    facts = (await api.ask(RECALL, user="alice", q="tea", evidence=2, kinds=["FACT"]))["data"]["recall"]["hits"]
    assert facts[0]["evidence"][0]["text"] == "I love jasmine tea."
    assert facts[0]["score"] == pytest.approx(sum(part["value"] for part in facts[0]["parts"]))


async def test_every_input_error_is_reported_with_a_code(api: Api) -> None:
    wrong = _said("", time="2999-01-01T00:00:00Z")
    error = (await api.ask(REMEMBER, input=wrong | {"userId": ""}))["errors"][0]
    assert error["extensions"]["code"] == "BAD_INPUT"
    assert len(error["extensions"]["problems"]) == 3


@pytest.mark.parametrize(
    "message",
    [
        {"role": "ROBOT"},
        {"text": 5},
        {"text": "a\x00b"},
        {"text": "x" * 2_000_001},
        {"time": "yesterday"},
        {"time": "2999-01-01T00:00:00Z"},
        {"time": "0001-01-01T00:00:00+14:00"},
        {"id": ""},
        {"speaker": "a\x00"},
    ],
)
async def test_bad_messages_are_refused_and_nothing_is_stored(
    api: Api, graph: Graph, tenant: str, message: dict[str, Any]
) -> None:
    answer = await api.ask(
        REMEMBER, input=_said() | {"messages": [_said()["messages"][0], _said(**message)["messages"][0]]}
    )
    assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT"
    assert (await a_memory(graph).changes.head(TenantId(tenant))).seq == 0


async def test_half_a_surrogate_pair_is_refused(api: Api) -> None:
    answer = await api.ask(REMEMBER, input=_said("half \ud800 pair"))
    assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT"


async def test_too_many_messages_are_refused_with_the_limit(api: Api) -> None:
    answer = await api.ask(REMEMBER, input=_said() | {"messages": _said()["messages"] * 10_000})
    assert "at most 1,000" in answer["errors"][0]["message"]


async def test_fact_with_unlisted_predicate_is_dropped_and_its_message_kept(api: Api) -> None:
    fact = {"subject": "user", "predicate": "WORSHIPS", "object": "cats", "statement": "Alice worships cats."}
    counted = REJECTED.values[("predicate not on the whitelist",)]
    receipt = (await api.ask(REMEMBER, input=_said() | {"facts": [fact]}))["data"]["remember"]
    assert receipt["stored"] == 1
    assert "WORSHIPS" in receipt["dropped"][0]
    assert any("'WORSHIPS' is unknown; the nearest is" in note for note in receipt["notes"])
    assert REJECTED.values[("predicate not on the whitelist",)] == counted + 1
    strict = await api.ask(REMEMBER, input=_said("Not stored.") | {"facts": [fact], "strict": True})
    assert strict["errors"][0]["extensions"]["code"] == "BAD_INPUT"
    assert "'WORSHIPS' is unknown; the nearest is" in strict["errors"][0]["message"]
    variants = [{**fact, "predicate": name} for name in ("likes", "relates-to")]
    receipt = (await api.ask(REMEMBER, input=_said("Kept.") | {"facts": variants, "strict": True}))["data"]["remember"]
    assert (receipt["stored"], receipt["dropped"]) == (1, [])


async def test_fact_that_is_too_uncertain_is_named_with_the_reason(api: Api, graph: Graph) -> None:
    """A fact that would not be stored is never dropped in silence; the others are stored."""
    likes = {"subject": "user", "predicate": "PREFERS"}
    facts = [
        {**likes, "object": "tea", "statement": "Alice likes tea.", "confidence": 0.8},
        {**likes, "object": "figs", "statement": "Alice may like figs.", "confidence": 0.3},
        {**likes, "subject": "Figs", "object": "figs", "statement": "Figs like figs."},
    ]
    receipt = (await api.ask(REMEMBER, input=_said("We ate.") | {"facts": facts}))["data"]["remember"]
    assert receipt["stored"] == 1
    unsure, same = receipt["dropped"]
    assert unsure.startswith("facts[1] confidence is 0.3, and facts below 0.5 ")
    assert same.startswith("facts[2] subject and object are both 'Figs'")
    await a_worker(graph).drain()
    asked = await api.ask(RECALL, user="alice", q="Does Alice like tea or figs?", kinds=["FACT"])
    found = " ".join(hit["snippet"] for hit in asked["data"]["recall"]["hits"])
    assert ("Alice likes tea." in found, "figs" in found) == (True, False)


async def test_recall_without_a_user_is_refused(api: Api) -> None:
    answer = await api.ask('{ recall(userId: "", query: "tea") { searchPath } }')
    assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT"


async def test_a_query_that_is_too_deep_or_too_wide_is_refused(api: Api) -> None:
    wide = "{" + " ".join(f'a{i}: recall(userId: "u", query: "q") {{ searchPath }}' for i in range(50)) + "}"
    assert (await api.ask(wide))["errors"]


async def test_invalid_tenant_name_is_refused(api: Api, graph: Graph) -> None:
    api._headers = {"Mnemoscene-Tenant": "../etc"}
    answer = await api.ask("{ jobStatus { waiting } }")
    assert answer["error"]["code"] == "BAD_INPUT"
