"""Test pronoun resolution by the names said last."""

import pytest

from graph_service.memory.sessions.short_term_window import hints_for, recent_names, refers_back
from tests.support.turns import a_turn


@pytest.mark.parametrize(
    "text",
    [
        "What about her sister?",
        "and how about dinner?",
        "Where does he live?",
        "那他呢？",
        "她在哪里工作？",
        "那杭州呢？",
        "这个人是谁？",
    ],
)
def test_pronoun_or_missing_verb_needs_the_conversation(text: str) -> None:
    assert refers_back(text)


@pytest.mark.parametrize(
    "text",
    ["Where is the key?", "What is the theory?", "其实我喜欢茶", "钥匙在哪里？", "其他人呢？", "我的吉他在哪里？"],
)
def test_complete_question_does_not_need_the_conversation(text: str) -> None:
    assert not refers_back(text)


def test_names_are_listed_once_most_recent_first() -> None:
    turns = [
        a_turn(1, text="I met Anna and Tom."),
        a_turn(2, text="我昨天见了李娜。"),
        a_turn(3, text="Then I called Anna again.", speaker="Alice"),
    ]
    assert recent_names(turns) == ("Anna", "李娜", "Tom")
    assert recent_names([a_turn(1, text="I am glad that Alice is here.", speaker="Alice")]) == ()


def test_question_that_names_somebody_gets_no_hints() -> None:
    turns = [a_turn(1, text="I met Anna at the market.")]
    assert hints_for("What does her sister do?", turns) == ("Anna",)
    assert hints_for("What did Tom say to his sister?", turns) == ()
    assert hints_for("Where is the market?", turns) == ()
