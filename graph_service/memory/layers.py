"""The layer texts of a scene: title, abstract (L0) and overview (L1), by its reader, by a writer, or extractive."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from extraction.abstract import abstract_l0, overview_l1, scene_title
from extraction.layer_writer import LayerWriter, worth_writing
from extraction.reading import Reading, SceneText
from schema.errors import MisreadError, MnemographError

_log = logging.getLogger("mnemograph.layers")

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """Texts of one scene.

    Attributes:
        made_by: of title and abstract: `extractive`, `caller`, or the model's name; overview_by likewise.
    """

    title: str
    abstract: str
    overview: str
    made_by: str
    overview_by: str = EXTRACTIVE


def layers_of(scene: SceneText, readings: Sequence[Reading]) -> Layers:
    """The layers of a scene; a summary that a caller or a model wrote wins over the extractive one."""
    statements = list(dict.fromkeys(fact.statement for reading in readings for fact in reading.facts))
    # What somebody is called names nobody's scene.
    telling = [fact.statement for reading in readings for fact in reading.facts if fact.relation != "is named"]
    names = list(dict.fromkeys(mention.name for reading in readings for mention in reading.mentions))
    written = next((reading for reading in readings if reading.summary), None)
    titled = next((reading.title for reading in readings if reading.title), None)
    abstract = written.summary if written and written.summary else abstract_l0(scene.lines)
    return Layers(
        title=titled or scene_title(scene.lines, statements=telling),
        abstract=abstract,
        overview=overview_l1(scene.lines, statements=statements, names=names, abstract=abstract),
        made_by=written.reader if written else EXTRACTIVE,
    )


async def written_layers(
    scene: SceneText, readings: Sequence[Reading], writer: LayerWriter | None
) -> tuple[Layers, tuple[Reading, ...]]:
    """The layers of a scene, and its readings with what the writer cost added to the last.

    The writer is asked only about scenes that the model has just read and that are long enough; when it fails, the
    extractive overview stays and says so.
    """
    # Ranking sentences is plain computing; in a thread it does not hold up requests.
    layers = await asyncio.to_thread(layers_of, scene, readings)
    by_model = bool(readings) and readings[-1].path[:1] == ("model",) and readings[-1].reader == layers.made_by
    if writer is None or not by_model or not worth_writing(scene):
        return layers, tuple(readings)
    try:
        told = await writer(scene)
    except MisreadError as error:
        return layers, _with_cost(readings, error.calls, error.tokens_in, error.tokens_out)
    except MnemographError as error:
        _log.warning("no overview was written, an extractive one takes its place: %s", error)
        return layers, tuple(readings)
    paid = _with_cost(readings, told.calls, told.tokens_in, told.tokens_out)
    return replace(layers, overview=told.overview, overview_by=told.made_by), paid


def _with_cost(readings: Sequence[Reading], calls: int, tokens_in: int, tokens_out: int) -> tuple[Reading, ...]:
    *others, last = readings
    more = replace(
        last,
        calls=last.calls + calls,
        tokens_in=last.tokens_in + tokens_in,
        tokens_out=last.tokens_out + tokens_out,
    )
    return (*others, more)
