"""Test clauses whose value is given by their verb or noun, and what looks like them."""

import pytest

from tests.unit.extraction.rules.rule_reading import read


def _stated(text: str) -> set[tuple[str, str, str, bool]]:
    return {(one.subject, one.relation or one.predicate, one.object, one.closes) for one in read(text).facts}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("After eleven years I've walked out of Tesco.", ("@user", "works at", "Tesco", True)),
        ("mum turns 80 on the 9th of June", ("mother", "has age", "80 years old", False)),
        ("Priya (my business partner) needs access as well.", ("@user", "business partner", "Priya", False)),
    ],
)
def test_clauses_state_the_value_of_the_slot_that_the_verb_or_noun_fills(
    text: str, expected: tuple[str, str, str, bool]
) -> None:
    assert expected in _stated(text)


@pytest.mark.parametrize(
    "text",
    [
        "I hate to ask, but can you resend it?",
        "I might take up the cello when I retire.",
        "Hi, we've left Croydon.",
        "I'm with Sarah right now.",
        "my train is late again",
        "Let's play a game: I'm a spy, I live in Vienna and I have a poodle.",
        "Reply to him: thanks, I live on Mill Road and I have a van.",
        "I used to think I was allergic to cats.",
        "I've a question about my invoice.",
    ],
)
def test_clauses_about_the_moment_others_and_fiction_state_nothing(text: str) -> None:
    assert _stated(text) == set()
