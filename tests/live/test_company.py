"""Viewers of one tenant see each other and what each points at; nobody else does. Requirements A5, E3."""

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio

from graph_service.graph.store import Graph
from graph_service.live.company import COLOURS, Company
from graph_service.live.limits import LiveLimits
from schema.frames import Pointing, Presence, SelectionSync
from tests.live.live_service import Service, serving


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(graph: Graph) -> AsyncIterator[Service]:
    async with serving(graph, LiveLimits(poll_s=30.0, mingle_s=0.01)) as running:
        yield running


def pointing(clock: int, *ids: str) -> Pointing:
    return Pointing(t="selection_sync", clock=clock, ids=list(ids), focus=ids[0] if ids else None)


def test_a_slow_member_hears_the_last_word_of_each_and_no_more() -> None:
    company = Company()
    slow, quick, third = company.join(), company.join(), company.join()
    for clock in range(1_000):
        company.point(quick, pointing(clock, f"e{clock}"))
        company.point(third, pointing(clock, f"n{clock}"))
    heard = slow.take()
    assert heard[0] == Presence(others=2)
    assert [(word.by, word.ids) for word in heard[1:] if isinstance(word, SelectionSync)] == [
        (quick.name, ["e999"]),
        (third.name, ["n999"]),
    ]
    assert slow.take() == []
    assert 0 <= quick.colour < COLOURS


def test_an_older_word_is_passed_over_and_leaving_is_told() -> None:
    company = Company()
    one, other = company.join(), company.join()
    company.point(one, pointing(5, "a"))
    company.point(one, pointing(5, "b"))
    company.point(one, pointing(4, "c"))
    assert [word.ids for word in other.take() if isinstance(word, SelectionSync)] == [["a"]]
    company.leave(one)
    gone = other.take()
    assert gone == [Presence(others=0), SelectionSync(by=one.name, clock=6, ids=None, colour=one.colour)]


def test_a_newcomer_hears_at_once_what_the_others_point_at() -> None:
    company = Company()
    company.point(company.join(), pointing(1, "a"))
    newcomer = company.join()
    assert [word.ids for word in newcomer.take() if isinstance(word, SelectionSync)] == [["a"]]


async def test_what_one_points_at_reaches_the_others_of_its_tenant_alone(service: Service, tenant: str) -> None:
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


async def test_pointing_too_fast_is_refused_and_a_viewer_that_never_reads_delays_nobody(
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
