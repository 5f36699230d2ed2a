"""Which messages the layer texts of a scene are made from, and whether the stored ones still hold. Pure.

Texts are made anew when five more messages have come, and when the scene will hardly grow any more; so they depend on
the messages alone, never on how these were cut into calls. Requirement C2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from extraction.reading import Reading, SceneText
from schema.ids import content_hash
from schema.scene import Scene

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
    """The basis for a scene as it is now.

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
    """The lines that layer texts are made from."""
    return replace(text, lines=text.lines[: basis.messages])


def within(readings: Sequence[Reading], basis: LayerBasis) -> tuple[Reading, ...]:
    """What the readings say about these lines alone; a summary of more lines than these is kept."""
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
