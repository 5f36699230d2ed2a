"""Test that a liking which is told in several ways is read as one fact."""

import asyncio
from itertools import permutations

import pytest

from extraction.reader import ProposedFact, SceneLine, SceneText
from extraction.rules.rule_reader import read_by_rules
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.builders import NOON


def likings(*texts: str) -> list[ProposedFact]:
    lines = tuple(
        SceneLine(message_id=MemoryId(text), role=Role.USER, speaker=None, text=text, said_at=NOON) for text in texts
    )
    reading = asyncio.run(read_by_rules(SceneText(user_names=(), agent_names=(), lines=lines)))
    return [fact for fact in reading.facts if fact.predicate in ("PREFERS", "DISLIKES")]


@pytest.mark.parametrize(
    "told",
    [
        ("My favourite colour is teal.", "Teal is my favourite colour.", "I prefer the colour teal."),
        ("I love ramen.", "My favourite food is ramen.", "Ramen is my favorite dish."),
        ("My favourite drink is oolong tea.", "I like oolong tea.", "I love oolong tea."),
        ("I enjoy hiking.", "My favourite hobby is hiking.", "I love hiking."),
        ("My favourite place is Lisbon.", "I love Lisbon.", "Lisbon is my favourite city."),
        ("我最喜欢墨绿色。", "我最喜欢的颜色是墨绿色。", "墨绿色是我最喜欢的颜色。"),
        ("我很爱喝乌龙茶。", "我最喜欢的饮料是乌龙茶。", "我喜欢喝乌龙茶。"),
    ],
)
def test_liking_told_in_several_ways_is_one_fact_in_any_order(told: tuple[str, ...]) -> None:
    for texts in permutations(told):
        [fact] = likings(*texts)
        assert {quote.line for quote in fact.quotes} == {0, 1, 2}
        assert fact.relation is not None


@pytest.mark.parametrize(
    ("told", "count"),
    [
        (("I love ramen.", "My favourite food is sushi."), 2),
        (("I like coriander.", "I hate coriander."), 2),
        (("My favourite food is ramen.", "My favourite food is sushi now.", "I still love ramen."), 3),
    ],
)
def test_other_likings_stay_apart(told: tuple[str, ...], count: int) -> None:
    assert len(likings(*told)) == count
