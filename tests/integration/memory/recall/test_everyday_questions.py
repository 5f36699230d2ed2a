"""Test what a user asks after a dozen messages, with the local models and the rule reader."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import platformdirs
import pytest
import pytest_asyncio

from extraction.embeddings.local_embedder import LocalEmbedder, load_local_embedder
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.recall.pipeline import Answer
from graph_service.memory.recall.query import Question
from graph_service.memory.service import Memory
from schema.ids import TenantId
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
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def embedder() -> LocalEmbedder:
    return await load_local_embedder(cache_dir=Path(platformdirs.user_cache_dir("mnemograph")))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def told(graph: Graph, embedder: LocalEmbedder) -> AsyncIterator[tuple[Memory, dict[str, TenantId]]]:
    """Return a memory with both lists of messages, each of a tenant of its own."""
    await prepare_vectors(graph, model=embedder.name, dim=embedder.dim)
    # The messages that earlier tests left need not be embedded again.
    await delete_open_jobs(graph)
    memory, tenants = a_memory(graph, embedder=embedder), {}
    for language, lines in (("en", ENGLISH), ("zh", CHINESE)):
        tenants[language] = TenantId(f"everyday-{language}-{uuid4().hex[:8]}")
        await tell(memory, tenants[language], lines)
    await a_worker(graph, embedder=embedder).drain()
    yield memory, tenants
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)


async def tell(memory: Memory, tenant: TenantId, lines: Sequence[str]) -> None:
    for place, line in enumerate(lines):
        message = IncomingMessage(role="user", text=line, time=START + timedelta(weeks=place))
        await memory.remember(
            tenant, RememberRequest(user_id="ana", session_id=f"s{place}", messages=(message,), user_name=None)
        )


async def ask(told: tuple[Memory, dict[str, TenantId]], language: str, question: str) -> Answer:
    memory, tenants = told
    asked_at = START + timedelta(weeks=13)
    return await memory.recall(tenants[language], Question(user_id="ana", text=question, asked_at=asked_at))


@pytest.mark.parametrize(
    ("language", "question", "answer"),
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
    ],
)
async def test_first_hit_is_the_current_answer_and_not_doubted(
    told: tuple[Memory, dict[str, TenantId]], language: str, question: str, answer: str
) -> None:
    found = await ask(told, language, question)
    assert answer in found.hits[0].candidate.text, [hit.candidate.text for hit in found.hits[:4]]
    assert not found.nothing_relevant, found.confidence


@pytest.mark.parametrize(
    ("language", "question", "answers"),
    [
        ("en", "Where did I live before Lisbon?", {"Porto"}),
        ("zh", "我以前住在哪里？", {"杭州", "苏州"}),
    ],
)
async def test_question_about_the_past_finds_the_former_home(
    told: tuple[Memory, dict[str, TenantId]], language: str, question: str, answers: set[str]
) -> None:
    found = await ask(told, language, question)
    first = " ".join(hit.candidate.text for hit in found.hits[:3])
    assert any(answer in first for answer in answers), [hit.candidate.text for hit in found.hits[:4]]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the capital of Mongolia?"),
        ("zh", "谁指挥了维也纳爱乐乐团的演出？"),
        ("en", "Which bank holds my mortgage?"),
    ],
)
async def test_question_about_nothing_told_is_doubted(
    told: tuple[Memory, dict[str, TenantId]], language: str, question: str
) -> None:
    assert (await ask(told, language, question)).nothing_relevant


async def test_dinner_for_both_finds_the_allergy_and_the_diet(told: tuple[Memory, dict[str, TenantId]]) -> None:
    found = await ask(told, "en", "Suggest a dinner for me and my sister")
    first = " ".join(hit.candidate.text for hit in found.hits[:3])
    assert "peanuts" in first
    assert "vegetarian" in first
    assert not found.nothing_relevant
