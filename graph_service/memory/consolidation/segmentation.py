"""Which messages make one scene: by pauses, topics, participants and size, however they were cut into calls. Pure."""

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from extraction.text.topic_shift import Topic, Turns
from schema.ids import MemoryId, Uri, content_hash, memory_id, scene_uri
from schema.message import Message
from schema.scene import Scene

# Late messages may fill a scene beyond its size, because a scene of its own would be a fragment; but not for ever.
_LATE_FACTOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneRules:
    """When a new scene begins. Turns are in standard deviations, as `extraction.text.topic_shift.turn` gives them.

    Attributes:
        pause_s: a longer silence ends a scene.
        lull_s: after a longer silence, or when somebody new speaks, a slight turn of topic ends a scene.
        messages_min: no turn of topic ends a shorter scene, so that there are no fragments; half of it is enough
            after a lull and for a new speaker.
        messages_full: a slight turn of topic ends a longer scene.
        messages_max: a scene of this size is ended, so that a model can read it in one call.
        chars_max: a scene with so many characters is ended, for the same reason and so that reading it has an end.
        turn_clear: a turn of topic that ends a scene; turn_slight: one that does when something else speaks for it.
        importance_min: a less important message ends no scene by its topic.
    """

    pause_s: float = 3_600.0
    lull_s: float = 1_200.0
    messages_min: int = 8
    messages_full: int = 24
    messages_max: int = 36
    chars_max: int = 24_000
    turn_clear: float = 1.4
    turn_slight: float = 0.9
    importance_min: int = 4


@dataclass(slots=True)
class _Open:
    """A scene that may take messages; they are kept in order."""

    id: MemoryId
    uri: Uri
    messages: list[Message] = field(default_factory=list)
    touched: bool = False
    chars: int = 0

    def distance_s(self, moment: datetime) -> float:
        start, end = self.messages[0].said_at, self.messages[-1].said_at
        return max((start - moment).total_seconds(), (moment - end).total_seconds(), 0.0)

    def take(self, message: Message) -> None:
        insort(self.messages, message, key=_key)
        self.chars += len(message.text)
        self.touched = True


def in_order(messages: Sequence[Message]) -> list[Message]:
    """Oldest first; at the same moment as they stood in the call."""
    return sorted(messages, key=_key)


def assign(
    session: str,
    unread: Sequence[Message],
    known: Sequence[Scene],
    rules: SceneRules | None = None,
    topics: Mapping[MemoryId, Topic] | None = None,
) -> list[Scene]:
    """Return the scenes that change when the unread messages join a session, complete, oldest first.

    Each message joins the nearest scene that is not further away than the pause, unless it goes on after the end of
    that scene and turns away from it or finds it full; then it opens one that is named by it. A message that belongs
    inside a scene joins it. Messages are taken one by one in the order they were said, each decision looks at earlier
    ones only, and no message ever changes its scene: one call with twenty messages and twenty calls with one give
    the same scenes, and late messages move nothing.

    Args:
        session: URI of the session.
        known: scenes of the session that lie within the pause of an unread message.
        topics: of unread and known messages, by id; without them pauses and size decide.
    """
    rules = rules or SceneRules()
    scenes = [_opened(scene) for scene in known]
    held = {message.id for scene in scenes for message in scene.messages}
    turns = Turns()
    for message in in_order(unread):
        if message.id in held:
            continue
        scene = _nearest(scenes, message, rules)
        if scene is None or _ends(scene, message, rules, topics or {}, turns):
            uri = scene_uri(session, message.id)
            scene = _Open(id=memory_id(uri), uri=uri)
            scenes.append(scene)
        scene.take(message)
    touched = [_close(scene) for scene in scenes if scene.touched]
    return sorted(touched, key=lambda scene: (scene.episode_start, scene.id))


def span_pauses(rules: SceneRules) -> int:
    """Return how many pauses long a scene can be at most; each of its messages came within one of the others."""
    return rules.messages_max * _LATE_FACTOR


def is_ripe(scene: Scene, rules: SceneRules, *, newest_ms: int, final: bool) -> bool:
    """Return whether a scene will hardly grow any more: it is full, a later one has begun, or its session ends.

    Args:
        newest_ms: when the latest scene of the session begins, milliseconds since 1970.
        final: the session ends.
    """
    started_ms = round(scene.episode_start.timestamp() * 1000)
    return final or _is_full(len(scene.messages), _chars(scene), rules) or started_ms < newest_ms


def _is_full(messages: int, chars: int, rules: SceneRules) -> bool:
    return messages >= rules.messages_max or chars >= rules.chars_max


def _chars(scene: Scene) -> int:
    return sum(len(message.text) for message in scene.messages)


def _opened(scene: Scene) -> _Open:
    return _Open(id=scene.id, uri=scene.uri, messages=in_order(scene.messages), chars=_chars(scene))


def _key(message: Message) -> tuple[datetime, int, MemoryId]:
    return message.said_at, message.position, message.id


def _nearest(scenes: Sequence[_Open], message: Message, rules: SceneRules) -> _Open | None:
    """Return the scene that lies nearest in time; of several, the latest that began before the message."""
    moment, key = message.said_at, _key(message)
    near = [scene for scene in scenes if scene.distance_s(moment) <= rules.pause_s]
    if not near:
        return None
    least = min(scene.distance_s(moment) for scene in near)
    equal = [scene for scene in near if scene.distance_s(moment) == least]
    begun = [scene for scene in equal if _key(scene.messages[0]) <= key]
    return max(begun or equal, key=lambda scene: _key(scene.messages[0]))


def _ends(scene: _Open, message: Message, rules: SceneRules, topics: Mapping[MemoryId, Topic], turns: Turns) -> bool:
    """Return whether a scene is over when this message comes."""
    ordered, size = scene.messages, len(scene.messages)
    if _key(message) < _key(ordered[-1]):
        return size >= rules.messages_max * _LATE_FACTOR or scene.chars >= rules.chars_max * _LATE_FACTOR
    if _is_full(size, scene.chars, rules):
        return True
    new = topics.get(message.id)
    if new is None or message.importance < rules.importance_min:
        return False
    names = {(one.speaker or one.role) for one in ordered}
    lull = (message.said_at - ordered[-1].said_at).total_seconds() > rules.lull_s
    eager = lull or (message.speaker is not None and message.speaker not in names)
    if size < (rules.messages_min // 2 if eager else rules.messages_min):
        return False
    slight = eager or size >= rules.messages_full
    earlier = [topics[one.id] for one in ordered if one.id in topics]
    return turns.strength(earlier, new) >= (rules.turn_slight if slight else rules.turn_clear)


def _close(scene: _Open) -> Scene:
    messages = tuple(scene.messages)
    return Scene(
        id=scene.id,
        uri=scene.uri,
        messages=messages,
        content_hash=content_hash(*(part for message in messages for part in (message.id, message.content_hash))),
    )
