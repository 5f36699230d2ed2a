"""Test what is read of favourites."""

import asyncio

import pytest

from extraction.reader import ProposedFact, SceneLine, SceneText
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.builders import NOON
from tests.support.readers import read_with_tags


def likings(*texts: str) -> list[ProposedFact]:
    lines = tuple(
        SceneLine(message_id=MemoryId(text), role=Role.USER, speaker=None, text=text, said_at=NOON) for text in texts
    )
    reading = asyncio.run(read_with_tags(SceneText(user_names=(), agent_names=(), lines=lines)))
    return [fact for fact in reading.facts if fact.predicate in ("PREFERS", "DISLIKES")]


@pytest.mark.parametrize(
    ("text", "relation", "name", "closes"),
    [
        ("My favourite milk is now soy milk.", "favorite milk", "soy milk", False),
        ("Ramen is my favorite dish.", "favorite dish", "Ramen", False),
        ("My favourite milk is no longer oat milk.", "favorite milk", "oat milk", True),
        ("Oat milk isn't my favourite milk any more.", "favorite milk", "Oat milk", True),
        ("My favourite drink used to be cola.", "favorite drink", "cola", True),
        ("Hiking is my favourite thing to do.", None, "Hiking", False),
        ("My favourite is now soy milk.", None, "soy milk", False),
        ("Teal is the colour I like best.", "favorite colour", "Teal", False),
    ],
)
def test_favourite_is_read_with_its_category_and_its_end(
    text: str, relation: str | None, name: str, closes: bool
) -> None:
    assert [(fact.relation, fact.object, fact.closes) for fact in likings(text)] == [(relation, name, closes)]


@pytest.mark.parametrize(
    "text",
    [
        "My favourite colour is not red.",
        "Ben is the person I like least.",
    ],
)
def test_what_names_no_favourite_is_not_read(text: str) -> None:
    assert likings(text) == []
