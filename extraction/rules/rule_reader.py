"""The reader by rules, without a model."""

from functools import partial

from extraction.bounded_threads import THREADS
from extraction.reader import Reading, SceneText

READER_NAME = "rules"
# Last step in `Reading.path` if no reader finished in time.
TOO_SLOW = "too slow"


async def read_by_rules(scene: SceneText) -> Reading:
    """Return the facts that fresh lines of a scene state explicitly, and the names they mention.

    Runs in a thread, because loading the Chinese dictionary takes a second, and long scenes may take longer.

    Raises:
        TooSlowError: reading exceeded the time for one scene.
    """
    return await THREADS.run(partial(_read, scene))


def plain_reading() -> Reading:
    """Return the empty reading of a scene that exceeded its time; its messages remain searchable."""
    return Reading(reader=READER_NAME, path=("rules", TOO_SLOW))


def _read(scene: SceneText) -> Reading:
    # Imported on first use, because compiling hundreds of patterns would slow the start of the service.
    from extraction.rules.scene_reader import read_scene

    return read_scene(scene, reader=READER_NAME)
