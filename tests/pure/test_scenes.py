"""Scenes: pauses and size decide, and how the messages were cut into calls does not."""

from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.scenes import SceneRules, assign, in_order
from schema.ids import memory_id, message_uri
from schema.labels import Role
from schema.message import Message
from schema.scene import Scene
from tests.builders import NOON

SESSION = "memory://t/session/alice/s1"
RULES = SceneRules(pause_s=600, messages_max=5)


def said(minutes: list[int]) -> list[Message]:
    """Messages at some minutes after noon, in order."""
    messages = []
    for index, minute in enumerate(sorted(minutes)):
        uri = message_uri(SESSION, f"m{index:03d}")
        messages.append(
            Message(
                id=memory_id(uri),
                uri=uri,
                role=Role.USER,
                text=f"Message {index}.",
                said_at=NOON + timedelta(minutes=minute),
                content_hash=str(index),
                position=index,
            )
        )
    return messages


def grow(scenes: list[Scene], messages: list[Message]) -> list[Scene]:
    """All scenes after some more messages."""
    if not messages:
        return scenes
    pause = timedelta(seconds=RULES.pause_s)
    start, end = messages[0].said_at - pause, messages[-1].said_at + pause
    near = [scene for scene in scenes if scene.episode_start <= end and scene.episode_end >= start]
    merged = {scene.id: scene for scene in scenes} | {s.id: s for s in assign(SESSION, messages, near, RULES)}
    return sorted(merged.values(), key=lambda scene: (scene.episode_start, scene.id))


minutes = st.lists(st.integers(0, 120), max_size=30)


@given(minutes, st.lists(st.integers(0, 30), max_size=4))
def test_the_cut_into_calls_does_not_change_the_scenes(times: list[int], cuts: list[int]) -> None:
    messages = said(times)
    edges = [0, *sorted(min(cut, len(messages)) for cut in cuts), len(messages)]
    scenes: list[Scene] = []
    for start, end in pairwise(edges):
        scenes = grow(scenes, messages[start:end])
    assert scenes == grow([], messages)


@given(minutes)
def test_every_message_is_in_exactly_one_scene(times: list[int]) -> None:
    messages = said(times)
    held = [message.id for scene in grow([], messages) for message in scene.messages]
    assert sorted(held) == sorted(message.id for message in messages)


@given(minutes)
def test_scenes_keep_to_their_size_and_pause(times: list[int]) -> None:
    for scene in grow([], said(times)):
        assert len(scene.messages) <= RULES.messages_max
        moments = [message.said_at for message in in_order(scene.messages)]
        assert all((b - a).total_seconds() <= RULES.pause_s for a, b in pairwise(moments))


@given(minutes)
def test_assigning_the_same_messages_again_touches_nothing(times: list[int]) -> None:
    scenes = grow([], said(times))
    assert assign(SESSION, said(times), scenes, RULES) == []


def test_a_late_message_joins_the_scene_it_belongs_to() -> None:
    messages = said([0, 1, 2, 60, 61])
    late = messages.pop(1)
    scenes = grow(grow([], messages), [late])
    assert [len(scene.messages) for scene in scenes] == [3, 2]
