"""Test the English rules: explicit statements become facts, everything else is ignored."""

import pytest

from extraction.reader import THE_USER
from schema.entity import EntityType
from schema.labels import Role
from tests.support.growth import cpu_within

from .rule_reading import a_scene, cases, read, scored, shown


def test_english_cases_are_read_with_high_precision() -> None:
    score = scored("rule_cases_en.json", user=("Bart",))
    assert score.precision >= 0.85, score.wrong
    assert score.recall >= 0.6, score.wrong


def test_english_cases_contain_enough_sentences_without_facts() -> None:
    every = cases("rule_cases_en.json")
    assert len(every) >= 60
    assert sum(not case["facts"] for case in every) >= 20


def test_quote_is_the_sentence_that_states_the_fact() -> None:
    text = "Good morning! I live in Oslo, and my sister Anna loves skiing."
    facts = {shown(fact): fact.quotes[0] for fact in read(text).facts}
    quote = facts["user|RELATES_TO:lives in|Oslo"]
    assert text[quote.start : quote.end] == "I live in Oslo, and my sister Anna loves skiing."
    quote = facts["Anna|PREFERS|skiing"]
    assert "skiing" in text[quote.start : quote.end]


def test_statements_name_the_user_in_the_third_person() -> None:
    assert [fact.statement for fact in read("I love penguins.", user=("Bart",)).facts] == ["Bart loves penguins."]
    assert [fact.statement for fact in read("I love penguins.").facts] == ["User loves penguins."]


def test_stronger_words_give_a_higher_strength() -> None:
    love, like = (read(text).facts[0].strength for text in ("I love tea.", "I like tea."))
    assert love > like


def test_name_and_pronoun_of_the_user_mean_the_user() -> None:
    facts = read("Bart has a turtle. He loves adventure novels.", user=("Bart",)).facts
    assert {("has", "turtle"), (None, "adventure novels")} == {(fact.relation, fact.object) for fact in facts}
    assert all(fact.subject == THE_USER for fact in facts)


def test_third_speaker_is_the_subject_of_their_statements() -> None:
    facts = read("I love pottery.", user=("Caroline",), speaker="Melanie").facts
    assert [shown(fact) for fact in facts] == ["Melanie|PREFERS|pottery"]


def test_statements_of_an_assistant_yield_no_facts() -> None:
    assert read("You love tea and I live in the cloud.", role=Role.ASSISTANT).facts == ()


def test_move_keeps_its_stated_time() -> None:
    fact = read("We moved to Lisbon last year.").facts[0]
    assert fact.valid_at is not None
    assert fact.valid_at.year == 2023


def test_repeated_fact_has_two_quotes() -> None:
    fact = read("I like tea.", "I really love tea.").facts[0]
    assert ([quote.line for quote in fact.quotes], fact.strength) == ([0, 1], 0.9)


def test_names_are_mentioned_without_a_fact() -> None:
    names = {
        mention.name: mention.entity_type
        for mention in read("On Monday I met Sophia near the Eiffel Tower, thanks.").mentions
    }
    assert {"Sophia", "Eiffel Tower"} == set(names)


def test_quoted_titles_are_works() -> None:
    mentions = read('We talked about "The Little Prince".', user=("Bart",)).mentions
    assert [(item.name, item.entity_type) for item in mentions] == [("The Little Prince", EntityType.WORK)]


def test_user_is_never_a_mention() -> None:
    assert read("Bart went out with Bart.", user=("Bart",)).mentions == ()


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "I love " + "a" * 99_000,
        "(" * 50_000 + ")" * 50_000,
        "I love tea, " * 8_000,
        "my my my " * 11_000,
        "I " * 50_000,
        "and " * 25_000,
        "I am very very " * 6_000,
        'I read "' * 12_000,
        "Aa " * 33_000,
        " " * 100_000,
        "I want to " * 10_000,
        "my kids Aa, Bb and " * 5_000,
        "I told Sam I would " * 5_000,
        '"I say ' * 14_000,
        "because of stress I get headaches when " * 2_500,
    ],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    with cpu_within(4):
        assert len(read(text).facts) <= 40


def test_five_hundred_messages_are_read_in_a_second() -> None:
    texts = [case["text"] for case in cases("rule_cases_en.json")] * 8
    scene = a_scene(*texts, user=("Bart",))
    # Half the target speed, since other processes use the machine.
    with cpu_within(2 * len(texts) / 500):
        read(*[line.text for line in scene.lines], user=("Bart",))
