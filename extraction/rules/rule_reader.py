"""Reads a scene without a model."""

from functools import partial

from extraction.bounded_threads import THREADS
from extraction.reader import Reading, SceneText

READER_NAME = "rules"
# The last step of a reading's path when nobody could read the scene in time.
TOO_SLOW = "too slow"


async def read_by_rules(scene: SceneText) -> Reading:
    """Return the facts that the fresh lines of a scene state outright, and the names they mention.

    Works in a thread: the Chinese dictionary takes a second to load, and a long scene some time to read.

    Raises:
        TooSlowError: the deadline for one scene passed.
    """
    return await THREADS.run(partial(_read, scene))


def plain_reading() -> Reading:
    """Return the reading of a scene that could not be read in time: no facts; what was said stays searchable."""
    return Reading(reader=READER_NAME, path=("rules", TOO_SLOW))


def _read(scene: SceneText) -> Reading:
    # Loaded with the first scene: to compile hundreds of patterns takes longer than a start has.
    from extraction.rules.scene_reader import read_scene

    return read_scene(scene, reader=READER_NAME)
