"""The reader by rules, without a language model; a local model may tag facts beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from extraction.bounded_threads import THREADS
from extraction.reader import Reader, Reading, SceneLine, SceneText
from extraction.rules.tags import Tag
from extraction.text.corrections import Correction, corrections_of
from extraction.unreadable import note_unreadable
from schema.fact import LOCAL_READER
from schema.labels import Role

READER_NAME = LOCAL_READER
# Last step in `Reading.path` if no reader finished in time.
TOO_SLOW = "too slow"


class FactTagger(Protocol):
    """A model that tags the facts of single messages."""

    async def fact_tags(self, texts: Sequence[str]) -> list[list[Tag] | None]:
        """Return the tags of each message, most likely first; None for one without."""
        ...


async def read_by_rules(scene: SceneText) -> Reading:
    """Return the facts that fresh lines of a scene state explicitly, and the names they mention.

    Runs in a thread, because loading the Chinese dictionary takes a second, and long scenes may take longer.

    Raises:
        TooSlowError: reading exceeded the time for one scene.
    """
    return await THREADS.run(partial(_read, scene, {}))


def rules_with_tags(tagger: FactTagger) -> Reader:
    """Return a reader by rules that also takes the facts that a model tags in the messages of people."""

    async def read(scene: SceneText) -> Reading:
        corrections, lines = corrections_in(scene)
        texts = {number: line.text for number, line in enumerate(lines) if line.fresh and line.role is Role.USER}
        # What a correction withdraws may have been read from the tags.
        corrected = (one.earlier for number, one in corrections.items() if lines[number].fresh)
        texts |= {number: lines[number].text for number in corrected if number not in texts}
        tagged = zip(texts, await _tags_of([*texts.values()], tagger), strict=True)
        tags = {number: own for number, own in tagged if own is not None}
        return await THREADS.run(partial(_read, scene, tags))

    return read


async def _tags_of(texts: Sequence[str], tagger: FactTagger) -> list[list[Tag] | None]:
    """Return the tags of each message; if the model fails on several, it reads each alone."""
    try:
        return await tagger.fact_tags(texts)
    except Exception as error:
        if len(texts) > 1:
            return [own for text in texts for own in await _tags_of([text], tagger)]
        note_unreadable(error)
        return [None] * len(texts)


def corrections_in(scene: SceneText) -> tuple[dict[int, Correction], list[SceneLine]]:
    """Return what lines of people correct, by their number, and all lines as they are meant (`corrections_of`)."""
    said = [((line.role, line.speaker), line.text, line.said_at) for line in scene.lines]
    corrections = corrections_of((at for at, line in enumerate(scene.lines) if line.role is Role.USER), said)
    lines = [*scene.lines]
    for number, correction in corrections.items():
        if correction.text:
            # "I moved yesterday": the day before that was said.
            lines[number] = replace(lines[correction.earlier], text=correction.text, fresh=lines[number].fresh)
    return corrections, lines


def plain_reading() -> Reading:
    """Return the empty reading of a scene that exceeded its time; its messages remain searchable."""
    return Reading(reader=READER_NAME, path=("rules", TOO_SLOW))


def _read(scene: SceneText, tags: Mapping[int, Sequence[Tag]]) -> Reading:
    # Imported on first use, because compiling hundreds of patterns would slow the start of the service.
    from extraction.rules.scene_reader import read_scene

    return read_scene(scene, reader=READER_NAME, tags=tags)
