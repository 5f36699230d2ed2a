"""Test that objects loaded at startup are exempt from garbage collection."""

import gc

from graph_service.cli.http_server import GC_THRESHOLD, freeze_startup_objects


def test_objects_loaded_at_startup_are_frozen_and_later_ones_are_collected() -> None:
    before = gc.get_threshold()
    try:
        freeze_startup_objects()
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold() == (GC_THRESHOLD, *before[1:])
        for _ in range(100):
            ring: list[object] = []
            ring.append(ring)
        del ring
        assert gc.collect() >= 100
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
