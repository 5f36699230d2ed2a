"""Group messages into scenes by pauses, topics, participants and size, independent of the calls. Pure."""

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from extraction.text.topic_shift import Topic, Turns
from schema.ids import MemoryId, Uri, content_hash, memory_id, scene_uri
from schema.message import Message
from schema.scene import Scene, hash_parts
from schema.timespan import millis

# A longer pause ends a scene.
PAUSE_S: Final = 3_600.0
# After a longer pause, or with a new speaker, a slight topic shift ends a scene.
_SHORT_PAUSE_S: Final = 1_200.0
# No topic shift ends a shorter scene, to avoid fragments; after a short pause or with a new speaker half of it.
MESSAGES_MIN: Final = 8
# A slight topic shift ends a scene that is at least this long.
_MESSAGES_FULL: Final = 24
# Maximum size of a scene, so that a model can read it in one call.
MESSAGES_MAX: Final = 36
_CHARS_MAX: Final = 24_000
# Topic shifts that end a scene, in standard deviations (`extraction.text.topic_shift`); a slight one only under the
# conditions above.
_CLEAR_SHIFT: Final = 1.4
_SLIGHT_SHIFT: Final = 0.9
# A less important message does not end a scene by its topic.
_IMPORTANCE_MIN: Final = 4
# Late messages may fill a scene to this multiple of its maximum size, because a separate scene would be a fragment.
_LATE_FACTOR: Final = 2
# Maximum duration of a scene.
SPAN_MAX_S: Final = MESSAGES_MAX * _LATE_FACTOR * PAUSE_S


@dataclass(slots=True)
class _OpenScene:
    """A scene under construction, with its messages in order."""

    id: MemoryId
    uri: Uri
    messages: list[Message] = field(default_factory=list)
    touched: bool = False
    chars: int = 0

    def distance_s(self, moment: datetime) -> float:
        start, end = self.messages[0].said_at, self.messages[-1].said_at
        return max((start - moment).total_seconds(), (moment - end).total_seconds(), 0.0)

    def add(self, message: Message) -> None:
        insort(self.messages, message, key=_key)
        self.chars += len(message.text)
        self.touched = True


def in_order(messages: Sequence[Message]) -> list[Message]:
    """Return messages oldest first, and those of the same time in the order of the call."""
    return sorted(messages, key=_key)


def assign(
    session: str,
    unread: Sequence[Message],
    known: Sequence[Scene],
    topics: Mapping[MemoryId, Topic] | None = None,
) -> list[Scene]:
    """Return the scenes that the unread messages change or create, with all their messages, oldest first.

    Each message joins the nearest scene within the pause. If it follows that scene and shifts its topic, or the scene
    is full, it starts a new scene, whose URI derives from it. A message that falls inside a scene joins it. Messages
    are assigned in the order they were said, by earlier messages only, and never change their scene. So twenty calls
    with one message give the same scenes as one call with twenty, and late messages do not move others.

    Args:
        session: URI of the session.
        known: scenes of the session within the pause of an unread message.
        topics: of unread and known messages, by id; without them only pauses and size count.
    """
    scenes = [_opened(scene) for scene in known]
    assigned = {message.id for scene in scenes for message in scene.messages}
    turns = Turns()
    for message in in_order(unread):
        if message.id in assigned:
            continue
        scene = _nearest(scenes, message)
        if scene is None or _ends(scene, message, topics or {}, turns):
            uri = scene_uri(session, message.id)
            scene = _OpenScene(id=memory_id(uri), uri=uri)
            scenes.append(scene)
        scene.add(message)
    touched = [_close(scene) for scene in scenes if scene.touched]
    return sorted(touched, key=lambda scene: (scene.episode_start, scene.id))


def is_ripe(scene: Scene, *, newest_ms: int, final: bool) -> bool:
    """Return whether a scene is complete: it is full, a later one has begun, or the session ends.

    Args:
        newest_ms: start of the latest scene of the session, in milliseconds since 1970.
        final: the session ends.
    """
    started_ms = millis(scene.episode_start)
    return final or _is_full(len(scene.messages), _chars(scene)) or started_ms < newest_ms


def _is_full(messages: int, chars: int) -> bool:
    return messages >= MESSAGES_MAX or chars >= _CHARS_MAX


def _chars(scene: Scene) -> int:
    return sum(len(message.text) for message in scene.messages)


def _opened(scene: Scene) -> _OpenScene:
    return _OpenScene(id=scene.id, uri=scene.uri, messages=in_order(scene.messages), chars=_chars(scene))


def _key(message: Message) -> tuple[datetime, int, MemoryId]:
    return message.said_at, message.position, message.id


def _nearest(scenes: Sequence[_OpenScene], message: Message) -> _OpenScene | None:
    """Return the scene nearest in time within the pause; of equally near ones, the last that began before it."""
    moment, key = message.said_at, _key(message)
    near = [scene for scene in scenes if scene.distance_s(moment) <= PAUSE_S]
    if not near:
        return None
    least = min(scene.distance_s(moment) for scene in near)
    equal = [scene for scene in near if scene.distance_s(moment) == least]
    begun = [scene for scene in equal if _key(scene.messages[0]) <= key]
    return max(begun or equal, key=lambda scene: _key(scene.messages[0]))


def _ends(scene: _OpenScene, message: Message, topics: Mapping[MemoryId, Topic], turns: Turns) -> bool:
    """Return whether this message starts a new scene instead of joining."""
    ordered, size = scene.messages, len(scene.messages)
    if _key(message) < _key(ordered[-1]):
        return size >= MESSAGES_MAX * _LATE_FACTOR or scene.chars >= _CHARS_MAX * _LATE_FACTOR
    if _is_full(size, scene.chars):
        return True
    new = topics.get(message.id)
    if new is None or message.importance < _IMPORTANCE_MIN:
        return False
    speakers = {(one.speaker or one.role) for one in ordered}
    paused = (message.said_at - ordered[-1].said_at).total_seconds() > _SHORT_PAUSE_S
    slight_counts = paused or (message.speaker is not None and message.speaker not in speakers)
    if size < (MESSAGES_MIN // 2 if slight_counts else MESSAGES_MIN):
        return False
    slight = slight_counts or size >= _MESSAGES_FULL
    earlier = [topics[one.id] for one in ordered if one.id in topics]
    return turns.strength(earlier, new) >= (_SLIGHT_SHIFT if slight else _CLEAR_SHIFT)


def _close(scene: _OpenScene) -> Scene:
    messages = tuple(scene.messages)
    return Scene(id=scene.id, uri=scene.uri, messages=messages, content_hash=content_hash(*hash_parts(messages)))
