"""Test what the table of plain English sentences tells, beside the tagger and without it."""

import pytest

from extraction.rules.drafts import Speaker
from extraction.rules.en.plain_sentences import read_plain_sentences
from extraction.text.sentences import split_sentences


def told(text: str) -> list[tuple[str, str, str]]:
    speaker = Speaker(me="@user")
    return [(one.kind, one.subject, one.object) for one in read_plain_sentences(split_sentences(text), speaker)]


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
    assert [f"{subject}<{obj}" for kind, subject, obj in told(text) if kind == "cause"] == causes
