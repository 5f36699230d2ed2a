"""Test the feed of a tenant against a log that is being written."""

import asyncio

from graph_service.graph.store import Graph
from graph_service.live.change_feed import Feed, LiveLimits
from graph_service.memory.change_log.log import ChangeLog, append_changes
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from schema.change import Change, Op
from schema.ids import MemoryId, TenantId
from tests.support.graph_writer import NOON, GraphWriter
from tests.support.polling import reached

# Fewer changes in all than a ring holds, so that its start stays.
COMMITS, CHANGES = 48, 40


async def test_running_commits_do_not_look_like_a_deletion(graph: Graph, tenant: str) -> None:
    """Neo4j applies a commit in parts; a reader of that moment keeps its place in the log."""
    writer = GraphWriter(graph, tenant)
    await writer.put(nodes={"ann": "User"})
    limits = LiveLimits(poll_s=0.001)
    feed = Feed(
        tenant,
        ChangeLog(graph),
        MindMap(graph),
        limits=limits,
        snapshot_cache=MapSnapshotCache(),
        resume=None,
    )
    changes = [Change(op=Op.NODE_DROP, element_id=MemoryId(f"n{n}"), body={}, reason="") for n in range(CHANGES)]
    reading = asyncio.create_task(feed.watch())
    try:
        await feed.first_read.wait()
        start = feed.ring.start
        for _ in range(COMMITS):
            last = await graph.write(lambda writing: append_changes(writing, TenantId(tenant), "u1", changes, at=NOON))
        await reached(lambda: feed.ring.end >= last)
        assert feed.ring.start == start, "no viewer needs a new snapshot"
    finally:
        reading.cancel()
