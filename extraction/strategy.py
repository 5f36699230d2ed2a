"""How a scene is read: chosen from who speaks in it. Pure."""

from enum import StrEnum

from extraction.reading import SceneText
from schema.labels import Role


class Strategy(StrEnum):
    """What a reader looks for.

    Source: requirements.md C5.
    """

    DUAL = "dual"
    USER_ONLY = "user_only"
    ASSISTANT_ONLY = "assistant_only"
    PROCEDURAL = "procedural"


def strategy_of(scene: SceneText) -> Strategy | None:
    """The strategy for what is fresh in a scene; None when nobody speaks whose words are read.

    A tool's answer makes the scene a procedure, whoever else speaks; what the system says is never read.
    """
    speak = {line.role for line in scene.lines if line.fresh}
    if Role.TOOL in speak:
        return Strategy.PROCEDURAL
    if {Role.USER, Role.ASSISTANT} <= speak:
        return Strategy.DUAL
    if Role.USER in speak:
        return Strategy.USER_ONLY
    return Strategy.ASSISTANT_ONLY if Role.ASSISTANT in speak else None
