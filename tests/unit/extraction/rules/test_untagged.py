"""Test what is read from plain English sentences beside the tags."""

import pytest

from extraction.rules.drafts import Speaker
from extraction.rules.untagged import read_untagged
from extraction.text.sentences import split_sentences


def told(text: str) -> list[str]:
    drafts = read_untagged(split_sentences(text), Speaker(me="@user"))
    return [f"{one.subject}|{one.predicate}|{one.object}" for one in drafts]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm really worried about my dad's heart surgery.", ["@user|CARES_ABOUT|dad's heart surgery"]),
        ("We both care deeply about our kids' education, and we say so.", ["@user|CARES_ABOUT|kids' education"]),
        ("Last May? I visited Buenos Aires in May and it was gorgeous.", ["@user|RELATES_TO|Buenos Aires"]),
        ("Thunder always scares me.", ["@user|DISLIKES|Thunder"]),
        ("My coach is Maria Elena Fuentes.", ["@user|RELATES_TO|Maria Elena Fuentes"]),
        ("My friend is Ольга Петровна Иванова.", ["@user|RELATES_TO|Ольга Петровна Иванова"]),
        ("Remember that I worry about my mum's knee.", ["@user|CARES_ABOUT|mum's knee"]),
        ("- I'm anxious about the exam", ["@user|CARES_ABOUT|exam"]),
        ("I worry about it. I went to bed.", []),
        ("Should I be worried about my mole?", []),
        ("If I went to Rome, I would worry about money.", []),
        ("Write a story. I worry about the moon.", []),
        ('She said "I care about my image" and left.', []),
    ],
)
def test_worries_cares_journeys_and_people_are_told_plainly(text: str, facts: list[str]) -> None:
    assert told(text) == facts


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        ("My headaches are caused by stress. Stress comes from deadlines.", ["headaches<stress", "Stress<deadlines"]),
        ("Red wine gives me headaches.", ["headaches<Red wine"]),
        ("My back pain comes from sitting.", ["back pain<sitting"]),
        ("Coffee always triggers my migraines.", ["migraines<Coffee"]),
        ("My sister comes from Spain.", []),
        ("Grandma gives me presents.", []),
        ("If my headaches were caused by stress, I would rest.", []),
    ],
)
def test_causes_are_told_plainly(text: str, causes: list[str]) -> None:
    said = [one.split("|CAUSED_BY|") for one in told(text)]
    assert [f"{effect}<{cause}" for effect, cause in said] == causes
