"""Test through GraphQL which occurrence of a recurring time a message means, and that questions find it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.integration.api.test_graphql_graph import run_query
from tests.support.builders import a_memory, a_message, a_worker, an_incoming

SAID = datetime(2026, 3, 4, 10, tzinfo=UTC)
_SCENES = 'query ($q: String!) { recall(userId: "alice", query: $q, kinds: [SCENE]) { hits { uri } } }'
_OVERVIEW = "query ($uri: String!) { layer(uri: $uri, level: L1) { text } }"


async def store(graph: Graph, tenant: str, *messages: Any) -> None:
    """Store messages, each in a session of its own, and process them."""
    memory = a_memory(graph)
    for number, message in enumerate(messages):
        await memory.remember(TenantId(tenant), an_incoming(messages=(message,), session=f"s{number}"))
    await a_worker(graph).drain()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("My exam is on 12 June.", "2026-06-12"),
        ("I passed my exam on 12 June.", "2025-06-12"),
        ("婚礼在九月", "2026-09-01"),
        ("我6月3日飞东京", "2026-06-03"),
    ],
)
async def test_the_overview_of_a_scene_shows_the_date_that_the_verb_means(
    graph: Graph, tenant: str, text: str, day: str
) -> None:
    """Future dates do not land a year too early."""
    await store(graph, tenant, a_message(text, time=SAID))
    (hit,) = (await run_query(graph, tenant, _SCENES, q=text))["recall"]["hits"]
    overview = (await run_query(graph, tenant, _OVERVIEW, uri=hit["uri"]))["layer"]["text"]
    assert day in overview


_RECALL = """query ($q: String!, $at: DateTime!, $limit: Int!) {
  recall(userId: "alice", query: $q, askedAt: $at, limit: $limit, kinds: [MESSAGE]) {
    hits { text } notes } }"""


async def answer(graph: Graph, tenant: str, question: str, *, at: datetime, limit: int = 1) -> Any:
    return (await run_query(graph, tenant, _RECALL, q=question, at=at.isoformat(), limit=limit))["recall"]


def of_day(text: str, *, year: int, month: int, day: int = 5, **more: Any) -> Any:
    return a_message(text, time=datetime(year, month, day, 10, tzinfo=UTC), **more)


ASKED = datetime(2026, 11, 24, 10, tzinfo=UTC)
# Said in any month, about December of three years, among other plans.
PLANS = {
    "en": (
        of_day("We are going to Lapland on 12 December to see the huskies.", year=2026, month=9),
        of_day("On 12 December we were in Rome and it rained.", year=2026, month=1),
        of_day("I am going to Oslo in May with Ben.", year=2026, month=3),
        of_day("I am doing a pottery course on Tuesdays.", year=2026, month=10),
        of_day("What I am doing at work is boring.", year=2025, month=12),
        of_day("I am doing well, thanks.", year=2026, month=11),
    ),
    "zh": (
        of_day("我们12月12号要去芬兰看哈士奇。", year=2026, month=9),
        of_day("去年12月12号我们在罗马，下了雨。", year=2026, month=1),
        of_day("五月我要和小本去奥斯陆。", year=2026, month=3),
        of_day("我在上陶艺课。", year=2026, month=10),
        of_day("公司里的工作很无聊。", year=2025, month=12),
        of_day("我最近挺好的。", year=2026, month=11),
    ),
}


@pytest.mark.parametrize(
    ("lang", "question"), [("en", "What am I doing in December?"), ("zh", "我十二月要做什么？")], ids=["en", "zh"]
)
async def test_a_question_about_the_future_finds_plans_for_that_time(
    graph: Graph, tenant: str, lang: str, question: str
) -> None:
    """Said in September, about December of this year."""
    await store(graph, tenant, *PLANS[lang])
    (hit,) = (await answer(graph, tenant, question, at=ASKED))["hits"]
    assert hit["text"] == PLANS[lang][0].text


async def test_the_time_that_a_caller_gives_is_searched(graph: Graph, tenant: str) -> None:
    """No word of the message names the time, and no word of it is in the question."""
    start, end = datetime(2019, 7, 1, tzinfo=UTC), datetime(2019, 8, 1, tzinfo=UTC)
    others = [of_day(f"Lunch number {number} was fine.", year=2026, month=1 + number % 9) for number in range(40)]
    photo = of_day("Grandpa on the pier.", year=2026, month=3, mentioned_start=start, mentioned_end=end)
    await store(graph, tenant, *others, photo)
    found = await answer(graph, tenant, "What happened in July 2019?", at=ASKED, limit=5)
    assert photo.text in [hit["text"] for hit in found["hits"]]


async def test_a_question_about_what_was_said_searches_when_it_was_said(graph: Graph, tenant: str) -> None:
    said_then = of_day("The roof leaks.", year=2026, month=10, day=12)
    about_then = of_day("On 12 October the roof leaked, and we spoke of it.", year=2026, month=11, day=20)
    await store(graph, tenant, said_then, about_then)
    found = await answer(graph, tenant, "What did we talk about on 12 October?", at=ASKED, limit=9)
    assert [hit["text"] for hit in found["hits"]] == [said_then.text]


@pytest.mark.parametrize(
    ("texts", "question", "note"),
    [
        (
            (
                "Our wedding is on 12 June 2026.",
                "I learned a song for the choir in April 2026.",
                "I learned a song for the choir in August 2026.",
            ),
            "Which song did I learn before the wedding?",
            "“the wedding” was or is on 2026-06-12",
        ),
        (
            ("我们的婚礼定在2026年6月12日。", "我2026年4月学了一首合唱的歌。", "我2026年8月学了一首合唱的歌。"),
            "婚礼之前我学了哪首歌？",
            "“婚礼” was or is on 2026-06-12",
        ),
    ],
    ids=["en", "zh"],
)
async def test_an_event_stands_for_the_time_that_the_memory_knows(
    graph: Graph, tenant: str, texts: tuple[str, ...], question: str, note: str
) -> None:
    """The expression "before the wedding" is resolved by the message that says when the wedding is."""
    await store(graph, tenant, *(of_day(text, year=2026, month=10, day=1 + at) for at, text in enumerate(texts)))
    found = await answer(graph, tenant, question, at=ASKED, limit=3)
    shown = [hit["text"] for hit in found["hits"] if hit["text"] != texts[0]]
    assert shown[0] == texts[1]
    assert any(line.startswith(note) for line in found["notes"])


async def test_an_event_that_the_memory_does_not_know_limits_nothing(graph: Graph, tenant: str) -> None:
    message = of_day("I learned a song for the choir.", year=2026, month=4)
    await store(graph, tenant, message)
    found = await answer(graph, tenant, "Which song did I learn before the flood?", at=ASKED)
    assert [hit["text"] for hit in found["hits"]] == [message.text]
    assert "no message says when “the flood” was" in found["notes"]
