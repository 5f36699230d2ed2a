"""Test kinship terms in questions."""

import pytest

from extraction.entities.kinship_terms import own_ties_in


@pytest.mark.parametrize(
    ("question", "some", "none"),
    [
        ("What does my sister's employer sell?", {"sister", "姐姐", "妹妹"}, {"brother"}),
        ("My dear mother, where is she?", {"mother", "mom", "妈妈"}, {"father"}),
        ("我姐姐的公司卖什么？", {"姐姐"}, {"妹妹", "sister"}),
        ("我的老板住在哪里？", {"老板", "boss"}, {"经理"}),
        ("What did Melanie's husband say?", set(), {"husband"}),
        ("What does my friend's sister do?", set(), {"sister"}),
        ("小红的妈妈叫什么？", set(), {"妈妈"}),
        ("你妈妈叫什么？", set(), {"妈妈"}),
        ("我姑妈住在哪里？", set(), {"妈"}),
        ("What did I say?", set(), {"sister"}),
    ],
)
def test_only_relatives_of_the_user_are_found(question: str, some: set[str], none: set[str]) -> None:
    words = set(own_ties_in(question))
    assert some <= words
    assert not none & words


@pytest.mark.parametrize(
    ("question", "some", "none"),
    [
        ("What does her sister do?", {"sister", "姐姐"}, {"brother"}),
        ("他女朋友老家哪里？", {"女朋友", "girlfriend"}, {"男朋友"}),
        ("小红说她妈妈叫什么？", set(), {"妈妈"}),
        ("What does the sister do?", set(), {"sister"}),
    ],
)
def test_relatives_of_the_third_person_are_the_users_if_nobody_is_named(
    question: str, some: set[str], none: set[str]
) -> None:
    words = set(own_ties_in(question, names_nobody=True))
    assert some <= words
    assert not none & words
    assert not some & set(own_ties_in(question))
