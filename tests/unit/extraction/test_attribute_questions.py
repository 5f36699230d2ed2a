"""Test which attribute of a person a question asks for, and which texts state a value of it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.answer_values import Attribute, attribute_asked, states_attribute
from extraction.query_analysis import analyse


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("Where do I live?", Attribute.HOME),
        ("Which part of town does Nasrin live in?", Attribute.HOME),
        ("我现在住在哪里？", Attribute.HOME),
        ("我住几栋几号？", Attribute.HOME),
        ("Wo wohne ich?", Attribute.HOME),
        ("Où est-ce que j'habite ?", Attribute.HOME),
        ("¿Dónde vivo?", Attribute.HOME),
        ("どこに住んでいますか？", Attribute.HOME),
        ("Where am I staying this week?", None),
        ("Where do I work?", Attribute.WORK),
        ("Who does my sister's husband work for?", Attribute.WORK),
        ("我老婆在哪里上班？", Attribute.WORK),
        ("What car do I have?", Attribute.VEHICLE),
        ("我开什么车？", Attribute.VEHICLE),
        ("What's my phone number?", Attribute.NUMBER),
        ("我的手机号是多少？", Attribute.NUMBER),
        ("What is my sister's diet?", Attribute.DIET),
        ("What dose am I on?", Attribute.MEDICINE),
        ("What am I driving?", Attribute.VEHICLE),
        ("What am I doing for work?", Attribute.WORK),
        ("What line of work is my son-in-law in?", Attribute.WORK),
        ("我在吃什么降胆固醇的药？", Attribute.MEDICINE),
        ("Which ingredient must stay out of my meals, what can't I have?", Attribute.DIET),
        ("哪种水果我受不了？", Attribute.DIET),
        ("What is my favourite tea?", None),
        ("When is the wedding?", None),
        ("我最喜欢什么茶？", None),
    ],
)
def test_the_attribute_asked_for_is_found(question: str, attribute: Attribute | None) -> None:
    assert attribute_asked(question) is attribute


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Meera's landlord is selling so I moved again!! Footscray since monday", Attribute.HOME),
        ("我们上周搬到成都了", Attribute.HOME),
        ("new job too: I'm at the Luz hospital now", Attribute.WORK),
        ("下个月入职腾讯", Attribute.WORK),
        ("sold the tesla, got a VW ID.3", Attribute.VEHICLE),
        ("把旧车卖了", Attribute.VEHICLE),
        ("it's 555-0199 from now on", Attribute.NUMBER),
        ("GP put me up to 75 micrograms", Attribute.MEDICINE),
        ("Clara's gone pescatarian", Attribute.DIET),
        ("epipen in my bag since", Attribute.DIET),
    ],
)
def test_statements_of_an_attribute_are_recognised(text: str, attribute: Attribute) -> None:
    assert states_attribute(text, attribute)
    assert not states_attribute("the sky is lovely tonight", attribute)


@given(text=st.text(max_size=300), attribute=st.sampled_from(Attribute))
def test_a_statement_is_found_whatever_stands_around_it(text: str, attribute: Attribute) -> None:
    statement = {
        Attribute.NUMBER: "555-0134-22",
        Attribute.WORK: "new job",
        Attribute.HOME: "搬到成都",
        Attribute.VEHICLE: "a tesla",
        Attribute.MEDICINE: "75 mg",
        Attribute.DIET: "vegan",
    }[attribute]
    assert states_attribute(f"{text}\n{statement}\n{text}", attribute)


@given(question=st.text(max_size=100))
def test_case_and_curly_apostrophes_do_not_change_the_attribute(question: str) -> None:
    asked = f"What's my phone number? {question}"
    assert attribute_asked(asked) is attribute_asked(asked.replace("'", "’")) is Attribute.NUMBER


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where do I live?", True),
        ("我家在哪里？", True),
        ("Wo wohne ich?", True),
        ("どこに住んでいますか？", True),
        ("Where do I live this week?", False),
        ("Where did I live before?", False),
        ("Where does my sister live?", False),
        ("Where does Ana live?", False),
        ("王芳住在哪里？", False),
    ],
)
def test_question_for_the_home_is_about_the_user_and_no_named_time(question: str, expected: bool) -> None:
    assert analyse(question, reference=datetime(2026, 9, 1, tzinfo=UTC)).asks_home is expected


@pytest.mark.parametrize(
    ("question", "expected"), [("What am I allergic to?", True), ("Wer in meiner WG ist Veganer?", False)]
)
def test_question_of_the_user_does_not_ask_who(question: str, expected: bool) -> None:
    assert analyse(question, reference=datetime(2026, 9, 1, tzinfo=UTC)).of_user is expected
