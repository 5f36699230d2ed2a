"""Test presence: viewers of one tenant see each other and their selections."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from graph_service.graph.store import Graph
from graph_service.live.change_feed import LiveLimits
from graph_service.live.hub import COLOURS, Member, ViewerGroup
from schema.frames import SelectionUpdate
from tests.support.live_service import Service, serving


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(graph: Graph) -> AsyncIterator[Service]:
    async with serving(graph, LiveLimits(poll_s=30.0, presence_interval_s=0.01)) as running:
        yield running


def frames_of(member: Member, *, frames_max: int = 500) -> list[dict[str, Any]]:
    return [json.loads(text) for text in member.take(frames_max=frames_max)]


def a_selection(clock: int, *ids: str) -> SelectionUpdate:
    return SelectionUpdate(t="selection_sync", clock=clock, ids=list(ids), focus=ids[0] if ids else None)


def test_slow_viewer_gets_the_latest_selection_of_each_viewer_only() -> None:
    company = ViewerGroup()
    slow, quick, third = company.join(), company.join(), company.join()
    for clock in range(1_000):
        company.point(quick, a_selection(clock, f"e{clock}"))
        company.point(third, a_selection(clock, f"n{clock}"))
    heard = frames_of(slow)
    assert heard[0] == {"t": "presence", "others": 2}
    assert [(word["viewer"], word["ids"]) for word in heard[1:]] == [(quick.name, ["e999"]), (third.name, ["n999"])]
    assert frames_of(slow) == []
    assert 0 <= quick.colour < COLOURS


def test_outdated_selection_is_ignored_and_leaving_is_announced() -> None:
    company = ViewerGroup()
    one, other = company.join(), company.join()
    company.point(one, a_selection(5, "a"))
    company.point(one, a_selection(5, "b"))
    company.point(one, a_selection(4, "c"))
    assert [word["ids"] for word in frames_of(other)[1:]] == [["a"]]
    company.leave(one)
    left, gone = frames_of(other)
    assert left == {"t": "presence", "others": 0}
    assert (gone["viewer"], gone["clock"], gone["ids"], gone["colour"]) == (one.name, 6, None, one.colour)


def test_new_viewer_gets_the_selections_of_the_others_at_once() -> None:
    company = ViewerGroup()
    company.point(company.join(), a_selection(1, "a"))
    newcomer = company.join()
    assert [word["ids"] for word in frames_of(newcomer)[1:]] == [["a"]]


def test_selection_is_encoded_once_for_all_viewers() -> None:
    company = ViewerGroup()
    one, *others = [company.join() for _ in range(50)]
    for other in others:
        other.take(frames_max=500)
    company.point(one, a_selection(1, "a"))
    texts = [text for other in others for text in other.take(frames_max=500)]
    assert len(texts) == 49
    assert len({id(text) for text in texts}) == 1


def test_large_group_gets_selections_in_bounded_portions_until_complete() -> None:
    def told_at_once(count: int) -> int:
        company = ViewerGroup()
        members = [company.join() for _ in range(count)]
        for member in members:
            member.take(frames_max=100)
        for member in members:
            company.point(member, a_selection(1, "a"))
        return sum(len(member.take(frames_max=100)) for member in members)

    assert [told_at_once(count) for count in (5, 10, 50, 200)] == [5 * 4, 10 * 9, 50 * 2, 200]
    company = ViewerGroup()
    slow, *others = [company.join() for _ in range(8)]
    for other in others:
        company.point(other, a_selection(1, "a"))
    heard = frames_of(slow, frames_max=16)[1:]
    assert [word["viewer"] for word in heard] == [other.name for other in others[:2]]
    company.point(others[0], a_selection(2, "b"))
    while slow.wake.is_set():
        heard += frames_of(slow, frames_max=16)
    assert [word["viewer"] for word in heard] == [other.name for other in (*others, others[0])]
    assert heard[-1]["ids"] == ["b"]


async def test_selection_reaches_viewers_of_the_same_tenant_only(service: Service, tenant: str) -> None:
    async with (
        service.viewer(tenant) as one,
        service.viewer(tenant) as other,
        service.viewer(f"{tenant}-x") as stranger,
    ):
        assert await one.of_others() == {"t": "presence", "others": 1}
        assert await other.of_others() == {"t": "presence", "others": 1}
        await one.say(t="selection_sync", clock=1, ids=["e1", "e2"], focus="e1")
        heard = await other.of_others()
        assert (heard["t"], heard["clock"], heard["ids"], heard["focus"]) == ("selection_sync", 1, ["e1", "e2"], "e1")
        async with service.viewer(f"{tenant}-x"):
            assert await stranger.of_others() == {"t": "presence", "others": 1}
        await one.socket.close()
        assert [(await other.of_others())["t"] for _ in range(2)] == ["presence", "selection_sync"]
        assert await stranger.of_others() == {"t": "presence", "others": 0}
        assert one.others == stranger.others == []


async def test_too_many_selections_are_refused_and_a_viewer_that_never_reads_delays_nobody(
    service: Service, tenant: str
) -> None:
    async with service.viewer(tenant), service.viewer(tenant) as quick, service.viewer(tenant) as wild:
        for clock in range(30):
            await wild.say(t="selection_sync", clock=clock, ids=["e"])
        code, frames = await wild.closed()
        assert (code, frames[-1]["code"]) == (4429, "TOO_FAST")
        async with asyncio.timeout(10):
            while (await quick.of_others()).get("ids", []) is not None:
                pass
