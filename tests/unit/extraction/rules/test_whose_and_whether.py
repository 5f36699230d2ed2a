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
    ("text", "taken"),
    [
        ("Dentist put me on amoxicillin and I came out in hives, so never again.", False),
    ],
)
def test_medicine_with_a_bad_reaction_is_not_taken(text: str, taken: bool) -> None:
    assert ("takes" in {fact.relation for fact in read(text).facts}) is taken


@pytest.mark.parametrize(
    "text",
    [
        "My laptop died again, third time this year.",
        "I thought I was allergic to nuts but the test came back clear.",
        "I hate to ask, but can you resend it?",
        "Bouldering's moved to Tuesdays.",
        "We went with Postgres over Mongo.",
        "I moved my mother from Leeds to York.",
        "I've been offered a job at a consultancy in Calgary.",
        "Got the community stroke team job.",
        "His dog hates me. The dog's called Pierogi.",
        "Visit my aunt on Sunday.",
        "Congratulate my brother.",
        "Rosie is my sister's dog.",
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
        ("I'm allergic to nuts, my doctor says, and shellfish.", {"nuts"}),
    ],
)
def test_object_ends_where_its_phrase_ends(text: str, expected: set[str]) -> None:
    """Regression: who reported an allergy was an allergen, and "brother" the thing that was disliked."""
    assert {fact.object for fact in read(text).facts} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # English sentences with Chinese names, and the reverse
        # What was so
        ("When I was twelve we moved to Cardiff.", set()),
        # Health in the words that were used
        ("I've got asthma.", {"User has asthma."}),
        ("I can't eat gluten.", {"User cannot have gluten."}),
        # Requests, and what follows them
        ("Write a story about Tom, he lives in Oslo.", set()),
        ("Is my mum still staying with us?", set()),
        # Values end where their clause ends
        ("My car's in the garage and the buses don't run on Sundays.", set()),
        # Whose illness it is, and how long it was so
        ("Our cat Smudge has diabetes and needs insulin twice a day.", {"Smudge is User's cat."}),
        ("In 2019 I rented a flat in Leeds for a year.", set()),
        # Tastes and homes for a time
        ("My mum is staying with my sister in Bath until Easter.", set()),
        # What has a verb of its own is no item of a list
        ("I prefer tea, coffee makes me jittery", {"User prefers tea."}),
        ("I hate mushrooms, olives are fine", {"User hates mushrooms."}),
        # An introduction goes on without its "I am", and nothing else does
        ("I have a brother, living in Leeds", {"User has a brother."}),
        ("I saw a film about a boy, living in Taipei", set()),
        # A verb without its "I" is no name
        ("Have started dating a bloke named Rafferty.", set()),
        ("Update, Connie got a job at Harbourline", {"Connie works at Harbourline."}),
        # What the speaker thinks of it is none, either
        ("I love sad songs and funny movies", {"User loves sad songs.", "User loves funny movies."}),
        # "She" has no name, and "he" may be Ben
        ("Ben has a new girlfriend, she's called Yasmin and she is a paramedic", {"Ben has a girlfriend."}),
        ("Ben has a new girlfriend. He works at Asda.", {"Ben has a girlfriend.", "Ben works at Asda."}),
        ("I like apples, pears and plums", {"User likes apples.", "User likes pears.", "User likes plums."}),
    ],
)
def test_plain_line_states_no_more_than_it_says(text: str, expected: set[str]) -> None:
    """Regression: each of these lines gave a wrong fact, or none, in a set written without a look at the rules."""
    assert {fact.statement for fact in read(text).facts} == expected
