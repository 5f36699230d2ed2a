"""Test English facts of daily life (school years, commutes, former homes and jobs, plans), and what looks like them."""

import pytest

from tests.unit.extraction.rules.rule_reading import read

Fact = tuple[str, str, str | None, str]


def _facts(text: str) -> set[Fact]:
    found = {(one.subject, one.predicate, one.relation, one.object) for one in read(text).facts}
    return {one for one in found if one[2] != one[3]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My partner is Julian.", ("@user", "RELATES_TO", "partner", "Julian")),
        ("Can you write a card for my aunt Jean?", ("@user", "RELATES_TO", "aunt", "Jean")),
        ("I have to renew my passport before October.", ("@user", "CARES_ABOUT", "plan", "renewing passport")),
        ("I've decided to sell the motorbike.", ("@user", "CARES_ABOUT", "plan", "sell the motorbike")),
    ],
)
def test_daily_life_in_plain_words_is_read(text: str, expected: Fact) -> None:
    assert _facts(text) == {expected}


@pytest.mark.parametrize(
    "text",
    [
        "He goes swimming every day.",
        "People here run every morning.",
        "You should go running every day.",
        "I should go swimming more often.",
        "I wish I could go hiking every weekend.",
        "My doctor told me to swim twice a week.",
        "I don't go swimming any more.",
        "Do I go swimming on Mondays?",
        "I run out of milk every week.",
        "I usually have lunch at noon.",
        "I always forget my keys.",
        "I was thinking of you.",
        "Are you considering moving?",
        "My boss is thinking about firing me.",
        "I need to talk to you tomorrow.",
        "I'm watching Leo tonight.",
        "My kids are 4 and 7.",
        "I'm not a morning person.",
        "Can you tell me where my brother Tom lives?",
        "I know Berlin from school trips.",
        "I left the gym at nine.",
        "I dropped the gym bag.",
        "I'm watching TV.",
        "I lived in fear.",
        "I have always lived in dread of exams.",
        "I was a mess.",
    ],
)
def test_similar_words_state_nothing(text: str) -> None:
    assert _facts(text) == set()


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("My parents no longer have a dog.", "User's parents no longer have a dog."),
        ("My father lives in Leeds.", "User's father lives in Leeds."),
        ("I quit the gym last month.", "User no longer goes to the gym."),
    ],
)
def test_statement_agrees_with_its_subject(text: str, statement: str) -> None:
    """Regression: "User's parents no longer has a dog", and who quit the gym "no longer has a gym"."""
    assert statement in {one.statement for one in read(text).facts}


def test_list_of_children_names_each_as_one() -> None:
    """Regression: Sam was the user's "kids"."""
    found = {(one.relation, one.object) for one in read("I have two kids, Sam and Ella.").facts}
    assert found == {("kid", "Sam"), ("kid", "Ella"), ("has", "kids")}
