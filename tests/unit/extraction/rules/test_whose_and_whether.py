"""Test facts that need more than their own words: whose relative it is, and whether a medicine is still taken."""

import pytest

from tests.unit.extraction.rules.rule_reading import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister has a dog called Biscuit.", {("sister", "dog", "Biscuit")}),
    ],
)
def test_relation_belongs_to_the_nearest_relative(text: str, expected: set[tuple[str, str | None, str]]) -> None:
    facts = read(text).facts
    assert {(fact.subject, fact.relation, fact.object) for fact in facts} == expected


@pytest.mark.parametrize(
    "text",
    [
        "I thought I was allergic to nuts but the test came back clear.",
        "I hate to ask, but can you resend it?",
        "I've been offered a job at a consultancy in Calgary.",
        "Congratulate my brother.",
        "Plan a trip for us, please.",
    ],
)
def test_idioms_former_beliefs_and_other_subjects_state_nothing_about_the_user(text: str) -> None:
    assert read(text).facts == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister works at a small bakery called Crumb.", ("sister", "works at", "Crumb")),
        ("On Mondays I teach at the art school.", ("@user", "works at", "art school")),
    ],
)
def test_work_names_and_intolerances_in_everyday_words(text: str, expected: tuple[str, str | None, str]) -> None:
    assert expected in {(fact.subject, fact.relation, fact.object) for fact in read(text).facts}


@pytest.mark.parametrize(
    ("text", "object_", "closes"),
    [
        ("I've lived in Porto for ten years.", "Porto", False),
        ("I've worked at Bosch for ten years.", "Bosch", False),
    ],
)
def test_simple_past_of_a_home_or_job_is_over(text: str, object_: str, closes: bool) -> None:
    """Regression: "I lived in Spain for a year" was the present home, and closed the real one."""
    assert {fact.closes for fact in read(text).facts if fact.object == object_} == {closes}


@pytest.mark.parametrize(
    "text",
    ["Having lived in Spain, I can help.", "As a student I worked a lot.", "I worked at the office today."],
)
def test_participles_and_single_days_state_no_home_or_job(text: str) -> None:
    assert {fact.relation for fact in read(text).facts}.isdisjoint({"lives in", "works at", "works as"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to nuts, my doctor says, and shellfish.", {"nuts", "shellfish"}),
    ],
)
def test_object_ends_where_its_phrase_ends(text: str, expected: set[str]) -> None:
    """Regression: who reported an allergy was an allergen, and "brother" the thing that was disliked."""
    assert {fact.object for fact in read(text).facts} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've got asthma.", {"User has asthma."}),
        ("I can't eat gluten.", {"User is allergic to gluten."}),
        ("Write a story about Tom, he lives in Oslo.", set()),
        ("Is my mum still staying with us?", set()),
        ("In 2019 I rented a flat in Leeds for a year.", set()),
        ("I saw a film about a boy, living in Taipei", set()),
        ("Update, Connie got a job at Harbourline", {"Connie works at Harbourline."}),
        ("I love sad songs and funny movies", {"User loves sad songs.", "User loves funny movies."}),
        ("I like apples, pears and plums", {"User likes apples.", "User likes pears.", "User likes plums."}),
    ],
)
def test_plain_line_states_no_more_than_it_says(text: str, expected: set[str]) -> None:
    """Regression: each of these lines gave a wrong fact, or none, in a set written without a look at the rules."""
    assert {fact.statement for fact in read(text).facts} == expected
