"""Test that deletions reach viewers as patches and are not shown again."""

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.change_log.log import ChangeLog
from schema.entity import an_entity
from schema.ids import TenantId, UserId
from tests.integration.live.test_merges_live import drawn, follows
from tests.integration.live.test_socket import QUICK
from tests.integration.memory.forgetting.test_forgetting import CHINESE, ENGLISH, by_id, store_lines
from tests.support.builders import a_memory, a_worker
from tests.support.live_service import serving


@pytest.mark.slow
async def test_each_deletion_arrives_as_patches(graph: Graph, tenant: str) -> None:
    memory, here = a_memory(graph), TenantId(tenant)
    await store_lines(graph, tenant, ENGLISH)
    await store_lines(graph, tenant, CHINESE[:3], user="zoe")
    async with serving(graph, QUICK) as service, service.viewer(tenant) as viewer:
        await viewer.take()
        for act in (
            memory.forgetting.message(here, await by_id(graph, tenant, ENGLISH[4])),
            memory.forgetting.entity(here, an_entity(here, UserId("alice"), "Anna").id),
            memory.forgetting.session(here, "alice", "s2"),
            memory.forgetting.user(here, "alice"),
        ):
            await act
            await follows(service, graph, tenant, viewer)
            await a_worker(graph).drain()
            # Nothing of a forgotten user can be read.
            if (await ChangeLog(graph).head(tenant)).seq > viewer.shown.seq:
                await follows(service, graph, tenant, viewer)
        left = {node["user_id"] for node in drawn(viewer.shown)[0].values()}
        assert left == {"zoe"}


async def test_resuming_viewer_is_not_sent_deleted_elements(graph: Graph, tenant: str) -> None:
    await store_lines(graph, tenant, ENGLISH[:1])
    async with serving(graph, QUICK) as service:
        async with service.viewer(tenant) as viewer:
            snapshot = await viewer.take()
        await store_lines(graph, tenant, ENGLISH[1:3])
        async with service.viewer(tenant) as watching:
            assert "Anna" in str(await watching.take())
            service.hub.notify(tenant)
            await a_memory(graph).forgetting.message(TenantId(tenant), await by_id(graph, tenant, ENGLISH[1]))
            await a_worker(graph).drain()
            service.hub.forget(tenant)
            await follows(service, graph, tenant, watching)
            resume = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
            async with service.viewer(tenant, resume=resume) as again:
                again.shown = viewer.shown
                frames = await again.until((await ChangeLog(graph).head(tenant)).seq)
                assert "Anna" not in str(frames)
                assert drawn(again.shown) == drawn(watching.shown)


async def test_cached_snapshot_does_not_show_deleted_elements(graph: Graph, tenant: str) -> None:
    await store_lines(graph, tenant, ENGLISH[:3])
    async with serving(graph, QUICK) as service:
        async with service.viewer(tenant) as viewer:
            assert "Anna" in str(await viewer.take())
        assert "Anna" in str(service.hub.snapshot_cache.nearest(tenant, None, 800))
        await a_memory(graph, on_forgotten=service.hub.forget).forgetting.message(
            TenantId(tenant), await by_id(graph, tenant, ENGLISH[1])
        )
        assert service.hub.snapshot_cache.nearest(tenant, None, 800) is None


async def test_viewers_of_another_tenant_get_no_frame_of_a_deletion(graph: Graph, tenant: str) -> None:
    other = f"{tenant}-other"
    for name in (tenant, other):
        await store_lines(graph, name, ENGLISH[:2])
    head = await ChangeLog(graph).head(other)
    await a_memory(graph).forgetting.session(TenantId(tenant), "alice", "s1")
    assert await ChangeLog(graph).head(other) == head
