"""Test questions about something that belongs to the named entity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import begins_with, indirect_target


@pytest.mark.parametrize(
    ("question", "beyond"),
    [
        ("What does my sister's employer sell?", True),
        ("Who owns my sister’s company?", True),
        ("Where is my sister's employer based?", True),
        ("What did Anna's father build?", True),
        ("How did my parents' neighbour react?", True),
        ("我妹妹的公司卖什么？", True),
        ("我姐姐的老板住在哪里？", True),
        ("小红的丈夫喜欢吃什么？", True),
        ("What is my sister's job?", False),
        ("When is my sister's birthday?", False),
        ("What did Anna's email say?", False),
        ("Who is my sister's boss?", False),
        ("What does my sister sell?", False),
        ("What's the weather like?", False),
        ("Where does she live?", False),
        ("Tell me about my sister's employer.", False),
        ("我妹妹的工作是什么？", False),
        ("我妹妹的生日是哪天？", False),
        ("小红的老板是谁？", False),
        ("我的公司卖什么？", False),
        ("我妹妹卖什么？", False),
        ("我妹妹的公司", False),
    ],
)
def test_question_about_something_of_the_named_entity_is_detected(question: str, beyond: bool) -> None:
    assert beyond is (indirect_target(question) is not None)


@pytest.mark.parametrize(
    ("question", "key", "itself"),
    [
        ("What do Melanie's kids like?", "kids", True),
        ("What do Melanie's kids like?", "kid", True),
        ("What does Gina's dance studio offer?", "dance studio", True),
        ("What does my sister's employer sell?", "sister", False),
        ("What does my sister's carpenter build?", "car", False),
        ("小红的公司卖什么？", "公司", True),
        ("小红的公司卖什么？", "小红", False),
    ],
)
def test_entity_with_a_name_of_its_own_is_not_indirect(question: str, key: str, itself: bool) -> None:
    beyond = indirect_target(question)
    assert beyond is not None
    assert itself is begins_with(beyond, key)


@given(st.text())
def test_indirect_target_is_part_of_the_question(text: str) -> None:
    assert (indirect_target(text) or "") in text.lower() or not text.isascii()
