"""Test in which time zone days are shown: that of the message, else that of the user, else that of the service."""

from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph_service.app.services import tuning_of
from graph_service.cli.commands.upkeep import session_line
from graph_service.config.settings import load_settings
from graph_service.graph.store import Graph
from graph_service.memory.summaries.service import Level
from schema.errors import MnemosceneError
from schema.ids import TenantId
from schema.tuning import tuning
from schema.zones import day_in, minute_in
from tests.integration.memory.context_builder.test_context import context_of
from tests.support.builders import a_memory, a_message, a_worker, an_incoming
from tests.support.tuning import tuned

EVENING = datetime(2026, 3, 5, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zones", "day"),
    [
        (("America/New_York", "Asia/Tokyo"), "2026-03-05"),
        ((None, "Asia/Tokyo"), "2026-03-06"),
        (("No/Such", "+09:00"), "2026-03-06"),
        ((), "2026-03-06"),
    ],
)
def test_first_known_zone_decides_the_day(zones: tuple[str | None, ...], day: str) -> None:
    with tuned(replace(tuning(), zone="Asia/Shanghai")):
        assert day_in(EVENING, *zones) == day
    assert day_in(EVENING) == "2026-03-05"


def test_zone_of_the_service_is_a_setting(tmp_path: Path) -> None:
    environ = {"MNEMOSCENE_SERVICE_ZONE": "Asia/Shanghai"}
    assert tuning_of(load_settings(environ=environ, here=tmp_path, user_dir=tmp_path)).zone == "Asia/Shanghai"
    with pytest.raises(MnemosceneError, match="time zone"):
        load_settings(environ={"MNEMOSCENE_SERVICE_ZONE": "Moon"}, here=tmp_path, user_dir=tmp_path)


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        (None, ["2026-03-06", "2026-03-09", "2026-03-11"]),
        ("America/New_York", ["2026-03-05", "2026-03-08", "2026-03-10"]),
    ],
)
async def test_days_of_messages_without_a_zone_are_those_of_the_user_or_the_service(
    graph: Graph, tenant: str, zone: str | None, days: list[str]
) -> None:
    owner, memory = TenantId(tenant), a_memory(graph)
    messages = (
        a_message("I moved to Oslo.", time=EVENING),
        a_message("My sister Clara bakes bread every Sunday.", time=datetime(2026, 3, 8, 20, tzinfo=UTC)),
        a_message("We adopted a cat called Tiger.", time=datetime(2026, 3, 11, 2, tzinfo=UTC), zone=zone),
    )
    with tuned(replace(tuning(), zone="Asia/Shanghai")):
        session = (await memory.remember(owner, an_incoming(messages=messages))).session_uri
        await a_worker(graph).drain()
        overview = (await memory.layers.layer(owner, session, Level.L1)).text
        said = (await memory.layers.layer(owner, session, Level.L2)).text
        (view,) = await memory.sessions.latest(owner, "alice", limit=5)
        told = (await context_of(graph, tenant, "Where do I live?")).text
        assert minute_in(view.last_at, zone) in session_line({**asdict(view), "last_at": view.last_at.isoformat()})
    assert [line[4:14] for line in overview.splitlines() if line.startswith("### ")] == days
    assert [line[1:11] for line in said.splitlines()] == days
    assert view.zone == zone
    assert [day in told for day in days] == [True] * 3
