"""Test over GraphQL what becomes of a conversation when a model or an embedding endpoint answers badly."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from extraction.embeddings.cache import CachedEmbedder
from extraction.openai_api.embedder import OpenAIEmbedder
from extraction.openai_api.endpoint import Endpoint
from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.schema import graphql_router
from graph_service.graph.store import Graph
from tests.conftest import Server
from tests.integration.api.test_graphql import Api
from tests.support.builders import a_memory, a_worker, delete_open_jobs
from tests.support.fake_openai import FakeOpenAI, Reply, fails, fake_vector, says
from tests.support.model_service import CLOSE, REMEMBER, AnsweringEndpoint, ModelService, a_reading, model_service, said
from tests.support.slow import slow_but

FACTS = """{ user(userId: "alice") { facts { nodes { predicate object { name } } } } }"""
EVENTS = '{ factEvents(userId: "alice", sessionId: "s1") { kind readBy } }'
RECALL = """query ($q: String!, $k: [HitKind!]) {
  recall(userId: "alice", query: $q, kinds: $k) { hits { text } notes } }"""
SESSION = '{ session(userId: "alice", sessionId: "s1") { state unembedded } }'
TEA = "I love jasmine tea."
EMPTY = a_reading()
LIKES_TEA = a_reading({"predicate": "PREFERS", "object": "jasmine tea", "statement": "She loves jasmine tea."})


@pytest_asyncio.fixture(autouse=True)
async def no_jobs_of_others(graph: Graph) -> None:
    await delete_open_jobs(graph)


async def objects(api: ModelService) -> list[tuple[str, str]]:
    nodes = (await api.ask(FACTS))["user"]["facts"]["nodes"]
    return [(one["predicate"], one["object"]["name"]) for one in nodes if one["predicate"] != "MENTIONED"]


async def read_by(api: ModelService) -> set[str]:
    return {event["readBy"] for event in (await api.ask(EVENTS))["factEvents"]}


async def test_an_endpoint_without_structured_output_is_asked_for_json_in_text(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    """C6: JSON schema first, then text."""

    class Older(AnsweringEndpoint):
        def reply(self, path: str, asked: dict[str, Any]) -> Reply:
            if "response_format" in asked:
                self.requests.append({**asked, "path": path})
                return fails(400, param="response_format")
            return super().reply(path, asked)

    with Older(lambda _prompt: f"Here it is:\n```json\n{LIKES_TEA}\n```") as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            await api.remember(said(TEA))
            assert await objects(api) == [("PREFERS", "jasmine tea")]
            assert await read_by(api) == {"first"}
    forms = ["tools" if "tools" in asked else asked.get("response_format", {}).get("type") for asked in model.requests]
    assert forms == ["json_schema", "tools"]


async def test_a_scene_that_the_model_refuses_is_read_from_the_lines_of_the_user(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    """C6: user-only extraction follows text."""
    with AnsweringEndpoint(lambda prompt: says("", refusal="No.") if "kestrel" in prompt else LIKES_TEA) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            await api.remember(said(TEA), said("A kestrel told me.", "2026-03-04T12:00:30Z", "ASSISTANT"))
            assert await objects(api) == [("PREFERS", "jasmine tea")]
            assert await read_by(api) == {"first"}
    assert len(model.requests) >= 2


@pytest.mark.parametrize("answer", slow_but(['{"facts": ['], ["I would say tea.", '{"facts": [', "{}{}{}"]))
async def test_nothing_said_is_lost_when_the_model_answers_nonsense(
    server: Server, tmp_path: Path, tenant: str, answer: str
) -> None:
    """C6: the rules read what the model does not, and every message is found."""
    with AnsweringEndpoint(lambda _prompt: answer) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            await api.remember(said(TEA), said("Blorf quux zanzibar.", "2026-03-04T12:01:00Z"))
            assert ("PREFERS", "jasmine tea") in await objects(api)
            assert await read_by(api) == {"rules"}
            for text in (TEA, "Blorf quux zanzibar."):
                found = (await api.ask(RECALL, q=text, k=["MESSAGE"]))["recall"]["hits"]
                assert found[0]["text"] == text
    assert model.requests


async def test_storing_and_asking_do_not_wait_for_a_model_that_does_not_answer(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    """C1: the local reader's facts stand, and the model's follow when it does."""
    released, asked = threading.Event(), threading.Event()

    def late(_prompt: str) -> Reply:
        asked.set()
        return replace(says(LIKES_TEA), waits_for=released)

    with AnsweringEndpoint(late) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            try:
                await api.ask(REMEMBER, i={"userId": "alice", "sessionId": "s1", "messages": [said(TEA)]})
                await api.ask(CLOSE, u="alice", s="s1")
                async with asyncio.timeout(60):
                    assert await asyncio.to_thread(asked.wait, 60)
                    more = {"userId": "alice", "sessionId": "s2", "messages": [said("The kettle sings.")]}
                    assert (await api.ask(REMEMBER, i=more))["remember"]["stored"] == 1
                    for text in (TEA, "The kettle sings."):
                        found = (await api.ask(RECALL, q=text, k=["MESSAGE"]))["recall"]["hits"]
                        assert found[0]["text"] == text
                assert await objects(api) == [("PREFERS", "jasmine tea")]
                assert await read_by(api) == {"rules"}
            finally:
                released.set()
            async with asyncio.timeout(60):
                while True:
                    await api.service.parts.worker.drain()
                    if await read_by(api) == {"first"}:
                        break
                    await asyncio.sleep(0.05)


async def test_the_model_is_told_names_profile_and_the_scene_before(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    """C5: what an earlier call said, on the wire; nothing of another user."""
    sister = {"predicate": "RELATES_TO", "relation": "sister", "object": "Ximena", "statement": "Her sister is Ximena."}
    with AnsweringEndpoint(lambda prompt: a_reading(sister) if "sister Ximena" in prompt else EMPTY) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            await api.remember(said("I keep a parrot."), user="bob")
            await api.remember(said("My sister Ximena visited."))
            await api.remember(said("I met her at noon.", "2026-03-05T12:00:00Z"))
        (prompt,) = (one["content"] for one in model.requests[-1]["messages"] if one["role"] == "user")
    known = prompt.partition("<known>\n")[2].partition("\n</known>")[0]
    for told in ('"name": "Ximena"', "Her sister is Ximena.", "My sister Ximena visited."):
        assert told in known, known
    assert "parrot" not in str(model.requests[-1])


@pytest_asyncio.fixture(loop_scope="session")
async def embedding(graph: Graph, tenant: str) -> AsyncIterator[tuple[Api, FakeOpenAI, Any]]:
    """Return the API with an embedding endpoint for the vector indexes of the tests, the endpoint and a worker."""
    with FakeOpenAI(dim=64) as fake:
        endpoint = OpenAIEmbedder(Endpoint(model="hashed-words", base_url=fake.base_url, api_key=None), dimensions=64)
        embedder = CachedEmbedder(endpoint)
        app = FastAPI()
        install_error_handlers(app)
        app.include_router(graphql_router(a_memory(graph, embedder=embedder)), prefix="/graphql")
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield Api(client, tenant), fake, a_worker(graph, embedder=embedder)


async def test_texts_are_embedded_in_batches_and_each_only_once(embedding: tuple[Api, FakeOpenAI, Any]) -> None:
    """C10: also when they are said again, and not again when the session is."""
    api, fake, worker = embedding
    texts = [f"The kettle number {number} sings." for number in range(70)]
    for number in range(2):
        messages = [said(text, f"2026-03-0{number + 1}T12:00:{at % 60:02}Z") for at, text in enumerate(texts)]
        await api.ask(REMEMBER, i={"userId": "alice", "sessionId": f"s{number + 1}", "messages": messages})
        await worker.drain()
    assert (await api.ask(SESSION))["data"]["session"]["unembedded"] == 0
    sent = [text for asked in fake.requests for text in asked["input"]]
    assert {sent.count(text) for text in texts} == {1}
    sizes = [len([text for text in asked["input"] if text in texts]) for asked in fake.requests]
    assert max(sizes) <= 100
    assert sum(size > 0 for size in sizes) <= 3
    before = len(fake.requests)
    await worker.drain()
    assert len(fake.requests) == before


async def test_vectors_of_another_size_are_refused_with_a_remedy(embedding: tuple[Api, FakeOpenAI, Any]) -> None:
    """C10: by name; words still find the message."""
    api, fake, worker = embedding
    await api.ask(REMEMBER, i={"userId": "alice", "sessionId": "s1", "messages": [said(TEA)]})
    await worker.drain()
    rows = [{"object": "embedding", "index": 0, "embedding": fake_vector("x", 12)}]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    fake.script.append(Reply(body={"object": "list", "model": "fake", "data": rows, "usage": usage}))
    found = (await api.ask(RECALL, q="jasmine"))["data"]["recall"]
    assert found["hits"][0]["text"] == TEA
    (note,) = found["notes"]
    assert "has 12 numbers, expected 64; set the embedding dimension" in note
