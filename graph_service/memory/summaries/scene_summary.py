"""The layer texts of a scene: title, abstract (L0) and overview (L1), by its reader, by a writer, or extractive."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from extraction.bounded_threads import THREADS
from extraction.extractive_summary import abstract_l0, overview_l1, scene_title
from extraction.llm.summary_writer import LayerWriter, worth_writing
from extraction.reader import Reading, SceneText
from schema.errors import MisreadError, MnemographError
from schema.ids import content_hash
from schema.scene import Scene

# Which messages the layer texts of a scene are made from, and whether the stored ones still hold. Pure.
#
# Texts are made anew when five more messages have come, and when the scene will hardly grow any more; so they depend on
# the messages alone, never on how these were cut into calls. Requirement C2.

LAYERS_EVERY: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerBasis:
    """What layer texts are made from.

    Attributes:
        messages: the first so many of the scene.
        key: of these messages, of what callers brought about them, and of whether the scene was read.
        behind: messages of the scene are left out; the texts are made anew when it grows no more.
        fresh: the stored texts were made from the same; nothing is to be made.
    """

    messages: int
    key: str
    behind: bool
    fresh: bool


def basis_of(
    scene: Scene, stored: Mapping[str, Any], brought: Reading, *, whole: bool, pending: bool = False
) -> LayerBasis:
    """Return the basis for a scene as it is now.

    Args:
        stored: properties of the stored scene; empty for a new one.
        brought: what callers brought about the scene.
        whole: the scene grows no more, or somebody asks for its texts now.
        pending: it was not read yet.
    """
    size = len(scene.messages)
    wanted = size if whole or size < LAYERS_EVERY else size - size % LAYERS_EVERY
    held = stored.get("layers_n") or 0
    for messages in [held, wanted] if wanted <= held <= size else [wanted]:
        key = _key(scene, messages, brought, pending=pending)
        if key == stored.get("layers_hash"):
            return LayerBasis(messages=messages, key=key, behind=messages < size, fresh=True)
    return LayerBasis(messages=wanted, key=key, behind=wanted < size, fresh=False)


def basis_lines(text: SceneText, basis: LayerBasis) -> SceneText:
    """Return the lines that layer texts are made from."""
    return replace(text, lines=text.lines[: basis.messages])


def within(readings: Sequence[Reading], basis: LayerBasis) -> tuple[Reading, ...]:
    """Return what the readings say about these lines alone; a summary of more lines than these is kept."""
    return tuple(
        replace(
            reading,
            facts=tuple(f for f in reading.facts if all(quote.line < basis.messages for quote in f.quotes)),
            mentions=tuple(mention for mention in reading.mentions if mention.line < basis.messages),
        )
        for reading in readings
    )


def _key(scene: Scene, messages: int, brought: Reading, *, pending: bool) -> str:
    facts = [f.statement for f in brought.facts if all(quote.line < messages for quote in f.quotes)]
    said = [part for message in scene.messages[:messages] for part in (message.id, message.content_hash)]
    return content_hash("waits" if pending else "read", brought.summary or "", *facts, "", *said)


_log = logging.getLogger("mnemograph.layers")

EXTRACTIVE = "extractive"
_PLAIN_TITLE_CHARS: Final = 60
_PLAIN_ABSTRACT_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSummary:
    """Texts of one scene.

    Attributes:
        made_by: of title and abstract: `extractive`, `caller`, or the model's name; overview_by likewise.
        owed: a model should have written the overview and failed.
        calls: of the model for these texts; tokens likewise.
    """

    title: str
    abstract: str
    overview: str
    made_by: str
    overview_by: str = EXTRACTIVE
    owed: bool = False
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0


def asks_for_overview(readings: Sequence[Reading]) -> bool:
    """Return whether a model has just read the scene and told what it is about, so that it is asked for an overview
    too.
    """
    told = [reading for reading in readings if reading.summary]
    return bool(told) and told[0] is readings[-1] and readings[-1].path[:1] == ("model",)


def layers_of(scene: SceneText, readings: Sequence[Reading]) -> SceneSummary:
    """Return the layers of a scene; a summary that a caller or a model wrote wins over the extractive one."""
    statements = list(dict.fromkeys(fact.statement for reading in readings for fact in reading.facts))
    # What somebody is called names nobody's scene.
    telling = [fact.statement for reading in readings for fact in reading.facts if fact.relation != "is named"]
    names = list(dict.fromkeys(mention.name for reading in readings for mention in reading.mentions))
    written = next((reading for reading in readings if reading.summary), None)
    titled = next((reading.title for reading in readings if reading.title), None)
    abstract = written.summary if written and written.summary else abstract_l0(scene.lines)
    return SceneSummary(
        title=titled or scene_title(scene.lines, statements=telling),
        abstract=abstract,
        overview=overview_l1(scene.lines, statements=statements, names=names, abstract=abstract),
        made_by=written.reader if written else EXTRACTIVE,
    )


def plain_layers(scene: SceneText) -> SceneSummary:
    """Return texts that cost next to nothing: the beginning of what was said first."""
    said = next((" ".join(line.text[:_PLAIN_ABSTRACT_CHARS].split()) for line in scene.lines if line.text.strip()), "")
    return SceneSummary(title=said[:_PLAIN_TITLE_CHARS], abstract=said, overview=said, made_by=EXTRACTIVE)


async def written_layers(scene: SceneText, readings: Sequence[Reading], writer: LayerWriter | None) -> SceneSummary:
    """Return the layers of a scene, with what they cost.

    The writer is asked only about scenes that are long enough; when it fails, the extractive overview stays, says so,
    and is owed.

    Raises:
        TooSlowError: the deadline for one scene passed.
    """
    # Ranking sentences is plain computing; in a thread it does not hold up requests.
    layers = await THREADS.run(partial(layers_of, scene, readings))
    if writer is None or not worth_writing(scene):
        return layers
    try:
        told = await writer(scene)
    except MisreadError as error:
        return replace(layers, owed=True, calls=error.calls, tokens_in=error.tokens_in, tokens_out=error.tokens_out)
    except MnemographError as error:
        _log.warning("no overview was written, an extractive one takes its place: %s", error)
        return replace(layers, owed=True)
    return replace(
        layers,
        overview=told.overview,
        overview_by=told.made_by,
        calls=told.calls,
        tokens_in=told.tokens_in,
        tokens_out=told.tokens_out,
    )


def layer_properties(layers: SceneSummary | None, basis: LayerBasis, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a stored scene says of its texts.

    Texts that a caller or a model wrote stay when only extractive ones are there to replace them.

    Args:
        layers: None: what is stored still holds.
        stored: properties of the stored scene; empty for a new one.
    """
    behind = True if basis.behind else None
    if layers is None:
        return {"name": stored["name"], "abstract": stored["abstract"], "layers_behind": behind}
    kept = stored.get("layers_by") not in (None, EXTRACTIVE) and layers.made_by == EXTRACTIVE
    return {
        "name": stored["name"] if kept else layers.title,
        "abstract": stored["abstract"] if kept else layers.abstract,
        "overview": layers.overview,
        "layers_by": stored["layers_by"] if kept else layers.made_by,
        "overview_by": layers.overview_by,
        "overview_owed": True if layers.owed else None,
        "layers_n": basis.messages,
        "layers_hash": basis.key,
        "layers_behind": behind,
        "unembedded": True,
    }
