"""Test that everyday English statements become facts without a model, and what only resembles them does not."""

from collections.abc import Callable

import pytest

from tests.support.growth import assert_about_linear

from .rule_reading import read, shown

USER = "user|RELATES_TO"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # The examples of the README and of the first minutes of a user
        (
            "My wife Sofia is a dentist and our son Leo is 6",
            {
                f"{USER}:wife|Sofia",
                "Sofia|RELATES_TO:works as|dentist",
                f"{USER}:son|Leo",
                "Leo|RELATES_TO:has age|6 years old",
            },
        ),
        ("I drive a Tesla Model 3", {f"{USER}:drives|Tesla Model 3"}),
        (
            "I'm allergic to peanuts, my sister Clara is a vegetarian",
            {"user|DISLIKES|peanuts", f"{USER}:sister|Clara", "Clara|RELATES_TO:is|vegetarian"},
        ),
        ("My new phone number is 555-0199", {f"{USER}:phone number|555-0199"}),
        # Moves and homes
        # Work
        ("Handed in my notice at Nokia today.", {f"{USER}:works at|Nokia|closed"}),
        ("I'm a midwife at Alder Hey.", {f"{USER}:works as|midwife", f"{USER}:works at|Alder Hey"}),
        ("My husband Paul got laid off from Nokia.", {f"{USER}:husband|Paul", "Paul|RELATES_TO:works at|Nokia|closed"}),
        ("Last day at Barclays today.", {f"{USER}:works at|Barclays|closed"}),
        ("My wife works at Ernst & Young.", {f"{USER}:wife|wife", "wife|RELATES_TO:works at|Ernst & Young"}),
        ("I run the school's robotics club on Fridays", set()),
        # Who lives there, and who "he" is
        ("My flatmate Ola moved out last week", {f"{USER}:flatmate|Ola|closed"}),
        (
            "my sister Anna lives in Leeds and my brother Tom is a baker. He lives in York. She plays chess.",
            {
                f"{USER}:sister|Anna",
                "Anna|RELATES_TO:lives in|Leeds",
                f"{USER}:brother|Tom",
                "Tom|RELATES_TO:works as|baker",
                "Tom|RELATES_TO:lives in|York",
                "Anna|RELATES_TO:plays|chess",
            },
        ),
        ("My mum is 70. He likes jazz.", {"mother|RELATES_TO:has age|70 years old"}),
        ("Theo's a shepherd in the nativity on 11 December", set()),
        ("Ola moved out. Now Kuba rents the room, he plays the cello", {"Kuba|RELATES_TO:plays|cello"}),
        # Partners, relatives, ages
        ("I've been seeing someone called Imke.", {f"{USER}:partner|Imke"}),
        ("My oldest, Pia, just turned six.", {f"{USER}:child|Pia", "Pia|RELATES_TO:has age|six years old"}),
        ("Turned 33 on Sunday.", {f"{USER}:has age|33 years old"}),
        ("My mother-in-law Greta has moved in with us.", {f"{USER}:mother-in-law|Greta", f"{USER}:lives with|Greta"}),
        # Pets and belongings
        ("got a kitten!! her name's Miso", {f"{USER}:has|kitten", f"{USER}:kitten|Miso"}),
        ("Our dog Biscuit died last week.", {f"{USER}:dog|Biscuit|closed"}),
        ("Traded my Polo in for an electric Kia.", {f"{USER}:has|electric Kia", f"{USER}:has|Polo|closed"}),
        ("I own two sewing machines.", {f"{USER}:has|sewing machines"}),
        ("My laptop is a ThinkPad X1.", {f"{USER}:laptop|ThinkPad X1"}),
        # Numbers and sizes
        ("Dad's mobile is 07700 900555.", {"father|RELATES_TO:phone number|07700 900555"}),
        (
            "Our flat number changed, it's 12C and not 12A now.",
            {f"{USER}:flat number|12C", f"{USER}:flat number|12A|closed"},
        ),
        ("I wear a 43 in boots.", {f"{USER}:boot size|43"}),
        ("The gate code is 4471.", {f"{USER}:gate code|4471"}),
        # Medicines, allergies, diets
        ("I'm on 50 mg of sertraline.", {f"{USER}:takes|sertraline 50 mg"}),
        ("I've come off the antidepressants.", {f"{USER}:takes|antidepressants|closed"}),
        # Plans, promises, reasons
        ("I'm handing in the thesis by the end of November.", {"user|CARES_ABOUT:plan|handing in the thesis"}),
        ("My exam is on the 14th of June.", {"user|CARES_ABOUT:plan|exam"}),
        ("Gave Dad my word I'd be home for Diwali.", {"user|CARES_ABOUT:promise|be home for Diwali"}),
        ("I cancelled the course because of the price.", {"cancelling the course|CAUSED_BY|price"}),
        # Tastes and changes
        ("Loud restaurants drive me up the wall.", {"user|DISLIKES|Loud restaurants"}),
        ("Swapped my morning coffee for green tea.", {"user|PREFERS|green tea", "user|PREFERS|morning coffee|closed"}),
    ],
)
def test_everyday_statement_yields_its_facts(text: str, facts: set[str]) -> None:
    assert facts <= {shown(fact) for fact in read(text).facts}


@pytest.mark.parametrize(
    "text",
    [
        "If I lived in Rome I'd eat gelato every day.",
        "I wish I had a garden.",
        "Imagine I'm a pilot with ten kids.",
        "Had I married Colin I'd be running a farm by now.",
        "I nearly bought a motorbike.",
        "We were going to move to Bristol but it fell through.",
        "I'm thinking about moving to Norway.",
        "Am I allergic to nuts?",
        "My boss says Java is best.",
        "My neighbour thinks I should move to Spain.",
        "Rumour has it Dana from accounts is engaged.",
        "According to the quiz I'm afraid of commitment and should live in Tokyo.",
        "In the novel I'm writing, the detective lives in Leeds and has three cats.",
        "Write a birthday card from Liam to his wife Orla.",
        "I dreamt I was living in Tokyo.",
        "His bio: 'I live in Texas. I hate raisins.'",
        "My PIN is 1234.",
        "I'm in Rome this weekend.",
        "I'm at the airport in Frankfurt.",
        "I've got a question about cars.",
        "I took the train to Leeds today.",
        "I've got a headache.",
        "I lost my keys.",
        "Our neighbours bought a Tesla.",
        "Everyone has a dog these days.",
        "Yes yes, I'm 104 years old.",
        "I have a meeting in five minutes.",
    ],
)
def test_what_only_resembles_a_fact_yields_none(text: str) -> None:
    assert [shown(fact) for fact in read(text).facts] == []


def test_planned_move_or_marriage_is_a_plan() -> None:
    for text in (
        "We're moving to Basel in July.",
        "My son Max is getting married in June.",
        "I start at Lidl on Monday.",
    ):
        assert {fact.predicate for fact in read(text).facts} >= {"CARES_ABOUT"}
        assert not {fact.relation for fact in read(text).facts} & {"lives in", "married to", "works at"}


@pytest.mark.parametrize(
    "piece",
    [
        "my sister's old ",
        "I swapped the old big red ",
        "New York and ",
        "my new new work number is 07 ",
        "have just really been ",
        "on Monday the 3rd of May at 5 ",
        "a b, c and d or ",
        "'it's 'not ",
        "12 345-67 ",
        "After nine years in Dubai I ",
        "allergic to nuts, eggs and ",
        "from 5 mg of ramipril to ",
    ],
)
def test_reading_repeated_words_takes_about_linear_time(piece: str) -> None:
    def work(count: int) -> Callable[[], object]:
        text = piece * count
        return lambda: read(text)

    work(2)()
    assert_about_linear(work, 20, floor_s=0.2)


def test_statements_of_frames_read_as_sentences() -> None:
    texts = ("We sold the caravan.", "I drive a Tesla Model 3", "I'm saving up for a kayak", "I love Ben & Jerry's")
    assert [fact.statement for text in texts for fact in read(text).facts] == [
        "User no longer has a caravan.",
        "User drives a Tesla Model 3.",
        "User is saving up for kayak.",
        "User loves Ben & Jerry's.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved from Berlin to Lisbon.", ["User lives in Lisbon.", "User no longer lives in Berlin."]),
        ("I moved from Berlin to lisbon.", ["User lives in Lisbon.", "User no longer lives in Berlin."]),
        ("I went from Paris to Rome by train.", []),
        ("I moved my mother to York.", []),
        ("We moved the sofa from Leeds to York.", []),
        ("I moved the piano from the flat to the garage.", []),
        ("CI moved from GitLab to GitHub Actions.", []),
        ("Nuria has a studio in Bruton.", ["Nuria has a studio."]),
        ("We've no kids but we have two donkeys.", ["User has donkeys."]),
        ("They offered me a loan, I'd rather wait.", []),
        (
            "My sister has moved from Oslo to Bergen.",
            ["User's sister lives in Bergen.", "User's sister no longer lives in Oslo."],
        ),
    ],
)
def test_places_are_lived_in_and_products_are_used(text: str, expected: list[str]) -> None:
    assert [fact.statement for fact in read(text).facts] == expected
