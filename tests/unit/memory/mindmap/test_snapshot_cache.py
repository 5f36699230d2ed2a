"""Test cached map snapshots for outages: nearest scope, same tenant, no deleted content."""

import pytest

from graph_service.memory.mindmap import snapshot_cache
from graph_service.memory.mindmap.snapshot import snapshot_of
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from schema.frames import Count, GraphSnapshot, NodeView

AT = "2026-03-01T12:00:00Z"


def a_map(*users: str, as_of: str = AT) -> GraphSnapshot:
    nodes = [
        NodeView(id=f"{user}-node", kind="User", label=user, user_id=user, first_seen=AT, last_seen=AT)
        for user in users
    ]
    return snapshot_of(epoch="e", seq=1, as_of=as_of, total=Count(nodes=len(nodes), edges=0), nodes=nodes, edges=[])


def test_uncached_map_of_one_user_is_filtered_from_that_of_all() -> None:
    kept = MapSnapshotCache()
    kept.keep("t", None, 800, a_map("ann", "bob"), generation=0)
    kept.keep("other", "ann", 800, a_map("ann"), generation=0)
    found = kept.nearest("t", "ann", 300)
    assert found is not None
    assert [node.user_id for node in found.nodes] == ["ann"]
    assert kept.nearest("t", None, 300) is not None
    assert kept.nearest("third", "ann", 800) is None


def test_maps_of_single_users_together_stand_in_for_that_of_all() -> None:
    """The whole map was 503 in an outage, although every part of it was cached."""
    kept = MapSnapshotCache()
    kept.keep("t", "ann", 800, a_map("ann", as_of="2026-03-01T12:00:01Z"), generation=0)
    kept.keep("t", "bob", 800, a_map("bob"), generation=0)
    kept.keep("other", "cem", 800, a_map("cem"), generation=0)
    found = kept.nearest("t", None, 800)
    assert found is not None
    assert ([node.user_id for node in found.nodes], found.as_of, found.total.nodes) == (["ann", "bob"], AT, 2)
    newest = kept.nearest("t", None, 1)
    assert newest is not None
    assert [node.user_id for node in newest.nodes] == ["ann"]
    assert kept.nearest("t", "dan", 800) is None


def test_map_read_before_a_deletion_is_not_cached_after_it() -> None:
    kept = MapSnapshotCache()
    kept.keep("t", None, 800, a_map("ann"), generation=kept.generation)
    before = kept.generation
    kept.drop("t")
    kept.keep("t", None, 800, a_map("ann"), generation=before)
    assert kept.nearest("t", None, 800) is None


def test_oldest_maps_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_cache, "_MAPS_KEPT_MAX", 2)
    kept = MapSnapshotCache()
    for tenant in ("a", "b", "c"):
        kept.keep(tenant, None, 800, a_map("ann"), generation=0)
    assert [kept.nearest(tenant, None, 800) is None for tenant in ("a", "b", "c")] == [True, False, False]
