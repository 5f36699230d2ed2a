"""Test what is read from plain talk: one-off wordings of daily life, and clauses that only look like a fact."""

import pytest

from extraction.text.name_spotting import load_words
from tests.unit.extraction.rules.rule_reading import read, shown


@pytest.fixture(scope="module", autouse=True)
def _dictionary() -> None:
    load_words()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My son wants to be a pilot", {"son|CARES_ABOUT:goal|become a pilot"}),
        ("rent's gone up to 950, bills on top", {"user|RELATES_TO:rent|950"}),
        (
            "I'm a product manager at an EV startup",
            {"user|RELATES_TO:works as|product manager", "user|RELATES_TO:works at|EV startup"},
        ),
        ("ok news: from now on I teach at Millbrook Primary", {"user|RELATES_TO:works at|Millbrook Primary"}),
    ],
)
def test_plain_statement_is_read_as_its_fact(text: str, facts: set[str]) -> None:
    found = {shown(fact) for fact in read(text).facts}
    assert {fact for fact in found if not fact.startswith(("user|RELATES_TO:sister", "user|RELATES_TO:son"))} == facts


@pytest.mark.parametrize(
    "text",
    [
        "I'm not a vegetarian",
        "I joined a dragon boat team",
        "I joined Dougal's band",
        "Ella got into Durham to read law!",
        "im a new man",
        "Yeah I'm a real morning person, ask anyone",
        "Feel less like porridge already",
        "Surgeon's got shingles, poor man",
        "I'd rather eat my hat",
        "booked out till jan.",
        "our wifi password changed, I'll send it later",
        "I have a PhD in procrastination and a master's in snacks",
        "My dentist is basically my best friend, four visits this month",
        "I'm at the dentist with Leo",
        "I used to want to be a vet",
        "my nephew isn't allergic to eggs",
        "We moved the kids from Ashfield to Northgate",
    ],
)
def test_clause_that_only_looks_like_a_fact_yields_none(text: str) -> None:
    assert [shown(fact) for fact in read(text).facts] == []


def test_relative_of_a_named_person_is_not_the_users() -> None:
    """Regression: Oliver was the user's cousin as well."""
    assert [shown(fact) for fact in read("Bart and his cousin Oliver spent the day outside.").facts] == [
        "Bart|RELATES_TO:cousin|Oliver"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Jean, that's my sister, swears by turmeric for joints.",
    ],
)
def test_verb_of_somebody_else_is_no_taste_of_the_user(text: str) -> None:
    assert not {fact for fact in read(text).facts if fact.predicate == "PREFERS" and fact.subject == "@user"}
