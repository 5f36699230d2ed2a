"""Test what a user asks over GraphQL after a dozen messages, with the local models and the rule reader."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import platformdirs
import pytest
import pytest_asyncio
from fastapi import FastAPI

from extraction.embeddings.local_embedder import LocalEmbedder, load_local_embedder
from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.schema import graphql_router
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from schema.errors import UnavailableError
from tests.conftest import TEST_DIM, TEST_MODEL, TEST_TOKEN_MODEL
from tests.support.builders import a_memory, a_worker, delete_open_jobs

# Each line is a message of the user, a week after the one before.
ENGLISH = (
    "Hi, I'm Ana. I live in Porto and work as a nurse at St. Mary's.",
    "My phone number is 555-0134.",
    "My wife Sofia is a dentist and our son Leo is 6.",
    "I drive a Tesla Model 3.",
    "I'm allergic to peanuts, and my sister Clara is a vegetarian.",
    "We watched a film about whales yesterday, it was long.",
    "I moved to Lisbon last month.",
    "Clara got engaged to Tom.",
    "The kitchen tap is leaking again, can you find me a plumber?",
    "My new phone number is 555-0199.",
    "Leo starts swimming lessons on Thursdays.",
    "We moved again, we are in Madrid now.",
)
CHINESE = (
    "你好，我是小雅。我住在杭州，在中学当语文老师。",
    "我的电话是13800000001。",
    "我妻子林青是牙医，我们儿子乐乐六岁。",
    "我开特斯拉Model 3。",
    "我对花生过敏，我妹妹小敏吃素。",
    "昨天看了一部关于鲸鱼的电影，太长了。",
    "我上个月搬到苏州了。",
    "小敏和汤姆订婚了。",
    "厨房的水龙头又漏了，帮我找个水管工。",
    "我的新电话是13800000099。",
    "乐乐每周四上游泳课。",
    "我们又搬家了，现在住在南京。",
)
# A user who tells her name, moves twice and mixes both languages.
MIXED = (
    "I'm Ana. I lived in Berlin for years, but that is over.",
    "I live in Porto and work as a nurse at St. Mary's.",
    "I used to live in Berlin, did I tell you?",
    "我最近在学吉他。",
    "My sister Clara is a vegetarian.",
    "I moved to Lisbon last month.",
    "Tom is only a colleague of Clara's.",
    "医生让我每天吃二甲双胍。",
    "The tram was late again this morning.",
    "我们又搬家了，现在住在马德里。",
    "I adopted a parrot called Kiwi.",
)
README = ("I moved to Lisbon in May and I love the trams.",)
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_TRIES = 5
MEMORIES = {"en": ENGLISH, "zh": CHINESE, "mixed": MIXED, "readme": README}
REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored repeated } }"
RECALL = """query($text: String!, $at: DateTime!) {
  recall(userId: "ana", query: $text, askedAt: $at) { nothingRelevant confidence hits { text } } }"""
CONTEXT = """query($text: String!) {
  context(userId: "ana", query: $text, maxTokens: 300) { text nothingRelevant } }"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The GraphQL endpoint, and the tenant of each memory."""

    client: httpx.AsyncClient
    tenants: Mapping[str, str]

    async def send(self, tenant: str, query: str, **variables: object) -> dict[str, dict[str, object]]:
        """Return the data of the answer to a query; try again while a new Neo4j plans the statement."""
        body = json.dumps({"query": query, "variables": variables})
        headers = {"Mnemoscene-Tenant": tenant, "Content-Type": "application/json"}
        for _ in range(_TRIES):
            answer = (await self.client.post("/graphql", content=body, headers=headers)).json()
            if UnavailableError.code not in {error["extensions"]["code"] for error in answer.get("errors", ())}:
                break
        assert "errors" not in answer, answer
        return dict(answer["data"])

    async def recall(self, memory: str, question: str) -> tuple[list[str], bool]:
        """Return the texts of the hits, and whether the memory reports that it probably has no answer."""
        at = (START + timedelta(weeks=13)).isoformat()
        found = (await self.send(self.tenants[memory], RECALL, text=question, at=at))["recall"]
        hits = found["hits"]
        assert isinstance(hits, list)
        return [hit["text"] for hit in hits], bool(found["nothingRelevant"])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def embedder() -> LocalEmbedder:
    return await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def told(graph: Graph, embedder: LocalEmbedder) -> AsyncIterator[Told]:
    """Return all memories, each in a tenant of its own, when everything is read."""
    await prepare_vectors(graph, model=embedder.name, dim=embedder.dim)
    # The messages that earlier tests left need not be embedded again.
    await delete_open_jobs(graph)
    app = FastAPI()
    install_error_handlers(app)
    app.include_router(graphql_router(a_memory(graph, embedder=embedder)), prefix="/graphql")
    transport = httpx.ASGITransport(app=app)
    tenants = {name: f"everyday-{name}-{uuid4().hex[:8]}" for name in MEMORIES}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        told = Told(client=client, tenants=tenants)
        for name, lines in MEMORIES.items():
            await tell(told, tenants[name], lines)
        await a_worker(graph, embedder=embedder).drain()
        yield told
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)


async def tell(told: Told, tenant: str, lines: Sequence[str]) -> None:
    for place, line in enumerate(lines):
        # The id makes a second try of the same message harmless.
        message = {
            "id": f"m{place}",
            "role": "USER",
            "text": line,
            "time": (START + timedelta(weeks=place)).isoformat(),
        }
        sent = {"userId": "ana", "userName": "Ana", "sessionId": f"s{place}", "messages": [message]}
        receipt = (await told.send(tenant, REMEMBER, input=sent))["remember"]
        assert [receipt["stored"], receipt["repeated"]] in ([1, 0], [0, 1])


@pytest.mark.parametrize(
    ("memory", "question", "answer"),
    [
        ("en", "Where do I live?", "Madrid"),
        ("en", "Where do I live now?", "Madrid"),
        ("en", "What's my phone number?", "555-0199"),
        ("en", "What is my wife's job?", "dentist"),
        ("en", "How old is my son?", "6"),
        ("en", "What car do I have?", "Tesla"),
        ("en", "What is my sister's diet?", "vegetarian"),
        ("en", "Who is Clara's fiancé?", "Tom"),
        ("en", "What am I allergic to?", "peanuts"),
        ("en", "When does Leo have swimming lessons?", "Thursdays"),
        ("zh", "我住在哪里？", "南京"),
        ("zh", "我现在住在哪里？", "南京"),
        ("zh", "我的电话号码是多少？", "13800000099"),
        ("zh", "我妻子做什么工作？", "牙医"),
        ("zh", "我儿子多大了？", "六岁"),
        ("zh", "我开什么车？", "特斯拉"),
        ("zh", "我妹妹吃什么？", "素"),
        ("zh", "小敏的未婚夫是谁？", "汤姆"),
        ("zh", "我对什么过敏？", "花生"),
        ("zh", "乐乐什么时候上游泳课？", "周四"),
        ("mixed", "Where does Ana live?", "马德里"),
        ("mixed", "Where do I live?", "马德里"),
        ("mixed", "What instrument am I learning?", "吉他"),
        ("mixed", "我妹妹吃什么？", "vegetarian"),
        ("mixed", "我养了什么宠物？", "parrot"),
        ("mixed", "Which medicine do I take every day?", "二甲双胍"),
        ("readme", "Where does Ana live?", "Lisbon"),
    ],
)
async def test_first_hit_is_the_current_answer_and_not_doubted(
    told: Told, memory: str, question: str, answer: str
) -> None:
    hits, nothing_relevant = await told.recall(memory, question)
    assert answer in hits[0], hits[:4]
    assert not nothing_relevant


@pytest.mark.parametrize(
    ("memory", "question", "answers"),
    [
        ("en", "Where did I live before Lisbon?", {"Porto"}),
        ("zh", "我以前住在哪里？", {"杭州", "苏州"}),
    ],
)
async def test_question_about_the_past_finds_the_former_home(
    told: Told, memory: str, question: str, answers: set[str]
) -> None:
    hits, _ = await told.recall(memory, question)
    assert any(answer in " ".join(hits[:3]) for answer in answers), hits[:4]


@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("en", "What is the capital of Mongolia?"),
        ("zh", "谁指挥了维也纳爱乐乐团的演出？"),
        ("en", "Which bank holds my mortgage?"),
    ],
)
async def test_question_about_nothing_told_is_doubted(told: Told, memory: str, question: str) -> None:
    _, nothing_relevant = await told.recall(memory, question)
    assert nothing_relevant


async def test_dinner_for_both_finds_the_allergy_and_the_diet(told: Told) -> None:
    hits, nothing_relevant = await told.recall("en", "Suggest a dinner for me and my sister")
    assert "peanuts" in " ".join(hits[:3])
    assert "vegetarian" in " ".join(hits[:3])
    assert not nothing_relevant


async def test_context_of_the_readme_tells_where_the_user_lives(told: Told) -> None:
    found = (await told.send(told.tenants["readme"], CONTEXT, text="Plan a day in Ana's city."))["context"]
    assert "Lisbon" in str(found["text"])
