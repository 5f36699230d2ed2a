"""The layer texts of a scene: title, abstract (L0) and overview (L1), by the reader's summary or extractive. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from extraction.abstract import abstract_l0, overview_l1, scene_title
from extraction.reading import Reading, SceneText


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """Texts of one scene.

    Attributes:
        made_by: `extractive`, `caller`, or the model's name.
    """

    title: str
    abstract: str
    overview: str
    made_by: str


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
        made_by=written.reader if written else "extractive",
    )
