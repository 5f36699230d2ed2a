"""Which messages make one scene: by pauses and size, the same however the messages were cut into calls. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schema.ids import MemoryId, Uri, content_hash, memory_id, scene_uri
from schema.message import Message
from schema.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneRules:
    """When a new scene begins.

    Attributes:
        pause_s: a longer silence ends a scene.
        messages_max: a longer scene is cut, so that a model can read it in one call.
    """

    pause_s: float = 3_600.0
    messages_max: int = 24


@dataclass(slots=True)
class _Open:
    id: MemoryId
    uri: Uri
    messages: list[Message] = field(default_factory=list)
    touched: bool = False

    def distance_s(self, moment: datetime) -> float:
        start = min(message.said_at for message in self.messages)
        end = max(message.said_at for message in self.messages)
        if start <= moment <= end:
            return 0.0
        return min(abs((moment - start).total_seconds()), abs((moment - end).total_seconds()))


def in_order(messages: Sequence[Message]) -> list[Message]:
    """Oldest first; at the same moment as they stood in the call."""
    return sorted(messages, key=lambda message: (message.said_at, message.position, message.id))


def assign(
    session: str, unread: Sequence[Message], known: Sequence[Scene], rules: SceneRules | None = None
) -> list[Scene]:
    """The scenes that change when the unread messages join a session, complete, oldest first.

    Each message joins the nearest scene that is not full and not further away than the pause; otherwise it opens one
    that is named by it. Messages are taken one by one in the order they were said, and each decision looks at earlier
    ones only, so one call with twenty messages and twenty calls with one give the same scenes.

    Args:
        session: URI of the session.
        known: scenes of the session that lie within the pause of an unread message.
    """
    rules = rules or SceneRules()
    scenes = [_Open(id=scene.id, uri=scene.uri, messages=list(scene.messages)) for scene in known]
    held = {message.id for scene in scenes for message in scene.messages}
    for message in in_order(unread):
        if message.id in held:
            continue
        scene = _nearest(scenes, message.said_at, rules)
        if scene is None:
            uri = scene_uri(session, message.id)
            scene = _Open(id=memory_id(uri), uri=uri)
            scenes.append(scene)
        scene.messages.append(message)
        scene.touched = True
    touched = [_close(scene) for scene in scenes if scene.touched]
    return sorted(touched, key=lambda scene: (scene.episode_start, scene.id))


def is_ripe(scene: Scene, rules: SceneRules, *, newest_ms: int, final: bool) -> bool:
    """Whether a scene will hardly grow any more: it is full, a later one has begun, or its session ends.

    Args:
        newest_ms: when the latest scene of the session begins, milliseconds since 1970.
        final: the session ends.
    """
    started_ms = round(scene.episode_start.timestamp() * 1000)
    return final or len(scene.messages) >= rules.messages_max or started_ms < newest_ms


def _nearest(scenes: Sequence[_Open], moment: datetime, rules: SceneRules) -> _Open | None:
    near = [
        (scene.distance_s(moment), -max(message.said_at for message in scene.messages).timestamp(), index)
        for index, scene in enumerate(scenes)
        if len(scene.messages) < rules.messages_max and scene.distance_s(moment) <= rules.pause_s
    ]
    return scenes[min(near)[2]] if near else None


def _close(scene: _Open) -> Scene:
    messages = tuple(in_order(scene.messages))
    return Scene(
        id=scene.id,
        uri=scene.uri,
        messages=messages,
        content_hash=content_hash(*(part for message in messages for part in (message.id, message.content_hash))),
    )
