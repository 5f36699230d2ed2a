"""Test that the rules read whole names, bounded stays and jobs called assistant, in both languages."""

import asyncio
from datetime import UTC, datetime

import pytest

from extraction.entities.matching import person_words
from extraction.reader import ProposedFact, SceneLine, SceneText
from extraction.rules.drafts import Speaker
from extraction.rules.tag_facts import tag_drafts
from extraction.rules.tags import Tag
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.readers import read_with_tags


def facts_in(text: str) -> list[ProposedFact]:
    at = datetime(2026, 8, 20, 10, tzinfo=UTC)
    line = SceneLine(message_id=MemoryId("m"), role=Role.USER, speaker=None, text=text, said_at=at)
    reading = asyncio.run(read_with_tags(SceneText(user_names=("Rui",), agent_names=(), lines=(line,))))
    return list(reading.facts)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My coach is Maria Elena Fuentes, she's from Caracas.", {"Maria Elena Fuentes"}),
        ("My aunt Maria Elena Ortiz turned seventy.", {"Maria Elena Ortiz"}),
        (
            "My dentist is Dr. Tran Van Hung and my landlord is Tran Van Minh.",
            {"Dr. Tran Van Hung", "Tran Van Minh"},
        ),
        ("My tutor is Nguyễn Thị Hương.", {"Nguyễn Thị Hương"}),
        ("My boss is Anna van der Berg.", {"Anna van der Berg"}),
        ("My neighbour is Khalid bin Rashid Al Maktoum.", {"Khalid bin Rashid Al Maktoum"}),
        ("My doctor is Juan de la Cruz.", {"Juan de la Cruz"}),
        ("My teacher is فاطمة الزهراء.", {"فاطمة الزهراء"}),
        ("My friend is Ольга Петровна Иванова.", {"Ольга Петровна Иванова"}),
        ("My boss is Мария and my coach is Δημήτρης.", {"Мария", "Δημήτρης"}),
        ("My brother 김민준 works at Samsung.", {"김민준"}),
        ("My friend נועה כהן lives in Haifa.", {"נועה כהן"}),
    ],
)
def test_name_of_a_person_is_read_whole(text: str, names: set[str]) -> None:
    read = facts_in(text)
    people = {fact.object for fact in read if fact.subject == "@user"}
    assert names <= people
    assert {fact.subject for fact in read} <= names | {"@user"}
    assert all(name in "".join(fact.statement for fact in read) for name in names)


def test_tagged_part_of_a_name_is_read_whole() -> None:
    text = "My coach Maria Elena Fuentes was late."
    tag = Tag(kind="helper", subject=None, obj=(9, 20), ended=False, odds=9.0)
    ((made, _),) = tag_drafts(text, [tag], Speaker(me="@user"))
    assert (made.object, made.relation) == ("Maria Elena Fuentes", "coach")


@pytest.mark.parametrize(
    ("text", "kind", "statement"),
    [
        ("The cat: 6.4 kg now.", "size", "Rui's weight is 6.4 kg."),
    ],
)
def test_tagged_value_is_worded_by_what_it_is(text: str, kind: str, statement: str) -> None:
    start = next(text.find(part) for part in ("eat fish", "6.4") if part in text)
    tag = Tag(
        kind=kind, subject=None, obj=(start, text.find(" now") if "now" in text else len(text)), ended=False, odds=9.0
    )
    ((made, _),) = tag_drafts(text, [tag], Speaker(me="@user", user_names=("Rui",)))
    assert made.statement == statement


@pytest.mark.parametrize(
    "text",
    [
        "I'm staying in Graz tonight.",
        "For the next two weeks I live with my aunt in Passau.",
        "I'm living out of a hotel in Ghent this month.",
        "We are living in a rental in Kempten for three weeks while the floor dries.",
        "This week I'm living at my brother's place in Linz.",
        "I temporarily live in Salzburg.",
        "We're staying with my parents in Ghent over Christmas.",
        "We're at my cousin's in Malmö through the weekend.",
        "I'm living with my parents in Jena for the duration of the exams.",
        "Until Friday we're at my aunt's in Linz.",
        "In winter we live in Malaga.",
    ],
)
def test_stay_of_a_bounded_time_is_no_home(text: str) -> None:
    assert not [fact for fact in facts_in(text) if fact.relation == "lives in"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("I moved to Graz this week.", "Graz"),
        ("I've lived in Graz for three months.", "Graz"),
        ("I live in Graz.", "Graz"),
        ("I live in Graz, and until Friday I'm busy.", "Graz"),
        ("We moved to Malmö for good last weekend.", "Malmö"),
        ("I live in Kyoto until my contract ends in 2028.", "Kyoto"),
        ("We live in Bonn and last week the heating broke.", "Bonn"),
        ("I live in Utrecht, and tomorrow I fly to Paris.", "Utrecht"),
        ("This year we live in Oslo.", "Oslo"),
    ],
)
def test_home_told_with_a_time_is_still_a_home(text: str, place: str) -> None:
    assert [fact.object for fact in facts_in(text) if fact.relation == "lives in"] == [place]


def test_job_beside_a_word_for_a_time_is_still_a_job() -> None:
    read = facts_in("I work at Bosch and I'm tired this week.")
    assert [fact.object for fact in read if fact.relation == "works at"] == ["Bosch"]


@pytest.mark.parametrize(
    "word",
    [
        "assistant",
        "agent",
        "bot",
        "AI",
    ],
)
def test_jobs_and_things_do_not_mean_the_agent(word: str) -> None:
    assert person_words(word) is None


def test_possessive_of_a_group_before_a_number_is_no_sentence() -> None:
    said = "I won first place in the men's 100 meters at the school festival."
    assert not [fact.statement for fact in facts_in(said) if "is 100" in fact.statement]
