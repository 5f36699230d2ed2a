"""Make the summary layers of a scene (title, abstract L0, overview L1), by caller, model or `extractive_summary`."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from extraction.bounded_threads import THREADS
from extraction.extractive_summary import EXTRACTIVE, Summary, abstract_l0, overview_l1, scene_title
from extraction.llm.summary_writer import LayerWriter, worth_writing
from extraction.reader import Reading, SceneText
from schema.errors import MnemosceneError
from schema.ids import content_hash
from schema.scene import Scene, hash_parts

# Layers are updated for every multiple of this number of messages, and when the scene is complete, so that they do not
# depend on how the messages are split into calls.
LAYERS_EVERY: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerBasis:
    """The messages from which the summary layers of a scene are made.

    Attributes:
        messages: number of messages used, counted from the first.
        key: hash of these messages, of the provided facts about them, and of whether the scene was read.
        behind: some messages are left out until more follow or the scene is complete.
        fresh: the stored layers have the same key.
    """

    messages: int
    key: str
    behind: bool
    fresh: bool


def basis_of(
    scene: Scene,
    stored: Mapping[str, Any],
    provided: Reading,
    *,
    whole: bool,
    pending: bool = False,
    every: int = LAYERS_EVERY,
) -> LayerBasis:
    """Return which messages the layers of a scene are to be made from, and whether the stored layers are up to date.

    Args:
        stored: properties of the stored scene; empty for a new one.
        provided: provided facts about the scene.
        whole: use all messages, because the scene is complete or its layers are requested now.
        pending: the scene was not read yet.
        every: number of messages after which the layers are updated.
    """
    size = len(scene.messages)
    due_n = size if whole or size < every else size - size % every
    stored_n = stored.get("layers_n") or 0
    for messages in [stored_n, due_n] if due_n <= stored_n <= size else [due_n]:
        key = _key(scene, messages, provided, pending=pending)
        if key == stored.get("layers_hash"):
            return LayerBasis(messages=messages, key=key, behind=messages < size, fresh=True)
    return LayerBasis(messages=due_n, key=key, behind=due_n < size, fresh=False)


def within(readings: Sequence[Reading], basis: LayerBasis) -> tuple[Reading, ...]:
    """Return the readings without facts and mentions from lines outside the basis; summaries are kept."""
    return tuple(
        replace(
            reading,
            facts=tuple(f for f in reading.facts if all(quote.line < basis.messages for quote in f.quotes)),
            mentions=tuple(mention for mention in reading.mentions if mention.line < basis.messages),
        )
        for reading in readings
    )


def _key(scene: Scene, messages: int, provided: Reading, *, pending: bool) -> str:
    facts = [f.statement for f in provided.facts if all(quote.line < messages for quote in f.quotes)]
    parts = hash_parts(scene.messages[:messages])
    return content_hash("waits" if pending else "read", provided.summary or "", *facts, "", *parts)


_log = logging.getLogger("mnemoscene.layers")

_PLAIN_TITLE_CHARS: Final = 60
_PLAIN_ABSTRACT_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSummary(Summary):
    """Summary layers of one scene.

    Attributes:
        overview_by: author of the overview: `extractive` or the model's name.
        needs_model: a model is still to write the overview, because it failed or was not called.
    """

    overview_by: str = EXTRACTIVE
    needs_model: bool = False


def asks_for_overview(readings: Sequence[Reading]) -> bool:
    """Return whether a model wrote the latest summary, so that the summary writer should add an overview."""
    summarized = [reading for reading in readings if reading.summary]
    return bool(summarized) and summarized[0] is readings[-1] and readings[-1].path[:1] == ("model",)


def layers_of(scene: SceneText, readings: Sequence[Reading]) -> SceneSummary:
    """Return the layers of a scene; a summary by a caller or model replaces the extractive one."""
    statements = list(dict.fromkeys(fact.statement for reading in readings for fact in reading.facts))
    # A statement such as "The user is named Ann" is a poor title.
    title_statements = [fact.statement for reading in readings for fact in reading.facts if fact.relation != "is named"]
    names = list(dict.fromkeys(mention.name for reading in readings for mention in reading.mentions))
    written = next((reading for reading in readings if reading.summary), None)
    titled = next((reading.title for reading in readings if reading.title), None)
    abstract = written.summary if written and written.summary else abstract_l0(scene.lines)
    return SceneSummary(
        title=titled or scene_title(scene.lines, statements=title_statements),
        abstract=abstract,
        overview=overview_l1(scene.lines, statements=statements, names=names, abstract=abstract),
        made_by=written.reader if written else EXTRACTIVE,
    )


def plain_layers(scene: SceneText) -> SceneSummary:
    """Return layers that need neither a model nor sentence ranking: the beginning of the first message with text."""
    text = next((" ".join(line.text[:_PLAIN_ABSTRACT_CHARS].split()) for line in scene.lines if line.text.strip()), "")
    return SceneSummary(title=text[:_PLAIN_TITLE_CHARS], abstract=text, overview=text)


async def written_layers(scene: SceneText, readings: Sequence[Reading], writer: LayerWriter | None) -> SceneSummary:
    """Return the layers of a scene.

    The writer is used only for scenes that are long enough; if it fails, the overview is extractive, and `needs_model`
    is set.

    Raises:
        TooSlowError: the layers exceeded the time for one scene.
    """
    # In a thread, because ranking sentences is CPU-bound.
    layers = await THREADS.run(partial(layers_of, scene, readings))
    if writer is None or not worth_writing(scene):
        return layers
    try:
        written = await writer(scene)
    except MnemosceneError as error:
        _log.warning("no overview was written, an extractive one is used: %s", error)
        return replace(layers, needs_model=True)
    return replace(layers, overview=written.overview, overview_by=written.made_by)


def layer_properties(layers: SceneSummary | None, basis: LayerBasis, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scene properties that store its layers.

    Extractive texts do not replace stored ones by a caller or model.

    Args:
        layers: None keeps the stored ones.
        stored: properties of the stored scene; empty for a new one.
    """
    behind = True if basis.behind else None
    if layers is None:
        return {"name": stored["name"], "abstract": stored["abstract"], "layers_behind": behind}
    kept = stored.get("abstract_by") not in (None, EXTRACTIVE) and layers.made_by == EXTRACTIVE
    return {
        "name": stored["name"] if kept else layers.title,
        "abstract": stored["abstract"] if kept else layers.abstract,
        "overview": layers.overview,
        "abstract_by": stored["abstract_by"] if kept else layers.made_by,
        "overview_by": layers.overview_by,
        "overview_pending": True if layers.needs_model else None,
        "layers_n": basis.messages,
        "layers_hash": basis.key,
        "layers_behind": behind,
        "unembedded": True,
    }
