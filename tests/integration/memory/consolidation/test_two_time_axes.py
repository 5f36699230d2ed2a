"""Test that scenes store both when they were said and the time that they talk about."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from graph_service.graph.statements import Statement
from graph_service.graph.store import Graph
from graph_service.memory.ingest.validation import RememberRequest
from schema.ids import TenantId
from tests.support.builders import NOON, a_memory, a_message, a_worker

_SCENES = Statement(
    name="scenes_of_a_tenant",
    text="MATCH (s:Scene {tenant: $tenant}) RETURN properties(s) AS scene ORDER BY s.start_ms",
    parameters=frozenset({"tenant"}),
    columns=("scene",),
    hot=False,
)
SHANGHAI = timezone(timedelta(hours=8))


async def scene_of(graph: Graph, tenant: str, *messages: Any) -> dict[str, Any]:
    """Return the only scene of these messages."""
    incoming = RememberRequest(user_id="alice", session_id="s1", messages=messages)
    await a_memory(graph).remember(TenantId(tenant), incoming)
    await a_worker(graph).drain()
    rows = await graph.read(_SCENES, {"tenant": tenant})
    assert len(rows) == 1
    scene: dict[str, Any] = rows[0]["scene"]
    return scene


@pytest.mark.parametrize("text", ["Yesterday I ran my first marathon.", "昨天我跑了第一次马拉松。"], ids=["en", "zh"])
async def test_days_are_those_of_the_messages_time_zone(graph: Graph, tenant: str, text: str) -> None:
    # Half past midnight on 2 March in Shanghai is 1 March in UTC.
    said_at = datetime(2026, 3, 2, 0, 30, tzinfo=SHANGHAI)
    scene = await scene_of(graph, tenant, a_message(text, time=said_at))
    assert scene["scene_start"] == datetime(2026, 3, 1, tzinfo=SHANGHAI)
    assert scene["scene_end"] == datetime(2026, 3, 2, tzinfo=SHANGHAI)
    assert scene["first_seen"] == datetime(2026, 3, 1, 16, 30, tzinfo=UTC)
    assert "2026-03-01" in scene["overview"]


async def test_relative_times_refer_to_the_message_time_not_to_today(graph: Graph, tenant: str) -> None:
    said_at = datetime(2019, 5, 15, 10, tzinfo=UTC)
    scene = await scene_of(graph, tenant, a_message("Last week we moved to Porto.", time=said_at))
    assert (scene["scene_start"], scene["scene_end"]) == (
        datetime(2019, 5, 6, tzinfo=UTC),
        datetime(2019, 5, 13, tzinfo=UTC),
    )


async def test_provided_event_time_has_priority_over_the_text(graph: Graph, tenant: str) -> None:
    start, end = datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)
    message = a_message("Yesterday was a hard year.", mentioned_start=start, mentioned_end=end)
    scene = await scene_of(graph, tenant, message)
    assert (scene["scene_start"], scene["scene_end"]) == (start, end)


async def test_scene_without_time_expressions_has_no_event_time(graph: Graph, tenant: str) -> None:
    scene = await scene_of(graph, tenant, a_message("I love jasmine tea."))
    assert "scene_start" not in scene
    assert scene["first_seen"] == NOON


async def test_importance_of_a_scene_is_that_of_its_most_important_message(graph: Graph, tenant: str) -> None:
    weighty = a_message("I am allergic to peanuts.", minute=1, importance=9)
    scene = await scene_of(graph, tenant, a_message("Hello!"), weighty)
    assert scene["importance"] == 9
