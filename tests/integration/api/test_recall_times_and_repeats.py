"""Test over GraphQL that recall answers questions about a day, filters every kind by time, and repeats no message."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.integration.api.test_graphql_graph import run_query
from tests.support.builders import NOON, a_memory, a_message, a_worker, an_incoming

_RECALL = """query ($text: String!, $kinds: [HitKind!], $limit: Int, $start: DateTime, $end: DateTime, $at: DateTime,
  $after: String) {
  recall(userId: "alice", query: $text, kinds: $kinds, limit: $limit, start: $start, end: $end, askedAt: $at,
    after: $after) { nothingRelevant notes nextCursor hits { kind text saidAt } } }"""
_BERLIN, _SHANGHAI = "+02:00", "+08:00"


async def store(graph: Graph, tenant: str, *said: tuple[str, str]) -> None:
    """Store messages, each with its time, in a session for each day, and read them."""
    days: dict[str, list[Any]] = {}
    for time, text in said:
        days.setdefault(time[:10], []).append(a_message(text, time=datetime.fromisoformat(time)))
    for day, messages in days.items():
        await a_memory(graph).remember(TenantId(tenant), an_incoming(messages=tuple(messages), session=day))
    await a_worker(graph).drain()


async def ask(graph: Graph, tenant: str, text: str, **variables: Any) -> Any:
    return (await run_query(graph, tenant, _RECALL, text=text, **variables))["recall"]


@pytest.mark.parametrize(
    ("question", "zone", "first", "relevant"),
    [
        ("What did I have done on October 6?", _BERLIN, "Tomorrow I'm having a tooth pulled.", True),
        ("What did I do on October 4?", _BERLIN, "Yesterday I ran the Bonn half marathon.", True),
        ("What did I tell you on October 5?", _BERLIN, None, True),
        ("What did we talk about on October 8?", _BERLIN, "The new washing machine leaks.", True),
        ("What did I do on October 7?", _BERLIN, None, False),
        ("10月13号我做了什么？", _SHANGHAI, "明天要去拔智齿。", True),
        ("10月11号我做了什么？", _SHANGHAI, "昨天我跑了成都半程马拉松。", True),
        ("我10月8号跟你说了什么？", _SHANGHAI, "The new washing machine leaks.", True),
    ],
)
async def test_question_about_a_day_finds_what_was_said_or_happened_then(
    graph: Graph, tenant: str, question: str, zone: str, first: str | None, relevant: bool
) -> None:
    await store(
        graph,
        tenant,
        ("2026-10-05T09:00:00+02:00", "Yesterday I ran the Bonn half marathon."),
        ("2026-10-05T09:01:00+02:00", "Tomorrow I'm having a tooth pulled."),
        ("2026-10-08T10:00:00+02:00", "The new washing machine leaks."),
        ("2026-10-12T09:00:00+08:00", "昨天我跑了成都半程马拉松。"),
        ("2026-10-12T09:01:00+08:00", "明天要去拔智齿。"),
    )
    answer = await ask(graph, tenant, question, at=f"2026-10-14T10:00:00{zone}", kinds=["MESSAGE"])
    assert answer["nothingRelevant"] is not relevant
    if first is not None:
        assert answer["hits"][0]["text"] == first
    if "tell" in question:
        assert {hit["saidAt"][:10] for hit in answer["hits"]} == {"2026-10-05"}


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        ("MESSAGE", "I moved to Lisbon.", "I love jasmine tea."),
        ("FACT", "Lisbon", "jasmine"),
        ("SCENE", "Lisbon", "jasmine"),
    ],
)
async def test_filter_on_time_holds_for_every_kind(
    graph: Graph, tenant: str, kind: str, inside: str, outside: str
) -> None:
    await store(
        graph,
        tenant,
        ("2026-05-01T10:00:00+00:00", "I love jasmine tea."),
        ("2026-06-10T10:00:00+00:00", "I moved to Lisbon."),
    )
    times = {"start": "2026-06-01T00:00:00Z", "end": "2026-07-01T00:00:00Z"}
    for text in ("Where do I live?", "What do I love, jasmine tea?"):
        texts = [hit["text"] for hit in (await ask(graph, tenant, text, kinds=[kind], **times))["hits"]]
        assert any(inside in found for found in texts)
        assert not any(outside in found for found in texts)


async def test_filter_on_time_finds_a_scene_about_that_time(graph: Graph, tenant: str) -> None:
    await store(graph, tenant, ("2026-05-01T10:00:00+00:00", "I had surgery on my knee on March 3, 2026."))
    of_march = {"start": "2026-03-01T00:00:00Z", "end": "2026-04-01T00:00:00Z"}
    of_april = {"start": "2026-04-01T00:00:00Z", "end": "2026-04-30T00:00:00Z"}
    found = await ask(graph, tenant, "knee surgery", kinds=["SCENE"], **of_march)
    assert [hit["kind"] for hit in found["hits"]] == ["SCENE"]
    assert (await ask(graph, tenant, "knee surgery", kinds=["SCENE"], **of_april))["hits"] == []


async def test_resent_message_is_one_hit_with_its_latest_time(graph: Graph, tenant: str) -> None:
    same = [(f"2026-05-0{day}T10:00:00+00:00", "My locker is number 41!") for day in (1, 2, 3)]
    await store(graph, tenant, *same, ("2026-05-04T10:00:00+00:00", "my locker is number 42"))
    hits = (await ask(graph, tenant, "What number is my locker?", kinds=["MESSAGE"]))["hits"]
    assert sorted((hit["saidAt"][:10], hit["text"]) for hit in hits) == [
        ("2026-05-03", "My locker is number 41!"),
        ("2026-05-04", "my locker is number 42"),
    ]


@pytest.mark.parametrize(("messages_n", "noted"), [(20, False), (220, True)])
async def test_last_page_of_a_large_memory_says_that_the_search_ends_there(
    graph: Graph, tenant: str, messages_n: int, noted: bool
) -> None:
    messages = tuple(a_message(f"Invoice {n} is paid.", time=NOON + timedelta(minutes=n)) for n in range(messages_n))
    for start in range(0, messages_n, 100):
        request = an_incoming(messages=messages[start : start + 100], session="s1")
        await a_memory(graph).remember(TenantId(tenant), request)
    await a_worker(graph).drain()
    answer = await ask(graph, tenant, "Which invoice is paid?", kinds=["MESSAGE"], limit=10)
    assert answer["notes"] == []
    while (cursor := answer["nextCursor"]) is not None:
        answer = await ask(graph, tenant, "Which invoice is paid?", kinds=["MESSAGE"], limit=100, after=cursor)
    assert any("the search ends here" in note for note in answer["notes"]) is noted
