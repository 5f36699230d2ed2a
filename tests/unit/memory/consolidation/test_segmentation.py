"""Test scene boundaries: pauses, topics and size, independent of how messages are split into calls."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.text.topic_shift import Topic, topic_words
from graph_service.memory.consolidation.segmentation import MESSAGES_MAX, PAUSE_S, assign, in_order
from schema.ids import memory_id, message_uri
from schema.labels import Role
from schema.message import Message
from schema.scene import Scene
from tests.support.builders import NOON

SESSION = "memory://t/session/alice/s1"


def messages_at(minutes: list[int]) -> list[Message]:
    """Return messages at these minutes after noon, in order."""
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


def add_messages(scenes: list[Scene], messages: list[Message]) -> list[Scene]:
    """Return all scenes after some more messages."""
    if not messages:
        return scenes
    pause = timedelta(seconds=PAUSE_S)
    start, end = messages[0].said_at - pause, messages[-1].said_at + pause
    near = [scene for scene in scenes if scene.episode_start <= end and scene.episode_end >= start]
    merged = {scene.id: scene for scene in scenes} | {s.id: s for s in assign(SESSION, messages, near)}
    return sorted(merged.values(), key=lambda scene: (scene.episode_start, scene.id))


def test_scene_ends_when_it_has_much_text() -> None:
    messages = [replace(message, text="x" * 9_000) for message in messages_at([0, 1, 2, 3, 4, 5])]
    scenes = assign(SESSION, messages, [])
    assert [len(scene.messages) for scene in scenes] == [3, 3]
    # For any order of arrival.
    assert assign(SESSION, messages[4:], assign(SESSION, messages[:4], [])) == scenes[1:]


minutes = st.lists(st.integers(0, 720), max_size=120)


@given(minutes, st.lists(st.integers(0, 120), max_size=4))
def test_batching_into_calls_does_not_change_the_scenes(times: list[int], cuts: list[int]) -> None:
    messages = messages_at(times)
    edges = [0, *sorted(min(scene_sizes, len(messages)) for scene_sizes in cuts), len(messages)]
    scenes: list[Scene] = []
    for start, end in pairwise(edges):
        scenes = add_messages(scenes, messages[start:end])
    assert scenes == add_messages([], messages)


@given(minutes)
def test_every_message_is_in_exactly_one_scene(times: list[int]) -> None:
    messages = messages_at(times)
    held = [message.id for scene in add_messages([], messages) for message in scene.messages]
    assert sorted(held) == sorted(message.id for message in messages)


@given(minutes)
def test_scenes_respect_maximum_size_and_pause(times: list[int]) -> None:
    for scene in add_messages([], messages_at(times)):
        assert len(scene.messages) <= MESSAGES_MAX
        moments = [message.said_at for message in in_order(scene.messages)]
        assert all((b - a).total_seconds() <= PAUSE_S for a, b in pairwise(moments))


@given(minutes)
def test_assigning_the_same_messages_again_changes_nothing(times: list[int]) -> None:
    scenes = add_messages([], messages_at(times))
    assert assign(SESSION, messages_at(times), scenes) == []


def test_late_message_is_added_to_its_scene() -> None:
    messages = messages_at([0, 1, 2, 70, 71])
    late = messages.pop(1)
    scenes = add_messages(add_messages([], messages), [late])
    assert [len(scene.messages) for scene in scenes] == [3, 2]


def test_late_message_is_added_to_its_scene_although_it_is_full() -> None:
    messages = messages_at([*range(MESSAGES_MAX + 1)])
    late = messages.pop(2)
    scenes = add_messages(add_messages([], messages), [late])
    assert [len(scene.messages) for scene in scenes] == [MESSAGES_MAX + 1]


def test_message_after_a_full_scene_is_not_added_to_an_earlier_one() -> None:
    scenes = add_messages([], messages_at([0, *range(50, 51 + MESSAGES_MAX)]))
    assert [len(scene.messages) for scene in scenes] == [MESSAGES_MAX, 2]


def test_messages_with_equal_times_keep_their_order_across_scenes() -> None:
    messages = messages_at([0] * 80)
    pieces = {tuple(message.position for message in scene.messages) for scene in add_messages([], messages)}
    assert pieces == {tuple(range(36)), tuple(range(36, 72)), tuple(range(72, 80))}


COOKING_EN = [
    "I baked sourdough bread with rye flour this morning.",
    "The sourdough starter needs rye flour and water every morning.",
    "My oven bakes the bread for forty minutes with steam.",
    "Steam makes the crust of the bread crisp in the oven.",
    "I want to bake bread with spelt flour and seeds tomorrow.",
    "Spelt flour and seeds make bread heavy, bake it longer.",
    "The crust needs steam and a hot oven for ten minutes.",
    "A hot oven with steam and rye flour makes good bread crust.",
]
TRAVEL_EN = [
    "We booked train tickets from Vienna towards Venice for August.",
    "The Venice train leaves Vienna at night, tickets cost eighty euros.",
    "Book the Venice tickets early, night trains from Vienna fill up.",
]
COOKING_ZH = [
    "今天早上我用黑麦面粉烤了酸面包。",
    "酸面包的酵种每天早上要加黑麦面粉和水。",
    "我的烤箱烤面包要四十分钟，还要蒸汽。",
    "蒸汽让烤箱里的面包外皮很脆。",
    "明天我想用黑麦面粉和种子烤面包。",
    "黑麦面粉和种子让面包更重，要烤久一点。",
    "面包外皮需要蒸汽和很热的烤箱。",
    "很热的烤箱加蒸汽，黑麦面包的外皮最好。",
]
TRAVEL_ZH = [
    "我们订了八月去威尼斯的夜车票，从维也纳出发。",
    "去威尼斯的夜车晚上从维也纳出发，车票八十欧。",
    "夜车票要早点订，八月的车票卖得很快。",
]


def scene_sizes(texts: list[str], *, importance: int = 5) -> list[int]:
    """Return the sizes of the scenes of these texts, one per minute."""
    messages = [
        replace(message, text=text, importance=importance)
        for message, text in zip(messages_at(list(range(len(texts)))), texts, strict=True)
    ]
    topics = {message.id: Topic(terms=topic_words(message.text)) for message in messages}
    return [len(scene.messages) for scene in assign(SESSION, messages, [], topics)]


@pytest.mark.parametrize("texts", [COOKING_EN + TRAVEL_EN, COOKING_ZH + TRAVEL_ZH], ids=["en", "zh"])
def test_change_of_topic_begins_a_scene(texts: list[str]) -> None:
    assert scene_sizes(texts) == [8, 3]


@pytest.mark.parametrize("texts", [COOKING_EN[:5] + TRAVEL_EN, COOKING_ZH[:5] + TRAVEL_ZH], ids=["en", "zh"])
def test_change_of_topic_leaves_no_fragment(texts: list[str]) -> None:
    assert scene_sizes(texts) == [8]


def test_thanks_and_unimportant_messages_change_no_topic() -> None:
    assert scene_sizes([*COOKING_EN, "Thanks a lot!", "好的，谢谢"]) == [10]
    assert scene_sizes(COOKING_EN + TRAVEL_EN, importance=2) == [11]


def test_new_speaker_with_another_topic_begins_a_scene_sooner() -> None:
    texts = COOKING_EN[:5] + TRAVEL_EN
    messages = [
        replace(message, text=text, speaker="Ana" if index < 5 else "Ben")
        for index, (message, text) in enumerate(zip(messages_at(list(range(8))), texts, strict=True))
    ]
    topics = {message.id: Topic(terms=topic_words(message.text)) for message in messages}
    assert [len(scene.messages) for scene in assign(SESSION, messages, [], topics)] == [5, 3]


@given(st.permutations(range(11)), st.booleans())
def test_late_messages_never_move_others_to_another_scene(order: list[int], chinese: bool) -> None:
    texts = COOKING_ZH + TRAVEL_ZH if chinese else COOKING_EN + TRAVEL_EN
    messages = [replace(m, text=text) for m, text in zip(messages_at(list(range(11))), texts, strict=True)]
    topics = {message.id: Topic(terms=topic_words(message.text)) for message in messages}
    scenes: dict[str, Scene] = {}
    home: dict[str, str] = {}
    for index in order:
        for scene in assign(SESSION, [messages[index]], list(scenes.values()), topics):
            scenes[scene.id] = scene
            for message in scene.messages:
                assert home.setdefault(message.id, scene.id) == scene.id
    assert len(home) == 11
