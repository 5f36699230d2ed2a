"""Reads a scene without a model."""

import asyncio

from extraction.reading import Reading, SceneText

READER_NAME = "rules"


async def read_by_rules(scene: SceneText) -> Reading:
    """Facts that the fresh lines of a scene state outright, and the names they mention.

    Works in a thread: the Chinese dictionary takes a second to load, and a long scene some time to read.
    """
    return await asyncio.to_thread(_read, scene)


def _read(scene: SceneText) -> Reading:
    # Loaded with the first scene: to compile hundreds of patterns takes longer than a start has.
    from extraction.scene_rules import read_scene

    return read_scene(scene, reader=READER_NAME)
